//! Element-wise loops over strided vectors. Contiguous ones go to the loops of [`drive`]; else each element is loaded
//! into a register of its own, which gives it the same bits as a whole vector would. [`every`] and [`spread_add`]
//! gather a strided vector to a contiguous one and add one back.

use super::drive::{self, Pair};
use super::executor::Serial;
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

/// `to[i] = x[step·i]`, as far as both go.
#[inline(always)]
pub(crate) fn every<T: Copy>(x: &[T], step: usize, to: &mut [T]) {
    // Steps known at compile time become shuffles of whole registers.
    match step {
        2 => every_of::<T, 2>(x, to),
        3 => every_of::<T, 3>(x, to),
        4 => every_of::<T, 4>(x, to),
        _ => to.iter_mut().zip(x.iter().step_by(step.max(1))).for_each(|(to, x)| *to = *x),
    }
}

#[inline(always)]
fn every_of<T: Copy, const STEP: usize>(x: &[T], to: &mut [T]) {
    let whole = x.chunks_exact(STEP);
    let (n, last) = (x.len() / STEP, whole.remainder().first());
    for (to, x) in to.iter_mut().zip(whole) {
        if let [x, ..] = x {
            *to = *x;
        }
    }
    if let (Some(to), Some(x)) = (to.get_mut(n), last) {
        *to = *x;
    }
}

/// `to[step·i] += x[i]`, as far as both go.
#[inline(always)]
pub(crate) fn spread_add<T: Element>(x: &[T], step: usize, to: &mut [T]) {
    match step {
        2 => spread_add_of::<T, 2>(x, to),
        3 => spread_add_of::<T, 3>(x, to),
        4 => spread_add_of::<T, 4>(x, to),
        _ => x.iter().zip(to.iter_mut().step_by(step.max(1))).for_each(|(x, to)| *to = *to + *x),
    }
}

#[inline(always)]
fn spread_add_of<T: Element, const STEP: usize>(x: &[T], to: &mut [T]) {
    let n = to.len() / STEP;
    let mut whole = to.chunks_exact_mut(STEP);
    for (to, x) in whole.by_ref().zip(x) {
        if let [to, ..] = to {
            *to = *to + *x;
        }
    }
    if let (Some(x), Some(to)) = (x.get(n), whole.into_remainder().first_mut()) {
        *to = *to + *x;
    }
}
