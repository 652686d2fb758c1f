//! Views of images in device memory.

use super::super::super::device::{Binding, Device, Error};
use super::super::super::types::F32;
use super::super::Gpu;
use super::super::plan::counted;
use super::super::view::{View, ViewMut};
use crate::view::Place;

/// A read-only view of an image in device memory, as [`Image`](crate::Image) is on a CPU.
#[derive(Debug)]
pub struct ImageView<'a, T, D: Device> {
    all: View<'a, T, D>,
    pub(super) place: Place,
}

impl<T, D: Device> Clone for ImageView<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, D: Device> Copy for ImageView<'_, T, D> {}

/// A writable view of an image in device memory, as [`ImageMut`](crate::ImageMut) is on a CPU.
#[derive(Debug)]
pub struct ImageViewMut<'a, T, D: Device>(pub(super) ImageView<'a, T, D>);

impl<'a, T, D: Device> View<'a, T, D> {
    /// An image whose rows follow each other without a gap, as [`Image::new`](crate::Image::new).
    ///
    /// # Errors
    /// Those of [`Image::new`](crate::Image::new).
    pub fn image(self, width: usize, height: usize, channels: usize) -> Result<ImageView<'a, T, D>, Error> {
        Ok(ImageView { place: Place::new(self.len(), [width, height], channels, None)?, all: self })
    }

    /// An image with `stride` elements from the start of a row to the start of the next, as [`Image::strided`](crate::Image::strided).
    ///
    /// # Errors
    /// Those of [`Image::strided`](crate::Image::strided).
    pub fn image_strided(
        self,
        width: usize,
        height: usize,
        channels: usize,
        stride: usize,
    ) -> Result<ImageView<'a, T, D>, Error> {
        Ok(ImageView { place: Place::new(self.len(), [width, height], channels, Some(stride))?, all: self })
    }
}

impl<'a, T, D: Device> ViewMut<'a, T, D> {
    /// As [`View::image`].
    ///
    /// # Errors
    /// Those of [`View::image`].
    pub fn image(
        self,
        width: usize,
        height: usize,
        channels: usize,
    ) -> Result<ImageViewMut<'a, T, D>, Error> {
        Ok(ImageViewMut(self.0.image(width, height, channels)?))
    }

    /// As [`View::image_strided`].
    ///
    /// # Errors
    /// Those of [`View::image_strided`].
    pub fn image_strided(
        self,
        width: usize,
        height: usize,
        channels: usize,
        stride: usize,
    ) -> Result<ImageViewMut<'a, T, D>, Error> {
        Ok(ImageViewMut(self.0.image_strided(width, height, channels, stride)?))
    }
}

impl<'a, T, D: Device> ImageView<'a, T, D> {
    /// The region of the pixels `(x, y)` to `(x + width - 1, y + height - 1)`.
    ///
    /// # Errors
    /// Those of [`Image::region`](crate::Image::region).
    pub fn region(self, x: usize, y: usize, width: usize, height: usize) -> Result<Self, Error> {
        let (from, place) = self.place.region(x, y, width, height)?;
        Ok(Self { all: self.all.part(from..self.all.len())?, place })
    }

    /// The width and the height.
    pub(super) const fn sizes(self) -> [usize; 2] {
        [self.place.width, self.place.height]
    }

    /// The number of elements from the first to the last one, with those between rows.
    pub(super) const fn span(self) -> usize {
        self.place.stride * (self.place.height - 1) + self.place.row()
    }

    /// The number of elements before the image in its first word.
    pub(super) const fn before(self) -> usize {
        self.all.before() / size_of::<T>()
    }

    /// Whether rows begin at words.
    pub(super) const fn begins_at_words(self) -> bool {
        let (bytes, Place { height, stride, .. }) = (size_of::<T>(), self.place);
        self.before() == 0 && (height == 1 || stride.wrapping_mul(bytes).is_multiple_of(4))
    }

    /// The image of one channel that has the same elements.
    pub(super) const fn of_elements(self) -> Self {
        let (all, place) = (self.all, self.place);
        Self { all, place: Place { width: place.row(), channels: 1, ..place } }
    }

    /// The binding of the words that hold the image, whose elements kernels index with 32 bits.
    pub(super) fn binding(self, of: &Gpu<D>, arg: &'static str) -> Result<Binding<'a, D::Buffer>, Error> {
        let b = self.all.part(0..self.span())?.binding(of)?;
        of.state.planner.line::<F32>(arg, b.bytes.div_ceil(4) as usize)?;
        counted(arg, self.span().saturating_add(8))?;
        if of.state.is_bf16(b.buffer) {
            let what = "images whose elements are stored as bf16";
            let device = of.state.planner.device.clone();
            return Err(Error::Limit { device, what, asked: 1, available: 0 });
        }
        Ok(b)
    }
}

impl<'a, T, D: Device> ImageViewMut<'a, T, D> {
    /// As [`ImageView::region`].
    ///
    /// # Errors
    /// Those of [`ImageView::region`].
    pub fn region(self, x: usize, y: usize, width: usize, height: usize) -> Result<Self, Error> {
        Ok(Self(self.0.region(x, y, width, height)?))
    }

    /// A read-only view of this image.
    #[must_use]
    pub const fn read(&self) -> ImageView<'_, T, D> {
        self.0
    }

    /// A writable view of this image, for a shorter lifetime.
    #[must_use]
    pub const fn lend(&mut self) -> ImageViewMut<'_, T, D> {
        ImageViewMut(self.0)
    }
}
