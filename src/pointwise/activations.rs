//! Activation functions of neural networks.

use super::{binary, unary};
use crate::alu::{Alu, Body, Number, Real};
use crate::error::Error;

/// `0 if x < 0 else x`.
#[derive(Debug, Clone, Copy)]
pub struct Relu;
impl<T: Number> Body<T, 1> for Relu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.c(0.0).max(x)
    }
}
unary! {
    /// `out[i] = 0 if x[i] < 0 else x[i]`.
    ///
    /// Exact; NaN stays NaN, −0 stays −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::relu(&[1.5, -2.0], &mut out)?;
    /// assert_eq!(out, [1.5, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: V. Nair, G. Hinton, ICML 2010. Contract: `contracts/relu-v1.yaml`.
    relu, relu_on, relu_in_place, Relu
}

/// `α·x if x < 0 else x`.
#[derive(Debug, Clone, Copy)]
pub struct LeakyRelu<T>(pub T);
impl<T: Number> Body<T, 1> for LeakyRelu<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        V::select(x.lt(x.c(0.0)), x * x.param(self.0), x)
    }
}
unary! {
    /// `out[i] = alpha·x[i] if x[i] < 0 else x[i]`.
    ///
    /// One rounding; NaN stays NaN, −0 stays −0. Any α is allowed: NaN makes the results of negative x NaN, and no other.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::leaky_relu(&[1.5, -2.0], 0.25, &mut out)?;
    /// assert_eq!(out, [1.5, -0.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. Maas et al., ICML 2013. Contract: `contracts/leaky_relu-v1.yaml`.
    leaky_relu, leaky_relu_on, leaky_relu_in_place, LeakyRelu[alpha]
}

/// `α(e^x − 1) if x < 0 else x`.
#[derive(Debug, Clone, Copy)]
pub struct Elu<T>(pub T);
impl<T: Number> Body<T, 1> for Elu<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let zero = x.c(0.0);
        V::select(x.lt(zero), x.param(self.0) * zero.min(x).exp_m1(), x)
    }
}
unary! {
    /// `out[i] = alpha·(e^x[i] − 1) if x[i] < 0 else x[i]`.
    ///
    /// Within 2 ulp; NaN stays NaN, ±0 stays ±0, −∞ gives −α. Any α is allowed: NaN makes the results of negative x NaN, and no
    /// other.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::elu(&[1.5, -2.0], 1.0, &mut out)?;
    /// assert!(out.iter().zip([1.5, -0.864_664_7]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: D. Clevert et al., ICLR 2016. Contract: `contracts/elu-v1.yaml`.
    elu, elu_on, elu_in_place, Elu[alpha]
}

/// `x if x >= 0 else α(e^(x/α) − 1)`.
#[derive(Debug, Clone, Copy)]
pub struct Celu<T>(pub T);
impl<T: Number> Body<T, 1> for Celu<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let (zero, alpha) = (x.c(0.0), x.param(self.0));
        let t = zero.min(x) / alpha;
        // Nearer to 0 than half the spacing at 1 it is x, also where the quotient would be lost below the smallest number.
        let near = t.abs().lt(x.c(if V::Elem::SIGNIFICAND == 23 { 2.98e-8 } else { 5.5e-17 }));
        V::select(x.lt(zero), V::select(near, x, alpha * t.exp_m1()), x)
    }
    #[inline(always)]
    fn check(self) -> Result<(), Error>
    where
        T: Real,
    {
        if self.0 > T::ZERO && self.0 < T::INFINITY {
            Ok(())
        } else {
            Err(Error::must_be("alpha", "positive and finite"))
        }
    }
}
unary! {
    /// `out[i] = x[i] if x[i] >= 0 else alpha·(e^(x[i]/alpha) − 1)`.
    ///
    /// [`elu`](crate::elu()) with a slope of 1 at 0 for every α. Within 4 ulp; NaN stays NaN, ±0 stays ±0, −∞ gives −α.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length; [`Error::Domain`](crate::Error::Domain)
    /// names `alpha` unless it is positive and finite.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::celu(&[1.5, -2.0], 2.0, &mut out)?;
    /// assert!(out.iter().zip([1.5, -1.264_241_1]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Barron, arXiv:1704.07483. Contract: `contracts/celu-v1.yaml`.
    celu, celu_on, celu_in_place, Celu[alpha]
}

/// `a·b if a < 0 else a`.
#[derive(Debug, Clone, Copy)]
pub struct Prelu;
impl<T: Number> Body<T, 2> for Prelu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        V::select(a.lt(a.c(0.0)), a * b, a)
    }
}
binary! {
    /// `out[i] = a[i]·b[i] if a[i] < 0 else a[i]`: [`leaky_relu`](crate::leaky_relu()) with a slope for each element.
    ///
    /// One rounding; a NaN in `a` stays, one in `b` counts where `a` is negative; −0 stays −0. A slope for each channel:
    /// [`map_with_row`](crate::map_with_row) and [`map_with_column`](crate::map_with_column) with [`Prelu`].
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::prelu(&[1.5, -2.0], &[0.5, 0.25], &mut out)?;
    /// assert_eq!(out, [1.5, -0.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: K. He et al., ICCV 2015. Contract: `contracts/prelu-v1.yaml`.
    prelu, prelu_on, prelu_in_place, Prelu
}

/// `x if x > threshold else value`.
#[derive(Debug, Clone, Copy)]
pub struct Threshold<T>(pub T, pub T);
impl<T: Number> Body<T, 1> for Threshold<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        V::select(x.le(x.param(self.0)), x.param(self.1), x)
    }
}
unary! {
    /// `out[i] = value if x[i] <= threshold else x[i]`.
    ///
    /// Exact; NaN stays NaN. Any threshold and value are allowed: nothing is at most a threshold of NaN, so that x stays, and a value
    /// of NaN stands where x is at most the threshold.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::threshold(&[1.5, 0.5], 1.0, -7.0, &mut out)?;
    /// assert_eq!(out, [1.5, -7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/threshold-v1.yaml`.
    threshold, threshold_on, threshold_in_place, Threshold[threshold, value]
}

/// `λx if x > 0 else λα(e^x − 1)`.
#[derive(Debug, Clone, Copy)]
pub struct Selu;
impl<T: Number> Body<T, 1> for Selu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        const LAMBDA: f64 = 1.0507009873554805;
        const LAMBDA_ALPHA: f64 = 1.758_099_340_847_376_6;
        let zero = x.c(0.0);
        let left = x.c(LAMBDA_ALPHA) * zero.min(x).exp_m1();
        V::select(x.lt(zero), left, x * x.c(LAMBDA))
    }
}
unary! {
    /// `out[i] = λ·x[i] if x[i] >= 0 else λα·(e^x[i] − 1)`.
    ///
    /// λ = 1.0507009873554805, α = 1.6732632423543772. Within 2 ulp; NaN stays NaN, ±0 stays ±0, −∞ gives −λα.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::selu(&[0.0, -2.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, -1.520_166_5]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: G. Klambauer et al., NeurIPS 2017. Contract: `contracts/selu-v1.yaml`.
    selu, selu_on, selu_in_place, Selu
}

/// `1/(1 + e^−x)`.
#[derive(Debug, Clone, Copy)]
pub struct Sigmoid;
impl<T: Number> Body<T, 1> for Sigmoid {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.sigmoid()
    }
}
unary! {
    /// `out[i] = 1 / (1 + e^−x[i])`.
    ///
    /// Within 1 ulp, on the left too. NaN stays NaN; σ(±0) = ½, σ(∞) = 1, σ(−∞) = +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::sigmoid(&[0.0, 2.0], &mut out)?;
    /// assert!(out.iter().zip([0.5, 0.880_797]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: logistic function. Contract: `contracts/sigmoid-v1.yaml`.
    sigmoid, sigmoid_on, sigmoid_in_place, Sigmoid
}

/// `x/(1 + e^−x)`.
#[derive(Debug, Clone, Copy)]
pub struct Silu;
impl<T: Number> Body<T, 1> for Silu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.silu()
    }
}
unary! {
    /// `out[i] = x[i] / (1 + e^−x[i])`.
    ///
    /// Also called swish. Within 2 ulp. NaN, ±0 and ∞ stay; −∞ gives −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::silu(&[0.0, 2.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 1.761_594_2]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: S. Elfwing et al., Neural Networks 107, 2018. Contract: `contracts/silu-v1.yaml`.
    #[doc(alias = "swish")]
    silu, silu_on, silu_in_place, Silu
}

/// GELU in its tanh form.
#[derive(Debug, Clone, Copy)]
pub struct Gelu;
impl<T: Number> Body<T, 1> for Gelu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.gelu()
    }
}
unary! {
    /// `out[i] = x[i]·(1 + tanh u) / 2, u = √(2/π)·(x[i] + 0.044715·x[i]³)`.
    ///
    /// Within 2 ulp, also far on the left. NaN, ±0 and ∞ stay; −∞ gives −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::gelu(&[0.0, 2.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 1.954_597_7]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: D. Hendrycks, K. Gimpel, arXiv:1606.08415. Contract: `contracts/gelu-v1.yaml`.
    gelu, gelu_on, gelu_in_place, Gelu
}

/// `x·min(max(x + 3, 0), 6)/6`.
#[derive(Debug, Clone, Copy)]
pub struct Hardswish;
impl<T: Number> Body<T, 1> for Hardswish {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let ramp = x.c(6.0).min(x.c(0.0).max(x + x.c(3.0)));
        // Two branches, so that ±∞ meet no 0.
        let right = x.ge(x.c(3.0));
        let left = x.le(x.c(-3.0));
        let middle = x * ramp / x.c(6.0);
        V::select(right, x, V::select(left, x.c(-0.0), middle))
    }
}
unary! {
    /// `out[i] = x[i]·min(max(x[i] + 3, 0), 6)/6`.
    ///
    /// Within 2 ulp. NaN, ±0 and ∞ stay; from −3 down the result is −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::hardswish(&[0.0, 3.0], &mut out)?;
    /// assert_eq!(out, [0.0, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. Howard et al., ICCV 2019. Contract: `contracts/hardswish-v1.yaml`.
    hardswish, hardswish_on, hardswish_in_place, Hardswish
}

/// `x·tanh(ln(1 + e^x))`.
#[derive(Debug, Clone, Copy)]
pub struct Mish;
impl<T: Number> Body<T, 1> for Mish {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.mish()
    }
}
unary! {
    /// `out[i] = x[i]·tanh(ln(1 + e^x[i]))`.
    ///
    /// Within 2 ulp. NaN, ±0 and ∞ stay; −∞ gives −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::mish(&[0.0, 2.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 1.943_959]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: D. Misra, BMVC 2020. Contract: `contracts/mish-v1.yaml`.
    mish, mish_on, mish_in_place, Mish
}

/// GELU in its exact form.
#[derive(Debug, Clone, Copy)]
pub struct GeluErf;
impl<T: Number> Body<T, 1> for GeluErf {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.gelu_erf()
    }
}
unary! {
    /// `out[i] = x[i]·(1 + erf(x[i]/√2)) / 2`.
    ///
    /// What most frameworks call GELU; [`gelu`](crate::gelu()) is its tanh form, which differs by up to 5e-4. Within
    /// 4 ulp, also far on the left. NaN, ±0 and ∞ stay; −∞ gives −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::gelu_erf(&[0.0, 2.0], &mut out)?;
    /// assert!(out.iter().zip([0.0, 1.954_499_7]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: D. Hendrycks, K. Gimpel, arXiv:1606.08415. Contract: `contracts/gelu_erf-v1.yaml`.
    gelu_erf, gelu_erf_on, gelu_erf_in_place, GeluErf
}

/// `ln(1 + e^x)`.
#[derive(Debug, Clone, Copy)]
pub struct Softplus;
impl<T: Number> Body<T, 1> for Softplus {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        // With e^-|x| nothing overflows, and both tails keep their precision.
        x.c(0.0).max(x) + (-x.abs()).exp().ln_1p()
    }
}
unary! {
    /// `out[i] = ln(1 + e^x[i])`.
    ///
    /// Within 3 ulp, also far on the left; for large x it is x, so nothing overflows. NaN and ∞ stay; −∞ gives +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::softplus(&[0.0, 100.0], &mut out)?;
    /// assert!(out.iter().zip([0.693_147_2, 100.0]).all(|(o, w)| (o - w).abs() < 1e-6));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: C. Dugas et al., NIPS 2000. Contract: `contracts/softplus-v1.yaml`.
    softplus, softplus_on, softplus_in_place, Softplus
}

/// `min(max(x + 3, 0), 6)/6`.
#[derive(Debug, Clone, Copy)]
pub struct HardSigmoid;
impl<T: Number> Body<T, 1> for HardSigmoid {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.c(6.0).min(x.c(0.0).max(x + x.c(3.0))) / x.c(6.0)
    }
}
unary! {
    /// `out[i] = min(max(x[i] + 3, 0), 6)/6`.
    ///
    /// Within 1 ulp; 0 from −3 down and 1 from 3 up. NaN stays NaN.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 3];
    /// fulmen::hard_sigmoid(&[-4.0, 0.0, 5.0], &mut out)?;
    /// assert_eq!(out, [0.0, 0.5, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. Howard et al., ICCV 2019. Contract: `contracts/hard_sigmoid-v1.yaml`.
    hard_sigmoid, hard_sigmoid_on, hard_sigmoid_in_place, HardSigmoid
}

/// `1/(1 + e^−x)`, cheaper and coarser.
#[derive(Debug, Clone, Copy)]
pub struct ApproxSigmoid;
impl<T: Number> Body<T, 1> for ApproxSigmoid {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.approx_sigmoid()
    }
}
unary! {
    /// `out[i] = 1 / (1 + e^−x[i])`.
    ///
    /// Within a relative 2⁻¹² where the result is above 1.3e-35 (`f64`: 2.4e-305), below that within that share of it; 0
    /// where e^−x overflows. NaN stays NaN.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::approx_sigmoid(&[0.0, 2.0], &mut out)?;
    /// assert!((out[1] - 0.880_797).abs() < 1e-3);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: logistic function. Contract: `contracts/approx_sigmoid-v1.yaml`.
    approx_sigmoid, approx_sigmoid_on, approx_sigmoid_in_place, ApproxSigmoid
}

/// GELU in its tanh form, cheaper and coarser.
#[derive(Debug, Clone, Copy)]
pub struct ApproxGelu;
impl<T: Number> Body<T, 1> for ApproxGelu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.approx_gelu()
    }
}
unary! {
    /// `out[i] = x[i]·(1 + tanh u) / 2, u = √(2/π)·(x[i] + 0.044715·x[i]³)`.
    ///
    /// Within a relative 2⁻¹¹ where the magnitude of the result is above 7e-35 (`f64`: 2.8e-304), below that within
    /// that share of it. NaN and ∞ stay; −∞ gives −0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `out` and `x` differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::approx_gelu(&[0.0, 2.0], &mut out)?;
    /// assert!((out[1] - 1.954_597_7).abs() < 2e-3);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: D. Hendrycks, K. Gimpel, arXiv:1606.08415. Contract: `contracts/approx_gelu-v1.yaml`.
    approx_gelu, approx_gelu_on, approx_gelu_in_place, ApproxGelu
}
