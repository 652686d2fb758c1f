//! Contractions: products of matrices on threads, as far as the workspace reaches.

use super::Threads;
use super::blas::threaded;
use crate::einsum::*;
use crate::lanes::{Simd, native};
use crate::{Element, Error};

threaded! {
    /// More workspace than the plan's is used by more threads.
    einsum einsum_on einsum_by (plan: &EinsumPlan, operands: &[&[T]], out: &mut [T], workspace: &mut [T]);
}
