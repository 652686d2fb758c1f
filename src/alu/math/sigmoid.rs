//! Computes the logistic function, SiLU, the tanh form of GELU, and their derivatives. With `e = e^-|w|`, `σ(-|w|) =
//! e/(1 + e)` keeps its relative precision however small it is, and `σ(|w|) = 1 - σ(-|w|)`.

use super::dd::{Dd, divide, fast_two_sum, mul_add_dd, split, two_prod};
use super::exp::{approx_exp, ln2_lo, magic, pick, power, q, single};
use super::horner;
use crate::alu::{Alu, Bits};
use core::f64::consts::LOG2_E;

/// The first 8 (17) bits of `v`: so few that products with them are exact, or nearly so.
#[inline(always)]
fn coarse<V: Alu>(v: V) -> V {
    let b = v.to_bits();
    V::from_bits(b & b.lit(if single::<V>() { -1 << 16 } else { -1 << 36 }))
}

/// `e^-v = 2^n / (1 + w)` for `v ≥ 0`, and what is needed to scale by `2^n`.
struct Decay<V> {
    n: V,
    /// `2^n`, or a power so small that adding it to 1 has no effect.
    power: V,
    /// `n + magic`, and the same for `power`.
    shifted: V,
    reached: V,
    /// `r` and `r² q(r)`: `w` in two parts.
    r: V,
    t: V,
}

impl<V: Alu> Decay<V> {
    #[inline(always)]
    fn new(v: V) -> Self {
        let shifted = v.mul_add(v.c(-LOG2_E), magic(v));
        let n = shifted - magic(v);
        let hi = n.mul_add(pick(v, 0.693145751953125, 0.6931471805598903), v);
        let r = n.mul_add(ln2_lo(v), hi);
        let reached = (magic(v) - pick(v, 100.0, 1000.0)).max(shifted);
        Self { n, power: power(reached), shifted, reached, r, t: (r * r) * q(r) }
    }

    /// `x 2^n`, rounded once.
    #[inline(always)]
    fn scale(&self, x: V) -> V {
        if V::SCALES {
            return x.scale2(self.n);
        }
        x * self.power * power((self.shifted - self.reached) + magic(x))
    }

    /// `1 / (1 + w + 2^n)`, so that `σ(-v)` is this times `2^n`.
    #[inline(always)]
    fn logistic(&self) -> V {
        let one = self.r.c(1.0);
        let inverse = ((one + self.power) + (self.r + self.t)).near_recip();
        // What a coarse quotient leaves, in exact steps but for the last.
        let g = coarse(inverse);
        let rest = (-g).mul_add(self.power, one - g);
        let (r, t) = if V::FUSED {
            (self.r, self.t)
        } else {
            let r = split(self.r);
            (r.hi, r.lo + self.t)
        };
        let rest = (-g).mul_add(t, (-g).mul_add(r, rest));
        rest.mul_add(inverse, g)
    }
}

/// `1 / (1 + e^-x)`, within 1 ulp.
#[inline(always)]
pub(crate) fn sigmoid<V: Alu>(x: V) -> V {
    let d = Decay::new(pick(x, 105.0, 750.0).min(x.abs()));
    let h = d.scale(d.logistic());
    V::select(x.lt(x.c(0.0)), h, x.c(1.0) - h)
}

/// `x / (1 + e^-x)`, within 2 ulp.
#[inline(always)]
pub(crate) fn silu<V: Alu>(x: V) -> V {
    let v = pick(x, 115.0, 760.0).min(x.abs());
    let d = Decay::new(v);
    // x - h on the right, -h on the left.
    x.c(-0.0).max(x) - d.scale(v * d.logistic())
}

/// The derivative of [`silu`], `σ + x σ (1 - σ)`.
#[inline(always)]
pub(crate) fn silu_slope<V: Alu>(x: V) -> V {
    let [_, slope] = silu_and_slope(x);
    slope
}

/// [`silu`], and its derivative: `σ + v σ (1 - σ)` for `v = |x|` on the right and `-|x|` on the left, where `σ = 2^n g`
/// on the left and 1 less that on the right. What can underflow is rounded once.
#[inline(always)]
pub(crate) fn silu_and_slope<V: Alu>(x: V) -> [V; 2] {
    let v = pick(x, 115.0, 760.0).min(x.abs());
    let d = Decay::new(v);
    let g = d.logistic();
    let along = v * g;
    let part = d.scale(along);
    let rest = x.c(1.0) - d.scale(g);
    // Far out it is a negative number that rounds to zero: 0, not -0.
    let left = d.scale((-along).mul_add(rest, g)) + x.c(0.0);
    [x.c(-0.0).max(x) - part, V::select(x.lt(x.c(0.0)), left, part.mul_add(rest, rest))]
}

/// `2√(2/π) (x + 0.044715 x³) = K x (x² + 1/0.044715)`, and `(e^Kf - 1) / f` for `|f| ≤ ln 2 / 2K`: least
/// squares at Chebyshev nodes in 40 digits, rounded one after the other, relative error of `e^Kf`
/// 2^-27.7 and 2^-57.8.
const GELU_SINGLE: [f64; 6] = [
    0.07135482132434845,
    0.0025457548908889294,
    6.054939149180427e-05,
    1.0801397820614511e-06,
    1.5501729677680487e-08,
    1.839370600276169e-10,
];
const GELU_DOUBLE: [f64; 11] = [
    0.07135481627260025,
    0.002545754902648275,
    6.0550624451178464e-05,
    1.0801446707224065e-06,
    1.5414704905794314e-08,
    1.833189068322452e-10,
    1.86866952223694e-12,
    1.666725647514623e-14,
    1.3214489469923405e-16,
    9.45433950223274e-19,
    6.1061301292788725e-21,
];

/// Past it gelu is 0 on the left and x on the right, and its slope 0 and 1.
#[inline(always)]
fn gelu_end<V: Alu>(x: V) -> V {
    pick(x, 10.8, 21.6)
}

/// `1 + e^2|u|` for `u = √(2/π) (a + 0.044715 a³)`, `0 ≤ a ≤` [`gelu_end`], in two words times a power of two that keeps
/// it finite; and that power.
#[inline(always)]
fn gelu_under<V: Alu>(a: V) -> (Dd<V>, V) {
    let x = a;
    // 2|u| = K v, v = a (a² + k) in two words, since the exponential multiplies its error by itself. The
    // first word of k is so short that k less the sum is exact.
    let k = pick(x, 22.363861083984375, 22.36386000223638);
    let k_lo = pick(x, -1.0817479889997765e-06, 7.068084733670861e-15);
    let s = mul_add_dd(a, a, k);
    let v = two_prod(a, s.hi);
    let v_lo = a.mul_add(s.lo + k_lo, v.lo);
    // v = n ln 2 / K + f; the product with the constant's first word is exact.
    let bias = pick(x, 30.0, 100.0);
    let shifted = v.hi.mul_add(x.c(0.1029432395800235), magic(x));
    let n = shifted - magic(x);
    let f = n.mul_add(pick(x, -9.714111328125, -9.714091028024995), v.hi)
        + n.mul_add(pick(x, 2.030010130390439e-05, 1.2993710870057628e-12), v_lo);
    let p = if single::<V>() { horner(f, GELU_SINGLE) } else { horner(f, GELU_DOUBLE) };
    // 1 + e^2|u| = 1 + 2^n (1 + f p) in two words, all times a power of two that keeps it finite.
    let one = pick(x, f64::from_bits((1023 - 30) << 52), f64::from_bits((1023 - 100) << 52));
    let power = power(shifted - bias);
    let w = power * f;
    let d = w.mul_add(p, power + one);
    let rest = (power - d) + one;
    let lo = if V::FUSED {
        w.mul_add(p, rest)
    } else {
        let w = two_prod(w, p);
        (rest + w.hi) + w.lo
    };
    (Dd { hi: d, lo }, one)
}

/// `x / (1 + e^-2u)` with `u = √(2/π) (x + 0.044715 x³)`, within 2 ulp.
#[inline(always)]
pub(crate) fn gelu<V: Alu>(x: V) -> V {
    let a = gelu_end(x).min(x.abs());
    let (under, one) = gelu_under(a);
    // x - h on the right, -h on the left.
    x.c(-0.0).max(x) - divide(a, None, under) * one
}

/// The derivative of [`gelu`], `σ + x σ (1 - σ) w'` with `σ = σ(w)`, `w = 2u`; what can underflow is rounded once.
#[inline(always)]
pub(crate) fn gelu_slope<V: Alu>(x: V) -> V {
    const K: f64 = 1.595_769_121_605_730_7;
    let (zero, full) = (x.c(0.0), x.c(1.0));
    let a = gelu_end(x).min(x.abs());
    let (under, one) = gelu_under(a);
    // σ(-|w|) = t one, and |x w'|.
    let t = divide(full, None, under);
    let along = a * (a * a).mul_add(x.c(3.0 * K * 0.044715), x.c(K));
    let h = t * one;
    let rest = full - h;
    let left = (t - t * (along * rest)) * one;
    let left = V::select(a.eq(gelu_end(x)), zero, left);
    V::select(x.lt(zero), left, (along * h).mul_add(rest, rest))
}

/// `x tanh(ln(1 + e^x))`, within 2 ulp.
#[inline(always)]
pub(crate) fn mish<V: Alu>(x: V) -> V {
    // With e = e^-|x| this is x A e/(A e + K) on the left, A = 2 + e and K = 2, and on the right
    // x - x A e/(A e + K), A = 2 e and K = 1 + 2 e.
    let (one, two) = (x.c(1.0), x.c(2.0));
    let left = x.lt(x.c(0.0));
    let v = pick(x, 115.0, 760.0).min(x.abs());
    let d = Decay::new(v);
    // m = e^-r in two words; e = 2^n m.
    let s = one - d.r;
    let rest = ((one - s) - d.r) + (d.r * d.r) * q(-d.r);
    let m = fast_two_sum(s, rest);
    let e = m.scale(d.power);
    let twice = e.hi + e.hi;
    let a = V::select(left, two + e.hi, twice);
    let a_lo = V::select(left, (two - a) + e.hi + e.lo, e.lo + e.lo);
    let k = V::select(left, two, one + twice);
    let k_lo = V::select(left, x.c(0.0), (one - k) + twice + e.lo + e.lo);
    let over = two_prod(a, m.hi);
    let over = Dd { hi: over.hi, lo: a.mul_add(m.lo, a_lo.mul_add(m.hi, over.lo)) };
    let under = mul_add_dd(a, e.hi, k);
    let under = Dd { hi: under.hi, lo: a_lo.mul_add(e.hi, a.mul_add(e.lo, under.lo + k_lo)) };
    x.c(-0.0).max(x) - d.scale(v * divide(over.hi, Some(over.lo), under))
}

/// `1 / (1 + e^-x)` within a relative 2^-12; 0 where the result is below the normal numbers.
#[inline(always)]
pub(crate) fn approx_sigmoid<V: Alu>(x: V) -> V {
    let one = x.c(1.0);
    (one + approx_exp(-x)).coarse_recip()
}

/// `x / (1 + e^-2u)` as [`gelu`], within a relative 2^-11; 0 where the sigmoid is below the normal
/// numbers.
#[inline(always)]
pub(crate) fn approx_gelu<V: Alu>(x: V) -> V {
    // There the sigmoid is 0, and infinity times 0 would be NaN.
    let y = pick(x, -11.0, -23.0).max(x);
    let w = (y * y).mul_add(x.c(0.07135481627260025), x.c(1.5957691216057308)) * y;
    y * (x.c(1.0) + approx_exp(-w)).coarse_recip()
}
