//! Batched transforms: those of the rows of a strided view, and two- and three-dimensional transforms.

use super::execute::Io;
use super::{Direction, Fft, GRAIN, fft_workspace, spread};
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::{lines, lines_mut, split_mut};
use crate::view::{MatMut, MatRef};

/// Rows that are copied together, transformed, and put back: a line of a cache has this many neighbours at most.
pub(crate) const TOGETHER: usize = 16;

/// Numbers between copies of rows, whose lengths are often powers of two: they then lie in different sets of a cache.
pub(crate) const APART: usize = 8;

/// How many complex numbers of workspace [`fft_rows`] with transforms of length `n` needs; `usize::MAX` when they cannot be counted.
pub const fn fft_rows_workspace(n: usize) -> usize {
    if n == 0 {
        return 0;
    }
    fft_workspace(n).saturating_add(n.saturating_add(APART).saturating_mul(TOGETHER))
}

/// How many complex numbers of workspace [`fft_2d`] of `m` rows and `n` columns needs; `usize::MAX` when they cannot be counted.
pub const fn fft_2d_workspace(m: usize, n: usize) -> usize {
    let (down, along) = (fft_rows_workspace(m), fft_rows_workspace(n));
    if down > along { down } else { along }
}

/// How many complex numbers of workspace [`fft_3d`] of `d` planes of `m` rows and `n` columns needs; `usize::MAX` when they cannot be counted.
pub const fn fft_3d_workspace(d: usize, m: usize, n: usize) -> usize {
    let (planes, through) = (fft_2d_workspace(m, n), fft_rows_workspace(d));
    if planes > through { planes } else { through }
}

ops! { $ rows_ops in crate::fft::rows;
    /// [`fft`](crate::fft()) of each row of a view: a batch of transforms that lie anywhere.
    ///
    /// Shapes: `x` and `out` have as many rows, of `n = plan.len()` columns, with any strides each; views of the transposed
    /// matrix, `x.t()`, transform its columns.
    ///
    /// NaN and ±0: as [`fft`](crate::fft()), in each row.
    ///
    /// Errors: [`Error::Shape`], [`Error::Workspace`]. Scratch: [`fft_rows_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Direction, Fft, MatMut, MatRef, fft_plan_len, fft_rows, fft_rows_workspace};
    /// let mut table = [0.0f32; fft_plan_len(2)];
    /// let plan = Fft::plan(2, &mut table, &mut [])?;
    /// let x = [1.0f32, 2.0, 3.0, 4.0].map(Complex::from);
    /// let mut out = [Complex::ZERO; 4];
    /// let mut work = [Complex::ZERO; fft_rows_workspace(2)];
    /// // The columns of two rows.
    /// let (columns, to) = (MatRef::row_major(&x, 2, 2)?.t(), MatMut::row_major(&mut out, 2, 2)?.t());
    /// fft_rows(&plan, Direction::Forward, columns, to, &mut work)?;
    /// assert_eq!(out.map(|y| y.re), [4.0, 6.0, -2.0, -2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`fft`](crate::fft()). Contract: `contracts/fft_rows-v1.yaml`.
    threads "As [`fft()`], by groups of rows." fft_rows, fft_rows_on, fft_rows_by
        (plan: fft T, direction: by Direction, x: mat Complex<T>, out: mat_out Complex<T>, workspace: scratch Complex<T>) -> Result<()>;

    /// `out[j, l] = Σᵢ Σₖ x[i, k]·e^(∓2πi·(ij/m + kl/n))`, the inverse one divided by `mn`.
    ///
    /// Shapes: `x` and `out` have `m = down.len()` rows and `n = along.len()` columns, with any strides each.
    ///
    /// NaN and ±0: a NaN reaches a part of each result; the sign of a zero is not kept.
    ///
    /// Errors: [`Error::Shape`], [`Error::Workspace`]. Scratch: [`fft_2d_workspace`]`(m, n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Direction, Fft, MatMut, MatRef, fft_2d, fft_2d_workspace, fft_plan_len};
    /// let (mut a, mut b) = ([0.0f64; fft_plan_len(2)], [0.0f64; fft_plan_len(3)]);
    /// let (down, along) = (Fft::plan(2, &mut a, &mut [])?, Fft::plan(3, &mut b, &mut [])?);
    /// let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(Complex::from);
    /// let mut out = [Complex::ZERO; 6];
    /// let mut work = [Complex::ZERO; fft_2d_workspace(2, 3)];
    /// let (from, to) = (MatRef::row_major(&x, 2, 3)?, MatMut::row_major(&mut out, 2, 3)?);
    /// fft_2d(&down, &along, Direction::Forward, from, to, &mut work)?;
    /// assert!((out[0].re - 21.0).abs() < 1e-14 && (out[3].re + 9.0).abs() < 1e-14);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`fft`](crate::fft()). Contract: `contracts/fft_2d-v1.yaml`.
    threads "As [`fft()`], by groups of rows, then of columns." fft_2d, fft_2d_on, fft_2d_by
        (down: fft T, along: fft T, direction: by Direction, x: mat Complex<T>, out: mat_out Complex<T>,
         workspace: scratch Complex<T>) -> Result<()>;

    /// `out[h, j, l] = Σ x[g, i, k]·e^(∓2πi·(gh/d + ij/m + kl/n))` over all `g`, `i` and `k`, the inverse one divided by `dmn`.
    ///
    /// Shapes: `x` and `out` have `d` planes of `m` rows of `n` numbers, one after the other; `plans` are of `d`, `m` and `n`.
    ///
    /// NaN and ±0: as [`fft_2d`](crate::fft_2d()).
    ///
    /// Errors: [`Error::Overflow`] when the numbers cannot be counted, [`Error::Len`] when `x` or `out` has not as many,
    /// [`Error::Workspace`]. Scratch: [`fft_3d_workspace`]`(d, m, n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Direction, Fft, fft_3d, fft_3d_workspace, fft_plan_len};
    /// let mut table = [0.0f64; fft_plan_len(2)];
    /// let plan = Fft::plan(2, &mut table, &mut [])?;
    /// let (mut x, mut out) = ([Complex::ZERO; 8], [Complex::ZERO; 8]);
    /// x[4] = Complex::ONE;
    /// fft_3d([&plan; 3], Direction::Forward, &x, &mut out, &mut [Complex::ZERO; fft_3d_workspace(2, 2, 2)])?;
    /// // It is in the second plane.
    /// assert_eq!(out.map(|y| y.re), [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`fft`](crate::fft()). Contract: `contracts/fft_3d-v1.yaml`.
    threads "As [`fft_2d()`], then of what lies behind each other." fft_3d, fft_3d_on, fft_3d_by
        (plans: ffts T, direction: by Direction, x: in Complex<T>, out: out Complex<T>, workspace: scratch Complex<T>) -> Result<()>;
}

/// How many numbers the three lengths have.
pub(crate) fn numbers(lengths: [usize; 3]) -> Result<usize, Error> {
    let n = lengths.iter().try_fold(1usize, |n, len| n.checked_mul(*len));
    n.ok_or(Error::overflow("plans"))
}

#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn fft_3d_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plans: [&Fft<'_, T>; 3],
    direction: Direction,
    x: &[Complex<T>],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let [d, m, n] = plans.map(Fft::len);
    let all = numbers([d, m, n])?;
    same_len("x", all, x.len())?;
    same_len("out", all, out.len())?;
    enough(fft_3d_workspace(d, m, n), workspace.len())?;
    let [through, down, along] = plans;
    let rows = MatRef::row_major(x, d * m, n)?;
    each(j, s, along, direction, Some(rows), MatMut::row_major(out, d * m, n)?, workspace);
    for plane in lines_mut(out, m * n) {
        each(j, s, down, direction, None, MatMut::row_major(plane, m, n)?.t(), workspace);
    }
    each(j, s, through, direction, None, MatMut::row_major(out, d, m * n)?.t(), workspace);
    contract!(fft_3d, Ok(()), each | check | spread(Complex::parts(x), out, check))
}

pub(crate) fn fft_rows_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Fft<'_, T>,
    direction: Direction,
    x: MatRef<'_, Complex<T>>,
    mut out: MatMut<'_, Complex<T>>,
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let n = plan.len();
    same_shape("x", [x.rows(), n], [x.rows(), x.cols()])?;
    same_shape("out", [x.rows(), n], [out.rows(), out.cols()])?;
    enough(fft_rows_workspace(n), workspace.len())?;
    each(j, s, plan, direction, Some(x), out.reborrow(), workspace);
    contract!(fft_rows, Ok(()), each | check | (0..x.rows()).try_for_each(|i| row(x, out.as_ref(), i, check)))
}

#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn fft_2d_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    down: &Fft<'_, T>,
    along: &Fft<'_, T>,
    direction: Direction,
    x: MatRef<'_, Complex<T>>,
    mut out: MatMut<'_, Complex<T>>,
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let (m, n) = (down.len(), along.len());
    same_shape("x", [m, n], [x.rows(), x.cols()])?;
    same_shape("out", [m, n], [out.rows(), out.cols()])?;
    enough(fft_2d_workspace(m, n), workspace.len())?;
    each(j, s, along, direction, Some(x), out.reborrow(), workspace);
    each(j, s, down, direction, None, out.reborrow().t(), workspace);
    contract!(fft_2d, Ok(()), each | check | (0..m).try_for_each(|i| row(x, out.as_ref(), i, check)))
}

/// A call of the contract for each result of row `i`.
fn row<T: Element, E>(
    x: MatRef<'_, Complex<T>>,
    y: MatRef<'_, Complex<T>>,
    i: usize,
    check: impl Fn(&crate::contract::Call<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    let nan = |z: Complex<T>| z.re.to_f64().is_nan() || z.im.to_f64().is_nan();
    let any = (0..x.cols()).filter_map(|k| x.get(i, k)).any(nan);
    let x = [if any { T::NAN } else { T::ZERO }];
    (0..y.cols()).filter_map(|k| y.get(i, k)).try_for_each(|y| spread(&x, &[y], &check))
}

/// The transform of each row of `x`, or of `out` over itself; on threads as far as the workspace reaches.
fn each<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Fft<'_, T>,
    direction: Direction,
    x: Option<MatRef<'_, Complex<T>>>,
    mut out: MatMut<'_, Complex<T>>,
    workspace: &mut [Complex<T>],
) {
    let (n, rows) = (plan.len(), out.rows());
    if !J::SERIAL && rows > TOGETHER && rows * n > GRAIN && workspace.len() / 2 >= fft_rows_workspace(n) {
        // Whole groups.
        let cut = (rows / 2).next_multiple_of(TOGETHER).min(rows);
        let (x, y) = (x.map(|x| x.block([0, 0], [cut, n])), x.map(|x| x.block([cut, 0], [rows - cut, n])));
        if let Ok((a, b)) = out.split_rows(cut) {
            let (v, w) = workspace.split_at_mut(workspace.len() / 2);
            j.join(
                rows * n,
                || each(j, s, plan, direction, x, a, v),
                || each(j, s, plan, direction, y, b, w),
            );
        }
        return;
    }
    let (copies, rest) = split_mut(workspace, (n + APART) * TOGETHER);
    for first in (0..rows).step_by(TOGETHER) {
        let count = TOGETHER.min(rows - first);
        // Rows that lie whole need no copy.
        let near = |i: usize| x.is_none_or(|x| x.row_slice(i).is_some());
        if near(first) && out.row_slice_mut(first).is_some() {
            for i in first..first + count {
                if let Some(y) = out.row_slice_mut(i) {
                    let io = match x.and_then(|x| x.row_slice(i)) {
                        Some(x) => Io::Apart(x, y),
                        None => Io::Same(y),
                    };
                    plan.one(s, direction, io, rest);
                }
            }
            continue;
        }
        let from = x.unwrap_or(out.as_ref()).block([first, 0], [count, n]);
        gather(from, copies);
        for copy in lines_mut(copies, n + APART).take(count) {
            let (copy, _) = split_mut(copy, n);
            plan.one(s, direction, Io::Same(copy), rest);
        }
        scatter(copies, &mut out, first, count);
    }
}

/// Columns that are copied together: a line of each row, and of each copy.
pub(crate) const COLUMNS: usize = 8;

/// Copies the rows of `from`, contiguously where they are neighbours.
fn gather<T: Element>(from: MatRef<'_, Complex<T>>, copies: &mut [Complex<T>]) {
    let n = from.cols();
    let mut done = 0;
    while let Some(columns) = columns(n, done, |k| from.t().row_slice(k)?.first_chunk()) {
        for (i, copy) in lines_mut(copies, n + APART).enumerate().take(TOGETHER) {
            if let Some(to) = copy.get_mut(done..).and_then(|copy| copy.first_chunk_mut::<COLUMNS>()) {
                *to = columns.map(|column| column.get(i).copied().unwrap_or_default());
            }
        }
        done += COLUMNS;
    }
    for k in done..n {
        for (i, copy) in lines_mut(copies, n + APART).enumerate().take(from.rows()) {
            if let Some(to) = copy.get_mut(k) {
                *to = from.get(i, k).unwrap_or_default();
            }
        }
    }
}

/// The next [`COLUMNS`] of `n` columns, if there are so many, and each of them has [`TOGETHER`] contiguous rows.
#[inline(always)]
fn columns<'a, X>(
    n: usize,
    first: usize,
    column: impl Fn(usize) -> Option<&'a [X; TOGETHER]>,
) -> Option<[&'a [X; TOGETHER]; COLUMNS]> {
    if n - first < COLUMNS {
        return None;
    }
    let mut all = [column(first)?; COLUMNS];
    for (k, to) in all.iter_mut().enumerate() {
        *to = column(first + k)?;
    }
    Some(all)
}

/// Copies back what [`gather`] copied, to `count` rows from `first` on.
fn scatter<T: Element>(copies: &[Complex<T>], out: &mut MatMut<'_, Complex<T>>, first: usize, count: usize) {
    let n = out.cols();
    let mut rows: [&[Complex<T>]; TOGETHER] = Default::default();
    for (row, copy) in rows.iter_mut().zip(lines(copies, n + APART)) {
        *row = copy;
    }
    for k in 0..n {
        let all = rows.iter().map(|row| row.get(k).copied().unwrap_or_default());
        match out.reborrow().t().row_slice_mut(k).and_then(|column| column.get_mut(first..first + count)) {
            Some(column) => column.iter_mut().zip(all).for_each(|(to, z)| *to = z),
            None => all.take(count).enumerate().for_each(|(i, z)| _ = out.set(first + i, k, z)),
        }
    }
}
