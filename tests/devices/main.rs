//! What GPUs run, on this machine: plans, kernels as text, and those on the interpreter.
//! `cargo test -p fulmen-device-tests --features std,half,cuda,wgsl -- wgsl::` runs the modules of that name.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

// Their assertions are counted.
#[macro_use(assert, assert_eq)]
extern crate common;

#[cfg(all(feature = "nccl", feature = "half"))]
mod collective;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod device_families;
#[cfg(feature = "gpu")]
mod device_transforms;
mod fusion;
mod hardware;
#[cfg(feature = "gpu")]
mod parts;
#[cfg(feature = "gpu")]
mod plans;
#[path = "../profiles.rs"]
mod profiles;
#[cfg(feature = "cuda")]
mod ptx;
#[cfg(feature = "wgsl")]
mod wgsl;
