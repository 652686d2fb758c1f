//! Systems of linear equations: factorisations over the matrix itself, blocked on products of matrices.
//!
//! | factorisation | of | solves |
//! |---|---|---|
//! | [`cholesky`](cholesky()) | symmetric, positive definite | [`cholesky_solve`] |
//! | [`lu`](lu()) | square, or of any shape | [`lu_solve`], [`determinant`] |
//! | [`qr`](qr()) | of any shape | [`least_squares`], [`qr_apply`] |
//!
//! A factor lies where its matrix was, in views of any strides, and a solution where its right-hand sides were. A pivot that cannot
//! be divided by is [`Error::Pivot`] with its index; no test compares a pivot with a fixed number, so a matrix and its
//! multiples are treated alike.
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

pub(crate) mod cholesky;
pub(crate) mod lu;
pub(crate) mod qr;

pub use cholesky::{
    cholesky, cholesky_on, cholesky_solve, cholesky_solve_on, cholesky_solve_workspace, cholesky_workspace,
};
#[cfg(feature = "parallel")]
pub(crate) use cholesky::{cholesky_by, cholesky_solve_by};
pub use lu::{
    determinant, determinant_on, lu, lu_on, lu_solve, lu_solve_on, lu_solve_workspace, lu_workspace,
};
#[cfg(feature = "parallel")]
pub(crate) use lu::{lu_by, lu_solve_by};
pub use qr::{
    least_squares, least_squares_on, least_squares_workspace, qr, qr_apply, qr_apply_on, qr_apply_workspace,
    qr_on, qr_workspace,
};
#[cfg(feature = "parallel")]
pub(crate) use qr::{least_squares_by, qr_apply_by, qr_by};

use crate::blas::Triangle;
use crate::error::Error;
use crate::lanes::Element;
use crate::view::MatRef;

/// `|x|`.
#[inline(always)]
fn abs<T: Element>(x: T) -> T {
    if x < T::ZERO { -x } else { x }
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
        (_, true) => Err(Error::Nan { arg }),
        (true, _) => Err(Error::Domain { arg }),
        _ => Ok(()),
    }
}

/// `Ok` when no element of the diagonal is 0.
fn divides<T: Element>(arg: &'static str, a: MatRef<'_, T>) -> Result<(), Error> {
    let zero = |i: &usize| a.get(*i, *i) == Some(T::ZERO);
    match (0..a.rows().min(a.cols())).find(zero) {
        Some(index) => Err(Error::Pivot { arg, index }),
        None => Ok(()),
    }
}
