//! Samples a token from logits: temperature, top-k and top-p.

use crate::alu::not_negative;
use crate::alu::{Alu, Body, Number, Real};
use crate::contract::contract;
use crate::error::{Error, enough, not_empty};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd, drive};
use crate::reduce::top_k_by;

/// How [`sample`] chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Sampling<T> {
    /// What logits are divided by; 0 takes the largest one.
    pub temperature: T,
    /// How many of the largest logits may be chosen; 0 for all.
    pub top_k: usize,
    /// The share of the probability that the largest ones must reach, of which nothing further is chosen; 1 for all.
    pub top_p: T,
}

impl<T: Real> Default for Sampling<T> {
    /// The probabilities as they are.
    fn default() -> Self {
        Self { temperature: T::ONE, top_k: 0, top_p: T::ONE }
    }
}

/// `e^((x - peak) / temperature)`.
#[derive(Debug, Clone, Copy)]
struct Tempered<T>(T, T);
impl<T: Number> Body<T, 1> for Tempered<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        // Divided, as the inverse of a small temperature overflows.
        ((x - x.param(self.0)) / x.param(self.1)).exp()
    }
}

ops! { $ sampling_ops in crate::nn::sampling;
    /// The index of a logit, chosen with the probability that [`softmax`](crate::softmax()) of `logits / temperature`
    /// gives it among the `top_k` largest, and of these among the fewest whose probabilities reach `top_p`.
    ///
    /// Shapes and units: `uniform` is a random number, 0 ≤ `uniform` < 1. Logits are taken from the largest one down,
    /// equal ones from the lowest index up; the choice is the first at which the sum of the probabilities so far,
    /// of those that may be chosen, exceeds `uniform`.
    ///
    /// NaN and ±0: NaN among the logits is refused; -inf is never chosen.
    ///
    /// Errors: [`Error::Empty`] when there are no logits, [`Error::Nan`] when one is NaN, [`Error::Domain`] when the
    /// largest one is infinite, `temperature` is negative, infinite or NaN, `top_p` is not in `0 < top_p ≤ 1`, or
    /// `uniform` not in `0 ≤ uniform < 1`, [`Error::Workspace`] when `values` or `indices` is shorter than it must be.
    ///
    /// Scratch: `values` and `indices`, each [`sample_workspace`]`(logits.len(), with.top_k)` elements; what they hold
    /// before and after does not matter.
    ///
    /// ```
    /// let logits = [1.0f32, 3.0, 2.0];
    /// let (mut values, mut indices) = ([0.0; 3], [0; 3]);
    /// let greedy = fulmen::Sampling { temperature: 0.0, ..Default::default() };
    /// assert_eq!(fulmen::sample(&logits, greedy, 0.7, &mut values, &mut indices)?, 1);
    /// let two = fulmen::Sampling { top_k: 2, ..Default::default() };
    /// assert_eq!(fulmen::sample(&logits, two, 0.99, &mut values, &mut indices)?, 2);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Holtzman et al., *The Curious Case of Neural Text Degeneration* (2020). Contract: `contracts/sample-v1.yaml`.
    serial sample, sample_on, sample_by
        (logits: in T, with: by Sampling<T>, uniform: by T, values: out T, indices: out u32) -> Result<usize>;
}

/// Elements of `values` and of `indices` that [`sample`] needs for `n` logits.
pub const fn sample_workspace(n: usize, top_k: usize) -> usize {
    if top_k == 0 || top_k > n { n } else { top_k }
}

#[inline]
pub(crate) fn sample_by<S: Simd, T: Element>(
    s: S,
    logits: &[T],
    with: Sampling<T>,
    uniform: T,
    values: &mut [T],
    indices: &mut [u32],
) -> Result<usize, Error> {
    contract!(sample, choose(s, logits, with, uniform, values, indices), of[logits])
}

fn choose<S: Simd, T: Element>(
    s: S,
    logits: &[T],
    with: Sampling<T>,
    uniform: T,
    values: &mut [T],
    indices: &mut [u32],
) -> Result<usize, Error> {
    let Sampling { temperature, top_k, top_p } = with;
    not_empty("logits", logits.len())?;
    not_negative("temperature", temperature)?;
    for (arg, limit, ok) in [
        ("temperature", "finite", temperature < T::INFINITY),
        ("top_p", "above 0 and at most 1", top_p > T::ZERO && top_p <= T::ONE),
        ("uniform", "at least 0 and below 1", uniform >= T::ZERO && uniform < T::ONE),
    ] {
        if !ok {
            return Err(Error::must_be(arg, limit));
        }
    }
    let k = sample_workspace(logits.len(), top_k);
    enough(k, values.len().min(indices.len()))?;
    let (Some(values), Some(indices)) = (values.get_mut(..k), indices.get_mut(..k)) else {
        return Err(Error::empty("logits"));
    };
    let found = top_k_by(s, logits, k, values, indices);
    found.map_err(|e| if matches!(e, Error::Nan { .. }) { Error::nan("logits") } else { e })?;
    let (peak, first) = (values.first().copied().unwrap_or_default(), indices.first().copied());
    if peak == T::INFINITY || peak == -T::INFINITY {
        return Err(Error::must_be("logits", "of scores whose largest is finite"));
    }
    let first = first.unwrap_or_default() as usize;
    if temperature == T::ZERO {
        return Ok(first);
    }
    s.vectorize(
        #[inline(always)]
        || drive::map_in_place(Serial, s, Tempered(peak, temperature), values),
    );
    let sum = |x: &[T]| x.iter().fold(T::ZERO, |sum, x| sum + *x);
    let wanted = sum(values) * top_p;
    // The fewest that reach the share, and what they have.
    let mut reached = T::ZERO;
    let enough = values.iter().position(|x| {
        reached = reached + *x;
        reached >= wanted
    });
    let most = enough.map_or(values.len(), |last| last + 1);
    let draw = uniform * reached;
    let mut so_far = T::ZERO;
    let chosen = values.iter().take(most).position(|x| {
        so_far = so_far + *x;
        so_far > draw
    });
    // Rounding may bring the draw up to the sum.
    Ok(chosen.and_then(|at| indices.get(at)).map_or(first, |i| *i as usize))
}
