//! A zeroed heap buffer on a cache line, for callers that have an allocator (feature `alloc`).

use crate::lanes::Element;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// `len` elements that start on a 64-byte boundary, zeroed.
///
/// No kernel needs the alignment; loads that don't cross a cache line are faster in the caches.
///
/// ```
/// let mut x = fulmen::Buffer::<f32>::new(1000);
/// fulmen::map_in_place(fulmen::Scale(2.0), &mut x)?;
/// assert_eq!(x.as_ptr().align_offset(64), 0);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
pub struct Buffer<T> {
    // One line longer than needed; `start` is where the first whole line begins.
    room: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Element> Buffer<T> {
    /// Bytes in a cache line of the machines we know.
    const LINE: usize = 64;

    /// Allocates and zeroes.
    pub fn new(len: usize) -> Self {
        let slack = Self::LINE / size_of::<T>();
        let room = alloc::vec![T::ZERO; len.saturating_add(slack)];
        let start = room.as_ptr().align_offset(Self::LINE).min(slack);
        Self { room, start, len }
    }
}

impl<T: Element> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        let mut new = Self::new(self.len);
        for (to, from) in new.iter_mut().zip(self.iter()) {
            *to = *from;
        }
        new
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.room.get(self.start..self.start + self.len).unwrap_or(&[])
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.room.get_mut(self.start..self.start + self.len).unwrap_or(&mut [])
    }
}
