//! Kernels made from bodies: the frame is here, what is computed is the op's own body.

mod gemm;
mod pointwise;
mod reduce;
mod row;

pub use gemm::{Tile, gemm};
pub use pointwise::{OfRow, op, pointwise};
pub use reduce::{Reduction, reduction};
pub use row::row;

/// Threads of a block in reductions and row operations.
pub const THREADS: u32 = 128;
