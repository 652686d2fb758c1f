//! Attention of `bf16`: each key head is converted to `f32`, then computed as that of `f32`.

use super::backward::{self, Gradients};
use super::{Attention, Heads, Part, attention_backward_workspace, attention_workspace, divide, shape, take};
use crate::blas::gemm::rows_to_f32;
use crate::error::{Error, enough, same_len, same_shape};
use crate::lanes::executor::Serial;
use crate::lanes::{Simd, native};
use crate::view::{MatMut, MatRef};
use half::bf16;

/// [`attention`](crate::attention()) of queries, keys and values in bf16, with results in `f32`.
///
/// Shapes, options, log-sum-exps and strides: as [`attention`](crate::attention()), without a mask. On a CPU the bits are its bits for
/// operands converted to `f32`. A GPU with tensor cores for bf16 rounds each weight `e^(score - peak)` to bf16 before it is
/// multiplied with the values, as FlashAttention 2.8 does; their sum is that of the weights as they were.
///
/// NaN and ±0: as [`attention`](crate::attention()).
///
/// Errors: as [`attention`](crate::attention()). Nothing is written then.
///
/// Scratch: [`attention_bf16_workspace`], in `f32`; what it holds does not matter.
///
/// ```
/// use fulmen::{Attention, MatMut, MatRef, attention_bf16, attention_bf16_workspace};
/// use half::bf16;
/// let op = Attention { causal: true, ..Attention::new(1, 1, 1, 1.0) };
/// let (q, k, v) = ([bf16::ZERO; 2], [bf16::ONE; 2], [1.0, 3.0].map(bf16::from_f32));
/// let (mut out, mut workspace) = ([0.0; 2], [0.0; attention_bf16_workspace(1, 1, 1, 2, 2)]);
/// let view = |x| MatRef::row_major(x, 2, 1);
/// attention_bf16(&op, view(&q)?, view(&k)?, view(&v)?, MatMut::row_major(&mut out, 2, 1)?, None, &mut workspace)?;
/// assert_eq!(out, [1.0, 2.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: J. Shah et al., "FlashAttention-3" (2024). Contract: `contracts/attention_bf16-v1.yaml`.
#[inline]
pub fn attention_bf16(
    op: &Attention<f32>,
    q: MatRef<'_, bf16>,
    k: MatRef<'_, bf16>,
    v: MatRef<'_, bf16>,
    out: MatMut<'_, f32>,
    lse: Option<&mut [f32]>,
    workspace: &mut [f32],
) -> Result<(), Error> {
    attention_bf16_on(native(), op, q, k, v, out, lse, workspace)
}

/// [`attention_bf16`] on the instruction set of `s`.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention_bf16_on<S: Simd>(
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

/// [`attention_backward`](crate::attention_backward()) of queries, keys, values and gradients of the results in bf16, with
/// gradients in `f32`. `out` and `lse` are the results of [`attention_bf16`].
///
/// Shapes, options and strides: as [`attention_backward`](crate::attention_backward()), without a mask. On a CPU the bits are
/// its bits for operands converted to `f32`. A GPU with tensor cores for bf16 rounds weights and slopes of scores to bf16
/// before they are multiplied, and a NaN or infinity of a key, value, query or gradient may also reach the gradients of what
/// does not see it.
///
/// NaN and ±0: as [`attention_backward`](crate::attention_backward()).
///
/// Errors: as [`attention_backward`](crate::attention_backward()). Nothing is written then.
///
/// Scratch: [`attention_bf16_backward_workspace`], in `f32`; what it holds does not matter.
///
/// ```
/// use fulmen::{Attention, MatMut, MatRef, attention_bf16_backward, attention_bf16_backward_workspace};
/// use half::bf16;
/// // One query sees two keys alike: each value gets half of the gradient.
/// let op = Attention::new(1, 1, 1, 1.0f32);
/// let (q, k, v, dout) = ([bf16::ONE], [bf16::ZERO; 2], [1.0, 3.0].map(bf16::from_f32), [bf16::ONE]);
/// let (out, lse) = ([2.0], [2f32.ln()]);
/// let ([mut dq], [mut dk, mut dv]) = ([[0.0; 1]], [[0.0; 2]; 2]);
/// let mut workspace = [0.0; attention_bf16_backward_workspace(1, 1, 1, 1, 2)];
/// let view = |x, rows| MatRef::row_major(x, rows, 1);
/// let [to_q, to_k, to_v] = [(&mut dq[..], 1), (&mut dk, 2), (&mut dv, 2)].map(|(x, rows)| MatMut::row_major(x, rows, 1));
/// attention_bf16_backward(
///     &op, view(&q, 1)?, view(&k, 2)?, view(&v, 2)?, MatRef::row_major(&out, 1, 1)?, &lse, view(&dout, 1)?,
///     to_q?, to_k?, to_v?, &mut workspace,
/// )?;
/// assert!((dv[0] - 0.5).abs() < 1e-6 && (dk[0] + 0.5).abs() < 1e-6 && dq == [0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: J. Shah et al., "FlashAttention-3" (2024). Contract: `contracts/attention_bf16_backward-v1.yaml`.
#[inline]
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention_bf16_backward(
    op: &Attention<f32>,
    q: MatRef<'_, bf16>,
    k: MatRef<'_, bf16>,
    v: MatRef<'_, bf16>,
    out: MatRef<'_, f32>,
    lse: &[f32],
    dout: MatRef<'_, bf16>,
    dq: MatMut<'_, f32>,
    dk: MatMut<'_, f32>,
    dv: MatMut<'_, f32>,
    workspace: &mut [f32],
) -> Result<(), Error> {
    attention_bf16_backward_on(native(), op, q, k, v, out, lse, dout, dq, dk, dv, workspace)
}

/// [`attention_bf16_backward`] on the instruction set of `s`.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub fn attention_bf16_backward_on<S: Simd>(
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

/// Elements of workspace that [`attention_bf16_backward`] needs at most for `n` queries of `heads` heads and `len` keys of
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

/// Elements of workspace that [`attention_bf16`] needs at most for `n` queries of `heads` heads and `len` keys of `kv_heads` in each sequence,
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
