//! The bodies of the conversions between half-precision storage and `f32` (feature `half`).
//!
//! Plain loops over integers, which the compiler vectorises inside `vectorize` for every instruction set.

use crate::error::{Error, same_len};
use crate::lanes::Simd;
use half::{bf16, f16};

/// [`crate::float16::f16_to_f32`] of an `f16`.
#[inline(always)]
pub(crate) fn from_f16(h: f16) -> f32 {
    crate::float16::f16_to_f32(h.to_bits())
}

/// [`crate::float16::f32_to_f16`] to an `f16`.
#[inline(always)]
fn to_f16(x: f32) -> f16 {
    f16::from_bits(crate::float16::f32_to_f16(x))
}

/// Exact; NaN is quieted.
#[inline(always)]
pub(crate) fn from_bf16(h: bf16) -> f32 {
    let bits = u32::from(h.to_bits()) << 16;
    let quiet = if bits & 0x7fff_ffff > 0x7f80_0000 { 0x0040_0000 } else { 0 };
    f32::from_bits(bits | quiet)
}

/// [`crate::float16::f32_to_bf16`] to a `bf16`.
#[inline(always)]
fn to_bf16(x: f32) -> bf16 {
    bf16::from_bits(crate::float16::f32_to_bf16(x))
}

macro_rules! convert {
    ($by:ident $from:ty, $to:ty, $f:ident) => {
        pub(crate) fn $by<S: Simd>(s: S, x: &[$from], out: &mut [$to]) -> Result<(), Error> {
            same_len("out", x.len(), out.len())?;
            s.vectorize(
                #[inline(always)]
                || {
                    for (o, &x) in out.iter_mut().zip(x) {
                        *o = $f(x);
                    }
                },
            );
            Ok(())
        }
    };
}

convert! { f16_to_f32_by f16, f32, from_f16 }
convert! { f32_to_f16_by f32, f16, to_f16 }
convert! { bf16_to_f32_by bf16, f32, from_bf16 }
convert! { f32_to_bf16_by f32, bf16, to_bf16 }
