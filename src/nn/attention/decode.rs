//! Decoding attention of a single query: K and V are streamed once, in memory order, and the bits are those of the
//! forward pass.

use super::mask::{self, Mask};
use super::panel::{self, State};
use super::{BLOCK, Heads, rows, take};
use crate::blas::gemm::tune::MOST_LANES;
use crate::lanes::drive;
use crate::lanes::executor::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::nn::softmax::Times;
use crate::pointwise::Add;
use crate::slices::{copy, lines, lines_mut};
use crate::view::{MatMut, MatRef};

/// Keys whose rows pass by all heads together.
pub(crate) const TOGETHER: usize = 16;
/// Prefetch distance in elements of each of their rows: the first-level cache holds as much.
pub(crate) const AHEAD: usize = 128;

/// Elements of workspace.
pub(super) const fn workspace(heads: usize, dim: usize) -> usize {
    let state = heads.saturating_add(MOST_LANES).saturating_mul(3);
    heads.saturating_mul(dim.saturating_mul(3).saturating_add(BLOCK)).saturating_add(state)
}

/// All heads of the query.
#[allow(clippy::too_many_arguments, reason = "the formula's operands")]
pub(super) fn run<S: Simd, T: Element>(
    s: S,
    op: &Heads<T>,
    (q, k, v): (MatRef<'_, T>, MatRef<'_, T>, MatRef<'_, T>),
    mask: Option<Mask<'_, T>>,
    row: usize,
    mut out: MatMut<'_, T>,
    mut lse: Option<MatMut<'_, T>>,
    mut scratch: &mut [T],
) {
    let (dim, value_dim, group, kv_heads) = (op.dim, op.value_dim, op.group, k.cols() / op.dim.max(1));
    let heads = kv_heads * group;
    let scratch = &mut scratch;
    let queries = take(scratch, heads * dim);
    let [sums, waiting] = [(); 2].map(|()| take(scratch, heads * value_dim));
    let scores = take(scratch, heads * BLOCK);
    let [peak, sum, shrink] = [(); 3].map(|()| take(scratch, heads.next_multiple_of(T::Vec::<S>::LANES)));
    let mut state = State { peak, sum, shrink };
    state.clear();
    sums.fill(T::ZERO);
    panel::copy(q, queries);
    times(s, queries, op.scale);
    let seen = op.seen(row, 0, 0);
    let mut start = seen.start / BLOCK * BLOCK;
    while start < seen.end {
        let keys = BLOCK.min(seen.end - start);
        each(dim, k, start, keys, |h, j, k, ahead| {
            let queries = queries.get(h * group * dim..(h + 1) * group * dim).unwrap_or_default();
            let to = scores.get_mut(h * group * BLOCK + j..).unwrap_or_default();
            rows::scores(s, k, queries, to, ahead);
        });
        for (h, x) in scores.chunks_exact_mut(BLOCK).enumerate() {
            let x = x.get_mut(..keys).unwrap_or_default();
            if let Some(by) = op.softcap {
                mask::cap(s, x, keys, keys, by);
            }
            if let Some(mask) = mask {
                mask.add_row(s, x, h, start);
            }
        }
        rows::step(s, &mut state, scores, seen.start.saturating_sub(start).min(keys), keys);
        each(value_dim, v, start, keys, |h, j, v, ahead| {
            let to = waiting.get_mut(h * group * value_dim..(h + 1) * group * value_dim).unwrap_or_default();
            let weights = scores.get(h * group * BLOCK + j..).unwrap_or_default();
            rows::values(s, v, weights, to, j == 0, ahead);
        });
        let pairs = lines_mut(sums, value_dim).zip(lines(waiting, value_dim));
        for ((sums, more), by) in pairs.zip(state.shrink.iter()) {
            times(s, sums, *by);
            s.vectorize(
                #[inline(always)]
                || drive::zip_in_place(Serial, s, Add, sums, more),
            );
        }
        start += BLOCK;
    }
    for (h, (sums, (peak, sum))) in
        lines_mut(sums, value_dim).zip(state.peak.iter().zip(&mut *state.sum)).enumerate()
    {
        panel::finish(*peak, sum, lse.as_mut().map(|l| l.reborrow().block([0, h], [1, 1])));
        times(s, sums, *sum);
        let mut out = out.reborrow().block([0, h * value_dim], [1, value_dim]);
        if let Some(out) = out.row_slice_mut(0) {
            copy(sums, out);
            continue;
        }
        for (p, x) in sums.iter().enumerate() {
            out.set(0, p, *x);
        }
    }
}

/// `x·by`, in place.
pub(super) fn times<S: Simd, T: Element>(s: S, x: &mut [T], by: T) {
    if by == T::ONE {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || drive::map_in_place(Serial, s, Times(by), x),
    );
}

/// The `keys` rows of X from `start` on, of heads of `dim`, some together and key head by key head: `f(head, row, rows, ahead)`, with the
/// distance from their elements to what comes soon.
fn each<T: Element>(
    dim: usize,
    x: MatRef<'_, T>,
    start: usize,
    keys: usize,
    mut f: impl FnMut(usize, usize, MatRef<'_, T>, isize),
) {
    let heads = x.cols() / dim.max(1);
    let later = AHEAD.div_ceil(dim.max(1)).min(heads);
    let at = |row: usize, head: usize| {
        let (row, col) = (row as isize, (head * dim) as isize);
        row.wrapping_mul(x.row_stride()).wrapping_add(col.wrapping_mul(x.col_stride()))
    };
    for j in (0..keys).step_by(TOGETHER) {
        let n = TOGETHER.min(keys - j);
        for h in 0..heads {
            let (row, head) = if h + later < heads { (0, h + later) } else { (TOGETHER, h + later - heads) };
            f(h, j, x.block([start + j, h * dim], [n, dim]), at(row, head).wrapping_sub(at(0, h)));
        }
    }
}
