//! The negative log-likelihood of target classes, from log-probabilities.

use super::losses::{IGNORED, check_targets};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd};
use crate::parts::{Read, Write, count, each_row};
use crate::pointwise::Scale;
use crate::reduce::{dot_by, sum_by};

/// How the classes count.
#[derive(Clone, Copy)]
struct Nll<'a, T> {
    weights: Option<&'a [T]>,
    smoothing: T,
}

impl<T: Element> Nll<'_, T> {
    fn check(&self, rows: usize, cols: usize, targets: &[u32]) -> Result<(), Error> {
        check_targets(rows, cols, targets)?;
        if let Some(weights) = self.weights {
            same_len("weights", cols, weights.len())?;
        }
        let share = self.smoothing >= T::ZERO && self.smoothing <= T::ONE;
        if share { Ok(()) } else { Err(Error::must_be("smoothing", "between 0 and 1")) }
    }

    /// What the target counts, and each class by itself, but for its weight.
    fn shares(&self, target: u32, cols: usize) -> [T; 2] {
        let weight = self.weights.map_or(T::ONE, |w| w.get(target as usize).copied().unwrap_or(T::ONE));
        [(T::ONE - self.smoothing) * weight, self.smoothing / T::from_usize(cols)]
    }
}

ops! { $ nll_ops in crate::nn::nll;
    /// `losses[r] = −(1 − ε)·w[t]·x[r][t] − ε/cols·Σ_k w[k]·x[r][k]`, `t = targets[r]`: the negative log-likelihood of the
    /// targets, given the logarithms `x` of probabilities, as [`log_softmax`](crate::log_softmax()) gives them. A class counts 1 where
    /// there are no `weights`; ε is `smoothing`, the share of the target that is spread evenly over all classes.
    ///
    /// Shapes and units: `x` holds whole rows of `cols` elements, `targets` and `losses` one element for each row, the
    /// weights `w` one for each class. Nothing is averaged: divide the sum by that of the targets' weights. With ε = 0 only
    /// the target's element of a row is read. On logits, without weights and smoothing,
    /// [`cross_entropy`](crate::cross_entropy()) does both steps in one.
    ///
    /// NaN and ±0: NaN where something is that is read. A row with target `u32::MAX` is not read: its loss is 0. A target of
    /// probability 0 has the loss +inf.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] of
    /// `targets`, `losses` or `weights`, [`Error::Index`] when a target is neither below `cols` nor `u32::MAX`,
    /// [`Error::Domain`] unless `0 ≤ smoothing ≤ 1`. Scratch: none.
    ///
    /// ```
    /// let (x, mut losses) = ([-0.5f32, -1.0, -2.0, -0.25], [0.0; 2]);
    /// fulmen::nll(None, 0.0, &x, &[1, 0], 2, &mut losses)?;
    /// assert_eq!(losses, [1.0, 2.0]);
    /// fulmen::nll(Some(&[1.0, 4.0]), 0.5, &x, &[1, 0], 2, &mut losses)?;
    /// assert_eq!(losses, [3.125, 1.75]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: C. Szegedy et al., *Rethinking the Inception Architecture* (2016), §7. Contract: `contracts/nll-v1.yaml`.
    threads nll, nll_on, nll_by (weights: opt_in T, smoothing: by T, x: in T, targets: in u32, cols: by usize, losses: out T) -> Result<()>;

    /// `dx[r][k] = −((1 − ε)·w[t]·[k = t] + ε/cols·w[k])·scale`, `t = targets[r]`: the gradient of the sum of the losses of
    /// [`nll`](crate::nll()), times `scale`. [`log_softmax_backward`](crate::log_softmax_backward()) takes it on to logits.
    ///
    /// Shapes and units: `dx` holds whole rows of `cols` elements, `targets` one element for each row.
    ///
    /// NaN and ±0: NaN where a weight is that counts. A row with target `u32::MAX` gets zeros.
    ///
    /// Errors: as [`nll`](crate::nll()), of `dx`. Scratch: none.
    ///
    /// ```
    /// let mut dx = [0.0f32; 2];
    /// fulmen::nll_backward(Some(&[1.0, 4.0]), 0.5, &[1], 2, 1.0, &mut dx)?;
    /// assert_eq!(dx, [-0.25, -3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the derivative. Contract: `contracts/nll_backward-v1.yaml`.
    threads nll_backward, nll_backward_on, nll_backward_by
        (weights: opt_in T, smoothing: by T, targets: in u32, cols: by usize, scale: by T, dx: out T) -> Result<()>;
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn nll_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    weights: Option<&[T]>,
    smoothing: T,
    x: &[T],
    targets: &[u32],
    cols: usize,
    losses: &mut [T],
) -> Result<(), Error> {
    type Row<'a, T> = (Read<'a, T>, Read<'a, u32>, Write<'a, T>);
    let with = Nll { weights, smoothing };
    let rows = count("x", x.len(), cols)?;
    with.check(rows, cols, targets)?;
    same_len("losses", rows, losses.len())?;
    each_row(
        j,
        s,
        cols,
        (Read(x, cols), Read(targets, 1), Write(&mut *losses, 1)),
        #[inline(always)]
        |(x, target, loss): Row<'_, T>| {
            let ([target], [loss]) = (target.0, loss.0) else { return };
            let [share, each] = with.shares(*target, cols);
            *loss = match x.0.get(*target as usize) {
                Some(at) if *target != IGNORED => {
                    // Not 0 times an infinity.
                    let own = if share == T::ZERO { T::ZERO } else { -(share * *at) };
                    if with.smoothing == T::ZERO {
                        own
                    } else {
                        // The lengths agree.
                        let all = with.weights.map_or_else(
                            || sum_by(Serial, s, x.0),
                            |w| dot_by(Serial, s, w, x.0).unwrap_or(T::ZERO),
                        );
                        own - each * all
                    }
                }
                _ => T::ZERO,
            };
        },
    );
    contract!(
        nll,
        Ok(()),
        each | check | {
            let counts = x.chunks_exact(cols).zip(losses.chunks_exact(1)).zip(targets);
            let read = |(x, t): (&[T], u32)| x.get(t as usize).copied().unwrap_or(T::ZERO);
            counts
                .filter(|(_, t)| **t != IGNORED && with.shares(**t, cols)[0] != T::ZERO)
                .try_for_each(|((x, loss), t)| check(&Call::new(&[&[read((x, *t))]], loss)))
        }
    )
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn nll_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    weights: Option<&[T]>,
    smoothing: T,
    targets: &[u32],
    cols: usize,
    scale: T,
    dx: &mut [T],
) -> Result<(), Error> {
    type Row<'a, T> = (Read<'a, u32>, Write<'a, T>);
    let with = Nll { weights, smoothing };
    let rows = count("dx", dx.len(), cols)?;
    with.check(rows, cols, targets)?;
    each_row(
        j,
        s,
        cols,
        (Read(targets, 1), Write(&mut *dx, cols)),
        #[inline(always)]
        |(target, dx): Row<'_, T>| {
            let [target] = target.0 else { return };
            if *target == IGNORED {
                dx.0.fill(T::ZERO);
                return;
            }
            let [share, each] = with.shares(*target, cols);
            let each = -(each * scale);
            match with.weights {
                Some(weights) if with.smoothing != T::ZERO => {
                    crate::lanes::drive::map(Serial, s, Scale(each), [weights], dx.0);
                }
                _ if with.smoothing == T::ZERO => dx.0.fill(T::ZERO),
                _ => dx.0.fill(each),
            }
            if let Some(at) = dx.0.get_mut(*target as usize) {
                *at = *at - share * scale;
            }
        },
    );
    contract!(
        nll_backward,
        Ok(()),
        each | check | {
            let rows = dx.chunks_exact(cols).zip(targets).filter(|(_, t)| **t != IGNORED);
            rows.clone().try_for_each(|(dx, t)| match dx.get(*t as usize) {
                Some(at) => check(&Call::new(&[&with.shares(*t, cols)[..1]], &[*at])),
                None => Ok(()),
            })
        }
    )
}
