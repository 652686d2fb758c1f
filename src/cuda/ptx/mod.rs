//! PTX: a typed builder over a small SSA form, passes, text for the driver, and an interpreter that checks it all
//! without a GPU.
//!
//! ```
//! use fulmen::cuda::ptx::{Builder, Bytes, Device, F32, Module, Space, Special, Target, U32, U64};
//! let b = Builder::new("double");
//! let x = b.param::<U64>();
//! let at = x + b.special(Special::TidX).wide(b.int::<U32>(4));
//! let v = b.load::<F32>(Space::Global, at, 0);
//! b.store(Space::Global, at, 0, v + v);
//! let kernel = b.finish()?;
//!
//! let mut device = Device::new();
//! let x = device.buffer(Bytes::f32(&[1.0, 2.5]));
//! device.launch(&kernel, [1, 1, 1], [2, 1, 1], &[x])?;
//! assert_eq!(device.get(x).map(Bytes::to_f32), Some(vec![2.0, 5.0]));
//!
//! let mut text = String::new();
//! Module { kernels: vec![kernel] }.emit(Target::sm(75), &mut text)?;
//! assert!(text.starts_with(".version 6.3\n.target sm_75"));
//! # Ok::<(), fulmen::cuda::ptx::Error>(())
//! ```

mod builder;
mod emit;
mod error;
mod eval;
mod interpret;
mod ir;
pub mod pass;
mod record;
mod require;
mod target;
pub mod template;
mod types;
mod verify;
mod words;

pub use builder::{Address, Bitwise, Builder, Value};
pub use error::Error;
pub use interpret::{Bytes, Device, TensorMap};
pub use ir::*;
pub use record::{Param, Recorded};
pub use target::{Isa, Target};
pub use types::*;
