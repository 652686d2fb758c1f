//! Window functions (Hann, Hamming, Blackman, Kaiser, …), by which a piece of a signal is multiplied before its
//! transform to reduce spectral leakage.

use super::plan::turn;
use crate::error::Error;
use crate::lanes::Element;

/// The shape of a window.
///
/// ```
/// use fulmen::Window;
/// let (mut w, mut v) = ([0.0f32; 4], [0.0f32; 5]);
/// Window::Hann.periodic(&mut w)?;
/// assert_eq!(w, [0.0, 0.5, 1.0, 0.5]);
/// Window::Hann.symmetric(&mut v)?;
/// assert_eq!(v, [0.0, 0.5, 1.0, 0.5, 0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", 1978.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub enum Window {
    /// Ones.
    Rectangular,
    /// A triangle, zero at its ends.
    Bartlett,
    /// `(1 - cos θ)/2`.
    Hann,
    /// `0.54 - 0.46 cos θ`.
    Hamming,
    /// `0.42 - 0.5 cos θ + 0.08 cos 2θ`.
    Blackman,
    /// `0.35875 - 0.48829 cos θ + 0.14128 cos 2θ - 0.01168 cos 3θ`: four terms, side lobes at -92 dB.
    BlackmanHarris,
    /// Five terms, for amplitudes: the peak of a tone between two bins is off by 0.01 dB at most.
    FlatTop,
    /// `I₀(β√(1 - x²)) / I₀(β)` for `x` from -1 to 1, where `I₀` is the modified Bessel function: a wider peak and lower side
    /// lobes for a greater `β`.
    Kaiser {
        /// From 0, ones, to 500.
        beta: f64,
    },
}

impl Window {
    /// One period of the window, `θ = 2πk/n`, for transforms: its length is that of `out`.
    ///
    /// Errors: [`Error::Domain`] of `beta`.
    pub fn periodic<T: Element>(self, out: &mut [T]) -> Result<(), Error> {
        let n = out.len();
        self.fill(n, out)
    }

    /// The window with both ends, `θ = 2πk/(n - 1)`, for the taps of filters; 1 where `n` is.
    ///
    /// Errors: [`Error::Domain`] of `beta`.
    pub fn symmetric<T: Element>(self, out: &mut [T]) -> Result<(), Error> {
        let n = out.len().saturating_sub(1);
        self.fill(n, out)
    }

    /// `θ` goes once around in `n` steps.
    fn fill<T: Element>(self, n: usize, out: &mut [T]) -> Result<(), Error> {
        if let Self::Kaiser { beta } = self
            && !(0.0..=MOST_BETA).contains(&beta)
        {
            return Err(Error::must_be("beta", "between 0 and the largest of `Window::Kaiser`"));
        }
        for (k, w) in out.iter_mut().enumerate() {
            *w = if n == 0 { T::ONE } else { T::from_f64(self.at(k, n)) };
        }
        Ok(())
    }

    /// The window at `k` of `n` steps.
    fn at(self, k: usize, n: usize) -> f64 {
        let near = k.min(n - k);
        match self {
            Self::Rectangular => 1.0,
            Self::Bartlett => (2 * near) as f64 / n as f64,
            Self::Kaiser { beta } => {
                // √(1 - x²), whose square is a product without cancellation.
                let (a, b) = (near as f64 / n as f64, (n - near) as f64 / n as f64);
                bessel(beta * (2.0 * libm::sqrt(a * b))) / bessel(beta)
            }
            // The cosines as powers of sin²(θ/2): no term cancels another where the window is small.
            Self::Hann => sines(near, n, &[1.0, 0.0]),
            Self::Hamming => sines(near, n, &[0.92, 0.08]),
            Self::Blackman => sines(near, n, &[0.64, 0.36, 0.0]),
            Self::BlackmanHarris => sines(near, n, &[0.373_76, 0.5696, 0.056_58, 0.000_06]),
            Self::FlatTop => sines(
                near,
                n,
                &[0.889_263_104, 0.896_000_096, -0.682_105_312, -0.102_736_834, -0.000_421_051],
            ),
        }
    }
}

/// The largest `β`: `I₀` of some more is infinite.
const MOST_BETA: f64 = 500.0;

/// A polynomial in `sin²(πk/n)`, the highest power first.
fn sines(k: usize, n: usize, powers: &[f64]) -> f64 {
    let [_, sin] = turn(k as u64, 2 * n as u64);
    let s = sin * sin;
    powers.iter().fold(0.0, |sum, p| sum * s + p)
}

/// `I₀(x) = Σ ((x/2)ᵏ/k!)²` for `x` up to [`MOST_BETA`].
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    let half = 0.5 * x;
    while k < 2.0 * MOST_BETA {
        let by = half / k;
        term *= by * by;
        sum += term;
        // The terms grow up to the middle, and are nothing from here on.
        if term < 1e-18 * sum {
            break;
        }
        k += 1.0;
    }
    sum
}
