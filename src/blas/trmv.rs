//! BLAS level 2 of triangular matrices: the product [`trmv`] and the solve [`trsv`].
//!
//! Where rows are contiguous, 8 rows at a time are a product with the known part of the vector and a small triangle.
//! Otherwise the triangle is halved until 8 rows are left.

use super::level2::{BASE, check_nans, half, nan, square};
use super::triangular_kernel::Step;
use super::{Diagonal, Triangle, elementwise, gemv};
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use crate::view::{MatRef, VecMut, VecRef};

ops! { $ trmv_ops in crate::blas::trmv;
    /// `x = Ax` for a triangular A; the other triangle is not read.
    ///
    /// Shapes: A is `n` by `n`, `x` has `n` elements; any strides; a transposed A is `a.t()` with the other triangle.
    ///
    /// NaN and ±0: by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square, [`Error::Len`] names `x`. Nothing is written then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{Diagonal, MatRef, Triangle, trmv};
    /// let (a, mut x) = ([2.0f32, f32::NAN, 3.0, 4.0], [1.0f32, 10.0]);
    /// let a = MatRef::row_major(&a, 2, 2)?;
    /// trmv(Triangle::Lower, Diagonal::NonUnit, a, (&mut x[..]).into())?;
    /// assert_eq!(x, [2.0, 43.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2. Contract: `contracts/trmv-v1.yaml`.
    serial trmv, trmv_on, trmv_by (triangle: by Triangle, diagonal: by Diagonal, a: mat T, x: vec_inout T) -> Result<()>;

    /// `x = A⁻¹x` for a triangular A: solves `Ax = b` over `b`. The other triangle is not read.
    ///
    /// Shapes: A is `n` by `n`, `x` has `n` elements; any strides; a transposed A is `a.t()` with the other triangle.
    /// There is no test for singularity: a zero on the diagonal divides as IEEE 754 says. The solution is the exact
    /// one of a triangle whose elements differ by at most `γ_(n + 4)` of themselves.
    ///
    /// NaN and ±0: by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square, [`Error::Len`] names `x`. Nothing is written then.
    ///
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{Diagonal, MatRef, Triangle, trsv};
    /// let (a, mut x) = ([2.0f32, f32::NAN, 3.0, 4.0], [2.0f32, 43.0]);
    /// let a = MatRef::row_major(&a, 2, 2)?;
    /// trsv(Triangle::Lower, Diagonal::NonUnit, a, (&mut x[..]).into())?;
    /// assert_eq!(x, [1.0, 10.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2; the bound: N. Higham, "Accuracy and Stability of Numerical Algorithms", §8.1. Contract:
    /// `contracts/trsv-v1.yaml`.
    serial trsv, trsv_on, trsv_by (triangle: by Triangle, diagonal: by Diagonal, a: mat T, x: vec_inout T) -> Result<()>;
}

pub(crate) fn trmv_by<S: Simd, T: Element>(
    s: S,
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    mut x: VecMut<'_, T>,
) -> Result<(), Error> {
    let n = square("a", a.rows(), a.cols())?;
    same_len("x", n, x.len())?;
    match x.as_mut_slice() {
        Some(x) if a.col_stride() == 1 => row_by_row::<S, T, false>(s, triangle, diagonal, a, x),
        _ => {
            let (lower, turned) = lower(triangle, a, x.reborrow());
            multiply(s, diagonal, lower, turned);
        }
    }
    contract!(trmv, Ok(()), each | check | triangular(triangle, diagonal, a, x.as_ref(), check))
}

pub(crate) fn trsv_by<S: Simd, T: Element>(
    s: S,
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    mut x: VecMut<'_, T>,
) -> Result<(), Error> {
    let n = square("a", a.rows(), a.cols())?;
    same_len("x", n, x.len())?;
    match x.as_mut_slice() {
        Some(x) if a.col_stride() == 1 => row_by_row::<S, T, true>(s, triangle, diagonal, a, x),
        _ => {
            let (lower, turned) = lower(triangle, a, x.reborrow());
            solve(s, diagonal, lower, turned);
        }
    }
    contract!(trsv, Ok(()), each | check | triangular(triangle, diagonal, a, x.as_ref(), check))
}

/// A lower triangle that does the same: an upper one and its vector are read backwards.
#[inline(always)]
fn lower<'a, 'x, T>(
    triangle: Triangle,
    a: MatRef<'a, T>,
    x: VecMut<'x, T>,
) -> (MatRef<'a, T>, VecMut<'x, T>) {
    match triangle {
        Triangle::Lower => (a, x),
        Triangle::Upper => (a.reversed(), x.reversed()),
    }
}

/// Whether row `i` of a triangle has a NaN.
pub(super) fn nan_in_row<T: Element>(
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    i: usize,
) -> bool {
    let read = |j| triangle.holds(i, j) && (i != j || diagonal == Diagonal::NonUnit);
    (0..a.cols()).any(|j| read(j) && nan(a.get(i, j)))
}

/// [`check_nans`] from the rows of a triangle.
fn triangular<T: Element>(
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    x: VecRef<'_, T>,
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let row = |i| nan_in_row(triangle, diagonal, a, i);
    check_nans([x.len(), 1], |i, _| x.get(i), row, |_| false, check)
}

/// `x = Ax`, or `A⁻¹x`, [`BASE`] rows at a time, for rows whose elements follow each other.
#[inline(never)]
fn row_by_row<S: Simd, T: Element, const SOLVE: bool>(
    s: S,
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    x: &mut [T],
) {
    s.vectorize(
        #[inline(always)]
        || {
            let n = a.rows().min(x.len());
            let groups = n.div_ceil(BASE);
            // The last eight solutions, which need not go through memory.
            let (mut last, mut lanes) = (None, None);
            for g in 0..groups {
                // Solutions are read before they are used, elements of the old vector after.
                let down = (triangle == Triangle::Lower) == SOLVE;
                let i = BASE * if down { g } else { groups - 1 - g };
                let rows = BASE.min(n - i);
                let (before, rest) = x.split_at_mut_checked(i).unwrap_or_default();
                let (these, after) = rest.split_at_mut_checked(rows).unwrap_or_default();
                let square = a.block([i, i], [rows, rows]);
                let (others, known) = match triangle {
                    Triangle::Lower => (a.block([i, 0], [rows, i]), &*before),
                    Triangle::Upper => (a.block([i, i + rows], [rows, usize::MAX]), &*after),
                };
                if SOLVE
                    && !COMPACT
                    && let Ok(these) = <&mut [T; BASE]>::try_from(&mut *these)
                {
                    let step = Step { unit: diagonal == Diagonal::Unit, square, others, known };
                    match (const { T::Vec::<S>::LANES >= BASE }, triangle) {
                        (false, Triangle::Lower) => last = step.solve::<S, false>(s, last, these),
                        (false, Triangle::Upper) => last = step.solve::<S, true>(s, last, these),
                        (true, Triangle::Lower) => lanes = step.solve_lanes::<S, false>(s, lanes, these),
                        (true, Triangle::Upper) => lanes = step.solve_lanes::<S, true>(s, lanes, these),
                    }
                    if last.is_some() || lanes.is_some() {
                        continue;
                    }
                }
                if SOLVE {
                    gemv::add(s, -T::ONE, others, known, these);
                }
                let (square, turned) = lower(triangle, square, VecMut::from(&mut *these));
                if SOLVE {
                    solve_base(diagonal, square, turned);
                } else {
                    multiply_base(diagonal, square, turned);
                    gemv::add(s, T::ONE, others, known, these);
                }
            }
        },
    );
}

/// At most [`BASE`] rows of [`multiply`].
#[inline(always)]
fn multiply_base<T: Element>(diagonal: Diagonal, a: MatRef<'_, T>, mut x: VecMut<'_, T>) {
    for i in (0..x.len()).rev() {
        let value = |j| x.get(j).unwrap_or(T::ZERO);
        let mut sum = match diagonal {
            Diagonal::Unit => value(i),
            Diagonal::NonUnit => a.get(i, i).unwrap_or(T::ONE) * value(i),
        };
        for j in 0..i {
            sum = sum + a.get(i, j).unwrap_or(T::ZERO) * value(j);
        }
        x.set(i, sum);
    }
}

/// At most [`BASE`] rows of [`solve`].
#[inline(always)]
fn solve_base<T: Element>(diagonal: Diagonal, a: MatRef<'_, T>, mut x: VecMut<'_, T>) {
    let n = x.len();
    // All divisions at once: one after the other they would decide the time.
    let mut inverse = [T::ONE; BASE];
    if diagonal == Diagonal::NonUnit {
        for (i, to) in inverse.iter_mut().enumerate().take(n) {
            *to = T::ONE / a.get(i, i).unwrap_or(T::ONE);
        }
    }
    let size = |x: T| if x < T::ZERO { -x } else { x };
    let normal = inverse.iter().all(|x| (T::MIN_NORMAL..T::INFINITY).contains(&size(*x)));
    let mut left = [T::ZERO; BASE];
    elementwise::read(x.as_ref(), left.get_mut(..n).unwrap_or_default());
    for (j, inverse) in inverse.into_iter().enumerate().take(n) {
        let mut rest = left.iter_mut().enumerate().skip(j);
        let Some((_, this)) = rest.next() else { return };
        *this = if normal { *this * inverse } else { *this / a.get(j, j).unwrap_or(T::ONE) };
        let value = *this;
        for (i, to) in rest.take(n - j - 1) {
            *to = *to - a.get(i, j).unwrap_or(T::ZERO) * value;
        }
    }
    elementwise::write(left.get(..n).unwrap_or_default(), x.reborrow());
}

/// `x = Ax` for a lower triangle.
fn multiply<S: Simd, T: Element>(s: S, diagonal: Diagonal, a: MatRef<'_, T>, x: VecMut<'_, T>) {
    let n = x.len();
    if n <= BASE {
        return multiply_base(diagonal, a, x);
    }
    let h = half(n);
    let Ok((mut x1, mut x2)) = x.split_at(h) else { return };
    multiply(s, diagonal, a.block([h, h], [n - h, n - h]), x2.reborrow());
    gemv::run(s, T::ONE, a.block([h, 0], [n - h, h]), x1.as_ref(), T::ONE, x2);
    multiply(s, diagonal, a.block([0, 0], [h, h]), x1.reborrow());
}

/// `x = A⁻¹x` for a lower triangle.
fn solve<S: Simd, T: Element>(s: S, diagonal: Diagonal, a: MatRef<'_, T>, x: VecMut<'_, T>) {
    let n = x.len();
    if n <= BASE {
        return solve_base(diagonal, a, x);
    }
    let h = half(n);
    let Ok((mut x1, mut x2)) = x.split_at(h) else { return };
    solve(s, diagonal, a.block([0, 0], [h, h]), x1.reborrow());
    gemv::run(s, -T::ONE, a.block([h, 0], [n - h, h]), x1.as_ref(), T::ONE, x2.reborrow());
    solve(s, diagonal, a.block([h, h], [n - h, n - h]), x2);
}
