//! Ops with calls of their own against naive references in wider arithmetic, at sizes one below, at and one above each of
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
    pub mod call;
    pub mod compared;
    pub mod matrix;
    #[macro_use]
    pub mod nn;
}
#[path = "../reference"]
pub mod reference {
    pub use dense::dd;
    pub mod reduce;
    pub mod rows;
    pub mod story;
    pub mod unary;
}
pub use reference::{dd, story, unary};
pub use shared::{call, compared, matrix, nn};

mod attention;
mod contractions;
mod draws;
mod sizes;
mod tensors;
mod transforms;
