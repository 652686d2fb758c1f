//! Linear systems, least squares, eigenvalues and singular values: in-place factorisations, blocked on matrix products.
//!
//! | factorisation | of | solves |
//! |---|---|---|
//! | [`cholesky`](cholesky()), [`cholesky_update`] | symmetric, positive definite | [`cholesky_solve`], [`cholesky_refine`] |
//! | [`ldlt`](ldlt()) | symmetric | [`ldlt_solve`] |
//! | [`lu`](lu()) | square, or of any shape | [`lu_solve`], [`lu_refine`], [`determinant`], [`inverse`](inverse()), [`lu_condition`] |
//! | [`qr`](qr()) | of any shape | [`least_squares`], [`qr_apply`] |
//! | [`qr_pivoted`] | of any shape and rank | [`least_norm`], [`qr_apply`] |
//! | [`eigh`] | symmetric: eigenvalues and eigenvectors | |
//! | [`eigh_generalized`] | symmetric, against a definite one | |
//! | [`eig`] | square: eigenvalues, right and left eigenvectors | |
//! | [`schur`](schur()) | square: eigenvalues and invariant subspaces | |
//! | [`svd`](svd()) | of any shape: singular values and their vectors | |
//!
//! Factors overwrite their matrix, in views of any strides, and solutions overwrite right-hand sides. A pivot that
//! cannot be divided by is [`Error::Pivot`] with its index; no pivot is compared with an absolute threshold, so a
//! matrix and its multiples are treated alike. [`cholesky_fixed`] and similar functions take matrices in arrays and no
//! workspace; [`cholesky_batched`] and similar ones take many matrices of one shape.
//!
//! ```
//! use fulmen::{MatMut, MatRef, lu, lu_solve, lu_solve_workspace, lu_workspace};
//! let (mut a, mut b) = ([0.0f64, 2.0, 4.0, 1.0], [6.0, 7.0]);
//! let mut pivots = [0; 2];
//! let mut workspace = [0.0; lu_workspace(2, 2) + lu_solve_workspace(2, 1)];
//! lu(MatMut::row_major(&mut a, 2, 2)?, &mut pivots, &mut workspace)?;
//! let factors = MatRef::row_major(&a, 2, 2)?;
//! lu_solve(factors, &pivots, MatMut::row_major(&mut b, 2, 1)?, &mut workspace)?;
//! assert_eq!(b, [1.0, 3.0]);
//! # Ok::<(), fulmen::Error>(())
//! ```

mod balance;
pub(crate) mod batched;
pub(crate) mod cholesky;
pub(crate) mod divide_conquer;
pub(crate) mod eig;
pub(crate) mod eigh;
pub(crate) mod generalized;
pub(crate) mod inverse;
pub(crate) mod ldlt;
pub(crate) mod lu;
pub(crate) mod pivoted;
pub(crate) mod qr;
pub(crate) mod refine;
pub(crate) mod rotations;
pub(crate) mod schur;
mod secular;
pub(crate) mod small;
pub(crate) mod svd;
pub(crate) mod update;

pub use batched::{
    cholesky_batched, cholesky_batched_on, cholesky_solve_batched, cholesky_solve_batched_on, eigh_batched,
    eigh_batched_on, lu_batched, lu_batched_on, lu_solve_batched, lu_solve_batched_on, svd_batched,
    svd_batched_on,
};
pub use cholesky::{
    cholesky, cholesky_on, cholesky_solve, cholesky_solve_on, cholesky_solve_workspace, cholesky_workspace,
};
pub use eig::{eig, eig_on, eig_workspace};
pub use eigh::{eigh, eigh_on, eigh_workspace};
pub use generalized::{eigh_generalized, eigh_generalized_on, eigh_generalized_workspace};
pub use inverse::{
    inverse, inverse_on, inverse_workspace, lu_condition, lu_condition_on, lu_condition_workspace,
};
pub use ldlt::{ldlt, ldlt_on, ldlt_solve, ldlt_solve_on, ldlt_solve_workspace, ldlt_workspace};
pub use lu::{
    determinant, determinant_on, lu, lu_on, lu_solve, lu_solve_on, lu_solve_workspace, lu_workspace,
};
pub use pivoted::{
    least_norm, least_norm_on, least_norm_workspace, qr_pivoted, qr_pivoted_on, qr_pivoted_workspace,
};
pub use qr::{
    least_squares, least_squares_on, least_squares_workspace, qr, qr_apply, qr_apply_on, qr_apply_workspace,
    qr_on, qr_workspace,
};
pub use refine::{
    cholesky_refine, cholesky_refine_on, cholesky_refine_workspace, lu_refine, lu_refine_on,
    lu_refine_workspace,
};
pub use schur::{schur, schur_on, schur_workspace};
pub use small::{cholesky_fixed, cholesky_solve_fixed, inverse_fixed, lu_fixed, lu_solve_fixed};
pub use svd::{svd, svd_on, svd_workspace};
pub use update::{cholesky_update, cholesky_update_on};

use crate::alu::Alu;
use crate::blas::{Triangle, iamax_on};
use crate::error::Error;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, put};
use crate::reduce::norm_linf_on;
use crate::view::{MatMut, MatRef};

/// `|x|`.
#[inline(always)]
fn abs<T: Element>(x: T) -> T {
    if x < T::ZERO { -x } else { x }
}

/// `√x`: the software of `libm` is many times as slow as an instruction.
#[inline(always)]
fn sqrt<S: Simd>(s: S, x: f64) -> f64 {
    let mut root = [0.0];
    put(S::F64::splat(s, x).sqrt(), &mut root);
    let [root] = root;
    root
}

/// The power of 2 that brings `most` next to 1, but for no further exponent than `far`.
fn power(most: f64, far: i32) -> f64 {
    let (_, exponent) = libm::frexp(most);
    libm::ldexp(1.0, (-exponent).clamp(-far, far))
}

/// What to multiply a matrix by so that neither squares of its elements nor sums of them leave the range, and what by
/// afterwards: powers of 2, or 1 where nothing would.
fn scales<T: Element>(most: T) -> [T; 2] {
    let most = most.to_f64();
    // The largest exponents of `f32`, or of `f64`, less some.
    let (far, near) = if T::SIGNIFICAND < 30 { (120, 1e6) } else { (1000, 1e30) };
    if most == 0.0 || (most < near && most > 1.0 / near) {
        return [T::ONE; 2];
    }
    let by = power(most, far);
    [by, 1.0 / by].map(T::from_f64)
}

/// The largest magnitude in a matrix, or in its lower triangle.
fn largest<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, lower: bool) -> T {
    let by_columns = a.col_stride() != 1 && a.row_stride() == 1;
    let m = if by_columns { a.t() } else { a };
    let mut most = T::ZERO;
    for i in 0..m.rows() {
        let [from, to] = match (lower, by_columns) {
            (true, false) => [0, m.cols().min(i + 1)],
            (true, true) => [m.cols().min(i), m.cols()],
            _ => [0, m.cols()],
        };
        let more = |most: T, x: T| if abs(x) > most { abs(x) } else { most };
        most = match m.row_slice(i) {
            Some(row) => more(most, norm_linf_on(s, row.get(from..to).unwrap_or_default())),
            None => (from..to).filter_map(|j| m.get(i, j)).fold(most, more),
        };
    }
    most
}

/// The first of the largest magnitudes of every row made positive, and zeros without a sign; the rows of `other` with them.
pub(crate) fn orient<S: Simd, T: Element>(s: S, mut rows: MatMut<'_, T>, mut other: Option<MatMut<'_, T>>) {
    for i in 0..rows.rows() {
        let most = rows.as_ref().row(i).and_then(|row| Ok(row.get(iamax_on(s, row)?)));
        let most = most.ok().flatten().unwrap_or_default();
        let sign = if most < T::ZERO { -T::ONE } else { T::ONE };
        turn(rows.reborrow(), i, sign);
        if let Some(other) = &mut other {
            turn(other.reborrow(), i, sign);
        }
    }
}

/// Row `i` times 1 or -1.
fn turn<T: Element>(mut m: MatMut<'_, T>, i: usize, sign: T) {
    if let Some(row) = m.row_slice_mut(i) {
        row.iter_mut().for_each(|x| *x = *x * sign + T::ZERO);
        return;
    }
    for j in 0..m.cols() {
        if let Some(x) = m.get(i, j) {
            m.set(i, j, x * sign + T::ZERO);
        }
    }
}

/// All elements, or those of the lower triangle, times a number.
fn multiply<T: Element>(mut a: MatMut<'_, T>, by: T, lower: bool) {
    for i in 0..a.rows() {
        let to = if lower { a.cols().min(i + 1) } else { a.cols() };
        for j in 0..to {
            if let Some(x) = a.get(i, j) {
                a.set(i, j, x * by);
            }
        }
    }
}

/// `Ok` when an array of indices can name each of `n` rows or columns.
fn positions(arg: &'static str, n: usize) -> Result<(), Error> {
    if u32::try_from(n).is_ok() { Ok(()) } else { Err(Error::overflow(arg)) }
}

/// `Ok` when the matrix, or its triangle, holds neither NaN nor an infinity.
fn finite<T: Element>(arg: &'static str, a: MatRef<'_, T>, triangle: Option<Triangle>) -> Result<(), Error> {
    let (a, triangle) = if a.col_stride() != 1 && a.row_stride() == 1 {
        (a.t(), triangle.map(Triangle::t))
    } else {
        (a, triangle)
    };
    let (mut odd, mut nan) = (false, false);
    for i in 0..a.rows() {
        let [from, to] = match triangle {
            Some(Triangle::Lower) => [0, a.cols().min(i + 1)],
            Some(Triangle::Upper) => [a.cols().min(i), a.cols()],
            None => [0, a.cols()],
        };
        // The difference with itself is 0 for finite numbers only.
        if let Some(row) = a.row_slice(i) {
            let row = row.get(from..to).unwrap_or_default();
            if row.iter().fold(false, |odd, x| odd | (*x - *x != T::ZERO)) {
                odd = true;
                nan |= row.iter().any(|x| x.partial_cmp(x).is_none());
            }
        } else {
            for x in (from..to).filter_map(|j| a.get(i, j)) {
                odd |= x - x != T::ZERO;
                nan |= x.partial_cmp(&x).is_none();
            }
        }
    }
    match (odd, nan) {
        (_, true) => Err(Error::nan(arg)),
        (true, _) => Err(Error::must_be(arg, "finite")),
        _ => Ok(()),
    }
}

/// `Ok` when no element of the diagonal is 0.
fn divides<T: Element>(arg: &'static str, a: MatRef<'_, T>) -> Result<(), Error> {
    let zero = |i: &usize| a.get(*i, *i) == Some(T::ZERO);
    match (0..a.rows().min(a.cols())).find(zero) {
        Some(index) => Err(Error::pivot(arg, index)),
        None => Ok(()),
    }
}
