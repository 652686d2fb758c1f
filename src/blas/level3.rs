//! BLAS level 3 of symmetric matrices, reduced to the general matrix product: [`symm`], [`syrk`], [`syr2k`].

use super::gemm::{Problem, gemm_by, gemm_workspace};
use super::level2::{check_nans, nan};
use super::{Side, Triangle};
use super::{elementwise, transpose};
use crate::alu::{Alu, Body, Number};
use crate::contract::contract;
use crate::error::{Error, enough, same_shape};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd, strided};
use crate::view::{MatMut, MatRef, VecMut, VecRef};

/// Rows of a symmetric matrix that are written out at a time.
pub(crate) const BAND: usize = 256;

/// Rows and columns of the blocks on C's diagonal, whose halves are merged into it. Where both halves are of use
/// they may be larger.
const fn corner(both: bool) -> usize {
    if both { 64 } else { 48 }
}

/// Elements of workspace that [`symm`] needs for an `m` by `n` C.
pub const fn symm_workspace(side: Side, m: usize, n: usize) -> usize {
    let (n, m) = match side {
        Side::Left => (n, m),
        Side::Right => (m, n),
    };
    if m == 0 || n == 0 {
        return 0;
    }
    let band = if m < BAND { m } else { BAND };
    band.saturating_mul(m).saturating_add(gemm_workspace(band, n, m))
}

ops! { $ level3_ops in crate::blas::level3;
    /// `C = αAB + βC`, or `C = αBA + βC`, for a symmetric A of which one triangle is read.
    ///
    /// Shapes: B and C are `m` by `n`, A is `m` by `m` on the left and `n` by `n` on the right; any strides. The order
    /// of each sum is that of [`gemm`](crate::gemm()), and so is its error bound.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `a`, `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`symm_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, Side, Triangle, symm, symm_workspace};
    /// let (a, b, mut c) = ([1.0f32, 0.0, 2.0, 3.0], [1.0f32, 10.0], [0.0f32; 2]);
    /// let mut workspace = [0.0; symm_workspace(Side::Left, 2, 1)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 1)?);
    /// let c_view = MatMut::row_major(&mut c, 2, 1)?;
    /// symm(Side::Left, 1.0, Triangle::Lower, a, b, 0.0, c_view, &mut workspace)?;
    /// assert_eq!(c, [21.0, 32.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 3. Contract: `contracts/symm-v1.yaml`.
    threads symm, symm_on, symm_by
        (side: by Side, alpha: by T, triangle: by Triangle, a: mat T, b: mat T, beta: by T, c: mat_inout T, workspace: scratch T) -> Result<()>;

    /// `C = αAAᵀ + βC` in one triangle of the symmetric C; the other is neither read nor written.
    ///
    /// Shapes: A is `n` by `k`, C is `n` by `n`; any strides; `αAᵀA` is `syrk` of `a.t()`. The order of each sum is
    /// that of [`gemm`](crate::gemm()), and so is its error bound.
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`syrk_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, Triangle, syrk, syrk_workspace};
    /// let (a, mut c) = ([1.0f32, 2.0], [0.0f32; 4]);
    /// let mut workspace = [0.0; syrk_workspace(2, 1)];
    /// let (a, to) = (MatRef::row_major(&a, 2, 1)?, MatMut::row_major(&mut c, 2, 2)?);
    /// syrk(1.0, a, 0.0, Triangle::Lower, to, &mut workspace)?;
    /// assert_eq!(c, [1.0, 0.0, 2.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 3. Contract: `contracts/syrk-v1.yaml`.
    threads syrk, syrk_on, syrk_by
        (alpha: by T, a: mat T, beta: by T, triangle: by Triangle, c: mat_inout T, workspace: scratch T) -> Result<()>;

    /// `C = αABᵀ + αBAᵀ + βC` in one triangle of the symmetric C; the other is neither read nor written.
    ///
    /// Shapes: A and B are `n` by `k`, C is `n` by `n`; any strides. The two products are added one after the other,
    /// each in the order of [`gemm`](crate::gemm()).
    ///
    /// NaN and ±0: as [`gemm`](crate::gemm()).
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`syr2k_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, Triangle, syr2k, syr2k_workspace};
    /// let (a, b, mut c) = ([1.0f32, 2.0], [3.0f32, 4.0], [0.0f32; 4]);
    /// let mut workspace = [0.0; syr2k_workspace(2, 1)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 1)?, MatRef::row_major(&b, 2, 1)?);
    /// syr2k(1.0, a, b, 0.0, Triangle::Upper, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [6.0, 10.0, 0.0, 16.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 3. Contract: `contracts/syr2k-v1.yaml`.
    threads syr2k, syr2k_on, syr2k_by
        (alpha: by T, a: mat T, b: mat T, beta: by T, triangle: by Triangle, c: mat_inout T, workspace: scratch T) -> Result<()>;
}

/// [`symm_on`], the parts of products run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn symm_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    side: Side,
    alpha: T,
    triangle: Triangle,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let k = match side {
        Side::Left => b.rows(),
        Side::Right => b.cols(),
    };
    same_shape("a", [k, k], [a.rows(), a.cols()])?;
    same_shape("c", [b.rows(), b.cols()], [c.rows(), c.cols()])?;
    if c.rows() == 0 || c.cols() == 0 {
        return Ok(());
    }
    enough(symm_workspace(side, c.rows(), c.cols()), workspace.len())?;
    // C = BA is Cᵀ = ABᵀ.
    let (b, mut to) = match side {
        Side::Left => (b, c.reborrow()),
        Side::Right => (b.t(), c.reborrow().t()),
    };
    let lower = if triangle == Triangle::Upper { a.t() } else { a };
    let band = k.min(BAND);
    let (rows, rest) = workspace.split_at_mut_checked(band * k).unwrap_or_default();
    let mut i = 0;
    while i < k {
        let n = band.min(k - i);
        let rows = rows.get_mut(..n * k).unwrap_or_default();
        // α = 0 reads no A.
        if alpha != T::ZERO {
            mirror(s, lower, i, rows, k);
        }
        let a = MatRef::packed(rows, n, k);
        let c = to.reborrow().block([i, 0], [n, usize::MAX]);
        gemm_by(j, s, Problem { alpha, beta, a, b, c }, (), rest)?;
        i += n;
    }
    contract!(
        symm,
        Ok(()),
        each | check | {
            let value = |i, j| if triangle.holds(i, j) { a.get(i, j) } else { a.get(j, i) };
            let of_a = |i| alpha != T::ZERO && (0..k).any(|p| nan(value(i, p)));
            let (b, c) = if side == Side::Left { (b, c.as_ref()) } else { (b, c.as_ref().t()) };
            let of_b = |j| alpha != T::ZERO && (0..k).any(|p| nan(b.get(p, j)));
            check_nans([c.rows(), c.cols()], |i, j| c.get(i, j), of_a, of_b, check)
        }
    )
}

/// Rows of the symmetric matrix from row `first` on, from its lower triangle.
fn mirror<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, first: usize, to: &mut [T], k: usize) {
    let n = to.len().checked_div(k).unwrap_or(0);
    let mut to = MatMut::packed(to, n, k);
    let all = usize::MAX;
    let (left, square, below) = (
        a.block([first, 0], [n, first]),
        a.block([first, first], [n, n]),
        a.block([first + n, first], [all, n]),
    );
    transpose::run(Serial, s, left.t(), to.reborrow().block([0, 0], [n, first]));
    transpose::run(Serial, s, below, to.reborrow().block([0, first + n], [n, all]));
    // The other triangle of the square comes along, and is written over.
    transpose::run(Serial, s, square, to.reborrow().block([0, first], [n, n]));
    for i in 0..n {
        let row = VecMut::of_col(to.reborrow().block([i, first], [1, i + 1]).t());
        elementwise::zip(s, Second, row, VecRef::of_col(square.block([i, 0], [1, i + 1]).t()));
    }
}

/// Elements of workspace that [`syrk`] needs for an `n` by `k` A.
pub const fn syrk_workspace(n: usize, k: usize) -> usize {
    rank_workspace(n, k, false)
}

/// Elements of workspace that [`syr2k`] needs for `n` by `k` A and B.
pub const fn syr2k_workspace(n: usize, k: usize) -> usize {
    rank_workspace(n, k, true)
}

/// Columns of the room for a corner of `n` rows: whole cache lines.
const fn pitch(n: usize) -> usize {
    n.next_multiple_of(16)
}

/// Rows of the first of two parts, from which corners are cut.
const fn first_part(n: usize, corner: usize) -> usize {
    let h = (n / 2).next_multiple_of(corner);
    if h >= n { h - corner } else { h }
}

/// A corner, and beside it the largest product's or the corner once more.
const fn rank_workspace(n: usize, k: usize, both: bool) -> usize {
    let most = corner(both);
    let (scratch, product) = if n <= most {
        (n * pitch(n), gemm_workspace(n, n, k))
    } else {
        let h = first_part(n, most);
        (most * pitch(most), gemm_workspace(n - h, h, k))
    };
    scratch.saturating_add(if both && scratch > product { scratch } else { product })
}

/// [`syrk_on`], the parts of products run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn syrk_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    beta: T,
    triangle: Triangle,
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("c", [n, n], [c.rows(), c.cols()])?;
    enough(syrk_workspace(n, a.cols()), workspace.len())?;
    let lower = lower(triangle, c.reborrow());
    rank_k::<_, _, _, false>(j, s, alpha, a, a, beta, lower, workspace)?;
    contract!(
        syrk,
        Ok(()),
        each | check | {
            let row = |i| alpha != T::ZERO && (0..a.cols()).any(|p| nan(a.get(i, p)));
            let out = |i, j| if triangle.holds(i, j) { c.get(i, j) } else { None };
            check_nans([n, n], out, row, row, check)
        }
    )
}

/// [`syr2k_on`], the parts of products run by `j`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn syr2k_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    triangle: Triangle,
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("b", [n, a.cols()], [b.rows(), b.cols()])?;
    same_shape("c", [n, n], [c.rows(), c.cols()])?;
    enough(syr2k_workspace(n, a.cols()), workspace.len())?;
    let lower = lower(triangle, c.reborrow());
    rank_k::<_, _, _, true>(j, s, alpha, a, b, beta, lower, workspace)?;
    contract!(
        syr2k,
        Ok(()),
        each | check | {
            let of = |i| (0..a.cols()).any(|p| nan(a.get(i, p)) || nan(b.get(i, p)));
            let row = |i| alpha != T::ZERO && of(i);
            let out = |i, j| if triangle.holds(i, j) { c.get(i, j) } else { None };
            check_nans([n, n], out, row, row, check)
        }
    )
}

/// The same symmetric matrix by its lower triangle.
#[inline(always)]
fn lower<T>(triangle: Triangle, c: MatMut<'_, T>) -> MatMut<'_, T> {
    if triangle == Triangle::Upper { c.t() } else { c }
}

/// `C = αABᵀ + βC` in the lower triangle, then `C += αBAᵀ` if `BOTH`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
fn rank_k<J: Executor, S: Simd, T: Element, const BOTH: bool>(
    j: J,
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (n, most) = (c.rows(), const { corner(BOTH) });
    if n <= most {
        let pitch = pitch(n);
        let (corner, rest) = workspace.split_at_mut_checked(n * pitch).unwrap_or_default();
        // Next to the corner β is taken, in it the product alone: where that is empty, so that β = 0 gives zeros.
        let to = MatMut::packed(corner, n, pitch).block([0, 0], [n, n]);
        gemm_by(j, s, Problem { alpha, beta: T::ZERO, a, b: b.t(), c: to }, (), rest)?;
        let corner = MatRef::packed(corner, n, pitch).block([0, 0], [n, n]);
        merge(s, beta, corner, c.reborrow());
        if BOTH {
            // The second product is the first one's transpose, bit for bit.
            let mut other = MatMut::packed(rest, n, pitch).block([0, 0], [n, n]);
            transpose::run(Serial, s, corner, other.reborrow());
            merge(s, T::ONE, other.as_ref(), c);
        }
        return Ok(());
    }
    let h = first_part(n, most);
    let all = usize::MAX;
    let (a1, a2) = (a.block([0, 0], [h, all]), a.block([h, 0], [n - h, all]));
    let (b1, b2) = (b.block([0, 0], [h, all]), b.block([h, 0], [n - h, all]));
    rank_k::<_, _, _, BOTH>(j, s, alpha, a1, b1, beta, c.reborrow().block([0, 0], [h, h]), workspace)?;
    rank_k::<_, _, _, BOTH>(
        j,
        s,
        alpha,
        a2,
        b2,
        beta,
        c.reborrow().block([h, h], [n - h, n - h]),
        workspace,
    )?;
    let mut c = c.block([h, 0], [n - h, h]);
    gemm_by(j, s, Problem { alpha, beta, a: a2, b: b1.t(), c: c.reborrow() }, (), workspace)?;
    if BOTH {
        gemm_by(j, s, Problem { alpha, beta: T::ONE, a: b2, b: a1.t(), c }, (), workspace)?;
    }
    Ok(())
}

/// `C = βC + X` in the lower triangle; β = 0 does not read C.
fn merge<S: Simd, T: Element>(s: S, beta: T, x: MatRef<'_, T>, mut c: MatMut<'_, T>) {
    s.vectorize(
        #[inline(always)]
        || {
            for i in 0..c.rows() {
                let row = VecMut::of_col(c.reborrow().block([i, 0], [1, i + 1]).t());
                let x = VecRef::of_col(x.block([i, 0], [1, i + 1]).t());
                if beta == T::ZERO {
                    strided::zip_in_place(s, Second, row, x);
                } else {
                    strided::zip_in_place(s, Merge(beta), row, x);
                }
            }
        },
    );
}

/// `βy + x`.
#[derive(Clone, Copy)]
struct Merge<T>(T);
impl<T: Number> Body<T, 2> for Merge<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [y, x]: [V; 2]) -> V {
        y.mul_add(y.param(self.0), x)
    }
}

/// `x`, whatever `y` is.
#[derive(Clone, Copy)]
pub(super) struct Second;
impl<T: Number> Body<T, 2> for Second {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [_, x]: [V; 2]) -> V {
        x
    }
}
