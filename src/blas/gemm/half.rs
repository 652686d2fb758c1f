//! The matrix product of 16- and 8-bit floats with accumulation in `f32`: packing converts the operands to `f32`, and
//! the micro-kernel is that of `f32`.

use super::epilogue::Epilogue;
use super::loops::{self, Plan, Rhs};
use super::scratch::Scratch;
use super::threads::{divide, parts, tile};
use super::{Problem, gemm_with_on, tune};
use crate::convert::{from_bf16, from_f16};
use crate::error::{Error, enough, same_shape};
use crate::float8::E4m3;
use crate::forms::named;
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
    ($name:ident $by:ident $with:ident $with_on:ident $H:ident) => {
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()), its parts run by `j`.")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        pub(crate) fn $by<J: Executor, S: Simd>(
            j: J,
            s: S,
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            gemm_half_by(j, s, alpha, a, b, beta, c, (), workspace)
        }

        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()), then an [`Epilogue`] on each element of the result while it is still in a register.")]
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
            $with_on(native(), alpha, a, b, beta, c, epilogue, workspace)
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
            named!([Result] $with at serial s, (a: mat, b: mat, c: mat_inout), gemm_half_by(Serial, s, alpha, a, b, beta, c, epilogue, workspace))
        }
    };
}

half! { gemm_bf16 gemm_bf16_by gemm_bf16_with gemm_bf16_with_on bf16 }
half! { gemm_f16 gemm_f16_by gemm_f16_with gemm_f16_with_on f16 }

half! { gemm_e4m3 gemm_e4m3_by gemm_e4m3_with gemm_e4m3_with_on E4m3 }

/// Elements of workspace that [`gemm_e4m3`](crate::gemm_e4m3()) needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction
/// set.
pub const fn gemm_e4m3_workspace(m: usize, n: usize, k: usize) -> usize {
    gemm_f16_workspace(m, n, k)
}

/// Elements of workspace that [`gemm_f16`](crate::gemm_f16()) needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction
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

/// Elements of workspace that [`gemm_bf16`](crate::gemm_bf16()) and its form for AMX need at most for an `m` by `k` A and a `k` by `n` B,
/// on any instruction set.
pub const fn gemm_bf16_workspace(m: usize, n: usize, k: usize) -> usize {
    let (lanes, tiles) = (gemm_f16_workspace(m, n, k), tune::Tiling::BF16.workspace(m, n, k));
    // Only there are there tiles.
    if cfg!(all(target_arch = "x86_64", feature = "avx512")) && tiles > lanes { tiles } else { lanes }
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
