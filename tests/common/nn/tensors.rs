//! Tensors with more around them, and elements of an axis by indices: one index of the result after the other.

use super::*;
use fulmen::Pad;

#[macro_export]
macro_rules! for_each_tensor_op {
    ($cb:ident) => {
        $cb! {
            pad $crate::nn::tensors::Padded, threads;
            gather $crate::nn::tensors::Gathered, threads;
            gather_elements $crate::nn::tensors::GatheredElements, threads;
            scatter_add_elements $crate::nn::tensors::ScatteredElements, threads;
        }
    };
}

/// The sizes of these names: axes that are not there are of one element. Nothing here allocates, as the calls of the op may not.
fn sizes<T: Element>(a: &Args<T>, names: [&str; 3], missing: usize) -> [usize; 3] {
    names.map(|name| a.get(name).unwrap_or(missing))
}

pub fn shape<T: Element>(a: &Args<T>) -> [usize; 3] {
    sizes(a, ["d0", "d1", "d2"], 1)
}

pub fn padding<T: Element>(a: &Args<T>) -> [[usize; 2]; 3] {
    let (before, after) = (sizes(a, ["b0", "b1", "b2"], 0), sizes(a, ["a0", "a1", "a2"], 0));
    std::array::from_fn(|k| [before[k], after[k]])
}

/// As many axes as the option says.
pub fn axes<T: Element>(a: &Args<T>) -> usize {
    a.get("axes").unwrap_or(3).min(3)
}

pub fn with<T: Element>(a: &Args<T>) -> Pad<T> {
    match a.size("with") {
        0 => Pad::Constant(a.p[0]),
        1 => Pad::Edge,
        2 => Pad::Reflect,
        _ => Pad::Wrap,
    }
}

/// The place in a period that place `i` of an axis of `n` shows, which begins `before` behind it.
fn shown(i: usize, n: usize, before: usize, with: usize) -> Option<usize> {
    let at = i as i128 - before as i128;
    let n = n as i128;
    let at = match with {
        0 if !(0..n).contains(&at) => return None,
        0 => at,
        1 => at.clamp(0, n - 1),
        // A mirror at both ends has a period of all but the ends, twice.
        2 if n > 1 => (n - 1) - (at.rem_euclid(2 * n - 2) - (n - 1)).abs(),
        _ => at.rem_euclid(n),
    };
    Some(at as usize)
}

/// The product, if it is no more than tests hold.
fn few(n: impl Iterator<Item = usize>) -> usize {
    n.fold(1, |all: usize, n| all.saturating_mul(n)).min(1 << 20)
}

pub struct Padded;
impl Op for Padded {
    const NAME: &'static str = "pad";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let with = r.bits() as usize % 4;
        let shape =
            [[rows, 3, cols], [rows, cols, 2], [2, rows, cols], [cols, rows, 4]][r.bits() as usize % 4];
        let mut n = vec![("with", with), ("axes", 3)];
        n.extend(["d0", "d1", "d2"].into_iter().zip(shape));
        for (name, size) in
            ["b0", "a0", "b1", "a1", "b2", "a2"].into_iter().zip(shape.map(|n| [n; 2]).concat())
        {
            // Long ones grow less: the product is what tests hold.
            let few = if shape.iter().product::<usize>() > 2000 { 2 } else { 9 };
            let most = [few, few, size - 1, size][with].min(few);
            // Some axes stay as they are, so that the last one that grows is any of them.
            n.push((name, if r.bits().is_multiple_of(2) { 0 } else { r.bits() as usize % (most + 1) }));
        }
        Args::new::<Self>(vec![r.slice(shape.iter().product(), 5.0)], r.slice(1, 5.0), &n)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let all = shape(a).into_iter().zip(padding(a)).take(axes(a));
        vec![stale(few(all.map(|(n, [b, e])| n.saturating_add(b).saturating_add(e))))]
    }
    called! {
        |s, a, [out], _| fulmen::pad_on(s, &a.x[0], &shape(a)[..axes(a)], &padding(a)[..axes(a)], with(a), out),
        parallel fulmen::parallel::pad_on(s, &a.x[0], &shape(a)[..axes(a)], &padding(a)[..axes(a)], with(a), out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, by) = (shape(a), padding(a));
        let all: [usize; 3] = std::array::from_fn(|k| n[k] + by[k][0] + by[k][1]);
        let mut out = vec![];
        let at = |k: usize, i: usize| shown(i, n[k], by[k][0], a.size("with"));
        for i in 0..all[0] {
            for j in 0..all[1] {
                for k in 0..all[2] {
                    let from = at(0, i).zip(at(1, j)).zip(at(2, k));
                    let value = from.map_or(a.p[0], |((i, j), k)| a.x[0][(i * n[1] + j) * n[2] + k]);
                    out.push(copied(value));
                }
            }
        }
        vec![out]
    }
}

pub struct Gathered;
impl Op for Gathered {
    const NAME: &'static str = "gather";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let axis = r.bits() as usize % 3;
        let shape =
            [[rows, 3, cols], [rows, cols, 1], [1, rows, cols], [cols, rows, 4]][r.bits() as usize % 4];
        let ids = r.ids((1 + rows + cols / 4).min(20), shape[axis]);
        let n = [("d0", shape[0]), ("d1", shape[1]), ("d2", shape[2]), ("axis", axis), ("axes", 3)];
        Args::new::<Self>(vec![r.slice(shape.iter().product(), 5.0), ids], vec![], &n)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let other = shape(a).into_iter().take(axes(a)).enumerate();
        let length = |(k, n)| if k == a.size("axis") { a.ids.len() } else { n };
        vec![stale(few(other.map(length)))]
    }
    called! {
        |s, a, [out], _| fulmen::gather_on(s, &a.x[0], &shape(a)[..axes(a)], a.size("axis"), &a.ids, out),
        parallel fulmen::parallel::gather_on(s, &a.x[0], &shape(a)[..axes(a)], a.size("axis"), &a.ids, out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, axis) = (shape(a), a.size("axis"));
        let mut all = n;
        all[axis] = a.ids.len();
        let mut out = vec![];
        for i in 0..all[0] {
            for j in 0..all[1] {
                for k in 0..all[2] {
                    let mut at = [i, j, k];
                    at[axis] = a.ids[at[axis]] as usize;
                    out.push(copied(a.x[0][(at[0] * n[1] + at[1]) * n[2] + at[2]]));
                }
            }
        }
        vec![out]
    }
}

/// A shape, and that of as many elements along one of its axes as there are indices.
fn beside<T: Element>(
    rows: usize,
    cols: usize,
    r: &mut Noise,
) -> (Vec<(&'static str, usize)>, usize, Vec<T>) {
    let axis = r.bits() as usize % 3;
    let shape = [[rows, 3, cols], [rows, cols, 1], [1, rows, cols], [cols, rows, 4]][r.bits() as usize % 4];
    // As many as there are, fewer, more.
    let many = [shape[axis], 1, 1 + shape[axis] / 2, shape[axis] + 3][r.bits() as usize % 4];
    let all = shape.iter().product::<usize>();
    let ids = r.ids(all / shape[axis] * many, shape[axis]);
    let n = vec![("d0", shape[0]), ("d1", shape[1]), ("d2", shape[2]), ("axis", axis), ("axes", 3)];
    (n, all, ids)
}

/// Which element of the tensor each index names.
fn named(a: &Args<f64>) -> Vec<usize> {
    let (n, axis) = (shape(a), a.size("axis"));
    let others: usize = (0..3).filter(|k| *k != axis).map(|k| n[k]).product();
    let mut all = n;
    all[axis] = a.ids.len() / others.max(1);
    let mut places = vec![];
    for i in 0..all[0] {
        for j in 0..all[1] {
            for k in 0..all[2] {
                let mut at = [i, j, k];
                at[axis] = a.ids[places.len()] as usize;
                places.push((at[0] * n[1] + at[1]) * n[2] + at[2]);
            }
        }
    }
    places
}

pub struct GatheredElements;
impl Op for GatheredElements {
    const NAME: &'static str = "gather_elements";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, all, ids) = beside(rows, cols, r);
        Args::new::<Self>(vec![r.slice(all, 5.0), ids], vec![], &n)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.ids.len())]
    }
    called! {
        |s, a, [out], _| fulmen::gather_elements_on(s, &a.x[0], &shape(a)[..axes(a)], a.size("axis"), &a.ids, out),
        parallel fulmen::parallel::gather_elements_on(s, &a.x[0], &shape(a)[..axes(a)], a.size("axis"), &a.ids, out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        vec![named(a).into_iter().map(|at| copied(a.x[0][at])).collect()]
    }
}

pub struct ScatteredElements;
impl Op for ScatteredElements {
    const NAME: &'static str = "scatter_add_elements";
    const IDS: Option<usize> = Some(1);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, all, ids) = beside(rows, cols, r);
        let x = r.slice(ids.len(), 5.0);
        Args::new::<Self>(vec![x, ids, r.slice(all, 5.0)], vec![], &n)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    called! {
        |s, a, [out], _| fulmen::scatter_add_elements_on(s, &a.x[0], &shape(a)[..axes(a)], a.size("axis"), &a.ids, out),
        parallel fulmen::parallel::scatter_add_elements_on(s, &a.x[0], &shape(a)[..axes(a)], a.size("axis"), &a.ids, out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut out: Vec<Want> = a.x[2].iter().map(|x| copied(*x)).collect();
        for (at, x) in named(a).into_iter().zip(&a.x[0]) {
            let y = out[at];
            out[at] = Want { value: y.value + x, mass: y.mass + x.abs(), n: y.n + 1 };
        }
        vec![out]
    }
}
