//! Views of images in device memory, and the ops on them.

use super::super::device::{Binding, Device, Error};
use super::super::ir::Kernel;
use super::super::template::Argument;
use super::super::template::image::{self, BorderMode, FilterPass, Fold, LAYOUT_PARAMS, PixelType};
use super::super::types::F32;
use super::Gpu;
use super::ops::{Done, called};
use super::plan::counted;
use super::view::{View, ViewMut};
use crate::backend::{Images, Plain};
use crate::error::same_len;
use crate::image::colour::{expect_colour, weights};
use crate::image::mean::{box_area, gaussian_kernel};
use crate::image::morphology::expect_odd;
use crate::image::rank::expect_window;
use crate::image::{
    Border, Flip, Gradient, Kernel as Filter, Luma, Pixel, Resample, ResizePlan, ThresholdKind, Turn, Weight,
    Yuv,
};
use crate::view::Place;
use alloc::vec::Vec;

/// A read-only view of an image in device memory, as [`Image`](crate::Image) is on a CPU.
#[derive(Debug)]
pub struct ImageView<'a, T, D: Device> {
    all: View<'a, T, D>,
    place: Place,
}

impl<T, D: Device> Clone for ImageView<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, D: Device> Copy for ImageView<'_, T, D> {}

/// A writable view of an image in device memory, as [`ImageMut`](crate::ImageMut) is on a CPU.
#[derive(Debug)]
pub struct ImageViewMut<'a, T, D: Device>(ImageView<'a, T, D>);

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
    const fn sizes(self) -> [usize; 2] {
        [self.place.width, self.place.height]
    }

    /// The number of elements from the first to the last one, with those between rows.
    const fn span(self) -> usize {
        self.place.stride * (self.place.height - 1) + self.place.row()
    }

    /// The number of elements before the image in its first word.
    const fn before(self) -> usize {
        self.all.before() / size_of::<T>()
    }

    /// The binding of the words that hold the image, whose elements kernels index with 32 bits.
    fn binding(self, of: &Gpu<D>, arg: &'static str) -> Result<Binding<'a, D::Buffer>, Error> {
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

/// The border as kernels have it, and the bits of its constant.
fn border_mode<P: Pixel>(border: Border<P>) -> (BorderMode, u32) {
    match border {
        Border::Constant(value) => (BorderMode::Constant, value.bits()),
        Border::Clamp => (BorderMode::Clamp, 0),
        Border::Reflect | Border::Reflect101 => (BorderMode::Mirror, 0),
        Border::Wrap => (BorderMode::Wrap, 0),
    }
}

/// The parameters of an axis of `n` elements, for windows with `half` elements before their centre.
fn axis_params<P>(border: Border<P>, n: usize, half: usize) -> Result<[usize; image::AXIS_PARAMS], Error> {
    let period = if matches!(border, Border::Reflect101) { (n - 1).max(1) } else { n };
    // A mirrored border repeats after the image and its mirror image.
    let whole = if matches!(border, Border::Wrap) { period } else { period.saturating_mul(2) };
    let shift = half.div_ceil(whole).saturating_mul(whole) - half;
    counted("size", n.saturating_add(half).saturating_mul(4))?;
    Ok([n, half, shift, period])
}

impl<D: Device> Gpu<D> {
    /// Launches a kernel over the words of `dst`. Its arguments are `src`, the buffers of `more`, `dst`, the layouts of both, and `words`.
    #[allow(clippy::too_many_arguments, reason = "the arguments of a launch")]
    fn dispatch<A, R>(
        &self,
        (op, form): (&'static str, u32),
        make: impl FnOnce() -> Result<Kernel, super::super::Error>,
        src: (&'static str, ImageView<'_, A, D>),
        more: &[Binding<'_, D::Buffer>],
        dst: (&'static str, ImageView<'_, R, D>),
        words: &[u32],
    ) -> Done {
        let (shift, place) = (PixelType::of(size_of::<R>()).shift(), dst.1.place);
        let all = (dst.1.before() + dst.1.span()).div_ceil(1 << shift);
        let mut bound = Vec::from([src.1.binding(self, src.0)?]);
        bound.extend(more.iter().copied());
        bound.push(dst.1.binding(self, dst.0)?);
        let layout: [usize; LAYOUT_PARAMS] = [
            all,
            dst.1.before(),
            dst.1.span(),
            place.stride,
            place.row(),
            place.channels,
            src.1.before(),
            src.1.place.stride,
        ];
        let mut arguments: Vec<Argument> = (0..bound.len()).map(Argument::Buffer).collect();
        // The stride of an image of one row may exceed 32 bits; no address depends on it.
        let layout = layout.map(|w| u32::try_from(w).unwrap_or(u32::MAX));
        arguments.extend(layout.iter().chain(words).map(|w| Argument::Bits(u64::from(*w))));
        let launch = self.state.planner.flat_by::<F32>(op, form, || Some(make()), all, arguments)?;
        self.run_one(launch, &bound)
    }

    /// Copies pixels: that of row `y` and column `x` is read from element `start + y·down + x·right` of the source on.
    fn copy_strided<P: Pixel>(
        &self,
        src: ImageView<'_, P, D>,
        dst: ImageView<'_, P, D>,
        [start, down, right]: [isize; 3],
        exchanged: bool,
    ) -> Done {
        let of = PixelType::of(size_of::<P>());
        let words = [start as u32, down as u32, right as u32, exchanged.into()];
        self.dispatch(
            ("image_copy", of.shift()),
            || image::copy_strided(of),
            ("src", src),
            &[],
            ("dst", dst),
            &words,
        )
    }

    /// Reduces a rectangular window: along rows into a temporary image of `M`, then along columns.
    fn reduce_window<M: super::Word>(
        &self,
        folds: [Fold; 2],
        src: ImageView<'_, u8, D>,
        [columns, rows]: [usize; 2],
        border: Border<u8>,
        dst: ImageView<'_, u8, D>,
    ) -> Done {
        let ([width, height], channels) = (src.sizes(), src.place.channels);
        let (mode, value) = border_mode(border);
        let area = counted("size", columns.saturating_mul(rows))?;
        let [across, along] =
            [axis_params(border, width, columns / 2)?, axis_params(border, height, rows / 2)?];
        // Both passes run for a window of one row or of one column, too, as the temporary image of sums has another element type.
        let mut middle = self.alloc::<M>(width * height * channels)?;
        let middle = middle.view_mut().image(width, height, channels)?.0;
        let form = |fold: Fold| (fold as u32) * 4 + mode as u32;
        let words = |axis: [usize; 4], more: [usize; 5], [value, area]: [u32; 2]| {
            let lengths = axis.into_iter().chain(more).map(|w| u32::try_from(w).unwrap_or(u32::MAX));
            lengths.chain([value, area]).collect::<Vec<_>>()
        };
        let [first, second] = folds;
        let params = words(across, [1, channels, src.place.stride, 0, columns], [value, 1]);
        self.dispatch(
            ("image_window", form(first)),
            || image::window(first, mode),
            ("src", src),
            &[],
            ("src", middle),
            &params,
        )?;
        // For the second pass of a mean, an element beyond the first or last row is the sum of `columns` constants.
        let value = if second == Fold::Mean { value.wrapping_mul(columns as u32) } else { value };
        let params = words(along, [0, width * channels, 0, channels, rows], [value, area]);
        self.dispatch(
            ("image_window", form(second)),
            || image::window(second, mode),
            ("src", middle),
            &[],
            ("dst", dst),
            &params,
        )
    }
}

/// The passes along columns and along rows, and the base of the numbers that distinguish their plans.
fn filter_passes(of: PixelType) -> ([FilterPass; 2], u32) {
    if of == PixelType::U8 {
        ([FilterPass::ByteColumns, FilterPass::ByteRows], 0)
    } else {
        ([FilterPass::FloatColumns, FilterPass::FloatRows], 16)
    }
}

/// The weights as words of 32 bits.
fn weight_words<W: Weight>(weights: &[W]) -> Vec<u32> {
    weights.iter().map(|w| w.word()).collect()
}

/// The parameters of a pass: its direction and the strides of its source, the bits that rounding removes, and `more`.
fn pass_params<const N: usize>(source_layout: [usize; 4], shift: u32, more: [usize; N]) -> Vec<u32> {
    let short = |w: &usize| u32::try_from(*w).unwrap_or(u32::MAX);
    let source_layout = source_layout.iter().map(short);
    source_layout.chain([shift]).chain(more.iter().map(short)).collect()
}

impl<D: Device> Gpu<D> {
    /// A separable filter: along columns, then along rows.
    fn separable<P: Resample>(
        &self,
        src: ImageView<'_, P, D>,
        [vertical, horizontal]: [Filter<'_, P::Weight>; 2],
        border: Border<P>,
        dst: ImageView<'_, P, D>,
    ) -> Done {
        let ([width, height], channels) = (src.sizes(), src.place.channels);
        dst.place.expect("dst", [width, height], channels)?;
        let (of, (mode, value)) = (PixelType::of(size_of::<P>()), border_mode(border));
        let ([(v, v_bits), (h, h_bits)], (passes, form)) =
            ([vertical.parts(), horizontal.parts()], filter_passes(of));
        let form = form + mode as u32;
        // For the second pass, an element beyond the first or last column is the weighted sum of the constant.
        let constant = if let Border::Constant(value) = border { value } else { P::default() };
        let (flat, shifts) = P::on_device(P::flat(constant, v, v_bits), [h_bits, v_bits]);
        let mut middle = self.alloc::<u32>(width * height * channels)?;
        let middle = middle.view_mut().image(width, height, channels)?.0;
        let parts = [
            (axis_params(border, height, v.len() / 2)?, v.len(), value),
            (axis_params(border, width, h.len() / 2)?, h.len(), flat),
        ];
        let [down, along] = parts
            .map(|([n, half, shift, period], size, value)| [n, half, shift, period, size, value as usize]);
        let params = pass_params([0, src.place.stride, 0, channels], shifts[1], down);
        let weights = self.upload(&weight_words(v))?;
        let make = || image::weighted_sum(passes[0], of, PixelType::U32, Some(mode));
        let more = [weights.view().binding(self)?];
        self.dispatch(("image_filter_columns", form), make, ("src", src), &more, ("src", middle), &params)?;
        let params = pass_params([1, channels, width * channels, 0], shifts[0], along);
        let weights = self.upload(&weight_words(h))?;
        let make = || image::weighted_sum(passes[1], PixelType::U32, of, Some(mode));
        let more = [weights.view().binding(self)?];
        self.dispatch(("image_filter_rows", form), make, ("src", middle), &more, ("dst", dst), &params)
    }
}

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
        called!(resize, {
            let (sizes, channels) = (plan.resize(), src.place.channels);
            src.place.expect("src", sizes.from, channels)?;
            dst.0.place.expect("dst", sizes.to, channels)?;
            let (of, [columns, rows]) = (PixelType::of(size_of::<P>()), plan.lines());
            let spans = self.upload(&[columns.spans, rows.spans].concat().into_flattened())?;
            let (spans, row_spans) = (spans.view().binding(self)?, columns.spans.len());
            if sizes.by.picks() {
                let (make, words) = (|| image::nearest(of), [row_spans as u32]);
                let op = ("image_nearest", of.shift());
                return self.dispatch(op, make, ("src", src), &[spans], ("dst", dst.0), &words);
            }
            let (passes, form) = filter_passes(of);
            let ([width, _], [_, height]) = (sizes.from, sizes.to);
            let (_, shifts) = P::on_device(P::Middle::default(), [columns.bits, rows.bits]);
            let weights = self.upload(&weight_words(&[columns.weights, rows.weights].concat()))?;
            let more = [weights.view().binding(self)?, spans];
            let mut middle = self.alloc::<u32>(width * height * channels)?;
            let middle = middle.view_mut().image(width, height, channels)?.0;
            let source_layout = [0, src.place.stride, 0, channels];
            let params = pass_params(source_layout, shifts[1], [row_spans, columns.weights.len(), rows.room]);
            let make = || image::weighted_sum(passes[0], of, PixelType::U32, None);
            self.dispatch(("resize_columns", form), make, ("src", src), &more, ("src", middle), &params)?;
            let source_layout = [1, channels, width * channels, 0];
            let params = pass_params(source_layout, shifts[0], [0, 0, columns.room]);
            let make = || image::weighted_sum(passes[1], PixelType::U32, of, None);
            self.dispatch(("resize_rows", form), make, ("src", middle), &more, ("dst", dst.0), &params)
        })
    }

    fn grey(&self, src: ImageView<'_, u8, D>, luma: Luma, dst: ImageViewMut<'_, u8, D>) -> Done {
        called!(grey, {
            expect_colour(src.place.channels)?;
            dst.0.place.expect("dst", src.sizes(), 1)?;
            let [red, green, blue] = weights(luma);
            let words = [src.place.channels as u32, red, green, blue];
            self.dispatch(("grey", 0), image::grey, ("src", src), &[], ("dst", dst.0), &words)
        })
    }

    fn rgb_to_bgr<P: Pixel + Plain>(&self, src: ImageView<'_, P, D>, dst: ImageViewMut<'_, P, D>) -> Done {
        called!(rgb_to_bgr, {
            expect_colour(src.place.channels)?;
            dst.0.place.expect("dst", src.sizes(), src.place.channels)?;
            let steps = [0, src.place.stride as isize, src.place.channels as isize];
            self.copy_strided(src, dst.0, steps, true)
        })
    }

    fn rgb_to_hsv(&self, src: ImageView<'_, u8, D>, dst: ImageViewMut<'_, u8, D>) -> Done {
        called!(rgb_to_hsv, {
            same_len("src", 3, src.place.channels)?;
            dst.0.place.expect("dst", src.sizes(), 3)?;
            self.dispatch(("rgb_to_hsv", 0), image::hsv, ("src", src), &[], ("dst", dst.0), &[])
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
            let stride = u32::try_from(chroma.place.stride).unwrap_or(u32::MAX);
            let mut words = Vec::from([chroma.before() as u32, stride, black as u32]);
            words.extend(factors.map(i32::cast_unsigned));
            let chroma = [chroma.binding(self, "chroma")?];
            self.dispatch(("nv12_to_rgb", 0), image::nv12, ("luma", luma), &chroma, ("dst", dst.0), &words)
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
            let steps = match way {
                Flip::Horizontal => [last[1], down, -right],
                Flip::Vertical => [last[0], -down, right],
                Flip::Both => [last[0] + last[1], -down, -right],
            };
            self.copy_strided(src, dst.0, steps, false)
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
            self.copy_strided(src, dst.0, steps, false)
        })
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
            self.dispatch(("threshold_image", 0), image::threshold, ("src", src), &[], ("dst", dst.0), &words)
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
            dst.0.place.expect("dst", src.sizes(), src.place.channels)?;
            self.reduce_window::<u8>([Fold::Least; 2], src, size, border, dst.0)
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
            dst.0.place.expect("dst", src.sizes(), src.place.channels)?;
            self.reduce_window::<u8>([Fold::Most; 2], src, size, border, dst.0)
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
            dst.0.place.expect("dst", src.sizes(), src.place.channels)?;
            self.reduce_window::<u32>([Fold::Sum, Fold::Mean], src, size, border, dst.0)
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
            let [width, height] = src.sizes();
            dst.0.place.expect("dst", [width, height], src.place.channels)?;
            let (mode, value) = border_mode(border);
            let axes = [axis_params(border, width, size / 2)?, axis_params(border, height, size / 2)?];
            let mut words: Vec<u32> = axes.as_flattened().iter().map(|w| *w as u32).collect();
            words.extend([size as u32, value]);
            let form = ("median", mode as u32);
            self.dispatch(form, || image::median(mode), ("src", src), &[], ("dst", dst.0), &words)
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
            let ((mode, value), of) = (border_mode(border), PixelType::of(size_of::<P>()));
            let axes = [axis_params(border, width, 1)?, axis_params(border, height, 1)?];
            let mut words: Vec<u32> = axes.as_flattened().iter().map(|w| *w as u32).collect();
            words.push(value);
            for (downwards, dst) in [(false, ("dx", dx.0)), (true, ("dy", dy.0))] {
                let form = 8 * of.shift() + 4 * u32::from(downwards) + mode as u32;
                let make = || image::sobel(of, downwards, mode);
                self.dispatch(("sobel", form), make, ("src", src), &[], dst, &words)?;
            }
            Ok(())
        })
    }
}
