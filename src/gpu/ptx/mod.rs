//! Emits kernels as PTX, and says what each PTX version and each target supports.
//!
#![cfg_attr(feature = "cuda", doc = "```")]
#![cfg_attr(not(feature = "cuda"), doc = "```ignore")]
//! use fulmen::gpu::{F32, Target, template};
//! let mut text = String::new();
//! template::named::<F32>("exp").ok_or("no such op")??.emit(Target::sm(75), &mut text)?;
//! assert!(text.starts_with(".version 6.3\n.target sm_75"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cuda")]
mod emit;
#[cfg(feature = "cuda")]
mod mnemonics;
#[cfg(feature = "cuda")]
mod require;
pub(super) mod target;

pub use target::{Isa, Target};
