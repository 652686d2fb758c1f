//! Cholesky, `A = LLᵀ`: recursive halves down to a few cache lines, with a triangular solve and a symmetric product (`syrk`)
//! between them.

use super::{divides, finite};
use crate::blas::{Diagonal, Side, Triangle, syrk_by, syrk_workspace, trsm_by, trsm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::lines_mut;
use crate::view::{MatMut, MatRef};

/// Rows of a matrix that is factored at once.
pub(crate) const LEAF: usize = 32;

/// Rows of the first of two parts.
const fn first_part(n: usize) -> usize {
    (n / 2).next_multiple_of(LEAF)
}

/// Elements of workspace that [`cholesky`] needs for an `n` by `n` A.
pub const fn cholesky_workspace(n: usize) -> usize {
    if n <= LEAF {
        return n * n;
    }
    let h = first_part(n);
    let (solve, product) = (trsm_workspace(Side::Right, n - h, h), syrk_workspace(n - h, h));
    let most = if solve > product { solve } else { product };
    if most > LEAF * LEAF { most } else { LEAF * LEAF }
}

/// Elements of workspace that [`cholesky_solve`] needs for an `n` by `cols` B.
pub const fn cholesky_solve_workspace(n: usize, cols: usize) -> usize {
    trsm_workspace(Side::Left, n, cols)
}

ops! { $ cholesky_ops in crate::solve::cholesky;
    /// `A = LLᵀ` of a symmetric, positive definite A, in its lower triangle: L with a positive diagonal lies where A was. The
    /// other triangle is neither read nor written. `A = UᵀU` is `cholesky` of `a.t()`.
    ///
    /// Shapes: A is `n` by `n`, of any strides. L is the exact factor of a matrix whose elements differ from A's by at most
    /// `γ_(n + 2)·√(aᵢᵢaⱼⱼ)`, whatever A's condition.
    ///
    /// NaN and ±0: NaN and infinities are refused; a pivot that is 0, negative, or past the largest number on the way is
    /// [`Error::Pivot`].
    ///
    /// Errors: [`Error::Shape`] names `a`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when the triangle
    /// holds NaN or an infinity: nothing is written then. [`Error::Pivot`] with the index of the first pivot that is not positive: A's
    /// leading matrix with that row and column is not positive definite to working precision; what the triangle holds then is of no use.
    ///
    /// Scratch: [`cholesky_workspace`].
    ///
    /// ```
    /// use fulmen::{Error, MatMut, cholesky, cholesky_workspace};
    /// let mut workspace = [0.0; cholesky_workspace(2)];
    /// let mut a = [4.0f32, f32::NAN, 2.0, 10.0];
    /// cholesky(MatMut::row_major(&mut a, 2, 2)?, &mut workspace)?;
    /// assert_eq!([a[0], a[2], a[3]], [2.0, 1.0, 3.0]);
    /// let mut a = [1.0f32, 0.0, 2.0, 1.0];
    /// let indefinite = cholesky(MatMut::row_major(&mut a, 2, 2)?, &mut workspace);
    /// assert_eq!(indefinite, Err(Error::pivot("a", 1)));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: G. Golub, C. Van Loan, "Matrix Computations", §4.2; the bound: N. Higham, "Accuracy and Stability of Numerical
    /// Algorithms", §10.1. Contract: `contracts/cholesky-v1.yaml`.
    #[doc(alias = "potrf")]
    #[doc(alias = "llt")]
    threads cholesky, cholesky_on, cholesky_by (a: mat_inout T, workspace: scratch T) -> Result<()>;

    /// `X = A⁻¹B` over B, for `A = LLᵀ` by [`cholesky`]; the other triangle of `l` is not read.
    ///
    /// Shapes: L is `n` by `n`, B is `n` by any number of columns; any strides.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `l` or `b`; [`Error::Workspace`]; [`Error::Pivot`] with the index of the first zero on
    /// the diagonal. Nothing is written then.
    ///
    /// Scratch: [`cholesky_solve_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, cholesky_solve, cholesky_solve_workspace};
    /// let (l, mut b) = ([2.0f32, 0.0, 1.0, 3.0], [8.0f32, 22.0]);
    /// let mut workspace = [0.0; cholesky_solve_workspace(2, 1)];
    /// let x = MatMut::row_major(&mut b, 2, 1)?;
    /// cholesky_solve(MatRef::row_major(&l, 2, 2)?, x, &mut workspace)?;
    /// assert_eq!(b, [1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`cholesky`]. Contract: `contracts/cholesky_solve-v1.yaml`.
    threads cholesky_solve, cholesky_solve_on, cholesky_solve_by (l: mat T, b: mat_inout T, workspace: scratch T) -> Result<()>;
}

pub(crate) fn cholesky_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    enough(cholesky_workspace(n), workspace.len())?;
    finite("a", a.as_ref(), Some(Triangle::Lower))?;
    contract!(
        cholesky,
        factor(j, s, a.reborrow(), 0, workspace),
        each | check | {
            let mut diagonal = (0..n).filter_map(|i| a.get(i, i));
            diagonal.try_for_each(|x| check(&Call::new(&[&[x]], &[x])))
        }
    )
}

/// The matrix whose first row is `at` of the whole one.
fn factor<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatMut<'_, T>,
    at: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    if n <= LEAF {
        return leaf(s, a, at, workspace);
    }
    let h = first_part(n);
    let (above, below) = a.split_rows(h)?;
    let mut a11 = above.block([0, 0], [h, h]);
    let (mut a21, mut a22) = below.split_cols(h)?;
    factor(j, s, a11.reborrow(), at, workspace)?;
    let l11 = a11.as_ref().t();
    let (right, upper) = (Side::Right, Triangle::Upper);
    trsm_by(j, s, right, T::ONE, upper, Diagonal::NonUnit, l11, a21.reborrow(), workspace)?;
    syrk_by(j, s, -T::ONE, a21.as_ref(), T::ONE, Triangle::Lower, a22.reborrow(), workspace)?;
    factor(j, s, a22, at + h, workspace)
}

/// At most [`LEAF`] rows, on a copy: row `k` of the transpose is a column of L.
fn leaf<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    at: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    let Some(scratch) = workspace.get_mut(..n * n).filter(|_| n > 0) else {
        return Ok(());
    };
    for i in 0..n {
        for (k, row) in scratch.chunks_exact_mut(n).enumerate().take(i + 1) {
            if let (Some(to), Some(x)) = (row.get_mut(i), a.get(i, k)) {
                *to = x;
            }
        }
    }
    let bad = s.vectorize(
        #[inline(always)]
        || columns(scratch, n),
    );
    if let Some(k) = bad {
        return Err(Error::pivot("a", at + k));
    }
    for (k, row) in scratch.chunks_exact(n).enumerate() {
        for (i, x) in row.iter().enumerate().skip(k) {
            a.set(i, k, *x);
        }
    }
    Ok(())
}

/// `UᵀU` over the upper triangle, one row of U after the other; the first pivot that is none.
#[inline(always)]
fn columns<T: Element>(scratch: &mut [T], n: usize) -> Option<usize> {
    for k in 0..n {
        let (done, rest) = scratch.split_at_mut_checked((k + 1) * n)?;
        let row = done.get_mut(k * n + k..)?;
        let (pivot, row) = row.split_first_mut()?;
        if !(*pivot > T::ZERO && *pivot < T::INFINITY) {
            return Some(k);
        }
        *pivot = T::from_f64(libm::sqrt(pivot.to_f64()));
        for x in row.iter_mut() {
            *x = *x / *pivot;
        }
        for (i, below) in lines_mut(rest, n).enumerate() {
            let (Some(u), Some(to)) = (row.get(i..), below.get_mut(k + 1 + i..)) else { continue };
            let f = u.first().copied().unwrap_or(T::ZERO);
            for (to, u) in to.iter_mut().zip(u) {
                *to = *to - f * *u;
            }
        }
    }
    None
}

pub(crate) fn cholesky_solve_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    l: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (n, left) = (l.rows(), Side::Left);
    same_shape("l", [n, n], [n, l.cols()])?;
    same_shape("b", [n, b.cols()], [b.rows(), b.cols()])?;
    enough(cholesky_solve_workspace(n, b.cols()), workspace.len())?;
    divides("l", l)?;
    trsm_by(j, s, left, T::ONE, Triangle::Lower, Diagonal::NonUnit, l, b.reborrow(), workspace)?;
    trsm_by(j, s, left, T::ONE, Triangle::Upper, Diagonal::NonUnit, l.t(), b.reborrow(), workspace)?;
    contract!(
        cholesky_solve,
        Ok(()),
        each | check | {
            let all = (0..n).flat_map(|i| (0..b.cols()).map(move |j| [i, j]));
            let pairs = all.filter_map(|[i, j]| Some((l.get(i, i)?, b.get(i, j)?)));
            pairs.into_iter().try_for_each(|(l, x)| check(&Call::new(&[&[l]], &[x])))
        }
    )
}
