//! Linear systems, factorisations, eigenvalues and singular values. The ops factor in place, so the matrix of the caller is
//! copied first, into the result or into scratch.

use crate::arrays::{Arg, Item, Out, Read, Returned, by_type, scratch, value_error};
use fulmen::lanes::Simd;
use fulmen::{Element, Error, MatMut, MatRef, Number, parallel};
use pyo3::prelude::*;

type Two<'py> = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;
type Three<'py> = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// Copies a matrix, with any strides on both sides, as the transpose of its transpose.
fn copy<S: Simd, T: Element>(s: S, from: MatRef<'_, T>, to: MatMut<'_, T>) -> Result<(), Error> {
    parallel::transpose_on(s, from.t(), to)
}

fn square<T: Item>(a: &Read<'_, T>) -> PyResult<usize> {
    let [m, n] = a.sizes()?;
    if m == n {
        Ok(n)
    } else {
        Err(a.name.value_error(format_args!("has the shape [{m}, {n}], a square matrix expected")))
    }
}

/// The right-hand sides as columns; a vector is one column.
fn sides<'a, T: Item>(b: &'a Read<'_, T>, rows: usize) -> PyResult<MatRef<'a, T>> {
    let all = match b.axes() {
        1 => b.matrix()?.t(),
        2 => b.matrix()?,
        n => return Err(b.name.value_error(format_args!("has {n} axes, 1 or 2 expected"))),
    };
    if all.rows() != rows {
        return Err(b
            .name
            .value_error(format_args!("has {} rows, {rows} expected, those of `a`", all.rows())));
    }
    Ok(all)
}

/// The `x` of `a @ x = b`, by LU with partial pivoting.
///
/// `a` is `[n, n]`, `b` is `[n]` or `[n, k]`, of one dtype, float32 or float64, with any strides. The result has the
/// shape of `b`. A pivot of exactly 0, and NaN or infinities in `a`, raise a ValueError.
///
/// >>> fulmen.solve(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([5.0, 10.0]))
/// array([1., 3.])
#[pyfunction]
#[pyo3(signature = (a, b, out=None))]
pub fn solve<'py>(a: Arg<'_, 'py>, b: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "solve";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let (a, b) = (Read::<T>::new(OP, "a", a)?, Read::<T>::new(OP, "b", b)?);
        let n = square(&a)?;
        let (from, right) = (a.matrix()?, sides(&b, n)?);
        let mut to = Out::<T>::new(py, OP, out, b.shape(), &[&a, &b])?;
        let x = to.matrix()?;
        let mut x = if b.axes() == 1 { x.t() } else { x };
        let room = fulmen::lu_workspace(n, n).max(fulmen::lu_solve_workspace(n, right.cols()));
        let (mut factors, mut pivots, mut workspace) = (scratch::<T>(n * n)?, scratch(n)?, scratch::<T>(room)?);
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, MatMut::row_major(&mut factors, n, n)?)?;
            parallel::lu_on(s, MatMut::row_major(&mut factors, n, n)?, &mut pivots, &mut workspace)?;
            copy(s, right, x.reborrow())?;
            parallel::lu_solve_on(s, MatRef::row_major(&factors, n, n)?, &pivots, x.reborrow(), &mut workspace)
        });
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// The least-squares solution: the `x` that minimises `|a @ x - b|` for each column of `b`, by QR.
///
/// `a` is `[m, n]` with `m >= n` and full rank, `b` is `[m]` or `[m, k]`, of one dtype, float32 or float64, with any strides;
/// the result is `[n]` or `[n, k]`. NaN, infinities, and a column that depends on the columns before it raise a ValueError.
///
/// >>> fulmen.lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))
/// array([2.])
#[pyfunction]
#[pyo3(signature = (a, b, out=None))]
pub fn lstsq<'py>(a: Arg<'_, 'py>, b: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "lstsq";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let (a, b) = (Read::<T>::new(OP, "a", a)?, Read::<T>::new(OP, "b", b)?);
        let [m, n] = a.sizes()?;
        let (from, right) = (a.matrix()?, sides(&b, m)?);
        let k = right.cols();
        let shape = if b.axes() == 1 { vec![n] } else { vec![n, k] };
        let mut to = Out::<T>::new(py, OP, out, &shape, &[&a, &b])?;
        let x = to.matrix()?;
        let x = if b.axes() == 1 { x.t() } else { x };
        let (mut factors, mut all, mut tau) = (scratch::<T>(m * n)?, scratch::<T>(m * k)?, scratch::<T>(n)?);
        let mut workspace = scratch::<T>(fulmen::least_squares_workspace(m, n, k))?;
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, MatMut::row_major(&mut factors, m, n)?)?;
            copy(s, right, MatMut::row_major(&mut all, m, k)?)?;
            let (a, b) = (MatMut::row_major(&mut factors, m, n)?, MatMut::row_major(&mut all, m, k)?);
            parallel::least_squares_on(s, a, &mut tau, b, &mut workspace)?;
            copy(s, MatRef::row_major(&all, m, k)?.sub(0..n, 0..k)?, x)
        });
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// The lower triangular `l` of `a = l @ l.T`, with zeros above its diagonal.
///
/// `a` is `[n, n]`, symmetric and positive definite, float32 or float64, with any strides; its lower triangle is read. The
/// result is `[n, n]`. A matrix that is not positive definite, NaN and infinities raise a ValueError.
///
/// >>> fulmen.cholesky(np.array([[4.0, 2.0], [2.0, 10.0]]))
/// array([[2., 0.],
///        [1., 3.]])
#[pyfunction]
#[pyo3(signature = (a, out=None))]
pub fn cholesky<'py>(a: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "cholesky";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let a = Read::<T>::new(OP, "a", a)?;
        let n = square(&a)?;
        let from = a.matrix()?;
        let mut to = Out::<T>::new(py, OP, out, &[n, n], &[&a])?;
        let mut l = to.matrix()?;
        let mut workspace = scratch::<T>(fulmen::cholesky_workspace(n))?;
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, l.reborrow())?;
            parallel::cholesky_on(s, l.reborrow(), &mut workspace)?;
            // The upper triangle still holds the matrix.
            (0..n).for_each(|i| (i + 1..n).for_each(|j| _ = l.set(i, j, T::ZERO)));
            Ok::<_, Error>(())
        });
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// The LU factorisation with partial pivoting, `p @ a = l @ u`.
///
/// `a` is `[m, n]`, float32 or float64, with any strides. Returns `lu`, `[m, n]`, which holds `u` and below its diagonal `l`,
/// whose diagonal of ones is not stored, and `pivots` of uint32: row `i` was exchanged with row `pivots[i]`, in the order of
/// `i`. A pivot of exactly 0, NaN and infinities raise a ValueError.
///
/// >>> fulmen.lu(np.array([[1.0, 4.0], [2.0, 2.0]]))
/// (array([[2. , 2. ],
///        [0.5, 3. ]]), array([1, 1], dtype=uint32))
#[pyfunction]
pub fn lu<'py>(a: Arg<'_, 'py>) -> Two<'py> {
    const OP: &str = "lu";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let a = Read::<T>::new(OP, "a", a)?;
        let [m, n] = a.sizes()?;
        let from = a.matrix()?;
        let (mut to, mut pivots) =
            (Out::<T>::new(py, OP, None, &[m, n], &[])?, Out::<u32>::new(py, OP, None, &[m.min(n)], &[])?);
        let (mut factors, rows) = (to.matrix()?, pivots.slice()?);
        let mut workspace = scratch::<T>(fulmen::lu_workspace(m, n))?;
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, factors.reborrow())?;
            parallel::lu_on(s, factors.reborrow(), rows, &mut workspace)
        });
        py.detach(run).map_err(value_error)?;
        Ok((to.into_array(), pivots.into_array()))
    })
}

/// The QR factorisation `a = q @ r`: `q` has orthonormal columns, and `r` is upper triangular.
///
/// `a` is `[m, n]`, float32 or float64, with any strides; with `k = min(m, n)`, `q` is `[m, k]` and `r` is `[k, n]`. The
/// diagonal of `r` may be negative. NaN and infinities raise a ValueError.
///
/// >>> [x.shape for x in fulmen.qr(np.ones((3, 2)))]
/// [(3, 2), (2, 2)]
#[pyfunction]
pub fn qr<'py>(a: Arg<'_, 'py>) -> Two<'py> {
    const OP: &str = "qr";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let a = Read::<T>::new(OP, "a", a)?;
        let [m, n] = a.sizes()?;
        let (from, k) = (a.matrix()?, m.min(n));
        let (mut q, mut r) = (Out::<T>::new(py, OP, None, &[m, k], &[])?, Out::<T>::new(py, OP, None, &[k, n], &[])?);
        let (to, upper) = (q.slice()?, r.slice()?);
        let (mut factors, mut tau) = (scratch::<T>(m * n)?, scratch::<T>(k)?);
        let mut workspace = scratch::<T>(fulmen::qr_workspace(m, n).max(fulmen::qr_apply_workspace(m, k, k)))?;
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, MatMut::row_major(&mut factors, m, n)?)?;
            parallel::qr_on(s, MatMut::row_major(&mut factors, m, n)?, &mut tau, &mut workspace)?;
            // `to` becomes the first columns of the identity.
            to.iter_mut().step_by(k + 1).take(k).for_each(|x| *x = T::ONE);
            let factors = MatRef::row_major(&factors, m, n)?;
            parallel::qr_apply_on(s, false, factors, &tau, MatMut::row_major(to, m, k)?, &mut workspace)
        });
        py.detach(run).map_err(value_error)?;
        for i in 0..k {
            upper[i * n + i..(i + 1) * n].copy_from_slice(&factors[i * n + i..(i + 1) * n]);
        }
        Ok((q.into_array(), r.into_array()))
    })
}

/// The eigenvalues of a symmetric matrix, in ascending order, and its eigenvectors: column `i` belongs to value `i`.
///
/// `a` is `[n, n]`, float32 or float64, with any strides; its lower triangle is read. Returns values, `[n]`, and vectors,
/// `[n, n]`. NaN and infinities raise a ValueError.
///
/// >>> fulmen.eigh(np.array([[2.0, 0.0], [0.0, 1.0]]))[0]
/// array([1., 2.])
#[pyfunction]
pub fn eigh<'py>(a: Arg<'_, 'py>) -> Two<'py> {
    const OP: &str = "eigh";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let a = Read::<T>::new(OP, "a", a)?;
        let n = square(&a)?;
        let from = a.matrix()?;
        let (mut values, mut vectors) =
            (Out::<T>::new(py, OP, None, &[n], &[])?, Out::<T>::new(py, OP, None, &[n, n], &[])?);
        let (w, mut v) = (values.slice()?, vectors.matrix()?);
        let mut workspace = scratch::<T>(fulmen::eigh_workspace(n))?;
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, v.reborrow())?;
            parallel::eigh_on(s, v.reborrow(), w, &mut workspace)
        });
        py.detach(run).map_err(value_error)?;
        Ok((values.into_array(), vectors.into_array()))
    })
}

/// The singular value decomposition `a = u @ diag(s) @ vt`, with `s` in descending order.
///
/// `a` is `[m, n]`, float32 or float64, with any strides; with `k = min(m, n)`, `u` is `[m, k]`, `s` is `[k]` and `vt` is
/// `[k, n]`. NaN and infinities raise a ValueError.
///
/// >>> fulmen.svd(np.array([[3.0], [4.0]]))[1]
/// array([5.])
#[pyfunction]
pub fn svd<'py>(a: Arg<'_, 'py>) -> Three<'py> {
    const OP: &str = "svd";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let a = Read::<T>::new(OP, "a", a)?;
        let [m, n] = a.sizes()?;
        let (from, k) = (a.matrix()?, m.min(n));
        let mut u = Out::<T>::new(py, OP, None, &[m, k], &[])?;
        let mut values = Out::<T>::new(py, OP, None, &[k], &[])?;
        let mut vt = Out::<T>::new(py, OP, None, &[k, n], &[])?;
        let (left, w, right) = (u.matrix()?, values.slice()?, vt.matrix()?);
        let (mut room, mut workspace) = (scratch::<T>(m * n)?, scratch::<T>(fulmen::svd_workspace(m, n))?);
        let run = || fulmen::dispatch!(|s| {
            copy(s, from, MatMut::row_major(&mut room, m, n)?)?;
            parallel::svd_on(s, MatMut::row_major(&mut room, m, n)?, left, w, right, &mut workspace)
        });
        py.detach(run).map_err(value_error)?;
        Ok((u.into_array(), values.into_array(), vt.into_array()))
    })
}
