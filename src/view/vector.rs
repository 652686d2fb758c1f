//! Views of vectors with a stride: [`VecRef`] and [`VecMut`].

use super::{MatMut, MatRef};
use crate::error::Error;

/// A vector that is read: a pointer, its length and a stride.
///
/// ```
/// use fulmen::{MatRef, VecRef};
/// let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// assert_eq!(VecRef::from(&x).get(3), Some(4.0)); // of an array, a `Vec` or a slice
/// // Every second element, the last one first.
/// assert_eq!(VecRef::strided(&x, 4, 3, -2)?.get(2), Some(1.0));
/// // A column of a matrix.
/// assert_eq!(MatRef::row_major(&x, 2, 3)?.col(1)?.get(1), Some(5.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
pub struct VecRef<'a, T>(pub(super) MatRef<'a, T>);

/// A vector that is written: like [`VecRef`], and no two of its elements are one.
///
/// ```
/// use fulmen::{Error, VecMut};
/// let mut x = [0.0f32; 5];
/// let mut y = VecMut::strided(&mut x, 4, 3, -2)?;
/// assert!(y.set(1, 7.0) && !y.set(3, 7.0));
/// assert_eq!(x, [0.0, 0.0, 7.0, 0.0, 0.0]);
/// assert_eq!(VecMut::strided(&mut x, 0, 2, 0).err(), Some(Error::overlap("data")));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
pub struct VecMut<'a, T>(pub(super) MatMut<'a, T>);

impl<T> Clone for VecRef<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for VecRef<'_, T> {}

impl<'a, T> From<&'a [T]> for VecRef<'a, T> {
    #[inline(always)]
    fn from(data: &'a [T]) -> Self {
        Self(MatRef::line(data).t())
    }
}
impl<'a, T> From<&'a mut [T]> for VecMut<'a, T> {
    #[inline(always)]
    fn from(data: &'a mut [T]) -> Self {
        let n = data.len();
        Self(MatMut::packed(data, n, 1))
    }
}

// What a user holds converts without `&x[..]`.
macro_rules! from_owned {
    ($($(#[$cfg:meta])* [$($n:tt)*] $Data:ty;)*) => {$(
        $(#[$cfg])*
        impl<'a, T, $($n)*> From<&'a $Data> for VecRef<'a, T> {
            #[inline(always)]
            fn from(data: &'a $Data) -> Self {
                Self::from(&data[..])
            }
        }
        $(#[$cfg])*
        impl<'a, T, $($n)*> From<&'a mut $Data> for VecMut<'a, T> {
            #[inline(always)]
            fn from(data: &'a mut $Data) -> Self {
                Self::from(&mut data[..])
            }
        }
    )*};
}
from_owned! {
    [const N: usize] [T; N];
    #[cfg(feature = "alloc")]
    [] alloc::vec::Vec<T>;
}

macro_rules! vector {
    ($Vector:ident, $Matrix:ident, $slice:ty) => {
        impl<'a, T> $Vector<'a, T> {
            /// Element `i` is `data[offset + i·stride]`.
            ///
            /// Errors: [`Error::OutOfBounds`], [`Error::Overflow`], and of a vector that is written
            /// [`Error::Overlap`].
            #[inline]
            pub fn strided(data: $slice, offset: usize, len: usize, stride: isize) -> Result<Self, Error> {
                $Matrix::strided(data, offset, len, 1, stride, 1).map(Self)
            }
            /// Elements.
            #[inline(always)]
            #[allow(clippy::len_without_is_empty, reason = "a shape, not a container")]
            pub const fn len(&self) -> usize {
                self.0.rows()
            }
            /// Elements of the data from one to the next.
            #[inline(always)]
            pub const fn stride(&self) -> isize {
                self.0.row_stride()
            }
            /// The element, if the vector has it.
            #[inline(always)]
            pub fn get(&self, i: usize) -> Option<T>
            where
                T: Copy,
            {
                self.0.get(i, 0)
            }
            /// As a matrix of one column.
            #[inline(always)]
            pub const fn as_col(self) -> $Matrix<'a, T> {
                self.0
            }
            /// At most `len` elements from `start` on, whatever of that lies in the vector.
            #[inline(always)]
            pub(crate) fn part(self, start: usize, len: usize) -> Self {
                Self(self.0.block([start, 0], [len, 1]))
            }
            /// The last element first.
            #[inline(always)]
            pub(crate) fn reversed(self) -> Self {
                Self(self.0.reversed_rows())
            }
            /// The column's elements; of a matrix with more columns the first.
            #[inline(always)]
            pub(crate) fn of_col(m: $Matrix<'a, T>) -> Self {
                Self(m.block([0, 0], [usize::MAX, 1]))
            }
        }
    };
}
vector!(VecRef, MatRef, &'a [T]);
vector!(VecMut, MatMut, &'a mut [T]);

impl<'a, T> VecRef<'a, T> {
    /// The elements, when they follow each other.
    #[inline(always)]
    pub fn as_slice(self) -> Option<&'a [T]> {
        let n = self.len();
        if n == 0 {
            return Some(&[]);
        }
        // SAFETY: the view's construction has checked that its elements lie in a slice borrowed for `'a`, and here
        // they follow each other from its pointer on.
        (self.stride() == 1 || n == 1).then(|| unsafe { core::slice::from_raw_parts(self.0.ptr(), n) })
    }
}

impl<'a, T> VecMut<'a, T> {
    /// The elements, when they follow each other.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let n = self.len();
        if n == 0 {
            return Some(&mut []);
        }
        // SAFETY: as `VecRef::as_slice`; the slice is borrowed for writing as long as this view is.
        (self.stride() == 1 || n == 1).then(|| unsafe { core::slice::from_raw_parts_mut(self.0.ptr(), n) })
    }
    /// Writes an element, if the vector has it; says whether.
    #[inline(always)]
    pub fn set(&mut self, i: usize, x: T) -> bool {
        self.0.set(i, 0, x)
    }
    /// The same vector, to read.
    #[inline(always)]
    pub const fn as_ref(&self) -> VecRef<'_, T> {
        VecRef(self.0.as_ref())
    }
    /// The same vector for a shorter time.
    #[inline(always)]
    pub const fn reborrow(&mut self) -> VecMut<'_, T> {
        VecMut(self.0.reborrow())
    }
    /// The elements before `i`, and the rest.
    ///
    /// Errors: [`Error::OutOfBounds`] when there are fewer.
    #[inline]
    pub fn split_at(self, i: usize) -> Result<(Self, Self), Error> {
        if i > self.len() {
            return Err(Error::out_of_bounds("i", self.len()));
        }
        let (a, b) = self.0.split_rows(i)?;
        Ok((Self(a), Self(b)))
    }
}

macro_rules! lines {
    ($Matrix:ident, $Vector:ident) => {
        impl<'a, T> $Matrix<'a, T> {
            /// Row `i`.
            ///
            /// Errors: [`Error::OutOfBounds`] when there are fewer.
            #[inline]
            pub fn row(self, i: usize) -> Result<$Vector<'a, T>, Error> {
                if i >= self.rows() {
                    return Err(Error::out_of_bounds("i", self.rows()));
                }
                Ok($Vector(self.block([i, 0], [1, usize::MAX]).t()))
            }
            /// Column `j`.
            ///
            /// Errors: [`Error::OutOfBounds`] when there are fewer.
            #[inline]
            pub fn col(self, j: usize) -> Result<$Vector<'a, T>, Error> {
                if j >= self.cols() {
                    return Err(Error::out_of_bounds("j", self.cols()));
                }
                Ok($Vector(self.block([0, j], [usize::MAX, 1])))
            }
        }
    };
}
lines!(MatRef, VecRef);
lines!(MatMut, VecMut);
