//! Matrix times vector: A is met once and decides the time.
//!
//! A by rows takes several rows at once, lanes along the row; their sums are merged by exchanges of lanes, so
//! that one register holds one sum per row. A by columns adds several columns at once to a part of `y`.

use crate::alu::Alu;
use crate::blas::gemm::{check_elements, disperse, gather, tune};
use crate::blas::row::{read, scale, write};
use crate::contract::contract;
use crate::error::{Error, same_len};
use crate::lanes::fold::{Join, Serial};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, native};
use crate::view::{MatRef, VecMut, VecRef};

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
#[inline]
pub fn gemv<T: Element>(
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    y: VecMut<'_, T>,
) -> Result<(), Error> {
    gemv_on(native(), alpha, a, x, beta, y)
}

/// [`gemv`] on the instruction set of `s`.
#[inline]
pub fn gemv_on<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    y: VecMut<'_, T>,
) -> Result<(), Error> {
    gemv_by(Serial, s, alpha, a, x, beta, y)
}

/// [`gemv_on`], the parts run by `j`.
#[inline(always)]
pub(crate) fn gemv_by<J: Join, S: Simd, T: Element>(
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
const GRAIN: usize = 1 << 17;

/// Parts of `y` on different threads, in whole vectors.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
fn divide<J: Join, S: Simd, T: Element>(
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
const PASS: usize = 1024;
/// The same where a stack is small.
const SMALL_PASS: usize = 128;

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

/// Some columns of A and the elements of `x` that they meet.
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
    let (m, k) = (t.a.rows().min(y.len()), t.a.cols().min(t.x.len()));
    let (cs, x) = (if UNIT { 1 } else { t.a.col_stride() }, t.x.as_ptr());
    let out = y.as_col();
    let (y, step) = (out.ptr(), out.row_stride());
    let mut i = 0;
    while i < m {
        // SAFETY: row `i + r` of A, the last one again where there are fewer.
        let row: [*const T; R] = core::array::from_fn(|r| {
            t.a.ptr().wrapping_offset((i + r).min(m - 1) as isize * t.a.row_stride())
        });
        // SAFETY: `k` elements of each row and of `x`; the `n` of `y` from `i` on.
        unsafe {
            let acc = products::<S, T, UNIT, R, U>(s, row, cs, x, k);
            let sums = merge::<S, T, R, U>(s, acc);
            let n = R.min(m - i);
            let to = y.offset(i as isize * step);
            let mut new = T::Vec::<S>::splat(s, t.alpha) * sums;
            if t.beta != T::ZERO {
                let old =
                    if step == 1 { first::<S, T, true>(s, to, n, 1) } else { gather::<S, T>(s, to, n, step) };
                new = T::Vec::<S>::splat(s, t.beta).mul_add(old, new);
            }
            if step == 1 {
                put(new, to, n);
            } else {
                disperse::<S, T>(new, to, n, step);
            }
        }
        i += R;
    }
}

/// `U` sums of products for each of `R` rows with `x`.
/// # Safety
/// Each row has `k` elements that are `cs` apart (1 if `UNIT`), and `x` has as many.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r < R, u < U")]
unsafe fn products<S: Simd, T: Element, const UNIT: bool, const R: usize, const U: usize>(
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
                        gather::<S, T>(s, at(r, p + u * lanes), lanes, cs)
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
            let v = first::<S, T, true>(s, x.add(p), n, 1);
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
pub(super) unsafe fn first<S: Simd, T: Element, const UNIT: bool>(
    s: S,
    p: *const T,
    n: usize,
    step: isize,
) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe {
        if !UNIT {
            gather::<S, T>(s, p, n, step)
        } else if n == T::Vec::<S>::LANES {
            T::Vec::<S>::load(s, p)
        } else {
            T::Vec::<S>::load_first(s, p, n, T::ZERO)
        }
    }
}

/// Writes the first `n ≤ LANES` elements.
/// # Safety
/// They are valid for writes.
#[inline(always)]
pub(super) unsafe fn put<V: Vector>(x: V, p: *mut V::Elem, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { if n == V::LANES { x.store(p) } else { x.store_first(p, n) } }
}

/// Columns that are added together.
const COLUMNS: usize = 8;

/// Elements of `y` that wait in the first-level cache, or in an array.
const CHUNK: usize = 2048;
/// The same in an array.
const SMALL_CHUNK: usize = 128;

/// `y = βy`, then `α·x[j]` times each column is added.
fn by_columns<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    mut y: VecMut<'_, T>,
) {
    let n = if y.as_mut_slice().is_some() { CHUNK } else { SMALL_CHUNK };
    let mut i = 0;
    while i < a.rows() {
        let mut part = y.reborrow().part(i, n);
        let a = a.block([i, 0], [part.len(), usize::MAX]);
        match part.as_mut_slice() {
            Some(y) => one_chunk(s, [alpha, beta], a, x, y),
            None => copied_chunk(s, [alpha, beta], a, x, part),
        }
        i += n;
    }
}

#[inline(never)]
fn copied_chunk<S: Simd, T: Element>(
    s: S,
    scale: [T; 2],
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    y: VecMut<'_, T>,
) {
    let mut copy = [T::ZERO; SMALL_CHUNK];
    let copy = copy.get_mut(..y.len()).unwrap_or_default();
    read(y.as_ref(), copy);
    one_chunk(s, scale, a, x, copy);
    write(copy, y);
}

#[inline(never)]
fn one_chunk<S: Simd, T: Element>(s: S, scale: [T; 2], a: MatRef<'_, T>, x: VecRef<'_, T>, y: &mut [T]) {
    s.vectorize(
        #[inline(always)]
        || columns(s, scale, a, x, y),
    );
}

/// `y = βy + αAx` for A of unit row stride.
#[inline(always)]
fn columns<S: Simd, T: Element>(
    s: S,
    [alpha, beta]: [T; 2],
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    y: &mut [T],
) {
    let lanes = T::Vec::<S>::LANES;
    let m = a.rows().min(y.len());
    let y = y.as_mut_ptr();
    let mut j = 0;
    while j < a.cols() {
        let whole = a.cols() - j >= COLUMNS;
        let count = if whole { COLUMNS } else { a.cols() - j };
        let mut by = [T::Vec::<S>::splat(s, T::ZERO); COLUMNS];
        for (q, by) in by.iter_mut().enumerate().take(count) {
            *by = T::Vec::<S>::splat(s, alpha * x.get(j + q).unwrap_or(T::ZERO));
        }
        let group = Group {
            first: a.ptr().wrapping_offset(j as isize * a.col_stride()),
            step: a.col_stride(),
            by,
            count,
            beta: if j == 0 { beta } else { T::ONE },
        };
        // SAFETY: `m` elements of `y` and of each of these columns, which follow each other.
        unsafe {
            let mut i = 0;
            if whole {
                while m - i >= 2 * lanes {
                    group.add::<true, 2>(s, y, i, lanes);
                    i += 2 * lanes;
                }
                while m - i >= lanes {
                    group.add::<true, 1>(s, y, i, lanes);
                    i += lanes;
                }
            }
            while i < m {
                let n = lanes.min(m - i);
                group.add::<false, 1>(s, y, i, n);
                i += n;
            }
        }
        j += count;
    }
}

/// Columns that are added together, and what `y` is multiplied by before.
struct Group<S: Simd, T: Element> {
    first: *const T,
    step: isize,
    by: [T::Vec<S>; COLUMNS],
    count: usize,
    beta: T,
}

impl<S: Simd, T: Element> Group<S, T> {
    /// `N` vectors of `n` elements from `i` on; of [`COLUMNS`] columns if `WHOLE`. Those with an odd number are summed
    /// up apart, so that fewer sums wait for each other.
    /// # Safety
    /// `y` and the columns have these elements.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "q < COLUMNS, u < N")]
    unsafe fn add<const WHOLE: bool, const N: usize>(&self, s: S, y: *mut T, i: usize, n: usize) {
        let lanes = T::Vec::<S>::LANES;
        let zero = T::Vec::<S>::splat(s, T::ZERO);
        let (mut even, mut odd) = ([zero; N], [zero; N]);
        // SAFETY: the caller's promise.
        unsafe {
            let mut u = 0;
            while u < N {
                if self.beta != T::ZERO {
                    even[u] = first::<S, T, true>(s, y.add(i + u * lanes), n, 1);
                }
                if self.beta != T::ONE {
                    even[u] = even[u] * T::Vec::<S>::splat(s, self.beta);
                }
                u += 1;
            }
            let mut q = 0;
            while q < if WHOLE { COLUMNS } else { self.count } {
                let column = self.first.offset(q as isize * self.step).add(i);
                let mut u = 0;
                while u < N {
                    let a = first::<S, T, true>(s, column.add(u * lanes), n, 1);
                    if q.is_multiple_of(2) {
                        even[u] = self.by[q].mul_add(a, even[u]);
                    } else {
                        odd[u] = self.by[q].mul_add(a, odd[u]);
                    }
                    u += 1;
                }
                q += 1;
            }
            let mut u = 0;
            while u < N {
                put(even[u] + odd[u], y.add(i + u * lanes), n);
                u += 1;
            }
        }
    }
}
