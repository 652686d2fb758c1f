//! Computes `x^y = 2^(y log₂ x)`; the logarithm and the product are double words.

use super::dd::{Dd, fast_two_sum, two_prod};
use super::exp::exp2_fraction;
use super::horner;
use super::ln::{least_normal, reduce};
use crate::alu::{Alu, Number};

/// `log₂ m = s (2 log₂e + z R(z))`, `s = (m - 1)/(m + 1)`, `z = s²`, `m` in [√½, √2]; `R` of degree 3
/// minimax with weight `z`: error 2^-36. First `R(0)` and `2 log₂e` as double words.
const R0_32: [f64; 2] = [0.9617967009544373, -2.1785550361158596e-08];
const SLOPE_32: [f64; 2] = [2.885390043258667, 3.851925982253235e-08];
const R32: [f64; 3] = [0.5770828723907471, 0.4117059111595154, 0.34022724628448486];
/// The same for `f64`, degree 7: error 2^-65.
const R0_64: [f64; 2] = [0.9617966939259756, -3.1758045516979074e-17];
const SLOPE_64: [f64; 2] = [2.8853900817779268, 4.0710547481862066e-17];
const R64: [f64; 7] = [
    0.5770780163556757,
    0.41219858307726587,
    0.3205989041109907,
    0.26230757504243624,
    0.22198883164657526,
    0.1911579751770588,
    0.19118376796869255,
];

/// `log₂ a` for finite `a > 0`.
#[inline(always)]
fn log2<V: Alu>(a: V) -> Dd<V> {
    let single = V::Elem::SIGNIFICAND == 23;
    let subnormal = a.lt(a.c(least_normal::<V>()));
    let a = V::select(subnormal, a * a.lit(V::Elem::INTEGRAL), a);
    let (k, f) = reduce(a);
    let k = V::select(subnormal, k - k.c(V::Elem::SIGNIFICAND as f64), k);

    // s = f / (2 + f)
    let two = f.c(2.0);
    let d = fast_two_sum(two, f);
    let inv = f.c(1.0) / d.hi;
    let s = f * inv;
    let p = two_prod(s, d.hi);
    let s = Dd { hi: s, lo: (((f - p.hi) - p.lo) - s * d.lo) * inv };

    let z = two_prod(s.hi, s.hi);
    let z = Dd { hi: z.hi, lo: (s.hi + s.hi).mul_add(s.lo, z.lo) };
    let ([r_hi, r_lo], [slope_hi, slope_lo]) = if single { (R0_32, SLOPE_32) } else { (R0_64, SLOPE_64) };
    let rest = z.hi * if single { horner(z.hi, R32) } else { horner(z.hi, R64) };
    let r = fast_two_sum(f.c(r_hi), rest);
    let r = Dd { hi: r.hi, lo: r.lo + f.c(r_lo) };
    let u = product(z, r);
    let w = fast_two_sum(f.c(slope_hi), u.hi);
    let w = Dd { hi: w.hi, lo: w.lo + (u.lo + f.c(slope_lo)) };
    let m = product(s, w);
    let sum = fast_two_sum(k, m.hi);
    fast_two_sum(sum.hi, sum.lo + m.lo)
}

/// The product but for the term below both words.
#[inline(always)]
fn product<V: Alu>(a: Dd<V>, b: Dd<V>) -> Dd<V> {
    let p = two_prod(a.hi, b.hi);
    Dd { hi: p.hi, lo: a.lo.mul_add(b.hi, a.hi.mul_add(b.lo, p.lo)) }
}

/// `2^(hi + lo)`.
#[inline(always)]
fn exp2<V: Alu>(e: Dd<V>) -> V {
    // Beyond `far` the result is 0 or ∞ in any case.
    let far = e.hi.c(if V::Elem::SIGNIFICAND == 23 { 160.0 } else { 1100.0 });
    let near = e.hi.abs().lt(far);
    let hi = V::select(near, e.hi, far.copysign(e.hi));
    let lo = V::select(near, e.lo, hi.c(0.0));
    let n = hi.round_ties_even();
    exp2_fraction((hi - n) + lo).scale2(n)
}

/// `x^y`.
#[inline(always)]
pub(crate) fn pow<V: Alu>(x: V, y: V) -> V {
    let one = x.c(1.0);
    let zero = x.c(0.0);
    let infinity = x.lit(V::Elem::INFINITY);
    let a = x.abs();

    let l = log2(a);
    let e = two_prod(y, l.hi);
    let size = exp2(Dd { hi: e.hi, lo: y.mul_add(l.lo, e.lo) });
    let rare = !(a.gt(zero) & a.lt(infinity) & y.abs().lt(infinity));
    let size = size.patch(
        rare,
        a,
        #[inline(always)]
        |a| {
            let l = V::select(a.eq(zero), -infinity, V::select(a.lt(infinity), a - one, a));
            // The sign of y log₂ a decides between 0 and ∞; NaN stays.
            let e = y * l;
            let r = V::select(e.gt(zero), infinity, V::select(e.lt(zero), zero, e));
            V::select(a.eq(one) & !y.is_nan(), one, r)
        },
    );

    // A negative base takes its sign from an odd y, and is no number to a fraction.
    let half = y * y.c(0.5);
    let whole = y.eq(y.trunc());
    let odd = whole & !half.eq(half.trunc());
    let signed = V::select(odd, size.xor_sign(x), size);
    let no_number = x.lt(zero) & a.lt(infinity) & !whole;
    let r = V::select(no_number, x.lit(V::Elem::NAN), signed);
    V::select(x.eq(one) | y.eq(zero), one, r)
}
