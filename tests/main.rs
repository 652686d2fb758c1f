//! Ops on slices, quantised blocks, what the build selected, the library's API. Without the feature `std` it is what
//! depends on that: the build's selection, the API; with `--cfg fulmen_compact` that and the loops. Compiling the kernels
//! of each lane is what takes long, and memory: ops with calls of their own are in the program `families`, but for some
//! that neither then takes too much of.
//! `cargo test -p fulmen-tests --features std,half -- reduce::` runs the modules of that name.
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

// What runs on WASM too.
#[cfg(target_arch = "wasm32")]
#[path = "contracts/backend_story.rs"]
mod backend_story;
#[cfg(target_arch = "wasm32")]
#[path = "contracts/nn_story.rs"]
mod nn_story;
mod profiles;
mod selection;

#[cfg(not(target_arch = "wasm32"))]
mod api;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod attention;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod blas1;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod contracts;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod convert;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod crates;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod drawn;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod einsum;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod fixed;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod gemm;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod gemm_forms;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod gemm_low;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod gguf;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod interop;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod log_trig;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod moments;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod quant;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
mod reduce;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod rope;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
mod rows;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod scalar;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod slopes;
#[cfg(all(feature = "std", not(fulmen_compact), not(fulmen_emulated), not(target_arch = "wasm32")))]
mod transpose;
