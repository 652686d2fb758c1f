//! Products of matrices of bytes with sums in `i32`: pairs of elements side by side as 16-bit halves, because every
//! instruction set multiplies those and adds the two products.

use super::{LINE, loops, tune};
use crate::alu::Alu;
use crate::error::{Error, enough, same_shape};
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, native};
use crate::view::{MatMut, MatRef};

/// `C = αAB + βC` with A and B in `i8` and C in `i32`, modulo 2³².
///
/// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The result is exact modulo 2³², in
/// two's complement: with α = 1 and β = 0 nothing wraps as long as `k ≤ 131071`, and in any case only the
/// value of the whole expression counts. The bits are the same on every instruction set.
///
/// There is no NaN; β = 0 writes C without reading it.
///
/// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
///
/// Scratch: [`gemm_i8_workspace`], in `i32`; what it holds before and after does not matter.
///
/// ```
/// use fulmen::{MatMut, MatRef, gemm_i8, gemm_i8_workspace};
/// let (a, b) = ([1i8, 2, 3, -128], [5i8, 6, 7, -128]);
/// let mut c = [0; 4];
/// let mut workspace = [0; gemm_i8_workspace(2, 2, 2)];
/// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
/// gemm_i8(1, a, b, 0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
/// assert_eq!(c, [19, -250, -881, 16402]);
/// // C += 2·AB
/// gemm_i8(2, a, b, 1, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
/// assert_eq!(c, [57, -750, -2643, 49206]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: as [`gemm`](crate::gemm()).
#[inline]
pub fn gemm_i8(
    alpha: i32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_i8_on(native(), alpha, a, b, beta, c, workspace)
}

/// [`gemm_i8`] on the tiles of AMX: the same bits.
///
/// Errors and scratch: as [`gemm_i8`].
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub fn gemm_i8_amx(
    amx: crate::lanes::Amx,
    alpha: i32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    super::amx::gemm::<super::amx::Single<i8>>(amx, alpha, a, b, beta, c, workspace)
}

/// Elements of workspace that [`gemm_i8`] and its form for AMX need at most for an `m` by `k` A and a `k` by `n` B,
/// on any instruction set.
pub const fn gemm_i8_workspace(m: usize, n: usize, k: usize) -> usize {
    const fn min(a: usize, b: usize) -> usize {
        if a < b { a } else { b }
    }
    if m == 0 || n == 0 || k == 0 {
        return 0;
    }
    let depth = min(k.div_ceil(2), tune::MOST_DEPTH);
    // Whole tiles of rows and columns.
    let a = depth * min(m.saturating_add(8), tune::MOST_BAND);
    let b = min(depth.saturating_mul(n.saturating_add(3 * tune::MOST_LANES)), tune::MOST_BLOCK);
    let (lanes, tiles) = (a + b + LINE, tune::Tiling::INT8.workspace(m, n, k));
    // Only there are there tiles.
    if cfg!(all(target_arch = "x86_64", feature = "avx512")) && tiles > lanes { tiles } else { lanes }
}

/// [`gemm_i8`] on the instruction set of `s`.
pub fn gemm_i8_on<S: Simd>(
    s: S,
    alpha: i32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    product(s, [alpha, beta], (a, 0), (b, 0), c, workspace)
}

/// `C = α(A - a₀)(B - b₀) + βC` with A in `u8`, B in `i8` and C in `i32`, modulo 2³²: quantised activations by weights, each
/// with the number that stands for zero.
///
/// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The result is exact modulo 2³², in
/// two's complement: with α = 1 and β = 0 nothing wraps as long as `k ≤ 33025`, and in any case only the value of the
/// whole expression counts. The bits are the same on every instruction set. A B of `u8` is one of `i8` with 128 taken from
/// its elements and from its zero.
///
/// There is no NaN; β = 0 writes C without reading it.
///
/// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
///
/// Scratch: [`gemm_u8_workspace`], in `i32`; what it holds before and after does not matter.
///
/// ```
/// use fulmen::{MatMut, MatRef, gemm_u8, gemm_u8_workspace};
/// // A stands for [[-1, 2], [0, 127]], B for [[1], [3]].
/// let (a, b) = ([127u8, 130, 128, 255], [-1i8, 1]);
/// let mut c = [0; 2];
/// let mut workspace = [0; gemm_u8_workspace(2, 1, 2)];
/// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 1)?);
/// gemm_u8(1, a, 128, b, -2, 0, MatMut::row_major(&mut c, 2, 1)?, &mut workspace)?;
/// assert_eq!(c, [5, 381]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: B. Jacob et al.: Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference,
/// 2018, §2.3. Contract: `contracts/gemm_u8-v1.yaml`.
#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub fn gemm_u8(
    alpha: i32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_u8_on(native(), alpha, a, a_zero, b, b_zero, beta, c, workspace)
}

/// [`gemm_u8`] on the instruction set of `s`.
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub fn gemm_u8_on<S: Simd>(
    s: S,
    alpha: i32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    product(s, [alpha, beta], (a, a_zero.into()), (b, b_zero.into()), c, workspace)
}

/// Elements of workspace that [`gemm_u8`] needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction set.
pub const fn gemm_u8_workspace(m: usize, n: usize, k: usize) -> usize {
    gemm_i8_workspace(m, n, k)
}

/// The product of matrices of bytes less their zeros, which fit 16 bits.
fn product<S: Simd, A: Into<i16> + Copy, B: Into<i16> + Copy>(
    s: S,
    [alpha, beta]: [i32; 2],
    (a, a_zero): (MatRef<'_, A>, i16),
    (b, b_zero): (MatRef<'_, B>, i16),
    mut c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
    same_shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
    let (m, n) = (c.rows(), c.cols());
    if m == 0 || n == 0 {
        return Ok(());
    }
    let (lanes, mr, nv) = (S::F32::LANES, tune::rows(S::ISA), tune::vectors(S::ISA));
    // Everything below counts pairs along the inner dimension.
    let depth = loops::pass(S::ISA, a.cols().div_ceil(2));
    let most = (tune::block(S::ISA) / depth.max(1)).max(4 * nv) / nv * nv;
    let (vectors, band) = (n.div_ceil(lanes), tune::MOST_BAND / mr * mr);
    // Whole tiles.
    let (rows, cols) = (m.min(band).next_multiple_of(mr), vectors.min(most).next_multiple_of(nv) * lanes);
    let (room_a, room_b) = (depth * rows, depth * cols);
    let (needed, got) = (if depth == 0 { 0 } else { room_a + room_b + LINE }, workspace.len());
    enough(needed, got)?;
    let k = if alpha == 0 { 0 } else { a.cols() };
    // Vectors of a packed panel don't cross cache lines.
    let skip = workspace.as_ptr().align_offset(64).min(LINE);
    let aligned = workspace.get_mut(skip..).unwrap_or_default();
    let (room_b, room_a) = aligned.split_at_mut_checked(room_b).unwrap_or_default();
    let mut jc = 0;
    while jc < vectors {
        let block = loops::blocks(vectors - jc, most, nv);
        let cols = (block * lanes).min(n - jc * lanes);
        // Once for k = 0, which still scales C.
        let mut pc = 0;
        loop {
            let kb = (2 * depth).min(k - pc);
            let pairs = kb.div_ceil(2);
            pack(s, b.block([pc, jc * lanes], [kb, cols]), b_zero, nv * lanes, room_b);
            let scale = [alpha, if pc == 0 { beta } else { 1 }];
            let mut ic = 0;
            while ic < m {
                let rows = band.min(m - ic);
                pack(s, a.block([ic, pc], [rows, kb]).t(), a_zero, mr, room_a);
                let c = c.reborrow().block([ic, jc * lanes], [rows, cols]);
                panels(s, scale, pairs, room_a, room_b, c);
                ic += rows;
            }
            pc += kb;
            if pc >= k {
                break;
            }
        }
        jc += block;
    }
    Ok(())
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
type Sums = [[i32; 3 * tune::MOST_LANES]; 8];

/// Each tile of this part of C: its sums, then `C = α·sums + βC`.
fn panels<S: Simd>(
    s: S,
    [alpha, beta]: [i32; 2],
    pairs: usize,
    room_a: &[i32],
    room_b: &[i32],
    mut c: MatMut<'_, i32>,
) {
    let (mr, width) = (tune::rows(S::ISA), tune::vectors(S::ISA) * S::F32::LANES);
    let mut sums: Sums = [[0; 3 * tune::MOST_LANES]; 8];
    for j in 0..c.cols().div_ceil(width) {
        let b = room_b.get(j * width * pairs..).unwrap_or_default();
        for i in 0..c.rows().div_ceil(mr) {
            let a = room_a.get(i * mr * pairs..).unwrap_or_default();
            let mut c = c.reborrow().block([i * mr, j * width], [mr, width]);
            tile(s, pairs, a, b, &mut sums);
            s.vectorize(
                #[inline(always)]
                || {
                    let blend = |x: i32, y: i32| alpha.wrapping_mul(x).wrapping_add(beta.wrapping_mul(y));
                    for (i, sums) in sums.iter().enumerate().take(c.rows()) {
                        if let Some(row) = c.row_slice_mut(i) {
                            row.iter_mut().zip(sums).for_each(|(y, x)| *y = blend(*x, *y));
                            continue;
                        }
                        for (j, x) in sums.iter().enumerate() {
                            let y = c.get(i, j).unwrap_or(0);
                            c.set(i, j, blend(*x, y));
                        }
                    }
                },
            );
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
