//! The state of an FIR filter over blocks of a signal: the last samples of the blocks before, followed by the block.

use crate::error::{Error, not_empty, same_len};
use crate::slices::split_mut;

/// The samples before a block, and the block.
pub(crate) struct Signal<'a, X> {
    pub state: &'a [X],
    pub x: &'a [X],
}

impl<X: Copy + Default> Signal<'_, X> {
    /// `n` samples from `at` on, counted from the first of the history; they are copied to `scratch` unless all lie in the block. Samples
    /// past the end of the block are 0.
    #[inline(always)]
    pub(crate) fn part<'b, const N: usize>(
        &'b self,
        at: usize,
        n: usize,
        scratch: &'b mut [X; N],
    ) -> &'b [X] {
        let inside = at.checked_sub(self.state.len()).and_then(|at| self.x.get(at..)?.get(..n));
        if let Some(part) = inside {
            return part;
        }
        let part = scratch.get_mut(..n).unwrap_or_default();
        let (before, x) = match self.state.get(at..) {
            Some(before) => (before, self.x),
            None => (<&[X]>::default(), self.x.get(at - self.state.len()..).unwrap_or_default()),
        };
        let (first, rest) = split_mut(part, before.len());
        first.iter_mut().zip(before).for_each(|(to, x)| *to = *x);
        let (second, behind) = split_mut(rest, x.len());
        second.iter_mut().zip(x).for_each(|(to, x)| *to = *x);
        behind.fill(X::default());
        part
    }
}

/// `Ok` when a finite impulse response of these taps can filter the block: the history has one sample less than there are taps, the block
/// is whole groups of `decimation` samples, and each group has its result.
pub(crate) fn check_fir<X>(
    taps: &[X],
    decimation: usize,
    signal: &Signal<'_, X>,
    out: &[X],
) -> Result<(), Error> {
    let Signal { state, x } = signal;
    not_empty("taps", taps.len())?;
    if decimation == 0 {
        return Err(Error::must_be("decimation", "at least 1"));
    }
    same_len("state", taps.len() - 1, state.len())?;
    if !x.len().is_multiple_of(decimation) {
        return Err(Error::rows("x", decimation, x.len()));
    }
    same_len("out", x.len() / decimation, out.len())
}

/// Moves the last samples of the block into the history, for the next block.
pub(crate) fn shift_history<X: Copy>(state: &mut [X], x: &[X]) {
    let kept = state.len().saturating_sub(x.len());
    state.copy_within(state.len() - kept.., 0);
    let new = state.get_mut(kept..).unwrap_or_default();
    for (to, x) in new.iter_mut().rev().zip(x.iter().rev()) {
        *to = *x;
    }
}
