//! Solve a system of linear equations.

use fulmen::owned;

pub fn main() -> Result<(), fulmen::Error> {
    // 2x + y - z = 8, -3x - y + 2z = -11, -2x + y + 2z = -3
    let a = [2.0f64, 1.0, -1.0, -3.0, -1.0, 2.0, -2.0, 1.0, 2.0];
    let b = [8.0, -11.0, -3.0];
    let x = owned::solve(&a, 3, &b)?;
    println!("x = {x:.3?}");
    assert!(x.iter().zip([2.0, 3.0, -1.0]).all(|(got, want)| (got - want).abs() < 1e-12));
    // A singular matrix is an error with the index of the pivot.
    let singular = owned::solve(&[1.0, 2.0, 2.0, 4.0], 2, &[1.0, 1.0]).unwrap_err();
    println!("singular: {singular}");
    assert!(singular.to_string().contains("pivot 1"));
    Ok(())
}
