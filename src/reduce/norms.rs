//! L1, L2 and maximum norms, the Euclidean distance and the cosine similarity of two slices; sums are rescaled where
//! squares overflow or underflow.

use super::run;
use super::sums::{SumAbs, SumSquares};
use crate::alu::{Alu, Number, Real};
use crate::error::{Error, same_len};
use crate::forms::checked_ops;
use crate::lanes::executor::Executor;
use crate::lanes::fold::{Fold, to_scalar};
use crate::lanes::multipass::{Folds, Slices, Strided};
use crate::lanes::{Element, Simd, from_fn};
use crate::view::VecRef;

/// What to multiply the data with before squaring, a power of two, given the sum of plain squares; 1 when that sum is
/// right as it is, or NaN.
///
/// For `f32`: a sum of `n` squares loses at most `n · 2^-150` to underflow, nothing against 2^-64; below it, magnitudes
/// lie in 2^-149 … 2^-32 and go to 2^-59 … 2^58; those of an overflowing sum lie below 2^128 and go below 2^28. For
/// `f64` in the same way.
#[inline(always)]
pub(crate) fn rescue<V: Alu>(squares: V) -> V {
    let power = |e: i32| squares.c(f64::from_bits(((1023 + e) as u64) << 52));
    let (low, up, down) = if V::Elem::SIGNIFICAND == 23 { (-64, 90, -100) } else { (-950, 700, -700) };
    let small = V::select(squares.lt(power(low)), power(up), squares.c(1.0));
    V::select(squares.eq(squares.lit(V::Elem::INFINITY)), power(down), small)
}

/// Whether the data has to be scaled.
#[inline(always)]
pub(crate) fn scales<V: Alu>(p: V) -> V::Mask {
    !p.eq(p.c(1.0))
}

/// A fold of sums: parts are merged by addition.
macro_rules! sums {
    ($F:ident $(<$($p:ident),+>)?, $n:literal, $k:literal, |$self:ident, $acc:pat_param, $x:pat_param| $step:expr) => {
        impl<T: $crate::Number> $crate::lanes::fold::Fold<T, $n, $k> for $F $(<$($p),+>)? {
            #[inline(always)]
            fn fill(self) -> [T; $n]
            where
                T: $crate::Real,
            {
                [T::ZERO; $n]
            }
            #[inline(always)]
            fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; $k] {
                [like.c(0.0); $k]
            }
            #[inline(always)]
            fn step<V: Alu<Elem = T>>($self, $acc: [V; $k], $x: [V; $n]) -> [V; $k] {
                $step
            }
            #[inline(always)]
            fn merge<V: Alu<Elem = T>>(self, a: [V; $k], b: [V; $k]) -> [V; $k] {
                $crate::reduce::add_each(a, b)
            }
        }
    };
}
pub(crate) use sums;

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k < K")]
pub(crate) fn add_each<V: Alu, const K: usize>(a: [V; K], b: [V; K]) -> [V; K] {
    from_fn(
        #[inline(always)]
        |k| a[k] + b[k],
    )
}

/// `Σ (x p)²`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledSquares<T>(pub(crate) T);
sums!(ScaledSquares<T>, 1, 1, |self, [acc], [x]| {
    let x = x * x.param(self.0);
    [x.mul_add(x, acc)]
});

/// `Σ (a - b)²`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distance;
sums!(Distance, 2, 1, |self, [acc], [a, b]| {
    let d = a - b;
    [d.mul_add(d, acc)]
});

/// `Σ ((a p - b p) q)²`: `p` against overflow of the difference, `q` against underflow of its square.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledDistance<T>(T, T);
sums!(ScaledDistance<T>, 2, 1, |self, [acc], [a, b]| {
    let d = (a * a.param(self.0) - b * b.param(self.0)) * a.param(self.1);
    [d.mul_add(d, acc)]
});

/// `Σ a²`, `Σ b²`, `Σ a b`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Products;
sums!(Products, 2, 3, |self, [aa, bb, ab], [a, b]| [a.mul_add(a, aa), b.mul_add(b, bb), a.mul_add(b, ab)]);

/// [`Products`] of `a p` and `b q`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledProducts<T>(T, T);
sums!(ScaledProducts<T>, 2, 3, |self, acc, [a, b]| Products
    .step(acc, [a * a.param(self.0), b * b.param(self.1)]));

/// `max |x|`, and `Σ |x|`, which is NaN exactly when an element is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaxAbs;
impl<T: Number> Fold<T, 1, 2> for MaxAbs {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [T::ZERO]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [m, sum]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        let x = x.abs();
        [x.max(m), sum + x]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [m, s]: [V; 2], [n, t]: [V; 2]) -> [V; 2] {
        [n.max(m), s + t]
    }
}

/// `r`, brought back to -1 … 1 where rounding left it.
#[inline(always)]
pub(super) fn cosine<V: Alu>(r: V) -> V {
    let (one, least) = (r.c(1.0), r.c(-1.0));
    V::select(r.gt(one), one, V::select(r.lt(least), least, r))
}

/// The root of the sum of squares, taken again of scaled data where that left the safe range.
#[inline(always)]
pub(crate) fn euclidean<T: Number, R: Folds<T, 1>>(x: &R) -> R::V {
    let [squares] = x.fold(SumSquares);
    let p = rescue(squares);
    let [squares] = x.fold_where(scales(p), ScaledSquares(x.number(p)), [squares]);
    squares.sqrt() * (p.c(1.0) / p)
}

/// The distance, in the same way. Large data is made smaller before the difference, small differences larger after it.
#[inline(always)]
pub(crate) fn distance<T: Number, R: Folds<T, 2>>(x: &R) -> R::V {
    let [squares] = x.fold(Distance);
    let p = rescue(squares);
    let one = p.c(1.0);
    let (before, after) = (p.min(one), p.max(one));
    let scaled = ScaledDistance(x.number(before), x.number(after));
    let [squares] = x.fold_where(scales(p), scaled, [squares]);
    squares.sqrt() * (one / p)
}

/// The cosine of the angle; NaN when one of the slices makes the product NaN, 0 for a slice of zeros.
#[inline(always)]
pub(crate) fn angle<T: Number, R: Folds<T, 2>>(x: &R) -> R::V {
    let plain: [R::V; 3] = x.fold(Products);
    let [aa, bb, _] = plain;
    let (p, q) = (rescue(aa), rescue(bb));
    let scaled = ScaledProducts(x.number(p), x.number(q));
    let [aa, bb, ab] = x.fold_where(scales(p) | scales(q), scaled, plain);
    similarity(aa, bb, ab)
}

/// `ab / √aa / √bb`, 0 where one of the roots is.
#[inline(always)]
pub(super) fn similarity<V: Alu>(aa: V, bb: V, ab: V) -> V {
    let zero = ab.c(0.0);
    V::select(aa.eq(zero) | bb.eq(zero), ab * zero, cosine(ab / aa.sqrt() / bb.sqrt()))
}

/// The largest magnitude, or the sum of all if that is NaN.
#[inline(always)]
pub(crate) fn largest_magnitude<T: Number, R: Folds<T, 1>>(x: &R) -> R::V {
    let [m, sum] = x.fold(MaxAbs);
    R::V::select(sum.is_nan(), sum, m)
}

checked_ops! { $ norms_ops in crate::reduce::norms;
    /// `Σ |x[i]|`.
    ///
    /// Shapes and units: one value in the unit of `x`, as accurate as [`sum`](crate::sum()); 0 for
    /// nothing.
    ///
    /// NaN and ±0: NaN when any element is NaN, else +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::norm_l1(&[3.0f32, -4.0]), 7.0);
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/norm_l1-v1.yaml`.
    threads norm_l1, norm_l1_on, norm_l1_by (x: in T) -> T;

    /// `√(Σ x[i]²)`, without overflow or underflow on the way.
    ///
    /// Shapes and units: one value in the unit of `x`; 0 for nothing. Where the plain sum of squares
    /// leaves the safe range, a second pass takes the data times a power of two.
    ///
    /// NaN and ±0: NaN when any element is NaN, else +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::norm_l2(&[3.0f32, -4.0]), 5.0);
    /// assert_eq!(fulmen::norm_l2(&[3e30f32, -4e30]), 5e30);
    /// ```
    ///
    /// Source: Blue, *A Portable Fortran Program to Find the Euclidean Norm of a Vector* (1978).
    /// Contract: `contracts/norm_l2-v1.yaml`.
    #[doc(alias = "nrm2")]
    threads norm_l2, norm_l2_on, norm_l2_by (x: in T) -> T;

    /// `max |x[i]|`.
    ///
    /// Shapes and units: one value in the unit of `x`, exact; 0 for nothing.
    ///
    /// NaN and ±0: NaN when any element is NaN; never -0.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::norm_linf(&[3.0f32, -4.0]), 4.0);
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/norm_linf-v1.yaml`.
    #[doc(alias = "amax")]
    threads norm_linf, norm_linf_on, norm_linf_by (x: in T) -> T;

    /// `√(Σ (a[i] - b[i])²)`, without overflow or underflow on the way.
    ///
    /// Shapes and units: `a` and `b` of one length and unit; one value in that unit; 0 for nothing.
    ///
    /// NaN and ±0: NaN when an element is NaN and where both are infinite with one sign, else +inf
    /// when any is infinite.
    ///
    /// Errors: [`Error::Len`] when `b` differs in length from `a`. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::euclidean_distance(&[1.0f32, 1.0], &[4.0, 5.0])?, 5.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/clusters.rs`.
    ///
    /// Source: as [`norm_l2`](crate::norm_l2()). Contract: `contracts/euclidean_distance-v1.yaml`.
    threads euclidean_distance, euclidean_distance_on, euclidean_distance_by (a: in T, b: in T) -> Result<T>;

    /// `Σ a[i] b[i] / (‖a‖ ‖b‖)`, the cosine of the angle between `a` and `b`.
    ///
    /// Shapes and units: `a` and `b` of one length; one value in -1 … 1 without unit. A zero vector
    /// has the cosine 0 with everything, as its [`normalize`](crate::normalize())d form has. Neither
    /// overflows nor underflows.
    ///
    /// NaN and ±0: NaN when an element is NaN or infinite.
    ///
    /// Errors: [`Error::Len`] when `b` differs in length from `a`. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::cosine_similarity(&[1.0f32, 0.0], &[3.0, 4.0])?, 0.6);
    /// assert_eq!(fulmen::cosine_similarity(&[0.0f32, 0.0], &[3.0, 4.0])?, 0.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/cosine_similarity-v1.yaml`.
    threads cosine_similarity, cosine_similarity_on, cosine_similarity_by (a: in T, b: in T) -> Result<T>;
}

#[inline]
pub(crate) fn norm_l1_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    let [sum] = run(j, s, SumAbs, [x]);
    sum
}

#[inline]
pub(crate) fn norm_l2_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    to_scalar(euclidean(&Slices(j, s, [x])))
}

/// [`norm_l2`] of a vector with a stride: the same bits.
#[inline]
pub(crate) fn norm_l2_view<J: Executor, S: Simd, T: Element>(j: J, s: S, x: VecRef<'_, T>) -> T {
    to_scalar(euclidean(&Strided(j, s, x)))
}

#[inline]
pub(crate) fn norm_linf_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    to_scalar(largest_magnitude(&Slices(j, s, [x])))
}

#[inline]
pub(crate) fn euclidean_distance_by<J, S, T>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error>
where
    J: Executor,
    S: Simd,
    T: Element,
{
    same_len("b", a.len(), b.len())?;
    Ok(to_scalar(distance(&Slices(j, s, [a, b]))))
}

#[inline]
pub(crate) fn cosine_similarity_by<J, S, T>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error>
where
    J: Executor,
    S: Simd,
    T: Element,
{
    same_len("b", a.len(), b.len())?;
    Ok(to_scalar(angle(&Slices(j, s, [a, b]))))
}
