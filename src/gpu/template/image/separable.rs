//! A separable filter in one launch: the sums along columns go to shared memory, and those along rows are made of them there.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::super::types::{Pred, U32, U64};
use super::super::flat::{at, neighbours};
use super::filter::{FilterPass, line_sum};
use super::window::{Axis, BorderMode, Line};
use super::{Args, PixelType, Position, Walk};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// The threads of a block: a warp for each of its rows.
const THREADS: u32 = 32 * OUTPUTS as u32;
/// The neighbouring results of which a thread adds the sums together, and the elements of each line that it reads at once: an element is read
/// once for all of them. In shared memory, a row has groups of as many pixels.
const OUTPUTS: usize = 4;
/// The words of a row in shared memory: all rows have 16 KiB, the most that WebGPU guarantees.
const PITCH: usize = 1024;

/// The elements that a thread computes in each row, for a result of so many channels.
#[must_use]
pub const fn elements_of_thread(channels: usize) -> usize {
    sets(channels) * channels
}

/// The groups of pixels whose sums a thread adds.
const fn sets(channels: usize) -> usize {
    match channels {
        1 => 4,
        2 => 2,
        _ => 1,
    }
}

/// The words from one group in shared memory to the next: pieces of 16 bytes, an odd number of them, so that eight threads that read one each
/// read all banks.
const fn group_words(channels: usize) -> usize {
    4 * (channels | 1)
}

/// Whether the groups that a block needs for windows of so many columns fit in shared memory.
#[must_use]
pub const fn is_staged(channels: usize, columns: usize) -> bool {
    // One before the first window, and one behind the last one, may be there in part.
    32 * sets(channels) + columns.div_ceil(OUTPUTS) + 3 <= PITCH / group_words(channels)
}

/// The weights of an axis, and the zeros behind them that a kernel reads, in whole steps.
#[must_use]
pub const fn padded(weights: usize) -> usize {
    (weights + 2 * OUTPUTS - 2) / OUTPUTS * OUTPUTS
}

/// The weights of an axis.
struct Weights<'b> {
    /// Those of both axes, each with zeros behind them up to [`padded`].
    all: Value<'b, U64>,
    /// The first one.
    first: Value<'b, U32>,
    /// The bits that rounding removes.
    shift: Value<'b, U32>,
    axis: Axis<'b>,
    size: Value<'b, U32>,
}

/// The sums of [`OUTPUTS`] windows, for each of some lines.
type Sums<'b> = Vec<Vec<Value<'b, U32>>>;

impl<'b> Weights<'b> {
    /// How often windows read [`OUTPUTS`] elements of a line.
    fn steps(&self) -> Value<'b, U32> {
        let b = self.size.builder();
        (self.size + b.int(2 * OUTPUTS as i64 - 2)) >> b.int(2)
    }

    /// The sums of windows that begin at neighbouring places. `load(t)` gives, for each of the elements `4·t` to `4·t + 3` of the lines through
    /// the first window, the element of each line. A sum has the elements of its window in order.
    fn slide(
        &self,
        of: FilterPass,
        lines: usize,
        load: &dyn Fn(Value<'b, U32>) -> Vec<Vec<Value<'b, U32>>>,
    ) -> Sums<'b> {
        let b = self.size.builder();
        let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
        // Adds a step to the sums, with the weights before its first one, the last of them first.
        let step = |t: Value<'b, U32>, sums: &Sums<'b>, before: &[Value<'b, U32>], ends: bool| {
            let place = t << b.int(2);
            let new =
                b.load_vector::<U32, OUTPUTS>(Space::Global, at::<U32>(self.all, self.first + place), 0);
            let of_step: Vec<_> = new.iter().rev().chain(before).copied().collect();
            let mut sums = sums.clone();
            for (i, elements) in load(t).iter().enumerate() {
                for (r, sums) in sums.iter_mut().enumerate() {
                    // Weight `4·t + i - r`.
                    let Some(weight) = of_step.get(OUTPUTS - 1 - i + r) else { continue };
                    for (sum, p) in sums.iter_mut().zip(elements) {
                        let added = of.add(*sum, *p, *weight);
                        // Weights behind the last one are zero, but floats may be infinite.
                        let optional = ends && !of.is_of_bytes();
                        let k = place + b.int(i as i64) - b.int(r as i64);
                        *sum = if optional {
                            Value::select(k.compare(Cmp::Lt, self.size), added, *sum)
                        } else {
                            added
                        };
                    }
                }
            }
            let last = new.into_iter().rev().take(OUTPUTS - 1);
            (sums, last.collect::<Vec<_>>())
        };
        let state = |(sums, last): (Sums<'b>, Vec<Value<'b, U32>>)| {
            last.into_iter().chain(sums.into_iter().flatten()).collect::<Vec<_>>()
        };
        let steps = |from: Value<'b, U32>, to: Value<'b, U32>, carried: &[Value<'b, U32>], ends: bool| {
            b.count::<U32, U32>([from, to, one], 1, carried, |t, carried| {
                let (before, sums) = carried.split_at(OUTPUTS - 1);
                state(step(t, &sums.chunks(lines).map(<[_]>::to_vec).collect(), before, ends))
            })
        };
        // The first step has no weights before it. In the middle, no window ends.
        let first = state(step(zero, &vec![vec![zero; lines]; OUTPUTS], &[], true));
        let whole = (self.size >> b.int(2)).most(one);
        let carried = steps(whole, self.steps(), &steps(one, whole, &first, false), true);
        carried.split_at(OUTPUTS - 1).1.chunks(lines).map(<[_]>::to_vec).collect()
    }
}

/// A separable filter along columns and then along rows. Buffers: the source, the weights of both as words of 32 bits, each
/// [`padded`], the result. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS); then along columns and along rows each the bits that rounding removes, an axis
/// ([`AXIS_PARAMS`](super::AXIS_PARAMS)) and the number of weights; the constant of the border, and its weighted sum along columns. A block
/// computes rows of [`elements_of_thread`] times its threads. With `vectors`, threads read four words of shared memory at once: in WGSL, words that
/// are read so could not be written one after the other.
pub fn separable(
    walk: Walk,
    of: PixelType,
    mode: BorderMode,
    channels: usize,
    vectors: bool,
) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name(&format!("image_separable_{of:?}_{mode:?}_{channels}")));
    b.threads([THREADS, 1, 1]);
    let x = b.param::<U64>();
    let weights = b.param::<U64>();
    let args = Args::after_buffers(&b, walk, (x, of));
    let [v, h] = [(); 2].map(|()| {
        let (shift, axis) = (b.param::<U32>(), Axis::new(&b));
        Weights { all: weights, first: b.int(0), shift, axis, size: b.param::<U32>() }
    });
    let h = Weights { first: v.steps() << b.int(2), ..h };
    let border = b.params::<U32, 2>();
    let room = b.shared(4 * (OUTPUTS * PITCH) as u32, 16);
    let [tile, each] = [32 * sets(channels) * OUTPUTS, OUTPUTS].map(|n| b.int::<U32>((n * channels) as i64));
    let start = b.special(Special::CtaidX) * tile;
    let groups = ((args.row - start).least(tile) + each - b.int(1)) / each;
    let together = if vectors { 4 } else { 1 };
    let tile = Tile { args, of, mode, channels, v, h, border, room, start, groups, together };
    let [first, step] = [Special::CtaidY, Special::NctaidY].map(|s| b.special(s) * b.int(OUTPUTS as i64));
    b.count::<U32, U32>([first, tile.args.height, step], 1, &[], |y, _| {
        tile.stage(y);
        b.barrier();
        tile.finish(y);
        b.barrier();
        Vec::new()
    });
    b.finish()
}

/// A block's part of an image.
struct Tile<'b> {
    args: Args<'b>,
    of: PixelType,
    mode: BorderMode,
    channels: usize,
    v: Weights<'b>,
    h: Weights<'b>,
    /// The constant of the border, and its weighted sum along columns.
    border: [Value<'b, U32>; 2],
    /// Rows of [`PITCH`] words in shared memory.
    room: Value<'b, U32>,
    /// The first element in each row.
    start: Value<'b, U32>,
    /// The groups of pixels of the result.
    groups: Value<'b, U32>,
    /// The words of shared memory that a thread reads at once.
    together: u32,
}

impl<'b> Tile<'b> {
    /// The address of a group in a row of shared memory.
    fn place(&self, row: Value<'b, U32>, group: Value<'b, U32>) -> Value<'b, U32> {
        let b = self.args.b;
        self.room + row * b.int(4 * PITCH as i64) + group * b.int(4 * group_words(self.channels) as i64)
    }

    /// Stages the sums along columns of the elements that windows of rows from `y` on have, from the first one that a window has.
    fn stage(&self, y: Value<'b, U32>) {
        let Self { args, of, channels, v, h, start, groups, .. } = self;
        let (b, [down, along]) = (args.b, FilterPass::both(*of));
        let [zero, one, four, c, each] =
            [0, 1, 4, *channels, OUTPUTS * channels].map(|n| b.int::<U32>(n as i64));
        let before = h.axis.half * c;
        // Where rows begin at words, pieces do, and begin up to three elements before the first window.
        let early = if args.x.aligned { (zero - before) & b.int(3) } else { zero };
        let pieces = (*groups + h.steps() - one) * c + ((early + b.int(3)) >> b.int(2));
        // As the image between two passes has them.
        let between = |sum| along.wide(down.stored(sum));
        let thread = b.special(Special::TidX);
        b.count::<U32, U32>([thread, pieces, b.int(THREADS.into())], 1, &[], |piece, _| {
            // Where windows go beyond the first element of a row, this wraps around to a place behind the last one.
            let from_window = *start + (piece << b.int(2)) - early;
            let e = from_window - before;
            let within = e.compare(Cmp::Lt, args.row) & (e + four).compare(Cmp::Le, args.row);
            let last = y + b.int(OUTPUTS as i64 - 1) + (v.size - one - v.axis.half);
            let inside = within & y.compare(Cmp::Ge, v.axis.half) & last.compare(Cmp::Lt, v.axis.n);
            // The address of an element of the piece. A group before the first window's has room for what comes before that.
            let staged = |k: Value<'b, U32>| {
                let element = (piece << b.int(2)) + k + each - early;
                let group = element / each;
                self.place(zero, group) + ((element - group * each) << b.int(2))
            };
            b.either::<U32, 0>(
                inside,
                || {
                    let load = |t: Value<'b, U32>| {
                        let first = y + (t << b.int(2)) - v.axis.half;
                        let row = |i: usize| {
                            // Windows need no row behind the last one.
                            let row = (first + b.int(i as i64)).least(v.axis.n - one) * args.x.stride;
                            of.unpack(&args.x.words(row, e, 4 / of.per_word(), true))
                        };
                        (0..OUTPUTS).map(row).collect()
                    };
                    let sums = v.slide(down, 4, &load);
                    for k in 0..4 {
                        let to = staged(b.int(k as i64));
                        for (r, sum) in sums.iter().filter_map(|sums| sums.get(k)).enumerate() {
                            b.store(
                                Space::Shared,
                                to,
                                4 * (r * PITCH) as i32,
                                between(down.round(*sum, v.shift)),
                            );
                        }
                    }
                    []
                },
                || {
                    b.count::<U32, U32>([zero, four, one], 1, &[], |k, _| {
                        let j = (from_window + k) / c;
                        let (inside, column) = h.axis.place(self.mode, j);
                        let place = Position { y, x: column, c: from_window + k - j * c };
                        let sums = self.beside(place, inside);
                        for (r, sum) in sums.into_iter().enumerate() {
                            b.store(Space::Shared, staged(k), 4 * (r * PITCH) as i32, between(sum));
                        }
                        Vec::new()
                    });
                    []
                },
            );
            Vec::new()
        });
    }

    /// The rounded sums along columns of an element in each row from that of `place` on, whose windows may go beyond the image. With a constant
    /// border, the element is in the image where `inside` is.
    fn beside(&self, place: Position<'b>, inside: Option<Value<'b, Pred>>) -> Vec<Value<'b, U32>> {
        let Self { args, of, mode, v, border: [value, flat], .. } = self;
        let (b, [down, _]) = (args.b, FilterPass::both(*of));
        let line = Line { args, along: false, axis: v.axis, size: v.size };
        if let Some(inside) = inside {
            let row = |r: usize| Position { y: place.y + b.int(r as i64), ..place };
            let sum = |r: usize| line_sum(&line, down, *mode, (v.all, v.shift, *value), row(r));
            let [a, b, c, d] = b.either(inside, || [0, 1, 2, 3].map(sum), || [*flat; OUTPUTS]);
            return vec![a, b, c, d];
        }
        let load = |t: Value<'b, U32>| {
            let first = place.y + (t << b.int(2));
            let element =
                |i: usize| vec![line.element(place, v.axis.place(*mode, first + b.int(i as i64)).1)];
            (0..OUTPUTS).map(element).collect()
        };
        v.slide(down, 1, &load).iter().flatten().map(|sum| down.round(*sum, v.shift)).collect()
    }

    /// Adds the staged sums of rows from `y` on along rows; each warp has one of them.
    fn finish(&self, y: Value<'b, U32>) {
        let Self { args, of, channels, h, start, groups, .. } = self;
        let (b, [_, along], n) = (args.b, FilterPass::both(*of), *channels);
        let thread = b.special(Special::TidX);
        let [lane, warp] = [thread & b.int(31), thread >> b.int(5)];
        let number = |set: usize| lane + b.int(32 * set as i64);
        // Threads behind the last group read that one, and store nothing.
        let read = |set: usize| self.place(warp, number(set).least(*groups - b.int(1)) + b.int(1));
        let read: Vec<_> = (0..sets(n)).map(read).collect();
        let load = |t: Value<'b, U32>| {
            let further = t * b.int(4 * group_words(n) as i64);
            let many = self.together;
            let of_set = |at: &Value<'b, U32>| {
                let piece =
                    |k| neighbours(b, Space::Shared, *at + further, 4 * (many as usize * k) as i32, many);
                (0..OUTPUTS * n / many as usize).flat_map(piece).collect::<Vec<_>>()
            };
            let sets: Vec<_> = read.iter().map(of_set).collect();
            let pixel =
                |i: usize| sets.iter().flat_map(|set| set.iter().skip(i * n).take(n)).copied().collect();
            (0..OUTPUTS).map(pixel).collect()
        };
        let sums = h.slide(along, n * sets(n), &load);
        for set in 0..sets(n) {
            let of_set = sums.iter().flat_map(|sums| sums.iter().skip(set * n).take(n));
            let elements: Vec<_> = of_set.copied().collect();
            let e = *start + number(set) * b.int((OUTPUTS * n) as i64);
            store(args, (y + warp, e), *of, &along.words(&elements, h.shift));
        }
    }
}

/// Stores the words of the elements from `e` of row `y` on, as far as they are in the image.
pub(super) fn store<'b>(
    args: &Args<'b>,
    (y, e): (Value<'b, U32>, Value<'b, U32>),
    of: PixelType,
    words: &[Value<'b, U32>],
) {
    let (b, shift, each) = (args.b, i64::from(of.shift()), of.per_word() as i64);
    let address = at::<U32>(args.out, (y * args.stride + e) >> b.int(shift));
    let end = e + b.int(each * words.len() as i64);
    let is_row = y.compare(Cmp::Lt, args.height);
    b.either::<U32, 0>(
        is_row & end.compare(Cmp::Le, args.row),
        || {
            for (k, word) in words.iter().enumerate() {
                b.store(Space::Global, address, 4 * k as i32, *word);
            }
            []
        },
        || {
            for (k, word) in words.iter().enumerate() {
                let first = e + b.int(each * k as i64);
                b.when(is_row & first.compare(Cmp::Lt, args.row), || {
                    let count = args.row - first;
                    let whole = count.compare(Cmp::Ge, b.int(each));
                    // The elements behind the row, in its last word, stay.
                    let bits = Value::select(whole, b.int(0), count << b.int(5 - shift));
                    let new = Value::select(whole, b.int(-1), (b.int::<U32>(1) << bits) - b.int(1));
                    let old = b.load::<U32>(Space::Global, address, 4 * k as i32);
                    b.store(Space::Global, address, 4 * k as i32, (*word & new) | (old & !new));
                });
            }
            []
        },
    );
}
