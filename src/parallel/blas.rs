//! Level 2 and 3: parts of the result, or of the products inside, on different threads.

use super::Threads;
use crate::blas::{gemv_by, symm_by, syr2k_by, syrk_by, trmm_by, trsm_by};
use crate::lanes::{Simd, native};
use crate::{Diagonal, Element, Error, MatMut, MatRef, Side, Triangle, VecMut, VecRef};

macro_rules! threaded {
    ($($(#[$doc:meta])* $f:ident $on:ident $by:ident ($($arg:ident: $ty:ty),*);)*) => {$(
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) on rayon's threads, same bits.")]
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $f<T: Element>($($arg: $ty),*) -> Result<(), Error> {
            $by(Threads, native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($f), "`](crate::parallel::", stringify!($f), "()) on the instruction set of `s`.")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $on<S: Simd, T: Element>(s: S, $($arg: $ty),*) -> Result<(), Error> {
            $by(Threads, s, $($arg),*)
        }
    )*};
}
pub(super) use threaded;

threaded! {
    gemv gemv_on gemv_by (alpha: T, a: MatRef<'_, T>, x: VecRef<'_, T>, beta: T, y: VecMut<'_, T>);
    symm symm_on symm_by (side: Side, alpha: T, triangle: Triangle, a: MatRef<'_, T>, b: MatRef<'_, T>, beta: T, c: MatMut<'_, T>, workspace: &mut [T]);
    syrk syrk_on syrk_by (alpha: T, a: MatRef<'_, T>, beta: T, triangle: Triangle, c: MatMut<'_, T>, workspace: &mut [T]);
    syr2k syr2k_on syr2k_by (alpha: T, a: MatRef<'_, T>, b: MatRef<'_, T>, beta: T, triangle: Triangle, c: MatMut<'_, T>, workspace: &mut [T]);
    trmm trmm_on trmm_by (side: Side, alpha: T, triangle: Triangle, diagonal: Diagonal, a: MatRef<'_, T>, b: MatMut<'_, T>, workspace: &mut [T]);
    trsm trsm_on trsm_by (side: Side, alpha: T, triangle: Triangle, diagonal: Diagonal, a: MatRef<'_, T>, b: MatMut<'_, T>, workspace: &mut [T]);
}
