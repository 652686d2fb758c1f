//! `--attention`: attention against this crate's gemm of 1024, and against the three steps product, softmax,
//! product with a library that has a gemm. Contenders take turns; the median of the rounds counts.
//!
//! Prefill is in GFLOP/s of the products that a causal mask leaves; decode in GB/s of K and V, next to a sum over as
//! many bytes. Options: `--threads=`, `--dims=` numbers of keys, `--head=` their width, `--only=` prefill or decode, `--quick`: half
//! of the rounds and no backward pass.

use crate::{buffer, libs};
use fulmen::{Attention, MatMut, MatRef, parallel};
use std::time::Instant;

type Run<'a> = (String, f64, Box<dyn FnMut() + 'a>);

/// Medians of seconds, contender by contender.
fn medians(list: &mut [Run<'_>], rounds: usize) -> Vec<f64> {
    let mut all = vec![vec![]; list.len()];
    for round in 0..rounds + 1 {
        for ((_, _, f), times) in list.iter_mut().zip(&mut all) {
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

#[derive(Clone, Copy)]
struct Case {
    threads: usize,
    heads: usize,
    kv_heads: usize,
    dim: usize,
    n: usize,
    causal: bool,
    backward: bool,
    rounds: usize,
}

impl Case {
    fn op(self) -> Attention<f32> {
        let Self { heads, kv_heads, dim, causal, .. } = self;
        Attention { causal, ..Attention::new(heads, kv_heads, dim, 1.0 / (dim as f32).sqrt()) }
    }
    fn workspace(self) -> fulmen::Buffer<f32> {
        fulmen::Buffer::new(parallel::attention_workspace(self.heads, self.dim, self.threads))
    }

    /// Prints the medians, as a share of the rate of contender 1 too; the lines.
    fn report(self, mode: &str, mut list: Vec<Run<'_>>) -> String {
        let times = medians(&mut list, self.rounds);
        let limit = list[1].1 / times[1];
        let Self { threads, heads, kv_heads, dim, n, causal, .. } = self;
        let mask = if causal { "causal" } else { "full" };
        let mut text = String::new();
        for ((name, work, _), t) in list.iter().zip(&times) {
            let (rate, share) = (work / t * 1e-9, work / t / limit);
            let line = format!(
                "{mode},{threads},{heads},{kv_heads},{dim},{n},{mask},{name},{t:.3e},{rate:.1},{share:.3}\n"
            );
            print!("{line}");
            text += &line;
        }
        text
    }
}

fn prefill(libs: &[libs::Blas], case: Case) -> String {
    let Case { threads, heads, kv_heads, dim, n, .. } = case;
    let op = case.op();
    let (cols, kv) = (heads * dim, kv_heads * dim);
    let fused = buffer::<f32>(n * (cols + 2 * kv), 1);
    let (mut out, mut grads) = (buffer::<f32>(n * cols, 2), buffer::<f32>(n * (cols + 2 * kv), 3));
    let mut done = buffer::<f32>(n * cols, 2);
    let (mut lse, mut done_lse) = (vec![0.0f32; n * heads], vec![0.0f32; n * heads]);
    let part = |at, cols| MatRef::strided(&fused, at, n, cols, (heads * dim + 2 * kv) as isize, 1).unwrap();
    let (q, k, v) = (part(0, cols), part(cols, kv), part(cols + kv, kv));
    let mut ws = case.workspace();
    let mut backward_ws = fulmen::Buffer::<f32>::new(parallel::attention_backward_workspace(dim, threads));
    let to = MatMut::row_major(&mut done, n, cols).unwrap();
    fulmen::attention(&op, q, k, v, None, to, Some(&mut done_lse), &mut ws).unwrap();
    let (dq, rest) = grads.split_at_mut(n * cols);
    let (dk, dv) = rest.split_at_mut(n * kv);
    // A large product, the same as what the machine gives at best.
    let g = 1024;
    let (a, b, mut c) = (buffer::<f32>(g * g, 4), buffer::<f32>(g * g, 5), buffer::<f32>(g * g, 6));
    let mut room = fulmen::Buffer::<f32>::new(parallel::gemm_workspace(g, g, g, threads));
    let (packed_q, packed_k, packed_v) =
        (buffer::<f32>(n * dim, 7), buffer::<f32>(n * dim, 8), buffer::<f32>(n * dim, 9));
    let mut scores = buffer::<f32>(n * n, 10);
    let mut head = buffer::<f32>(n * dim, 11);
    let three = libs.iter().find_map(|l| l.sgemm().map(|f| (l.name.clone(), f)));
    // Two multiplications and additions for each seen pair of tokens and element.
    let pairs = if case.causal { n * (n + 1) / 2 } else { n * n };
    let flops = 4.0 * (heads * dim) as f64 * pairs as f64;
    let mut list: Vec<Run<'_>> = vec![
        (
            "attention".into(),
            flops,
            Box::new(|| {
                let out = MatMut::row_major(&mut out, n, cols).unwrap();
                if threads == 1 {
                    fulmen::attention(&op, q, k, v, None, out, Some(&mut lse), &mut ws).unwrap();
                } else {
                    parallel::attention(&op, q, k, v, None, out, Some(&mut lse), &mut ws).unwrap();
                }
            }),
        ),
        (
            "gemm 1024".into(),
            2.0 * (g * g * g) as f64,
            Box::new(|| {
                let view = |x| MatRef::row_major(x, g, g).unwrap();
                let c = MatMut::row_major(&mut c, g, g).unwrap();
                if threads == 1 {
                    fulmen::gemm(1.0, view(&a), view(&b), 0.0, c, &mut room).unwrap();
                } else {
                    parallel::gemm(1.0, view(&a), view(&b), 0.0, c, &mut room).unwrap();
                }
            }),
        ),
    ];
    if let Some((name, gemm)) = &three {
        let name = format!("{name}: 3 steps without mask");
        let (q, k, v) = (&packed_q, &packed_k, &packed_v);
        list.push((
            name,
            flops,
            Box::new(|| {
                for _ in 0..heads {
                    gemm([n, n, dim], op.scale, q, k, 0.0, &mut scores, true);
                    if threads == 1 {
                        fulmen::softmax_in_place(&mut scores, n).unwrap();
                    } else {
                        parallel::softmax_in_place(&mut scores, n).unwrap();
                    }
                    gemm([n, dim, n], 1.0, &scores, v, 0.0, &mut head, false);
                }
            }),
        ));
    }
    if case.backward {
        list.push((
            "backward".into(),
            2.5 * flops,
            Box::new(|| {
                let (dq, dk, dv) = (
                    MatMut::row_major(dq, n, cols).unwrap(),
                    MatMut::row_major(dk, n, kv).unwrap(),
                    MatMut::row_major(dv, n, kv).unwrap(),
                );
                let o = MatRef::row_major(&done, n, cols).unwrap();
                let ws = &mut backward_ws;
                parallel::attention_backward(&op, q, k, v, None, o, &done_lse, o, dq, dk, dv, ws).unwrap();
            }),
        ));
    }
    case.report("prefill", list)
}

fn decode(case: Case) -> String {
    let Case { threads, heads, kv_heads, dim, n, .. } = case;
    let op = case.op();
    let (cols, kv) = (heads * dim, kv_heads * dim);
    let (q, mut out) = (buffer::<f32>(cols, 1), buffer::<f32>(cols, 2));
    let (k, v) = (buffer::<f32>(n * kv, 3), buffer::<f32>(n * kv, 4));
    let mut ws = case.workspace();
    let mut total = 0.0;
    let bytes = (2 * n * kv * 4) as f64;
    let list: Vec<Run<'_>> = vec![
        (
            "attention".into(),
            bytes,
            Box::new(|| {
                let out = MatMut::row_major(&mut out, 1, cols).unwrap();
                let view = |x| MatRef::row_major(x, n, kv).unwrap();
                let q = MatRef::row_major(&q, 1, cols).unwrap();
                if threads == 1 {
                    fulmen::attention(&op, q, view(&k), view(&v), None, out, None, &mut ws).unwrap();
                } else {
                    parallel::attention(&op, q, view(&k), view(&v), None, out, None, &mut ws).unwrap();
                }
            }),
        ),
        (
            "sum".into(),
            bytes,
            Box::new(|| {
                total += if threads == 1 {
                    fulmen::sum(&k) + fulmen::sum(&v)
                } else {
                    parallel::sum(&k) + parallel::sum(&v)
                }
            }),
        ),
    ];
    case.report("decode", list)
}

/// All sizes; the lines of a CSV.
pub fn run(libs: &[libs::Blas], args: &[String], threads: usize) -> String {
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let quick = args.iter().any(|a| a == "--quick");
    let only = |mode: &str| value("--only=").is_none_or(|m| m == mode);
    let numbers = |key: &str, all: &[usize]| -> Vec<usize> {
        value(key).map_or(all.to_vec(), |d| d.split(',').map(|x| x.parse().unwrap()).collect())
    };
    let (sizes, widths) = (numbers("--dims=", &[1024, 2048, 4096, 8192]), numbers("--head=", &[64, 128]));
    let head =
        "mode,threads,heads,kv_heads,dim,n,mask,contender,seconds,gflops_or_gbs,share_of_gemm_or_sum\n";
    print!("{head}");
    let mut text = String::from(head);
    for &n in sizes.iter().filter(|_| only("prefill")) {
        // A round takes about as long at each size.
        let rounds = (if quick { 8192 } else { 16384 } / n).clamp(3, 11);
        for &dim in &widths {
            for (kv_heads, causal) in [(8, true), (8, false), (2, true)] {
                let backward = causal && !quick;
                text +=
                    &prefill(libs, Case { threads, heads: 8, kv_heads, dim, n, causal, backward, rounds });
            }
        }
    }
    for &n in sizes.iter().filter(|_| only("decode")) {
        let rounds = if quick { 200_000 } else { 400_000 } / n;
        for &dim in &widths {
            for (heads, kv_heads) in [(8, 8), (8, 2), (32, 8)] {
                text +=
                    &decode(Case { threads, heads, kv_heads, dim, n, causal: true, backward: false, rounds });
            }
        }
    }
    text
}
