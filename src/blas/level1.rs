//! BLAS level 1 on strided vectors: `axpy`, `dot`, `nrm2`, `asum`, `iamax`, `scal`, `copy`, `swap`.
//!
//! Vectors are [`VecRef`] and [`VecMut`]; `into()` makes one of a slice, [`MatRef::row`](crate::MatRef::row) and
//! [`MatRef::col`](crate::MatRef::col) of a row or column. No result depends on strides: the contiguous ops
//! ([`axpy`](crate::axpy()), [`dot`](crate::dot()), [`norm_l2`](crate::norm_l2()), [`norm_l1`](crate::norm_l1())) give
//! the same bits.

use crate::alu::{Alu, Body, Number};
use crate::contract::{Call, Violation, contract, in_parts};
use crate::error::{Error, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::drive::Pair;
use crate::lanes::executor::Serial;
use crate::lanes::fold::{fold, fold_views, position_by};
use crate::lanes::{Element, Simd, strided};
use crate::pointwise::{Axpy, Scale};
use crate::reduce::{Dot, MaxAbs, SumAbs, is_nan, norm_l2_view};
use crate::view::{VecMut, VecRef};

/// `y, x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange;
impl<T: Number> Pair<T> for Exchange {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, y]: [V; 2]) -> [V; 2] {
        [y, x]
    }
}

/// `x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Same;
impl<T: Number> Body<T, 1> for Same {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x
    }
}

/// The first and the last pair of elements: what a debug build remembers of vectors that are overwritten.
#[inline(always)]
pub(super) fn ends<T: Element>(x: &VecRef<'_, T>, y: &VecRef<'_, T>) -> [Option<[T; 2]>; 2] {
    let at = |i: usize| Some([x.get(i)?, y.get(i)?]);
    [at(0), at(x.len().wrapping_sub(1))]
}

/// Applies `check` to the new first and last elements, with the old ones as inputs.
pub(super) fn check_ends<T: Element>(
    check: fn(&Call<'_, T>) -> Result<(), Violation>,
    old: [Option<[T; 2]>; 2],
    new: [Option<[T; 2]>; 2],
    params: &[T],
) -> Result<(), Violation> {
    for ([x, y], new) in old.into_iter().zip(new).filter_map(|(old, new)| Some((old?, new?))) {
        for out in new {
            check(&Call::new(&[&[x], &[y]], &[out]).params(params))?;
        }
    }
    Ok(())
}

ops! { $ level1_blas in crate::blas::level1;
    /// `x[i], y[i] = y[i], x[i]`.
    ///
    /// Shapes and units: two vectors of one length, any strides.
    ///
    /// NaN and ±0: bits are moved as they are.
    ///
    /// Errors: [`Error::Len`] when `y` differs in length from `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecMut;
    /// let (mut x, mut y) = ([1.0f32, 2.0], [3.0, 0.0, 4.0]);
    /// fulmen::swap(VecMut::from(&mut x[..]), VecMut::strided(&mut y, 0, 2, 2)?)?;
    /// assert_eq!((x, y), ([3.0, 4.0], [1.0, 0.0, 2.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xSWAP`. Contract: `contracts/swap-v1.yaml`.
    serial swap, swap_on, swap_by (x: vec_inout T, y: vec_inout T) -> Result<()>;

    /// `y[i] = x[i]`.
    ///
    /// Shapes and units: two vectors of one length, any strides (a stride of 0 in `x` fills `y`).
    ///
    /// NaN and ±0: bits are moved as they are.
    ///
    /// Errors: [`Error::Len`] when `y` differs in length from `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::{VecMut, VecRef};
    /// let mut y = [0.0f32; 3];
    /// fulmen::copy(VecRef::strided(&[1.0, 2.0, 3.0], 2, 3, -1)?, VecMut::from(&mut y[..]))?;
    /// assert_eq!(y, [3.0, 2.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xCOPY`. Contract: `contracts/copy-v1.yaml`.
    serial copy, copy_on, copy_by (x: vec T, y: vec_out T) -> Result<()>;

    /// `x[i] = alpha·x[i]`.
    ///
    /// Shapes and units: a vector of any stride.
    ///
    /// NaN and ±0: as [`mul`](crate::mul()): α = 0 gives NaN at NaN and ±∞, never a silent zero.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecMut;
    /// let mut x = [1.0f32, 2.0, 3.0, 4.0];
    /// fulmen::scal(10.0, VecMut::strided(&mut x, 1, 2, 2)?);
    /// assert_eq!(x, [1.0, 20.0, 3.0, 40.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xSCAL`. Contract: `contracts/scal-v1.yaml`.
    serial scal, scal_on, scal_by (alpha: by T, x: vec_inout T);

    /// `y[i] = alpha·x[i] + y[i]`: one rounding where the lane has FMA, else two.
    ///
    /// Shapes and units: two vectors of one length, any strides; the bits of [`axpy`](crate::axpy()).
    ///
    /// NaN and ±0: NaN where any operand is NaN, 0·∞ or ∞ − ∞; α = 0 is no exception.
    ///
    /// Errors: [`Error::Len`] when `y` differs in length from `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatRef, VecMut};
    /// let (a, mut y) = ([1.0f32, 2.0, 3.0, 4.0], [10.0, 20.0]);
    /// let column = MatRef::row_major(&a, 2, 2)?.col(1)?;
    /// fulmen::axpy_strided(0.5, column, VecMut::from(&mut y[..]))?;
    /// assert_eq!(y, [11.0, 22.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xAXPY`. Contract: `contracts/axpy_strided-v1.yaml`.
    serial axpy_strided, axpy_strided_on, axpy_strided_by (alpha: by T, x: vec T, y: vec_inout T) -> Result<()>;
}

ops! { $ level1_ops in crate::blas::level1;
    /// `Σ x[i] y[i]`.
    ///
    /// Shapes and units: two vectors of one length, any strides; one value in the product of their units, the bits of
    /// [`dot`](crate::dot()), whose error bound holds.
    ///
    /// NaN and ±0: NaN when an element is NaN, for 0·inf, and for products of both infinite signs.
    ///
    /// Errors: [`Error::Len`] when `y` differs in length from `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecRef;
    /// let x = [1.0f32, 2.0, 3.0, 4.0];
    /// let odd = VecRef::strided(&x, 0, 2, 2)?;
    /// assert_eq!(fulmen::dot_strided(odd, VecRef::strided(&x, 1, 2, 2)?)?, 14.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xDOT`. Contract: `contracts/dot_strided-v1.yaml`.
    serial dot_strided, dot_strided_on, dot_strided_by (x: vec T, y: vec T) -> Result<T>;

    /// `√(Σ x[i]²)`, without overflow or underflow on the way.
    ///
    /// Shapes and units: a vector of any stride; one value in its unit, the bits of [`norm_l2`](crate::norm_l2()); 0 for
    /// nothing.
    ///
    /// NaN and ±0: NaN when any element is NaN, else +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecRef;
    /// let x = [3e30f32, 1.0, -4e30];
    /// assert_eq!(fulmen::nrm2(VecRef::strided(&x, 0, 2, 2)?), 5e30);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xNRM2`; Blue (1978), as [`norm_l2`](crate::norm_l2()). Contract: `contracts/nrm2-v1.yaml`.
    serial nrm2, nrm2_on, nrm2_by (x: vec T) -> T;

    /// `Σ |x[i]|`.
    ///
    /// Shapes and units: a vector of any stride; one value in its unit, the bits of [`norm_l1`](crate::norm_l1()); 0 for
    /// nothing.
    ///
    /// NaN and ±0: NaN when any element is NaN, else +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecRef;
    /// assert_eq!(fulmen::asum(VecRef::from(&[3.0f32, -4.0][..])), 7.0);
    /// ```
    ///
    /// Source: BLAS level 1, `xASUM`. Contract: `contracts/asum-v1.yaml`.
    serial asum, asum_on, asum_by (x: vec T) -> T;

    /// The index of the first element of the largest magnitude, counted from 0.
    ///
    /// Shapes and units: a vector of any stride; an index into it.
    ///
    /// NaN and ±0: NaN counts as larger than everything, so that it does not go unseen: the index is that of the first
    /// NaN. Zeros tie, whatever their sign.
    ///
    /// Errors: [`Error::Empty`] names `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecRef;
    /// assert_eq!(fulmen::iamax(VecRef::from(&[1.0f32, -7.0, 7.0][..]))?, 1);
    /// assert_eq!(fulmen::iamax(VecRef::from(&[1.0f32, f32::NAN, f32::INFINITY][..]))?, 1);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `IxAMAX`; NaN as in Demmel et al., *Proposed Consistent Exception Handling for the BLAS and
    /// LAPACK* (2022). Contract: `contracts/iamax-v1.yaml`.
    serial iamax, iamax_on, iamax_by (x: vec T) -> Result<usize>;
}

#[inline]
pub(crate) fn swap_by<S: Simd, T: Element>(
    s: S,
    mut x: VecMut<'_, T>,
    mut y: VecMut<'_, T>,
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    let old = ends(&x.as_ref(), &y.as_ref());
    s.vectorize(
        #[inline(always)]
        || strided::pair_in_place(s, Exchange, x.reborrow(), y.reborrow()),
    );
    contract!(swap, Ok(()), each | check | check_ends(check, old, ends(&x.as_ref(), &y.as_ref()), &[]))
}

#[inline]
pub(crate) fn copy_by<S: Simd, T: Element>(
    s: S,
    x: VecRef<'_, T>,
    mut y: VecMut<'_, T>,
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    s.vectorize(
        #[inline(always)]
        || strided::map(s, Same, x, y.reborrow()),
    );
    contract!(
        copy,
        Ok(()),
        each | check
            | (0..x.len()).try_for_each(|i| match (x.get(i), y.get(i)) {
                (Some(x), Some(y)) => check(&Call::new(&[&[x]], &[y])),
                _ => Ok(()),
            })
    )
}

#[inline]
pub(crate) fn scal_by<S: Simd, T: Element>(s: S, alpha: T, mut x: VecMut<'_, T>) {
    let old = ends(&x.as_ref(), &x.as_ref());
    s.vectorize(
        #[inline(always)]
        || strided::map_in_place(s, Scale(alpha), x.reborrow()),
    );
    let checked: Result<(), Error> = contract!(
        scal,
        Ok(()),
        each | check | check_ends(check, old, ends(&x.as_ref(), &x.as_ref()), &[alpha])
    );
    debug_assert!(checked.is_ok());
}

#[inline]
pub(crate) fn axpy_strided_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: VecRef<'_, T>,
    mut y: VecMut<'_, T>,
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    let old = ends(&x, &y.as_ref());
    s.vectorize(
        #[inline(always)]
        || strided::zip_in_place(s, Axpy(alpha), y.reborrow(), x),
    );
    let new = ends(&y.as_ref(), &y.as_ref());
    contract!(axpy_strided, Ok(()), each | check | check_ends(check, old, new, &[alpha]))
}

#[inline]
pub(crate) fn dot_strided_by<S: Simd, T: Element>(
    s: S,
    x: VecRef<'_, T>,
    y: VecRef<'_, T>,
) -> Result<T, Error> {
    same_len("y", x.len(), y.len())?;
    let [dot] = fold_views(Serial, s, Dot, [x, y]);
    contract!(dot_strided, Ok(dot), each | check | each_element([x, y], |x| check(&Call::new(x, &[dot]))))
}

#[inline]
pub(crate) fn nrm2_by<S: Simd, T: Element>(s: S, x: VecRef<'_, T>) -> T {
    let norm = norm_l2_view(Serial, s, x);
    let checked: Result<(), Error> =
        contract!(nrm2, Ok(()), each | check | each_element([x], |x| check(&Call::new(x, &[norm]))));
    debug_assert!(checked.is_ok());
    norm
}

#[inline]
pub(crate) fn asum_by<S: Simd, T: Element>(s: S, x: VecRef<'_, T>) -> T {
    let [sum] = fold_views(Serial, s, SumAbs, [x]);
    let checked: Result<(), Error> =
        contract!(asum, Ok(()), each | check | each_element([x], |x| check(&Call::new(x, &[sum]))));
    debug_assert!(checked.is_ok());
    sum
}

/// Applies `check` to the elements at the same places.
fn each_element<T: Element, const N: usize>(
    x: [VecRef<'_, T>; N],
    check: impl Fn(&[&[T]]) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let n = x.first().map_or(0, VecRef::len);
    in_parts(n, |i| x.map(|x| x.get(i).unwrap_or_default()), |x| check(&x))
}

#[inline]
pub(crate) fn iamax_by<S: Simd, T: Element>(s: S, x: VecRef<'_, T>) -> Result<usize, Error> {
    not_empty("x", x.len())?;
    let best = first_largest(s, x);
    contract!(
        iamax,
        Ok(best),
        each | check
            | (0..x.len()).try_for_each(|i| {
                let [a, b] = [best, i].map(|i| crate::lanes::fold::magnitude(x.get(i).unwrap_or_default()));
                let nan = is_nan(a) || is_nan(b);
                match i {
                    // Pairs in their order: of two equal ones the first is meant.
                    i if nan || i == best => Ok(()),
                    i if i < best => check(&Call::new(&[&[b, a]], &[]).indices(&[1])),
                    _ => check(&Call::new(&[&[a, b]], &[]).indices(&[0])),
                }
            })
    )
}

/// Elements of a contiguous vector that are looked at together.
pub(crate) const BLOCK: usize = 2048;

/// The same for elements that are gathered first.
pub(crate) const GATHERED: usize = 256;

/// `x` has elements.
#[inline]
fn first_largest<S: Simd, T: Element>(s: S, x: VecRef<'_, T>) -> usize {
    let size = if x.as_slice().is_some() { BLOCK } else { GATHERED };
    let mut scratch = [T::ZERO; GATHERED];
    let (mut most, mut at) = (None, 0);
    let mut start = 0;
    while start < x.len() {
        let block = gathered(x.part(start, size), &mut scratch);
        let [m, sum] = fold(s, MaxAbs, [block]);
        if is_nan(sum) {
            return start + block.iter().position(|x| is_nan(*x)).unwrap_or(0);
        }
        if most.is_none_or(|most| m > most) {
            (most, at) = (Some(m), start);
        }
        start += size;
    }
    let most = most.unwrap_or_default();
    let block = gathered(x.part(at, size), &mut scratch);
    let found = s.vectorize(
        #[inline(always)]
        || position_by::<S, T, true>(s, block, most),
    );
    at + found
}

/// The elements in order: where they are, or copied to `scratch`, which holds them.
#[inline(always)]
fn gathered<'a, T: Element>(x: VecRef<'a, T>, scratch: &'a mut [T]) -> &'a [T] {
    if let Some(x) = x.as_slice() {
        return x;
    }
    for (i, to) in scratch.iter_mut().enumerate().take(x.len()) {
        *to = x.get(i).unwrap_or_default();
    }
    scratch.get(..x.len()).unwrap_or_default()
}
