//! Every test but those that need a process of their own: one program, as compiling the kernels of each lane is what
//! takes long. Without the feature `std` it is what depends on that: the build's selection, the API; with
//! `--cfg fulmen_compact` that and the loops. `cargo test -p fulmen-tests --features std,half -- reduce::` runs the modules of that name.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

// What runs on WASM too.
#[cfg(target_arch = "wasm32")]
#[path = "contracts/backend_story.rs"]
mod backend_story;
mod profiles;
mod selection;

#[cfg(not(target_arch = "wasm32"))]
mod api;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod attention;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod blas;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod blas1;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod contracts;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod convert;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod einsum;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod fft;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod fixed;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod gemm;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod gemm_forms;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod gemm_low;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod gguf;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod interop;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod log_trig;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod moments;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod nn;
mod quant;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod random;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
mod reduce;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod rope;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
mod rows;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod scalar;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod slopes;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod solve;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod sparse;
#[cfg(all(feature = "std", not(fulmen_compact), not(target_arch = "wasm32")))]
mod transpose;

/// A file that is no module would be a test that nobody runs.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_file_is_a_module() {
    let programs = ["main", "cli", "entries", "escapes"];
    common::every_file_is_a_module(env!("CARGO_MANIFEST_DIR"), include_str!("main.rs"), &programs);
}
