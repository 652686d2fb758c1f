//! Convolution along lines.

use super::rows::inner;
use super::*;
use fulmen::Conv1d;

#[macro_export]
macro_rules! for_each_conv_op {
    ($cb:ident) => {
        $cb! {
            conv1d $crate::nn::conv1d::Forward, threads;
            conv1d_backward_input $crate::nn::conv1d::BackwardInput, gradient, threads;
            conv1d_backward_weights $crate::nn::conv1d::BackwardWeights, gradient, threads;
        }
    };
}

pub fn conv<T: Element>(a: &Args<T>) -> Conv1d {
    let [channels_in, channels_out, length, kernel, stride, padding, dilation, groups] =
        ["ci", "co", "length", "kernel", "stride", "padding", "dilation", "groups"].map(|name| a.size(name));
    Conv1d { channels_in, channels_out, length, kernel, stride, padding, dilation, groups }
}

/// Elements of an image, of its result and of the weights, for sizes that may be anything.
fn sizes<T: Element>(a: &Args<T>) -> [usize; 3] {
    let c = conv(a);
    let n = c.output().unwrap_or(1);
    let weights = c.channels_in.checked_div(c.groups).unwrap_or(1).saturating_mul(c.channels_out);
    let sizes = [
        c.channels_in.saturating_mul(c.length),
        c.channels_out.saturating_mul(n),
        weights.saturating_mul(c.kernel),
    ];
    sizes.map(|n| n.clamp(1, 1 << 20))
}

fn scratch<T: Element>(a: &Args<T>) -> usize {
    // As for any number of threads; bounded where sizes may be anything.
    fulmen::conv1d_workspace(conv(a)).min(1 << 22)
}

/// Two images of lines of `cols` elements: `x`, the weights and `dy` of a call.
fn sample<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> (Args<T>, [Vec<T>; 3]) {
    let groups = 1 + r.bits() as usize % 3;
    // Groups of a line, of fewer and of more lines than the filter has taps.
    let [ci, co] = [[1, 2, 5][r.bits() as usize % 3], 1 + (rows + r.bits() as usize) % 3];
    let kernel = 1 + r.bits() as usize % 7;
    let (stride, dilation) = (1 + r.bits() as usize % 3, 1 + r.bits() as usize % 2);
    // Past what a byte counts, in long lines.
    let stride =
        if cols > 600 && r.bits().is_multiple_of(2) { 257 + r.bits() as usize % 300 } else { stride };
    let span = (kernel - 1) * dilation;
    let fewest = span.saturating_sub(cols - 1).div_ceil(2);
    let padding = fewest + r.bits() as usize % 3;
    let n = [
        ("ci", ci * groups),
        ("co", co * groups),
        ("length", cols),
        ("kernel", kernel),
        ("stride", if r.bits().is_multiple_of(2) { 1 } else { stride }),
        ("padding", padding),
        ("dilation", dilation),
        ("groups", groups),
    ];
    let a = Args::new::<O>(vec![], vec![], &n);
    let [image, result, weights] = sizes(&a);
    let all = [r.slice(2 * image, 2.0), r.slice(weights, 1.0), r.slice(2 * result, 2.0)];
    (a, all)
}

/// `f` on each product of the convolution: the elements of the result, of the weights and of the input.
fn each(c: Conv1d, images: usize, mut f: impl FnMut(usize, usize, usize)) {
    let (n, ci, co) = (c.output().unwrap(), c.channels_in / c.groups, c.channels_out / c.groups);
    for b in 0..images {
        for o in 0..c.channels_out {
            for l in 0..n {
                for i in 0..ci {
                    for k in 0..c.kernel {
                        let at = (l * c.stride + k * c.dilation).checked_sub(c.padding);
                        if let Some(at) = at.filter(|at| *at < c.length) {
                            let channel = b * c.channels_in + o / co * ci + i;
                            let y = (b * c.channels_out + o) * n + l;
                            f(y, (o * ci + i) * c.kernel + k, channel * c.length + at);
                        }
                    }
                }
            }
        }
    }
}

fn add(to: &mut Want, value: f64) {
    *to = Want { value: to.value + value, mass: to.mass + value.abs(), n: to.n + 1 };
}

/// The bias of an input, which may be none.
fn optional<T>(x: &[T]) -> Option<&[T]> {
    (!x.is_empty()).then_some(x)
}

fn loss(c: Conv1d, x: &[f64], w: &[f64], bias: &[f64], dy: &[f64]) -> f64 {
    let (mut y, mut scratch) = (vec![0.0; dy.len()], vec![0.0; fulmen::conv1d_workspace(c)]);
    fulmen::conv1d(c, x, w, optional(bias), &mut y, &mut scratch).unwrap();
    inner(&y, dy)
}

pub struct Forward;
impl Op for Forward {
    const NAME: &'static str = "conv1d";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (a, [x, w, _]) = sample::<T, Self>(rows, cols, r);
        let bias = if r.bits().is_multiple_of(4) { vec![] } else { r.slice(a.size("co"), 3.0) };
        Args { x: vec![x, w, bias], ..a }
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [image, result, _] = sizes(a);
        vec![stale((a.x[0].len() / image).saturating_mul(result).min(1 << 21))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(a)
    }
    called! {
        |s, a, [out], w| fulmen::conv1d_on(s, conv(a), &a.x[0], &a.x[1], optional(&a.x[2]), out, w),
        parallel fulmen::parallel::conv1d_on(s, conv(a), &a.x[0], &a.x[1], optional(&a.x[2]), out, w)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (c, [image, result, _]) = (conv(a), sizes(a));
        let images = a.x[0].len() / image;
        let n = c.output().unwrap();
        let bias = |at: usize| a.x[2].get(at / n % c.channels_out).copied().unwrap_or(0.0);
        let mut out: Vec<Want> = (0..images * result).map(|at| copied(bias(at))).collect();
        each(c, images, |y, w, x| add(&mut out[y], a.x[1][w] * a.x[0][x]));
        vec![out]
    }
}

pub struct BackwardInput;
impl Op for BackwardInput {
    const NAME: &'static str = "conv1d_backward_input";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 2)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (a, [_, w, dy]) = sample::<T, Self>(rows, cols, r);
        Args { x: vec![dy, w], ..a }
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [image, result, _] = sizes(a);
        vec![stale((a.x[0].len() / result).saturating_mul(image).min(1 << 21))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(a)
    }
    called! {
        |s, a, [dx], w| fulmen::conv1d_backward_input_on(s, conv(a), &a.x[0], &a.x[1], dx, w),
        parallel fulmen::parallel::conv1d_backward_input_on(s, conv(a), &a.x[0], &a.x[1], dx, w)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (c, [image, result, _]) = (conv(a), sizes(a));
        let images = a.x[0].len() / result;
        let mut dx = vec![Want { value: 0.0, mass: 0.0, n: 1 }; images * image];
        each(c, images, |y, w, x| add(&mut dx[x], a.x[1][w] * a.x[0][y]));
        vec![dx]
    }
    fn point(a: &Args<f64>) -> Args<f64> {
        // The op is linear: any input of the shape will do.
        let [image, result, _] = sizes(a);
        let mut a = a.clone();
        a.x.push(Noise(5).slice(a.x[0].len() / result * image, 3.0));
        a
    }
    fn loss(a: &Args<f64>) -> f64 {
        loss(conv(a), &a.x[2], &a.x[1], &[], &a.x[0])
    }
}

pub struct BackwardWeights;
impl Op for BackwardWeights {
    const NAME: &'static str = "conv1d_backward_weights";
    // The op is linear: any weights of the shape will do, and the last inputs have it.
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 2), (1, 3)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (a, [x, w, dy]) = sample::<T, Self>(rows, cols, r);
        let bias = r.slice(a.size("co"), 3.0);
        Args { x: vec![x, dy, w, bias], ..a }
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone(), a.x[3].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(a)
    }
    called! {
        |s, a, [dw, db], w| {
            let db = (!db.is_empty()).then_some(&mut **db);
            fulmen::conv1d_backward_weights_on(s, conv(a), &a.x[0], &a.x[1], dw, db, w)
        },
        parallel {
            let db = (!db.is_empty()).then_some(&mut **db);
            fulmen::parallel::conv1d_backward_weights_on(s, conv(a), &a.x[0], &a.x[1], dw, db, w)
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (c, [image, result, _]) = (conv(a), sizes(a));
        let (images, n) = (a.x[0].len() / image, c.output().unwrap());
        let [mut dw, mut db] = [2, 3].map(|i| a.x[i].iter().map(|x| copied(*x)).collect::<Vec<_>>());
        each(c, images, |y, w, x| add(&mut dw[w], a.x[0][x] * a.x[1][y]));
        for at in 0..images * result {
            if let Some(db) = db.get_mut(at / n % c.channels_out) {
                add(db, a.x[1][at]);
            }
        }
        vec![dw, db]
    }
    fn loss(a: &Args<f64>) -> f64 {
        loss(conv(a), &a.x[0], &a.x[2], &a.x[3], &a.x[1])
    }
}
