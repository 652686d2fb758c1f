//! Operands whose stride is not the one that the register tile reads, copied into its order.

use crate::lanes::Element;
use crate::view::MatRef;

/// Steps of the inner dimension that are copied together: one line of each column of a transposed operand
/// is read whole, and the lines written stay in the first-level cache.
const STEPS: usize = 16;

/// A tile of A, column after column: element `(i, p)` at `p·rows + i`.
pub(super) fn interleave<T: Element>(a: MatRef<'_, T>, to: &mut [T]) {
    if a.row_stride() == 1 && a.rows() == 8 {
        return columns::<T, 8>(a, to);
    }
    across(a.t(), a.rows(), to);
}

/// A panel of B, row after row of `width` elements, zeros beyond its columns.
pub(super) fn panel<T: Element>(b: MatRef<'_, T>, width: usize, to: &mut [T]) {
    across(b, width, to);
    if b.cols() < width {
        for row in to.chunks_exact_mut(width) {
            row.get_mut(b.cols()..).unwrap_or_default().fill(T::ZERO);
        }
    }
}

/// Columns of `R` contiguous elements.
fn columns<T: Element, const R: usize>(a: MatRef<'_, T>, to: &mut [T]) {
    for (p, to) in to.as_chunks_mut::<R>().0.iter_mut().enumerate().take(a.cols()) {
        // SAFETY: column `p` has `R` contiguous elements.
        *to = unsafe { a.ptr().offset(p as isize * a.col_stride()).cast::<[T; R]>().read() };
    }
}

/// Element `(p, j)` to `p·width + j`, for any strides.
fn across<T: Element>(b: MatRef<'_, T>, width: usize, to: &mut [T]) {
    let cols = b.cols().min(width);
    let k = b.rows().min(to.len().checked_div(width).unwrap_or(0));
    let (from, to) = (b.ptr(), to.as_mut_ptr());
    let (rs, cs) = (b.row_stride(), b.col_stride());
    let (mut p, whole) = (0, if rs == 1 { cols / SIDE * SIDE } else { 0 });
    while p < k {
        let steps = STEPS.min(k - p);
        let mut first = 0;
        if steps == STEPS {
            while first < whole {
                for q in [p, p + SIDE] {
                    // SAFETY: `SIDE` columns from `first` and `SIDE` rows from `q` lie in B, and in `to`.
                    unsafe {
                        let from = from.add(q).offset(first as isize * cs);
                        square(from, cs, to.add(q * width + first), width);
                    }
                }
                first += SIDE;
            }
        }
        for j in first..cols {
            for q in p..p + steps {
                // SAFETY: `q < k` and `j < cols` lie in B, and `k` rows of `width ≥ cols` in `to`.
                unsafe {
                    to.add(q * width + j).write(from.offset(q as isize * rs + j as isize * cs).read());
                }
            }
        }
        p += steps;
    }
}

/// Rows and columns that are transposed in registers.
const SIDE: usize = 8;

/// Transposes `SIDE` runs of `SIDE` elements, `step` apart, into rows `width` apart. The arrays become
/// registers and the exchange shuffles.
/// # Safety
/// They are valid for reads and writes.
#[inline(always)]
unsafe fn square<T: Element>(from: *const T, step: isize, to: *mut T, width: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let columns: [[T; SIDE]; SIDE] =
            core::array::from_fn(|j| from.offset(j as isize * step).cast::<[T; SIDE]>().read());
        for q in 0..SIDE {
            let row: [T; SIDE] = columns.map(|c| c.get(q).copied().unwrap_or(T::ZERO));
            to.add(q * width).cast::<[T; SIDE]>().write(row);
        }
    }
}
