//! Comparisons, whose results are 1 and 0, and `select` by them.

use super::binary;
use crate::alu::{Alu, Body, Number};
use crate::contract::{Call, contract};
use crate::error::Error;
use crate::forms::named;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd, native};

/// 1 where `m`, else 0.
#[inline(always)]
fn truth<V: Alu>(like: V, m: V::Mask) -> V {
    V::select(m, like.c(1.0), like.c(0.0))
}

/// `1 if a < b else 0`.
#[derive(Debug, Clone, Copy)]
pub struct Less;
impl<T: Number> Body<T, 2> for Less {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        truth(a, a.lt(b))
    }
}
binary! {
    /// `out[i] = 1 if a[i] < b[i] else 0`.
    ///
    /// Exact. 0 where either is NaN; −0 is not below +0. The other way round it is "greater".
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 3];
    /// fulmen::less(&[1.0, 2.0, 3.0], &[2.0, 2.0, 2.0], &mut out)?;
    /// assert_eq!(out, [1.0, 0.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.11, compareQuietLess. Contract: `contracts/less-v1.yaml`.
    #[doc(alias = "greater")]
    less, less_on, less_in_place, Less
}

/// `1 if a <= b else 0`.
#[derive(Debug, Clone, Copy)]
pub struct LessEqual;
impl<T: Number> Body<T, 2> for LessEqual {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        truth(a, a.le(b))
    }
}
binary! {
    /// `out[i] = 1 if a[i] <= b[i] else 0`.
    ///
    /// Exact. 0 where either is NaN; −0 and +0 are equal. The other way round it is "greater or equal".
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 3];
    /// fulmen::less_equal(&[1.0, 2.0, 3.0], &[2.0, 2.0, 2.0], &mut out)?;
    /// assert_eq!(out, [1.0, 1.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.11, compareQuietLessEqual. Contract: `contracts/less_equal-v1.yaml`.
    #[doc(alias = "greater_equal")]
    less_equal, less_equal_on, less_equal_in_place, LessEqual
}

/// `1 if a = b else 0`.
#[derive(Debug, Clone, Copy)]
pub struct Equal;
impl<T: Number> Body<T, 2> for Equal {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        truth(a, a.eq(b))
    }
}
binary! {
    /// `out[i] = 1 if a[i] = b[i] else 0`.
    ///
    /// Exact. 0 where either is NaN; −0 and +0 are equal.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 3];
    /// fulmen::equal(&[1.0, 2.0, 3.0], &[2.0, 2.0, 2.0], &mut out)?;
    /// assert_eq!(out, [0.0, 1.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019 §5.11, compareQuietEqual. Contract: `contracts/equal-v1.yaml`.
    equal, equal_on, equal_in_place, Equal
}

/// `b if a = 0 else c`, the condition first: see [`select`].
#[derive(Debug, Clone, Copy)]
pub struct Select;
impl<T: Number> Body<T, 3> for Select {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [m, a, b]: [V; 3]) -> V {
        V::select(m.eq(m.c(0.0)), b, a)
    }
}

/// `out[i] = b[i] if a[i] ≠ 0 else c[i]`: what other libraries call `where`.
///
/// A choice of bits: nothing is computed on `b` and `c`, so NaN and infinities in what is not chosen do not matter. ±0 is
/// false; all else is true, NaN too. [`less`](crate::less()) and its kin make conditions.
///
/// Errors: [`Error::Len`] when `b`, `c` or `out` differs in length from `a`. Scratch: none.
///
/// ```
/// let mut out = [0.0f32; 3];
/// fulmen::select(&[1.0, 0.0, -0.0], &[1.0, 2.0, 3.0], &[f32::NAN, 5.0, 6.0], &mut out)?;
/// assert_eq!(out, [1.0, 5.0, 6.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: the definition. Contract: `contracts/select-v1.yaml`.
#[doc(alias = "where")]
#[inline]
pub fn select<T: Element>(a: &[T], b: &[T], c: &[T], out: &mut [T]) -> Result<(), Error> {
    select_on(native(), a, b, c, out)
}

/// [`select`] on the instruction set of `s`.
#[inline]
pub fn select_on<S: Simd, T: Element>(s: S, a: &[T], b: &[T], c: &[T], out: &mut [T]) -> Result<(), Error> {
    named!([Result] select at serial s, (a: in, b: in, c: in, out: out), contract!(select, super::map_by(Serial, s, Select, [a, b, c], out), &Call::new(&[a, b, c], out)))
}
