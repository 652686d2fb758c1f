//! Smooth a signal by a convolution with a kernel.

use fulmen::random::Stream;
use fulmen::{Extent, owned, stddev};

pub fn main() -> Result<(), fulmen::Error> {
    let noise = owned::normal(Stream::new(7), 0.0f64, 1.0, 5000)?;
    // A Gaussian, whose sum is 1.
    let bell: Vec<f64> = (-20..=20).map(|k| (-f64::from(k * k) / 50.0).exp()).collect();
    let sum = fulmen::sum(&bell);
    let kernel: Vec<f64> = bell.iter().map(|x| x / sum).collect();
    let smooth = owned::convolve(&noise, &kernel, Extent::Same)?;
    println!("deviation {:.3} before, {:.3} after", stddev(&noise)?, stddev(&smooth)?);
    assert!(smooth.len() == noise.len() && stddev(&smooth)? < 0.4);
    Ok(())
}
