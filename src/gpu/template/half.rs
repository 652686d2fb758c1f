//! Matrices of 16-bit elements, row by row and as wide as products want them: as they are, or as `f32`.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Group, Kernel, Space, Special};
use super::super::types::{F32, U32, U64};
use super::blocks::widen;
use super::flat::{get, neighbours, put};
use alloc::vec::Vec;

/// Rows and depth of a block.
pub const HALF_TILE: [u32; 2] = [32, 64];
const THREADS: u32 = 256;

/// Parameters: the matrix, where it goes; the elements in front of it (0 or 1: it starts at a word), rows, depth, the
/// strides of both in elements, and elements between rows of the result (`U32`): an even number of at least the depth. With
/// `widen` the result is `f32`, else as the matrix with zeros from the depth on. Launch `ceil(pitch / 64)` ×
/// `ceil(rows / 32)` blocks.
pub fn half_rows(of: Group, widen: bool) -> Result<Kernel, Error> {
    let name = match (of, widen) {
        (Group::Bf16, true) => "widen_bf16",
        (Group::F16, true) => "widen_f16",
        _ => "half_rows",
    };
    let b = Builder::new(name);
    b.threads([THREADS, 1, 1]);
    let [x, to] = [(); 2].map(|()| b.param::<U64>());
    let [before, rows, depth, row_by, depth_by, pitch] = [(); 6].map(|()| b.param::<U32>());
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let [high, deep] = HALF_TILE;
    // A word for each element, and a column that keeps neighbours in different banks.
    let tile = b.shared(high * (deep + 1) * 4, 4);
    let place = |r: Value<'_, U32>, d: Value<'_, U32>| {
        b.typed::<U32>(
            (b.typed::<U32>(tile.id()) + (b.typed::<U32>(r.id()) * int(deep + 1) + b.typed(d.id())) * int(4))
                .id(),
        )
    };
    let tid = b.special(Special::TidX);
    let row0 = b.special(Special::CtaidY) * int(high);
    let deep0 = b.special(Special::CtaidX) * int(deep);
    // Neighbouring threads read along the smaller stride.
    let along = depth_by.compare(Cmp::Le, row_by);
    for turn in 0..high * deep / THREADS {
        let e = tid + int(turn * THREADS);
        let r = Value::select(along, e >> int(deep.ilog2()), e & int(high - 1));
        let d = Value::select(along, e & int(deep - 1), e >> int(high.ilog2()));
        let (row, at) = (row0 + r, deep0 + d);
        let inside = row.compare(Cmp::Lt, rows) & at.compare(Cmp::Lt, depth);
        let from = before + Value::select(inside, row * row_by + at * depth_by, int(0));
        let word = get::<U32>(x, from >> int(1));
        let half = (word >> ((from & int(1)) << int(4))) & int(0xffff);
        b.store(Space::Shared, place(r, d), 0, Value::select(inside, half, int(0)));
    }
    b.barrier();
    let each = if widen { 1 } else { 2 };
    for turn in 0..high * deep / each / THREADS {
        let e = (tid + int(turn * THREADS)) * int(each);
        let (r, d) = (e >> int(deep.ilog2()), e & int(deep - 1));
        let (row, at) = (row0 + r, deep0 + d);
        b.when(row.compare(Cmp::Lt, rows) & at.compare(Cmp::Lt, pitch), || {
            let [low, next] =
                [0, 4].map(|o| b.load::<U32>(Space::Shared, place(r, d), if widen { 0 } else { o }));
            let to_element = row * pitch + at;
            if widen {
                put::<F32>(to, to_element, wide(of, low));
            } else {
                put::<U32>(to, to_element >> int(1), low | next << int(16));
            }
        });
    }
    b.finish()
}

pub(crate) fn f16_at<'b>(
    base: Value<'b, U64>,
    before: Value<'b, U32>,
    at: Value<'b, U32>,
    each: u32,
) -> Vec<Value<'b, F32>> {
    halves_at(Group::F16, base, before, at, each)
}

pub(crate) fn bf16_at<'b>(
    base: Value<'b, U64>,
    before: Value<'b, U32>,
    at: Value<'b, U32>,
    each: u32,
) -> Vec<Value<'b, F32>> {
    halves_at(Group::Bf16, base, before, at, each)
}

/// `each` elements from `at` on: eight of 16 bytes, which are aligned, or one.
fn halves_at<'b>(
    of: Group,
    base: Value<'b, U64>,
    before: Value<'b, U32>,
    at: Value<'b, U32>,
    each: u32,
) -> Vec<Value<'b, F32>> {
    let b = at.builder();
    let (mask, sixteen) = (b.int::<U32>(0xffff), b.int::<U32>(16));
    if each == 1 {
        let at = at + (before >> b.int(1));
        let word = get::<U32>(base, at >> b.int(1));
        return Vec::from([wide(of, (word >> ((at & b.int(1)) << b.int(4))) & mask)]);
    }
    let words = neighbours::<U32>(b, Space::Global, super::flat::at::<U32>(base, at >> b.int(1)), 0, 4);
    words.into_iter().flat_map(|w| [wide(of, w & mask), wide(of, w >> sixteen)]).collect()
}

/// The `f32` of these 16 bits, exactly, by integers: not every device has the types.
fn wide<'b>(of: Group, bits: Value<'b, U32>) -> Value<'b, F32> {
    if of == Group::Bf16 {
        return (bits << bits.builder().int(16)).cast();
    }
    widen(bits)
}
