//! Transposes matrices: out of place, in place when they are square, and in batches.
//!
//! Squares as wide as a register are transposed in registers between whole vector loads and stores, which are masked at
//! the edges. The squares of a tile follow the rows of the result, so that a cache line of the result is completed by
//! consecutive squares; a tile touches as many pages as the first-level TLB has entries.

use super::gemm::in_registers;
use crate::contract::{Call, Violation, contract, in_parts};
use crate::error::{Error, same_shape};
use crate::forms::ops;
use crate::lanes::drive::{load_some, store_some};
use crate::lanes::executor::Executor;
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd, native};
use crate::view::{BatchMut, BatchRef, MatMut, MatRef};
use core::mem::MaybeUninit;

/// Rows of A in a tile.
pub(crate) const TALL: usize = 64;

/// Bytes of a row of A in a tile.
pub(crate) const ACROSS: usize = 256;

/// Bytes of a row of A in a band of tiles.
pub(crate) const WIDE: usize = 4096;

/// Bytes read and written from which both matrices are far away: past the second-level cache, where writing past
/// all caches pays too.
pub(crate) const FAR_BYTES: usize = 4 << 20;

/// Bytes from one row to the next whose multiples put lines of all rows into the same few places of a cache.
pub(crate) const PAGE: usize = 4096;

/// Bytes in a cache line.
pub(crate) const LINE: usize = 64;

/// Elements that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 17;

ops! { $ transpose_ops in crate::blas::transpose;
    /// `b[j][i] = a[i][j]`.
    ///
    /// Shapes: A is `m` by `n`, B is `n` by `m`, each with any strides; a matrix by columns is one by rows, transposed, so
    /// that any change of layout is a transpose.
    ///
    /// NaN and ±0: bits are moved as they are.
    ///
    /// Errors: [`Error::Shape`] names `b`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, transpose};
    /// let mut b = [0.0f32; 6];
    /// let a = MatRef::row_major(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3)?;
    /// transpose(a, MatMut::row_major(&mut b, 3, 2)?)?;
    /// assert_eq!(b, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; `omatcopy` of BLAS's extensions. Contract: `contracts/transpose-v1.yaml`.
    #[doc(alias = "permute")]
    threads transpose, transpose_on, transpose_by (a: mat T, b: mat_out T) -> Result<()>;
}

/// [`transpose_on`], the parts run by `j`.
#[inline]
pub(crate) fn transpose_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
) -> Result<(), Error> {
    same_shape("b", [a.cols(), a.rows()], [b.rows(), b.cols()])?;
    if a.rows() == 0 || a.cols() == 0 {
        return Ok(());
    }
    run(j, s, a, b.reborrow());
    contract!(transpose, Ok(()), each | check | each_element(a, b.as_ref(), check))
}

/// Applies `check` to each element and what became of it.
fn each_element<T: Element>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    check: fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    (0..a.rows()).try_for_each(|i| {
        let at = |j| [a.get(i, j).unwrap_or_default(), b.get(j, i).unwrap_or_default()];
        in_parts(a.cols(), at, |[x, y]| check(&Call::new(&[x], y)))
    })
}

/// [`transpose`] of each matrix of a batch.
///
/// Errors: [`Error::Len`] names `b` when it has not as many matrices, [`Error::Shape`] names it when they have
/// another shape; nothing is written then. Scratch: none.
///
/// ```
/// use fulmen::{BatchMut, BatchRef};
/// let (a, mut b) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0.0; 8]);
/// let a = BatchRef::strided(&a, 0, [2, 2, 2], [4, 2, 1])?;
/// fulmen::transpose_batched(a, BatchMut::strided(&mut b, 0, [2, 2, 2], [4, 2, 1])?)?;
/// assert_eq!(b, [1.0, 3.0, 2.0, 4.0, 5.0, 7.0, 6.0, 8.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn transpose_batched<T: Element>(a: BatchRef<'_, T>, b: BatchMut<'_, T>) -> Result<(), Error> {
    transpose_batched_on(native(), a, b)
}

/// [`transpose_batched`] on the instruction set of `s`.
#[inline]
pub fn transpose_batched_on<S: Simd, T: Element>(
    s: S,
    a: BatchRef<'_, T>,
    mut b: BatchMut<'_, T>,
) -> Result<(), Error> {
    crate::error::same_len("b", a.count(), b.count())?;
    // All have one shape, so the first is refused or none; and where that is empty all are.
    for i in 0..a.count() {
        if let (Some(a), Some(b)) = (a.get(i), b.get_mut(i)) {
            transpose_on(s, a, b)?;
            if a.rows() == 0 || a.cols() == 0 {
                break;
            }
        }
    }
    Ok(())
}

/// `a[j][i] = a[i][j]`, over a square matrix.
///
/// Errors: [`Error::Shape`] names `a` when it is not square; nothing is written then. Scratch: none.
///
/// ```
/// use fulmen::MatMut;
/// let mut a = [1.0f32, 2.0, 3.0, 4.0];
/// fulmen::transpose_in_place(MatMut::row_major(&mut a, 2, 2)?)?;
/// assert_eq!(a, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn transpose_in_place<T: Element>(a: MatMut<'_, T>) -> Result<(), Error> {
    transpose_in_place_on(native(), a)
}

/// [`transpose_in_place`] on the instruction set of `s`.
#[inline]
pub fn transpose_in_place_on<S: Simd, T: Element>(s: S, a: MatMut<'_, T>) -> Result<(), Error> {
    let n = a.rows();
    if a.cols() != n {
        return Err(Error::shape("a", [n, n], [n, a.cols()]));
    }
    // The square by columns is the same task.
    let a = if a.col_stride() != 1 && a.row_stride() == 1 { a.t() } else { a };
    s.vectorize(
        #[inline(always)]
        || over(s, a),
    );
    Ok(())
}

/// Halves of the longer side on different threads, down to parts that are worth it.
pub(crate) fn run<J: Executor, S: Simd, T: Element>(j: J, s: S, a: MatRef<'_, T>, b: MatMut<'_, T>) {
    let bytes = a.rows().saturating_mul(a.cols()).saturating_mul(2 * size_of::<T>());
    divide(j, s, a, b, bytes >= FAR_BYTES, j.threads());
}

fn divide<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatRef<'_, T>,
    b: MatMut<'_, T>,
    far: bool,
    parts: usize,
) {
    let (m, n) = (a.rows(), a.cols());
    // Parts end at whole lines of the result, if it begins at one.
    let cut = (m.max(n) / 2).next_multiple_of(LINE / size_of::<T>());
    if J::SERIAL || parts <= 1 || m.saturating_mul(n) < 2 * GRAIN || cut >= m.max(n) {
        return s.vectorize(
            #[inline(always)]
            || part(s, a, b, far),
        );
    }
    let split = if m >= n { b.split_cols(cut) } else { b.split_rows(cut) };
    let Ok((b0, b1)) = split else { return };
    let most = [usize::MAX; 2];
    let (a0, a1) = if m >= n {
        (a.block([0, 0], [cut, n]), a.block([cut, 0], most))
    } else {
        (a.block([0, 0], [m, cut]), a.block([0, cut], most))
    };
    j.join(
        usize::MAX,
        || divide(j, s, a0, b0, far, parts / 2),
        || divide(j, s, a1, b1, far, parts - parts / 2),
    );
}

/// One thread's part.
#[inline(always)]
fn part<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, b: MatMut<'_, T>, far: bool) {
    // Both by columns: the same task with the roles of A's rows and columns exchanged.
    let (a, b) = if a.row_stride() == 1 && b.row_stride() == 1 && a.cols() > 1 && b.cols() > 1 {
        (a.t(), b.t())
    } else {
        (a, b)
    };
    let by_rows = a.col_stride() == 1 || a.cols() == 1;
    if by_rows && (b.col_stride() == 1 || b.cols() == 1) {
        tiles(s, a, b, far);
    } else {
        lines(s, a, b.t());
    }
}

/// Where rows of A and of B lie, both contiguous.
#[derive(Debug, Clone, Copy)]
struct Rows<T> {
    from: *const T,
    step: isize,
    to: *mut T,
    width: isize,
    /// Elements before the first whole line of each row of B, which are not streamed.
    head: usize,
    stream: bool,
    /// Whether the lines of B are prefetched for writing.
    claim: bool,
}

/// All tiles; rows of both are contiguous.
#[inline(always)]
fn tiles<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, b: MatMut<'_, T>, far: bool) {
    let (m, n) = (a.rows(), a.cols());
    let (to, width) = (b.ptr(), b.row_stride());
    // Squares begin at lines where those lie at the same place in all rows of B.
    let line = LINE / size_of::<T>();
    let head = to.align_offset(LINE);
    let even = width.unsigned_abs().is_multiple_of(line) && head < line;
    let far = far && !COMPACT;
    let r = Rows {
        from: a.ptr(),
        step: a.row_stride(),
        to,
        width,
        head: if even && far { head.min(m) } else { 0 },
        stream: T::Vec::<S>::STREAMS && far && even,
        claim: far && !(T::Vec::<S>::STREAMS && even),
    };
    let (tall, across) = (TALL, ACROSS / size_of::<T>());
    if far {
        // SAFETY: `m` by `n` elements lie in A, and transposed in B; the head is counted to a line.
        return unsafe { bands(s, &r, [m, n]) };
    }
    // Lines of rows whole pages apart would push each other out of the cache before they are used up.
    let apart = r.step.unsigned_abs().saturating_mul(size_of::<T>()).is_multiple_of(PAGE);
    let mut scratch = [const { MaybeUninit::<T>::uninit() }; TALL * ACROSS / size_of::<f32>()];
    let scratch = scratch.as_mut_ptr().cast::<T>();
    for j0 in (0..n).step_by(across) {
        let cols = across.min(n - j0);
        let mut i0 = 0;
        while i0 < m {
            let rows = if i0 < r.head { r.head } else { tall.min(m - i0) };
            // SAFETY: as above; the scratch holds `TALL` times `across`, of which what is read has been written.
            unsafe {
                let from = r.from.offset(i0 as isize * r.step).add(j0);
                if apart && !COMPACT && rows > T::Vec::<S>::LANES {
                    for i in 0..rows {
                        copied(s, from.offset(i as isize * r.step), scratch.add(i * across), cols);
                    }
                    tile(s, &r, (scratch.cast_const(), across as isize), [i0, j0], [rows, cols]);
                } else {
                    tile(s, &r, (from, r.step), [i0, j0], [rows, cols]);
                }
            }
            i0 += rows;
        }
    }
}

/// Copies `n` elements, few of them.
/// # Safety
/// They are valid for reads, and for writes.
#[inline(always)]
unsafe fn copied<S: Simd, T: Element>(s: S, from: *const T, to: *mut T, n: usize) {
    let lanes = T::Vec::<S>::LANES;
    let whole = n / lanes * lanes;
    for k in (0..whole).step_by(lanes) {
        // SAFETY: the caller's promise; `k + lanes` are at most `n`.
        unsafe { T::Vec::<S>::load(s, from.add(k)).store(to.add(k)) };
    }
    for k in whole..n {
        // SAFETY: the caller's promise.
        unsafe { to.add(k).write(from.add(k).read()) };
    }
}

/// [`tiles`] of matrices that are not in cache.
///
/// Each tile is copied first, line after line of each row: at strides of whole pages the lines of a square would push
/// each other out of the cache before they are used up. Lines of the next tile are prefetched meanwhile. A band of columns
/// is so wide that the pages of A are visited rarely, and so narrow that those of B stay in the translation buffer.
/// # Safety
/// As [`tile`], for all of both matrices.
#[inline(never)]
unsafe fn bands<S: Simd, T: Element>(s: S, r: &Rows<T>, [m, n]: [usize; 2]) {
    let (line, across, wide) = (LINE / size_of::<T>(), ACROSS / size_of::<T>(), WIDE / size_of::<T>());
    let mut scratch = [T::ZERO; TALL * ACROSS / size_of::<f32>()];
    let scratch = scratch.as_mut_ptr();
    s.vectorize(
        #[inline(always)]
        || {
            for band in (0..n).step_by(wide) {
                let end = n.min(band + wide);
                let mut i0 = 0;
                while i0 < m {
                    let rows = if i0 < r.head { r.head } else { TALL.min(m - i0) };
                    for j0 in (band..end).step_by(across) {
                        let cols = across.min(end - j0);
                        // Of the same rows, or of those that follow.
                        let next = if j0 + across < end {
                            across as isize
                        } else {
                            rows as isize * r.step - (j0 - band) as isize
                        };
                        for i in 0..rows {
                            let row = r.from.wrapping_offset((i0 + i) as isize * r.step).wrapping_add(j0);
                            for k in (0..across).step_by(line) {
                                T::Vec::<S>::prefetch(s, row.wrapping_offset(next).wrapping_add(k));
                            }
                            if T::Vec::<S>::CLAIMS && r.claim && i < cols {
                                let row = r.to.wrapping_offset((j0 + i) as isize * r.width).wrapping_add(i0);
                                for k in (0..rows).step_by(line) {
                                    T::Vec::<S>::claim(s, row.wrapping_add(k));
                                }
                            }
                            // SAFETY: these elements lie in A, and the scratch holds `TALL` times `across`.
                            unsafe { core::ptr::copy_nonoverlapping(row, scratch.add(i * across), cols) };
                        }
                        // SAFETY: the caller's promise; the scratch holds the tile.
                        unsafe {
                            tile(s, r, (scratch.cast_const(), across as isize), [i0, j0], [rows, cols])
                        };
                    }
                    i0 += rows;
                }
            }
            T::Vec::<S>::fence(s);
        },
    );
}

/// One tile of A, which lies at `from` with rows `step` apart; `at` is its place.
/// # Safety
/// The tile is valid for reads, and transposed at its place in B for writes; where lines are streamed, `head` elements
/// after `to` and in each row after it a line begins.
#[inline(always)]
unsafe fn tile<S: Simd, T: Element>(
    s: S,
    r: &Rows<T>,
    (from, step): (*const T, isize),
    [i0, j0]: [usize; 2],
    [m, n]: [usize; 2],
) {
    let lanes = T::Vec::<S>::LANES;
    // What is left at an edge is the end of a whole square, if there is room for one: what it shares with its
    // neighbour is written twice.
    let place = |at: usize, n: usize| if n - at < lanes && n >= lanes { n - lanes } else { at };
    let mut j = 0;
    while j < n {
        let first = place(j, n);
        let cols = lanes.min(n - first);
        let to = r.to.wrapping_offset((j0 + first) as isize * r.width).wrapping_add(i0);
        let mut i = 0;
        while i < m {
            let top = place(i, m);
            let rows = lanes.min(m - top);
            // SAFETY: the caller's promise, for `rows` rows from `top` and `cols` columns from `first`.
            unsafe {
                let (from, to) = (from.offset(top as isize * step).add(first), to.add(top));
                if rows < lanes || cols < lanes {
                    piece(s, from, step, to, r.width, [rows, cols]);
                } else if r.stream && i0 >= r.head && top == i {
                    lane_square::<S, T, true>(s, from, step, to, r.width);
                } else {
                    lane_square::<S, T, false>(s, from, step, to, r.width);
                }
            }
            i += lanes;
        }
        j += lanes;
    }
}

/// Calls `$f::<S, T, L>` for the number of lanes.
macro_rules! by_lanes {
    ($f:ident($($arg:expr),*)) => {
        if const { T::Vec::<S>::LANES == 16 } {
            $f::<S, T, 16>($($arg),*)
        } else if const { T::Vec::<S>::LANES == 8 } {
            $f::<S, T, 8>($($arg),*)
        } else if const { T::Vec::<S>::LANES == 4 } {
            $f::<S, T, 4>($($arg),*)
        } else if const { T::Vec::<S>::LANES == 2 } {
            $f::<S, T, 2>($($arg),*)
        } else {
            $f::<S, T, 1>($($arg),*)
        }
    };
}

/// A whole square.
/// # Safety
/// As [`Vector::square`].
#[inline(always)]
pub(crate) unsafe fn lane_square<S: Simd, T: Element, const STREAM: bool>(
    s: S,
    from: *const T,
    step: isize,
    to: *mut T,
    width: isize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if const { T::Vec::<S>::SQUARES } {
            T::Vec::<S>::square::<STREAM>(s, from, step, to, width);
        } else {
            by_lanes!(exchanged(s, from, step, to, width, STREAM));
        }
    }
}

/// # Safety
/// As [`Vector::square`]; `L` is the number of lanes.
#[inline(always)]
unsafe fn exchanged<S: Simd, T: Element, const L: usize>(
    s: S,
    from: *const T,
    step: isize,
    to: *mut T,
    width: isize,
    stream: bool,
) {
    let mut x = [T::Vec::<S>::splat(s, T::ZERO); L];
    // SAFETY: the caller's promise.
    unsafe {
        for (i, x) in x.iter_mut().enumerate() {
            *x = T::Vec::<S>::load(s, from.offset(i as isize * step));
        }
        in_registers::<S, T, L>(s, &mut x);
        for (j, x) in x.into_iter().enumerate() {
            let to = to.offset(j as isize * width);
            if stream { x.stream(to) } else { x.store(to) }
        }
    }
}

/// Part of a square, as it occurs at the edges; a function of its own, so that it is there once.
/// # Safety
/// `shape` rows and columns, at most a square, are valid for reads, and transposed for writes.
#[inline]
unsafe fn piece<S: Simd, T: Element>(
    s: S,
    from: *const T,
    step: isize,
    to: *mut T,
    width: isize,
    shape: [usize; 2],
) {
    s.vectorize(
        #[inline(always)]
        // SAFETY: the caller's promise.
        || unsafe { by_lanes!(masked(s, from, step, to, width, shape)) },
    );
}

/// # Safety
/// As [`piece`]; `L` is the number of lanes.
#[inline(always)]
unsafe fn masked<S: Simd, T: Element, const L: usize>(
    s: S,
    from: *const T,
    step: isize,
    to: *mut T,
    width: isize,
    [rows, cols]: [usize; 2],
) {
    let mut x = [T::Vec::<S>::splat(s, T::ZERO); L];
    // SAFETY: the caller's promise; a row is masked unless it is as long as a vector.
    unsafe {
        for (i, x) in x.iter_mut().enumerate().take(rows) {
            let from = from.offset(i as isize * step);
            *x = if cols == L { T::Vec::<S>::load(s, from) } else { load_some(s, from, cols, T::ZERO) };
        }
        in_registers::<S, T, L>(s, &mut x);
        for (j, x) in x.into_iter().enumerate().take(cols) {
            let to = to.offset(j as isize * width);
            if rows == L { x.store(to) } else { store_some(x, to, rows) }
        }
    }
}

/// `b[i][j] = a[i][j]`, for any strides, in tiles.
#[inline(always)]
fn lines<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, b: MatMut<'_, T>) {
    // Along what is contiguous.
    let (a, mut b) =
        if a.row_stride().unsigned_abs() < a.col_stride().unsigned_abs() { (a.t(), b.t()) } else { (a, b) };
    if a.col_stride() == 1 && b.col_stride() == 1 {
        for i in 0..a.rows() {
            if let (Ok(a), Ok(b)) = (a.row(i), b.reborrow().row(i)) {
                crate::lanes::strided::map(s, super::level1::Same, a, b);
            }
        }
        return;
    }
    for i0 in (0..a.rows()).step_by(LINE) {
        for j0 in (0..a.cols()).step_by(LINE) {
            let a = a.block([i0, j0], [LINE, LINE]);
            let mut b = b.reborrow().block([i0, j0], [LINE, LINE]);
            for i in 0..a.rows() {
                for j in 0..a.cols() {
                    b.set(i, j, a.get(i, j).unwrap_or_default());
                }
            }
        }
    }
}

/// The transpose of a square matrix over itself.
#[inline(always)]
fn over<S: Simd, T: Element>(s: S, mut a: MatMut<'_, T>) {
    let lanes = T::Vec::<S>::LANES;
    let n = a.rows();
    if a.col_stride() != 1 {
        for i in 0..n {
            for j in 0..i {
                let (x, y) = (a.get(i, j).unwrap_or_default(), a.get(j, i).unwrap_or_default());
                a.set(i, j, y);
                a.set(j, i, x);
            }
        }
        return;
    }
    let step = a.row_stride();
    let p = a.ptr();
    let mut scratch = [T::ZERO; 16 * 16];
    let at = |i: usize, j: usize| p.wrapping_offset(i as isize * step).wrapping_add(j);
    // A square and the one opposite, for all tiles below the diagonal and on it.
    let mut swap = |i: usize, j: usize| {
        let (rows, cols) = (lanes.min(n - i), lanes.min(n - j));
        let (low, high, scratch) = (at(i, j), at(j, i), scratch.as_mut_ptr());
        let wide = lanes as isize;
        // SAFETY: both squares lie in the matrix, and are one or don't overlap; the scratch holds one.
        unsafe {
            if rows == lanes && cols == lanes {
                lane_square::<S, T, false>(s, low, step, scratch, wide);
                if i != j {
                    lane_square::<S, T, false>(s, high, step, low, step);
                }
            } else {
                piece(s, low, step, scratch, wide, [rows, cols]);
                if i != j {
                    piece(s, high, step, low, step, [cols, rows]);
                }
            }
            for k in 0..cols {
                core::ptr::copy_nonoverlapping(scratch.add(k * lanes), high.offset(k as isize * step), rows);
            }
        }
    };
    let tile = TALL;
    for i0 in (0..n).step_by(tile) {
        for j0 in (0..=i0).step_by(tile) {
            for i in (i0..n.min(i0 + tile)).step_by(lanes) {
                for j in (j0..n.min(j0 + tile).min(i + 1)).step_by(lanes) {
                    swap(i, j);
                }
            }
        }
    }
}
