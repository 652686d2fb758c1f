//! Computes exponentials: `x = n ln 2 + r` with `|r| ≤ ln 2 / 2`, then `e^x = 2^n (1 + r + r² q(r))`.

use super::dd::split;
use super::horner;
use crate::alu::{Alu, Bits, Number};
use core::f64::consts::LOG2_E;

// All polynomials by Remez exchange in 260 bits, rounded to the element type; the errors are those
// before rounding.

/// `(e^r - 1 - r) / r²` on `|r| ≤ ln 2 / 2`, minimax with weight `r²/e^r`: error 2^-28.3.
const Q_SHORT: [f64; 5] = [
    0.4999999344388448,
    0.16666520574021055,
    0.04166838875658407,
    0.008368723906381751,
    0.0013814581847333645,
];
/// The same with weight `r²/|e^r - 1|`, for results as small as `r`: error 2^-26.2.
const Q_SINGLE: [f64; 5] = [
    0.4999999701976776,
    0.1666654348373413,
    0.04166720062494278,
    0.008366520516574383,
    0.0013882521307095885,
];
/// The same for `f64`: error 2^-61.7.
const Q_DOUBLE: [f64; 11] = [
    0.5,
    0.16666666666666677,
    0.04166666666666651,
    0.008333333333321691,
    0.0013888888888962361,
    0.00019841269885966266,
    2.4801587172555212e-05,
    2.7557244373826282e-06,
    2.7557402630048083e-07,
    2.510897901257457e-08,
    2.0875333496567816e-09,
];
/// `(2^f - 1) / f` on `|f| ≤ 1/2`, minimax with weight `|f|/2^f`: errors 2^-28.9 and 2^-58.
const P_SINGLE: [f64; 6] = [
    0.6931471824645996,
    0.24022647738456726,
    0.055503323674201965,
    0.009618437848985195,
    0.0013398887822404504,
    0.00015353351773228496,
];
const P_DOUBLE: [f64; 11] = [
    0.6931471805599453,
    0.2402265069591013,
    0.055504108664820084,
    0.009618129107594093,
    0.0013333558146774904,
    0.00015403530457149906,
    1.5252733492933347e-05,
    1.321543526189824e-06,
    1.0178199620804145e-07,
    7.073786993305215e-09,
    4.4347685663388375e-10,
];
/// `2^f` on `|f| ≤ 1/2`, twice, minimax with weight `2^-f`: error 2^-13.7.
const TWICE_APPROX: [f64; 4] =
    [1.9998561143875122, 1.3865220546722412, 0.4852232038974762, 0.11034317314624786];

/// True for `f32`.
#[inline(always)]
pub(super) fn single<V: Alu>() -> bool {
    V::Elem::SIGNIFICAND == 23
}

/// `a` for `f32`, `b` for `f64`.
#[inline(always)]
pub(super) fn pick<V: Alu>(v: V, a: f64, b: f64) -> V {
    v.c(if single::<V>() { a } else { b })
}

/// `1.5·2^p` plus the exponent's bias, `p` the stored bits: added to a number it leaves the nearest
/// integer plus the bias in the low bits.
#[inline(always)]
pub(super) fn magic<V: Alu>(v: V) -> V {
    pick(v, 12_582_912.0 + 127.0, 6_755_399_441_055_744.0 + 1023.0)
}

/// `2^n` from `n + magic`, for `n` in the exponents of normal numbers; one below them gives 0.
#[inline(always)]
pub(super) fn power<V: Alu>(shifted: V) -> V {
    let b = shifted.to_bits();
    V::from_bits(if single::<V>() { b.shl::<23>() } else { b.shl::<52>() })
}

/// [`Alu::scale2`] by two exact powers of two.
#[inline(always)]
pub(crate) fn scale2<V: Alu>(x: V, n: V) -> V {
    let half = (n.mul_add(n.c(0.5), magic(n))) - magic(n);
    x * power(half + magic(n)) * power((n - half) + magic(n))
}

/// `n ln 2 + r` taken apart.
#[derive(Clone, Copy)]
pub(super) struct Reduced<V> {
    /// `n + magic`.
    pub shifted: V,
    /// The integer.
    pub n: V,
    /// `x` less `n` times the first bits of ln 2, exactly.
    pub hi: V,
    /// `r`, rounded.
    pub r: V,
}

/// What `n` times the first bits of ln 2 leaves out of `n ln 2`, as a factor of `n`.
#[inline(always)]
pub(super) fn ln2_lo<V: Alu>(v: V) -> V {
    pick(v, 1.4286068203094173e-06, 5.497923018708371e-14)
}

/// Reduces an `x` of at most a few times the exponents' range.
#[inline(always)]
pub(super) fn reduce<V: Alu>(x: V) -> Reduced<V> {
    let shifted = x.mul_add(x.c(LOG2_E), magic(x));
    let n = shifted - magic(x);
    // This factor has so few bits that its product with n is exact.
    let hi = n.mul_add(pick(x, -0.693145751953125, -0.6931471805598903), x);
    Reduced { shifted, n, hi, r: n.mul_add(-ln2_lo(x), hi) }
}

/// `(e^r - 1 - r) / r²`.
#[inline(always)]
pub(super) fn q<V: Alu>(r: V) -> V {
    if single::<V>() { horner(r, Q_SINGLE) } else { horner(r, Q_DOUBLE) }
}

/// `x` limited to where `e^x` is 0 or infinite at the latest; keeps NaN.
#[inline(always)]
fn limit<V: Alu>(x: V) -> V {
    pick(x, 89.5, 710.5).min(pick(x, -104.5, -746.0).max(x))
}

/// `e^r` within 0.9 ulp, and what [`reduce`] gave.
#[inline(always)]
fn exp_reduced<V: Alu>(x: V) -> (V, Reduced<V>) {
    let p = reduce(x);
    let one = x.c(1.0);
    let q = if single::<V>() { horner(p.r, Q_SHORT) } else { horner(p.r, Q_DOUBLE) };
    let m = if V::FUSED {
        q.mul_add(p.r, one).mul_add(p.r, one)
    } else {
        // Here a product rounds too: the square's is the smallest.
        (p.r * p.r).mul_add(q, p.r) + one
    };
    (m, p)
}

/// [`exp`] without a branch.
#[inline(always)]
fn exp_whole<V: Alu>(x: V) -> V {
    let (m, p) = exp_reduced(limit(x));
    m.scale2(p.n)
}

/// `e^x`, within 1 ulp.
#[inline(always)]
pub(crate) fn exp<V: Alu>(x: V) -> V {
    if V::SCALES {
        return exp_whole(x);
    }
    let (m, p) = exp_reduced(x);
    (m * power(p.shifted)).patch(
        !x.abs().le(pick(x, 87.0, 708.0)),
        x,
        #[inline(always)]
        |x| exp_whole(x),
    )
}

/// `2^f` for `|f| ≤ 1/2`, within 1 ulp.
#[inline(always)]
pub(super) fn exp2_fraction<V: Alu>(f: V) -> V {
    let one = f.c(1.0);
    let p = if single::<V>() { horner(f, P_SINGLE) } else { horner(f, P_DOUBLE) };
    if V::FUSED {
        return p.mul_add(f, one);
    }
    // Half of each factor's bits, so that the largest part of the product does not round.
    let half = split(f).hi;
    let (hi, lo) = (
        pick(f, 0.693115234375, 0.6931471824645996),
        pick(f, 3.1946184945309415e-05, -1.904654299957768e-09),
    );
    let rest = if single::<V>() { without_first(f, P_SINGLE) } else { without_first(f, P_DOUBLE) };
    let small = f * (rest + lo) + (f - half) * hi;
    half * hi + small + one
}

/// `P(x) - c₀`.
#[inline(always)]
fn without_first<V: Alu, const N: usize>(x: V, mut c: [f64; N]) -> V {
    if let Some(first) = c.first_mut() {
        *first = 0.0;
    }
    horner(x, c)
}

/// `2^x`, within 1 ulp.
#[inline(always)]
pub(crate) fn exp2<V: Alu>(x: V) -> V {
    #[inline(always)]
    fn parts<V: Alu>(x: V) -> (V, V, V) {
        let shifted = x + magic(x);
        let n = shifted - magic(x);
        (exp2_fraction(x - n), n, shifted)
    }
    #[inline(always)]
    fn whole<V: Alu>(x: V) -> V {
        let x = pick(x, 129.0, 1025.0).min(pick(x, -151.0, -1076.0).max(x));
        let (m, n, _) = parts(x);
        m.scale2(n)
    }
    if V::SCALES {
        return whole(x);
    }
    let (m, _, shifted) = parts(x);
    (m * power(shifted)).patch(
        !x.abs().le(pick(x, 126.0, 1022.0)),
        x,
        #[inline(always)]
        |x| whole(x),
    )
}

/// `e^x - 1`, within 2 ulp; keeps the sign of zero.
#[inline(always)]
pub(crate) fn exp_m1<V: Alu>(x: V) -> V {
    // The result is -1 from -18 (-38) down.
    let x_low = pick(x, -20.0, -42.0).max(x);
    let y = pick(x, 89.5, 710.5).min(x_low);
    let p = reduce(y);
    // 2^n ((1 - 2^-n) + r + r² q(r)): the first two sum exactly in two words.
    let few = p.n.c(60.0).min(p.n);
    let c = y.c(1.0) - power(magic(y) - few);
    let h = c + p.hi;
    let lost = (c - h) + p.hi;
    let lo = p.n.mul_add(-ln2_lo(y), lost) + (p.r * p.r) * q(p.r);
    let m = h + lo;
    if V::SCALES {
        return m.scale2(p.n).copysign(x);
    }
    let usual = m * power(p.shifted);
    usual.copysign(x).patch(
        !x.le(pick(x, 87.0, 708.0)),
        x,
        #[inline(always)]
        |x| exp_whole(x),
    )
}

/// `e^x` within a relative 2^-12, subnormal results within 1 ulp.
#[inline(always)]
pub(crate) fn approx_exp<V: Alu>(x: V) -> V {
    #[inline(always)]
    fn parts<V: Alu>(x: V) -> (V, V, V) {
        let shifted = x.mul_add(x.c(LOG2_E), magic(x));
        let n = shifted - magic(x);
        let f = if V::FUSED {
            x.mul_add(x.c(LOG2_E), -n)
        } else {
            n.mul_add(x.c(-core::f64::consts::LN_2), x) * x.c(LOG2_E)
        };
        (horner(f, TWICE_APPROX), n, shifted)
    }
    let one = x.c(1.0);
    if V::SCALES {
        let (m, n, _) = parts(limit(x));
        return m.scale2(n - one);
    }
    let (m, _, shifted) = parts(x);
    (m * power(shifted - one)).patch(
        !x.abs().le(pick(x, 86.0, 707.0)),
        x,
        #[inline(always)]
        |x| exp_whole(x),
    )
}
