//! The spectrum of a sound over time: transforms of frames that overlap.

use fulmen::{Window, argmax, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (rate, frame, hop) = (8000.0f32, 512, 256);
    // A tone that rises.
    let x: Vec<f32> = (0..8192).map(|k| (0.05 * k as f32 + 0.00004 * (k * k) as f32).sin()).collect();
    let mut window = vec![0.0; frame];
    Window::Hann.periodic(&mut window)?;
    let bins = frame / 2 + 1;
    let spectra = owned::stft(&x, &window, hop)?;
    let mut loudest = Vec::new();
    for row in spectra.chunks_exact(bins) {
        let power: Vec<f32> = row.iter().map(|z| z.norm_sqr()).collect();
        loudest.push(argmax(&power)? as f32 * rate / frame as f32);
    }
    println!("{} frames, from {} Hz to {} Hz", loudest.len(), loudest[0], loudest[loudest.len() - 1]);
    assert!(loudest.windows(2).all(|pair| pair[0] <= pair[1]));
    Ok(())
}
