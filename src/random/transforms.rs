//! Transforms random words to distributions: Box–Muller for the normal one, the logarithm for the exponential one, over
//! [`Alu`]. No product is fused with a sum, so that every instruction set gives the same bits.

use crate::alu::math::ln::{R64, T32, reduce};
use crate::alu::math::trig::{COS32, COS64, SIN32, SIN64};
use crate::alu::{Alu, Bits, Number};
use crate::lanes::drive::{Pair, Update};
use core::f64::consts::FRAC_PI_2;

/// `c₀ + c₁x + c₂x² + …`, each product rounded.
#[inline(always)]
fn polynomial<V: Alu, const N: usize>(x: V, c: [f64; N]) -> V {
    let mut high_first = c.into_iter().rev();
    let top = x.c(high_first.next().unwrap_or(0.0));
    high_first.fold(top, |p, c| p * x + x.c(c))
}

#[inline(always)]
const fn single<V: Alu>() -> bool {
    V::Elem::SIGNIFICAND == 23
}

/// An integer below 2²³ (`f32`) or 2⁵² (`f64`) as a number.
#[inline(always)]
fn float<V: Alu>(like: V, i: V::Bits) -> V {
    let integral = like.lit(V::Elem::INTEGRAL);
    V::from_bits(i | integral.to_bits()) - integral
}

/// `-ln u`, where `u = high·2⁻ᵖ + (low + ½)·2⁻ᵖ⁻ᵇ` for the integers `high`, of `p` = 23 or 52 bits, and `low`, of `b` bits:
/// of `u` to its last bit near 0, and of `1 - u` near 1.
#[inline(always)]
fn minus_ln<V: Alu>(like: V, high: V::Bits, low: V::Bits, b: i32) -> V {
    let p = V::Elem::SIGNIFICAND;
    let (one, half) = (like.c(1.0), like.c(0.5));
    let high = float(like, high) * like.c(power(-p));
    let low = (float(like, low) + half) * like.c(power(-p - b));
    let (k, f) = reduce(high + low);
    // `1 - high` is exact.
    let f = V::select(k.eq(like.c(0.0)), low - (one - high), f);
    let half_square = f * f * half;
    // `-ln(1 + f) + f`.
    let rest = if single::<V>() {
        half_square - f * f * (f * polynomial(f, T32))
    } else {
        let s = f / (f + like.c(2.0));
        let z = s * s;
        half_square - s * (half_square + z * polynomial(z, R64))
    };
    let [ln2, ln2_low] = if single::<V>() {
        [0.693145751953125, 1.4286068203094173e-06]
    } else {
        [0.6931471805598903, 5.497923018708371e-14]
    };
    (rest - k * like.c(ln2_low)) - f - k * like.c(ln2)
}

/// `2ⁿ`.
const fn power(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// Cosine and sine of an angle that `bits`, the low 24 (`f32`) or 53 (`f64`) of them, choose from the whole turn.
#[inline(always)]
fn turn<V: Alu>(like: V, bits: V::Bits) -> [V; 2] {
    // All but two are a part of a quarter turn, from its middle; the others swap and negate.
    let n = if single::<V>() { 22 } else { 51 };
    let (swap, negate) = (bits & bits.lit(1 << n), bits & bits.lit(2 << n));
    let part = float(like, bits & bits.lit((1 << n) - 1)) - (like.c(power(n - 1)) - like.c(0.5));
    let r = part * like.c(FRAC_PI_2 * power(-n));
    let z = r * r;
    let (sin, cos) = if single::<V>() {
        (polynomial(z, SIN32), polynomial(z, COS32))
    } else {
        (polynomial(z, SIN64), polynomial(z, COS64))
    };
    let sin = (r + r * (z * sin)).to_bits();
    let cos = ((z * z * cos - z * like.c(0.5)) + like.c(1.0)).to_bits();
    let straight = V::bits_eq(swap, bits.lit(0));
    // To the sign bit.
    let sign = if single::<V>() { negate.shl::<8>() } else { negate.shl::<11>() };
    let (x, y) = (V::from_bits(cos ^ sign), V::from_bits(sin ^ sign));
    [V::select(straight, x, y), V::select(straight, y, x)]
}

/// Two numbers of the normal distribution from 64 bits (`f32`) or 128 (`f64`), by Box and Muller: `mean` and `stddev`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Normal<T>(pub(super) T, pub(super) T);
impl<T: Number> Pair<T> for Normal<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [low, high]: [V; 2]) -> [V; 2] {
        normal(low, low.to_bits(), high.to_bits(), self.0, self.1)
    }
}

/// [`Normal`] of two words.
#[inline(always)]
pub(crate) fn normal<V: Alu>(like: V, a: V::Bits, b: V::Bits, mean: V::Elem, deviation: V::Elem) -> [V; 2] {
    // The radius is of 40 bits, or of all 64 of the first word.
    let (e, angle) = if single::<V>() {
        let rest = ((b & b.lit(0x1ff)).shl::<8>()) | a.shr::<24>();
        (minus_ln(like, b.shr::<9>(), rest, 17), a)
    } else {
        (minus_ln(like, a.shr::<12>(), a & a.lit(0xfff), 12), b)
    };
    let r = (e + e).sqrt() * like.param(deviation);
    let [cos, sin] = turn(like, angle);
    [like.param(mean) + r * cos, like.param(mean) + r * sin]
}

/// A number of the exponential distribution from 32 bits (`f32`) or 64: `scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exponential<T>(pub(super) T);
impl<T: Number> Update<T, 0, 1> for Exponential<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, []: [V; 0], [x]: [V; 1]) -> [V; 1] {
        [exponential(x, x.to_bits(), self.0)]
    }
}

/// [`Exponential`] of a word.
#[inline(always)]
pub(crate) fn exponential<V: Alu>(like: V, bits: V::Bits, scale: V::Elem) -> V {
    let e = if single::<V>() {
        minus_ln(like, bits.shr::<9>(), bits & bits.lit(0x1ff), 9)
    } else {
        minus_ln(like, bits.shr::<12>(), bits & bits.lit(0xfff), 12)
    };
    e * like.param(scale)
}
