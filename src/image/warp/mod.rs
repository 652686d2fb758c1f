//! Images read at places that a matrix or a map gives.

mod affine;
pub(crate) mod lines;

pub use affine::Affine;
pub(crate) use affine::Steps;
pub(crate) use lines::{BLOCK, blend_bytes, blend_floats, blend_words, block_of_bytes, block_of_pixels};

use super::parts::each_line;
use super::{Border, Image, ImageMut, Pixel};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use lines::{AffineLines, MapLines};

/// How [`warp_affine`](crate::warp_affine()) and [`remap`](crate::remap()) make a pixel of those near its place `(u, v)`.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sampler {
    /// The pixel `(⌊u + 1/2⌋, ⌊v + 1/2⌋)`.
    Nearest,
    /// The four pixels around it, by the products of `1 - |x|` of their distances.
    Bilinear,
}

ops! { $ warp_ops in crate::image::warp;
    /// An affine transformation: `dst[y][x] = src(u, v)`, where `(u, v) = M·(x, y, 1)`, so that `u = m₀₀·x + m₀₁·y + m₀₂` and `v = m₁₀·x + m₁₁·y + m₁₂`.
    ///
    /// The matrix leads from places of the result to those of the source, as OpenCV's `warpAffine` has it with `WARP_INVERSE_MAP`; pixels have whole numbers at their
    /// **centres**. `by` says how pixels make one between them: [`Sampler::Nearest`], or [`Sampler::Bilinear`], where
    /// `src(u, v) = (1 - b)·((1 - a)·src[j][i] + a·src[j][i + 1]) + b·((1 - a)·src[j + 1][i] + a·src[j + 1][i + 1])` for `i = ⌊u⌋`, `j = ⌊v⌋`, `a = u - i`, `b = v - j`.
    /// `border` says what is read beyond the edges; a constant blends with the pixels at an edge.
    ///
    /// Shapes: `dst` has any sizes, and the channels of `src`, each of which is computed by itself. Both have at most 32767 columns and rows.
    ///
    /// Rounding: the numbers of the matrix become multiples of 2⁻³², sums of which are exact, so that places are off by at most 2⁻¹⁷. For `Bilinear` places are then rounded
    /// half up to multiples of 2⁻¹¹ (`u8`), 2⁻¹⁵ (`u16`), 2⁻¹⁶ (`f32`). `u8` is the exact result for that place, rounded half up; `u16` rounds along the row to multiples of 1/2,
    /// and then to whole numbers, both half up; `f32` computes the formula above in order, with one rounding for each operation. Results differ from those of exact
    /// places, before these are rounded, by at most 0.63 (`u8`), 3.75 (`u16`), and 2⁻¹⁵ times the difference of neighbours and four roundings (`f32`). The bits are the same on
    /// every lane, and on devices; but WGSL may round a product and a sum of `f32` once.
    ///
    /// NaN, infinities and ±0 (`f32`): `Nearest` copies pixels bit by bit. With `Bilinear` a column or row whose weight is 0 is left out, so that whole places copy, too;
    /// otherwise they are as the formula gives them.
    ///
    /// Errors: [`Error::Domain`] names `matrix` when one of its numbers is NaN, one of the first two columns is above 8192 in magnitude, or one of the third above 2²⁹;
    /// `src` or `dst` when it has more than 32767 columns or rows; [`Error::Len`] `dst` when it has other channels than `src`. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Affine, Border, Image, ImageMut, Sampler};
    /// let (src, mut dst) = ([0u8, 100, 200, 50], [0u8; 4]);
    /// // A quarter of a pixel to the left.
    /// let matrix = Affine::new([[1.0, 0.0, 0.25], [0.0, 1.0, 0.0]]);
    /// let to = ImageMut::new(&mut dst, 4, 1, 1)?;
    /// fulmen::warp_affine(Image::new(&src, 4, 1, 1)?, matrix, Sampler::Bilinear, Border::Clamp, to)?;
    /// assert_eq!(dst, [25, 125, 163, 50]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; the geometry is OpenCV's. Contract: `contracts/warp_affine-v1.yaml`.
    threads
        warp_affine<P: crate::image::Pixel>, warp_affine_on, warp_affine_by
        (src: image P, matrix: by Affine, by: by Sampler, border: by Border<P>, dst: image_out P) -> Result<()>;

    /// An image read at the places of a map: `dst[y][x] = src(map[y][x][0], map[y][x][1])`, as [`warp_affine`](crate::warp_affine()) reads `src` at `(u, v)`.
    ///
    /// A pixel of the map has two channels: column and row of the source, which are whole numbers at the centres of its pixels. Where one of both is NaN, an infinity, or of a
    /// magnitude of 2²² or more, the result is the constant of the border, and 0 for the other borders.
    ///
    /// Shapes: `map` and `dst` have the same sizes, `dst` the channels of `src`. Each has at most 32767 columns and rows.
    ///
    /// Rounding: `Nearest` is exact. For `Bilinear` places are rounded half up to multiples of 2⁻¹¹ (`u8`), 2⁻¹⁵ (`u16`), 2⁻¹⁶ (`f32`), exactly;
    /// results are then rounded as those of [`warp_affine`](crate::warp_affine()), and are within its bounds, with the same bits on the same lanes and devices.
    ///
    /// NaN, infinities and ±0 of `src` (`f32`): as those of [`warp_affine`](crate::warp_affine()).
    ///
    /// Errors: [`Error::Len`] names `map` when it has other channels than two, `dst` when it has other channels than `src`; [`Error::Shape`] `map` when it has other sizes than `dst`;
    /// [`Error::Domain`] `src` or `dst` when it has more than 32767 columns or rows. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut, Sampler};
    /// let (src, mut dst) = ([0u8, 100, 200, 50], [7u8; 3]);
    /// let map = [2.5f32, 0.0, 1.0, 0.0, f32::NAN, 0.0];
    /// let (map, to) = (Image::new(&map, 3, 1, 2)?, ImageMut::new(&mut dst, 3, 1, 1)?);
    /// fulmen::remap(Image::new(&src, 4, 1, 1)?, map, Sampler::Bilinear, Border::Clamp, to)?;
    /// assert_eq!(dst, [125, 100, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; the geometry is OpenCV's. Contract: `contracts/remap-v1.yaml`.
    threads
        remap<P: crate::image::Pixel>, remap_on, remap_by
        (src: image P, map: image f32, by: by Sampler, border: by Border<P>, dst: image_out P) -> Result<()>;
}

/// Magnitudes of places from which on a map leads to the constant of the border.
pub(crate) const FAR: f32 = 4_194_304.0;

/// The most columns and rows of an image that is warped, and of the result.
pub(crate) const SIDE: usize = 32767;

/// `Ok` when images of these columns and rows can be the source and the result.
pub(crate) fn expect_sides(src: [usize; 2], dst: [usize; 2]) -> Result<(), Error> {
    for (arg, sides) in [("src", src), ("dst", dst)] {
        if sides.iter().any(|n| *n > SIDE) {
            return Err(Error::must_be(arg, "at most 32767 columns and rows"));
        }
    }
    Ok(())
}

/// Calls `line` of lines whose constants are the channels of a pixel, the elements of one that blocks read, and whether four pixels are blended.
macro_rules! by_form {
    ($by:expr, $channels:expr, $lines:ident::new($($new:expr),*).line($($line:expr),*)) => {
        match ($by, $channels) {
            (Sampler::Nearest, 1) => $lines::<P, 1, 1, false>::new($($new),*).line($($line),*),
            (Sampler::Nearest, 2) => $lines::<P, 2, 2, false>::new($($new),*).line($($line),*),
            (Sampler::Nearest, 3) => $lines::<P, 3, 3, false>::new($($new),*).line($($line),*),
            (Sampler::Nearest, _) => $lines::<P, 4, 4, false>::new($($new),*).line($($line),*),
            (Sampler::Bilinear, 1) => $lines::<P, 1, 1, true>::new($($new),*).line($($line),*),
            (Sampler::Bilinear, 2) => $lines::<P, 2, 2, true>::new($($new),*).line($($line),*),
            (Sampler::Bilinear, 3) => $lines::<P, 3, 4, true>::new($($new),*).line($($line),*),
            (Sampler::Bilinear, _) => $lines::<P, 4, 4, true>::new($($new),*).line($($line),*),
        }
    };
}

pub(crate) fn warp_affine_by<J: Executor, S: Simd, P: Pixel>(
    j: J,
    s: S,
    src: Image<'_, P>,
    matrix: Affine,
    by: Sampler,
    border: Border<P>,
    dst: ImageMut<'_, P>,
) -> Result<(), Error> {
    same_len("dst", src.channels(), dst.channels())?;
    expect_sides([src.width(), src.height()], [dst.width(), dst.height()])?;
    let steps = matrix.steps(by, P::FRACTION)?;
    let cols = dst.width().saturating_mul(dst.channels()).saturating_mul(WORK);
    each_line(
        j,
        s,
        cols,
        dst,
        #[inline(always)]
        |y: usize, out: &mut [P]| {
            by_form!(by, src.channels(), AffineLines::new(src, border, steps).line(y, out))
        },
    );
    Ok(())
}

/// An element that is read at another place costs as much as this many that are copied.
const WORK: usize = 4;

pub(crate) fn remap_by<J: Executor, S: Simd, P: Pixel>(
    j: J,
    s: S,
    src: Image<'_, P>,
    map: Image<'_, f32>,
    by: Sampler,
    border: Border<P>,
    dst: ImageMut<'_, P>,
) -> Result<(), Error> {
    map.expect("map", [dst.width(), dst.height()], 2)?;
    same_len("dst", src.channels(), dst.channels())?;
    expect_sides([src.width(), src.height()], [dst.width(), dst.height()])?;
    let cols = dst.width().saturating_mul(dst.channels()).saturating_mul(WORK);
    each_line(
        j,
        s,
        cols,
        dst,
        #[inline(always)]
        |y: usize, out: &mut [P]| {
            by_form!(by, src.channels(), MapLines::new(src, border).line(map.line(y), out))
        },
    );
    Ok(())
}
