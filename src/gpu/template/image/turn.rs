//! Kernels that copy pixels to other places.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::Kernel;
use super::super::super::types::U32;
use super::super::flat::get;
use super::{
    Args, PixelType, Position, ROWS_TOGETHER, Source, Together, Walk, Words, anywhere, pixels_together,
};
use alloc::vec::Vec;

/// The order in which a row of the result has the pixels of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// As a row of the source has them.
    Forwards,
    /// As a row of the source has them, from the last to the first. The pixels have these channels.
    Backwards(usize),
    /// As a column of the source has them. The pixels have these channels.
    Column {
        channels: usize,
        /// Whether the next row of the result is the column to the left, not to the right.
        leftwards: bool,
    },
}

/// The bytes of a row of the source that a thread reads together to turn them: the device reads as many from memory at least.
const TURNED_BYTES: usize = 32;

impl Copy {
    /// The pixels of a row of the result that a thread copies together, and the rows.
    #[must_use]
    pub fn block(self, of: PixelType) -> [usize; 2] {
        match self {
            Self::Forwards => [of.per_word(), ROWS_TOGETHER],
            Self::Backwards(channels) => [pixels_together(of, [channels; 2]), ROWS_TOGETHER],
            Self::Column { channels, .. } => {
                let pixels = pixels_together(of, [channels; 2]);
                let bytes = channels * pixels * 4 / of.per_word();
                [pixels, pixels * (TURNED_BYTES / bytes).max(1)]
            }
        }
    }
}

/// The element of the source that is copied to an element of the result.
fn source_of<'b>(x: Source<'b>, steps: [Value<'b, U32>; 3], at: Position<'b>) -> Value<'b, U32> {
    let [start, down, right] = steps;
    x.get(start + at.y * down + at.x * right + at.c)
}

/// Copies elements with strides: the element of row `y`, column `x` and channel `c` is element `start + y·down + x·right + c` of the source,
/// modulo 2³². Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), `start`, `down`, `right`.
pub fn copy_strided(walk: Walk, of: PixelType, copy: Copy) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("image_copy"));
    let (args, []) = Args::new(&b, walk, of);
    let [start, down, right] = b.params::<U32, 3>();
    let [pixels, rows] = copy.block(of);
    let channels = match copy {
        Copy::Forwards => 1,
        Copy::Backwards(channels) | Copy::Column { channels, .. } => channels,
    };
    let elements = pixels * channels;
    let steps = [start, down, right];
    let together = |words| Some(Together { elements, rows, inside: &anywhere, words });
    let Copy::Column { leftwards, .. } = copy else {
        let words = Words::OfUnit(&|unit| {
            let row = start + unit.y * down;
            if copy == Copy::Forwards {
                return args.x.words(row, unit.e, elements / of.per_word(), true);
            }
            // `start` is the last pixel of a row.
            let row = row + b.int(channels as i64) - args.x.row;
            let from = args.x.row - unit.e - b.int(elements as i64);
            let read = of.unpack(&args.x.words(row, from, elements / of.per_word(), true));
            of.pack(&read.chunks(channels).rev().flatten().copied().collect::<Vec<_>>())
        });
        args.write(of, &|at| source_of(args.x, steps, at), together(words));
        return b.finish();
    };
    let words = Words::OfRows(&|units| {
        let (Some(first), Some(last)) = (units.first(), units.last()) else { return Vec::new() };
        // `start` is in the first column of the source, or in the last one.
        let (start, from) = match leftwards {
            true => {
                let behind = (last.y + b.int(1)) * args.channels;
                (start + b.int(channels as i64) - args.x.row, args.x.row - behind)
            }
            false => (start, first.y * args.channels),
        };
        let line = |j: usize| {
            let x = first.number * b.int(pixels as i64) + b.int(j as i64);
            let count = units.len() * channels / of.per_word();
            let mut read = of.unpack(&args.x.words(start + x * right, from, count, true));
            if leftwards {
                read = read.chunks(channels).rev().flatten().copied().collect();
            }
            read
        };
        let lines: Vec<_> = (0..pixels).map(line).collect();
        let row = |k: usize| {
            let pixels = lines.iter().flat_map(|line| line.iter().skip(k * channels).take(channels));
            of.pack(&pixels.copied().collect::<Vec<_>>())
        };
        (0..units.len()).map(row).collect()
    });
    args.write(of, &|at| source_of(args.x, steps, at), together(words));
    b.finish()
}

/// Nearest-neighbour resizing. Buffers: the source, spans, the result. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), the index of the
/// first span of the rows. A span is a pair: the index of its first source pixel along the axis, and its number of pixels.
pub fn nearest(walk: Walk, of: PixelType) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("image_nearest"));
    let (args, [spans]) = Args::new(&b, walk, of);
    let rows = b.param::<U32>();
    let one = b.int(1);
    args.write(
        of,
        &|at| {
            let (x, y) = (get::<U32>(spans, at.x << one), get::<U32>(spans, (rows + at.y) << one));
            args.x.get(y * args.x.stride + x * args.channels + at.c)
        },
        None,
    );
    b.finish()
}
