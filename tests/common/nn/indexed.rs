//! Ops with indices: losses, rows of tables.

use super::rows::inner;
use super::*;

#[macro_export]
macro_rules! for_each_indexed_op {
    ($cb:ident) => {
        $cb! {
            cross_entropy $crate::nn::indexed::CrossEntropy, threads;
            cross_entropy_backward $crate::nn::indexed::CrossEntropyBackward, gradient, threads;
            cross_entropy_with_gradient $crate::nn::indexed::CrossEntropyWithGradient, threads;
            nll $crate::nn::indexed::NegativeLog, threads;
            nll_backward $crate::nn::indexed::NegativeLogBackward, threads;
            embedding $crate::nn::indexed::Embedding, threads;
            sample $crate::nn::indexed::Sample;
            scatter $crate::nn::indexed::Scatter;
            scatter_add $crate::nn::indexed::ScatterAdd;
        }
    };
}

const IGNORED: u32 = u32::MAX;

/// Target classes, one in nine of them none.
fn targets<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Vec<T> {
    let mut ids = r.ids::<T>(rows, cols);
    ids.iter_mut().skip(1).step_by(9).for_each(|t| *t = T::from_f64(f64::from(IGNORED)));
    ids
}

/// Of a row: the peak, `ln Σ e^(z - peak)`, and `Σ |z - peak|` weighted by the probabilities.
fn log_sum(z: &[f64]) -> [f64; 3] {
    if z.iter().any(|z| z.is_nan()) {
        return [f64::NAN; 3];
    }
    let peak = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if peak == f64::NEG_INFINITY {
        return [0.0, f64::NEG_INFINITY, 0.0];
    }
    let sum: f64 = z.iter().map(|z| (z - peak).exp()).sum();
    let part = |z: &f64| if *z == f64::NEG_INFINITY { 0.0 } else { (peak - z) * (z - peak).exp() / sum };
    [peak, sum.ln(), z.iter().map(part).sum()]
}

pub struct CrossEntropy;
impl Op for CrossEntropy {
    const NAME: &'static str = "cross_entropy";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        Args::new::<Self>(vec![r.slice(rows * cols, 9.0), targets(rows, cols, r)], vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.ids.len()), stale(a.ids.len())]
    }
    called! {
        |s, a, [losses, lse], _| fulmen::cross_entropy_on(s, &a.x[0], &a.ids, a.size("cols"), losses, lse),
        parallel fulmen::parallel::cross_entropy_on(s, &a.x[0], &a.ids, a.size("cols"), losses, lse)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols");
        let row = |(z, t): (&[f64], &u32)| {
            if *t == IGNORED {
                return (copied(0.0), copied(0.0));
            }
            let [peak, sum, spread] = log_sum(z);
            let (at, mass) = (z[*t as usize], 1.0 + sum.abs() + spread);
            let loss = if sum == f64::NEG_INFINITY { f64::INFINITY } else { sum - (at - peak) };
            let loss = Want { value: loss, mass: mass + (at - peak).abs(), n: cols };
            (loss, Want { value: peak + sum, mass: mass + peak.abs(), n: cols })
        };
        let (losses, lse) = a.x[0].chunks(cols.max(1)).zip(&a.ids).map(row).unzip();
        vec![losses, lse]
    }
}

/// Settings in turn: plain, weights, smoothing, both, nothing of the target. Inputs: the log-probabilities (or none), the
/// targets, the weights (or none).
fn likelihood<T: Element, O: Op>(
    mut x: Vec<Vec<T>>,
    rows: usize,
    cols: usize,
    r: &mut Noise,
    p: &[f64],
) -> Args<T> {
    let turn = (rows + 2 * cols) % 5;
    x.push(targets(rows, cols, r));
    x.push(if turn % 2 == 1 { r.positive(cols, 2.0) } else { vec![] });
    let smoothing = [0.0, 0.0, 0.25, 0.125, 1.0][turn];
    let p = [&[smoothing], p].concat().into_iter().map(T::from_f64).collect();
    Args::new::<O>(x, p, &[("cols", cols), ("weighted", turn % 2)])
}

/// The weights, where there are some.
pub fn class_weights<'a, T: Element>(a: &Args<T>, weights: &'a [T]) -> Option<&'a [T]> {
    (a.size("weighted") == 1).then_some(weights)
}

pub struct NegativeLog;
impl Op for NegativeLog {
    const NAME: &'static str = "nll";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let x = r.positive::<T>(rows * cols, 9.0).iter().map(|x| -*x).collect();
        likelihood::<T, Self>(vec![x], rows, cols, r, &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.ids.len())]
    }
    called! {
        |s, a, [losses], _| fulmen::nll_on(s, class_weights(a, &a.x[2]), a.p[0], &a.x[0], &a.ids, a.size("cols"), losses),
        parallel fulmen::parallel::nll_on(s, class_weights(a, &a.x[2]), a.p[0], &a.x[0], &a.ids, a.size("cols"), losses)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (cols, smoothing) = (a.size("cols"), a.p[0]);
        let weight = |k: usize| if a.size("weighted") == 1 { a.x[2][k] } else { 1.0 };
        let row = |(x, t): (&[f64], &u32)| {
            if *t == IGNORED {
                return copied(0.0);
            }
            let t = *t as usize;
            let own = if smoothing == 1.0 { 0.0 } else { -(1.0 - smoothing) * weight(t) * x[t] };
            // What is spread evenly is not asked for when there is nothing to spread.
            let spread =
                |k: usize| if smoothing == 0.0 { 0.0 } else { -smoothing / cols as f64 * weight(k) * x[k] };
            let value = own + (0..cols).map(spread).sum::<f64>();
            let mass = own.abs() + (0..cols).map(|k| spread(k).abs()).sum::<f64>();
            Want { value, mass, n: cols }
        };
        vec![a.x[0].chunks(cols.max(1)).zip(&a.ids).map(row).collect()]
    }
}

pub struct NegativeLogBackward;
impl Op for NegativeLogBackward {
    const NAME: &'static str = "nll_backward";
    const IDS: Option<usize> = Some(0);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        likelihood::<T, Self>(vec![], rows, cols, r, &[0.75])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.ids.len() * a.size("cols").min(1 << 20))]
    }
    called! {
        |s, a, [dx], _| fulmen::nll_backward_on(s, class_weights(a, &a.x[1]), a.p[0], &a.ids, a.size("cols"), a.p[1], dx),
        parallel fulmen::parallel::nll_backward_on(s, class_weights(a, &a.x[1]), a.p[0], &a.ids, a.size("cols"), a.p[1], dx)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (cols, smoothing, scale) = (a.size("cols"), a.p[0], a.p[1]);
        let weight = |k: usize| if a.size("weighted") == 1 { a.x[1][k] } else { 1.0 };
        let row = |t: &u32| -> Vec<Want> {
            let each = |k: usize| {
                if *t == IGNORED {
                    return copied(0.0);
                }
                let own = if k == *t as usize { -(1.0 - smoothing) * weight(k) * scale } else { 0.0 };
                let spread =
                    if smoothing == 0.0 { 0.0 } else { -smoothing / cols as f64 * weight(k) * scale };
                Want { value: own + spread, mass: own.abs() + spread.abs(), n: 1 }
            };
            (0..cols).map(each).collect()
        };
        vec![a.ids.iter().flat_map(row).collect()]
    }
}

pub struct CrossEntropyBackward;
impl Op for CrossEntropyBackward {
    const NAME: &'static str = "cross_entropy_backward";
    const IDS: Option<usize> = Some(1);
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let z = r.slice::<T>(rows * cols, 9.0);
        let wide: Vec<f64> = z.iter().map(|z| z.to_f64()).collect();
        let lse = wide.chunks(cols).map(|z| T::from_f64(log_sum(z)[0] + log_sum(z)[1])).collect();
        Args::new::<Self>(vec![z, targets(rows, cols, r), lse], vec![T::from_f64(0.75)], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    fn follow<T: Element>(a: &mut Args<T>) {
        let (mut losses, mut lse) = (stale::<T>(a.ids.len()), stale::<T>(a.ids.len()));
        fulmen::cross_entropy(&a.x[0], &a.ids, a.size("cols"), &mut losses, &mut lse).unwrap();
        a.x[2] = lse;
    }
    called! {
        |s, a, [dz], _| fulmen::cross_entropy_backward_on(s, &a.x[0], &a.ids, &a.x[2], a.size("cols"), a.p[0], dz),
        parallel fulmen::parallel::cross_entropy_backward_on(
            s, &a.x[0], &a.ids, &a.x[2], a.size("cols"), a.p[0], dz
        ),
        in_place {
            // With another length of the output, this form is not the same call.
            if dz.len() != a.x[0].len() {
                return None;
            }
            dz.copy_from_slice(&a.x[0]);
            let over = fulmen::cross_entropy_backward_in_place_on(s, dz, &a.ids, &a.x[2], a.size("cols"), a.p[0]);
            if over.is_err() {
                let same = dz.iter().zip(&a.x[0]).all(|(y, x)| y.to_f64().to_bits() == x.to_f64().to_bits());
                assert!(same, "wrote, and then refused");
                dz.fill(T::from_f64(STALE));
            }
            Some(over)
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (cols, scale) = (a.size("cols"), a.p[0]);
        let row = |((z, t), lse): ((&[f64], &u32), &f64)| -> Vec<Want> {
            let one = |k: usize| {
                if *t == IGNORED {
                    return copied(0.0);
                }
                let t = if k == *t as usize { 1.0 } else { 0.0 };
                let shift = if *lse == f64::NEG_INFINITY { 0.0 } else { *lse };
                let p = (z[k] - shift).exp();
                let mass = if p == 0.0 { t } else { p * (1.0 + (z[k] - shift).abs()) + t };
                Want { value: (p - t) * scale, mass: (mass * scale).abs(), n: 1 }
            };
            (0..z.len()).map(one).collect()
        };
        vec![a.x[0].chunks(cols.max(1)).zip(&a.ids).zip(&a.x[2]).flat_map(row).collect()]
    }
    fn loss(a: &Args<f64>) -> f64 {
        let rows = a.ids.len();
        let (mut losses, mut lse) = (vec![0.0; rows], vec![0.0; rows]);
        fulmen::cross_entropy(&a.x[0], &a.ids, a.size("cols"), &mut losses, &mut lse).unwrap();
        inner(&losses, &vec![a.p[0]; rows])
    }
}

pub struct CrossEntropyWithGradient;
impl Op for CrossEntropyWithGradient {
    const NAME: &'static str = "cross_entropy_with_gradient";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let x = vec![r.slice(rows * cols, 9.0), targets(rows, cols, r)];
        Args::new::<Self>(x, vec![T::from_f64(0.75)], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone(), stale(a.ids.len())]
    }
    called! {
        |s, a, [z, losses], _| fulmen::cross_entropy_with_gradient_on(s, z, &a.ids, a.size("cols"), a.p[0], losses),
        parallel fulmen::parallel::cross_entropy_with_gradient_on(s, z, &a.ids, a.size("cols"), a.p[0], losses)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (cols, scale) = (a.size("cols"), a.p[0]);
        let losses = CrossEntropy::want(a).swap_remove(0);
        let row = |(z, t): (&[f64], &u32)| -> Vec<Want> {
            let [peak, sum, spread] = log_sum(z);
            let lse = if sum == f64::NEG_INFINITY { 0.0 } else { peak + sum };
            let one = |k: usize| {
                if *t == IGNORED {
                    return copied(0.0);
                }
                let t = if k == *t as usize { 1.0 } else { 0.0 };
                let p = (z[k] - lse).exp();
                // The log-sum-exp is off by a share of its terms.
                let off = 2.0 + (z[k] - lse).abs() + sum.abs() + spread + peak.abs();
                let mass = if p == 0.0 { t } else { p * off + t };
                Want { value: (p - t) * scale, mass: (mass * scale).abs(), n: cols }
            };
            (0..z.len()).map(one).collect()
        };
        vec![a.x[0].chunks(cols.max(1)).zip(&a.ids).flat_map(row).collect(), losses]
    }
}

/// Elements in a row for each index; bounded, as sizes that are refused may be anything.
fn chosen<T>(a: &Args<T>) -> usize
where
    T: Element,
{
    a.ids.len().saturating_mul(a.size("cols")).min(1 << 17)
}

pub struct Embedding;
impl Op for Embedding {
    const NAME: &'static str = "embedding";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (table, ids) = (r.slice((rows + 2) * cols, 5.0), r.ids(rows, rows + 2));
        Args::new::<Self>(vec![table, ids], vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(chosen(a))]
    }
    called! {
        |s, a, [out], _| fulmen::embedding_on(s, &a.x[0], a.size("cols"), &a.ids, out),
        parallel fulmen::parallel::embedding_on(s, &a.x[0], a.size("cols"), &a.ids, out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols");
        let row = |i: &u32| a.x[0][*i as usize * cols..][..cols].iter().map(|x| copied(*x));
        vec![a.ids.iter().flat_map(row).collect()]
    }
}

/// Arguments for rows that go into a table.
fn into_table<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
    // Fewer places than rows: some indices are equal.
    let places = rows.div_ceil(2) + 1;
    let (x, ids, out) = (r.slice(rows * cols, 5.0), r.ids(rows, places), r.slice(places * cols, 5.0));
    Args::new::<O>(vec![x, ids, out], vec![], &[("cols", cols)])
}

pub struct Scatter;
impl Op for Scatter {
    const NAME: &'static str = "scatter";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        into_table::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    called! { |s, a, [out], _| fulmen::scatter_on(s, &a.x[0], a.size("cols"), &a.ids, out) }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols");
        let mut out: Vec<Want> = a.x[2].iter().map(|x| copied(*x)).collect();
        for (i, x) in a.ids.iter().zip(a.x[0].chunks(cols.max(1))) {
            let row = &mut out[*i as usize * cols..][..cols];
            row.iter_mut().zip(x).for_each(|(y, x)| *y = copied(*x));
        }
        vec![out]
    }
}

pub struct ScatterAdd;
impl Op for ScatterAdd {
    const NAME: &'static str = "scatter_add";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        into_table::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    called! { |s, a, [out], _| fulmen::scatter_add_on(s, &a.x[0], a.size("cols"), &a.ids, out) }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cols = a.size("cols");
        let mut out: Vec<Want> = a.x[2].iter().map(|x| copied(*x)).collect();
        for (i, x) in a.ids.iter().zip(a.x[0].chunks(cols.max(1))) {
            for (y, x) in out[*i as usize * cols..][..cols].iter_mut().zip(x) {
                *y = Want { value: y.value + x, mass: y.mass + x.abs(), n: y.n + 1 };
            }
        }
        vec![out]
    }
}

/// Its output is the index.
pub struct Sample;
impl Op for Sample {
    const NAME: &'static str = "sample";
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let p = [0.5 + (cols % 3) as f64 * 0.5, 0.6 + (cols % 5) as f64 * 0.1, 0.0].map(T::from_f64);
        let uniform = r.positive::<T>(1, 1.0)[0];
        let top_k = [0, 3, rows * cols / 2][cols % 3];
        Args::new::<Self>(vec![r.slice(rows * cols, 4.0)], vec![p[0], p[1], uniform], &[("top_k", top_k)])
    }
    fn before<T: Element>(_: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(1)]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::sample_workspace(a.x[0].len(), a.size("top_k"))
    }
    called! {
        |s, a, [out], w| {
            let with = fulmen::Sampling { temperature: a.p[0], top_k: a.size("top_k"), top_p: a.p[1] };
            // As many as the values, without an allocation in the call.
            let mut indices = [0; 1 << 16];
            let indices = &mut indices[..w.len()];
            fulmen::sample_on(s, &a.x[0], with, a.p[2], w, indices).map(|i| {
                if let Some(out) = out.first_mut() {
                    *out = T::from_usize(i);
                }
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (order, sums, draw) = Self::ranked(a);
        let chosen = sums.iter().position(|s| *s > draw).unwrap_or(0);
        vec![vec![copied(order[chosen] as f64)]]
    }
}

impl Sample {
    /// The indices in order of rank, the sums of their weights up to each, and the draw on the scale of these.
    fn ranked(a: &Args<f64>) -> (Vec<usize>, Vec<f64>, f64) {
        let (x, [temperature, top_p, uniform]) = (&a.x[0], [a.p[0], a.p[1], a.p[2]]);
        // Equal ones stay in order.
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|i, j| x[*j].partial_cmp(&x[*i]).unwrap());
        order.truncate(fulmen::sample_workspace(x.len(), a.size("top_k")));
        let one =
            |i: &usize| if temperature == 0.0 { 0.0 } else { ((x[*i] - x[order[0]]) / temperature).exp() };
        let p: Vec<f64> = order.iter().map(one).collect();
        let sums: Vec<f64> = p
            .iter()
            .scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            })
            .collect();
        let wanted = sums[sums.len() - 1] * top_p;
        let last = sums.iter().position(|s| *s >= wanted).unwrap();
        let draw = uniform * sums[last];
        (order, sums, draw)
    }

    /// Whether the draw chooses `index` when each sum is off by at most the share `off` of the whole.
    pub fn may_choose(a: &Args<f64>, index: usize, off: f64) -> bool {
        let (order, sums, draw) = Self::ranked(a);
        let rank = order.iter().position(|i| *i == index).unwrap();
        let (before, margin) = (if rank == 0 { 0.0 } else { sums[rank - 1] }, off * sums[sums.len() - 1]);
        before - margin <= draw && draw < sums[rank] + margin
    }
}
