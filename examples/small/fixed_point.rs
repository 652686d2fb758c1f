//! Fixed point for firmware: a layer of 8-bit numbers, whose sum is exact.

use fulmen::{fixed_dot, fixed_gemv, fixed_relu};

pub fn main() -> Result<(), fulmen::Error> {
    // Q7: 64 is 0.5, -32 is -0.25.
    let (weights, x) = ([64i8, -32, -64, 32], [100i8, 50]);
    println!("dot: {}", fixed_dot(&weights[..2], &x)?);
    let (mut y, mut active) = ([0i8; 2], [0i8; 2]);
    fixed_gemv(&weights, &x, None, 7, 7, &mut y)?;
    fixed_relu(&y, &mut active)?;
    println!("layer: {y:?}, then {active:?}");
    assert_eq!((y, active), ([38, -37], [38, 0]));
    Ok(())
}
