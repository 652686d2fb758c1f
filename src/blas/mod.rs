//! Linear algebra.

pub mod gemm;

pub use gemm::{gemm, gemm_on, gemm_with, gemm_with_on, gemm_workspace};
