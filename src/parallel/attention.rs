//! Attention: heads, and then queries, on different threads.

use super::Threads;
use super::blas::threaded;
use crate::lanes::{Simd, native};
use crate::nn::{Attention, attention_backward_by, attention_by};
use crate::{Element, Error, MatMut, MatRef};

threaded! {
    ///
    /// Each thread takes heads, or queries where there are too few heads, and its own share of the workspace; with
    /// a workspace for fewer threads ([`attention_workspace`]), fewer run.
    attention attention_on attention_by
        (op: &Attention<T>, q: MatRef<'_, T>, k: MatRef<'_, T>, v: MatRef<'_, T>, mask: Option<MatRef<'_, T>>, out: MatMut<'_, T>, lse: Option<&mut [T]>, workspace: &mut [T]);
    ///
    /// A key head is on one thread.
    attention_backward attention_backward_on attention_backward_by
        (op: &Attention<T>, q: MatRef<'_, T>, k: MatRef<'_, T>, v: MatRef<'_, T>, mask: Option<MatRef<'_, T>>, out: MatRef<'_, T>, lse: &[T], dout: MatRef<'_, T>,
         dq: MatMut<'_, T>, dk: MatMut<'_, T>, dv: MatMut<'_, T>, workspace: &mut [T]);
}

/// Elements of workspace that [`attention`] needs for a number of threads.
pub const fn attention_workspace(heads: usize, dim: usize, threads: usize) -> usize {
    crate::attention_workspace(heads, dim).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// Elements of workspace that [`attention_backward`] needs for a number of threads.
pub const fn attention_backward_workspace(dim: usize, threads: usize) -> usize {
    crate::attention_backward_workspace(dim).saturating_mul(if threads == 0 { 1 } else { threads })
}
