//! The options of attention: heads, scale, causal mask, sliding window, soft cap; and which keys a query attends to.

use super::BLOCK;
use super::panel::Columns;
use crate::error::{Error, not_empty, same_shape};
use crate::lanes::Element;
use core::ops::Range;

/// Which query and which key share a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Align {
    /// The last of each, as FlashAttention has it from version 2.1 on: query `i` of `n` stands at position `len - n + i` of `len` keys, so one
    /// call serves a whole text, a part of it after a cache of keys, or the next token. Of more queries than keys the first `n - len` stand
    /// before all keys: if `causal` they see none.
    #[default]
    BottomRight,
    /// The first of each, as `is_causal` of PyTorch 2.15's `scaled_dot_product_attention` has it: query `i` stands at position `i`.
    TopLeft,
}

/// What [`attention`](crate::attention()) computes.
///
/// Query head `h` reads key head `h / (heads / kv_heads)`. A query has a position among the keys ([`Align`]). It sees
/// each key `j`; if `causal`, `j ≤ position`; with a window `w`, `j > position - w`.
///
/// ```
/// use fulmen::{Align, Attention};
/// let gemma = Attention { causal: true, softcap: Some(50.0f32), ..Attention::new(8, 4, 256, 0.0625) };
/// assert_eq!((gemma.align, gemma.window, gemma.value_dim), (Align::BottomRight, None, None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
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
    /// Where queries stand; by default the last one at the last key.
    pub align: Align,
    /// With a cap `c`, a score `s` becomes `c·tanh(s/c)`, before the mask is added: it stays between `-c` and `c`.
    pub softcap: Option<T>,
    /// Elements of a head's values and results, where they are not `dim`.
    pub value_dim: Option<usize>,
    /// Sequences of one length, whose rows follow each other in every operand; none sees the keys of another, and a mask is
    /// that of each.
    pub batch: usize,
}

impl<T> Attention<T> {
    /// Every query of one sequence sees every key, scores are as they are, and values have `dim` elements.
    pub const fn new(heads: usize, kv_heads: usize, dim: usize, scale: T) -> Self {
        let (causal, window, align, softcap, value_dim) = (false, None, Align::BottomRight, None, None);
        Self { heads, kv_heads, dim, scale, causal, window, align, softcap, value_dim, batch: 1 }
    }

    /// Elements of a head's values.
    pub(crate) const fn values(&self) -> usize {
        match self.value_dim {
            Some(n) => n,
            None => self.dim,
        }
    }

    /// Elements of a head, of queries or of values.
    pub(crate) const fn widest(&self) -> usize {
        if self.values() > self.dim { self.values() } else { self.dim }
    }
}

/// [`Attention`] on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads<T> {
    pub(super) group: usize,
    pub(super) dim: usize,
    pub(super) value_dim: usize,
    pub(super) scale: T,
    pub(super) softcap: Option<T>,
    causal: bool,
    window: Option<usize>,
    /// Queries of a sequence.
    pub(super) n: usize,
    /// Its keys.
    pub(super) len: usize,
    /// The position after the last query's.
    end: usize,
}

impl<T: Element> Heads<T> {
    /// The keys that query `i` sees.
    #[inline(always)]
    pub(super) fn of_query(&self, i: usize) -> Range<usize> {
        // Keys up to the position of the query; it may stand before the first.
        let upto = (self.end + i + 1).saturating_sub(self.n);
        let start = self.window.map_or(0, |w| upto.saturating_sub(w));
        start.min(self.len)..if self.causal { upto.min(self.len) } else { self.len }
    }

    /// The keys from the first to the last that some query of `from..=to`, counted from `row` on, sees.
    pub(super) fn seen(&self, row: usize, from: usize, to: usize) -> Range<usize> {
        let end = self.of_query(row + to).end;
        self.of_query(row + from).start.min(end)..end
    }

    /// Keys of the block at `start` that some of the columns see, and those before them.
    pub(super) fn rows_of(&self, row: usize, at: Columns, start: usize) -> usize {
        let Some(last) = at.count.checked_sub(1) else { return 0 };
        let seen = self.seen(row, at.at(0)[0], at.at(last)[0]);
        if seen.start >= start + BLOCK { 0 } else { seen.end.saturating_sub(start) }
    }

    /// Which of the `rows` keys from `start` on each column sees, and the first that not all see; none if all see all.
    pub(super) fn bounds(
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
    pub(super) fn work(&self, rows: usize, heads: usize) -> usize {
        rows.saturating_mul(heads * self.group).saturating_mul(self.len).saturating_mul(self.dim)
    }
}

impl<T: Element> Attention<T> {
    /// The position after the last of `n` queries, of `len` keys.
    pub(crate) fn end(&self, n: usize, len: usize) -> usize {
        match self.align {
            Align::BottomRight => len,
            Align::TopLeft => n,
        }
    }

    /// The shape of the results of `n` queries, of all sequences.
    pub(crate) fn results(&self, n: usize) -> [usize; 2] {
        [n, self.heads * self.values()]
    }

    /// For these shapes, of which `out` is checked by the caller.
    pub(crate) fn on(&self, q: [usize; 2], k: [usize; 2], v: [usize; 2]) -> Result<Heads<T>, Error> {
        let &Self { heads, kv_heads, dim, scale, causal, window, softcap, batch, .. } = self;
        let value_dim = self.values();
        not_empty("batch", batch)?;
        not_empty("heads", heads)?;
        not_empty("dim", dim)?;
        not_empty("value_dim", value_dim)?;
        if softcap.is_some_and(|c| !(c > T::ZERO && c < T::INFINITY)) {
            return Err(Error::must_be("softcap", "positive and finite"));
        }
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
            return Err(Error::must_be("kv_heads", "a divisor of `heads`"));
        }
        let cols = heads.checked_mul(dim).ok_or(Error::overflow("dim"))?;
        heads.checked_mul(value_dim).ok_or(Error::overflow("value_dim"))?;
        let [n, len] = [q, k].map(|x| x[0] / batch);
        // Whole sequences.
        same_shape("q", [n * batch, cols], q)?;
        same_shape("k", [len * batch, kv_heads * dim], k)?;
        same_shape("v", [len * batch, kv_heads * value_dim], v)?;
        let end = self.end(n, len);
        if [end, len].iter().any(|m| m.checked_add(n).is_none_or(|n| n == usize::MAX))
            || q[0].checked_mul(heads).is_none()
        {
            return Err(Error::overflow("q"));
        }
        Ok(Heads { group: heads / kv_heads, dim, value_dim, scale, softcap, causal, window, n, len, end })
    }
}
