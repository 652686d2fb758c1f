//! Preconditioners: incomplete Cholesky without fill-in, IC(0), and Gauss–Seidel sweeps.

use super::Csr;
use super::triangular::{divides, finite};
use crate::blas::Triangle;
use crate::contract::{Call, contract};
use crate::error::{Error, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};

ops! { $ preconditioner_ops in crate::sparse::preconditioners;
    /// The incomplete factor of a sparse, symmetric, positive definite A: L in the places below the diagonal and on it where A has elements, and `Lᵀ` in
    /// those above it. `LLᵀ = A` holds in those places; what elimination would add elsewhere is dropped. `Csr` of A's offsets and columns and of
    /// `factors` is what [`spsv`](crate::spsv()) solves with by either triangle. A may store its lower triangle alone, and then so does L.
    ///
    /// Shapes: A is `n` by `n` and stores its diagonal; `factors` has as many elements as A. Of A the lower triangle is read. Products are subtracted in
    /// the order of columns, so the bits are the same on every instruction set.
    ///
    /// NaN and ±0: NaN and infinities are refused; a pivot that is not positive, or past the largest number on the way, is [`Error::Pivot`].
    ///
    /// Errors: [`Error::Shape`] names `a`, [`Error::Len`] `factors`; [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an infinity;
    /// [`Error::Pivot`] when an element of the diagonal is not stored; [`Error::Domain`] when an element above the diagonal has none opposite it: nothing
    /// is written then. [`Error::Pivot`] with the index of the first pivot that is not positive: what `factors` holds then is of no use.
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, ic0};
    /// // [ 4 -2  0]
    /// // [-2  5 -4]
    /// // [ 0 -4  8]
    /// let (offsets, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
    /// let a = Csr::new(3, 3, &offsets, &columns, &[4.0f32, -2.0, -2.0, 5.0, -4.0, -4.0, 8.0])?;
    /// let mut factors = [0.0; 7];
    /// ic0(a, &mut factors)?;
    /// assert_eq!(factors, [2.0, -1.0, -1.0, 2.0, -2.0, -2.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Meijerink, H. van der Vorst, "An Iterative Solution Method for Linear Systems of Which the Coefficient Matrix Is a Symmetric M-Matrix"
    /// (1977). Contract: `contracts/ic0-v1.yaml`.
    serial ic0, ic0_on, ic0_by (a: by Csr<'_, T>, factors: out T) -> Result<()>;

    /// One sweep of successive over-relaxation over `x`, an approximate solution of `Ax = b`: for one row after the other, `xᵢ + ω(b - Ax)ᵢ/aᵢᵢ`, with
    /// what `x` holds by then. [`Triangle::Lower`] begins with the first row, [`Triangle::Upper`] with the last. `ω = 1` is the method of Gauss and
    /// Seidel; a sweep each way is the symmetric one.
    ///
    /// Shapes: A is `n` by `n`, `b` and `x` have `n` elements. From `bᵢ` the products of the row are subtracted in their order. So the bits are the same
    /// on every instruction set; each element waits for those before it, so all belong to one thread.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754, also through a stored 0.
    ///
    /// Errors: [`Error::Shape`] names `a`, [`Error::Len`] `b` or `x`; [`Error::Pivot`] with the index of the first element of the diagonal that is 0
    /// or not stored. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, Triangle, gauss_seidel};
    /// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f32, 1.0, 1.0, 2.0])?;
    /// let mut x = [0.0; 2];
    /// gauss_seidel(Triangle::Lower, 1.0, a, &[8.0, 5.0], &mut x)?;
    /// assert_eq!(x, [2.0, 1.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: D. Young, "Iterative Solution of Large Linear Systems" (1971). Contract: `contracts/gauss_seidel-v1.yaml`.
    serial gauss_seidel, gauss_seidel_on, gauss_seidel_by
        (order: by Triangle, omega: by T, a: by Csr<'_, T>, b: in T, x: inout T) -> Result<()>;
}

/// Where row `i` has column `j`, among all elements.
fn place<T: Element>(a: Csr<'_, T>, i: usize, j: usize) -> Option<usize> {
    let at = a.row(i).0.binary_search_by(|c| (*c as usize).cmp(&j)).ok()?;
    Some(a.begin(i) + at)
}

pub(crate) fn ic0_by<S: Simd, T: Element>(s: S, a: Csr<'_, T>, factors: &mut [T]) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("factors", a.len(), factors.len())?;
    finite("a", a.values())?;
    if let Some(index) = (0..n).find(|i| place(a, *i, *i).is_none()) {
        return Err(Error::pivot("a", index));
    }
    let above = |(i, (columns, _)): (usize, (&[u32], &[T]))| {
        columns.iter().any(|c| *c as usize > i && place(a, *c as usize, i).is_none())
    };
    if a.rows_from(0).enumerate().any(above) {
        return Err(Error::must_be("a", "symmetric in where its elements are"));
    }
    factors.copy_from_slice(a.values());
    let bad = s.vectorize(
        #[inline(always)]
        || (0..n).find(|i| row(a, factors, *i).is_none()),
    );
    for i in 0..n {
        for (c, at) in a.row(i).0.iter().zip(a.begin(i)..).filter(|(c, _)| **c as usize > i) {
            let opposite = place(a, *c as usize, i).and_then(|at| factors.get(at)).copied();
            if let (Some(to), Some(x)) = (factors.get_mut(at), opposite) {
                *to = x;
            }
        }
    }
    contract!(
        ic0,
        bad.map_or(Ok(()), |index| Err(Error::pivot("a", index))),
        each | check
            | a.values().iter().zip(&*factors).try_for_each(|(a, f)| check(&Call::new(&[&[*a]], &[*f])))
    )
}

/// Row `i` of L, from those above it; nothing when its pivot is not positive.
#[inline(always)]
fn row<T: Element>(a: Csr<'_, T>, factors: &mut [T], i: usize) -> Option<()> {
    let (columns, _) = a.row(i);
    let (above, row) = factors.split_at_mut_checked(a.begin(i))?;
    let row = row.get_mut(..columns.len())?;
    let diagonal = columns.partition_point(|c| (*c as usize) < i);
    for at in 0..=diagonal {
        let k = *columns.get(at)? as usize;
        let (done, rest) = row.split_at_mut_checked(at)?;
        let x = rest.first_mut()?;
        if k == i {
            let pivot = done.iter().fold(*x, |sum, l| sum - *l * *l);
            if !(pivot > T::ZERO && pivot < T::INFINITY) {
                return None;
            }
            *x = T::from_f64(libm::sqrt(pivot.to_f64()));
            return Some(());
        }
        // Both rows ascend: where both have a column before that one.
        let (others, _) = a.row(k);
        let factors = above.get(a.begin(k)..)?.get(..others.len())?;
        let mut mine = columns.iter().zip(done.iter()).peekable();
        let mut sum = *x;
        for (c, l) in others.iter().zip(factors) {
            if *c as usize >= k {
                *x = sum / *l;
                break;
            }
            while mine.next_if(|(m, _)| *m < c).is_some() {}
            if let Some((_, m)) = mine.next_if(|(m, _)| *m == c) {
                sum = sum - *m * *l;
            }
        }
    }
    None
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn gauss_seidel_by<S: Simd, T: Element>(
    s: S,
    order: Triangle,
    omega: T,
    a: Csr<'_, T>,
    b: &[T],
    x: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("b", n, b.len())?;
    same_len("x", n, x.len())?;
    divides("a", a)?;
    s.vectorize(
        #[inline(always)]
        || {
            let rows = a.rows_from(0).zip(b).enumerate();
            match order {
                Triangle::Lower => rows.for_each(|(i, (row, b))| relax(i, row, *b, omega, x)),
                Triangle::Upper => rows.rev().for_each(|(i, (row, b))| relax(i, row, *b, omega, x)),
            }
        },
    );
    swept(b, x)
}

/// What the contract says of a sweep.
pub(super) fn swept<T: Element>(b: &[T], x: &[T]) -> Result<(), Error> {
    contract!(
        gauss_seidel,
        Ok(()),
        each | check | b.iter().zip(x).try_for_each(|(b, x)| check(&Call::new(&[&[*b]], &[*x])))
    )
}

/// One element anew.
#[inline(always)]
fn relax<T: Element>(i: usize, row: (&[u32], &[T]), b: T, omega: T, x: &mut [T]) {
    let fresh = relaxed(i, row, b, omega, x);
    x.get_mut(i).into_iter().for_each(|x| *x = fresh);
}

/// What it is then.
#[inline(always)]
pub(super) fn relaxed<T: Element>(i: usize, (columns, values): (&[u32], &[T]), b: T, omega: T, x: &[T]) -> T {
    let (mut left, mut pivot) = (b, T::ONE);
    for (c, v) in columns.iter().zip(values) {
        left = left - *v * x.get(*c as usize).copied().unwrap_or_default();
        pivot = if *c as usize == i { *v } else { pivot };
    }
    x.get(i).copied().unwrap_or_default() + omega * (left / pivot)
}
