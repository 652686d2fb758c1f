//! Describe numbers: mean, deviation, extrema, correlation.

use fulmen::{correlation, max, mean, min, stddev};

pub fn main() -> Result<(), fulmen::Error> {
    let x = [2.0f64, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
    let y = [1.0f64, 3.0, 2.0, 5.0, 4.0, 6.0, 8.0, 9.0];
    println!("mean {}, deviation {:.3}, from {} to {}", mean(&x)?, stddev(&x)?, min(&x)?, max(&x)?);
    println!("correlation {:.3}", correlation(&x, &y)?);
    assert!(mean(&x)? == 5.0 && correlation(&x, &y)? > 0.9);
    // A mean of nothing is an error, not NaN.
    println!("{}", mean::<f64>(&[]).unwrap_err());
    Ok(())
}
