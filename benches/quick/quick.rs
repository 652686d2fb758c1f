//! What common ops take on this machine, by criterion, on the best instruction set that the processor has: `cargo bench`, or
//! `cargo bench -- softmax` for those with this in their names.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fulmen::lanes::Simd;
use fulmen::{Complex, Direction, Fft, MatMut, MatRef, gemm_workspace};
use std::hint::black_box;
use std::time::Duration;

/// Elements of the vectors: both fit into a second-level cache.
const N: usize = 16_384;
/// Elements of a row.
const ROW: usize = 256;

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37 % 1009) as f32 / 504.5) - 1.0).collect()
}

fn run<S: Simd>(s: S, c: &mut Criterion) {
    let (x, z) = (numbers(N), numbers(N));
    let mut y = vec![0.0f32; N];
    let mut group = c.benchmark_group(S::NAME);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(30);
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function("add", |b| b.iter(|| fulmen::add_on(s, black_box(&x), &z, &mut y)));
    group.bench_function("exp", |b| b.iter(|| fulmen::exp_on(s, black_box(&x), &mut y)));
    group.bench_function("sum", |b| b.iter(|| fulmen::sum_on(s, black_box(&x))));
    group.bench_function("dot", |b| b.iter(|| fulmen::dot_on(s, black_box(&x), &z)));
    group.bench_function("softmax, rows of 256", |b| {
        b.iter(|| fulmen::softmax_on(s, black_box(&x), ROW, &mut y))
    });
    let side = 256;
    let (a, k) = (numbers(side * side), numbers(side * side));
    let mut out = vec![0.0f32; side * side];
    let mut work = vec![0.0f32; gemm_workspace(side, side, side)];
    group.throughput(Throughput::Elements(2 * (side * side * side) as u64));
    group.bench_function("gemm, 256 x 256 x 256 (elements are operations)", |b| {
        b.iter(|| {
            let [a, k] = [&a, &k].map(|x| MatRef::row_major(black_box(x), side, side));
            fulmen::gemm_on(s, 1.0, a?, k?, 0.0, MatMut::row_major(&mut out, side, side)?, &mut work)
        });
    });
    let n = 4096;
    let mut table = vec![0.0f32; fulmen::fft_plan_len(n)];
    let mut work = vec![Complex::ZERO; fulmen::fft_workspace(n)];
    if let Ok(plan) = Fft::plan(n, &mut table, &mut work) {
        let from: Vec<Complex<f32>> = numbers(n).into_iter().map(|re| Complex { re, im: 0.0 }).collect();
        let mut to = from.clone();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function("fft of 4096", |b| {
            b.iter(|| fulmen::fft_on(s, &plan, Direction::Forward, black_box(&from), &mut to, &mut work))
        });
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    fulmen::dispatch!(|s| run(s, c));
}

criterion_group!(quick, all);
criterion_main!(quick);
