//! Products of a sparse matrix and a vector: a Laplacian on a square of a million points, and a graph whose degrees follow a power law.

use crate::{Number, noise};
use fulmen::Csr;
use fulmen_harness::race::{Case, Contender, Race};

/// Where rows begin, and columns.
type Pattern = (Vec<usize>, Vec<u32>);

fn laplacian(side: usize) -> Pattern {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for (i, j) in (0..side * side).map(|k| (k / side, k % side)) {
        let at = |i: usize, j: usize| (i * side + j) as u32;
        columns.extend((i > 0).then(|| at(i - 1, j)));
        columns.extend((j > 0).then(|| at(i, j - 1)));
        columns.push(at(i, j));
        columns.extend((j + 1 < side).then(|| at(i, j + 1)));
        columns.extend((i + 1 < side).then(|| at(i + 1, j)));
        offsets.push(columns.len());
    }
    (offsets, columns)
}

fn power_law(n: usize) -> Pattern {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    let mut random = noise::<f64>(40 * n, 3).into_iter().map(|x| 0.5 * (x + 1.0));
    for _ in 0..n {
        let degree = (2.0 / random.next().unwrap().max(1e-5).sqrt()) as usize;
        // Neighbours with small numbers are the usual ones.
        let mut row: Vec<u32> =
            random.by_ref().take(degree.min(600)).map(|x| (x * x * x * n as f64) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len());
    }
    (offsets, columns)
}

fn one<T: Number + nalgebra::RealField>(race: &mut Race, name: &str, (offsets, columns): &Pattern) {
    let n = offsets.len() - 1;
    let (values, x): (Vec<T>, Vec<T>) = (noise(columns.len(), 1), noise(n, 2));
    let (mut y, mut z) = (x.clone(), x.clone());
    let a = Csr::new(n, n, offsets, columns, &values).unwrap();
    let ends: Vec<u32> = offsets.iter().map(|x| *x as u32).collect();
    let b = sprs::CsMatViewI::<T, u32>::new((n, n), &ends, columns, &values);
    let list = vec![
        Contender::ours(|| fulmen::spmv(T::ONE, a, &x, T::ZERO, &mut y).unwrap()),
        Contender::peer("sprs", || {
            z.fill(T::ZERO);
            sprs::prod::mul_acc_mat_vec_csr(b.view(), &x[..], &mut z[..]);
        }),
    ];
    // Values and columns, offsets, x and y once each.
    let size = size_of::<T>();
    let work = (columns.len() * (size + 4) + n * (8 + 2 * size)) as f64;
    race.case(&Case { op: "spmv", ty: T::NAME, size: name.into(), work, unit: "GB/s" }, list);
}

pub fn all(race: &mut Race, ty: Option<&str>) {
    for (name, pattern) in [("laplacian-1M", laplacian(1000)), ("power-law-300k", power_law(300_000))] {
        if ty != Some("f64") {
            one::<f32>(race, name, &pattern);
        }
        if ty != Some("f32") {
            one::<f64>(race, name, &pattern);
        }
    }
}
