//! Maximum and minimum of two values, as IEEE 754-2019 defines them: NaN propagates, and -0 is below +0.

use super::binary;
use crate::alu::{Alu, Body, Number};

/// `maximum(a, b)`: NaN when either is NaN; -0 is below +0.
#[derive(Debug, Clone, Copy)]
pub struct Maximum;
impl<T: Number> Body<T, 2> for Maximum {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        // `max` yields `b` for NaN and equal values: a NaN in `a` and the zero's sign are missing.
        let tie = V::from_bits(a.to_bits() & b.to_bits());
        V::select(a.is_nan(), a, V::select(a.eq(b), tie, a.max(b)))
    }
}
binary! {
    /// `out[i]` = the larger of `a[i]` and `b[i]`.
    ///
    /// Exact. NaN where either is NaN; −0 is below +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::maximum(&[1.0, 2.0], &[3.0, -5.0], &mut out)?;
    /// assert_eq!(out, [3.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §9.6. Contract: `contracts/maximum-v1.yaml`.
    #[doc(alias = "fmax")]
    #[doc(alias = "elementwise_max")]
    maximum, maximum_on, maximum_in_place, Maximum
}

/// `minimum(a, b)`: NaN when either is NaN; -0 is below +0.
#[derive(Debug, Clone, Copy)]
pub struct Minimum;
impl<T: Number> Body<T, 2> for Minimum {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        let tie = V::from_bits(a.to_bits() | b.to_bits());
        V::select(a.is_nan(), a, V::select(a.eq(b), tie, a.min(b)))
    }
}
binary! {
    /// `out[i]` = the smaller of `a[i]` and `b[i]`.
    ///
    /// Exact. NaN where either is NaN; −0 is below +0.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::minimum(&[1.0, 2.0], &[3.0, -5.0], &mut out)?;
    /// assert_eq!(out, [1.0, -5.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §9.6. Contract: `contracts/minimum-v1.yaml`.
    #[doc(alias = "fmin")]
    #[doc(alias = "elementwise_min")]
    minimum, minimum_on, minimum_in_place, Minimum
}
