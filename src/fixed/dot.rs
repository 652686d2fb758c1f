//! The fixed-point dot product and matrix-vector product.

use super::Fixed;
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Serial;
use crate::parts::{Count, Write, each_row};

ops! { $ dot_ops in crate::fixed::dot;
    /// `Σ a[i]·b[i]`, exact, then saturated: in 18.14 of 32 bits for Q7, in 34.30 of 64 bits for Q15.
    ///
    /// Shapes and units: `b` is as long as `a`; the sum of nothing is 0.
    ///
    /// NaN and ±0: there are none. Q7 saturates when the sum passes 2³¹, which takes 131 072 products of the largest; Q15 cannot.
    ///
    /// Errors: [`Error::Len`] when `b` has another length. Scratch: none.
    ///
    /// ```
    /// // 0.5·0.5 − 0.25·1 in 18.14.
    /// assert_eq!(fulmen::fixed_dot(&[64i8, -32], &[64, 127])?, 64 * 64 - 32 * 127);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: CMSIS-DSP (`arm_dot_prod_q7`, `arm_dot_prod_q15`), which wraps where this saturates. Contract: `contracts/fixed_dot-v1.yaml`.
    serial fixed_dot<T: crate::fixed::Fixed>, fixed_dot_on, fixed_dot_by (a: in T, b: in T) -> Result<T::Sum>;

    /// `out[r] = saturate(⌊(bias[r]·2^bias_shift + Σ weights[r][i]·x[i])·2^−out_shift + 1/2⌋)`: a fully connected layer, rounded to
    /// the nearest, ties up. A sum of products of Q`a` and Q`b` is Q`a+b`, so `out_shift` is that less what the result has
    /// behind the point.
    ///
    /// Shapes and units: `weights` has a row for each of `out`, as long as `x`; `bias` as many elements as `out`, or none.
    ///
    /// NaN and ±0: there are none; the sum is exact, whatever saturates does so at the end.
    ///
    /// Errors: [`Error::Len`] when `weights` or `bias` has another length; [`Error::Domain`] names `bias_shift` or `out_shift`
    /// when it is above 31. Scratch: none.
    ///
    /// ```
    /// // Rows of Q7 times Q7 is Q14; the result is Q7 again.
    /// let (weights, x, bias) = ([64i8, 64, -128, 0], [100, 27], [1, -1]);
    /// let mut out = [0; 2];
    /// fulmen::fixed_gemv(&weights, &x, Some(&bias), 7, 7, &mut out)?;
    /// // 0.5·(100 + 27) + 1 = 64.5 rounds up, and −100 − 1 is one below.
    /// assert_eq!(out, [65, -101]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/fixed_point.rs`.
    ///
    /// Source: CMSIS-NN (`arm_fully_connected_q7`, `arm_fully_connected_q15`), rounding, without its sum of 32 bits that
    /// may wrap. Contract: `contracts/fixed_gemv-v1.yaml`.
    serial fixed_gemv<T: crate::fixed::Fixed>, fixed_gemv_on, fixed_gemv_by
        (weights: in T, x: in T, bias: opt_in T, bias_shift: by u32, out_shift: by u32, out: out T) -> Result<()>;
}

#[inline]
pub(crate) fn fixed_dot_by<S: Simd, T: Fixed>(s: S, a: &[T], b: &[T]) -> Result<T::Sum, Error> {
    same_len("b", a.len(), b.len())?;
    Ok(T::sum(s.vectorize(
        #[inline(always)]
        || T::products(s, a, b),
    )))
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn fixed_gemv_by<S: Simd, T: Fixed>(
    s: S,
    weights: &[T],
    x: &[T],
    bias: Option<&[T]>,
    bias_shift: u32,
    out_shift: u32,
    out: &mut [T],
) -> Result<(), Error> {
    let cols = x.len();
    same_len("weights", cols.saturating_mul(out.len()), weights.len())?;
    if let Some(bias) = bias {
        same_len("bias", out.len(), bias.len())?;
    }
    for (arg, shift) in [("bias_shift", bias_shift), ("out_shift", out_shift)] {
        if shift > 31 {
            return Err(Error::must_be(arg, "at most 31"));
        }
    }
    let half = (1i64 << out_shift) >> 1;
    let count = Count(0..out.len());
    each_row(
        Serial,
        s,
        cols,
        (Write(out, 1), count),
        #[inline(always)]
        |(out, at): (Write<'_, T>, Count)| {
            let ([out], r) = (out.0, at.0.start) else { return };
            let row = weights.get(r * cols..).and_then(|w| w.get(..cols)).unwrap_or_default();
            let bias = bias.and_then(|b| b.get(r)).map_or(0, |b| i64::from(b.wide()) << bias_shift);
            *out = T::saturated((bias + T::products(s, row, x) + half) >> out_shift);
        },
    );
    Ok(())
}
