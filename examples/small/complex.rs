//! Complex numbers: arithmetic, and a slice of real numbers seen as pairs.

use fulmen::{Complex, c64, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (a, b) = (c64::new(3.0, 4.0), c64::new(1.0, -2.0));
    println!("a·b = {}, a/b = {}, |a| = {}, the angle of b {:.3}", a * b, a / b, a.abs(), b.arg());
    assert!(a * b == c64::new(11.0, -2.0) && a / b == c64::new(-1.0, 2.0) && a.abs() == 5.0);
    // Real and imaginary parts in turn, without a copy.
    let x = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0];
    let turns: &[c64] = Complex::of(&x)?;
    let y = owned::fft(turns)?;
    println!("spectrum of a turn: {}, {}, {}, {}", y[0], y[1], y[2], y[3]);
    assert_eq!(y[1], c64::from(4.0));
    Ok(())
}
