//! Views of ndarray, nalgebra and faer, and of pointers: the elements are those that the other library sees, whatever the
//! strides, and products of them are right.

use fulmen::{Error, MatMut, MatRef, VecMut, VecRef, gemm, gemm_workspace};

#[test]
fn pointers() {
    let x: Vec<f64> = (0..24).map(f64::from).collect();
    // SAFETY: within `x`: every other row, the columns from the last on.
    let a = unsafe { MatRef::from_raw_parts(&raw const x[5], 2, 6, 12, -1) }.unwrap();
    for (i, j) in [(0, 0), (0, 5), (1, 0), (1, 5)] {
        assert_eq!(a.get(i, j), Some((5 + 12 * i - j) as f64));
    }
    // SAFETY: no element.
    let none = unsafe { MatRef::<f64>::from_raw_parts(core::ptr::null(), 0, 3, isize::MIN + 1, 7) }.unwrap();
    assert_eq!((none.rows(), none.cols(), none.get(0, 0)), (0, 3, None));
    // SAFETY: refused before any element is touched, as are the next.
    let far = unsafe { MatRef::from_raw_parts(x.as_ptr(), 3, 2, isize::MAX / 2, 1) };
    assert_eq!(far.err(), Some(Error::overflow("ptr")));
    // SAFETY: as above.
    let least = unsafe { MatRef::from_raw_parts(x.as_ptr(), 3, 2, isize::MIN, 1) };
    assert_eq!(least.err(), Some(Error::overflow("ptr")));
    let mut y = [0.0f32; 8];
    // SAFETY: as above.
    let twice = unsafe { MatMut::from_raw_parts(y.as_mut_ptr(), 2, 2, 0, 1) };
    assert_eq!(twice.err(), Some(Error::overlap("ptr")));
    // SAFETY: as above.
    let twice = unsafe { VecMut::from_raw_parts(y.as_mut_ptr(), 2, 0) };
    assert_eq!(twice.err(), Some(Error::overlap("ptr")));
    // SAFETY: elements 7, 4 and 1 of `y`, which nobody else touches.
    let mut v = unsafe { VecMut::from_raw_parts(&raw mut y[7], 3, -3) }.unwrap();
    assert!(v.set(1, 5.0) && v.set(2, 6.0) && !v.set(3, 7.0));
    assert_eq!(y, [0.0, 6.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0]);
    // SAFETY: one element, as often as wanted, is only read.
    let same = unsafe { VecRef::from_raw_parts(&raw const y[4], 3, 0) }.unwrap();
    assert_eq!((same.get(0), same.get(2)), (Some(5.0), Some(5.0)));
}

/// `C = A B` of these views, against sums of products.
#[allow(dead_code, reason = "without the features nobody calls it")]
fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, c: MatMut<'_, f64>) -> Vec<f64> {
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    let mut workspace = vec![0.0; gemm_workspace(m, n, k)];
    gemm(1.0, a, b, 0.0, c, &mut workspace).unwrap();
    let at = |x: MatRef<'_, f64>, i, j| x.get(i, j).unwrap();
    (0..m * n).map(|i| (0..k).map(|p| at(a, i / n, p) * at(b, p, i % n)).sum()).collect()
}

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use super::*;
    use ndarray::{Array1, Array2, ArrayView2, Axis, ShapeBuilder, s};

    fn same(a: ArrayView2<'_, f64>) {
        let view = MatRef::try_from(a).unwrap();
        assert_eq!((view.rows(), view.cols()), a.dim());
        a.indexed_iter().for_each(|((i, j), x)| assert_eq!(view.get(i, j), Some(*x), "{a} at {i}, {j}"));
    }

    #[test]
    fn whatever_the_strides() {
        let a = Array2::from_shape_fn((7, 9), |(i, j)| (10 * i + j) as f64);
        same(a.view());
        same(a.t());
        same(a.slice(s![1..6;2, ..;-3]));
        same(a.slice(s![..;-1, 2..8]).reversed_axes());
        same(a.slice(s![3..3, ..]));
        same(a.slice(s![.., 4..4]));
        same(a.row(2).broadcast((5, 9)).unwrap());
        same(Array2::from_shape_fn((3, 4).f(), |(i, j)| (i * j) as f64).view());
        let v = VecRef::try_from(a.slice(s![..;-2, 3])).unwrap();
        assert_eq!((v.len(), v.get(0), v.get(3), v.get(4)), (4, Some(63.0), Some(3.0), None));
    }

    #[test]
    fn what_is_written() {
        let a = Array2::from_shape_fn((5, 6), |(i, j)| (i + 2 * j) as f64 - 4.0);
        let b = Array2::from_shape_fn((4, 6).f(), |(i, j)| (3 * i) as f64 - j as f64);
        let mut c = Array2::from_elem((8, 10), 7.0);
        let want = {
            let mut part = c.slice_mut(s![..5;-1, 1..9;2]);
            part.invert_axis(Axis(1));
            product(
                MatRef::try_from(a.view()).unwrap(),
                MatRef::try_from(b.t()).unwrap(),
                part.try_into().unwrap(),
            )
        };
        assert_eq!(want, a.dot(&b.t()).into_iter().collect::<Vec<f64>>());
        for ((i, j), x) in c.indexed_iter() {
            let inside = i < 5 && j % 2 == 1 && j < 9;
            assert_eq!(*x, if inside { want[(4 - i) * 4 + (7 - j) / 2] } else { 7.0 }, "{i}, {j}");
        }
        let mut v = Array1::from_elem(7, 1.0f32);
        fulmen::scal(3.0, VecMut::try_from(v.slice_mut(s![..;-3])).unwrap());
        assert_eq!(v.to_vec(), [3.0, 1.0, 1.0, 3.0, 1.0, 1.0, 3.0]);
    }
}

#[cfg(feature = "faer")]
mod of_faer {
    use super::*;
    use faer::{Col, Mat, MatRef as Theirs, Row, Shape, Stride};

    fn same<R: Shape, C: Shape>(
        a: Theirs<'_, f64, R, C, impl Stride, impl Stride>,
        at: impl Fn(usize, usize) -> f64,
    ) {
        let view = MatRef::try_from(a).unwrap();
        let (m, n) = (a.nrows().unbound(), a.ncols().unbound());
        assert_eq!((view.rows(), view.cols()), (m, n));
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            assert_eq!(view.get(i, j), Some(at(i, j)), "{i}, {j}");
        }
    }

    #[test]
    fn whatever_the_strides() {
        let a = Mat::from_fn(7, 9, |i, j| (10 * i + j) as f64);
        let at = |i: usize, j: usize| (10 * i + j) as f64;
        same(a.as_ref(), at);
        same(a.transpose(), |i, j| at(j, i));
        same(a.submatrix(1, 2, 5, 6).reverse_rows(), |i, j| at(5 - i, 2 + j));
        same(a.reverse_rows_and_cols().transpose(), |i, j| at(6 - j, 8 - i));
        same(a.submatrix(2, 2, 0, 3), at);
        same(a.submatrix(2, 2, 3, 0), at);
        let rows: Vec<f64> = (0..12).map(f64::from).collect();
        same(Theirs::from_row_major_slice(&rows, 3, 4), |i, j| (4 * i + j) as f64);
        let v = VecRef::try_from(a.col(3)).unwrap();
        assert_eq!((v.len(), v.get(6), v.get(7)), (7, Some(63.0), None));
        let v = VecRef::try_from(a.row(2).reverse_cols()).unwrap();
        assert_eq!((v.len(), v.get(0), v.get(8), v.get(9)), (9, Some(28.0), Some(20.0), None));
    }

    #[test]
    fn what_is_written() {
        let a = Mat::from_fn(5, 6, |i, j| (i + 2 * j) as f64 - 4.0);
        let b = Mat::from_fn(4, 6, |i, j| (3 * i) as f64 - j as f64);
        let mut c = Mat::from_fn(8, 9, |_, _| 7.0);
        let want = {
            let to = c.as_mut().submatrix_mut(2, 1, 5, 4).reverse_cols_mut();
            let b = b.transpose().try_into().unwrap();
            product(a.as_ref().try_into().unwrap(), b, to.try_into().unwrap())
        };
        for (i, j) in (0..8).flat_map(|i| (0..9).map(move |j| (i, j))) {
            let inside = (2..7).contains(&i) && (1..5).contains(&j);
            assert_eq!(c[(i, j)], if inside { want[(i - 2) * 4 + (4 - j)] } else { 7.0 }, "{i}, {j}");
        }
        let (mut v, mut w) = (Col::from_fn(5, |i| i as f32), Row::from_fn(4, |j| j as f32));
        fulmen::scal(3.0, VecMut::try_from(v.as_mut().reverse_rows_mut()).unwrap());
        fulmen::scal(2.0, VecMut::try_from(w.as_mut().subcols_mut(1, 3)).unwrap());
        assert_eq!((v[4], w[0], w[3]), (12.0, 0.0, 6.0));
    }
}

#[cfg(feature = "nalgebra")]
mod of_nalgebra {
    use super::*;
    use nalgebra::{DMatrix, DVector, Matrix3x4, MatrixView, Vector4};

    #[test]
    fn whatever_the_strides() {
        let a = DMatrix::from_fn(7, 9, |i, j| (10 * i + j) as f64);
        let check = |view: MatRef<'_, f64>, shape: (usize, usize), at: &dyn Fn(usize, usize) -> f64| {
            assert_eq!((view.rows(), view.cols()), shape);
            for (i, j) in (0..shape.0).flat_map(|i| (0..shape.1).map(move |j| (i, j))) {
                assert_eq!(view.get(i, j), Some(at(i, j)), "{i}, {j}");
            }
        };
        check((&a).try_into().unwrap(), (7, 9), &|i, j| a[(i, j)]);
        let part = a.view_with_steps((1, 2), (3, 4), (1, 0));
        check(part.try_into().unwrap(), (3, 4), &|i, j| part[(i, j)]);
        let fixed = Matrix3x4::from_fn(|i, j| (i * 4 + j) as f64);
        check(fixed.fixed_view::<2, 3>(1, 1).try_into().unwrap(), (2, 3), &|i, j| fixed[(i + 1, j + 1)]);
        // Rows after each other: the transpose of what nalgebra stores.
        let rows: Vec<f64> = (0..12).map(f64::from).collect();
        let rows = MatrixView::from_slice_with_strides_generic(
            &rows,
            nalgebra::Dyn(3),
            nalgebra::Dyn(4),
            nalgebra::Dyn(4),
            nalgebra::U1,
        );
        check(rows.try_into().unwrap(), (3, 4), &|i, j| (4 * i + j) as f64);
        check(a.view((2, 2), (0, 3)).try_into().unwrap(), (0, 3), &|_, _| 0.0);
        let v = VecRef::try_from(a.column(3)).unwrap();
        assert_eq!((v.len(), v.get(6), v.get(7)), (7, Some(63.0), None));
        assert_eq!(
            VecRef::try_from(Vector4::new(1.0f32, 2.0, 3.0, 4.0).rows(1, 2)).unwrap().get(1),
            Some(3.0)
        );
    }

    #[test]
    fn what_is_written() {
        let a = DMatrix::from_fn(5, 6, |i, j| (i + 2 * j) as f64 - 4.0);
        let b = DMatrix::from_fn(6, 4, |i, j| (3 * i) as f64 - j as f64);
        let mut c = DMatrix::from_element(9, 8, 7.0);
        let want = {
            let to = c.view_with_steps_mut((0, 1), (5, 4), (1, 0));
            product((&a).try_into().unwrap(), (&b).try_into().unwrap(), to.try_into().unwrap())
        };
        let dot = &a * &b;
        for (i, j) in (0..9).flat_map(|i| (0..8).map(move |j| (i, j))) {
            let inside = i % 2 == 0 && (1..5).contains(&j);
            assert_eq!(c[(i, j)], if inside { dot[(i / 2, j - 1)] } else { 7.0 }, "{i}, {j}");
            assert!(!inside || dot[(i / 2, j - 1)] == want[i / 2 * 4 + j - 1]);
        }
        let mut v = DVector::from_element(5, 1.0f32);
        fulmen::scal(3.0, VecMut::try_from(v.rows_with_step_mut(0, 3, 1)).unwrap());
        fulmen::scal(2.0, VecMut::try_from(&mut v).unwrap());
        assert_eq!(v.as_slice(), [6.0, 2.0, 6.0, 2.0, 6.0]);
        assert_eq!(fulmen::asum(VecRef::try_from(&v).unwrap()), 22.0);
        MatMut::try_from(&mut c).unwrap().set(8, 7, 1.0);
        assert_eq!(c[(8, 7)], 1.0);
    }
}
