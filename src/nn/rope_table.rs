//! The table of sines and cosines of rotary position embedding, with the scalings for contexts longer than those of the
//! training (linear, NTK, YaRN, Llama 3).

use super::rope::half_of;
use crate::error::Error;
use crate::lanes::{Element, Simd, native};

/// How the angles of [`rope_table`] differ from `position·base^(-2i/dim)`. A turn of the pair `i` is `2π·base^(2i/dim)`
/// positions long.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub enum RopeScaling<T> {
    /// Not at all.
    #[default]
    None,
    /// All angles divided by `factor` (position interpolation).
    ///
    /// Source: S. Chen et al., arXiv:2306.15595.
    Linear {
        /// How many times longer texts become.
        factor: T,
    },
    /// `base·factor^(dim/(dim - 2))` for `base`: the fastest pair turns as before, the slowest one `factor` times slower.
    /// With a factor that follows the length of the text this is dynamic scaling.
    ///
    /// Source: bloc97, "NTK-aware scaled RoPE" (2023), and B. Peng et al., arXiv:2309.00071, §3.1.
    Ntk {
        /// How many times longer texts become.
        factor: T,
    },
    /// Pairs that turn more than `fast` times in `length` positions as they are, those that turn less than `slow` times
    /// slowed down by `factor`, and a ramp between, linear in the pair: it begins at the whole number below, and ends at the
    /// one above `dim·ln(length / (2π·turns)) / (2·ln base)`. Cosine and sine are multiplied with `attention`.
    /// [`RopeScaling::yarn`] has the values of the paper.
    ///
    /// Source: B. Peng et al., "YaRN", arXiv:2309.00071, §3.2 to §3.4, with the ramp of their code.
    Yarn {
        /// How many times longer texts become.
        factor: T,
        /// The longest text of the training.
        length: usize,
        /// Turns from which on a pair stays as it is.
        fast: T,
        /// Turns up to which a pair is slowed down.
        slow: T,
        /// The length of the rotated pairs, which makes scores larger.
        attention: T,
    },
    /// Pairs that turn more than `high` times in `length` positions as they are, those that turn less than `low` times slowed
    /// down by `factor`, and between the mean of both frequencies, weighted by the number of turns.
    ///
    /// Source: the models of A. Dubey et al., "The Llama 3 Herd of Models", arXiv:2407.21783, as published.
    Llama3 {
        /// How many times longer texts become.
        factor: T,
        /// The longest text of the training.
        length: usize,
        /// Turns up to which a pair is slowed down.
        low: T,
        /// Turns from which on a pair stays as it is.
        high: T,
    },
}

impl<T: Element> RopeScaling<T> {
    /// [`RopeScaling::Yarn`] with the paper's values: from 1 to 32 turns, and the length `0.1·ln factor + 1`.
    pub fn yarn(factor: T, length: usize) -> Self {
        let attention = T::from_f64(0.1 * libm::log(factor.to_f64()) + 1.0);
        Self::Yarn { factor, length, fast: T::from_f64(32.0), slow: T::ONE, attention }
    }

    fn check(self) -> Result<(), Error> {
        let positive = |x: T| x > T::ZERO && x < T::INFINITY;
        let fine = match self {
            Self::None => true,
            Self::Linear { factor } | Self::Ntk { factor } => positive(factor),
            Self::Yarn { factor, length, fast, slow, attention } => {
                [factor, slow, fast, attention].into_iter().all(positive) && slow <= fast && length > 0
            }
            Self::Llama3 { factor, length, low, high } => {
                [factor, low, high].into_iter().all(positive) && low < high && length > 0
            }
        };
        if fine {
            Ok(())
        } else {
            Err(Error::must_be(
                "scaling",
                "of positive finite numbers in ascending order, with a `length` of at least 1",
            ))
        }
    }

    /// What pair `i` turns by from one position to the next, and its length.
    fn turn(self, i: usize, dim: usize, base: f64) -> [f64; 2] {
        const TURN: f64 = core::f64::consts::TAU;
        let step = |base: f64| libm::pow(base, -2.0 / dim as f64 * i as f64);
        let plain = step(base);
        match self {
            Self::None => [plain, 1.0],
            Self::Linear { factor } => [plain / factor.to_f64(), 1.0],
            Self::Ntk { factor } => {
                let (n, factor) = (dim as f64, factor.to_f64());
                // A single pair does not depend on the base.
                [if dim == 2 { plain } else { step(base * libm::pow(factor, n / (n - 2.0))) }, 1.0]
            }
            Self::Yarn { factor, length, fast, slow, attention } => {
                let n = dim as f64;
                let pair = |turns: T| {
                    n * libm::log(length as f64 / (turns.to_f64() * TURN)) / (2.0 * libm::log(base))
                };
                let start = libm::floor(pair(fast)).max(0.0);
                let end = libm::ceil(pair(slow)).min(n - 1.0);
                // A ramp without a length is a step.
                let long = if end == start { 0.001 } else { end - start };
                let slowed = ((i as f64 - start) / long).clamp(0.0, 1.0);
                [plain * (1.0 - slowed) + plain / factor.to_f64() * slowed, attention.to_f64()]
            }
            Self::Llama3 { factor, length, low, high } => {
                let turns = length as f64 * plain / TURN;
                let (low, high) = (low.to_f64(), high.to_f64());
                let kept = ((turns - low) / (high - low)).clamp(0.0, 1.0);
                [plain * kept + plain / factor.to_f64() * (1.0 - kept), 1.0]
            }
        }
    }
}

/// `cos[r][i]` and `sin[r][i]` of the angle `(start + r)·base^(-2i/dim)`, changed by `scaling`.
///
/// Shapes: `cos` and `sin` hold rows of `dim/2`, one for each position from `start` on. Angles are computed in `f64` and their
/// sine and cosine rounded once from there: an angle `θ` is off by `2⁻⁵⁰·|θ|` at most.
///
/// NaN and ±0: NaN, infinite or not positive `base` gives what `powf`, the product and the cosine give, NaN most often.
///
/// Errors: [`Error::Empty`] when `dim` is 0, [`Error::Domain`] names `dim` when it is odd, and `scaling` when one of its numbers
/// is not positive and finite, `length` is 0, `slow` above `fast` or `low` not below `high`; [`Error::Rows`] of `cos`,
/// [`Error::Len`] of `sin`. Nothing is written then. Scratch: none.
///
/// ```
/// use fulmen::{RopeScaling, rope_table};
/// let (mut cos, mut sin) = ([0.0f32; 4], [0.0; 4]);
/// rope_table(0, 4, 10_000.0, RopeScaling::None, &mut cos, &mut sin)?;
/// assert_eq!((cos[0], sin[0], cos[2]), (1.0, 0.0, 1.0f32.cos()));
/// // Twice as many positions in the angles of the training.
/// rope_table(2, 4, 10_000.0, RopeScaling::Linear { factor: 2.0 }, &mut cos, &mut sin)?;
/// assert_eq!(cos[0], 1.0f32.cos());
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: J. Su et al., arXiv:2104.09864. Contract: `contracts/rope-v1.yaml`.
#[inline]
pub fn rope_table<T: Element>(
    start: usize,
    dim: usize,
    base: T,
    scaling: RopeScaling<T>,
    cos: &mut [T],
    sin: &mut [T],
) -> Result<(), Error> {
    rope_table_on(native(), start, dim, base, scaling, cos, sin)
}

/// [`rope_table`] with the signature of the other ops: its bits are those of `f64` on any instruction set.
pub fn rope_table_on<S: Simd, T: Element>(
    _: S,
    start: usize,
    dim: usize,
    base: T,
    scaling: RopeScaling<T>,
    cos: &mut [T],
    sin: &mut [T],
) -> Result<(), Error> {
    let half = half_of(dim, cos.len(), sin.len())?;
    scaling.check()?;
    for i in 0..half {
        let [turn, length] = scaling.turn(i, dim, base.to_f64());
        let column = cos.iter_mut().zip(&mut *sin).skip(i).step_by(half);
        for (r, (cos, sin)) in column.enumerate() {
            let angle = (start as f64 + r as f64) * turn;
            *cos = T::from_f64(length * libm::cos(angle));
            *sin = T::from_f64(length * libm::sin(angle));
        }
    }
    Ok(())
}
