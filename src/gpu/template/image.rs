//! Kernels for images. A thread writes one word of the result, which holds one to four elements, as WGSL stores nothing smaller than
//! 32 bits. The kernels leave unchanged the elements between rows, and the elements beside the image in its first and last word.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::types::{F32, Pred, S32, U32, U64};
use super::flat::{each, get, put};
use alloc::format;
use alloc::string::String;
use alloc::vec;

/// The element type of an image, by the number of elements in a word of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PixelType {
    /// Four bytes.
    U8,
    /// Two numbers of 16 bits.
    U16,
    /// One number of 32 bits, an integer or a float.
    U32,
}

impl PixelType {
    /// The type whose elements have this many bytes.
    #[must_use]
    pub const fn of(bytes: usize) -> Self {
        match bytes {
            1 => Self::U8,
            2 => Self::U16,
            _ => Self::U32,
        }
    }

    /// The base-2 logarithm of the number of elements in a word.
    #[must_use]
    pub const fn shift(self) -> u32 {
        match self {
            Self::U8 => 2,
            Self::U16 => 1,
            Self::U32 => 0,
        }
    }

    /// Reads element `i` of the image at `x`, whose first word begins with `before` elements that are not part of the image.
    fn get<'b>(self, x: Value<'b, U64>, before: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
        let (b, e) = (x.builder(), i + before);
        match self {
            Self::U32 => get(x, e),
            _ => self.take(get(x, e >> b.int(self.shift().into())), e & b.int((1 << self.shift()) - 1)),
        }
    }

    /// Extracts element `k` of a word.
    fn take<'b>(self, word: Value<'b, U32>, k: Value<'b, U32>) -> Value<'b, U32> {
        let b = word.builder();
        match self {
            Self::U8 => (word >> (k << b.int(3))) & b.int(0xff),
            Self::U16 => (word >> (k << b.int(4))) & b.int(0xffff),
            Self::U32 => word,
        }
    }
}

/// The number of parameters that describe the layout of the result and of the source. They follow the buffers in every kernel of this
/// file, and have 32 bits each. Of the result: the words that hold it, the elements before it in the first word, the elements from its
/// first to its last one, its stride (from row to row), the elements of a row, and the channels. Of the source: the elements before it
/// in its first word, and its stride.
pub const LAYOUT_PARAMS: usize = 8;

/// The builder of a kernel, and the arguments that all kernels of this file have: the source, the result, and their layout.
struct Args<'b> {
    b: &'b Builder,
    x: Value<'b, U64>,
    out: Value<'b, U64>,
    words: Value<'b, U32>,
    before: Value<'b, U32>,
    span: Value<'b, U32>,
    stride: Value<'b, U32>,
    row: Value<'b, U32>,
    channels: Value<'b, U32>,
    before_x: Value<'b, U32>,
    stride_x: Value<'b, U32>,
}

/// The row, column and channel of an element of the result.
#[derive(Clone, Copy)]
struct Position<'b> {
    y: Value<'b, U32>,
    x: Value<'b, U32>,
    c: Value<'b, U32>,
}

impl<'b> Args<'b> {
    /// Declares the parameters: the source, `MORE` buffers, the result, and [`LAYOUT_PARAMS`].
    fn new<const MORE: usize>(b: &'b Builder) -> (Self, [Value<'b, U64>; MORE]) {
        Self::after_source(b, b.param::<U64>())
    }

    /// As [`Args::new`], where the caller has declared the source `x`.
    fn after_source<const MORE: usize>(b: &'b Builder, x: Value<'b, U64>) -> (Self, [Value<'b, U64>; MORE]) {
        let more = b.params::<U64, MORE>();
        let out = b.param::<U64>();
        let [words, before, span, stride, row, channels, before_x, stride_x] =
            b.params::<U32, LAYOUT_PARAMS>();
        (Self { b, x, out, words, before, span, stride, row, channels, before_x, stride_x }, more)
    }

    /// Writes `element(position)` to each element of the result. A thread computes the elements of its word one after the other; where
    /// `unrolled` is set, that loop is unrolled.
    fn write(&self, to: PixelType, unrolled: bool, element: impl FnOnce(Position<'b>) -> Value<'b, U32>) {
        let b = self.b;
        let [zero, one, shift] = [0, 1, to.shift().into()].map(|n| b.int::<U32>(n));
        let many = b.int(1 << to.shift());
        each(b, self.words, |word| {
            let unroll = if unrolled { 0 } else { 1 };
            let new = b.count::<U32, U32>([zero, many, one], unroll, &[zero], |k, sum| {
                // For the elements before the first one this wraps around, to an index past the last one.
                let e = (word << shift) + k - self.before;
                let y = e / self.stride;
                let within = e - y * self.stride;
                let x = within / self.channels;
                let at = Position { y, x, c: within - x * self.channels };
                let inside = e.compare(Cmp::Lt, self.span) & within.compare(Cmp::Lt, self.row);
                let [v] = b.either(inside, || [element(at)], || [to.take(get(self.out, word), k)]);
                let place = match to {
                    PixelType::U8 => v << (k << b.int(3)),
                    PixelType::U16 => v << (k << b.int(4)),
                    PixelType::U32 => v,
                };
                sum.iter().map(|sum| *sum | place).collect()
            });
            for new in new {
                put(self.out, word, new);
            }
        });
    }

    /// Reads element `i` of the source.
    fn read(&self, of: PixelType, i: Value<'b, U32>) -> Value<'b, U32> {
        of.get(self.x, self.before_x, i)
    }
}

/// Copies elements with strides: the element of row `y`, column `x` and channel `c` is element `start + y·down + x·right + c` of the source,
/// modulo 2³². Parameters: [`LAYOUT_PARAMS`], `start`, `down`, `right`, and 1 to exchange the first and the third channel, else 0.
pub fn copy_strided(of: PixelType) -> Result<Kernel, Error> {
    let b = Builder::new("image_copy");
    let (args, []) = Args::new(&b);
    let [start, down, right, exchanged] = b.params::<U32, 4>();
    args.write(of, true, |at| {
        let two = b.int(2);
        let other = exchanged.compare(Cmp::Ne, b.int(0)) & at.c.compare(Cmp::Le, two);
        let c = Value::select(other, two - at.c, at.c);
        args.read(of, start + at.y * down + at.x * right + c)
    });
    b.finish()
}

/// Compares bytes with a threshold. A byte `p` becomes `(p & keep) | add`, with one pair of masks above the threshold and another elsewhere.
/// Parameters: [`LAYOUT_PARAMS`], the threshold, `keep` and `add` above it, `keep` and `add` elsewhere.
pub fn threshold() -> Result<Kernel, Error> {
    let b = Builder::new("threshold_image");
    let (args, []) = Args::new(&b);
    let [level, keep, add, keep_other, add_other] = b.params::<U32, 5>();
    args.write(PixelType::U8, true, |at| {
        let p = args.read(PixelType::U8, at.y * args.stride_x + at.x * args.channels + at.c);
        let above = p.compare(Cmp::Gt, level);
        Value::select(above, (p & keep) | add, (p & keep_other) | add_other)
    });
    b.finish()
}

/// Converts colours to grey levels. Parameters: [`LAYOUT_PARAMS`], the channels of the source, the weights of red, green and blue.
pub fn grey() -> Result<Kernel, Error> {
    let b = Builder::new("grey");
    let (args, []) = Args::new(&b);
    let [channels, red, green, blue] = b.params::<U32, 4>();
    args.write(PixelType::U8, true, |at| {
        let from = at.y * args.stride_x + at.x * channels;
        let part = |c: i64, weight| args.read(PixelType::U8, from + b.int(c)) * weight;
        (part(0, red) + part(1, green) + part(2, blue) + b.int(1 << 14)) >> b.int(15)
    });
    b.finish()
}

/// `⌊a/d + 1/2⌋`, computed as `⌊(2a + d)/(2d)⌋`. Where `d` is 0, `a` is 0, too, and the result is 0.
fn rounded<'b>(a: Value<'b, U32>, d: Value<'b, U32>) -> Value<'b, U32> {
    let d = d.most(d.builder().int(1));
    (a + a + d) / (d + d)
}

/// Converts RGB to hue, saturation and value. Parameters: [`LAYOUT_PARAMS`]. Integer divisions round the quotients exactly.
pub fn hsv() -> Result<Kernel, Error> {
    let b = Builder::new("rgb_to_hsv");
    let (args, []) = Args::new(&b);
    args.write(PixelType::U8, false, |at| {
        let int = |n: i64| b.int::<U32>(n);
        let from = at.y * args.stride_x + at.x * int(3);
        let [red, green, blue] = [0, 1, 2].map(|c| args.read(PixelType::U8, from + int(c)));
        let value = red.most(green).most(blue);
        let chroma = value - red.least(green).least(blue);
        let (is_red, is_green) = (red.compare(Cmp::Eq, value), green.compare(Cmp::Eq, value));
        let pick = |r, g, b| Value::select(is_red, r, Value::select(is_green, g, b));
        let (first, second) = (pick(green, blue, red), pick(blue, red, green));
        // A full turn, 180, is added, so that nothing is negative.
        let base = pick(int(180), int(240), int(300)) * chroma.most(int(1));
        let hue = rounded(base + first * int(30) - second * int(30), chroma);
        let hue = Value::select(hue.compare(Cmp::Ge, int(180)), hue - int(180), hue);
        let saturation = rounded(chroma * int(255), value);
        let channel = |c: i64| at.c.compare(Cmp::Eq, int(c));
        Value::select(channel(0), hue, Value::select(channel(1), saturation, value))
    });
    b.finish()
}

/// Converts NV12 to RGB. Buffers: luma, chroma, the result. Parameters: [`LAYOUT_PARAMS`], the elements before chroma in its first word, the
/// stride of chroma, the level of black, and the factors: of luma, of V for red, of U and of V for green, of U for blue.
pub fn nv12() -> Result<Kernel, Error> {
    let b = Builder::new("nv12_to_rgb");
    let (args, [chroma]) = Args::new(&b);
    let [before, stride, black, luma, red, green, green_of_v, blue] = b.params::<U32, 8>();
    args.write(PixelType::U8, false, |at| {
        let (int, one) = (|n: i64| b.int::<U32>(n), b.int::<U32>(1));
        let level = args.read(PixelType::U8, at.y * args.stride_x + at.x);
        let pair = (at.y >> one) * stride + ((at.x >> one) << one);
        let shade = |k: i64| PixelType::U8.get(chroma, before, pair + int(k)) - int(128);
        let channel = |c: i64| at.c.compare(Cmp::Eq, int(c));
        let pick = |r, g, b| Value::select(channel(0), r, Value::select(channel(1), g, b));
        let none = int(0);
        let (of_u, of_v) = (pick(none, green, blue), pick(red, green_of_v, none));
        // The sums are modulo 2³². 1024 is added to the level (2³⁰ before the shift), so that no sum is negative.
        let sum = luma * (level - black) + of_u * shade(0) + of_v * shade(1) + int((1 << 19) + (1 << 30));
        (sum >> int(20)).most(int(1024)).least(int(1024 + 255)) - int(1024)
    });
    b.finish()
}

/// The value of an element beyond the edges of the source, as [`Border`](crate::image::Border) has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BorderMode {
    /// A constant.
    Constant,
    /// The nearest element, which is at the edge.
    Clamp,
    /// The element of the mirrored image (both kinds of reflection, which differ in the period).
    Mirror,
    /// The element of the repeated image.
    Wrap,
}

/// `a` modulo `d`. The WGSL backend has no instruction for it.
fn modulo<'b>(a: Value<'b, U32>, d: Value<'b, U32>) -> Value<'b, U32> {
    a - a / d * d
}

/// An axis of the source: its length `n`; `half`, the elements of a window before its centre; `shift`, the number that is added to the
/// first index of a window so that it is not negative, and is the same modulo the border's period; and that period, of a mirror half of it.
#[derive(Clone, Copy)]
struct Axis<'b> {
    n: Value<'b, U32>,
    half: Value<'b, U32>,
    shift: Value<'b, U32>,
    period: Value<'b, U32>,
}

/// The number of parameters of an axis of the source: its length, the elements of a window before its centre, the shift, the period.
pub const AXIS_PARAMS: usize = 4;

impl<'b> Axis<'b> {
    fn new(b: &'b Builder) -> Self {
        let [n, half, shift, period] = b.params::<U32, AXIS_PARAMS>();
        Self { n, half, shift, period }
    }

    /// The index of the source for position `j - half`, and for a constant border whether the position is inside the source.
    fn place(self, mode: BorderMode, j: Value<'b, U32>) -> (Option<Value<'b, Pred>>, Value<'b, U32>) {
        let last = self.n - j.builder().int(1);
        match mode {
            BorderMode::Constant => {
                let at = j - self.half;
                (Some(at.compare(Cmp::Lt, self.n)), at)
            }
            BorderMode::Clamp => (None, (j.most(self.half) - self.half).least(last)),
            BorderMode::Mirror => {
                let at = modulo(j + self.shift, self.period + self.period);
                let first = at.compare(Cmp::Lt, self.period);
                (None, Value::select(first, at, last - (at - self.period)))
            }
            BorderMode::Wrap => (None, modulo(j + self.shift, self.period)),
        }
    }
}

/// The reduction over the elements of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// The smallest byte.
    Least,
    /// The largest byte.
    Most,
    /// The sum of bytes, in 32 bits.
    Sum,
    /// The mean of a box from the sums of its rows, as a byte, rounded half up.
    Mean,
}

/// Reduces windows along one axis. Parameters: [`LAYOUT_PARAMS`]; an axis ([`AXIS_PARAMS`]); 1 where windows run along rows (over columns), 0 where they run
/// along columns; the strides of the source along the axis, for a row of the result, and for a column of the result; the size of the
/// window; the constant of the border; the divisor of means.
pub fn window(fold: Fold, mode: BorderMode) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("image_window_{fold:?}_{mode:?}"));
    let (args, []) = Args::new(&b);
    let axis = Axis::new(&b);
    let [columns, step, down, right, size, value, area] = b.params::<U32, 7>();
    let (from, to) = match fold {
        Fold::Least | Fold::Most => (PixelType::U8, PixelType::U8),
        Fold::Sum => (PixelType::U8, PixelType::U32),
        Fold::Mean => (PixelType::U32, PixelType::U8),
    };
    args.write(to, false, |at| {
        let first = Value::select(columns.compare(Cmp::Ne, b.int(0)), at.x, at.y);
        let across = at.y * down + at.x * right + at.c;
        let start = b.int(if fold == Fold::Least { 255 } else { 0 });
        let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
        let found = b.count::<U32, U32>([zero, size, one], 1, &[start], |k, so_far| {
            let (inside, place) = axis.place(mode, first + k);
            let load = || args.read(from, across + place * step);
            let p = match inside {
                Some(inside) => {
                    let [p] = b.either(inside, || [load()], || [value]);
                    p
                }
                None => load(),
            };
            so_far
                .iter()
                .map(|v| match fold {
                    Fold::Least => v.least(p),
                    Fold::Most => v.most(p),
                    Fold::Sum | Fold::Mean => *v + p,
                })
                .collect()
        });
        let found = found.first().copied().unwrap_or(start);
        if fold == Fold::Mean { (found + (area >> one)) / area } else { found }
    });
    b.finish()
}

/// Reads the neighbours of an element in both axes, with the border beyond the edges.
struct Neighbours<'a, 'b> {
    args: &'a Args<'b>,
    of: PixelType,
    mode: BorderMode,
    axes: [Axis<'b>; 2],
    value: Value<'b, U32>,
}

impl<'b> Neighbours<'_, 'b> {
    /// Reads the element in column `j` and row `k` of the window around `at`.
    fn get(&self, at: Position<'b>, [j, k]: [Value<'b, U32>; 2]) -> Value<'b, U32> {
        let [columns, rows] = self.axes;
        let (inside_x, x) = columns.place(self.mode, at.x + j);
        let (inside_y, y) = rows.place(self.mode, at.y + k);
        let load = || self.args.read(self.of, y * self.args.stride_x + x * self.args.channels + at.c);
        match (inside_x, inside_y) {
            (Some(p), Some(q)) => {
                let [v] = self.args.b.either(p & q, || [load()], || [self.value]);
                v
            }
            _ => load(),
        }
    }
}

/// Medians of bytes. Parameters: [`LAYOUT_PARAMS`], both axes, the size of the window, the constant of the border. The median is the largest byte
/// for which at most half of the elements of the window are smaller; the kernel finds it bit by bit.
pub fn median(mode: BorderMode) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("median_{mode:?}"));
    let (args, []) = Args::new(&b);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let [size, value] = b.params::<U32, 2>();
    let neighbours = Neighbours { args: &args, of: PixelType::U8, mode, axes, value };
    args.write(PixelType::U8, false, |at| {
        let [zero, one, eight, top] = [0, 1, 8, 128].map(|n| b.int::<U32>(n));
        let half = (size * size) >> one;
        let found = b.count::<U32, U32>([zero, eight, one], 1, &[zero], |bit, so_far| {
            let least = so_far.first().copied().unwrap_or(zero);
            let next = least | (top >> bit);
            let below = b.count::<U32, U32>([zero, size, one], 1, &[zero], |k, below| {
                b.count::<U32, U32>([zero, size, one], 1, below, |j, below| {
                    let less = neighbours.get(at, [j, k]).compare(Cmp::Lt, next);
                    below.iter().map(|n| *n + Value::select(less, one, zero)).collect()
                })
            });
            let below = below.first().copied().unwrap_or(zero);
            vec![Value::select(below.compare(Cmp::Le, half), next, least)]
        });
        found.first().copied().unwrap_or(zero)
    });
    b.finish()
}

/// A Sobel derivative of bytes, as signed 16-bit numbers, or of floats, along rows or `downwards`. Parameters: [`LAYOUT_PARAMS`], both axes, the
/// constant of the border.
pub fn sobel(of: PixelType, downwards: bool, mode: BorderMode) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("sobel_{of:?}_{downwards}_{mode:?}"));
    let (args, []) = Args::new(&b);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let value = b.param::<U32>();
    let neighbours = Neighbours { args: &args, of, mode, axes, value };
    let to = if of == PixelType::U8 { PixelType::U16 } else { PixelType::U32 };
    args.write(to, false, |at| {
        // The two elements of a central difference, in line `across` (0 to 2) of the three that are parallel to the derivative.
        let pair = |across: i64| {
            [0, 2].map(|along: i64| {
                let [j, k] = if downwards { [across, along] } else { [along, across] };
                neighbours.get(at, [b.int(j), b.int(k)])
            })
        };
        if of == PixelType::U8 {
            let [first, middle, last] = [0, 1, 2].map(|k| {
                let [low, high] = pair(k);
                high - low
            });
            ((first + last) + (middle + middle)) & b.int(0xffff)
        } else {
            let [first, middle, last] = [0, 1, 2].map(|k| {
                let [low, high] = pair(k).map(|p| p.cast::<F32>());
                high - low
            });
            ((first + last) + (middle + middle)).cast()
        }
    });
    b.finish()
}

/// Nearest-neighbour resizing. Buffers: the source, spans, the result. Parameters: [`LAYOUT_PARAMS`], the index of the first span of the rows.
/// A span is a pair: the index of its first source pixel along the axis, and its number of pixels.
pub fn nearest(of: PixelType) -> Result<Kernel, Error> {
    let b = Builder::new("image_nearest");
    let (args, [spans]) = Args::new(&b);
    let rows = b.param::<U32>();
    args.write(of, true, |at| {
        let one = b.int(1);
        let (x, y) = (get::<U32>(spans, at.x << one), get::<U32>(spans, (rows + at.y) << one));
        args.read(of, y * args.stride_x + x * args.channels + at.c)
    });
    b.finish()
}

/// The pass of a separable filter or resize: the elements that are weighted, and the rounding of their sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterPass {
    /// Sums of bytes along columns, with weights in fixed point, rounded half up to signed 16-bit numbers.
    ByteColumns,
    /// Sums of the results of [`Self::ByteColumns`] along rows, rounded half up and clipped to bytes.
    ByteRows,
    /// Sums of floats along columns, added in order.
    FloatColumns,
    /// Sums of the results of [`Self::FloatColumns`] along rows, added in order.
    FloatRows,
}

impl FilterPass {
    /// `sum + p·weight`.
    fn add<'b>(self, sum: Value<'b, U32>, p: Value<'b, U32>, weight: Value<'b, U32>) -> Value<'b, U32> {
        match self {
            Self::FloatColumns | Self::FloatRows => {
                (sum.cast::<F32>() + p.cast::<F32>() * weight.cast()).cast()
            }
            _ => sum + p * weight,
        }
    }

    /// Rounds a sum of fixed-point products to `shift` fewer bits; sums of floats stay.
    fn round<'b>(self, sum: Value<'b, U32>, shift: Value<'b, U32>) -> Value<'b, U32> {
        let b = sum.builder();
        let half = (b.int::<U32>(1) << shift) >> b.int(1);
        match self {
            Self::FloatColumns | Self::FloatRows => sum,
            Self::ByteColumns => ((sum + half).cast::<S32>() >> shift).cast(),
            Self::ByteRows => ((sum + half).cast::<S32>() >> shift).most(b.int(0)).least(b.int(255)).cast(),
        }
    }
}

/// One pass of a separable filter (`mode` is its border) or of a resize (`mode` is `None`). Buffers: the source, the weights as words of
/// 32 bits, for a resize the spans, the result. Parameters: [`LAYOUT_PARAMS`]; 1 where sums run along rows, 0 where they run along columns; the
/// strides of the source along the sums, for a row of the result, and for a column of the result; the bits that rounding removes. A filter
/// adds an axis ([`AXIS_PARAMS`]), the number of weights, and the constant of the border; a resize adds the first span, the first weight, and the
/// stride from the weights of one result to those of the next.
pub fn weighted_sum(
    of: FilterPass,
    source: PixelType,
    to: PixelType,
    mode: Option<BorderMode>,
) -> Result<Kernel, Error> {
    let reads = mode.map_or_else(|| String::from("Spans"), |mode| format!("{mode:?}"));
    let b = Builder::new(&format!("image_weighted_{of:?}_{source:?}_{to:?}_{reads}"));
    let x = b.param::<U64>();
    let weights = b.param::<U64>();
    let spans = if mode.is_none() { Some(b.param::<U64>()) } else { None };
    let (args, []) = Args::after_source(&b, x);
    let [along, step, down, right, shift] = b.params::<U32, 5>();
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    let first_of = |at: Position<'_>| {
        Value::select(along.compare(Cmp::Ne, zero), b.typed::<U32>(at.x.id()), b.typed(at.y.id()))
    };
    let across = |at: Position<'_>| {
        b.typed::<U32>(at.y.id()) * down + b.typed::<U32>(at.x.id()) * right + b.typed(at.c.id())
    };
    match (mode, spans) {
        (None, Some(spans)) => {
            let [first_span, first_weight, weight_stride] = b.params::<U32, 3>();
            args.write(to, false, |at| {
                let (place, across) = (first_of(at), across(at));
                let span = (first_span + place) << one;
                let (from, count) = (get::<U32>(spans, span), get::<U32>(spans, span + one));
                let start = first_weight + place * weight_stride;
                let sum = b.count::<U32, U32>([zero, count, one], 1, &[zero], |k, sum| {
                    let p = args.read(source, across + (from + k) * step);
                    sum.iter().map(|sum| of.add(*sum, p, get(weights, start + k))).collect()
                });
                of.round(sum.first().copied().unwrap_or(zero), shift)
            });
        }
        (Some(mode), _) => {
            let axis = Axis::new(&b);
            let [size, value] = b.params::<U32, 2>();
            args.write(to, false, |at| {
                let (first, across) = (first_of(at), across(at));
                // Along columns, the products before and behind the image have sums of their own, as on a CPU, so that the bits agree.
                let separate = mode == BorderMode::Constant
                    && matches!(of, FilterPass::ByteColumns | FilterPass::FloatColumns);
                let none = [zero; 3];
                let parts = if separate { &none[..] } else { &none[..1] };
                let sums = b.count::<U32, U32>([zero, size, one], 1, parts, |k, sums| {
                    let weight = get::<U32>(weights, k);
                    let (inside, place) = axis.place(mode, first + k);
                    let load = || args.read(source, across + place * step);
                    let p = match inside {
                        Some(inside) => {
                            let [p] = b.either(inside, || [load()], || [value]);
                            p
                        }
                        None => load(),
                    };
                    match (sums, inside) {
                        ([within, before, behind], Some(inside)) => {
                            let left = (first + k).compare(Cmp::Lt, axis.half);
                            let new = |sum: &Value<'_, U32>| of.add(b.typed(sum.id()), p, weight);
                            let keep = |p, new, old| Value::select(p, new, old);
                            vec![
                                keep(inside, new(within), *within),
                                keep(left, new(before), *before),
                                keep(!inside & !left, new(behind), *behind),
                            ]
                        }
                        _ => sums.iter().map(|sum| of.add(*sum, p, weight)).collect(),
                    }
                });
                match sums[..] {
                    [within, before, behind] if of == FilterPass::FloatColumns => {
                        let beyond = before.cast::<F32>() + behind.cast::<F32>();
                        let all = within.cast::<F32>() + beyond;
                        let last = first + size - one;
                        let inside =
                            first.compare(Cmp::Ge, axis.half) & last.compare(Cmp::Lt, axis.half + axis.n);
                        Value::select(inside, within, all.cast())
                    }
                    [within, before, behind] => {
                        let [within, before, behind] =
                            [within, before, behind].map(|sum| of.round(sum, shift).cast::<S32>());
                        let clip = |x: Value<'_, S32>| {
                            let x = b.typed::<S32>(x.id());
                            x.most(b.int(-32768)).least(b.int(32767))
                        };
                        clip(within + clip(before + behind)).cast()
                    }
                    [sum, ..] => of.round(sum, shift),
                    [] => zero,
                }
            });
        }
        (None, None) => {}
    }
    b.finish()
}
