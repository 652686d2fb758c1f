//! LZ4, a warp for each block, with the bytes of a CPU: 32 positions are looked up at once as if those before were in the
//! table, and the first match is taken.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::super::types::{Pred, U8, U16, U32, U64};
use super::flat::{get, put};
use super::layer::each_row;
use super::status::{Index, note};
use crate::lz4::{BITS, LEAST, MARGIN, MULTIPLIER, PATIENCE, TAIL};

/// Threads of a block: a warp.
pub const WARP: u32 = 32;

/// How many lanes say yes, from the first on.
fn first_ones(ballot: Value<'_, U32>) -> Value<'_, U32> {
    let (b, no) = (ballot.builder(), !ballot);
    // Below the lowest that says no.
    (!no & (no - b.int(1))).popc()
}

/// Byte `i`.
fn byte<'b>(x: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U32> {
    x.builder().load::<U8>(Space::Global, x + i.to::<U64>(), 0).to()
}

fn put_byte<'b>(x: Value<'b, U64>, i: Value<'b, U32>, v: Value<'b, U32>) {
    x.builder().store(Space::Global, x + i.to::<U64>(), 0, v.to::<U8>());
}

/// Four bytes that start anywhere, from the two words that they are in: the data has up to four more.
fn four<'b>(x: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U32> {
    let (b, at) = (x.builder(), x + i.to::<U64>());
    let place = at.to::<U32>() & b.int(3);
    let word = at - place.to::<U64>();
    let [low, high] = [0, 4].map(|k| b.load::<U32>(Space::Global, word, k).to::<U64>());
    ((low | (high << b.int(32))) >> (place << b.int(3))).to()
}

/// What a warp does together.
struct Warp<'b> {
    b: &'b Builder,
    lane: Value<'b, U32>,
}

impl<'b> Warp<'b> {
    fn new(b: &'b Builder) -> Self {
        b.threads([WARP, 1, 1]);
        Self { b, lane: b.special(Special::TidX) }
    }

    fn int(&self, n: usize) -> Value<'b, U32> {
        self.b.int(n as i64)
    }

    /// `f` for each below `n`, one of them in a lane.
    fn each(&self, n: Value<'b, U32>, f: impl FnOnce(Value<'b, U32>)) {
        self.b.count::<U32, U32>([self.lane, n, self.b.int(i64::from(WARP))], 1, &[], |i, _| {
            f(i);
            [].into()
        });
    }

    /// `f` in one lane.
    fn once(&self, f: impl FnOnce()) {
        self.b.when(self.lane.compare(Cmp::Eq, self.b.int(0)), f);
    }

    /// The value of one lane in all.
    fn of(&self, v: Value<'b, U32>, lane: Value<'b, U32>) -> Value<'b, U32> {
        v.shuffle(Shuffle::Index, lane)
    }

    /// How many from the first on say yes.
    fn yes(&self, of: impl FnOnce(Value<'b, U32>) -> Value<'b, Pred>) -> Value<'b, U32> {
        let [n] = self.b.repeat([self.int(0)], |[n]| {
            let more = first_ones(of(n + self.lane).ballot());
            (more.compare(Cmp::Eq, self.b.int(i64::from(WARP))), [n + more])
        });
        n
    }

    /// What of a length is past the 15 of its token, to `o` and on; where the next byte goes.
    fn put_length(&self, out: Value<'b, U64>, o: Value<'b, U32>, n: Value<'b, U32>) -> Value<'b, U32> {
        let (most, full, one) = (self.int(15), self.int(255), self.int(1));
        let rest = n - most;
        let whole = rest / full;
        let long = n.compare(Cmp::Ge, most);
        self.each(Value::select(long, whole + one, self.int(0)), |j| {
            let v = Value::select(j.compare(Cmp::Eq, whole), rest - whole * full, full);
            put_byte(out, o + j, v);
        });
        Value::select(long, o + whole + one, o)
    }

    /// The token of `n` literals from `from` on and of a match of `more` than the least, and the literals, to `o` and on; where the
    /// next byte goes.
    fn put_literals(
        &self,
        [x, out]: [Value<'b, U64>; 2],
        o: Value<'b, U32>,
        [from, n, more]: [Value<'b, U32>; 3],
    ) -> Value<'b, U32> {
        let most = self.int(15);
        self.once(|| put_byte(out, o, (n.least(most) << self.int(4)) | more.least(most)));
        let o = self.put_length(out, o + self.int(1), n);
        self.each(n, |j| put_byte(out, o + j, byte(x, from + j)));
        o + n
    }
}

/// Compresses. Parameters: the data, the slots, the sizes; bytes of the data, of a block and of a slot, blocks, bytes before the data
/// and before the slots in their first words.
pub fn compress() -> Result<Kernel, Error> {
    let b = Builder::new("lz4_compress");
    let w = Warp::new(&b);
    let [data, slots, sizes] = b.params::<U64, 3>();
    let [bytes, block, slot, blocks, before, before_slots] = b.params::<U32, 6>();
    let (lane, zero, one) = (w.lane, w.int(0), w.int(1));
    let table = b.shared(2 << BITS, 16);
    let entry = |hash| table + (hash << one);
    let hash_of = |four: Value<'_, U32>| {
        (b.typed::<U32>(four.id()) * b.int(i64::from(MULTIPLIER))) >> b.int(i64::from(32 - BITS))
    };
    each_row(&b, blocks, |i| {
        let start = i * block;
        let len = block.least(bytes - start);
        let x = data + (before.to::<U64>() + start.to());
        let out = slots + (before_slots.to::<U64>() + i.wide(slot));
        w.each(w.int((2 << BITS) / 16), |k| {
            b.store_vector(Space::Shared, table + (k << w.int(4)), 0, [zero; 4]);
        });
        b.barrier();
        // A turn: where the first lane looks, where the literals begin, the tries since the last match, where the next byte goes.
        let [_, anchor, _, o] = b.repeat([one, zero, zero, zero], |[at, anchor, tries, o]| {
            let step = one + tries / w.int(PATIENCE);
            let place = |lane: Value<'_, U32>| at + b.typed::<U32>(lane.id()) * step;
            let here = place(lane);
            let there = (here + w.int(MARGIN)).compare(Cmp::Le, len);
            let [own] = b.either(there, || [four(x, here)], || [zero]);
            let hash = hash_of(own);
            let old = b.load::<U16>(Space::Shared, entry(hash), 0).to::<U32>();
            // Lanes of the same hash.
            let alike = (0..BITS).fold(there.ballot(), |alike, bit| {
                let set = ((hash >> b.int(i64::from(bit))) & one).compare(Cmp::Ne, zero);
                let ballot = set.ballot();
                alike & Value::select(set, ballot, !ballot)
            });
            let below = alike & ((one << lane) - one);
            let last = w.int(31) - below.clz();
            let from = Value::select(below.compare(Cmp::Eq, zero), old, place(last));
            let [found] = b.either(there, || [four(x, from)], || [!own]);
            let first = first_ones(found.compare(Cmp::Ne, own).ballot());
            // The last of them is entered; lanes past the first that matches have not looked.
            let entered = alike & ((w.int(2) << first) - one);
            let counts = ((entered >> lane).compare(Cmp::Eq, one)) & lane.compare(Cmp::Le, first) & there;
            b.barrier();
            b.when(counts, || b.store(Space::Shared, entry(hash), 0, here.to::<U16>()));
            b.barrier();
            let none = [at + (step << w.int(5)), anchor, tries + w.int(32), o];
            let matched = first.compare(Cmp::Lt, w.int(32));
            let next = b.unless(&none, matched, || {
                let (at, from) = (place(first), w.of(from, first));
                let most = (at - anchor).least(from);
                let back = w.yes(|k| {
                    let k = b.typed::<U32>(k.id()) + one;
                    let inside = k.compare(Cmp::Le, most);
                    let [p, q] = [at, from].map(|i| byte(x, Value::select(inside, i - k, zero)));
                    inside & p.compare(Cmp::Eq, q)
                });
                let (begin, ahead) = (at - back, at + w.int(LEAST));
                let offset = at - from;
                let more = w.yes(|k| {
                    let i = ahead + b.typed::<U32>(k.id());
                    let inside = (i + w.int(TAIL)).compare(Cmp::Lt, len);
                    let i = Value::select(inside, i, offset);
                    inside & byte(x, i).compare(Cmp::Eq, byte(x, i - offset))
                });
                let length = [anchor, begin - anchor, back + more];
                let o = w.put_literals([x, out], o, length);
                b.when(lane.compare(Cmp::Lt, w.int(2)), || {
                    put_byte(out, o + lane, offset >> (lane << w.int(3)));
                });
                let o = w.put_length(out, o + w.int(2), back + more);
                let end = ahead + more;
                let late = end - w.int(2);
                w.once(|| b.store(Space::Shared, entry(hash_of(four(x, late))), 0, late.to::<U16>()));
                b.barrier();
                [end, end, zero, o].into()
            });
            let next: [_; 4] = core::array::from_fn(|k| next.get(k).copied().unwrap_or(zero));
            ((next[0] + w.int(MARGIN)).compare(Cmp::Le, len), next)
        });
        let o = w.put_literals([x, out], o, [anchor, len - anchor, zero]);
        w.once(|| put(sizes, i, o));
    });
    b.finish()
}

/// What a turn of the decoder leaves: another sequence, an end, or one that is wrong.
const GOES_ON: usize = 0;
const ENDS: usize = 1;
const IS_WRONG: usize = 2;

/// Decodes; a block that is none is said, and of it nothing is written from where it is wrong. Parameters: the slots, the sizes, `out`,
/// the status words; bytes of the slots and of `out`, of a block and of a slot, blocks, bytes before the slots and before `out` in
/// their first words.
pub fn decompress() -> Result<Kernel, Error> {
    let b = Builder::new("lz4_decompress");
    let w = Warp::new(&b);
    let [slots, sizes, data, status] = b.params::<U64, 4>();
    let [in_slots, bytes, block, slot, blocks, before_slots, before] = b.params::<U32, 7>();
    let (lane, zero, one) = (w.lane, w.int(0), w.int(1));
    each_row(&b, blocks, |i| {
        let [first, start] = [i * slot, i * block];
        let len = block.least(bytes - start);
        let x = slots + (before_slots.to::<U64>() + first.to());
        let out = data + (before.to::<U64>() + start.to());
        let size = w.of(get::<U32>(sizes, i), zero);
        // One of a size that its slot does not hold is wrong as one of 0.
        let size = Value::select(size.compare(Cmp::Le, slot.least(in_slots - first)), size, zero);
        // The lanes' bytes from `at` on; 0 past the end.
        let ahead = |at: Value<'_, U32>| {
            let at = b.typed::<U32>(at.id()) + lane;
            let [v] = b.either(at.compare(Cmp::Lt, size), || [byte(x, at)], || [zero]);
            v
        };
        // A length whose first 15 a token holds, and the place past its bytes.
        let length = |n: Value<'_, U32>, at: Value<'_, U32>| {
            let (n, at) = (b.typed::<U32>(n.id()), b.typed::<U32>(at.id()));
            let all = b.unless(&[n, at], n.compare(Cmp::Eq, w.int(15)), || {
                let [n, at] = b.repeat([n, at], |[n, at]| {
                    let bytes = ahead(at);
                    let full = first_ones(bytes.compare(Cmp::Eq, w.int(255)).ballot());
                    let last = w.of(bytes, full);
                    let whole = full.compare(Cmp::Eq, w.int(32));
                    let more = full * w.int(255) + Value::select(whole, zero, last);
                    let past = at + full + Value::select(whole, zero, one);
                    // What is longer than the block is wrong, however long.
                    (whole & n.compare(Cmp::Le, len), [n + more, past])
                });
                [n, at].into()
            });
            [0, 1].map(|k| all.get(k).copied().unwrap_or(zero))
        };
        let [_, _, end] = b.repeat([zero, zero, w.int(GOES_ON)], |[at, made, _]| {
            let token = w.of(ahead(at), zero);
            let [n, at] = length(token >> w.int(4), at + one);
            let good =
                at.compare(Cmp::Le, size) & n.compare(Cmp::Le, size - at) & n.compare(Cmp::Le, len - made);
            let next = b.unless(&[at, made, w.int(IS_WRONG)], good, || {
                w.each(n, |j| put_byte(out, made + j, byte(x, at + j)));
                let (at, made) = (at + n, made + n);
                let whole = made.compare(Cmp::Eq, len);
                let end = Value::select(whole, w.int(ENDS), w.int(IS_WRONG));
                b.unless(&[at, made, end], at.compare(Cmp::Ne, size), || {
                    let bytes = ahead(at);
                    let offset = w.of(bytes, zero) | (w.of(bytes, one) << w.int(8));
                    let [n, at] = length(token & w.int(15), at + w.int(2));
                    let n = n + w.int(LEAST);
                    let near = (offset - one).compare(Cmp::Lt, made);
                    let good = at.compare(Cmp::Le, size) & near & n.compare(Cmp::Le, len - made);
                    b.unless(&[at, made, w.int(IS_WRONG)], good, || {
                        // What other lanes wrote is there.
                        b.barrier();
                        let from = made - offset;
                        w.each(n, |j| put_byte(out, made + j, byte(out, from + j % offset)));
                        [at, made + n, w.int(GOES_ON)].into()
                    })
                })
            });
            let next: [_; 3] = core::array::from_fn(|k| next.get(k).copied().unwrap_or(zero));
            (next[2].compare(Cmp::Eq, w.int(GOES_ON)), next)
        });
        let wrong = end.compare(Cmp::Eq, w.int(IS_WRONG));
        b.when(wrong & lane.compare(Cmp::Eq, zero), || note(status, Index::Lz4, i));
    });
    b.finish()
}
