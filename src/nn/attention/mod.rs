//! Attention: a softmax of scores, in tiles that stay in the caches.
//!
//! | file | holds |
//! |---|---|
//! | `panel` | loops over tiles of scores, with queries as columns |
//! | `forward` | blocks of keys and panels of queries |
//! | `decode` | a single query |
//! | `rows` | its loops over rows of keys and values |
//! | `half` | operands in bf16 |
//! | `cached` | a single query over halves or blocks, in pages |
//! | `backward` | the gradients, from weights that are computed again |

pub(crate) mod backward;
mod cached;
pub(crate) mod decode;
pub(crate) mod forward;
#[cfg(feature = "half")]
mod half;
pub(crate) mod panel;
mod rows;

use crate::blas::gemm::tune::GRAIN;
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, enough, not_empty, same_len, same_shape};
use crate::lanes::fold::{Join, Serial};
use crate::lanes::{Element, Simd, native};
use crate::view::{MatMut, MatRef};
use backward::Gradients;
pub use cached::*;
use core::ops::Range;
#[cfg(feature = "half")]
pub use half::*;
use panel::Columns;

/// Keys in a block: from multiples of it on, so that a query's blocks are the same in any call.
pub(crate) const BLOCK: usize = 128;
/// Products that take as long as an element of K from memory.
pub(crate) const WAIT: usize = 16;
/// Elements in a cache line, at most.
pub(crate) const LINE: usize = 16;

/// What [`attention`] computes.
///
/// Query head `h` reads key head `h / (heads / kv_heads)`. Query `i` of `n` stands at position `len - n + i` of
/// `len` keys, so one call serves a whole text, a part of it after a cache of keys, or the next token. It sees
/// each key `j`; if `causal`, `j ≤ position`; with a window `w`, `j > position - w`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention<T> {
    /// Heads of the queries.
    pub heads: usize,
    /// Heads of the keys and values; divides `heads`.
    pub kv_heads: usize,
    /// Elements of a head.
    pub dim: usize,
    /// What scores are multiplied with, such as `1/√dim`.
    pub scale: T,
    /// Whether later keys are hidden.
    pub causal: bool,
    /// How many keys up to its own position a query sees at most.
    pub window: Option<usize>,
}

/// [`Attention`] on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads<T> {
    group: usize,
    dim: usize,
    scale: T,
    causal: bool,
    window: Option<usize>,
    /// Queries of the call.
    n: usize,
    /// Keys.
    len: usize,
}

impl<T: Element> Heads<T> {
    /// The keys that query `i` sees.
    #[inline(always)]
    fn of_query(&self, i: usize) -> Range<usize> {
        // Keys up to the position of the query; it may stand before the first.
        let upto = (self.len + i + 1).saturating_sub(self.n).min(self.len);
        let start = self.window.map_or(0, |w| (self.len + i + 1).saturating_sub(self.n).saturating_sub(w));
        start.min(self.len)..if self.causal { upto } else { self.len }
    }

    /// The keys from the first to the last that some query of `from..=to`, counted from `row` on, sees.
    fn seen(&self, row: usize, from: usize, to: usize) -> Range<usize> {
        let end = self.of_query(row + to).end;
        self.of_query(row + from).start.min(end)..end
    }

    /// Keys of the block at `start` that some of the columns see, and those before them.
    fn rows_of(&self, row: usize, at: Columns, start: usize) -> usize {
        let Some(last) = at.count.checked_sub(1) else { return 0 };
        let seen = self.seen(row, at.at(0)[0], at.at(last)[0]);
        if seen.start >= start + BLOCK { 0 } else { seen.end.saturating_sub(start) }
    }

    /// Which of the `rows` keys from `start` on each column sees, and the first that not all see; none if all see all.
    fn bounds(
        &self,
        row: usize,
        at: Columns,
        start: usize,
        rows: usize,
        low: &mut [T],
        high: &mut [T],
    ) -> Option<usize> {
        let last = at.count.checked_sub(1)?;
        let (first, last) = (self.of_query(row + at.at(0)[0]), self.of_query(row + at.at(last)[0]));
        if last.start <= start && first.end >= start + rows {
            return None;
        }
        low.fill(T::ZERO);
        high.fill(T::ZERO);
        for (j, (low, high)) in low.iter_mut().zip(high).enumerate().take(at.count) {
            let seen = self.of_query(row + at.at(j)[0]);
            *low = T::from_usize(seen.start.saturating_sub(start).min(BLOCK));
            *high = T::from_usize(seen.end.saturating_sub(start).min(BLOCK)) - T::ONE;
        }
        Some(if last.start > start { 0 } else { first.end.saturating_sub(start) })
    }

    /// Multiplications of a product of the part.
    fn work(&self, rows: usize, heads: usize) -> usize {
        rows.saturating_mul(heads * self.group).saturating_mul(self.len).saturating_mul(self.dim)
    }
}

impl<T: Element> Attention<T> {
    /// For these shapes, of which `out` is checked by the caller.
    pub(crate) fn on(&self, q: [usize; 2], k: [usize; 2], v: [usize; 2]) -> Result<Heads<T>, Error> {
        let &Self { heads, kv_heads, dim, scale, causal, window } = self;
        not_empty("heads", heads)?;
        not_empty("dim", dim)?;
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
            return Err(Error::Domain { arg: "kv_heads" });
        }
        let cols = heads.checked_mul(dim).ok_or(Error::Overflow { arg: "dim" })?;
        let (n, len) = (q[0], k[0]);
        same_shape("q", [n, cols], q)?;
        same_shape("k", [len, kv_heads * dim], k)?;
        same_shape("v", k, v)?;
        if causal && n > len {
            return Err(Error::Shape { arg: "k", expected: [n, k[1]], got: k });
        }
        if len.checked_add(n).is_none_or(|n| n == usize::MAX) || n.checked_mul(heads).is_none() {
            return Err(Error::Overflow { arg: "q" });
        }
        Ok(Heads { group: heads / kv_heads, dim, scale, causal, window, n, len })
    }
}

fn shape<T>(x: MatRef<'_, T>) -> [usize; 2] {
    [x.rows(), x.cols()]
}

/// The first `n` elements of what is left.
fn take<'a, T>(room: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (part, rest) = core::mem::take(room).split_at_mut_checked(n).unwrap_or_default();
    *room = rest;
    part
}

/// The room from its first cache line on.
fn aligned<T>(room: &mut [T]) -> &mut [T] {
    let skip = room.as_ptr().align_offset(64).min(LINE);
    room.get_mut(skip..).unwrap_or_default()
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
    out: MatMut<'a, T>,
    lse: Option<MatMut<'a, T>>,
    /// The first query's number.
    row: usize,
}

/// `out[i] = Σ_j w[j]·v[j]` with `w = softmax_j(scale·q[i]·k[j])` over the keys that query `i` sees, head by head.
///
/// Shapes: `q` and `out` are `n` by `heads·dim`, `k` and `v` `len` by `kv_heads·dim`, each with any strides: they may
/// be columns of one matrix, or of a cache of keys. `lse`, if asked for, receives the `n` by `heads` values
/// `ln Σ_j e^(scale·q[i]·k[j])` that [`attention_backward`] needs. Keys pass by in blocks of 128 and each query
/// keeps its peak, sum and weighted values (the online softmax), so no matrix of scores is there. The bits of a query's
/// result depend on the instruction set, the query and the keys and values up to its position, not on
/// the other queries of the call, the strides or the number of threads. A single query reads K and V once.
///
/// NaN and ±0: a NaN in a query makes its head NaN, one in a key that it sees too. A query that sees no key, or only
/// scores of -∞, gives zeros and the log-sum-exp -∞. A NaN or an infinity in a value makes its column NaN also
/// where its weight is 0, and may do so for queries that don't see it.
///
/// Errors: [`Error::Empty`] for `heads` or `dim` of 0, [`Error::Domain`] names `kv_heads` when it does not divide `heads`,
/// [`Error::Shape`] names `q`, `k`, `v` or `out`, and `k` when `causal` asks for more queries than keys; [`Error::Len`] of `lse`;
/// [`Error::Overflow`]; [`Error::Workspace`]. Nothing is written then.
///
/// Scratch: [`attention_workspace`], whatever the numbers of queries and keys; what it holds does not matter.
///
/// ```
/// use fulmen::{Attention, MatMut, MatRef, attention, attention_workspace};
/// const HEADS: usize = 2;
/// const DIM: usize = 2;
/// let op = Attention { heads: HEADS, kv_heads: 1, dim: DIM, scale: 1.0, causal: true, window: None };
/// // Two tokens: the first sees itself alone.
/// let (q, k, v) = ([0.0f32; 8], [0.0; 4], [1.0, 2.0, 3.0, 4.0]);
/// let mut out = [0.0; 8];
/// let mut workspace = [0.0; attention_workspace(HEADS, DIM)];
/// attention(
///     &op,
///     MatRef::row_major(&q, 2, 4)?,
///     MatRef::row_major(&k, 2, 2)?,
///     MatRef::row_major(&v, 2, 2)?,
///     MatMut::row_major(&mut out, 2, 4)?,
///     None,
///     &mut workspace,
/// )?;
/// assert_eq!(out, [1.0, 2.0, 1.0, 2.0, 2.0, 3.0, 2.0, 3.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax" (2018); T. Dao et al.,
/// "FlashAttention" (2022). Contract: `contracts/attention-v1.yaml`.
#[inline]
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
    attention_by(Serial, s, op, q, k, v, out, lse, workspace)
}

/// Elements of workspace that [`attention`] needs at most, whatever the instruction set.
///
/// ```
/// assert!(fulmen::attention_workspace(8, 64) < 170_000);
/// ```
pub const fn attention_workspace(heads: usize, dim: usize) -> usize {
    forward::workspace(heads, dim)
}

/// [`attention_on`], the parts run by `j`.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_by<J: Join, S: Simd, T: Element>(
    j: J,
    s: S,
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
    lse: Option<&mut [T]>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let heads = op.on(shape(q), shape(k), shape(v))?;
    same_shape("out", shape(q), shape(out.as_ref()))?;
    if let Some(lse) = &lse {
        same_len("lse", q.rows() * op.heads, lse.len())?;
    }
    let needed = attention_workspace(op.heads, op.dim);
    enough(needed, workspace.len())?;
    if heads.n == 0 {
        return Ok(());
    }
    let lse = lse.map(|lse| MatMut::packed(lse, q.rows(), op.heads));
    // A single query waits for memory.
    let each = if heads.n == 1 { WAIT } else { 1 };
    let work = heads.work(heads.n, op.kv_heads).saturating_mul(each);
    let parts = parts(j, work, workspace.len() / needed.max(1));
    let part = Part { q, k, v, out: out.reborrow(), lse, row: 0 };
    divide(j, s, &heads, part, workspace, parts);
    let rows = (0..heads.n).filter(|i| !heads.of_query(*i).is_empty());
    contract!(
        attention,
        Ok(()),
        each | check | rows.clone().try_for_each(|i| check_heads(i, op.dim, q, q, out.as_ref(), check))
    )
}

/// Applies `check` to the elements of query `i`, head by head, with whether the head has a NaN in `a` or `b` as the
/// input.
fn check_heads<T: Element>(
    i: usize,
    dim: usize,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    y: MatRef<'_, T>,
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let nan = |x: MatRef<'_, T>, j: usize| x.get(i, j).is_some_and(|x| x.to_f64().is_nan());
    for h in (0..y.cols()).step_by(dim) {
        let has_nan = (h..h + dim).any(|j| nan(a, j) || nan(b, j));
        let x = [if has_nan { T::NAN } else { T::ZERO }];
        for y in (h..h + dim).filter_map(|j| y.get(i, j)) {
            check(&Call::new(&[&x], &[y]))?;
        }
    }
    Ok(())
}

/// On how many threads so many multiplications run, with workspaces for `most`.
fn parts<J: Join>(j: J, work: usize, most: usize) -> usize {
    if J::SERIAL { 1 } else { j.threads().min(work / GRAIN).min(most) }
}

/// Heads on different threads, then queries.
fn divide<J: Join, S: Simd, T: Element>(
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
    let Part { q, k, v, out, lse, row } = part;
    let (w0, w1) = workspace.split_at_mut(workspace.len() / parts * (parts / 2));
    let (p0, p1);
    if heads > 1 {
        let cut = (heads * (parts / 2) / parts).max(1);
        let (wide, narrow) = (cut * op.group * op.dim, cut * op.dim);
        let Ok((out0, out1)) = out.split_cols(wide) else { return };
        let (lse0, lse1) = lse.and_then(|l| l.split_cols(cut * op.group).ok()).unzip();
        let (q, k, v) = (cut_cols(q, wide), cut_cols(k, narrow), cut_cols(v, narrow));
        p0 = Part { q: q.0, k: k.0, v: v.0, out: out0, lse: lse0, row };
        p1 = Part { q: q.1, k: k.1, v: v.1, out: out1, lse: lse1, row };
    } else {
        let cut = halves(op, row, q.rows(), parts);
        let Ok((out0, out1)) = out.split_rows(cut) else { return };
        let (lse0, lse1) = lse.and_then(|l| l.split_rows(cut).ok()).unzip();
        p0 = Part { q: q.block([0, 0], [cut, usize::MAX]), k, v, out: out0, lse: lse0, row };
        p1 = Part { q: q.block([cut, 0], [usize::MAX; 2]), k, v, out: out1, lse: lse1, row: row + cut };
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

/// The gradients of [`attention`] with respect to its queries, keys and values, given `dout`, that of its result:
/// `dv[j] = Σ_i w[i][j]·dout[i]`, `ds[i][j] = w[i][j]·(dout[i]·v[j] - dout[i]·out[i])`,
/// `dq[i] = scale·Σ_j ds[i][j]·k[j]`, `dk[j] = scale·Σ_i ds[i][j]·q[i]`, the sums over `i` over all heads that share `j`'s.
///
/// Shapes: as [`attention`]; `out` and `lse` are what it wrote for the same `op`, `q`, `k` and `v`; `dout` and `dq` have the
/// shape of `q`, `dk` and `dv` that of `k`. `dq`, `dk` and `dv` are overwritten. The weights are computed again from
/// `lse`, block by block. Bits depend on the instruction set and the shapes, not on strides or threads.
///
/// NaN and ±0: NaN in any operand of a head reaches all three gradients of that head, or some; a query that sees no
/// key has the gradient 0 and adds nothing to `dk` and `dv`.
///
/// Errors: as [`attention`]; also [`Error::Shape`] of `out`, `dout`, `dq`, `dk` and `dv`.
///
/// Scratch: [`attention_backward_workspace`].
///
/// ```
/// use fulmen::{Attention, MatMut, MatRef, attention_backward, attention_backward_workspace};
/// let op = Attention { heads: 1, kv_heads: 1, dim: 1, scale: 1.0, causal: false, window: None };
/// // One query, one key: the weight is 1 whatever the score.
/// let (q, k, v, dout) = ([0.5f64], [2.0], [3.0], [1.0]);
/// let (out, lse) = ([3.0], [1.0]);
/// let (mut dq, mut dk, mut dv) = ([9.0], [9.0], [9.0]);
/// let mut workspace = [0.0; attention_backward_workspace(1)];
/// let view = |x| MatRef::row_major(x, 1, 1);
/// attention_backward(
///     &op,
///     view(&q)?, view(&k)?, view(&v)?, view(&out)?, &lse, view(&dout)?,
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
    attention_backward_by(Serial, s, op, q, k, v, out, lse, dout, dq, dk, dv, workspace)
}

/// Elements of workspace that [`attention_backward`] needs at most, whatever the instruction set.
///
/// ```
/// assert!(fulmen::attention_backward_workspace(64) < 130_000);
/// ```
pub const fn attention_backward_workspace(dim: usize) -> usize {
    backward::workspace(dim)
}

/// [`attention_backward_on`], the parts run by `j`.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_backward_by<J: Join, S: Simd, T: Element>(
    j: J,
    s: S,
    op: &Attention<T>,
    q: MatRef<'_, T>,
    k: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatRef<'_, T>,
    lse: &[T],
    dout: MatRef<'_, T>,
    mut dq: MatMut<'_, T>,
    dk: MatMut<'_, T>,
    dv: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let heads = op.on(shape(q), shape(k), shape(v))?;
    same_shape("out", shape(q), shape(out))?;
    same_len("lse", q.rows() * op.heads, lse.len())?;
    same_shape("dout", shape(q), shape(dout))?;
    same_shape("dq", shape(q), shape(dq.as_ref()))?;
    same_shape("dk", shape(k), shape(dk.as_ref()))?;
    same_shape("dv", shape(k), shape(dv.as_ref()))?;
    let needed = attention_backward_workspace(op.dim);
    enough(needed, workspace.len())?;
    if heads.n == 0 && heads.len == 0 {
        return Ok(());
    }
    let lse = MatRef::packed(lse, q.rows(), op.heads);
    let parts = parts(j, heads.work(heads.n, op.kv_heads), workspace.len() / needed.max(1));
    let part = Gradients { q, k, v, out, lse, dout, dq: dq.reborrow(), dk, dv };
    divide_heads(j, s, &heads, part, workspace, parts);
    // A log-sum-exp of -∞ says that the query saw no key.
    let hides = |i: usize| (0..op.heads).any(|h| lse.get(i, h) == Some(-T::INFINITY));
    let rows = (0..heads.n).filter(|i| !heads.of_query(*i).is_empty() && !hides(*i));
    contract!(
        attention_backward,
        Ok(()),
        each | check | rows.clone().try_for_each(|i| check_heads(i, op.dim, q, dout, dq.as_ref(), check))
    )
}

/// Key heads on different threads: queries add to the same keys.
fn divide_heads<J: Join, S: Simd, T: Element>(
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
