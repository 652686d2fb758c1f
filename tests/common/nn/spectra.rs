//! Eigenvalues and singular values, of matrices whose values lie about 1 apart, so that vectors are certain too. The
//! references are Jacobi's methods; what else there is of matrices stands in `tests/solve/eigen.rs`.

use super::solvers::{bounded, wants};
use super::*;
use dense::factors::{arranged, eigen, qr, signs, singular, transposed};
use fulmen::MatMut;

#[macro_export]
macro_rules! for_each_spectrum {
    ($cb:ident) => {
        $cb! {
            eigh $crate::nn::spectra::Eigh, threads;
            eigh_generalized $crate::nn::spectra::Generalized, threads;
            svd $crate::nn::spectra::Svd, threads;
        }
    };
}

/// As far as a reference takes no time.
fn order(cols: usize) -> usize {
    super::solvers::order(cols.min(999))
}

/// Some noise, and 1, 2, 3 … on the diagonal in another order.
fn separated<T: Element>(m: usize, n: usize, r: &mut Noise) -> Vec<T> {
    let mut a = r.slice::<T>(m * n, 0.06);
    let k = m.min(n);
    // No order below this has the factor 71.
    for i in 0..k {
        a[i * n + i] = a[i * n + i] + T::from_usize(1 + 71 * i % k);
    }
    a
}

pub struct Eigh;
impl Op for Eigh {
    const NAME: &'static str = "eigh";
    const CUBED: bool = true;
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
        let n = a.size("n").max(1);
        at % n > at / n
    }
    fn sample<T: Element>(_: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        Args::new::<Self>(vec![separated(n, n, r)], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone(), stale(bounded(a.size("n")))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::eigh_workspace(bounded(a.size("n")))
    }
    called! {
        |s, a, [out, values], w| {
            let (n, len) = (a.size("n"), out.len());
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0))
                .and_then(|a| fulmen::eigh_on(s, a, values, w))
        },
        parallel {
            let (n, len) = (a.size("n"), out.len());
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0))
                .and_then(|a| fulmen::parallel::eigh_on(s, a, values, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let (v, values) = eigen(&a.x[0], n);
        vec![wants(v, n), wants(values, n)]
    }
}

pub struct Generalized;
impl Op for Generalized {
    const NAME: &'static str = "eigh_generalized";
    const CUBED: bool = true;
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
        let n = a.size("n").max(1);
        at % n > at / n
    }
    fn sample<T: Element>(_: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        // So near to the identity that values stay apart.
        let mut b = r.slice::<T>(n * n, 0.03 / n.max(1) as f64);
        (0..n).for_each(|i| b[i * n + i] = b[i * n + i] + T::ONE);
        Args::new::<Self>(vec![separated(n, n, r), b], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone(), a.x[1].clone(), stale(bounded(a.size("n")))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::eigh_generalized_workspace(bounded(a.size("n")))
    }
    called! {
        |s, a, [out, b, values], w| {
            let n = a.size("n");
            let cols = |len: usize| len.checked_div(n).unwrap_or(0);
            let [p, q] = [out.len(), b.len()].map(cols);
            let (a, b) = (MatMut::row_major(out, n, p), MatMut::row_major(b, n, q));
            a.and_then(|a| fulmen::eigh_generalized_on(s, a, b?, values, w))
        },
        parallel {
            let n = a.size("n");
            let cols = |len: usize| len.checked_div(n).unwrap_or(0);
            let [p, q] = [out.len(), b.len()].map(cols);
            let (a, b) = (MatMut::row_major(out, n, p), MatMut::row_major(b, n, q));
            a.and_then(|a| fulmen::parallel::eigh_generalized_on(s, a, b?, values, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let mut l = a.x[1].clone();
        super::solvers::cholesky(&mut l, n);
        // L⁻¹ of both sides, one column and then one row after the other.
        let at = |i: usize, j: usize| a.x[0][i.max(j) * n + i.min(j)];
        let mut c: Vec<f64> = (0..n * n).map(|k| at(k / n, k % n)).collect();
        for _ in 0..2 {
            for i in 0..n {
                for j in 0..n {
                    let sum: f64 = (0..i).map(|p| l[i * n + p] * c[p * n + j]).sum();
                    c[i * n + j] = (c[i * n + j] - sum) / l[i * n + i];
                }
            }
            c = transposed(&c, n);
        }
        let (mut v, values) = eigen(&c, n);
        for j in 0..n {
            for i in (0..n).rev() {
                let sum: f64 = (i + 1..n).map(|p| l[p * n + i] * v[p * n + j]).sum();
                v[i * n + j] = (v[i * n + j] - sum) / l[i * n + i];
            }
        }
        let order: Vec<usize> = (0..n).collect();
        let v = arranged(&v, n, &order, &signs(&v, n, &order));
        let mut factor = wants(l, n);
        for at in (0..n * n).filter(|at| at % n > at / n) {
            factor[at].mass = 0.0;
        }
        vec![wants(v, n), factor, wants(values, n)]
    }
}

pub struct Svd;
impl Op for Svd {
    const NAME: &'static str = "svd";
    const CUBED: bool = true;
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let [m, n] = match rows {
            1 => [n, n],
            3 => [n.div_ceil(2), n],
            5 => [n, n + 9],
            _ => [n + 1 + r.bits() as usize % 40, n],
        };
        Args::new::<Self>(vec![separated(m, n, r)], vec![], &[("m", m), ("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [m, n] = ["m", "n"].map(|name| bounded(a.size(name)));
        let k = m.min(n);
        vec![a.x[0].clone(), stale(m * k), stale(k), stale(k * n)]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let [m, n] = ["m", "n"].map(|name| bounded(a.size(name)));
        fulmen::svd_workspace(m, n)
    }
    called! {
        |s, a, [out, u, values, vt], w| {
            let [m, n] = ["m", "n"].map(|name| a.size(name));
            let rows = a.get("rows").unwrap_or(m);
            let k = columns(u.len(), rows, m.min(n));
            let (u, vt) = (MatMut::row_major(u, rows, k), MatMut::row_major(vt, m.min(n), n));
            MatMut::row_major(out, m, n).and_then(|a| fulmen::svd_on(s, a, u?, values, vt?, w))
        },
        parallel {
            let [m, n] = ["m", "n"].map(|name| a.size(name));
            let rows = a.get("rows").unwrap_or(m);
            let k = columns(u.len(), rows, m.min(n));
            let (u, vt) = (MatMut::row_major(u, rows, k), MatMut::row_major(vt, m.min(n), n));
            MatMut::row_major(out, m, n).and_then(|a| fulmen::parallel::svd_on(s, a, u?, values, vt?, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n] = ["m", "n"].map(|name| a.size(name));
        let (most, mut f) = (m.max(n), a.x[0].clone());
        let [u, values, vt] = if m.min(n) == 0 {
            [vec![], vec![], vec![]]
        } else if m < n {
            let t = transposed(&f, n);
            let [v, values, ut] = singular(&t, m);
            let mut factors = t;
            _ = qr(&mut factors, n, m);
            f = transposed(&factors, m);
            [transposed(&ut, m), values, transposed(&v, m)]
        } else {
            let [u, values, vt] = singular(&f, n);
            if m > n {
                _ = qr(&mut f, m, n);
            }
            [u, values, vt]
        };
        vec![wants(f, most), wants(u, most), wants(values, most), wants(vt, most)]
    }
}

/// Columns of what has so many elements, or `k` of nothing.
fn columns(len: usize, rows: usize, k: usize) -> usize {
    len.checked_div(rows).unwrap_or(k)
}
