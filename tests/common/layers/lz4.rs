//! LZ4 blocks on a device: the bytes of a CPU, from wherever in a word they start, and what is no block.

use super::super::lz4::{KINDS, data, drawn, words};
use crate::device::Worst;
use fulmen::backend::*;
use fulmen::gpu::backend::{Array, Gpu};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::lz4_bound;

const MARK: u8 = 0xa5;

/// These bytes behind `before` others and before some more.
fn room<D: Blocking>(gpu: &Gpu<D>, before: usize, x: &[u8]) -> Result<Array<u8, D>, Error> {
    gpu.upload(&[&vec![MARK; before][..], x, &[MARK; 5]].concat())
}

/// What is in them; the others are as they were.
fn inside<D: Blocking>(gpu: &Gpu<D>, before: usize, x: &Array<u8, D>) -> Result<Vec<u8>, Error> {
    let mut all = vec![0; x.len()];
    gpu.download(x.view(), &mut all)?;
    let rest = all.split_off(all.len() - 5);
    let inner = all.split_off(before);
    assert!(all.iter().chain(&rest).all(|x| *x == MARK), "written past the result");
    Ok(inner)
}

/// What these blocks stand for.
fn back<D: Computes<u8> + Blocking>(
    gpu: &Gpu<D>,
    [before, block, n]: [usize; 3],
    x: &[u8],
    sizes: &[u32],
) -> Result<Vec<u8>, Error> {
    let (from, sizes) = (room(gpu, before, x)?, gpu.upload(sizes)?);
    let mut to = room(gpu, before + 1, &vec![7; n])?;
    let [_, rest] = to.view_mut().split(before + 1)?;
    let [out, _] = rest.split(n)?;
    gpu.lz4_decompress(from.view().part(before..before + x.len())?, sizes.view(), block, out)?;
    inside(gpu, before + 1, &to)
}

/// The bytes of a CPU, there and back.
fn both<D: Computes<u8> + Blocking>(
    gpu: &Gpu<D>,
    before: usize,
    block: usize,
    x: &[u8],
) -> Result<(), Error> {
    let (count, slot) = (x.len().div_ceil(block), lz4_bound(block));
    let (mut want, mut want_sizes) = (vec![7; count * slot], vec![7; count]);
    fulmen::lz4_compress(x, block, &mut want, &mut want_sizes)?;
    let from = room(gpu, before, x)?;
    let (mut to, mut sizes) = (room(gpu, before + 2, &vec![7; count * slot])?, gpu.alloc(count)?);
    let [_, rest] = to.view_mut().split(before + 2)?;
    let [out, _] = rest.split(count * slot)?;
    gpu.lz4_compress(from.view().part(before..before + x.len())?, block, out, sizes.view_mut())?;
    let mut got_sizes = vec![0; count];
    gpu.download(sizes.view(), &mut got_sizes)?;
    assert_eq!(got_sizes, want_sizes, "{} in blocks of {block}", x.len());
    let got = inside(gpu, before + 2, &to)?;
    for ((got, want), size) in got.chunks(slot).zip(want.chunks(slot)).zip(&got_sizes) {
        assert!(got[..*size as usize] == want[..*size as usize], "{} in blocks of {block}", x.len());
    }
    assert!(back(gpu, [before, block, x.len()], &got, &got_sizes)? == x, "{} in blocks of {block}", x.len());
    Ok(())
}

/// Data of every kind in blocks of these lengths, blocks with every length and offset, and a block of many that is none.
pub fn story<D: Computes<u8> + Blocking>(gpu: &Gpu<D>, sizes: &[[usize; 2]]) -> Result<Vec<Worst>, Error> {
    for (i, [n, block]) in sizes.iter().enumerate() {
        for kind in 0..KINDS {
            both(gpu, (i + kind) % 4, *block, &data(kind, *n))?;
        }
    }
    // An offset past 2^15.
    let noise = data(0, 33_000);
    both(gpu, 1, 65536, &[&noise[..], &noise[..32_000]].concat())?;
    let mut next = words(11);
    for i in 0..12 {
        let (x, want) = drawn(i, &mut next);
        assert!(
            back(gpu, [i % 3, want.len().max(1), want.len()], &x, &[x.len() as u32][..want.len().min(1)])?
                == want
        );
    }
    // Of three blocks the second is cut by a byte, or says what none says.
    let x = data(2, 300);
    let slot = lz4_bound(100);
    let (mut good, mut sizes) = (vec![0; 3 * slot], vec![0; 3]);
    fulmen::lz4_compress(&x, 100, &mut good, &mut sizes)?;
    let wrong = |change: &dyn Fn(&mut [u8], &mut [u32])| {
        let (mut y, mut sizes) = (good.clone(), sizes.clone());
        change(&mut y[slot..2 * slot], &mut sizes);
        assert!(fulmen::lz4_decompress(&y, &sizes, 100, &mut [0; 300]).is_err());
        let said = back(gpu, [1, 100, 300], &y, &sizes).map(|_| ());
        assert_eq!(said, Err(Error::Block { op: "lz4_decompress", arg: "data", index: 1 }));
    };
    wrong(&|_, sizes| sizes[1] -= 1);
    wrong(&|_, sizes| sizes[1] = 0);
    wrong(&|_, sizes| sizes[1] = slot as u32 + 1);
    wrong(&|_, sizes| sizes[1] = u32::MAX);
    wrong(&|x, _| x.fill(0xff));
    wrong(&|x, _| x[..4].copy_from_slice(&[0x10, 1, 0, 0]));
    wrong(&|x, _| x[..4].copy_from_slice(&[0x10, 1, 2, 0]));
    wrong(&|x, _| x[..6].copy_from_slice(&[0x1f, 1, 1, 0, 255, 255]));
    Ok(["lz4_compress", "lz4_decompress"].map(|op| Worst { op, share: 0.0, got: 0.0, want: 0.0 }).into())
}
