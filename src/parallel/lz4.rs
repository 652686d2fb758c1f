//! LZ4: blocks on different threads.

use super::Threads;
use crate::Error;
use crate::lanes::{Simd, native};
use crate::lz4::{lz4_compress_by, lz4_decompress_by};

/// [`lz4_compress`](crate::lz4_compress()) on rayon's threads, same bytes.
pub fn lz4_compress(data: &[u8], block: usize, out: &mut [u8], sizes: &mut [u32]) -> Result<(), Error> {
    lz4_compress_on(native(), data, block, out, sizes)
}

/// [`lz4_compress`](crate::parallel::lz4_compress()) on the instruction set of `s`.
pub fn lz4_compress_on<S: Simd>(
    s: S,
    data: &[u8],
    block: usize,
    out: &mut [u8],
    sizes: &mut [u32],
) -> Result<(), Error> {
    lz4_compress_by(Threads, s, data, block, out, sizes)
}

/// [`lz4_decompress`](crate::lz4_decompress()) on rayon's threads, same bytes and errors.
pub fn lz4_decompress(data: &[u8], sizes: &[u32], block: usize, out: &mut [u8]) -> Result<(), Error> {
    lz4_decompress_on(native(), data, sizes, block, out)
}

/// [`lz4_decompress`](crate::parallel::lz4_decompress()) on the instruction set of `s`.
pub fn lz4_decompress_on<S: Simd>(
    s: S,
    data: &[u8],
    sizes: &[u32],
    block: usize,
    out: &mut [u8],
) -> Result<(), Error> {
    lz4_decompress_by(Threads, s, data, sizes, block, out)
}
