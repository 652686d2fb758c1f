//! The symmetric matrix-vector product: each element of the stored triangle is read once, for the sum of its row and
//! for that of its column.

use super::Triangle;
use super::gemm::tune::MOST_LANES;
use super::gemv::{group, merge};
use crate::alu::Alu;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::MatRef;

/// `y += αAx` for a triangle whose rows' elements follow each other.
#[inline(never)]
pub(super) fn run<S: Simd, T: Element>(
    s: S,
    alpha: T,
    triangle: Triangle,
    a: MatRef<'_, T>,
    x: &[T],
    y: &mut [T],
) {
    // As many rows at once as there are registers and lanes for.
    let most = if S::ISA.registers() >= 32 { 8 } else { 4 };
    let most = if group(T::Vec::<S>::LANES) < most { group(T::Vec::<S>::LANES) } else { most };
    s.vectorize(
        #[inline(always)]
        || {
            let n = a.rows().min(a.adjacent()).min(x.len()).min(y.len());
            let mut i = 0;
            while i < n {
                // SAFETY: the rows from `i` and the columns lie in A, and as many elements in `x` and `y`.
                i += unsafe {
                    if most >= 8 && n - i >= 8 {
                        both::<S, T, 8>(s, alpha, triangle, a, x, y, [i, n])
                    } else if most >= 4 && n - i >= 4 {
                        both::<S, T, 4>(s, alpha, triangle, a, x, y, [i, n])
                    } else if most >= 2 && n - i >= 2 {
                        both::<S, T, 2>(s, alpha, triangle, a, x, y, [i, n])
                    } else {
                        both::<S, T, 1>(s, alpha, triangle, a, x, y, [i, n])
                    }
                };
            }
        },
    );
}

/// `R` rows of `n` from `i` on, in the columns of the triangle; `R ≤ LANES`. Gives `R`.
/// # Safety
/// A is `n` by `n` with a column stride of 1 and has these rows; `x` and `y` have `n` elements.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r < R")]
#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn both<S: Simd, T: Element, const R: usize>(
    s: S,
    alpha: T,
    triangle: Triangle,
    a: MatRef<'_, T>,
    x: &[T],
    y: &mut [T],
    [i, n]: [usize; 2],
) -> usize {
    let lanes = T::Vec::<S>::LANES;
    let lower = triangle == Triangle::Lower;
    let [start, end] = if lower { [0, i] } else { [i + R, n] };
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
            let v = load_up_to::<S, T>(s, px.add(j), n);
            let mut w = load_up_to::<S, T>(s, py.add(j), n);
            let mut r = 0;
            while r < R {
                let a = load_up_to::<S, T>(s, row[r].add(j), n);
                acc[r][0] = a.mul_add(v, acc[r][0]);
                w = a.mul_add(by[r], w);
                r += 1;
            }
            store_up_to(w, py.add(j), n);
        }
        // The square on the diagonal: the diagonal belongs to the row's sum alone. What an upper triangle does not
        // have is read with its rows, and dropped.
        let index = T::Vec::<S>::load(s, numbers().as_ptr());
        let v = load_up_to::<S, T>(s, px.add(i), R);
        let to = py.add(i);
        let mut w = load_up_to::<S, T>(s, to, R);
        let mut r = 0;
        while r < R {
            let a = load_up_to::<S, T>(s, row[r].add(i), if lower { r + 1 } else { R });
            let here = index.lit(T::from_f64(r as f64));
            let (mine, others) =
                if lower { (index.le(here), index.lt(here)) } else { (here.le(index), here.lt(index)) };
            acc[r][0] = T::Vec::<S>::select(mine, a.mul_add(v, acc[r][0]), acc[r][0]);
            w = T::Vec::<S>::select(others, a.mul_add(by[r], w), w);
            r += 1;
        }
        let sums = merge::<S, T, R, 1>(s, acc);
        store_up_to(sums.mul_add(T::Vec::<S>::splat(s, alpha), w), to, R);
    }
    R
}

/// The numbers of lanes.
#[inline(always)]
pub(super) fn numbers<T: Element>() -> [T; MOST_LANES] {
    core::array::from_fn(|i| T::from_f64(i as f64))
}
