//! Distances to the nearest pixel that is 0.

use super::parts::each_part;
use super::warp::expect_sides;
use super::{Image, ImageMut};
use crate::error::{Error, enough, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Simd, drive};
use crate::pointwise::Sqrt;

ops! { $ distance_ops in crate::image::distance;
    /// Euclidean distance transform: `dst[y][x]` is the distance of the pixel `(x, y)` to the nearest pixel of `src` that is 0, from centre to centre:
    /// `√min (x - j)² + (y - k)²` over all `(j, k)` where `src[k][j] = 0`. It is 0 at such a pixel, and +∞ everywhere in an image that has none.
    ///
    /// OpenCV's `distanceTransform` with `DIST_L2` and `DIST_MASK_PRECISE`, and SciPy's `distance_transform_edt`, have the same distances but for images without such a pixel: OpenCV
    /// has a large number there, SciPy the distance to a pixel that is not in the image.
    ///
    /// Shapes: `src` has one channel; `dst` has its sizes and one channel. Both sides are at most 32767, so that the squares are below 2³¹.
    ///
    /// Rounding: squares are exact, and their roots are correctly rounded to `f32`, on CPUs and devices. NaN and ±0: there are none; distances of 0 are +0.
    ///
    /// The time depends on the image: it is shortest where pixels that are 0 are near. Where each column has another distance it was eleven times as long.
    ///
    /// Errors: [`Error::Len`] names `src` when it has other channels than one, `dst` when it has; [`Error::Shape`] `dst` when it has other sizes than `src`;
    /// [`Error::Domain`] `src` when it has more than 32767 columns or rows; [`Error::Workspace`]. Nothing is written then. Scratch: [`distance_transform_workspace`],
    /// which may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut};
    /// let (src, mut dst) = ([0u8, 1, 1, 1, 1, 1], [7f32; 6]);
    /// let mut workspace = [0; fulmen::distance_transform_workspace(3)];
    /// let (from, to) = (Image::new(&src, 3, 2, 1)?, ImageMut::new(&mut dst, 3, 2, 1)?);
    /// fulmen::distance_transform(from, to, &mut workspace)?;
    /// assert_eq!(dst, [0.0, 1.0, 2.0, 1.0, 2f32.sqrt(), 5f32.sqrt()]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. Meijster, J. Roerdink, W. Hesselink, "A general algorithm for computing distance transforms in linear time", 2000; P. Felzenszwalb, D. Huttenlocher,
    /// "Distance transforms of sampled functions", 2012. Contract: `contracts/distance_transform-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`distance_transform_workspace`](crate::distance_transform_workspace()), and a shorter one lets fewer run."
        distance_transform<>, distance_transform_on, distance_transform_by
        (src: image u8, dst: image_out f32, workspace: scratch u16) -> Result<()>;
}

/// Elements of workspace that [`distance_transform`](crate::distance_transform()) needs for so many columns.
pub const fn distance_transform_workspace(width: usize) -> usize {
    // Distances along columns to both sides of a row; those to the nearer one; columns whose parabolas are the envelope; squares, and what is beyond their ends.
    width.saturating_mul(4).saturating_add(AROUND)
}

/// Pixels of a row whose nearest columns are searched together.
pub(crate) const BLOCK: usize = 128;

/// The farthest columns that are searched; for pixels whose nearest one is farther the envelope of parabolas is computed.
pub(crate) const REACH: usize = 128;

/// Steps between two questions whether a search is at its end.
pub(crate) const STEPS: usize = 4;

/// What is read of a row to search for a block: the last turn of steps begins at `REACH` at most.
pub(crate) const AROUND: usize = BLOCK + 2 * (REACH + STEPS);

/// The distance along a column without a pixel that is 0. Others are below 2¹⁵.
const NONE: u16 = u16::MAX;

/// Squares up to this one are exact in `f32`.
const EXACT: u64 = 1 << 24;

/// Roots in `f64` that are computed together.
pub(crate) const ROOTS: usize = 8;

/// Bytes that a pixel costs as much as, to be divided among threads.
pub(crate) const WORK: usize = 8;

pub(crate) fn distance_transform_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    dst: ImageMut<'_, f32>,
    workspace: &mut [u16],
) -> Result<(), Error> {
    let sizes = [src.width(), src.height()];
    expect_distances(sizes, src.channels())?;
    dst.expect("dst", sizes, 1)?;
    let need = distance_transform_workspace(src.width());
    enough(need, workspace.len())?;
    each_part(
        j,
        s,
        (src.row_len().saturating_mul(WORK), need),
        0,
        dst,
        workspace,
        #[inline(always)]
        |y: usize, dst: ImageMut<'_, f32>, workspace: &mut [u16]| {
            let _ = rows(s, src, y, dst, workspace);
        },
    );
    Ok(())
}

/// Checks a source of these columns and rows and so many channels.
pub(crate) fn expect_distances(sizes: [usize; 2], channels: usize) -> Result<(), Error> {
    same_len("src", 1, channels)?;
    expect_sides(sizes, [1; 2])
}

/// The rows of a result from row `y` on. None where the workspace is too short.
#[inline(always)]
fn rows<S: Simd>(
    s: S,
    src: Image<'_, u8>,
    y: usize,
    mut dst: ImageMut<'_, f32>,
    workspace: &mut [u16],
) -> Option<()> {
    let (width, height) = (src.width(), dst.height());
    let (line, rest) = workspace.split_at_mut_checked(width)?;
    let (distances, rest) = rest.split_at_mut_checked(width)?;
    let (columns, squares) = rest.split_at_mut_checked(width)?;
    let squares = squares.get_mut(..width.saturating_add(AROUND))?;
    // Downwards: distances to the nearest 0 in the row or above it, whose bits the result keeps.
    nearest(line, (0..y).rev().map(|row| src.line(row)));
    for row in 0..height {
        let above = line.iter_mut().zip(src.line(y + row));
        for (to, (d, p)) in dst.row_mut(row).iter_mut().zip(above) {
            *d = if *p == 0 { 0 } else { d.saturating_add(1) };
            *to = f32::from_bits((*d).into());
        }
    }
    // Upwards: distances to the nearest 0 in the row or below it, and then along the row.
    nearest(line, (y + height..src.height()).map(|row| src.line(row)));
    squares.fill(NONE);
    for row in (0..height).rev() {
        let out = dst.row_mut(row);
        let inside = squares.get_mut(REACH + STEPS..)?;
        let both = line.iter_mut().zip(distances.iter_mut()).zip(inside);
        for (((below, to), square), above) in both.zip(&*out) {
            let above = above.to_bits() as u16;
            *below = if above == 0 { 0 } else { below.saturating_add(1) };
            *to = above.min(*below);
            *square = if *to > u16::from(u8::MAX) { NONE } else { to.wrapping_mul(*to) };
        }
        along(s, distances, columns, squares, src.height(), out)?;
    }
    Some(())
}

/// Distances to the nearest pixel that is 0 in these rows, of which the first one is at 0.
#[inline(always)]
fn nearest<'a>(line: &mut [u16], rows: impl Iterator<Item = &'a [u8]>) {
    line.fill(NONE);
    for (far, row) in (0..NONE).zip(rows) {
        let mut farthest = 0;
        for (d, p) in line.iter_mut().zip(row) {
            *d = (*d).min(if *p == 0 { far } else { NONE });
            farthest = farthest.max(*d);
        }
        if farthest < NONE {
            return;
        }
    }
}

/// A row of the result, from the distances along columns and their squares, of which those above 255² are not there.
#[inline(always)]
fn along<S: Simd>(
    s: S,
    distances: &[u16],
    columns: &mut [u16],
    squares: &[u16],
    height: usize,
    out: &mut [f32],
) -> Option<()> {
    let width = distances.len();
    let mut x = 0;
    while x < width {
        let n = (width - x).min(BLOCK);
        if let Some(found) = search(squares.get(x..)?, n, width) {
            let to = out.get_mut(x..x + n)?;
            to.iter_mut().zip(&found).for_each(|(to, square)| *to = f32::from(*square));
            drive::map_in_place(Serial, s, Sqrt, to);
            x += n;
            continue;
        }
        // No parabola of a column behind one whose distance is 0 is the least one before it, and the other way round.
        let before = distances.get(..=x)?.iter().rposition(|d| *d == 0).unwrap_or(0);
        let behind = distances.get(x + n..)?.iter().position(|d| *d == 0);
        let end = behind.map_or(width, |at| x + n + at);
        let all = before..(end + 1).min(width);
        envelope(s, distances.get(all.clone())?, columns, height, out.get_mut(all)?);
        x = end;
    }
    Some(())
}

/// The least squares of the first `n` pixels of a block, of which those of columns begin [`REACH`] and [`STEPS`] before the block. None where one of them may be
/// that of a column farther away, or exceeds 16 bits.
#[inline(always)]
fn search(squares: &[u16], n: usize, width: usize) -> Option<[u16; BLOCK]> {
    let squares = squares.first_chunk::<AROUND>()?;
    let of = |at: usize| squares.get(at..).and_then(|squares| squares.first_chunk::<BLOCK>());
    let middle = REACH + STEPS;
    let mut found = *of(middle)?;
    found.get_mut(n..)?.fill(0);
    let mut step = 1;
    loop {
        let farthest = found.iter().fold(0, |most: u16, square| most.max(*square));
        if usize::from(farthest) <= step * step {
            return Some(found);
        }
        if step > REACH || step >= width {
            return (step >= width && farthest < NONE).then_some(found);
        }
        for step in step..step + STEPS {
            let (left, right, square) = (of(middle - step)?, of(middle + step)?, (step * step) as u16);
            for ((to, a), b) in found.iter_mut().zip(left).zip(right) {
                *to = (*to).min((*a).min(*b).saturating_add(square));
            }
        }
        step += STEPS;
    }
}

/// The parabola `(x - column)² + height` over `x`, of a column of a row: its column, and the constant of `x² - 2·column·x + constant`.
#[derive(Debug, Clone, Copy, Default)]
struct Parabola {
    column: i64,
    constant: i64,
}

impl Parabola {
    #[inline(always)]
    fn new(distances: &[u16], column: u16) -> Self {
        let d = i64::from(distances.get(usize::from(column)).copied().unwrap_or(NONE));
        let column = i64::from(column);
        Self { column, constant: d * d + column * column }
    }
    /// Whether this parabola is nowhere the only least one: `before` and `behind` meet at or below it. Products are below 2⁴⁷.
    #[inline(always)]
    fn is_above(self, before: Self, behind: Self) -> bool {
        (self.constant - before.constant) * (behind.column - self.column)
            >= (behind.constant - self.constant) * (self.column - before.column)
    }
    /// The first place where `other`, of a column farther right, is less.
    #[inline(always)]
    fn until(self, other: Self) -> usize {
        // The difference is below 2³¹, and negative where `other` is less from 0 on.
        let [rise, run] =
            [other.constant - self.constant, 2 * (other.column - self.column)].map(u32::try_from);
        match (rise, run) {
            (Ok(rise), Ok(run)) => rise.checked_div(run).unwrap_or(0) as usize + 1,
            _ => 0,
        }
    }
    /// The value at `x`.
    #[inline(always)]
    fn at(self, x: usize) -> i32 {
        let x = x as i32;
        // As 32 bits hold the sum, they may wrap before.
        x.wrapping_mul(x.wrapping_sub(2 * self.column as i32)).wrapping_add(self.constant as i32)
    }
}

/// A part of a row by the lower envelope of the parabolas of its columns.
#[inline(always)]
fn envelope<S: Simd>(s: S, distances: &[u16], columns: &mut [u16], height: usize, out: &mut [f32]) {
    let (mut n, mut before, mut last) = (0usize, Parabola::default(), Parabola::default());
    for (x, d) in (0..NONE).zip(distances) {
        if *d == NONE {
            continue;
        }
        let new = Parabola::new(distances, x);
        while n >= 2 && last.is_above(before, new) {
            n -= 1;
            last = before;
            if let Some(at) = n.checked_sub(2).and_then(|at| columns.get(at)) {
                before = Parabola::new(distances, *at);
            }
        }
        if let Some(to) = columns.get_mut(n) {
            *to = x;
        }
        n += 1;
        (before, last) = (last, new);
    }
    let columns = columns.get(..n).unwrap_or_default();
    let Some(first) = columns.first() else {
        out.fill(f32::INFINITY);
        return;
    };
    let length = out.len();
    let far = (length * length) as u64 + (height * height) as u64 > EXACT;
    let (mut rest, mut from) = (&mut *out, 0);
    let mut parabola = Parabola::new(distances, *first);
    for k in 1..=n {
        let next = columns.get(k).map(|at| Parabola::new(distances, *at));
        let end = next.map_or(length, |next| parabola.until(next)).clamp(from, length);
        let (to, others) = core::mem::take(&mut rest).split_at_mut_checked(end - from).unwrap_or_default();
        rest = others;
        if far {
            far_roots(s, parabola, from, to);
        } else {
            (from..).zip(to).for_each(|(x, to)| *to = parabola.at(x) as f32);
        }
        (from, parabola) = (end, next.unwrap_or(parabola));
    }
    if !far {
        drive::map_in_place(Serial, s, Sqrt, out);
    }
}

/// The roots of the values of a parabola from `from` on, which `f32` may not hold. A root in `f64` is never so near to the middle of two neighbours of `f32` that
/// rounding it again differs from rounding once: the square of such a middle, a multiple of 2⁻²⁴, is no integer, so that the root is farther away than 2⁻⁴¹.
#[inline(always)]
fn far_roots<S: Simd>(s: S, parabola: Parabola, from: usize, to: &mut [f32]) {
    for (k, to) in to.chunks_mut(ROOTS).enumerate() {
        let mut wide = [0.0; ROOTS];
        (from + k * ROOTS..).zip(&mut wide).for_each(|(x, wide)| *wide = f64::from(parabola.at(x)));
        drive::map_in_place(Serial, s, Sqrt, &mut wide);
        to.iter_mut().zip(wide).for_each(|(to, wide)| *to = wide as f32);
    }
}
