//! The logistic function and what is made of it: with `e = e^-|w|`, `σ(-|w|) = e/(1 + e)` keeps its
//! relative precision however small it is, and `σ(|w|) = 1 - σ(-|w|)`.

use super::dd::{Dd, divide, fast_two_sum, mul_add_dd, split, two_prod};
use super::exp::{approx_exp, ln2_lo, magic, pick, power, q, single};
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
    fn new(v: V, lo: Option<V>) -> Self {
        let shifted = v.mul_add(v.c(-LOG2_E), magic(v));
        let n = shifted - magic(v);
        let hi = n.mul_add(pick(v, 0.693145751953125, 0.6931471805598903), v);
        let r = match lo {
            Some(lo) => hi + n.mul_add(ln2_lo(v), lo),
            None => n.mul_add(ln2_lo(v), hi),
        };
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
        let inverse = one / ((one + self.power) + (self.r + self.t));
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
    let d = Decay::new(pick(x, 105.0, 750.0).min(x.abs()), None);
    let h = d.scale(d.logistic());
    V::select(x.lt(x.c(0.0)), h, x.c(1.0) - h)
}

/// `x / (1 + e^-x)`, within 2 ulp.
#[inline(always)]
pub(crate) fn silu<V: Alu>(x: V) -> V {
    let v = pick(x, 115.0, 760.0).min(x.abs());
    let d = Decay::new(v, None);
    // x - h on the right, -h on the left.
    x.c(-0.0).max(x) - d.scale(v * d.logistic())
}

/// `x / (1 + e^-2u)` with `u = √(2/π) (x + 0.044715 x³)`, within 2 ulp.
#[inline(always)]
pub(crate) fn gelu<V: Alu>(x: V) -> V {
    // From here on the left is 0 and the right is x.
    let a = pick(x, 11.5, 22.5).min(x.abs());
    // v = a (C1 + C3 a²) with C1 = 2√(2/π), C3 = 0.044715 C1: the exponential multiplies its error by v,
    // so it takes two words. The first word of C1 has few bits.
    let c1 = pick(x, 1.595768928527832, 1.5957691216057341);
    let c1_lo = pick(x, 1.930778986805098e-07, -3.430362161966579e-15);
    let c3 = pick(x, 0.07135481387376785, 0.07135481627260025);
    let c3_lo = pick(x, 2.3988323959931355e-09, -6.175149918155315e-19);
    let s = two_prod(a, a);
    let f = mul_add_dd(c3, s.hi, c1);
    let f_lo = c3_lo.mul_add(s.hi, c3.mul_add(s.lo, f.lo)) + c1_lo;
    let v = two_prod(a, f.hi);
    let d = Decay::new(v.hi, Some(a.mul_add(f_lo, v.lo)));
    x.c(-0.0).max(x) - d.scale(a * d.logistic())
}

/// `x tanh(ln(1 + e^x))`, within 2 ulp.
#[inline(always)]
pub(crate) fn mish<V: Alu>(x: V) -> V {
    // With e = e^-|x| this is x A e/(A e + K) on the left, A = 2 + e and K = 2, and on the right
    // x - x A e/(A e + K), A = 2 e and K = 1 + 2 e.
    let (one, two) = (x.c(1.0), x.c(2.0));
    let left = x.lt(x.c(0.0));
    let v = pick(x, 115.0, 760.0).min(x.abs());
    let d = Decay::new(v, None);
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
    x.c(-0.0).max(x) - d.scale(v * divide(over, under))
}

/// `1 / (1 + e^-x)` within a relative 2^-12; 0 where the result is below the normal numbers.
#[inline(always)]
pub(crate) fn approx_sigmoid<V: Alu>(x: V) -> V {
    let one = x.c(1.0);
    one / (one + approx_exp(-x))
}

/// `x / (1 + e^-2u)` as [`gelu`], within a relative 2^-11; 0 where the sigmoid is below the normal
/// numbers.
#[inline(always)]
pub(crate) fn approx_gelu<V: Alu>(x: V) -> V {
    // There the sigmoid is 0, and infinity times 0 would be NaN.
    let y = pick(x, -11.0, -23.0).max(x);
    let w = (y * y).mul_add(x.c(0.07135481627260025), x.c(1.5957691216057308)) * y;
    y / (x.c(1.0) + approx_exp(-w))
}
