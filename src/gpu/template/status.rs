//! Status words, by which a kernel reports an invalid argument that only it reads: an index out of range, a pivot of
//! zero. Each argument has a word of its own, so that two kernels that report at once do not mix their words.

use super::super::builder::Value;
use super::super::ir::{Cmp, Space};
use super::super::types::{U32, U64};

/// An argument of indices, a matrix of pivots, or blocks of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// `ids` of `embedding`.
    Embedding,
    /// `ids` of `scatter`.
    Scatter,
    /// `ids` of `scatter_add`.
    ScatterAdd,
    /// `targets` of `cross_entropy`.
    CrossEntropy,
    /// `targets` of `cross_entropy_backward`.
    Gradient,
    /// `targets` of `cross_entropy_with_gradient`.
    EntropyWithGradient,
    /// `ids` of `quant_rows`.
    QuantRows,
    /// `targets` of `nll`.
    Nll,
    /// `targets` of `nll_backward`.
    NllGradient,
    /// `ids` of `gather`.
    Gather,
    /// `ids` of `gather_elements`.
    GatherElements,
    /// `ids` of `scatter_add_elements`.
    ScatterAddElements,
    /// `pages` of `attention_decode`.
    Pages,
    /// A block of `lz4_decompress`.
    Lz4,
    /// `pivots` of `lu_solve`.
    LuPivots,
    /// A pivot of `cholesky`.
    Cholesky,
    /// A pivot of `cholesky_solve`.
    CholeskySolve,
    /// A pivot of `lu`.
    Lu,
    /// A pivot of `lu_solve`.
    LuSolve,
    /// A column of `qr`.
    Qr,
    /// A column of `least_squares`.
    LeastSquares,
    /// A row of `eigh`.
    Eigh,
    /// A column of `svd`.
    Svd,
    /// `pivots` of `determinant`.
    DeterminantPivots,
    /// `pivots` of `ldlt_solve`.
    LdltPivots,
    /// A pivot of `ldlt_solve`.
    LdltSolve,
}

impl Index {
    /// In the order of their words.
    pub const ALL: [Self; 26] = [
        Self::Embedding,
        Self::Scatter,
        Self::ScatterAdd,
        Self::CrossEntropy,
        Self::Gradient,
        Self::EntropyWithGradient,
        Self::QuantRows,
        Self::Nll,
        Self::NllGradient,
        Self::Gather,
        Self::GatherElements,
        Self::ScatterAddElements,
        Self::Pages,
        Self::Lz4,
        Self::LuPivots,
        Self::Cholesky,
        Self::CholeskySolve,
        Self::Lu,
        Self::LuSolve,
        Self::Qr,
        Self::LeastSquares,
        Self::Eigh,
        Self::Svd,
        Self::DeterminantPivots,
        Self::LdltPivots,
        Self::LdltSolve,
    ];

    /// The op and the argument.
    #[must_use]
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Embedding => ("embedding", "ids"),
            Self::Scatter => ("scatter", "ids"),
            Self::ScatterAdd => ("scatter_add", "ids"),
            Self::CrossEntropy => ("cross_entropy", "targets"),
            Self::Gradient => ("cross_entropy_backward", "targets"),
            Self::EntropyWithGradient => ("cross_entropy_with_gradient", "targets"),
            Self::QuantRows => ("quant_rows", "ids"),
            Self::Nll => ("nll", "targets"),
            Self::NllGradient => ("nll_backward", "targets"),
            Self::Gather => ("gather", "ids"),
            Self::GatherElements => ("gather_elements", "ids"),
            Self::ScatterAddElements => ("scatter_add_elements", "ids"),
            Self::Pages => ("attention_decode", "pages"),
            Self::Lz4 => ("lz4_decompress", "data"),
            Self::LuPivots => ("lu_solve", "pivots"),
            Self::Cholesky => ("cholesky", "a"),
            Self::CholeskySolve => ("cholesky_solve", "l"),
            Self::Lu => ("lu", "a"),
            Self::LuSolve => ("lu_solve", "factors"),
            Self::Qr => ("qr", "a"),
            Self::LeastSquares => ("least_squares", "a"),
            Self::Eigh => ("eigh", "a"),
            Self::Svd => ("svd", "a"),
            Self::DeterminantPivots => ("determinant", "pivots"),
            Self::LdltPivots => ("ldlt_solve", "pivots"),
            Self::LdltSolve => ("ldlt_solve", "factors"),
        }
    }

    /// Whether it is a matrix, whose pivot it says.
    #[must_use]
    pub const fn pivot(self) -> bool {
        matches!(
            self,
            Self::Cholesky
                | Self::CholeskySolve
                | Self::Lu
                | Self::LuSolve
                | Self::Qr
                | Self::LeastSquares
                | Self::Eigh
                | Self::Svd
                | Self::LdltSolve
        )
    }
}

/// Says that this index is past its table: one more than it, any of several.
pub(super) fn note<'b>(status: Value<'b, U64>, what: Index, index: Value<'b, U32>) {
    let b = index.builder();
    let said = index.least(b.int(i64::from(u32::MAX - 1))) + b.int(1);
    b.store(Space::Global, status, 4 * what as i32, said);
}

/// Says this pivot, if none was said before; one thread of one block calls it.
pub(super) fn note_first<'b>(status: Value<'b, U64>, what: Index, index: Value<'b, U32>) {
    let b = index.builder();
    let said = b.load::<U32>(Space::Global, status, 4 * what as i32);
    b.when(said.compare(Cmp::Eq, b.int(0)), || note(status, what, index));
}
