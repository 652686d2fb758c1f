//! The matrix-vector product `y = αAx + βy`. Its time is that of reading A, which is read once.
//!
//! A row-major A is read several rows at once, with lanes along the row; their sums are merged by exchanges of lanes,
//! so that one register has one sum per row. `gemv_columns` has the kernel of a column-major A.

use crate::alu::Alu;
use crate::blas::elementwise::{read, scale};
use crate::blas::gemm::{check_elements, gather_lanes, scatter_lanes, tune};
use crate::blas::gemv_columns::by_columns;
use crate::contract::contract;
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::executor::Executor;
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use crate::view::{MatRef, VecMut, VecRef};

ops! { $ gemv_ops in crate::blas::gemv;
    /// `y = αAx + βy`.
    ///
    /// Shapes: A is `m` by `n` with any strides ([`MatRef`]), `x` has `n` elements, `y` has `m`, with any stride; a
    /// transposed A is `a.t()`. Each element of `y` is a sum of `n` products and one of `βy`, whose order depends on
    /// `n`, on which of A's strides is 1, and on the instruction set; never on the strides of the vectors or on the
    /// number of threads. The error is within `γ_(n + 4)·(|α||A||x| + |β||y|)`.
    ///
    /// NaN and ±0: `β = 0` writes `y` without reading it; `α = 0` (or `n = 0`) reads neither A nor `x`. Otherwise
    /// NaN and infinities spread by IEEE 754, also through `0·∞`.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`. Nothing is written then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatRef, gemv};
    /// let a = [1.0f32, 2.0, 3.0, 4.0];
    /// let a = MatRef::row_major(&a, 2, 2)?;
    /// let mut y = [100.0f32, 200.0];
    /// gemv(1.0, a, (&[1.0f32, 10.0][..]).into(), 1.0, (&mut y[..]).into())?;
    /// assert_eq!(y, [121.0, 243.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Dongarra et al., "An Extended Set of FORTRAN Basic Linear Algebra Subprograms" (1988); the bound:
    /// N. Higham, "Accuracy and Stability of Numerical Algorithms", §3.5. Contract: `contracts/gemv-v1.yaml`.
    #[doc(alias = "matvec")]
    #[doc(alias = "mv")]
    threads gemv, gemv_on, gemv_by (alpha: by T, a: mat T, x: vec T, beta: by T, y: vec_inout T) -> Result<()>;
}

/// [`gemv_on`], the parts run by `j`.
#[inline(always)]
pub(crate) fn gemv_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    mut y: VecMut<'_, T>,
) -> Result<(), Error> {
    same_len("x", a.cols(), x.len())?;
    same_len("y", a.rows(), y.len())?;
    let parts = if J::SERIAL { 1 } else { (a.rows().saturating_mul(a.cols()) / GRAIN).clamp(1, j.threads()) };
    divide(j, s, alpha, a, x, beta, y.reborrow(), parts);
    contract!(gemv, Ok(()), each | check | check_elements(alpha, a, x.as_col(), y.as_ref().as_col(), check))
}

/// Elements of A that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 17;

/// Parts of `y` on different threads, in whole vectors.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
fn divide<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    y: VecMut<'_, T>,
    parts: usize,
) {
    let cut = (y.len() / parts.max(1) * (parts / 2)).next_multiple_of(tune::MOST_LANES);
    if parts <= 1 || cut >= y.len() {
        return run(s, alpha, a, x, beta, y);
    }
    let (rows, all) = (a.rows() - cut, usize::MAX);
    let Ok((y0, y1)) = y.split_at(cut) else { return };
    j.join(
        usize::MAX,
        || divide(j, s, alpha, a.block([0, 0], [cut, all]), x, beta, y0, parts / 2),
        || divide(j, s, alpha, a.block([cut, 0], [rows, all]), x, beta, y1, parts - parts / 2),
    );
}

/// `y = αAx + βy` for lengths that agree.
#[inline(always)]
pub(super) fn run<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    y: VecMut<'_, T>,
) {
    if a.rows() == 0 {
        return;
    }
    if alpha == T::ZERO || a.cols() == 0 {
        return scale(s, beta, y);
    }
    if a.col_stride() == 1 || a.cols() == 1 {
        by_rows::<S, T, true>(s, alpha, a, x, beta, y);
    } else if a.row_stride() == 1 {
        by_columns(s, alpha, a, x, beta, y);
    } else {
        by_rows::<S, T, false>(s, alpha, a, x, beta, y);
    }
}

/// Elements of `x` that wait in an array when they don't follow each other, and so of one pass over a row.
pub(crate) const PASS: usize = 1024;
/// The same where a stack is small.
pub(crate) const SMALL_PASS: usize = 128;

/// Rows that pass together: their sums fill a register of so many lanes, up to 8.
pub(super) const fn group(lanes: usize) -> usize {
    if lanes < 8 { lanes } else { 8 }
}

/// Passes over so many columns each.
const fn pass(lanes: usize) -> usize {
    if lanes == 1 { SMALL_PASS } else { PASS }
}

fn by_rows<S: Simd, T: Element, const UNIT: bool>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    mut y: VecMut<'_, T>,
) {
    let n = const { pass(T::Vec::<S>::LANES) };
    let mut p = 0;
    while p < a.cols() {
        let x = x.part(p, n);
        let (beta, a) = (if p == 0 { beta } else { T::ONE }, a.block([0, p], [y.len(), x.len()]));
        match x.as_slice() {
            Some(x) => one_pass::<S, T, UNIT>(s, Pass { alpha, beta, a, x }, y.reborrow()),
            None if n == PASS => copied::<S, T, UNIT, PASS>(s, [alpha, beta], a, x, y.reborrow()),
            None => copied::<S, T, UNIT, SMALL_PASS>(s, [alpha, beta], a, x, y.reborrow()),
        }
        p += n;
    }
}

/// The array costs as much as a small product: it is made only where it is needed.
#[inline(never)]
fn copied<S: Simd, T: Element, const UNIT: bool, const N: usize>(
    s: S,
    [alpha, beta]: [T; 2],
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    y: VecMut<'_, T>,
) {
    let mut copy = [T::ZERO; N];
    let copy = copy.get_mut(..x.len()).unwrap_or_default();
    read(x, copy);
    one_pass::<S, T, UNIT>(s, Pass { alpha, beta, a, x: copy }, y);
}

/// `y += αAx` for an A of unit column stride, within code that is compiled for the instruction set.
#[inline(always)]
pub(super) fn add<S: Simd, T: Element>(s: S, alpha: T, a: MatRef<'_, T>, x: &[T], y: &mut [T]) {
    if !x.is_empty() {
        grouped::<S, T, true>(s, Pass { alpha, beta: T::ONE, a, x }, VecMut::from(y));
    }
}

#[inline(never)]
fn one_pass<S: Simd, T: Element, const UNIT: bool>(s: S, part: Pass<'_, T>, y: VecMut<'_, T>) {
    s.vectorize(
        #[inline(always)]
        || grouped::<S, T, UNIT>(s, part, y),
    );
}

/// So many rows at a time as their sums fill a register.
#[inline(always)]
fn grouped<S: Simd, T: Element, const UNIT: bool>(s: S, part: Pass<'_, T>, y: VecMut<'_, T>) {
    match const { group(T::Vec::<S>::LANES) } {
        8 => rows::<S, T, UNIT, 8, 1>(s, part, y),
        4 => rows::<S, T, UNIT, 4, 2>(s, part, y),
        2 => rows::<S, T, UNIT, 2, 4>(s, part, y),
        _ => rows::<S, T, UNIT, 1, 8>(s, part, y),
    }
}

/// Some columns of A and the elements of `x` that multiply them.
struct Pass<'a, T> {
    alpha: T,
    beta: T,
    a: MatRef<'a, T>,
    x: &'a [T],
}

/// `y = αAx + βy`, `R` rows and `U` sums of each at a time; `R ≤ LANES`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r < R, u < U")]
fn rows<S: Simd, T: Element, const UNIT: bool, const R: usize, const U: usize>(
    s: S,
    t: Pass<'_, T>,
    y: VecMut<'_, T>,
) {
    let k = if UNIT { t.a.adjacent() } else { t.a.cols() }.min(t.x.len());
    let m = t.a.rows().min(y.len());
    let (cs, x) = (if UNIT { 1 } else { t.a.col_stride() }, t.x.as_ptr());
    let out = y.as_col();
    let (mut y, step) = (out.ptr(), out.row_stride());
    let mut i = 0;
    while !COMPACT && m - i >= R {
        let mut next = t.a.ptr().wrapping_offset(i as isize * t.a.row_stride());
        let row: [*const T; R] = [(); R].map(
            #[inline(always)]
            |()| {
                let this = next;
                next = next.wrapping_offset(t.a.row_stride());
                this
            },
        );
        // SAFETY: rows of A with `k` elements as `x`, and as many elements of `y`.
        unsafe { some_rows::<S, T, UNIT, R, U>(s, [t.alpha, t.beta], (row, cs), (x, k), (y, step), R) };
        y = y.wrapping_offset(R as isize * step);
        i += R;
    }
    while i < m {
        // The last row again where there are fewer.
        let row: [*const T; R] = core::array::from_fn(|r| {
            t.a.ptr().wrapping_offset((i + r).min(m - 1) as isize * t.a.row_stride())
        });
        let n = R.min(m - i);
        // SAFETY: as above, `n` elements of `y`.
        unsafe { some_rows::<S, T, UNIT, R, U>(s, [t.alpha, t.beta], (row, cs), (x, k), (y, step), n) };
        y = y.wrapping_offset(R as isize * step);
        i += R;
    }
}

/// [`rows`] of one group: `n` elements of `y`.
/// # Safety
/// As [`products`]; `y` is valid for reads and writes of `n ≤ R` elements that are `step` apart.
#[inline(always)]
unsafe fn some_rows<S: Simd, T: Element, const UNIT: bool, const R: usize, const U: usize>(
    s: S,
    [alpha, beta]: [T; 2],
    (row, cs): ([*const T; R], isize),
    (x, k): (*const T, usize),
    (y, step): (*mut T, isize),
    n: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let acc = products::<S, T, UNIT, R, U>(s, row, cs, x, k);
        let sums = merge::<S, T, R, U>(s, acc);
        let mut new = T::Vec::<S>::splat(s, alpha) * sums;
        if beta != T::ZERO {
            let old =
                if step == 1 { load_up_to::<S, T>(s, y, n) } else { gather_lanes::<S, T>(s, y, n, step) };
            new = T::Vec::<S>::splat(s, beta).mul_add(old, new);
        }
        if step == 1 {
            store_up_to(new, y, n);
        } else {
            scatter_lanes::<S, T>(new, y, n, step);
        }
    }
}

/// `U` sums of products for each of `R` rows with `x`.
/// # Safety
/// Each row has `k` elements that are `cs` apart (1 if `UNIT`), and `x` has as many.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r < R, u < U")]
pub(super) unsafe fn products<S: Simd, T: Element, const UNIT: bool, const R: usize, const U: usize>(
    s: S,
    row: [*const T; R],
    cs: isize,
    x: *const T,
    k: usize,
) -> [[T::Vec<S>; U]; R] {
    let lanes = T::Vec::<S>::LANES;
    let mut acc = [[T::Vec::<S>::splat(s, T::ZERO); U]; R];
    let mut p = 0;
    // SAFETY: `p + lanes ≤ k` elements of each row and of `x`, then the `k - p` that are left.
    unsafe {
        let at = |r: usize, p: usize| row[r].offset(p as isize * cs);
        while k - p >= U * lanes {
            let mut u = 0;
            while u < U {
                let v = T::Vec::<S>::load(s, x.add(p + u * lanes));
                let mut r = 0;
                while r < R {
                    let a = if UNIT {
                        T::Vec::<S>::load(s, at(r, p + u * lanes))
                    } else {
                        gather_lanes::<S, T>(s, at(r, p + u * lanes), lanes, cs)
                    };
                    acc[r][u] = a.mul_add(v, acc[r][u]);
                    r += 1;
                }
                u += 1;
            }
            p += U * lanes;
        }
        while p < k {
            let n = lanes.min(k - p);
            let v = load_up_to::<S, T>(s, x.add(p), n);
            let mut r = 0;
            while r < R {
                let a = first::<S, T, UNIT>(s, at(r, p), n, cs);
                acc[r][0] = a.mul_add(v, acc[r][0]);
                r += 1;
            }
            p += n;
        }
    }
    acc
}

/// Eight sums, and what a whole vector is longer.
pub(super) type Eight<T> = [T; 8 + 16];

/// The products of the first eight rows of A, which has unit column stride, with `x`: the same bits as [`add`] to zeros.
/// Zeros if A is not so large.
#[inline(always)]
pub(super) fn eight<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, x: &[T]) -> Eight<T> {
    match const { group(T::Vec::<S>::LANES) } {
        8 => eight_by::<S, T, 8, 1>(s, a, x),
        4 => eight_by::<S, T, 4, 2>(s, a, x),
        2 => eight_by::<S, T, 2, 4>(s, a, x),
        _ => eight_by::<S, T, 1, 8>(s, a, x),
    }
}

#[inline(always)]
fn eight_by<S: Simd, T: Element, const R: usize, const U: usize>(
    s: S,
    a: MatRef<'_, T>,
    x: &[T],
) -> Eight<T> {
    let mut sums = [T::ZERO; 8 + 16];
    if a.rows() < 8 || a.cols() < x.len() || a.col_stride() != 1 || x.is_empty() {
        return sums;
    }
    let to = sums.as_mut_ptr();
    let mut i = 0;
    while i < 8 {
        let row: [*const T; R] =
            core::array::from_fn(|r| a.ptr().wrapping_offset((i + r) as isize * a.row_stride()));
        // SAFETY: A has these rows, each with an element for each of `x`; the array is longer than the last vector.
        unsafe {
            let acc = products::<S, T, true, R, U>(s, row, 1, x.as_ptr(), x.len());
            merge::<S, T, R, U>(s, acc).store(to.add(i));
        }
        i += R;
    }
    sums
}

/// Lane `r` of the result is the sum of the lanes of `acc[r]`, for `r < R`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r + by < R")]
pub(super) fn merge<S: Simd, T: Element, const R: usize, const U: usize>(
    s: S,
    acc: [[T::Vec<S>; U]; R],
) -> T::Vec<S> {
    let mut x: [T::Vec<S>; R] = crate::lanes::from_fn(
        #[inline(always)]
        |r| {
            let mut y = acc[r];
            let mut half = U / 2;
            while half > 0 {
                let mut u = 0;
                while u < half {
                    y[u] = y[u] + y[u + half];
                    u += 1;
                }
                half /= 2;
            }
            y[0]
        },
    );
    if R > 1 {
        fold::<S, T, R, 1>(s, &mut x);
    }
    if R > 2 {
        fold::<S, T, R, 2>(s, &mut x);
    }
    if R > 4 {
        fold::<S, T, R, 4>(s, &mut x);
    }
    // Lanes beyond the rows hold further parts of the same sums.
    let (lanes, mut y) = (T::Vec::<S>::LANES, x[0]);
    if R < 2 && lanes > 1 {
        y = y + y.down::<1>(s);
    }
    if R < 4 && lanes > 2 {
        y = y + y.down::<2>(s);
    }
    if R < 8 && lanes > 4 {
        y = y + y.down::<4>(s);
    }
    if lanes > 8 {
        y = y + y.down::<8>(s);
    }
    y
}

/// Registers `r` and `r + BY` become one: each pair of lanes `BY` apart is added, the sums of the second stand
/// where the lane number has the bit `BY`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r + BY < R")]
fn fold<S: Simd, T: Element, const R: usize, const BY: usize>(s: S, x: &mut [T::Vec<S>; R]) {
    let mut r = 0;
    while r + BY < R {
        let [a, b] = T::Vec::<S>::exchange::<BY>(s, x[r], x[r + BY]);
        x[r] = a + b;
        r += 2 * BY;
    }
}

/// The first `n ≤ LANES` of elements that are `step` apart, 1 if `UNIT`; zeros in the other lanes.
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn first<S: Simd, T: Element, const UNIT: bool>(
    s: S,
    p: *const T,
    n: usize,
    step: isize,
) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe { if UNIT { load_up_to::<S, T>(s, p, n) } else { gather_lanes::<S, T>(s, p, n, step) } }
}
