//! The weights of a separable filter, validated, in the memory of the caller.

use super::resize::Weight;
use crate::error::{Error, same_len};

/// The most weights of a filter, so that 32 bits hold the sums of bytes.
pub(super) const MOST: usize = 2047;

/// The most that the magnitudes of weights are in all.
const TOTAL: f64 = 1.9;

/// The weights of a filter along a line, an odd number, the middle one for the pixel itself.
///
/// ```
/// use fulmen::image::{Kernel, gaussian_len};
/// let mut memory = [0i16; gaussian_len(1.0)];
/// let blur = Kernel::gaussian(1.0, &mut memory)?;
/// assert_eq!(blur.len(), 9);
/// // The mean of three.
/// let mut three = [0.0f32; 3];
/// assert_eq!(Kernel::new(&[1.0 / 3.0; 3], &mut three)?.len(), 3);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Kernel<'a, W> {
    weights: &'a [W],
    bits: u32,
}

/// How many weights a Gaussian has that reaches four times `sigma` on each side: `2·⌈4σ⌉ + 1`; 1 where `sigma` is not above 0.
///
/// OpenCV takes `round(6σ + 1) | 1` for bytes and `round(8σ + 1) | 1` for floats, SciPy `2·⌊4σ + 1/2⌋ + 1`.
pub const fn gaussian_len(sigma: f64) -> usize {
    let reach = 4.0 * sigma;
    // Conversions saturate, and NaN gives 0.
    let whole = reach as usize;
    let up = if reach > whole as f64 { whole.saturating_add(1) } else { whole };
    up.saturating_mul(2).saturating_add(1)
}

impl<'a, W: Weight> Kernel<'a, W> {
    /// These weights, stored in `to`.
    ///
    /// Those of `i16`, for images of `u8`, have 14 or 15 bits behind the point. Each is off by less than one unit, and
    /// their sum is the sum of `weights` rounded once.
    ///
    /// Errors: [`Error::Domain`] names `weights` when their number is even or above 2047, when one is not finite, or when their
    /// magnitudes are more than 1.9 in all and `W` is `i16`; [`Error::Len`] `to` when it does not have as many.
    pub fn new(weights: &[f64], to: &'a mut [W]) -> Result<Self, Error> {
        same_len("to", weights.len(), to.len())?;
        let at = |i: usize| weights.get(i).copied().unwrap_or_default();
        Self::of("weights", to, at, 1.0)
    }

    /// A Gaussian of standard deviation `sigma`, sampled at whole distances and divided by the sum: as many weights as `to`
    /// has, of which [`gaussian_len`] is the number that reaches far enough.
    ///
    /// Errors: [`Error::Domain`] names `sigma` when it is not above 0 and finite, `to` when its length is even or above 2047.
    pub fn gaussian(sigma: f64, to: &'a mut [W]) -> Result<Self, Error> {
        if !(sigma > 0.0 && sigma < f64::INFINITY) {
            return Err(Error::must_be("sigma", "above 0 and finite"));
        }
        let (n, middle) = (to.len(), to.len() / 2);
        let at = |i: usize| {
            let x = i.abs_diff(middle) as f64 / sigma;
            libm::exp(-0.5 * x * x)
        };
        let sum: f64 = (0..n.min(MOST)).map(at).sum();
        Self::of("to", to, at, sum)
    }

    fn of(arg: &'static str, to: &'a mut [W], at: impl Fn(usize) -> f64, sum: f64) -> Result<Self, Error> {
        let n = to.len();
        let (mut total, mut largest) = (0.0, 0.0f64);
        for i in 0..n.min(MOST) {
            let size = (at(i) / sum).abs();
            (total, largest) = (total + size, largest.max(size));
        }
        let most = if W::EXACT { TOTAL } else { f64::MAX };
        let fine = !n.is_multiple_of(2) && n <= MOST && total <= most;
        if !fine {
            return Err(Error::must_be(
                arg,
                "an odd number of at most 2047 finite weights, of images of `u8` at most 1.9 in all",
            ));
        }
        let bits = W::bits(largest, 15);
        let mut before = 0.0;
        for (i, to) in to.iter_mut().enumerate() {
            let weight = at(i) / sum;
            *to = W::between(before, weight, bits);
            before += weight;
        }
        Ok(Self { weights: to, bits })
    }

    /// How many weights there are.
    #[allow(clippy::len_without_is_empty, reason = "it has one at least")]
    pub const fn len(&self) -> usize {
        self.weights.len()
    }
    /// The weights, and their bits behind the point.
    pub(crate) const fn parts(&self) -> (&'a [W], u32) {
        (self.weights, self.bits)
    }
}
