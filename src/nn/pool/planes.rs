//! Windows over a plane: where they are, and the loops over them.

use super::Along;
use crate::alu::{Alu, Body, Number};
use crate::contract::{Call, Violation};
use crate::lanes::executor::Serial;
use crate::lanes::fold::fold_by;
use crate::lanes::portable::scalar;
use crate::lanes::vector::Vector;
use crate::lanes::windows::{Joined, Largest, Slide, interleave};
use crate::lanes::{Element, Simd, drive, strided};
use crate::pointwise::Add;
use crate::reduce::Exact;
use core::ops::Range;

/// A [`Pool`](super::Pool) on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planes {
    /// From top to bottom, and from left to right.
    pub(crate) down: Along,
    pub(crate) across: Along,
    /// Elements of a plane.
    pub(crate) area: usize,
    /// Windows of a plane.
    pub(crate) cells: usize,
    /// Windows from top to bottom.
    pub(crate) rows: usize,
    /// Windows from left to right.
    pub(crate) cols: usize,
    /// Whether the last window of a direction ends behind the padding.
    pub(crate) over: bool,
}

/// The elements of the plane that a window has along one direction.
#[derive(Debug, Clone, Copy)]
struct Taps {
    first: usize,
    n: usize,
    /// From one to the next.
    step: usize,
}

impl Taps {
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = usize> {
        (0..self.n).map(move |t| self.first + t * self.step)
    }
}

/// Elements of a line of windows that are worked on at a time.
pub(crate) const STRIP: usize = 256;

/// Neighbouring windows of one line of windows.
#[derive(Debug, Clone, Copy)]
struct Strip {
    /// The line.
    row: usize,
    /// The first window.
    col: usize,
    /// Windows.
    n: usize,
    /// Columns from the first window's start to the last one's end.
    span: usize,
    /// How many of them are padding before the plane.
    skip: usize,
}

impl Along {
    /// The elements of the plane in window `i`; there is one at least.
    #[inline(always)]
    fn taps(&self, i: usize) -> Taps {
        let Self { n, kernel, stride, dilation: step, before, .. } = *self;
        let start = i * stride;
        if step == 1 {
            let first = start.saturating_sub(before);
            return Taps { first, n: (start + kernel - before).min(n) - first, step };
        }
        let left_out = before.saturating_sub(start).div_ceil(step);
        let end = (n + before - start).div_ceil(step).min(kernel);
        Taps { first: start + left_out * step - before, n: end - left_out, step }
    }

    /// The elements of window `i` that are not behind the padding.
    #[inline(always)]
    fn padded_taps(&self, i: usize) -> usize {
        (self.padded() - i * self.stride).div_ceil(self.dilation).min(self.kernel)
    }
}

impl Planes {
    /// The rows of the plane in windows of line `i`.
    #[inline(always)]
    fn rows(&self, i: usize) -> Taps {
        self.down.taps(i)
    }

    /// The columns in window `j`.
    #[inline(always)]
    fn cols(&self, j: usize) -> Taps {
        self.across.taps(j)
    }

    /// Elements from a row of a window to the next.
    #[inline(always)]
    fn height(&self) -> usize {
        self.down.dilation * self.across.n
    }

    /// The columns of the plane in the strip's windows.
    #[inline(always)]
    fn columns(&self, strip: Strip) -> Range<usize> {
        let start = (strip.col * self.across.stride).saturating_sub(self.across.before);
        start..(start + strip.span - strip.skip).min(self.across.n)
    }

    /// Whether windows are taken one by one: as they are whole lines of memory, or longer than a strip.
    #[inline(always)]
    fn single(&self) -> bool {
        self.across.span() > STRIP || self.lines()
    }

    /// Whether a window is one piece of memory.
    #[inline(always)]
    fn lines(&self) -> bool {
        let Along { n, kernel, dilation, before, behind, .. } = self.across;
        kernel == n && [self.down.dilation, dilation, before, behind] == [1, 1, 0, 0]
    }

    /// Whether reading each element of the windows costs less than joining the rows of a strip first.
    #[inline(always)]
    fn direct(&self) -> bool {
        let [h, w] = [self.down, self.across].map(|along| along.kernel);
        h.saturating_mul(w) <= h.saturating_add(w)
    }

    /// The windows of a line whose columns are in the plane.
    #[inline(always)]
    fn inner(&self) -> Range<usize> {
        let Along { n: w, stride: s, before: p, .. } = self.across;
        let span = self.across.span();
        let end = if w + p < span { 0 } else { (w + p - span) / s + 1 };
        let [start, end] = [p.div_ceil(s), end].map(|j| j.min(self.cols));
        start..end.max(start)
    }

    /// The pieces of memory of a window.
    #[inline(always)]
    pub(super) fn pieces(self, i: usize, j: usize) -> impl Iterator<Item = Range<usize>> {
        let (w, rows, cols) = (self.across.n, self.rows(i), self.cols(j));
        let (many, len) = if cols.step == 1 { (1, cols.n) } else { (cols.n, 1) };
        let (rows, len) = if self.lines() { (Taps { n: 1, ..rows }, rows.n * w) } else { (rows, len) };
        rows.each().flat_map(move |r| {
            let starts = Taps { first: r * w + cols.first, n: many, step: cols.step };
            starts.each().map(move |at| at..at + len)
        })
    }

    /// Elements that the mean of a window counts.
    #[inline(always)]
    fn counted(&self, i: usize, j: usize, count_padding: bool) -> usize {
        let along = |along: Along, i: usize| match (count_padding, self.over) {
            (true, false) => along.kernel,
            // Neither does a mean count what is behind the padding.
            (true, true) => along.padded_taps(i),
            (false, _) => along.taps(i).n,
        };
        along(self.down, i).saturating_mul(along(self.across, j))
    }

    /// The strip from window `col` of line `row` on.
    #[inline(always)]
    fn strip(&self, row: usize, col: usize) -> Strip {
        let Along { stride: s, before: p, .. } = self.across;
        let span = self.across.span();
        let n = (self.cols - col).min((STRIP - span) / s + 1);
        Strip { row, col, n, span: (n - 1) * s + span, skip: p.saturating_sub(col * s) }
    }

    /// `f` on each strip of a plane.
    #[inline(always)]
    fn each_strip(&self, mut f: impl FnMut(Strip)) {
        for row in 0..self.rows {
            let mut col = 0;
            while col < self.cols {
                let strip = self.strip(row, col);
                f(strip);
                col += strip.n;
            }
        }
    }

    /// `f` on each window of a plane, and where it is in the result.
    #[inline(always)]
    pub(super) fn each_window(&self, mut f: impl FnMut(usize, usize, usize)) {
        for i in 0..self.rows {
            for j in 0..self.cols {
                f(i, j, i * self.cols + j);
            }
        }
    }

    /// What `body` makes of each window of a plane, one element after another.
    #[inline(always)]
    pub(super) fn windows<S: Simd, T: Element, B: Body<T, 2>>(
        &self,
        s: S,
        body: B,
        identity: T,
        x: &[T],
        out: &mut [T],
    ) {
        if self.single() {
            return self.each_window(
                #[inline(always)]
                |i, j, at| {
                    let whole = self.pieces(i, j).fold(identity, |all, piece| {
                        let x = x.get(piece).unwrap_or_default();
                        let [part] = fold_by(Serial, s, Exact(body, identity), [x]);
                        body.eval([scalar(all), scalar(part)]).lane0()
                    });
                    put(out, at, whole);
                },
            );
        }
        let Along { n: w, kernel: k, stride: step, dilation: apart, before: p, .. } = self.across;
        let width = self.height();
        let joined = Joined(body, identity);
        if self.direct() {
            let inner = self.inner();
            for (i, out) in out.chunks_exact_mut(self.cols).enumerate() {
                let rows = self.rows(i);
                if !inner.is_empty() {
                    let first = rows.first * w + inner.start * step - p;
                    let slide = Slide { rows: rows.n, width, cols: k, apart, step };
                    slide.each(s, joined, part(x, first..x.len()), [part_mut(out, inner.clone())]);
                }
                for j in (0..inner.start).chain(inner.end..self.cols) {
                    let mut all = scalar(identity);
                    for piece in self.pieces(i, j) {
                        all = part(x, piece).iter().fold(all, |all, x| body.eval([all, scalar(*x)]));
                    }
                    put(out, j, all.lane0());
                }
            }
            return;
        }
        let mut high = [identity; STRIP];
        self.each_strip(
            #[inline(always)]
            |strip| {
                // From top to bottom, and then from left to right.
                let (columns, rows) = (self.columns(strip), self.rows(strip.row));
                let line = |r: usize| part(x, r * w + columns.start..r * w + columns.end);
                let high = if rows.n == 1 && columns.len() == strip.span {
                    line(rows.first)
                } else {
                    let high = part_mut(&mut high, 0..strip.span);
                    if columns.len() < strip.span {
                        high.fill(identity);
                    }
                    let real = part_mut(high, strip.skip..strip.skip + columns.len());
                    let down = Slide { rows: rows.n, width, cols: 1, apart: 1, step: 1 };
                    down.each(s, joined, part(x, rows.first * w + columns.start..x.len()), [real]);
                    &*high
                };
                let at = strip.row * self.cols + strip.col;
                let slide = Slide { rows: 1, width: 0, cols: k, apart, step };
                slide.each(s, joined, high, [part_mut(out, at..at + strip.n)]);
            },
        );
    }

    /// Whether the means of all windows count as many elements.
    #[inline(always)]
    pub(super) fn even(&self, count_padding: bool) -> bool {
        let whole = [self.down, self.across].iter().all(|along| [along.before, along.behind] == [0, 0]);
        !self.over && (count_padding || whole)
    }

    /// Divides windows from `col` of line `row` on by the elements that they count.
    #[inline(always)]
    pub(super) fn divide<S: Simd, T: Element>(
        &self,
        s: S,
        count_padding: bool,
        [row, col]: [usize; 2],
        sums: &mut [T],
    ) {
        let counted = |j: usize| self.counted(row, col + j, count_padding);
        let within = if self.even(count_padding) {
            0..sums.len()
        } else {
            let inner = self.inner();
            let [start, end] = [inner.start, inner.end].map(|j| j.saturating_sub(col).min(sums.len()));
            start..end
        };
        for j in (0..within.start).chain(within.end..sums.len()) {
            if let Some(sum) = sums.get_mut(j) {
                *sum = (*sum + T::ZERO) / T::from_usize(counted(j));
            }
        }
        let count = counted(within.start.min(within.end.saturating_sub(1)));
        let (by, sums) = (T::from_usize(count), part_mut(sums, within));
        if count.is_power_of_two() {
            // The same bits, and a product costs less.
            drive::map_in_place(Serial, s, Shared(T::ONE / by), sums);
        } else {
            drive::map_in_place(Serial, s, DividedBy(by), sums);
        }
    }

    /// Adds the share of each window, over `dy`, to what it was made of.
    #[inline(always)]
    pub(super) fn avg_backward<S: Simd, T: Element>(
        &self,
        s: S,
        count_padding: bool,
        dy: &[T],
        dx: &mut [T],
    ) {
        if self.single() {
            return self.each_window(
                #[inline(always)]
                |i, j, at| {
                    let dy = dy.get(at).copied().unwrap_or_default();
                    let share = dy / T::from_usize(self.counted(i, j, count_padding));
                    for piece in self.pieces(i, j) {
                        drive::map_in_place(Serial, s, Plus(share), part_mut(dx, piece));
                    }
                },
            );
        }
        let Along { n: w, kernel: k, stride: step, dilation: apart, .. } = self.across;
        // Zeros before and behind the shares, for windows over them that run the other way.
        let (mut padded, mut wide) = ([T::ZERO; 3 * STRIP], [T::ZERO; STRIP]);
        let (mut even, mut odd) = ([T::ZERO; STRIP], [T::ZERO; STRIP]);
        self.each_strip(
            #[inline(always)]
            |strip| {
                let at = strip.row * self.cols + strip.col;
                let shares = part_mut(&mut padded, STRIP..STRIP + strip.n);
                shares.copy_from_slice(part(dy, at..at + strip.n));
                self.divide(s, count_padding, [strip.row, strip.col], shares);
                if let Some(behind) = padded.get_mut(STRIP + strip.n..2 * STRIP + strip.n) {
                    behind.fill(T::ZERO);
                }
                let wide = part_mut(&mut wide, 0..strip.span);
                // The sums over windows of `cols` shares that end with the first one, the second, and so on.
                let sums = |cols: usize, to: &mut [T]| {
                    let slide = Slide { rows: 1, width: 0, cols, apart: 1, step: 1 };
                    slide.each(s, Joined(Add, T::ZERO), part(&padded, STRIP + 1 - cols..padded.len()), [to]);
                };
                match step {
                    1 if apart == 1 => sums(k, wide),
                    2 if apart == 1 && k > 1 => {
                        let (even, odd) = (
                            part_mut(&mut even, 0..strip.span.div_ceil(2)),
                            part_mut(&mut odd, 0..strip.span / 2),
                        );
                        sums(k.div_ceil(2), even);
                        sums(k / 2, odd);
                        interleave(s, even, odd, wide);
                    }
                    _ => {
                        wide.fill(T::ZERO);
                        for t in 0..k {
                            let shares = part(&padded, STRIP..STRIP + strip.n);
                            strided::spread_add(shares, step, part_mut(wide, t * apart..strip.span));
                        }
                    }
                }
                let columns = self.columns(strip);
                let real = part(wide, strip.skip..strip.skip + columns.len());
                for r in self.rows(strip.row).each() {
                    let dx = part_mut(dx, r * w + columns.start..r * w + columns.end);
                    drive::zip_in_place(Serial, s, Add, dx, real);
                }
            },
        );
    }

    /// The windows of a line in which several are searched at once.
    #[inline(always)]
    fn searched<T: Element>(&self) -> Range<usize> {
        // Places in a window have to be exact as elements.
        let places = (self.down.kernel - 1).saturating_mul(self.height()).saturating_add(self.across.span());
        if self.single() || T::from_usize(places) >= T::INTEGRAL { 0..0 } else { self.inner() }
    }

    /// The largest element of each window, and where in the plane it is.
    #[inline(always)]
    pub(super) fn max_indices<S: Simd, T: Element>(&self, s: S, x: &[T], out: &mut [T], indices: &mut [u32]) {
        let Along { n: w, kernel: k, stride: step, dilation: apart, before: p, .. } = self.across;
        let inner = self.searched::<T>();
        let mut places = [T::ZERO; STRIP];
        let lines = out.chunks_exact_mut(self.cols).zip(indices.chunks_exact_mut(self.cols));
        for (i, (out, indices)) in lines.enumerate() {
            for j in (0..inner.start).chain(inner.end..self.cols) {
                let at = self.largest(x, i, j);
                put(out, j, x.get(at).copied().unwrap_or_default());
                put(indices, j, at as u32);
            }
            let rows = self.rows(i);
            for j in inner.clone().step_by(STRIP) {
                let n = STRIP.min(inner.end - j);
                let first = rows.first * w + j * step - p;
                let slide = Slide { rows: rows.n, width: self.height(), cols: k, apart, step };
                let found = [part_mut(out, j..j + n), part_mut(&mut places, 0..n)];
                slide.each(s, Largest, part(x, first..x.len()), found);
                for (t, (to, at)) in part_mut(indices, j..j + n).iter_mut().zip(&places).enumerate() {
                    *to = (first + t * step) as u32 + at.to_f64() as u32;
                }
            }
        }
    }

    /// Adds each of `dy` to the largest element of its window.
    #[inline(always)]
    pub(super) fn max_backward<S: Simd, T: Element>(&self, s: S, x: &[T], dy: &[T], dx: &mut [T]) {
        let Along { n: w, kernel: k, stride: step, dilation: by, before: p, .. } = self.across;
        let width = self.height();
        let add = |dx: &mut [T], at: usize, dy: &T| {
            if let Some(dx) = dx.get_mut(at) {
                *dx = *dx + *dy;
            }
        };
        let inner = self.searched::<T>();
        let mut most = [T::ZERO; STRIP];
        // With room before and behind; no element is number -1.
        let (mut places, mut padded) = ([-T::ONE; 3 * STRIP], [T::ZERO; 3 * STRIP]);
        for (i, dy) in dy.chunks_exact(self.cols).enumerate() {
            let apart = |dx: &mut [T], j: Range<usize>| {
                for (j, dy) in j.clone().zip(part(dy, j)) {
                    add(dx, self.largest(x, i, j), dy);
                }
            };
            apart(dx, 0..inner.start);
            let rows = self.rows(i);
            for j in inner.clone().step_by(STRIP / 2) {
                let n = (STRIP / 2).min(inner.end - j);
                let first = rows.first * w + j * step - p;
                let slide = Slide { rows: rows.n, width, cols: k, apart: by, step };
                let found = [part_mut(&mut most, 0..n), part_mut(&mut places, STRIP..STRIP + n)];
                slide.each(s, Largest, part(x, first..x.len()), found);
                let dy = part(dy, j..j + n);
                if step > 2 || by > 1 {
                    let found = part(&places, STRIP..STRIP + n).iter().zip(dy).enumerate();
                    found.for_each(|(t, (at, dy))| add(dx, first + t * step + at.to_f64() as usize, dy));
                    continue;
                }
                // What the run before has left behind this one.
                part_mut(&mut places, STRIP + n..STRIP + n + k + 16).fill(-T::ONE);
                part_mut(&mut padded, STRIP..STRIP + n).copy_from_slice(dy);
                for r in 0..rows.n {
                    let start = first + r * width;
                    let dx = part_mut(dx, start..start + (n - 1) * step + k);
                    slide.collect(s, [&places, &padded], STRIP, r * width, dx);
                }
            }
            apart(dx, inner.end..self.cols);
        }
    }

    /// Where the first of the largest elements of a window is, or the first NaN.
    #[inline(always)]
    pub(super) fn largest<T: Element>(&self, x: &[T], i: usize, j: usize) -> usize {
        let (w, rows, cols) = (self.across.n, self.rows(i), self.cols(j));
        let mut largest = (rows.first * w + cols.first, -T::INFINITY);
        for r in rows.each() {
            let line = part(x, r * w + cols.first..(r + 1) * w);
            for (t, x) in line.iter().step_by(cols.step).take(cols.n).enumerate() {
                let [nan, before] = [*x, largest.1].map(is_nan);
                // Without a branch: which is largest is hard to guess.
                let take = (*x > largest.1) | (nan & !before);
                largest = if take { (r * w + cols.first + t * cols.step, *x) } else { largest };
            }
        }
        largest.0
    }

    /// Whether NaN of each window of `x` reaches its element of `y`, over all planes.
    pub(super) fn each_call<T: Element>(
        self,
        x: &[T],
        y: &[T],
        check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        for (x, y) in x.chunks_exact(self.area).zip(y.chunks_exact(self.cells)) {
            let mut found = Ok(());
            self.each_window(|i, j, at| {
                let nan = self.pieces(i, j).any(|piece| part(x, piece).iter().any(|x| is_nan(*x)));
                let x = if nan { T::NAN } else { T::ZERO };
                let call = check(&Call::new(&[&[x]], part(y, at..at + 1)));
                found = found.and(call);
            });
            found?;
        }
        Ok(())
    }
}

/// `x / by`; -0 becomes +0.
#[derive(Debug, Clone, Copy)]
struct DividedBy<T>(T);
impl<T: Number> Body<T, 1> for DividedBy<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        (x + x.c(0.0)) / x.param(self.0)
    }
}

/// `x · share`; -0 becomes +0.
#[derive(Debug, Clone, Copy)]
struct Shared<T>(T);
impl<T: Number> Body<T, 1> for Shared<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        (x + x.c(0.0)) * x.param(self.0)
    }
}

/// `x + c`.
#[derive(Debug, Clone, Copy)]
struct Plus<T>(T);
impl<T: Number> Body<T, 1> for Plus<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x + x.param(self.0)
    }
}

#[inline(always)]
#[allow(clippy::eq_op, reason = "NaN is what differs from itself")]
fn is_nan<T: Element>(x: T) -> bool {
    x != x
}

/// The elements in the range, which `x` has.
#[inline(always)]
pub(super) fn part<T>(x: &[T], range: Range<usize>) -> &[T] {
    x.get(range).unwrap_or_default()
}

/// As [`part`].
#[inline(always)]
fn part_mut<T>(x: &mut [T], range: Range<usize>) -> &mut [T] {
    x.get_mut(range).unwrap_or_default()
}

/// `x[at] = value`.
#[inline(always)]
fn put<T>(x: &mut [T], at: usize, value: T) {
    if let Some(x) = x.get_mut(at) {
        *x = value;
    }
}
