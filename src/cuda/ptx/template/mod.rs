//! Kernels made from bodies: the frame is here, what is computed is the op's own body.

mod pointwise;

pub use pointwise::{op, pointwise};
