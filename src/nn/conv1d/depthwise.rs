//! Depthwise convolution: each channel has its own filter, and a row of the result is a sum of shifted rows of the
//! input.

use super::{Conv1d, part, part_mut};
use crate::alu::{Alu, Number};
use crate::lanes::drive::{self, Update};
use crate::lanes::executor::Serial;
use crate::lanes::fold::fold_by;
use crate::lanes::{Element, Simd, from_fn, strided};
use crate::pointwise::{Axpy, Scale};
use crate::reduce::Dot;

/// Elements of a line that are gathered at a time.
pub(crate) const TILE: usize = 256;

/// `y + Σ w_k·x_k`, one product after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taps<T, const N: usize>(pub(crate) [T; N]);
impl<T: Number, const N: usize> Update<T, N, 1> for Taps<T, N> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, x: [V; N], [y]: [V; 1]) -> [V; 1] {
        [x.into_iter().zip(self.0).fold(y, |y, (x, w)| x.mul_add(x.param(w), y))]
    }
}

/// One product of a sum of shifted lines: `n` elements from `to` on gain `w` times those from `from` on.
#[derive(Debug, Clone, Copy)]
struct Shift<T> {
    w: T,
    to: usize,
    from: usize,
    n: usize,
}

/// Adds `N` shifted lines: in one pass where all of them are.
#[inline(always)]
fn add_shifted<S: Simd, T: Element, const N: usize>(s: S, taps: [Shift<T>; N], x: &[T], y: &mut [T]) {
    let start = taps.iter().map(|t| t.to).max().unwrap_or(0);
    let end = taps.iter().map(|t| t.to + t.n).min().unwrap_or(0);
    // Without a common part all is before it.
    let (start, end) = if start < end { (start, end) } else { (usize::MAX, usize::MAX) };
    #[allow(clippy::indexing_slicing, reason = "k < N")]
    if start < end {
        let lines = from_fn(
            #[inline(always)]
            |k| part(x, taps[k].from + start - taps[k].to, end - start),
        );
        drive::update(s, Taps(taps.map(|t| t.w)), lines, [part_mut(y, start, end - start)]);
    }
    for t in taps {
        let last = t.to + t.n;
        for (a, b) in [(t.to, start.min(last)), (end.max(t.to), last)] {
            if a < b {
                let x = part(x, t.from + a - t.to, b - a);
                drive::zip_in_place(Serial, s, Axpy(t.w), part_mut(y, a, b - a), x);
            }
        }
    }
}

/// Adds all shifted lines, up to four in a pass.
#[inline(always)]
fn add_all<S: Simd, T: Element>(s: S, kernel: usize, tap: impl Fn(usize) -> Shift<T>, x: &[T], y: &mut [T]) {
    let mut k = 0;
    while k < kernel {
        match kernel - k {
            1 => add_shifted(s, [tap(k)], x, y),
            2 => add_shifted(s, [tap(k), tap(k + 1)], x, y),
            3 => add_shifted(s, [tap(k), tap(k + 1), tap(k + 2)], x, y),
            _ => add_shifted(s, [tap(k), tap(k + 1), tap(k + 2), tap(k + 3)], x, y),
        }
        k += 4;
    }
}

/// `out[l] += Σ_k w[k]·x[l·stride + k·dilation - padding]`.
#[inline(always)]
pub(crate) fn forward<S: Simd, T: Element>(s: S, conv: Conv1d, n: usize, w: &[T], x: &[T], out: &mut [T]) {
    let weight = |k: usize| w.get(k).copied().unwrap_or_default();
    if conv.stride == 1 {
        let tap = |k| {
            let at = conv.tap(k, n);
            Shift { w: weight(k), to: at.cells.start, from: at.first, n: at.cells.len() }
        };
        return add_all(s, conv.kernel, tap, x, out);
    }
    let mut scratch = [T::ZERO; TILE];
    for k in 0..conv.kernel {
        let at = conv.tap(k, n);
        for l in at.cells.clone().step_by(TILE) {
            let (count, first) = (TILE.min(at.cells.end - l), at.first + (l - at.cells.start) * conv.stride);
            let scratch = part_mut(&mut scratch, 0, count);
            strided::every(x.get(first..).unwrap_or_default(), conv.stride, scratch);
            drive::zip_in_place(Serial, s, Axpy(weight(k)), part_mut(out, l, count), scratch);
        }
    }
}

/// `dx[l·stride + k·dilation - padding] += Σ_k w[k]·dy[l]`.
#[inline(always)]
pub(crate) fn backward<S: Simd, T: Element>(s: S, conv: Conv1d, n: usize, w: &[T], dy: &[T], dx: &mut [T]) {
    let weight = |k: usize| w.get(k).copied().unwrap_or_default();
    if conv.stride == 1 {
        let tap = |k| {
            let at = conv.tap(k, n);
            Shift { w: weight(k), to: at.first, from: at.cells.start, n: at.cells.len() }
        };
        return add_all(s, conv.kernel, tap, dy, dx);
    }
    let mut scratch = [T::ZERO; TILE];
    for k in 0..conv.kernel {
        let at = conv.tap(k, n);
        for l in at.cells.clone().step_by(TILE) {
            let (count, first) = (TILE.min(at.cells.end - l), at.first + (l - at.cells.start) * conv.stride);
            let scratch = part_mut(&mut scratch, 0, count);
            drive::map(Serial, s, Scale(weight(k)), [part(dy, l, count)], scratch);
            strided::spread_add(scratch, conv.stride, dx.get_mut(first..).unwrap_or_default());
        }
    }
}

/// `dw[k] += Σ_l dy[l]·x[l·stride + k·dilation - padding]`.
#[inline(always)]
pub(crate) fn weights<S: Simd, T: Element>(s: S, conv: Conv1d, n: usize, x: &[T], dy: &[T], dw: &mut [T]) {
    let mut scratch = [T::ZERO; TILE];
    for (k, dw) in dw.iter_mut().enumerate() {
        let at = conv.tap(k, n);
        if conv.stride == 1 {
            let lines = [part(dy, at.cells.start, at.cells.len()), part(x, at.first, at.cells.len())];
            let [sum] = fold_by(Serial, s, Dot, lines);
            *dw = *dw + sum;
            continue;
        }
        for l in at.cells.clone().step_by(TILE) {
            let (count, first) = (TILE.min(at.cells.end - l), at.first + (l - at.cells.start) * conv.stride);
            let scratch = part_mut(&mut scratch, 0, count);
            strided::every(x.get(first..).unwrap_or_default(), conv.stride, scratch);
            let [sum] = fold_by(Serial, s, Dot, [part(dy, l, count), scratch]);
            *dw = *dw + sum;
        }
    }
}
