//! Logarithms and powers.

use super::{binary, unary};
use crate::alu::{Alu, Body, Number};

/// `ln x`.
#[derive(Debug, Clone, Copy)]
pub struct Ln;
impl<T: Number> Body<T, 1> for Ln {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.ln()
    }
}
unary! {
    /// `out[i] = ln x`.
    ///
    /// Within 1 ulp. `ln ±0 = −∞`, `ln ∞ = ∞`; NaN below zero; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::ln(&[1.0, 10.0], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 2.302_585).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: a minimax polynomial after halving to [√½, √2). Contract: `contracts/ln-v1.yaml`.
    #[doc(alias = "log")]
    ln, ln_on, ln_in_place, Ln
}

/// `ln(1 + x)`.
#[derive(Debug, Clone, Copy)]
pub struct Ln1p;
impl<T: Number> Body<T, 1> for Ln1p {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.ln_1p()
    }
}
unary! {
    /// `out[i] = ln(1 + x)`.
    ///
    /// Within 2 ulp, also for tiny `x`. Keeps ±0; `−∞` at −1, NaN below; ∞ and NaN stay.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::ln_1p(&[0.0, 1e-6], &mut out)?;
    /// assert_eq!(out, [0.0, 1e-6 - 0.5e-12]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `ln` of the rounded sum, and what rounding lost over it. Contract: `contracts/ln_1p-v1.yaml`.
    #[doc(alias = "log1p")]
    ln_1p, ln_1p_on, ln_1p_in_place, Ln1p
}

/// `log₂ x`.
#[derive(Debug, Clone, Copy)]
pub struct Log2;
impl<T: Number> Body<T, 1> for Log2 {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.log2()
    }
}
unary! {
    /// `out[i] = log₂ x`.
    ///
    /// Within 1 ulp; exact for powers of two. `log₂ ±0 = −∞`, `log₂ ∞ = ∞`; NaN below zero; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::log2(&[8.0, 0.25], &mut out)?;
    /// assert_eq!(out, [3.0, -2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `ln` in two words times log₂ e. Contract: `contracts/log2-v1.yaml`.
    log2, log2_on, log2_in_place, Log2
}

/// `log₁₀ x`.
#[derive(Debug, Clone, Copy)]
pub struct Log10;
impl<T: Number> Body<T, 1> for Log10 {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.log10()
    }
}
unary! {
    /// `out[i] = log₁₀ x`.
    ///
    /// Within 1 ulp. `log₁₀ ±0 = −∞`, `log₁₀ ∞ = ∞`; NaN below zero; NaN stays.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::log10(&[1.0, 1000.0], &mut out)?;
    /// assert!(out[0] == 0.0 && (out[1] - 3.0).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `ln` in two words times log₁₀ e. Contract: `contracts/log10-v1.yaml`.
    log10, log10_on, log10_in_place, Log10
}

/// `a^b`.
#[derive(Debug, Clone, Copy)]
pub struct Pow;
impl<T: Number> Body<T, 2> for Pow {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        a.pow(b)
    }
}
binary! {
    /// `out[i] = a[i]^b[i]`.
    ///
    /// Within 2 ulp. As in C (IEEE 754 `pow`):
    ///
    /// | a | b | a^b |
    /// |---|---|---|
    /// | any, even NaN | ±0 | 1 |
    /// | 1 | any, even NaN | 1 |
    /// | −1 | ±∞ | 1 |
    /// | ±0 | odd integer below 0 | ±∞ |
    /// | ±0 | other below 0, or −∞ | ∞ |
    /// | ±0 | odd integer above 0 | ±0 |
    /// | ±0 | other above 0 | 0 |
    /// | finite below 0 | finite, no integer | NaN |
    /// | magnitude below 1 | −∞, ∞ | ∞, 0 |
    /// | magnitude above 1 | −∞, ∞ | 0, ∞ |
    /// | −∞ | odd integer below 0, above 0 | −0, −∞ |
    /// | −∞ | other below 0, above 0 | 0, ∞ |
    /// | ∞ | below 0, above 0 | 0, ∞ |
    ///
    /// Any other NaN gives NaN.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 3];
    /// fulmen::pow(&[2.0, -2.0, 9.0], &[10.0, 3.0, 0.5], &mut out)?;
    /// assert_eq!(out, [1024.0, -8.0, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: ISO C Annex F.10.4.4; log₂ and the product in double words. Contract:
    /// `contracts/pow-v1.yaml`.
    pow, pow_on, pow_in_place, Pow
}

/// `x^y` with one `y` for all elements.
#[derive(Debug, Clone, Copy)]
pub struct PowScalar<T>(
    /// The exponent `y`.
    pub T,
);
impl<T: Number> Body<T, 1> for PowScalar<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.pow(x.param(self.0))
    }
}
unary! {
    /// `out[i] = x[i]^y`.
    ///
    /// Within 2 ulp, with the special cases of [`pow`].
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::pow_scalar(&[3.0, 0.5], 2.0, &mut out)?;
    /// assert_eq!(out, [9.0, 0.25]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: ISO C Annex F.10.4.4. Contract: `contracts/pow_scalar-v1.yaml`.
    pow_scalar, pow_scalar_on, pow_scalar_in_place, PowScalar[y]
}
