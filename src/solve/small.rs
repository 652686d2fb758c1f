//! Factorisations and solves of small matrices of constant order, in arrays, for filters and controllers on
//! microcontrollers. Nothing is blocked, and no workspace is needed.

use super::abs;
use crate::error::Error;
use crate::lanes::Element;

/// [`cholesky`](crate::cholesky()) of a matrix in an array: no workspace, and for at most 32 rows the same bits.
///
/// Errors: [`Error::Nan`] and [`Error::Domain`] when the lower triangle holds NaN or an infinity: nothing is written then. [`Error::Pivot`] as of
/// `cholesky`.
///
/// ```
/// let mut a = [[4.0f32, f32::NAN], [2.0, 10.0]];
/// fulmen::cholesky_fixed(&mut a)?;
/// assert_eq!([a[0][0], a[1][0], a[1][1]], [2.0, 1.0, 3.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: G. Golub, C. Van Loan, "Matrix Computations", §4.2. Contract: `contracts/cholesky-v1.yaml`.
#[inline]
pub fn cholesky_fixed<T: Element, const N: usize>(a: &mut [[T; N]; N]) -> Result<(), Error> {
    finite(a.iter().enumerate().flat_map(|(i, row)| row.iter().take(i + 1)))?;
    for index in 0..N {
        let (done, rest) = a.split_at_mut_checked(index).unwrap_or_default();
        let row = rest.first_mut().map_or(&mut [][..], |row| row);
        for (k, l) in done.iter().enumerate() {
            let (mine, rest) = row.split_at_mut_checked(k).unwrap_or_default();
            if let (Some(x), Some(pivot)) = (rest.first_mut(), l.get(k)) {
                *x = mine.iter().zip(l).fold(*x, |x, (m, l)| x - *m * *l) / *pivot;
            }
        }
        let (mine, rest) = row.split_at_mut_checked(index).unwrap_or_default();
        let Some(x) = rest.first_mut() else { continue };
        let pivot = mine.iter().fold(*x, |x, m| x - *m * *m);
        if !(pivot > T::ZERO && pivot < T::INFINITY) {
            return Err(Error::pivot("a", index));
        }
        *x = T::from_f64(libm::sqrt(pivot.to_f64()));
    }
    Ok(())
}

/// [`cholesky_solve`](crate::cholesky_solve()) of matrices in arrays, with no workspace: `X = A⁻¹B` over B.
///
/// Errors: [`Error::Pivot`] with the index of the first zero on the diagonal: nothing is written then.
///
/// ```
/// let mut b = [[8.0f32], [22.0]];
/// fulmen::cholesky_solve_fixed(&[[2.0, 0.0], [1.0, 3.0]], &mut b)?;
/// assert_eq!(b, [[1.0], [2.0]]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: as [`cholesky_fixed`]. Contract: `contracts/cholesky_solve-v1.yaml`.
#[inline]
pub fn cholesky_solve_fixed<T: Element, const N: usize, const C: usize>(
    l: &[[T; N]; N],
    b: &mut [[T; C]; N],
) -> Result<(), Error> {
    divides("l", l)?;
    for i in 0..N {
        let at = |k: usize| l.get(i).and_then(|row| row.get(k)).copied().unwrap_or_default();
        eliminate(b, i, 0..i, at, Some(at(i)));
    }
    for i in (0..N).rev() {
        let at = |k: usize| l.get(k).and_then(|row| row.get(i)).copied().unwrap_or_default();
        eliminate(b, i, i + 1..N, at, Some(at(i)));
    }
    Ok(())
}

/// [`lu`](crate::lu()) of a matrix in an array, with no workspace.
///
/// Errors: [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an infinity: nothing is written then. [`Error::Pivot`] as of `lu`.
///
/// ```
/// let (mut a, mut pivots) = ([[1.0f32, 4.0], [2.0, 2.0]], [0; 2]);
/// fulmen::lu_fixed(&mut a, &mut pivots)?;
/// assert_eq!((a, pivots), ([[2.0, 2.0], [0.5, 3.0]], [1, 1]));
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: G. Golub, C. Van Loan, "Matrix Computations", §3.4. Contract: `contracts/lu-v1.yaml`.
#[inline]
pub fn lu_fixed<T: Element, const N: usize>(a: &mut [[T; N]; N], pivots: &mut [u32; N]) -> Result<(), Error> {
    finite(a.as_flattened().iter())?;
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let mut most = T::ZERO;
        let mut at = k;
        for (i, row) in a.iter().enumerate().skip(k) {
            let size = row.get(k).map_or(T::ZERO, |x| abs(*x));
            if size > most {
                (most, at) = (size, i);
            }
        }
        if most == T::ZERO {
            continue;
        }
        *pivot = at as u32;
        a.swap(k, at);
        let (done, rest) = a.split_at_mut_checked(k + 1).unwrap_or_default();
        let Some((first, u)) = done.last().and_then(|row| row.get(k..)?.split_first()) else { continue };
        for row in rest {
            let Some((l, to)) = row.get_mut(k..).and_then(|row| row.split_first_mut()) else { continue };
            *l = *l / *first;
            to.iter_mut().zip(u).for_each(|(to, u)| *to = *to - *l * *u);
        }
    }
    divides("a", a)
}

/// [`lu_solve`](crate::lu_solve()) of matrices in arrays, with no workspace: `X = A⁻¹B` over B.
///
/// Errors: [`Error::Index`] names `pivots`; [`Error::Pivot`] with the index of the first zero on U's diagonal. Nothing is written then.
///
/// ```
/// let mut b = [[9.0f32], [6.0]];
/// fulmen::lu_solve_fixed(&[[2.0, 2.0], [0.5, 3.0]], &[1, 1], &mut b)?;
/// assert_eq!(b, [[1.0], [2.0]]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: as [`lu_fixed`]. Contract: `contracts/lu_solve-v1.yaml`.
#[inline]
pub fn lu_solve_fixed<T: Element, const N: usize, const C: usize>(
    factors: &[[T; N]; N],
    pivots: &[u32; N],
    b: &mut [[T; C]; N],
) -> Result<(), Error> {
    if let Some(index) = pivots.iter().map(|p| *p as usize).find(|p| *p >= N) {
        return Err(Error::index("pivots", index, N));
    }
    divides("factors", factors)?;
    for (i, p) in pivots.iter().enumerate() {
        b.swap(i, *p as usize);
    }
    let at = |i: usize, k: usize| factors.get(i).and_then(|row| row.get(k)).copied().unwrap_or_default();
    for i in 0..N {
        eliminate(b, i, 0..i, |k| at(i, k), None);
    }
    for i in (0..N).rev() {
        eliminate(b, i, i + 1..N, |k| at(i, k), Some(at(i, i)));
    }
    Ok(())
}

/// [`inverse`](crate::inverse()) of a matrix in an array, with no workspace. A filter that wants `A⁻¹B` has it sooner and better from
/// [`cholesky_solve_fixed`] or [`lu_solve_fixed`].
///
/// Errors: [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an infinity, [`Error::Pivot`] with the index of the first pivot that is exactly
/// 0. Nothing is written then.
///
/// ```
/// let mut a = [[0.0f32, 2.0], [4.0, 0.0]];
/// fulmen::inverse_fixed(&mut a)?;
/// assert_eq!(a, [[0.0, 0.25], [0.5, 0.0]]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: as [`inverse`](crate::inverse()). Contract: `contracts/inverse-v1.yaml`.
#[inline]
pub fn inverse_fixed<T: Element, const N: usize>(a: &mut [[T; N]; N]) -> Result<(), Error> {
    let (mut factors, mut pivots) = (*a, [0; N]);
    lu_fixed(&mut factors, &mut pivots)?;
    let one = |i: usize, j: usize| if i == j { T::ONE } else { T::ZERO };
    let mut x = core::array::from_fn(|i| core::array::from_fn(|j| one(i, j)));
    lu_solve_fixed(&factors, &pivots, &mut x)?;
    *a = x;
    Ok(())
}

/// Row `i` less the `known` rows times their factors, by the pivot.
#[inline(always)]
fn eliminate<T: Element, const N: usize, const C: usize>(
    b: &mut [[T; C]; N],
    i: usize,
    known: core::ops::Range<usize>,
    factor: impl Fn(usize) -> T,
    pivot: Option<T>,
) {
    let Some(mut row) = b.get(i).copied() else { return };
    for k in known {
        let f = factor(k);
        let of = b.get(k).map_or(&[][..], |of| of);
        row.iter_mut().zip(of).for_each(|(to, x)| *to = *to - f * *x);
    }
    if let Some(pivot) = pivot {
        row.iter_mut().for_each(|x| *x = *x / pivot);
    }
    if let Some(to) = b.get_mut(i) {
        *to = row;
    }
}

/// `Ok` for numbers that are neither NaN nor infinite.
#[inline(always)]
fn finite<'a, T: Element>(mut a: impl Iterator<Item = &'a T>) -> Result<(), Error> {
    let mut odd = false;
    let nan = a.any(|x| {
        odd |= *x - *x != T::ZERO;
        x.partial_cmp(x).is_none()
    });
    match (nan, odd) {
        (true, _) => Err(Error::nan("a")),
        (_, true) => Err(Error::must_be("a", "finite")),
        _ => Ok(()),
    }
}

/// `Ok` when no element of the diagonal is 0.
#[inline(always)]
fn divides<T: Element, const N: usize>(arg: &'static str, a: &[[T; N]; N]) -> Result<(), Error> {
    match a.iter().enumerate().find(|(i, row)| row.get(*i) == Some(&T::ZERO)) {
        Some((index, _)) => Err(Error::pivot(arg, index)),
        None => Ok(()),
    }
}
