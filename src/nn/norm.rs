//! Layer norm and RMS norm: each row is normalised, then scaled (and shifted) by column.

use super::{OnRow, RowOp, at_least_one, row_op};
use crate::alu::not_negative;
use crate::alu::{Alu, Body, Number};
use crate::error::{Error, not_empty, same_len};
use crate::lanes::executor::Executor;
use crate::lanes::inout::InOut;
use crate::lanes::multipass::Row;
use crate::lanes::portable::scalar;
use crate::lanes::{COMPACT, Element, Simd};
use crate::reduce::{Centred, ScaledSquares, SumSquares, centred, rescue, scales};

/// `(x - mean) · scale` by multiply-adds: `((x p - hi p) - lo) · scale`, the mean being `hi + lo/p`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standard<T> {
    pub(crate) p: T,
    /// `-hi p`.
    pub(crate) minus: T,
    pub(crate) scale: T,
    /// `-lo · scale`.
    pub(crate) rest: T,
}

impl<T: Number> Standard<T> {
    /// Of data with these moments.
    #[inline(always)]
    pub(crate) fn new<V: Alu<Elem = T>>(m: Centred<V>, scale: V, number: impl Fn(V) -> T) -> Self {
        Self {
            p: number(m.p),
            minus: number(-(m.hi * m.p)),
            scale: number(scale),
            rest: number(-(m.lo * scale)),
        }
    }
}

impl<T: Number> Body<T, 1> for Standard<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let d = x.mul_add(x.param(self.p), x.param(self.minus));
        d.mul_add(x.param(self.scale), x.param(self.rest))
    }
}

/// `(x - mean) · scale · γ + β`.
#[derive(Debug, Clone, Copy)]
struct StandardAffine<T>(Standard<T>);

impl<T: Number> Body<T, 3> for StandardAffine<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, gamma, beta]: [V; 3]) -> V {
        self.0.eval([x]).mul_add(gamma, beta)
    }
}

/// `x · scale · γ`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledBy<T>(pub(crate) T);

impl<T: Number> Body<T, 2> for ScaledBy<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, gamma]: [V; 2]) -> V {
        (x * x.param(self.0)) * gamma
    }
}

/// `(x · p) · scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimesTwice<T>(pub(super) T, pub(super) T);

impl<T: Number> Body<T, 1> for TimesTwice<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        (x * x.param(self.0)) * x.param(self.1)
    }
}

/// `(x · p) · scale · γ`.
#[derive(Debug, Clone, Copy)]
struct ScaledTwice<T>(TimesTwice<T>);

impl<T: Number> Body<T, 2> for ScaledTwice<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, gamma]: [V; 2]) -> V {
        self.0.eval([x]) * gamma
    }
}

/// `1 / √(squares + eps)`, where the squares are of data times `p`.
#[inline(always)]
pub(crate) fn inverse_root<V: Alu>(squares: V, eps: V, p: V) -> V {
    squares.c(1.0) / (squares + eps * p * p).sqrt()
}

/// What brings a row of these moments to mean 0 and unit variance.
#[inline(always)]
fn standard<T: Number, R: Row<T>>(row: &R, m: Centred<R::V>, eps: R::V) -> Standard<T> {
    Standard::new(m, inverse_root(m.variance, eps, m.p), |v| row.number(v))
}

/// A row of [`layer_norm_simple`](crate::layer_norm_simple()).
#[inline(always)]
pub(crate) fn layer_norm_simple_row<T: Number, R: Row<T>>(row: &mut R, eps: R::V) {
    let m = centred(row, eps);
    let body = standard(row, m, eps);
    row.map(body);
}

/// A row of [`layer_norm`](crate::layer_norm()).
#[inline(always)]
pub(crate) fn layer_norm_row<T: Number, R: Row<T>>(row: &mut R, eps: R::V) {
    let m = centred(row, eps);
    if !COMPACT && row.known(scales(m.p)) == Some(false) {
        // Nothing waits for the power of two, which is 1.
        let body = StandardAffine(standard(row, Centred { p: m.p.c(1.0), ..m }, eps));
        row.map_affine(body);
    } else {
        let body = StandardAffine(standard(row, m, eps));
        row.map_affine(body);
    }
}

/// A row of [`rms_norm`](crate::rms_norm()).
#[inline(always)]
pub(crate) fn rms_norm_row<T: Number, R: Row<T>>(row: &mut R, eps: R::V) {
    let [squares] = row.fold(SumSquares);
    let p = rescue(squares + eps);
    let [squares] = row.fold_where(scales(p), ScaledSquares(row.number(p)), [squares]);
    let scale = |p| inverse_root(squares / row.len(), eps, p);
    if row.known(scales(p)) == Some(false) {
        // Nothing waits for the power of two, which is 1.
        let body = ScaledBy(row.number(scale(p.c(1.0))));
        row.map_scaled(body);
    } else {
        let body = ScaledTwice(TimesTwice(row.number(p), row.number(scale(p))));
        row.map_scaled(body);
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerNorm<'a, T> {
    pub(crate) gamma: &'a [T],
    pub(crate) beta: &'a [T],
    pub(crate) eps: T,
}

impl<T: Element> RowOp<T> for LayerNorm<'_, T> {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        not_empty("gamma", self.gamma.len())?;
        same_len("beta", self.gamma.len(), self.beta.len())?;
        not_negative("eps", self.eps)?;
        Ok(self.gamma.len())
    }
    #[inline(always)]
    fn columns(&self) -> [&[T]; 2] {
        [self.gamma, self.beta]
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        layer_norm_row(&mut OnRow(j, s, row, self.columns()), scalar(self.eps));
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerNormSimple<T>(pub(crate) usize, pub(crate) T);

impl<T: Element> RowOp<T> for LayerNormSimple<T> {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        not_negative("eps", self.1)?;
        at_least_one(self.0)
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        layer_norm_simple_row(&mut OnRow(j, s, row, [&[]; 2]), scalar(self.1));
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RmsNorm<'a, T> {
    pub(crate) gamma: &'a [T],
    pub(crate) eps: T,
}

impl<T: Element> RowOp<T> for RmsNorm<'_, T> {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        not_empty("gamma", self.gamma.len())?;
        not_negative("eps", self.eps)?;
        Ok(self.gamma.len())
    }
    #[inline(always)]
    fn columns(&self) -> [&[T]; 2] {
        [self.gamma, &[]]
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        rms_norm_row(&mut OnRow(j, s, row, self.columns()), scalar(self.eps));
    }
}

row_op! {
    /// `out[r][i] = (x[r][i] - µ) / √(σ² + eps) · gamma[i] + beta[i]`, `µ` and `σ²` the row's mean and
    /// population variance.
    ///
    /// Shapes and units: `gamma` and `beta` have the row length `cols`; `x` and `out` hold whole rows;
    /// `eps` is in the square of `x`'s unit. Mean and variance take one pass
    /// ([`variance`](crate::variance())).
    ///
    /// NaN and ±0: a row with NaN or an infinity becomes NaN as a whole. A constant row gives `beta` when `eps > 0`, and
    /// NaN when `eps` is 0. Squares neither overflow nor underflow on the way.
    ///
    /// Errors: [`Error::Empty`] when `gamma` is empty, [`Error::Len`] when `beta` or `out` has another
    /// length, [`Error::Domain`] when `eps` is negative or NaN, [`Error::Rows`] when `x` does not hold
    /// whole rows. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::layer_norm(&[1.0, 3.0], &[2.0, 2.0], &[0.5, 0.5], 0.0, &mut out)?;
    /// assert_eq!(out, [-1.5, 2.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Ba, Kiros, Hinton, *Layer Normalization* (2016). Contract: `contracts/layer_norm-v1.yaml`.
    #[doc(alias = "layernorm")]
    layer_norm, layer_norm_on, layer_norm_in_place, layer_norm_in_place_on
        (gamma: &[T], beta: &[T], eps: T) LayerNorm { gamma, beta, eps };

    /// `out[r][i] = (x[r][i] - µ) / √(σ² + eps)`: [`layer_norm`](crate::layer_norm()) with neither
    /// scale nor shift.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements; `eps` is in the square of
    /// `x`'s unit.
    ///
    /// NaN and ±0: as [`layer_norm`](crate::layer_norm()).
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Domain`] when `eps` is negative or NaN,
    /// [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when `out` differs in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut x = [1.0f32, 3.0, 5.0, 9.0];
    /// fulmen::layer_norm_simple_in_place(&mut x, 2, 0.0)?;
    /// assert_eq!(x, [-1.0, 1.0, -1.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`layer_norm`](crate::layer_norm()). Contract: `contracts/layer_norm_simple-v1.yaml`.
    layer_norm_simple, layer_norm_simple_on, layer_norm_simple_in_place, layer_norm_simple_in_place_on
        (cols: usize, eps: T) LayerNormSimple(cols, eps);

    /// `out[r][i] = x[r][i] / √(Σ x[r][k]² / cols + eps) · gamma[i]`.
    ///
    /// Shapes and units: `gamma` has the row length `cols`; `x` and `out` hold whole rows; `eps` is in
    /// the square of `x`'s unit. The heads of a token are rows, too: with a `gamma` of a head's length this is the norm
    /// of each query and key by itself.
    ///
    /// NaN and ±0: a row with NaN becomes NaN as a whole; with an infinity, 0 and NaN. A row of zeros
    /// gives zeros when `eps > 0`, and NaN when `eps` is 0. Squares neither overflow nor underflow on the way.
    ///
    /// Errors: [`Error::Empty`] when `gamma` is empty, [`Error::Domain`] when `eps` is negative or NaN,
    /// [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when `out` differs in length.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::rms_norm(&[7.0, 1.0], &[1.0, 5.0], 0.0, &mut out)?;
    /// assert!((out[0] - 1.4).abs() < 1e-6 && (out[1] - 1.0).abs() < 1e-6);
    /// // A token of two heads: each has its own norm.
    /// let mut heads = [7.0f32, 1.0, 0.7, 0.1];
    /// fulmen::rms_norm_in_place(&mut heads, &[1.0, 5.0], 0.0)?;
    /// assert!((heads[0] - heads[2]).abs() < 1e-6 && (heads[1] - heads[3]).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Zhang, Sennrich, *Root Mean Square Layer Normalization* (2019).
    /// Contract: `contracts/rms_norm-v1.yaml`.
    #[doc(alias = "rmsnorm")]
    rms_norm, rms_norm_on, rms_norm_in_place, rms_norm_in_place_on
        (gamma: &[T], eps: T) RmsNorm { gamma, eps };
}
