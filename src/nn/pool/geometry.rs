//! The geometry of pooling windows over a volume: stride, dilation and padding give the elements of each window.

use super::Along;
use crate::lanes::windows::Slide;
use core::ops::Range;

/// A [`Pool`](super::Pool) on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planes {
    /// From front to back, from top to bottom, and from left to right.
    pub(crate) deep: Along,
    pub(crate) down: Along,
    pub(crate) across: Along,
    /// Elements of a plane.
    pub(crate) area: usize,
    /// Elements of a volume.
    pub(crate) volume: usize,
    /// Windows of a volume.
    pub(crate) cells: usize,
    /// Windows from front to back.
    pub(crate) depth: usize,
    /// Windows from top to bottom.
    pub(crate) rows: usize,
    /// Windows from left to right.
    pub(crate) cols: usize,
    /// Whether the last window of a direction ends behind the padding.
    pub(crate) over: bool,
}

/// Elements of a line of windows that are worked on at a time.
pub(crate) const STRIP: usize = 256;

/// The elements of the volume that a window has along one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taps {
    pub(super) first: usize,
    pub(super) n: usize,
    /// From one to the next.
    pub(super) step: usize,
}

impl Taps {
    #[inline(always)]
    pub(super) fn each(self) -> impl Iterator<Item = usize> {
        (0..self.n).map(move |t| self.first + t * self.step)
    }
}

/// A line of windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// From front to back, and from top to bottom.
    pub(super) k: usize,
    pub(super) i: usize,
    /// The planes of the volume that its windows have: how many, and the elements before the first.
    pub(super) planes: usize,
    pub(super) front: usize,
}

/// Neighbouring windows of one line of windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strip {
    /// The line.
    pub(super) line: Line,
    /// The first window.
    pub(super) col: usize,
    /// Windows.
    pub(super) n: usize,
    /// Columns from the first window's start to the last one's end.
    pub(super) span: usize,
    /// How many of them are padding before the volume.
    pub(super) skip: usize,
}

impl Along {
    /// The elements of the volume in window `i`; there is one at least.
    #[inline(always)]
    pub(super) fn taps(&self, i: usize) -> Taps {
        let Self { n, kernel, stride, dilation: step, before, .. } = *self;
        let start = i * stride;
        if step == 1 {
            let first = start.saturating_sub(before);
            return Taps { first, n: (start + kernel - before).min(n) - first, step };
        }
        let left_out = before.saturating_sub(start).div_ceil(step.max(1));
        let end = (n + before - start).div_ceil(step.max(1)).min(kernel);
        Taps { first: start + left_out * step - before, n: end - left_out, step }
    }

    /// The elements of window `i` that are not behind the padding.
    #[inline(always)]
    pub(super) fn padded_taps(&self, i: usize) -> usize {
        (self.padded() - i * self.stride).div_ceil(self.dilation.max(1)).min(self.kernel)
    }
}

impl Planes {
    /// Elements from a plane of a window to the next.
    #[inline(always)]
    pub(super) fn behind(&self) -> usize {
        self.deep.dilation * self.area
    }

    /// Where the first plane is that the windows of one line have, from its first row on, and the windows over it.
    #[inline(always)]
    pub(super) fn over(&self, Line { i, front, .. }: Line) -> (usize, Slide) {
        let Along { n: w, kernel: cols, stride: step, dilation: apart, .. } = self.across;
        let rows = self.down.taps(i);
        let slide = Slide { rows: rows.n, width: self.down.dilation * w, cols, apart, step };
        (front + rows.first * w, slide)
    }

    /// Where the lines of memory start that they have, or of each plane the first of these.
    #[inline(always)]
    pub(super) fn starts(self, line: Line, rows: Option<usize>) -> impl Iterator<Item = usize> {
        let (first, over) = self.over(line);
        let rows = rows.unwrap_or(over.rows);
        let planes = (0..line.planes).map(move |p| first + p * self.behind());
        planes.flat_map(move |at| (0..rows).map(move |r| at + r * over.width))
    }

    /// The columns of the volume in the strip's windows.
    #[inline(always)]
    pub(super) fn columns(&self, strip: Strip) -> Range<usize> {
        let start = (strip.col * self.across.stride).saturating_sub(self.across.before);
        start..(start + strip.span - strip.skip).min(self.across.n)
    }

    /// Whether windows are taken one by one: as they are whole lines of memory, or longer than a strip.
    #[inline(always)]
    pub(super) fn single(&self) -> bool {
        self.across.span() > STRIP || self.lines()
    }

    /// Whether a window is one piece of memory.
    #[inline(always)]
    pub(super) fn lines(&self) -> bool {
        let Along { n, kernel, dilation, before, behind, .. } = self.across;
        kernel == n && [self.down.dilation, dilation, before, behind] == [1, 1, 0, 0]
    }

    /// Whether the one window is the volume: a network's last pool.
    #[inline(always)]
    pub(super) fn whole(&self) -> bool {
        let all = |along: Along| {
            along.kernel == along.n && [along.dilation, along.before, along.behind] == [1, 0, 0]
        };
        self.cells == 1 && all(self.deep) && all(self.down) && all(self.across)
    }

    /// Whether reading each element of the windows costs less than joining the rows of a strip first.
    #[inline(always)]
    pub(super) fn direct(&self) -> bool {
        let [d, h, w] = [self.deep, self.down, self.across].map(|along| along.kernel);
        d == 1 && h.saturating_mul(w) <= h.saturating_add(w)
    }

    /// The windows of a line whose columns are in the volume.
    #[inline(always)]
    pub(super) fn inner(&self) -> Range<usize> {
        let Along { n: w, stride, before: p, .. } = self.across;
        let (s, span) = (stride.max(1), self.across.span());
        let end = if w + p < span { 0 } else { (w + p - span) / s + 1 };
        let [start, end] = [p.div_ceil(s), end].map(|j| j.min(self.cols));
        start..end.max(start)
    }

    /// The pieces of memory of a window.
    #[inline(always)]
    pub(super) fn pieces(self, line: Line, j: usize) -> impl Iterator<Item = Range<usize>> {
        let cols = self.across.taps(j);
        let (many, len) = if cols.step == 1 { (1, cols.n) } else { (cols.n, 1) };
        let (rows, len) =
            if self.lines() { (Some(1), self.down.taps(line.i).n * self.across.n) } else { (None, len) };
        self.starts(line, rows).flat_map(move |at| {
            let starts = Taps { first: at + cols.first, n: many, step: cols.step };
            starts.each().map(move |at| at..at + len)
        })
    }

    /// Elements that the mean of a window counts.
    #[inline(always)]
    pub(super) fn counted(&self, Line { k, i, .. }: Line, j: usize, count_padding: bool) -> usize {
        let along = |along: Along, i: usize| match (count_padding, self.over) {
            (true, false) => along.kernel,
            // Neither does a mean count what is behind the padding.
            (true, true) => along.padded_taps(i),
            (false, _) => along.taps(i).n,
        };
        let all = along(self.deep, k).saturating_mul(along(self.down, i));
        all.saturating_mul(along(self.across, j))
    }

    /// The first line from top to bottom of those that begin in a plane.
    #[inline(always)]
    pub(super) fn line(&self, k: usize) -> Line {
        let Taps { first, n: planes, .. } = self.deep.taps(k);
        Line { k, i: 0, planes, front: first * self.area }
    }

    /// `f` on each line of windows of a volume, and where it is in the result.
    #[inline(always)]
    pub(super) fn each_line(&self, mut f: impl FnMut(Line, Range<usize>)) {
        let mut at = 0;
        for k in 0..self.depth {
            let front = self.line(k);
            for i in 0..self.rows {
                f(Line { i, ..front }, at..at + self.cols);
                at += self.cols;
            }
        }
    }

    /// `f` on each strip of a volume, and where it is in the result.
    #[inline(always)]
    pub(super) fn each_strip(&self, mut f: impl FnMut(Strip, usize)) {
        let (Along { stride: s, before: p, .. }, span) = (self.across, self.across.span());
        let most = (STRIP - span) / s.max(1) + 1;
        self.each_line(
            #[inline(always)]
            |line, at| {
                let mut col = 0;
                while col < self.cols {
                    let n = (self.cols - col).min(most);
                    let strip =
                        Strip { line, col, n, span: (n - 1) * s + span, skip: p.saturating_sub(col * s) };
                    f(strip, at.start + col);
                    col += n;
                }
            },
        );
    }

    /// `f` on each window of a volume, and where it is in the result.
    #[inline(always)]
    pub(super) fn each_window(&self, mut f: impl FnMut(Line, usize, usize)) {
        self.each_line(
            #[inline(always)]
            |line, at| at.enumerate().for_each(|(j, at)| f(line, j, at)),
        );
    }
}
