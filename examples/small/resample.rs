//! Halve the rate of a signal: a low pass, of whose results every second one is computed.

use fulmen::owned;

pub fn main() -> Result<(), fulmen::Error> {
    let x: Vec<f32> = (0..1000).map(|k| (k as f32 * 0.02).sin()).collect();
    // A half-band filter of 7 taps.
    let taps = [-0.03125f32, 0.0, 0.28125, 0.5, 0.28125, 0.0, -0.03125];
    let y = owned::fir(&taps, 2, &x)?;
    println!("{} samples from {}", y.len(), x.len());
    // The filter delays by 3 samples.
    let off = (10..500).map(|k| (y[k] - x[2 * k - 3]).abs()).fold(0.0, f32::max);
    println!("largest difference: {off:.1e}");
    assert!(y.len() == 500 && off < 1e-3);
    Ok(())
}
