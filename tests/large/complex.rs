//! Products of complex matrices past the blocks that they are divided into. Whole numbers make every sum exact.

use crate::gemm::some;
use crate::sizes::*;
use fulmen::{Complex, Conjugate, Element, MatMut, MatRef, VecMut, VecRef, parallel};

/// Whole numbers up to 4 in magnitude.
fn whole<T: Element>(n: usize, seed: u64) -> Vec<Complex<T>> {
    let mut r = Stream::new(seed);
    let mut next = || T::from_f64(r.below(9) as f64 - 4.0);
    (0..n).map(|_| Complex::new(next(), next())).collect()
}

fn exact<T: Element>(z: Complex<T>, conjugate: bool) -> Complex<f64> {
    let z = Complex::new(z.re.to_f64(), z.im.to_f64());
    if conjugate { z.conj() } else { z }
}

fn products<T: Element>() {
    let [cols, depth, rows, lines] = ["COLUMNS", "DEPTH", "ROWS", "LINES"]
        .map(|name| threshold(&format!("blas::complex::product::{name}")));
    let mut dims =
        vec![[3, cols + 1, 2 * depth + 3], [2 * rows + 1, cols - 1, depth], [2 * lines + 3, cols, depth + 1]];
    for n in [cols - 1, cols, cols + 1] {
        dims.extend([[2, n, 5], [5, 2, n]]);
    }
    for n in [depth - 1, depth, depth + 1, rows - 1, rows + 1, lines - 1, lines, lines + 1] {
        dims.extend([[3, 4, n], [n, 3, 4]]);
    }
    for (turn, [m, n, k]) in dims.into_iter().enumerate() {
        // A and B by rows or by columns, C by rows, by columns, or two apart.
        for form in 0..6 {
            let (a, b, old) = (whole::<T>(m * k, 1), whole::<T>(k * n, 2), whole::<T>(2 * m * n, 3));
            let conjugate = Conjugate { a: (turn + form) % 2 == 1, b: (turn + form) % 3 == 1 };
            let z = |re, im| Complex::new(T::from_f64(re), T::from_f64(im));
            let (alpha, beta) =
                [(z(1., 0.), z(0., 0.)), (z(2., -1.), z(-1., 0.)), (z(0., 1.), z(1., 2.))][turn % 3];
            let by = |x: &[Complex<T>], rows, cols, columns: bool| -> Vec<Complex<f64>> {
                let at = |e: usize| if columns { e % cols * rows + e / cols } else { e };
                (0..rows * cols).map(|e| exact(x[at(e)], false)).collect()
            };
            let view = |x, rows, cols, columns| match columns {
                true => MatRef::col_major(x, rows, cols),
                false => MatRef::row_major(x, rows, cols),
            };
            let [a_columns, b_columns] = [form % 2 == 1, form / 2 == 1];
            let (wide_a, wide_b) = (by(&a, m, k, a_columns), by(&b, k, n, b_columns));
            let steps = [[n as isize, 1], [1, m as isize], [2 * n as isize, 2]][form / 2];
            for threads in [false, true] {
                let mut c = old.clone();
                if beta == Complex::ZERO {
                    c.fill(Complex::new(T::NAN, T::NAN));
                }
                let mut work =
                    vec![T::NAN; fulmen::gemm_complex_workspace(m, n, k) * if threads { 4 } else { 1 }];
                let (x, y) = (view(&a, m, k, a_columns).unwrap(), view(&b, k, n, b_columns).unwrap());
                let to = MatMut::strided(&mut c, 0, m, n, steps[0], steps[1]).unwrap();
                match threads {
                    false => fulmen::gemm_complex(alpha, x, y, conjugate, beta, to, &mut work).unwrap(),
                    true => POOLS[1]
                        .install(|| parallel::gemm_complex(alpha, x, y, conjugate, beta, to, &mut work))
                        .unwrap(),
                }
                let (alpha, beta) = (exact(alpha, false), exact(beta, false));
                for [i, j] in some(m, n, 40) {
                    let own = |z: Complex<f64>, yes: bool| if yes { z.conj() } else { z };
                    let sum = (0..k).fold(Complex::ZERO, |sum, p| {
                        sum + own(wide_a[i * k + p], conjugate.a) * own(wide_b[p * n + j], conjugate.b)
                    });
                    let at = i * steps[0] as usize + j * steps[1] as usize;
                    let was =
                        if beta == Complex::ZERO { Complex::ZERO } else { beta * exact(old[at], false) };
                    let what = format!("{} {m} x {n} x {k}, form {form}, threads {threads}", T::NAME);
                    assert_eq!(exact(c[at], false), alpha * sum + was, "{what} at {i}, {j}");
                }
                if form / 2 == 2 && beta != Complex::ZERO {
                    let between = c.iter().zip(&old).skip(1).step_by(2);
                    assert!(between.into_iter().all(|(c, old)| c == old), "between the results");
                }
            }
        }
    }
}

/// Vectors past the numbers that a loop takes at a time, next to each other and two apart.
fn vectors<T: Element>() {
    let most = threshold("blas::complex::vectors::TOGETHER");
    for n in [most - 1, most, most + 1, 5 * most + 3, 100_003] {
        let (x, y) = (whole::<T>(2 * n, 4), whole::<T>(2 * n, 5));
        for step in [1, 2] {
            let at = |v| VecRef::strided(v, 0, n, step as isize).unwrap();
            for conjugate in [false, true] {
                let got = fulmen::dot_complex(conjugate, at(&x), at(&y)).unwrap();
                let want = (0..n)
                    .map(|i| exact(x[i * step], conjugate) * exact(y[i * step], false))
                    .fold(Complex::ZERO, |s, z| s + z);
                assert_eq!(exact(got, false), want, "dot of {n}, {step} apart");
            }
            let alpha = Complex::new(T::from_f64(2.0), T::from_f64(-3.0));
            let mut to = y.clone();
            fulmen::axpy_complex(alpha, at(&x), VecMut::strided(&mut to, 0, n, step as isize).unwrap())
                .unwrap();
            for i in 0..n * step {
                let add =
                    if i % step == 0 { exact(alpha, false) * exact(x[i], false) } else { Complex::ZERO };
                assert_eq!(
                    exact(to[i], false),
                    exact(y[i], false) + add,
                    "axpy of {n}, {step} apart, at {i}"
                );
            }
        }
    }
}

/// Rows and columns past those that are taken at a time, by rows, by columns and with gaps.
fn matrices<T: Element>() {
    let [most, rows] = ["COLUMNS", "ROWS"].map(|name| threshold(&format!("blas::complex::vectors::{name}")));
    for (m, n) in [(rows - 1, most + 1), (rows, most - 1), (rows + 1, most), (3 * rows + 2, 2 * most + 3)] {
        let (a, x, y) = (whole::<T>(2 * m * n, 7), whole::<T>(n, 8), whole::<T>(m, 9));
        for (rs, cs) in [(n, 1), (1, m), (2 * n, 2)] {
            let matrix = MatRef::strided(&a, 0, m, n, rs as isize, cs as isize).unwrap();
            for conjugate in [false, true] {
                let (alpha, beta) = (Complex::new(T::from_f64(2.0), T::from_f64(-3.0)), Complex::I);
                let mut to = y.clone();
                fulmen::gemv_complex(alpha, matrix, conjugate, (&x[..]).into(), beta, (&mut to[..]).into())
                    .unwrap();
                for (i, got) in to.iter().enumerate() {
                    let terms = (0..n).map(|j| exact(a[i * rs + j * cs], conjugate) * exact(x[j], false));
                    let sum = terms.fold(Complex::ZERO, |s, z| s + z);
                    let want = exact(alpha, false) * sum + exact(beta, false) * exact(y[i], false);
                    assert_eq!(exact(*got, false), want, "{m} x {n}, strides {rs} and {cs}, row {i}");
                }
            }
        }
    }
}

/// Magnitudes and angles past the numbers whose parts are apart at a time.
fn elements<T: Element>() {
    let most = threshold("blas::complex::elements::APART");
    for n in [most - 1, most, most + 1, 3 * most + 5] {
        let x = whole::<T>(n, 6);
        let (mut sizes, mut angles) = (vec![T::NAN; n], vec![T::NAN; n]);
        fulmen::abs_complex(&x, &mut sizes).unwrap();
        fulmen::arg_complex(&x, &mut angles).unwrap();
        for (i, z) in x.iter().enumerate() {
            let z = exact(*z, false);
            let near = |got: T, want: f64| (got.to_f64() - want).abs() <= 1e-6 * want.abs();
            assert!(near(sizes[i], z.re.hypot(z.im)), "the size of {z:?}, {i} of {n}");
            assert!(near(angles[i], z.im.atan2(z.re)), "the angle of {z:?}, {i} of {n}");
        }
    }
}

#[test]
fn elements_of_both() {
    elements::<f32>();
    elements::<f64>();
}

#[test]
fn products_of_both() {
    products::<f32>();
    products::<f64>();
}

#[test]
fn vectors_of_both() {
    vectors::<f32>();
    vectors::<f64>();
}

#[test]
fn matrices_of_both() {
    matrices::<f32>();
    matrices::<f64>();
}
