//! Maximum and minimum of a slice, and their indices (argmax, argmin).

use super::{is_nan, run};
use crate::alu::{Alu, Body, Number, Real};
use crate::error::{Error, not_empty};
use crate::forms::checked_ops;
use crate::lanes::executor::{Executor, tree};
use crate::lanes::fold::{Fold, position};
use crate::lanes::{Element, Simd};
use crate::pointwise::{Maximum, Minimum};

/// Elements whose extremum is taken at a time, before one of these blocks is searched.
pub(crate) const BLOCK: usize = 4096;

/// An extremum in two operations an element, and a sum that is NaN if an element is. Which zero and
/// what of NaN stays open; [`Exact`] decides when the state shows that it matters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quick<B, T>(pub(super) B, pub(super) T);

/// An extremum by the element-wise body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact<B, T>(pub(crate) B, pub(crate) T);

/// What differs between the largest and the smallest.
pub(crate) trait Extremum<T: Number>: Body<T, 2> {
    /// Whether it is the largest.
    const LARGEST: bool;
    /// `acc`, or `x` where it is beyond; `acc` for NaN in `x`.
    fn quick<V: Alu<Elem = T>>(acc: V, x: V) -> V;
}
impl<T: Number> Extremum<T> for Maximum {
    const LARGEST: bool = true;
    #[inline(always)]
    fn quick<V: Alu<Elem = T>>(acc: V, x: V) -> V {
        x.max(acc)
    }
}
impl<T: Number> Extremum<T> for Minimum {
    const LARGEST: bool = false;
    #[inline(always)]
    fn quick<V: Alu<Elem = T>>(acc: V, x: V) -> V {
        x.min(acc)
    }
}

impl<T: Element, B: Extremum<T>> Fold<T, 1, 2> for Quick<B, T> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [self.1]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.param(self.1), like.c(0.0)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [m, sum]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        [B::quick(m, x), sum + x]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [m, s]: [V; 2], [n, t]: [V; 2]) -> [V; 2] {
        [B::quick(m, n), s + t]
    }
}

impl<T: Number, B: Body<T, 2>> Fold<T, 1, 1> for Exact<B, T> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [self.1]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 1] {
        [like.param(self.1)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [m]: [V; 1], [x]: [V; 1]) -> [V; 1] {
        [self.0.eval([m, x])]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [m]: [V; 1], [n]: [V; 1]) -> [V; 1] {
        [self.0.eval([m, n])]
    }
}

#[inline]
fn extremum<J: Executor, S: Simd, T: Element, B: Extremum<T>>(
    j: J,
    s: S,
    body: B,
    x: &[T],
) -> Result<T, Error> {
    let Some(&first) = x.first() else { return Err(Error::empty("x")) };
    let [m, sum] = run(j, s, Quick(body, first), [x]);
    if m == T::ZERO || is_nan(sum) {
        let [m] = run(j, s, Exact(body, first), [x]);
        return Ok(m);
    }
    Ok(m)
}

/// Whether `x` contains NaN, given the sum that [`Quick`] made.
#[inline(always)]
pub(super) fn has_nan<T: Element>(sum: T, x: &[T]) -> bool {
    is_nan(sum) && x.iter().any(|x| is_nan(*x))
}

/// The index of the first extremum, or of the last.
#[inline]
fn arg_extremum<J: Executor, S: Simd, T: Element, B: Extremum<T>, const LAST: bool>(
    j: J,
    s: S,
    body: B,
    x: &[T],
) -> Result<usize, Error> {
    not_empty("x", x.len())?;
    // The extremum of a block and where it starts; `None` once there is NaN.
    let part = |start: usize, n: usize| {
        let block = x.get(start..start + n).unwrap_or_default();
        let first = block.first().copied().unwrap_or_default();
        let [m, sum] = run(crate::lanes::executor::Serial, s, Quick(body, first), [block]);
        if has_nan(sum, block) { None } else { Some((m, start, n)) }
    };
    let merge = |a: Option<(T, usize, usize)>, b: Option<(T, usize, usize)>| {
        let (a, b) = (a?, b?);
        let beyond = if B::LARGEST { b.0 > a.0 } else { b.0 < a.0 };
        Some(if beyond || (LAST && b.0 == a.0) { b } else { a })
    };
    let Some((m, start, n)) = tree(j, 0, x.len(), BLOCK, &part, &merge) else {
        return Err(Error::nan("x"));
    };
    let block = x.get(start..start + n).unwrap_or_default();
    if LAST {
        return Ok(start + block.iter().rposition(|x| *x == m).unwrap_or(0));
    }
    let at = s.vectorize(
        #[inline(always)]
        || position(s, block, m),
    );
    Ok(start + at)
}

checked_ops! { $ extrema_ops in crate::reduce::extrema;
    /// The largest element.
    ///
    /// Shapes and units: one value in the unit of `x`, exact.
    ///
    /// NaN and ±0: NaN when any element is NaN; -0 is below +0.
    ///
    /// Errors: [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::max(&[1.0f32, 7.0, -9.0])?, 7.0);
    /// assert!(fulmen::max(&[1.0f32, f32::NAN])?.is_nan());
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019, `maximum`. Contract: `contracts/max-v1.yaml`.
    threads max, max_on, max_by (x: in T) -> Result<T>;

    /// The smallest element.
    ///
    /// Shapes and units: one value in the unit of `x`, exact.
    ///
    /// NaN and ±0: NaN when any element is NaN; -0 is below +0.
    ///
    /// Errors: [`Error::Empty`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::min(&[1.0f32, 7.0, -9.0])?, -9.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: IEEE 754-2019, `minimum`. Contract: `contracts/min-v1.yaml`.
    threads min, min_on, min_by (x: in T) -> Result<T>;

    /// The index of the largest element, the lowest one on a tie.
    ///
    /// Shapes and units: an index into `x`.
    ///
    /// NaN and ±0: NaN is an error, since it has no place in an order; -0 and +0 tie.
    ///
    /// Errors: [`Error::Empty`], [`Error::Nan`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::argmax(&[1.0f32, 7.0, -9.0, 7.0])?, 1);
    /// assert!(fulmen::argmax(&[1.0f32, f32::NAN]).is_err());
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/argmax-v1.yaml`.
    threads argmax, argmax_on, argmax_by (x: in T) -> Result<usize>;

    /// The index of the smallest element, the lowest one on a tie.
    ///
    /// Shapes and units: an index into `x`.
    ///
    /// NaN and ±0: NaN is an error, since it has no place in an order; -0 and +0 tie.
    ///
    /// Errors: [`Error::Empty`], [`Error::Nan`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::argmin(&[1.0f32, 7.0, -9.0, 7.0])?, 2);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/argmin-v1.yaml`.
    threads argmin, argmin_on, argmin_by (x: in T) -> Result<usize>;

    /// The index of the largest element, the highest one on a tie.
    ///
    /// Shapes and units: an index into `x`.
    ///
    /// NaN and ±0: as [`argmax`](crate::argmax()).
    ///
    /// Errors: [`Error::Empty`], [`Error::Nan`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::argmax_last(&[1.0f32, 7.0, -9.0, 7.0])?, 3);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; ONNX `ArgMax` of opset 13 with `select_last_index`. Contract: `contracts/argmax_last-v1.yaml`.
    threads argmax_last, argmax_last_on, argmax_last_by (x: in T) -> Result<usize>;

    /// The index of the smallest element, the highest one on a tie.
    ///
    /// Shapes and units: an index into `x`.
    ///
    /// NaN and ±0: as [`argmin`](crate::argmin()).
    ///
    /// Errors: [`Error::Empty`], [`Error::Nan`]. Scratch: none.
    ///
    /// ```
    /// assert_eq!(fulmen::argmin_last(&[-9.0f32, 7.0, -9.0, 7.0])?, 2);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; ONNX `ArgMin` of opset 13 with `select_last_index`. Contract: `contracts/argmin_last-v1.yaml`.
    threads argmin_last, argmin_last_on, argmin_last_by (x: in T) -> Result<usize>;
}

#[inline]
pub(crate) fn max_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    extremum(j, s, Maximum, x)
}

#[inline]
pub(crate) fn min_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<T, Error> {
    extremum(j, s, Minimum, x)
}

#[inline]
pub(crate) fn argmax_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<usize, Error> {
    arg_extremum::<_, _, _, _, false>(j, s, Maximum, x)
}

#[inline]
pub(crate) fn argmin_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<usize, Error> {
    arg_extremum::<_, _, _, _, false>(j, s, Minimum, x)
}

#[inline]
pub(crate) fn argmax_last_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<usize, Error> {
    arg_extremum::<_, _, _, _, true>(j, s, Maximum, x)
}

#[inline]
pub(crate) fn argmin_last_by<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> Result<usize, Error> {
    arg_extremum::<_, _, _, _, true>(j, s, Minimum, x)
}
