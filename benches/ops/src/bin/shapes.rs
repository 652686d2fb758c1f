//! Shapes and orders at which ops take other paths than in the tables: many kept elements, sorted input, few queries, a
//! first and a strided layer, layers of ResNet-50, a last pool, planes.
//! Beside plain Rust, built with the same flags. `make bench` runs it.

use fulmen::{Attention, Complex, Conv1d, Conv2d, Direction, Fft, MatMut, MatRef, Pool};
use fulmen_harness::race::{Case, Contender, Race};

/// Numbers of -1 … 1 without an order.
fn noise(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// The largest elements of input that rises, and of input without an order.
fn selections(race: &mut Race) {
    let cases = [(true, 100_000, 4096), (true, 100_000, 10), (false, 1000, 1000), (false, 1_000_000, 100)];
    for (rises, n, k) in cases.into_iter().chain([1000, 5000, 50_000].map(|k| (false, 100_000, k))) {
        let x = if rises { (0..n).map(|i| i as f32).collect() } else { noise(n, 1) };
        let (mut values, mut indices) = (vec![0.0; k], vec![0; k]);
        let (mut found, mut order) = (vec![0.0; k], vec![0u32; n]);
        let list = vec![
            Contender::ours(|| fulmen::top_k(&x, k, &mut values, &mut indices).unwrap()),
            Contender::peer("std", || {
                order.iter_mut().enumerate().for_each(|(i, at)| *at = i as u32);
                let before = |a: &u32, b: &u32| x[*b as usize].total_cmp(&x[*a as usize]).then(a.cmp(b));
                if k < n {
                    order.select_nth_unstable_by(k - 1, before);
                }
                order[..k].sort_unstable_by(before);
                found.iter_mut().zip(&order).for_each(|(v, i)| *v = x[*i as usize]);
            }),
        ];
        let size = format!("{k} of {n}{}", if rises { ", rising" } else { "" });
        race.case(&Case { op: "top_k", ty: "f32", size, work: n as f64, unit: "G/s" }, list);
        assert_eq!(values, found);
        assert!(indices.iter().zip(&order).all(|(i, at)| i == at));
    }
}

/// Lines of many channels that are made of one, and strided ones.
fn convolutions(race: &mut Race) {
    for (ci, co, length, kernel, stride) in
        [(1, 64, 16_000, 10, 5), (1, 32, 4000, 25, 2), (1, 64, 16_000, 10, 1), (384, 384, 3000, 3, 2)]
    {
        let conv = Conv1d { stride, ..Conv1d::new(ci, co, length, kernel) };
        let n = conv.output().unwrap();
        let (x, w) = (noise(ci * length, 1), noise(co * ci * kernel, 2));
        let (mut out, mut sums) = (vec![0.0; co * n], vec![0.0; co * n]);
        let mut room = vec![0.0; fulmen::conv1d_workspace(conv)];
        let list = vec![
            Contender::ours(|| fulmen::conv1d(conv, &x, &w, None, &mut out, &mut room).unwrap()),
            Contender::peer("loop", || {
                sums.fill(0.0);
                for (w, y) in w.chunks_exact(ci * kernel).zip(sums.chunks_exact_mut(n)) {
                    for (w, x) in w.chunks_exact(kernel).zip(x.chunks_exact(length)) {
                        for (k, w) in w.iter().enumerate() {
                            y.iter_mut().zip(x[k..].iter().step_by(stride)).for_each(|(y, x)| *y += w * x);
                        }
                    }
                }
            }),
        ];
        let (size, work) = (format!("{ci} to {co}, {kernel} by {stride}"), 2.0 * (w.len() * n) as f64);
        race.case(&Case { op: "conv1d", ty: "f32", size, work, unit: "GFLOP/s" }, list);
        assert!(out.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-2));
    }
}

/// Layers of ResNet-50 and two of single planes, with their gradients, beside shifted rows and beside the product that is left
/// when somebody else has copied all windows.
fn residual_layers(race: &mut Race) {
    for (ci, co, side, kernel, stride, groups) in [
        (3, 64, 224, 7, 2, 1),
        (64, 64, 56, 3, 1, 1),
        (128, 128, 28, 3, 1, 1),
        (256, 256, 14, 3, 1, 1),
        (512, 512, 7, 3, 1, 1),
        (128, 128, 56, 3, 2, 1),
        (64, 256, 56, 1, 1, 1),
        (256, 1024, 14, 1, 1, 1),
        (256, 512, 56, 1, 2, 1),
        (128, 128, 56, 3, 1, 128),
        (512, 512, 14, 3, 1, 512),
    ] {
        let conv = Conv2d {
            stride: [stride; 2],
            padding: [[kernel / 2; 2]; 2],
            groups,
            ..Conv2d::new(ci, co, [side; 2], [kernel; 2])
        };
        let ([rows, cols], per) = (conv.output().unwrap(), ci / groups);
        let (n, area, filter) = (rows * cols, side * side, per * kernel * kernel);
        let (x, w, dy) = (noise(ci * area, 1), noise(co * filter, 2), noise(co * n, 3));
        let (mut out, mut sums, mut product) = (vec![0.0; co * n], vec![0.0; co * n], vec![0.0; co * n]);
        let mut room = vec![0.0; fulmen::conv2d_workspace(conv)];
        let (columns, mut other) = (noise(filter * n, 4), vec![0.0; fulmen::gemm_workspace(co, n, filter)]);
        let mut list = vec![
            Contender::ours(|| fulmen::conv2d(conv, &x, &w, None, &mut out, &mut room).unwrap()),
            Contender::peer("loop", || {
                sums.fill(0.0);
                let padding = kernel / 2;
                for (o, y) in sums.chunks_exact_mut(n).enumerate() {
                    for t in 0..filter {
                        let (c, p, q) = (t / kernel / kernel, t / kernel % kernel, t % kernel);
                        let (w, plane) =
                            (w[o * filter + t], &x[(o / (co / groups) * per + c) * area..][..area]);
                        let start = padding.saturating_sub(q).div_ceil(stride);
                        let end = (side + padding - q).div_ceil(stride).min(cols);
                        for (i, y) in y.chunks_exact_mut(cols).enumerate() {
                            let Some(row) = (i * stride + p).checked_sub(padding).filter(|r| *r < side)
                            else {
                                continue;
                            };
                            let x = &plane[row * side + start * stride + q - padding..];
                            let y = &mut y[start..end];
                            match stride {
                                1 => y.iter_mut().zip(x).for_each(|(y, x)| *y += w * x),
                                _ => {
                                    y.iter_mut().zip(x.iter().step_by(stride)).for_each(|(y, x)| *y += w * x)
                                }
                            }
                        }
                    }
                }
            }),
        ];
        if groups == 1 {
            list.push(Contender::peer("gemm", || {
                let c = MatMut::row_major(&mut product, co, n).unwrap();
                let (a, b) = (matrix(&w, co, filter), matrix(&columns, filter, n));
                fulmen::gemm(1.0, a, b, 0.0, c, &mut other).unwrap();
            }));
        }
        let size = format!(
            "{kernel}x{kernel}/{stride} {ci}-{co} {side}{}",
            if groups > 1 { " depthwise" } else { "" }
        );
        let work = 2.0 * (w.len() * n) as f64;
        race.case(&Case { op: "conv2d", ty: "f32", size: size.clone(), work, unit: "GFLOP/s" }, list);
        assert!(out.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-2));
        let (mut dx, mut dw) = (vec![0.0; x.len()], vec![0.0; w.len()]);
        let mut other = room.clone();
        let input = || fulmen::conv2d_backward_input(conv, &dy, &w, &mut dx, &mut room).unwrap();
        let case = Case { op: "conv2d_backward_input", ty: "f32", size: size.clone(), work, unit: "GFLOP/s" };
        race.case(&case, vec![Contender::ours(input)]);
        let weights = || fulmen::conv2d_backward_weights(conv, &x, &dy, &mut dw, None, &mut other).unwrap();
        let case = Case { op: "conv2d_backward_weights", ty: "f32", size, work, unit: "GFLOP/s" };
        race.case(&case, vec![Contender::ours(weights)]);
    }
}

const HEADS: usize = 12;
const DIM: usize = 64;
const WIDTH: usize = HEADS * DIM;

/// Fewer queries than a panel has.
fn few_queries(race: &mut Race) {
    for (queries, keys) in [(2, 128), (8, 32), (16, 128)] {
        let (q, k, v) = (noise(queries * WIDTH, 1), noise(keys * WIDTH, 2), noise(keys * WIDTH, 3));
        let (mut out, mut sums) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        let mut room = vec![0.0; fulmen::attention_workspace(HEADS, DIM)];
        let op = Attention::new(HEADS, HEADS, DIM, 0.125);
        let list = vec![
            Contender::ours(|| {
                let to = MatMut::row_major(&mut out, queries, WIDTH).unwrap();
                let (q, k, v) =
                    (matrix(&q, queries, WIDTH), matrix(&k, keys, WIDTH), matrix(&v, keys, WIDTH));
                fulmen::attention(&op, q, k, v, None, to, None, &mut room).unwrap();
            }),
            Contender::peer("loop", || {
                let mut weights = vec![0.0f32; keys];
                for (i, q) in q.chunks_exact(DIM).enumerate() {
                    let h = i % HEADS;
                    for (weight, k) in weights.iter_mut().zip(k.chunks_exact(WIDTH)) {
                        *weight = 0.125 * q.iter().zip(head(k, h)).map(|(a, b)| a * b).sum::<f32>();
                    }
                    let peak = weights.iter().copied().fold(f32::MIN, f32::max);
                    weights.iter_mut().for_each(|w| *w = (*w - peak).exp());
                    let all: f32 = weights.iter().sum();
                    let to = &mut sums[i * DIM..][..DIM];
                    to.fill(0.0);
                    for (w, v) in weights.iter().zip(v.chunks_exact(WIDTH)) {
                        to.iter_mut().zip(head(v, h)).for_each(|(y, v)| *y += w / all * v);
                    }
                }
            }),
        ];
        let (size, work) = (format!("{queries} on {keys}"), 4.0 * (queries * keys * WIDTH) as f64);
        race.case(&Case { op: "attention", ty: "f32", size, work, unit: "GFLOP/s" }, list);
        assert!(out.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-4));
    }
}

/// A head of a row.
fn head(row: &[f32], h: usize) -> &[f32] {
    &row[h * DIM..][..DIM]
}

/// Planes of which one number is left.
fn last_pools(race: &mut Race) {
    for (side, planes) in [(7, 512), (14, 64)] {
        let (area, pool) = (side * side, Pool::new([side, side], [side, side], [side, side], [0, 0]));
        let x = noise(planes * area, 1);
        let (mut out, mut means) = (vec![0.0; planes], vec![0.0; planes]);
        let list = vec![
            Contender::ours(|| fulmen::avg_pool(&x, pool, true, &mut out).unwrap()),
            Contender::peer("loop", || {
                for (mean, x) in means.iter_mut().zip(x.chunks_exact(area)) {
                    let (eights, rest) = x.as_chunks::<8>();
                    let mut sums = [0.0; 8];
                    eights.iter().for_each(|x| sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x));
                    *mean = (sums.iter().sum::<f32>() + rest.iter().sum::<f32>()) / area as f32;
                }
            }),
        ];
        let size = format!("{planes} of {side} by {side} to 1");
        race.case(&Case { op: "avg_pool", ty: "f32", size, work: (planes * area) as f64, unit: "G/s" }, list);
        assert!(out.iter().zip(&means).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}

fn matrix<T>(x: &[T], m: usize, n: usize) -> MatRef<'_, T> {
    MatRef::row_major(x, m, n).unwrap()
}

/// Planes of complex numbers, beside rows that are transposed plainly in between.
fn planes(race: &mut Race) {
    for (m, n) in [(1000, 1000), (64, 1000), (1024, 1024)] {
        let parts = noise(2 * m * n, 1);
        let x: Vec<_> = parts.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect();
        let mut room =
            vec![Complex::ZERO; fulmen::fft_2d_workspace(m, n).max(fulmen::fft_2d_workspace(n, m))];
        let [mut tables, mut others] = [m, n].map(|n| vec![0.0; fulmen::fft_plan_len(n)]);
        let down = Fft::plan(m, &mut tables, &mut room).unwrap();
        let along = Fft::plan(n, &mut others, &mut room).unwrap();
        let [mut out, mut rows, mut turned] = [(); 3].map(|()| vec![Complex::ZERO; m * n]);
        let mut other = room.clone();
        let list = vec![
            Contender::ours(|| {
                let to = MatMut::row_major(&mut out, m, n).unwrap();
                fulmen::fft_2d(&down, &along, Direction::Forward, matrix(&x, m, n), to, &mut room).unwrap();
            }),
            Contender::peer("rows", || {
                let turn = |x: &[Complex<f32>], to: &mut [Complex<f32>], m: usize, n: usize| {
                    (0..m * n).for_each(|i| to[i % n * m + i / n] = x[i]);
                };
                let to = MatMut::row_major(&mut rows, m, n).unwrap();
                fulmen::fft_rows(&along, Direction::Forward, matrix(&x, m, n), to, &mut other).unwrap();
                turn(&rows, &mut turned, m, n);
                let to = MatMut::row_major(&mut rows, n, m).unwrap();
                fulmen::fft_rows(&down, Direction::Forward, matrix(&turned, n, m), to, &mut other).unwrap();
                turn(&rows, &mut turned, n, m);
            }),
        ];
        let numbers = (m * n) as f64;
        let (size, work) = (format!("{m} by {n}"), 5.0 * numbers * numbers.log2());
        race.case(&Case { op: "fft_2d", ty: "f32", size, work, unit: "GFLOP/s" }, list);
        assert!(out.iter().zip(&turned).all(|(a, b)| a.re == b.re && a.im == b.im));
    }
}

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut race = Race::new(&args);
    selections(&mut race);
    convolutions(&mut race);
    residual_layers(&mut race);
    few_queries(&mut race);
    last_pools(&mut race);
    planes(&mut race);
    match args.iter().find_map(|a| a.strip_prefix("--csv=")) {
        Some(path) => {
            race.finish(path.as_ref(), "Shapes and orders beside plain Rust (right of 1 is faster)")
        }
        None => Ok(()),
    }
}
