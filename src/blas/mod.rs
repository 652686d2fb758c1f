//! BLAS levels 1 to 3, and transposes.

pub(crate) mod complex;
mod elementwise;
pub mod gemm;
pub(crate) mod gemv;
pub(crate) mod gemv_columns;
pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
pub(crate) mod rank_update;
pub(crate) mod rotation;
mod symv;
pub(crate) mod transpose;
pub(crate) mod transpose_in_place;
pub(crate) mod triangular;
pub(crate) mod triangular_kernel;
pub(crate) mod trmv;

pub use complex::*;
// Not the one of the kernels of products.
pub use complex::{interleave, interleave_on};
pub use gemm::*;
pub use gemv::{gemv, gemv_on};
pub use level1::*;
pub use level2::{ger, ger_on, symv, symv_on, syr, syr_on, syr2, syr2_on};
pub use level3::{
    symm, symm_on, symm_workspace, syr2k, syr2k_on, syr2k_workspace, syrk, syrk_on, syrk_workspace,
};
pub(crate) use level3::{syr2k_by, syrk_by};
pub use rotation::*;
pub use transpose::*;
pub use transpose_in_place::*;
pub(crate) use triangular::trsm_by;
pub use triangular::{trmm, trmm_on, trmm_workspace, trsm, trsm_on, trsm_workspace};
pub use trmv::{trmv, trmv_on, trsv, trsv_on};

/// Which half of a square matrix holds its values, the diagonal included; the other half is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Triangle {
    /// Elements `(i, j)` with `i ≥ j`.
    Lower,
    /// Elements `(i, j)` with `i ≤ j`.
    Upper,
}

/// What the diagonal of a triangular matrix is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Diagonal {
    /// What the matrix holds there.
    NonUnit,
    /// Ones; what the matrix holds there is not read.
    Unit,
}

/// On which side of a product the symmetric or triangular matrix stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// `A·B`.
    Left,
    /// `B·A`.
    Right,
}

impl Triangle {
    /// That of the transpose.
    #[inline(always)]
    pub(crate) const fn t(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
    /// Whether it holds element `(i, j)`.
    #[inline(always)]
    const fn holds(self, i: usize, j: usize) -> bool {
        match self {
            Self::Lower => i >= j,
            Self::Upper => i <= j,
        }
    }
    /// Its columns in row `i` of `n`, from the first to the last and one.
    #[inline(always)]
    const fn columns(self, i: usize, n: usize) -> [usize; 2] {
        match self {
            Self::Lower => [0, if i < n { i + 1 } else { n }],
            Self::Upper => [i, n],
        }
    }
}
