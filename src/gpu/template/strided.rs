//! The matrix product `C ← α·A·B + β·C` of strided matrices without tensor cores: a block computes a tile through
//! double-buffered shared memory, a thread a register tile; optionally split-K.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Rmw, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::bf16x3::only_strange;
use super::flat::{aligned, at, each, get, keep, neighbours, put};
use crate::alu::Real;
use alloc::format;
use alloc::vec::Vec;

/// Elements of C that a thread of [`strided`] reads at once.
const AT_ONCE: u32 = 16;

/// How a product is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// Rows and columns that a block computes: powers of two.
    pub tile: [u32; 2],
    /// Depth that is in shared memory at a time: a power of two.
    pub depth: u32,
    /// Rows and columns of a thread.
    pub each: [u32; 2],
    /// Elements that are read from shared memory at once: 1, 2 or 4.
    pub vector: u32,
    /// Pieces in shared memory: with two, threads wait for each other once for a piece.
    pub stages: u32,
    /// Whether blocks share the depth: what [`combine`] puts together.
    pub split: bool,
    /// Whether the last of these blocks does that, in languages in which blocks see what others wrote.
    pub shared: bool,
    /// Whether tiles whose elements have three parts are left to [`super::triple_gemm`].
    pub strange: bool,
    /// Whether C is square, and only its lower triangle is read and written.
    pub lower: bool,
    /// Whether C goes by [`Self::vector`] where it lies so: in languages whose addresses are numbers.
    pub wide: bool,
    /// Whether there are several products, one for each block along z. None of them is split.
    pub batched: bool,
}

impl Division {
    /// For products whose tiles occupy a device.
    pub const LARGE: Self = Self { depth: 8, each: [8, 8], tile: [128, 128], ..Self::SMALL };
    /// For the others.
    pub const SMALL: Self = Self {
        tile: [64, 64],
        depth: 16,
        each: [4, 4],
        vector: 4,
        stages: 2,
        split: false,
        shared: false,
        strange: false,
        lower: false,
        wide: false,
        batched: false,
    };

    /// For few elements, of which larger tiles leave most of a device without work.
    pub const LITTLE: Self = Self { tile: [32, 32], depth: 32, each: [2, 2], vector: 2, ..Self::SMALL };
    /// For fewer.
    pub const TINY: Self = Self { tile: [16, 16], depth: 64, each: [1, 1], vector: 1, ..Self::SMALL };

    /// Of few instructions.
    pub const SHORT: Self = Self { tile: [16, 16], each: [1, 1], vector: 1, stages: 1, ..Self::SMALL };

    /// With less depth, then one stage, where `shared` bytes are too few for elements of `width`. A thread moves as many
    /// neighbours as it reads at once, or more.
    #[must_use]
    pub const fn within(self, width: u32, shared: u32) -> Self {
        let line = (self.pitch(0) + self.pitch(1)) * width;
        if line * self.depth * self.stages <= shared {
            self
        } else if self.depth > 8 {
            let depth = self.depth / 2;
            let ([m, n], threads) = (self.tile, self.threads());
            let least = if m < n { m } else { n } * depth / threads;
            let vector = if self.vector < least { self.vector } else { least };
            Self { depth, vector, ..self }.within(width, shared)
        } else {
            Self { stages: 1, ..self }
        }
    }

    /// Another number for each.
    pub(in super::super) fn number(self) -> u32 {
        let Self { tile: [rows, cols], depth, each: [down, across], vector, stages, .. } = self;
        let logs = [rows, cols, depth, down, across, vector, stages].map(u32::ilog2);
        let flags =
            [self.split, self.shared, self.strange, self.lower, self.wide, self.batched].map(u32::from);
        let number = logs.into_iter().fold(0, |number, log| number << 3 | log);
        flags.into_iter().fold(number, |number, flag| number << 1 | flag)
    }

    /// Threads of a block.
    #[must_use]
    pub const fn threads(self) -> u32 {
        let [rows, cols] = self.grid();
        rows * cols
    }

    /// Rows of a block and of a thread, or on side 1 columns.
    const fn side(self, side: usize) -> [u32; 2] {
        let ([m, n], [rows, cols]) = (self.tile, self.each);
        if side == 0 { [m, rows] } else { [n, cols] }
    }

    /// Threads down and across.
    const fn grid(self) -> [u32; 2] {
        let ([m, n], [rows, cols]) = (self.tile, self.each);
        [m / rows, n / cols]
    }

    /// The row or column of a thread's `k`th, on top of `vector` times its place.
    const fn place(self, side: usize, k: u32) -> u32 {
        // Neighbours read neighbours, so that banks do not conflict.
        let [tile, each] = self.side(side);
        k / self.vector * (tile * self.vector / each) + k % self.vector
    }

    /// Elements from one line of depth to the next, where threads that write down a line use different banks.
    const fn pitch(self, side: usize) -> u32 {
        let [tile, _] = self.side(side);
        tile + 4
    }
}

/// A matrix that is copied to shared memory: rows of A or columns of B, and the depth. A thread moves pieces of `vector`
/// neighbouring rows at one depth, which it writes at once.
struct Side<'b> {
    base: Value<'b, U64>,
    /// Elements between lines of depth.
    step: Value<'b, U32>,
    /// Where the rows or columns of each piece that a thread moves begin.
    rows: Vec<Value<'b, U32>>,
    /// The depth of the first piece, and from one to the next.
    deep: [Value<'b, U32>; 2],
    /// Where they go, likewise.
    to: [Value<'b, U32>; 2],
    tile: Value<'b, U32>,
    vector: usize,
}

impl<'b> Side<'b> {
    /// `first` is the block's first of `many` rows, which are `apart` elements from each other.
    fn new<T: Recorded>(
        b: &'b Builder,
        of: Division,
        side: usize,
        base: Value<'b, U64>,
        [first, many]: [Value<'b, U32>; 2],
        [apart, step]: [Value<'b, U32>; 2],
    ) -> Self {
        let ([span, _], threads, width, pitch) =
            (of.side(side), of.threads(), T::TYPE.bytes(), of.pitch(side));
        let int = |c: u32| b.int::<U32>(i64::from(c));
        let (tid, pieces) = (b.special(Special::TidX), span / of.vector);
        // Neighbouring threads read along the smaller stride.
        let deep = step.compare(Cmp::Lt, apart);
        let pick = |along, across| Value::select(deep, along, across);
        let p = pick(tid & int(of.depth - 1), tid >> int(pieces.ilog2()));
        let i = pick(tid >> int(of.depth.ilog2()), tid & int(pieces - 1)) * int(of.vector);
        let by_p = pick(int(0), int(threads / pieces));
        let by_i = pick(int(threads / of.depth * of.vector), int(0));
        let last = many - int(1);
        // Past the end the last one is read, and what it gives is not stored.
        let rows = (0..span * of.depth / threads).map(|k| {
            let (piece, one) = (k / of.vector, k % of.vector);
            (first + i + by_i * int(piece) + int(one)).least(last) * apart
        });
        let rows = rows.collect();
        let tile = b.shared(of.stages * of.depth * pitch * width, 16);
        let place = |p, i| (p * int(pitch) + i) * int(width);
        let to = [tile + place(p, i), place(by_p, by_i)];
        Self { base, step, rows, deep: [p, by_p], to, tile, vector: of.vector as usize }
    }

    /// This thread's pieces from depth `p0` on; past `end` the last ones.
    fn read<T: Recorded>(&self, p0: Value<'b, U32>, end: Value<'b, U32>) -> Vec<Value<'b, T>> {
        let last = end - p0.builder().int(1);
        let mut all = Vec::new();
        for (rows, p) in self.rows.chunks(self.vector).zip(along(p0 + self.deep[0], self.deep[1])) {
            let line = Value::least(p, last) * self.step;
            all.extend(rows.iter().map(|row| get::<T>(self.base, *row + line)));
        }
        all
    }

    /// Puts what was read from `p0` on into shared memory, 0 past `end`: not before, so that nothing waits for the reads.
    fn write<T: Recorded>(&self, stage: Value<'b, U32>, [p0, end]: [Value<'b, U32>; 2], v: &[Value<'b, T>]) {
        let b = stage.builder();
        let places = along(stage + self.to[0], self.to[1]);
        for ((v, p), to) in v.chunks(self.vector).zip(along(p0 + self.deep[0], self.deep[1])).zip(places) {
            let inside = p.compare(Cmp::Lt, end);
            let v: Vec<_> = v.iter().map(|v| Value::select(inside, *v, b.bits(0))).collect();
            keep(b, Space::Shared, to, &v);
        }
    }
}

/// `first`, then so much more each time.
fn along<'b>(first: Value<'b, U32>, by: Value<'b, U32>) -> impl Iterator<Item = Value<'b, U32>> {
    (0..).map(move |k| if k == 0 { first } else { first + by * first.builder().int(k) })
}

/// Parameters: A, B, C; rows, columns, depth; the strides of A's rows and columns, B's, C's (`U32`, in elements); α, β.
/// C is not read where β is 0. The sum runs in the order of the depth, fused; then α and β, fused. Launch
/// `ceil(columns / tile)` × `ceil(rows / tile)` blocks.
///
/// With `split` there are two more parameters: a block takes so much of the depth (a multiple of the division's) as the
/// first says, from its place along z on, and its sums, without α and β, go as many elements behind C as z times the second.
/// If they are `shared` there are instead, behind the first, room for the sums of all, and zeros, a word for each tile, which are zeros
/// again at the end: the last block of a tile adds up the sums in the order of the depth.
///
/// With `lower` only elements of C on and below its diagonal are computed.
///
/// With `batched` there are then (`U32`): the first product of the launch, how many there are along the inner of two axes, and for
/// each of A, B and C the elements from one matrix to the next along the outer and the inner axis.
///
/// With `strange` there are then: the words of [`super::triple`] for the rows of A and the columns of B, how many a tile
/// has, and a word for each tile which is set to whether this kernel computes it.
pub fn strided<T: Recorded>(of: Division) -> Result<Kernel, Error> {
    let [rows, cols] = of.tile;
    let part = match (of.split, of.shared) {
        (false, _) if of.batched => "_batched",
        (false, _) => "",
        (true, false) => "_split",
        (true, true) => "_shared",
    };
    let only = match (of.strange, of.lower) {
        (true, _) => "_strange",
        (_, true) => "_lower",
        _ => "",
    };
    let b = Builder::new(&format!("gemm_{rows}x{cols}{part}{only}_{}", T::Elem::NAME));
    b.threads([of.threads(), 1, 1]);
    if of.tile == Division::LARGE.tile {
        b.resident(2);
    }
    let [x, y, out] = b.params::<U64, _>();
    let [m, n, k, x_row, x_col, y_row, y_col, out_row, out_col] = b.params::<U32, _>();
    let (alpha, beta) = (b.param::<T>(), b.param::<T>());
    let width = T::TYPE.bytes();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (start, end) = if of.split {
        let chunk = b.param::<U32>();
        let first = b.special(Special::CtaidZ) * chunk;
        (first, (first + chunk).least(k))
    } else {
        (int(0), k)
    };
    let shared = of.shared.then(|| [b.param::<U64>(), b.param::<U64>()]);
    let to = match of.split && !of.shared {
        true => b.special(Special::CtaidZ) * b.param::<U32>(),
        false => int(0),
    };
    if of.strange {
        only_strange(&b, [b.param(), b.param()], b.param(), b.param());
    }
    let [x, y, out] = if of.batched { own_matrices::<T>(&b, [x, y, out]) } else { [x, y, out] };
    let (row0, col0) = (b.special(Special::CtaidY) * int(rows), b.special(Special::CtaidX) * int(cols));
    // A tile above the diagonal has no depth.
    let end = match of.lower {
        true => Value::select((row0 + int(rows)).compare(Cmp::Gt, col0), end, start),
        false => end,
    };
    let a = Side::new::<T>(&b, of, 0, x, [row0, m], [x_row, x_col]);
    let y = Side::new::<T>(&b, of, 1, y, [col0, n], [y_col, y_row]);

    // Warps of 4 × 8 threads, so that each reads few lines of shared memory.
    let [_, across] = of.grid();
    let (tid, wide) = (b.special(Special::TidX), across / 8);
    let (warp, lane) = (tid >> int(5), tid & int(31));
    let down = (warp >> int(wide.ilog2())) * int(4) + (lane >> int(3));
    let across = (warp & int(wide - 1)) * int(8) + (lane & int(7));

    let stage = |side: usize| of.depth * of.pitch(side) * width;
    // Which of two stages holds the depth from `p0` on.
    let turn = |p0, side: usize| match of.stages {
        1 => int(0),
        _ => ((p0 >> int(of.depth.ilog2())) & int(1)) * int(stage(side)),
    };
    b.when(start.compare(Cmp::Lt, end), || {
        a.write(turn(start, 0), [start, end], &a.read::<T>(start, end));
        y.write(turn(start, 1), [start, end], &y.read::<T>(start, end));
    });
    b.barrier();
    let zero = b.bits::<T>(0);
    let init: Vec<_> = (0..of.each[0] * of.each[1]).map(|_| zero).collect();
    let sum = b.count::<U32, T>([start, end, int(of.depth)], 1, &init, |p0, sum| {
        let next = p0 + int(of.depth);
        let (from_a, from_y) = (a.read::<T>(next, end), y.read::<T>(next, end));
        let (at_a, at_y) = (
            a.tile + turn(p0, 0) + down * int(of.vector * width),
            y.tile + turn(p0, 1) + across * int(of.vector * width),
        );
        let mut sum = sum.to_vec();
        for p in 0..of.depth {
            let read = |start, side: usize| -> Vec<Value<'_, T>> {
                let [_, each] = of.side(side);
                let line = (0..each).step_by(of.vector as usize);
                let part = |k| {
                    let offset = (p * of.pitch(side) + of.place(side, k)) * width;
                    neighbours(&b, Space::Shared, start, offset as i32, of.vector)
                };
                line.flat_map(part).collect()
            };
            let (rows, cols) = (read(at_a, 0), read(at_y, 1));
            let pairs = rows.iter().flat_map(|r| cols.iter().map(|c| (*r, *c)));
            sum.iter_mut().zip(pairs).for_each(|(s, (r, c))| *s = r.fma(c, *s));
        }
        if of.stages == 1 {
            b.barrier();
        }
        a.write(turn(next, 0), [next, end], &from_a);
        y.write(turn(next, 1), [next, end], &from_y);
        b.barrier();
        sum
    });

    // Where the tile is all there, and so many neighbours of C lie at multiples of their size, these go at once.
    let parts_alone = of.split && !of.shared;
    let many = if parts_alone || !of.wide { 1 } else { of.vector };
    let whole = || {
        let there = (row0 + int(rows)).compare(Cmp::Le, m) & (col0 + int(cols)).compare(Cmp::Le, n);
        let below = if of.lower { there & row0.compare(Cmp::Ge, col0 + int(cols)) } else { there };
        below & out_col.compare(Cmp::Eq, int(1)) & aligned(out, out_row, [many * width, width])
    };
    let write = |many: u32, sum: &[Value<'_, T>]| {
        // Elements of C that are read before any of them is written: a read waits for what was written before it.
        for (chunk, sums) in (0..).zip(sum.chunks(AT_ONCE as usize)) {
            let places = (chunk * AT_ONCE..).step_by(many as usize).map(|place| {
                let row = row0 + down * int(of.vector) + int(of.place(0, place / of.each[1]));
                let col = col0 + across * int(of.vector) + int(of.place(1, place % of.each[1]));
                let inside = (many == 1).then(|| {
                    let inside = row.compare(Cmp::Lt, m) & col.compare(Cmp::Lt, n);
                    if of.lower { inside & row.compare(Cmp::Ge, col) } else { inside }
                });
                (inside, to + row * out_row + col * out_col)
            });
            let places: Vec<_> = places.zip(sums.chunks(many as usize)).collect();
            let all = places.iter().map(|((inside, to), sums)| {
                if parts_alone { sums.to_vec() } else { scaled(out, *to, sums, [alpha, beta], *inside) }
            });
            let all: Vec<_> = all.collect();
            for (((inside, to), _), v) in places.iter().zip(all) {
                let put = || keep(&b, Space::Global, at::<T>(out, *to), &v);
                inside.map_or_else(put, |inside| b.when(inside, put));
            }
        }
        []
    };
    let finish = |sum: &[Value<'_, T>]| {
        if many == 1 {
            write(1, sum);
        } else {
            b.either::<U32, 0>(whole(), || write(many, sum), || write(1, sum));
        }
    };
    match shared {
        Some(shared) => of_all(&b, of, shared, &sum, finish),
        None => finish(&sum),
    }
    b.finish()
}

/// Where the matrices of this block's product begin.
fn own_matrices<'b, T: Recorded>(b: &'b Builder, all: [Value<'b, U64>; 3]) -> [Value<'b, U64>; 3] {
    let [first, inner] = b.params::<U32, 2>();
    let place = first + b.special(Special::CtaidZ);
    let outer = place / inner;
    let along = place - outer * inner;
    all.map(|base| {
        let [far, near] = b.params::<U32, 2>();
        at::<T>(base, outer * far + along * near)
    })
}

/// `finish` with the sums of all blocks that share a tile, in the block of them that ends last.
fn of_all<'b, T: Recorded>(
    b: &'b Builder,
    of: Division,
    [sums, ended]: [Value<'b, U64>; 2],
    sum: &[Value<'b, T>],
    finish: impl FnOnce(&[Value<'b, T>]),
) {
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (tid, parts, width) = (b.special(Special::TidX), b.special(Special::NctaidZ), T::TYPE.bytes());
    let tile = b.special(Special::CtaidY) * b.special(Special::NctaidX) + b.special(Special::CtaidX);
    // By pieces of each thread, so that neighbours write neighbours.
    let piece = of.threads() * of.vector * width;
    let place = |z: Value<'b, U32>| {
        let first = (tile * parts + z).wide(int(sum.len() as u32 / of.vector * piece));
        sums + first + tid.wide(int(of.vector * width))
    };
    let own = place(b.special(Special::CtaidZ));
    for (j, some) in (0..).zip(sum.chunks(of.vector as usize)) {
        keep(b, Space::Global, own + b.int(j * i64::from(piece)), some);
    }
    b.fence();
    b.barrier();
    let (word, first) = (b.shared(4, 4), tid.compare(Cmp::Eq, int(0)));
    let ended = ended + tile.wide(int(4));
    b.when(first, || b.store(Space::Shared, word, 0, b.atomic(Space::Global, Rmw::Add, ended, int(1))));
    b.barrier();
    let before = b.load::<U32>(Space::Shared, word, 0);
    b.when((before + int(1)).compare(Cmp::Eq, parts), || {
        b.fence();
        b.when(first, || b.store(Space::Global, ended, 0, int(0)));
        let zeros: Vec<_> = sum.iter().map(|_| b.bits(0)).collect();
        // Reads that are under way together have registers.
        let at_once = (2 * AT_ONCE as usize / sum.len().max(1)).clamp(1, 8) as u8;
        let all = b.count::<U32, T>([int(0), parts, int(1)], at_once, &zeros, |z, all| {
            let from = place(z);
            let read =
                |j: i64| neighbours(b, Space::Global, from + b.int(j * i64::from(piece)), 0, of.vector);
            let new = (0..sum.len() as i64 / i64::from(of.vector)).flat_map(read);
            all.iter().zip(new).map(|(all, new)| *all + new).collect()
        });
        finish(&all);
    });
}

/// `alpha·v + beta·out` of neighbours from element `i` on, which are read where they are there and β is not 0.
fn scaled<'b, T: Recorded>(
    out: Value<'b, U64>,
    i: Value<'b, U32>,
    v: &[Value<'b, T>],
    [alpha, beta]: [Value<'b, T>; 2],
    there: Option<Value<'b, Pred>>,
) -> Vec<Value<'b, T>> {
    let (b, zero) = (beta.builder(), beta.builder().bits(0));
    let fresh = beta.compare(Cmp::Eq, zero);
    let read = || neighbours(b, Space::Global, at::<T>(out, i), 0, v.len() as u32);
    let zeros: Vec<_> = v.iter().map(|_| zero).collect();
    let old = b.unless(&zeros, there.map_or(!fresh, |there| there & !fresh), read);
    let all = v.iter().zip(old).map(|(v, old)| {
        let plain = *v * alpha;
        Value::select(fresh, plain, beta.fma(old, plain))
    });
    all.collect()
}

/// The sums of [`strided`] with `split`, added in the order of the depth. Parameters: the sums, C; the elements of C, its
/// columns, how many sums each has (`U32`), the strides of C's rows and columns; α, β.
pub fn combine<T: Recorded>() -> Result<Kernel, Error> {
    let b = Builder::new(&format!("gemm_combine_{}", T::Elem::NAME));
    let [parts, out] = b.params::<U64, 2>();
    let [n, cols, many, row, col] = b.params::<U32, 5>();
    let by = b.params::<T, 2>();
    each(&b, n, |i| {
        let sum = b.count::<U32, T>([b.int(0), many, b.int(1)], 1, &[b.bits(0)], |k, sum| {
            sum.iter().map(|s| *s + get(parts, k * n + i)).collect()
        });
        let r = i / cols;
        let to = r * row + (i - r * cols) * col;
        scaled(out, to, &sum, by, None).into_iter().for_each(|s| put(out, to, s));
    });
    b.finish()
}
