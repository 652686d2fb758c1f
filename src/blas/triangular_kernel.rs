//! The base case of triangular solves and products: a small triangle times a strip of B. Some rows of the strip stay in
//! registers while the rows before them and the diagonal block are applied.

use super::gemm::tune::MOST_LANES;
use super::gemm::{gather_lanes, in_registers, scatter_lanes};
use super::gemv::{eight, merge, products};
use super::level2::BASE;
use super::symv::numbers;
use crate::alu::Alu;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Rows of a triangle that [`run`] takes at most: it and a strip of B stay in the first-level cache.
pub(crate) const MOST: usize = 64;
/// Elements of a copy of B by rows at most, which stays in the second-level cache.
pub(crate) const COPY: usize = 1 << 14;

/// `B = AB`, or `A⁻¹B` if `SOLVE`, for a lower triangle of at most [`MOST`] rows, with ones on its diagonal if `unit`; B has
/// unit column stride.
pub(super) fn run<S: Simd, T: Element, const SOLVE: bool>(
    s: S,
    unit: bool,
    a: MatRef<'_, T>,
    b: MatMut<'_, T>,
) {
    let rows = b.rows().min(a.rows()).min(a.cols()).min(MOST);
    let cols = b.adjacent();
    let mut b = b.block([0, 0], [rows, cols]);
    let mut by = [T::ONE; MOST];
    for (i, by) in by.iter_mut().enumerate().take(if unit { 0 } else { rows }) {
        *by = a.get(i, i).unwrap_or(T::ONE);
    }
    s.vectorize(
        #[inline(always)]
        || {
            let mut inverse = by;
            let mut normal = true;
            if SOLVE && !unit {
                for x in &mut inverse {
                    *x = T::ONE / *x;
                    let size = if *x < T::ZERO { -*x } else { *x };
                    // One that is not a number is no such either.
                    normal &= size >= T::MIN_NORMAL && size < T::INFINITY;
                }
            }
            // All of them are multiplied by, or all divided by.
            match (SOLVE, normal) {
                (false, _) => Triangle::<T, 0> { a, by: &by }.all(s, rows, b.reborrow()),
                (_, true) => Triangle::<T, 1> { a, by: &inverse }.all(s, rows, b.reborrow()),
                _ => Triangle::<T, 2> { a, by: &by }.all(s, rows, b.reborrow()),
            }
        },
    );
}

/// A lower triangle that is multiplied by (`HOW` 0) or solved for, where its diagonal is inverted (1) or divided by (2).
struct Triangle<'a, T, const HOW: u8> {
    a: MatRef<'a, T>,
    by: &'a [T; MOST],
}

/// Rows of the next step when so many are left: 8, but 4 where `four` is, then 4, then one. `from_end`, `left` is what lies before,
/// so that the steps are the same.
#[inline(always)]
const fn step(left: usize, four: bool, from_end: bool) -> usize {
    let (eight, some) =
        if from_end { (left.is_multiple_of(8), left.is_multiple_of(4)) } else { (left >= 8, left >= 4) };
    match (eight && !four, some) {
        (true, _) => 8,
        (_, true) => 4,
        _ => 1,
    }
}

impl<T: Element, const HOW: u8> Triangle<'_, T, HOW> {
    /// Strip after strip of B's columns.
    #[inline(always)]
    fn all<S: Simd>(&self, s: S, rows: usize, b: MatMut<'_, T>) {
        let lanes = T::Vec::<S>::LANES;
        // Sixteen sums where there are registers for them: those of 64 bytes come in 32.
        let wide = const { T::Vec::<S>::LANES * size_of::<T>() >= 64 };
        let mut j = 0;
        while j < b.cols() {
            let to = b.ptr().wrapping_add(j);
            let left = b.cols() - j;
            // SAFETY: so many columns of these rows are left.
            unsafe {
                if wide && left >= 4 * lanes {
                    self.strip::<S, 4>(s, rows, to, b.row_stride(), lanes);
                    j += 4 * lanes;
                } else if wide && left >= 2 * lanes {
                    self.strip::<S, 2>(s, rows, to, b.row_stride(), lanes);
                    j += 2 * lanes;
                } else {
                    self.strip::<S, 1>(s, rows, to, b.row_stride(), lanes.min(left));
                    j += lanes;
                }
            }
        }
    }

    /// `N` vectors of each row at `b`, the last of `n` elements.
    /// # Safety
    /// They are valid for reads and writes.
    #[inline(always)]
    unsafe fn strip<S: Simd, const N: usize>(&self, s: S, rows: usize, b: *mut T, rs: isize, n: usize) {
        // Solutions are read before they are used, old rows after.
        let mut done = 0;
        while done < rows {
            // Four vectors of four rows, or less of eight: the chain of solutions is hidden best.
            let count = step(rows - done, N == 4, HOW == 0);
            let i = if HOW == 0 { rows - done - count } else { done };
            // SAFETY: the caller's promise.
            unsafe {
                match count {
                    8 if N < 4 => self.rows::<S, 8, N>(s, i, b, rs, n),
                    4 => self.rows::<S, 4, N>(s, i, b, rs, n),
                    _ => self.rows::<S, 1, N>(s, i, b, rs, n),
                }
            }
            done += count;
        }
    }

    /// `R` rows from `i` on.
    /// # Safety
    /// As [`Self::strip`]; A has these rows.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "r, q < R, v < N")]
    unsafe fn rows<S: Simd, const R: usize, const N: usize>(
        &self,
        s: S,
        i: usize,
        b: *mut T,
        rs: isize,
        n: usize,
    ) {
        let lanes = T::Vec::<S>::LANES;
        let (ars, acs) = (self.a.row_stride(), self.a.col_stride());
        let from = self.a.ptr().wrapping_offset(i as isize * ars);
        let at = |p: usize, v: usize| b.wrapping_offset(p as isize * rs).wrapping_add(v * lanes);
        // Elements in the last vector.
        let len = |v: usize| if v + 1 == N { n } else { lanes };
        let mut x = [[T::Vec::<S>::splat(s, T::ZERO); N]; R];
        // SAFETY: the caller's promise, for rows up to `i + R` of both and for columns of A before its diagonal.
        unsafe {
            let c = |r: usize, p: usize| {
                let a = from.wrapping_offset(r as isize * ars).wrapping_offset(p as isize * acs);
                T::Vec::<S>::splat(s, a.read())
            };
            let mut r = 0;
            while r < R {
                let mut v = 0;
                while v < N {
                    x[r][v] = load_up_to::<S, T>(s, at(i + r, v), len(v));
                    v += 1;
                }
                r += 1;
            }
            // By value: what is borrowed would be written to memory in each step.
            let mut x = if HOW == 0 { self.square(s, i, x, c) } else { x };
            let mut done = 0;
            while done < i {
                // Downwards, when the square came first: the order does not depend on `R`.
                let p = if HOW == 0 { i - 1 - done } else { done };
                let mut y = [T::Vec::<S>::splat(s, T::ZERO); N];
                let mut v = 0;
                while v < N {
                    let old = load_up_to::<S, T>(s, at(p, v), len(v));
                    y[v] = if HOW == 0 { old } else { -old };
                    v += 1;
                }
                let mut r = 0;
                while r < R {
                    let c = c(r, p);
                    let mut v = 0;
                    while v < N {
                        x[r][v] = y[v].mul_add(c, x[r][v]);
                        v += 1;
                    }
                    r += 1;
                }
                done += 1;
            }
            let x = if HOW == 0 { x } else { self.square(s, i, x, c) };
            let mut r = 0;
            while r < R {
                let mut v = 0;
                while v < N {
                    store_up_to(x[r][v], at(i + r, v), len(v));
                    v += 1;
                }
                r += 1;
            }
        }
    }

    /// The square on the diagonal; `c(r, p)` is A's element in row `i + r` and column `p`.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "r, q < R, v < N")]
    fn square<S: Simd, const R: usize, const N: usize>(
        &self,
        s: S,
        i: usize,
        mut x: [[T::Vec<S>; N]; R],
        c: impl Fn(usize, usize) -> T::Vec<S> + Copy,
    ) -> [[T::Vec<S>; N]; R] {
        // There are `MOST` rows at most, so that it is always there.
        let Some(by) = self.by.get(i..).and_then(<[T]>::first_chunk::<R>) else { return x };
        let mut step = 0;
        while step < R {
            let r = if HOW == 0 { R - 1 - step } else { step };
            let by = T::Vec::<S>::splat(s, by[r]);
            let mut v = 0;
            while v < N {
                if HOW == 0 {
                    x[r][v] = x[r][v] * by;
                }
                let mut done = 0;
                while done < r {
                    let q = if HOW == 0 { r - 1 - done } else { done };
                    let y = if HOW == 0 { x[q][v] } else { -x[q][v] };
                    x[r][v] = y.mul_add(c(r, i + q), x[r][v]);
                    done += 1;
                }
                x[r][v] = match HOW {
                    0 => x[r][v],
                    1 => x[r][v] * by,
                    _ => x[r][v] / by,
                };
                v += 1;
            }
            step += 1;
        }
        x
    }
}

/// [`BASE`] rows of a triangular system with one right-hand side: the square on the diagonal, and the columns of solutions
/// that are known. Rows of A are contiguous.
pub(super) struct Step<'a, T> {
    pub unit: bool,
    pub square: MatRef<'a, T>,
    pub others: MatRef<'a, T>,
    pub known: &'a [T],
}

impl<T: Element> Step<'_, T> {
    /// How many columns are known, if A is as large as that takes.
    #[inline(always)]
    fn columns(&self, least: usize) -> Option<usize> {
        let n = self.known.len();
        let [fits, whole] = [(self.others, n), (self.square, BASE)]
            .map(|(a, n)| a.rows() == BASE && a.cols() == n && (a.col_stride() == 1 || n == 0));
        (fits && whole && n >= least).then_some(n)
    }

    /// Solves for these rows, bottom up if `UP`. Only the products with the `last` solutions wait for those; each solution is
    /// in all lanes, so that none of these steps goes through memory. Gives the new solutions in their order; nothing, if A
    /// is not so large.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "i, q < BASE")]
    pub(super) fn solve<S: Simd, const UP: bool>(
        &self,
        s: S,
        last: Option<[T::Vec<S>; BASE]>,
        b: &mut [T; BASE],
    ) -> Option<[T::Vec<S>; BASE]> {
        let at = |i: usize| if UP { BASE - 1 - i } else { i };
        // Those that are just known are the last ones, or the first ones bottom up.
        let near = if last.is_some() { BASE } else { 0 };
        let n = self.columns(near)?;
        let (start, begin) = if UP { (0, near) } else { (n - near, 0) };
        let others = self.others.block([0, begin], [BASE, n - near]);
        let sums = eight(s, others, self.known.get(begin..begin + n - near).unwrap_or_default());
        let splat = |x: T| T::Vec::<S>::splat(s, x);
        let step = self.square.row_stride();
        // SAFETY: the square has these elements; rows of unit stride, as checked.
        let a =
            |i: usize, q: usize| unsafe { self.square.ptr().offset(at(i) as isize * step).add(at(q)).read() };
        let mut inverse = [T::ONE; BASE];
        let mut normal = true;
        let mut i = 0;
        while i < BASE && !self.unit {
            inverse[i] = T::ONE / a(i, i);
            let size = if inverse[i] < T::ZERO { -inverse[i] } else { inverse[i] };
            normal &= size >= T::MIN_NORMAL && size < T::INFINITY;
            i += 1;
        }
        let mut x = [splat(T::ZERO); BASE];
        let mut i = 0;
        while i < BASE {
            x[i] = splat(b[at(i)]) - splat(sums[at(i)]);
            i += 1;
        }
        if let Some(last) = last {
            let (from, step) = (self.others.ptr().wrapping_add(start), self.others.row_stride());
            let mut i = 0;
            while i < BASE {
                let mut q = 0;
                while q < BASE {
                    // SAFETY: the other columns are `BASE` at least from `start` on, as checked.
                    let a = unsafe { from.offset(at(i) as isize * step).add(at(q)).read() };
                    x[i] = (-last[q]).mul_add(splat(a), x[i]);
                    q += 1;
                }
                i += 1;
            }
        }
        let mut i = 0;
        while i < BASE {
            let mut q = 0;
            while q < i {
                x[i] = (-x[q]).mul_add(splat(a(i, q)), x[i]);
                q += 1;
            }
            x[i] = if normal { x[i] * splat(inverse[i]) } else { x[i] / splat(a(i, i)) };
            b[at(i)] = x[i].lane0();
            i += 1;
        }
        Some(x)
    }
}

impl<T: Element> Step<'_, T> {
    /// [`Self::solve`] where a register has a lane for each row: all right-hand sides stay in one, to which a column of
    /// the square is added as soon as its solution is known. The other lanes of what it takes and gives are zero.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "r, t < BASE")]
    pub(super) fn solve_lanes<S: Simd, const UP: bool>(
        &self,
        s: S,
        last: Option<T::Vec<S>>,
        b: &mut [T; BASE],
    ) -> Option<T::Vec<S>> {
        let near = if last.is_some() { BASE } else { 0 };
        let n = self.columns(near)?;
        let (start, begin) = if UP { (0, near) } else { (n - near, 0) };
        let splat = |x: T| T::Vec::<S>::splat(s, x);
        let (others, square) = (rows(self.others), rows(self.square));
        let mut column = [splat(T::ZERO); BASE];
        // SAFETY: A has these rows, `n` columns beside the square and `BASE` in it, as checked, of which `near` from
        // `start` on and the others from `begin` on; `known` has `n` elements, `b` and the array as many as are read.
        let (acc, index, mut left) = unsafe {
            let known = self.known.as_ptr().wrapping_add(begin);
            let from = others.map(|row| row.wrapping_add(begin));
            let mut acc = products::<S, T, true, BASE, 1>(s, from, 1, known, n - near);
            let mut r = 0;
            while r < BASE {
                if let Some(last) = last {
                    let a = load_up_to::<S, T>(s, others[r].wrapping_add(start), BASE);
                    acc[r][0] = a.mul_add(last, acc[r][0]);
                }
                column[r] = load_up_to::<S, T>(s, square[r], BASE);
                r += 1;
            }
            (acc, T::Vec::<S>::load(s, numbers::<T>().as_ptr()), load_up_to::<S, T>(s, b.as_ptr(), BASE))
        };
        let is = |j: usize| index.eq(splat(T::from_f64(j as f64)));
        in_registers::<S, T, BASE>(s, &mut column);
        let mut inverse = [T::ONE; MOST_LANES];
        if !self.unit {
            let mut diagonal = splat(T::ONE);
            let mut j = 0;
            while j < BASE {
                diagonal = T::Vec::<S>::select(is(j), column[j], diagonal);
                j += 1;
            }
            let all = splat(T::ONE) / diagonal;
            let size = all.abs();
            if T::Vec::<S>::any(size.lt(splat(T::MIN_NORMAL)) | splat(T::INFINITY).le(size)) {
                return None;
            }
            // SAFETY: the array is as long as any register.
            unsafe { all.store(inverse.as_mut_ptr()) };
        }
        left = left - merge::<S, T, BASE, 1>(s, acc);
        // Only the next solution waits for this one; the sums of the others are a step behind.
        let at = |t: usize| if UP { BASE - 1 - t } else { t };
        let mut x = lane(s, left, at(0)) * splat(inverse[at(0)]);
        let mut all = splat(T::ZERO);
        let mut t = 0;
        while t < BASE {
            let j = at(t);
            all = T::Vec::<S>::select(is(j), x, all);
            if t + 1 < BASE {
                let next = at(t + 1);
                // SAFETY: an element of the square.
                let a = unsafe { square[next].add(j).read() };
                let sum = (-x).mul_add(splat(a), lane(s, left, next));
                left = (-x).mul_add(column[j], left);
                x = sum * splat(inverse[next]);
            }
            t += 1;
        }
        // SAFETY: `b` has as many elements.
        unsafe { store_up_to(all, b.as_mut_ptr(), BASE) };
        Some(all)
    }
}

/// Where [`BASE`] rows begin.
#[inline(always)]
fn rows<T: Element>(a: MatRef<'_, T>) -> [*const T; BASE] {
    let mut next = a.ptr();
    [(); BASE].map(
        #[inline(always)]
        |()| {
            let this = next;
            next = next.wrapping_offset(a.row_stride());
            this
        },
    )
}

/// Lane `j` in all lanes.
#[inline(always)]
fn lane<S: Simd, V: Vector<Token = S>>(s: S, x: V, j: usize) -> V {
    let mut from = [V::Elem::default(); MOST_LANES];
    // SAFETY: the array is as long as any register. Compilers turn this into a shuffle.
    unsafe { x.store(from.as_mut_ptr()) };
    V::splat(s, from.get(j).copied().unwrap_or_default())
}

/// `B = AB` for the lower triangle in `a` (`HOW` 0, or 1 if its diagonal is one), or `A⁻¹B` (2), or so where the
/// diagonal is inverted already (3) or one (4).
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i, p < BASE")]
pub(super) fn strips<S: Simd, T: Element, const HOW: u8>(s: S, a: &[T; BASE * BASE], b: MatMut<'_, T>) {
    let lanes = T::Vec::<S>::LANES;
    let (rows, cols, rs, cs) = (b.rows().min(BASE), b.cols(), b.row_stride(), b.col_stride());
    let mut j = 0;
    while j < cols {
        let n = lanes.min(cols - j);
        let at = |i: usize| b.ptr().wrapping_offset(i as isize * rs + j as isize * cs);
        let mut x = [T::Vec::<S>::splat(s, T::ZERO); BASE];
        // SAFETY: `n` elements of each row of B from column `j` on.
        unsafe {
            for (i, x) in x.iter_mut().enumerate().take(rows) {
                *x = if cs == 1 {
                    load_up_to::<S, T>(s, at(i), n)
                } else {
                    gather_lanes::<S, T>(s, at(i), n, cs)
                };
            }
        }
        let c = |i: usize, p: usize| T::Vec::<S>::splat(s, a[i * BASE + p]);
        if HOW < 2 {
            let mut i = BASE;
            while i > 0 {
                i -= 1;
                let mut sum = if HOW == 0 { x[i] * c(i, i) } else { x[i] };
                let mut p = 0;
                while p < i {
                    sum = x[p].mul_add(c(i, p), sum);
                    p += 1;
                }
                x[i] = sum;
            }
        } else {
            let mut i = 0;
            while i < BASE {
                let mut sum = x[i];
                let mut p = 0;
                while p < i {
                    sum = (-x[p]).mul_add(c(i, p), sum);
                    p += 1;
                }
                x[i] = match HOW {
                    2 => sum / c(i, i),
                    3 => sum * c(i, i),
                    _ => sum,
                };
                i += 1;
            }
        }
        // SAFETY: as above.
        unsafe {
            for (i, x) in x.into_iter().enumerate().take(rows) {
                if cs == 1 {
                    store_up_to(x, at(i), n);
                } else {
                    scatter_lanes::<S, T>(x, at(i), n, cs);
                }
            }
        }
        j += n;
    }
}
