//! Takes the input as LZ4 blocks, and as bytes that become some: `make fuzz`. A plain decoder gives the same bytes or refuses as
//! well, and nothing that was decoded stays; blocks are those of a plain encoder on the build's lanes and a portable one.
#![no_main]

use common::lz4::{decode, encode};
use fulmen::lanes::{Portable, native};
use fulmen::{lz4_bound, lz4_compress_on, lz4_decompress, lz4_decompress_on};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let [n, m, block, x @ ..] = bytes else { return };
    let n = usize::from(*n) + 256 * usize::from(m % 8);
    let mut out = vec![7; n];
    let got = lz4_decompress(x, &[x.len() as u32], x.len().max(n).max(1), &mut out);
    match decode(x, n) {
        // Of nothing there is no block.
        Some(want) if n > 0 => assert!(got.is_ok() && out == want),
        _ => assert!((got.is_err() || n == 0) && out.iter().all(|x| *x == 0)),
    }
    let block = usize::from(*block) * usize::from(*block) + 1;
    let count = x.len().div_ceil(block);
    let (mut out, mut sizes) = (vec![0; count * lz4_bound(block)], vec![0; count]);
    lz4_compress_on(native(), x, block, &mut out, &mut sizes).unwrap();
    for (x, (y, n)) in x.chunks(block).zip(out.chunks(lz4_bound(block)).zip(&sizes)) {
        assert!(y[..*n as usize] == encode(x)[..]);
    }
    let mut back = vec![7; x.len()];
    lz4_decompress_on(Portable::<1>::new(), &out, &sizes, block, &mut back).unwrap();
    assert!(back == x);
});
