//! Covariance and correlation (Pearson) of two slices.

use super::moments::{BLOCK, apart, present, rescue_centred};
use super::norms::{add_each, scales, similarity};
use crate::alu::{Alu, Number, Real};
use crate::error::{Error, not_empty, same_len};
use crate::forms::checked_ops;
use crate::lanes::executor::Executor;
use crate::lanes::fold::{Fold, to_scalar};
use crate::lanes::multipass::{Slices, Streams, Summary};
use crate::lanes::{Element, Simd};

/// The streams times powers of two, seen from two values: `a p - m p` and `b q - k q`.
#[derive(Debug, Clone, Copy)]
struct About<T> {
    p: [T; 2],
    /// `m` and `k`, which fill masked-off lanes.
    about: [T; 2],
    /// `-m p` and `-k q`.
    minus: [T; 2],
}

impl<T: Number> About<T> {
    #[inline(always)]
    fn new<R: Streams<T, 2>>(x: &R, [p, q]: [T; 2], [m, k]: [R::V; 2]) -> Self {
        Self {
            p: [p, q],
            about: [x.number(m), x.number(k)],
            minus: [x.number(-(m * m.param(p))), x.number(-(k * k.param(q)))],
        }
    }
    #[inline(always)]
    fn of<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> [V; 2] {
        let ([p, q], [m, k]) = (self.p, self.minus);
        [a.mul_add(a.param(p), a.param(m)), b.mul_add(b.param(q), b.param(k))]
    }
}

macro_rules! about {
    ($(#[$doc:meta])* $F:ident, $k:literal, |$acc:pat_param, $ab:pat_param| $step:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        struct $F<T>(About<T>);
        impl<T: Number> Fold<T, 2, $k> for $F<T> {
            #[inline(always)]
            fn fill(self) -> [T; 2]
            where
                T: Real,
            {
                self.0.about
            }
            #[inline(always)]
            fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; $k] {
                [like.c(0.0); $k]
            }
            #[inline(always)]
            fn step<V: Alu<Elem = T>>(self, $acc: [V; $k], x: [V; 2]) -> [V; $k] {
                let $ab = self.0.of(x);
                $step
            }
            #[inline(always)]
            fn merge<V: Alu<Elem = T>>(self, a: [V; $k], b: [V; $k]) -> [V; $k] {
                add_each(a, b)
            }
        }
    };
}
about! {
    /// The sums of both, of both squares and of the products.
    Deviations, 5, |[sa, sb, aa, bb, ab], [a, b]| {
        [sa + a, sb + b, a.mul_add(a, aa), b.mul_add(b, bb), a.mul_add(b, ab)]
    }
}

/// Count, means as in [`Welford`](super::moments::Welford), and sums of products of the deviations from them: `aa`, `bb`,
/// `ab`; all of `a p` and `b q`, powers of two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comoments<T>([T; 2]);

impl<T: Number> Summary<T, 2, 8> for Comoments<T> {
    #[inline(always)]
    fn block(self, _: usize) -> usize {
        BLOCK
    }
    /// As [`Welford`](super::moments::Welford) of both: means of the first elements, then one pass, and another from better
    /// means where one of them was far off.
    #[inline(always)]
    fn of<R: Streams<T, 2>>(self, x: &R) -> [R::V; 8] {
        let n = x.len();
        let zero = n.c(0.0);
        let [p, q] = self.0.map(|p| n.param(p));
        let from = |centre: [R::V; 2]| Deviations(About::new(x, self.0, centre));
        let ([sa, sb, ..], some) = x.sample(from([zero; 2]));
        let (m, k) = (sa / some / p, sb / some / q);
        let first: [R::V; 5] = x.fold(from([m, k]));
        let [sa, sb, aa, bb, _] = first;
        let (da, db) = (sa / n, sb / n);
        let near = |sum: R::V, d: R::V, squares: R::V| (sum * d).lt(squares * zero.c(0.25));
        let far = !(near(sa, da, aa) & near(sb, db, bb));
        let (a, b) = (m + da / p, k + db / q);
        let [sa, sb, aa, bb, ab] = x.fold_where(far, from([a, b]), first);
        let (m, k) = (R::V::select(far, a, m), R::V::select(far, b, k));
        let (da, db) = (sa / n, sb / n);
        // Rounding may leave a negative difference; NaN stays.
        let rest = |squares: R::V| R::V::select(squares.lt(zero), zero, squares);
        [n, m, da, k, db, rest(aa - sa * da), rest(bb - sb * db), ab - sa * db]
    }
    /// Chan's update in two variables.
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, f: [V; 8], g: [V; 8]) -> [V; 8] {
        let ([fn_, fa, fda, fb, fdb, faa, fbb, fab], [gn, ga, gda, gb, gdb, gaa, gbb, gab]) = (f, g);
        let n = fn_ + gn;
        let [p, q] = self.0.map(|p| n.param(p));
        let (a, b) = (apart(p, [fa, fda], [ga, gda]), apart(q, [fb, fdb], [gb, gdb]));
        let share = gn / n;
        let w = fn_ * share;
        let both = [
            n,
            fa,
            fda + a * share,
            fb,
            fdb + b * share,
            (faa + gaa) + a * a * w,
            (fbb + gbb) + b * b * w,
            (fab + gab) + a * b * w,
        ];
        present(f, g, both)
    }
    #[cfg(feature = "gpu")]
    #[inline(always)]
    fn empty<V: Alu<Elem = T>>(self, like: V) -> [V; 8] {
        [like.c(0.0); 8]
    }
}

/// The powers of two, then `n`, `aa`, `bb`, `ab` of the data times them.
#[inline(always)]
fn centred_products<T: Number, R: Streams<T, 2>>(x: &R) -> ([R::V; 2], [R::V; 4]) {
    let plain: [R::V; 8] = x.summary(Comoments([x.number(x.len().c(1.0)); 2]));
    let [_, a, _, b, _, aa, bb, _] = plain;
    let zero = a.c(0.0);
    let (p, q) = (rescue_centred(aa, a, zero), rescue_centred(bb, b, zero));
    let scaled = Comoments([x.number(p), x.number(q)]);
    let [n, _, _, _, _, aa, bb, ab] = x.summary_where(scales(p) | scales(q), scaled, plain);
    ([p, q], [n, aa, bb, ab])
}

/// The population covariance.
#[inline(always)]
pub(crate) fn population_covariance<T: Number, R: Streams<T, 2>>(x: &R) -> R::V {
    let ([p, q], [n, _, _, ab]) = centred_products(x);
    let (one, mean) = (p.c(1.0), ab / n);
    let (p, q) = (one / p, one / q);
    // Neither order of one factor above 1 and one below is safe, nor is the product of two on one side.
    let both = p * q;
    let beyond = both.eq(one.c(0.0)) | both.eq(one.lit(T::INFINITY));
    R::V::select(beyond, mean * p * q, mean * both)
}

/// Pearson's correlation; NaN when one of the slices makes `ab` NaN.
#[inline(always)]
pub(crate) fn pearson<T: Number, R: Streams<T, 2>>(x: &R) -> R::V {
    let (_, [_, aa, bb, ab]) = centred_products(x);
    similarity(aa, bb, ab)
}

checked_ops! { $ covariance_ops in crate::reduce::covariance;
    /// The population covariance `Σ (a[i] - ā)(b[i] - b̄) / n`.
    ///
    /// Shapes and units: `a` and `b` of one length; one value in the product of their units. One pass over each 16384
    /// elements, as for [`variance`](crate::variance()). The error is relative to the product of both standard deviations,
    /// however far from zero the data is.
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
    #[doc(alias = "cov")]
    threads covariance, covariance_on, covariance_by (a: in T, b: in T) -> Result<T>;

    /// Pearson's correlation `cov(a, b) / (σ(a) σ(b))`.
    ///
    /// Shapes and units: `a` and `b` of one length; one value in -1 … 1 without unit, as accurate as
    /// [`covariance`](crate::covariance()). Squares of the deviations neither overflow nor underflow.
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
    /// See `examples/small/statistics.rs`.
    ///
    /// Source: as [`variance`](crate::variance()). Contract: `contracts/correlation-v1.yaml`.
    #[doc(alias = "corrcoef")]
    #[doc(alias = "pearson")]
    threads correlation, correlation_on, correlation_by (a: in T, b: in T) -> Result<T>;
}

#[inline]
pub(crate) fn covariance_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: &[T],
    b: &[T],
) -> Result<T, Error> {
    same_len("b", a.len(), b.len())?;
    not_empty("a", a.len())?;
    Ok(to_scalar(population_covariance(&Slices(j, s, [a, b]))))
}

#[inline]
pub(crate) fn correlation_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: &[T],
    b: &[T],
) -> Result<T, Error> {
    same_len("b", a.len(), b.len())?;
    not_empty("a", a.len())?;
    Ok(to_scalar(pearson(&Slices(j, s, [a, b]))))
}
