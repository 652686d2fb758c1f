//! The product of a symmetric matrix and a vector, each element of the triangle met once: it adds to the row's sum
//! and to the column's at the same time.

use super::gemv::{first, group, merge, put};
use super::level2::{BASE, dense};
use super::{Triangle, gemv};
use crate::alu::Alu;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Isa, Simd};
use crate::view::{MatRef, VecMut, VecRef};

/// `y += αAx` for a triangle whose rows' elements follow each other.
pub(super) fn run<S: Simd, T: Element>(
    s: S,
    alpha: T,
    triangle: Triangle,
    a: MatRef<'_, T>,
    x: &[T],
    y: &mut [T],
) {
    s.vectorize(
        #[inline(always)]
        || {
            let n = a.rows().min(x.len()).min(y.len());
            let mut i = 0;
            while i < n {
                let rows = BASE.min(n - i);
                let [start, end] = match triangle {
                    Triangle::Lower => [0, i],
                    Triangle::Upper => [i + rows, n],
                };
                strip(s, alpha, a, x, y, [i, rows], [start, end]);
                i += rows;
            }
        },
    );
    // The squares on the diagonal.
    let lower = if triangle == Triangle::Upper { a.t() } else { a };
    let mut i = 0;
    while i < y.len() {
        let n = BASE.min(y.len() - i);
        let mut whole = [T::ZERO; BASE * BASE];
        let square = dense(&mut whole, lower.block([i, i], [n, n]), true, |x| x);
        let (x, y) = (x.get(i..i + n).unwrap_or_default(), y.get_mut(i..i + n).unwrap_or_default());
        gemv::run(s, alpha, square, VecRef::from(x), T::ONE, VecMut::from(y));
        i += n;
    }
}

/// `rows` rows from `i` on, in so many at once as there are registers for.
#[inline(always)]
fn strip<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: &[T],
    y: &mut [T],
    [mut i, mut rows]: [usize; 2],
    cols: [usize; 2],
) {
    let most = if matches!(S::ISA, Isa::Avx512 | Isa::Neon) { 8 } else { 4 };
    let most = if group(T::Vec::<S>::LANES) < most { group(T::Vec::<S>::LANES) } else { most };
    while rows > 0 {
        // SAFETY: `n` rows from `i` and the columns lie in A, and as many elements in `x` and `y`.
        let n = unsafe {
            if most >= 8 && rows >= 8 {
                both::<S, T, 8>(s, alpha, a, x, y, i, cols)
            } else if most >= 4 && rows >= 4 {
                both::<S, T, 4>(s, alpha, a, x, y, i, cols)
            } else if most >= 2 && rows >= 2 {
                both::<S, T, 2>(s, alpha, a, x, y, i, cols)
            } else {
                both::<S, T, 1>(s, alpha, a, x, y, i, cols)
            }
        };
        (i, rows) = (i + n, rows - n);
    }
}

/// `R` rows from `i` on, in the columns from `start` to `end`; `R ≤ LANES`. Gives `R`.
/// # Safety
/// Rows and columns lie in A, whose column stride is 1; `x` and `y` have that many elements.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r < R")]
unsafe fn both<S: Simd, T: Element, const R: usize>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: &[T],
    y: &mut [T],
    i: usize,
    [start, end]: [usize; 2],
) -> usize {
    let lanes = T::Vec::<S>::LANES;
    let (px, py) = (x.as_ptr(), y.as_mut_ptr());
    let row: [*const T; R] =
        core::array::from_fn(|r| a.ptr().wrapping_offset((i + r) as isize * a.row_stride()));
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let (mut acc, mut by) = ([[zero; 1]; R], [zero; R]);
    // SAFETY: the caller's promise.
    unsafe {
        for (r, by) in by.iter_mut().enumerate() {
            *by = T::Vec::<S>::splat(s, alpha * px.add(i + r).read());
        }
        let mut j = start;
        while end - j >= lanes {
            let (v, mut w) = (T::Vec::<S>::load(s, px.add(j)), T::Vec::<S>::load(s, py.add(j)));
            let mut r = 0;
            while r < R {
                let a = T::Vec::<S>::load(s, row[r].add(j));
                acc[r][0] = a.mul_add(v, acc[r][0]);
                w = a.mul_add(by[r], w);
                r += 1;
            }
            w.store(py.add(j));
            j += lanes;
        }
        if j < end {
            let n = end - j;
            let v = first::<S, T, true>(s, px.add(j), n, 1);
            let mut w = first::<S, T, true>(s, py.add(j), n, 1);
            let mut r = 0;
            while r < R {
                let a = first::<S, T, true>(s, row[r].add(j), n, 1);
                acc[r][0] = a.mul_add(v, acc[r][0]);
                w = a.mul_add(by[r], w);
                r += 1;
            }
            put(w, py.add(j), n);
        }
        let sums = merge::<S, T, R, 1>(s, acc);
        let to = py.add(i);
        let new = sums.mul_add(T::Vec::<S>::splat(s, alpha), first::<S, T, true>(s, to, R, 1));
        put(new, to, R);
    }
    R
}
