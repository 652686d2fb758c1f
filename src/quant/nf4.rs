//! The NF4 formats of QLoRA and bitsandbytes: a code of four bits selects a quantile of the normal distribution.

use super::block::{Activation, Active, Block, Sealed, part, size};
use super::layout::{Factor, Field, Words, bytes as bytes_at};
use super::q8::bytes;
use super::search::weight;
use crate::Error;
use crate::error::same_len;
use crate::lanes::Simd;
use core::mem::offset_of;

/// `absmax·level[q]`, blocks of 64; the first element of a pair is in the high half of its byte, as bitsandbytes has it.
///
/// Dequantised, the levels are those of QLoRA's table; products take them in 16 bits, as `round(32639·level)/32639`,
/// which is off by 2⁻¹⁶ at most. bitsandbytes holds the scales and the codes of a tensor apart: [`NF4::join`] makes
/// blocks of them, [`dequantize_absmax`](crate::dequantize_absmax()) scales that are quantised themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct NF4 {
    absmax: [u8; 4],
    qs: [u8; 32],
}

/// As [`NF4`], with the first element of a pair in the low half of its byte.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct NF4_LOW {
    absmax: [u8; 4],
    qs: [u8; 32],
}

/// A byte each, `d·q` with `d` in single precision, blocks of 64: what [`NF4`] is multiplied with.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_64 {
    d: [u8; 4],
    qs: [u8; 64],
}

size!(NF4 = 36, NF4_LOW = 36, Q8_64 = 68);

/// T. Dettmers, A. Pagnoni, A. Holtzman, L. Zettlemoyer: QLoRA, NeurIPS 2023, appendix E.
const LEVELS: [f32; 16] = [
    -1.0,
    -0.696_192_8,
    -0.525_073_05,
    -0.394_917_5,
    -0.284_441_38,
    -0.184_773_43,
    -0.091_050_036,
    0.0,
    0.079_580_3,
    0.160_930_2,
    0.246_112_3,
    0.337_915_24,
    0.440_709_83,
    0.562_617,
    0.722_956_84,
    1.0,
];
/// What the largest level is in 16 bits: its high byte is 127, and its low one, too.
const TOP: f32 = 32639.0;
/// The levels in 16 bits: the signed bytes whose sum is `256·high + low`.
#[allow(clippy::indexing_slicing, reason = "computed when this is compiled, where a wrong index is an error")]
const SPLIT: [[i8; 16]; 2] = {
    let (mut to, mut i) = ([[0; 16]; 2], 0);
    while i < 16 {
        let x = LEVELS[i] * TOP;
        let whole = (if x < 0.0 { x - 0.5 } else { x + 0.5 }) as i32;
        let high = (whole + 128) >> 8;
        to[0][i] = high as i8;
        to[1][i] = (whole - (high << 8)) as i8;
        i += 1;
    }
    to
};

/// The level nearest to `x`, the lower one of two.
#[inline(always)]
fn level(x: f32) -> u8 {
    LEVELS.windows(2).map(|w| u8::from(x > w.iter().sum::<f32>() * 0.5)).sum()
}

/// What a code stands for.
#[inline(always)]
fn value(q: u8) -> f32 {
    LEVELS.get(usize::from(q)).copied().unwrap_or(0.0)
}

/// The scale and the codes. With equal weights, but for those of padding, the scale is the largest magnitude, as QLoRA has
/// it; with others the best of that and smaller ones, under which the largest elements saturate.
fn nearest(x: &[f32], w: Option<&[f32]>) -> (f32, [u8; 64]) {
    let top = x.iter().fold(0.0f32, |m, x| m.max(x.abs()));
    let codes = |scale: f32| {
        let mut to = [level(0.0); 64];
        if scale > 0.0 {
            for (to, x) in to.iter_mut().zip(x) {
                *to = level(x / scale);
            }
        }
        to
    };
    let mut best = (top, codes(top));
    let mut weights = w.unwrap_or_default().iter().take(x.len()).filter(|w| **w > 0.0);
    let first = weights.next();
    if top > 0.0 && weights.any(|w| Some(w) != first) {
        let error = |scale: f32, codes: &[u8; 64]| {
            let share = scale / top;
            let each = x.iter().zip(codes).enumerate().map(|(i, (x, q))| {
                let off = x / top - value(*q) * share;
                weight(w, i) * off * off
            });
            each.sum::<f32>()
        };
        let mut least = error(top, &best.1);
        for step in 1..=32 {
            let scale = top * (1.0 - step as f32 / 64.0);
            let q = codes(scale);
            let e = error(scale, &q);
            if e < least {
                (best, least) = ((scale, q), e);
            }
        }
    }
    best
}

macro_rules! formats {
    ($($T:ident $name:literal $high:literal $first:literal;)*) => {$(
        impl Block for $T {
            const NAME: &'static str = $name;
            const TYPE: Option<u32> = None;
            const ELEMENTS: usize = 64;
            type Partner = Q8_64;
        }

        impl Sealed for $T {
            const SIGNED: bool = true;
            const FINE: bool = true;
            const LIMIT: f32 = f32::MAX;
            const ZERO: Self = Self { absmax: [0; 4], qs: [0x77; 32] };
            const WORDS: Words = Words {
                d: Factor::Single(offset_of!(Self, absmax)),
                by: 1.0 / TOP,
                table: Some([&SPLIT[0], &SPLIT[1]]),
                levels: Some(&LEVELS),
                ..Words::new(0, &[Field::Pairs(offset_of!(Self, qs), $high)])
            };
            #[inline(always)]
            fn factors<S: Simd>(_: S, x: [&Self; 4]) -> [[f32; 4]; 2] {
                [x.map(|x| f32::from_le_bytes(x.absmax) * (1.0 / TOP)), [0.0; 4]]
            }
            #[inline(always)]
            fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
                s.lookup(SPLIT[0], s.nibble_pairs::<$high>(part(&self.qs, 16 * chunk)))
            }
            #[inline(always)]
            fn fine<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
                s.lookup(SPLIT[1], s.nibble_pairs::<$high>(part(&self.qs, 16 * chunk)))
            }
            #[inline(always)]
            fn decode<S: Simd>(&self, _: S, out: &mut [f32]) {
                let scale = f32::from_le_bytes(self.absmax);
                for (out, q) in out.as_chunks_mut().0.iter_mut().zip(&self.qs) {
                    let (a, b) = if $high { (q >> 4, q & 15) } else { (q & 15, q >> 4) };
                    *out = [scale * value(a), scale * value(b)];
                }
            }
            fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
                let (scale, codes) = nearest(x, w);
                let mut qs = [0; 32];
                for (to, [a, b]) in qs.iter_mut().zip(codes.as_chunks().0) {
                    *to = if $high { a << 4 | b } else { b << 4 | a };
                }
                Self { absmax: scale.to_le_bytes(), qs }
            }
        }

        impl $T {
            /// Blocks of the scales and the codes, 32 bytes for each scale, which bitsandbytes holds apart.
            ///
            /// Errors: [`Error::Len`] when `codes` has not 32 bytes for each of `absmax`, or `out` another length than `absmax`.
            ///
            /// ```
            #[doc = concat!("use fulmen::quant::{", stringify!($T), ", blocks};")]
            #[doc = concat!("let mut to = *blocks::<", stringify!($T), ">(&[0; 36])?.first_chunk::<1>().unwrap();")]
            #[doc = concat!(stringify!($T), "::join(&[2.0], &[0x0f; 32], &mut to)?;")]
            /// let mut x = [0.0; 64];
            /// fulmen::dequantize(&to, &mut x)?;
            #[doc = concat!("assert_eq!(x[..2], ", $first, ");")]
            /// # Ok::<(), fulmen::Error>(())
            /// ```
            pub fn join(absmax: &[f32], codes: &[u8], out: &mut [Self]) -> Result<(), Error> {
                same_len("codes", absmax.len().saturating_mul(32), codes.len())?;
                same_len("out", absmax.len(), out.len())?;
                for ((to, scale), qs) in out.iter_mut().zip(absmax).zip(codes.as_chunks().0) {
                    *to = Self { absmax: scale.to_le_bytes(), qs: *qs };
                }
                Ok(())
            }

            #[doc = concat!("The inverse of [`", stringify!($T), "::join`].")]
            ///
            /// Errors: [`Error::Len`] when `absmax` has another length than `x`, or `codes` has not 32 bytes for each.
            pub fn split(x: &[Self], absmax: &mut [f32], codes: &mut [u8]) -> Result<(), Error> {
                same_len("absmax", x.len(), absmax.len())?;
                same_len("codes", x.len().saturating_mul(32), codes.len())?;
                for ((x, scale), qs) in x.iter().zip(absmax).zip(codes.as_chunks_mut().0) {
                    (*scale, *qs) = (f32::from_le_bytes(x.absmax), x.qs);
                }
                Ok(())
            }
        }
    )*};
}
formats! {
    NF4 "nf4" true "[-2.0, 2.0]";
    NF4_LOW "nf4_low" false "[2.0, -2.0]";
}

impl Block for Q8_64 {
    const NAME: &'static str = "q8_64";
    const TYPE: Option<u32> = None;
    const ELEMENTS: usize = 64;
    type Partner = Self;
}

impl Sealed for Q8_64 {
    const SIGNED: bool = true;
    const LIMIT: f32 = f32::MAX;
    const ZERO: Self = Self { d: [0; 4], qs: [0; 64] };
    const WORDS: Words =
        Words { d: Factor::Single(offset_of!(Self, d)), ..Words::new(0, &[bytes_at(offset_of!(Self, qs))]) };
    #[inline(always)]
    fn factors<S: Simd>(_: S, x: [&Self; 4]) -> [[f32; 4]; 2] {
        [x.map(|x| f32::from_le_bytes(x.d)), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        s.bytes(part(&self.qs, 32 * chunk))
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        Self { d: d.to_le_bytes(), qs }
    }
}

impl Active for Q8_64 {}
impl Activation for Q8_64 {}
