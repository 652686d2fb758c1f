//! The conjugate gradient method for `Ax = b` with a sparse, symmetric, positive definite A.

use super::residual::{Goal, Size, Watch, advance, rounding};
use super::triangular::{divides, finite, solve};
use super::{Csr, spmv_on};
use crate::alu::not_negative;
use crate::blas::{Diagonal, Triangle};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};
use crate::pointwise::axpy_on;
use crate::reduce::{dot_on, norm_l2_on};
use crate::slices::copy;

/// Elements of workspace that [`cg`] and [`Cg`] need for `n` unknowns.
pub const fn cg_workspace(n: usize) -> usize {
    n.saturating_mul(4)
}

ops! { $ cg_ops in crate::sparse::cg;
    /// `Ax = b` of a sparse, symmetric, positive definite A by conjugate gradients, from the `x` that there is, until the 2-norm of `b - Ax` is at most
    /// `tolerance` times that of `b`. `lu` is the preconditioner; `None` is none, with the same bits as the identity. Each step solves with the two triangles of
    /// `lu` (L has ones on its diagonal), whose product approximates A: the factors of [`ilu0`](crate::ilu0()), or A's diagonal alone (Jacobi).
    /// [`Cg`] makes one step at a time.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and `x` have `n` elements. `lu` makes a symmetric, positive definite matrix, too, as the factors of such an
    /// A do that [`ilu0`](crate::ilu0()) finds. `most` bounds the steps. In exact arithmetic `n` are enough; their number grows with the root of the
    /// condition of A as `lu` leaves it. The residual that a step updates drifts from `b - Ax` by rounding errors of the size of `ε‖A‖‖x‖`, so `b - Ax` is
    /// computed anew, with sums in twice the precision, before `Ok`; where it is too large, the iteration begins anew from it. No `x` in the type of the
    /// elements leaves less than about `ε‖A‖‖x‖`: a `tolerance` below that of `b` ends in [`Error::Convergence`]. Residuals are scaled by powers of 2: `b` may be
    /// of any size. The bits are the same for one width of lanes, by which sums are ordered.
    ///
    /// NaN and ±0: NaN and infinities are refused, and none is written.
    ///
    /// Errors: [`Error::Shape`] names `a` or `lu`, [`Error::Len`] `b` or `x`; [`Error::Domain`] `tolerance` when it is negative or NaN;
    /// [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity; [`Error::Pivot`] names `lu` with the index of the first
    /// element of its diagonal that is 0 or not stored; [`Error::Domain`] names `x` when an element of `b - Ax` is beyond the largest number: nothing is
    /// written then. [`Error::Pivot`] with the number of the step when a direction shows that A, or
    /// what `lu` makes, is not positive definite, and [`Error::Convergence`] with the residual that `x` leaves after `most` steps, when no begin from `b - Ax` of three
    /// in a row halves it, or when rounding errors hide whether A is positive definite: `x` then holds the last iterate. [`Error::Domain`] names `x`, `a` or `lu` when
    /// an element of the solution, or a product with one of the matrices, is beyond the largest number: of `x` those elements are kept as they were.
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
    /// cg(a, Some(lu), &[0.0, 0.0, 4.0], &mut x, 1e-12, 10, &mut workspace)?;
    /// assert!((x[0] - 1.0).abs() < 1e-9 && (x[2] - 3.0).abs() < 1e-9);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/poisson.rs`.
    ///
    /// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, §9.2.1. Contract: `contracts/cg-v1.yaml`.
    #[doc(alias = "conjugate_gradient")]
    serial cg, cg_on, cg_by
        (a: by Csr<'_, T>, lu: by Option<Csr<'_, T>>, b: in T, x: inout T, tolerance: by T, most: by usize, workspace: scratch T) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the operands, and where it ends")]
pub(crate) fn cg_by<S: Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    lu: Option<Csr<'_, T>>,
    b: &[T],
    x: &mut [T],
    tolerance: T,
    most: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    not_negative("tolerance", tolerance)?;
    let mut state = Cg::new_on(s, a, lu, b, x, workspace)?;
    while !state.solved_on(s, tolerance)? {
        if state.steps() == most {
            state.renew_on(s)?;
            if state.within(tolerance) {
                break;
            }
            return Err(state.unsolved());
        }
        state.step_on(s)?;
    }
    contract!(
        cg,
        Ok(()),
        each | check | b.iter().zip(&*x).try_for_each(|(b, x)| check(&Call::new(&[&[*b]], &[*x])))
    )
}

/// The state of conjugate gradients between two steps of [`cg`]: for a program that shows progress or stops by another rule.
///
/// ```
/// use fulmen::{Cg, Csr, cg_workspace};
/// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f64, 1.0, 1.0, 3.0])?;
/// let (mut x, mut workspace) = ([0.0; 2], [0.0; cg_workspace(2)]);
/// let mut state = Cg::new(a, None, &[1.0, 2.0], &mut x, &mut workspace)?;
/// while !state.solved(1e-12)? && state.steps() < 10 {
///     state.step()?;
/// }
/// assert_eq!(state.steps(), 2);
/// assert!((11.0 * x[0] - 1.0).abs() < 1e-9 && (11.0 * x[1] - 7.0).abs() < 1e-9);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
pub struct Cg<'a, T> {
    goal: Goal<'a, T>,
    lu: Option<Csr<'a, T>>,
    x: &'a mut [T],
    /// What is left of b, by a power of 2.
    r: &'a mut [T],
    /// The preconditioned residual `(LU)⁻¹r`; without `lu` it is r.
    z: &'a mut [T],
    /// The direction, and A times it.
    p: &'a mut [T],
    q: &'a mut [T],
    /// `rᵀz`.
    rho: T,
    /// The norm of r, now and when it was computed anew.
    left: Size,
    begun: f64,
    /// Whether no step was made since.
    anew: bool,
    watch: Watch,
    steps: usize,
}

impl<'a, T: Element> Cg<'a, T> {
    /// Before the first step. Errors: as [`cg`].
    #[inline]
    pub fn new(
        a: Csr<'a, T>,
        lu: Option<Csr<'a, T>>,
        b: &'a [T],
        x: &'a mut [T],
        workspace: &'a mut [T],
    ) -> Result<Self, Error> {
        Self::new_on(crate::lanes::native(), a, lu, b, x, workspace)
    }
    /// [`Cg::new`] on the instruction set of `s`.
    pub fn new_on<S: Simd>(
        s: S,
        a: Csr<'a, T>,
        lu: Option<Csr<'a, T>>,
        b: &'a [T],
        x: &'a mut [T],
        workspace: &'a mut [T],
    ) -> Result<Self, Error> {
        let n = a.rows();
        same_shape("a", [n, n], [n, a.cols()])?;
        if let Some(lu) = lu {
            same_shape("lu", [n, n], [lu.rows(), lu.cols()])?;
        }
        same_len("b", n, b.len())?;
        same_len("x", n, x.len())?;
        let short = Error::workspace(cg_workspace(n), workspace.len());
        enough(cg_workspace(n), workspace.len())?;
        let factors = lu.map_or(&[][..], |lu| lu.values());
        for (arg, x) in [("a", a.values()), ("lu", factors), ("b", b), ("x", &*x)] {
            finite(arg, x)?;
        }
        if let Some(lu) = lu {
            divides("lu", lu)?;
        }
        let (r, rest) = workspace.split_at_mut_checked(n).ok_or(short)?;
        let (z, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
        let (p, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
        let q = rest.get_mut(..n).ok_or(short)?;
        let goal = Goal::new(a, b);
        if goal.whole.norm == 0.0 {
            x.fill(T::ZERO);
        }
        let (left, rho, watch) = (goal.whole, T::ZERO, Watch::new());
        let mut state = Self { goal, lu, x, r, z, p, q, rho, left, begun: 0.0, anew: false, watch, steps: 0 };
        state.renew_on(s)?;
        state.watch.nearer(state.share());
        Ok(state)
    }
    /// What is left of `b` by the 2-norm, as a share of `b`: as the steps update it, so that it differs from `b - Ax` by their rounding errors; as it is
    /// after [`Cg::renew`], and where [`Cg::solved`] is true.
    #[inline]
    pub fn residual(&self) -> T {
        T::from_f64(self.share())
    }
    fn share(&self) -> f64 {
        self.goal.share(self.left)
    }
    /// Whether that is small enough.
    fn within(&self, tolerance: T) -> bool {
        self.share() <= tolerance.to_f64()
    }
    /// Steps that were made.
    #[inline]
    pub const fn steps(&self) -> usize {
        self.steps
    }
    /// Whether the 2-norm of `b - Ax` is at most `tolerance` times that of `b`. Where the updated residual says so, `b - Ax` is computed anew, and the
    /// iteration begins anew from it unless it is small enough, too.
    ///
    /// Errors: [`Error::Convergence`] when no begin of three in a row has halved `b - Ax`: rounding errors are all that is left; [`Error::Domain`] as [`cg`].
    #[inline]
    pub fn solved(&mut self, tolerance: T) -> Result<bool, Error> {
        self.solved_on(crate::lanes::native(), tolerance)
    }
    /// [`Cg::solved`] on the instruction set of `s`.
    pub fn solved_on<S: Simd>(&mut self, s: S, tolerance: T) -> Result<bool, Error> {
        if !self.within(tolerance) || self.anew {
            return Ok(self.within(tolerance));
        }
        self.renew_on(s)?;
        let solved = self.within(tolerance);
        if !solved && !self.watch.nearer(self.share()) {
            return Err(self.unsolved());
        }
        Ok(solved)
    }
    /// Computes `b - Ax` anew, and begins anew from it.
    ///
    /// Errors: [`Error::Domain`] names `x` when an element of `b - Ax` is beyond the largest number.
    #[inline]
    pub fn renew(&mut self) -> Result<(), Error> {
        self.renew_on(crate::lanes::native())
    }
    /// [`Cg::renew`] on the instruction set of `s`.
    pub fn renew_on<S: Simd>(&mut self, s: S) -> Result<(), Error> {
        self.left = self.goal.residual(self.x, self.r)?;
        (self.begun, self.anew) = (self.left.norm, true);
        self.rho = self.precondition(s)?;
        copy(self.z, self.p);
        Ok(())
    }
    fn unsolved(&self) -> Error {
        Error::unsolved(self.share())
    }
    /// One step, unless nothing is left of `b`.
    ///
    /// Errors: [`Error::Pivot`] with the number of the step names `a` or `lu`, which is not positive definite; [`Error::Convergence`] and [`Error::Domain`] as
    /// [`cg`].
    #[inline]
    pub fn step(&mut self) -> Result<(), Error> {
        self.step_on(crate::lanes::native())
    }
    /// [`Cg::step`] on the instruction set of `s`.
    pub fn step_on<S: Simd>(&mut self, s: S) -> Result<(), Error> {
        // Further down the updated residual has nothing to do with the one that there is.
        if !self.anew && self.left.norm <= rounding::<T>() * self.begun {
            self.renew_on(s)?;
            if self.left.norm > 0.0 && !self.watch.nearer(self.share()) {
                return Err(self.unsolved());
            }
        }
        if self.left.norm == 0.0 {
            return Ok(());
        }
        self.positive(s, false, self.rho)?;
        spmv_on(s, T::ONE, self.goal.a, self.p, T::ZERO, self.q)?;
        let bend = dot_on(s, self.p, self.q)?;
        self.positive(s, true, bend)?;
        let alpha = self.rho / bend;
        self.anew = false;
        axpy_on(s, -alpha, self.q, self.r)?;
        let now = norm_l2_on(s, self.r).to_f64();
        // A step that no digit of x would survive is not taken; nor is it where `now` is NaN.
        let diverges =
            now.partial_cmp(&(self.begun / rounding::<T>())).is_none_or(core::cmp::Ordering::is_gt);
        if diverges {
            self.renew_on(s)?;
            return Err(self.unsolved());
        }
        if !advance(s, T::from_f64(alpha.to_f64() * self.left.power()), self.p, self.x) {
            self.renew_on(s)?;
            return Err(Error::must_be("x", "finite in every step: scale the system"));
        }
        self.left.norm = now;
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
    /// `z = (LU)⁻¹r`, or r itself without a preconditioner, and `rᵀz`.
    fn precondition<S: Simd>(&mut self, s: S) -> Result<T, Error> {
        let Self { lu, r, z, .. } = self;
        copy(r, z);
        if let Some(lu) = *lu {
            s.vectorize(
                #[inline(always)]
                || {
                    solve(Triangle::Lower, Diagonal::Unit, lu, z);
                    solve(Triangle::Upper, Diagonal::NonUnit, lu, z);
                },
            );
        }
        dot_on(s, r, z)
    }
    /// `Ok` when `pᵀAp`, or else `rᵀz`, is a positive number.
    fn positive<S: Simd>(&mut self, s: S, of_a: bool, x: T) -> Result<(), Error> {
        if x > T::ZERO && x < T::INFINITY {
            return Ok(());
        }
        // Without a preconditioner `rᵀz` is `rᵀr`, so A is the cause.
        let arg = if of_a || self.lu.is_none() { "a" } else { "lu" };
        if x - x != T::ZERO {
            return Err(Error::must_be(arg, "finite and positive definite"));
        }
        let size = |x: &T| if *x < T::ZERO { -x.to_f64() } else { x.to_f64() };
        // What rounding may have made of a positive number.
        let noise: f64 = if of_a {
            let of = |i| self.p.get(i).map_or(0.0, size);
            let rows = self.goal.a.rows_from(0).enumerate();
            rows.map(|(i, (c, v))| {
                of(i) * c.iter().zip(v).map(|(c, v)| size(v) * of(*c as usize)).sum::<f64>()
            })
            .sum()
        } else {
            norm_l2_on(s, self.r).to_f64() * norm_l2_on(s, self.z).to_f64()
        };
        let nothing = self.q.iter().all(|q| *q == T::ZERO);
        let noise = rounding::<T>() * libm::sqrt(self.r.len() as f64) * noise;
        if noise == 0.0 || -x.to_f64() > noise || of_a && nothing {
            return Err(Error::pivot(arg, self.steps));
        }
        self.renew_on(s)?;
        Err(self.unsolved())
    }
}
