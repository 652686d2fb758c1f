//! Splits the rows of a filtered image among threads.

use super::ImageMut;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use crate::parts::GRAIN;

/// What is computed row by row, and may be split between rows.
pub(super) trait Rows: Sized + Send {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// The first `rows` rows, and the others.
    fn split_at(self, rows: usize) -> [Self; 2];
}
impl<P: Send> Rows for ImageMut<'_, P> {
    #[inline]
    fn rows(&self) -> usize {
        self.height()
    }
    #[inline]
    fn split_at(self, rows: usize) -> [Self; 2] {
        self.split(rows)
    }
}
/// Planes of the same height.
impl<P: Send> Rows for [ImageMut<'_, P>; 3] {
    #[inline]
    fn rows(&self) -> usize {
        let [first, ..] = self;
        first.height()
    }
    #[inline]
    fn split_at(self, rows: usize) -> [Self; 2] {
        let [[a, d], [b, e], [c, f]] = self.map(|plane| plane.split(rows));
        [[a, b, c], [d, e, f]]
    }
}

/// Runs `part` on parts of the rows of `dst`, each with its first row's number and a workspace of `need` elements or more: on as many
/// threads as `workspace` has room for. A row costs as much as `cols` elements. Mark the closure `#[inline(always)]`.
pub(super) fn each_part<J: Executor, S: Simd, D: Rows, M: Send>(
    j: J,
    s: S,
    (cols, need): (usize, usize),
    y: usize,
    dst: D,
    workspace: &mut [M],
    part: impl Fn(usize, D, &mut [M]) + Copy + Sync + Send,
) {
    let (rows, half) = (dst.rows(), workspace.len() / 2);
    let work = rows.saturating_mul(cols);
    if !J::SERIAL && rows > 1 && work > GRAIN && half >= need {
        let [a, b] = dst.split_at(rows / 2);
        let (one, other) = workspace.split_at_mut(half);
        j.join(
            work,
            || each_part(j, s, (cols, need), y, a, one, part),
            || each_part(j, s, (cols, need), y + rows / 2, b, other, part),
        );
        return;
    }
    s.vectorize(
        #[inline(always)]
        || part(y, dst, workspace),
    );
}

/// As [`each_part`] without a workspace: `line` for each row, with its number.
pub(super) fn each_line<J: Executor, S: Simd, P: Send>(
    j: J,
    s: S,
    cols: usize,
    dst: ImageMut<'_, P>,
    line: impl Fn(usize, &mut [P]) + Copy + Sync + Send,
) {
    let none: &mut [u8] = &mut [];
    each_part(
        j,
        s,
        (cols, 0),
        0,
        dst,
        none,
        #[inline(always)]
        |y: usize, mut dst: ImageMut<'_, P>, _: &mut [u8]| {
            for row in 0..dst.height() {
                line(y + row, dst.row_mut(row));
            }
        },
    );
}
