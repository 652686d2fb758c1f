//! Systems of equations: sparse products past what is worth a thread in their stated order, triangles, incomplete factors, conjugate gradients;
//! dense factors past their blocks, and small singular values.

use crate::sizes::{threshold, *};
use fulmen::*;

/// Where rows begin, and columns: rows of nothing, of a few and of many elements, around every threshold.
fn pattern(rows: usize, cols: usize, r: &mut Stream) -> (Vec<usize>, Vec<u32>) {
    let long = threshold("sparse::spmv::LONG");
    let lengths = [0, 1, 3, 5, long - 1, long, long + 1, long + 2, long + 3, 5 * long];
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for _ in 0..rows {
        let n = lengths[r.below(lengths.len())].min(cols);
        let mut row: Vec<u32> = (0..n).map(|_| r.below(cols) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len());
    }
    (offsets, columns)
}

/// A Laplacian on a square of points.
fn laplacian(side: usize) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for k in 0..side * side {
        let (i, j) = (k / side, k % side);
        let near = [
            (i > 0).then(|| k - side),
            (j > 0).then(|| k - 1),
            Some(k),
            (j + 1 < side).then_some(k + 1),
            (i + 1 < side).then_some(k + side),
        ];
        for at in near.into_iter().flatten() {
            columns.push(at as u32);
            values.push(if at == k { 4.0 } else { -1.0 });
        }
        offsets.push(columns.len());
    }
    (offsets, columns, values)
}

#[test]
fn sparse_products() {
    let r = &mut Stream::new(3);
    let (rows, cols) = (9000, 4000);
    let (offsets, columns) = pattern(rows, cols, r);
    assert!(columns.len() > 2 * threshold("sparse::spmv::GRAIN"));
    let values = r.slice::<f64>(columns.len(), 1.0);
    let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
    let ([alpha, beta], long) = ([1.25, -0.5], threshold("sparse::spmv::LONG"));
    for n in [1, 7, 8, 9, 17, 31, 32, 33, 43] {
        let (x, before) = (r.slice::<f64>(cols * n, 1.0), r.slice::<f64>(rows * n, 1.0));
        let sum = |i: usize, j: usize, sums: usize| {
            let (c, v) = a.row(i);
            let whole = if sums == 1 || c.len() < long { 0 } else { c.len() / 4 * 4 };
            let mut s = [0.0; 4];
            (0..whole).for_each(|k| s[k % 4] += v[k] * x[c[k] as usize * n + j]);
            (whole..c.len())
                .fold((s[0] + s[2]) + (s[1] + s[3]), |sum, k| sum + v[k] * x[c[k] as usize * n + j])
        };
        let want = |sums| -> Vec<f64> {
            (0..rows * n).map(|k| alpha * sum(k / n, k % n, sums) + beta * before[k]).collect()
        };
        let (one, dense) = (want(4), want(1));
        let wide = MatRef::row_major(&x, cols, n).unwrap();
        let mut across = vec![0.0; cols * n];
        (0..cols * n).for_each(|k| across[k % n * cols + k / n] = x[k]);
        let other = MatRef::col_major(&across, cols, n).unwrap();
        for view in [wide, other] {
            let mut y = before.clone();
            spmm(alpha, a, view, beta, MatMut::row_major(&mut y, rows, n).unwrap()).unwrap();
            assert!(y == dense, "{n}");
        }
        for pool in POOLS.iter() {
            let mut y = before.clone();
            let to = MatMut::row_major(&mut y, rows, n).unwrap();
            pool.install(|| parallel::spmm(alpha, a, wide, beta, to)).unwrap();
            assert!(y == dense, "{n} on threads");
        }
        if n == 1 {
            let mut y = before.clone();
            spmv(alpha, a, &x, beta, &mut y).unwrap();
            assert!(y == one);
            for pool in POOLS.iter() {
                let mut y = before.clone();
                pool.install(|| parallel::spmv(alpha, a, &x, beta, &mut y)).unwrap();
                assert!(y == one, "on threads");
            }
        }
    }
}

/// Slices around the strips of their kernel, and past what is worth a thread: sums in the order of each row.
#[test]
fn sliced_products() {
    let r = &mut Stream::new(5);
    let (rows, cols) = (9000, 4000);
    let (offsets, columns) = pattern(rows, cols, r);
    assert!(columns.len() > 2 * threshold("sparse::spmv::GRAIN"));
    let values = r.slice::<f64>(columns.len(), 1.0);
    let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
    let (x, before) = (r.slice::<f64>(cols, 1.0), r.slice::<f64>(rows, 1.0));
    let [alpha, beta] = [1.25, -0.5];
    let row = |i: usize| a.row(i).0.iter().zip(a.row(i).1).fold(0.0, |sum, (c, v)| sum + v * x[*c as usize]);
    let want: Vec<f64> = (0..rows).map(|i| alpha * row(i) + beta * before[i]).collect();
    let [few, strip] = ["sparse::sell::FEW", "sparse::sell::STRIP"].map(threshold);
    for chunk in [1, few - 1, few, few + 1, strip - 1, strip, strip + 1, 3 * strip + few + 1, rows] {
        for sigma in [1, strip, 50, rows] {
            let mut order = vec![0; rows];
            Sell::sort(a, sigma, &mut order).unwrap();
            let len = Sell::stored(a, chunk, &order).unwrap();
            let (mut begins, mut lengths) = (vec![0; rows.div_ceil(chunk) + 1], vec![0; rows]);
            let (mut columns, mut values) = (vec![0; len], vec![0.0; len]);
            let (begins, lengths) = (&mut begins, &mut lengths);
            let b =
                Sell::from_csr(a, chunk, sigma, &order, begins, lengths, &mut columns, &mut values).unwrap();
            let mut y = before.clone();
            spmv_sell(alpha, b, &x, beta, &mut y).unwrap();
            assert!(y == want, "{chunk} {sigma}");
            for pool in POOLS.iter() {
                let mut y = before.clone();
                pool.install(|| parallel::spmv_sell(alpha, b, &x, beta, &mut y)).unwrap();
                assert!(y == want, "{chunk} {sigma} on threads");
            }
        }
    }
}

/// Rows of a product around those that are sorted by insertion; sampled products around their sums.
#[test]
fn sparse_matrices_of_others() {
    let r = &mut Stream::new(29);
    let short = threshold("sparse::spgemm::SHORT");
    let n = 40 * short;
    let lengths = [1, short - 1, short, short + 1, 3 * short, n];
    // Columns in no order of rows: each row of the product has those of one row, and again those of another.
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for len in lengths {
        let mut row: Vec<u32> = (0..n as u32).collect();
        (0..len).for_each(|i| row.swap(i, i + r.below(n - i)));
        row.truncate(len);
        row.sort_unstable();
        columns.extend(row);
        offsets.push(columns.len());
    }
    let values: Vec<f64> = (0..columns.len()).map(|i| 1.0 + i as f64).collect();
    let b = Csr::new(lengths.len(), n, &offsets, &columns, &values).unwrap();
    let pairs: Vec<[u32; 2]> = (0..6).flat_map(|i| (i + 1..6).map(move |j| [i, j])).collect();
    let (ends, twos) = ((0..=pairs.len()).map(|i| 2 * i).collect::<Vec<_>>(), vec![2.0; 2 * pairs.len()]);
    let a = Csr::new(pairs.len(), 6, &ends, pairs.as_flattened(), &twos).unwrap();
    let mut room = vec![usize::MAX; spgemm_workspace(n)];
    let len = a.product_len(b, &mut room).unwrap();
    let (mut to, mut index, mut of) = (vec![9; pairs.len() + 1], vec![9; len], vec![f64::NAN; len]);
    assert_eq!(spgemm(a, b, &mut to, &mut index, &mut of, &mut room), Ok(len));
    for (i, pair) in pairs.iter().enumerate() {
        let mut dense = vec![None; n];
        for k in pair {
            let (c, v) = b.row(*k as usize);
            c.iter()
                .zip(v)
                .for_each(|(c, v)| dense[*c as usize] = Some(dense[*c as usize].unwrap_or(0.0) + 2.0 * v));
        }
        let got: Vec<_> = (to[i]..to[i + 1]).map(|k| (index[k] as usize, of[k])).collect();
        let want: Vec<_> = dense.into_iter().enumerate().filter_map(|(c, v)| Some((c, v?))).collect();
        assert_eq!(got, want, "{pair:?}");
    }
    let parts = threshold("sparse::sddmm::PARTS");
    for k in [1, parts - 1, parts, parts + 1, 2 * parts, 9 * parts + 3] {
        // Whole numbers, whose sums are exact.
        let x: Vec<f64> = (0..3 * k).map(|_| r.below(9) as f64 - 4.0).collect();
        let y: Vec<f64> = (0..3 * k).map(|_| r.below(9) as f64 - 4.0).collect();
        let a = Csr::new(3, 3, &[0, 3, 4, 6], &[0, 1, 2, 1, 0, 2], &[0.0; 6]).unwrap();
        let (wide, tall) = (MatRef::row_major(&x, 3, k).unwrap(), MatRef::col_major(&y, k, 3).unwrap());
        let mut got = [1.0; 6];
        sddmm(2.0, wide, tall, a, 3.0, &mut got).unwrap();
        let dot = |i: usize, j: usize| (0..k).map(|p| x[i * k + p] * y[j * k + p]).sum::<f64>();
        let want = [(0, 0), (0, 1), (0, 2), (1, 1), (2, 0), (2, 2)].map(|(i, j)| 2.0 * dot(i, j) + 3.0);
        assert_eq!(got, want, "{k}");
    }
}

#[test]
fn sparse_triangles() {
    // A diagonal that is not stored, in either triangle.
    let a = Csr::new(3, 3, &[0, 1, 2, 3], &[2, 0, 1], &[5.0, 3.0, 7.0]).unwrap();
    for (triangle, want) in [(Triangle::Lower, [1.0, -2.0, 15.0]), (Triangle::Upper, [-4.0, 1.0, 1.0])] {
        let mut x = [1.0; 3];
        spsv(triangle, Diagonal::Unit, a, &mut x).unwrap();
        assert_eq!(x, want, "{triangle:?}");
    }
    // The factors of a Laplacian multiply to it where it has elements.
    let (offsets, columns, values) = laplacian(60);
    let n = 3600;
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let mut factors = vec![0.0; a.len()];
    ilu0(a, &mut factors).unwrap();
    let f = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
    let at = |i: usize, j: usize| {
        let (c, v) = f.row(i);
        c.binary_search(&(j as u32)).map_or(0.0, |k| v[k])
    };
    for i in 0..n {
        for (c, v) in a.row(i).0.iter().zip(a.row(i).1) {
            let j = *c as usize;
            let below = f.row(i).0.iter().map(|k| *k as usize).filter(|k| *k < i && *k <= j);
            let lu: f64 = below.map(|k| at(i, k) * at(k, j)).sum();
            let lu = if i <= j { lu + at(i, j) } else { lu };
            assert!((lu - v).abs() < 1e-14, "{i} {j}: {lu} {v}");
        }
    }
}

#[test]
fn conjugate_gradients() {
    let (offsets, columns, values) = laplacian(120);
    let n = 120 * 120;
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let (chosen, mut b) = (Stream::new(5).slice::<f64>(n, 1.0), vec![0.0; n]);
    spmv(1.0, a, &chosen, 0.0, &mut b).unwrap();
    let mut factors = vec![0.0; a.len()];
    ilu0(a, &mut factors).unwrap();
    let lu = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
    let (mut x, mut workspace) = (vec![0.0; n], vec![f64::NAN; cg_workspace(n)]);
    let mut state = Cg::new(a, Some(lu), &b, &mut x, &mut workspace).unwrap();
    while state.residual() > 1e-10 && state.steps() < 1000 {
        state.step().unwrap();
    }
    let steps = state.steps();
    assert!((30..130).contains(&steps), "{steps}");
    assert!(x.iter().zip(&chosen).all(|(x, c)| (x - c).abs() < 1e-7));
    for (most, solved) in [(steps, true), (steps - 1, false)] {
        let mut y = vec![0.0; n];
        let done = cg(a, Some(lu), &b, &mut y, 1e-10, most, &mut workspace);
        assert!(
            if solved { done.is_ok() } else { matches!(done, Err(Error::Convergence { .. })) },
            "{done:?}"
        );
    }
}

/// `LLᵀ` and `LU` with exchanged rows are the matrix again.
#[test]
fn factors() {
    let r = &mut Stream::new(7);
    for n in around::<f64>(300).into_iter().filter(|n| *n > 20) {
        let mut w = vec![0.0; cholesky_workspace(n).max(lu_workspace(n, n))];
        let square = r.slice::<f64>(n * n, 1.0);
        let dominated = |i: usize, j: usize| if i == j { n as f64 } else { square[i.max(j) * n + i.min(j)] };
        let mut l: Vec<f64> = (0..n * n).map(|k| dominated(k / n, k % n)).collect();
        cholesky(MatMut::row_major(&mut l, n, n).unwrap(), &mut w).unwrap();
        let mut lu = square.clone();
        let mut pivots = vec![0; n];
        fulmen::lu(MatMut::row_major(&mut lu, n, n).unwrap(), &mut pivots, &mut w).unwrap();
        let mut rows: Vec<usize> = (0..n).collect();
        pivots.iter().enumerate().for_each(|(i, p)| rows.swap(i, *p as usize));
        for [i, j] in crate::gemm::some(n, n, 200) {
            let product: f64 = (0..=i.min(j)).map(|k| l[i * n + k] * l[j * n + k]).sum();
            assert!((product - dominated(i, j)).abs() < 1e-13 * n as f64, "cholesky of {n} at {i} {j}");
            let lower = |k: usize| if k == i { 1.0 } else { lu[i * n + k] };
            let product: f64 = (0..=i.min(j)).map(|k| lower(k) * lu[k * n + j]).sum();
            assert!((product - square[rows[i] * n + j]).abs() < 1e-13 * n as f64, "lu of {n} at {i} {j}");
        }
        // A pivot that is none, in the last part.
        let mut a: Vec<f64> = (0..n * n).map(|k| dominated(k / n, k % n)).collect();
        a[n * n - 1] = -1.0;
        let refused = cholesky(MatMut::row_major(&mut a, n, n).unwrap(), &mut w);
        assert_eq!(refused, Err(Error::pivot("a", n - 1)), "{n}");
    }
}

/// The product of all singular values is that of the diagonal, whose smallest one a step with a shift would spoil.
#[test]
fn small_singular_values() {
    for n in [5, 20, 40] {
        let d = |i: usize| 1.0 + 0.1 * i as f64;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = d(i);
            if i + 1 < n {
                a[i * n + i + 1] = 10.0;
            }
        }
        let (mut u, mut vt, mut values) = (a.clone(), a.clone(), vec![0.0; n]);
        let mut w = vec![0.0; svd_workspace(n, n)];
        let [a, u, vt] = [&mut a, &mut u, &mut vt].map(|x| MatMut::row_major(x, n, n).unwrap());
        svd(a, u, &mut values, vt, &mut w).unwrap();
        let [got, exact] =
            [values, (0..n).map(d).collect()].map(|x: Vec<f64>| x.iter().map(|x| libm::log(*x)).sum::<f64>());
        assert!((got - exact).abs() < 1e-11, "{n}: {got} {exact}");
    }
}
