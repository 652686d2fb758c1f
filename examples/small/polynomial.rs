//! Fit a polynomial to points by least squares.

use fulmen::owned;

pub fn main() -> Result<(), fulmen::Error> {
    // Points of y = 1 - 2x + 3x², each off by a little.
    let x = [-2.0f64, -1.0, 0.0, 1.0, 2.0, 3.0];
    let y = [17.1, 5.9, 1.0, 2.1, 8.9, 22.0];
    // A row of powers for each point.
    let powers: Vec<f64> = x.iter().flat_map(|x| [1.0, *x, x * x]).collect();
    let c = owned::lstsq(&powers, 3, &y)?;
    println!("y = {:.2} + {:.2}x + {:.2}x²", c[0], c[1], c[2]);
    assert!(c.iter().zip([1.0, -2.0, 3.0]).all(|(got, want)| (got - want).abs() < 0.1));
    Ok(())
}
