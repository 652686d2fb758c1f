//! Reductions and selections on devices. A CPU refuses some arguments by their values, which only the kernel reads
//! here: the result is NaN where the op has no value, an index is `u32::MAX` where `x` contains NaN, and NaN precedes
//! everything in [`top_k`](crate::top_k()).

use super::super::device::Computes;
use super::ops::{Done, Scalar, called};
use super::{Gpu, Mat, View, ViewMut};
use crate::backend::Reductions;
use crate::error::{Error, not_empty, same_len};

/// The method of a row of the list.
macro_rules! method {
    (total $f:ident) => {
        fn $f(&self, x: View<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
            called!($f, { self.reduction(stringify!($f), [("x", x)], out) })
        }
    };
    (reduce $f:ident) => {
        fn $f(&self, x: View<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
            called!($f, {
                of_nothing(x.len(), || crate::$f::<T>(&[]))?;
                self.reduction(stringify!($f), [("x", x)], out)
            })
        }
    };
    (reduce2 $f:ident) => {
        fn $f(&self, a: View<'_, T, D>, b: View<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
            called!($f, {
                same_len("b", a.len(), b.len())?;
                of_nothing(a.len(), || crate::$f::<T>(&[], &[]))?;
                self.reduction(stringify!($f), [("a", a), ("b", b)], out)
            })
        }
    };
    (arg $f:ident) => {
        fn $f(&self, x: View<'_, T, D>, out: ViewMut<'_, u32, D>) -> Done {
            called!($f, {
                not_empty("x", x.len())?;
                self.reduction(stringify!($f), [("x", x)], out)
            })
        }
    };
    ($other:ident $f:ident) => {};
}

/// The methods of the regular rows of the list.
macro_rules! methods {
    ($($shape:ident $name:ident $f:tt $body:tt [$($parameter:ident: $value:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        $(method! { $shape $name })*
    };
}

/// What the op says of no elements, where there are none.
fn of_nothing<T>(n: usize, op: impl FnOnce() -> Result<T, Error>) -> Result<(), Error> {
    if n == 0 { op().map(|_| ()) } else { Ok(()) }
}

impl<T: Scalar, D: Computes<T>> Reductions<T> for Gpu<D> {
    crate::for_each_op!(methods);

    fn dot_strided(&self, x: Mat<'_, T, D>, y: Mat<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(dot_strided, {
            same_len("y", x.shape[0], y.shape[0])?;
            let (mut p, mut q) = (None, None);
            self.dot(self.gathered(x, &mut p)?, self.gathered(y, &mut q)?, out)
        })
    }

    fn nrm2(&self, x: Mat<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(nrm2, { self.norm_l2(self.gathered(x, &mut None)?, out) })
    }

    fn asum(&self, x: Mat<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(asum, { self.norm_l1(self.gathered(x, &mut None)?, out) })
    }

    fn iamax(&self, x: Mat<'_, T, D>, out: ViewMut<'_, u32, D>) -> Done {
        called!(iamax, { self.largest(x, out) })
    }

    fn top_k(
        &self,
        x: View<'_, T, D>,
        k: usize,
        values: ViewMut<'_, T, D>,
        indices: ViewMut<'_, u32, D>,
    ) -> Done {
        called!(top_k, { self.extremes(x, k, values, indices, true) })
    }

    fn bottom_k(
        &self,
        x: View<'_, T, D>,
        k: usize,
        values: ViewMut<'_, T, D>,
        indices: ViewMut<'_, u32, D>,
    ) -> Done {
        called!(bottom_k, { self.extremes(x, k, values, indices, false) })
    }
}
