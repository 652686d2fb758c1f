//! Factors of matrices whose every number, sum and quotient on the way is a small multiple of a power of two: what the theorems
//! conclude holds without an error.

use super::*;

/// A number as an integer of halves to this power.
fn scaled(x: f64, bits: i32) -> i128 {
    let y = x * f64::powi(2.0, bits);
    assert!(y == y.trunc() && y.abs() < 1e30, "{x} has more than {bits} bits behind the point");
    y as i128
}

/// `Σ a[i][k]·b[k][j]` of integers.
fn product(
    [m, k, n]: [usize; 3],
    a: impl Fn(usize, usize) -> i128,
    b: impl Fn(usize, usize) -> i128,
) -> Vec<i128> {
    (0..m * n).map(|at| (0..k).map(|k| a(at / n, k) * b(k, at % n)).sum()).collect()
}

const ORDERS: [usize; 12] = [1, 2, 7, 16, 17, 31, 32, 33, 48, 65, 100, 131];

#[test]
fn cholesky_of_integers() {
    stated(
        "Factor.v",
        "forall i j, (j <= i < n)%nat -> sum j (fun k => l i k * l j k) + l j j * l i j = a i j.",
    );
    for n in ORDERS {
        let mut noise = Noise(n as u64);
        let l: Vec<i128> = (0..n * n)
            .map(|at| match (at / n, at % n) {
                (i, j) if i < j => 0,
                (i, j) if i == j => 1 + i128::from(noise.bits().is_multiple_of(2)),
                _ => i128::from(noise.bits() % 3) - 1,
            })
            .collect();
        let whole = product([n, n, n], |i, k| l[i * n + k], |k, j| l[j * n + k]);
        let mut a: Vec<f64> = whole.iter().map(|x| *x as f64).collect();
        let mut workspace = vec![0.0; cholesky_workspace(n)];
        cholesky(MatMut::row_major(&mut a, n, n).unwrap(), &mut workspace).unwrap();
        let lower = |i: usize, k: usize| if k <= i { scaled(a[i * n + k], 0) } else { 0 };
        assert!((0..n).all(|i| lower(i, i) > 0));
        assert_eq!(product([n, n, n], lower, |k, j| lower(j, k)), whole, "L L^T of order {n}");
        // And what is solved with it.
        let x: Vec<i128> = (0..3 * n).map(|_| i128::from(noise.bits() % 9) - 4).collect();
        let b = product([n, n, 3], |i, k| whole[i * n + k], |k, j| x[3 * k + j]);
        let mut b: Vec<f64> = b.iter().map(|x| *x as f64).collect();
        let mut workspace = vec![0.0; cholesky_solve_workspace(n, 3)];
        let factor = MatRef::row_major(&a, n, n).unwrap();
        cholesky_solve(factor, MatMut::row_major(&mut b, n, 3).unwrap(), &mut workspace).unwrap();
        assert_eq!(b.iter().map(|x| scaled(*x, 0)).collect::<Vec<_>>(), x, "A x = b of order {n}");
    }
}

#[test]
fn lu_of_halves() {
    stated("Lu.v", "exchanges 0 ps a i j = sum cols (fun r => lower m i r * upper m r j).");
    stated("Lu.v", "match ps with [] => f | p :: rest => exchanges (S k) rest (exchange k p f) end.");
    let square = ORDERS.map(|n| [n, n]);
    let others = [[40, 20], [100, 33], [20, 40], [33, 100], [131, 70]];
    for [m, n] in square.into_iter().chain(others) {
        for singular in [false, true] {
            let (k, mut noise) = (m.min(n), Noise((m * n) as u64));
            // Twice L, whose numbers below the diagonal are at most a half, in an order of rows that pivots have to find.
            let mut order: Vec<usize> = (0..m).collect();
            (1..m).rev().for_each(|i| order.swap(i, noise.bits() as usize % (i + 1)));
            let l: Vec<i128> = (0..m * k)
                .map(|at| match (at / k, at % k) {
                    (i, j) if i < j => 0,
                    (i, j) if i == j => 2,
                    _ => i128::from(noise.bits() % 3) - 1,
                })
                .collect();
            // A last pivot of 0: rows that are left then are all one.
            let zero = if singular { k - 1 } else { k };
            let u: Vec<i128> = (0..k * n)
                .map(|at| match (at / n, at % n) {
                    (i, j) if i > j => 0,
                    (i, j) if i == j && i == zero => 0,
                    (i, j) if i == j => [1, -1, 2, -2][noise.bits() as usize % 4],
                    _ => i128::from(noise.bits() % 3) - 1,
                })
                .collect();
            let twice = product([m, k, n], |i, r| l[order[i] * k + r], |r, j| u[r * n + j]);
            let mut a: Vec<f64> = twice.iter().map(|x| *x as f64 / 2.0).collect();
            let (mut pivots, mut workspace) = (vec![0; k], vec![0.0; lu_workspace(m, n)]);
            let result = lu(MatMut::row_major(&mut a, m, n).unwrap(), &mut pivots, &mut workspace);
            if zero < k && k == n {
                assert_eq!(result, Err(Error::pivot("a", zero)));
            }
            let mut rows: Vec<&[i128]> = twice.chunks(n).collect();
            for (i, p) in pivots.iter().map(|p: &u32| *p as usize).enumerate() {
                assert!((i..m).contains(&p));
                rows.swap(i, p);
            }
            let lower = |i: usize, r: usize| match i.cmp(&r) {
                core::cmp::Ordering::Less => 0,
                core::cmp::Ordering::Equal => 2,
                core::cmp::Ordering::Greater => scaled(a[i * n + r], 1),
            };
            let upper = |r: usize, j: usize| if r <= j { scaled(a[r * n + j], 1) } else { 0 };
            assert!((0..m * k).all(|at| lower(at / k, at % k).abs() <= 2), "a pivot is the largest");
            let have = product([m, k, n], lower, upper);
            let want: Vec<i128> = rows.concat().iter().map(|x| 2 * x).collect();
            assert_eq!(have, want, "P A = L U of {m} by {n}");
            if m == n && !singular {
                let x: Vec<i128> = (0..2 * n).map(|_| i128::from(noise.bits() % 9) - 4).collect();
                let b = product([n, n, 2], |i, k| twice[i * n + k], |k, j| x[2 * k + j]);
                let mut b: Vec<f64> = b.iter().map(|x| *x as f64 / 2.0).collect();
                let mut workspace = vec![0.0; lu_solve_workspace(n, 2)];
                let factors = MatRef::row_major(&a, n, n).unwrap();
                lu_solve(factors, &pivots, MatMut::row_major(&mut b, n, 2).unwrap(), &mut workspace).unwrap();
                assert_eq!(b.iter().map(|x| scaled(*x, 0)).collect::<Vec<_>>(), x, "A x = b of order {n}");
            }
        }
    }
}

/// Reflections by a few numbers each, one after the other, and in blocks.
#[test]
fn reflections_of_integers() {
    stated("Householder.v", "match b with O => c | S k => forward k (reflected k c) end.");
    stated(
        "Householder.v",
        "t i j = - tau j * sum (j - i) (fun p => t i (i + p)%nat * dot n (v (i + p)%nat) (v j))",
    );
    const BITS: i32 = 40;
    for [m, k] in [[1, 1], [5, 3], [33, 33], [70, 32], [80, 70], [110, 97]] {
        let mut noise = Noise((m + k) as u64);
        let (mut factors, mut tau) = (vec![f64::NAN; m * k], vec![0.0; k]);
        let mut v = vec![vec![0i128; m]; k];
        for (at, v) in v.iter_mut().enumerate() {
            // One more number and τ = 1, or, a few times, three and τ = ½; or no reflection, whatever the vector is.
            let others = if at % 9 == 4 { 3 } else { 1 };
            let below: Vec<usize> = (at + 1..m).collect();
            v[at] = 1;
            let mut left = others.min(below.len());
            while left > 0 {
                let i = below[noise.bits() as usize % below.len()];
                if v[i] == 0 {
                    v[i] = if noise.bits().is_multiple_of(2) { 1 } else { -1 };
                    left -= 1;
                }
            }
            let square: i128 = v.iter().map(|x| x * x).sum();
            tau[at] = if square == 3 || at % 13 == 7 { 0.0 } else { 2.0 / square as f64 };
            (at + 1..m).for_each(|i| factors[i * k + at] = v[i] as f64);
            (0..=at).for_each(|i| factors[i * k + at] = noise.bits() as f64);
        }
        let cols = 4;
        let start: Vec<i128> = (0..m * cols).map(|_| i128::from(noise.bits() % 5) - 2).collect();
        for transposed in [false, true] {
            let mut want: Vec<i128> = start.iter().map(|x| x << BITS).collect();
            let order: Vec<usize> = if transposed { (0..k).collect() } else { (0..k).rev().collect() };
            for at in order {
                for j in 0..cols {
                    let dot: i128 = (0..m).map(|i| v[at][i] * want[i * cols + j]).sum();
                    // Four times τ is an integer.
                    let turned = (4.0 * tau[at]) as i128 * dot;
                    assert_eq!(turned % 4, 0);
                    (0..m).for_each(|i| want[i * cols + j] -= turned / 4 * v[at][i]);
                }
            }
            let mut c: Vec<f64> = start.iter().map(|x| *x as f64).collect();
            let mut workspace = vec![0.0; qr_apply_workspace(m, k, cols)];
            let a = MatRef::row_major(&factors, m, k).unwrap();
            qr_apply(transposed, a, &tau, MatMut::row_major(&mut c, m, cols).unwrap(), &mut workspace)
                .unwrap();
            let have: Vec<i128> = c.iter().map(|x| scaled(*x, BITS)).collect();
            assert_eq!(have, want, "{k} reflections of {m} rows, transposed: {transposed}");
        }
    }
}

/// What `qr` leaves has `τ v·v = 2`, or no reflection.
#[test]
fn factors_of_reflections() {
    stated("Householder.v", "Let tau := (beta - x 0%nat) / beta.");
    stated("Householder.v", "tau * dot n v v = 2.");
    let code = packed("src/solve/qr.rs");
    assert!(code.contains("let(tau,d)=((beta-*first)/beta,*first-beta);"), "the reflection of the theorem");
    for [m, n] in [[1, 1], [6, 4], [40, 40], [90, 50]] {
        let mut a: Vec<f64> = Noise(m as u64).slice(m * n, 1.0);
        let (mut tau, mut workspace) = (vec![0.0; n], vec![0.0; qr_workspace(m, n)]);
        qr(MatMut::row_major(&mut a, m, n).unwrap(), &mut tau, &mut workspace).unwrap();
        for (k, tau) in tau.iter().enumerate() {
            let square = 1.0 + (k + 1..m).map(|i| a[i * n + k] * a[i * n + k]).sum::<f64>();
            assert!(*tau == 0.0 || (tau * square - 2.0).abs() < 1e-14, "{tau} of {square}");
        }
    }
}

/// The turns of the update, in the order of the theorem.
#[test]
fn turns_of_an_update() {
    stated(
        "Factor.v",
        "(fun i j => if Nat.eqb j k then c * l i k + d * x i else l i j, fun i => c * x i - d * l i k).",
    );
    for n in [1, 5, 8, 9, 30] {
        let mut noise = Noise(n as u64);
        let mut l: Vec<f64> = noise.slice(n * n, 1.0);
        (0..n).for_each(|i| l[i * n + i] = 2.0 + l[i * n + i].abs());
        let mut x: Vec<f64> = noise.slice(n, 1.0);
        let (mut want, mut rest) = (l.clone(), x.clone());
        for k in 0..n {
            let (d, g) = (want[k * n + k], rest[k]);
            let r = d.hypot(g);
            let (c, s) = (d / r, g / r);
            for i in k..n {
                let (p, f) = (want[i * n + k], rest[i]);
                (want[i * n + k], rest[i]) = (c * p + s * f, c * f - s * p);
            }
        }
        cholesky_update(false, MatMut::row_major(&mut l, n, n).unwrap(), &mut x).unwrap();
        for i in 0..n {
            for j in 0..=i {
                let (have, want) = (l[i * n + j], want[i * n + j]);
                assert!((have - want).abs() < 1e-13, "{i}, {j}: {have} is not {want}");
            }
        }
    }
}
