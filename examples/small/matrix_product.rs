//! Multiply matrices: in one line, and into a buffer of one's own with a transpose.

use fulmen::{MatMut, MatRef, gemm, gemm_workspace, owned};

pub fn main() -> Result<(), fulmen::Error> {
    let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [5.0f32, 6.0, 7.0, 8.0]);
    println!("AB = {:?}", owned::matmul(&a, 2, &b)?);
    // C = 2·A·Bᵀ + C without an allocation.
    let (mut c, mut workspace) = ([1.0f32; 4], [0.0; gemm_workspace(2, 2, 2)]);
    let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
    gemm(2.0, a, b.t(), 1.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    println!("2ABᵀ + 1 = {c:?}");
    assert_eq!(c, [35.0, 47.0, 79.0, 107.0]);
    Ok(())
}
