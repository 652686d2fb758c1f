//! Filter a signal: a windowed sinc of finite response, and a second-order section that runs sample by sample.

use fulmen::{Biquad, Window, biquad, owned};

pub fn main() -> Result<(), fulmen::Error> {
    // A slow wave and a fast one.
    let x: Vec<f64> = (0..400).map(|k| (k as f64 * 0.05).sin() + (k as f64 * 2.5).sin()).collect();
    // 31 taps of a low pass at an eighth of the rate, whose sum is 1.
    let mut taps = [0.0f64; 31];
    Window::Hamming.symmetric(&mut taps)?;
    for (k, tap) in taps.iter_mut().enumerate() {
        let t = std::f64::consts::PI * 0.25 * (k as f64 - 15.0);
        *tap *= if k == 15 { 1.0 } else { t.sin() / t };
    }
    let sum = fulmen::sum(&taps);
    taps.iter_mut().for_each(|tap| *tap /= sum);
    let y = owned::fir(&taps, 1, &x)?;
    // The filter delays by 15 samples.
    let off = (50..400).map(|k| (y[k] - ((k - 15) as f64 * 0.05).sin()).abs()).fold(0.0, f64::max);
    println!("the fast wave behind the filter: {off:.4}");
    assert!(off < 0.01);
    // A mean that forgets a tenth at each step; `state` goes on from block to block.
    let (mut state, mut smooth) = ([0.0f64; 2], vec![0.0; 400]);
    biquad(&[Biquad { b: [0.1, 0.0, 0.0], a: [-0.9, 0.0] }], &mut state, &[1.0; 400], &mut smooth)?;
    println!("step response: {:.3?}", &smooth[..4]);
    assert!((smooth[399] - 1.0).abs() < 1e-12);
    Ok(())
}
