//! BLAS level 3 of triangular matrices, blocked on the general matrix product: [`trmm`] and [`trsm`].
//!
//! One case is written, a lower triangle on the left: a triangle on the right is the transpose, and an upper one is
//! read backwards. The triangle is halved until it is small enough for [`triangular_kernel`], and the off-diagonal
//! blocks are matrix products.

use super::elementwise;
use super::gemm::{Problem, gemm_by, gemm_workspace};
use super::level2::{BASE, check_nans, dense, half};
use super::transpose;
use super::triangular_kernel::{self, strips};
use super::trmv::nan_in_row;
use super::{Diagonal, Side, Triangle};
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, enough, same_shape};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{COMPACT, Element, Simd};
use crate::view::{MatMut, MatRef, VecMut};

/// Elements of workspace that [`trmm`] needs for an `m` by `n` B.
pub const fn trmm_workspace(side: Side, m: usize, n: usize) -> usize {
    let (m, n) = match side {
        Side::Left => (m, n),
        Side::Right => (n, m),
    };
    if m == 0 || n == 0 {
        return 0;
    }
    let part = if m > triangular_kernel::MOST { first_part(m) } else { m.div_ceil(2).saturating_add(BASE) };
    gemm_workspace(part, n, part)
}

/// Rows of the first of two parts: not the smaller one.
const fn first_part(n: usize) -> usize {
    if n > triangular_kernel::MOST { (n / 2).next_multiple_of(triangular_kernel::MOST) } else { half(n) }
}

/// Elements of workspace that [`trsm`] needs for an `m` by `n` B.
pub const fn trsm_workspace(side: Side, m: usize, n: usize) -> usize {
    trmm_workspace(side, m, n)
}

ops! { $ triangular_ops in crate::blas::triangular;
    /// `B = αAB`, or `B = αBA`, for a triangular A; the other triangle is not read.
    ///
    /// Shapes: B is `m` by `n`, A is `m` by `m` on the left and `n` by `n` on the right; any strides; a transposed A is
    /// `a.t()` with the other triangle. An element's error is within `γ_(k + log₂k + 4)·|α||A||B|` for A of order `k`.
    ///
    /// NaN and ±0: `α = 0` writes zeros and reads neither A nor B. Otherwise NaN and infinities spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `a`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`trmm_workspace`].
    ///
    /// ```
    /// use fulmen::{Diagonal, MatMut, MatRef, Side, Triangle, trmm, trmm_workspace};
    /// let (a, mut b) = ([2.0f32, f32::NAN, 3.0, 4.0], [1.0f32, 10.0]);
    /// let mut workspace = [0.0; trmm_workspace(Side::Left, 2, 1)];
    /// let (a, to) = (MatRef::row_major(&a, 2, 2)?, MatMut::row_major(&mut b, 2, 1)?);
    /// trmm(Side::Left, 1.0, Triangle::Lower, Diagonal::NonUnit, a, to, &mut workspace)?;
    /// assert_eq!(b, [2.0, 43.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 3. Contract: `contracts/trmm-v1.yaml`.
    threads trmm, trmm_on, trmm_by
        (side: by Side, alpha: by T, triangle: by Triangle, diagonal: by Diagonal, a: mat T, b: mat_inout T, workspace: scratch T) -> Result<()>;

    /// `B = αA⁻¹B`, or `B = αBA⁻¹`, for a triangular A: solves `AX = αB`, or `XA = αB`, over B. The other triangle is
    /// not read.
    ///
    /// Shapes: B is `m` by `n`, A is `m` by `m` on the left and `n` by `n` on the right; any strides; a transposed A is
    /// `a.t()` with the other triangle. Each column of X (each row, from the right) is the exact solution for a
    /// triangle whose elements differ by at most `γ_(2k + 4)` of themselves, A of order `k`. There is no test for
    /// singularity: a zero on the diagonal divides as IEEE 754 says. What is divided by is inverted first, where
    /// the inverse is a normal number.
    ///
    /// NaN and ±0: `α = 0` writes zeros and reads neither A nor B. Otherwise NaN and infinities spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `a`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`trsm_workspace`].
    ///
    /// ```
    /// use fulmen::{Diagonal, MatMut, MatRef, Side, Triangle, trsm, trsm_workspace};
    /// let (a, mut b) = ([2.0f32, f32::NAN, 3.0, 4.0], [2.0f32, 43.0]);
    /// let mut workspace = [0.0; trsm_workspace(Side::Left, 2, 1)];
    /// let (a, to) = (MatRef::row_major(&a, 2, 2)?, MatMut::row_major(&mut b, 2, 1)?);
    /// trsm(Side::Left, 1.0, Triangle::Lower, Diagonal::NonUnit, a, to, &mut workspace)?;
    /// assert_eq!(b, [1.0, 10.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 3; the bound: N. Higham, "Accuracy and Stability of Numerical Algorithms", §8.1. Contract:
    /// `contracts/trsm-v1.yaml`.
    threads trsm, trsm_on, trsm_by
        (side: by Side, alpha: by T, triangle: by Triangle, diagonal: by Diagonal, a: mat T, b: mat_inout T, workspace: scratch T) -> Result<()>;
}

/// [`trmm_on`], the parts of products run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn trmm_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    side: Side,
    alpha: T,
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    checked(side, a, &b, workspace)?;
    {
        let mut p = Lower::new(side, triangle, diagonal, a, b.reborrow());
        scale(s, alpha, p.b.reborrow());
        if alpha != T::ZERO && !p.is_empty() {
            p.multiply(j, s, workspace)?;
        }
    }
    contract!(trmm, Ok(()), each | check | rows(side, alpha, triangle, diagonal, a, b.as_ref(), check))
}

/// [`trsm_on`], the parts of products run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn trsm_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    side: Side,
    alpha: T,
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    checked(side, a, &b, workspace)?;
    {
        let mut p = Lower::new(side, triangle, diagonal, a, b.reborrow());
        scale(s, alpha, p.b.reborrow());
        if alpha != T::ZERO && !p.is_empty() {
            p.solve(j, s, workspace)?;
        }
    }
    contract!(trsm, Ok(()), each | check | rows(side, alpha, triangle, diagonal, a, b.as_ref(), check))
}

/// `Ok` when A fits B and the workspace is long enough.
fn checked<T>(side: Side, a: MatRef<'_, T>, b: &MatMut<'_, T>, workspace: &[T]) -> Result<(), Error> {
    let k = match side {
        Side::Left => b.rows(),
        Side::Right => b.cols(),
    };
    same_shape("a", [k, k], [a.rows(), a.cols()])?;
    enough(trmm_workspace(side, b.rows(), b.cols()), workspace.len())
}

/// [`check_nans`] from the rows of the triangle, seen from the left.
fn rows<T: Element>(
    side: Side,
    alpha: T,
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let (a, triangle, b) = match side {
        Side::Left => (a, triangle, b),
        Side::Right => (a.t(), triangle.t(), b.t()),
    };
    let row = |i| alpha != T::ZERO && nan_in_row(triangle, diagonal, a, i);
    check_nans([b.rows(), b.cols()], |i, j| b.get(i, j), row, |_| false, check)
}

/// `B = αB`, without reading it when α = 0.
fn scale<S: Simd, T: Element>(s: S, alpha: T, b: MatMut<'_, T>) {
    let mut b = if b.col_stride() != 1 && b.row_stride() == 1 { b.t() } else { b };
    if alpha == T::ONE || b.cols() == 0 {
        return;
    }
    for i in 0..b.rows() {
        elementwise::scale(s, alpha, VecMut::of_col(b.reborrow().block([i, 0], [1, usize::MAX]).t()));
    }
}

/// A lower triangle on the left of B.
struct Lower<'a, T> {
    unit: bool,
    a: MatRef<'a, T>,
    b: MatMut<'a, T>,
}

impl<'a, T: Element> Lower<'a, T> {
    /// The case that does the same.
    fn new(side: Side, triangle: Triangle, diagonal: Diagonal, a: MatRef<'a, T>, b: MatMut<'a, T>) -> Self {
        let unit = diagonal == Diagonal::Unit;
        let (a, triangle, b) = match side {
            Side::Left => (a, triangle, b),
            Side::Right => (a.t(), triangle.t(), b.t()),
        };
        match triangle {
            Triangle::Lower => Self { unit, a, b },
            Triangle::Upper => Self { unit, a: a.reversed(), b: b.reversed_rows() },
        }
    }

    /// Whether there is nothing to write; not even the triangle is looked at then.
    fn is_empty(&self) -> bool {
        self.b.rows() == 0 || self.b.cols() == 0
    }

    /// The triangles above and below `h`, and the block between them.
    fn halves(&mut self, h: usize) -> Result<(Lower<'_, T>, MatRef<'_, T>, Lower<'_, T>), Error> {
        let (unit, n) = (self.unit, self.b.rows());
        let (a1, a21) = (self.a.block([0, 0], [h, h]), self.a.block([h, 0], [n - h, h]));
        let a2 = self.a.block([h, h], [n - h, n - h]);
        let (b1, b2) = self.b.reborrow().split_rows(h)?;
        Ok((Lower { unit, a: a1, b: b1 }, a21, Lower { unit, a: a2, b: b2 }))
    }

    /// `B = AB`.
    fn multiply<J: Executor, S: Simd>(&mut self, j: J, s: S, workspace: &mut [T]) -> Result<(), Error> {
        if self.small::<S, false>(s) {
            return Ok(());
        }
        let (mut first, a, mut second) = self.halves(first_part(self.b.rows()))?;
        second.multiply(j, s, workspace)?;
        let p = Problem { alpha: T::ONE, beta: T::ONE, a, b: first.b.as_ref(), c: second.b };
        gemm_by(j, s, p, (), workspace)?;
        first.multiply(j, s, workspace)
    }

    /// `B = A⁻¹B`.
    fn solve<J: Executor, S: Simd>(&mut self, j: J, s: S, workspace: &mut [T]) -> Result<(), Error> {
        if self.turned(s, workspace) || self.small::<S, true>(s) {
            return Ok(());
        }
        let (mut first, a, mut second) = self.halves(first_part(self.b.rows()))?;
        first.solve(j, s, workspace)?;
        let (b, c) = (first.b.as_ref(), second.b.reborrow());
        gemm_by(j, s, Problem { alpha: -T::ONE, beta: T::ONE, a, b, c }, (), workspace)?;
        second.solve(j, s, workspace)
    }

    /// All of it, if it is small enough and its rows are not what memory has: some columns after the other on a copy that has them.
    fn turned<S: Simd>(&mut self, s: S, workspace: &mut [T]) -> bool {
        let n = self.b.rows();
        if COMPACT
            || n <= BASE
            || n > triangular_kernel::MOST
            || self.b.col_stride() == 1
            || workspace.len() < n
        {
            return false;
        }
        let cols = self.b.cols();
        let wide = (workspace.len() / n).min(triangular_kernel::COPY / n);
        for at in (0..cols).step_by(wide) {
            let wide = wide.min(cols - at);
            let mut b = self.b.reborrow().block([0, at], [n, wide]);
            let Some(scratch) = workspace.get_mut(..n * wide) else { return false };
            transpose::run(Serial, s, b.as_ref().t(), MatMut::packed(scratch, n, wide));
            triangular_kernel::run::<S, T, true>(s, self.unit, self.a, MatMut::packed(scratch, n, wide));
            transpose::run(Serial, s, MatRef::packed(scratch, n, wide), b.reborrow().t());
        }
        true
    }

    /// All of it, if it is small enough.
    fn small<S: Simd, const SOLVE: bool>(&mut self, s: S) -> bool {
        let n = self.b.rows();
        if n <= BASE && (COMPACT || self.b.col_stride() != 1) {
            self.base::<S, SOLVE>(s);
        } else if !COMPACT && n <= triangular_kernel::MOST && self.b.col_stride() == 1 {
            triangular_kernel::run::<S, T, SOLVE>(s, self.unit, self.a, self.b.reborrow());
        } else {
            return false;
        }
        true
    }

    /// At most [`BASE`] rows.
    fn base<S: Simd, const SOLVE: bool>(&mut self, s: S) {
        let mut scratch = [T::ZERO; BASE * BASE];
        let unit = self.unit;
        let inverse = |x: T| T::ONE / x;
        // All of them are multiplied by, or all divided by.
        let normal = (0..self.a.rows()).all(|i| {
            let x = inverse(self.a.get(i, i).unwrap_or(T::ONE)).to_f64().abs();
            x < T::INFINITY.to_f64() && x >= T::MIN_NORMAL.to_f64()
        });
        let diagonal = |x: T| match (unit, SOLVE && normal) {
            (true, _) => T::ONE,
            (_, true) => inverse(x),
            _ => x,
        };
        dense(&mut scratch, self.a, false, diagonal);
        let (a, b) = (&scratch, self.b.reborrow());
        let divide = SOLVE && !normal && !unit;
        s.vectorize(
            #[inline(always)]
            || match (SOLVE, divide, unit) {
                (false, _, false) => strips::<S, T, 0>(s, a, b),
                (false, ..) => strips::<S, T, 1>(s, a, b),
                (_, true, _) => strips::<S, T, 2>(s, a, b),
                (_, _, false) => strips::<S, T, 3>(s, a, b),
                _ => strips::<S, T, 4>(s, a, b),
            },
        );
    }
}
