//! Divides the workspace of a low-precision product into packed panels of A and of B, and computes how much it needs.

use super::{loops, tune};
use crate::lanes::Simd;
use crate::lanes::vector::Vector;
use crate::parts::{LINE, aligned};

/// The depth of a pass, vectors of a block of B, and elements of A's and of B's panels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scratch {
    pub(super) depth: usize,
    pub(super) most: usize,
    a: usize,
    b: usize,
}

impl Scratch {
    /// For A and B in whole multiples of so many rows and vectors of columns; `k` counts what is packed side by side.
    pub(super) fn new<S: Simd>([m, n, k]: [usize; 3], [mr, nv]: [usize; 2]) -> Self {
        let lanes = S::F32::LANES;
        let depth = loops::pass(S::ISA, k);
        let most = (tune::block(S::ISA) / depth.max(1)).max(4 * tune::vectors(S::ISA)) / nv * nv;
        let rows = m.min(tune::MOST_BAND / mr * mr).next_multiple_of(mr);
        let cols = n.div_ceil(lanes).min(most).next_multiple_of(nv) * lanes;
        Self { depth, most, a: depth * rows, b: depth * cols }
    }

    pub(super) fn needed(&self) -> usize {
        if self.depth == 0 { 0 } else { self.a + self.b + LINE }
    }

    /// B's part of a workspace, and A's.
    pub(super) fn split<'a, T>(&self, workspace: &'a mut [T]) -> (&'a mut [T], &'a mut [T]) {
        aligned(workspace).split_at_mut_checked(self.b).unwrap_or_default()
    }
}
