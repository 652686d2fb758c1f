//! Strided matrices in device memory.

use super::super::device::{Binding, Device, Error};
use super::Gpu;
use super::view::{View, ViewMut};
use crate::error::same_len;
use core::ops::Range;

/// A matrix, read.
#[derive(Debug)]
pub struct Mat<'a, T, D: Device> {
    pub(super) all: View<'a, T, D>,
    pub(super) shape: [usize; 2],
    pub(super) strides: [usize; 2],
    pub(super) start: usize,
}

impl<T, D: Device> Clone for Mat<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, D: Device> Copy for Mat<'_, T, D> {}

/// A matrix, written.
#[derive(Debug)]
pub struct MatMut<'a, T, D: Device>(pub(super) Mat<'a, T, D>);

impl<'a, T, D: Device> Mat<'a, T, D> {
    /// Rows and columns exchanged.
    #[must_use]
    pub const fn t(self) -> Self {
        let ([m, n], [r, c]) = (self.shape, self.strides);
        Self { shape: [n, m], strides: [c, r], ..self }
    }

    /// The columns in the range.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds).
    pub fn cols(self, range: Range<usize>) -> Result<Self, Error> {
        let [rows, cols] = self.shape;
        if range.start > range.end || range.end > cols {
            return Err(crate::Error::out_of_bounds("x", cols).into());
        }
        let start = self.start + range.start * self.strides[1];
        Ok(Self { shape: [rows, range.end - range.start], start, ..self })
    }

    /// The rows in the range, as [`Mat::cols`].
    pub(super) fn rows(self, range: Range<usize>) -> Result<Self, Error> {
        Ok(self.t().cols(range)?.t())
    }

    /// The rows of a sequence, of so many of one length.
    pub(super) fn sequence(self, at: usize, of: usize) -> Result<Self, Error> {
        let n = self.shape[0] / of.max(1);
        self.rows(at * n..(at + 1) * n)
    }

    /// The elements, if they are one contiguous column.
    pub(super) fn line(self) -> Option<View<'a, T, D>> {
        let n = self.shape[0];
        if n > 1 && self.strides[0] != 1 {
            return None;
        }
        let start = self.start.min(self.all.len());
        self.all.part(start..start + n).ok()
    }

    /// The elements from its first on.
    pub(super) fn rest(self) -> Result<View<'a, T, D>, Error> {
        // A matrix without elements may start behind the last one.
        self.all.part(self.start.min(self.all.len())..self.all.len())
    }

    pub(super) fn binding(self, of: &Gpu<D>) -> Result<Binding<'a, D::Buffer>, Error> {
        let rest = self.rest()?;
        // To its last element, as far as that is known without overflow.
        let ends = self.shape.iter().zip(self.strides).map(|(n, by)| n.saturating_sub(1).saturating_mul(by));
        let end = ends.fold(1, usize::saturating_add).min(rest.len());
        rest.part(0..if self.shape.contains(&0) { 0 } else { end })?.binding(of)
    }
}

impl<'a, T, D: Device> MatMut<'a, T, D> {
    /// As [`Mat::sequence`]: each has its own rows.
    pub(super) fn sequence(&self, at: usize, of: usize) -> Result<Self, Error> {
        Ok(Self(self.0.sequence(at, of)?))
    }

    /// The first `col` columns and the others.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds).
    pub fn split_cols(self, col: usize) -> Result<[Self; 2], Error> {
        let n = self.0.shape[1];
        Ok([Self(self.0.cols(0..col)?), Self(self.0.cols(col..n)?)])
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub const fn t(self) -> Self {
        Self(self.0.t())
    }
}

impl<'a, T, D: Device> View<'a, T, D> {
    /// Row after row.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Overflow`](crate::Error::Overflow).
    pub fn matrix(self, rows: usize, cols: usize) -> Result<Mat<'a, T, D>, Error> {
        let n = rows.checked_mul(cols).ok_or(crate::Error::overflow("rows * cols"))?;
        same_len("data", n, self.len())?;
        Ok(Mat { all: self, shape: [rows, cols], strides: [cols, 1], start: 0 })
    }
}

impl<'a, T, D: Device> ViewMut<'a, T, D> {
    /// As [`View::matrix`].
    ///
    /// # Errors
    /// Those of [`View::matrix`].
    pub fn matrix(self, rows: usize, cols: usize) -> Result<MatMut<'a, T, D>, Error> {
        Ok(MatMut(self.0.matrix(rows, cols)?))
    }
}
