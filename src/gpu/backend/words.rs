//! Writes and fills arrays whose elements are narrower than a 32-bit word: at both ends the bytes of neighbours are
//! kept.

use super::super::device::{Binding, Device, Error, Launch};
use super::super::template::{Argument, flat};
use super::super::types::F32;
use super::Gpu;
use alloc::vec;
use alloc::vec::Vec;

impl<D: Device> Gpu<D> {
    /// Writes the words at the ends of which something else stays: `before` bytes of the first, `after` of the last. What
    /// is left has whole words.
    pub(super) fn ends<'a>(
        &self,
        mut b: Binding<'a, D::Buffer>,
        mut bytes: Vec<u8>,
        [before, after]: [usize; 2],
    ) -> Result<(Binding<'a, D::Buffer>, Vec<u8>), Error> {
        let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |w| u32::from_le_bytes(*w));
        let (first, last) = (!(u32::MAX << (8 * before)), !(u32::MAX >> (8 * after)));
        let keep = |at: u64, bits: u32, mask: u32| {
            let program = self.state.planner.one::<F32>("word", || Some(flat::word()))?;
            let arguments =
                vec![Argument::Buffer(0), Argument::Bits(mask.into()), Argument::Bits((bits & !mask).into())];
            let launch = Launch { program, grid: [1; 3], block: [32, 1, 1], arguments };
            self.state.launch(&[launch], &[Binding { buffer: b.buffer, start: at, bytes: 4 }])
        };
        let (mut start, mut left) = (b.start, b.bytes);
        if left == 4 && (before > 0 || after > 0) {
            keep(start, word(&bytes), first | last)?;
            (b.bytes, bytes) = (0, Vec::new());
            return Ok((b, bytes));
        }
        if after > 0 {
            left -= 4;
            let at = bytes.split_off(left as usize);
            keep(start + left, word(&at), last)?;
        }
        if before > 0 {
            keep(start, word(&bytes), first)?;
            bytes.drain(..4);
            (start, left) = (start + 4, left - 4);
        }
        (b.start, b.bytes) = (start, left);
        Ok((b, bytes))
    }

    /// The words that so many bytes of the host are, copied as they lie.
    #[cfg(all(feature = "cuda", feature = "std", any(target_os = "linux", target_os = "windows")))]
    pub(in super::super) fn as_it_lies<'a, T: super::Word>(
        &self,
        x: super::View<'a, T, D>,
        bytes: usize,
    ) -> Result<Binding<'a, D::Buffer>, Error> {
        let (b, device) = (x.binding(self)?, || self.state.planner.device.clone());
        if self.state.is_bf16(b.buffer) {
            let what = "copies of elements stored as bf16";
            return Err(Error::Limit { device: device(), what, asked: 1, available: 0 });
        }
        if b.bytes != bytes as u64 {
            return Err(Error::Range {
                device: device(),
                start: b.start,
                bytes: bytes as u64,
                available: b.bytes,
            });
        }
        Ok(b)
    }
}
