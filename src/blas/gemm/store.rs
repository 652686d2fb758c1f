//! Writes a register tile to memory: `C = βC + α·acc` and the epilogue, by rows or, where C has a column stride,
//! through an array.

use super::epilogue::Epilogue;
use super::strided::{gather_lanes, scatter_lanes};
use super::tile::{MicroTile, Scale};
use super::tune;
use crate::alu::Alu;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use core::mem::MaybeUninit;

/// `C = βC + α·acc`, then the epilogue, on a tile that starts at `c` and at `row`.
/// # Safety
/// C is valid for reads and writes of `R` rows by `N` vectors, of which the last has `tail` columns.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, v < N")]
pub(super) unsafe fn update<S: Simd, T: Element, E: Epilogue<T>, const R: usize, const N: usize>(
    s: S,
    e: E,
    scale: Scale<T>,
    t: &MicroTile<T>,
    to: (*mut T, usize),
    acc: [[T::Vec<S>; N]; R],
) {
    // SAFETY: the caller's promise.
    unsafe {
        if t.c_col != 1 {
            // A copy: the accumulators themselves would be in memory all along. Volatile, or LLVM makes both one.
            let mut copy = MaybeUninit::<[[T::Vec<S>; N]; R]>::uninit();
            let words = copy.as_mut_ptr().cast::<T::Vec<S>>();
            let mut i = 0;
            while i < R {
                let mut v = 0;
                while v < N {
                    words.add(i * N + v).write_volatile(acc[i][v]);
                    v += 1;
                }
                i += 1;
            }
            return apart(s, e, scale, t, to, words, [R, N]);
        }
        match (scale.alpha == T::ONE, scale.beta == T::ZERO) {
            (true, true)
                if T::Vec::<S>::STREAMS
                    && R == tune::rows(S::ISA)
                    && N == tune::vectors(S::ISA)
                    && scale.stream
                    && t.tail == T::Vec::<S>::LANES =>
            {
                rows::<S, T, E, R, N, false, false, true>(s, e, scale, t, to, acc);
            }
            (true, true) => rows::<S, T, E, R, N, false, false, false>(s, e, scale, t, to, acc),
            (false, true) => rows::<S, T, E, R, N, true, false, false>(s, e, scale, t, to, acc),
            (_, false) => rows::<S, T, E, R, N, true, true, false>(s, e, scale, t, to, acc),
        }
    }
}

/// [`update`] of contiguous rows; α = 1 unless `SCALE`, C is read if `READ` and stored non-temporally if `STREAM`.
/// # Safety
/// As [`update`], and C has unit column stride; if `STREAM`, whole vectors at their boundaries.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, v < N")]
unsafe fn rows<
    S: Simd,
    T: Element,
    E: Epilogue<T>,
    const R: usize,
    const N: usize,
    const SCALE: bool,
    const READ: bool,
    const STREAM: bool,
>(
    s: S,
    e: E,
    scale: Scale<T>,
    t: &MicroTile<T>,
    (c, row): (*mut T, usize),
    acc: [[T::Vec<S>; N]; R],
) {
    let lanes = T::Vec::<S>::LANES;
    let alpha = T::Vec::<S>::splat(s, scale.alpha);
    let beta = T::Vec::<S>::splat(s, scale.beta);
    let mut i = 0;
    while i < R {
        let c = c.wrapping_offset((i as isize).wrapping_mul(t.c_row));
        let mut v = 0;
        while v < N {
            let c = c.wrapping_add(v * lanes);
            let part = !STREAM && v == N - 1 && (tune::masks::<S>() || t.tail < lanes);
            let n = if part { t.tail } else { lanes };
            let mut y = if SCALE { alpha * acc[i][v] } else { acc[i][v] };
            // SAFETY: `n` columns of row `i`.
            unsafe {
                if READ {
                    let old = if part {
                        T::Vec::<S>::load_first(s, c, n, T::ZERO)
                    } else {
                        T::Vec::<S>::load(s, c)
                    };
                    y = beta.mul_add(old, y);
                }
                if !E::NONE && scale.last {
                    y = e.apply(s, y, [row + i, t.at[1] + v * lanes], n);
                }
                if STREAM {
                    y.stream(c);
                } else if part {
                    y.store_first(c, n);
                } else {
                    y.store(c);
                }
            }
            v += 1;
        }
        i += 1;
    }
}

/// [`update`] of rows that are not contiguous, through an array.
/// # Safety
/// As [`update`]; `acc` holds `rows` by `vectors`.
#[inline(never)]
unsafe fn apart<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    scale: Scale<T>,
    t: &MicroTile<T>,
    (c, row): (*mut T, usize),
    acc: *const T::Vec<S>,
    [rows, vectors]: [usize; 2],
) {
    let lanes = T::Vec::<S>::LANES;
    s.vectorize(
        #[inline(always)]
        || {
            let alpha = T::Vec::<S>::splat(s, scale.alpha);
            let beta = T::Vec::<S>::splat(s, scale.beta);
            let (mut i, mut v) = (0, 0);
            while i < rows {
                let n = if v == vectors - 1 { t.tail } else { lanes };
                // SAFETY: `n` columns of row `i` from column `v·lanes`.
                unsafe {
                    let c = c.offset(i as isize * t.c_row + (v * lanes) as isize * t.c_col);
                    let mut y = alpha * acc.add(i * vectors + v).read();
                    if scale.beta != T::ZERO {
                        y = beta.mul_add(gather_lanes::<S, T>(s, c, n, t.c_col), y);
                    }
                    if !E::NONE && scale.last {
                        y = e.apply(s, y, [row + i, t.at[1] + v * lanes], n);
                    }
                    scatter_lanes::<S, T>(y, c, n, t.c_col);
                }
                v += 1;
                if v == vectors {
                    (i, v) = (i + 1, 0);
                }
            }
        },
    );
}
