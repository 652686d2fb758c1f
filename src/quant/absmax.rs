//! Quantised scales: the nested statistics of bitsandbytes (double quantisation), an 8-bit code for each scale of a
//! tensor.

use crate::Error;
use crate::error::same_len;
use crate::forms::ops;
use crate::lanes::Simd;
use crate::slices::{split, split_mut};

/// Scales that have one of their own.
pub(crate) const GROUP: usize = 256;

/// bitsandbytes' dynamic map of signed bytes: 0, 1, and for each power of ten from 10⁻⁶ to 1 the middles of twice as many
/// parts of `0.1..1` as for the one before, with either sign; in ascending order. A checkpoint holds its own as
/// `nested_quant_map`, which may differ by a rounding.
///
/// Source: T. Dettmers: 8-bit Approximations for Parallelism in Deep Learning, ICLR 2016.
#[allow(clippy::indexing_slicing, reason = "computed when this is compiled, where a wrong index is an error")]
pub const DYNAMIC_MAP: [f32; 256] = {
    let (mut to, mut i, mut power, mut parts) = ([0.0f32; 256], 128, 1e-6, 1);
    while parts <= 64 {
        let mut part = 0;
        while part < parts {
            let middle = (0.1 + 0.9 * (2 * part + 1) as f64 / (2 * parts) as f64) * power;
            to[i] = middle as f32;
            to[254 - i] = -to[i];
            (i, part) = (i + 1, part + 1);
        }
        (power, parts) = (power * 10.0, 2 * parts);
    }
    to[255] = 1.0;
    to
};

ops! { $ absmax_ops in crate::quant::absmax;
    /// `out[i] = map[codes[i]]·scales[i / 256] + offset`, rounded after each step: the scales of a tensor from their bytes.
    ///
    /// Shapes and units: `map` has 256 elements, such as [`DYNAMIC_MAP`](crate::quant::DYNAMIC_MAP); `out` one for each of `codes`, `scales` one for each
    /// 256 of them and for what is left.
    ///
    /// NaN and ±0: as the formula gives.
    ///
    /// Errors: [`Error::Len`] when `map`, `scales` or `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::DYNAMIC_MAP;
    /// let mut absmax = [0.0; 2];
    /// fulmen::dequantize_absmax(&DYNAMIC_MAP, &[255, 127], &[0.5], 0.25, &mut absmax)?;
    /// assert_eq!(absmax, [0.75, 0.25]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Dettmers, Pagnoni, Holtzman, Zettlemoyer: QLoRA (double quantisation), NeurIPS 2023. Contract: `contracts/dequantize_absmax-v1.yaml`.
    serial dequantize_absmax<>, dequantize_absmax_on, dequantize_absmax_by
        (map: in f32, codes: in u8, scales: in f32, offset: by f32, out: out f32) -> Result<()>;

    /// Bytes near the scales of a tensor, and the offset that is their mean: `absmax[i] ≈ map[codes[i]]·scales[i / 256] + offset`.
    /// A group's scale is the largest magnitude that is left, a code the nearest of `map`, the lower one of two.
    ///
    /// Shapes and units: as [`dequantize_absmax`](crate::dequantize_absmax()); `map` ascends. The mean is of a sum in double precision, one after the
    /// other.
    ///
    /// NaN and ±0: NaN and infinities are refused; of nothing the mean is 0.
    ///
    /// Errors: [`Error::Len`] when `map`, `codes` or `scales` has another length; [`Error::Domain`] names `map` when it does
    /// not ascend or an element is not finite, and `absmax` when an element is not finite or so large that what is left of it is not. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::DYNAMIC_MAP;
    /// let (mut codes, mut scales) = ([0; 3], [0.0; 1]);
    /// let offset = fulmen::quantize_absmax(&DYNAMIC_MAP, &[0.5, 1.0, 1.5], &mut codes, &mut scales)?;
    /// assert_eq!((offset, scales, codes), (1.0, [0.5], [0, 127, 255]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`dequantize_absmax`](crate::dequantize_absmax()). Contract: `contracts/quantize_absmax-v1.yaml`.
    serial quantize_absmax<>, quantize_absmax_on, quantize_absmax_by
        (map: in f32, absmax: in f32, codes: out u8, scales: out f32) -> Result<f32>;
}

pub(crate) fn dequantize_absmax_by<S: Simd>(
    s: S,
    map: &[f32],
    codes: &[u8],
    scales: &[f32],
    offset: f32,
    out: &mut [f32],
) -> Result<(), Error> {
    same_len("map", 256, map.len())?;
    same_len("scales", codes.len().div_ceil(GROUP), scales.len())?;
    same_len("out", codes.len(), out.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            for ((codes, scale), out) in codes.chunks(GROUP).zip(scales).zip(out.chunks_mut(GROUP)) {
                for (q, out) in codes.iter().zip(out) {
                    *out = map.get(usize::from(*q)).copied().unwrap_or(0.0) * scale + offset;
                }
            }
        },
    );
    Ok(())
}

pub(crate) fn quantize_absmax_by<S: Simd>(
    s: S,
    map: &[f32],
    absmax: &[f32],
    codes: &mut [u8],
    scales: &mut [f32],
) -> Result<f32, Error> {
    same_len("map", 256, map.len())?;
    same_len("codes", absmax.len(), codes.len())?;
    same_len("scales", absmax.len().div_ceil(GROUP), scales.len())?;
    if !map.iter().all(|x| x.is_finite()) || !map.is_sorted() {
        return Err(Error::must_be("map", "finite and ascending"));
    }
    let sum: f64 = absmax.iter().fold(0.0, |sum, x| sum + f64::from(*x));
    let offset = (sum / absmax.len().max(1) as f64) as f32;
    if !absmax.iter().all(|x| (x - offset).is_finite()) {
        return Err(Error::must_be("absmax", "finite"));
    }
    s.vectorize(
        #[inline(always)]
        || {
            let (mut x, mut codes) = (absmax, codes);
            for scale in scales {
                let (group, behind) = split(x, GROUP);
                let (to, rest) = split_mut(codes, GROUP);
                (x, codes) = (behind, rest);
                *scale = group.iter().fold(0.0f32, |m, x| m.max((x - offset).abs()));
                for (x, q) in group.iter().zip(to) {
                    let share = if *scale > 0.0 { (x - offset) / *scale } else { 0.0 };
                    *q = nearest(map, share);
                }
            }
        },
    );
    Ok(offset)
}

/// The place of the element nearest to `x` in the 256 of `map`, the lower one of two.
fn nearest(map: &[f32], x: f32) -> u8 {
    let above = map.partition_point(|m| *m < x).min(255);
    let at = |i: usize| map.get(i).copied().unwrap_or(0.0);
    let below = above.saturating_sub(1);
    if x - at(below) <= at(above) - x { below as u8 } else { above as u8 }
}
