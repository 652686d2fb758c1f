//! Sparse matrices: rows on different threads, about as many elements each.

use super::Threads;
use super::blas::threaded;
use crate::lanes::{Simd, native};
use crate::sparse::*;
use crate::{Element, Error};

threaded! {
    spmv spmv_on spmv_by (alpha: T, a: Csr<'_, T>, x: &[T], beta: T, y: &mut [T]);
}
