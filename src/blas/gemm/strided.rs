//! Loads and stores a vector of elements that are a stride apart (gather and scatter).

use super::tune;
use crate::lanes::drive::load_up_to;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::MatRef;

/// `n ≤ LANES` elements, with stride `step`; zeros in the other lanes.
/// # Safety
/// They are valid for reads.
#[inline(always)]
pub(crate) unsafe fn gather_lanes<S: Simd, T: Element>(
    s: S,
    p: *const T,
    n: usize,
    step: isize,
) -> T::Vec<S> {
    let mut to = [T::ZERO; tune::MOST_LANES];
    for (j, to) in to.iter_mut().enumerate().take(n) {
        // SAFETY: `j < n`.
        *to = unsafe { p.offset(j as isize * step).read() };
    }
    // SAFETY: the array is as large as the widest register.
    unsafe { T::Vec::<S>::load(s, to.as_ptr()) }
}

/// Writes the first `n ≤ LANES` elements, with stride `step`.
/// # Safety
/// They are valid for writes.
#[inline(always)]
pub(crate) unsafe fn scatter_lanes<S: Simd, T: Element>(y: T::Vec<S>, p: *mut T, n: usize, step: isize) {
    let mut from = [T::ZERO; tune::MOST_LANES];
    // SAFETY: the array is as large as the widest register.
    unsafe { y.store(from.as_mut_ptr()) };
    for (j, y) in from.into_iter().enumerate().take(n) {
        // SAFETY: `j < n`.
        unsafe { p.offset(j as isize * step).write(y) };
    }
}

/// `n ≤ LANES` elements of a row, from column `col` on.
#[inline(always)]
pub(super) fn part_of_row<S: Simd, T: Element>(
    s: S,
    x: MatRef<'_, T>,
    row: usize,
    col: usize,
    n: usize,
) -> T::Vec<S> {
    let x = x.block([row, col], [1, n.min(T::Vec::<S>::LANES)]);
    let n = x.cols().min(x.rows().wrapping_mul(x.cols()));
    // SAFETY: the block has `n` elements in its row.
    unsafe {
        if x.col_stride() == 1 {
            load_up_to::<S, T>(s, x.ptr(), n)
        } else {
            gather_lanes::<S, T>(s, x.ptr(), n, x.col_stride())
        }
    }
}
