//! Matrix products, transposes and contractions that allocate their result.

use super::{cols_of, filled, product, rows_of};
use crate::einsum::{Einsum, EinsumPlan};
use crate::error::Error;
use crate::lanes::Element;
use crate::view::{MatMut, MatRef};
use alloc::vec::Vec;

/// `AB`, by [`gemm`](crate::gemm()).
///
/// Shapes: A has `k` columns and B has `k` rows; the result has the rows of A and the columns of B.
///
/// NaN and ±0: NaN and infinities spread by IEEE 754, also through `0·∞`.
///
/// Errors: [`Error::Rows`] names `a`, [`Error::Len`] `b`.
///
/// ```
/// let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [10.0, 1.0]);
/// assert_eq!(fulmen::owned::matmul(&a, 2, &b)?, [12.0, 34.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "dot")]
#[doc(alias = "gemm")]
pub fn matmul<T: Element>(a: &[T], k: usize, b: &[T]) -> Result<Vec<T>, Error> {
    let (m, n) = (rows_of("a", a, k)?, cols_of("b", b, k)?);
    let mut c = filled("c", T::ZERO, product("c", m, n)?)?;
    let mut workspace = filled("workspace", T::ZERO, crate::gemm_workspace(m, n, k))?;
    let (a, b) = (MatRef::row_major(a, m, k)?, MatRef::row_major(b, k, n)?);
    crate::gemm(T::ONE, a, b, T::ZERO, MatMut::row_major(&mut c, m, n)?, &mut workspace)?;
    Ok(c)
}

/// `Aᵀ`, by [`transpose`](crate::transpose()). A view's `.t()` transposes without a copy.
///
/// Shapes: A has `cols` columns, and the result as many rows.
///
/// NaN and ±0: bits are moved as they are.
///
/// Errors: [`Error::Rows`] names `a`.
///
/// ```
/// let a = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// assert_eq!(fulmen::owned::transpose(&a, 3)?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn transpose<T: Element>(a: &[T], cols: usize) -> Result<Vec<T>, Error> {
    let rows = rows_of("a", a, cols)?;
    let mut b = filled("b", T::ZERO, a.len())?;
    crate::transpose(MatRef::row_major(a, rows, cols)?, MatMut::row_major(&mut b, cols, rows)?)?;
    Ok(b)
}

/// The contraction that the expression says, by [`einsum`](crate::einsum()) with a plan for these shapes.
///
/// Shapes: operand `i` has the shape `shapes[i]`, in rows; the result has the shape that the expression gives.
///
/// NaN and ±0: as the op.
///
/// Errors: those of [`Einsum::parse`], [`EinsumPlan::new`] and the op.
///
/// ```
/// use fulmen::owned::einsum;
/// let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [10.0f32, 100.0]);
/// assert_eq!(einsum("ij,j->i", &[&a, &b], &[&[2, 2], &[2]])?, [210.0, 430.0]);
/// assert_eq!(einsum("ii", &[&a], &[&[2, 2]])?, [5.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "tensordot")]
pub fn einsum<T: Element>(expression: &str, operands: &[&[T]], shapes: &[&[usize]]) -> Result<Vec<T>, Error> {
    let plan = EinsumPlan::new(&Einsum::parse(expression)?, shapes)?;
    let mut out = filled("out", T::ZERO, plan.len())?;
    crate::einsum(&plan, operands, &mut out, &mut filled("workspace", T::ZERO, plan.workspace())?)?;
    Ok(out)
}
