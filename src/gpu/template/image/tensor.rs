//! Frames as normalised tensors in another size, in one launch.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel, Special};
use super::super::super::types::{F32, U32, U64};
use super::super::flat::{get, put};
use super::colour::colours;
use super::filter::FilterPass;
use super::{PixelType, Source};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// The threads of a block, which have neighbouring pixels of a row.
pub const TENSOR_THREADS: u32 = 64;

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
        Self { x, channels, table, along: Resized::new(b), down: Resized::new(b) }
    }

    /// The bytes of a pixel of the result. Pixels of the source are read in groups: those of four columns, which fill whole words, where rows begin at words.
    fn pixel(&self, at_x: Value<'b, U32>, at_y: Value<'b, U32>) -> Vec<Value<'b, U32>> {
        let Self { x, channels: c, table, along, down } = self;
        let b = at_x.builder();
        let [columns, rows] = [along.span(*table, at_x), down.span(*table, at_y)];
        let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
        let [sum_down, sum_along] = FilterPass::both(PixelType::U8);
        let group = if x.aligned { 4 } else { 1 };
        let shift = b.int(if x.aligned { 2 } else { 0 });
        let last_word = (x.row - one) >> b.int(2);
        let first = columns[0] >> shift;
        let behind = ((columns[0] + columns[1] - one) >> shift) + one;
        let sums = b.count::<U32, U32>([first, behind, one], 1, &vec![zero; *c], |k, sums| {
            let column = k << shift;
            // Along the columns of the group.
            let added = b.count::<U32, U32>([zero, rows[1], one], 1, &vec![zero; group * c], |j, sums| {
                let start = (rows[0] + j) * x.stride;
                let weight = get::<U32>(*table, rows[2] + j);
                let elements = if x.aligned {
                    // A group may go beyond the row, with pixels that have no weight.
                    let word = |i: usize| (k * b.int(*c as i64) + b.int(i as i64)).least(last_word);
                    let words: Vec<_> =
                        (0..*c).map(|i| get::<U32>(x.x, (start >> b.int(2)) + word(i))).collect();
                    x.of.unpack(&words)
                } else {
                    let e = start + column * b.int(*c as i64);
                    (0..*c).map(|i| x.get(e + b.int(i as i64))).collect()
                };
                sums.iter().zip(elements).map(|(sum, p)| sum_down.add(*sum, p, weight)).collect()
            });
            let mut sums = sums.to_vec();
            for (i, pixel) in added.chunks(*c).enumerate() {
                let place = column + b.int(i as i64) - columns[0];
                let weight = if x.aligned {
                    let within = place.compare(Cmp::Lt, columns[1]);
                    let at = columns[2] + place.least(columns[1] - one);
                    Value::select(within, get::<U32>(*table, at), zero)
                } else {
                    get::<U32>(*table, columns[2] + place)
                };
                for (sum, p) in sums.iter_mut().zip(pixel) {
                    let between = sum_along.wide(sum_down.stored(sum_down.round(*p, down.shift)));
                    *sum = sum_along.add(*sum, between, weight);
                }
            }
            sums
        });
        sums.iter().map(|sum| sum_along.round(*sum, along.shift)).collect()
    }
}

/// Resizes a frame and writes the planes of its red, green and blue, normalised. Buffers: the image of red, green and blue, or luma and chroma with
/// `nv12`; a table of spans and weights; the result. Parameters: the columns and rows of the result; for each source the elements before the image in its first
/// word, its stride, the elements of a row, and the parameters of [`Resized`] along rows, then along columns; with `nv12` the level of black
/// and the factors (those of [`nv12`](super::nv12)); the scales and offsets of red, green and blue. Where `aligned` is set, the rows of all sources begin at words.
pub fn tensor(nv12: bool, aligned: bool) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("image_tensor_{nv12}_{aligned}"));
    b.threads([TENSOR_THREADS, 1, 1]);
    let source = b.param::<U64>();
    let chroma = nv12.then(|| b.param::<U64>());
    let [table, out] = b.params::<U64, 2>();
    let [width, height] = b.params::<U32, 2>();
    let first = Frame::new(&b, (source, table), if nv12 { 1 } else { 3 }, aligned);
    let chroma = chroma.map(|x| Frame::new(&b, (x, table), 2, aligned));
    let factors = if nv12 { Some(b.params::<U32, 6>()) } else { None };
    let [scales, offsets] = [(); 2].map(|()| b.params::<U32, 3>());
    let [start, step] =
        [Special::CtaidX, Special::NctaidX].map(|of| b.special(of) * b.int(TENSOR_THREADS.into()));
    b.count::<U32, U32>([start + b.special(Special::TidX), width, step], 1, &[], |x, _| {
        let rows = [b.special(Special::CtaidY), height, b.special(Special::NctaidY)];
        b.count::<U32, U32>(rows, 1, &[], |y, _| {
            let mut pixel = first.pixel(x, y);
            if let (Some(chroma), Some(factors)) = (&chroma, factors)
                && let ([level], [u, v]) = (&pixel[..], &chroma.pixel(x, y)[..])
            {
                pixel = Vec::from(colours(factors, *level, [*u, *v]));
            }
            let mut at = y * width + x;
            for ((p, scale), offset) in pixel.iter().zip(scales).zip(offsets) {
                put::<F32>(out, at, p.to::<F32>() * scale.cast() + offset.cast());
                at = at + width * height;
            }
            Vec::new()
        });
        Vec::new()
    });
    b.finish()
}
