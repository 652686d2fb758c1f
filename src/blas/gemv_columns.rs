//! The matrix-vector product of a column-major matrix: several columns at once are added to a block of `y`.

use super::elementwise::{read, write};
use super::gemm::{share, tune};
use crate::alu::Alu;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use crate::view::{MatRef, VecMut, VecRef};

/// Columns that are added together.
pub(crate) const COLUMNS: usize = 8;

/// Bytes between the first and the last column up to which all of them pass a part of `y`.
pub(crate) const NEAR_BYTES: usize = 1 << 20;

/// Elements of `y` that wait in the first-level cache, or in an array.
pub(crate) const CHUNK: usize = 2048;
/// The same in an array.
pub(crate) const SMALL_CHUNK: usize = 128;

/// `y = βy`, then `α·x[j]` times each column is added.
pub(super) fn by_columns<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    beta: T,
    mut y: VecMut<'_, T>,
) {
    let n = if y.as_mut_slice().is_some() { CHUNK } else { SMALL_CHUNK };
    let mut i = 0;
    while i < a.rows() {
        let mut part = y.reborrow().part(i, n);
        let a = a.block([i, 0], [part.len(), usize::MAX]);
        match part.as_mut_slice() {
            Some(y) => one_chunk(s, [alpha, beta], a, x, y),
            None => copied_chunk(s, [alpha, beta], a, x, part),
        }
        i += n;
    }
}

#[inline(never)]
fn copied_chunk<S: Simd, T: Element>(
    s: S,
    scale: [T; 2],
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    y: VecMut<'_, T>,
) {
    let mut copy = [T::ZERO; SMALL_CHUNK];
    let copy = copy.get_mut(..y.len()).unwrap_or_default();
    read(y.as_ref(), copy);
    one_chunk(s, scale, a, x, copy);
    write(copy, y);
}

#[inline(never)]
fn one_chunk<S: Simd, T: Element>(s: S, scale: [T; 2], a: MatRef<'_, T>, x: VecRef<'_, T>, y: &mut [T]) {
    s.vectorize(
        #[inline(always)]
        || columns(s, scale, a, x, y),
    );
}

/// `y = βy + αAx` for A of unit row stride.
#[inline(always)]
fn columns<S: Simd, T: Element>(
    s: S,
    [alpha, beta]: [T; 2],
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    y: &mut [T],
) {
    let lanes = T::Vec::<S>::LANES;
    let m = a.rows().min(y.len());
    let y = y.as_mut_ptr();
    let far =
        a.col_stride().unsigned_abs().saturating_mul(a.cols()).saturating_mul(size_of::<T>()) > NEAR_BYTES;
    if !COMPACT && !far {
        let t = Strip { scale: [alpha, beta], a, x, y };
        // SAFETY: `y` has `m` elements, and so has each column of A; `x` as many as there are columns.
        return unsafe { t.all(s, m) };
    }
    let mut j = 0;
    while j < a.cols() {
        let whole = a.cols() - j >= COLUMNS;
        let count = if whole { COLUMNS } else { a.cols() - j };
        let mut by = [T::Vec::<S>::splat(s, T::ZERO); COLUMNS];
        for (q, by) in by.iter_mut().enumerate().take(count) {
            *by = T::Vec::<S>::splat(s, alpha * x.get(j + q).unwrap_or(T::ZERO));
        }
        let group = Group {
            first: a.ptr().wrapping_offset(j as isize * a.col_stride()),
            step: a.col_stride(),
            by,
            count,
            beta: if j == 0 { beta } else { T::ONE },
        };
        // SAFETY: `m` elements of `y` and of each of these columns, which follow each other.
        unsafe {
            let mut i = 0;
            if whole {
                while m - i >= 2 * lanes {
                    group.add::<true, 2>(s, y, i, lanes);
                    i += 2 * lanes;
                }
                while m - i >= lanes {
                    group.add::<true, 1>(s, y, i, lanes);
                    i += lanes;
                }
            }
            while i < m {
                let n = lanes.min(m - i);
                group.add::<false, 1>(s, y, i, n);
                i += n;
            }
        }
        j += count;
    }
}

/// Elements of `y` that stay in registers while all columns pass; the sums of [`Group`], in its order.
struct Strip<'a, T> {
    scale: [T; 2],
    a: MatRef<'a, T>,
    x: VecRef<'a, T>,
    y: *mut T,
}

impl<T: Element> Strip<'_, T> {
    /// # Safety
    /// `y` and A's columns have `m` elements, `x` has one for each of these.
    #[inline(always)]
    unsafe fn all<S: Simd>(&self, s: S, m: usize) {
        let lanes = T::Vec::<S>::LANES;
        let mut i = 0;
        while i < m {
            let left = m - i;
            // SAFETY: so many elements are left.
            i += unsafe {
                if const { tune::masks::<S>() } {
                    // A masked load costs no more: strips of much the same width.
                    let vectors = share(left.div_ceil(lanes), 8);
                    let rest = left.min(vectors * lanes) - (vectors - 1) * lanes;
                    match vectors {
                        8 => self.add::<S, 8, true>(s, i, rest),
                        7 => self.add::<S, 7, true>(s, i, rest),
                        6 => self.add::<S, 6, true>(s, i, rest),
                        5 => self.add::<S, 5, true>(s, i, rest),
                        4 => self.add::<S, 4, true>(s, i, rest),
                        3 => self.add::<S, 3, true>(s, i, rest),
                        2 => self.add::<S, 2, true>(s, i, rest),
                        _ => self.add::<S, 1, true>(s, i, rest),
                    }
                } else {
                    match left / lanes {
                        0 => self.add::<S, 1, true>(s, i, left),
                        1 => self.add::<S, 1, false>(s, i, lanes),
                        2 | 3 => self.add::<S, 2, false>(s, i, lanes),
                        _ => self.add::<S, 4, false>(s, i, lanes),
                    }
                }
            };
        }
    }

    /// `N` vectors from `i` on, of which the last has `n` elements if `PART`. Gives how many elements that are.
    /// # Safety
    /// `y` and A's columns have them, `x` has one for each of these.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "u < N")]
    unsafe fn add<S: Simd, const N: usize, const PART: bool>(&self, s: S, i: usize, n: usize) -> usize {
        let lanes = T::Vec::<S>::LANES;
        let zero = T::Vec::<S>::splat(s, T::ZERO);
        let ([alpha, beta], x) = (self.scale, self.x.as_col());
        let (mut x, step) = (x.ptr(), x.row_stride());
        let (mut column, next) = (self.a.ptr().wrapping_add(i), self.a.col_stride());
        let to = |u: usize| self.y.wrapping_add(i + u * lanes);
        let mut even = [zero; N];
        // SAFETY: the caller's promise.
        unsafe {
            let read = |p: *const T, u: usize| {
                let p = p.wrapping_add(u * lanes);
                if PART && u + 1 == N {
                    T::Vec::<S>::load_first(s, p, n, T::ZERO)
                } else {
                    T::Vec::<S>::load(s, p)
                }
            };
            let mut u = 0;
            while u < N {
                if beta != T::ZERO {
                    even[u] = read(self.y.wrapping_add(i), u);
                }
                if beta != T::ONE {
                    even[u] = even[u] * T::Vec::<S>::splat(s, beta);
                }
                u += 1;
            }
            let mut left = self.a.cols().min(self.x.len());
            while left > 0 {
                let count = if left < COLUMNS { left } else { COLUMNS };
                let mut odd = [zero; N];
                let mut q = 0;
                while q < count {
                    let by = T::Vec::<S>::splat(s, alpha * x.read());
                    let mut u = 0;
                    while u < N {
                        even[u] = by.mul_add(read(column, u), even[u]);
                        u += 1;
                    }
                    (x, column) = (x.wrapping_offset(step), column.wrapping_offset(next));
                    if q + 1 < count {
                        let by = T::Vec::<S>::splat(s, alpha * x.read());
                        let mut u = 0;
                        while u < N {
                            odd[u] = by.mul_add(read(column, u), odd[u]);
                            u += 1;
                        }
                        (x, column) = (x.wrapping_offset(step), column.wrapping_offset(next));
                    }
                    q += 2;
                }
                let mut u = 0;
                while u < N {
                    even[u] = even[u] + odd[u];
                    u += 1;
                }
                left -= count;
            }
            let mut u = 0;
            while u < N {
                if PART && u + 1 == N {
                    even[u].store_first(to(u), n)
                } else {
                    even[u].store(to(u))
                }
                u += 1;
            }
        }
        if PART { (N - 1) * lanes + n } else { N * lanes }
    }
}

/// Columns that are added together, and what `y` is multiplied by before.
struct Group<S: Simd, T: Element> {
    first: *const T,
    step: isize,
    by: [T::Vec<S>; COLUMNS],
    count: usize,
    beta: T,
}

impl<S: Simd, T: Element> Group<S, T> {
    /// `N` vectors of `n` elements from `i` on; of [`COLUMNS`] columns if `WHOLE`. Those with an odd number are summed
    /// up apart, so that fewer sums wait for each other.
    /// # Safety
    /// `y` and the columns have these elements.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "q < COLUMNS, u < N")]
    unsafe fn add<const WHOLE: bool, const N: usize>(&self, s: S, y: *mut T, i: usize, n: usize) {
        let lanes = T::Vec::<S>::LANES;
        let zero = T::Vec::<S>::splat(s, T::ZERO);
        let (mut even, mut odd) = ([zero; N], [zero; N]);
        // SAFETY: the caller's promise.
        unsafe {
            let mut u = 0;
            while u < N {
                if self.beta != T::ZERO {
                    even[u] = load_up_to::<S, T>(s, y.add(i + u * lanes), n);
                }
                if self.beta != T::ONE {
                    even[u] = even[u] * T::Vec::<S>::splat(s, self.beta);
                }
                u += 1;
            }
            let mut q = 0;
            while q < if WHOLE { COLUMNS } else { self.count.min(COLUMNS) } {
                let column = self.first.offset(q as isize * self.step).add(i);
                let mut u = 0;
                while u < N {
                    let a = load_up_to::<S, T>(s, column.add(u * lanes), n);
                    if q.is_multiple_of(2) {
                        even[u] = self.by[q].mul_add(a, even[u]);
                    } else {
                        odd[u] = self.by[q].mul_add(a, odd[u]);
                    }
                    u += 1;
                }
                q += 1;
            }
            let mut u = 0;
            while u < N {
                store_up_to(even[u] + odd[u], y.add(i + u * lanes), n);
                u += 1;
            }
        }
    }
}
