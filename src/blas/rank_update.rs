//! The kernel of rank-1 and rank-2 updates of a row-major matrix: several rows at once share the loads of the vectors.

use super::Triangle;
use crate::alu::Alu;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::MatMut;

/// Rows that pass together.
pub(crate) const ROWS: usize = 4;

/// One pair of vectors after the other: `αx[i]·y` is added to row `i`, in the columns of the triangle if there is
/// one. A has unit column stride.
#[inline(never)]
pub(super) fn run<S: Simd, T: Element, const K: usize>(
    s: S,
    alpha: T,
    pairs: [[&[T]; 2]; K],
    a: MatMut<'_, T>,
    triangle: Option<Triangle>,
) {
    let (m, n) =
        pairs.iter().fold((a.rows(), a.adjacent()), |(m, n), [x, y]| (m.min(x.len()), n.min(y.len())));
    let t = Update {
        alpha,
        pairs: pairs.map(|p| p.map(<[T]>::as_ptr)),
        a: a.ptr(),
        row: a.row_stride(),
        n,
        triangle,
    };
    s.vectorize(
        #[inline(always)]
        || {
            let mut i = 0;
            while i < m {
                // SAFETY: these rows of `n` elements lie in A, the vectors are as long.
                i += unsafe { if m - i >= ROWS { t.rows::<S, ROWS>(s, i) } else { t.rows::<S, 1>(s, i) } };
            }
        },
    );
}

/// What all rows share.
struct Update<T, const K: usize> {
    alpha: T,
    pairs: [[*const T; 2]; K],
    a: *mut T,
    row: isize,
    n: usize,
    triangle: Option<Triangle>,
}

impl<T: Element, const K: usize> Update<T, K> {
    /// `R` rows from `i` on. Gives `R`.
    /// # Safety
    /// A has these rows, each of `n` elements, and the vectors have as many.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "r < R, q < K")]
    unsafe fn rows<S: Simd, const R: usize>(&self, s: S, i: usize) -> usize {
        let lanes = T::Vec::<S>::LANES;
        let columns = |i| self.triangle.map_or([0, self.n], |t| t.columns(i, self.n));
        // Columns that all of them have, and the last that one has.
        let ([_, end], [start, last]) = (columns(i), columns(i + R - 1));
        let row: [*mut T; R] = core::array::from_fn(|r| self.a.wrapping_offset((i + r) as isize * self.row));
        let mut by = [[T::Vec::<S>::splat(s, T::ZERO); K]; R];
        // SAFETY: the caller's promise.
        unsafe {
            let mut r = 0;
            while r < R {
                let mut q = 0;
                while q < K {
                    by[r][q] = T::Vec::<S>::splat(s, self.alpha * self.pairs[q][0].add(i + r).read());
                    q += 1;
                }
                r += 1;
            }
            if self.triangle == Some(Triangle::Upper) {
                // Row `r` begins where the one above ends.
                let mut r = 0;
                while r + 1 < R {
                    self.part(s, row[r], &by[r], [i + r, start]);
                    r += 1;
                }
            }
            let mut j = start;
            while j + lanes <= end {
                // All are read before one is written: rows may lie a multiple of a page apart.
                let y = self.vectors(s, j, lanes);
                let sums: [T::Vec<S>; R] = crate::lanes::from_fn(
                    #[inline(always)]
                    |r| self.sum(s, row[r].add(j), &by[r], &y, lanes),
                );
                let mut r = 0;
                while r < R {
                    sums[r].store(row[r].add(j));
                    r += 1;
                }
                j += lanes;
            }
            if last - j <= lanes {
                let y = self.vectors(s, j, last - j);
                let mut r = 0;
                while r < R {
                    self.add(s, row[r].add(j), &by[r], &y, columns(i + r)[1] - j);
                    r += 1;
                }
            } else {
                let mut r = 0;
                while r < R {
                    self.part(s, row[r], &by[r], [j, columns(i + r)[1]]);
                    r += 1;
                }
            }
        }
        R
    }

    /// Some columns of a row.
    /// # Safety
    /// The row and the vectors have them.
    #[inline(always)]
    unsafe fn part<S: Simd>(&self, s: S, row: *mut T, by: &[T::Vec<S>; K], [mut j, end]: [usize; 2]) {
        while j < end {
            let n = T::Vec::<S>::LANES.min(end - j);
            // SAFETY: `n` elements from `j` on.
            unsafe { self.add(s, row.add(j), by, &self.vectors(s, j, n), n) };
            j += n;
        }
    }

    /// `n ≤ LANES` elements of each vector from `j` on.
    /// # Safety
    /// They have them.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "q < K")]
    unsafe fn vectors<S: Simd>(&self, s: S, j: usize, n: usize) -> [T::Vec<S>; K] {
        crate::lanes::from_fn(
            #[inline(always)]
            // SAFETY: the caller's promise.
            |q| unsafe { load_up_to::<S, T>(s, self.pairs[q][1].add(j), n) },
        )
    }

    /// [`Self::sum`] in its place.
    /// # Safety
    /// The elements are valid for reads and writes.
    #[inline(always)]
    unsafe fn add<S: Simd>(&self, s: S, to: *mut T, by: &[T::Vec<S>; K], y: &[T::Vec<S>; K], n: usize) {
        // SAFETY: the caller's promise.
        unsafe { store_up_to(self.sum(s, to, by, y, n), to, n) }
    }

    /// `n ≤ LANES` elements and the pairs' products, one added after the other.
    /// # Safety
    /// The elements are valid for reads.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "q < K")]
    unsafe fn sum<S: Simd>(
        &self,
        s: S,
        from: *const T,
        by: &[T::Vec<S>; K],
        y: &[T::Vec<S>; K],
        n: usize,
    ) -> T::Vec<S> {
        // SAFETY: the caller's promise.
        let mut sum = unsafe { load_up_to::<S, T>(s, from, n) };
        let mut q = 0;
        while q < K {
            sum = y[q].mul_add(by[q], sum);
            q += 1;
        }
        sum
    }
}
