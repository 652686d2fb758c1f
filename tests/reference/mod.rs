//! Naive references: definitions in a wider arithmetic than the library's.

pub use dense::dd;
pub mod reduce;
pub mod rows;
pub mod story;
pub mod unary;
#[cfg(not(target_arch = "wasm32"))]
pub mod wide;
