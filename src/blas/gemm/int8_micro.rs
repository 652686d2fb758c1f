//! The micro-kernel of 8-bit integers with sums in `i32`. Elements are packed as pairs of 16-bit integers, because
//! every instruction set has an instruction that multiplies such pairs and adds the two products.

use super::scratch::Scratch;
use super::{loops, tune};
use crate::alu::Alu;
use crate::lanes::Simd;
use crate::lanes::vector::Vector;
use crate::view::MatRef;

/// The scratch of a product, in whole tiles.
pub(super) fn scratch<S: Simd>([m, n, k]: [usize; 3]) -> Scratch {
    Scratch::new::<S>([m, n, k.div_ceil(2)], [tune::rows(S::ISA), tune::vectors(S::ISA)])
}

/// A tile of C: where, its sums, and whether they are of the first pass and of the last.
pub(super) struct Tile<'a> {
    pub(super) at: [usize; 2],
    pub(super) size: [usize; 2],
    pub(super) sums: &'a Sums,
    pub(super) first: bool,
    pub(super) last: bool,
}

/// `done` with the sums of each tile of a product of depth `k`, pass after pass.
pub(super) fn sums<S: Simd, A: Into<i16> + Copy, B: Into<i16> + Copy>(
    s: S,
    (a, a_zero): (MatRef<'_, A>, i16),
    (b, b_zero): (MatRef<'_, B>, i16),
    k: usize,
    scratch: Scratch,
    workspace: &mut [i32],
    mut done: impl FnMut(Tile<'_>),
) {
    let (m, n) = (a.rows(), b.cols());
    let (lanes, mr, nv) = (S::F32::LANES, tune::rows(S::ISA), tune::vectors(S::ISA));
    let (vectors, band) = (n.div_ceil(lanes), tune::MOST_BAND / mr * mr);
    let ((panels_b, panels_a), Scratch { depth, most, .. }) = (scratch.split(workspace), scratch);
    let mut jc = 0;
    while jc < vectors {
        let block = loops::blocks(vectors - jc, most, nv);
        let cols = (block * lanes).min(n - jc * lanes);
        // Once for k = 0, which still scales C.
        let mut pc = 0;
        loop {
            let kb = (2 * depth).min(k - pc);
            let pairs = kb.div_ceil(2);
            pack(s, b.block([pc, jc * lanes], [kb, cols]), b_zero, nv * lanes, panels_b);
            let (first, last) = (pc == 0, pc + kb >= k);
            let mut ic = 0;
            while ic < m {
                let rows = band.min(m - ic);
                pack(s, a.block([ic, pc], [rows, kb]).t(), a_zero, mr, panels_a);
                panels(s, pairs, panels_a, panels_b, [rows, cols], |[i, j], size, sums| {
                    done(Tile { at: [ic + i, jc * lanes + j], size, sums, first, last });
                });
                ic += rows;
            }
            pc += kb;
            if pc >= k {
                break;
            }
        }
        jc += block;
    }
}

/// Panels of `width` columns: row after row of pairs of elements less `zero` below each other, zeros beyond `x`.
fn pack<S: Simd, X: Into<i16> + Copy>(s: S, x: MatRef<'_, X>, zero: i16, width: usize, to: &mut [i32]) {
    let pairs = x.rows().div_ceil(2);
    let one = |x: X| i32::from(x.into().wrapping_sub(zero));
    let pair = |low: X, high: X| one(low) & 0xffff | one(high) << 16;
    // The last row of an odd number.
    let last = |low: X| one(low) & 0xffff;
    s.vectorize(
        #[inline(always)]
        || {
            for (panel, to) in to.chunks_exact_mut((pairs * width).max(1)).enumerate() {
                let x = x.block([0, panel * width], [usize::MAX, width]);
                if x.cols() == 0 {
                    break;
                }
                if x.col_stride() == 1 || x.cols() == 1 {
                    for (p, to) in to.chunks_mut(width).enumerate() {
                        let (low, high) = (
                            x.row_slice(2 * p).unwrap_or_default(),
                            x.row_slice(2 * p + 1).unwrap_or_default(),
                        );
                        to.fill(0);
                        if high.is_empty() {
                            to.iter_mut().zip(low).for_each(|(to, low)| *to = last(*low));
                        } else {
                            to.iter_mut()
                                .zip(low)
                                .zip(high)
                                .for_each(|((to, low), high)| *to = pair(*low, *high));
                        }
                    }
                    continue;
                }
                if x.cols() < width {
                    to.fill(0);
                }
                for j in 0..x.cols() {
                    let down = to.iter_mut().skip(j).step_by(width);
                    if let Some(col) = x.t().row_slice(j) {
                        let (whole, rest) = col.as_chunks::<2>();
                        let rest = rest.iter().map(|x| last(*x));
                        let all = whole.iter().map(|[low, high]| pair(*low, *high)).chain(rest);
                        down.zip(all).for_each(|(to, x)| *to = x);
                    } else {
                        let at = |i: usize| x.get(i, j).map_or(0, one);
                        let both = |p: usize| at(2 * p) & 0xffff | at(2 * p + 1) << 16;
                        down.take(pairs).enumerate().for_each(|(p, to)| *to = both(p));
                    }
                }
            }
        },
    );
}

/// The sums of one tile: rows of any set's tile by the columns of the widest.
pub(super) type Sums = [[i32; 3 * tune::MOST_LANES]; 8];

/// Each tile of this part of C: where it is in it, how large, and its sums.
fn panels<S: Simd>(
    s: S,
    pairs: usize,
    panels_a: &[i32],
    panels_b: &[i32],
    [rows, cols]: [usize; 2],
    mut done: impl FnMut([usize; 2], [usize; 2], &Sums),
) {
    let (mr, width) = (tune::rows(S::ISA), tune::vectors(S::ISA) * S::F32::LANES);
    let mut sums: Sums = [[0; 3 * tune::MOST_LANES]; 8];
    for j in (0..cols).step_by(width) {
        let b = panels_b.get(j * pairs..).unwrap_or_default();
        for i in (0..rows).step_by(mr) {
            let a = panels_a.get(i * pairs..).unwrap_or_default();
            tile(s, pairs, a, b, &mut sums);
            done([i, j], [mr.min(rows - i), width.min(cols - j)], &sums);
        }
    }
}

/// The sums of a whole tile.
fn tile<S: Simd>(s: S, pairs: usize, a: &[i32], b: &[i32], sums: &mut Sums) {
    s.vectorize(
        #[inline(always)]
        || match const { (tune::rows(S::ISA), tune::vectors(S::ISA)) } {
            (8, 3) => run::<S, 8, 3>(s, pairs, a, b, sums),
            (6, 2) => run::<S, 6, 2>(s, pairs, a, b, sums),
            (4, 2) => run::<S, 4, 2>(s, pairs, a, b, sums),
            // There is no other; `tests` would show it.
            _ => {}
        },
    );
}

/// [`tile`] of `R` rows and `N` vectors, in registers.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < R, v < N")]
fn run<S: Simd, const R: usize, const N: usize>(s: S, pairs: usize, a: &[i32], b: &[i32], sums: &mut Sums) {
    let lanes = S::F32::LANES;
    let splat = |x: i32| S::F32::splat(s, f32::from_bits(x.cast_unsigned())).to_bits();
    let mut acc = [[splat(0); N]; R];
    for (a, b) in a.as_chunks::<R>().0.iter().zip(b.chunks_exact(N * lanes)).take(pairs) {
        let mut row = [splat(0); N];
        let mut v = 0;
        while v < N {
            // SAFETY: `b` has `N` vectors of 32-bit words; as an `f32` a word keeps its bits.
            row[v] = unsafe { S::F32::load(s, b.as_ptr().add(v * lanes).cast()) }.to_bits();
            v += 1;
        }
        let mut i = 0;
        while i < R {
            let x = splat(a[i]);
            let mut v = 0;
            while v < N {
                acc[i][v] = s.dot_i16(acc[i][v], x, row[v]);
                v += 1;
            }
            i += 1;
        }
    }
    for (acc, sums) in acc.iter().zip(sums) {
        for (v, acc) in acc.iter().enumerate() {
            // SAFETY: a row of sums has three of the widest vectors, and `N ≤ 3`.
            unsafe { S::F32::from_bits(*acc).store(sums.as_mut_ptr().add(v * lanes).cast()) };
        }
    }
}
