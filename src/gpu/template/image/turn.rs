//! Kernels that copy pixels to other places.

use super::super::super::builder::Builder;
use super::super::super::error::Error;
use super::super::super::ir::Kernel;
use super::super::super::types::U32;
use super::super::flat::get;
use super::{Args, PixelType, ROWS_TOGETHER, Together, Walk, anywhere, pixels_together};
use alloc::vec::Vec;

/// The order in which a row of the result has the pixels of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// As a row of the source has them.
    Forwards,
    /// As a row of the source has them, from the last to the first. The pixels have these channels.
    Backwards(usize),
    /// As a column of the source has them.
    Column,
}

/// Copies elements with strides: the element of row `y`, column `x` and channel `c` is element `start + y·down + x·right + c` of the source,
/// modulo 2³². Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), `start`, `down`, `right`.
pub fn copy_strided(walk: Walk, of: PixelType, copy: Copy) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("image_copy"));
    let (args, []) = Args::new(&b, walk, of);
    let [start, down, right] = b.params::<U32, 3>();
    let pixels = match copy {
        Copy::Backwards(channels) => pixels_together(of, [channels; 2]),
        Copy::Forwards | Copy::Column => of.per_word(),
    };
    let elements = if let Copy::Backwards(channels) = copy { pixels * channels } else { pixels };
    let count = elements / of.per_word();
    let together = Together {
        elements,
        rows: ROWS_TOGETHER,
        inside: &anywhere,
        words: &|unit| {
            let row = start + unit.y * down;
            let Copy::Backwards(channels) = copy else {
                return args.x.words(row, unit.e, count, true);
            };
            // `start` is the last pixel of a row.
            let row = row + b.int(channels as i64) - args.x.row;
            let from = args.x.row - unit.e - b.int(elements as i64);
            let read = of.unpack(&args.x.words(row, from, count, true));
            of.pack(&read.chunks(channels).rev().flatten().copied().collect::<Vec<_>>())
        },
    };
    args.write(
        of,
        &|at| args.x.get(start + at.y * down + at.x * right + at.c),
        (copy != Copy::Column).then_some(together),
    );
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
