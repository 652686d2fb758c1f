//! The backward passes of layer norm and RMS norm, and RMS norm fused with the addition of a residual.

use super::RowOp;
use super::norm::{RmsNorm, Standard, TimesTwice, inverse_root};
use crate::alu::{Alu, Body, Number};
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::{fold_by, to_scalar};
use crate::lanes::inout::InOut;
use crate::lanes::multipass::Slices;
use crate::lanes::portable::scalar;
use crate::lanes::{COMPACT, Element, Simd, drive};
use crate::parts::{Parts as _, Read, Write, count, each_row};
use crate::pointwise::Add;
use crate::reduce::{Centred, centred, rescue, sums};
use core::mem::replace;

/// `Σ (x p)²` and `Σ γ dy (x p)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SquaresAndAlong<T>(pub(crate) T);
sums!(SquaresAndAlong<T>, 3, 2, |self, [squares, along], [x, gamma, dy]| {
    let x = x * x.param(self.0);
    [x.mul_add(x, squares), (gamma * dy).mul_add(x, along)]
});

/// `Σ γ dy` and `Σ γ dy (x p + minus)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SumAndAlong<T>(pub(crate) T, pub(crate) T);
sums!(SumAndAlong<T>, 3, 2, |self, [sum, along], [x, gamma, dy]| {
    let g = gamma * dy;
    [sum + g, g.mul_add(x.mul_add(x.param(self.0), x.param(self.1)), along)]
});

/// `scale (γ dy - shift - (x p + minus) along)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gradient<T> {
    pub(crate) scale: T,
    pub(crate) p: T,
    pub(crate) minus: T,
    pub(crate) shift: T,
    pub(crate) along: T,
}
impl<T: Number> Body<T, 3> for Gradient<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, gamma, dy]: [V; 3]) -> V {
        let g = gamma.mul_add(dy, -x.param(self.shift));
        let d = x.mul_add(x.param(self.p), x.param(self.minus));
        d.mul_add(-x.param(self.along), g) * x.param(self.scale)
    }
}

/// `scale (γ dy - (x p) along)`: of a norm without a mean.
#[derive(Debug, Clone, Copy)]
struct RmsGradient<T> {
    scale: T,
    p: T,
    along: T,
}
impl<T: Number> Body<T, 3> for RmsGradient<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, gamma, dy]: [V; 3]) -> V {
        let d = x * x.param(self.p);
        d.mul_add(-x.param(self.along), gamma * dy) * x.param(self.scale)
    }
}

/// What is added to, and a gradient.
#[derive(Debug, Clone, Copy)]
struct Added<B>(B);
impl<T: Number, B: Body<T, 3>> Body<T, 4> for Added<B> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [sum, x, gamma, dy]: [V; 4]) -> V {
        sum + self.0.eval([x, gamma, dy])
    }
}

/// `sum + dy x̂`, where the body makes `x̂` of `x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddScaled<B>(pub(crate) B);
impl<T: Number, B: Body<T, 1>> Body<T, 3> for AddScaled<B> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [sum, dy, x]: [V; 3]) -> V {
        dy.mul_add(self.0.eval([x]), sum)
    }
}

ops! { $ norm_backward_ops in crate::nn::norm_backward;
    /// `residual += x`, and `out` the [`rms_norm`](crate::rms_norm()) of the sum: what stands between two layers.
    ///
    /// Shapes and units: `gamma` has the row length; `x`, `residual` and `out` hold the same whole rows; `eps` is in the
    /// square of their unit.
    ///
    /// NaN and ±0: as [`add`](crate::add()) and [`rms_norm`](crate::rms_norm()).
    ///
    /// Errors: [`Error::Empty`] when `gamma` is empty, [`Error::Domain`] when `eps` is negative or NaN,
    /// [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when `residual` or `out` differs in length.
    /// Scratch: none.
    ///
    /// ```
    /// let (mut residual, mut out) = ([4.0f32, 1.0], [0.0; 2]);
    /// fulmen::rms_norm_residual(&[3.0, 0.0], &mut residual, &[1.0, 5.0], 0.0, &mut out)?;
    /// assert_eq!(residual, [7.0, 1.0]);
    /// assert!((out[0] - 1.4).abs() < 1e-6 && (out[1] - 1.0).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`rms_norm`](crate::rms_norm()). Contract: `contracts/rms_norm_residual-v1.yaml`.
    threads rms_norm_residual, rms_norm_residual_on, rms_norm_residual_by
        (x: in T, residual: inout T, gamma: in T, eps: by T, out: out T) -> Result<()>;

    /// `dx = ρ·(g − x̂·mean(x̂·g))` and `dgamma += Σ_r dy·x̂`, with `g = gamma·dy`, `ρ = 1/√(mean(x²) + eps)`,
    /// `x̂ = ρ·x`: the gradient of [`rms_norm`](crate::rms_norm()).
    ///
    /// Shapes and units: `gamma` and `dgamma` have the row length; `x`, `dy` and `dx` hold the same whole rows. Rows are
    /// added to `dgamma` in order.
    ///
    /// NaN and ±0: a row with NaN makes its row of `dx` NaN; in `dgamma`, NaN in `x` reaches every column, in `dy` its own.
    /// A row of zeros becomes NaN when `eps` is 0; infinite where `ρ` overflows. Squares neither overflow nor underflow.
    ///
    /// Errors: [`Error::Empty`] when `gamma` is empty, [`Error::Domain`] when `eps` is negative or NaN,
    /// [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when `dy`, `dx` or `dgamma` has another length.
    /// Scratch: none.
    ///
    /// ```
    /// let (mut dx, mut dgamma) = ([0.0f32; 2], [0.0; 2]);
    /// fulmen::rms_norm_backward(&[1.0, 1.0], &[1.0, 1.0], &[1.0, 3.0], 0.0, &mut dx, &mut dgamma)?;
    /// assert_eq!((dx, dgamma), ([-1.0, 1.0], [1.0, 3.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/rms_norm_backward-v1.yaml`.
    serial rms_norm_backward, rms_norm_backward_on, rms_norm_backward_by
        (x: in T, gamma: in T, dy: in T, eps: by T, dx: out T, dgamma: inout T) -> Result<()>;

    /// `dx += ρ·(g − x̂·mean(x̂·g))` and `dgamma += Σ_r dy·x̂`, as [`rms_norm_backward`](crate::rms_norm_backward()): the gradient
    /// of [`rms_norm_residual`](crate::rms_norm_residual()), whose sum, here `x`, is both normalised, with the gradient `dy`, and
    /// passed on, with what `dx` holds before. With the bits of `rms_norm_backward` and [`add`](crate::add()).
    ///
    /// Shapes and units: as [`rms_norm_backward`](crate::rms_norm_backward()).
    ///
    /// NaN and ±0: as [`rms_norm_backward`](crate::rms_norm_backward()) and [`add`](crate::add()).
    ///
    /// Errors: [`Error::Empty`] when `gamma` is empty, [`Error::Domain`] when `eps` is negative or NaN,
    /// [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when `dy`, `dx` or `dgamma` has another length.
    /// Scratch: none.
    ///
    /// ```
    /// let (mut dx, mut dgamma) = ([10.0f32, 0.5], [0.0; 2]);
    /// fulmen::rms_norm_residual_backward(&[1.0, 1.0], &[1.0, 1.0], &[1.0, 3.0], 0.0, &mut dx, &mut dgamma)?;
    /// assert_eq!((dx, dgamma), ([9.0, 1.5], [1.0, 3.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/rms_norm_residual_backward-v1.yaml`.
    serial rms_norm_residual_backward, rms_norm_residual_backward_on, rms_norm_residual_backward_by
        (x: in T, gamma: in T, dy: in T, eps: by T, dx: inout T, dgamma: inout T) -> Result<()>;

    /// `dx = ρ·(g − mean(g) − x̂·mean(x̂·g))`, `dgamma += Σ_r dy·x̂` and `dbeta += Σ_r dy`, with `g = gamma·dy`,
    /// `ρ = 1/√(σ² + eps)`, `x̂ = ρ·(x − µ)`: the gradient of [`layer_norm`](crate::layer_norm()).
    ///
    /// Shapes and units: `gamma`, `dgamma` and `dbeta` have the row length; `x`, `dy` and `dx` hold the same whole rows. Rows
    /// are added to `dgamma` and `dbeta` in order.
    ///
    /// NaN and ±0: a row with NaN makes its row of `dx` NaN; in `dgamma`, NaN in `x` reaches every column, in `dy` its own.
    /// A constant row becomes NaN when `eps` is 0; infinite where `ρ` overflows. Squares neither overflow nor underflow.
    ///
    /// Errors: [`Error::Empty`] when `gamma` is empty, [`Error::Domain`] when `eps` is negative or NaN, [`Error::Rows`] when
    /// `x` does not hold whole rows, [`Error::Len`] when `dy`, `dx`, `dgamma` or `dbeta` has another length. Scratch: none.
    ///
    /// ```
    /// let (mut dx, mut dgamma, mut dbeta) = ([0.0f32; 2], [0.0; 2], [0.0; 2]);
    /// let (x, dy) = ([1.0, 3.0], [1.0, 2.0]);
    /// fulmen::layer_norm_backward(&x, &[1.0, 1.0], &dy, 0.0, &mut dx, &mut dgamma, &mut dbeta)?;
    /// // Two points have nowhere to go: their norm is always ±1.
    /// assert_eq!((dx, dgamma, dbeta), ([0.0, 0.0], [-1.0, 2.0], [1.0, 2.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/layer_norm_backward-v1.yaml`.
    serial layer_norm_backward, layer_norm_backward_on, layer_norm_backward_by
        (x: in T, gamma: in T, dy: in T, eps: by T, dx: out T, dgamma: inout T, dbeta: inout T) -> Result<()>;
}

/// The row length, when `x` and `others` hold whole rows of it.
#[inline]
fn columns<T: Element>(
    op: RmsNorm<'_, T>,
    x: usize,
    others: [(&'static str, usize); 2],
) -> Result<usize, Error> {
    let cols = op.cols()?;
    count("x", x, cols)?;
    for (arg, len) in others {
        same_len(arg, x, len)?;
    }
    Ok(cols)
}

#[inline]
pub(crate) fn rms_norm_residual_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    residual: &mut [T],
    gamma: &[T],
    eps: T,
    out: &mut [T],
) -> Result<(), Error> {
    let op = RmsNorm { gamma, eps };
    let cols = columns(op, x.len(), [("residual", residual.len()), ("out", out.len())])?;
    let parts = (Read(x, cols), Write(&mut *residual, cols), Write(&mut *out, cols));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(x, sum, out): (Read<'_, T>, Write<'_, T>, Write<'_, T>)| {
            drive::zip_in_place(Serial, s, Add, sum.0, x.0);
            op.row(Serial, s, InOut::new(sum.0, out.0));
        },
    );
    contract!(rms_norm_residual, Ok(()), &Call::new(&[residual, gamma], out).cols(cols))
}

/// Whether the gradient of `x` holds to its contract, of which this is the check.
fn slopes_hold<T: Element>(
    [x, gamma, dy, dx]: [&[T]; 4],
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let cols = gamma.len();
    check(&Call::new(&[x, gamma], dx).cols(cols))?;
    check(&Call::new(&[dy], dx).cols(cols))
}

/// `f(p)`, compiled once more for the power 1, where nothing waits for it and nothing is multiplied by it.
#[inline(always)]
fn by_power<T: Element>(p: T, mut f: impl FnMut(T)) {
    if !COMPACT && p == T::ONE { f(T::ONE) } else { f(p) }
}

/// A power of two that no square overflows or underflows with, and the sums of a row of `[x, γ, dy]` times it.
#[inline(always)]
fn rms_sums<S: Simd, T: Element>(s: S, row: [&[T]; 3], eps: T) -> (T, [T; 2]) {
    let sums = fold_by(Serial, s, SquaresAndAlong(T::ONE), row);
    let p = to_scalar(rescue(scalar(sums[0] + eps)));
    if p == T::ONE { (p, sums) } else { (p, fold_by(Serial, s, SquaresAndAlong(p), row)) }
}

/// The gradients of RMS norm: `ADDS` to what `dx` holds.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
fn rms_slopes<S: Simd, T: Element, const ADDS: bool>(
    s: S,
    x: &[T],
    gamma: &[T],
    dy: &[T],
    eps: T,
    dx: &mut [T],
    dgamma: &mut [T],
) -> Result<(), Error> {
    let cols = columns(RmsNorm { gamma, eps }, x.len(), [("dy", dy.len()), ("dx", dx.len())])?;
    same_len("dgamma", cols, dgamma.len())?;
    let n = T::from_usize(cols);
    let mut parts = (Read(x, cols), Read(dy, cols), Write(&mut *dx, cols));
    s.vectorize(
        #[inline(always)]
        || {
            // Those of one row ahead, where bytes do not matter: what is made of sums is not waited for.
            let sums = |x: &[T], dy: &[T]| match (x.get(..cols), dy.get(..cols)) {
                (Some(x), Some(dy)) => rms_sums(s, [x, gamma, dy], eps),
                _ => (T::ONE, [T::ZERO; 2]),
            };
            let mut next = if COMPACT { (T::ONE, [T::ZERO; 2]) } else { sums(x, dy) };
            while parts.rows() > 0 {
                let ((x, dy, dx), rest) = parts.split(1);
                let ahead = if COMPACT { (x.0, dy.0) } else { (rest.0.0, rest.1.0) };
                let last = replace(&mut next, sums(ahead.0, ahead.1));
                let (p, [squares, along]) = if COMPACT { next } else { last };
                by_power(
                    p,
                    #[inline(always)]
                    |p| {
                        let scale = to_scalar(inverse_root(scalar(squares / n), scalar(eps), scalar(p)));
                        let body = RmsGradient { scale: scale * p, p, along: along / n * scale * scale };
                        if ADDS {
                            InOut::in_place(&mut *dx.0).map4(Serial, s, Added(body), [x.0, gamma, dy.0]);
                        } else {
                            InOut::new(x.0, &mut *dx.0).map3(Serial, s, body, gamma, dy.0);
                        }
                        InOut::in_place(&mut *dgamma).map3(
                            Serial,
                            s,
                            AddScaled(TimesTwice(p, scale)),
                            dy.0,
                            x.0,
                        );
                    },
                );
                parts = rest;
            }
        },
    );
    Ok(())
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn rms_norm_backward_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    gamma: &[T],
    dy: &[T],
    eps: T,
    dx: &mut [T],
    dgamma: &mut [T],
) -> Result<(), Error> {
    rms_slopes::<S, T, false>(s, x, gamma, dy, eps, dx, dgamma)?;
    contract!(rms_norm_backward, Ok(()), each | check | slopes_hold([x, gamma, dy, dx], check))
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn rms_norm_residual_backward_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    gamma: &[T],
    dy: &[T],
    eps: T,
    dx: &mut [T],
    dgamma: &mut [T],
) -> Result<(), Error> {
    rms_slopes::<S, T, true>(s, x, gamma, dy, eps, dx, dgamma)?;
    contract!(rms_norm_residual_backward, Ok(()), each | check | slopes_hold([x, gamma, dy, dx], check))
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn layer_norm_backward_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    gamma: &[T],
    dy: &[T],
    eps: T,
    dx: &mut [T],
    dgamma: &mut [T],
    dbeta: &mut [T],
) -> Result<(), Error> {
    let cols = columns(RmsNorm { gamma, eps }, x.len(), [("dy", dy.len()), ("dx", dx.len())])?;
    same_len("dgamma", cols, dgamma.len())?;
    same_len("dbeta", cols, dbeta.len())?;
    let n = T::from_usize(cols);
    let mut parts = (Read(x, cols), Read(dy, cols), Write(&mut *dx, cols));
    s.vectorize(
        #[inline(always)]
        || {
            while parts.rows() > 0 {
                let ((x, dy, dx), rest) = parts.split(1);
                let m = centred(&Slices(Serial, s, [x.0]), scalar(eps));
                by_power(
                    to_scalar(m.p),
                    #[inline(always)]
                    |p| {
                        let m = Centred { p: scalar(p), ..m };
                        let unit = Standard::new(m, inverse_root(m.variance, scalar(eps), m.p), to_scalar);
                        let Standard { minus, scale, .. } = unit;
                        let lo = to_scalar(m.lo);
                        let [sum, along] = fold_by(Serial, s, SumAndAlong(p, minus), [x.0, gamma, dy.0]);
                        let along = (along - lo * sum) / n * scale * scale;
                        // The low part of the mean is the same for all elements.
                        let shift = sum / n - lo * along;
                        let body = Gradient { scale: scale * p, p, minus, shift, along };
                        // First what waits for none of these numbers.
                        drive::zip_in_place(Serial, s, Add, dbeta, dy.0);
                        InOut::in_place(&mut *dgamma).map3(Serial, s, AddScaled(unit), dy.0, x.0);
                        InOut::new(x.0, &mut *dx.0).map3(Serial, s, body, gamma, dy.0);
                    },
                );
                parts = rest;
            }
        },
    );
    contract!(layer_norm_backward, Ok(()), each | check | slopes_hold([x, gamma, dy, dx], check))
}
