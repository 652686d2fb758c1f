//! Inverses, conditions, updates, factors of any rank and eigenvalues of matrices that are not symmetric. Work is that of LAPACK's counts; of
//! eigenvalues with Schur vectors it is taken as `25n³`, of a condition as that of ten triangular solves, for the rate alone.

use crate::lapack::{Lapack, Room};
use crate::{Input, Number, noise, view};
use faer::linalg::solvers::DenseSolveCore;
use fulmen::MatRef;
use fulmen_harness::race::{Case, Contender, Race};

pub const OPS: [&str; 5] = ["inverse", "lu_condition", "cholesky_update", "qr_pivoted", "schur"];

pub fn one<T: Number>(race: &mut Race, op: &str, input: &Input<T>, libs: &[Lapack]) {
    let n = input.n;
    let from = if op == "cholesky_update" { &input.definite } else { &input.plain };
    let side = n as f64;
    let work = side
        * side
        * match op {
            "inverse" => 2.0 * side,
            "lu_condition" => 20.0,
            "cholesky_update" => 3.0,
            "qr_pivoted" => 4.0 / 3.0 * side,
            _ => 25.0 * side,
        };
    let mut a = from.clone();
    let (mut z, mut x, mut y) = (from.clone(), vec![T::ZERO; n], vec![T::ZERO; n]);
    let vector: Vec<T> = noise(n, 9);
    let mut pivots = vec![0; n];
    let room = [
        fulmen::inverse_workspace(n),
        fulmen::lu_condition_workspace(n),
        fulmen::qr_pivoted_workspace(n, n),
        fulmen::schur_workspace(n),
        fulmen::lu_workspace(n, n),
        fulmen::cholesky_workspace(n),
    ];
    let mut w = fulmen::Buffer::<T>::new(room.into_iter().max().unwrap());
    // Of these two a factor is the input.
    let norm = (0..n).map(|j| (0..n).map(|i| from[i * n + j].to_f64().abs()).sum()).fold(0.0f64, f64::max);
    let norm: T = crate::element(norm);
    let mut factors = from.clone();
    match op {
        "lu_condition" => fulmen::lu(view(&mut factors, n), &mut pivots, &mut w).unwrap(),
        "cholesky_update" => fulmen::cholesky(view(&mut factors, n), &mut w).unwrap(),
        _ => {}
    }
    let exchanges = pivots.clone();
    let ours = || {
        match op {
            "lu_condition" => {
                let f = MatRef::row_major(&factors, n, n).unwrap();
                std::hint::black_box(fulmen::lu_condition(f, &exchanges, norm, &mut w).unwrap());
                return;
            }
            "cholesky_update" => a.copy_from_slice(&factors),
            _ => a.copy_from_slice(from),
        }
        match op {
            "inverse" => fulmen::inverse(view(&mut a, n), &mut pivots, &mut w),
            "cholesky_update" => {
                x.copy_from_slice(&vector);
                fulmen::cholesky_update(false, view(&mut a, n), &mut x)
            }
            "qr_pivoted" => fulmen::qr_pivoted(view(&mut a, n), &mut x, &mut pivots, &mut w),
            _ => fulmen::schur(view(&mut a, n), view(&mut z, n), &mut x, &mut y, &mut w),
        }
        .unwrap();
    };
    let to_faer = faer::MatRef::from_column_major_slice(from, n, n);
    let faer = || {
        match op {
            "inverse" => drop(to_faer.partial_piv_lu().inverse()),
            _ => drop(to_faer.col_piv_qr()),
        };
    };
    let matrix = nalgebra::DMatrix::from_column_slice(n, n, from);
    let llt = (op == "cholesky_update").then(|| matrix.clone().cholesky().unwrap());
    let column = nalgebra::DVector::from_column_slice(&vector);
    let nalgebra = || match (op, &llt) {
        ("inverse", _) => drop(matrix.clone().try_inverse().unwrap()),
        ("qr_pivoted", _) => drop(matrix.clone().col_piv_qr()),
        (_, Some(llt)) => llt.clone().rank_one_update(&column, nalgebra::one()),
        _ => drop(matrix.clone().schur()),
    };
    let mut rooms: Vec<_> = libs.iter().map(|lib| (lib, Room::<T>::new(n))).collect();
    let mut list = vec![Contender::ours(ours)];
    if matches!(op, "inverse" | "qr_pivoted") {
        list.push(Contender::peer("faer", faer));
    }
    // It takes minutes for a matrix of this size.
    if op != "lu_condition" && !(op == "schur" && n > 256) {
        list.push(Contender::peer("nalgebra", nalgebra));
    }
    if op != "cholesky_update" {
        for (lib, room) in &mut rooms {
            list.push(Contender::peer(lib.name, || room.general(lib, op, from, &factors, norm)));
        }
    }
    race.case(&Case { op, ty: T::NAME, size: n.to_string(), work, unit: "GFLOP/s" }, list);
}
