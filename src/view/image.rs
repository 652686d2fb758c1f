//! Views of images: checked once, when they are made.

use crate::error::{Error, not_empty, same_len, same_shape};

/// An image that is read: `height` rows of `width` pixels of 1 to 4 channels, which lie beside each other.
///
/// Channel `c` of the pixel `(x, y)` is `data[y·stride + x·channels + c]`. A view has at least one pixel.
///
/// ```
/// use fulmen::image::Image;
/// let data = [1u8, 2, 3, 0, 4, 5, 6, 0];
/// // Two rows of three grey pixels, each row padded to four bytes.
/// let image = Image::strided(&data, 3, 2, 1, 4)?;
/// assert_eq!(image.get(2, 1, 0), Some(6));
/// assert_eq!(image.region(1, 0, 2, 2)?.row(1), [5, 6]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Image<'a, T> {
    data: &'a [T],
    place: Place,
}

/// An image that is written: like [`Image`].
///
/// ```
/// use fulmen::image::ImageMut;
/// let mut data = [0u8; 6];
/// let mut image = ImageMut::new(&mut data, 2, 1, 3)?;
/// image.row_mut(0)[3] = 7;
/// assert_eq!(data, [0, 0, 0, 7, 0, 0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug)]
pub struct ImageMut<'a, T> {
    data: &'a mut [T],
    place: Place,
}

/// The sizes of a view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) channels: usize,
    pub(crate) stride: usize,
}

impl Place {
    /// Checked against the length of the data.
    pub(crate) fn new(
        len: usize,
        [width, height]: [usize; 2],
        channels: usize,
        stride: Option<usize>,
    ) -> Result<Self, Error> {
        not_empty("width", width)?;
        not_empty("height", height)?;
        if !matches!(channels, 1..=4) {
            return Err(Error::must_be("channels", "1 to 4"));
        }
        let large = Error::overflow("data");
        let row = width.checked_mul(channels).ok_or(large)?;
        let Some(stride) = stride else {
            same_len("data", row.checked_mul(height).ok_or(large)?, len)?;
            return Ok(Self { width, height, channels, stride: row });
        };
        if stride < row {
            return Err(Error::must_be("stride", "at least the elements of a row"));
        }
        let end = stride.checked_mul(height - 1).and_then(|last| last.checked_add(row)).ok_or(large)?;
        if end > len {
            return Err(Error::out_of_bounds("data", len));
        }
        Ok(Self { width, height, channels, stride })
    }
    /// `Ok` when a view, the argument `arg`, has these columns and rows and so many channels.
    pub(crate) fn expect(
        self,
        arg: &'static str,
        [width, height]: [usize; 2],
        channels: usize,
    ) -> Result<(), Error> {
        same_shape(arg, [height, width], [self.height, self.width])?;
        same_len(arg, channels, self.channels)
    }
    /// Elements of a row.
    pub(crate) const fn row(&self) -> usize {
        // No overflow: the data has as many.
        self.width.wrapping_mul(self.channels)
    }
    /// The first element of the region, and its sizes.
    pub(crate) fn region(
        self,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
    ) -> Result<(usize, Self), Error> {
        not_empty("width", width)?;
        not_empty("height", height)?;
        let within = |at: usize, n: usize, all: usize| at.checked_add(n).is_some_and(|end| end <= all);
        if !within(x, width, self.width) {
            return Err(Error::out_of_bounds("width", self.width));
        }
        if !within(y, height, self.height) {
            return Err(Error::out_of_bounds("height", self.height));
        }
        Ok((y * self.stride + x * self.channels, Self { width, height, ..self }))
    }
}

macro_rules! view {
    ($View:ident, $slice:ty) => {
        impl<'a, T> $View<'a, T> {
            /// Rows that follow each other without a gap.
            ///
            /// Errors: [`Error::Empty`] names `width` or `height` when it is 0, [`Error::Domain`] `channels` when they are not 1 to 4,
            /// [`Error::Len`] `data` when it does not have `width·height·channels` elements, [`Error::Overflow`].
            #[inline]
            pub fn new(data: $slice, width: usize, height: usize, channels: usize) -> Result<Self, Error> {
                let place = Place::new(data.len(), [width, height], channels, None)?;
                Ok(Self { data, place })
            }
            /// Rows whose first elements are `stride` elements apart. What lies between rows is neither read nor written.
            ///
            /// Errors: those of [`Self::new`] but for `Len`; [`Error::Domain`] names `stride` when it is shorter than a row,
            /// [`Error::OutOfBounds`] `data` when the last row ends behind it.
            #[inline]
            pub fn strided(
                data: $slice,
                width: usize,
                height: usize,
                channels: usize,
                stride: usize,
            ) -> Result<Self, Error> {
                let place = Place::new(data.len(), [width, height], channels, Some(stride))?;
                Ok(Self { data, place })
            }
            /// Pixels of a row.
            #[inline(always)]
            pub const fn width(&self) -> usize {
                self.place.width
            }
            /// Rows.
            #[inline(always)]
            pub const fn height(&self) -> usize {
                self.place.height
            }
            /// Elements of a pixel.
            #[inline(always)]
            pub const fn channels(&self) -> usize {
                self.place.channels
            }
            /// Elements from one row to the next.
            #[inline(always)]
            pub const fn stride(&self) -> usize {
                self.place.stride
            }
            /// The elements of row `y`; none past the last row.
            #[inline(always)]
            pub fn row(&self, y: usize) -> &[T] {
                let from = y.saturating_mul(self.place.stride);
                self.data
                    .get(from..)
                    .and_then(|data| data.get(..self.place.row()))
                    .filter(|_| y < self.place.height)
                    .unwrap_or_default()
            }
            /// Channel `c` of the pixel `(x, y)`, where there is one.
            #[inline]
            pub fn get(&self, x: usize, y: usize, c: usize) -> Option<T>
            where
                T: Copy,
            {
                let inside = x < self.place.width && c < self.place.channels;
                self.row(y)
                    .get(x.wrapping_mul(self.place.channels).wrapping_add(c))
                    .copied()
                    .filter(|_| inside)
            }
            /// As [`Place::expect`].
            pub(crate) fn expect(
                &self,
                arg: &'static str,
                sizes: [usize; 2],
                channels: usize,
            ) -> Result<(), Error> {
                self.place.expect(arg, sizes, channels)
            }
        }
    };
}
view!(Image, &'a [T]);
view!(ImageMut, &'a mut [T]);

impl<'a, T> Image<'a, T> {
    /// The pixels `(x, y)` to `(x + width - 1, y + height - 1)`.
    ///
    /// Errors: [`Error::Empty`] when one of the sizes is 0, [`Error::OutOfBounds`] names the one past the view.
    #[inline]
    pub fn region(self, x: usize, y: usize, width: usize, height: usize) -> Result<Self, Error> {
        let (from, place) = self.place.region(x, y, width, height)?;
        Ok(Self { data: self.data.get(from..).unwrap_or_default(), place })
    }
    /// The sizes.
    pub(crate) const fn place(&self) -> Place {
        self.place
    }
    /// All elements from the first one on, and those from one row to the next.
    #[inline(always)]
    pub(crate) const fn parts(&self) -> (&'a [T], usize) {
        (self.data, self.place.stride)
    }
    /// Elements of a row.
    #[inline(always)]
    pub(crate) const fn row_len(&self) -> usize {
        self.place.row()
    }
    /// The elements of row `y`, for as long as the data lives.
    #[inline(always)]
    pub(crate) fn line(&self, y: usize) -> &'a [T] {
        let from = y.saturating_mul(self.place.stride);
        self.data.get(from..).and_then(|data| data.get(..self.place.row())).unwrap_or_default()
    }
}

impl<'a, T> ImageMut<'a, T> {
    /// As [`Image::region`].
    #[inline]
    pub fn region(self, x: usize, y: usize, width: usize, height: usize) -> Result<Self, Error> {
        let (from, place) = self.place.region(x, y, width, height)?;
        Ok(Self { data: self.data.get_mut(from..).unwrap_or_default(), place })
    }
    /// The elements of row `y`, to be written; none past the last row.
    #[inline(always)]
    pub fn row_mut(&mut self, y: usize) -> &mut [T] {
        let from = y.saturating_mul(self.place.stride);
        let row = self.data.get_mut(from..).and_then(|data| data.get_mut(..self.place.row()));
        row.filter(|_| y < self.place.height).unwrap_or_default()
    }
    /// The elements of `N` rows from `y` on; none past the last row.
    #[inline(always)]
    pub(crate) fn rows_mut<const N: usize>(&mut self, y: usize) -> [&mut [T]; N] {
        let Place { stride, height, .. } = self.place;
        let mut rest = self.data.get_mut(y.saturating_mul(stride)..).unwrap_or_default();
        let (row, mut left) = (self.place.row(), height.saturating_sub(y));
        [(); N]
            .map(|()| {
                let (line, others) = core::mem::take(&mut rest).split_at_mut_checked(row).unwrap_or_default();
                rest = others.get_mut(stride.saturating_sub(row)..).unwrap_or_default();
                left = left.checked_sub(1)?;
                Some(line)
            })
            .map(Option::unwrap_or_default)
    }
    /// To be read.
    #[inline]
    pub const fn as_image(&self) -> Image<'_, T> {
        Image { data: self.data, place: self.place }
    }
    /// To be written, for a while.
    #[inline]
    pub const fn reborrow(&mut self) -> ImageMut<'_, T> {
        ImageMut { data: self.data, place: self.place }
    }
    /// The first `rows` rows and the others; there is a row in both.
    pub(crate) fn split(self, rows: usize) -> [Self; 2] {
        let at = rows.saturating_mul(self.place.stride).min(self.data.len());
        let (a, b) = self.data.split_at_mut(at);
        let of = |data, height| Self { data, place: Place { height, ..self.place } };
        [of(a, rows), of(b, self.place.height.saturating_sub(rows))]
    }
}
