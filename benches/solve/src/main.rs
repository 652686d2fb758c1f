//! One thread, contenders interleaved. Every call begins with a copy of the matrix, which is square, and symmetric where the
//! op asks for it. The work is what LAPACK's own counts say of a factorisation; of eigenvalues and singular values with all
//! vectors it is taken as `9n³` and `22n³`, for the rate alone.

mod general;
mod lapack;
mod sparse;

use fulmen::{Element, MatMut};
use fulmen_harness::race::{Case, Contender, Race};
use lapack::{Lapack, Real};

/// The trait's own function: nalgebra's have the same name.
fn element<T: Element>(x: f64) -> T {
    T::from_f64(x)
}

fn noise<T: Element>(n: usize, seed: u64) -> Vec<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed + 1);
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            T::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
        })
        .collect()
}

/// A type of every contender.
trait Number: Element + Real + faer::traits::RealField + nalgebra::RealField {}
impl Number for f32 {}
impl Number for f64 {}

struct Input<T> {
    n: usize,
    /// Symmetric and positive definite, by columns as well as by rows.
    definite: Vec<T>,
    plain: Vec<T>,
}

fn view<T>(x: &mut [T], n: usize) -> MatMut<'_, T> {
    MatMut::row_major(x, n, n).unwrap()
}

fn dense<T: Number>(race: &mut Race, n: usize, libs: &[Lapack], only: &dyn Fn(&str) -> bool) {
    let plain: Vec<T> = noise(n * n, 1);
    let large: T = element(n as f64);
    let definite: Vec<T> = (0..n * n)
        .map(|k| {
            let (i, j) = (k / n, k % n);
            let x = plain[i.max(j) * n + i.min(j)];
            if i == j { x + large } else { x }
        })
        .collect();
    let input = Input { n, definite, plain };
    for op in ["cholesky", "lu", "qr", "eigh", "svd"] {
        if only(op) {
            one(race, op, &input, libs);
        }
    }
    for op in general::OPS.iter().filter(|op| only(op)) {
        general::one(race, op, &input, libs);
    }
}

fn one<T: Number>(race: &mut Race, op: &str, input: &Input<T>, libs: &[Lapack]) {
    let n = input.n;
    let from = if op == "cholesky" || op == "eigh" { &input.definite } else { &input.plain };
    let side = n as f64;
    let work = side
        * side
        * side
        * match op {
            "cholesky" => 1.0 / 3.0,
            "lu" => 2.0 / 3.0,
            "qr" => 4.0 / 3.0,
            "eigh" => 9.0,
            _ => 22.0,
        };
    let (mut a, mut u, mut vt) = (from.clone(), from.clone(), from.clone());
    let (mut values, mut pivots) = (vec![from[0]; n], vec![0; n]);
    let room = [
        fulmen::cholesky_workspace(n),
        fulmen::lu_workspace(n, n),
        fulmen::qr_workspace(n, n),
        fulmen::eigh_workspace(n),
        fulmen::svd_workspace(n, n),
    ];
    let mut w = fulmen::Buffer::<T>::new(room.into_iter().max().unwrap());
    let ours = || {
        a.copy_from_slice(from);
        match op {
            "cholesky" => fulmen::cholesky(view(&mut a, n), &mut w),
            "lu" => fulmen::lu(view(&mut a, n), &mut pivots, &mut w),
            "qr" => fulmen::qr(view(&mut a, n), &mut values, &mut w),
            "eigh" => fulmen::eigh(view(&mut a, n), &mut values, &mut w),
            _ => fulmen::svd(view(&mut a, n), view(&mut u, n), &mut values, view(&mut vt, n), &mut w),
        }
        .unwrap();
    };
    let to_faer = faer::MatRef::from_column_major_slice(from, n, n);
    let faer = || {
        match op {
            "cholesky" => drop(to_faer.llt(faer::Side::Lower).unwrap()),
            "lu" => drop(to_faer.partial_piv_lu()),
            "qr" => drop(to_faer.qr()),
            "eigh" => drop(to_faer.self_adjoint_eigen(faer::Side::Lower).unwrap()),
            _ => drop(to_faer.thin_svd().unwrap()),
        };
    };
    let matrix = nalgebra::DMatrix::from_column_slice(n, n, from);
    let nalgebra = || {
        let a = matrix.clone();
        match op {
            "cholesky" => drop(a.cholesky().unwrap()),
            "lu" => drop(a.lu()),
            "qr" => drop(a.qr()),
            "eigh" => drop(a.symmetric_eigen()),
            _ => drop(a.svd(true, true)),
        };
    };
    let mut rooms: Vec<_> = libs.iter().map(|lib| (lib, lapack::Room::<T>::new(n))).collect();
    let mut list =
        vec![Contender::ours(ours), Contender::peer("faer", faer), Contender::peer("nalgebra", nalgebra)];
    for (lib, room) in &mut rooms {
        list.push(Contender::peer(lib.name, || room.run(lib, op, from)));
    }
    race.case(&Case { op, ty: T::NAME, size: n.to_string(), work, unit: "GFLOP/s" }, list);
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let dims: Vec<usize> =
        value("--dims=").map_or(vec![64, 256, 1024], |d| d.split(',').map(|n| n.parse().unwrap()).collect());
    let (chosen, ty) = (value("--only="), value("--type="));
    let only = |op: &str| chosen.is_none_or(|all| all.split(',').any(|one| one == op));
    faer::set_global_parallelism(faer::Par::Seq);
    let libs = lapack::all();
    let names: Vec<_> = libs.iter().map(|l| l.name).collect();
    println!("lanes {:?}; LAPACK of {names:?}", fulmen::NATIVE);
    let mut race = Race::new(&args);
    for n in dims {
        if ty != Some("f64") {
            dense::<f32>(&mut race, n, &libs, &only);
        }
        if ty != Some("f32") {
            dense::<f64>(&mut race, n, &libs, &only);
        }
    }
    if only("spmv") {
        sparse::all(&mut race, ty);
    }
    sparse::others(&mut race, ty, &only);
    if let Some(path) = value("--csv=").map(std::path::Path::new) {
        race.finish(path, "speed of fulmen over the best peer (right of 1 is faster)").unwrap();
    }
}
