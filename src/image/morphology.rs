//! Erosion and dilation: the minimum and the maximum over a rectangle.

use super::parts::each_part;
use super::{Border, Image, ImageMut};
use crate::error::{Error, enough};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;

ops! { $ morphology_ops in crate::image::morphology;
    /// Erosion by a rectangle of `size[0]` columns and `size[1]` rows: `dst[y][x][c]` is the minimum of `src[y + k][x + j][c]` for `-size[1]/2 <= k <= size[1]/2` and
    /// `-size[0]/2 <= j <= size[0]/2`. `border` says what is read beyond the edges; OpenCV's default for it is `Border::Constant(255)`. The time
    /// for a pixel grows with the logarithm of the columns, and does not depend on the rows.
    ///
    /// Shapes: both numbers of `size` are odd; `dst` has the sizes and channels of `src`, each channel by itself.
    ///
    /// Rounding: none. NaN and ±0: there are none. An opening is an erosion and then [`dilate`](crate::dilate()). With `Border::Constant(255)` for the
    /// erosion and `Border::Constant(0)` for the dilation nothing beyond the edges counts, and a second opening changes nothing.
    ///
    /// Errors: [`Error::Domain`] names `size` when one of its numbers is even; [`Error::Shape`] names `dst` when it has other sizes than `src`,
    /// [`Error::Len`] when it has other channels; [`Error::Workspace`]. Nothing is written then. Scratch: [`morphology_workspace`], which
    /// may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut};
    /// let (src, mut dst) = ([5u8, 6, 7, 1, 9, 9], [0u8; 6]);
    /// let mut workspace = [0; fulmen::morphology_workspace(6, 1, [3, 1])];
    /// let (from, to) = (Image::new(&src, 6, 1, 1)?, ImageMut::new(&mut dst, 6, 1, 1)?);
    /// fulmen::erode(from, [3, 1], Border::Clamp, to, &mut workspace)?;
    /// assert_eq!(dst, [5, 5, 1, 1, 1, 9]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels", 1992. Contract:
    /// `contracts/erode-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`morphology_workspace`](crate::morphology_workspace()), and a shorter one lets fewer run."
        erode<>, erode_on, erode_by
        (src: image u8, size: by [usize; 2], border: by Border<u8>, dst: image_out u8, workspace: scratch u8) -> Result<()>;

    /// Dilation by a rectangle: as [`erode`](crate::erode()), with the maximum instead of the minimum. OpenCV's default border for it is `Border::Constant(0)`.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut};
    /// let (src, mut dst) = ([5u8, 6, 7, 1, 1, 1], [0u8; 6]);
    /// let mut workspace = [0; fulmen::morphology_workspace(6, 1, [3, 1])];
    /// let (from, to) = (Image::new(&src, 6, 1, 1)?, ImageMut::new(&mut dst, 6, 1, 1)?);
    /// fulmen::dilate(from, [3, 1], Border::Clamp, to, &mut workspace)?;
    /// assert_eq!(dst, [6, 7, 7, 7, 1, 1]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`erode`](crate::erode()). Contract: `contracts/dilate-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`morphology_workspace`](crate::morphology_workspace()), and a shorter one lets fewer run."
        dilate<>, dilate_on, dilate_by
        (src: image u8, size: by [usize; 2], border: by Border<u8>, dst: image_out u8, workspace: scratch u8) -> Result<()>;
}

/// Elements of workspace that [`erode`](crate::erode()) and [`dilate`](crate::dilate()) need for so many columns, channels and this size.
pub const fn morphology_workspace(width: usize, channels: usize, [columns, rows]: [usize; 2]) -> usize {
    // A block of rows and one more, and two rows with what stands beyond their ends.
    let row = width.saturating_mul(channels);
    let line = width.saturating_add(columns).saturating_mul(channels);
    row.saturating_mul(rows.saturating_add(1)).saturating_add(line.saturating_mul(2))
}

pub(crate) fn erode_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    size: [usize; 2],
    border: Border<u8>,
    dst: ImageMut<'_, u8>,
    workspace: &mut [u8],
) -> Result<(), Error> {
    extreme::<_, _, false>(j, s, (src, size, border), dst, workspace)
}

pub(crate) fn dilate_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    size: [usize; 2],
    border: Border<u8>,
    dst: ImageMut<'_, u8>,
    workspace: &mut [u8],
) -> Result<(), Error> {
    extreme::<_, _, true>(j, s, (src, size, border), dst, workspace)
}

/// Checks that both sizes of a rectangle are odd.
pub(crate) fn expect_odd(size: [usize; 2]) -> Result<(), Error> {
    if size.iter().any(|n| n.is_multiple_of(2)) { Err(Error::must_be("size", "odd")) } else { Ok(()) }
}

fn extreme<J: Executor, S: Simd, const LARGEST: bool>(
    j: J,
    s: S,
    (src, size, border): (Image<'_, u8>, [usize; 2], Border<u8>),
    dst: ImageMut<'_, u8>,
    workspace: &mut [u8],
) -> Result<(), Error> {
    expect_odd(size)?;
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    let need = morphology_workspace(src.width(), src.channels(), size);
    enough(need, workspace.len())?;
    let job = Job::<LARGEST> { src, size, border };
    each_part(
        j,
        s,
        (src.row_len(), need),
        0,
        dst,
        workspace,
        #[inline(always)]
        |y: usize, dst: ImageMut<'_, u8>, workspace: &mut [u8]| job.rows(y, dst, workspace),
    );
    Ok(())
}

/// What all rows of a result are made of.
#[derive(Debug, Clone, Copy)]
struct Job<'a, const LARGEST: bool> {
    src: Image<'a, u8>,
    size: [usize; 2],
    border: Border<u8>,
}

impl<const LARGEST: bool> Job<'_, LARGEST> {
    /// The one that counts.
    #[inline(always)]
    fn of(a: u8, b: u8) -> u8 {
        if LARGEST { a.max(b) } else { a.min(b) }
    }

    /// The row in place `y` and what stands in `below`, if there is such.
    #[inline(always)]
    fn row(&self, y: isize, below: Option<&[u8]>, to: &mut [u8]) {
        let line = self.border.index(y, self.src.height()).map(|at| self.src.line(at));
        let value = self.border.value();
        match (line, below) {
            (Some(line), Some(below)) => {
                let both = line.iter().zip(below);
                to.iter_mut().zip(both).for_each(|(to, (p, q))| *to = Self::of(*p, *q));
            }
            (Some(line), None) => to.iter_mut().zip(line).for_each(|(to, p)| *to = *p),
            (None, Some(below)) => to.iter_mut().zip(below).for_each(|(to, q)| *to = Self::of(value, *q)),
            (None, None) => to.fill(value),
        }
    }

    /// The row in place `y` and what stands in `behind`.
    #[inline(always)]
    fn more(&self, y: isize, behind: &mut [u8]) {
        let value = self.border.value();
        match self.border.index(y, self.src.height()) {
            Some(at) => behind.iter_mut().zip(self.src.line(at)).for_each(|(to, p)| *to = Self::of(*to, *p)),
            None => behind.iter_mut().for_each(|to| *to = Self::of(*to, value)),
        }
    }

    /// Blocks of as many rows as the rectangle has: each result is that of the last rows of a block and of the first ones behind it.
    #[inline(always)]
    fn rows(self, y: usize, mut dst: ImageMut<'_, u8>, workspace: &mut [u8]) {
        let [columns, rows] = self.size;
        let (n, channels) = (self.src.row_len(), self.src.channels().max(1));
        let (block, rest) = workspace.split_at_mut((rows * n).min(workspace.len()));
        let (behind, rest) = rest.split_at_mut(n.min(rest.len()));
        let whole = (self.src.width() + columns - 1) * channels;
        let (line, other) = rest.split_at_mut(whole.min(rest.len()));
        let first = y.cast_signed().wrapping_sub((rows / 2).cast_signed());
        for start in (0..dst.height()).step_by(rows.max(1)) {
            let at = |k: usize| first.wrapping_add((start + k).cast_signed());
            let mut below = None;
            for (k, to) in block.chunks_exact_mut(n.max(1)).enumerate().rev() {
                self.row(at(k), below, to);
                below = Some(&*to);
            }
            let last = block.chunks_exact(n.max(1)).zip(start..dst.height());
            for (k, (above, row)) in last.enumerate() {
                let middle = line.get_mut(columns / 2 * channels..).and_then(|line| line.get_mut(..n));
                let middle = middle.unwrap_or_default();
                if k == 0 {
                    middle.iter_mut().zip(above).for_each(|(to, p)| *to = *p);
                } else {
                    let next = at(rows - 1 + k);
                    if k == 1 {
                        self.row(next, None, behind)
                    } else {
                        self.more(next, behind)
                    }
                    let both = above.iter().zip(&*behind);
                    middle.iter_mut().zip(both).for_each(|(to, (a, b))| *to = Self::of(*a, *b));
                }
                self.ends(line);
                self.along(line, other, dst.row_mut(row));
            }
        }
    }

    /// What stands beyond both ends of a row.
    #[inline(always)]
    fn ends(&self, line: &mut [u8]) {
        let ([columns, _], width, channels) = (self.size, self.src.width(), self.src.channels().max(1));
        let left = columns / 2;
        for i in (0..left).chain(left + width..width + columns - 1) {
            let at = self.border.index(i.cast_signed().wrapping_sub(left.cast_signed()), width);
            for c in 0..channels {
                let from = at.and_then(|at| line.get((left + at) * channels + c));
                let p = from.copied().unwrap_or_else(|| self.border.value());
                if let Some(to) = line.get_mut(i * channels + c) {
                    *to = p;
                }
            }
        }
    }

    /// That of all columns: of two, four, eight, as long as they are fewer, and then of those that overlap.
    #[inline(always)]
    fn along(&self, line: &mut [u8], other: &mut [u8], out: &mut [u8]) {
        let ([columns, _], channels) = (self.size, self.src.channels().max(1));
        let (mut from, mut to) = (line, other);
        let mut have = 1;
        let both = |from: &[u8], to: &mut [u8], by: usize| {
            let later = from.get(by * channels..).unwrap_or_default();
            let pairs = from.iter().zip(later);
            to.iter_mut().zip(pairs).for_each(|(to, (a, b))| *to = Self::of(*a, *b));
        };
        while 2 * have < columns {
            both(from, to, have);
            (from, to) = (to, from);
            have *= 2;
        }
        both(from, out, columns - have);
    }
}
