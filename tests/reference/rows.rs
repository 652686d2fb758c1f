//! Row ops by their definitions, each element with the bound that theory gives for it.

use super::dd::Dd;
use super::reduce::{Moments, depth, dot, gamma, levels, unit};
use fulmen::Element;
use fulmen::lanes::Simd;

/// An element and how far the library's may be off.
pub type Bounded = (f64, f64);

/// Softmax (or its logarithm) of a row of finite values and -inf.
///
/// An exponential is off by `(4 + 2|t|) u` and its `t = x - m` by `|t| u`; long rows merge sums of
/// blocks, which rescales by another exponential at each level; the sum is off by `γ` and the mean of
/// its terms' errors. `f64` exponentials of this reference are off by `u` themselves.
pub fn softmax<S: Simd, T: Element>(x: &[T], log: bool) -> Vec<Bounded> {
    let x: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
    let u = unit::<T>();
    let m = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let e: Vec<f64> = x.iter().map(|x| if m == f64::NEG_INFINITY { 0.0 } else { (x - m).exp() }).collect();
    let total: f64 = super::reduce::sum(&e).value();
    let off = |t: f64| u * (8.0 + 3.0 * t.abs());
    let merges = 7.0 * u * levels(x.len(), 4096);
    let weighted: f64 = x.iter().zip(&e).filter(|(_, e)| **e > 0.0).map(|(x, e)| off(x - m) * e).sum();
    let sum_off = if total > 0.0 { weighted / total } else { 0.0 };
    let sum_off = sum_off + merges + gamma::<T>(depth::<S, T>(x.len()) + 6.0);
    // Exponentials below the smallest normal number may be 0.
    let tiny = if T::NAME == "f32" { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    x.iter()
        .zip(&e)
        .map(|(&x, &e)| {
            if log {
                let y = if x == f64::NEG_INFINITY { x } else { (x - m) - total.ln() };
                (y, u * ((x - m).abs() + 3.0 * y.abs() + 3.0 * total.ln()) + sum_off)
            } else if total > 0.0 {
                let p = e / total;
                (p, p * (off(x - m) + sum_off + 3.0 * u) + 2.0 * tiny)
            } else {
                (0.0, 0.0)
            }
        })
        .collect()
}

/// `(x - µ) / √(σ² + eps) γ + β`; `eps` and the scale are those of layer norm and of the z-score.
pub fn standard<S: Simd, T: Element>(x: &[T], gamma_beta: Option<(&[T], &[T])>, eps: f64) -> Vec<Bounded> {
    let m = Moments::of::<S, T>(x);
    let u = unit::<T>();
    let scale = 1.0 / (m.variance + eps).sqrt();
    let scale_off = m.variance_error * scale * scale + 6.0 * u;
    x.iter()
        .enumerate()
        .map(|(i, x)| {
            let (g, b) = gamma_beta.map_or((1.0, 0.0), |(g, b)| (g[i].to_f64(), b[i].to_f64()));
            let d = (Dd::from(x.to_f64()) - m.mean).value();
            let y = d * scale * g;
            // The low part of the mean is below the spread.
            let centre = (m.mean_error + 4.0 * u * m.spread) * scale;
            let off = y.abs() * (scale_off + 4.0 * u) + (centre * g).abs();
            (y + b, off + u * (y + b).abs() + u * y.abs())
        })
        .collect()
}

/// `x / √(Σ x² / divisor + eps) γ`: RMS norm with the row length as divisor, the unit vector with 1.
pub fn by_length<S: Simd, T: Element>(x: &[T], divisor: f64, eps: f64, g: Option<&[T]>) -> Vec<Bounded> {
    let squares = dot(x, x).value() / divisor;
    let scale = if squares + eps == 0.0 { 0.0 } else { 1.0 / (squares + eps).sqrt() };
    let off = gamma::<T>(depth::<S, T>(x.len()) + 8.0);
    x.iter()
        .enumerate()
        .map(|(i, x)| {
            let y = x.to_f64() * scale * g.map_or(1.0, |g| g[i].to_f64());
            (y, y.abs() * off)
        })
        .collect()
}

/// `(x - min) / (max - min)`.
pub fn interval<T: Element>(x: &[T]) -> Vec<Bounded> {
    let x: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
    let (min, max) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    x.iter()
        .map(|x| {
            let y = if max > min { (x * 0.5 - min * 0.5) / (max * 0.5 - min * 0.5) } else { 0.0 };
            (y, 8.0 * unit::<T>() * y)
        })
        .collect()
}

/// What the contract of a row op is relative to, for each element of a row.
pub fn masses(op: &str, x: &[f64], gamma_beta: [&[f64]; 2], eps: f64) -> Vec<f64> {
    let n = x.len() as f64;
    let [g, b] = gamma_beta.map(|of| move |i: usize| of.get(i).map_or(1.0, |x: &f64| x.abs()));
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = super::reduce::sum(x).value() / n;
    let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let squares: f64 = x.iter().map(|x| x * x).sum();
    let by = |of: f64| if of + eps > 0.0 { 1.0 / (of + eps).sqrt() } else { 0.0 };
    let shifted = |i: usize, x: f64| {
        let beta = if gamma_beta[1].is_empty() { 0.0 } else { b(i) };
        ((x - mean).abs() + variance.sqrt()) * by(variance) * g(i) + beta
    };
    let one = |(i, &x): (usize, &f64)| match op {
        "layer_norm" | "layer_norm_simple" | "zscore" => shifted(i, x),
        "rms_norm" => x.abs() * by(squares / n) * g(i),
        "normalize" => x.abs() * by(squares),
        "log_softmax" => (x - largest).abs() + n.ln() + 1.0,
        // Relative to the result.
        _ => f64::NAN,
    };
    x.iter().enumerate().map(one).collect()
}

/// Rows longer than this many bytes take their exponentials twice.
pub const LONG_ROW: usize = 1 << 19;
