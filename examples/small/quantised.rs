//! Multiply by weights of 4 bits: a quarter of the memory of 16 bits, with activations of 8 bits.

use fulmen::owned;
use fulmen::quant::{Block, Q4_0};
use fulmen::random::Stream;

pub fn main() -> Result<(), fulmen::Error> {
    let (rows, cols) = (64, 256);
    let weights = owned::normal(Stream::new(1), 0.0f32, 1.0, rows * cols)?;
    let x = owned::normal(Stream::new(2), 0.0f32, 1.0, cols)?;
    let small = owned::quantize::<Q4_0>(&weights, None)?;
    let activations = owned::quantize::<<Q4_0 as Block>::Partner>(&x, None)?;
    let y = owned::quant_gemv(&small, &activations)?;
    let exact = owned::matmul(&weights, cols, &x)?;
    let off = fulmen::euclidean_distance(&y, &exact)? / fulmen::norm_l2(&exact);
    println!(
        "{} bytes in place of {}, off by {:.1} %",
        size_of_val(&small[..]),
        size_of_val(&weights[..]),
        100.0 * off
    );
    assert!(off < 0.15);
    Ok(())
}
