//! Ops on views, and the C ABI, against naive references in wider arithmetic, at sizes one below, at and one above each of
//! `fulmen::thresholds`, on one thread and on several.
#![allow(
    dead_code,
    unused_macros,
    unused_imports,
    clippy::duplicate_mod,
    reason = "shared with the other tests"
)]

#[macro_use]
#[path = "../common"]
pub mod shared {
    pub mod blas;
    pub mod matrix;
}
pub mod reference {
    pub use dense::dd;
}
pub use reference::dd;
pub use shared::{blas, matrix};

#[cfg(feature = "capi")]
mod abi;
mod complex;
mod gemm;
mod level1;
mod low;
mod sizes;
mod systems;
mod tiles;
mod transpose;
mod triangles;
