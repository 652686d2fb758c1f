//! Views from raw pointers: the obligations of the caller, and the checks that remain.

use super::{MatMut, MatRef, VecMut, VecRef, overlaps, place};
use crate::error::Error;
use core::marker::PhantomData;

/// The strides, with those of no use made harmless, when offsets of elements are numbers of the machine: as
/// [`place`], in memory that reaches as far as addresses do.
#[inline]
fn reach(shape: [usize; 2], [rs, cs]: [isize; 2]) -> Result<[isize; 2], Error> {
    // From the side that a negative stride leaves free; the memory is the caller's guarantee.
    let magnitudes = [rs.checked_abs(), cs.checked_abs()];
    let ([Some(r), Some(c)], [m, n]) = (magnitudes, shape) else {
        return Err(Error::overflow("ptr"));
    };
    let (_, [r, c]) = place(usize::MAX, 0, [m, n], [r, c]).map_err(|_| Error::overflow("ptr"))?;
    Ok([if r == 0 { 0 } else { rs }, if c == 0 { 0 } else { cs }])
}

impl<'a, T> MatRef<'a, T> {
    /// The matrix whose element `(i, j)` is at `ptr + i·row_stride + j·col_stride`, in elements: what other libraries' views
    /// consist of.
    ///
    /// Errors: [`Error::Overflow`] when an offset in bytes overflows. A stride that leads to no element may be anything.
    ///
    /// # Safety
    /// For `'a`, every element that the shape and the strides name is initialised, aligned, inside one allocation and
    /// written by nobody. Of a matrix without elements `ptr` may be anything.
    ///
    /// ```
    /// use fulmen::MatRef;
    /// let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// // SAFETY: three rows of two, of the six elements of `x`, the last first.
    /// let a = unsafe { MatRef::from_raw_parts(&raw const x[5], 3, 2, -2, -1) }?;
    /// assert_eq!((a.get(0, 0), a.get(2, 1)), (Some(6.0), Some(1.0)));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    #[inline]
    pub unsafe fn from_raw_parts(
        ptr: *const T,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Result<Self, Error> {
        let [rs, cs] = reach([rows, cols], [row_stride, col_stride])?;
        Ok(Self { ptr, rows, cols, rs, cs, life: PhantomData })
    }
}

impl<'a, T> MatMut<'a, T> {
    /// As [`MatRef::from_raw_parts`].
    ///
    /// Errors: [`Error::Overlap`] when two elements are one, [`Error::Overflow`].
    ///
    /// # Safety
    /// For `'a`, every element that the shape and the strides name is initialised, aligned, inside one allocation, and
    /// neither read nor written but through this view. Of a matrix without elements `ptr` may be anything.
    #[inline]
    pub unsafe fn from_raw_parts(
        ptr: *mut T,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Result<Self, Error> {
        let [rs, cs] = reach([rows, cols], [row_stride, col_stride])?;
        if overlaps([rows, cols], [rs, cs]) {
            return Err(Error::overlap("ptr"));
        }
        Ok(Self { ptr, rows, cols, rs, cs, life: PhantomData })
    }
}

macro_rules! vector {
    ($Vector:ident, $Matrix:ident, $ptr:ident) => {
        impl<T> $Vector<'_, T> {
            #[doc = concat!("The vector whose element `i` is at `ptr + i·stride`; as [`", stringify!($Matrix), "::from_raw_parts`].")]
            ///
            /// # Safety
            /// That of a matrix of one column.
            #[inline]
            pub unsafe fn from_raw_parts(ptr: *$ptr T, len: usize, stride: isize) -> Result<Self, Error> {
                // SAFETY: the caller's promise.
                unsafe { $Matrix::from_raw_parts(ptr, len, 1, stride, 1) }.map($Vector::of_col)
            }
        }
    };
}
vector!(VecRef, MatRef, const);
vector!(VecMut, MatMut, mut);

/// Views of another library: `$from`, which borrows for `'a`, to one of this crate.
#[cfg(any(feature = "faer", feature = "ndarray", feature = "nalgebra"))]
macro_rules! convert {
    ($(#[$doc:meta])* [$($generics:tt)*] $From:ty => $To:ident, |$x:pat_param| $parts:expr) => {
        $(#[$doc])*
        impl<'a, T, $($generics)*> TryFrom<$From> for $To<'a, T> {
            type Error = Error;
            #[inline]
            fn try_from($x: $From) -> Result<Self, Error> {
                // SAFETY: the other library's view names elements that it may read, or write alone, for `'a`.
                unsafe { $parts }
            }
        }
    };
}

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use super::*;
    use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2};

    convert! {
        /// `MatRef::try_from(a.view())`; errors: [`Error::Overflow`], past the sizes that this crate counts.
        [] ArrayView2<'a, T> => MatRef, |a| {
            let ((m, n), [r, c]) = (a.dim(), [0, 1].map(|k| a.strides().get(k).copied().unwrap_or(0)));
            MatRef::from_raw_parts(a.as_ptr(), m, n, r, c)
        }
    }
    convert! {
        /// `MatMut::try_from(a.view_mut())`; errors as of a [`MatRef`].
        [] ArrayViewMut2<'a, T> => MatMut, |mut a| {
            let ((m, n), [r, c]) = (a.dim(), [0, 1].map(|k| a.strides().get(k).copied().unwrap_or(0)));
            MatMut::from_raw_parts(a.as_mut_ptr(), m, n, r, c)
        }
    }
    convert! {
        /// `VecRef::try_from(a.view())`; errors as of a [`MatRef`].
        [] ArrayView1<'a, T> => VecRef, |a| {
            VecRef::from_raw_parts(a.as_ptr(), a.len(), a.strides().first().copied().unwrap_or(0))
        }
    }
    convert! {
        /// `VecMut::try_from(a.view_mut())`; errors as of a [`MatRef`].
        [] ArrayViewMut1<'a, T> => VecMut, |mut a| {
            let (n, stride) = (a.len(), a.strides().first().copied().unwrap_or(0));
            VecMut::from_raw_parts(a.as_mut_ptr(), n, stride)
        }
    }
}

#[cfg(feature = "faer")]
mod of_faer {
    use super::*;
    use faer::{ColMut, ColRef, MatMut as TheirsMut, MatRef as Theirs, RowMut, RowRef, Shape, Stride};

    convert! {
        /// `MatRef::try_from(a.as_ref())`; errors: [`Error::Overflow`], past the sizes that this crate counts.
        [R: Shape, C: Shape, RS: Stride, CS: Stride] Theirs<'a, T, R, C, RS, CS> => MatRef, |a| {
            let [rs, cs] = [a.row_stride().element_stride(), a.col_stride().element_stride()];
            MatRef::from_raw_parts(a.as_ptr(), a.nrows().unbound(), a.ncols().unbound(), rs, cs)
        }
    }
    convert! {
        /// `MatMut::try_from(a.as_mut())`; errors as of a [`MatRef`].
        [R: Shape, C: Shape, RS: Stride, CS: Stride] TheirsMut<'a, T, R, C, RS, CS> => MatMut, |a| {
            let [rs, cs] = [a.row_stride().element_stride(), a.col_stride().element_stride()];
            MatMut::from_raw_parts(a.as_ptr_mut(), a.nrows().unbound(), a.ncols().unbound(), rs, cs)
        }
    }
    convert! {
        /// `VecRef::try_from(a.col(j))`; errors as of a [`MatRef`].
        [R: Shape, RS: Stride] ColRef<'a, T, R, RS> => VecRef, |a| {
            VecRef::from_raw_parts(a.as_ptr(), a.nrows().unbound(), a.row_stride().element_stride())
        }
    }
    convert! {
        /// `VecMut::try_from(a.col_mut(j))`; errors as of a [`MatRef`].
        [R: Shape, RS: Stride] ColMut<'a, T, R, RS> => VecMut, |a| {
            VecMut::from_raw_parts(a.as_ptr_mut(), a.nrows().unbound(), a.row_stride().element_stride())
        }
    }
    convert! {
        /// `VecRef::try_from(a.row(i))`; errors as of a [`MatRef`].
        [C: Shape, CS: Stride] RowRef<'a, T, C, CS> => VecRef, |a| {
            VecRef::from_raw_parts(a.as_ptr(), a.ncols().unbound(), a.col_stride().element_stride())
        }
    }
    convert! {
        /// `VecMut::try_from(a.row_mut(i))`; errors as of a [`MatRef`].
        [C: Shape, CS: Stride] RowMut<'a, T, C, CS> => VecMut, |a| {
            VecMut::from_raw_parts(a.as_ptr_mut(), a.ncols().unbound(), a.col_stride().element_stride())
        }
    }
}

#[cfg(feature = "nalgebra")]
mod of_nalgebra {
    use super::*;
    use nalgebra::{Dim, Matrix, MatrixView, MatrixViewMut, RawStorage, RawStorageMut, U1};

    /// Their strides are `usize`, and reach what a slice holds.
    fn signed((r, c): (usize, usize)) -> Result<[isize; 2], Error> {
        let signed = |s: usize| isize::try_from(s).map_err(|_| Error::overflow("ptr"));
        Ok([signed(r)?, signed(c)?])
    }

    convert! {
        /// `MatRef::try_from(a.view(..))`; errors: [`Error::Overflow`], past the sizes that this crate counts.
        [R: Dim, C: Dim, RS: Dim, CS: Dim] MatrixView<'a, T, R, C, RS, CS> => MatRef, |a| {
            let [r, c] = signed(a.strides())?;
            MatRef::from_raw_parts(a.as_ptr(), a.nrows(), a.ncols(), r, c)
        }
    }
    convert! {
        /// `MatMut::try_from(a.view_mut(..))`; errors as of a [`MatRef`].
        [R: Dim, C: Dim, RS: Dim, CS: Dim] MatrixViewMut<'a, T, R, C, RS, CS> => MatMut, |mut a| {
            let ([r, c], (m, n)) = (signed(a.strides())?, a.shape());
            MatMut::from_raw_parts(a.as_mut_ptr(), m, n, r, c)
        }
    }
    convert! {
        /// `VecRef::try_from(a.column(j))`, of a matrix of one column; errors as of a [`MatRef`].
        [R: Dim, RS: Dim, CS: Dim] MatrixView<'a, T, R, U1, RS, CS> => VecRef, |a| {
            VecRef::from_raw_parts(a.as_ptr(), a.nrows(), signed(a.strides())?[0])
        }
    }
    convert! {
        /// `VecMut::try_from(a.column_mut(j))`, of a matrix of one column; errors as of a [`MatRef`].
        [R: Dim, RS: Dim, CS: Dim] MatrixViewMut<'a, T, R, U1, RS, CS> => VecMut, |mut a| {
            let ([stride, _], n) = (signed(a.strides())?, a.nrows());
            VecMut::from_raw_parts(a.as_mut_ptr(), n, stride)
        }
    }

    convert! {
        /// `MatRef::try_from(&a)`, of a matrix however it is stored; errors as of a view.
        [R: Dim, C: Dim, S: RawStorage<T, R, C>] &'a Matrix<T, R, C, S> => MatRef, |a| {
            let [r, c] = signed(a.strides())?;
            MatRef::from_raw_parts(a.as_ptr(), a.nrows(), a.ncols(), r, c)
        }
    }
    convert! {
        /// `MatMut::try_from(&mut a)`, of a matrix however it is stored; errors as of a view.
        [R: Dim, C: Dim, S: RawStorageMut<T, R, C>] &'a mut Matrix<T, R, C, S> => MatMut, |a| {
            let ([r, c], (m, n)) = (signed(a.strides())?, a.shape());
            MatMut::from_raw_parts(a.as_mut_ptr(), m, n, r, c)
        }
    }
    convert! {
        /// `VecRef::try_from(&a)`, of a column vector however it is stored; errors as of a view.
        [R: Dim, S: RawStorage<T, R, U1>] &'a Matrix<T, R, U1, S> => VecRef, |a| {
            VecRef::from_raw_parts(a.as_ptr(), a.nrows(), signed(a.strides())?[0])
        }
    }
    convert! {
        /// `VecMut::try_from(&mut a)`, of a column vector however it is stored; errors as of a view.
        [R: Dim, S: RawStorageMut<T, R, U1>] &'a mut Matrix<T, R, U1, S> => VecMut, |a| {
            let ([stride, _], n) = (signed(a.strides())?, a.nrows());
            VecMut::from_raw_parts(a.as_mut_ptr(), n, stride)
        }
    }
}
