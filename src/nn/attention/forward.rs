//! The forward pass: blocks of keys, and panels of queries that meet each block while it lies in the caches.

use super::panel::{self, Columns, State};
use super::{BLOCK, Heads, PANELS, Part, take};
use crate::blas::gemm::{interleave, near, near_interleaved, near_rows, tile_cols};
use crate::lanes::drive;
use crate::lanes::fold::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::nn::softmax::Times;
use crate::view::{MatMut, MatRef};

/// Elements of workspace for a panel of `width` columns.
const fn per_panel(dim: usize, width: usize) -> usize {
    dim.saturating_mul(2).saturating_add(5).saturating_mul(width)
}

/// Elements of workspace for any call.
pub(super) const fn workspace(heads: usize, dim: usize) -> usize {
    const WIDTH: usize = crate::blas::gemm::MOST_TILE_COLS;
    let panels =
        per_panel(dim, PANELS * WIDTH).saturating_add(dim.saturating_add(WIDTH).saturating_mul(BLOCK));
    let lanes = heads.saturating_add(crate::blas::gemm::tune::MOST_LANES);
    let one = heads.saturating_mul(3).saturating_mul(dim).saturating_add(lanes.saturating_mul(BLOCK + 3));
    (if panels > one { panels } else { one }).saturating_add(super::LINE)
}

/// All heads of the part.
pub(super) fn run<S: Simd, T: Element>(s: S, op: &Heads<T>, part: Part<'_, T>, room: &mut [T]) {
    let room = super::aligned(room);
    let Part { q, k, v, mut out, mut lse, row } = part;
    if op.n == 1 {
        return decode(s, op, (q, k, v), row, out, lse, room);
    }
    let (group, dim) = (op.group, op.dim);
    for h in 0..k.cols() / dim {
        let (of_q, of_k) = ([0, h * group * dim], [0, h * dim]);
        let (wide, narrow) = ([usize::MAX, group * dim], [usize::MAX, dim]);
        let q = q.block(of_q, wide);
        let lse = lse.as_mut().map(|l| l.reborrow().block([0, h * group], [usize::MAX, group]));
        let out = out.reborrow().block(of_q, wide);
        key_head(s, op, (q, k.block(of_k, narrow), v.block(of_k, narrow)), row, out, lse, room);
    }
}

/// The queries of one key head.
fn key_head<S: Simd, T: Element>(
    s: S,
    op: &Heads<T>,
    (q, k, v): (MatRef<'_, T>, MatRef<'_, T>, MatRef<'_, T>),
    row: usize,
    mut out: MatMut<'_, T>,
    mut lse: Option<MatMut<'_, T>>,
    mut room: &mut [T],
) {
    let (width, dim, group) = (tile_cols::<S, T>(), op.dim, op.group);
    let room = &mut room;
    let (packed, sums) = (take(room, PANELS * width * dim), take(room, PANELS * width * dim));
    let [peak, sum, shrink] = [(); 3].map(|()| take(room, PANELS * width));
    let [low, high] = [(); 2].map(|()| take(room, width));
    let (scores, values) = (take(room, BLOCK * width), take(room, BLOCK * dim));
    let mut state = State { peak, sum, shrink };
    let all = q.rows() * group;
    let mut first = 0;
    while first < all {
        let count = (all - first).min(PANELS * width);
        let at = |panel: usize| {
            let start = panel * width;
            Columns { group, dim, first: first + start, count: width.min(count.saturating_sub(start)) }
        };
        let panels = count.div_ceil(width);
        for (p, to) in packed.chunks_exact_mut(width * dim).enumerate().take(panels) {
            panel::pack(s, q, at(p), op.scale, to, width);
        }
        sums.fill(T::ZERO);
        state.clear();
        let seen = op.seen(row, at(0).at(0)[0], at(panels - 1).at(at(panels - 1).count - 1)[0]);
        let mut start = seen.start / BLOCK * BLOCK;
        while start < seen.end {
            let keys = BLOCK.min(op.len - start);
            let (k, v) = (k.block([start, 0], [keys, dim]), v.block([start, 0], [keys, dim]));
            // Rows of V may lie a power of two apart; a copy of their tiles is met by every panel.
            let copied = panels > 1;
            if copied {
                interleave(s, v.t(), values);
            }
            for p in 0..panels {
                let at = at(p);
                let rows = op.rows_of(row, at, start).min(keys);
                if rows == 0 {
                    continue;
                }
                let cols = at.count.next_multiple_of(T::Vec::<S>::LANES);
                let (mine, part) = (p * width * dim..(p + 1) * width * dim, p * width..(p + 1) * width);
                let Some(scores) = scores.get_mut(..rows * width) else { return };
                let queries = MatRef::packed(packed.get(mine.clone()).unwrap_or_default(), dim, width);
                let queries = queries.block([0, 0], [dim, cols]);
                let to = MatMut::packed(scores, rows, width).block([0, 0], [rows, cols]);
                near(s, k.block([0, 0], [rows, dim]), queries, T::ZERO, to);
                if op.bounds(row, at, start, rows, low, high) {
                    panel::hide(s, scores, width, cols, low, high);
                }
                let mut now = State {
                    peak: state.peak.get_mut(part.clone()).unwrap_or_default(),
                    sum: state.sum.get_mut(part.clone()).unwrap_or_default(),
                    shrink: state.shrink.get_mut(part).unwrap_or_default(),
                };
                let sums = sums.get_mut(mine).unwrap_or_default();
                if now.step(s, scores, width, cols) {
                    panel::times(s, sums, width, cols, now.shrink);
                }
                let weights = MatRef::packed(scores, rows, width).block([0, 0], [rows, cols]);
                let to = MatMut::packed(sums, dim, width).block([0, 0], [dim, cols]);
                if copied {
                    near_interleaved(s, values, keys, weights, to);
                } else {
                    near(s, v.block([0, 0], [rows, dim]).t(), weights, T::ONE, to);
                }
            }
            start += BLOCK;
        }
        for (p, sums) in sums.chunks_exact(width * dim).enumerate().take(panels) {
            let at = at(p);
            let part = p * width..p * width + width;
            let (peak, sum) = (state.peak.get(part.clone()), state.sum.get_mut(part));
            let (Some(peak), Some(sum)) = (peak, sum) else { return };
            for (j, (peak, sum)) in peak.iter().zip(&mut *sum).enumerate().take(at.count) {
                let c = at.first + j;
                finish(*peak, sum, lse.as_mut().map(|l| l.reborrow().block([c / group, c % group], [1, 1])));
            }
            panel::unpack(s, sums, width, sum, at, out.reborrow());
        }
        first += count;
    }
}

/// A column's sum becomes the factor of its weights, 0 if it sees no key; its log-sum-exp is written.
fn finish<T: Element>(peak: T, sum: &mut T, lse: Option<MatMut<'_, T>>) {
    if let Some(mut lse) = lse {
        // NaN is not the peak, but it is in the sum.
        let value = if *sum == T::ZERO { -T::INFINITY } else { peak + T::from_f64(libm::log(sum.to_f64())) };
        lse.set(0, 0, value);
    }
    *sum = if *sum == T::ZERO { T::ZERO } else { T::ONE / *sum };
}

/// Keys whose rows pass by all heads together.
const TOGETHER: usize = 16;

/// A single query: the columns are all its heads, K and V pass once, and the bits are those of the panels.
fn decode<S: Simd, T: Element>(
    s: S,
    op: &Heads<T>,
    (q, k, v): (MatRef<'_, T>, MatRef<'_, T>, MatRef<'_, T>),
    row: usize,
    mut out: MatMut<'_, T>,
    mut lse: Option<MatMut<'_, T>>,
    mut room: &mut [T],
) {
    let (dim, group, kv_heads) = (op.dim, op.group, k.cols() / op.dim);
    let heads = kv_heads * group;
    let width = heads.next_multiple_of(T::Vec::<S>::LANES);
    let room = &mut room;
    let scores = take(room, BLOCK * width);
    let [peak, sum, shrink] = [(); 3].map(|()| take(room, width));
    let [queries, sums, waiting] = [(); 3].map(|()| take(room, heads * dim));
    let mut state = State { peak, sum, shrink };
    state.clear();
    scores.fill(T::ZERO);
    sums.fill(T::ZERO);
    // Of each key head, `dim` rows of `group`.
    for (h, to) in queries.chunks_exact_mut(group * dim).enumerate() {
        for (i, to) in to.iter_mut().enumerate() {
            *to = q.get(0, (h * group + i % group) * dim + i / group).unwrap_or(T::ZERO) * op.scale;
        }
    }
    let seen = op.seen(row, 0, 0);
    let mut start = seen.start / BLOCK * BLOCK;
    while start < seen.end {
        let keys = BLOCK.min(seen.end - start);
        let Some(scores) = scores.get_mut(..keys * width) else { return };
        let mut j = 0;
        while j < keys {
            let n = TOGETHER.min(keys - j);
            for (h, queries) in queries.chunks_exact(group * dim).enumerate() {
                let k = k.block([start + j, h * dim], [n, dim]);
                let to = MatMut::packed(&mut *scores, keys, width).block([j, h * group], [n, group]);
                near(s, k, MatRef::packed(queries, dim, group), T::ZERO, to);
            }
            j += n;
        }
        if let Some(hidden) = seen.start.checked_sub(start)
            && let Some(scores) = scores.get_mut(..hidden.min(keys) * width)
        {
            scores.fill(-T::INFINITY);
        }
        if state.step(s, scores, width, width) {
            for (sums, by) in sums.chunks_exact_mut(dim).zip(state.shrink.iter()) {
                s.vectorize(
                    #[inline(always)]
                    || drive::map_in_place(Serial, s, Times(*by), sums),
                );
            }
        }
        for (h, sums) in sums.chunks_exact_mut(group * dim).enumerate() {
            let weights = MatRef::packed(scores, keys, width).block([0, h * group], [keys, group]);
            let v = v.block([start, h * dim], [keys, dim]);
            near_rows(s, weights.t(), v, MatMut::packed(sums, group, dim), waiting);
        }
        start += BLOCK;
    }
    for (h, (sums, (peak, sum))) in
        sums.chunks_exact_mut(dim).zip(state.peak.iter().zip(&mut *state.sum)).enumerate()
    {
        finish(*peak, sum, lse.as_mut().map(|l| l.reborrow().block([0, h], [1, 1])));
        for (p, x) in sums.iter().enumerate() {
            out.set(0, h * dim + p, *x * *sum);
        }
    }
}
