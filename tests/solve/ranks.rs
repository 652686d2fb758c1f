//! Matrices of any rank, inverses, conditions and updates by what they guarantee.

use super::*;
use common::seed::Seed;

#[test]
fn qr_pivoted_backward_errors() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for m in [n, n + 7, n.div_ceil(2)] {
                for (kind, a) in general(m, n) {
                    let (mut f, a) = a.rounded::<T>();
                    let k = m.min(n);
                    let (mut tau, mut pivots) = (vec![T::NAN; k], vec![u32::MAX; n]);
                    let mut room = vec![T::NAN; qr_pivoted_workspace(m, n)];
                    let to = MatMut::row_major(&mut f, m, n).unwrap();
                    qr_pivoted(to, &mut tau, &mut pivots, &mut room).unwrap();
                    let mut sorted = pivots.clone();
                    sorted.sort_unstable();
                    assert_eq!(sorted, (0..n as u32).collect::<Vec<_>>(), "{kind} {m} {n}");
                    let r = Matrix::of(m, n, &f);
                    for i in 1..k {
                        let [above, here] = [i - 1, i].map(|i| r.at(i, i).abs());
                        assert!(
                            here <= above * (1.0 + 100.0 * unit::<T>()),
                            "{kind} {m} {n}: {here} after {above}"
                        );
                    }
                    let mut q: Vec<T> =
                        (0..m * m).map(|at| T::from_usize(usize::from(at / m == at % m))).collect();
                    let mut room = vec![T::NAN; qr_apply_workspace(m, k, m)];
                    // The first columns have the reflections.
                    let mut first: Vec<T> = vec![];
                    (0..m).for_each(|i| first.extend(&f[i * n..i * n + k]));
                    let vectors = MatRef::row_major(&first, m, k).unwrap();
                    qr_apply(false, vectors, &tau, MatMut::row_major(&mut q, m, m).unwrap(), &mut room)
                        .unwrap();
                    let q = Matrix::of(m, m, &q);
                    let upper = Matrix::new(m, n, |i, j| if i <= j { r.at(i, j) } else { 0.0 });
                    let moved = Matrix::new(m, n, |i, j| a.at(i, pivots[j] as usize));
                    let (most, at) = (m.max(n), format!("{} {kind} {m} {n}", T::NAME));
                    let guarantee = |name| ["qr_pivoted", name, name_of(native())];
                    keep::<T>(guarantee("factors"), most, q.mul(&upper).sub(&moved).size(), a.size(), &at);
                    orthonormal::<T>(guarantee("vectors"), most, &q, &at);
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// At each step no column has more left than the one in front, to what the norms that are followed are good for. The first column loses
/// nearly all of its length at each of several steps, and changes places with another one before each.
#[test]
fn the_longest_of_what_is_left_is_in_front() {
    fn check<T: Element>(r: &mut Noise) {
        // Just so much at a step that its norm is not computed anew when what it was is forgotten.
        let by = 1.0 / (4.0 * unit::<T>().sqrt()).sqrt();
        for turn in 0..40 {
            let steps = 3 + turn % 3;
            let (m, n) = (steps + 2 + r.bits() as usize % 9, steps + 2);
            let mut q: Vec<Vec<f64>> = vec![];
            while q.len() < n {
                let mut v = r.slice::<f64>(m, 1.0);
                for u in q.iter().chain(&q) {
                    let along: f64 = u.iter().zip(&v).map(|(u, v)| u * v).sum();
                    v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
                }
                let long = v.iter().map(|v| v * v).sum::<f64>().sqrt();
                v.iter_mut().for_each(|v| *v /= long);
                q.push(v);
            }
            let size = |k: usize| by.powi(-(k as i32));
            let at = |i: usize, j: usize| match j {
                0 => (0..=steps).map(|k| q[k][i] * size(k)).sum(),
                _ if j <= steps => (if j == 1 { 2.0 } else { 1.4 }) * size(j - 1) * q[j - 1][i],
                _ => 2.0 * size(steps) * q[steps + 1][i],
            };
            let (mut f, _) = Matrix::new(m, n, at).rounded::<T>();
            let (mut tau, mut pivots) = (vec![T::NAN; n], vec![u32::MAX; n]);
            let mut room = vec![T::NAN; qr_pivoted_workspace(m, n)];
            let to = MatMut::row_major(&mut f, m, n).unwrap();
            qr_pivoted(to, &mut tau, &mut pivots, &mut room).unwrap();
            let r = Matrix::of(m, n, &f);
            for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
                let rest = (i..=j).map(|k| r.at(k, j).powi(2)).sum::<f64>().sqrt();
                let front = r.at(i, i).abs() * (1.0 + 30.0 * unit::<T>().sqrt());
                assert!(
                    rest <= front,
                    "{} {m} {n}, {pivots:?}: {rest:e} of {j} after {front:e} of {i}",
                    T::NAME
                );
            }
        }
    }
    let r = &mut Seed::new("the_longest_of_what_is_left_is_in_front").stream("columns");
    check::<f32>(r);
    check::<f64>(r);
}

/// Products of thin matrices: their rank, a residual orthogonal to the columns, a solution orthogonal to what A makes 0.
#[test]
fn least_norms() {
    fn check<T: Element>() {
        for (m, n, k) in [
            (1, 1, 1),
            (5, 3, 2),
            (3, 5, 2),
            (17, 17, 9),
            (40, 21, 20),
            (21, 40, 20),
            (33, 70, 1),
            (9, 9, 9),
            (12, 30, 12),
        ] {
            let (left, right) = (Matrix::random(m, k, 3), Matrix::random(k, n, 4));
            let (b, cols) = (Matrix::random(m, 2, 5), 2);
            for scale in [1.0, 1e10, 1e-10] {
                let (mut f, a) = left.mul(&right).scaled(scale).rounded::<T>();
                let (mut x, sides) = b.clone().rounded::<T>();
                x.resize(m.max(n) * cols, T::NAN);
                let (mut tau, mut pivots) = (vec![T::NAN; m.min(n)], vec![u32::MAX; n]);
                let mut room = vec![T::NAN; least_norm_workspace(m, n, cols)];
                let tolerance = T::from_f64(50.0 * m.max(n) as f64 * unit::<T>());
                let (to, sol) = (
                    MatMut::row_major(&mut f, m, n).unwrap(),
                    MatMut::row_major(&mut x, m.max(n), cols).unwrap(),
                );
                let rank = least_norm(to, &mut tau, &mut pivots, sol, tolerance, &mut room).unwrap();
                assert_eq!(rank, k, "{} {m} {n} {scale:e}", T::NAME);
                let x = Matrix::of(n, cols, &x[..n * cols]);
                let size = |m: &Matrix| m.x.iter().map(|x| x * x).sum::<f64>().sqrt();
                let left_over = a.mul(&x).sub(&sides);
                let big = 300.0 * (m + n) as f64 * unit::<T>();
                let off = size(&a.t().mul(&left_over)) / (size(&a) * (size(&a) * size(&x) + size(&sides)));
                assert!(off < big, "{} {m} {n} {k} {scale:e}: {off:e}", T::NAME);
                // What of X is no combination of A's rows, which are those of `right`, by elimination on its Gram matrix.
                let mut gram = right.mul(&right.t());
                let p = common::nn::solvers::lu(&mut gram.x, k, k);
                let mut y = right.mul(&x);
                common::nn::solvers::lu_solve(&gram.x, &p, k, cols, &mut y.x);
                let off = size(&right.t().mul(&y).sub(&x)) / size(&x);
                assert!(off < 100.0 * big, "{} {m} {n} {k} {scale:e}: {off:e} outside", T::NAME);
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn inverses() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for (kind, a) in general(n, n) {
                let (mut x, a) = a.rounded::<T>();
                let mut room = vec![T::NAN; inverse_workspace(n)];
                let to = MatMut::row_major(&mut x, n, n).unwrap();
                match inverse(to, &mut vec![9; n], &mut room) {
                    Ok(()) => {}
                    // A rounding made it singular.
                    Err(Error::Pivot { .. }) if kind == "Hilbert" || kind == "nearly singular" => continue,
                    Err(e) => panic!("{kind} {n}: {e}"),
                }
                let x = Matrix::of(n, n, &x);
                if x.x.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                let guarantee = ["inverse", "residual", name_of(native())];
                let at = format!("{} {kind} {n}", T::NAME);
                keep::<T>(guarantee, n, a.mul(&x).sub(&one(n)).size(), a.size() * x.size(), &at);
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn conditions() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for (kind, a) in general(n, n) {
                let (mut f, a) = a.rounded::<T>();
                let mut pivots = vec![9; n];
                let mut room = vec![T::NAN; lu_workspace(n, n).max(lu_condition_workspace(n))];
                if lu(MatMut::row_major(&mut f, n, n).unwrap(), &mut pivots, &mut room).is_err() {
                    continue;
                }
                let factors = MatRef::row_major(&f, n, n).unwrap();
                let norm = T::from_f64(a.norm());
                let got = lu_condition(factors, &pivots, norm, &mut room).unwrap().to_f64();
                // Of the factors as they are.
                let wide: Vec<f64> = f.iter().map(|x| x.to_f64()).collect();
                let mut x = Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)));
                let pivots: Vec<usize> = pivots.iter().map(|p| *p as usize).collect();
                common::nn::solvers::lu_solve(&wide, &pivots, n, n, &mut x.x);
                let truth = 1.0 / (a.norm() * x.norm());
                // Where solutions leave the range there is no more to say than that.
                if truth < 1e-30 || (T::NAME == "f32" && x.norm() > 1e30) {
                    assert!(got < 1e-15, "{} {kind} {n}: {got:e}", T::NAME);
                    continue;
                }
                let share = 1.0 - 30.0 * n as f64 * unit::<T>().sqrt();
                assert!(
                    got >= share * truth && got <= 10.0 * truth,
                    "{} {kind} {n}: {got:e} {truth:e}",
                    T::NAME
                );
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn cholesky_updates() {
    fn check<T: Element>() {
        for &n in ORDERS {
            for (kind, a) in definite::<T>(n) {
                let (mut l, a) = a.rounded::<T>();
                let mut room = vec![T::NAN; cholesky_workspace(n)];
                cholesky(MatMut::row_major(&mut l, n, n).unwrap(), &mut room).unwrap();
                let big = (0..n).map(|i| a.at(i, i)).fold(0.0, f64::max).sqrt();
                let x: Vec<T> =
                    Noise(n as u64).slice::<f64>(n, 0.7 * big).into_iter().map(T::from_f64).collect();
                let square = |l: &[T]| {
                    let l = Matrix::of(n, n, l);
                    let l = Matrix::new(n, n, |i, j| if j <= i { l.at(i, j) } else { 0.0 });
                    l.mul(&l.t())
                };
                let of = Matrix::new(n, n, |i, j| x[i].to_f64() * x[j].to_f64());
                let add = |m: &Matrix, s: f64| Matrix::new(n, n, |i, j| m.at(i, j) + s * of.at(i, j));
                let guarantee = ["cholesky_update", "factors", name_of(native())];
                let at = format!("{} {kind} {n}", T::NAME);
                let before = square(&l);
                cholesky_update(false, MatMut::row_major(&mut l, n, n).unwrap(), &mut x.clone()).unwrap();
                let up = square(&l);
                let size = before.size() + of.size();
                keep::<T>(guarantee, n, up.sub(&add(&before, 1.0)).size(), size, &at);
                assert!((0..n).all(|i| l[i * n + i] > T::ZERO));
                let kept = l.clone();
                match cholesky_update(true, MatMut::row_major(&mut l, n, n).unwrap(), &mut x.clone()) {
                    Ok(()) => {
                        keep::<T>(guarantee, n, square(&l).sub(&add(&up, -1.0)).size(), size, &at);
                        assert!((0..n).all(|i| l[i * n + i] > T::ZERO));
                    }
                    // What is left is not definite to working precision, and nothing was written.
                    Err(Error::Pivot { arg: "l", index, .. }) => {
                        assert!(index == n && kind != "random", "{kind} {n}");
                        assert!(kept == l);
                    }
                    Err(e) => panic!("{kind} {n}: {e}"),
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Of columns whose norms are equal the first is in front, at each step, and changes places with the one that was there.
#[test]
fn the_first_of_equal_columns_is_in_front() {
    fn check<T: Element>() {
        for n in [2, 3, 5, 8, 17] {
            // Columns of one element each, some of them larger: these first, then the others, in the order of A.
            for large in [vec![], vec![n - 1], vec![1, n - 1], vec![0, n / 2]] {
                let size = |j: usize| if large.contains(&j) { 2.0 } else { 1.0 };
                let mut a: Vec<T> = vec![T::ZERO; n * n];
                (0..n).for_each(|j| {
                    a[(n - 1 - j) * n + j] = T::from_f64(if j % 3 == 1 { -size(j) } else { size(j) })
                });
                let (mut tau, mut pivots) = (vec![T::NAN; n], vec![u32::MAX; n]);
                let mut room = vec![T::NAN; qr_pivoted_workspace(n, n)];
                qr_pivoted(MatMut::row_major(&mut a, n, n).unwrap(), &mut tau, &mut pivots, &mut room)
                    .unwrap();
                let mut want: Vec<u32> = (0..n as u32).collect();
                for k in 0..n {
                    let size = |i: u32| size(i as usize);
                    let most = (k..n).reduce(|x, y| if size(want[y]) > size(want[x]) { y } else { x });
                    want.swap(k, most.unwrap());
                }
                assert_eq!(pivots, want, "{} {n} {large:?}", T::NAME);
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// What is exactly `tolerance` times the first element of R's diagonal counts as 0, and so does 0 where the tolerance is 0.
#[test]
fn ranks_at_the_tolerance() {
    fn check<T: Element>() {
        for (diagonal, tolerance, rank) in [
            ([4.0, 2.0, 1.0], 0.5, 1),
            ([4.0, 2.0, 1.0], 0.25, 2),
            ([4.0, 2.0, 1.0], 0.2, 3),
            ([4.0, 2.0, 1.0], 1.0, 0),
            ([4.0, 0.0, 0.0], 0.0, 1),
            ([0.0, 0.0, 0.0], 0.0, 0),
        ] {
            let mut a: Vec<T> = vec![T::ZERO; 9];
            (0..3).for_each(|i| a[4 * i] = T::from_f64(diagonal[i]));
            let mut b = [T::from_f64(8.0); 3];
            let (mut tau, mut pivots) = ([T::NAN; 3], [9; 3]);
            let mut room = vec![T::NAN; least_norm_workspace(3, 3, 1)];
            let (of, x) =
                (MatMut::row_major(&mut a, 3, 3).unwrap(), MatMut::row_major(&mut b, 3, 1).unwrap());
            let got = least_norm(of, &mut tau, &mut pivots, x, T::from_f64(tolerance), &mut room).unwrap();
            assert_eq!(got, rank, "{} {diagonal:?} {tolerance}", T::NAME);
            for (i, x) in b.iter().enumerate() {
                let want = if i < rank { 8.0 / diagonal[i] } else { 0.0 };
                assert!(
                    (x.to_f64() - want).abs() <= 8.0 * unit::<T>() * want,
                    "{} {i}: {x:?} {want}",
                    T::NAME
                );
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Large elements of the inverse that cancel in what the vector of ones gives, and in what leads on from there.
#[test]
fn conditions_that_ones_do_not_see() {
    fn check<T: Element>() {
        for n in [3, 5, 9, 17] {
            let (near, apart) = (0.5 + 2f64.powi(-11), 0.5 - 2f64.powi(-11));
            let of = |i: usize, j: usize| match (i, j) {
                (0, 0) => 0.5,
                _ if i == j => near,
                _ if i > 0 && j > 0 && (i - 1) / 2 == (j - 1) / 2 => apart,
                _ => 0.0,
            };
            let (mut f, a) = Matrix::new(n, n, of).rounded::<T>();
            // Of a block the inverse has 1/(a - b) = 1024 in either column.
            let truth = 1.0 / (a.norm() * 1024.0);
            let mut pivots = vec![9; n];
            let mut room = vec![T::NAN; lu_workspace(n, n).max(lu_condition_workspace(n))];
            lu(MatMut::row_major(&mut f, n, n).unwrap(), &mut pivots, &mut room).unwrap();
            let factors = MatRef::row_major(&f, n, n).unwrap();
            let got = lu_condition(factors, &pivots, T::from_f64(a.norm()), &mut room).unwrap().to_f64();
            assert!((0.5 * truth..=10.0 * truth).contains(&got), "{} {n}: {got:e} {truth:e}", T::NAME);
            // No matrix is better than an orthogonal one, whatever norm is passed.
            let got = lu_condition(factors, &pivots, T::from_f64(1e-6), &mut room).unwrap();
            assert!(got <= T::ONE, "{} {n}: {got:?}", T::NAME);
        }
    }
    check::<f32>();
    check::<f64>();
}
