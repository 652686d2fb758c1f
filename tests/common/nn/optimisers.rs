//! Steps of optimisers.

use super::*;

#[macro_export]
macro_rules! for_each_optimiser {
    ($cb:ident) => {
        $cb! {
            sgd $crate::nn::optimisers::Sgd, threads;
            momentum $crate::nn::optimisers::Momentum, threads;
            adagrad $crate::nn::optimisers::Adagrad, threads;
            adam $crate::nn::optimisers::Adam, threads;
            adamw $crate::nn::optimisers::AdamW, threads;
            clip_by_norm $crate::nn::optimisers::ClipByNorm;
        }
    };
}

/// The inputs from `from` on: the state before the step.
fn state<T: Element>(a: &Args<T>, from: usize) -> Vec<Vec<T>> {
    a.x[from..].to_vec()
}

/// One value, with the magnitudes that it adds.
fn terms(value: f64, mass: f64) -> Want {
    Want { value, mass, n: 1 }
}

/// `f` of each element of the inputs, with as many outputs as it gives.
fn each<const N: usize, const K: usize>(a: &Args<f64>, f: impl Fn([f64; N]) -> [Want; K]) -> Vec<Vec<Want>> {
    let mut out = vec![vec![]; K];
    for i in 0..a.x[0].len() {
        let x = core::array::from_fn(|k| a.x[k][i]);
        out.iter_mut().zip(f(x)).for_each(|(out, y)| out.push(y));
    }
    out
}

fn numbers<T: Element>(p: &[f64]) -> Vec<T> {
    p.iter().map(|p| T::from_f64(*p)).collect()
}

pub struct Sgd;
impl Op for Sgd {
    const NAME: &'static str = "sgd";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        Args::new::<Self>(vec![r.slice(n, 3.0), r.slice(n, 2.0)], numbers(&[0.1, 0.3]), &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        state(a, 1)
    }
    called! {
        |s, a, [p], _| fulmen::sgd_on(s, a.p[0], a.p[1], &a.x[0], p),
        parallel fulmen::parallel::sgd_on(s, a.p[0], a.p[1], &a.x[0], p)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [lr, decay] = [a.p[0], a.p[1]];
        each(a, |[g, p]| {
            let mass = p.abs() + (lr * g).abs() + (lr * decay * p).abs();
            [terms(p - lr * (g + decay * p), mass)]
        })
    }
}

pub struct Momentum;
impl Op for Momentum {
    const NAME: &'static str = "momentum";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        let x = vec![r.slice(n, 3.0), r.slice(n, 2.0), r.slice(n, 2.0)];
        // Plain, dampened, Nesterov's, both.
        let words: [&[(&str, usize)]; 2] = [&[], &[("nesterov", 1)]];
        let dampening = if cols % 4 < 2 { 0.0 } else { 0.4 };
        Args::new::<Self>(x, numbers(&[0.1, 0.9, dampening, 0.3]), words[cols % 2])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        state(a, 1)
    }
    called! {
        |s, a, [m, p], _| fulmen::momentum_on(s, momentum(a), &a.x[0], m, p),
        parallel fulmen::parallel::momentum_on(s, momentum(a), &a.x[0], m, p)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [lr, mu, dampening, decay] = [0, 1, 2, 3].map(|k| a.p[k]);
        each(a, |[g, m, p]| {
            let (d, d_mass) = (g + decay * p, g.abs() + (decay * p).abs());
            let mass = (mu * m).abs() + (1.0 + dampening.abs()) * d_mass;
            let m = mu * m + (1.0 - dampening) * d;
            let (step, step_mass) =
                if a.get("nesterov").is_some() { (d + mu * m, d_mass + mu.abs() * mass) } else { (m, mass) };
            [terms(m, mass), terms(p - lr * step, p.abs() + lr.abs() * step_mass)]
        })
    }
}

/// The settings among the arguments.
pub fn momentum<T: Element>(a: &Args<T>) -> fulmen::Momentum<T> {
    let [lr, mu, dampening, weight_decay] = [0, 1, 2, 3].map(|k| a.p[k]);
    fulmen::Momentum { lr, mu, dampening, weight_decay, nesterov: a.get("nesterov").is_some() }
}

/// The settings among the arguments.
pub fn adagrad<T: Element>(a: &Args<T>) -> fulmen::Adagrad<T> {
    let [lr, eps, weight_decay] = [0, 1, 2].map(|k| a.p[k]);
    fulmen::Adagrad { lr, eps, weight_decay }
}

pub struct Adagrad;
impl Op for Adagrad {
    const NAME: &'static str = "adagrad";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        let x = vec![r.slice(n, 3.0), r.positive(n, 4.0), r.slice(n, 2.0)];
        Args::new::<Self>(x, numbers(&[0.1, 1e-3, 0.3]), &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        state(a, 1)
    }
    called! {
        |s, a, [v, p], _| fulmen::adagrad_on(s, adagrad(a), &a.x[0], v, p),
        parallel fulmen::parallel::adagrad_on(s, adagrad(a), &a.x[0], v, p)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [lr, eps, decay] = [0, 1, 2].map(|k| a.p[k]);
        each(a, |[g, v, p]| {
            let (d, d_mass) = (g + decay * p, g.abs() + (decay * p).abs());
            let v_mass = v.abs() + d_mass * d_mass;
            let v = v + d * d;
            let root = v.sqrt() + eps;
            let inexact = if v > 0.0 { v_mass / v } else { 1.0 };
            let mass = p.abs() + lr.abs() * d_mass / root * (1.0 + inexact);
            [terms(v, v_mass), terms(p - lr * d / root, mass)]
        })
    }
}

fn adam_sample<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
    let n = rows * cols;
    let x = vec![r.slice(n, 3.0), r.slice(n, 2.0), r.positive(n, 4.0), r.slice(n, 2.0)];
    Args::new::<O>(x, numbers(&[0.1, 0.9, 0.999, 1e-6, 0.3]), &[("step", 1 + cols % 7)])
}

fn settings<T: Element>(a: &Args<T>) -> fulmen::Adam<T> {
    let [lr, beta1, beta2, eps, weight_decay] = [0, 1, 2, 3, 4].map(|k| a.p[k]);
    fulmen::Adam { lr, beta1, beta2, eps, weight_decay, step: a.size("step") as u32 }
}

fn adam_want(a: &Args<f64>, decoupled: bool) -> Vec<Vec<Want>> {
    let [lr, beta1, beta2, eps, decay] = [0, 1, 2, 3, 4].map(|k| a.p[k]);
    let step = a.size("step") as f64;
    let [c1, c2] = [beta1, beta2].map(|b| 1.0 - b.powf(step));
    each(a, |[g, m, v, p]| {
        let through = if decoupled { 0.0 } else { decay * p };
        let (h, h_mass) = (g + through, g.abs() + through.abs());
        let m_mass = (beta1 * m).abs() + (1.0 - beta1) * h_mass;
        let v_mass = beta2 * v + (1.0 - beta2) * h_mass * h_mass;
        let m = beta1 * m + (1.0 - beta1) * h;
        let v = beta2 * v + (1.0 - beta2) * h * h;
        let root = (v / c2).sqrt() + eps;
        let past = if decoupled { decay * p } else { 0.0 };
        let inexact = if v > 0.0 { v_mass / v } else { 1.0 };
        let mass = p.abs() + lr.abs() * (m_mass / c1 / root * (1.0 + inexact) + past.abs());
        [terms(m, m_mass), terms(v, v_mass), terms(p - lr * (m / c1 / root + past), mass)]
    })
}

pub struct Adam;
impl Op for Adam {
    const NAME: &'static str = "adam";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        adam_sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        state(a, 1)
    }
    called! {
        |s, a, [m, v, p], _| fulmen::adam_on(s, settings(a), &a.x[0], m, v, p),
        parallel fulmen::parallel::adam_on(s, settings(a), &a.x[0], m, v, p)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        adam_want(a, false)
    }
}

pub struct AdamW;
impl Op for AdamW {
    const NAME: &'static str = "adamw";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        adam_sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        state(a, 1)
    }
    called! {
        |s, a, [m, v, p], _| fulmen::adamw_on(s, settings(a), &a.x[0], m, v, p),
        parallel fulmen::parallel::adamw_on(s, settings(a), &a.x[0], m, v, p)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        adam_want(a, true)
    }
}

/// Its outputs are the gradient and the norm.
pub struct ClipByNorm;
impl Op for ClipByNorm {
    const NAME: &'static str = "clip_by_norm";
    const ONE_NAN_IS_ALL: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        // Sometimes short enough.
        Args::new::<Self>(vec![r.slice(rows * cols, 1.0)], numbers(&[0.5 + (cols % 4) as f64]), &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone(), stale(1)]
    }
    called! {
        |s, a, [g, norm], _| fulmen::clip_by_norm_on(s, a.p[0], g).map(|found| {
            if let Some(norm) = norm.first_mut() {
                *norm = found;
            }
        })
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (g, n) = (&a.x[0], a.x[0].len());
        // By its largest element, so that no square overflows.
        let most = g.iter().fold(0.0, |m: f64, g| if g.is_nan() { *g } else { m.max(g.abs()) });
        let most = if g.iter().any(|g| g.is_nan()) { f64::NAN } else { most };
        let norm = if most == 0.0 || most.is_infinite() {
            most
        } else {
            g.iter().map(|g| (g / most) * (g / most)).sum::<f64>().sqrt() * most
        };
        let scale = if norm <= a.p[0] { 1.0 } else { a.p[0] / norm };
        let one = |x: f64| Want { value: x, mass: x.abs(), n };
        vec![g.iter().map(|g| one(g * scale)).collect(), vec![one(norm)]]
    }
}
