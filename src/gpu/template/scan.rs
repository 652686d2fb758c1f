//! Prefix sums of rows: the threads of a row scan the sums of their pieces of a tile, and tiles follow one another.
//! Several blocks share a row when rows are few and long.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::block_reduce::{Meet, Threads, each_by, on_row};
use super::factor::{self, kept};
use super::flat::{at, each, get, keep, named, neighbours, put};
use super::layer::{each_row, leads};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// How rows are divided among threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scan {
    /// The threads of a row. Only those of [`Meet::Warps`] have several rows in a block.
    pub threads: Threads,
    /// Pieces of neighbouring elements that a thread has of a tile: one of [`Meet::Memory`], and at most as many as leave a
    /// lane of a warp for each piece of each warp of a row.
    pub pieces: u32,
    /// Whether pieces are read and written at once: where both arrays start at multiples of 16 bytes.
    pub wide: bool,
}

impl Scan {
    /// Columns up to which a row has a thread.
    pub const SINGLE: usize = 32;

    /// For rows of `cols` elements of `width` bytes, on a device with blocks of up to `threads`.
    #[must_use]
    pub fn of([cols, threads]: [usize; 2], width: u32, meet: Meet, short: bool, wide: bool) -> Self {
        let row = match cols {
            0..=512 => 32,
            513..=2048 => 128,
            _ if threads < 256 => 128,
            _ => 256,
        };
        let (block, most) = match meet {
            Meet::Warps => (row.max(128), if short { 1 } else { 4 }),
            Meet::Memory => (row, 1),
        };
        let threads = Threads { block, row };
        let pieces = u32::try_from(cols).unwrap_or(u32::MAX).div_ceil(row * many(width));
        Self { threads, pieces: pieces.clamp(1, most).next_power_of_two(), wide }
    }

    /// Elements of a tile.
    #[must_use]
    pub const fn tile(self, width: u32) -> u32 {
        self.threads.row * self.pieces * many(width)
    }

    /// Another number for each.
    pub(in super::super) const fn number(self) -> u32 {
        self.threads.row << 8 | self.pieces << 1 | self.wide as u32
    }
}

/// Threads of a block of [`staged`], and its rows.
pub const STAGED: u32 = 64;

/// Neighbouring elements of a piece.
pub const fn many(width: u32) -> u32 {
    16 / width
}

/// The sums of each row up to each of its elements, in order, a thread for each row. Parameters: `x`, `out`; rows, columns.
pub fn single<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("cumsum");
    let [x, out] = b.params::<U64, 2>();
    let [rows, cols] = b.params::<U32, 2>();
    each(&b, rows, |r| {
        let start = r * cols;
        let first = get::<T>(x, start);
        put(out, start, first);
        b.count::<U32, T>([start + b.int(1), start + cols, b.int(1)], 1, &[first], |i, sum| {
            let sum: Vec<_> = sum.iter().map(|sum| *sum + get(x, i)).collect();
            sum.iter().for_each(|sum| put(out, i, *sum));
            sum
        });
    });
    b.finish()
}

/// An element of [`staged`]: its place in shared memory, that in memory, and whether there is one.
struct Place<'b> {
    stage: Value<'b, U32>,
    memory: Value<'b, U32>,
    there: Value<'b, Pred>,
}

/// As [`single`], the same sums, by blocks of [`STAGED`] threads that read and write as many rows of up to [`Scan::SINGLE`] columns as
/// neighbours, through shared memory: threads that read a row each would read memory once for every element.
pub fn staged<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("cumsum_staged");
    let [x, out] = b.params::<U64, 2>();
    let [rows, cols] = b.params::<U32, 2>();
    let stage = factor::scratch::<T>(&b, STAGED * (Scan::SINGLE as u32 + 1));
    let [zero, one, all, tid] = [b.int(0), b.int(1), b.int(i64::from(STAGED)), b.special(Special::TidX)];
    // Rows begin an odd number of elements apart, so that threads beside each other read other banks.
    let pitch = cols | one;
    let (down, along) = (all / cols, all - all / cols * cols);
    let (row, col) = (tid / cols, tid - tid / cols * cols);
    let (next, wrap) = (down * pitch + along, pitch - cols);
    each_row(&b, (rows + all - one) / all, |group| {
        let first = group * all;
        let here = (rows - first).least(all);
        let (start, total) = (first * cols, here * cols);
        // `f` for as many elements of a thread at a time as keep memory busy.
        let each_few = |f: &dyn Fn(&[Place<'_>])| {
            b.count::<U32, U32>([zero, cols, b.int(8)], 1, &[col, row * pitch + col], |i, carried| {
                let (mut c, mut s) = match carried {
                    [c, s] => (*c, *s),
                    _ => (zero, zero),
                };
                let places: Vec<_> = (0..8)
                    .map(|j| {
                        let e = (i + b.int(j)) * all + tid;
                        let place = Place { stage: s, memory: start + e, there: e.compare(Cmp::Lt, total) };
                        let over = (c + along).compare(Cmp::Ge, cols);
                        (c, s) = (
                            c + along - Value::select(over, cols, zero),
                            s + next + Value::select(over, wrap, zero),
                        );
                        place
                    })
                    .collect();
                f(&places);
                vec![c, s]
            });
        };
        each_few(&|places| {
            let read: Vec<_> = places
                .iter()
                .map(|at| b.either(at.there, || [get::<T>(x, at.memory)], || [b.bits(0)]))
                .collect();
            for (at, [v]) in places.iter().zip(&read) {
                b.when(at.there, || factor::keep(stage, at.stage, *v));
            }
        });
        b.barrier();
        b.when(tid.compare(Cmp::Lt, here), || {
            let from = tid * pitch;
            b.count::<U32, T>([from + one, from + cols, one], 1, &[kept(stage, from)], |i, sum| {
                let sum: Vec<_> = sum.iter().map(|sum| *sum + kept(stage, i)).collect();
                sum.iter().for_each(|sum| factor::keep(stage, i, *sum));
                sum
            });
        });
        b.barrier();
        each_few(&|places| {
            for at in places {
                b.when(at.there, || put(out, at.memory, kept::<T>(stage, at.stage)));
            }
        });
    });
    b.finish()
}

/// A row, or a part of one, whose tiles begin at a piece.
#[derive(Clone, Copy)]
struct Line<'b> {
    b: &'b Builder,
    of: Scan,
    /// Where the first tile begins: at most a piece before the first element.
    origin: Value<'b, U32>,
    /// The first element, and past the last.
    start: Value<'b, U32>,
    stop: Value<'b, U32>,
}

impl<'b> Line<'b> {
    /// All of a row.
    fn new<T: Recorded>(b: &'b Builder, of: Scan, [start, stop]: [Value<'b, U32>; 2]) -> Self {
        let mask = if of.wide { !i64::from(many(T::TYPE.bytes()) - 1) } else { -1 };
        Self { b, of, origin: start & b.int(mask), start, stop }
    }

    /// The part that begins `from` elements past the origin, of `length`.
    fn part(self, from: Value<'b, U32>, length: Value<'b, U32>) -> Self {
        let origin = self.origin + from;
        Self { origin, stop: self.stop.least(origin + length), ..self }
    }

    /// What no sum changes by, whatever its sign.
    fn nothing<T: Recorded>(self) -> Value<'b, T> {
        -self.b.bits::<T>(0)
    }

    /// Where the thread's pieces of the tile at `i` begin.
    fn places<T: Recorded>(self, i: Value<'b, U32>) -> Vec<Value<'b, U32>> {
        let (b, many) = (self.b, many(T::TYPE.bytes()));
        let [_, place] = self.of.threads.place(b);
        let first = i + place * b.int(i64::from(many));
        let step = i64::from(self.of.threads.row * many);
        (0..i64::from(self.of.pieces)).map(|p| first + b.int(p * step)).collect()
    }

    /// Whether all of the piece at `i` is in the line, and whether some of it is.
    fn within<T: Recorded>(self, i: Value<'b, U32>) -> [Value<'b, Pred>; 2] {
        let end = i + self.b.int(i64::from(many(T::TYPE.bytes())));
        let all = i.compare(Cmp::Ge, self.start) & end.compare(Cmp::Le, self.stop);
        [all, end.compare(Cmp::Gt, self.start) & i.compare(Cmp::Lt, self.stop)]
    }

    fn has(self, e: Value<'b, U32>) -> Value<'b, Pred> {
        e.compare(Cmp::Ge, self.start) & e.compare(Cmp::Lt, self.stop)
    }

    /// The piece at `i`, with [`Self::nothing`] outside of the line.
    fn read<T: Recorded>(self, x: Value<'b, U64>, i: Value<'b, U32>) -> Vec<Value<'b, T>> {
        let (b, many, nothing) = (self.b, many(T::TYPE.bytes()), self.nothing::<T>());
        let elements = || -> Vec<Value<'b, T>> {
            let one = |j: u32| {
                let e = i + b.int(i64::from(j));
                let [v] = b.either(self.has(e), || [get::<T>(x, e)], || [nothing]);
                v
            };
            (0..many).map(one).collect()
        };
        if !self.of.wide {
            return elements();
        }
        let [all, some] = self.within::<T>(i);
        let none: Vec<_> = (0..many).map(|_| nothing).collect();
        let whole = b.unless(&none, all, || neighbours::<T>(b, Space::Global, at::<T>(x, i), 0, many));
        b.unless(&whole, some & !all, elements)
    }

    /// Writes what of the piece at `i` is in the line.
    fn write<T: Recorded>(self, out: Value<'b, U64>, i: Value<'b, U32>, v: &[Value<'b, T>]) {
        let b = self.b;
        let elements = || {
            for (j, v) in (0..).zip(v) {
                let e = i + b.int(j);
                b.when(self.has(e), || put(out, e, *v));
            }
        };
        if !self.of.wide {
            return elements();
        }
        let [all, some] = self.within::<T>(i);
        b.when(all, || keep(b, Space::Global, at::<T>(out, i), v));
        b.when(some & !all, elements);
    }

    /// Running sums from `carry` on.
    fn scan<T: Recorded>(
        self,
        [x, out]: [Value<'b, U64>; 2],
        carry: Value<'b, T>,
        (meet, scratch): (Meet, Value<'b, U32>),
    ) {
        let (b, of) = (self.b, self.of);
        let tile = b.int(i64::from(of.tile(T::TYPE.bytes())));
        b.count::<U32, T>([self.origin, self.stop, tile], 1, &[carry], |i, carry| {
            let places = self.places::<T>(i);
            let mut pieces: Vec<Vec<Value<'b, T>>> = places.iter().map(|i| self.read(x, *i)).collect();
            for piece in &mut pieces {
                let mut sum = None;
                piece.iter_mut().for_each(|v| *v = *sum.insert(sum.map_or(*v, |sum: Value<'b, T>| sum + *v)));
            }
            let nothing = self.nothing();
            let sums: Vec<_> = pieces.iter().map(|piece| piece.last().copied().unwrap_or(nothing)).collect();
            let (before, all) = match meet {
                Meet::Warps => by_warps(b, of, scratch, &sums, nothing),
                Meet::Memory => by_memory(b, of.threads, scratch, &sums, nothing),
            };
            carry
                .iter()
                .map(|carry| {
                    for ((i, piece), before) in places.iter().zip(&pieces).zip(&before) {
                        let before = *carry + *before;
                        let sums: Vec<_> = piece.iter().map(|v| before + *v).collect();
                        self.write(out, *i, &sums);
                    }
                    *carry + all
                })
                .collect()
        });
    }

    /// The sum of all.
    fn sum<T: Recorded>(self, x: Value<'b, U64>, meet: Meet) -> Value<'b, T> {
        let (b, of, nothing) = (self.b, self.of, self.nothing::<T>());
        let tile = b.int(i64::from(of.tile(T::TYPE.bytes())));
        let none: Vec<_> = (0..of.pieces * many(T::TYPE.bytes())).map(|_| nothing).collect();
        let sums = b.count::<U32, T>([self.origin, self.stop, tile], 1, &none, |i, sums| {
            let new = self.places::<T>(i).into_iter().flat_map(|i| self.read::<T>(x, i));
            sums.iter().zip(new).map(|(sum, v)| *sum + v).collect()
        });
        let own = sums.into_iter().reduce(|p, q| p + q).unwrap_or(nothing);
        let [all] = on_row(b, meet, of.threads, [own], |[p], [q]| [p + q]);
        all
    }
}

/// Shared memory in which the threads of a block scan.
fn scratch<T: Recorded>(b: &Builder, of: Scan, meet: Meet) -> Value<'_, U32> {
    let sums = match meet {
        Meet::Warps if of.threads.row == 32 => return b.int(0),
        Meet::Warps => of.threads.row / 32 * of.pieces,
        Meet::Memory => of.threads.row,
    };
    b.shared(sums * T::TYPE.bytes(), T::TYPE.bytes())
}

/// The sum of this lane's and all earlier ones' of the warp.
fn up_to<'b, T: Recorded>(b: &'b Builder, lane: Value<'b, U32>, v: Value<'b, T>) -> Value<'b, T> {
    [1, 2, 4, 8, 16].into_iter().fold(v, |sum, distance| {
        let by = b.int::<U32>(distance);
        let earlier = sum.shuffle(Shuffle::Up, by);
        Value::select(lane.compare(Cmp::Ge, by), earlier + sum, sum)
    })
}

/// For the sum of each piece of a thread what is before it in the tile; and the sum of the tile.
fn by_warps<'b, T: Recorded>(
    b: &'b Builder,
    of: Scan,
    scratch: Value<'b, U32>,
    sums: &[Value<'b, T>],
    nothing: Value<'b, T>,
) -> (Vec<Value<'b, T>>, Value<'b, T>) {
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (tid, width) = (b.special(Special::TidX), T::TYPE.bytes());
    let lane = tid & int(31);
    let first = lane.compare(Cmp::Eq, int(0));
    let scans: Vec<_> = sums.iter().map(|v| up_to(b, lane, *v)).collect();
    let earlier = |v: &Value<'b, T>| Value::select(first, nothing, v.shuffle(Shuffle::Up, int(1)));
    let lanes: Vec<_> = scans.iter().map(earlier).collect();
    let warps = of.threads.row / 32;
    if warps == 1 {
        let mut all = nothing;
        let mut before = Vec::with_capacity(sums.len());
        for (scan, lane) in scans.iter().zip(lanes) {
            before.push(all + lane);
            all = all + scan.shuffle(Shuffle::Index, int(31));
        }
        return (before, all);
    }
    // A lane for each piece of each warp.
    let warp = tid >> int(5);
    b.when(lane.compare(Cmp::Eq, int(31)), || {
        for (p, scan) in (0..).zip(&scans) {
            b.store(Space::Shared, scratch + warp * int(width), (p * warps * width) as i32, *scan);
        }
    });
    b.barrier();
    let last = warps * of.pieces - 1;
    let own = b.load::<T>(Space::Shared, scratch + lane.least(int(last)) * int(width), 0);
    let tile = up_to(b, lane, own);
    // The next tile uses the same memory.
    b.barrier();
    let before = (0..).zip(lanes).map(|(p, lane)| {
        let place = warp + int(p * warps);
        // Of the first piece of the first warp some lane's, which is not used.
        let earlier = tile.shuffle(Shuffle::Index, (place + int(31)) & int(31));
        Value::select(place.compare(Cmp::Eq, int(0)), nothing, earlier) + lane
    });
    (before.collect(), tile.shuffle(Shuffle::Index, int(last)))
}

/// As [`by_warps`], without shuffles, of one piece for each thread of a block.
fn by_memory<'b, T: Recorded>(
    b: &'b Builder,
    threads: Threads,
    scratch: Value<'b, U32>,
    sums: &[Value<'b, T>],
    nothing: Value<'b, T>,
) -> (Vec<Value<'b, T>>, Value<'b, T>) {
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (tid, width) = (b.special(Special::TidX), int(T::TYPE.bytes()));
    let own = scratch + tid * width;
    let earlier = |by: Value<'b, U32>| {
        // WGSL takes addresses of shared memory that are sums with its start.
        let there = || [b.load::<T>(Space::Shared, scratch + (tid - by) * width, 0)];
        let [v] = b.either(tid.compare(Cmp::Ge, by), there, || [nothing]);
        v
    };
    let mine = sums.first().copied().unwrap_or(nothing);
    b.store(Space::Shared, own, 0, mine);
    b.barrier();
    b.count::<U32, T>([int(0), int(threads.row.ilog2()), int(1)], 1, &[mine], |i, sum| {
        let before = earlier(int(1) << i);
        b.barrier();
        let sum: Vec<_> = sum.iter().map(|sum| before + *sum).collect();
        sum.iter().for_each(|sum| b.store(Space::Shared, own, 0, *sum));
        b.barrier();
        sum
    });
    let before = earlier(int(1));
    let all = b.load::<T>(Space::Shared, scratch, ((threads.row - 1) * T::TYPE.bytes()) as i32);
    // The next tile uses the same memory.
    b.barrier();
    (Vec::from([before]), all)
}

fn named_by<T: Recorded>(op: &str, of: Scan) -> Builder {
    let Scan { threads, pieces, wide } = of;
    let b = named::<T>(&format!("{op}_{}x{pieces}{}", threads.row, if wide { "_wide" } else { "" }));
    b.threads([threads.block, 1, 1]);
    b
}

/// Rows one by one. Parameters: `x`, `out`; rows, columns.
pub fn rows<T: Recorded>(meet: Meet, of: Scan) -> Result<Kernel, Error> {
    let b = named_by::<T>("cumsum_rows", of);
    let [x, out] = b.params::<U64, 2>();
    let [rows, cols] = b.params::<U32, 2>();
    let scratch = scratch::<T>(&b, of, meet);
    each_by::<T>(&b, of.threads, [rows, cols], &[], |r, length, _| {
        let start = r * cols;
        let line = Line::new::<T>(&b, of, [start, start + length]);
        line.scan([x, out], line.nothing::<T>(), (meet, scratch));
        Vec::new()
    });
    b.finish()
}

/// The part of the block's row, a row for each along y.
fn own_part<'b, T: Recorded>(
    b: &'b Builder,
    of: Scan,
    [cols, length]: [Value<'b, U32>; 2],
) -> (Value<'b, U32>, Line<'b>) {
    let row = b.special(Special::CtaidY);
    let start = row * cols;
    let line = Line::new::<T>(b, of, [start, start + cols]);
    (row, line.part(b.special(Special::CtaidX) * length, length))
}

/// The sums of the parts of rows, but for each row's last part. Parameters: `x`, the sums; columns, elements of a part. A block
/// for each part along x, a row for each along y.
pub fn parts<T: Recorded>(meet: Meet, of: Scan) -> Result<Kernel, Error> {
    let b = named_by::<T>("cumsum_parts", of);
    let [x, sums] = b.params::<U64, 2>();
    let (row, line) = own_part::<T>(&b, of, b.params::<U32, 2>());
    let sum = line.sum::<T>(x, meet);
    b.when(leads(&b), || put(sums, row * b.special(Special::NctaidX) + b.special(Special::CtaidX), sum));
    b.finish()
}

/// Running sums of each part, from the sum of those before it on. Parameters: `x`, `out`, the sums of [`parts`]; columns,
/// elements of a part. A block for each part along x, of which there is one more, a row for each along y.
pub fn by_parts<T: Recorded>(meet: Meet, of: Scan) -> Result<Kernel, Error> {
    let b = named_by::<T>("cumsum_by_parts", of);
    let [x, out, sums] = b.params::<U64, 3>();
    let (row, line) = own_part::<T>(&b, of, b.params::<U32, 2>());
    let scratch = scratch::<T>(&b, of, meet);
    let (part, parts) = (b.special(Special::CtaidX), b.special(Special::NctaidX) - b.int(1));
    let bounds = [b.special(Special::TidX), part, b.int(i64::from(of.threads.row))];
    let own = b.count::<U32, T>(bounds, 1, &[line.nothing()], |i, sum| {
        sum.iter().map(|sum| *sum + get(sums, row * parts + i)).collect()
    });
    let own = own.into_iter().next().unwrap_or(line.nothing());
    let [carry] = on_row(&b, meet, of.threads, [own], |[p], [q]| [p + q]);
    line.scan([x, out], carry, (meet, scratch));
    b.finish()
}
