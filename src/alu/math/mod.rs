//! Transcendental functions over [`Alu`](crate::Alu): each is one polynomial, which every instruction set and every GPU
//! evaluates.

pub(crate) mod dd;
pub(crate) mod erf;
pub(crate) mod exp;
pub(crate) mod hyperbolic;
pub(crate) mod inverse;
pub(crate) mod ln;
pub(crate) mod pow;
pub(crate) mod sigmoid;
pub(crate) mod tanh_table;
pub(crate) mod trig;

use crate::alu::Alu;

/// `c₀ + c₁x + c₂x² + …` by Horner's rule.
#[inline(always)]
pub(crate) fn horner<V: Alu, const N: usize>(x: V, c: [f64; N]) -> V {
    let mut high_first = c.into_iter().rev();
    let top = x.c(high_first.next().unwrap_or(0.0));
    high_first.fold(top, |p, c| p.mul_add(x, x.c(c)))
}
