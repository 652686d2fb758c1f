//! Ops on rows of several matrices: whole rows on different threads.

use super::Threads;
use super::blas::threaded;
use crate::lanes::{Simd, native};
use crate::nn::*;
use crate::{Element, Error};

threaded! {
    swiglu_packed swiglu_packed_on swiglu_packed_by (x: &[T], cols: usize, out: &mut [T]);
    swiglu_packed_backward swiglu_packed_backward_on swiglu_packed_backward_by
        (x: &[T], dy: &[T], cols: usize, dx: &mut [T]);
}
