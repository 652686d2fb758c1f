//! Casts between slices of quantised blocks and the bytes of files.

use super::Block;
use crate::Error;
use bytemuck::{must_cast_slice, must_cast_slice_mut, try_cast_slice, try_cast_slice_mut};
#[cfg(all(feature = "gpu", feature = "half"))]
use half::slice::HalfFloatSliceExt;

/// The blocks that lie in `bytes`, of any alignment, without a copy.
///
/// Errors: [`Error::Rows`] when the length is not a multiple of the block's.
///
/// ```
/// use fulmen::quant::{Q4_0, blocks, bytes_of};
/// let file = [0u8; 36];
/// let weights = blocks::<Q4_0>(&file)?;
/// assert_eq!((weights.len(), bytes_of(weights)), (2, &file[..]));
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn blocks<B: Block>(bytes: &[u8]) -> Result<&[B], Error> {
    try_cast_slice(bytes).map_err(|_| Error::rows("bytes", size_of::<B>(), bytes.len()))
}

/// As many blocks as fit into `scratch`, of the bytes that are there: scratch in `f32` serves for blocks of any format.
///
/// ```
/// use fulmen::quant::{Q8_0, blocks_in};
/// let (x, mut scratch) = ([1.0; 64], [0.0; 20]);
/// let to = blocks_in::<Q8_0>(&mut scratch);
/// fulmen::quantize(&x, None, to)?;
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn blocks_in<B: Block>(scratch: &mut [f32]) -> &mut [B] {
    let bytes: &mut [u8] = must_cast_slice_mut(scratch);
    let whole = bytes.len() - bytes.len() % size_of::<B>().max(1);
    bytes.get_mut(..whole).and_then(|bytes| try_cast_slice_mut(bytes).ok()).unwrap_or_default()
}

/// The bytes of blocks, as a file holds them.
pub fn bytes_of<B: Block>(blocks: &[B]) -> &[u8] {
    must_cast_slice(blocks)
}

/// What a device's memory holds, as the bytes in which it lies on the host.
#[cfg(feature = "gpu")]
pub trait Bits: Copy + 'static {
    /// As they lie in memory.
    fn bytes(x: &[Self]) -> &[u8];
    /// As they lie in memory, to be written.
    fn bytes_mut(x: &mut [Self]) -> &mut [u8];
}
#[cfg(feature = "gpu")]
macro_rules! bits {
    ($($(#[$cfg:meta])* [$($bound:tt)*] $T:ty $(, $as:ident $as_mut:ident)?;)*) => {$(
        $(#[$cfg])*
        impl<$($bound)*> Bits for $T {
            fn bytes(x: &[Self]) -> &[u8] {
                must_cast_slice(x $(.$as())?)
            }
            fn bytes_mut(x: &mut [Self]) -> &mut [u8] {
                must_cast_slice_mut(x $(.$as_mut())?)
            }
        }
    )*};
}
#[cfg(feature = "gpu")]
bits! {
    [] f32;
    [] f64;
    [] u32;
    [] i32;
    [] i16;
    [] u16;
    [] u8;
    [] i8;
    [] i64;
    [] u64;
    [] crate::E4m3;
    [T: crate::lanes::Element] crate::Complex<T>;
    [B: Block] B;
    // Half precision is plain data to bytemuck under a feature of `half` for which macros are compiled.
    #[cfg(feature = "half")]
    [] half::bf16, reinterpret_cast reinterpret_cast_mut;
    #[cfg(feature = "half")]
    [] half::f16, reinterpret_cast reinterpret_cast_mut;
}
