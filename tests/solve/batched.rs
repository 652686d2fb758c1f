//! Batches: the bits of the forms on one matrix, and what is refused.

use super::*;

/// Where the matrices lie: sizes, strides, elements in all.
fn places(count: usize, n: usize, cols: usize) -> [([usize; 3], [isize; 3], usize); 3] {
    let sizes = [count, n, cols];
    let [row, col, tall] = [n * cols, cols, n].map(|x| x as isize);
    [
        (sizes, [row, col, 1], count * n * cols),
        (sizes, [row, 1, tall], count * n * cols),
        (sizes, [(col + 3) * tall + 5, col + 3, 1], count * ((cols + 3) * n + 5)),
    ]
}

/// Elements of matrix `i` by rows.
fn taken<T: Element>(x: &[T], ([_, n, cols], by, _): ([usize; 3], [isize; 3], usize), i: usize) -> Vec<T> {
    let at = |k: usize| [i, k / cols, k % cols].iter().zip(by).map(|(i, by)| i * by as usize).sum::<usize>();
    (0..n * cols).map(|k| x[at(k)]).collect()
}

fn batch<S: Simd, T: Element>(s: S, n: usize, cols: usize) {
    let count = 3;
    let mut w = room::<T>(
        cholesky_workspace(n).max(lu_workspace(n, n)).max(lu_solve_workspace(n, cols)).max(eigh_workspace(n))
            * 4,
    );
    for (layout, of) in places(count, n, n).into_iter().enumerate() {
        let at = format!("{n} {cols} {layout} {}", S::NAME);
        let mut a: Vec<T> = Noise(n as u64).slice(of.2, 1.0);
        for (i, k) in (0..count).flat_map(|i| (0..n).map(move |k| (i, k))) {
            a[i * of.1[0] as usize + k * (of.1[1] + of.1[2]) as usize] = T::from_usize(n + i);
        }
        let batch = |x| BatchMut::strided(x, 0, of.0, of.1).unwrap();
        let read = |x| BatchRef::strided(x, 0, of.0, of.1).unwrap();
        let (mut l, mut f, mut pivots) = (a.clone(), a.clone(), vec![u32::MAX; count * n]);
        cholesky_batched_on(s, batch(&mut l), &mut w).unwrap();
        lu_batched_on(s, batch(&mut f), &mut pivots, &mut w).unwrap();
        let (mut v, mut values) = (a.clone(), vec![T::NAN; count * n]);
        eigh_batched_on(s, batch(&mut v), &mut values, &mut w).unwrap();
        let to = places(count, n, cols)[(layout + 1) % 3];
        let b: Vec<T> = Noise(7).slice(to.2, 1.0);
        let (mut x, mut y) = (b.clone(), b.clone());
        let right = |x| BatchMut::strided(x, 0, to.0, to.1).unwrap();
        cholesky_solve_batched_on(s, read(&l), right(&mut x), &mut w).unwrap();
        lu_solve_batched_on(s, read(&f), &pivots, right(&mut y), &mut w).unwrap();
        let same = |x: &[T], y: &[T], what: &str| assert_eq!(x, y, "{what} {at}");
        for i in 0..count {
            let (mut p, mut q) = (taken(&a, of, i), taken(&a, of, i));
            let mut own = vec![0; n];
            cholesky_on(s, MatMut::row_major(&mut p, n, n).unwrap(), &mut w).unwrap();
            lu_on(s, MatMut::row_major(&mut q, n, n).unwrap(), &mut own, &mut w).unwrap();
            same(&taken(&l, of, i), &p, "cholesky");
            same(&taken(&f, of, i), &q, "lu");
            // Its bits depend on the layout.
            let (mut own_v, mut own_values) = (a.clone(), vec![T::NAN; n]);
            let [by, row, col] = of.1;
            let one = MatMut::strided(&mut own_v, i * by as usize, n, n, row, col).unwrap();
            eigh_on(s, one, &mut own_values, &mut w).unwrap();
            let own_v = taken(&own_v, of, i);
            same(&taken(&v, of, i), &own_v, "eigh");
            same(&values[i * n..][..n], &own_values, "eigh's values");
            assert_eq!(pivots[i * n..][..n], own, "{at}");
            let (mut u, mut v) = (taken(&b, to, i), taken(&b, to, i));
            let [p, q] = [&p, &q].map(|x| MatRef::row_major(x, n, n).unwrap());
            cholesky_solve_on(s, p, MatMut::row_major(&mut u, n, cols).unwrap(), &mut w).unwrap();
            lu_solve_on(s, q, &own, MatMut::row_major(&mut v, n, cols).unwrap(), &mut w).unwrap();
            same(&taken(&x, to, i), &u, "cholesky_solve");
            same(&taken(&y, to, i), &v, "lu_solve");
        }
        // Between the matrices nothing is written.
        if layout == 2 {
            let gap = |x: &[T], y: &[T], n: usize, cols: usize| {
                (0..n).for_each(|r| {
                    same(&x[r * (cols + 3) + cols..][..3], &y[r * (cols + 3) + cols..][..3], "gap")
                });
            };
            [&l, &f, &v].iter().for_each(|x| gap(x, &a, n, n));
        }
    }
}

#[test]
fn batches_are_their_matrices() {
    for_each_lane!(|s| {
        for (n, cols) in [(1, 1), (3, 5), (8, 1), (17, 2), (33, 3)] {
            batch::<_, f32>(s, n, cols);
            batch::<_, f64>(s, n, cols);
        }
    });
}

#[test]
fn what_batches_refuse() {
    let w = &mut room::<f64>(512);
    let (sizes, by) = ([2, 2, 2], [4, 2, 1]);
    let good = [4.0, 0.0, 1.0, 2.0];
    let two = |second: [f64; 4]| [good, second].concat();
    let mut a = two([1.0, 0.0, 2.0, 1.0]);
    let done = cholesky_batched(BatchMut::strided(&mut a, 0, sizes, by).unwrap(), w);
    assert_eq!(done, Err(Error::pivot("a", 3)));
    let before = two([1.0, 0.0, f64::NAN, 1.0]);
    let mut a = before.clone();
    let done = cholesky_batched(BatchMut::strided(&mut a, 0, sizes, by).unwrap(), w);
    assert_eq!((done, a[0]), (Err(Error::nan("a")), before[0]));
    let mut a = two([0.0, 1.0, 0.0, 1.0]);
    let mut pivots = [0; 4];
    let done = lu_batched(BatchMut::strided(&mut a, 0, sizes, by).unwrap(), &mut pivots, w);
    assert_eq!(done, Err(Error::pivot("a", 2)));
    let done = lu_batched(BatchMut::strided(&mut a, 0, sizes, by).unwrap(), &mut pivots[..3], w);
    assert_eq!(done, Err(Error::len("pivots", 4, 3)));
    let wide = BatchMut::strided(&mut a, 0, [2, 1, 2], [4, 2, 1]).unwrap();
    assert!(matches!(cholesky_batched(wide, w), Err(Error::Shape { arg: "a", .. })));
    let f = two([2.0, 0.0, 1.0, 0.0]);
    let f = BatchRef::strided(&f, 0, sizes, by).unwrap();
    let mut b = [1.0; 4];
    let mut run = |count: usize, pivots: Option<&[u32]>| {
        let b = BatchMut::strided(&mut b, 0, [count, 2, 1], [2, 1, 1]).unwrap();
        match pivots {
            Some(pivots) => lu_solve_batched(f, pivots, b, w),
            None => cholesky_solve_batched(f, b, w),
        }
    };
    assert_eq!(run(2, None), Err(Error::pivot("l", 3)));
    assert_eq!(run(2, Some(&[0, 1, 0, 1])), Err(Error::pivot("factors", 3)));
    assert_eq!(run(1, None), Err(Error::len("b", 2, 1)));
    assert_eq!(run(2, Some(&[0])), Err(Error::len("pivots", 4, 1)));
    let good = [good, good].concat();
    let f = BatchRef::strided(&good, 0, sizes, by).unwrap();
    let to = BatchMut::strided(&mut b, 0, [2, 2, 1], [2, 1, 1]).unwrap();
    let done = lu_solve_batched(f, &[0, 1, 2, 1], to, w);
    assert_eq!(done, Err(Error::index("pivots", 2, 2)));
    assert_eq!(b, [1.0; 4]);
}

/// Elements that are written to where they lie.
fn nothing<T: Element>(of: &([usize; 3], [isize; 3], usize)) -> Vec<T> {
    vec![T::from_f64(7.0); of.2]
}

fn singular<S: Simd, T: Element>(s: S, m: usize, n: usize) {
    let (count, k) = (3, m.min(n));
    let mut w = room::<T>(svd_workspace(m, n));
    let at = format!("{m} by {n} {}", S::NAME);
    for layout in 0..3 {
        let [of, of_u, of_vt] =
            [[0, m, n], [1, m, k], [2, k, n]].map(|[by, m, n]| places(count, m, n)[(layout + by) % 3]);
        let a: Vec<T> = Noise(m as u64).slice(of.2, 1.0);
        let (mut b, mut u, mut vt) = (a.clone(), nothing(&of_u), nothing(&of_vt));
        let (mut c, mut own_u, mut own_vt) = (b.clone(), u.clone(), vt.clone());
        let (mut values, mut own) = (vec![T::NAN; count * k], vec![T::NAN; k]);
        let all = |x, of: ([usize; 3], [isize; 3], usize)| BatchMut::strided(x, 0, of.0, of.1).unwrap();
        svd_batched_on(s, all(&mut b, of), all(&mut u, of_u), &mut values, all(&mut vt, of_vt), &mut w)
            .unwrap();
        for i in 0..count {
            let [a, u, vt] = [(&mut c, of), (&mut own_u, of_u), (&mut own_vt, of_vt)].map(|(x, of)| {
                let ([_, m, n], [by, row, col], _) = of;
                MatMut::strided(x, i * by as usize, m, n, row, col).unwrap()
            });
            svd_on(s, a, u, &mut own, vt, &mut w).unwrap();
            assert_eq!(values[i * k..][..k], own, "{at}");
        }
        assert_eq!((b, u, vt), (c, own_u, own_vt), "{at}");
    }
}

#[test]
fn singular_values_of_batches() {
    for_each_lane!(|s| {
        for (m, n) in [(1, 1), (3, 5), (17, 4), (2, 33)] {
            singular::<_, f32>(s, m, n);
            singular::<_, f64>(s, m, n);
        }
    });
    let run = |bad: f64, shapes: [[usize; 3]; 3], k: usize| {
        let (mut a, mut u, mut vt, mut values) = ([1.0, 2.0, bad, 1.0], [9.0; 6], [9.0; 6], [9.0; 3]);
        let of = |x, [count, m, n]: [usize; 3]| {
            BatchMut::strided(x, 0, [count, m, n], [(m * n) as isize, n as isize, 1]).unwrap()
        };
        let [a, u_, vt_] =
            [(&mut a[..], shapes[0]), (&mut u, shapes[1]), (&mut vt, shapes[2])].map(|(x, at)| of(x, at));
        let done = svd_batched(a, u_, &mut values[..k], vt_, &mut room::<f64>(svd_workspace(2, 1)));
        assert!(done.is_ok() || [&u[..], &vt, &values].concat().iter().all(|x| *x == 9.0));
        done
    };
    let good = [[2, 2, 1], [2, 2, 1], [2, 1, 1]];
    assert_eq!(run(1.0, good, 2), Ok(()));
    assert_eq!(run(f64::NAN, good, 2), Err(Error::nan("a")));
    assert_eq!(run(f64::INFINITY, good, 2), Err(Error::domain("a")));
    assert_eq!(run(1.0, good, 1), Err(Error::len("values", 2, 1)));
    let short = run(1.0, [good[0], [3, 2, 1], good[2]], 2);
    assert_eq!(short, Err(Error::len("u", 2, 3)));
    let wide = run(1.0, [good[0], good[1], [2, 1, 2]], 2);
    assert_eq!(wide, Err(Error::shape("vt", [1, 1], [1, 2])));
}
