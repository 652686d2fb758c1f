//! Backward passes of activations: the derivative times the incoming gradient.

use super::binary;
use crate::alu::math::sigmoid::{gelu_slope, silu_slope};
use crate::alu::{Alu, Body, Number};

/// `dy` where `x > 0`, else 0.
#[derive(Debug, Clone, Copy)]
pub struct ReluBackward;
impl<T: Number> Body<T, 2> for ReluBackward {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, dy]: [V; 2]) -> V {
        V::select(x.gt(x.c(0.0)), dy, V::select(x.is_nan(), x, dy * x.c(0.0)))
    }
}
binary! {
    /// `out[i] = b[i] if a[i] > 0 else 0`: the gradient of [`relu`](crate::relu()) at `a`, times `b`.
    ///
    /// Exact; at 0 the slope is 0, with the sign of `b[i]`. NaN where either is NaN, and where an infinite `b[i]` meets slope 0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::relu_backward(&[1.5, -2.0], &[3.0, 4.0], &mut out)?;
    /// assert_eq!(out, [3.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative of [`relu`](crate::relu()). Contract: `contracts/relu_backward-v1.yaml`.
    relu_backward, relu_backward_on, relu_backward_in_place, ReluBackward
}

/// `α·dy if x < 0 else dy`.
#[derive(Debug, Clone, Copy)]
pub struct LeakyReluBackward<T>(pub T);
impl<T: Number> Body<T, 2> for LeakyReluBackward<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, dy]: [V; 2]) -> V {
        let y = V::select(x.lt(x.c(0.0)), dy * x.param(self.0), dy);
        V::select(x.is_nan(), x, y)
    }
}
binary! {
    /// `out[i] = alpha·b[i] if a[i] < 0 else b[i]`: the gradient of [`leaky_relu`](crate::leaky_relu()) at `a`, times `b`.
    ///
    /// One rounding; at ±0 the slope is 1. NaN where either is NaN. Any α is allowed: NaN makes the results of negative a NaN, and no
    /// other.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::leaky_relu_backward(&[1.5, -2.0], &[3.0, 4.0], 0.25, &mut out)?;
    /// assert_eq!(out, [3.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative of [`leaky_relu`](crate::leaky_relu()). Contract: `contracts/leaky_relu_backward-v1.yaml`.
    leaky_relu_backward, leaky_relu_backward_on, leaky_relu_backward_in_place, LeakyReluBackward[alpha]
}

/// `y (1 - y)·dy`.
#[derive(Debug, Clone, Copy)]
pub struct SigmoidBackward;
impl<T: Number> Body<T, 2> for SigmoidBackward {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [y, dy]: [V; 2]) -> V {
        y * (y.c(1.0) - y) * dy
    }
}
binary! {
    /// `out[i] = a[i]·(1 − a[i])·b[i]`: the gradient of [`sigmoid`](crate::sigmoid()), whose value is `a`, times `b`.
    ///
    /// Three roundings. NaN where either is NaN, and where an infinite `b[i]` meets slope 0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sigmoid_backward(&[0.5, 1.0], &[4.0, 4.0], &mut out)?;
    /// assert_eq!(out, [1.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative of [`sigmoid`](crate::sigmoid()). Contract: `contracts/sigmoid_backward-v1.yaml`.
    sigmoid_backward, sigmoid_backward_on, sigmoid_backward_in_place, SigmoidBackward
}

/// `(1 - y²)·dy`.
#[derive(Debug, Clone, Copy)]
pub struct TanhBackward;
impl<T: Number> Body<T, 2> for TanhBackward {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [y, dy]: [V; 2]) -> V {
        // As a product: near ±1 the difference of squares would cancel.
        (y.c(1.0) - y) * (y.c(1.0) + y) * dy
    }
}
binary! {
    /// `out[i] = (1 − a[i]²)·b[i]`: the gradient of [`tanh`](crate::tanh()), whose value is `a`, times `b`.
    ///
    /// Four roundings. NaN where either is NaN, and where an infinite `b[i]` meets slope 0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::tanh_backward(&[0.5, 1.0], &[4.0, 4.0], &mut out)?;
    /// assert_eq!(out, [3.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative of [`tanh`](crate::tanh()). Contract: `contracts/tanh_backward-v1.yaml`.
    tanh_backward, tanh_backward_on, tanh_backward_in_place, TanhBackward
}

/// `silu'(x)·dy`.
#[derive(Debug, Clone, Copy)]
pub struct SiluBackward;
impl<T: Number> Body<T, 2> for SiluBackward {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, dy]: [V; 2]) -> V {
        silu_slope(x) * dy
    }
}
binary! {
    /// `out[i] = σ·(1 + a[i]·(1 − σ))·b[i]`, `σ = sigmoid(a[i])`: the gradient of [`silu`](crate::silu()) at `a`, times `b`.
    ///
    /// Error of the slope a few ulp of `σ + |a[i]|σ(1 − σ)`, or of the smallest normal number. NaN where either is NaN; the slope is 1 at ∞ and 0 at −∞.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::silu_backward(&[0.0, 200.0], &[4.0, 4.0], &mut out)?;
    /// assert_eq!(out, [2.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative of [`silu`](crate::silu()). Contract: `contracts/silu_backward-v1.yaml`.
    silu_backward, silu_backward_on, silu_backward_in_place, SiluBackward
}

/// `gelu'(x)·dy`.
#[derive(Debug, Clone, Copy)]
pub struct GeluBackward;
impl<T: Number> Body<T, 2> for GeluBackward {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, dy]: [V; 2]) -> V {
        gelu_slope(x) * dy
    }
}
binary! {
    /// `out[i] = (σ + a[i]·σ·(1 − σ)·v')·b[i]`, `σ = sigmoid(v)`, `v = √(8/π)·(a[i] + 0.044715·a[i]³)`: the gradient
    /// of [`gelu`](crate::gelu()) at `a`, times `b`.
    ///
    /// Error of the slope a few ulp of the magnitudes of its two terms, or of the smallest normal number. NaN where either is NaN; the slope is 1 at
    /// ∞ and 0 at −∞.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::gelu_backward(&[0.0, 20.0], &[4.0, 4.0], &mut out)?;
    /// assert_eq!(out, [2.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative of [`gelu`](crate::gelu()). Contract: `contracts/gelu_backward-v1.yaml`.
    gelu_backward, gelu_backward_on, gelu_backward_in_place, GeluBackward
}
