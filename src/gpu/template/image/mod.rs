//! Kernels for images. A thread writes whole words of the result, which hold one to four elements each, as WGSL stores nothing smaller
//! than 32 bits. The kernels leave unchanged the elements between rows, and the elements beside the image in its first and last word.

mod colour;
mod distance;
mod filter;
mod levels;
mod rank;
mod separable;
mod tensor;
mod turn;
mod warp;
mod window;

pub use colour::{exchange, grey, hsv, nv12, threshold};
pub use distance::{distances_along_columns, far_distances, near_distances};
pub use filter::{FilterPass, weighted_sum};
pub use levels::{LEVELS, count_levels, equal_levels, map_levels};
pub use rank::{RANK_THREADS, is_wide, moving_median, rank_rows, rank_shared};
pub use separable::{elements_of_thread, is_staged, padded, separable};
pub use tensor::{TENSOR_THREADS, TENSOR_WORDS, tensor};
pub use turn::{Copy, copy_strided, nearest};
pub use warp::{FIRST_PLACE, Places, warp};
pub use window::{AXIS_PARAMS, BorderMode, Fold, NETWORK_MOST, Pass, fold_square, median, sobel, window};

use super::super::builder::{Builder, Value};
use super::super::ir::{Cmp, Space, Special};
use super::super::types::{Pred, U32, U64};
use super::flat::{at, each, get, put};
use alloc::vec::Vec;

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

    /// The number of elements in a word.
    #[must_use]
    pub const fn per_word(self) -> usize {
        1 << self.shift()
    }

    /// The bits of an element.
    const fn bits(self) -> usize {
        32 >> self.shift()
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

    /// Extracts all elements of these words, in order.
    fn unpack<'b>(self, words: &[Value<'b, U32>]) -> Vec<Value<'b, U32>> {
        let take = |word: Value<'b, U32>, k: usize| {
            let b = word.builder();
            let low = if k == 0 { word } else { word >> b.int((k * self.bits()) as i64) };
            // The shift has removed all bits beside the last element.
            if k + 1 == self.per_word() { low } else { low & b.int((1 << self.bits()) - 1) }
        };
        words.iter().flat_map(|word| (0..self.per_word()).map(move |k| take(*word, k))).collect()
    }

    /// Packs elements, whose bits above those of the type are zero, in words.
    fn pack<'b>(self, elements: &[Value<'b, U32>]) -> Vec<Value<'b, U32>> {
        let place = |(k, v): (usize, &Value<'b, U32>)| match k * self.bits() {
            0 => *v,
            shift => *v << v.builder().int(shift as i64),
        };
        let words = elements.chunks(self.per_word());
        words.filter_map(|word| word.iter().enumerate().map(place).reduce(|a, b| a | b)).collect()
    }
}

/// How the threads of a kernel find their elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Threads have the words of the result, and divide to find the row of each element.
    Words,
    /// Rows of the result begin at words. A grid of two dimensions has the words of a row along x, and the rows along y.
    Rows,
    /// As [`Self::Rows`], and rows of the source begin at words, too.
    Aligned,
}

impl Walk {
    /// The name of a kernel that walks in this way. Tests count the kernels of each.
    fn name(self, kernel: &str) -> alloc::string::String {
        alloc::format!("{kernel}_{self:?}")
    }
}

/// The number of parameters that describe the layout of the result and of the source. They follow the buffers in every kernel of these
/// files, and have 32 bits each. Of the result: the words that hold it, the elements before it in the first word, the elements from its
/// first to its last one, its stride (from row to row), the elements of a row, the channels, and the rows. Of the source: the elements
/// before it in its first word, its stride, and the elements of a row.
pub const LAYOUT_PARAMS: usize = 10;

/// An image that a kernel reads.
#[derive(Clone, Copy)]
struct Source<'b> {
    x: Value<'b, U64>,
    of: PixelType,
    /// The elements before the image in its first word.
    before: Value<'b, U32>,
    stride: Value<'b, U32>,
    /// The elements of a row.
    row: Value<'b, U32>,
    /// Whether rows begin at words.
    aligned: bool,
}

impl<'b> Source<'b> {
    /// Reads element `i`.
    fn get(self, i: Value<'b, U32>) -> Value<'b, U32> {
        let (b, e) = (self.x.builder(), i + self.before);
        match self.of {
            PixelType::U32 => get(self.x, e),
            of => of.take(get(self.x, e >> b.int(of.shift().into())), e & b.int((1 << of.shift()) - 1)),
        }
    }

    /// Reads `n` words of elements from element `e` of a row on, which is element `start` of the image. All of these elements are in the
    /// row. Where `whole` is set, and rows begin at words, `e` is a multiple of the elements in a word.
    fn words(self, start: Value<'b, U32>, e: Value<'b, U32>, n: usize, whole: bool) -> Vec<Value<'b, U32>> {
        let (b, shift) = (self.x.builder(), self.of.shift());
        let word = |address, k: usize| b.load::<U32>(Space::Global, address, 4 * k as i32);
        if shift == 0 || (whole && self.aligned) {
            let address = at::<U32>(self.x, (start + e) >> b.int(shift.into()));
            return (0..n).map(|k| word(address, k)).collect();
        }
        let i = self.before + start + e;
        let first = i >> b.int(shift.into());
        let bits = (i & b.int((1 << shift) - 1)) << b.int(i64::from(5 - shift));
        let address = at::<U32>(self.x, first);
        let mut read: Vec<_> = (0..n).map(|k| word(address, k)).collect();
        // The word behind them is read where it has an element of the row; else the elements end with the last word.
        let last = (self.before + start + self.row - b.int(1)) >> b.int(shift.into());
        read.push(get(self.x, (first + b.int(n as i64)).least(last)));
        let pairs = read.iter().zip(read.iter().skip(1));
        // Two shifts to the left, as one by 32 bits is none in WGSL.
        let rest = b.int(31) - bits;
        pairs.map(|(low, high)| (*low >> bits) | ((*high << rest) << b.int(1))).collect()
    }
}

/// Shifts words that follow each other: the words from byte `from` on.
fn shifted<'b>(words: &[Value<'b, U32>], from: usize, n: usize) -> Vec<Value<'b, U32>> {
    let rest = words.iter().skip(from / 4);
    let bits = 8 * (from % 4) as i64;
    if bits == 0 {
        return rest.take(n).copied().collect();
    }
    let pairs = rest.clone().zip(rest.skip(1)).take(n);
    pairs
        .map(|(low, high)| {
            let b = low.builder();
            (*low >> b.int(bits)) | (*high << b.int(32 - bits))
        })
        .collect()
}

/// The builder of a kernel, and the arguments that all kernels of these files have: the source, the result, and their layout.
struct Args<'b> {
    b: &'b Builder,
    walk: Walk,
    x: Source<'b>,
    out: Value<'b, U64>,
    words: Value<'b, U32>,
    before: Value<'b, U32>,
    span: Value<'b, U32>,
    stride: Value<'b, U32>,
    row: Value<'b, U32>,
    channels: Value<'b, U32>,
    height: Value<'b, U32>,
}

/// The row, column and channel of an element of the result.
#[derive(Clone, Copy)]
struct Position<'b> {
    y: Value<'b, U32>,
    x: Value<'b, U32>,
    c: Value<'b, U32>,
}

/// Elements of the result that one thread computes together and that fill whole words: the row, their number in the row's units, and
/// the first of them in the row.
#[derive(Clone, Copy)]
struct Unit<'b> {
    y: Value<'b, U32>,
    number: Value<'b, U32>,
    e: Value<'b, U32>,
}

/// How a kernel computes the words of a unit.
struct Together<'f, 'b> {
    /// The elements of a unit.
    elements: usize,
    /// The rows of which a thread reads a unit each before it writes any: one, or [`ROWS_TOGETHER`], where a unit is so little that a
    /// thread would wait for memory most of the time.
    rows: usize,
    /// Whether a unit is computed together; the units of which all elements are in the row, where there is no condition.
    inside: &'f dyn Fn(Unit<'b>) -> Vec<Value<'b, Pred>>,
    words: Words<'f, 'b>,
}

/// What computes words of the result.
#[derive(Clone, Copy)]
enum Words<'f, 'b> {
    /// Those of a unit.
    OfUnit(&'f dyn Fn(Unit<'b>) -> Vec<Value<'b, U32>>),
    /// Those of each of the units of a thread, which are one in each of its rows. Where rows are missing, their elements are computed one
    /// after the other.
    OfRows(&'f dyn Fn(&[Unit<'b>]) -> Vec<Vec<Value<'b, U32>>>),
}

/// The rows of a thread that reads them together.
pub const ROWS_TOGETHER: usize = 4;

/// The condition of a unit that depends on no elements beside those of its own pixels.
fn anywhere<T>(_: Unit<'_>) -> Vec<T> {
    Vec::new()
}

impl<'b> Args<'b> {
    /// Declares the parameters: the source, whose elements are `of` this type, `MORE` buffers, the result, and [`LAYOUT_PARAMS`].
    fn new<const MORE: usize>(b: &'b Builder, walk: Walk, of: PixelType) -> (Self, [Value<'b, U64>; MORE]) {
        let x = b.param::<U64>();
        let more = b.params::<U64, MORE>();
        (Self::after_buffers(b, walk, (x, of)), more)
    }

    /// As [`Args::new`], where the caller has declared the buffers before the result.
    fn after_buffers(b: &'b Builder, walk: Walk, (x, of): (Value<'b, U64>, PixelType)) -> Self {
        let out = b.param::<U64>();
        let [words, before, span, stride, row, channels, height, before_x, stride_x, row_x] =
            b.params::<U32, LAYOUT_PARAMS>();
        let aligned = walk == Walk::Aligned;
        let x = Source { x, of, before: before_x, stride: stride_x, row: row_x, aligned };
        Self { b, walk, x, out, words, before, span, stride, row, channels, height }
    }

    /// The elements of a word from its elements computed one after the other: element `k` is `element(position)` where it is in the
    /// image, and otherwise unchanged. `unroll` is that of [`Builder::count`].
    fn one_by_one(
        &self,
        to: PixelType,
        word: Value<'b, U32>,
        unroll: u8,
        place: &dyn Fn(Value<'b, U32>) -> (Value<'b, Pred>, Position<'b>),
        element: &dyn Fn(Position<'b>) -> Value<'b, U32>,
    ) {
        let b = self.b;
        let [zero, one, many] = [0, 1, to.per_word() as i64].map(|n| b.int::<U32>(n));
        let new = b.count::<U32, U32>([zero, many, one], unroll, &[zero], |k, sum| {
            let (inside, at) = place(k);
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
    }

    /// The position of element `within` of row `y`.
    fn position(&self, y: Value<'b, U32>, within: Value<'b, U32>) -> Position<'b> {
        let x = within / self.channels;
        Position { y, x, c: within - x * self.channels }
    }

    /// Writes `element(position)` to each element of the result. Where rows begin at words, threads compute the units `together`, but
    /// for those at a border; there they compute the elements of a word one after the other.
    fn write(
        &self,
        to: PixelType,
        element: &dyn Fn(Position<'b>) -> Value<'b, U32>,
        together: Option<Together<'_, 'b>>,
    ) {
        let b = self.b;
        let shift = b.int::<U32>(to.shift().into());
        if self.walk == Walk::Words {
            each(b, self.words, |word| {
                let place = |k| {
                    // For the elements before the first one this wraps around, to an index past the last one.
                    let e = (word << shift) + k - self.before;
                    let y = e / self.stride;
                    let within = e - y * self.stride;
                    let inside = e.compare(Cmp::Lt, self.span) & within.compare(Cmp::Lt, self.row);
                    (inside, self.position(y, within))
                };
                self.one_by_one(to, word, 1, &place, element);
            });
            return;
        }
        let elements = together.as_ref().map_or(to.per_word(), |t| t.elements);
        let number = b.special(Special::CtaidX) * b.special(Special::NtidX) + b.special(Special::TidX);
        let e = number * b.int(elements as i64);
        b.when(e.compare(Cmp::Lt, self.row), || {
            let first_of = |y: Value<'b, U32>| (y * self.stride + e) >> shift;
            let whole = (e + b.int(elements as i64)).compare(Cmp::Le, self.row);
            let store = |y, words: Vec<Value<'b, U32>>| {
                let address = at::<U32>(self.out, first_of(y));
                for (k, word) in words.into_iter().enumerate() {
                    b.store(Space::Global, address, 4 * k as i32, word);
                }
            };
            let row = |y: Value<'b, U32>| {
                let first = first_of(y);
                let rest = || {
                    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
                    let count = b.int((elements / to.per_word()) as i64);
                    b.count::<U32, U32>([zero, count, one], 1, &[], |j, _| {
                        let from = e + (j << shift);
                        b.when(from.compare(Cmp::Lt, self.row), || {
                            let place = |k| {
                                let within = from + k;
                                (within.compare(Cmp::Lt, self.row), self.position(y, within))
                            };
                            self.one_by_one(to, first + j, 1, &place, element);
                        });
                        Vec::new()
                    });
                };
                let Some(Together { inside, words: Words::OfUnit(words), .. }) = &together else {
                    rest();
                    return;
                };
                let unit = Unit { y, number, e };
                let inside = inside(unit).into_iter().fold(whole, |all, p| all & p);
                b.either::<U32, 0>(
                    inside,
                    || {
                        store(y, words(unit));
                        []
                    },
                    || {
                        rest();
                        []
                    },
                );
            };
            let (many, one) = (together.as_ref().map_or(1, |t| t.rows), b.int(1));
            let [start, step] =
                [Special::CtaidY, Special::NctaidY].map(|of| b.special(of) * b.int(many as i64));
            b.count::<U32, U32>([start, self.height, step], 1, &[], |y, _| {
                let Some(together) = together.as_ref().filter(|_| many > 1) else {
                    row(y);
                    return Vec::new();
                };
                let end = y + b.int(many as i64);
                let units: Vec<_> = (0..many).map(|k| Unit { y: y + b.int(k as i64), number, e }).collect();
                let inside = units.iter().flat_map(|unit| (together.inside)(*unit));
                b.either::<U32, 0>(
                    inside.fold(whole & end.compare(Cmp::Le, self.height), |all, p| all & p),
                    || {
                        let words = match together.words {
                            Words::OfUnit(words) => units.iter().map(|unit| words(*unit)).collect(),
                            Words::OfRows(words) => words(&units),
                        };
                        units.iter().zip(words).for_each(|(unit, words)| store(unit.y, words));
                        []
                    },
                    || {
                        b.count::<U32, U32>([y, end.least(self.height), one], 1, &[], |y, _| {
                            row(y);
                            Vec::new()
                        });
                        []
                    },
                );
                Vec::new()
            });
        });
    }

    /// Writes pixels that depend on one pixel of the source each: `of` computes the `to` channels of a pixel from its `from` channels.
    /// A unit has as many pixels as fill whole words.
    fn write_pixels(&self, [from, to]: [usize; 2], of: &dyn Fn(&[Value<'b, U32>]) -> Vec<Value<'b, U32>>) {
        let (b, kind) = (self.b, self.x.of);
        let pixels = pixels_together(kind, [from, to]);
        self.write(
            kind,
            &|at| {
                let start = at.y * self.x.stride + at.x * b.int(from as i64);
                let channels: Vec<_> = (0..from).map(|c| self.x.get(start + b.int(c as i64))).collect();
                choose(at.c, &of(&channels))
            },
            Some(Together {
                elements: pixels * to,
                rows: ROWS_TOGETHER,
                inside: &anywhere,
                words: Words::OfUnit(&|unit| {
                    let each = pixels * from;
                    let (row, e) = (unit.y * self.x.stride, unit.number * b.int(each as i64));
                    let read = kind.unpack(&self.x.words(row, e, each / kind.per_word(), true));
                    kind.pack(&read.chunks(from).flat_map(of).collect::<Vec<_>>())
                }),
            }),
        );
    }
}

/// The fewest pixels that fill whole words, with each of these numbers of channels.
#[must_use]
pub fn pixels_together(of: PixelType, channels: [usize; 2]) -> usize {
    let fills = |n: &usize| channels.iter().all(|c| (n * c).is_multiple_of(of.per_word()));
    [1, 2].into_iter().find(fills).unwrap_or(4)
}

/// Element `k` of these.
fn choose<'b>(k: Value<'b, U32>, of: &[Value<'b, U32>]) -> Value<'b, U32> {
    let b = k.builder();
    let pick = |(i, v): (usize, &Value<'b, U32>), rest: Option<Value<'b, U32>>| match rest {
        Some(rest) => Value::select(k.compare(Cmp::Eq, b.int(i as i64)), *v, rest),
        None => *v,
    };
    of.iter().enumerate().rev().fold(None, |rest, v| Some(pick(v, rest))).unwrap_or(k)
}
