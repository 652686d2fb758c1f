//! The checked memory of the interpreter: it finds accesses out of bounds, misaligned or uninitialised, and data races.

use super::super::error::Error;
use alloc::vec;
use alloc::vec::Vec;

/// Bytes, and which of them were written.
#[derive(Debug, Clone, Default)]
pub struct Bytes {
    data: Vec<u8>,
    written: Vec<bool>,
}

impl Bytes {
    /// `n` bytes that nothing has written.
    #[must_use]
    pub fn uninitialised(n: usize) -> Self {
        Self { data: vec![0; n], written: vec![false; n] }
    }

    /// These bytes.
    #[must_use]
    pub fn new(data: Vec<u8>) -> Self {
        Self { written: vec![true; data.len()], data }
    }

    /// The values, written or not.
    #[must_use]
    pub fn f32(values: &[f32]) -> Self {
        Self::new(values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// The values.
    #[must_use]
    pub fn f64(values: &[f64]) -> Self {
        Self::new(values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// What is there, four bytes at a time.
    #[must_use]
    pub fn to_f32(&self) -> Vec<f32> {
        let words = self.data.as_chunks::<4>().0;
        words.iter().map(|w| f32::from_le_bytes(*w)).collect()
    }

    /// What is there, eight bytes at a time.
    #[must_use]
    pub fn to_f64(&self) -> Vec<f64> {
        let words = self.data.as_chunks::<8>().0;
        words.iter().map(|w| f64::from_le_bytes(*w)).collect()
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Writes what lies in the range, as far as both are long; all of the range counts as written.
    pub fn fill(&mut self, range: core::ops::Range<usize>, from: &[u8]) {
        let to = self.data.get_mut(range.clone()).unwrap_or_default();
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        self.written.get_mut(range).unwrap_or_default().fill(true);
    }

    /// Whether every byte was written.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.written.iter().all(|w| *w)
    }

    fn range(&self, at: u64, n: u32) -> Option<core::ops::Range<usize>> {
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(n as usize)?;
        (end <= self.data.len()).then_some(start..end)
    }

    pub(super) fn read(&self, at: u64, n: u32, who: Access) -> Result<u64, Error> {
        let range = self.range(at, n).ok_or(who.missing(n))?;
        if self.written.get(range.clone()).unwrap_or_default().contains(&false) {
            return Err(Error::Uninitialised { space: who.space, address: who.address });
        }
        let bytes = self.data.get(range).unwrap_or_default();
        Ok(match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)),
        })
    }

    pub(super) fn write(&mut self, at: u64, n: u32, mut v: u64, who: Access) -> Result<(), Error> {
        let range = self.range(at, n).ok_or(who.missing(n))?;
        for b in self.data.get_mut(range.clone()).unwrap_or_default() {
            *b = v as u8;
            v >>= 8;
        }
        self.written.get_mut(range).unwrap_or_default().fill(true);
        Ok(())
    }
}

/// Who accesses what, for errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) space: &'static str,
    pub(super) address: u64,
    pub(super) thread: u32,
}

impl Access {
    pub(super) fn missing(self, bytes: u32) -> Error {
        Error::OutOfBounds { space: self.space, address: self.address, bytes, thread: self.thread }
    }

    /// An address is a multiple of the width.
    pub(super) fn aligned(self, bytes: u32) -> Result<(), Error> {
        if self.address.is_multiple_of(u64::from(bytes)) {
            Ok(())
        } else {
            Err(Error::Misaligned { space: self.space, address: self.address, bytes })
        }
    }
}

/// Who touched each byte of shared memory since the last barrier.
#[derive(Debug, Clone, Default)]
pub(super) struct Races {
    epoch: u64,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    epoch: u64,
    writer: Option<u32>,
    atomic: bool,
    reader: Option<u32>,
    readers: bool,
}

/// What an access does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Atomic,
}

impl Races {
    pub(super) const fn new() -> Self {
        Self { epoch: 0, cells: Vec::new() }
    }

    /// Of another block, with so many bytes: what was before is forgotten.
    pub(super) fn fit(&mut self, n: usize) {
        self.cells.resize(n, Cell::default());
        self.barrier();
    }

    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Refuses an access that no barrier separates from a conflicting one of another thread.
    pub(super) fn access(&mut self, at: u64, n: u32, thread: u32, kind: Kind) -> Result<(), Error> {
        let start = at as usize;
        for cell in self.cells.get_mut(start..start.saturating_add(n as usize)).unwrap_or_default() {
            if cell.epoch != self.epoch {
                *cell = Cell { epoch: self.epoch, ..Cell::default() };
            }
            let atomic = matches!(kind, Kind::Atomic);
            let conflict = match (cell.writer, cell.reader) {
                (Some(w), _) if w != thread && !(atomic && cell.atomic) => Some(w),
                (_, Some(r)) if !matches!(kind, Kind::Read) && (cell.readers || r != thread) => Some(r),
                _ => None,
            };
            if let Some(first) = conflict {
                return Err(Error::Race { address: at, first, second: thread });
            }
            match kind {
                Kind::Read => {
                    cell.readers |= matches!(cell.reader, Some(r) if r != thread);
                    cell.reader = Some(thread);
                }
                Kind::Write | Kind::Atomic => {
                    cell.atomic = atomic && (cell.writer.is_none() || cell.atomic);
                    cell.writer = Some(thread);
                }
            }
        }
        Ok(())
    }
}
