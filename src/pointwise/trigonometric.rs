//! Trigonometric and inverse hyperbolic functions.

use super::unary;
use crate::alu::{Alu, Body, Number};

/// `sin x`.
#[derive(Debug, Clone, Copy)]
pub struct Sin;
impl<T: Number> Body<T, 1> for Sin {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.sin()
    }
}
unary! {
    /// `out[i] = sin x`, `x` in radians.
    ///
    /// Within 1 ulp for every finite `x`. Keeps ±0; NaN for ±∞ and NaN.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sin(&[-0.5, 1e6], &mut out)?;
    /// assert!((out[0] + 0.479_425_5).abs() < 1e-6 && (out[1] + 0.349_993_5).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Cody and Waite (1980), and Payne and Hanek (1983) for large `x`. Contract: `contracts/sin-v1.yaml`.
    sin, sin_on, sin_in_place, Sin
}

/// `cos x`.
#[derive(Debug, Clone, Copy)]
pub struct Cos;
impl<T: Number> Body<T, 1> for Cos {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.cos()
    }
}
unary! {
    /// `out[i] = cos x`, `x` in radians.
    ///
    /// Within 1 ulp for every finite `x`. NaN for ±∞ and NaN.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::cos(&[0.0, 3.0], &mut out)?;
    /// assert!((out[0] - 1.0).abs() < 1e-6 && (out[1] + 0.989_992_5).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Cody and Waite (1980), and Payne and Hanek (1983) for large `x`. Contract: `contracts/cos-v1.yaml`.
    cos, cos_on, cos_in_place, Cos
}

/// `tan x`.
#[derive(Debug, Clone, Copy)]
pub struct Tan;
impl<T: Number> Body<T, 1> for Tan {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.tan()
    }
}
unary! {
    /// `out[i] = tan x`, `x` in radians.
    ///
    /// Within 2 ulp for every finite `x`. Keeps ±0; NaN for ±∞ and NaN.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::tan(&[0.0, 1.0], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 1.557_407_7).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Cody and Waite (1980), and Payne and Hanek (1983) for large `x`. Contract: `contracts/tan-v1.yaml`.
    tan, tan_on, tan_in_place, Tan
}

/// `asin x`.
#[derive(Debug, Clone, Copy)]
pub struct Asin;
impl<T: Number> Body<T, 1> for Asin {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.asin()
    }
}
unary! {
    /// `out[i] = asin x`, `out` in radians.
    ///
    /// Within 2 ulp. Keeps ±0; NaN outside [−1, 1]; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::asin(&[0.0, 0.5], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 0.523_598_8).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: a minimax polynomial; `π/2 − 2 asin √((1 − |x|)/2)` above 1/2. Contract: `contracts/asin-v1.yaml`.
    asin, asin_on, asin_in_place, Asin
}

/// `acos x`.
#[derive(Debug, Clone, Copy)]
pub struct Acos;
impl<T: Number> Body<T, 1> for Acos {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.acos()
    }
}
unary! {
    /// `out[i] = acos x`, `out` in radians.
    ///
    /// Within 2 ulp. NaN outside [−1, 1]; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::acos(&[1.0, 0.5], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 1.047_197_6).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as `asin`. Contract: `contracts/acos-v1.yaml`.
    acos, acos_on, acos_in_place, Acos
}

/// `atan x`.
#[derive(Debug, Clone, Copy)]
pub struct Atan;
impl<T: Number> Body<T, 1> for Atan {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.atan()
    }
}
unary! {
    /// `out[i] = atan x`, `out` in radians.
    ///
    /// Within 2 ulp. Keeps ±0; ±π/2 for ±∞; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::atan(&[0.0, 1.0], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 0.785_398_2).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: a minimax polynomial; reciprocals above 1. Contract: `contracts/atan-v1.yaml`.
    atan, atan_on, atan_in_place, Atan
}

/// `asinh x`.
#[derive(Debug, Clone, Copy)]
pub struct Asinh;
impl<T: Number> Body<T, 1> for Asinh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.asinh()
    }
}
unary! {
    /// `out[i] = asinh x`.
    ///
    /// Within 2 ulp. Keeps ±0; ±∞ and NaN stay.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::asinh(&[0.0, 1.0], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 0.881_373_6).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `ln(1 + a + a²/(1 + √(1 + a²)))`, `a = |x|`. Contract: `contracts/asinh-v1.yaml`.
    asinh, asinh_on, asinh_in_place, Asinh
}

/// `acosh x`.
#[derive(Debug, Clone, Copy)]
pub struct Acosh;
impl<T: Number> Body<T, 1> for Acosh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.acosh()
    }
}
unary! {
    /// `out[i] = acosh x`.
    ///
    /// Within 2 ulp. NaN below 1; ∞ and NaN stay.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::acosh(&[1.0, 2.0], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 1.316_957_9).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `ln(1 + t + √(2t + t²))`, `t = x − 1`. Contract: `contracts/acosh-v1.yaml`.
    acosh, acosh_on, acosh_in_place, Acosh
}

/// `atanh x`.
#[derive(Debug, Clone, Copy)]
pub struct Atanh;
impl<T: Number> Body<T, 1> for Atanh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.atanh()
    }
}
unary! {
    /// `out[i] = atanh x`.
    ///
    /// Within 2 ulp. Keeps ±0; ±∞ at ±1, NaN beyond; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::atanh(&[0.0, 0.5], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 0.549_306_1).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `½ ln(1 + 2a/(1 − a))`, `a = |x|`. Contract: `contracts/atanh-v1.yaml`.
    atanh, atanh_on, atanh_in_place, Atanh
}
