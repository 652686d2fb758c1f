//! Reads model files in the GGUF format, versions 2 and 3, in place from bytes, and writes them to a sink of the
//! caller's.
//!
//! [`Gguf::read`] validates the whole file once; later accesses borrow from the bytes and cannot fail. Nothing is
//! allocated, and no count in the file is trusted before the bytes that it counts were read.
//!
//! Limits: [`MAX_NAMES`] keys and as many tensors, [`MAX_DIMS`] dimensions, [`MAX_NAME`] bytes of a name; texts and
//! arrays may be as long as the file. The time is linear in the bytes and `n·ln n` in the number of names `n`, whose
//! offsets are sorted on the stack: in 4 KB, or 128 KB for more than 512 keys or tensors on 64-bit machines.
//!
//! ```
//! use fulmen::gguf::{Error, Gguf, Info, Value, write};
//! let x = [1.0f32, 2.0].map(f32::to_le_bytes).concat();
//! let mut file = Vec::new();
//! write(
//!     &[("general.architecture", Value::Text("none"))],
//!     &[Info::new("x", &[2], 0).unwrap()],
//!     |bytes| {
//!         file.extend_from_slice(bytes);
//!         Ok::<(), Error>(())
//!     },
//!     |_, put| put(&x),
//! )
//! .unwrap();
//! let file = Gguf::read(&file).unwrap();
//! assert_eq!(file.value("general.architecture"), Some(Value::Text("none")));
//! assert_eq!(file.tensor("x").map(|t| t.bytes), Some(&x[..]));
//! ```
//!
//! A matrix is row-major. A file states its dimensions with the one that varies fastest first; [`Info::shape`] gives them in
//! the usual order, rows before columns. [`quant::blocks`](crate::quant::blocks()) views a tensor's bytes as weights.
//!
//! Source: the GGUF specification of the `ggml` project.

mod format;
mod names;
mod read;
mod validate;
mod value;
mod write;

pub use format::{Format, format};
pub use read::{Gguf, Info, Tensor};
pub use validate::{Need, validate_model_load, validate_weight_buffer};
pub use value::{Array, Value};
pub use write::write;

use core::fmt;

/// Dimensions that a tensor may have.
pub const MAX_DIMS: usize = 4;
/// Keys, and tensors, that a file may have: the places of their names are sorted on the stack.
pub const MAX_NAMES: usize = 1 << 14;
/// Bytes of the name of a key or of a tensor: the most that the specification allows a key.
pub const MAX_NAME: usize = (1 << 16) - 1;
/// What the places of tensors are multiples of when a file does not say it.
pub const ALIGNMENT: usize = 32;

/// Why bytes are no file, or a file not the one that was asked for.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error<'a> {
    /// The bytes don't start with `GGUF`.
    Magic,
    /// A version that is not read here.
    Version(u32),
    /// The bytes end inside what stands here.
    Truncated(&'static str),
    /// More of them than the bytes hold, or than [`MAX_NAMES`] or [`MAX_NAME`].
    Count(&'static str),
    /// What is said here, the name of a key or of a tensor, is not UTF-8.
    Name(&'static str),
    /// A text of the key of this name is not UTF-8.
    Text(&'a str),
    /// A value of an unknown type, or an array of arrays.
    Type(&'a str, u32),
    /// The name occurs twice.
    Duplicate(&'a str),
    /// An alignment that is no power of two from 8 up.
    Alignment(u64),
    /// A tensor of a format that is not known here.
    Format(&'a str, u32),
    /// A tensor whose dimensions are too many, overflow, or are not whole blocks.
    Shape(&'a str),
    /// A tensor starts off the alignment, or ends outside the file.
    Offset(&'a str),
    /// A tensor starts before the end of another.
    Overlap(&'a str),
    /// A buffer has another number of bytes than its shape and format have.
    Bytes {
        /// The tensor.
        name: &'a str,
        /// The bytes of its shape.
        expected: usize,
        /// The bytes that are there.
        got: usize,
    },
    /// A tensor or key that the model needs is absent.
    Missing(&'a str),
    /// A tensor or key has another shape or type than is needed.
    Unfit(&'a str),
}

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Magic => write!(f, "it does not start with GGUF"),
            Self::Version(v) => write!(f, "version {v} of GGUF; 2 and 3 are read"),
            Self::Truncated(what) => write!(f, "the file ends inside {what}"),
            Self::Count(what) => write!(f, "more {what} than the file holds, or than are read"),
            Self::Name(what) => write!(f, "{what} is not UTF-8"),
            Self::Text(key) => write!(f, "a text of the key {key:?} is not UTF-8"),
            Self::Type(name, of) => write!(f, "{name:?} has the unknown type {of}"),
            Self::Duplicate(name) => write!(f, "{name:?} occurs twice"),
            Self::Alignment(n) => write!(f, "{n} is no alignment"),
            Self::Format(name, of) => write!(f, "{name:?} has the unknown format {of}"),
            Self::Shape(name) => write!(f, "{name:?} has impossible dimensions"),
            Self::Offset(name) => write!(f, "{name:?} lies outside the file or off the alignment"),
            Self::Overlap(name) => write!(f, "{name:?} overlaps another tensor"),
            Self::Bytes { name, expected, got } => write!(f, "{name:?} has {got} bytes, expected {expected}"),
            Self::Missing(name) => write!(f, "{name:?} is missing"),
            Self::Unfit(name) => write!(f, "{name:?} has another shape or type than is needed"),
        }
    }
}

impl core::error::Error for Error<'_> {}

#[cfg(feature = "std")]
impl From<Error<'_>> for std::io::Error {
    fn from(e: Error<'_>) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, std::format!("{e}"))
    }
}
