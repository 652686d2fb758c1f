//! Declares the conversions between half-precision storage and `f32`. The declarations are read without the feature
//! `half`; `convert.rs` has the bodies.

#[cfg(feature = "half")]
use crate::convert::{bf16_to_f32_by, f16_to_f32_by, f32_to_bf16_by, f32_to_f16_by};
use crate::forms::ops;

ops! { $ conversions_ops in crate::convert #[cfg(feature = "half")];
    /// `out[i] = x[i]`, exact.
    ///
    /// NaN stays NaN (quiet, payload kept); ±0, ±∞ and subnormals are exact.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
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
    serial f16_to_f32<>, f16_to_f32_on, f16_to_f32_by (x: in ::half::f16, out: out f32) -> Result<()>;

    /// `out[i] = x[i]` rounded to nearest, ties to even.
    ///
    /// NaN stays NaN (quiet, leading payload bits kept); magnitudes from 65520 up give ±∞; values
    /// below 2⁻²⁵ give ±0; subnormals are rounded, not flushed.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
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
    serial f32_to_f16<>, f32_to_f16_on, f32_to_f16_by (x: in f32, out: out ::half::f16) -> Result<()>;

    /// `out[i] = x[i]`, exact.
    ///
    /// NaN stays NaN (quiet, payload kept); ±0, ±∞ and subnormals are exact.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
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
    serial bf16_to_f32<>, bf16_to_f32_on, bf16_to_f32_by (x: in ::half::bf16, out: out f32) -> Result<()>;

    /// `out[i] = x[i]` rounded to nearest, ties to even.
    ///
    /// NaN stays NaN (quiet, leading payload bits kept); values that round past the largest
    /// finite one give ±∞; subnormals are rounded, not flushed.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
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
    serial f32_to_bf16<>, f32_to_bf16_on, f32_to_bf16_by (x: in f32, out: out ::half::bf16) -> Result<()>;
}
