//! Images, filters and resizing over views of the memory of the caller: [`Image`], [`ImageMut`], [`Border`],
//! [`Resize`], [`ResizePlan`], [`Affine`].
//!
//! For resizes the centre of pixel `i` is at `i + 1/2`, and the image reaches from 0 to its width and height; for [`warp_affine`](crate::warp_affine())
//! and [`remap`](crate::remap()) it is at `i`. Nothing allocates: plans, scratch
//! and results are the caller's memory.

mod border;
pub(crate) mod colour;
pub(crate) mod distance;
pub(crate) mod filter;
pub(crate) mod gradient;
mod kernel;
pub(crate) mod levels;
pub(crate) mod mean;
pub(crate) mod morphology;
mod parts;
pub(crate) mod rank;
pub(crate) mod resize;
pub(crate) mod tensor;
pub(crate) mod turn;
pub(crate) mod warp;

pub use crate::view::{Image, ImageMut};
pub use border::Border;
pub use colour::{
    Luma, Yuv, grey, grey_on, nv12_to_rgb, nv12_to_rgb_on, rgb_to_bgr, rgb_to_bgr_on, rgb_to_hsv,
    rgb_to_hsv_on,
};
pub use distance::{distance_transform, distance_transform_on, distance_transform_workspace};
pub use filter::{correlate_separable, correlate_separable_on, correlate_separable_workspace};
pub use gradient::{Gradient, Norm, canny, canny_on, canny_workspace, sobel, sobel_on};
pub use kernel::{Kernel, gaussian_len};
pub use levels::{
    ThresholdKind, Total, equalize, equalize_on, equalize_workspace, histogram, histogram_on,
    histogram_workspace, integral, integral_on, otsu, otsu_on, threshold_image, threshold_image_on,
};
pub use mean::{box_filter, box_filter_on, box_filter_workspace, gaussian, gaussian_on};
pub use morphology::{dilate, dilate_on, erode, erode_on, morphology_workspace};
pub use rank::{median, median_on, median_workspace};
pub use resize::{Interpolation, Resample, Resize, ResizePlan, Weight, resize, resize_on, resize_workspace};
pub use tensor::{
    Normalization, nv12_to_tensor, nv12_to_tensor_on, nv12_to_tensor_workspace, rgb_to_tensor,
    rgb_to_tensor_on, rgb_to_tensor_workspace,
};
pub use turn::{Flip, Turn, flip, flip_on, rotate90, rotate90_on};
pub use warp::{Affine, Sampler, remap, remap_on, warp_affine, warp_affine_on};

use crate::plain::Plain;

/// The element types of images: `u8`, `u16` and `f32`.
pub trait Pixel: Plain + Default + PartialOrd + sealed::Sealed {
    /// The bits of the element, in the lowest bits of a word.
    #[doc(hidden)]
    fn bits(self) -> u32;
    /// The bits behind the point of places between pixels.
    #[doc(hidden)]
    const FRACTION: u32;
    /// Blends four pixels: two beside each other, and the two below them, by the fractions of a place to the right and downwards.
    #[doc(hidden)]
    fn blend(pixels: [Self; 4], fraction: [u32; 2]) -> Self;
    /// Blends pixels of `C` channels at these elements of a line, of which `L` are read at a time, and of the line below it.
    #[doc(hidden)]
    #[inline(always)]
    fn block<const C: usize, const L: usize>(
        lines: [&[Self]; 2],
        at: &[u32; warp::BLOCK],
        fraction: &[[u32; warp::BLOCK]; 2],
        out: &mut [[Self; C]],
    ) {
        warp::block_of_pixels::<Self, C, L>(lines, at, fraction, out);
    }
}
impl Pixel for u8 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.into()
    }
    const FRACTION: u32 = 11;
    #[inline(always)]
    fn blend(pixels: [Self; 4], fraction: [u32; 2]) -> Self {
        warp::blend_bytes(pixels, fraction)
    }
    #[inline(always)]
    fn block<const C: usize, const L: usize>(
        lines: [&[u8]; 2],
        at: &[u32; warp::BLOCK],
        fraction: &[[u32; warp::BLOCK]; 2],
        out: &mut [[u8; C]],
    ) {
        warp::block_of_bytes::<C, L>(lines, at, fraction, out);
    }
}
impl Pixel for u16 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.into()
    }
    const FRACTION: u32 = 15;
    #[inline(always)]
    fn blend(pixels: [Self; 4], fraction: [u32; 2]) -> Self {
        warp::blend_words(pixels, fraction)
    }
}
impl Pixel for f32 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits()
    }
    const FRACTION: u32 = 16;
    #[inline(always)]
    fn blend(pixels: [Self; 4], fraction: [u32; 2]) -> Self {
        warp::blend_floats(pixels, fraction)
    }
}

mod sealed {
    /// Keeps the traits of this module to this crate.
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for i16 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for f32 {}
}
