//! A single query: the columns are all its heads, K and V pass once, and the bits are those of the panels.

use super::forward::finish;
use super::panel::State;
use super::{BLOCK, Heads, take};
use crate::blas::gemm::{near, near_rows};
use crate::lanes::drive;
use crate::lanes::fold::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::nn::softmax::Times;
use crate::view::{MatMut, MatRef};

/// Keys whose rows pass by all heads together.
const TOGETHER: usize = 16;

/// Elements of workspace.
pub(super) const fn workspace(heads: usize, dim: usize) -> usize {
    let lanes = heads.saturating_add(crate::blas::gemm::tune::MOST_LANES);
    heads.saturating_mul(3).saturating_mul(dim).saturating_add(lanes.saturating_mul(BLOCK + 3))
}

/// All heads of the query.
pub(super) fn run<S: Simd, T: Element>(
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
