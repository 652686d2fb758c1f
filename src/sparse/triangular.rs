//! Sparse triangular solves, and incomplete LU without fill-in, ILU(0).

use super::Csr;
use crate::blas::{Diagonal, Triangle};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};

ops! { $ triangular_ops in crate::sparse::triangular;
    /// `x = A⁻¹x` for a triangle of a sparse A. The other triangle is not read, nor is the diagonal where it is [`Diagonal::Unit`]; so
    /// the factors that [`ilu0`] leaves in one matrix are two calls.
    ///
    /// Shapes: A is `n` by `n`, `x` has `n` elements. From `x[i]` the products of its row are subtracted one after the other, from the end of the
    /// row towards the diagonal, which divides what is left. So the bits are the same on every instruction set; each element waits
    /// for those before it, so all belong to one thread.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754, also through a stored 0.
    ///
    /// Errors: [`Error::Shape`] names `a`, [`Error::Len`] `x`; [`Error::Pivot`] with the index of the first element of the diagonal
    /// that is 0 or not stored. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, Diagonal, Triangle, spsv};
    /// // [2 0]
    /// // [1 4]
    /// let a = Csr::new(2, 2, &[0, 1, 3], &[0, 0, 1], &[2.0f32, 1.0, 4.0])?;
    /// let mut x = [6.0, 11.0];
    /// spsv(Triangle::Lower, Diagonal::NonUnit, a, &mut x)?;
    /// assert_eq!(x, [3.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/spsv-v1.yaml`.
    serial spsv, spsv_on, spsv_by (triangle: by Triangle, diagonal: by Diagonal, a: by Csr<'_, T>, x: inout T) -> Result<()>;

    /// Incomplete factors of a sparse A: L with ones on its diagonal, which are not stored, and U, where A has elements. `LU = A` holds in
    /// those places; what elimination would add elsewhere is dropped. `Csr` of A's offsets and columns and of `factors` is what
    /// [`spsv`] solves with and [`cg`](crate::cg()) takes.
    ///
    /// Shapes: A is `n` by `n` and stores its diagonal; `factors` has as many elements as A. The elements of a row are eliminated in their order,
    /// so the bits are the same on every instruction set.
    ///
    /// NaN and ±0: NaN and infinities are refused; a pivot that is 0, or past the largest number on the way, is
    /// [`Error::Pivot`].
    ///
    /// Errors: [`Error::Shape`] names `a`, [`Error::Len`] `factors`; [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an infinity;
    /// [`Error::Pivot`] when an element of the diagonal is not stored: nothing is written then. [`Error::Pivot`] with the index of the first
    /// pivot that nothing can be divided by: what `factors` holds then is of no use. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, ilu0};
    /// // [ 2 -1  0]
    /// // [-1  2 -1]
    /// // [ 0 -1  2]
    /// let (offsets, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
    /// let a = Csr::new(3, 3, &offsets, &columns, &[2.0f32, -1.0, -1.0, 2.5, -1.0, -1.0, 2.5])?;
    /// let mut factors = [0.0; 7];
    /// ilu0(a, &mut factors)?;
    /// assert_eq!(factors, [2.0, -1.0, -0.5, 2.0, -1.0, -0.5, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, §10.3.2. Contract: `contracts/ilu0-v1.yaml`.
    #[doc(alias = "spilu")]
    serial ilu0, ilu0_on, ilu0_by (a: by Csr<'_, T>, factors: out T) -> Result<()>;
}

pub(crate) fn spsv_by<S: Simd, T: Element>(
    s: S,
    triangle: Triangle,
    diagonal: Diagonal,
    a: Csr<'_, T>,
    x: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("x", n, x.len())?;
    if diagonal == Diagonal::NonUnit {
        divides("a", a)?;
    }
    s.vectorize(
        #[inline(always)]
        || solve(triangle, diagonal, a, x),
    );
    contract!(
        spsv,
        Ok(()),
        each | check | {
            let unit = diagonal == Diagonal::Unit;
            let mut all = (0..n).filter(|_| !unit).filter_map(|i| Some((pivot(a, i)?, *x.get(i)?)));
            all.try_for_each(|(d, x)| check(&Call::new(&[&[d]], &[x])))
        }
    )
}

/// The element of the diagonal in row `i`.
fn pivot<T: Element>(a: Csr<'_, T>, i: usize) -> Option<T> {
    let (columns, values) = a.row(i);
    let at = columns.partition_point(|c| (*c as usize) < i);
    values.get(at).copied().filter(|_| columns.get(at).is_some_and(|c| *c as usize == i))
}

/// `Ok` when the diagonal is stored, and no element of it is 0.
pub(super) fn divides<T: Element>(arg: &'static str, a: Csr<'_, T>) -> Result<(), Error> {
    match (0..a.rows()).find(|i| pivot(a, *i).is_none_or(|d| d == T::ZERO)) {
        Some(index) => Err(Error::pivot(arg, index)),
        None => Ok(()),
    }
}

/// `Ok` when there is neither NaN nor an infinity.
pub(super) fn finite<T: Element>(arg: &'static str, x: &[T]) -> Result<(), Error> {
    // The difference with itself is 0 for finite numbers only.
    if x.iter().all(|x| *x - *x == T::ZERO) {
        return Ok(());
    }
    let nan = x.iter().any(|x| x.partial_cmp(x).is_none());
    Err(if nan { Error::nan(arg) } else { Error::must_be(arg, "finite") })
}

/// As [`spsv`], of what is checked.
#[inline(always)]
pub(super) fn solve<T: Element>(triangle: Triangle, diagonal: Diagonal, a: Csr<'_, T>, x: &mut [T]) {
    let unit = diagonal == Diagonal::Unit;
    let rows = a.rows_from(0).enumerate();
    match triangle {
        Triangle::Lower => {
            rows.for_each(|(i, (c, v))| row(i, |c| c > i, unit, c.iter().zip(v), x));
        }
        Triangle::Upper => {
            rows.rev().for_each(|(i, (c, v))| row(i, |c| c < i, unit, c.iter().zip(v).rev(), x));
        }
    }
}

/// One element of the solution, from the elements of its row up to the diagonal, which lies before what is `past`.
#[inline(always)]
fn row<'a, T: Element>(
    i: usize,
    past: impl Fn(usize) -> bool,
    unit: bool,
    elements: impl Iterator<Item = (&'a u32, &'a T)>,
    x: &mut [T],
) {
    let mut sum = x.get(i).copied().unwrap_or_default();
    for (c, v) in elements {
        let c = *c as usize;
        if c == i || past(c) {
            sum = if unit { sum } else { sum / *v };
            break;
        }
        sum = sum - *v * x.get(c).copied().unwrap_or_default();
    }
    if let Some(x) = x.get_mut(i) {
        *x = sum;
    }
}

pub(crate) fn ilu0_by<S: Simd, T: Element>(s: S, a: Csr<'_, T>, factors: &mut [T]) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("factors", a.len(), factors.len())?;
    finite("a", a.values())?;
    if let Some(index) = (0..n).find(|i| pivot(a, *i).is_none()) {
        return Err(Error::pivot("a", index));
    }
    factors.copy_from_slice(a.values());
    let bad = s.vectorize(
        #[inline(always)]
        || (0..n).find(|i| eliminate(a, factors, *i).is_none()),
    );
    contract!(
        ilu0,
        bad.map_or(Ok(()), |index| Err(Error::pivot("a", index))),
        each | check
            | a.values().iter().zip(&*factors).try_for_each(|(a, f)| check(&Call::new(&[&[*a]], &[*f])))
    )
}

/// Row `i` of the factors, from those above it; nothing when its pivot cannot be divided by.
#[inline(always)]
fn eliminate<T: Element>(a: Csr<'_, T>, factors: &mut [T], i: usize) -> Option<()> {
    let (columns, _) = a.row(i);
    let (above, row) = factors.split_at_mut_checked(a.begin(i))?;
    let row = row.get_mut(..columns.len())?;
    let diagonal = columns.partition_point(|c| (*c as usize) < i);
    for at in 0..diagonal {
        let k = *columns.get(at)? as usize;
        let (others, _) = a.row(k);
        let others_at = others.partition_point(|c| (*c as usize) < k);
        let pivots = above.get(a.begin(k)..)?.get(..others.len())?.get(others_at..)?;
        let (pivot, pivots) = pivots.split_first()?;
        let (f, rest) = row.get_mut(at..)?.split_first_mut()?;
        *f = *f / *pivot;
        // Both rows ascend: where the upper one has a column that this one has, too.
        let mut mine = columns.get(at + 1..)?.iter().zip(rest).peekable();
        for (c, u) in others.get(others_at + 1..)?.iter().zip(pivots) {
            while mine.next_if(|(m, _)| *m < c).is_some() {}
            if let Some((_, x)) = mine.next_if(|(m, _)| *m == c) {
                *x = *x - *f * *u;
            }
        }
    }
    let pivot = *row.get(diagonal)?;
    (pivot != T::ZERO && pivot - pivot == T::ZERO).then_some(())
}
