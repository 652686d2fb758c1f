//! Filters of a signal that comes in blocks: what one needs of the numbers before is in memory of the caller.

use crate::alu::{Alu, Number};
use crate::contract::{Call, contract};
use crate::error::{Error, not_empty, same_len};
use crate::lanes::drive::{Update, update};
use crate::lanes::fold::Join;
use crate::lanes::{Element, Simd};
use crate::nn::forms;

/// Results that stay in the first cache while taps meet them.
pub(crate) const BLOCK: usize = 1024;

/// A section of a recursive filter: `y = b₀x + b₁x' + b₂x'' - a₁y' - a₂y''`, where primes are the numbers before.
///
/// It is stable when `|a₂| < 1` and `|a₁| < 1 + a₂`. Nothing checks that: an unstable one grows until it is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Biquad<T> {
    /// `b₀`, `b₁`, `b₂`.
    pub b: [T; 3],
    /// `a₁`, `a₂`.
    pub a: [T; 2],
}

forms! {
    /// `out[l] = Σ taps[k]·x[l·decimation - k]`, a filter of finite response: numbers before the first one are those of `state`,
    /// which then holds the last ones of `x`, so that blocks give what one call would.
    ///
    /// Shapes: `state` has one number less than `taps`, the oldest first, zeros in the beginning; `x` holds `decimation` numbers
    /// for each of `out`.
    ///
    /// NaN and ±0: NaN where a factor is, also next to a zero.
    ///
    /// Errors: [`Error::Empty`] when there are no `taps`, [`Error::Domain`] when `decimation` is 0, [`Error::Len`] when `state` or
    /// `out` has another length, [`Error::Rows`] when `x` does not hold whole results. Scratch: none.
    ///
    /// ```
    /// use fulmen::fir;
    /// let (taps, mut state, mut out) = ([0.5f32, 0.5], [0.0], [0.0; 2]);
    /// fir(&taps, 1, &mut state, &[2.0, 4.0], &mut out)?;
    /// assert_eq!(out, [1.0, 3.0]);
    /// fir(&taps, 1, &mut state, &[6.0, 8.0], &mut out)?;
    /// assert_eq!(out, [5.0, 7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/fir-v1.yaml`.
    fir, fir_on, fir_by
        (taps: &[T], decimation: usize, state: &mut [T], x: &[T], out: &mut [T]) -> Result<(), Error>;
    /// `x` through one section after the other, each in the second direct form, transposed; `state` has two numbers for each,
    /// zeros in the beginning, so that blocks give what one call would.
    ///
    /// Shapes: `out` is as long as `x`, `state` has two numbers for each of `sections`.
    ///
    /// NaN and ±0: NaN reaches all results from its place on, also by the state.
    ///
    /// Errors: [`Error::Len`] when `state` or `out` has another length. Scratch: none. One result needs the one before:
    /// no lanes.
    ///
    /// ```
    /// use fulmen::{Biquad, biquad};
    /// // A running mean that forgets half at each step.
    /// let section = Biquad { b: [0.5f32, 0.0, 0.0], a: [-0.5, 0.0] };
    /// let (mut state, mut out) = ([0.0; 2], [0.0; 3]);
    /// biquad(&[section], &mut state, &[8.0, 8.0, 8.0], &mut out)?;
    /// assert_eq!(out, [4.0, 6.0, 7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", 2010, section 6.3. Contract:
    /// `contracts/biquad-v1.yaml`.
    biquad, biquad_on, biquad_by
        (sections: &[Biquad<T>], state: &mut [T], x: &[T], out: &mut [T]) -> Result<(), Error>;
}

/// `y + Σ h[k]·x[k]`.
#[derive(Debug, Clone, Copy)]
struct Taps<T, const N: usize>([T; N]);

impl<T: Number, const N: usize> Update<T, N, 1> for Taps<T, N> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, x: [V; N], [mut y]: [V; 1]) -> [V; 1] {
        for (x, h) in x.into_iter().zip(self.0) {
            y = x.mul_add(y.param(h), y);
        }
        [y]
    }
}

pub(crate) fn fir_by<J: Join, S: Simd, T: Element>(
    _: J,
    s: S,
    taps: &[T],
    decimation: usize,
    state: &mut [T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    not_empty("taps", taps.len())?;
    if decimation == 0 {
        return Err(Error::Domain { arg: "decimation" });
    }
    same_len("state", taps.len() - 1, state.len())?;
    if !x.len().is_multiple_of(decimation) {
        return Err(Error::Rows { arg: "x", cols: decimation, got: x.len() });
    }
    same_len("out", x.len() / decimation, out.len())?;
    // Results that meet the state.
    let begin = state.len().div_ceil(decimation).min(out.len());
    let (head, tail) = out.split_at_mut(begin);
    for (l, y) in head.iter_mut().enumerate() {
        let at = l * decimation;
        let before = state.iter().rev();
        let seen = x.get(..=at).unwrap_or_default().iter().rev().chain(before);
        *y = taps.iter().zip(seen).fold(T::ZERO, |sum, (h, x)| sum + *h * *x);
    }
    s.vectorize(
        #[inline(always)]
        || {
            if decimation == 1 {
                along(s, taps, x, begin, tail);
            } else {
                apart(taps, decimation, x, begin, tail);
            }
        },
    );
    keep(state, x);
    contract!(
        fir,
        Ok(()),
        each | check | {
            let mut both = x.iter().step_by(decimation).zip(&*out);
            both.try_for_each(|(x, y)| check(&Call::new(&[&[*x]], &[*y])))
        }
    )
}

/// The last numbers, for the next block.
pub(super) fn keep<X: Copy>(state: &mut [X], x: &[X]) {
    let kept = state.len().saturating_sub(x.len());
    state.copy_within(state.len() - kept.., 0);
    let new = state.get_mut(kept..).unwrap_or_default();
    for (to, x) in new.iter_mut().rev().zip(x.iter().rev()) {
        *to = *x;
    }
}

/// Results from `begin` on, each at its own number.
#[inline(always)]
fn along<S: Simd, T: Element>(s: S, taps: &[T], x: &[T], begin: usize, out: &mut [T]) {
    for (i, y) in out.chunks_mut(BLOCK).enumerate() {
        y.fill(T::ZERO);
        let at = begin + i * BLOCK;
        let n = y.len();
        let window = |k: usize| x.get(at - k..at - k + n).unwrap_or_default();
        let (fours, rest) = taps.as_chunks::<4>();
        for (i, h) in fours.iter().enumerate() {
            let k = 4 * i;
            let x = [window(k), window(k + 1), window(k + 2), window(k + 3)];
            update(s, Taps(*h), x, [&mut *y]);
        }
        for (i, h) in rest.iter().enumerate() {
            update(s, Taps([*h]), [window(4 * fours.len() + i)], [&mut *y]);
        }
    }
}

/// Results from `begin` on, `decimation` numbers apart.
#[inline(always)]
fn apart<T: Element>(taps: &[T], decimation: usize, x: &[T], begin: usize, out: &mut [T]) {
    const LANES: usize = 16;
    let (whole, rest) = taps.as_chunks::<LANES>();
    for (l, y) in out.iter_mut().enumerate() {
        let at = (begin + l) * decimation;
        let mut sums = [T::ZERO; LANES];
        let seen = x.get(..=at).unwrap_or_default();
        let (before, window) = seen.split_at(seen.len() - LANES * whole.len());
        for (h, x) in whole.iter().zip(window.as_rchunks::<LANES>().1.iter().rev()) {
            for (sum, (h, x)) in sums.iter_mut().zip(h.iter().zip(x.iter().rev())) {
                *sum = *sum + *h * *x;
            }
        }
        let tail = rest.iter().zip(before.iter().rev()).fold(T::ZERO, |sum, (h, x)| sum + *h * *x);
        *y = sums.into_iter().fold(tail, |a, b| a + b);
    }
}

pub(crate) fn biquad_by<J: Join, S: Simd, T: Element>(
    _: J,
    _: S,
    sections: &[Biquad<T>],
    state: &mut [T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    same_len("state", sections.len().saturating_mul(2), state.len())?;
    same_len("out", x.len(), out.len())?;
    for (y, x) in out.iter_mut().zip(x) {
        *y = *x;
        for (section, [p, q]) in sections.iter().zip(state.as_chunks_mut::<2>().0) {
            let (&Biquad { b: [b0, b1, b2], a: [a1, a2] }, x) = (section, *y);
            *y = b0 * x + *p;
            *p = b1 * x - a1 * *y + *q;
            *q = b2 * x - a2 * *y;
        }
    }
    contract!(
        biquad,
        Ok(()),
        each | check | { x.iter().zip(&*out).try_for_each(|(x, y)| check(&Call::new(&[&[*x]], &[*y]))) }
    )
}
