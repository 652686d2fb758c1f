//! The micro-kernel: a register tile of `R` rows by `N` vectors of C, accumulated over the inner dimension without
//! spills.
//!
//! One function serves every instruction set. Elements of A are broadcast, rows of B are vectors, and both may have any
//! stride along the inner dimension, so packed and unpacked operands share it. A tile with fewer rows is another
//! instance (`R` is exact); columns beyond C are masked in the last vector.

use super::epilogue::Epilogue;
use super::store::update;
use super::tile::{MicroTile, Scale};
use super::{Problem, tune};
use crate::alu::Alu;
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use crate::view::{MatMut, MatRef};

/// A's rows as the tile reads them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lhs<'a, T> {
    /// Where they are.
    Strided(MatRef<'a, T>),
    /// Tile after tile, each column by column; the inner dimension.
    Packed(&'a [T], usize),
}

/// `C = βC + αAB` on tiles below each other, then the epilogue. C is up to `rows(isa)` rows or whole tiles of
/// them, by at most `vectors(isa)` vectors. B has unit column stride and either C's columns or, when packed,
/// whole vectors of them. With `pack` (and one whole tile) the rows of B are also written there, each filled
/// up with zeros to whole vectors.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a tile has three operands")]
#[allow(clippy::collapsible_match, reason = "a constant condition keeps the other tiles from being compiled")]
pub(super) fn tiles<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    scale: Scale<T>,
    a: Lhs<'_, T>,
    b: MatRef<'_, T>,
    c: MatMut<'_, T>,
    at: [usize; 2],
    pack: Option<&mut [T]>,
) {
    let lanes = T::Vec::<S>::LANES;
    let mr = tune::rows(S::ISA);
    debug_assert!(b.adjacent() == b.cols());
    let cols = c.cols().min(b.adjacent());
    let (rows, k) = match a {
        Lhs::Strided(a) => (c.rows().min(a.rows()), a.cols().min(b.rows())),
        Lhs::Packed(a, k) => (c.rows().min(a.len().checked_div(k).unwrap_or(usize::MAX)), k.min(b.rows())),
    };
    if rows == 0 || cols == 0 {
        return;
    }
    // For size there are tiles of all rows and of one.
    let width = rows.min(mr);
    let (count, rows) = match rows {
        _ if rows > mr => (rows / mr, mr),
        _ if COMPACT && rows < mr => (rows, 1),
        _ => (1, rows),
    };
    let n = cols.div_ceil(lanes);
    let full = b.cols() >= n * lanes;
    let (store, pack) = match pack {
        Some(p) if p.len() >= k * n * lanes && rows == mr => (true, p.as_mut_ptr()),
        _ => (false, core::ptr::null_mut()),
    };
    let (from, a_row, a_col, a_next) = match a {
        Lhs::Strided(a) => {
            (a.ptr(), a.row_stride(), a.col_stride(), a.row_stride().wrapping_mul(rows as isize))
        }
        Lhs::Packed(a, k) => {
            // Rows of a tile of less than MR rows are interleaved in one panel.
            let next = if rows < width { 1 } else { rows * k };
            (a.as_ptr(), 1, width as isize, next as isize)
        }
    };
    let t = MicroTile {
        count,
        k,
        a: from,
        a_next,
        a_rows: [1isize, 3, 5, 7].map(|i| a_row.wrapping_mul(i)),
        a_col,
        b: b.ptr(),
        b_row: b.row_stride(),
        pack,
        c: c.ptr(),
        c_row: c.row_stride(),
        c_col: c.col_stride(),
        tail: cols - (n - 1) * lanes,
        at,
    };
    macro_rules! leaf {
        ($R:literal) => {
            leaf!($R 1; $R 2; $R 3)
        };
        ($($R:literal $N:literal);*) => {
            match n {
                $($N => {
                    if const { is_tile::<S>($R) && $N <= tune::vectors(S::ISA) } {
                        // SAFETY: the operands hold `count·rows` of A, `k` by `cols` of B (by whole vectors
                        // unless `PART`) and `count·rows` by `cols` of C; `pack` holds `k` by `n` vectors.
                        unsafe {
                            if store {
                                if const { $R == tune::rows(S::ISA) } {
                                    if full {
                                        run::<S, T, E, $R, $N, false, true>(s, e, scale, &t)
                                    } else {
                                        run::<S, T, E, $R, $N, true, true>(s, e, scale, &t)
                                    }
                                }
                            } else if full {
                                run::<S, T, E, $R, $N, false, false>(s, e, scale, &t)
                            } else {
                                run::<S, T, E, $R, $N, true, false>(s, e, scale, &t)
                            }
                        }
                    }
                })*
                _ => {}
            }
        };
    }
    match rows {
        1 => leaf!(1),
        2 => leaf!(2),
        3 => leaf!(3),
        4 => leaf!(4),
        5 => leaf!(5),
        6 => leaf!(6),
        7 => leaf!(7),
        8 => leaf!(8),
        _ => {}
    }
}

/// Whether there are tiles of so many rows.
const fn is_tile<S: Simd>(rows: usize) -> bool {
    rows <= tune::rows(S::ISA) && !(COMPACT && 1 < rows && rows < tune::rows(S::ISA))
}

/// One tile, compiled for the instruction set.
/// # Safety
/// As [`accumulate`] and [`update`].
#[inline(never)]
unsafe fn run<
    S: Simd,
    T: Element,
    E: Epilogue<T>,
    const R: usize,
    const N: usize,
    const PART: bool,
    const PACK: bool,
>(
    s: S,
    e: E,
    scale: Scale<T>,
    t: &MicroTile<T>,
) {
    s.vectorize(
        #[inline(always)]
        || {
            let (mut a, mut c) = (t.a, t.c);
            let mut tile = 0;
            loop {
                let row = t.at[0] + tile * R;
                // SAFETY: the caller's promise; tile after tile.
                unsafe {
                    if scale.prefetch {
                        fetch::<S, T, R, N>(s, t, c);
                    }
                    let acc = accumulate::<S, T, R, N, PART, PACK>(s, t, a);
                    update::<S, T, E, R, N>(s, e, scale, t, (c, row), acc);
                }
                tile += 1;
                if tile >= t.count {
                    break;
                }
                a = a.wrapping_offset(t.a_next);
                c = c.wrapping_offset(t.c_row.wrapping_mul(R as isize));
            }
        },
    );
}

/// One tile of `R` by `N` vectors (of which the last may be partly filled), where the inner dimension is `K` or
/// one of its passes.
#[inline(always)]
pub(super) fn one<S: Simd, T: Element, const R: usize, const N: usize, const K: usize>(
    s: S,
    scale: Scale<T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: MatMut<'_, T>,
) {
    let lanes = T::Vec::<S>::LANES;
    let (cols, k) = (c.cols().min(b.cols()), a.cols().min(b.rows()));
    let unit = a.col_stride() == 1 && b.col_stride() == 1 && c.col_stride() == 1;
    if a.rows() != R || c.rows() != R || cols.div_ceil(lanes) != N || !unit {
        return;
    }
    let t = MicroTile {
        count: 1,
        // Known, so that the loop over it can be unrolled.
        k: if k == K { K } else { k },
        a: a.ptr(),
        a_next: 0,
        a_rows: [1isize, 3, 5, 7].map(|i| a.row_stride().wrapping_mul(i)),
        a_col: 1,
        b: b.ptr(),
        b_row: b.row_stride(),
        pack: core::ptr::null_mut(),
        c: c.ptr(),
        c_row: c.row_stride(),
        c_col: 1,
        tail: cols - (N - 1) * lanes,
        at: [0, 0],
    };
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: the views hold `R` rows of A, `k` by `cols` of B and `R` by `cols` of C, with unit column
            // strides.
            unsafe {
                let acc = if t.tail == lanes {
                    accumulate::<S, T, R, N, false, false>(s, &t, t.a)
                } else {
                    accumulate::<S, T, R, N, true, false>(s, &t, t.a)
                };
                update::<S, T, (), R, N>(s, (), scale, &t, (t.c, 0), acc);
            }
        },
    );
}

/// `count` tiles of `R` by `N` vectors below each other from `from` on, where a call has few of them and what comes before
/// the first multiplication is much of the time: nothing is prepared that only other products need.
/// # Safety
/// The shapes agree, all column strides are 1, and C has these rows and these columns, of which the last vector may
/// be there in part.
#[inline(never)]
pub(super) unsafe fn few<S: Simd, T: Element, const R: usize, const N: usize>(
    s: S,
    p: &Problem<'_, T>,
    from: [usize; 2],
    count: usize,
) {
    let lanes = T::Vec::<S>::LANES;
    let [row, col] = from;
    let t = MicroTile {
        count,
        // Known to be short: there is no loop over four steps at a time.
        k: p.a.cols().min(tune::LONG - 1),
        a: p.a.ptr(),
        a_next: 0,
        a_rows: [1isize, 3, 5, 7].map(|i| p.a.row_stride().wrapping_mul(i)),
        a_col: 1,
        b: p.b.ptr().wrapping_add(col),
        b_row: p.b.row_stride(),
        pack: core::ptr::null_mut(),
        c: p.c.ptr().wrapping_add(col),
        c_row: p.c.row_stride(),
        c_col: 1,
        tail: (p.c.cols() - col - (N - 1) * lanes).min(lanes),
        at: [0, 0],
    };
    let scale = Scale::one_pass(p.alpha, p.beta);
    s.vectorize(
        #[inline(always)]
        || {
            for row in (0..t.count).map(|i| (row + i * R) as isize) {
                let a = t.a.wrapping_offset(row.wrapping_mul(p.a.row_stride()));
                let c = t.c.wrapping_offset(row.wrapping_mul(t.c_row));
                // SAFETY: the caller's promise.
                unsafe {
                    let acc = accumulate::<S, T, R, N, true, false>(s, &t, a);
                    update::<S, T, (), R, N>(s, (), scale, &t, (c, 0), acc);
                }
            }
        },
    );
}

/// Prefetches the tile of C.
#[inline(always)]
fn fetch<S: Simd, T: Element, const R: usize, const N: usize>(s: S, t: &MicroTile<T>, c: *mut T) {
    let mut i = 0;
    while i < R {
        let c = c.wrapping_offset(i as isize * t.c_row);
        let mut v = 0;
        while v < N {
            T::Vec::<S>::prefetch(s, c.wrapping_add(v * T::Vec::<S>::LANES));
            v += 1;
        }
        i += 1;
    }
}

/// A row of B: `N` vectors from `b` on, of which the last has `tail` columns if `PART`.
/// # Safety
/// They are valid for reads.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "v < N")]
unsafe fn row<S: Simd, T: Element, const N: usize, const PART: bool>(
    s: S,
    t: &MicroTile<T>,
    b: *const T,
) -> [T::Vec<S>; N] {
    let mut row = [T::Vec::<S>::splat(s, T::ZERO); N];
    let mut v = 0;
    while v < N {
        // SAFETY: the caller's promise.
        row[v] = unsafe {
            let b = b.add(v * T::Vec::<S>::LANES);
            if PART && v == N - 1 {
                T::Vec::<S>::load_first(s, b, t.tail, T::ZERO)
            } else {
                T::Vec::<S>::load(s, b)
            }
        };
        v += 1;
    }
    row
}

/// `acc[i] += a(i)·row`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, v < N")]
fn outer<S: Simd, T: Element, const R: usize, const N: usize>(
    s: S,
    acc: &mut [[T::Vec<S>; N]; R],
    row: [T::Vec<S>; N],
    a: impl Fn(usize) -> T,
) {
    let mut i = 0;
    while i < R {
        let x = T::Vec::<S>::splat(s, a(i));
        let mut v = 0;
        while v < N {
            acc[i][v] = x.mul_add(row[v], acc[i][v]);
            v += 1;
        }
        i += 1;
    }
}

/// `Σ_p a[i][p]·b[p][j]`, in the order of `p`.
/// # Safety
/// A is valid for reads of `R` rows by `k`; B for `k` rows of `N` vectors, of which the last has `tail`
/// columns if `PART`; if `PACK`, `pack` is valid for writes of `k` rows of `N` vectors.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, v < N")]
unsafe fn accumulate<
    S: Simd,
    T: Element,
    const R: usize,
    const N: usize,
    const PART: bool,
    const PACK: bool,
>(
    s: S,
    t: &MicroTile<T>,
    mut a: *const T,
) -> [[T::Vec<S>; N]; R] {
    let lanes = T::Vec::<S>::LANES;
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut acc = [[zero; N]; R];
    let [one, three, five, seven] = t.a_rows;
    let down = [0, one, one << 1, three, one << 2, five, three << 1, seven];
    let (mut b, mut pack) = (t.b, t.pack);
    let mut p = 0;
    if const { tune::masks::<S>() && !PACK && N > 1 } && t.a_col == 1 && t.k >= tune::LONG {
        // Four steps at a time, and rows at most three from one of two pointers: all addresses fit the registers.
        let line = 64 / size_of::<T>();
        let rows = [0, one, one << 1, three];
        let mut ends = [a, a.wrapping_offset(one << 2)];
        while t.k - p >= 4 {
            if p.is_multiple_of(line) {
                // The panel of B that went by since these rows were last read has pushed them out.
                let mut i = 0;
                while i < R {
                    let row = ends[i / 4].wrapping_offset(rows[i % 4]);
                    T::Vec::<S>::prefetch(s, row.wrapping_add(tune::LINES * line));
                    i += 1;
                }
            }
            let mut q = 0;
            while q < 4 {
                // SAFETY: row `p + q < k` of B; elements `(i, p + q)` of A.
                unsafe {
                    let row = row::<S, T, N, PART>(s, t, b);
                    outer(s, &mut acc, row, |i| {
                        ends[i / 4].wrapping_offset(rows[i % 4]).wrapping_add(q).read()
                    });
                }
                b = T::Vec::<S>::hide(s, b.wrapping_offset(t.b_row));
                q += 1;
            }
            ends = ends.map(|a| T::Vec::<S>::hide(s, a.wrapping_add(4)));
            p += 4;
        }
        a = ends[0];
    }
    while p < t.k {
        // SAFETY: row `p < k` of B.
        let row = unsafe { row::<S, T, N, PART>(s, t, b) };
        if PACK {
            let mut v = 0;
            while v < N {
                // Rows of B lie far apart, where no prefetcher of the CPU sees a pattern.
                T::Vec::<S>::prefetch(s, b.wrapping_offset(tune::AHEAD * t.b_row).wrapping_add(v * lanes));
                // SAFETY: row `p < k` of `pack`.
                unsafe { row[v].store(pack.add(v * lanes)) };
                v += 1;
            }
        }
        // With one vector A is most of the traffic: prefetch the next tile's, a line of each row at a time.
        if N == 1 && t.a_next != 0 && p.is_multiple_of(64 / size_of::<T>()) {
            let mut i = 0;
            while i < R {
                T::Vec::<S>::prefetch(s, a.wrapping_offset(down[i]).wrapping_offset(t.a_next));
                i += 1;
            }
        }
        // SAFETY: elements `(i, p)` of A.
        outer(s, &mut acc, row, |i| unsafe { a.wrapping_offset(down[i]).read() });
        // The last step leaves the operands.
        a = T::Vec::<S>::hide(s, a.wrapping_offset(t.a_col));
        b = b.wrapping_offset(t.b_row);
        if PACK {
            pack = pack.wrapping_add(N * lanes);
        }
        p += 1;
    }
    acc
}
