//! The `f32` matrix product on AMX tiles of `bf16`: packing splits each element into a sum of `bf16` numbers of eight
//! bits each, whose products are accumulated in `f32`.

use super::amx::{self, Product};
use super::tune::Tiling;
use super::{Problem, gemm_by, gemm_workspace};
use crate::error::{Error, enough, same_shape};
use crate::lanes::executor::Executor;
use crate::lanes::{Amx, Simd};
use crate::view::{MatMut, MatRef};

/// What computed a product of `f32` matrices.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmxPath {
    /// The tiles.
    Tiles,
    /// The lanes of AVX-512, as [`gemm`](crate::gemm()): an element of A or B lies outside the tiles' range.
    Lanes,
}

/// Elements of workspace that [`gemm_f32_amx`](crate::gemm_f32_amx()) and [`gemm_f32_amx3`](crate::gemm_f32_amx3()) need for an `m` by `k` A and a `k` by `n` B.
pub const fn gemm_f32_amx_workspace(m: usize, n: usize, k: usize) -> usize {
    let lanes = gemm_workspace(m, n, k);
    let (six, three) = (Tiling::SIX.workspace(m, n, k), Tiling::THREE.workspace(m, n, k));
    let tiles = if six > three { six } else { three };
    if tiles > lanes { tiles } else { lanes }
}

/// The product by the parts of `P`, parts of C run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(super) fn product<J: Executor, P: Product<In = f32, Out = f32>>(
    j: J,
    amx: Amx,
    alpha: f32,
    a: MatRef<'_, f32>,
    b: MatRef<'_, f32>,
    beta: f32,
    c: MatMut<'_, f32>,
    workspace: &mut [f32],
) -> Result<AmxPath, Error> {
    same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
    same_shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
    // What is needed does not depend on the values.
    let (needed, got) = (gemm_f32_amx_workspace(c.rows(), c.cols(), a.cols()), workspace.len());
    enough(needed, got)?;
    // With α = 0 neither is read.
    let empty = c.rows() == 0 || c.cols() == 0;
    if alpha == 0.0 || empty || representable(j, amx, a, b) {
        amx::gemm_by::<J, P>(j, amx, alpha, a, b, beta, c, workspace)?;
        return Ok(AmxPath::Tiles);
    }
    gemm_by(j, amx.avx512(), Problem { alpha, beta, a, b, c }, (), workspace)?;
    Ok(AmxPath::Lanes)
}

/// Elements that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 17;

/// Whether the tiles can be used.
fn representable<J: Executor>(j: J, amx: Amx, a: MatRef<'_, f32>, b: MatRef<'_, f32>) -> bool {
    let (a0, b0) = (range_by(j, amx, a, j.threads()), range_by(j, amx, b, j.threads()));
    within(a0, b0, a.cols())
}

/// [`range`], parts run by `j`.
fn range_by<J: Executor>(j: J, amx: Amx, x: MatRef<'_, f32>, parts: usize) -> Option<[i32; 2]> {
    let (rows, cols) = (x.rows(), x.cols());
    if J::SERIAL || parts <= 1 || rows.saturating_mul(cols) < 2 * GRAIN {
        return range(amx, x);
    }
    let x = if rows < cols { x.t() } else { x };
    let half = x.rows() / 2;
    let (low, high) = (x.block([0, 0], [half, usize::MAX]), x.block([half, 0], [usize::MAX; 2]));
    let ends =
        j.join(usize::MAX, || range_by(j, amx, low, parts / 2), || range_by(j, amx, high, parts - parts / 2));
    match ends {
        (Some(x), Some(y)) => Some([x[0].min(y[0]), x[1].max(y[1])]),
        (x, y) => x.or(y),
    }
}

/// Exponents of the smallest magnitude that is not zero, and of the largest; `None` if all are zero.
fn range(amx: Amx, x: MatRef<'_, f32>) -> Option<[i32; 2]> {
    let x = if x.col_stride() != 1 && x.row_stride() == 1 { x.t() } else { x };
    let (mut low, mut high) = ([u32::MAX; 32], [0; 32]);
    for i in 0..x.rows() {
        if let Some(row) = x.row_slice(i) {
            amx.avx512().vectorize(
                #[inline(always)]
                || {
                    let (chunks, rest) = row.as_chunks::<32>();
                    chunks.iter().for_each(|chunk| see(&mut low, &mut high, chunk));
                    see(&mut low, &mut high, rest);
                },
            );
            continue;
        }
        for j in 0..x.cols() {
            see(&mut low, &mut high, &[x.get(i, j).unwrap_or(0.0)]);
        }
    }
    let (low, high) = (low.into_iter().fold(u32::MAX, u32::min), high.into_iter().fold(0, u32::max));
    let exponent = |bits: u32| (bits >> 23).cast_signed() - 127;
    (high != 0).then(|| [exponent(low.wrapping_add(1)), exponent(high)])
}

/// The magnitudes' ends as bits, lane by lane; the low ones less 1, so that zero is the largest of all.
#[inline(always)]
fn see(low: &mut [u32; 32], high: &mut [u32; 32], x: &[f32]) {
    for ((low, high), x) in low.iter_mut().zip(high).zip(x) {
        let bits = x.to_bits() & 0x7fff_ffff;
        (*low, *high) = ((*low).min(bits.wrapping_sub(1)), (*high).max(bits));
    }
}

/// Whether parts, products and sums of `k` products stay within the normal numbers, with room for what the tiles
/// flush to zero to be below the rounding.
fn within(a: Option<[i32; 2]>, b: Option<[i32; 2]>, k: usize) -> bool {
    const LEAST: i32 = -96;
    let one = |[low, high]: [i32; 2]| low >= LEAST && high < 127;
    match (a, b) {
        (Some(a), Some(b)) => {
            let bits = (usize::BITS - k.leading_zeros()).cast_signed();
            one(a) && one(b) && a[0] + b[0] >= LEAST && a[1] + b[1] + 2 + bits <= 126
        }
        // Zeros times anything finite and normal.
        (Some(x), None) | (None, Some(x)) => one(x),
        (None, None) => true,
    }
}
