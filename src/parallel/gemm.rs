//! The matrix product: parts of C on different threads.

use super::Threads;
use crate::blas::gemm::{Epilogue, Problem, batch_by, gemm_by};
use crate::lanes::{Simd, native};
use crate::{BatchMut, BatchRef, Element, Error, MatMut, MatRef};

/// [`gemm`](crate::gemm()) on rayon's threads, same bits.
///
/// Large products take turns at blocks of B: all threads pack one together, then each takes rows of C from what is
/// left. Of smaller ones C is cut along its longer side, again and again, until every thread has a part, and each
/// thread packs what it needs into its own share of the workspace. Products below about a million multiplications per thread
/// use fewer threads, and so does a workspace that is shorter than [`gemm_workspace`] says: one for a single
/// thread is enough for any result.
///
/// ```
/// use fulmen::{MatMut, MatRef, parallel};
/// let n = 300;
/// let (a, b, mut c) = (vec![1.0f32; n * n], vec![2.0; n * n], vec![0.0; n * n]);
/// let mut workspace = vec![0.0; parallel::gemm_workspace(n, n, n, 4)];
/// let (a, b) = (MatRef::row_major(&a, n, n)?, MatRef::row_major(&b, n, n)?);
/// parallel::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, n, n)?, &mut workspace)?;
/// assert!(c.iter().all(|c| *c == 600.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn gemm<T: Element>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_by(Threads, native(), Problem { alpha, beta, a, b, c }, (), workspace)
}

/// [`gemm`] on the instruction set of `s`.
#[inline]
pub fn gemm_on<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_by(Threads, s, Problem { alpha, beta, a, b, c }, (), workspace)
}

/// [`gemm_with`](crate::gemm_with()) on rayon's threads, same bits.
#[inline]
pub fn gemm_with<T: Element, E: Epilogue<T>>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    epilogue: E,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_by(Threads, native(), Problem { alpha, beta, a, b, c }, epilogue, workspace)
}

/// [`gemm_strided_batched`](crate::gemm_strided_batched()) on rayon's threads, same bits; each needs its own workspace.
#[inline]
pub fn gemm_strided_batched<T: Element>(
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    batch_by(Threads, native(), [alpha, beta], a, b, c, workspace)
}

/// Elements of workspace that [`gemm`] needs for a number of threads.
pub const fn gemm_workspace(m: usize, n: usize, k: usize, threads: usize) -> usize {
    crate::gemm_workspace(m, n, k).saturating_mul(if threads == 0 { 1 } else { threads })
}
