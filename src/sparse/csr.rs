//! The compressed sparse row format (CSR), validated once: [`Csr`].

use super::spmv::Work;
use super::{Bsr, Dia, Sell};
use crate::error::{Error, same_len};

/// A matrix of compressed sparse rows: row `i` has the elements from `offsets[i]` to `offsets[i + 1]` of `values`, in the
/// columns that `columns` holds beside them.
///
/// ```
/// use fulmen::{Csr, Error};
/// let (offsets, values) = ([0, 1, 2], [1.0f32, 2.0]);
/// let a = Csr::new(2, 2, &offsets, &[1, 0], &values)?;
/// assert_eq!((a.rows(), a.len()), (2, 2));
/// let outside = Csr::new(2, 2, &offsets, &[1, 2], &values).err();
/// assert_eq!(outside, Some(Error::index("columns", 2, 2)));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Csr<'a, T> {
    cols: usize,
    offsets: &'a [usize],
    columns: &'a [u32],
    values: &'a [T],
}

/// References copy whatever they refer to; `derive` would ask it of the elements.
macro_rules! copies {
    ($($View:ident)*) => {$(
        impl<T> Clone for $View<'_, T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $View<'_, T> {}
    )*};
}
copies!(Csr Bsr Dia Sell);

/// `Ok` with what there are: offsets that begin with 0 and of which none is below that before it.
pub(super) fn ends(offsets: &[usize]) -> Result<usize, Error> {
    if offsets.first() != Some(&0) || !pairs(offsets).all(|[a, b]| a <= b) {
        return Err(Error::must_be("offsets", "0 first, then ascending"));
    }
    Ok(offsets.last().copied().unwrap_or(0))
}

/// `Ok` when the columns of each row ascend and are below that.
pub(super) fn ascend(offsets: &[usize], columns: &[u32], below: usize) -> Result<(), Error> {
    for [from, to] in pairs(offsets) {
        let row = columns.get(*from..*to).unwrap_or_default();
        if !pairs(row).all(|[a, b]| a < b) {
            return Err(Error::must_be("columns", "ascending in each row"));
        }
        // The last one is the largest.
        if let Some(&last) = row.last().filter(|last| **last as usize >= below) {
            return Err(Error::index("columns", last as usize, below));
        }
    }
    Ok(())
}

impl<'a, T> Csr<'a, T> {
    /// The matrix, once everything about it is found to be true: that takes one pass over `offsets` and `columns`.
    ///
    /// Errors: [`Error::Len`] when `offsets` has not `rows + 1` numbers, or `columns` or `values` not as many as the last one
    /// says; [`Error::Domain`] names `offsets` when the first is not 0 or one is below that before it, and `columns` when those of a row do not
    /// ascend; [`Error::Index`] when a column is not below `cols`; [`Error::Overflow`] when `rows` is the largest integer.
    #[inline]
    pub fn new(
        rows: usize,
        cols: usize,
        offsets: &'a [usize],
        columns: &'a [u32],
        values: &'a [T],
    ) -> Result<Self, Error> {
        same_len("offsets", rows.checked_add(1).ok_or(Error::overflow("rows"))?, offsets.len())?;
        let len = ends(offsets)?;
        same_len("columns", len, columns.len())?;
        same_len("values", len, values.len())?;
        ascend(offsets, columns, cols)?;
        Ok(Self { cols, offsets, columns, values })
    }
    /// Rows.
    #[inline(always)]
    pub const fn rows(&self) -> usize {
        self.offsets.len() - 1
    }
    /// Columns.
    #[inline(always)]
    pub const fn cols(&self) -> usize {
        self.cols
    }
    /// Elements that are stored.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "a shape, not a container")]
    pub const fn len(&self) -> usize {
        self.values.len()
    }
    /// The columns and the values of row `i`; nothing for one that is not there.
    #[inline(always)]
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [T]) {
        let Some(&[from, to]) = self.offsets.get(i..).and_then(|at| at.first_chunk()) else {
            return (&[], &[]);
        };
        let (columns, values) = (self.columns.get(from..to), self.values.get(from..to));
        (columns.unwrap_or_default(), values.unwrap_or_default())
    }
    /// The rows from `first` on. Every column is below [`Csr::cols`].
    #[inline(always)]
    pub(crate) fn rows_from(
        &self,
        first: usize,
    ) -> impl DoubleEndedIterator<Item = (&'a [u32], &'a [T])> + ExactSizeIterator + use<'a, T> {
        let Self { offsets, columns, values, .. } = *self;
        pairs(offsets.get(first..).unwrap_or_default()).map(move |[from, to]| {
            // SAFETY: `new`, which alone makes this type, found the offsets to ascend, and the last of them to be the length of
            // both; nobody can write them while this is borrowed.
            unsafe { (columns.get_unchecked(*from..*to), values.get_unchecked(*from..*to)) }
        })
    }
    /// All elements.
    #[inline(always)]
    pub(crate) const fn values(&self) -> &'a [T] {
        self.values
    }
    /// Where row `i` begins.
    #[inline(always)]
    pub(crate) fn begin(&self, i: usize) -> usize {
        self.offsets.get(i).copied().unwrap_or(self.values.len())
    }
}

impl<T: Sync> Work for Csr<'_, T> {
    fn work(&self, i: usize) -> usize {
        self.offsets.get(i).copied().unwrap_or(0).saturating_add(i)
    }
}

/// Each element and the next one; `array_windows` needs Rust 1.94.
#[inline(always)]
pub(crate) fn pairs<T>(x: &[T]) -> impl DoubleEndedIterator<Item = [&T; 2]> + ExactSizeIterator {
    let before = x.split_last().map_or(&[][..], |(_, x)| x);
    before.iter().zip(x.get(1..).unwrap_or_default()).map(|(a, b)| [a, b])
}
