//! Scales of the intermediate values of a factorisation: of orders that are drawn at each run.

use super::*;
use common::seed::Seed;

/// Backward errors as ratios that LAPACK's test programs accept.
const LIMIT: f64 = 30.0;

/// An exponent from `-most` to `most`.
fn exponent(r: &mut Noise, most: i32) -> i32 {
    (r.bits() % (2 * most as u64 + 1)) as i32 - most
}

/// `DMD⁻¹` of powers of 2 in rows of a permuted block triangle: eigenvalues that stand alone, before and behind a block that is badly scaled, with what
/// stands above it and beside it. What the vectors leave is looked at as M has it, where every element counts.
#[test]
fn eigenvectors_of_blocks_that_are_badly_scaled() {
    fn check<T: Element>(r: &mut Noise, most: i32) {
        for turn in 0..40 {
            let [before, block, behind] = [r.bits() % 4, 2 + r.bits() % 12, r.bits() % 4].map(|n| n as usize);
            let n = before + block + behind;
            let part = |i: usize| {
                if i < before {
                    i
                } else if i < before + block {
                    before
                } else {
                    i
                }
            };
            let inside = |i: usize| (before..before + block).contains(&i);
            let x = r.slice::<f64>(n * n, 1.0);
            let m = Matrix::new(n, n, |i, j| if part(i) <= part(j) { x[i * n + j] } else { 0.0 });
            let by: Vec<i32> = (0..n).map(|i| if inside(i) { exponent(r, most) } else { 0 }).collect();
            let mut order: Vec<usize> = (0..n).collect();
            (1..n).rev().for_each(|i| order.swap(i, r.bits() as usize % (i + 1)));
            let m = Matrix::new(n, n, |i, j| m.at(order[i], order[j]));
            let d: Vec<f64> = order.iter().map(|i| 2f64.powi(by[*i])).collect();
            let a = Matrix::new(n, n, |i, j| m.at(i, j) * d[i] / d[j]);
            let (mut t, a) = a.rounded::<T>();
            let (mut re, mut im) = (vec![T::NAN; n], vec![T::NAN; n]);
            let (mut left, mut right) = (vec![T::NAN; n * n], vec![T::NAN; n * n]);
            let to = MatMut::row_major(&mut t, n, n).unwrap();
            let [l, v] = [&mut left, &mut right].map(|x| MatMut::col_major(x, n, n).unwrap());
            eig(to, Some(l), Some(v), &mut re, &mut im, &mut vec![T::NAN; eig_workspace(n)]).unwrap();
            for (vectors, of, side) in [(&right, Matrix::new(n, n, |i, j| a.at(i, j)), 1), (&left, a.t(), -1)]
            {
                // As M or its transpose has them.
                let scale = |i: usize| d[i].powi(side);
                let of = Matrix::new(n, n, |i, j| of.at(i, j) / scale(i) * scale(j));
                let column =
                    |j: usize| (0..n).map(|i| vectors[j * n + i].to_f64() / scale(i)).collect::<Vec<_>>();
                let times = |v: &[f64]| -> Vec<f64> {
                    (0..n).map(|i| (0..n).map(|j| of.at(i, j) * v[j]).sum()).collect()
                };
                for j in (0..n).filter(|j| im[*j] >= T::ZERO) {
                    let (re, im) = (re[j].to_f64(), f64::from(side) * im[j].to_f64());
                    let x = column(j);
                    let y = if im == 0.0 { vec![0.0; n] } else { column(j + 1) };
                    let (ax, ay) = (times(&x), times(&y));
                    let rest = (0..n).map(|i| {
                        (ax[i] - re * x[i] + im * y[i]).powi(2) + (ay[i] - im * x[i] - re * y[i]).powi(2)
                    });
                    let long: f64 = x.iter().chain(&y).map(|x| x * x).sum();
                    let ratio = (rest.sum::<f64>() / long).sqrt() / (n as f64 * unit::<T>() * of.norm());
                    let at = format!("{} {before} {block} {behind}, {turn}: {j}, side {side}", T::NAME);
                    assert!(ratio < LIMIT, "{at}: {ratio}");
                }
            }
        }
    }
    let r = &mut Seed::new("eigenvectors_of_blocks_that_are_badly_scaled")
        .stream("eigenvectors_of_blocks_that_are_badly_scaled");
    check::<f32>(r, 12);
    check::<f64>(r, 60);
}

/// Columns whose norm is near an end of the range are factored as those of a matrix that is not: in the same digits.
#[test]
fn columns_at_the_ends_of_the_range() {
    fn check<T: Element>(r: &mut Noise, ends: [i32; 2]) {
        for turn in 0..60 {
            let n = 1 + r.bits() as usize % 7;
            let m = n + 1 + r.bits() as usize % 30;
            // A first column whose norm is between half of the largest number and all of it, or far down, beside ones near it.
            let mut a = r.slice::<f64>(m * n, 1.0);
            let long = (0..m).map(|i| a[i * n].powi(2)).sum::<f64>().sqrt();
            (0..m).for_each(|i| a[i * n] *= 0.9 / long);
            let others = 2f64.powi(-8);
            let plain: Vec<T> =
                (0..m * n).map(|k| T::from_f64(a[k] * if k % n == 0 { 1.0 } else { others })).collect();
            let e = ends[turn % 2];
            let far: Vec<T> = plain
                .iter()
                .map(|x| T::from_f64(x.to_f64() * 2f64.powi(e / 2) * 2f64.powi(e - e / 2)))
                .collect();
            let [(f, tau), (g, same)] = [plain, far].map(|mut x| {
                let mut tau = vec![T::NAN; n];
                qr(MatMut::row_major(&mut x, m, n).unwrap(), &mut tau, &mut vec![T::NAN; qr_workspace(m, n)])
                    .unwrap();
                (x, tau)
            });
            let at = format!("{} {m} x {n}, 2^{e}", T::NAME);
            assert!(tau == same, "{at}: {tau:?} {same:?}");
            for (k, (f, g)) in f.iter().zip(&g).enumerate() {
                let [f, g] = [f, g].map(|x| x.to_f64());
                // R has the scale, what is below it has none.
                let want = if k / n <= k % n { f * 2f64.powi(e / 2) * 2f64.powi(e - e / 2) } else { f };
                assert!(g == want, "{at}: {k}: {g:e} {want:e}");
            }
        }
    }
    let r = &mut Seed::new("columns_at_the_ends_of_the_range").stream("columns_at_the_ends_of_the_range");
    check::<f32>(r, [128, -90]);
    check::<f64>(r, [1024, -950]);
}
