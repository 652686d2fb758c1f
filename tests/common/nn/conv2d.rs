//! Convolution of planes.

use super::rows::inner;
use super::*;
use fulmen::Conv2d;

#[macro_export]
macro_rules! for_each_conv2d_op {
    ($cb:ident) => {
        $cb! {
            conv2d $crate::nn::conv2d::Forward, threads;
            conv2d_backward_input $crate::nn::conv2d::BackwardInput, gradient, threads;
            conv2d_backward_weights $crate::nn::conv2d::BackwardWeights, gradient, threads;
        }
    };
}

pub fn conv<T: Element>(a: &Args<T>) -> Conv2d {
    let [channels_in, channels_out, height, width, groups] =
        ["ci", "co", "height", "width", "groups"].map(|name| a.size(name));
    let pair = |names: [&str; 2]| names.map(|name| a.size(name));
    Conv2d {
        channels_in,
        channels_out,
        height,
        width,
        kernel: pair(["kh", "kw"]),
        stride: pair(["sh", "sw"]),
        padding: [pair(["above", "below"]), pair(["left", "right"])],
        dilation: pair(["dh", "dw"]),
        groups,
    }
}

/// Elements of an image, of its result and of the weights, for sizes that may be anything.
fn sizes<T: Element>(a: &Args<T>) -> [usize; 3] {
    let c = conv(a);
    let [rows, cols] = c.output().unwrap_or([1; 2]);
    let [kh, kw] = c.kernel;
    let product = |of: &[usize]| of.iter().fold(1, |all: usize, n| all.saturating_mul(*n));
    let per = c.channels_in.checked_div(c.groups).unwrap_or(1);
    let sizes = [
        product(&[c.channels_in, c.height, c.width]),
        product(&[c.channels_out, rows, cols]),
        product(&[per, c.channels_out, kh, kw]),
    ];
    sizes.map(|n| n.clamp(1, 1 << 20))
}

fn scratch<T: Element>(a: &Args<T>) -> usize {
    // As for any number of threads; bounded where sizes may be anything.
    fulmen::conv2d_workspace(conv(a)).min(1 << 22)
}

/// Two images of planes of about `cols` elements: `x`, the weights and `dy` of a call.
fn sample<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> (Args<T>, [Vec<T>; 3]) {
    let groups = 1 + r.bits() as usize % 3;
    // Groups of a plane and of more; now and then so many filters of one plane that they are a product.
    let (mut ci, mut co) = ([1, 2, 5][r.bits() as usize % 3], 1 + (rows + r.bits() as usize) % 3);
    if cols < 50 && r.bits().is_multiple_of(4) {
        (ci, co) = (1, 40);
    }
    // Planes of few rows and of few columns, and squares.
    let most = (1..=cols).rev().find(|n| n * n <= cols).unwrap_or(1);
    let height = [1, most, 1 + r.bits() as usize % most][r.bits() as usize % 3];
    let plane = [height, (cols / height).max(1)];
    let plane = if r.bits().is_multiple_of(2) { plane } else { [plane[1], plane[0]] };
    // A single weight, nine as in networks, or any.
    let kernel = match r.bits() % 4 {
        0 => [1; 2],
        1 => [3; 2],
        _ => [(); 2].map(|()| 1 + r.bits() as usize % 4),
    };
    let near = r.bits().is_multiple_of(2);
    let [stride, dilation] =
        [3, 2].map(|most| [(); 2].map(|()| if near { 1 } else { 1 + r.bits() as usize % most }));
    let bare = r.bits().is_multiple_of(3);
    let padding: [[usize; 2]; 2] = std::array::from_fn(|k| {
        let span = (kernel[k] - 1) * dilation[k];
        // As much as the filter needs, uneven.
        let all = span.saturating_sub(plane[k] - 1);
        let all = if bare { all } else { all + r.bits() as usize % 5 };
        let before = r.bits() as usize % (all + 1);
        [before, all - before]
    });
    let [[above, below], [left, right]] = padding;
    let n = [
        ("ci", ci * groups),
        ("co", co * groups),
        ("height", plane[0]),
        ("width", plane[1]),
        ("kh", kernel[0]),
        ("kw", kernel[1]),
        ("sh", stride[0]),
        ("sw", stride[1]),
        ("above", above),
        ("below", below),
        ("left", left),
        ("right", right),
        ("dh", dilation[0]),
        ("dw", dilation[1]),
        ("groups", groups),
    ];
    let a = Args::new::<O>(vec![], vec![], &n);
    let [image, result, weights] = sizes(&a);
    let all = [r.slice(2 * image, 2.0), r.slice(weights, 1.0), r.slice(2 * result, 2.0)];
    (a, all)
}

/// `f` on each product of the convolution: the elements of the result, of the weights and of the input.
pub fn each(c: Conv2d, images: usize, mut f: impl FnMut(usize, usize, usize)) {
    let ([rows, cols], [kh, kw]) = (c.output().unwrap(), c.kernel);
    let (ci, co) = (c.channels_in / c.groups, c.channels_out / c.groups);
    // The element that a weight meets along a direction, if any.
    let met = |k: usize, place: usize, weight: usize, n: usize| {
        let at = (place * c.stride[k] + weight * c.dilation[k]).checked_sub(c.padding[k][0]);
        at.filter(|at| *at < n)
    };
    for b in 0..images {
        for o in 0..c.channels_out {
            for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
                for (channel, p) in (0..ci).flat_map(|c| (0..kh).map(move |p| (c, p))) {
                    let Some(row) = met(0, i, p, c.height) else { continue };
                    let plane = b * c.channels_in + o / co * ci + channel;
                    for q in 0..kw {
                        if let Some(column) = met(1, j, q, c.width) {
                            let y = ((b * c.channels_out + o) * rows + i) * cols + j;
                            let w = ((o * ci + channel) * kh + p) * kw + q;
                            f(y, w, (plane * c.height + row) * c.width + column);
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

fn loss(c: Conv2d, x: &[f64], w: &[f64], bias: &[f64], dy: &[f64]) -> f64 {
    let (mut y, mut scratch) = (vec![0.0; dy.len()], vec![0.0; fulmen::conv2d_workspace(c)]);
    fulmen::conv2d(c, x, w, optional(bias), &mut y, &mut scratch).unwrap();
    inner(&y, dy)
}

pub struct Forward;
impl Op for Forward {
    const NAME: &'static str = "conv2d";
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
        |s, a, [out], w| fulmen::conv2d_on(s, conv(a), &a.x[0], &a.x[1], optional(&a.x[2]), out, w),
        parallel fulmen::parallel::conv2d_on(s, conv(a), &a.x[0], &a.x[1], optional(&a.x[2]), out, w)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (c, [image, result, _]) = (conv(a), sizes(a));
        let images = a.x[0].len() / image;
        let n = c.output().unwrap().iter().product::<usize>();
        let bias = |at: usize| a.x[2].get(at / n % c.channels_out).copied().unwrap_or(0.0);
        let mut out: Vec<Want> = (0..images * result).map(|at| copied(bias(at))).collect();
        each(c, images, |y, w, x| add(&mut out[y], a.x[1][w] * a.x[0][x]));
        vec![out]
    }
}

pub struct BackwardInput;
impl Op for BackwardInput {
    const NAME: &'static str = "conv2d_backward_input";
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
        |s, a, [dx], w| fulmen::conv2d_backward_input_on(s, conv(a), &a.x[0], &a.x[1], dx, w),
        parallel fulmen::parallel::conv2d_backward_input_on(s, conv(a), &a.x[0], &a.x[1], dx, w)
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
    const NAME: &'static str = "conv2d_backward_weights";
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
            fulmen::conv2d_backward_weights_on(s, conv(a), &a.x[0], &a.x[1], dw, db, w)
        },
        parallel {
            let db = (!db.is_empty()).then_some(&mut **db);
            fulmen::parallel::conv2d_backward_weights_on(s, conv(a), &a.x[0], &a.x[1], dw, db, w)
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (c, [image, result, _]) = (conv(a), sizes(a));
        let n: usize = c.output().unwrap().iter().product();
        let images = a.x[0].len() / image;
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
