//! Softmax of many rows on all threads: the same bits as on one (feature `parallel`).

use fulmen::owned;
use fulmen::random::Stream;

pub fn main() -> Result<(), fulmen::Error> {
    let (rows, cols) = (200, 1000);
    let x = owned::normal(Stream::new(5), 0.0f32, 3.0, rows * cols)?;
    let alone = owned::softmax(&x, cols)?;
    let mut together = vec![0.0; x.len()];
    fulmen::parallel::softmax(&x, cols, &mut together)?;
    println!("{} threads, equal: {}", rayon::current_num_threads(), alone == together);
    assert_eq!(alone, together);
    Ok(())
}
