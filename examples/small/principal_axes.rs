//! Find the principal axes of points (PCA): eigenvectors of their covariance.

use fulmen::random::Stream;
use fulmen::{covariance, owned};

pub fn main() -> Result<(), fulmen::Error> {
    // Points that spread along (1, 1).
    let along = owned::normal(Stream::new(1), 0.0f64, 3.0, 2000)?;
    let across = owned::normal(Stream::new(2), 0.0f64, 0.5, 2000)?;
    let x = owned::map(fulmen::Add, [&along, &across])?;
    let y = owned::map(fulmen::Sub, [&along, &across])?;
    let (xx, xy, yy) = (covariance(&x, &x)?, covariance(&x, &y)?, covariance(&y, &y)?);
    let (values, vectors) = owned::eigh(&[xx, xy, xy, yy], 2)?;
    // The values ascend, so the last column is the first axis.
    let axis = [vectors[1], vectors[3]];
    println!("axis {axis:.2?}, {:.1} % of the variance", 100.0 * values[1] / (values[0] + values[1]));
    assert!((axis[0] - axis[1]).abs() < 0.05 && values[1] > 20.0 * values[0]);
    Ok(())
}
