//! Attention of `bf16` operands: each key head is converted to `f32` and computed as `f32`.

use super::backward::{self, Gradients};
use super::{Attention, Heads, Part, attention_backward_workspace, attention_workspace, divide, shape, take};
use crate::blas::gemm::rows_to_f32;
use crate::error::{Error, enough, same_len, same_shape};
use crate::lanes::Simd;
use crate::lanes::executor::Serial;
use crate::view::{MatMut, MatRef};
use half::bf16;

#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_bf16_by<S: Simd>(
    s: S,
    op: &Attention<f32>,
    q: MatRef<'_, bf16>,
    k: MatRef<'_, bf16>,
    v: MatRef<'_, bf16>,
    mut out: MatMut<'_, f32>,
    lse: Option<&mut [f32]>,
    workspace: &mut [f32],
) -> Result<(), Error> {
    let all = op.on(shape(q), shape(k), shape(v))?;
    same_shape("out", op.results(q.rows()), shape(out.as_ref()))?;
    if let Some(lse) = &lse {
        same_len("lse", q.rows() * op.heads, lse.len())?;
    }
    let Heads { group, dim, value_dim, n, len, .. } = all;
    enough(attention_bf16_workspace(op.heads, op.kv_heads, op.widest(), n, len), workspace.len())?;
    if n == 0 {
        return Ok(());
    }
    let mut lse = lse.map(|lse| MatMut::packed(lse, q.rows(), op.heads));
    let scratch = &mut &mut *workspace;
    let wide = take(scratch, n * group * dim);
    let (keys, values) = (take(scratch, len * dim), take(scratch, len * value_dim));
    for (at, h) in (0..op.batch).flat_map(|at| (0..op.kv_heads).map(move |h| (at, h))) {
        let (row, key) = (at * n, at * len);
        let own = q.block([row, h * group * dim], [n, group * dim]);
        rows_to_f32(s, own, group * dim, wide);
        rows_to_f32(s, k.block([key, h * dim], [len, dim]), dim, keys);
        rows_to_f32(s, v.block([key, h * value_dim], [len, value_dim]), value_dim, values);
        let results = group * value_dim;
        let part = Part {
            q: MatRef::packed(wide, n, group * dim),
            k: MatRef::packed(keys, len, dim),
            v: MatRef::packed(values, len, value_dim),
            mask: None,
            out: out.reborrow().block([row, h * results], [n, results]),
            lse: lse.as_mut().map(|l| l.reborrow().block([row, h * group], [n, group])),
            row: 0,
        };
        divide(Serial, s, &all, part, scratch, 1);
    }
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_bf16_backward_by<S: Simd>(
    s: S,
    op: &Attention<f32>,
    q: MatRef<'_, bf16>,
    k: MatRef<'_, bf16>,
    v: MatRef<'_, bf16>,
    out: MatRef<'_, f32>,
    lse: &[f32],
    dout: MatRef<'_, bf16>,
    mut dq: MatMut<'_, f32>,
    mut dk: MatMut<'_, f32>,
    mut dv: MatMut<'_, f32>,
    workspace: &mut [f32],
) -> Result<(), Error> {
    let all = op.on(shape(q), shape(k), shape(v))?;
    let Heads { group, dim, value_dim, n, len, .. } = all;
    same_shape("out", op.results(q.rows()), shape(out))?;
    same_len("lse", q.rows() * op.heads, lse.len())?;
    same_shape("dout", op.results(q.rows()), shape(dout))?;
    same_shape("dq", shape(q), shape(dq.as_ref()))?;
    same_shape("dk", shape(k), shape(dk.as_ref()))?;
    same_shape("dv", shape(v), shape(dv.as_ref()))?;
    let needed = attention_bf16_backward_workspace(op.heads, op.kv_heads, op.widest(), n, len);
    enough(needed, workspace.len())?;
    if n == 0 && len == 0 {
        return Ok(());
    }
    let lse = MatRef::packed(lse, q.rows(), op.heads);
    let scratch = &mut &mut *workspace;
    let (queries, slopes) = (take(scratch, n * group * dim), take(scratch, n * group * value_dim));
    let (keys, values) = (take(scratch, len * dim), take(scratch, len * value_dim));
    for (at, h) in (0..op.batch).flat_map(|at| (0..op.kv_heads).map(move |h| (at, h))) {
        let (wide, results, row, key) = (group * dim, group * value_dim, at * n, at * len);
        rows_to_f32(s, q.block([row, h * wide], [n, wide]), wide, queries);
        rows_to_f32(s, dout.block([row, h * results], [n, results]), results, slopes);
        rows_to_f32(s, k.block([key, h * dim], [len, dim]), dim, keys);
        rows_to_f32(s, v.block([key, h * value_dim], [len, value_dim]), value_dim, values);
        let part = Gradients {
            q: MatRef::packed(queries, n, wide),
            k: MatRef::packed(keys, len, dim),
            v: MatRef::packed(values, len, value_dim),
            mask: None,
            out: out.block([row, h * results], [n, results]),
            lse: lse.block([row, h * group], [n, group]),
            dout: MatRef::packed(slopes, n, results),
            dq: dq.reborrow().block([row, h * wide], [n, wide]),
            dk: dk.reborrow().block([key, h * dim], [len, dim]),
            dv: dv.reborrow().block([key, h * value_dim], [len, value_dim]),
        };
        backward::run(s, &all, part, scratch);
    }
    Ok(())
}

/// Elements of workspace that [`attention_bf16_backward`](crate::attention_bf16_backward()) needs at most for `n` queries of `heads` heads and `len` keys of
/// `kv_heads` in each sequence, whatever the instruction set. `dim` is the larger of `dim` and `value_dim`.
///
/// ```
/// assert!(fulmen::attention_bf16_backward_workspace(8, 8, 64, 100, 100) < 190_000);
/// ```
pub const fn attention_bf16_backward_workspace(
    heads: usize,
    kv_heads: usize,
    dim: usize,
    n: usize,
    len: usize,
) -> usize {
    let group = match heads.checked_div(kv_heads) {
        Some(group) => group,
        None => 0,
    };
    let queries = n.saturating_mul(group).saturating_mul(dim).saturating_mul(2);
    let keys = len.saturating_mul(2).saturating_mul(dim);
    attention_backward_workspace(dim).saturating_add(queries).saturating_add(keys)
}

/// Elements of workspace that [`attention_bf16`](crate::attention_bf16()) needs at most for `n` queries of `heads` heads and `len` keys of `kv_heads` in each sequence,
/// whatever the instruction set. `dim` is the larger of `dim` and `value_dim`.
///
/// ```
/// assert!(fulmen::attention_bf16_workspace(8, 8, 64, 100, 100) < 190_000);
/// ```
pub const fn attention_bf16_workspace(
    heads: usize,
    kv_heads: usize,
    dim: usize,
    n: usize,
    len: usize,
) -> usize {
    let group = match heads.checked_div(kv_heads) {
        Some(group) => group,
        None => 0,
    };
    let queries = n.saturating_mul(group).saturating_mul(dim);
    let keys = len.saturating_mul(2).saturating_mul(dim);
    attention_workspace(group, dim).saturating_add(queries).saturating_add(keys)
}
