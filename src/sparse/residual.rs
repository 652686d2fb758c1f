//! The true residual `b - Ax`. The residual that an iteration updates drifts from it by rounding errors, so a solver
//! returns `Ok` only by the true one.

use super::Csr;
use crate::alu::math::dd::{two_prod, two_sum};
use crate::error::Error;
use crate::lanes::fold::to_scalar;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Portable, Simd};

/// A sum of products in two words: of `f32` without a rounding error that counts, of `f64` with about `n·2⁻¹⁰⁵`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    hi: f64,
    lo: f64,
}

type Lane = <Portable<1> as Simd>::F64;

impl Sum {
    pub fn new<T: Element>(x: T) -> Self {
        Self { hi: x.to_f64(), lo: 0.0 }
    }
    /// Adds `xy`.
    pub fn add<T: Element>(&mut self, x: T, y: T) {
        self.product(x.to_f64(), y.to_f64(), T::SIGNIFICAND < 30);
    }
    /// Adds `x` times another sum.
    pub fn add_times<T: Element>(&mut self, x: T, other: Self) {
        self.product(x.to_f64(), other.hi, false);
        self.product(x.to_f64(), other.lo, false);
    }
    /// Adds `xy`, which may be exact as it is: that of two `f32`.
    fn product(&mut self, x: f64, y: f64, exact: bool) {
        let lane = |x: f64| <Lane as Vector>::splat(Portable::NATIVE, x);
        let (product, lost) = if exact {
            (x * y, 0.0)
        } else {
            let of = two_prod(lane(x), lane(y));
            (to_scalar(of.hi), to_scalar(of.lo))
        };
        let sum = two_sum(lane(self.hi), lane(product));
        self.hi = to_scalar(sum.hi);
        self.lo += to_scalar(sum.lo) + lost;
    }
    /// The sum, rounded; NaN or an infinity when it left the range on the way.
    pub fn value(self) -> f64 {
        if self.hi - self.hi == 0.0 { self.hi + self.lo } else { self.hi }
    }
}

/// Row `i` of `Ax`.
pub(super) fn row<T: Element>(a: Csr<'_, T>, i: usize, x: &[T]) -> Sum {
    let (columns, values) = a.row(i);
    let mut sum = Sum::new(T::ZERO);
    columns
        .iter()
        .zip(values)
        .for_each(|(c, v)| sum.add(*v, x.get(*c as usize).copied().unwrap_or_default()));
    sum
}

/// The exponent of a magnitude, within what a power of 2 and its reciprocal are numbers for.
fn exponent(most: f64) -> i32 {
    libm::frexp(most).1.saturating_sub(1).clamp(-1000, 1000)
}

/// The length of a vector whose largest element is near 1.
fn length<T: Element>(x: &[T], by: f64) -> f64 {
    libm::sqrt(x.iter().map(|x| x.to_f64() * by).map(|x| x * x).sum())
}

/// A norm times a power of 2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub norm: f64,
    pub exponent: i32,
}

impl Size {
    /// The power of 2.
    pub fn power(self) -> f64 {
        libm::ldexp(1.0, self.exponent)
    }
}

/// A system that is to be solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a, T> {
    pub a: Csr<'a, T>,
    pub b: &'a [T],
    /// The norm of b.
    pub whole: Size,
}

impl<'a, T: Element> Goal<'a, T> {
    pub fn new(a: Csr<'a, T>, b: &'a [T]) -> Self {
        let most = b.iter().fold(0.0f64, |most, b| most.max(b.to_f64().abs()));
        let exponent = exponent(most);
        let norm = length(b, libm::ldexp(1.0, -exponent));
        Self { a, b, whole: Size { norm, exponent } }
    }
    /// `r = b - Ax` by a power of 2 that brings its largest element next to 1, so that no square of a small one is lost.
    ///
    /// Errors: [`Error::Domain`] names `x` when an element of it is beyond the largest number.
    pub fn residual(&self, x: &[T], r: &mut [T]) -> Result<Size, Error> {
        let mut fill = |exponent: i32| {
            let by = libm::ldexp(1.0, -exponent);
            let rows = self.a.rows_from(0).zip(self.b);
            rows.zip(r.iter_mut()).fold(0.0f64, |most, (((columns, values), b), r)| {
                let mut sum = Sum::new(*b);
                for (c, v) in columns.iter().zip(values) {
                    sum.add(-*v, x.get(*c as usize).copied().unwrap_or_default());
                }
                let left = sum.value();
                *r = T::from_f64(left * by);
                // NaN stays.
                if left.abs() > most || left != left { left.abs() } else { most }
            })
        };
        let most = fill(self.whole.exponent);
        if most - most != 0.0 {
            return Err(Error::must_be("x", "such that the residual is finite: scale the system"));
        }
        let exponent = exponent(most);
        let shift = self.whole.exponent - exponent;
        if (-60..=60).contains(&shift) {
            let by = T::from_f64(libm::ldexp(1.0, shift));
            r.iter_mut().for_each(|r| *r = *r * by);
        } else {
            fill(exponent);
        }
        Ok(Size { norm: length(r, 1.0), exponent })
    }
    /// A residual as a share of b.
    pub fn share(&self, left: Size) -> f64 {
        if left.norm == 0.0 {
            return 0.0;
        }
        libm::ldexp(left.norm / self.whole.norm, left.exponent.saturating_sub(self.whole.exponent))
    }
    /// A share of b in the units of a residual.
    pub fn part(&self, share: T, left: Size) -> f64 {
        let scaled = share.to_f64() * self.whole.norm;
        libm::ldexp(scaled, self.whole.exponent.saturating_sub(left.exponent))
    }
}

/// A share of what there was that nothing is left of but rounding errors.
pub(super) fn rounding<T: Element>() -> f64 {
    libm::ldexp(1.0, -T::SIGNIFICAND)
}

/// Whether going on from the residual anew brings an iteration nearer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    best: f64,
    vain: u32,
}

impl Watch {
    pub const fn new() -> Self {
        Self { best: f64::INFINITY, vain: 0 }
    }
    /// `false` at the third residual in a row that is not half of the best.
    pub fn nearer(&mut self, share: f64) -> bool {
        if share <= 0.5 * self.best {
            *self = Self { best: share, vain: 0 };
            return true;
        }
        self.vain += 1;
        self.vain < 3
    }
}

/// `x += αp`, but for elements that would be no numbers; whether there were none.
pub(super) fn advance<S: Simd, T: Element>(s: S, alpha: T, p: &[T], x: &mut [T]) -> bool {
    s.vectorize(
        #[inline(always)]
        || {
            let mut all = true;
            for (x, p) in x.iter_mut().zip(p) {
                let y = *x + alpha * *p;
                let number = y - y == T::ZERO;
                *x = if number { y } else { *x };
                all &= number;
            }
            all
        },
    )
}
