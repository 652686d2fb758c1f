//! Attention: heads, and then queries, on different threads.

use super::Threads;
use crate::lanes::{Simd, native};
use crate::nn::{Attention, attention_backward_by, attention_by};
use crate::{Element, Error, MatMut, MatRef};

/// [`attention`](crate::attention()) on rayon's threads, same bits.
///
/// Each thread takes heads, or queries where there are too few heads, and its own share of the workspace; with
/// a workspace for fewer threads ([`attention_workspace`]), fewer run.
#[inline]
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention<T: Element>(
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatMut<'_, T>,
    lse: Option<&mut [T]>,
    workspace: &mut [T],
) -> Result<(), Error> {
    attention_on(native(), op, q, k, v, out, lse, workspace)
}

/// [`attention`] on the instruction set of `s`.
#[inline]
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention_on<S: Simd, T: Element>(
    s: S,
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatMut<'_, T>,
    lse: Option<&mut [T]>,
    workspace: &mut [T],
) -> Result<(), Error> {
    attention_by(Threads, s, op, q, k, v, out, lse, workspace)
}

/// [`attention_backward`](crate::attention_backward()) on rayon's threads, a key head on one of them; same bits.
#[inline]
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention_backward<T: Element>(
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatRef<'_, T>,
    lse: &[T],
    dout: MatRef<'_, T>,
    dq: MatMut<'_, T>,
    dk: MatMut<'_, T>,
    dv: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    attention_backward_on(native(), op, q, k, v, out, lse, dout, dq, dk, dv, workspace)
}

/// [`attention_backward`] on the instruction set of `s`.
#[inline]
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention_backward_on<S: Simd, T: Element>(
    s: S,
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatRef<'_, T>,
    lse: &[T],
    dout: MatRef<'_, T>,
    dq: MatMut<'_, T>,
    dk: MatMut<'_, T>,
    dv: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    attention_backward_by(Threads, s, op, q, k, v, out, lse, dout, dq, dk, dv, workspace)
}

/// Elements of workspace that [`attention`] needs for a number of threads.
pub const fn attention_workspace(heads: usize, dim: usize, threads: usize) -> usize {
    crate::attention_workspace(heads, dim).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// Elements of workspace that [`attention_backward`] needs for a number of threads.
pub const fn attention_backward_workspace(dim: usize, threads: usize) -> usize {
    crate::attention_backward_workspace(dim).saturating_mul(if threads == 0 { 1 } else { threads })
}
