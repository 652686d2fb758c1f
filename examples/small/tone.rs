//! Find the frequency of a tone with the Fourier transform of real numbers.

use fulmen::{Window, argmax, owned};

pub fn main() -> Result<(), fulmen::Error> {
    const RATE: f64 = 8000.0;
    let n = 4096;
    // A tone of 440 Hz beside a weaker one.
    let turn = |hz: f64, k: usize| (2.0 * std::f64::consts::PI * hz * k as f64 / RATE).sin();
    let mut x: Vec<f64> = (0..n).map(|k| turn(440.0, k) + 0.3 * turn(1200.0, k)).collect();
    let mut window = vec![0.0; n];
    Window::Hann.periodic(&mut window)?;
    fulmen::mul(&x.clone(), &window, &mut x)?;
    let spectrum = owned::rfft(&x)?;
    let power: Vec<f64> = spectrum.iter().map(|z| z.norm_sqr()).collect();
    let hz = argmax(&power)? as f64 * RATE / n as f64;
    println!("{hz:.1} Hz");
    assert!((hz - 440.0).abs() < RATE / n as f64);
    Ok(())
}
