#![doc = include_str!("../README.md")]
#![no_std]
#![deny(missing_docs)]
// Unit tests may do these things.
#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing,
        clippy::std_instead_of_core,
        clippy::alloc_instead_of_core,
        clippy::disallowed_methods
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "std", target_os = "none"))]
compile_error!("the feature `std`, which `parallel`, `capi` and `cli` imply, needs an operating system: leave them out for this target");

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate self as fulmen;
#[cfg(any(feature = "std", test))]
extern crate std;

mod alu;
pub mod backend;
pub mod blas;
#[cfg(feature = "alloc")]
mod buffer;
#[cfg(feature = "capi")]
mod capi;
pub mod contract;
#[cfg(feature = "half")]
mod convert;
#[cfg(feature = "cuda")]
pub mod cuda;
mod error;
#[cfg(feature = "wgsl")]
pub mod gpu;
pub mod hardware;
pub mod lanes;
pub mod nn;
pub mod ops;
#[cfg(feature = "parallel")]
pub mod parallel;
pub mod pointwise;
pub mod reduce;
// For the tests.
#[doc(hidden)]
pub mod thresholds;
mod view;

pub use alu::{Alu, Bits, Body, Mask, Real, Then, WithFirst};
pub use blas::*;
#[cfg(feature = "alloc")]
pub use buffer::Buffer;
#[cfg(feature = "half")]
pub use convert::*;
pub use error::Error;
pub use lanes::{Element, NATIVE};
pub use nn::*;
pub use pointwise::*;
pub use reduce::*;
pub use view::{BatchMut, BatchRef, MatMut, MatRef, VecMut, VecRef};
