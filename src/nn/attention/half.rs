//! Attention of `bf16`: one key head after the other becomes `f32`, then that of `f32`.

use super::{Attention, Heads, Part, attention_workspace, divide, shape, take};
use crate::blas::gemm::widen_rows;
use crate::error::{Error, enough, same_len, same_shape};
use crate::lanes::fold::Serial;
use crate::lanes::{Simd, native};
use crate::view::{MatMut, MatRef};
use half::bf16;

/// [`attention`](crate::attention()) of queries, keys and values in bf16, with results in `f32`.
///
/// Shapes, options, log-sum-exps and strides: as [`attention`](crate::attention()), without a mask. On a CPU the bits are its bits for
/// operands converted to `f32`. A GPU with tensor cores for bf16 rounds each weight `e^(score - peak)` to bf16 before it is
/// multiplied with the values, as FlashAttention does; their sum is that of the weights as they were.
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
    same_shape("out", op.results(all.n), shape(out.as_ref()))?;
    if let Some(lse) = &lse {
        same_len("lse", q.rows() * op.heads, lse.len())?;
    }
    let Heads { group, dim, value_dim, n, len, .. } = all;
    enough(attention_bf16_workspace(op.heads, op.kv_heads, op.widest(), n, len), workspace.len())?;
    if n == 0 {
        return Ok(());
    }
    let mut lse = lse.map(|lse| MatMut::packed(lse, n, op.heads));
    let room = &mut &mut *workspace;
    let wide = take(room, n * group * dim);
    let (keys, values) = (take(room, len * dim), take(room, len * value_dim));
    for h in 0..op.kv_heads {
        let own = q.block([0, h * group * dim], [n, group * dim]);
        widen_rows(s, own, group * dim, wide);
        widen_rows(s, k.block([0, h * dim], [len, dim]), dim, keys);
        widen_rows(s, v.block([0, h * value_dim], [len, value_dim]), value_dim, values);
        let results = group * value_dim;
        let part = Part {
            q: MatRef::packed(wide, n, group * dim),
            k: MatRef::packed(keys, len, dim),
            v: MatRef::packed(values, len, value_dim),
            mask: None,
            out: out.reborrow().block([0, h * results], [n, results]),
            lse: lse.as_mut().map(|l| l.reborrow().block([0, h * group], [n, group])),
            row: 0,
        };
        divide(Serial, s, &all, part, room, 1);
    }
    Ok(())
}

/// Elements of workspace that [`attention_bf16`] needs at most for `n` queries of `heads` heads and `len` keys of `kv_heads`,
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
