//! The CPU as a backend: its memory is slices of the caller, and a token selects the instruction set.

use super::{Blocking, Memory, Plain, Transfer};
use crate::error::{Error, same_len};
use crate::image::{Image, ImageMut};
use crate::lanes::{Native, Simd, native};
use crate::{MatMut, MatRef, VecMut, VecRef};
use core::ops::Range;

/// This thread, on the instruction set of a token.
#[derive(Debug, Clone, Copy)]
pub struct Cpu<S: Simd>(pub S);

impl Cpu<Native> {
    /// On the instruction set of the build.
    pub const fn native() -> Self {
        Self(native())
    }
}

/// Rayon's threads, for the ops that [`parallel`](crate::parallel) has; this thread for the others. Same bits as [`Cpu`].
#[cfg(feature = "parallel")]
#[derive(Debug, Clone, Copy)]
pub struct Threads<S: Simd>(pub S);

#[cfg(feature = "parallel")]
impl Threads<Native> {
    /// On the instruction set of the build.
    pub const fn native() -> Self {
        Self(native())
    }
}

macro_rules! slices {
    ($Backend:ident) => {
        impl<S: Simd> Memory for $Backend<S> {
            type Error = Error;
            type Ref<'a, T: Plain> = &'a [T];
            type Mut<'a, T: Plain> = &'a mut [T];
            type Mat<'a, T: Plain> = MatRef<'a, T>;
            type MatMut<'a, T: Plain> = MatMut<'a, T>;
            type Vec<'a, T: Plain> = VecRef<'a, T>;
            type VecMut<'a, T: Plain> = VecMut<'a, T>;
            type Image<'a, T: Plain> = Image<'a, T>;
            type ImageMut<'a, T: Plain> = ImageMut<'a, T>;
            type Workspace<'a, T: Plain> = &'a mut [T];

            #[inline(always)]
            fn len<T: Plain>(x: Self::Ref<'_, T>) -> usize {
                x.len()
            }
            #[inline]
            fn part<T: Plain>(x: Self::Ref<'_, T>, range: Range<usize>) -> Result<Self::Ref<'_, T>, Error> {
                x.get(range).ok_or(Error::out_of_bounds("x", x.len()))
            }
            #[inline]
            fn split<T: Plain>(x: Self::Mut<'_, T>, at: usize) -> Result<[Self::Mut<'_, T>; 2], Error> {
                let got = x.len();
                let (a, b) = x.split_at_mut_checked(at).ok_or(Error::out_of_bounds("x", got))?;
                Ok([a, b])
            }
            #[inline(always)]
            fn read<'a, T: Plain>(x: &'a Self::Mut<'_, T>) -> Self::Ref<'a, T> {
                x
            }
            #[inline(always)]
            fn lend<'a, T: Plain>(x: &'a mut Self::Mut<'_, T>) -> Self::Mut<'a, T> {
                x
            }
            #[inline(always)]
            fn workspace<T: Plain>(x: Self::Mut<'_, T>) -> Self::Workspace<'_, T> {
                x
            }
            #[inline(always)]
            fn host_workspace<T: Plain>(x: &mut [T]) -> Self::Workspace<'_, T> {
                x
            }
            #[inline]
            fn matrix<T: Plain>(
                x: Self::Ref<'_, T>,
                rows: usize,
                cols: usize,
            ) -> Result<Self::Mat<'_, T>, Error> {
                MatRef::row_major(x, rows, cols)
            }
            #[inline]
            fn matrix_mut<T: Plain>(
                x: Self::Mut<'_, T>,
                rows: usize,
                cols: usize,
            ) -> Result<Self::MatMut<'_, T>, Error> {
                MatMut::row_major(x, rows, cols)
            }
            #[inline]
            fn image<T: Plain>(
                x: Self::Ref<'_, T>,
                width: usize,
                height: usize,
                channels: usize,
            ) -> Result<Self::Image<'_, T>, Error> {
                Image::new(x, width, height, channels)
            }
            #[inline]
            fn image_mut<T: Plain>(
                x: Self::Mut<'_, T>,
                width: usize,
                height: usize,
                channels: usize,
            ) -> Result<Self::ImageMut<'_, T>, Error> {
                ImageMut::new(x, width, height, channels)
            }
            #[inline(always)]
            fn vector<T: Plain>(x: Self::Ref<'_, T>) -> Self::Vec<'_, T> {
                x.into()
            }
            #[inline(always)]
            fn vector_mut<T: Plain>(x: Self::Mut<'_, T>) -> Self::VecMut<'_, T> {
                x.into()
            }
            #[inline(always)]
            fn t<T: Plain>(x: Self::Mat<'_, T>) -> Self::Mat<'_, T> {
                x.t()
            }
            #[inline]
            fn cols<T: Plain>(x: Self::Mat<'_, T>, range: Range<usize>) -> Result<Self::Mat<'_, T>, Error> {
                x.sub(0..x.rows(), range)
            }
            #[inline]
            fn split_cols<T: Plain>(
                x: Self::MatMut<'_, T>,
                col: usize,
            ) -> Result<[Self::MatMut<'_, T>; 2], Error> {
                let (a, b) = x.split_cols(col)?;
                Ok([a, b])
            }
        }
        impl<S: Simd, T: Plain> Transfer<T> for $Backend<S> {
            #[inline]
            fn write(&self, from: &[T], to: &mut [T]) -> Result<(), Error> {
                same_len("to", from.len(), to.len())?;
                to.copy_from_slice(from);
                Ok(())
            }
            #[inline]
            fn fill(&self, x: T, to: &mut [T]) -> Result<(), Error> {
                to.fill(x);
                Ok(())
            }
            #[inline]
            async fn download_async(&self, from: Self::Ref<'_, T>, to: &mut [T]) -> Result<(), Error> {
                self.write(from, to)
            }
            #[inline]
            fn download(&self, from: &[T], to: &mut [T]) -> Result<(), Error> {
                self.write(from, to)
            }
        }
        impl<S: Simd> Blocking for $Backend<S> {
            fn wait<F: Future>(&self, f: F) -> F::Output {
                // Nothing is under way when a call has returned.
                super::wait(f, || {})
            }
        }
    };
}
slices!(Cpu);
#[cfg(feature = "parallel")]
slices!(Threads);
