//! Images: a thread writes a word of the result, of one to four elements, as WGSL writes nothing smaller. What lies between rows,
//! and beside the image in its first and last word, stays.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::types::{F32, Pred, S32, U32, U64};
use super::flat::{each, get, put};
use alloc::format;
use alloc::string::String;
use alloc::vec;

/// How the elements of an image lie in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packed {
    /// Four bytes.
    U8,
    /// Two numbers of 16 bits.
    U16,
    /// One number of 32 bits, a float or not.
    U32,
}

impl Packed {
    /// Of elements of so many bytes.
    #[must_use]
    pub const fn of(bytes: usize) -> Self {
        match bytes {
            1 => Self::U8,
            2 => Self::U16,
            _ => Self::U32,
        }
    }

    /// The elements of a word are two to the power of this.
    #[must_use]
    pub const fn shift(self) -> u32 {
        match self {
            Self::U8 => 2,
            Self::U16 => 1,
            Self::U32 => 0,
        }
    }

    /// Element `i` of `x`, of which `before` lie in its first word before the first one.
    fn get<'b>(self, x: Value<'b, U64>, before: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
        let (b, e) = (x.builder(), i + before);
        match self {
            Self::U32 => get(x, e),
            _ => self.take(get(x, e >> b.int(self.shift().into())), e & b.int((1 << self.shift()) - 1)),
        }
    }

    /// Element `k` of a word.
    fn take<'b>(self, word: Value<'b, U32>, k: Value<'b, U32>) -> Value<'b, U32> {
        let b = word.builder();
        match self {
            Self::U8 => (word >> (k << b.int(3))) & b.int(0xff),
            Self::U16 => (word >> (k << b.int(4))) & b.int(0xffff),
            Self::U32 => word,
        }
    }
}

/// The words that follow the buffers in the parameters of every kernel here: of the result, the words that it lies in, elements
/// before it in the first, elements from its first to its last one, from row to row, of a row and of a pixel; then elements of the
/// source before it in its first word, and from row to row.
pub const PLACE: usize = 8;

/// What a kernel writes, and where its source lies.
struct Work<'b> {
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

/// An element of the result: its row, column and channel.
#[derive(Clone, Copy)]
struct At<'b> {
    y: Value<'b, U32>,
    x: Value<'b, U32>,
    c: Value<'b, U32>,
}

impl<'b> Work<'b> {
    /// Of a kernel whose parameters begin with the source, `MORE` buffers, the result.
    fn new<const MORE: usize>(b: &'b Builder) -> (Self, [Value<'b, U64>; MORE]) {
        Self::behind(b, b.param::<U64>())
    }

    /// As [`Work::new`], of this source.
    fn behind<const MORE: usize>(b: &'b Builder, x: Value<'b, U64>) -> (Self, [Value<'b, U64>; MORE]) {
        let more = b.params::<U64, MORE>();
        let out = b.param::<U64>();
        let [words, before, span, stride, row, channels, before_x, stride_x] = b.params::<U32, PLACE>();
        (Self { b, x, out, words, before, span, stride, row, channels, before_x, stride_x }, more)
    }

    /// Writes what `element` gives for each element; a thread takes those of a word one after the other, in copies of the code where
    /// they are `unrolled`.
    fn write(&self, to: Packed, unrolled: bool, element: impl FnOnce(At<'b>) -> Value<'b, U32>) {
        let b = self.b;
        let [zero, one, shift] = [0, 1, to.shift().into()].map(|n| b.int::<U32>(n));
        let many = b.int(1 << to.shift());
        each(b, self.words, |word| {
            let unroll = if unrolled { 0 } else { 1 };
            let new = b.count::<U32, U32>([zero, many, one], unroll, &[zero], |k, sum| {
                // Before the first element this wraps to what is past the last one.
                let e = (word << shift) + k - self.before;
                let y = e / self.stride;
                let within = e - y * self.stride;
                let x = within / self.channels;
                let at = At { y, x, c: within - x * self.channels };
                let inside = e.compare(Cmp::Lt, self.span) & within.compare(Cmp::Lt, self.row);
                let [v] = b.either(inside, || [element(at)], || [to.take(get(self.out, word), k)]);
                let place = match to {
                    Packed::U8 => v << (k << b.int(3)),
                    Packed::U16 => v << (k << b.int(4)),
                    Packed::U32 => v,
                };
                sum.iter().map(|sum| *sum | place).collect()
            });
            for new in new {
                put(self.out, word, new);
            }
        });
    }

    /// An element of the source.
    fn read(&self, of: Packed, i: Value<'b, U32>) -> Value<'b, U32> {
        of.get(self.x, self.before_x, i)
    }
}

/// Copies elements to other places: that of row `y`, column `x`, channel `c` is `start + y·down + x·right + c` of the source, modulo 2³². Words:
/// [`PLACE`], `start`, `down`, `right`, and 1 where the first and the third channel are exchanged.
pub fn moved(of: Packed) -> Result<Kernel, Error> {
    let b = Builder::new("image_moved");
    let (w, []) = Work::new(&b);
    let [start, down, right, exchanged] = b.params::<U32, 4>();
    w.write(of, true, |at| {
        let two = b.int(2);
        let other = exchanged.compare(Cmp::Ne, b.int(0)) & at.c.compare(Cmp::Le, two);
        let c = Value::select(other, two - at.c, at.c);
        w.read(of, start + at.y * down + at.x * right + c)
    });
    b.finish()
}

/// Bytes above a threshold and others. Words: [`PLACE`], the threshold; for those above it what is kept of their bits, and the bits that are
/// added to them; the same for the others.
pub fn threshold() -> Result<Kernel, Error> {
    let b = Builder::new("threshold_image");
    let (w, []) = Work::new(&b);
    let [level, keep, add, keep_other, add_other] = b.params::<U32, 5>();
    w.write(Packed::U8, true, |at| {
        let p = w.read(Packed::U8, at.y * w.stride_x + at.x * w.channels + at.c);
        let above = p.compare(Cmp::Gt, level);
        Value::select(above, (p & keep) | add, (p & keep_other) | add_other)
    });
    b.finish()
}

/// Greyscale. Words: [`PLACE`], the channels of the source, the weights of red, green and blue.
pub fn grey() -> Result<Kernel, Error> {
    let b = Builder::new("grey");
    let (w, []) = Work::new(&b);
    let [channels, red, green, blue] = b.params::<U32, 4>();
    w.write(Packed::U8, true, |at| {
        let from = at.y * w.stride_x + at.x * channels;
        let part = |c: i64, weight| w.read(Packed::U8, from + b.int(c)) * weight;
        (part(0, red) + part(1, green) + part(2, blue) + b.int(1 << 14)) >> b.int(15)
    });
    b.finish()
}

/// `⌊a/d + 1/2⌋`, which is `⌊(2a + d)/(2d)⌋`; where `d` is 0, so is `a`.
fn rounded<'b>(a: Value<'b, U32>, d: Value<'b, U32>) -> Value<'b, U32> {
    let d = d.most(d.builder().int(1));
    (a + a + d) / (d + d)
}

/// Hue, saturation and value. Words: [`PLACE`]. Quotients are rounded by divisions of integers, which are exact.
pub fn hsv() -> Result<Kernel, Error> {
    let b = Builder::new("rgb_to_hsv");
    let (w, []) = Work::new(&b);
    w.write(Packed::U8, false, |at| {
        let int = |n: i64| b.int::<U32>(n);
        let from = at.y * w.stride_x + at.x * int(3);
        let [red, green, blue] = [0, 1, 2].map(|c| w.read(Packed::U8, from + int(c)));
        let value = red.most(green).most(blue);
        let apart = value - red.least(green).least(blue);
        let (is_red, is_green) = (red.compare(Cmp::Eq, value), green.compare(Cmp::Eq, value));
        let pick = |r, g, b| Value::select(is_red, r, Value::select(is_green, g, b));
        let (first, second) = (pick(green, blue, red), pick(blue, red, green));
        // A turn of 180 steps more, so that nothing is negative.
        let base = pick(int(180), int(240), int(300)) * apart.most(int(1));
        let hue = rounded(base + first * int(30) - second * int(30), apart);
        let hue = Value::select(hue.compare(Cmp::Ge, int(180)), hue - int(180), hue);
        let saturation = rounded(apart * int(255), value);
        let channel = |c: i64| at.c.compare(Cmp::Eq, int(c));
        Value::select(channel(0), hue, Value::select(channel(1), saturation, value))
    });
    b.finish()
}

/// Red, green and blue of NV12. Buffers: luma, chroma, the result. Words: [`PLACE`], elements of chroma before it in its first word and
/// from row to row, the level of black, and the factors: of luma, of V for red, of U and of V for green, of U for blue.
pub fn nv12() -> Result<Kernel, Error> {
    let b = Builder::new("nv12_to_rgb");
    let (w, [chroma]) = Work::new(&b);
    let [before, stride, black, luma, red, green, green_of_v, blue] = b.params::<U32, 8>();
    w.write(Packed::U8, false, |at| {
        let (int, one) = (|n: i64| b.int::<U32>(n), b.int::<U32>(1));
        let level = w.read(Packed::U8, at.y * w.stride_x + at.x);
        let pair = (at.y >> one) * stride + ((at.x >> one) << one);
        let shade = |k: i64| Packed::U8.get(chroma, before, pair + int(k)) - int(128);
        let channel = |c: i64| at.c.compare(Cmp::Eq, int(c));
        let pick = |r, g, b| Value::select(channel(0), r, Value::select(channel(1), g, b));
        let none = int(0);
        let (of_u, of_v) = (pick(none, green, blue), pick(red, green_of_v, none));
        // Modulo 2³², with 1024 more than the level, so that no sum is negative.
        let sum = luma * (level - black) + of_u * shade(0) + of_v * shade(1) + int((1 << 19) + (1 << 30));
        (sum >> int(20)).most(int(1024)).least(int(1024 + 255)) - int(1024)
    });
    b.finish()
}

/// What is read beyond the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// A value.
    Constant,
    /// The element at the edge.
    Clamp,
    /// Those of a mirrored image.
    Mirror,
    /// Those of a repeated image.
    Wrap,
}

/// `a` modulo `d`: WGSL's kernels have no instruction for it.
fn rest<'b>(a: Value<'b, U32>, d: Value<'b, U32>) -> Value<'b, U32> {
    a - a / d * d
}

/// An axis of the source: its places, how far before the first one a window begins, what is added to a place so that it is that of a whole
/// period from there, and the period.
#[derive(Clone, Copy)]
struct Axis<'b> {
    n: Value<'b, U32>,
    half: Value<'b, U32>,
    shift: Value<'b, U32>,
    period: Value<'b, U32>,
}

/// Words of an axis.
pub const AXIS: usize = 4;

impl<'b> Axis<'b> {
    fn new(b: &'b Builder) -> Self {
        let [n, half, shift, period] = b.params::<U32, AXIS>();
        Self { n, half, shift, period }
    }

    /// Which place is read at `j - half`, and whether there is one.
    fn place(self, by: Beyond, j: Value<'b, U32>) -> (Option<Value<'b, Pred>>, Value<'b, U32>) {
        let last = self.n - j.builder().int(1);
        match by {
            Beyond::Constant => {
                let at = j - self.half;
                (Some(at.compare(Cmp::Lt, self.n)), at)
            }
            Beyond::Clamp => (None, (j.most(self.half) - self.half).least(last)),
            Beyond::Mirror => {
                let at = rest(j + self.shift, self.period + self.period);
                let first = at.compare(Cmp::Lt, self.period);
                (None, Value::select(first, at, last - (at - self.period)))
            }
            Beyond::Wrap => (None, rest(j + self.shift, self.period)),
        }
    }
}

/// What a window's elements come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// The least byte.
    Least,
    /// The largest byte.
    Most,
    /// The sums of bytes, in 32 bits.
    Sum,
    /// The means of the sums of rows, as bytes, rounded half up.
    Mean,
}

/// A fold over windows along one axis. Words: [`PLACE`]; the axis; 1 where it is the columns', 0 where it is the rows'; elements of the source from
/// place to place of it, and for a row and a column of the result across it; the size of the window; the value beyond the edges; the
/// divisor of means.
pub fn window(fold: Fold, by: Beyond) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("image_window_{fold:?}_{by:?}"));
    let (w, []) = Work::new(&b);
    let axis = Axis::new(&b);
    let [columns, step, down, right, size, value, area] = b.params::<U32, 7>();
    let (from, to) = match fold {
        Fold::Least | Fold::Most => (Packed::U8, Packed::U8),
        Fold::Sum => (Packed::U8, Packed::U32),
        Fold::Mean => (Packed::U32, Packed::U8),
    };
    w.write(to, false, |at| {
        let first = Value::select(columns.compare(Cmp::Ne, b.int(0)), at.x, at.y);
        let across = at.y * down + at.x * right + at.c;
        let start = b.int(if fold == Fold::Least { 255 } else { 0 });
        let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
        let found = b.count::<U32, U32>([zero, size, one], 1, &[start], |k, so_far| {
            let (inside, place) = axis.place(by, first + k);
            let load = || w.read(from, across + place * step);
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

/// An element of the source near one of the result, by both axes; the value beyond the edges.
struct Near<'w, 'b> {
    w: &'w Work<'b>,
    of: Packed,
    by: Beyond,
    axes: [Axis<'b>; 2],
    value: Value<'b, U32>,
}

impl<'b> Near<'_, 'b> {
    /// That in the window's column `j` and row `k`.
    fn get(&self, at: At<'b>, [j, k]: [Value<'b, U32>; 2]) -> Value<'b, U32> {
        let [columns, rows] = self.axes;
        let (inside_x, x) = columns.place(self.by, at.x + j);
        let (inside_y, y) = rows.place(self.by, at.y + k);
        let load = || self.w.read(self.of, y * self.w.stride_x + x * self.w.channels + at.c);
        match (inside_x, inside_y) {
            (Some(p), Some(q)) => {
                let [v] = self.w.b.either(p & q, || [load()], || [self.value]);
                v
            }
            _ => load(),
        }
    }
}

/// Medians of bytes. Words: [`PLACE`], both axes, the size of the window, the value beyond the edges. The median is the largest byte that no more
/// than half of the window are below, found bit by bit.
pub fn median(by: Beyond) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("median_{by:?}"));
    let (w, []) = Work::new(&b);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let [size, value] = b.params::<U32, 2>();
    let near = Near { w: &w, of: Packed::U8, by, axes, value };
    w.write(Packed::U8, false, |at| {
        let [zero, one, eight, top] = [0, 1, 8, 128].map(|n| b.int::<U32>(n));
        let half = (size * size) >> one;
        let found = b.count::<U32, U32>([zero, eight, one], 1, &[zero], |bit, so_far| {
            let least = so_far.first().copied().unwrap_or(zero);
            let next = least | (top >> bit);
            let below = b.count::<U32, U32>([zero, size, one], 1, &[zero], |k, below| {
                b.count::<U32, U32>([zero, size, one], 1, below, |j, below| {
                    let less = near.get(at, [j, k]).compare(Cmp::Lt, next);
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

/// A derivative of bytes, as 16 bits with a sign, or of floats: to the right, or `downwards`. Words: [`PLACE`], both axes, the value beyond the
/// edges.
pub fn sobel(of: Packed, downwards: bool, by: Beyond) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("sobel_{of:?}_{downwards}_{by:?}"));
    let (w, []) = Work::new(&b);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let value = b.param::<U32>();
    let near = Near { w: &w, of, by, axes, value };
    let to = if of == Packed::U8 { Packed::U16 } else { Packed::U32 };
    w.write(to, false, |at| {
        // That of three neighbours in the direction of the derivative, `across` it.
        let pair = |across: i64| {
            [0, 2].map(|along: i64| {
                let [j, k] = if downwards { [across, along] } else { [along, across] };
                near.get(at, [b.int(j), b.int(k)])
            })
        };
        if of == Packed::U8 {
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

/// Copies the element that each place of the result is next to. Buffers: the source, spans, the result. Words: [`PLACE`], the first of the spans of
/// rows. A span is the place of its first element, and the number of its elements.
pub fn picked(of: Packed) -> Result<Kernel, Error> {
    let b = Builder::new("image_picked");
    let (w, [spans]) = Work::new(&b);
    let rows = b.param::<U32>();
    w.write(of, true, |at| {
        let one = b.int(1);
        let (x, y) = (get::<U32>(spans, at.x << one), get::<U32>(spans, (rows + at.y) << one));
        w.read(of, y * w.stride_x + x * w.channels + at.c)
    });
    b.finish()
}

/// What is weighted, and how sums are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighted {
    /// Bytes, by weights of whole units: columns of them, rounded half up to numbers of 16 bits with a sign.
    Bytes,
    /// Those numbers along rows, rounded half up and clipped to bytes.
    Numbers,
    /// Columns of floats, added up in order.
    Floats,
    /// Those sums along rows, added up in order.
    Sums,
}

impl Weighted {
    /// Adds a product.
    fn add<'b>(self, sum: Value<'b, U32>, p: Value<'b, U32>, weight: Value<'b, U32>) -> Value<'b, U32> {
        match self {
            Self::Floats | Self::Sums => (sum.cast::<F32>() + p.cast::<F32>() * weight.cast()).cast(),
            _ => sum + p * weight,
        }
    }

    /// The sum with so many bits less.
    fn round<'b>(self, sum: Value<'b, U32>, shift: Value<'b, U32>) -> Value<'b, U32> {
        let b = sum.builder();
        let half = (b.int::<U32>(1) << shift) >> b.int(1);
        match self {
            Self::Floats | Self::Sums => sum,
            Self::Bytes => ((sum + half).cast::<S32>() >> shift).cast(),
            Self::Numbers => ((sum + half).cast::<S32>() >> shift).most(b.int(0)).least(b.int(255)).cast(),
        }
    }
}

/// One pass of a resize or a separable filter. Buffers: the source, the weights as words of 32 bits, spans where nothing is read beyond the
/// edges, the result. Words: [`PLACE`]; 1 where sums are along rows, 0 where they are along columns; elements of the source from place to place
/// along them, and for a row and a column of the result across them; the bits that rounding takes away; then of a filter the axis, the
/// number of weights, and what is read beyond the edges; of a resize the first span, the first weight, and the weights from a result to the next.
pub fn weighted(of: Weighted, source: Packed, to: Packed, by: Option<Beyond>) -> Result<Kernel, Error> {
    let reads = by.map_or_else(|| String::from("Spans"), |by| format!("{by:?}"));
    let b = Builder::new(&format!("image_weighted_{of:?}_{source:?}_{to:?}_{reads}"));
    let x = b.param::<U64>();
    let weights = b.param::<U64>();
    let spans = if by.is_none() { Some(b.param::<U64>()) } else { None };
    let (w, []) = Work::behind(&b, x);
    let [along, step, down, right, shift] = b.params::<U32, 5>();
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    let first_of = |at: At<'_>| {
        Value::select(along.compare(Cmp::Ne, zero), b.typed::<U32>(at.x.id()), b.typed(at.y.id()))
    };
    let across = |at: At<'_>| {
        b.typed::<U32>(at.y.id()) * down + b.typed::<U32>(at.x.id()) * right + b.typed(at.c.id())
    };
    match (by, spans) {
        (None, Some(spans)) => {
            let [first_span, first_weight, room] = b.params::<U32, 3>();
            w.write(to, false, |at| {
                let (place, across) = (first_of(at), across(at));
                let span = (first_span + place) << one;
                let (from, count) = (get::<U32>(spans, span), get::<U32>(spans, span + one));
                let start = first_weight + place * room;
                let sum = b.count::<U32, U32>([zero, count, one], 1, &[zero], |k, sum| {
                    let p = w.read(source, across + (from + k) * step);
                    sum.iter().map(|sum| of.add(*sum, p, get(weights, start + k))).collect()
                });
                of.round(sum.first().copied().unwrap_or(zero), shift)
            });
        }
        (Some(by), _) => {
            let axis = Axis::new(&b);
            let [size, value] = b.params::<U32, 2>();
            w.write(to, false, |at| {
                let (first, across) = (first_of(at), across(at));
                // Of columns, what lies before and behind the image is added up by itself, as a CPU does.
                let apart = by == Beyond::Constant && matches!(of, Weighted::Bytes | Weighted::Floats);
                let none = [zero; 3];
                let parts = if apart { &none[..] } else { &none[..1] };
                let sums = b.count::<U32, U32>([zero, size, one], 1, parts, |k, sums| {
                    let weight = get::<U32>(weights, k);
                    let (inside, place) = axis.place(by, first + k);
                    let load = || w.read(source, across + place * step);
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
                    [within, before, behind] if of == Weighted::Floats => {
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
