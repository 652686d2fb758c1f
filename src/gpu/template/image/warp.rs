//! Kernels that read pixels at places that a matrix or a map gives.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel};
use super::super::super::types::{F32, Pred, S32, U32};
use super::window::Axis;
use super::{
    Args, BorderMode, PixelType, Position, Source, Together, Walk, Words, anywhere, pixels_together,
};
use crate::image::warp::FAR;
use alloc::format;
use alloc::vec::Vec;

/// Where the places of the source are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// They are sums of products of a matrix of two rows and three columns.
    Matrix,
    /// They are the two channels of an image of floats.
    Map,
}

/// What is added to columns and rows of the source, so that none is negative.
pub const FIRST_PLACE: u32 = 1 << 30;

/// A number of 64 bits: the lower and the upper 32 bits.
type Long<'b> = [Value<'b, U32>; 2];

/// The sum modulo 2⁶⁴.
fn plus<'b>([a, b]: Long<'b>, [c, d]: Long<'b>) -> Long<'b> {
    let (low, builder) = (a + c, a.builder());
    let carry = Value::select(low.compare(Cmp::Lt, a), builder.int(1), builder.int(0));
    [low, b + d + carry]
}

/// The product modulo 2⁶⁴.
fn times<'b>([low, high]: Long<'b>, n: Value<'b, U32>) -> Long<'b> {
    [low * n, low.high(n) + high * n]
}

/// A place: the column and the row of the pixel at its upper left, to which [`FIRST_PLACE`] is added, the fractions, and for a map whether
/// both coordinates are numbers that are not far.
struct SourcePoint<'b> {
    at: [Value<'b, U32>; 2],
    fraction: [Value<'b, U32>; 2],
    known: Option<Value<'b, Pred>>,
}

/// The parameters that say where places are.
enum Given<'b> {
    Matrix([[Long<'b>; 3]; 2]),
    Map(Source<'b>),
}

/// The column or row of a map, and the fraction of so many bits, if it is not the nearest pixel that is read.
fn coordinate<'b>(
    place: Value<'b, F32>,
    fraction: Option<u32>,
) -> (Value<'b, U32>, Value<'b, U32>, Value<'b, Pred>) {
    let b = place.builder();
    let known = place.magnitude().compare(Cmp::Lt, b.f32(FAR));
    let place = Value::select(known, place, b.f32(0.0));
    let whole = place.to::<S32>();
    let rest = place - whole.to::<F32>();
    let whole = whole.cast::<U32>() + b.int(i64::from(FIRST_PLACE));
    let int = |n| b.int::<U32>(n);
    let Some(bits) = fraction else {
        return (whole + half_up(rest), int(0), known);
    };
    // Products with a power of two are exact, so that it does not matter whether they are fused with the difference.
    let scaled = rest * b.f32((1u32 << bits) as f32);
    let part = scaled.to::<S32>();
    let part = part.cast::<U32>() + half_up(scaled - part.to::<F32>());
    let shift = int(bits.into());
    (whole + (part.cast::<S32>() >> shift).cast(), part & int((1 << bits) - 1), known)
}

/// What is added to a number rounded towards zero to round it to the nearest whole number, up at a half; `rest` is what remained.
fn half_up<'b>(rest: Value<'b, F32>) -> Value<'b, U32> {
    let b = rest.builder();
    let one = |of| Value::select(of, b.int::<U32>(1), b.int(0));
    one(rest.compare(Cmp::Ge, b.f32(0.5))) - one(rest.compare(Cmp::Lt, b.f32(-0.5)))
}

impl<'b> Given<'b> {
    /// The place for column `x` of row `y` of the result.
    fn point(&self, x: Value<'b, U32>, y: Value<'b, U32>, fraction: Option<u32>) -> SourcePoint<'b> {
        let b = x.builder();
        match self {
            Self::Matrix(rows) => {
                let [(u, of_u), (v, of_v)] = rows.map(|[right, down, start]| {
                    let [low, high] = plus(plus(start, times(down, y)), times(right, x));
                    let shift = b.int(32 - i64::from(fraction.unwrap_or(1)));
                    (high + b.int(i64::from(FIRST_PLACE)), low >> shift)
                });
                SourcePoint { at: [u, v], fraction: [of_u, of_v], known: None }
            }
            Self::Map(map) => {
                let at = y * map.stride + (x << b.int(1));
                let [u, v] = [0, 1].map(|k| coordinate(map.get(at + b.int(k)).cast(), fraction));
                SourcePoint { at: [u.0, v.0], fraction: [u.1, v.1], known: Some(u.2 & v.2) }
            }
        }
    }
}

/// Blends two pixels beside each other and the two below them, as [`Pixel::blend`](crate::image::Pixel) does.
fn blend<'b>(
    of: PixelType,
    [p, q, r, s]: [Value<'b, U32>; 4],
    [x, y]: [Value<'b, U32>; 2],
) -> Value<'b, U32> {
    let b = x.builder();
    let int = |n| b.int::<U32>(n);
    let [left, up] = match of {
        PixelType::U8 => {
            let line = |p: Value<'b, U32>, q| (p << int(11)) + (q - p) * x;
            let (above, below) = (line(p, q), line(r, s));
            return ((above << int(11)) + (below - above) * y + int(1 << 21)) >> int(22);
        }
        PixelType::U16 => {
            let line = |p: Value<'b, U32>, q| ((p << int(15)) + (q - p) * x + int(1 << 13)) >> int(14);
            let (above, below) = (line(p, q), line(r, s));
            return ((above << int(15)) + (below - above) * y + int(1 << 15)) >> int(16);
        }
        PixelType::U32 => [x, y].map(|at| at.to::<F32>() * b.f32(1.0 / 65536.0)),
    };
    let mix = |p: Value<'b, F32>, q: Value<'b, F32>, at: Value<'b, F32>, fraction: Value<'b, U32>| {
        let sum = p * (b.f32(1.0) - at) + q * at;
        Value::select(fraction.compare(Cmp::Eq, int(0)), p, sum)
    };
    let [p, q, r, s] = [p, q, r, s].map(Value::cast);
    mix(mix(p, q, left, x), mix(r, s, left, x), up, y).cast()
}

/// What a kernel computes pixels from.
struct Reader<'a, 'b> {
    args: &'a Args<'b>,
    of: PixelType,
    mode: BorderMode,
    fraction: Option<u32>,
    given: Given<'b>,
    axes: [Axis<'b>; 2],
    value: Value<'b, U32>,
}

impl<'b> Reader<'_, 'b> {
    /// These channels of the pixel in column `x` of row `y` of the result.
    fn pixel(
        &self,
        x: Value<'b, U32>,
        y: Value<'b, U32>,
        channels: &[Value<'b, U32>],
    ) -> Vec<Value<'b, U32>> {
        let (b, source) = (self.args.b, self.args.x);
        let SourcePoint { at, fraction, known } = self.given.point(x, y, self.fraction);
        // The first element of a pixel, or of the first or last one of its line or column beyond a constant border.
        let place = |axis: Axis<'b>, at| {
            let (inside, place) = axis.place(self.mode, at);
            (inside, if inside.is_some() { place.least(axis.n - b.int(1)) } else { place })
        };
        let [axis_x, axis_y] = self.axes;
        let [u, v] = at;
        let tap = |right: i64, down: i64| {
            let ((in_x, x), (in_y, y)) = (place(axis_x, u + b.int(right)), place(axis_y, v + b.int(down)));
            let inside = in_x.zip(in_y).map(|(x, y)| x & y);
            (inside, y * source.stride + x * self.args.channels)
        };
        let read = |(inside, start): (Option<Value<'b, Pred>>, Value<'b, U32>), c: Value<'b, U32>| {
            let p = source.get(start + c);
            inside.map_or(p, |inside| Value::select(inside, p, self.value))
        };
        let known = |v| known.map_or(v, |known| Value::select(known, v, self.value));
        if self.fraction.is_none() {
            let one = tap(0, 0);
            return channels.iter().map(|c| known(read(one, *c))).collect();
        }
        let four = [tap(0, 0), tap(1, 0), tap(0, 1), tap(1, 1)];
        let blended = |c: &Value<'b, U32>| known(blend(self.of, four.map(|tap| read(tap, *c)), fraction));
        channels.iter().map(blended).collect()
    }
}

/// Pixels at places that a matrix or a map gives. Buffers: the source, the map if there is one, the result. Parameters:
/// [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS); the numbers of the matrix row by row, with 32 bits behind the point, the lower half of each first, or the
/// elements before the map in its first word and its stride; the axes of columns and of rows ([`AXIS_PARAMS`](super::AXIS_PARAMS)), of places from
/// [`FIRST_PLACE`] before the first pixel on; the constant of the border. `fraction` are the bits of fractions, none where the nearest pixel is read.
pub fn warp(
    walk: Walk,
    of: PixelType,
    (places, mode): (Places, BorderMode),
    fraction: Option<u32>,
    channels: usize,
) -> Result<Kernel, Error> {
    let reads = if fraction.is_some() { "Bilinear" } else { "Nearest" };
    let b = Builder::new(&walk.name(&format!("image_warp_{places:?}_{reads}_{mode:?}")));
    let (args, given) = match places {
        Places::Matrix => {
            let (args, []) = Args::new(&b, walk, of);
            (args, Given::Matrix([(); 2].map(|()| [(); 3].map(|()| b.params::<U32, 2>()))))
        }
        Places::Map => {
            let (args, [x]) = Args::new(&b, walk, of);
            let [before, stride] = b.params::<U32, 2>();
            let map = Source { x, of: PixelType::U32, before, stride, row: stride, aligned: false };
            (args, Given::Map(map))
        }
    };
    let axes = [Axis::new(&b), Axis::new(&b)];
    let value = b.param::<U32>();
    let sampler = Reader { args: &args, of, mode, fraction, given, axes, value };
    let pixels = pixels_together(of, [channels; 2]);
    args.write(
        of,
        &|Position { y, x, c }| sampler.pixel(x, y, &[c]).first().copied().unwrap_or(c),
        Some(Together {
            elements: pixels * channels,
            rows: 1,
            inside: &anywhere,
            words: Words::OfUnit(&|unit| {
                let all: Vec<_> = (0..channels).map(|c| b.int(c as i64)).collect();
                let first = unit.number * b.int(pixels as i64);
                let pixel = |k| sampler.pixel(first + b.int(k as i64), unit.y, &all);
                of.pack(&(0..pixels).flat_map(pixel).collect::<Vec<_>>())
            }),
        }),
    );
    b.finish()
}
