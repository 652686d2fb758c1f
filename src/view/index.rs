//! Views as people write and read them: `a[(i, j)]`, `v[i]`, and text.

use super::{MatMut, MatRef, VecMut, VecRef};
use core::fmt::{self, Display, Write};
use core::ops::{Index, IndexMut};

#[cold]
#[track_caller]
#[allow(clippy::panic, reason = "as the index of a slice; `get` is for a place that may be outside")]
fn outside(row: usize, col: usize, rows: usize, cols: usize) -> ! {
    panic!("the element ({row}, {col}) of a matrix of {rows} by {cols}")
}

macro_rules! index {
    ($($View:ident)*) => {$(
        /// The element of a row and a column. Panics when the matrix has none there; `get` does not.
        ///
        /// ```
        /// use fulmen::{MatMut, MatRef};
        /// let mut x = [1.0, 2.0, 3.0, 4.0];
        /// let mut a = MatMut::row_major(&mut x, 2, 2)?;
        /// a[(1, 0)] += 10.0;
        /// assert_eq!((a[(1, 0)], MatRef::col_major(&x, 2, 2)?[(0, 1)]), (13.0, 13.0));
        /// # Ok::<(), fulmen::Error>(())
        /// ```
        impl<T> Index<(usize, usize)> for $View<'_, T> {
            type Output = T;
            #[inline]
            #[track_caller]
            fn index(&self, (row, col): (usize, usize)) -> &T {
                match self.element(row, col) {
                    Some(x) => x,
                    None => outside(row, col, self.rows(), self.cols()),
                }
            }
        }
    )*};
}
index!(MatRef MatMut);

/// The element of a row and a column, to be written. Panics when the matrix has none there; `set` does not.
impl<T> IndexMut<(usize, usize)> for MatMut<'_, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, (row, col): (usize, usize)) -> &mut T {
        let (rows, cols) = (self.rows(), self.cols());
        match self.element_mut(row, col) {
            Some(x) => x,
            None => outside(row, col, rows, cols),
        }
    }
}

macro_rules! vector {
    ($($View:ident)*) => {$(
        /// The element. Panics when the vector has none there; `get` does not.
        ///
        /// ```
        /// use fulmen::VecMut;
        /// let mut x = [1.0, 2.0, 3.0, 4.0];
        /// let mut v = VecMut::strided(&mut x, 3, 2, -2)?;
        /// v[1] = v[0] + 1.0;
        /// assert_eq!(x, [1.0, 5.0, 3.0, 4.0]);
        /// # Ok::<(), fulmen::Error>(())
        /// ```
        impl<T> Index<usize> for $View<'_, T> {
            type Output = T;
            #[inline]
            #[track_caller]
            fn index(&self, i: usize) -> &T {
                Index::index(&self.0, (i, 0))
            }
        }
    )*};
}
vector!(VecRef VecMut);

/// The element, to be written. Panics when the vector has none there; `set` does not.
impl<T> IndexMut<usize> for VecMut<'_, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, i: usize) -> &mut T {
        IndexMut::index_mut(&mut self.0, (i, 0))
    }
}

/// Rows and columns of which all are shown, at most, and so many at each end of more.
const SHOWN: usize = 10;
const ENDS: usize = 5;

/// What is shown of `n`; nothing stands for those between.
fn shown(n: usize, all: bool) -> impl Iterator<Item = Option<usize>> + Clone {
    let cut = !all && n > SHOWN;
    let first = if cut { ENDS } else { n };
    let last = if cut { n - ENDS..n } else { n..n };
    (0..first).map(Some).chain(cut.then_some(None)).chain(last.map(Some))
}

/// Counts the characters of what is written.
struct Width(usize);

impl Write for Width {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.chars().count();
        Ok(())
    }
}

fn number<T: Display>(to: &mut dyn Write, x: &T, precision: Option<usize>) -> fmt::Result {
    match precision {
        Some(digits) => write!(to, "{x:.digits$}"),
        None => write!(to, "{x}"),
    }
}

/// A row for each line, numbers one under the other; a precision is that of each. Of more than ten rows or columns the first and the last five
/// are shown, and all with `{:#}`.
///
/// ```
/// use fulmen::MatRef;
/// let x = [1.0, -2.5, 30.0, 4.0];
/// let a = MatRef::row_major(&x, 2, 2)?;
/// assert_eq!(a.to_string(), "[ 1 -2.5]\n[30    4]");
/// assert_eq!(format!("{:.1}", a.t()), "[ 1.0 30.0]\n[-2.5  4.0]");
/// # Ok::<(), fulmen::Error>(())
/// ```
impl<T: Display> Display for MatRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (precision, all) = (f.precision(), f.alternate());
        let rows = shown(self.rows(), all);
        let width = |col: Option<usize>| {
            let elements = rows.clone().filter_map(|row| self.element(row?, col?));
            elements.fold(1, |most, x| {
                let mut width = Width(0);
                // A width cannot fail.
                let _ = number(&mut width, x, precision);
                most.max(width.0)
            })
        };
        for (line, row) in rows.clone().enumerate() {
            f.write_str(if line == 0 { "[" } else { "\n[" })?;
            for (place, col) in shown(self.cols(), all).enumerate() {
                let mut own = Width(0);
                let x = row.zip(col).and_then(|(row, col)| self.element(row, col));
                match x {
                    Some(x) => number(&mut own, x, precision)?,
                    None => own.write_str("…")?,
                }
                for _ in 0..width(col).saturating_sub(own.0) + usize::from(place > 0) {
                    f.write_char(' ')?;
                }
                match x {
                    Some(x) => number(f, x, precision)?,
                    None => f.write_str("…")?,
                }
            }
            f.write_char(']')?;
        }
        Ok(())
    }
}

impl<T: Display> Display for MatMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

/// The elements in one line, as those of a row of a matrix.
///
/// ```
/// assert_eq!(fulmen::VecRef::from(&[1.0, -2.5, 30.0]).to_string(), "[1 -2.5 30]");
/// ```
impl<T: Display> Display for VecRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len() == 0 { f.write_str("[]") } else { self.0.t().fmt(f) }
    }
}

impl<T: Display> Display for VecMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}
