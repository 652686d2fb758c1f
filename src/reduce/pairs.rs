//! How two slices vary together.

use super::moments::{BLOCK, present};
use super::norms::{add_each, similarity};
use super::reduction;
use crate::alu::{Alu, Number, Real};
use crate::error::{Error, not_empty, same_len};
use crate::lanes::fold::{Fold, Join, to_scalar};
use crate::lanes::streams::{Slices, Streams, Summary};
use crate::lanes::{Element, Simd};

/// `Σ (a - m)` and `Σ (b - n)`.
#[derive(Debug, Clone, Copy)]
struct Sums<T>(T, T);

impl<T: Number> Fold<T, 2, 2> for Sums<T> {
    #[inline(always)]
    fn fill(self) -> [T; 2]
    where
        T: Real,
    {
        [self.0, self.1]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sa, sb]: [V; 2], [a, b]: [V; 2]) -> [V; 2] {
        [sa + (a - a.param(self.0)), sb + (b - b.param(self.1))]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
        add_each(a, b)
    }
}

/// `Σ (a - m)²`, `Σ (b - n)²`, `Σ (a - m)(b - n)`.
#[derive(Debug, Clone, Copy)]
struct Deviations<T>(T, T);

impl<T: Number> Fold<T, 2, 3> for Deviations<T> {
    #[inline(always)]
    fn fill(self) -> [T; 2]
    where
        T: Real,
    {
        [self.0, self.1]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 3] {
        [like.c(0.0); 3]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [aa, bb, ab]: [V; 3], [a, b]: [V; 2]) -> [V; 3] {
        let (a, b) = (a - a.param(self.0), b - b.param(self.1));
        [a.mul_add(a, aa), b.mul_add(b, bb), a.mul_add(b, ab)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 3], b: [V; 3]) -> [V; 3] {
        add_each(a, b)
    }
}

/// Count, means, and sums of products of the deviations from them: `aa`, `bb`, `ab`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoSpread;

impl<T: Number> Summary<T, 2, 6> for CoSpread {
    #[inline(always)]
    fn block(self, _: usize) -> usize {
        BLOCK
    }
    /// Means, their correction (exact for constant data), deviations.
    #[inline(always)]
    fn of<R: Streams<T, 2>>(self, x: &R) -> [R::V; 6] {
        let n = x.len();
        let [m, k] = x.fold(Sums(x.number(n.c(0.0)), x.number(n.c(0.0))));
        let (m, k) = (m / n, k / n);
        let [dm, dk] = x.fold(Sums(x.number(m), x.number(k)));
        let (m, k) = (m + dm / n, k + dk / n);
        let [aa, bb, ab] = x.fold(Deviations(x.number(m), x.number(k)));
        [n, m, k, aa, bb, ab]
    }
    /// Chan's update in two variables.
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, p: [V; 6], q: [V; 6]) -> [V; 6] {
        let ([pn, pa, pb, paa, pbb, pab], [qn, qa, qb, qaa, qbb, qab]) = (p, q);
        let n = pn + qn;
        let (a, b) = (qa - pa, qb - pb);
        let share = qn / n;
        let w = pn * share;
        let both = [
            n,
            pa + a * share,
            pb + b * share,
            (paa + qaa) + a * a * w,
            (pbb + qbb) + b * b * w,
            (pab + qab) + a * b * w,
        ];
        present(p, q, both)
    }
    #[cfg(feature = "cuda")]
    #[inline(always)]
    fn empty<V: Alu<Elem = T>>(self, like: V) -> [V; 6] {
        [like.c(0.0); 6]
    }
}

/// The population covariance.
#[inline(always)]
pub(crate) fn joint_spread<T: Number, R: Streams<T, 2>>(x: &R) -> R::V {
    let [n, _, _, _, _, ab] = x.summary(CoSpread);
    ab / n
}

/// Pearson's correlation; NaN when one of the slices makes `ab` NaN.
#[inline(always)]
pub(crate) fn pearson<T: Number, R: Streams<T, 2>>(x: &R) -> R::V {
    let [_, _, _, aa, bb, ab] = x.summary(CoSpread);
    similarity(aa, bb, ab)
}

reduction! {
    /// The population covariance `Σ (a[i] - ā)(b[i] - b̄) / n`.
    ///
    /// Shapes and units: `a` and `b` of one length; one value in the product of their units. Means
    /// first, then deviations from them, over each 16384 elements; parts merged by Chan's formula.
    ///
    /// NaN and ±0: NaN when an element is NaN or infinite. 0 when `a` or `b` is constant.
    ///
    /// Errors: [`Error::Len`] when `b` differs in length from `a`, [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::covariance(&[1.0f32, 2.0, 3.0], &[6.0, 4.0, 2.0])?, -4.0 / 3.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`variance`](crate::variance()). Contract: `contracts/covariance-v1.yaml`.
    covariance, covariance_on, covariance_by(a: &[T], b: &[T]) -> Result<T, Error>;

    /// Pearson's correlation `cov(a, b) / (σ(a) σ(b))`.
    ///
    /// Shapes and units: `a` and `b` of one length; one value in -1 … 1 without unit. The squares of
    /// the deviations must neither overflow nor underflow.
    ///
    /// NaN and ±0: NaN when an element is NaN or infinite; else 0 when `a` or `b` is constant, which
    /// varies with nothing ([`zscore`](crate::zscore()) is 0 there, too).
    ///
    /// Errors: [`Error::Len`] when `b` differs in length from `a`, [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::correlation(&[1.0f32, 2.0, 3.0], &[6.0, 4.0, 2.0])?, -1.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`variance`](crate::variance()). Contract: `contracts/correlation-v1.yaml`.
    correlation, correlation_on, correlation_by(a: &[T], b: &[T]) -> Result<T, Error>;
}

#[inline]
pub(crate) fn covariance_by<J: Join, S: Simd, T: Element>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error> {
    same_len("b", a.len(), b.len())?;
    not_empty("a", a.len())?;
    Ok(to_scalar(joint_spread(&Slices(j, s, [a, b]))))
}

#[inline]
pub(crate) fn correlation_by<J: Join, S: Simd, T: Element>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error> {
    same_len("b", a.len(), b.len())?;
    not_empty("a", a.len())?;
    Ok(to_scalar(pearson(&Slices(j, s, [a, b]))))
}
