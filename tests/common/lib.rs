//! What the tests share: the lanes to run on, how each op is called and with what, references, the contracts.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

// First, as the assertions below are counted by it.
#[macro_use]
pub mod compared;
pub use dense::errors::Errors;

#[cfg(any(feature = "std", feature = "gpu"))]
pub mod anywhere;
// This and `views` call every op on the build's own lanes: compiled here, for the programs to share. Left out where
// none has them all.
#[cfg(all(feature = "std", not(fulmen_compact), target_pointer_width = "64"))]
pub mod arbitrary;
pub mod blas;
pub mod call;
#[cfg(not(target_arch = "wasm32"))]
pub mod cases;
#[cfg(feature = "gpu")]
pub mod device;
pub mod lanes;
#[cfg(feature = "gpu")]
pub mod layers;
pub mod lz4;
pub mod matrix;
// Its macros are exported.
#[cfg(all(feature = "gpu", feature = "half"))]
pub mod endings;
pub mod nn;
#[cfg(feature = "gpu")]
pub mod plans;
#[path = "../reference/mod.rs"]
pub mod reference;
#[cfg(not(target_arch = "wasm32"))]
pub mod scaling;
#[cfg(not(target_arch = "wasm32"))]
pub mod seed;
pub mod shares;
#[cfg(all(feature = "gpu", feature = "half"))]
pub mod stored;
#[cfg(all(feature = "std", not(fulmen_compact), target_pointer_width = "64"))]
pub mod views;
#[cfg(not(target_arch = "wasm32"))]
pub mod yaml;

/// The repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
