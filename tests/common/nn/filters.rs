//! Filters of signals.

use super::*;
use fulmen::Biquad;

pub struct Fir;

impl Op for Fir {
    const NAME: &'static str = "fir";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        // Also more than meet copies of the state at a time.
        let taps = 1 + r.bits() as usize % [40, 150][r.bits() as usize % 2];
        let decimation = [1, 1, 2, 3][r.bits() as usize % 4];
        let x = vec![r.slice(taps, 1.0), r.slice(taps - 1, 2.0), r.slice(rows * cols * decimation, 2.0)];
        Args::new::<Self>(x, vec![], &[("decimation", decimation)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[2].len() / a.size("decimation").max(1)), a.x[1].clone()]
    }
    called! {
        |s, a, [out, state], _| fulmen::fir_on(s, &a.x[0], a.size("decimation"), state, &a.x[2], out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (taps, step) = (&a.x[0], a.size("decimation"));
        let all = [&a.x[1][..], &a.x[2]].concat();
        let one = |l: usize| {
            let at = a.x[1].len() + l * step;
            let terms = || taps.iter().enumerate().map(|(k, h)| h * all[at - k]);
            Want { value: terms().sum(), mass: terms().map(f64::abs).sum(), n: taps.len() }
        };
        let kept = all[all.len() - a.x[1].len()..].iter().map(|x| Want { mass: 0.0, ..copied(*x) }).collect();
        vec![(0..a.x[2].len() / step).map(one).collect(), kept]
    }
}

fn sections<T: Element>(x: &[T]) -> ([Biquad<T>; 4], usize) {
    let zero = Biquad { b: [T::ZERO; 3], a: [T::ZERO; 2] };
    let mut list = [zero; 4];
    for (to, x) in list.iter_mut().zip(x.chunks_exact(5)) {
        *to = Biquad { b: [x[0], x[1], x[2]], a: [x[3], x[4]] };
    }
    (list, (x.len() / 5).min(4))
}

pub struct Sections;

impl Op for Sections {
    const NAME: &'static str = "biquad";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = 1 + r.bits() as usize % 3;
        // Stable whatever the signs are, so that the bound of the error is finite.
        let each = |r: &mut Noise| [r.slice::<T>(3, 0.5), r.slice(2, 0.3)].concat();
        let list = (0..n).flat_map(|_| each(r)).collect();
        Args::new::<Self>(vec![list, r.slice(2 * n, 1.0), r.slice(rows * cols, 2.0)], vec![], &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[2].len()), a.x[1].clone()]
    }
    called! {
        |s, a, [out, state], _| {
            let (list, n) = sections(&a.x[0]);
            fulmen::biquad_on(s, &list[..n], state, &a.x[2], out)
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        // Values, and what all magnitudes would give.
        let mut state: Vec<[f64; 2]> = a.x[1].iter().map(|x| [*x, x.abs()]).collect();
        let n = a.x[2].len() + 4;
        let mut out = vec![];
        for x in &a.x[2] {
            let mut y = [*x, x.abs()];
            for (c, s) in a.x[0].chunks_exact(5).zip(state.chunks_exact_mut(2)) {
                let x = y;
                y = [c[0] * x[0] + s[0][0], c[0].abs() * x[1] + s[0][1]];
                s[0] = [c[1] * x[0] - c[3] * y[0] + s[1][0], c[1].abs() * x[1] + c[3].abs() * y[1] + s[1][1]];
                s[1] = [c[2] * x[0] - c[4] * y[0], c[2].abs() * x[1] + c[4].abs() * y[1]];
            }
            out.push(y);
        }
        [out, state].map(|x| x.iter().map(|&[value, mass]| Want { value, mass, n }).collect()).into()
    }
}
