//! Ops that read a window around each element, and resizes.

use super::super::super::device::{Device, Error};
use super::super::super::template::image::{
    self, BorderMode, FilterPass, Fold, NETWORK_MOST, Pass, PixelType, Walk,
};
use super::super::ops::Done;
use super::super::plan::counted;
use super::super::{Array, Gpu, Word};
use super::launch::{Form, pass_params};
use super::view::ImageView;
use crate::hardware::Language;
use crate::image::{Border, Gradient, Kernel as Filter, Pixel, Resample, ResizePlan, Weight};
use alloc::vec::Vec;

/// The border as kernels have it, and the bits of its constant.
pub(super) fn border_mode<P: Pixel>(border: Border<P>) -> (BorderMode, u32) {
    match border {
        Border::Constant(value) => (BorderMode::Constant, value.bits()),
        Border::Clamp => (BorderMode::Clamp, 0),
        Border::Reflect | Border::Reflect101 => (BorderMode::Mirror, 0),
        Border::Wrap => (BorderMode::Wrap, 0),
    }
}

/// The parameters of an axis of `n` elements, for windows with `half` elements before their centre.
fn axis_params<P>(border: Border<P>, n: usize, half: usize) -> Result<[usize; image::AXIS_PARAMS], Error> {
    counted("size", n.saturating_add(half).saturating_mul(4))?;
    Ok(axis(&border, n, half))
}

/// The parameters of an axis of `n` elements, for positions from `-half` on.
pub(super) fn axis<P>(border: &Border<P>, n: usize, half: usize) -> [usize; image::AXIS_PARAMS] {
    let period = if matches!(border, Border::Reflect101) { (n - 1).max(1) } else { n };
    // A mirrored border repeats after the image and its mirror image.
    let whole = if matches!(border, Border::Wrap) { period } else { period.saturating_mul(2) };
    let shift = half.div_ceil(whole).saturating_mul(whole) - half;
    [n, half, shift, period]
}

/// The parameters of both axes, for windows of so many columns and rows, and `numbers`.
fn axes_params<P: Pixel>(
    border: Border<P>,
    [width, height]: [usize; 2],
    [columns, rows]: [usize; 2],
    numbers: &[u32],
) -> Result<Vec<u32>, Error> {
    let mut params = pass_params(axis_params(border, width, columns / 2)?, &[]);
    params.extend(pass_params(axis_params(border, height, rows / 2)?, numbers));
    Ok(params)
}

/// What is computed from the elements of a window of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    /// The smallest one.
    Least,
    /// The largest one.
    Most,
    /// The mean.
    Mean,
    /// The median.
    Median,
}

/// Areas from which on a product with a reciprocal may differ from a quotient: sums are below 256 areas, and the reciprocal of 32 bits is
/// too large by at most an area, so that the error is below one where 256 areas times an area are at most 2³².
const LARGE_AREA: usize = 4096;

/// The type of the sums of so many bytes.
const fn sums_of(columns: usize) -> PixelType {
    if columns <= 257 { PixelType::U16 } else { PixelType::U32 }
}

/// An image between two passes, whose rows begin at words.
struct Middle<M, D: Device> {
    all: Array<M, D>,
    size: [usize; 2],
    channels: usize,
}

impl<M: Word, D: Device> Middle<M, D> {
    fn new(gpu: &Gpu<D>, size: [usize; 2], channels: usize) -> Result<Self, Error> {
        let overflow = crate::Error::overflow("src");
        let all = Self::stride(size, channels).checked_mul(size[1]).ok_or(overflow)?;
        Ok(Self { all: gpu.alloc::<M>(all)?, size, channels })
    }

    fn stride([width, _]: [usize; 2], channels: usize) -> usize {
        (width * channels).next_multiple_of(PixelType::of(size_of::<M>()).per_word())
    }

    fn view(&self) -> Result<ImageView<'_, M, D>, Error> {
        let ([width, height], channels) = (self.size, self.channels);
        self.all.view().image_strided(width, height, channels, Self::stride(self.size, channels))
    }
}

impl<D: Device> Gpu<D> {
    /// An op over windows of so many columns and rows.
    pub(super) fn window(
        &self,
        what: Window,
        src: ImageView<'_, u8, D>,
        size: [usize; 2],
        border: Border<u8>,
        dst: ImageView<'_, u8, D>,
    ) -> Done {
        let channels = src.place.channels;
        dst.place.expect("dst", src.sizes(), channels)?;
        let (mode, value) = border_mode(border);
        let [columns, rows] = size;
        let square = columns == rows && (columns == 3 || columns == NETWORK_MOST);
        let parts = [(channels, 5), (mode as usize, 4), (if square { columns } else { 0 }, NETWORK_MOST + 1)];
        let fold = match what {
            Window::Least => Fold::Least,
            Window::Most => Fold::Most,
            Window::Mean => Fold::Mean,
            Window::Median => {
                let words = axes_params(border, src.sizes(), size, &[value, columns as u32])?;
                let wide = image::is_wide(columns);
                let parts_of = [(channels, 5), (mode as usize, 4), (usize::from(wide), 2)];
                let moving = Form {
                    rows: image::rank_rows(wide),
                    threads: image::RANK_THREADS,
                    ..Form::new("moving_median", &parts_of, 1)
                };
                let fits = image::rank_shared(columns, channels) <= self.state.planner.limits.shared;
                if !square && fits && self.walk(&moving, src, dst).0 != Walk::Words {
                    let make = |walk| image::moving_median(walk, mode, channels, wide);
                    return self.dispatch(moving, make, ("src", src), &[], ("dst", dst), &words);
                }
                let form = Form::new("median", &parts, 4);
                let network = square.then_some(columns);
                let make = |walk| image::median(walk, mode, network, channels);
                return self.dispatch(form, make, ("src", src), &[], ("dst", dst), &words);
            }
        };
        if square {
            let words = axes_params(border, src.sizes(), size, &[value])?;
            let [channel, mode_part, size_part] = parts;
            let parts = &[channel, mode_part, size_part, (fold as usize, 4)];
            let form = Form::new("image_square", parts, 4);
            let make = |walk| image::fold_square(walk, fold, mode, columns, channels);
            return self.dispatch(form, make, ("src", src), &[], ("dst", dst), &words);
        }
        match (fold, sums_of(columns)) {
            (Fold::Mean, PixelType::U16) => {
                self.two_passes::<u16>([Fold::Sum, Fold::Mean], src, size, border, dst)
            }
            (Fold::Mean, _) => self.two_passes::<u32>([Fold::Sum, Fold::Mean], src, size, border, dst),
            _ => self.two_passes::<u8>([fold; 2], src, size, border, dst),
        }
    }

    /// Folds a rectangular window: along rows into a temporary image of `M`, then along columns.
    fn two_passes<M: Word>(
        &self,
        folds: [Fold; 2],
        src: ImageView<'_, u8, D>,
        [columns, rows]: [usize; 2],
        border: Border<u8>,
        dst: ImageView<'_, u8, D>,
    ) -> Done {
        let ([width, height], (mode, value)) = (src.sizes(), border_mode(border));
        let area = counted("size", columns.saturating_mul(rows))?;
        let axes = [axis_params(border, width, columns / 2)?, axis_params(border, height, rows / 2)?];
        let middle = Middle::<M, D>::new(self, [width, height], src.place.channels)?;
        let middle = middle.view()?;
        let sums = PixelType::of(size_of::<M>());
        let small = (2..LARGE_AREA as u32).contains(&area);
        let reciprocal = if small { u32::MAX / area + 1 } else { 0 };
        let [first, second] = folds;
        let form = |along: bool, fold: Fold| {
            [(usize::from(along), 2), (fold as usize, 4), (mode as usize, 4), (sums.per_word(), 5)]
        };
        // Both passes run for a window of one row or of one column, too, as the temporary image of sums has another element type.
        let pass = Pass { mode, along: true, sums };
        let mut words = pass_params(axes[0], &[columns as u32, value, 1, 0]);
        let parts = form(true, first);
        let one = Form::new("image_window", &parts, 4);
        self.dispatch(
            one,
            |walk| image::window(walk, first, pass),
            ("src", src),
            &[],
            ("src", middle),
            &words,
        )?;
        // For the second pass of a mean, an element beyond the first or last row is the sum of `columns` constants.
        let value = if second == Fold::Mean { value.wrapping_mul(columns as u32) } else { value };
        words = pass_params(axes[1], &[rows as u32, value, area, reciprocal]);
        let pass = Pass { along: false, ..pass };
        let parts = form(false, second);
        let two = Form::new("image_window", &parts, 4);
        self.dispatch(
            two,
            |walk| image::window(walk, second, pass),
            ("src", middle),
            &[],
            ("dst", dst),
            &words,
        )
    }

    /// Both derivatives of Sobel.
    pub(super) fn slopes<P: Gradient>(
        &self,
        src: ImageView<'_, P, D>,
        border: Border<P>,
        results: [(&'static str, ImageView<'_, P::Derivative, D>); 2],
    ) -> Done {
        let ((mode, value), of) = (border_mode(border), PixelType::of(size_of::<P>()));
        let channels = src.place.channels;
        let words = axes_params(border, src.sizes(), [3; 2], &[value])?;
        for (downwards, dst) in [false, true].into_iter().zip(results) {
            let parts = &[(usize::from(downwards), 2), (mode as usize, 4), (channels, 5), (of.per_word(), 5)];
            let form = Form::new("sobel", parts, of.per_word());
            let make = |walk| image::sobel(walk, of, downwards, mode, channels);
            self.dispatch(form, make, ("src", src), &[], dst, &words)?;
        }
        Ok(())
    }
}

/// The weights as words of 32 bits.
pub(super) fn weight_words<W: Weight>(weights: &[W]) -> Vec<u32> {
    weights.iter().map(|w| w.word()).collect()
}

impl<D: Device> Gpu<D> {
    /// A separable filter: along columns, then along rows.
    pub(super) fn separable<P: Resample>(
        &self,
        src: ImageView<'_, P, D>,
        kernels: [Filter<'_, P::Weight>; 2],
        border: Border<P>,
        dst: ImageView<'_, P, D>,
    ) -> Done {
        dst.place.expect("dst", src.sizes(), src.place.channels)?;
        if size_of::<P>() == 1 {
            self.filter_by::<P, u16>(src, kernels, border, dst)
        } else {
            self.filter_by::<P, u32>(src, kernels, border, dst)
        }
    }

    /// As [`Self::separable`], with a temporary image of `M`.
    fn filter_by<P: Resample, M: Word>(
        &self,
        src: ImageView<'_, P, D>,
        [vertical, horizontal]: [Filter<'_, P::Weight>; 2],
        border: Border<P>,
        dst: ImageView<'_, P, D>,
    ) -> Done {
        let ([width, height], of) = (src.sizes(), PixelType::of(size_of::<P>()));
        let (mode, value) = border_mode(border);
        let [(v, v_bits), (h, h_bits)] = [vertical.parts(), horizontal.parts()];
        // For the second pass, an element beyond the first or last column is the weighted sum of the constant.
        let constant = if let Border::Constant(value) = border { value } else { P::default() };
        let (flat, [h_shift, v_shift]) = P::on_device(P::flat(constant, v, v_bits), [h_bits, v_bits]);
        let params = |shift: u32, axis, weights: usize| -> Result<_, Error> {
            let [n, half, first, period] = axis_params(border, axis, weights / 2)?;
            Ok(pass_params([shift as usize, n, half, first, period, weights], &[]))
        };
        let [mut v_words, mut h_words] =
            [params(v_shift, height, v.len())?, params(h_shift, width, h.len())?];
        let channels = src.place.channels;
        let parts = &[(mode as usize, 5), (of.per_word(), 5), (channels, 5)];
        let elements = image::elements_of_thread(channels);
        let form = Form { rows: 4, ..Form::new("image_separable", parts, elements) };
        if image::is_staged(channels, h.len()) && self.walk(&form, src, dst).0 != Walk::Words {
            let padded = |mut words: Vec<u32>| {
                words.resize(image::padded(words.len()), 0);
                words
            };
            let weights = self.upload(&[padded(weight_words(v)), padded(weight_words(h))].concat())?;
            let more = [weights.view().binding(self)?];
            v_words.append(&mut h_words);
            v_words.extend([value, flat]);
            let vectors = self.state.planner.language == Language::Ptx;
            let make = |walk| image::separable(walk, of, mode, channels, vectors);
            return self.dispatch(form, make, ("src", src), &more, ("dst", dst), &v_words);
        }
        let middle = Middle::<M, D>::new(self, [width, height], channels)?;
        let middle = middle.view()?;
        let [columns, rows] = FilterPass::both(of);
        let parts = &[(mode as usize, 5), (of.per_word(), 5)];
        v_words.push(value);
        let weights = self.upload(&weight_words(v))?;
        let more = [weights.view().binding(self)?];
        let form = Form::new("image_filter_columns", parts, of.per_word());
        let make = |walk| image::weighted_sum(walk, columns, Some(mode));
        self.dispatch(form, make, ("src", src), &more, ("src", middle), &v_words)?;
        h_words.push(flat);
        let weights = self.upload(&weight_words(h))?;
        let more = [weights.view().binding(self)?];
        let form = Form::new("image_filter_rows", parts, of.per_word());
        let make = |walk| image::weighted_sum(walk, rows, Some(mode));
        self.dispatch(form, make, ("src", middle), &more, ("dst", dst), &h_words)
    }

    /// A resize by a plan.
    pub(super) fn resized<P: Resample>(
        &self,
        plan: ResizePlan<'_, P::Weight>,
        src: ImageView<'_, P, D>,
        dst: ImageView<'_, P, D>,
    ) -> Done {
        let (sizes, channels) = (plan.resize(), src.place.channels);
        src.place.expect("src", sizes.from, channels)?;
        dst.place.expect("dst", sizes.to, channels)?;
        if size_of::<P>() == 1 {
            self.resized_by::<P, u16>(plan, src, dst)
        } else {
            self.resized_by::<P, u32>(plan, src, dst)
        }
    }

    /// As [`Self::resized`], with a temporary image of `M`.
    fn resized_by<P: Resample, M: Word>(
        &self,
        plan: ResizePlan<'_, P::Weight>,
        src: ImageView<'_, P, D>,
        dst: ImageView<'_, P, D>,
    ) -> Done {
        let (sizes, channels) = (plan.resize(), src.place.channels);
        let (of, [columns, rows]) = (PixelType::of(size_of::<P>()), plan.lines());
        let spans = self.upload(&[columns.spans, rows.spans].concat().into_flattened())?;
        let (spans, row_spans) = (spans.view().binding(self)?, columns.spans.len());
        let parts = &[(of.per_word(), 5)];
        let form = |op| Form::new(op, parts, of.per_word());
        if sizes.by.picks() {
            let (make, words) = (|walk| image::nearest(walk, of), [row_spans as u32]);
            return self.dispatch(form("image_nearest"), make, ("src", src), &[spans], ("dst", dst), &words);
        }
        let [down, along] = FilterPass::both(of);
        let ([width, _], [_, height]) = (sizes.from, sizes.to);
        let (_, [h_shift, v_shift]) = P::on_device(P::Middle::default(), [columns.bits, rows.bits]);
        let weights = self.upload(&weight_words(&[columns.weights, rows.weights].concat()))?;
        let more = [weights.view().binding(self)?, spans];
        let middle = Middle::<M, D>::new(self, [width, height], channels)?;
        let middle = middle.view()?;
        let words = pass_params([v_shift as usize, row_spans, columns.weights.len(), rows.room], &[]);
        let make = |walk| image::weighted_sum(walk, down, None);
        self.dispatch(form("resize_columns"), make, ("src", src), &more, ("src", middle), &words)?;
        let words = pass_params([h_shift as usize, 0, 0, columns.room], &[]);
        let make = |walk| image::weighted_sum(walk, along, None);
        self.dispatch(form("resize_rows"), make, ("src", middle), &more, ("dst", dst), &words)
    }
}
