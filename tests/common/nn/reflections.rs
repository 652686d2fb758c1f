//! Orthogonal factors and least squares, on matrices as those of [`solvers`](super::solvers).

use super::solvers::{bounded, columns, dominated, order, wants};
use super::*;
use dense::factors::{qr, reflect};
use fulmen::{MatMut, MatRef};

#[macro_export]
macro_rules! for_each_reflection {
    ($cb:ident) => {
        $cb! {
            qr $crate::nn::reflections::Qr, threads;
            qr_apply $crate::nn::reflections::QrApply, threads;
            least_squares $crate::nn::reflections::LeastSquares, threads;
        }
    };
}

/// Rows for these columns: as many, more, and with `fewer` less.
fn rows_for(rows: usize, n: usize, fewer: bool, r: &mut Noise) -> usize {
    match rows {
        1 => n,
        3 if fewer => n.div_ceil(2),
        _ => n + 1 + r.bits() as usize % 40,
    }
}

fn tall<T: Element>(m: usize, n: usize, r: &mut Noise) -> Vec<T> {
    let side = m.max(n);
    dominated::<T>(side, r).chunks(side).take(m).flat_map(|row| row[..n].to_vec()).collect()
}

fn sizes<T: Element>(a: &Args<T>) -> [usize; 2] {
    ["m", "n"].map(|name| bounded(a.size(name)))
}

pub struct Qr;
impl Op for Qr {
    const NAME: &'static str = "qr";
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let m = rows_for(rows, n, true, r);
        Args::new::<Self>(vec![tall(m, n, r)], vec![], &[("m", m), ("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [m, n] = sizes(a);
        vec![a.x[0].clone(), stale(m.min(n))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let [m, n] = sizes(a);
        fulmen::qr_workspace(m, n)
    }
    called! {
        |s, a, [out, tau], w| {
            MatMut::row_major(out, a.size("m"), a.size("n")).and_then(|a| fulmen::qr_on(s, a, tau, w))
        },
        parallel {
            MatMut::row_major(out, a.size("m"), a.size("n")).and_then(|a| fulmen::parallel::qr_on(s, a, tau, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut f = a.x[0].clone();
        let tau = qr(&mut f, a.size("m"), a.size("n"));
        let n = a.size("m").max(a.size("n"));
        vec![wants(f, n), wants(tau, n)]
    }
}

pub struct QrApply;
impl Op for QrApply {
    const NAME: &'static str = "qr_apply";
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        let n = columns(a.x[0].len(), a.size("m"));
        input == 0 && at % n > at / n
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let m = rows_for(rows, n, true, r);
        let mut f = tall::<f64>(m, n, r);
        let tau = qr(&mut f, m, n);
        let narrow = |x: Vec<f64>| x.into_iter().map(T::from_f64).collect();
        let c = r.slice(m * rows.min(20), 2.0);
        let word = r.bits() as usize % 2;
        Args::new::<Self>(vec![narrow(f), narrow(tau), c], vec![], &[("m", m), ("transposed", word)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let m = bounded(a.size("m"));
        let n = columns(a.x[0].len(), m);
        fulmen::qr_apply_workspace(m, m.min(n), columns(a.x[2].len(), m))
    }
    called! {
        |s, a, [out], w| {
            let (m, rows) = (a.size("m"), a.get("rows").unwrap_or(a.size("m")));
            let cols = columns(out.len(), rows);
            let f = MatRef::row_major(&a.x[0], m, a.x[0].len().checked_div(m).unwrap_or(0));
            let c = MatMut::row_major(out, rows, cols);
            f.and_then(|f| fulmen::qr_apply_on(s, a.size("transposed") != 0, f, &a.x[1], c?, w))
        },
        parallel {
            let (m, rows) = (a.size("m"), a.get("rows").unwrap_or(a.size("m")));
            let cols = columns(out.len(), rows);
            let f = MatRef::row_major(&a.x[0], m, a.x[0].len().checked_div(m).unwrap_or(0));
            let c = MatMut::row_major(out, rows, cols);
            f.and_then(|f| fulmen::parallel::qr_apply_on(s, a.size("transposed") != 0, f, &a.x[1], c?, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (m, mut c) = (a.size("m"), a.x[2].clone());
        let (k, cols) = (a.x[1].len(), columns(c.len(), m));
        for i in 0..k {
            let at = if a.size("transposed") != 0 { i } else { k - 1 - i };
            reflect(&a.x[0], columns(a.x[0].len(), m), at, a.x[1][at], &mut c, cols);
        }
        vec![wants(c, m)]
    }
}

pub struct LeastSquares;
impl Op for LeastSquares {
    const NAME: &'static str = "least_squares";
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let m = rows_for(rows, n, false, r);
        let x = vec![tall(m, n, r), r.slice(m * rows.min(20), 2.0)];
        Args::new::<Self>(x, vec![], &[("m", m), ("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone(), stale(bounded(a.size("n"))), a.x[1].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let [m, n] = sizes(a);
        fulmen::least_squares_workspace(m, n, columns(a.x[1].len(), m))
    }
    called! {
        |s, a, [out, tau, b], w| {
            let rows = a.get("rows").unwrap_or(a.size("m"));
            let cols = columns(b.len(), rows);
            let b = MatMut::row_major(b, rows, cols);
            MatMut::row_major(out, a.size("m"), a.size("n"))
                .and_then(|a| fulmen::least_squares_on(s, a, tau, b?, w))
        },
        parallel {
            let rows = a.get("rows").unwrap_or(a.size("m"));
            let cols = columns(b.len(), rows);
            let b = MatMut::row_major(b, rows, cols);
            MatMut::row_major(out, a.size("m"), a.size("n"))
                .and_then(|a| fulmen::parallel::least_squares_on(s, a, tau, b?, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n] = ["m", "n"].map(|name| a.size(name));
        let (mut f, mut b) = (a.x[0].clone(), a.x[1].clone());
        let cols = columns(b.len(), m);
        let tau = qr(&mut f, m, n);
        for (k, tau) in tau.iter().enumerate() {
            reflect(&f, n, k, *tau, &mut b, cols);
        }
        // Backward, over the first rows.
        for i in (0..n).rev() {
            for c in 0..cols {
                let sum: f64 = (i + 1..n).map(|p| f[i * n + p] * b[p * cols + c]).sum();
                b[i * cols + c] = (b[i * cols + c] - sum) / f[i * n + i];
            }
        }
        vec![wants(f, m), wants(tau, m), wants(b, m)]
    }
}
