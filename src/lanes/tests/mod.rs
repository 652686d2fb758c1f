//! Tests every instruction set that this machine has against a scalar model, bit for bit (NaN as NaN).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::std_instead_of_core,
    reason = "tests"
)]

#[cfg(target_os = "linux")]
mod guard;
mod memory;
#[path = "../../../tests/common/lanes.rs"]
mod present;
mod primitives;
mod taps;

use super::fold::Fold;
use super::vector::Vector;
use super::{Element, Simd};
use crate::alu::{Alu, Body, Number, Real};
use std::vec::Vec;

/// The scalar truth for one element type.
trait Scalar: Element {
    const SPECIAL: &'static [Self];
    const TABLE: &'static [Self];
    const TABLE_OF_32: &'static [Self; 32];
    fn bits(self) -> u64;
    fn of_bits(b: u64) -> Self;
    /// Rounds once.
    fn fma(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;
    /// Ties to even, towards zero, down, up.
    fn rounded(self) -> [Self; 4];
    fn with_sign(self, s: Self) -> Self;
    fn check_shifts<V: Vector<Elem = Self>>(s: V::Token, x: &[Self]);

    const WIDTH: u32 = 8 * size_of::<Self>() as u32;
    const SIGN: u64 = 1 << (Self::WIDTH - 1);
    /// The bits that exist.
    const MASK: u64 = u64::MAX >> (64 - Self::WIDTH);
}

macro_rules! scalar {
    ($f:ident, $u:ident, [$($shl:literal)*], [$($shr:literal)*], [$($special:expr),*]) => {
        impl Scalar for $f {
            const SPECIAL: &'static [$f] = &[
                0.0, 1.0, 0.5, 1.5, 2.5, 0.3, 2.0, 3.0, 7.0, 1e4, $f::INFINITY, $f::NAN, $f::MIN_POSITIVE,
                $f::MIN_POSITIVE / 2.0, $f::from_bits(1), $f::MAX, $f::EPSILON, 1.0 + $f::EPSILON,
                1.0 - $f::EPSILON / 2.0, 0.5 - $f::EPSILON / 4.0, $($special),*
            ];
            const TABLE: &'static [$f] = &[10.0, 11.0, 12.0, 13.0, 14.0];
            const TABLE_OF_32: &'static [$f; 32] = &{
                let mut table = [0.0; 32];
                let mut i = 0;
                while i < 32 {
                    table[i] = 0.5 + i as $f;
                    i += 1;
                }
                table
            };
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn of_bits(b: u64) -> Self {
                $f::from_bits(b as $u)
            }
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            fn root(self) -> Self {
                self.sqrt()
            }
            fn rounded(self) -> [Self; 4] {
                [self.round_ties_even(), self.trunc(), self.floor(), self.ceil()]
            }
            fn with_sign(self, s: Self) -> Self {
                self.copysign(s)
            }
            fn check_shifts<V: Vector<Elem = Self>>(s: V::Token, x: &[Self]) {
                use crate::alu::Bits;
                use primitives::unary;
                $(unary::<V>("shl", s, x, |v| V::from_bits(v.to_bits().shl::<$shl>()),
                    |a| Self::from_bits(a.to_bits() << $shl));)*
                $(unary::<V>("shr", s, x, |v| V::from_bits(v.to_bits().shr::<$shr>()),
                    |a| Self::from_bits(a.to_bits() >> $shr));)*
            }
        }
    };
}
scalar!(f32, u32, [0 1 16 23 31], [1 9 23 31],
    [8388607.0, 8388608.0, 8388609.0, 4194303.5, 4194304.5, 0.49999997, 2147483648.0, 1.7014118e38, 1e-40]);
scalar!(f64, u64, [0 1 31 32 52 63], [1 31 32 52 63],
    [4503599627370495.0, 4503599627370496.0, 4503599627370497.0, 2251799813685247.5, 0.49999999999999994,
     8388607.5, 2147483648.5, 9.3e18, 8.98e307, 1e-310]);

/// Equal bits, or both NaN.
fn same<T: Scalar>(a: T, b: T) -> bool {
    a.bits() == b.bits() || (a.to_f64().is_nan() && b.to_f64().is_nan())
}

/// Special values of both signs, then arbitrary bit patterns.
fn values<T: Scalar>(random: usize) -> Vec<T> {
    let mut x: Vec<T> = T::SPECIAL.iter().flat_map(|&v| [v, -v]).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    x.extend((0..random).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        T::of_bits(state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - T::WIDTH))
    }));
    x
}

/// `x₀ · x₁ + x₂`, or as much of it as there are inputs: rounded twice, so exact in the model.
#[derive(Clone, Copy)]
struct MulThenAdd;
impl<T: Number, const N: usize> Body<T, N> for MulThenAdd {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, x: [V; N]) -> V {
        let one = x[0].c(1.0);
        x[0] * *x.get(1).unwrap_or(&one) + *x.get(2).unwrap_or(&one)
    }
}

/// What [`MulThenAdd`] yields for element `i`.
fn mul_then_add<T: Element>(x: &[&[T]], i: usize) -> T {
    x[0][i] * x.get(1).map_or(T::ONE, |x| x[i]) + x.get(2).map_or(T::ONE, |x| x[i])
}

/// The sum of products (of squares, for one input): a state of one value.
#[derive(Clone, Copy)]
struct Dot;
impl<T: Number, const N: usize> Fold<T, N, 1> for Dot {
    fn fill(self) -> [T; N]
    where
        T: Real,
    {
        [T::ZERO; N]
    }
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 1] {
        [like.c(0.0)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sum]: [V; 1], x: [V; N]) -> [V; 1] {
        [sum + x[0] * x[N - 1]]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [a]: [V; 1], [b]: [V; 1]) -> [V; 1] {
        [a + b]
    }
}

/// The sum of products (of squares, for one input) and the largest magnitude of the first input.
#[derive(Clone, Copy)]
struct DotMax;
impl<T: Number, const N: usize> Fold<T, N, 2> for DotMax {
    fn fill(self) -> [T; N]
    where
        T: Real,
    {
        [T::ZERO; N]
    }
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sum, max]: [V; 2], x: [V; N]) -> [V; 2] {
        [sum + x[0] * x[N - 1], max.max(x[0].abs())]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
        [a[0] + b[0], a[1].max(b[1])]
    }
}

/// The generic test `$f::<S, T>(token)` on each lane, for both element types.
macro_rules! on_every_lane {
    ($($name:ident: $f:path;)*) => {$(
        #[test]
        fn $name() {
            #[allow(unused_imports)]
            use super::present::*;
            for_each_width!(|s| {
                $f(s, f32::default());
                $f(s, f64::default());
            });
        }
    )*};
}
use on_every_lane;
