//! Factorisations by what they guarantee: backward errors within the bounds of the contracts, on matrices that are hard in
//! different ways; every layout of views; what is refused.

use common::Errors;
use common::lanes::*;
use common::nn::Noise;
use dense::Matrix;
use fulmen::contract::spec;
use fulmen::lanes::{Simd, native};
use fulmen::*;

mod batched;
mod divided;
mod eigen;
mod ranks;
mod refined;
mod scaled;
mod small;
mod spectra;
mod symmetric;

/// A guarantee of a contract beside its results: the op, the bound's name and the lane.
type Guarantee<'a> = [&'a str; 3];

/// An error within the bound, of which the reference's own rounding, in `f64`, takes as much.
fn keep<T: Element>([op, name, lane]: Guarantee<'_>, n: usize, error: f64, of: f64, at: &str) {
    let bound =
        spec(op).and_then(|s| s.residual(name)).unwrap_or_else(|| panic!("{op} guarantees no {name}"));
    let allowed = bound.allowed::<T>(n, of) + bound.allowed::<f64>(n, of);
    Errors::guaranteed(op, T::NAME, lane, name).see(error, allowed, n);
    assert!(error <= allowed, "{op}, {name} of {at}: off by {error:e} where {allowed:e} is allowed");
}

/// The same of each element.
fn keep_each<T: Element>(guarantee: Guarantee<'_>, n: usize, off: &Matrix, of: &Matrix, at: &str) {
    assert_eq!(off.x.len(), of.x.len(), "{at}");
    let share = |(off, of): (&f64, &f64)| if *off == 0.0 { 0.0 } else { off.abs() / of };
    let shares = off.x.iter().zip(&of.x).map(share);
    keep::<T>(
        guarantee,
        n,
        shares.fold(0.0, |most, x| if x > most || x.is_nan() { x } else { most }),
        1.0,
        at,
    );
}

fn one(n: usize) -> Matrix {
    Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)))
}

/// How far columns are from orthonormal, by the root of the sum of squares, of what they have.
fn orthonormal<T: Element>(guarantee: Guarantee<'_>, n: usize, q: &Matrix, at: &str) {
    let off = one(q.cols).sub(&q.t().mul(q)).size();
    keep::<T>(guarantee, n, off, (q.cols as f64).sqrt(), at);
}
/// Around the rows and columns that are factored at once, and of several parts; more where it costs little.
const ORDERS: &[usize] = if cfg!(debug_assertions) {
    &[1, 2, 5, 15, 16, 17, 31, 32, 33, 65]
} else {
    &[1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97, 130, 200]
};

fn unit<T: Element>() -> f64 {
    f64::powi(2.0, -T::SIGNIFICAND - 1)
}

/// From and to the numbers of a type.
trait Of: Sized {
    fn random(rows: usize, cols: usize, seed: u64) -> Self;
    fn of<T: Element>(rows: usize, cols: usize, x: &[T]) -> Self;
    /// As numbers of the type, and those again as they are now.
    fn rounded<T: Element>(self) -> (Vec<T>, Self);
}

impl Of for Matrix {
    fn random(rows: usize, cols: usize, seed: u64) -> Self {
        Self { rows, cols, x: Noise(seed).slice(rows * cols, 1.0) }
    }
    fn of<T: Element>(rows: usize, cols: usize, x: &[T]) -> Self {
        Self { rows, cols, x: x.iter().map(|x| x.to_f64()).collect() }
    }
    fn rounded<T: Element>(self) -> (Vec<T>, Self) {
        let t: Vec<T> = self.x.iter().map(|x| T::from_f64(*x)).collect();
        let now = Self::of(self.rows, self.cols, &t);
        (t, now)
    }
}

/// Powers of ten from 1 down to `10^-span`.
fn graded(i: usize, n: usize, span: f64) -> f64 {
    f64::powf(10.0, -span * i as f64 / n as f64)
}

/// Symmetric, positive definite ones.
fn definite<T: Element>(n: usize) -> Vec<(&'static str, Matrix)> {
    let g = Matrix::random(n, n, n as u64);
    let mut plain = g.mul(&g.t());
    (0..n).for_each(|i| plain.x[i * n + i] += 0.1);
    let scale = |span| Matrix::new(n, n, |i, j| plain.at(i, j) * graded(i, n, span) * graded(j, n, span));
    // No larger a disturbance than rounding makes of it.
    let shift = 8.0 * n as f64 * unit::<T>();
    let hilbert = Matrix::new(n, n, |i, j| 1.0 / (i + j + 1) as f64 + if i == j { shift } else { 0.0 });
    let far = if T::NAME == "f32" { 1e-20 } else { 1e-150 };
    vec![
        ("random", plain.clone()),
        ("graded", scale(8.0)),
        ("Hilbert", hilbert),
        ("large", plain.clone().scaled(1e20)),
        ("small", plain.clone().scaled(1e-20)),
        ("far", plain.clone().scaled(far)),
    ]
}

/// Those of `rows` by `cols` that are no better.
fn general(m: usize, n: usize) -> Vec<(&'static str, Matrix)> {
    let plain = Matrix::random(m, n, (m * 1000 + n) as u64);
    let (s, c) = f64::sin_cos(1.2);
    let kahan = |i: usize, j: usize| {
        let d = s.powi(i as i32);
        match i.cmp(&j) {
            std::cmp::Ordering::Less => -c * d,
            std::cmp::Ordering::Equal => d,
            std::cmp::Ordering::Greater => 0.0,
        }
    };
    // The last column is a sum of others, but for rounding.
    let near = Matrix::new(m, n, |i, j| {
        if j + 1 < n {
            plain.at(i, j)
        } else {
            (0..n - 1).map(|p| plain.at(i, p)).sum::<f64>() / n as f64 + 1e-30
        }
    });
    vec![
        ("random", plain.clone()),
        ("rows graded", Matrix::new(m, n, |i, j| plain.at(i, j) * graded(i, m, 12.0))),
        ("columns graded", Matrix::new(m, n, |i, j| plain.at(i, j) * graded(j, n, 12.0))),
        ("Hilbert", Matrix::new(m, n, |i, j| 1.0 / (i + j + 1) as f64)),
        ("Kahan", Matrix::new(m, n, kahan)),
        ("nearly singular", near),
        ("large", plain.clone().scaled(1e20)),
        ("small", plain.clone().scaled(1e-20)),
    ]
}

/// Only what stands below the diagonal, or there, of the first columns.
fn lower(f: &Matrix, cols: usize, unit: bool) -> Matrix {
    Matrix::new(f.rows, cols, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => f.at(i, j),
        std::cmp::Ordering::Equal if unit => 1.0,
        std::cmp::Ordering::Equal => f.at(i, j),
        std::cmp::Ordering::Less => 0.0,
    })
}

fn upper(f: &Matrix, rows: usize) -> Matrix {
    Matrix::new(rows, f.cols, |i, j| if i <= j { f.at(i, j) } else { 0.0 })
}

fn room<T: Element>(n: usize) -> Vec<T> {
    vec![T::NAN; n]
}

/// Every layout of a view: rows with gaps, columns, and both backwards.
fn layouts<T: Element>(
    x: &[T],
    rows: usize,
    cols: usize,
    mut f: impl FnMut(&str, MatMut<'_, T>),
) -> Vec<Vec<T>> {
    let mut results = vec![];
    let (r, c) = (rows as isize, cols as isize);
    let [last_r, last_c] = [r - 1, c - 1].map(|n| n.max(0));
    for (name, first, rs, cs) in [
        ("rows", 0, c, 1),
        ("rows with gaps", 3, c + 5, 1),
        ("columns", 0, 1, r),
        ("columns with gaps", 2, 1, r + 3),
        ("every second", 1, 2 * c + 1, 2),
        ("backwards", last_r * (c + 1) + last_c, -(c + 1), -1),
    ] {
        let at = |i: usize, j: usize| (first + i as isize * rs + j as isize * cs) as usize;
        let len = 4 + 2 * (rows + 6) * (cols + 6);
        let stale = T::from_f64(-77.0);
        let mut data = vec![stale; len];
        (0..rows * cols).for_each(|k| data[at(k / cols, k % cols)] = x[k]);
        f(name, MatMut::strided(&mut data, first as usize, rows, cols, rs, cs).unwrap());
        results.push((0..rows * cols).map(|k| data[at(k / cols, k % cols)]).collect());
        (0..rows * cols).for_each(|k| data[at(k / cols, k % cols)] = stale);
        assert!(data.iter().all(|x| *x == stale), "{name}: wrote outside");
    }
    results
}

fn cholesky_of<S: Simd, T: Element>(s: S, a: &[T], n: usize) -> Vec<T> {
    let mut l = a.to_vec();
    // What is above the diagonal is not read.
    (0..n * n).filter(|at| at % n > at / n).for_each(|at| l[at] = T::NAN);
    cholesky_on(s, MatMut::row_major(&mut l, n, n).unwrap(), &mut room(cholesky_workspace(n))).unwrap();
    l
}

fn lu_of<S: Simd, T: Element>(s: S, a: &[T], m: usize, n: usize) -> (Vec<T>, Vec<u32>) {
    let (mut f, mut pivots) = (a.to_vec(), vec![u32::MAX; m.min(n)]);
    let done = lu_on(s, MatMut::row_major(&mut f, m, n).unwrap(), &mut pivots, &mut room(lu_workspace(m, n)));
    // A factorisation with a zero pivot is complete.
    assert!(matches!(done, Ok(()) | Err(Error::Pivot { .. })), "{done:?}");
    (f, pivots)
}

/// `|A - LU|` by what its terms are.
fn factors_of<T: Element>(guarantee: Guarantee<'_>, n: usize, l: &Matrix, u: &Matrix, a: &Matrix, at: &str) {
    keep_each::<T>(guarantee, n, &l.mul(u).sub(a), &l.magnitudes().mul(&u.magnitudes()), at);
}

fn cholesky_ratios<S: Simd, T: Element>(s: S) {
    for &n in ORDERS {
        for (name, a) in definite::<T>(n) {
            let (t, a) = a.rounded::<T>();
            let l = lower(&Matrix::of(n, n, &cholesky_of(s, &t, n)), n, false);
            let at = format!("{name} {} {n} {}", T::NAME, S::NAME);
            factors_of::<T>(["cholesky", "factors", S::NAME], n, &l, &l.t(), &a, &at);
        }
    }
}

#[test]
fn cholesky_backward_errors() {
    for_each_lane!(|s| {
        cholesky_ratios::<_, f32>(s);
        cholesky_ratios::<_, f64>(s);
    });
}

/// `|b - Ax|₂` of each column, by `|A| |x|₂`.
fn residual<T: Element>(op: &str, a: &Matrix, x: &Matrix, b: &Matrix, at: &str) {
    let (r, size) = (b.sub(&a.mul(x)), a.size());
    for j in 0..b.cols {
        let of = |m: &Matrix| Matrix::new(m.rows, 1, |i, _| m.at(i, j)).size();
        let lane = name_of(native());
        keep::<T>([op, "residual", lane], a.rows, of(&r), size * of(x), at);
    }
}

#[test]
fn cholesky_residuals() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for (name, a) in definite::<T>(n) {
                let (t, a) = a.rounded::<T>();
                let l = cholesky_of(native(), &t, n);
                for cols in [1, 3, 40] {
                    let (mut x, b) = Matrix::random(n, cols, 5).rounded::<T>();
                    let mut w = room(cholesky_solve_workspace(n, cols));
                    let to = MatMut::row_major(&mut x, n, cols).unwrap();
                    cholesky_solve(MatRef::row_major(&l, n, n).unwrap(), to, &mut w).unwrap();
                    let at = format!("{name} {} {n} x {cols}", T::NAME);
                    residual::<T>("cholesky_solve", &a, &Matrix::of(n, cols, &x), &b, &at);
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

fn exchanged(a: &Matrix, pivots: &[u32]) -> Matrix {
    let mut a = a.clone();
    for (i, p) in pivots.iter().map(|p| *p as usize).enumerate() {
        assert!(p >= i && p < a.rows, "row {i} with {p}");
        (0..a.cols).for_each(|j| a.x.swap(i * a.cols + j, p * a.cols + j));
    }
    a
}

fn lu_ratios<S: Simd, T: Element>(s: S) {
    let shapes = ORDERS.iter().flat_map(|&n| [[n, n], [n + 21, n], [n, n + 19]]);
    for [m, n] in shapes {
        for (name, a) in general(m, n).into_iter().take(taken::<S>(2)) {
            let at = format!("{name} {} {m} x {n} {}", T::NAME, S::NAME);
            let (t, a) = a.rounded::<T>();
            let (f, pivots) = lu_of(s, &t, m, n);
            let f = Matrix::of(m, n, &f);
            let (l, u) = (lower(&f, m.min(n), true), upper(&f, m.min(n)));
            assert!(l.x.iter().all(|x| x.abs() <= 1.0), "{at}: a multiplier above 1");
            factors_of::<T>(["lu", "factors", S::NAME], m.min(n), &l, &u, &exchanged(&a, &pivots), &at);
        }
    }
}

#[test]
fn lu_backward_errors() {
    for_each_lane!(|s| {
        lu_ratios::<_, f32>(s);
        lu_ratios::<_, f64>(s);
    });
}

#[test]
fn lu_residuals() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for (name, a) in general(n, n) {
                let (t, a) = a.rounded::<T>();
                let (f, pivots) = lu_of(native(), &t, n, n);
                if (0..n).any(|i| f[i * n + i] == T::ZERO) {
                    continue;
                }
                for cols in [1, 3, 40] {
                    let (mut x, b) = Matrix::random(n, cols, 5).rounded::<T>();
                    let mut w = room(lu_solve_workspace(n, cols));
                    let to = MatMut::row_major(&mut x, n, cols).unwrap();
                    lu_solve(MatRef::row_major(&f, n, n).unwrap(), &pivots, to, &mut w).unwrap();
                    let x = Matrix::of(n, cols, &x);
                    // A solution past the largest number is infinite.
                    if x.x.iter().any(|x| !x.is_finite()) {
                        assert!(["nearly singular", "Hilbert"].contains(&name), "{name} {n}");
                        continue;
                    }
                    residual::<T>("lu_solve", &a, &x, &b, &format!("{name} {} {n} x {cols}", T::NAME));
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// A power of two, of the matrix or of its rows and columns, changes nothing but exponents.
#[test]
fn scales_change_no_decision() {
    fn check<T: Element>() {
        let n = 70;
        let far: f64 = if T::NAME == "f32" { 20.0 } else { 200.0 };
        let (a, _) = definite::<T>(n)[0].1.clone().rounded::<T>();
        let (l, (f, p)) = (cholesky_of(native(), &a, n), lu_of(native(), &a, n, n));
        for e in [-far, far] {
            let by = |x: &[T], f: f64| x.iter().map(|x| *x * T::from_f64(f64::exp2(f))).collect::<Vec<T>>();
            let scaled = by(&a, 2.0 * e);
            let same = |x: &[T], y: &[T]| x.iter().zip(y).all(|(x, y)| x == y || x.to_f64().is_nan());
            assert!(same(&by(&l, e), &cholesky_of(native(), &scaled, n)), "{} {e}", T::NAME);
            let (g, q) = lu_of(native(), &scaled, n, n);
            assert_eq!(p, q);
            // The multipliers stay, the rest is scaled.
            let split = |x: &[T], lower| {
                (0..n * n).filter(|at| (at % n < at / n) == lower).map(|at| x[at]).collect::<Vec<T>>()
            };
            assert!(same(&split(&f, true), &split(&g, true)), "{} {e}", T::NAME);
            assert!(same(&by(&split(&f, false), 2.0 * e), &split(&g, false)), "{} {e}", T::NAME);
        }
        // A tiny pivot is one; a singular matrix has its index.
        for k in [0, 15, 16, 33, 69] {
            let mut d: Vec<T> = vec![T::ZERO; n * n];
            (0..n).for_each(|i| d[i * n + i] = T::MIN_NORMAL);
            assert!(!lu_of(native(), &d, n, n).0.contains(&T::NAN));
            let mut w = room(lu_workspace(n, n));
            let mut run = |mut d: Vec<T>| lu(MatMut::row_major(&mut d, n, n).unwrap(), &mut [0; 70], &mut w);
            assert_eq!(run(d.clone()), Ok(()));
            d[k * n + k] = T::ZERO;
            assert_eq!(run(d.clone()), Err(Error::pivot("a", k)));
            let mut w = room(cholesky_workspace(n));
            let a = MatMut::row_major(&mut d, n, n).unwrap();
            assert_eq!(cholesky(a, &mut w), Err(Error::pivot("a", k)));
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn factors_in_every_layout() {
    fn check<T: Element>() {
        for n in [1, 7, 33, 50] {
            let (t, a) = definite::<T>(n)[0].1.clone().rounded::<T>();
            let lane = name_of(native());
            let w = &mut room(cholesky_workspace(n));
            for l in layouts(&t, n, n, |_, a| cholesky(a, w).unwrap()) {
                let l = lower(&Matrix::of(n, n, &l), n, false);
                factors_of::<T>(["cholesky", "factors", lane], n, &l, &l.t(), &a, "a layout");
            }
            // By the other triangle.
            for u in layouts(&t, n, n, |_, a| cholesky(a.t(), w).unwrap()) {
                let u = upper(&Matrix::of(n, n, &u), n);
                factors_of::<T>(["cholesky", "factors", lane], n, &u.t(), &u, &a, "the transpose");
            }
            let l = cholesky_of(native(), &t, n);
            let f = lu_of(native(), &t, n, n);
            let (b, wide) = Matrix::random(n, 9, 3).rounded::<T>();
            let w = &mut room(lu_solve_workspace(n, 9));
            let [lv, fv] = [&l, &f.0].map(|x| MatRef::row_major(x, n, n).unwrap());
            let by_l = layouts(&b, n, 9, |_, b| cholesky_solve(lv, b, w).unwrap());
            let by_f = layouts(&b, n, 9, |_, b| lu_solve(fv, &f.1, b, w).unwrap());
            for (op, x) in [("cholesky_solve", by_l), ("lu_solve", by_f)] {
                x.iter().for_each(|x| residual::<T>(op, &a, &Matrix::of(n, 9, x), &wide, "a layout"));
            }
        }
        for [m, n] in [[40, 33], [33, 40]] {
            let (t, a) = Matrix::random(m, n, 9).rounded::<T>();
            let w = &mut room(lu_workspace(m, n));
            let mut all = vec![];
            let results = layouts(&t, m, n, |_, a| {
                let mut pivots = vec![0; m.min(n)];
                lu(a, &mut pivots, w).unwrap();
                all.push(pivots);
            });
            for (f, pivots) in results.iter().zip(all) {
                let f = Matrix::of(m, n, f);
                let (l, u) = (lower(&f, m.min(n), true), upper(&f, m.min(n)));
                let guarantee = ["lu", "factors", name_of(native())];
                factors_of::<T>(guarantee, m.min(n), &l, &u, &exchanged(&a, &pivots), "a layout");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// By expansion along rows, in integers.
fn expanded(a: &[Vec<i64>]) -> i64 {
    let Some((first, rest)) = a.split_first() else { return 1 };
    let minor = |j: usize| -> Vec<Vec<i64>> {
        rest.iter()
            .map(|row| row.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, x)| *x).collect())
            .collect()
    };
    first
        .iter()
        .enumerate()
        .map(|(j, x)| if j % 2 == 0 { x * expanded(&minor(j)) } else { -x * expanded(&minor(j)) })
        .sum()
}

#[test]
fn determinants() {
    let mut r = Noise(3);
    for n in 0..7 {
        for _ in 0..20 {
            let a: Vec<Vec<i64>> =
                (0..n).map(|_| (0..n).map(|_| (r.bits() % 9) as i64 - 4).collect()).collect();
            let x: Vec<f64> = a.iter().flatten().map(|x| *x as f64).collect();
            let (f, p) = lu_of(native(), &x, n, n);
            let det = determinant(MatRef::row_major(&f, n, n).unwrap(), &p).unwrap();
            let exact = expanded(&a) as f64;
            assert!((det - exact).abs() < 1e-9 * (1.0 + exact.abs()), "{det} {exact} {a:?}");
        }
    }
    // Factors whose product is past every exponent until the last one; each exchange turns the sign.
    for n in [64, 65, 500] {
        let mut f = vec![0.0f32; n * n];
        (0..n).for_each(|i| f[i * n + i] = if i < n / 2 { 1e30 } else { 1e-30 });
        let pivots: Vec<u32> =
            (0..n as u32).map(|i| if i % 3 == 0 && i + 1 < n as u32 { i + 1 } else { i }).collect();
        let exchanges = (0..n).filter(|i| i % 3 == 0 && i + 1 < n).count();
        let det = determinant(MatRef::row_major(&f, n, n).unwrap(), &pivots).unwrap();
        let last: f64 = if n % 2 == 1 { 1e-30 } else { 1.0 };
        let exact = last * f64::powi(f64::from(1e30f32) * f64::from(1e-30f32), (n / 2) as i32);
        let sign = if exchanges % 2 == 1 { -1.0 } else { 1.0 };
        assert!((f64::from(det) * sign / exact - 1.0).abs() < 1e-6, "{n}: {det} {exact}");
    }
}

/// The factors and τ, and Q and R in `f64`: Q as many columns as rows.
fn qr_of<S: Simd, T: Element>(s: S, a: &[T], m: usize, n: usize) -> (Vec<T>, Vec<T>, Matrix, Matrix) {
    let (mut f, mut tau) = (a.to_vec(), vec![T::NAN; m.min(n)]);
    qr_on(s, MatMut::row_major(&mut f, m, n).unwrap(), &mut tau, &mut room(qr_workspace(m, n))).unwrap();
    let mut q = vec![T::ZERO; m * m];
    (0..m).for_each(|i| q[i * m + i] = T::ONE);
    let w = &mut room(qr_apply_workspace(m, m.min(n), m));
    let factors = MatRef::row_major(&f, m, n).unwrap();
    qr_apply_on(s, false, factors, &tau, MatMut::row_major(&mut q, m, m).unwrap(), w).unwrap();
    let r = upper(&Matrix::of(m, n, &f), m);
    (f, tau, Matrix::of(m, m, &q), r)
}

/// Ratios of the factorisation, and of how far Q is from orthogonal.
fn qr_ratios<S: Simd, T: Element>(s: S) {
    let shapes = ORDERS.iter().flat_map(|&n| [[n, n], [n + 21, n], [n, n + 19]]);
    for [m, n] in shapes {
        let far = if T::NAME == "f32" { 1e37 } else { 1e300 };
        let extreme = [far, 1.0 / far].map(|by| ("extreme", Matrix::random(m, n, 77).scaled(by)));
        for (name, a) in general(m, n).into_iter().chain(extreme).take(taken::<S>(2)) {
            let at = format!("{name} {} {m} x {n} {}", T::NAME, S::NAME);
            let (t, a) = a.rounded::<T>();
            let (_, tau, q, r) = qr_of(s, &t, m, n);
            assert!(
                tau.iter().all(|t| *t == T::ZERO || (0.999..2.001).contains(&t.to_f64())),
                "{at}: {tau:?}"
            );
            // Out of the reach of powers of ten that a product of them would leave.
            let by = 1.0 / a.norm();
            let a = a.scaled(by);
            keep::<T>(["qr", "factors", S::NAME], m, q.mul(&r.scaled(by)).sub(&a).size(), a.size(), &at);
            orthonormal::<T>(["qr", "vectors", S::NAME], m, &q, &at);
        }
    }
}

#[test]
fn qr_backward_errors() {
    for_each_lane!(|s| {
        qr_ratios::<_, f32>(s);
        qr_ratios::<_, f64>(s);
    });
}

#[test]
fn qr_applied_both_ways() {
    fn check<T: Element>() {
        for [m, n] in [[1, 1], [40, 33], [70, 65], [33, 50]] {
            let (t, _) = Matrix::random(m, n, 5).rounded::<T>();
            let (f, tau, q, _) = qr_of(native(), &t, m, n);
            let f = MatRef::row_major(&f, m, n).unwrap();
            let (c, wide) = Matrix::random(m, 9, 6).rounded::<T>();
            let guarantee = ["qr_apply", "products", name_of(native())];
            let near =
                |x: &Matrix, y: &Matrix, at: &str| keep::<T>(guarantee, m, x.sub(y).size(), wide.size(), at);
            let w = &mut room(qr_apply_workspace(m, m.min(n), 9));
            for x in layouts(&c, m, 9, |_, c| qr_apply(false, f, &tau, c, w).unwrap()) {
                near(&q.mul(&wide), &Matrix::of(m, 9, &x), "Q");
            }
            for x in layouts(&c, m, 9, |_, mut c| {
                qr_apply(true, f, &tau, c.reborrow(), w).unwrap();
                qr_apply(false, f, &tau, c, w).unwrap();
            }) {
                near(&wide, &Matrix::of(m, 9, &x), "there and back");
            }
            // In other layouts of A the factors are the same but for rounding.
            let w = &mut room(qr_workspace(m, n));
            for g in layouts(&t, m, n, |_, a| qr(a, &mut vec![T::ZERO; m.min(n)], w).unwrap()) {
                let (g, f) = (
                    upper(&Matrix::of(m, n, &g), m),
                    upper(&Matrix::new(m, n, |i, j| f.get(i, j).unwrap().to_f64()), m),
                );
                assert!(g.sub(&f).norm() < 1e4 * unit::<T>() * f.norm(), "{m} x {n}");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn least_squares_residuals() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for m in [n, n + 30] {
                let plain = Matrix::random(m, n, n as u64);
                let grade = |i, n, by| if i > n { 1.0 } else { graded(i, n, by) };
                for (name, a) in [
                    ("random", plain.clone()),
                    ("columns graded", Matrix::new(m, n, |i, j| plain.at(i, j) * grade(j, n, 3.0))),
                    ("large", plain.clone().scaled(1e15)),
                    ("small", plain.clone().scaled(1e-15)),
                ] {
                    let (t, a) = a.rounded::<T>();
                    let (b, wide) = Matrix::random(m, 3, 5).rounded::<T>();
                    let (mut f, mut x, mut tau) = (t, b, vec![T::NAN; n]);
                    let w = &mut room(least_squares_workspace(m, n, 3));
                    let [av, bv] =
                        [(&mut f, n), (&mut x, 3)].map(|(x, n)| MatMut::row_major(x, m, n).unwrap());
                    least_squares(av, &mut tau, bv, w).unwrap();
                    let x = Matrix { rows: n, ..Matrix::of(n, 3, &x[..3 * n]) };
                    let r = a.mul(&x).sub(&wide);
                    let size = a.size() * (a.size() * x.size() + wide.size());
                    let guarantee = ["least_squares", "residual", name_of(native())];
                    keep::<T>(
                        guarantee,
                        m,
                        a.t().mul(&r).size(),
                        size,
                        &format!("{name} {} {m} x {n}", T::NAME),
                    );
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Norms that are no number of full precision: reflections of them still are.
#[test]
fn reflections_of_subnormal_columns() {
    fn check<T: Element>() {
        let tiny = T::MIN_NORMAL / T::INTEGRAL;
        let (mut a, mut tau) = ([tiny, tiny], [T::NAN]);
        qr(MatMut::row_major(&mut a, 2, 1).unwrap(), &mut tau, &mut room(qr_workspace(2, 1))).unwrap();
        let near = |x: T, y: f64| (x.to_f64() - y).abs() < 1e-6;
        assert!(
            a[0] == -tiny && near(a[1], 2f64.sqrt() - 1.0) && near(tau[0], 1.0 + 0.5f64.sqrt()),
            "{a:?} {tau:?}"
        );
    }
    check::<f32>();
    check::<f64>();
}
