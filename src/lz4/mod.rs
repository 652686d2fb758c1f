//! Compression of bytes to LZ4 blocks, and decompression.
//!
//! Data is cut into blocks that are compressed by themselves, so that threads, and warps of a device, have one each. A compressed block
//! lies in a slot of [`lz4_bound`] bytes, which always has room for it; [`lz4_compress`] says how many are used.
//! Any decoder of LZ4 blocks reads them, and [`lz4_decompress`] reads those of any encoder. Frames (`.lz4` files), which hold such blocks, are read and written by the example `lz4`.
//!
//! On CUDA a warp has a block, and makes the same bytes: it looks at 32 places at once, and takes the first that matches.
//!
//! [`lz4_compress`]: crate::lz4_compress()
//! [`lz4_decompress`]: crate::lz4_decompress()

mod compress;
mod decompress;

#[cfg(feature = "gpu")]
pub(crate) use compress::{BITS, LEAST, MARGIN, MULTIPLIER, PATIENCE, TAIL};

use crate::Error;
use crate::error::same_len;
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use crate::parts::{Read, Write, each_row};

/// The most bytes of a block that [`lz4_compress`](crate::lz4_compress()) takes: places within one are 16 bits.
pub const LZ4_BLOCK: usize = 1 << 16;

/// The most bytes that a block of `n` may have when it is compressed, and those of its slot: what has no matches is written with a length before it.
#[must_use]
pub const fn lz4_bound(n: usize) -> usize {
    n.saturating_add(n / 255).saturating_add(16)
}

ops! { $ lz4_ops in crate::lz4;
    /// Compresses each `block` bytes of `data`, and what is left at its end, to an LZ4 block in a slot of `out`.
    ///
    /// Shapes and units: block `i` begins at byte `i·lz4_bound(block)` of `out`, which holds as many whole slots as there are blocks, and has `sizes[i]`
    /// bytes; those of a slot past them may be anything. A block has 1 to 65536 bytes ([`LZ4_BLOCK`]): the larger, the more
    /// matches are found. The bytes of blocks are the same everywhere.
    ///
    /// NaN and ±0: none.
    ///
    /// Errors: [`Error::Domain`] when `block` is 0 or more than 65536; [`Error::Len`] when `sizes` or `out` has another length.
    /// Scratch: none (16 KiB of stack).
    ///
    /// ```
    /// use fulmen::{lz4_bound, lz4_compress, lz4_decompress};
    /// let data = [b"the rain in Spain, ".repeat(3), b"the rain in Spain.".to_vec()].concat();
    /// let (mut out, mut sizes) = (vec![0; 2 * lz4_bound(64)], [0; 2]);
    /// lz4_compress(&data, 64, &mut out, &mut sizes)?;
    /// assert!(sizes[0] < 40 && sizes[1] == 12);
    /// let mut back = vec![0; data.len()];
    /// lz4_decompress(&out, &sizes, 64, &mut back)?;
    /// assert_eq!(back, data);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/compress.rs`.
    ///
    /// Source: LZ4 Block Format Description (Y. Collet). Contract: `contracts/lz4_compress-v1.yaml`.
    threads lz4_compress<>, lz4_compress_on, lz4_compress_by (data: in u8, block: by usize, out: out u8, sizes: out u32) -> Result<()>;

    /// Decompresses LZ4 blocks: those of [`lz4_compress`](crate::lz4_compress()), or of another encoder.
    ///
    /// Shapes and units: block `i` stands for bytes `i·block` and on of `out`, as many as `block`, the last one for what is left. It is the
    /// first `sizes[i]` bytes of slot `i` of `data`; slots have `lz4_bound(block)` bytes, and the last one may end where its block does.
    /// A single block from elsewhere is thus read by `lz4_decompress(&x, &[x.len() as u32], n, &mut out)`, `out` of its `n` bytes.
    ///
    /// NaN and ±0: none.
    ///
    /// Errors: [`Error::Domain`] when `block` is 0; [`Error::Len`] when `sizes` or `data` has another length; [`Error::Index`] names `sizes` when a
    /// block is larger than its slot; these are found before anything is written. [`Error::Expression`] says at which byte of `data` the sequence of
    /// a block is wrong, and why: all of `out` is 0 then. Scratch: none.
    ///
    /// ```
    /// // Five literals: `abcde`; three: `xyz`, of which 9 bytes from 3 before repeat, and five more.
    /// let mut out = [0; 17];
    /// let x = [0x35, b'x', b'y', b'z', 3, 0, 0x50, b'a', b'b', b'c', b'd', b'e'];
    /// fulmen::lz4_decompress(&x, &[12], 17, &mut out)?;
    /// assert_eq!(&out, b"xyzxyzxyzxyzabcde");
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: LZ4 Block Format Description (Y. Collet). Contract: `contracts/lz4_decompress-v1.yaml`.
    threads lz4_decompress<>, lz4_decompress_on, lz4_decompress_by (data: in u8, sizes: in u32, block: by usize, out: out u8) -> Result<()>;
}

/// Whether so many bytes, in blocks of so many, have these sizes of blocks; the bytes of their slots.
pub(crate) fn slots(bytes: usize, block: usize, most: usize, sizes: usize) -> Result<usize, Error> {
    if block == 0 || block > most {
        return Err(Error::must_be("block", "at least 1 and at most the largest block"));
    }
    same_len("sizes", bytes.div_ceil(block), sizes)?;
    Ok(sizes.saturating_mul(lz4_bound(block)))
}

pub(crate) fn lz4_compress_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    data: &[u8],
    block: usize,
    out: &mut [u8],
    sizes: &mut [u32],
) -> Result<(), Error> {
    same_len("out", slots(data.len(), block, LZ4_BLOCK, sizes.len())?, out.len())?;
    each_row(
        j,
        s,
        block,
        (Write(sizes, 1), Read(data, block), Write(out, lz4_bound(block))),
        #[inline(always)]
        |(sizes, data, out): (Write<'_, u32>, Read<'_, u8>, Write<'_, u8>)| {
            let [size] = sizes.0 else { return };
            *size = compress::block(data.0, out.0) as u32;
        },
    );
    Ok(())
}

/// Decodes the blocks to `out`, the first of which begins at byte `at`; the first that is wrong is the error.
fn decode<J: Executor>(
    j: J,
    (data, at): (&[u8], usize),
    sizes: &[u32],
    block: usize,
    out: &mut [u8],
) -> Result<(), Error> {
    let half = sizes.len() / 2;
    match sizes {
        [] => Ok(()),
        [size] => decompress::block(data.get(..*size as usize).unwrap_or_default(), out)
            .map_err(|(byte, why)| Error::expression("data", at + byte, why)),
        _ => {
            let slots = half * lz4_bound(block);
            let (data, other) = data.split_at_checked(slots).unwrap_or_default();
            let (sizes, more) = sizes.split_at(half);
            let bytes = out.len();
            let (out, rest) = out.split_at_mut_checked(half * block).unwrap_or_default();
            let (a, b) = j.join(
                bytes,
                || decode(j, (data, at), sizes, block, out),
                || decode(j, (other, at + slots), more, block, rest),
            );
            a.and(b)
        }
    }
}

pub(crate) fn lz4_decompress_by<J: Executor, S: Simd>(
    j: J,
    _: S,
    data: &[u8],
    sizes: &[u32],
    block: usize,
    out: &mut [u8],
) -> Result<(), Error> {
    let (all, each) = (slots(out.len(), block, usize::MAX, sizes.len())?, lz4_bound(block));
    if let Some(size) = sizes.iter().find(|n| **n as usize > each) {
        return Err(Error::index("sizes", *size as usize, each + 1));
    }
    // The last slot ends with its block, or later.
    let least = sizes.last().map_or(0, |last| (all - each).saturating_add(*last as usize));
    if data.len() < least || data.len() > all {
        return Err(Error::len("data", all, data.len()));
    }
    // No part of what a wrong block, or others beside it, stand for is left behind.
    decode(j, (data, 0), sizes, block, out).inspect_err(|_| out.fill(0))
}
