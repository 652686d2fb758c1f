//! Conjugate gradients: `Ax = b` of a sparse, symmetric, positive definite A.

use super::triangular::{divides, finite, solve};
use super::{Csr, spmv_on};
use crate::blas::{Diagonal, Triangle};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, not_negative, same_len, same_shape};
use crate::forms::forms;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::pointwise::axpy_on;
use crate::reduce::{dot_on, norm_l2_on};

/// Elements of workspace that [`cg`] and [`Cg`] need for `n` unknowns.
pub const fn cg_workspace(n: usize) -> usize {
    n.saturating_mul(4)
}

forms! {
    /// `Ax = b` of a sparse, symmetric, positive definite A by conjugate gradients, from the `x` that there is, until the 2-norm of what is left of
    /// `b` is at most `tolerance` times that of `b`. Each step solves with `lu`, whose two triangles (L has ones on its diagonal) make about A: the
    /// factors of [`ilu0`](crate::ilu0()), or A's diagonal alone (Jacobi), or ones on a diagonal for no preconditioner. [`Cg`] makes one step at a
    /// time.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and `x` have `n` elements. `lu` makes a symmetric, positive definite matrix, too, as the factors of such an
    /// A do that [`ilu0`](crate::ilu0()) finds. `most` bounds the steps. In exact arithmetic `n` are enough; their number grows with the root of the
    /// condition of A as `lu` leaves it. What is left is followed, not computed anew: it differs from `b - Ax` by rounding errors of
    /// the size of `ε‖A‖‖x‖`. The bits are the same for one width of lanes, by which sums are ordered.
    ///
    /// NaN and ±0: NaN and infinities are refused. The squares of the norms of `b` and of what is left have to be normal numbers.
    ///
    /// Errors: [`Error::Shape`] names `a` or `lu`, [`Error::Len`] `b` or `x`; [`Error::Domain`] `tolerance` when it is negative or NaN;
    /// [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity; [`Error::Pivot`] names `lu` with the index of the first
    /// element of its diagonal that is 0 or not stored: nothing is written then. [`Error::Pivot`] with the number of the step when a direction shows that A, or
    /// what `lu` makes, is not positive definite, and [`Error::Convergence`] after `most` steps: `x` is as far as it came then.
    ///
    /// Scratch: [`cg_workspace`].
    ///
    /// ```
    /// use fulmen::{Csr, cg, cg_workspace, ilu0};
    /// let (offsets, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
    /// let a = Csr::new(3, 3, &offsets, &columns, &[2.0f64, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
    /// let (mut factors, mut x, mut workspace) = ([0.0; 7], [0.0; 3], [0.0; cg_workspace(3)]);
    /// ilu0(a, &mut factors)?;
    /// let lu = Csr::new(3, 3, &offsets, &columns, &factors)?;
    /// cg(a, lu, &[0.0, 0.0, 4.0], &mut x, 1e-12, 10, &mut workspace)?;
    /// assert!((x[0] - 1.0).abs() < 1e-9 && (x[2] - 3.0).abs() < 1e-9);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, §9.2.1. Contract: `contracts/cg-v1.yaml`.
    cg, cg_on, cg_by (a: Csr<'_, T>, lu: Csr<'_, T>, b: &[T], x: &mut [T], tolerance: T, most: usize, workspace: &mut [T])
        -> Result<(), Error>;
}

#[allow(clippy::too_many_arguments, reason = "the operands, and where it ends")]
fn cg_by<S: Simd, T: Element>(
    _: Serial,
    s: S,
    a: Csr<'_, T>,
    lu: Csr<'_, T>,
    b: &[T],
    x: &mut [T],
    tolerance: T,
    most: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    not_negative("tolerance", tolerance)?;
    let mut state = Cg::new_on(s, a, lu, b, x, workspace)?;
    while state.residual() > tolerance {
        if state.steps() == most {
            return Err(Error::Convergence { arg: "a" });
        }
        state.step_on(s)?;
    }
    contract!(
        cg,
        Ok(()),
        each | check | b.iter().zip(&*x).try_for_each(|(b, x)| check(&Call::new(&[&[*b]], &[*x])))
    )
}

/// A solution by conjugate gradients on its way, as [`cg`] makes it: for whoever shows how far it is, or ends it by another rule.
///
/// ```
/// use fulmen::{Cg, Csr, cg_workspace};
/// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f64, 1.0, 1.0, 3.0])?;
/// // No preconditioner.
/// let one = Csr::new(2, 2, &[0, 1, 2], &[0, 1], &[1.0, 1.0])?;
/// let (mut x, mut workspace) = ([0.0; 2], [0.0; cg_workspace(2)]);
/// let mut state = Cg::new(a, one, &[1.0, 2.0], &mut x, &mut workspace)?;
/// while state.residual() > 1e-12 && state.steps() < 10 {
///     state.step()?;
/// }
/// assert_eq!(state.steps(), 2);
/// assert!((11.0 * x[0] - 1.0).abs() < 1e-9 && (11.0 * x[1] - 7.0).abs() < 1e-9);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
pub struct Cg<'a, T> {
    a: Csr<'a, T>,
    lu: Csr<'a, T>,
    x: &'a mut [T],
    /// What is left of b.
    r: &'a mut [T],
    /// What `lu` makes of that.
    z: &'a mut [T],
    /// The direction, and A times it.
    p: &'a mut [T],
    q: &'a mut [T],
    /// `rᵀz`.
    rho: T,
    /// The norms of r and of b.
    left: T,
    whole: T,
    steps: usize,
}

impl<'a, T: Element> Cg<'a, T> {
    /// Before the first step. Errors: as [`cg`].
    #[inline]
    pub fn new(
        a: Csr<'a, T>,
        lu: Csr<'a, T>,
        b: &[T],
        x: &'a mut [T],
        workspace: &'a mut [T],
    ) -> Result<Self, Error> {
        Self::new_on(crate::lanes::native(), a, lu, b, x, workspace)
    }
    /// [`Cg::new`] on the instruction set of `s`.
    pub fn new_on<S: Simd>(
        s: S,
        a: Csr<'a, T>,
        lu: Csr<'a, T>,
        b: &[T],
        x: &'a mut [T],
        workspace: &'a mut [T],
    ) -> Result<Self, Error> {
        let n = a.rows();
        same_shape("a", [n, n], [n, a.cols()])?;
        same_shape("lu", [n, n], [lu.rows(), lu.cols()])?;
        same_len("b", n, b.len())?;
        same_len("x", n, x.len())?;
        let short = Error::Workspace { needed: cg_workspace(n), got: workspace.len() };
        enough(cg_workspace(n), workspace.len())?;
        for (arg, x) in [("a", a.values()), ("lu", lu.values()), ("b", b), ("x", &*x)] {
            finite(arg, x)?;
        }
        divides("lu", lu)?;
        let (r, rest) = workspace.split_at_mut_checked(n).ok_or(short)?;
        let (z, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
        let (p, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
        let q = rest.get_mut(..n).ok_or(short)?;
        let whole = norm_l2_on(s, b);
        r.copy_from_slice(b);
        if whole == T::ZERO {
            x.fill(T::ZERO);
        } else {
            spmv_on(s, -T::ONE, a, x, T::ONE, r)?;
        }
        let left = norm_l2_on(s, r);
        let mut state = Self { a, lu, x, r, z, p, q, rho: T::ZERO, left, whole, steps: 0 };
        state.rho = state.precondition(s)?;
        state.p.copy_from_slice(state.z);
        Ok(state)
    }
    /// What is left of `b` by the 2-norm, as a share of `b`.
    #[inline]
    pub fn residual(&self) -> T {
        if self.left == T::ZERO { T::ZERO } else { self.left / self.whole }
    }
    /// Steps that were made.
    #[inline]
    pub const fn steps(&self) -> usize {
        self.steps
    }
    /// One step, unless nothing is left of `b`.
    ///
    /// Errors: [`Error::Pivot`] with the number of the step names `a` or `lu`, which is not positive definite.
    #[inline]
    pub fn step(&mut self) -> Result<(), Error> {
        self.step_on(crate::lanes::native())
    }
    /// [`Cg::step`] on the instruction set of `s`.
    pub fn step_on<S: Simd>(&mut self, s: S) -> Result<(), Error> {
        if self.left == T::ZERO {
            return Ok(());
        }
        positive("lu", self.rho, self.steps)?;
        spmv_on(s, T::ONE, self.a, self.p, T::ZERO, self.q)?;
        let bend = dot_on(s, self.p, self.q)?;
        positive("a", bend, self.steps)?;
        let alpha = self.rho / bend;
        axpy_on(s, alpha, self.p, self.x)?;
        axpy_on(s, -alpha, self.q, self.r)?;
        self.left = norm_l2_on(s, self.r);
        let rho = self.precondition(s)?;
        let beta = rho / self.rho;
        let Self { p, z, .. } = self;
        s.vectorize(
            #[inline(always)]
            || p.iter_mut().zip(&**z).for_each(|(p, z)| *p = *z + beta * *p),
        );
        self.rho = rho;
        self.steps = self.steps.saturating_add(1);
        Ok(())
    }
    /// `z = (LU)⁻¹r`, and `rᵀz`.
    fn precondition<S: Simd>(&mut self, s: S) -> Result<T, Error> {
        let Self { lu, r, z, .. } = self;
        z.copy_from_slice(r);
        s.vectorize(
            #[inline(always)]
            || {
                solve(Triangle::Lower, Diagonal::Unit, *lu, z);
                solve(Triangle::Upper, Diagonal::NonUnit, *lu, z);
            },
        );
        dot_on(s, r, z)
    }
}

/// `Ok` for a positive number that is no infinity.
fn positive<T: Element>(arg: &'static str, x: T, index: usize) -> Result<(), Error> {
    if x > T::ZERO && x < T::INFINITY { Ok(()) } else { Err(Error::Pivot { arg, index }) }
}
