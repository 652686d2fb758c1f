//! Approximate a matrix by one of low rank, from its singular values.

use fulmen::{MatMut, MatRef, gemm, gemm_workspace, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (m, n, rank) = (6, 5, 2);
    // Each row is a sum of (1, 1, …) and a multiple of (1, 2, …).
    let a: Vec<f64> = (0..m * n).map(|k| ((k / n) * (k % n + 1) + 1) as f64).collect();
    let (u, values, vt) = owned::svd(&a, n)?;
    println!("singular values: {values:.2?}");
    // U·diag(values): each column times its value, of which the first `rank` count.
    let scaled: Vec<f64> = u.iter().zip(values.iter().cycle()).map(|(u, s)| u * s).collect();
    let left = MatRef::row_major(&scaled, m, n)?.sub(0..m, 0..rank)?;
    let right = MatRef::row_major(&vt, n, n)?.sub(0..rank, 0..n)?;
    let mut near = vec![0.0; m * n];
    let mut workspace = vec![0.0; gemm_workspace(m, n, rank)];
    gemm(1.0, left, right, 0.0, MatMut::row_major(&mut near, m, n)?, &mut workspace)?;
    let off = fulmen::euclidean_distance(&a, &near)?;
    println!("rank {rank} is off by {off:.1e}");
    assert!(off < 1e-12);
    Ok(())
}
