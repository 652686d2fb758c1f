//! Products of half-precision matrices with sums in `f32`: the operands are converted to `f32` while they are packed, so
//! that everything after that is the product of `f32` matrices.

use super::epilogue::Epilogue;
use super::loops::{self, Plan, Rhs};
use super::scratch::Scratch;
use super::threads::{divide, parts, tile};
use super::{Problem, gemm_with_on, tune};
use crate::convert::{from_bf16, from_f16};
use crate::error::{Error, enough, same_shape};
use crate::float8::E4m3;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, native};
use crate::parts::LINE;
use crate::view::{MatMut, MatRef};
use half::{bf16, f16};

/// A storage format of which each number is an `f32`.
pub(crate) trait Half: Copy + Sync {
    fn to_f32(self) -> f32;
}
impl Half for bf16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        from_bf16(self)
    }
}
impl Half for f16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        from_f16(self)
    }
}

impl Half for E4m3 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self.to_f32()
    }
}

macro_rules! half {
    ($(#[$doc:meta])* $name:ident, $on:ident, $with:ident, $with_on:ident, $workspace:ident, $H:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            $on(native(), alpha, a, b, beta, c, workspace)
        }

        #[doc = concat!("[`", stringify!($name), "`] on the instruction set of `s`.")]
        pub fn $on<S: Simd>(
            s: S,
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            gemm_half_by(Serial, s, alpha, a, b, beta, c, (), workspace)
        }

        #[doc = concat!("[`", stringify!($name), "`], then an [`Epilogue`] on each element of the result while it is still in a register.")]
        ///
        /// Errors: also [`Error::Len`] and [`Error::Shape`] of `epilogue`, and what its body refuses.
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        pub fn $with<E: Epilogue<f32>>(
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            epilogue: E,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            gemm_half_by(Serial, native(), alpha, a, b, beta, c, epilogue, workspace)
        }

        #[doc = concat!("[`", stringify!($with), "`] on the instruction set of `s`.")]
        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        pub fn $with_on<S: Simd, E: Epilogue<f32>>(
            s: S,
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            epilogue: E,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            gemm_half_by(Serial, s, alpha, a, b, beta, c, epilogue, workspace)
        }
    };
}

half! {
    /// `C = αAB + βC` with A and B in bf16 and C in `f32`.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are those of
    /// [`gemm`](crate::gemm()) on A and B converted to `f32`, so its error bound holds; and products of two bf16 numbers
    /// are exact in `f32`, but for subnormal ones and overflow.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_bf16_workspace`], in `f32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_bf16, gemm_bf16_workspace};
    /// use half::bf16;
    /// let (a, b) = ([1.0, 2.0, 3.0, 4.0].map(bf16::from_f32), [5.0, 6.0, 7.0, 8.0].map(bf16::from_f32));
    /// let mut c = [0.0f32; 4];
    /// let mut workspace = [0.0; gemm_bf16_workspace(2, 2, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
    /// gemm_bf16(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [19.0, 22.0, 43.0, 50.0]);
    /// // A bias and an activation follow in registers.
    /// let layer = fulmen::Chain(fulmen::BiasCol(&[-20.0, -23.0]), fulmen::Pointwise(fulmen::Relu));
    /// fulmen::gemm_bf16_with(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, layer, &mut workspace)?;
    /// assert_eq!(c, [0.0, 0.0, 23.0, 27.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()).
    gemm_bf16, gemm_bf16_on, gemm_bf16_with, gemm_bf16_with_on, gemm_bf16_workspace, bf16
}
half! {
    /// `C = αAB + βC` with A and B in f16 (IEEE 754 binary16) and C in `f32`.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are those of
    /// [`gemm`](crate::gemm()) on A and B converted to `f32`, so its error bound holds; and products of two f16 numbers
    /// are always exact in `f32`.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_f16_workspace`], in `f32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_f16, gemm_f16_workspace};
    /// use half::f16;
    /// let (a, b) = ([1.0, 2.0].map(f16::from_f32), [3.0, 4.0].map(f16::from_f32));
    /// let mut c = [1.0f32];
    /// let mut workspace = [0.0; gemm_f16_workspace(1, 1, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 1, 2)?, MatRef::row_major(&b, 2, 1)?);
    /// gemm_f16(2.0, a, b, 1.0, MatMut::row_major(&mut c, 1, 1)?, &mut workspace)?;
    /// assert_eq!(c, [23.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()).
    gemm_f16, gemm_f16_on, gemm_f16_with, gemm_f16_with_on, gemm_f16_workspace, f16
}

half! {
    /// `C = αAB + βC` with A and B in [`E4m3`], floats of eight bits, and C in `f32`. What the bytes are multiples of goes
    /// into α.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are those of
    /// [`gemm`](crate::gemm()) on A and B converted to `f32`, so its error bound holds; and products of two of these
    /// numbers are always exact in `f32`.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_e4m3_workspace`], in `f32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{E4m3, MatMut, MatRef, gemm_e4m3, gemm_e4m3_workspace};
    /// // A by rows that were divided by 8, B by ones that were divided by 2.
    /// let (a, b) = ([1.5, -20.0].map(E4m3::from_f32), [3.0, 0.25].map(E4m3::from_f32));
    /// let mut c = [1.0f32];
    /// let mut workspace = [0.0; gemm_e4m3_workspace(1, 1, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 1, 2)?, MatRef::row_major(&b, 2, 1)?);
    /// gemm_e4m3(16.0, a, b, 1.0, MatMut::row_major(&mut c, 1, 1)?, &mut workspace)?;
    /// assert_eq!(c, [-7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()); P. Micikevicius et al.: FP8 Formats for Deep Learning, 2022.
    gemm_e4m3, gemm_e4m3_on, gemm_e4m3_with, gemm_e4m3_with_on, gemm_e4m3_workspace, E4m3
}

/// Elements of workspace that [`gemm_e4m3`] needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction
/// set.
pub const fn gemm_e4m3_workspace(m: usize, n: usize, k: usize) -> usize {
    gemm_f16_workspace(m, n, k)
}

/// Elements of workspace that [`gemm_f16`] needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction
/// set.
pub const fn gemm_f16_workspace(m: usize, n: usize, k: usize) -> usize {
    const fn min(a: usize, b: usize) -> usize {
        if a < b { a } else { b }
    }
    if m == 0 || n == 0 || k == 0 {
        return 0;
    }
    let depth = min(k, tune::MOST_DEPTH);
    let b = min(depth.saturating_mul(n.saturating_add(tune::MOST_LANES)), tune::MOST_BLOCK);
    depth * min(m, tune::MOST_BAND) + b + LINE
}

/// Elements of workspace that [`gemm_bf16`] and its form for AMX need at most for an `m` by `k` A and a `k` by `n` B,
/// on any instruction set.
pub const fn gemm_bf16_workspace(m: usize, n: usize, k: usize) -> usize {
    let (lanes, tiles) = (gemm_f16_workspace(m, n, k), tune::Tiling::BF16.workspace(m, n, k));
    // Only there are there tiles.
    if cfg!(all(target_arch = "x86_64", feature = "avx512")) && tiles > lanes { tiles } else { lanes }
}

/// [`gemm_bf16`] on the tiles of AMX.
///
/// Sums run over pairs of products, sixteen pairs at a time, with one rounding for each product and each sum; no
/// intermediate result is wider than `f32`. The error is within the bound of [`gemm`](crate::gemm()) as long as nothing is
/// subnormal: **the tiles take a subnormal element of A or B for 0, and a sum below 2⁻¹²⁶ becomes 0.** The bits
/// depend on α, β, the row of A and the column of B.
///
/// NaN, infinities, ±0 and errors: as [`gemm`](crate::gemm()). Scratch: [`gemm_bf16_workspace`].
///
/// ```
/// # #[cfg(feature = "std")]
/// if let Some(amx) = fulmen::lanes::Amx::detect() {
///     use fulmen::{MatMut, MatRef, gemm_bf16_amx, gemm_bf16_workspace};
///     let (a, b) = ([1.0, 2.0].map(half::bf16::from_f32), [3.0, 4.0].map(half::bf16::from_f32));
///     let (mut c, mut workspace) = ([0.0f32], [0.0; gemm_bf16_workspace(1, 1, 2)]);
///     let (a, b) = (MatRef::row_major(&a, 1, 2)?, MatRef::row_major(&b, 2, 1)?);
///     gemm_bf16_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, 1, 1)?, &mut workspace)?;
///     assert_eq!(c, [11.0]);
/// }
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, TDPBF16PS.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub fn gemm_bf16_amx(
    amx: crate::lanes::Amx,
    alpha: f32,
    a: MatRef<'_, bf16>,
    b: MatRef<'_, bf16>,
    beta: f32,
    c: MatMut<'_, f32>,
    workspace: &mut [f32],
) -> Result<(), Error> {
    super::amx::gemm::<super::amx::Single<bf16>>(amx, alpha, a, b, beta, c, workspace)
}

/// The product, parts of C run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn gemm_half_by<J: Executor, S: Simd, H: Half, E: Epilogue<f32>>(
    j: J,
    s: S,
    alpha: f32,
    a: MatRef<'_, H>,
    b: MatRef<'_, H>,
    beta: f32,
    c: MatMut<'_, f32>,
    epilogue: E,
    workspace: &mut [f32],
) -> Result<(), Error> {
    same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
    same_shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
    let (m, n, k) = (c.rows(), c.cols(), a.cols());
    epilogue.check([m, n])?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    let (needed, got) = (Scratch::new::<S>([m, n, k], [1, 1]).needed(), workspace.len());
    enough(needed, got)?;
    if k == 0 || alpha == 0.0 {
        let (a, b) = (MatRef::packed(&[], m, 0), MatRef::packed(&[], 0, n));
        return gemm_with_on(s, 0.0, a, b, beta, c, epilogue, &mut []);
    }
    let parts = parts(j, m.saturating_mul(n).saturating_mul(k), needed, got);
    divide(j, parts, tile::<S, f32>(), a, b, c, workspace, |at, a, b, c, workspace| {
        part(s, [alpha, beta], a, b, c, epilogue.part(at), workspace);
    });
    Ok(())
}

/// One thread's part; the workspace is long enough.
fn part<S: Simd, H: Half, E: Epilogue<f32>>(
    s: S,
    [alpha, beta]: [f32; 2],
    a: MatRef<'_, H>,
    b: MatRef<'_, H>,
    mut c: MatMut<'_, f32>,
    epilogue: E,
    workspace: &mut [f32],
) {
    let (m, n, k) = (c.rows(), c.cols(), a.cols());
    let (lanes, nv) = (S::F32::LANES, tune::vectors(S::ISA));
    let scratch = Scratch::new::<S>([m, n, k], [1, 1]);
    let vectors = n.div_ceil(lanes);
    let ((panels_b, panels_a), Scratch { depth, most, .. }) = (scratch.split(workspace), scratch);
    let mut jc = 0;
    while jc < vectors {
        let block = loops::blocks(vectors - jc, most, nv);
        let cols = (block * lanes).min(n - jc * lanes);
        let mut pc = 0;
        while pc < k {
            let kb = depth.min(k - pc);
            let (mut jr, mut rest) = (0, &mut *panels_b);
            while jr < block {
                let width = loops::share(block - jr, nv) * lanes;
                let Some((panel, after)) = rest.split_at_mut_checked(width * kb) else { break };
                rows_to_f32(s, b.block([pc, (jc + jr) * lanes], [kb, width]), width, panel);
                (rest, jr) = (after, jr + width / lanes);
            }
            let beta = if pc == 0 { beta } else { 1.0 };
            let mut ic = 0;
            while ic < m {
                let rows = tune::MOST_BAND.min(m - ic);
                rows_to_f32(s, a.block([ic, pc], [rows, kb]), kb, panels_a);
                // Of B only the shape is looked at, as it is packed.
                let (a, like) = (MatRef::packed(panels_a, rows, kb), MatRef::packed(panels_b, kb, cols));
                let c = c.reborrow().block([ic, jc * lanes], [rows, cols]);
                let plan = Plan { pack_a: false, pack_b: false, ..Plan::new::<S, f32>(a, like) };
                loops::run(
                    s,
                    epilogue.part([ic, jc * lanes]),
                    Problem { alpha, beta, a, b: like, c },
                    plan,
                    pc + kb == k,
                    &mut [],
                    Rhs::Packed(panels_b),
                );
                ic += rows;
            }
            pc += kb;
        }
        jc += block;
    }
}

/// Rows of `width` elements, zeros beyond the columns of `x`.
pub(crate) fn rows_to_f32<S: Simd, H: Half>(s: S, x: MatRef<'_, H>, width: usize, to: &mut [f32]) {
    s.vectorize(
        #[inline(always)]
        || {
            let rows = to.chunks_exact_mut(width.max(1)).take(x.rows());
            if x.col_stride() == 1 || x.cols() <= 1 {
                for (i, to) in rows.enumerate() {
                    let row = x.row_slice(i).unwrap_or_default();
                    for (to, x) in to.iter_mut().zip(row) {
                        *to = x.to_f32();
                    }
                    to.get_mut(row.len()..).unwrap_or_default().fill(0.0);
                }
                return;
            }
            if x.cols() < width {
                rows.for_each(|to| to.fill(0.0));
            }
            for j in 0..x.cols() {
                let down = to.iter_mut().skip(j).step_by(width.max(1));
                if let Some(col) = x.t().row_slice(j) {
                    down.zip(col).for_each(|(to, x)| *to = x.to_f32());
                } else {
                    down.take(x.rows())
                        .enumerate()
                        .for_each(|(i, to)| *to = x.get(i, j).map_or(0.0, H::to_f32));
                }
            }
        },
    );
}
