//! `PAPᵀ = LDLᵀ` of a symmetric, indefinite matrix (Bunch–Kaufman), D with blocks of one row and of two: blocked panels with
//! delayed updates, and matrix products for the trailing matrix.

use super::lu::{check_solve, exchange, exchange_back};
use super::{abs, finite};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::{Diagonal, Side, Triangle, gemv_on, trsm_by, trsm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::{copy, swap};
use crate::view::{MatMut, MatRef, VecMut};

/// Columns of a panel.
pub(crate) const PANEL: usize = 32;

/// Elements of workspace that [`ldlt`] needs for an `n` by `n` A.
pub const fn ldlt_workspace(n: usize) -> usize {
    let panel = if n < PANEL { n } else { PANEL };
    let kept = panel.saturating_add(2).saturating_mul(n);
    if n <= PANEL { kept } else { kept.saturating_add(gemm_workspace(n, PANEL, PANEL)) }
}

/// Elements of workspace that [`ldlt_solve`] needs for an `n` by `cols` B.
pub const fn ldlt_solve_workspace(n: usize, cols: usize) -> usize {
    trsm_workspace(Side::Left, n, cols)
}

ops! { $ ldlt_ops in crate::solve::ldlt;
    /// `PAPᵀ = LDLᵀ` of a symmetric A, in its lower triangle, which need not be definite: half the work of [`lu`](crate::lu()). D has blocks of
    /// one row and of two. Where A was lies L, without the ones of its diagonal, and on the diagonal that of D; `off[k]` is the element of D beside the
    /// diagonal in rows `k` and `k + 1`, and 0 where no such block is. As in `lu`, row and column `i` are exchanged with `pivots[i]`, in the order of
    /// `i`. The other triangle is neither read nor written.
    ///
    /// Shapes: A is `n` by `n`, of any strides; `off` and `pivots` have `n` elements, and the last of `off` is 0. The factors are those of a matrix that differs
    /// from A by a small multiple of `n·u·|L||D||Lᵀ|`, which grows with A but seldom beyond a few times it.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: [`Error::Shape`] names `a`; [`Error::Len`] `off` or `pivots`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when the triangle
    /// holds NaN or an infinity: nothing is written then. [`Error::Pivot`] with the index of the first block of D that is 0: A is singular, and the
    /// factors are there.
    ///
    /// Scratch: [`ldlt_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, ldlt, ldlt_workspace};
    /// // Neither pivot of the diagonal can be divided by.
    /// let (mut a, mut off, mut pivots) = ([0.0f64, f64::NAN, 2.0, 0.0], [9.0; 2], [9; 2]);
    /// ldlt(MatMut::row_major(&mut a, 2, 2)?, &mut off, &mut pivots, &mut [0.0; ldlt_workspace(2)])?;
    /// assert_eq!(([a[0], a[2], a[3]], off, pivots), ([0.0, 0.0, 0.0], [2.0, 0.0], [0, 1]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Bunch, L. Kaufman, "Some Stable Methods for Calculating Inertia and Solving Symmetric Linear Systems" (1977); the bound: N. Higham,
    /// "Accuracy and Stability of Numerical Algorithms", §11.1. Contract: `contracts/ldlt-v1.yaml`.
    #[doc(alias = "sytrf")]
    threads ldlt, ldlt_on, ldlt_by (a: mat_inout T, off: out T, pivots: out u32, workspace: scratch T) -> Result<()>;
}

ops! { $ ldlt_solve_ops in crate::solve::ldlt;
    /// `X = A⁻¹B` over B, for `PAPᵀ = LDLᵀ` by [`ldlt`]; the other triangle of `factors` is not read.
    ///
    /// Shapes: `factors` is `n` by `n`, `off` and `pivots` have `n` elements, B is `n` by any number of columns; any strides.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `factors` or `b`; [`Error::Len`] `off` or `pivots`, [`Error::Index`] `pivots`; [`Error::Workspace`]; [`Error::Pivot`] with the
    /// index of the first block of one row that is 0. Nothing is written then.
    ///
    /// Scratch: [`ldlt_solve_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, ldlt_solve, ldlt_solve_workspace};
    /// let (factors, off, mut b) = ([0.0f64, 0.0, 0.0, 0.0], [2.0, 0.0], [6.0, 4.0]);
    /// let mut workspace = [0.0; ldlt_solve_workspace(2, 1)];
    /// let (f, x) = (MatRef::row_major(&factors, 2, 2)?, MatMut::row_major(&mut b, 2, 1)?);
    /// ldlt_solve(f, &off, &[0, 1], x, &mut workspace)?;
    /// assert_eq!(b, [2.0, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`ldlt`]. Contract: `contracts/ldlt_solve-v1.yaml`.
    threads ldlt_solve, ldlt_solve_on, ldlt_solve_by
        (factors: mat T, off: in T, pivots: in u32, b: mat_inout T, workspace: scratch T) -> Result<()>;
}

pub(crate) fn ldlt_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    off: &mut [T],
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("off", n, off.len())?;
    same_len("pivots", n, pivots.len())?;
    enough(ldlt_workspace(n), workspace.len())?;
    finite("a", a.as_ref(), Some(Triangle::Lower))?;
    let wide = n.min(PANEL);
    let (w, rest) = workspace.split_at_mut_checked(n * wide).unwrap_or_default();
    let (first, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    let (second, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    off.fill(T::ZERO);
    let (mut start, mut bad) = (0, None);
    while start < n {
        let mut panel = Panel {
            start,
            a: a.reborrow(),
            w: MatMut::packed(w, n, wide),
            columns: [&mut *first, &mut *second],
        };
        let end = panel.factor(s, off, pivots, &mut bad)?;
        update(j, s, a.reborrow(), MatRef::packed(w, n, wide), [start, end], rest)?;
        start = end;
    }
    contract!(
        ldlt,
        bad.map_or(Ok(()), |index| Err(Error::pivot("a", index))),
        each | check | {
            let mut diagonal = (0..n).filter_map(|i| a.get(i, i));
            diagonal.try_for_each(|x| check(&Call::new(&[&[x]], &[x])))
        }
    )
}

/// Columns of A from `start` on, of which those that are done have LD in the same rows of `w`.
struct Panel<'a, T> {
    start: usize,
    a: MatMut<'a, T>,
    w: MatMut<'a, T>,
    /// The column that is next, and what may come with it, by the rows of A.
    columns: [&'a mut [T]; 2],
}

/// The largest magnitude of some, and where it is.
fn largest<T: Element>(x: &[T], from: usize, to: usize) -> (usize, T) {
    let mut most = (from, T::ZERO);
    for (i, x) in x.iter().enumerate().take(to).skip(from) {
        if abs(*x) > most.1 {
            most = (i, abs(*x));
        }
    }
    most
}

impl<T: Element> Panel<'_, T> {
    fn get(&self, i: usize, j: usize) -> T {
        self.a.get(i, j).unwrap_or_default()
    }
    /// Element `i` of the column that is next, or of the other one.
    fn of(&self, other: usize, i: usize) -> T {
        self.columns.get(other).and_then(|c| c.get(i)).copied().unwrap_or_default()
    }

    /// Column `j` of A as it is after the columns that are done, from row `k` on, into one of both.
    fn load<S: Simd>(&mut self, s: S, k: usize, j: usize, to: usize) -> Result<(), Error> {
        let n = self.a.rows();
        let done = k - self.start;
        let Some(column) = self.columns.get_mut(to).and_then(|c| c.get_mut(k..)) else { return Ok(()) };
        for (i, to) in (k..n).zip(column.iter_mut()) {
            *to = if i < j { self.a.get(j, i) } else { self.a.get(i, j) }.unwrap_or_default();
        }
        if done == 0 {
            return Ok(());
        }
        let l = self.a.as_ref().block([k, self.start], [n - k, done]);
        let w = self.w.as_ref().block([j, 0], [1, done]);
        gemv_on(s, -T::ONE, l, w.row(0)?, T::ONE, VecMut::from(column))
    }

    /// Columns up to where the panel is full, or A ends: where that is. `bad` is the first pivot of 0.
    fn factor<S: Simd>(
        &mut self,
        s: S,
        off: &mut [T],
        pivots: &mut [u32],
        bad: &mut Option<usize>,
    ) -> Result<usize, Error> {
        // Growth of elements is the least where both choices may grow alike.
        let alpha = T::from_f64((1.0 + libm::sqrt(17.0)) / 8.0);
        let (n, mut k) = (self.a.rows(), self.start);
        let last = n - self.start <= PANEL;
        while k < n && (last || k - self.start + 1 < PANEL) {
            self.load(s, k, k, 0)?;
            let here = abs(self.of(0, k));
            let (at, most) = largest(self.columns[0], k + 1, n);
            let (mut with, mut two) = (k, false);
            if here < alpha * most {
                self.load(s, k, at, 1)?;
                let (before, after) =
                    (largest(self.columns[1], k, at).1, largest(self.columns[1], at + 1, n).1);
                let rival = if before > after { before } else { after };
                if here < alpha * most * (most / rival) {
                    with = at;
                    two = abs(self.of(1, at)) < alpha * rival;
                    if !two {
                        let [first, second] = &mut self.columns;
                        copy(second, first);
                    }
                }
            }
            let row = k + usize::from(two);
            if with != row {
                self.exchange(k, row, with);
            }
            for (i, p) in pivots.iter_mut().enumerate().take(row + 1).skip(k) {
                *p = if i == row { with } else { i } as u32;
            }
            if two {
                let d = self.pair(k);
                if let Some(x) = off.get_mut(k) {
                    *x = d;
                }
                k += 2;
            } else {
                if !self.single(k) {
                    *bad = bad.or(Some(k));
                }
                k += 1;
            }
        }
        Ok(k)
    }

    /// Rows and columns `i` and `p` of what is not yet done, of L, and of what waits; columns `k` and what comes with it are in memory of their own.
    fn exchange(&mut self, k: usize, i: usize, p: usize) {
        let (n, x) = (self.a.rows(), self.get(i, i));
        self.a.set(p, p, x);
        for j in i + 1..p {
            let x = self.get(j, i);
            self.a.set(p, j, x);
        }
        for j in p + 1..n {
            let x = self.get(j, i);
            self.a.set(j, p, x);
        }
        for j in 0..k {
            let (x, y) = (self.get(i, j), self.get(p, j));
            self.a.set(i, j, y);
            self.a.set(p, j, x);
        }
        for j in 0..k - self.start {
            if let (Some(x), Some(y)) = (self.w.get(i, j), self.w.get(p, j)) {
                self.w.set(i, j, y);
                self.w.set(p, j, x);
            }
        }
        self.columns.iter_mut().filter(|c| c.len() > p.max(i)).for_each(|c| swap(c, i, p));
    }

    /// A block of one row; whether its pivot is a divisor.
    fn single(&mut self, k: usize) -> bool {
        let d = self.of(0, k);
        for i in k..self.a.rows() {
            let x = self.of(0, i);
            self.w.set(i, k - self.start, x);
            self.a.set(i, k, if i == k || d == T::ZERO { x } else { x / d });
        }
        d != T::ZERO
    }

    /// A block of two rows: its element beside the diagonal.
    fn pair(&mut self, k: usize) -> T {
        let beside = self.of(0, k + 1);
        // All over the element that is the largest.
        let (p, q) = (self.of(1, k + 1) / beside, self.of(0, k) / beside);
        let by = T::ONE / (p * q - T::ONE) / beside;
        for i in k..self.a.rows() {
            let (x, y) = (self.of(0, i), self.of(1, i));
            self.w.set(i, k - self.start, x);
            self.w.set(i, k + 1 - self.start, y);
            if i > k + 1 {
                self.a.set(i, k, by * (p * x - y));
                self.a.set(i, k + 1, by * (q * y - x));
            }
        }
        let (x, y) = (self.of(0, k), self.of(1, k + 1));
        self.a.set(k, k, x);
        self.a.set(k + 1, k, T::ZERO);
        self.a.set(k + 1, k + 1, y);
        beside
    }
}

/// `A - L(LD)ᵀ` of the lower triangle behind the columns from `start` to `end`.
fn update<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatMut<'_, T>,
    w: MatRef<'_, T>,
    [start, end]: [usize; 2],
    workspace: &mut [T],
) -> Result<(), Error> {
    let (n, done) = (a.rows(), end - start);
    if end == n {
        return Ok(());
    }
    let (left, mut right) = a.split_cols(end)?;
    let l = left.as_ref().block([0, start], [n, done]);
    for at in (end..n).step_by(PANEL) {
        let cols = PANEL.min(n - at);
        // Column by column where the other triangle begins.
        for c in at..at + cols {
            let rows = at + cols - c;
            let to = right.reborrow().block([c, c - end], [rows, 1]).t().row(0)?;
            let of = w.block([c, 0], [1, done]).row(0)?;
            gemv_on(s, -T::ONE, l.block([c, 0], [rows, done]), of, T::ONE, to)?;
        }
        let below = at + cols;
        let p = Problem {
            alpha: -T::ONE,
            beta: T::ONE,
            a: l.block([below, 0], [n - below, done]),
            b: w.block([at, 0], [cols, done]).t(),
            c: right.reborrow().block([below, at - end], [n - below, cols]),
        };
        gemm_by(j, s, p, (), workspace)?;
    }
    Ok(())
}

pub(crate) fn ldlt_solve_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    factors: MatRef<'_, T>,
    off: &[T],
    pivots: &[u32],
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (n, left, one) = (factors.rows(), Side::Left, T::ONE);
    check_solve(factors, pivots, &b, workspace)?;
    same_len("off", n, off.len())?;
    let of = |k: usize| off.get(k).copied().filter(|_| k + 1 < n).unwrap_or_default();
    let d = |k: usize| factors.get(k, k).unwrap_or_default();
    let mut k = 0;
    while k < n {
        let two = of(k) != T::ZERO;
        if !two && d(k) == T::ZERO {
            return Err(Error::pivot("factors", k));
        }
        k += 1 + usize::from(two);
    }
    exchange(s, b.reborrow(), pivots)?;
    trsm_by(j, s, left, one, Triangle::Lower, Diagonal::Unit, factors, b.reborrow(), workspace)?;
    let mut k = 0;
    while k < n {
        let beside = of(k);
        let two = beside != T::ZERO;
        let (p, q) = (d(k) / beside, d(k + 1) / beside);
        let by = p * q - one;
        for c in 0..b.cols() {
            let x = b.get(k, c).unwrap_or_default();
            if two {
                let (x, y) = (x / beside, b.get(k + 1, c).unwrap_or_default() / beside);
                b.set(k, c, (q * x - y) / by);
                b.set(k + 1, c, (p * y - x) / by);
            } else {
                b.set(k, c, x / d(k));
            }
        }
        k += 1 + usize::from(two);
    }
    trsm_by(j, s, left, one, Triangle::Upper, Diagonal::Unit, factors.t(), b.reborrow(), workspace)?;
    exchange_back(s, b.reborrow(), pivots)?;
    contract!(
        ldlt_solve,
        Ok(()),
        each | check | {
            // Which row of the solution is that of a row of D the exchanges say; NaN spreads to the sum of all.
            let sum = |j: usize| (0..n).filter_map(|i| b.get(i, j)).fold(T::ZERO, |sum, x| sum + x);
            let all = (0..n).flat_map(|i| (0..b.cols()).map(move |j| [i, j]));
            let mut pairs = all.filter_map(|[i, j]| Some((factors.get(i, i)?, sum(j))));
            pairs.try_for_each(|(u, x)| check(&Call::new(&[&[u]], &[x])))
        }
    )
}
