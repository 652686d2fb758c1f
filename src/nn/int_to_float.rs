//! Converts `u8` and `i16` (samples of images and of sound) to scaled floats, by channel.

use crate::contract::{Call, contract};
use crate::error::{Error, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::{Element, Simd, from_fn};

ops! { $ int_to_float_ops in crate::nn::int_to_float;
    /// `out[i] = x[i]·scale[c] + offset[c]`, `c = i mod scale.len()`: bytes as numbers, with a scale and an offset for each
    /// channel.
    ///
    /// Shapes and units: `x` and `out` hold whole pixels of `scale.len()` contiguous channels; one channel, and so
    /// one scale, for planes and all else. For pixels in [0, 1] the scale is 1/255; for a mean and a deviation of these it
    /// is `1/(255·deviation)`, and the offset `−mean/deviation`. The product and the sum are each rounded, so the bits are
    /// the same everywhere.
    ///
    /// NaN and ±0: NaN where the scale or the offset is.
    ///
    /// Errors: [`Error::Empty`] when `scale` is empty, [`Error::Rows`] when `x` does not hold whole pixels, [`Error::Len`] of
    /// `offset` or `out`. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 4];
    /// fulmen::u8_to_float(&[0, 51, 255, 102], &[1.0 / 255.0], &[0.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 0.2, 1.0, 0.4]).all(|(x, y)| (x - y).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; ONNX `DequantizeLinear` of opset 13. Contract: `contracts/u8_to_float-v1.yaml`.
    serial u8_to_float, u8_to_float_on, u8_to_float_by (x: in u8, scale: in T, offset: in T, out: out T) -> Result<()>;

    /// `out[i] = x[i]·scale[c] + offset[c]`, `c = i mod scale.len()`: samples of 16 bits as numbers.
    ///
    /// Shapes, NaN and errors: as [`u8_to_float`](crate::u8_to_float()). For sound in [-1, 1) the scale is 1/32768.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::i16_to_float(&[-32768, 16384], &[1.0 / 32768.0], &[0.0], &mut out)?;
    /// assert_eq!(out, [-1.0, 0.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/i16_to_float-v1.yaml`.
    serial i16_to_float, i16_to_float_on, i16_to_float_by (x: in i16, scale: in T, offset: in T, out: out T) -> Result<()>;
}

/// Elements of the pattern of channels that the inner loop runs over: whole registers and pixels of 1 to 4 channels.
pub(crate) const PATTERN: usize = 192;

/// Whether so many samples are whole pixels of so many scales and offsets, and results as many.
pub(crate) fn pixels(x: usize, [scales, offsets]: [usize; 2], out: usize) -> Result<(), Error> {
    not_empty("scale", scales)?;
    same_len("offset", scales, offsets)?;
    if !x.is_multiple_of(scales) {
        return Err(Error::rows("x", scales, x));
    }
    same_len("out", x, out)
}

#[inline]
fn affine<S: Simd, T: Element, I: Copy + Into<f64>>(
    s: S,
    x: &[I],
    scale: &[T],
    offset: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    let channels = scale.len();
    pixels(x.len(), [channels, offset.len()], out.len())?;
    let at = |of: &[T], i: usize| of.get(i % channels).copied().unwrap_or(T::ZERO);
    let (scales, offsets): ([T; PATTERN], [T; PATTERN]) =
        (from_fn(|i| at(scale, i)), from_fn(|i| at(offset, i)));
    // Many channels are their own pattern.
    let whole = PATTERN / channels * channels;
    let (scale, offset) = match (scales.get(..whole), offsets.get(..whole)) {
        (Some(scales), Some(offsets)) if whole > 0 => (scales, offsets),
        _ => (scale, offset),
    };
    s.vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.chunks(scale.len()).zip(out.chunks_mut(scale.len())) {
                for (((x, out), scale), offset) in x.iter().zip(out).zip(scale).zip(offset) {
                    *out = T::from_f64((*x).into()) * *scale + *offset;
                }
            }
        },
    );
    Ok(())
}

/// What a channel became says whether its scale or offset was NaN.
macro_rules! checked {
    ($op:ident, $by:ident, $I:ty) => {
        #[inline]
        pub(crate) fn $by<S: Simd, T: Element>(
            s: S,
            x: &[$I],
            scale: &[T],
            offset: &[T],
            out: &mut [T],
        ) -> Result<(), Error> {
            affine(s, x, scale, offset, out)?;
            contract!(
                $op,
                Ok(()),
                each | check | {
                    let mut pixels = out.chunks_exact(scale.len());
                    pixels.try_for_each(|y| check(&Call::new(&[scale, offset], y)))
                }
            )
        }
    };
}
checked!(u8_to_float, u8_to_float_by, u8);
checked!(i16_to_float, i16_to_float_by, i16);
