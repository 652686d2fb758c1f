//! `Stream` as a generator of `rand_core`, which advances with each number.

use super::Stream;
use super::stream::BLOCKS;
use core::convert::Infallible;
use rand_core::{SeedableRng, TryRng};

/// A place of the stream, and after each call the next one, so that [`crate::random_bits`] gives what the calls gave: a word
/// of 32 bits; two of them, the low one first, for 64 bits; for bytes as many words as they fill, the first byte lowest, of
/// which what is left is dropped. Past 2⁶⁴ words the stream starts again.
///
/// A copy gives the same numbers once more. A word alone costs a block of four; many at a time go through
/// [`crate::random_bits`], which is far faster.
///
/// ```
/// use fulmen::random::Stream;
/// use rand_core::Rng;
/// let mut words = [0; 4];
/// fulmen::random_bits(Stream::new(7), &mut words);
/// let mut rng = Stream::new(7);
/// assert_eq!([rng.next_u32(), rng.next_u32()], words[..2]);
/// assert_eq!(rng, Stream::new(7).skip(2));
/// ```
impl TryRng for Stream {
    type Error = Infallible;
    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let [a, b, c, d] = self.generate_at(self.offset / 4);
        let word = match self.offset % 4 {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        };
        *self = self.skip(1);
        Ok(word)
    }
    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let (low, high) = (self.try_next_u32()?, self.try_next_u32()?);
        Ok(u64::from(high) << 32 | u64::from(low))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let mut words = [0; 4 * BLOCKS];
        for bytes in bytes.chunks_mut(16 * BLOCKS) {
            let n = bytes.len().div_ceil(4);
            let words = words.get_mut(..n).unwrap_or_default();
            crate::random_bits(*self, words);
            *self = self.skip(n as u64);
            for (byte, word) in bytes.iter_mut().zip(words.iter().flat_map(|w| w.to_le_bytes())) {
                *byte = word;
            }
        }
        Ok(())
    }
}

/// The start of the first stream of a key.
impl SeedableRng for Stream {
    type Seed = [u8; 8];
    #[inline]
    fn from_seed(seed: [u8; 8]) -> Self {
        Self::new(u64::from_le_bytes(seed))
    }
    /// [`Stream::new`]: the generator mixes keys itself.
    #[inline]
    fn seed_from_u64(key: u64) -> Self {
        Self::new(key)
    }
}
