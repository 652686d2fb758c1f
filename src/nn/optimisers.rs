//! Optimiser steps (SGD, momentum, Adagrad, Adam, AdamW) that update parameters and state in place, and gradient
//! clipping by norm.

use crate::alu::not_negative;
use crate::alu::{Alu, Number, Real};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::drive::{self, GRAIN, Update};
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::pointwise::Scale;
use crate::reduce::norm_l2_by;

/// The settings of [`adam()`] and [`adamw`], and the number of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Adam<T> {
    /// The step length.
    pub lr: T,
    /// How much of the mean gradient stays, 0 ≤ β₁ < 1.
    pub beta1: T,
    /// How much of the mean square stays, 0 ≤ β₂ < 1.
    pub beta2: T,
    /// Added to the root of the mean square.
    pub eps: T,
    /// The share of the parameter that belongs to its gradient.
    pub weight_decay: T,
    /// Counts from 1.
    pub step: u32,
}

impl<T: Real> Default for Adam<T> {
    /// The authors' settings, without decay, at the first step.
    fn default() -> Self {
        let f = T::from_f64;
        Self { lr: f(1e-3), beta1: f(0.9), beta2: f(0.999), eps: f(1e-8), weight_decay: T::ZERO, step: 1 }
    }
}

/// The settings of [`momentum`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Momentum<T> {
    /// The step length.
    pub lr: T,
    /// How much of the sum of gradients stays.
    pub mu: T,
    /// How much of the new gradient is left out of the sum.
    pub dampening: T,
    /// The share of the parameter that belongs to its gradient.
    pub weight_decay: T,
    /// Whether the step looks one ahead: along the gradient plus `mu` times the sum.
    pub nesterov: bool,
}

impl<T: Real> Default for Momentum<T> {
    /// A step of 10⁻³ along a sum of which nine tenths stay; nothing else.
    fn default() -> Self {
        let f = T::from_f64;
        Self { lr: f(1e-3), mu: f(0.9), dampening: T::ZERO, weight_decay: T::ZERO, nesterov: false }
    }
}

impl<T: Real> Momentum<T> {
    /// The numbers of [`Heavy`], in its order.
    pub(crate) fn numbers(&self) -> [T; 5] {
        let nesterov = if self.nesterov { T::ONE } else { T::ZERO };
        [self.lr, self.mu, T::ONE - self.dampening, self.weight_decay, nesterov]
    }
}

/// The settings of [`adagrad`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Adagrad<T> {
    /// The step length.
    pub lr: T,
    /// Added to the root of the sum of squares.
    pub eps: T,
    /// The share of the parameter that belongs to its gradient.
    pub weight_decay: T,
}

impl<T: Real> Default for Adagrad<T> {
    /// A step of 10⁻², without decay.
    fn default() -> Self {
        let f = T::from_f64;
        Self { lr: f(1e-2), eps: f(1e-10), weight_decay: T::ZERO }
    }
}

/// `p -= lr (g + wd p)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Descent<T> {
    pub(crate) lr: T,
    pub(crate) decay: T,
}
impl<T: Number> Update<T, 1, 1> for Descent<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [g]: [V; 1], [p]: [V; 1]) -> [V; 1] {
        let d = p.mul_add(p.param(self.decay), g);
        [d.mul_add(-p.param(self.lr), p)]
    }
}

/// `m = mu m + take (g + wd p)`, `p -= lr m`, or `p -= lr (g + wd p + mu m)` where `nesterov` is not 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heavy<T> {
    pub(crate) lr: T,
    pub(crate) mu: T,
    pub(crate) take: T,
    pub(crate) decay: T,
    pub(crate) nesterov: T,
}
impl<T> Heavy<T> {
    pub(crate) fn from([lr, mu, take, decay, nesterov]: [T; 5]) -> Self {
        Self { lr, mu, take, decay, nesterov }
    }
}
impl<T: Number> Update<T, 1, 2> for Heavy<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [g]: [V; 1], [m, p]: [V; 2]) -> [V; 2] {
        let (mu, d) = (p.param(self.mu), p.mul_add(p.param(self.decay), g));
        let m = m.mul_add(mu, d * p.param(self.take));
        let step = V::select(p.param(self.nesterov).eq(p.c(0.0)), m, m.mul_add(mu, d));
        [m, step.mul_add(-p.param(self.lr), p)]
    }
}

/// `v += (g + wd p)²`, `p -= lr (g + wd p) / (√v + eps)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Adaptive<T> {
    pub(crate) lr: T,
    pub(crate) eps: T,
    pub(crate) decay: T,
}
impl<T: Number> Update<T, 1, 2> for Adaptive<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [g]: [V; 1], [v, p]: [V; 2]) -> [V; 2] {
        let d = p.mul_add(p.param(self.decay), g);
        let v = d.mul_add(d, v);
        [v, (d / (v.sqrt() + p.param(self.eps))).mul_add(-p.param(self.lr), p)]
    }
}

/// One step of Adam; decay goes through the means, or past them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments<T, const DECOUPLED: bool> {
    pub(crate) with: Adam<T>,
    /// `1 / (1 - β₁ᵗ)` and `1 / (1 - β₂ᵗ)`.
    pub(crate) unbias: [T; 2],
}
impl<T: Number, const DECOUPLED: bool> Update<T, 1, 3> for Moments<T, DECOUPLED> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [g]: [V; 1], [m, v, p]: [V; 3]) -> [V; 3] {
        let Adam { lr, beta1, beta2, eps, weight_decay, .. } = self.with;
        let [c1, c2] = self.unbias;
        let [one, decay, beta1, beta2] = [p.c(1.0), p.param(weight_decay), p.param(beta1), p.param(beta2)];
        let g = if DECOUPLED { g } else { p.mul_add(decay, g) };
        let m = m.mul_add(beta1, g * (one - beta1));
        let v = v.mul_add(beta2, g * g * (one - beta2));
        let step = m * p.param(c1) / ((v * p.param(c2)).sqrt() + p.param(eps));
        let step = if DECOUPLED { p.mul_add(decay, step) } else { step };
        [m, v, step.mul_add(-p.param(lr), p)]
    }
}

impl<T: Element> Adam<T> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let share = |b: T| b >= T::ZERO && b < T::ONE;
        let below = "at least 0 and below 1";
        for (arg, limit, ok) in [
            ("beta1", below, share(self.beta1)),
            ("beta2", below, share(self.beta2)),
            ("step", "at least 1", self.step >= 1),
        ] {
            if !ok {
                return Err(Error::must_be(arg, limit));
            }
        }
        not_negative("eps", self.eps)
    }

    /// What the means are multiplied with, as they begin at zero.
    pub(crate) fn unbias(&self) -> [T; 2] {
        let one = |b: T| T::from_f64(1.0 / (1.0 - libm::pow(b.to_f64(), f64::from(self.step))));
        [one(self.beta1), one(self.beta2)]
    }
}

ops! { $ optimisers_ops in crate::nn::optimisers;
    /// `p[i] −= lr·(g[i] + weight_decay·p[i])`: gradient descent.
    ///
    /// Shapes and units: `g` and `p` of one length.
    ///
    /// NaN and ±0: NaN where either is NaN. Any `lr` and decay are allowed.
    ///
    /// Errors: [`Error::Len`] when `p` differs in length from `g`. Scratch: none.
    ///
    /// ```
    /// let mut p = [1.0f32, 2.0];
    /// fulmen::sgd(0.5, 0.0, &[1.0, -2.0], &mut p)?;
    /// assert_eq!(p, [0.5, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Robbins, Monro, *A Stochastic Approximation Method* (1951). Contract: `contracts/sgd-v1.yaml`.
    threads sgd, sgd_on, sgd_by (lr: by T, weight_decay: by T, g: in T, p: inout T) -> Result<()>;

    /// `m[i] = mu·m[i] + (1 − dampening)·d`, then `p[i] −= lr·m[i]`, with `d = g[i] + weight_decay·p[i]`: gradient descent
    /// with momentum; with `nesterov`, `p[i] −= lr·(d + mu·m[i])`.
    ///
    /// Shapes and units: `g`, `m` and `p` of one length; `m` begins with zeros, so the first gradient is dampened, too.
    ///
    /// NaN and ±0: NaN where one is NaN. Any numbers are allowed.
    ///
    /// Errors: [`Error::Len`] when `m` or `p` differs in length from `g`. Scratch: none.
    ///
    /// ```
    /// let (mut m, mut p) = ([2.0f32], [1.0]);
    /// let with = fulmen::Momentum { lr: 0.5, mu: 0.5, ..Default::default() };
    /// fulmen::momentum(with, &[1.0], &mut m, &mut p)?;
    /// assert_eq!((m, p), ([2.0], [0.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Polyak, *Some methods of speeding up the convergence of iteration methods* (1964); Sutskever et al., *On the
    /// importance of initialization and momentum in deep learning* (2013), in the form of PyTorch 2.15's `SGD`.
    /// Contract: `contracts/momentum-v1.yaml`.
    threads momentum, momentum_on, momentum_by (with: by Momentum<T>, g: in T, m: inout T, p: inout T) -> Result<()>;

    /// `v[i] += d²`, then `p[i] −= lr·d/(√v[i] + eps)`, with `d = g[i] + weight_decay·p[i]`: Adagrad.
    ///
    /// Shapes and units: `g`, `v` and `p` of one length; `v` begins with zeros.
    ///
    /// NaN and ±0: NaN where one is NaN, and where 0 is divided by 0 because `eps` is 0.
    ///
    /// Errors: [`Error::Len`] when `v` or `p` differs in length from `g`, [`Error::Domain`] when `eps` is negative or NaN.
    /// Scratch: none.
    ///
    /// ```
    /// let (mut v, mut p) = ([16.0f32], [1.0]);
    /// let with = fulmen::Adagrad { lr: 0.5, eps: 0.0, ..Default::default() };
    /// fulmen::adagrad(with, &[3.0], &mut v, &mut p)?;
    /// assert_eq!((v, p), ([25.0], [0.7]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Duchi, Hazan, Singer, *Adaptive Subgradient Methods for Online Learning and Stochastic Optimization* (2011).
    /// Contract: `contracts/adagrad-v1.yaml`.
    threads adagrad, adagrad_on, adagrad_by (with: by Adagrad<T>, g: in T, v: inout T, p: inout T) -> Result<()>;

    /// `m = β₁m + (1−β₁)g'`, `v = β₂v + (1−β₂)g'²`, `p −= lr·m̂/(√v̂ + eps)`, with `g' = g + weight_decay·p`,
    /// `m̂ = m/(1−β₁ᵗ)`, `v̂ = v/(1−β₂ᵗ)`, `t` the step: Adam.
    ///
    /// Shapes and units: `g`, `m`, `v` and `p` of one length; `m` and `v` begin with zeros.
    ///
    /// NaN and ±0: NaN where one is NaN, and where 0 is divided by 0 because `eps` is 0.
    ///
    /// Errors: [`Error::Len`] when `m`, `v` or `p` differs in length from `g`, [`Error::Domain`] when a β is outside
    /// `0 ≤ β < 1`, `eps` is negative or NaN, or `step` is 0. Scratch: none.
    ///
    /// ```
    /// let (mut m, mut v, mut p) = ([0.0f32], [0.0], [1.0]);
    /// let with = fulmen::Adam { lr: 0.5, eps: 0.0, ..Default::default() };
    /// fulmen::adam(with, &[3.0], &mut m, &mut v, &mut p)?;
    /// // The first step has the length `lr`.
    /// assert!((p[0] - 0.5).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/classifier.rs`.
    ///
    /// Source: Kingma, Ba, *Adam: A Method for Stochastic Optimization* (2015). Contract: `contracts/adam-v1.yaml`.
    threads adam, adam_on, adam_by (with: by Adam<T>, g: in T, m: inout T, v: inout T, p: inout T) -> Result<()>;

    /// `m = β₁m + (1−β₁)g`, `v = β₂v + (1−β₂)g²`, `p −= lr·(m̂/(√v̂ + eps) + weight_decay·p)`, with
    /// `m̂ = m/(1−β₁ᵗ)`, `v̂ = v/(1−β₂ᵗ)`, `t` the step: [`adam`](crate::adam()) whose decay does not go through the means.
    ///
    /// Shapes and units: `g`, `m`, `v` and `p` of one length; `m` and `v` begin with zeros.
    ///
    /// NaN and ±0: NaN where one is NaN, and where 0 is divided by 0 because `eps` is 0.
    ///
    /// Errors: [`Error::Len`] when `m`, `v` or `p` differs in length from `g`, [`Error::Domain`] when a β is outside
    /// `0 ≤ β < 1`, `eps` is negative or NaN, or `step` is 0. Scratch: none.
    ///
    /// ```
    /// let (mut m, mut v, mut p) = ([0.0f32], [0.0], [1.0]);
    /// let with = fulmen::Adam { lr: 0.5, eps: 0.0, weight_decay: 0.5, ..Default::default() };
    /// fulmen::adamw(with, &[3.0], &mut m, &mut v, &mut p)?;
    /// assert!((p[0] - 0.25).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Loshchilov, Hutter, *Decoupled Weight Decay Regularization* (2019). Contract: `contracts/adamw-v1.yaml`.
    threads adamw, adamw_on, adamw_by (with: by Adam<T>, g: in T, m: inout T, v: inout T, p: inout T) -> Result<()>;

    /// The norm `‖g‖ = √Σ g[i]²`, and `g *= max_norm / ‖g‖` where that is below 1.
    ///
    /// Shapes and units: any number of elements; the norm is that before, found without overflow or underflow on the
    /// way ([`norm_l2`](crate::norm_l2())). A gradient in several slices is clipped by the norm of their norms and
    /// [`scale_in_place`](crate::scale_in_place()).
    ///
    /// NaN and ±0: a NaN makes the norm and all of `g` NaN; an infinite norm leaves zeros, and NaN where `g` is infinite.
    ///
    /// Errors: [`Error::Domain`] when `max_norm` is negative or NaN. Scratch: none.
    ///
    /// ```
    /// let mut g = [3.0f32, 4.0];
    /// assert_eq!(fulmen::clip_by_norm(2.5, &mut g)?, 5.0);
    /// assert_eq!(g, [1.5, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Pascanu, Mikolov, Bengio, *On the difficulty of training recurrent neural networks* (2013).
    /// Contract: `contracts/clip_by_norm-v1.yaml`.
    threads clip_by_norm, clip_by_norm_on, clip_by_norm_by (max_norm: by T, g: inout T) -> Result<T>;
}

/// Runs `body` over `y`, halves on different threads.
fn run<J, S, T, B, const K: usize>(j: J, s: S, body: B, g: &[T], y: [&mut [T]; K])
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Update<T, 1, K>,
{
    if !J::SERIAL && g.len() > GRAIN {
        let mid = g.len() / 2;
        let (g, h) = g.split_at(mid);
        let mut rest = [const { None }; K];
        let mut rests = rest.iter_mut();
        let y = y.map(|y| {
            let (y, z) = y.split_at_mut(mid.min(y.len()));
            if let Some(rest) = rests.next() {
                *rest = Some(z);
            }
            y
        });
        let z = rest.map(Option::unwrap_or_default);
        j.join(2 * mid, || run(j, s, body, g, y), || run(j, s, body, h, z));
        return;
    }
    s.vectorize(
        #[inline(always)]
        || drive::update(s, body, [g], y),
    );
}

#[inline]
pub(crate) fn sgd_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    lr: T,
    weight_decay: T,
    g: &[T],
    p: &mut [T],
) -> Result<(), Error> {
    same_len("p", g.len(), p.len())?;
    run(j, s, Descent { lr, decay: weight_decay }, g, [&mut *p]);
    contract!(sgd, Ok(()), &Call::new(&[g], p))
}

#[inline]
pub(crate) fn momentum_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    with: Momentum<T>,
    g: &[T],
    m: &mut [T],
    p: &mut [T],
) -> Result<(), Error> {
    same_len("m", g.len(), m.len())?;
    same_len("p", g.len(), p.len())?;
    run(j, s, Heavy::from(with.numbers()), g, [m, &mut *p]);
    contract!(momentum, Ok(()), &Call::new(&[g], p))
}

#[inline]
pub(crate) fn adagrad_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    with: Adagrad<T>,
    g: &[T],
    v: &mut [T],
    p: &mut [T],
) -> Result<(), Error> {
    same_len("v", g.len(), v.len())?;
    same_len("p", g.len(), p.len())?;
    let Adagrad { lr, eps, weight_decay: decay } = with;
    not_negative("eps", eps)?;
    run(j, s, Adaptive { lr, eps, decay }, g, [v, &mut *p]);
    contract!(adagrad, Ok(()), &Call::new(&[g], p))
}

/// Checks, and runs either form of Adam.
#[inline]
fn moments<J: Executor, S: Simd, T: Element, const DECOUPLED: bool>(
    j: J,
    s: S,
    with: Adam<T>,
    g: &[T],
    y: [&mut [T]; 3],
) -> Result<(), Error> {
    for (arg, y) in ["m", "v", "p"].into_iter().zip(&y) {
        same_len(arg, g.len(), y.len())?;
    }
    with.check()?;
    run(j, s, Moments::<T, DECOUPLED> { with, unbias: with.unbias() }, g, y);
    Ok(())
}

#[inline]
pub(crate) fn adam_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    with: Adam<T>,
    g: &[T],
    m: &mut [T],
    v: &mut [T],
    p: &mut [T],
) -> Result<(), Error> {
    moments::<_, _, _, false>(j, s, with, g, [m, v, &mut *p])?;
    contract!(adam, Ok(()), &Call::new(&[g], p))
}

#[inline]
pub(crate) fn adamw_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    with: Adam<T>,
    g: &[T],
    m: &mut [T],
    v: &mut [T],
    p: &mut [T],
) -> Result<(), Error> {
    moments::<_, _, _, true>(j, s, with, g, [m, v, &mut *p])?;
    contract!(adamw, Ok(()), &Call::new(&[g], p))
}

#[inline]
pub(crate) fn clip_by_norm_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    max_norm: T,
    g: &mut [T],
) -> Result<T, Error> {
    not_negative("max_norm", max_norm)?;
    let norm = norm_l2_by(j, s, g);
    let within = norm <= max_norm;
    // Nor when it is NaN.
    if !within {
        s.vectorize(
            #[inline(always)]
            || drive::map_in_place(j, s, Scale(max_norm / norm), g),
        );
    }
    // NaN in the norm, and everywhere.
    contract!(clip_by_norm, Ok(norm), each | check | check(&Call::new(&[&[norm, norm]], g)))
}
