//! Products of matrices around every block, pass and way of working.

use crate::dd::Dd;
use crate::matrix::{Layout::*, *};
use crate::sizes::*;
use fulmen::lanes::{Simd, native};
use fulmen::{BatchMut, BatchRef, Element, MatMut, MatRef, gemm_workspace, parallel};

/// α and β in turn.
pub const SCALES: [[f64; 2]; 9] = [
    [1.0, 0.0],
    [1.0, 1.0],
    [-1.0, 0.0],
    [-1.0, 1.0],
    [0.75, -1.0],
    [1.5, 0.5],
    [1.0, -1.0],
    [0.0, 0.5],
    [-0.5, 0.0],
];

/// Some places of a result: its corners, edges, and others at random.
pub fn some(rows: usize, cols: usize, random: usize) -> Vec<[usize; 2]> {
    let mut r = Stream::new((rows * 31 + cols) as u64);
    let ends = |n: usize| [0, 1, n / 2, n.saturating_sub(2), n.saturating_sub(1)];
    let mut at: Vec<[usize; 2]> = vec![];
    for i in ends(rows) {
        at.extend(ends(cols).map(|j| [i, j]));
    }
    at.extend((0..random).map(|_| [r.below(rows), r.below(cols)]));
    at.retain(|[i, j]| *i < rows && *j < cols);
    at.sort_unstable();
    at.dedup();
    at
}

/// What `C = αAB + βC` is at some places, held against what it became.
fn verify<T: Element>(
    what: &str,
    [alpha, beta]: [f64; 2],
    m: [&Matrix<T>; 2],
    old: &Matrix<T>,
    new: &Matrix<T>,
) {
    let ([rows, cols], k) = (new.shape, m[0].shape[1]);
    let tolerance = tolerance::<T>("gemm");
    for [i, j] in some(rows, cols, 60) {
        let (mut sum, mut mass) = (Dd::ZERO, 0.0);
        if alpha != 0.0 {
            for p in 0..k {
                sum = sum + Dd::from(m[0].at(i, p)) * Dd::from(m[1].at(p, j));
                mass += (m[0].at(i, p) * m[1].at(p, j)).abs();
            }
        }
        let mut want = sum * Dd::from(alpha);
        mass *= alpha.abs();
        if beta != 0.0 {
            want = want + Dd::from(beta) * Dd::from(old.at(i, j));
            mass += (beta * old.at(i, j)).abs();
        }
        let error = (Dd::from(new.at(i, j)) - want).value().abs();
        let bound = tolerance.allowed::<T>(want.value(), &[zeros(k)], mass);
        assert!(
            error <= bound,
            "{what}: ({i}, {j}) is {}, off by {error:e}, allowed {bound:e}",
            new.at(i, j)
        );
    }
}

/// One product in both forms.
fn product<S: Simd, T: Element>(s: S, [m, n, k]: [usize; 3], layouts: [Layout; 3], scales: [f64; 2]) {
    let a = Matrix::<T>::new(layouts[0], [m, k], 1);
    let b = Matrix::<T>::new(layouts[1], [k, n], 2);
    let old = Matrix::<T>::new(layouts[2], [m, n], 3);
    let [alpha, beta] = scales.map(T::from_f64);
    let what = format!("gemm {} {} {m}×{n}×{k} {layouts:?} {scales:?}", S::NAME, T::NAME);
    let start = || {
        let mut c = old.clone();
        if scales[1] == 0.0 {
            c.data.fill(T::NAN);
        }
        c
    };
    let mut one = start();
    let mut workspace = vec![T::NAN; parallel::gemm_workspace(m, n, k, 4)];
    let needed = gemm_workspace(m, n, k);
    fulmen::gemm_on(s, alpha, a.view(), b.view(), beta, one.view_mut(), &mut workspace[..needed]).unwrap();
    verify(&what, scales, [&a, &b], &old, &one);
    let inside = m * n;
    let finite = one.data.iter().filter(|x| !x.to_f64().is_nan()).count();
    assert_eq!(finite, inside, "{what}: elements written");
    for pool in &*POOLS {
        let mut many = start();
        pool.install(|| {
            parallel::gemm_on(s, alpha, a.view(), b.view(), beta, many.view_mut(), &mut workspace)
        })
        .unwrap();
        same(&what, &one.data, &many.data);
    }
}

/// Each side in turn around every threshold, the others near and far.
fn sides<S: Simd, T: Element>(s: S) {
    let mut turn = 0;
    let layouts = |turn: usize| [OPERANDS[turn % 5], OPERANDS[turn / 2 % 5], RESULTS[turn / 3 % 5]];
    for size in around::<T>(2100) {
        for others in [[1, 7], [3, 40], [37, 19], [130, 65]] {
            let [p, q] = others;
            if size * p * q > 9_000_000 {
                continue;
            }
            for dims in [[size, p, q], [p, size, q], [p, q, size]] {
                turn += 1;
                product::<S, T>(s, dims, layouts(turn), SCALES[turn % 9]);
            }
        }
    }
}

#[test]
fn sides_f32() {
    on_blocks!(|s| sides::<_, f32>(s));
}

#[test]
fn sides_f64() {
    on_blocks!(|s| sides::<_, f64>(s));
}

/// Around the tiles, passes, blocks and bands of these lanes, and past the caches.
fn blocks<S: Simd, T: Element>(s: S) {
    let [mr, nr, depth, block, band] = fulmen::thresholds::tiles::<S, T>();
    let few = threshold("blas::gemm::tune::FEW");
    let mut turn = 0;
    let mut each = |dims: [usize; 3], by: [Layout; 3]| {
        turn += 1;
        product::<S, T>(s, dims, by, SCALES[turn % 9]);
    };
    for m in [1, mr, mr + 1, few - 1, few, few + 1, band - 1, band, band + 1, band + few + 1] {
        for n in [1, nr, nr + 1, 3 * nr + 1, 300] {
            for k in [depth - 1, depth, depth + 1, 2 * depth + 1] {
                if m * n * k < 12_000_000 {
                    each([m, n, k], [[Rows; 3], [Padded, Cols, Padded], [Cols, Padded, Cols]][(m + n) % 3]);
                }
            }
        }
    }
    for n in [block - 1, block, block + 1, 2 * block + 1] {
        for (m, k) in [(1, 33), (mr + 1, depth + 1), (few + 1, 300)] {
            each([m, n, k], [Rows, Rows, Padded]);
            each([n, m, k], [Rows, Cols, Rows]);
        }
    }
    // One row, one column and few of them, far longer than a part.
    for n in [4095, 4096, 4097, 9000, 70_001] {
        for by in [Rows, Padded, Cols] {
            each([1, n, 70], [Rows, by, Rows]);
            each([n, 1, 70], [by, Rows, Rows]);
        }
        each([2, n, 33], [Rows; 3]);
        each([n, 3, 33], [Rows; 3]);
    }
    each([300, 300, 300], [Rows, Cols, Padded]);
    each([161, 163, 700], [Padded, Padded, Padded]);
}

#[test]
fn blocks_f32() {
    on_blocks!(|s| blocks::<_, f32>(s));
}

#[test]
fn blocks_f64() {
    on_blocks!(|s| blocks::<_, f64>(s));
}

/// A C that is written past the caches, and products for which threads pack together.
#[test]
fn large() {
    let side = 4 * 1024 + 3;
    for scales in [[1.0, 0.0], [-1.0, 1.0]] {
        product::<_, f32>(native(), [side, side, 2], [Rows; 3], scales);
        product::<_, f64>(native(), [2051, 4100, 3], [Rows; 3], scales);
    }
    let together = threshold("blas::gemm::tune::TOGETHER");
    let k = 4 * together / (600 * 600) + 1;
    product::<_, f32>(native(), [600, 600, k], [Padded, Padded, Padded], [1.0, 0.5]);
    product::<_, f32>(native(), [601, 600, k + 1], [Cols, Cols, Rows], [-1.0, 0.0]);
    product::<_, f64>(native(), [600, 602, k], [Rows, Cols, Cols], [1.0, -1.0]);
}

/// Batches, a packed B and an epilogue have the bits of single products.
fn forms<T: Element>() {
    let [_, nr, depth, _, _] = tiles::<T>();
    let mut r = Stream::new(23);
    for [m, n, k] in
        [[5, 40, depth + 1], [70, nr + 3, 64], [1, 4100, 9], [33, 300, 2 * depth + 3], [130, 130, 130]]
    {
        let count = 3;
        let (a, b, old) = (
            r.slice::<T>(count * (m * k + 2), 1.0),
            r.slice::<T>(count * (k * n + 3), 1.0),
            r.slice::<T>(count * (m * n + 1), 1.0),
        );
        let mut workspace = vec![T::ZERO; gemm_workspace(m, n, k)];
        let [alpha, beta] = [1.5, -1.0].map(T::from_f64);
        let mut single = old.clone();
        for i in 0..count {
            let a = MatRef::row_major(&a[i * (m * k + 2)..][..m * k], m, k).unwrap();
            let b = MatRef::row_major(&b[i * (k * n + 3)..][..k * n], k, n).unwrap();
            let c = &mut single[i * (m * n + 1)..][..m * n];
            let before = Matrix::with(Rows, [m, n], |p, q| c[p * n + q]);
            fulmen::gemm(alpha, a, b, beta, MatMut::row_major(c, m, n).unwrap(), &mut workspace).unwrap();
            let m0 = Matrix::with(Rows, [m, k], |p, q| a.get(p, q).unwrap());
            let m1 = Matrix::with(Rows, [k, n], |p, q| b.get(p, q).unwrap());
            let after = Matrix::with(Rows, [m, n], |p, q| c[p * n + q]);
            verify(&format!("batch of {m}×{n}×{k}"), [1.5, -1.0], [&m0, &m1], &before, &after);
        }
        let x = BatchRef::strided(&a, 0, [count, m, k], [(m * k + 2) as isize, k as isize, 1]);
        let y = BatchRef::strided(&b, 0, [count, k, n], [(k * n + 3) as isize, n as isize, 1]);
        for threads in [false, true] {
            let mut c = old.clone();
            let z =
                BatchMut::strided(&mut c, 0, [count, m, n], [(m * n + 1) as isize, n as isize, 1]).unwrap();
            let (x, y) = (x.unwrap(), y.unwrap());
            if threads {
                let mut workspace = vec![T::ZERO; 4 * workspace.len()];
                let f = || parallel::gemm_strided_batched(alpha, x, y, beta, z, &mut workspace);
                POOLS[0].install(f).unwrap();
            } else {
                fulmen::gemm_strided_batched(alpha, x, y, beta, z, &mut workspace).unwrap();
            }
            same(&format!("batch of {m}×{n}×{k} on threads: {threads}"), &single, &c);
        }
        let whole = MatRef::row_major(&b[..k * n], k, n).unwrap();
        let mut room = vec![T::ZERO; fulmen::packed_b_len(k, n)];
        let packed = fulmen::pack_b(whole, &mut room).unwrap();
        let mut c = old[..m * n].to_vec();
        let first = MatRef::row_major(&a[..m * k], m, k).unwrap();
        fulmen::gemm_packed(
            alpha,
            first,
            packed,
            beta,
            MatMut::row_major(&mut c, m, n).unwrap(),
            &mut workspace,
        )
        .unwrap();
        same(&format!("packed {m}×{n}×{k}"), &single[..m * n], &c);
        let bias = r.slice::<T>(n, 1.0);
        let mut d = old[..m * n].to_vec();
        let mut workspace = vec![T::ZERO; 4 * workspace.len()];
        let f = |c: &mut [T], w: &mut [T]| {
            let e = fulmen::BiasCol(&bias);
            parallel::gemm_with(alpha, first, whole, beta, MatMut::row_major(c, m, n).unwrap(), e, w)
        };
        POOLS[0].install(|| f(&mut d, &mut workspace)).unwrap();
        let want: Vec<T> = (0..m * n).map(|at| single[at] + bias[at % n]).collect();
        same(&format!("bias {m}×{n}×{k}"), &want, &d);
    }
}

#[test]
fn forms_f32() {
    forms::<f32>();
}

#[test]
fn forms_f64() {
    forms::<f64>();
}
