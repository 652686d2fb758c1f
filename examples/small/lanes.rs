//! One binary for many machines: the widest lanes of this CPU are found when the program runs.

use fulmen::lanes::Simd;

fn job<S: Simd>(s: S, x: &[f32], y: &mut [f32]) -> Result<&'static str, fulmen::Error> {
    // Everything in here is compiled for these lanes.
    fulmen::exp_on(s, x, y)?;
    fulmen::softmax_in_place_on(s, y, 4)?;
    Ok(S::NAME)
}

pub fn main() -> Result<(), fulmen::Error> {
    let (x, mut y) = ([0.0f32, 1.0, 0.5, 0.25], [0.0; 4]);
    let name = fulmen::dispatch!(|s| job(s, &x, &mut y))?;
    println!("on {name}: {y:.3?}; the build's own lanes are {:?}", fulmen::NATIVE);
    assert!((fulmen::sum(&y) - 1.0).abs() < 1e-6 && fulmen::argmax(&y)? == 1);
    Ok(())
}
