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

    /// As if nothing had been written.
    pub(super) fn forget(&mut self) {
        self.written.fill(false);
    }

    #[inline]
    fn range(&self, at: u64, n: u32) -> Option<core::ops::Range<usize>> {
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(n as usize)?;
        (end <= self.data.len()).then_some(start..end)
    }

    #[inline]
    pub(super) fn read(&self, at: u64, n: u32, who: Access) -> Result<u64, Error> {
        let range = self.range(at, n).ok_or_else(|| who.missing(n))?;
        let (data, written) = (self.data.get(range.clone()), self.written.get(range));
        let (data, written) = (data.unwrap_or_default(), written.unwrap_or_default());
        let word = match n {
            1 => word::<1>(data, written),
            2 => word::<2>(data, written),
            4 => word::<4>(data, written),
            _ => word::<8>(data, written),
        };
        word.ok_or(Error::Uninitialised { space: who.space, address: who.address })
    }

    #[inline]
    pub(super) fn write(&mut self, at: u64, n: u32, v: u64, who: Access) -> Result<(), Error> {
        let range = self.range(at, n).ok_or_else(|| who.missing(n))?;
        let data = self.data.get_mut(range.clone()).unwrap_or_default();
        let written = self.written.get_mut(range).unwrap_or_default();
        for ((b, w), from) in data.iter_mut().zip(written).zip(v.to_le_bytes()) {
            (*b, *w) = (from, true);
        }
        Ok(())
    }
}

/// So many bytes as a number, if all were written.
#[inline]
fn word<const N: usize>(data: &[u8], written: &[bool]) -> Option<u64> {
    let (data, written) = (data.first_chunk::<N>()?, written.first_chunk::<N>()?);
    let mut bytes = [0; 8];
    *bytes.first_chunk_mut()? = *data;
    (*written == [true; N]).then_some(u64::from_le_bytes(bytes))
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

    /// An address is a multiple of the width, a power of two.
    #[inline]
    pub(super) fn aligned(self, bytes: u32) -> Result<(), Error> {
        if self.address & u64::from(bytes).wrapping_sub(1) == 0 {
            Ok(())
        } else {
            Err(Error::Misaligned { space: self.space, address: self.address, bytes })
        }
    }
}

/// Who touched each byte of shared memory since the last barrier.
#[derive(Debug, Clone, Default)]
pub(super) struct Races {
    epoch: u32,
    cells: Vec<Cell>,
}

/// A byte; of another epoch, nobody has touched it. A block has at most 1024 threads.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    epoch: u32,
    writer: Option<u16>,
    reader: Option<u16>,
    atomic: bool,
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
        self.epoch = self.epoch.checked_add(1).unwrap_or_else(|| {
            // No cell may seem to be of an epoch that comes again.
            self.cells.fill(Cell::default());
            1
        });
    }

    /// Refuses an access that no barrier separates from a conflicting one of another thread.
    pub(super) fn access(&mut self, at: u64, n: u32, thread: u32, kind: Kind) -> Result<(), Error> {
        let (start, epoch, me) = (at as usize, self.epoch, Some(thread as u16));
        let (reads, atomic) = (kind == Kind::Read, kind == Kind::Atomic);
        for cell in self.cells.get_mut(start..start.saturating_add(n as usize)).unwrap_or_default() {
            if cell.epoch != epoch {
                let (writer, reader) = if reads { (None, me) } else { (me, None) };
                *cell = Cell { epoch, writer, reader, atomic, readers: false };
                continue;
            }
            let conflict = match (cell.writer, cell.reader) {
                (w @ Some(_), _) if w != me && !(atomic && cell.atomic) => w,
                (_, r @ Some(_)) if !reads && (cell.readers || r != me) => r,
                _ => None,
            };
            if let Some(first) = conflict {
                return Err(Error::Race { address: at, first: u32::from(first), second: thread });
            }
            if reads {
                cell.readers |= cell.reader.is_some() && cell.reader != me;
                cell.reader = me;
            } else {
                cell.atomic = atomic && (cell.writer.is_none() || cell.atomic);
                cell.writer = me;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Races};

    /// What was touched is forgotten at the barrier after which the epochs start again, too.
    #[test]
    fn epochs_that_start_again_are_new() {
        let mut races = Races::new();
        races.fit(4);
        races.access(0, 4, 1, Kind::Write).unwrap();
        races.epoch = u32::MAX;
        races.barrier();
        races.access(0, 4, 2, Kind::Write).unwrap();
        races.access(0, 4, 3, Kind::Read).unwrap_err();
    }
}
