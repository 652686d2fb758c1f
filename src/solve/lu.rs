//! `PA = LU` with partial pivoting: recursive over columns, with a triangular solve and a matrix product between the halves.

use super::{divides, finite, positions};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::{Diagonal, Side, Triangle, iamax_on, swap_on, transpose, trsm_by, trsm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd};
use crate::pointwise::axpy_on;
use crate::slices::{lines_mut, swap};
use crate::view::{MatMut, MatRef, VecRef};

/// Columns that are factored one after the other.
pub(crate) const LEAF: usize = 16;

/// Columns of the first of two parts.
const fn first_part(n: usize) -> usize {
    (n / 2).next_multiple_of(LEAF)
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Elements of workspace that [`lu`] needs for an `m` by `n` A.
pub const fn lu_workspace(m: usize, n: usize) -> usize {
    let k = if m < n { m } else { n };
    let leaf = m.saturating_mul(if k < LEAF { k } else { LEAF });
    let inner = if k <= LEAF {
        0
    } else {
        let h = first_part(k);
        let wide = max(h, k - h);
        max(trsm_workspace(Side::Left, h, wide), gemm_workspace(m, wide, h))
    };
    max(max(leaf, inner), if n > k { trsm_workspace(Side::Left, k, n - k) } else { 0 })
}

/// Elements of workspace that [`lu_solve`] needs for an `n` by `cols` B.
pub const fn lu_solve_workspace(n: usize, cols: usize) -> usize {
    trsm_workspace(Side::Left, n, cols)
}

ops! { $ lu_ops in crate::solve::lu;
    /// `PA = LU` with the largest pivot of each column: U and, below its diagonal, L, whose diagonal of ones is not stored, lie
    /// where A was. Row `i` was exchanged with row `pivots[i] ≥ i`, in the order of `i`.
    ///
    /// Shapes: A is `m` by `n`, of any strides; `pivots` has `min(m, n)` elements. `LU` is the exact product of a matrix whose
    /// elements differ from `PA`'s by at most `γ_min(m, n)·|L||U|`.
    ///
    /// NaN and ±0: NaN and infinities are refused. The first of equal magnitudes is the pivot.
    ///
    /// Errors: [`Error::Len`] names `pivots`; [`Error::Workspace`]; [`Error::Nan`] and
    /// [`Error::Domain`] when A holds NaN or an infinity: nothing is written then. [`Error::Pivot`] with the index of the first column whose
    /// pivot is exactly 0, the only test that no scaling of A's rows and columns changes: the factorisation is complete, and [`determinant`] gives 0.
    /// A matrix that is singular but for rounding is factored.
    ///
    /// Scratch: [`lu_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, lu, lu_workspace};
    /// let (mut a, mut pivots) = ([1.0f32, 4.0, 2.0, 2.0], [0; 2]);
    /// lu(MatMut::row_major(&mut a, 2, 2)?, &mut pivots, &mut [0.0; lu_workspace(2, 2)])?;
    /// assert_eq!((a, pivots), ([2.0, 2.0, 0.5, 3.0], [1, 1]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/workspace.rs`.
    ///
    /// Source: S. Toledo, "Locality of Reference in LU Decomposition with Partial Pivoting" (1997); the bound: N. Higham, "Accuracy
    /// and Stability of Numerical Algorithms", §9.3. Contract: `contracts/lu-v1.yaml`.
    #[doc(alias = "getrf")]
    threads lu, lu_on, lu_by (a: mat_inout T, pivots: out u32, workspace: scratch T) -> Result<()>;

    /// `X = A⁻¹B` over B, for `PA = LU` by [`lu`].
    ///
    /// Shapes: `factors` is `n` by `n`, `pivots` has `n` elements, B is `n` by any number of columns; any strides.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `factors` or `b`; [`Error::Len`] and [`Error::Index`] name `pivots`; [`Error::Workspace`];
    /// [`Error::Pivot`] with the index of the first zero on U's diagonal. Nothing is written then.
    ///
    /// Scratch: [`lu_solve_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, lu_solve, lu_solve_workspace};
    /// let (factors, mut b) = ([2.0f32, 2.0, 0.5, 3.0], [9.0f32, 6.0]);
    /// let mut workspace = [0.0; lu_solve_workspace(2, 1)];
    /// let x = MatMut::row_major(&mut b, 2, 1)?;
    /// lu_solve(MatRef::row_major(&factors, 2, 2)?, &[1, 1], x, &mut workspace)?;
    /// assert_eq!(b, [1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/solve.rs`.
    ///
    /// Source: as [`lu`]. Contract: `contracts/lu_solve-v1.yaml`.
    #[doc(alias = "getrs")]
    threads lu_solve, lu_solve_on, lu_solve_by (factors: mat T, pivots: in u32, b: mat_inout T, workspace: scratch T) -> Result<()>;

    /// The determinant of A, for `PA = LU` by [`lu`]: the product of U's diagonal, with the sign of P.
    ///
    /// Shapes: `factors` is `n` by `n`, of any strides; `pivots` has `n` elements; 1 for nothing.
    ///
    /// NaN and ±0: NaN when one is on the diagonal. No product on the way overflows or underflows, only the result.
    ///
    /// Errors: [`Error::Shape`] names `factors`; [`Error::Len`] and [`Error::Index`] name `pivots`. Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatRef, determinant};
    /// let factors = [2.0f32, 2.0, 0.5, 3.0];
    /// assert_eq!(determinant(MatRef::row_major(&factors, 2, 2)?, &[1, 1])?, -6.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/determinant-v1.yaml`.
    #[doc(alias = "det")]
    serial determinant, determinant_on, determinant_by (factors: mat T, pivots: in u32) -> Result<T>;
}

pub(crate) fn lu_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    let k = m.min(n);
    same_len("pivots", k, pivots.len())?;
    positions("a", if k == 0 { 0 } else { m })?;
    enough(lu_workspace(m, n), workspace.len())?;
    // There may be any number of empty rows.
    if k == 0 {
        return Ok(());
    }
    finite("a", a.as_ref(), None)?;
    let (mut left, mut right) = a.reborrow().split_cols(k)?;
    factor(j, s, left.reborrow(), pivots, workspace)?;
    exchange(s, right.reborrow(), pivots)?;
    // Only fewer rows than columns leave columns on the right.
    let (side, l) = (Side::Left, left.as_ref().block([0, 0], [k, k]));
    let right = right.block([0, 0], [k, usize::MAX]);
    trsm_by(j, s, side, T::ONE, Triangle::Lower, Diagonal::Unit, l, right, workspace)?;
    contract!(
        lu,
        divides("a", a.as_ref()),
        each | check | {
            let below = (0..m).flat_map(|i| (0..i.min(n)).map(move |j| [i, j]));
            let mut all = below.filter_map(|[i, j]| a.get(i, j));
            all.try_for_each(|x| check(&Call::new(&[&[x]], &[x])))
        }
    )
}

/// A matrix with at least as many rows as columns.
fn factor<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatMut<'_, T>,
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.cols();
    if n <= LEAF {
        return leaf(s, a, pivots, workspace);
    }
    let h = first_part(n);
    let (mut left, mut right) = a.split_cols(h)?;
    let (first, second) = pivots.split_at_mut_checked(h).unwrap_or_default();
    factor(j, s, left.reborrow(), first, workspace)?;
    exchange(s, right.reborrow(), first)?;
    let (mut u12, mut a22) = right.split_rows(h)?;
    let l = left.as_ref();
    let (l11, l21) = (l.block([0, 0], [h, h]), l.block([h, 0], [usize::MAX, h]));
    trsm_by(j, s, Side::Left, T::ONE, Triangle::Lower, Diagonal::Unit, l11, u12.reborrow(), workspace)?;
    let p = Problem { alpha: -T::ONE, beta: T::ONE, a: l21, b: u12.as_ref(), c: a22.reborrow() };
    gemm_by(j, s, p, (), workspace)?;
    factor(j, s, a22, second, workspace)?;
    exchange(s, left.block([h, 0], [usize::MAX, h]), second)?;
    for p in second {
        *p += h as u32;
    }
    Ok(())
}

/// Row `i` with row `pivots[i]`, in the order of `i`.
pub(super) fn exchange<S: Simd, T: Element>(s: S, a: MatMut<'_, T>, pivots: &[u32]) -> Result<(), Error> {
    swaps(s, a, pivots.iter().enumerate())
}

/// As [`exchange`], in the opposite order.
pub(super) fn exchange_back<S: Simd, T: Element>(
    s: S,
    a: MatMut<'_, T>,
    pivots: &[u32],
) -> Result<(), Error> {
    swaps(s, a, pivots.iter().enumerate().rev())
}

fn swaps<'a, S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    pivots: impl Iterator<Item = (usize, &'a u32)>,
) -> Result<(), Error> {
    for (i, p) in pivots.map(|(i, p)| (i, *p as usize)) {
        if p != i && a.cols() > 0 {
            let (above, below) = a.reborrow().split_rows(p.max(i))?;
            swap_on(s, above.row(p.min(i))?, below.row(0)?)?;
        }
    }
    Ok(())
}

/// At most [`LEAF`] columns, on a copy in which they follow each other.
fn leaf<S: Simd, T: Element>(
    s: S,
    a: MatMut<'_, T>,
    pivots: &mut [u32],
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    let Some(scratch) = workspace.get_mut(..m * n).filter(|_| m > 0 && n > 0) else {
        return Ok(());
    };
    transpose::run(Serial, s, a.as_ref(), MatMut::packed(scratch, n, m));
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let column = scratch.get(k * m + k..(k + 1) * m).unwrap_or_default();
        let at = k + iamax_on(s, VecRef::from(column))?;
        *pivot = at as u32;
        if at != k {
            for column in lines_mut(scratch, m) {
                swap(column, k, at);
            }
        }
        let (done, rest) = scratch.split_at_mut_checked((k + 1) * m).unwrap_or_default();
        let column = done.get_mut(k * m + k..).unwrap_or_default();
        let Some((pivot, l)) = column.split_first_mut() else { continue };
        let (pivot, inverse) = (*pivot, T::ONE / *pivot);
        // A column of zeros is one of L, too.
        if pivot == T::ZERO {
            continue;
        }
        let normal = super::abs(inverse) >= T::MIN_NORMAL && super::abs(inverse) < T::INFINITY;
        for l in l.iter_mut() {
            *l = if normal { *l * inverse } else { *l / pivot };
        }
        for column in lines_mut(rest, m) {
            let Some((u, to)) = column.get_mut(k..).and_then(|column| column.split_first_mut()) else {
                continue;
            };
            axpy_on(s, -*u, l, to)?;
        }
    }
    transpose::run(Serial, s, MatRef::packed(scratch, n, m), a);
    Ok(())
}

/// `Ok` when the factors are square and the exchanges are of their rows.
pub(super) fn checked<T: Element>(factors: MatRef<'_, T>, pivots: &[u32]) -> Result<(), Error> {
    let n = factors.rows();
    same_shape("factors", [n, n], [n, factors.cols()])?;
    same_len("pivots", n, pivots.len())?;
    match pivots.iter().map(|p| *p as usize).find(|p| *p >= n) {
        Some(index) => Err(Error::index("pivots", index, n)),
        None => Ok(()),
    }
}

/// Whether factors with exchanged rows, right-hand sides and a workspace go together.
pub(super) fn check_solve<T: Element>(
    factors: MatRef<'_, T>,
    pivots: &[u32],
    b: &MatMut<'_, T>,
    workspace: &[T],
) -> Result<(), Error> {
    let (n, cols) = (factors.rows(), b.cols());
    checked(factors, pivots)?;
    same_shape("b", [n, cols], [b.rows(), cols])?;
    enough(trsm_workspace(Side::Left, n, cols), workspace.len())
}

pub(crate) fn lu_solve_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    factors: MatRef<'_, T>,
    pivots: &[u32],
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (n, left) = (factors.rows(), Side::Left);
    check_solve(factors, pivots, &b, workspace)?;
    divides("factors", factors)?;
    exchange(s, b.reborrow(), pivots)?;
    trsm_by(j, s, left, T::ONE, Triangle::Lower, Diagonal::Unit, factors, b.reborrow(), workspace)?;
    trsm_by(j, s, left, T::ONE, Triangle::Upper, Diagonal::NonUnit, factors, b.reborrow(), workspace)?;
    contract!(
        lu_solve,
        Ok(()),
        each | check | {
            let all = (0..n).flat_map(|i| (0..b.cols()).map(move |j| [i, j]));
            let mut pairs = all.filter_map(|[i, j]| Some((factors.get(i, i)?, b.get(i, j)?)));
            pairs.try_for_each(|(u, x)| check(&Call::new(&[&[u]], &[x])))
        }
    )
}

pub(crate) fn determinant_by<S: Simd, T: Element>(
    _: S,
    factors: MatRef<'_, T>,
    pivots: &[u32],
) -> Result<T, Error> {
    checked(factors, pivots)?;
    let odd = pivots.iter().enumerate().filter(|(i, p)| *i != **p as usize).count() % 2 == 1;
    // A number between ½ and 1, and a power of 2.
    let (mut product, mut exponent) = (if odd { -1.0 } else { 1.0 }, 0i64);
    for i in 0..factors.rows() {
        let (x, e) = libm::frexp(factors.get(i, i).unwrap_or_default().to_f64());
        let (y, f) = libm::frexp(product * x);
        // Of what is infinite or NaN there is no exponent.
        if y - y == 0.0 {
            exponent += i64::from(e) + i64::from(f);
        }
        product = y;
    }
    let exponent = exponent.clamp(-5000, 5000) as i32;
    let result = T::from_f64(libm::ldexp(product, exponent));
    contract!(
        determinant,
        Ok(result),
        each | check | {
            let mut diagonal = (0..factors.rows()).filter_map(|i| factors.get(i, i));
            diagonal.try_for_each(|u| check(&Call::new(&[&[u]], &[result])))
        }
    )
}
