//! `Buffer`, a zeroed heap allocation that is aligned to a cache line (feature `alloc`).

use crate::lanes::Element;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::alloc::Layout;
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
    /// Elements in it.
    const SPARE: usize = Self::LINE / size_of::<T>();

    /// Allocates and zeroes.
    ///
    /// Where there is no memory for it, or none can be that large, `handle_alloc_error` ends the program, as it does for
    /// any container of the standard library. [`Buffer::try_new`] returns instead.
    pub fn new(len: usize) -> Self {
        let elements = len.saturating_add(Self::SPARE);
        if Layout::array::<T>(elements).is_err() {
            alloc::alloc::handle_alloc_error(Layout::new::<T>());
        }
        Self::within(alloc::vec![T::ZERO; elements], len)
    }

    /// As [`Buffer::new`], or an error where there is no memory for it.
    ///
    /// ```
    /// use fulmen::Buffer;
    /// assert_eq!(Buffer::<f32>::try_new(1000)?.len(), 1000);
    /// assert!(Buffer::<f32>::try_new(usize::MAX).is_err());
    /// # Ok::<(), std::collections::TryReserveError>(())
    /// ```
    pub fn try_new(len: usize) -> Result<Self, TryReserveError> {
        let elements = len.saturating_add(Self::SPARE);
        let mut room = Vec::new();
        room.try_reserve_exact(elements)?;
        room.resize(elements, T::ZERO);
        Ok(Self::within(room, len))
    }

    /// `room` has [`Self::SPARE`] elements more than `len`.
    fn within(room: Vec<T>, len: usize) -> Self {
        let start = room.as_ptr().align_offset(Self::LINE).min(Self::SPARE);
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
