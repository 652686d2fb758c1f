//! Sparse matrices.

use super::solvers::indices;
use super::*;
use fulmen::{Csr, MatMut, MatRef};

#[macro_export]
macro_rules! for_each_sparse_op {
    ($cb:ident) => {
        $cb! {
            spmv $crate::nn::sparse::Spmv, threads;
            spmm $crate::nn::sparse::Spmm, threads;
            spmv_transposed $crate::nn::sparse::SpmvTransposed, threads;
        }
    };
}

/// Ascending columns of each of `rows` rows, about `most` of `cols`, and where each row begins.
pub fn pattern(rows: usize, cols: usize, most: usize, r: &mut Noise) -> (Vec<usize>, Vec<u32>) {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for _ in 0..rows {
        // Some rows have nothing.
        let n = r.bits() as usize % (most + 1);
        let mut row: Vec<u32> = (0..n).map(|_| (r.bits() as usize % cols) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len());
    }
    (offsets, columns)
}

/// Rows, and what says where elements are, and the elements, as arguments.
fn sampled<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> (usize, Vec<Vec<T>>) {
    let rows = if cols > 1000 { 300 + rows } else { (7 * rows).min(400) };
    let (offsets, columns) = pattern(rows, cols, 2 + cols.min(600), r);
    let values = r.slice(columns.len(), 2.0);
    let columns = columns.iter().map(|c| T::from_usize(*c as usize)).collect();
    (rows, vec![offsets.iter().map(|x| T::from_usize(*x)).collect(), columns, values])
}

/// Those, with what is multiplied and what is written.
fn arguments<T: Element, O: Op>(
    matrix: Vec<Vec<T>>,
    x: Vec<T>,
    y: Vec<T>,
    sizes: &[(&str, usize)],
) -> Args<T> {
    let beta = if x.len().is_multiple_of(4) { 0.0 } else { -0.75 };
    Args::new::<O>([matrix, vec![x, y]].concat(), vec![T::from_f64(1.5), T::from_f64(beta)], sizes)
}

/// The call with the matrix that the arguments describe, if they do.
fn with<T: Element>(
    a: &Args<T>,
    f: impl FnOnce(Csr<'_, T>) -> Result<(), fulmen::Error>,
) -> Result<(), fulmen::Error> {
    let (offsets, n) = indices(&a.x[0]);
    let rows = a.get("rows").unwrap_or(n.saturating_sub(1));
    Csr::new(rows, a.size("cols"), &offsets[..n], &a.ids, &a.x[2]).and_then(f)
}

/// Every element with its row and column.
fn elements(a: &Args<f64>) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
    let rows = (0..a.x[0].len().saturating_sub(1)).map(|i| (i, a.x[0][i] as usize..a.x[0][i + 1] as usize));
    rows.flat_map(move |(i, row)| row.map(move |k| (i, a.x[1][k] as usize, a.x[2][k])))
}

/// `βy`, and what is added to it: for each element of the matrix where in `y`, and what of `x`.
fn products(a: &Args<f64>, terms: impl Fn(usize, usize) -> Vec<(usize, usize)>) -> Vec<Vec<Want>> {
    let [alpha, beta] = [a.p[0], a.p[1]];
    let old = |y: f64| if beta == 0.0 { 0.0 } else { beta * y };
    let mut wants: Vec<Want> =
        a.x[4].iter().map(|y| Want { value: old(*y), mass: old(*y).abs(), n: 0 }).collect();
    for (i, j, v) in elements(a).filter(|_| alpha != 0.0) {
        for (to, from) in terms(i, j) {
            let (want, term) = (&mut wants[to], alpha * v * a.x[3][from]);
            (want.value, want.mass, want.n) = (want.value + term, want.mass + term.abs(), want.n + 1);
        }
    }
    vec![wants]
}

/// What is the same of every product: no NaN is an index, and the last argument is written.
macro_rules! product {
    () => {
        const IDS: Option<usize> = Some(1);
        fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
            input < 2
        }
        fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
            vec![a.x[4].clone()]
        }
    };
}

pub struct Spmv;
impl Op for Spmv {
    const NAME: &'static str = "spmv";
    product!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, matrix) = sampled(rows, cols, r);
        arguments::<T, Self>(matrix, r.slice(cols, 2.0), r.slice(rows, 2.0), &[("cols", cols)])
    }
    called! {
        |s, a, [out], _| with(a, |m| fulmen::spmv_on(s, a.p[0], m, &a.x[3], a.p[1], out)),
        parallel with(a, |m| fulmen::parallel::spmv_on(s, a.p[0], m, &a.x[3], a.p[1], out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        products(a, |i, j| vec![(i, j)])
    }
}

pub struct SpmvTransposed;
impl Op for SpmvTransposed {
    const NAME: &'static str = "spmv_transposed";
    product!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, matrix) = sampled(rows, cols, r);
        arguments::<T, Self>(matrix, r.slice(rows, 2.0), r.slice(cols, 2.0), &[("cols", cols)])
    }
    called! {
        |s, a, [out], _| with(a, |m| fulmen::spmv_transposed_on(s, a.p[0], m, &a.x[3], a.p[1], out)),
        parallel with(a, |m| fulmen::parallel::spmv_transposed_on(s, a.p[0], m, &a.x[3], a.p[1], out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        products(a, |i, j| vec![(j, i)])
    }
}

pub struct Spmm;
impl Op for Spmm {
    const NAME: &'static str = "spmm";
    product!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, matrix) = sampled(rows, cols, r);
        // Around both tiles, and their rests.
        let n = [1, 7, 8, 9, 31, 32, 33, 43, 75][r.bits() as usize % 9].min(2000usize.div_ceil(cols));
        let (x, y) = (r.slice(cols * n, 2.0), r.slice(rows * n, 2.0));
        arguments::<T, Self>(matrix, x, y, &[("cols", cols), ("n", n)])
    }
    called! {
        |s, a, [out], _| {
            let n = a.size("n");
            with(a, |m| {
                let [p, q] = [a.x[3].len(), out.len()].map(|len| len.checked_div(n).unwrap_or(0));
                let y = MatMut::row_major(out, q, n)?;
                fulmen::spmm_on(s, a.p[0], m, MatRef::row_major(&a.x[3], p, n)?, a.p[1], y)
            })
        },
        parallel {
            let n = a.size("n");
            with(a, |m| {
                let [p, q] = [a.x[3].len(), out.len()].map(|len| len.checked_div(n).unwrap_or(0));
                let y = MatMut::row_major(out, q, n)?;
                fulmen::parallel::spmm_on(s, a.p[0], m, MatRef::row_major(&a.x[3], p, n)?, a.p[1], y)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        products(a, |i, j| (0..n).map(|k| (i * n + k, j * n + k)).collect())
    }
}
