//! Sparse matrices: rows on different threads, about as many elements each.

use super::Threads;
use super::blas::threaded;
use crate::lanes::{Simd, native};
use crate::sparse::*;
use crate::{Element, Error, MatMut, MatRef, Triangle};

threaded! {
    spmv spmv_on spmv_by (alpha: T, a: Csr<'_, T>, x: &[T], beta: T, y: &mut [T]);
    spmv_sell spmv_sell_on spmv_by (alpha: T, a: Sell<'_, T>, x: &[T], beta: T, y: &mut [T]);
    spmv_bsr spmv_bsr_on spmv_by (alpha: T, a: Bsr<'_, T>, x: &[T], beta: T, y: &mut [T]);
    spmv_dia spmv_dia_on spmv_by (alpha: T, a: Dia<'_, T>, x: &[T], beta: T, y: &mut [T]);
    gauss_seidel_colored gauss_seidel_colored_on gauss_seidel_colored_by (order: Triangle, omega: T, a: Csr<'_, T>, colors: Colors<'_>, b: &[T], x: &mut [T], workspace: &mut [T]);
    spmm spmm_on spmm_by (alpha: T, a: Csr<'_, T>, x: MatRef<'_, T>, beta: T, y: MatMut<'_, T>);
    /// The rows add to the same elements of `y`, so one thread does it.
    spmv_transposed spmv_transposed_on spmv_transposed_by (alpha: T, a: Csr<'_, T>, x: &[T], beta: T, y: &mut [T]);
}
