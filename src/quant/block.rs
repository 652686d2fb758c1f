//! What a format of blocks is: codes of a few bits, scales of groups of them, and what those are multiplied with.

use crate::float16::{narrow, widen};
use core::fmt::Debug;

/// A block of quantised numbers, as it lies in a file: bytes without padding or alignment, little-endian.
///
/// Element `i` is `(d·scale)·code − m·min`, where the codes and the scales and mins of groups are small integers, and
/// `d` and `m` belong to the block.
pub trait Block: Copy + Debug + PartialEq + Send + Sync + 'static + Sealed {
    /// The name in lower case, such as `"q4_k"`.
    const NAME: &'static str;
    /// The number of the type in GGUF files.
    const TYPE: u32;
    /// Elements in a block: a multiple of 32.
    const ELEMENTS: usize;
    /// What the products take beside it.
    type Partner: Activation;
}

/// A format of activations: [`quantize`](crate::quantize()) makes them fast enough for each product.
pub trait Activation: Block + Active {}

pub(crate) use sealed::*;
mod sealed {
    use crate::lanes::Simd;

    /// The parts of a format that only this crate uses.
    pub trait Sealed: Sized {
        /// The range of the codes, for [`Simd::dot_i8`](crate::lanes::Simd).
        const RANGE: u8;
        /// Whether there are mins.
        const MINS: bool;
        /// The largest magnitude that it can hold.
        const LIMIT: f32;
        /// All zeros.
        const ZERO: Self;
        /// The factors of scales and mins.
        fn factors(&self) -> [f32; 2];
        /// The codes of the elements from `32·chunk`.
        fn codes<S: Simd>(&self, s: S, chunk: usize) -> [i8; 32];
        /// The scales of the two halves of that chunk.
        fn scales(&self, _chunk: usize) -> [i32; 2] {
            [1, 1]
        }
        /// The mins of them.
        fn mins(&self, _chunk: usize) -> [i32; 2] {
            [1, 1]
        }
        /// The block nearest to `x`, whose squared errors have the weights `w`.
        fn encode(x: &[f32], w: Option<&[f32]>) -> Self;
    }

    /// The parts of a format of activations.
    pub trait Active {
        /// The factor of the codes.
        fn factor(&self) -> f32;
        /// The sum of the codes of a half of a chunk.
        fn sums(&self, chunk: usize) -> [i32; 2];
        /// `mins` times the sums of the elements.
        fn offset(&self, weighted: i32) -> f32;
    }
}

/// A half-precision number of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Half([u8; 2]);

impl Half {
    pub(crate) const ZERO: Self = Self([0; 2]);
    #[inline(always)]
    pub(crate) fn get(self) -> f32 {
        widen(u16::from_le_bytes(self.0))
    }
    #[inline(always)]
    pub(crate) fn of(x: f32) -> Self {
        Self(narrow(x).to_le_bytes())
    }
    /// The nearest that has at least the magnitude of `x`.
    pub(crate) fn above(x: f32) -> Self {
        let near = Self::of(x);
        let bits = u16::from_le_bytes(near.0);
        let more = near.get().abs() < x.abs() && bits & 0x7fff < 0x7bff;
        Self((bits + u16::from(more)).to_le_bytes())
    }
    /// `x` as a half, and its neighbours of a smaller and a larger magnitude.
    pub(crate) fn around(x: f32) -> [Self; 3] {
        let bits = narrow(x);
        let (less, more) = (bits & 0x7fff > 0, bits & 0x7fff < 0x7bff);
        [bits - u16::from(less), bits, bits + u16::from(more)].map(|x| Self(x.to_le_bytes()))
    }
}

/// The low halves of 16 bytes, then the high ones.
#[inline(always)]
pub(crate) fn nibbles(x: &[u8; 16]) -> [i8; 32] {
    let mut to = [0; 32];
    let (low, high) = to.split_at_mut(16);
    for ((low, high), x) in low.iter_mut().zip(high).zip(x) {
        *low = (x & 15) as i8;
        *high = (x >> 4) as i8;
    }
    to
}

/// The inverse of [`nibbles`], of the low four bits.
pub(crate) fn pack_nibbles(x: &[i8; 32]) -> [u8; 16] {
    let (low, high) = x.split_at(16);
    let mut to = [0; 16];
    for ((to, low), high) in to.iter_mut().zip(low).zip(high) {
        *to = (low & 15) as u8 | ((high & 15) as u8) << 4;
    }
    to
}

/// The `N` elements from `at`, zeros past the end.
#[inline(always)]
pub(crate) fn part<T: Copy + Default, const N: usize>(x: &[T], at: usize) -> [T; N] {
    x.get(at..).and_then(|x| x.first_chunk()).copied().unwrap_or([T::default(); N])
}

macro_rules! size {
    ($($T:ident = $n:literal),*) => {$(const _: () = {
        assert!(size_of::<$T>() == $n && align_of::<$T>() == 1);
    };)*};
}
pub(crate) use size;
