//! Attention of one query over a cache, on a device: against the definition in `f64`, of the numbers that the cache holds.

use crate::device::Worst;
use crate::nn::Noise;
use crate::nn::attention::Naive;
use fulmen::backend::{Caches, Layers};
use fulmen::contract::spec;
use fulmen::gpu::backend::{DeviceCached, Gpu, Word};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::quant::*;
use fulmen::{Align, Attention, Pages};

/// Heads, those of keys, elements of a head, keys; keys of a page (0 for none), the window, elements of the cache before it.
type Case = ([usize; 4], usize, Option<usize>, usize);

/// Elements of the cache from small numbers, and what they are.
fn blocks_of<B: Block>(x: &[f32]) -> (Vec<B>, Vec<f64>) {
    let zeros = vec![0; x.len() / B::ELEMENTS * size_of::<B>()];
    let mut to = blocks::<B>(&zeros).unwrap().to_vec();
    fulmen::quantize(x, None, &mut to).unwrap();
    let mut numbers = vec![0.0f32; x.len()];
    fulmen::dequantize(&to, &mut numbers).unwrap();
    (to, numbers.into_iter().map(f64::from).collect())
}

fn of<C: DeviceCached + Word, D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    cases: &[Case],
    make: impl Fn(&[f32]) -> (Vec<C>, Vec<f64>),
    worst: &mut Worst,
) -> Result<(), Error> {
    let per = spec("attention_decode").and_then(|s| s.tolerance("f32")).unwrap();
    let mut noise = Noise(37);
    for (turn, ([heads, kv_heads, dim, len], rows, window, skip)) in cases.iter().copied().enumerate() {
        let softcap = (turn % 3 == 1).then_some(2.5f32);
        let scale = 1.3 / (dim as f32).sqrt();
        let op = Attention { window, softcap, ..Attention::new(heads, kv_heads, dim, scale) };
        let row = kv_heads * dim;
        // Pages from the last to the first, one of which nothing is in.
        let pages = if rows > 0 { len.div_ceil(rows) + 1 } else { 0 };
        let held = if rows > 0 { pages * rows } else { len };
        let table: Vec<u32> = (0..pages as u32).rev().collect();
        let at = |j: usize| match j.checked_div(rows) {
            Some(page) => table[page] as usize * rows + j % rows,
            None => j,
        };
        let mut cache = || {
            let (x, numbers) = make(&noise.slice::<f32>((held + skip) * row, 2.0));
            let seen: Vec<f64> =
                (0..len).flat_map(|j| numbers[(skip + at(j)) * row..][..row].to_vec()).collect();
            (x, seen)
        };
        let ((keys, k), (values, v)) = (cache(), cache());
        let q: Vec<f32> = noise.slice(heads * dim, 2.0);
        let (on_q, on_k, on_v) = (gpu.upload(&q)?, gpu.upload(&keys)?, gpu.upload(&values)?);
        let on_table = gpu.upload(&table)?;
        // The rows before are not the text's, which may start at any element.
        let each = keys.len() / (held + skip).max(1);
        let part = |n: usize| skip * each..n;
        let (mut out, mut sums) =
            (gpu.upload(&vec![7.0f32; heads * dim])?, gpu.upload(&vec![7.0f32; heads])?);
        let paged = (rows > 0).then(|| Pages { table: on_table.view(), rows, len });
        let lse = (turn % 2 == 0).then(|| sums.view_mut());
        let wants_sums = lse.is_some();
        let (all_k, all_v) = (on_k.view().part(part(keys.len()))?, on_v.view().part(part(keys.len()))?);
        gpu.attention_decode(&op, on_q.view(), all_k, all_v, paged, out.view_mut(), lse, ())?;
        let (mut got, mut got_sums) = (vec![0.0f32; heads * dim], vec![0.0f32; heads]);
        gpu.download(out.view(), &mut got)?;
        gpu.download(sums.view(), &mut got_sums)?;
        let q: Vec<f64> = q.into_iter().map(f64::from).collect();
        let whole = Attention::new(heads, kv_heads, dim, f64::from(scale));
        let op = Attention { window, softcap: softcap.map(f64::from), ..whole };
        let [want, want_sums] = Naive { op, n: 1, len, q: &q, k: &k, v: &v, mask: &[] }.forward();
        if !wants_sums {
            assert!(got_sums.iter().all(|x| *x == 7.0), "sums that nobody asked for");
            got_sums.clear();
        }
        for (got, w) in got.iter().chain(&got_sums).zip(want.iter().chain(&want_sums)) {
            let got = f64::from(*got);
            let share = match got == w.value {
                true => 0.0,
                false => (got - w.value).abs() / per.allowed::<f32>(w.value, &[&vec![0.0; w.n]], w.mass),
            };
            worst.add(share, got, w.value);
        }
    }
    Ok(())
}

/// `attention` of one query over keys in order goes the same way, also where there is something else between its rows: causal
/// from the last, or from the first, which sees one key.
fn of_attention<D: Computes<f32> + Blocking>(gpu: &Gpu<D>, worst: &mut Worst) -> Result<(), Error> {
    let per = spec("attention").and_then(|s| s.tolerance("f32")).unwrap();
    let mut noise = Noise(41);
    let (heads, kv_heads, dim, len) = (4, 2, 24, 150);
    for (align, window, between) in [
        (Align::BottomRight, None, [0, 0]),
        (Align::BottomRight, Some(60), [48, 20]),
        (Align::BottomRight, None, [4, 3]),
        (Align::TopLeft, None, [0, 0]),
    ] {
        let op = Attention { causal: true, align, window, ..Attention::new(heads, kv_heads, dim, 0.3f32) };
        let [q, k, v] =
            [heads * dim, len * kv_heads * dim, len * kv_heads * dim].map(|n| noise.slice::<f32>(n, 2.0));
        let cols = kv_heads * dim;
        let apart = |x: &[f32], between: usize| -> Vec<f32> {
            x.chunks(cols).flat_map(|row| [row, &vec![1e9; between]].concat()).collect()
        };
        let [more_k, more_v] = between;
        let (on_q, on_k, on_v) =
            (gpu.upload(&q)?, gpu.upload(&apart(&k, more_k))?, gpu.upload(&apart(&v, more_v))?);
        let mut out = gpu.upload(&vec![7.0f32; heads * dim])?;
        let k_of = on_k.view().matrix(len, cols + more_k)?.cols(0..cols)?;
        let v_of = on_v.view().matrix(len, cols + more_v)?.cols(0..cols)?;
        let to = out.view_mut().matrix(1, heads * dim)?;
        gpu.attention(&op, on_q.view().matrix(1, heads * dim)?, k_of, v_of, None, to, None, ())?;
        let mut got = vec![0.0f32; heads * dim];
        gpu.download(out.view(), &mut got)?;
        let [q, k, v] = [q, k, v].map(|x| x.into_iter().map(f64::from).collect::<Vec<_>>());
        let whole = Attention::new(heads, kv_heads, dim, f64::from(0.3f32));
        let op = Attention { causal: true, align, window, ..whole };
        let [want, _] = Naive { op, n: 1, len, q: &q, k: &k, v: &v, mask: &[] }.forward();
        for (got, w) in got.iter().zip(&want) {
            let off = (f64::from(*got) - w.value).abs();
            let allowed = per.allowed::<f32>(w.value, &[&vec![0.0; w.n]], w.mass);
            worst.add(if off == 0.0 { 0.0 } else { off / allowed }, f64::from(*got), w.value);
        }
    }
    Ok(())
}

/// Caches of numbers, halves and blocks: short and long ones, whose keys several blocks share, read by 16 bytes and by
/// elements, heads that share a key head by ones and by eights, in order and in pages.
pub fn story<D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<Worst, Error> {
    let mut worst = Worst { op: "attention_decode", share: 0.0, got: 0.0, want: 0.0 };
    let plain = |x: &[f32]| (x.to_vec(), x.iter().map(|x| f64::from(*x)).collect());
    let numbers: [Case; 7] = [
        ([2, 1, 64, 70], 0, None, 0),
        ([3, 3, 5, 9], 0, Some(4), 1),
        ([6, 2, 128, 45], 4, None, 0),
        ([1, 1, 36, 0], 0, None, 0),
        ([11, 1, 8, 130], 7, Some(77), 0),
        ([1, 1, 260, 3], 0, None, 0),
        ([4, 4, 16, 700], 0, Some(0), 0),
    ];
    of::<f32, D>(gpu, &numbers, plain, &mut worst)?;
    let quantised: [Case; 3] =
        [([4, 2, 64, 40], 0, None, 0), ([2, 1, 96, 33], 5, Some(30), 1), ([2, 2, 256, 300], 0, None, 0)];
    of::<Q8_0, D>(gpu, &quantised, blocks_of, &mut worst)?;
    of::<Q4_0, D>(gpu, &quantised[..2], blocks_of, &mut worst)?;
    of::<Q4_K, D>(gpu, &quantised[2..], blocks_of, &mut worst)?;
    #[cfg(feature = "half")]
    {
        fn round<T: Copy + Into<f64>>(x: &[f32], to: impl Fn(f32) -> T) -> (Vec<T>, Vec<f64>) {
            let x: Vec<T> = x.iter().map(|x| to(*x)).collect();
            let numbers = x.iter().map(|x| (*x).into()).collect();
            (x, numbers)
        }
        let f16 = |x: &[f32]| round(x, |x| half::f16::from_f32(2e-5 * x.powi(9)));
        let bf16 = |x: &[f32]| round(x, half::bf16::from_f32);
        of::<half::f16, D>(gpu, &numbers, f16, &mut worst)?;
        of::<half::bf16, D>(gpu, &numbers, bf16, &mut worst)?;
    }
    of_attention(gpu, &mut worst)?;
    // A page that the cache has not is as if its keys were not there, and said.
    let op = Attention::new(1, 1, 1, 1.0);
    let [q, keys, values] = [&[0.0f32][..], &[0.0, 0.0], &[3.0, 5.0]].map(|x| gpu.upload(x));
    let (q, keys, values, table, mut out) =
        (q?, keys?, values?, gpu.upload(&[1u32, 2])?, gpu.alloc::<f32>(1)?);
    let pages = Pages { table: table.view(), rows: 1, len: 2 };
    gpu.attention_decode(&op, q.view(), keys.view(), values.view(), Some(pages), out.view_mut(), None, ())?;
    let mut got = [0.0f32];
    let said = gpu.download(out.view(), &mut got);
    assert!(
        matches!(said, Err(Error::Index { op: "attention_decode", arg: "pages", index: 2 })),
        "a page past the end: {said:?}"
    );
    gpu.download(out.view(), &mut got)?;
    assert_eq!(got, [5.0]);
    // Heads that no thread has registers for.
    let (op, long) = (Attention::new(1, 1, 2049, 1.0), gpu.upload(&[0.0f32; 2049])?);
    let mut out = gpu.alloc::<f32>(2049)?;
    let said =
        gpu.attention_decode(&op, long.view(), long.view(), long.view(), None, out.view_mut(), None, ());
    assert!(matches!(said, Err(Error::Limit { what: "elements of a head", .. })), "{said:?}");
    Ok(worst)
}
