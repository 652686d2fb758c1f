//! NVIDIA GPUs: kernels as PTX text, made and checked in Rust alone.

pub mod ptx;
