//! Pooling: windows over planes and volumes.

use super::rows::inner;
use super::*;
use fulmen::Pool;

#[macro_export]
macro_rules! for_each_pool_op {
    ($cb:ident) => {
        $cb! {
            max_pool $crate::nn::pool::MaxPool, threads;
            max_pool_indices $crate::nn::pool::MaxPoolIndices, threads;
            max_pool_backward $crate::nn::pool::MaxPoolBackward, gradient, threads;
            avg_pool $crate::nn::pool::AvgPool, threads;
            avg_pool_backward $crate::nn::pool::AvgPoolBackward, gradient, threads;
        }
    };
}

pub fn pool<T: Element>(a: &Args<T>) -> Pool {
    // Planes, rows, columns; planes and what is not written of the others have a value that changes nothing.
    let or = |names: [&str; 3], other: [usize; 3]| [0, 1, 2].map(|d| a.get(names[d]).unwrap_or(other[d]));
    let all = |names: [&str; 3], planes: usize| or(names, [planes, a.size(names[1]), a.size(names[2])]);
    let padding = all(["pd", "ph", "pw"], 0);
    Pool {
        input: all(["d", "h", "w"], 1),
        kernel: all(["kd", "kh", "kw"], 1),
        stride: all(["sd", "sh", "sw"], 1),
        dilation: or(["dd", "dh", "dw"], [1; 3]),
        padding,
        padding_end: or(["ed", "eh", "ew"], padding),
        ceil: a.get("ceil").is_some(),
    }
}

pub fn counts_padding<T: Element>(a: &Args<T>) -> bool {
    a.get("count_padding").is_some()
}

/// Elements of a volume and windows of one, of sizes that may be anything.
fn sizes<T: Element>(a: &Args<T>) -> [usize; 2] {
    let pool = pool(a);
    let all = |sizes: [usize; 3]| sizes.into_iter().fold(1usize, usize::saturating_mul).clamp(1, 1 << 20);
    [all(pool.input), all(pool.output().unwrap_or([1; 3]))]
}

/// Three planes of `rows` and `cols`, or volumes of a few, and windows of any kind over them: `x` and `dy`.
fn sample<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
    let (dilated, depth) = (r.bits().is_multiple_of(2), 1 + r.bits() as usize % 5);
    let deep = rows * cols < 5000 && r.bits().is_multiple_of(2);
    let mut window = |n: usize| {
        // Short windows of a long line, and long ones.
        let long = if n > 256 { T::NAME == "f64" } else { r.bits().is_multiple_of(4) };
        let most = if long { n.min(300) } else { n.min(5) };
        let kernel = most - r.bits() as usize % most.min(40);
        // As far as they fit.
        let fits = if kernel > 1 && dilated { (n - 1) / (kernel - 1) } else { 1 };
        let dilation = 1 + r.bits() as usize % fits.clamp(1, 4);
        let mut padding = || (r.bits() as usize % ((kernel - 1) * dilation + 1)).min(4);
        let (before, behind) = (padding(), padding());
        [kernel, 1 + r.bits() as usize % 5, before, dilation, behind]
    };
    let ([kh, sh, ph, dh, eh], [kw, sw, pw, dw, ew]) = (window(rows), window(cols));
    let [kd, sd, pd, dd, ed] = window(depth);
    let mut n = vec![("h", rows), ("w", cols), ("kh", kh), ("kw", kw), ("sh", sh), ("sw", sw), ("ph", ph)];
    n.push(("pw", pw));
    if deep {
        n.extend([("d", depth), ("kd", kd), ("sd", sd), ("pd", pd)]);
    }
    if dilated {
        n.extend([("dh", dh), ("dw", dw)]);
        n.extend(deep.then_some(("dd", dd)));
    }
    if !r.bits().is_multiple_of(4) {
        n.extend([("eh", eh), ("ew", ew)]);
        n.extend(deep.then_some(("ed", ed)));
    }
    if r.bits().is_multiple_of(2) {
        n.push(("ceil", 1));
    }
    if r.bits().is_multiple_of(2) && O::NAME.starts_with("avg") {
        n.push(("count_padding", 1));
    }
    let mut a = Args::new::<O>(vec![], vec![], &n);
    let [area, cells] = sizes(&a);
    a.x = match O::NAME {
        "max_pool_backward" => vec![r.slice(3 * area, 4.0), r.slice(3 * cells, 2.0)],
        "avg_pool_backward" => vec![r.slice(3 * cells, 2.0)],
        // Half of them with equal elements, and with zeros of both signs.
        "max_pool_indices" if !r.bits().is_multiple_of(2) => {
            vec![r.slice::<T>(3 * area, 2.5).iter().map(|x| T::from_f64(x.to_f64().round())).collect()]
        }
        _ => vec![r.slice(3 * area, 4.0)],
    };
    a
}

/// Every place in a box of these sizes, row by row.
fn places(sizes: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [planes, rows, cols] = sizes;
    (0..planes).flat_map(move |k| (0..rows).flat_map(move |i| (0..cols).map(move |j| [k, i, j])))
}

/// The elements of each window of a volume, in order.
fn windows(p: Pool) -> Vec<Vec<usize>> {
    let one = |w: [usize; 3]| {
        let element = |t: [usize; 3]| {
            let place = |d: usize| (w[d] * p.stride[d] + t[d] * p.dilation[d]).checked_sub(p.padding[d]);
            let inside = |d: usize| place(d).filter(|at| *at < p.input[d]);
            Some((inside(0)? * p.input[1] + inside(1)?) * p.input[2] + inside(2)?)
        };
        places(p.kernel).filter_map(element).collect()
    };
    places(p.output().unwrap()).map(one).collect()
}

/// What `f` makes of each window of each volume.
fn over(a: &Args<f64>, f: impl Fn(usize, &[f64]) -> Want) -> Vec<Vec<Want>> {
    let (area, windows) = (sizes(a)[0], windows(pool(a)));
    let one = |x: &[f64], (at, w): (usize, &Vec<usize>)| f(at, &w.iter().map(|i| x[*i]).collect::<Vec<_>>());
    vec![a.x[0].chunks(area).flat_map(|x| windows.iter().enumerate().map(move |w| one(x, w))).collect()]
}

/// Elements that window `at` of a volume counts, which has `inside` in the volume.
fn counted(a: &Args<f64>, at: usize, inside: usize) -> f64 {
    let p = pool(a);
    if !counts_padding(a) {
        return inside as f64;
    }
    let along = |(d, at): (usize, usize)| {
        let end = p.input[d] + p.padding[d] + p.padding_end[d];
        (0..p.kernel[d]).filter(|k| at * p.stride[d] + k * p.dilation[d] < end).count()
    };
    let window = places(p.output().unwrap()).nth(at).unwrap();
    window.into_iter().enumerate().map(along).product::<usize>() as f64
}

/// `dx` from what each window adds to its elements: to one of them, or with `None` to all.
fn gradient(
    a: &Args<f64>,
    planes: usize,
    share: impl Fn(usize, &[usize]) -> (Option<usize>, f64),
) -> Vec<Want> {
    let (area, windows) = (sizes(a)[0], windows(pool(a)));
    let mut dx = vec![Want { value: 0.0, mass: 0.0, n: 0 }; planes * area];
    for c in 0..planes {
        for (k, window) in windows.iter().enumerate() {
            let (one, add) = share(c * windows.len() + k, window);
            for i in window.iter().filter(|i| one.is_none_or(|one| one == **i)) {
                let at = &mut dx[c * area + i];
                *at = Want { value: at.value + add, mass: at.mass + add.abs(), n: at.n + 1 };
            }
        }
    }
    dx
}

pub struct MaxPool;
impl Op for MaxPool {
    const NAME: &'static str = "max_pool";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [area, cells] = sizes(a);
        vec![stale((a.x[0].len() / area).saturating_mul(cells).min(1 << 21))]
    }
    called! {
        |s, a, [out], _| fulmen::max_pool_on(s, &a.x[0], pool(a), out),
        parallel fulmen::parallel::max_pool_on(s, &a.x[0], pool(a), out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        over(a, |_, x| {
            let larger = |a: f64, b: &f64| {
                let first = a.is_nan() || a > *b || (a == *b && !a.is_sign_negative());
                if first { a } else { *b }
            };
            copied(x.iter().fold(f64::NEG_INFINITY, larger))
        })
    }
}

/// The integers that `f` writes, as numbers.
pub fn as_numbers<T: Element, E>(to: &mut [T], f: impl FnOnce(&mut [u32]) -> Result<(), E>) -> Result<(), E> {
    let mut own = vec![u32::MAX; to.len() + 2];
    let last = to.len() + 1;
    let done = f(&mut own[1..last]);
    let kept = if done.is_ok() { [own[0], own[last]].to_vec() } else { own.clone() };
    assert!(kept.iter().all(|i| *i == u32::MAX), "an index was written that is none of the result");
    if done.is_ok() {
        to.iter_mut().zip(&own[1..]).for_each(|(to, i)| *to = T::from_usize(*i as usize));
    }
    done
}

/// The first of the largest elements of a window of `x`, or its first NaN.
fn first_largest(x: &[f64], window: &[usize]) -> usize {
    let beyond = |a: usize, b: usize| (x[b].is_nan() && !x[a].is_nan()) || x[b] > x[a];
    window.iter().copied().reduce(|a, b| if beyond(a, b) { b } else { a }).unwrap()
}

pub struct MaxPoolIndices;
impl Op for MaxPoolIndices {
    const NAME: &'static str = "max_pool_indices";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [out] = MaxPool::before(a).try_into().unwrap();
        vec![out.clone(), out]
    }
    called! {
        |s, a, [out, to], _| {
            as_numbers(to, |to| fulmen::max_pool_indices_on(s, &a.x[0], pool(a), out, to))
        },
        parallel as_numbers(to, |to| fulmen::parallel::max_pool_indices_on(s, &a.x[0], pool(a), out, to))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (area, windows) = (sizes(a)[0], windows(pool(a)));
        let planes = a.x[0].chunks(area);
        let found = planes.flat_map(|x| windows.iter().map(move |w| (x, first_largest(x, w))));
        let (out, indices) = found.map(|(x, at)| (copied(x[at]), copied(at as f64))).unzip();
        vec![out, indices]
    }
}

pub struct MaxPoolBackward;
impl Op for MaxPoolBackward {
    const NAME: &'static str = "max_pool_backward";
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 0)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [dx], _| fulmen::max_pool_backward_on(s, &a.x[0], &a.x[1], pool(a), dx),
        parallel fulmen::parallel::max_pool_backward_on(s, &a.x[0], &a.x[1], pool(a), dx)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (x, area, cells) = (&a.x[0], sizes(a)[0], sizes(a)[1]);
        let share = |at: usize, window: &[usize]| {
            (Some(first_largest(&x[at / cells * area..][..area], window)), a.x[1][at])
        };
        vec![gradient(a, x.len() / area, share)]
    }
    fn point(a: &Args<f64>) -> Args<f64> {
        // No step brings another element above the largest one.
        let mut a = a.clone();
        a.x[0].iter_mut().for_each(|x| *x *= 1e4);
        a
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[1].len()];
        fulmen::max_pool(&a.x[0], pool(a), &mut y).unwrap();
        inner(&y, &a.x[1])
    }
}

pub struct AvgPool;
impl Op for AvgPool {
    const NAME: &'static str = "avg_pool";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [area, cells] = sizes(a);
        vec![stale((a.x[0].len() / area).saturating_mul(cells).min(1 << 21))]
    }
    called! {
        |s, a, [out], _| fulmen::avg_pool_on(s, &a.x[0], pool(a), counts_padding(a), out),
        parallel fulmen::parallel::avg_pool_on(s, &a.x[0], pool(a), counts_padding(a), out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        over(a, |at, x| {
            let n = counted(a, at, x.len());
            let mass: f64 = x.iter().map(|x| x.abs()).sum();
            Want { value: (x.iter().sum::<f64>() + 0.0) / n, mass: mass / n, n: x.len() }
        })
    }
}

pub struct AvgPoolBackward;
impl Op for AvgPoolBackward {
    const NAME: &'static str = "avg_pool_backward";
    // The mean is linear: any input of the shape will do, and `dy` is one, of another pooling.
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 1)];
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        sample::<T, Self>(rows, cols, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [area, cells] = sizes(a);
        vec![stale((a.x[0].len() / cells).saturating_mul(area).min(1 << 21))]
    }
    called! {
        |s, a, [dx], _| fulmen::avg_pool_backward_on(s, &a.x[0], pool(a), counts_padding(a), dx),
        parallel fulmen::parallel::avg_pool_backward_on(s, &a.x[0], pool(a), counts_padding(a), dx)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let cells = sizes(a)[1];
        let share = |at: usize, window: &[usize]| (None, a.x[0][at] / counted(a, at % cells, window.len()));
        vec![gradient(a, a.x[0].len() / sizes(a)[1], share)]
    }
    fn point(a: &Args<f64>) -> Args<f64> {
        let mut a = a.clone();
        let [area, cells] = sizes(&a);
        a.x.push(Noise(5).slice(a.x[0].len() / cells * area, 3.0));
        a
    }
    fn loss(a: &Args<f64>) -> f64 {
        let mut y = vec![0.0; a.x[0].len()];
        fulmen::avg_pool(&a.x[1], pool(a), counts_padding(a), &mut y).unwrap();
        inner(&y, &a.x[0])
    }
}
