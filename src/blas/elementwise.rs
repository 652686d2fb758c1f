//! Element-wise updates of vectors with any stride (`y = βy`, `y[i] = body(y[i], x[i])`), compiled for the instruction
//! set.

use crate::alu::{Alu, Body, Number};
use crate::lanes::{Element, Simd, strided};
use crate::view::{VecMut, VecRef};

/// `y = βy`, without reading it when β = 0.
#[inline(always)]
pub(super) fn scale<S: Simd, T: Element>(s: S, beta: T, y: VecMut<'_, T>) {
    if beta == T::ZERO {
        map(s, Zero, y);
    } else if beta != T::ONE {
        map(s, crate::Scale(beta), y);
    }
}

/// Zero, whatever the element holds.
#[derive(Clone, Copy)]
struct Zero;
impl<T: Number> Body<T, 1> for Zero {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [y]: [V; 1]) -> V {
        y.lit(T::ZERO)
    }
}

/// `y[i] = body(y[i])`.
#[inline(always)]
fn map<S: Simd, T: Element>(s: S, body: impl Body<T, 1>, y: VecMut<'_, T>) {
    s.vectorize(
        #[inline(always)]
        || strided::map_in_place(s, body, y),
    );
}

/// `y[i] = body(y[i], x[i])`.
#[inline(always)]
pub(super) fn zip<S: Simd, T: Element>(s: S, body: impl Body<T, 2>, y: VecMut<'_, T>, x: VecRef<'_, T>) {
    s.vectorize(
        #[inline(always)]
        || strided::zip_in_place(s, body, y, x),
    );
}

/// The elements of `x`, in order.
#[inline(always)]
pub(super) fn read<T: Element>(x: VecRef<'_, T>, to: &mut [T]) {
    for (i, to) in to.iter_mut().enumerate() {
        *to = x.get(i).unwrap_or(T::ZERO);
    }
}

/// As [`read`], back.
#[inline(always)]
pub(super) fn write<T: Element>(from: &[T], mut x: VecMut<'_, T>) {
    for (i, from) in from.iter().enumerate() {
        x.set(i, *from);
    }
}
