//! Converts 8- and 16-bit integers (samples of images and of sound) to floats.

use super::super::error::Error;
use super::super::ir::Kernel;
use super::super::record::Recorded;
use super::super::types::{S32, U32, U64};
use super::blocks::low_half;
use super::flat::{each, get, named, put};

/// What a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// A byte.
    U8,
    /// 16 bits with a sign.
    I16,
}

impl Sample {
    /// The op that reads such.
    #[must_use]
    pub const fn op(self) -> &'static str {
        match self {
            Self::U8 => "u8_to_float",
            Self::I16 => "i16_to_float",
        }
    }
}

/// `out[i] = x[i]·scale[c] + offset[c]`, `c = i mod channels`, a thread for each. Parameters: the words of `x`, scales, offsets,
/// `out`; the elements, channels, elements of `x` before the first in its word.
pub fn affine<T: Recorded>(of: Sample) -> Result<Kernel, Error> {
    let b = named::<T>(of.op());
    let [x, scale, offset, out] = b.params::<U64, 4>();
    let [n, channels, before] = b.params::<U32, 3>();
    // A word has two to the first power of them: WGSL reads nothing smaller.
    let (many, bits) = match of {
        Sample::U8 => (2, 3),
        Sample::I16 => (1, 4),
    };
    each(&b, n, |i| {
        let e = i + before;
        let place = (e & b.int((1 << many) - 1)) << b.int(bits);
        let part = get::<U32>(x, e >> b.int(many)) >> place;
        let v = match of {
            Sample::U8 => part & b.int(0xff),
            Sample::I16 => low_half(part),
        };
        let c = i - i / channels * channels;
        // Rounded twice, as on a CPU.
        put(out, i, v.cast::<S32>().to::<T>() * get(scale, c) + get(offset, c));
    });
    b.finish()
}
