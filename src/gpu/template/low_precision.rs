//! Low precision: conversions of `bf16`, `f16`, `e4m3` and bytes to `f32` or to padded rows, and the product of bytes by
//! dot products of four (DP4A).

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Group, Kernel, Space, Special};
use super::super::types::{F32, U32, U64};
use super::block_reduce::{Meet, block_reduce};
use super::blocks::f16_to_f32;
use super::flat::{aligned, at, each, get, put};
use super::layer::{each_row, leads};
use alloc::vec::Vec;

/// Rows and depth of a block of [`convert_rows`].
pub const CONVERT_TILE: [u32; 2] = [32, 64];
const THREADS: u32 = 256;

/// Parameters: the matrix, where it goes; the elements in front of it (it starts at a word), rows, depth, the
/// strides of both in elements, and elements between rows of the result (`U32`): whole words of at least the depth. With
/// `wide` the result is `f32`, else as the matrix, of `f32` (`tf32`) the nearest `bf16`, with zeros from the depth on. Launch `ceil(pitch / 64)` ×
/// `ceil(rows / 32)` blocks.
pub fn convert_rows(of: Group, wide: bool) -> Result<Kernel, Error> {
    rows_by(of, convert_rows_name(of, wide), wide, Rows::Plain)
}

/// As [`convert_rows`], not wide, of the heads in each row, which go to a row each. Further parameters: heads, and elements from one to
/// the next of the matrix; rows are those of the result.
pub fn convert_heads(of: Group) -> Result<Kernel, Error> {
    rows_by(of, convert_heads_name(of), false, Rows::Heads)
}

/// As [`convert_rows`], of bytes without a sign, less 128: those that have one.
pub fn signed_rows() -> Result<Kernel, Error> {
    rows_by(Group::S8, "signed_rows", false, Rows::Unsigned)
}

/// What there is in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Plain,
    Unsigned,
    Heads,
}

fn rows_by(of: Group, name: &str, wide: bool, what: Rows) -> Result<Kernel, Error> {
    // Bits of an element, and elements of a word.
    let bits = of.element().bits();
    let each = 32 / bits;
    let rounded = of == Group::Tf32;
    let b = Builder::new(name);
    b.threads([THREADS, 1, 1]);
    if rounded && !wide {
        b.rounds();
    }
    let [x, to] = b.params::<U64, 2>();
    let [before, rows, depth, row_by, depth_by, pitch] = b.params::<U32, 6>();
    let heads = (what == Rows::Heads).then(|| b.params::<U32, 2>());
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let start = |row: Value<'_, U32>| {
        let row = b.typed::<U32>(row.id());
        match heads {
            Some([heads, apart]) => row / heads * row_by + row % heads * apart,
            None => row * row_by,
        }
    };
    let [high, deep] = CONVERT_TILE;
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
        let from = before + Value::select(inside, start(row) + at * depth_by, int(0));
        let word = get::<U32>(x, from >> int(each.ilog2()));
        let element = match each {
            1 => word,
            _ => (word >> ((from & int(each - 1)) << int(bits.ilog2()))) & int((1 << bits) - 1),
        };
        let element = if what == Rows::Unsigned { element ^ int(0x80) } else { element };
        b.store(Space::Shared, place(r, d), 0, Value::select(inside, element, int(0)));
    }
    b.barrier();
    let (bits, each) = match (wide, rounded) {
        (true, _) => (bits, 1),
        (_, true) => (16, 2),
        _ => (bits, each),
    };
    for turn in 0..high * deep / each / THREADS {
        let e = (tid + int(turn * THREADS)) * int(each);
        let (r, d) = (e >> int(deep.ilog2()), e & int(deep - 1));
        let (row, at) = (row0 + r, deep0 + d);
        b.when(row.compare(Cmp::Lt, rows) & at.compare(Cmp::Lt, pitch), || {
            let whole = |j: u32| {
                let word = b.load::<U32>(Space::Shared, place(r, d), 4 * j as i32);
                if rounded { nearest_half(word) } else { word }
            };
            let part = |j: u32| whole(j) << int(j * bits);
            let low = whole(0);
            let to_element = row * pitch + at;
            if wide {
                put::<F32>(to, to_element, to_f32(of, low));
            } else {
                let word = (1..each).fold(low, |word, j| word | part(j));
                put::<U32>(to, to_element >> int(each.ilog2()), word);
            }
        });
    }
    b.finish()
}

/// What [`convert_rows`] calls its kernel.
pub(crate) const fn convert_rows_name(of: Group, wide: bool) -> &'static str {
    match (of, wide) {
        (Group::Bf16, true) => "bf16_to_f32",
        (Group::F16, true) => "f16_to_f32",
        (_, true) => "e4m3_to_f32",
        (Group::Bf16 | Group::F16, false) => "half_rows",
        (Group::Tf32, false) => "round_bf16",
        (Group::E4m3 | Group::S8, false) => "byte_rows",
    }
}

/// What [`convert_heads`] calls its kernel.
pub(crate) const fn convert_heads_name(of: Group) -> &'static str {
    if matches!(of, Group::Tf32) { "round_heads" } else { "half_heads" }
}

/// Elements that a thread of [`round_lines`] rounds at a time.
pub const ROUNDED_EACH: u32 = 8;

/// Lines of `f32`, whose elements are neighbours, as the nearest `bf16`. Parameters: the matrix, where it goes (a multiple of 16
/// bytes); lines, their length, elements from one to the next, pieces of [`ROUNDED_EACH`] of a line of the result, which is
/// filled up with zeros, and elements from one of these to the next (`U32`). Any grid does.
pub fn round_lines() -> Result<Kernel, Error> {
    let b = Builder::new("round_lines");
    b.rounds();
    let [x, to] = b.params::<U64, 2>();
    let [lines, length, by, pieces, pitch] = b.params::<U32, 5>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let aligned = aligned(x, by, [16, 4]);
    each(&b, lines * pieces, |i| {
        let line = i / pieces;
        let first = (i - line * pieces) * int(ROUNDED_EACH);
        let from = line * by + first;
        let whole = (first + int(ROUNDED_EACH)).compare(Cmp::Le, length) & aligned;
        let x: [Value<'_, F32>; ROUNDED_EACH as usize] = b.either(
            whole,
            || {
                let read = |byte| b.load_vector::<F32, 4>(Space::Global, at::<F32>(x, from), byte);
                let ([p, q, r, s], [t, u, v, w]) = (read(0), read(16));
                [p, q, r, s, t, u, v, w]
            },
            || {
                core::array::from_fn(|k| {
                    let inside = (first + int(k as u32)).compare(Cmp::Lt, length);
                    let [x] = b.either(inside, || [get::<F32>(x, from + int(k as u32))], || [b.f32(0.0)]);
                    x
                })
            },
        );
        let [p, q, r, s, t, u, v, w] = x;
        let words = [(p, q), (r, s), (t, u), (v, w)].map(|(low, high)| b.pack(Group::Bf16, low, high));
        b.store_vector(Space::Global, at::<U32>(to, (line * pitch + first) >> int(1)), 0, words);
    });
    b.finish()
}

/// Rows and columns of a block of [`byte_product`].
pub const BYTE_TILE: u32 = 64;
/// Words of depth that are in shared memory at a time: rows are a multiple of so many apart.
pub const BYTE_DEPTH: u32 = 8;

/// `C ← α·A·B + β·C` modulo 2³², of signed bytes: A (m × k) and B (n × k) row by row, filled up with zeros. C is not read
/// where β is 0.
///
/// Parameters: A, B, C; m, n, words of a row, the strides of C, α and β (`U32`). Launch `ceil(n / 64)` × `ceil(m / 64)`
/// blocks of 256 threads.
pub fn byte_product() -> Result<Kernel, Error> {
    const EACH: u32 = BYTE_TILE / 16;
    let b = Builder::new("byte_product");
    b.threads([THREADS, 1, 1]);
    let [x, y, c] = b.params::<U64, 3>();
    let [m, n, words, row_by, col_by, alpha, beta] = b.params::<U32, 7>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    // By depth, with a column that keeps neighbours in different banks.
    let pitch = 4 * (BYTE_TILE + 1);
    let tiles = [(); 2].map(|()| b.shared(BYTE_DEPTH * pitch, 4));
    let tid = b.special(Special::TidX);
    let corner = [Special::CtaidY, Special::CtaidX].map(|s| b.special(s) * int(BYTE_TILE));
    let [ty, tx] = [tid >> int(4), tid & int(15)];
    let zeros: Vec<_> = (0..EACH * EACH).map(|_| int(0)).collect();
    let sums = b.count::<U32, U32>([int(0), words, int(BYTE_DEPTH)], 1, &zeros, |first, sums| {
        for ((from, rows), (tile, corner)) in [(x, m), (y, n)].into_iter().zip(tiles.into_iter().zip(corner))
        {
            for turn in 0..BYTE_TILE * BYTE_DEPTH / THREADS {
                let e = tid + int(turn * THREADS);
                let (r, p) = (e >> int(BYTE_DEPTH.ilog2()), e & int(BYTE_DEPTH - 1));
                let row = (corner + r).least(rows - int(1));
                let word = get::<U32>(from, row * words + first + p);
                b.store(Space::Shared, tile + p * int(pitch) + r * int(4), 0, word);
            }
        }
        b.barrier();
        let mut next = sums.to_vec();
        for p in 0..BYTE_DEPTH {
            let [x, y] = [(tiles[0], ty), (tiles[1], tx)].map(|(tile, t)| -> Vec<Value<'_, U32>> {
                let from = tile + t * int(4);
                (0..EACH).map(|i| b.load(Space::Shared, from, (p * pitch + 64 * i) as i32)).collect()
            });
            let pairs = x.iter().flat_map(|x| y.iter().map(|y| (*x, *y)));
            next.iter_mut().zip(pairs).for_each(|(s, (x, y))| *s = x.dot4(y, *s));
        }
        b.barrier();
        next
    });
    let reads = beta.compare(Cmp::Ne, int(0));
    let [rows, cols] = [(corner[0], ty), (corner[1], tx)].map(|(first, t)| first + t);
    for (e, sum) in (0..).zip(&sums) {
        let (row, col) = (rows + int(16 * (e / EACH)), cols + int(16 * (e % EACH)));
        b.when(row.compare(Cmp::Lt, m) & col.compare(Cmp::Lt, n), || {
            let at = row * row_by + col * col_by;
            let [old] = b.either(reads, || [get::<U32>(c, at)], || [int(0)]);
            put::<U32>(c, at, alpha * *sum + beta * old);
        });
    }
    b.finish()
}

/// The sum of each row of signed bytes, modulo 2³², a block for each: as [`byte_product`] reads them. Parameters: the matrix,
/// where the sums go; rows, words of a row (`U32`).
pub fn byte_sums(meet: Meet) -> Result<Kernel, Error> {
    let b = Builder::new("byte_sums");
    b.threads([super::THREADS, 1, 1]);
    let [x, to] = b.params::<U64, 2>();
    let [rows, words] = b.params::<U32, 2>();
    let (zero, ones) = (b.int::<U32>(0), b.int::<U32>(0x0101_0101));
    each_row(&b, rows, |r| {
        let bounds = [b.special(Special::TidX), words, b.int(i64::from(super::THREADS))];
        let sum = b.count::<U32, U32>(bounds, 1, &[zero], |i, sum| {
            sum.iter().map(|s| get::<U32>(x, r * words + i).dot4(ones, *s)).collect()
        });
        let [sum] = block_reduce(&b, meet, [sum.first().copied().unwrap_or(zero)], |[p], [q]| [p + q]);
        b.when(leads(&b), || put(to, r, sum));
    });
    b.finish()
}

/// What the zeros of a product's bytes make of C before it is added: `C ← γ + ρ·rows + κ·columns + β·C`, modulo 2³², with the
/// sums of A's rows and of B's columns. C is not read where β is 0. Parameters: the sums, C; elements and columns of C, its
/// strides, γ, ρ, κ, β (`U32`). Any grid does.
pub fn byte_zeros() -> Result<Kernel, Error> {
    let b = Builder::new("byte_zeros");
    let [rows, cols, c] = b.params::<U64, 3>();
    let [count, n, row_by, col_by, all, by_rows, by_cols, beta] = b.params::<U32, 8>();
    let reads = beta.compare(Cmp::Ne, b.int(0));
    each(&b, count, |i| {
        let row = i / n;
        let col = i - row * n;
        let at = row * row_by + col * col_by;
        let [old] = b.either(reads, || [get::<U32>(c, at)], || [b.int(0)]);
        let sums = by_rows * get::<U32>(rows, row) + by_cols * get::<U32>(cols, col);
        put::<U32>(c, at, all + sums + beta * old);
    });
    b.finish()
}

#[cfg(feature = "half")]
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
        return Vec::from([to_f32(of, (word >> ((at & b.int(1)) << b.int(4))) & mask)]);
    }
    let words =
        super::flat::neighbours::<U32>(b, Space::Global, super::flat::at::<U32>(base, at >> b.int(1)), 0, 4);
    words.into_iter().flat_map(|w| [to_f32(of, w & mask), to_f32(of, w >> sixteen)]).collect()
}

/// The nearest `bf16` of the bits of an `f32`, ties to even; NaN stays NaN, what is too large is infinite.
fn nearest_half<'b>(bits: Value<'b, U32>) -> Value<'b, U32> {
    let b = bits.builder();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let up = bits + int(0x7fff) + ((bits >> int(16)) & int(1));
    let nan = (bits & int(0x7fff_ffff)).compare(Cmp::Gt, int(0x7f80_0000));
    Value::select(nan, bits | int(0x40_0000), up) >> int(16)
}

/// The `f32` of these bits, exactly, by integers: not every device has the types.
fn to_f32<'b>(of: Group, bits: Value<'b, U32>) -> Value<'b, F32> {
    let b = bits.builder();
    match of {
        Group::Bf16 => (bits << b.int(16)).cast(),
        Group::E4m3 => {
            let int = |c: u32| b.int::<U32>(i64::from(c));
            let (magnitude, fraction) = (bits & int(0x7f), bits & int(7));
            let normal = (magnitude << int(20)) + int(120 << 23);
            let small = fraction.to::<F32>() * b.f32(1.0 / 512.0);
            let size = Value::select(magnitude.compare(Cmp::Lt, int(8)), small.cast(), normal);
            let size = Value::select(magnitude.compare(Cmp::Eq, int(0x7f)), int(0x7fc0_0000), size);
            (size | (bits & int(0x80)) << int(24)).cast()
        }
        _ => f16_to_f32(bits),
    }
}
