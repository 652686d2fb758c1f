//! Convolution of one plane by one filter: a row of the result is a sum of shifted rows of the input. Padding is not
//! multiplied.

use super::Maps;
use super::maps::Axis;
use crate::lanes::{Element, Simd, drive};
use crate::nn::conv1d::depthwise::{Taps, backward, forward, weights};
use crate::nn::conv1d::{part, part_mut};
use core::ops::Range;

/// Weights of the filters over one channel, from which on they are a product with the windows of its plane.
pub(crate) const FILTERS: usize = 128;

/// What is added to one row: rows `first`, `first + apart`, … of a plane, one for each row `taps` of a filter.
struct Lines {
    taps: Range<usize>,
    first: usize,
    apart: isize,
}

impl Lines {
    #[inline(always)]
    fn row(&self, p: usize) -> usize {
        self.first.wrapping_add_signed(p as isize * self.apart)
    }
}

/// The elements of a line that weight `q` meets at place `i`: `i + start + q·apart`, of so many.
#[derive(Clone, Copy)]
struct Shifts {
    kernel: usize,
    start: isize,
    apart: isize,
    width: usize,
}

impl Shifts {
    #[inline(always)]
    fn shift(&self, q: usize) -> isize {
        self.start + q as isize * self.apart
    }

    /// The places, of `n`, at which all weights meet an element.
    #[inline(always)]
    fn within(&self, n: usize) -> Range<usize> {
        let [a, b] = [self.shift(0), self.shift(self.kernel.max(1) - 1)];
        let (low, high) = (a.min(b), a.max(b));
        let start = low.saturating_neg().max(0).unsigned_abs().min(n);
        let end = (self.width as isize - high).max(0).unsigned_abs().min(n);
        start..end.max(start)
    }

    /// Adds products of `N` weights from number `k` on at these places.
    #[inline(always)]
    fn add<S: Simd, T: Element, const N: usize>(
        &self,
        s: S,
        (w, x): (&[T], &[T]),
        lines: &Lines,
        next: &mut [usize; 2],
        at: &Range<usize>,
        out: &mut [T],
    ) {
        let n = at.len();
        let mut each = [(T::ZERO, part(x, 0, 0)); N];
        for to in &mut each {
            let [p, q] = *next;
            *next = if q + 1 < self.kernel { [p, q + 1] } else { [p + 1, 0] };
            let from = (lines.row(p) * self.width + at.start).wrapping_add_signed(self.shift(q));
            let w = w.get((lines.taps.start + p) * self.kernel + q).copied().unwrap_or_default();
            *to = (w, part(x, from, n));
        }
        drive::update(s, Taps(each.map(|(w, _)| w)), each.map(|(_, x)| x), [part_mut(out, at.start, n)]);
    }

    /// Adds all products to a row.
    #[inline(always)]
    fn row<S: Simd, T: Element>(&self, s: S, w: &[T], x: &[T], lines: &Lines, out: &mut [T]) {
        let at = self.within(out.len());
        let (mut left, mut next) = (if at.is_empty() { 0 } else { lines.taps.len() * self.kernel }, [0, 0]);
        while left > 0 {
            // As many in a pass as a filter of three by three has, or two or one of its rows.
            left -= match left {
                9.. => {
                    self.add::<S, T, 9>(s, (w, x), lines, &mut next, &at, out);
                    9
                }
                6.. => {
                    self.add::<S, T, 6>(s, (w, x), lines, &mut next, &at, out);
                    6
                }
                3.. => {
                    self.add::<S, T, 3>(s, (w, x), lines, &mut next, &at, out);
                    3
                }
                _ => {
                    self.add::<S, T, 1>(s, (w, x), lines, &mut next, &at, out);
                    1
                }
            };
        }
        // At the ends some weights meet padding.
        for i in (0..at.start).chain(at.end..out.len()) {
            let Some(to) = out.get_mut(i) else { continue };
            let mut sum = *to;
            for (p, ky) in lines.taps.clone().enumerate() {
                let x = part(x, lines.row(p) * self.width, self.width);
                let w = part(w, ky * self.kernel, self.kernel);
                for (q, w) in w.iter().enumerate() {
                    if let Some(x) = i.checked_add_signed(self.shift(q)).and_then(|at| x.get(at)) {
                        sum = sum + *w * *x;
                    }
                }
            }
            *to = sum;
        }
    }
}

impl Axis {
    /// Whether places and elements count alike, and signed numbers count them.
    #[inline(always)]
    fn even(&self) -> bool {
        let padded = self.length.saturating_add(self.before).saturating_add(self.behind);
        self.stride == 1 && isize::try_from(padded).is_ok()
    }

    /// The dilation; past any number of elements, where a single weight has it.
    #[inline(always)]
    fn apart(&self) -> isize {
        isize::try_from(self.dilation).unwrap_or(isize::MAX)
    }

    /// The weights that read one of the places at element `i`, and the place that the first of them reads; the others read
    /// earlier ones. With a stride of 1.
    #[inline(always)]
    fn reading(&self, i: usize, places: usize) -> (Range<usize>, usize) {
        let (at, apart) = (i + self.before, self.dilation.max(1));
        // Places `at - k·dilation`.
        let start = (at + 1).saturating_sub(places).div_ceil(apart).min(self.kernel);
        let end = (at / apart + 1).min(self.kernel).max(start);
        (start..end, at.saturating_sub(start * self.dilation))
    }
}

impl Maps {
    /// `f` on each row of the result and row of a filter that reads the input there: these, and the row it reads.
    #[inline(always)]
    fn meetings(&self, mut f: impl FnMut(usize, usize, usize)) {
        let line = self.down.line();
        for row in 0..self.rows {
            let (taps, first) = line.taps(row);
            for (i, ky) in taps.enumerate() {
                f(row, ky, first + i * self.down.dilation);
            }
        }
    }

    /// Adds the convolution of a plane to that of the result.
    #[inline(always)]
    pub(super) fn plane<S: Simd, T: Element>(&self, s: S, w: &[T], x: &[T], out: &mut [T]) {
        let (down, across) = (self.down.line(), self.across.line());
        let (kw, width) = (across.kernel, across.length);
        if self.across.even() {
            let (start, apart) = (-(self.across.before as isize), self.across.apart());
            let shifts = Shifts { kernel: kw, start, apart, width };
            for row in 0..self.rows {
                let (taps, first) = down.taps(row);
                let lines = Lines { taps, first, apart: self.down.apart() };
                shifts.row(s, w, x, &lines, part_mut(out, row * self.cols, self.cols));
            }
            return;
        }
        self.meetings(
            #[inline(always)]
            |row, ky, at| {
                let (x, out) = (part(x, at * width, width), part_mut(out, row * self.cols, self.cols));
                forward(s, across, self.cols, part(w, ky * kw, kw), x, out);
            },
        );
    }

    /// Adds the gradient of a plane of the result to that of the input.
    #[inline(always)]
    pub(super) fn plane_backward<S: Simd, T: Element>(&self, s: S, w: &[T], dy: &[T], dx: &mut [T]) {
        let across = self.across.line();
        let (kw, width) = (across.kernel, across.length);
        if self.across.even() && self.down.even() {
            let (start, apart) = (self.across.before as isize, -self.across.apart());
            let shifts = Shifts { kernel: kw, start, apart, width: self.cols };
            for row in 0..self.down.length {
                let (taps, first) = self.down.reading(row, self.rows);
                let lines = Lines { taps, first, apart: -self.down.apart() };
                shifts.row(s, w, dy, &lines, part_mut(dx, row * width, width));
            }
            return;
        }
        self.meetings(
            #[inline(always)]
            |row, ky, at| {
                let (dy, dx) = (part(dy, row * self.cols, self.cols), part_mut(dx, at * width, width));
                backward(s, across, self.cols, part(w, ky * kw, kw), dy, dx);
            },
        );
    }

    /// Adds the gradient of a plane of the result to that of a filter.
    #[inline(always)]
    pub(super) fn plane_weights<S: Simd, T: Element>(&self, s: S, x: &[T], dy: &[T], dw: &mut [T]) {
        let across = self.across.line();
        let (kw, width) = (across.kernel, across.length);
        self.meetings(
            #[inline(always)]
            |row, ky, at| {
                let (x, dy) = (part(x, at * width, width), part(dy, row * self.cols, self.cols));
                weights(s, across, self.cols, x, dy, part_mut(dw, ky * kw, kw));
            },
        );
    }
}
