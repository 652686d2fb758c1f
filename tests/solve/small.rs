//! Matrices in arrays: the bits of the forms on views, or the same guarantees, and nothing written where a call is refused.

use super::*;

fn array<T: Element, const M: usize, const N: usize>(x: &[T]) -> [[T; N]; M] {
    std::array::from_fn(|i| std::array::from_fn(|j| x[i * N + j]))
}

fn definite_ones<T: Element, const N: usize>() {
    for (name, a) in definite::<T>(N) {
        let at = format!("{name} {} {N}", T::NAME);
        let (mut t, a) = a.rounded::<T>();
        (0..N * N).filter(|at| at % N > at / N).for_each(|at| t[at] = T::NAN);
        let mut l = array::<T, N, N>(&t);
        cholesky_fixed(&mut l).unwrap();
        let want = cholesky_of(native(), &t, N);
        let same = |x: &T, y: &T| x == y || (x.to_f64().is_nan() && y.to_f64().is_nan());
        assert!(l.as_flattened().iter().zip(&want).all(|(x, y)| same(x, y)), "{at}");
        let (x, b) = Matrix::random(N, 3, 5).rounded::<T>();
        let mut x = array::<T, N, 3>(&x);
        cholesky_solve_fixed(&l, &mut x).unwrap();
        residual::<T>("cholesky_solve", &a, &Matrix::of(N, 3, x.as_flattened()), &b, &at);
    }
}

fn general_ones<T: Element, const N: usize>() {
    for (name, a) in general(N, N) {
        let at = format!("{name} {} {N}", T::NAME);
        let (t, a) = a.rounded::<T>();
        let (mut f, mut pivots) = (array::<T, N, N>(&t), [u32::MAX; N]);
        if lu_fixed(&mut f, &mut pivots).is_err() {
            assert!(["nearly singular", "Hilbert"].contains(&name), "{at}");
            continue;
        }
        let factors = Matrix::of(N, N, f.as_flattened());
        let (l, u) = (lower(&factors, N, true), upper(&factors, N));
        assert!(l.x.iter().all(|x| x.abs() <= 1.0), "{at}: a multiplier above 1");
        factors_of::<T>(["lu", "factors", name_of(native())], N, &l, &u, &exchanged(&a, &pivots), &at);
        let (x, b) = Matrix::random(N, 3, 5).rounded::<T>();
        let mut x = array::<T, N, 3>(&x);
        lu_solve_fixed(&f, &pivots, &mut x).unwrap();
        let x = Matrix::of(N, 3, x.as_flattened());
        if x.x.iter().all(|x| x.is_finite()) {
            residual::<T>("lu_solve", &a, &x, &b, &at);
        }
        let mut x = array::<T, N, N>(&t);
        inverse_fixed(&mut x).unwrap();
        let x = Matrix::of(N, N, x.as_flattened());
        if x.x.iter().all(|x| x.is_finite()) {
            let guarantee = ["inverse", "residual", name_of(native())];
            keep::<T>(guarantee, N, a.mul(&x).sub(&one(N)).size(), a.size() * x.size(), &at);
        }
    }
}

#[test]
fn arrays_keep_the_promises_of_views() {
    macro_rules! orders {
        ($f:ident, $($N:literal)*) => {$($f::<f32, $N>(); $f::<f64, $N>();)*};
    }
    orders!(definite_ones, 1 2 3 4 6 9 32);
    orders!(general_ones, 1 2 3 4 6 9 32);
    // Nothing is a matrix, too.
    assert_eq!(cholesky_fixed::<f32, 0>(&mut []), Ok(()));
    assert_eq!(lu_solve_fixed::<f32, 0, 3>(&[], &[], &mut []), Ok(()));
    assert_eq!(inverse_fixed::<f64, 0>(&mut []), Ok(()));
}

#[test]
fn arrays_are_refused_before_anything_is_written() {
    let pivot = |arg, index| Err(Error::pivot(arg, index));
    for (odd, want) in [
        (f32::NAN, Error::nan("a")),
        (f32::INFINITY, Error::domain("a")),
        (-f32::INFINITY, Error::domain("a")),
    ] {
        let a = [[4.0, 0.5, 0.5], [1.0, 4.0, 0.5], [1.0, odd, 4.0]];
        let bits = |x: &[[f32; 3]; 3]| x.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let (mut x, mut y, mut z, mut pivots) = (a, a, a, [7; 3]);
        assert_eq!(cholesky_fixed(&mut x), Err(want));
        assert_eq!(lu_fixed(&mut y, &mut pivots), Err(want));
        assert_eq!(inverse_fixed(&mut z), Err(want));
        assert!([x, y, z].iter().all(|x| bits(x) == bits(&a)) && pivots == [7; 3]);
    }
    // Infinity before NaN: NaN is what is named.
    assert_eq!(inverse_fixed(&mut [[f32::INFINITY, f32::NAN], [1.0, 1.0]]), Err(Error::nan("a")));
    for k in 0..3 {
        let mut d = [[1.0f64, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        d[k][k] = 0.0;
        let (mut x, mut b) = (d, [[1.0], [2.0], [3.0]]);
        assert_eq!(cholesky_fixed(&mut x), pivot("a", k));
        let mut y = d;
        assert_eq!(lu_fixed(&mut y, &mut [0; 3]), pivot("a", k));
        assert_eq!(inverse_fixed(&mut d), pivot("a", k));
        assert_eq!(d[k][k], 0.0);
        assert_eq!(cholesky_solve_fixed(&d, &mut b), pivot("l", k));
        assert_eq!(lu_solve_fixed(&d, &[0, 1, 2], &mut b), pivot("factors", k));
        assert_eq!(b, [[1.0], [2.0], [3.0]]);
    }
    assert_eq!(cholesky_fixed(&mut [[1.0f32, 0.0], [2.0, 1.0]]), pivot("a", 1));
    let (one, mut b) = ([[1.0f32, 0.0], [0.0, 1.0]], [[1.0], [2.0]]);
    let outside = Err(Error::index("pivots", 2, 2));
    assert_eq!(lu_solve_fixed(&one, &[1, 2], &mut b), outside);
    assert_eq!(b, [[1.0], [2.0]]);
}

/// What is odd is seen wherever it is read, the diagonal included, and of equal pivots the first is taken, as on views.
#[test]
fn arrays_see_every_place_and_the_first_of_equal_pivots() {
    let a = [[4.0f64, 0.5, 0.5], [1.0, 4.0, 0.5], [1.0, 0.25, 4.0]];
    for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
        for (odd, want) in [(f64::NAN, Error::nan("a")), (f64::INFINITY, Error::domain("a"))] {
            let mut x = a;
            x[i][j] = odd;
            let (mut y, mut z, mut pivots) = (x, x, [7; 3]);
            // Above the diagonal nobody looks.
            let above = j > i;
            assert_eq!(cholesky_fixed(&mut x), if above { Ok(()) } else { Err(want) }, "{i} {j}");
            assert_eq!((lu_fixed(&mut y, &mut pivots), pivots), (Err(want), [7; 3]), "{i} {j}");
            assert_eq!(inverse_fixed(&mut z), Err(want), "{i} {j}");
        }
    }
    // Equal magnitudes in the first column, and in the second once that is eliminated.
    let a = [[2.0, 1.0, 0.0], [-2.0, 3.0, 1.0], [2.0, -3.0, 5.0]];
    let (mut f, mut pivots) = (a, [7; 3]);
    lu_fixed(&mut f, &mut pivots).unwrap();
    assert_eq!((f, pivots), ([[2.0, 1.0, 0.0], [-1.0, 4.0, 1.0], [1.0, -1.0, 6.0]], [0, 1, 2]));
    let (mut view, mut same) = (a, [7; 3]);
    let to = MatMut::row_major(view.as_flattened_mut(), 3, 3).unwrap();
    lu(to, &mut same, &mut room(lu_workspace(3, 3))).unwrap();
    assert_eq!((view, same), (f, pivots));
}
