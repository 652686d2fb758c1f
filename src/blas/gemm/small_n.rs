//! The matrix product with few columns of C: the bandwidth of A limits it, and the columns are too few to fill the
//! lanes of a register tile.
//!
//! Here a lane has a row: squares of A are transposed in registers, and each element of B multiplies whole vectors of
//! columns of A. The order of each sum is that of the register tile.

use super::Problem;
use super::epilogue::Epilogue;
use super::pack::transpose;
use super::strided::{gather_lanes, scatter_lanes};
use super::tune;
use crate::alu::Alu;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::MatMut;

/// Rows of A, as many as there are lanes, and all columns of B.
struct Square<T> {
    k: usize,
    rows: usize,
    a: *const T,
    a_row: isize,
    b: *const T,
    b_row: isize,
    b_col: isize,
}

/// `C = βC + αAB` for a C of few columns and A of unit column stride, then the epilogue.
#[inline(always)]
#[allow(
    clippy::collapsible_match,
    reason = "a constant condition keeps the other kernels from being compiled"
)]
pub(super) fn run<S: Simd, T: Element, E: Epilogue<T>>(s: S, e: E, p: Problem<'_, T>, depth: usize) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let (k, lanes) = (a.cols().min(b.rows()), T::Vec::<S>::LANES);
    let mut pc = 0;
    while pc < k {
        let kb = depth.min(k - pc);
        let scale = ([alpha, if pc == 0 { beta } else { T::ONE }], pc + kb == k);
        let b = b.block([pc, 0], [kb, usize::MAX]);
        let mut i = 0;
        while i < c.rows() {
            let a = a.block([i, pc], [lanes, kb]);
            let c = c.reborrow().block([i, 0], [lanes, usize::MAX]);
            let t = Square {
                k: kb,
                rows: a.rows().min(c.rows()),
                a: a.ptr(),
                a_row: a.row_stride(),
                b: b.ptr(),
                b_row: b.row_stride(),
                b_col: b.col_stride(),
            };
            macro_rules! columns {
                ($($N:literal)*) => {
                    match c.cols().min(b.cols()) {
                        $($N => if const { $N <= tune::small_n(S::ISA) } {
                            // SAFETY: A's block has `rows` of `k`, B's `k` of `N`, C's `rows` of `N`.
                            unsafe { columns::<S, T, E, $N>(s, e, scale, &t, c, i) }
                        },)*
                        _ => {}
                    }
                };
            }
            columns!(1 2 3 4);
            i += lanes;
        }
        pc += kb;
    }
}

/// `N` columns of C, compiled for the instruction set.
/// # Safety
/// The pointers are valid for the shapes that [`Square`] gives; C has `rows` rows and `N` columns.
#[inline(never)]
unsafe fn columns<S: Simd, T: Element, E: Epilogue<T>, const N: usize>(
    s: S,
    e: E,
    scale: ([T; 2], bool),
    t: &Square<T>,
    c: MatMut<'_, T>,
    row: usize,
) {
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise; the constant is the number of lanes.
            unsafe {
                let acc = if const { T::Vec::<S>::LANES == 16 } {
                    sums::<S, T, N, 16>(s, t)
                } else {
                    sums::<S, T, N, 8>(s, t)
                };
                finish(s, e.transposed(), scale, acc, c, t.rows, row);
            }
        },
    );
}

/// `Σ_p a[i][p]·b[p][j]` in the order of `p`; lane `i` of vector `j`.
/// # Safety
/// As [`columns`]; `L` is the number of lanes.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "q < L, j < N")]
unsafe fn sums<S: Simd, T: Element, const N: usize, const L: usize>(s: S, t: &Square<T>) -> [T::Vec<S>; N] {
    let mut acc = [T::Vec::<S>::splat(s, T::ZERO); N];
    // SAFETY: rows beyond the last are the last; columns end with `k`.
    unsafe {
        let at = |i: usize, p: usize| t.a.offset(i.min(t.rows - 1) as isize * t.a_row).add(p);
        let b = |p: usize, j: usize| t.b.offset(p as isize * t.b_row + j as isize * t.b_col).read();
        let mut p = 0;
        while t.k - p >= L {
            let mut x = [T::Vec::<S>::splat(s, T::ZERO); L];
            for (i, x) in x.iter_mut().enumerate() {
                let row = at(i, p);
                *x = T::Vec::<S>::load(s, row);
                // The rows are far apart; the next line of each is needed in the next step but one.
                T::Vec::<S>::prefetch(s, row.wrapping_add(tune::ALONG));
            }
            transpose::<S, T, L>(s, &mut x);
            for (q, x) in x.into_iter().enumerate() {
                let mut j = 0;
                while j < N {
                    acc[j] = x.mul_add(T::Vec::<S>::splat(s, b(p + q, j)), acc[j]);
                    j += 1;
                }
            }
            p += L;
        }
        if p < t.k {
            let mut x = [T::Vec::<S>::splat(s, T::ZERO); L];
            for (i, x) in x.iter_mut().enumerate() {
                *x = T::Vec::<S>::load_first(s, at(i, p), t.k - p, T::ZERO);
            }
            transpose::<S, T, L>(s, &mut x);
            for (q, x) in x.into_iter().enumerate().take(t.k - p) {
                let mut j = 0;
                while j < N {
                    acc[j] = x.mul_add(T::Vec::<S>::splat(s, b(p + q, j)), acc[j]);
                    j += 1;
                }
            }
        }
    }
    acc
}

/// `C = βC + α·acc`, then the epilogue, which sees the transposed product.
/// # Safety
/// C is valid for reads and writes of `rows` rows and `N` columns.
#[inline(always)]
unsafe fn finish<S: Simd, T: Element, E: Epilogue<T>, const N: usize>(
    s: S,
    e: E,
    ([alpha, beta], last): ([T; 2], bool),
    acc: [T::Vec<S>; N],
    c: MatMut<'_, T>,
    rows: usize,
    row: usize,
) {
    let (alpha, old) = (T::Vec::<S>::splat(s, alpha), T::Vec::<S>::splat(s, beta));
    for (j, acc) in acc.into_iter().enumerate() {
        let mut y = alpha * acc;
        // SAFETY: column `j` of the caller's C.
        unsafe {
            let c_j = c.ptr().offset(j as isize * c.col_stride());
            if beta != T::ZERO {
                y = old.mul_add(gather_lanes::<S, T>(s, c_j, rows, c.row_stride()), y);
            }
            if !E::NONE && last {
                y = e.apply(s, y, [j, row], rows);
            }
            scatter_lanes::<S, T>(y, c_j, rows, c.row_stride());
        }
    }
}
