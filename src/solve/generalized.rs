//! The generalised symmetric eigenvalue problem `Ax = λBx`, B definite: the Cholesky factor of B reduces it to a symmetric one.

use super::cholesky::{cholesky_by, cholesky_workspace};
use super::eigh::{eigh_by, eigh_workspace};
use super::{finite, orient};
use crate::blas::{Diagonal, Side, Triangle, trsm_by, trsm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::view::MatMut;

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Elements of workspace that [`eigh_generalized`] needs for `n` by `n` A and B.
pub const fn eigh_generalized_workspace(n: usize) -> usize {
    let solves = max(trsm_workspace(Side::Left, n, n), trsm_workspace(Side::Right, n, n));
    max(solves, max(cholesky_workspace(n), eigh_workspace(n)))
}

ops! { $ generalized_ops in crate::solve::generalized;
    /// The eigenvalues of a symmetric A against a symmetric, positive definite B, and vectors over A: column `i` of it has `A·v = values[i]·B·v`. The
    /// values ascend, and `VᵀBV = I`; the first of the largest magnitudes of each vector is positive. Of A and B the lower triangles are read; that of B
    /// then holds its factor by [`cholesky`](crate::cholesky()), and its other triangle is not written.
    ///
    /// Shapes: A and B are `n` by `n`, of any strides; `values` has `n` elements. With `B = LLᵀ` values and vectors are those of `L⁻¹AL⁻ᵀ` but for a small
    /// multiple of `n·u·|A||B⁻¹|`, so a B that is nearly singular spoils the small ones.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: [`Error::Shape`] names `a` or `b`; [`Error::Len`] `values`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when a triangle holds
    /// NaN or an infinity: nothing is written then. [`Error::Pivot`] names `b` with the index of the first pivot that is not positive: A is as it was.
    /// [`Error::Domain`] names `b`, too, when `L⁻¹AL⁻ᵀ` goes past the largest number, and [`Error::Convergence`] is that of [`eigh`](crate::eigh()): what is
    /// left is of no use then.
    ///
    /// Scratch: [`eigh_generalized_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, eigh_generalized, eigh_generalized_workspace};
    /// let (mut a, mut b, mut values) = ([8.0f64, 0.0, 0.0, 3.0], [4.0, 0.0, 0.0, 1.0], [0.0; 2]);
    /// let mut workspace = [0.0; eigh_generalized_workspace(2)];
    /// let (v, l) = (MatMut::row_major(&mut a, 2, 2)?, MatMut::row_major(&mut b, 2, 2)?);
    /// eigh_generalized(v, l, &mut values, &mut workspace)?;
    /// assert_eq!((values, a), ([2.0, 3.0], [0.5, 0.0, 0.0, 1.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: R. Martin, J. Wilkinson, "Reduction of the Symmetric Eigenproblem Ax = λBx and Related Problems to Standard Form" (1968). Contract:
    /// `contracts/eigh_generalized-v1.yaml`.
    threads eigh_generalized, eigh_generalized_on, eigh_generalized_by
        (a: mat_inout T, b: mat_inout T, values: out T, workspace: scratch T) -> Result<()>;
}

pub(crate) fn eigh_generalized_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    mut b: MatMut<'_, T>,
    values: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_shape("b", [n, n], [b.rows(), b.cols()])?;
    same_len("values", n, values.len())?;
    enough(eigh_generalized_workspace(n), workspace.len())?;
    finite("a", a.as_ref(), Some(Triangle::Lower))?;
    finite("b", b.as_ref(), Some(Triangle::Lower))?;
    cholesky_by(j, s, b.reborrow(), workspace).map_err(|e| match e {
        Error::Pivot { index, .. } => Error::pivot("b", index),
        e => e,
    })?;
    for i in 0..n {
        for k in 0..i {
            a.set(k, i, a.get(i, k).unwrap_or_default());
        }
    }
    let (l, lower, upper) = (b.as_ref(), Triangle::Lower, Triangle::Upper);
    let (one, divided) = (T::ONE, Diagonal::NonUnit);
    trsm_by(j, s, Side::Left, one, lower, divided, l, a.reborrow(), workspace)?;
    trsm_by(j, s, Side::Right, one, upper, divided, l.t(), a.reborrow(), workspace)?;
    eigh_by(j, s, a.reborrow(), values, workspace).map_err(|e| match e {
        Error::Nan { .. } | Error::Domain { .. } => {
            Error::must_be("b", "better conditioned: the reduced matrix is not finite")
        }
        e => e,
    })?;
    trsm_by(j, s, Side::Left, one, upper, divided, l.t(), a.reborrow(), workspace)?;
    orient(s, a.reborrow().t(), None);
    contract!(
        eigh_generalized,
        Ok(()),
        each | check | values.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}
