//! Tolerances of contracts, and the error that each allows for a result.

use crate::alu::Real;

/// What `k` of `γ_k` grows with.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Nothing.
    One,
    /// The square root of the length: of rounding errors that are independent of each other, not of the worst ones.
    Root,
    /// The length of the input, or of the row.
    N,
    /// Its logarithm to base 2, rounded up.
    Log,
    /// Roundings on the longest path through the reduction tree.
    Tree,
}

/// The quantity that a bound is relative to.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mass {
    /// `|ref|`.
    Value,
    /// Sum of the magnitudes of the terms that the element's formula adds; the caller passes it.
    Terms,
    /// `Σ|xᵢ|`.
    SumAbs,
    /// `Σ|aᵢbᵢ|`.
    SumAbsProducts,
    /// `Σ|xᵢ|/n`.
    MeanAbs,
    /// The variance of the first input.
    Variance,
    /// Its standard deviation.
    Stddev,
    /// `σ_a·σ_b`.
    Covariance,
    /// 1; 0 where one input is constant.
    Correlation,
}

/// The error that a contract allows.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// None, and the sign of zero counts.
    Exact,
    /// Multiples of the spacing of the type at the exact result.
    Ulp(f64),
    /// A multiple of the exact result.
    Rel(f64),
    /// A constant.
    Abs(f64),
    /// The larger of a multiple of the exact result and a constant.
    RelAbs {
        /// The multiple.
        rel: f64,
        /// The constant.
        abs: f64,
    },
    /// `γ_k · mass` with `k = times·per + plus`.
    Gamma {
        /// Factor of `per`.
        times: f64,
        /// What `k` grows with.
        per: Per,
        /// The constant part of `k`.
        plus: f64,
        /// What the bound is relative to.
        of: Mass,
        /// Whether results below the smallest normal number may become zero.
        flush: bool,
    },
    /// `2u·|ref| + 2·n·u²·mass`.
    Compensated {
        /// What the second-order part is relative to.
        of: Mass,
    },
}

/// Exponents and precision of a type: `(stored significand bits, smallest normal exponent)`.
fn format<T: Real>() -> (i32, i32) {
    if T::SIGNIFICAND == 23 { (23, -126) } else { (52, -1022) }
}

/// The spacing of `T` at `x`: the distance between the two values around it.
///
/// ```
/// assert_eq!(fulmen::contract::ulp::<f32>(1.5), f32::EPSILON as f64);
/// assert_eq!(fulmen::contract::ulp::<f32>(0.0), f32::from_bits(1) as f64);
/// ```
#[must_use]
pub fn ulp<T: Real>(x: f64) -> f64 {
    let (p, min) = format::<T>();
    let e = if x == 0.0 || !x.is_finite() { min } else { libm::ilogb(x) };
    libm::ldexp(1.0, e.max(min) - p)
}

/// Half the distance from one to the next value.
fn unit<T: Real>() -> f64 {
    libm::ldexp(1.0, -T::SIGNIFICAND - 1)
}

/// `γ_k = k·u / (1 - k·u)`.
fn gamma<T: Real>(k: f64) -> f64 {
    let u = unit::<T>();
    k * u / (1.0 - k * u).max(u)
}

/// What else than each result has a bound: a residual, or how far vectors are from orthonormal.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The contract's name for it; the contract says what is compared with what.
    pub name: &'static str,
    /// Factor of `per`.
    pub times: f64,
    /// What `k` of `γ_k` grows with.
    pub per: Per,
    /// The constant part of `k`.
    pub plus: f64,
}

impl Residual {
    /// The error allowed for elements of type `T`, length `n` and what the bound is relative to.
    ///
    /// ```
    /// let spec = fulmen::contract::spec("cholesky").expect("an op");
    /// let factors = spec.residual("factors").expect("what its contract guarantees");
    /// // |A - LL'| <= γ_k |L||L'|, element by element.
    /// assert!(factors.allowed::<f64>(100, 1.0) < 1e-13);
    /// ```
    #[must_use]
    pub fn allowed<T: Real>(&self, n: usize, of: f64) -> f64 {
        gamma::<T>(self.times * self.per.count(n as f64) + self.plus) * of
    }
}

/// Whether `got` lies within `allowed` of the exact result `reference`. NaN must be NaN. Infinity
/// stands for the first power of two past the largest value, so an overflow is as near as its
/// rounding was; zeros agree whatever their sign.
#[must_use]
pub fn agrees<T: Real>(got: T, reference: f64, allowed: f64) -> bool {
    let g = got.to_f64();
    if reference.is_nan() || g.is_nan() {
        return reference.is_nan() && g.is_nan();
    }
    if reference.is_infinite() {
        return g == reference;
    }
    // Halves, so that 2^1024 does not overflow.
    let past = if T::SIGNIFICAND == 23 { libm::ldexp(1.0, 127) } else { libm::ldexp(1.0, 1023) };
    let half = if g.is_infinite() { past.copysign(g) } else { g * 0.5 };
    if g.is_infinite() {
        (half - reference * 0.5).abs() <= allowed * 0.5
    } else {
        (g - reference).abs() <= allowed
    }
}

impl Tolerance {
    /// The error allowed for a result of type `T`.
    ///
    /// `reference` is the exact result; `inputs` are the op's slice inputs in higher precision (for
    /// a row op, the row); `terms` is the mass for [`Mass::Terms`] (see the contract), else unused.
    ///
    /// ```
    /// use fulmen::contract::{Mass, Per, Tolerance};
    /// let t = Tolerance::Gamma { times: 1.0, per: Per::N, plus: 0.0, of: Mass::SumAbs, flush: false };
    /// let allowed = t.allowed::<f32>(0.0, &[&[1.0, -1.0]], 0.0);
    /// assert!((allowed - 2.0 * 2.0 * 2f64.powi(-24)).abs() < 1e-13);
    /// ```
    #[must_use]
    pub fn allowed<T: Real>(&self, reference: f64, inputs: &[&[f64]], terms: f64) -> f64 {
        let n = inputs.first().map_or(0, |x| x.len()) as f64;
        let u = unit::<T>();
        let r = reference.abs();
        match *self {
            Self::Exact => 0.0,
            Self::Ulp(k) => k * ulp::<T>(reference),
            Self::Rel(k) => k * r + ulp::<T>(0.0),
            Self::Abs(a) => a,
            Self::RelAbs { rel, abs } => (rel * r).max(abs),
            Self::Gamma { times, per, plus, of, flush } => {
                let k = times * per.count(n) + plus;
                let gamma = gamma::<T>(k);
                // A rounding below the normal numbers is absolute, not relative.
                let floor =
                    if flush { libm::ldexp(1.0, format::<T>().1) } else { k.min(1.0) * ulp::<T>(0.0) };
                gamma * mass(of, r, inputs, terms) + floor
            }
            Self::Compensated { of } => {
                2.0 * u * r + 2.0 * n * u * u * mass(of, r, inputs, terms) + ulp::<T>(0.0)
            }
        }
    }
}

impl Per {
    fn count(self, n: f64) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Root => libm::sqrt(n),
            Self::N => n,
            Self::Log => libm::ceil(libm::log2(n.max(1.0))),
            Self::Tree => {
                // One lane is the narrowest leaf and the tallest tree.
                let leaf = crate::lanes::fold::LEAF_VECTORS as f64;
                let levels = if n > leaf { libm::ceil(libm::log2(n / leaf)) + 1.0 } else { 0.0 };
                // At least four accumulators per leaf, then their merge and that of up to 16 lanes.
                n.min(leaf / 4.0 + 8.0) + levels
            }
        }
    }
}

fn mean(x: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    x.iter().map(|&v| f(v)).sum::<f64>() / x.len() as f64
}

fn mass(of: Mass, r: f64, inputs: &[&[f64]], terms: f64) -> f64 {
    let a = inputs.first().copied().unwrap_or_default();
    let b = inputs.get(1).copied().unwrap_or(a);
    let spread = |x: &[f64]| {
        let m = mean(x, |v| v);
        libm::sqrt(mean(x, |v| (v - m) * (v - m)))
    };
    let varies = |x: &[f64]| x.iter().any(|v| Some(v) != x.first());
    match of {
        Mass::Value => r,
        Mass::Terms => terms,
        Mass::SumAbs => a.iter().map(|v| v.abs()).sum(),
        Mass::SumAbsProducts => a.iter().zip(b).map(|(p, q)| (p * q).abs()).sum(),
        Mass::MeanAbs => mean(a, f64::abs),
        Mass::Variance => spread(a) * spread(a),
        Mass::Stddev => spread(a),
        Mass::Covariance => spread(a) * spread(b),
        // Constant data has the correlation 0, exactly.
        Mass::Correlation => f64::from(u8::from(varies(a) && varies(b))),
    }
}
