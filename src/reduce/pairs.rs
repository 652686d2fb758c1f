//! How two slices vary together.

use super::moments::BLOCK;
use super::norms::{add_each, cosine};
use super::{reduction, square_root};
use crate::alu::Alu;
use crate::error::{Error, not_empty, same_len};
use crate::lanes::fold::{Fold, Join, fold, tree};
use crate::lanes::{Element, Simd};

/// `Σ (a - m)` and `Σ (b - n)`.
#[derive(Debug, Clone, Copy)]
struct Sums<T>(T, T);

impl<T: Element> Fold<T, 2, 2> for Sums<T> {
    #[inline(always)]
    fn fill(self) -> [T; 2] {
        [self.0, self.1]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [sa, sb]: [V; 2], [a, b]: [V; 2]) -> [V; 2] {
        [sa + (a - a.lit(self.0)), sb + (b - b.lit(self.1))]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
        add_each(a, b)
    }
}

/// `Σ (a - m)²`, `Σ (b - n)²`, `Σ (a - m)(b - n)`.
#[derive(Debug, Clone, Copy)]
struct Deviations<T>(T, T);

impl<T: Element> Fold<T, 2, 3> for Deviations<T> {
    #[inline(always)]
    fn fill(self) -> [T; 2] {
        [self.0, self.1]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 3] {
        [like.c(0.0); 3]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [aa, bb, ab]: [V; 3], [a, b]: [V; 2]) -> [V; 3] {
        let (a, b) = (a - a.lit(self.0), b - b.lit(self.1));
        [a.mul_add(a, aa), b.mul_add(b, bb), a.mul_add(b, ab)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, a: [V; 3], b: [V; 3]) -> [V; 3] {
        add_each(a, b)
    }
}

/// Count, means, and sums of products of the deviations from them.
#[derive(Debug, Clone, Copy)]
struct CoMoments<T> {
    n: T,
    a: T,
    b: T,
    aa: T,
    bb: T,
    ab: T,
}

impl<T: Element> CoMoments<T> {
    /// Of at most [`BLOCK`] elements: means, their correction (exact for constant data), deviations.
    #[inline(always)]
    fn leaf<S: Simd>(s: S, a: &[T], b: &[T]) -> Self {
        let n = T::from_usize(a.len());
        let [m, k] = fold(s, Sums(T::ZERO, T::ZERO), [a, b]);
        let (m, k) = (m / n, k / n);
        let [dm, dk] = fold(s, Sums(m, k), [a, b]);
        let (m, k) = (m + dm / n, k + dk / n);
        let [aa, bb, ab] = fold(s, Deviations(m, k), [a, b]);
        Self { n, a: m, b: k, aa, bb, ab }
    }

    /// Chan's update in two variables.
    #[inline]
    fn merge(p: Self, q: Self) -> Self {
        let n = p.n + q.n;
        let (a, b) = (q.a - p.a, q.b - p.b);
        let share = q.n / n;
        let w = p.n * share;
        Self {
            n,
            a: p.a + a * share,
            b: p.b + b * share,
            aa: (p.aa + q.aa) + a * a * w,
            bb: (p.bb + q.bb) + b * b * w,
            ab: (p.ab + q.ab) + a * b * w,
        }
    }

    /// Of `a` and `b`, of one length above 0.
    #[inline]
    fn of<J: Join, S: Simd>(j: J, s: S, a: &[T], b: &[T]) -> Self {
        let part = |start: usize, n: usize| {
            let [a, b] = [a, b].map(|x| x.get(start..start + n).unwrap_or_default());
            s.vectorize(
                #[inline(always)]
                || Self::leaf(s, a, b),
            )
        };
        tree(j, 0, a.len(), BLOCK, &part, &Self::merge)
    }
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
    let m = CoMoments::of(j, s, a, b);
    Ok(m.ab / m.n)
}

#[inline]
pub(crate) fn correlation_by<J: Join, S: Simd, T: Element>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error> {
    same_len("b", a.len(), b.len())?;
    not_empty("a", a.len())?;
    let m = CoMoments::of(j, s, a, b);
    // NaN when the other slice makes `ab` NaN.
    if m.aa == T::ZERO || m.bb == T::ZERO {
        return Ok(m.ab * T::ZERO);
    }
    Ok(cosine(m.ab / square_root(m.aa) / square_root(m.bb)))
}
