//! Sparse matrices: a Laplacian on a square of points, and a graph whose degrees follow a power law. Where no peer has an op, a
//! loop that its definition says stands for one; `ic0`, `gmres` and `bicgstab` have
//! none: a product with a vector in sprs is of a sparse one, which takes `n²` steps.

use crate::{Number, element, noise};
use fulmen::{Bsr, Csr, Dia, MatRef, Sell, Triangle};
use fulmen_harness::pattern::{Pattern, laplacian};
use fulmen_harness::race::{Case, Contender, Race};

fn power_law(n: usize) -> Pattern {
    fulmen_harness::pattern::power_law(n, noise::<f64>(40 * n, 3).into_iter().map(|x| 0.5 * (x + 1.0)))
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
    for (chunk, sigma) in [(n, 1), (16, 1), (16, 256), (32, 4096)] {
        slices(race, &format!("{name}-{chunk}-{sigma}"), a, [chunk, sigma], &x);
    }
    for block in [[3, 3], [4, 4], [8, 8]] {
        dense::<T>(race, n, block);
    }
    let mut offsets = [0; 16];
    if let Ok(len) = Dia::diagonals(a, &mut offsets) {
        let mut to = vec![T::ZERO; len * n];
        let b = Dia::from_csr(a, &offsets[..len], &mut to).unwrap();
        let ours = || fulmen::spmv_dia(T::ONE, b, &x, T::ZERO, &mut y).unwrap();
        let rows = || fulmen::spmv(T::ONE, a, &x, T::ZERO, &mut z).unwrap();
        let case = Case { op: "spmv_dia", ty: T::NAME, size: name.into(), work, unit: "GB/s" };
        race.case(&case, vec![Contender::ours(ours), Contender::peer("Csr", rows)]);
    }
}

/// Dense blocks, five of which are in a row of blocks, beside compressed rows of the same elements.
fn dense<T: Number>(race: &mut Race, n: usize, [r, c]: [usize; 2]) {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    let n = n / (4 * r) * r;
    for i in 0..n {
        let at = i / r * c;
        let from = [0, 1, 2, 40, 41].map(|k| (at + k * c) % n / c * c);
        let mut row: Vec<u32> = from.iter().flat_map(|from| (*from..from + c).map(|j| j as u32)).collect();
        row.sort_unstable();
        columns.extend(row);
        offsets.push(columns.len());
    }
    let values: Vec<T> = noise(columns.len(), 4);
    let x: Vec<T> = noise(n, 2);
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let len = Bsr::blocks(a, [r, c]).unwrap();
    let (mut begins, mut blocks, mut to) =
        (vec![0; n.div_ceil(r) + 1], vec![0; len], vec![T::ZERO; len * r * c]);
    let b = Bsr::from_csr(a, [r, c], &mut begins, &mut blocks, &mut to).unwrap();
    let (mut y, mut z) = (x.clone(), x.clone());
    let ours = || fulmen::spmv_bsr(T::ONE, b, &x, T::ZERO, &mut y).unwrap();
    let rows = || fulmen::spmv(T::ONE, a, &x, T::ZERO, &mut z).unwrap();
    let work = (a.len() * (size_of::<T>() + 4) + n * (8 + 2 * size_of::<T>())) as f64;
    let case = Case { op: "spmv_bsr", ty: T::NAME, size: format!("{n}-{r}-{c}"), work, unit: "GB/s" };
    race.case(&case, vec![Contender::ours(ours), Contender::peer("Csr", rows)]);
}

/// SELL-C-σ beside compressed rows; where it would be several times as large nothing is measured.
fn slices<T: Number>(race: &mut Race, size: &str, a: Csr<'_, T>, [chunk, sigma]: [usize; 2], x: &[T]) {
    let mut order = vec![0; a.rows()];
    Sell::sort(a, sigma, &mut order).unwrap();
    let len = Sell::stored(a, chunk, &order).unwrap();
    if len > 4 * a.len() {
        return;
    }
    let (mut offsets, mut lengths) = (vec![0; a.rows().div_ceil(chunk) + 1], vec![0; a.rows()]);
    let (mut columns, mut values) = (vec![0; len], vec![T::ZERO; len]);
    let b = Sell::from_csr(a, chunk, sigma, &order, &mut offsets, &mut lengths, &mut columns, &mut values)
        .unwrap();
    let (mut y, mut z) = (x.to_vec(), x.to_vec());
    let ours = || fulmen::spmv_sell(T::ONE, b, x, T::ZERO, &mut y).unwrap();
    let rows = || fulmen::spmv(T::ONE, a, x, T::ZERO, &mut z).unwrap();
    let work = (a.len() * (size_of::<T>() + 4) + a.rows() * (8 + 2 * size_of::<T>())) as f64;
    let case = Case { op: "spmv_sell", ty: T::NAME, size: size.into(), work, unit: "GB/s" };
    race.case(&case, vec![Contender::ours(ours), Contender::peer("Csr", rows)]);
}

/// Both formats of one matrix.
struct Both<'a, T> {
    ours: Csr<'a, T>,
    theirs: sprs::CsMatViewI<'a, T, u32>,
}

/// `AB` and `2A + B` of two matrices of one size, into memory that is there; sprs allocates its results.
fn products<T: Number>(race: &mut Race, name: &str, [a, b]: [&Both<'_, T>; 2]) {
    let (m, n) = (a.ours.rows(), b.ours.cols());
    let mut workspace = vec![0; fulmen::spgemm_workspace(n)];
    let len = a.ours.product_len(b.ours, &mut workspace).unwrap();
    let most = len.max(a.ours.sum_len(b.ours).unwrap());
    let (mut offsets, mut columns, mut values) = (vec![0; m + 1], vec![0; most], vec![T::ZERO; most]);
    let flops: usize = (0..m).flat_map(|i| a.ours.row(i).0).map(|k| b.ours.row(*k as usize).0.len()).sum();
    let spgemm = || {
        let (o, c, v) = (&mut offsets, &mut columns, &mut values);
        fulmen::spgemm(a.ours, b.ours, o, c, v, &mut workspace).unwrap();
    };
    let sprs = || drop(sprs::smmp::mul_csr_csr::<T, T, T, u32, u32>(a.theirs.view(), b.theirs.view()));
    let case =
        Case { op: "spgemm", ty: T::NAME, size: name.into(), work: 2.0 * flops as f64, unit: "GFLOP/s" };
    race.case(&case, vec![Contender::ours(spgemm), Contender::peer("sprs", sprs)]);
    let two: T = element(2.0);
    let spadd = || {
        let (o, c, v) = (&mut offsets, &mut columns, &mut values);
        fulmen::spadd(two, a.ours, T::ONE, b.ours, o, c, v).unwrap();
    };
    let sprs = || {
        drop(sprs::binop::csmat_binop(a.theirs.view(), b.theirs.view(), |x: &T, y: &T| two * *x + *y));
    };
    let work = ((a.ours.len() + b.ours.len()) * (size_of::<T>() + 4)) as f64;
    let case = Case { op: "spadd", ty: T::NAME, size: name.into(), work, unit: "GB/s" };
    race.case(&case, vec![Contender::ours(spadd), Contender::peer("sprs", sprs)]);
}

/// Sampled products of `k` terms, beside a loop.
fn sampled<T: Number>(race: &mut Race, name: &str, c: Csr<'_, T>, k: usize) {
    let (m, n) = (c.rows(), c.cols());
    let (x, y): (Vec<T>, Vec<T>) = (noise(m * k, 4), noise(n * k, 5));
    let (mut out, mut other) = (vec![T::ZERO; c.len()], vec![T::ZERO; c.len()]);
    let [a, bt] = [(&x, m), (&y, n)].map(|(x, rows)| MatRef::row_major(x, rows, k).unwrap());
    let ours = || fulmen::sddmm(T::ONE, a, bt.t(), c, T::ZERO, &mut out).unwrap();
    let plain = || {
        let mut at = other.iter_mut();
        for i in 0..m {
            let row = &x[i * k..(i + 1) * k];
            for j in c.row(i).0 {
                let column = &y[*j as usize * k..][..k];
                let sum = row.iter().zip(column).fold(T::ZERO, |sum, (p, q)| sum + *p * *q);
                *at.next().unwrap() = sum;
            }
        }
    };
    let work = 2.0 * (c.len() * k) as f64;
    let size = format!("{name}-{k}");
    let case = Case { op: "sddmm", ty: T::NAME, size, work, unit: "GFLOP/s" };
    race.case(&case, vec![Contender::ours(ours), Contender::peer("loop", plain)]);
}

/// Sweeps and factors of a system, and twenty steps of what solves it.
fn systems<T: Number>(race: &mut Race, name: &str, a: Csr<'_, T>, only: &dyn Fn(&str) -> bool) {
    let (n, size) = (a.rows(), size_of::<T>());
    let b: Vec<T> = noise(n, 6);
    let (mut x, mut y) = (vec![T::ZERO; n], vec![T::ZERO; n]);
    let bytes = (a.len() * (size + 4) + n * (8 + 3 * size)) as f64;
    let case = |op, work, unit| Case { op, ty: T::NAME, size: name.into(), work, unit };
    if only("gauss_seidel") {
        let ours = || fulmen::gauss_seidel(Triangle::Lower, T::ONE, a, &b, &mut x).unwrap();
        let plain = || {
            for i in 0..n {
                let (mut left, mut diagonal, omega) = (b[i], T::ONE, std::hint::black_box(T::ONE));
                for (j, v) in a.row(i).0.iter().zip(a.row(i).1) {
                    let j = *j as usize;
                    diagonal = if j == i { *v } else { diagonal };
                    left = left - *v * y[j];
                }
                y[i] = y[i] + omega * (left / diagonal);
            }
        };
        race.case(
            &case("gauss_seidel", bytes, "GB/s"),
            vec![Contender::ours(ours), Contender::peer("loop", plain)],
        );
    }
    let mut factors = vec![T::ZERO; a.len()];
    if only("ic0") {
        let ours = || fulmen::ic0(a, &mut factors).unwrap();
        race.case(&case("ic0", bytes, "GB/s"), vec![Contender::ours(ours)]);
    }
    let tolerance: T = element(1e-30);
    if only("gmres") {
        let mut w = fulmen::Buffer::<T>::new(fulmen::gmres_workspace(n, 20));
        let ours = || {
            x.fill(T::ZERO);
            _ = fulmen::gmres(a, None, &b, &mut x, tolerance, 20, 20, &mut w);
        };
        race.case(&case("gmres", 20.0 * bytes, "GB/s"), vec![Contender::ours(ours)]);
    }
    if only("bicgstab") {
        let mut w = fulmen::Buffer::<T>::new(fulmen::bicgstab_workspace(n));
        let ours = || {
            x.fill(T::ZERO);
            _ = fulmen::bicgstab(a, None, &b, &mut x, tolerance, 20, &mut w);
        };
        race.case(&case("bicgstab", 40.0 * bytes, "GB/s"), vec![Contender::ours(ours)]);
    }
}

fn formed<T: Number>(
    race: &mut Race,
    name: &str,
    (offsets, columns): &Pattern,
    laplace: bool,
    only: &dyn Fn(&str) -> bool,
) {
    let n = offsets.len() - 1;
    let ends: Vec<u32> = offsets.iter().map(|x| *x as u32).collect();
    let of = |seed: u64| -> Vec<T> {
        let mut values: Vec<T> = noise(columns.len(), seed);
        if laplace {
            for i in 0..n {
                for at in offsets[i]..offsets[i + 1] {
                    values[at] = element(if columns[at] as usize == i { 4.0 } else { -1.0 });
                }
            }
        }
        values
    };
    let (v, w) = (of(1), of(2));
    let both = |values| Both {
        ours: Csr::new(n, n, offsets, columns, values).unwrap(),
        theirs: sprs::CsMatViewI::new((n, n), &ends, columns, values),
    };
    let (a, b) = (both(&v[..]), both(&w[..]));
    if only("spgemm") {
        products(race, name, [&a, &b]);
    }
    if only("sddmm") {
        sampled(race, name, a.ours, 64);
    }
    if laplace {
        systems(race, name, a.ours, only);
    }
}

/// Ops that make matrices or solve with them.
pub fn others(race: &mut Race, ty: Option<&str>, only: &dyn Fn(&str) -> bool) {
    for (name, pattern, laplace) in
        [("laplacian-250k", laplacian(500), true), ("power-law-30k", power_law(30_000), false)]
    {
        if ty != Some("f64") {
            formed::<f32>(race, name, &pattern, laplace, only);
        }
        if ty != Some("f32") {
            formed::<f64>(race, name, &pattern, laplace, only);
        }
    }
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
