//! Factors of symmetric matrices that need not be definite.

use super::eigen::symmetric;
use super::*;

/// The factors, where the matrix is not singular, and what comes of each kind.
fn factored<T: Element>(a: &[T], n: usize) -> (Vec<T>, Vec<T>, Vec<u32>, Result<(), Error>) {
    let (mut f, mut off, mut pivots) = (a.to_vec(), room(n), vec![u32::MAX; n]);
    // The other triangle is neither read nor written.
    (0..n * n).filter(|at| at % n > at / n).for_each(|at| f[at] = T::NAN);
    let to = MatMut::row_major(&mut f, n, n).unwrap();
    let done = ldlt(to, &mut off, &mut pivots, &mut room(ldlt_workspace(n)));
    assert!((0..n * n).filter(|at| at % n > at / n).all(|at| f[at].to_f64().is_nan()));
    (f, off, pivots, done)
}

#[test]
fn ldlt_backward_errors() {
    fn check<T: Element>() {
        for &n in ORDERS {
            let more = definite::<T>(n).into_iter().chain(symmetric::<T>(n));
            for (kind, a) in more {
                let at = format!("{kind} {} {n}", T::NAME);
                let (t, a) = a.rounded::<T>();
                let (f, off, pivots, done) = factored(&t, n);
                let zero = |k: usize| {
                    off[k] == T::ZERO && f[k * n + k] == T::ZERO && (k == 0 || off[k - 1] == T::ZERO)
                };
                let index = (0..n).find(|k| zero(*k));
                assert_eq!(done, index.map_or(Ok(()), |index| Err(Error::pivot("a", index))), "{at}");
                let f = Matrix::of(n, n, &f);
                let off: Vec<f64> = off.iter().map(|x| x.to_f64()).collect();
                let d = Matrix::new(n, n, |i, j| match i.abs_diff(j) {
                    0 => f.at(i, i),
                    1 => off[i.min(j)],
                    _ => 0.0,
                });
                assert!(off[n - 1] == 0.0 && off.windows(2).all(|w| w[0] == 0.0 || w[1] == 0.0), "{at}");
                let l = lower(&f, n, true);
                assert!((1..n).all(|k| off[k - 1] == 0.0 || l.at(k, k - 1) == 0.0), "{at}");
                let moved = exchanged(&exchanged(&a, &pivots).t(), &pivots).t();
                let terms = l.magnitudes().mul(&d.magnitudes()).mul(&l.t().magnitudes());
                let guarantee = ["ldlt", "factors", name_of(native())];
                keep_each::<T>(guarantee, n, &l.mul(&d).mul(&l.t()).sub(&moved), &terms, &at);
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn ldlt_residuals() {
    fn check<T: Element>() {
        for &n in ORDERS {
            let more = definite::<T>(n).into_iter().chain(symmetric::<T>(n));
            for (kind, a) in more {
                let (t, a) = a.rounded::<T>();
                let (f, off, pivots, done) = factored(&t, n);
                for cols in [1, 40] {
                    let (mut x, b) = Matrix::random(n, cols, 5).rounded::<T>();
                    let to = MatMut::row_major(&mut x, n, cols).unwrap();
                    let factors = MatRef::row_major(&f, n, n).unwrap();
                    let solved =
                        ldlt_solve(factors, &off, &pivots, to, &mut room(ldlt_solve_workspace(n, cols)));
                    if let Err(Error::Pivot { index, .. }) = done {
                        assert_eq!(solved, Err(Error::pivot("factors", index)));
                        continue;
                    }
                    solved.unwrap();
                    let x = Matrix::of(n, cols, &x);
                    // A solution past the largest number has no residual.
                    let most = if T::NAME == "f32" { 1e30 } else { f64::INFINITY };
                    if x.x.iter().all(|x| x.abs() < most) {
                        residual::<T>("ldlt_solve", &a, &x, &b, &format!("{kind} {} {n} x {cols}", T::NAME));
                    }
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Every layout has the factors of rows that follow each other.
#[test]
fn ldlt_in_every_layout() {
    fn check<T: Element>() {
        for n in [5, 33, 70] {
            let a = Matrix::random(n, n, 8);
            let t: Vec<T> = Matrix::new(n, n, |i, j| a.at(i.max(j), i.min(j))).rounded::<T>().0;
            let mut f = t.clone();
            let mut kept = (room::<T>(n), vec![0; n]);
            let to = MatMut::row_major(&mut f, n, n).unwrap();
            ldlt(to, &mut kept.0, &mut kept.1, &mut room(ldlt_workspace(n))).unwrap();
            for f2 in layouts(&t, n, n, |what, a| {
                let mut now = (room::<T>(n), vec![0; n]);
                ldlt(a, &mut now.0, &mut now.1, &mut room(ldlt_workspace(n))).unwrap();
                assert!(now.1 == kept.1, "{what} {n}");
            }) {
                let near = |(x, y): (&T, &T)| (x.to_f64() - y.to_f64()).abs() <= 1e3 * n as f64 * unit::<T>();
                assert!(f.iter().zip(&f2).all(near), "{n}");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}
