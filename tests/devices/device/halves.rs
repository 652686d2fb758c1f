//! Products of 16-bit matrices, and rows that are few.

use super::*;
#[cfg(feature = "half")]
use fulmen::gpu::backend::{Mat, MatMut, View, ViewMut, Word};

/// Few rows: long ones that blocks share, with parts that are whole and others, and short ones with a block each.
#[test]
fn few_rows_keep_their_contract() {
    use common::device::run;
    for meet in [Meet::Warps, Meet::Memory] {
        let facts = host(48 << 10, 8 * 7, Language::Ptx).facts().clone();
        let gpu = Gpu::new(Host::with(Facts { meet, ..facts }));
        let rows = OPS.iter().filter(|op| op.shape.starts_with("rows"));
        let mut ran = 0;
        for op in rows {
            let sizes = [(2, 8193), (2, 70), (1, 600)];
            let sizes = if meet == Meet::Warps { &sizes[..] } else { &sizes[..1] };
            for (kind, size) in sizes.iter().enumerate() {
                let worst = run::<f32, _>(&gpu, "f32", op, *size, kind as u8 % 3).unwrap().unwrap();
                assert!(worst.share <= 1.0, "{size:?}: {worst:?}");
            }
            ran += 1;
        }
        assert_eq!(ran, 8);
    }
    // As many blocks as run at once share a row, each with some elements for every thread.
    let planner = Planner::new(host(48 << 10, 1056, Language::Ptx).facts());
    for (rows, cols, grids) in [
        (32, 32_000, vec![[16, 32, 1]; 2]),
        (1, 1 << 21, vec![[1024, 1, 1]; 2]),
        (200, 32_000, vec![[200, 1, 1]]),
    ] {
        let plan = planner.rows::<F32>("softmax", [rows, cols], 1, 0, None, true).unwrap();
        let got: Vec<[u32; 3]> = plan.launches.iter().map(|l| l.grid).collect();
        assert_eq!(got, grids, "{rows} x {cols}");
    }
}

/// Rows that a block has at once and that are not there add nothing to sums by column, also where what would be theirs is no
/// number: with ε = 0.
#[test]
fn absent_rows_add_nothing() {
    use fulmen::backend::Layers;
    let (rows, cols) = (5, 124);
    let (x, dy) = (data::<f32>(rows * cols, 1, 0), data::<f32>(rows * cols, 2, 0));
    let gpu = Gpu::new(host(48 << 10, 8 * 7, Language::Ptx));
    let [on_x, on_dy, gamma] = [&x, &dy, &vec![1.0; cols]].map(|x| gpu.upload(x).unwrap());
    let (mut dx, mut sums) =
        (gpu.alloc::<f32>(rows * cols).unwrap(), gpu.upload(&vec![0.0f32; cols]).unwrap());
    gpu.rms_norm_backward(on_x.view(), gamma.view(), on_dy.view(), 0.0, dx.view_mut(), sums.view_mut())
        .unwrap();
    let mut got = vec![0.0; cols];
    gpu.download(sums.view(), &mut got).unwrap();
    for (c, got) in got.iter().enumerate() {
        let of = |r: usize| {
            let squares: f64 = x[r * cols..][..cols].iter().map(|x| f64::from(*x).powi(2)).sum();
            f64::from(dy[r * cols + c]) * f64::from(x[r * cols + c]) / (squares / cols as f64).sqrt()
        };
        let (want, mass) = (0..rows).map(of).fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
        assert!((f64::from(*got) - want).abs() <= 1e-5 * mass, "{c}: {got}, not {want}");
    }
}

/// Products of `f32` on a device that is asked to round: off by what bf16 is, in all layouts, with NaN and infinities as they
/// are; small ones are not rounded, and a device without tensor cores refuses.
#[test]
fn rounded_products() {
    assert!(matches!(Gpu::rounding(Host::new(Meet::Memory)), Err(Error::Limit { .. })));
    let gpu = Gpu::rounding(hopper_host(2)).unwrap();
    for (m, n, k, turned) in [
        (130, 70, 260, [false; 3]),
        (64, 200, 170, [true, false, true]),
        (16, 300, 500, [false, true, false]),
    ] {
        let (a, b, old) = (data::<f32>(m * k, 1, 0), data::<f32>(k * n, 2, 0), data::<f32>(m * n, 3, 0));
        let [on_a, on_b, mut c] = [&a, &b, &old].map(|x| gpu.upload(x).unwrap());
        let at = |turned: bool, rows: usize, cols: usize, i: usize, j: usize| {
            if turned { j * rows + i } else { i * cols + j }
        };
        {
            let x = if turned[0] {
                on_a.view().matrix(k, m).unwrap().t()
            } else {
                on_a.view().matrix(m, k).unwrap()
            };
            let y = if turned[1] {
                on_b.view().matrix(n, k).unwrap().t()
            } else {
                on_b.view().matrix(k, n).unwrap()
            };
            let to = c.view_mut();
            let to = if turned[2] { to.matrix(n, m).unwrap().t() } else { to.matrix(m, n).unwrap() };
            gpu.gemm(0.5, x, y, 2.0, to).unwrap();
        }
        let mut got = vec![0.0; m * n];
        gpu.download(c.view(), &mut got).unwrap();
        let mut worst = 0.0f64;
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let terms = (0..k)
                .map(|p| f64::from(a[at(turned[0], m, k, i, p)]) * f64::from(b[at(turned[1], k, n, p, j)]));
            let (sum, mass) = terms.fold((0.0, 0.0), |(s, w), t| (s + t, w + f64::abs(t)));
            let place = at(turned[2], m, n, i, j);
            let want = 0.5 * sum + 2.0 * f64::from(old[place]);
            worst = worst.max((f64::from(got[place]) - want).abs() / mass);
        }
        assert!(worst <= 1.0 / 256.0 && worst > 1e-5, "{m} {n} {k}: {worst}");
    }
    // Alone in their rows: what is no number stays one, and what is too large is infinite.
    let special =
        [f32::NAN, -f32::NAN, f32::INFINITY, 3.4e38, f32::MAX, 1e-40, -0.0, f32::from_bits(0x7f80_0001)];
    let mut a = vec![0.0f32; 128 * 128];
    (0..).zip(special).for_each(|(i, x)| a[i * 129] = x);
    let mut one = vec![0.0f32; 128 * 128];
    (0..128).for_each(|i| one[i * 129] = 1.0);
    let [on_a, on_b, mut c] = [&a, &one, &one].map(|x| gpu.upload(x).unwrap());
    let [x, y] = [&on_a, &on_b].map(|x| x.view().matrix(128, 128).unwrap());
    gpu.gemm(1.0, x, y, 0.0, c.view_mut().matrix(128, 128).unwrap()).unwrap();
    let mut got = vec![0.0; 128 * 128];
    gpu.download(c.view(), &mut got).unwrap();
    let got: Vec<f32> = (0..8).map(|i| got[i * 129]).collect();
    assert!(got[0].is_nan() && got[1].is_nan() && got[7].is_nan(), "{got:?}");
    assert_eq!(got[2..5], [f32::INFINITY, half::bf16::from_f32(3.4e38).to_f32(), f32::INFINITY]);
    assert!(got[5] < 1.2e-38 && got[6] == 0.0);
    // Few terms are as they were.
    let (a, b) = (data::<f32>(64 * 64, 1, 0), data::<f32>(64 * 64, 2, 0));
    let both = [Gpu::rounding(hopper_host(2)).unwrap(), hopper(2)].map(|gpu| {
        let [on_a, on_b, mut c] = [&a, &b, &a].map(|x| gpu.upload(x).unwrap());
        let [x, y] = [&on_a, &on_b].map(|x| x.view().matrix(64, 64).unwrap());
        gpu.gemm(1.0, x, y, 0.0, c.view_mut().matrix(64, 64).unwrap()).unwrap();
        let mut got = vec![0.0; 64 * 64];
        gpu.download(c.view(), &mut got).unwrap();
        got
    });
    assert_eq!(both[0], both[1]);
}

/// Results, log-sum-exps and the gradients of queries, keys and values of attention on operands of any type, with keys and
/// values that are columns of one matrix.
#[cfg(feature = "half")]
fn attention_of<E: Word>(
    gpu: &Gpu<Host>,
    op: &fulmen::Attention<f32>,
    [n, len]: [usize; 2],
    round: impl Fn(&f32) -> E,
    forward: impl Fn([Mat<'_, E, Host>; 3], MatMut<'_, f32, Host>, ViewMut<'_, f32, Host>),
    backward: impl Fn([Mat<'_, E, Host>; 4], Mat<'_, f32, Host>, View<'_, f32, Host>, [MatMut<'_, f32, Host>; 3]),
) -> [Vec<f32>; 4] {
    let [rows, keys] = [n, len].map(|each| each * op.batch);
    let [cols, width] = [op.heads, op.kv_heads].map(|heads| heads * op.dim);
    let mut seeds = 1..;
    let [q, kv, dout] = [rows * cols, keys * 2 * width, rows * cols].map(|n| {
        let x: Vec<E> = data::<f32>(n, seeds.next().unwrap(), 0).iter().map(&round).collect();
        gpu.upload(&x).unwrap()
    });
    let stale = |n: usize| gpu.upload(&vec![7.0f32; n]).unwrap();
    let [mut out, mut lse, mut dq, mut dkv] =
        [rows * cols, rows * op.heads, rows * cols, keys * 2 * width].map(stale);
    let [q, dout] = [&q, &dout].map(|x| x.view().matrix(rows, cols).unwrap());
    let kv = kv.view().matrix(keys, 2 * width).unwrap();
    let [k, v] = [0..width, width..2 * width].map(|part| kv.cols(part).unwrap());
    forward([q, k, v], out.view_mut().matrix(rows, cols).unwrap(), lse.view_mut());
    let [dk, dv] = dkv.view_mut().matrix(keys, 2 * width).unwrap().split_cols(width).unwrap();
    let to = [dq.view_mut().matrix(rows, cols).unwrap(), dk, dv];
    backward([q, k, v, dout], out.view().matrix(rows, cols).unwrap(), lse.view(), to);
    [out, lse, dq, dkv].map(|x| {
        let mut to = vec![0.0; x.len()];
        gpu.download(x.view(), &mut to).unwrap();
        to
    })
}

/// Attention of `f32` on a device that is asked to round has the bits of that of its operands in bf16, of one sequence and of
/// several; and where there is little to do, a cap or a mask, those of `f32`.
#[cfg(feature = "half")]
#[test]
fn rounded_attention() {
    use fulmen::Attention;
    use fulmen::backend::Layers;
    let floats = |gpu: &Gpu<Host>, op: &Attention<f32>, sizes: [usize; 2], masked: bool| {
        let [n, len] = sizes;
        let mask = gpu.upload(&data::<f32>(n * len, 9, 0)).unwrap();
        let mask = masked.then(|| mask.view().matrix(n, len).unwrap());
        attention_of(
            gpu,
            op,
            sizes,
            |x| *x,
            |[q, k, v], out, lse| gpu.attention(op, q, k, v, mask, out, Some(lse), ()).unwrap(),
            |[q, k, v, dout], out, lse, [dq, dk, dv]| {
                let workspace = ();
                gpu.attention_backward(op, q, k, v, mask, out, lse, dout, dq, dk, dv, workspace).unwrap()
            },
        )
    };
    let halves = |gpu: &Gpu<Host>, op: &Attention<f32>, sizes: [usize; 2]| {
        attention_of(
            gpu,
            op,
            sizes,
            |x| half::bf16::from_f32(*x),
            |[q, k, v], out, lse| gpu.attention_bf16(op, q, k, v, out, Some(lse), ()).unwrap(),
            |[q, k, v, dout], out, lse, [dq, dk, dv]| {
                gpu.attention_bf16_backward(op, q, k, v, out, lse, dout, dq, dk, dv, ()).unwrap()
            },
        )
    };
    let rounding = || Gpu::rounding(hopper_host(2)).unwrap();
    let causal = Attention { causal: true, ..Attention::new(2, 1, 64, 0.125f32) };
    for (op, sizes) in [
        (causal, [150, 170]),
        (Attention { batch: 2, ..causal }, [128, 128]),
        (Attention { batch: 2, window: Some(50), ..causal }, [130, 140]),
    ] {
        let got = floats(&rounding(), &op, sizes, false);
        assert!(got == halves(&hopper(2), &op, sizes), "{op:?}");
        assert!(got != floats(&hopper(2), &op, sizes, false), "{op:?}");
    }
    let capped = Attention { softcap: Some(3.0), ..causal };
    for (op, sizes, masked) in
        [(causal, [20, 30], false), (capped, [150, 170], false), (causal, [150, 170], true)]
    {
        let [got, want] = [rounding(), hopper(2)].map(|gpu| floats(&gpu, &op, sizes, masked));
        assert!(got == want, "{op:?}");
    }
}

/// Attention of bf16 by warp groups: several tiles of keys and of queries, blocks that stay for the next, masks, shared keys,
/// operands as tensor maps read them and others; and without warp groups, heads that have no kernel, a scale below 0.
#[cfg(feature = "half")]
#[test]
fn attention_of_warp_groups_keeps_its_contract() {
    use common::device::half_attention;
    let cases = [
        ([2, 1, 64, 200, 300], true, None),
        ([1, 1, 128, 20, 290], true, None),
        ([2, 2, 64, 3, 5], false, None),
        ([3, 3, 64, 70, 130], false, None),
        ([1, 1, 64, 70, 270], true, Some(40)),
        ([1, 1, 128, 4, 2], false, Some(1)),
        // By three groups, and heads that are taken together but for the last two.
        ([1, 1, 64, 185, 200], false, None),
        ([5, 1, 64, 130, 16_400], true, Some(40)),
    ];
    let gpu = hopper(2);
    for worst in half_attention(&gpu, 1, &cases).unwrap() {
        assert!(worst.share <= 1.0, "{worst:?}");
        // The weights' rounding is seen.
        assert!(worst.share > 0.01, "{worst:?}");
    }
    let all = "three of attention, sums of gradients and two of each size of heads, one that copies, one that clears";
    assert_eq!(gpu.kernels(), 10, "{all}");
    // Gradients in whole blocks: sums, queries, keys.
    for case in [([2, 2, 64, 256, 256], true, None), ([1, 1, 128, 128, 128], false, None)] {
        let gpu = hopper(8);
        for worst in half_attention(&gpu, 1, &[case]).unwrap() {
            assert!(worst.share <= 1.0 && worst.share > 0.01, "{worst:?}");
        }
        assert_eq!(gpu.kernels(), 4, "{case:?}");
    }
    // Sequences that one launch takes, heads of several of them together and blocks that stay; and those that it cannot.
    for (batch, case) in [
        (3, ([2, 1, 64, 128, 256], true, None)),
        (2, ([1, 1, 128, 256, 256], true, Some(70))),
        (2, ([1, 1, 64, 128, 128], false, None)),
        (2, ([2, 2, 64, 100, 128], true, None)),
        (2, ([1, 1, 64, 128, 130], false, None)),
    ] {
        for worst in half_attention(&hopper(2), batch, &[case]).unwrap() {
            assert!(worst.share <= 1.0 && worst.share > 0.01, "{batch} of {case:?}: {worst:?}");
        }
    }
    // Widened: without warp groups, and heads past their widest.
    for (gpu, dim) in [(Gpu::new(Host::new(Meet::Memory)), 5), (hopper(1), 257)] {
        let cases = [([2, 1, dim, 7, 9], true, None), ([1, 1, dim + 3, 1, 40], false, None)];
        let [forward, back] = half_attention(&gpu, 1, &cases).unwrap();
        assert!(forward.share <= 0.01, "{forward:?}");
        // The least numbers that are not 0 are far from one another.
        assert!(back.share <= 0.05, "{back:?}");
    }
    // NaN and infinities, in what is seen and what is not; a scale that turns the order of scores.
    let one = |scale: f32, x: f32, at: usize| {
        let gpu = hopper(1);
        let op = fulmen::Attention { causal: true, ..fulmen::Attention::new(1, 1, 64, scale) };
        let mut q = [half::bf16::ZERO; 128];
        q[at] = half::bf16::from_f32(x);
        let (k, v) = (
            [half::bf16::ONE; 128],
            std::array::from_fn::<_, 128, _>(|i| half::bf16::from_f32((i / 64) as f32)),
        );
        let [q, k, v] = [q, k, v].map(|x| gpu.upload(&x).unwrap());
        let (mut out, mut lse) = (gpu.alloc::<f32>(128).unwrap(), gpu.alloc::<f32>(2).unwrap());
        let [a, b, c] = [&q, &k, &v].map(|x| x.view().matrix(2, 64).unwrap());
        gpu.attention_bf16(&op, a, b, c, out.view_mut().matrix(2, 64).unwrap(), Some(lse.view_mut()), ())
            .unwrap();
        let (mut got, mut sums) = ([7.0; 128], [7.0; 2]);
        gpu.download(out.view(), &mut got).unwrap();
        gpu.download(lse.view(), &mut sums).unwrap();
        ([got[0], got[64]], sums)
    };
    let ln2 = std::f32::consts::LN_2;
    let ([a, b], [s, t]) = one(1.0, f32::NAN, 0);
    assert!(a.is_nan() && s.is_nan() && b == 0.5 && (t - ln2).abs() < 1e-6, "{a} {b} {s} {t}");
    let ([a, b], [s, t]) = one(1.0, f32::NEG_INFINITY, 64);
    assert!(a == 0.0 && s == 0.0 && b == 0.0 && t == f32::NEG_INFINITY, "{a} {b} {s} {t}");
    let ([a, b], [_, t]) = one(1.0, f32::INFINITY, 64);
    assert!(a == 0.0 && b.is_nan() && t.is_nan(), "{a} {b} {t}");
    let ([a, b], [s, t]) = one(-1.0, 2.0, 64);
    assert!(a == 0.0 && s == 0.0 && b == 0.5 && (t - (ln2 - 2.0)).abs() < 1e-6, "{a} {b} {s} {t}");
}

/// NaN and infinities among operands of few bits and in factors, widened and by warp groups.
#[cfg(feature = "half")]
#[test]
fn special_values_of_few_bits() {
    Seed::new("special_values_of_few_bits");
    for gpu in [Gpu::new(Host::new(Meet::Memory)), hopper(2)] {
        common::device::few_bits::halves::products(&gpu).unwrap();
        common::device::few_bits::halves::attention(&gpu).unwrap();
    }
    let gpu = Gpu::new(Host::default());
    common::device::few_bits::caches(&gpu, |x: f32| x).unwrap();
    common::device::few_bits::caches(&gpu, half::bf16::from_f32).unwrap();
}

/// Products of 16-bit matrices: widened, and by warp groups, with operands as tensor maps read them and others.
#[cfg(feature = "half")]
#[test]
fn products_of_halves_keep_their_contract() {
    use common::device::low_precision_products;
    let keeps_both = |gpu: &Gpu<Host>, shapes: [&[[usize; 3]]; 2]| {
        for worst in low_precision_products(gpu, shapes).unwrap() {
            assert!(worst.share <= 1.0, "{worst:?}");
        }
    };
    let keeps = |gpu: &Gpu<Host>, shapes: &[[usize; 3]]| keeps_both(gpu, [shapes, &[]]);
    let gpu = Gpu::new(Host::new(Meet::Memory));
    let few = [[1, 1, 9], [3, 65, 10], [34, 2, 67], [3, 2, 5], [2, 3, 0]];
    keeps_both(&gpu, [&few, &few]);
    // Bytes: of rows and columns that are copied, and of rows that tensor maps read as they are.
    let gpu = hopper(2);
    let bytes = [[65, 40, 33], [33, 70, 65], [80, 48, 272], [16, 32, 20]];
    keeps_both(&gpu, [&[[65, 40, 33], [33, 70, 65], [70, 66, 40], [64, 72, 130]], &bytes]);
    // Rows or columns that tensor maps read as they are, in all layouts: nothing is copied.
    let gpu = hopper(2);
    keeps(&gpu, &[[72, 200, 136], [136, 72, 64], [64, 136, 72], [72, 64, 200]]);
    assert!(gpu.kernels() <= 10, "{}", gpu.kernels());
    // Rows that tensor maps read as they are: no copy, and C by columns.
    let (m, n, k) = (40, 48, 64);
    let gpu = hopper(2);
    let [a, b] = [data::<f32>(m * k, 1, 0), data::<f32>(n * k, 2, 0)]
        .map(|x| x.into_iter().map(half::bf16::from_f32).collect::<Vec<_>>());
    let [on_a, on_b] = [&a, &b].map(|x| gpu.upload(x).unwrap());
    let mut c = gpu.alloc::<f32>(m * n).unwrap();
    let view = c.view_mut().matrix(n, m).unwrap().t();
    let (x, y) = (on_a.view().matrix(m, k).unwrap(), on_b.view().matrix(n, k).unwrap().t());
    gpu.gemm_bf16(0.5, x, y, 0.0, view, ()).unwrap();
    assert_eq!(gpu.kernels(), 1);
    let mut got = vec![0.0; m * n];
    gpu.download(c.view(), &mut got).unwrap();
    for (e, got) in got.iter().enumerate() {
        let terms = (0..k).map(|p| a[e % m * k + p].to_f64() * b[e / m * k + p].to_f64());
        let (sum, mass) = terms.fold((0.0, 0.0), |(s, w), t| (s + t, w + f64::abs(t)));
        assert!((f64::from(*got) - 0.5 * sum).abs() <= 1e-5 * mass, "{e}: {got}, not {}", 0.5 * sum);
    }
    // What is refused is named, and elements beside the ends of a part stay.
    let said = gpu.gemm_f16(
        1.0,
        gpu.upload(&[half::f16::ONE; 6]).unwrap().view().matrix(2, 3).unwrap(),
        gpu.upload(&[half::f16::ONE; 4]).unwrap().view().matrix(2, 2).unwrap(),
        0.0,
        gpu.alloc(4).unwrap().view_mut().matrix(2, 2).unwrap(),
        (),
    );
    assert!(matches!(said, Err(Error::Call(fulmen::Error::Shape { arg: "b", .. }))), "{said:?}");
    let of = |n: u8| half::bf16::from_f32(f32::from(n));
    let mut x = gpu.upload(&[0, 1, 2, 3, 4, 5, 6].map(of)).unwrap();
    let [_, rest] = x.view_mut().split(1).unwrap();
    let [mut part, _] = rest.split(4).unwrap();
    gpu.write(&[11, 12, 13, 14].map(of), part.lend()).unwrap();
    let mut back = [of(0); 3];
    gpu.download(part.read().part(1..4).unwrap(), &mut back).unwrap();
    assert_eq!(back, [12, 13, 14].map(of));
    gpu.fill(of(9), part).unwrap();
    let mut all = [of(0); 7];
    gpu.download(x.view(), &mut all).unwrap();
    assert_eq!(all, [0, 9, 9, 9, 9, 5, 6].map(of));
}

/// Without keys: zeros, and a log-sum-exp of −∞, by every path: warp groups, whose tensor maps cannot be of nothing, and what is
/// converted; of one sequence and of several.
#[cfg(feature = "half")]
#[test]
fn attention_without_keys_is_zeros() {
    for gpu in [hopper(1), gpu(), Gpu::new(Host::new(Meet::Memory))] {
        for (heads, dim, rows, batch) in [(1, 64, 5, 1), (2, 128, 128, 1), (2, 64, 256, 2), (1, 8, 3, 1)] {
            let op = fulmen::Attention { batch, ..fulmen::Attention::new(heads, heads, dim, 0.125) };
            let q = gpu.upload(&vec![half::bf16::ONE; rows * heads * dim]).unwrap();
            let none = gpu.alloc::<half::bf16>(0).unwrap();
            let (mut out, mut lse) = (
                gpu.upload(&vec![7.0f32; rows * heads * dim]).unwrap(),
                gpu.upload(&vec![7.0f32; rows * heads]).unwrap(),
            );
            let (of, keys) =
                (q.view().matrix(rows, heads * dim).unwrap(), none.view().matrix(0, heads * dim).unwrap());
            let to = out.view_mut().matrix(rows, heads * dim).unwrap();
            gpu.attention_bf16(&op, of, keys, keys, to, Some(lse.view_mut()), ()).unwrap();
            let (mut got, mut sums) = (vec![7.0; rows * heads * dim], vec![7.0; rows * heads]);
            gpu.download(out.view(), &mut got).unwrap();
            gpu.download(lse.view(), &mut sums).unwrap();
            assert!(got.iter().all(|x| *x == 0.0), "{heads} heads of {dim}, {rows} queries");
            assert!(sums.iter().all(|x| *x == f32::NEG_INFINITY), "{heads} heads of {dim}: {sums:?}");
        }
    }
}

/// What `E4m3::from_f32` makes of infinities, NaN and what is past the largest, by the one rule that is documented; and each device
/// reads the bits as the host does.
#[cfg(feature = "half")]
#[test]
fn e4m3_is_one_format_on_every_device() {
    use fulmen::E4m3;
    const N: usize = 64;
    let cases = [
        (f32::INFINITY, 448.0),
        (f32::NEG_INFINITY, -448.0),
        (f32::MAX, 448.0),
        (-1e9, -448.0),
        (465.0, 448.0),
        (464.0, 448.0),
        (f32::NAN, f32::NAN),
        (-f32::NAN, f32::NAN),
        (1e-9, 0.0),
        (-0.0, 0.0),
    ];
    let (mut a, b) = (vec![E4m3::default(); N * N], vec![E4m3::from_f32(1.0); N * N]);
    for (i, (x, _)) in cases.iter().enumerate() {
        a[i * N + i] = E4m3::from_f32(*x);
    }
    for gpu in [hopper(1), gpu(), Gpu::new(Host::new(Meet::Memory))] {
        let (on_a, on_b, mut c) =
            (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap(), gpu.alloc(N * N).unwrap());
        let [x, y] = [&on_a, &on_b].map(|x| x.view().matrix(N, N).unwrap());
        gpu.gemm_e4m3(1.0, x, y.t(), 0.0, c.view_mut().matrix(N, N).unwrap(), ()).unwrap();
        let mut back = vec![7.0f32; N * N];
        gpu.download(c.view(), &mut back).unwrap();
        for (i, row) in back.chunks(N).enumerate() {
            let want = cases.get(i).map_or(0.0, |(_, want)| *want);
            assert!(
                row.iter().all(|x| *x == want || x.is_nan() && want.is_nan()),
                "row {i}: {want}, not {row:?}"
            );
        }
    }
}
