//! The backends (CPU, threads, GPU): a method for each op, over memory of the backend.
//!
//! A program that is generic over [`Backend`] runs wherever one exists. Its memory is made by the backend's own
//! means; what it holds are views: [`Memory::Ref`] and [`Memory::Mut`] of contiguous elements, [`Memory::Mat`] and
//! [`Memory::MatMut`] of matrices, [`Memory::Image`] and [`Memory::ImageMut`] of images. On [`Cpu`] those are `&[T]`, `&mut [T]`, [`MatRef`](crate::MatRef) and
//! [`MatMut`](crate::MatMut), and nothing is between a method and the op of the same name.
//!
//! Every method is required, so a backend that lacks an op does not compile.
//!
//! ```
//! use fulmen::backend::{Backend, Cpu};
//! fn probabilities<B: Backend<f32>>(b: &B, x: B::Ref<'_, f32>, out: B::Mut<'_, f32>) -> Result<(), B::Error> {
//!     b.softmax(x, 2, out)
//! }
//! let mut p = [0.0f32; 2];
//! probabilities(&Cpu::native(), &[1.0, 1.0], &mut p)?;
//! assert_eq!(p, [0.5, 0.5]);
//! # Ok::<(), fulmen::Error>(())
//! ```

mod bodies;
mod cpu;
mod ops;
mod plans;
mod typed;

pub use bodies::Bodies;
pub use cpu::Cpu;
#[cfg(feature = "parallel")]
pub use cpu::Threads;
pub use ops::*;
pub use plans::{Plans, SparseMatrices};
pub use typed::*;

pub use crate::plain::Plain;

use crate::Error;
use core::ops::Range;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

/// A backend's memory, seen through views. Those that are written belong to one place at a time, as `&mut` does.
pub trait Memory: 'static {
    /// Why something was not done: [`Error`], or what a device adds to it.
    type Error: core::error::Error + From<Error>;
    /// Contiguous elements, read.
    type Ref<'a, T: Plain>: Copy;
    /// Contiguous elements, written.
    type Mut<'a, T: Plain>;
    /// A matrix, read.
    type Mat<'a, T: Plain>: Copy;
    /// A matrix, written.
    type MatMut<'a, T: Plain>;

    /// A vector with a stride, read.
    type Vec<'a, T: Plain>: Copy;
    /// A vector with a stride, written.
    type VecMut<'a, T: Plain>;
    /// An image, read.
    type Image<'a, T: Plain>: Copy;
    /// An image, written.
    type ImageMut<'a, T: Plain>;
    /// What an op works in: memory of the caller's, or `()` where the backend has a pool of its own.
    type Workspace<'a, T: Plain>;

    /// Number of elements.
    fn len<T: Plain>(x: Self::Ref<'_, T>) -> usize;
    /// The elements in the range; [`Error::OutOfBounds`] when `x` has not all of them.
    fn part<T: Plain>(x: Self::Ref<'_, T>, range: Range<usize>) -> Result<Self::Ref<'_, T>, Self::Error>;
    /// The first `at` elements and the others; [`Error::OutOfBounds`].
    fn split<T: Plain>(x: Self::Mut<'_, T>, at: usize) -> Result<[Self::Mut<'_, T>; 2], Self::Error>;
    /// To be read.
    fn read<'a, T: Plain>(x: &'a Self::Mut<'_, T>) -> Self::Ref<'a, T>;
    /// To be written, for a while.
    fn lend<'a, T: Plain>(x: &'a mut Self::Mut<'_, T>) -> Self::Mut<'a, T>;
    /// To be worked in: as many elements as [`Scratch`] says, which are none where the backend has a pool of its own.
    fn workspace<T: Plain>(x: Self::Mut<'_, T>) -> Self::Workspace<'_, T>;
    /// As [`Memory::workspace`], from memory of the host. A CPU works in it, and keeps plans and sparse matrices there; a device ignores it.
    fn host_workspace<T: Plain>(x: &mut [T]) -> Self::Workspace<'_, T>;
    /// Row after row; [`Error::Len`], [`Error::Overflow`].
    fn matrix<T: Plain>(
        x: Self::Ref<'_, T>,
        rows: usize,
        cols: usize,
    ) -> Result<Self::Mat<'_, T>, Self::Error>;
    /// As [`Memory::matrix`].
    fn matrix_mut<T: Plain>(
        x: Self::Mut<'_, T>,
        rows: usize,
        cols: usize,
    ) -> Result<Self::MatMut<'_, T>, Self::Error>;
    /// An image of 1 to 4 channels, whose rows follow each other without a gap. The errors are those of [`Image::new`](crate::Image::new).
    fn image<T: Plain>(
        x: Self::Ref<'_, T>,
        width: usize,
        height: usize,
        channels: usize,
    ) -> Result<Self::Image<'_, T>, Self::Error>;
    /// As [`Memory::image`].
    fn image_mut<T: Plain>(
        x: Self::Mut<'_, T>,
        width: usize,
        height: usize,
        channels: usize,
    ) -> Result<Self::ImageMut<'_, T>, Self::Error>;
    /// Every element in its turn.
    fn vector<T: Plain>(x: Self::Ref<'_, T>) -> Self::Vec<'_, T>;
    /// As [`Memory::vector`].
    fn vector_mut<T: Plain>(x: Self::Mut<'_, T>) -> Self::VecMut<'_, T>;
    /// Rows and columns exchanged.
    fn t<T: Plain>(x: Self::Mat<'_, T>) -> Self::Mat<'_, T>;
    /// The columns in the range; [`Error::OutOfBounds`].
    fn cols<T: Plain>(x: Self::Mat<'_, T>, range: Range<usize>) -> Result<Self::Mat<'_, T>, Self::Error>;
    /// The first `col` columns and the others; [`Error::OutOfBounds`].
    fn split_cols<T: Plain>(
        x: Self::MatMut<'_, T>,
        col: usize,
    ) -> Result<[Self::MatMut<'_, T>; 2], Self::Error>;
}

/// Done, or not for a reason of the backend's.
pub type Made<M> = Result<(), <M as Memory>::Error>;
type Done = Result<(), Error>;

/// Elements between the host and a backend's memory.
pub trait Transfer<T: Plain>: Memory {
    /// From the host; [`Error::Len`].
    fn write(&self, from: &[T], to: Self::Mut<'_, T>) -> Made<Self>;
    /// The same everywhere.
    fn fill(&self, x: T, to: Self::Mut<'_, T>) -> Made<Self>;
    /// To the host, when the work before it is done; [`Error::Len`], and what went wrong in that work.
    fn download_async(&self, from: Self::Ref<'_, T>, to: &mut [T]) -> impl Future<Output = Made<Self>>;
    /// As [`Transfer::download_async`]; this thread waits.
    fn download(&self, from: Self::Ref<'_, T>, to: &mut [T]) -> Made<Self>
    where
        Self: Blocking,
    {
        self.wait(self.download_async(from, to))
    }
}

/// What a future comes to; `turn` lets what it waits for go on.
pub(crate) fn wait<F: Future>(f: F, mut turn: impl FnMut()) -> F::Output {
    let mut f = pin!(f);
    loop {
        match f.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(out) => return out,
            Poll::Pending => turn(),
        }
    }
}

/// A backend that a thread may wait for: all but the devices of a browser.
pub trait Blocking {
    /// What a future comes to that waits for nothing but this backend.
    fn wait<F: Future>(&self, f: F) -> F::Output;
}
