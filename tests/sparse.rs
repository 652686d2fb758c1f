//! Sparse matrices: what is no matrix, and one result whatever computes it.

use common::lanes::*;
use common::nn::Noise;
use common::nn::sparse::{pattern, system};
use fulmen::*;

mod colored;
#[cfg(feature = "std")]
mod files;
mod formats;
mod products;
mod refusals;
mod residuals;
mod spectrum;

#[test]
fn what_is_no_matrix() {
    let values = [1.0f32, 2.0, 3.0];
    let columns = [0, 2, 1];
    let new = |rows, cols, offsets: &[usize], columns: &[u32], n: usize| {
        Csr::new(rows, cols, offsets, columns, &values[..n]).map(|a| (a.rows(), a.cols(), a.len()))
    };
    let good = [0, 2, 3];
    assert_eq!(new(2, 3, &good, &columns, 3), Ok((2, 3, 3)));
    assert_eq!(new(0, 3, &[0], &[], 0), Ok((0, 3, 0)));
    assert_eq!(new(2, 0, &[0, 0, 0], &[], 0), Ok((2, 0, 0)));
    let [offsets, order] = ["offsets", "columns"].map(Error::domain);
    for (rows, cols, at, columns, n, error) in [
        (3, 3, &good[..], &columns[..], 3, Error::len("offsets", 4, 3)),
        (0, 3, &[], &[], 0, Error::len("offsets", 1, 0)),
        (usize::MAX, 3, &good, &columns, 3, Error::overflow("rows")),
        (2, 3, &[1, 2, 3], &columns, 3, offsets),
        (2, 3, &[0, 4, 3], &columns, 3, offsets),
        (2, 3, &[0, usize::MAX, 3], &columns, 3, offsets),
        (2, 3, &[0, 2, usize::MAX], &columns, 3, Error::len("columns", usize::MAX, 3)),
        (2, 3, &[0, 2, 2], &columns, 3, Error::len("columns", 2, 3)),
        (2, 3, &good, &columns, 2, Error::len("values", 3, 2)),
        (2, 3, &good, &[2, 0, 1], 3, order),
        (2, 3, &good, &[1, 1, 1], 3, order),
        (2, 3, &good, &[0, 3, 1], 3, Error::index("columns", 3, 3)),
        (2, 3, &good, &[0, 2, u32::MAX], 3, Error::index("columns", u32::MAX as usize, 3)),
    ] {
        assert_eq!(new(rows, cols, at, columns, n), Err(error), "{at:?} {columns:?}");
    }
}

/// The stated order of sums, and so the same bits on every set of lanes and at any number of threads.
#[test]
fn one_result() {
    fn check<T: Element>() {
        let (rows, cols) = (3000, 700);
        let r = &mut Noise(5);
        let (mut offsets, mut columns) = pattern(rows, cols, 60, r);
        // A row that is a large part of the work, behind rows of nothing.
        offsets.extend([columns.len(); 500]);
        columns.extend(0..cols as u32);
        offsets.push(columns.len());
        let rows = offsets.len() - 1;
        let (values, x) = (r.slice::<T>(columns.len(), 1.0), r.slice::<T>(cols, 1.0));
        let before = r.slice::<T>(rows, 1.0);
        let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
        let [alpha, beta] = [1.25, -0.5].map(T::from_f64);
        let stated = |i: usize| {
            let (c, v) = a.row(i);
            let mut sums = [T::ZERO; 4];
            let whole = if c.len() < 16 { 0 } else { c.len() / 4 * 4 };
            (0..whole).for_each(|k| sums[k % 4] = sums[k % 4] + v[k] * x[c[k] as usize]);
            let head = (sums[0] + sums[2]) + (sums[1] + sums[3]);
            let sum = (whole..c.len()).fold(head, |sum, k| sum + v[k] * x[c[k] as usize]);
            (alpha * sum + beta * before[i]).to_f64().to_bits()
        };
        let want: Vec<u64> = (0..rows).map(stated).collect();
        let same = |y: &[T], what: &str| {
            assert!(y.iter().zip(&want).all(|(y, w)| y.to_f64().to_bits() == *w), "{} {what}", T::NAME);
        };
        for_each_lane!(|s| {
            let mut y = before.clone();
            spmv_on(s, alpha, a, &x, beta, &mut y).unwrap();
            same(&y, name_of(s));
        });
        #[cfg(feature = "parallel")]
        for threads in [1, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut y = before.clone();
            pool.install(|| parallel::spmv(alpha, a, &x, beta, &mut y)).unwrap();
            same(&y, "on threads");
        }
    }
    check::<f32>();
    check::<f64>();
}

/// The order of the rows, on every set of lanes and on threads.
#[test]
fn one_result_of_the_transpose() {
    fn check<T: Element>() {
        let (rows, cols) = (900, 700);
        let r = &mut Noise(7);
        let (offsets, columns) = pattern(rows, cols, 60, r);
        let (values, x) = (r.slice::<T>(columns.len(), 1.0), r.slice::<T>(rows, 1.0));
        let before = r.slice::<T>(cols, 1.0);
        let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
        let [alpha, beta] = [1.25, -0.5].map(T::from_f64);
        let mut want: Vec<T> = before.iter().map(|y| beta * *y).collect();
        for (i, x) in x.iter().enumerate() {
            let (c, v) = a.row(i);
            c.iter().zip(v).for_each(|(c, v)| want[*c as usize] = want[*c as usize] + *v * (alpha * *x));
        }
        let bits = |y: &[T]| y.iter().map(|y| y.to_f64().to_bits()).collect::<Vec<_>>();
        for_each_lane!(|s| {
            let mut y = before.clone();
            spmv_transposed_on(s, alpha, a, &x, beta, &mut y).unwrap();
            assert_eq!(bits(&y), bits(&want), "{} {}", T::NAME, name_of(s));
            // A NaN in α reaches a column without elements too, and an infinite one the columns that have some.
            let few = [T::ONE; 2];
            let a = Csr::new(2, 3, &[0, 1, 2], &[0, 2], &few).unwrap();
            let mut y = [T::ONE; 3];
            spmv_transposed_on(s, T::NAN, a, &few, T::ONE, &mut y).unwrap();
            assert!(y.iter().all(|y| y.to_f64().is_nan()), "{y:?}");
            let mut y = [T::ONE; 3];
            spmv_transposed_on(s, T::INFINITY, a, &few, T::ONE, &mut y).unwrap();
            assert_eq!(y, [T::INFINITY, T::ONE, T::INFINITY]);
        });
    }
    check::<f32>();
    check::<f64>();
}

/// One sum for each element, on every set of lanes and at any number of threads, whatever the strides.
#[test]
fn one_result_of_matrices() {
    fn check<T: Element>() {
        let (rows, cols, n) = (900, 700, 75);
        let r = &mut Noise(9);
        let (offsets, columns) = pattern(rows, cols, 40, r);
        let values = r.slice::<T>(columns.len(), 1.0);
        let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
        let (x, before) = (r.slice::<T>(cols * n, 1.0), r.slice::<T>(rows * n, 1.0));
        let [alpha, beta] = [1.25, -0.5].map(T::from_f64);
        let stated = |i: usize, j: usize| {
            let (c, v) = a.row(i);
            let sum = c.iter().zip(v).fold(T::ZERO, |sum, (c, v)| sum + *v * x[*c as usize * n + j]);
            (alpha * sum + beta * before[i * n + j]).to_f64().to_bits()
        };
        let want: Vec<u64> = (0..rows * n).map(|k| stated(k / n, k % n)).collect();
        let wide = MatRef::row_major(&x, cols, n).unwrap();
        let mut by_columns = vec![T::ZERO; cols * n];
        (0..cols * n).for_each(|k| by_columns[k % n * cols + k / n] = x[k]);
        let same = |y: &[T], what: &str| {
            assert!(y.iter().zip(&want).all(|(y, w)| y.to_f64().to_bits() == *w), "{} {what}", T::NAME)
        };
        for_each_lane!(|s| {
            let mut y = before.clone();
            spmm_on(s, alpha, a, wide, beta, MatMut::row_major(&mut y, rows, n).unwrap()).unwrap();
            same(&y, name_of(s));
        });
        let mut y = before.clone();
        let other = MatRef::col_major(&by_columns, cols, n).unwrap();
        spmm(alpha, a, other, beta, MatMut::row_major(&mut y, rows, n).unwrap()).unwrap();
        same(&y, "of columns");
        let mut y = vec![T::ZERO; rows * n];
        (0..rows * n).for_each(|k| y[k % n * rows + k / n] = before[k]);
        spmm(alpha, a, wide, beta, MatMut::col_major(&mut y, rows, n).unwrap()).unwrap();
        let back: Vec<T> = (0..rows * n).map(|k| y[k % n * rows + k / n]).collect();
        same(&back, "into columns");
        #[cfg(feature = "parallel")]
        for threads in [1, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut y = before.clone();
            let to = MatMut::row_major(&mut y, rows, n).unwrap();
            pool.install(|| parallel::spmm(alpha, a, wide, beta, to)).unwrap();
            same(&y, "on threads");
        }
    }
    check::<f32>();
    check::<f64>();
}

/// The stated order, on every set of lanes.
#[test]
fn one_result_of_triangles() {
    fn check<T: Element>() {
        let r = &mut Noise(11);
        let (offsets, columns, values) = system(500, 40, false, r);
        let values: Vec<T> = values.into_iter().map(T::from_f64).collect();
        let a = Csr::new(500, 500, &offsets, &columns, &values).unwrap();
        let before = r.slice::<T>(500, 1.0);
        for (triangle, diagonal) in [
            (Triangle::Lower, Diagonal::Unit),
            (Triangle::Lower, Diagonal::NonUnit),
            (Triangle::Upper, Diagonal::Unit),
            (Triangle::Upper, Diagonal::NonUnit),
        ] {
            let mut want = before.clone();
            for i in (0..500).map(|i| if triangle == Triangle::Upper { 499 - i } else { i }) {
                let (c, v) = a.row(i);
                let mut row: Vec<(usize, T)> = c.iter().map(|c| *c as usize).zip(v.iter().copied()).collect();
                if triangle == Triangle::Upper {
                    row.reverse();
                }
                let to = row.iter().position(|(c, _)| *c == i).unwrap();
                let sum = row[..to].iter().fold(want[i], |sum, (c, v)| sum - *v * want[*c]);
                want[i] = if diagonal == Diagonal::Unit { sum } else { sum / row[to].1 };
            }
            let bits = |x: &[T]| x.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>();
            for_each_lane!(|s| {
                let mut x = before.clone();
                spsv_on(s, triangle, diagonal, a, &mut x).unwrap();
                assert_eq!(bits(&x), bits(&want), "{} {} {triangle:?} {diagonal:?}", T::NAME, name_of(s));
            });
        }
    }
    check::<f32>();
    check::<f64>();
}

/// `LU` is A where A has elements, and the bits are the same on every set of lanes.
#[test]
fn factors_where_the_matrix_is() {
    let n = 300;
    let (offsets, columns, values) = system(n, 30, false, &mut Noise(13));
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let mut first = vec![];
    for_each_lane!(|s| {
        let mut factors = vec![0.0; a.len()];
        ilu0_on(s, a, &mut factors).unwrap();
        let bits: Vec<u64> = factors.iter().map(|x| x.to_bits()).collect();
        if first.is_empty() {
            first = bits.clone();
            let mut dense = vec![0.0; n * n];
            let f = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
            (0..n).for_each(|i| {
                f.row(i).0.iter().zip(f.row(i).1).for_each(|(c, v)| dense[i * n + *c as usize] = *v)
            });
            let l = |i: usize, k: usize| if i == k { 1.0 } else { dense[i * n + k] };
            for i in 0..n {
                for (c, v) in a.row(i).0.iter().zip(a.row(i).1) {
                    let j = *c as usize;
                    let lu: f64 = (0..=i.min(j)).map(|k| l(i, k) * dense[k * n + j]).sum();
                    assert!((lu - v).abs() < 1e-14, "{i} {j}: {lu} {v}");
                }
            }
        }
        assert_eq!(bits, first, "{}", name_of(s));
    });
}

/// The Laplacian of a square of points: the solution that was chosen comes back, sooner the better the preconditioner, step by step
/// as at once; and what ends an iteration early.
#[test]
fn gradients_of_a_laplacian() {
    let side = 30usize;
    let n = side * side;
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for (i, j) in (0..n).map(|k| (k / side, k % side)) {
        let mut to = |there: bool, c: usize, v: f64| {
            columns.extend(there.then_some(c as u32));
            values.extend(there.then_some(v));
        };
        let k = i * side + j;
        to(i > 0, k.wrapping_sub(side), -1.0);
        to(j > 0, k.wrapping_sub(1), -1.0);
        to(true, k, 4.0);
        to(j + 1 < side, k + 1, -1.0);
        to(i + 1 < side, k + side, -1.0);
        offsets.push(columns.len());
    }
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let (chosen, mut b) = (Noise(17).slice::<f64>(n, 1.0), vec![0.0; n]);
    spmv(1.0, a, &chosen, 0.0, &mut b).unwrap();
    let (ends, diagonal): (Vec<usize>, Vec<u32>) = ((0..=n).collect(), (0..n as u32).collect());
    let fours = vec![4.0; n];
    let jacobi = Csr::new(n, n, &ends, &diagonal, &fours).unwrap();
    let mut factors = vec![0.0; a.len()];
    ilu0(a, &mut factors).unwrap();
    let lu = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
    let mut workspace = vec![f64::NAN; cg_workspace(n)];
    let steps = [Some(lu), Some(jacobi), None].map(|m| {
        let mut x = vec![0.0; n];
        let mut state = Cg::new(a, m, &b, &mut x, &mut workspace).unwrap();
        let mut last = state.residual();
        assert_eq!(last, 1.0);
        while state.residual() > 1e-10 && state.steps() < 1000 {
            state.step().unwrap();
            assert!(state.residual() < 30.0 * last);
            last = state.residual();
        }
        let steps = state.steps();
        let far = x.iter().zip(&chosen).fold(0.0f64, |far, (x, c)| far.max((x - c).abs()));
        assert!(far < 1e-8, "{far:e} after {steps}");
        let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
        cg(a, m, &b, &mut y, 1e-10, steps, &mut workspace).unwrap();
        assert_eq!(x, y);
        let short = cg(a, m, &b, &mut z, 1e-10, steps - 1, &mut workspace);
        assert!(matches!(short, Err(Error::Convergence { arg: "a", .. })));
        assert!(z.iter().zip(&chosen).all(|(z, c)| (z - c).abs() < 1e-5), "the last iterate");
        steps
    });
    // A's diagonal is everywhere 4: it preconditions nothing.
    assert!(steps[0] < 40 && steps[1] < 110 && 2 * steps[0] < steps[1] && steps[1] == steps[2], "{steps:?}");
    // The negative of a positive definite matrix.
    let minus: Vec<f64> = values.iter().map(|x| -x).collect();
    let m = Csr::new(n, n, &offsets, &columns, &minus).unwrap();
    let mut x = vec![0.0; n];
    let [alone, of_a, of_lu] =
        [(m, None), (m, Some(lu)), (a, Some(m))].map(|(a, lu)| cg(a, lu, &b, &mut x, 0.0, 9, &mut workspace));
    assert_eq!([alone, of_a, of_lu], ["a", "a", "lu"].map(|arg| Err(Error::pivot(arg, 0))));
}
