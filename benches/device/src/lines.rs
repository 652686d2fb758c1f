//! What is bound by memory: each case reads and writes its operands once, and `benches/pytorch.py --gpu-lines` times others on
//! cases of the same names.

use super::{N, data, listed, say};
use fulmen::Adam;
use fulmen::backend::*;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};

pub fn run<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    copy: f64,
) -> Result<(), Error> {
    let rate = 8.0 * N as f64 / copy / 1e9;
    println!("a copy of 2^26 f32 by the driver: {:.3} ms, {rate:.0} GB/s", copy * 1e3);
    let data = data(N);
    let (a, b, c) = (gpu.upload(&data)?, gpu.upload(&data[..N / 2])?, gpu.upload(&data[..4096])?);
    let [mut y, mut m, mut v] = [gpu.alloc::<f32>(N)?, gpu.alloc::<f32>(N)?, gpu.alloc::<f32>(N)?];
    gpu.fill(0.0, m.view_mut())?;
    gpu.fill(0.0, v.view_mut())?;
    let [mut one, mut slope, mut slope_b] =
        [gpu.alloc::<f32>(1)?, gpu.alloc::<f32>(4096)?, gpu.alloc::<f32>(4096)?];
    let line = |name: &str, words: f64, seconds: f64| {
        let gb = 4.0 * words / seconds / 1e9;
        say(name, seconds, &format!("{gb:.0} GB/s"), gb / rate);
    };
    let n = N as f64;
    let half = N / 2;
    let view = a.view();
    macro_rules! time {
        ($name:expr, $words:expr, $e:expr) => {
            line($name, $words, listed(gpu, 20, wait, || $e)?);
        };
    }
    time!("scale", 2.0 * n, gpu.scale(view, 1.5, y.view_mut()));
    time!("exp", 2.0 * n, gpu.exp(view, y.view_mut()));
    time!("gelu", 2.0 * n, gpu.gelu(view, y.view_mut()));
    time!("tanh", 2.0 * n, gpu.tanh(view, y.view_mut()));
    time!("add of halves", 1.5 * n, {
        let [to, _] = y.view_mut().split(half)?;
        gpu.add(b.view(), view.part(0..half)?, to)
    });
    time!("axpy", 3.0 * n, gpu.axpy(0.5, view, y.view_mut()));
    time!("gelu_backward of halves", 1.5 * n, {
        let [to, _] = y.view_mut().split(half)?;
        gpu.gelu_backward(b.view(), view.part(0..half)?, to)
    });
    let with = Adam { lr: 1e-3f32, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0.1, step: 3 };
    time!("adamw", 7.0 * n, gpu.adamw(with, view, m.view_mut(), v.view_mut(), y.view_mut()));
    time!("sum", n, gpu.sum(view, one.view_mut()));
    time!("dot", n, gpu.dot(b.view(), view.part(half..N)?, one.view_mut()));
    time!("norm_l2", n, gpu.norm_l2(view, one.view_mut()));
    time!("variance", n, gpu.variance(view, one.view_mut()));
    // Rows: of one matrix of all elements, and of smaller ones.
    for cols in [128, 1024, 4096, 32_768, 1 << 21] {
        let name = format!("softmax, {} x {cols}", N / cols);
        time!(&name, 2.0 * n, gpu.softmax(view, cols, y.view_mut()));
    }
    for [rows, cols] in [[32, 32_000], [4096, 4096]] {
        let all = rows * cols;
        let x = view.part(0..all)?;
        let seconds = listed(gpu, 20, wait, || {
            let [to, _] = y.view_mut().split(all)?;
            gpu.softmax(x, cols, to)
        })?;
        line(&format!("softmax, {rows} x {cols}"), 2.0 * all as f64, seconds);
    }
    for cols in [128, 1024, 4096] {
        let (name, gamma) = (format!("{} x {cols}", N / cols), c.view().part(0..cols)?);
        time!(&format!("rms_norm, {name}"), 2.0 * n, gpu.rms_norm(view, gamma, 1e-5, y.view_mut()));
        time!(
            &format!("layer_norm, {name}"),
            2.0 * n,
            gpu.layer_norm(view, gamma, gamma, 1e-5, y.view_mut())
        );
    }
    // Gradients of half as many elements, as they read two operands.
    let (x, dy) = (b.view(), view.part(half..N)?);
    for cols in [1024, 4096] {
        let (name, gamma) = (format!("{} x {cols}", half / cols), c.view().part(0..cols)?);
        time!(&format!("softmax_backward, {name}"), 1.5 * n, {
            let [to, _] = y.view_mut().split(half)?;
            gpu.softmax_backward(x, dy, cols, to)
        });
        time!(&format!("rms_norm_backward, {name}"), 1.5 * n, {
            let ([to, _], [dgamma, _]) = (y.view_mut().split(half)?, slope.view_mut().split(cols)?);
            gpu.rms_norm_backward(x, gamma, dy, 1e-5, to, dgamma)
        });
        time!(&format!("layer_norm_backward, {name}"), 1.5 * n, {
            let [to, _] = y.view_mut().split(half)?;
            let ([dgamma, _], [dbeta, _]) = (slope.view_mut().split(cols)?, slope_b.view_mut().split(cols)?);
            gpu.layer_norm_backward(x, gamma, dy, 1e-5, to, dgamma, dbeta)
        });
    }
    let (rows, cols) = (2048, 32_768);
    let targets = gpu.upload(&(0..rows as u32).map(|r| r * 15 % cols as u32).collect::<Vec<_>>())?;
    let [mut losses, mut lse] = [gpu.alloc::<f32>(rows)?, gpu.alloc::<f32>(rows)?];
    let name = format!("cross_entropy, {rows} x {cols}");
    time!(&name, n, gpu.cross_entropy(view, targets.view(), cols, losses.view_mut(), lse.view_mut()));
    time!(&format!("{name}, and gradients"), 2.0 * n, {
        gpu.cross_entropy(view, targets.view(), cols, losses.view_mut(), lse.view_mut())?;
        gpu.cross_entropy_backward(view, targets.view(), lse.view(), cols, 1.0, y.view_mut())
    });
    time!(
        "transpose, 8192 x 8192",
        2.0 * n,
        gpu.transpose(view.matrix(8192, 8192)?, y.view_mut().matrix(8192, 8192)?)
    );
    for (rows, cols) in [(4096, 4096), (4096, 14_336), (8192, 8192)] {
        let x = b.view().part(0..cols)?.matrix(cols, 1)?;
        let p = view.part(0..rows * cols)?.matrix(rows, cols)?;
        time!(&format!("gemv, {rows} x {cols}"), (rows * cols) as f64, {
            let [to, _] = y.view_mut().split(rows)?;
            gpu.gemv(1.0, p, x, 0.0, to.matrix(rows, 1)?)
        });
    }
    Ok(())
}
