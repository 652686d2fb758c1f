//! The sliced ELLPACK format, SELL-C-σ, and its matrix-vector product: [`Sell`].

use super::Csr;
use super::csr::{ends, pairs};
pub(crate) use super::spmv::spmv_by;
use super::spmv::{Rows, Work, axpby};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Element;
use core::cmp::Reverse;

/// Rows of a chunk, interleaved.
pub(crate) const STRIP: usize = 16;
/// And of what that leaves of a chunk.
pub(crate) const FEW: usize = 4;

/// A matrix in SELL-C-σ: every `sigma` rows are sorted by their length, `chunk` rows of that order have one width, and each chunk
/// is stored by columns, so that its rows are interleaved whatever the instruction set.
///
/// Position `p` of the order is row `order[p]`. Its element `k` stands at `offsets[c] + k * chunk + p % chunk` of `columns` and `values` with
/// `c = p / chunk`, for `k` below `lengths[order[p]]`; columns behind that are any below `cols`, and neither they nor their values
/// count. ELLPACK is this with `chunk` all rows and `sigma` 1, which leaves rows where they are. Chunks that are multiples of 16 are
/// the fast ones.
///
/// ```
/// use fulmen::{Csr, Sell, spmv_sell};
/// // [4 0 1]
/// // [0 2 0]
/// let a = Csr::new(2, 3, &[0, 2, 3], &[0, 2, 1], &[4.0f32, 1.0, 2.0])?;
/// let (mut order, chunk, sigma) = ([0; 2], 2, 2);
/// Sell::sort(a, sigma, &mut order)?;
/// assert_eq!(Sell::stored(a, chunk, &order)?, 4);
/// let (mut offsets, mut lengths, mut columns, mut values) = ([0; 2], [0; 2], [0; 4], [0.0; 4]);
/// let b = Sell::from_csr(a, chunk, sigma, &order, &mut offsets, &mut lengths, &mut columns, &mut values)?;
/// let mut y = [0.0; 2];
/// spmv_sell(1.0, b, &[1.0, 10.0, 100.0], 0.0, &mut y)?;
/// assert_eq!(y, [104.0, 20.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. Bishop, "A Unified Sparse Matrix Data Format for Efficient General Sparse
/// Matrix-Vector Multiplication on Modern Processors with Wide SIMD Units" (2014).
#[derive(Debug)]
pub struct Sell<'a, T> {
    cols: usize,
    chunk: usize,
    sigma: usize,
    offsets: &'a [usize],
    lengths: &'a [u32],
    order: &'a [u32],
    columns: &'a [u32],
    values: &'a [T],
}

/// A number that is not 0.
fn positive(arg: &'static str, x: usize) -> Result<(), Error> {
    if x == 0 { Err(Error::must_be(arg, "at least 1")) } else { Ok(()) }
}

/// What sorts rows: longest first, those of one length as they were.
fn key(lengths: impl Fn(u32) -> u32, row: u32) -> (Reverse<u32>, u32) {
    (Reverse(lengths(row)), row)
}

/// `Ok` when each window has its own rows, sorted: two that ascend are never the same, so each row is there once.
fn sorted(sigma: usize, order: &[u32], lengths: impl Fn(u32) -> u32) -> Result<(), Error> {
    for (window, rows) in order.chunks(sigma).enumerate() {
        let (from, to) = (window * sigma, window * sigma + rows.len());
        if let Some(row) = rows.iter().find(|row| **row as usize >= order.len()) {
            return Err(Error::index("order", *row as usize, order.len()));
        }
        let inside = rows.iter().all(|row| (from..to).contains(&(*row as usize)));
        if !inside || !pairs(rows).all(|[a, b]| key(&lengths, *a) < key(&lengths, *b)) {
            return Err(Error::must_be("order", "sorted by length within each window of rows"));
        }
    }
    Ok(())
}

impl<'a, T> Sell<'a, T> {
    /// The matrix, once everything about it is found to be true: that takes one pass over all but `values`.
    ///
    /// Shapes: `lengths` and `order` have `rows` numbers, `offsets` one more than there are chunks, the last of which is as large as
    /// any; `columns` and `values` as many as the last of `offsets`.
    ///
    /// Errors: [`Error::Domain`] names `chunk` or `sigma` when it is 0, `offsets` when the first is not 0, one is below that before it, or a chunk
    /// has no whole columns, `order` when rows are not sorted or leave their window, `lengths` when one is more than its chunk is
    /// wide, and `columns` when those of a row do not ascend; [`Error::Index`] names `order` or `columns`;
    /// [`Error::Len`] names `offsets`, `lengths`, `order`, `columns` or `values`; [`Error::Overflow`] when `rows` is more than 32 bits count.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the parts of the format")]
    pub fn new(
        rows: usize,
        cols: usize,
        chunk: usize,
        sigma: usize,
        offsets: &'a [usize],
        lengths: &'a [u32],
        order: &'a [u32],
        columns: &'a [u32],
        values: &'a [T],
    ) -> Result<Self, Error> {
        positive("chunk", chunk)?;
        positive("sigma", sigma)?;
        if u32::try_from(rows).is_err() {
            return Err(Error::overflow("rows"));
        }
        same_len("offsets", rows.div_ceil(chunk) + 1, offsets.len())?;
        same_len("lengths", rows, lengths.len())?;
        same_len("order", rows, order.len())?;
        let len = ends(offsets)?;
        if !pairs(offsets).all(|[a, b]| (b - a).is_multiple_of(chunk)) {
            return Err(Error::must_be("offsets", "multiples of `chunk` apart"));
        }
        same_len("columns", len, columns.len())?;
        same_len("values", len, values.len())?;
        let length = |row: u32| lengths.get(row as usize).copied().unwrap_or(0);
        sorted(sigma, order, length)?;
        if let Some(&column) = columns.iter().find(|c| **c as usize >= cols) {
            return Err(Error::index("columns", column as usize, cols));
        }
        for ([from, to], rows) in pairs(offsets).zip(order.chunks(chunk)) {
            if rows.iter().any(|row| length(*row) as usize > (to - from) / chunk) {
                return Err(Error::must_be("lengths", "at most the width of their chunk"));
            }
            let all = columns.get(*from..*to).unwrap_or_default();
            let next = all.chunks(chunk).zip(all.chunks(chunk).skip(1));
            for (k, (before, now)) in (1..).zip(next) {
                let ascends = |((a, b), row): ((&u32, &u32), &u32)| a < b || k >= length(*row);
                if !before.iter().zip(now).zip(rows).all(ascends) {
                    return Err(Error::must_be("columns", "ascending in each row"));
                }
            }
        }
        Ok(Self { cols, chunk, sigma, offsets, lengths, order, columns, values })
    }
    /// The order of the rows of `a`: every `sigma` of them longest first, those of one length as they were.
    ///
    /// Errors: [`Error::Domain`] names `sigma` when it is 0; [`Error::Len`] when `order` has not a number for each row; [`Error::Overflow`] names `a`
    /// when its rows are more than 32 bits count, or the elements of one. Nothing is written then.
    pub fn sort(a: Csr<'_, T>, sigma: usize, order: &mut [u32]) -> Result<(), Error> {
        positive("sigma", sigma)?;
        counts(a)?;
        same_len("order", a.rows(), order.len())?;
        (0..).zip(order.iter_mut()).for_each(|(row, to)| *to = row);
        for rows in order.chunks_mut(sigma) {
            rows.sort_unstable_by_key(|row| key(|row| length(a, row), *row));
        }
        Ok(())
    }
    /// How many columns and values `a` has in this format, those among them that only fill.
    ///
    /// Errors: [`Error::Domain`] names `chunk` when it is 0; [`Error::Len`] when `order` has not a number for each row; [`Error::Overflow`] names `a`.
    pub fn stored(a: Csr<'_, T>, chunk: usize, order: &[u32]) -> Result<usize, Error> {
        positive("chunk", chunk)?;
        counts(a)?;
        same_len("order", a.rows(), order.len())?;
        widths(a, chunk, order)
            .try_fold(0usize, |sum, width| sum.checked_add(width.checked_mul(chunk)?))
            .ok_or(Error::overflow("a"))
    }
    /// `a` in this format, in the order that [`Sell::sort`] gives; what fills chunks is 0.
    ///
    /// Shapes: `offsets` has one number more than there are chunks, `lengths` as many as there are rows, `columns` and `values` as many as
    /// [`Sell::stored`] says. Bits are moved as they are.
    ///
    /// Errors: [`Error::Domain`] names `chunk`, `sigma` or an `order` that is not sorted; [`Error::Index`] `order`; [`Error::Len`] `offsets`, `lengths`,
    /// `order`, `columns` or `values`; [`Error::Overflow`] `a`. Nothing is written then.
    #[allow(clippy::too_many_arguments, reason = "the parts of the format")]
    pub fn from_csr(
        a: Csr<'_, T>,
        chunk: usize,
        sigma: usize,
        order: &'a [u32],
        offsets: &'a mut [usize],
        lengths: &'a mut [u32],
        columns: &'a mut [u32],
        values: &'a mut [T],
    ) -> Result<Self, Error>
    where
        T: Element,
    {
        positive("sigma", sigma)?;
        let stored = Self::stored(a, chunk, order)?;
        same_len("offsets", a.rows().div_ceil(chunk) + 1, offsets.len())?;
        same_len("lengths", a.rows(), lengths.len())?;
        same_len("columns", stored, columns.len())?;
        same_len("values", stored, values.len())?;
        sorted(sigma, order, |row| length(a, row))?;
        (0..).zip(lengths.iter_mut()).for_each(|(row, to)| *to = length(a, row));
        columns.fill(0);
        values.fill(T::ZERO);
        let (mut begin, mut ends) = (0, offsets.iter_mut());
        ends.next().into_iter().for_each(|first| *first = 0);
        let chunks = order.chunks(chunk).zip(widths(a, chunk, order));
        for ((rows, width), end) in chunks.zip(ends) {
            for (lane, row) in rows.iter().enumerate() {
                let (all, of) = a.row(*row as usize);
                let to = columns.iter_mut().zip(values.iter_mut()).skip(begin + lane).step_by(chunk);
                for ((column, value), (c, v)) in to.zip(all.iter().zip(of)) {
                    (*column, *value) = (*c, *v);
                }
            }
            begin += width * chunk;
            *end = begin;
        }
        Ok(Self { cols: a.cols(), chunk, sigma, offsets, lengths, order, columns, values })
    }
    /// Rows.
    #[inline(always)]
    pub const fn rows(&self) -> usize {
        self.order.len()
    }
    /// Columns.
    #[inline(always)]
    pub const fn cols(&self) -> usize {
        self.cols
    }
    /// Where the chunk of position `p` begins, how wide it is, and which of its rows that is.
    #[inline(always)]
    fn place(&self, p: usize) -> (usize, usize, usize) {
        let from = self.offsets.get(p / self.chunk).copied().unwrap_or(0);
        let to = self.offsets.get(p / self.chunk + 1).copied().unwrap_or(from);
        (from, (to - from) / self.chunk, p % self.chunk)
    }
}

/// How many elements a row has.
fn length<T>(a: Csr<'_, T>, row: u32) -> u32 {
    a.row(row as usize).0.len() as u32
}

/// `Ok` when 32 bits count its rows and the elements of each.
fn counts<T>(a: Csr<'_, T>) -> Result<(), Error> {
    let most = a.rows().max(if a.cols() > u32::MAX as usize { a.len() } else { 0 });
    u32::try_from(most).map(drop).map_err(|_| Error::overflow("a"))
}

/// The longest row of each chunk.
fn widths<T>(a: Csr<'_, T>, chunk: usize, order: &[u32]) -> impl Iterator<Item = usize> {
    order.chunks(chunk).map(move |rows| rows.iter().map(|row| length(a, *row) as usize).max().unwrap_or(0))
}

impl<T: Sync> Work for Sell<'_, T> {
    /// By position.
    fn work(&self, p: usize) -> usize {
        let p = p.min(self.rows());
        let (from, width, lane) = self.place(p);
        let before = if p == self.rows() { self.values.len() } else { from + width * lane };
        before.saturating_add(p)
    }
    /// Rows of a window stay together: others may not write them.
    fn step(&self) -> usize {
        self.sigma.saturating_mul(STRIP.div_ceil(self.sigma))
    }
}

ops! { $ sell_forms in crate::sparse::sell;
    /// [`spmv`](crate::spmv()) of a matrix in SELL-C-σ: `y = αAx + βy`.
    ///
    /// Shapes: `x` has A's columns, `y` its rows. The elements of each row are multiplied and added in their order, one sum for each row, side by
    /// side with others. So the bits are the same on every instruction set, at any number of threads and whatever `chunk` and `sigma` are; they are
    /// those of compressed rows where these have fewer than 16 elements. Threads have whole windows of `sigma` rows.
    ///
    /// NaN and ±0: as [`spmv`](crate::spmv()); what fills a chunk is not read as a number, so an infinity in `x` multiplies stored elements only.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Sell, spmv_sell};
    /// // ELLPACK of [2 3]
    /// //            [4 0]
    /// let a = Sell::new(2, 2, 2, 1, &[0, 4], &[2, 1], &[0, 1], &[0, 0, 1, 0], &[2.0f32, 4.0, 3.0, 0.0])?;
    /// let mut y = [1.0, 1.0];
    /// spmv_sell(1.0, a, &[10.0, 100.0], -1.0, &mut y)?;
    /// assert_eq!(y, [319.0, 39.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: [`Sell`]. Contract: `contracts/spmv-v1.yaml`.
    threads spmv_sell, spmv_sell_on, spmv_by (alpha: by T, a: by Sell<'_, T>, x: in T, beta: by T, y: inout T) -> Result<()>;
}

impl<T: Element> Rows<T> for Sell<'_, T> {
    #[inline(always)]
    fn shape(&self) -> [usize; 2] {
        [self.rows(), self.cols]
    }
    #[inline(always)]
    fn multiply(self, alpha: T, x: &[T], beta: T, y: &mut [T], first: usize) {
        let Some(x) = x.get(..self.cols) else { return };
        let (mut p, end) = (first, first + y.len());
        while p < end {
            let (from, _, lane) = self.place(p);
            let stop = end.min(p + (self.chunk - lane));
            let mut at = from + lane;
            while stop - p >= STRIP {
                strip::<T, STRIP>(alpha, self, x, beta, y, [first, p, at]);
                (p, at) = (p + STRIP, at + STRIP);
            }
            while stop - p >= FEW {
                strip::<T, FEW>(alpha, self, x, beta, y, [first, p, at]);
                (p, at) = (p + FEW, at + FEW);
            }
            while stop > p {
                strip::<T, 1>(alpha, self, x, beta, y, [first, p, at]);
                (p, at) = (p + 1, at + 1);
            }
        }
    }
    fn elements(self) -> impl Iterator<Item = (usize, impl Iterator<Item = (u32, T)>)> {
        self.order.iter().enumerate().map(move |(p, row)| {
            let (from, _, lane) = self.place(p);
            let at = move |k: usize| from + k * self.chunk + lane;
            let of = move |k| Some((*self.columns.get(at(k))?, *self.values.get(at(k))?));
            let length = self.lengths.get(*row as usize).copied().unwrap_or(0);
            (*row as usize, (0..length as usize).filter_map(of))
        })
    }
}

/// `W` rows of a chunk from position `p` on, whose first elements stand from `at` on.
#[inline(always)]
fn strip<T: Element, const W: usize>(
    alpha: T,
    a: Sell<'_, T>,
    x: &[T],
    beta: T,
    y: &mut [T],
    [first, p, at]: [usize; 3],
) {
    let Some(rows) = a.order.get(p..).and_then(|rows| rows.first_chunk::<W>()) else { return };
    let mut sums = [T::ZERO; W];
    if alpha != T::ZERO {
        let lengths = rows.map(|row| a.lengths.get(row as usize).copied().unwrap_or(0));
        let (least, most) = lengths.iter().fold((u32::MAX, 0), |(l, m), n| (l.min(*n), m.max(*n)));
        let columns = a.columns.get(at..).unwrap_or_default().chunks(a.chunk);
        let values = a.values.get(at..).unwrap_or_default().chunks(a.chunk);
        let mut steps = columns.zip(values);
        let next = |step: (&[u32], &[T])| {
            let (c, v) = step.0.first_chunk::<W>().zip(step.1.first_chunk::<W>())?;
            // SAFETY: `new` and `from_csr`, which alone make this type, found each of `columns` to be below `cols`, those that fill
            // too, and the caller that `x` has `cols` elements; nobody can write `columns` while it is borrowed.
            let mut terms = c.map(|c| unsafe { *x.get_unchecked(c as usize) });
            terms.iter_mut().zip(v).for_each(|(x, v)| *x = *v * *x);
            Some(terms)
        };
        for terms in steps.by_ref().take(least as usize).map_while(next) {
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum = *sum + term);
        }
        for (k, terms) in (least..most).zip(steps.map_while(next)) {
            for ((sum, term), length) in sums.iter_mut().zip(terms).zip(lengths) {
                *sum = if k < length { *sum + term } else { *sum };
            }
        }
    }
    for (row, sum) in rows.iter().zip(sums) {
        let Some(y) = (*row as usize).checked_sub(first).and_then(|row| y.get_mut(row)) else { continue };
        *y = axpby(alpha, sum, beta, *y);
    }
}
