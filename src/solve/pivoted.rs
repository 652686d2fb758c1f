//! QR with column pivoting, `AP = QR`, and least squares of rank-deficient matrices (`least_norm`).

use super::qr::{apply, factor, qr_apply_workspace, qr_workspace, reflection};
use super::{abs, finite, positions};
use crate::alu::not_negative;
use crate::blas::{Diagonal, Side, Triangle, nrm2_on, transpose, trsm_by, trsm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::pointwise::axpy_on;
use crate::reduce::dot_on;
use crate::slices::swap;
use crate::view::{MatMut, MatRef, VecRef};

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Elements of workspace that [`qr_pivoted`] needs for an `m` by `n` A.
pub const fn qr_pivoted_workspace(m: usize, n: usize) -> usize {
    m.saturating_add(2).saturating_mul(n)
}

/// Elements of workspace that [`least_norm`] needs for an `m` by `n` A and a B of `cols` columns.
pub const fn least_norm_workspace(m: usize, n: usize, cols: usize) -> usize {
    let k = if m < n { m } else { n };
    let (left, right) = (qr_apply_workspace(m, k, cols), qr_apply_workspace(n, k, cols));
    let (solve, turn) = (trsm_workspace(Side::Left, k, cols), qr_workspace(n, k));
    // The rows of R that count, what their own factors are scaled by, and a column of X.
    let kept = n.saturating_mul(k).saturating_add(k);
    let then = max(max(right, solve), max(turn, n));
    max(max(qr_pivoted_workspace(m, n), left), kept.saturating_add(then))
}

ops! { $ pivoted_ops in crate::solve::pivoted;
    /// `AP = QR` with the largest of the columns that are left in front at each step, so that the diagonal of R descends in magnitude: R and Q lie
    /// where A was, as [`qr`](crate::qr()) leaves them, and column `j` of `AP` is column `pivots[j]` of A.
    ///
    /// Shapes: A is `m` by `n`, of any strides; `tau` has `min(m, n)` elements, `pivots` `n`. `QR` equals `AP` to within `γ_(c·mn)` of each column's norm. Norms
    /// of what is left of columns are followed, and computed anew where too little is left for that. [`qr_apply`](crate::qr_apply()) multiplies with Q.
    ///
    /// NaN and ±0: NaN and infinities are refused. The first of equal norms is in front. The squares of a column's norms have to be normal numbers or 0,
    /// for its place alone.
    ///
    /// Errors: [`Error::Len`] names `tau` or `pivots`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an
    /// infinity. Nothing is written then.
    ///
    /// Scratch: [`qr_pivoted_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, qr_pivoted, qr_pivoted_workspace};
    /// let (mut a, mut tau, mut pivots) = ([1.0f64, 3.0, 1.0, 4.0], [0.0; 2], [0; 2]);
    /// let mut workspace = [0.0; qr_pivoted_workspace(2, 2)];
    /// qr_pivoted(MatMut::row_major(&mut a, 2, 2)?, &mut tau, &mut pivots, &mut workspace)?;
    /// assert_eq!(pivots, [1, 0]);
    /// assert!((a[0] + 5.0).abs() < 1e-14 && (a[1] + 1.4).abs() < 1e-14);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: P. Businger, G. Golub, "Linear Least Squares Solutions by Householder Transformations" (1965); the norms: Z. Drmač, Z. Bujanović, "On the
    /// Failure of Rank-Revealing QR Factorization Software" (2008). Contract: `contracts/qr_pivoted-v1.yaml`.
    #[doc(alias = "geqp3")]
    serial qr_pivoted, qr_pivoted_on, qr_pivoted_by (a: mat_inout T, tau: out T, pivots: out u32, workspace: scratch T) -> Result<()>;

    /// The X of least norm among those for which `|AX - B|`, column by column, is least, whatever A's rank, which is returned: the number of elements of
    /// the diagonal of R, of [`qr_pivoted`], whose magnitude is more than `tolerance` times the first. What is less counts as 0. X lies over the
    /// first `n` rows of B; A, `tau` and `pivots` become those of `qr_pivoted`.
    ///
    /// Shapes: A is `m` by `n`, B has `max(m, n)` rows, of which the first `m` are the right-hand sides, and any number of columns; any strides; `tau` has
    /// `min(m, n)` elements, `pivots` `n`. A `tolerance` of `max(m, n)·ε` keeps what rounding leaves; R's diagonal may overstate the
    /// smallest singular value, at worst by `2^n`, which no matrix but such as Kahan's does.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: [`Error::Shape`] names `b`; [`Error::Len`] names `tau` or `pivots`; [`Error::Domain`] `tolerance` when it is negative or NaN;
    /// [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity. Nothing is written then.
    ///
    /// Scratch: [`least_norm_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, least_norm, least_norm_workspace};
    /// // Both columns are the same: x + y = 3 in the mean.
    /// let (mut a, mut b) = ([1.0f64, 1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 3.0, 4.0]);
    /// let (mut tau, mut pivots, mut workspace) = ([0.0; 2], [0; 2], [0.0; least_norm_workspace(3, 2, 1)]);
    /// let (a, x) = (MatMut::row_major(&mut a, 3, 2)?, MatMut::row_major(&mut b, 3, 1)?);
    /// assert_eq!(least_norm(a, &mut tau, &mut pivots, x, 1e-12, &mut workspace)?, 1);
    /// assert!((b[0] - 1.5).abs() < 1e-14 && (b[1] - 1.5).abs() < 1e-14);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: G. Golub, C. Van Loan, "Matrix Computations", §5.5 (the complete orthogonal decomposition). Contract: `contracts/least_norm-v1.yaml`.
    #[doc(alias = "pinv")]
    #[doc(alias = "gelsy")]
    serial least_norm, least_norm_on, least_norm_by
        (a: mat_inout T, tau: out T, pivots: out u32, b: mat_inout T, tolerance: by T, workspace: scratch T) -> Result<usize>;
}

/// The factors, on a copy whose columns follow each other, with the norms of what is left of them behind it.
fn pivot<S: Simd, T: Element>(
    s: S,
    a: MatMut<'_, T>,
    tau: &mut [T],
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    let (scratch, norms) = workspace.split_at_mut_checked(m * n).unwrap_or_default();
    let (left, whole) = norms.split_at_mut_checked(n).unwrap_or_default();
    transpose::run(Serial, s, a.as_ref(), MatMut::packed(scratch, n, m));
    let at_least_one = m.max(1);
    for (j, column) in scratch.chunks_exact(at_least_one).enumerate() {
        let norm = nrm2_on(s, VecRef::from(column));
        if let (Some(p), Some(l), Some(w)) = (pivots.get_mut(j), left.get_mut(j), whole.get_mut(j)) {
            (*p, *l, *w) = (j as u32, norm, norm);
        }
    }
    // Below this share of its square a norm that is followed has no digits.
    let lost = T::from_f64(libm::sqrt(libm::ldexp(1.0, -T::SIGNIFICAND - 1)));
    for (k, tau) in tau.iter_mut().enumerate() {
        let rest = left.iter().enumerate().skip(k);
        let Some((most, _)) = rest.reduce(|x, y| if y.1 > x.1 { y } else { x }) else { continue };
        if most != k {
            let (before, from) = scratch.split_at_mut_checked(most * m).unwrap_or_default();
            let (here, there) = (before.get_mut(k * m..(k + 1) * m), from.get_mut(..m));
            if let (Some(here), Some(there)) = (here, there) {
                here.swap_with_slice(there);
            }
            swap(pivots, k, most);
            if let (Some(l), Some(w)) = (left.get(k).copied(), whole.get(k).copied())
                && let (Some(to_l), Some(to_w)) = (left.get_mut(most), whole.get_mut(most))
            {
                (*to_l, *to_w) = (l, w);
            }
        }
        let (done, others) = scratch.split_at_mut_checked((k + 1) * m).unwrap_or_default();
        let x = done.get_mut(k * m + k..).unwrap_or_default();
        *tau = reflection(s, x);
        let Some(r) = x.first_mut().map(|x| core::mem::replace(x, T::ONE)) else { continue };
        for (column, j) in others.chunks_exact_mut(at_least_one).zip(k + 1..) {
            let to = column.get_mut(k..).unwrap_or_default();
            let w = dot_on(s, x, to)?;
            axpy_on(s, -*tau * w, x, to)?;
            let (Some(l), Some(w)) = (left.get_mut(j), whole.get_mut(j)) else { continue };
            let Some((first, below)) = to.split_first().filter(|_| *l != T::ZERO) else { continue };
            let share = abs(*first) / *l;
            let rest = T::ONE - share * share;
            let rest = if rest > T::ZERO { rest } else { T::ZERO };
            let of = *l / *w;
            if rest * of * of <= lost {
                *l = nrm2_on(s, VecRef::from(below));
                *w = *l;
            } else {
                *l = *l * T::from_f64(libm::sqrt(rest.to_f64()));
            }
        }
        if let Some(first) = x.first_mut() {
            *first = r;
        }
    }
    transpose::run(Serial, s, MatRef::packed(scratch, n, m), a);
    Ok(())
}

pub(crate) fn qr_pivoted_by<S: Simd, T: Element>(
    s: S,
    a: MatMut<'_, T>,
    tau: &mut [T],
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    same_len("tau", m.min(n), tau.len())?;
    same_len("pivots", n, pivots.len())?;
    positions("a", n)?;
    enough(qr_pivoted_workspace(m, n), workspace.len())?;
    if tau.is_empty() {
        pivots.iter_mut().enumerate().for_each(|(j, p)| *p = j as u32);
        return Ok(());
    }
    finite("a", a.as_ref(), None)?;
    contract!(
        qr_pivoted,
        pivot(s, a, tau, pivots, workspace),
        each | check | tau.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}

#[allow(clippy::too_many_arguments, reason = "the operands, and what counts as 0")]
pub(crate) fn least_norm_by<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    tau: &mut [T],
    pivots: &mut [u32],
    mut b: MatMut<'_, T>,
    tolerance: T,
    workspace: &mut [T],
) -> Result<usize, Error> {
    let (m, n, cols) = (a.rows(), a.cols(), b.cols());
    same_len("tau", m.min(n), tau.len())?;
    same_len("pivots", n, pivots.len())?;
    positions("a", n)?;
    same_shape("b", [m.max(n), cols], [b.rows(), cols])?;
    not_negative("tolerance", tolerance)?;
    enough(least_norm_workspace(m, n, cols), workspace.len())?;
    let sides = b.as_ref().block([0, 0], [m, usize::MAX]);
    if !tau.is_empty() {
        finite("a", a.as_ref(), None)?;
    }
    if cols > 0 {
        finite("b", sides, None)?;
    }
    let rank = if tau.is_empty() {
        pivots.iter_mut().enumerate().for_each(|(j, p)| *p = j as u32);
        0
    } else {
        pivot(s, a.reborrow(), tau, pivots, workspace)?;
        let size = |i: usize| a.get(i, i).map_or(T::ZERO, abs);
        let least = tolerance * size(0);
        (0..tau.len()).take_while(|i| size(*i) > least).count()
    };
    if cols > 0 {
        if rank > 0 {
            let right = b.reborrow().block([0, 0], [m, usize::MAX]);
            apply(Serial, s, true, a.as_ref(), tau, right, workspace)?;
        }
        shortest(s, a.as_ref(), rank, pivots, b.reborrow(), workspace)?;
    }
    contract!(
        least_norm,
        Ok(rank),
        each | check | tau.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}

/// X over `QᵀB`: the first rows of R, transposed, are factored once more.
fn shortest<S: Simd, T: Element>(
    s: S,
    factors: MatRef<'_, T>,
    rank: usize,
    pivots: &[u32],
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (n, cols) = (factors.cols(), b.cols());
    for i in rank..n {
        (0..cols).for_each(|c| _ = b.set(i, c, T::ZERO));
    }
    let mut x = b.reborrow().block([0, 0], [n, usize::MAX]);
    let top = x.reborrow().block([0, 0], [rank, usize::MAX]);
    if rank == n {
        let r = factors.block([0, 0], [n, n]);
        trsm_by(Serial, s, Side::Left, T::ONE, Triangle::Upper, Diagonal::NonUnit, r, top, workspace)?;
    } else if rank > 0 {
        let (kept, rest) = workspace.split_at_mut_checked(n * rank).unwrap_or_default();
        let (tau, rest) = rest.split_at_mut_checked(rank).unwrap_or_default();
        let mut kept = MatMut::packed(kept, n, rank);
        for i in 0..rank {
            for c in 0..n {
                let r = if c < i { T::ZERO } else { factors.get(i, c).unwrap_or_default() };
                kept.set(c, i, r);
            }
        }
        factor(Serial, s, kept.reborrow(), tau, rest)?;
        let l = kept.as_ref().block([0, 0], [rank, rank]).t();
        trsm_by(Serial, s, Side::Left, T::ONE, Triangle::Lower, Diagonal::NonUnit, l, top, rest)?;
        apply(Serial, s, false, kept.as_ref(), tau, x.reborrow(), rest)?;
    }
    let column = workspace.get_mut(..n).unwrap_or_default();
    for c in 0..cols {
        for (i, p) in pivots.iter().enumerate() {
            if let Some(to) = column.get_mut(*p as usize) {
                *to = x.get(i, c).unwrap_or_default();
            }
        }
        for (i, of) in column.iter().enumerate() {
            x.set(i, c, *of);
        }
    }
    Ok(())
}
