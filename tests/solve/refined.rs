//! Solutions by factors in `f32`, refined: as good as those by factors in `f64`, or said not to be.

use super::*;

type Solved = (Vec<f64>, Result<usize, Error>);

/// A system by both ways, in `f64` and with right-hand sides by columns.
fn refined(a: &Matrix, b: &Matrix, most: usize, definite: bool) -> Solved {
    let (n, cols) = (a.rows, b.cols);
    let (mut f, mut x) = (a.x.iter().map(|x| *x as f32).collect::<Vec<f32>>(), vec![f64::NAN; n * cols]);
    let b = b.t();
    let b = MatRef::col_major(&b.x, n, cols).unwrap();
    let m = MatRef::row_major(&a.x, n, n).unwrap();
    let to = MatMut::col_major(&mut x, n, cols).unwrap();
    let done = if definite {
        let [wide, small] = cholesky_refine_workspace(n, cols);
        cholesky(MatMut::row_major(&mut f, n, n).unwrap(), &mut room(cholesky_workspace(n))).unwrap();
        let l = MatRef::row_major(&f, n, n).unwrap();
        cholesky_refine(m, l, b, to, most, &mut room(wide), &mut room(small))
    } else {
        let mut pivots = vec![0; n];
        let [wide, small] = lu_refine_workspace(n, cols);
        lu(MatMut::row_major(&mut f, n, n).unwrap(), &mut pivots, &mut room(lu_workspace(n, n))).unwrap();
        let l = MatRef::row_major(&f, n, n).unwrap();
        lu_refine(m, l, &pivots, b, to, most, &mut room(wide), &mut room(small))
    };
    (x, done)
}

/// What each column leaves, by the norms of the contract but for rounding errors of this sum.
fn accept_columns(a: &Matrix, x: &[f64], b: &Matrix, at: &str) {
    let n = a.rows;
    for (k, x) in x.chunks(n).enumerate() {
        let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0f64, |m, x| m.max(x.abs()));
        let left = |i: usize| b.at(i, k) - (0..n).map(|j| a.at(i, j) * x[j]).sum::<f64>();
        let bound = unit::<f64>() * largest(&mut x.iter().copied()) * a.t().norm();
        assert!(
            largest(&mut (0..n).map(left)) <= (n as f64 + 2.0 * (n as f64).sqrt()) * bound,
            "{at}: column {k}"
        );
    }
}

fn systems(definite_ones: bool) {
    for &n in ORDERS {
        let all = if definite_ones { definite::<f32>(n) } else { general(n, n) };
        for (kind, a) in all {
            // Of what is ill in `f32` the next test says more.
            if ["Hilbert", "Kahan", "nearly singular", "graded", "rows graded", "columns graded", "far"]
                .contains(&kind)
            {
                continue;
            }
            let mut b = Matrix::random(n, 3, 5);
            // Each column has a size of its own, past what `f32` has.
            (0..n).for_each(|i| {
                (b.x[i * 3 + 1], b.x[i * 3 + 2]) = (b.x[i * 3 + 1] * 1e-200, b.x[i * 3 + 2] * 1e150)
            });
            let (x, times) = refined(&a, &b, 30, definite_ones);
            let at = format!("{kind} {n}");
            let times = times.unwrap_or_else(|e| panic!("{at}: {e}"));
            assert!((1..30).contains(&times) || n < 3, "{at}: {times} refinements");
            accept_columns(&a, &x, &b, &at);
            // One fewer is not enough, and said so.
            if times > 0 {
                let (_, few) = refined(&a, &b, times - 1, definite_ones);
                assert!(matches!(few, Err(Error::Convergence { arg: "a", .. })), "{at}");
            }
        }
    }
}

#[test]
fn lu_refinements() {
    systems(false);
}

#[test]
fn cholesky_refinements() {
    systems(true);
}

/// A condition that `f32` has no digits for is an error, not another way.
#[test]
fn refinements_that_do_not_end() {
    let n = 12;
    let a = Matrix::new(n, n, |i, j| 1.0 / (i + j + 1) as f64);
    let (_, done) = refined(&a, &Matrix::random(n, 1, 5), usize::MAX, false);
    assert!(matches!(done, Err(Error::Convergence { arg: "a", .. })));
    // Factors of another matrix.
    let (a, f) = ([-1.0, 0.0, 0.0, 1.0], [1.0f32, 0.0, 0.0, 1.0]);
    let (mut x, b) = ([9.0; 2], [1.0, 1.0]);
    let [wide, small] = lu_refine_workspace(2, 1);
    let (m, l) = (MatRef::row_major(&a, 2, 2).unwrap(), MatRef::row_major(&f, 2, 2).unwrap());
    let b = MatRef::row_major(&b, 2, 1).unwrap();
    let to = MatMut::row_major(&mut x, 2, 1).unwrap();
    let done = lu_refine(m, l, &[0, 1], b, to, usize::MAX, &mut room::<f64>(wide), &mut room(small));
    assert!(matches!(done, Err(Error::Convergence { arg: "a", .. })));
}
