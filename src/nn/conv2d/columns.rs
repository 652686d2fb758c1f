//! im2col and col2im: the windows of a block of places as a matrix, a row for each weight of a filter and a column for each
//! place.

use super::Maps;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd, drive, strided};
use crate::nn::conv1d::{Tap, part, part_mut};
use crate::parts::{Count, Read, Write, each_row};
use crate::pointwise::Add;
use core::ops::Range;

/// Elements of the windows that are copied at a time: they stay in the second-level cache until the product has read them.
pub(crate) const COPIED: usize = 1 << 18;
/// Fewest places at a time: whole register tiles on any instruction set.
pub(crate) const FEW: usize = 240;

/// Places whose windows are copied at a time, `filter` elements each. The same for any number of threads.
pub(super) const fn block_cells(filter: usize, n: usize) -> usize {
    let most = COPIED / (if filter == 0 { 1 } else { filter });
    let most = if most < FEW { FEW } else { most / FEW * FEW };
    if most < n { most } else { n }
}

/// The part of a block that is in one row of the result.
struct Segment {
    row: usize,
    cols: Range<usize>,
    /// Where it begins in the block.
    at: usize,
}

impl Maps {
    /// `f` on the part of these places in each row.
    #[inline(always)]
    fn segments(&self, cells: &Range<usize>, mut f: impl FnMut(Segment)) {
        let width = self.cols.max(1);
        let mut place = cells.start;
        let mut row = place / width;
        while place < cells.end {
            let first = place - row * width;
            let n = (width - first).min(cells.end - place);
            f(Segment { row, cols: first..first + n, at: place - cells.start });
            place += n;
            row += 1;
        }
    }

    /// Channel, row and column of a weight of a filter.
    #[inline(always)]
    fn weight(&self, k: usize) -> [usize; 3] {
        let (kh, kw) = (self.down.kernel.max(1), self.across.kernel.max(1));
        [k / kw / kh, k / kw % kh, k % kw]
    }

    /// The element at which a tap begins to read a segment's row, if it reads it at all.
    #[inline(always)]
    fn line(&self, down: &Tap, row: usize) -> Option<usize> {
        let below = row.checked_sub(down.cells.start).filter(|_| row < down.cells.end)?;
        Some((down.first + below * self.down.stride) * self.across.length)
    }

    /// What weight `k` of a filter meets at these places of a group's input; zeros in the padding.
    #[inline(always)]
    fn gather<T: Element>(&self, k: usize, x: &[T], cells: &Range<usize>, to: &mut [T]) {
        let [channel, ky, kx] = self.weight(k);
        let (down, across) = (self.down.tap(ky, self.rows), self.across.tap(kx, self.cols));
        let (x, step) = (part(x, channel * self.area(), self.area()), self.across.stride);
        self.segments(
            cells,
            #[inline(always)]
            |Segment { row, cols, at }| {
                let to = part_mut(to, at, cols.len());
                let Some(line) = self.line(&down, row) else { return to.fill(T::ZERO) };
                let Tap { cells, first } = across.among(&cols, step);
                if cells.is_empty() {
                    return to.fill(T::ZERO);
                }
                let (before, rest) = to.split_at_mut_checked(cells.start - cols.start).unwrap_or_default();
                let (met, behind) = rest.split_at_mut_checked(cells.len()).unwrap_or_default();
                before.fill(T::ZERO);
                behind.fill(T::ZERO);
                let from = part(x, line + first, (cells.len() - 1) * step + 1);
                if step == 1 && from.len() == met.len() {
                    met.copy_from_slice(from);
                } else {
                    strided::every(from, step, met);
                }
            },
        );
    }

    /// Copies the windows at these places of a group's input.
    pub(super) fn unfold<J: Executor, S: Simd, T: Element>(
        &self,
        (j, s): (J, S),
        x: &[T],
        cells: &Range<usize>,
        columns: &mut [T],
    ) {
        each_row(
            j,
            s,
            cells.len(),
            (Count(0..self.filter()), Write(columns, cells.len())),
            #[inline(always)]
            |(k, to): (Count, Write<'_, T>)| self.gather(k.0.start, x, cells, to.0),
        );
    }

    /// Adds the windows at these places to a group's input; what is in the padding is left out.
    pub(super) fn fold<J: Executor, S: Simd, T: Element>(
        &self,
        (j, s): (J, S),
        columns: &[T],
        cells: &Range<usize>,
        dx: &mut [T],
    ) {
        let taps = self.taps();
        let step = self.across.stride;
        each_row(
            j,
            s,
            taps.saturating_mul(cells.len()),
            (Read(columns, taps * cells.len()), Write(dx, self.area())),
            #[inline(always)]
            |(columns, dx): (Read<'_, T>, Write<'_, T>)| {
                for k in 0..taps {
                    let [_, ky, kx] = self.weight(k);
                    let (down, across) = (self.down.tap(ky, self.rows), self.across.tap(kx, self.cols));
                    let from = part(columns.0, k * cells.len(), cells.len());
                    self.segments(
                        cells,
                        #[inline(always)]
                        |Segment { row, cols, at }| {
                            let Some(line) = self.line(&down, row) else { return };
                            let Tap { cells, first } = across.among(&cols, step);
                            let from = part(from, at + cells.start.saturating_sub(cols.start), cells.len());
                            if from.is_empty() {
                                return;
                            }
                            let to = part_mut(dx.0, line + first, (cells.len() - 1) * step + 1);
                            if step == 1 {
                                drive::zip_in_place(Serial, s, Add, to, from);
                            } else {
                                strided::spread_add(from, step, to);
                            }
                        },
                    );
                }
            },
        );
    }
}
