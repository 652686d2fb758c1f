//! Similarity of rows, and negative log-likelihood.

use super::super::device::{Computes, Device, Error};
use super::super::template::score;
use super::ops::{Done, Scalar, called};
use super::{Gpu, View, ViewMut};
use crate::error::{not_empty, same_len};
use crate::parts::count;
use alloc::vec;

impl<D: Device> Gpu<D> {
    /// [`cosine_similarity_rows`](crate::cosine_similarity_rows())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    pub fn cosine_similarity_rows<T: Scalar>(
        &self,
        query: View<'_, T, D>,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(cosine_similarity_rows, {
            not_empty("query", query.len())?;
            let rows = count("x", x.len(), query.len())?;
            same_len("out", rows, out.len())?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len())?;
            if rows == 0 {
                return Ok(());
            }
            let bound = [query.binding(self)?, x.binding(self)?, out.binding(self)?];
            let words = [rows, query.len()];
            let make = score::cosine_similarity_rows::<T::Recorded>;
            self.run_blocks::<T>("cosine_similarity_rows", make, [rows, 1], &bound, (&words, &[]))
        })
    }

    fn classes<T: Scalar>(
        &self,
        [rows, cols]: [usize; 2],
        targets: View<'_, u32, D>,
        weights: Option<View<'_, T, D>>,
        smoothing: T,
    ) -> Result<[T; 3], Error>
    where
        D: Computes<T>,
    {
        same_len("targets", rows, targets.len())?;
        if let Some(weights) = weights {
            same_len("weights", cols, weights.len())?;
        }
        if !(smoothing >= T::ZERO && smoothing <= T::ONE) {
            return Err(crate::Error::must_be("smoothing", "between 0 and 1").into());
        }
        Ok([T::ONE - smoothing, smoothing / T::from_usize(cols), smoothing])
    }

    /// [`nll`](crate::nll()), its classes counted by `weights` and `smoothing`.
    ///
    /// # Errors
    /// Those of the op, but for targets that are no classes: these are [`Error::Index`] of a later [`Gpu::download`].
    /// [`Error::Limit`], [`Error::Lost`].
    pub fn nll<T: Scalar>(
        &self,
        (weights, smoothing): (Option<View<'_, T, D>>, T),
        x: View<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        losses: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(nll, {
            let rows = count("x", x.len(), cols)?;
            let numbers = self.classes([rows, cols], targets, weights, smoothing)?;
            same_len("losses", rows, losses.len())?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len())?;
            if rows == 0 {
                return Ok(());
            }
            let mut bound =
                vec![x.binding(self)?, targets.binding(self)?, losses.binding(self)?, self.status()?];
            if let Some(weights) = weights {
                bound.push(weights.binding(self)?);
            }
            let (told, weighted) = ((&[rows, cols][..], &numbers[..]), weights.is_some());
            if smoothing == T::ZERO {
                let op = if weighted { "nll_weighted" } else { "nll" };
                return self.run_flat::<T>(op, || score::nll::<T::Recorded>(weighted), rows, &bound, told);
            }
            let op = if weighted { "nll_smooth_weighted" } else { "nll_smooth" };
            let make = |meet| score::nll_smooth::<T::Recorded>(meet, weighted);
            self.run_blocks::<T>(op, make, [rows, 1], &bound, told)
        })
    }

    /// [`nll_backward`](crate::nll_backward()), its classes counted by `weights` and `smoothing`.
    ///
    /// # Errors
    /// As [`Gpu::nll`].
    pub fn nll_backward<T: Scalar>(
        &self,
        (weights, smoothing): (Option<View<'_, T, D>>, T),
        targets: View<'_, u32, D>,
        cols: usize,
        scale: T,
        dx: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(nll_backward, {
            let rows = count("dx", dx.len(), cols)?;
            let [own, each, smoothing] = self.classes([rows, cols], targets, weights, smoothing)?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("dx", dx.len())?;
            if rows == 0 {
                return Ok(());
            }
            let mut bound = vec![targets.binding(self)?, dx.binding(self)?, self.status()?];
            if let Some(weights) = weights {
                bound.push(weights.binding(self)?);
            }
            let weighted = weights.is_some();
            let op = if weighted { "nll_backward_weighted" } else { "nll_backward" };
            let words = [dx.len(), cols];
            let make = || score::nll_backward::<T::Recorded>(weighted);
            self.run_flat::<T>(op, make, dx.len(), &bound, (&words, &[own, each, smoothing, scale]))
        })
    }
}
