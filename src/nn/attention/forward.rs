//! The forward pass of attention (online softmax over blocks of keys): a block of K and V is packed, then multiplied
//! with panels of queries while it is in cache.

use super::mask::{self, Mask};
use super::panel::{self, Columns, State};
use super::prefetch::Prefetch;
use super::{BLOCK, Heads, Part, decode, take};
use crate::blas::gemm::{gebp, gebp_interleaved, interleave, tile_cols};
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use crate::parts::{LINE, aligned};
use crate::slices::lines;
use crate::view::{MatMut, MatRef};

/// Panels of queries that are multiplied with a packed block: with 8, copying the blocks took a tenth of the time.
pub(crate) const PANELS: usize = if COMPACT { 8 } else { 22 };

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
    (if panels > one { panels } else { one }).saturating_add(LINE)
}

/// All heads of the part.
pub(super) fn run<S: Simd, T: Element>(s: S, op: &Heads<T>, part: Part<'_, T>, scratch: &mut [T]) {
    let scratch = aligned(scratch);
    let Part { q, k, v, mask, mut out, mut lse, row } = part;
    if op.n == 1 {
        return decode::run(s, op, (q, k, v), mask, row, out, lse, scratch);
    }
    let (group, dim, value_dim) = (op.group, op.dim, op.value_dim);
    for h in 0..k.cols() / dim.max(1) {
        let q = q.block([0, h * group * dim], [usize::MAX, group * dim]);
        let k = k.block([0, h * dim], [usize::MAX, dim]);
        let v = v.block([0, h * value_dim], [usize::MAX, value_dim]);
        let lse = lse.as_mut().map(|l| l.reborrow().block([0, h * group], [usize::MAX, group]));
        let out = out.reborrow().block([0, h * group * value_dim], [usize::MAX, group * value_dim]);
        let mask = mask.map(|mask| mask.from(h * group, 0));
        key_head(s, op, (q, k, v), mask, row, out, lse, scratch);
    }
}

/// The queries of one key head.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
fn key_head<S: Simd, T: Element>(
    s: S,
    op: &Heads<T>,
    (q, keys_of, values_of): (MatRef<'_, T>, MatRef<'_, T>, MatRef<'_, T>),
    mask: Option<Mask<'_, T>>,
    row: usize,
    mut out: MatMut<'_, T>,
    mut lse: Option<MatMut<'_, T>>,
    mut scratch: &mut [T],
) {
    let (width, dim, value_dim, group) = (tile_cols::<S, T>(), op.dim, op.value_dim, op.group);
    let scratch = &mut scratch;
    let (packed, sums) = (take(scratch, PANELS * width * dim), take(scratch, PANELS * width * value_dim));
    let [peak, sum, shrink] = [(); 3].map(|()| take(scratch, PANELS * width));
    let [low, high] = [(); 2].map(|()| take(scratch, width));
    let scores = take(scratch, BLOCK * width);
    let (key_rows, values) = (take(scratch, BLOCK * dim), take(scratch, BLOCK * value_dim));
    let mut state = State { peak, sum, shrink };
    let all = q.rows() * group;
    let mut first = 0;
    while first < all {
        let count = (all - first).min(PANELS * width);
        let at = |panel: usize| {
            let start = first + panel * width;
            Columns { group, dim, first: start, count: width.min(all.saturating_sub(start)) }
        };
        let panels = count.div_ceil(width);
        // Few queries have few panels.
        sums.get_mut(..panels * width * value_dim).unwrap_or_default().fill(T::ZERO);
        state.of(0..panels * width).clear();
        let last = at(panels - 1);
        let seen = op.seen(row, at(0).at(0)[0], last.at(last.count - 1)[0]);
        // Panels are packed at their first key and unpacked after the last one: K, V, queries and results
        // come and go all along, and none of them in a rush.
        let (mut packs, mut done) = (0, [false; PANELS]);
        let mut start = seen.start / BLOCK * BLOCK;
        while start < seen.end {
            let keys = BLOCK.min(op.len - start);
            let mut k = keys_of.block([start, 0], [keys, dim]);
            let v = values_of.block([start, 0], [keys, value_dim]);
            // Rows may lie a power of two or a page apart; every panel reads the copies.
            let copied = panels > 1;
            if copied {
                interleave(s, v.t(), values);
                panel::copy(k, key_rows);
                k = MatRef::packed(key_rows, keys, dim);
            }
            // The next block, or the first one for the next queries: a part for each panel.
            let next = if start + BLOCK < seen.end { start + BLOCK } else { 0 };
            let share = BLOCK.div_ceil(panels.max(1));
            for p in 0..panels {
                let at_p = at(p);
                let rows = op.rows_of(row, at_p, start).min(keys);
                if rows == 0 {
                    continue;
                }
                let (mine, part) = (p * width * dim..(p + 1) * width * dim, p * width..(p + 1) * width);
                let results = p * width * value_dim..(p + 1) * width * value_dim;
                let mut prefetch = Prefetch::nothing();
                let rest = [next + p * share, 0];
                prefetch.read(keys_of.block(rest, [share, dim]));
                prefetch.read(values_of.block(rest, [share, value_dim]));
                if p >= packs {
                    packs = p + 1;
                    let to = packed.get_mut(mine.clone()).unwrap_or_default();
                    panel::pack(s, q, at_p, op.scale, to, width);
                    let [row, rows] = at(p + 1).rows();
                    prefetch.read(q.block([row, 0], [rows, usize::MAX]));
                }
                let ends = start + BLOCK >= seen.end || op.rows_of(row, at_p, start + BLOCK) == 0;
                if ends {
                    let [row, rows] = at_p.rows();
                    prefetch.write(out.reborrow().block([row, 0], [rows, usize::MAX]));
                }
                let cols = at_p.count.next_multiple_of(T::Vec::<S>::LANES);
                let Some(scores) = scores.get_mut(..rows * width) else { return };
                let queries = MatRef::packed(packed.get(mine.clone()).unwrap_or_default(), dim, width);
                let queries = queries.block([0, 0], [dim, cols]);
                let to = MatMut::packed(scores, rows, width).block([0, 0], [rows, cols]);
                gebp(s, k.block([0, 0], [rows, dim]), queries, T::ZERO, to);
                if let Some(by) = op.softcap {
                    mask::cap(s, scores, width, cols, by);
                }
                if let Some(mask) = mask {
                    mask.add(s, scores, [width, cols], at_p, [start, rows]);
                }
                if let Some(first) = op.bounds(row, at_p, start, rows, low, high) {
                    panel::hide(s, scores, width, cols, first, low, high);
                }
                let mut now = state.of(part);
                let sums = sums.get_mut(results).unwrap_or_default();
                if now.step(s, scores, width, cols, &mut prefetch) {
                    panel::times(s, sums, width, cols, now.shrink);
                }
                let weights = MatRef::packed(scores, rows, width).block([0, 0], [rows, cols]);
                let to = MatMut::packed(sums, value_dim, width).block([0, 0], [value_dim, cols]);
                if copied {
                    gebp_interleaved(s, values, keys, weights, to);
                } else {
                    gebp(s, v.block([0, 0], [rows, value_dim]).t(), weights, T::ONE, to);
                }
                if let Some(done) = done.get_mut(p).filter(|_| ends) {
                    *done = true;
                    deliver(
                        s,
                        at_p.of(value_dim),
                        width,
                        sums,
                        now,
                        out.reborrow(),
                        lse.as_mut().map(MatMut::reborrow),
                    );
                }
            }
            start += BLOCK;
        }
        // Queries that see no key.
        for (p, sums) in lines(sums, width * value_dim).enumerate().take(panels) {
            if done.get(p) == Some(&false) {
                let now = state.of(p * width..(p + 1) * width);
                deliver(
                    s,
                    at(p).of(value_dim),
                    width,
                    sums,
                    now,
                    out.reborrow(),
                    lse.as_mut().map(MatMut::reborrow),
                );
            }
        }
        first += count;
    }
}

/// Writes the results of a panel.
fn deliver<S: Simd, T: Element>(
    s: S,
    at: Columns,
    width: usize,
    sums: &[T],
    state: State<'_, T>,
    out: MatMut<'_, T>,
    mut lse: Option<MatMut<'_, T>>,
) {
    for (j, (peak, sum)) in state.peak.iter().zip(&mut *state.sum).enumerate().take(at.count) {
        panel::finish(*peak, sum, lse.as_mut().map(|l| l.reborrow().block(at.query(j), [1, 1])));
    }
    panel::unpack(s, sums, width, state.sum, at, out);
}
