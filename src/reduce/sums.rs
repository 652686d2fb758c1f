//! Sums (pairwise, Kahan, of squares) and the dot product.

use super::run;
use crate::alu::{Alu, Number, Real};
use crate::error::{Error, same_len};
use crate::forms::checked_ops;
use crate::lanes::executor::Executor;
use crate::lanes::fold::{Fold, to_scalar};
use crate::lanes::multipass::{Folds, Slices};
use crate::lanes::{Element, Simd};

/// A fold whose parts are merged by addition and whose masked-off lanes read zero.
macro_rules! additive {
    ($F:ident, $n:literal, |$acc:ident, $x:pat_param| $step:expr) => {
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $F;
        impl<T: Number> Fold<T, $n, 1> for $F {
            #[inline(always)]
            fn fill(self) -> [T; $n]
            where
                T: Real,
            {
                [T::ZERO; $n]
            }
            #[inline(always)]
            fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 1] {
                [like.c(0.0)]
            }
            #[inline(always)]
            fn step<V: Alu<Elem = T>>(self, [$acc]: [V; 1], $x: [V; $n]) -> [V; 1] {
                [$step]
            }
            #[inline(always)]
            fn merge<V: Alu<Elem = T>>(self, [a]: [V; 1], [b]: [V; 1]) -> [V; 1] {
                [a + b]
            }
        }
    };
}
additive!(Sum, 1, |acc, [x]| acc + x);
additive!(SumAbs, 1, |acc, [x]| acc + x.abs());
additive!(SumSquares, 1, |acc, [x]| x.mul_add(x, acc));
additive!(Dot, 2, |acc, [a, b]| a.mul_add(b, acc));

/// The sum, and the sum of the rounding errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compensated;

/// `a + b` and its rounding error (Knuth's TwoSum, no assumption on magnitudes).
#[inline(always)]
pub(super) fn two_sum<V: Alu>(a: V, b: V) -> [V; 2] {
    let s = a + b;
    let t = s - a;
    [s, (a - (s - t)) + (b - t)]
}

impl<T: Number> Fold<T, 1, 2> for Compensated {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [T::ZERO]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [s, e]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        let [s, d] = two_sum(s, x);
        [s, e + d]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [s, e]: [V; 2], [t, f]: [V; 2]) -> [V; 2] {
        let [s, d] = two_sum(s, t);
        [s, (e + f) + d]
    }
}

/// The sum with its rounding errors. Past an infinity these mean nothing.
#[inline(always)]
pub(crate) fn compensated<T: Number, R: Folds<T, 1>>(x: &R) -> R::V {
    let [sum, error] = x.fold(Compensated);
    let zero = sum.c(0.0);
    R::V::select((error * zero).eq(zero), sum + error, sum)
}

checked_ops! { $ sums_ops in crate::reduce::sums;
    /// `Σ x[i]`.
    ///
    /// Shapes and units: one value in the unit of `x`; nothing sums to +0, and so does -0.
    /// Error: `|result - Σ x| ≤ γ_d Σ |x|` for `d` additions on the longest path: at most 1024 along an
    /// accumulator, then the logarithm of the length.
    ///
    /// NaN and ±0: NaN when any element is NaN or infinities of both signs occur; ±inf when the sum
    /// overflows.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::sum(&[1.0f32, 2.0, 3.5]), 6.5);
    /// assert_eq!(fulmen::sum::<f64>(&[]), 0.0);
    /// ```
    ///
    /// Source: Higham, *Accuracy and Stability of Numerical Algorithms*, §4.2 (pairwise summation).
    /// Contract: `contracts/sum-v1.yaml`.
    threads sum, sum_on, sum_by (x: in T) -> T;

    /// `Σ x[i]`, each rounding error carried along in a second sum.
    ///
    /// Shapes and units: one value in the unit of `x`; nothing sums to +0. Error: `u |Σ x|` from
    /// the last rounding and a term of order `n u² Σ |x|`: as if summed in twice the precision.
    ///
    /// NaN and ±0: as [`sum`](crate::sum()).
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::sum_kahan(&[1.0f32, 1e8, 1.0, -1e8]), 2.0);
    /// ```
    ///
    /// Source: Kahan (1965), in the form of Neumaier (1974) with Knuth's TwoSum; Ogita, Rump, Oishi,
    /// *Accurate Sum and Dot Product* (2005), algorithm 4.4. Contract: `contracts/sum_kahan-v1.yaml`.
    threads sum_kahan, sum_kahan_on, sum_kahan_by (x: in T) -> T;

    /// `Σ x[i]²`.
    ///
    /// Shapes and units: one value in the square of `x`'s unit; nothing sums to +0. The squares may
    /// overflow or underflow; [`norm_l2`](crate::norm_l2()) does not.
    ///
    /// NaN and ±0: NaN when any element is NaN, +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::sum_of_squares(&[3.0f32, 4.0]), 25.0);
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/sum_of_squares-v1.yaml`.
    threads sum_of_squares, sum_of_squares_on, sum_of_squares_by (x: in T) -> T;

    /// `Σ a[i] b[i]`.
    ///
    /// Shapes and units: `a` and `b` of one length; one value in the product of their units. Error:
    /// `|result - a·b| ≤ γ_d Σ |a b|` with `d` as in [`sum`](crate::sum()); the products round only
    /// where the lanes have no fused multiply-add.
    ///
    /// NaN and ±0: NaN when an element is NaN, for 0·inf, and for products of both infinite signs.
    ///
    /// Errors: [`Error::Len`] when `b` differs in length from `a`. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::dot(&[1.0f32, 2.0], &[3.0, 4.0])?, 11.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Higham, §3.1. Contract: `contracts/dot-v1.yaml`.
    #[doc(alias = "inner")]
    #[doc(alias = "vdot")]
    threads dot, dot_on, dot_by (a: in T, b: in T) -> Result<T>;
}

#[inline]
pub(crate) fn sum_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    let [sum] = run(j, s, Sum, [x]);
    sum
}

#[inline]
pub(crate) fn sum_kahan_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    to_scalar(compensated(&Slices(j, s, [x])))
}

#[inline]
pub(crate) fn sum_of_squares_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    let [sum] = run(j, s, SumSquares, [x]);
    sum
}

#[inline]
pub(crate) fn dot_by<J: Executor, S: Simd, T: Element>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error> {
    same_len("b", a.len(), b.len())?;
    let [dot] = run(j, s, Dot, [a, b]);
    Ok(dot)
}
