//! Arrays in device memory, and views of them. A mutable view is unique, as `&mut` is.

use super::super::device::{Binding, Device, Error};
use super::Gpu;
use super::pool::Allocation;
use super::state::State;
use crate::quant::Bits;
use alloc::rc::Rc;
use core::marker::PhantomData;
use core::ops::Range;

/// What a device's memory holds: numbers as they lie on the host, the lowest byte first.
pub trait Word: Bits {
    /// Bytes of an element.
    const BYTES: usize = size_of::<Self>();
}
impl<T: Bits> Word for T {}
const _: () = assert!(cfg!(target_endian = "little"), "devices have the lowest byte first");

/// Elements in memory of a device. It goes back to the pool when dropped.
#[derive(Debug)]
pub struct Array<T, D: Device> {
    // Nothing only while it is dropped.
    memory: Option<Allocation<D::Buffer>>,
    len: usize,
    state: Rc<State<D>>,
    element: PhantomData<T>,
}

impl<T, D: Device> Drop for Array<T, D> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.state.give(memory);
        }
    }
}

impl<T, D: Device> Array<T, D> {
    pub(super) fn new(memory: Allocation<D::Buffer>, len: usize, state: &Rc<State<D>>) -> Self {
        Self { memory: Some(memory), len, state: Rc::clone(state), element: PhantomData }
    }
}

impl<T: Word, D: Device> Array<T, D> {
    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of it, read.
    #[must_use]
    pub const fn view(&self) -> View<'_, T, D> {
        View { array: self, start: 0, len: self.len }
    }

    /// All of it, written.
    #[must_use]
    pub const fn view_mut(&mut self) -> ViewMut<'_, T, D> {
        ViewMut(View { array: self, start: 0, len: self.len })
    }
}

/// Contiguous elements, read.
#[derive(Debug)]
pub struct View<'a, T, D: Device> {
    array: &'a Array<T, D>,
    start: usize,
    len: usize,
}

impl<T, D: Device> Clone for View<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, D: Device> Copy for View<'_, T, D> {}

/// Contiguous elements, written.
#[derive(Debug)]
pub struct ViewMut<'a, T, D: Device>(pub(super) View<'a, T, D>);

impl<'a, T, D: Device> View<'a, T, D> {
    /// Number of elements.
    #[must_use]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The elements in the range.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds) when it has not all of them.
    pub fn part(self, range: Range<usize>) -> Result<Self, Error> {
        let bad = Error::Call(crate::Error::out_of_bounds("x", self.len));
        if range.start > range.end || range.end > self.len {
            return Err(bad);
        }
        Ok(Self { start: self.start + range.start, len: range.end - range.start, ..self })
    }

    /// The elements of a sequence, of so many of one length.
    pub(super) fn sequence(self, at: usize, of: usize) -> Result<Self, Error> {
        let n = self.len / of.max(1);
        self.part(at * n..(at + 1) * n)
    }

    /// What launches take.
    pub(super) fn binding(self, of: &Gpu<D>) -> Result<Binding<'a, D::Buffer>, Error> {
        if !Rc::ptr_eq(&self.array.state, &of.state) {
            return Err(Error::Foreign);
        }
        let memory = self.array.memory.as_ref().ok_or(Error::Foreign)?;
        let [start, end] = self.bytes();
        // Whole words: elements that are no words may be in one with a neighbour.
        let start = start - start % 4;
        Ok(Binding { buffer: &memory.buffer, start, bytes: end.next_multiple_of(4) - start })
    }

    /// Whether both are the same elements.
    pub(super) fn same(self, other: Self) -> bool {
        core::ptr::eq(self.array, other.array) && [self.start, self.len] == [other.start, other.len]
    }

    /// Where its bytes start and end.
    const fn bytes(self) -> [u64; 2] {
        let width = size_of::<T>() as u64;
        [self.start as u64 * width, (self.start + self.len) as u64 * width]
    }

    /// Whether it ends where all of it does.
    pub(super) const fn is_last(self) -> bool {
        self.start + self.len == self.array.len
    }

    /// Bytes of neighbours in the words at its ends; behind the last element of all there is none.
    pub(super) const fn beside(self) -> [usize; 2] {
        let [_, end] = self.bytes();
        [self.before(), if self.is_last() { 0 } else { (end.next_multiple_of(4) - end) as usize }]
    }

    /// Bytes between the word where the binding starts and the first element.
    pub(super) const fn before(self) -> usize {
        self.bytes()[0] as usize % 4
    }
}

impl<'a, T, D: Device> ViewMut<'a, T, D> {
    /// As [`View::sequence`]: each has its own elements.
    pub(super) fn sequence(&self, at: usize, of: usize) -> Result<Self, Error> {
        Ok(Self(self.0.sequence(at, of)?))
    }

    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// To be read.
    #[must_use]
    pub const fn read(&self) -> View<'_, T, D> {
        self.0
    }

    /// To be written, for a while.
    #[must_use]
    pub const fn lend(&mut self) -> ViewMut<'_, T, D> {
        ViewMut(self.0)
    }

    /// The first `at` elements and the others.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds).
    pub fn split(self, at: usize) -> Result<[Self; 2], Error> {
        let n = self.0.len;
        Ok([Self(self.0.part(0..at)?), Self(self.0.part(at..n)?)])
    }

    pub(super) fn binding(&self, of: &Gpu<D>) -> Result<Binding<'a, D::Buffer>, Error> {
        self.0.binding(of)
    }
}
