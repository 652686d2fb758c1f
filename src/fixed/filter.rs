//! Fixed-point FIR and biquad filters of signals that arrive in blocks, as [`fir`](crate::fir()) and
//! [`biquad`](crate::biquad()) are for floats. The caller has the memory of the filter state.

use super::Fixed;
use crate::Biquad;
use crate::alu::Alu;
use crate::delay_line::{Signal, check_fir, shift_history};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, put, register};

/// Results that meet a group of taps together.
pub(crate) const BLOCK: usize = 128;

/// Taps of a group, whose sum of magnitudes is below 2¹⁶ so that 32 bits hold its products with anything.
pub(crate) const GROUP: usize = 64;

/// The largest decimation at which neighbouring results share registers.
pub(crate) const NEAR: usize = 8;

/// Samples of a block that lies in the state, too.
pub(crate) const SPAN: usize = 256;

/// Pairs of samples for a block, and what the last register reads past them.
pub(crate) const WORDS: usize = 4 * BLOCK + GROUP;

ops! { $ filter_ops in crate::fixed::filter;
    /// `out[l] = saturate(⌊Σ taps[k]·x[l·decimation - k]·2^-F⌋)`, where `F` is 7 for Q7 and 15 for Q15: a filter of finite response
    /// whose numbers are all Q7 or all Q15. The sum is exact in 64 bits (34.30 for Q15, 50.14 for Q7), rounded down and saturated once. Numbers
    /// before the first one are those of `state`, which then holds the last ones of `x`, so that blocks give what one call would.
    ///
    /// Shapes: `state` has one number less than `taps`, the oldest first, zeros in the beginning; `x` holds `decimation` numbers
    /// for each of `out`. `taps[0]` meets the newest number: CMSIS has its coefficients the other way round.
    ///
    /// NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Empty`] when there are no `taps`, [`Error::Domain`] when `decimation` is 0, [`Error::Len`] when `state` or
    /// `out` has another length, [`Error::Rows`] when `x` does not hold whole results. Scratch: none.
    ///
    /// ```
    /// use fulmen::fixed_fir;
    /// // The mean of two, in Q15.
    /// let (taps, mut state, mut out) = ([16384i16, 16384], [0], [0; 2]);
    /// fixed_fir(&taps, 1, &mut state, &[200, 401], &mut out)?;
    /// assert_eq!(out, [100, 300]);
    /// fixed_fir(&taps, 1, &mut state, &[-600, -32768], &mut out)?;
    /// assert_eq!(out, [-100, -16684]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: CMSIS-DSP (`arm_fir_q15`, `arm_fir_decimate_q15`, with the same bits; `arm_fir_q7`, whose sum of 32 bits may wrap).
    /// Contract: `contracts/fixed_fir-v1.yaml`.
    serial fixed_fir<T: crate::fixed::Fixed>, fixed_fir_on, fixed_fir_by
        (taps: in T, decimation: by usize, state: inout T, x: in T, out: out T) -> Result<()>;

    /// `x` through one section after the other, `y = saturate(⌊(b₀x + b₁x' + b₂x'' - a₁y' - a₂y'')·2^(shift - F)⌋)`, where primes are the
    /// numbers before and `F` is 7 for Q7 and 15 for Q15. The numbers are Q7 or Q15; the coefficients have `shift` bits more before
    /// the point, so that they reach 2^`shift`. A sum is exact in 64 bits, rounded down and saturated once.
    /// `state` has `x'`, `x''`, `y'` and `y''` of each section, zeros in the beginning, so that blocks give what one call would.
    ///
    /// Shapes: `out` is as long as `x`, `state` has four numbers for each of `sections`. CMSIS has the signs of `a₁` and `a₂` the
    /// other way round and a zero behind `b₀`. Nothing checks that a filter is stable: one that is not runs to the ends of the range.
    ///
    /// NaN and ±0: there are none.
    ///
    /// Errors: [`Error::Domain`] when `shift` is above `F`; [`Error::Len`] when `state` or `out` has another length. Scratch:
    /// none. One result needs the one before: no lanes.
    ///
    /// ```
    /// use fulmen::{Biquad, fixed_biquad};
    /// // A running mean that forgets half at each step, in Q15.
    /// let section = Biquad { b: [16384i16, 0, 0], a: [-16384, 0] };
    /// let (mut state, mut out) = ([0; 4], [0; 3]);
    /// fixed_biquad(&[section], 0, &mut state, &[800, 800, 800], &mut out)?;
    /// assert_eq!(out, [400, 600, 700]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: CMSIS-DSP (`arm_biquad_cascade_df1_q15`, with the same bits). Contract: `contracts/fixed_biquad-v1.yaml`.
    serial fixed_biquad<T: crate::fixed::Fixed>, fixed_biquad_on, fixed_biquad_by
        (sections: host_in Biquad<T>, shift: by u32, state: inout T, x: in T, out: out T) -> Result<()>;
}

pub(crate) fn fixed_fir_by<S: Simd, T: Fixed>(
    s: S,
    taps: &[T],
    decimation: usize,
    state: &mut [T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    let signal = Signal { state, x };
    check_fir(taps, decimation, &signal, out)?;
    s.vectorize(
        #[inline(always)]
        || blocks(s, taps, decimation, &signal, out),
    );
    shift_history(state, x);
    Ok(())
}

/// How many of the taps are a group.
#[inline(always)]
fn group<T: Fixed>(taps: &[T]) -> usize {
    let mut sum = 0;
    let fits = |h: &&T| {
        sum += h.wide().unsigned_abs();
        sum < 0x1_0000
    };
    taps.iter().take(GROUP).take_while(fits).count()
}

#[inline(always)]
fn blocks<S: Simd, T: Fixed>(s: S, taps: &[T], decimation: usize, signal: &Signal<'_, T>, mut out: &mut [T]) {
    let mut done = 0;
    while !out.is_empty() {
        let most = if decimation > NEAR { BLOCK } else { together(decimation, done >= signal.state.len()) };
        let (block, rest) = out.split_at_mut(most.min(out.len()));
        let mut sums = [0; BLOCK];
        let sums = sums.get_mut(..block.len()).unwrap_or_default();
        let mut tap = 0;
        while let Some(all) = taps.get(tap..).filter(|all| !all.is_empty()) {
            let these = all.get(..group(all)).unwrap_or_default();
            tap += these.len();
            // The first number that the last of these taps meets.
            let from = done + taps.len() - tap;
            if decimation > NEAR {
                apart(these, decimation, signal, from, sums);
            } else {
                along(s, these, decimation, signal, from, sums);
            }
        }
        for (y, sum) in block.iter_mut().zip(sums) {
            *y = T::saturated(*sum >> T::FRACTION);
        }
        done += block.len() * decimation;
        out = rest;
    }
}

/// Results of a block, so that its pairs of samples have room: `decimation` is at most [`NEAR`].
#[inline(always)]
fn together(decimation: usize, inside: bool) -> usize {
    let words = 4 * BLOCK / phases(decimation) - GROUP / decimation;
    let span = if inside { BLOCK } else { (SPAN - GROUP) / decimation + 1 };
    BLOCK.min(words).min(span)
}

/// The places, less than a decimation apart, at which a pair of samples begins.
#[inline(always)]
fn phases(decimation: usize) -> usize {
    if decimation.is_multiple_of(2) { decimation / 2 } else { decimation }
}

/// Two numbers as a word.
#[inline(always)]
fn word<T: Fixed>(low: T, high: T) -> f32 {
    f32::from_bits(u32::from(low.wide() as u16) | u32::from(high.wide() as u16) << 16)
}

/// Adds a group of taps to `sums`, results in the lanes: `from` is the place of the first number that it meets.
#[inline(always)]
fn along<S: Simd, T: Fixed>(
    s: S,
    taps: &[T],
    decimation: usize,
    signal: &Signal<'_, T>,
    from: usize,
    sums: &mut [i64],
) {
    // The last tap meets the oldest number.
    let (mut pairs, mut places) = ([0.0; GROUP / 2], [0; GROUP / 2]);
    let many = taps.len().div_ceil(2);
    let columns = sums.len() + (2 * many - 2) / decimation;
    let step = if decimation.is_multiple_of(2) { 2 } else { 1 };
    for (p, (pair, place)) in pairs.iter_mut().zip(&mut places).enumerate().take(many) {
        let mut two = taps.iter().rev().skip(2 * p).copied();
        *pair = word(two.next().unwrap_or_default(), two.next().unwrap_or_default());
        *place = 2 * p % decimation / step * columns + 2 * p / decimation;
    }
    let (mut words, mut scratch) = ([0.0; WORDS], [T::default(); SPAN]);
    let samples = signal.part(from, (sums.len() - 1) * decimation + 2 * many, &mut scratch);
    for (i, words) in words.chunks_mut(columns.max(1)).take(phases(decimation)).enumerate() {
        let samples = samples.get(step * i..).unwrap_or_default();
        if decimation == 1 {
            let next = samples.get(1..).unwrap_or_default();
            words.iter_mut().zip(samples.iter().zip(next)).for_each(|(to, (x, y))| *to = word(*x, *y));
        } else {
            for (to, x) in words.iter_mut().zip(samples.chunks(decimation)) {
                if let [x, y, ..] = x {
                    *to = word(*x, *y);
                }
            }
        }
    }
    let (pairs, places) = (pairs.get(..many).unwrap_or_default(), places.get(..many).unwrap_or_default());
    let mut at = 0;
    while at < sums.len() {
        let left = sums.get_mut(at..).unwrap_or_default();
        let words = words.get(at..).unwrap_or_default();
        at += if left.len() > 2 * S::F32::LANES {
            registers::<S, 4>(s, pairs, places, words, left)
        } else {
            registers::<S, 1>(s, pairs, places, words, left)
        };
    }
}

/// Adds all pairs to the first `N` registers of results; says how many these are.
#[inline(always)]
fn registers<S: Simd, const N: usize>(
    s: S,
    pairs: &[f32],
    places: &[usize],
    words: &[f32],
    sums: &mut [i64],
) -> usize {
    let lanes = S::F32::LANES;
    let mut acc = [S::F32::splat(s, 0.0).to_bits(); N];
    for (pair, place) in pairs.iter().zip(places) {
        let pair = S::F32::splat(s, *pair).to_bits();
        let words = words.get(*place..).and_then(|w| w.get(..N * lanes)).unwrap_or_default();
        for (acc, x) in acc.iter_mut().zip(words.chunks_exact(lanes)) {
            *acc = s.dot_i16(*acc, register::<S::F32>(s, x).to_bits(), pair);
        }
    }
    for (acc, sums) in acc.into_iter().zip(sums.chunks_mut(lanes)) {
        let mut to = [0.0f32; 16];
        put(S::F32::from_bits(acc), to.get_mut(..lanes).unwrap_or_default());
        for (sum, x) in sums.iter_mut().zip(to) {
            *sum += i64::from(x.to_bits().cast_signed());
        }
    }
    N * lanes
}

/// As [`along`], taps in the lanes.
#[inline(always)]
fn apart<T: Fixed>(taps: &[T], decimation: usize, signal: &Signal<'_, T>, from: usize, sums: &mut [i64]) {
    let mut reversed = [T::default(); GROUP];
    reversed.iter_mut().zip(taps.iter().rev()).for_each(|(to, h)| *to = *h);
    for (l, sum) in sums.iter_mut().enumerate() {
        let mut scratch = [T::default(); GROUP];
        let samples = signal.part(from + l * decimation, taps.len(), &mut scratch);
        let products = samples.iter().zip(&reversed).map(|(x, h)| x.wide() * h.wide());
        *sum += i64::from(products.sum::<i32>());
    }
}

pub(crate) fn fixed_biquad_by<S: Simd, T: Fixed>(
    s: S,
    sections: &[Biquad<T>],
    shift: u32,
    state: &mut [T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    if shift > T::FRACTION {
        return Err(Error::must_be("shift", "at most the fraction bits of the format"));
    }
    same_len("state", sections.len().saturating_mul(4), state.len())?;
    same_len("out", x.len(), out.len())?;
    out.copy_from_slice(x);
    let shift = T::FRACTION - shift;
    let state = state.as_chunks_mut::<4>().0;
    s.vectorize(
        #[inline(always)]
        || {
            // Sections of a pass wait for each other's results only, so a processor overlaps them.
            let (fours, rest) = sections.as_chunks::<4>();
            // As many as sections, so that both parts match.
            let (of_fours, of_rest) = state.as_chunks_mut::<4>();
            for (sections, state) in fours.iter().zip(of_fours) {
                cascade(sections, shift, state, out);
            }
            for (section, state) in rest.iter().zip(of_rest) {
                cascade(core::array::from_ref(section), shift, core::array::from_mut(state), out);
            }
        },
    );
    Ok(())
}

/// Every number through `N` sections.
#[inline(always)]
fn cascade<T: Fixed, const N: usize>(
    sections: &[Biquad<T>; N],
    shift: u32,
    state: &mut [[T; 4]; N],
    x: &mut [T],
) {
    let mut kept = *state;
    for x in x {
        for (Biquad { b: [b0, b1, b2], a: [a1, a2] }, kept) in sections.iter().zip(&mut kept) {
            let [x1, x2, y1, y2] = *kept;
            let times = |a: &T, b: T| i64::from(a.wide()) * i64::from(b.wide());
            let sum = times(b0, *x) + times(b1, x1) + times(b2, x2) - times(a2, y2) - times(a1, y1);
            let y = T::saturated(sum >> shift);
            *kept = [*x, x1, y, y1];
            *x = y;
        }
    }
    *state = kept;
}
