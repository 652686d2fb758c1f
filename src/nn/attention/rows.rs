//! The products of a single query with rows of K and V in memory order. Lanes are keys, then elements of a head, and
//! sums have the order of the panels. Rows are prefetched in the order of use, as they are too far apart for hardware
//! prefetchers.

use super::super::softmax::exp_not_above_zero;
use super::BLOCK;
use super::panel::{State, by_lanes};
use crate::alu::Alu;
use crate::blas::gemm::{gather_lanes, in_registers, tile_cols};
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use crate::view::MatRef;

/// Rows of a head.
struct Rows<T> {
    x: *const T,
    rows: usize,
    dim: usize,
    row: isize,
    col: isize,
    /// From an element to one that is needed later, wherever that is.
    ahead: isize,
}

impl<T: Element> Rows<T> {
    fn of(x: MatRef<'_, T>, ahead: isize) -> Self {
        Self { x: x.ptr(), rows: x.rows(), dim: x.cols(), row: x.row_stride(), col: x.col_stride(), ahead }
    }

    /// `n` elements of row `r` from `p` on, contiguous if `UNIT`.
    /// # Safety
    /// They are there.
    #[inline(always)]
    unsafe fn load<S: Simd, const UNIT: bool>(&self, s: S, r: usize, p: usize, n: usize) -> T::Vec<S> {
        let at = self.x.wrapping_offset(r as isize * self.row);
        // SAFETY: the caller's promise.
        unsafe {
            if !UNIT {
                gather_lanes::<S, T>(s, at.offset(p as isize * self.col), n, self.col)
            } else if n == T::Vec::<S>::LANES {
                T::Vec::<S>::load(s, at.add(p))
            } else {
                T::Vec::<S>::load_first(s, at.add(p), n, T::ZERO)
            }
        }
    }

    /// `L` elements, the number of lanes, from `p` on of each of `L` rows; all are there if `WHOLE`, or the last again.
    /// # Safety
    /// The elements are there.
    #[inline(always)]
    unsafe fn square<S: Simd, const L: usize, const UNIT: bool, const WHOLE: bool>(
        &self,
        s: S,
        p: usize,
    ) -> [T::Vec<S>; L] {
        let mut x = [T::Vec::<S>::splat(s, T::ZERO); L];
        let mut at = self.x.wrapping_offset((p as isize).wrapping_mul(if UNIT { 1 } else { self.col }));
        for (j, x) in x.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *x = unsafe {
                if UNIT { T::Vec::<S>::load(s, at) } else { gather_lanes::<S, T>(s, at, L, self.col) }
            };
            if p.is_multiple_of(64 / size_of::<T>()) {
                T::Vec::<S>::prefetch(s, at.wrapping_offset(self.ahead));
            }
            // Seen through, it would be a pointer for each row, more than there are registers.
            at = T::Vec::<S>::hide(s, at);
            if WHOLE || j + 1 < self.rows {
                at = at.wrapping_offset(self.row);
            }
        }
        x
    }

    /// Asks for the line that is needed later than element `p` of row `r`, once a line.
    #[inline(always)]
    fn fetch<S: Simd>(&self, s: S, r: usize, p: usize) {
        if p.is_multiple_of(64 / size_of::<T>()) {
            let at = self.x.wrapping_offset(r as isize * self.row).wrapping_add(p);
            T::Vec::<S>::prefetch(s, at.wrapping_offset(self.ahead));
        }
    }
}

/// The heads of a group, four at a time, with rows of unit column stride or not. For size, four or one, and one where the
/// stride is another: the same bits.
macro_rules! by_heads {
    ($heads:expr, $unit:expr, |$h:ident| $f:ident $args:tt) => {{
        let mut $h = 0;
        while $h < $heads {
            let step = match ($heads - $h, $unit) {
                (1..4, true) | (_, false) if COMPACT => 1,
                (n, _) => n.min(4),
            };
            match (step, $unit) {
                (1, true) => by_lanes!($f $args; 1, true),
                (2, true) if !COMPACT => by_lanes!($f $args; 2, true),
                (3, true) if !COMPACT => by_lanes!($f $args; 3, true),
                (_, true) => by_lanes!($f $args; 4, true),
                (2, false) if !COMPACT => by_lanes!($f $args; 2, false),
                (3, false) if !COMPACT => by_lanes!($f $args; 3, false),
                (4, false) if !COMPACT => by_lanes!($f $args; 4, false),
                (_, false) => by_lanes!($f $args; 1, false),
            }
            $h += step;
        }
    }};
}

/// `to[i][j] = Σ_p k[j][p]·q[i][p]` in the order of `p`, for the heads `i` of a group. Rows of `to` are a block apart,
/// and written to the end of a register.
#[inline(never)]
pub(super) fn scores<S: Simd, T: Element>(s: S, k: MatRef<'_, T>, q: &[T], to: &mut [T], ahead: isize) {
    let (lanes, dim) = (T::Vec::<S>::LANES, k.cols());
    let heads = q.len() / dim.max(1);
    let Some(last) = heads.checked_sub(1) else { return };
    if to.len() < last * BLOCK + k.rows().next_multiple_of(lanes) {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            let mut j = 0;
            while j < k.rows() {
                let keys = Rows::of(k.block([j, 0], [lanes, dim]), ahead);
                let (q, to) = (q.as_ptr(), to.as_mut_ptr().wrapping_add(j));
                // SAFETY: `q` has `heads` rows of `dim`, and each row of `to` whole registers for the keys.
                unsafe {
                    by_heads!(heads, keys.col == 1, |h| score(
                        s,
                        &keys,
                        q.wrapping_add(h * dim),
                        to.wrapping_add(h * BLOCK)
                    ));
                }
                j += lanes;
            }
        },
    );
}

/// [`scores`] of `R` heads and at most `L` keys, the number of lanes.
/// # Safety
/// There are a key, `R` rows of `q`, of `dim`, and `L` elements in each of `R` rows of `to`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R")]
unsafe fn score<S: Simd, T: Element, const L: usize, const R: usize, const UNIT: bool>(
    s: S,
    k: &Rows<T>,
    q: *const T,
    to: *mut T,
) {
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut acc = [zero; R];
    // SAFETY: rows beyond the last are the last; columns end with `dim`.
    unsafe {
        let q = |i: usize, p: usize| T::Vec::<S>::splat(s, q.add(i * k.dim + p).read());
        let mut p = 0;
        while k.dim - p >= L {
            let mut x = if k.rows == L {
                k.square::<S, L, UNIT, true>(s, p)
            } else {
                k.square::<S, L, UNIT, false>(s, p)
            };
            in_registers::<S, T, L>(s, &mut x);
            for (j, x) in x.into_iter().enumerate() {
                let mut i = 0;
                while i < R {
                    acc[i] = x.mul_add(q(i, p + j), acc[i]);
                    i += 1;
                }
            }
            p += L;
        }
        if p < k.dim {
            let mut x = [zero; L];
            for (j, x) in x.iter_mut().enumerate() {
                *x = k.load::<S, UNIT>(s, j.min(k.rows - 1), p, k.dim - p);
            }
            in_registers::<S, T, L>(s, &mut x);
            for (j, x) in x.iter().enumerate().take(k.dim - p) {
                let mut i = 0;
                while i < R {
                    acc[i] = x.mul_add(q(i, p + j), acc[i]);
                    i += 1;
                }
            }
        }
        for (i, acc) in acc.into_iter().enumerate() {
            acc.store(to.add(i * BLOCK));
        }
    }
}

/// `to[i][p] += Σ_j weights[i][j]·v[j][p]` in the order of `j`, from 0 on if `first`, for the heads `i` of a group. Rows of
/// `weights` are a block apart.
#[inline(never)]
pub(super) fn values<S: Simd, T: Element>(
    s: S,
    v: MatRef<'_, T>,
    weights: &[T],
    to: &mut [T],
    first: bool,
    ahead: isize,
) {
    let dim = v.cols();
    let heads = to.len() / dim.max(1);
    let Some(last) = heads.checked_sub(1) else { return };
    if weights.len() < last * BLOCK + v.rows() {
        return;
    }
    let values = Rows::of(v, ahead);
    let (weights, to) = (weights.as_ptr(), to.as_mut_ptr());
    s.vectorize(
        #[inline(always)]
        // SAFETY: `weights` has `heads` rows of as many elements as there are values, `to` `heads` of `dim`.
        || unsafe {
            by_heads!(heads, values.col == 1, |h| weigh(
                s,
                &values,
                weights.wrapping_add(h * BLOCK),
                to.wrapping_add(h * dim),
                first
            ));
        },
    );
}

/// [`values`] of `R` heads; `L` is the number of lanes.
/// # Safety
/// `weights` has `R` rows for all values, a block apart, and `to` `R` of `dim`.
#[inline(always)]
unsafe fn weigh<S: Simd, T: Element, const L: usize, const R: usize, const UNIT: bool>(
    s: S,
    v: &Rows<T>,
    weights: *const T,
    to: *mut T,
    first: bool,
) {
    let dim = v.dim;
    let mut p = 0;
    // SAFETY: whole registers of columns from `p`, then what is left.
    unsafe {
        // Sums, a row of values and a weight of each head stay in registers.
        if const { tile_cols::<S, T>() >= 3 * L } {
            while dim - p >= 4 * L {
                strip::<S, T, R, 4, UNIT>(s, v, weights, to, first, p, L);
                p += 4 * L;
            }
        }
        while dim - p >= 2 * L {
            strip::<S, T, R, 2, UNIT>(s, v, weights, to, first, p, L);
            p += 2 * L;
        }
        while p < dim {
            let n = L.min(dim - p);
            strip::<S, T, R, 1, UNIT>(s, v, weights, to, first, p, n);
            p += n;
        }
    }
}

/// `N` registers of columns from `p` on, of `n` columns each.
/// # Safety
/// The columns are there; `weights` has `R` rows, a block apart, and `to` `R` of `dim`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, c < N")]
unsafe fn strip<S: Simd, T: Element, const R: usize, const N: usize, const UNIT: bool>(
    s: S,
    v: &Rows<T>,
    weights: *const T,
    to: *mut T,
    first: bool,
    p: usize,
    n: usize,
) {
    let lanes = T::Vec::<S>::LANES;
    let n = if N > 1 { lanes } else { n };
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut acc = [[zero; N]; R];
    // SAFETY: the caller's promise.
    unsafe {
        let at = |i: usize, c: usize| to.add(i * v.dim + p + c * lanes);
        if !first {
            for (i, acc) in acc.iter_mut().enumerate() {
                for (c, acc) in acc.iter_mut().enumerate() {
                    *acc = if n == lanes {
                        T::Vec::<S>::load(s, at(i, c))
                    } else {
                        T::Vec::<S>::load_first(s, at(i, c), n, T::ZERO)
                    };
                }
            }
        }
        let mut j = 0;
        while j < v.rows {
            let mut w = [zero; R];
            for (i, w) in w.iter_mut().enumerate() {
                *w = T::Vec::<S>::splat(s, weights.add(i * BLOCK + j).read());
            }
            let mut c = 0;
            while c < N {
                v.fetch(s, j, p + c * lanes);
                let x = v.load::<S, UNIT>(s, j, p + c * lanes, n);
                let mut i = 0;
                while i < R {
                    acc[i][c] = w[i].mul_add(x, acc[i][c]);
                    i += 1;
                }
                c += 1;
            }
            j += 1;
        }
        for (i, acc) in acc.into_iter().enumerate() {
            for (c, acc) in acc.into_iter().enumerate() {
                if n == lanes {
                    acc.store(at(i, c));
                } else {
                    acc.store_first(at(i, c), n);
                }
            }
        }
    }
}

/// [`State::step`] of scores head by head, a block apart, of which `keys` come first and the first `hidden` don't count.
#[inline(never)]
pub(super) fn step<S: Simd, T: Element>(
    s: S,
    state: &mut State<'_, T>,
    x: &mut [T],
    hidden: usize,
    keys: usize,
) {
    let lanes = T::Vec::<S>::LANES;
    let padded = keys.next_multiple_of(lanes);
    let width = state.peak.len().min(state.sum.len()).min(state.shrink.len());
    let heads = x.len() / BLOCK;
    if padded > BLOCK || hidden > keys || width < heads || !width.is_multiple_of(lanes) {
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            state.shrink.fill(-T::INFINITY);
            for (x, peak) in x.chunks_exact_mut(BLOCK).zip(&mut *state.shrink) {
                x.get_mut(..hidden).unwrap_or_default().fill(-T::INFINITY);
                x.get_mut(keys..padded).unwrap_or_default().fill(-T::INFINITY);
                *peak = largest(s, x.get(..padded).unwrap_or_default());
            }
            let least = T::Vec::<S>::splat(s, -T::INFINITY);
            let zero = T::Vec::<S>::splat(s, T::ZERO);
            let mut i = 0;
            while i < width {
                // SAFETY: `lanes` heads from `i` on, of `width`.
                unsafe {
                    let (peak, shrink) = (state.peak.as_mut_ptr().add(i), state.shrink.as_mut_ptr().add(i));
                    let old = T::Vec::<S>::load(s, peak);
                    let new = T::Vec::<S>::load(s, shrink).max(old);
                    new.store(peak);
                    exp_not_above_zero(old - T::Vec::<S>::select(new.eq(least), zero, new)).store(shrink);
                }
                i += lanes;
            }
            for (x, peak) in x.chunks_exact_mut(BLOCK).zip(&*state.peak) {
                // Nothing seen yet: not -∞ - -∞.
                let shift = if *peak == -T::INFINITY { T::ZERO } else { *peak };
                let shift = T::Vec::<S>::splat(s, shift);
                let mut j = 0;
                while j < padded {
                    // SAFETY: `lanes` scores from `j` on, of the block.
                    unsafe {
                        let x = x.as_mut_ptr().add(j);
                        exp_not_above_zero(T::Vec::<S>::load(s, x) - shift).store(x);
                    }
                    j += lanes;
                }
            }
            let mut i = 0;
            while i < heads {
                let x = x.get(i * BLOCK..).unwrap_or_default();
                let more = by_lanes!(sums(s, x, padded));
                // SAFETY: `lanes` heads from `i` on, of `width`.
                unsafe {
                    let (sum, shrink) = (state.sum.as_mut_ptr().add(i), state.shrink.as_ptr().add(i));
                    let old = T::Vec::<S>::load(s, sum);
                    old.mul_add(T::Vec::<S>::load(s, shrink), more).store(sum);
                }
                i += lanes;
            }
        },
    );
}

/// The largest of whole registers; NaN is left out.
#[inline(always)]
fn largest<S: Simd, T: Element>(s: S, x: &[T]) -> T {
    let lanes = T::Vec::<S>::LANES;
    let mut top = T::Vec::<S>::splat(s, -T::INFINITY);
    for x in x.chunks_exact(lanes) {
        // SAFETY: the chunk has `lanes` elements.
        top = unsafe { T::Vec::<S>::load(s, x.as_ptr()) }.max(top);
    }
    if const { T::Vec::<S>::LANES > 8 } {
        top = top.down::<8>(s).max(top);
    }
    if const { T::Vec::<S>::LANES > 4 } {
        top = top.down::<4>(s).max(top);
    }
    if const { T::Vec::<S>::LANES > 2 } {
        top = top.down::<2>(s).max(top);
    }
    if const { T::Vec::<S>::LANES > 1 } {
        top = top.down::<1>(s).max(top);
    }
    top.lane0()
}

/// The sums of at most `L` rows a block apart, the number of lanes, each in the order of its `n` elements.
#[inline(always)]
fn sums<S: Simd, T: Element, const L: usize>(s: S, x: &[T], n: usize) -> T::Vec<S> {
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut acc = zero;
    let mut j = 0;
    while j < n {
        let mut square = [zero; L];
        for (y, x) in square.iter_mut().zip(x.chunks_exact(BLOCK)) {
            let Some(x) = x.get(j..j + L) else { continue };
            // SAFETY: the slice has `L` elements.
            *y = unsafe { T::Vec::<S>::load(s, x.as_ptr()) };
        }
        in_registers::<S, T, L>(s, &mut square);
        for x in square {
            acc = acc + x;
        }
        j += L;
    }
    acc
}
