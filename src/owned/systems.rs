//! Solvers, factorisations, eigenvalues and singular values that allocate their result and factors.

use super::{cols_of, filled, product, rows_of};
use crate::complex::Complex;
use crate::error::{Error, same_shape};
use crate::lanes::Element;
use crate::solve as ops;
use crate::view::{MatMut, MatRef};
use alloc::vec::Vec;

/// `Ok` when A is `n` by `n`.
fn square<T>(a: &[T], n: usize) -> Result<(), Error> {
    same_shape("a", [n, n], [rows_of("a", a, n)?, n])
}

/// Scratch.
fn scratch<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    filled("workspace", T::ZERO, len)
}

/// The X of `AX = B`, by [`lu`](crate::lu()) and [`lu_solve`](crate::lu_solve()).
///
/// Shapes: A is `n` by `n`, B has `n` rows and any number of columns, and X is as B.
///
/// NaN and ±0: NaN and infinities in A are refused; in B they spread by IEEE 754.
///
/// Errors: [`Error::Rows`] or [`Error::Shape`] names `a` when it is not `n` by `n`, [`Error::Len`] `b`; those of the ops:
/// [`Error::Pivot`] names `a` when it is singular.
///
/// ```
/// use fulmen::owned::solve;
/// let a = [2.0f64, 1.0, 1.0, 3.0];
/// assert_eq!(solve(&a, 2, &[5.0, 10.0])?, [1.0, 3.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "gesv")]
#[doc(alias = "linsolve")]
pub fn solve<T: Element>(a: &[T], n: usize, b: &[T]) -> Result<Vec<T>, Error> {
    square(a, n)?;
    let cols = cols_of("b", b, n)?;
    let (mut factors, mut x, mut pivots) = (a.to_vec(), b.to_vec(), filled("pivots", 0, n)?);
    let mut workspace = scratch(ops::lu_workspace(n, n).max(ops::lu_solve_workspace(n, cols)))?;
    ops::lu(MatMut::row_major(&mut factors, n, n)?, &mut pivots, &mut workspace)?;
    let factors = MatRef::row_major(&factors, n, n)?;
    ops::lu_solve(factors, &pivots, MatMut::row_major(&mut x, n, cols)?, &mut workspace)?;
    Ok(x)
}

/// The X for which `|AX - B|`, column by column, is least, by [`least_squares`](crate::least_squares()).
///
/// Shapes: A has `n` columns and at least as many rows, B as many rows as A; X has `n` rows and the columns of B.
///
/// NaN and ±0: NaN and infinities are refused.
///
/// Errors: [`Error::Rows`] names `a`, [`Error::Len`] `b`; those of the op: [`Error::Shape`] names `a` when it has fewer rows than
/// columns, [`Error::Pivot`] when a column depends on those before.
///
/// ```
/// use fulmen::owned::lstsq;
/// // The line through (0, 1), (1, 3) and (2, 5).
/// let x = lstsq(&[1.0f64, 0.0, 1.0, 1.0, 1.0, 2.0], 2, &[1.0, 3.0, 5.0])?;
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "least_squares")]
#[doc(alias = "polyfit")]
pub fn lstsq<T: Element>(a: &[T], n: usize, b: &[T]) -> Result<Vec<T>, Error> {
    let m = rows_of("a", a, n)?;
    let cols = cols_of("b", b, m)?;
    let (mut a, mut x, mut tau) = (a.to_vec(), b.to_vec(), filled("tau", T::ZERO, n)?);
    let mut workspace = scratch(ops::least_squares_workspace(m, n, cols))?;
    let (a, b) = (MatMut::row_major(&mut a, m, n)?, MatMut::row_major(&mut x, m, cols)?);
    ops::least_squares(a, &mut tau, b, &mut workspace)?;
    x.truncate(product("b", n, cols)?);
    Ok(x)
}

/// `A⁻¹`, by [`inverse`](crate::inverse()). [`solve`] gives `A⁻¹B` sooner and better.
///
/// Shapes: A is `n` by `n`, and so is the result.
///
/// NaN and ±0: NaN and infinities are refused.
///
/// Errors: [`Error::Rows`] or [`Error::Shape`] names `a` when it is not `n` by `n`; those of the op: [`Error::Pivot`] when it is singular.
///
/// ```
/// assert_eq!(fulmen::owned::inverse(&[0.0f32, 2.0, 4.0, 0.0], 2)?, [0.0, 0.25, 0.5, 0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "inv")]
pub fn inverse<T: Element>(a: &[T], n: usize) -> Result<Vec<T>, Error> {
    square(a, n)?;
    let (mut x, mut pivots) = (a.to_vec(), filled("pivots", 0, n)?);
    let mut workspace = scratch(ops::inverse_workspace(n))?;
    ops::inverse(MatMut::row_major(&mut x, n, n)?, &mut pivots, &mut workspace)?;
    Ok(x)
}

/// The determinant of A, by [`lu`](crate::lu()) and [`determinant`](crate::determinant()).
///
/// Shapes: A is `n` by `n`; 1 for nothing.
///
/// NaN and ±0: NaN and infinities are refused. A singular matrix gives 0.
///
/// Errors: [`Error::Rows`] or [`Error::Shape`] names `a` when it is not `n` by `n`; those of the ops but [`Error::Pivot`].
///
/// ```
/// assert_eq!(fulmen::owned::det(&[1.0f64, 2.0, 3.0, 4.0], 2)?, -2.0);
/// assert_eq!(fulmen::owned::det(&[1.0f64, 2.0, 2.0, 4.0], 2)?, 0.0);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "determinant")]
pub fn det<T: Element>(a: &[T], n: usize) -> Result<T, Error> {
    square(a, n)?;
    let (mut factors, mut pivots) = (a.to_vec(), filled("pivots", 0, n)?);
    let mut workspace = scratch(ops::lu_workspace(n, n))?;
    match ops::lu(MatMut::row_major(&mut factors, n, n)?, &mut pivots, &mut workspace) {
        // The factors are complete, with a zero on the diagonal.
        Ok(()) | Err(Error::Pivot { .. }) => ops::determinant(MatRef::row_major(&factors, n, n)?, &pivots),
        Err(why) => Err(why),
    }
}

/// The L of `A = LLᵀ` for a symmetric, positive definite A, by [`cholesky`](crate::cholesky()), with zeros above its diagonal.
///
/// Shapes: A is `n` by `n`, and so is L. Of A the lower triangle is read.
///
/// NaN and ±0: NaN and infinities in the triangle are refused.
///
/// Errors: [`Error::Rows`] or [`Error::Shape`] names `a` when it is not `n` by `n`; those of the op: [`Error::Pivot`] when it is not
/// positive definite.
///
/// ```
/// assert_eq!(fulmen::owned::cholesky(&[4.0f32, 2.0, 2.0, 10.0], 2)?, [2.0, 0.0, 1.0, 3.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn cholesky<T: Element>(a: &[T], n: usize) -> Result<Vec<T>, Error> {
    square(a, n)?;
    let mut l = a.to_vec();
    let mut workspace = scratch(ops::cholesky_workspace(n))?;
    ops::cholesky(MatMut::row_major(&mut l, n, n)?, &mut workspace)?;
    for (i, row) in l.chunks_exact_mut(n.max(1)).enumerate() {
        row.iter_mut().skip(i + 1).for_each(|x| *x = T::ZERO);
    }
    Ok(l)
}

/// Q and R of `A = QR`, by [`qr`](crate::qr()) and [`qr_apply`](crate::qr_apply()).
///
/// Shapes: A has `m` rows and `n` columns; with `k = min(m, n)`, Q is `m` by `k`, with orthonormal columns, and R is `k` by `n`, with zeros below
/// its diagonal, whose signs are not always positive.
///
/// NaN and ±0: NaN and infinities are refused.
///
/// Errors: [`Error::Rows`] names `a`; those of the ops.
///
/// ```
/// let (q, r) = fulmen::owned::qr(&[3.0f64, 4.0], 1)?;
/// assert!((q[0] + 0.6).abs() < 1e-15 && (q[1] + 0.8).abs() < 1e-15 && r == [-5.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn qr<T: Element>(a: &[T], n: usize) -> Result<(Vec<T>, Vec<T>), Error> {
    let m = rows_of("a", a, n)?;
    let k = m.min(n);
    let (mut factors, mut tau) = (a.to_vec(), filled("tau", T::ZERO, k)?);
    let mut workspace = scratch(ops::qr_workspace(m, n).max(ops::qr_apply_workspace(m, k, k)))?;
    ops::qr(MatMut::row_major(&mut factors, m, n)?, &mut tau, &mut workspace)?;
    let mut q = filled("q", T::ZERO, product("q", m, k)?)?;
    q.iter_mut().step_by(k.saturating_add(1)).take(k).for_each(|x| *x = T::ONE);
    let to = MatMut::row_major(&mut q, m, k)?;
    ops::qr_apply(false, MatRef::row_major(&factors, m, n)?, &tau, to, &mut workspace)?;
    factors.truncate(product("r", k, n)?);
    for (i, row) in factors.chunks_exact_mut(n.max(1)).enumerate() {
        row.iter_mut().take(i).for_each(|x| *x = T::ZERO);
    }
    Ok((q, factors))
}

/// The eigenvalues of a symmetric A, which ascend, and its eigenvectors, by [`eigh`](crate::eigh()): column `i` of the second result belongs
/// to value `i`.
///
/// Shapes: A is `n` by `n`, and so are the vectors; there are `n` values. Of A the lower triangle is read.
///
/// NaN and ±0: NaN and infinities in the triangle are refused.
///
/// Errors: [`Error::Rows`] or [`Error::Shape`] names `a` when it is not `n` by `n`; those of the op.
///
/// ```
/// let (values, vectors) = fulmen::owned::eigh(&[2.0f64, 1.0, 1.0, 2.0], 2)?;
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// assert!((vectors[1] - 0.5f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "syev")]
pub fn eigh<T: Element>(a: &[T], n: usize) -> Result<(Vec<T>, Vec<T>), Error> {
    square(a, n)?;
    let (mut vectors, mut values) = (a.to_vec(), filled("values", T::ZERO, n)?);
    let mut workspace = scratch(ops::eigh_workspace(n))?;
    ops::eigh(MatMut::row_major(&mut vectors, n, n)?, &mut values, &mut workspace)?;
    Ok((values, vectors))
}

/// The eigenvalues of A and its right eigenvectors, by [`eig`](crate::eig()): column `i` of the second result belongs to value `i`.
///
/// Shapes: A is `n` by `n`, and so are the vectors; there are `n` values.
///
/// NaN and ±0: NaN and infinities are refused.
///
/// Errors: [`Error::Rows`] or [`Error::Shape`] names `a` when it is not `n` by `n`; those of the op.
///
/// ```
/// // A quarter turn.
/// let (values, _) = fulmen::owned::eig(&[0.0f64, -1.0, 1.0, 0.0], 2)?;
/// assert!((values[0] - fulmen::c64::I).norm_sqr() < 1e-30 && values[1] == values[0].conj());
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "geev")]
pub fn eig<T: Element>(a: &[T], n: usize) -> Result<(Vec<Complex<T>>, Vec<Complex<T>>), Error> {
    square(a, n)?;
    let (mut a, mut right) = (a.to_vec(), filled("right", T::ZERO, a.len())?);
    let (mut re, mut im) = (filled("re", T::ZERO, n)?, filled("im", T::ZERO, n)?);
    let mut workspace = scratch(ops::eig_workspace(n))?;
    let (a, to) = (MatMut::row_major(&mut a, n, n)?, MatMut::row_major(&mut right, n, n)?);
    ops::eig(a, None, Some(to), &mut re, &mut im, &mut workspace)?;
    let mut vectors = filled("right", Complex::ZERO, right.len())?;
    for (to, row) in vectors.chunks_exact_mut(n.max(1)).zip(right.chunks_exact(n.max(1))) {
        for (j, (to, turn)) in to.iter_mut().zip(&im).enumerate() {
            // A pair's first column has the real parts, its second the imaginary ones.
            let at = |j: usize| row.get(j).copied().unwrap_or_default();
            *to = if *turn > T::ZERO {
                Complex::new(at(j), at(j + 1))
            } else if *turn < T::ZERO {
                Complex::new(at(j.saturating_sub(1)), -at(j))
            } else {
                Complex::from(at(j))
            };
        }
    }
    Ok((re.into_iter().zip(im).map(|(re, im)| Complex::new(re, im)).collect(), vectors))
}

/// `A = U·diag(values)·Vᵀ` as U, the singular values, which descend, and `Vᵀ`, by [`svd`](crate::svd()).
///
/// Shapes: A has `m` rows and `n` columns; with `k = min(m, n)`, U is `m` by `k`, `Vᵀ` is `k` by `n`, and there are `k` values.
///
/// NaN and ±0: NaN and infinities are refused.
///
/// Errors: [`Error::Rows`] names `a`; those of the op.
///
/// ```
/// let (u, values, vt) = fulmen::owned::svd(&[3.0f64, 4.0], 1)?;
/// assert!((values[0] - 5.0).abs() < 1e-14 && (u[1] - 0.8).abs() < 1e-15 && vt.len() == 1);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "gesdd")]
pub fn svd<T: Element>(a: &[T], n: usize) -> Result<(Vec<T>, Vec<T>, Vec<T>), Error> {
    let m = rows_of("a", a, n)?;
    let k = m.min(n);
    let (mut a, mut values) = (a.to_vec(), filled("values", T::ZERO, k)?);
    let mut u = filled("u", T::ZERO, product("u", m, k)?)?;
    let mut vt = filled("vt", T::ZERO, product("vt", k, n)?)?;
    let mut workspace = scratch(ops::svd_workspace(m, n))?;
    let (a, to) = (MatMut::row_major(&mut a, m, n)?, MatMut::row_major(&mut u, m, k)?);
    ops::svd(a, to, &mut values, MatMut::row_major(&mut vt, k, n)?, &mut workspace)?;
    Ok((u, values, vt))
}
