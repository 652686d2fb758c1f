//! The matrix product with few rows of C: the bandwidth of B limits it, so B is streamed once, row by row, without
//! packing.
//!
//! Register tiles would read B in column strips, which touches a new page at each step. Here a group of whole rows of B
//! is read, and the partial sums stay in the workspace between groups, with the same order of additions.

use super::Problem;
use super::epilogue::Epilogue;
use super::strided::{gather_lanes, scatter_lanes};
use super::tune;
use crate::alu::Alu;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};

/// Rows of B that pass together.
pub(crate) const GROUP: usize = 8;

/// Sums of `R` rows, `n` columns, in a group of at most [`GROUP`] steps.
struct Sums<T> {
    steps: usize,
    n: usize,
    a: *const T,
    a_row: isize,
    a_col: isize,
    b: *const T,
    b_row: isize,
    sums: *mut T,
    /// Whether nothing is in `sums` yet.
    first: bool,
}

/// `C = βC + αAB` for at most `rows(isa)` rows and B of unit column stride, then the epilogue.
#[inline(always)]
#[allow(
    clippy::collapsible_match,
    reason = "a constant condition keeps the other groups from being compiled"
)]
pub(super) fn run<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    p: Problem<'_, T>,
    depth: usize,
    chunk: usize,
    scratch: &mut [T],
) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let (m, k) = (c.rows(), a.cols().min(b.rows()));
    let mut jc = 0;
    while jc < c.cols() {
        let mut pc = 0;
        while pc < k {
            let kb = depth.min(k - pc);
            let part = c.reborrow().block([0, jc], [m, chunk]);
            let n = part.cols();
            let Some(sums) = scratch.get_mut(..m * n) else { return };
            let mut q = 0;
            while q < kb {
                let a = a.block([0, pc + q], [m, GROUP.min(kb - q)]);
                let b = b.block([pc + q, jc], [a.cols(), n]);
                let t = Sums {
                    steps: a.cols(),
                    n: b.cols(),
                    a: a.ptr(),
                    a_row: a.row_stride(),
                    a_col: a.col_stride(),
                    b: b.ptr(),
                    b_row: b.row_stride(),
                    sums: sums.as_mut_ptr(),
                    first: q == 0,
                };
                macro_rules! rows {
                    ($($R:literal)*) => {
                        match m {
                            $($R => if const { $R <= tune::rows(S::ISA) } {
                                // SAFETY: A's block has `R` rows of `steps`, B's `steps` rows of `n`, and
                                // `sums` `R` rows of `n`.
                                unsafe { group::<S, T, $R>(s, &t) }
                            },)*
                            _ => {}
                        }
                    };
                }
                rows!(1 2 3 4 5 6 7 8);
                q += GROUP;
            }
            let beta = if pc == 0 { beta } else { T::ONE };
            let last = pc + kb == k;
            // SAFETY: `sums` holds the part's shape.
            unsafe { finish(s, e, [alpha, beta], last, sums.as_ptr(), part, jc) };
            pc += kb;
        }
        jc += chunk;
    }
}

/// Adds a group's products to the sums.
/// # Safety
/// The pointers are valid for the shapes that [`Sums`] gives, `sums` for writes.
#[inline(never)]
unsafe fn group<S: Simd, T: Element, const R: usize>(s: S, t: &Sums<T>) {
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            unsafe {
                if t.steps == GROUP { pass::<S, T, R, true>(s, t) } else { pass::<S, T, R, false>(s, t) }
            }
        },
    );
}

/// # Safety
/// As [`group`]; `WHOLE` if there are [`GROUP`] steps.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, q < GROUP")]
unsafe fn pass<S: Simd, T: Element, const R: usize, const WHOLE: bool>(s: S, t: &Sums<T>) {
    let lanes = T::Vec::<S>::LANES;
    let mut a = [[T::Vec::<S>::splat(s, T::ZERO); GROUP]; R];
    let steps = if WHOLE { GROUP } else { t.steps.min(GROUP) };
    let mut i = 0;
    while i < R {
        let mut q = 0;
        while q < steps {
            // SAFETY: an element of A.
            let x = unsafe { t.a.offset(i as isize * t.a_row + q as isize * t.a_col).read() };
            a[i][q] = T::Vec::<S>::splat(s, x);
            q += 1;
        }
        i += 1;
    }
    let mut j = 0;
    // SAFETY: whole vectors of columns from `j`, then what is left.
    unsafe {
        while t.n - j >= 2 * lanes {
            strip::<S, T, R, 2>(s, t, &a, steps, j, lanes);
            j += 2 * lanes;
        }
        while j < t.n {
            let left = lanes.min(t.n - j);
            strip::<S, T, R, 1>(s, t, &a, steps, j, left);
            j += left;
        }
    }
}

/// `N` vectors of columns from column `j`; `n` columns in the last.
/// # Safety
/// As [`group`], and the columns are there.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, q < GROUP, v < N")]
unsafe fn strip<S: Simd, T: Element, const R: usize, const N: usize>(
    s: S,
    t: &Sums<T>,
    a: &[[T::Vec<S>; GROUP]; R],
    steps: usize,
    j: usize,
    n: usize,
) {
    let lanes = T::Vec::<S>::LANES;
    let mut acc = [[T::Vec::<S>::splat(s, T::ZERO); N]; R];
    // SAFETY: the caller's promise.
    unsafe {
        if !t.first {
            let mut i = 0;
            while i < R {
                let mut v = 0;
                while v < N {
                    acc[i][v] = load::<S, T, N>(s, t.sums.add(i * t.n + j), v, n);
                    v += 1;
                }
                i += 1;
            }
        }
        let mut q = 0;
        while q < steps {
            let mut v = 0;
            while v < N {
                let b = load::<S, T, N>(s, t.b.offset(q as isize * t.b_row).add(j), v, n);
                let mut i = 0;
                while i < R {
                    acc[i][v] = a[i][q].mul_add(b, acc[i][v]);
                    i += 1;
                }
                v += 1;
            }
            q += 1;
        }
        let mut i = 0;
        while i < R {
            let mut v = 0;
            while v < N {
                let p = t.sums.add(i * t.n + j);
                store_up_to(acc[i][v], p.add(v * lanes), if N == 1 { n } else { lanes });
                v += 1;
            }
            i += 1;
        }
    }
}

/// Vector `v` of `N`; a single one may have only `n` columns.
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn load<S: Simd, T: Element, const N: usize>(s: S, p: *const T, v: usize, n: usize) -> T::Vec<S> {
    let lanes = T::Vec::<S>::LANES;
    // SAFETY: the caller's promise.
    unsafe { load_up_to::<S, T>(s, p.add(v * lanes), if N == 1 { n } else { lanes }) }
}

/// `C = βC + α·sums`, then the epilogue.
/// # Safety
/// `sums` is valid for reads of C's shape, row after row.
#[inline(never)]
unsafe fn finish<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    [alpha, beta]: [T; 2],
    last: bool,
    sums: *const T,
    c: crate::view::MatMut<'_, T>,
    col: usize,
) {
    let lanes = T::Vec::<S>::LANES;
    let (rows, cols, step) = (c.rows(), c.cols(), c.col_stride());
    s.vectorize(
        #[inline(always)]
        || {
            let (va, vb) = (T::Vec::<S>::splat(s, alpha), T::Vec::<S>::splat(s, beta));
            for i in 0..rows {
                let mut j = 0;
                while j < cols {
                    let n = lanes.min(cols - j);
                    // SAFETY: `n` columns of row `i` from `j`, of both.
                    unsafe {
                        let from = sums.add(i * cols + j);
                        let to = c.ptr().offset(i as isize * c.row_stride() + j as isize * step);
                        let whole = n == lanes && step == 1;
                        let mut y = va * load_up_to::<S, T>(s, from, n);
                        if beta != T::ZERO {
                            let old = if whole {
                                T::Vec::<S>::load(s, to)
                            } else {
                                gather_lanes::<S, T>(s, to, n, step)
                            };
                            y = vb.mul_add(old, y);
                        }
                        if !E::NONE && last {
                            y = e.apply(s, y, [i, col + j], n);
                        }
                        if whole {
                            y.store(to);
                        } else {
                            scatter_lanes::<S, T>(y, to, n, step);
                        }
                    }
                    j += n;
                }
            }
        },
    );
}
