//! Kernels for GPUs of any maker: a typed builder over a small SSA form, optimisation passes, templates that make
//! kernels of the bodies that the CPU runs, emitters (`ptx`, `wgsl`), and an interpreter that runs kernels without a
//! GPU.
//!
//! ```
//! use fulmen::gpu::{Builder, Bytes, Interpreter, F32, Space, Special, U32, U64};
//! let b = Builder::new("double");
//! let x = b.param::<U64>();
//! let at = x + b.special(Special::TidX).wide(b.int::<U32>(4));
//! let v = b.load::<F32>(Space::Global, at, 0);
//! b.store(Space::Global, at, 0, v + v);
//! let kernel = b.finish()?;
//!
//! let mut device = Interpreter::new();
//! let x = device.buffer(Bytes::f32(&[1.0, 2.5]));
//! device.launch(&kernel, [1, 1, 1], [2, 1, 1], &[x])?;
//! assert_eq!(device.get(x).map(Bytes::to_f32), Some(vec![2.0, 5.0]));
//! # Ok::<(), fulmen::gpu::Error>(())
//! ```

mod alias;
pub mod backend;
mod builder;
#[cfg(all(feature = "cuda", feature = "std", any(target_os = "linux", target_os = "windows")))]
pub mod cuda;
pub mod device;
mod error;
mod eval;
mod ids;
mod interpret;
mod ir;
mod name;
pub mod pass;
pub mod ptx;
mod record;
pub mod template;
mod types;
mod verify;
#[cfg(feature = "wgpu")]
pub mod wgpu;
#[cfg(feature = "wgsl")]
pub mod wgsl;

pub use builder::{Address, Bitwise, Builder, Value};
pub use error::Error;
pub use interpret::{Bytes, Interpreter, TensorMap};
pub use ir::*;
pub use ptx::{Isa, Target};
pub use record::{Param, Recorded};
pub use types::*;
