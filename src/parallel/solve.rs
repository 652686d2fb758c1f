//! Factorisations and what solves with them: parts of the products inside on different threads.

use super::Threads;
use super::blas::threaded;
use crate::lanes::{Simd, native};
use crate::solve::*;
use crate::{Element, Error, MatMut, MatRef};

threaded! {
    cholesky cholesky_on cholesky_by (a: MatMut<'_, T>, workspace: &mut [T]);
    cholesky_solve cholesky_solve_on cholesky_solve_by (l: MatRef<'_, T>, b: MatMut<'_, T>, workspace: &mut [T]);
    ldlt ldlt_on ldlt_by (a: MatMut<'_, T>, off: &mut [T], pivots: &mut [usize], workspace: &mut [T]);
    ldlt_solve ldlt_solve_on ldlt_solve_by
        (factors: MatRef<'_, T>, off: &[T], pivots: &[usize], b: MatMut<'_, T>, workspace: &mut [T]);
    lu lu_on lu_by (a: MatMut<'_, T>, pivots: &mut [usize], workspace: &mut [T]);
    lu_solve lu_solve_on lu_solve_by
        (factors: MatRef<'_, T>, pivots: &[usize], b: MatMut<'_, T>, workspace: &mut [T]);
    inverse inverse_on inverse_by (a: MatMut<'_, T>, pivots: &mut [usize], workspace: &mut [T]);
    qr qr_on qr_by (a: MatMut<'_, T>, tau: &mut [T], workspace: &mut [T]);
    qr_apply qr_apply_on qr_apply_by
        (transposed: bool, factors: MatRef<'_, T>, tau: &[T], c: MatMut<'_, T>, workspace: &mut [T]);
    least_squares least_squares_on least_squares_by
        (a: MatMut<'_, T>, tau: &mut [T], b: MatMut<'_, T>, workspace: &mut [T]);
    eigh eigh_on eigh_by (a: MatMut<'_, T>, values: &mut [T], workspace: &mut [T]);
    eigh_generalized eigh_generalized_on eigh_generalized_by
        (a: MatMut<'_, T>, b: MatMut<'_, T>, values: &mut [T], workspace: &mut [T]);
    svd svd_on svd_by
        (a: MatMut<'_, T>, u: MatMut<'_, T>, values: &mut [T], vt: MatMut<'_, T>, workspace: &mut [T]);
}
