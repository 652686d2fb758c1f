//! Eigenvalues and singular values by what they guarantee: residuals and orthogonality within the bounds of the contracts, closed
//! forms, every layout of views.

use super::*;

/// Around the strips of rotations and the blocks of reflections.
const SIZES: &[usize] = if cfg!(debug_assertions) {
    &[1, 2, 5, 17, 33]
} else {
    &[1, 2, 3, 4, 7, 15, 16, 17, 31, 32, 33, 34, 48, 63, 64, 65, 66, 97, 130, 200]
};

pub(super) fn symmetric<T: Element>(n: usize) -> Vec<(&'static str, Matrix)> {
    let g = Matrix::random(n, n, 3 * n as u64);
    let plain = Matrix::new(n, n, |i, j| g.at(i.max(j), i.min(j)));
    let graded_by = |span| Matrix::new(n, n, |i, j| plain.at(i, j) * graded(i, n, span) * graded(j, n, span));
    let back = graded_by(6.0);
    // A reflection: -1 once, and 1.
    let size: f64 = (0..n).map(|i| g.at(0, i).powi(2)).sum();
    let reflection =
        Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * g.at(0, i) * g.at(0, j) / size);
    let laplacian = Matrix::new(n, n, |i, j| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)]);
    // Two eigenvalues that agree to all digits but for the two last ones, and more such pairs.
    let wilkinson = Matrix::new(n, n, |i, j| match i.abs_diff(j) {
        0 => (2.0 * i as f64 + 1.0 - n as f64).abs() / 2.0,
        1 => 1.0,
        _ => 0.0,
    });
    let rank = Matrix::random(n, 2, 9);
    let far = if T::NAME == "f32" { 1e-30 } else { 1e-290 };
    vec![
        ("random", plain.clone()),
        ("graded", graded_by(6.0)),
        ("graded upwards", Matrix::new(n, n, |i, j| back.at(n - 1 - i, n - 1 - j))),
        ("Hilbert", Matrix::new(n, n, |i, j| 1.0 / (i + j + 1) as f64)),
        ("repeated", reflection),
        ("Laplacian", laplacian),
        ("Wilkinson", wilkinson),
        ("rank 2", rank.mul(&rank.t())),
        ("no diagonal", Matrix::new(n, n, |i, j| if i == j { 0.0 } else { plain.at(i, j) })),
        ("zero", Matrix::new(n, n, |_, _| 0.0)),
        ("one", Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)))),
        ("ones", Matrix::new(n, n, |_, _| 1.0)),
        ("large", plain.clone().scaled(1e20)),
        ("small", plain.clone().scaled(1e-20)),
        ("far", plain.clone().scaled(far)),
        ("at the end", plain.clone().scaled(if T::NAME == "f32" { 1e36 } else { 1e306 })),
    ]
}

fn rectangular<T: Element>(m: usize, n: usize) -> Vec<(&'static str, Matrix)> {
    let rank = Matrix::random(m, 2, 5).mul(&Matrix::random(2, n, 6));
    let plain = Matrix::random(m, n, 8);
    let far = if T::NAME == "f32" { 1e-30 } else { 1e-290 };
    let more = [
        ("rank 2", rank),
        ("zero", Matrix::new(m, n, |_, _| 0.0)),
        ("ones", Matrix::new(m, n, |_, _| 1.0)),
        ("one", Matrix::new(m, n, |i, j| f64::from(u8::from(i == j)))),
        ("column of zeros", Matrix::new(m, n, |i, j| if j == n / 2 { 0.0 } else { plain.at(i, j) })),
        ("above the diagonal", Matrix::new(m, n, |i, j| if i + 1 == j { 1.0 + i as f64 } else { 0.0 })),
        ("far", plain.clone().scaled(far)),
        ("at the end", plain.clone().scaled(if T::NAME == "f32" { 1e36 } else { 1e306 })),
    ];
    general(m, n).into_iter().chain(more).collect()
}

/// The first of the largest magnitudes of each column is positive.
fn oriented(v: &Matrix, at: &str) {
    for j in 0..v.cols {
        let most = (0..v.rows)
            .map(|i| v.at(i, j))
            .fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most });
        assert!(most > 0.0, "{at}: column {j}");
    }
}

pub(super) fn accept_eigen<T: Element>(lane: &str, a: &Matrix, v: &[T], values: &[T], at: &str) {
    let n = a.rows;
    assert!(values.windows(2).all(|x| x[0] <= x[1]), "{at}: {values:?}");
    let v = Matrix::of(n, n, v);
    orthonormal::<T>(["eigh", "vectors", lane], n, &v, at);
    oriented(&v, at);
    // Out of the reach of powers of ten that a product of them would leave.
    let by = if a.norm() == 0.0 { 1.0 } else { 1.0 / a.norm() };
    let scaled = Matrix::new(n, n, |i, j| v.at(i, j) * (values[j].to_f64() * by));
    let a = a.clone().scaled(by);
    keep::<T>(["eigh", "factors", lane], n, scaled.mul(&v.t()).sub(&a).size(), a.size(), at);
}

fn eigh_of<S: Simd, T: Element>(s: S, a: &[T], n: usize) -> (Vec<T>, Vec<T>) {
    let (mut v, mut values) = (a.to_vec(), vec![T::NAN; n]);
    (0..n * n).filter(|at| at % n > at / n).for_each(|at| v[at] = T::NAN);
    let w = &mut room(eigh_workspace(n));
    eigh_on(s, MatMut::row_major(&mut v, n, n).unwrap(), &mut values, w).unwrap();
    (v, values)
}

fn eigh_ratios<S: Simd, T: Element>(s: S) {
    for &n in SIZES {
        for (name, a) in symmetric::<T>(n).into_iter().take(taken::<S>(2)) {
            let (t, a) = a.rounded::<T>();
            let (v, values) = eigh_of(s, &t, n);
            accept_eigen(S::NAME, &a, &v, &values, &format!("{name} {} {n} {}", T::NAME, S::NAME));
        }
    }
}

#[test]
fn eigh_backward_errors() {
    for_each_lane!(|s| {
        eigh_ratios::<_, f32>(s);
        eigh_ratios::<_, f64>(s);
    });
}

/// Against definite matrices whose condition is known, and near what single precision bears.
#[test]
fn generalized() {
    fn check<T: Element>() {
        for &n in SIZES {
            let kinds = ["random", "graded", "repeated", "Laplacian", "rank 2", "small", "large"];
            for (name, a) in symmetric::<T>(n).into_iter().filter(|x| kinds.contains(&x.0)) {
                for span in [0.0, 3.0] {
                    let at = format!("{name} {} {n} against {span}", T::NAME);
                    let (t, a) = a.clone().rounded::<T>();
                    // DDᵀ + what is small beside it: the inverse has at most twice 10^(2·span).
                    let g = Matrix::random(n, n, 11);
                    let off = |i: usize, j: usize| g.at(i.max(j), i.min(j)) / (4 * n) as f64;
                    let by = |i: usize| graded(i, n, span);
                    let b =
                        Matrix::new(n, n, |i, j| (off(i, j) + f64::from(u8::from(i == j))) * by(i) * by(j));
                    let (u, b) = b.rounded::<T>();
                    let (mut v, mut l, mut values) = (t.clone(), u.clone(), vec![T::NAN; n]);
                    for at in (0..n * n).filter(|at| at % n > at / n) {
                        (v[at], l[at]) = (T::NAN, T::NAN);
                    }
                    let w = &mut room(eigh_generalized_workspace(n));
                    let to = MatMut::row_major(&mut v, n, n).unwrap();
                    eigh_generalized(to, MatMut::row_major(&mut l, n, n).unwrap(), &mut values, w).unwrap();
                    assert!(values.windows(2).all(|x| x[0] <= x[1]), "{at}: {values:?}");
                    let v = Matrix::of(n, n, &v);
                    oriented(&v, &at);
                    let inverse = 2.0 * f64::powf(10.0, 2.0 * span);
                    let one = one(n);
                    let guarantee = |name| ["eigh_generalized", name, name_of(native())];
                    let off = v.t().mul(&b).mul(&v).sub(&one).size();
                    keep::<T>(guarantee("vectors"), n, off, b.size() * inverse, &at);
                    let values = Matrix::new(n, n, |i, j| if i == j { values[i].to_f64() } else { 0.0 });
                    let off = v.t().mul(&a).mul(&v).sub(&values).size();
                    keep::<T>(guarantee("factors"), n, off, a.size() * inverse, &at);
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn eigenvalues_in_closed_form() {
    for n in [1usize, 2, 10, 33, 70] {
        let laplacian: Vec<f64> =
            (0..n * n).map(|k| [2.0, -1.0, 0.0][(k / n).abs_diff(k % n).min(2)]).collect();
        let (v, values) = eigh_of(native(), &laplacian, n);
        let h = std::f64::consts::PI / (n + 1) as f64;
        for (k, x) in values.iter().enumerate() {
            let exact = 4.0 * (0.5 * h * (k + 1) as f64).sin().powi(2);
            assert!((x - exact).abs() < 4e-15 * (n as f64).sqrt() * 2.0, "{n}: {x} {exact}");
            // A sine with k + 1 half waves.
            let size = (2.0 / (n + 1) as f64).sqrt();
            let wave = |i: usize| size * (h * ((i + 1) * (k + 1)) as f64).sin();
            let dot: f64 = (0..n).map(|i| v[i * n + k] * wave(i)).sum();
            assert!((dot.abs() - 1.0).abs() < 1e-12, "{n}: vector {k}");
        }
    }
    // All ones: n once, and 0.
    let (_, values) = eigh_of(native(), &[1.0f32; 50 * 50], 50);
    assert!((values[49] - 50.0).abs() < 1e-4 && values[..49].iter().all(|x| x.abs() < 1e-4));
}

fn accept_svd<T: Element>(lane: &str, a: &Matrix, u: &[T], values: &[T], vt: &[T], at: &str) {
    let (m, n) = (a.rows, a.cols);
    let (k, most) = (m.min(n), m.max(n));
    let descend = values.windows(2).all(|x| x[0] >= x[1]) && values.iter().all(|x| *x >= T::ZERO);
    assert!(descend, "{at}: {values:?}");
    let (u, vt) = (Matrix::of(m, k, u), Matrix::of(k, n, vt));
    orthonormal::<T>(["svd", "vectors", lane], most, &u, at);
    orthonormal::<T>(["svd", "vectors", lane], most, &vt.t(), at);
    oriented(&if m < n { vt.t() } else { u.clone() }, at);
    let by = if a.norm() == 0.0 { 1.0 } else { 1.0 / a.norm() };
    let scaled = Matrix::new(m, k, |i, j| u.at(i, j) * (values[j].to_f64() * by));
    let a = a.clone().scaled(by);
    keep::<T>(["svd", "factors", lane], most, scaled.mul(&vt).sub(&a).size(), a.size(), at);
}

fn svd_of<S: Simd, T: Element>(s: S, a: &[T], m: usize, n: usize) -> [Vec<T>; 3] {
    let k = m.min(n);
    let [mut u, mut values, mut vt] = [m * k, k, k * n].map(|n| vec![T::NAN; n]);
    let (mut a, w) = (a.to_vec(), &mut room(svd_workspace(m, n)));
    let [a, u_, vt_] = [(&mut a, m, n), (&mut u, m, k), (&mut vt, k, n)]
        .map(|(x, m, n)| MatMut::row_major(x, m, n).unwrap());
    svd_on(s, a, u_, &mut values, vt_, w).unwrap();
    [u, values, vt]
}

fn svd_ratios<S: Simd, T: Element>(s: S) {
    let shapes = SIZES.iter().flat_map(|&n| [[n, n], [n + 21, n], [n, n + 1]]);
    for [m, n] in shapes {
        for (name, a) in rectangular::<T>(m, n).into_iter().take(taken::<S>(2)) {
            let (t, a) = a.rounded::<T>();
            let [u, values, vt] = svd_of(s, &t, m, n);
            accept_svd(S::NAME, &a, &u, &values, &vt, &format!("{name} {} {m} x {n} {}", T::NAME, S::NAME));
        }
    }
}

#[test]
fn svd_backward_errors() {
    for_each_lane!(|s| {
        svd_ratios::<_, f32>(s);
        svd_ratios::<_, f64>(s);
    });
}

/// Of a bidiagonal matrix every singular value has nearly all its digits, however small: the product of all is that of the
/// diagonal.
#[test]
fn small_singular_values() {
    for n in [2, 5, 20, 40] {
        let d = |i: usize| graded(i, n, 60.0);
        for up in [false, true] {
            let place = |i: usize| if up { n - 1 - i } else { i };
            let mut a = vec![0.0f64; n * n];
            for i in 0..n {
                a[i * n + i] = d(place(i));
                if i + 1 < n {
                    a[i * n + i + 1] = 0.3 * d(place(i)).min(d(place(i + 1)));
                }
            }
            let [_, values, _] = svd_of(native(), &a, n, n);
            let [got, exact] = [&values, &(0..n).map(d).collect::<Vec<_>>()]
                .map(|x| x.iter().map(|x: &f64| x.ln()).sum::<f64>());
            assert!((got - exact).abs() < 1e-11, "{n} {up}: {values:?}");
        }
        // One that is small between elements of one size: a step with a shift would leave nothing of it.
        let mut a = vec![0.0f64; n * n];
        for i in 0..n {
            a[i * n + i] = 1.0 + 0.1 * i as f64;
            if i + 1 < n {
                a[i * n + i + 1] = 10.0;
            }
        }
        let [_, values, _] = svd_of(native(), &a, n, n);
        let [got, exact] = [values, (0..n).map(|i| 1.0 + 0.1 * i as f64).collect::<Vec<_>>()]
            .map(|x| x.iter().map(|x: &f64| x.ln()).sum::<f64>());
        assert!((got - exact).abs() < 1e-11, "{n}: {got} {exact}");
    }
}

/// Nothing is as a singular value +0, whatever the signs of zeros.
#[test]
fn singular_values_that_are_nothing() {
    fn check<T: Element>() {
        for (m, n) in [(1, 1), (2, 2), (4, 3), (3, 4), (9, 9), (20, 17)] {
            for first in [-0.0, 0.0, -3.0] {
                let mut a = vec![-T::ZERO; m * n];
                a[0] = a[0] + T::from_f64(first);
                let [_, values, _] = svd_of(native(), &a, m, n);
                let (head, tail) = values.split_first().unwrap();
                assert_eq!(head.to_f64().to_bits(), first.abs().to_bits(), "{} {m} {n} {first}", T::NAME);
                assert!(
                    tail.iter().all(|x| x.to_f64().to_bits() == 0),
                    "{} {m} {n} {first}: {tail:?}",
                    T::NAME
                );
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Of a tridiagonal matrix whose elements fall off, or rise, by powers, every eigenvalue has nearly all its digits: the product of all
/// is the determinant.
#[test]
fn small_eigenvalues_of_graded_matrices() {
    for n in [2, 5, 12] {
        for up in [false, true] {
            let d = |i: usize| 10f64.powi(-2 * (if up { n - 1 - i } else { i }) as i32);
            let e = |i: usize| 0.3 * d(i).min(d(i + 1));
            let mut a = vec![0.0f64; n * n];
            (0..n).for_each(|i| a[i * n + i] = d(i));
            (1..n).for_each(|i| (a[i * n + i - 1], a[(i - 1) * n + i]) = (e(i - 1), e(i - 1)));
            let (_, values) = eigh_of(native(), &a, n);
            // Pivots of the factorisation, from the small end.
            let at = |k: usize| if up { k } else { n - 1 - k };
            let (mut sum, mut pivot) = (0.0, 0.0);
            for k in 0..n {
                let less = if k == 0 { 0.0 } else { e(at(k).min(at(k - 1))).powi(2) / pivot };
                pivot = d(at(k)) - less;
                sum += f64::ln(pivot);
            }
            let got = values.iter().map(|x| x.ln()).sum::<f64>();
            assert!((got - sum).abs() < 1e-11, "{n} {up}: {got} {sum} {values:?}");
        }
    }
}

/// One reference, of another kind: eigenvalues of `AᵀA` are squares of singular values.
#[test]
fn singular_values_and_eigenvalues() {
    for [m, n] in [[40, 33], [70, 70], [20, 50]] {
        let (t, a) = Matrix::random(m, n, 11).rounded::<f64>();
        let [_, values, _] = svd_of(native(), &t, m, n);
        let square = if m < n { a.mul(&a.t()) } else { a.t().mul(&a) };
        let (_, squares) = eigh_of(native(), &square.x, m.min(n));
        for (x, y) in values.iter().zip(squares.iter().rev()) {
            assert!((x * x - y).abs() < 1e-13 * squares[m.min(n) - 1], "{x} {y}");
        }
    }
}

fn view<T>(x: &mut [T], m: usize, n: usize) -> MatMut<'_, T> {
    MatMut::row_major(x, m, n).unwrap()
}

#[test]
fn spectra_in_every_layout() {
    fn check<T: Element>() {
        for n in [1, 7, 33] {
            let (t, a) = symmetric::<T>(n)[0].1.clone().rounded::<T>();
            let w = &mut room(eigh_workspace(n));
            let mut all = vec![];
            let mut run = |a: MatMut<'_, T>| {
                let mut values = vec![T::NAN; n];
                eigh(a, &mut values, w).unwrap();
                all.push(values);
            };
            let mut vectors = layouts(&t, n, n, |_, a| run(a));
            // By the other triangle, whose vectors are rows.
            for v in layouts(&t, n, n, |_, a| run(a.t())) {
                vectors.push((0..n * n).map(|k| v[k % n * n + k / n]).collect());
            }
            for (v, values) in vectors.iter().zip(all) {
                accept_eigen(name_of(native()), &a, v, &values, "layout");
            }
        }
        for [m, n] in [[1, 1], [33, 33], [50, 20], [20, 50]] {
            let (t, a) = Matrix::random(m, n, 9).rounded::<T>();
            let [_, values, _] = svd_of(native(), &t, m, n);
            let (k, lane) = (m.min(n), name_of(native()));
            let near = |x: &[T], y: &[T]| {
                x.iter().zip(y).all(|(x, y)| (x.to_f64() - y.to_f64()).abs() < 1e4 * unit::<T>())
            };
            // One of the three in another layout at a time.
            let run = |a: MatMut<'_, T>, u: MatMut<'_, T>, vt: MatMut<'_, T>| {
                let mut found = vec![T::NAN; k];
                svd(a, u, &mut found, vt, &mut room(svd_workspace(m, n))).unwrap();
                assert!(near(&found, &values));
                found
            };
            let fresh = || (t.clone(), room::<T>(m * k), room::<T>(k * n));
            layouts(&t, m, n, |_, a_view| {
                let (_, mut u, mut vt) = fresh();
                let values = run(a_view, view(&mut u, m, k), view(&mut vt, k, n));
                accept_svd(lane, &a, &u, &values, &vt, "layout of A");
            });
            let (_, u, vt) = fresh();
            // The others of the same call: vectors of another one are off by more, where values are near to each other.
            let mut others = vec![];
            for u in layouts(&u, m, k, |_, u| {
                let (mut a, _, mut vt) = fresh();
                let values = run(view(&mut a, m, n), u, view(&mut vt, k, n));
                others.push((values, vt));
            }) {
                let (values, vt) = others.remove(0);
                accept_svd(lane, &a, &u, &values, &vt, "layout of U");
            }
            for vt in layouts(&vt, k, n, |_, vt| {
                let (mut a, mut u, _) = fresh();
                let values = run(view(&mut a, m, n), view(&mut u, m, k), vt);
                others.push((values, u));
            }) {
                let (values, u) = others.remove(0);
                accept_svd(lane, &a, &u, &values, &vt, "layout of V");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}
