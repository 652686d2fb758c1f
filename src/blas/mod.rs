//! Linear algebra.

pub mod gemm;

pub use gemm::*;

/// Which half of a square matrix holds its values, the diagonal included; the other half is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triangle {
    /// Elements `(i, j)` with `i ≥ j`.
    Lower,
    /// Elements `(i, j)` with `i ≤ j`.
    Upper,
}

/// What the diagonal of a triangular matrix is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagonal {
    /// What the matrix holds there.
    NonUnit,
    /// Ones; what the matrix holds there is not read.
    Unit,
}

/// On which side of a product the symmetric or triangular matrix stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `A·B`.
    Left,
    /// `B·A`.
    Right,
}
