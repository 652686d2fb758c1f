//! Reductions by their definitions, in double-double, and the bounds that theory gives for the
//! library's order of operations.

use super::dd::Dd;
use fulmen::Element;
use fulmen::lanes::Simd;

/// Elements of a block of the statistics, as the documentation of the crate states it.
pub const BLOCK: usize = 16384;

/// Lanes of a register.
pub fn lanes<S: Simd, T: Element>() -> usize {
    let width: usize = S::NAME.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    if T::NAME == "f64" && !S::NAME.starts_with("portable") { width / 2 } else { width }
}

/// Elements of a leaf of the reduction tree, as the documentation of the crate states it.
pub fn leaf<S: Simd, T: Element>() -> usize {
    8192 * lanes::<S, T>()
}

pub fn dd<T: Element>(x: &[T]) -> impl Iterator<Item = Dd> + Clone + '_ {
    x.iter().map(|x| Dd::from(x.to_f64()))
}

pub fn sum<T: Element>(x: &[T]) -> Dd {
    dd(x).sum()
}

pub fn sum_abs<T: Element>(x: &[T]) -> f64 {
    x.iter().map(|x| x.to_f64().abs()).sum()
}

pub fn dot<T: Element>(a: &[T], b: &[T]) -> Dd {
    dd(a).zip(dd(b)).map(|(a, b)| a * b).sum()
}

pub fn distance<T: Element>(a: &[T], b: &[T]) -> Dd {
    dd(a).zip(dd(b)).map(|(a, b)| (a - b) * (a - b)).sum::<Dd>().sqrt()
}

pub fn mean<T: Element>(x: &[T]) -> Dd {
    sum(x) / Dd::from(x.len() as f64)
}

pub fn covariance<T: Element>(a: &[T], b: &[T]) -> Dd {
    let (m, k) = (mean(a), mean(b));
    dd(a).zip(dd(b)).map(|(a, b)| (a - m) * (b - k)).sum::<Dd>() / Dd::from(a.len() as f64)
}

/// By IEEE 754 `maximum`; `None` for nothing.
pub fn max<T: Element>(x: &[T]) -> Option<f64> {
    x.iter().map(|x| x.to_f64()).reduce(|a, b| {
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else if a == b {
            if a.is_sign_negative() { b } else { a }
        } else if a > b {
            a
        } else {
            b
        }
    })
}

/// Indices from the largest element to the smallest, ties by index.
pub fn descending<T: Element>(x: &[T]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[b].partial_cmp(&x[a]).unwrap().then(a.cmp(&b)));
    order
}

/// The unit roundoff.
pub fn unit<T: Element>() -> f64 {
    0.5 * 2f64.powi(-T::SIGNIFICAND)
}

/// Additions on the longest path of a reduction of `n` elements: along one accumulator, of which
/// there are at least four registers full, among accumulators and lanes, and along the tree.
pub fn depth<S: Simd, T: Element>(n: usize) -> f64 {
    let (lanes, leaf) = (lanes::<S, T>(), leaf::<S, T>());
    let path = n.min(leaf).div_ceil(4 * lanes) + 2 + 3 + lanes.ilog2() as usize;
    path as f64 + levels(n, leaf)
}

/// Levels of the tree over `n` elements.
pub fn levels(n: usize, leaf: usize) -> f64 {
    (n.div_ceil(leaf).max(1) as f64).log2().ceil()
}

/// Higham's `γ_k = k u / (1 - k u)`.
pub fn gamma<T: Element>(k: f64) -> f64 {
    let ku = k * unit::<T>();
    ku / (1.0 - ku)
}

/// What the moments of `x` are, and how far the library's may be off.
pub struct Moments {
    /// With its low part: rounded to `f64` it would be off by `u |µ|`, which may be much of a small spread.
    pub mean: Dd,
    pub variance: f64,
    /// `σ`.
    pub spread: f64,
    /// How far the mean may be off that deviations are taken from.
    pub mean_error: f64,
    /// How far the variance may be off.
    pub variance_error: f64,
    /// The share of a product of spreads by which a sum of products of deviations may be off.
    share: f64,
}

impl Moments {
    /// What the variance of `n` elements may be off by, as a share of itself.
    ///
    /// Deviations are taken from a centre that is off by less than the spread, so they are off by `u`, and their sums,
    /// those of their squares and the corrections made of both by `γ`, of what is about the spread of the block and
    /// three roundings on the way. Each level of the tree adds an error of the difference of means, which is of the same
    /// kind. Nothing is relative to the mean.
    pub fn share<S: Simd, T: Element>(n: usize) -> f64 {
        (6.0 + 2.0 * levels(n, BLOCK)) * gamma::<T>(depth::<S, T>(n.min(BLOCK)) + 8.0)
    }

    pub fn of<S: Simd, T: Element>(x: &[T]) -> Self {
        let n = x.len();
        let (mean, variance) = (mean(x), covariance(x, x).value().max(0.0));
        let (spread, share) = (variance.sqrt(), Self::share::<S, T>(n));
        Self { mean, variance, spread, mean_error: share * spread, variance_error: share * variance, share }
    }

    /// How far the covariance of the data of `self` and `o` may be off.
    pub fn covariance_error(&self, o: &Self) -> f64 {
        self.share * self.spread * o.spread
    }
}
