//! Iterative refinement in mixed precision: factors in `f32`, residuals in a wider type.

use super::cholesky::{cholesky_solve_by, cholesky_solve_workspace};
use super::lu::{checked, lu_solve_by, lu_solve_workspace};
use super::{abs, divides, finite};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::{Side, Triangle, symm_on, symm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Elements of workspace that [`lu_refine`] needs for `n` unknowns and `cols` right-hand sides, and numbers in `f32` beside them.
pub const fn lu_refine_workspace(n: usize, cols: usize) -> [usize; 2] {
    let left = n.saturating_mul(cols);
    [left.saturating_add(gemm_workspace(n, cols, n)), left.saturating_add(lu_solve_workspace(n, cols))]
}

/// Elements of workspace that [`cholesky_refine`] needs for `n` unknowns and `cols` right-hand sides, and numbers in `f32` beside them.
pub const fn cholesky_refine_workspace(n: usize, cols: usize) -> [usize; 2] {
    let left = n.saturating_mul(cols);
    let product = symm_workspace(Side::Left, n, cols);
    [left.saturating_add(product), left.saturating_add(cholesky_solve_workspace(n, cols))]
}

ops! { $ refine_ops in crate::solve::refine;
    /// `AX = B` by factors of A in `f32`, and how often X was refined: what X leaves of B is computed with A itself, solved for by the factors, and
    /// added, until `|B - AX| ≤ √n·ε·|A|·|X|` for each column by the largest of sums along rows, and of the column's elements; ε is the distance from 1 to
    /// the next number. X is then as good as factors in A's own type would have made it. The factors are those that [`lu`](crate::lu()) makes of A
    /// as numbers in `f32`, at half the memory of those in `f64`. At most `most` refinements are made, and none after one that
    /// does not halve what a column leaves: those of an A whose condition is past about 10⁷ do not get there, and nothing takes their place unasked.
    ///
    /// Shapes: A and `factors` are `n` by `n`, B and X have `n` rows, all of any strides; `pivots` has `n` elements.
    ///
    /// NaN and ±0: NaN and infinities are refused. What is left of B is scaled for `f32` by powers of 2, so B may be of any size; A's elements have to be
    /// those of `f32`.
    ///
    /// Errors: [`Error::Shape`] names `a`, `factors`, `b` or `x`; [`Error::Len`] `pivots`; [`Error::Index`] when one of them is not below `n`;
    /// [`Error::Workspace`] for either; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity; [`Error::Pivot`] names `factors` with the
    /// index of the first element of its diagonal that is 0: nothing is written then. [`Error::Convergence`] when they were not enough, with the largest
    /// `|B - AX|` of a column as a share of `|A|·|X|`: X is the last iterate, holds neither NaN nor an infinity, and may be of no use.
    ///
    /// Scratch: [`lu_refine_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, lu, lu_refine, lu_refine_workspace, lu_workspace};
    /// let (a, b) = ([3.0f64, 1.0, 1.0, 3.0], [1.0, 0.0]);
    /// let (mut factors, mut pivots, mut x) = (a.map(|x| x as f32), [0; 2], [0.0; 2]);
    /// lu(MatMut::row_major(&mut factors, 2, 2)?, &mut pivots, &mut [0.0; lu_workspace(2, 2)])?;
    /// let lu = MatRef::row_major(&factors, 2, 2)?;
    /// const LEN: [usize; 2] = lu_refine_workspace(2, 1);
    /// let (wide, narrow) = (&mut [0.0; LEN[0]], &mut [0.0; LEN[1]]);
    /// let (a, to) = (MatRef::row_major(&a, 2, 2)?, MatMut::row_major(&mut x, 2, 1)?);
    /// let times = lu_refine(a, lu, &pivots, MatRef::row_major(&b, 2, 1)?, to, 10, wide, narrow)?;
    /// assert!(times <= 2 && (x[0] - 0.375).abs() < 1e-15 && (x[1] + 0.125).abs() < 1e-15);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: C. Moler, "Iterative Refinement in Floating Point" (1967); J. Langou and others, "Exploiting the Performance of 32 bit Floating Point Arithmetic
    /// in Obtaining 64 bit Accuracy" (2006). Contract: `contracts/lu_refine-v1.yaml`.
    serial lu_refine, lu_refine_on, lu_refine_by
        (a: mat T, factors: mat f32, pivots: in u32, b: mat T, x: mat_out T, most: by usize, workspace: scratch T, narrow: scratch f32) -> Result<usize>;

    /// `AX = B` of a symmetric, positive definite A, of which the lower triangle is read, by its factor in `f32`, and how often X was refined: as [`lu_refine`], with
    /// the factor that [`cholesky`](crate::cholesky()) makes of A as numbers in `f32`.
    ///
    /// Shapes: A and `l` are `n` by `n`, B and X have `n` rows, all of any strides.
    ///
    /// NaN and ±0: NaN and infinities are refused. What is left of B is scaled for `f32` by powers of 2, so B may be of any size; A's elements have to be
    /// those of `f32`.
    ///
    /// Errors: [`Error::Shape`] names `a`, `l`, `b` or `x`; [`Error::Workspace`] for either; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an
    /// infinity; [`Error::Pivot`] names `l` with the index of the first element of its diagonal that is 0: nothing is written then.
    /// [`Error::Convergence`] when they were not enough: as [`lu_refine`].
    ///
    /// Scratch: [`cholesky_refine_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, cholesky, cholesky_refine, cholesky_refine_workspace, cholesky_workspace};
    /// let (a, b) = ([3.0f64, 0.0, 1.0, 3.0], [1.0, 0.0]);
    /// let (mut l, mut x) = (a.map(|x| x as f32), [0.0; 2]);
    /// cholesky(MatMut::row_major(&mut l, 2, 2)?, &mut [0.0; cholesky_workspace(2)])?;
    /// const LEN: [usize; 2] = cholesky_refine_workspace(2, 1);
    /// let (wide, narrow) = (&mut [0.0; LEN[0]], &mut [0.0; LEN[1]]);
    /// let (a, l, to) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&l, 2, 2)?, MatMut::row_major(&mut x, 2, 1)?);
    /// let times = cholesky_refine(a, l, MatRef::row_major(&b, 2, 1)?, to, 10, wide, narrow)?;
    /// assert!(times <= 2 && (x[0] - 0.375).abs() < 1e-15 && (x[1] + 0.125).abs() < 1e-15);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`lu_refine`]. Contract: `contracts/cholesky_refine-v1.yaml`.
    serial cholesky_refine, cholesky_refine_on, cholesky_refine_by
        (a: mat T, l: mat f32, b: mat T, x: mat_out T, most: by usize, workspace: scratch T, narrow: scratch f32) -> Result<usize>;
}

#[allow(clippy::too_many_arguments, reason = "the matrix twice, both sides and both workspaces")]
pub(crate) fn lu_refine_by<S: Simd, T: Element>(
    s: S,
    a: MatRef<'_, T>,
    factors: MatRef<'_, f32>,
    pivots: &[u32],
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    most: usize,
    workspace: &mut [T],
    narrow: &mut [f32],
) -> Result<usize, Error> {
    let (n, cols) = (a.rows(), b.cols());
    same_shape("a", [n, n], [n, a.cols()])?;
    same_shape("factors", [n, n], [factors.rows(), factors.cols()])?;
    checked(factors, pivots)?;
    sides(n, b, &x)?;
    let [wide, small] = lu_refine_workspace(n, cols);
    enough(wide, workspace.len())?;
    enough(small, narrow.len())?;
    finite("a", a, None)?;
    finite("factors", factors, None)?;
    finite("b", b, None)?;
    divides("factors", factors)?;
    let (left, scratch) = workspace.split_at_mut_checked(n * cols).unwrap_or_default();
    let (right, small) = narrow.split_at_mut_checked(n * cols).unwrap_or_default();
    let mut system = System {
        norm: norm(a, false),
        product: |x: MatRef<'_, T>, r: MatMut<'_, T>| {
            gemm_by(Serial, s, Problem { alpha: -T::ONE, beta: T::ONE, a, b: x, c: r }, (), scratch)
        },
        solve: |r: MatMut<'_, f32>| lu_solve_by(Serial, s, factors, pivots, r, small),
    };
    let times = system.refine(b, x.reborrow(), most, left, right)?;
    contract!(
        lu_refine,
        Ok(times),
        each | check | {
            let all = (0..n).flat_map(|i| (0..cols).map(move |j| [i, j]));
            let mut pairs = all.filter_map(|[i, j]| Some((b.get(i, j)?, x.get(i, j)?)));
            pairs.try_for_each(|(b, x)| check(&Call::new(&[&[b]], &[x])))
        }
    )
}

#[allow(clippy::too_many_arguments, reason = "the matrix twice, both sides and both workspaces")]
pub(crate) fn cholesky_refine_by<S: Simd, T: Element>(
    s: S,
    a: MatRef<'_, T>,
    l: MatRef<'_, f32>,
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    most: usize,
    workspace: &mut [T],
    narrow: &mut [f32],
) -> Result<usize, Error> {
    let (n, cols, lower) = (a.rows(), b.cols(), Triangle::Lower);
    same_shape("a", [n, n], [n, a.cols()])?;
    same_shape("l", [n, n], [l.rows(), l.cols()])?;
    sides(n, b, &x)?;
    let [wide, small] = cholesky_refine_workspace(n, cols);
    enough(wide, workspace.len())?;
    enough(small, narrow.len())?;
    finite("a", a, Some(lower))?;
    finite("l", l, Some(lower))?;
    finite("b", b, None)?;
    divides("l", l)?;
    let (left, scratch) = workspace.split_at_mut_checked(n * cols).unwrap_or_default();
    let (right, small) = narrow.split_at_mut_checked(n * cols).unwrap_or_default();
    let mut system = System {
        norm: norm(a, true),
        product: |x: MatRef<'_, T>, r: MatMut<'_, T>| {
            symm_on(s, Side::Left, -T::ONE, lower, a, x, T::ONE, r, scratch)
        },
        solve: |r: MatMut<'_, f32>| cholesky_solve_by(Serial, s, l, r, small),
    };
    let times = system.refine(b, x.reborrow(), most, left, right)?;
    contract!(
        cholesky_refine,
        Ok(times),
        each | check | {
            let all = (0..n).flat_map(|i| (0..cols).map(move |j| [i, j]));
            let mut pairs = all.filter_map(|[i, j]| Some((b.get(i, j)?, x.get(i, j)?)));
            pairs.try_for_each(|(b, x)| check(&Call::new(&[&[b]], &[x])))
        }
    )
}

/// `Ok` when both sides have `n` rows and as many columns.
fn sides<T>(n: usize, b: MatRef<'_, T>, x: &MatMut<'_, T>) -> Result<(), Error> {
    same_shape("b", [n, b.cols()], [b.rows(), b.cols()])?;
    same_shape("x", [n, b.cols()], [x.rows(), x.cols()])
}

/// The largest sum of magnitudes along a row; of a symmetric matrix the lower triangle has all.
fn norm<T: Element>(a: MatRef<'_, T>, lower: bool) -> f64 {
    let at = |i: usize, j: usize| if lower && j > i { a.get(j, i) } else { a.get(i, j) };
    let size = |i: usize, j: usize| libm::fabs(at(i, j).unwrap_or_default().to_f64());
    (0..a.rows()).fold(0.0, |most: f64, i| most.max((0..a.rows()).map(|j| size(i, j)).sum()))
}

/// A, by what it makes of a matrix, and what solves with it in `f32`.
struct System<P, Q> {
    norm: f64,
    /// `R - AX` over R.
    product: P,
    solve: Q,
}

impl<P, Q> System<P, Q> {
    fn refine<T: Element>(
        &mut self,
        b: MatRef<'_, T>,
        mut x: MatMut<'_, T>,
        most: usize,
        left: &mut [T],
        right: &mut [f32],
    ) -> Result<usize, Error>
    where
        P: FnMut(MatRef<'_, T>, MatMut<'_, T>) -> Result<(), Error>,
        Q: FnMut(MatMut<'_, f32>) -> Result<(), Error>,
    {
        let (n, cols) = (b.rows(), b.cols());
        if n == 0 || cols == 0 {
            return Ok(0);
        }
        // What was left when it was last looked at, as a share of `|A|·|X|`.
        let mut reached = f64::INFINITY;
        let mut r = MatMut::packed(left, n, cols);
        let mut d = MatMut::packed(right, n, cols);
        let unit = libm::ldexp(libm::sqrt(n as f64), -T::SIGNIFICAND);
        let mut before = f64::INFINITY;
        for times in 0.. {
            let mut all = true;
            for i in 0..n {
                for k in 0..cols {
                    r.set(i, k, b.get(i, k).unwrap_or_default());
                }
            }
            if times > 0 {
                (self.product)(x.as_ref(), r.reborrow())?;
                // The largest share that a column leaves which is not small enough.
                let mut worst = 0.0f64;
                for k in 0..cols {
                    let (share, whole) = (column(r.as_ref(), k), self.norm * column(x.as_ref(), k));
                    let small = share <= unit * whole && share < f64::INFINITY;
                    if !small {
                        worst = if share / whole <= worst { worst } else { share / whole };
                    }
                    all &= small;
                }
                if all {
                    return Ok(times - 1);
                }
                reached = worst;
                // NaN is no progress, either.
                let better = worst < before && worst <= 0.5 * before;
                if times > most || !better {
                    break;
                }
                before = worst;
            }
            for k in 0..cols {
                // Next to 1, so that nothing that counts is lost in `f32`.
                let size = column(r.as_ref(), k);
                if size - size != 0.0 {
                    return Err(Error::unsolved(reached));
                }
                let by = super::power(size, 1000);
                for i in 0..n {
                    d.set(i, k, (r.get(i, k).unwrap_or_default().to_f64() * by) as f32);
                }
            }
            (self.solve)(d.reborrow())?;
            let mut numbers = true;
            for k in 0..cols {
                let by = 1.0 / super::power(column(r.as_ref(), k), 1000);
                for i in 0..n {
                    let old = if times > 0 { x.get(i, k).unwrap_or_default().to_f64() } else { 0.0 };
                    let more = f64::from(d.get(i, k).unwrap_or_default()) * by;
                    let new = T::from_f64(old + more);
                    let number = new - new == T::ZERO;
                    x.set(i, k, if number { new } else { T::from_f64(old) });
                    numbers &= number;
                }
            }
            if !numbers {
                break;
            }
        }
        Err(Error::unsolved(reached))
    }
}

/// The largest magnitude in a column, or NaN when it holds one.
fn column<T: Element>(m: MatRef<'_, T>, k: usize) -> f64 {
    let all = (0..m.rows()).map(|i| abs(m.get(i, k).unwrap_or_default()).to_f64());
    all.fold(0.0, |most: f64, x| if x > most || x.is_nan() { x } else { most })
}
