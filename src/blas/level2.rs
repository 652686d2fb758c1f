//! BLAS level 2: rank-1 and rank-2 updates (`ger`, `syr`, `syr2`) and the symmetric matrix-vector product (`symv`).
//!
//! A symmetric or triangular matrix is halved until 8 rows are left; the off-diagonal block between the halves is a
//! general matrix. One case is written: an upper triangle is the lower one of the transpose (symmetric) or of the
//! matrix read backwards (triangular).

use super::Triangle;
use super::elementwise;
use super::gemv;
use super::rank_update;
use super::symv as fused;
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::{Element, Simd};
use crate::pointwise::Axpy;
use crate::view::{MatMut, MatRef, VecMut, VecRef};

/// Rows that are not halved any more.
pub(crate) const BASE: usize = 8;

/// Rows and columns of a general block that stays in the second-level cache between its two uses.
pub(crate) const NEAR: usize = 128;

/// The number of rows of a square matrix.
#[inline(always)]
pub(super) fn square(arg: &'static str, rows: usize, cols: usize) -> Result<usize, Error> {
    if rows == cols { Ok(rows) } else { Err(Error::shape(arg, [rows, rows], [rows, cols])) }
}

/// The first part of two: whole groups of [`BASE`] rows.
#[inline(always)]
pub(super) const fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(BASE)
}

/// Applies `check` to the elements of an `m` by `n` result: where a row or a column of the operands has a NaN, so
/// has each element that `out` gives.
pub(super) fn check_nans<T: Element>(
    [m, n]: [usize; 2],
    out: impl Fn(usize, usize) -> Option<T>,
    row: impl Fn(usize) -> bool,
    col: impl Fn(usize) -> bool,
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    if m == 0 || n == 0 {
        // Many empty rows need no visit.
        return Ok(());
    }
    let see = |nan: bool, y: Option<T>| match y {
        Some(y) => check(&Call::new(&[&[if nan { T::NAN } else { T::ZERO }]], &[y])),
        None => Ok(()),
    };
    for i in 0..m {
        let nan = row(i);
        for j in 0..n {
            see(nan, out(i, j))?;
        }
    }
    for j in 0..n {
        let nan = col(j);
        for i in 0..m {
            see(nan, out(i, j))?;
        }
    }
    Ok(())
}

/// Whether the value is there and NaN.
#[inline]
pub(super) fn nan<T: Element>(x: Option<T>) -> bool {
    x.is_some_and(|x| x.to_f64().is_nan())
}

ops! { $ level2_ops in crate::blas::level2;
    /// `A = αxyᵀ + A`.
    ///
    /// Shapes: `x` has `m` elements, `y` has `n`, A is `m` by `n`; any strides. `αx[i]` is rounded first (`αy[j]`, when
    /// A's rows but not its columns follow each other), then its product is added, fused where the instruction set
    /// has it.
    ///
    /// NaN and ±0: `α = 0` leaves A as it is and reads neither `x` nor `y`. Otherwise as IEEE 754.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`. Nothing is written then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatMut, ger};
    /// let mut a = [0.0f32; 4];
    /// let (x, y) = ([1.0f32, 2.0], [10.0f32, 20.0]);
    /// ger(0.5, (&x[..]).into(), (&y[..]).into(), MatMut::row_major(&mut a, 2, 2)?)?;
    /// assert_eq!(a, [5.0, 10.0, 10.0, 20.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2. Contract: `contracts/ger-v1.yaml`.
    #[doc(alias = "outer")]
    serial ger, ger_on, ger_by (alpha: by T, x: vec T, y: vec T, a: mat_inout T) -> Result<()>;

    /// `A = αxxᵀ + A` in one triangle of the symmetric A; the other is neither read nor written.
    ///
    /// Shapes: `x` has `n` elements, A is `n` by `n`; any strides.
    ///
    /// NaN and ±0: as [`ger`].
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square, [`Error::Len`] names `x`. Nothing is written then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatMut, Triangle, syr};
    /// let mut a = [0.0f32; 4];
    /// syr(1.0, (&[2.0f32, 3.0][..]).into(), Triangle::Lower, MatMut::row_major(&mut a, 2, 2)?)?;
    /// assert_eq!(a, [4.0, 0.0, 6.0, 9.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2. Contract: `contracts/syr-v1.yaml`.
    serial syr, syr_on, syr_by (alpha: by T, x: vec T, triangle: by Triangle, a: mat_inout T) -> Result<()>;

    /// `A = αxyᵀ + αyxᵀ + A` in one triangle of the symmetric A; the other is neither read nor written.
    ///
    /// Shapes: `x` and `y` have `n` elements, A is `n` by `n`; any strides.
    ///
    /// NaN and ±0: as [`ger`].
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square, [`Error::Len`] names `x` or `y`. Nothing is written
    /// then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatMut, Triangle, syr2};
    /// let mut a = [0.0f32; 4];
    /// let (x, y) = ([1.0f32, 2.0], [3.0f32, 4.0]);
    /// syr2(1.0, (&x[..]).into(), (&y[..]).into(), Triangle::Upper, MatMut::row_major(&mut a, 2, 2)?)?;
    /// assert_eq!(a, [6.0, 10.0, 0.0, 16.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2. Contract: `contracts/syr2-v1.yaml`.
    serial syr2, syr2_on, syr2_by (alpha: by T, x: vec T, y: vec T, triangle: by Triangle, a: mat_inout T) -> Result<()>;

    /// `y = αAx + βy` for a symmetric A, given by one triangle; what the other holds does not matter.
    ///
    /// Shapes: A is `n` by `n`, `x` and `y` have `n` elements; any strides.
    ///
    /// NaN and ±0: `β = 0` writes `y` without reading it; `α = 0` reads neither A nor `x`. Otherwise NaN and infinities
    /// spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square, [`Error::Len`] names `x` or `y`. Nothing is written
    /// then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatRef, Triangle, symv};
    /// let (a, x) = ([1.0f32, f32::NAN, 2.0, 3.0], [1.0f32, 10.0]);
    /// let mut y = [0.0f32; 2];
    /// let a = MatRef::row_major(&a, 2, 2)?;
    /// symv(1.0, Triangle::Lower, a, (&x[..]).into(), 0.0, (&mut y[..]).into())?;
    /// assert_eq!(y, [21.0, 32.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2. Contract: `contracts/symv-v1.yaml`.
    serial symv, symv_on, symv_by (alpha: by T, triangle: by Triangle, a: mat T, x: vec T, beta: by T, y: vec_inout T) -> Result<()>;
}

pub(crate) fn ger_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: VecRef<'_, T>,
    y: VecRef<'_, T>,
    mut a: MatMut<'_, T>,
) -> Result<(), Error> {
    same_len("x", a.rows(), x.len())?;
    same_len("y", a.cols(), y.len())?;
    if alpha != T::ZERO && a.rows() > 0 && a.cols() > 0 {
        let by_columns = a.col_stride() != 1 && a.row_stride() == 1;
        let (x, y, a) = if by_columns { (y, x, a.reborrow().t()) } else { (x, y, a.reborrow()) };
        update(s, alpha, x, y, a, None);
    }
    contract!(
        ger,
        Ok(()),
        each | check | {
            let read = alpha != T::ZERO;
            let out = |i, j| a.get(i, j);
            check_nans([a.rows(), a.cols()], out, |i| read && nan(x.get(i)), |j| read && nan(y.get(j)), check)
        }
    )
}

/// Adds `αx[i]·y` to row `i`, in the columns of the triangle if there is one.
#[inline(always)]
fn update<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: VecRef<'_, T>,
    y: VecRef<'_, T>,
    mut a: MatMut<'_, T>,
    triangle: Option<Triangle>,
) {
    if let (Some(x), Some(y), 1) = (x.as_slice(), y.as_slice(), a.col_stride()) {
        return rank_update::run(s, alpha, [[x, y]], a, triangle);
    }
    let n = a.cols();
    for i in 0..a.rows() {
        let [start, end] = triangle.map_or([0, n], |t| t.columns(i, n));
        let row = VecMut::of_col(a.reborrow().block([i, start], [1, end - start]).t());
        let by = alpha * x.get(i).unwrap_or(T::ZERO);
        elementwise::zip(s, Axpy(by), row, y.part(start, end - start));
    }
}

/// Adds `αx[i]·y + αy[i]·x` to row `i`, in the columns of the triangle.
#[inline(always)]
fn update2<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: VecRef<'_, T>,
    y: VecRef<'_, T>,
    mut a: MatMut<'_, T>,
    triangle: Triangle,
) {
    if let (Some(x), Some(y), 1) = (x.as_slice(), y.as_slice(), a.col_stride()) {
        return rank_update::run(s, alpha, [[x, y], [y, x]], a, Some(triangle));
    }
    let n = a.cols();
    for i in 0..a.rows() {
        let [start, end] = triangle.columns(i, n);
        let mut row = VecMut::of_col(a.reborrow().block([i, start], [1, end - start]).t());
        let (x_i, y_i) = (alpha * x.get(i).unwrap_or(T::ZERO), alpha * y.get(i).unwrap_or(T::ZERO));
        elementwise::zip(s, Axpy(x_i), row.reborrow(), y.part(start, end - start));
        elementwise::zip(s, Axpy(y_i), row, x.part(start, end - start));
    }
}

pub(crate) fn syr_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: VecRef<'_, T>,
    triangle: Triangle,
    mut a: MatMut<'_, T>,
) -> Result<(), Error> {
    let n = square("a", a.rows(), a.cols())?;
    same_len("x", n, x.len())?;
    if alpha != T::ZERO {
        let (triangle, a) = by_rows(triangle, a.reborrow());
        update(s, alpha, x, x, a, Some(triangle));
    }
    contract!(syr, Ok(()), each | check | in_triangle(alpha, [x, x], triangle, a.as_ref(), check))
}

pub(crate) fn syr2_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: VecRef<'_, T>,
    y: VecRef<'_, T>,
    triangle: Triangle,
    mut a: MatMut<'_, T>,
) -> Result<(), Error> {
    let n = square("a", a.rows(), a.cols())?;
    same_len("x", n, x.len())?;
    same_len("y", n, y.len())?;
    if alpha != T::ZERO {
        let (triangle, a) = by_rows(triangle, a.reborrow());
        update2(s, alpha, x, y, a, triangle);
    }
    contract!(syr2, Ok(()), each | check | in_triangle(alpha, [x, y], triangle, a.as_ref(), check))
}

/// The same symmetric matrix with rows whose elements follow each other, if it can be had.
#[inline(always)]
fn by_rows<T>(triangle: Triangle, a: MatMut<'_, T>) -> (Triangle, MatMut<'_, T>) {
    if a.col_stride() != 1 && a.row_stride() == 1 { (triangle.t(), a.t()) } else { (triangle, a) }
}

/// [`check_nans`] over a triangle that `x` and `y` update.
fn in_triangle<T: Element>(
    alpha: T,
    [x, y]: [VecRef<'_, T>; 2],
    triangle: Triangle,
    a: MatRef<'_, T>,
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let n = a.rows();
    let out = |i, j| if triangle.holds(i, j) { a.get(i, j) } else { None };
    let nans = |i| alpha != T::ZERO && (nan(x.get(i)) || nan(y.get(i)));
    check_nans([n, n], out, nans, nans, check)
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn symv_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    triangle: Triangle,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    mut y: VecMut<'_, T>,
) -> Result<(), Error> {
    let n = square("a", a.rows(), a.cols())?;
    same_len("x", n, x.len())?;
    same_len("y", n, y.len())?;
    elementwise::scale(s, beta, y.reborrow());
    if alpha != T::ZERO {
        let by_columns = a.col_stride() != 1 && a.row_stride() == 1;
        let (triangle, a) = if by_columns { (triangle.t(), a.t()) } else { (triangle, a) };
        match (x.as_slice(), y.as_mut_slice()) {
            (Some(x), Some(y)) if a.col_stride() == 1 => fused::run(s, alpha, triangle, a, x, y),
            _ => {
                let lower = if triangle == Triangle::Upper { a.t() } else { a };
                symmetric(s, alpha, lower, x, y.reborrow());
            }
        }
    }
    contract!(
        symv,
        Ok(()),
        each | check | {
            let value = |i, j| if triangle.holds(i, j) { a.get(i, j) } else { a.get(j, i) };
            let nans = |i| (0..n).any(|p| nan(value(i, p)) || nan(x.get(p)));
            check_nans([n, 1], |i, _| y.get(i), |i| alpha != T::ZERO && nans(i), |_| false, check)
        }
    )
}

/// `y += αAx` for the symmetric A of which the lower triangle is read.
fn symmetric<S: Simd, T: Element>(s: S, alpha: T, a: MatRef<'_, T>, x: VecRef<'_, T>, y: VecMut<'_, T>) {
    let n = y.len();
    if n <= BASE {
        let mut whole = [T::ZERO; BASE * BASE];
        let dense = dense(&mut whole, a, true, |x| x);
        return gemv::run(s, alpha, dense, x, T::ONE, y);
    }
    let h = half(n);
    let (x1, x2) = (x.part(0, h), x.part(h, n - h));
    let Ok((mut y1, mut y2)) = y.split_at(h) else { return };
    symmetric(s, alpha, a.block([0, 0], [h, h]), x1, y1.reborrow());
    symmetric(s, alpha, a.block([h, h], [n - h, n - h]), x2, y2.reborrow());
    let mut i = 0;
    while i < n - h {
        let mut j = 0;
        while j < h {
            let block = a.block([h + i, j], [NEAR.min(n - h - i), NEAR.min(h - j)]);
            let (to1, to2) = (y1.reborrow().part(j, NEAR), y2.reborrow().part(i, NEAR));
            gemv::run(s, alpha, block, x1.part(j, NEAR), T::ONE, to2);
            gemv::run(s, alpha, block.t(), x2.part(i, NEAR), T::ONE, to1);
            j += NEAR;
        }
        i += NEAR;
    }
}

/// At most [`BASE`] rows of a lower triangle as a whole matrix: mirrored, or zeros above; `diagonal` changes what
/// stands there.
#[inline(always)]
pub(super) fn dense<'a, T: Element>(
    scratch: &'a mut [T; BASE * BASE],
    a: MatRef<'_, T>,
    mirrored: bool,
    diagonal: impl Fn(T) -> T,
) -> MatRef<'a, T> {
    let n = a.rows().min(BASE);
    for (i, row) in scratch.chunks_exact_mut(BASE).enumerate().take(n) {
        for (j, to) in row.iter_mut().enumerate().take(n) {
            let value = |i, j| a.get(i, j).unwrap_or(T::ZERO);
            *to = if i == j {
                diagonal(value(i, i))
            } else if i > j {
                value(i, j)
            } else if mirrored {
                value(j, i)
            } else {
                T::ZERO
            };
        }
    }
    MatRef::packed(scratch, BASE, BASE).block([0, 0], [n, n])
}
