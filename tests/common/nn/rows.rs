//! Ops on rows.

use super::*;

#[macro_export]
macro_rules! for_each_rows_op {
    ($cb:ident) => {
        $cb! {
            swiglu_packed $crate::nn::rows::SwigluPacked, threads;
            swiglu_packed_backward $crate::nn::rows::SwigluPackedBackward, gradient, threads;
            rms_norm_residual $crate::nn::rows::RmsNormResidual, threads;
            rms_norm_backward $crate::nn::rows::RmsNormBackward, gradient;
            rms_norm_residual_backward $crate::nn::rows::RmsNormResidualBackward, gradient;
            layer_norm_backward $crate::nn::rows::LayerNormBackward, gradient;
            softmax_backward $crate::nn::rows::SoftmaxBackward, gradient, threads;
            log_softmax_backward $crate::nn::rows::LogSoftmaxBackward, gradient, threads;
            masked_softmax $crate::nn::rows::MaskedSoftmax, threads;
        }
    };
}

/// `x e^x`-like parts of silu: its value, its derivative, and the magnitudes in that.
pub fn silu(x: f64) -> [f64; 3] {
    // Beyond, the sigmoid is 0 or 1, and an infinity times 0 would be NaN.
    let (full, x) = (if x < -750.0 { -750.0 } else { x }, x.clamp(-750.0, 750.0));
    let e = (-x.abs()).exp();
    let r = 1.0 / (1.0 + e);
    let s = if x < 0.0 { e * r } else { r };
    let slope = x * (e * r * r);
    [full * s, s + slope, s + slope.abs()]
}

/// `Σ a[i] b[i]`.
pub fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub struct SwigluPacked;
impl Op for SwigluPacked {
    const NAME: &'static str = "swiglu_packed";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        Args::new::<Self>(vec![r.slice(2 * rows * cols, 8.0)], vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len() / 2)]
    }
    called! {
        |s, a, [out], _| fulmen::swiglu_packed_on(s, &a.x[0], a.size("cols"), out),
        parallel fulmen::parallel::swiglu_packed_on(s, &a.x[0], a.size("cols"), out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols");
        let row = |x: &[f64]| -> Vec<Want> {
            let (gate, up) = x.split_at(cols);
            gate.iter().zip(up).map(|(g, u)| copied(silu(*g)[0] * u)).collect()
        };
        vec![a.x[0].chunks(2 * cols).flat_map(row).collect()]
    }
}

pub struct SwigluPackedBackward;
impl Op for SwigluPackedBackward {
    const NAME: &'static str = "swiglu_packed_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (x, dy) = (r.slice(2 * rows * cols, 8.0), r.slice(rows * cols, 2.0));
        Args::new::<Self>(vec![x, dy], vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [dx], _| fulmen::swiglu_packed_backward_on(s, &a.x[0], &a.x[1], a.size("cols"), dx),
        parallel fulmen::parallel::swiglu_packed_backward_on(s, &a.x[0], &a.x[1], a.size("cols"), dx)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols");
        let row = |(x, dy): (&[f64], &[f64])| -> Vec<Want> {
            let part = |i: usize| {
                let ([y, slope, mass], up, dy) = (silu(x[i % cols]), x[cols + i % cols], dy[i % cols]);
                if i < cols {
                    Want { value: slope * up * dy, mass: (mass * up * dy).abs(), n: 1 }
                } else {
                    copied(y * dy)
                }
            };
            (0..2 * cols).map(part).collect()
        };
        vec![a.x[0].chunks(2 * cols).zip(a.x[1].chunks(cols)).flat_map(row).collect()]
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[1].len()];
        fulmen::swiglu_packed(&a.x[0], a.size("cols"), &mut y).unwrap();
        inner(&y, &a.x[1])
    }
}

/// The mean of `f` over the indices of a row.
fn mean(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(f).sum::<f64>() / n as f64
}

pub struct RmsNormResidual;
impl Op for RmsNormResidual {
    const NAME: &'static str = "rms_norm_residual";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        Args::new::<Self>(
            vec![r.slice(n, 4.0), r.slice(n, 4.0), r.slice(cols, 2.0)],
            vec![T::from_f64(1e-3)],
            &[],
        )
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[1].clone(), stale(a.x[0].len())]
    }
    called! {
        |s, a, [sum, out], _| fulmen::rms_norm_residual_on(s, &a.x[0], sum, &a.x[2], a.p[0], out),
        parallel fulmen::parallel::rms_norm_residual_on(s, &a.x[0], sum, &a.x[2], a.p[0], out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (gamma, eps) = (&a.x[2], a.p[0]);
        let cols = gamma.len();
        let (mut sums, mut out) = (vec![], vec![]);
        for (x, y) in a.x[0].chunks(cols).zip(a.x[1].chunks(cols)) {
            let sum: Vec<f64> = x.iter().zip(y).map(|(x, y)| x + y).collect();
            let mass: Vec<f64> = x.iter().zip(y).map(|(x, y)| x.abs() + y.abs()).collect();
            let square = mean(cols, |k| sum[k] * sum[k]) + eps;
            let inexact = 1.0 + mean(cols, |k| sum[k].abs() * mass[k]) / square;
            for k in 0..cols {
                sums.push(Want { value: sum[k], mass: mass[k], n: 1 });
                let y = sum[k] / square.sqrt() * gamma[k];
                let mass = (mass[k] / square.sqrt() * gamma[k]).abs() + y.abs() * inexact;
                out.push(Want { value: y, mass, n: cols });
            }
        }
        vec![sums, out]
    }
}

/// The gradient of either norm for each row: `dx`, then what each row adds to `dgamma` and `dbeta`.
fn norm_backward(a: &Args<f64>, centred: bool) -> Vec<Vec<Want>> {
    let (gamma, eps) = (&a.x[1], a.p[0]);
    let n = gamma.len();
    let mut dx = vec![];
    let mut sums: Vec<Vec<Want>> = a.x[3..].iter().map(|x| x.iter().map(|x| copied(*x)).collect()).collect();
    for (x, dy) in a.x[0].chunks(n).zip(a.x[2].chunks(n)) {
        let m = if centred { mean(n, |k| x[k]) } else { 0.0 };
        let square = mean(n, |k| (x[k] - m) * (x[k] - m));
        let rho = 1.0 / (square + eps).sqrt();
        // The mean is subtracted with an error of its own, a share of the spread.
        let far = if centred { square.sqrt() } else { 0.0 };
        let g = |k: usize| gamma[k] * dy[k];
        let shift = if centred { mean(n, g) } else { 0.0 };
        let along = mean(n, |k| g(k) * (x[k] - m)) * rho * rho;
        let d = |k: usize| (x[k] - m).abs() + far;
        let along_mass = mean(n, |k| g(k).abs() * d(k)) * rho * rho;
        let shift_mass = if centred { mean(n, |k| g(k).abs()) } else { 0.0 };
        for k in 0..n {
            let value = rho * (g(k) - shift - (x[k] - m) * along);
            dx.push(Want { value, mass: rho * (g(k).abs() + shift_mass + d(k) * along_mass), n });
            let parts = [(dy[k] * (x[k] - m) * rho, dy[k].abs() * d(k) * rho), (dy[k], dy[k].abs())];
            for (sum, (value, mass)) in sums.iter_mut().zip(parts) {
                let old = sum[k];
                sum[k] = Want { value: old.value + value, mass: old.mass + mass, n: n.max(old.n + 1) };
            }
        }
    }
    sums.insert(0, dx);
    sums
}

pub struct RmsNormBackward;
impl Op for RmsNormBackward {
    const NAME: &'static str = "rms_norm_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0), (1, 1)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        let x = vec![r.slice(n, 4.0), r.slice(cols, 2.0), r.slice(n, 2.0), r.slice(cols, 1.0)];
        Args::new::<Self>(x, vec![T::from_f64(0.1)], &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len()), a.x[3].clone()]
    }
    called! {
        |s, a, [dx, dgamma], _| fulmen::rms_norm_backward_on(s, &a.x[0], &a.x[1], &a.x[2], a.p[0], dx, dgamma)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        norm_backward(a, false)
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[0].len()];
        fulmen::rms_norm(&a.x[0], &a.x[1], a.p[0], &mut y).unwrap();
        inner(&y, &a.x[2])
    }
}

pub struct RmsNormResidualBackward;
impl Op for RmsNormResidualBackward {
    const NAME: &'static str = "rms_norm_residual_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0), (1, 1)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let Args { mut x, p, .. } = RmsNormBackward::sample(rows, cols, r);
        x.insert(3, r.slice(rows * cols, 1.0));
        Args::new::<Self>(x, p, &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        a.x[3..].to_vec()
    }
    called! {
        |s, a, [dx, dgamma], _|
            fulmen::rms_norm_residual_backward_on(s, &a.x[0], &a.x[1], &a.x[2], a.p[0], dx, dgamma)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let x = [0, 1, 2, 4].map(|k| a.x[k].clone()).to_vec();
        let mut all = norm_backward(&Args::new::<RmsNormBackward>(x, a.p.clone(), &[]), false);
        for (want, before) in all[0].iter_mut().zip(&a.x[3]) {
            *want = Want { value: before + want.value, mass: before.abs() + want.mass, n: want.n };
        }
        all
    }
    fn loss(a: &Args<f64>) -> f64 {
        RmsNormBackward::loss(a)
    }
}

pub struct LayerNormBackward;
impl Op for LayerNormBackward {
    const NAME: &'static str = "layer_norm_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0), (1, 1)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        let x = vec![
            r.slice(n, 4.0),
            r.slice(cols, 2.0),
            r.slice(n, 2.0),
            r.slice(cols, 1.0),
            r.slice(cols, 1.0),
        ];
        Args::new::<Self>(x, vec![T::from_f64(0.1)], &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len()), a.x[3].clone(), a.x[4].clone()]
    }
    called! {
        |s, a, [dx, dgamma, dbeta], _|
            fulmen::layer_norm_backward_on(s, &a.x[0], &a.x[1], &a.x[2], a.p[0], dx, dgamma, dbeta)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        norm_backward(a, true)
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[0].len()];
        let beta = vec![0.0; a.x[1].len()];
        fulmen::layer_norm(&a.x[0], &a.x[1], &beta, a.p[0], &mut y).unwrap();
        inner(&y, &a.x[2])
    }
}

/// Softmax of a row, and how far its elements may be off as a multiple of them, by the size of what is added.
fn softmax(x: &[f64], size: impl Fn(usize) -> f64) -> Vec<Want> {
    let nan = x.iter().any(|x| x.is_nan() || *x == f64::INFINITY);
    let peak = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let e: Vec<f64> =
        x.iter().map(|x| if peak == f64::NEG_INFINITY { 0.0 } else { (x - peak).exp() }).collect();
    let sum: f64 = e.iter().sum();
    let most = |k: usize| if e[k] == 0.0 { 0.0 } else { 1.0 + peak - x[k] + size(k) };
    let spread: f64 = (0..x.len()).map(|k| most(k) * e[k]).sum();
    let one = |k: usize| {
        let p = if sum == 0.0 { 0.0 } else { e[k] / sum };
        let value = if nan { f64::NAN } else { p };
        Want {
            value,
            mass: p * (1.0 + most(k)) + if sum == 0.0 { 0.0 } else { p * spread / sum },
            n: x.len(),
        }
    };
    (0..x.len()).map(one).collect()
}

/// Probabilities, or their logarithms, and a gradient from above.
fn probabilities<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise, log: bool) -> Args<T> {
    let x = r.slice::<f64>(rows * cols, 3.0);
    let p = x.chunks(cols).flat_map(|x| softmax(x, |_| 0.0));
    let y = p.map(|p| T::from_f64(if log { p.value.ln() } else { p.value })).collect();
    Args::new::<O>(vec![y, r.slice(rows * cols, 2.0)], vec![], &[("cols", cols)])
}

/// The op on each row of the first two inputs.
fn each_row(a: &Args<f64>, f: impl Fn(&[f64], &[f64]) -> Vec<Want>) -> Vec<Vec<Want>> {
    let cols = a.size("cols").max(1);
    vec![a.x[0].chunks(cols).zip(a.x[1].chunks(cols)).flat_map(|(y, dy)| f(y, dy)).collect()]
}

pub struct SoftmaxBackward;
impl Op for SoftmaxBackward {
    const NAME: &'static str = "softmax_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        probabilities::<T, Self>(rows, cols, r, false)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [dx], _| fulmen::softmax_backward_on(s, &a.x[0], &a.x[1], a.size("cols"), dx),
        parallel fulmen::parallel::softmax_backward_on(s, &a.x[0], &a.x[1], a.size("cols"), dx)
    }
    fn point(a: &Args<f64>) -> Args<f64> {
        let mut a = a.clone();
        a.x[0].iter_mut().for_each(|y| *y = y.ln());
        a
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[0].len()];
        fulmen::softmax(&a.x[0], a.size("cols"), &mut y).unwrap();
        inner(&y, &a.x[1])
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        each_row(a, |y, dy| {
            let along = inner(y, dy);
            let mass: f64 = y.iter().zip(dy).map(|(y, dy)| (y * dy).abs()).sum();
            let one = |(y, dy): (&f64, &f64)| Want {
                value: y * (dy - along),
                mass: y.abs() * (dy.abs() + mass),
                n: a.size("cols"),
            };
            y.iter().zip(dy).map(one).collect()
        })
    }
}

pub struct LogSoftmaxBackward;
impl Op for LogSoftmaxBackward {
    const NAME: &'static str = "log_softmax_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        probabilities::<T, Self>(rows, cols, r, true)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [dx], _| fulmen::log_softmax_backward_on(s, &a.x[0], &a.x[1], a.size("cols"), dx),
        parallel fulmen::parallel::log_softmax_backward_on(s, &a.x[0], &a.x[1], a.size("cols"), dx)
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[0].len()];
        fulmen::log_softmax(&a.x[0], a.size("cols"), &mut y).unwrap();
        inner(&y, &a.x[1])
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        each_row(a, |y, dy| {
            let (sum, mass) = (dy.iter().sum::<f64>(), dy.iter().map(|dy| dy.abs()).sum::<f64>());
            let one = |(y, dy): (&f64, &f64)| Want {
                value: dy - y.exp() * sum,
                mass: dy.abs() + y.exp() * mass,
                n: a.size("cols"),
            };
            y.iter().zip(dy).map(one).collect()
        })
    }
}

pub struct MaskedSoftmax;
impl Op for MaskedSoftmax {
    const NAME: &'static str = "masked_softmax";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (x, mut mask) = (r.slice(rows * cols, 6.0), r.slice::<T>(rows * cols, 1.0));
        mask.iter_mut().skip(1).step_by(3).for_each(|m| *m = -T::INFINITY);
        // One mask for all rows, or one for each.
        mask.truncate(if cols.is_multiple_of(2) { cols } else { rows * cols });
        Args::new::<Self>(vec![x, mask], vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [out], _| fulmen::masked_softmax_on(s, &a.x[0], &a.x[1], a.size("cols"), out),
        parallel fulmen::parallel::masked_softmax_on(s, &a.x[0], &a.x[1], a.size("cols"), out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols").max(1);
        let row = |(r, x): (usize, &[f64])| {
            let mask = if a.x[1].len() == cols { &a.x[1][..] } else { &a.x[1][r * cols..][..cols] };
            let z: Vec<f64> = x.iter().zip(mask).map(|(x, m)| x + m).collect();
            softmax(&z, |k| 2.0 * (x[k].abs() + mask[k].abs()))
        };
        vec![a.x[0].chunks(cols).enumerate().flat_map(row).collect()]
    }
}
