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
                let big = n as f64 * unit::<T>();
                let ratio = z.mul(&t).mul(&z.t()).sub(&a).norm() / (big * a.norm().max(1e-200));
                assert!(ratio < LIMIT, "{at}: {ratio}");
                let one = Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)));
                let ratio = z.t().mul(&z).sub(&one).norm() / big;
                assert!(ratio < LIMIT, "{at}: {ratio} of Z");
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
