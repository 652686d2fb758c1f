//! Bodies of users on a device.

use fulmen::gpu::backend::{Gpu, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::{Alu, Body, Formula, Number};

/// `a·x + y`, which is exact for small integers.
struct Line;
#[derive(Clone, Copy)]
struct LineOf<T>(T);
impl<T: Number> Body<T, 2> for LineOf<T> {
    fn eval<V: Alu<Elem = T>>(self, [x, y]: [V; 2]) -> V {
        x.mul_add(x.param(self.0), y)
    }
}
impl Formula<1, 2> for Line {
    const NAME: &'static str = "line";
    fn body<T: Number>([a]: [T; 1]) -> impl Body<T, 2> {
        LineOf(a)
    }
}

/// A body of our own, by single elements and by 16 bytes.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>) -> Result<(), Error> {
    let whole = |n: usize, by: usize| (0..n).map(|i| T::from_usize(i * by % 101)).collect::<Vec<T>>();
    let a = T::from_f64(-3.0);
    for n in [5, 1024] {
        let (x, y, mut back) = (whole(n, 7), whole(n, 11), vec![T::ZERO; n]);
        let (held, other) = (gpu.upload(&x)?, gpu.upload(&y)?);
        let mut out = gpu.alloc(n)?;
        gpu.map(Line, [a], [held.view(), other.view()], out.view_mut())?;
        gpu.download(out.view(), &mut back)?;
        assert!(back.iter().zip(x.iter().zip(&y)).all(|(z, (x, y))| *z == a * *x + *y), "{n}");
    }
    Ok(())
}
