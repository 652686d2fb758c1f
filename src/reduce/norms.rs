//! Norms, and what is made of them: distance and the angle between two slices.

use super::sums::{SumAbs, SumSquares};
use super::{reduction, run, square_root};
use crate::alu::{Alu, Real};
use crate::error::{Error, same_len};
use crate::lanes::fold::{Fold, Join, fold_views};
use crate::lanes::{Element, Simd, from_fn};
use crate::view::VecRef;

/// Powers of two that keep sums of squares in range.
pub(crate) struct Range<T> {
    /// Below this sum of squares, some squares may have underflowed.
    low: T,
    /// Takes the smallest magnitudes to where squares are normal.
    up: T,
    /// Takes the largest magnitudes to where squares are finite.
    down: T,
}

impl<T: Real> Range<T> {
    /// For `f32`: a sum of `n` squares loses at most `n · 2^-150` to underflow, nothing against
    /// 2^-64; below it, magnitudes lie in 2^-149 … 2^-32 and go to 2^-59 … 2^58; those of an
    /// overflowing sum lie below 2^128 and go below 2^28. For `f64` in the same way.
    const VALUE: (i32, i32, i32) = if T::SIGNIFICAND == 23 { (-64, 90, -100) } else { (-950, 700, -700) };

    #[inline(always)]
    pub(crate) fn new() -> Self {
        let power = |e: i32| T::from_f64(f64::from_bits(((1023 + e) as u64) << 52));
        let (low, up, down) = Self::VALUE;
        Self { low: power(low), up: power(up), down: power(down) }
    }

    /// What to multiply the data with before squaring, given the sum of plain squares; `None` when
    /// that sum is right as it is, or NaN.
    #[inline(always)]
    pub(crate) fn rescue(&self, squares: T) -> Option<T> {
        if squares == T::INFINITY {
            Some(self.down)
        } else if squares < self.low {
            Some(self.up)
        } else {
            None
        }
    }
}

/// A fold of sums: parts are merged by addition.
macro_rules! sums {
    ($F:ident $(<$($p:ident),+>)?, $n:literal, $k:literal, |$self:ident, $acc:pat_param, $x:pat_param| $step:expr) => {
        impl<T: $crate::Element> $crate::lanes::fold::Fold<T, $n, $k> for $F $(<$($p),+>)? {
            #[inline(always)]
            fn fill(self) -> [T; $n] {
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
    let x = x * x.lit(self.0);
    [x.mul_add(x, acc)]
});

/// `Σ (a - b)²`.
#[derive(Debug, Clone, Copy)]
struct Distance;
sums!(Distance, 2, 1, |self, [acc], [a, b]| {
    let d = a - b;
    [d.mul_add(d, acc)]
});

/// `Σ ((a p - b p) q)²`: `p` against overflow of the difference, `q` against underflow of its square.
#[derive(Debug, Clone, Copy)]
struct ScaledDistance<T>(T, T);
sums!(ScaledDistance<T>, 2, 1, |self, [acc], [a, b]| {
    let d = (a * a.lit(self.0) - b * b.lit(self.0)) * a.lit(self.1);
    [d.mul_add(d, acc)]
});

/// `Σ a²`, `Σ b²`, `Σ a b`.
#[derive(Debug, Clone, Copy)]
struct Products;
sums!(Products, 2, 3, |self, [aa, bb, ab], [a, b]| [a.mul_add(a, aa), b.mul_add(b, bb), a.mul_add(b, ab)]);

/// [`Products`] of `a p` and `b q`.
#[derive(Debug, Clone, Copy)]
struct ScaledProducts<T>(T, T);
sums!(ScaledProducts<T>, 2, 3, |self, acc, [a, b]| Products
    .step(acc, [a * a.lit(self.0), b * b.lit(self.1)]));

/// `max |x|`, and `Σ |x|`, which is NaN exactly when an element is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaxAbs;
impl<T: Element> Fold<T, 1, 2> for MaxAbs {
    #[inline(always)]
    fn fill(self) -> [T; 1] {
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
pub(super) fn cosine<T: Element>(r: T) -> T {
    if r > T::ONE {
        T::ONE
    } else if r < -T::ONE {
        -T::ONE
    } else {
        r
    }
}

reduction! {
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
    norm_l1, norm_l1_on, norm_l1_by(x: &[T]) -> T;

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
    norm_l2, norm_l2_on, norm_l2_by(x: &[T]) -> T;

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
    norm_linf, norm_linf_on, norm_linf_by(x: &[T]) -> T;

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
    /// Source: as [`norm_l2`](crate::norm_l2()). Contract: `contracts/euclidean_distance-v1.yaml`.
    euclidean_distance, euclidean_distance_on, euclidean_distance_by(a: &[T], b: &[T]) -> Result<T, Error>;

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
    cosine_similarity, cosine_similarity_on, cosine_similarity_by(a: &[T], b: &[T]) -> Result<T, Error>;
}

#[inline]
pub(crate) fn norm_l1_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    let [sum] = run(j, s, SumAbs, [x]);
    sum
}

#[inline]
pub(crate) fn norm_l2_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    let [squares] = run(j, s, SumSquares, [x]);
    norm(squares, |p| run(j, s, ScaledSquares(p), [x]))
}

/// [`norm_l2`] of a vector with a stride: the same bits.
#[inline]
pub(crate) fn norm_l2_view<J: Join, S: Simd, T: Element>(j: J, s: S, x: VecRef<'_, T>) -> T {
    let [squares] = fold_views(j, s, SumSquares, [x]);
    norm(squares, |p| fold_views(j, s, ScaledSquares(p), [x]))
}

/// The root of a sum of squares, or where that left the safe range of those `scaled` by a power of two.
#[inline(always)]
fn norm<T: Element>(squares: T, scaled: impl FnOnce(T) -> [T; 1]) -> T {
    match Range::new().rescue(squares) {
        None => square_root(squares),
        Some(p) => {
            let [squares] = scaled(p);
            square_root(squares) * (T::ONE / p)
        }
    }
}

#[inline]
pub(crate) fn norm_linf_by<J: Join, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> T {
    let [m, sum] = run(j, s, MaxAbs, [x]);
    if super::is_nan(sum) { sum } else { m }
}

#[inline]
pub(crate) fn euclidean_distance_by<J, S, T>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error>
where
    J: Join,
    S: Simd,
    T: Element,
{
    same_len("b", a.len(), b.len())?;
    let [squares] = run(j, s, Distance, [a, b]);
    let Some(p) = Range::new().rescue(squares) else { return Ok(square_root(squares)) };
    // Large data is made smaller before the difference, small differences larger after it.
    let scaled = if p < T::ONE { ScaledDistance(p, T::ONE) } else { ScaledDistance(T::ONE, p) };
    let [squares] = run(j, s, scaled, [a, b]);
    Ok(square_root(squares) * (T::ONE / p))
}

#[inline]
pub(crate) fn cosine_similarity_by<J, S, T>(j: J, s: S, a: &[T], b: &[T]) -> Result<T, Error>
where
    J: Join,
    S: Simd,
    T: Element,
{
    same_len("b", a.len(), b.len())?;
    let [mut aa, mut bb, mut ab] = run(j, s, Products, [a, b]);
    let range = Range::new();
    let (p, q) = (range.rescue(aa), range.rescue(bb));
    if p.is_some() || q.is_some() {
        let scaled = ScaledProducts(p.unwrap_or(T::ONE), q.unwrap_or(T::ONE));
        [aa, bb, ab] = run(j, s, scaled, [a, b]);
    }
    // NaN when the other slice makes `ab` NaN.
    if aa == T::ZERO || bb == T::ZERO {
        return Ok(ab * T::ZERO);
    }
    Ok(cosine(ab / square_root(aa) / square_root(bb)))
}
