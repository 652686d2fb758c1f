//! Linear algebra.

pub mod gemm;

pub use gemm::*;
