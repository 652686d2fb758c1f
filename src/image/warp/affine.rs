//! Affine transformations, and their numbers in fixed point.

use super::Sampler;
use crate::error::Error;

/// The largest magnitudes of the numbers of a matrix: of the first two columns, and of the third.
const LARGEST: [f64; 2] = [8192.0, 536_870_912.0];

/// A matrix of two rows and three columns, which leads from the place `(x, y)` to `(m₀₀·x + m₀₁·y + m₀₂, m₁₀·x + m₁₁·y + m₁₂)`.
///
/// ```
/// use fulmen::image::Affine;
/// let turn = Affine::rotation([1.5, 1.5], 90.0, 1.0);
/// let [u, v] = turn.inverse().map(|back| back.at(turn.at([3.0, 1.0]))).unwrap();
/// assert!((u - 3.0).abs() < 1e-12 && (v - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Affine([[f64; 3]; 2]);

impl Affine {
    /// The matrix of these rows.
    pub const fn new(rows: [[f64; 3]; 2]) -> Self {
        Self(rows)
    }
    /// A turn by so many degrees around `center`, counter-clockwise as images are seen (rows lead downwards), and a scale: OpenCV's `getRotationMatrix2D`.
    ///
    /// [`warp_affine`](crate::warp_affine()) with the [inverse](Self::inverse) turns and scales an image so.
    pub fn rotation(center: [f64; 2], degrees: f64, scale: f64) -> Self {
        let angle = degrees.to_radians();
        let (a, b, [x, y]) = (scale * libm::cos(angle), scale * libm::sin(angle), center);
        Self([[a, b, (1.0 - a) * x - b * y], [-b, a, b * x + (1.0 - a) * y]])
    }
    /// The rows.
    pub const fn rows(&self) -> [[f64; 3]; 2] {
        self.0
    }
    /// Where the place `(x, y)` is led to.
    pub fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        self.0.map(|[a, b, c]| a * x + b * y + c)
    }
    /// The matrix that leads back; none where the determinant of the first two columns is 0 or not finite.
    pub fn inverse(&self) -> Option<Self> {
        let [[a, b, x], [c, d, y]] = self.0;
        let det = a * d - b * c;
        if det == 0.0 || !det.is_finite() {
            return None;
        }
        let [a, b, c, d] = [d / det, -b / det, -c / det, a / det];
        Some(Self([[a, b, -(a * x + b * y)], [c, d, -(c * x + d * y)]]))
    }
    /// The numbers with 32 bits behind the point; half of a unit is added to those of the third column, where places are rounded down to `fraction` bits or,
    /// for the nearest pixel, to none.
    pub(crate) fn steps(&self, by: Sampler, fraction: u32) -> Result<Steps, Error> {
        let [most, far] = LARGEST;
        let half = match by {
            Sampler::Nearest => 1 << 31,
            Sampler::Bilinear => 1 << (31 - fraction),
        };
        let fixed = |[a, b, c]: [f64; 3]| {
            let unit = 4_294_967_296.0;
            let within = a.abs() <= most && b.abs() <= most && c.abs() <= far;
            within.then(|| [a, b, c].map(|m| libm::rint(m * unit) as i64)).map(|[a, b, c]| [a, b, c + half])
        };
        let limit = "finite, at most 8192 in its first two columns and 2²⁹ in its third";
        let [Some(x), Some(y)] = self.0.map(fixed) else { return Err(Error::must_be("matrix", limit)) };
        Ok(Steps([x, y]))
    }
}

/// A matrix of numbers with 32 bits behind the point: for places of results up to [`SIDE`](super::SIDE) all sums are below 2⁶² in magnitude.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps(pub(crate) [[i64; 3]; 2]);
