//! Scaled dot-product attention in tiles that stay in the caches (FlashAttention on a CPU).
//!
//! | file | holds |
//! |---|---|
//! | `options` | the options, and which keys a query attends to |
//! | `mask` | soft-capping and masks of scores |
//! | `panel` | the online softmax over panels of scores, with queries as columns |
//! | `prefetch` | software prefetch of the next panel |
//! | `forward` | the forward pass: blocks of keys, panels of queries |
//! | `decode` | a single query |
//! | `rows` | the products of a single query with rows of keys and values |
//! | `half`, `typed` | bf16 operands, and the declarations of their functions |
//! | `cached` | a single query over a KV cache in half precision or quantised, contiguous or paged |
//! | `backward` | the backward pass, with recomputed weights |

pub(crate) mod backward;
pub(crate) mod cached;
pub(crate) mod decode;
pub(crate) mod forward;
#[cfg(feature = "half")]
pub(crate) mod half;
mod mask;
mod options;
pub(crate) mod panel;
mod prefetch;
mod rows;
pub(crate) mod typed;

use crate::blas::gemm::tune::GRAIN;
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};
use backward::Gradients;
pub use cached::*;
#[cfg(feature = "half")]
pub use half::*;
use mask::Mask;
#[cfg(feature = "gpu")]
pub(crate) use mask::{mask_rows, softcap};
use options::Heads;
pub use options::{Align, Attention};
#[cfg(feature = "half")]
pub use typed::*;

/// Keys in a block: from multiples of it on, so that a query's blocks are the same in any call.
pub(crate) const BLOCK: usize = 128;
/// Products that take as long as an element of K from memory.
pub(crate) const WAIT: usize = 16;

fn shape<T>(x: MatRef<'_, T>) -> [usize; 2] {
    [x.rows(), x.cols()]
}

/// The first `n` elements of what is left.
fn take<'a, T>(scratch: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (part, rest) = core::mem::take(scratch).split_at_mut_checked(n).unwrap_or_default();
    *scratch = rest;
    part
}

/// The rows of a sequence, of so many each.
fn rows_of<T>(x: MatRef<'_, T>, at: usize, n: usize) -> MatRef<'_, T> {
    x.block([at * n, 0], [n, usize::MAX])
}

/// [`rows_of`] what is written.
fn rows_of_mut<'a, T>(x: &'a mut MatMut<'_, T>, at: usize, n: usize) -> MatMut<'a, T> {
    x.reborrow().block([at * n, 0], [n, usize::MAX])
}

/// The first `n` columns, and the rest.
fn cut_cols<T>(x: MatRef<'_, T>, n: usize) -> (MatRef<'_, T>, MatRef<'_, T>) {
    (x.block([0, 0], [usize::MAX, n]), x.block([0, n], [usize::MAX; 2]))
}

/// Some heads and queries of a call.
struct Part<'a, T> {
    q: MatRef<'a, T>,
    k: MatRef<'a, T>,
    v: MatRef<'a, T>,
    mask: Option<Mask<'a, T>>,
    out: MatMut<'a, T>,
    lse: Option<MatMut<'a, T>>,
    /// The first query's number.
    row: usize,
}

ops! { $ attention_ops in crate::nn::attention;
    /// `out[i] = Σ_j w[j]·v[j]` with `w = softmax_j(s[i][j])` over the keys that query `i` sees, head by head, of the scores
    /// `s[i][j] = cap(scale·q[i]·k[j]) + mask[i][j]`, where `cap(x) = c·tanh(x/c)` with a [softcap](Attention::softcap) `c`, else `x`.
    ///
    /// Shapes: `q` is `n` by `heads·dim`, `k` `len` by `kv_heads·dim`, `v` `len` by `kv_heads·value_dim`, `out` `n` by
    /// `heads·value_dim`, with a [batch](Attention::batch) as many times the rows, each with any strides: they may be columns of one
    /// matrix, or of a cache of keys. `mask`, if there is one,
    /// is `n` by `len` for all heads, or `heads·n` by `len`, head after head; a row stride of 0 gives all queries one row. Where it is
    /// -∞ a key is hidden; a bias such as ALiBi's is a mask, too. `lse`, if asked for, receives the `n` by `heads` values of each sequence
    /// `ln Σ_j e^s[i][j]` that [`attention_backward`] needs. Keys pass by in blocks of 128 and each query
    /// keeps its peak, sum and weighted values (the online softmax), so no matrix of scores is there. The bits of a query's
    /// result depend on the instruction set, the query, its mask and the keys and values up to its position, not on
    /// the other queries of the call, the strides or the number of threads. A single query reads K and V once.
    ///
    /// NaN and ±0: a NaN in a query makes its head NaN, one in a key that it sees too, also where the mask is -∞; one in a row of
    /// the mask, or +∞, makes what it is added to NaN. A query that sees no key, or only
    /// scores of -∞, gives zeros and the log-sum-exp -∞. A NaN or an infinity in a value makes its column NaN also
    /// where its weight is 0, and may do so for queries that don't see it. An infinite scale may be taken with the elements of a query or with
    /// the products, and a score of which a step overflows may be infinite or NaN: backends differ there.
    ///
    /// Errors: [`Error::Empty`] for `heads`, `dim`, `value_dim` or `batch` of 0, [`Error::Domain`] names `kv_heads` when it does not divide
    /// `heads`, and `softcap` unless it is positive and finite; [`Error::Shape`] names `q`, `k`, `v`, `mask` or `out`; [`Error::Len`] of
    /// `lse`; [`Error::Overflow`]; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`attention_workspace`], whatever the numbers of queries and keys; what it holds does not matter.
    ///
    /// ```
    /// use fulmen::{Attention, MatMut, MatRef, attention, attention_workspace};
    /// const HEADS: usize = 2;
    /// const DIM: usize = 2;
    /// let op = Attention { causal: true, ..Attention::new(HEADS, 1, DIM, 1.0) };
    /// // Two tokens: the first sees itself alone.
    /// let (q, k, v) = ([0.0f32; 8], [0.0; 4], [1.0, 2.0, 3.0, 4.0]);
    /// let mut out = [0.0; 8];
    /// let mut workspace = [0.0; attention_workspace(HEADS, DIM)];
    /// attention(
    ///     &op,
    ///     MatRef::row_major(&q, 2, 4)?,
    ///     MatRef::row_major(&k, 2, 2)?,
    ///     MatRef::row_major(&v, 2, 2)?,
    ///     None,
    ///     MatMut::row_major(&mut out, 2, 4)?,
    ///     None,
    ///     &mut workspace,
    /// )?;
    /// assert_eq!(out, [1.0, 2.0, 1.0, 2.0, 2.0, 3.0, 2.0, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/attention.rs`.
    ///
    /// Source: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax" (2018); T. Dao et al.,
    /// "FlashAttention" (2022); the cap: Gemma Team, "Gemma 2" (2024). Contract: `contracts/attention-v1.yaml`.
    #[doc(alias = "flash_attention")]
    #[doc(alias = "scaled_dot_product_attention")]
    #[doc(alias = "sdpa")]
    threads "Each thread takes heads, or queries where there are too few heads, and its own share of the workspace; with a workspace for fewer threads ([`attention_workspace()`]), fewer run." attention, attention_on, attention_by
        (op: by &Attention<T>, q: mat T, k: mat T, v: mat T, mask: opt_mat T, out: mat_out T, lse: opt_out T, workspace: scratch T) -> Result<()>;

    /// The gradients of [`attention`] with respect to its queries, keys and values, given `dout`, that of its result:
    /// `dv[j] = Σ_i w[i][j]·dout[i]`, `ds[i][j] = w[i][j]·(dout[i]·v[j] - dout[i]·out[i])`, times `1 - tanh²(scale·q[i]·k[j]/c)`
    /// with a softcap `c`, `dq[i] = scale·Σ_j ds[i][j]·k[j]`, `dk[j] = scale·Σ_i ds[i][j]·q[i]`, the sums over `i` over all heads that share `j`'s.
    ///
    /// Shapes: as [`attention`]; `out` and `lse` are what it wrote for the same `op`, `q`, `k`, `v` and `mask`; `dout` has the shape
    /// of `out`, `dq` that of `q`, `dk` of `k` and `dv` of `v`. `dq`, `dk` and `dv` are overwritten. The weights are computed again from
    /// `lse`, block by block. Bits depend on the instruction set and the shapes, not on strides or threads.
    ///
    /// NaN and ±0: NaN, an infinity or an overflow in any operand or product of a head reaches all three gradients of the heads that share
    /// its keys, or some, also of what does not see it; a query that sees no key has the gradient 0 and otherwise adds nothing to `dk` and `dv`.
    ///
    /// Errors: as [`attention`]; also [`Error::Shape`] of `out`, `dout`, `dq`, `dk` and `dv`.
    ///
    /// Scratch: [`attention_backward_workspace`].
    ///
    /// ```
    /// use fulmen::{Attention, MatMut, MatRef, attention_backward, attention_backward_workspace};
    /// let op = Attention::new(1, 1, 1, 1.0);
    /// // One query, one key: the weight is 1 whatever the score.
    /// let (q, k, v, dout) = ([0.5f64], [2.0], [3.0], [1.0]);
    /// let (out, lse) = ([3.0], [1.0]);
    /// let (mut dq, mut dk, mut dv) = ([9.0], [9.0], [9.0]);
    /// let mut workspace = [0.0; attention_backward_workspace(1)];
    /// let view = |x| MatRef::row_major(x, 1, 1);
    /// attention_backward(
    ///     &op,
    ///     view(&q)?, view(&k)?, view(&v)?, None, view(&out)?, &lse, view(&dout)?,
    ///     MatMut::row_major(&mut dq, 1, 1)?,
    ///     MatMut::row_major(&mut dk, 1, 1)?,
    ///     MatMut::row_major(&mut dv, 1, 1)?,
    ///     &mut workspace,
    /// )?;
    /// assert_eq!((dq, dk, dv), ([0.0], [0.0], [1.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: T. Dao et al., "FlashAttention" (2022), appendix B. Contract: `contracts/attention_backward-v1.yaml`.
    threads "A key head is on one thread." attention_backward, attention_backward_on, attention_backward_by
        (op: by &Attention<T>, q: mat T, k: mat T, v: mat T, mask: opt_mat T, out: mat T, lse: in T, dout: mat T, dq: mat_out T,
         dk: mat_out T, dv: mat_out T, workspace: scratch T) -> Result<()>;
}

/// Elements of workspace that [`attention`] needs at most, whatever the instruction set. `dim` is the larger of `dim` and
/// `value_dim`.
///
/// ```
/// assert!(fulmen::attention_workspace(8, 64) < 170_000);
/// ```
pub const fn attention_workspace(heads: usize, dim: usize) -> usize {
    forward::workspace(heads, dim)
}

/// [`attention_on`], the parts run by `j`.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    mask: Option<MatRef<'_, T>>,
    mut out: MatMut<'_, T>,
    lse: Option<&mut [T]>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let heads = op.on(shape(q), shape(k), shape(v))?;
    let mask = mask.map(|mask| Mask::new(mask, op.heads, heads.n, heads.len)).transpose()?;
    same_shape("out", op.results(q.rows()), shape(out.as_ref()))?;
    if let Some(lse) = &lse {
        same_len("lse", q.rows() * op.heads, lse.len())?;
    }
    let needed = attention_workspace(op.heads, op.widest());
    enough(needed, workspace.len())?;
    if heads.n == 0 {
        return Ok(());
    }
    let mut lse = lse.map(|lse| MatMut::packed(lse, q.rows(), op.heads));
    // A single query waits for memory.
    let each = if heads.n == 1 { WAIT } else { 1 };
    let work = heads.work(heads.n, op.kv_heads).saturating_mul(each);
    let parts = parts(j, work, workspace.len() / needed.max(1));
    let (n, len) = (heads.n, heads.len);
    for at in 0..op.batch {
        let (q, k, v) = (rows_of(q, at, n), rows_of(k, at, len), rows_of(v, at, len));
        let lse = lse.as_mut().map(|lse| rows_of_mut(lse, at, n));
        let part = Part { q, k, v, mask, out: rows_of_mut(&mut out, at, n), lse, row: 0 };
        divide(j, s, &heads, part, workspace, parts);
    }
    let rows = (0..q.rows()).filter(|i| !heads.of_query(*i % n).is_empty());
    contract!(
        attention,
        Ok(()),
        each | check | rows.clone().try_for_each(|i| check_heads(i, op.heads, [q, q, out.as_ref()], check))
    )
}

/// Applies `check` to the elements of query `i` in `y`, head by head, with whether the head has a NaN in `a` or `b` as the
/// input.
fn check_heads<T: Element>(
    i: usize,
    heads: usize,
    [a, b, y]: [MatRef<'_, T>; 3],
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    for h in 0..heads {
        let [a, b, y] = [a, b, y].map(|x| {
            let dim = x.cols() / heads;
            x.block([i, h * dim], [1, dim])
        });
        let nan = |x: MatRef<'_, T>| (0..x.cols()).any(|j| x.get(0, j).is_some_and(|x| x.to_f64().is_nan()));
        let x = [if nan(a) || nan(b) { T::NAN } else { T::ZERO }];
        for y in (0..y.cols()).filter_map(|j| y.get(0, j)) {
            check(&Call::new(&[&x], &[y]))?;
        }
    }
    Ok(())
}

/// On how many threads so many multiplications run, with workspaces for `most`.
fn parts<J: Executor>(j: J, work: usize, most: usize) -> usize {
    if J::SERIAL { 1 } else { j.threads().min(work / GRAIN).min(most) }
}

/// Heads on different threads, then queries.
fn divide<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    op: &Heads<T>,
    part: Part<'_, T>,
    workspace: &mut [T],
    parts: usize,
) {
    let heads = part.k.cols().checked_div(op.dim).unwrap_or(0);
    if parts <= 1 || (heads <= 1 && part.q.rows() <= 1) {
        return forward::run(s, op, part, workspace);
    }
    let Part { q, k, v, mask, out, lse, row } = part;
    let (w0, w1) = workspace.split_at_mut(workspace.len() / parts * (parts / 2));
    let (p0, p1);
    if heads > 1 {
        let cut = (heads * (parts / 2) / parts).max(1);
        let (wide, narrow) = (cut * op.group * op.dim, cut * op.dim);
        let values = cut * op.value_dim;
        let Ok((out0, out1)) = out.split_cols(op.group * values) else { return };
        let (lse0, lse1) = lse.and_then(|l| l.split_cols(cut * op.group).ok()).unzip();
        let (q, k, v) = (cut_cols(q, wide), cut_cols(k, narrow), cut_cols(v, values));
        let rest = mask.map(|mask| mask.from(cut * op.group, 0));
        p0 = Part { q: q.0, k: k.0, v: v.0, mask, out: out0, lse: lse0, row };
        p1 = Part { q: q.1, k: k.1, v: v.1, mask: rest, out: out1, lse: lse1, row };
    } else {
        let cut = halves(op, row, q.rows(), parts);
        let Ok((out0, out1)) = out.split_rows(cut) else { return };
        let (lse0, lse1) = lse.and_then(|l| l.split_rows(cut).ok()).unzip();
        let rest = mask.map(|mask| mask.from(0, cut));
        p0 = Part { q: q.block([0, 0], [cut, usize::MAX]), k, v, mask, out: out0, lse: lse0, row };
        p1 = Part {
            q: q.block([cut, 0], [usize::MAX; 2]),
            k,
            v,
            mask: rest,
            out: out1,
            lse: lse1,
            row: row + cut,
        };
    }
    j.join(
        usize::MAX,
        || divide(j, s, op, p0, w0, parts / 2),
        || divide(j, s, op, p1, w1, parts - parts / 2),
    );
}

/// Queries, from `row` on, that have `parts / 2` of `parts` of the keys to look at.
fn halves<T: Element>(op: &Heads<T>, row: usize, rows: usize, parts: usize) -> usize {
    let keys = |i: usize| op.of_query(row + i).len() as u128;
    let all: u128 = (0..rows).map(keys).sum();
    let mut left = all * (parts / 2) as u128 / parts.max(1) as u128;
    let cut = (0..rows).find(|i| {
        let (some, none) = left.overflowing_sub(keys(*i));
        left = some;
        none
    });
    cut.unwrap_or(rows / 2).clamp(1, rows.max(2) - 1)
}

/// Elements of workspace that [`attention_backward`] needs at most, whatever the instruction set. `dim` is the larger of `dim`
/// and `value_dim`.
///
/// ```
/// assert!(fulmen::attention_backward_workspace(64) < 130_000);
/// ```
pub const fn attention_backward_workspace(dim: usize) -> usize {
    backward::workspace(dim)
}

/// [`attention_backward_on`], the parts run by `j`.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    mask: Option<MatRef<'_, T>>,
    out: MatRef<'_, T>,
    lse: &[T],
    dout: MatRef<'_, T>,
    mut dq: MatMut<'_, T>,
    mut dk: MatMut<'_, T>,
    mut dv: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let heads = op.on(shape(q), shape(k), shape(v))?;
    let mask = mask.map(|mask| Mask::new(mask, op.heads, heads.n, heads.len)).transpose()?;
    same_shape("out", op.results(q.rows()), shape(out))?;
    same_len("lse", q.rows() * op.heads, lse.len())?;
    same_shape("dout", op.results(q.rows()), shape(dout))?;
    same_shape("dq", shape(q), shape(dq.as_ref()))?;
    same_shape("dk", shape(k), shape(dk.as_ref()))?;
    same_shape("dv", shape(v), shape(dv.as_ref()))?;
    let needed = attention_backward_workspace(op.widest());
    enough(needed, workspace.len())?;
    if heads.n == 0 && heads.len == 0 {
        return Ok(());
    }
    let lse = MatRef::packed(lse, q.rows(), op.heads);
    let parts = parts(j, heads.work(heads.n, op.kv_heads), workspace.len() / needed.max(1));
    let (n, len) = (heads.n, heads.len);
    for at in 0..op.batch {
        let part = Gradients {
            q: rows_of(q, at, n),
            k: rows_of(k, at, len),
            v: rows_of(v, at, len),
            mask,
            out: rows_of(out, at, n),
            lse: rows_of(lse, at, n),
            dout: rows_of(dout, at, n),
            dq: rows_of_mut(&mut dq, at, n),
            dk: rows_of_mut(&mut dk, at, len),
            dv: rows_of_mut(&mut dv, at, len),
        };
        divide_heads(j, s, &heads, part, workspace, parts);
    }
    // A log-sum-exp of -∞ says that the query saw no key.
    let hides = |i: usize| (0..op.heads).any(|h| lse.get(i, h) == Some(-T::INFINITY));
    let rows = (0..q.rows()).filter(|i| !heads.of_query(*i % n).is_empty() && !hides(*i));
    contract!(
        attention_backward,
        Ok(()),
        each | check | rows.clone().try_for_each(|i| check_heads(i, op.heads, [q, dout, dq.as_ref()], check))
    )
}

/// Key heads on different threads: queries add to the same keys.
fn divide_heads<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    op: &Heads<T>,
    part: Gradients<'_, T>,
    workspace: &mut [T],
    parts: usize,
) {
    let heads = part.k.cols().checked_div(op.dim).unwrap_or(0);
    if parts <= 1 || heads <= 1 {
        return backward::run(s, op, part, workspace);
    }
    let cut = (heads * (parts / 2) / parts).max(1);
    let Some((p0, p1)) = part.split(op, cut) else { return };
    let (w0, w1) = workspace.split_at_mut(workspace.len() / parts * (parts / 2));
    j.join(
        usize::MAX,
        || divide_heads(j, s, op, p0, w0, parts / 2),
        || divide_heads(j, s, op, p1, w1, parts - parts / 2),
    );
}
