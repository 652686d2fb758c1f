//! The block compressed sparse row format (BSR) and its matrix-vector product: [`Bsr`].

use super::Csr;
use super::csr::{ascend, ends};
pub(crate) use super::spmv::spmv_by;
use super::spmv::{Rows, Work, axpby};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Element;

/// A matrix of dense blocks of `block[0]` rows and `block[1]` columns, in compressed rows of blocks: those from `offsets[i]` to `offsets[i + 1]` are in
/// row `i` of blocks, in the columns of blocks that `columns` holds. A block is stored by columns: element `(i, j)` of the one at place `k` stands at
/// `(k * block[1] + j) * block[0] + i` of `values`, so that rows are interleaved whatever the instruction set.
///
/// The last blocks may reach over the edges of the matrix; what they have there is not read. A 0 inside a block is an element as any other.
///
/// ```
/// use fulmen::{Bsr, Csr, spmv_bsr};
/// // [4 5 0]
/// // [0 2 1]
/// let a = Csr::new(2, 3, &[0, 2, 4], &[0, 1, 1, 2], &[4.0f32, 5.0, 2.0, 1.0])?;
/// let n = Bsr::blocks(a, [2, 2])?;
/// assert_eq!(n, 2);
/// let (mut offsets, mut columns, mut values) = ([0; 2], [0; 2], [0.0; 8]);
/// let b = Bsr::from_csr(a, [2, 2], &mut offsets, &mut columns, &mut values)?;
/// let mut y = [0.0; 2];
/// spmv_bsr(1.0, b, &[1.0, 10.0, 100.0], 0.0, &mut y)?;
/// assert_eq!(y, [54.0, 120.0]);
/// assert_eq!(values, [4.0, 0.0, 5.0, 2.0, 0.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: Y. Saad, "SPARSKIT: A Basic Tool Kit for Sparse Matrix Computations" (1994).
#[derive(Debug)]
pub struct Bsr<'a, T> {
    rows: usize,
    cols: usize,
    block: [usize; 2],
    offsets: &'a [usize],
    columns: &'a [u32],
    values: &'a [T],
}

/// Elements of a block.
fn area(block: [usize; 2]) -> Result<usize, Error> {
    match block[0].checked_mul(block[1]) {
        Some(0) => Err(Error::must_be("block", "of at least one row and one column")),
        area => area.ok_or(Error::overflow("block")),
    }
}

/// The columns of blocks that the rows from `first` on have elements in, in order.
fn found<T>(a: Csr<'_, T>, [r, c]: [usize; 2], first: usize) -> impl Iterator<Item = usize> {
    let next = move |from: usize| {
        let of = |i: usize| {
            let all = a.row(i).0;
            all.get(all.partition_point(|column| (*column as usize) < from))
                .map(|column| *column as usize / c)
        };
        (first..a.rows().min(first.saturating_add(r))).filter_map(of).min()
    };
    core::iter::successors(next(0), move |column| next((column + 1).saturating_mul(c)))
}

impl<'a, T> Bsr<'a, T> {
    /// The matrix, once everything about it is found to be true: that takes one pass over `offsets` and `columns`.
    ///
    /// Shapes: `offsets` has one number more than there are rows of blocks; `columns` has as many as the last of them says, `values` as many times the
    /// elements of a block.
    ///
    /// Errors: [`Error::Domain`] names `block` when it has no element, `offsets` when the first is not 0 or one is below that before it, and `columns` when
    /// those of a row do not ascend; [`Error::Index`] when a column is not one of blocks; [`Error::Len`] names `offsets`, `columns` or `values`;
    /// [`Error::Overflow`] names `block` or `values` when elements are more than integers count.
    #[inline]
    pub fn new(
        rows: usize,
        cols: usize,
        block: [usize; 2],
        offsets: &'a [usize],
        columns: &'a [u32],
        values: &'a [T],
    ) -> Result<Self, Error> {
        let area = area(block)?;
        same_len("offsets", rows.div_ceil(block[0]).saturating_add(1), offsets.len())?;
        let len = ends(offsets)?;
        same_len("columns", len, columns.len())?;
        same_len("values", len.checked_mul(area).ok_or(Error::overflow("values"))?, values.len())?;
        ascend(offsets, columns, cols.div_ceil(block[1]))?;
        Ok(Self { rows, cols, block, offsets, columns, values })
    }
    /// How many blocks `a` has elements in.
    ///
    /// Errors: [`Error::Domain`] names `block` when it has no element, [`Error::Overflow`] when it has more than integers count.
    pub fn blocks(a: Csr<'_, T>, block: [usize; 2]) -> Result<usize, Error> {
        area(block)?;
        Ok((0..a.rows()).step_by(block[0]).map(|first| found(a, block, first).count()).sum())
    }
    /// `a` in blocks; what of one is no element of `a` is 0.
    ///
    /// Shapes: `offsets` has one number more than there are rows of blocks, `columns` as many as [`Bsr::blocks`] says, `values` as many times the elements of a
    /// block. Bits are moved as they are. An element is looked for in every row of blocks: time grows with the blocks and the logarithm of a row's length.
    ///
    /// Errors: [`Error::Domain`] names `block` when it has no element; [`Error::Len`] names `offsets`, `columns` or `values`; [`Error::Overflow`] names `block`
    /// or `values`. Nothing is written then.
    pub fn from_csr(
        a: Csr<'_, T>,
        block: [usize; 2],
        offsets: &'a mut [usize],
        columns: &'a mut [u32],
        values: &'a mut [T],
    ) -> Result<Self, Error>
    where
        T: Element,
    {
        let (n, area, [r, c]) = (Self::blocks(a, block)?, area(block)?, block);
        same_len("offsets", a.rows().div_ceil(r).saturating_add(1), offsets.len())?;
        same_len("columns", n, columns.len())?;
        same_len("values", n.checked_mul(area).ok_or(Error::overflow("values"))?, values.len())?;
        values.fill(T::ZERO);
        let (mut begin, mut ends) = (0, offsets.iter_mut());
        ends.next().into_iter().for_each(|first| *first = 0);
        for (first, end) in (0..a.rows()).step_by(r).zip(ends) {
            let mut to = columns.iter_mut().skip(begin);
            let mut len = 0;
            for (column, to) in found(a, block, first).zip(to.by_ref()) {
                *to = column as u32;
                len += 1;
            }
            let row = columns.get(begin..begin + len).unwrap_or_default();
            for (i, (all, of)) in (first..a.rows()).take(r).map(|i| a.row(i)).enumerate() {
                let mut k = 0;
                for (column, v) in all.iter().zip(of) {
                    let (at, j) = (*column as usize / c, *column as usize % c);
                    while row.get(k).is_some_and(|column| (*column as usize) < at) {
                        k += 1;
                    }
                    let to = values.get_mut(((begin + k) * c + j) * r + i);
                    to.into_iter().for_each(|to| *to = *v);
                }
            }
            begin += len;
            *end = begin;
        }
        Ok(Self { rows: a.rows(), cols: a.cols(), block, offsets, columns, values })
    }
    /// Rows, of elements.
    #[inline(always)]
    pub const fn rows(&self) -> usize {
        self.rows
    }
    /// Columns, of elements.
    #[inline(always)]
    pub const fn cols(&self) -> usize {
        self.cols
    }
    /// Blocks that are stored.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "a shape, not a container")]
    pub const fn len(&self) -> usize {
        self.columns.len()
    }
    /// The columns and the elements of row `i` of blocks.
    #[inline(always)]
    fn row(&self, i: usize) -> (&'a [u32], &'a [T]) {
        let area = self.block[0] * self.block[1];
        let Some(&[from, to]) = self.offsets.get(i..).and_then(|at| at.first_chunk()) else {
            return (&[], &[]);
        };
        let (columns, values) = (self.columns.get(from..to), self.values.get(from * area..to * area));
        (columns.unwrap_or_default(), values.unwrap_or_default())
    }
}

impl<T: Sync> Work for Bsr<'_, T> {
    fn work(&self, i: usize) -> usize {
        let blocks = self.offsets.get(i.div_ceil(self.block[0])).copied().unwrap_or(self.columns.len());
        blocks.saturating_mul(self.block[0] * self.block[1]).saturating_add(i)
    }
    /// Rows of a block stay together.
    fn step(&self) -> usize {
        self.block[0]
    }
}

ops! { $ bsr_forms in crate::sparse::bsr;
    /// [`spmv`](crate::spmv()) of a matrix in block compressed rows: `y = αAx + βy`.
    ///
    /// Shapes: `x` has A's columns, `y` its rows. The elements of each row are multiplied and added in their order, one sum for each row, side by
    /// side with others of the block. So the bits are the same on every instruction set, at any number of threads and, of finite numbers, whatever the blocks
    /// are; they are those of compressed rows where these have fewer than 16 elements. Threads have whole rows of blocks.
    ///
    /// NaN and ±0: as [`spmv`](crate::spmv()): also through a 0 inside a block.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Bsr, spmv_bsr};
    /// // [2 4]
    /// // [3 5]
    /// let a = Bsr::new(2, 2, [2, 2], &[0, 1], &[0], &[2.0f32, 3.0, 4.0, 5.0])?;
    /// let mut y = [1.0, 1.0];
    /// spmv_bsr(1.0, a, &[10.0, 100.0], -1.0, &mut y)?;
    /// assert_eq!(y, [419.0, 529.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: [`Bsr`]. Contract: `contracts/spmv-v1.yaml`.
    threads spmv_bsr, spmv_bsr_on, spmv_by (alpha: by T, a: by Bsr<'_, T>, x: in T, beta: by T, y: inout T) -> Result<()>;
}

impl<T: Element> Rows<T> for Bsr<'_, T> {
    #[inline(always)]
    fn shape(&self) -> [usize; 2] {
        [self.rows, self.cols]
    }
    #[inline(always)]
    fn multiply(self, alpha: T, x: &[T], beta: T, y: &mut [T], first: usize) {
        let [r, _] = self.block;
        for (i, y) in y.chunks_mut(r).enumerate() {
            let row = self.row(first / r + i);
            let mut at = 0;
            while at < y.len() {
                let to = y.get_mut(at..).unwrap_or_default();
                at += match to.len() {
                    8.. => strip::<T, 8>(alpha, self.block, row, x, beta, to, at),
                    4.. => strip::<T, 4>(alpha, self.block, row, x, beta, to, at),
                    3 => strip::<T, 3>(alpha, self.block, row, x, beta, to, at),
                    2 => strip::<T, 2>(alpha, self.block, row, x, beta, to, at),
                    _ => strip::<T, 1>(alpha, self.block, row, x, beta, to, at),
                };
            }
        }
    }
    fn elements(self) -> impl Iterator<Item = (usize, impl Iterator<Item = (u32, T)>)> {
        let [r, c] = self.block;
        (0..self.rows).map(move |row| {
            let (columns, values) = self.row(row / r);
            let of = move |(k, column): (usize, &u32)| {
                let value = move |j: usize| values.get((k * c + j) * r + row % r).copied();
                let from = *column as usize * c;
                (from..self.cols.min(from + c)).filter_map(move |j| Some((j as u32, value(j - from)?)))
            };
            (row, columns.iter().enumerate().flat_map(of))
        })
    }
}

/// `W` rows of a row of blocks, from `at` on; how many that are.
#[inline(always)]
fn strip<T: Element, const W: usize>(
    alpha: T,
    [r, c]: [usize; 2],
    (columns, values): (&[u32], &[T]),
    x: &[T],
    beta: T,
    y: &mut [T],
    at: usize,
) -> usize {
    let mut sums = [T::ZERO; W];
    if alpha != T::ZERO {
        for (column, block) in columns.iter().zip(values.chunks_exact(r * c)) {
            // Fewer than a block has where it reaches over the edge.
            let x = x.get(*column as usize * c..).unwrap_or_default();
            for (x, v) in x.iter().zip(block.chunks_exact(r)) {
                let Some(v) = v.get(at..).and_then(|v| v.first_chunk::<W>()) else { continue };
                sums.iter_mut().zip(v).for_each(|(sum, v)| *sum = *sum + *v * *x);
            }
        }
    }
    for (y, sum) in y.iter_mut().zip(sums) {
        *y = axpby(alpha, sum, beta, *y);
    }
    W
}
