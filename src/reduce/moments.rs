//! Mean and spread of one slice.

use super::norms::add_each;
use super::reduction;
use super::sums::Sum;
use crate::alu::{Alu, Number, Real};
use crate::error::{Error, not_empty};
use crate::lanes::fold::{Fold, Join, to_scalar};
use crate::lanes::portable::scalar;
use crate::lanes::streams::{Slices, Streams, Summary};
use crate::lanes::{Element, Simd, from_fn};

/// Elements whose mean and deviations are taken at a time: the second pass finds them in a cache.
pub(crate) const BLOCK: usize = 16384;

/// `Σ d` and `Σ d²` of the deviations `d = x - m`.
#[derive(Debug, Clone, Copy)]
struct Deviations<T>(T);

impl<T: Number> Fold<T, 1, 2> for Deviations<T> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [self.0]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sum, squares]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        let d = x - x.param(self.0);
        [sum + d, d.mul_add(d, squares)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
        add_each(a, b)
    }
}

/// Count, mean and `Σ (x - mean)²`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread;

impl<T: Number> Summary<T, 1, 3> for Spread {
    #[inline(always)]
    fn block(self, _: usize) -> usize {
        BLOCK
    }
    /// Two passes. The second one also corrects the mean by the mean of the deviations from it, which makes it exact
    /// for constant data.
    #[inline(always)]
    fn of<R: Streams<T, 1>>(self, x: &R) -> [R::V; 3] {
        let n = x.len();
        let [sum] = x.fold(Sum);
        let rough = sum / n;
        let [sum, squares] = x.fold(Deviations(x.number(rough)));
        let shift = sum / n;
        let m2 = squares - sum * shift;
        // Rounding may leave a negative difference; NaN stays.
        let zero = m2.c(0.0);
        [n, rough + shift, R::V::select(m2.lt(zero), zero, m2)]
    }
    /// Chan's update: exact for the exact moments of the parts.
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 3], b: [V; 3]) -> [V; 3] {
        let ([an, mean, m2], [bn, other, others]) = (a, b);
        let n = an + bn;
        let d = other - mean;
        let share = bn / n;
        let both = [n, mean + d * share, (m2 + others) + d * d * (an * share)];
        present(a, b, both)
    }
    #[cfg(feature = "cuda")]
    #[inline(always)]
    fn empty<V: Alu<Elem = T>>(self, like: V) -> [V; 3] {
        [like.c(0.0); 3]
    }
}

/// `both`, or the one part that has elements, the first value of each being their number.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k < K")]
pub(super) fn present<V: Alu, const K: usize>(a: [V; K], b: [V; K], both: [V; K]) -> [V; K] {
    let zero = both[0].c(0.0);
    let (none, others) = (a[0].eq(zero), b[0].eq(zero));
    from_fn(
        #[inline(always)]
        |k| V::select(none, b[k], V::select(others, a[k], both[k])),
    )
}

/// The population variance.
#[inline(always)]
pub(crate) fn spread<T: Number, R: Streams<T, 1>>(x: &R) -> R::V {
    let [n, _, m2] = x.summary(Spread);
    m2 / n
}

/// Mean and population variance of `x`, which is not empty.
#[inline(always)]
pub(crate) fn mean_and_variance<T: Number, R: Streams<T, 1>>(x: &R) -> [R::V; 2] {
    let [n, mean, m2] = x.summary(Spread);
    [mean, m2 / n]
}

/// The mean.
#[inline(always)]
pub(crate) fn average<T: Number, R: Streams<T, 1>>(x: &R) -> R::V {
    let [sum] = x.fold(Sum);
    sum / x.len()
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
    Ok(to_scalar(average(&Slices(j, s, [x]))))
}

#[inline]
pub(crate) fn variance_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    not_empty("x", x.len())?;
    Ok(s.vectorize(
        #[inline(always)]
        || to_scalar(spread(&Slices(j, s, [x]))),
    ))
}

#[inline]
pub(crate) fn stddev_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    Ok(square_root(variance_by(j, s, x)?))
}
