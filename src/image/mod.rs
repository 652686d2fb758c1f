//! Images, filters and resizing over views of the memory of the caller: [`Image`], [`ImageMut`], [`Border`],
//! [`Resize`], [`ResizePlan`].
//!
//! The centre of pixel `i` is at `i + 1/2`, and the image reaches from 0 to its width and height. Nothing allocates: plans, scratch
//! and results are the caller's memory. Ops on images run on CPUs.

mod border;
pub(crate) mod filter;
pub(crate) mod gradient;
mod kernel;
mod parts;
pub(crate) mod resize;

pub use crate::view::{Image, ImageMut};
pub use border::Border;
pub use filter::{correlate_separable, correlate_separable_on, correlate_separable_workspace};
pub use gradient::{Gradient, Norm, canny, canny_on, canny_workspace, sobel, sobel_on};
pub use kernel::{Kernel, gaussian_len};
pub use resize::{Interpolation, Resample, Resize, ResizePlan, Weight, resize, resize_on, resize_workspace};

use crate::plain::Plain;

/// The element types of images: `u8`, `u16` and `f32`.
pub trait Pixel: Plain + Default + PartialOrd + sealed::Sealed {}
impl Pixel for u8 {}
impl Pixel for u16 {}
impl Pixel for f32 {}

mod sealed {
    /// Keeps the traits of this module to this crate.
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for i16 {}
    impl Sealed for f32 {}
}
