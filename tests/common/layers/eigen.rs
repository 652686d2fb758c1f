//! Eigenvalues and singular values on a device: against a reference where vectors are certain; by backward errors where they are not;
//! all layouts, and what is refused.

use super::Done;
use super::batches::All;
use super::transforms::check_from;
use crate::device::{Worst, specials};
use crate::nn::spectra::{Eigh, Svd};
use crate::nn::{Args, Noise, Op, Routine, Want};
use fulmen::backend::*;
use fulmen::gpu::backend::{Array, BatchMut, Gpu, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::hardware::Language;

type Matrix = Vec<Vec<f64>>;

fn unit<T: Scalar>() -> f64 {
    2f64.powi(-T::SIGNIFICAND - 1)
}

fn rows<T: Scalar>(x: &[T], cols: usize) -> Matrix {
    x.chunks(cols).map(|x| x.iter().map(|x| x.to_f64()).collect()).collect()
}

fn turned(x: &Matrix) -> Matrix {
    (0..x[0].len()).map(|j| x.iter().map(|row| row[j]).collect()).collect()
}

/// The largest sum of a column's magnitudes.
fn norm(x: &Matrix) -> f64 {
    (0..x[0].len()).map(|j| x.iter().map(|row| row[j].abs()).sum()).fold(0.0, f64::max)
}

fn product(x: &Matrix, y: &Matrix) -> Matrix {
    let y = turned(y);
    x.iter().map(|x| y.iter().map(|y| x.iter().zip(y).map(|(x, y)| x * y).sum()).collect()).collect()
}

fn less(x: &Matrix, y: &Matrix) -> Matrix {
    x.iter().zip(y).map(|(x, y)| x.iter().zip(y).map(|(x, y)| x - y).collect()).collect()
}

/// That the columns are orthonormal, and the first of the largest magnitudes of each positive, if they are `oriented`.
fn orthonormal<T: Scalar>(x: &Matrix, n: usize, oriented: bool, at: &str) {
    let k = x[0].len();
    let one: Matrix = (0..k).map(|i| (0..k).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let off = norm(&less(&product(&turned(x), x), &one)) / (n as f64 * unit::<T>());
    assert!(off <= 30.0, "{at}: orthonormal to {off} n u");
    for v in turned(x).iter().filter(|_| oriented) {
        let most = v.iter().fold(0.0, |most: f64, x| if x.abs() > most.abs() { *x } else { most });
        assert!(most > 0.0, "{at}: the sign of a vector");
    }
}

/// Eigenvalues of this, in a layout: LAPACK's ratios below 30.
fn eigen<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    x: &[T],
    n: usize,
    layout: usize,
    at: &str,
) -> Result<(Vec<T>, Vec<T>), Error> {
    let mut values = gpu.upload(&vec![T::from_f64(f64::NAN); n])?;
    let all = All::new(&[x.to_vec()], [n, n], layout);
    let vectors = all.over(gpu, |a| gpu.eigh_batched(a, values.view_mut()))?.remove(0);
    let mut found = vec![T::ZERO; n];
    gpu.download(values.view(), &mut found)?;
    let (v, d) = (rows(&vectors, n), rows(&found, n).remove(0));
    orthonormal::<T>(&v, n, true, at);
    assert!(d.is_sorted(), "{at}: {d:?}");
    let a: Matrix = (0..n).map(|i| (0..n).map(|j| x[i.max(j) * n + i.min(j)].to_f64()).collect()).collect();
    let scaled: Matrix = v.iter().map(|v| v.iter().zip(&d).map(|(v, d)| v * d).collect()).collect();
    let off = norm(&less(&product(&scaled, &turned(&v)), &a));
    assert!(off <= 30.0 * n as f64 * unit::<T>() * norm(&a), "{at}: off by {off:e} of {:e}", norm(&a));
    Ok((vectors, found))
}

/// Singular values of this.
fn singular<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    x: &[T],
    [m, n]: [usize; 2],
    layout: usize,
    at: &str,
) -> Result<[Vec<T>; 3], Error> {
    let k = m.min(n);
    let mut values = gpu.upload(&vec![T::from_f64(f64::NAN); k])?;
    let (mut on, mut found) = (gpu.upload(x)?, vec![T::ZERO; k]);
    let none = |len| vec![T::from_f64(f64::NAN); len];
    let (mut u, mut vt) = (gpu.upload(&none(m * k))?, gpu.upload(&none(k * n))?);
    // Columns of U and rows of Vᵀ next to each other, or not.
    let turns = layout % 2 == 1;
    let a = on.view_mut().matrix(m, n)?;
    let (to, by) = match turns {
        true => (u.view_mut().matrix(k, m)?.t(), vt.view_mut().matrix(n, k)?.t()),
        false => (u.view_mut().matrix(m, k)?, vt.view_mut().matrix(k, n)?),
    };
    gpu.svd(a, to, values.view_mut(), by, ())?;
    gpu.download(values.view(), &mut found)?;
    let (mut left, mut right) = (none(m * k), none(k * n));
    gpu.download(u.view(), &mut left)?;
    gpu.download(vt.view(), &mut right)?;
    let flat = |x: Matrix| x.concat().into_iter().map(T::from_f64).collect::<Vec<_>>();
    if turns {
        (left, right) = (flat(turned(&rows(&left, m))), flat(turned(&rows(&right, k))));
    }
    let (u, d, vt) = (rows(&left, k), rows(&found, k).remove(0), rows(&right, n));
    orthonormal::<T>(&u, m.max(n), m >= n, at);
    orthonormal::<T>(&turned(&vt), m.max(n), m < n, at);
    assert!(d.is_sorted_by(|x, y| x >= y) && d[k - 1] >= 0.0, "{at}: {d:?}");
    let scaled: Matrix = u.iter().map(|u| u.iter().zip(&d).map(|(u, d)| u * d).collect()).collect();
    let a = rows(x, n);
    let (off, most) = (norm(&less(&product(&scaled, &vt), &a)), norm(&a));
    assert!(off <= 30.0 * m.max(n) as f64 * unit::<T>() * most, "{at}: off by {off:e} of {most:e}");
    Ok([left, found, right])
}

/// Matrices of a batch have the bits of each, wherever they lie; nothing between them is written.
fn many<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    [count, m, n]: [usize; 3],
    layout: usize,
) -> Done {
    let (k, r, at) = (m.min(n), &mut Noise(m as u64), format!("{count} of {m} by {n}"));
    let none = |len| vec![vec![T::from_f64(f64::NAN); len]; count];
    let a: Vec<Vec<T>> = (0..count).map(|_| r.slice(m * n, 1.0)).collect();
    let mut values = gpu.upload(&none(k).concat())?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let after = All::new(&a, [m, n], layout).over(gpu, |a| {
        left = All::new(&none(m * k), [m, k], layout + 1).over(gpu, |u| {
            let vt = All::new(&none(k * n), [k, n], layout + 2);
            right = vt.over(gpu, |vt| gpu.svd_batched(a, u, values.view_mut(), vt))?;
            Ok(())
        })?;
        Ok(())
    })?;
    assert_eq!(after, a, "{at}");
    let mut found = vec![T::ZERO; count * k];
    gpu.download(values.view(), &mut found)?;
    for (i, a) in a.iter().enumerate() {
        let [u, d, vt] = singular(gpu, a, [m, n], layout, &at)?;
        assert_eq!([&left[i], &found[i * k..][..k], &right[i]], [&u[..], &d, &vt], "{i} of {at}");
    }
    Ok(())
}

fn compare<T: Scalar>(worst: &mut Worst, language: &str, got: &[Vec<T>], want: &[Vec<Want>]) {
    got.iter().zip(want).for_each(|(got, want)| check_from(worst, language, got, want, 0.0));
}

/// Matrices whose vectors are certain, and others.
fn run<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    sizes: &[usize],
    [eigh, svd]: [&mut Worst; 2],
) -> Done {
    let r = &mut Noise(5);
    for (layout, &n) in sizes.iter().enumerate() {
        let mut a: Args<T> = Eigh::sample(1, n, r);
        // What is above the diagonal is not read.
        (0..n * n).filter(|k| k % n > k / n).for_each(|k| a.x[0][k] = T::from_f64(f64::NAN));
        let (v, d) = eigen(gpu, &a.x[0], n, layout, &format!("eigh of {n}"))?;
        compare(eigh, language, &[v, d], &Eigh::want(&a.wide()));
        for shape in if n > 12 { 1..2 } else { 1..4 } {
            let a: Args<T> = Svd::sample(shape, n.min(20), r);
            let [m, n] = ["m", "n"].map(|size| a.size(size));
            let got = singular(gpu, &a.x[0], [m, n], layout + shape, &format!("svd of {m} by {n}"))?;
            compare(svd, language, &got, &Svd::want(&a.wide())[1..]);
        }
    }
    Ok(())
}

/// Special values among the elements.
fn special<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    [eigh, svd]: [&mut Worst; 2],
) -> Done {
    specials::op(&Routine::native::<Eigh>(), language, &[], eigh, &|a| {
        let (n, mut values) = (a.size("n"), gpu.alloc(a.size("n"))?);
        let all = All::new(&a.x, [n, n], 1);
        let vectors = all.over(gpu, |a| gpu.eigh_batched(a, values.view_mut()))?.remove(0);
        let mut found = vec![T::ZERO; n];
        gpu.download(values.view(), &mut found)?;
        Ok(vec![vectors, found])
    })?;
    specials::op(&Routine::native::<Svd>(), language, &[], svd, &|a| {
        let [m, n] = ["m", "n"].map(|size| a.size(size));
        let k = m.min(n);
        let mut on = gpu.upload(&a.x[0])?;
        let (mut u, mut values, mut vt) = (gpu.alloc(m * k)?, gpu.alloc(k)?, gpu.alloc(k * n)?);
        let (to, by) = (u.view_mut().matrix(m, k)?, vt.view_mut().matrix(k, n)?);
        gpu.svd(on.view_mut().matrix(m, n)?, to, values.view_mut(), by, ())?;
        [&on, &u, &values, &vt]
            .map(|x| {
                let mut found = vec![T::ZERO; x.len()];
                gpu.download(x.view(), &mut found).map(|()| found)
            })
            .into_iter()
            .collect()
    })
}

/// Of low rank, of values that are the same, graded, of any sign; by far from 1.
fn hard<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>) -> Done {
    let n = 7;
    let made = |f: &dyn Fn(usize, usize) -> f64| -> Vec<T> {
        (0..n * n).map(|k| T::from_f64(f((k / n).max(k % n), (k / n).min(k % n)))).collect()
    };
    let most = if T::SIGNIFICAND < 30 { 126 } else { 1022 };
    for (what, a) in [
        ("zeros", made(&|_, _| 0.0)),
        ("ones", made(&|_, _| 1.0)),
        ("one", made(&|i, j| f64::from(u8::from(i == j)))),
        ("negative", made(&|i, j| if i == j { -3.0 } else { 0.5 })),
        ("graded", made(&|i, j| 10f64.powi(-((i + j) as i32)))),
        ("Hilbert", made(&|i, j| 1.0 / (i + j + 1) as f64)),
        ("pairs", made(&|i, j| if i + j == n - 1 { 2.0 } else { 0.0 })),
        ("large", made(&|i, j| 2f64.powi(most) / (1 + i + 2 * j) as f64)),
        ("tiny", made(&|i, j| 2f64.powi(20 - most) / (1 + i + 2 * j) as f64)),
    ] {
        eigen(gpu, &a, n, 0, what)?;
        singular(gpu, &a, [n, n], 0, what)?;
        singular(gpu, &a[..3 * n], [3, n], 1, what)?;
        singular(gpu, &a[..4 * n], [n, 4], 0, what)?;
    }
    let plain = |x: &[f64]| x.iter().map(|x| T::from_f64(*x)).collect::<Vec<_>>();
    let (v, d) = eigen(gpu, &plain(&[3.0, f64::NAN, 0.0, 1.0]), 2, 0, "diagonal")?;
    assert_eq!((v, d), (plain(&[0.0, 1.0, 1.0, 0.0]), plain(&[1.0, 3.0])));
    let (v, d) = eigen(gpu, &plain(&[-3.0]), 1, 0, "a number")?;
    assert_eq!((v, d), (plain(&[1.0]), plain(&[-3.0])));
    let [u, d, vt] = singular(gpu, &plain(&[1.0, 0.0, 0.0, -3.0]), [2, 2], 0, "diagonal")?;
    assert_eq!([u, d, vt], [plain(&[0.0, 1.0, 1.0, 0.0]), plain(&[3.0, 1.0]), plain(&[0.0, -1.0, 1.0, 0.0])]);
    Ok(())
}

/// Reflects the rows, or the columns.
fn reflect(a: &mut Matrix, by: &[f64], rows: bool) {
    let two = 2.0 / by.iter().map(|x| x * x).sum::<f64>();
    if rows {
        let mut sums = vec![0.0; a[0].len()];
        a.iter().zip(by).for_each(|(row, v)| sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += v * x));
        a.iter_mut().zip(by).for_each(|(row, v)| {
            row.iter_mut().zip(&sums).for_each(|(x, sum)| *x -= two * v * sum);
        });
    } else {
        a.iter_mut().for_each(|row| {
            let part = two * row.iter().zip(by).map(|(x, v)| x * v).sum::<f64>();
            row.iter_mut().zip(by).for_each(|(x, v)| *x -= part * v);
        });
    }
}

/// A dense matrix whose values are known, some of them equal: each is found to 16 u of the largest. In `f32` that is
/// 1e-6.
fn known<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>, [m, n]: [usize; 2], symmetric: bool) -> Done {
    let r = &mut Noise(m as u64);
    let mut want: Vec<f64> = r.slice(n, 3.0);
    (n / 2..n / 2 + n / 8).for_each(|k| want[k] = want[0]);
    if !symmetric {
        want.iter_mut().for_each(|x| *x = x.abs());
    }
    let mut a = vec![vec![0.0; n]; m];
    (0..n).for_each(|k| a[k][k] = want[k]);
    for _ in 0..2 {
        let [left, right]: [Vec<f64>; 2] = [m, n].map(|n| r.slice(n, 1.0));
        reflect(&mut a, &left, true);
        reflect(&mut a, if symmetric { &left } else { &right }, false);
    }
    let a: Vec<T> = a.concat().into_iter().map(T::from_f64).collect();
    let (mut on, mut values, mut found) = (gpu.upload(&a)?, gpu.alloc(n)?, vec![T::ZERO; n]);
    let (mut u, mut vt) = (vec![T::ZERO; m * n], vec![T::ZERO; n * n]);
    let start = std::time::Instant::now();
    if symmetric {
        gpu.eigh(on.view_mut().matrix(n, n)?, values.view_mut(), ())?;
        gpu.download(on.view(), &mut u)?;
        // The columns of U are the vectors of both sides.
        (0..n * n).for_each(|k| vt[k] = u[k % n * n + k / n]);
    } else {
        let (mut left, mut right) = (gpu.alloc(m * n)?, gpu.alloc(n * n)?);
        let (on, left_, right_) =
            (on.view_mut().matrix(m, n)?, left.view_mut().matrix(m, n)?, right.view_mut().matrix(n, n)?);
        gpu.svd(on, left_, values.view_mut(), right_, ())?;
        gpu.download(left.view(), &mut u)?;
        gpu.download(right.view(), &mut vt)?;
    }
    gpu.download(values.view(), &mut found)?;
    let took = start.elapsed().as_secs_f64();
    want.sort_by(f64::total_cmp);
    if !symmetric {
        want.reverse();
    }
    let most = want.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let off = found.iter().zip(&want).map(|(x, y)| (x.to_f64() - y).abs()).fold(0.0, f64::max) / most;
    // On a random z of length 1: UᵀU z is z, V Vᵀz is z, and U D Vᵀz is A z.
    let [a, u, vt, found] = [&a, &u, &vt, &found].map(|x| x.iter().map(|x| x.to_f64()).collect::<Vec<_>>());
    let z: Vec<f64> = r.slice(n, 1.0);
    let length = z.iter().map(|x| x * x).sum::<f64>().sqrt();
    let z: Vec<f64> = z.iter().map(|x| x / length).collect();
    let distance = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
    let left = distance(&by_transpose(&u, &by(&u, &z)), &z);
    let turned = by(&vt, &z);
    let right = distance(&by_transpose(&vt, &turned), &z);
    let scaled: Vec<f64> = turned.iter().zip(&found).map(|(x, d)| x * d).collect();
    let residual = distance(&by(&u, &scaled), &by(&a, &z)) / most;
    let what = if symmetric { "eigenvalues" } else { "singular values" };
    println!(
        "{what} of {m} by {n}, {} bits: off by {off:.1e} of the largest, U {left:.1e}, V {right:.1e}, A {residual:.1e}, {took:.3} s",
        T::SIGNIFICAND
    );
    assert!(off <= 16.0 * unit::<T>(), "{what} of {m} by {n}: off by {off:e} of the largest");
    // Rounding of as many sums; on an H200 no more than 3.7 √n u was seen.
    let worst = left.max(right).max(residual) / ((n as f64).sqrt() * unit::<T>());
    assert!(worst <= 8.0, "{what} of {m} by {n}: vectors are off by {worst} √n u");
    Ok(())
}

/// A·x of a matrix by rows.
fn by(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// Aᵀ·x.
fn by_transpose(a: &[f64], x: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; a.len() / x.len()];
    for (row, x) in a.chunks_exact(sums.len()).zip(x) {
        sums.iter_mut().zip(row).for_each(|(sum, a)| *sum += a * x);
    }
    sums
}

fn of<T: Scalar, D: Device>(
    x: &mut Array<T, D>,
    sizes: [usize; 3],
    by: [usize; 3],
) -> Result<BatchMut<'_, T, D>, Error> {
    BatchMut::strided(x.view_mut(), sizes, by)
}

/// What is not finite is said by its row, and what a CPU refuses before it reads any element.
fn refusals<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>) -> Done {
    let n = 3;
    let mut none: [T; 1] = [T::ZERO];
    let mut said = |after: Done| after.and_then(|()| gpu.download(gpu.upload(&[T::ZERO])?.view(), &mut none));
    for x in [f64::NAN, f64::INFINITY] {
        let mut a: Vec<T> = (0..2 * n * n).map(|k| T::from_usize(k % 5)).collect();
        a[n * n + 3] = T::from_f64(x);
        let (mut on, mut values) = (gpu.upload(&a)?, gpu.alloc(2 * n)?);
        let all = of(&mut on, [2, n, n], [n * n, n, 1])?;
        let done = said(gpu.eigh_batched(all, values.view_mut()));
        let pivot = |op, index| Err(Error::Pivot { op, arg: "a", index });
        // Of a small matrix the first row; another device says one of the two that have it.
        assert!((0..4).any(|index| done == pivot("eigh", index)), "{done:?}");
        let (mut u, mut vt) = (gpu.alloc(n * n)?, gpu.alloc(n * n)?);
        let mut on = gpu.upload(&a)?;
        let [_, second] = on.view_mut().split(n * n)?;
        let (u, vt) = (u.view_mut().matrix(n, n)?, vt.view_mut().matrix(n, n)?);
        let values = values.view_mut().split(n)?;
        let [values, _] = values;
        assert_eq!(said(gpu.svd(second.matrix(n, n)?, u, values, vt, ())), pivot("svd", 0));
        let mut room = [2 * n * n, 2 * n * n, 2 * n].map(|n| gpu.alloc(n));
        let [Ok(u), Ok(vt), Ok(values)] = &mut room else { panic!("memory") };
        let [u, vt] = [u, vt].map(|x| of(x, [2, n, n], [n * n, n, 1]));
        let done = said(gpu.svd_batched(of(&mut on, [2, n, n], [n * n, n, 1])?, u?, values.view_mut(), vt?));
        assert!([0, 3].map(|index| pivot("svd", index)).contains(&done), "{done:?}");
    }
    let call = |e| Err(Error::Call(e));
    let shape = |arg, expected, got| call(fulmen::Error::shape(arg, expected, got));
    let (mut a, mut one, mut u, mut vt) =
        (gpu.alloc::<T>(6)?, gpu.alloc::<T>(1)?, gpu.alloc::<T>(4)?, gpu.alloc::<T>(6)?);
    assert_eq!(gpu.eigh(a.view_mut().matrix(2, 3)?, one.view_mut(), ()), shape("a", [2, 2], [2, 3]));
    let short = call(fulmen::Error::len("values", 2, 1));
    assert_eq!(gpu.eigh(u.view_mut().matrix(2, 2)?, one.view_mut(), ()), short);
    let by = [3, 3, 1];
    for (u_, vt_, want) in [
        ([1, 2, 1], [2, 1, 3], call(fulmen::Error::len("u", 2, 1))),
        ([2, 1, 1], [2, 1, 2], shape("vt", [1, 3], [1, 2])),
        ([2, 1, 1], [2, 1, 3], short.clone()),
    ] {
        let (a, vt) = (of(&mut a, [2, 1, 3], by)?, of(&mut vt, vt_, by)?);
        assert_eq!(gpu.svd_batched(a, of(&mut u, u_, by)?, one.view_mut(), vt), want);
    }
    let (a, vt) = (a.view_mut().matrix(2, 3)?, vt.view_mut().matrix(2, 3)?);
    assert_eq!(gpu.svd(a, u.view_mut().matrix(2, 2)?, one.view_mut(), vt, ()), short);
    said(Ok(()))
}

/// The ops; larger ones on a device that computes.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
) -> Result<Vec<Worst>, Error> {
    let mut all = ["eigh", "svd"].map(|op| Worst { op, share: 0.0, got: 0.0, want: 0.0 });
    let [eigh, svd] = &mut all;
    let far: &[usize] = if gpu.device().facts().name == "interpreter" { &[] } else { &[33, 66] };
    run::<T, D>(gpu, language, &[&[1, 2, 3, 8, 17][..], far].concat(), [eigh, svd])?;
    special::<T, D>(gpu, language, [eigh, svd])?;
    // A matrix past each number of rows that a block has room for.
    let sizes = [[3, 3, 2], [2, 2, 9], [2, 17, 4], [1, 3, 33], [2, 65, 2]];
    sizes.into_iter().enumerate().try_for_each(|(layout, sizes)| many::<T, D>(gpu, sizes, layout))?;
    // By one block, and by a launch for each round; on a card with as many rows as matter there.
    let facts = gpu.device().facts();
    let card = facts.language == Language::Ptx && facts.name != "interpreter";
    let (large, many): (&[usize], &[usize]) = match (card, T::SIGNIFICAND < 30) {
        (true, true) => (&[512, 1024, 2048, 4096], &[512, 1024]),
        (true, false) => (&[512], &[512]),
        _ => (&[], &[]),
    };
    for n in [20].iter().chain(far).chain(large) {
        known::<T, D>(gpu, [*n; 2], true)?;
    }
    for n in [20].iter().chain(far).chain(many) {
        known::<T, D>(gpu, [n + n / 8, *n], false)?;
    }
    hard::<T, D>(gpu)?;
    refusals::<T, D>(gpu)?;
    Ok(all.into())
}
