//! Decoding attention over a KV cache in half precision or quantised blocks, contiguous or paged.

use super::decode::{AHEAD, TOGETHER, times};
use super::panel::State;
use super::panel::finish;
use super::{Align, Attention, BLOCK, Heads, decode, mask, rows, take};
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, drive};
use crate::plain::Plain;
use crate::pointwise::Add;
use crate::quant::Block;
use crate::slices::{copy, lines, lines_mut};
use crate::view::{MatMut, MatRef};

/// What a cache of keys or values is made of: `f16` and `bf16` (feature `half`), `f32`, or blocks of any
/// format such as [`Q8_0`](crate::quant::Q8_0).
pub trait Cached: Plain + Decoded {}

pub(crate) use sealed::Decoded;
mod sealed {
    use crate::lanes::Simd;

    /// Elements as numbers.
    pub trait Decoded: Sized {
        /// Numbers in one.
        const ELEMENTS: usize;
        /// The numbers of as many elements as fit.
        fn decode<S: Simd>(s: S, x: &[Self], out: &mut [f32]);
    }
}

impl<B: Block> Cached for B {}
impl<B: Block> Decoded for B {
    const ELEMENTS: usize = <B as Block>::ELEMENTS;
    #[inline(always)]
    fn decode<S: Simd>(s: S, x: &[Self], out: &mut [f32]) {
        for (x, out) in x.iter().zip(out.chunks_exact_mut(<B as Block>::ELEMENTS)) {
            x.decode(s, out);
        }
    }
}

macro_rules! numbers {
    ($($T:ty: $f:expr;)*) => {$(
        impl Cached for $T {}
        impl Decoded for $T {
            const ELEMENTS: usize = 1;
            #[inline(always)]
            fn decode<S: Simd>(_: S, x: &[Self], out: &mut [f32]) {
                for (x, out) in x.iter().zip(out) {
                    *out = $f(*x);
                }
            }
        }
    )*};
}
numbers! { f32: core::convert::identity; }
#[cfg(feature = "half")]
numbers! {
    half::f16: crate::convert::from_f16;
    half::bf16: crate::convert::from_bf16;
}

/// Which pages of a cache hold a text's keys and values. `R` is the type of the table: `&[u32]`, or a view of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages<R> {
    /// The page of the first [`Pages::rows`] keys, that of the next ones, and so on: any pages in any order, which texts
    /// with the same beginning may share.
    pub table: R,
    /// Keys in a page.
    pub rows: usize,
    /// Keys of the text so far.
    pub len: usize,
}

ops! { $ cached_ops in crate::nn::attention::cached;
    /// `out[h] = Σ_j w[j]·values[j]` with `w = softmax_j(scale·q[h]·keys[j])`: one query, the last of the text, over a cache of
    /// keys and values in few bits.
    ///
    /// Shapes: `q` and `out` have `heads·dim` elements; `keys` and `values` a row of `kv_heads·dim` numbers for each key, which in
    /// blocks are `kv_heads·dim` divided by the elements of a block, of which `dim` is a multiple. Without `pages` the rows are the
    /// text's; with them, key `j` is row `j % rows` of page `table[j / rows]`. `lse`, if asked for, receives a log-sum-exp for each
    /// head. A window hides all but the last keys; `op.causal` and `op.align` change nothing. A few rows at a time become `f32`; the bits are those of
    /// [`attention`](crate::attention()) of that query on the numbers of the cache.
    ///
    /// NaN and ±0: as [`attention`](crate::attention()).
    ///
    /// Errors: as [`attention`](crate::attention()) for `heads`, `kv_heads`, `dim` and `softcap`; [`Error::Domain`] names `value_dim` unless it is `dim`, and `batch` unless it is 1; [`Error::Rows`] names `dim` when it is no
    /// whole blocks, `keys` when they are no whole rows, or pages; [`Error::Len`] names `q`, `values`, `out`, `lse`, or `pages` when
    /// the table has too few for `len`; [`Error::Empty`] names `pages` of no rows; [`Error::Index`] names `pages` when one is past the end
    /// of the cache; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`attention_decode_workspace`], in `f32`; what it holds does not matter.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// use fulmen::{Attention, Pages, attention_decode, attention_decode_workspace};
    /// let op = Attention::new(1, 1, 32, 1.0);
    /// // Two pages of one key each; the text has them in the other order. Values of 1 and 3, keys of 0.
    /// let cache: [u8; 68] = core::array::from_fn(|i| [0, 0x3c, 1, 3][if i % 34 < 2 { i % 34 } else { 2 + i / 34 }]);
    /// let (keys, values) = (blocks::<Q8_0>(&[0; 68])?, blocks::<Q8_0>(&cache)?);
    /// let mut out = [0.0; 32];
    /// let mut workspace = [0.0; attention_decode_workspace(1, 32)];
    /// let pages = Pages { table: &[1, 0][..], rows: 1, len: 2 };
    /// attention_decode(&op, &[1.0; 32], keys, values, Some(pages), &mut out, None, &mut workspace)?;
    /// assert_eq!(out, [2.0; 32]);
    /// // The first of them alone.
    /// let pages = Pages { len: 1, ..pages };
    /// attention_decode(&op, &[1.0; 32], keys, values, Some(pages), &mut out, None, &mut workspace)?;
    /// assert_eq!(out, [3.0; 32]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: W. Kwon et al., "Efficient memory management for large language model serving with PagedAttention" (2023).
    /// Contract: `contracts/attention_decode-v1.yaml`.
    #[doc(alias = "paged_attention")]
    serial attention_decode<C: crate::nn::Cached>, attention_decode_on, attention_decode_by
        (op: by &Attention<f32>, q: in f32, keys: in C, values: in C, pages: opt_pages u32, out: out f32, lse: opt_out f32, workspace: scratch f32) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(crate) fn attention_decode_by<S: Simd, C: Cached>(
    s: S,
    op: &Attention<f32>,
    q: &[f32],
    keys: &[C],
    values: &[C],
    pages: Option<Pages<&[u32]>>,
    out: &mut [f32],
    lse: Option<&mut [f32]>,
    workspace: &mut [f32],
) -> Result<(), Error> {
    let &Attention { heads, kv_heads, dim, .. } = op;
    let told = pages.map(|p| [p.table.len(), p.rows, p.len]);
    let lens = [q.len(), keys.len(), values.len(), out.len()];
    let Checked { len, row, held } = checked::<C>(op, lens, lse.as_ref().map(|lse| lse.len()), told)?;
    if let Some(Pages { table, rows, len }) = pages
        && let Some(&i) = table.iter().take(len.div_ceil(rows.max(1))).find(|i| **i as usize >= held)
    {
        return Err(Error::index("pages", i as usize, held));
    }
    enough(attention_decode_workspace(heads, dim), workspace.len())?;
    let cols = q.len();
    let all = Attention { causal: false, align: Align::BottomRight, ..*op }.on(
        [1, cols],
        [len, kv_heads * dim],
        [len, kv_heads * dim],
    )?;
    let cache = |x| Cache { x, row, head: dim / C::ELEMENTS, pages };
    run(s, &all, q, [cache(keys), cache(values)], out, lse, workspace);
    Ok(())
}

/// What the arguments come to.
pub(crate) struct Checked {
    /// Keys of the text.
    pub(crate) len: usize,
    /// Elements of a row, and pages that the cache has (0 without pages).
    pub(crate) row: usize,
    pub(crate) held: usize,
}

/// The checks of [`attention_decode`] but for the table's entries: of the elements of `q`, keys, values and `out`, those of `lse`,
/// and with pages the table's, keys of a page and of the text.
pub(crate) fn checked<C: Decoded>(
    op: &Attention<f32>,
    [q, keys, values, out]: [usize; 4],
    lse: Option<usize>,
    pages: Option<[usize; 3]>,
) -> Result<Checked, Error> {
    let &Attention { heads, kv_heads, dim, .. } = op;
    not_empty("heads", heads)?;
    not_empty("dim", dim)?;
    if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
        return Err(Error::must_be("kv_heads", "a divisor of `heads`"));
    }
    if !dim.is_multiple_of(C::ELEMENTS) {
        return Err(Error::rows("dim", C::ELEMENTS, dim));
    }
    if op.value_dim.is_some_and(|n| n != dim) {
        return Err(Error::must_be("value_dim", "`dim` or `None`"));
    }
    if op.batch != 1 {
        return Err(Error::must_be("batch", "1"));
    }
    let cols = heads.checked_mul(dim).ok_or(Error::overflow("dim"))?;
    let row = kv_heads * (dim / C::ELEMENTS);
    same_len("q", cols, q)?;
    same_len("values", keys, values)?;
    let (len, held) = match pages {
        None => (crate::quant::rows("keys", keys, row)?, 0),
        Some([table, rows, len]) => {
            not_empty("pages", rows)?;
            let page = row.checked_mul(rows).ok_or(Error::overflow("pages"))?;
            let held = crate::quant::rows("keys", keys, page)?;
            let needed = len.div_ceil(rows);
            if table < needed {
                return Err(Error::len("pages", needed, table));
            }
            (len, held)
        }
    };
    same_len("out", cols, out)?;
    if let Some(lse) = lse {
        same_len("lse", heads, lse)?;
    }
    Ok(Checked { len, row, held })
}

/// Elements of workspace that [`attention_decode`] needs at most, whatever the instruction set and the format of the cache.
///
/// ```
/// assert!(fulmen::attention_decode_workspace(32, 128) < 20_000);
/// ```
pub const fn attention_decode_workspace(heads: usize, dim: usize) -> usize {
    decode::workspace(heads, dim).saturating_add(dim.saturating_mul(TOGETHER))
}

/// Rows of keys or values.
#[derive(Clone, Copy)]
struct Cache<'a, C> {
    x: &'a [C],
    /// Elements of a row, and of a head.
    row: usize,
    head: usize,
    pages: Option<Pages<&'a [u32]>>,
}

impl<C: Cached> Cache<'_, C> {
    /// Where the row of key `j` starts.
    #[inline(always)]
    fn at(&self, j: usize) -> usize {
        let row = self.pages.map_or(j, |Pages { table, rows, .. }| {
            let rows = rows.max(1);
            table.get(j / rows).map_or(usize::MAX, |page| *page as usize * rows + j % rows)
        });
        row.saturating_mul(self.row)
    }

    /// The `keys` rows from `start` on as numbers, some together and key head by key head: `f(head, row, rows)`.
    fn each<S: Simd>(
        &self,
        s: S,
        start: usize,
        keys: usize,
        scratch: &mut [f32],
        mut f: impl FnMut(usize, usize, MatRef<'_, f32>),
    ) {
        let dim = self.head * C::ELEMENTS;
        let heads = self.row / self.head.max(1);
        let later = AHEAD.div_ceil(dim.max(1)).min(heads);
        let starts = |j: usize| {
            let mut to = [0; TOGETHER];
            for (i, to) in to.iter_mut().enumerate() {
                *to = self.at(start + j + i);
            }
            to
        };
        let mut now = starts(0);
        for j in (0..keys).step_by(TOGETHER) {
            let n = TOGETHER.min(keys - j);
            // Rows are too far apart for the prefetchers of a CPU.
            let next = starts(j + TOGETHER);
            for h in 0..heads {
                let (soon, head) =
                    if h + later < heads { (&now, h + later) } else { (&next, h + later - heads) };
                s.vectorize(
                    #[inline(always)]
                    || {
                        for ((at, soon), to) in now.iter().zip(soon).zip(lines_mut(scratch, dim)).take(n) {
                            let soon = self.x.as_ptr().wrapping_add(soon.wrapping_add(head * self.head));
                            for line in (0..self.head * size_of::<C>()).step_by(64) {
                                S::F32::prefetch(s, soon.wrapping_byte_add(line).cast());
                            }
                            let x = self.x.get(at + h * self.head..).and_then(|x| x.get(..self.head));
                            C::decode(s, x.unwrap_or_default(), to);
                        }
                    },
                );
                f(h, j, MatRef::packed(scratch, n, dim));
            }
            now = next;
        }
    }
}

/// As [`decode::run`], block by block.
fn run<S: Simd, C: Cached>(
    s: S,
    op: &Heads<f32>,
    q: &[f32],
    [keys, values]: [Cache<'_, C>; 2],
    out: &mut [f32],
    lse: Option<&mut [f32]>,
    mut scratch: &mut [f32],
) {
    let (dim, group) = (op.dim, op.group);
    let heads = q.len() / dim.max(1);
    let scratch = &mut scratch;
    let [queries, waiting] = [(); 2].map(|()| take(scratch, heads * dim));
    let scores = take(scratch, heads * BLOCK);
    let [peak, sum, shrink] = [(); 3].map(|()| take(scratch, heads.next_multiple_of(S::F32::LANES)));
    let decoded = take(scratch, TOGETHER * dim);
    let mut state = State { peak, sum, shrink };
    state.clear();
    out.fill(0.0);
    copy(q, queries);
    times(s, queries, op.scale);
    let seen = op.seen(0, 0, 0);
    let mut start = seen.start / BLOCK * BLOCK;
    while start < seen.end {
        let n = BLOCK.min(seen.end - start);
        keys.each(s, start, n, decoded, |h, j, k| {
            let queries = queries.get(h * group * dim..(h + 1) * group * dim).unwrap_or_default();
            let to = scores.get_mut(h * group * BLOCK + j..).unwrap_or_default();
            rows::scores(s, k, queries, to, 0);
        });
        if let Some(by) = op.softcap {
            for x in scores.chunks_exact_mut(BLOCK) {
                mask::cap(s, x.get_mut(..n).unwrap_or_default(), n, n, by);
            }
        }
        rows::step(s, &mut state, scores, seen.start.saturating_sub(start).min(n), n);
        values.each(s, start, n, decoded, |h, j, v| {
            let to = waiting.get_mut(h * group * dim..(h + 1) * group * dim).unwrap_or_default();
            let weights = scores.get(h * group * BLOCK + j..).unwrap_or_default();
            rows::values(s, v, weights, to, j == 0, 0);
        });
        for ((sums, more), by) in lines_mut(out, dim).zip(lines(waiting, dim)).zip(&*state.shrink) {
            times(s, sums, *by);
            s.vectorize(
                #[inline(always)]
                || drive::zip_in_place(Serial, s, Add, sums, more),
            );
        }
        start += BLOCK;
    }
    let mut lse = lse.map(|lse| MatMut::packed(lse, 1, heads));
    for (h, (sums, (peak, sum))) in
        lines_mut(out, dim).zip(state.peak.iter().zip(&mut *state.sum)).enumerate()
    {
        finish(*peak, sum, lse.as_mut().map(|l| l.reborrow().block([0, h], [1, 1])));
        times(s, sums, *sum);
    }
}
