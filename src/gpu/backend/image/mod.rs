//! The ops on images in device memory.

mod distance;
mod launch;
mod tensor;
mod view;
mod warp;
mod window;

use super::super::device::{Device, Launch};
use super::super::template::Argument;
use super::super::template::image::{self, Copy, PixelType, ROWS_TOGETHER};
use super::super::types::F32;
use super::ops::{Done, called};
use super::{Gpu, ViewMut};
use crate::backend::{Images, Plain};
use crate::error::same_len;
use crate::image::colour::{expect_colour, weights};
use crate::image::mean::{box_area, gaussian_kernel};
use crate::image::morphology::expect_odd;
use crate::image::rank::expect_window;
use crate::image::tensor::{check_nv12, check_rgb};
use crate::image::{
    Affine, Border, Flip, Gradient, Kernel as Filter, Luma, Normalization, Pixel, Resample, ResizePlan,
    Sampler, ThresholdKind, Turn, Yuv,
};
use crate::view::Place;
use alloc::vec::Vec;
use launch::{Form, pass_params};
use window::Window;

pub use view::{ImageView, ImageViewMut};

impl<D: Device> Images for Gpu<D> {
    fn correlate_separable<P: Resample + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        vertical: Filter<'_, P::Weight>,
        horizontal: Filter<'_, P::Weight>,
        border: Border<P>,
        dst: ImageViewMut<'_, P, D>,
        (): (),
    ) -> Done {
        called!(correlate_separable, { self.separable(src, [vertical, horizontal], border, dst.0) })
    }

    fn gaussian<P: Resample + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        sigma: f64,
        border: Border<P>,
        dst: ImageViewMut<'_, P, D>,
        weights: &mut [P::Weight],
        (): (),
    ) -> Done {
        called!(gaussian, {
            let kernel = gaussian_kernel(sigma, weights)?;
            self.separable(src, [kernel; 2], border, dst.0)
        })
    }

    fn resize<P: Resample + Plain>(
        &self,
        plan: ResizePlan<'_, P::Weight>,
        src: ImageView<'_, P, D>,
        dst: ImageViewMut<'_, P, D>,
        (): (),
    ) -> Done {
        called!(resize, { self.resized(plan, src, dst.0) })
    }

    fn grey(&self, src: ImageView<'_, u8, D>, luma: Luma, dst: ImageViewMut<'_, u8, D>) -> Done {
        called!(grey, {
            expect_colour(src.place.channels)?;
            dst.0.place.expect("dst", src.sizes(), 1)?;
            let channels = src.place.channels;
            let elements = image::pixels_together(PixelType::U8, [channels, 1]);
            let parts = &[(channels, 5)];
            let form = Form { rows: ROWS_TOGETHER, ..Form::new("grey", parts, elements) };
            let make = |walk| image::grey(walk, channels);
            self.dispatch(
                form,
                make,
                ("src", src),
                &[],
                ("dst", dst.0),
                &weights(luma).map(|w| w.cast_unsigned().into()),
            )
        })
    }

    fn rgb_to_bgr<P: Pixel + Plain>(&self, src: ImageView<'_, P, D>, dst: ImageViewMut<'_, P, D>) -> Done {
        called!(rgb_to_bgr, {
            expect_colour(src.place.channels)?;
            dst.0.place.expect("dst", src.sizes(), src.place.channels)?;
            let (of, channels) = (PixelType::of(size_of::<P>()), src.place.channels);
            let elements = image::pixels_together(of, [channels; 2]) * channels;
            let parts = &[(channels, 5), (of.per_word(), 5)];
            let form = Form { rows: ROWS_TOGETHER, ..Form::new("rgb_to_bgr", parts, elements) };
            let make = |walk| image::exchange(walk, of, channels);
            self.dispatch(form, make, ("src", src), &[], ("dst", dst.0), &[])
        })
    }

    fn rgb_to_hsv(&self, src: ImageView<'_, u8, D>, dst: ImageViewMut<'_, u8, D>) -> Done {
        called!(rgb_to_hsv, {
            same_len("src", 3, src.place.channels)?;
            dst.0.place.expect("dst", src.sizes(), 3)?;
            let form = Form { rows: ROWS_TOGETHER, ..Form::new("rgb_to_hsv", &[], 12) };
            self.dispatch(form, image::hsv, ("src", src), &[], ("dst", dst.0), &[])
        })
    }

    fn nv12_to_rgb(
        &self,
        luma: ImageView<'_, u8, D>,
        chroma: ImageView<'_, u8, D>,
        coding: Yuv,
        dst: ImageViewMut<'_, u8, D>,
    ) -> Done {
        called!(nv12_to_rgb, {
            let [width, height] = luma.sizes();
            same_len("luma", 1, luma.place.channels)?;
            chroma.place.expect("chroma", [width.div_ceil(2), height.div_ceil(2)], 2)?;
            dst.0.place.expect("dst", [width, height], 3)?;
            let (black, factors) = coding.factors();
            let mut words = pass_params([chroma.before(), chroma.place.stride, chroma.place.row()], &[]);
            words.extend([black].iter().chain(&factors).map(|n| n.cast_unsigned()));
            let aligned = chroma.begins_at_words();
            let form = Form { rows: ROWS_TOGETHER, aligned, ..Form::new("nv12_to_rgb", &[], 12) };
            let chroma = [chroma.binding(self, "chroma")?];
            self.dispatch(form, image::nv12, ("luma", luma), &chroma, ("dst", dst.0), &words)
        })
    }

    fn rgb_to_tensor(
        &self,
        plan: ResizePlan<'_, i16>,
        src: ImageView<'_, u8, D>,
        normalization: Normalization,
        dst: ViewMut<'_, f32, D>,
        (): (),
    ) -> Done {
        called!(rgb_to_tensor, {
            check_rgb(plan, src.place, dst.len())?;
            self.tensor([("src", src, plan)], None, normalization, dst)
        })
    }

    fn nv12_to_tensor(
        &self,
        luma_plan: ResizePlan<'_, i16>,
        chroma_plan: ResizePlan<'_, i16>,
        luma: ImageView<'_, u8, D>,
        chroma: ImageView<'_, u8, D>,
        coding: Yuv,
        normalization: Normalization,
        dst: ViewMut<'_, f32, D>,
        (): (),
    ) -> Done {
        called!(nv12_to_tensor, {
            check_nv12([luma_plan, chroma_plan], [luma.place, chroma.place], dst.len())?;
            let sources = [("luma", luma, luma_plan), ("chroma", chroma, chroma_plan)];
            self.tensor(sources, Some(coding), normalization, dst)
        })
    }

    fn flip<P: Pixel + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        way: Flip,
        dst: ImageViewMut<'_, P, D>,
    ) -> Done {
        called!(flip, {
            let Place { width, height, channels, stride } = src.place;
            dst.0.place.expect("dst", [width, height], channels)?;
            let (down, right) = (stride as isize, channels as isize);
            let last = [(height - 1) as isize * down, (width - 1) as isize * right];
            let (steps, copy) = match way {
                Flip::Horizontal => ([last[1], down, -right], Copy::Backwards(channels)),
                Flip::Vertical => ([last[0], -down, right], Copy::Forwards),
                Flip::Both => ([last[0] + last[1], -down, -right], Copy::Backwards(channels)),
            };
            self.copy_strided(src, dst.0, steps, copy)
        })
    }

    fn rotate90<P: Pixel + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        way: Turn,
        dst: ImageViewMut<'_, P, D>,
    ) -> Done {
        called!(rotate90, {
            let Place { width, height, channels, stride } = src.place;
            dst.0.place.expect("dst", [height, width], channels)?;
            let (down, right) = (stride as isize, channels as isize);
            let steps = match way {
                Turn::Right => [(height - 1) as isize * down, right, -down],
                Turn::Left => [(width - 1) as isize * right, -right, down],
            };
            let copy = Copy::Column { channels, leftwards: way == Turn::Left };
            self.copy_strided(src, dst.0, steps, copy)
        })
    }

    fn warp_affine<P: Pixel + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        matrix: Affine,
        by: Sampler,
        border: Border<P>,
        dst: ImageViewMut<'_, P, D>,
    ) -> Done {
        called!(warp_affine, { self.warped_by_matrix(src, matrix, (by, border), dst.0) })
    }

    fn remap<P: Pixel + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        map: ImageView<'_, f32, D>,
        by: Sampler,
        border: Border<P>,
        dst: ImageViewMut<'_, P, D>,
    ) -> Done {
        called!(remap, { self.warped_by_map(src, map, (by, border), dst.0) })
    }

    fn distance_transform(&self, src: ImageView<'_, u8, D>, dst: ImageViewMut<'_, f32, D>, (): ()) -> Done {
        called!(distance_transform, { self.distances(src, dst.0) })
    }

    fn threshold_image(
        &self,
        src: ImageView<'_, u8, D>,
        level: u8,
        kind: ThresholdKind,
        dst: ImageViewMut<'_, u8, D>,
    ) -> Done {
        called!(threshold_image, {
            dst.0.place.expect("dst", src.sizes(), src.place.channels)?;
            let (zero, all, pixel, level) = ([0, 0], [0, 255], [255, 0], u32::from(level));
            let [above, other] = match kind {
                ThresholdKind::Binary => [all, zero],
                ThresholdKind::BinaryInverse => [zero, all],
                ThresholdKind::Truncate => [[0, level], pixel],
                ThresholdKind::ToZero => [pixel, zero],
                ThresholdKind::ToZeroInverse => [zero, pixel],
            };
            let words = [level, above[0], above[1], other[0], other[1]];
            let form = Form { rows: ROWS_TOGETHER, ..Form::new("threshold_image", &[], 4) };
            let (from, to) = (src.of_elements(), dst.0.of_elements());
            self.dispatch(form, image::threshold, ("src", from), &[], ("dst", to), &words)
        })
    }

    fn histogram(&self, src: ImageView<'_, u8, D>, counts: ViewMut<'_, u32, D>, (): ()) -> Done {
        called!(histogram, { self.count_levels(src, counts) })
    }

    fn equalize(&self, src: ImageView<'_, u8, D>, dst: ImageViewMut<'_, u8, D>, (): ()) -> Done {
        called!(equalize, {
            let (channels, [width, height]) = (src.place.channels, src.sizes());
            dst.0.place.expect("dst", [width, height], channels)?;
            let levels = image::LEVELS as usize * channels;
            let (mut counts, table) = (self.alloc::<u32>(levels)?, self.alloc::<u32>(levels)?);
            self.count_levels(src, counts.view_mut())?;
            let planner = &self.state.planner;
            let pixels = Argument::Bits(width as u64 * height as u64);
            let arguments = Vec::from([Argument::Buffer(0), Argument::Buffer(1), pixels]);
            let program = planner.one::<F32>("equal_levels", || Some(image::equal_levels()))?;
            let (grid, block) = ([channels as u32, 1, 1], [image::LEVELS, 1, 1]);
            let table = table.view().binding(self)?;
            let launch = Launch { program, grid, block, arguments };
            self.run_one(launch, &[counts.view().binding(self)?, table])?;
            let parts = &[(channels, 5)];
            let elements = image::pixels_together(PixelType::U8, [channels; 2]) * channels;
            let form = Form { rows: ROWS_TOGETHER, ..Form::new("map_levels", parts, elements) };
            let make = |walk| image::map_levels(walk, channels);
            self.dispatch(form, make, ("src", src), &[table], ("dst", dst.0), &[])
        })
    }

    fn erode(
        &self,
        src: ImageView<'_, u8, D>,
        size: [usize; 2],
        border: Border<u8>,
        dst: ImageViewMut<'_, u8, D>,
        (): (),
    ) -> Done {
        called!(erode, {
            expect_odd(size)?;
            self.window(Window::Least, src, size, border, dst.0)
        })
    }

    fn dilate(
        &self,
        src: ImageView<'_, u8, D>,
        size: [usize; 2],
        border: Border<u8>,
        dst: ImageViewMut<'_, u8, D>,
        (): (),
    ) -> Done {
        called!(dilate, {
            expect_odd(size)?;
            self.window(Window::Most, src, size, border, dst.0)
        })
    }

    fn box_filter(
        &self,
        src: ImageView<'_, u8, D>,
        size: [usize; 2],
        border: Border<u8>,
        dst: ImageViewMut<'_, u8, D>,
        (): (),
    ) -> Done {
        called!(box_filter, {
            box_area(size)?;
            self.window(Window::Mean, src, size, border, dst.0)
        })
    }

    fn median(
        &self,
        src: ImageView<'_, u8, D>,
        size: usize,
        border: Border<u8>,
        dst: ImageViewMut<'_, u8, D>,
        (): (),
    ) -> Done {
        called!(median, {
            expect_window(size)?;
            self.window(Window::Median, src, [size; 2], border, dst.0)
        })
    }

    fn sobel<P: Gradient + Plain>(
        &self,
        src: ImageView<'_, P, D>,
        border: Border<P>,
        dx: ImageViewMut<'_, P::Derivative, D>,
        dy: ImageViewMut<'_, P::Derivative, D>,
    ) -> Done {
        called!(sobel, {
            let [width, height] = src.sizes();
            dx.0.place.expect("dx", [width, height], src.place.channels)?;
            dy.0.place.expect("dy", [width, height], src.place.channels)?;
            self.slopes(src, border, [("dx", dx.0), ("dy", dy.0)])
        })
    }
}
