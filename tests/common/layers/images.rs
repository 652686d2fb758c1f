//! Images on a device: results have the bits of a CPU wherever in a word rows start and end, and elements between rows do not change.

use crate::device::Worst;
use crate::nn::Noise;
use crate::seed::Seed;
use fulmen::backend::*;
use fulmen::gpu::backend::{Gpu, ImageView, ImageViewMut, View, Word};
use fulmen::gpu::device::{Blocking, Error};
use fulmen::image::{
    Affine, Border, Flip, Gradient, Image, ImageMut, Interpolation, Kernel, Luma, Normalization, Pixel,
    Resample, Resize, ResizePlan, Sampler, ThresholdKind, Turn, Yuv, box_filter_workspace,
    correlate_separable_workspace, distance_transform_workspace, gaussian_len, median_workspace,
    morphology_workspace, nv12_to_tensor_workspace, resize_workspace, rgb_to_tensor_workspace,
};

mod distances;
mod tensors;
use distances::distances;
use tensors::tensors;

/// The layout of an image in a buffer: its size, the elements before it, its stride, and the elements after it.
#[derive(Debug, Clone, Copy)]
struct Layout {
    size: [usize; 2],
    channels: usize,
    before: usize,
    stride: usize,
    after: usize,
}

impl Layout {
    /// Rows begin at words in half of the layouts, whatever the type of the elements is.
    fn random(r: &mut Noise, size: [usize; 2], channels: usize) -> Self {
        let (mut before, mut stride) = (r.within(0..=5), size[0] * channels + r.within(0..=5));
        if r.one_in(2) {
            (before, stride) = (before / 4 * 4, stride.next_multiple_of(4));
        }
        Self { size, channels, before, stride, after: r.within(0..=3) }
    }
    fn span(&self) -> usize {
        (self.size[1] - 1) * self.stride + self.size[0] * self.channels
    }
    fn len(&self) -> usize {
        self.before + self.span() + self.after
    }
    fn noise<P: From<u8>>(&self, r: &mut Noise) -> Vec<P> {
        // Some images have one level or three.
        let (levels, first) = ([1, 3, 256][r.within(0..=2)], r.within(0..=255));
        (0..self.len()).map(|_| P::from((first + r.within(0..=levels - 1)) as u8)).collect()
    }
    fn host<'a, P>(&self, data: &'a [P]) -> Image<'a, P> {
        let [width, height] = self.size;
        Image::strided(&data[self.before..][..self.span()], width, height, self.channels, self.stride)
            .unwrap()
    }
    fn device<'a, P: Word, D: Blocking>(&self, data: View<'a, P, D>) -> ImageView<'a, P, D> {
        let [width, height] = self.size;
        let data = data.part(self.before..self.before + self.span()).unwrap();
        data.image_strided(width, height, self.channels, self.stride).unwrap()
    }
    fn host_mut<'a, P>(&self, data: &'a mut [P]) -> ImageMut<'a, P> {
        let [width, height] = self.size;
        let data = &mut data[self.before..][..self.span()];
        ImageMut::strided(data, width, height, self.channels, self.stride).unwrap()
    }
}

/// Runs an op on a CPU and on a device, and compares the whole buffers of the results, with the elements outside of the image.
fn compare<
    D: Blocking,
    A: Word + std::fmt::Debug,
    R: Word + PartialEq + std::fmt::Debug + From<u8> + Into<f64>,
    const N: usize,
>(
    of: (&Gpu<D>, &mut Noise),
    what: &dyn std::fmt::Debug,
    sources: [(Layout, Vec<A>); N],
    to: Layout,
    host: impl FnOnce([Image<'_, A>; N], ImageMut<'_, R>) -> Result<(), fulmen::Error>,
    on: impl FnOnce([ImageView<'_, A, D>; N], ImageViewMut<'_, R, D>) -> Result<(), Error>,
) -> Result<(), Error> {
    compare_within(of, 0.0, what, sources, to, host, on)
}

/// As [`compare`], where results may differ by `tolerance`.
fn compare_within<
    D: Blocking,
    A: Word + std::fmt::Debug,
    R: Word + PartialEq + std::fmt::Debug + From<u8> + Into<f64>,
    const N: usize,
>(
    (gpu, r): (&Gpu<D>, &mut Noise),
    tolerance: f64,
    what: &dyn std::fmt::Debug,
    sources: [(Layout, Vec<A>); N],
    to: Layout,
    host: impl FnOnce([Image<'_, A>; N], ImageMut<'_, R>) -> Result<(), fulmen::Error>,
    on: impl FnOnce([ImageView<'_, A, D>; N], ImageViewMut<'_, R, D>) -> Result<(), Error>,
) -> Result<(), Error> {
    let old: Vec<R> = to.noise(r);
    let mut want = old.clone();
    host(sources.each_ref().map(|(layout, x)| layout.host(x)), to.host_mut(&mut want))?;
    let arrays = sources.each_ref().map(|(_, x)| gpu.upload(&x[..]).unwrap());
    let mut out = gpu.upload(&old)?;
    let mut views = sources.iter().zip(&arrays).map(|((layout, _), x)| layout.device(x.view()));
    let views = [(); N].map(|()| views.next().unwrap());
    let [_, rest] = out.view_mut().split(to.before)?;
    let [part, _] = rest.split(to.span())?;
    on(views, part.image_strided(to.size[0], to.size[1], to.channels, to.stride)?)?;
    let mut got = old;
    gpu.download(out.view(), &mut got)?;
    let differ = |(x, y): (&R, &R)| x != y && ((*x).into() - (*y).into()).abs() > tolerance;
    assert!(!got.iter().zip(&want).any(differ), "{what:?} {sources:?} {to:?}: {got:?}, not {want:?}");
    Ok(())
}

/// Columns and rows of an image: rows have more elements than the words at both borders of a window.
fn drawn(r: &mut Noise, most: usize) -> [usize; 2] {
    [r.within(1..=3 * most - 2), r.size(most)]
}

/// Ops that copy elements of any type.
fn copies<P: Pixel + Word + Plain + PartialEq + std::fmt::Debug + From<u8> + Into<f64>, D: Blocking>(
    gpu: &Gpu<D>,
    r: &mut Noise,
    most: usize,
) -> Result<(), Error> {
    let (size, channels) = (drawn(r, most), r.within(1..=4));
    let from = Layout::random(r, size, channels);
    let x: Vec<P> = from.noise(r);
    for way in [Flip::Horizontal, Flip::Vertical, Flip::Both] {
        let to = Layout::random(r, size, channels);
        compare(
            (gpu, r),
            &way,
            [(from, x.clone())],
            to,
            |[x], to| fulmen::flip(x, way, to),
            |[x], to| gpu.flip(x, way, to),
        )?;
    }
    for way in [Turn::Right, Turn::Left] {
        let to = Layout::random(r, [size[1], size[0]], channels);
        compare(
            (gpu, r),
            &way,
            [(from, x.clone())],
            to,
            |[x], to| fulmen::rotate90(x, way, to),
            |[x], to| gpu.rotate90(x, way, to),
        )?;
    }
    let channels = r.within(3..=4);
    let (from, to) = (Layout::random(r, size, channels), Layout::random(r, size, channels));
    let x: Vec<P> = from.noise(r);
    compare(
        (gpu, r),
        &"rgb_to_bgr",
        [(from, x)],
        to,
        |[x], to| fulmen::rgb_to_bgr(x, to),
        |[x], to| gpu.rgb_to_bgr(x, to),
    )
}

/// Conversions of colours, and thresholds, of bytes.
fn bytes<D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, most: usize) -> Result<(), Error> {
    let size = drawn(r, most);
    for luma in [Luma::Bt601, Luma::Bt709] {
        let channels = r.within(3..=4);
        let (from, to) = (Layout::random(r, size, channels), Layout::random(r, size, 1));
        let x = from.noise(r);
        compare(
            (gpu, r),
            &luma,
            [(from, x)],
            to,
            |[x], to| fulmen::grey(x, luma, to),
            |[x], to| gpu.grey(x, luma, to),
        )?;
    }
    let (from, to) = (Layout::random(r, size, 3), Layout::random(r, size, 3));
    let x = from.noise(r);
    compare(
        (gpu, r),
        &"rgb_to_hsv",
        [(from, x)],
        to,
        |[x], to| fulmen::rgb_to_hsv(x, to),
        |[x], to| gpu.rgb_to_hsv(x, to),
    )?;
    for coding in [Yuv::Bt601, Yuv::Bt709, Yuv::Bt601Full, Yuv::Bt709Full] {
        let luma = Layout::random(r, size, 1);
        let chroma = Layout::random(r, size.map(|n| n.div_ceil(2)), 2);
        let (x, y, to) = (luma.noise(r), chroma.noise(r), Layout::random(r, size, 3));
        compare(
            (gpu, r),
            &coding,
            [(luma, x), (chroma, y)],
            to,
            |[x, y], to| fulmen::nv12_to_rgb(x, y, coding, to),
            |[x, y], to| gpu.nv12_to_rgb(x, y, coding, to),
        )?;
    }
    for kind in [
        ThresholdKind::Binary,
        ThresholdKind::BinaryInverse,
        ThresholdKind::Truncate,
        ThresholdKind::ToZero,
        ThresholdKind::ToZeroInverse,
    ] {
        let channels = r.within(1..=4);
        let (from, to) = (Layout::random(r, size, channels), Layout::random(r, size, channels));
        let x: Vec<u8> = from.noise(r);
        let level = x[r.within(0..=x.len() - 1)];
        compare(
            (gpu, r),
            &(kind, level),
            [(from, x)],
            to,
            |[x], to| fulmen::threshold_image(x, level, kind, to),
            |[x], to| gpu.threshold_image(x, level, kind, to),
        )?;
    }
    Ok(())
}

fn borders<P: From<u8>>(r: &mut Noise) -> [Border<P>; 5] {
    let value = P::from((r.bits() >> 30) as u8);
    [Border::Constant(value), Border::Clamp, Border::Reflect, Border::Reflect101, Border::Wrap]
}

/// Ops over windows of bytes, some of which are larger than the image.
fn windows<D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, most: usize) -> Result<(), Error> {
    let (size, channels) = (drawn(r, most), r.within(1..=4));
    let from = Layout::random(r, size, channels);
    for border in borders(r) {
        let x: Vec<u8> = from.noise(r);
        // Squares of 3 and 5 have a kernel of one pass.
        let square = 2 * r.within(1..=2) + 1;
        let mut window = [2 * r.size(9) - 1, 2 * r.size(9) - 1];
        if r.one_in(2) {
            window = [square; 2];
        }
        let mut to = || Layout::random(r, size, channels);
        let [one, two, three, four] = [to(), to(), to(), to()];
        let n = morphology_workspace(size[0], channels, window);
        compare(
            (gpu, r),
            &("erode", window, border),
            [(from, x.clone())],
            one,
            |[x], to| fulmen::erode(x, window, border, to, &mut vec![7; n]),
            |[x], to| gpu.erode(x, window, border, to, ()),
        )?;
        compare(
            (gpu, r),
            &("dilate", window, border),
            [(from, x.clone())],
            two,
            |[x], to| fulmen::dilate(x, window, border, to, &mut vec![7; n]),
            |[x], to| gpu.dilate(x, window, border, to, ()),
        )?;
        let window = if r.one_in(2) { [square; 2] } else { [r.size(20), r.size(20)] };
        let n = box_filter_workspace(size[0], channels, window[0]);
        compare(
            (gpu, r),
            &("box_filter", window, border),
            [(from, x.clone())],
            three,
            |[x], to| fulmen::box_filter(x, window, border, to, &mut vec![7; n]),
            |[x], to| gpu.box_filter(x, window, border, to, ()),
        )?;
        let window = 2 * r.within(0..=3) + 1;
        median(gpu, r, border, window, [from, four], x)?;
    }
    Ok(())
}

fn median<D: Blocking>(
    gpu: &Gpu<D>,
    r: &mut Noise,
    border: Border<u8>,
    window: usize,
    [from, to]: [Layout; 2],
    x: Vec<u8>,
) -> Result<(), Error> {
    let n = median_workspace(from.size[0], window);
    compare(
        (gpu, r),
        &("median", window, border),
        [(from, x)],
        to,
        |[x], to| fulmen::median(x, window, border, to, &mut vec![7; n]),
        |[x], to| gpu.median(x, window, border, to, ()),
    )
}

/// Medians of large windows move down: of counts of 8 bits and of 16, by more rows than a thread has, in rows of more blocks than one.
fn medians<D: Blocking>(gpu: &Gpu<D>, r: &mut Noise) -> Result<(), Error> {
    for half in [3..=7, 8..=10] {
        let (border, window) = (borders(r)[r.within(0..=4)], 2 * r.within(half) + 1);
        let channels = r.within(1..=4);
        let size = [1 + r.size(50) / channels, r.within(1..=90)];
        let from = Layout::random(r, size, channels);
        let x = from.noise(r);
        let to = Layout::random(r, size, channels);
        // Only where rows begin at words is there a histogram for each window.
        let to = Layout { before: to.before / 4 * 4, stride: to.stride.next_multiple_of(4), ..to };
        median(gpu, r, border, window, [from, to], x)?;
    }
    Ok(())
}

/// Counts of levels, of rows that begin anywhere in a word, and what follows from them.
fn levels<D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, most: usize) -> Result<(), Error> {
    // Past the rows and the words of a block; of some images one level is most of it.
    for size in [drawn(r, most), [r.within(1..=6000), 1], [1, r.within(1..=300)], [30, 20]] {
        let channels = r.within(1..=4);
        let from = Layout::random(r, size, channels);
        let x: Vec<u8> = from.noise(r);
        let mut want = vec![7; 256 * channels];
        fulmen::histogram(from.host(&x), &mut want, &mut vec![7; fulmen::histogram_workspace()])?;
        let (on, mut counts) = (gpu.upload(&x)?, gpu.upload(&vec![9u32; want.len() + 2])?);
        let [_, rest] = counts.view_mut().split(1)?;
        let [to, _] = rest.split(want.len())?;
        gpu.histogram(from.device(on.view()), to, ())?;
        let mut got = vec![0; want.len() + 2];
        gpu.download(counts.view(), &mut got)?;
        assert!(got[1..=want.len()] == want && got[0] == 9 && got.ends_with(&[9]), "histogram {from:?}");
        let to = Layout::random(r, size, channels);
        let n = fulmen::equalize_workspace(channels);
        compare(
            (gpu, r),
            &"equalize",
            [(from, x)],
            to,
            |[x], to| fulmen::equalize(x, to, &mut vec![7; n]),
            |[x], to| gpu.equalize(x, to, ()),
        )?;
    }
    Ok(())
}

/// Both derivatives: one is compared, and the other is written to a buffer that is not.
fn gradients<P, D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, most: usize) -> Result<(), Error>
where
    P: Gradient<Derivative: Word + PartialEq + std::fmt::Debug + From<u8> + Into<f64>>
        + Word
        + Plain
        + From<u8>
        + std::fmt::Debug,
{
    let (size, channels) = (drawn(r, most), r.within(1..=4));
    let from = Layout::random(r, size, channels);
    let x: Vec<P> = from.noise(r);
    for border in borders(r) {
        for downwards in [false, true] {
            let (to, other) = (Layout::random(r, size, channels), Layout::random(r, size, channels));
            let none = vec![P::Derivative::from(0); other.len()];
            let mut on = gpu.upload(&none)?;
            compare(
                (gpu, r),
                &("sobel", downwards, border == Border::Clamp),
                [(from, x.clone())],
                to,
                |[x], to| {
                    let mut none = none.clone();
                    let other = other.host_mut(&mut none);
                    let [dx, dy] = if downwards { [other, to] } else { [to, other] };
                    fulmen::sobel(x, border, dx, dy)
                },
                |[x], to| {
                    let [_, rest] = on.view_mut().split(other.before)?;
                    let [part, _] = rest.split(other.span())?;
                    let other = part.image_strided(size[0], size[1], channels, other.stride)?;
                    let [dx, dy] = if downwards { [other, to] } else { [to, other] };
                    gpu.sobel(x, border, dx, dy)
                },
            )?;
        }
    }
    Ok(())
}

/// How far sums of `n` weighted elements may be apart. WGSL may fuse a product and a sum; its results are within twice the bound of the contract.
fn tolerance<P>(language: &str, n: usize) -> f64 {
    // The elements are at most 255, and the magnitudes of the weights sum to less than 2 in each direction.
    let bound = 2.0 * (n + 6) as f64 * f64::from(f32::EPSILON) / 2.0 * 4.0 * 255.0;
    if size_of::<P>() == 1 || language != "wgsl" { 0.0 } else { bound }
}

/// Separable filters of images of this size, with numbers of weights up to twice `most`.
fn filters<P, D: Blocking>(
    gpu: &Gpu<D>,
    r: &mut Noise,
    language: &str,
    size: [usize; 2],
    most: [usize; 2],
    borders: &[Border<P>],
) -> Result<(), Error>
where
    P: Resample<Middle: Default + Clone> + Word + Plain + PartialEq + std::fmt::Debug + From<u8> + Into<f64>,
{
    let channels = r.within(1..=4);
    let from = Layout::random(r, size, channels);
    let x: Vec<P> = from.noise(r);
    for &border in borders {
        let sizes = most.map(|n| 2 * r.size(n) - 1);
        let weights = sizes.map(|n| {
            let w: Vec<f64> = (0..n).map(|_| r.within(0..=200) as f64 / 100.0 - 0.7).collect();
            let sum: f64 = w.iter().map(|w| w.abs()).sum();
            w.iter().map(|w| w * 1.8 / sum.max(1.0)).collect::<Vec<_>>()
        });
        let mut memory = sizes.map(|n| vec![<P::Weight as Default>::default(); n]);
        let [v, h] = &mut memory;
        let (v, h) = (Kernel::new(&weights[0], v)?, Kernel::new(&weights[1], h)?);
        let to = Layout::random(r, size, channels);
        let n = correlate_separable_workspace(size[0], channels, sizes[1]);
        compare_within(
            (gpu, r),
            tolerance::<P>(language, sizes[0] + sizes[1]),
            &("correlate_separable", &weights, border == Border::Clamp),
            [(from, x.clone())],
            to,
            |[x], to| fulmen::correlate_separable(x, v, h, border, to, &mut vec![P::Middle::default(); n]),
            |[x], to| gpu.correlate_separable(x, v, h, border, to, ()),
        )?;
        let sigma = r.within(20..=250) as f64 / 100.0;
        let (to, len) = (Layout::random(r, size, channels), gaussian_len(sigma));
        let n = correlate_separable_workspace(size[0], channels, len);
        let weights_memory = || vec![<P::Weight as Default>::default(); len];
        compare_within(
            (gpu, r),
            tolerance::<P>(language, 2 * len),
            &("gaussian", sigma, border == Border::Clamp),
            [(from, x.clone())],
            to,
            |[x], to| {
                let mut workspace = vec![P::Middle::default(); n];
                fulmen::gaussian(x, sigma, border, to, &mut weights_memory(), &mut workspace)
            },
            |[x], to| gpu.gaussian(x, sigma, border, to, &mut weights_memory(), ()),
        )?;
    }
    Ok(())
}

/// Separable filters and resizes.
fn weighted<P, D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, language: &str, most: usize) -> Result<(), Error>
where
    P: Resample<Middle: Default + Clone> + Word + Plain + PartialEq + std::fmt::Debug + From<u8> + Into<f64>,
{
    let (size, channels) = (drawn(r, most), r.within(1..=4));
    let from = Layout::random(r, size, channels);
    let x: Vec<P> = from.noise(r);
    let all = borders::<P>(r);
    filters(gpu, r, language, size, [8, 8], &all)?;
    // Past the columns that a block computes; and windows that are longer than the rows which it stages.
    let (wide, border) = ([r.within(128..=600), r.within(5..=12)], all[r.within(0..=all.len() - 1)]);
    filters(gpu, r, language, if most == 1 { size } else { wide }, [5, 20], &[border])?;
    filters(gpu, r, language, size, [2, 300], &[border])?;
    // Of most of these pixels, small windows are inside; where rows begin at words, blocks stage elements before the first window.
    for _ in 0..if most == 1 { 0 } else { 8 } {
        let size = [r.within(40..=90), r.within(12..=20)];
        filters(gpu, r, language, size, [2, 3], &[border])?;
    }
    for by in [
        Interpolation::Nearest,
        Interpolation::NearestFloor,
        Interpolation::Bilinear,
        Interpolation::Bicubic,
        Interpolation::BicubicSharp,
        Interpolation::Lanczos3,
        Interpolation::Area,
    ] {
        for antialias in [false, true] {
            let resize = Resize { from: size, to: [r.size(most), r.size(most)], by, antialias };
            let mut spans = vec![[0; 2]; resize.spans()];
            let mut weights = vec![<P::Weight as Default>::default(); resize.weights::<P::Weight>()];
            let plan = ResizePlan::new(resize, &mut spans, &mut weights)?;
            let to = Layout::random(r, resize.to, channels);
            let n = resize_workspace(size[0], channels);
            compare_within(
                (gpu, r),
                tolerance::<P>(language, size[0] + size[1]),
                &resize,
                [(from, x.clone())],
                to,
                |[x], to| fulmen::resize(plan, x, to, &mut vec![P::Middle::default(); n]),
                |[x], to| gpu.resize(plan, x, to, ()),
            )?;
        }
    }
    Ok(())
}

/// Images read at places of matrices and maps, some of which are far outside or no numbers. Products and sums of floats that WGSL fuses are off
/// by a rounding or two.
fn warps<P, D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, language: &str, most: usize) -> Result<(), Error>
where
    P: Pixel + Word + Plain + PartialEq + std::fmt::Debug + From<u8> + Into<f64>,
{
    let fused =
        if size_of::<P>() < 4 || language != "wgsl" { 0.0 } else { 3.0 * 255.0 * f64::from(f32::EPSILON) };
    for border in borders::<P>(r) {
        for by in [Sampler::Nearest, Sampler::Bilinear] {
            let (from, to, channels) = (drawn(r, most), drawn(r, most), r.within(1..=4));
            let (from, map) = (Layout::random(r, from, channels), Layout::random(r, to, 2));
            let to = [Layout::random(r, to, channels), Layout::random(r, to, channels)];
            let x: Vec<P> = from.noise(r);
            let mut number = |most: f64| most * (r.within(0..=2_000_000) as f64 / 1e6 - 1.0);
            let [size_x, size_y] = from.size.map(|n| n as f64);
            let mut rows = [
                [number(2.0), number(2.0), number(2.0 * size_x)],
                [number(2.0), number(2.0), number(2.0 * size_y)],
            ];
            match r.within(0..=5) {
                // Most of these places are inside.
                0..=2 => rows = [[0.8, -0.3, size_x * 0.3], [0.3, 0.8, -1.0]],
                3 => rows[r.within(0..=1)][2] *= 1e5,
                _ => {}
            }
            let matrix = Affine::new(rows);
            compare_within(
                (gpu, r),
                fused,
                &("warp_affine", matrix, by, border.index(-1, 4), border.index(-2, 4)),
                [(from, x.clone())],
                to[0],
                |[x], to| fulmen::warp_affine(x, matrix, by, border, to),
                |[x], to| gpu.warp_affine(x, matrix, by, border, to),
            )?;
            let places: Vec<f32> = (0..map.len())
                .map(|_| match r.within(0..=15) {
                    0 => [
                        f32::NAN,
                        f32::INFINITY,
                        f32::NEG_INFINITY,
                        4_194_304.0,
                        -1e30,
                        4_194_303.0,
                        -4_194_303.5,
                    ][r.within(0..=6)],
                    1 => r.within(0..=2_000_000) as f32 - 1e6,
                    2 => r.within(0..=100) as f32 / 2.0 - 25.0,
                    _ => r.within(0..=1 << 20) as f32 / (1 << 20) as f32 * size_x.max(size_y) as f32,
                })
                .collect();
            let on_map = gpu.upload(&places)?;
            compare_within(
                (gpu, r),
                fused,
                &("remap", by, border.index(-1, 4), border.index(-2, 4), &places, map),
                [(from, x)],
                to[1],
                |[x], to| fulmen::remap(x, map.host(&places), by, border, to),
                |[x], to| gpu.remap(x, map.device(on_map.view()), by, border, to),
            )?;
        }
    }
    Ok(())
}

/// Runs every op on images that devices have, with images of up to `most` columns and rows.
pub fn story<D: Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    most: usize,
    times: usize,
) -> Result<Vec<Worst>, Error> {
    let mut r = Seed::new("images on a device").stream("images");
    for turn in 0..times {
        // The first images have a single pixel.
        let most = if turn == 0 { 1 } else { most };
        copies::<u8, D>(gpu, &mut r, most)?;
        copies::<u16, D>(gpu, &mut r, most)?;
        copies::<f32, D>(gpu, &mut r, most)?;
        bytes(gpu, &mut r, most)?;
        windows(gpu, &mut r, most)?;
        medians(gpu, &mut r)?;
        levels(gpu, &mut r, most)?;
        distances(gpu, &mut r, most)?;
        tensors(gpu, &mut r, language, most)?;
        gradients::<u8, D>(gpu, &mut r, most)?;
        gradients::<f32, D>(gpu, &mut r, most)?;
        warps::<u8, D>(gpu, &mut r, language, most)?;
        warps::<u16, D>(gpu, &mut r, language, most)?;
        warps::<f32, D>(gpu, &mut r, language, most)?;
        weighted::<u8, D>(gpu, &mut r, language, most)?;
        weighted::<f32, D>(gpu, &mut r, language, most)?;
    }
    let ops = fulmen::ops::signatures().filter(|s| s.family == Some("Images"));
    Ok(ops.map(|s| Worst { op: s.op, share: 0.0, got: 0.0, want: 0.0 }).collect())
}
