//! The distributions of real numbers, of `f32` and of `f64`.

use super::bodies::{Exponential, Normal};
use super::stream::{BLOCKS, Stream, Words, each, fill, halves};
use super::truncated::Limits;
use crate::lanes::drive::{pair_in_place, update};
use crate::lanes::fold::Join;
use crate::lanes::{Element, Simd};

/// The real numbers that are drawn: `f32`, each from 32 bits, and `f64`, from 64.
pub trait Variate: Element {
    #[doc(hidden)]
    fn uniform<J: Join, S: Simd>(j: J, s: S, stream: Stream, out: &mut [Self]);
    #[doc(hidden)]
    fn normal<J: Join, S: Simd>(j: J, s: S, stream: Stream, with: [Self; 2], out: &mut [Self]);
    #[doc(hidden)]
    fn exponential<J: Join, S: Simd>(j: J, s: S, stream: Stream, scale: Self, out: &mut [Self]);
    #[doc(hidden)]
    fn truncated<J: Join>(j: J, stream: Stream, with: [Self; 4], out: &mut [Self]);
}

macro_rules! variate {
    ($t:ident, $words:expr, $word:ty, $n:expr, $unit:literal, $drop:literal) => {
        impl Variate for $t {
            #[inline(always)]
            fn uniform<J: Join, S: Simd>(j: J, s: S, stream: Stream, out: &mut [Self]) {
                fill(
                    j,
                    s,
                    stream,
                    out,
                    #[inline(always)]
                    |words: &Words, _, out: &mut [Self; $n]| {
                        for (out, word) in out.iter_mut().zip($words(words)) {
                            *out = (word >> $drop) as $t * (1.0 / $unit);
                        }
                    },
                );
            }
            #[inline(always)]
            fn normal<J: Join, S: Simd>(
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
            fn exponential<J: Join, S: Simd>(j: J, s: S, stream: Stream, scale: Self, out: &mut [Self]) {
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
            fn truncated<J: Join>(j: J, stream: Stream, with: [Self; 4], out: &mut [Self]) {
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
variate!(f32, halves, u32, 4 * BLOCKS, 16_777_216.0, 8);
variate!(f64, Words::clone, u64, 2 * BLOCKS, 9_007_199_254_740_992.0, 11);
