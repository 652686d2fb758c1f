//! Sparse matrices.

use super::solvers::indices;
use super::*;
use fulmen::Csr;

#[macro_export]
macro_rules! for_each_sparse_op {
    ($cb:ident) => {
        $cb! {
            spmv $crate::nn::sparse::Spmv, threads;
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

pub struct Spmv;
impl Op for Spmv {
    const NAME: &'static str = "spmv";
    const IDS: Option<usize> = Some(1);
    fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
        // A NaN is no index.
        input < 2
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, cols) = (if cols > 1000 { 300 + rows } else { (7 * rows).min(400) }, cols);
        let (offsets, columns) = pattern(rows, cols, 2 + cols.min(600), r);
        let number = |x: &usize| T::from_usize(*x);
        let values = r.slice(columns.len(), 2.0);
        let columns = columns.iter().map(|c| T::from_usize(*c as usize)).collect();
        let x = vec![
            offsets.iter().map(number).collect(),
            columns,
            values,
            r.slice(cols, 2.0),
            r.slice(rows, 2.0),
        ];
        let beta = if cols.is_multiple_of(4) { 0.0 } else { -0.75 };
        Args::new::<Self>(x, vec![T::from_f64(1.5), T::from_f64(beta)], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[4].clone()]
    }
    called! {
        |s, a, [out], _| {
            let (offsets, n) = indices(&a.x[0]);
            let rows = a.get("rows").unwrap_or(n.saturating_sub(1));
            Csr::new(rows, a.size("cols"), &offsets[..n], &a.ids, &a.x[2])
                .and_then(|m| fulmen::spmv_on(s, a.p[0], m, &a.x[3], a.p[1], out))
        },
        parallel {
            let (offsets, n) = indices(&a.x[0]);
            let rows = a.get("rows").unwrap_or(n.saturating_sub(1));
            Csr::new(rows, a.size("cols"), &offsets[..n], &a.ids, &a.x[2])
                .and_then(|m| fulmen::parallel::spmv_on(s, a.p[0], m, &a.x[3], a.p[1], out))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [alpha, beta] = [a.p[0], a.p[1]];
        let one = |i: usize| {
            let (from, to) = (a.x[0][i] as usize, a.x[0][i + 1] as usize);
            let terms = || (from..to).map(|k| alpha * a.x[2][k] * a.x[3][a.x[1][k] as usize]);
            let old = if beta == 0.0 { 0.0 } else { beta * a.x[4][i] };
            let (sum, mass) =
                if alpha == 0.0 { (0.0, 0.0) } else { (terms().sum(), terms().map(f64::abs).sum()) };
            Want { value: sum + old, mass: mass + old.abs(), n: to - from }
        };
        vec![(0..a.x[4].len()).map(one).collect()]
    }
}

pub struct SpmvTransposed;
impl Op for SpmvTransposed {
    const NAME: &'static str = "spmv_transposed";
    const IDS: Option<usize> = Some(1);
    fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
        // A NaN is no index.
        input < 2
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, cols) = (if cols > 1000 { 300 + rows } else { (7 * rows).min(400) }, cols);
        let (offsets, columns) = pattern(rows, cols, 2 + cols.min(600), r);
        let number = |x: &usize| T::from_usize(*x);
        let values = r.slice(columns.len(), 2.0);
        let columns = columns.iter().map(|c| T::from_usize(*c as usize)).collect();
        let x = vec![
            offsets.iter().map(number).collect(),
            columns,
            values,
            r.slice(rows, 2.0),
            r.slice(cols, 2.0),
        ];
        let beta = if cols.is_multiple_of(4) { 0.0 } else { -0.75 };
        Args::new::<Self>(x, vec![T::from_f64(1.5), T::from_f64(beta)], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[4].clone()]
    }
    called! {
        |s, a, [out], _| {
            let (offsets, n) = indices(&a.x[0]);
            let rows = a.get("rows").unwrap_or(n.saturating_sub(1));
            Csr::new(rows, a.size("cols"), &offsets[..n], &a.ids, &a.x[2])
                .and_then(|m| fulmen::spmv_transposed_on(s, a.p[0], m, &a.x[3], a.p[1], out))
        },
        parallel {
            let (offsets, n) = indices(&a.x[0]);
            let rows = a.get("rows").unwrap_or(n.saturating_sub(1));
            Csr::new(rows, a.size("cols"), &offsets[..n], &a.ids, &a.x[2])
                .and_then(|m| fulmen::parallel::spmv_transposed_on(s, a.p[0], m, &a.x[3], a.p[1], out))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [alpha, beta] = [a.p[0], a.p[1]];
        let old = |y: f64| if beta == 0.0 { 0.0 } else { beta * y };
        let mut wants: Vec<Want> =
            a.x[4].iter().map(|y| Want { value: old(*y), mass: old(*y).abs(), n: 0 }).collect();
        for (i, x) in a.x[3].iter().enumerate() {
            for k in a.x[0][i] as usize..a.x[0][i + 1] as usize {
                let (want, term) = (&mut wants[a.x[1][k] as usize], alpha * a.x[2][k] * x);
                if alpha != 0.0 {
                    (want.value, want.mass, want.n) = (want.value + term, want.mass + term.abs(), want.n + 1);
                }
            }
        }
        vec![wants]
    }
}
