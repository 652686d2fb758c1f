//! Sparse products and conversions that allocate their result.

use super::filled;
use crate::error::Error;
use crate::lanes::Element;
use crate::sparse as ops;
use crate::sparse::Csr;
use alloc::vec::Vec;

/// A matrix of compressed sparse rows that owns its numbers; [`CsrBuffer::view`] is what the ops take.
///
/// ```
/// use fulmen::owned::{coo_to_csr, spmv};
/// let a = coo_to_csr(2, 2, &[0, 1, 1], &[0, 0, 1], &[1.0f32, 2.0, 3.0])?;
/// assert_eq!(spmv(a.view()?, &[1.0, 10.0])?, [1.0, 32.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Parts<T>"))]
pub struct CsrBuffer<T> {
    /// Columns of the matrix.
    pub cols: usize,
    /// Where each row begins in the others, and where the last one ends: one number more than there are rows.
    pub offsets: Vec<usize>,
    /// The column of each element, ascending within a row.
    pub columns: Vec<u32>,
    /// The elements.
    pub values: Vec<T>,
}

/// What is read, before it is found to be a matrix.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "CsrBuffer", deny_unknown_fields)]
struct Parts<T> {
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

#[cfg(feature = "serde")]
impl<T> TryFrom<Parts<T>> for CsrBuffer<T> {
    type Error = Error;
    fn try_from(Parts { cols, offsets, columns, values }: Parts<T>) -> Result<Self, Error> {
        let read = Self { cols, offsets, columns, values };
        read.view()?;
        Ok(read)
    }
}

impl<T> CsrBuffer<T> {
    /// The matrix, checked.
    ///
    /// Errors: those of [`Csr::new`].
    pub fn view(&self) -> Result<Csr<'_, T>, Error> {
        let rows = self.offsets.len().saturating_sub(1);
        Csr::new(rows, self.cols, &self.offsets, &self.columns, &self.values)
    }
}

impl<T: Element> CsrBuffer<T> {
    /// Room for `len` elements in `rows` rows.
    fn room(rows: usize, cols: usize, len: usize) -> Result<Self, Error> {
        let offsets = filled("offsets", 0, rows.checked_add(1).ok_or(Error::overflow("rows"))?)?;
        let (columns, values) = (filled("columns", 0, len)?, filled("values", T::ZERO, len)?);
        Ok(Self { cols, offsets, columns, values })
    }

    /// The first `len` elements.
    fn first(mut self, len: usize) -> Self {
        self.columns.truncate(len);
        self.values.truncate(len);
        self
    }
}

/// The sparse matrix with `x[k]` at row `i[k]` and column `j[k]`, by [`coo_to_csr`](crate::coo_to_csr()): elements of one place are added.
///
/// Shapes: `i`, `j` and `x` have one length.
///
/// NaN and ±0: an element that is alone keeps its bits.
///
/// Errors: [`Error::Len`] names `j` or `x`; [`Error::Index`] `i` or `j`; [`Error::Overflow`] `rows`.
///
/// ```
/// let a = fulmen::owned::coo_to_csr(2, 3, &[1, 0, 1], &[1, 2, 1], &[5.0f32, 1.0, -3.0])?;
/// assert_eq!((a.offsets, a.columns, a.values), (vec![0, 1, 2], vec![2, 1], vec![1.0, 2.0]));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "coo_matrix")]
pub fn coo_to_csr<T: Element>(
    rows: usize,
    cols: usize,
    i: &[u32],
    j: &[u32],
    x: &[T],
) -> Result<CsrBuffer<T>, Error> {
    let mut to = CsrBuffer::room(rows, cols, x.len())?;
    let mut workspace = filled("workspace", 0, ops::coo_to_csr_workspace(rows, cols, x.len()))?;
    let CsrBuffer { offsets, columns, values, .. } = &mut to;
    let len = ops::coo_to_csr(rows, cols, i, j, x, offsets, columns, values, &mut workspace)?;
    Ok(to.first(len))
}

/// `Aᵀ`, by [`csr_transpose`](crate::csr_transpose()).
///
/// NaN and ±0: bits are moved as they are. Errors: [`Error::Overflow`] names `a`.
///
/// ```
/// let a = fulmen::Csr::new(1, 3, &[0, 2], &[0, 2], &[4.0f32, 1.0])?;
/// assert_eq!(fulmen::owned::csr_transpose(a)?.offsets, [0, 1, 1, 2]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn csr_transpose<T: Element>(a: Csr<'_, T>) -> Result<CsrBuffer<T>, Error> {
    let mut to = CsrBuffer::room(a.cols(), a.rows(), a.len())?;
    ops::csr_transpose(a, &mut to.offsets, &mut to.columns, &mut to.values)?;
    Ok(to)
}

/// `Ax`, by [`spmv`](crate::spmv()).
///
/// Shapes: `x` has the columns of A, the result its rows.
///
/// NaN and ±0: as the op. Errors: [`Error::Len`] names `x`.
///
/// ```
/// let a = fulmen::Csr::new(2, 2, &[0, 1, 2], &[1, 0], &[2.0f32, 3.0])?;
/// assert_eq!(fulmen::owned::spmv(a, &[1.0, 10.0])?, [20.0, 3.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn spmv<T: Element>(a: Csr<'_, T>, x: &[T]) -> Result<Vec<T>, Error> {
    let mut y = filled("y", T::ZERO, a.rows())?;
    ops::spmv(T::ONE, a, x, T::ZERO, &mut y)?;
    Ok(y)
}

/// `AB` of sparse matrices, by [`spgemm`](crate::spgemm()).
///
/// Shapes: B has as many rows as A has columns.
///
/// NaN and ±0: as the op. Errors: [`Error::Shape`] names `b`.
///
/// ```
/// let a = fulmen::Csr::new(2, 2, &[0, 1, 2], &[1, 0], &[2.0f32, 3.0])?;
/// assert_eq!(fulmen::owned::spgemm(a, a)?.values, [6.0, 6.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn spgemm<T: Element>(a: Csr<'_, T>, b: Csr<'_, T>) -> Result<CsrBuffer<T>, Error> {
    let mut workspace = filled("workspace", 0, ops::spgemm_workspace(b.cols()))?;
    let mut to = CsrBuffer::room(a.rows(), b.cols(), a.product_len(b, &mut workspace)?)?;
    let CsrBuffer { offsets, columns, values, .. } = &mut to;
    let len = ops::spgemm(a, b, offsets, columns, values, &mut workspace)?;
    Ok(to.first(len))
}

/// The incomplete factors of A where A has elements, by [`ilu0`](crate::ilu0()): what [`cg`], [`gmres`] and [`bicgstab`] take as `lu`.
///
/// Shapes: A is square, and the factors have its places.
///
/// NaN and ±0: NaN and infinities are refused. Errors: those of the op.
///
/// ```
/// let a = fulmen::Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[2.0f32, 1.0, 4.0, 5.0])?;
/// assert_eq!(fulmen::owned::ilu0(a)?.values, [2.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn ilu0<T: Element>(a: Csr<'_, T>) -> Result<CsrBuffer<T>, Error> {
    let mut to = CsrBuffer::room(a.rows(), a.cols(), a.len())?;
    ops::ilu0(a, &mut to.values)?;
    let (mut at, mut rest) = (0, &mut to.columns[..]);
    for (i, end) in to.offsets.iter_mut().skip(1).enumerate() {
        let (columns, _) = a.row(i);
        let (row, after) = core::mem::take(&mut rest).split_at_mut(columns.len());
        row.copy_from_slice(columns);
        at += columns.len();
        (*end, rest) = (at, after);
    }
    Ok(to)
}

macro_rules! iterations {
    ($($(#[$doc:meta])* $name:ident($($restart:ident)?) $workspace:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: Element>(
            a: Csr<'_, T>,
            lu: Option<Csr<'_, T>>,
            b: &[T],
            tolerance: T,
            $($restart: usize,)?
            most: usize,
        ) -> Result<Vec<T>, Error> {
            let n = a.rows();
            let mut x = filled("x", T::ZERO, n)?;
            let mut workspace = filled("workspace", T::ZERO, ops::$workspace(n $(, $restart)?))?;
            ops::$name(a, lu, b, &mut x, tolerance, $($restart,)? most, &mut workspace)?;
            Ok(x)
        }
    )*};
}

iterations! {
    /// The x of `Ax = b` of a sparse, symmetric, positive definite A, by [`cg`](crate::cg()) from `x = 0`; no `lu` is no preconditioner.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and the result have `n` elements.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: those of the op: [`Error::Convergence`] with the residual when `most` steps are not enough.
    ///
    /// ```
    /// use fulmen::{Csr, owned::cg};
    /// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f64, 1.0, 1.0, 3.0])?;
    /// let x = cg(a, None, &[6.0, 7.0], 1e-12, 10)?;
    /// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    #[doc(alias = "conjugate_gradient")]
    cg() cg_workspace;

    /// The x of `Ax = b` of a sparse A, by [`gmres`](crate::gmres()) from `x = 0`, which begins anew after `restart` steps; no `lu` is no
    /// preconditioner.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and the result have `n` elements.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: those of the op: [`Error::Convergence`] with the residual when `most` steps are not enough.
    ///
    /// ```
    /// use fulmen::{Csr, owned::{gmres, ilu0}};
    /// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f64, 1.0, -1.0, 3.0])?;
    /// let lu = ilu0(a)?;
    /// let x = gmres(a, Some(lu.view()?), &[6.0, 5.0], 1e-12, 2, 10)?;
    /// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    gmres(restart) gmres_workspace;

    /// The x of `Ax = b` of a sparse A, by [`bicgstab`](crate::bicgstab()) from `x = 0`; no `lu` is no preconditioner.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and the result have `n` elements.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: those of the op: [`Error::Convergence`] with the residual when `most` steps are not enough.
    ///
    /// ```
    /// use fulmen::{Csr, owned::bicgstab};
    /// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f64, 1.0, -1.0, 3.0])?;
    /// let x = bicgstab(a, None, &[6.0, 5.0], 1e-12, 10)?;
    /// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    bicgstab() bicgstab_workspace;
}
