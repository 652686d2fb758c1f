//! The matrix product against a naive reference in double-double, on every lane.

use common::lanes::*;
use common::matrix::*;
use common::reference::dd::Dd;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::{Element, Error, MatMut, MatRef, gemm_on, gemm_workspace};

fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

/// `C = αAB + βC` is within the tolerance of the contract, and nothing else was written.
fn verify<T: Element>(
    what: &str,
    alpha: f64,
    a: &Matrix<T>,
    b: &Matrix<T>,
    beta: f64,
    old: &Matrix<T>,
    new: &Matrix<T>,
) {
    let ([m, n], k) = (new.shape, a.shape[1]);
    let lane = what.split(' ').next().unwrap_or_default();
    let mut errors = common::Errors::of("gemm", T::NAME, lane);
    let tolerance = spec("gemm").and_then(|c| c.tolerance(T::NAME)).unwrap();
    // The bound asks for the length of a row of A alone.
    let row = vec![0.0; k];
    let mut inside = vec![false; new.data.len()];
    for i in 0..m {
        for j in 0..n {
            inside[new.index(i, j)] = true;
            let (mut sum, mut mass) = (Dd::ZERO, 0.0);
            if alpha != 0.0 {
                for p in 0..k {
                    sum = sum + Dd::from(a.at(i, p)) * Dd::from(b.at(p, j));
                    mass += (a.at(i, p) * b.at(p, j)).abs();
                }
            }
            let mut want = sum * Dd::from(alpha);
            mass *= alpha.abs();
            if beta != 0.0 {
                want = want + Dd::from(beta) * Dd::from(old.at(i, j));
                mass += (beta * old.at(i, j)).abs();
            }
            let got = new.at(i, j);
            let error = (Dd::from(got) - want).value().abs();
            let bound = tolerance.allowed::<T>(want.value(), &[&row], mass);
            errors.see(error, bound, k);
            assert!(error <= bound, "{what}: ({i}, {j}) is {got}, off by {error:e}, allowed {bound:e}");
        }
    }
    for (at, inside) in inside.into_iter().enumerate() {
        assert!(inside || new.data[at].to_f64().is_nan(), "{what}: element {at} outside C was written");
    }
}

/// One product, verified. C holds NaN before when β = 0.
fn product<S: Simd, T: Element>(
    s: S,
    dims: [usize; 3],
    layouts: [Layout; 3],
    alpha: f64,
    beta: f64,
) -> Matrix<T> {
    let [m, n, k] = dims;
    let a = Matrix::<T>::new(layouts[0], [m, k], 1);
    let b = Matrix::<T>::new(layouts[1], [k, n], 2);
    let old = Matrix::<T>::new(layouts[2], [m, n], 3);
    let mut c = old.clone();
    if beta == 0.0 {
        c.data.fill(T::NAN);
    }
    let mut ws = vec![T::NAN; gemm_workspace(m, n, k)];
    let what = format!("{} {} {dims:?} {layouts:?} alpha {alpha} beta {beta}", S::NAME, T::NAME);
    let r = gemm_on(s, T::from_f64(alpha), a.view(), b.view(), T::from_f64(beta), c.view_mut(), &mut ws);
    assert_eq!(r, Ok(()), "{what}");
    verify(&what, alpha, &a, &b, beta, &old, &c);
    c
}

/// Columns of the widest tile.
fn tile<S: Simd, T: Element>() -> usize {
    let digits = S::NAME.trim_start_matches(|c: char| !c.is_ascii_digit()).rsplit('x').next().unwrap();
    let lanes: usize = digits.trim_start_matches("portable").parse().unwrap();
    let lanes = if S::NAME.starts_with("portable") { lanes } else { lanes * 4 / size_of::<T>() };
    3 * lanes
}

const SCALES: [(f64, f64); 6] = [(1.0, 0.0), (1.0, 1.0), (-0.5, 2.0), (0.0, 0.5), (2.0, 0.0), (0.0, 0.0)];

/// Every shape up to two tiles and one; layouts and scales in turn.
fn edges<S: Simd, T: Element>(s: S) {
    let mut turn = 0;
    for m in 0..=17 {
        let most = 2 * tile::<S, T>() + 1;
        // Around the tile's multiples each, else in steps.
        for n in (0..=most).filter(|n| *n < 18 || (n + m) % 9 == 0 || *n + 3 > most) {
            turn += 1;
            let layouts = [OPERANDS[turn % 7], OPERANDS[turn / 7 % 7], RESULTS[turn % 5]];
            let (alpha, beta) = SCALES[turn / 3 % 6];
            product::<S, T>(s, [m, n, turn % 6], layouts, alpha, beta);
        }
    }
}

/// Every layout of every operand, packed and not.
fn layouts<S: Simd, T: Element>(s: S) {
    for (x, a) in OPERANDS.into_iter().enumerate() {
        for (y, b) in OPERANDS.into_iter().enumerate() {
            for (z, c) in RESULTS.into_iter().enumerate() {
                let (alpha, beta) = SCALES[(x + y + z) % 6];
                product::<S, T>(s, [7 + x, 9 + 2 * y, 5 + z], [a, b, c], alpha, beta);
            }
        }
    }
}

/// Sizes that are packed, cut into blocks and into several passes.
fn blocks<S: Simd, T: Element>(s: S) {
    let dims = if cfg!(debug_assertions) {
        vec![[33, 50, 530]]
    } else {
        vec![[33, 70, 530], [70, 610, 70], [130, 200, 300], [65, 33, 1100]]
    };
    for (i, d) in dims.into_iter().enumerate() {
        for (j, l) in [[Rows, Rows, Rows], [Cols, Cols, Rows], [Rows, Cols, Cols], [Apart, Backwards, Padded]]
            .into_iter()
            .enumerate()
        {
            let (alpha, beta) = SCALES[(i + j) % 3];
            product::<S, T>(s, d, l, alpha, beta);
        }
    }
}

#[test]
fn every_edge_on_every_lane() {
    for_each_lane!(|s| {
        edges::<_, f32>(s);
        edges::<_, f64>(s);
    });
}

#[test]
fn every_layout_on_every_lane() {
    for_each_lane!(|s| {
        layouts::<_, f32>(s);
        layouts::<_, f64>(s);
    });
}

#[test]
fn blocks_on_every_lane() {
    for_each_lane!(|s| {
        blocks::<_, f32>(s);
        blocks::<_, f64>(s);
    });
}

/// An element's bits depend on its row of A, its column of B and nothing else.
fn position<S: Simd, T: Element>(s: S) {
    for k in [5, 40, 700] {
        let (m, n) = (37, if cfg!(debug_assertions) { 70 } else { 150 });
        let whole = product::<S, T>(s, [m, n, k], [Rows, Rows, Rows], 1.5, 0.0);
        let (a, b) = (Matrix::<T>::new(Rows, [m, k], 1), Matrix::<T>::new(Rows, [k, n], 2));
        let mut ws = vec![T::ZERO; gemm_workspace(n, n, k)];
        for (rows, cols) in [(0..1, 0..n), (3..4, 17..18), (0..m, 5..6), (30..m, 1..n), (2..35, 30..45)] {
            for layout in [Rows, Cols, Apart] {
                let mut c = Matrix::<T>::new(layout, [rows.len(), cols.len()], 9);
                let (a, b) =
                    (a.view().sub(rows.clone(), 0..k).unwrap(), b.view().sub(0..k, cols.clone()).unwrap());
                gemm_on(s, T::from_f64(1.5), a, b, T::ZERO, c.view_mut(), &mut ws).unwrap();
                for (i, row) in rows.clone().enumerate() {
                    for (j, col) in cols.clone().enumerate() {
                        let (got, want) = (c.at(i, j), whole.at(row, col));
                        assert_eq!(
                            got.to_bits(),
                            want.to_bits(),
                            "{} {layout:?} ({row}, {col}), k = {k}",
                            S::NAME
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_shape_or_layout() {
    for_each_lane!(|s| {
        position::<_, f32>(s);
        position::<_, f64>(s);
    });
}

#[test]
fn special_values() {
    let s = fulmen::lanes::native();
    let product = |alpha: f32, a: &[f32], b: &[f32], beta: f32, c: f32| {
        let mut y = [c];
        let k = a.len();
        let (a, b) = (MatRef::row_major(a, 1, k).unwrap(), MatRef::row_major(b, k, 1).unwrap());
        gemm_on(s, alpha, a, b, beta, MatMut::row_major(&mut y, 1, 1).unwrap(), &mut []).unwrap();
        y[0]
    };
    // α = 0 reads neither A nor B, β = 0 does not read C.
    assert_eq!(product(0.0, &[f32::NAN], &[f32::INFINITY], 2.0, 3.0), 6.0);
    assert_eq!(product(1.0, &[2.0], &[3.0], 0.0, f32::NAN), 6.0);
    assert_eq!(product(f32::NAN, &[], &[], 0.0, f32::NAN), 0.0);
    assert!(product(1.0, &[0.0], &[f32::INFINITY], 0.0, 0.0).is_nan());
    assert!(product(1.0, &[1.0, f32::NAN], &[1.0, 0.0], 0.0, 0.0).is_nan());
    assert!(product(f32::NAN, &[1.0], &[1.0], 0.0, 0.0).is_nan());
    assert_eq!(product(1.0, &[1.0], &[f32::NEG_INFINITY], 1.0, 5.0), f32::NEG_INFINITY);
    assert_eq!(product(1.0, &[f32::MAX], &[f32::MAX], 0.0, 0.0), f32::INFINITY);
    assert_eq!(product(1.0, &[0.5], &[f32::from_bits(2)], 0.0, 0.0), f32::from_bits(1));
}

#[test]
fn refusals_name_the_argument_and_leave_c() {
    let x = [1.0f32; 12];
    let mut y = [7.0f32; 12];
    let (a, b) = (MatRef::row_major(&x, 3, 4).unwrap(), MatRef::row_major(&x, 4, 3).unwrap());
    let s = fulmen::lanes::native();
    let mut call = |a, b, rows: usize, cols: usize| {
        let c = MatMut::strided(&mut y, 0, rows, cols, cols as isize, 1).unwrap();
        let r = gemm_on(s, 1.0, a, b, 0.0, c, &mut []);
        assert_eq!(y, [7.0; 12]);
        r
    };
    assert_eq!(call(a, a, 3, 4), Err(Error::shape("b", [4, 4], [3, 4])));
    assert_eq!(call(a, b, 3, 4), Err(Error::shape("c", [3, 3], [3, 4])));
    assert_eq!(call(a, b, 2, 3), Err(Error::shape("c", [3, 3], [2, 3])));
    // B by columns is packed.
    assert!(
        matches!(call(a, a.t(), 3, 3), Err(Error::Workspace { needed, got: 0, .. }) if needed <= gemm_workspace(3, 3, 4))
    );
}

#[test]
fn views_are_checked() {
    let x = [0u8; 10];
    let mut y = [0u8; 10];
    let out = Err(Error::out_of_bounds("data", 10));
    let over = Err(Error::overflow("data"));
    let see = |offset, rows, cols, rs, cs| {
        MatRef::strided(&x, offset, rows, cols, rs, cs).map(|v| (v.rows(), v.cols()))
    };
    assert_eq!(see(0, 2, 5, 5, 1), Ok((2, 5)));
    assert_eq!(see(9, 2, 5, -5, -1), Ok((2, 5)));
    assert_eq!(see(0, 1000, 1000, 0, 0), Ok((1000, 1000)));
    assert_eq!(see(99, 0, 5, 7, 7), Ok((0, 5)));
    assert_eq!(see(1, 2, 5, 5, 1), out);
    assert_eq!(see(8, 2, 5, -5, -1), out);
    assert_eq!(see(10, 1, 1, 1, 1), out);
    assert_eq!(see(0, usize::MAX, 2, 1, 1), over);
    assert_eq!(see(0, 3, 2, isize::MAX, 1), over);
    assert_eq!(see(usize::MAX, 2, 2, 1, 1), over);
    // What leads to no element may be anything.
    assert_eq!(see(0, 1, 1, isize::MIN, isize::MAX), Ok((1, 1)));
    assert_eq!(see(0, 1, 5, isize::MAX, 1), Ok((1, 5)));
    assert_eq!(see(0, usize::MAX, 0, isize::MAX, 1), Ok((usize::MAX, 0)));
    assert_eq!(MatRef::row_major(&x, 3, 3).err(), Some(Error::len("data", 9, 10)));
    assert_eq!(MatRef::row_major(&x, usize::MAX, 2).err(), Some(Error::overflow("data")));
    // Exactly the strides under which two elements are one are refused.
    for rows in 0..5usize {
        for cols in 0..5usize {
            for rs in -7..8isize {
                for cs in -7..8isize {
                    let mut room = [0u8; 64];
                    let mut seen = std::collections::HashSet::new();
                    let places =
                        (0..rows).flat_map(|i| (0..cols).map(move |j| i as isize * rs + j as isize * cs));
                    let distinct = places.into_iter().all(|p| seen.insert(p));
                    let r = MatMut::strided(&mut room, 32, rows, cols, rs, cs).map(|_| ());
                    match r {
                        Err(Error::OutOfBounds { .. }) => {}
                        _ => assert_eq!(r.is_ok(), distinct, "{rows} x {cols}, strides {rs} and {cs}"),
                    }
                }
            }
        }
    }
    let c = MatMut::row_major(&mut y, 2, 5).unwrap();
    let (mut top, mut rest) = c.split_rows(1).unwrap();
    assert!(top.set(0, 4, 1) && rest.set(0, 0, 2) && !rest.set(1, 0, 3));
    let (left, right) = rest.split_cols(2).unwrap();
    assert_eq!((left.cols(), right.cols(), right.get(0, 2)), (2, 3, Some(0)));
    assert_eq!(right.split_cols(4).err(), Some(Error::out_of_bounds("col", 3)));
    assert_eq!(y, [0, 0, 0, 0, 1, 2, 0, 0, 0, 0]);
    let v = MatRef::row_major(&x, 2, 5).unwrap();
    assert_eq!(v.sub(0..3, 0..5).err(), Some(Error::out_of_bounds("rows", 2)));
    #[allow(clippy::reversed_empty_ranges, reason = "that is the test")]
    let r = v.sub(0..2, 4..3).err();
    assert_eq!(r, Some(Error::out_of_bounds("cols", 5)));
}

#[test]
fn the_workspace_is_a_constant() {
    const N: usize = gemm_workspace(33, 20, 40);
    let ws = [0.0f32; N];
    assert!(ws.len() >= 40 * 33);
    let _ = bits(&ws);
}
