//! Mean and spread of one slice.

use super::norms::add_each;
use super::reduction;
use super::sums::Sum;
use crate::alu::Alu;
use crate::error::{Error, not_empty};
use crate::lanes::fold::{Fold, Join, fold, to_scalar, tree};
use crate::lanes::portable::scalar;
use crate::lanes::{Element, Simd};

/// Elements whose mean and deviations are taken at a time: the second pass finds them in a cache.
pub(super) const BLOCK: usize = 16384;

/// `Σ d` and `Σ d²` of the deviations `d = x - m`.
#[derive(Debug, Clone, Copy)]
struct Deviations<T>(T);

impl<T: Element> Fold<T, 1, 2> for Deviations<T> {
    #[inline(always)]
    fn fill(self) -> [T; 1] {
        [self.0]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sum, squares]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        let d = x - x.lit(self.0);
        [sum + d, d.mul_add(d, squares)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
        add_each(a, b)
    }
}

/// Count, mean and `Σ (x - mean)²` of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments<T> {
    n: T,
    /// The mean.
    pub(crate) mean: T,
    m2: T,
}

impl<T: Element> Moments<T> {
    /// Two passes over at most [`BLOCK`] elements. The second one also corrects the mean by the mean
    /// of the deviations from it, which makes it exact for constant data.
    #[inline(always)]
    fn leaf<S: Simd>(s: S, x: &[T]) -> Self {
        let n = T::from_usize(x.len());
        let [sum] = fold(s, Sum, [x]);
        let rough = sum / n;
        let [sum, squares] = fold(s, Deviations(rough), [x]);
        let shift = sum / n;
        let m2 = squares - sum * shift;
        // Rounding may leave a negative difference; NaN stays.
        Self { n, mean: rough + shift, m2: if m2 < T::ZERO { T::ZERO } else { m2 } }
    }

    /// Chan's update: exact for the exact moments of the parts.
    #[inline]
    fn merge(a: Self, b: Self) -> Self {
        let n = a.n + b.n;
        let d = b.mean - a.mean;
        let share = b.n / n;
        Self { n, mean: a.mean + d * share, m2: (a.m2 + b.m2) + d * d * (a.n * share) }
    }

    /// Of all of `x`, which is not empty. One pass over memory: a leaf stays in the cache.
    #[inline(always)]
    pub(crate) fn of<J: Join, S: Simd>(j: J, s: S, x: &[T]) -> Self {
        if x.len() <= BLOCK {
            return Self::leaf(s, x);
        }
        let part = |start: usize, n: usize| {
            let x = x.get(start..start + n).unwrap_or_default();
            s.vectorize(
                #[inline(always)]
                || Self::leaf(s, x),
            )
        };
        tree(j, 0, x.len(), BLOCK, &part, &Self::merge)
    }

    /// The population variance.
    #[inline(always)]
    pub(crate) fn variance(self) -> T {
        self.m2 / self.n
    }
}

/// The square root of one value.
#[inline(always)]
pub(crate) fn square_root<T: Element>(x: T) -> T {
    to_scalar(scalar(x).sqrt())
}

reduction! {
    /// `Σ x[i] / n`.
    ///
    /// Shapes and units: one value in the unit of `x`, as accurate as [`sum`](crate::sum()).
    ///
    /// NaN and ±0: as [`sum`](crate::sum()); infinite when the sum overflows.
    ///
    /// Errors: [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::mean(&[1.0f32, 2.0, 6.0])?, 3.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/mean-v1.yaml`.
    mean, mean_on, mean_by(x: &[T]) -> Result<T, Error>;

    /// The population variance `Σ (x[i] - mean)² / n`.
    ///
    /// Shapes and units: one value in the square of `x`'s unit. Two passes (mean, then deviations,
    /// which also correct the mean) over each 16384 elements, parts merged by Chan's formula, so that
    /// data far from zero loses no digits to cancellation.
    ///
    /// NaN and ±0: NaN when any element is NaN or infinite, or when the sum of 16384 elements overflows.
    ///
    /// Errors: [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::variance(&[1.0f32, 2.0, 3.0, 6.0])?, 3.5);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Chan, Golub, LeVeque, *Algorithms for Computing the Sample Variance* (1983).
    /// Contract: `contracts/variance-v1.yaml`.
    variance, variance_on, variance_by(x: &[T]) -> Result<T, Error>;

    /// The population standard deviation `√(Σ (x[i] - mean)² / n)`.
    ///
    /// Shapes and units: one value in the unit of `x`.
    ///
    /// NaN and ±0: as [`variance`](crate::variance()).
    ///
    /// Errors: [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::stddev(&[1.0f32, 3.0])?, 1.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`variance`](crate::variance()). Contract: `contracts/stddev-v1.yaml`.
    stddev, stddev_on, stddev_by(x: &[T]) -> Result<T, Error>;
}

#[inline]
pub(crate) fn mean_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    not_empty("x", x.len())?;
    Ok(super::sum_by(j, s, x) / T::from_usize(x.len()))
}

#[inline]
pub(crate) fn variance_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    not_empty("x", x.len())?;
    let moments = s.vectorize(
        #[inline(always)]
        || Moments::of(j, s, x),
    );
    Ok(moments.variance())
}

#[inline]
pub(crate) fn stddev_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    Ok(square_root(variance_by(j, s, x)?))
}
