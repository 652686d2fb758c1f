//! Computes sinh, cosh and tanh: a short series of the reduced argument is combined with exact powers of two.

use super::dd::split;
use super::exp::{magic, pick, power, reduce, single};
use super::{horner, tanh_table};
use crate::alu::{Alu, Bits, Number};
use core::f64::consts::LOG2_E;

// Remez exchange in 260 bits, rounded to the element type; the errors are those before rounding.

/// `(sinh r - r) / r³` in `r²` on `|r| ≤ ln 2 / 2`, relative error of sinh 2^-26.2 and 2^-61.7.
const SINH_SINGLE: [f64; 2] = [0.1666654348373413, 0.008366536349058151];
const SINH_DOUBLE: [f64; 5] = [
    0.16666666666666677,
    0.008333333333321669,
    0.00019841269886023045,
    2.755724431613454e-06,
    2.5108999056805315e-08,
];
/// `(cosh r - 1) / r²` in `r²` there, relative error of cosh 2^-34.3 and 2^-70.7.
const COSH_SINGLE: [f64; 3] = [0.5, 0.041666269302368164, 0.0013946028193458915];
const COSH_DOUBLE: [f64; 6] = [
    0.5,
    0.04166666666666671,
    0.0013888888888864206,
    2.4801587362944095e-05,
    2.755724216704791e-07,
    2.092432894976782e-09,
];
/// `(tanh r - r) / r³` in `r²` on `|r| ≤ ln 2 / 4`, relative error of tanh 2^-32.6 and 2^-66.1.
const TANH_SINGLE: [f64; 3] = [-0.33333322405815125, 0.13331183791160583, -0.05272702872753143];
const TANH_DOUBLE: [f64; 7] = [
    -0.3333333333333333,
    0.13333333333330513,
    -0.05396825396013819,
    0.021869487428448627,
    -0.008863154593101814,
    0.0035888717618086353,
    -0.0013876119778443586,
];
/// `tanh x / x` as a quotient in `x²` with denominator `1 + …` on `|x| ≤ 4.7`, by Lawson's iteration:
/// relative error 2^-14.7, and 1 - 2^-12.9 at the end.
const APPROX_OVER: [f64; 3] = [0.9999635815620422, 0.10332813858985901, 0.0006997096352279186];
const APPROX_UNDER: [f64; 3] = [1.0, 0.43642643094062805, 0.013103218749165535];

/// Two factors of `sinh a` (`odd`) or `cosh a` for `a ≥ 0`, the second a power of two; their product is
/// `2^(n-1) ((1 ∓ 4^-n) cosh r + (1 ± 4^-n) sinh r)`.
#[inline(always)]
fn sum_and_power<V: Alu>(a: V, odd: bool) -> (V, V) {
    let p = reduce(pick(a, 90.5, 711.5).min(a));
    let r2 = p.r * p.r;
    let (s, c) = if single::<V>() {
        (horner(r2, SINH_SINGLE), horner(r2, COSH_SINGLE))
    } else {
        (horner(r2, SINH_DOUBLE), horner(r2, COSH_DOUBLE))
    };
    // 4 and 4·4^-n, so that the power of two that is left has an exponent field.
    let four = a.c(4.0);
    let few = a.c(40.0).min(p.n);
    let u = power(few.mul_add(a.c(-2.0), magic(a) + a.c(2.0)));
    let (difference, sum) = (four - u, four + u);
    let (by_cosh, by_sinh) = if odd { (difference, sum) } else { (sum, difference) };
    // by_cosh (1 + r² c) + by_sinh (r + r³ s), small terms first.
    let small = by_cosh * (r2 * c) + by_sinh * ((r2 * p.r) * s);
    (by_cosh + by_sinh.mul_add(p.r, small), power(p.shifted - a.c(3.0)))
}

/// `sinh x`, within 2 ulp.
#[inline(always)]
pub(crate) fn sinh<V: Alu>(x: V) -> V {
    let (m, p) = sum_and_power(x.abs(), true);
    (m * p).copysign(x)
}

/// `cosh x`, within 2 ulp.
#[inline(always)]
pub(crate) fn cosh<V: Alu>(x: V) -> V {
    let (m, p) = sum_and_power(x.abs(), false);
    m * p
}

/// `tanh x` by a polynomial for each of 32 segments of `|x|`, within 0.6 ulp.
#[inline(always)]
pub(crate) fn tanh_by_table<V: Alu>(x: V, table: &'static [[<V::Elem as Number>::Real; 32]; 7]) -> V {
    let a = x.c(tanh_table::END).min(x.abs());
    let place = a.mul_add(x.c(tanh_table::SCALE), x.c(1.0));
    let i = place.to_bits().shr::<20>();
    let [centre, c0, c1, c2, c3, c4, c5] = table;
    let h = a - V::lookup32(i, centre);
    let q = V::lookup32(i, c5).mul_add(h, V::lookup32(i, c4));
    let q = q.mul_add(h, V::lookup32(i, c3)).mul_add(h, V::lookup32(i, c2)).mul_add(h, V::lookup32(i, c1));
    let base = V::select(place.lt(x.c(tanh_table::ODD)), a, V::lookup32(i, c0));
    q.mul_add(h, base).copysign(x)
}

/// `tanh x`, within 1 ulp.
#[inline(always)]
pub(crate) fn tanh<V: Alu>(x: V) -> V {
    if V::PERMUTES
        && let Some(table) = V::Elem::TANH
    {
        return tanh_by_table(x, table);
    }
    // |x| = n ln 2 / 2 + r and b = tanh r: tanh |x| = N/D with t = 2^-n, N = (1 - t) + (1 + t) b and
    // D = (1 + t) + (1 - t) b. It is 1 from 9.1 (19.1) on.
    let one = x.c(1.0);
    let z = pick(x, 9.5, 20.0).min(x.abs());
    let shifted = z.mul_add(x.c(-2.0 * LOG2_E), magic(x));
    let minus_n = shifted - magic(x);
    // With FMA a full word times n is exact enough; else its product must be exact.
    let (c, c_lo) = if V::FUSED {
        (
            pick(x, 0.3465735912322998, 0.34657359027997264),
            pick(x, -9.52327149978884e-10, 1.1595234069231498e-17),
        )
    } else {
        (
            pick(x, 0.3465728759765625, 0.34657359027994517),
            pick(x, 7.143034101547086e-07, 2.7489615093541856e-14),
        )
    };
    let hi = minus_n.mul_add(c, z);
    let r = if V::FUSED { hi } else { minus_n.mul_add(c_lo, hi) };
    let r2 = r * r;
    let series = if single::<V>() { horner(r2, TANH_SINGLE) } else { horner(r2, TANH_DOUBLE) };
    let cubic = (r2 * series) * r;
    // b = hi + lo.
    let lo = if V::FUSED && single::<V>() { cubic } else { minus_n.mul_add(c_lo, cubic) };
    let b = hi + lo;
    let t = power(shifted);
    let (minus, plus) = (one - t, one + t);
    let inverse = one / b.mul_add(minus, plus);
    // A multiple of 2^-8 (2^-17) near the quotient.
    let grid = pick(x, 49_152.0, 51_539_607_552.0);
    let y = b.mul_add(plus, minus).mul_add(inverse, grid) - grid;
    // N - y D = (1 - y) - t (1 + y) + b ((1 - y) + t (1 + y)): y has so few bits that these are exact.
    let (below, above) = (one - y, one + y);
    let j = (-t).mul_add(above, below);
    let k = t.mul_add(above, below);
    let rest = if V::FUSED {
        hi.mul_add(k, j)
    } else {
        let h = split(hi);
        (h.hi * k + j) + h.lo * k
    };
    lo.mul_add(k, rest).mul_add(inverse, y).copysign(x)
}

/// `tanh x` within a relative 2^-12; keeps the sign of zero.
#[inline(always)]
pub(crate) fn approx_tanh<V: Alu>(x: V) -> V {
    let y = x.c(4.7).min(x.c(-4.7).max(x));
    let s = y * y;
    y * horner(s, APPROX_OVER) * horner(s, APPROX_UNDER).coarse_recip()
}
