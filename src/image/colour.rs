//! Colours in other numbers.

use super::parts::each_line;
use super::{Image, ImageMut, Pixel};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
pub(crate) use crate::lanes::planes::BLOCK;

/// The weights of red, green and blue in [`grey`](crate::grey()), of which 32768 are 1.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Luma {
    /// ITU-R BT.601: 0.299, 0.587 and 0.114, here 9798, 19235 and 3735, as in OpenCV.
    Bt601,
    /// ITU-R BT.709: 0.2126, 0.7152 and 0.0722, here 6966, 23436 and 2366.
    Bt709,
}

/// How luma and chroma (the differences of blue and of red from luma) of a video frame encode colours.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yuv {
    /// ITU-R BT.601 (video of standard definition), luma of 16 to 235, differences of 16 to 240.
    Bt601,
    /// ITU-R BT.709 (video of high definition), luma of 16 to 235, differences of 16 to 240.
    Bt709,
    /// ITU-R BT.601 with all of 0 to 255, as in JPEG files.
    Bt601Full,
    /// ITU-R BT.709 with all of 0 to 255.
    Bt709Full,
}

impl Yuv {
    /// The luma of black, and the factors in units of 2⁻²⁰: of luma, of Cr for red, of Cb and of Cr for green, of Cb for blue.
    pub(crate) const fn factors(self) -> (i32, [i32; 5]) {
        match self {
            Self::Bt601 => (16, [1_220_945, 1_673_555, -410_793, -852_458, 2_115_221]),
            Self::Bt709 => (16, [1_220_945, 1_879_825, -223_607, -558_796, 2_215_014]),
            Self::Bt601Full => (0, [1_048_576, 1_470_104, -360_853, -748_826, 1_858_077]),
            Self::Bt709Full => (0, [1_048_576, 1_651_297, -196_424, -490_864, 1_945_738]),
        }
    }
}

ops! { $ colour_ops in crate::image::colour;
    /// Greyscale, the luma of colours: `dst = ⌊(r·R + g·G + b·B)/32768 + 1/2⌋` with the weights of `luma`, for red, green and blue in the first three channels of
    /// `src`.
    ///
    /// Shapes: `src` has 3 channels or 4, of which the last is not read; `dst` has one, and its sizes.
    ///
    /// Rounding: once, half up. The sum of the weights is 1, so that greys stay as they are; the result is within 1 of that of the exact weights.
    /// NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Domain`] names `src` when it has fewer than 3 channels; [`Error::Shape`] `dst` when it has other sizes, [`Error::Len`]
    /// when it has more channels. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut, Luma};
    /// let (src, mut dst) = ([255u8, 0, 0, 9, 9, 9], [0u8; 2]);
    /// let (from, to) = (Image::new(&src, 2, 1, 3)?, ImageMut::new(&mut dst, 2, 1, 1)?);
    /// fulmen::grey(from, Luma::Bt601, to)?;
    /// assert_eq!(dst, [76, 9]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Recommendations ITU-R BT.601 and BT.709. Contract: `contracts/grey-v1.yaml`.
    threads
        grey<>, grey_on, grey_by
        (src: image u8, luma: by Luma, dst: image_out u8) -> Result<()>;

    /// Exchanges the first and the third channel: RGB becomes BGR, and BGR becomes RGB. A fourth channel is copied.
    ///
    /// Shapes: `src` has 3 or 4 channels; `dst` has its sizes and channels. Rounding: none; elements are copied bit by bit, NaN too.
    ///
    /// Errors: [`Error::Domain`] names `src` when it has fewer than 3 channels; [`Error::Shape`] `dst` when it has other sizes, [`Error::Len`]
    /// when it has other channels. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut};
    /// let (src, mut dst) = ([1u8, 2, 3, 4, 5, 6], [0u8; 6]);
    /// fulmen::rgb_to_bgr(Image::new(&src, 2, 1, 3)?, ImageMut::new(&mut dst, 2, 1, 3)?)?;
    /// assert_eq!(dst, [3, 2, 1, 6, 5, 4]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/rgb_to_bgr-v1.yaml`.
    threads
        rgb_to_bgr<P: crate::image::Pixel>, rgb_to_bgr_on, rgb_to_bgr_by
        (src: image P, dst: image_out P) -> Result<()>;

    /// Hue, saturation and value of red, green and blue. With the largest `v` and the least of the three, and their difference `d`: the value is
    /// `v`, the saturation `⌊255·d/v + 1/2⌋`, and the hue, in steps of 2°, is `⌊30·h + 1/2⌋` modulo 180, where `h` is `(g - b)/d` if red is the largest,
    /// otherwise `2 + (b - r)/d` if green is, and `4 + (r - g)/d` if only blue is. Where `v` or `d` is 0, what is divided by it is 0.
    ///
    /// Shapes: `src` and `dst` have 3 channels and the same sizes.
    ///
    /// Rounding: once, half up, exactly: reciprocals are computed in `f32`, which is precise enough to round each quotient right. OpenCV, with tables of reciprocals, differs by at most 1,
    /// and Pillow, whose hue has 256 steps, rounds down. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Len`] names `src` or `dst` when it does not have 3 channels; [`Error::Shape`] `dst` when it has other sizes. Nothing is
    /// written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut};
    /// let (src, mut dst) = ([0u8, 0, 255, 200, 100, 100], [7u8; 6]);
    /// fulmen::rgb_to_hsv(Image::new(&src, 2, 1, 3)?, ImageMut::new(&mut dst, 2, 1, 3)?)?;
    /// assert_eq!(dst, [120, 255, 255, 0, 128, 200]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. R. Smith, "Color gamut transform pairs", 1978. Contract: `contracts/rgb_to_hsv-v1.yaml`.
    threads
        rgb_to_hsv<>, rgb_to_hsv_on, rgb_to_hsv_by
        (src: image u8, dst: image_out u8) -> Result<()>;

    /// Red, green and blue of a video frame in NV12: `luma` has a number for each pixel, and `chroma` the differences of blue and red, `U` and `V`, for two by two
    /// pixels. With those of `coding`, in units of 2⁻²⁰: `R = y·(Y - k) + r·(V - 128)`, `G = y·(Y - k) + g·(U - 128) + h·(V - 128)`, `B = y·(Y - k) + b·(U - 128)`.
    ///
    /// | coding | k | y | r | g | h | b |
    /// |---|--:|--:|--:|--:|--:|--:|
    /// | `Bt601` | 16 | 1220945 | 1673555 | -410793 | -852458 | 2115221 |
    /// | `Bt709` | 16 | 1220945 | 1879825 | -223607 | -558796 | 2215014 |
    /// | `Bt601Full` | 0 | 1048576 | 1470104 | -360853 | -748826 | 1858077 |
    /// | `Bt709Full` | 0 | 1048576 | 1651297 | -196424 | -490864 | 1945738 |
    ///
    /// Shapes: `luma` has one channel; `chroma` has two, and half of its columns and rows, rounded up; `dst` has 3 channels and the sizes of `luma`.
    ///
    /// Rounding: once, half up, and clipped once to 0 to 255; each pixel has the differences of its two by two. NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Len`] names `luma`, `chroma` or `dst` when it does not have so many channels; [`Error::Shape`] `chroma` or `dst` when it
    /// has other sizes. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut, Yuv};
    /// let (luma, chroma, mut dst) = ([16u8, 235, 81, 81], [128u8, 128, 90, 240], [7u8; 12]);
    /// let (y, uv) = (Image::new(&luma, 4, 1, 1)?, Image::new(&chroma, 2, 1, 2)?);
    /// fulmen::nv12_to_rgb(y, uv, Yuv::Bt601, ImageMut::new(&mut dst, 4, 1, 3)?)?;
    /// assert_eq!(dst, [0, 0, 0, 255, 255, 255, 254, 0, 0, 254, 0, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Recommendations ITU-R BT.601 and BT.709. Contract: `contracts/nv12_to_rgb-v1.yaml`.
    threads
        nv12_to_rgb<>, nv12_to_rgb_on, nv12_to_rgb_by
        (luma: image u8, chroma: image u8, coding: by Yuv, dst: image_out u8) -> Result<()>;
}

/// Checks that an image has at least three channels.
pub(crate) fn expect_colour(channels: usize) -> Result<(), Error> {
    if channels < 3 { Err(Error::must_be("src", "an image of 3 or 4 channels")) } else { Ok(()) }
}

/// The weights of red, green and blue, in units of 2⁻¹⁵.
pub(crate) const fn weights(luma: Luma) -> [i16; 3] {
    match luma {
        Luma::Bt601 => [9798, 19235, 3735],
        Luma::Bt709 => [6966, 23436, 2366],
    }
}

pub(crate) fn grey_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    luma: Luma,
    dst: ImageMut<'_, u8>,
) -> Result<(), Error> {
    expect_colour(src.channels())?;
    dst.expect("dst", [src.width(), src.height()], 1)?;
    let [red, green, blue] = weights(luma);
    each_line(
        j,
        s,
        src.row_len(),
        dst,
        #[inline(always)]
        |y: usize, out: &mut [u8]| {
            let line = src.line(y);
            if src.channels() == 3 {
                each_block(
                    line.as_chunks::<3>().0,
                    out,
                    #[inline(always)]
                    |from: &[[u8; 3]; BLOCK], to: &mut [u8; BLOCK]| {
                        let [r, g, b] = &s.planes(from);
                        let sums = s.add_bytes(s.all(1 << 14), r, g, [red, green]);
                        let sums = s.add_bytes(sums, b, b, [blue, 0]);
                        *to = s.to_numbers(sums, 15).map(|level| level as u8);
                    },
                );
            } else {
                let [red, green, blue] = [red, green, blue].map(i32::from);
                let pixels = line.as_chunks::<4>().0;
                for (to, [r, g, b, _]) in out.iter_mut().zip(pixels) {
                    let sum = red * i32::from(*r) + green * i32::from(*g) + blue * i32::from(*b);
                    *to = ((sum + (1 << 14)) >> 15) as u8;
                }
            }
        },
    );
    Ok(())
}

pub(crate) fn rgb_to_bgr_by<J: Executor, S: Simd, P: Pixel>(
    j: J,
    s: S,
    src: Image<'_, P>,
    dst: ImageMut<'_, P>,
) -> Result<(), Error> {
    expect_colour(src.channels())?;
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    each_line(
        j,
        s,
        src.row_len(),
        dst,
        #[inline(always)]
        |y: usize, out: &mut [P]| {
            let line = src.line(y);
            if src.channels() == 3 {
                let pixels = out.as_chunks_mut::<3>().0.iter_mut().zip(line.as_chunks::<3>().0);
                pixels.for_each(|(to, [r, g, b])| *to = [*b, *g, *r]);
            } else {
                let pixels = out.as_chunks_mut::<4>().0.iter_mut().zip(line.as_chunks::<4>().0);
                pixels.for_each(|(to, [r, g, b, a])| *to = [*b, *g, *r, *a]);
            }
        },
    );
    Ok(())
}

/// Computes `to` from the pixels `from`, a block at a time. The last block may have pixels that are not written.
#[inline(always)]
pub(super) fn each_block<A: Copy + Default, B: Copy + Default>(
    from: &[A],
    to: &mut [B],
    of: impl Fn(&[A; BLOCK], &mut [B; BLOCK]),
) {
    let ((from, rest), (to, last)) = (from.as_chunks::<BLOCK>(), to.as_chunks_mut::<BLOCK>());
    for (to, from) in to.iter_mut().zip(from) {
        of(from, to);
    }
    if !rest.is_empty() {
        let (mut block, mut found) = ([A::default(); BLOCK], [B::default(); BLOCK]);
        block.iter_mut().zip(rest).for_each(|(to, p)| *to = *p);
        of(&block, &mut found);
        last.iter_mut().zip(found).for_each(|(to, p)| *to = p);
    }
}

pub(crate) fn rgb_to_hsv_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    dst: ImageMut<'_, u8>,
) -> Result<(), Error> {
    same_len("src", 3, src.channels())?;
    dst.expect("dst", [src.width(), src.height()], 3)?;
    each_line(
        j,
        s,
        src.row_len(),
        dst,
        #[inline(always)]
        |y: usize, out: &mut [u8]| {
            each_block(
                src.line(y).as_chunks::<3>().0,
                out.as_chunks_mut::<3>().0,
                #[inline(always)]
                |from: &[[u8; 3]; BLOCK], to: &mut [[u8; 3]; BLOCK]| {
                    let mut planes = s.planes(from);
                    hues(&mut planes);
                    s.pixels(&planes, to);
                },
            );
        },
    );
    Ok(())
}

/// The hues of a whole turn.
const TURN: u8 = 180;

/// A number from 0 to 1000, rounded half up, that is a half or further from one than 1/512.
#[inline(always)]
const fn rounded(x: f32) -> u32 {
    // From 2²³ on, numbers are whole, and sums are rounded to them: a half by what is added to it.
    (x + 1.0 / 1024.0 + 8_388_608.0).to_bits() & 0x7f_ffff
}

/// Replaces colours by hues, saturations and values.
#[inline(always)]
fn hues([red, green, blue]: &mut [[u8; BLOCK]; 3]) {
    // Bytes as far as they hold everything.
    let (mut differences, mut bases) = ([0i16; BLOCK], [0; BLOCK]);
    let (mut ranges, mut values) = ([0; BLOCK], [0; BLOCK]);
    let colours = red.iter().zip(green.iter()).zip(blue.iter());
    let to = differences.iter_mut().zip(&mut bases).zip(ranges.iter_mut().zip(&mut values));
    for (((r, g), b), ((difference, base), (range, value))) in colours.zip(to) {
        let (x, y, z) = (*r, *g, *b);
        let most = x.max(y).max(z);
        (*range, *value) = (most - x.min(y).min(z), most);
        let (one, other, from) = if x == most {
            (y, z, TURN)
        } else if y == most {
            (z, x, 60)
        } else {
            (x, y, 120)
        };
        (*difference, *base) = (i16::from(one) - i16::from(other), from);
    }
    let from = differences.iter().zip(&bases).zip(ranges.iter().zip(&values));
    for (((difference, base), (range, value)), (hue, saturation)) in from.zip(red.iter_mut().zip(green)) {
        // Where a divisor is 0, so is what it divides. One division gives the reciprocals of both.
        let (d, v) = (f32::from((*range).max(1)), f32::from((*value).max(1)));
        let both = 1.0 / (d * v);
        // From 150 to 210, where red is the largest, and to 150 otherwise.
        let found = rounded(f32::from(*base) + 30.0 * f32::from(*difference) * (both * v));
        let found = if found >= u32::from(TURN) { found - u32::from(TURN) } else { found };
        (*hue, *saturation) = (found as u8, rounded(255.0 * f32::from(*range) * (both * d)) as u8);
    }
    *blue = values;
}

pub(crate) fn nv12_to_rgb_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    luma: Image<'_, u8>,
    chroma: Image<'_, u8>,
    coding: Yuv,
    dst: ImageMut<'_, u8>,
) -> Result<(), Error> {
    let (width, height) = (luma.width(), luma.height());
    same_len("luma", 1, luma.channels())?;
    chroma.expect("chroma", [width.div_ceil(2), height.div_ceil(2)], 2)?;
    dst.expect("dst", [width, height], 3)?;
    let (black, factors) = coding.factors();
    each_line(
        j,
        s,
        3 * width,
        dst,
        #[inline(always)]
        |y: usize, out: &mut [u8]| {
            let (brightness, shades) = (luma.line(y), chroma.line(y / 2));
            let (ys, rest) = brightness.as_chunks::<BLOCK>();
            // Where the width is odd, the last pixel has a pair of chroma alone. With it chroma may fill a block that luma does not.
            let others = shades.get(ys.len() * BLOCK..).unwrap_or_default();
            let (to, last) = out.as_chunks_mut::<3>().0.as_chunks_mut::<BLOCK>();
            for ((to, ys), pairs) in to.iter_mut().zip(ys).zip(shades.as_chunks::<BLOCK>().0) {
                s.pixels(&colours(black, factors, ys, &twice(shades_of(factors, pairs))), to);
            }
            if !rest.is_empty() {
                // A block whose last pixels are not written.
                let (mut ys, mut pairs, mut to) = ([0; BLOCK], [0; BLOCK], [[0; 3]; BLOCK]);
                ys.iter_mut().zip(rest).for_each(|(to, p)| *to = *p);
                pairs.iter_mut().zip(others).for_each(|(to, p)| *to = *p);
                s.pixels(&colours(black, factors, &ys, &twice(shades_of(factors, &pairs))), &mut to);
                last.iter_mut().zip(to).for_each(|(to, p)| *to = p);
            }
        },
    );
    Ok(())
}

/// What chroma adds to red, green and blue, in units of 2⁻²⁰.
pub(super) type Shades<const N: usize> = [[i32; N]; 3];

/// The shades of pairs of `U` and `V`, a pair of which is two bytes.
#[inline(always)]
fn shades_of(factors: [i32; 5], pairs: &[u8; BLOCK]) -> Shades<{ BLOCK / 2 }> {
    // Words, whose halves need no shuffles.
    let (mut us, mut vs) = ([0; BLOCK / 2], [0; BLOCK / 2]);
    for ((u, v), pair) in us.iter_mut().zip(&mut vs).zip(pairs.as_chunks::<2>().0) {
        let pair = u16::from_le_bytes(*pair);
        (*u, *v) = (pair & 255, pair >> 8);
    }
    shades(factors, &us, &vs)
}

/// The shades of these `U` and `V`.
#[inline(always)]
pub(super) fn shades<T: Copy + Into<i32>, const N: usize>(
    [_, red_of_v, green_of_u, green_of_v, blue_of_u]: [i32; 5],
    us: &[T; N],
    vs: &[T; N],
) -> Shades<N> {
    let mut to = [[0; N]; 3];
    let [red, green, blue] = &mut to;
    for ((((r, g), b), u), v) in red.iter_mut().zip(green).zip(blue).zip(us).zip(vs) {
        let (u, v): (i32, i32) = ((*u).into() - 128, (*v).into() - 128);
        (*r, *g, *b) = (red_of_v * v, green_of_u * u + green_of_v * v, blue_of_u * u);
    }
    to
}

/// Each shade twice.
#[inline(always)]
fn twice(x: Shades<{ BLOCK / 2 }>) -> Shades<BLOCK> {
    x.map(
        #[inline(always)]
        |x| {
            let mut to = [0; BLOCK];
            to.as_chunks_mut::<2>().0.iter_mut().zip(x).for_each(|(to, x)| *to = [x; 2]);
            to
        },
    )
}

/// Planes of red, green and blue of pixels with these levels of luma and shades.
#[inline(always)]
pub(super) fn colours(
    black: i32,
    [of_luma, ..]: [i32; 5],
    luma: &[u8; BLOCK],
    shades: &Shades<BLOCK>,
) -> [[u8; BLOCK]; 3] {
    let mut to = [[0; BLOCK]; 3];
    for (to, shades) in to.iter_mut().zip(shades) {
        for ((to, luma), shade) in to.iter_mut().zip(luma).zip(shades) {
            let level = of_luma * (i32::from(*luma) - black) + (1 << 19);
            *to = ((level + shade) >> 20).clamp(0, 255) as u8;
        }
    }
    to
}
