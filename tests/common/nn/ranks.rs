//! Factors of any rank, inverses, conditions and updates, on matrices as those of [`solvers`](super::solvers).

use super::solvers::{bounded, cholesky, columns, dominated, lu, lu_solve, order, places, wants};
use super::*;
use dense::factors::qr;
use fulmen::{MatMut, MatRef};

#[macro_export]
macro_rules! for_each_rank {
    ($cb:ident) => {
        $cb! {
            qr_pivoted $crate::nn::ranks::Pivoted;
            least_norm $crate::nn::ranks::LeastNorm;
            inverse $crate::nn::ranks::Inverse, threads;
            lu_condition $crate::nn::ranks::Condition;
            cholesky_update $crate::nn::ranks::Update;
            lu_refine $crate::nn::refined::LuRefine;
            cholesky_refine $crate::nn::refined::CholeskyRefine;
            schur $crate::nn::eigen::Schur;
            eig $crate::nn::eigen::Eig;
            ldlt $crate::nn::symmetric::Ldlt, threads;
            ldlt_solve $crate::nn::symmetric::LdltSolve, threads;
        }
    };
}

/// More rows, as many or fewer, whose columns have lengths that no rounding takes for one another.
fn apart<T: Element>(rows: usize, n: usize, r: &mut Noise) -> (usize, Vec<T>) {
    let m = match rows {
        1 => n,
        3 => n.div_ceil(2),
        _ => n + 1 + r.bits() as usize % 40,
    };
    let side = m.max(n);
    let mut places: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| places.swap(i, r.bits() as usize % (i + 1)));
    let square = dominated::<T>(side, r);
    let of = |(at, x): (usize, &T)| *x * T::from_f64(1.0 + 0.05 * places[at % side] as f64);
    // Without a diagonal of its own a column has no length that is sure.
    let few = m < n;
    let wide = |at: usize, x: T| {
        if few && at % side >= m {
            x * T::from_f64(1.0 / 512.0 / (1.0 + 0.05 * places[at % side] as f64))
        } else {
            x
        }
    };
    let rows = (0..m).flat_map(|i| (0..n).map(move |j| i * side + j));
    (m, rows.map(|at| wide(at, of((at, &square[at])))).collect())
}

/// The factors of `m` rows with the longest column in front at each step.
fn pivoted(a: &mut [f64], m: usize, n: usize) -> (Vec<f64>, Vec<usize>) {
    let mut places: Vec<usize> = (0..n).collect();
    let mut tau = vec![];
    for k in 0..m.min(n) {
        // No square of a subnormal number is one.
        let length = |j: usize| (k..m).fold(0.0f64, |length, i| length.hypot(a[i * n + j]));
        let most = (k..n).fold(k, |most, j| if length(j) > length(most) { j } else { most });
        (0..m).for_each(|i| a.swap(i * n + k, i * n + most));
        places.swap(k, most);
        // One step of what is left.
        let width = n - k;
        let mut rest: Vec<f64> = (k..m).flat_map(|i| a[i * n + k..(i + 1) * n].to_vec()).collect();
        let one: Vec<f64> = (0..m - k).map(|i| rest[i * width]).collect();
        let mut first = one.clone();
        let t = qr(&mut first, m - k, 1)[0];
        for j in 1..width {
            let v = |i: usize| if i == 0 { 1.0 } else { first[i] };
            let w: f64 = (0..m - k).map(|i| v(i) * rest[i * width + j]).sum();
            (0..m - k).for_each(|i| rest[i * width + j] -= t * w * v(i));
        }
        for i in k..m {
            a[i * n + k..(i + 1) * n].copy_from_slice(&rest[(i - k) * width..(i - k + 1) * width]);
            a[i * n + k] = first[i - k];
        }
        tau.push(t);
    }
    (tau, places)
}

fn exact(x: usize) -> Want {
    Want { value: x as f64, mass: 0.0, n: 1 }
}

pub struct Pivoted;
impl Op for Pivoted {
    const NAME: &'static str = "qr_pivoted";
    const CUBED: bool = true;
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let (m, a) = apart(rows, n, r);
        Args::new::<Self>(vec![a], vec![], &[("m", m), ("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let [m, n] = ["m", "n"].map(|name| bounded(a.size(name)));
        vec![a.x[0].clone(), stale(m.min(n)), stale(n)]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::qr_pivoted_workspace(bounded(a.size("m")), bounded(a.size("n")))
    }
    called! {
        |s, a, [out, tau, pivots], w| {
            let (mut p, n) = places(pivots);
            let done = MatMut::row_major(out, a.size("m"), a.size("n"))
                .and_then(|a| fulmen::qr_pivoted_on(s, a, tau, &mut p[..n], w));
            if done.is_ok() {
                pivots.iter_mut().zip(p).for_each(|(to, p)| *to = T::from_usize(p as usize));
            }
            done
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n] = ["m", "n"].map(|name| a.size(name));
        let mut f = a.x[0].clone();
        let (tau, pivots) = pivoted(&mut f, m, n);
        vec![wants(f, m.max(n)), wants(tau, m.max(n)), pivots.into_iter().map(exact).collect()]
    }
}

pub struct LeastNorm;
impl Op for LeastNorm {
    const NAME: &'static str = "least_norm";
    const CUBED: bool = true;
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        let [m, n] = ["m", "n"].map(|name| a.size(name));
        input == 1 && at / columns(a.x[1].len(), m.max(n)).max(1) >= m
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let (m, a) = apart(rows, n, r);
        let x = vec![a, r.slice(m.max(n) * rows.min(20), 2.0)];
        Args::new::<Self>(x, vec![T::from_f64(1e-4)], &[("m", m), ("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[1].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let [m, n] = ["m", "n"].map(|name| bounded(a.size(name)));
        let rows = bounded(a.get("rows").unwrap_or(m.max(n)));
        // What is factored lies behind the rest: this test keeps the right-hand sides alone.
        fulmen::least_norm_workspace(m, n, columns(a.x[1].len(), rows)) + m * n + m.min(n)
    }
    called! {
        |s, a, [out], w| {
            let [m, n] = ["m", "n"].map(|name| a.size(name));
            let rows = a.get("rows").unwrap_or(m.max(n));
            let b = MatMut::row_major(out, rows, columns(out.len(), rows));
            let ([len, k], kept) = ([a.x[0].len(), bounded(m.min(n))], w.len());
            let (factors, w) = w.split_at_mut(len.min(kept));
            let (tau, w) = w.split_at_mut(k.min(w.len()));
            factors.iter_mut().zip(&a.x[0]).for_each(|(to, x)| *to = *x);
            let (mut p, n) = ([0; 512], bounded(n));
            // A workspace that is short is that of the op.
            let w = if a.get("workspace").is_some() { &mut [] } else { w };
            let (mut all, mut one) = (vec_of(&a.x[0]), [T::ZERO; 512]);
            let (factors, tau) = if factors.len() < len || tau.len() < k { (&mut all[..len.min(64)], &mut one[..k]) } else { (factors, tau) };
            let f = MatMut::row_major(factors, a.size("m"), a.size("n"));
            f.and_then(|f| fulmen::least_norm_on(s, f, tau, &mut p[..n], b?, a.p[0], w).map(drop))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n] = ["m", "n"].map(|name| a.size(name));
        let (mut b, cols) = (a.x[1].clone(), columns(a.x[1].len(), m.max(n)));
        if m == 0 || n == 0 || a.x[0].iter().all(|x| *x == 0.0) || a.p[0] >= 1.0 {
            (0..n * cols).for_each(|at| b[at] = 0.0);
            return vec![wants(b, n)];
        }
        // Of full rank: by the inverse of AᵀA, or AAᵀ, through elimination in f64, on columns of one length.
        let x = |i: usize, j: usize| a.x[0][i * n + j];
        let k = m.min(n);
        let of = |p: usize, q: usize| -> f64 {
            if m >= n {
                (0..m).map(|i| x(i, p) * x(i, q)).sum()
            } else {
                (0..n).map(|j| x(p, j) * x(q, j)).sum()
            }
        };
        let mut g: Vec<f64> = (0..k * k).map(|at| of(at / k, at % k)).collect();
        let pivots = lu(&mut g, k, k);
        let at = |i: usize, c: usize| a.x[1][i * cols + c];
        let mut y: Vec<f64> = (0..k * cols)
            .map(|p| {
                let (i, c) = (p / cols, p % cols);
                if m >= n { (0..m).map(|q| x(q, i) * at(q, c)).sum() } else { at(i, c) }
            })
            .collect();
        lu_solve(&g, &pivots, k, cols, &mut y);
        for (i, c) in (0..n).flat_map(|i| (0..cols).map(move |c| (i, c))) {
            b[i * cols + c] =
                if m >= n { y[i * cols + c] } else { (0..m).map(|p| x(p, i) * y[p * cols + c]).sum() };
        }
        let mut want = wants(b, m.max(n));
        // What lies behind X is what is left, in the basis of Q, or the guess that nobody made.
        if m > n {
            let mut f = a.x[0].clone();
            let (tau, _) = pivoted(&mut f, m, n);
            let mut c = a.x[1].clone();
            for (k, tau) in tau.iter().enumerate() {
                let v = |i: usize| if i == k { 1.0 } else { f[i * n + k] };
                for j in 0..cols {
                    let w: f64 = (k..m).map(|i| v(i) * c[i * cols + j]).sum();
                    (k..m).for_each(|i| c[i * cols + j] -= tau * w * v(i));
                }
            }
            let most = c.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            (n * cols..m * cols).for_each(|at| {
                want[at] = Want { value: c[at], mass: 6.0 * most, n: m };
            });
        }
        vec![want]
    }
}

/// A copy, as large as samples are.
pub fn vec_of<T: Element>(x: &[T]) -> [T; 64] {
    let mut to = [T::ZERO; 64];
    to.iter_mut().zip(x).for_each(|(to, x)| *to = *x);
    to
}

pub struct Inverse;
impl Op for Inverse {
    const NAME: &'static str = "inverse";
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(_: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let mut rows: Vec<Vec<T>> = dominated::<T>(n, r).chunks(n.max(1)).map(|row| row.to_vec()).collect();
        (1..n).rev().for_each(|i| rows.swap(i, r.bits() as usize % (i + 1)));
        Args::new::<Self>(vec![rows.concat()], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::inverse_workspace(bounded(a.size("n")))
    }
    called! {
        |s, a, [out], w| {
            let (n, len, mut p) = (a.size("n"), out.len(), [0; 512]);
            let p = &mut p[..bounded(a.get("pivots").unwrap_or(n))];
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0)).and_then(|a| fulmen::inverse_on(s, a, p, w))
        },
        parallel {
            let (n, len, mut p) = (a.size("n"), out.len(), [0; 512]);
            let p = &mut p[..bounded(a.get("pivots").unwrap_or(n))];
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0))
                .and_then(|a| fulmen::parallel::inverse_on(s, a, p, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let mut f = a.x[0].clone();
        let pivots = lu(&mut f, n, n);
        let mut x: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }).collect();
        lu_solve(&f, &pivots, n, n, &mut x);
        vec![wants(x, n)]
    }
}

pub struct Condition;
impl Op for Condition {
    const NAME: &'static str = "lu_condition";
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
        input == 1
    }
    fn sample<T: Element>(_: usize, cols: usize, r: &mut Noise) -> Args<T> {
        // One column of the inverse outweighs the others, so that the estimate is the truth.
        let n = order(cols);
        let mut a = dominated::<f64>(n, r);
        let at = r.bits() as usize % n.max(1);
        (0..n).for_each(|j| a[at * n + j] /= 64.0);
        let norm = (0..n).map(|j| (0..n).map(|i| a[i * n + j].abs()).sum::<f64>()).fold(0.0, f64::max);
        let pivots = lu(&mut a, n, n);
        let x =
            vec![a.into_iter().map(T::from_f64).collect(), pivots.into_iter().map(T::from_usize).collect()];
        Args::new::<Self>(x, vec![T::from_f64(norm)], &[("n", n)])
    }
    fn before<T: Element>(_: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(1)]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::lu_condition_workspace(bounded(a.size("n")))
    }
    called! {
        |s, a, [out], w| {
            let (p, n) = places(&a.x[1]);
            let f = MatRef::row_major(&a.x[0], a.size("n"), a.x[0].len().checked_div(a.size("n")).unwrap_or(0));
            let got = f.and_then(|f| fulmen::lu_condition_on(s, f, &p[..n], a.p[0], w));
            got.map(|got| out.iter_mut().for_each(|to| *to = got))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let mut x: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }).collect();
        let pivots: Vec<usize> = a.x[1].iter().map(|p| *p as usize).collect();
        lu_solve(&a.x[0], &pivots, n, n, &mut x);
        let norm = (0..n).map(|j| (0..n).map(|i| x[i * n + j].abs()).sum::<f64>()).fold(0.0, f64::max);
        let value = if n == 0 { 1.0 } else { 1.0 / (a.p[0] * norm) };
        vec![wants(vec![if value.is_finite() { value } else { 0.0 }], n)]
    }
}

pub struct Update;
impl Op for Update {
    const NAME: &'static str = "cholesky_update";
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        let n = a.size("n");
        input == 0 && at % n > at / n
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let mut l = dominated::<f64>(n, r);
        cholesky(&mut l, n);
        let x = vec![l.into_iter().map(T::from_f64).collect(), r.slice(n, 0.5)];
        let words: &[_] =
            if (rows + cols).is_multiple_of(2) { &[("n", n), ("down", 1)] } else { &[("n", n)] };
        Args::new::<Self>(x, vec![], words)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[0].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        a.x[1].len()
    }
    called! {
        |s, a, [out], w| {
            let (n, len) = (a.size("n"), out.len());
            // The vector is no result: it lies in the workspace.
            w.iter_mut().zip(&a.x[1]).for_each(|(to, x)| *to = *x);
            MatMut::row_major(out, n, len.checked_div(n).unwrap_or(0))
                .and_then(|l| fulmen::cholesky_update_on(s, a.get("down").is_some(), l, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let sign = if a.get("down").is_some() { -1.0 } else { 1.0 };
        let l = |i: usize, k: usize| if k > i { 0.0 } else { a.x[0][i * n + k] };
        let mut m = a.x[0].clone();
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            m[i * n + j] = (0..=j).map(|k| l(i, k) * l(j, k)).sum::<f64>() + sign * a.x[1][i] * a.x[1][j];
        }
        cholesky(&mut m, n);
        let mut want = wants(m, n);
        (0..n * n).filter(|at| at % n > at / n).for_each(|at| want[at].mass = 0.0);
        vec![want]
    }
}
