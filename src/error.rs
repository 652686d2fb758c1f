//! The one error type.

use core::fmt;

/// Why a call was refused. Nothing was written when a function returns an error, but for [`Error::Pivot`] of a
/// factorisation, which says what is left, and [`Error::Convergence`].
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
    /// A matrix has another shape than the other arguments require.
    Shape {
        /// The matrix.
        arg: &'static str,
        /// Rows and columns that the other arguments require.
        expected: [usize; 2],
        /// Rows and columns of the matrix.
        got: [usize; 2],
    },
    /// A view reaches outside what it is made from.
    OutOfBounds {
        /// What is too short.
        arg: &'static str,
        /// How many elements, rows or columns it has.
        got: usize,
    },
    /// An index chooses what is not there.
    Index {
        /// The argument that holds the index.
        arg: &'static str,
        /// The index.
        index: usize,
        /// What it must be below.
        below: usize,
    },
    /// Two elements that are to be written have one address.
    Overlap {
        /// The data that would be written twice.
        arg: &'static str,
    },
    /// A factorisation, or what solves with one, meets a pivot that it cannot divide by.
    Pivot {
        /// The matrix.
        arg: &'static str,
        /// The row and column of the pivot.
        index: usize,
    },
    /// An iteration did not get near enough within its bound: one that ends but for rounding errors that nobody has seen (eigenvalues, singular
    /// values), or one that depends on the condition of the matrix (solvers of systems).
    Convergence {
        /// The matrix.
        arg: &'static str,
        /// What the method left in the end, where that is what it stops by.
        residual: Option<Reached>,
    },
    /// An expression, or coded data, is wrong, or does not fit what it is about.
    Expression {
        /// The expression or the data, or what does not fit it.
        arg: &'static str,
        /// The byte of the expression or the data.
        at: usize,
        /// What is there.
        why: &'static str,
    },
    /// A size, or an offset that follows from it, does not fit the machine's integers.
    Overflow {
        /// What is too large.
        arg: &'static str,
    },
}

/// What an iterative method left, computed anew from the matrix and the result, in the unit of its tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached(u64);

impl Reached {
    pub(crate) const fn new(share: f64) -> Self {
        Self(share.to_bits())
    }
    /// The number: `‖b - Ax‖/‖b‖` of a system.
    #[inline]
    pub const fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1e}", self.value())
    }
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
            Self::Shape { arg, expected: [m, n], got: [r, c] } => {
                write!(f, "`{arg}` is {r} x {c}, expected {m} x {n}")
            }
            Self::OutOfBounds { arg, got } => write!(f, "the view reaches outside `{arg}` ({got})"),
            Self::Index { arg, index, below } => {
                write!(f, "`{arg}` contains {index}, which is not below {below}")
            }
            Self::Overlap { arg } => write!(f, "elements of the view of `{arg}` overlap"),
            Self::Pivot { arg, index } => write!(f, "pivot {index} of `{arg}` cannot be divided by"),
            Self::Convergence { arg, residual: None } => {
                write!(f, "the iteration on `{arg}` did not converge")
            }
            Self::Convergence { arg, residual: Some(left) } => {
                write!(f, "the iteration on `{arg}` did not converge: the residual is {left}")
            }
            Self::Expression { arg, at, why } => write!(f, "`{arg}` at byte {at}: {why}"),
            Self::Overflow { arg } => write!(f, "the size of `{arg}` overflows"),
        }
    }
}

impl core::error::Error for Error {}

impl Error {
    /// An iteration on `a` that came no nearer than to this residual.
    pub(crate) const fn unsolved(residual: f64) -> Self {
        Self::Convergence { arg: "a", residual: Some(Reached::new(residual)) }
    }
}

/// `Ok` when `got == expected`.
#[inline]
pub(crate) fn same_len(arg: &'static str, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Len { arg, expected, got }) }
}

/// `Ok` when a matrix has the shape that the others require.
#[inline(always)]
pub(crate) fn same_shape(arg: &'static str, expected: [usize; 2], got: [usize; 2]) -> Result<(), Error> {
    if expected == got { Ok(()) } else { Err(Error::Shape { arg, expected, got }) }
}

/// `Ok` when a workspace of `got` elements is long enough.
#[inline(always)]
pub(crate) fn enough(needed: usize, got: usize) -> Result<(), Error> {
    if got < needed { Err(Error::Workspace { needed, got }) } else { Ok(()) }
}

/// `Ok` when there is at least one element.
#[inline]
pub(crate) fn not_empty(arg: &'static str, len: usize) -> Result<(), Error> {
    if len == 0 { Err(Error::Empty { arg }) } else { Ok(()) }
}
