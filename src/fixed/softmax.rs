//! Fixed-point softmax to base 2, without a multiplication.

use super::Fixed;
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::parts::count;

ops! { $ softmax_ops in crate::fixed::softmax;
    /// Powers of 2 that sum to about 1, for rows whose elements are whole octaves: with the row's largest element `m`,
    /// `d[i] = x[i] − (m − D)` and `D` = 8 for Q7,
    ///
    /// `out[i] = min(⌊⌊2²⁰ / Σ 2^clamp(d[j], 0, 7)⌋ / 2^min(13 − d[i], 31)⌋, 127)`,
    ///
    /// and with `D` = 16 for Q15, over the elements of `d > 0`; the others are 0:
    ///
    /// `out[i] = min(⌊⌊2³² / Σ 2^d[j]⌋ / 2^(17 − d[i])⌋, 32767)`.
    ///
    /// Shapes and units: rows of `cols` elements; `out` is as long as `x`. An element is a whole number, a result Q7 or Q15.
    ///
    /// NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0; [`Error::Rows`] when `x` is not whole rows; [`Error::Len`] when `out` has
    /// another length. Scratch: none.
    ///
    /// ```
    /// let mut out = [0i8; 3];
    /// fulmen::fixed_softmax(&[10, 8, -100], 3, &mut out)?;
    /// assert_eq!(out, [127, 42, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: CMSIS-NN (`arm_softmax_q7` of 2020, `arm_softmax_q15`): the largest counts in the sum of Q7 as the next below it does.
    /// Contract: `contracts/fixed_softmax-v1.yaml`.
    serial fixed_softmax<T: crate::fixed::Fixed>, fixed_softmax_on, fixed_softmax_by (x: in T, cols: by usize, out: out T) -> Result<()>;
}

pub(crate) fn fixed_softmax_by<S: Simd, T: Fixed>(
    s: S,
    x: &[T],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error> {
    count("x", x.len(), cols)?;
    same_len("out", x.len(), out.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.chunks_exact(cols).zip(out.chunks_exact_mut(cols)) {
                row(x, out);
            }
        },
    );
    Ok(())
}

#[inline(always)]
fn row<T: Fixed>(x: &[T], out: &mut [T]) {
    let wide = T::FRACTION == 15;
    let base = x.iter().copied().max().map_or(0, T::wide) - T::DEPTH;
    let term = |x: &T| {
        let d = x.wide() - base;
        if wide { if d > 0 { 1u64 << d } else { 0 } } else { 1 << d.clamp(0, 7) }
    };
    // The largest is one of them, so the sum is not 0.
    let sum = x.iter().map(term).sum::<u64>().max(1);
    let (share, from) = if wide { ((1 << 32) / sum, 17) } else { ((1 << 20) / sum, 13) };
    for (x, out) in x.iter().zip(out) {
        let d = x.wide() - base;
        let y = if wide && d <= 0 { 0 } else { share >> (from - d).min(31) };
        *out = T::saturated(y as i64);
    }
}
