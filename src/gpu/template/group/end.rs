//! The sums of a tile on their way to memory.

use super::super::super::builder::Value;
use super::super::super::ir::{Cmp, Shuffle, Space};
use super::super::super::types::{Bf16, F16, F32, Type, U16, U32, U64};
use super::{Frame, Sum};
use alloc::vec::Vec;

/// Pairs of C that a thread reads before it writes them: 16 registers.
const OLD_PAIRS: usize = 8;

/// Pairs of neighbours where C is even and not read, else one by one; all modulo 2³².
impl Sum for U32 {
    fn finish<'b>(
        frame: &Frame<'b>,
        sums: &[Value<'b, U32>],
        [row, col]: [Value<'b, U32>; 2],
        left: Value<'b, U32>,
    ) {
        let b = frame.b;
        let ([m, n], [alpha, beta]) = (frame.size, frame.factors);
        let reads = beta.compare(Cmp::Ne, b.int(0));
        let even = (((frame.c >> b.int::<U32>(2)) | frame.pitch) & b.int(1)).compare(Cmp::Eq, b.int(0));
        let whole = even & !reads & (left + frame.u(frame.tile.n)).compare(Cmp::Le, n);
        for (part, sums) in sums.chunks(frame.tile.n as usize / 2).enumerate() {
            for half in 0..2 {
                let row = row + b.int(64 * part as i64 + 8 * half as i64);
                let at = frame.place(row, col);
                let pairs = sums.chunks(4).filter_map(|four| four.get(2 * half..2 * half + 2)).enumerate();
                b.when(row.compare(Cmp::Lt, m), || {
                    for (j, pair) in pairs {
                        let &[x, y] = pair else { continue };
                        let by = 8 * j as i32;
                        let singly = || {
                            for (one, v) in (0..).zip(pair) {
                                let inside = (col + b.int(i64::from(by + one))).compare(Cmp::Lt, n);
                                b.when(inside, || {
                                    let at = at + b.int(i64::from(4 * (by + one)));
                                    let old = || [b.load::<U32>(Space::Global, at, 0)];
                                    let [old] = b.either(reads, old, || [b.int(0)]);
                                    b.store(Space::Global, at, 0, alpha * *v + beta * old);
                                });
                            }
                            []
                        };
                        let both = || {
                            b.store_vector(Space::Global, at, 4 * by, [alpha * x, alpha * y]);
                            []
                        };
                        b.either::<U32, 0>(whole, both, singly);
                    }
                });
            }
        }
    }
}

impl Sum for F32 {
    fn finish<'b>(
        frame: &Frame<'b>,
        sums: &[Value<'b, F32>],
        place: [Value<'b, U32>; 2],
        left: Value<'b, U32>,
    ) {
        frame.finish(sums, place, left);
    }
}

impl<'b> Frame<'b> {
    /// Where a tile is whole, C has 16 bits and its rows start at multiples of 16 bytes, four threads exchange what they
    /// have and each reads and writes 16 bytes; where C is even, pairs of neighbours do; elsewhere one by one. Reads of what
    /// C was are under way together.
    pub(super) fn finish(
        &self,
        sums: &[Value<'b, F32>],
        [row, col]: [Value<'b, U32>; 2],
        left: Value<'b, U32>,
    ) {
        let b = self.b;
        let [m, n] = self.size;
        let [alpha, beta] = self.factors.map(|x| x.cast::<F32>());
        let width = self.output.bytes();
        let sums: Vec<Value<'b, F32>> = sums.iter().map(|s| alpha * *s).collect();
        let aligned = |to: i64| {
            let behind = self.c & b.int(to * i64::from(width) - 1);
            (behind | (self.pitch & b.int(to - 1))).compare(Cmp::Eq, b.int(0))
        };
        let whole = (left + self.u(self.tile.n)).compare(Cmp::Le, n);
        let reads = beta.compare(Cmp::Ne, b.f32(0.0));
        let each = self.tile.n as usize / 2;
        let by_halves = |write: &dyn Fn(Value<'b, U32>, usize, &[Value<'b, F32>])| {
            for (part, sums) in sums.chunks(each).enumerate() {
                for half in 0..2 {
                    write(row + b.int(64 * part as i64 + 8 * half as i64), half, sums);
                }
            }
        };
        let slowly = || {
            by_halves(&|row, half, sums| {
                let at = self.place(row, col);
                let pairs = sums.chunks(4).filter_map(|four| four.get(2 * half..)?.first_chunk::<2>());
                let pairs: Vec<(i32, [Value<'b, F32>; 2])> = (0..).step_by(8).zip(pairs.copied()).collect();
                b.when(row.compare(Cmp::Lt, m), || {
                    b.either::<U32, 0>(
                        whole & aligned(2),
                        || {
                            let added = || {
                                for some in pairs.chunks(OLD_PAIRS) {
                                    let old: Vec<_> = some
                                        .iter()
                                        .map(|(j, _)| self.old_pair(at, j * width as i32))
                                        .collect();
                                    for ((j, [x, y]), [p, q]) in some.iter().zip(old) {
                                        self.pair(at, j * width as i32, [beta.fma(p, *x), beta.fma(q, *y)]);
                                    }
                                }
                                []
                            };
                            let plain = || {
                                pairs.iter().for_each(|(j, p)| self.pair(at, j * width as i32, *p));
                                []
                            };
                            b.either::<U32, 0>(reads, added, plain)
                        },
                        || {
                            for (j, p) in &pairs {
                                for (one, v) in p.iter().enumerate() {
                                    let j = j + one as i32;
                                    let inside = (col + b.int(i64::from(j))).compare(Cmp::Lt, n);
                                    b.when(inside, || self.single(at, j * width as i32, *v));
                                }
                            }
                            []
                        },
                    );
                });
            });
            []
        };
        if width != 2 || !self.tile.n.is_multiple_of(32) {
            let [] = slowly();
            return;
        }
        let together = |added: bool| {
            let fourth = (col - left) >> b.int(1);
            by_halves(&|row, half, sums| {
                let at = self.place(row, left + fourth * b.int(8));
                let inside = row.compare(Cmp::Lt, m);
                let pairs = sums.chunks(4).filter_map(|four| four.get(2 * half..)?.first_chunk::<2>());
                let mut pairs: Vec<[Value<'b, F32>; 2]> = pairs.copied().collect();
                let pieces = pairs.len() as u32 / 4;
                if added {
                    // Every thread exchanges, also one of a row that is not there: of the last that is.
                    let there = self.place(row.least(m - b.int(1)), left + fourth * b.int(8));
                    let read = |j| b.load_vector::<U32, 4>(Space::Global, there, 64 * j as i32);
                    let old: Vec<_> = (0..pieces).map(read).collect();
                    let old = old.into_iter().flat_map(|piece| self.exchange(piece, fourth));
                    for ([x, y], word) in pairs.iter_mut().zip(old) {
                        let [p, q] = self.halves(word);
                        (*x, *y) = (beta.fma(p, *x), beta.fma(q, *y));
                    }
                }
                let words: Vec<Value<'b, U32>> = pairs.iter().map(|pair| self.word(*pair)).collect();
                let pieces: Vec<[Value<'b, U32>; 4]> =
                    words.as_chunks::<4>().0.iter().map(|words| self.exchange(*words, fourth)).collect();
                b.when(inside, || {
                    for (j, piece) in pieces.iter().enumerate() {
                        b.store_vector(Space::Global, at, 64 * j as i32, *piece);
                    }
                });
            });
            []
        };
        let together = || b.either::<U32, 0>(reads, || together(true), || together(false));
        b.either::<U32, 0>(whole & aligned(8), together, slowly);
    }

    /// The address of an element of C.
    fn place(&self, row: Value<'b, U32>, col: Value<'b, U32>) -> Value<'b, U64> {
        let width = self.b.int(i64::from(self.output.bytes()));
        self.c + (row.to::<U64>() * self.pitch + col.to::<U64>()) * width
    }

    /// Two neighbours in the type of C.
    fn word(&self, [x, y]: [Value<'b, F32>; 2]) -> Value<'b, U32> {
        let half = |v: Value<'b, F32>| match self.output {
            Type::F16 => v.to::<F16>().cast::<U16>().to::<U32>(),
            _ => v.to::<Bf16>().cast::<U16>().to::<U32>(),
        };
        half(x) | half(y) << self.b.int(16)
    }

    /// Two neighbours of C, as [`Frame::word`] makes them.
    fn halves(&self, word: Value<'b, U32>) -> [Value<'b, F32>; 2] {
        let b = self.b;
        match self.output {
            Type::F16 => [word & b.int(0xffff), word >> b.int(16)].map(|w| w.to::<U16>().cast::<F16>().to()),
            _ => [word << b.int(16), word & b.int(0xffff_0000)].map(|w| w.cast()),
        }
    }

    /// Of four threads that have a word of each of four pieces, the one with this number gets the piece with its number.
    fn exchange(&self, [a, b, c, d]: [Value<'b, U32>; 4], number: Value<'b, U32>) -> [Value<'b, U32>; 4] {
        let is = |bit: i64| (number & self.b.int(bit)).compare(Cmp::Ne, self.b.int(0));
        let swap = |by: i64, odd, [x, y]: [Value<'b, U32>; 2]| {
            let other = Value::select(odd, x, y).shuffle(Shuffle::Butterfly, self.b.int(by));
            [Value::select(odd, other, x), Value::select(odd, y, other)]
        };
        let (odd, high) = (is(1), is(2));
        let [[a, b], [c, d]] = [[a, b], [c, d]].map(|pair| swap(1, odd, pair));
        let ([a, c], [b, d]) = (swap(2, high, [a, c]), swap(2, high, [b, d]));
        [a, b, c, d]
    }

    /// What a pair of C was.
    fn old_pair(&self, at: Value<'b, U64>, offset: i32) -> [Value<'b, F32>; 2] {
        let b = self.b;
        match self.output {
            Type::F16 => b.load_vector::<F16, 2>(Space::Global, at, offset).map(|v| v.to()),
            Type::Bf16 => b.load_vector::<Bf16, 2>(Space::Global, at, offset).map(|v| v.to()),
            _ => b.load_vector::<F32, 2>(Space::Global, at, offset),
        }
    }

    fn pair(&self, at: Value<'b, U64>, offset: i32, [x, y]: [Value<'b, F32>; 2]) {
        match self.output {
            Type::F16 => {
                self.b.store_vector(Space::Global, at, offset, [x, y].map(|v| v.to::<F16>()));
            }
            Type::Bf16 => {
                self.b.store_vector(Space::Global, at, offset, [x, y].map(|v| v.to::<Bf16>()));
            }
            _ => self.b.store_vector(Space::Global, at, offset, [x, y]),
        }
    }

    /// With β.
    fn single(&self, at: Value<'b, U64>, offset: i32, v: Value<'b, F32>) {
        let b = self.b;
        let [_, beta] = self.factors.map(|x| x.cast::<F32>());
        let reads = beta.compare(Cmp::Ne, b.f32(0.0));
        let old = || match self.output {
            Type::F16 => b.load::<F16>(Space::Global, at, offset).to(),
            Type::Bf16 => b.load::<Bf16>(Space::Global, at, offset).to(),
            _ => b.load::<F32>(Space::Global, at, offset),
        };
        let [v] = b.either(reads, || [beta.fma(old(), v)], || [v]);
        match self.output {
            Type::F16 => b.store(Space::Global, at, offset, v.to::<F16>()),
            Type::Bf16 => b.store(Space::Global, at, offset, v.to::<Bf16>()),
            _ => b.store(Space::Global, at, offset, v),
        }
    }
}
