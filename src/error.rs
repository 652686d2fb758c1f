//! The error type of every op: it names the op and the argument.

pub(crate) use crate::ops::OpName;
use core::fmt;

/// Why a call was refused, and which op refused it. Nothing was written when a function returns an error, but for [`Error::Pivot`] of a
/// factorisation, which says what is left, and [`Error::Convergence`].
///
/// `arg` is always the name of the parameter in the function's signature. `op` is the op that was called: each of its forms (`_on`,
/// `_in_place`, on threads, on a device) gives the same name, and [`Error::op`] is its text. An error of a constructor, a view or a
/// plan has none.
///
/// Two errors are equal when they refuse the same argument for the same reason: `op` and the words of `limit` are not compared, so what a function
/// of your own returns ([`Error::len`], [`Error::domain`], …) can be compared with what an op does.
///
/// ```
/// use fulmen::Error;
/// let mut out = [0.0f32; 3];
/// let e = fulmen::softmax(&[1.0, 2.0, 3.0, 4.0], 2, &mut out).unwrap_err();
/// assert_eq!(e.op(), Some("softmax"));
/// assert!(matches!(e, Error::Len { arg: "out", expected: 4, got: 3, .. }));
/// assert_eq!(e.to_string(), "softmax: `out` has 3 elements, 4 expected");
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Eq)]
pub enum Error {
    /// A slice has another length than the other arguments require.
    Len {
        /// The op.
        op: OpName,
        /// The argument with the wrong length.
        arg: &'static str,
        /// The length that the other arguments require, in elements.
        expected: usize,
        /// The length that was passed, in elements.
        got: usize,
    },
    /// The op has no value for zero elements.
    Empty {
        /// The op.
        op: OpName,
        /// The empty argument.
        arg: &'static str,
    },
    /// The length is not a multiple of the row length.
    Rows {
        /// The op.
        op: OpName,
        /// The argument that does not hold whole rows.
        arg: &'static str,
        /// The row length, in elements.
        cols: usize,
        /// The length that was passed, in elements.
        got: usize,
    },
    /// A parameter lies outside the domain that the contract states.
    Domain {
        /// The op.
        op: OpName,
        /// The parameter.
        arg: &'static str,
        /// What it must be: "at least 1".
        limit: &'static str,
    },
    /// An order is asked of data that contains NaN.
    Nan {
        /// The op.
        op: OpName,
        /// The argument that contains NaN.
        arg: &'static str,
    },
    /// The scratch slice is too short; its size comes from the op's `_workspace` function.
    Workspace {
        /// The op.
        op: OpName,
        /// Elements needed.
        needed: usize,
        /// Elements passed.
        got: usize,
    },
    /// A matrix has other rows or columns than the other arguments require.
    Shape {
        /// The op.
        op: OpName,
        /// The matrix.
        arg: &'static str,
        /// What there are too many or too few of: rows, where both are wrong.
        side: Dimension,
        /// As many as the other arguments require.
        expected: usize,
        /// As many as the matrix has.
        got: usize,
    },
    /// A view reaches outside what it is made from.
    OutOfBounds {
        /// The op.
        op: OpName,
        /// What is too short.
        arg: &'static str,
        /// How many elements, rows or columns it has.
        got: usize,
    },
    /// An index chooses what is not there.
    Index {
        /// The op.
        op: OpName,
        /// The argument that holds the index.
        arg: &'static str,
        /// The index.
        index: usize,
        /// What it must be below.
        below: usize,
    },
    /// Two elements that are to be written have one address.
    Overlap {
        /// The op.
        op: OpName,
        /// The data that would be written twice.
        arg: &'static str,
    },
    /// A factorisation, or what solves with one, meets a pivot that it cannot divide by.
    Pivot {
        /// The op.
        op: OpName,
        /// The matrix.
        arg: &'static str,
        /// The row and column of the pivot.
        index: usize,
    },
    /// An iteration did not get near enough within its bound: one that ends but for rounding errors that nobody has seen (eigenvalues, singular
    /// values), or one that depends on the condition of the matrix (solvers of systems).
    Convergence {
        /// The op.
        op: OpName,
        /// The matrix.
        arg: &'static str,
        /// What the method left in the end, where that is what it stops by.
        residual: Option<Reached>,
    },
    /// An expression, or coded data, is wrong, or does not fit what it is about.
    Expression {
        /// The op.
        op: OpName,
        /// The expression or the data, or what does not fit it.
        arg: &'static str,
        /// The byte of the expression or the data.
        at: usize,
        /// What is there.
        why: &'static &'static str,
    },
    /// A size, or an offset that follows from it, does not fit the machine's integers.
    Overflow {
        /// The op.
        op: OpName,
        /// What is too large.
        arg: &'static str,
    },
}

/// A side of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Its rows.
    Rows,
    /// Its columns.
    Columns,
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "rows",
            Self::Columns => "columns",
        })
    }
}

/// What an iterative method left, computed anew from the matrix and the result, in the unit of its tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
// Halves, so that an error is no larger for it where words have 32 bits.
pub struct Reached([u32; 2]);

impl Reached {
    pub(crate) const fn new(share: f64) -> Self {
        let bits = share.to_bits();
        Self([bits as u32, (bits >> 32) as u32])
    }
    /// The number: `‖b - Ax‖/‖b‖` of a system.
    #[inline]
    pub const fn value(self) -> f64 {
        f64::from_bits(self.0[0] as u64 | (self.0[1] as u64) << 32)
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1e}", self.value())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(op) = self.op() {
            write!(f, "{op}: ")?;
        }
        match *self {
            Self::Len { arg, expected, got, .. } => {
                write!(f, "`{arg}` has {got} elements, {expected} expected")
            }
            Self::Empty { arg, .. } => write!(f, "`{arg}` is empty or 0, at least 1 expected"),
            Self::Rows { arg, cols, got, .. } => {
                write!(f, "`{arg}` has {got} elements, a multiple of {cols} expected")
            }
            Self::Domain { arg, limit, .. } => write!(f, "`{arg}` must be {limit}"),
            Self::Nan { arg, .. } => write!(f, "`{arg}` contains NaN, which must be replaced or left out"),
            Self::Workspace { needed, got, .. } => {
                write!(
                    f,
                    "the workspace has {got} elements, {needed} needed: the op's `_workspace` function gives the number"
                )
            }
            Self::Shape { arg, side, expected, got, .. } => {
                write!(f, "`{arg}` has {got} {side}, {expected} expected")
            }
            Self::OutOfBounds { arg, got, .. } => {
                write!(f, "the view reaches outside `{arg}`, which has {got} elements, rows or columns")
            }
            Self::Index { arg, index, below, .. } => {
                write!(f, "`{arg}` contains {index}, all must be below {below}")
            }
            Self::Overlap { arg, .. } => {
                write!(f, "elements of the view of `{arg}` overlap: each must have an address of its own")
            }
            Self::Pivot { arg, index, .. } => {
                write!(
                    f,
                    "pivot {index} of `{arg}` cannot be divided by: the matrix is singular, or not of the kind that the method needs"
                )
            }
            Self::Convergence { arg, residual: None, .. } => {
                write!(f, "the iteration on `{arg}` did not converge within its bound")
            }
            Self::Convergence { arg, residual: Some(left), .. } => {
                write!(
                    f,
                    "the iteration on `{arg}` did not converge, the residual is {left}: allow more steps or a larger tolerance"
                )
            }
            Self::Expression { arg, at, why, .. } => write!(f, "`{arg}` at byte {at}: {why}"),
            Self::Overflow { arg, .. } => {
                write!(f, "the size of `{arg}` does not fit the machine's integers")
            }
        }
    }
}

impl core::error::Error for Error {}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other) && self.parts() == other.parts()
    }
}

/// The errors, for code of your own that checks its arguments as the ops do; see the variant of the same name.
impl Error {
    /// [`Error::Len`]
    #[inline]
    pub const fn len(arg: &'static str, expected: usize, got: usize) -> Self {
        Self::Len { op: OpName::NONE, arg, expected, got }
    }
    /// [`Error::Empty`]
    #[inline]
    pub const fn empty(arg: &'static str) -> Self {
        Self::Empty { op: OpName::NONE, arg }
    }
    /// [`Error::Rows`]
    #[inline]
    pub const fn rows(arg: &'static str, cols: usize, got: usize) -> Self {
        Self::Rows { op: OpName::NONE, arg, cols, got }
    }
    /// [`Error::Domain`]
    #[inline]
    pub const fn domain(arg: &'static str) -> Self {
        Self::must_be(arg, "in the domain that the documentation states")
    }
    /// [`Error::Domain`]; `limit` completes "`arg` must be …".
    #[inline]
    pub const fn must_be(arg: &'static str, limit: &'static str) -> Self {
        Self::Domain { op: OpName::NONE, arg, limit }
    }
    /// [`Error::Nan`]
    #[inline]
    pub const fn nan(arg: &'static str) -> Self {
        Self::Nan { op: OpName::NONE, arg }
    }
    /// [`Error::Workspace`]
    #[inline]
    pub const fn workspace(needed: usize, got: usize) -> Self {
        Self::Workspace { op: OpName::NONE, needed, got }
    }
    /// [`Error::Shape`] of `[rows, columns]` that differ.
    #[inline]
    pub const fn shape(arg: &'static str, expected: [usize; 2], got: [usize; 2]) -> Self {
        let ([m, n], [rows, columns]) = (expected, got);
        if m == rows {
            Self::Shape { op: OpName::NONE, arg, side: Dimension::Columns, expected: n, got: columns }
        } else {
            Self::Shape { op: OpName::NONE, arg, side: Dimension::Rows, expected: m, got: rows }
        }
    }
    /// [`Error::OutOfBounds`]
    #[inline]
    pub const fn out_of_bounds(arg: &'static str, got: usize) -> Self {
        Self::OutOfBounds { op: OpName::NONE, arg, got }
    }
    /// [`Error::Index`]
    #[inline]
    pub const fn index(arg: &'static str, index: usize, below: usize) -> Self {
        Self::Index { op: OpName::NONE, arg, index, below }
    }
    /// [`Error::Overlap`]
    #[inline]
    pub const fn overlap(arg: &'static str) -> Self {
        Self::Overlap { op: OpName::NONE, arg }
    }
    /// [`Error::Pivot`]
    #[inline]
    pub const fn pivot(arg: &'static str, index: usize) -> Self {
        Self::Pivot { op: OpName::NONE, arg, index }
    }
    /// [`Error::Convergence`]
    #[inline]
    pub const fn convergence(arg: &'static str, residual: Option<Reached>) -> Self {
        Self::Convergence { op: OpName::NONE, arg, residual }
    }
    /// [`Error::Expression`]
    #[inline]
    pub const fn expression(arg: &'static str, at: usize, why: &'static &'static str) -> Self {
        Self::Expression { op: OpName::NONE, arg, at, why }
    }
    /// [`Error::Overflow`]
    #[inline]
    pub const fn overflow(arg: &'static str) -> Self {
        Self::Overflow { op: OpName::NONE, arg }
    }
    /// An iteration on `a` that came no nearer than to this residual.
    pub(crate) const fn unsolved(residual: f64) -> Self {
        Self::convergence("a", Some(Reached::new(residual)))
    }
}

impl Error {
    /// The name of the op that refused the call; `None` of a constructor, a view or a plan.
    #[inline]
    pub fn op(&self) -> Option<&'static str> {
        self.name().text()
    }

    /// The name of the parameter that was refused.
    #[inline]
    pub const fn argument(&self) -> &'static str {
        match *self {
            Self::Len { arg, .. }
            | Self::Empty { arg, .. }
            | Self::Rows { arg, .. }
            | Self::Domain { arg, .. }
            | Self::Nan { arg, .. }
            | Self::Shape { arg, .. }
            | Self::OutOfBounds { arg, .. }
            | Self::Index { arg, .. }
            | Self::Overlap { arg, .. }
            | Self::Pivot { arg, .. }
            | Self::Convergence { arg, .. }
            | Self::Expression { arg, .. }
            | Self::Overflow { arg, .. } => arg,
            Self::Workspace { .. } => "workspace",
        }
    }

    /// The same error, of the op `name`: the outermost call names it.
    #[inline]
    pub(crate) fn of(mut self, name: OpName) -> Self {
        match &mut self {
            Self::Len { op, .. }
            | Self::Empty { op, .. }
            | Self::Rows { op, .. }
            | Self::Domain { op, .. }
            | Self::Nan { op, .. }
            | Self::Workspace { op, .. }
            | Self::Shape { op, .. }
            | Self::OutOfBounds { op, .. }
            | Self::Index { op, .. }
            | Self::Overlap { op, .. }
            | Self::Pivot { op, .. }
            | Self::Convergence { op, .. }
            | Self::Expression { op, .. }
            | Self::Overflow { op, .. } => *op = name,
        }
        self
    }

    const fn name(&self) -> OpName {
        match *self {
            Self::Len { op, .. }
            | Self::Empty { op, .. }
            | Self::Rows { op, .. }
            | Self::Domain { op, .. }
            | Self::Nan { op, .. }
            | Self::Workspace { op, .. }
            | Self::Shape { op, .. }
            | Self::OutOfBounds { op, .. }
            | Self::Index { op, .. }
            | Self::Overlap { op, .. }
            | Self::Pivot { op, .. }
            | Self::Convergence { op, .. }
            | Self::Expression { op, .. }
            | Self::Overflow { op, .. } => op,
        }
    }

    /// What equal errors of one variant have in common: the argument, a text and numbers.
    const fn parts(&self) -> (&'static str, &'static str, [u64; 3]) {
        let (text, numbers) = match *self {
            Self::Len { expected, got, .. } => ("", [expected as u64, got as u64, 0]),
            Self::Rows { cols, got, .. } => ("", [cols as u64, got as u64, 0]),
            Self::Workspace { needed, got, .. } => ("", [needed as u64, got as u64, 0]),
            Self::Shape { side, expected, got, .. } => ("", [side as u64, expected as u64, got as u64]),
            Self::OutOfBounds { got, .. } => ("", [got as u64, 0, 0]),
            Self::Index { index, below, .. } => ("", [index as u64, below as u64, 0]),
            Self::Pivot { index, .. } => ("", [index as u64, 0, 0]),
            Self::Convergence { residual: Some(left), .. } => ("", [1, left.0[0] as u64, left.0[1] as u64]),
            Self::Expression { at, why, .. } => (*why, [at as u64, 0, 0]),
            Self::Empty { .. }
            | Self::Domain { .. }
            | Self::Nan { .. }
            | Self::Overlap { .. }
            | Self::Convergence { residual: None, .. }
            | Self::Overflow { .. } => ("", [0; 3]),
        };
        (self.argument(), text, numbers)
    }
}

/// `Ok` when `got == expected`.
#[inline]
pub(crate) fn same_len(arg: &'static str, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::len(arg, expected, got)) }
}

/// `Ok` when a matrix has the shape that the others require.
#[inline(always)]
pub(crate) fn same_shape(arg: &'static str, expected: [usize; 2], got: [usize; 2]) -> Result<(), Error> {
    if expected == got { Ok(()) } else { Err(Error::shape(arg, expected, got)) }
}

/// `Ok` when a workspace of `got` elements is long enough.
#[inline(always)]
pub(crate) fn enough(needed: usize, got: usize) -> Result<(), Error> {
    if got < needed { Err(Error::workspace(needed, got)) } else { Ok(()) }
}

/// `Ok` when there is at least one element.
#[inline]
pub(crate) fn not_empty(arg: &'static str, len: usize) -> Result<(), Error> {
    if len == 0 { Err(Error::empty(arg)) } else { Ok(()) }
}
