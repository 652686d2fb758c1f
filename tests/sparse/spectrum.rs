//! Eigenvalues at the ends of the spectrum by what they guarantee: closed forms, residuals, orthogonality.

use super::*;

/// The Laplacian of a square of points, and its values: sums of two of a line's.
fn laplacian(side: usize) -> ((Vec<usize>, Vec<u32>, Vec<f64>), Vec<f64>) {
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for (i, j) in (0..side * side).map(|k| (k / side, k % side)) {
        let near = [(i > 0, i.wrapping_sub(1), j), (j > 0, i, j.wrapping_sub(1)), (true, i, j)];
        for (there, p, q) in near.into_iter().chain([(j + 1 < side, i, j + 1), (i + 1 < side, i + 1, j)]) {
            columns.extend(there.then(|| (p * side + q) as u32));
            values.extend(there.then_some(if (p, q) == (i, j) { 4.0 } else { -1.0 }));
        }
        offsets.push(columns.len());
    }
    let line = |i: usize| 2.0 - 2.0 * (std::f64::consts::PI * (i + 1) as f64 / (side + 1) as f64).cos();
    let mut exact: Vec<f64> = (0..side * side).map(|k| line(k / side) + line(k % side)).collect();
    exact.sort_by(f64::total_cmp);
    ((offsets, columns, values), exact)
}

/// What is left of each pair, and how far the vectors are from orthonormal in B, both as shares of what there is.
fn ratios<T: Element>(a: Csr<'_, T>, b: Option<Csr<'_, T>>, x: &[T], values: &[T]) -> [f64; 2] {
    let n = a.rows();
    let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let by = |a: Option<Csr<'_, T>>, x: &[f64]| -> Vec<f64> {
        let Some(a) = a else { return x.to_vec() };
        let row = |i| a.row(i).0.iter().zip(a.row(i).1).map(|(c, v)| v.to_f64() * x[*c as usize]).sum();
        (0..n).map(row).collect()
    };
    let size = |a: Option<Csr<'_, T>>| {
        let row = |a: Csr<'_, T>, i| a.row(i).1.iter().map(|v| v.to_f64().abs()).sum::<f64>();
        a.map_or(1.0, |a| (0..n).map(|i| row(a, i)).fold(0.0, f64::max))
    };
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let all: Vec<Vec<f64>> = x.chunks(n).map(wide).collect();
    let mut worst = [0.0f64; 2];
    for (i, (x, value)) in all.iter().zip(values).enumerate() {
        let bx = by(b, x);
        // No square leaves the range.
        let whole = (size(Some(a)) + value.to_f64().abs() * size(b)).max(f64::MIN_POSITIVE);
        let both = by(Some(a), x).into_iter().zip(&bx);
        let left: Vec<f64> = both.map(|(l, r)| l / whole - value.to_f64() / whole * r).collect();
        worst[0] = worst[0].max((dot(&left, &left) / dot(x, x)).sqrt());
        for (k, y) in all.iter().enumerate() {
            worst[1] = worst[1].max((dot(&bx, y) - f64::from(u8::from(i == k))).abs());
        }
    }
    worst
}

#[test]
fn ends_of_a_laplacian() {
    let (side, k) = (17, 5);
    let ((offsets, columns, values), exact) = laplacian(side);
    let n = side * side;
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let mut factors = vec![0.0; a.len()];
    ilu0(a, &mut factors).unwrap();
    let lu = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
    let mut room = vec![f64::NAN; lobpcg_workspace(n, k)];
    // The second comes twice, and the fifth with the sixth.
    for largest in [false, true] {
        let steps = [Some(lu).filter(|_| !largest), None].map(|lu| {
            let (mut x, mut found) = (Noise(5).slice::<f64>(n * k, 1.0), vec![f64::NAN; k]);
            let steps = lobpcg(largest, a, None, lu, &mut x, &mut found, 1e-9, 400, &mut room).unwrap();
            let [left, off] = ratios(a, None, &x, &found);
            assert!(left <= 1.01e-9 && off < 1e-13, "{left:e} {off:e}");
            for (i, value) in found.iter().enumerate() {
                let want = exact[if largest { n - 1 - i } else { i }];
                assert!((value - want).abs() < 1e-12, "{i}: {value} {want}");
            }
            // From there on there is nothing to do.
            let again = lobpcg(largest, a, None, lu, &mut x, &mut found, 2e-9, 0, &mut room);
            assert_eq!(again, Ok(0));
            steps
        });
        assert!(largest || steps[0] < steps[1], "{steps:?}");
        assert!(steps[1] < 120, "{steps:?}");
    }
    let (mut x, mut found) = (Noise(5).slice::<f64>(n * k, 1.0), vec![f64::NAN; k]);
    let short = lobpcg(false, a, None, None, &mut x, &mut found, 1e-9, 3, &mut room);
    assert!(matches!(short, Err(Error::Convergence { arg: "a", .. })));
    assert!(found.iter().zip(&exact).all(|(x, want)| *x >= *want && *x < 4.0), "the last iterate");
}

#[test]
fn hard_starts() {
    let ((offsets, columns, values), exact) = laplacian(9);
    let n = 81;
    let k = 4;
    let (ends, diagonal): (Vec<usize>, Vec<u32>) = ((0..=n).collect(), (0..n as u32).collect());
    let mut room = vec![f64::NAN; lobpcg_workspace(n, n)];
    // Near the ends of the range, and masses of six decades.
    for (scale, span) in [(1.0, 0.0), (1e300, 0.0), (1e-300, 0.0), (1.0, 6.0), (1e-200, 3.0)] {
        let of: Vec<f64> = values.iter().map(|v| v * scale).collect();
        let a = Csr::new(n, n, &offsets, &columns, &of).unwrap();
        let masses: Vec<f64> = (0..n).map(|i| 10f64.powf(span * (i % 7) as f64 / 6.0 - span / 2.0)).collect();
        let b = Some(Csr::new(n, n, &ends, &diagonal, &masses).unwrap()).filter(|_| span > 0.0);
        let mut factors = vec![0.0; a.len()];
        ilu0(a, &mut factors).unwrap();
        let lu = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
        // Four vectors that are one but for a little, of a size of its own.
        for little in [1.0, 1e-4, 1e-9] {
            let mut x: Vec<f64> = Noise(3).slice(n * k, little);
            x.iter_mut().for_each(|x| *x = (*x + 1.0) * 1e200);
            let mut found = vec![f64::NAN; k];
            let done = lobpcg(false, a, b, Some(lu), &mut x, &mut found, 1e-10, 500, &mut room);
            assert!(done.is_ok(), "{scale:e} {span} {little:e}: {done:?}");
            let [left, off] = ratios(a, b, &x, &found);
            assert!(left <= 1.01e-10 && off < 1e-9, "{scale:e} {span} {little:e}: {left:e} {off:e}");
            assert!(found.is_sorted());
            if span == 0.0 {
                let near = |(x, want): (&f64, &f64)| (x / scale - want).abs() < 1e-8;
                assert!(found.iter().zip(&exact).all(near), "{found:?}");
            }
        }
    }
    // All vectors: what behind them is new is nothing.
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let (mut x, mut found) = (Noise(9).slice::<f64>(n * n, 1.0), vec![f64::NAN; n]);
    assert_eq!(lobpcg(true, a, None, None, &mut x, &mut found, 1e-13, 3, &mut room), Ok(0));
    let [left, off] = ratios(a, None, &x, &found);
    assert!(left <= 1.01e-13 && off < 1e-12, "{left:e} {off:e}");
    assert!(found.iter().zip(exact.iter().rev()).all(|(x, want)| (x - want).abs() < 1e-12));
    // More directions than there are: what is left of them is dropped.
    let (mut x, mut found) = (Noise(9).slice::<f64>(n * 40, 1.0), vec![f64::NAN; 40]);
    let done = lobpcg(false, a, None, None, &mut x, &mut found, 1e-13, 30, &mut room).unwrap();
    assert!(done <= 3 && ratios(a, None, &x, &found)[0] <= 1.01e-13, "{done}");
    // The last vector depends on those before, which rounding does not hide.
    let mut x: Vec<f64> = Noise(9).slice(n * 3, 1.0);
    (0..n).for_each(|i| x[2 * n + i] = 0.3 * x[i] - 1.7 * x[n + i]);
    let (before, mut found) = (x.clone(), [f64::NAN; 3]);
    let depends = lobpcg(false, a, None, None, &mut x, &mut found, 1e-9, 30, &mut room);
    assert_eq!(depends, Err(Error::pivot("x", 2)));
    assert!(x == before);
    // Not every direction shows that B is indefinite, but some of these do.
    let mut masses = vec![1.0; n];
    masses[40] = -30.0;
    let b = Csr::new(n, n, &ends, &diagonal, &masses).unwrap();
    let mut x: Vec<f64> = Noise(9).slice(n * 3, 1.0);
    let bad = lobpcg(false, a, Some(b), None, &mut x, &mut found, 1e-9, 300, &mut room);
    assert!(matches!(bad, Err(Error::Pivot { arg: "b", .. })), "{bad:?}");
    // A row whose sum is past the largest number.
    let huge: Vec<f64> = values.iter().map(|v| v * 4e307).collect();
    let a = Csr::new(n, n, &offsets, &columns, &huge).unwrap();
    let past = lobpcg(false, a, None, None, &mut x, &mut found, 1e-9, 30, &mut room);
    assert_eq!(past, Err(Error::domain("a")));
}
