//! Computes asin, acos, atan, asinh, acosh and atanh.

use super::dd::fast_two_sum;
use super::horner;
use super::ln::{ln_1p_finite, ln_twice};
use super::trig;
use crate::alu::{Alu, Number};

/// `asin s = s + s z A(z)`, `z = s²`, on [0, 1/4], degree 4, minimax with weight `z`: relative error
/// 2^-27.5.
const ASIN32: [f64; 5] = [
    0.16666753590106964,
    0.07495252043008804,
    0.045476045459508896,
    0.024152038618922234,
    0.042211953550577164,
];
/// The same for `f64`, degree 12: relative error 2^-59.8.
const ASIN64: [f64; 13] = [
    0.16666666666666763,
    0.07499999999970128,
    0.04464285717525691,
    0.030381942676732554,
    0.022372215863594298,
    0.01735159628297074,
    0.013981008892200318,
    0.011397373952012704,
    0.010788857111580221,
    0.003673975286948886,
    0.021786206991920996,
    -0.021110326168847626,
    0.03269810176386093,
];
/// `atan t = t + t z A(z)`, `z = t²`, on [0, 1], degree 8, minimax with weight `z`: relative error
/// 2^-28.6.
const ATAN32: [f64; 9] = [
    -0.33333301544189453,
    0.1999862641096115,
    -0.14265091717243195,
    0.1095665767788887,
    -0.08416461199522018,
    0.05817810073494911,
    -0.031394537538290024,
    0.011029044166207314,
    -0.0018187419045716524,
];
/// `atan t` for `f64` on [0, 1/4] of `z`, degree 12: relative error 2^-62.
const ATAN64: [f64; 13] = [
    -0.33333333333333315,
    0.19999999999993823,
    -0.1428571428500656,
    0.11111111070531235,
    -0.0909090772082411,
    0.07692277938479361,
    -0.06666228738163155,
    0.058778472861424624,
    -0.052302279005913686,
    0.045902331048217886,
    -0.037137349662353325,
    0.023680837070689832,
    -0.008381577987625906,
];

/// π/2 rounded, and the rest.
#[inline(always)]
fn half_pi<V: Alu>(x: V) -> (V, V) {
    let p = trig::half_pi::<V>();
    (x.c(p.hi), x.c(p.lo))
}

/// `|x|`, whether it is at most 1/2, and `(s, w)` with `asin s = s + w`: `s = |x|` there, else
/// `s = √((1 - |x|)/2)`, whose arcsine is half of `π/2 - asin |x|`.
#[inline(always)]
fn half_range<V: Alu>(x: V) -> (V, V::Mask, V, V) {
    let a = x.abs();
    let half = x.c(0.5);
    let small = a.le(half);
    let z = V::select(small, a * a, (x.c(1.0) - a) * half);
    let s = V::select(small, a, z.sqrt());
    let p = if V::Elem::SIGNIFICAND == 23 { horner(z, ASIN32) } else { horner(z, ASIN64) };
    (a, small, s, s * (z * p))
}

/// `asin x`.
#[inline(always)]
pub(crate) fn asin<V: Alu>(x: V) -> V {
    let (_, small, s, w) = half_range(x);
    let (pi_2, pi_2_lo) = half_pi(x);
    // π/2 - 2s is m + m_lo exactly.
    let s2 = s + s;
    let m = pi_2 - s2;
    let m_lo = (pi_2 - m) - s2;
    let large = m + ((m_lo + pi_2_lo) - (w + w));
    V::select(small, s + w, large).xor_sign(x)
}

/// `acos x`.
#[inline(always)]
pub(crate) fn acos<V: Alu>(x: V) -> V {
    let (_, small, s, w) = half_range(x);
    let (pi_2, pi_2_lo) = half_pi(x);
    let near_0 = pi_2 - (x + (w.xor_sign(x) - pi_2_lo));
    let (s2, w2) = (s + s, w + w);
    let near_minus_1 = (pi_2 + pi_2) - (s2 + (w2 - (pi_2_lo + pi_2_lo)));
    V::select(small, near_0, V::select(x.lt(x.c(0.0)), near_minus_1, s2 + w2))
}

/// `atan x`.
#[inline(always)]
pub(crate) fn atan<V: Alu>(x: V) -> V {
    let a = x.abs();
    let one = x.c(1.0);
    let zero = x.c(0.0);
    let (pi_2, pi_2_lo) = half_pi(x);
    if V::Elem::SIGNIFICAND == 23 {
        // atan a = π/2 - atan 1/a. `min` and `max` in this order keep a NaN.
        let t = one.min(a) / one.max(a);
        let z = t * t;
        let w = t * (z * horner(z, ATAN32));
        let large = pi_2 - (t + (w - pi_2_lo));
        return V::select(one.lt(a), large, t + w).xor_sign(x);
    }
    // atan a = π/4 + atan (a - 1)/(a + 1) = π/2 + atan -1/a.
    let (middle, large) = (a.gt(x.c(0.5)), a.gt(x.c(2.5)));
    let n = V::select(large, -one, V::select(middle, a - one, a));
    let d = V::select(large, a, V::select(middle, a + one, one));
    let half = x.c(0.5);
    let part = |v: V| V::select(large, v, V::select(middle, v * half, zero));
    let t = n / d;
    let z = t * t;
    let w = t * (z * horner(z, ATAN64));
    (part(pi_2) + (t + (w + part(pi_2_lo)))).xor_sign(x)
}

/// The angle of `(x, y)`: `atan2 y x`.
#[inline(always)]
pub(crate) fn angle<V: Alu>(y: V, x: V) -> V {
    let (a, b, zero) = (x.abs(), y.abs(), x.c(0.0));
    let (most, least) = (a.max(b), a.min(b));
    let (pi_2, pi_2_lo) = half_pi(x);
    // 0 of zeros, 1 of infinities.
    let even = most.eq(zero) | least.eq(x.lit(V::Elem::INFINITY));
    let t = atan(V::select(even, V::select(most.eq(zero), zero, x.c(1.0)), least / most));
    let steep = a.lt(b);
    let first = V::select(steep, pi_2 - (t - pi_2_lo), t);
    // A real part of -0 is negative, too.
    let negative = x.c(1.0).copysign(x).lt(zero);
    let all = V::select(negative, (pi_2 + pi_2) - (first - (pi_2_lo + pi_2_lo)), first).copysign(y);
    V::select(x.is_nan() | y.is_nan(), x + y, all)
}

/// From here on `asinh a = acosh a = ln 2a`, and squares don't overflow below.
#[inline(always)]
const fn huge<V: Alu>() -> f64 {
    if V::Elem::SIGNIFICAND == 23 { (1u64 << 60) as f64 } else { 1.3407807929942597e154 }
}

/// `asinh x = ln(1 + a + a²/(1 + √(1 + a²)))`, `a = |x|`, with the sign of `x`.
#[inline(always)]
pub(crate) fn asinh<V: Alu>(x: V) -> V {
    let a = x.abs();
    let one = x.c(1.0);
    let a2 = a * a;
    let arg = fast_two_sum(a, a2 / (one + (one + a2).sqrt()));
    let y = ln_1p_finite(arg.hi, Some(arg.lo));
    let rare = !a.lt(a.c(huge::<V>()));
    y.patch(
        rare,
        a,
        #[inline(always)]
        |a| V::select(a.lt(a.lit(V::Elem::INFINITY)), ln_twice(a), a),
    )
    .xor_sign(x)
}

/// `acosh x = ln(1 + t + √(2t + t²))`, `t = x - 1`.
#[inline(always)]
pub(crate) fn acosh<V: Alu>(x: V) -> V {
    let one = x.c(1.0);
    let t = x - one;
    let t_lo = (x - t) - one;
    let arg = fast_two_sum(t.mul_add(t, t + t).sqrt(), t);
    let y = ln_1p_finite(arg.hi, Some(arg.lo + t_lo));
    let rare = !(x.ge(one) & x.lt(x.c(huge::<V>())));
    y.patch(
        rare,
        x,
        #[inline(always)]
        |x| {
            let y = V::select(x.lt(x.lit(V::Elem::INFINITY)), ln_twice(x), x);
            V::select(x.lt(one), x.lit(V::Elem::NAN), y)
        },
    )
}

/// `atanh x = ½ ln(1 + 2a/(1 - a))`, `a = |x|`, with the sign of `x`.
#[inline(always)]
pub(crate) fn atanh<V: Alu>(x: V) -> V {
    let a = x.abs();
    let one = x.c(1.0);
    let d = one - a;
    let q = (a + a) / d;
    // What the denominator lost, to first order.
    let d_lo = (one - d) - a;
    let y = ln_1p_finite(q, Some(-(q * d_lo))) * x.c(0.5);
    y.patch(
        !a.lt(one),
        a,
        #[inline(always)]
        |a| {
            let y = V::select(a.eq(one), a.lit(V::Elem::INFINITY), a);
            V::select(a.gt(one), a.lit(V::Elem::NAN), y)
        },
    )
    .xor_sign(x)
}
