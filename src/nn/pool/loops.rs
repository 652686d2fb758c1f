//! The loops of pooling over the windows of a volume: forward and backward.

use super::Along;
use super::geometry::{Line, Planes, STRIP};
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
use crate::slices::{copy, lines_mut};
use core::ops::Range;

/// The mean of a volume, in the steps of [`Planes::windows`] and [`Planes::means`].
#[inline(always)]
pub(super) fn mean<S: Simd, T: Element>(s: S, x: &[T]) -> T {
    let [sum] = fold_by(Serial, s, Exact(Add, T::ZERO), [x]);
    let (sum, count) = (T::ZERO + sum, T::from_usize(x.len()));
    if x.len().is_power_of_two() { sum * (T::ONE / count) } else { sum / count }
}

impl Planes {
    /// What `body` makes of each window of a volume, one element after another.
    #[inline(always)]
    pub(super) fn windows<S: Simd, T: Element, B: Body<T, 2>>(
        &self,
        s: S,
        body: B,
        identity: T,
        x: &[T],
        out: &mut [T],
    ) {
        if self.whole() {
            let [all] = fold_by(Serial, s, Exact(body, identity), [x]);
            return put(out, 0, body.eval([scalar(identity), scalar(all)]).lane0());
        }
        if self.single() {
            return self.each_window(
                #[inline(always)]
                |line, j, at| {
                    let whole = self.pieces(line, j).fold(identity, |all, piece| {
                        let x = x.get(piece).unwrap_or_default();
                        let [part] = fold_by(Serial, s, Exact(body, identity), [x]);
                        body.eval([scalar(all), scalar(part)]).lane0()
                    });
                    put(out, at, whole);
                },
            );
        }
        let Along { kernel: cols, stride: step, dilation: apart, before: p, .. } = self.across;
        let joined = Joined(body, identity);
        if self.direct() {
            let inner = self.inner();
            return self.each_line(
                #[inline(always)]
                |line, at| {
                    let out = part_mut(out, at);
                    if !inner.is_empty() {
                        let (first, slide) = self.over(line);
                        let first = first + inner.start * step - p;
                        slide.each(s, joined, part(x, first..x.len()), [part_mut(out, inner.clone())]);
                    }
                    for j in (0..inner.start).chain(inner.end..self.cols) {
                        let mut all = scalar(identity);
                        for piece in self.pieces(line, j) {
                            all = part(x, piece).iter().fold(all, |all, x| body.eval([all, scalar(*x)]));
                        }
                        put(out, j, all.lane0());
                    }
                },
            );
        }
        let mut high = [identity; STRIP];
        self.each_strip(
            #[inline(always)]
            |strip, at| {
                // From front to back and from top to bottom, and then from left to right.
                let (columns, (first, over)) = (self.columns(strip), self.over(strip.line));
                let high = if strip.line.planes * over.rows == 1 && columns.len() == strip.span {
                    part(x, first + columns.start..first + columns.end)
                } else {
                    let high = part_mut(&mut high, 0..strip.span);
                    if columns.len() < strip.span {
                        high.fill(identity);
                    }
                    let real = part_mut(high, strip.skip..strip.skip + columns.len());
                    let down = Slide { cols: 1, apart: 1, step: 1, ..over };
                    let from = |p: usize| part(x, first + p * self.behind() + columns.start..x.len());
                    down.each(s, joined, from(0), [&mut *real]);
                    for p in 1..strip.line.planes {
                        let mut more = [identity; STRIP];
                        let more = part_mut(&mut more, 0..real.len());
                        down.each(s, joined, from(p), [&mut *more]);
                        drive::zip_in_place(Serial, s, body, real, more);
                    }
                    &*high
                };
                let slide = Slide { apart, step, ..Slide::line(cols) };
                slide.each(s, joined, high, [part_mut(out, at..at + strip.n)]);
            },
        );
    }

    /// Divides the sums of all windows by the elements that they count.
    #[inline(always)]
    pub(super) fn means<S: Simd, T: Element>(&self, s: S, count_padding: bool, sums: &mut [T]) {
        let lines = if self.even(count_padding) { self.cells } else { self.cols };
        for (at, sums) in lines_mut(sums, lines).enumerate() {
            let (k, i) = (at / self.rows.max(1), at % self.rows.max(1));
            let line = Line { i, ..self.line(k) };
            self.divide(s, count_padding, (line, 0), sums);
        }
    }

    /// Whether the means of all windows count as many elements.
    #[inline(always)]
    fn even(&self, count_padding: bool) -> bool {
        let whole =
            [self.deep, self.down, self.across].iter().all(|along| [along.before, along.behind] == [0, 0]);
        !self.over && (count_padding || whole)
    }

    /// Divides windows from `col` of a line on by the elements that they count.
    #[inline(always)]
    fn divide<S: Simd, T: Element>(
        &self,
        s: S,
        count_padding: bool,
        (line, col): (Line, usize),
        sums: &mut [T],
    ) {
        let counted = |j: usize| self.counted(line, col + j, count_padding);
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
                |line, j, at| {
                    let dy = dy.get(at).copied().unwrap_or_default();
                    let share = dy / T::from_usize(self.counted(line, j, count_padding));
                    for piece in self.pieces(line, j) {
                        drive::map_in_place(Serial, s, Plus(share), part_mut(dx, piece));
                    }
                },
            );
        }
        let Along { kernel: k, stride: step, dilation: apart, .. } = self.across;
        // Zeros before and behind the shares, for windows over them that run the other way.
        let (mut padded, mut wide) = ([T::ZERO; 3 * STRIP], [T::ZERO; STRIP]);
        let (mut even, mut odd) = ([T::ZERO; STRIP], [T::ZERO; STRIP]);
        self.each_strip(
            #[inline(always)]
            |strip, at| {
                let shares = part_mut(&mut padded, STRIP..STRIP + strip.n);
                copy(part(dy, at..at + strip.n), shares);
                self.divide(s, count_padding, (strip.line, strip.col), shares);
                if let Some(behind) = padded.get_mut(STRIP + strip.n..2 * STRIP + strip.n) {
                    behind.fill(T::ZERO);
                }
                let wide = part_mut(&mut wide, 0..strip.span);
                // The sums over windows of `cols` shares that end with the first one, the second, and so on.
                let sums = |cols: usize, to: &mut [T]| {
                    let slide = Slide::line(cols);
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
                for at in self.starts(strip.line, None) {
                    let dx = part_mut(dx, at + columns.start..at + columns.end);
                    drive::zip_in_place(Serial, s, Add, dx, real);
                }
            },
        );
    }

    /// The windows of a line in which several are searched at once.
    #[inline(always)]
    fn searched<T: Element>(&self) -> Range<usize> {
        // Places in a window have to be exact as elements.
        let rows = (self.down.span() - 1).saturating_mul(self.across.n);
        let places = rows.saturating_add(self.across.span());
        if self.single() || T::from_usize(places) >= T::INTEGRAL { 0..0 } else { self.inner() }
    }

    /// The largest element of each window, and where in the volume it is.
    #[inline(always)]
    pub(super) fn max_indices<S: Simd, T: Element>(&self, s: S, x: &[T], out: &mut [T], indices: &mut [u32]) {
        let Along { stride: step, before: p, .. } = self.across;
        let inner = self.searched::<T>();
        let mut places = [T::ZERO; STRIP];
        self.each_line(
            #[inline(always)]
            |line, at| {
                let (out, indices) = (part_mut(out, at.clone()), part_mut(indices, at));
                for j in (0..inner.start).chain(inner.end..self.cols) {
                    let at = self.largest(x, line, j);
                    put(out, j, x.get(at).copied().unwrap_or_default());
                    put(indices, j, at as u32);
                }
                let (first, slide) = self.over(line);
                for j in inner.clone().step_by(STRIP) {
                    let n = STRIP.min(inner.end - j);
                    let first = first + j * step - p;
                    let found = [part_mut(out, j..j + n), part_mut(&mut places, 0..n)];
                    slide.each(s, Largest, part(x, first..x.len()), found);
                    for (t, (to, at)) in part_mut(indices, j..j + n).iter_mut().zip(&places).enumerate() {
                        *to = (first + t * step) as u32 + at.to_f64() as u32;
                    }
                    let indices = part_mut(indices, j..j + n);
                    let found = |t: usize, at: usize| put(indices, t, at as u32);
                    self.larger_behind(s, x, (line, first), part_mut(out, j..j + n), found);
                }
            },
        );
    }

    /// Of windows, the first of which begins at `first`, and whose largest elements are so in the first plane that they have:
    /// those that are larger in the planes behind it, and where.
    #[inline(never)]
    fn larger_behind<S: Simd, T: Element>(
        &self,
        s: S,
        x: &[T],
        (line, first): (Line, usize),
        most: &mut [T],
        mut found: impl FnMut(usize, usize),
    ) {
        let (_, slide) = self.over(line);
        for first in (1..line.planes).map(|p| first + p * self.behind()) {
            let [mut more, mut places] = [[T::ZERO; STRIP]; 2];
            let (more, places) = (part_mut(&mut more, 0..most.len()), part_mut(&mut places, 0..most.len()));
            s.vectorize(
                #[inline(always)]
                || slide.each(s, Largest, part(x, first..x.len()), [&mut *more, &mut *places]),
            );
            for (t, (most, (more, at))) in most.iter_mut().zip(more.iter().zip(&*places)).enumerate() {
                if beyond(*more, *most) {
                    *most = *more;
                    found(t, first + t * slide.step + at.to_f64() as usize);
                }
            }
        }
    }

    /// Adds each of `dy` to the largest element of its window.
    #[inline(always)]
    pub(super) fn max_backward<S: Simd, T: Element>(&self, s: S, x: &[T], dy: &[T], dx: &mut [T]) {
        let Along { kernel: k, stride: step, dilation: by, before: p, .. } = self.across;
        let add = |dx: &mut [T], at: usize, dy: &T| {
            if let Some(dx) = dx.get_mut(at) {
                *dx = *dx + *dy;
            }
        };
        let inner = self.searched::<T>();
        let mut most = [T::ZERO; STRIP];
        // With room before and behind; no element is number -1.
        let (mut places, mut padded) = ([-T::ONE; 3 * STRIP], [T::ZERO; 3 * STRIP]);
        self.each_line(
            #[inline(always)]
            |line, at| {
                let dy = part(dy, at);
                let apart = |dx: &mut [T], j: Range<usize>| {
                    for (j, dy) in j.clone().zip(part(dy, j)) {
                        add(dx, self.largest(x, line, j), dy);
                    }
                };
                apart(dx, 0..inner.start);
                let (first, slide) = self.over(line);
                for j in inner.clone().step_by(STRIP / 2) {
                    let n = (STRIP / 2).min(inner.end - j);
                    let first = first + j * step - p;
                    let found = [part_mut(&mut most, 0..n), part_mut(&mut places, STRIP..STRIP + n)];
                    slide.each(s, Largest, part(x, first..x.len()), found);
                    let dy = part(dy, j..j + n);
                    if line.planes > 1 {
                        let mut all = [0; STRIP / 2];
                        for (t, (to, at)) in all.iter_mut().zip(part(&places, STRIP..STRIP + n)).enumerate() {
                            *to = first + t * step + at.to_f64() as usize;
                        }
                        let found = |t: usize, at: usize| put(&mut all, t, at);
                        self.larger_behind(s, x, (line, first), part_mut(&mut most, 0..n), found);
                        all.iter().zip(dy).for_each(|(at, dy)| add(dx, *at, dy));
                        continue;
                    }
                    if step > 2 || by > 1 {
                        let found = part(&places, STRIP..STRIP + n).iter().zip(dy).enumerate();
                        found.for_each(|(t, (at, dy))| add(dx, first + t * step + at.to_f64() as usize, dy));
                        continue;
                    }
                    // What the run before has left behind this one.
                    part_mut(&mut places, STRIP + n..STRIP + n + k + 16).fill(-T::ONE);
                    copy(dy, part_mut(&mut padded, STRIP..STRIP + n));
                    for at in (0..slide.rows).map(|r| r * slide.width) {
                        let dx = part_mut(dx, first + at..first + at + (n - 1) * step + k);
                        slide.collect(s, [&places, &padded], STRIP, at, dx);
                    }
                }
                apart(dx, inner.end..self.cols);
            },
        );
    }

    /// Where the first of the largest elements of a window is, or the first NaN. Of windows at an edge: apart from the loops over
    /// the others, which have the registers.
    #[inline(never)]
    pub(super) fn largest<T: Element>(&self, x: &[T], line: Line, j: usize) -> usize {
        let cols = self.across.taps(j);
        let mut largest = (self.over(line).0 + cols.first, -T::INFINITY);
        for at in self.starts(line, None).map(|at| at + cols.first) {
            let line = part(x, at..x.len());
            for (t, x) in line.iter().step_by(cols.step.max(1)).take(cols.n).enumerate() {
                // Without a branch: which is largest is hard to guess.
                largest = if beyond(*x, largest.1) { (at + t * cols.step, *x) } else { largest };
            }
        }
        largest.0
    }

    /// Whether NaN of each window of `x` reaches its element of `y`, over all volumes.
    pub(super) fn each_call<T: Element>(
        self,
        x: &[T],
        y: &[T],
        check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        for (x, y) in x.chunks_exact(self.volume).zip(y.chunks_exact(self.cells)) {
            let mut found = Ok(());
            self.each_window(|line, j, at| {
                let nan = self.pieces(line, j).any(|piece| part(x, piece).iter().any(|x| is_nan(*x)));
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

/// Whether the largest element is `x` rather than `before`: the first NaN is larger than all.
#[inline(always)]
fn beyond<T: Element>(x: T, before: T) -> bool {
    (x > before) | (is_nan(x) & !is_nan(before))
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
