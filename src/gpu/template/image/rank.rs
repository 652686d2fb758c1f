//! Medians of large windows, by histograms that move along with the windows.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::super::types::U32;
use super::separable::store;
use super::window::{Axis, BorderMode, Neighbours};
use super::{Args, PixelType, Walk};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// The threads of a block: one warp.
pub const RANK_THREADS: u32 = 32;
/// The rows of which a thread computes one element each: enough that few rows are read only to begin a window, and so few that all
/// multiprocessors have blocks (249 µs of 15 by 15 on an H200, 254 with 32 or 96; 721 of 31 by 31, 803 with 48).
#[must_use]
pub const fn rank_rows(wide: bool) -> usize {
    if wide { 96 } else { 48 }
}
/// The results of a thread that are stored together: rows in a word of bytes.
const ROWS: usize = 4;
/// The columns and rows of the largest window whose counts fit in a byte.
const NARROW: usize = 15;
/// Those of the largest window of all.
const WIDE: usize = 255;

/// Whether counts have 16 bits, as those of so many columns and rows exceed a byte.
#[must_use]
pub const fn is_wide(size: usize) -> bool {
    size > NARROW
}

/// The bytes of shared memory of a block: histograms, results, and the row that enters windows and the one that leaves them.
#[must_use]
pub const fn rank_shared(size: usize, channels: usize) -> u32 {
    let rows = 2 * stages(is_wide(size), channels) as u32;
    4 * RANK_THREADS * (words(is_wide(size)) + 1 + rows)
}

/// The words of a histogram of bytes.
const fn words(wide: bool) -> u32 {
    if wide { 128 } else { 64 }
}

/// The elements of a row that each thread of a block stages, for all windows of the block.
const fn stages(wide: bool, channels: usize) -> usize {
    let (size, threads) = (if wide { WIDE } else { NARROW }, RANK_THREADS as usize);
    (threads + (size - 1) * channels).div_ceil(threads)
}

/// The counts of the bytes in a window: those of a thread are in its own bank of shared memory.
struct Histogram<'b> {
    base: Value<'b, U32>,
    /// The base-2 logarithm of the counts in a word, and of the bits of one.
    per_word: [i64; 2],
}

impl<'b> Histogram<'b> {
    /// The number of counts in a word.
    const fn counts(&self) -> i64 {
        1 << self.per_word[0]
    }

    /// The address of the word that counts a byte.
    fn place(&self, byte: Value<'b, U32>) -> Value<'b, U32> {
        let (b, [counts, _]) = (byte.builder(), self.per_word);
        self.base + (byte >> b.int(counts)) * b.int(4 * i64::from(RANK_THREADS))
    }

    /// The sums of the first counts of the word that a byte is in, in the places of the counts. No sum exceeds a count's bits, as there are no
    /// more elements in the window.
    fn sums(&self, byte: Value<'b, U32>) -> Value<'b, U32> {
        let (b, [_, bits]) = (byte.builder(), self.per_word);
        let ones = (0..self.counts()).map(|k| 1 << (k << bits)).sum();
        b.load::<U32>(Space::Shared, self.place(byte), 0) * b.int(ones)
    }

    /// The sum of all counts of the word that a byte is in.
    fn sum(&self, byte: Value<'b, U32>) -> Value<'b, U32> {
        let (b, [_, bits]) = (byte.builder(), self.per_word);
        self.sums(byte) >> b.int(32 - (1 << bits))
    }

    /// Counts a byte once more, or once less.
    fn change(&self, byte: Value<'b, U32>, more: bool) {
        let (b, at, [_, bits]) = (byte.builder(), self.place(byte), self.per_word);
        let shift = (byte & b.int(self.counts() - 1)) << b.int(bits);
        let (old, one) = (b.load::<U32>(Space::Shared, at, 0), b.int::<U32>(1) << shift);
        b.store(Space::Shared, at, 0, if more { old + one } else { old - one });
    }
}

/// Medians of bytes in images of `channels`, in windows of more than 5 by 5 pixels. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), both
/// axes, the constant of the border, the size of the window. A thread has a histogram of the window of one element, which it moves down
/// [`rank_rows`] rows. The median is searched from the one of the row before (Huang, Yang, Tang, *A Fast Two-Dimensional Median Filtering
/// Algorithm*, 1979), by the words of the histogram and then by the counts of a word. A block stages each row that enters its windows, and each one that leaves them, in shared memory.
pub fn moving_median(walk: Walk, mode: BorderMode, channels: usize, wide: bool) -> Result<Kernel, Error> {
    let width = if wide { 16 } else { 8 };
    let b = Builder::new(&walk.name(&format!("moving_median_{mode:?}_{channels}_{width}")));
    b.threads([RANK_THREADS, 1, 1]);
    let (args, []) = Args::new(&b, walk, PixelType::U8);
    let axes = [Axis::new(&b), Axis::new(&b)];
    let [value, size] = b.params::<U32, 2>();
    let neighbours = Neighbours { args: &args, mode, axes, value };
    let [zero, one, four, c] = [0, 1, 4, channels].map(|n| b.int::<U32>(n as i64));
    let (threads, stages) = (i64::from(RANK_THREADS), stages(wide, channels));
    let room = |words: u32| b.shared(4 * RANK_THREADS * words, 4);
    let (counts, results) = (room(words(wide)), room(1));
    let staged = [room(stages as u32), room(stages as u32)];
    let thread = b.special(Special::TidX);
    let own = thread << b.int(2);
    let first = b.special(Special::CtaidX) * b.int(threads);
    let counts = Histogram { base: counts + own, per_word: if wide { [1, 4] } else { [2, 3] } };
    let half = (size * size) >> one;
    let rows_of_thread = b.int::<U32>(rank_rows(wide) as i64);
    // The columns of the first window begin where the block does; elements behind the row have some value.
    let column = |stage| {
        let e = first + thread + b.int::<U32>(threads) * stage;
        let x = e / c;
        neighbours.column(x, e - x * c)
    };
    let columns: Vec<_> = if wide { vec![] } else { (0..stages).map(|s| column(b.int(s as i64))).collect() };
    let stage = |to: Value<'_, U32>, y| {
        let row = neighbours.row(y);
        let store = |at, column| b.store(Space::Shared, at, 0, neighbours.element(column, row));
        for (s, column) in columns.iter().enumerate() {
            store(to + own + b.int(4 * threads * s as i64), *column);
        }
        if wide {
            let last = (b.int(threads) + (size - one) * c + b.int(threads - 1)) >> b.int(5);
            b.count::<U32, U32>([zero, last, one], 1, &[], |s, _| {
                store(to + own + s * b.int(4 * threads), column(s));
                Vec::new()
            });
        }
    };
    let [start, step] = [Special::CtaidY, Special::NctaidY].map(|s| b.special(s) * rows_of_thread);
    b.count::<U32, U32>([start, args.height, step], 1, &[], |top, _| {
        b.count::<U32, U32>([zero, b.int(i64::from(words(wide))), one], 1, &[], |k, _| {
            b.store(Space::Shared, counts.base + k * b.int(4 * threads), 0, zero);
            Vec::new()
        });
        let end = (top + rows_of_thread).least(args.height);
        // Results are stored when all rows of a word are there.
        let rows = (end - top + b.int(ROWS as i64 - 1)) & b.int(-(ROWS as i64));
        // The first level of the median's word, the elements of the window that are less, and the results that are not stored yet.
        b.count::<U32, U32>([zero, size + rows - one, one], 1, &[zero; 3], |i, state| {
            let &[level, less, kept] = state else { return state.to_vec() };
            let leaves = i.compare(Cmp::Ge, size);
            b.barrier();
            stage(staged[0], top + i);
            b.when(leaves, || stage(staged[1], top + i - size));
            b.barrier();
            let count = |from, less, more: bool| {
                let at = [zero, size * (c * four), c * four];
                let found = b.count::<U32, U32>(at, 1, &[less], |j, less| {
                    let byte = b.load::<U32>(Space::Shared, own + from + j, 0);
                    counts.change(byte, more);
                    // Both are less than 2³¹.
                    let one = (byte - level) >> b.int(31);
                    less.iter().map(|less| if more { *less + one } else { *less - one }).collect()
                });
                found.first().copied().unwrap_or(less)
            };
            let less = count(staged[0], less, true);
            let [less] = b.either(leaves, || [count(staged[1], less, false)], || [less]);
            b.unless(&[level, less, kept], (i + one).compare(Cmp::Ge, size), || {
                let step = b.int(counts.counts());
                let [level, less] = b.either(
                    less.compare(Cmp::Gt, half),
                    || {
                        b.repeat([level, less], |[level, less]| {
                            let level = level - step;
                            let less = less - counts.sum(level);
                            (less.compare(Cmp::Gt, half), [level, less])
                        })
                    },
                    || [level, less],
                );
                let [level, less] = b.repeat([level, less], |[level, less]| {
                    let through = less + counts.sum(level);
                    let up = through.compare(Cmp::Le, half);
                    (up, [Value::select(up, level + step, level), Value::select(up, through, less)])
                });
                let [_, bits] = counts.per_word;
                let sums = counts.sums(level);
                let median = (0..counts.counts() - 1).fold(level, |median, k| {
                    let sum = (sums >> b.int(k << bits)) & b.int((1 << (1 << bits)) - 1);
                    median + Value::select((less + sum).compare(Cmp::Le, half), one, zero)
                });
                let row = i + one - size;
                let part = row & b.int(ROWS as i64 - 1);
                let kept = kept | (median << (part << b.int(3)));
                let full = part.compare(Cmp::Eq, b.int(ROWS as i64 - 1));
                let [kept] = b.either(
                    full,
                    || {
                        b.store(Space::Shared, results + own, 0, kept);
                        b.barrier();
                        // A quarter of the threads has each row: of four neighbours, the byte of that row.
                        let [group, part] = [thread & b.int(threads / 4 - 1), thread / b.int(threads / 4)];
                        let of = |k: usize| {
                            let word =
                                b.load::<U32>(Space::Shared, results + (group << b.int(4)), 4 * k as i32);
                            (word >> (part << b.int(3))) & b.int(0xff)
                        };
                        let word = PixelType::U8.pack(&[0, 1, 2, 3].map(of));
                        let place =
                            (top + row + part + one - b.int(ROWS as i64), first + (group << b.int(2)));
                        store(&args, place, PixelType::U8, &word);
                        [zero]
                    },
                    || [kept],
                );
                vec![level, less, kept]
            })
        });
        Vec::new()
    });
    b.finish()
}
