//! Rounding to integers, the fractional part and the sign.

use super::unary;
use crate::alu::{Alu, Body, Number};

/// `⌊x⌋`.
#[derive(Debug, Clone, Copy)]
pub struct Floor;
impl<T: Number> Body<T, 1> for Floor {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.floor()
    }
}
unary! {
    /// `out[i] = ⌊x⌋`.
    ///
    /// Exact; NaN and ±∞ stay; ⌊−0⌋ = −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::floor(&[1.5, -1.5], &mut out)?;
    /// assert_eq!(out, [1.0, -2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.9. Contract: `contracts/floor-v1.yaml`.
    floor, floor_on, floor_in_place, Floor
}

/// `⌈x⌉`.
#[derive(Debug, Clone, Copy)]
pub struct Ceil;
impl<T: Number> Body<T, 1> for Ceil {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.ceil()
    }
}
unary! {
    /// `out[i] = ⌈x⌉`.
    ///
    /// Exact; NaN and ±∞ stay; values in (−1, 0) give −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::ceil(&[1.5, -1.5], &mut out)?;
    /// assert_eq!(out, [2.0, -1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.9. Contract: `contracts/ceil-v1.yaml`.
    ceil, ceil_on, ceil_in_place, Ceil
}

/// `x rounded towards zero`.
#[derive(Debug, Clone, Copy)]
pub struct Trunc;
impl<T: Number> Body<T, 1> for Trunc {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.trunc()
    }
}
unary! {
    /// `out[i] = x rounded towards zero`.
    ///
    /// Exact; NaN and ±∞ stay; the sign of zero is kept, also where a value rounds to zero.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::trunc(&[1.5, -1.5], &mut out)?;
    /// assert_eq!(out, [1.0, -1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.9. Contract: `contracts/trunc-v1.yaml`.
    #[doc(alias = "fix")]
    trunc, trunc_on, trunc_in_place, Trunc
}

/// `x rounded to nearest, ties away from zero`.
#[derive(Debug, Clone, Copy)]
pub struct Round;
impl<T: Number> Body<T, 1> for Round {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        // Away from zero on ties: 0.5 is added only where the fraction reaches it, so 0.49999997 stays 0.
        let t = x.trunc();
        let half = (x - t).abs().ge(x.c(0.5));
        V::select(half, t + x.c(1.0).copysign(x), t)
    }
}
unary! {
    /// `out[i] = x rounded to nearest, ties away from zero`.
    ///
    /// Exact; NaN and ±∞ stay; the sign of zero is kept, also where a value rounds to zero.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::round(&[2.5, -1.5], &mut out)?;
    /// assert_eq!(out, [3.0, -2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.9. Contract: `contracts/round-v1.yaml`.
    round, round_on, round_in_place, Round
}

/// `x rounded to nearest, ties to even`.
#[derive(Debug, Clone, Copy)]
pub struct RoundTiesEven;
impl<T: Number> Body<T, 1> for RoundTiesEven {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.round_ties_even()
    }
}
unary! {
    /// `out[i] = x rounded to nearest, ties to even`.
    ///
    /// Exact; NaN and ±∞ stay; the sign of zero is kept, also where a value rounds to zero.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::round_ties_even(&[2.5, -1.5], &mut out)?;
    /// assert_eq!(out, [2.0, -2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.9. Contract: `contracts/round_ties_even-v1.yaml`.
    #[doc(alias = "rint")]
    round_ties_even, round_ties_even_on, round_ties_even_in_place, RoundTiesEven
}

/// `x − trunc(x), with the sign of x`.
#[derive(Debug, Clone, Copy)]
pub struct Fract;
impl<T: Number> Body<T, 1> for Fract {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let t = x.trunc();
        // ∞ − ∞ would be NaN; the fraction of an infinity is zero, with its sign.
        V::select(t.eq(x), x.c(0.0), x - t).copysign(x)
    }
}
unary! {
    /// `out[i] = x − trunc(x), with the sign of x`.
    ///
    /// Exact; NaN stays; the fraction of ±∞ and of integers is zero with the sign of x.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::fract(&[1.5, -1.25], &mut out)?;
    /// assert_eq!(out, [0.5, -0.25]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: C `modf`. Contract: `contracts/fract-v1.yaml`.
    fract, fract_on, fract_in_place, Fract
}

/// `−1, 0 or 1 by the sign of x`.
#[derive(Debug, Clone, Copy)]
pub struct Sign;
impl<T: Number> Body<T, 1> for Sign {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let one = x.c(1.0).copysign(x);
        V::select(x.abs().gt(x.c(0.0)), one, x)
    }
}
unary! {
    /// `out[i] = −1, 0 or 1 by the sign of x`.
    ///
    /// NaN stays NaN, ±0 stays ±0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sign(&[1.5, -1.25], &mut out)?;
    /// assert_eq!(out, [1.0, -1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: signum function. Contract: `contracts/sign-v1.yaml`.
    #[doc(alias = "signum")]
    sign, sign_on, sign_in_place, Sign
}
