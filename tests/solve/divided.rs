//! Divide and conquer past each of its sizes: spectra that leave nothing of the secular equation, all of it, or some; with the same bits
//! on threads.

use super::eigen::{accept_eigen, symmetric};
use super::*;
use common::seed::Seed;

/// Where poles of the halves are one, or next to each other, or all far from each other.
fn more(n: usize) -> Vec<(&'static str, Matrix)> {
    let g = Matrix::random(n, n, n as u64);
    let tridiagonal = |d: &dyn Fn(usize) -> f64, e: &dyn Fn(usize) -> f64| {
        Matrix::new(n, n, |i, j| match i.abs_diff(j) {
            0 => d(i),
            1 => e(i.min(j)),
            _ => 0.0,
        })
    };
    let wilkinson = |i: usize| (i % 21).abs_diff(10) as f64;
    // The second half is near the end of the range, where squares underflow.
    let far = |i: usize| if 2 * i < n { 1.0 } else { 1e-200 };
    vec![
        ("glued Wilkinson", tridiagonal(&wilkinson, &|i| if i % 21 == 20 { 1e-6 } else { 1.0 })),
        ("nearly apart", tridiagonal(&wilkinson, &|i| if i % 21 == 20 { 1e-14 } else { 1.0 })),
        (
            "three values",
            Matrix::new(n, n, |i, j| if i == j { (i % 3) as f64 } else { 1e-9 * g.at(i.max(j), i.min(j)) }),
        ),
        ("two scales", tridiagonal(&|i| far(i) * (2.0 + g.at(i, i)), &|i| far(i + 1) * (2.0 + g.at(i, 0)))),
        ("graded", tridiagonal(&|i| 2f64.powi(-(i as i32)), &|i| 0.4 * 2f64.powi(-(i as i32)))),
        (
            "signs",
            tridiagonal(&|i| if i % 2 == 0 { 1.0 } else { -1.0 }, &|i| {
                if g.at(0, i) < 0.0 { -1.0 } else { 1.0 }
            }),
        ),
        ("random, three diagonals", tridiagonal(&|i| g.at(i, i), &|i| g.at(i, 0))),
    ]
}

fn check<T: Element>(name: &str, a: Matrix, threads: bool) {
    let n = a.rows;
    let (t, a) = a.rounded::<T>();
    let (mut v, mut values, mut w) = (t, vec![T::NAN; n], vec![T::NAN; eigh_workspace(n)]);
    (0..n * n).filter(|at| at % n > at / n).for_each(|at| v[at] = T::NAN);
    let (mut also, mut same) = (v.clone(), values.clone());
    eigh(MatMut::row_major(&mut v, n, n).unwrap(), &mut values, &mut w).unwrap();
    let at = format!("{name} {n} {}", T::NAME);
    accept_eigen(name_of(native()), &a, &v, &values, &at);
    if !threads {
        return;
    }
    w.fill(T::NAN);
    parallel::eigh(MatMut::row_major(&mut also, n, n).unwrap(), &mut same, &mut w).unwrap();
    let bits = |x: &[T]| x.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>();
    assert!(bits(&v) == bits(&also) && bits(&values) == bits(&same), "{at}: threads");
}

/// Sizes of two and four parts.
#[test]
fn spectra_of_parts() {
    let r = &mut Seed::new("spectra_of_parts").stream("spectra_of_parts");
    for turn in 0..more(1).len() + symmetric::<f32>(1).len() {
        let n = 64 + r.bits() as usize % if turn == 0 { 66 } else { 8 };
        if r.bits().is_multiple_of(2) {
            let (name, a) = symmetric::<f32>(n).into_iter().chain(more(n)).nth(turn).unwrap();
            check::<f32>(name, a, turn % 3 == 0);
        } else {
            let (name, a) = symmetric::<f64>(n).into_iter().chain(more(n)).nth(turn).unwrap();
            check::<f64>(name, a, turn % 3 == 0);
        }
    }
    // What digits the roots lack is seen where they are near to each other, and what underflows, in `f64`.
    for (name, a) in more(68).into_iter().filter(|x| ["glued Wilkinson", "two scales"].contains(&x.0)) {
        check::<f64>(name, a, false);
    }
}

/// More vectors than one product makes: of an odd order all poles of the halves differ.
#[test]
fn blocks_of_vectors() {
    let sizes: &[usize] = if cfg!(debug_assertions) { &[271] } else { &[257, 271, 401, 531] };
    for n in sizes {
        check::<f64>("Laplacian", Matrix::new(*n, *n, |i, j| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)]), false);
    }
}
