//! Cross-entropy of rows of logits with target classes, its gradient, and both in one pass.

use super::softmax::{ExpShiftedScaled, peak_and_sum, shift_of};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::inout::InOut;
use crate::lanes::{Element, Simd};
use crate::parts::{Change, Read, Write, count, each_row};

/// The target of a row that does not count.
pub const IGNORED: u32 = u32::MAX;

ops! { $ losses_ops in crate::nn::losses;
    /// `losses[r] = lse[r] − logits[r][targets[r]]`, `lse[r] = ln Σ e^logits[r][k]`: the negative logarithm of the
    /// probability that [`softmax`](crate::softmax()) gives to the target.
    ///
    /// Shapes and units: `logits` holds whole rows of `cols` elements; `targets`, `losses` and `lse` have one element for
    /// each row. The row is shifted by its largest element. Nothing is averaged: divide the sum by the number of
    /// targets that count. `lse` is what [`cross_entropy_backward`](crate::cross_entropy_backward()) needs.
    ///
    /// NaN and ±0: a row with NaN or +inf gives NaN. A target whose logit is -inf has the loss +inf. A row with target
    /// `u32::MAX` is not read: its loss and `lse` are 0.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `logits` does not hold whole rows, [`Error::Len`]
    /// when `targets`, `losses` or `lse` has another length, [`Error::Index`] when a target is neither below `cols` nor
    /// `u32::MAX`. Scratch: none.
    ///
    /// ```
    /// let (mut losses, mut lse) = ([0.0f64; 2], [0.0; 2]);
    /// fulmen::cross_entropy(&[3.0, 3.0, 0.0, f64::NAN], &[1, u32::MAX], 2, &mut losses, &mut lse)?;
    /// assert!((losses[0] - core::f64::consts::LN_2).abs() < 1e-15 && losses[1] == 0.0);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Blanchard, Higham, Higham, *Accurately computing the log-sum-exp and softmax functions* (2021).
    /// Contract: `contracts/cross_entropy-v1.yaml`.
    #[doc(alias = "softmax_with_cross_entropy")]
    threads cross_entropy, cross_entropy_on, cross_entropy_by
        (logits: in T, targets: in u32, cols: by usize, losses: out T, lse: out T) -> Result<()>;

    /// `dlogits[r][k] = (e^(logits[r][k] − lse[r]) − [k = targets[r]])·scale`: the gradient of the sum of the losses of
    /// [`cross_entropy`](crate::cross_entropy()), times `scale`, which is 1 / (targets that count) for their mean.
    ///
    /// Shapes and units: `logits` and `dlogits` hold whole rows of `cols` elements; `targets` and `lse` have one element for
    /// each row, `lse` as [`cross_entropy`](crate::cross_entropy()) gives it.
    ///
    /// NaN and ±0: a row whose `lse` is NaN becomes NaN. A row with target `u32::MAX` gets zeros.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `logits` does not hold whole rows, [`Error::Len`]
    /// when `targets`, `lse` or `dlogits` has another length, [`Error::Index`] when a target is neither below `cols` nor
    /// `u32::MAX`. Scratch: none.
    ///
    /// ```
    /// let (logits, targets) = ([3.0f32, 3.0], [1]);
    /// let (mut losses, mut lse, mut dlogits) = ([0.0], [0.0], [0.0; 2]);
    /// fulmen::cross_entropy(&logits, &targets, 2, &mut losses, &mut lse)?;
    /// fulmen::cross_entropy_backward(&logits, &targets, &lse, 2, 1.0, &mut dlogits)?;
    /// assert!((dlogits[0] - 0.5).abs() < 1e-6 && (dlogits[1] + 0.5).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/cross_entropy_backward-v1.yaml`.
    threads cross_entropy_backward, cross_entropy_backward_on, cross_entropy_backward_by
        (logits: in T, targets: in u32, lse: in T, cols: by usize, scale: by T, dlogits: out T) -> Result<()>;

    /// [`cross_entropy`](crate::cross_entropy()), and over its logits
    /// [`cross_entropy_backward`](crate::cross_entropy_backward()): the losses and their gradient while a row is near, with the
    /// bits of the two.
    ///
    /// Shapes and units: `logits` holds whole rows of `cols` elements, and then the gradient of the sum of the losses times
    /// `scale`, which is 1 / (targets that count) for their mean; `targets` and `losses` have one element for each row.
    ///
    /// NaN and ±0: a row with NaN or +inf has the loss NaN, and its gradient is NaN. A target whose logit is -inf has the loss
    /// +inf. A row with target `u32::MAX` is not read: its loss is 0, and its gradient zeros.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `logits` does not hold whole rows, [`Error::Len`]
    /// when `targets` or `losses` has another length, [`Error::Index`] when a target is neither below `cols` nor `u32::MAX`.
    /// Scratch: none.
    ///
    /// ```
    /// let (mut logits, mut losses) = ([3.0f32, 3.0], [0.0]);
    /// fulmen::cross_entropy_with_gradient(&mut logits, &[1], 2, 1.0, &mut losses)?;
    /// assert!((losses[0] - core::f32::consts::LN_2).abs() < 1e-6);
    /// assert!((logits[0] - 0.5).abs() < 1e-6 && (logits[1] + 0.5).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: P. Hsu and others, *Liger Kernel: Efficient Triton Kernels for LLM Training* (2024), arXiv:2410.10989.
    /// Contract: `contracts/cross_entropy_with_gradient-v1.yaml`.
    threads cross_entropy_with_gradient, cross_entropy_with_gradient_on, cross_entropy_with_gradient_by
        (logits: inout T, targets: in u32, cols: by usize, scale: by T, losses: out T) -> Result<()>;

    /// [`cross_entropy_backward`] over its logits.
    threads cross_entropy_backward_in_place, cross_entropy_backward_in_place_on, cross_entropy_backward_in_place_by
        (logits: inout T, targets: in u32, lse: in T, cols: by usize, scale: by T) -> Result<()>;
}

/// `Ok` when there is a target for each row, and each chooses a column or none.
#[inline]
pub(super) fn check_targets(rows: usize, cols: usize, targets: &[u32]) -> Result<(), Error> {
    same_len("targets", rows, targets.len())?;
    match targets.iter().find(|t| **t != IGNORED && **t as usize >= cols) {
        Some(&t) => Err(Error::index("targets", t as usize, cols)),
        None => Ok(()),
    }
}

/// The loss of a row and its `lse`.
#[inline(always)]
fn of_row<S: Simd, T: Element>(s: S, z: &[T], target: u32) -> (T, T) {
    match z.get(target as usize) {
        Some(at) if target != IGNORED => {
            let [peak, sum] = peak_and_sum(Serial, s, z);
            if sum == T::ZERO {
                return (T::INFINITY, -T::INFINITY);
            }
            let log_sum = T::from_f64(libm::log(sum.to_f64()));
            let shift = shift_of(peak);
            // The difference of two logits before anything is added to it.
            (log_sum - (*at - shift), shift + log_sum)
        }
        _ => (T::ZERO, T::ZERO),
    }
}

/// Writes the gradient of a row to where `z` says.
#[inline(always)]
fn slope_of_row<S: Simd, T: Element>(s: S, z: &mut InOut<'_, T>, target: u32, lse: T, scale: T) {
    if target == IGNORED {
        z.output().fill(T::ZERO);
        return;
    }
    z.map(Serial, s, ExpShiftedScaled(shift_of(lse), scale));
    if let Some(at) = z.output().get_mut(target as usize) {
        *at = *at - scale;
    }
}

#[inline]
pub(crate) fn cross_entropy_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    logits: &[T],
    targets: &[u32],
    cols: usize,
    losses: &mut [T],
    lse: &mut [T],
) -> Result<(), Error> {
    type Row<'a, T> = (Read<'a, T>, Read<'a, u32>, Write<'a, T>, Write<'a, T>);
    let rows = count("logits", logits.len(), cols)?;
    check_targets(rows, cols, targets)?;
    same_len("losses", rows, losses.len())?;
    same_len("lse", rows, lse.len())?;
    let parts = (Read(logits, cols), Read(targets, 1), Write(&mut *losses, 1), Write(lse, 1));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(z, target, loss, lse): Row<'_, T>| {
            let ([target], [loss], [lse]) = (target.0, loss.0, lse.0) else { return };
            (*loss, *lse) = of_row(s, z.0, *target);
        },
    );
    contract!(
        cross_entropy,
        Ok(()),
        each | check | {
            let counts = logits.chunks_exact(cols).zip(losses.chunks_exact(1)).zip(targets);
            counts
                .filter(|(_, t)| **t != IGNORED)
                .try_for_each(|((z, loss), _)| check(&Call::new(&[z], loss)))
        }
    )
}

/// Writes the gradient to where `z` says.
#[inline]
fn gradient<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    z: InOut<'_, T>,
    (targets, lse): (&[u32], &[T]),
    cols: usize,
    scale: T,
) -> Result<(), Error> {
    type Row<'a, T> = (Change<'a, T>, Read<'a, u32>, Read<'a, T>);
    let rows = count("logits", z.len(), cols)?;
    check_targets(rows, cols, targets)?;
    same_len("lse", rows, lse.len())?;
    let parts = (Change(z, cols), Read(targets, 1), Read(lse, 1));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(mut z, target, lse): Row<'_, T>| {
            let ([target], [lse]) = (target.0, lse.0) else { return };
            slope_of_row(s, &mut z.0, *target, *lse, scale);
        },
    );
    Ok(())
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn cross_entropy_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    logits: &[T],
    targets: &[u32],
    lse: &[T],
    cols: usize,
    scale: T,
    dlogits: &mut [T],
) -> Result<(), Error> {
    // The number of rows first, so that a wrong `dlogits` is named as such.
    count("logits", logits.len(), cols)?;
    same_len("dlogits", logits.len(), dlogits.len())?;
    gradient(j, s, InOut::new(logits, dlogits), (targets, lse), cols, scale)?;
    contract!(
        cross_entropy_backward,
        Ok(()),
        each | check | {
            let rows = logits.chunks_exact(cols).zip(dlogits.chunks_exact(cols)).zip(targets);
            rows.filter(|(_, t)| **t != IGNORED).try_for_each(|((z, dz), _)| check(&Call::new(&[z], dz)))
        }
    )
}

#[inline]
pub(crate) fn cross_entropy_backward_in_place_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    logits: &mut [T],
    targets: &[u32],
    lse: &[T],
    cols: usize,
    scale: T,
) -> Result<(), Error> {
    gradient(j, s, InOut::in_place(logits), (targets, lse), cols, scale)
}

#[inline]
pub(crate) fn cross_entropy_with_gradient_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    logits: &mut [T],
    targets: &[u32],
    cols: usize,
    scale: T,
    losses: &mut [T],
) -> Result<(), Error> {
    type Row<'a, T> = (Change<'a, T>, Read<'a, u32>, Write<'a, T>);
    let rows = count("logits", logits.len(), cols)?;
    check_targets(rows, cols, targets)?;
    same_len("losses", rows, losses.len())?;
    let parts = (Change(InOut::in_place(&mut *logits), cols), Read(targets, 1), Write(&mut *losses, 1));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(mut z, target, loss): Row<'_, T>| {
            let ([target], [loss]) = (target.0, loss.0) else { return };
            let lse;
            (*loss, lse) = of_row(s, z.0.input(), *target);
            slope_of_row(s, &mut z.0, *target, lse, scale);
        },
    );
    contract!(
        cross_entropy_with_gradient,
        Ok(()),
        each | check | {
            // A loss that is no number has a row of them.
            let rows = losses.chunks_exact(1).zip(logits.chunks_exact(cols));
            rows.into_iter().try_for_each(|(loss, dz)| check(&Call::new(&[loss], dz)))
        }
    )
}
