//! Batched matrix products: one call multiplies many matrices of the same shape.

use super::threads::parts;
use super::{Problem, gemm_by};
use crate::error::{Error, same_len};
use crate::error::{enough, same_shape};
use crate::forms::named;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd, native};
use crate::view::{BatchMut, BatchRef, MatMut, MatRef};

/// `Cᵢ = αAᵢBᵢ + βCᵢ` for matrices that lie at regular distances.
///
/// A batch stride of 0 in A or B uses one matrix for all. Each product has the bits that
/// [`gemm`](crate::gemm()) gives it, and needs its workspace ([`gemm_workspace`](crate::gemm_workspace()) of one).
///
/// Errors: [`Error::Len`] when the batches differ in number, and those of [`gemm`](crate::gemm()).
///
/// ```
/// use fulmen::{BatchMut, BatchRef, gemm_strided_batched};
/// let (a, b, mut c) = ([1.0f32, 2.0, 3.0, 4.0], [10.0f32, 100.0], [0.0; 4]);
/// // Two columns of two elements, times one row of two… of one element.
/// let a = BatchRef::strided(&a, 0, [2, 2, 1], [2, 1, 1])?;
/// let b = BatchRef::strided(&b, 0, [2, 1, 1], [1, 1, 1])?;
/// gemm_strided_batched(1.0, a, b, 0.0, BatchMut::strided(&mut c, 0, [2, 2, 1], [2, 1, 1])?, &mut [])?;
/// assert_eq!(c, [10.0, 20.0, 300.0, 400.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn gemm_strided_batched<T: Element>(
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_strided_batched_on(native(), alpha, a, b, beta, c, workspace)
}

/// [`gemm_strided_batched`] on the instruction set of `s`.
#[inline]
pub fn gemm_strided_batched_on<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    named!([Result] gemm_strided_batched at serial s, (), batch_by(Serial, s, [alpha, beta], a, b, c, workspace))
}

/// [`gemm_strided_batched_on`], the parts run by `j`.
pub(crate) fn batch_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    [alpha, beta]: [T; 2],
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    mut c: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    same_len("b", a.count(), b.count())?;
    same_len("c", a.count(), c.count())?;
    let count = a.count();
    let (Some(a0), Some(b0), Some(c0)) = (a.get(0), b.get(0), c.get_mut(0)) else { return Ok(()) };
    let one = a0.rows().saturating_mul(a0.cols()).saturating_mul(b0.cols());
    let empty = c0.rows() == 0 || c0.cols() == 0;
    let needed = Problem { alpha, beta, a: a0, b: b0, c: c0 }.checked()?.needed::<S>();
    if empty {
        return Ok(());
    }
    enough(needed, workspace.len())?;
    let parts = parts(j, one.saturating_mul(count), needed, workspace.len()).min(count);
    divide(j, s, [alpha, beta], a, b, c, workspace, parts)
}

/// Halves of the batch on different threads until each has its part.
#[allow(clippy::too_many_arguments, reason = "three operands, two scalars and where to run")]
fn divide<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    scale: [T; 2],
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    mut c: BatchMut<'_, T>,
    workspace: &mut [T],
    parts: usize,
) -> Result<(), Error> {
    let count = c.count();
    if parts <= 1 {
        for i in 0..count {
            let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c.get_mut(i)) else { break };
            gemm_by(Serial, s, Problem { alpha: scale[0], beta: scale[1], a, b, c }, (), workspace)?;
        }
        return Ok(());
    }
    let cut = count / parts * (parts / 2);
    let ((a0, a1), (b0, b1), (c0, c1)) = (a.split(cut), b.split(cut), c.split(cut));
    let (w0, w1) = workspace.split_at_mut(workspace.len() / parts * (parts / 2));
    let (r0, r1) = j.join(
        usize::MAX,
        || divide(j, s, scale, a0, b0, c0, w0, parts / 2),
        || divide(j, s, scale, a1, b1, c1, w1, parts - parts / 2),
    );
    r0.and(r1)
}

/// `Cᵢ = αAᵢBᵢ + βCᵢ` for matrices of one shape, wherever they lie.
///
/// Errors: [`Error::Len`] when the lists differ in length, and those of [`gemm`](crate::gemm()) for any of the
/// products, before one is computed. Scratch: that of one product.
///
/// ```
/// use fulmen::{MatMut, MatRef, gemm_batched};
/// let (x, mut y) = ([2.0f32], [0.0; 2]);
/// let one = MatRef::row_major(&x, 1, 1)?;
/// let (p, q) = y.split_at_mut(1);
/// let mut c = [MatMut::row_major(p, 1, 1)?, MatMut::row_major(q, 1, 1)?];
/// gemm_batched(1.0, &[one, one], &[one, one], 0.0, &mut c, &mut [])?;
/// assert_eq!(y, [4.0, 4.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn gemm_batched<T: Element>(
    alpha: T,
    a: &[MatRef<'_, T>],
    b: &[MatRef<'_, T>],
    beta: T,
    c: &mut [MatMut<'_, T>],
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_batched_on(native(), alpha, a, b, beta, c, workspace)
}

/// [`gemm_batched`] on the instruction set of `s`.
pub fn gemm_batched_on<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: &[MatRef<'_, T>],
    b: &[MatRef<'_, T>],
    beta: T,
    c: &mut [MatMut<'_, T>],
    workspace: &mut [T],
) -> Result<(), Error> {
    same_len("b", a.len(), b.len())?;
    same_len("c", a.len(), c.len())?;
    let Some(first) = a.first().zip(b.first()) else { return Ok(()) };
    let (m, k, n) = (first.0.rows(), first.0.cols(), first.1.cols());
    let mut needed = 0;
    for ((a, b), c) in a.iter().zip(b).zip(c.iter_mut()) {
        same_shape("a", [m, k], [a.rows(), a.cols()])?;
        same_shape("b", [k, n], [b.rows(), b.cols()])?;
        let p = Problem { alpha, beta, a: *a, b: *b, c: c.reborrow() };
        needed = needed.max(p.checked()?.needed::<S>());
    }
    let got = workspace.len();
    enough(needed, got)?;
    for ((a, b), c) in a.iter().zip(b).zip(c) {
        gemm_by(Serial, s, Problem { alpha, beta, a: *a, b: *b, c: c.reborrow() }, (), workspace)?;
    }
    Ok(())
}
