//! im2col: for each tap of a filter, the input elements that it multiplies are copied contiguously.

use super::{Conv1d, Lines};
use crate::blas::gemm::{Problem, gemm_by};
use crate::error::Error;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd, strided};
use crate::slices::lines_mut;
use crate::view::{MatMut, MatRef};
use core::ops::Range;

/// Bytes that don't stay in a second-level cache.
pub(crate) const FAR_BYTES: usize = 1 << 20;
/// Channels from which on products copy lines for less than the taps gain.
pub(crate) const FEW_CHANNELS: usize = 256;

/// Weights of the filters over one channel, from which on they are a product with the windows of its line, as in the first
/// layer of a network; so many more where windows are neighbours, whose sums of shifted lines gather nothing.
pub(crate) const FILTERS: usize = 128;
/// Weights of one of these filters where windows are neighbours.
pub(crate) const LONG: usize = 8;

/// Whether groups are single channels, whose results are sums of shifted lines.
pub(super) const fn apart(conv: &Conv1d, ci: usize, co: usize) -> bool {
    let weights = co.saturating_mul(conv.kernel);
    ci == 1 && (weights < FILTERS || (conv.stride == 1 && (conv.kernel < LONG || weights < 4 * FILTERS)))
}

/// Channels from which on the windows of strided lines are copied, for one product of all taps.
pub(crate) const UNFOLDED: usize = 8;
/// Elements of these copies at a time.
pub(crate) const COPIED: usize = 1 << 20;

/// Whether one product has all taps: a tap alone would gather its elements, and add to the result in memory.
pub(super) const fn unfolded(conv: &Conv1d, ci: usize, co: usize) -> bool {
    conv.stride > 1 && conv.kernel > 1 && conv.kernel <= ci && ci >= UNFOLDED && co >= UNFOLDED
}

/// Places whose windows are copied at a time, `filter` elements each.
pub(super) const fn unfolded_cells(filter: usize, n: usize) -> usize {
    let most = COPIED / (if filter == 0 { 1 } else { filter });
    let most = if most < FEW { FEW } else { most };
    if most < n { most } else { n }
}

/// The output positions at which a tap multiplies an element of the input.
#[derive(Debug, Clone)]
pub(crate) struct Tap {
    /// These elements of the result's line.
    pub cells: Range<usize>,
    /// The element of the input at the first of them; the others follow by the stride.
    pub first: usize,
}

impl Tap {
    /// The places among `cells`.
    pub(crate) fn among(&self, cells: &Range<usize>, stride: usize) -> Self {
        let end = self.cells.end.min(cells.end);
        let start = self.cells.start.max(cells.start).min(end);
        // Without a place there is no element either.
        let first = if start < end { self.first + (start - self.cells.start) * stride } else { 0 };
        Self { cells: start..end, first }
    }

    /// The positions that read the elements `reach` of the input.
    pub(super) fn reaching(&self, reach: &Range<usize>, stride: usize) -> Self {
        let place =
            |i: usize| self.cells.start.saturating_add(i.saturating_sub(self.first).div_ceil(stride.max(1)));
        self.among(&(place(reach.start)..place(reach.end)), stride)
    }
}

/// Elements of the lines that stay in the first- or second-level cache.
pub(crate) const CELLS: usize = 1 << 15;
/// Fewest places that products of copied lines take at a time: whole register tiles on any instruction set.
pub(crate) const FEW: usize = 240;

/// Places that products of copied lines take at a time: the lines stay in the first- or second-level cache while all
/// taps meet them, and so does what they add to. Whole register tiles on any instruction set.
pub(super) const fn block_cells(ci: usize, co: usize) -> usize {
    let wide = if ci > co { ci } else { co };
    let cells = CELLS / (if wide == 0 { 1 } else { wide });
    if cells < FEW {
        FEW
    } else if cells > 4 * FEW {
        4 * FEW
    } else {
        cells / FEW * FEW
    }
}

/// Whether taps read the same elements again, of lines that few channels have: a product copies those of many anyway.
pub(super) const fn again(conv: &Conv1d, ci: usize, co: usize) -> bool {
    let (span, cells) = (conv.span(), block_cells(ci, co));
    ci <= FEW_CHANNELS && co <= FEW_CHANNELS && conv.kernel <= ci && conv.stride <= span && span <= cells
}

/// `n` elements from `start` on, which `x` has.
#[inline(always)]
pub(crate) fn part<T>(x: &[T], start: usize, n: usize) -> &[T] {
    x.get(start..).and_then(|x| x.get(..n)).unwrap_or_default()
}

/// As [`part`].
#[inline(always)]
pub(crate) fn part_mut<T>(x: &mut [T], start: usize, n: usize) -> &mut [T] {
    x.get_mut(start..).and_then(|x| x.get_mut(..n)).unwrap_or_default()
}

/// Lines, or a part of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a, T> {
    pub x: &'a [T],
    /// Elements of each that are there.
    pub len: usize,
    /// The first of these.
    pub from: usize,
}

impl<'a, T: Element> Source<'a, T> {
    /// These elements of each of `count` lines, contiguous in `scratch`.
    pub(super) fn copy(self, count: usize, of: Range<usize>, scratch: &'a mut [T]) -> Self {
        let len = of.len();
        let start = of.start.saturating_sub(self.from);
        for (line, to) in scratch.chunks_exact_mut(len.max(1)).enumerate().take(count) {
            let from = part(self.x, line * self.len + start, len);
            if from.len() == to.len() {
                to.copy_from_slice(from);
            }
        }
        Self { x: scratch, len, from: of.start }
    }
}

/// The places of all of these.
pub(super) fn bounds(taps: impl Iterator<Item = Tap>) -> Range<usize> {
    taps.map(|t| t.cells)
        .filter(|c| !c.is_empty())
        .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
        .unwrap_or(0..0)
}

impl Lines {
    /// Places that the products take at a time, if parts of lines are to be copied: where they are met again and, with
    /// the result, don't stay in the second-level cache. On one thread: several divide each product.
    pub(super) fn blocked<J: Executor, T>(&self) -> Option<usize> {
        let [read, write] = self.groups();
        let far = (read + write).saturating_mul(size_of::<T>()) >= FAR_BYTES;
        (J::SERIAL && far && again(&self.conv, self.ci, self.co)).then(|| block_cells(self.ci, self.co))
    }

    /// Whether one product has all taps.
    pub(super) fn unfolds(&self) -> bool {
        unfolded(&self.conv, self.ci, self.co)
    }

    /// Adds the product of a group's filters and windows at the places where all taps read the input; says which these are.
    pub(super) fn unfold<J: Executor, S: Simd, T: Element>(
        &self,
        (j, s): (J, S),
        x: Source<'_, T>,
        w: &[T],
        out: &mut [T],
        workspace: &mut [T],
    ) -> Result<Range<usize>, Error> {
        let &Self { conv, n, ci, co, .. } = self;
        let (within, kernel) = (conv.within(n), conv.kernel.max(1));
        let filter = ci * kernel;
        let parts = within.len().div_ceil(unfolded_cells(filter, n).max(1)).max(1);
        let each = within.len().div_ceil(parts).max(1);
        for start in within.clone().step_by(each) {
            let cells = start..within.end.min(start + each);
            let (copies, rest) = workspace.split_at_mut_checked(filter * cells.len()).unwrap_or_default();
            s.vectorize(
                #[inline(always)]
                || {
                    for (row, to) in lines_mut(copies, cells.len()).enumerate() {
                        let at = conv.tap(row % kernel, n).among(&cells, conv.stride);
                        let from = row / kernel * x.len + at.first;
                        strided::every(
                            part(x.x, from, (at.cells.len().max(1) - 1) * conv.stride + 1),
                            conv.stride,
                            to,
                        );
                    }
                },
            );
            let (a, b) = (MatRef::row_major(w, co, filter)?, MatRef::row_major(copies, filter, cells.len())?);
            let c = MatMut::row_major(&mut *out, co, n)?.sub(0..co, cells)?;
            gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), rest)?;
        }
        Ok(within)
    }

    /// The elements of a line that these positions read.
    pub(super) fn met(&self, cells: &Range<usize>) -> Range<usize> {
        let Conv1d { length, stride, padding, .. } = self.conv;
        let start = (cells.start * stride).saturating_sub(padding).min(length);
        let end = (cells.end.saturating_sub(1) * stride + self.conv.span() + 1).saturating_sub(padding);
        start..end.min(length).max(start)
    }
}
