//! Double-word arithmetic: a value is carried as an unevaluated sum `hi + lo`.
//!
//! The error-free transformations of Dekker, Knuth and Veltkamp. Where [`Alu::FUSED`], the error of
//! a product is one `mul_add`; elsewhere the factors are split in halves whose products are exact.
//! None of this holds for infinities, NaN or on overflow: callers replace those lanes by `select`.

use crate::alu::{Alu, Bits, Number};

/// `hi + lo`, where `hi` is the sum rounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dd<V> {
    /// The value, rounded.
    pub hi: V,
    /// What rounding lost.
    pub lo: V,
}

/// `a + b` exactly.
#[inline(always)]
pub(crate) fn two_sum<V: Alu>(a: V, b: V) -> Dd<V> {
    let hi = a + b;
    let t = hi - a;
    Dd { hi, lo: (a - (hi - t)) + (b - t) }
}

/// `a + b` exactly, where `|a| >= |b|` or `a` is zero.
#[inline(always)]
pub(crate) fn fast_two_sum<V: Alu>(a: V, b: V) -> Dd<V> {
    let hi = a + b;
    Dd { hi, lo: b - (hi - a) }
}

/// `a` as the sum of two halves of its significand: the low bits are cut off, so that nothing can
/// overflow as it can in Veltkamp's product.
#[inline(always)]
pub(crate) fn split<V: Alu>(a: V) -> Dd<V> {
    let bits = a.to_bits();
    let hi = V::from_bits(bits & bits.lit(-1 << (V::Elem::SIGNIFICAND / 2 + 1)));
    Dd { hi, lo: a - hi }
}

/// `a · b`: exact while the product's last bit is not below the subnormals. Without FMA `f64`'s last
/// term may round, an error of 2⁻¹⁰⁵ of the product.
#[inline(always)]
pub(crate) fn two_prod<V: Alu>(a: V, b: V) -> Dd<V> {
    let hi = a * b;
    if V::FUSED {
        return Dd { hi, lo: a.mul_add(b, -hi) };
    }
    let (a, b) = (split(a), split(b));
    let lo = ((a.hi * b.hi - hi) + a.hi * b.lo + a.lo * b.hi) + a.lo * b.lo;
    Dd { hi, lo }
}

impl<V: Alu> Dd<V> {
    /// The sum of both words.
    #[inline(always)]
    pub(crate) fn value(self) -> V {
        self.hi + self.lo
    }

    /// Both words times `b`, a power of two (or any factor that keeps the products exact).
    #[inline(always)]
    pub(crate) fn scale(self, b: V) -> Self {
        Self { hi: self.hi * b, lo: self.lo * b }
    }
}

/// `a·b + c` in two words, where `c` less the sum is exact: `c` has few bits, or the greater size.
#[inline(always)]
pub(crate) fn mul_add_dd<V: Alu>(a: V, b: V, c: V) -> Dd<V> {
    if V::FUSED {
        let hi = a.mul_add(b, c);
        return Dd { hi, lo: a.mul_add(b, c - hi) };
    }
    let p = two_prod(a, b);
    let hi = p.hi + c;
    Dd { hi, lo: ((c - hi) + p.hi) + p.lo }
}

/// `(n + n_lo)/d`, `d` well inside the range; `n_lo` need not be small.
#[inline(always)]
pub(crate) fn divide<V: Alu>(n: V, n_lo: Option<V>, d: Dd<V>) -> V {
    let inverse = d.hi.coarse_recip();
    let q = n * inverse;
    // n - q d, exact but for the low words.
    let rest = if V::FUSED {
        (-q).mul_add(d.hi, n)
    } else {
        let p = two_prod(q, d.hi);
        (n - p.hi) - p.lo
    };
    let rest = if let Some(lo) = n_lo { rest + lo } else { rest };
    (-q).mul_add(d.lo, rest).mul_add(inverse, q)
}
