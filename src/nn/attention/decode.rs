//! A single query: the columns are all its heads, K and V pass once, and the bits are those of the panels.

use super::forward::finish;
use super::panel::State;
use super::{BLOCK, Heads, take};
use crate::alu::Alu;
use crate::blas::gemm::near;
use crate::lanes::drive;
use crate::lanes::fold::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::nn::softmax::Times;
use crate::pointwise::Add;
use crate::view::{MatMut, MatRef};

/// Keys whose rows pass by all heads together: the memory is read in its order, not head by head.
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
        for (p, to) in to.chunks_exact_mut(group).enumerate() {
            for (i, to) in to.iter_mut().enumerate() {
                *to = q.get(0, (h * group + i) * dim + p).unwrap_or(T::ZERO) * op.scale;
            }
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
                fetch(s, k, TOGETHER);
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
        let shrinks = state.step(s, scores, width, width);
        values(s, scores, width, v.block([start, 0], [keys, usize::MAX]), group, dim, waiting);
        merge(s, sums, dim, shrinks.then_some(&*state.shrink), waiting);
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

/// `to[i] = Σ_j weights[j][i]·v[j][i / group]`, `dim` elements of each head `i`.
fn values<S: Simd, T: Element>(
    s: S,
    weights: &[T],
    width: usize,
    v: MatRef<'_, T>,
    group: usize,
    dim: usize,
    to: &mut [T],
) {
    let keys = v.rows();
    if v.col_stride() != 1 {
        for (h, to) in to.chunks_exact_mut(group * dim).enumerate() {
            let weights = MatRef::packed(weights, keys, width).block([0, h * group], [keys, group]);
            let v = v.block([0, h * dim], [keys, dim]);
            near(s, v.t(), weights, T::ZERO, MatMut::packed(to, group, dim).t());
        }
        return;
    }
    let mut j = 0;
    while j < keys {
        let n = TOGETHER.min(keys - j);
        for (h, to) in to.chunks_exact_mut(group * dim).enumerate() {
            let weights = weights.get(j * width + h * group..).unwrap_or_default();
            add_rows(s, weights, width, group, v.block([j, h * dim], [n, dim]), to, j == 0);
        }
        j += n;
    }
}

/// Asks for rows of X, `ahead` rows before they are needed; it may leave the matrix.
#[inline(never)]
fn fetch<S: Simd, T: Element>(s: S, x: MatRef<'_, T>, ahead: usize) {
    if x.col_stride() != 1 {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            for i in 0..x.rows() {
                let row = x.ptr().wrapping_offset(((i + ahead) as isize).wrapping_mul(x.row_stride()));
                for j in (0..x.cols()).step_by(64 / size_of::<T>()) {
                    T::Vec::<S>::prefetch(s, row.wrapping_add(j));
                }
            }
        },
    );
}

/// `to[i][p] += Σ_r weights[r][i]·x[r][p]` in the order of `r`, from 0 on if `first`. Rows of `weights` are `width` apart;
/// X has unit column stride, and as many rows after its last are asked for.
#[inline(never)]
fn add_rows<S: Simd, T: Element>(
    s: S,
    weights: &[T],
    width: usize,
    group: usize,
    x: MatRef<'_, T>,
    to: &mut [T],
    first: bool,
) {
    let (rows, cols) = (x.rows(), x.cols());
    let Some(last) = rows.checked_sub(1) else { return };
    if x.col_stride() != 1 || weights.len() < last * width + group || to.len() < group * cols {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            let mut i = 0;
            while i < group {
                let t = Rows {
                    rows,
                    cols,
                    weights: weights.as_ptr().wrapping_add(i),
                    width,
                    x: x.ptr(),
                    step: x.row_stride(),
                    to: to.as_mut_ptr().wrapping_add(i * cols),
                    first,
                    fetch: i == 0,
                };
                // SAFETY: `weights` has `rows` rows of `group`, X `rows` of `cols`, `to` `group` of `cols`.
                unsafe {
                    match group - i {
                        1 => weigh::<S, T, 1, 4>(s, &t),
                        2 => weigh::<S, T, 2, 4>(s, &t),
                        3 => weigh::<S, T, 3, 2>(s, &t),
                        _ => weigh::<S, T, 4, 2>(s, &t),
                    }
                }
                i += 4;
            }
        },
    );
}

/// The operands of [`weigh`].
struct Rows<T> {
    rows: usize,
    cols: usize,
    weights: *const T,
    width: usize,
    x: *const T,
    step: isize,
    to: *mut T,
    first: bool,
    fetch: bool,
}

/// [`add_rows`] of `R` rows `to`, `N` vectors of columns at once.
/// # Safety
/// The pointers are valid for `rows` by `R` weights, `rows` by `cols` of X and, for writes, `R` by `cols` of `to`.
#[inline(always)]
unsafe fn weigh<S: Simd, T: Element, const R: usize, const N: usize>(s: S, t: &Rows<T>) {
    let lanes = T::Vec::<S>::LANES;
    let mut p = 0;
    // SAFETY: whole vectors of columns from `p`, then what is left.
    unsafe {
        while t.cols - p >= N * lanes {
            strip::<S, T, R, N>(s, t, p, lanes);
            p += N * lanes;
        }
        while p < t.cols {
            let n = lanes.min(t.cols - p);
            strip::<S, T, R, 1>(s, t, p, n);
            p += n;
        }
    }
}

/// `N` vectors of columns from `p`; a single one may have `n` columns only.
/// # Safety
/// As [`weigh`], and the columns are there.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, v < N")]
unsafe fn strip<S: Simd, T: Element, const R: usize, const N: usize>(s: S, t: &Rows<T>, p: usize, n: usize) {
    let lanes = T::Vec::<S>::LANES;
    let whole = N > 1 || n == lanes;
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut acc = [[zero; N]; R];
    // SAFETY: the caller's promise.
    unsafe {
        let load = |from: *const T| {
            if whole { T::Vec::<S>::load(s, from) } else { T::Vec::<S>::load_first(s, from, n, T::ZERO) }
        };
        if !t.first {
            for (i, acc) in acc.iter_mut().enumerate() {
                for (v, acc) in acc.iter_mut().enumerate() {
                    *acc = load(t.to.add(i * t.cols + p + v * lanes));
                }
            }
        }
        let mut r = 0;
        while r < t.rows {
            let x = t.x.offset(r as isize * t.step).add(p);
            let mut w = [zero; R];
            for (i, w) in w.iter_mut().enumerate() {
                *w = T::Vec::<S>::splat(s, t.weights.add(r * t.width + i).read());
            }
            let mut v = 0;
            while v < N {
                if t.fetch {
                    let next = x.wrapping_offset((t.rows as isize).wrapping_mul(t.step));
                    T::Vec::<S>::prefetch(s, next.wrapping_add(v * lanes));
                }
                let x = load(x.add(v * lanes));
                let mut i = 0;
                while i < R {
                    acc[i][v] = w[i].mul_add(x, acc[i][v]);
                    i += 1;
                }
                v += 1;
            }
            r += 1;
        }
        for (i, acc) in acc.into_iter().enumerate() {
            for (v, acc) in acc.into_iter().enumerate() {
                let to = t.to.add(i * t.cols + p + v * lanes);
                if whole {
                    acc.store(to);
                } else {
                    acc.store_first(to, n);
                }
            }
        }
    }
}

/// `to = to·shrink + more`, row after row of `cols`, each with its factor.
#[inline(never)]
fn merge<S: Simd, T: Element>(s: S, to: &mut [T], cols: usize, shrink: Option<&[T]>, more: &[T]) {
    for (i, (to, more)) in to.chunks_exact_mut(cols).zip(more.chunks_exact(cols)).enumerate() {
        if let Some(by) = shrink.and_then(|x| x.get(i)) {
            s.vectorize(
                #[inline(always)]
                || drive::map_in_place(Serial, s, Times(*by), to),
            );
        }
        s.vectorize(
            #[inline(always)]
            || drive::zip_in_place(Serial, s, Add, to, more),
        );
    }
}
