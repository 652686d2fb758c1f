//! Computes the error function and the exact GELU from one scaled tail. With `a = |x|`, `Q(a) = P(N > a) = e^(-a²/2)
//! G(a)` keeps its relative precision however small it is, as `G` is smooth.

use super::dd::two_prod;
use super::exp::{pick, single};
use super::horner;
use crate::alu::Alu;

// Remez exchange in 60 digits, rounded to the element type; the errors are those before rounding.

/// `(1 + a) G(a)` in `y = (a - k)/(a + k)`, `k` 4 on `[0, 14.5]` (6 on `[0, 39]`): relative error 2^-30.8 and 2^-63.3.
const TAIL_SINGLE: [f64; 12] = [
    0.472053200006485,
    -0.09670347720384598,
    0.01399960182607174,
    0.02860034815967083,
    -0.03219715878367424,
    0.017936628311872482,
    -0.005007334519177675,
    -0.00029123423155397177,
    0.000709080311935395,
    -7.17776856618002e-05,
    -9.737213258631527e-05,
    -1.0463951184647158e-05,
];
const TAIL_DOUBLE: [f64; 25] = [
    0.45345520027112796,
    -0.0850253623057707,
    0.039811424562429656,
    -0.0043733867795963865,
    -0.016141517332185263,
    0.022592467062891308,
    -0.0197664792202972,
    0.013246864152252619,
    -0.007059819416717689,
    0.0029356555343798964,
    -0.0008689946985122875,
    0.00011948955753470334,
    3.779505311192394e-05,
    -2.635300055973116e-05,
    4.411970781426066e-06,
    1.7827359037307802e-06,
    -9.988400553346886e-07,
    1.5626440952856003e-09,
    1.3169394256507406e-07,
    -2.2414033358531774e-08,
    -1.5553997610332085e-08,
    4.6098741669402156e-09,
    1.920495375639311e-09,
    -5.150881550317439e-10,
    -2.0969131534308693e-10,
];
/// `erf x / x - 1` in `x²` on `|x| ≤ 3/4`: relative error of erf 2^-29.4 and 2^-60.1.
const NEAR_SINGLE: [f64; 6] = [
    0.12837916612625122,
    -0.3761261999607086,
    0.11283376812934875,
    -0.026834625750780106,
    0.005114346742630005,
    -0.0006749512976966798,
];
const NEAR_DOUBLE: [f64; 11] = [
    0.1283791670955126,
    -0.37612638903183715,
    0.11283791670952482,
    -0.026866170644402696,
    0.005223977615124203,
    -0.0008548326169186207,
    0.00012055288779975639,
    -1.4924176683082207e-05,
    1.6430388610664248e-06,
    -1.5937601144617582e-07,
    1.146375499912527e-08,
];

/// `Q(a) = e^(-a²/2) G(a)` in factors, for `0 ≤ a` up to where it is 0; NaN stays.
#[inline(always)]
fn tail<V: Alu>(a: V) -> (V, V) {
    let k = pick(a, 4.0, 6.0);
    let y = (a - k) / (a + k);
    let g = if single::<V>() { horner(y, TAIL_SINGLE) } else { horner(y, TAIL_DOUBLE) };
    // e^-(hi + lo)/2 = e^-hi/2 (1 - lo/2).
    let square = two_prod(a, a);
    let half = a.c(-0.5);
    let g = g / (a.c(1.0) + a);
    ((square.hi * half).exp(), g.mul_add(square.lo * half, g))
}

/// `erf x`, within 2 ulp.
#[inline(always)]
pub(crate) fn erf<V: Alu>(x: V) -> V {
    use core::f64::consts::SQRT_2;
    let a = x.abs();
    let z = x * x;
    let near = if single::<V>() { horner(z, NEAR_SINGLE) } else { horner(z, NEAR_DOUBLE) };
    // From 4 (6) on it is 1.
    let (e, g) = tail(pick(x, 4.0 * SQRT_2, 6.0 * SQRT_2).min(a * x.c(SQRT_2)));
    let far = (e + e).mul_add(-g, x.c(1.0)).copysign(x);
    V::select(a.lt(x.c(0.75)), x.mul_add(near, x), far)
}

/// `x (1 + erf(x/√2))/2`, within 4 ulp.
#[inline(always)]
pub(crate) fn gelu_erf<V: Alu>(x: V) -> V {
    let a = pick(x, 14.5, 39.0).min(x.abs());
    let (e, g) = tail(a);
    // x - a Q on the right, -a Q on the left; the product that may underflow comes last.
    x.c(-0.0).max(x) - e * (a * g)
}
