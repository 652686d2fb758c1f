//! Plans a resize: the weights of each output row and column, computed once.

use super::super::sealed::Sealed;
use crate::error::{Error, not_empty, same_len};
use crate::plain::Plain;

/// How a pixel is made of those near it. `c` is the centre of the result among the pixels of the source.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Interpolation {
    /// The pixel that `c` lies in: `⌊(o + 1/2)·n/m⌋`, as Pillow's `NEAREST` and OpenCV's `INTER_NEAREST_EXACT`.
    Nearest,
    /// The pixel that the result's corner lies in: `⌊o·n/m⌋`, as OpenCV's `INTER_NEAREST`.
    NearestFloor,
    /// `1 - |x|`, for `|x| < 1`.
    Bilinear,
    /// Keys' cubic with `a = -1/2`, for `|x| < 2`: that of Pillow.
    Bicubic,
    /// Keys' cubic with `a = -3/4`, for `|x| < 2`: that of OpenCV.
    BicubicSharp,
    /// `sinc(x)·sinc(x/3)`, for `|x| < 3`. Sharp edges ring: values leave the range of the source by up to a seventh on each side,
    /// and `u8` is clipped.
    Lanczos3,
    /// The mean over the area that the result covers in the source, exactly: OpenCV's `INTER_AREA` where it reduces.
    Area,
}

impl Interpolation {
    /// Half the width of the kernel.
    const fn radius(self) -> u32 {
        match self {
            Self::Nearest | Self::NearestFloor | Self::Area => 0,
            Self::Bilinear => 1,
            Self::Bicubic | Self::BicubicSharp => 2,
            Self::Lanczos3 => 3,
        }
    }
    /// Whether a result is one pixel.
    pub(crate) const fn picks(self) -> bool {
        matches!(self, Self::Nearest | Self::NearestFloor)
    }
    /// The kernel at a distance of `x >= 0`.
    fn at(self, x: f64) -> f64 {
        let keys = |a: f64| {
            if x < 1.0 {
                ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
            } else if x < 2.0 {
                a * (((x - 5.0) * x + 8.0) * x - 4.0)
            } else {
                0.0
            }
        };
        match self {
            Self::Bilinear => (1.0 - x).max(0.0),
            Self::Bicubic => keys(-0.5),
            Self::BicubicSharp => keys(-0.75),
            Self::Lanczos3 if x >= 3.0 => 0.0,
            Self::Lanczos3 if x < 1e-9 => 1.0,
            Self::Lanczos3 => {
                let t = core::f64::consts::PI * x;
                3.0 * libm::sin(t) * libm::sin(t / 3.0) / (t * t)
            }
            _ => 1.0,
        }
    }
}

/// Which resize: what a [`ResizePlan`] is made of.
///
/// With `antialias` a kernel is as many times wider as the image becomes smaller in its direction, what it covers beyond the edges is
/// left out, and its weights are divided by their sum: what Pillow does. Without, it is never wider, results read the pixel at the
/// edge beyond it, and a reduction leaves pixels out: what OpenCV does. Nearest and area do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Resize {
    /// Columns and rows of the source.
    pub from: [usize; 2],
    /// Columns and rows of the result.
    pub to: [usize; 2],
    /// The kernel.
    pub by: Interpolation,
    /// Whether the kernel becomes wider where the image becomes smaller.
    pub antialias: bool,
}

impl Resize {
    /// The resize of the chroma of a video frame in NV12 whose luma is resized by this: from half of the columns and rows, rounded up.
    #[must_use]
    pub const fn chroma(self) -> Self {
        let [width, height] = self.from;
        Self { from: [width.div_ceil(2), height.div_ceil(2)], ..self }
    }
    /// Spans that a plan needs: `to[0] + to[1]`.
    pub const fn spans(&self) -> usize {
        let [width, height] = self.to;
        width.saturating_add(height)
    }
    /// Weights that a plan for `W` needs; `usize::MAX` where no memory has as many.
    pub const fn weights<W: Weight>(&self) -> usize {
        let [x, y] = [self.axis(0), self.axis(1)];
        let [width, height] = self.to;
        x.room::<W>().saturating_mul(width).saturating_add(y.room::<W>().saturating_mul(height))
    }
    pub(super) const fn axis(&self, i: usize) -> Axis {
        let ([fw, fh], [tw, th]) = (self.from, self.to);
        let (n, m) = if i == 0 { (fw, tw) } else { (fh, th) };
        Axis { n: n as u64, m: m as u64, by: self.by, antialias: self.antialias }
    }
    fn check(&self) -> Result<(), Error> {
        for (arg, sizes) in [("from", self.from), ("to", self.to)] {
            for n in sizes {
                not_empty(arg, n)?;
                u32::try_from(n).map_err(|_| Error::overflow(arg))?;
            }
        }
        Ok(())
    }
}

/// One direction of a resize.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    n: u64,
    m: u64,
    by: Interpolation,
    antialias: bool,
}

impl Axis {
    /// The most pixels that a result is made of.
    const fn taps(&self) -> u64 {
        let m = self.m();
        let radius = self.by.radius() as u64;
        let most = match self.by {
            Interpolation::Nearest | Interpolation::NearestFloor => 1,
            Interpolation::Area => self.n.saturating_add(m - 1) / m + 1,
            _ if self.wide() => (2 * radius).saturating_mul(self.n) / m + 1,
            _ => 2 * radius,
        };
        if most < self.n { most } else { self.n }
    }
    /// The results, of which there is one at least.
    const fn m(&self) -> u64 {
        if self.m == 0 { 1 } else { self.m }
    }
    /// Weights from one result to the next.
    pub(super) const fn room<W: Weight>(&self) -> usize {
        // There may be one more: a span begins at an even pixel, with a weight of 0 where the kernel begins at an odd one.
        let taps = (self.taps() as usize).saturating_add(W::EXACT as usize);
        taps.saturating_add((W::GROUP - taps % W::GROUP) % W::GROUP)
    }
    /// The pixels that result `o` is made of.
    fn span(&self, o: u64) -> [u64; 2] {
        let (n, m) = (self.n, self.m());
        let one = |i: u64| [i, i + 1];
        match self.by {
            Interpolation::Nearest => one((2 * o + 1) * n / 2 / m),
            Interpolation::NearestFloor => one(o * n / m),
            Interpolation::Area => [o * n / m, ((o + 1) * n).div_ceil(m)],
            by => {
                let (centre, reach) = (self.centre(o), f64::from(by.radius()) * self.scale());
                let from = libm::floor(centre - reach - 0.5) + 1.0;
                let to = libm::ceil(centre + reach - 0.5);
                [(from.max(0.0) as u64).min(n - 1), (to.max(1.0) as u64).min(n)]
            }
        }
    }
    fn centre(&self, o: u64) -> f64 {
        (2 * o + 1) as f64 * self.n as f64 / (2 * self.m) as f64
    }
    fn scale(&self) -> f64 {
        if self.wide() { self.n as f64 / self.m as f64 } else { 1.0 }
    }
    /// The weight of pixel `j` of the span of result `o`, before all are divided by their sum.
    fn weight(&self, o: u64, j: u64) -> f64 {
        let Self { n, m, by, .. } = *self;
        match by {
            Interpolation::Nearest | Interpolation::NearestFloor => 1.0,
            // The overlap of both, `n·m` being the length of the line.
            Interpolation::Area => (((j + 1) * m).min((o + 1) * n) as f64) - ((j * m).max(o * n) as f64),
            _ => {
                let (centre, scale) = (self.centre(o), self.scale());
                let at = |j: f64| by.at((j + 0.5 - centre).abs() / scale);
                let mut sum = at(j as f64);
                if !self.antialias {
                    // Places beyond an edge have its pixel.
                    for k in 1..=u64::from(by.radius()) {
                        if j == 0 {
                            sum += at(-(k as f64));
                        }
                        if j + 1 == n {
                            sum += at((n - 1 + k) as f64);
                        }
                    }
                }
                sum
            }
        }
    }
    /// Whether the kernel is wider than one of an image of the same size.
    const fn wide(&self) -> bool {
        self.antialias && self.n > self.m
    }
}

/// What weights are stored as: `i16` for `u8`, with a sum that is exact, and `f32`.
pub trait Weight: Plain + Default + Sealed {
    /// Weights that are read together.
    #[doc(hidden)]
    const GROUP: usize;
    /// Whether sums of weights are exact.
    #[doc(hidden)]
    const EXACT: bool;
    /// The bits behind the point, for weights of at most this magnitude.
    #[doc(hidden)]
    fn bits(largest: f64, most: u32) -> u32;
    /// The weight from one sum of weights to the next, of which the last is 1.
    #[doc(hidden)]
    fn between(before: f64, weight: f64, bits: u32) -> Self;
    /// The weight as a word of 32 bits, as device kernels read it.
    #[doc(hidden)]
    fn word(self) -> u32;
}

impl Weight for i16 {
    const GROUP: usize = 8;
    const EXACT: bool = true;
    fn bits(largest: f64, most: u32) -> u32 {
        let fits = |bits: &u32| largest * f64::from(1u32 << bits) < 32766.0;
        (14..=most).rev().find(fits).unwrap_or(14)
    }
    fn between(before: f64, weight: f64, bits: u32) -> Self {
        let unit = f64::from(1u32 << bits);
        // Sums are rounded, so that the last one, 1, is exact.
        (libm::rint((before + weight) * unit) - libm::rint(before * unit)) as Self
    }
    fn word(self) -> u32 {
        i32::from(self).cast_unsigned()
    }
}

impl Weight for f32 {
    const GROUP: usize = 1;
    const EXACT: bool = false;
    fn bits(_: f64, _: u32) -> u32 {
        0
    }
    fn between(_: f64, weight: f64, _: u32) -> Self {
        weight as Self
    }
    fn word(self) -> u32 {
        self.to_bits()
    }
}

/// The weights of a [`Resize`] in the caller's memory: made once, used for any number of images of the size.
///
/// ```
/// use fulmen::image::{Interpolation, Resize, ResizePlan};
/// const HALF: Resize = Resize { from: [640, 480], to: [320, 240], by: Interpolation::Bilinear, antialias: true };
/// let (mut spans, mut weights) = ([[0; 2]; HALF.spans()], [0i16; HALF.weights::<i16>()]);
/// let plan = ResizePlan::new(HALF, &mut spans, &mut weights)?;
/// assert_eq!(plan.resize(), HALF);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ResizePlan<'a, W> {
    resize: Resize,
    spans: &'a [[u32; 2]],
    weights: &'a [W],
    bits: [u32; 2],
}

/// The plan of one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a, W> {
    /// The first pixel and the number of pixels, for each result.
    pub(crate) spans: &'a [[u32; 2]],
    /// `room` weights for each result; those that it does not use are 0.
    pub(crate) weights: &'a [W],
    pub(crate) room: usize,
    /// The fractional bits of the weights.
    pub(crate) bits: u32,
}

impl<'a, W: Weight> ResizePlan<'a, W> {
    /// The plan in `spans`, of [`Resize::spans`], and `weights`, of [`Resize::weights`].
    ///
    /// Weights are computed in `f64`. Those of `i16` have 14 bits behind the point, and more where all are small, at most 21 for
    /// rows and 15 for columns; each is off by less than one unit, and the sum of those of a result is exactly 1.
    ///
    /// Errors: [`Error::Empty`] names `from` or `to` when one of its sizes is 0, [`Error::Overflow`] when one does not fit 32 bits,
    /// [`Error::Len`] `spans` or `weights`.
    pub fn new(resize: Resize, spans: &'a mut [[u32; 2]], weights: &'a mut [W]) -> Result<Self, Error> {
        resize.check()?;
        same_len("spans", resize.spans(), spans.len())?;
        same_len("weights", resize.weights::<W>(), weights.len())?;
        let [width, _] = resize.to;
        let [x, y] = [resize.axis(0), resize.axis(1)];
        let of_x = x.room::<W>().saturating_mul(width).min(weights.len());
        let (sx, sy) = spans.split_at_mut(width.min(spans.len()));
        let (wx, wy) = weights.split_at_mut(of_x);
        // 32 bits hold every sum: of bytes, and of what rows leave with six bits behind the point.
        let bits = [fill(x, sx, wx, 15, W::EXACT && !x.by.picks()), fill(y, sy, wy, 21, false)];
        Ok(Self { resize, spans, weights, bits })
    }
    /// What the plan was made of.
    pub const fn resize(&self) -> Resize {
        self.resize
    }
    /// The plan of the columns, and that of the rows.
    pub(crate) fn lines(&self) -> [Line<'a, W>; 2] {
        let [width, _] = self.resize.to;
        let [rx, ry] = [0, 1].map(|i| self.resize.axis(i).room::<W>());
        let (sx, sy) = self.spans.split_at_checked(width).unwrap_or_default();
        let (wx, wy) = self.weights.split_at_checked(rx.saturating_mul(width)).unwrap_or_default();
        let [bx, by] = self.bits;
        [
            Line { spans: sx, weights: wx, room: rx, bits: bx },
            Line { spans: sy, weights: wy, room: ry, bits: by },
        ]
    }
}

/// Computes the spans and weights of one direction, and returns the number of fractional bits. With `even` each span begins at an even pixel,
/// with a weight of 0 where the kernel begins at an odd one.
fn fill<W: Weight>(axis: Axis, spans: &mut [[u32; 2]], weights: &mut [W], most: u32, even: bool) -> u32 {
    let mut largest = 0.0f64;
    for (o, to) in spans.iter_mut().enumerate() {
        let o = o as u64;
        let [from, end] = axis.span(o);
        let one = |j| axis.weight(o, j);
        let sum: f64 = (from..end).map(one).sum();
        largest = (from..end).map(one).fold(largest, |most, w| most.max((w / sum).abs()));
        *to = [from as u32, (end - from) as u32];
    }
    let bits = W::bits(largest, most);
    let room = axis.room::<W>().max(1);
    for ((o, span), to) in spans.iter_mut().enumerate().zip(weights.chunks_mut(room)) {
        let [from, count] = *span;
        let before = usize::from(even && from % 2 == 1);
        *span = [from - before as u32, count + before as u32];
        let (o, from) = (o as u64, u64::from(from));
        let end = from + u64::from(count);
        let sum: f64 = (from..end).map(|j| axis.weight(o, j)).sum();
        to.fill(W::default());
        let to = to.iter_mut().skip(before);
        let mut before = 0.0;
        for (j, to) in (from..end).zip(to) {
            let last = j + 1 == end;
            let weight = axis.weight(o, j) / sum;
            // The last sum is 1, whatever the others' rounding.
            let exact = if last && W::EXACT { 1.0 - before } else { weight };
            *to = W::between(before, exact, bits);
            before += weight;
        }
    }
    bits
}
