//! Conversions between half-precision storage and `f32` (feature `half`).
//!
//! Plain loops over integers: inside `vectorize` the compiler makes them vector code for every lane.

use crate::error::{Error, same_len};
use crate::lanes::{Simd, native};
use half::{bf16, f16};

/// [`crate::float16::f16_to_f32`] of an `f16`.
#[inline(always)]
pub(crate) fn from_f16(h: f16) -> f32 {
    crate::float16::f16_to_f32(h.to_bits())
}

/// [`crate::float16::f32_to_f16`] to an `f16`.
#[inline(always)]
fn to_f16(x: f32) -> f16 {
    f16::from_bits(crate::float16::f32_to_f16(x))
}

/// Exact; NaN is quieted.
#[inline(always)]
pub(crate) fn from_bf16(h: bf16) -> f32 {
    let bits = u32::from(h.to_bits()) << 16;
    let quiet = if bits & 0x7fff_ffff > 0x7f80_0000 { 0x0040_0000 } else { 0 };
    f32::from_bits(bits | quiet)
}

/// [`crate::float16::f32_to_bf16`] to a `bf16`.
#[inline(always)]
fn to_bf16(x: f32) -> bf16 {
    bf16::from_bits(crate::float16::f32_to_bf16(x))
}

macro_rules! convert {
    ($(#[$doc:meta])* $name:ident, $on:ident, $from:ty, $to:ty, $f:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(x: &[$from], out: &mut [$to]) -> Result<(), Error> {
            $on(native(), x, out)
        }
        #[doc = concat!("[`", stringify!($name), "`] on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd>(s: S, x: &[$from], out: &mut [$to]) -> Result<(), Error> {
            same_len("out", x.len(), out.len())?;
            s.vectorize(
                #[inline(always)]
                || {
                    for (o, &x) in out.iter_mut().zip(x) {
                        *o = $f(x);
                    }
                },
            );
            Ok(())
        }
    };
}

convert! {
    /// `out[i] = x[i]`, exact.
    ///
    /// NaN stays NaN (quiet, payload kept); ±0, ±∞ and subnormals are exact.
    ///
    /// Errors: [`Error::Len`] when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// use half::f16;
    /// let mut out = [0.0f32; 2];
    /// fulmen::f16_to_f32(&[f16::from_f32(1.5), f16::NEG_INFINITY], &mut out)?;
    /// assert_eq!(out, [1.5, f32::NEG_INFINITY]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.2. Contract: `contracts/f16_to_f32-v1.yaml`.
    f16_to_f32, f16_to_f32_on, f16, f32, from_f16
}
convert! {
    /// `out[i] = x[i]` rounded to nearest, ties to even.
    ///
    /// NaN stays NaN (quiet, leading payload bits kept); magnitudes from 65520 up give ±∞; values
    /// below 2⁻²⁵ give ±0; subnormals are rounded, not flushed.
    ///
    /// Errors: [`Error::Len`] when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// use half::f16;
    /// let mut out = [f16::ZERO; 2];
    /// fulmen::f32_to_f16(&[1.5, 1e6], &mut out)?;
    /// assert_eq!(out, [f16::from_f32(1.5), f16::INFINITY]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.2. Contract: `contracts/f32_to_f16-v1.yaml`.
    f32_to_f16, f32_to_f16_on, f32, f16, to_f16
}
convert! {
    /// `out[i] = x[i]`, exact.
    ///
    /// NaN stays NaN (quiet, payload kept); ±0, ±∞ and subnormals are exact.
    ///
    /// Errors: [`Error::Len`] when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// use half::bf16;
    /// let mut out = [0.0f32; 2];
    /// fulmen::bf16_to_f32(&[bf16::from_f32(1.5), bf16::NEG_INFINITY], &mut out)?;
    /// assert_eq!(out, [1.5, f32::NEG_INFINITY]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the upper half of IEEE 754 binary32. Contract: `contracts/bf16_to_f32-v1.yaml`.
    bf16_to_f32, bf16_to_f32_on, bf16, f32, from_bf16
}
convert! {
    /// `out[i] = x[i]` rounded to nearest, ties to even.
    ///
    /// NaN stays NaN (quiet, leading payload bits kept); values that round past the largest
    /// finite one give ±∞; subnormals are rounded, not flushed.
    ///
    /// Errors: [`Error::Len`] when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// use half::bf16;
    /// let mut out = [bf16::ZERO; 2];
    /// fulmen::f32_to_bf16(&[1.5, f32::MAX], &mut out)?;
    /// assert_eq!(out, [bf16::from_f32(1.5), bf16::INFINITY]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the upper half of IEEE 754 binary32. Contract: `contracts/f32_to_bf16-v1.yaml`.
    f32_to_bf16, f32_to_bf16_on, f32, bf16, to_bf16
}
