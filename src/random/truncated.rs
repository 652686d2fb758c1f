//! The truncated normal distribution, by rejection from a uniform, a normal or an exponential proposal.

use super::stream::Stream;
use super::transforms::{Exponential, Normal};
use crate::alu::Alu;
use crate::lanes::drive::{Pair, Update};
use crate::lanes::portable::scalar;
use crate::lanes::vector::Vector;

/// Where tries come from: for limits in standard deviations.
#[derive(Debug, Clone, Copy)]
enum Proposal {
    /// The whole distribution; those outside don't count.
    Whole,
    /// Between the limits, each as likely; the density is largest at `base`, 0 or `low`.
    Flat { base: f64 },
    /// `low` and an exponential distribution above it.
    Tail { rate: f64 },
}

/// Limits further out than this are there. Its square is a number.
const FAR: f64 = 1e150;

/// How to draw between two limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    low: f64,
    high: f64,
    /// -1 where the limits are mirrored, so that `high` is not below 0.
    sign: f64,
    proposal: Proposal,
}

/// A word of 64 bits as a number.
fn word(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(low) | u64::from(high) << 32)
}

fn exponential(bits: f64) -> f64 {
    let [e] = Exponential(1.0).eval([], [scalar(bits)]);
    e.lane0()
}

impl Limits {
    /// For `low <= high`.
    pub(super) fn new(low: f64, high: f64) -> Self {
        let (low, high) = (low.clamp(-FAR, FAR), high.clamp(-FAR, FAR));
        let sign = if high < 0.0 { -1.0 } else { 1.0 };
        let (low, high) = if high < 0.0 { (-high, -low) } else { (low, high) };
        let proposal = if low <= 0.0 {
            // √2π is where both draw as many in vain.
            if high - low > 2.5 { Proposal::Whole } else { Proposal::Flat { base: 0.0 } }
        } else {
            // Robert's rate, for a limit on one side.
            let rate = (low + Alu::sqrt(scalar(low * low + 4.0)).lane0()) / 2.0;
            if (high - low) * rate > 1.0 { Proposal::Tail { rate } } else { Proposal::Flat { base: low } }
        };
        Self { low, high, sign, proposal }
    }

    /// Number `at` of the stream.
    pub(super) fn draw(self, stream: Stream, at: u64) -> f64 {
        for attempt in 0..u32::MAX {
            // Tries of their own, as the first needs all words of a block.
            let [a, b, c, d] = stream.attempt(at, attempt.wrapping_add(1));
            let (first, second) = (word(a, b), word(c, d));
            let (x, counts) = match self.proposal {
                Proposal::Whole => {
                    let [x, _] = Pair::eval(Normal(0.0, 1.0), [scalar(first), scalar(second)]);
                    (x.lane0(), true)
                }
                Proposal::Flat { base } => {
                    let u = (first.to_bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
                    let above = (self.high - self.low) * u;
                    let x = self.low + above;
                    let off = if base > 0.0 { above * (above + 2.0 * base) } else { x * x };
                    (x, exponential(second) >= off / 2.0)
                }
                Proposal::Tail { rate } => {
                    let above = exponential(first) / rate;
                    let off = above - (rate - self.low);
                    (self.low + above, exponential(second) >= off * off / 2.0)
                }
            };
            if counts && x >= self.low && x <= self.high {
                return self.sign * x;
            }
        }
        self.sign * self.low
    }
}
