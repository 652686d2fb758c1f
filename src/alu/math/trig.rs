//! Computes sin, cos and tan. The argument reduction subtracts `q π/2` and leaves `r + lo` with `|r|` up to about π/4;
//! one polynomial gives the sine of it and one the cosine.
//!
//! Up to [`limit`] the subtraction is Cody and Waite's; beyond it, Payne and Hanek's with the bits
//! of 2/π that matter.

use super::dd::{Dd, fast_two_sum, two_prod, two_sum};
use super::horner;
use crate::alu::{Alu, Bits, Number};
use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// `sin r = r + r z S(z)`, `z = r²`, on [0, 0.617], degree 3, minimax with weight `z`: relative
/// error 2^-32.5.
pub(crate) const SIN32: [f64; 4] =
    [-0.1666666716337204, 0.008333380334079266, -0.00019853511184919626, 2.837512056430569e-06];
/// `cos r = 1 - z/2 + z² C(z)` on [0, 0.617], degree 2, minimax with weight `z²`: error 2^-33.1.
pub(crate) const COS32: [f64; 3] = [0.04166664555668831, -0.00138873013202101, 2.4430666599073447e-05];
/// `tan r = r + r z T(z)` on [0, 0.617], degree 6, minimax with weight `z`: relative error 2^-29.3.
const TAN32: [f64; 7] = [
    0.3333335220813751,
    0.13332583010196686,
    0.05406865105032921,
    0.02123861387372017,
    0.010945512913167477,
    -4.6112916606944054e-05,
    0.004441773984581232,
];

/// The sine for `f64`, degree 5: relative error 2^-58.
pub(crate) const SIN64: [f64; 6] = [
    -0.16666666666666632,
    0.008333333333322486,
    -0.00019841269829853152,
    2.7557313704904704e-06,
    -2.505075985137049e-08,
    1.5896883580207286e-10,
];
/// The cosine for `f64`, degree 5: error 2^-64.
pub(crate) const COS64: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887447,
    2.4801587289666875e-05,
    -2.755731439925743e-07,
    2.08757289947968e-09,
    -1.1359917498952238e-11,
];
/// The tangent for `f64`, degree 13: relative error 2^-56.
const TAN64: [f64; 14] = [
    0.33333333333332715,
    0.13333333333422712,
    0.05396825392300193,
    0.02186948969257384,
    0.008863218042116476,
    0.003592298749089385,
    0.001454701729392198,
    0.000595291757247916,
    0.00022173616346899235,
    0.0001378031904688321,
    -2.812481646090605e-05,
    9.099753701351347e-05,
    -4.568438173953579e-05,
    2.1051654644517654e-05,
];

/// π/2 = A + B + C + D + …: `q A`, `q B`, `q C` are exact for every `q` up to [`limit`], and A + B
/// is as wide as the type.
pub(super) struct HalfPi {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    /// π/2 rounded, and the rest.
    pub(super) hi: f64,
    pub(super) lo: f64,
}
const HALF_PI_32: HalfPi = HalfPi {
    a: 1.5703125,
    b: 0.0004837512969970703,
    c: 7.549533620476723e-08,
    d: 2.563344151594519e-12,
    hi: FRAC_PI_2 as f32 as f64,
    lo: FRAC_PI_2 - FRAC_PI_2 as f32 as f64,
};
const HALF_PI_64: HalfPi = HalfPi {
    a: 1.5707963267341256,
    b: 6.077094383272197e-11,
    c: 6.12323399538461e-17,
    d: 3.5215598651832e-27,
    hi: FRAC_PI_2,
    lo: 6.123233995736766e-17,
};

#[inline(always)]
pub(super) const fn half_pi<V: Alu>() -> HalfPi {
    if V::Elem::SIGNIFICAND == 23 { HALF_PI_32 } else { HALF_PI_64 }
}

/// Where Cody and Waite's way ends: 2^13 and 2^19 quarter turns, less a little.
#[inline(always)]
const fn limit<V: Alu>() -> f64 {
    if V::Elem::SIGNIFICAND == 23 { 12800.0 } else { 820_000.0 }
}

/// The integer `q` in the low bits of the result, `|q| < 2^22` (`f32`).
#[inline(always)]
fn anchor<V: Alu>(x: V) -> V {
    x.lit(V::Elem::INTEGRAL) * x.c(1.5)
}

/// `a = q π/2 + r.hi + r.lo` and a value whose low bits are `q`, for `0 <= a < limit`.
#[inline(always)]
fn reduce<V: Alu>(a: V) -> (Dd<V>, V) {
    let p = half_pi::<V>();
    let anchored = a.mul_add(a.c(FRAC_2_PI), anchor(a));
    let minus_q = anchor(a) - anchored;
    let r = if V::FUSED {
        minus_q.mul_add(a.c(p.a + p.b), a)
    } else {
        (a + minus_q * a.c(p.a)) + minus_q * a.c(p.b)
    };
    // Exact up to here, and so is the pair hi, (r - hi) - q C.
    let c = a.c(p.c);
    let hi = minus_q.mul_add(c, r);
    let lo = minus_q.mul_add(c, r - hi);
    (Dd { hi, lo: minus_q.mul_add(a.c(p.d), lo) }, anchored)
}

/// Words of the table of 2/π: bits that each one holds, bits from one to the next, and the exponent
/// of the least argument.
const WIDTH_32: usize = 24;
const STEP_32: usize = 8;
const FIRST_32: usize = 8;
const WIDTH_64: usize = 48;
const STEP_64: usize = 16;
const FIRST_64: usize = 16;

/// 2/π, its first 1344 bits after the point.
const TWO_OVER_PI: [u32; 42] = [
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
    0xa9e39161, 0x5ee61b08,
];

/// Word `i`: the `width` bits of 2/π from bit `step * i - lead` on, as a fraction below 1.
#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn words<const N: usize>(lead: usize, width: usize, step: usize) -> [f64; N] {
    let mut words = [0.0; N];
    let mut i = 0;
    while i < N {
        let mut word = 0u64;
        let mut j = step * i;
        while j < step * i + width {
            let bit = if j < lead { 0 } else { TWO_OVER_PI[(j - lead) / 32] >> (31 - (j - lead) % 32) & 1 };
            word = word << 1 | bit as u64;
            j += 1;
        }
        words[i] = word as f64 / (1u64 << width) as f64;
        i += 1;
    }
    words
}

/// The table for `f64`: word `i` serves exponents from `FIRST + STEP i` on.
pub(crate) static WORDS_64: [f64; 72] = words(53 + 1 - FIRST_64, WIDTH_64, STEP_64);
/// The table for `f32`.
#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(crate) static WORDS_32: [f32; 24] = {
    let words: [f64; 24] = words(24 + 1 - FIRST_32, WIDTH_32, STEP_32);
    let mut narrow = [0.0; 24];
    let mut i = 0;
    while i < 24 {
        narrow[i] = words[i] as f32;
        i += 1;
    }
    narrow
};

/// Word `n` of four from the place `i` of the table on.
#[inline(always)]
fn word_at<V: Alu>(i: V::Bits, n: i64) -> V {
    V::lookup(i + i.lit(3 * n), V::Elem::TWO_OVER_PI)
}

/// `v` less a multiple of 4, at most 2.
#[inline(always)]
fn mod4<V: Alu>(v: V) -> V {
    v - (v * v.c(0.25)).round_ties_even() * v.c(4.0)
}

/// [`reduce`] for `limit <= a < ∞`.
///
/// The product with 2/π is wanted modulo 4. `a` is an integer times its last place, so the leading
/// bits of 2/π give multiples of 4 and are left out: the table starts with the first bits that
/// count, or up to `STEP - 1` earlier. Four words leave an error of 2^-62 (`f64`: 2^-120).
#[inline(always)]
fn reduce_large<V: Alu>(a: V) -> (Dd<V>, V) {
    let b = a.to_bits();
    // The word's number, and `a` with the exponent that makes the first word's weight 1.
    let (i, scaled, word) = if V::Elem::SIGNIFICAND == 23 {
        let i = (b - b.lit((127 + FIRST_32 as i64) << 23)).shr::<26>();
        (i, b - i.shl::<26>() + b.lit((25 - FIRST_32 as i64) << 23), 1.0 / (1u64 << WIDTH_32) as f64)
    } else {
        let i = (b - b.lit((1023 + FIRST_64 as i64) << 52)).shr::<56>();
        (i, b - i.shl::<56>() + b.lit((54 - FIRST_64 as i64) << 52), 1.0 / (1u64 << WIDTH_64) as f64)
    };
    let a = V::from_bits(scaled);
    let p0 = two_prod(a, word_at(i, 0));
    let p1 = two_prod(a, word_at::<V>(i, 1) * a.c(word));
    let p2 = two_prod(a, word_at::<V>(i, 2) * a.c(word * word));
    let p3 = a * word_at(i, 3) * a.c(word * word * word);
    let t = mod4(p0.hi) + mod4(p0.lo);
    let q0 = t.round_ties_even();
    let t = two_sum(t - q0, mod4(p1.hi));
    let q1 = t.hi.round_ties_even();
    let u = two_sum(t.hi - q1, p1.lo);
    let v = two_sum(u.hi, p2.hi);
    let r = fast_two_sum(v.hi, t.lo + (u.lo + (v.lo + (p2.lo + p3))));
    // Quarter turns to radians.
    let p = half_pi::<V>();
    let y = two_prod(r.hi, a.c(p.hi));
    let lo = r.lo.mul_add(a.c(p.hi), r.hi.mul_add(a.c(p.lo), y.lo));
    (fast_two_sum(y.hi, lo), anchor(a) + (q0 + q1))
}

/// Bit 1 of `b` moved to the sign.
#[inline(always)]
fn half_turn<V: Alu>(b: V::Bits) -> V::Bits {
    let b = b & b.lit(2);
    if V::Elem::SIGNIFICAND == 23 { b.shl::<30>() } else { b.shl::<62>() }
}

/// `sin(r.hi + r.lo)`, `z = r.hi²`.
#[inline(always)]
fn sine<V: Alu>(r: Dd<V>, z: V) -> V {
    let s = if V::Elem::SIGNIFICAND == 23 { horner(z, SIN32) } else { horner(z, SIN64) };
    // sin(r + lo) = sin r + lo (1 - z/2 …)
    r.hi + z.mul_add(r.lo.mul_add(z.c(-0.5), r.hi * s), r.lo)
}

/// `cos(r.hi + r.lo)`, `z = r.hi²`.
#[inline(always)]
fn cosine<V: Alu>(r: Dd<V>, z: V) -> V {
    let c = if V::Elem::SIGNIFICAND == 23 { horner(z, COS32) } else { horner(z, COS64) };
    let one = z.c(1.0);
    let half = z * z.c(0.5);
    let w = one - half;
    w + (((one - w) - half) + (z * z).mul_add(c, -(r.hi * r.lo)))
}

/// `sin` of the reduced argument plus `TURN` quarter turns.
#[inline(always)]
fn wave<V: Alu, const TURN: i64>(r: Dd<V>, q: V) -> V {
    let q = q.to_bits();
    let q = if TURN == 0 { q } else { q + q.lit(TURN) };
    let z = r.hi * r.hi;
    let even = V::bits_eq(q & q.lit(1), q.lit(0));
    let y = V::select(even, sine(r, z), cosine(r, z));
    V::from_bits(y.to_bits() ^ half_turn::<V>(q))
}

/// The tangent of the reduced argument.
#[inline(always)]
fn tangent<V: Alu>(r: Dd<V>, q: V) -> V {
    let z = r.hi * r.hi;
    let t = if V::Elem::SIGNIFICAND == 23 { horner(z, TAN32) } else { horner(z, TAN64) };
    // tan(r + lo) = tan r + lo (1 + z …)
    let t = fast_two_sum(r.hi, z.mul_add(r.hi.mul_add(t, r.lo), r.lo));
    // -1 / (t + e) = d + e d², d = -1 / t
    let d = z.c(-1.0) / t.hi;
    let odd = (d * d).mul_add(t.lo, d);
    let q = q.to_bits();
    V::select(V::bits_eq(q & q.lit(1), q.lit(0)), t.hi, odd)
}

/// `f(|x| mod π/2, quarter turns)`, with the sign of `x` where `ODD`; NaN for infinities.
#[inline(always)]
fn periodic<V: Alu, const ODD: bool>(x: V, f: impl Fn(Dd<V>, V) -> V) -> V {
    let a = x.abs();
    let (r, q) = reduce(a);
    let y = f(r, q).patch(
        !a.lt(a.c(limit::<V>())),
        a,
        #[inline(always)]
        |a| {
            let (r, q) = reduce_large(a);
            V::select(a.lt(a.lit(V::Elem::INFINITY)), f(r, q), a.lit(V::Elem::NAN))
        },
    );
    if ODD { y.xor_sign(x) } else { y }
}

/// `sin x`.
#[inline(always)]
pub(crate) fn sin<V: Alu>(x: V) -> V {
    periodic::<V, true>(
        x,
        #[inline(always)]
        |r, q| wave::<V, 0>(r, q),
    )
}

/// `cos x`.
#[inline(always)]
pub(crate) fn cos<V: Alu>(x: V) -> V {
    periodic::<V, false>(
        x,
        #[inline(always)]
        |r, q| wave::<V, 1>(r, q),
    )
}

/// `tan x`.
#[inline(always)]
pub(crate) fn tan<V: Alu>(x: V) -> V {
    periodic::<V, true>(
        x,
        #[inline(always)]
        |r, q| tangent::<V>(r, q),
    )
}
