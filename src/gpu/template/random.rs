//! Counter-based random numbers: a thread for each block of Philox, with the bits of a CPU.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::record::Recorded;
use super::super::types::{Pred, Stored, Type, U32, U64};
use super::flat::{each, named, put};
use crate::alu::Alu;
use crate::random::transforms::{exponential, normal};

/// A stream, from the next parameters: the elements that are written; the key, the stream's number; the number of the first
/// block, what is left of it out; the place of the first element.
#[derive(Clone, Copy)]
struct Draws<'b> {
    b: &'b Builder,
    n: Value<'b, U32>,
    key: [Value<'b, U32>; 2],
    id: Value<'b, U32>,
    first: [Value<'b, U32>; 2],
    skip: Value<'b, U32>,
    place: [Value<'b, U32>; 2],
}

/// `a + n` in two words.
fn plus<'b>([low, high]: [Value<'b, U32>; 2], n: Value<'b, U32>) -> [Value<'b, U32>; 2] {
    let b = n.builder();
    let sum = low + n;
    [sum, high + Value::select(sum.compare(Cmp::Lt, n), b.int(1), b.int(0))]
}

impl<'b> Draws<'b> {
    fn new(b: &'b Builder) -> Self {
        let [n, k, l, id, low, high, skip, place_low, place_high] = b.params::<U32, 9>();
        Self { b, n, key: [k, l], id, first: [low, high], skip, place: [place_low, place_high] }
    }

    /// The words of a block.
    fn words(&self, [low, high]: [Value<'b, U32>; 2], attempt: Value<'b, U32>) -> [Value<'b, U32>; 4] {
        let int = |c: u32| self.b.int::<U32>(i64::from(c));
        let ([mut a, mut b, mut c, mut d], [mut k, mut l]) = ([low, high, self.id, attempt], self.key);
        for _ in 0..10 {
            let (m, n) = (int(0xD251_1F53), int(0xCD9E_8D57));
            let [p, q] = [(a.high(m), a * m), (c.high(n), c * n)];
            [a, b, c, d] = [q.0 ^ b ^ k, q.1, p.0 ^ d ^ l, p.1];
            (k, l) = (k + int(0x9E37_79B9), l + int(0xBB67_AE85));
        }
        [a, b, c, d]
    }

    /// `f` on the words of each block and the number of the element that its first is for, if `each` are made of a block.
    fn each(&self, each_of: u32, f: impl FnOnce([Value<'b, U32>; 4], Value<'b, U32>)) {
        let (b, many) = (self.b, self.b.int(i64::from(each_of)));
        each(b, (self.n + self.skip + many - b.int(1)) / many, |t| {
            let [low, high] = plus(self.first, t);
            // Behind the last number comes the first.
            let block = [low, high & b.int(i64::from(u32::MAX / each_of))];
            f(self.words(block, b.int(0)), t * many - self.skip);
        });
    }

    /// Writes element `i`, if it is one of those that are asked for.
    fn put<T: Stored>(&self, out: Value<'b, U64>, i: Value<'b, U32>, v: Value<'b, T>) {
        self.b.when(i.compare(Cmp::Lt, self.n), || put(out, i, v));
    }

    /// The words that an element is drawn from again.
    fn again(&self, i: Value<'b, U32>, attempt: Value<'b, U32>) -> [Value<'b, U32>; 4] {
        self.words(plus(self.place, i), attempt)
    }
}

/// The words themselves. Parameters: where they go; those of [`Draws`].
pub fn random_bits() -> Result<Kernel, Error> {
    let b = Builder::new("random_bits");
    let out = b.param::<U64>();
    let draws = Draws::new(&b);
    draws.each(4, |words, first| {
        (0..).zip(words).for_each(|(k, w)| draws.put(out, first + b.int(k), w));
    });
    b.finish()
}

/// The words of each element of a block: of 32 bits, or of 64.
fn own<'b, T: Recorded>(words: [Value<'b, U32>; 4]) -> [Option<Value<'b, T::Bits>>; 4] {
    if T::TYPE == Type::F32 {
        return words.map(|w| Some(w.cast()));
    }
    let [p, q, r, s] = words.map(|w| w.to::<T::Bits>());
    let up = p.builder().int(32);
    let wide = |low, high: Value<'b, T::Bits>| Some(low | (high << up));
    [wide(p, q), wide(r, s), None, None]
}

/// Elements that a block is for.
pub fn elements<T: Recorded>() -> u32 {
    16 / T::TYPE.bytes()
}

/// Numbers from 0 up to 1. Parameters: where they go; those of [`Draws`].
pub fn uniform<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("uniform");
    let out = b.param::<U64>();
    let draws = Draws::new(&b);
    draws.each(elements::<T>(), |words, first| {
        let like = b.bits::<T>(0);
        for (k, word) in (0..).zip(own::<T>(words).into_iter().flatten()) {
            let v = if T::TYPE == Type::F32 {
                (word >> b.int(8)).to::<T>() * like.c(1.0 / 16_777_216.0)
            } else {
                let upper = (1u64 << 20) as f64;
                let with = |c: f64| b.bits::<T::Bits>(c.to_bits());
                let high = ((word >> b.int(32)) | with(upper)).cast::<T>();
                let low = (((word & b.bits(0xffff_ffff)) >> b.int(11)) | with(0.5)).cast::<T>();
                (high - like.c(upper + 0.5)) + low
            };
            draws.put(out, first + b.int(k), v);
        }
    });
    b.finish()
}

/// Normal numbers. Parameters: where they go; those of [`Draws`]; mean, standard deviation.
pub fn gaussian<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("normal");
    let out = b.param::<U64>();
    let draws = Draws::new(&b);
    let [mean, deviation] = b.numbers::<T, 2>();
    draws.each(elements::<T>(), |words, first| {
        let [p, q, r, s] = own::<T>(words);
        for (k, (low, high)) in (0..).step_by(2).zip([p.zip(q), r.zip(s)].into_iter().flatten()) {
            let [x, y] = normal(b.bits::<T>(0), low, high, mean, deviation);
            draws.put(out, first + b.int(k), x);
            draws.put(out, first + b.int(k + 1), y);
        }
    });
    b.finish()
}

/// Exponential numbers. Parameters: where they go; those of [`Draws`]; the scale.
pub fn waiting<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("exponential");
    let out = b.param::<U64>();
    let draws = Draws::new(&b);
    let [scale] = b.numbers::<T, 1>();
    draws.each(elements::<T>(), |words, first| {
        for (k, word) in (0..).zip(own::<T>(words).into_iter().flatten()) {
            draws.put(out, first + b.int(k), exponential(b.bits::<T>(0), word, scale));
        }
    });
    b.finish()
}

/// Whether a word makes all integers of a range as likely.
fn fits<'b>(word: Value<'b, U32>, [range, least]: [Value<'b, U32>; 2]) -> Value<'b, Pred> {
    (word * range).compare(Cmp::Ge, least)
}

/// Integers of a range by Lemire's method. Parameters: where they go; those of [`Draws`]; the lowest, the number of integers
/// (0 for all of 32 bits), `2³² mod` it.
pub fn integers() -> Result<Kernel, Error> {
    let b = Builder::new("integers");
    let out = b.param::<U64>();
    let draws = Draws::new(&b);
    let [low, range, least] = b.params::<U32, 3>();
    let (all, with) = (range.compare(Cmp::Eq, b.int(0)), [range, least]);
    draws.each(4, |words, first| {
        for (k, word) in (0..).zip(words) {
            let i = first + b.int(k);
            let chosen = || {
                let [_, w] = b.repeat([b.int::<U32>(1), word], |[attempt, _]| {
                    let [p, q, r, s] = draws.again(i, attempt);
                    let w = Value::select(
                        fits(p, with),
                        p,
                        Value::select(fits(q, with), q, Value::select(fits(r, with), r, s)),
                    );
                    (!fits(w, with), [attempt + b.int(1), w])
                });
                [w]
            };
            let [w] = b.either(all | fits(word, with), || [word], chosen);
            draws.put(out, i, low + Value::select(all, w, w.high(range)));
        }
    });
    b.finish()
}

/// 1 with a probability, else 0. Parameters: where they go; those of [`Draws`]; the probability's upper and lower 32 bits,
/// whether it is 1.
pub fn bernoulli() -> Result<Kernel, Error> {
    let b = Builder::new("bernoulli");
    let out = b.param::<U64>();
    let draws = Draws::new(&b);
    let [upper, lower, always] = b.params::<U32, 3>();
    let bit = |p| Value::select(p, b.int::<U32>(1), b.int(0));
    draws.each(4, |words, first| {
        for (k, word) in (0..).zip(words) {
            let i = first + b.int(k);
            let next = || {
                let [next, ..] = draws.again(i, b.int(1));
                [bit(next.compare(Cmp::Lt, lower))]
            };
            let [v] = b.either(word.compare(Cmp::Eq, upper), next, || [bit(word.compare(Cmp::Lt, upper))]);
            draws.put(out, i, v | always);
        }
    });
    b.finish()
}
