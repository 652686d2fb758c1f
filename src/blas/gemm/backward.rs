//! The backward pass of a matrix product: the gradients with respect to A and to B.

use super::{Problem, check_elements, gemm_by, gemm_workspace};
use crate::contract::contract;
use crate::error::{Error, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

ops! { $ backward_ops in crate::blas::gemm::backward;
    /// `dA = dC·Bᵀ + beta·dA`: the gradient of `C = AB` by A, where `dC` is that by C.
    ///
    /// Shapes: `dC` is `m` by `n`, B is `k` by `n`, `dA` is `m` by `k`, each with any strides. `beta = 1` adds to what is
    /// there, `beta = 0` does not read it. Order, bits and error are those of [`gemm`](crate::gemm()).
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `b` or `da`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_backward_workspace`](crate::gemm_backward_workspace()).
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_backward_a, gemm_backward_workspace};
    /// let (dc, b, mut da) = ([1.0f32, 2.0], [3.0, 4.0], [10.0]);
    /// let mut workspace = [0.0; gemm_backward_workspace(1, 2, 1)];
    /// let (dc, b) = (MatRef::row_major(&dc, 1, 2)?, MatRef::row_major(&b, 1, 2)?);
    /// gemm_backward_a(dc, b, 1.0, MatMut::row_major(&mut da, 1, 1)?, &mut workspace)?;
    /// assert_eq!(da, [21.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/gemm_backward_a-v1.yaml`.
    threads gemm_backward_a, gemm_backward_a_on, gemm_backward_a_by
        (dc: mat T, b: mat T, beta: by T, da: mat_inout T, workspace: scratch T) -> Result<()>;

    /// `dB = Aᵀ·dC + beta·dB`: the gradient of `C = AB` by B, where `dC` is that by C.
    ///
    /// Shapes: A is `m` by `k`, `dC` is `m` by `n`, `dB` is `k` by `n`, each with any strides. `beta = 1` adds to what is
    /// there, `beta = 0` does not read it. Order, bits and error are those of [`gemm`](crate::gemm()).
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `dc` or `db`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_backward_workspace`](crate::gemm_backward_workspace()).
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_backward_b, gemm_backward_workspace};
    /// let (a, dc, mut db) = ([3.0f32, 4.0], [1.0, 2.0], [10.0]);
    /// let mut workspace = [0.0; gemm_backward_workspace(2, 1, 1)];
    /// let (a, dc) = (MatRef::row_major(&a, 2, 1)?, MatRef::row_major(&dc, 2, 1)?);
    /// gemm_backward_b(a, dc, 1.0, MatMut::row_major(&mut db, 1, 1)?, &mut workspace)?;
    /// assert_eq!(db, [21.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/gemm_backward_b-v1.yaml`.
    threads gemm_backward_b, gemm_backward_b_on, gemm_backward_b_by
        (a: mat T, dc: mat T, beta: by T, db: mat_inout T, workspace: scratch T) -> Result<()>;
}

/// Elements of workspace that either gradient of an `m` by `k` A times a `k` by `n` B needs at most.
pub const fn gemm_backward_workspace(m: usize, n: usize, k: usize) -> usize {
    let (a, b) = (gemm_workspace(m, k, n), gemm_workspace(k, n, m));
    if a > b { a } else { b }
}

#[inline]
pub(crate) fn gemm_backward_a_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    dc: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut da: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    same_shape("b", [b.rows(), dc.cols()], [b.rows(), b.cols()])?;
    same_shape("da", [dc.rows(), b.rows()], [da.rows(), da.cols()])?;
    gemm_by(j, s, Problem { alpha: T::ONE, beta, a: dc, b: b.t(), c: da.reborrow() }, (), workspace)?;
    contract!(gemm_backward_a, Ok(()), each | check | check_elements(T::ONE, dc, b.t(), da.as_ref(), check))
}

#[inline]
pub(crate) fn gemm_backward_b_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatRef<'_, T>,
    dc: MatRef<'_, T>,
    beta: T,
    mut db: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    same_shape("dc", [a.rows(), dc.cols()], [dc.rows(), dc.cols()])?;
    same_shape("db", [a.cols(), dc.cols()], [db.rows(), db.cols()])?;
    gemm_by(j, s, Problem { alpha: T::ONE, beta, a: a.t(), b: dc, c: db.reborrow() }, (), workspace)?;
    contract!(gemm_backward_b, Ok(()), each | check | check_elements(T::ONE, a.t(), dc, db.as_ref(), check))
}
