//! Counts of levels, what follows from them, and sums.

use super::parts::each_line;
use super::sealed::Sealed;
use super::{Image, ImageMut};
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use crate::plain::Plain;

/// What [`threshold_image`](crate::threshold_image()) makes of a pixel, by whether it is above the threshold `level`. The names are OpenCV's.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThresholdKind {
    /// 255 where the pixel is above the threshold, and 0 elsewhere.
    Binary,
    /// 0 where the pixel is above the threshold, and 255 elsewhere.
    BinaryInverse,
    /// The threshold where the pixel is above it, and the pixel elsewhere.
    Truncate,
    /// The pixel where it is above the threshold, and 0 elsewhere.
    ToZero,
    /// 0 where the pixel is above the threshold, and the pixel elsewhere.
    ToZeroInverse,
}

/// The types of the sums of [`integral`](crate::integral()): `u32`, which holds those of at most 16 843 009 pixels, and `u64`.
pub trait Total: Plain + Default + Sealed {
    /// The most pixels of which it holds the sum.
    #[doc(hidden)]
    const MOST: u64;
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn of(p: u8) -> Self;
}
impl Total for u32 {
    const MOST: u64 = 16_843_009;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn of(p: u8) -> Self {
        p.into()
    }
}
impl Total for u64 {
    const MOST: u64 = Self::MAX >> 8;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn of(p: u8) -> Self {
        p.into()
    }
}

ops! { $ levels_ops in crate::image::levels;
    /// Compares each element of `src` with the threshold `level`, and writes to `dst` what [`ThresholdKind`] says for one above it or for another.
    ///
    /// Shapes: `dst` has the sizes and channels of `src`. Rounding: none. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Shape`] names `dst` when it has other sizes than `src`, [`Error::Len`] when it has other channels. Nothing is written
    /// then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut, ThresholdKind};
    /// let (src, mut dst) = ([9u8, 10, 11], [7u8; 3]);
    /// let (from, to) = (Image::new(&src, 3, 1, 1)?, ImageMut::new(&mut dst, 3, 1, 1)?);
    /// fulmen::threshold_image(from, 10, ThresholdKind::Binary, to)?;
    /// assert_eq!(dst, [0, 0, 255]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/threshold_image-v1.yaml`.
    threads
        threshold_image<>, threshold_image_on, threshold_image_by
        (src: image u8, level: by u8, kind: by ThresholdKind, dst: image_out u8) -> Result<()>;

    /// The histogram of each channel: `counts[256·c + v]` is the number of pixels whose channel `c` has the level `v`.
    ///
    /// Shapes: `counts` has 256 elements for each channel of `src`. Rounding: none. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Len`] names `counts` when it has another length; [`Error::Overflow`] `src` when it has 2³² pixels or more;
    /// [`Error::Workspace`]. Nothing is written then. Scratch: [`histogram_workspace`] elements, which may hold anything. They
    /// are further histograms: neighbours are counted in different ones, so that equal neighbours do not wait for each other.
    ///
    /// ```
    /// use fulmen::image::Image;
    /// let (src, mut counts) = ([7u8, 9, 7, 7], [0; 256]);
    /// fulmen::histogram(Image::new(&src, 4, 1, 1)?, &mut counts, &mut [0; fulmen::histogram_workspace()])?;
    /// assert_eq!((counts[7], counts[8], counts[9]), (3, 0, 1));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/histogram-v1.yaml`.
    serial histogram<>, histogram_on, histogram_by
        (src: image u8, counts: out u32, workspace: scratch u32) -> Result<()>;

    /// Equalises the histogram of each channel: it spreads the levels over 0 to 255, so that the number of pixels up to a level grows about linearly with it. The level `v` becomes
    /// `⌊255·(n(v) - m)/(N - m) + 1/2⌋`, where `n(v)` is the number of pixels with a level up to `v`, `m` the number with the lowest level of the image, and
    /// `N` the number of all. An image of one level stays as it is.
    ///
    /// Shapes: `dst` has the sizes and channels of `src`, each channel by itself.
    ///
    /// Rounding: once, half up, in whole numbers; OpenCV, which has the same formula in `f32`, differs by at most 1, and Pillow has another
    /// formula. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Shape`] names `dst` when it has other sizes than `src`, [`Error::Len`] when it has other channels;
    /// [`Error::Overflow`] `src` when it has 2³² pixels or more; [`Error::Workspace`]. Nothing is written then. Scratch: [`equalize_workspace`], which may
    /// hold anything.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut};
    /// let (src, mut dst) = ([100u8, 100, 101, 102], [7u8; 4]);
    /// let mut workspace = [0; fulmen::equalize_workspace(1)];
    /// fulmen::equalize(Image::new(&src, 4, 1, 1)?, ImageMut::new(&mut dst, 4, 1, 1)?, &mut workspace)?;
    /// assert_eq!(dst, [0, 0, 128, 255]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/equalize-v1.yaml`.
    threads
        equalize<>, equalize_on, equalize_by
        (src: image u8, dst: image_out u8, workspace: scratch u32) -> Result<()>;
}

ops! { $ host_levels_ops in crate::image::levels;
    /// Otsu's threshold of each channel of a [`histogram`](crate::histogram()). It divides the pixels into two classes, those up to the threshold and those above it, and
    /// maximises the variance between the classes, `w·(1 - w)·(µ - ν)²`, where `w` is the share of the first class, and `µ` and `ν` are the means of the two. Of several such
    /// thresholds it is the least; where all pixels have one level, it is that level. Pass it to [`threshold_image`](crate::threshold_image()) as `level`.
    ///
    /// Shapes: `counts` has 256 elements for each one of `levels`.
    ///
    /// Rounding: sums are exact, and variances are rounded to `f64`. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Empty`] names `levels`; [`Error::Len`] `counts` when it does not have as many; [`Error::Domain`] `counts` when a
    /// channel has no pixel. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// let mut counts = [0u32; 256];
    /// (counts[10], counts[20], counts[200]) = (5, 5, 4);
    /// let mut level = [0];
    /// fulmen::otsu(&counts, &mut level)?;
    /// assert_eq!(level, [20]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: N. Otsu, "A threshold selection method from gray-level histograms", 1979. Contract: `contracts/otsu-v1.yaml`.
    serial otsu<>, otsu_on, otsu_by
        (counts: host_in u32, levels: host_out u8) -> Result<()>;

    /// The integral image (summed-area table): `dst[y][x][c] = Σ src[k][j][c]` over `k < y` and `j < x`. The first row and the first column are 0. The sum over a rectangle
    /// follows from the elements at its four corners.
    ///
    /// Shapes: `dst` has a column and a row more than `src`, and the same channels.
    ///
    /// Rounding: none. `u32` holds the sums of at most 16 843 009 pixels: OpenCV's, of 31 bits, wrap from 8 421 505 on. NaN and ±0: there
    /// are none.
    ///
    /// Errors: [`Error::Overflow`] names `src` when it has more pixels than that; [`Error::Shape`] `dst` when it has other sizes, [`Error::Len`]
    /// when it has other channels. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut};
    /// let (src, mut dst) = ([1u8, 2, 3, 4], [7u32; 9]);
    /// fulmen::integral(Image::new(&src, 2, 2, 1)?, ImageMut::new(&mut dst, 3, 3, 1)?)?;
    /// assert_eq!(dst, [0, 0, 0, 0, 1, 3, 0, 4, 10]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: F. C. Crow, "Summed-area tables for texture mapping", 1984. Contract: `contracts/integral-v1.yaml`.
    serial integral<A: crate::image::Total>, integral_on, integral_by
        (src: image u8, dst: image_out A) -> Result<()>;
}

/// Levels of a byte.
const LEVELS: usize = 256;

/// Elements of workspace that [`histogram`](crate::histogram()) needs.
pub const fn histogram_workspace() -> usize {
    3 * LEVELS
}

/// Elements of workspace that [`equalize`](crate::equalize()) needs for an image of so many channels.
pub const fn equalize_workspace(channels: usize) -> usize {
    channels.saturating_mul(LEVELS).saturating_add(histogram_workspace())
}

/// The pixels, of which there are fewer than 2³².
fn pixels_of(src: Image<'_, u8>) -> Result<u32, Error> {
    u32::try_from(src.width().saturating_mul(src.height())).map_err(|_| Error::overflow("src"))
}

pub(crate) fn histogram_by<S: Simd>(
    _: S,
    src: Image<'_, u8>,
    counts: &mut [u32],
    workspace: &mut [u32],
) -> Result<(), Error> {
    same_len("counts", LEVELS * src.channels(), counts.len())?;
    pixels_of(src)?;
    enough(histogram_workspace(), workspace.len())?;
    count(src, counts, workspace);
    Ok(())
}

/// Counts the levels of each channel.
fn count(src: Image<'_, u8>, counts: &mut [u32], workspace: &mut [u32]) {
    let channels = src.channels().max(1);
    let [b, c, d, ..] = workspace.as_chunks_mut::<LEVELS>().0 else { return };
    for (channel, a) in counts.as_chunks_mut::<LEVELS>().0.iter_mut().enumerate() {
        a.fill(0);
        for table in [&mut *b, &mut *c, &mut *d] {
            table.fill(0);
        }
        for y in 0..src.height() {
            let line = src.line(y);
            if channels == 1 {
                let (eights, rest) = line.as_chunks::<8>();
                for eight in eights {
                    let [p, q, r, s, t, u, v, w] = u64::from_le_bytes(*eight).to_le_bytes();
                    more(a, p);
                    more(b, q);
                    more(c, r);
                    more(d, s);
                    more(a, t);
                    more(b, u);
                    more(c, v);
                    more(d, w);
                }
                rest.iter().for_each(|p| more(a, *p));
            } else {
                let mut pixels = line.chunks_exact(channels).filter_map(|pixel| pixel.get(channel));
                while let Some(p) = pixels.next() {
                    more(a, *p);
                    for (table, p) in [&mut *b, &mut *c, &mut *d].into_iter().zip(&mut pixels) {
                        more(table, *p);
                    }
                }
            }
        }
        for (((a, b), c), d) in a.iter_mut().zip(&*b).zip(&*c).zip(&*d) {
            *a = a.wrapping_add(*b).wrapping_add(*c).wrapping_add(*d);
        }
    }
}

#[inline(always)]
fn more(counts: &mut [u32; LEVELS], level: u8) {
    if let Some(n) = counts.get_mut(usize::from(level)) {
        *n = n.wrapping_add(1);
    }
}

pub(crate) fn otsu_by<S: Simd>(_: S, counts: &[u32], levels: &mut [u8]) -> Result<(), Error> {
    not_empty("levels", levels.len())?;
    same_len("counts", levels.len().saturating_mul(LEVELS), counts.len())?;
    let channels = counts.as_chunks::<LEVELS>().0;
    if channels.iter().any(|counts| counts.iter().all(|n| *n == 0)) {
        return Err(Error::must_be("counts", "above 0 for a level of each channel"));
    }
    for (to, counts) in levels.iter_mut().zip(channels) {
        *to = between(counts);
    }
    Ok(())
}

/// The threshold with the largest variance between the classes.
fn between(counts: &[u32; LEVELS]) -> u8 {
    let each = || (0..=u8::MAX).zip(counts).map(|(level, n)| (level, u64::from(*n)));
    let total: u64 = each().map(|(_, n)| n).sum();
    let sum: u64 = each().map(|(level, n)| u64::from(level) * n).sum();
    let (mut below, mut sum_below, mut best) = (0, 0, 0.0);
    let mut found = None;
    for (level, n) in each() {
        (below, sum_below) = (below + n, sum_below + u64::from(level) * n);
        if below == total {
            // The last level that there is.
            return found.unwrap_or(level);
        }
        if n == 0 {
            continue;
        }
        // The difference of the means times both numbers, which is exact.
        let apart = (i128::from(total) * i128::from(sum_below) - i128::from(below) * i128::from(sum)) as f64;
        let size = apart / (below as f64) * (apart / (total - below) as f64);
        if found.is_none() || size > best {
            (best, found) = (size, Some(level));
        }
    }
    u8::MAX
}

pub(crate) fn threshold_image_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    level: u8,
    kind: ThresholdKind,
    dst: ImageMut<'_, u8>,
) -> Result<(), Error> {
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    each_line(
        j,
        s,
        src.row_len(),
        dst,
        #[inline(always)]
        |y: usize, out: &mut [u8]| {
            let each = out.iter_mut().zip(src.line(y));
            match kind {
                ThresholdKind::Binary => each.for_each(|(to, p)| *to = if *p > level { 255 } else { 0 }),
                ThresholdKind::BinaryInverse => {
                    each.for_each(|(to, p)| *to = if *p > level { 0 } else { 255 })
                }
                ThresholdKind::Truncate => each.for_each(|(to, p)| *to = (*p).min(level)),
                ThresholdKind::ToZero => each.for_each(|(to, p)| *to = if *p > level { *p } else { 0 }),
                ThresholdKind::ToZeroInverse => {
                    each.for_each(|(to, p)| *to = if *p > level { 0 } else { *p })
                }
            }
        },
    );
    Ok(())
}

pub(crate) fn equalize_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    dst: ImageMut<'_, u8>,
    workspace: &mut [u32],
) -> Result<(), Error> {
    let channels = src.channels().max(1);
    dst.expect("dst", [src.width(), src.height()], channels)?;
    let total = pixels_of(src)?;
    enough(equalize_workspace(channels), workspace.len())?;
    let (counts, rest) = workspace.split_at_mut((channels * LEVELS).min(workspace.len()));
    count(src, counts, rest);
    let mut tables = [[0u8; LEVELS]; 4];
    for (table, counts) in tables.iter_mut().zip(counts.as_chunks::<LEVELS>().0) {
        let darkest = u64::from(counts.iter().find(|n| **n > 0).copied().unwrap_or(0));
        let others = u64::from(total).saturating_sub(darkest);
        let mut below = 0;
        for ((level, to), n) in (0..=u8::MAX).zip(table).zip(counts) {
            below += u64::from(*n);
            let twice = 510 * below.saturating_sub(darkest) + others;
            *to = twice.checked_div(2 * others).map_or(level, |level| level as u8);
        }
    }
    let of = |c: usize, p: u8| {
        let table = tables.get(c);
        table.and_then(|table| table.get(usize::from(p))).copied().unwrap_or_default()
    };
    each_line(
        j,
        s,
        src.row_len(),
        dst,
        #[inline(always)]
        |y: usize, out: &mut [u8]| {
            let line = src.line(y);
            if channels == 1 {
                out.iter_mut().zip(line).for_each(|(to, p)| *to = of(0, *p));
                return;
            }
            for (to, from) in out.chunks_exact_mut(channels).zip(line.chunks_exact(channels)) {
                for (c, (to, p)) in to.iter_mut().zip(from).enumerate() {
                    *to = of(c, *p);
                }
            }
        },
    );
    Ok(())
}

pub(crate) fn integral_by<S: Simd, A: Total>(
    s: S,
    src: Image<'_, u8>,
    mut dst: ImageMut<'_, A>,
) -> Result<(), Error> {
    let (width, height) = (src.width(), src.height());
    if (width as u64).saturating_mul(height as u64) > A::MOST {
        return Err(Error::overflow("src"));
    }
    dst.expect("dst", [width.saturating_add(1), height.saturating_add(1)], src.channels())?;
    s.vectorize(
        #[inline(always)]
        || {
            dst.row_mut(0).fill(A::default());
            for y in 0..height {
                let [above, mut below] = dst.reborrow().split(y + 1);
                let (above, to) = (above.as_image().line(y), below.row_mut(0));
                match src.channels() {
                    1 => sums::<A, 1>(src.line(y), above, to),
                    2 => sums::<A, 2>(src.line(y), above, to),
                    3 => sums::<A, 3>(src.line(y), above, to),
                    _ => sums::<A, 4>(src.line(y), above, to),
                }
            }
        },
    );
    Ok(())
}

/// A row of sums from that above it.
#[inline(always)]
fn sums<A: Total, const C: usize>(line: &[u8], above: &[A], to: &mut [A]) {
    let mut sum = [A::default(); C];
    let (above, mut to) = (above.as_chunks::<C>().0, to.as_chunks_mut::<C>().0.iter_mut());
    if let Some(first) = to.next() {
        *first = sum;
    }
    for ((to, above), pixel) in to.zip(above.iter().skip(1)).zip(line.as_chunks::<C>().0) {
        for (((to, above), sum), p) in to.iter_mut().zip(above).zip(&mut sum).zip(pixel) {
            *sum = sum.plus(A::of(*p));
            *to = above.plus(*sum);
        }
    }
}
