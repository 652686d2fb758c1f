//! Dequantises blocks that are read as 32-bit words, of any format by the description of its
//! [`Words`](crate::quant::layout::Words).
#![allow(clippy::indexing_slicing, reason = "places of arrays that are counted here")]

use super::super::builder::{Builder, Value};
use super::super::ir::{Cmp, Space};
use super::super::types::{F32, S32, U32, U64};
use super::flat::{at, get, neighbours};
use crate::quant::Block;
use crate::quant::layout::{Factor, Field, Scales};
use alloc::vec::Vec;

/// Eight words of four codes each.
pub(super) type Codes<'b> = [Value<'b, U32>; 8];

/// The `f32` of these 16 bits of half precision, exactly, by integers: not every device has the type.
pub(super) fn f16_to_f32<'b>(bits: Value<'b, U32>) -> Value<'b, F32> {
    let b = bits.builder();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (exponent, fraction) = (bits & int(0x7c00), bits & int(0x03ff));
    let normal = ((bits & int(0x7fff)) << int(13)) + int(112 << 23);
    let special = int(0x7f80_0000) | fraction << int(13);
    let small = fraction.to::<F32>() * b.f32(1.0 / 16_777_216.0);
    let size = Value::select(exponent.compare(Cmp::Eq, int(0x7c00)), special, normal);
    let size = Value::select(exponent.compare(Cmp::Eq, int(0)), small.cast(), size);
    (size | (bits & int(0x8000)) << int(16)).cast()
}

/// The signed number that is the lowest byte, modulo 2³².
pub(super) fn low_byte<'b>(word: Value<'b, U32>) -> Value<'b, U32> {
    let b = word.builder();
    ((word & b.int(0xff)) ^ b.int(0x80)) - b.int(0x80)
}

/// The signed number that is the lower half, modulo 2³².
pub(super) fn low_half<'b>(word: Value<'b, U32>) -> Value<'b, U32> {
    let b = word.builder();
    ((word & b.int(0xffff)) ^ b.int(0x8000)) - b.int(0x8000)
}

/// The number, of integers modulo 2³².
pub(super) fn float<'b>(x: Value<'b, U32>) -> Value<'b, F32> {
    x.cast::<S32>().to()
}

/// Blocks in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks<'b> {
    pub(super) b: &'b Builder,
    pub(super) base: Value<'b, U64>,
    /// Bytes before the first: 0 where blocks are whole words.
    pub(super) before: Value<'b, U32>,
    /// Whether 16 bytes are read at once, where blocks are as many times so.
    pub(super) wide: bool,
}

/// A block, by the byte where it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct One<'b> {
    all: Blocks<'b>,
    start: Value<'b, U32>,
}

impl<'b> Blocks<'b> {
    pub(super) fn block<B: Block>(self, k: Value<'b, U32>) -> One<'b> {
        let bytes = size_of::<B>() as i64;
        let start = k * self.b.int(bytes);
        One { all: self, start: if bytes % 4 == 0 { start } else { start + self.before } }
    }
}

impl<'b> One<'b> {
    fn int(&self, c: usize) -> Value<'b, U32> {
        self.all.b.int(c as i64)
    }

    /// `N` words from `from` bytes on: they are whole words of memory in a format of such.
    fn words<B: Block, const N: usize>(
        &self,
        offset: usize,
        from: Option<Value<'b, U32>>,
    ) -> [Value<'b, U32>; N] {
        let (b, base) = (self.all.b, self.all.base);
        let first = from.map_or(self.start, |from| self.start + from);
        let whole = size_of::<B>().is_multiple_of(4) && offset.is_multiple_of(4);
        let (offset, first) = if whole { (offset as i32, first) } else { (0, first + self.int(offset)) };
        let place = at::<U32>(base, first >> b.int(2));
        if whole {
            let quads =
                self.all.wide && N.is_multiple_of(4) && size_of::<B>().is_multiple_of(16) && offset % 16 == 0;
            let many = if quads { 4 } else { 1 };
            let read = |k: u32| neighbours::<U32>(b, Space::Global, place, offset + 4 * k as i32, many);
            let all: Vec<_> = (0..N as u32).step_by(many as usize).flat_map(read).collect();
            return core::array::from_fn(|k| all[k]);
        }
        let shift = (first & b.int(3)) << b.int(3);
        let last = get::<U32>(base, (first + self.int(4 * N - 1)) >> b.int(2));
        let mut low = b.load::<U32>(Space::Global, place, 0);
        let left = b.int::<U32>(31) - shift;
        core::array::from_fn(|k| {
            let next = if k + 1 < N { b.load(Space::Global, place, 4 * k as i32 + 4) } else { last };
            // Two shifts: one by 32 is not every language's.
            let word = low >> shift | (next << b.int(1)) << left;
            low = next;
            word
        })
    }

    /// The byte at `offset + from`, and what lies in its word above.
    fn byte(&self, offset: usize, from: Value<'b, U32>) -> Value<'b, U32> {
        let place = self.start + from + self.int(offset);
        let b = self.all.b;
        get::<U32>(self.all.base, place >> b.int(2)) >> ((place & b.int(3)) << b.int(3))
    }

    /// The two bytes at an even offset of an even block.
    fn pair(&self, offset: usize, from: Value<'b, U32>) -> Value<'b, U32> {
        self.byte(offset, from) & self.all.b.int(0xffff)
    }

    pub(super) fn half(&self, offset: usize) -> Value<'b, F32> {
        f16_to_f32(self.pair(offset, self.int(0)))
    }

    /// The factor of scales.
    pub(super) fn d<B: Block>(&self) -> Value<'b, F32> {
        let b = self.all.b;
        match B::WORDS.d {
            Factor::Half(at) => self.half(at),
            Factor::Single(at) => {
                let [word] = self.words::<B, 1>(at, None);
                word.cast()
            }
            Factor::Power(at) => {
                let e = self.byte(at, self.int(0)) & b.int(0xff);
                let small = b.int::<U32>(0x0020_0000) << e;
                let size = (e - b.int(1)) << b.int(23);
                Value::select(e.compare(Cmp::Lt, b.int(2)), small, size).cast()
            }
        }
    }

    /// The factor of mins.
    pub(super) fn m<B: Block>(&self) -> Option<Value<'b, F32>> {
        let m = self.half(B::WORDS.m?);
        Some(if B::WORDS.negative { -m } else { m })
    }

    /// The codes of chunk `c` as they lie.
    pub(super) fn raw<B: Block>(&self, c: Value<'b, U32>) -> Codes<'b> {
        let fields = B::WORDS.codes.iter().map(|f| self.field::<B>(*f, c));
        fields.reduce(|p, q| core::array::from_fn(|k| p[k] | q[k])).unwrap_or([c; 8])
    }

    /// The codes of chunk `c`, or what they choose; then the low bytes of that where a format has such.
    pub(super) fn codes<B: Block>(&self, c: Value<'b, U32>) -> [Codes<'b>; 2] {
        let raw = self.raw::<B>(c);
        let Some([high, low]) = B::WORDS.table else { return [raw; 2] };
        let both = raw.map(|word| self.choose(word, high, B::FINE.then_some(low)));
        [0, 1].map(|k| both.map(|both| both[k]))
    }

    /// The entries that four codes choose. They are in four words: a table in memory is what some compilers copy for each.
    fn choose(&self, word: Value<'b, U32>, high: &[i8; 16], low: Option<&[i8; 16]>) -> [Value<'b, U32>; 2] {
        let b = self.all.b;
        let code = |j: i64| (word >> b.int(8 * j)) & b.int(15);
        let codes = [code(0), code(1), code(2), code(3)];
        let places = codes
            .map(|code| ([4, 8, 12].map(|c| code.compare(Cmp::Ge, b.int(c))), (code & b.int(3)) << b.int(3)));
        let of = |table: &[i8; 16]| {
            let mut fours = table.as_chunks::<4>().0.iter().map(|x| u32::from_le_bytes(x.map(|x| x as u8)));
            let [p, q, r, s] = core::array::from_fn(|_| b.int::<U32>(fours.next().unwrap_or(0).into()));
            let entries = (0..).zip(places).map(|(j, ([past4, past8, past12], shift))| {
                let (low, high) = (Value::select(past4, q, p), Value::select(past12, s, r));
                ((Value::select(past8, high, low) >> shift) & b.int(0xff)) << b.int(8 * j)
            });
            entries.reduce(|p, q| p | q).unwrap_or(word)
        };
        let first = of(high);
        [first, low.map_or(first, of)]
    }

    fn field<B: Block>(&self, field: Field, c: Value<'b, U32>) -> Codes<'b> {
        let b = self.all.b;
        let int = |c: u32| b.int::<U32>(i64::from(c));
        match field {
            Field::Nibbles(at) => {
                let words = self.words::<B, 4>(at, None);
                let four = int(0x0f0f_0f0f);
                core::array::from_fn(|k| {
                    let word = words[k % 4];
                    (if k < 4 { word } else { word >> int(4) }) & four
                })
            }
            Field::Pieces { at, bits, span, lines, up } => {
                // All are powers of two.
                let along = if lines == 1 { int(0) } else { c & int(lines - 1) };
                let piece = (c >> int(span.ilog2())) * int(lines) + along;
                let words = self.words::<B, 8>(at, Some(piece << int(5)));
                if bits == 8 {
                    return words;
                }
                let within = c & int(span - 1);
                let shift = (within >> int(lines.ilog2())) * int(bits);
                let mask = int(((1 << bits) - 1) * 0x0101_0101);
                words.map(|word| ((word >> shift) & mask) << int(up))
            }
            Field::Flags(at) => {
                let [flags] = self.words::<B, 1>(at, None);
                core::array::from_fn(|k| {
                    // Bit `k` of four to byte `k`: the factor's bits are seven apart.
                    let four = (flags >> int(4 * k as u32)) & int(15);
                    ((four * int(0x0020_4081)) & int(0x0101_0101)) << int(4)
                })
            }
            Field::Pairs(at, high) => {
                let words = self.words::<B, 4>(at, Some(c << int(4)));
                core::array::from_fn(|k| {
                    let two = words[k / 2] >> int(16 * (k as u32 % 2));
                    let (first, second) = ((two & int(0x0f0f)), ((two >> int(4)) & int(0x0f0f)));
                    let (first, second) = if high { (second, first) } else { (first, second) };
                    // A byte's codes are neighbours.
                    let apart = |x: Value<'b, U32>| (x & int(0xff)) | (x & int(0xff00)) << int(8);
                    apart(first) | apart(second) << int(8)
                })
            }
        }
    }

    /// The scales of both halves of chunk `c`, then the mins, as signed numbers modulo 2³².
    pub(super) fn scales<B: Block>(&self, c: Value<'b, U32>) -> [[Value<'b, U32>; 2]; 2] {
        let b = self.all.b;
        let int = |c: u32| b.int::<U32>(i64::from(c));
        let groups = [c << int(1), (c << int(1)) + int(1)];
        match B::WORDS.scales {
            Scales::One => [[int(1); 2]; 2],
            Scales::Nibbles(at) => {
                let both = self.byte(at, c << int(1));
                let each = [both, both >> int(8)];
                [each.map(|x| x & int(15)), each.map(|x| (x >> int(4)) & int(15))]
            }
            Scales::Bytes(at) => {
                let both = self.byte(at, c << int(1));
                [[low_byte(both), low_byte(both >> int(8))]; 2]
            }
            Scales::Six(at) => {
                let each = groups.map(|g| {
                    let low = self.byte(at, g & int(7)) >> ((g >> int(3)) << int(2));
                    let high = self.byte(at + 8, g & int(3)) >> ((g >> int(2)) << int(1));
                    ((low & int(15)) | (high & int(3)) << int(4)) - int(32)
                });
                [each; 2]
            }
            Scales::Packed(at) => {
                let [p, q, r] = self.words::<B, 3>(at, None);
                let place = (c & int(3)) << int(3);
                let early = c.compare(Cmp::Lt, int(4));
                let [p, q, r] = [p, q, r].map(|x| (x >> place) & int(0xff));
                let six = |low: Value<'b, U32>, four: Value<'b, U32>| {
                    let late = (four & int(15)) | (low >> int(6)) << int(4);
                    Value::select(early, low & int(63), late)
                };
                [[six(p, r); 2], [six(q, r >> int(4)); 2]]
            }
        }
    }

    /// The sums of the codes of both halves of chunk `c`, modulo 2³².
    pub(super) fn sums<B: Block>(&self, c: Value<'b, U32>) -> Option<[Value<'b, U32>; 2]> {
        let b = self.all.b;
        let [both] = self.words::<B, 1>(B::WORDS.sums?, Some(c << b.int(2)));
        Some([low_half(both), low_half(both >> b.int(16))])
    }
}
