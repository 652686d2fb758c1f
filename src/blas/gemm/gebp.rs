//! GEBP, the block-panel product that attention calls on operands that are in cache. It checks no shapes and does not
//! block the inner dimension; the bits of an element of C depend on its row of A and its column of B alone.

use super::loops::{run_of, share, tile_by_tile};
use super::micro::{Lhs, tiles};
use super::plan::Shape;
use super::tile::Scale;
use super::{Problem, pack, small_n, tune};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Columns of a register tile.
pub(crate) const fn tile_cols<S: Simd, T: Element>() -> usize {
    tune::vectors(S::ISA) * T::Vec::<S>::LANES
}

/// Columns of the widest tile of any set.
pub(crate) const MOST_TILE_COLS: usize = 3 * tune::MOST_LANES;

/// `C = βC + AB`; B has unit column stride.
#[inline(never)]
pub(crate) fn gebp<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, b: MatRef<'_, T>, beta: T, c: MatMut<'_, T>) {
    let p = Problem { alpha: T::ONE, beta, a, b, c };
    if Shape::of(&p).small_n::<S, T>() {
        return small_n::run(s, (), p, a.cols());
    }
    tile_by_tile(s, (), p);
}

/// Columns of A that are copied together: what all tiles read of them stays in the first-level cache.
pub(crate) const COLUMNS: usize = 16;

/// Copies A in the order in which [`gebp_interleaved`] reads it.
#[inline(never)]
pub(crate) fn interleave<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, to: &mut [T]) {
    let k = a.cols();
    let mut p = 0;
    while p < k {
        let cols = COLUMNS.min(k - p);
        let mut i = 0;
        while i < a.rows() {
            let rows = share(a.rows() - i, tune::rows(S::ISA));
            let start = i * k + p * rows;
            let Some(to) = to.get_mut(start..start + cols * rows) else { return };
            pack::interleave(s, a.block([i, p], [rows, cols]), to);
            i += rows;
        }
        p += cols;
    }
}

/// `C += AB` for an A of `k` columns by [`interleave`], of which B's rows may be the first; C has at most
/// [`tile_cols`] columns and B unit column stride.
#[inline(never)]
pub(crate) fn gebp_interleaved<S: Simd, T: Element>(
    s: S,
    a: &[T],
    k: usize,
    b: MatRef<'_, T>,
    mut c: MatMut<'_, T>,
) {
    let scale = Scale::one_pass(T::ONE, T::ONE);
    let (mr, m, n) = (tune::rows(S::ISA), c.rows(), c.cols());
    let mut i = 0;
    while i < m {
        let rows = run_of(m - i, mr, false);
        let left = Lhs::Packed(a.get(i * k..(i + rows) * k).unwrap_or_default(), k);
        tiles(s, (), scale, left, b, c.reborrow().block([i, 0], [rows, n]), [i, 0], None);
        i += rows;
    }
}
