//! FIR and biquad (IIR) filters of signals that arrive in blocks. The caller has the memory of the filter state, the
//! last samples of the blocks before.

use crate::alu::{Alu, Number};
use crate::contract::{Call, contract};
use crate::delay_line::{Signal, check_fir, shift_history};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::drive::{Update, update};
use crate::lanes::{Element, Simd};
use crate::slices::split;

/// Results that stay in the first cache while taps meet them.
pub(crate) const BLOCK: usize = 1024;

/// Results of a block that meets numbers of the state.
pub(crate) const HEAD: usize = 192;

/// Taps that meet copies of such numbers at a time.
pub(crate) const GROUP: usize = 64;

/// A section of a recursive filter: `y = b₀x + b₁x' + b₂x'' - a₁y' - a₂y''`, where primes are the numbers before.
///
/// It is stable when `|a₂| < 1` and `|a₁| < 1 + a₂`. Nothing checks that: an unstable one grows until it is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Biquad<T> {
    /// `b₀`, `b₁`, `b₂`.
    pub b: [T; 3],
    /// `a₁`, `a₂`.
    pub a: [T; 2],
}

ops! { $ filter_ops in crate::fft::filter;
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
    /// See `examples/small/resample.rs`.
    ///
    /// Source: the definition. Contract: `contracts/fir-v1.yaml`.
    serial fir, fir_on, fir_by (taps: in T, decimation: by usize, state: inout T, x: in T, out: out T) -> Result<()>;
}

ops! { $ biquad_ops in crate::fft::filter;
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
    /// See `examples/small/low_pass.rs`.
    ///
    /// Source: A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", 2010, section 6.3. Contract:
    /// `contracts/biquad-v1.yaml`.
    #[doc(alias = "sosfilt")]
    #[doc(alias = "iir")]
    serial biquad, biquad_on, biquad_by (sections: host_in Biquad<T>, state: inout T, x: in T, out: out T) -> Result<()>;
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

pub(crate) fn fir_by<S: Simd, T: Element>(
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
        || {
            if decimation == 1 {
                along(s, taps, &signal, out);
            } else {
                apart(taps, decimation, &signal, out);
            }
        },
    );
    shift_history(state, x);
    contract!(
        fir,
        Ok(()),
        each | check | {
            let mut both = x.iter().step_by(decimation).zip(&*out);
            both.try_for_each(|(x, y)| check(&Call::new(&[&[*x]], &[*y])))
        }
    )
}

/// Each result at its own number.
#[inline(always)]
fn along<S: Simd, T: Element>(s: S, taps: &[T], signal: &Signal<'_, T>, mut out: &mut [T]) {
    let (mut at, before) = (0, signal.state.len());
    while !out.is_empty() {
        let most = if at < before { HEAD } else { BLOCK };
        let (y, rest) = out.split_at_mut(most.min(out.len()));
        y.fill(T::ZERO);
        for (g, taps) in taps.chunks(GROUP).enumerate() {
            let (mut scratch, n) = ([T::ZERO; HEAD + GROUP], y.len());
            // The last tap of a group meets the oldest numbers.
            let last = taps.len() - 1;
            let seen = signal.part(at + before - g * GROUP - last, n + last, &mut scratch);
            let window = |k: usize| seen.get(last - k..last - k + n).unwrap_or_default();
            let (fours, others) = taps.as_chunks::<4>();
            for (i, h) in fours.iter().enumerate() {
                let k = 4 * i;
                let x = [window(k), window(k + 1), window(k + 2), window(k + 3)];
                update(s, Taps(*h), x, [&mut *y]);
            }
            for (i, h) in others.iter().enumerate() {
                update(s, Taps([*h]), [window(4 * fours.len() + i)], [&mut *y]);
            }
        }
        at += y.len();
        out = rest;
    }
}

/// Results `decimation` numbers apart.
#[inline(always)]
fn apart<T: Element>(taps: &[T], decimation: usize, signal: &Signal<'_, T>, out: &mut [T]) {
    const LANES: usize = 16;
    let before = signal.state.len();
    for (l, y) in out.iter_mut().enumerate() {
        let newest = before + l * decimation;
        let (mut sums, mut tail) = ([T::ZERO; LANES], T::ZERO);
        // Numbers that lie together meet all taps at once.
        let group = if newest - before >= before { taps.len() } else { GROUP };
        for (g, taps) in taps.chunks(group.max(1)).enumerate() {
            let mut scratch = [T::ZERO; GROUP];
            let seen = signal.part(newest + 1 - g * group - taps.len(), taps.len(), &mut scratch);
            let (whole, rest) = taps.as_chunks::<LANES>();
            let (older, window) = split(seen, rest.len());
            for (h, x) in whole.iter().zip(window.as_rchunks::<LANES>().1.iter().rev()) {
                for (sum, (h, x)) in sums.iter_mut().zip(h.iter().zip(x.iter().rev())) {
                    *sum = *sum + *h * *x;
                }
            }
            tail = rest.iter().zip(older.iter().rev()).fold(tail, |sum, (h, x)| sum + *h * *x);
        }
        *y = sums.into_iter().fold(tail, |a, b| a + b);
    }
}

pub(crate) fn biquad_by<S: Simd, T: Element>(
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
