//! Factorisations and what solves with them. Matrices are dominated by one element of each row and column, so that
//! errors in them stay what they are, pivots have no rivals and signs are certain; what else there is of matrices
//! stands in `tests/solve.rs`.

use super::*;
use fulmen::{MatMut, MatRef};

#[macro_export]
macro_rules! for_each_solver {
    ($cb:ident) => {
        $cb! {
            cholesky $crate::nn::solvers::Cholesky, threads;
            cholesky_solve $crate::nn::solvers::CholeskySolve, threads;
            lu $crate::nn::solvers::Lu, threads;
            lu_solve $crate::nn::solvers::LuSolve, threads;
            determinant $crate::nn::solvers::Determinant;
        }
    };
}

/// The order of a matrix for this number of columns: past the blocks, and for threads past what is worth one. In an
/// emulator one order has more than two blocks, and the others are below.
pub fn order(cols: usize) -> usize {
    match cols {
        64 if cfg!(fulmen_emulated) => 34,
        67..=1000 if cfg!(fulmen_emulated) => 30 + cols % 8,
        0..=66 => cols,
        67..=1000 => 30 + cols % 40,
        _ => 97 + cols % 131,
    }
}

/// For sizes that may be anything.
pub fn bounded(n: usize) -> usize {
    n.min(1 << 9)
}

/// Noise with `n` added on the diagonal.
pub fn dominated<T: Element>(n: usize, r: &mut Noise) -> Vec<T> {
    let mut a = r.slice::<T>(n * n, 1.0);
    for i in 0..n {
        a[i * n + i] = a[i * n + i] + T::from_usize(n);
    }
    a
}

/// What may be off by the errors of a matrix with such a domination: its largest value, times the condition.
pub fn wants(x: Vec<f64>, n: usize) -> Vec<Want> {
    let most = x.iter().filter(|x| x.is_finite()).fold(0.0f64, |m, x| m.max(x.abs()));
    x.into_iter().map(|value| Want { value, mass: 6.0 * most, n }).collect()
}

/// Indices as numbers, in memory of its own that nobody allocates.
pub fn indices<T: Element>(x: &[T]) -> ([usize; 512], usize) {
    let mut to = [0; 512];
    for (to, x) in to.iter_mut().zip(x) {
        *to = x.to_f64() as usize;
    }
    (to, x.len().min(512))
}

/// As [`indices`], of rows or columns.
pub fn places<T: Element>(x: &[T]) -> ([u32; 512], usize) {
    let mut to = [0; 512];
    for (to, x) in to.iter_mut().zip(x) {
        *to = x.to_f64() as u32;
    }
    (to, x.len().min(512))
}

/// `L` over the lower triangle.
pub fn cholesky(a: &mut [f64], n: usize) {
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|p| a[i * n + p] * a[j * n + p]).sum();
            let x = a[i * n + j] - sum;
            a[i * n + j] = if i == j { x.sqrt() } else { x / a[j * n + j] };
        }
    }
}

/// `PA = LU` over `m` rows of A.
pub fn lu(a: &mut [f64], m: usize, n: usize) -> Vec<usize> {
    (0..m.min(n))
        .map(|k| {
            let p = (k..m).fold(k, |p, i| if a[i * n + k].abs() > a[p * n + k].abs() { i } else { p });
            (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
            for i in k + 1..m {
                a[i * n + k] /= a[k * n + k];
                for j in k + 1..n {
                    a[i * n + j] -= a[i * n + k] * a[k * n + j];
                }
            }
            p
        })
        .collect()
}

/// A triangular solve: `a(i, j)` with `j < i`, then divided by `d(i)`.
fn forward(
    n: usize,
    cols: usize,
    b: &mut [f64],
    at: impl Fn(usize) -> usize,
    a: impl Fn(usize, usize) -> f64,
    d: impl Fn(usize) -> f64,
) {
    for i in 0..n {
        for c in 0..cols {
            let sum: f64 = (0..i).map(|p| a(at(i), at(p)) * b[at(p) * cols + c]).sum();
            b[at(i) * cols + c] = (b[at(i) * cols + c] - sum) / d(at(i));
        }
    }
}

pub fn cholesky_solve(l: &[f64], n: usize, cols: usize, b: &mut [f64]) {
    forward(n, cols, b, |i| i, |i, j| l[i * n + j], |i| l[i * n + i]);
    forward(n, cols, b, |i| n - 1 - i, |i, j| l[j * n + i], |i| l[i * n + i]);
}

pub fn lu_solve(f: &[f64], pivots: &[usize], n: usize, cols: usize, b: &mut [f64]) {
    for (i, p) in pivots.iter().enumerate() {
        (0..cols).for_each(|c| b.swap(i * cols + c, p * cols + c));
    }
    forward(n, cols, b, |i| i, |i, j| f[i * n + j], |_| 1.0);
    forward(n, cols, b, |i| n - 1 - i, |i, j| f[i * n + j], |i| f[i * n + i]);
}

/// Columns of a right-hand side of so many elements.
pub fn columns(len: usize, rows: usize) -> usize {
    len.checked_div(rows).unwrap_or(1)
}

/// Rows and columns of a square matrix of so many elements, of which an edge case may have fewer.
fn square<T>(x: &[T], n: usize) -> Result<MatRef<'_, T>, Error> {
    MatRef::row_major(x, n, x.len().checked_div(n).unwrap_or(0))
}

pub struct Cholesky;
impl Op for Cholesky {
    const NAME: &'static str = "cholesky";
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
        let n = a.size("n");
        at % n > at / n
    }
    fn sample<T: Element>(_: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        Args::new::<Self>(vec![dominated(n, r)], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::cholesky_workspace(bounded(a.size("n")))
    }
    called! {
        |s, a, [out], w| {
            let (n, len) = (a.size("n"), out.len());
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0)).and_then(|a| fulmen::cholesky_on(s, a, w))
        },
        parallel {
            let (n, len) = (a.size("n"), out.len());
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0)).and_then(|a| fulmen::parallel::cholesky_on(s, a, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let mut l = a.x[0].clone();
        cholesky(&mut l, n);
        let mut want = wants(l, n);
        for at in (0..n * n).filter(|at| at % n > at / n) {
            want[at].mass = 0.0;
        }
        vec![want]
    }
}

pub struct CholeskySolve;
impl Op for CholeskySolve {
    const NAME: &'static str = "cholesky_solve";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let l = dominated::<T>(n, r);
        Args::new::<Self>(vec![l, r.slice(n * rows.min(20), 2.0)], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[1].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = bounded(a.size("n"));
        fulmen::cholesky_solve_workspace(n, columns(a.x[1].len(), n))
    }
    called! {
        |s, a, [out], w| {
            let rows = a.get("rows").unwrap_or(a.size("n"));
            let cols = columns(out.len(), rows);
            square(&a.x[0], a.size("n")).and_then(|l| {
                MatMut::row_major(out, rows, cols).and_then(|b| fulmen::cholesky_solve_on(s, l, b, w))
            })
        },
        parallel {
            let rows = a.get("rows").unwrap_or(a.size("n"));
            let cols = columns(out.len(), rows);
            square(&a.x[0], a.size("n")).and_then(|l| {
                MatMut::row_major(out, rows, cols).and_then(|b| fulmen::parallel::cholesky_solve_on(s, l, b, w))
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let mut b = a.x[1].clone();
        cholesky_solve(&a.x[0], n, columns(b.len(), n), &mut b);
        vec![wants(b, n)]
    }
}

pub struct Lu;
impl Op for Lu {
    const NAME: &'static str = "lu";
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        // More rows, as many, or fewer.
        let m = match rows {
            1 => n,
            2 => n + 1 + r.bits() as usize % 40,
            _ => n.div_ceil(2),
        };
        let square = dominated::<T>(m.max(n), r);
        // The large elements are in other rows, and so is what a factor has of them.
        let mut a: Vec<Vec<T>> = square.chunks(m.max(n)).take(m).map(|row| row[..n].to_vec()).collect();
        for i in (1..m).rev() {
            a.swap(i, r.bits() as usize % (i + 1));
        }
        Args::new::<Self>(vec![a.concat()], vec![], &[("m", m), ("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone(), stale(bounded(a.size("m").min(a.size("n"))))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::lu_workspace(bounded(a.size("m")), bounded(a.size("n")))
    }
    called! {
        |s, a, [out, pivots], w| {
            let mut p = [0; 512];
            let to = &mut p[..pivots.len().min(512)];
            let done = MatMut::row_major(out, a.size("m"), a.size("n")).and_then(|a| fulmen::lu_on(s, a, to, w));
            if done.is_ok() {
                pivots.iter_mut().zip(p).for_each(|(to, p)| *to = T::from_usize(p as usize));
            }
            done
        },
        parallel {
            let mut p = [0; 512];
            let to = &mut p[..pivots.len().min(512)];
            let done = MatMut::row_major(out, a.size("m"), a.size("n"))
                .and_then(|a| fulmen::parallel::lu_on(s, a, to, w));
            if done.is_ok() {
                pivots.iter_mut().zip(p).for_each(|(to, p)| *to = T::from_usize(p as usize));
            }
            done
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n] = ["m", "n"].map(|size| a.size(size));
        let mut f = a.x[0].clone();
        let pivots = lu(&mut f, m, n);
        let exact = |p: &usize| Want { value: *p as f64, mass: 0.0, n };
        vec![wants(f, m.min(n)), pivots.iter().map(exact).collect()]
    }
}

pub struct LuSolve;
impl Op for LuSolve {
    const NAME: &'static str = "lu_solve";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let f = dominated::<T>(n, r);
        // What stands below the diagonal is of a unit triangle.
        let f = f.iter().enumerate().map(|(at, x)| if at % n < at / n { *x / T::from_usize(n) } else { *x });
        let pivots = (0..n).map(|i| T::from_usize(i + r.bits() as usize % (n - i))).collect();
        let x = vec![f.collect(), pivots, r.slice(n * rows.min(20), 2.0)];
        Args::new::<Self>(x, vec![], &[("n", n)])
    }
    fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
        // A NaN is no index.
        input == 1
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = bounded(a.size("n"));
        fulmen::lu_solve_workspace(n, columns(a.x[2].len(), n))
    }
    called! {
        |s, a, [out], w| {
            let rows = a.get("rows").unwrap_or(a.size("n"));
            let cols = columns(out.len(), rows);
            let (p, n) = places(&a.x[1]);
            square(&a.x[0], a.size("n")).and_then(|f| {
                MatMut::row_major(out, rows, cols).and_then(|b| fulmen::lu_solve_on(s, f, &p[..n], b, w))
            })
        },
        parallel {
            let rows = a.get("rows").unwrap_or(a.size("n"));
            let cols = columns(out.len(), rows);
            let (p, n) = places(&a.x[1]);
            square(&a.x[0], a.size("n")).and_then(|f| {
                MatMut::row_major(out, rows, cols).and_then(|b| fulmen::parallel::lu_solve_on(s, f, &p[..n], b, w))
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let pivots: Vec<usize> = a.x[1].iter().map(|p| *p as usize).collect();
        let mut b = a.x[2].clone();
        lu_solve(&a.x[0], &pivots, n, columns(b.len(), n), &mut b);
        vec![wants(b, n)]
    }
}

pub struct Determinant;
impl Op for Determinant {
    const NAME: &'static str = "determinant";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let a = LuSolve::sample::<T>(rows, cols + 2, r);
        let n = a.size("n");
        let mut f = a.x[0].clone();
        // The product is of moderate size.
        (0..n).for_each(|i| f[i * n + i] = f[i * n + i] / T::from_usize(n));
        Args::new::<Self>(vec![f, a.x[1].clone()], vec![], &[("n", n)])
    }
    fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
        input == 1
    }
    fn before<T: Element>(_: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(1)]
    }
    called! {
        |s, a, [out], _| {
            let (p, n) = places(&a.x[1]);
            let det = square(&a.x[0], a.size("n")).and_then(|f| fulmen::determinant_on(s, f, &p[..n]));
            det.map(|det| out.iter_mut().for_each(|to| *to = det))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let odd = a.x[1].iter().enumerate().filter(|(i, p)| **p != *i as f64).count() % 2 == 1;
        // From the smallest and the largest in turn, the product stays in range where its value does.
        let mut d: Vec<f64> = (0..n).map(|i| a.x[0][i * n + i]).collect();
        d.sort_by(|x, y| x.abs().total_cmp(&y.abs()));
        let mut value = if odd { -1.0 } else { 1.0 };
        while !d.is_empty() {
            value *= if f64::abs(value) > 1.0 { d.remove(0) } else { d.pop().unwrap() };
        }
        vec![vec![Want { value, mass: value.abs(), n }]]
    }
}
