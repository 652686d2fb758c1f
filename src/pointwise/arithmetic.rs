//! Arithmetic (`add`, `mul`, `sqrt`, `clamp`, `axpy`, `fma`, …), of which each operation rounds once.

use super::{binary, unary};
use crate::alu::{Alu, Body, Number, Real};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::named;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd, drive, native};

/// `a + b`.
#[derive(Debug, Clone, Copy)]
pub struct Add;
impl<T: Number> Body<T, 2> for Add {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        a + b
    }
}
binary! {
    /// `out[i] = a[i] + b[i]`.
    ///
    /// NaN where either is NaN or infinities of opposite sign meet; −0 + −0 is −0, else zeros sum to +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::add(&[1.0, 2.0], &[3.0, -5.0], &mut out)?;
    /// assert_eq!(out, [4.0, -3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/add-v1.yaml`.
    add, add_on, add_in_place, Add
}

/// `a - b`.
#[derive(Debug, Clone, Copy)]
pub struct Sub;
impl<T: Number> Body<T, 2> for Sub {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        a - b
    }
}
binary! {
    /// `out[i] = a[i] - b[i]`.
    ///
    /// NaN where either is NaN or infinities of one sign meet; x − x is +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sub(&[1.0, 2.0], &[3.0, -5.0], &mut out)?;
    /// assert_eq!(out, [-2.0, 7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/sub-v1.yaml`.
    sub, sub_on, sub_in_place, Sub
}

/// `a * b`.
#[derive(Debug, Clone, Copy)]
pub struct Mul;
impl<T: Number> Body<T, 2> for Mul {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        a * b
    }
}
binary! {
    /// `out[i] = a[i] * b[i]`.
    ///
    /// NaN where either is NaN or 0 meets ∞; the sign of zero is the product of the signs.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::mul(&[1.0, 2.0], &[3.0, -5.0], &mut out)?;
    /// assert_eq!(out, [3.0, -10.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/mul-v1.yaml`.
    mul, mul_on, mul_in_place, Mul
}

/// `a / b`.
#[derive(Debug, Clone, Copy)]
pub struct Div;
impl<T: Number> Body<T, 2> for Div {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        a / b
    }
}
binary! {
    /// `out[i] = a[i] / b[i]`.
    ///
    /// NaN where either is NaN, 0/0 or ∞/∞; x/±0 is ±∞ by the product of the signs: no error.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::div(&[1.0, 2.0], &[4.0, -5.0], &mut out)?;
    /// assert_eq!(out, [0.25, -0.4]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/div-v1.yaml`.
    div, div_on, div_in_place, Div
}

/// `|a| with the sign bit of b`.
#[derive(Debug, Clone, Copy)]
pub struct Copysign;
impl<T: Number> Body<T, 2> for Copysign {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        a.copysign(b)
    }
}
binary! {
    /// `out[i] = |a| with the sign bit of b`.
    ///
    /// Exact on every bit pattern; NaN keeps its payload and takes the sign of `b`.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::copysign(&[1.0, 2.0], &[3.0, -0.0], &mut out)?;
    /// assert_eq!(out, [1.0, -2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.5.1. Contract: `contracts/copysign-v1.yaml`.
    copysign, copysign_on, copysign_in_place, Copysign
}

/// `alpha·x`.
#[derive(Debug, Clone, Copy)]
pub struct Scale<T>(pub T);
impl<T: Number> Body<T, 1> for Scale<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x * x.param(self.0)
    }
}
unary! {
    /// `out[i] = alpha·x[i]`.
    ///
    /// As [`mul`]: α = 0 gives NaN at NaN and ±∞, never a silent zero.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::scale(&[1.0, -2.0], 3.0, &mut out)?;
    /// assert_eq!(out, [3.0, -6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/scale-v1.yaml`.
    scale, scale_on, scale_in_place, Scale[alpha]
}

/// `min(max(x, lo), hi)`, NaN stays NaN.
#[derive(Debug, Clone, Copy)]
pub struct Clamp<T>(pub T, pub T);
impl<T: Number> Body<T, 1> for Clamp<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let x = x.param(self.0).max(x);
        x.param(self.1).min(x)
    }
    #[inline(always)]
    fn check(self) -> Result<(), Error>
    where
        T: Real,
    {
        if self.0 <= self.1 { Ok(()) } else { Err(Error::must_be("lo", "at most `hi`")) }
    }
}
unary! {
    /// `out[i] = lo if x[i] < lo, hi if x[i] > hi, else x[i]`.
    ///
    /// NaN stays NaN; −0 is not below a `lo` of +0 and stays −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length. [`Error::Domain`](crate::Error::Domain) names `lo`
    /// unless `lo <= hi` (so a NaN bound is refused).
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::clamp(&[1.5, -2.0], -1.0, 1.0, &mut out)?;
    /// assert_eq!(out, [1.0, -1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: `std::clamp` of C++17. Contract: `contracts/clamp-v1.yaml`.
    #[doc(alias = "clip")]
    clamp, clamp_on, clamp_in_place, Clamp[lo, hi]
}

/// `a + t·(b − a)` in the form that is exact at both ends.
#[derive(Debug, Clone, Copy)]
pub struct Lerp<T>(pub T);
impl<T: Number> Body<T, 2> for Lerp<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        let t = a.param(self.0);
        // (1 − t)·a + t·b: exact for t = 0 and t = 1, and it cannot overflow where a and b do not.
        ((a.c(1.0) - t) * a) + t * b
    }
}
binary! {
    /// `out[i] = (1 − t)·a[i] + t·b[i]`: exactly `a` at t = 0 and `b` at t = 1 for finite inputs.
    ///
    /// NaN where any operand is NaN; t is not limited to [0, 1].
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::lerp(&[1.0, 2.0], &[3.0, 6.0], 0.5, &mut out)?;
    /// assert_eq!(out, [2.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: linear interpolation. Contract: `contracts/lerp-v1.yaml`.
    #[doc(alias = "mix")]
    lerp, lerp_on, lerp_in_place, Lerp[t]
}

/// `alpha·x + y`.
#[derive(Debug, Clone, Copy)]
pub struct Axpy<T>(pub T);
impl<T: Number> Body<T, 2> for Axpy<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [y, x]: [V; 2]) -> V {
        x.mul_add(x.param(self.0), y)
    }
}

/// `out[i] = alpha·x[i] + y[i]`, over `y`: one rounding where the lane has FMA, else two.
///
/// NaN where any operand is NaN, 0·∞ or ∞ − ∞.
///
/// Errors: [`Error::Len`] when `y` differs in length from `x`.
/// Scratch: none.
///
/// ```
/// let mut y = [1.0f32, 1.0];
/// fulmen::axpy(2.0, &[3.0, -4.0], &mut y)?;
/// assert_eq!(y, [7.0, -7.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: BLAS level 1. Contract: `contracts/axpy-v1.yaml`.
#[inline]
pub fn axpy<T: Element>(alpha: T, x: &[T], y: &mut [T]) -> Result<(), Error> {
    axpy_on(native(), alpha, x, y)
}

/// [`axpy`] on the instruction set of `s`.
#[inline]
pub fn axpy_on<S: Simd, T: Element>(s: S, alpha: T, x: &[T], y: &mut [T]) -> Result<(), Error> {
    named!([Result] axpy at serial s, (x: in, y: inout), axpy_by(Serial, s, alpha, x, y))
}

/// [`axpy_on`], the parts run by `j`.
#[inline]
pub(crate) fn axpy_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    x: &[T],
    y: &mut [T],
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    s.vectorize(
        #[inline(always)]
        || drive::zip_in_place(j, s, Axpy(alpha), y, x),
    );
    contract!(axpy, Ok(()), &Call::new(&[x], y).params(&[alpha]))
}

/// `a·b + c`.
#[derive(Debug, Clone, Copy)]
pub struct Fma;
impl<T: Number> Body<T, 3> for Fma {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b, c]: [V; 3]) -> V {
        a.mul_add(b, c)
    }
}

/// `out[i] = a[i]·b[i] + c[i]`: one rounding where the lane has FMA
/// ([`Simd::FUSED`]), else two.
///
/// NaN where any operand is NaN, 0·∞ or ∞ − ∞.
///
/// Errors: [`Error::Len`] when `b`, `c` or `out` differs in length from `a`.
/// Scratch: none.
///
/// ```
/// let mut out = [0.0f32; 2];
/// fulmen::fma(&[1.0, 2.0], &[3.0, 4.0], &[0.5, -8.0], &mut out)?;
/// assert_eq!(out, [3.5, 0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/fma-v1.yaml`.
#[doc(alias = "mul_add")]
#[doc(alias = "fused_multiply_add")]
#[inline]
pub fn fma<T: Element>(a: &[T], b: &[T], c: &[T], out: &mut [T]) -> Result<(), Error> {
    fma_on(native(), a, b, c, out)
}

/// [`fma`] on the instruction set of `s`.
#[inline]
pub fn fma_on<S: Simd, T: Element>(s: S, a: &[T], b: &[T], c: &[T], out: &mut [T]) -> Result<(), Error> {
    named!([Result] fma at serial s, (a: in, b: in, c: in, out: out), contract!(fma, super::map_by(Serial, s, Fma, [a, b, c], out), &Call::new(&[a, b, c], out)))
}

/// `−x`.
#[derive(Debug, Clone, Copy)]
pub struct Neg;
impl<T: Number> Body<T, 1> for Neg {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        -x
    }
}
unary! {
    /// `out[i] = −x`.
    ///
    /// Flips the sign bit of every pattern, NaN and zero too.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::neg(&[1.0, -2.0], &mut out)?;
    /// assert_eq!(out, [-1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.5.1. Contract: `contracts/neg-v1.yaml`.
    neg, neg_on, neg_in_place, Neg
}

/// `|x|`.
#[derive(Debug, Clone, Copy)]
pub struct Abs;
impl<T: Number> Body<T, 1> for Abs {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.abs()
    }
}
unary! {
    /// `out[i] = |x|`.
    ///
    /// Clears the sign bit of every pattern, NaN too; |−0| = +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::abs(&[1.0, -2.0], &mut out)?;
    /// assert_eq!(out, [1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.5.1. Contract: `contracts/abs-v1.yaml`.
    abs, abs_on, abs_in_place, Abs
}

/// `1/x`.
#[derive(Debug, Clone, Copy)]
pub struct Recip;
impl<T: Number> Body<T, 1> for Recip {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.c(1.0) / x
    }
}
unary! {
    /// `out[i] = 1/x`.
    ///
    /// Correctly rounded; 1/±0 is ±∞, 1/±∞ is ±0: no error.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::recip(&[4.0, -2.0], &mut out)?;
    /// assert_eq!(out, [0.25, -0.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/recip-v1.yaml`.
    #[doc(alias = "reciprocal")]
    recip, recip_on, recip_in_place, Recip
}

/// `√x`.
#[derive(Debug, Clone, Copy)]
pub struct Sqrt;
impl<T: Number> Body<T, 1> for Sqrt {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.sqrt()
    }
}
unary! {
    /// `out[i] = √x`.
    ///
    /// Correctly rounded; NaN below zero, √−0 = −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sqrt(&[4.0, 9.0], &mut out)?;
    /// assert_eq!(out, [2.0, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/sqrt-v1.yaml`.
    sqrt, sqrt_on, sqrt_in_place, Sqrt
}

/// `x²`.
#[derive(Debug, Clone, Copy)]
pub struct Square;
impl<T: Number> Body<T, 1> for Square {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x * x
    }
}
unary! {
    /// `out[i] = x²`.
    ///
    /// Correctly rounded; NaN stays NaN, ±∞ gives ∞.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::square(&[3.0, -2.0], &mut out)?;
    /// assert_eq!(out, [9.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.4.1. Contract: `contracts/square-v1.yaml`.
    square, square_on, square_in_place, Square
}
