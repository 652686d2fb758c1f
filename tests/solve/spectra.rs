//! Eigenvalues of matrices that are not symmetric.

use super::*;

/// Those of [`general`], and what is hard for shifts.
fn square(n: usize) -> Vec<(&'static str, Matrix)> {
    let mut all = general(n, n);
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let random = Matrix::random(n, n, 77);
    all.extend([
        ("zeros", Matrix::new(n, n, |_, _| 0.0)),
        ("identity", Matrix::new(n, n, unit)),
        ("cycle", Matrix::new(n, n, |i, j| unit((i + 1) % n, j))),
        ("companion", Matrix::new(n, n, |i, j| if i == 0 { random.at(0, j) } else { unit(i - 1, j) })),
        ("Frank", Matrix::new(n, n, |i, j| if i <= j + 1 { (n - i.max(j)) as f64 } else { 0.0 })),
        ("defective", Matrix::new(n, n, |i, j| unit(i, j) * 3.0 + unit(i + 1, j))),
        ("skew", Matrix::new(n, n, |i, j| random.at(i, j) - random.at(j, i))),
        ("triangle", Matrix::new(n, n, |i, j| if i <= j { random.at(i, j) } else { 0.0 })),
        ("blocks of two", Matrix::new(n, n, |i, j| if i / 2 == j / 2 { random.at(i, j) } else { 0.0 })),
    ]);
    all
}

#[test]
fn schur_backward_errors() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for (kind, a) in square(n) {
                let (mut t, a) = a.rounded::<T>();
                let (mut z, mut re, mut im) = (vec![T::NAN; n * n], vec![T::NAN; n], vec![T::NAN; n]);
                let mut room = vec![T::NAN; schur_workspace(n)];
                let (to, of) =
                    (MatMut::row_major(&mut t, n, n).unwrap(), MatMut::col_major(&mut z, n, n).unwrap());
                schur(to, of, &mut re, &mut im, &mut room).unwrap();
                let at = format!("{} {kind} {n}", T::NAME);
                let (t, z) = (Matrix::of(n, n, &t), Matrix::of(n, n, &z).t());
                let guarantee = |name| ["schur", name, name_of(native())];
                keep::<T>(guarantee("factors"), n, z.mul(&t).mul(&z.t()).sub(&a).size(), a.size(), &at);
                orthonormal::<T>(guarantee("vectors"), n, &z, &at);
                let mut i = 0;
                while i < n {
                    let pair = i + 1 < n && t.at(i + 1, i) != 0.0;
                    let below = i + if pair { 2 } else { 1 };
                    assert!((below..n).all(|k| (i..below).all(|j| t.at(k, j) == 0.0)), "{at}: below {i}");
                    assert_eq!(re[i].to_f64(), t.at(i, i), "{at}");
                    if pair {
                        let [b, c] = [t.at(i, i + 1), t.at(i + 1, i)];
                        assert!(t.at(i, i) == t.at(i + 1, i + 1) && b * c < 0.0, "{at}: {b} {c}");
                        let want = b.abs().sqrt() * c.abs().sqrt();
                        let got = im[i].to_f64();
                        assert!((got - want).abs() <= 4.0 * unit::<T>() * want && got > 0.0, "{at}");
                        assert!(im[i + 1] == -im[i] && re[i + 1] == re[i], "{at}");
                    } else {
                        assert_eq!(im[i], T::ZERO, "{at}");
                    }
                    i = below;
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// What is known of eigenvalues.
#[test]
fn eigenvalues_that_are_known() {
    let of = |a: Matrix| {
        let n = a.rows;
        let (mut t, mut z, mut re, mut im) = (a.x.clone(), vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
        let (to, q) = (MatMut::row_major(&mut t, n, n).unwrap(), MatMut::row_major(&mut z, n, n).unwrap());
        schur(to, q, &mut re, &mut im, &mut vec![0.0; schur_workspace(n)]).unwrap();
        re.into_iter().zip(im).collect::<Vec<(f64, f64)>>()
    };
    // The roots of unity.
    for n in [3, 8, 21, 50] {
        let all = of(Matrix::new(n, n, |i, j| f64::from(u8::from((i + 1) % n == j))));
        for k in 0..n {
            let (s, c) = f64::sin_cos(2.0 * std::f64::consts::PI * k as f64 / n as f64);
            assert!(all.iter().any(|(re, im)| (re - c).hypot(im - s) < 1e-13), "{k} of {n}");
        }
    }
    // x³ - 6x² + 11x - 6.
    let mut all =
        of(Matrix::new(
            3,
            3,
            |i, j| if i == 0 { [6.0, -11.0, 6.0][j] } else { f64::from(u8::from(i == j + 1)) },
        ));
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    assert!(
        all.iter().zip([1.0, 2.0, 3.0]).all(|(x, want)| (x.0 - want).abs() < 1e-12 && x.1 == 0.0),
        "{all:?}"
    );
}

/// An element below the diagonal that is small beside it and counts all the same, as what stands opposite is large.
#[test]
fn small_elements_that_count() {
    for n in [2, 3, 6] {
        for (opposite, below) in [(1e12, 1e-17), (1e10, 1e-17), (1e14, 2e-17), (-1e12, 1e-17)] {
            let mut t = vec![0.0f64; n * n];
            (0..n).for_each(|i| t[i * n + i] = if i < 2 { 1.0 + i as f64 } else { 4.0 * i as f64 });
            (t[1], t[n]) = (opposite, below);
            let (mut z, mut re, mut im) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
            let [to, q] = [&mut t, &mut z].map(|x| MatMut::row_major(x, n, n).unwrap());
            schur(to, q, &mut re, &mut im, &mut vec![0.0; schur_workspace(n)]).unwrap();
            re.sort_by(f64::total_cmp);
            // Roots of (1 - x)(2 - x) = p.
            let p: f64 = opposite * below;
            let root = (0.25 + p).sqrt();
            for (got, want) in re.iter().zip([1.5 - root, 1.5 + root]) {
                assert!((got - want).abs() <= 0.01 * p.abs(), "{n} {opposite:e} {below:e}: {re:?} {want}");
            }
        }
    }
}

/// The same between two equal elements of the diagonal, whose eigenvalues are apart by the root of what stands beside them.
#[test]
fn small_elements_between_equal_ones() {
    for n in [2, 3, 6] {
        for (opposite, below) in [(1.0, 1e-17), (2.0, 3e-20), (0.5, 1e-24)] {
            let mut t = vec![0.0f64; n * n];
            (0..n).for_each(|i| t[i * n + i] = if i < 2 { 1.0 } else { 4.0 * i as f64 });
            (t[1], t[n]) = (opposite, below);
            let (mut z, mut re, mut im) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
            let [to, q] = [&mut t, &mut z].map(|x| MatMut::row_major(x, n, n).unwrap());
            schur(to, q, &mut re, &mut im, &mut vec![0.0; schur_workspace(n)]).unwrap();
            re.sort_by(f64::total_cmp);
            let (got, want) = (re[1] - re[0], 2.0 * f64::sqrt(opposite * below));
            assert!(
                (got - want).abs() <= 0.01 * want + 4.0 * f64::EPSILON,
                "{n} {opposite} {below:e}: {re:?}"
            );
            assert!(re[1] > re[0] || want < 4.0 * f64::EPSILON, "{n} {opposite} {below:e}: {re:?}");
        }
    }
}

/// Columns that are vectors, of eigenvalues that come in pairs: `|AV - VΛ| / (n·u·|A||V|)` by the 1-norm, and lengths of 1.
fn accept_vectors<T: Element>(lane: &str, a: &Matrix, v: &Matrix, re: &[T], im: &[T], left: bool, at: &str) {
    let n = a.rows;
    let part = |i: usize, j: usize| match im[j].to_f64() {
        im if im > 0.0 => [v.at(i, j), v.at(i, j + 1)],
        im if im < 0.0 => [v.at(i, j - 1), -v.at(i, j)],
        _ => [v.at(i, j), 0.0],
    };
    let [x, y] = [0, 1].map(|k| Matrix::new(n, n, |i, j| part(i, j)[k]));
    let sign = if left { -1.0 } else { 1.0 };
    let [re, im] = [re, im].map(|x| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
    let of = |p: &Matrix, q: &Matrix, sign: f64| {
        Matrix::new(n, n, |i, j| p.at(i, j) * re[j] - sign * q.at(i, j) * im[j])
    };
    let (p, q) = (a.mul(&x).sub(&of(&x, &y, sign)), a.mul(&y).sub(&of(&y, &x, -sign)));
    for j in 0..n {
        let column = |m: &Matrix, k: &Matrix| {
            Matrix::new(n, 2, |i, c| if c == 0 { m.at(i, j) } else { k.at(i, j) }).size()
        };
        keep::<T>(["eig", "vectors", lane], n, column(&p, &q), a.size() * column(&x, &y), at);
        let length: f64 = (0..n).map(|i| x.at(i, j).powi(2) + y.at(i, j).powi(2)).sum();
        keep::<T>(["eig", "lengths", lane], n, (length - 1.0).abs(), 1.0, &format!("{at}: length of {j}"));
        let largest = (0..n)
            .fold(0, |k, i| if x.at(i, j).hypot(y.at(i, j)) > x.at(k, j).hypot(y.at(k, j)) { i } else { k });
        let near = |i: usize| x.at(i, j).hypot(y.at(i, j)) > (1.0 - 1e-6) * x.at(largest, j).abs();
        assert!(
            (0..n).any(|i| near(i) && x.at(i, j) > 0.0 && y.at(i, j) == 0.0),
            "{at}: no real element in {j}"
        );
    }
}

/// Those of [`square`], and what balancing and back substitution are for.
fn unbalanced(n: usize) -> Vec<(&'static str, Matrix)> {
    let mut all = square(n);
    let random = Matrix::random(n, n, 78);
    let by = |i: usize| f64::powi(2.0, (i as i32 * 7) % 24 - 12);
    all.extend([
        ("nilpotent", Matrix::new(n, n, |i, j| f64::from(u8::from(i + 1 == j)))),
        ("unbalanced", Matrix::new(n, n, |i, j| random.at(i, j) * by(i) / by(j))),
        // A triangle whose rows and columns are exchanged, round a block that is none.
        (
            "hidden triangle",
            Matrix::new(n, n, |i, j| {
                let [p, q] = [i, j].map(|i| (i * 7 + 3) % n);
                if p <= q || (p < n / 2 && q > n / 4) { random.at(i, j) } else { 0.0 }
            }),
        ),
        (
            "pairs that repeat",
            Matrix::new(n, n, |i, j| {
                let block = [[1.0, 2.0], [-0.5, 1.0]][i % 2][j % 2];
                if i / 2 == j / 2 {
                    block
                } else if i < j {
                    random.at(i, j)
                } else {
                    0.0
                }
            }),
        ),
        ("at the end", random.clone().scaled(1e36)),
        ("far", random.scaled(1e-36)),
    ]);
    all
}

#[test]
fn eig_residuals() {
    fn check<S: Simd, T: Element>(s: S) {
        for &n in ORDERS {
            for (kind, a) in unbalanced(n).into_iter().rev().take(taken::<S>(3)) {
                let (given, a) = a.rounded::<T>();
                let at = format!("{} {kind} {n} {}", T::NAME, S::NAME);
                let [mut t, mut u, mut v] = [given.clone(), room(n * n), room(n * n)];
                let (mut re, mut im) = (room(n), room(n));
                fn of<T>(x: &mut [T], n: usize) -> MatMut<'_, T> {
                    MatMut::row_major(x, n, n).unwrap()
                }
                let by_columns = MatMut::col_major(&mut v, n, n).unwrap();
                let w = &mut room(eig_workspace(n));
                eig_on(s, of(&mut t, n), Some(of(&mut u, n)), Some(by_columns), &mut re, &mut im, w).unwrap();
                let (u, v) = (Matrix::of(n, n, &u), Matrix::of(n, n, &v).t());
                accept_vectors(S::NAME, &a, &v, &re, &im, false, &at);
                accept_vectors(S::NAME, &a.t(), &u, &re, &im, true, &format!("{at}, left"));
                if n > 17 {
                    continue;
                }
                // One side alone is the same, and so are eigenvalues alone.
                let mut t = given.clone();
                let (mut same, mut re2, mut im2) = (room(n * n), room(n), room(n));
                eig_on(s, of(&mut t, n), Some(of(&mut same, n)), None, &mut re2, &mut im2, w).unwrap();
                assert!(Matrix::of(n, n, &same).x == u.x && re2 == re && im2 == im, "{at}");
                t.copy_from_slice(&given);
                eig_on(s, of(&mut t, n), None, None, &mut re2, &mut im2, w).unwrap();
                assert!(re2 == re && im2 == im, "{at}");
            }
        }
    }
    for_each_lane!(|s| {
        check::<_, f32>(s);
        check::<_, f64>(s);
    });
}
