//! Ops on each of some complex numbers, in pairs or with their parts apart, and norms of vectors of them.

use super::complex::{at, between, conj, has, number, size, step, times, vector, vector_mut, words};
use super::transforms::{Sum, complex, complex_mut};
use super::*;

#[macro_export]
macro_rules! for_each_pair {
    ($cb:ident) => {
        $cb! {
            mul_complex $crate::nn::pairs::Products;
            abs_complex $crate::nn::pairs::Magnitudes;
            arg_complex $crate::nn::pairs::Angles;
            interleave $crate::nn::pairs::Together;
            deinterleave $crate::nn::pairs::Apart;
            scal_complex $crate::nn::pairs::Scaled;
            nrm2_complex $crate::nn::pairs::Norm;
            asum_complex $crate::nn::pairs::Sums;
        }
    };
}

pub struct Products;
impl Op for Products {
    const NAME: &'static str = "mul_complex";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let mut sizes = vec![];
        words(&["conjugate"], &mut sizes, r);
        let x = vec![r.slice(2 * rows * cols, 2.0), r.slice(2 * rows * cols, 2.0)];
        Args::new::<Self>(x, vec![], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [out], _| fulmen::mul_complex_on(s, has(a, "conjugate"), complex(&a.x[0]), complex(&a.x[1]), complex_mut(out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let one = |i: usize| {
            let (x, y) = (conj(has(a, "conjugate"), at(&a.x[0], i)), at(&a.x[1], i));
            times(x, y).map(|value| Want { value, mass: size(x) * size(y), n: 2 })
        };
        vec![(0..a.x[0].len() / 2).flat_map(one).collect()]
    }
}

/// Of every magnitude, the parts of a number alike or not.
fn numbers<T: Element>(n: usize, r: &mut Noise) -> Vec<T> {
    let mut x: Vec<T> = r.slice(2 * n, 2.0);
    for x in &mut x {
        let by = [1.0, 1.0, 1e-3, 1e12, 1e-15, 0.0][r.bits() as usize % 6];
        *x = *x * T::from_f64(by);
    }
    x
}

macro_rules! of_each {
    ($Op:ident $name:literal $on:ident, |$re:ident, $im:ident| $value:expr) => {
        pub struct $Op;
        impl Op for $Op {
            const NAME: &'static str = $name;
            fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
                Args::new::<Self>(vec![numbers(rows * cols, r)], vec![], &[])
            }
            fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
                vec![stale(a.x[0].len() / 2)]
            }
            called! { |s, a, [out], _| fulmen::$on(s, complex(&a.x[0]), out) }
            fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
                let one = |z: &[f64]| {
                    let ($re, $im) = (z[0], z[1]);
                    copied(if $re.is_nan() || $im.is_nan() { f64::NAN } else { $value })
                };
                vec![a.x[0].chunks(2).map(one).collect()]
            }
        }
    };
}
of_each!(Magnitudes "abs_complex" abs_complex_on, |re, im| re.hypot(im));
of_each!(Angles "arg_complex" arg_complex_on, |re, im| im.atan2(re));

pub struct Together;
impl Op for Together {
    const NAME: &'static str = "interleave";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        Args::new::<Self>(vec![r.slice(rows * cols, 2.0), r.slice(rows * cols, 2.0)], vec![], &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(2 * a.x[0].len())]
    }
    called! { |s, a, [out], _| fulmen::interleave_on(s, &a.x[0], &a.x[1], complex_mut(out)) }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        vec![a.x[0].iter().zip(&a.x[1]).flat_map(|(re, im)| [copied(*re), copied(*im)]).collect()]
    }
}

pub struct Apart;
impl Op for Apart {
    const NAME: &'static str = "deinterleave";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        Args::new::<Self>(vec![r.slice(2 * rows * cols, 2.0)], vec![], &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len() / 2); 2]
    }
    called! { |s, a, [re, im], _| fulmen::deinterleave_on(s, complex(&a.x[0]), re, im) }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        [0, 1].map(|p| a.x[0].iter().skip(p).step_by(2).map(|x| copied(*x)).collect()).into()
    }
}

/// A vector whose numbers lie two apart as likely as not, and how many it has.
fn strided<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> (Vec<T>, Vec<(&'static str, usize)>) {
    let n = rows * cols;
    let mut sizes = vec![("n", n)];
    words(&["spread"], &mut sizes, r);
    (r.slice(2 * n * sizes.len(), 2.0), sizes)
}

pub struct Scaled;
impl Op for Scaled {
    const NAME: &'static str = "scal_complex";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (x, sizes) = strided(rows, cols, r);
        let mut alpha = r.slice(2, 2.0);
        if r.bits().is_multiple_of(2) {
            alpha[1] = T::ZERO;
        }
        Args::new::<Self>(vec![x, alpha], vec![], &sizes)
    }
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        input == 0 && between(a, at)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone()]
    }
    called! {
        |s, a, [out], _| {
            let n = a.size("n").min(out.len() / 2 / step(a));
            vector_mut(a, out, n).map(|x| fulmen::scal_complex_on(s, number(&a.x[1]), x))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut out: Vec<Want> = a.x[0].iter().map(|x| copied(*x)).collect();
        let alpha = at(&a.x[1], 0);
        for i in (0..a.size("n")).map(|i| step(a) * i) {
            let x = at(&a.x[0], i);
            let y = if alpha[1] == 0.0 { x.map(|x| alpha[0] * x) } else { times(alpha, x) };
            for (to, value) in out[2 * i..2 * i + 2].iter_mut().zip(y) {
                *to = Want { value, mass: size(alpha) * size(x), n: 2 };
            }
        }
        vec![out]
    }
}

macro_rules! of_all {
    ($Op:ident $name:literal $on:ident, |$all:ident| $value:expr) => {
        pub struct $Op;
        impl Op for $Op {
            const NAME: &'static str = $name;
            const ONE_NAN_IS_ALL: bool = true;
            fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
                let (x, sizes) = strided(rows, cols, r);
                Args::new::<Self>(vec![x], vec![], &sizes)
            }
            fn unread<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
                between(a, at)
            }
            fn before<T: Element>(_: &Args<T>) -> Vec<Vec<T>> {
                vec![stale(1)]
            }
            called! {
                |s, a, [out], _| {
                    // No more than there are.
                    let n = a.size("n").min(complex(&a.x[0]).len() / step(a));
                    vector(a, &a.x[0], n).map(|x| out.iter_mut().take(1).for_each(|to| *to = fulmen::$on(s, x)))
                }
            }
            fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
                let $all: Vec<f64> = (0..a.size("n")).flat_map(|i| at(&a.x[0], step(a) * i)).collect();
                vec![vec![Want { n: 2 * a.size("n"), ..copied($value) }]]
            }
        }
    };
}
of_all!(Norm "nrm2_complex" nrm2_complex_on, |all| {
    // In units of the largest, whatever that is.
    let most = all.iter().fold(0.0f64, |most, x| if x.is_nan() { *x } else { most.max(x.abs()) });
    let mut sum = Sum::default();
    all.iter().for_each(|x| sum.add((x / most).powi(2)));
    match most {
        _ if all.iter().any(|x| x.is_nan()) => f64::NAN,
        0.0 | f64::INFINITY => most,
        _ => most * sum.value().sqrt(),
    }
});
of_all!(Sums "asum_complex" asum_complex_on, |all| {
    let mut sum = Sum::default();
    all.iter().for_each(|x| sum.add(x.abs()));
    sum.value()
});
