//! `f32` products on AMX tiles of `bf16`: each element is split into a sum of `bf16` numbers of eight bits each.

use super::amx::{self, Product, Six, Three};
use super::tune::Tiling;
use super::{Problem, gemm_by, gemm_workspace};
use crate::error::{Error, enough, same_shape};
use crate::lanes::executor::{Executor, Serial};
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

/// `C = αAB + βC` in `f32`, by six products of bf16 matrices on AMX.
///
/// Shapes: as [`gemm`](crate::gemm()). Each element is split into three parts of eight bits, `x = x₀ + x₁ + x₂`, which is exact;
/// `x₀y₀`, `x₀y₁`, `x₁y₀`, `x₁y₁`, `x₀y₂` and `x₂y₀` are exact too and added up in `f32`, and what is left out is at
/// most `2⁻²⁴(1 + 2⁻⁹)|xy|`, so that the error is within the bound of [`gemm`](crate::gemm()). The bits depend on α, β, the row of A
/// and the column of B, and on the path below.
///
/// The tiles know no subnormal numbers, and an infinity cannot be split. They are used ([`AmxPath::Tiles`]) when every
/// element of A and B is 0 or between 2⁻⁹⁶ and 2¹²⁷ in magnitude, no product of one of A and one of B can be
/// below 2⁻⁹⁶ unless it is 0, and no sum of `k` of them can reach 2¹²⁶; else the call is one of
/// [`gemm_on`](crate::gemm_on) with AVX-512 ([`AmxPath::Lanes`]). To see which, A and B are read once more.
///
/// NaN and ±0: as [`gemm`](crate::gemm()).
///
/// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
///
/// Scratch: [`gemm_f32_amx_workspace`].
///
/// ```
/// # #[cfg(feature = "std")]
/// if let Some(amx) = fulmen::lanes::Amx::detect() {
///     use fulmen::{AmxPath, MatMut, MatRef, gemm_f32_amx, gemm_f32_amx_workspace};
///     let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [5.0f32, 6.0, 7.0, 0.1]);
///     let mut c = [0.0f32; 4];
///     let mut workspace = [0.0; gemm_f32_amx_workspace(2, 2, 2)];
///     let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
///     let path = gemm_f32_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
///     assert_eq!((path, c[0], c[2]), (AmxPath::Tiles, 19.0, 43.0));
/// }
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: G. Henry, P. T. P. Tang and A. Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For
/// Higher-Precision Computations" (2019).
pub fn gemm_f32_amx(
    amx: Amx,
    alpha: f32,
    a: MatRef<'_, f32>,
    b: MatRef<'_, f32>,
    beta: f32,
    c: MatMut<'_, f32>,
    workspace: &mut [f32],
) -> Result<AmxPath, Error> {
    product::<Serial, Six>(Serial, amx, alpha, a, b, beta, c, workspace)
}

/// [`gemm_f32_amx`] by three products, `x₁y₀ + x₀y₀ + x₀y₁`: twice as fast, and for data of some 15 bits.
///
/// What is left out is at most `2⁻¹⁵(1 + 2⁻⁹)|xy|` of each product, beside the rounding of the sums: the
/// error is within `(2⁻¹⁵(1 + 2⁻⁹) + γ_(k + 4))·|α||A||B| + γ₄|β||C|`. All else is as for [`gemm_f32_amx`], also the choice of
/// the path.
pub fn gemm_f32_amx3(
    amx: Amx,
    alpha: f32,
    a: MatRef<'_, f32>,
    b: MatRef<'_, f32>,
    beta: f32,
    c: MatMut<'_, f32>,
    workspace: &mut [f32],
) -> Result<AmxPath, Error> {
    product::<Serial, Three>(Serial, amx, alpha, a, b, beta, c, workspace)
}

/// Elements of workspace that [`gemm_f32_amx`] and [`gemm_f32_amx3`] need for an `m` by `k` A and a `k` by `n` B.
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
