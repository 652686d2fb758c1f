//! Ops on rows.

use super::*;
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

macro_rules! for_each_rows_op {
    ($cb:ident) => {
        $cb! {
            swiglu_packed crate::nn::rows::SwigluPacked, threads;
            swiglu_packed_backward crate::nn::rows::SwigluPackedBackward, gradient, threads;
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
    [full * s, s + slope, s + slope.abs() * (1.0 + x.abs())]
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
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out] = out else { return None };
        match form {
            Form::On => Some(fulmen::swiglu_packed_on(s, &a.x[0], a.size("cols"), out)),
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(fulmen::parallel::swiglu_packed_on(s, &a.x[0], a.size("cols"), out)),
            _ => None,
        }
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
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [dx] = out else { return None };
        let (x, dy, cols) = (&a.x[0], &a.x[1], a.size("cols"));
        match form {
            Form::On => Some(fulmen::swiglu_packed_backward_on(s, x, dy, cols, dx)),
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(fulmen::parallel::swiglu_packed_backward_on(s, x, dy, cols, dx)),
            _ => None,
        }
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
