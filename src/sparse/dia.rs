//! The diagonal format (DIA) and its matrix-vector product: [`Dia`].

use super::Csr;
use super::csr::pairs;
use super::sell::{FEW, STRIP};
pub(crate) use super::spmv::spmv_by;
use super::spmv::{Rows, Work, axpby};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Element;

/// A matrix of whole diagonals: element `(i, i + offsets[d])` stands at `d * rows + i` of `values`. What would lie outside the matrix is there, too,
/// and is not read. A 0 on a diagonal is an element as any other.
///
/// ```
/// use fulmen::{Csr, Dia, spmv_dia};
/// // [2 1 0]
/// // [1 2 1]
/// // [0 1 2]
/// let (columns, values) = ([0, 1, 0, 1, 2, 1, 2], [2.0f32, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0]);
/// let a = Csr::new(3, 3, &[0, 2, 5, 7], &columns, &values)?;
/// // No more than four are worth it here.
/// let mut offsets = [0; 4];
/// let n = Dia::diagonals(a, &mut offsets)?;
/// assert_eq!(offsets[..n], [-1, 0, 1]);
/// let mut values = [0.0; 9];
/// let b = Dia::from_csr(a, &offsets[..n], &mut values)?;
/// let mut y = [0.0; 3];
/// spmv_dia(1.0, b, &[1.0, 10.0, 100.0], 0.0, &mut y)?;
/// assert_eq!(y, [12.0, 121.0, 210.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: Y. Saad, "SPARSKIT: A Basic Tool Kit for Sparse Matrix Computations" (1994).
#[derive(Debug)]
pub struct Dia<'a, T> {
    rows: usize,
    cols: usize,
    offsets: &'a [isize],
    values: &'a [T],
}

/// Whether a diagonal has a place in a matrix of so many rows and columns.
fn meets([rows, cols]: [usize; 2], offset: isize) -> bool {
    if offset < 0 {
        offset.unsigned_abs() < rows && cols > 0
    } else {
        offset.unsigned_abs() < cols && rows > 0
    }
}

/// `Ok` with the elements of so many diagonals, each of which is one of the matrix and none twice.
fn whole(shape: [usize; 2], offsets: &[isize]) -> Result<usize, Error> {
    if !pairs(offsets).all(|[a, b]| a < b) || !offsets.iter().all(|offset| meets(shape, *offset)) {
        return Err(Error::must_be("offsets", "ascending, each of a diagonal of the matrix"));
    }
    shape[0].checked_mul(offsets.len()).ok_or(Error::overflow("values"))
}

/// The diagonal of an element.
fn diagonal(i: usize, column: u32) -> Option<isize> {
    isize::try_from(column).ok()?.checked_sub_unsigned(i)
}

impl<'a, T> Dia<'a, T> {
    /// The matrix, once everything about it is found to be true.
    ///
    /// Shapes: `values` has `rows` elements for each of `offsets`.
    ///
    /// Errors: [`Error::Domain`] names `offsets` when they do not ascend or one is of no diagonal of the matrix; [`Error::Len`] names `values`;
    /// [`Error::Overflow`] names `values` when they are more than integers count.
    #[inline]
    pub fn new(rows: usize, cols: usize, offsets: &'a [isize], values: &'a [T]) -> Result<Self, Error> {
        same_len("values", whole([rows, cols], offsets)?, values.len())?;
        Ok(Self { rows, cols, offsets, values })
    }
    /// The diagonals on which `a` has elements, in order, to the first of `offsets`; how many they are.
    ///
    /// Errors: [`Error::Len`] names `offsets` when they are more than it has; it holds some of them then. [`Error::Overflow`] names `a` when an offset is more
    /// than an integer counts.
    pub fn diagonals(a: Csr<'_, T>, offsets: &mut [isize]) -> Result<usize, Error> {
        let (mut n, capacity) = (0, offsets.len());
        for i in 0..a.rows() {
            for column in a.row(i).0 {
                let offset = diagonal(i, *column).ok_or(Error::overflow("a"))?;
                let Err(at) = offsets.get(..n).unwrap_or_default().binary_search(&offset) else { continue };
                let Some(tail) = offsets.get_mut(at..=n) else {
                    return Err(Error::len("offsets", capacity.saturating_add(1), capacity));
                };
                tail.rotate_right(1);
                tail.first_mut().into_iter().for_each(|to| *to = offset);
                n += 1;
            }
        }
        Ok(n)
    }
    /// `a` by these diagonals, which are at least those of [`Dia::diagonals`]; what of one is no element of `a` is 0.
    ///
    /// Shapes: `values` has as many elements for each of `offsets` as `a` has rows. Bits are moved as they are.
    ///
    /// Errors: [`Error::Domain`] names `offsets` when they do not ascend, one is of no diagonal of the matrix, or one on which `a` has elements is not there;
    /// [`Error::Len`] or [`Error::Overflow`] names `values`. Nothing is written then.
    pub fn from_csr(a: Csr<'_, T>, offsets: &'a [isize], values: &'a mut [T]) -> Result<Self, Error>
    where
        T: Element,
    {
        let (rows, cols) = (a.rows(), a.cols());
        same_len("values", whole([rows, cols], offsets)?, values.len())?;
        let find = |i: usize, column: u32| offsets.binary_search(&diagonal(i, column)?).ok();
        let there = |i: usize| a.row(i).0.iter().all(|column| find(i, *column).is_some());
        if !(0..rows).all(there) {
            return Err(Error::must_be("offsets", "of all diagonals on which `a` has elements"));
        }
        values.fill(T::ZERO);
        for i in 0..rows {
            let (columns, of) = a.row(i);
            for (column, v) in columns.iter().zip(of) {
                let to = find(i, *column).and_then(|d| values.get_mut(d * rows + i));
                to.into_iter().for_each(|to| *to = *v);
            }
        }
        Ok(Self { rows, cols, offsets, values })
    }
    /// Rows.
    #[inline(always)]
    pub const fn rows(&self) -> usize {
        self.rows
    }
    /// Columns.
    #[inline(always)]
    pub const fn cols(&self) -> usize {
        self.cols
    }
    /// Diagonals that are stored.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "a shape, not a container")]
    pub const fn len(&self) -> usize {
        self.offsets.len()
    }
    /// Each diagonal and its elements by rows.
    #[inline(always)]
    fn all(&self) -> impl Iterator<Item = (isize, &'a [T])> + use<'a, T> {
        // Without a diagonal there may be no row either.
        self.offsets.iter().copied().zip(self.values.chunks_exact(self.rows.max(1)))
    }
}

impl<T: Sync> Work for Dia<'_, T> {
    fn work(&self, i: usize) -> usize {
        i.saturating_mul(self.offsets.len() + 1)
    }
}

ops! { $ dia_forms in crate::sparse::dia;
    /// [`spmv`](crate::spmv()) of a matrix by diagonals: `y = αAx + βy`.
    ///
    /// Shapes: `x` has A's columns, `y` its rows. The elements of each row are multiplied and added in their order, one sum for each row, side by
    /// side with others. So the bits are the same on every instruction set and at any number of threads; of finite numbers they are those of compressed rows where
    /// these have fewer than 16 elements.
    ///
    /// NaN and ±0: as [`spmv`](crate::spmv()): also through a 0 on a diagonal.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Dia, spmv_dia};
    /// // [2 3]
    /// // [0 4]
    /// let a = Dia::new(2, 2, &[0, 1], &[2.0f32, 4.0, 3.0, f32::NAN])?;
    /// let mut y = [1.0, 1.0];
    /// spmv_dia(1.0, a, &[10.0, 100.0], -1.0, &mut y)?;
    /// assert_eq!(y, [319.0, 399.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: [`Dia`]. Contract: `contracts/spmv-v1.yaml`.
    threads spmv_dia, spmv_dia_on, spmv_by (alpha: by T, a: by Dia<'_, T>, x: in T, beta: by T, y: inout T) -> Result<()>;
}

impl<T: Element> Rows<T> for Dia<'_, T> {
    #[inline(always)]
    fn shape(&self) -> [usize; 2] {
        [self.rows, self.cols]
    }
    #[inline(always)]
    fn multiply(self, alpha: T, x: &[T], beta: T, y: &mut [T], first: usize) {
        let (strips, rest) = y.as_chunks_mut::<STRIP>();
        let mut at = first;
        for y in strips {
            strip(alpha, self, x, beta, y, at);
            at += STRIP;
        }
        let (few, rest) = rest.as_chunks_mut::<FEW>();
        for y in few {
            strip(alpha, self, x, beta, y, at);
            at += FEW;
        }
        for y in rest.as_chunks_mut::<1>().0 {
            strip(alpha, self, x, beta, y, at);
            at += 1;
        }
    }
    fn elements(self) -> impl Iterator<Item = (usize, impl Iterator<Item = (u32, T)>)> {
        (0..self.rows).map(move |i| {
            let of = move |(offset, values): (isize, &[T])| {
                let column = i.checked_add_signed(offset).filter(|column| *column < self.cols)?;
                Some((u32::try_from(column).ok()?, *values.get(i)?))
            };
            (i, self.all().filter_map(of))
        })
    }
}

/// `W` rows from row `at` on.
#[inline(always)]
fn strip<T: Element, const W: usize>(alpha: T, a: Dia<'_, T>, x: &[T], beta: T, y: &mut [T; W], at: usize) {
    let mut sums = [T::ZERO; W];
    if alpha != T::ZERO {
        for (offset, values) in a.all() {
            let Some(v) = values.get(at..).and_then(|v| v.first_chunk::<W>()) else { continue };
            let from = at.checked_add_signed(offset);
            if let Some(x) = from.and_then(|from| x.get(from..)?.first_chunk::<W>()) {
                sums.iter_mut().zip(v.iter().zip(x)).for_each(|(sum, (v, x))| *sum = *sum + *v * *x);
                continue;
            }
            // Some rows have no element of it.
            for (i, (sum, v)) in (at..).zip(sums.iter_mut().zip(v)) {
                if let Some(x) = i.checked_add_signed(offset).and_then(|column| x.get(column)) {
                    *sum = *sum + *v * *x;
                }
            }
        }
    }
    for (y, sum) in y.iter_mut().zip(sums) {
        *y = axpby(alpha, sum, beta, *y);
    }
}
