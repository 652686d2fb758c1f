//! Operands whose stride is not the one that the register tile reads, copied into its order.

use crate::lanes::Element;
use crate::view::MatRef;

/// A tile of A, column after column: element `(i, p)` at `p·rows + i`.
#[inline(always)]
pub(super) fn interleave<T: Element>(a: MatRef<'_, T>, to: &mut [T]) {
    let rows = a.rows();
    if rows == 0 {
        return;
    }
    for (p, to) in to.chunks_exact_mut(rows).enumerate() {
        for (i, to) in to.iter_mut().enumerate() {
            *to = a.get(i, p).unwrap_or(T::ZERO);
        }
    }
}

/// A panel of B, row after row of `width` elements, zeros beyond its columns.
#[inline(always)]
pub(super) fn panel<T: Element>(b: MatRef<'_, T>, width: usize, to: &mut [T]) {
    if width == 0 {
        return;
    }
    for (p, to) in to.chunks_exact_mut(width).enumerate() {
        for (j, to) in to.iter_mut().enumerate() {
            *to = b.get(p, j).unwrap_or(T::ZERO);
        }
    }
}
