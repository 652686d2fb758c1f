//! The functions that allocate their results give what the ops give, at shapes that a seed draws, and refuse what the ops refuse.

use common::nn::Noise;
use common::seed::Seed;
use fulmen::quant::Q8_0;
use fulmen::random::Stream;
use fulmen::{
    Add, Complex, Conv1d, Convolver, Csr, Dct, DctKind, Direction, Einsum, EinsumPlan, Element, Error,
    Extent, Fft, MatMut, MatRef, RealFft, c64, owned,
};

/// An `m` by `n` matrix, and an `n` by `n` one with a strong diagonal that is symmetric and positive definite.
fn matrices<T: Element>(r: &mut Noise, m: usize, n: usize) -> [Vec<T>; 2] {
    let (a, b) = (r.slice(m * n, 1.0), r.slice::<T>(n * n, 1.0));
    let at = |i: usize, j: usize| b[i.max(j) * n + i.min(j)];
    let strong = |i, j| if i == j { T::from_usize(2 * n + 1) } else { at(i, j) };
    [a, (0..n * n).map(|k| strong(k / n, k % n)).collect()]
}

fn rows<T: Element>(x: &[T], rows: usize, cols: usize) -> MatRef<'_, T> {
    MatRef::row_major(x, rows, cols).unwrap()
}
fn rows_mut<T: Element>(x: &mut [T], rows: usize, cols: usize) -> MatMut<'_, T> {
    MatMut::row_major(x, rows, cols).unwrap()
}

fn solvers<T: Element>(r: &mut Noise) {
    let n = r.size(40);
    let (m, cols) = (n + r.within(0..=9), r.within(0..=3));
    let [a, s] = matrices::<T>(r, m, n);
    let (b, wide) = (r.slice::<T>(n * cols, 1.0), r.slice::<T>(m * cols, 1.0));
    let room = || vec![T::ZERO; 1 << 17];

    let (mut f, mut x, mut pivots) = (s.clone(), b.clone(), vec![0; n]);
    fulmen::lu(rows_mut(&mut f, n, n), &mut pivots, &mut room()).unwrap();
    assert_eq!(owned::det(&s, n), fulmen::determinant(rows(&f, n, n), &pivots));
    fulmen::lu_solve(rows(&f, n, n), &pivots, rows_mut(&mut x, n, cols), &mut room()).unwrap();
    assert_eq!(owned::solve(&s, n, &b), Ok(x));

    let (mut f, mut x, mut tau) = (a.clone(), wide.clone(), vec![T::ZERO; n]);
    let done =
        fulmen::least_squares(rows_mut(&mut f, m, n), &mut tau, rows_mut(&mut x, m, cols), &mut room());
    x.truncate(n * cols);
    assert_eq!(owned::lstsq(&a, n, &wide), done.map(|()| x));

    let mut x = s.clone();
    fulmen::inverse(rows_mut(&mut x, n, n), &mut pivots, &mut room()).unwrap();
    assert_eq!(owned::inverse(&s, n), Ok(x));

    let mut l = s.clone();
    fulmen::cholesky(rows_mut(&mut l, n, n), &mut room()).unwrap();
    (0..n * n).filter(|k| k % n > k / n).for_each(|k| l[k] = T::ZERO);
    assert_eq!(owned::cholesky(&s, n), Ok(l));

    let (mut v, mut values) = (s.clone(), vec![T::ZERO; n]);
    fulmen::eigh(rows_mut(&mut v, n, n), &mut values, &mut room()).unwrap();
    assert_eq!(owned::eigh(&s, n), Ok((values, v)));

    for (m, n) in [(m, n), (n, m)] {
        let k = m.min(n);
        let (mut f, mut values) = (a.clone(), vec![T::ZERO; k]);
        let (mut u, mut vt) = (vec![T::ZERO; m * k], vec![T::ZERO; k * n]);
        let to = (rows_mut(&mut u, m, k), rows_mut(&mut vt, k, n));
        fulmen::svd(rows_mut(&mut f, m, n), to.0, &mut values, to.1, &mut room()).unwrap();
        assert_eq!(owned::svd(&a, n), Ok((u, values, vt)));

        let (q, r) = owned::qr(&a, n).unwrap();
        let (mut f, mut tau) = (a.clone(), vec![T::ZERO; k]);
        fulmen::qr(rows_mut(&mut f, m, n), &mut tau, &mut room()).unwrap();
        let upper = |i: usize| if i % n < i / n { T::ZERO } else { f[i] };
        assert_eq!(r, (0..k * n).map(upper).collect::<Vec<_>>());
        let product = owned::matmul(&q, k, &r).unwrap();
        let eps = T::from_f64(if size_of::<T>() == 4 { 1e-5 } else { 1e-13 });
        assert!(
            product.iter().zip(&a).all(|(x, y)| *x - *y < eps && *y - *x < eps),
            "{m} x {n}: QR is not A"
        );
    }
}

/// `Av = λv` of each value.
fn eigenvalues(a: &[f64], n: usize) {
    let (values, vectors) = owned::eig(a, n).unwrap();
    let (mut re, mut im) = (vec![0.0; n], vec![0.0; n]);
    let (mut factors, mut right) = (a.to_vec(), vec![0.0; n * n]);
    let room = &mut vec![0.0; fulmen::eig_workspace(n)];
    let to = rows_mut(&mut right, n, n);
    fulmen::eig(rows_mut(&mut factors, n, n), None, Some(to), &mut re, &mut im, room).unwrap();
    assert_eq!(values, re.into_iter().zip(im).map(c64::from).collect::<Vec<_>>());
    for (j, value) in values.iter().enumerate() {
        for i in 0..n {
            let left: c64 = (0..n).map(|k| vectors[k * n + j] * a[i * n + k]).sum();
            let off = (left - *value * vectors[i * n + j]).abs();
            assert!(off < 1e-10, "value {j} of order {n}: off by {off:?}");
        }
    }
}

fn products<T: Element>(r: &mut Noise) {
    let [m, k, n] = [r.size(30), r.size(30), r.size(30)];
    let (a, b) = (r.slice::<T>(m * k, 1.0), r.slice::<T>(k * n, 1.0));
    let (mut c, mut t) = (vec![T::ZERO; m * n], vec![T::ZERO; m * k]);
    let room = &mut vec![T::ZERO; fulmen::gemm_workspace(m, n, k)];
    fulmen::gemm(T::ONE, rows(&a, m, k), rows(&b, k, n), T::ZERO, rows_mut(&mut c, m, n), room).unwrap();
    assert_eq!(owned::matmul(&a, k, &b).as_ref(), Ok(&c));
    fulmen::transpose(rows(&a, m, k), rows_mut(&mut t, k, m)).unwrap();
    assert_eq!(owned::transpose(&a, k).as_ref(), Ok(&t));
    let plan = EinsumPlan::new(&Einsum::parse("ij,jk->ik").unwrap(), &[&[m, k], &[k, n]]).unwrap();
    fulmen::einsum(&plan, &[&a, &b], &mut c, &mut vec![T::ZERO; plan.workspace()]).unwrap();
    assert_eq!(owned::einsum("ij,jk->ik", &[&a, &b], &[&[m, k], &[k, n]]), Ok(c));
}

fn transforms<T: Element>(r: &mut Noise) {
    let (n, m) = (r.size(300), r.size(20));
    let (x, z) = (r.slice::<T>(2 * n * m, 1.0), Complex::<T>::ZERO);
    let (line, plane) = (Complex::of(&x[..2 * n]).unwrap(), Complex::of(&x).unwrap());
    let room = || vec![z; 1 << 16];
    let (mut along, mut down) = (vec![T::ZERO; 1 << 14], vec![T::ZERO; 1 << 12]);
    let (along, down) = (Fft::plan(n, &mut along, &mut room()), Fft::plan(m, &mut down, &mut room()));
    let (along, down) = (along.unwrap(), down.unwrap());
    let mut out = vec![z; n];
    fulmen::fft(&along, Direction::Forward, line, &mut out, &mut room()).unwrap();
    assert_eq!(owned::fft(line).as_ref(), Ok(&out));
    fulmen::fft(&along, Direction::Inverse, line, &mut out, &mut room()).unwrap();
    assert_eq!(owned::ifft(line), Ok(out));
    let mut out = vec![z; n * m];
    let (from, to) = (MatRef::row_major(plane, m, n).unwrap(), MatMut::row_major(&mut out, m, n).unwrap());
    fulmen::fft_2d(&down, &along, Direction::Forward, from, to, &mut room()).unwrap();
    assert_eq!(owned::fft_2d(plane, n), Ok(out));

    let mut table = vec![T::ZERO; 1 << 14];
    let plan = RealFft::plan(n, &mut table, &mut room()).unwrap();
    let (mut out, mut back) = (vec![z; n / 2 + 1], vec![T::ZERO; n]);
    fulmen::rfft(&plan, &x[..n], &mut out, &mut room()).unwrap();
    assert_eq!(owned::rfft(&x[..n]).as_ref(), Ok(&out));
    fulmen::irfft(&plan, &out, &mut back, &mut room()).unwrap();
    assert_eq!(owned::irfft(&out, n).as_ref(), Ok(&back));
    let hop = r.within(1..=2 * n);
    let mut out = vec![z; fulmen::stft_frames(x.len(), n, hop) * (n / 2 + 1)];
    fulmen::stft(&plan, &back, hop, &x, &mut out, &mut room()).unwrap();
    assert_eq!(owned::stft(&x, &back, hop), Ok(out));

    for kind in [DctKind::II, DctKind::III, DctKind::IV] {
        let mut table = vec![T::ZERO; 1 << 14];
        let plan = Dct::plan(kind, n, &mut table, &mut room()).unwrap();
        fulmen::dct(&plan, &x[..n], &mut back, &mut room()).unwrap();
        assert_eq!(owned::dct(kind, &x[..n]).as_ref(), Ok(&back));
    }
    for extent in [Extent::Full, Extent::Same, Extent::Valid] {
        let mut table = vec![T::ZERO; 1 << 14];
        let block = fulmen::convolve_block(m, n).max(m);
        let plan = Convolver::plan(&x[..m], block, &mut table, &mut room()).unwrap();
        let mut out = vec![T::ZERO; fulmen::convolve_len(extent, n, m)];
        fulmen::convolve(&plan, extent, &x[..n], &mut out, &mut room()).unwrap();
        assert_eq!(owned::convolve(&x[..n], &x[..m], extent), Ok(out));
    }
    let mut out = vec![T::ZERO; 2 * n];
    fulmen::fir(&x[..n], m, &mut vec![T::ZERO; n - 1], &x, &mut out).unwrap();
    assert_eq!(owned::fir(&x[..n], m, &x), Ok(out));
}

fn lines<T: Element>(r: &mut Noise) {
    let (m, n) = (r.size(20), r.size(100));
    let (x, y, mut out) = (r.slice::<T>(m * n, 4.0), r.slice::<T>(m * n, 4.0), vec![T::ZERO; m * n]);
    fulmen::map(Add, [&x, &y], &mut out).unwrap();
    assert_eq!(owned::map(Add, [&x, &y]).as_ref(), Ok(&out));
    fulmen::softmax(&x, n, &mut out).unwrap();
    assert_eq!(owned::softmax(&x, n).as_ref(), Ok(&out));
    fulmen::log_softmax(&x, n, &mut out).unwrap();
    assert_eq!(owned::log_softmax(&x, n).as_ref(), Ok(&out));
    fulmen::cumsum(&x, n, &mut out).unwrap();
    assert_eq!(owned::cumsum(&x, n), Ok(out));
    let k = r.within(0..=m * n);
    let (mut values, mut at) = (vec![T::ZERO; k], vec![0; k]);
    fulmen::top_k(&x, k, &mut values, &mut at).unwrap();
    assert_eq!(owned::top_k(&x, k), Ok((values.clone(), at.clone())));
    fulmen::bottom_k(&x, k, &mut values, &mut at).unwrap();
    assert_eq!(owned::bottom_k(&x, k), Ok((values, at)));

    let conv = Conv1d { padding: 1, stride: r.within(1..=2), ..Conv1d::new(m, 3, n, r.within(1..=n)) };
    let (weights, images) = (r.slice::<T>(3 * m * conv.kernel, 1.0), r.within(0..=2));
    let x = r.slice::<T>(images * m * n, 1.0);
    let mut out = vec![T::ZERO; images * 3 * conv.output().unwrap()];
    let room = &mut vec![T::ZERO; fulmen::conv1d_workspace(conv)];
    fulmen::conv1d(conv, &x, &weights, None, &mut out, room).unwrap();
    assert_eq!(owned::conv1d(conv, &x, &weights, None), Ok(out));
}

fn chance(r: &mut Noise) {
    let (stream, n) = (Stream::new(r.bits()), r.size(500));
    let (mut x, mut i, mut order) = (vec![0.0f64; n], vec![0u32; n], vec![0; n]);
    fulmen::uniform(stream, &mut x);
    assert_eq!(owned::uniform(stream, n).as_ref(), Ok(&x));
    fulmen::normal(stream, 1.0, 2.0, &mut x).unwrap();
    assert_eq!(owned::normal(stream, 1.0, 2.0, n), Ok(x));
    fulmen::integers(stream, 3, 9, &mut i).unwrap();
    assert_eq!(owned::integers(stream, 3, 9, n), Ok(i));
    fulmen::permutation(stream, &mut order);
    assert_eq!(owned::permutation(stream, n), Ok(order));
}

fn blocks(r: &mut Noise) {
    let (m, n) = (r.size(9), r.size(9));
    let (w, x) = (r.slice::<f32>(32 * m * n, 1.0), r.slice::<f32>(32 * n, 1.0));
    let room = vec![0; 34 * m * n];
    let (mut weights, mut y) = (fulmen::quant::blocks::<Q8_0>(&room).unwrap().to_vec(), vec![0.0; m]);
    let mut with = weights[..n].to_vec();
    fulmen::quantize(&w, None, &mut weights).unwrap();
    fulmen::quantize(&x, None, &mut with).unwrap();
    assert_eq!(owned::quantize(&w, None).as_ref(), Ok(&weights));
    fulmen::quant_gemv(&weights, &with, &mut y).unwrap();
    assert_eq!(owned::quant_gemv(&weights, &with), Ok(y));
    let mut back = vec![0.0; w.len()];
    fulmen::dequantize(&weights, &mut back).unwrap();
    assert_eq!(owned::dequantize(&weights), Ok(back));
    assert_eq!(owned::quantize::<Q8_0>(&w[1..], None), Err(Error::rows("x", 32, w.len() - 1)));
}

fn sparse<T: Element>(r: &mut Noise) {
    let (n, spread) = (r.size(40), r.size(200));
    let mut place = |_| r.within(0..=n - 1) as u32;
    // A symmetric matrix whose diagonal is larger than the rest of its row.
    let (i, j): (Vec<u32>, Vec<u32>) =
        ((0..spread).map(&mut place).collect(), (0..spread).map(&mut place).collect());
    let diagonal = 0..n as u32;
    let all = [&i[..], &j, &diagonal.clone().collect::<Vec<_>>()].concat();
    let mirrored = [&j[..], &i, &diagonal.collect::<Vec<_>>()].concat();
    let x: Vec<T> =
        (0..all.len()).map(|k| T::from_usize(if k < 2 * spread { 1 } else { 2 * spread + 1 })).collect();
    let a = owned::coo_to_csr(n, n, &all, &mirrored, &x).unwrap();
    let (mut offsets, mut columns, mut values) = (vec![0; n + 1], vec![0; x.len()], x.clone());
    let room = &mut vec![0; fulmen::coo_to_csr_workspace(n, n, x.len())];
    let len =
        fulmen::coo_to_csr(n, n, &all, &mirrored, &x, &mut offsets, &mut columns, &mut values, room).unwrap();
    assert_eq!((&a.offsets, &a.columns[..], &a.values[..]), (&offsets, &columns[..len], &values[..len]));
    let v = a.view().unwrap();
    assert_eq!(owned::csr_transpose(v).as_ref(), Ok(&a));

    let b = r.slice::<T>(n, 1.0);
    let mut y = vec![T::ZERO; n];
    fulmen::spmv(T::ONE, v, &b, T::ZERO, &mut y).unwrap();
    assert_eq!(owned::spmv(v, &b), Ok(y));
    let square = owned::spgemm(v, v).unwrap();
    let twice = owned::spmv(v, &owned::spmv(v, &b).unwrap()).unwrap();
    let near = |x: &[T], y: &[T]| {
        let most = y.iter().fold(1.0, |m: f64, y| m.max(y.to_f64().abs()));
        x.iter().zip(y).all(|(x, y)| (x.to_f64() - y.to_f64()).abs() < 1e-4 * most)
    };
    assert!(near(&owned::spmv(square.view().unwrap(), &b).unwrap(), &twice));

    let lu = owned::ilu0(v).unwrap();
    let mut factors = vec![T::ZERO; v.len()];
    fulmen::ilu0(v, &mut factors).unwrap();
    assert_eq!((&lu.offsets, &lu.columns, &lu.values), (&a.offsets, &a.columns, &factors));
    let (ones, diagonal) = (vec![T::ONE; n], (0..n as u32).collect::<Vec<_>>());
    let offsets: Vec<usize> = (0..=n).collect();
    let one = Csr::new(n, n, &offsets, &diagonal, &ones).unwrap();
    let (tolerance, most) = (T::from_f64(1e-5), 500);
    // Without a preconditioner the bits are those with the identity.
    for (with, m) in [None, Some(lu.view().unwrap())].map(|with| (with, Some(with.unwrap_or(one)))) {
        let room = || vec![T::ZERO; fulmen::gmres_workspace(n, 9) + fulmen::bicgstab_workspace(n)];
        let x = || vec![T::ZERO; n];
        let (mut y, mut room, mut z, mut w) = (x(), room(), x(), x());
        let done = fulmen::cg(v, m, &b, &mut y, tolerance, most, &mut room).map(|()| y);
        assert_eq!(owned::cg(v, with, &b, tolerance, most), done);
        let done = fulmen::gmres(v, m, &b, &mut z, tolerance, 9, most, &mut room).map(|()| z);
        assert_eq!(owned::gmres(v, with, &b, tolerance, 9, most), done);
        let done = fulmen::bicgstab(v, m, &b, &mut w, tolerance, most, &mut room).map(|()| w);
        assert_eq!(owned::bicgstab(v, with, &b, tolerance, most), done);
    }
}

#[test]
fn they_give_what_the_ops_give() {
    // Elements of one place are one.
    let added = owned::coo_to_csr(1, 1, &[0, 0], &[0, 0], &[1.0, 2.0]).unwrap();
    assert_eq!((added.columns, added.values), (vec![0], vec![3.0]));
    let seed = Seed::new("owned");
    for case in 0..2 {
        let stream = |what: &str| seed.stream(&format!("{what} {case}"));
        solvers::<f32>(&mut stream("solvers"));
        solvers::<f64>(&mut stream("solvers"));
        let mut r = stream("eigenvalues");
        let n = r.size(20);
        eigenvalues(&r.slice(n * n, 1.0), n);
        // A quarter turn has a pair.
        eigenvalues(&[0.0, -1.0, 1.0, 0.0], 2);
        products::<f32>(&mut stream("products"));
        transforms::<f64>(&mut stream("transforms"));
        transforms::<f32>(&mut stream("transforms"));
        lines::<f32>(&mut stream("lines"));
        blocks(&mut stream("blocks"));
        chance(&mut stream("chance"));
        sparse::<f64>(&mut stream("sparse"));
        sparse::<f32>(&mut stream("sparse"));
    }
}

#[test]
fn what_they_refuse_is_named() {
    let (a, none) = ([1.0f64, 2.0, 2.0, 4.0], &[0.0f64; 0][..]);
    assert_eq!(owned::solve(&a, 2, &[1.0, 2.0]), Err(Error::pivot("a", 1)));
    assert_eq!(owned::det(&a, 2), Ok(0.0));
    assert_eq!(owned::solve(&a, 3, none), Err(Error::rows("a", 3, 4)));
    assert_eq!(owned::solve(&a, 0, none), Err(Error::rows("a", 0, 4)));
    assert_eq!(owned::inverse(&a, 1), Err(Error::shape("a", [1, 1], [4, 1])));
    assert_eq!(owned::solve(&a, 2, &[1.0; 3]), Err(Error::len("b", 2, 3)));
    assert_eq!(owned::solve(none, 0, none), Ok(vec![]));
    assert_eq!(owned::det(none, 0), Ok(1.0));
    assert_eq!(owned::cholesky(none, 0), Ok(vec![]));
    assert_eq!(owned::qr(none, 2), Ok((vec![], vec![])));
    assert_eq!(owned::lstsq(&a, 4, &[1.0]), Err(Error::shape("a", [4, 4], [1, 4])));
    assert_eq!(owned::matmul(&a, 2, &[1.0; 3]), Err(Error::len("b", 2, 3)));
    assert_eq!(owned::fft::<f64>(&[]), Err(Error::empty("x")));
    assert_eq!(owned::irfft(&[c64::ZERO; 4], 4), Err(Error::len("x", 3, 4)));
    assert_eq!(owned::fft_2d(&[c64::ZERO; 3], 2), Err(Error::rows("x", 2, 3)));
    assert_eq!(owned::convolve(&a, none, Extent::Full), Err(Error::empty("kernel")));
    assert_eq!(owned::stft(&a, none, 1), Err(Error::empty("window")));
    assert_eq!(owned::stft(&a, &a, 0), Err(Error::domain("hop")));
    assert_eq!(owned::fir(none, 1, &a), Err(Error::empty("taps")));
    assert_eq!(owned::fir(&a, 0, &a), Err(Error::domain("decimation")));
    assert_eq!(owned::softmax(&a, 0), Err(Error::empty("cols")));
    assert_eq!(owned::top_k(&a, usize::MAX), Err(Error::domain("k")));
    assert_eq!(owned::uniform::<f64>(Stream::new(1), usize::MAX), Err(Error::overflow("out")));
    assert_eq!(owned::coo_to_csr::<f64>(usize::MAX, 1, &[], &[], &[]), Err(Error::overflow("rows")));
    let half = owned::CsrBuffer { cols: 1, offsets: vec![], columns: vec![], values: vec![1.0] };
    assert!(half.view().is_err());
    let a = owned::coo_to_csr(1, 1, &[0], &[0], &[2.0]).unwrap();
    let wide = owned::gmres(a.view().unwrap(), None, &[1.0], 0.0, usize::MAX, 1);
    assert_eq!(wide, Err(Error::overflow("workspace")));
}
