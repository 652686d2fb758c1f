//! Dequantisation of blocks, and products of quantised weights with quantised activations.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::types::{F32, U32, U64};
use super::blocks::{Blocks, Codes, One, float, low_byte};
use super::flat::{at, each, get, keep, put};
use super::layer::each_row;
use super::status::{Index, note};
use crate::quant::Block;
use alloc::format;
use alloc::vec::Vec;

/// The 32 numbers of blocks from `at` on.
pub(crate) fn numbers_at<'b, B: Block>(
    base: Value<'b, U64>,
    before: Value<'b, U32>,
    at: Value<'b, U32>,
) -> Vec<Value<'b, F32>> {
    let b = at.builder();
    let [block, c] = within::<B>(at >> b.int(5));
    let all = core::cell::RefCell::new(Vec::new());
    let one = Blocks { b, base, before, wide: false }.block::<B>(block);
    numbers::<B>(b, one, c, |_, x| all.borrow_mut().extend_from_slice(x));
    all.into_inner()
}

/// Which rows are unpacked, and where they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpack {
    /// All, each to its last block's end.
    Whole,
    /// All, each to its own end.
    Padded,
    /// Those of indices.
    Chosen,
}

/// Chunks of 32 elements.
const fn chunks<B: Block>() -> i64 {
    B::ELEMENTS as i64 / 32
}

/// The block and its chunk of chunk `k` of a row.
fn within<'b, B: Block>(k: Value<'b, U32>) -> [Value<'b, U32>; 2] {
    let b = k.builder();
    let shift = chunks::<B>().ilog2();
    [k >> b.int(i64::from(shift)), k & b.int(chunks::<B>() - 1)]
}

/// Elements from blocks, a thread for each 32. Parameters: the blocks, `out`, with [`Unpack::Chosen`] the indices and the
/// status words; the chunks of `out`, of a row, the elements of a row, bytes before the first block, rows of blocks. A
/// row whose index is past the table is zeros. `wide`: `out` and the blocks start at multiples of 16 bytes.
pub fn unpack<B: Block>(which: Unpack, wide: bool) -> Result<Kernel, Error> {
    let op = match which {
        Unpack::Whole => "dequantize",
        Unpack::Padded => "dequantize_padded",
        Unpack::Chosen => "quant_rows",
    };
    let b = Builder::new(&format!("{op}_{}", B::NAME));
    let [x, out] = b.params::<U64, 2>();
    let chosen = (which == Unpack::Chosen).then(|| b.params::<U64, 2>());
    let [n, row, cols, before, rows] = b.params::<U32, 5>();
    let all = Blocks { b: &b, base: x, before, wide };
    each(&b, n, |i| {
        let r = i / row;
        let k = i - r * row;
        let [block, c] = within::<B>(k);
        let of_row = row >> b.int(i64::from(chunks::<B>().ilog2()));
        let to = r * cols + (k << b.int(5));
        let write = |first: usize, x: &[Value<'_, F32>]| {
            let first = b.int::<U32>(first as i64);
            match which {
                // Some chunks start past the row's end.
                Unpack::Padded => (0..).zip(x).for_each(|(j, x)| {
                    let e = (k << b.int(5)) + first + b.int(j);
                    b.when(e.compare(Cmp::Lt, cols), || put(out, r * cols + e, *x));
                }),
                _ if wide => x.chunks(4).zip(0..).for_each(|(x, j)| {
                    keep(&b, Space::Global, at::<F32>(out, to + first + b.int(4 * j)), x);
                }),
                _ => (0..).zip(x).for_each(|(j, x)| put(out, to + first + b.int(j), *x)),
            }
        };
        let decode = |from: Value<'_, U32>| {
            numbers::<B>(&b, all.block::<B>(from * of_row + block), c, write);
        };
        let Some([ids, status]) = chosen else { return decode(r) };
        let id = get::<U32>(ids, r);
        let good = id.compare(Cmp::Lt, rows);
        b.when(good, || decode(id));
        b.when(!good, || {
            note(status, Index::QuantRows, id);
            (0..8).for_each(|w| write(4 * w, &[b.f32(0.0); 4]));
        });
    });
    b.finish()
}

/// The elements of a chunk, four at a time.
fn numbers<'b, B: Block>(
    b: &'b Builder,
    block: One<'b>,
    c: Value<'b, U32>,
    write: impl Fn(usize, &[Value<'b, F32>]),
) {
    let d = block.d::<B>();
    let [scales, mins] = block.scales::<B>(c);
    let factor = |s: Value<'b, U32>| if B::GROUPS { d * float(s) } else { d };
    let scales = scales.map(factor);
    let m = B::MINS.then(|| block.m::<B>()).flatten();
    let mins = m.map(|m| mins.map(|min| if B::GROUPS { m * float(min) } else { m }));
    let levels = B::WORDS.levels.map(|levels| {
        let bits = levels.iter().map(|x| u64::from(x.to_bits())).collect();
        b.table(super::super::types::Type::F32, bits)
    });
    let codes = match levels {
        Some(_) => block.raw::<B>(c),
        None => block.codes::<B>(c)[0],
    };
    for (w, word) in codes.into_iter().enumerate() {
        let (scale, min) = match (scales, mins) {
            ([s, _], mins) if w < 4 => (s, mins.map(|[m, _]| m)),
            ([_, s], mins) => (s, mins.map(|[_, m]| m)),
        };
        let one = |j: i64| {
            let byte = word >> b.int(8 * j);
            let x = match levels {
                Some(levels) => b.load::<F32>(Space::Const, at::<F32>(levels, byte & b.int(15)), 0),
                None => float(low_byte(byte) - b.int(i64::from(B::OFFSET))),
            };
            let x = scale * x;
            min.map_or(x, |min| x - min)
        };
        write(4 * w, &[one(0), one(1), one(2), one(3)]);
    }
}

/// Rows of weights and of activations whose products a block of threads takes: twice as many of the latter each time.
pub const TILES: [[u32; 2]; 4] = [[4, 1], [4, 2], [4, 4], [4, 8]];

/// Bytes of shared memory of a block.
pub const fn scratch([high, across]: [u32; 2], threads: u32) -> u32 {
    2 * high * across * (threads + 1) * 4
}

/// A chunk of activations.
struct Chunk<'b> {
    codes: Codes<'b>,
    /// Of the codes of either half.
    sums: [Value<'b, U32>; 2],
    d: Value<'b, F32>,
    /// What mins of 32 elements are multiplied with.
    sum: Value<'b, F32>,
}

/// The sum of products of bytes, four at a time.
fn dot<'b>(a: &[Value<'b, U32>], y: &[Value<'b, U32>], zero: Value<'b, U32>) -> Value<'b, U32> {
    a.iter().zip(y).fold(zero, |sum, (a, y)| a.dot4(*y, sum))
}

/// What a chunk of weights gives with one of activations, modulo 2³², and what its mins are multiplied with.
fn meet<'b, B: Block>(
    b: &'b Builder,
    codes: [Codes<'b>; 2],
    [scales, mins]: [[Value<'b, U32>; 2]; 2],
    x: &Chunk<'b>,
) -> [Value<'b, U32>; 2] {
    let zero = b.int::<U32>(0);
    let [high, low] = codes;
    let halves = |codes: &Codes<'b>| {
        let (first, last) = codes.split_at(4);
        let (y, z) = x.codes.split_at(4);
        [dot(first, y, zero), dot(last, z, zero)]
    };
    let weigh = |[s, t]: [Value<'b, U32>; 2], [p, q]: [Value<'b, U32>; 2]| s * p + t * q;
    let offset = b.int::<U32>(-i64::from(B::OFFSET));
    if B::GROUPS {
        let sum = weigh(scales, halves(&high));
        let sum = if B::OFFSET == 0 { sum } else { sum + weigh(scales, x.sums) * offset };
        return [sum, if B::MINS { weigh(mins, x.sums) } else { zero }];
    }
    let [p, q] = halves(&high);
    let sum = p + q;
    let sum = if B::FINE {
        let [p, q] = halves(&low);
        sum * b.int(256) + p + q
    } else {
        sum
    };
    let [p, q] = x.sums;
    [if B::OFFSET == 0 { sum } else { sum + (p + q) * offset }, zero]
}

/// `out[j][r] = Σ weights[r][i]·x[j][i]`, the bits of the CPU: integers of a block, then its factors, and blocks one after
/// the other. A block of `threads` threads takes a tile of rows of weights (by the grid along x) and of `x` (along y), a
/// thread 32 elements of each at a time; their sums are reduced in shared memory.
///
/// Parameters: the weights, `x`, `out`; bytes before the first block of weights and of `x`, rows of weights, rows of `x`,
/// blocks of a row of weights. `wide`: weights and `x` start at multiples of 16 bytes.
pub fn product<B: Block>([high, across]: [u32; 2], threads: u32, wide: bool) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("quant_product_{}", B::NAME));
    b.threads([threads, 1, 1]);
    let [w, x, out] = b.params::<U64, 3>();
    let [before, before_x, rows, vectors, row] = b.params::<U32, 5>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (weights, x) =
        (Blocks { b: &b, base: w, before, wide }, Blocks { b: &b, base: x, before: before_x, wide });
    let (each, pairs, tid) = (chunks::<B>() as u32, high * across, b.special(Special::TidX));
    let (shift, pitch) = (each.ilog2(), threads + 1);
    // A line for each pair of rows, one longer than there are threads: threads at one place of them use different banks.
    let [sums, mins] = [(); 2].map(|()| b.shared(pairs * pitch * 4, 4));
    let place = |scratch: Value<'_, U32>, pair: Value<'_, U32>, k: Value<'_, U32>| {
        b.typed::<U32>(scratch.id()) + (b.typed::<U32>(pair.id()) * int(pitch) + b.typed(k.id())) * int(4)
    };
    let has_mins = B::MINS;
    let vector0 = b.special(Special::CtaidY) * int(across);
    let end = row << int(shift);
    // What is past the end is as the last one, and not written.
    let clamp =
        |k: Value<'_, U32>, n: Value<'_, U32>| b.typed::<U32>(k.id()).least(b.typed::<U32>(n.id()) - int(1));
    let groups = (rows + int(high - 1)) / int(high);
    // The two terms of a block: its product and its mins, from their integers.
    let terms = |a: One<'_>,
                 d: Value<'_, F32>,
                 by: Value<'_, F32>,
                 sum: Value<'_, F32>,
                 [t, m]: [Value<'_, U32>; 2]| {
        let f = |v: Value<'_, F32>| b.typed::<F32>(v.id());
        let scale = if B::WORDS.by == 1.0 { f(d) } else { f(d) * b.f32(B::WORDS.by) };
        let first = scale * f(by) * f(float(t));
        let second = has_mins
            .then(|| a.m::<B>())
            .flatten()
            .map(|m_of| f(m_of) * if B::GROUPS { f(by) * f(float(m)) } else { f(sum) });
        (first, second)
    };
    each_row(&b, groups, |g| {
        let row0 = g * int(high);
        let total = b.count::<U32, F32>([int(0), end, int(threads)], 1, &[b.f32(0.0)], |base, total| {
            let k = base + tid;
            b.when(k.compare(Cmp::Lt, end), || {
                let [block, c] = within::<B>(k);
                let of_x: Vec<Chunk<'_>> = (0..across)
                    .map(|j| {
                        let j = clamp(vector0 + int(j), vectors);
                        chunk::<B>(&b, x.block::<B::Partner>(j * row + block), c)
                    })
                    .collect();
                // A loop that is taken apart where languages have a compiler of ours.
                b.count::<U32, U32>([int(0), int(high), int(1)], 0, &[], |i, _| {
                    let a = weights.block::<B>(clamp(row0 + i, rows) * row + block);
                    let (codes, scales) = (a.codes::<B>(c), a.scales::<B>(c));
                    let d = (each == 1).then(|| a.d::<B>());
                    for (j, x) in (0..).zip(&of_x) {
                        let pair = i * int(across) + int(j);
                        let integers = meet::<B>(&b, codes, scales, x);
                        let put = |scratch, v| b.store(Space::Shared, place(scratch, pair, tid), 0, v);
                        match d {
                            Some(d) => {
                                let (first, second) = terms(a, d, x.d, x.sum, integers);
                                put(sums, first.cast());
                                second.into_iter().for_each(|v| put(mins, v.cast()));
                            }
                            None => {
                                let [t, m] = integers;
                                put(sums, t);
                                if has_mins {
                                    put(mins, m);
                                }
                            }
                        }
                    }
                    Vec::new()
                });
            });
            b.barrier();
            let blocks = threads >> shift;
            if each > 1 {
                // The integers of a block's chunks, a thread for each block and pair.
                for turn in 0..(pairs * blocks).div_ceil(threads) {
                    let item = tid + int(turn * threads);
                    let (pair, k) = (item >> int(blocks.ilog2()), item & int(blocks - 1));
                    let block = (base >> int(shift)) + k;
                    let there = item.compare(Cmp::Lt, int(pairs * blocks)) & block.compare(Cmp::Lt, row);
                    b.when(there, || {
                        let k = k << int(shift);
                        let add = |scratch| {
                            let at = place(scratch, pair, k);
                            let read = |c: u32| b.load::<U32>(Space::Shared, at, 4 * c as i32);
                            (1..each).fold(read(0), |sum, c| sum + read(c))
                        };
                        let integers = [add(sums), if has_mins { add(mins) } else { int(0) }];
                        let (i, j) = (pair >> int(across.ilog2()), pair & int(across - 1));
                        let a = weights.block::<B>(clamp(row0 + i, rows) * row + block);
                        let y = x.block::<B::Partner>(clamp(vector0 + j, vectors) * row + block);
                        let (first, second) = terms(a, a.d::<B>(), y.d::<B::Partner>(), b.f32(0.0), integers);
                        b.store(Space::Shared, place(sums, pair, k), 0, first);
                        if let Some(second) = second {
                            b.store(Space::Shared, place(mins, pair, k), 0, second);
                        }
                    });
                }
                b.barrier();
            }
            let sum = total.first().copied().unwrap_or(b.f32(0.0));
            let sum = b.either(
                tid.compare(Cmp::Lt, int(pairs)),
                || {
                    let here = (end - base).least(int(threads));
                    let next = b.count::<U32, F32>([int(0), here, int(each)], 4, &[sum], |k, sum| {
                        let read = |scratch| b.load::<F32>(Space::Shared, place(scratch, tid, k), 0);
                        let sum = sum.iter().map(|sum| {
                            let sum = *sum + read(sums);
                            if has_mins { sum - read(mins) } else { sum }
                        });
                        sum.collect()
                    });
                    [next.first().copied().unwrap_or(sum)]
                },
                || [sum],
            );
            // The next turn uses the same shared memory.
            b.barrier();
            sum.to_vec()
        });
        let (i, j) = (tid >> int(across.ilog2()), tid & int(across - 1));
        let (r, j) = (row0 + i, vector0 + j);
        let there = tid.compare(Cmp::Lt, int(pairs)) & r.compare(Cmp::Lt, rows) & j.compare(Cmp::Lt, vectors);
        b.when(there, || total.iter().for_each(|sum| put(out, j * rows + r, *sum)));
    });
    b.finish()
}

/// A chunk of activations for weights of `B`.
fn chunk<'b, B: Block>(b: &'b Builder, x: One<'b>, c: Value<'b, U32>) -> Chunk<'b> {
    let [codes, _] = x.codes::<B::Partner>(c);
    let (zero, ones) = (b.int::<U32>(0), b.int::<U32>(0x0101_0101));
    let sums = match x.sums::<B::Partner>(c) {
        _ if B::OFFSET == 0 && !B::MINS => [zero; 2],
        Some(sums) => sums,
        None => {
            let (first, last) = codes.split_at(4);
            [dot(&[ones; 4], first, zero), dot(&[ones; 4], last, zero)]
        }
    };
    let one = B::ELEMENTS == 32;
    let d = if one { x.d::<B::Partner>() } else { b.f32(0.0) };
    // Of whole numbers, exact: a scale of 11 bits times a sum of 13.
    let sum = if one && B::MINS { d * float(sums[0] + sums[1]) } else { b.f32(0.0) };
    Chunk { codes, sums, d, sum }
}
