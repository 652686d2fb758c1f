//! Bounded random integers by rejection, without bias (Lemire); Bernoulli draws and shuffles, which use them.

use super::stream::{BLOCKS, Stream, Words, fill, halves};
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use crate::plain::Plain;

/// The integers that [`integers`](crate::integers()) draws: `u32`, `i32`, `u64`, `i64`.
pub trait Integer: Plain + Default + PartialOrd + sealed::Sealed {
    /// How many values there are from `low` to `high`, less one.
    #[doc(hidden)]
    fn span(low: Self, high: Self) -> u64;
    /// `self + n`, which does not pass the type's range.
    #[doc(hidden)]
    fn plus(self, n: u64) -> Self;
    /// `out[i] = low + n`, where `n <= span` is drawn.
    #[doc(hidden)]
    fn draw<J: Executor, S: Simd>(j: J, s: S, stream: Stream, low: Self, span: u64, out: &mut [Self]);
}

/// What [`bernoulli`](crate::bernoulli()) writes: `bool`, or `u32`, which devices write.
pub trait Flag: Plain + Default + sealed::Sealed {
    #[doc(hidden)]
    fn of(is: bool) -> Self;
}
impl Flag for bool {
    #[inline(always)]
    fn of(is: bool) -> Self {
        is
    }
}
impl Flag for u32 {
    #[inline(always)]
    fn of(is: bool) -> Self {
        Self::from(is)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for bool {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for u64 {}
    impl Sealed for i64 {}
}

/// A word of 32 bits times `range` (up to 2³²): the draw in the upper half, and what decides whether it counts in the
/// lower one.
#[inline(always)]
const fn split32(word: u32, range: u64) -> (u64, u32) {
    let product = word as u64 * range;
    (product >> 32, product as u32)
}

/// As [`split32`], of 64 bits.
#[inline(always)]
const fn split64(word: u64, range: u64) -> (u64, u64) {
    let product = word as u128 * range as u128;
    ((product >> 64) as u64, product as u64)
}

/// Number `at` of the stream from its tries after the first.
#[cold]
fn again32(stream: Stream, at: u64, range: u64, least: u32) -> u64 {
    // Each try fails with a probability below one half.
    for attempt in 1..u32::MAX {
        for word in stream.attempt(at, attempt) {
            let (n, rest) = split32(word, range);
            if rest >= least {
                return n;
            }
        }
    }
    0
}

/// As [`again32`], of 64 bits.
#[cold]
fn again64(stream: Stream, at: u64, range: u64, least: u64) -> u64 {
    for attempt in 1..u32::MAX {
        for pair in stream.attempt(at, attempt).as_chunks::<2>().0 {
            let (n, rest) = split64(u64::from(pair[0]) | u64::from(pair[1]) << 32, range);
            if rest >= least {
                return n;
            }
        }
    }
    0
}

/// Number `at` of the stream: at most `span`, from the word of its first try.
#[inline(always)]
fn draw64(stream: Stream, at: u64, word: u64, span: u64) -> u64 {
    let Some(range) = span.checked_add(1) else { return word };
    let (n, rest) = split64(word, range);
    // 2⁶⁴ mod range is below the range, so that most draws need no division.
    if rest >= range || rest >= range.wrapping_neg() % range {
        n
    } else {
        again64(stream, at, range, range.wrapping_neg() % range)
    }
}

macro_rules! integer {
    ($t:ty, $u:ty, $draw:ident) => {
        impl Integer for $t {
            #[inline(always)]
            fn span(low: Self, high: Self) -> u64 {
                u64::from(high.wrapping_sub(low) as $u)
            }
            #[inline(always)]
            fn plus(self, n: u64) -> Self {
                self.wrapping_add(n as Self)
            }
            #[inline(always)]
            fn draw<J: Executor, S: Simd>(
                j: J,
                s: S,
                stream: Stream,
                low: Self,
                span: u64,
                out: &mut [Self],
            ) {
                $draw(j, s, stream, low, span, out);
            }
        }
    };
}
integer!(u32, u32, narrow);
integer!(i32, u32, narrow);
integer!(u64, u64, wide);
integer!(i64, u64, wide);

#[inline(always)]
fn narrow<J: Executor, S: Simd, I: Integer>(j: J, s: S, stream: Stream, low: I, span: u64, out: &mut [I]) {
    let range = span + 1;
    // 2³² mod range.
    let least = ((1 << 32) % range) as u32;
    fill(
        j,
        s,
        stream,
        out,
        #[inline(always)]
        |words: &Words, at, out: &mut [I; 4 * BLOCKS]| {
            let words = halves(words);
            let mut rejected = false;
            for (out, word) in out.iter_mut().zip(words) {
                let (n, rest) = split32(word, range);
                rejected |= rest < least;
                *out = low.plus(n);
            }
            if rejected {
                for ((i, out), word) in (0..).zip(out).zip(words) {
                    if split32(word, range).1 < least {
                        *out = low.plus(again32(stream, at + i, range, least));
                    }
                }
            }
        },
    );
}

#[inline(always)]
fn wide<J: Executor, S: Simd, I: Integer>(j: J, s: S, stream: Stream, low: I, span: u64, out: &mut [I]) {
    fill(
        j,
        s,
        stream,
        out,
        #[inline(always)]
        |words: &Words, at, out: &mut [I; 2 * BLOCKS]| {
            for ((i, out), word) in (0..).zip(out).zip(words) {
                *out = low.plus(draw64(stream, at + i, *word, span));
            }
        },
    );
}

/// `out[i]` is true, or 1, with the probability `p`, to 64 bits.
#[inline(always)]
pub(super) fn chances<J: Executor, S: Simd, F: Flag>(j: J, s: S, stream: Stream, p: f64, out: &mut [F]) {
    // `p·2⁶⁴`: its upper part up to 2³², and 32 bits.
    let limit = (p * (1u128 << 64) as f64) as u128;
    let (upper, lower) = ((limit >> 32) as u64, limit as u32);
    fill(
        j,
        s,
        stream,
        out,
        #[inline(always)]
        |words: &Words, at, out: &mut [F; 4 * BLOCKS]| {
            let words = halves(words);
            let mut equal = false;
            for (out, word) in out.iter_mut().zip(words) {
                *out = F::of(u64::from(word) < upper);
                equal |= u64::from(word) == upper;
            }
            if equal {
                for ((i, out), word) in (0..).zip(out).zip(words) {
                    if u64::from(word) == upper {
                        let [next, ..] = stream.attempt(at + i, 1);
                        *out = F::of(next < lower);
                    }
                }
            }
        },
    );
}

/// Exchanges each element, from the last one down, with one that is not behind it.
#[inline(always)]
pub(super) fn exchange<S: Simd, X>(s: S, stream: Stream, x: &mut [X]) {
    let n = x.len();
    let mut words = [0u64; 256];
    let mut done = 0;
    while done + 1 < n {
        let first = stream.skip(done as u64);
        let many = words.len().min(n - 1 - done);
        let (words, _) = words.split_at_mut(many);
        fill(
            crate::lanes::executor::Serial,
            s,
            first,
            words,
            #[inline(always)]
            |words: &Words, _, out: &mut Words| *out = *words,
        );
        for (i, word) in words.iter().enumerate() {
            let last = n - 1 - done - i;
            let to = draw64(stream, first.offset.wrapping_add(i as u64), *word, last as u64);
            // Itself is not among those before it, and stays.
            let (before, rest) = x.split_at_mut(last.min(n));
            if let (Some(a), Some(b)) = (before.get_mut(to as usize), rest.first_mut()) {
                core::mem::swap(a, b);
            }
        }
        done += many;
    }
}
