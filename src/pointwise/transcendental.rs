//! Exponential and hyperbolic functions and the error function, over the full range.

use super::unary;
use crate::alu::{Alu, Body, Number};

/// `e^x`.
#[derive(Debug, Clone, Copy)]
pub struct Exp;
impl<T: Number> Body<T, 1> for Exp {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.exp()
    }
}
unary! {
    /// `out[i] = e^x[i]`.
    ///
    /// Within 1 ulp. NaN stays NaN; e^±0 = 1, e^∞ = ∞, e^−∞ = +0; subnormal results are rounded, not flushed.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::exp(&[0.0, 1.0], &mut out)?;
    /// assert_eq!(out, [1.0, 2.7182817]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/exp-v1.yaml`.
    exp, exp_on, exp_in_place, Exp
}

/// `2^x`.
#[derive(Debug, Clone, Copy)]
pub struct Exp2;
impl<T: Number> Body<T, 1> for Exp2 {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.exp2()
    }
}
unary! {
    /// `out[i] = 2^x[i]`.
    ///
    /// Within 1 ulp, exact for integers. NaN stays NaN; 2^±0 = 1, 2^∞ = ∞, 2^−∞ = +0; subnormal results are
    /// rounded, not flushed.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::exp2(&[0.5, -3.0], &mut out)?;
    /// assert!((out[0] - 1.414_213_6).abs() <= f32::EPSILON && out[1] == 0.125);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/exp2-v1.yaml`.
    exp2, exp2_on, exp2_in_place, Exp2
}

/// `e^x − 1`.
#[derive(Debug, Clone, Copy)]
pub struct ExpM1;
impl<T: Number> Body<T, 1> for ExpM1 {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.exp_m1()
    }
}
unary! {
    /// `out[i] = e^x[i] − 1`.
    ///
    /// Within 2 ulp, also near 0. NaN stays NaN; ±0 stays ±0; ∞ stays ∞, −∞ gives −1.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::exp_m1(&[0.0, 1e-10], &mut out)?;
    /// assert_eq!(out, [0.0, 1e-10]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/exp_m1-v1.yaml`.
    #[doc(alias = "expm1")]
    exp_m1, exp_m1_on, exp_m1_in_place, ExpM1
}

/// `sinh x`.
#[derive(Debug, Clone, Copy)]
pub struct Sinh;
impl<T: Number> Body<T, 1> for Sinh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.sinh()
    }
}
unary! {
    /// `out[i] = sinh x[i]`.
    ///
    /// Within 2 ulp. NaN, ±0 and ±∞ stay.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sinh(&[0.0, 1.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 1.175_201_2]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/sinh-v1.yaml`.
    sinh, sinh_on, sinh_in_place, Sinh
}

/// `cosh x`.
#[derive(Debug, Clone, Copy)]
pub struct Cosh;
impl<T: Number> Body<T, 1> for Cosh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.cosh()
    }
}
unary! {
    /// `out[i] = cosh x[i]`.
    ///
    /// Within 2 ulp. NaN stays NaN; cosh ±0 = 1, cosh ±∞ = ∞.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::cosh(&[0.0, 1.0], &mut out)?;
    /// assert!(out.iter().zip([1.0, 1.543_080_6]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/cosh-v1.yaml`.
    cosh, cosh_on, cosh_in_place, Cosh
}

/// `tanh x`.
#[derive(Debug, Clone, Copy)]
pub struct Tanh;
impl<T: Number> Body<T, 1> for Tanh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.tanh()
    }
}
unary! {
    /// `out[i] = tanh x[i]`.
    ///
    /// Within 1 ulp. NaN and ±0 stay; tanh ±∞ = ±1.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::tanh(&[0.0, 1.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 0.761_594_2]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/tanh-v1.yaml`.
    tanh, tanh_on, tanh_in_place, Tanh
}

/// `erf x`.
#[derive(Debug, Clone, Copy)]
pub struct Erf;
impl<T: Number> Body<T, 1> for Erf {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.erf()
    }
}
unary! {
    /// `out[i] = erf x[i] = 2/√π·∫₀^x[i] e^(−t²) dt`.
    ///
    /// Within 2 ulp. NaN and ±0 stay; erf ±∞ = ±1.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::erf(&[0.0, 1.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 0.842_700_8]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: NIST Digital Library of Mathematical Functions, 7.2.1. Contract: `contracts/erf-v1.yaml`.
    erf, erf_on, erf_in_place, Erf
}

/// `e^x`, cheaper and coarser.
#[derive(Debug, Clone, Copy)]
pub struct ApproxExp;
impl<T: Number> Body<T, 1> for ApproxExp {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.approx_exp()
    }
}
unary! {
    /// `out[i] = e^x[i]`.
    ///
    /// Within a relative 2⁻¹²; subnormal results within 1 ulp. NaN stays NaN; e^∞ = ∞, e^−∞ = 0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::approx_exp(&[0.0, 1.0], &mut out)?;
    /// assert!((out[1] - 2.718_281_8).abs() < 1e-3);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/approx_exp-v1.yaml`.
    approx_exp, approx_exp_on, approx_exp_in_place, ApproxExp
}

/// `tanh x`, cheaper and coarser.
#[derive(Debug, Clone, Copy)]
pub struct ApproxTanh;
impl<T: Number> Body<T, 1> for ApproxTanh {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.approx_tanh()
    }
}
unary! {
    /// `out[i] = tanh x[i]`.
    ///
    /// Within a relative 2⁻¹², subnormal results within 1 ulp. NaN stays NaN; ±0 stays ±0; tanh ±∞ is within that of ±1.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::approx_tanh(&[0.0, 1.0], &mut out)?;
    /// assert!((out[1] - 0.761_594_2).abs() < 1e-3);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J.-M. Muller: Elementary Functions, 3rd ed., ch. 11. Contract: `contracts/approx_tanh-v1.yaml`.
    approx_tanh, approx_tanh_on, approx_tanh_in_place, ApproxTanh
}
