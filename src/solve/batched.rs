//! Batched factorisations and solves of matrices of one shape, with the bits of the unbatched ones.

use super::cholesky::{cholesky_solve_workspace, cholesky_workspace};
use super::lu::{lu_solve_workspace, lu_workspace};
use super::{
    cholesky_on, cholesky_solve_on, divides, eigh_on, eigh_workspace, finite, lu_on, lu_solve_on, svd_on,
    svd_workspace,
};
use crate::blas::Triangle;
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};
use crate::view::{BatchMut, BatchRef, MatRef};

ops! { $ batched_forms in crate::solve::batched;
    /// [`cholesky`](crate::cholesky()) of each matrix of a batch, with its bits.
    ///
    /// Errors: those of [`cholesky`](crate::cholesky()). [`Error::Nan`] and [`Error::Domain`] come before the first write;
    /// [`Error::Pivot`] has the pivot's place among the rows of all matrices: those before are factored then.
    ///
    /// Scratch: that of one matrix, [`cholesky_workspace`].
    ///
    /// ```
    /// use fulmen::{BatchMut, cholesky_batched, cholesky_workspace};
    /// let mut a = [4.0f32, 7.0, 2.0, 10.0, 9.0, 7.0, 3.0, 5.0];
    /// let all = BatchMut::strided(&mut a, 0, [2, 2, 2], [4, 2, 1])?;
    /// cholesky_batched(all, &mut [0.0; cholesky_workspace(2)])?;
    /// assert_eq!(a, [2.0, 7.0, 1.0, 3.0, 3.0, 7.0, 1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Contract: `contracts/cholesky-v1.yaml`.
    serial cholesky_batched, cholesky_batched_on, cholesky_batched_by (a: by BatchMut<'_, T>, workspace: scratch T) -> Result<()>;

    /// [`cholesky_solve`](crate::cholesky_solve()) with each of a batch of factors, over the B of the same place.
    ///
    /// Errors: those of [`cholesky_solve`](crate::cholesky_solve()), before the first write; [`Error::Len`] names `b` when it has not as many
    /// matrices; [`Error::Pivot`] has the place among the rows of all matrices. Scratch: that of one.
    ///
    /// ```
    /// use fulmen::{BatchMut, BatchRef, cholesky_solve_batched, cholesky_solve_workspace};
    /// let (l, mut b) = ([2.0f32, 4.0], [8.0f32, 16.0]);
    /// let (sizes, strides) = ([2, 1, 1], [1, 1, 1]);
    /// let to = BatchMut::strided(&mut b, 0, sizes, strides)?;
    /// let mut workspace = [0.0; cholesky_solve_workspace(1, 1)];
    /// cholesky_solve_batched(BatchRef::strided(&l, 0, sizes, strides)?, to, &mut workspace)?;
    /// assert_eq!(b, [2.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Contract: `contracts/cholesky_solve-v1.yaml`.
    serial cholesky_solve_batched, cholesky_solve_batched_on, cholesky_solve_batched_by
        (l: by BatchRef<'_, T>, b: by BatchMut<'_, T>, workspace: scratch T) -> Result<()>;

    /// [`lu`](crate::lu()) of each square matrix of a batch, with its bits; the pivots of one follow those of the one before.
    ///
    /// Errors: those of [`lu`](crate::lu()), as by [`cholesky_batched`]; [`Error::Shape`] names `a` when its matrices are not square,
    /// [`Error::Len`] `pivots`. Scratch: that of one matrix, [`lu_workspace`].
    ///
    /// ```
    /// use fulmen::{BatchMut, lu_batched, lu_workspace};
    /// let (mut a, mut pivots) = ([1.0f32, 4.0, 2.0, 2.0, 2.0, 2.0, 1.0, 4.0], [0; 4]);
    /// let all = BatchMut::strided(&mut a, 0, [2, 2, 2], [4, 2, 1])?;
    /// lu_batched(all, &mut pivots, &mut [0.0; lu_workspace(2, 2)])?;
    /// assert_eq!((a, pivots), ([2.0, 2.0, 0.5, 3.0, 2.0, 2.0, 0.5, 3.0], [1, 1, 0, 1]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Contract: `contracts/lu-v1.yaml`.
    serial lu_batched, lu_batched_on, lu_batched_by (a: by BatchMut<'_, T>, pivots: out u32, workspace: scratch T) -> Result<()>;

    /// [`lu_solve`](crate::lu_solve()) with each of a batch of factors and its pivots, over the B of the same place.
    ///
    /// Errors: those of [`lu_solve`](crate::lu_solve()), as by [`cholesky_solve_batched`]. Scratch: that of one.
    ///
    /// ```
    /// use fulmen::{BatchMut, BatchRef, lu_solve_batched, lu_solve_workspace};
    /// let (f, mut b) = ([2.0f32, 4.0], [8.0f32, 16.0]);
    /// let (sizes, strides) = ([2, 1, 1], [1, 1, 1]);
    /// let to = BatchMut::strided(&mut b, 0, sizes, strides)?;
    /// let mut workspace = [0.0; lu_solve_workspace(1, 1)];
    /// lu_solve_batched(BatchRef::strided(&f, 0, sizes, strides)?, &[0, 0], to, &mut workspace)?;
    /// assert_eq!(b, [4.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Contract: `contracts/lu_solve-v1.yaml`.
    serial lu_solve_batched, lu_solve_batched_on, lu_solve_batched_by
        (factors: by BatchRef<'_, T>, pivots: in u32, b: by BatchMut<'_, T>, workspace: scratch T) -> Result<()>;

    /// [`eigh`](crate::eigh()) of each matrix of a batch, with its bits; the values of one follow those of the one before.
    ///
    /// Errors: those of [`eigh`](crate::eigh()); [`Error::Nan`] and [`Error::Domain`] come before the first write. Scratch: that of one
    /// matrix, [`eigh_workspace`].
    ///
    /// ```
    /// use fulmen::{BatchMut, eigh_batched, eigh_workspace};
    /// let (mut a, mut values) = ([3.0f32, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 5.0], [0.0; 4]);
    /// let all = BatchMut::strided(&mut a, 0, [2, 2, 2], [4, 2, 1])?;
    /// eigh_batched(all, &mut values, &mut [0.0; eigh_workspace(2)])?;
    /// assert_eq!((values, a), ([1.0, 3.0, 2.0, 5.0], [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Contract: `contracts/eigh-v1.yaml`.
    serial eigh_batched, eigh_batched_on, eigh_batched_by (a: by BatchMut<'_, T>, values: out T, workspace: scratch T) -> Result<()>;

    /// [`svd`](crate::svd()) of each matrix of a batch, with its bits; the values of one follow those of the one before.
    ///
    /// Errors: those of [`svd`](crate::svd()); [`Error::Len`] names `u` or `vt` when it has not as many matrices; [`Error::Nan`] and
    /// [`Error::Domain`] come before the first write. Scratch: that of one matrix, [`svd_workspace`].
    ///
    /// ```
    /// use fulmen::{BatchMut, svd_batched, svd_workspace};
    /// let (mut a, mut u, mut vt) = ([3.0f32, 4.0, 0.0, -2.0], [0.0; 4], [0.0; 2]);
    /// let mut values = [0.0; 2];
    /// let [a, u] = [&mut a, &mut u].map(|x| BatchMut::strided(x, 0, [2, 2, 1], [2, 1, 1]));
    /// let vt = BatchMut::strided(&mut vt, 0, [2, 1, 1], [1, 1, 1])?;
    /// svd_batched(a?, u?, &mut values, vt, &mut [0.0; svd_workspace(2, 1)])?;
    /// assert!((values[0] - 5.0).abs() < 1e-6 && (values[1] - 2.0).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Contract: `contracts/svd-v1.yaml`.
    serial svd_batched, svd_batched_on, svd_batched_by
        (a: by BatchMut<'_, T>, u: by BatchMut<'_, T>, values: out T, vt: by BatchMut<'_, T>, workspace: scratch T) -> Result<()>;
}

/// A pivot of matrix `i` by its place among the rows of all.
fn of_all(i: usize, n: usize) -> impl Fn(Error) -> Error {
    move |error| match error {
        Error::Pivot { arg, index, .. } => Error::pivot(arg, index + i * n),
        other => other,
    }
}

/// The rows of the matrices, if all are square and finite.
fn checked<T: Element>(a: &mut BatchMut<'_, T>, triangle: Option<Triangle>) -> Result<usize, Error> {
    let mut n = 0;
    for i in 0..a.count() {
        let Some(a) = a.get_mut(i) else { break };
        n = a.rows();
        same_shape("a", [n; 2], [n, a.cols()])?;
        if n == 0 {
            break;
        }
        finite("a", a.as_ref(), triangle)?;
    }
    Ok(n)
}

/// The rows of factors, and the columns of B, if all divide.
fn divided<T: Element>(
    arg: &'static str,
    a: BatchRef<'_, T>,
    b: &mut BatchMut<'_, T>,
) -> Result<[usize; 2], Error> {
    same_len("b", a.count(), b.count())?;
    let mut sizes = [0; 2];
    for i in 0..a.count() {
        let (Some(a), Some(b)) = (a.get(i), b.get_mut(i)) else { break };
        let n = a.rows();
        sizes = [n, b.cols()];
        same_shape(arg, [n; 2], [n, a.cols()])?;
        same_shape("b", sizes, [b.rows(), b.cols()])?;
        if n == 0 {
            break;
        }
        divides(arg, a).map_err(of_all(i, n))?;
    }
    Ok(sizes)
}

pub(crate) fn cholesky_batched_by<S: Simd, T: Element>(
    s: S,
    mut a: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = checked(&mut a, Some(Triangle::Lower))?;
    enough(cholesky_workspace(n), workspace.len())?;
    let count = if n == 0 { 0 } else { a.count() };
    (0..count).filter_map(|i| Some(cholesky_on(s, a.get_mut(i)?, workspace).map_err(of_all(i, n)))).collect()
}

pub(crate) fn cholesky_solve_batched_by<S: Simd, T: Element>(
    s: S,
    l: BatchRef<'_, T>,
    mut b: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let [n, cols] = divided("l", l, &mut b)?;
    enough(cholesky_solve_workspace(n, cols), workspace.len())?;
    let count = if n == 0 { 0 } else { b.count() };
    (0..count).filter_map(|i| Some(cholesky_solve_on(s, l.get(i)?, b.get_mut(i)?, workspace))).collect()
}

pub(crate) fn lu_batched_by<S: Simd, T: Element>(
    s: S,
    mut a: BatchMut<'_, T>,
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let shape = a.get_mut(0).map_or([0; 2], |a| [a.rows(), a.cols()]);
    same_shape("a", [shape[0]; 2], shape)?;
    same_len("pivots", a.count().saturating_mul(shape[0]), pivots.len())?;
    let n = checked(&mut a, None)?;
    enough(lu_workspace(n, n), workspace.len())?;
    let each = pivots.chunks_exact_mut(n.max(1)).enumerate();
    each.filter_map(|(i, p)| Some(lu_on(s, a.get_mut(i)?, p, workspace).map_err(of_all(i, n)))).collect()
}

pub(crate) fn eigh_batched_by<S: Simd, T: Element>(
    s: S,
    mut a: BatchMut<'_, T>,
    values: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let shape = a.get_mut(0).map_or([0; 2], |a| [a.rows(), a.cols()]);
    same_shape("a", [shape[0]; 2], shape)?;
    same_len("values", a.count().saturating_mul(shape[0]), values.len())?;
    let n = checked(&mut a, Some(Triangle::Lower))?;
    enough(eigh_workspace(n), workspace.len())?;
    let each = values.chunks_exact_mut(n.max(1)).enumerate();
    each.filter_map(|(i, values)| Some(eigh_on(s, a.get_mut(i)?, values, workspace))).collect()
}

pub(crate) fn svd_batched_by<S: Simd, T: Element>(
    s: S,
    mut a: BatchMut<'_, T>,
    mut u: BatchMut<'_, T>,
    values: &mut [T],
    mut vt: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let count = a.count();
    let [m, n] = a.get_mut(0).map_or([0; 2], |a| [a.rows(), a.cols()]);
    let k = m.min(n);
    let of = |x: &mut BatchMut<'_, T>| (x.count(), x.get_mut(0).map(|x| [x.rows(), x.cols()]));
    for (arg, (many, got), shape) in [("u", of(&mut u), [m, k]), ("vt", of(&mut vt), [k, n])] {
        same_len(arg, count, many)?;
        same_shape(arg, shape, got.unwrap_or(shape))?;
    }
    same_len("values", count.saturating_mul(k), values.len())?;
    enough(svd_workspace(m, n), workspace.len())?;
    // There may be any number of empty matrices.
    let count = if k == 0 { 0 } else { count };
    (0..count).filter_map(|i| Some(finite("a", a.get_mut(i)?.as_ref(), None))).collect::<Result<(), _>>()?;
    let each = values.chunks_exact_mut(k.max(1)).enumerate();
    let mut one =
        |i, values| Some(svd_on(s, a.get_mut(i)?, u.get_mut(i)?, values, vt.get_mut(i)?, workspace));
    each.filter_map(|(i, values)| one(i, values)).collect()
}

pub(crate) fn lu_solve_batched_by<S: Simd, T: Element>(
    s: S,
    factors: BatchRef<'_, T>,
    pivots: &[u32],
    mut b: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let rows = factors.get(0).map_or(0, |a: MatRef<'_, T>| a.rows());
    same_len("pivots", factors.count().saturating_mul(rows), pivots.len())?;
    let [n, cols] = divided("factors", factors, &mut b)?;
    enough(lu_solve_workspace(n, cols), workspace.len())?;
    if let Some(index) = pivots.iter().map(|p| *p as usize).find(|p| *p >= n) {
        return Err(Error::index("pivots", index, n));
    }
    let each = pivots.chunks_exact(n.max(1)).enumerate();
    each.filter_map(|(i, p)| Some(lu_solve_on(s, factors.get(i)?, p, b.get_mut(i)?, workspace))).collect()
}
