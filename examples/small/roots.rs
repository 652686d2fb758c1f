//! Find the roots of a polynomial as the eigenvalues of its companion matrix.

use fulmen::owned;

pub fn main() -> Result<(), fulmen::Error> {
    // x³ - 6x² + 11x - 6 = (x - 1)(x - 2)(x - 3)
    let companion = [6.0f64, -11.0, 6.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let (roots, _) = owned::eig(&companion, 3)?;
    let (sorted, _) = owned::bottom_k(&roots.iter().map(|z| z.re).collect::<Vec<_>>(), 3)?;
    println!("roots: {sorted:.6?}");
    assert!(sorted.iter().zip([1.0, 2.0, 3.0]).all(|(got, want)| (got - want).abs() < 1e-10));
    Ok(())
}
