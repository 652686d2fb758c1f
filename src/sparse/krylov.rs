//! Krylov methods for a general sparse A: GMRES and BiCGSTAB.

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

/// Elements of workspace that [`gmres`] needs for `n` unknowns and so many directions.
pub const fn gmres_workspace(n: usize, restart: usize) -> usize {
    let basis = n.saturating_mul(restart.saturating_add(2));
    let small = restart.saturating_add(4).saturating_mul(restart.saturating_add(1));
    basis.saturating_add(small)
}

/// Elements of workspace that [`bicgstab`] needs for `n` unknowns.
pub const fn bicgstab_workspace(n: usize) -> usize {
    n.saturating_mul(6)
}

ops! { $ krylov_ops in crate::sparse::krylov;
    /// `Ax = b` of a sparse A by the method of generalised minimal residuals, from the `x` that there is, until the 2-norm of `b - Ax` is at most `tolerance`
    /// times that of `b`. `lu` is the preconditioner from the right, or `None` for none. Each direction is first solved with the two triangles of `lu` (L has ones on its diagonal),
    /// whose product approximates A, as for [`cg`](crate::cg()): the factors of [`ilu0`](crate::ilu0()), or A's diagonal. After `restart` directions the method begins
    /// anew from the `x` that it has: more directions converge in fewer steps, and take more memory and more time for each.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and `x` have `n` elements. `most` bounds the steps, each of which is a product with A and a solve with `lu`. The
    /// residual is computed anew, with sums in twice the precision, after each `restart`, and before `Ok`; residuals are scaled by powers of 2, so `b` may be of any
    /// size. No `x` in the type of the elements leaves less than about `ε‖A‖‖x‖`. The bits are the same for one width of lanes, by which sums are ordered.
    ///
    /// NaN and ±0: NaN and infinities are refused, and none is written.
    ///
    /// Errors: [`Error::Shape`] names `a` or `lu`, [`Error::Len`] `b` or `x`; [`Error::Domain`] `tolerance` when it is negative or NaN; [`Error::Empty`]
    /// `restart` when it is 0; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity; [`Error::Pivot`] names `lu` with
    /// the index of the first element of its diagonal that is 0 or not stored; [`Error::Domain`] names `x` when an element of `b - Ax` is beyond the largest number: nothing
    /// is written then. [`Error::Pivot`] names `a` when A makes 0 of the first direction, and [`Error::Convergence`] with the residual that `x` leaves after `most` steps,
    /// or where `restart` of them reduce it by less than the rounding errors of their products: `x` is then the best iterate, for a symmetric singular A
    /// a solution of least squares. [`Error::Domain`]
    /// names `x` or `a` when an element of the solution or a product with A is beyond the largest number: of `x` those elements are kept as they were.
    ///
    /// Scratch: [`gmres_workspace`].
    ///
    /// ```
    /// use fulmen::{Csr, gmres, gmres_workspace, ilu0};
    /// let (offsets, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
    /// let a = Csr::new(3, 3, &offsets, &columns, &[2.0f64, -1.0, 1.0, 2.0, -1.0, 1.0, 2.0])?;
    /// let (mut factors, mut x, mut workspace) = ([0.0; 7], [0.0; 3], [0.0; gmres_workspace(3, 3)]);
    /// ilu0(a, &mut factors)?;
    /// let lu = Csr::new(3, 3, &offsets, &columns, &factors)?;
    /// gmres(a, Some(lu), &[0.0, 2.0, 8.0], &mut x, 1e-12, 3, 10, &mut workspace)?;
    /// assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 2.0).abs() < 1e-9 && (x[2] - 3.0).abs() < 1e-9);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Y. Saad, M. Schultz, "GMRES: A Generalized Minimal Residual Algorithm for Solving Nonsymmetric Linear Systems" (1986). Contract:
    /// `contracts/gmres-v1.yaml`.
    serial gmres, gmres_on, gmres_by
        (a: by Csr<'_, T>, lu: by Option<Csr<'_, T>>, b: in T, x: inout T, tolerance: by T, restart: by usize, most: by usize, workspace: scratch T) -> Result<()>;

    /// `Ax = b` of a sparse A by stabilised bi-conjugate gradients, from the `x` that there is, until the 2-norm of the residual `b - Ax` is at most `tolerance`
    /// times that of `b`. `lu` is the preconditioner as for [`gmres`], or `None`. Memory and time of a step do not grow, but it may fail where [`gmres`] does not.
    ///
    /// Shapes: A and `lu` are `n` by `n`, `b` and `x` have `n` elements. `most` bounds the steps, each of which is two products with A and two solves with `lu`.
    /// `b - Ax` is computed anew before `Ok`, and where a direction is orthogonal to the first residual, and the steps begin anew from it, as in
    /// [`cg`](crate::cg()). The bits are the same for one width of lanes, by which sums are ordered.
    ///
    /// NaN and ±0: NaN and infinities are refused, and none is written.
    ///
    /// Errors: as [`gmres`], but that there is no `restart`; [`Error::Convergence`], too, when no begin of three in a row halves `b - Ax`; [`Error::Pivot`] names `a`
    /// with the number of the step when the first direction after such a begin is orthogonal to the residual, from which another `x` may help.
    ///
    /// Scratch: [`bicgstab_workspace`].
    ///
    /// ```
    /// use fulmen::{Csr, bicgstab, bicgstab_workspace};
    /// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f64, 1.0, -1.0, 3.0])?;
    /// let (mut x, mut workspace) = ([0.0; 2], [0.0; bicgstab_workspace(2)]);
    /// bicgstab(a, None, &[6.0, 5.0], &mut x, 1e-12, 10, &mut workspace)?;
    /// assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 2.0).abs() < 1e-9);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: H. van der Vorst, "Bi-CGSTAB: A Fast and Smoothly Converging Variant of Bi-CG for the Solution of Nonsymmetric Linear Systems" (1992).
    /// Contract: `contracts/bicgstab-v1.yaml`.
    serial bicgstab, bicgstab_on, bicgstab_by
        (a: by Csr<'_, T>, lu: by Option<Csr<'_, T>>, b: in T, x: inout T, tolerance: by T, most: by usize, workspace: scratch T) -> Result<()>;
}

/// Rounding errors of a product with A and of making it orthogonal, in those of its size.
const NOISE: f64 = 4.0;

/// What both check.
fn checked<T: Element>(
    a: Csr<'_, T>,
    lu: Option<Csr<'_, T>>,
    b: &[T],
    x: &[T],
    tolerance: T,
) -> Result<(), Error> {
    let n = a.rows();
    not_negative("tolerance", tolerance)?;
    same_shape("a", [n, n], [n, a.cols()])?;
    if let Some(lu) = lu {
        same_shape("lu", [n, n], [lu.rows(), lu.cols()])?;
    }
    same_len("b", n, b.len())?;
    same_len("x", n, x.len())
}

/// What is looked at once lengths are right.
fn numbers<T: Element>(a: Csr<'_, T>, lu: Option<Csr<'_, T>>, b: &[T], x: &[T]) -> Result<(), Error> {
    let factors = lu.map_or(&[][..], |lu| lu.values());
    for (arg, x) in [("a", a.values()), ("lu", factors), ("b", b), ("x", x)] {
        finite(arg, x)?;
    }
    lu.map_or(Ok(()), |lu| divides("lu", lu))
}

/// `z = (LU)⁻¹r`, or r itself without a preconditioner.
fn precondition<S: Simd, T: Element>(s: S, lu: Option<Csr<'_, T>>, r: &[T], z: &mut [T]) {
    copy(r, z);
    if let Some(lu) = lu {
        s.vectorize(
            #[inline(always)]
            || {
                solve(Triangle::Lower, Diagonal::Unit, lu, z);
                solve(Triangle::Upper, Diagonal::NonUnit, lu, z);
            },
        );
    }
}

/// A divisor that is a number, and not 0.
fn divisor<T: Element>(x: T, index: usize) -> Result<T, Error> {
    if x - x != T::ZERO {
        return Err(Error::must_be("a", "finite in every step: scale the matrix"));
    }
    if x != T::ZERO { Ok(x) } else { Err(Error::pivot("a", index)) }
}

/// Whether a norm is small enough, which NaN is not.
fn within(left: f64, enough: f64) -> bool {
    left <= enough
}

/// `√(x² + y²)`.
fn length<T: Element>(x: T, y: T) -> T {
    T::from_f64(libm::hypot(x.to_f64(), y.to_f64()))
}

#[allow(clippy::too_many_arguments, reason = "the operands, and where it ends")]
pub(crate) fn gmres_by<S: Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    lu: Option<Csr<'_, T>>,
    b: &[T],
    x: &mut [T],
    tolerance: T,
    restart: usize,
    most: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    checked(a, lu, b, x, tolerance)?;
    crate::error::not_empty("restart", restart)?;
    let needed = gmres_workspace(n, restart);
    let short = Error::workspace(needed, workspace.len());
    enough(needed, workspace.len())?;
    numbers(a, lu, b, x)?;
    let (z, rest) = workspace.split_at_mut_checked(n).ok_or(short)?;
    let (basis, small) = rest.split_at_mut_checked(n * (restart + 1)).ok_or(short)?;
    let goal = Goal::new(a, b);
    let (mut steps, mut before, mut scale) = (0, f64::INFINITY, 0.0);
    if goal.whole.norm == 0.0 {
        x.fill(T::ZERO);
    } else {
        loop {
            let left = goal.residual(x, basis.get_mut(..n).ok_or(short)?)?;
            let share = goal.share(left);
            if share <= tolerance.to_f64() {
                break;
            }
            // What a restart left as it was the next ones would, too.
            if steps >= most || before <= share {
                if before < share {
                    copy(basis.get(n..2 * n).ok_or(short)?, x);
                }
                return Err(Error::unsolved(before.min(share)));
            }
            before = share;
            let inner = restart.min(most - steps);
            let enough = goal.part(tolerance, left);
            match cycle(s, a, lu, x, left, enough, inner, &mut scale, basis, z, small).ok_or(short)? {
                Ok(0) => return Err(Error::unsolved(share)),
                Err(Error::Pivot { .. }) if steps > 0 => return Err(Error::unsolved(share)),
                taken => steps += taken?,
            }
        }
    }
    contract!(
        gmres,
        Ok(()),
        each | check | b.iter().zip(&*x).try_for_each(|(b, x)| check(&Call::new(&[&[*b]], &[*x])))
    )
}

/// `|A||z|`: rounding errors of `Az` are a part of it, however small `Az` is.
fn magnitudes<T: Element>(a: Csr<'_, T>, z: &[T], w: &mut [T]) {
    for (w, (columns, values)) in w.iter_mut().zip(a.rows_from(0)) {
        let sum = columns.iter().zip(values).fold(0.0, |sum, (c, v)| {
            sum + (v.to_f64() * z.get(*c as usize).copied().unwrap_or_default().to_f64()).abs()
        });
        *w = T::from_f64(sum);
    }
}

/// `Ry = g` of as many columns, which are `wide` apart, as y has elements.
fn back<T: Element>(r: &[T], wide: usize, g: &[T], y: &mut [T]) -> Option<()> {
    for i in (0..y.len()).rev() {
        let mut of = *g.get(i)?;
        for (j, y) in y.iter().enumerate().skip(i + 1) {
            of = of - *r.get(j * wide + i)? * *y;
        }
        *y.get_mut(i)? = of / *r.get(i * wide + i)?;
    }
    Some(())
}

/// At most `inner` directions from the residual that begins `basis`, whose norm is `left`; how many there were, or 0 where none of them reduces the
/// residual by more than its rounding errors. `scale` is the largest product of A and a direction so far.
#[allow(clippy::too_many_arguments, reason = "what a cycle goes on with")]
fn cycle<S: Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    lu: Option<Csr<'_, T>>,
    x: &mut [T],
    left: Size,
    enough: f64,
    inner: usize,
    scale: &mut f64,
    basis: &mut [T],
    z: &mut [T],
    small: &mut [T],
) -> Option<Result<usize, Error>> {
    let n = a.rows();
    let wide = inner + 1;
    // Columns of R, each as long as the last, the rotations, and what they make of the residual.
    let (r, rest) = small.split_at_mut_checked(wide * wide)?;
    let (cosines, rest) = rest.split_at_mut_checked(wide)?;
    let (sines, g) = rest.split_at_mut_checked(wide)?;
    let g = g.get_mut(..wide)?;
    g.fill(T::ZERO);
    let size = T::from_f64(left.norm);
    *g.first_mut()? = size;
    basis.get_mut(..n)?.iter_mut().for_each(|v| *v = *v / size);
    // Further down the residual of the small problem has nothing to do with the one that there is.
    let enough =
        T::from_f64(if enough > rounding::<T>() * left.norm { enough } else { rounding::<T>() * left.norm });
    let mut k = 0;
    while k < inner {
        let (done, next) = basis.split_at_mut_checked((k + 1) * n)?;
        let w = next.get_mut(..n)?;
        precondition(s, lu, done.get(k * n..)?, z);
        if *scale == 0.0 {
            magnitudes(a, z, w);
            *scale = norm_l2_on(s, w).to_f64();
        }
        if let Err(e) = spmv_on(s, T::ONE, a, z, T::ZERO, w) {
            return Some(Err(e));
        }
        let h = r.get_mut(k * wide..(k + 1) * wide)?;
        let size = norm_l2_on(s, w);
        *scale = scale.max(size.to_f64());
        for (v, h) in done.chunks_exact(n.max(1)).zip(h.iter_mut()) {
            *h = dot_on(s, v, w).ok()?;
            axpy_on(s, -*h, v, w).ok()?;
        }
        let mut rest = norm_l2_on(s, w);
        // What little is left of a direction is orthogonal to the others after one more pass.
        if rest < T::from_f64(0.5) * size {
            for (v, h) in done.chunks_exact(n.max(1)).zip(h.iter_mut()) {
                let more = dot_on(s, v, w).ok()?;
                *h = *h + more;
                axpy_on(s, -more, v, w).ok()?;
            }
            rest = norm_l2_on(s, w);
        }
        for (at, (c, t)) in cosines.iter().zip(&*sines).enumerate().take(k) {
            let [p, q] = [*h.get(at)?, *h.get(at + 1)?];
            (*h.get_mut(at)?, *h.get_mut(at + 1)?) = (*c * p + *t * q, *c * q - *t * p);
        }
        let pivot = h.get_mut(k)?;
        let long = length(*pivot, rest);
        let long = match divisor(long, 0) {
            // What A makes of this direction is rounding errors alone.
            Ok(long) if long.to_f64() <= rounding::<T>() * *scale => break,
            Ok(long) => long,
            Err(e) if k == 0 => return Some(Err(e)),
            Err(_) => break,
        };
        let (c, t) = (*pivot / long, rest / long);
        *pivot = long;
        (*cosines.get_mut(k)?, *sines.get_mut(k)?) = (c, t);
        let of = *g.get(k)?;
        (*g.get_mut(k)?, *g.get_mut(k + 1)?) = (c * of, -t * of);
        k += 1;
        let now = *g.get(k)?;
        if (if now < T::ZERO { -now } else { now }) <= enough || rest == T::ZERO {
            break;
        }
        w.iter_mut().for_each(|w| *w = *w / rest);
    }
    // As many directions as leave least, with the rounding errors of what A makes of them: the last ones of a singular A have large y.
    let noise = NOISE * rounding::<T>() * *scale;
    let (mut used, mut least, mut gone) = (0, f64::INFINITY, 0.0);
    for at in (0..=k).rev() {
        gone += g.get(at)?.to_f64() * g.get(at)?.to_f64();
        // What is less than rounding errors is as small, and of directions that leave as much the fewest are taken.
        let equal = least * (1.0 + rounding::<T>());
        if gone > equal {
            break;
        }
        let y = sines.get_mut(..at)?;
        back(r, wide, g, y)?;
        // Norms are added, not squares: a long y that reduces a residual of an inconsistent system by a millionth makes x as long.
        let errors = y.iter().map(|y| y.to_f64() * noise).map(|y| y * y).sum::<f64>();
        let bound = libm::sqrt(gone) + libm::sqrt(errors);
        let whole = bound * bound;
        if whole <= equal {
            (used, least) = (at, least.min(whole));
        }
    }
    if used == 0 {
        return Some(Ok(0));
    }
    let y = sines.get_mut(..used)?;
    back(r, wide, g, y)?;
    let (first, others) = basis.split_at_mut_checked(n)?;
    let by = *y.first()?;
    first.iter_mut().for_each(|v| *v = by * *v);
    for (v, y) in others.chunks_exact(n.max(1)).zip(y.iter().skip(1)) {
        axpy_on(s, *y, v, first).ok()?;
    }
    precondition(s, lu, first, z);
    // For the case that rounding errors make a larger residual.
    copy(x, others);
    if !advance(s, T::from_f64(left.power()), z, x) {
        return Some(Err(Error::must_be("x", "finite in every step: scale the system")));
    }
    Some(Ok(k))
}

#[allow(clippy::too_many_arguments, reason = "the operands, and where it ends")]
pub(crate) fn bicgstab_by<S: Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    lu: Option<Csr<'_, T>>,
    b: &[T],
    x: &mut [T],
    tolerance: T,
    most: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    checked(a, lu, b, x, tolerance)?;
    let needed = bicgstab_workspace(n);
    let short = Error::workspace(needed, workspace.len());
    enough(needed, workspace.len())?;
    numbers(a, lu, b, x)?;
    let (r, rest) = workspace.split_at_mut_checked(n).ok_or(short)?;
    let (shadow, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
    let (p, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
    let (v, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
    let (t, rest) = rest.split_at_mut_checked(n).ok_or(short)?;
    let z = rest.get_mut(..n).ok_or(short)?;
    let goal = Goal::new(a, b);
    let (mut watch, mut steps) = (Watch::new(), 0);
    if goal.whole.norm == 0.0 {
        x.fill(T::ZERO);
    } else {
        loop {
            let left = goal.residual(x, r)?;
            let share = goal.share(left);
            if share <= tolerance.to_f64() {
                break;
            }
            if steps >= most || !watch.nearer(share) {
                return Err(Error::unsolved(share));
            }
            let enough = T::from_f64(goal.part(tolerance, left).max(rounding::<T>() * left.norm));
            let before = steps;
            let stopped = stabilised(s, a, lu, x, left, enough, most, &mut steps, [r, shadow, p, v, t, z]);
            // From where a later step stopped there may be another way.
            if let Err(e) = stopped
                && (steps == before || !matches!(e, Error::Pivot { .. }))
            {
                return Err(e);
            }
        }
    }
    contract!(
        bicgstab,
        Ok(()),
        each | check | b.iter().zip(&*x).try_for_each(|(b, x)| check(&Call::new(&[&[*b]], &[*x])))
    )
}

/// Steps from a residual, until what they make of it is small enough.
#[allow(clippy::too_many_arguments, reason = "what the steps go on with")]
fn stabilised<S: Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    lu: Option<Csr<'_, T>>,
    x: &mut [T],
    left: Size,
    enough: T,
    most: usize,
    steps: &mut usize,
    [r, shadow, p, v, t, z]: [&mut [T]; 6],
) -> Result<(), Error> {
    copy(r, shadow);
    copy(r, p);
    let mut rho = dot_on(s, shadow, r)?;
    let mut go = |alpha: T, z: &[T]| match advance(s, T::from_f64(alpha.to_f64() * left.power()), z, x) {
        true => Ok(()),
        false => Err(Error::must_be("x", "finite in every step: scale the system")),
    };
    // A step that no digit of x would survive is not taken.
    let diverged = |now: T| !within(now.to_f64(), left.norm / rounding::<T>());
    // Nor is one that is so long that rounding errors of its product with A are more than the residual: those of a singular A, which
    // makes next to nothing of them.
    let mut scale = 0.0f64;
    let mut lost = |alpha: T, z: &[T], product: T| {
        let long = norm_l2_on(s, z).to_f64();
        scale = scale.max(product.to_f64() / long);
        diverged(T::from_f64(alpha.to_f64().abs() * long * scale))
    };
    while *steps < most {
        precondition(s, lu, p, z);
        spmv_on(s, T::ONE, a, z, T::ZERO, v)?;
        let alpha = divisor(rho, *steps)? / divisor(dot_on(s, shadow, v)?, *steps)?;
        axpy_on(s, -alpha, v, r)?;
        *steps += 1;
        let now = norm_l2_on(s, r);
        if diverged(now) || lost(alpha, z, norm_l2_on(s, v)) {
            break;
        }
        go(alpha, z)?;
        if now <= enough {
            break;
        }
        precondition(s, lu, r, z);
        spmv_on(s, T::ONE, a, z, T::ZERO, t)?;
        let size = divisor(norm_l2_on(s, t), *steps)?;
        let omega = dot_on(s, t, r)? / size / size;
        axpy_on(s, -omega, t, r)?;
        let now = norm_l2_on(s, r);
        if diverged(now) || lost(omega, z, size) {
            break;
        }
        go(omega, z)?;
        if now <= enough {
            break;
        }
        let next = dot_on(s, shadow, r)?;
        let beta = next / rho * (alpha / divisor(omega, *steps)?);
        s.vectorize(
            #[inline(always)]
            || p.iter_mut().zip(&*r).zip(&*v).for_each(|((p, r), v)| *p = *r + beta * (*p - omega * *v)),
        );
        rho = next;
    }
    Ok(())
}
