//! Products and attention by tiles: how they are divided, and what of them units for matrices take.

use super::*;
use fulmen::backend::{Blas, Memory, Products};

/// Large and small tiles, one stage and two, with and without a split depth: past each by one.
#[test]
fn products_keep_their_contract_however_they_are_divided() {
    let shapes = [[70, 131, 9], [65, 66, 17], [5, 9, 20], [66, 3, 33]];
    let small = 16 << 10;
    for (shared, language) in [(small, Language::Rust), (48 << 10, Language::Rust), (small, Language::Wgsl)] {
        let gpu = Gpu::new(host(shared, 8, language));
        let worst = products::<f32, _>(&gpu, &shapes).unwrap();
        assert!(worst.share <= 1.0, "{worst:?}");
        let worst = products::<f64, _>(&gpu, &shapes[2..]).unwrap();
        assert!(worst.share <= 1.0, "{worst:?}");
    }
    let gpu = Gpu::new(short());
    let worst = [products::<f32, _>(&gpu, &shapes).unwrap(), products::<f64, _>(&gpu, &shapes[2..]).unwrap()];
    assert!(worst.iter().all(|w| w.share <= 1.0), "{worst:?}");
    // Tiles of 16 with their whole depth, of 32 with that and with parts, of 64, and the last one large ones; where no block sees
    // what others wrote, another kernel adds up the parts.
    let split =
        [[20, 7, 127], [9, 3, 129], [70, 3, 255], [70, 3, 256], [33, 31, 700], [580, 70, 130], [67, 66, 513]];
    for language in [Language::Ptx, Language::Wgsl] {
        let gpu = Gpu::new(host(48 << 10, 64, language));
        let worst =
            [products::<f32, _>(&gpu, &split).unwrap(), products::<f64, _>(&gpu, &split[..5]).unwrap()];
        assert!(worst.iter().all(|w| w.share <= 1.0), "{worst:?}");
    }
}

/// C by 16 bytes where its rows start so and a tile is whole, else by elements: what lies beside it stays, also above a
/// triangle's diagonal.
#[test]
fn what_is_beside_c_stays() -> Result<(), Error> {
    let gpu = Gpu::new(host(48 << 10, 8, Language::Ptx));
    let (m, n, k) = (130, 132, 7);
    let (a, b) = (data::<f32>(m * k, 1, 0), data::<f32>(k * n, 2, 0));
    let (on_a, on_b) = (gpu.upload(&a)?, gpu.upload(&b)?);
    let (x, y) = (on_a.view().matrix(m, k)?, on_b.view().matrix(k, n)?);
    for (pitch, beta, by_rows, lower) in [
        (136, 0.5, true, false),
        (136, 0.0, true, false),
        (133, 0.5, true, false),
        (136, 0.5, false, false),
        (136, 0.5, true, true),
    ] {
        let [rows, cols] = if lower {
            [m, m]
        } else if by_rows {
            [m, n]
        } else {
            [n, m]
        };
        let start = data::<f32>(rows * pitch, 3, 0);
        let mut to = gpu.upload(&start)?;
        let [c, _] = to.view_mut().matrix(rows, pitch)?.split_cols(cols)?;
        match (by_rows, lower) {
            (_, true) => gpu.syrk(0.5, x, beta, fulmen::Triangle::Lower, c, ())?,
            (true, _) => gpu.gemm(0.5, x, y, beta, c)?,
            (false, _) => gpu.gemm(0.5, x, y, beta, c.t())?,
        }
        let mut got = vec![0.0; rows * pitch];
        gpu.download(to.view(), &mut got)?;
        for (e, (got, old)) in got.iter().zip(&start).enumerate() {
            let [r, c] = [e / pitch, e % pitch];
            if c >= cols || lower && c > r {
                assert_eq!(got, old, "{r}, {c} of {rows} x {cols}, {pitch} apart");
                continue;
            }
            let [i, j] = if by_rows { [r, c] } else { [c, r] };
            let other = |p: usize| if lower { a[j * k + p] } else { b[p * n + j] };
            let want = (0..k).map(|p| a[i * k + p] * other(p)).sum::<f32>() * 0.5 + beta * old;
            assert!(
                (got - want).abs() <= 1e-3,
                "{r}, {c} of {rows} x {cols}, {pitch} apart: {got}, not {want}"
            );
        }
    }
    Ok(())
}

/// Rows that a warp's threads, or a block's of one row, read sixteen times by 16 bytes, then eight times and less, then in part.
#[test]
fn a_long_row_is_read_once() -> Result<(), Error> {
    let cases = [2048, 3584, 2048 + 1024 + 512 + 4, 5124, 2048 + 1024 + 512 + 256 + 128 + 60].map(|cols| {
        [
            (Gpu::new(host(48 << 10, 8, Language::Ptx)), cols, false, 3),
            (hopper(1), cols, false, 1),
            (hopper(1), cols, true, 1),
            (hopper(1), cols, true, 7),
        ]
    });
    for (gpu, cols, halves, rows) in cases.into_iter().flatten() {
        let (a, x) = (data::<f32>(rows * cols, 1, 2), data::<f32>(cols, 2, 2));
        let mut on_a = if halves { gpu.alloc_halves(rows * cols)? } else { gpu.alloc(rows * cols)? };
        gpu.write(&a, on_a.view_mut())?;
        let (on_x, mut y) = (gpu.upload(&x)?, gpu.upload(&vec![0.0f32; rows])?);
        let (vector, to) =
            (<Gpu<Host> as Memory>::vector(on_x.view()), <Gpu<Host> as Memory>::vector_mut(y.view_mut()));
        Products::gemv(&gpu, 1.0, on_a.view().matrix(rows, cols)?, vector, 0.0, to)?;
        let mut got = vec![0.0; rows];
        gpu.download(y.view(), &mut got)?;
        // Of small integers, whose sums are exact.
        let want: Vec<f32> = a.chunks(cols).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        assert_eq!(got[..], want, "{cols}");
    }
    Ok(())
}

/// Tiles as large as occupy the device; where none do, blocks share the depth.
#[test]
fn products_are_divided_by_what_occupies_a_device() {
    let planner = Planner::new(host(48 << 10, 1056, Language::Ptx).facts());
    let plan = |m, n, k| {
        let strides = [[k, 1], [n, 1], [n, 1]];
        planner.product::<F32>(&Product::new([m, n, k], strides, [1.0, 0.0])).unwrap()
    };
    for ([m, n, k], grids, threads) in [
        ([4096, 4096, 4096], vec![[32, 32, 1]], 256),
        ([1024, 1024, 1024], vec![[8, 8, 2]], 256),
        ([512, 512, 4096], vec![[4, 4, 8]], 256),
        ([257, 256, 256], vec![[4, 5, 4]], 256),
        ([256, 256, 256], vec![[8, 8, 4]], 256),
        ([256, 256, 255], vec![[8, 8, 1]], 256),
        ([32, 32, 4096], vec![[1, 1, 32]], 256),
        ([64, 64, 129], vec![[2, 2, 1]], 256),
        ([64, 64, 128], vec![[4, 4, 1]], 256),
        ([64, 4096, 64], vec![[64, 1, 1]], 256),
        ([1, 1, 0], vec![[1, 1, 1]], 256),
    ] {
        let plan = plan(m, n, k);
        let got: Vec<[u32; 3]> = plan.launches.iter().map(|l| l.grid).collect();
        assert_eq!(got, grids, "{m} x {n} x {k}");
        assert_eq!(plan.launches[0].block, [threads, 1, 1]);
        assert_eq!(plan.scratch.len(), usize::from(grids[0][2] > 1));
    }
    // Strides of nothing reach nothing.
    assert!(plan(0, 5, 3).launches.is_empty());
}

/// Products of `f32` in three parts of `bf16`: whole tiles and not, operands that are read along the depth and across it,
/// by one element and by four, and a depth that blocks share.
#[test]
fn products_of_warp_groups_keep_the_contract_of_f32() {
    let gpu = hopper(1);
    let worst = products::<f32, _>(&gpu, &[[129, 128, 130], [128, 131, 128], [128, 129, 129]]).unwrap();
    assert!(worst.share <= 1.0, "{worst:?}");
    // Nothing is added one by one over the whole depth.
    assert!(worst.share < 0.02, "{worst:?}");
    assert_eq!(gpu.kernels(), 3, "the parts, the product of threads, that of warp groups");
    let gpu = hopper(4);
    let worst = products::<f32, _>(&gpu, &[[128, 128, 513]]).unwrap();
    assert!(worst.share < 0.02, "{worst:?}");
    assert_eq!(gpu.kernels(), 4, "and the sums of blocks");
    // Too little depth, too little of all, no `f32`.
    let gpu = hopper(1);
    products::<f32, _>(&gpu, &[[140, 130, 127]]).unwrap();
    products::<f64, _>(&gpu, &[[128, 128, 1]]).unwrap();
    assert_eq!(gpu.kernels(), 2);
}

/// Tiles with elements that have no three parts are computed by threads, bit for bit, once; the others by warp groups.
#[test]
fn only_tiles_of_strange_elements_are_left_to_threads() {
    let (m, n, k) = (130, 130, 128);
    let (mut a, mut b, c) = (data::<f32>(m * k, 1, 0), data::<f32>(k * n, 2, 0), data::<f32>(m * n, 3, 0));
    a[129 * k + 70] = f32::INFINITY;
    b[5 * n + 129] = 1e-35;
    let run = |gpu: &Gpu<Host>, by_rows: bool| -> Vec<f32> {
        let (a, b, mut to) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap(), gpu.upload(&c).unwrap());
        let (a, b) = (a.view().matrix(m, k).unwrap(), b.view().matrix(k, n).unwrap());
        let view = to.view_mut().matrix(m, n).unwrap();
        match by_rows {
            true => gpu.gemm(0.5, a, b, 1.0, view).unwrap(),
            false => gpu.gemm(0.5, b.t(), a.t(), 1.0, view.t()).unwrap(),
        }
        let mut got = vec![0.0; m * n];
        gpu.download(to.view(), &mut got).unwrap();
        got
    };
    let want = run(&Gpu::new(host(48 << 10, 8, Language::Ptx)), true);
    for by_rows in [true, false] {
        let got = run(&hopper(1), by_rows);
        let mut others = 0;
        for (e, (x, y)) in got.iter().zip(&want).enumerate() {
            if e / n < 128 && e % n < 128 {
                let mass = (0..k).map(|p| (a[e / n * k + p] * b[p * n + e % n]).abs()).sum::<f32>();
                assert!((x - y).abs() <= 1e-6 * (mass + c[e].abs()), "{e}: {x}, not {y}");
                others += usize::from(x.to_bits() != y.to_bits());
            } else {
                assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{e}: {x}, not {y}");
            }
        }
        assert!(others > 1000, "by other units: {others}");
        assert!(got.iter().any(|x| x.is_infinite()));
    }
}

/// The parts of an element are it, exactly, or its tile is told apart.
#[test]
fn three_parts_are_the_element() {
    use fulmen::gpu::template::triple;
    use fulmen::gpu::{Bytes, Interpreter};
    let kernel = triple().unwrap();
    let [least, most] = [2f32.powi(-102), 2f32.powi(60)];
    let odd = [0x3fff_ffffu32, 0x3f80_0001, 0xbf7f_ffff, 0x4000_8000, 0x3f01_8000].map(f32::from_bits);
    let fine = [0.0, -0.0, least, -most, most.next_down(), least.next_up(), 1.0 / 3.0].into_iter().chain(odd);
    let strange =
        [least.next_down(), -most.next_up(), f32::MIN_POSITIVE, 1e-45, f32::MAX, f32::INFINITY, f32::NAN];
    for (x, told) in fine.map(|x| (x, 0)).chain(strange.map(|x| (x, 1))) {
        let mut d = Interpreter::new();
        // The last of a row that fills neither its tile nor its 16.
        let (rows, depth, pitch) = (3, 70, 80);
        let mut all = vec![0.5f32; rows * depth];
        all[2 * depth + depth - 1] = x;
        let bytes = |all: &[f32]| all.iter().flat_map(|x| x.to_le_bytes()).collect();
        let from = d.buffer(Bytes::new(bytes(&all)));
        let to = d.buffer(Bytes::new(vec![7; 3 * rows * pitch * 2]));
        let words = d.buffer(Bytes::new(vec![7; 8]));
        let args = [from, to, rows as u64, depth as u64, depth as u64, 1, pitch as u64, words, 2];
        d.launch(&kernel, [2, 1, 1], [256, 1, 1], &args).unwrap();
        let got: Vec<u32> =
            d.get(words).unwrap().bytes().as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        assert_eq!(got, [0, told], "{x:e}");
        let parts = d.get(to).unwrap().bytes();
        let part = |p: usize, e: usize| {
            let at = 2 * (p * rows * pitch + e);
            f32::from_bits(u32::from(u16::from_le_bytes([parts[at], parts[at + 1]])) << 16)
        };
        if told == 0 {
            for row in 0..rows {
                for c in 0..pitch {
                    let want = if c < depth { all[row * depth + c] } else { 0.0 };
                    let got = [0, 1, 2].map(|p| part(p, row * pitch + c));
                    assert_eq!(got[0] + (got[1] + got[2]), want, "{got:?}");
                    assert!(got[0] == 0.0 || got[0].abs() >= 256.0 * got[1].abs(), "{got:?}");
                }
            }
        }
    }
}

/// Attention by tiles, on a device that has room for them: heads of each kernel, tiles that are seen whole, in part and
/// not at all, by all masks.
#[test]
fn attention_by_tiles_keeps_its_contract() {
    let host = host(200 << 10, 8, Language::Ptx);
    let gpu = Gpu::new(host);
    let heads = [[16, 5], [66, 3], [17, 4], [16, 66]];
    for w in layers::attentions::<f32, _>(&gpu, "f32", &heads).unwrap() {
        assert!(w.share <= 1.0, "{w:?}");
    }
    assert_eq!(
        gpu.kernels(),
        11,
        "three kernels of each of two sizes, of those with a cap or a mask some, and the sums"
    );
    let gpu = Gpu::new(short());
    for w in layers::attentions::<f32, _>(&gpu, "f32", &[[34, 3], [3, 5], [4, 2], [2, 7]]).unwrap() {
        assert!(w.share <= 1.0, "by rows: {w:?}");
    }
    assert_eq!(gpu.kernels(), 11, "three kernels by rows, of those with a cap or a mask some, and the sums");
    // Smaller tiles where less is shared, and threads that meet through it.
    for (shared, meet) in
        [(200, Meet::Memory), (64, Meet::Warps), (48, Meet::Memory), (32, Meet::Memory), (16, Meet::Memory)]
    {
        let facts = Host::default().facts().clone();
        let limits = Limits { shared: shared << 10, ..facts.limits };
        let gpu = Gpu::new(Host::with(Facts { limits, meet, ..facts }));
        let heads: &[[usize; 2]] = if shared == 48 { &[[34, 3], [33, 40]] } else { &[[34, 3]] };
        for w in layers::attentions::<f32, _>(&gpu, "f32", heads).unwrap() {
            assert!(w.share <= 1.0, "{shared} KiB: {w:?}");
        }
    }
}

/// NaN reaches the queries that see it and no other, in tiles that some of a block's rows see.
#[test]
fn attention_by_tiles_hides_what_is_not_seen() {
    use fulmen::Attention;
    use fulmen::backend::Layers;
    let gpu = Gpu::new(host(200 << 10, 8, Language::Ptx));
    const BAD: usize = 40;
    const WINDOW: usize = 6;
    let (n, dim, bad, window) = (70, 3, BAD, WINDOW);
    let op = Attention { causal: true, window: Some(window), ..Attention::new(1, 1, dim, 0.5f32) };
    let good = data::<f32>(n * dim, 3, 0);
    let mut poisoned = good.clone();
    poisoned[bad * dim..][..dim].fill(f32::NAN);
    let [x, nan] = [&good, &poisoned].map(|x| gpu.upload(x).unwrap());
    let [x, nan] = [&x, &nan].map(|x| x.view().matrix(n, dim).unwrap());
    let room = || gpu.upload(&vec![7.0f32; n * dim]).unwrap();
    let (mut out, mut lse) = (room(), gpu.upload(&vec![7.0f32; n]).unwrap());
    let rows = |x: &fulmen::gpu::backend::Array<f32, Host>| -> Vec<bool> {
        let mut back = vec![0.0; n * dim];
        gpu.download(x.view(), &mut back).unwrap();
        back.chunks(dim).map(|row| row.iter().any(|x| x.is_nan())).collect()
    };
    let see = |i: usize| (BAD..BAD + WINDOW).contains(&i);
    let seen = |j: usize| (BAD + 1 - WINDOW..=BAD).contains(&j);
    for (k, v) in [(x, nan), (nan, x)] {
        let to = out.view_mut().matrix(n, dim).unwrap();
        gpu.attention(&op, x, k, v, None, to, Some(lse.view_mut()), ()).unwrap();
        assert_eq!(rows(&out), (0..n).map(see).collect::<Vec<_>>());
    }
    let to = out.view_mut().matrix(n, dim).unwrap();
    gpu.attention(&op, x, x, x, None, to, Some(lse.view_mut()), ()).unwrap();
    // A key that is NaN makes the gradients of the queries that see it NaN, and so those of all keys that these see.
    for (k, v, dout, queries, keys) in [
        (x, nan, x, see as fn(usize) -> bool, None),
        (nan, x, x, see, None),
        (x, x, nan, |i| i == BAD, Some(seen as fn(usize) -> bool)),
    ] {
        let [mut dq, mut dk, mut dv] = [room(), room(), room()];
        let o = out.view().matrix(n, dim).unwrap();
        let [a, b, c] = [&mut dq, &mut dk, &mut dv].map(|x| x.view_mut().matrix(n, dim).unwrap());
        gpu.attention_backward(&op, x, k, v, None, o, lse.view(), dout, a, b, c, ()).unwrap();
        assert_eq!(rows(&dq), (0..n).map(queries).collect::<Vec<_>>());
        if let Some(keys) = keys {
            let want: Vec<_> = (0..n).map(keys).collect();
            assert_eq!([rows(&dk), rows(&dv)], [want.clone(), want]);
        }
    }
}
