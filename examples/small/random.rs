//! Random numbers that can be repeated: π from points in a square, and parts that threads may draw apart.

use fulmen::owned::uniform;
use fulmen::random::Stream;

pub fn main() -> Result<(), fulmen::Error> {
    let n = 100_000;
    let (x, y) = (uniform::<f64>(Stream::new(1), n)?, uniform::<f64>(Stream::new(2), n)?);
    let inside = x.iter().zip(&y).filter(|(x, y)| *x * *x + *y * *y < 1.0).count();
    let pi = 4.0 * inside as f64 / n as f64;
    println!("π is about {pi:.3}");
    assert!((pi - std::f64::consts::PI).abs() < 0.02);
    // The second half of the stream alone is the second half of the whole.
    assert_eq!(uniform::<f64>(Stream::new(1).skip(n as u64 / 2), n / 2)?, x[n / 2..]);
    Ok(())
}
