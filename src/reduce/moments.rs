//! Mean, variance and standard deviation of a slice.

use super::norms::{add_each, rescue, scales, sums};
use super::sums::Sum;
use crate::alu::{Alu, Number, Real};
use crate::error::{Error, not_empty};
use crate::forms::checked_ops;
use crate::lanes::executor::Executor;
use crate::lanes::fold::{Fold, to_scalar};
use crate::lanes::multipass::{Slices, Streams, Summary};
use crate::lanes::portable::scalar;
use crate::lanes::{Element, Simd, from_fn};

/// Elements whose mean and deviations are taken at a time: the second pass finds them in a cache.
pub(crate) const BLOCK: usize = 16384;

/// `Σ x p`.
#[derive(Debug, Clone, Copy)]
struct ScaledSum<T>(T);
sums!(ScaledSum<T>, 1, 1, |self, [acc], [x]| [x.mul_add(x.param(self.0), acc)]);

/// `Σ d` and `Σ d²` of the deviations `d = x p - m p`.
#[derive(Debug, Clone, Copy)]
struct Deviations<T> {
    p: T,
    /// `m`, which fills masked-off lanes.
    about: T,
    /// `-m p`.
    minus: T,
}

impl<T: Number> Deviations<T> {
    #[inline(always)]
    fn about<R: Streams<T, 1>>(x: &R, p: T, m: R::V) -> Self {
        Self { p, about: x.number(m), minus: x.number(-(m * m.param(p))) }
    }
}

impl<T: Number> Fold<T, 1, 2> for Deviations<T> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [self.about]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sum, squares]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        let d = x.mul_add(x.param(self.p), x.param(self.minus));
        [sum + d, d.mul_add(d, squares)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
        add_each(a, b)
    }
}

/// Count, mean and `Σ (x - mean)²` of the data times `p`, a power of two. The mean is `hi + lo/p`: rounded to one
/// value it would be off by more than the spread of data far from zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Welford<T>(T);

impl<T: Number> Summary<T, 1, 4> for Welford<T> {
    #[inline(always)]
    fn block(self, _: usize) -> usize {
        BLOCK
    }
    /// A mean of the first elements, then one pass: deviations from it, which also give the mean. Another pass where that
    /// rough mean is so far off that this correction would cancel: its centre is off by rounding only, which is less than
    /// the spread of whatever is not constant, and exact for what is.
    #[inline(always)]
    fn of<R: Streams<T, 1>>(self, x: &R) -> [R::V; 4] {
        let n = x.len();
        let p = n.param(self.0);
        let back = p.c(1.0) / p;
        let ([sum], some) = x.sample(ScaledSum(self.0));
        let rough = sum / some * back;
        let first: [R::V; 2] = x.fold(Deviations::about(x, self.0, rough));
        let [sum, squares] = first;
        let shift = sum / n;
        // Also where both overflowed: a third pass finds constant data, and costs others nothing.
        let far = !(sum * shift).lt(squares * p.c(0.25));
        let better = rough + shift * back;
        let [sum, squares] = x.fold_where(far, Deviations::about(x, self.0, better), first);
        let lo = sum / n;
        let m2 = squares - sum * lo;
        // Rounding may leave a negative difference; NaN stays.
        let zero = m2.c(0.0);
        [n, R::V::select(far, better, rough), lo, R::V::select(m2.lt(zero), zero, m2)]
    }
    /// Chan's update: exact for the exact moments of the parts.
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 4], b: [V; 4]) -> [V; 4] {
        let ([an, hi, lo, m2], [bn, other, rest, others]) = (a, b);
        let n = an + bn;
        let d = apart(n.param(self.0), [hi, lo], [other, rest]);
        let share = bn / n;
        let both = [n, hi, lo + d * share, (m2 + others) + d * d * (an * share)];
        present(a, b, both)
    }
    #[cfg(feature = "gpu")]
    #[inline(always)]
    fn empty<V: Alu<Elem = T>>(self, like: V) -> [V; 4] {
        [like.c(0.0); 4]
    }
}

/// How far the second mean is above the first one, times `p`.
#[inline(always)]
pub(super) fn apart<V: Alu>(p: V, [hi, lo]: [V; 2], [other, rest]: [V; 2]) -> V {
    (other * p - hi * p) + (rest - lo)
}

/// As [`rescue`] for `m2`, squares of deviations from a mean of about `mean`, and what is added to them. NaN may be that
/// of a sum that overflowed. Where the mean is 1 and more, deviations are 0 or large enough.
#[inline(always)]
pub(super) fn rescue_centred<V: Alu>(m2: V, mean: V, plus: V) -> V {
    let one = m2.c(1.0);
    let p = rescue(V::select(m2.is_nan(), m2.lit(V::Elem::INFINITY), m2 + plus));
    V::select(p.gt(one) & mean.abs().ge(one), one, p)
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

/// Mean and variance of the data times `p`, a power of two that keeps squares within range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Centred<V> {
    pub(crate) p: V,
    /// The mean of the data is this and `lo / p`.
    pub(crate) hi: V,
    pub(crate) lo: V,
    /// The population variance times `p²`.
    pub(crate) variance: V,
}

/// The moments of `x`, which is not empty; taken again of scaled data where squares left the safe range, as far as that
/// shows beside `eps`.
#[inline(always)]
pub(crate) fn centred<T: Number, R: Streams<T, 1>>(x: &R, eps: R::V) -> Centred<R::V> {
    let plain: [R::V; 4] = x.summary(Welford(x.number(x.len().c(1.0))));
    let [_, hi, _, m2] = plain;
    let p = rescue_centred(m2, hi, eps);
    let [n, hi, lo, m2] = x.summary_where(scales(p), Welford(x.number(p)), plain);
    Centred { p, hi, lo, variance: m2 / n }
}

/// The population variance.
#[inline(always)]
pub(crate) fn population_variance<T: Number, R: Streams<T, 1>>(x: &R) -> R::V {
    let Centred { p, variance, .. } = centred(x, x.len().c(0.0));
    let back = p.c(1.0) / p;
    variance * back * back
}

/// Its root.
#[inline(always)]
pub(crate) fn deviation<T: Number, R: Streams<T, 1>>(x: &R) -> R::V {
    let Centred { p, variance, .. } = centred(x, x.len().c(0.0));
    variance.sqrt() * (p.c(1.0) / p)
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

checked_ops! { $ moments_ops in crate::reduce::moments;
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
    threads mean, mean_on, mean_by (x: in T) -> Result<T>;

    /// The population variance `Σ (x[i] - mean)² / n`.
    ///
    /// Shapes and units: one value in the square of `x`'s unit. One pass over each 16384 elements, of deviations from the mean
    /// of the first 128, and another from the better mean that they give where these were far off; parts merged by Chan's formula
    /// with means in two parts: the error is relative to the variance itself, however far from zero the data is. Scaled data
    /// where squares overflow or underflow.
    ///
    /// NaN and ±0: NaN when any element is NaN or infinite; 0 for constant data.
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
    #[doc(alias = "var")]
    threads variance, variance_on, variance_by (x: in T) -> Result<T>;

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
    #[doc(alias = "std")]
    threads stddev, stddev_on, stddev_by (x: in T) -> Result<T>;
}

#[inline]
pub(crate) fn mean_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    not_empty("x", x.len())?;
    Ok(to_scalar(average(&Slices(j, s, [x]))))
}

#[inline]
pub(crate) fn variance_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    not_empty("x", x.len())?;
    Ok(s.vectorize(
        #[inline(always)]
        || to_scalar(population_variance(&Slices(j, s, [x]))),
    ))
}

#[inline]
pub(crate) fn stddev_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    not_empty("x", x.len())?;
    Ok(s.vectorize(
        #[inline(always)]
        || to_scalar(deviation(&Slices(j, s, [x]))),
    ))
}
