//! Computes logarithms: `x = 2^k (1 + f)` with `1 + f` near 1, then `log x = k log 2 + log(1 + f)`.
//!
//! `ln(1 + f) = f + t` with `|t|` well below `|f|`, so that only the last sums round visibly.

use super::dd::{Dd, split, two_prod};
use super::horner;
use crate::alu::{Alu, Bits, Number};
use core::f64::consts::{LOG2_E, LOG10_E};

/// A logarithm's base `b`, as constants.
#[derive(Clone, Copy)]
struct Base {
    /// `log_b 2` to 16 bits for `f32`, whose products with `k` are exact, and the rest.
    two32: [f64; 2],
    /// `log_b 2` to 42 bits for `f64`, and the rest.
    two64: [f64; 2],
    /// `log_b e`, to 12 bits, to 26 bits, to 53 bits, and the rest.
    e: f64,
    e12: f64,
    e26: f64,
    rest: f64,
}

const NATURAL: Base = Base {
    two32: [0.693145751953125, 1.4286068203094173e-06],
    two64: [0.6931471805598903, 5.497923018708371e-14],
    e: 1.0,
    e12: 1.0,
    e26: 1.0,
    rest: 0.0,
};
const BINARY: Base = Base {
    two32: [1.0, 0.0],
    two64: [1.0, 0.0],
    e: LOG2_E,
    e12: 1.4423828125,
    e26: 1.4426950216293335,
    rest: 2.0355273740931033e-17,
};
const DECIMAL: Base = Base {
    two32: [0.301025390625, 4.605038981195214e-06],
    two64: [0.30102999566395283, 2.8363394551044964e-14],
    e: LOG10_E,
    e12: 0.4342041015625,
    e26: 0.4342944771051407,
    rest: 1.098319650216765e-17,
};

/// `ln(1 + f) = f - f²/2 + f³ T(f)` on [√½ - 1, √2 - 1], degree 7, minimax with weight `f²`: error
/// 2^-27.3.
pub(crate) const T32: [f64; 8] = [
    0.33333316445350647,
    -0.25000810623168945,
    0.2000230848789215,
    -0.16624583303928375,
    0.14180800318717957,
    -0.13128040730953217,
    0.1288360059261322,
    -0.07863593101501465,
];

/// `2 artanh(s) = 2s + s z R(z)`, `z = s²`, on [0, (3 - 2√2)²], degree 6, minimax with weight `z`:
/// relative error 2^-58.4.
pub(crate) const R64: [f64; 7] = [
    0.6666666666666735,
    0.39999999999409314,
    0.28571428743702176,
    0.222221984267495,
    0.18183572496880654,
    0.1531382801015104,
    0.14798304601664658,
];

/// The biased exponent field and what is below it, of a value with a clear sign bit.
#[inline(always)]
fn exponent<V: Alu>(b: V::Bits) -> V::Bits {
    if V::Elem::SIGNIFICAND == 23 { b.shr::<23>() } else { b.shr::<52>() }
}

/// `x = 2^k (1 + f)` for a positive normal `x`: `1 + f` in [√½, √2).
#[inline(always)]
pub(crate) fn reduce<V: Alu>(x: V) -> (V, V) {
    let (low, one, fraction, bias) = if V::Elem::SIGNIFICAND == 23 {
        (0x3f35_04f3, 0x3f80_0000, 0x007f_ffff, 127.0)
    } else {
        (0x3fe6_a09e_0000_0000, 0x3ff0_0000_0000_0000, 0x000f_ffff_ffff_ffff, 1023.0)
    };
    let b = x.to_bits();
    let t = b + b.lit(one - low);
    // An integer below 2^p in the low bits of the float 2^p is that float plus the integer.
    let integral = x.lit(V::Elem::INTEGRAL);
    let k = V::from_bits(exponent::<V>(t) | integral.to_bits()) - (integral + x.c(bias));
    let m = V::from_bits((t & b.lit(fraction)) + b.lit(low));
    (k, m - x.c(1.0))
}

/// `ln(1 + f) - f + f²/2` for `f64`, where `half` is `f²/2`.
#[inline(always)]
fn cubic64<V: Alu>(f: V, half: V) -> V {
    let s = f / (f + f.c(2.0));
    let z = s * s;
    s * (half + z * horner(z, R64))
}

/// `ln(1 + f) - f`.
#[inline(always)]
fn tail<V: Alu>(f: V) -> V {
    let f2 = f * f;
    if V::Elem::SIGNIFICAND == 23 {
        f2 * horner(f, T32).mul_add(f, f.c(-0.5))
    } else {
        let half = f2 * f.c(0.5);
        cubic64(f, half) - half
    }
}

/// `f²`: the leading word and the rest.
#[inline(always)]
fn square<V: Alu>(f: V) -> Dd<V> {
    if V::FUSED {
        return two_prod(f, f);
    }
    let h = split(f);
    Dd { hi: h.hi * h.hi, lo: h.lo * (f + h.hi) }
}

/// `log_b(1 + f) + low`. Unlike base `e`, nothing here may round before the last sum but the cubic.
#[inline(always)]
fn scaled<V: Alu>(f: V, low: V, base: Base) -> V {
    let single = V::Elem::SIGNIFICAND == 23;
    let f2 = square(f);
    let half = f2.hi * f.c(0.5);
    let cubic = if single { f2.value() * f * horner(f, T32) } else { cubic64(f, f2.value() * f.c(0.5)) };
    // f - f²/2 is h + (f - h - f²/2) exactly.
    let h = f - half;
    let lo = f2.lo.mul_add(f.c(-0.5), cubic) + ((f - h) - half);
    // The constant to the width of the type, what is left of it, and its leading half.
    let (c, c_lo, c_half) = if single {
        let c = base.e as f32 as f64;
        (c, base.e - c, base.e12)
    } else {
        (base.e, base.rest, base.e26)
    };
    let low = lo.mul_add(f.c(c), low);
    if V::FUSED {
        return h.mul_add(f.c(c), h.mul_add(f.c(c_lo), low));
    }
    let h = split(h);
    h.hi * f.c(c_half) + (h.hi * f.c((c - c_half) + c_lo) + (h.lo * f.c(c) + low))
}

/// `log_b(2^k (1 + f))`.
#[inline(always)]
fn sum<V: Alu>(k: V, f: V, base: Base) -> V {
    let [hi, lo] = if V::Elem::SIGNIFICAND == 23 { base.two32 } else { base.two64 };
    let m = if base.e == 1.0 { f + k.mul_add(k.c(lo), tail(f)) } else { scaled(f, k * k.c(lo), base) };
    k.mul_add(k.c(hi), m)
}

/// What a logarithm is where `x` is zero, subnormal, negative, infinite or NaN.
#[inline(always)]
fn special<V: Alu>(x: V, base: Base) -> V {
    // 2^p makes a subnormal normal.
    let (k, f) = reduce(x * x.lit(V::Elem::INTEGRAL));
    let small = sum(k - k.c(V::Elem::SIGNIFICAND as f64), f, base);
    let zero = x.c(0.0);
    let r = V::select(x.lt(x.lit(V::Elem::INFINITY)), small, x);
    let r = V::select(x.eq(zero), x.lit(-V::Elem::INFINITY), r);
    V::select(x.lt(zero), x.lit(V::Elem::NAN), r)
}

#[inline(always)]
fn log<V: Alu>(x: V, base: Base) -> V {
    let (k, f) = reduce(x);
    let rare = !(x.ge(x.c(least_normal::<V>())) & x.lt(x.lit(V::Elem::INFINITY)));
    sum(k, f, base).patch(
        rare,
        x,
        #[inline(always)]
        |x| special(x, base),
    )
}

/// The least normal number.
#[inline(always)]
pub(super) const fn least_normal<V: Alu>() -> f64 {
    if V::Elem::SIGNIFICAND == 23 { f32::MIN_POSITIVE as f64 } else { f64::MIN_POSITIVE }
}

/// `ln x`.
#[inline(always)]
pub(crate) fn ln<V: Alu>(x: V) -> V {
    log(x, NATURAL)
}

/// `log₂ x`.
#[inline(always)]
pub(crate) fn log2<V: Alu>(x: V) -> V {
    log(x, BINARY)
}

/// `log₁₀ x`.
#[inline(always)]
pub(crate) fn log10<V: Alu>(x: V) -> V {
    log(x, DECIMAL)
}

/// `ln 2x` for a positive normal finite `x`, also where `2x` overflows.
#[inline(always)]
pub(super) fn ln_twice<V: Alu>(x: V) -> V {
    let (k, f) = reduce(x);
    sum(k + k.c(1.0), f, NATURAL)
}

/// `ln(1 + hi + lo)` for `hi >= 0` or a small `lo`; `hi + lo > -1`, finite.
#[inline(always)]
pub(super) fn ln_1p_finite<V: Alu>(hi: V, lo: Option<V>) -> V {
    let one = hi.c(1.0);
    let u = one + hi;
    // 1 + hi = u + e: exact unless hi is so large that e does not matter.
    let e = hi - (u - one);
    let e = if let Some(lo) = lo { e + lo } else { e };
    let (k, f) = reduce(u);
    let [ln2, ln2_lo] = if V::Elem::SIGNIFICAND == 23 { NATURAL.two32 } else { NATURAL.two64 };
    let low = k.mul_add(k.c(ln2_lo), tail(f) + e / u);
    k.mul_add(k.c(ln2), f + low)
}

/// `ln(1 + x)`.
#[inline(always)]
pub(crate) fn ln_1p<V: Alu>(x: V) -> V {
    let r = V::select(x.eq(x.c(0.0)), x, ln_1p_finite(x, None));
    let rare = !(x.gt(x.c(-1.0)) & x.lt(x.lit(V::Elem::INFINITY)));
    r.patch(
        rare,
        x,
        #[inline(always)]
        |x| {
            let r = V::select(x.eq(x.c(-1.0)), x.lit(-V::Elem::INFINITY), x);
            V::select(x.lt(x.c(-1.0)), x.lit(V::Elem::NAN), r)
        },
    )
}
