//! The backward pass of attention: softmax weights are recomputed from the log-sum-exps, block by block.

use super::mask::{self, Mask};
use super::panel::{self, Columns};
use super::{BLOCK, Heads, cut_cols, take};
use crate::blas::gemm::{MOST_TILE_COLS, gebp, gebp_interleaved, interleave, tile_cols};
use crate::lanes::drive;
use crate::lanes::executor::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::nn::softmax::Times;
use crate::parts::{LINE, aligned};
use crate::slices::{lines, lines_mut};
use crate::view::{MatMut, MatRef};

/// Panels of queries that are multiplied with a packed block of keys.
pub(crate) const PANELS: usize = 4;

/// Elements of workspace for any call.
pub(super) const fn workspace(dim: usize) -> usize {
    const WIDE: usize = PANELS * MOST_TILE_COLS;
    let columns = dim.saturating_mul(5).saturating_add(2 * BLOCK + 4).saturating_mul(WIDE);
    columns.saturating_add(dim.saturating_mul(BLOCK)).saturating_add(LINE)
}

/// Some key heads and the query heads that share them.
pub(super) struct Gradients<'a, T> {
    pub q: MatRef<'a, T>,
    pub k: MatRef<'a, T>,
    pub v: MatRef<'a, T>,
    pub mask: Option<Mask<'a, T>>,
    pub out: MatRef<'a, T>,
    pub lse: MatRef<'a, T>,
    pub dout: MatRef<'a, T>,
    pub dq: MatMut<'a, T>,
    pub dk: MatMut<'a, T>,
    pub dv: MatMut<'a, T>,
}

impl<T: Element> Gradients<'_, T> {
    /// The first `n` key heads, and the rest.
    pub(super) fn split(self, op: &Heads<T>, n: usize) -> Option<(Self, Self)> {
        let heads = n * op.group;
        let (wide, narrow) = (heads * op.dim, n * op.dim);
        let (results, values) = (heads * op.value_dim, n * op.value_dim);
        let (q, k, v) = (cut_cols(self.q, wide), cut_cols(self.k, narrow), cut_cols(self.v, values));
        let (out, lse, dout) =
            (cut_cols(self.out, results), cut_cols(self.lse, heads), cut_cols(self.dout, results));
        let dq = self.dq.split_cols(wide).ok()?;
        let (dk, dv) = (self.dk.split_cols(narrow).ok()?, self.dv.split_cols(values).ok()?);
        let first = Self {
            q: q.0,
            k: k.0,
            v: v.0,
            mask: self.mask,
            out: out.0,
            lse: lse.0,
            dout: dout.0,
            dq: dq.0,
            dk: dk.0,
            dv: dv.0,
        };
        let rest = Self {
            q: q.1,
            k: k.1,
            v: v.1,
            mask: self.mask.map(|mask| mask.from(heads, 0)),
            out: out.1,
            lse: lse.1,
            dout: dout.1,
            dq: dq.1,
            dk: dk.1,
            dv: dv.1,
        };
        Some((first, rest))
    }
}

/// All heads of the part.
pub(super) fn run<S: Simd, T: Element>(s: S, op: &Heads<T>, mut part: Gradients<'_, T>, scratch: &mut [T]) {
    let scratch = aligned(scratch);
    while let Some((head, rest)) = part.split(op, 1)
        && head.k.cols() > 0
    {
        key_head(s, op, head, scratch);
        part = rest;
    }
}

/// `to[j] = scale·x[column j]`, rows of a head.
fn rows<S: Simd, T: Element>(s: S, x: MatRef<'_, T>, at: Columns, scale: T, to: &mut [T]) {
    for (j, to) in lines_mut(to, at.dim).enumerate().take(at.count) {
        let [row, col] = at.at(j);
        let head = x.block([row, col], [1, at.dim]);
        match head.row_slice(0) {
            Some(head) if head.len() == to.len() => s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, Times(scale), [head], to),
            ),
            _ => {
                for (p, to) in to.iter_mut().enumerate() {
                    *to = head.get(0, p).unwrap_or(T::ZERO) * scale;
                }
            }
        }
    }
}

fn clear<T: Element>(mut x: MatMut<'_, T>) {
    for i in 0..x.rows() {
        if let Some(row) = x.row_slice_mut(i) {
            row.fill(T::ZERO);
            continue;
        }
        for j in 0..x.cols() {
            x.set(i, j, T::ZERO);
        }
    }
}

/// One key head.
fn key_head<S: Simd, T: Element>(s: S, op: &Heads<T>, g: Gradients<'_, T>, mut scratch: &mut [T]) {
    let Gradients { q, k, v, mask, out, lse, dout, mut dq, mut dk, mut dv } = g;
    let (width, dim, value_dim, group) = (tile_cols::<S, T>(), op.dim, op.value_dim, op.group);
    // What one buffer holds after the other, queries' or results'.
    let most = dim.max(value_dim);
    let wide = PANELS * width;
    let scratch = &mut scratch;
    let [q_cols, q_rows] = [(); 2].map(|()| take(scratch, wide * dim));
    let [d_cols, d_rows] = [(); 2].map(|()| take(scratch, wide * value_dim));
    let sums = take(scratch, wide * most);
    let [weights, slopes] = [(); 2].map(|()| take(scratch, BLOCK * wide));
    let [logs, means] = [(); 2].map(|()| take(scratch, wide));
    let [low, high] = [(); 2].map(|()| take(scratch, width));
    let tiles = take(scratch, BLOCK * dim);
    clear(dk.reborrow());
    clear(dv.reborrow());
    let all = q.rows() * group;
    let mut first = 0;
    while first < all {
        let count = (all - first).min(wide);
        let at = |panel: usize| {
            let start = panel * width;
            Columns { group, dim, first: first + start, count: width.min(count.saturating_sub(start)) }
        };
        let panels = count.div_ceil(width);
        for p in 0..panels {
            let mine = |dim: usize| p * width * dim..(p + 1) * width * dim;
            let (Some(q_cols), Some(d_cols)) = (q_cols.get_mut(mine(dim)), d_cols.get_mut(mine(value_dim)))
            else {
                return;
            };
            let results = at(p).of(value_dim);
            panel::pack(s, q, at(p), op.scale, q_cols, width);
            panel::pack(s, dout, results, T::ONE, d_cols, width);
            let outs = sums.get_mut(mine(value_dim)).unwrap_or_default();
            panel::pack(s, out, results, T::ONE, outs, width);
            let means = means.get_mut(p * width..(p + 1) * width).unwrap_or_default();
            panel::dots(s, outs, d_cols, width, means);
        }
        let whole = Columns { group, dim, first, count };
        rows(s, q, whole, op.scale, q_rows);
        rows(s, dout, whole.of(value_dim), T::ONE, d_rows);
        logs.fill(T::INFINITY);
        for (j, to) in logs.iter_mut().enumerate().take(count) {
            let [row, head] = whole.query(j);
            let lse = lse.get(row, head).unwrap_or(T::INFINITY);
            // A query that sees no key has no weights.
            *to = if lse == -T::INFINITY { T::INFINITY } else { lse };
        }
        sums.fill(T::ZERO);
        let seen = op.seen(0, whole.at(0)[0], whole.at(count - 1)[0]);
        let mut start = seen.start / BLOCK * BLOCK;
        while start < seen.end {
            let keys = BLOCK.min(seen.end - start);
            let (k, v) = (k.block([start, 0], [keys, dim]), v.block([start, 0], [keys, value_dim]));
            interleave(s, k.t(), tiles);
            // The panels that see some of the block follow each other.
            let sees = |p: &usize| op.rows_of(0, at(*p), start) > 0;
            let from = (0..panels).find(sees).unwrap_or(panels);
            let to = (from..panels).rev().find(sees).map_or(from, |p| p + 1);
            for p in from..to {
                let at = at(p);
                let cols = at.count.next_multiple_of(T::Vec::<S>::LANES);
                let shape = [keys, cols];
                let mine = |dim: usize| p * width * dim..(p + 1) * width * dim;
                let part = p * width..(p + 1) * width;
                let (Some(q_cols), Some(d_cols), Some(sums)) =
                    (q_cols.get(mine(dim)), d_cols.get(mine(value_dim)), sums.get_mut(mine(dim)))
                else {
                    return;
                };
                let queries = MatRef::packed(q_cols, dim, width).block([0, 0], [dim, cols]);
                let score = MatMut::packed(&mut *weights, keys, wide).block([0, part.start], shape);
                gebp(s, k, queries, T::ZERO, score);
                let grads = MatRef::packed(d_cols, value_dim, width).block([0, 0], [value_dim, cols]);
                let slope = MatMut::packed(&mut *slopes, keys, wide).block([0, part.start], shape);
                gebp(s, v, grads, T::ZERO, slope);
                let (Some(score), Some(slope)) =
                    (weights.get_mut(part.start..keys * wide), slopes.get_mut(part.start..keys * wide))
                else {
                    return;
                };
                let (Some(logs), Some(means)) = (logs.get(part.clone()), means.get(part.clone())) else {
                    return;
                };
                if let Some(by) = op.softcap {
                    mask::uncap(s, [&mut *score, &mut *slope], wide, cols, means, by);
                }
                if let Some(mask) = mask {
                    mask.add(s, score, [wide, cols], at, [start, keys]);
                }
                if let Some(first) = op.bounds(0, at, start, keys, low, high) {
                    panel::hide(s, score, wide, cols, first, low, high);
                }
                // The means of capped scores are subtracted.
                low.fill(T::ZERO);
                let means = if op.softcap.is_some() { &*low } else { means };
                panel::slopes(s, score, slope, wide, cols, logs, means);
                let slope = MatRef::packed(slopes, keys, wide).block([0, part.start], shape);
                let to = MatMut::packed(sums, dim, width).block([0, 0], [dim, cols]);
                gebp_interleaved(s, tiles, keys, slope, to);
            }
            let cols = count.min(to * width).saturating_sub(from * width);
            let inner = [keys, cols];
            let weights = MatRef::packed(weights, keys, wide).block([0, from * width], inner);
            let slopes = MatRef::packed(slopes, keys, wide).block([0, from * width], inner);
            let d_rows = MatRef::packed(d_rows, wide, value_dim);
            let d_rows = d_rows.block([from * width, 0], [cols, value_dim]);
            let q_rows = MatRef::packed(q_rows, wide, dim).block([from * width, 0], [cols, dim]);
            gebp(s, weights, d_rows, T::ONE, dv.reborrow().block([start, 0], [keys, value_dim]));
            gebp(s, slopes, q_rows, T::ONE, dk.reborrow().block([start, 0], [keys, dim]));
            start += BLOCK;
        }
        low.fill(op.scale);
        for (p, sums) in lines(sums, width * dim).enumerate().take(panels) {
            panel::unpack(s, sums, width, low, at(p), dq.reborrow());
        }
        first += count;
    }
}
