//! The epilogue of WGMMA products: it stores accumulators to memory, with α, β, a bias and a body.

use super::super::super::builder::Value;
use super::super::super::ir::{Cmp, Rmw, Shuffle, Space, Special};
use super::super::super::types::{Bf16, F16, F32, Pred, Type, U16, U32, U64};
use super::super::flat::aligned;
use super::{Frame, Sum};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// What is done to each element of `αAB + βC` before it is stored.
pub(super) struct Ending<'b> {
    /// What is added first: a value for each row, or for each column.
    pub(super) bias: Option<(Value<'b, U64>, Along)>,
    pub(super) body: Box<dyn Fn(Value<'b, F32>) -> Value<'b, F32> + 'b>,
}

/// What a bias has a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Along {
    /// Each row.
    Rows,
    /// Each column.
    Columns,
}

impl Along {
    /// Of the transpose.
    pub(in super::super::super) const fn turned(self) -> Self {
        match self {
            Self::Rows => Self::Columns,
            Self::Columns => Self::Rows,
        }
    }
}

/// Pairs of C that a thread reads before it writes them: 16 registers.
const OLD_PAIRS: usize = 8;

/// Modulo 2³².
impl Sum for U32 {
    fn factor(word: Value<'_, U32>) -> Value<'_, U32> {
        word
    }
    fn read<'b, const N: usize>(frame: &Frame<'b>, at: Value<'b, U64>, offset: i32) -> [Value<'b, U32>; N] {
        frame.b.load_vector(Space::Global, at, offset)
    }
    fn write<'b, const N: usize>(frame: &Frame<'b>, at: Value<'b, U64>, offset: i32, v: [Value<'b, U32>; N]) {
        frame.b.store_vector(Space::Global, at, offset, v);
    }
}

impl Sum for F32 {
    fn factor(word: Value<'_, U32>) -> Value<'_, F32> {
        word.cast()
    }
    fn read<'b, const N: usize>(frame: &Frame<'b>, at: Value<'b, U64>, offset: i32) -> [Value<'b, F32>; N] {
        match frame.output {
            Type::F16 => frame.b.load_vector::<F16, N>(Space::Global, at, offset).map(|v| v.to()),
            Type::Bf16 => frame.b.load_vector::<Bf16, N>(Space::Global, at, offset).map(|v| v.to()),
            _ => frame.b.load_vector(Space::Global, at, offset),
        }
    }
    fn write<'b, const N: usize>(frame: &Frame<'b>, at: Value<'b, U64>, offset: i32, v: [Value<'b, F32>; N]) {
        match frame.output {
            Type::F16 => frame.b.store_vector(Space::Global, at, offset, v.map(|v| v.to::<F16>())),
            Type::Bf16 => frame.b.store_vector(Space::Global, at, offset, v.map(|v| v.to::<Bf16>())),
            _ => frame.b.store_vector(Space::Global, at, offset, v),
        }
    }
    fn end<'b, const N: usize>(
        frame: &Frame<'b>,
        v: [Value<'b, F32>; N],
        [row, col]: [Value<'b, U32>; 2],
        offset: i32,
    ) -> [Value<'b, F32>; N] {
        let Some(end) = &frame.ending else { return v };
        let at = end.bias.map(|(bias, along)| match along {
            Along::Rows => (bias + row.wide(frame.u(4)), 0),
            Along::Columns => (bias + col.wide(frame.u(4)), 4),
        });
        let mut places = offset..;
        v.map(|v| {
            let bias =
                at.zip(places.next()).map(|((at, by), j)| frame.b.load::<F32>(Space::Global, at, by * j));
            (end.body)(bias.map_or(v, |bias| v + bias))
        })
    }
    fn finish<'b>(
        frame: &Frame<'b>,
        sums: &[Value<'b, F32>],
        place: [Value<'b, U32>; 2],
        left: Value<'b, U32>,
    ) {
        if frame.output.bytes() == 2 && frame.tile.n.is_multiple_of(32) {
            frame.by_fours(sums, place, left);
        } else {
            frame.by_pairs(sums, place, left);
        }
    }
}

impl<'b> Frame<'b> {
    /// `finish` with the sums of all blocks that share the tile with this number, in the warp of them that ends last; `row` is the
    /// thread's first.
    pub(super) fn of_all<T: Sum>(
        &self,
        [tile, row]: [Value<'b, U32>; 2],
        sums: &[Value<'b, T>],
        finish: impl FnOnce(&[Value<'b, T>]),
    ) {
        let b = self.b;
        let Some(shared) = &self.shared else { return finish(sums) };
        let (z, parts) = (b.special(Special::CtaidZ), b.special(Special::NctaidZ));
        let (warps, lane) = (4 * self.tile.groups, self.thread & self.u(31));
        let warp = (self.thread >> self.u(5)) - self.u(4);
        // A warp's sums by four of each thread, so that neighbours write neighbours.
        let of = |z: Value<'b, U32>| {
            let place = (tile * parts + z) * self.u(warps) + warp;
            shared.sums + place.wide(self.u(sums.len() as u32 * 128)) + lane.wide(self.u(16))
        };
        let (own, first) = (of(z), lane.compare(Cmp::Eq, self.u(0)));
        // Of a warp without rows there is nothing to add up.
        let some = (row - (lane >> self.u(2))).compare(Cmp::Lt, self.size[0]);
        b.when(some, || {
            for (j, four) in (0..).zip(sums.as_chunks::<4>().0) {
                b.store_vector(Space::Global, own, 512 * j, *four);
            }
            b.fence();
            let ended = shared.ended + (tile * self.u(warps) + warp).wide(self.u(4));
            let [before] =
                b.either(first, || [b.atomic(Space::Global, Rmw::Add, ended, self.u(1))], || [self.u(0)]);
            let before = before.shuffle(Shuffle::Index, self.u(0));
            b.when((before + self.u(1)).compare(Cmp::Eq, parts), || {
                b.fence();
                b.when(first, || b.store(Space::Global, ended, 0, self.u(0)));
                let zeros: Vec<Value<'b, T>> = sums.iter().map(|_| b.bits(0)).collect();
                let all = b.count([self.u(0), parts, self.u(1)], 1, &zeros, |z, all| {
                    let from = of(z);
                    let read = |j: i32| b.load_vector::<T, 4>(Space::Global, from, 512 * j);
                    let new = (0..sums.len() as i32 / 4).flat_map(read);
                    all.iter().zip(new).map(|(all, new)| *all + new).collect()
                });
                finish(&all);
            });
        });
    }

    /// Whether the tile's columns are all there, and so many neighbours of C lie at multiples of their size.
    fn whole(&self, left: Value<'b, U32>, many: u32) -> Value<'b, Pred> {
        let width = self.output.bytes();
        let aligned = aligned(self.c, self.pitch.to(), [many * width, width]);
        (left + self.u(self.tile.n)).compare(Cmp::Le, self.size[1]) & aligned
    }

    /// β, and whether C is read.
    fn beta<T: Sum>(&self) -> (Value<'b, T>, Value<'b, Pred>) {
        let beta = T::factor(self.factors[1]);
        (beta, beta.compare(Cmp::Ne, self.b.bits(0)))
    }

    /// `write(row, pairs)` of each row of which a thread has sums.
    fn by_rows<T: Sum>(
        &self,
        sums: &[Value<'b, T>],
        row: Value<'b, U32>,
        write: impl Fn(Value<'b, U32>, Vec<[Value<'b, T>; 2]>),
    ) {
        for (part, sums) in sums.chunks(self.tile.n as usize / 2).enumerate() {
            for half in 0..2 {
                let pairs = sums.chunks(4).filter_map(|four| four.get(2 * half..)?.first_chunk::<2>());
                write(row + self.b.int(64 * part as i64 + 8 * half as i64), pairs.copied().collect());
            }
        }
    }

    /// Pairs of neighbours where C is even, of which [`OLD_PAIRS`] are read together; elsewhere one by one.
    pub(super) fn by_pairs<T: Sum>(
        &self,
        sums: &[Value<'b, T>],
        [row, col]: [Value<'b, U32>; 2],
        left: Value<'b, U32>,
    ) {
        let (b, width, [m, n]) = (self.b, self.output.bytes() as i32, self.size);
        let (whole, (beta, reads)) = (self.whole(left, 2), self.beta::<T>());
        self.by_rows(sums, row, |row, pairs| {
            let at = self.place(row, col);
            let pairs: Vec<(i32, [Value<'b, T>; 2])> = (0..).step_by(8).zip(pairs).collect();
            // What ends them reads its biases together, before it writes.
            let ended = |some: &[(i32, [Value<'b, T>; 2])]| {
                let new = some.iter().map(|(j, pair)| (*j, T::end(self, *pair, [row, col], *j)));
                for (j, pair) in new.collect::<Vec<_>>() {
                    T::write(self, at, j * width, pair);
                }
            };
            let added = || {
                for some in pairs.chunks(OLD_PAIRS) {
                    let old: Vec<_> = some.iter().map(|(j, _)| T::read::<2>(self, at, j * width)).collect();
                    let new = some
                        .iter()
                        .zip(old)
                        .map(|((j, [x, y]), [p, q])| (*j, [beta.fma(p, *x), beta.fma(q, *y)]));
                    ended(&new.collect::<Vec<_>>());
                }
                []
            };
            let plain = || {
                pairs.chunks(OLD_PAIRS).for_each(&ended);
                []
            };
            let single = |j: i32, v: Value<'b, T>| {
                let old = || T::read::<1>(self, at, j * width).map(|old| beta.fma(old, v));
                let v = b.either(reads, old, || [v]);
                T::write(self, at, j * width, T::end(self, v, [row, col], j));
            };
            let singly = || {
                for (j, v) in pairs.iter().flat_map(|(j, [x, y])| [(*j, *x), (j + 1, *y)]) {
                    b.when((col + b.int(i64::from(j))).compare(Cmp::Lt, n), || single(j, v));
                }
                []
            };
            b.when(row.compare(Cmp::Lt, m), || {
                b.either::<U32, 0>(whole, || b.either::<U32, 0>(reads, added, plain), singly);
            });
        });
    }

    /// Of 16 bits: where a tile is whole and rows start at multiples of 16 bytes four threads exchange what they have and each
    /// reads and writes 16 bytes; else as [`Frame::by_pairs`]. Reads of what C was are under way together.
    fn by_fours(&self, sums: &[Value<'b, F32>], [row, col]: [Value<'b, U32>; 2], left: Value<'b, U32>) {
        let (b, m) = (self.b, self.size[0]);
        let (beta, reads) = self.beta::<F32>();
        let together = |added: bool| {
            let fourth = (col - left) >> b.int(1);
            self.by_rows(sums, row, |row, mut pairs| {
                let at = self.place(row, left + fourth * b.int(8));
                let inside = row.compare(Cmp::Lt, m);
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
                // Every thread exchanges, also one of a row that is not there.
                let there = if self.ending.is_some() { row.least(m - b.int(1)) } else { row };
                let ended = |(j, pair)| self.word(F32::end(self, pair, [there, col], j));
                let words: Vec<Value<'b, U32>> = (0..).step_by(8).zip(pairs).map(ended).collect();
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
        let slowly = || {
            self.by_pairs(sums, [row, col], left);
            []
        };
        b.either::<U32, 0>(self.whole(left, 8), together, slowly);
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
}
