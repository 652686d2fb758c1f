//! The logarithm of the sum of exponentials of a slice, computed relative to its maximum.

use super::softmax::{PeakAndSum, shift};
use crate::alu::{Alu, Number};
use crate::forms::checked_ops;
use crate::lanes::executor::Executor;
use crate::lanes::fold::to_scalar;
use crate::lanes::multipass::{Slices, Streams};
use crate::lanes::{Element, Simd};
use crate::pointwise::Maximum;
use crate::reduce::Exact;

/// `ln Σ e^x` of a stream.
#[inline(always)]
pub(crate) fn log_sum_exp<T: Number, R: Streams<T, 1>>(x: &R) -> R::V {
    let [peak, sum] = x.summary(PeakAndSum);
    let infinity = peak.lit(<R::V as Alu>::Elem::INFINITY);
    let infinite = peak.eq(infinity);
    // Infinity less infinity says nothing: it is the largest element, unless there is NaN.
    let [top] = x.fold_where(infinite, Exact(Maximum, x.number(-infinity)), [peak]);
    R::V::select(infinite, top, shift(peak) + sum.ln())
}

checked_ops! { $ log_sum_exp_ops in crate::nn::log_sum_exp;
    /// `ln Σ e^x[i]`, found as `m + ln Σ e^(x[i] − m)`, `m` the largest element.
    ///
    /// Shapes and units: one value; of nothing it is -inf, the logarithm of 0. Error: `γ_d (|m| + ln n + 1)`, `d` as in
    /// [`sum`](crate::sum()). Exponentials below the smallest normal number count as 0. The gradient is
    /// [`softmax`](crate::softmax()).
    ///
    /// NaN and ±0: NaN when any element is NaN; else +inf when any is; elements of -inf do not count.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert!((fulmen::logsumexp(&[1000.0f64, 1000.0]) - 1000.693147180559945).abs() < 1e-12);
    /// assert_eq!(fulmen::logsumexp::<f32>(&[]), f32::NEG_INFINITY);
    /// ```
    ///
    /// Source: Blanchard, Higham, Higham, *Accurately computing the log-sum-exp and softmax functions* (2021).
    /// Contract: `contracts/logsumexp-v1.yaml`.
    #[doc(alias = "log_sum_exp")]
    threads logsumexp, logsumexp_on, logsumexp_by (x: in T) -> T;
}

#[inline]
pub(crate) fn logsumexp_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    to_scalar(log_sum_exp(&Slices(j, s, [x])))
}
