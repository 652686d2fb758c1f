//! The ops that fill slices with random numbers: uniform, normal, exponential, truncated normal, integers, Bernoulli,
//! shuffle, permutation.

use super::integers::{self, Flag, Integer};
use super::stream::{BLOCKS, Stream, Words, fill, halves};
use super::variates::Variate;
use crate::error::Error;
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;

ops! { $ random_ops in crate::random::ops;
    /// Numbers in `0 ≤ out[i] < 1`, each as likely: `k·2⁻²⁴` for a `k` of 24 bits (`f32`), `k·2⁻⁵³` (`f64`).
    ///
    /// Shapes and units: any length. 0 is drawn, with the probability 2⁻²⁴ (`f32`); 1 is not.
    ///
    /// NaN and ±0: no NaN; the 0 is +0.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut out = [7.0; 1000];
    /// fulmen::uniform(Stream::new(42), &mut out);
    /// assert!(out.iter().all(|u| (0.0..1.0).contains(u)));
    /// assert!((fulmen::mean(&out)? - 0.5f64).abs() < 0.03);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/random.rs`.
    ///
    /// Source: the upper bits of the stream's words. Contract: `contracts/uniform-v1.yaml`.
    #[doc(alias = "rand")]
    threads uniform<T: crate::random::Variate>, uniform_on, uniform_by (stream: by crate::random::Stream, out: out T);

    /// Numbers of the normal distribution: `mean + stddev·√(−2 ln u)·cos 2πv`, and of the sine the next.
    ///
    /// Shapes and units: any length. Of `f32` the tails are those of a `u` of 40 bits, up to 7.5 standard deviations (one
    /// number in 10¹³ would be further out); of `f64`, of 64 bits, up to 9.5.
    ///
    /// NaN and ±0: no NaN; infinite only where the result passes the type's range.
    ///
    /// Errors: [`Error::Domain`] names `mean` when it is not finite, `stddev` when it is negative or not finite. Scratch:
    /// none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut out = [0.0; 10_000];
    /// fulmen::normal(Stream::new(42), 5.0, 2.0, &mut out)?;
    /// assert!((fulmen::mean(&out)? - 5.0f64).abs() < 0.1 && (fulmen::stddev(&out)? - 2.0).abs() < 0.1);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Box and Muller, *A Note on the Generation of Random Normal Deviates* (1958). Contract:
    /// `contracts/normal-v1.yaml`.
    #[doc(alias = "randn")]
    #[doc(alias = "gaussian")]
    threads normal<T: crate::random::Variate>, normal_on, normal_by (stream: by crate::random::Stream, mean: by T, stddev: by T, out: out T) -> Result<()>;

    /// Numbers of the exponential distribution, with the mean `scale`: `−scale·ln u`.
    ///
    /// Shapes and units: any length. `u` has 32 bits (`f32`) or 64, so numbers are up to `23·scale`, or 45.
    ///
    /// NaN and ±0: no NaN; 0 only where `scale` is, or the result is below the type's range.
    ///
    /// Errors: [`Error::Domain`] names `scale` when it is negative or not finite. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut out = [0.0; 10_000];
    /// fulmen::exponential(Stream::new(42), 3.0, &mut out)?;
    /// assert!((fulmen::mean(&out)? - 3.0f64).abs() < 0.1);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: inversion. Contract: `contracts/exponential-v1.yaml`.
    threads exponential<T: crate::random::Variate>, exponential_on, exponential_by (stream: by crate::random::Stream, scale: by T, out: out T) -> Result<()>;
}

ops! { $ random_bits_ops in crate::random::ops;
    /// Words of 32 random bits, as they come: four of a block in a row.
    ///
    /// Shapes and units: any length.
    ///
    /// NaN and ±0: there are none.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut out = [0; 4];
    /// fulmen::random_bits(Stream::new(0), &mut out);
    /// assert_eq!(out, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    /// ```
    ///
    /// Source: Salmon et al., *Parallel Random Numbers: As Easy as 1, 2, 3* (2011). Contract: `contracts/random_bits-v1.yaml`.
    threads random_bits<>, random_bits_on, random_bits_by (stream: by crate::random::Stream, out: out u32);
}

ops! { $ random_integers_ops in crate::random::ops;
    /// Integers in `low ≤ out[i] ≤ high`, each exactly as likely: a draw that would make some more likely is drawn again,
    /// from words of that element alone.
    ///
    /// Shapes and units: any length, of `u32`, `i32`, `u64`, `i64`. The widest range is the type's.
    ///
    /// NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Domain`] names `high` when it is below `low`. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut dice = [0i32; 100];
    /// fulmen::integers(Stream::new(42), 1, 6, &mut dice)?;
    /// assert!(dice.iter().all(|d| (1..=6).contains(d)) && (1..=6).all(|d| dice.contains(&d)));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Lemire, *Fast Random Integer Generation in an Interval* (2019). Contract: `contracts/integers-v1.yaml`.
    #[doc(alias = "randint")]
    threads integers<I: crate::random::Integer>, integers_on, integers_by (stream: by crate::random::Stream, low: by I, high: by I, out: out I) -> Result<()>;
}

ops! { $ random_flags_ops in crate::random::ops;
    /// True with the probability `p`, of which 64 bits count.
    ///
    /// Shapes and units: any length, of `bool`, or of `u32` (1 is true, 0 is not); `0 ≤ p ≤ 1`. With 0 none is true, with 1 all
    /// are.
    ///
    /// NaN and ±0: NaN is refused.
    ///
    /// Errors: [`Error::Domain`] names `p` when it is not in `0 ≤ p ≤ 1`. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut keep = [false; 1000];
    /// fulmen::bernoulli(Stream::new(42), 0.9, &mut keep)?;
    /// assert!((870..930).contains(&keep.iter().filter(|k| **k).count()));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/bernoulli-v1.yaml`.
    #[doc(alias = "dropout")]
    threads bernoulli<F: crate::random::Flag>, bernoulli_on, bernoulli_by (stream: by crate::random::Stream, p: by f64, out: out F) -> Result<()>;
}

ops! { $ host_random_ops in crate::random::ops;
    /// Numbers of the normal distribution between two limits: `low ≤ out[i] ≤ high`. Limits far out in a tail, on one
    /// side or with infinity on the other, cost no more than near ones.
    ///
    /// Shapes and units: any length. The limits are values, not standard deviations.
    ///
    /// NaN and ±0: no NaN.
    ///
    /// Errors: [`Error::Domain`] names `mean` when it is not finite, `stddev` when it is not positive or not finite, `high`
    /// unless `low ≤ high`, and a limit that is NaN, or where no number is: `low` of infinity, `high` of −infinity. Scratch:
    /// none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut out = [0.0f32; 100];
    /// fulmen::truncated_normal(Stream::new(42), 0.0, 1.0, 6.0, f32::INFINITY, &mut out)?;
    /// assert!(out.iter().all(|x| (6.0..8.0).contains(x)));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Robert, *Simulation of Truncated Normal Variables* (1995). Contract: `contracts/truncated_normal-v1.yaml`.
    threads truncated_normal<T: crate::random::Variate>, truncated_normal_on, truncated_normal_by (stream: by crate::random::Stream, mean: by T, stddev: by T, low: by T, high: by T, out: out T) -> Result<()>;

    /// The elements of `x` in an order that is any with the same probability: each, from the last one down, is exchanged with
    /// one of those not behind it.
    ///
    /// Shapes and units: any length; the exchange of the element at `x.len() - 1 - i` takes number `i` of the stream, of 64 bits.
    ///
    /// NaN and ±0: elements are moved as they are.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let mut cards = [1, 2, 3, 4, 5, 6, 7, 8];
    /// fulmen::shuffle(Stream::new(42), &mut cards);
    /// assert_ne!(cards, [1, 2, 3, 4, 5, 6, 7, 8]);
    /// cards.sort();
    /// assert_eq!(cards, [1, 2, 3, 4, 5, 6, 7, 8]);
    /// ```
    ///
    /// Source: Durstenfeld, *Algorithm 235: Random permutation* (1964). Contract: `contracts/shuffle-v1.yaml`.
    serial shuffle<X: Sized>, shuffle_on, shuffle_by (stream: by crate::random::Stream, x: inout X);

    /// The indices from 0 to `out.len() - 1` in any order: [`shuffle`] of them.
    ///
    /// Shapes and units: any length.
    ///
    /// NaN and ±0: there are none.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::random::Stream;
    /// let (mut order, mut cards) = ([0; 4], ['a', 'b', 'c', 'd']);
    /// fulmen::permutation(Stream::new(42), &mut order);
    /// fulmen::shuffle(Stream::new(42), &mut cards);
    /// assert_eq!(order.map(|i| ['a', 'b', 'c', 'd'][i]), cards);
    /// ```
    ///
    /// See `examples/small/shuffle.rs`.
    ///
    /// Source: as `shuffle`. Contract: `contracts/permutation-v1.yaml`.
    #[doc(alias = "randperm")]
    serial permutation<>, permutation_on, permutation_by (stream: by crate::random::Stream, out: out usize);
}

pub(crate) fn shuffle_by<S: Simd, X>(s: S, stream: Stream, x: &mut [X]) {
    integers::exchange(s, stream, x);
}

pub(crate) fn permutation_by<S: Simd>(s: S, stream: Stream, out: &mut [usize]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = i;
    }
    integers::exchange(s, stream, out);
}

/// `Ok` when a parameter is in its domain.
#[inline]
fn domain(arg: &'static str, limit: &'static str, inside: bool) -> Result<(), Error> {
    if inside { Ok(()) } else { Err(Error::must_be(arg, limit)) }
}

#[inline]
fn finite<T: Variate>(x: T) -> bool {
    x > -T::INFINITY && x < T::INFINITY
}

pub(crate) fn random_bits_by<J: Executor, S: Simd>(j: J, s: S, stream: Stream, out: &mut [u32]) {
    fill(
        j,
        s,
        stream,
        out,
        #[inline(always)]
        |words: &Words, _, out: &mut [u32; 4 * BLOCKS]| *out = halves(words),
    );
}

pub(crate) fn uniform_by<J: Executor, S: Simd, T: Variate>(j: J, s: S, stream: Stream, out: &mut [T]) {
    T::uniform(j, s, stream, out);
}

pub(crate) fn normal_by<J: Executor, S: Simd, T: Variate>(
    j: J,
    s: S,
    stream: Stream,
    mean: T,
    stddev: T,
    out: &mut [T],
) -> Result<(), Error> {
    domain("mean", "finite", finite(mean))?;
    domain("stddev", "finite and not negative", finite(stddev) && stddev >= T::ZERO)?;
    T::normal(j, s, stream, [mean, stddev], out);
    Ok(())
}

pub(crate) fn exponential_by<J: Executor, S: Simd, T: Variate>(
    j: J,
    s: S,
    stream: Stream,
    scale: T,
    out: &mut [T],
) -> Result<(), Error> {
    domain("scale", "finite and not negative", finite(scale) && scale >= T::ZERO)?;
    T::exponential(j, s, stream, scale, out);
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "the op's own")]
pub(crate) fn truncated_normal_by<J: Executor, S: Simd, T: Variate>(
    j: J,
    _: S,
    stream: Stream,
    mean: T,
    stddev: T,
    low: T,
    high: T,
    out: &mut [T],
) -> Result<(), Error> {
    domain("mean", "finite", finite(mean))?;
    domain("stddev", "finite and positive", finite(stddev) && stddev > T::ZERO)?;
    domain("low", "below infinity", low < T::INFINITY)?;
    domain("high", "at least `low`, and above -infinity", high > -T::INFINITY && low <= high)?;
    T::truncated(j, stream, [mean, stddev, low, high], out);
    Ok(())
}

pub(crate) fn integers_by<J: Executor, S: Simd, I: Integer>(
    j: J,
    s: S,
    stream: Stream,
    low: I,
    high: I,
    out: &mut [I],
) -> Result<(), Error> {
    domain("high", "at least `low`", low <= high)?;
    I::draw(j, s, stream, low, I::span(low, high), out);
    Ok(())
}

pub(crate) fn bernoulli_by<J: Executor, S: Simd, F: Flag>(
    j: J,
    s: S,
    stream: Stream,
    p: f64,
    out: &mut [F],
) -> Result<(), Error> {
    domain("p", "between 0 and 1", (0.0..=1.0).contains(&p))?;
    integers::chances(j, s, stream, p, out);
    Ok(())
}
