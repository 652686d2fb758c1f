//! Contractions: products of matrices on threads, as far as the workspace reaches.

use super::Threads;
use super::blas::threaded;
use crate::einsum::elements::{gather_elements_by, scatter_add_elements_by};
use crate::einsum::gather::gather_by;
use crate::einsum::pad::pad_by;
use crate::einsum::*;
use crate::lanes::{Simd, native};
use crate::{Element, Error};

threaded! {
    pad pad_on pad_by (x: &[T], shape: &[usize], padding: &[[usize; 2]], with: Pad<T>, out: &mut [T]);
    gather gather_on gather_by (x: &[T], shape: &[usize], axis: usize, ids: &[u32], out: &mut [T]);
    gather_elements gather_elements_on gather_elements_by (x: &[T], shape: &[usize], axis: usize, ids: &[u32], out: &mut [T]);
    scatter_add_elements scatter_add_elements_on scatter_add_elements_by (x: &[T], shape: &[usize], axis: usize, ids: &[u32], out: &mut [T]);
    ///
    /// More workspace than the plan's is used by more threads.
    einsum einsum_on einsum_by (plan: &EinsumPlan, operands: &[&[T]], out: &mut [T], workspace: &mut [T]);
}
