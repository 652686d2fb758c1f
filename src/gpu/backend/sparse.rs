//! Sparse products (SpMV, SpMM, SDDMM) on devices.

use super::super::device::{Computes, Device, Error};
use super::super::template::{Meet, THREADS, sparse};
use super::ops::{Done, Scalar, called};
use super::{Array, Gpu, Mat, MatMut, View, ViewMut};
use crate::backend::SparseProducts;
use crate::error::{same_len, same_shape};
use alloc::vec;
use core::cell::OnceCell;

/// Elements of a row, on average, from which a block works on it.
const LONG: usize = 32;

/// Where rows begin, and the column of each element.
#[derive(Debug)]
pub(super) struct Rows<D: Device> {
    pub(super) offsets: Array<u32, D>,
    pub(super) columns: Array<u32, D>,
}

/// A sparse matrix in memory of a device.
#[derive(Debug)]
pub struct Sparse<T, D: Device> {
    shape: [usize; 2],
    pub(super) rows: Rows<D>,
    values: Array<T, D>,
    /// Those of the transpose, and where its values are, once they are asked for.
    turned: OnceCell<(Rows<D>, Array<u32, D>)>,
}

impl<T, D: Device> Sparse<T, D> {
    pub(super) const fn new(shape: [usize; 2], rows: Rows<D>, values: Array<T, D>) -> Self {
        Self { shape, rows, values, turned: OnceCell::new() }
    }
    /// Where the elements of each row begin, and the last ones end.
    #[must_use]
    pub fn offsets(&self) -> View<'_, u32, D> {
        self.rows.offsets.view()
    }
    /// The column of each element.
    #[must_use]
    pub fn columns(&self) -> View<'_, u32, D> {
        self.rows.columns.view()
    }
}

impl<T: Scalar, D: Device> Sparse<T, D> {
    /// The elements, row by row.
    #[must_use]
    pub fn values(&self) -> View<'_, T, D> {
        self.values.view()
    }
    /// Rows and columns.
    #[must_use]
    pub const fn shape(&self) -> [usize; 2] {
        self.shape
    }
}

impl<D: Device> Gpu<D> {
    /// The rows of the transpose: made once.
    fn turned<'a, T>(&self, a: &'a Sparse<T, D>) -> Result<&'a (Rows<D>, Array<u32, D>), Error> {
        if let Some(turned) = a.turned.get() {
            return Ok(turned);
        }
        let made = self.transposed(&a.rows, a.shape)?;
        Ok(a.turned.get_or_init(|| made))
    }

    /// `Y = α·A·X + β·Y`, or of the transpose of A.
    fn sparse_product<T: Scalar>(
        &self,
        alpha: T,
        (a, more): (&Sparse<T, D>, Option<&(Rows<D>, Array<u32, D>)>),
        x: Mat<'_, T, D>,
        beta: T,
        y: Mat<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let (matrices, strides) = self.matrices([("x", x), ("y", y)])?;
        let [m, n] = y.shape;
        self.state.planner.line::<T::Recorded>("y", m.saturating_mul(n))?;
        if m == 0 || n == 0 {
            return Ok(());
        }
        let turned = more.is_some();
        let rows = more.map_or(&a.rows, |(rows, _)| rows);
        let mut bound = vec![rows.offsets.view().binding(self)?, rows.columns.view().binding(self)?];
        bound.push(a.values.view().binding(self)?);
        if let Some((_, places)) = more {
            bound.push(places.view().binding(self)?);
        }
        bound.extend(matrices);
        let (words, numbers) = ([&[m, n], &strides[..]].concat(), [alpha, beta]);
        let told = (&words[..], &numbers[..]);
        if n == 1 && a.values.len() / m >= LONG {
            let op = if turned { "spmv_turned" } else { "spmv" };
            let make = |meet| sparse::long_rows::<T::Recorded>(meet, turned);
            return self.run_blocks::<T>(op, make, [m, 1], &bound, told);
        }
        let planner = &self.state.planner;
        if n == 1 && planner.optimise && planner.meet == Meet::Warps {
            let op = if turned { "spmv_mixed_turned" } else { "spmv_mixed" };
            let make = |_| sparse::mixed_rows::<T::Recorded>(turned);
            return self.run_blocks::<T>(op, make, [m.div_ceil(THREADS as usize), 1], &bound, told);
        }
        let op = if turned { "spmm_turned" } else { "spmm" };
        self.run_flat::<T>(op, || sparse::product::<T::Recorded>(turned), m * n, &bound, told)
    }

    /// The last numbers, for the next block.
    pub(super) fn keep<T: Scalar>(&self, x: View<'_, T, D>, mut state: ViewMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let (n, m) = (x.len(), state.len());
        let fresh = n.min(m);
        let mut scratch = self.alloc::<T>(m)?;
        let [mut kept, mut new] = scratch.view_mut().split(m - fresh)?;
        self.line_copy(state.read().part(fresh..m)?, kept.lend())?;
        self.line_copy(x.part(n - fresh..n)?, new.lend())?;
        self.line_copy(scratch.view(), state.lend())
    }
}

impl<T: Scalar, D: Computes<T>> SparseProducts<T> for Gpu<D> {
    /// [`spmv`](crate::spmv())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn spmv(&self, alpha: T, a: &Sparse<T, D>, x: View<'_, T, D>, beta: T, y: ViewMut<'_, T, D>) -> Done {
        called!(spmv, {
            same_len("x", a.shape[1], x.len())?;
            same_len("y", a.shape[0], y.len())?;
            let (p, q) = (x.len(), y.len());
            self.sparse_product(alpha, (a, None), x.matrix(p, 1)?, beta, y.matrix(q, 1)?.0)
        })
    }

    /// [`spmv_transposed`](crate::spmv_transposed()). The first one of a matrix finds the rows of its transpose.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn spmv_transposed(
        &self,
        alpha: T,
        a: &Sparse<T, D>,
        x: View<'_, T, D>,
        beta: T,
        y: ViewMut<'_, T, D>,
    ) -> Done {
        called!(spmv_transposed, {
            same_len("x", a.shape[0], x.len())?;
            same_len("y", a.shape[1], y.len())?;
            let (p, q) = (x.len(), y.len());
            self.sparse_product(alpha, (a, Some(self.turned(a)?)), x.matrix(p, 1)?, beta, y.matrix(q, 1)?.0)
        })
    }

    /// [`spmm`](crate::spmm())
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    fn spmm(&self, alpha: T, a: &Sparse<T, D>, x: Mat<'_, T, D>, beta: T, y: MatMut<'_, T, D>) -> Done {
        called!(spmm, {
            let n = x.shape[1];
            same_shape("x", [a.shape[1], n], x.shape)?;
            same_shape("y", [a.shape[0], n], y.0.shape)?;
            self.sparse_product(alpha, (a, None), x, beta, y.0)
        })
    }

    /// [`sddmm`](crate::sddmm())
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn sddmm(
        &self,
        alpha: T,
        x: Mat<'_, T, D>,
        y: Mat<'_, T, D>,
        a: &Sparse<T, D>,
        beta: T,
        values: ViewMut<'_, T, D>,
    ) -> Done {
        called!(sddmm, {
            let ([m, k], n) = (x.shape, y.shape[1]);
            same_shape("y", [k, n], y.shape)?;
            same_shape("a", [m, n], a.shape)?;
            same_len("values", a.values.len(), values.len())?;
            let (matrices, strides) = self.matrices([("x", x), ("y", y)])?;
            if values.is_empty() {
                return Ok(());
            }
            let mut bound = vec![a.rows.offsets.view().binding(self)?, a.rows.columns.view().binding(self)?];
            bound.extend(matrices);
            bound.push(values.binding(self)?);
            let words = [&[values.len(), m, k], &strides[..]].concat();
            let told = (&words[..], &[alpha, beta][..]);
            self.run_flat::<T>("sddmm", sparse::sampled::<T::Recorded>, values.len(), &bound, told)
        })
    }
}
