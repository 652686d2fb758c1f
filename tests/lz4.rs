//! LZ4 blocks: against the formula, a plain decoder, LZ4 itself, on every lane and on threads.

use common::lanes::*;
use common::lz4::{KINDS, data, decode, drawn, encode, walk, words};
use common::yaml::{contract, schema::EdgeCase};
use fulmen::lz4::LZ4_BLOCK;
use fulmen::*;

/// The blocks that are made of data, each as long as it says.
fn blocks<S: fulmen::lanes::Simd>(s: S, x: &[u8], block: usize) -> Result<Vec<Vec<u8>>, Error> {
    let each = lz4_bound(block);
    let n = x.len().div_ceil(block.max(1));
    let (mut out, mut sizes) = (vec![7; n * each], vec![7; n]);
    lz4_compress_on(s, x, block, &mut out, &mut sizes)?;
    #[cfg(feature = "parallel")]
    {
        let (mut other, mut more) = (vec![7; n * each], vec![7; n]);
        fulmen::parallel::lz4_compress_on(s, x, block, &mut other, &mut more)?;
        assert!(sizes == more && out == other);
    }
    let all = out.chunks(each).zip(&sizes);
    Ok(all.map(|(x, n)| x[..*n as usize].to_vec()).collect())
}

/// What each byte of `out`, 7 at first, is after an error: a sequence that is wrong clears all, and what is refused before leaves all.
fn left(why: &Error) -> u8 {
    if matches!(why, Error::Expression { .. }) { 0 } else { 7 }
}

/// What blocks stand for, of which all but the last are `block` bytes, of `n`.
fn back<S: fulmen::lanes::Simd>(s: S, all: &[Vec<u8>], block: usize, n: usize) -> Result<Vec<u8>, Error> {
    let sizes: Vec<u32> = all.iter().map(|x| x.len() as u32).collect();
    let mut data = vec![];
    for x in all {
        data.resize(data.len().next_multiple_of(lz4_bound(block)), 0xff);
        data.extend(x);
    }
    let mut out = vec![7; n];
    let got = lz4_decompress_on(s, &data, &sizes, block, &mut out);
    #[cfg(feature = "parallel")]
    {
        let mut other = vec![7; n];
        assert_eq!(fulmen::parallel::lz4_decompress_on(s, &data, &sizes, block, &mut other), got);
        assert!(out == other);
    }
    if let Err(why) = &got {
        assert!(out.iter().all(|x| *x == left(why)), "{got:?} leaves {out:?}");
    }
    got.map(|()| out)
}

#[test]
fn edge_cases() {
    for (op, least) in [("lz4_compress", 10), ("lz4_decompress", 17)] {
        let c = contract(op);
        assert!(c.edge_cases.len() >= least);
        for e in &c.edge_cases {
            let of = |i: usize| -> Vec<u8> { e.inputs[i].iter().map(|x| x.value("f32") as u8).collect() };
            let option = |e: &EdgeCase, name: &str| -> usize {
                e.options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('=')?.parse().ok()).unwrap()
            };
            let block = option(e, "block");
            for_each_lane!(|s| {
                let got = if op == "lz4_compress" {
                    blocks(s, &of(0), block).map(|all| {
                        let sizes = all.iter().map(|x| x.len() as u8).collect::<Vec<_>>();
                        [vec![sizes], all].concat().concat()
                    })
                } else {
                    let sizes: Vec<u32> = of(1).into_iter().map(u32::from).collect();
                    let mut out = vec![7; option(e, "out")];
                    let got = lz4_decompress_on(s, &of(0), &sizes, block, &mut out);
                    assert!(got.as_ref().err().is_none_or(|why| out.iter().all(|x| *x == left(why))));
                    got.map(|()| out)
                };
                match &e.error {
                    Some(error) => assert!(format!("{:?}", got.unwrap_err()).starts_with(error.as_str())),
                    None => {
                        let want = e.out.as_ref().unwrap().iter().map(|x| x.value("f32") as u8);
                        assert_eq!(got.unwrap(), want.collect::<Vec<_>>(), "{op} {}", e.name);
                    }
                }
            });
        }
    }
}

#[test]
fn refusals() {
    let (x, mut out, mut sizes) = ([1; 9], [7; 60], [7; 3]);
    let len = |arg, expected, got| Err(Error::len(arg, expected, got));
    let each = lz4_bound(4);
    assert_eq!(each, 20);
    for block in [0, LZ4_BLOCK + 1] {
        assert_eq!(lz4_compress(&x, block, &mut out, &mut sizes), Err(Error::domain("block")));
    }
    assert_eq!(lz4_compress(&x, 4, &mut out, &mut sizes[1..]), len("sizes", 3, 2));
    assert_eq!(lz4_compress(&x, 4, &mut out[1..], &mut sizes), len("out", 60, 59));
    let mut to = [7; 9];
    assert_eq!(lz4_decompress(&x, &[1; 3], 0, &mut to), Err(Error::domain("block")));
    assert_eq!(lz4_decompress(&x, &[1; 2], 4, &mut to), len("sizes", 3, 2));
    assert_eq!(lz4_decompress(&x, &[1; 3], 4, &mut to), len("data", 60, 9));
    assert_eq!(lz4_decompress(&[1; 61], &[1; 3], 4, &mut to), len("data", 60, 61));
    let large = Err(Error::index("sizes", 21, 21));
    assert_eq!(lz4_decompress(&[1; 60], &[1, 21, 1], 4, &mut to), large);
    // The first block that is wrong, by its byte.
    let mut blocks = [0u8; 60];
    blocks[..5].copy_from_slice(&[64, 1, 2, 3, 4]);
    blocks[20..27].copy_from_slice(&[16, 1, 2, 0, 0, 16, 1]);
    let why = &"an offset of 0, or to before the block";
    let wrong = Err(Error::expression("data", 22, why));
    assert_eq!(lz4_decompress(&blocks, &[5, 7, 0], 4, &mut to), wrong);
    #[cfg(feature = "parallel")]
    assert_eq!(fulmen::parallel::lz4_decompress(&blocks, &[5, 7, 0], 4, &mut to), wrong);
    assert_eq!((out, sizes, to), ([7; 60], [7; 3], [0; 9]));
    // Nothing at all, and blocks larger than memory.
    assert_eq!(lz4_compress(&[], 4, &mut [], &mut []), Ok(()));
    assert_eq!(lz4_decompress(&[], &[], 4, &mut []), Ok(()));
    assert_eq!(lz4_decompress(&[32, 1, 2], &[3], usize::MAX, &mut to[..2]), Ok(()));
    assert_eq!(to[..3], [1, 2, 0]);
    assert_eq!(lz4_bound(usize::MAX), usize::MAX);
}

/// Sizes around what a block, a match and a register hold.
fn lengths() -> impl Iterator<Item = usize> {
    (0..80).chain([255, 256, 270, 271, 272, 525, 1000, 4095, 4100, 9999])
}

#[test]
fn bytes_are_those_of_the_formula() {
    for_each_lane!(|s| {
        for kind in 0..KINDS {
            for n in lengths().chain([65535, 65536, 150_000]) {
                let x = data(kind, n);
                let got = blocks(s, &x, LZ4_BLOCK).unwrap();
                let want: Vec<_> = x.chunks(LZ4_BLOCK).map(encode).collect();
                assert!(got == want, "{kind} {n}");
                assert!(back(s, &got, LZ4_BLOCK, n).unwrap() == x, "{kind} {n}");
            }
        }
    });
}

/// A plain decoder reads what is written, and the rules for ends hold, which old ones count on.
#[test]
fn blocks_are_lz4() {
    for kind in 0..KINDS {
        for (n, block) in lengths().map(|n| (n, 1 + n)).chain([(70_000, 65536), (30_000, 4096), (500, 13)]) {
            let x = data(kind, n);
            for (x, y) in x.chunks(block).zip(blocks(fulmen::lanes::native(), &x, block).unwrap()) {
                assert!(y.len() <= lz4_bound(x.len()), "{kind} {n}");
                let (back, last) = walk(&y, x.len()).unwrap();
                assert!(back == x, "{kind} {n}");
                let ends = last.is_none_or(|[from, to]| from + 12 <= x.len() && to + 5 <= x.len());
                assert!(ends, "{kind} {n}: {last:?}");
            }
        }
    }
}

/// `tests/golden/lz4.py`: for each block its size, then its bytes; 20 000 bytes of words and 20 000 of runs, each at the fastest level
/// and at the highest.
#[test]
fn blocks_of_others() {
    let golden = std::fs::read(format!("{}/tests/golden/lz4.bin", common::ROOT)).unwrap();
    let mut rest = &golden[..];
    let mut seen = vec![];
    while let Some((n, more)) = rest.split_first_chunk::<4>() {
        let (block, more) = more.split_at(u32::from_le_bytes(*n) as usize);
        seen.push(block.to_vec());
        rest = more;
    }
    assert_eq!(seen.len(), 4);
    let mut next = words(11);
    let made: Vec<_> = (0..300).map(|i| drawn(i % 12, &mut next)).collect();
    for_each_lane!(|s| {
        for (i, x) in seen.iter().enumerate() {
            let want = data([2, 4][i / 2], 20_000);
            assert_eq!(decode(x, 20_000).as_ref(), Some(&want));
            assert!(back(s, std::slice::from_ref(x), 20_000, 20_000).unwrap() == want);
        }
        for (x, want) in &made {
            assert!(
                back(s, std::slice::from_ref(x), want.len().max(1), want.len()).unwrap_or_default() == *want
            );
        }
        // Each offset and length at each distance from the end.
        for offset in 1..40 {
            for n in 4..80 {
                let tail = (offset + n) % 40;
                let (mut x, literals) = (vec![], (0..offset as u8 + 3).collect::<Vec<_>>());
                common::lz4::sequence(&mut x, &literals, Some((offset, n)));
                common::lz4::sequence(&mut x, &literals[..tail.min(literals.len())], None);
                let len = literals.len() + n + tail.min(literals.len());
                assert!(
                    back(s, std::slice::from_ref(&x), len, len).unwrap() == decode(&x, len).unwrap(),
                    "{offset} {n}"
                );
            }
        }
    });
}

/// Every byte of a few blocks is changed, and each is cut: what is a block then is read as one.
#[test]
fn what_is_no_block_is_refused() {
    let s = fulmen::lanes::native();
    let mut next = words(5);
    let (mut taken, mut refused) = (0, 0);
    for i in 0..60 {
        let (x, want) = if i % 2 == 0 {
            drawn(1 + i % 5, &mut next)
        } else {
            (encode(&data(i % KINDS, 100 + i)), data(i % KINDS, 100 + i))
        };
        let mut try_one = |x: &[u8], n: usize| {
            let got = back(s, &[x.to_vec()], n + 600, n);
            assert_eq!(got.as_ref().ok(), decode(x, n).as_ref(), "{x:?}");
            *if got.is_ok() { &mut taken } else { &mut refused } += 1;
        };
        for at in 0..x.len() {
            for change in [1, 0x10, 0x80, 0xff, 0x0f, 0xf0] {
                let mut y = x.clone();
                y[at] ^= change;
                try_one(&y, want.len());
            }
            try_one(&x[..at], want.len());
        }
        for n in [want.len() - 1, want.len() + 1] {
            try_one(&x, n);
        }
    }
    assert!(taken > 1000 && refused > 1000, "{taken} {refused}");
}
