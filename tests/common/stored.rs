//! Memory of `bf16`: an op on it gives the rounded result of the same op on `f32` of the same numbers, bit for bit.

use crate::device::data;
use fulmen::backend::*;
use fulmen::gpu::backend::{Array, Gpu};
use fulmen::gpu::device::{Blocking, Computes};
use fulmen::{Attention, RopeStyle};

fn near(x: f32) -> f32 {
    half::bf16::from_f32(x).to_f32()
}

type Make<'a, D> = &'a dyn Fn(&[f32]) -> Array<f32, D>;

pub fn host_of<D: Blocking>(gpu: &Gpu<D>, x: &Array<f32, D>) -> Vec<f32> {
    let mut to = vec![0.0; x.len()];
    gpu.download(x.view(), &mut to).unwrap();
    to
}

/// Runs `op` on `f32` and on `bf16`; its results are to be the same once rounded.
fn same<D: Blocking + Computes<f32>>(gpu: &Gpu<D>, what: &str, op: impl Fn(Make<'_, D>) -> Array<f32, D>) {
    let floats = |x: &[f32]| gpu.upload(x).unwrap();
    let halves = |x: &[f32]| {
        let mut to = gpu.alloc_halves(x.len()).unwrap();
        gpu.write(x, to.view_mut()).unwrap();
        to
    };
    let want: Vec<f32> = host_of(gpu, &op(&floats)).iter().map(|x| near(*x)).collect();
    let got = host_of(gpu, &op(&halves));
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(
        bits(&got) == bits(&want),
        "{what}: {:?}",
        got.iter().zip(&want).position(|(g, w)| g.to_bits() != w.to_bits())
    );
    assert!(got.iter().any(|x| *x != 0.0), "{what} has results");
}

/// Numbers that are `bf16` already.
fn numbers(n: usize, seed: u32) -> Vec<f32> {
    data::<f32>(n, seed.into(), 0).into_iter().map(near).collect()
}

/// Gates, for which a coarser exponential is enough, and their gradients: off by what rounding is, and a little.
fn gates<D: Blocking + Computes<f32>>(gpu: &Gpu<D>, x: &[f32], cols: usize) {
    let results = |halves: bool| {
        let make = |x: &[f32]| match halves {
            true => {
                let mut to = gpu.alloc_halves(x.len()).unwrap();
                gpu.write(x, to.view_mut()).unwrap();
                to
            }
            false => gpu.upload(x).unwrap(),
        };
        let (n, dy) = (x.len() / 2, numbers(x.len() / 2, 2));
        let (x, dy, mut out, mut dx) = (make(x), make(&dy), make(&vec![7.0; n]), make(&vec![7.0; 2 * n]));
        gpu.swiglu_packed(x.view(), cols, out.view_mut()).unwrap();
        gpu.swiglu_packed_backward(x.view(), dy.view(), cols, dx.view_mut()).unwrap();
        [host_of(gpu, &out), host_of(gpu, &dx)].concat()
    };
    for (k, (got, want)) in results(true).into_iter().zip(results(false)).enumerate() {
        let rounding = want.abs() / 256.0 * 1.001 + f32::from_bits(1 << 15);
        let same = got == want || got.is_nan() && want.is_nan();
        assert!(
            same || (got - want).abs() <= rounding + 1e-6,
            "gates of {cols} columns at {k}: {got:e} for {want:e}"
        );
        assert_eq!(got.is_sign_negative(), want.is_sign_negative() && !want.is_nan(), "{cols}: {k}");
    }
}

/// Maps, rows, their gradients, products and reductions.
pub fn ops<D: Blocking + Computes<f32>>(gpu: &Gpu<D>) {
    let stale = |n: usize| vec![7.0f32; n];
    for n in [1, 7, 8, 1030] {
        same(gpu, "scale", |make| {
            let (x, mut out) = (make(&numbers(n, 1)), make(&stale(n)));
            gpu.scale(x.view(), 1.7, out.view_mut()).unwrap();
            out
        });
        same(gpu, "axpy", |make| {
            let (x, mut y) = (make(&numbers(n, 1)), make(&numbers(n, 2)));
            gpu.axpy(0.3, x.view(), y.view_mut()).unwrap();
            y
        });
        same(gpu, "fill", |make| {
            let mut x = make(&stale(n));
            gpu.fill(1.0 / 3.0, x.view_mut()).unwrap();
            x
        });
    }
    // Parts that start anywhere, and what is beside them stays.
    for at in [1, 2, 3, 4, 8] {
        same(gpu, "a part", |make| {
            let mut x = make(&numbers(70, 3));
            let [_, rest] = x.view_mut().split(at).unwrap();
            let [part, _] = rest.split(41).unwrap();
            gpu.exp_in_place(part).unwrap();
            let [_, rest] = x.view_mut().split(at + 50).unwrap();
            let [part, _] = rest.split(3).unwrap();
            gpu.write(&[0.1, 0.2, 0.3], part).unwrap();
            x
        });
    }
    for cols in [3, 64, 700, 2500] {
        same(gpu, "rms_norm", |make| {
            let (x, gamma, mut out) =
                (make(&numbers(3 * cols, 1)), make(&numbers(cols, 2)), make(&stale(3 * cols)));
            gpu.rms_norm(x.view(), gamma.view(), 1e-5, out.view_mut()).unwrap();
            out
        });
        same(gpu, "rms_norm_backward", |make| {
            let [x, dy, gamma] =
                [(3 * cols, 1), (3 * cols, 3), (cols, 2)].map(|(n, seed)| make(&numbers(n, seed)));
            let (mut dx, mut sums) = (make(&stale(3 * cols)), gpu.upload(&vec![0.0; cols]).unwrap());
            gpu.rms_norm_backward(x.view(), gamma.view(), dy.view(), 1e-5, dx.view_mut(), sums.view_mut())
                .unwrap();
            dx
        });
        same(gpu, "rms_norm_residual_backward", |make| {
            let [x, dy, gamma, mut dx] = [(3 * cols, 1), (3 * cols, 3), (cols, 2), (3 * cols, 4)]
                .map(|(n, seed)| make(&numbers(n, seed)));
            let mut sums = gpu.upload(&vec![0.0; cols]).unwrap();
            let (x, gamma, dy) = (x.view(), gamma.view(), dy.view());
            gpu.rms_norm_residual_backward(x, gamma, dy, 1e-5, dx.view_mut(), sums.view_mut()).unwrap();
            dx
        });
        same(gpu, "cross_entropy_with_gradient", |make| {
            let mut z = make(&numbers(3 * cols, 1));
            let targets = gpu.upload(&[2u32, u32::MAX, cols as u32 - 1]).unwrap();
            let mut losses = gpu.upload(&[7.0; 3]).unwrap();
            gpu.cross_entropy_with_gradient(z.view_mut(), targets.view(), cols, 3.0, losses.view_mut())
                .unwrap();
            z
        });
        gates(gpu, &numbers(4 * cols, 1), cols);
    }
    let far = [f32::NEG_INFINITY, -120.0, -95.0, -60.0, -10.0, -1.28, -0.0, 0.0, 1e-3, 5.0, 50.0, 120.0];
    for last in [f32::INFINITY, f32::NAN, 7.0, 3.0] {
        let x: Vec<f32> = far.iter().chain(&[last; 4]).chain(&[1.25; 16]).map(|x| near(*x)).collect();
        gates(gpu, &x, 16);
    }
    same(gpu, "pairs that are turned", |make| {
        let mut x = make(&numbers(6 * 40, 1));
        let [cos, sin] = [5, 6].map(|seed| gpu.upload(&numbers(6 * 8, seed)).unwrap());
        let [_, keys] = x.view_mut().matrix(6, 40).unwrap().split_cols(8).unwrap();
        gpu.rope_view(keys, 16, cos.view(), sin.view(), RopeStyle::Interleaved, true).unwrap();
        x
    });
    // By 16 bytes, where rows start at a multiple of so many, and one by one: heads of 16 elements, some of a row.
    let turned = |at: usize| {
        let (mut x, values) = (gpu.upload(&vec![0.0f32; 6 * 48 + 1]).unwrap(), numbers(6 * 48, 1));
        let [cos, sin] = [5, 6].map(|seed| gpu.upload(&numbers(6 * 8, seed)).unwrap());
        let [_, rest] = x.view_mut().split(at).unwrap();
        let [mut part, _] = rest.split(6 * 48).unwrap();
        gpu.write(&values, part.lend()).unwrap();
        let [_, keys] = part.matrix(6, 48).unwrap().split_cols(16).unwrap();
        gpu.rope_view(keys, 16, cos.view(), sin.view(), RopeStyle::Interleaved, false).unwrap();
        host_of(gpu, &x)[at..at + 6 * 48].to_vec()
    };
    assert!(turned(0) == turned(1) && turned(0) != numbers(6 * 48, 1), "pairs at once and one by one");
    same(gpu, "rows by index", |make| {
        let (table, mut out) = (make(&numbers(50, 1)), make(&stale(30)));
        let ids = gpu.upload(&[3u32, 0, 4]).unwrap();
        gpu.embedding(table.view(), 10, ids.view(), out.view_mut()).unwrap();
        out
    });
    same(gpu, "a sum of floats", |make| {
        let (x, mut out) = (make(&numbers(5000, 1)), make(&stale(1)));
        gpu.sum(x.view(), out.view_mut()).unwrap();
        out
    });
    for (m, n, k) in [(3, 5, 2), (70, 130, 90)] {
        for turned in [false, true] {
            same(gpu, "a product", |make| {
                let [a, b] = [(m * k, 1), (k * n, 2)].map(|(n, seed)| make(&numbers(n, seed)));
                let mut c = make(&numbers(m * n, 3));
                let a = a.view();
                let a = if turned { a.matrix(k, m).unwrap().t() } else { a.matrix(m, k).unwrap() };
                gpu.gemm(0.5, a, b.view().matrix(k, n).unwrap(), 2.0, c.view_mut().matrix(m, n).unwrap())
                    .unwrap();
                c
            });
        }
    }
    // NaN, infinities, zeros with their signs, what rounds up to infinity and what ties.
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 3.4e38, 1.003_906_2, 1.011_718_8, 1e-40];
    let mut x = gpu.alloc_halves(special.len()).unwrap();
    gpu.write(&special, x.view_mut()).unwrap();
    gpu.neg_in_place(x.view_mut()).unwrap();
    for (got, x) in host_of(gpu, &x).into_iter().zip(special) {
        let want = -near(x);
        assert!(got.to_bits() == want.to_bits() || got.is_nan() && x.is_nan(), "{x}: {got}, not {want}");
    }
}

/// Products and attention that round their operands read such memory as it lies, and write it.
pub fn products<D: Blocking + Computes<f32>>(gpu: &Gpu<D>) {
    // Whole tiles, whose threads exchange what they have, and others; C read or not, behind any number of elements.
    let sides = [[false; 2], [true, false], [false, true], [true; 2]].into_iter();
    let sides = sides.zip([(200, 2.0, 0), (256, 0.0, 8), (256, 2.0, 0), (200, 0.0, 3)]);
    let more = [([false; 2], (256, 2.0, 6)), ([true; 2], (256, 0.75, 1))];
    for (turned, (n, beta, before)) in sides.chain(more) {
        let (m, k) = (136, 168);
        same(gpu, "a product of warp groups", |make| {
            let [a, b] = [(m * k, 1), (k * n, 2)].map(|(n, seed)| make(&numbers(n, seed)));
            let mut c = make(&numbers(before + m * n + 5, 3));
            let (a, b) = (a.view(), b.view());
            let a = if turned[0] { a.matrix(k, m).unwrap().t() } else { a.matrix(m, k).unwrap() };
            let b = if turned[1] { b.matrix(n, k).unwrap().t() } else { b.matrix(k, n).unwrap() };
            let [_, rest] = c.view_mut().split(before).unwrap();
            let [part, _] = rest.split(m * n).unwrap();
            gpu.gemm(0.5, a, b, beta, part.matrix(m, n).unwrap()).unwrap();
            c
        });
    }
    // Lines that are as far from each other as their copies, and others.
    for by in [176, 172, 1000] {
        same(gpu, "a product of some columns", |make| {
            let [a, b] = [(136 * by, 1), (168 * 200, 2)].map(|(n, seed)| make(&numbers(n, seed)));
            let mut c = make(&vec![0.0; 136 * 200]);
            let a = a.view().matrix(136, by).unwrap().cols(0..168).unwrap();
            let to = c.view_mut().matrix(136, 200).unwrap();
            gpu.gemm(1.0, a, b.view().matrix(168, 200).unwrap(), 0.0, to).unwrap();
            c
        });
    }
    // From an element on that is no multiple of 16 bytes, and in parts of the depth.
    same(gpu, "a product of a part", |make| {
        let (x, mut c) = (make(&numbers(3 + 16 * 9000 * 2, 1)), make(&vec![0.0; 16 * 16]));
        let a = x.view().part(3..3 + 16 * 9000).unwrap().matrix(16, 9000).unwrap();
        let b = x.view().part(3 + 16 * 9000..3 + 2 * 16 * 9000).unwrap().matrix(9000, 16).unwrap();
        gpu.gemm(1.0, a, b, 0.0, c.view_mut().matrix(16, 16).unwrap()).unwrap();
        c
    });
    let op = Attention { causal: true, batch: 2, ..Attention::new(2, 1, 64, 0.125f32) };
    for which in 0..4 {
        same(gpu, "attention and its gradients", |make| {
            let (rows, cols, width) = (256, 128, 64);
            let [q, kv, dout] = [(rows * cols, 1), (rows * 2 * width, 2), (rows * cols, 3)]
                .map(|(n, seed)| make(&numbers(n, seed)));
            let kv = kv.view().matrix(rows, 2 * width).unwrap();
            let [k, v] = [0..width, width..2 * width].map(|part| kv.cols(part).unwrap());
            let stale = |n: usize| make(&vec![7.0; n]);
            let (mut out, mut dq, mut dkv) =
                (stale(rows * cols), stale(rows * cols), stale(rows * 2 * width));
            let mut lse = gpu.upload(&vec![7.0; rows * 2]).unwrap();
            let q = q.view().matrix(rows, cols).unwrap();
            let to = out.view_mut().matrix(rows, cols).unwrap();
            gpu.attention(&op, q, k, v, None, to, Some(lse.view_mut()), ()).unwrap();
            if which == 0 {
                return out;
            }
            // The results as they lie in bf16 on both.
            let rounded: Vec<f32> = host_of(gpu, &out).into_iter().map(near).collect();
            let out = make(&rounded);
            let [dk, dv] = dkv.view_mut().matrix(rows, 2 * width).unwrap().split_cols(width).unwrap();
            let result = out.view().matrix(rows, cols).unwrap();
            let dout = dout.view().matrix(rows, cols).unwrap();
            let to = dq.view_mut().matrix(rows, cols).unwrap();
            gpu.attention_backward(&op, q, k, v, None, result, lse.view(), dout, to, dk, dv, ()).unwrap();
            if which == 1 { dq } else { dkv }
        });
    }
}
