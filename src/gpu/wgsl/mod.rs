//! Emits kernels as WGSL, the shading language of WebGPU: the recorded body of an op as a function, and the entry
//! points around it.
//!
//! ```
//! use fulmen::gpu::wgsl;
//! use fulmen::{Add, Relu, Then};
//! let text = wgsl::pointwise("relu_add", |[]| Then(Add, Relu), 256)?;
//! assert!(text.contains("@compute @workgroup_size(256)\nfn main("));
//! # Ok::<(), fulmen::gpu::wgsl::Error>(())
//! ```
//!
//! Accuracy is that of the device: WGSL allows it to round `fma` twice, to divide within 2.5 ulp, to flush subnormals
//! and to assume that there is no NaN.

mod emit;
mod kernel;
mod matrices;
mod template;

pub use crate::gpu::template::Broadcast as Operand;
pub use kernel::{Whole, kernel};
pub use matrices::{Matrices, NEIGHBOURS, matrices};
pub use template::{Planned, gemm, op, planned, pointwise, reduction, row};

use crate::hardware::PlanError;
use core::fmt;

/// Why there is no text.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Error {
    /// The recorder refused the body.
    Body(crate::gpu::Error),
    /// The body uses an operation that WGSL lacks.
    Lacks {
        /// The operation.
        operation: &'static str,
    },
    /// A name that is no identifier of WGSL.
    Name,
    /// The threads of a block are no power of two up to 256, which every device has.
    Threads,
    /// The plan is for another form, language or type.
    Plan,
    /// The tile of the plan.
    Tile(PlanError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(e) => write!(f, "the body is refused: {e}"),
            Self::Lacks { operation } => write!(f, "WGSL has no {operation}"),
            Self::Name => f.write_str("the name is no identifier"),
            Self::Threads => f.write_str("the threads of a block are no power of two up to 256"),
            Self::Plan => f.write_str("the plan is not one of a product of f32 in WGSL"),
            Self::Tile(e) => write!(f, "the tile of the plan: {e}"),
        }
    }
}

impl core::error::Error for Error {}

impl From<crate::gpu::Error> for Error {
    fn from(e: crate::gpu::Error) -> Self {
        Self::Body(e)
    }
}

impl From<PlanError> for Error {
    fn from(e: PlanError) -> Self {
        Self::Tile(e)
    }
}
