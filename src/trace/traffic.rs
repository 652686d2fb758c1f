//! The memory that a call reads and writes.

use crate::view::{Image, ImageMut, MatMut, MatRef, VecMut, VecRef};

/// The size of the operands of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of elements that are written.
    pub elements: u64,
    /// The bytes of the operands: once for an operand that is read or written, twice for one that is both.
    pub bytes: u64,
}

impl Traffic {
    /// Adds an operand that is read.
    #[inline]
    pub fn read(&mut self, x: &impl Operand) {
        let (_, bytes) = x.extent();
        self.bytes = self.bytes.saturating_add(bytes);
    }
    /// Adds an operand that is written.
    #[inline]
    pub fn written(&mut self, x: &impl Operand) {
        let (elements, bytes) = x.extent();
        self.elements = self.elements.saturating_add(elements);
        self.bytes = self.bytes.saturating_add(bytes);
    }
    /// Adds an operand that is read and written.
    #[inline]
    pub fn updated(&mut self, x: &impl Operand) {
        self.read(x);
        self.written(x);
    }
}

/// An operand with elements in memory.
pub trait Operand {
    /// The number of its elements, and their bytes.
    fn extent(&self) -> (u64, u64);
}

#[inline]
const fn of<T>(n: u64) -> (u64, u64) {
    (n, n.saturating_mul(size_of::<T>() as u64))
}
const fn area(a: usize, b: usize) -> u64 {
    (a as u64).saturating_mul(b as u64)
}

impl<T> Operand for &[T] {
    fn extent(&self) -> (u64, u64) {
        of::<T>(self.len() as u64)
    }
}
impl<T> Operand for &mut [T] {
    fn extent(&self) -> (u64, u64) {
        of::<T>(self.len() as u64)
    }
}
impl<T: Operand> Operand for Option<T> {
    fn extent(&self) -> (u64, u64) {
        self.as_ref().map_or((0, 0), T::extent)
    }
}

macro_rules! views {
    ($($Matrix:ident $Vector:ident $Image:ident;)*) => {$(
        impl<T> Operand for $Matrix<'_, T> {
            fn extent(&self) -> (u64, u64) {
                of::<T>(area(self.rows(), self.cols()))
            }
        }
        impl<T> Operand for $Vector<'_, T> {
            fn extent(&self) -> (u64, u64) {
                of::<T>(self.len() as u64)
            }
        }
        impl<T> Operand for $Image<'_, T> {
            fn extent(&self) -> (u64, u64) {
                of::<T>(area(self.width(), self.height()).saturating_mul(self.channels() as u64))
            }
        }
    )*};
}
views! {
    MatRef VecRef Image;
    MatMut VecMut ImageMut;
}
