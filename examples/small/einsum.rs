//! Contract tensors by an expression: products of many matrices, traces, outer products.

use fulmen::owned::einsum;

pub fn main() -> Result<(), fulmen::Error> {
    // Two matrices of 2 by 3 times two of 3 by 2.
    let a: Vec<f32> = (0..12).map(|k| k as f32).collect();
    let b = [1.0f32; 12];
    let c = einsum("bij,bjk->bik", &[&a, &b], &[&[2, 2, 3], &[2, 3, 2]])?;
    println!("batched: {c:?}");
    assert_eq!(c, [3.0, 3.0, 12.0, 12.0, 21.0, 21.0, 30.0, 30.0]);
    let square = [1.0f32, 2.0, 3.0, 4.0];
    assert_eq!(einsum("ii", &[&square], &[&[2, 2]])?, [5.0]);
    assert_eq!(einsum("ij->ji", &[&square], &[&[2, 2]])?, [1.0, 3.0, 2.0, 4.0]);
    let outer = einsum("i,j->ij", &[&[1.0f32, 2.0], &[10.0, 20.0]], &[&[2], &[2]])?;
    println!("outer product: {outer:?}");
    assert_eq!(outer, [10.0, 20.0, 20.0, 40.0]);
    // What does not fit is named with its place in the expression.
    println!("{}", einsum("ij,jk->ik", &[&square, &square], &[&[2, 2], &[4, 1]]).unwrap_err());
    Ok(())
}
