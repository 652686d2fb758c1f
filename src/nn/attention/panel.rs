//! Panels of scores with keys (or elements of a head) as rows and queries as columns: the online softmax of a query stays
//! within one lane, so no step reduces across lanes.

use super::super::softmax::exp_not_above_zero;
use super::prefetch::Prefetch;
use crate::alu::Alu;
use crate::blas::gemm::{in_registers, scatter_lanes};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::slices;
use crate::view::{MatMut, MatRef};
use core::ops::Range;

/// The columns of one key head: `group` heads of the first query, then of the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    /// Heads that share the key head.
    pub group: usize,
    /// Elements of a head.
    pub dim: usize,
    /// The first column.
    pub first: usize,
    /// How many.
    pub count: usize,
}

impl Columns {
    /// Where column `j`'s head starts in a matrix of `group·dim` columns: its row and column.
    #[inline(always)]
    pub(super) fn at(self, j: usize) -> [usize; 2] {
        let (c, group) = (self.first + j, self.group.max(1));
        [c / group, c % group * self.dim]
    }

    /// The same columns of a matrix with heads of `dim` elements.
    pub(super) const fn of(self, dim: usize) -> Self {
        Self { dim, ..self }
    }

    /// The query of column `j`, and its head among those that share the key head.
    #[inline(always)]
    pub(super) fn query(self, j: usize) -> [usize; 2] {
        let (c, group) = (self.first + j, self.group.max(1));
        [c / group, c % group]
    }

    /// The rows that `count` columns from `first` on are part of: the first, and how many.
    #[inline(always)]
    pub(super) fn rows(self) -> [usize; 2] {
        let group = self.group.max(1);
        let first = self.first / group;
        [first, (self.first + self.count).div_ceil(group) - first]
    }
}

/// The constant that is the number of lanes, before others.
macro_rules! by_lanes {
    ($f:ident $args:tt $(; $($n:literal),*)?) => {
        if const { T::Vec::<S>::LANES == 16 } {
            $f::<S, T, 16 $($(, $n)*)?> $args
        } else if const { T::Vec::<S>::LANES == 8 } {
            $f::<S, T, 8 $($(, $n)*)?> $args
        } else if const { T::Vec::<S>::LANES == 4 } {
            $f::<S, T, 4 $($(, $n)*)?> $args
        } else if const { T::Vec::<S>::LANES == 2 } {
            $f::<S, T, 2 $($(, $n)*)?> $args
        } else {
            $f::<S, T, 1 $($(, $n)*)?> $args
        }
    };
}

pub(super) use by_lanes;

/// `to[p][j] = scale·x[column j][p]` for rows of `width`, a multiple of the lanes; zeros in columns beyond.
#[inline(never)]
pub(super) fn pack<S: Simd, T: Element>(
    s: S,
    x: MatRef<'_, T>,
    at: Columns,
    scale: T,
    to: &mut [T],
    width: usize,
) {
    if x.col_stride() != 1 || at.count > width || to.len() < at.dim * width {
        to.fill(T::ZERO);
        for (p, to) in to.chunks_exact_mut(width).enumerate().take(at.dim) {
            for (j, to) in to.iter_mut().enumerate().take(at.count) {
                let [row, col] = at.at(j);
                *to = x.get(row, col + p).unwrap_or(T::ZERO) * scale;
            }
        }
        return;
    }
    let head = |j: usize| {
        let [row, col] = at.at(j);
        let head = x.block([row, col], [1, at.dim]);
        (j < at.count && head.rows() == 1 && head.cols() == at.dim).then(|| head.ptr())
    };
    s.vectorize(
        #[inline(always)]
        || {
            let scale = T::Vec::<S>::splat(s, scale);
            let put = |x: T::Vec<S>, to: *mut T| {
                // SAFETY: `squares` gives room for a register.
                unsafe { (x * scale).store(to) }
            };
            // SAFETY: `to` has `dim` rows of `width`, heads `dim` contiguous elements.
            unsafe { by_lanes!(squares(s, head, at.dim, width, to.as_mut_ptr(), width, put)) }
        },
    );
}

/// `x[r][j] += from(j)[r]`, for the first `cols` columns, a multiple of the lanes, of `rows` rows of `width`. Rows of `from`
/// have unit column stride.
#[inline(never)]
pub(super) fn add<'a, S: Simd, T: Element>(
    s: S,
    x: &mut [T],
    [width, cols]: [usize; 2],
    rows: usize,
    from: impl Fn(usize) -> Option<MatRef<'a, T>>,
) {
    let last = rows.saturating_sub(1).saturating_mul(width).saturating_add(cols);
    if rows == 0 || cols > width || !cols.is_multiple_of(T::Vec::<S>::LANES) || x.len() < last {
        return;
    }
    let from = |j: usize| from(j).filter(|x| x.rows() == 1 && x.cols() >= rows).map(|x| x.ptr());
    s.vectorize(
        #[inline(always)]
        || {
            let put = |x: T::Vec<S>, to: *mut T| {
                // SAFETY: `squares` gives a register of `x`.
                unsafe { (x + T::Vec::<S>::load(s, to)).store(to) }
            };
            // SAFETY: `x` has `rows` rows of `cols`, `width` apart, those of `from` as many elements.
            unsafe { by_lanes!(squares(s, from, rows, cols, x.as_mut_ptr(), width, put)) }
        },
    );
}

/// `put(from(j)[p], to[p][j])` for rows of `n` elements, as columns: squares of `L`, the number of lanes, change places.
/// # Safety
/// `to` is valid for reads and writes of `n` rows of `cols`, a multiple of `L`, `width` apart; rows have `n` elements.
#[inline(always)]
unsafe fn squares<S: Simd, T: Element, const L: usize>(
    s: S,
    from: impl Fn(usize) -> Option<*const T>,
    n: usize,
    cols: usize,
    to: *mut T,
    width: usize,
    put: impl Fn(T::Vec<S>, *mut T),
) {
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut j = 0;
    while j + L <= cols {
        let rows: [Option<*const T>; L] = core::array::from_fn(|i| from(j + i));
        let mut p = 0;
        while p < n {
            let some = L.min(n - p);
            let mut square = [zero; L];
            for (x, row) in square.iter_mut().zip(rows) {
                let Some(row) = row else { continue };
                // SAFETY: `some` elements of the row from `p` on.
                *x = unsafe {
                    if some == L {
                        T::Vec::<S>::load(s, row.add(p))
                    } else {
                        T::Vec::<S>::load_first(s, row.add(p), some, T::ZERO)
                    }
                };
            }
            in_registers::<S, T, L>(s, &mut square);
            // By reference: an array that moves into its iterator is copied.
            for (q, x) in square.iter().enumerate().take(some) {
                put(*x, to.wrapping_add((p + q) * width + j));
            }
            p += some;
        }
        j += L;
    }
}

/// `out[column j][p] = scale[j]·x[p][j]`.
#[inline(never)]
pub(super) fn unpack<S: Simd, T: Element>(
    s: S,
    x: &[T],
    width: usize,
    scale: &[T],
    at: Columns,
    out: MatMut<'_, T>,
) {
    if x.len() < at.dim * width || scale.len() < width || at.count > width {
        return;
    }
    s.vectorize(
        #[inline(always)]
        // SAFETY: `x` has `dim` rows of `width`, `scale` one.
        || unsafe { by_lanes!(unpack_squares(s, x.as_ptr(), width, scale.as_ptr(), at, out)) },
    );
}

/// # Safety
/// `x` is valid for reads of `dim` rows of `width`, `scale` of one, and `L` is the number of lanes.
#[inline(always)]
unsafe fn unpack_squares<S: Simd, T: Element, const L: usize>(
    s: S,
    x: *const T,
    width: usize,
    scale: *const T,
    at: Columns,
    mut out: MatMut<'_, T>,
) {
    let mut j = 0;
    while j < at.count && j + L <= width {
        // SAFETY: columns `j..j + L` of one row.
        let scale = unsafe { T::Vec::<S>::load(s, scale.add(j)) };
        let mut p = 0;
        while p < at.dim {
            let n = L.min(at.dim - p);
            let mut square = [T::Vec::<S>::splat(s, T::ZERO); L];
            for (q, y) in square.iter_mut().enumerate().take(n) {
                // SAFETY: row `p + q < dim`, columns `j..j + L`.
                *y = unsafe { T::Vec::<S>::load(s, x.add((p + q) * width + j)) * scale };
            }
            in_registers::<S, T, L>(s, &mut square);
            for (i, y) in square.iter().enumerate().take(at.count - j) {
                let [row, col] = at.at(j + i);
                let to = out.reborrow().block([row, col + p], [1, n]);
                if to.rows() == 0 || to.cols() < n {
                    continue;
                }
                // SAFETY: the block has `n` elements, a column stride apart.
                unsafe {
                    if to.col_stride() != 1 {
                        scatter_lanes::<S, T>(*y, to.ptr(), n, to.col_stride());
                    } else if n == L {
                        y.store(to.ptr());
                    } else {
                        y.store_first(to.ptr(), n);
                    }
                }
            }
            p += n;
        }
        j += L;
    }
}

/// The rows of `x`, contiguous.
pub(super) fn copy<T: Element>(x: MatRef<'_, T>, to: &mut [T]) {
    for (i, to) in to.chunks_exact_mut(x.cols().max(1)).enumerate().take(x.rows()) {
        if let Some(row) = x.row_slice(i) {
            slices::copy(row, to);
            continue;
        }
        for (j, to) in to.iter_mut().enumerate() {
            *to = x.get(i, j).unwrap_or(T::ZERO);
        }
    }
}

/// Scores that a query does not see become -∞: row `r` of a column counts when `low <= r <= high`, as do the rows before
/// `first`. The last row may end with its columns.
#[inline(never)]
pub(super) fn hide<S: Simd, T: Element>(
    s: S,
    x: &mut [T],
    width: usize,
    cols: usize,
    first: usize,
    low: &[T],
    high: &[T],
) {
    let lanes = T::Vec::<S>::LANES;
    if low.len() < cols || high.len() < cols || cols > width || !cols.is_multiple_of(lanes) {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            let hidden = T::Vec::<S>::splat(s, -T::INFINITY);
            for (r, row) in x.chunks_mut(width).enumerate().skip(first).filter(|(_, row)| row.len() >= cols) {
                let r = T::Vec::<S>::splat(s, T::from_usize(r));
                let mut j = 0;
                while j < cols {
                    // SAFETY: `lanes` columns from `j` of a row, and of the bounds.
                    unsafe {
                        let to = row.as_mut_ptr().add(j);
                        let low = T::Vec::<S>::load(s, low.as_ptr().add(j));
                        let high = T::Vec::<S>::load(s, high.as_ptr().add(j));
                        let seen = low.le(r) & r.le(high);
                        T::Vec::<S>::select(seen, T::Vec::<S>::load(s, to), hidden).store(to);
                    }
                    j += lanes;
                }
            }
        },
    );
}

/// What softmax knows of each column so far.
pub(super) struct State<'a, T> {
    /// The largest score.
    pub peak: &'a mut [T],
    /// `Σ e^(score - peak)`.
    pub sum: &'a mut [T],
    /// What earlier sums were multiplied with at the last step.
    pub shrink: &'a mut [T],
}

impl<T: Element> State<'_, T> {
    /// Before the first key.
    pub(super) fn clear(&mut self) {
        self.peak.fill(-T::INFINITY);
        self.sum.fill(T::ZERO);
    }

    /// Of some columns.
    pub(super) fn of(&mut self, columns: Range<usize>) -> State<'_, T> {
        State {
            peak: self.peak.get_mut(columns.clone()).unwrap_or_default(),
            sum: self.sum.get_mut(columns.clone()).unwrap_or_default(),
            shrink: self.shrink.get_mut(columns).unwrap_or_default(),
        }
    }

    /// One step of the online softmax: the scores of a block of keys become their exponentials at the new peak.
    /// Says whether an earlier sum of any column has to shrink.
    pub(super) fn step<S: Simd>(
        &mut self,
        s: S,
        x: &mut [T],
        width: usize,
        cols: usize,
        prefetch: &mut Prefetch<T>,
    ) -> bool {
        let lanes = T::Vec::<S>::LANES;
        let short = [self.peak.len(), self.sum.len(), self.shrink.len(), width].into_iter().any(|n| n < cols);
        if short || !cols.is_multiple_of(lanes) {
            return false;
        }
        let rows = x.len() / width;
        // As many after each few exponentials as hide behind them.
        let turns = (rows / TURN).max(1) * (cols / lanes).max(1);
        let lines = prefetch.lines.div_ceil(turns).min(MOST_LINES);
        let mut any = false;
        let mut j = 0;
        while j < cols {
            // SAFETY: `lanes` columns from `j`, of `rows` rows of `width` and of the state.
            any |= unsafe {
                column(
                    s,
                    x.as_mut_ptr().add(j),
                    width,
                    rows,
                    [&mut *self.peak, &mut *self.sum, &mut *self.shrink].map(|x| x.as_mut_ptr().add(j)),
                    (prefetch, lines),
                )
            };
            j += lanes;
        }
        any
    }
}

/// Exponentials after which lines are prefetched.
pub(crate) const TURN: usize = 4;
/// How many lines at most.
pub(crate) const MOST_LINES: usize = 4;

/// [`State::step`] of one register of columns.
/// # Safety
/// A register at `x + r·width` for `r < rows`, at `peak`, `sum` and `shrink` is valid for reads and writes.
#[inline(never)]
unsafe fn column<S: Simd, T: Element>(
    s: S,
    x: *mut T,
    width: usize,
    rows: usize,
    [peak, sum, shrink]: [*mut T; 3],
    (prefetch, lines): (&mut Prefetch<T>, usize),
) -> bool {
    s.vectorize(
        #[inline(always)]
        || {
            let least = T::Vec::<S>::splat(s, -T::INFINITY);
            let zero = T::Vec::<S>::splat(s, T::ZERO);
            // SAFETY: the caller's promise.
            unsafe {
                let at = |r: usize| T::Vec::<S>::load(s, x.add(r * width));
                let old = T::Vec::<S>::load(s, peak);
                // NaN is left out here and comes back by the exponentials.
                let mut top = [old, least, least, least];
                let mut r = 0;
                while rows - r >= 4 {
                    top = [
                        at(r).max(top[0]),
                        at(r + 1).max(top[1]),
                        at(r + 2).max(top[2]),
                        at(r + 3).max(top[3]),
                    ];
                    r += 4;
                }
                while r < rows {
                    top[0] = at(r).max(top[0]);
                    r += 1;
                }
                let new = top[0].max(top[1]).max(top[2].max(top[3]));
                // Nothing seen yet: not -∞ - -∞.
                let shift = T::Vec::<S>::select(new.eq(least), zero, new);
                let factor = exp_not_above_zero(old - shift);
                let mut acc = zero;
                let mut r = 0;
                while r < rows {
                    let turn = TURN.min(rows - r);
                    let mut i = 0;
                    while i < turn {
                        let e = exp_not_above_zero(at(r + i) - shift);
                        e.store(x.add((r + i) * width));
                        acc = acc + e;
                        i += 1;
                    }
                    prefetch.next(s, lines);
                    r += turn;
                }
                new.store(peak);
                T::Vec::<S>::load(s, sum).mul_add(factor, acc).store(sum);
                factor.store(shrink);
                T::Vec::<S>::any(!factor.eq(T::Vec::<S>::splat(s, T::ONE)))
            }
        },
    )
}

/// Rows of `width`, the first `cols` of each multiplied column by column.
#[inline(never)]
pub(super) fn times<S: Simd, T: Element>(s: S, x: &mut [T], width: usize, cols: usize, by: &[T]) {
    let lanes = T::Vec::<S>::LANES;
    if by.len() < cols || cols > width || !cols.is_multiple_of(lanes) {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(width) {
                let mut j = 0;
                while j < cols {
                    // SAFETY: `lanes` columns from `j` of the row and of the factors.
                    unsafe {
                        let (to, by) = (row.as_mut_ptr().add(j), by.as_ptr().add(j));
                        (T::Vec::<S>::load(s, to) * T::Vec::<S>::load(s, by)).store(to);
                    }
                    j += lanes;
                }
            }
        },
    );
}

/// Scores become weights `P = e^(score - lse)`, and the gradients of the weights those of the scores,
/// `P·(gradient - mean)`. The last row may end with its columns.
#[inline(never)]
pub(super) fn slopes<S: Simd, T: Element>(
    s: S,
    score: &mut [T],
    slope: &mut [T],
    width: usize,
    cols: usize,
    lse: &[T],
    mean: &[T],
) {
    let lanes = T::Vec::<S>::LANES;
    if lse.len() < cols || mean.len() < cols || cols > width || !cols.is_multiple_of(lanes) {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            let zero = T::Vec::<S>::splat(s, T::ZERO);
            let rows = score.chunks_mut(width).zip(slope.chunks_mut(width));
            for (p, d) in rows.filter(|(p, d)| p.len().min(d.len()) >= cols) {
                let mut j = 0;
                while j < cols {
                    // SAFETY: `lanes` columns from `j` of both rows and of the columns' values.
                    unsafe {
                        let (p, d) = (p.as_mut_ptr().add(j), d.as_mut_ptr().add(j));
                        let lse = T::Vec::<S>::load(s, lse.as_ptr().add(j));
                        let mean = T::Vec::<S>::load(s, mean.as_ptr().add(j));
                        // Above zero by a rounding at most; `min` in this order keeps NaN.
                        let t = zero.min(T::Vec::<S>::load(s, p) - lse);
                        let e = exp_not_above_zero(t);
                        e.store(p);
                        (e * (T::Vec::<S>::load(s, d) - mean)).store(d);
                    }
                    j += lanes;
                }
            }
        },
    );
}

/// `to[j] = Σ_p a[p][j]·b[p][j]`, in the order of `p`.
#[inline(never)]
pub(super) fn dots<S: Simd, T: Element>(s: S, a: &[T], b: &[T], width: usize, to: &mut [T]) {
    let lanes = T::Vec::<S>::LANES;
    if to.len() < width || !width.is_multiple_of(lanes) {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            let mut j = 0;
            while j < width {
                let mut acc = T::Vec::<S>::splat(s, T::ZERO);
                for (a, b) in a.chunks_exact(width).zip(b.chunks_exact(width)) {
                    // SAFETY: `lanes` columns from `j` of both rows.
                    unsafe {
                        let b = T::Vec::<S>::load(s, b.as_ptr().add(j));
                        acc = T::Vec::<S>::load(s, a.as_ptr().add(j)).mul_add(b, acc);
                    }
                }
                // SAFETY: `lanes` columns from `j`.
                unsafe { acc.store(to.as_mut_ptr().add(j)) };
                j += lanes;
            }
        },
    );
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
