//! Layers, their gradients and optimisers against plain Rust loops built with the same flags, and against the rate at
//! which as many streams go through memory. `make bench` runs it; the manifest has the command.
//!
//! `loop` is the loop a careful user would write. `limit` moves the streams that the job cannot avoid and does nothing
//! with them; what is shorter than the others (a result of one number per row, a quarter of a plane) is not counted.

use fulmen::{Adam, Conv1d, MatMut, MatRef, Momentum, Pool, RopeScaling, RopeStyle};
use fulmen_ops::{Bench, Contender, Data, Streams};

type List<'a> = Vec<Contender<'a, f32>>;

/// out = f(a, b, c).
fn run<'a>(
    name: &'static str,
    mut f: impl FnMut(&[f32], &[f32], &[f32], &mut [f32]) + 'a,
) -> Contender<'a, f32> {
    let run = move |d: &mut Data<f32>| {
        let (a, b, c, out) = d.split();
        f(a, b, c, out);
    };
    Contender { name, run: Box::new(run) }
}

const fn streams(reads: usize, writes: usize) -> Streams {
    Streams { reads, writes }
}

const COLS: usize = 1000;
const EPS: f32 = 1e-5;

/// 64 independent sums, so that the compiler can use vectors.
fn total(n: usize, f: impl Fn(usize) -> f32) -> f32 {
    let mut sums = [0.0f32; 64];
    let whole = n / 64 * 64;
    for i in (0..whole).step_by(64) {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += f(i + k);
        }
    }
    sums.iter().sum::<f32>() + (whole..n).map(f).sum::<f32>()
}

/// `f` on each row of the inputs and of the result.
fn rows<'a>(
    mut f: impl FnMut(&[f32], &[f32], &mut [f32]) + 'a,
) -> impl FnMut(&[f32], &[f32], &[f32], &mut [f32]) + 'a {
    move |a, b, _, out| {
        for ((a, b), out) in a.chunks_exact(COLS).zip(b.chunks_exact(COLS)).zip(out.chunks_exact_mut(COLS)) {
            f(a, b, out);
        }
    }
}

fn norms(bench: &mut Bench, data: &mut Data<f32>) {
    let gamma = &(0..COLS).map(|i| 0.5 + (i % 7) as f32 * 0.2).collect::<Vec<f32>>()[..];
    let n = COLS as f32;
    let (mut dg, mut dg2) = (vec![0.0; COLS], vec![0.0; COLS]);
    let rms = move |x: &[f32]| 1.0 / (total(COLS, |i| x[i] * x[i]) / n + EPS).sqrt();
    let list: List<'_> = vec![
        run("fulmen", |x, dy, _, dx| {
            dg.fill(0.0);
            fulmen::rms_norm_backward(x, gamma, dy, EPS, dx, &mut dg).unwrap();
        }),
        run(
            "loop",
            rows(|x, dy, dx| {
                let r = rms(x);
                let along = total(COLS, |i| x[i] * gamma[i] * dy[i]) / n * r * r;
                for i in 0..COLS {
                    dx[i] = (gamma[i] * dy[i] - x[i] * along) * r;
                    dg2[i] = dg2[i] * 0.5 + dy[i] * x[i] * r;
                }
            }),
        ),
    ];
    bench.case("rms_norm_backward", "f32", data, streams(2, 1), 1e-3, list);

    let (mut dg, mut dg2) = (vec![0.0; COLS], vec![0.0; COLS]);
    let list: List<'_> = vec![
        run("fulmen", |x, dy, before, dx| {
            dx.copy_from_slice(before);
            fulmen::rms_norm_residual_backward(x, gamma, dy, EPS, dx, &mut dg).unwrap();
        }),
        run("loop", |x, dy, before, dx| {
            dx.copy_from_slice(before);
            for ((x, dy), dx) in
                x.chunks_exact(COLS).zip(dy.chunks_exact(COLS)).zip(dx.chunks_exact_mut(COLS))
            {
                let r = rms(x);
                let along = total(COLS, |i| x[i] * gamma[i] * dy[i]) / n * r * r;
                for i in 0..COLS {
                    dx[i] += (gamma[i] * dy[i] - x[i] * along) * r;
                    dg2[i] = dg2[i] * 0.5 + dy[i] * x[i] * r;
                }
            }
        }),
    ];
    bench.case("rms_norm_residual_backward", "f32", data, streams(2, 2), 1e-3, list);

    let (mut dg, mut db) = (vec![0.0; COLS], vec![0.0; COLS]);
    let (mut dg2, mut db2) = (vec![0.0; COLS], vec![0.0; COLS]);
    let list: List<'_> = vec![
        run("fulmen", |x, dy, _, dx| {
            dg.fill(0.0);
            db.fill(0.0);
            fulmen::layer_norm_backward(x, gamma, dy, EPS, dx, &mut dg, &mut db).unwrap();
        }),
        run(
            "loop",
            rows(|x, dy, dx| {
                let mean = total(COLS, |i| x[i]) / n;
                let r = 1.0 / (total(COLS, |i| (x[i] - mean) * (x[i] - mean)) / n + EPS).sqrt();
                let shift = total(COLS, |i| gamma[i] * dy[i]) / n;
                let along = total(COLS, |i| gamma[i] * dy[i] * (x[i] - mean)) / n * r * r;
                for i in 0..COLS {
                    let d = x[i] - mean;
                    dx[i] = (gamma[i] * dy[i] - shift - d * along) * r;
                    dg2[i] = dg2[i] * 0.5 + dy[i] * d * r;
                    db2[i] = db2[i] * 0.5 + dy[i];
                }
            }),
        ),
    ];
    bench.case("layer_norm_backward", "f32", data, streams(2, 1), 1e-3, list);

    let mut sums = [vec![1.0f32; data.n], vec![1.0; data.n]];
    let [ours, theirs] = &mut sums;
    let list: List<'_> = vec![
        run("fulmen", |x, _, _, out| {
            // Not more than a few additions to what the first run saw.
            fulmen::rms_norm_residual(x, ours, gamma, EPS, out).unwrap();
        }),
        run("loop", |x, _, _, out| {
            for ((x, s), out) in
                x.chunks_exact(COLS).zip(theirs.chunks_exact_mut(COLS)).zip(out.chunks_exact_mut(COLS))
            {
                for (s, x) in s.iter_mut().zip(x) {
                    *s += x;
                }
                let r = rms(s);
                for i in 0..COLS {
                    out[i] = s[i] * r * gamma[i];
                }
            }
        }),
    ];
    bench.case("rms_norm_residual", "f32", data, streams(2, 2), 1e-3, list);
}

fn log_sum(z: &[f32]) -> f32 {
    let peak = z.iter().fold(f32::NEG_INFINITY, |p, z| p.max(*z));
    peak + total(COLS, |i| (z[i] - peak).exp()).ln()
}

fn softmaxes(bench: &mut Bench, data: &mut Data<f32>) {
    let list: List<'_> = vec![
        run("fulmen", |y, dy, _, dx| fulmen::softmax_backward(y, dy, COLS, dx).unwrap()),
        run(
            "loop",
            rows(|y, dy, dx| {
                let along = total(COLS, |i| y[i] * dy[i]);
                for i in 0..COLS {
                    dx[i] = y[i] * (dy[i] - along);
                }
            }),
        ),
    ];
    bench.case("softmax_backward", "f32", data, streams(2, 1), 1e-3, list);
    // Logarithms of probabilities: of other numbers the exponentials have no bound.
    let mut logs = vec![0.0f32; data.n];
    fulmen::log_softmax(data.split().0, COLS, &mut logs).unwrap();
    let list: List<'_> = vec![
        run("fulmen", |_, dy, _, dx| fulmen::log_softmax_backward(&logs, dy, COLS, dx).unwrap()),
        run("loop", |_, dy, _, dx| {
            for ((y, dy), dx) in
                logs.chunks_exact(COLS).zip(dy.chunks_exact(COLS)).zip(dx.chunks_exact_mut(COLS))
            {
                let sum = total(COLS, |i| dy[i]);
                for i in 0..COLS {
                    dx[i] = dy[i] - y[i].exp() * sum;
                }
            }
        }),
    ];
    bench.case("log_softmax_backward", "f32", data, streams(2, 1), 1e-3, list);
    let list: List<'_> = vec![
        run("fulmen", |x, m, _, out| fulmen::masked_softmax(x, m, COLS, out).unwrap()),
        run(
            "loop",
            rows(|x, m, out| {
                let peak = x.iter().zip(m).fold(f32::NEG_INFINITY, |p, (x, m)| p.max(x + m));
                for i in 0..COLS {
                    out[i] = (x[i] + m[i] - peak).exp();
                }
                let scale = 1.0 / total(COLS, |i| out[i]);
                out.iter_mut().for_each(|y| *y *= scale);
            }),
        ),
    ];
    bench.case("masked_softmax", "f32", data, streams(2, 1), 1e-3, list);

    let targets = &(0..data.n / COLS).map(|r| (r * 37 % COLS) as u32).collect::<Vec<u32>>()[..];
    let count = targets.len();
    let mut lse = vec![0.0; count];
    let list: List<'_> = vec![
        run("fulmen", |z, _, _, out| {
            fulmen::cross_entropy(z, targets, COLS, &mut out[..count], &mut lse).unwrap();
        }),
        run("loop", |z, _, _, out| {
            for ((z, t), out) in z.chunks_exact(COLS).zip(targets).zip(out) {
                *out = log_sum(z) - z[*t as usize];
            }
        }),
    ];
    bench.case("cross_entropy", "f32", data, streams(1, 0), 1e-3, list);
    let mut lse = vec![0.0; count];
    let mut losses = vec![0.0; count];
    fulmen::cross_entropy(data.split().0, targets, COLS, &mut losses, &mut lse).unwrap();
    let lse = &lse[..];
    let list: List<'_> = vec![
        run("fulmen", |z, _, _, dz| fulmen::cross_entropy_backward(z, targets, lse, COLS, 0.5, dz).unwrap()),
        run("loop", |z, _, _, dz| {
            for (((z, t), lse), dz) in
                z.chunks_exact(COLS).zip(targets).zip(lse).zip(dz.chunks_exact_mut(COLS))
            {
                for (dz, z) in dz.iter_mut().zip(z) {
                    *dz = (z - lse).exp() * 0.5;
                }
                dz[*t as usize] -= 0.5;
            }
        }),
    ];
    bench.case("cross_entropy_backward", "f32", data, streams(1, 1), 1e-3, list);

    let (mut losses, mut losses2) = (vec![0.0; count], vec![0.0; count]);
    let list: List<'_> = vec![
        run("fulmen", |z, _, _, dz| {
            dz.copy_from_slice(z);
            fulmen::cross_entropy_with_gradient(dz, targets, COLS, 0.5, &mut losses).unwrap();
        }),
        run("loop", |z, _, _, dz| {
            for (((z, t), dz), loss) in
                z.chunks_exact(COLS).zip(targets).zip(dz.chunks_exact_mut(COLS)).zip(&mut losses2)
            {
                let lse = log_sum(z);
                *loss = lse - z[*t as usize];
                for (dz, z) in dz.iter_mut().zip(z) {
                    *dz = (z - lse).exp() * 0.5;
                }
                dz[*t as usize] -= 0.5;
            }
        }),
    ];
    bench.case("cross_entropy_with_gradient", "f32", data, streams(1, 1), 1e-3, list);
}

fn gates_and_rotations(bench: &mut Bench, data: &mut Data<f32>) {
    let half = COLS / 2;
    let list: List<'_> = vec![
        run("fulmen", |x, _, _, out| {
            fulmen::swiglu_packed(x, half, &mut out[..x.len() / 2]).unwrap();
        }),
        run("loop", |x, _, _, out| {
            for (x, out) in x.chunks_exact(COLS).zip(out.chunks_exact_mut(half)) {
                for i in 0..half {
                    out[i] = x[i] / (1.0 + (-x[i]).exp()) * x[half + i];
                }
            }
        }),
    ];
    bench.case("swiglu_packed", "f32", data, streams(1, 0), 1e-3, list);
    let list: List<'_> = vec![
        run("fulmen", |x, dy, _, dx| {
            fulmen::swiglu_packed_backward(x, &dy[..x.len() / 2], half, dx).unwrap();
        }),
        run("loop", |x, dy, _, dx| {
            for ((x, dy), dx) in
                x.chunks_exact(COLS).zip(dy.chunks_exact(half)).zip(dx.chunks_exact_mut(COLS))
            {
                for i in 0..half {
                    let s = 1.0 / (1.0 + (-x[i]).exp());
                    dx[i] = dy[i] * x[half + i] * s * (1.0 + x[i] * (1.0 - s));
                    dx[half + i] = dy[i] * x[i] * s;
                }
            }
        }),
    ];
    bench.case("swiglu_packed_backward", "f32", data, streams(1, 1), 1e-3, list);

    let (dim, cols) = (80, 800);
    let tokens = data.n / cols;
    let (mut cos, mut sin) = (vec![0.0f32; tokens * dim / 2], vec![0.0f32; tokens * dim / 2]);
    fulmen::rope_table(0, dim, 1e4, RopeScaling::None, &mut cos, &mut sin).unwrap();
    let (cos, sin) = (&cos[..], &sin[..]);
    for back in [false, true] {
        let list: List<'_> = vec![
            run("fulmen", move |x, _, _, out| {
                let turn = if back { fulmen::rope_backward } else { fulmen::rope };
                turn(x, dim, cos, sin, RopeStyle::Neox, out).unwrap();
            }),
            run("loop", move |x, _, _, out| {
                let sign = if back { -1.0 } else { 1.0 };
                for (r, (x, out)) in x.chunks_exact(cols).zip(out.chunks_exact_mut(cols)).enumerate() {
                    let (cos, sin) = (&cos[r * dim / 2..][..dim / 2], &sin[r * dim / 2..][..dim / 2]);
                    for (x, out) in x.chunks_exact(dim).zip(out.chunks_exact_mut(dim)) {
                        let ((a, b), (u, v)) = (x.split_at(dim / 2), out.split_at_mut(dim / 2));
                        for i in 0..dim / 2 {
                            u[i] = a[i] * cos[i] - b[i] * sin[i] * sign;
                            v[i] = b[i] * cos[i] + a[i] * sin[i] * sign;
                        }
                    }
                }
            }),
        ];
        let name = if back { "rope_backward" } else { "rope" };
        bench.case(name, "f32", data, streams(1, 1), 1e-3, list);
    }
}

fn tables(bench: &mut Bench, data: &mut Data<f32>) {
    let count = data.n / COLS;
    let ids: Vec<u32> = (0..count).map(|r| (r * 7 % count) as u32).collect();
    let ids = &ids[..];
    let row = |id: &u32| *id as usize * COLS..(*id as usize + 1) * COLS;
    let list: List<'_> = vec![
        run("fulmen", |x, _, _, out| fulmen::embedding(x, COLS, ids, out).unwrap()),
        run("loop", |x, _, _, out| {
            ids.iter().zip(out.chunks_exact_mut(COLS)).for_each(|(id, out)| out.copy_from_slice(&x[row(id)]));
        }),
    ];
    bench.case("embedding", "f32", data, streams(1, 1), 0.0, list);
    let list: List<'_> = vec![
        run("fulmen", |x, _, _, out| fulmen::scatter(x, COLS, ids, out).unwrap()),
        run("loop", |x, _, _, out| {
            ids.iter().zip(x.chunks_exact(COLS)).for_each(|(id, x)| out[row(id)].copy_from_slice(x));
        }),
    ];
    bench.case("scatter", "f32", data, streams(1, 1), 0.0, list);
    let list: List<'_> = vec![
        run("fulmen", |x, _, _, out| fulmen::scatter_add(x, COLS, ids, out).unwrap()),
        run("loop", |x, _, _, out| {
            for (id, x) in ids.iter().zip(x.chunks_exact(COLS)) {
                out[row(id)].iter_mut().zip(x).for_each(|(y, x)| *y += x);
            }
        }),
    ];
    bench.case("scatter_add", "f32", data, streams(2, 1), 0.0, list);
}

fn optimisers(bench: &mut Bench, data: &mut Data<f32>) {
    let list: List<'_> = vec![
        run("fulmen", |g, _, _, p| fulmen::sgd(1e-6, 0.01, g, p).unwrap()),
        run("loop", |g, _, _, p| p.iter_mut().zip(g).for_each(|(p, g)| *p -= 1e-6 * (g + 0.01 * *p))),
    ];
    bench.case("sgd", "f32", data, streams(2, 1), 1e-3, list);
    let zeros = || vec![0.0f32; data.n];
    let heavy = Momentum::<f32> { lr: 1e-6, weight_decay: 0.01, ..Momentum::default() };
    let [mut m, mut m2, mut m3, mut m4, mut m5, mut m6] = [(); 6].map(|()| zeros());
    let [mut v, mut v2, mut v3, mut v4] = [(); 4].map(|()| zeros());
    let list: List<'_> = vec![
        run("fulmen", |g, _, _, p| fulmen::momentum(heavy, g, &mut m, p).unwrap()),
        run("loop", |g, _, _, p| {
            for ((p, m), g) in p.iter_mut().zip(&mut m2).zip(g) {
                *m = 0.9 * *m + g + 0.01 * *p;
                *p -= 1e-6 * *m;
            }
        }),
    ];
    bench.case("momentum", "f32", data, streams(3, 2), 1e-3, list);
    // Two steps on, so that no correction is trivial.
    let with = Adam::<f32> { lr: 1e-6, weight_decay: 0.01, step: 3, ..Adam::default() };
    let (one, two) = (1.0 - 0.9f32.powi(3), 1.0 - 0.999f32.powi(3));
    let list: List<'_> = vec![
        run("fulmen", |g, _, _, p| fulmen::adam(with, g, &mut m3, &mut v, p).unwrap()),
        run("loop", |g, _, _, p| {
            for (((p, m), v), g) in p.iter_mut().zip(&mut m4).zip(&mut v2).zip(g) {
                let g = g + 0.01 * *p;
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                *p -= 1e-6 * (*m / one) / ((*v / two).sqrt() + 1e-8);
            }
        }),
    ];
    bench.case("adam", "f32", data, streams(4, 3), 1e-3, list);
    let list: List<'_> = vec![
        run("fulmen", |g, _, _, p| fulmen::adamw(with, g, &mut m5, &mut v3, p).unwrap()),
        run("loop", |g, _, _, p| {
            for (((p, m), v), g) in p.iter_mut().zip(&mut m6).zip(&mut v4).zip(g) {
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                *p -= 1e-6 * ((*m / one) / ((*v / two).sqrt() + 1e-8) + 0.01 * *p);
            }
        }),
    ];
    bench.case("adamw", "f32", data, streams(4, 3), 1e-3, list);
}

fn pools(bench: &mut Bench, data: &mut Data<f32>) {
    // Planes of 100 by 100.
    let halves = Pool::new([100, 100], [2, 2], [2, 2], [0, 0]);
    let same = Pool::new([100, 100], [3, 3], [1, 1], [1, 1]);
    /// `f` on each element of each window: where the window and the element are.
    fn each(pool: Pool, planes: usize, mut f: impl FnMut(usize, usize)) {
        let [_, oh, ow] = pool.output().unwrap();
        let ([_, h, w], [_, kh, kw]) = (pool.input, pool.kernel);
        let ([_, s, _], [_, p, _]) = (pool.stride, pool.padding);
        for c in 0..planes {
            for i in 0..oh {
                for j in 0..ow {
                    for r in (i * s).max(p)..(i * s + kh).min(h + p) {
                        for t in (j * s).max(p)..(j * s + kw).min(w + p) {
                            f((c * oh + i) * ow + j, (c * h + r - p) * w + t - p);
                        }
                    }
                }
            }
        }
    }
    let planes = data.n / 10_000;
    for (pool, [max, indexed, avg], written) in [
        (halves, ["max_pool", "max_pool_indices", "avg_pool"], 0),
        (same, ["max_pool-3x3", "max_pool_indices-3x3", "avg_pool-3x3"], 1),
    ] {
        let n = planes * pool.output().unwrap().iter().product::<usize>();
        let list: List<'_> = vec![
            run("fulmen", move |x, _, _, out| fulmen::max_pool(x, pool, &mut out[..n]).unwrap()),
            run("loop", move |x, _, _, out| {
                out[..n].fill(f32::NEG_INFINITY);
                each(pool, planes, |y, i| out[y] = if x[i] > out[y] { x[i] } else { out[y] });
            }),
        ];
        bench.case(max, "f32", data, streams(1, written), 0.0, list);
        let [mut indices, mut found] = [(); 2].map(|()| vec![0; n]);
        let list: List<'_> = vec![
            run("fulmen", move |x, _, _, out| {
                fulmen::max_pool_indices(x, pool, &mut out[..n], &mut indices).unwrap();
            }),
            run("loop", move |x, _, _, out| {
                out[..n].fill(f32::NEG_INFINITY);
                each(pool, planes, |y, i| {
                    if x[i] > out[y] {
                        (out[y], found[y]) = (x[i], (i % 10_000) as u32);
                    }
                });
            }),
        ];
        bench.case(indexed, "f32", data, streams(1, 2 * written), 0.0, list);
        let list: List<'_> = vec![
            run("fulmen", move |x, _, _, out| fulmen::avg_pool(x, pool, true, &mut out[..n]).unwrap()),
            run("loop", move |x, _, _, out| {
                out[..n].fill(0.0);
                each(pool, planes, |y, i| out[y] += x[i]);
                let scale = 1.0 / pool.kernel.iter().product::<usize>() as f32;
                out[..n].iter_mut().for_each(|y| *y *= scale);
            }),
        ];
        bench.case(avg, "f32", data, streams(1, written), 1e-4, list);
    }
    for (pool, max, avg) in [
        (halves, "max_pool_backward", "avg_pool_backward"),
        (same, "max_pool_backward-3x3", "avg_pool_backward-3x3"),
    ] {
        let n = planes * pool.output().unwrap().iter().product::<usize>();
        let mut largest = vec![(f32::NEG_INFINITY, 0); n];
        let list: List<'_> = vec![
            run("fulmen", move |x, dy, _, dx| fulmen::max_pool_backward(x, &dy[..n], pool, dx).unwrap()),
            run("loop", move |x, dy, _, dx| {
                largest.fill((f32::NEG_INFINITY, 0));
                each(pool, planes, |y, i| {
                    if x[i] > largest[y].0 {
                        largest[y] = (x[i], i);
                    }
                });
                dx.fill(0.0);
                largest.iter().zip(dy).for_each(|((_, i), dy)| dx[*i] += dy);
            }),
        ];
        bench.case(max, "f32", data, streams(1, 1), 1e-4, list);
        let list: List<'_> = vec![
            run("fulmen", move |dy, _, _, dx| fulmen::avg_pool_backward(&dy[..n], pool, true, dx).unwrap()),
            run("loop", move |dy, _, _, dx| {
                let scale = 1.0 / pool.kernel.iter().product::<usize>() as f32;
                dx.fill(0.0);
                each(pool, planes, |y, i| dx[i] += dy[y] * scale);
            }),
        ];
        bench.case(avg, "f32", data, streams(1, 1), 1e-4, list);
    }
}

fn convolutions(bench: &mut Bench, data: &mut Data<f32>) {
    // Dense, and of each channel by itself.
    let channels = 50;
    let length = data.n / channels;
    for (groups, names) in [
        (1, ["conv1d", "conv1d_backward_input", "conv1d_backward_weights"]),
        (
            channels,
            ["conv1d-depthwise", "conv1d_backward_input-depthwise", "conv1d_backward_weights-depthwise"],
        ),
    ] {
        let conv = Conv1d { padding: 1, groups, ..Conv1d::new(channels, channels, length, 3) };
        let per = channels / groups;
        let weights: Vec<f32> = (0..channels * per * 3).map(|i| (i % 11) as f32 * 0.1 - 0.5).collect();
        let w = &weights[..];
        /// `f` on each run of products: the lines of the result and of the input, the weight, and the shift.
        fn each(per: usize, channels: usize, mut f: impl FnMut(usize, usize, usize, usize)) {
            for o in 0..channels {
                for i in 0..per {
                    for k in 0..3 {
                        f(o, o / per * per + i, (o * per + i) * 3 + k, k);
                    }
                }
            }
        }
        /// The parts of a line of the result and of one of the input that a tap joins.
        fn joined(length: usize, k: usize) -> (core::ops::Range<usize>, core::ops::Range<usize>) {
            (1 - k.min(1)..length - k.saturating_sub(1), k.saturating_sub(1)..length + k.min(1) - 1)
        }
        let mut room = vec![0.0; fulmen::conv1d_workspace(conv)];
        let mut list: List<'_> = vec![
            run("fulmen", move |x, _, _, out| fulmen::conv1d(conv, x, w, None, out, &mut room).unwrap()),
            run("loop", move |x, _, _, out| {
                out.fill(0.0);
                each(per, channels, |o, i, at, k| {
                    let (to, from) = joined(length, k);
                    let (y, x) = (&mut out[o * length..][to], &x[i * length..][from]);
                    y.iter_mut().zip(x).for_each(|(y, x)| *y += w[at] * x);
                });
            }),
        ];
        if groups == 1 {
            // The product that is left when somebody else has copied what each place of the filter meets.
            let mut columns = vec![0.0; 3 * data.n];
            for i in 0..channels {
                for k in 0..3 {
                    let (to, from) = joined(length, k);
                    let x = &data.split().0[i * length..][from];
                    columns[(i * 3 + k) * length..][to].copy_from_slice(x);
                }
            }
            let mut room = vec![0.0; fulmen::gemm_workspace(channels, length, 3 * channels)];
            list.push(run("fulmen-gemm", move |_, _, _, out| {
                let a = MatRef::row_major(w, channels, 3 * channels).unwrap();
                let b = MatRef::row_major(&columns, 3 * channels, length).unwrap();
                let c = MatMut::row_major(out, channels, length).unwrap();
                fulmen::gemm(1.0, a, b, 0.0, c, &mut room).unwrap();
            }));
        }
        bench.case(names[0], "f32", data, streams(1, 1), 1e-3, list);
        let mut room = vec![0.0; fulmen::conv1d_workspace(conv)];
        let list: List<'_> = vec![
            run("fulmen", move |dy, _, _, dx| {
                fulmen::conv1d_backward_input(conv, dy, w, dx, &mut room).unwrap();
            }),
            run("loop", move |dy, _, _, dx| {
                dx.fill(0.0);
                each(per, channels, |o, i, at, k| {
                    let (from, to) = joined(length, k);
                    let (dx, dy) = (&mut dx[i * length..][to], &dy[o * length..][from]);
                    dx.iter_mut().zip(dy).for_each(|(x, y)| *x += w[at] * y);
                });
            }),
        ];
        bench.case(names[1], "f32", data, streams(1, 1), 1e-3, list);
        let mut room = vec![0.0; fulmen::conv1d_workspace(conv)];
        let list: List<'_> = vec![
            run("fulmen", move |x, dy, _, out| {
                let dw = &mut out[..channels * per * 3];
                dw.fill(0.0);
                fulmen::conv1d_backward_weights(conv, x, dy, dw, None, &mut room).unwrap();
            }),
            run("loop", move |x, dy, _, out| {
                each(per, channels, |o, i, at, k| {
                    let (to, from) = joined(length, k);
                    let (y, x) = (&dy[o * length..][to], &x[i * length..][from]);
                    out[at] = total(y.len(), |i| y[i] * x[i]);
                });
            }),
        ];
        // Sums of products of many signs.
        bench.case(names[2], "f32", data, streams(2, 0), 0.1, list);
    }
}

fn main() -> std::io::Result<()> {
    let mut bench = Bench::from_args();
    for n in bench.sizes().into_iter().filter(|n| [100_000, 1_000_000].contains(n)) {
        let data = &mut Data::new(n, |k, i| ((i * 2_654_435_761 + k * 7919) % 16_001) as f32 * 1e-3 - 8.0);
        norms(&mut bench, data);
        softmaxes(&mut bench, data);
        gates_and_rotations(&mut bench, data);
        tables(&mut bench, data);
        optimisers(&mut bench, data);
        pools(&mut bench, data);
        convolutions(&mut bench, data);
    }
    bench.finish("nn")
}
