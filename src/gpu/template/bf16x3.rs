//! Splits `f32` into a sum of three `bf16` numbers of eight bits each, for products on tensor cores: `x = p₀ + p₁ + p₂`
//! exactly.
//!
//! The split is exact for zeros and magnitudes from [`LEAST`] to [`MOST`], whose parts are normal numbers of `bf16` and
//! whose products do not overflow. Tiles with other elements are detected, and computed by the product of
//! [`super::strided`].

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::types::{F32, Pred, U32, U64};
use super::flat::{aligned, at, get, put};
use alloc::vec::Vec;

/// Rows that one word tells apart: those of a tile.
pub const TRIPLE_ROWS: u32 = 128;
/// Depth that one word tells apart.
pub const TRIPLE_DEPTH: u32 = 64;
/// The least magnitude that is in three parts, 2^-102, and the most, 2^60: their bits.
const LEAST: u32 = (127 - 102) << 23;
const MOST: u32 = (127 + 60) << 23;
/// Elements of a thread along the depth, at a time.
const EACH: u32 = 16;
const THREADS: u32 = 256;

/// Parameters: a matrix, its parts; rows, depth; the strides of both; elements between rows of the parts (a multiple of
/// 16); words of each [`TRIPLE_ROWS`] rows, which say whether there is an element that has no three parts in
/// [`TRIPLE_DEPTH`] of their depth, and how many of these there are a tile (`U32`). The parts are row by row, one matrix below the
/// other, with zeros from the depth on. Launch `ceil(depth / TRIPLE_DEPTH)` × `ceil(rows / TRIPLE_ROWS)` blocks.
pub fn triple() -> Result<Kernel, Error> {
    let b = Builder::new("triple");
    b.threads([THREADS, 1, 1]);
    let [x, to] = b.params::<U64, 2>();
    let [rows, depth, row_by, depth_by, pitch] = b.params::<U32, 5>();
    let (words, many) = (b.param::<U64>(), b.param::<U32>());
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let tid = b.special(Special::TidX);
    let [across, down] = [b.special(Special::CtaidX), b.special(Special::CtaidY)];
    let row = down * int(TRIPLE_ROWS) + (tid & int(TRIPLE_ROWS - 1));
    let from = row.least(rows - int(1)) * row_by;
    let part = rows * pitch;
    // Four neighbours along the depth at once, where all such are there and start at multiples of 16 bytes.
    let fours = aligned(x, row_by | depth, [16, 4]) & depth_by.compare(Cmp::Eq, int(1));
    let strange: Vec<Value<'_, U32>> = (0..TRIPLE_DEPTH / EACH * TRIPLE_ROWS / THREADS)
        .map(|turn| {
            let first = across * int(TRIPLE_DEPTH) + (tid >> int(7)) * int(EACH) + int(turn * 2 * EACH);
            let by_one = |k: u32| {
                let d = first + int(k);
                let v = get::<F32>(x, from + d.least(depth - int(1)) * depth_by);
                Value::select(d.compare(Cmp::Lt, depth), v, b.f32(0.0))
            };
            let by_four = |k: u32| {
                let d = first + int(k);
                let inside = d.compare(Cmp::Lt, depth);
                let start = at::<F32>(x, from + Value::select(inside, d, int(0)));
                let four = b.load_vector::<F32, 4>(Space::Global, start, 0);
                four.map(|v| Value::select(inside, v, b.f32(0.0)))
            };
            let read = b.either::<F32, { EACH as usize }>(
                fours,
                || {
                    let all: Vec<_> = (0..EACH).step_by(4).flat_map(by_four).collect();
                    core::array::from_fn(|k| all.get(k).copied().unwrap_or(b.f32(0.0)))
                },
                || core::array::from_fn(|k| by_one(k as u32)),
            );
            let strange = read.iter().fold(int(0), |all, v| {
                let size = v.cast::<U32>() & int(0x7fff_ffff);
                let known = (size - int(LEAST)).compare(Cmp::Le, int(MOST - LEAST));
                let fine = known | size.compare(Cmp::Eq, int(0));
                all | Value::select(fine, int(0), int(1))
            });
            b.when(row.compare(Cmp::Lt, rows) & first.compare(Cmp::Lt, pitch), || {
                let mut rest = read.to_vec();
                for p in 0..3 {
                    let parts: Vec<Value<'_, U32>> = rest.iter().map(|v| nearest(*v)).collect();
                    let pairs: Vec<Value<'_, U32>> = parts
                        .chunks(2)
                        .filter_map(|pair| match *pair {
                            [lower, upper] => Some((lower >> int(16)) | upper),
                            _ => None,
                        })
                        .collect();
                    let to = at_half(to, (row * pitch + first) + part * int(p));
                    for (k, four) in pairs.chunks(4).enumerate() {
                        if let [p, q, r, s] = *four {
                            b.store_vector(Space::Global, to, 16 * k as i32, [p, q, r, s]);
                        }
                    }
                    rest.iter_mut().zip(parts).for_each(|(v, part)| *v = *v - part.cast::<F32>());
                }
            });
            strange
        })
        .collect();
    let strange = strange.into_iter().fold(int(0), |all, v| all | v);
    let strange = any(&b, strange.compare(Cmp::Ne, int(0)));
    b.when(tid.compare(Cmp::Eq, int(0)), || {
        put(words, down * many + across, Value::select(strange, int(1), int(0)));
    });
    b.finish()
}

/// The nearest `bf16`, as an `f32`: ties to even. Of a finite number well below overflow.
fn nearest<'b>(v: Value<'b, F32>) -> Value<'b, U32> {
    let b = v.builder();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let bits = v.cast::<U32>();
    (bits + int(0x7fff) + ((bits >> int(16)) & int(1))) & int(0xffff_0000)
}

/// The address of element `i` of 16 bits.
fn at_half<'b>(base: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U64> {
    base + i.wide(base.builder().int(2))
}

/// Whether it holds in some thread of the block. All threads ask.
pub(super) fn any<'b>(b: &'b Builder, holds: Value<'b, Pred>) -> Value<'b, Pred> {
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let warps = THREADS / 32;
    let all = b.shared(warps * 4, 4);
    let tid = b.special(Special::TidX);
    let some = Value::select(holds.any(), int(1), int(0));
    b.when((tid & int(31)).compare(Cmp::Eq, int(0)), || {
        b.store(Space::Shared, all + (tid >> int(5)) * int(4), 0, some);
    });
    b.barrier();
    let each = (0..warps).map(|w| b.load::<U32>(Space::Shared, all, 4 * w as i32));
    each.fold(int(0), |all, w| all | w).compare(Cmp::Ne, int(0))
}

/// Leaves a product of [`super::strided`] whose tile has three parts in all its elements: it is left to
/// [`super::triple_gemm`], which is told so. The words are those of the rows of A and of the columns of B.
pub(super) fn only_strange<'b>(
    b: &'b Builder,
    words: [Value<'b, U64>; 2],
    many: Value<'b, U32>,
    told: Value<'b, U64>,
) {
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (tid, [across, down]) =
        (b.special(Special::TidX), [b.special(Special::CtaidX), b.special(Special::CtaidY)]);
    let [of_a, of_b] = words;
    let found = b.count::<U32, U32>([tid, many, int(THREADS)], 1, &[int(0)], |k, found| {
        let both = get::<U32>(of_a, down * many + k) | get::<U32>(of_b, across * many + k);
        found.iter().map(|f| *f | both).collect()
    });
    let found = found.into_iter().fold(int(0), |all, f| all | f);
    let strange = any(b, found.compare(Cmp::Ne, int(0)));
    let first = (tid | b.special(Special::CtaidZ)).compare(Cmp::Eq, int(0));
    b.when(first, || {
        let tile = down * b.special(Special::NctaidX) + across;
        put(told, tile, Value::select(strange, int(1), int(0)));
    });
    b.when(!strange, || b.exit());
}
