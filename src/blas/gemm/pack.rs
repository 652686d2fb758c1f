//! Packs panels of A and B in the order in which the micro-kernel reads them.

use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::MatRef;

/// Steps of the inner dimension that are copied together: one line of each column of a transposed operand
/// is read whole, and the lines written stay in the first-level cache.
pub(crate) const STEPS: usize = 16;

/// A tile of A, column after column: element `(i, p)` at `p·rows + i`.
pub(crate) fn interleave<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, to: &mut [T]) {
    if a.row_stride() == 1 && a.rows() == 8 {
        return columns::<T, 8>(a, to);
    }
    s.vectorize(
        #[inline(always)]
        || across(s, a.t(), a.rows(), to),
    );
}

/// A panel of B, row after row of `width` elements, zeros beyond its columns.
pub(super) fn panel<S: Simd, T: Element>(s: S, b: MatRef<'_, T>, width: usize, to: &mut [T]) {
    s.vectorize(
        #[inline(always)]
        || across(s, b, width, &mut *to),
    );
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
#[inline(always)]
fn across<S: Simd, T: Element>(s: S, b: MatRef<'_, T>, width: usize, to: &mut [T]) {
    let cols = b.cols().min(width);
    let k = b.rows().min(to.len().checked_div(width).unwrap_or(0));
    let (from, to) = (b.ptr(), to.as_mut_ptr());
    let (rs, cs) = (b.row_stride(), b.col_stride());
    let lanes = T::Vec::<S>::LANES;
    let (mut p, whole) = (0, if rs == 1 { cols / lanes * lanes } else { 0 });
    while p < k {
        let steps = STEPS.min(k - p);
        let mut first = 0;
        while steps == STEPS && first < whole {
            let mut q = p;
            while q < p + STEPS {
                // SAFETY: `lanes` columns from `first` and `lanes` rows from `q` (`STEPS` is a multiple) lie in B
                // and in `to`.
                unsafe {
                    let (from, to) = (from.add(q).offset(first as isize * cs), to.add(q * width + first));
                    if const { T::Vec::<S>::SQUARES } {
                        T::Vec::<S>::square::<false>(s, from, cs, to, width as isize);
                    } else if const { T::Vec::<S>::LANES == 16 } {
                        square::<S, T, 16>(s, from, cs, to, width);
                    } else if const { T::Vec::<S>::LANES == 8 } {
                        square::<S, T, 8>(s, from, cs, to, width);
                    } else if const { T::Vec::<S>::LANES == 4 } {
                        square::<S, T, 4>(s, from, cs, to, width);
                    } else if const { T::Vec::<S>::LANES == 2 } {
                        square::<S, T, 2>(s, from, cs, to, width);
                    } else {
                        square::<S, T, 1>(s, from, cs, to, width);
                    }
                }
                q += lanes;
            }
            first += lanes;
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

/// Transposes `L` vectors, `step` apart, into rows `width` apart.
/// # Safety
/// `L` is the number of lanes; all elements are valid for reads and writes.
#[inline(always)]
unsafe fn square<S: Simd, T: Element, const L: usize>(
    s: S,
    from: *const T,
    step: isize,
    to: *mut T,
    width: usize,
) {
    let mut x = [T::Vec::<S>::splat(s, T::ZERO); L];
    // SAFETY: the caller's promise.
    unsafe {
        for (j, x) in x.iter_mut().enumerate() {
            *x = T::Vec::<S>::load(s, from.offset(j as isize * step));
        }
        transpose::<S, T, L>(s, &mut x);
        for (q, x) in x.into_iter().enumerate() {
            x.store(to.add(q * width));
        }
    }
}

/// Transposes sixteen vectors of sixteen words, in place.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(super) fn turn(s: crate::lanes::Avx512, x: &mut [[u32; 16]; 16]) {
    let p = x.as_mut_ptr().cast::<f32>();
    s.vectorize(
        #[inline(always)]
        // SAFETY: an AVX-512 vector has sixteen lanes, the array has sixteen of them, and all are read before one is
        // written; moving an `f32` keeps its bits.
        || unsafe { square::<_, f32, 16>(s, p, 16, p, 16) },
    );
}

/// Lane `i` of vector `j` becomes lane `j` of vector `i`; `L` is the number of lanes.
#[inline(always)]
pub(crate) fn transpose<S: Simd, T: Element, const L: usize>(s: S, x: &mut [T::Vec<S>; L]) {
    stage::<S, T, L, 1>(s, x);
    stage::<S, T, L, 2>(s, x);
    stage::<S, T, L, 4>(s, x);
    stage::<S, T, L, 8>(s, x);
}

/// Exchanges between vectors that are `BY` apart.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i + BY < L")]
fn stage<S: Simd, T: Element, const L: usize, const BY: usize>(s: S, x: &mut [T::Vec<S>; L]) {
    let mut i = 0;
    while i + BY < L {
        if i & BY == 0 {
            [x[i], x[i + BY]] = T::Vec::<S>::exchange::<BY>(s, x[i], x[i + BY]);
        }
        i += 1;
    }
}
