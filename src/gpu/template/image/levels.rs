//! Histograms of images, and levels that follow from them.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel, Rmw, Space, Special};
use super::super::super::types::{U32, U64};
use super::super::flat::{get, put};
use super::{Args, PixelType, Walk};
use alloc::format;
use alloc::vec::Vec;

/// The levels of a byte, and the threads of a block.
pub const LEVELS: u32 = 256;

/// The base-2 logarithm of the histograms of a block: neighbouring threads count in different ones, whose counts of one level are in
/// different banks. They take at most 16 KiB of shared memory.
const fn copies(channels: usize) -> i64 {
    if channels <= 2 { 3 } else { 2 }
}

/// Adds the pixels of each level of each channel to its count. Parameters: the image, the counts (256 for each channel); the rows, the elements
/// before the image in its first word, its stride, the elements of a row. A block has some words of several rows.
pub fn count_levels(channels: usize) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("count_levels_{channels}"));
    b.threads([LEVELS, 1, 1]);
    let [x, counts] = b.params::<U64, 2>();
    let [height, before, stride, row] = b.params::<U32, 4>();
    let copies = copies(channels);
    let levels = LEVELS * channels as u32;
    let room = b.shared((4 * levels) << copies, 4);
    let (thread, threads) = (b.special(Special::TidX), b.int::<U32>(LEVELS.into()));
    let [zero, one, c] = [0, 1, channels].map(|n| b.int::<U32>(n as i64));
    b.count::<U32, U32>([thread, b.int(i64::from(levels) << copies), threads], 1, &[], |i, _| {
        b.store(Space::Shared, room + (i << b.int(2)), 0, zero);
        Vec::new()
    });
    b.barrier();
    let own = room + ((thread & b.int((1 << copies) - 1)) << b.int(2));
    let [first, step] = [Special::CtaidX, Special::NctaidX].map(|of| b.special(of) * threads);
    let rows = [b.special(Special::CtaidY), height, b.special(Special::NctaidY)];
    b.count::<U32, U32>(rows, 1, &[], |y, _| {
        let start = before + y * stride;
        let begin = start >> b.int(2);
        let end = (start + row + b.int(3)) >> b.int(2);
        b.count::<U32, U32>([begin + first + thread, end, step], 1, &[], |word, _| {
            // Elements before the row are beyond all others.
            let e = (word << b.int(2)) - start;
            // Twelve is a multiple of all numbers of channels, and more than the elements of a word before the row.
            let place = e + b.int(12);
            let channel = place - place / c * c;
            let bytes = PixelType::U8.unpack(&[get(x, word)]);
            for (k, level) in bytes.into_iter().enumerate() {
                let k = b.int(k as i64);
                let channel = match channels {
                    1 => zero,
                    2 => (channel + k) & one,
                    _ => {
                        let next = channel + k;
                        Value::select(next.compare(Cmp::Ge, c), next - c, next)
                    }
                };
                let at = own + (((channel << b.int(8)) + level) << b.int(copies + 2));
                b.when((e + k).compare(Cmp::Lt, row), || _ = b.atomic(Space::Shared, Rmw::Add, at, one));
            }
            Vec::new()
        });
        Vec::new()
    });
    b.barrier();
    b.count::<U32, U32>([thread, b.int(levels.into()), threads], 1, &[], |i, _| {
        let at = room + (i << b.int(copies + 2));
        let all = (0..1 << copies).map(|copy| b.load::<U32>(Space::Shared, at, 4 * copy));
        let all = all.reduce(|p, q| p + q).unwrap_or(zero);
        let to = counts + i.wide(b.int(4));
        b.when(all.compare(Cmp::Ne, zero), || _ = b.atomic(Space::Global, Rmw::Add, to, all));
        Vec::new()
    });
    b.finish()
}

/// The equalised level of each level of a channel: `⌊255·n/d + 1/2⌋`, where `n` is the number of pixels up to the level and `d` that of all, without those of
/// the lowest level of the channel. Where `d` is 0, the level itself. Parameters: the counts, the levels (256 words for each channel); the
/// pixels. A block has a channel, and a thread a level.
pub fn equal_levels() -> Result<Kernel, Error> {
    let b = Builder::new("equal_levels");
    b.threads([LEVELS, 1, 1]);
    let [counts, table] = b.params::<U64, 2>();
    let total = b.param::<U32>();
    let room = b.shared(4 * LEVELS + 4, 4);
    let darkest_at = room + b.int(4 * i64::from(LEVELS));
    let level = b.special(Special::TidX);
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    let element = b.special(Special::CtaidX) * b.int(LEVELS.into()) + level;
    let own = get(counts, element);
    let at = room + (level << b.int(2));
    let mut sum = own;
    for apart in (0..8).map(|k| 1i64 << k) {
        b.store(Space::Shared, at, 0, sum);
        b.barrier();
        let [before] = b.either(
            level.compare(Cmp::Ge, b.int(apart)),
            || [b.load::<U32>(Space::Shared, at + b.int(-4 * apart), 0)],
            || [zero],
        );
        b.barrier();
        sum = sum + before;
    }
    b.when(own.compare(Cmp::Ne, zero) & sum.compare(Cmp::Eq, own), || {
        b.store(Space::Shared, darkest_at, 0, own);
    });
    b.barrier();
    let darkest = b.load::<U32>(Space::Shared, darkest_at, 0);
    let (n, d) = (sum.most(darkest) - darkest, total - darkest);
    // The largest level whose `510n >= d(2·level - 1)`, bit by bit: the products have 64 bits.
    let (high, low) = (n.high(b.int(510)), n * b.int(510));
    let found = (0..8).rev().fold(zero, |found, bit| {
        let more = found + b.int(1 << bit);
        let twice = more + more - one;
        let (other_high, other_low) = (d.high(twice), d * twice);
        let equal = high.compare(Cmp::Eq, other_high) & low.compare(Cmp::Ge, other_low);
        Value::select(high.compare(Cmp::Gt, other_high) | equal, more, found)
    });
    put(table, element, Value::select(d.compare(Cmp::Eq, zero), level, found));
    b.finish()
}

/// Replaces levels of bytes in images of `channels` by those of tables. Parameters: the tables (256 words for each channel) after the source,
/// [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS).
pub fn map_levels(walk: Walk, channels: usize) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name(&format!("map_levels_{channels}")));
    let (args, [table]) = Args::new(&b, walk, PixelType::U8);
    args.write_pixels([channels; 2], &|p| {
        let first = |c: usize| b.int(i64::from(LEVELS) * c as i64);
        p.iter().enumerate().map(|(c, level)| get(table, *level + first(c))).collect()
    });
    b.finish()
}
