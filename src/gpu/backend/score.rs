//! Row ops that select, compare or score (top-k, similarity, NLL), and scans.

use super::super::device::{Computes, Device, Error};
use super::super::template::integers::Sample;
use super::super::template::score;
use super::ops::{Done, Scalar, called};
use super::plan::wide;
use super::{Gpu, View, ViewMut};
use crate::backend::Analysis;
use crate::error::{not_empty, same_len};
use crate::parts::count;
use alloc::vec;

impl<D: Device> Gpu<D> {
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
}

impl<T: Scalar, D: Computes<T>> Analysis<T> for Gpu<D> {
    /// [`cosine_similarity_rows`](crate::cosine_similarity_rows())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn cosine_similarity_rows(
        &self,
        query: View<'_, T, D>,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
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

    /// [`cumsum`](crate::cumsum()), but for the order of the additions: by tiles, whose threads scan the sums of their
    /// elements, so that the bits differ from a CPU's and depend on the number of columns, and of few, long rows on that of
    /// rows and on the device. No sum has a term that is behind its element, and the error keeps the same bound.
    ///
    /// Rows of up to 32 columns have a thread each, longer ones threads of a warp or a block; where there are so few rows that
    /// blocks share them, a first launch adds up the parts of rows and a second one scans them.
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn cumsum(&self, x: View<'_, T, D>, cols: usize, out: ViewMut<'_, T, D>) -> Done {
        called!(cumsum, {
            let rows = count("x", x.len(), cols)?;
            same_len("out", x.len(), out.len())?;
            let bound = [x.binding(self)?, out.binding(self)?];
            let plan = self.state.planner.running::<T::Recorded>([rows, cols], wide(&bound))?;
            self.run(&plan, &bound)
        })
    }

    /// [`nll`](crate::nll())
    ///
    /// # Errors
    /// Those of the op, but for targets that are no classes: these are [`Error::Index`] of a later [`Gpu::download`].
    /// [`Error::Limit`], [`Error::Lost`].
    fn nll(
        &self,
        weights: Option<View<'_, T, D>>,
        smoothing: T,
        x: View<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        losses: ViewMut<'_, T, D>,
    ) -> Done {
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

    /// [`nll_backward`](crate::nll_backward())
    ///
    /// # Errors
    /// As [`nll`](crate::nll()).
    fn nll_backward(
        &self,
        weights: Option<View<'_, T, D>>,
        smoothing: T,
        targets: View<'_, u32, D>,
        cols: usize,
        scale: T,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
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

    /// [`u8_to_float`](crate::u8_to_float())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn u8_to_float(
        &self,
        x: View<'_, u8, D>,
        scale: View<'_, T, D>,
        offset: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(u8_to_float, { self.samples(Sample::U8, x, [scale, offset], &out) })
    }

    /// [`i16_to_float`](crate::i16_to_float())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn i16_to_float(
        &self,
        x: View<'_, i16, D>,
        scale: View<'_, T, D>,
        offset: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(i16_to_float, { self.samples(Sample::I16, x, [scale, offset], &out) })
    }
}
