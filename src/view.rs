//! Views of matrices over slices, [`MatRef`] and [`MatMut`], with any row and column stride; bounds are checked once.
//!
//! Element `(i, j)` of a view lies at `offset + i·row_stride + j·col_stride` of the slice. Strides may be
//! negative, and zero in a [`MatRef`] (a row or column repeated); a [`MatMut`] refuses strides under
//! which two of its elements are one. Transposes and sub-views cost nothing and cannot fail later.

mod image;
mod index;
mod parts;
mod raw;
mod vector;

pub(crate) use image::Place;
pub use image::{Image, ImageMut};
pub use vector::{VecMut, VecRef};

use crate::error::Error;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;

/// A matrix that is read: a pointer, its shape and two strides. See `examples/small/strides.rs`.
///
/// ```
/// use fulmen::MatRef;
/// let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let a = MatRef::row_major(&x, 2, 3)?;
/// assert_eq!(a.get(1, 0), Some(4.0));
/// assert_eq!(a.t().get(0, 1), Some(4.0));
/// assert_eq!(a.sub(0..2, 1..3)?.get(1, 1), Some(6.0));
/// // The same row twice.
/// assert_eq!(MatRef::strided(&x, 3, 2, 3, 0, 1)?.get(1, 2), Some(6.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
pub struct MatRef<'a, T> {
    ptr: *const T,
    rows: usize,
    cols: usize,
    rs: isize,
    cs: isize,
    life: PhantomData<&'a [T]>,
}

/// A matrix that is written: like [`MatRef`], and no two of its elements are one.
///
/// ```
/// use fulmen::{Error, MatMut};
/// let mut x = [0.0f32; 6];
/// let mut c = MatMut::col_major(&mut x, 2, 3)?;
/// c.set(0, 2, 7.0);
/// assert_eq!(x, [0.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
/// assert_eq!(MatMut::strided(&mut x, 0, 2, 3, 0, 1).err(), Some(Error::overlap("data")));
/// # Ok::<(), fulmen::Error>(())
/// ```
pub struct MatMut<'a, T> {
    ptr: *mut T,
    rows: usize,
    cols: usize,
    rs: isize,
    cs: isize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: a view gives the access that the slice it was made from gives.
unsafe impl<T: Sync> Send for MatRef<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for MatRef<'_, T> {}
// SAFETY: as above; the elements are of this view alone.
unsafe impl<T: Send> Send for MatMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for MatMut<'_, T> {}

impl<T> Clone for MatRef<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MatRef<'_, T> {}

impl<T> fmt::Debug for MatRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatRef({} x {}, strides {} and {})", self.rows, self.cols, self.rs, self.cs)
    }
}
impl<T> fmt::Debug for MatMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatMut({} x {}, strides {} and {})", self.rows, self.cols, self.rs, self.cs)
    }
}

/// Where the first element lies, and the strides, when all elements lie within `len` elements.
fn place(
    len: usize,
    offset: usize,
    [rows, cols]: [usize; 2],
    [rs, cs]: [isize; 2],
) -> Result<(usize, [isize; 2]), Error> {
    const ARG: &str = "data";
    // Bytes from the first to past the last, for the largest element.
    let fits = |n: usize, s: isize| isize::try_from(n).is_ok_and(|n| n.checked_mul(s).is_some_and(in_bytes));
    // No arithmetic below overflows on a stride that leads to no other element.
    let [rs, cs] = [(rows, cols, rs), (cols, rows, cs)].map(|(n, other, s)| {
        let unused = n <= 1 || other == 0;
        if unused && !fits(n.max(1), s) { 0 } else { s }
    });
    let (Some(i), Some(j)) = (rows.checked_sub(1), cols.checked_sub(1)) else { return Ok((0, [rs, cs])) };
    let far = |last: usize, stride: isize| isize::try_from(last).ok()?.checked_mul(stride);
    let ends = || {
        let (r, c) = (far(i, rs)?, far(j, cs)?);
        let first = isize::try_from(offset).ok()?;
        let low = first.checked_add(r.min(0))?.checked_add(c.min(0))?;
        let high = first.checked_add(r.max(0))?.checked_add(c.max(0))?;
        (in_bytes(rs) && in_bytes(cs)).then_some((low, high))
    };
    let Some((low, high)) = ends() else { return Err(Error::overflow(ARG)) };
    if low < 0 || high.unsigned_abs() >= len {
        return Err(Error::out_of_bounds(ARG, len));
    }
    Ok((offset, [rs, cs]))
}

/// Whether so many elements can be counted in bytes, whatever their type.
const fn in_bytes(elements: isize) -> bool {
    elements.checked_mul(size_of::<u128>() as isize).is_some()
}

/// Whether two different elements have one address.
fn overlaps([rows, cols]: [usize; 2], [rs, cs]: [isize; 2]) -> bool {
    let (r, c) = (rs.unsigned_abs(), cs.unsigned_abs());
    if rows <= 1 || cols <= 1 {
        return (rows > 1 && cols == 1 && r == 0) || (cols > 1 && rows == 1 && c == 0);
    }
    let apart = |small: usize, n: usize, large: usize| small != 0 && small.saturating_mul(n) <= large;
    if apart(c, cols, r) || apart(r, rows, c) {
        return false;
    }
    // i·r = j·c first holds for i = c/g, j = r/g.
    let (mut g, mut h) = (r, c);
    while h != 0 {
        (g, h) = (h, g % h);
    }
    g == 0 || (c / g < rows && r / g < cols)
}

/// `row·rs + col·cs`, for elements that lie within the slice.
#[inline(always)]
const fn at(row: usize, col: usize, rs: isize, cs: isize) -> isize {
    (row as isize).wrapping_mul(rs).wrapping_add((col as isize).wrapping_mul(cs))
}

macro_rules! view {
    ($View:ident, $slice:ty, $ptr:ident, $as_ptr:ident) => {
        impl<'a, T> $View<'a, T> {
            /// Row after row: element `(i, j)` is `data[i·cols + j]`.
            ///
            /// Errors: [`Error::Len`] when `data` has not `rows·cols` elements, [`Error::Overflow`].
            #[inline]
            pub fn row_major(data: $slice, rows: usize, cols: usize) -> Result<Self, Error> {
                let rs = whole(data.len(), rows, cols)?;
                Ok(Self { ptr: data.$as_ptr(), rows, cols, rs, cs: 1, life: PhantomData })
            }
            /// Column after column: element `(i, j)` is `data[i + j·rows]`.
            ///
            /// Errors: [`Error::Len`] when `data` has not `rows·cols` elements, [`Error::Overflow`].
            #[inline]
            pub fn col_major(data: $slice, rows: usize, cols: usize) -> Result<Self, Error> {
                let cs = whole(data.len(), cols, rows)?;
                Ok(Self { ptr: data.$as_ptr(), rows, cols, rs: 1, cs, life: PhantomData })
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
            /// Elements from one row to the next.
            #[inline(always)]
            pub const fn row_stride(&self) -> isize {
                self.rs
            }
            /// Elements from one column to the next.
            #[inline(always)]
            pub const fn col_stride(&self) -> isize {
                self.cs
            }
            /// How many columns' elements follow each other in a row: all, or one.
            #[inline(always)]
            pub(crate) fn adjacent(&self) -> usize {
                if self.cs == 1 { self.cols } else { self.cols.min(1) }
            }
            /// Rows and columns exchanged.
            #[inline(always)]
            #[must_use]
            pub const fn t(self) -> Self {
                Self { ptr: self.ptr, rows: self.cols, cols: self.rows, rs: self.cs, cs: self.rs, life: PhantomData }
            }
            /// The rows and columns in the ranges.
            ///
            /// Errors: [`Error::OutOfBounds`] when one ends past the view or before its start.
            #[inline]
            pub fn sub(self, rows: Range<usize>, cols: Range<usize>) -> Result<Self, Error> {
                if rows.start > rows.end || rows.end > self.rows {
                    return Err(Error::out_of_bounds("rows", self.rows));
                }
                if cols.start > cols.end || cols.end > self.cols {
                    return Err(Error::out_of_bounds("cols", self.cols));
                }
                Ok(self.block([rows.start, cols.start], [rows.end - rows.start, cols.end - cols.start]))
            }
            /// At most `shape` from `start` on, whatever of that lies in the view.
            #[inline(always)]
            pub(crate) fn block(self, start: [usize; 2], shape: [usize; 2]) -> Self {
                let [i, j] = [start[0].min(self.rows), start[1].min(self.cols)];
                let (rows, cols) = (shape[0].min(self.rows - i), shape[1].min(self.cols - j));
                // Of a view without elements the pointer is not used.
                let ptr = self.ptr.wrapping_offset(at(i, j, self.rs, self.cs));
                Self { ptr, rows, cols, ..self }
            }
            /// From a pointer.
            /// # Safety
            /// Its elements are valid for the access that the view gives, and no two of what is written are one.
            #[cfg(feature = "capi")]
            #[inline(always)]
            pub(crate) const unsafe fn from_raw(
                ptr: *$ptr T,
                [rows, cols]: [usize; 2],
                [rs, cs]: [isize; 2],
            ) -> Self {
                Self { ptr, rows, cols, rs, cs, life: PhantomData }
            }
            /// The last row first.
            #[inline(always)]
            pub(crate) fn reversed_rows(self) -> Self {
                let last = self.rows.saturating_sub(1);
                let ptr = self.ptr.wrapping_offset(at(last, 0, self.rs, self.cs));
                Self { ptr, rs: self.rs.wrapping_neg(), ..self }
            }
            #[inline(always)]
            fn index(&self, row: usize, col: usize) -> Option<isize> {
                (row < self.rows && col < self.cols).then(|| at(row, col, self.rs, self.cs))
            }
            /// The element, if the view has it.
            #[inline(always)]
            pub fn get(&self, row: usize, col: usize) -> Option<T>
            where
                T: Copy,
            {
                self.element(row, col).copied()
            }
            #[inline(always)]
            fn element(&self, row: usize, col: usize) -> Option<&T> {
                let i = self.index(row, col)?;
                // SAFETY: construction has checked that every element lies in the slice, which is borrowed for longer than this view is.
                Some(unsafe { &*self.ptr.offset(i) })
            }
            /// The first element's address.
            #[inline(always)]
            pub(crate) const fn ptr(&self) -> *$ptr T {
                self.ptr
            }
        }
    };
}
view!(MatRef, &'a [T], const, as_ptr);
view!(MatMut, &'a mut [T], mut, as_mut_ptr);

/// The stride of `outer` runs of `inner` elements that fill `len`: all in bounds, no two the same.
#[inline]
fn whole(len: usize, outer: usize, inner: usize) -> Result<isize, Error> {
    let n = outer.checked_mul(inner).ok_or(Error::overflow("data"))?;
    crate::error::same_len("data", n, len)?;
    isize::try_from(inner).map_err(|_| Error::overflow("data"))
}

impl<'a, T> MatRef<'a, T> {
    /// Element `(i, j)` is `data[offset + i·row_stride + j·col_stride]`.
    ///
    /// Errors: [`Error::OutOfBounds`] when one of them is not in `data`, [`Error::Overflow`] when the
    /// arithmetic overflows. A stride that leads to no element, that of a single row say, may be anything.
    #[inline]
    pub fn strided(
        data: &'a [T],
        offset: usize,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Result<Self, Error> {
        let (first, [rs, cs]) = place(data.len(), offset, [rows, cols], [row_stride, col_stride])?;
        let ptr = data.as_ptr().wrapping_add(first);
        Ok(Self { ptr, rows, cols, rs, cs, life: PhantomData })
    }
}

impl<'a, T> MatRef<'a, T> {
    /// The last row and the last column first.
    #[inline(always)]
    pub(crate) fn reversed(self) -> Self {
        self.reversed_rows().t().reversed_rows().t()
    }
    /// One row.
    #[inline(always)]
    pub(crate) const fn line(data: &'a [T]) -> Self {
        Self { ptr: data.as_ptr(), rows: 1, cols: data.len(), rs: 0, cs: 1, life: PhantomData }
    }
    /// Row `i`, if the view has it and it is contiguous.
    #[inline(always)]
    pub(crate) fn row_slice(&self, i: usize) -> Option<&'a [T]> {
        if i >= self.rows || (self.cs != 1 && self.cols > 1) {
            return None;
        }
        let first = if self.cols == 0 {
            core::ptr::dangling()
        } else {
            self.ptr.wrapping_offset(at(i, 0, self.rs, 0))
        };
        // SAFETY: construction has checked that every element lies in the slice, which is borrowed for `'a`.
        Some(unsafe { core::slice::from_raw_parts(first, self.cols) })
    }
    /// The first `rows` rows of `cols` elements, one after the other; fewer if `data` has not so many.
    #[inline(always)]
    pub(crate) const fn packed(data: &'a [T], rows: usize, cols: usize) -> Self {
        let rows = if cols == 0 || data.len() / cols >= rows { rows } else { data.len() / cols };
        Self { ptr: data.as_ptr(), rows, cols, rs: cols as isize, cs: 1, life: PhantomData }
    }
}

impl<'a, T> MatMut<'a, T> {
    /// As [`MatRef::packed`].
    #[inline(always)]
    pub(crate) const fn packed(data: &'a mut [T], rows: usize, cols: usize) -> Self {
        let rows = if cols == 0 || data.len() / cols >= rows { rows } else { data.len() / cols };
        Self { ptr: data.as_mut_ptr(), rows, cols, rs: cols as isize, cs: 1, life: PhantomData }
    }
    /// Element `(i, j)` is `data[offset + i·row_stride + j·col_stride]`.
    ///
    /// Errors: [`Error::OutOfBounds`] when one of them is not in `data`, [`Error::Overlap`] when two are
    /// one, [`Error::Overflow`] when the arithmetic overflows. A stride that leads to no element may be anything.
    #[inline]
    pub fn strided(
        data: &'a mut [T],
        offset: usize,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Result<Self, Error> {
        let (first, [rs, cs]) = place(data.len(), offset, [rows, cols], [row_stride, col_stride])?;
        if overlaps([rows, cols], [rs, cs]) {
            return Err(Error::overlap("data"));
        }
        let ptr = data.as_mut_ptr().wrapping_add(first);
        Ok(Self { ptr, rows, cols, rs, cs, life: PhantomData })
    }
    /// Row `i`, if the view has it and it is contiguous.
    #[inline(always)]
    pub(crate) fn row_slice_mut(&mut self, i: usize) -> Option<&mut [T]> {
        if i >= self.rows || (self.cs != 1 && self.cols > 1) {
            return None;
        }
        let first = if self.cols == 0 {
            core::ptr::dangling_mut()
        } else {
            self.ptr.wrapping_offset(at(i, 0, self.rs, 0))
        };
        // SAFETY: construction has checked that every element lies in the slice, which is borrowed for writing,
        // and no other view has these elements.
        Some(unsafe { core::slice::from_raw_parts_mut(first, self.cols) })
    }
    /// The same matrix, to read.
    #[inline(always)]
    pub const fn as_ref(&self) -> MatRef<'_, T> {
        MatRef {
            ptr: self.ptr,
            rows: self.rows,
            cols: self.cols,
            rs: self.rs,
            cs: self.cs,
            life: PhantomData,
        }
    }
    /// The same matrix for a shorter time.
    #[inline(always)]
    pub const fn reborrow(&mut self) -> MatMut<'_, T> {
        MatMut {
            ptr: self.ptr,
            rows: self.rows,
            cols: self.cols,
            rs: self.rs,
            cs: self.cs,
            life: PhantomData,
        }
    }
    /// Rows before `row`, and the rest.
    ///
    /// Errors: [`Error::OutOfBounds`] when there are fewer rows.
    #[inline]
    pub fn split_rows(self, row: usize) -> Result<(Self, Self), Error> {
        if row > self.rows {
            return Err(Error::out_of_bounds("row", self.rows));
        }
        let rest = Self { ..self }.block([row, 0], [self.rows, self.cols]);
        // No two elements are one, so the halves don't meet.
        Ok((Self { rows: row, ..self }, rest))
    }
    /// Columns before `col`, and the rest.
    ///
    /// Errors: [`Error::OutOfBounds`] when there are fewer columns.
    #[inline]
    pub fn split_cols(self, col: usize) -> Result<(Self, Self), Error> {
        let (a, b) = self.t().split_rows(col).map_err(|e| match e {
            Error::OutOfBounds { got, .. } => Error::out_of_bounds("col", got),
            other => other,
        })?;
        Ok((a.t(), b.t()))
    }
    /// Writes an element, if the view has it; says whether.
    #[inline(always)]
    pub fn set(&mut self, row: usize, col: usize, x: T) -> bool {
        let Some(to) = self.element_mut(row, col) else { return false };
        *to = x;
        true
    }
    #[inline(always)]
    fn element_mut(&mut self, row: usize, col: usize) -> Option<&mut T> {
        let i = self.index(row, col)?;
        // SAFETY: construction has checked that every element lies in the slice, which is borrowed for writing, and that no two
        // elements are one.
        Some(unsafe { &mut *self.ptr.offset(i) })
    }
}

/// Matrices of one shape at a regular distance, read.
#[derive(Debug)]
pub struct BatchRef<'a, T> {
    first: MatRef<'a, T>,
    count: usize,
    stride: isize,
}

/// Matrices of one shape at a regular distance, written: no two of their elements are one.
#[derive(Debug)]
pub struct BatchMut<'a, T> {
    first: MatMut<'a, T>,
    count: usize,
    stride: isize,
}

impl<T> Clone for BatchRef<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BatchRef<'_, T> {}

macro_rules! batch {
    ($Batch:ident, $View:ident, $slice:ty, $as_ptr:ident, $distinct:literal) => {
        impl<'a, T> $Batch<'a, T> {
            /// `[count, rows, cols]` and the strides from one matrix, row and column to the next.
            ///
            /// Errors: as [`MatMut::strided`] and [`MatRef::strided`]; matrices that are written must follow
            /// each other.
            pub fn strided(
                data: $slice,
                offset: usize,
                [count, rows, cols]: [usize; 3],
                [stride, rs, cs]: [isize; 3],
            ) -> Result<Self, Error> {
                let empty = rows == 0 || cols == 0;
                let one = if count == 0 { [0, cols] } else { [rows, cols] };
                let (_, [rs, cs]) = place(data.len(), offset, one, [rs, cs])?;
                if !empty {
                    // The first and the last matrix, each as a view; those between lie between.
                    let far = isize::try_from(count.saturating_sub(1)).ok();
                    let last = far.and_then(|n| n.checked_mul(stride)?.checked_add_unsigned(offset));
                    let Some(last) = last else { return Err(Error::overflow("data")) };
                    if count > 0 {
                        let Ok(last) = usize::try_from(last) else {
                            return Err(Error::out_of_bounds("data", data.len()));
                        };
                        place(data.len(), last, [rows, cols], [rs, cs])?;
                    }
                    let reach = |n: usize, s: isize| (n - 1).saturating_mul(s.unsigned_abs());
                    let span = reach(rows, rs).saturating_add(reach(cols, cs));
                    let apart = count <= 1 || stride.unsigned_abs() > span;
                    if $distinct && (!apart || overlaps([rows, cols], [rs, cs])) {
                        return Err(Error::overlap("data"));
                    }
                }
                let ptr = data.$as_ptr().wrapping_add(if empty { 0 } else { offset });
                Ok(Self { first: $View { ptr, rows, cols, rs, cs, life: PhantomData }, count, stride })
            }
            /// How many matrices.
            #[inline(always)]
            pub const fn count(&self) -> usize {
                self.count
            }
            /// Those before `i`, and the rest.
            #[inline]
            pub(crate) fn split(self, i: usize) -> (Self, Self) {
                let i = i.min(self.count);
                let f = self.first;
                let (rows, cols, rs, cs) = (f.rows, f.cols, f.rs, f.cs);
                let at = |i: usize| $View {
                    ptr: f.ptr.wrapping_offset(at(i, 0, self.stride, 0)),
                    rows,
                    cols,
                    rs,
                    cs,
                    life: PhantomData,
                };
                let stride = self.stride;
                (
                    Self { first: at(0), count: i, stride },
                    Self { first: at(i), count: self.count - i, stride },
                )
            }
        }
    };
}
batch!(BatchRef, MatRef, &'a [T], as_ptr, false);
batch!(BatchMut, MatMut, &'a mut [T], as_mut_ptr, true);

impl<'a, T> BatchRef<'a, T> {
    /// One of the matrices.
    #[inline]
    pub fn get(&self, i: usize) -> Option<MatRef<'a, T>> {
        let ptr = self.first.ptr.wrapping_offset(at(i, 0, self.stride, 0));
        (i < self.count).then_some(MatRef { ptr, ..self.first })
    }
}

impl<T> BatchMut<'_, T> {
    /// One of the matrices.
    #[inline]
    pub fn get_mut(&mut self, i: usize) -> Option<MatMut<'_, T>> {
        let MatMut { ptr, rows, cols, rs, cs, .. } = self.first;
        let ptr = ptr.wrapping_offset(at(i, 0, self.stride, 0));
        (i < self.count).then_some(MatMut { ptr, rows, cols, rs, cs, life: PhantomData })
    }
}
