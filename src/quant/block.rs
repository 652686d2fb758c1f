//! The trait of block formats: codes of a few bits, scales of groups of them, and the format of the activations that
//! they are multiplied with.

use crate::float16::{f16_to_f32, f32_to_f16};
use crate::plain::Plain;
use core::fmt::Debug;

/// A block of quantised numbers, as it lies in a file: bytes without padding or alignment, little-endian, plain data to
/// [bytemuck](https://docs.rs/bytemuck).
///
/// Element `i` is `(d·scale)·code − m·min`, where the codes and the scales and mins of groups are small integers, and
/// `d` and `m` belong to the block.
pub trait Block: Plain + bytemuck::Pod + Debug + PartialEq + Sealed {
    /// The name in lower case, such as `"q4_k"`.
    const NAME: &'static str;
    /// The number of the type in GGUF files, if they have it.
    const TYPE: Option<u32>;
    /// Elements in a block: a multiple of 32.
    const ELEMENTS: usize;
    /// What the products take beside it.
    type Partner: Activation;
}

/// A format of activations: [`quantize`](crate::quantize()) makes them fast enough for each product.
pub trait Activation: Block<Partner = Self> + Active {}

pub(crate) use sealed::*;
mod sealed {
    use super::super::layout::Words;
    use super::part;
    use crate::lanes::Simd;

    /// The parts of a format that only this crate uses.
    pub trait Sealed: Sized + 'static {
        /// Whether codes may be negative; otherwise they are below 64.
        const SIGNED: bool = false;
        /// What is taken off each code.
        const OFFSET: i32 = 0;
        /// Whether groups have scales of their own, and mins where there are any.
        const GROUPS: bool = false;
        /// Elements that share a scale, where groups have such: 16 or 32.
        const GROUP: usize = 16;
        /// Whether there are mins.
        const MINS: bool = false;
        /// The largest magnitude that it can hold.
        const LIMIT: f32 = 65504.0;
        /// Whether codes are of 16 bits, in which a product takes a table's numbers: [`Sealed::codes`] are their high bytes.
        const FINE: bool = false;
        /// Zeros.
        const ZERO: Self;
        /// Where its parts lie.
        const WORDS: Words;
        /// The factors of scales and of mins.
        fn factors<S: Simd>(s: S, x: [&Self; 4]) -> [[f32; 4]; 2];
        /// The codes of the elements from `32·chunk`.
        fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes;
        /// The low bytes of codes, signed.
        #[inline(always)]
        fn fine<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
            self.codes(s, chunk)
        }
        /// The scales of groups of 16, and their mins.
        #[inline(always)]
        fn scales<S: Simd>(&self, s: S) -> [S::Codes; 2] {
            [s.scales([1; 16]); 2]
        }
        /// The elements.
        #[inline(always)]
        fn decode<S: Simd>(&self, s: S, out: &mut [f32]) {
            let [[d, ..], [m, ..]] = Self::factors(s, [self; 4]);
            let [scales, mins] = self.scales(s);
            let (scales, mins) = (s.array(scales), s.array(mins));
            let of = |x: &[u8; 32], i: usize| f32::from(i16::from_le_bytes(part(x, 2 * i)));
            for (chunk, out) in out.chunks_exact_mut(32).enumerate() {
                let codes = s.array(self.codes(s, chunk));
                for ((codes, out), i) in
                    codes.chunks_exact(16).zip(out.chunks_exact_mut(16)).zip([chunk, 8 + chunk])
                {
                    let (scale, min) = (d * of(&scales, i), m * of(&mins, i));
                    for (out, q) in out.iter_mut().zip(codes) {
                        let x = scale * (i32::from(*q as i8) - Self::OFFSET) as f32;
                        *out = if Self::MINS { x - min } else { x };
                    }
                }
            }
        }
        /// The block nearest to `x`, whose squared errors have the weights `w`.
        fn encode(x: &[f32], w: Option<&[f32]>) -> Self;
    }

    /// The parts of a format of activations.
    pub trait Active {
        /// The sums of the codes of groups of 16, where weights have such.
        #[inline(always)]
        fn sums<S: Simd>(&self, s: S) -> S::Codes {
            s.scales([0; 16])
        }
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
        f16_to_f32(self.bits())
    }
    #[inline(always)]
    pub(crate) fn bits(self) -> u16 {
        u16::from_le_bytes(self.0)
    }
    #[inline(always)]
    pub(crate) fn of(x: f32) -> Self {
        Self(f32_to_f16(x).to_le_bytes())
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
        let bits = f32_to_f16(x);
        let (less, more) = (bits & 0x7fff > 0, bits & 0x7fff < 0x7bff);
        [bits - u16::from(less), bits, bits + u16::from(more)].map(|x| Self(x.to_le_bytes()))
    }
}

/// The low four bits of 32 codes: those of the first half are the low halves.
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
