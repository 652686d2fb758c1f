//! Gradients of products of matrices.

use super::rows::inner;
use super::*;
use fulmen::{MatMut, MatRef};

#[macro_export]
macro_rules! for_each_product {
    ($cb:ident) => {
        $cb! {
            gemm_backward_a $crate::nn::products::GemmBackwardA, gradient, threads;
            gemm_backward_b $crate::nn::products::GemmBackwardB, gradient, threads;
        }
    };
}

/// `m`, `n` and `k`.
fn sizes<T: Element>(a: &Args<T>) -> [usize; 3] {
    ["m", "n", "k"].map(|name| a.size(name))
}

/// Three matrices of these lengths, by which factor the last one stays, and their sizes.
fn matrices<T: Element, O: Op>(len: [usize; 3], [m, n, k]: [usize; 3], r: &mut Noise) -> Args<T> {
    let beta = T::from_f64(if n.is_multiple_of(4) { 0.5 } else { 1.0 });
    Args::new::<O>(len.map(|n| r.slice(n, 2.0)).to_vec(), vec![beta], &[("m", m), ("n", n), ("k", k)])
}

fn inner_size(rows: usize, cols: usize) -> usize {
    1 + (3 * cols + rows) % 19
}

/// Workspace for sizes that may be anything.
fn scratch<T: Element>(a: &Args<T>) -> usize {
    let [m, n, k] = sizes(a).map(|n| n.min(1 << 16));
    fulmen::gemm_backward_workspace(m, n, k).min(1 << 22)
}

/// `beta·old + Σ_p x(p)·y(p)`.
fn product(old: f64, beta: f64, n: usize, x: impl Fn(usize) -> f64, y: impl Fn(usize) -> f64) -> Want {
    let added = if beta == 0.0 { 0.0 } else { beta * old };
    let (mut value, mut mass) = (0.0, added.abs());
    for p in 0..n {
        value += x(p) * y(p);
        mass += (x(p) * y(p)).abs();
    }
    Want { value: value + added, mass, n }
}

/// `Σ dC·(AB)`.
fn loss([m, n, k]: [usize; 3], a: &[f64], b: &[f64], dc: &[f64]) -> f64 {
    let c: Vec<f64> =
        (0..m * n).map(|at| (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum()).collect();
    inner(&c, dc)
}

pub struct GemmBackwardA;
impl Op for GemmBackwardA {
    const NAME: &'static str = "gemm_backward_a";
    // The product is linear: any A of the shape will do, and the last input has it.
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 2)];
    fn sample<T: Element>(m: usize, n: usize, r: &mut Noise) -> Args<T> {
        let k = inner_size(m, n);
        matrices::<T, Self>([m * n, k * n, m * k], [m, n, k], r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(a)
    }
    called! {
        |s, a, [da], w| {
            let [m, n, k] = sizes(a);
            let (inner, wide) = (a.get("inner").unwrap_or(n), a.get("wide").unwrap_or(k));
            let dc = MatRef::row_major(&a.x[0], m, n);
            let (b, da) = (MatRef::row_major(&a.x[1], k, inner), MatMut::row_major(da, m, wide));
            dc.and_then(|dc| fulmen::gemm_backward_a_on(s, dc, b?, a.p[0], da?, w))
        },
        parallel {
            let [m, n, k] = sizes(a);
            let dc = MatRef::row_major(&a.x[0], m, n);
            let (inner, wide) = (a.get("inner").unwrap_or(n), a.get("wide").unwrap_or(k));
            let (b, da) = (MatRef::row_major(&a.x[1], k, inner), MatMut::row_major(da, m, wide));
            dc.and_then(|dc| fulmen::parallel::gemm_backward_a_on(s, dc, b?, a.p[0], da?, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n, k] = sizes(a);
        let one = |at: usize| {
            let (i, p) = (at / k, at % k);
            product(a.x[2][at], a.p[0], n, |j| a.x[0][i * n + j], |j| a.x[1][p * n + j])
        };
        vec![(0..m * k).map(one).collect()]
    }
    fn loss(a: &Args<f64>) -> f64 {
        loss(sizes(a), &a.x[2], &a.x[1], &a.x[0])
    }
}

pub struct GemmBackwardB;
impl Op for GemmBackwardB {
    const NAME: &'static str = "gemm_backward_b";
    // As above, for B.
    const GRADIENTS: &'static [(usize, usize)] = &[(0, 2)];
    fn sample<T: Element>(m: usize, n: usize, r: &mut Noise) -> Args<T> {
        let k = inner_size(m, n);
        matrices::<T, Self>([m * k, m * n, k * n], [m, n, k], r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(a)
    }
    called! {
        |s, a, [db], w| {
            let [m, n, k] = sizes(a);
            let (inner, wide) = (a.get("inner").unwrap_or(m), a.get("wide").unwrap_or(n));
            let x = MatRef::row_major(&a.x[0], m, k);
            let (dc, db) = (MatRef::row_major(&a.x[1], inner, n), MatMut::row_major(db, k, wide));
            x.and_then(|x| fulmen::gemm_backward_b_on(s, x, dc?, a.p[0], db?, w))
        },
        parallel {
            let [m, n, k] = sizes(a);
            let x = MatRef::row_major(&a.x[0], m, k);
            let (inner, wide) = (a.get("inner").unwrap_or(m), a.get("wide").unwrap_or(n));
            let (dc, db) = (MatRef::row_major(&a.x[1], inner, n), MatMut::row_major(db, k, wide));
            x.and_then(|x| fulmen::parallel::gemm_backward_b_on(s, x, dc?, a.p[0], db?, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n, k] = sizes(a);
        let one = |at: usize| {
            let (p, j) = (at / n, at % n);
            product(a.x[2][at], a.p[0], m, |i| a.x[0][i * k + p], |i| a.x[1][i * n + j])
        };
        vec![(0..k * n).map(one).collect()]
    }
    fn loss(a: &Args<f64>) -> f64 {
        loss(sizes(a), &a.x[0], &a.x[2], &a.x[1])
    }
}
