//! Kernel templates: a template has the threads, loads and stores of a kernel, and the body of the op is what it
//! computes.

pub(crate) mod activations;
pub(crate) mod attention;
mod bf16x3;
mod block_reduce;
mod blocks;
pub(crate) mod chain;
pub(crate) mod complex;
pub(crate) mod conv2d;
pub(crate) mod decode;
pub(crate) mod diagonal;
pub(crate) mod epilogue;
pub(crate) mod factor;
pub(crate) mod fft;
pub(crate) mod flash;
pub(crate) mod flat;
mod gemm;
pub(crate) mod gemv;
mod group;
pub(crate) mod image;
pub(crate) mod integers;
pub(crate) mod jacobi;
pub(super) mod launch;
pub(crate) mod layer;
mod low_precision;
pub(crate) mod lz4;
pub(crate) mod norm_backward;
pub(crate) mod panel;
pub(crate) mod pattern;
mod plan;
mod pointwise;
pub(crate) mod quant;
pub(crate) mod random;
mod reduce;
pub(crate) mod reflect;
mod row;
mod row_registers;
pub(crate) mod scan;
pub(crate) mod score;
pub(crate) mod select;
pub(crate) mod small;
pub(crate) mod sparse;
pub(crate) mod spectra;
mod split_rows;
mod status;
mod strided;
pub(crate) mod tensor;
pub(crate) mod triangle;
pub(crate) mod vector;
pub(crate) mod window;

pub use bf16x3::{TRIPLE_DEPTH, TRIPLE_ROWS, triple};
pub use block_reduce::{Meet, Pieces, Threads};
pub use chain::Broadcast;
pub use gemm::{GemmTile, Identity, gemm};
pub use group::flash::group_flash;
pub(crate) use group::plan::Slopes;
pub use group::plan::{GroupFlash, GroupSlopes};
pub(crate) use group::slopes::SUMS as SLOPE_SUMS;
pub use group::slopes::{group_slopes, group_sums};
pub use group::{Along, GroupTile, group_gemm, group_gemm_with, triple_gemm};
pub use launch::{Argument, Factor, GroupLaunch, GroupProduct};
pub(crate) use layer::TRANSPOSE_TILE;
pub use low_precision::{
    BYTE_DEPTH, BYTE_TILE, CONVERT_TILE, ROUNDED_EACH, byte_product, byte_sums, byte_zeros, convert_heads,
    convert_rows, round_lines, signed_rows,
};
#[cfg(feature = "half")]
pub(crate) use low_precision::{bf16_at, f16_at};
pub(crate) use low_precision::{convert_heads_name, convert_rows_name};
pub use plan::{Planned, planned};
#[cfg(feature = "wgsl")]
pub(crate) use pointwise::apply;
pub use pointwise::{Takes, op, pointwise, takes};
pub(crate) use pointwise::{formula, op_by};
pub(crate) use quant::numbers_at;
pub use reduce::{Reduction, Stage, reduction, reduction_by};
pub use row::{rms_norm_residual, row, row_by};
pub use split_rows::{LONG, LongRow, long_row};
pub use status::Index;
pub use strided::{Division, combine, strided};

use super::error::Error;
use super::ir::Module;
use super::pass;
use super::ptx::target::Target;
use super::record::Recorded;
use super::types::Type;
use alloc::vec::Vec;

/// The optimised kernels of an op of the list by its name, as far as templates make them: element-wise ops,
/// reductions, rows, and `gemm` in `f32`.
#[must_use]
pub fn named<T: Recorded>(name: &str) -> Option<Result<Module, Error>> {
    let tile = GemmTile { m: 128, n: 128, k: 8, tm: 8, tn: 8, stages: 1 };
    let product = || (name == "gemm" && T::TYPE == Type::F32).then_some(tile);
    let all = op::<T>(name)
        .or_else(|| row::<T>(name))
        .or_else(|| Some(gemm("gemm_f32", product()?, Target::sm(61).shared_memory(), |[]| Identity)))
        .map(|k| k.map(|k| Vec::from([k])))
        .or_else(|| {
            Some(
                reduction::<T>(name)?
                    .map(|r| r.stages.into_iter().flat_map(|s| [s.parts, s.merge]).collect()),
            )
        })?;
    Some(all.map(|mut kernels| {
        kernels.iter_mut().for_each(pass::optimise);
        Module { kernels }
    }))
}

/// Threads of a block in reductions and row operations.
pub const THREADS: u32 = 128;
