//! Element-wise loops over vectors with strides. What is contiguous goes to the loops of [`drive`]; else
//! each element passes through a register of its own, which gives it the same bits as its neighbours in a
//! whole one would: loading and storing single elements is all that such a vector allows in either case.

use super::drive::{self, Pair};
use super::fold::Serial;
use super::vector::Vector;
use super::{Element, Simd};
use crate::alu::Body;
use crate::view::{VecMut, VecRef};

/// `y[i] = body(x[i])`; the lengths are equal.
#[inline(always)]
pub(crate) fn map<S: Simd, T: Element>(s: S, body: impl Body<T, 1>, x: VecRef<'_, T>, y: VecMut<'_, T>) {
    debug_assert!(x.len() == y.len());
    let (x, mut y) =
        if backwards(x.stride()) && backwards(y.stride()) { (x.reversed(), y.reversed()) } else { (x, y) };
    if let (Some(x), Some(y)) = (x.as_slice(), y.as_mut_slice()) {
        return drive::map(Serial, s, body, [x], y);
    }
    for i in 0..y.len() {
        let x = T::Vec::<S>::splat(s, x.get(i).unwrap_or_default());
        y.set(i, body.eval([x]).lane0());
    }
}

/// `y[i] = body(y[i])`.
#[inline(always)]
pub(crate) fn map_in_place<S: Simd, T: Element>(s: S, body: impl Body<T, 1>, y: VecMut<'_, T>) {
    let mut y = if backwards(y.stride()) { y.reversed() } else { y };
    if let Some(y) = y.as_mut_slice() {
        return drive::map_in_place(Serial, s, body, y);
    }
    for i in 0..y.len() {
        let x = T::Vec::<S>::splat(s, y.get(i).unwrap_or_default());
        y.set(i, body.eval([x]).lane0());
    }
}

/// `y[i] = body(y[i], x[i])`; the lengths are equal.
#[inline(always)]
pub(crate) fn zip_in_place<S: Simd, T: Element>(
    s: S,
    body: impl Body<T, 2>,
    y: VecMut<'_, T>,
    x: VecRef<'_, T>,
) {
    debug_assert!(x.len() == y.len());
    let (x, mut y) =
        if backwards(x.stride()) && backwards(y.stride()) { (x.reversed(), y.reversed()) } else { (x, y) };
    if let (Some(x), Some(y)) = (x.as_slice(), y.as_mut_slice()) {
        return drive::zip_in_place(Serial, s, body, y, x);
    }
    for i in 0..y.len() {
        let v = T::Vec::<S>::splat(s, y.get(i).unwrap_or_default());
        let x = T::Vec::<S>::splat(s, x.get(i).unwrap_or_default());
        y.set(i, body.eval([v, x]).lane0());
    }
}

/// `(x[i], y[i]) = body(x[i], y[i])`; the lengths are equal.
#[inline(always)]
pub(crate) fn pair_in_place<S: Simd, T: Element>(
    s: S,
    body: impl Pair<T> + Send + Sync,
    x: VecMut<'_, T>,
    y: VecMut<'_, T>,
) {
    debug_assert!(x.len() == y.len());
    let (mut x, mut y) =
        if backwards(x.stride()) && backwards(y.stride()) { (x.reversed(), y.reversed()) } else { (x, y) };
    if let (Some(x), Some(y)) = (x.as_mut_slice(), y.as_mut_slice()) {
        return drive::pair_in_place(s, body, x, y);
    }
    for i in 0..y.len() {
        let u = T::Vec::<S>::splat(s, x.get(i).unwrap_or_default());
        let v = T::Vec::<S>::splat(s, y.get(i).unwrap_or_default());
        let [u, v] = body.eval([u, v]);
        x.set(i, u.lane0());
        y.set(i, v.lane0());
    }
}

/// Whether the reversed vector is contiguous; the order of element-wise work does not matter.
#[inline(always)]
fn backwards(stride: isize) -> bool {
    stride == -1
}
