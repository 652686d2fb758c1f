//! The inverse of a matrix from its LU factors, and its condition number.

use super::lu::{exchange, exchange_back};
use super::{abs, divides, finite, lu};
use crate::blas::{Diagonal, Side, Triangle, trsm_by, trsm_workspace, trsv_on};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef, VecMut};

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Elements of workspace that [`inverse`] needs for an `n` by `n` A.
pub const fn inverse_workspace(n: usize) -> usize {
    max(lu::lu_workspace(n, n), n.saturating_mul(n).saturating_add(trsm_workspace(Side::Left, n, n)))
}

/// Elements of workspace that [`lu_condition`] needs for an A of order `n`.
pub const fn lu_condition_workspace(n: usize) -> usize {
    n.saturating_mul(2)
}

ops! { $ inverse_ops in crate::solve::inverse;
    /// `A⁻¹` over A, by [`lu`](crate::lu()) and a solve for each column. Who wants `A⁻¹B` has it sooner and better from
    /// [`lu_solve`](crate::lu_solve()).
    ///
    /// Shapes: A is `n` by `n`, of any strides; `pivots` has `n` elements, the exchanges of `lu`. Column by column, `|AX - I|` is at most
    /// `γ_(c·n)·|A||X|` for matrices whose pivots do not grow, c a small number.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: [`Error::Shape`] names `a`; [`Error::Len`] `pivots`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an
    /// infinity: nothing is written then. [`Error::Pivot`] with the index of the first pivot that is exactly 0: A holds the factors of `lu` then.
    ///
    /// Scratch: [`inverse_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, inverse, inverse_workspace};
    /// let mut a = [0.0f32, 2.0, 4.0, 0.0];
    /// inverse(MatMut::row_major(&mut a, 2, 2)?, &mut [0; 2], &mut [0.0; inverse_workspace(2)])?;
    /// assert_eq!(a, [0.0, 0.25, 0.5, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Du Croz, N. Higham, "Stability of Methods for Matrix Inversion" (1992). Contract: `contracts/inverse-v1.yaml`.
    #[doc(alias = "inv")]
    #[doc(alias = "getri")]
    threads inverse, inverse_on, inverse_by (a: mat_inout T, pivots: out u32, workspace: scratch T) -> Result<()>;
}

ops! { $ condition_ops in crate::solve::inverse;
    /// An estimate of `1/(‖A‖·‖A⁻¹‖)` in the 1-norm, for `PA = LU` by [`lu`](crate::lu()) and `norm`, the 1-norm of A (the largest sum of magnitudes of a
    /// column): about 1 at best, and near 0 where A is nearly singular; systems lose about as many digits as it has zeros. It is never less than the
    /// true one but for rounding, and seldom more than three times that.
    ///
    /// Shapes: `factors` is `n` by `n`, of any strides; `pivots` has `n` elements; 1 for nothing. At most five solves with A and five with its transpose.
    ///
    /// NaN and ±0: 0 where `norm` is 0, or a solution past the largest number.
    ///
    /// Errors: [`Error::Shape`] names `factors`; [`Error::Len`] and [`Error::Index`] name `pivots`; [`Error::Domain`] `norm` when it is negative, NaN or an
    /// infinity; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when `factors` holds NaN or an infinity.
    ///
    /// Scratch: [`lu_condition_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, lu, lu_condition, lu_condition_workspace, lu_workspace};
    /// let (mut a, mut pivots) = ([1.0f64, 0.0, 0.0, 0.001], [0; 2]);
    /// lu(MatMut::row_major(&mut a, 2, 2)?, &mut pivots, &mut [0.0; lu_workspace(2, 2)])?;
    /// let mut workspace = [0.0; lu_condition_workspace(2)];
    /// let estimate = lu_condition(MatRef::row_major(&a, 2, 2)?, &pivots, 1.0, &mut workspace)?;
    /// assert!((estimate - 0.001).abs() < 1e-15);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: N. Higham, "FORTRAN Codes for Estimating the One-Norm of a Real or Complex Matrix" (1988). Contract: `contracts/lu_condition-v1.yaml`.
    serial lu_condition, lu_condition_on, lu_condition_by (factors: mat T, pivots: in u32, norm: by T, workspace: scratch T) -> Result<T>;
}

pub(crate) fn inverse_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("pivots", n, pivots.len())?;
    enough(inverse_workspace(n), workspace.len())?;
    lu::lu_by(j, s, a.reborrow(), pivots, workspace)?;
    let (whole, rest) = workspace.split_at_mut_checked(n * n).unwrap_or_default();
    whole.fill(T::ZERO);
    whole.iter_mut().step_by(n.saturating_add(1)).for_each(|x| *x = T::ONE);
    let mut x = MatMut::packed(whole, n, n);
    exchange(s, x.reborrow(), pivots)?;
    let (left, factors) = (Side::Left, a.as_ref());
    trsm_by(j, s, left, T::ONE, Triangle::Lower, Diagonal::Unit, factors, x.reborrow(), rest)?;
    trsm_by(j, s, left, T::ONE, Triangle::Upper, Diagonal::NonUnit, factors, x.reborrow(), rest)?;
    for i in 0..n {
        for j in 0..n {
            a.set(i, j, x.get(i, j).unwrap_or_default());
        }
    }
    contract!(
        inverse,
        Ok(()),
        each | check | {
            let all = (0..n).flat_map(|i| (0..n).map(move |j| [i, j]));
            let mut all = all.filter_map(|[i, j]| a.get(i, j));
            all.try_for_each(|x| check(&Call::new(&[&[T::ZERO]], &[x])))
        }
    )
}

/// `A⁻¹x`, or that of the transpose, over x.
fn solve<S: Simd, T: Element>(
    s: S,
    transposed: bool,
    f: MatRef<'_, T>,
    pivots: &[u32],
    x: &mut [T],
) -> Result<(), Error> {
    let n = x.len();
    if transposed {
        trsv_on(s, Triangle::Lower, Diagonal::NonUnit, f.t(), VecMut::from(&mut *x))?;
        trsv_on(s, Triangle::Upper, Diagonal::Unit, f.t(), VecMut::from(&mut *x))?;
        exchange_back(s, MatMut::packed(x, n, 1), pivots)
    } else {
        exchange(s, MatMut::packed(x, n, 1), pivots)?;
        trsv_on(s, Triangle::Lower, Diagonal::Unit, f, VecMut::from(&mut *x))?;
        trsv_on(s, Triangle::Upper, Diagonal::NonUnit, f, VecMut::from(x))
    }
}

pub(crate) fn lu_condition_by<S: Simd, T: Element>(
    s: S,
    factors: MatRef<'_, T>,
    pivots: &[u32],
    norm: T,
    workspace: &mut [T],
) -> Result<T, Error> {
    let n = factors.rows();
    lu::checked(factors, pivots)?;
    if !(norm >= T::ZERO && norm < T::INFINITY) {
        return Err(Error::must_be("norm", "finite and not negative"));
    }
    enough(lu_condition_workspace(n), workspace.len())?;
    finite("factors", factors, None)?;
    let singular = norm == T::ZERO || divides("factors", factors).is_err();
    let result = if n == 0 {
        T::ONE
    } else if singular {
        T::ZERO
    } else {
        let of_inverse = estimate(s, factors, pivots, workspace)?;
        // What is past the largest number, or NaN on the way, is of no matrix that is far from singular.
        let of = T::ONE / of_inverse / norm;
        // A norm that is not A's says nothing of it.
        if of > T::ONE {
            T::ONE
        } else if of > T::ZERO {
            of
        } else {
            T::ZERO
        }
    };
    contract!(lu_condition, Ok(result), each | check | check(&Call::new(&[&[norm]], &[result])))
}

/// A lower bound of the 1-norm of the inverse.
fn estimate<S: Simd, T: Element>(
    s: S,
    f: MatRef<'_, T>,
    pivots: &[u32],
    workspace: &mut [T],
) -> Result<T, Error> {
    let n = f.rows();
    let (x, rest) = workspace.split_at_mut_checked(n).unwrap_or_default();
    let signs = rest.get_mut(..n).unwrap_or_default();
    let sum = |x: &[T]| x.iter().fold(T::ZERO, |sum, x| sum + abs(*x));
    let sign = |x: T| if x < T::ZERO { -T::ONE } else { T::ONE };
    x.fill(T::ONE / T::from_usize(n));
    solve(s, false, f, pivots, x)?;
    let mut most = sum(x);
    if n > 1 {
        signs.fill(T::ZERO);
        let mut before = n;
        for _ in 0..4 {
            let same = x.iter().zip(&*signs).all(|(x, s)| sign(*x) == *s);
            if same {
                break;
            }
            for (s, x) in signs.iter_mut().zip(x.iter_mut()) {
                *s = sign(*x);
                *x = *s;
            }
            solve(s, true, f, pivots, x)?;
            let largest = x.iter().enumerate().reduce(|p, q| if abs(*q.1) > abs(*p.1) { q } else { p });
            let at = largest.map_or(0, |(at, _)| at);
            if at == before {
                break;
            }
            before = at;
            x.fill(T::ZERO);
            if let Some(x) = x.get_mut(at) {
                *x = T::ONE;
            }
            solve(s, false, f, pivots, x)?;
            let now = sum(x);
            if now > most {
                most = now;
            } else {
                break;
            }
        }
        // A vector that no cancellation hides from.
        for (i, x) in x.iter_mut().enumerate() {
            let size = T::ONE + T::from_usize(i) / T::from_usize(n - 1);
            *x = if i % 2 == 0 { size } else { -size };
        }
        solve(s, false, f, pivots, x)?;
        let other = T::from_f64(2.0) * sum(x) / T::from_usize(3 * n);
        most = if other > most { other } else { most };
    }
    Ok(most)
}
