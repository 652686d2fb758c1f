//! `--attention`: attention against this crate's gemm at large sizes, and against the three steps product, softmax,
//! product with each library that has a gemm. Contenders take turns; the median of the rounds counts.
//!
//! Prefill is in GFLOP/s of the products that a causal mask leaves; decode in GB/s of K and V, next to a sum over as
//! many bytes. One thread.

use crate::{buffer, libs};
use fulmen::{Attention, MatMut, MatRef};
use std::time::Instant;

type Run<'a> = (String, Box<dyn FnMut() + 'a>);

/// Medians of seconds, contender by contender.
fn medians(list: &mut [Run<'_>], rounds: usize) -> Vec<f64> {
    let mut all = vec![vec![]; list.len()];
    for round in 0..rounds + 1 {
        for ((_, f), times) in list.iter_mut().zip(&mut all) {
            let start = Instant::now();
            f();
            if round > 0 {
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    all.iter_mut()
        .map(|t| {
            t.sort_by(f64::total_cmp);
            t[t.len() / 2]
        })
        .collect()
}

fn prefill(
    libs: &[libs::Blas],
    heads: usize,
    kv_heads: usize,
    dim: usize,
    n: usize,
    rounds: usize,
) -> String {
    let scale = 1.0 / (dim as f32).sqrt();
    let op = Attention { heads, kv_heads, dim, scale, causal: true, window: None };
    let (cols, kv) = (heads * dim, kv_heads * dim);
    let fused = buffer::<f32>(n * (cols + 2 * kv), 1);
    let (mut out, mut grads) = (buffer::<f32>(n * cols, 2), buffer::<f32>(n * (cols + 2 * kv), 3));
    let mut out2 = buffer::<f32>(n * cols, 2);
    let (mut lse, mut lse2) = (vec![0.0f32; n * heads], vec![0.0f32; n * heads]);
    let part = |at, cols| MatRef::strided(&fused, at, n, cols, (heads * dim + 2 * kv) as isize, 1).unwrap();
    let (q, k, v) = (part(0, cols), part(cols, kv), part(cols + kv, kv));
    let mut ws = fulmen::Buffer::<f32>::new(fulmen::attention_workspace(heads, dim));
    let mut ws2 = fulmen::Buffer::<f32>::new(fulmen::attention_workspace(heads, dim));
    let mut ws3 = fulmen::Buffer::<f32>::new(fulmen::attention_backward_workspace(dim));
    let view = |x| MatRef::row_major(x, n, cols).unwrap();
    fulmen::attention(
        &op,
        q,
        k,
        v,
        MatMut::row_major(&mut out2, n, cols).unwrap(),
        Some(&mut lse2),
        &mut ws2,
    )
    .unwrap();
    let (dq, rest) = grads.split_at_mut(n * cols);
    let (dk, dv) = rest.split_at_mut(n * kv);
    // A large product, the same as what the machine gives at best.
    let g = 1024;
    let (a, b, mut c) = (buffer::<f32>(g * g, 4), buffer::<f32>(g * g, 5), buffer::<f32>(g * g, 6));
    let mut room = fulmen::Buffer::<f32>::new(fulmen::gemm_workspace(g, g, g));
    let (packed_q, packed_k, packed_v) =
        (buffer::<f32>(n * dim, 7), buffer::<f32>(n * dim, 8), buffer::<f32>(n * dim, 9));
    let mut scores = buffer::<f32>(n * n, 10);
    let mut head = buffer::<f32>(n * dim, 11);
    let three = libs.iter().find_map(|l| l.sgemm().map(|f| (l.name.clone(), f)));
    let mut list: Vec<Run<'_>> = vec![
        (
            "attention".into(),
            Box::new(|| {
                let out = MatMut::row_major(&mut out, n, cols).unwrap();
                fulmen::attention(&op, q, k, v, out, Some(&mut lse), &mut ws).unwrap();
            }),
        ),
        (
            "gemm 1024".into(),
            Box::new(|| {
                let view = |x| MatRef::row_major(x, g, g).unwrap();
                let c = MatMut::row_major(&mut c, g, g).unwrap();
                fulmen::gemm(1.0, view(&a), view(&b), 0.0, c, &mut room).unwrap();
            }),
        ),
        (
            "backward".into(),
            Box::new(|| {
                let (dq, dk, dv) = (
                    MatMut::row_major(dq, n, cols).unwrap(),
                    MatMut::row_major(dk, n, kv).unwrap(),
                    MatMut::row_major(dv, n, kv).unwrap(),
                );
                let (o, d) = (view(&out2), view(&out2));
                fulmen::attention_backward(&op, q, k, v, o, &lse2, d, dq, dk, dv, &mut ws3).unwrap();
            }),
        ),
    ];
    if let Some((name, gemm)) = &three {
        let name = format!("{name}: 3 steps, no mask");
        let (q, k, v) = (&packed_q, &packed_k, &packed_v);
        list.push((
            name,
            Box::new(|| {
                for _ in 0..heads {
                    gemm([n, n, dim], scale, q, k, 0.0, &mut scores, true);
                    fulmen::softmax_in_place(&mut scores, n).unwrap();
                    gemm([n, dim, n], 1.0, &scores, v, 0.0, &mut head, false);
                }
            }),
        ));
    }
    let times = medians(&mut list, rounds);
    // Two multiplications and additions for each seen pair of tokens and element.
    let flops = 4.0 * (heads * dim) as f64 * (n * (n + 1) / 2) as f64;
    let peak = 2.0 * (g * g * g) as f64 / times[1];
    let mut text = String::new();
    for ((name, _), t) in list.iter().zip(&times) {
        let flops = match name.as_str() {
            "gemm 1024" => 2.0 * (g * g * g) as f64,
            "backward" => 2.5 * flops,
            _ => flops,
        };
        let line = format!(
            "prefill,{heads},{kv_heads},{dim},{n},{name},{:.3e},{:.1},{:.3}\n",
            t,
            flops / t * 1e-9,
            flops / t / peak
        );
        print!("{line}");
        text += &line;
    }
    text
}

fn decode(heads: usize, kv_heads: usize, dim: usize, len: usize, rounds: usize) -> String {
    let op = Attention { heads, kv_heads, dim, scale: 0.1, causal: true, window: None };
    let (cols, kv) = (heads * dim, kv_heads * dim);
    let (q, mut out) = (buffer::<f32>(cols, 1), buffer::<f32>(cols, 2));
    let (k, v) = (buffer::<f32>(len * kv, 3), buffer::<f32>(len * kv, 4));
    let mut ws = fulmen::Buffer::<f32>::new(fulmen::attention_workspace(heads, dim));
    let mut total = 0.0;
    let mut list: Vec<Run<'_>> = vec![
        (
            "attention".into(),
            Box::new(|| {
                let out = MatMut::row_major(&mut out, 1, cols).unwrap();
                let view = |x| MatRef::row_major(x, len, kv).unwrap();
                let q = MatRef::row_major(&q, 1, cols).unwrap();
                fulmen::attention(&op, q, view(&k), view(&v), out, None, &mut ws).unwrap();
            }),
        ),
        ("sum".into(), Box::new(|| total += fulmen::sum(&k) + fulmen::sum(&v))),
    ];
    let times = medians(&mut list, rounds);
    let bytes = (2 * len * kv * 4) as f64;
    let mut text = String::new();
    for ((name, _), t) in list.iter().zip(&times) {
        let line = format!(
            "decode,{heads},{kv_heads},{dim},{len},{name},{t:.3e},{:.2},{:.3}\n",
            bytes / t * 1e-9,
            times[1] / t
        );
        print!("{line}");
        text += &line;
    }
    text
}

/// All sizes; the lines of a CSV.
pub fn run(libs: &[libs::Blas], quick: bool) -> String {
    let head = "mode,heads,kv_heads,dim,n,contender,seconds,gflops_or_gbs,share_of_gemm_or_sum\n";
    print!("{head}");
    let mut text = String::from(head);
    let rounds = if quick { 5 } else { 15 };
    let sizes: &[usize] = if quick { &[1024, 2048] } else { &[1024, 2048, 4096, 8192] };
    for &n in sizes {
        for (heads, kv_heads, dim) in [(8, 8, 64), (8, 8, 128), (8, 2, 64)] {
            text += &prefill(libs, heads, kv_heads, dim, n, rounds);
        }
    }
    for (heads, kv_heads, dim, len) in
        [(8, 8, 64, 32768), (8, 8, 128, 16384), (8, 2, 128, 65536), (32, 8, 128, 16384)]
    {
        text += &decode(heads, kv_heads, dim, len, 2 * rounds);
    }
    text
}
