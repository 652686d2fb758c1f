//! Element-wise steps on rows and vectors of any stride: where the elements follow each other on them, else on
//! a copy of some at a time.

use crate::alu::{Alu, Body, Real};
use crate::lanes::fold::Serial;
use crate::lanes::{Element, Simd, drive};
use crate::view::{VecMut, VecRef};

/// Elements of a copy.
const PART: usize = 64;

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
impl<T: Real> Body<T, 1> for Zero {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [y]: [V; 1]) -> V {
        y.lit(T::ZERO)
    }
}

/// `y[i] = body(y[i])`.
#[inline(always)]
pub(super) fn map<S: Simd, T: Element>(s: S, body: impl Body<T, 1>, mut y: VecMut<'_, T>) {
    if let Some(y) = y.as_mut_slice() {
        return s.vectorize(
            #[inline(always)]
            || drive::map_in_place(Serial, s, body, y),
        );
    }
    let mut copy = [T::ZERO; PART];
    let mut i = 0;
    while i < y.len() {
        let part = y.reborrow().part(i, PART);
        let y = copy.get_mut(..part.len()).unwrap_or_default();
        read(part.as_ref(), y);
        s.vectorize(
            #[inline(always)]
            || drive::map_in_place(Serial, s, body, y),
        );
        write(y, part);
        i += PART;
    }
}

/// `y[i] = body(y[i], x[i])`.
#[inline(always)]
pub(super) fn zip<S: Simd, T: Element>(s: S, body: impl Body<T, 2>, mut y: VecMut<'_, T>, x: VecRef<'_, T>) {
    debug_assert!(x.len() == y.len());
    if let (Some(y), Some(x)) = (y.as_mut_slice(), x.as_slice()) {
        return s.vectorize(
            #[inline(always)]
            || drive::zip_in_place(Serial, s, body, y, x),
        );
    }
    let mut copies = [[T::ZERO; PART]; 2];
    let mut i = 0;
    while i < y.len().min(x.len()) {
        let (to, from) = (y.reborrow().part(i, PART), x.part(i, PART));
        let [a, b] = &mut copies;
        let n = to.len().min(from.len());
        let (a, b) = (a.get_mut(..n).unwrap_or_default(), b.get_mut(..n).unwrap_or_default());
        read(to.as_ref(), a);
        read(from, b);
        s.vectorize(
            #[inline(always)]
            || drive::zip_in_place(Serial, s, body, a, b),
        );
        write(a, to);
        i += PART;
    }
}

/// The elements of `x`, one after the other.
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
