//! Kernels that read a window around each element: folds, medians, derivatives.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel};
use super::super::super::types::{F32, Pred, U32};
use super::{Args, PixelType, Position, Together, Unit, Walk, Words, shifted};
use crate::image::rank::{OF_25, OF_NINE};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

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
pub(super) struct Axis<'b> {
    pub(super) n: Value<'b, U32>,
    pub(super) half: Value<'b, U32>,
    shift: Value<'b, U32>,
    period: Value<'b, U32>,
}

/// The number of parameters of an axis of the source: its length, the elements of a window before its centre, the shift, the period.
pub const AXIS_PARAMS: usize = 4;

impl<'b> Axis<'b> {
    pub(super) fn new(b: &'b Builder) -> Self {
        let [n, half, shift, period] = b.params::<U32, AXIS_PARAMS>();
        Self { n, half, shift, period }
    }

    /// The index of the source for position `j - half`, and for a constant border whether the position is inside the source.
    pub(super) fn place(
        self,
        mode: BorderMode,
        j: Value<'b, U32>,
    ) -> (Option<Value<'b, Pred>>, Value<'b, U32>) {
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

/// A pass over windows that lie along one axis of the source.
pub(super) struct Line<'a, 'b> {
    pub(super) args: &'a Args<'b>,
    /// Whether windows lie along rows, over columns.
    pub(super) along: bool,
    pub(super) axis: Axis<'b>,
    /// The elements of a window.
    pub(super) size: Value<'b, U32>,
}

impl<'b> Line<'_, 'b> {
    /// The first position of the window around an element.
    pub(super) fn first(&self, at: Position<'b>) -> Value<'b, U32> {
        if self.along { at.x } else { at.y }
    }

    /// Element `place` of the axis, in the line through an element.
    pub(super) fn element(&self, at: Position<'b>, place: Value<'b, U32>) -> Value<'b, U32> {
        let Args { x, channels, .. } = self.args;
        let (y, column) = if self.along { (at.y, place) } else { (place, at.x) };
        x.get(y * x.stride + column * *channels + at.c)
    }

    /// Whether the windows of all elements of a unit are in the source.
    pub(super) fn inside(&self, unit: Unit<'b>, elements: usize) -> Vec<Value<'b, Pred>> {
        let (b, half) = (self.args.b, self.axis.half);
        let behind = self.size - b.int(1) - half;
        if self.along {
            let [before, behind] = [half, behind].map(|n| n * self.args.channels);
            let end = unit.e + b.int(elements as i64) + behind;
            vec![unit.e.compare(Cmp::Ge, before), end.compare(Cmp::Le, self.args.row)]
        } else {
            vec![unit.y.compare(Cmp::Ge, half), (unit.y + behind).compare(Cmp::Lt, self.axis.n)]
        }
    }

    /// The words of the `k`th elements of the windows of a unit that is inside.
    pub(super) fn words(&self, unit: Unit<'b>, k: Value<'b, U32>, elements: usize) -> Vec<Value<'b, U32>> {
        let Args { x, channels, .. } = self.args;
        let [mut y, mut e] = [unit.y, unit.e];
        if self.along {
            e = e + k * *channels - self.axis.half * *channels;
        } else {
            y = y + k - self.axis.half;
        }
        x.words(y * x.stride, e, elements / x.of.per_word(), !self.along)
    }
}

/// The reduction over the elements of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// The smallest byte.
    Least,
    /// The largest byte.
    Most,
    /// The sum of bytes.
    Sum,
    /// The mean of a box from the sums of its rows, as a byte, rounded half up.
    Mean,
}

/// Bytes 0 and 2, and bytes 1 and 3, of a word of bytes, as numbers of 16 bits.
fn halves<'b>(word: Value<'b, U32>) -> [Value<'b, U32>; 2] {
    let (b, mask) = (word.builder(), word.builder().int(0x00ff_00ff));
    [word & mask, (word >> b.int(8)) & mask]
}

/// The words of four numbers of 16 bits, of which numbers 0 and 2, and numbers 1 and 3, are in one word each.
fn interleaved<'b>([even, odd]: [Value<'b, U32>; 2]) -> Vec<Value<'b, U32>> {
    let b = even.builder();
    let (low, sixteen) = (b.int(0xffff), b.int(16));
    vec![(even & low) | (odd << sixteen), (even >> sixteen) | (odd & b.int(0xffff_0000))]
}

/// The bytes of a word, each in its place.
fn masked<'b>(word: Value<'b, U32>) -> [Value<'b, U32>; 4] {
    [0, 1, 2, 3].map(|k| word & word.builder().int(0xff << (8 * k)))
}

/// The word with these bytes, each in its place.
fn joined<'b>(bytes: &[Value<'b, U32>]) -> Vec<Value<'b, U32>> {
    bytes.iter().copied().reduce(|a, b| a | b).into_iter().collect()
}

/// A fold of four elements at once: where the sums have 16 bits, two in a word.
impl Fold {
    /// The values before the first element.
    fn start(self, b: &Builder, to: PixelType) -> Vec<Value<'_, U32>> {
        match (self, to) {
            (Self::Least, _) => (0..4).map(|k| b.int(0xff << (8 * k))).collect(),
            (Self::Sum, PixelType::U16) => vec![b.int(0); 2],
            _ => vec![b.int(0); 4],
        }
    }

    /// The values with one more element of each window, which are four in these words.
    fn with<'b>(
        self,
        so_far: &[Value<'b, U32>],
        from: PixelType,
        words: &[Value<'b, U32>],
    ) -> Vec<Value<'b, U32>> {
        let more: Vec<_> = match (self, so_far.len()) {
            (Self::Least | Self::Most, _) => words.iter().flat_map(|word| masked(*word)).collect(),
            (_, 2) => words.iter().flat_map(|word| halves(*word)).collect(),
            _ => from.unpack(words),
        };
        so_far.iter().zip(more).map(|(v, p)| self.one(*v, p)).collect()
    }

    /// A value and one more element.
    fn one<'b>(self, so_far: Value<'b, U32>, p: Value<'b, U32>) -> Value<'b, U32> {
        match self {
            Self::Least => so_far.least(p),
            Self::Most => so_far.most(p),
            Self::Sum | Self::Mean => so_far + p,
        }
    }

    /// The words of the folds of four windows; `mean` computes a mean from a sum.
    fn finish<'b>(
        self,
        found: &[Value<'b, U32>],
        to: PixelType,
        mean: impl Fn(Value<'b, U32>) -> Value<'b, U32>,
    ) -> Vec<Value<'b, U32>> {
        match (self, found) {
            (Self::Least | Self::Most, _) => joined(found),
            (Self::Sum, &[even, odd]) => interleaved([even, odd]),
            (Self::Sum, _) => to.pack(found),
            (Self::Mean, _) => to.pack(&found.iter().map(|sum| mean(*sum)).collect::<Vec<_>>()),
        }
    }
}

/// A pass of a fold of rectangles: its border, whether its windows lie along rows, and the type of the sums between the two passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The border.
    pub mode: BorderMode,
    /// Whether windows lie along rows, over columns.
    pub along: bool,
    /// The type of sums of rows.
    pub sums: PixelType,
}

/// Folds windows along one axis. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), an axis ([`AXIS_PARAMS`]), the size of the window, the
/// constant of the border, the divisor of means, and 2³² divided by it and rounded up where that gives the same quotients, else 0.
pub fn window(walk: Walk, fold: Fold, pass: Pass) -> Result<Kernel, Error> {
    let Pass { mode, along, sums } = pass;
    let (from, to) = match fold {
        Fold::Least | Fold::Most => (PixelType::U8, PixelType::U8),
        Fold::Sum => (PixelType::U8, sums),
        Fold::Mean => (sums, PixelType::U8),
    };
    let b = Builder::new(&walk.name(&format!("image_window_{fold:?}_{mode:?}_{along}_{sums:?}")));
    let (args, []) = Args::new(&b, walk, from);
    let axis = Axis::new(&b);
    let [size, value, area, reciprocal] = b.params::<U32, 4>();
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    let line = Line { args: &args, along, axis, size };
    let mean = |sum: Value<'_, U32>| {
        let n = b.typed::<U32>(sum.id()) + (area >> one);
        let [mean] = b.either(reciprocal.compare(Cmp::Ne, zero), || [n.high(reciprocal)], || [n / area]);
        mean
    };
    args.write(
        to,
        &|at| {
            let start = b.int(if fold == Fold::Least { 255 } else { 0 });
            let found = b.count::<U32, U32>([zero, size, one], 1, &[start], |k, so_far| {
                let (inside, place) = axis.place(mode, line.first(at) + k);
                let load = || line.element(at, place);
                let p = match inside {
                    Some(inside) => {
                        let [p] = b.either(inside, || [load()], || [value]);
                        p
                    }
                    None => load(),
                };
                so_far.iter().map(|v| fold.one(*v, p)).collect()
            });
            let found = found.first().copied().unwrap_or(start);
            if fold == Fold::Mean { mean(found) } else { found }
        },
        Some(Together {
            elements: 4,
            rows: 1,
            inside: &|unit| line.inside(unit, 4),
            words: Words::OfUnit(&|unit| {
                let found = b.count::<U32, U32>([zero, size, one], 1, &fold.start(&b, to), |k, so_far| {
                    fold.with(so_far, from, &line.words(unit, k, 4))
                });
                fold.finish(&found, to, mean)
            }),
        }),
    );
    b.finish()
}

/// Whether a column or a row is in the image, where borders are a constant, and the elements before it.
pub(super) type Neighbour<'b> = (Option<Value<'b, Pred>>, Value<'b, U32>);

/// Reads the neighbours of an element in both axes, with the border beyond the edges.
pub(super) struct Neighbours<'a, 'b> {
    pub(super) args: &'a Args<'b>,
    pub(super) mode: BorderMode,
    pub(super) axes: [Axis<'b>; 2],
    pub(super) value: Value<'b, U32>,
}

impl<'b> Neighbours<'_, 'b> {
    /// The element of a column of windows in row 0: whether it is in the image, and its place.
    pub(super) fn column(&self, x: Value<'b, U32>, c: Value<'b, U32>) -> Neighbour<'b> {
        let (inside, x) = self.axes[0].place(self.mode, x);
        (inside, x * self.args.channels + c)
    }

    /// The first element of a row of windows: whether it is in the image, and its place.
    pub(super) fn row(&self, y: Value<'b, U32>) -> Neighbour<'b> {
        let (inside, y) = self.axes[1].place(self.mode, y);
        (inside, y * self.args.x.stride)
    }

    /// Reads the element of a column and a row.
    pub(super) fn element(&self, column: Neighbour<'b>, row: Neighbour<'b>) -> Value<'b, U32> {
        let load = || self.args.x.get(row.1 + column.1);
        match (column.0, row.0) {
            (Some(p), Some(q)) => {
                let [v] = self.args.b.either(p & q, || [load()], || [self.value]);
                v
            }
            _ => load(),
        }
    }

    /// Reads the element in column `j` and row `k` of the window around `at`.
    fn get(&self, at: Position<'b>, [j, k]: [Value<'b, U32>; 2]) -> Value<'b, U32> {
        let column = self.column(at.x + j, at.c);
        self.element(column, self.row(at.y + k))
    }

    /// Whether the words beside a unit of bytes that have the neighbours up to `half` pixels away are in the image: a pixel is at most a word.
    fn inside(&self, unit: Unit<'b>, half: usize) -> Vec<Value<'b, Pred>> {
        let (b, [_, rows]) = (self.args.b, self.axes);
        let beside = b.int(4 * half as i64);
        let half = b.int(half as i64);
        vec![
            unit.y.compare(Cmp::Ge, half),
            (unit.y + half).compare(Cmp::Lt, rows.n),
            unit.e.compare(Cmp::Ge, beside),
            (unit.e + b.int(4) + beside).compare(Cmp::Le, self.args.row),
        ]
    }

    /// For each row of the window, from the first one, the words of bytes in each of its columns, of a unit that is inside.
    fn words(&self, unit: Unit<'b>, size: usize, channels: usize) -> Vec<Vec<Value<'b, U32>>> {
        let (b, half) = (self.args.b, size / 2);
        let row = |k: usize| {
            let start = (unit.y + b.int(k as i64) - b.int(half as i64)) * self.args.x.stride;
            let read = self.args.x.words(start, unit.e - b.int(4 * half as i64), 1 + 2 * half, true);
            let column = |j: usize| shifted(&read, 4 * half + j * channels - half * channels, 1);
            (0..size).flat_map(column).collect()
        };
        (0..size).map(row).collect()
    }
}

/// The most columns and rows of a window whose medians have a network.
pub const NETWORK_MOST: usize = 5;

/// The median of as many numbers as a network has.
fn middle<'b>(mut p: Vec<Value<'b, U32>>) -> Option<Value<'b, U32>> {
    for [i, j] in if p.len() == 9 { OF_NINE } else { OF_25 } {
        if let Ok([low, high]) = p.get_disjoint_mut([*i, *j]) {
            (*low, *high) = (low.least(*high), low.most(*high));
        }
    }
    p.get(p.len() / 2).copied()
}

/// Folds squares of 3 by 3 or 5 by 5 bytes in one pass, in images of `channels`. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), both
/// axes, the constant of the border.
pub fn fold_square(
    walk: Walk,
    fold: Fold,
    mode: BorderMode,
    size: usize,
    channels: usize,
) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name(&format!("image_square_{fold:?}_{mode:?}_{size}_{channels}")));
    let (args, []) = Args::new(&b, walk, PixelType::U8);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let neighbours = Neighbours { args: &args, mode, axes, value: b.param::<U32>() };
    let area = size * size;
    let mean =
        |sum: Value<'_, U32>| (b.typed::<U32>(sum.id()) + b.int((area / 2) as i64)) / b.int(area as i64);
    args.write(
        PixelType::U8,
        &|at| {
            let [zero, one, count] = [0, 1, size as i64].map(|n| b.int::<U32>(n));
            let start = b.int(if fold == Fold::Least { 255 } else { 0 });
            let found = b.count::<U32, U32>([zero, count, one], 1, &[start], |k, found| {
                b.count::<U32, U32>([zero, count, one], 1, found, |j, found| {
                    let p = neighbours.get(at, [j, k]);
                    found.iter().map(|v| fold.one(*v, p)).collect()
                })
            });
            let found = found.first().copied().unwrap_or(start);
            if fold == Fold::Mean { mean(found) } else { found }
        },
        Some(Together {
            elements: 4,
            rows: 1,
            inside: &|unit| neighbours.inside(unit, size / 2),
            words: Words::OfUnit(&|unit| {
                // A mean of at most 25 bytes is summed in 16 bits.
                let sum = if fold == Fold::Mean { Fold::Sum } else { fold };
                let words = neighbours.words(unit, size, channels).concat();
                let found = words.iter().fold(sum.start(&b, PixelType::U16), |found, word| {
                    sum.with(&found, PixelType::U8, &[*word])
                });
                if fold != Fold::Mean {
                    return fold.finish(&found, PixelType::U8, mean);
                }
                let sums = sum.finish(&found, PixelType::U16, mean);
                fold.finish(&PixelType::U16.unpack(&sums), PixelType::U8, mean)
            }),
        }),
    );
    b.finish()
}

/// Medians of bytes in images of `channels`. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), both axes, the constant of the border, the size
/// of the window. The kernel for 3 by 3 or 5 by 5 pixels (`network` is 3 or 5) selects it by the network of a CPU. The other finds it bit by
/// bit: the median is the largest byte for which at most half of the elements of the window are smaller.
pub fn median(
    walk: Walk,
    mode: BorderMode,
    network: Option<usize>,
    channels: usize,
) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name(&format!("median_{mode:?}_{}_{channels}", network.unwrap_or(0))));
    let (args, []) = Args::new(&b, walk, PixelType::U8);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let [value, size] = b.params::<U32, 2>();
    let neighbours = Neighbours { args: &args, mode, axes, value };
    let [zero, one, eight, top] = [0, 1, 8, 128].map(|n| b.int::<U32>(n));
    if let Some(size) = network {
        args.write(
            PixelType::U8,
            &|at| {
                let places = (0..size * size).map(|i| [i % size, i / size].map(|n| b.int(n as i64)));
                middle(places.map(|place| neighbours.get(at, place)).collect()).unwrap_or(zero)
            },
            Some(Together {
                elements: 4,
                rows: 1,
                inside: &|unit| neighbours.inside(unit, size / 2),
                words: Words::OfUnit(&|unit| {
                    let words = neighbours.words(unit, size, channels).concat();
                    // Bytes in their places of a word compare as the bytes do.
                    let bytes: Vec<_> = words.iter().map(|word| masked(*word)).collect();
                    let of =
                        |k: usize| middle(bytes.iter().filter_map(|word| word.get(k).copied()).collect());
                    joined(&(0..4).filter_map(of).collect::<Vec<_>>())
                }),
            }),
        );
        return b.finish();
    }
    args.write(
        PixelType::U8,
        &|at| {
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
        },
        None,
    );
    b.finish()
}

/// The column and row in the window of an element from its number along the derivative, 0 or 2, and across it, 0 to 2.
const fn place(downwards: bool, [along, across]: [usize; 2]) -> [usize; 2] {
    if downwards { [across, along] } else { [along, across] }
}

/// A Sobel derivative of bytes or of floats, from the elements in the columns and rows of the window.
fn slope<'b>(bytes: bool, downwards: bool, get: &dyn Fn([usize; 2]) -> Value<'b, U32>) -> Value<'b, U32> {
    let pairs = [0, 1, 2].map(|across| [0, 2].map(|along| get(place(downwards, [along, across]))));
    if bytes {
        let [first, middle, last] = pairs.map(|[low, high]| high - low);
        ((first + last) + (middle + middle)) & first.builder().int(0xffff)
    } else {
        let [first, middle, last] = pairs.map(|[low, high]| high.cast::<F32>() - low.cast::<F32>());
        ((first + last) + (middle + middle)).cast()
    }
}

/// A Sobel derivative of bytes, as signed 16-bit numbers, or of floats, along rows or `downwards`, in images of `channels`. Parameters:
/// [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), both axes, the constant of the border.
pub fn sobel(
    walk: Walk,
    of: PixelType,
    downwards: bool,
    mode: BorderMode,
    channels: usize,
) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name(&format!("sobel_{of:?}_{downwards}_{mode:?}_{channels}")));
    let (args, []) = Args::new(&b, walk, of);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let neighbours = Neighbours { args: &args, mode, axes, value: b.param::<U32>() };
    let bytes = of == PixelType::U8;
    args.write(
        if bytes { PixelType::U16 } else { PixelType::U32 },
        &|at| slope(bytes, downwards, &|place| neighbours.get(at, place.map(|n| b.int(n as i64)))),
        Some(Together {
            elements: if bytes { 4 } else { 1 },
            rows: 1,
            inside: &|unit| neighbours.inside(unit, 1),
            words: Words::OfUnit(&|unit| {
                if !bytes {
                    let get = |[j, k]: [usize; 2]| {
                        let start = (unit.y + b.int(k as i64) - b.int(1)) * args.x.stride;
                        args.x.get(start + unit.e + b.int((j * channels) as i64) - b.int(channels as i64))
                    };
                    return vec![slope(bytes, downwards, &get)];
                }
                let words = neighbours.words(unit, 3, channels);
                // The sums of the elements at the two ends of the derivative are below 2¹⁵, so that two are computed in one word.
                let sums = |along: usize| {
                    let [first, middle, last] = [0, 1, 2].map(|across| {
                        let [j, k] = place(downwards, [along, across]);
                        let word = words.get(k).and_then(|row| row.get(j)).copied();
                        halves(word.unwrap_or(unit.e))
                    });
                    let sum = |p, q, r| p + r + (q << b.int(1));
                    let ([p, p_odd], [q, q_odd], [r, r_odd]) = (first, middle, last);
                    [sum(p, q, r), sum(p_odd, q_odd, r_odd)]
                };
                let ([low, low_odd], [high, high_odd]) = (sums(0), sums(2));
                let sign = b.int(0x8000_8000);
                interleaved(
                    [(low, high), (low_odd, high_odd)].map(|(low, high)| ((high | sign) - low) ^ sign),
                )
            }),
        }),
    );
    b.finish()
}
