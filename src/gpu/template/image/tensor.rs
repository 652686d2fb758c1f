//! Frames as normalised tensors in another size, in one launch.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::super::types::{F32, Pred, U32, U64};
use super::super::flat::{get, put};
use super::colour::colours;
use super::filter::FilterPass;
use super::{PixelType, Source};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// The threads of a block: the most pixels of the result that it has.
pub const TENSOR_THREADS: u32 = 128;

/// The words of shared memory of a block: 16 KiB, the most that WebGPU guarantees.
pub const TENSOR_WORDS: usize = 4096;

/// What a result is made of, along an axis: the places in the table of the first span and of the first weight, the weights from one result to the next, and the bits
/// that rounding removes.
struct Resized<'b> {
    spans: Value<'b, U32>,
    weights: Value<'b, U32>,
    room: Value<'b, U32>,
    shift: Value<'b, U32>,
}

/// The pixels of a result along an axis: the first one, their number, and the place of the first one's weight.
type Span<'b> = [Value<'b, U32>; 3];

impl<'b> Resized<'b> {
    fn new(b: &'b Builder) -> Self {
        let [spans, weights, room, shift] = b.params::<U32, 4>();
        Self { spans, weights, room, shift }
    }

    fn span(&self, table: Value<'b, U64>, place: Value<'b, U32>) -> Span<'b> {
        let b = place.builder();
        let at = self.spans + (place << b.int(1));
        [get::<U32>(table, at), get::<U32>(table, at + b.int(1)), self.weights + place * self.room]
    }
}

/// A source of bytes that is resized.
struct Frame<'b> {
    x: Source<'b>,
    channels: usize,
    table: Value<'b, U64>,
    along: Resized<'b>,
    down: Resized<'b>,
    /// The parts of a row of which a block has the sums along columns in shared memory one after the other, and the groups of four columns of a part.
    parts: Value<'b, U32>,
    groups: Value<'b, U32>,
}

/// The pixels of the result that a block has: `columns` of each of `rows`.
struct Tile<'b> {
    /// The columns and rows of the result.
    size: [Value<'b, U32>; 2],
    rows: Value<'b, U32>,
    /// The first column and row of the block.
    first: [Value<'b, U32>; 2],
    /// The column of the thread, and its row among those of the block.
    x: Value<'b, U32>,
    row: Value<'b, U32>,
    /// Whether the thread has a pixel.
    has: Value<'b, Pred>,
    room: Value<'b, U32>,
}

impl<'b> Frame<'b> {
    fn new(
        b: &'b Builder,
        (x, table): (Value<'b, U64>, Value<'b, U64>),
        channels: usize,
        aligned: bool,
    ) -> Self {
        let [before, stride, row] = b.params::<U32, 3>();
        let x = Source { x, of: PixelType::U8, before, stride, row, aligned };
        let (along, down) = (Resized::new(b), Resized::new(b));
        let [parts, groups] = b.params::<U32, 2>();
        Self { x, channels, table, along, down, parts, groups }
    }

    /// The address in shared memory of a group of a row of the block.
    fn place(&self, tile: &Tile<'b>, row: Value<'b, U32>, group: Value<'b, U32>) -> Value<'b, U32> {
        let b = row.builder();
        tile.room + (row * self.groups + group) * b.int(16 * self.channels as i64)
    }

    /// The bytes of the pixel of each thread. The sums along columns are computed once for all pixels of a row of the block.
    fn pixel(&self, tile: &Tile<'b>) -> Vec<Value<'b, U32>> {
        let b = tile.x.builder();
        let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
        let [x, y] = tile.first;
        let [begin, ..] = self.along.span(self.table, x);
        let begin = begin >> b.int(2);
        let [first, count, weights] = self.along.span(self.table, tile.x);
        let span = [first, Value::select(tile.has, count, zero), weights];
        let sums =
            b.count::<U32, U32>([zero, self.parts, one], 1, &vec![zero; self.channels], |part, sums| {
                let from = begin + part * self.groups;
                self.stage(tile, from, y);
                b.barrier();
                let sums = self.add(tile, from, span, sums);
                b.barrier();
                sums
            });
        let [_, along] = FilterPass::both(PixelType::U8);
        sums.iter().map(|sum| along.round(*sum, self.along.shift)).collect()
    }

    /// Writes to shared memory the rounded sums along columns of the groups from `from` on, for each row of the block.
    fn stage(&self, tile: &Tile<'b>, from: Value<'b, U32>, y: Value<'b, U32>) {
        let Self { x, channels: c, table, down, groups, .. } = self;
        let b = from.builder();
        let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
        let [columns, rows] = FilterPass::both(PixelType::U8);
        let [_, height] = tile.size;
        let last = (x.row - one) >> b.int(if x.aligned { 2 } else { 0 });
        let all = [b.special(Special::TidX), tile.rows * *groups, b.int(TENSOR_THREADS.into())];
        b.count::<U32, U32>(all, 1, &[], |i, _| {
            let row = i / *groups;
            let group = i - row * *groups;
            let [first, count, weights] = down.span(*table, (y + row).least(height - one));
            // Several rows are read before the first one is waited for.
            let unroll = if x.aligned { 8 } else { 1 };
            let sums = b.count::<U32, U32>([zero, count, one], unroll, &vec![zero; 4 * c], |j, sums| {
                let start = (first + j) * x.stride;
                let weight = get::<U32>(*table, weights + j);
                // Groups may go beyond the row: their pixels there have no weight.
                let elements = if x.aligned {
                    let word = |k: usize| ((from + group) * b.int(*c as i64) + b.int(k as i64)).least(last);
                    let start = start >> b.int(2);
                    x.of.unpack(&(0..*c).map(|k| get::<U32>(x.x, start + word(k))).collect::<Vec<_>>())
                } else {
                    let e = (from + group) * b.int(4 * *c as i64);
                    (0..4 * c).map(|k| x.get(start + (e + b.int(k as i64)).least(last))).collect()
                };
                sums.iter().zip(elements).map(|(sum, p)| columns.add(*sum, p, weight)).collect()
            });
            let to = self.place(tile, row, group);
            for (k, sum) in sums.iter().enumerate() {
                // As the image between two passes has them.
                let sum = rows.wide(columns.stored(columns.round(*sum, down.shift)));
                b.store(Space::Shared, to, 4 * k as i32, sum);
            }
            Vec::new()
        });
    }

    /// Adds the products of the thread's weights with the staged pixels, which are those from group `from` on.
    fn add(
        &self,
        tile: &Tile<'b>,
        from: Value<'b, U32>,
        [first, count, weights]: Span<'b>,
        sums: &[Value<'b, U32>],
    ) -> Vec<Value<'b, U32>> {
        let b = from.builder();
        let [_, along] = FilterPass::both(PixelType::U8);
        let [begin, end] = [from, from + self.groups].map(|group| group << b.int(2));
        let columns = [first.most(begin), (first + count).least(end), b.int(1)];
        let start = self.place(tile, tile.row, b.int(0));
        b.count::<U32, U32>(columns, 4, sums, |column, sums| {
            let weight = get::<U32>(self.table, weights + (column - first));
            let at = start + (column - begin) * b.int(4 * self.channels as i64);
            let of = |(k, sum): (usize, &Value<'b, U32>)| {
                along.add(*sum, b.load::<U32>(Space::Shared, at, 4 * k as i32), weight)
            };
            sums.iter().enumerate().map(of).collect()
        })
    }
}

/// Resizes a frame and writes the planes of its red, green and blue, normalised. Buffers: the image of red, green and blue, or luma and chroma with
/// `nv12`; a table of spans and weights; the result. Parameters: the columns and rows of the result; the logarithm of the columns of a block, and its rows; for each source the elements before the
/// image in its first word, its stride, the elements of a row, the parameters of [`Resized`] along rows, then along columns, and the parts and groups of [`Frame`]; with `nv12` the level of black
/// and the factors (those of [`nv12`](super::nv12)); the scales and offsets of red, green and blue. Where `aligned` is set, the rows of all sources begin at words.
pub fn tensor(nv12: bool, aligned: bool) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("image_tensor_{nv12}_{aligned}"));
    b.threads([TENSOR_THREADS, 1, 1]);
    let source = b.param::<U64>();
    let chroma = nv12.then(|| b.param::<U64>());
    let [table, out] = b.params::<U64, 2>();
    let [width, height, shift, rows] = b.params::<U32, 4>();
    let first = Frame::new(&b, (source, table), if nv12 { 1 } else { 3 }, aligned);
    let chroma = chroma.map(|x| Frame::new(&b, (x, table), 2, aligned));
    let factors = if nv12 { Some(b.params::<U32, 6>()) } else { None };
    let [scales, offsets] = [(); 2].map(|()| b.params::<U32, 3>());
    let room = b.shared(4 * TENSOR_WORDS as u32, 16);
    let (one, thread) = (b.int::<U32>(1), b.special(Special::TidX));
    let columns = one << shift;
    let [of_x, step_x] = [Special::CtaidX, Special::NctaidX].map(|of| b.special(of) * columns);
    let [of_y, step_y] = [Special::CtaidY, Special::NctaidY].map(|of| b.special(of) * rows);
    b.count::<U32, U32>([of_x, width, step_x], 1, &[], |from_x, _| {
        b.count::<U32, U32>([of_y, height, step_y], 1, &[], |from_y, _| {
            let (row, x) = (thread >> shift, from_x + (thread & (columns - one)));
            let has = row.compare(Cmp::Lt, rows)
                & x.compare(Cmp::Lt, width)
                & (from_y + row).compare(Cmp::Lt, height);
            let tile = Tile {
                size: [width, height],
                rows,
                first: [from_x, from_y],
                x: x.least(width - one),
                row,
                has,
                room,
            };
            let mut pixel = first.pixel(&tile);
            if let (Some(chroma), Some(factors)) = (&chroma, factors)
                && let ([level], [u, v]) = (&pixel[..], &chroma.pixel(&tile)[..])
            {
                pixel = Vec::from(colours(factors, *level, [*u, *v]));
            }
            b.when(has, || {
                let mut at = (from_y + row) * width + x;
                for ((p, scale), offset) in pixel.iter().zip(scales).zip(offsets) {
                    put::<F32>(out, at, p.to::<F32>() * scale.cast() + offset.cast());
                    at = at + width * height;
                }
            });
            Vec::new()
        });
        Vec::new()
    });
    b.finish()
}
