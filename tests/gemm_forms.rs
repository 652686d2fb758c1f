//! The other forms of the matrix product give the bits of `gemm`: epilogues, packed, batched, on threads.

use common::lanes::*;
use fulmen::lanes::Simd;
use fulmen::*;

fn noise<T: Element>(n: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        T::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    (0..n).map(|_| next()).collect()
}

fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

/// A, B, C and a workspace.
fn operands<T: Element>([m, n, k]: [usize; 3]) -> (Vec<T>, Vec<T>, Vec<T>, Vec<T>) {
    (noise(m * k, 1), noise(k * n, 2), noise(m * n, 3), vec![T::ZERO; gemm_workspace(m, n, k)])
}

fn view<T>(c: &mut [T], m: usize, n: usize, by_columns: bool) -> MatMut<'_, T> {
    if by_columns { MatMut::col_major(c, m, n).unwrap() } else { MatMut::row_major(c, m, n).unwrap() }
}

/// `gemm`, then the epilogue as passes of their own.
fn epilogues<S: Simd, T: Element>(s: S) {
    for dims in [[1, 1, 1], [9, 50, 7], [17, 50, 260], [1, 200, 40], [37, 3, 41], [2, 3, 0]] {
        let [m, n, k] = dims;
        let (a, b, old, mut ws) = operands::<T>(dims);
        let (row, col, res) = (noise::<T>(m, 4), noise::<T>(n, 5), noise::<T>(m * n, 6));
        for by_columns in [false, true] {
            let place = |i: usize, j: usize| if by_columns { i + j * m } else { i * n + j };
            let (a, b) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
            let half = T::from_f64(0.5);
            let mut want = old.clone();
            gemm_on(s, half, a, b, half, view(&mut want, m, n, by_columns), &mut ws).unwrap();
            for i in 0..m {
                for j in 0..n {
                    let y = &mut want[place(i, j)];
                    *y = (*y + row[i] + col[j]) + res[i * n + j];
                    *y = if *y < T::ZERO { T::ZERO } else { *y };
                }
            }
            let residual = Residual(MatRef::row_major(&res, m, n).unwrap());
            let e = Chain(Chain(BiasRow(&row), BiasCol(&col)), Chain(residual, Pointwise(Relu)));
            let mut got = old.clone();
            gemm_with_on(s, half, a, b, half, view(&mut got, m, n, by_columns), e, &mut ws).unwrap();
            assert_eq!(bits(&got), bits(&want), "{} {dims:?}, by columns: {by_columns}", S::NAME);
        }
    }
}

#[test]
fn epilogues_on_every_lane() {
    for_each_lane!(|s| {
        epilogues::<_, f32>(s);
    });
    epilogues::<_, f64>(fulmen::lanes::native());
}

#[test]
fn an_epilogue_that_does_not_fit_is_refused() {
    let x = [1.0f32; 6];
    let (a, b) = (MatRef::row_major(&x, 2, 3).unwrap(), MatRef::row_major(&x, 3, 2).unwrap());
    let mut y = [7.0f32; 4];
    let mut call = |rows, cols, res: MatRef<'_, f32>| {
        let e = Chain(Chain(BiasRow(rows), BiasCol(cols)), Residual(res));
        let r = gemm_with(1.0, a, b, 0.0, MatMut::row_major(&mut y, 2, 2).unwrap(), e, &mut []);
        (r, y)
    };
    let len = |expected, got| Err(Error::len("epilogue", expected, got));
    let fits = MatRef::row_major(&x[..4], 2, 2).unwrap();
    assert_eq!(call(&x[..3], &x[..2], fits), (len(2, 3), [7.0; 4]));
    assert_eq!(call(&x[..2], &x[..1], fits), (len(2, 1), [7.0; 4]));
    let shape = Err(Error::shape("epilogue", [2, 2], [3, 2]));
    assert_eq!(call(&x[..2], &x[..2], b), (shape, [7.0; 4]));
    assert_eq!(call(&x[..2], &x[..2], fits), (Ok(()), [6.0; 4]));
}

/// A packed B, and shares of a batch, on one lane.
fn forms<S: Simd, T: Element>(s: S) {
    let (alpha, beta) = (T::from_f64(1.5), T::from_f64(-0.5));
    for dims in [[1, 1, 1], [3, 0, 2], [2, 3, 0], [17, 33, 40], [5, 60, 300], [20, 110, 270], [1, 120, 300]] {
        let [m, n, k] = dims;
        let (a, b, old, mut ws) = operands::<T>(dims);
        let mut want = old.clone();
        let left = MatRef::row_major(&a, m, k).unwrap();
        let right = MatRef::row_major(&b, k, n).unwrap();
        gemm_on(s, alpha, left, right, beta, MatMut::row_major(&mut want, m, n).unwrap(), &mut ws).unwrap();
        let mut room = vec![T::NAN; packed_b_len(k, n)];
        let packed = pack_b_on(s, right, &mut room).unwrap();
        let mut got = old.clone();
        gemm_packed(alpha, left, packed, beta, MatMut::row_major(&mut got, m, n).unwrap(), &mut []).unwrap();
        assert_eq!(bits(&got), bits(&want), "{} {dims:?} packed", S::NAME);
        // A by columns and C by columns.
        let across: Vec<T> = (0..m * k).map(|i| a[i % m * k + i / m]).collect();
        let mut got = vec![T::NAN; m * n];
        let (left, c) =
            (MatRef::col_major(&across, m, k).unwrap(), MatMut::col_major(&mut got, m, n).unwrap());
        gemm_packed(alpha, left, packed, T::ZERO, c, &mut ws).unwrap();
        let mut want = vec![T::NAN; m * n];
        gemm_on(s, alpha, left, right, T::ZERO, MatMut::col_major(&mut want, m, n).unwrap(), &mut ws)
            .unwrap();
        assert_eq!(bits(&got), bits(&want), "{} {dims:?} packed, by columns", S::NAME);
        // Four products with one B.
        let (many, start) = (noise::<T>(4 * m * k, 8), noise::<T>(4 * m * n, 9));
        let (mut got, mut want) = (start.clone(), start);
        for (i, c) in want.chunks_mut((m * n).max(1)).enumerate() {
            let left = MatRef::strided(&many, i * m * k, m, k, k as isize, 1).unwrap();
            gemm_on(s, alpha, left, right, beta, MatMut::row_major(c, m, n).unwrap(), &mut ws).unwrap();
        }
        let (x, y) = ([4, m, k], [4, k, n]);
        let left = BatchRef::strided(&many, 0, x, [(m * k) as isize, k as isize, 1]).unwrap();
        let right = BatchRef::strided(&b, 0, y, [0, n as isize, 1]).unwrap();
        let c = BatchMut::strided(&mut got, 0, [4, m, n], [(m * n) as isize, n as isize, 1]).unwrap();
        gemm_strided_batched_on(s, alpha, left, right, beta, c, &mut ws).unwrap();
        assert_eq!(bits(&got), bits(&want), "{} {dims:?} batched", S::NAME);
    }
}

#[test]
fn packed_and_batched_on_every_lane() {
    for_each_lane!(|s| {
        forms::<_, f32>(s);
    });
    forms::<_, f64>(fulmen::lanes::native());
}

/// Arrays, each against `gemm`.
fn fixed<S: Simd, T: Element, const M: usize, const N: usize, const K: usize>(s: S) {
    let (a, b, old, mut ws) = operands::<T>([M, N, K]);
    let at = |x: &[T], w: usize, i: usize, j: usize| x[i * w + j];
    let a2: [[T; K]; M] = std::array::from_fn(|i| std::array::from_fn(|j| at(&a, K, i, j)));
    let b2: [[T; N]; K] = std::array::from_fn(|i| std::array::from_fn(|j| at(&b, N, i, j)));
    for (alpha, beta) in
        [(1.0, 0.0), (0.5, 2.0), (0.0, 1.0), (3.0, 0.0)].map(|(a, b)| (T::from_f64(a), T::from_f64(b)))
    {
        let mut got: [[T; N]; M] = std::array::from_fn(|i| std::array::from_fn(|j| at(&old, N, i, j)));
        gemm_fixed_on(s, alpha, &a2, &b2, beta, &mut got);
        let mut want = old.clone();
        let (a, b) = (MatRef::row_major(&a, M, K).unwrap(), MatRef::row_major(&b, K, N).unwrap());
        gemm_on(s, alpha, a, b, beta, MatMut::row_major(&mut want, M, N).unwrap(), &mut ws).unwrap();
        assert_eq!(bits(got.as_flattened()), bits(&want), "{} {M} x {K} x {N}", S::NAME);
    }
}

#[test]
fn fixed_sizes_on_every_lane() {
    for_each_lane!(|s| {
        fixed::<_, f32, 1, 1, 1>(s);
        fixed::<_, f32, 3, 3, 3>(s);
        fixed::<_, f64, 4, 4, 4>(s);
        fixed::<_, f32, 9, 50, 5>(s);
    });
    let s = fulmen::lanes::native();
    fixed::<_, f32, 16, 16, 16>(s);
    fixed::<_, f64, 13, 7, 600>(s);
    fixed::<_, f32, 2, 3, 0>(s);
    fixed::<_, f32, 0, 3, 2>(s);
}

#[test]
fn batches_are_checked() {
    let mut x = [0.0f32; 24];
    let over =
        |stride, count| BatchRef::strided(&[0.0f32; 24], 0, [count, 2, 3], [stride, 3, 1]).map(|b| b.count());
    assert_eq!(over(6, 4), Ok(4));
    assert_eq!(over(0, 1000), Ok(1000));
    assert_eq!(over(-6, 2), Err(Error::out_of_bounds("data", 24)));
    assert_eq!(over(6, 5), Err(Error::out_of_bounds("data", 24)));
    assert_eq!(over(isize::MAX, 3), Err(Error::overflow("data")));
    assert!(BatchMut::strided(&mut x, 0, [4, 2, 3], [6, 3, 1]).is_ok());
    assert!(BatchMut::strided(&mut x, 18, [4, 2, 3], [-6, 3, 1]).is_ok());
    let overlap = Error::overlap("data");
    assert_eq!(BatchMut::strided(&mut x, 0, [4, 2, 3], [5, 3, 1]).err(), Some(overlap));
    assert_eq!(BatchMut::strided(&mut x, 0, [2, 2, 3], [6, 2, 1]).err(), Some(overlap));
    let a = BatchRef::strided(&[0.0f32; 24], 0, [4, 2, 3], [6, 3, 1]).unwrap();
    let b = BatchRef::strided(&[0.0f32; 24], 0, [3, 3, 2], [6, 2, 1]).unwrap();
    let c = BatchMut::strided(&mut x, 0, [4, 2, 2], [4, 2, 1]).unwrap();
    let r = gemm_strided_batched(1.0, a, b, 0.0, c, &mut []);
    assert_eq!(r, Err(Error::len("b", 4, 3)));
    let mut y = [5.0f32; 8];
    let (p, q) = y.split_at_mut(4);
    let mut c = [MatMut::row_major(p, 2, 2).unwrap(), MatMut::row_major(q, 1, 4).unwrap()];
    let (u, v) = (a.get(0).unwrap(), b.get(0).unwrap());
    let r = gemm_batched(1.0, &[u, u], &[v, v], 0.0, &mut c, &mut []);
    assert_eq!(r, Err(Error::shape("c", [2, 2], [1, 4])));
    assert_eq!(y, [5.0; 8]);
    assert_eq!(pack_b(v, &mut [0.0; 3]).err(), Some(Error::len("packed", 48, 3)));
}

#[cfg(feature = "parallel")]
#[test]
fn threads_give_the_same_bits() {
    fn check<S: Simd, T: Element>(s: S, dims: [usize; 3], threads: usize) {
        let [m, n, k] = dims;
        let (a, b, old, _) = operands::<T>(dims);
        let mut ws = vec![T::ZERO; parallel::gemm_workspace(m, n, k, threads)];
        let (a, b) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
        let (mut want, mut got) = (old.clone(), old);
        let (x, y) = (T::from_f64(0.75), T::from_f64(2.0));
        gemm_on(s, x, a, b, y, MatMut::row_major(&mut want, m, n).unwrap(), &mut ws).unwrap();
        parallel::gemm_on(s, x, a, b, y, MatMut::row_major(&mut got, m, n).unwrap(), &mut ws).unwrap();
        assert_eq!(bits(&got), bits(&want), "{} {dims:?} on {threads} threads", S::NAME);
        let bias = noise::<T>(n, 7);
        let e = Chain(BiasCol(&bias), Pointwise(Relu));
        gemm_with_on(s, x, a, b, T::ZERO, MatMut::col_major(&mut want, m, n).unwrap(), e, &mut ws).unwrap();
        parallel::gemm_with(x, a, b, T::ZERO, MatMut::col_major(&mut got, m, n).unwrap(), e, &mut ws)
            .unwrap();
        if fulmen::NATIVE == S::ISA {
            assert_eq!(bits(&got), bits(&want), "{} {dims:?} on {threads} threads, epilogue", S::NAME);
        }
    }
    for threads in [2, 3, 7] {
        common::compared::on_threads(threads, || {
            for dims in [[3, 2, 5], [190, 150, 80], [40, 900, 60], [900, 40, 61], [1, 4000, 520]] {
                check::<_, f32>(fulmen::lanes::native(), dims, threads);
                check::<_, f64>(fulmen::lanes::native(), dims, threads);
            }
        });
    }
}
