//! The errors of devices and of ops on them: each names the kernel or the op that was refused.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a device did not do it.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The arguments of an op are refused, as on a CPU.
    Call(crate::Error),
    /// There is no such adapter.
    NoAdapter {
        /// What was asked for: a name, an index, or nothing for any.
        wanted: String,
        /// The adapters that are there.
        found: Vec<String>,
    },
    /// A limit of the device is passed.
    Limit {
        /// The device.
        device: String,
        /// What there is too much of.
        what: &'static str,
        /// As much as was asked for.
        asked: u64,
        /// As much as there is.
        available: u64,
    },
    /// The device is gone: everything it held is lost, another one can be made.
    Lost {
        /// The device.
        device: String,
        /// What its driver said.
        reason: String,
    },
    /// The device's compiler refused a kernel.
    Refused {
        /// The device.
        device: String,
        /// The kernel.
        kernel: String,
        /// What the compiler said.
        reason: String,
    },
    /// No template made the kernel, or it stopped in the interpreter.
    Kernel {
        /// The kernel.
        kernel: String,
        /// Why.
        error: super::super::Error,
    },
    /// The arguments of a launch are not those of its kernel.
    Arguments {
        /// The kernel.
        kernel: String,
    },
    /// A part of a buffer that is not there, or starts or ends inside a word of 4 bytes.
    Range {
        /// The device.
        device: String,
        /// First byte.
        start: u64,
        /// Bytes.
        bytes: u64,
        /// Bytes that the buffer has.
        available: u64,
    },
    /// An index that is past its table, as a kernel saw it: one of them. The contract says what the outputs hold.
    Index {
        /// The op.
        op: &'static str,
        /// Its argument.
        arg: &'static str,
        /// The index.
        index: u32,
    },
    /// A block of coded data that is none, as a kernel saw it: one of them. The op says what the outputs hold.
    Block {
        /// The op.
        op: &'static str,
        /// Its argument.
        arg: &'static str,
        /// The block's index.
        index: u32,
    },
    /// A pivot that is none, as a kernel saw it: the first one. The op says what the outputs hold.
    Pivot {
        /// The op.
        op: &'static str,
        /// Its argument.
        arg: &'static str,
        /// The pivot's index.
        index: u32,
    },
    /// A buffer of another device.
    Foreign,
    /// The driver refused a call.
    Driver {
        /// The device.
        device: String,
        /// What the driver said.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(e) => e.fmt(f),
            Self::NoAdapter { wanted, found } => {
                match wanted.as_str() {
                    "" => f.write_str("there is no adapter")?,
                    name => write!(f, "there is no adapter `{name}`")?,
                }
                if !found.is_empty() {
                    write!(f, "; there are {}", found.join(", "))?;
                }
                Ok(())
            }
            Self::Limit { device, what, asked, available } => {
                write!(f, "{device}: {asked} {what} asked for, the limit is {available}")
            }
            Self::Lost { device, reason } => write!(f, "{device} is lost: {reason}"),
            Self::Refused { device, kernel, reason } => {
                write!(f, "{device} refused the kernel `{kernel}`: {reason}")
            }
            Self::Kernel { kernel, error } => write!(f, "the kernel `{kernel}`: {error}"),
            Self::Arguments { kernel } => {
                write!(f, "the arguments of `{kernel}` are not those of the kernel")
            }
            Self::Range { device, start, bytes, available } => {
                write!(f, "{device}: {bytes} bytes from {start} on in a buffer of {available}")
            }
            Self::Index { op, arg, index } => {
                write!(f, "`{op}`: an index of `{arg}` is {index}, past the table")
            }
            Self::Block { op, arg, index } => write!(f, "`{op}`: block {index} of `{arg}` is none"),
            Self::Pivot { op, arg, index } => {
                write!(f, "`{op}`: pivot {index} of `{arg}` is none")
            }
            Self::Foreign => f.write_str("the buffer is of another device"),
            Self::Driver { device, reason } => write!(f, "{device}: {reason}"),
        }
    }
}

impl core::error::Error for Error {}

impl Error {
    /// The same error; a refusal of arguments is one of the op `name`.
    pub(crate) fn of(self, name: crate::error::OpName) -> Self {
        match self {
            Self::Call(e) => Self::Call(e.of(name)),
            other => other,
        }
    }
}

impl From<crate::Error> for Error {
    fn from(e: crate::Error) -> Self {
        Self::Call(e)
    }
}
