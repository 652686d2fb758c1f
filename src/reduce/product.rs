//! The product of all elements of a slice.

use super::sums::two_sum;
use crate::alu::math::ln;
use crate::alu::{Alu, Number, Real};
use crate::forms::checked_ops;
use crate::lanes::executor::Executor;
use crate::lanes::fold::{Fold, to_scalar};
use crate::lanes::multipass::{Folds, Slices};
use crate::lanes::{Element, Simd};

/// The product as `m·2^(e + c)` with `m` in [√½, √2), so that no part of it overflows or underflows; `c` holds what the
/// sum `e` of exponents loses when parts are merged. 0, infinities and NaN are in `m`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product;

/// `m 2^k = p`, `|m|` in [√½, √2), for a normal `p`; `p` and 0 for any other.
#[inline(always)]
fn parts<V: Alu>(p: V) -> [V; 2] {
    let a = p.abs();
    let plain = a.ge(p.lit(V::Elem::MIN_NORMAL)) & a.lt(p.lit(V::Elem::INFINITY));
    let (k, f) = ln::reduce(a);
    let m = (f + f.c(1.0)).copysign(p);
    [V::select(plain, m, p), V::select(plain, k, p.c(0.0))]
}

impl<T: Number> Fold<T, 1, 3> for Product {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [T::ONE]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 3] {
        [like.c(1.0), like.c(0.0), like.c(0.0)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [m, e, c]: [V; 3], [x]: [V; 1]) -> [V; 3] {
        // From both ends towards 1: no product with `m` is subnormal or overflows.
        let (half, up, down) = if V::Elem::SIGNIFICAND == 23 {
            (64.0, 1.8446744073709552e19, 5.421010862427522e-20)
        } else {
            (512.0, 1.3407807929942597e154, 7.458340731200207e-155)
        };
        let small = x.abs().lt(x.c(1.0));
        let y = x * V::select(small, x.c(up), x.c(down));
        let [m, k] = parts(m * y);
        [m, e + (k + V::select(small, x.c(-half), x.c(half))), c]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [m, e, c]: [V; 3], [n, f, d]: [V; 3]) -> [V; 3] {
        let [m, k] = parts(m * n);
        let [e, lost] = two_sum(e, f);
        [m, e, (c + d) + (lost + k)]
    }
}

/// The product of a stream.
#[inline(always)]
pub(crate) fn product<T: Number, R: Folds<T, 1>>(x: &R) -> R::V {
    let [m, e, c] = x.fold(Product);
    // Beyond these the result is 0 or infinite, and both halves of the power are normal numbers.
    let most = m.c(if <R::V as Alu>::Elem::SIGNIFICAND == 23 { 250.0 } else { 2040.0 });
    m.scale2((e + c).min(most).max(-most))
}

checked_ops! { $ product_ops in crate::reduce::product;
    /// `Π x[i]`.
    ///
    /// Shapes and units: one value; the product of nothing is 1. Exponents are added up apart from the significands, so
    /// only the result overflows or underflows, not what is met on the way. Error: `γ_n |Π x|`.
    ///
    /// NaN and ±0: NaN when any element is NaN, and for 0 together with ±inf; else 0 when any element is 0.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::prod(&[1.5f32, -2.0, 4.0]), -12.0);
    /// assert_eq!(fulmen::prod(&[1e30f32, 1e30, 1e-30, 1e-30]), 1.0);
    /// assert_eq!(fulmen::prod::<f64>(&[]), 1.0);
    /// ```
    ///
    /// Source: Higham, *Accuracy and Stability of Numerical Algorithms*, lemma 3.1. Contract: `contracts/prod-v1.yaml`.
    threads prod, prod_on, prod_by (x: in T) -> T;
}

#[inline]
pub(crate) fn prod_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    to_scalar(product(&Slices(j, s, [x])))
}
