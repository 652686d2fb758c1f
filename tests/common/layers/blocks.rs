//! Quantised blocks on a device: the numbers and the bits of the CPU, whose numbers golden files hold.

use crate::device::Worst;
use crate::nn::Noise;
use crate::seed::Seed;
use fulmen::backend::Quantised;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::quant::*;

/// Blocks of any codes and moderate scales: those of numbers, of which the codes are others.
fn any<B: Block>(noise: &mut Noise, n: usize) -> Vec<B> {
    let mut x: Vec<f32> = noise.slice(n * B::ELEMENTS, 2.0);
    // Scales that are subnormal as halves, too.
    x.chunks_mut(B::ELEMENTS).step_by(3).flatten().for_each(|x| *x *= 2e-5);
    let zeros = vec![0; n * size_of::<B>()];
    let mut to = blocks::<B>(&zeros).unwrap().to_vec();
    fulmen::quantize(&x, None, &mut to).unwrap();
    // A code that no encoder writes.
    let mut bytes = bytes_of(&to).to_vec();
    if let ("q8_0", [_, _, q, ..]) = (B::NAME, &mut bytes[..]) {
        *q = 0x80;
    }
    blocks::<B>(&bytes).unwrap().to_vec()
}

/// Blocks of any bits: scales that are NaN, infinite, subnormal or vast, and every code.
fn wild<B: Block>(noise: &mut Noise, n: usize) -> Vec<B> {
    let bytes: Vec<u8> = (0..n * size_of::<B>()).map(|_| noise.bits() as u8).collect();
    let mut all = blocks::<B>(&bytes).unwrap().to_vec();
    // Half of them are moderate, so that not every sum has a NaN.
    let plain = any::<B>(noise, n);
    (0..n).filter(|i| i % 2 == 1).for_each(|i| all[i] = plain[i]);
    all
}

/// Numbers and products of blocks of any bits, as a CPU's.
fn specials<B: Block, D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<(), Error> {
    let mut r = Seed::running().stream(B::NAME);
    let (n, m, row) = (r.within(1..=5), r.within(1..=3), r.within(1..=3));
    let (w, x) = (wild::<B>(&mut r, n * row), wild::<B::Partner>(&mut r, m * row));
    let cols = row * B::ELEMENTS;
    let (on_w, on_x) = (gpu.upload(&w)?, gpu.upload(&x)?);
    let mut want = vec![0.0; n * cols];
    fulmen::dequantize(&w, &mut want).unwrap();
    same(&written(gpu, n * cols, 3, |to| gpu.dequantize(on_w.view(), to))?, &want, B::NAME);
    let mut want = vec![0.0; n * m];
    fulmen::quant_gemm(&w, &x, cols, &mut want).unwrap();
    let got = written(gpu, n * m, 3, |to| gpu.quant_gemm(on_w.view(), on_x.view(), cols, to))?;
    same(&got, &want, &format!("products of {}", B::NAME));
    let one = on_x.view().part(0..row)?;
    same(&written(gpu, n, 3, |to| gpu.quant_gemv(on_w.view(), one, to))?, &want[..n], B::NAME);
    let dot = written(gpu, 1, 3, |to| gpu.quant_dot(on_w.view().part(0..row)?, one, to))?;
    same(&dot, &want[..1], B::NAME);
    Ok(())
}

fn same(got: &[f32], want: &[f32], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        assert!(
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            "{what}: element {i} is {a:e}, not {b:e}"
        );
    }
}

/// What a call writes to the middle of a buffer.
fn written<D: Device + Blocking>(
    gpu: &Gpu<D>,
    n: usize,
    pad: usize,
    call: impl FnOnce(fulmen::gpu::backend::ViewMut<'_, f32, D>) -> Result<(), Error>,
) -> Result<Vec<f32>, Error> {
    let mut all = gpu.upload(&vec![7.0f32; n + 2 * pad])?;
    let [_, rest] = all.view_mut().split(pad)?;
    let [to, _] = rest.split(n)?;
    call(to)?;
    let mut got = vec![0.0; n + 2 * pad];
    gpu.download(all.view(), &mut got)?;
    let (head, rest) = got.split_at(pad);
    let (got, tail) = rest.split_at(n);
    assert!(head.iter().chain(tail).all(|x| *x == 7.0), "written past its result");
    Ok(got.to_vec())
}

/// Numbers, rows and products of one format.
fn format<B: Block, D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    sizes: &[[usize; 3]],
    worst: &mut Worst,
) -> Result<(), Error> {
    let mut noise = Noise(29);
    for (case, [n, chunks, m]) in sizes.iter().copied().enumerate() {
        let row = (32 * chunks).div_ceil(B::ELEMENTS);
        let cols = row * B::ELEMENTS;
        // Whole arrays, and parts that start anywhere.
        let skip = case % 2;
        let (w, x) = (any::<B>(&mut noise, n * row + skip), any::<B::Partner>(&mut noise, m * row + skip));
        let (on_w, on_x) = (gpu.upload(&w)?, gpu.upload(&x)?);
        let (w, x) = (&w[skip..], &x[skip..]);
        let (at_w, at_x) = (on_w.view().part(skip..skip + n * row)?, on_x.view().part(skip..skip + m * row)?);
        let mut want = vec![0.0; n * cols];
        fulmen::dequantize(w, &mut want).unwrap();
        let pad = if case % 2 == 0 { 4 } else { 3 };
        same(&written(gpu, n * cols, pad, |to| gpu.dequantize(at_w, to))?, &want, B::NAME);
        let numbers = want;
        // Rows that end in a block, or before its last chunk.
        let cut = cols - [5, 37][case % 2].min(B::ELEMENTS - 1);
        let mut want = vec![0.0; n * cut];
        fulmen::dequantize_padded(w, cut, &mut want).unwrap();
        same(&written(gpu, n * cut, pad, |to| gpu.dequantize_padded(at_w, cut, to))?, &want, B::NAME);
        let ids = [n - 1, 0, n / 2].map(|i| i as u32);
        let on_ids = gpu.upload(&ids)?;
        let got = written(gpu, 3 * cols, pad, |to| gpu.quant_rows(at_w, cols, on_ids.view(), to))?;
        for (id, got) in ids.iter().zip(got.chunks(cols)) {
            same(got, &numbers[*id as usize * cols..][..cols], B::NAME);
        }
        let mut want = vec![0.0; n * m];
        fulmen::quant_gemm(w, x, cols, &mut want).unwrap();
        let got = written(gpu, n * m, pad, |to| gpu.quant_gemm(at_w, at_x, cols, to))?;
        same(&got, &want, B::NAME);
        let one = at_x.part(0..row)?;
        same(&written(gpu, n, pad, |to| gpu.quant_gemv(at_w, one, to))?, &want[..n], B::NAME);
        let dot = written(gpu, 1, pad, |to| gpu.quant_dot(at_w.part(0..row)?, one, to))?;
        same(&dot, &want[..1], B::NAME);
        // Against the definition: what levels of 16 bits are off by is theirs.
        let mut of_x = vec![0.0; m * cols];
        fulmen::dequantize(x, &mut of_x).unwrap();
        for (e, got) in got.iter().enumerate() {
            let (a, y) = (&numbers[e % n * cols..][..cols], &of_x[e / n * cols..][..cols]);
            let terms = a.iter().zip(y).map(|(a, y)| f64::from(*a) * f64::from(*y));
            let (want, mass) = terms.fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
            let most = match B::NAME {
                "nf4" | "nf4_low" => 0.5 / 32639.0 / 0.0795 + 3e-6,
                _ => 3e-6,
            };
            let share = (f64::from(*got) - want).abs() / (most * mass);
            worst.add(share, f64::from(*got), want);
        }
    }
    Ok(())
}

/// Activations of one format: the bits of the CPU, and NaN where an element is none that it has.
fn activations<A: Activation, D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<(), Error> {
    let mut noise = Noise(31);
    // One block, a few of which the last ends within a word, and more than a block of threads has.
    for many in [1, 3, 17] {
        let mut x: Vec<f32> = noise.slice(many * A::ELEMENTS, 2.0);
        let (far, last) = ((many - 1) * A::ELEMENTS, many * A::ELEMENTS - 1);
        x[far..].iter_mut().for_each(|x| *x *= 3e-4);
        // Ties, of a scale of one.
        x[..4].copy_from_slice(&[127.0, 2.5, -2.5, 0.5]);
        // A scale between two halves.
        if let Some(x) = x.get_mut(A::ELEMENTS) {
            *x = 127.0 * (1.0 + 1.0 / 2048.0);
        }
        let before = vec![0x55; (many + 1) * size_of::<A>()];
        let mut want = blocks::<A>(&before).unwrap().to_vec();
        fulmen::quantize(&x, None, &mut want[..many]).unwrap();
        let (on_x, mut on) = (gpu.upload(&x)?, gpu.upload(blocks::<A>(&before).unwrap())?);
        let [to, _] = on.view_mut().split(many)?;
        gpu.quantize(on_x.view(), to)?;
        let mut got = want.clone();
        gpu.download(on.view(), &mut got)?;
        assert_eq!(bytes_of(&got), bytes_of(&want), "{} of {many}", A::NAME);
        // What it refuses on a CPU: of this block alone.
        let most = if matches!(A::NAME, "q8_0" | "q8_1") { 65536.0 } else { f32::INFINITY };
        for bad in [f32::NAN, -most] {
            x[last] = bad;
            let on_x = gpu.upload(&x)?;
            let [to, _] = on.view_mut().split(many)?;
            gpu.quantize(on_x.view(), to)?;
            gpu.download(on.view(), &mut got)?;
            let mut numbers = vec![0.0; many * A::ELEMENTS];
            fulmen::dequantize(&got[..many], &mut numbers).unwrap();
            assert!(numbers[far..].iter().all(|x| x.is_nan()), "{} {bad}", A::NAME);
            assert_eq!(bytes_of(&got[..many - 1]), bytes_of(&want[..many - 1]), "{}", A::NAME);
        }
    }
    Ok(())
}

/// The ops on blocks, for every format at these sizes and some at `more`: rows of weights, elements of a row by 32 (in whole
/// blocks), rows of activations. Bits are compared, and products with their definition, too.
pub fn story<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    sizes: &[[usize; 3]],
    more: &[[usize; 3]],
) -> Result<Vec<Worst>, Error> {
    let of = |op| Worst { op, share: 0.0, got: 0.0, want: 0.0 };
    let mut worst = of("quant_gemm");
    macro_rules! each {
        ($sizes:ident: $($B:ident)*) => { $(format::<$B, D>(gpu, $sizes, &mut worst)?;)* };
    }
    each! { sizes: Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1 IQ4_NL MXFP4 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K NF4 NF4_LOW Q8_64 }
    macro_rules! special {
        ($($B:ident)*) => { $(specials::<$B, D>(gpu)?;)* };
    }
    special! { Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1 IQ4_NL MXFP4 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K NF4 NF4_LOW Q8_64 }
    each! { more: Q4_1 Q8_0 Q4_K Q6_K }
    activations::<Q8_0, D>(gpu)?;
    activations::<Q8_1, D>(gpu)?;
    activations::<Q8_K, D>(gpu)?;
    activations::<Q8_64, D>(gpu)?;
    let exact = ["dequantize", "dequantize_padded", "quant_rows", "quant_dot", "quant_gemv"];
    Ok(exact.into_iter().map(of).chain([worst, super::decode::story(gpu)?]).collect())
}
