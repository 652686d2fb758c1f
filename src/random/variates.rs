//! The distributions of real numbers for `f32` and `f64`: uniform, normal, exponential, truncated normal.

use super::stream::{BLOCKS, Stream, Words, each, fill, halves};
use super::transforms::{Exponential, Normal};
use super::truncated::Limits;
use crate::lanes::drive::{pair_in_place, update};
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};

/// The real numbers that are drawn: `f32`, each from 32 bits, and `f64`, from 64.
pub trait Variate: Element {
    #[doc(hidden)]
    fn uniform<J: Executor, S: Simd>(j: J, s: S, stream: Stream, out: &mut [Self]);
    #[doc(hidden)]
    fn normal<J: Executor, S: Simd>(j: J, s: S, stream: Stream, with: [Self; 2], out: &mut [Self]);
    #[doc(hidden)]
    fn exponential<J: Executor, S: Simd>(j: J, s: S, stream: Stream, scale: Self, out: &mut [Self]);
    #[doc(hidden)]
    fn truncated<J: Executor>(j: J, stream: Stream, with: [Self; 4], out: &mut [Self]);
}

/// The upper 24 bits as a fraction.
#[inline(always)]
fn unit32(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The upper 53 bits as a fraction: few sets convert integers of 64 bits, so each half is put below the leading bit of a
/// number whose last bit is worth as much. Both steps are exact.
#[inline(always)]
fn unit64(word: u64) -> f64 {
    const UPPER: f64 = (1u64 << 20) as f64;
    let upper = f64::from_bits(word >> 32 | UPPER.to_bits());
    let lower = f64::from_bits((word & 0xffff_ffff) >> 11 | 0.5f64.to_bits());
    (upper - (UPPER + 0.5)) + lower
}

macro_rules! variate {
    ($t:ident, $words:expr, $word:ty, $n:expr, $unit:ident) => {
        impl Variate for $t {
            #[inline(always)]
            fn uniform<J: Executor, S: Simd>(j: J, s: S, stream: Stream, out: &mut [Self]) {
                fill(
                    j,
                    s,
                    stream,
                    out,
                    #[inline(always)]
                    |words: &Words, _, out: &mut [Self; $n]| {
                        for (out, word) in out.iter_mut().zip($words(words)) {
                            *out = $unit(word);
                        }
                    },
                );
            }
            #[inline(always)]
            fn normal<J: Executor, S: Simd>(
                j: J,
                s: S,
                stream: Stream,
                [mean, stddev]: [Self; 2],
                out: &mut [Self],
            ) {
                fill(
                    j,
                    s,
                    stream,
                    out,
                    #[inline(always)]
                    |words: &Words, _, out: &mut [Self; $n]| {
                        let (mut x, mut y) = ([0.0; $n / 2], [0.0; $n / 2]);
                        let words: [$word; $n] = $words(words);
                        for ((x, y), [low, high]) in x.iter_mut().zip(&mut y).zip(words.as_chunks::<2>().0) {
                            (*x, *y) = ($t::from_bits(*low), $t::from_bits(*high));
                        }
                        pair_in_place(s, Normal(mean, stddev), &mut x, &mut y);
                        for ((out, x), y) in out.as_chunks_mut::<2>().0.iter_mut().zip(x).zip(y) {
                            *out = [x, y];
                        }
                    },
                );
            }
            #[inline(always)]
            fn exponential<J: Executor, S: Simd>(j: J, s: S, stream: Stream, scale: Self, out: &mut [Self]) {
                fill(
                    j,
                    s,
                    stream,
                    out,
                    #[inline(always)]
                    |words: &Words, _, out: &mut [Self; $n]| {
                        for (out, word) in out.iter_mut().zip($words(words)) {
                            *out = $t::from_bits(word);
                        }
                        update(s, Exponential(scale), [], [out]);
                    },
                );
            }
            #[inline(always)]
            fn truncated<J: Executor>(j: J, stream: Stream, with: [Self; 4], out: &mut [Self]) {
                let [mean, stddev, low, high] = with.map(f64::from);
                let limits = Limits::new((low - mean) / stddev, (high - mean) / stddev);
                each(j, stream, out, |at| {
                    // What rounding brings past a limit is there.
                    (mean + stddev * limits.draw(stream, at)).clamp(low, high) as $t
                });
            }
        }
    };
}
variate!(f32, halves, u32, 4 * BLOCKS, unit32);
variate!(f64, Words::clone, u64, 2 * BLOCKS, unit64);
