//! The forward pass: blocks of keys, and panels of queries that meet a copy of each block while it lies in the caches.

use super::panel::{self, Columns, State};
use super::{BLOCK, Heads, Part, decode, take};
use crate::blas::gemm::{interleave, near, near_interleaved, tile_cols};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Panels of queries that meet a block while it is near: with 4, copying the blocks took a tenth of the time.
const PANELS: usize = 8;

/// Elements of workspace for a panel of `width` columns.
const fn per_panel(dim: usize, width: usize) -> usize {
    dim.saturating_mul(2).saturating_add(5).saturating_mul(width)
}

/// Elements of workspace for any call.
pub(super) const fn workspace(heads: usize, dim: usize) -> usize {
    const WIDTH: usize = crate::blas::gemm::MOST_TILE_COLS;
    let panels = per_panel(dim, PANELS * WIDTH)
        .saturating_add(dim.saturating_mul(2).saturating_add(WIDTH).saturating_mul(BLOCK));
    let one = decode::workspace(heads, dim);
    (if panels > one { panels } else { one }).saturating_add(super::LINE)
}

/// All heads of the part.
pub(super) fn run<S: Simd, T: Element>(s: S, op: &Heads<T>, part: Part<'_, T>, room: &mut [T]) {
    let room = super::aligned(room);
    let Part { q, k, v, mut out, mut lse, row } = part;
    if op.n == 1 {
        return decode::run(s, op, (q, k, v), row, out, lse, room);
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
    let scores = take(room, BLOCK * width);
    let [key_rows, values] = [(); 2].map(|()| take(room, BLOCK * dim));
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
            let (mut k, v) = (k.block([start, 0], [keys, dim]), v.block([start, 0], [keys, dim]));
            // Rows may lie a power of two or a page apart; copies are met by every panel.
            let copied = panels > 1;
            if copied {
                interleave(s, v.t(), values);
                panel::copy(k, key_rows);
                k = MatRef::packed(key_rows, keys, dim);
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
                if let Some(first) = op.bounds(row, at, start, rows, low, high) {
                    panel::hide(s, scores, width, cols, first, low, high);
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
pub(super) fn finish<T: Element>(peak: T, sum: &mut T, lse: Option<MatMut<'_, T>>) {
    if let Some(mut lse) = lse {
        // NaN is not the peak, but it is in the sum.
        let value = if *sum == T::ZERO { -T::INFINITY } else { peak + T::from_f64(libm::log(sum.to_f64())) };
        lse.set(0, 0, value);
    }
    *sum = if *sum == T::ZERO { T::ZERO } else { T::ONE / *sum };
}
