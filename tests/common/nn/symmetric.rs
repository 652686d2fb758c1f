//! Factors of symmetric matrices that need not be definite. Each row has one element that outweighs all others: on the diagonal, or beside it
//! one that it shares with another row, so that no rounding changes which rows make a block.

#![allow(clippy::needless_range_loop, reason = "indices as the formulas have them")]

use super::solvers::{bounded, columns, order, places, wants};
use super::*;
use fulmen::{MatMut, MatRef};

/// A matrix, whose upper triangle is of no use.
fn matched<T: Element>(n: usize, r: &mut Noise) -> Vec<T> {
    let mut a = r.slice::<T>(n * n, 1.0);
    let mut rows: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| rows.swap(i, r.bits() as usize % (i + 1)));
    let mut left = &rows[..];
    while let [p, rest @ ..] = left {
        let large = T::from_f64((4.0 + n as f64) * if r.bits().is_multiple_of(2) { 1.0 } else { -1.0 });
        left = match rest {
            [q, rest @ ..] if r.bits().is_multiple_of(2) => {
                a[p.max(q) * n + p.min(q)] = large;
                rest
            }
            _ => {
                a[p * n + p] = large;
                rest
            }
        };
    }
    a
}

/// `PAPᵀ = LDLᵀ` of the lower triangle, over it: what stands beside D's diagonal, and the rows that are exchanged.
fn ldlt(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<usize>) {
    let mut m: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| a[i.max(j) * n + i.min(j)]).collect()).collect();
    let (mut off, mut pivots) = (vec![0.0; n], (0..n).collect::<Vec<_>>());
    let alpha = (1.0 + 17.0f64.sqrt()) / 8.0;
    let mut l = vec![vec![0.0; n]; n];
    let mut k = 0;
    while k < n {
        let most = |m: &[Vec<f64>], j: usize| {
            let others = (k..n).filter(|i| *i != j);
            others.fold((k, 0.0), |most, i| if m[i][j].abs() > most.1 { (i, m[i][j].abs()) } else { most })
        };
        let (at, size) = most(&m, k);
        let (mut with, mut two) = (k, false);
        if m[k][k].abs() < alpha * size {
            let (_, rival) = most(&m, at);
            if m[k][k].abs() * rival < alpha * size * size {
                (with, two) = (at, m[at][at].abs() < alpha * rival);
            }
        }
        let row = k + usize::from(two);
        pivots[row] = with;
        m.swap(row, with);
        m.iter_mut().for_each(|x| x.swap(row, with));
        l.swap(row, with);
        // One block: the rest less its columns times its inverse times its rows.
        let width = row + 1 - k;
        let inverse = if two {
            let [p, q, r] = [m[k][k], m[k + 1][k], m[k + 1][k + 1]];
            let det = p * r - q * q;
            off[k] = q;
            vec![vec![r / det, -q / det], vec![-q / det, p / det]]
        } else {
            vec![vec![1.0 / m[k][k]]]
        };
        for i in k + width..n {
            for c in 0..width {
                l[i][k + c] = (0..width).map(|d| m[i][k + d] * inverse[d][c]).sum();
            }
        }
        for i in k + width..n {
            for j in k + width..n {
                m[i][j] -= (0..width).map(|c| l[i][k + c] * m[j][k + c]).sum::<f64>();
            }
        }
        k += width;
    }
    for i in 0..n {
        for j in 0..i {
            a[i * n + j] = l[i][j];
        }
        a[i * n + i] = m[i][i];
    }
    (off, pivots)
}

pub struct Ldlt;
impl Op for Ldlt {
    const NAME: &'static str = "ldlt";
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
        let n = a.size("n").max(1);
        at % n > at / n
    }
    fn sample<T: Element>(_: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        Args::new::<Self>(vec![matched(n, r)], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let n = bounded(a.size("n"));
        vec![a.x[0].clone(), stale(n), stale(n)]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::ldlt_workspace(bounded(a.size("n")))
    }
    called! {
        |s, a, [out, off, pivots], w| {
            let (n, len) = (a.size("n"), out.len());
            let (mut p, many) = places(pivots);
            let done = MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0))
                .and_then(|a| fulmen::ldlt_on(s, a, off, &mut p[..many], w));
            if done.is_ok() {
                pivots.iter_mut().zip(p).for_each(|(to, p)| *to = T::from_usize(p as usize));
            }
            done
        },
        parallel {
            let (n, len) = (a.size("n"), out.len());
            let (mut p, many) = places(pivots);
            let done = MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0))
                .and_then(|a| fulmen::parallel::ldlt_on(s, a, off, &mut p[..many], w));
            if done.is_ok() {
                pivots.iter_mut().zip(p).for_each(|(to, p)| *to = T::from_usize(p as usize));
            }
            done
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let mut f = a.x[0].clone();
        let (off, pivots) = ldlt(&mut f, n);
        let mut want = wants(f, n);
        for at in (0..n * n).filter(|at| at % n > at / n) {
            want[at].mass = 0.0;
        }
        let exact = |p: usize| Want { value: p as f64, mass: 0.0, n: 1 };
        vec![want, wants(off, n), pivots.into_iter().map(exact).collect()]
    }
}

pub struct LdltSolve;
impl Op for LdltSolve {
    const NAME: &'static str = "ldlt_solve";
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        let n = a.size("n").max(1);
        // A NaN is no index, and where blocks begin it is a block's.
        input == 2 || input == 1 || (input == 0 && at % n > at / n)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let mut f: Vec<f64> = matched::<f64>(n, r);
        let (off, pivots) = ldlt(&mut f, n);
        let of = |x: Vec<f64>| x.into_iter().map(T::from_f64).collect::<Vec<T>>();
        let pivots = pivots.into_iter().map(T::from_usize).collect();
        let x = vec![of(f), of(off), pivots, r.slice(n * rows.min(20), 2.0)];
        Args::new::<Self>(x, vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[3].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = bounded(a.size("n"));
        fulmen::ldlt_solve_workspace(n, columns(a.x[3].len(), n))
    }
    called! {
        |s, a, [out], w| {
            let n = a.size("n");
            let rows = a.get("rows").unwrap_or(n);
            let cols = columns(out.len(), rows);
            let (p, many) = places(&a.x[2]);
            MatRef::row_major(&a.x[0], n, a.x[0].len().checked_div(n).unwrap_or(0)).and_then(|f| {
                MatMut::row_major(out, rows, cols)
                    .and_then(|b| fulmen::ldlt_solve_on(s, f, &a.x[1], &p[..many], b, w))
            })
        },
        parallel {
            let n = a.size("n");
            let rows = a.get("rows").unwrap_or(n);
            let cols = columns(out.len(), rows);
            let (p, many) = places(&a.x[2]);
            MatRef::row_major(&a.x[0], n, a.x[0].len().checked_div(n).unwrap_or(0)).and_then(|f| {
                MatMut::row_major(out, rows, cols)
                    .and_then(|b| fulmen::parallel::ldlt_solve_on(s, f, &a.x[1], &p[..many], b, w))
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let (f, off) = (&a.x[0], &a.x[1]);
        let pivots: Vec<usize> = a.x[2].iter().map(|p| *p as usize).collect();
        let cols = columns(a.x[3].len(), n);
        let mut b: Vec<Vec<f64>> = a.x[3].chunks(cols.max(1)).map(<[f64]>::to_vec).collect();
        b.resize(n, vec![]);
        pivots.iter().enumerate().for_each(|(i, p)| b.swap(i, *p));
        for c in 0..cols {
            for i in 0..n {
                b[i][c] -= (0..i).map(|p| f[i * n + p] * b[p][c]).sum::<f64>();
            }
            let mut k = 0;
            while k < n {
                if k + 1 < n && off[k] != 0.0 {
                    let [p, q, r] = [f[k * n + k], off[k], f[(k + 1) * n + k + 1]];
                    let (det, [x, y]) = (p * r - q * q, [b[k][c], b[k + 1][c]]);
                    (b[k][c], b[k + 1][c]) = ((r * x - q * y) / det, (p * y - q * x) / det);
                    k += 2;
                } else {
                    b[k][c] /= f[k * n + k];
                    k += 1;
                }
            }
            for i in (0..n).rev() {
                b[i][c] -= (i + 1..n).map(|p| f[p * n + i] * b[p][c]).sum::<f64>();
            }
        }
        pivots.iter().enumerate().rev().for_each(|(i, p)| b.swap(i, *p));
        vec![wants(b.concat(), n)]
    }
}
