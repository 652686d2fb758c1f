//! Casts between slices of quantised blocks and the bytes of files.

use super::Block;
use crate::Error;

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
    const { assert!(align_of::<B>() == 1 && size_of::<B>() > 0) };
    let each = size_of::<B>();
    if !bytes.len().is_multiple_of(each) {
        return Err(Error::rows("bytes", each, bytes.len()));
    }
    // SAFETY: the trait is sealed, and each block is `repr(C)` of byte arrays: any bits are a value of it, its
    // alignment is 1, and so many fit into the slice.
    Ok(unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / each) })
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
    const { assert!(align_of::<B>() == 1 && size_of::<B>() > 0) };
    let fit = size_of_val(scratch) / size_of::<B>();
    // SAFETY: any bits are a value of a block, as in `blocks`, and of an `f32`; the alignment is 1, so many fit into the
    // slice, and its borrow lasts as long as that of the result.
    unsafe { core::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast(), fit) }
}

/// The bytes of blocks, as a file holds them.
pub fn bytes_of<B: Block>(blocks: &[B]) -> &[u8] {
    as_bytes(blocks)
}

/// Types without padding of which any bits are a value: this module's list.
pub trait Bits: Copy + 'static {}
macro_rules! bits {
    ($($t:ty)*) => { $(impl Bits for $t {})* };
}
bits! { f32 f64 u32 i32 i16 u8 i8 crate::E4m3 }
#[cfg(feature = "half")]
bits! { half::bf16 half::f16 }
impl<T: Bits> Bits for crate::Complex<T> {}
impl<B: Block> Bits for B {}

/// As they lie in memory.
pub fn as_bytes<T: Bits>(x: &[T]) -> &[u8] {
    // SAFETY: a type of the list has no padding (blocks are byte arrays, complex numbers two of one type); the bytes of the
    // slice are borrowed as long as it is.
    unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), size_of_val(x)) }
}

/// As they lie in memory, written.
#[cfg(feature = "gpu")]
pub fn as_bytes_mut<T: Bits>(x: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `as_bytes`; whatever is written is a value.
    unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), size_of_val(x)) }
}
