//! Softsign, `x/(1 + |x|)`.

use super::unary;
use crate::alu::{Alu, Body, Number};

/// `x / (1 + |x|)`.
#[derive(Debug, Clone, Copy)]
pub struct Softsign;
impl<T: Number> Body<T, 1> for Softsign {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        // 1 + a is a from here on, and a quotient of infinities would be no number.
        let a = x.c(1.8446744073709552e19).min(x.abs());
        (a / (a + x.c(1.0))).copysign(x)
    }
}
unary! {
    /// `out[i] = x[i] / (1 + |x[i]|)`.
    ///
    /// Within 2 ulp. NaN stays NaN; ±0 stays ±0; ±∞ gives ±1.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when the slices differ in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::softsign(&[1.0, -3.0], &mut out)?;
    /// assert_eq!(out, [0.5, -0.75]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Bergstra et al.: Quadratic Polynomials Learn Better Image Features, 2009. Contract: `contracts/softsign-v1.yaml`.
    softsign, softsign_on, softsign_in_place, Softsign
}
