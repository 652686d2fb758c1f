//! The one error type.

use core::fmt;

/// Why a call was refused. Nothing was written when a function returns an error.
///
/// `arg` is always the name of the parameter in the function's signature.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// A slice has another length than the other arguments require.
    Len {
        /// The argument with the wrong length.
        arg: &'static str,
        /// The length that the other arguments require, in elements.
        expected: usize,
        /// The length that was passed, in elements.
        got: usize,
    },
    /// The op has no value for zero elements.
    Empty {
        /// The empty argument.
        arg: &'static str,
    },
    /// The length is not a multiple of the row length.
    Rows {
        /// The argument that does not hold whole rows.
        arg: &'static str,
        /// The row length, in elements.
        cols: usize,
        /// The length that was passed, in elements.
        got: usize,
    },
    /// A parameter lies outside the domain that the contract states.
    Domain {
        /// The parameter.
        arg: &'static str,
    },
    /// An order is asked of data that contains NaN.
    Nan {
        /// The argument that contains NaN.
        arg: &'static str,
    },
    /// The scratch slice is too short; its size comes from the op's `_workspace` function.
    Workspace {
        /// Elements needed.
        needed: usize,
        /// Elements passed.
        got: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Len { arg, expected, got } => {
                write!(f, "`{arg}` has {got} elements, expected {expected}")
            }
            Self::Empty { arg } => write!(f, "`{arg}` is empty"),
            Self::Rows { arg, cols, got } => {
                write!(f, "`{arg}` has {got} elements, not a multiple of {cols} columns")
            }
            Self::Domain { arg } => write!(f, "`{arg}` is outside the op's domain"),
            Self::Nan { arg } => write!(f, "`{arg}` contains NaN"),
            Self::Workspace { needed, got } => {
                write!(f, "the workspace has {got} elements, {needed} are needed")
            }
        }
    }
}

impl core::error::Error for Error {}

/// `Ok` when `got == expected`.
#[inline]
pub(crate) fn same_len(arg: &'static str, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Len { arg, expected, got }) }
}

/// `Ok` when there is at least one element.
#[inline]
pub(crate) fn not_empty(arg: &'static str, len: usize) -> Result<(), Error> {
    if len == 0 { Err(Error::Empty { arg }) } else { Ok(()) }
}
