//! Running sums: rows by threads, warps and blocks, and rows that blocks share.

use super::*;
use std::collections::BTreeSet;

/// Running sums of rows, from the first `pad` elements on.
fn sums(gpu: &Gpu<Host>, x: &[f32], cols: usize, pad: usize) -> Vec<f32> {
    let all = [&vec![9.0; pad], x].concat();
    let (on, mut out) = (gpu.upload(&all).unwrap(), gpu.upload(&vec![7.0f32; all.len() + 5]).unwrap());
    let [_, to] = out.view_mut().split(pad).unwrap();
    let [to, _] = to.split(x.len()).unwrap();
    gpu.cumsum(on.view().part(pad..all.len()).unwrap(), cols, to).unwrap();
    let mut back = vec![0.0; all.len() + 5];
    gpu.download(out.view(), &mut back).unwrap();
    let beside = [&back[..pad], &back[all.len()..]].concat();
    assert!(beside.iter().all(|v| *v == 7.0), "{cols} columns from {pad}: {beside:?} beside the result");
    back[pad..all.len()].to_vec()
}

fn by_order(x: &[f32], cols: usize) -> Vec<f32> {
    let mut want = vec![0.0; x.len()];
    fulmen::cumsum(x, cols, &mut want).unwrap();
    want
}

/// Devices, and shapes with rows past what a warp, a block and a tile take, and rows that blocks share: whole tiles and not.
fn cases() -> Vec<(Gpu<Host>, Vec<[usize; 2]>)> {
    let mut r = Seed::new("running_sums").stream("shapes");
    let drawn = [
        [65 + r.size(200), 1 + r.size(32)],
        [r.size(9), 1 + r.size(600)],
        [1 + r.size(3), 513 + r.size(3000)],
    ];
    let fixed = [
        [70, 32],
        [9, 33],
        [5, 128],
        [200, 7],
        [130, 30],
        [99, 6],
        [3, 513],
        [3, 2051],
        [1, 4096],
        [9, 2050],
    ];
    let host = |meet: Meet, blocks: u32, language| {
        let facts = Host::new(meet).facts().clone();
        Gpu::new(Host::with(Facts { blocks, language, ..facts }))
    };
    let all = [&fixed[..], &drawn].concat();
    vec![
        (host(Meet::Warps, 8, Language::Ptx), all.clone()),
        (host(Meet::Warps, 8, Language::Ptx), vec![[1, 3 * 4096 + 1 + r.size(4095)], [2, 4 * 4096 + 1]]),
        (host(Meet::Memory, 16, Language::Wgsl), [&all[..5], &[[3, 4 * 1024 + 1 + r.size(1023)]]].concat()),
        (Gpu::new(short()), all[..6].to_vec()),
    ]
}

/// Of small integers, whose sums are exact: the bits of sums in order, wherever the arrays start.
#[test]
fn running_sums_of_integers_are_exact() {
    let mut noise = common::nn::Noise(31);
    for (gpu, shapes) in cases() {
        for [rows, cols] in shapes {
            let x: Vec<f32> = (0..rows * cols).map(|_| (noise.bits() % 17) as f32 - 8.0).collect();
            let want = by_order(&x, cols);
            for pad in [0, 1] {
                let got = sums(&gpu, &x, cols, pad);
                let off = got.iter().zip(&want).position(|(x, y)| x.to_bits() != y.to_bits());
                assert_eq!(off, None, "{rows} rows of {cols} from {pad}: {:?}", gpu.device().facts());
            }
        }
    }
}

/// A NaN or an infinity reaches what follows it in its row, and nothing else; sums of -0.0 alone are -0.0.
#[test]
fn nothing_spreads_backwards_in_running_sums() {
    let mut r = Seed::new("nothing_spreads_backwards").stream("places");
    for (gpu, shapes) in cases() {
        for [rows, cols] in shapes {
            let mut x = vec![-0.0f32; rows * cols];
            let places: BTreeSet<usize> = (0..rows).map(|row| row * cols + r.size(cols) % cols).collect();
            let special = |at: &usize| [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][at % 3];
            places.iter().for_each(|at| x[*at] = special(at));
            let got = sums(&gpu, &x, cols, 0);
            for (row, (got, want)) in got.chunks(cols).zip(by_order(&x, cols).chunks(cols)).enumerate() {
                let same = |(x, y): (&f32, &f32)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                let off = got.iter().zip(want).position(|pair| !same(pair));
                assert_eq!(off, None, "row {row} of {rows} by {cols}: {:?}", gpu.device().facts());
            }
        }
    }
}

/// One launch, or two where blocks share a row, and as many blocks as run at once.
#[test]
fn blocks_share_few_long_rows() {
    let planner = Planner::new(super::host(48 << 10, 1056, Language::Ptx).facts());
    for ([rows, cols], grids) in [
        ([1, 1 << 24], vec![[1023, 1, 1], [1024, 1, 1]]),
        ([32, 128_256], vec![[31, 32, 1], [32, 32, 1]]),
        ([1, 3 * 4096], vec![[1, 1, 1]]),
        ([4096, 8192], vec![[4096, 1, 1]]),
        ([4096, 512], vec![[1024, 1, 1]]),
        ([1 << 16, 32], vec![[1024, 1, 1]]),
        ([64, 32], vec![[1, 1, 1]]),
    ] {
        let plan = planner.running::<F32>([rows, cols], true).unwrap();
        let got: Vec<[u32; 3]> = plan.launches.iter().map(|l| l.grid).collect();
        assert_eq!(got, grids, "{rows} rows of {cols}");
        assert_eq!(plan.scratch.len(), grids.len() - 1);
    }
}
