//! Transposes around every threshold, every element.

use crate::matrix::{Layout::*, *};
use crate::sizes::*;
use fulmen::{BatchMut, BatchRef, Element, parallel};

fn one<T: Element>(m: usize, n: usize, from: Layout, to: Layout) {
    let mut count = 0;
    let a = Matrix::<T>::with(from, [m, n], |_, _| {
        count += 1;
        T::from_f64(f64::from(count % 1_000_003))
    });
    for threads in [None, Some(0), Some(1)] {
        let mut b = Matrix::<T>::with(to, [n, m], |_, _| T::from_f64(-1.0));
        match threads {
            None => fulmen::transpose(a.view(), b.view_mut()),
            Some(k) => POOLS[k].install(|| parallel::transpose(a.view(), b.view_mut())),
        }
        .unwrap();
        for i in 0..n {
            for j in 0..m {
                assert!(
                    b.at(i, j) == a.at(j, i),
                    "{} {m}×{n} {from:?} {to:?} {threads:?} at ({i}, {j})",
                    T::NAME
                );
            }
        }
        assert_eq!(
            b.data.iter().filter(|x| !x.to_f64().is_nan()).count(),
            m * n,
            "{m}×{n} {from:?} {to:?}: outside"
        );
    }
}

fn sweep<T: Element>() {
    for (turn, n) in around::<T>(5000).into_iter().enumerate() {
        let by = [
            [Rows, Rows],
            [Padded, Padded],
            [Rows, Padded],
            [Cols, Rows],
            [Apart, Rows],
            [Backwards, Padded],
        ];
        let [from, to] = by[turn % 6];
        for other in [1 + turn % 3, 65, 130] {
            one::<T>(n, other, from, to);
            one::<T>(other, n, to, from);
        }
    }
    let far = threshold("blas::transpose::FAR_BYTES") / 2 / size_of::<T>();
    for [m, n] in [[512, far / 512], [far / 700 + 1, 700], [1100, 1025], [130, 4097]] {
        one::<T>(m, n, Rows, Rows);
        one::<T>(m, n, Padded, Padded);
    }
    for (turn, n) in around::<T>(600).into_iter().enumerate() {
        let mut a = Matrix::<T>::new([Rows, Padded, Cols][turn % 3], [n, n], 5);
        let old = a.clone();
        fulmen::transpose_in_place(a.view_mut()).unwrap();
        assert!((0..n * n).all(|at| a.at(at / n, at % n) == old.at(at % n, at / n)), "in place {n}");
        let m = 1 + (turn * 37) % 90;
        let mut x: Vec<T> = (0..m * n).map(|i| T::from_f64(i as f64)).collect();
        let mut workspace = vec![T::ZERO; fulmen::transpose_packed_in_place_workspace(m, n)];
        fulmen::transpose_packed_in_place(&mut x, m, n, &mut workspace).unwrap();
        assert!((0..m * n).all(|at| x[at].to_f64() == ((at % m) * n + at / m) as f64), "packed {m}×{n}");
        let (a, mut b) = (Stream::new(3).slice::<T>(3 * m * n, 1.0), vec![T::NAN; 3 * m * n]);
        let from = BatchRef::strided(&a, 0, [3, m, n], [(m * n) as isize, n as isize, 1]).unwrap();
        fulmen::transpose_batched(
            from,
            BatchMut::strided(&mut b, 0, [3, n, m], [(m * n) as isize, m as isize, 1]).unwrap(),
        )
        .unwrap();
        let of = |at: usize| at / (m * n) * m * n + (at % (m * n) % m) * n + at % (m * n) / m;
        assert!((0..3 * m * n).all(|at| b[at] == a[of(at)]), "batched {m}×{n}");
    }
}

#[test]
fn f32() {
    sweep::<f32>();
}

#[test]
fn f64() {
    sweep::<f64>();
}
