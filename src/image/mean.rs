//! Smoothing: the mean of a box, and the Gaussian blur.

use super::filter::correlate_separable_by;
use super::kernel::MOST;
use super::parts::each_part;
use super::{Border, Image, ImageMut, Kernel, Resample, Weight, gaussian_len};
use crate::error::{Error, enough};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use core::num::NonZero;

ops! { $ mean_ops in crate::image::mean;
    /// `dst[y][x][c]` is the mean of `src[y + k - r][x + j - q][c]` for `k < size[1]` and `j < size[0]`, where `q` and `r` are the
    /// halves of `size[0]` columns and `size[1]` rows, rounded down, and `border` says what is read beyond the edges. The time for a pixel does not
    /// depend on `size`.
    ///
    /// Shapes: `dst` has the sizes and channels of `src`, each channel by itself.
    ///
    /// Rounding: the sum is exact, and the mean is rounded once, half up: `⌊sum/area + 1/2⌋`. SciPy rounds down. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Domain`] names `size` when one of its numbers is 0 or the box has more than 2²⁴ pixels; [`Error::Shape`] names `dst` when it has other sizes than
    /// `src`, [`Error::Len`] when it has other channels; [`Error::Workspace`]. Nothing is written then. Scratch: [`box_filter_workspace`], which
    /// may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut};
    /// let (src, mut dst) = ([0u8, 0, 30, 0, 0], [7u8; 5]);
    /// let mut workspace = [0; fulmen::box_filter_workspace(5, 1, 3)];
    /// let (from, to) = (Image::new(&src, 5, 1, 1)?, ImageMut::new(&mut dst, 5, 1, 1)?);
    /// fulmen::box_filter(from, [3, 1], Border::Clamp, to, &mut workspace)?;
    /// assert_eq!(dst, [0, 10, 10, 10, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/box_filter-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`box_filter_workspace`](crate::box_filter_workspace()), and a shorter one lets fewer run."
        box_filter<>, box_filter_on, box_filter_by
        (src: image u8, size: by [usize; 2], border: by Border<u8>, dst: image_out u8, workspace: scratch u32) -> Result<()>;

    /// Gaussian blur with the standard deviation `sigma`: [`correlate_separable`](crate::correlate_separable()) with [`Kernel::gaussian`] of [`gaussian_len`] weights in both
    /// directions. The weights are written to `weights` first.
    ///
    /// Shapes: `dst` has the sizes and channels of `src`; `weights` has [`gaussian_len`] elements or more.
    ///
    /// Rounding: that of [`correlate_separable`](crate::correlate_separable()); on `u8` within 1 of the exact sum rounded half up for `sigma` up to 7.75, which has 63 weights.
    /// OpenCV's blur of bytes reaches three times `sigma` instead of four and has weights of eight bits.
    ///
    /// NaN, infinities and ±0 (`f32`): as [`correlate_separable`](crate::correlate_separable()).
    ///
    /// Errors: [`Error::Domain`] names `sigma` when it is not above 0, or above 255.75, from where on there are more than 2047 weights; [`Error::Workspace`] when `weights` or `workspace`
    /// is too short; [`Error::Shape`] names `dst` when it has other sizes than `src`, [`Error::Len`] when it has other channels. `dst` is not
    /// written then. Scratch: [`correlate_separable_workspace`](crate::correlate_separable_workspace()) of the weights, which may hold anything, as may `weights`.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut, gaussian_len};
    /// const TAPS: usize = gaussian_len(0.5);
    /// let (src, mut dst) = ([0u8, 0, 100, 0, 0], [7u8; 5]);
    /// let mut workspace = [0; fulmen::correlate_separable_workspace(5, 1, TAPS)];
    /// let (from, to) = (Image::new(&src, 5, 1, 1)?, ImageMut::new(&mut dst, 5, 1, 1)?);
    /// fulmen::gaussian(from, 0.5, Border::Clamp, to, &mut [0; TAPS], &mut workspace)?;
    /// assert_eq!(dst, [0, 11, 79, 11, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/gaussian-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`correlate_separable_workspace`](crate::correlate_separable_workspace()), and a shorter one lets fewer run."
        gaussian<P: crate::image::Resample>, gaussian_on, gaussian_by
        (src: image P, sigma: by f64, border: by Border<P>, dst: image_out P, weights: host_scratch P::Weight, workspace: scratch P::Middle) -> Result<()>;
}

/// Elements of workspace that [`box_filter`](crate::box_filter()) needs for so many columns, channels and columns of the box.
pub const fn box_filter_workspace(width: usize, channels: usize, size: usize) -> usize {
    // A row of sums of columns, and the sums of that row up to each place.
    let line = width.saturating_add(size).saturating_mul(channels);
    line.saturating_mul(2)
}

/// The largest box, of whose bytes 32 bits hold the sum.
const AREA: u32 = 1 << 24;

/// The largest box of which 32 bits hold the product of a sum and the reciprocal.
const NARROW: u32 = 256;

/// Checks the size of a box, and returns its number of pixels.
pub(crate) fn box_area([columns, rows]: [usize; 2]) -> Result<NonZero<u32>, Error> {
    let area = u32::try_from(columns.saturating_mul(rows)).ok().and_then(NonZero::new);
    area.filter(|area| area.get() <= AREA)
        .ok_or(Error::must_be("size", "at least 1, and at most 2^24 pixels in all"))
}

pub(crate) fn box_filter_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    size: [usize; 2],
    border: Border<u8>,
    dst: ImageMut<'_, u8>,
    workspace: &mut [u32],
) -> Result<(), Error> {
    let (area, [columns, _]) = (box_area(size)?, size);
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    let need = box_filter_workspace(src.width(), src.channels(), columns);
    enough(need, workspace.len())?;
    let job = Box { src, size, border, mean: Mean::new(area) };
    each_part(
        j,
        s,
        (src.row_len(), need),
        0,
        dst,
        workspace,
        #[inline(always)]
        |y: usize, dst: ImageMut<'_, u8>, workspace: &mut [u32]| job.rows(y, dst, workspace),
    );
    Ok(())
}

/// A division by the area of a box, by multiplication.
#[derive(Debug, Clone, Copy)]
struct Mean {
    area: u32,
    factor: u64,
    bits: u32,
}

impl Mean {
    /// `⌊n·⌈2^bits/area⌉/2^bits⌋` is `⌊n/area⌋` for `n < 256·area`, as `2^bits` is at least `256·area²`: the factor is too large by less than
    /// `1/2^bits`, so that the quotient is too large by less than `1/area`.
    const fn new(area: NonZero<u32>) -> Self {
        let area = area.get();
        let bits = 8 + 2 * area.next_power_of_two().trailing_zeros();
        Self { area, factor: (1u64 << bits).div_ceil(area as u64), bits }
    }
    /// The means of sums, rounded half up.
    #[inline(always)]
    fn of(self, sums: impl Iterator<Item = u32>, out: &mut [u8]) {
        let half = self.area / 2;
        if self.area <= NARROW {
            let (factor, bits) = (self.factor as u32, self.bits & 31);
            for (to, sum) in out.iter_mut().zip(sums) {
                *to = ((sum + half).wrapping_mul(factor) >> bits) as u8;
            }
        } else {
            let bits = self.bits & 63;
            for (to, sum) in out.iter_mut().zip(sums) {
                *to = (u64::from(sum + half).wrapping_mul(self.factor) >> bits) as u8;
            }
        }
    }
}

/// What all rows of means are made of.
#[derive(Debug, Clone, Copy)]
struct Box<'a> {
    src: Image<'a, u8>,
    size: [usize; 2],
    border: Border<u8>,
    mean: Mean,
}

impl Box<'_> {
    #[inline(always)]
    fn rows(self, y: usize, mut dst: ImageMut<'_, u8>, workspace: &mut [u32]) {
        let Self { src, size: [columns, rows], border, mean } = self;
        let (n, channels, width) = (src.row_len(), src.channels().max(1), src.width());
        let left = columns / 2;
        let first = y.cast_signed().wrapping_sub((rows / 2).cast_signed());
        let line =
            |k: usize| border.index(first.wrapping_add(k.cast_signed()), src.height()).map(|at| src.line(at));
        let value = u32::from(border.value());
        // The sums of columns, and further ones on both sides; the sums of those up to each place.
        let whole = (width + columns - 1) * channels;
        let (line_sums, sums) = workspace.split_at_mut(whole.min(workspace.len()));
        middle_of(line_sums, left * channels, n).fill(0);
        for k in 0..rows - 1 {
            change(middle_of(line_sums, left * channels, n), line(k), None, value, 0);
        }
        for row in 0..dst.height() {
            let (new, old) = (line(row + rows - 1), row.checked_sub(1).map(line));
            let gone = if old.is_some() { value } else { 0 };
            change(middle_of(line_sums, left * channels, n), new, old.flatten(), value, gone);
            let flat = value.wrapping_mul(rows as u32);
            for i in (0..left).chain(left + width..width + columns - 1) {
                let at = border.index(i.cast_signed().wrapping_sub(left.cast_signed()), width);
                for c in 0..channels {
                    let from = at.and_then(|at| line_sums.get((left + at) * channels + c));
                    let sum = from.copied().unwrap_or(flat);
                    if let Some(to) = line_sums.get_mut(i * channels + c) {
                        *to = sum;
                    }
                }
            }
            match channels {
                1 => running::<1>(line_sums, sums),
                2 => running::<2>(line_sums, sums),
                3 => running::<3>(line_sums, sums),
                _ => running::<4>(line_sums, sums),
            }
            let ends = sums.get(columns * channels..).unwrap_or_default();
            mean.of(ends.iter().zip(&*sums).map(|(end, start)| end.wrapping_sub(*start)), dst.row_mut(row));
        }
    }
}

/// `n` elements from `left` on.
#[inline(always)]
fn middle_of(line: &mut [u32], left: usize, n: usize) -> &mut [u32] {
    line.get_mut(left..).and_then(|line| line.get_mut(..n)).unwrap_or_default()
}

/// Adds a row to the sums of columns, and takes another away; where there is none, these numbers.
#[inline(always)]
fn change(sums: &mut [u32], new: Option<&[u8]>, old: Option<&[u8]>, value: u32, gone: u32) {
    match (new, old) {
        (Some(new), Some(old)) => {
            for ((sum, p), q) in sums.iter_mut().zip(new).zip(old) {
                *sum = sum.wrapping_add(u32::from(*p)).wrapping_sub(u32::from(*q));
            }
        }
        (Some(new), None) => {
            for (sum, p) in sums.iter_mut().zip(new) {
                *sum = sum.wrapping_add(u32::from(*p)).wrapping_sub(gone);
            }
        }
        (None, Some(old)) => {
            for (sum, q) in sums.iter_mut().zip(old) {
                *sum = sum.wrapping_add(value).wrapping_sub(u32::from(*q));
            }
        }
        (None, None) => sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(value).wrapping_sub(gone)),
    }
}

/// The sums of pixels before each place, modulo 2³²: differences are exact.
#[inline(always)]
fn running<const C: usize>(line: &[u32], sums: &mut [u32]) {
    let mut sum = [0u32; C];
    let mut to = sums.as_chunks_mut::<C>().0.iter_mut();
    if let Some(to) = to.next() {
        *to = sum;
    }
    for (to, pixel) in to.zip(line.as_chunks::<C>().0) {
        for (sum, x) in sum.iter_mut().zip(pixel) {
            *sum = sum.wrapping_add(*x);
        }
        *to = sum;
    }
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn gaussian_by<J: Executor, S: Simd, P: Resample>(
    j: J,
    s: S,
    src: Image<'_, P>,
    sigma: f64,
    border: Border<P>,
    dst: ImageMut<'_, P>,
    weights: &mut [P::Weight],
    workspace: &mut [P::Middle],
) -> Result<(), Error> {
    let kernel = gaussian_kernel(sigma, weights)?;
    correlate_separable_by(j, s, src, kernel, kernel, border, dst, workspace)
}

/// Checks `sigma`, writes the weights of its Gaussian to `weights`, and returns them as a kernel.
pub(crate) fn gaussian_kernel<W: Weight>(sigma: f64, weights: &mut [W]) -> Result<Kernel<'_, W>, Error> {
    let need = gaussian_len(sigma);
    if sigma.is_nan() || sigma <= 0.0 || need > MOST {
        return Err(Error::must_be("sigma", "above 0 and at most 255.75"));
    }
    enough(need, weights.len())?;
    Kernel::gaussian(sigma, weights.get_mut(..need).unwrap_or_default())
}
