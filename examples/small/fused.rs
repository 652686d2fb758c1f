//! One pass over memory for several steps: ops that are joined, and a function of one's own.

use fulmen::{Add, Alu, Body, Clamp, Number, Scale, Then, owned::map};

/// `x² + b`
#[derive(Clone, Copy)]
struct SquareAnd<T>(T);
impl<T: Number> Body<T, 1> for SquareAnd<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.mul_add(x, x.param(self.0))
    }
}

pub fn main() -> Result<(), fulmen::Error> {
    let (a, b) = ([1.0f32, -5.0, 2.0], [2.0f32, 3.0, 4.0]);
    // clamp((a + b)·0.5, 0, 2)
    let y = map(Then(Then(Add, Scale(0.5)), Clamp(0.0, 2.0)), [&a, &b])?;
    println!("joined: {y:?}");
    assert_eq!(y, [1.5, 0.0, 2.0]);
    let y = map(SquareAnd(0.5), [&a])?;
    println!("own: {y:?}");
    assert_eq!(y, [1.5, 25.5, 4.5]);
    Ok(())
}
