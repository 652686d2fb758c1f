//! A pool of device memory.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;

/// A buffer from the pool.
#[derive(Debug)]
pub(super) struct Allocation<B> {
    pub(super) buffer: B,
    pub(super) bytes: u64,
}

/// Buffers that nobody has, by their size.
#[derive(Debug)]
pub(super) struct Pool<B>(RefCell<BTreeMap<u64, Vec<B>>>);

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<B> Pool<B> {
    /// A buffer of this [`size`].
    pub(super) fn take(&self, size: u64) -> Option<B> {
        self.0.borrow_mut().get_mut(&size).and_then(Vec::pop)
    }

    /// For the next one.
    pub(super) fn give(&self, memory: Allocation<B>) {
        self.0.borrow_mut().entry(memory.bytes).or_default().push(memory.buffer);
    }
}

/// The bytes of a buffer of at least so many: a power of two, or a multiple of a mebibyte.
pub(super) fn size(bytes: u64, limit: u64) -> u64 {
    const LARGE: u64 = 1 << 20;
    let rounded = match bytes {
        0..=256 => 256,
        257..LARGE => bytes.next_power_of_two(),
        _ => bytes.checked_next_multiple_of(LARGE).unwrap_or(u64::MAX),
    };
    // What fits is not refused for its rounding.
    if rounded > limit { bytes } else { rounded }
}
