//! Row ops that select, compare or score (top-k, similarity, NLL), and scans.

use super::super::device::{Computes, Device, Error};
use super::super::template::integers::Sample;
use super::super::template::{Argument, score, vector};
use super::ops::{Done, Scalar, arguments};
use super::{Gpu, View, ViewMut};
use crate::backend::Analysis;
use crate::error::{not_empty, same_len};
use crate::parts::count;
use alloc::vec;

impl<D: Device> Gpu<D> {
    /// The `k` largest or smallest elements.
    pub(super) fn extremes<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        k: usize,
        values: ViewMut<'_, T, D>,
        indices: ViewMut<'_, u32, D>,
        largest: bool,
    ) -> Done
    where
        D: Computes<T>,
    {
        const CHUNK: usize = vector::TOP_CHUNK as usize;
        if k > x.len() {
            return Err(crate::Error::Domain { arg: "k" }.into());
        }
        same_len("values", k, values.len())?;
        same_len("indices", k, indices.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("x", x.len())?;
        if k == 0 {
            return Ok(());
        }
        // Operands: x, indices, values, then what each step chose.
        let (mut n, mut launches, mut scratch) = (x.len(), vec![], vec![]);
        let step = |from: Option<usize>, to: usize, last: bool, n: usize, chunk: usize| {
            let op = match (largest, from.is_some(), last) {
                (true, false, false) => "top_k_part",
                (true, true, false) => "top_k_merge",
                (true, false, true) => "top_k",
                (true, true, true) => "top_k_last",
                (false, false, false) => "bottom_k_part",
                (false, true, false) => "bottom_k_merge",
                (false, false, true) => "bottom_k",
                (false, true, true) => "bottom_k_last",
            };
            let values = if last { Some(2) } else { None };
            let buffers = [Some(0), Some(to), from, values].into_iter().flatten().map(Argument::Buffer);
            let all = buffers.chain(arguments::<T>(0, &[n, chunk, k], &[])).collect();
            let make = || Some(vector::top_k::<T::Recorded>(op, largest));
            planner.flat::<T::Recorded>(op, make, n, all)
        };
        let mut from = None;
        while n > CHUNK && 2 * k <= CHUNK {
            let to = 3 + scratch.len();
            launches.push(step(from, to, false, n, CHUNK)?);
            n = n / CHUNK * k + (n % CHUNK).min(k);
            scratch.push(4 * n as u64);
            from = Some(to);
        }
        launches.push(step(from, 1, true, n, n)?);
        self.go(launches, scratch, &[x.binding(self)?, indices.binding(self)?, values.binding(self)?])
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
            return Err(crate::Error::Domain { arg: "smoothing" }.into());
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
    }

    /// [`cumsum`](crate::cumsum()): a thread for each row, as its sums are made in order.
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn cumsum(&self, x: View<'_, T, D>, cols: usize, out: ViewMut<'_, T, D>) -> Done {
        let rows = count("x", x.len(), cols)?;
        same_len("out", x.len(), out.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("x", x.len())?;
        if rows == 0 {
            return Ok(());
        }
        let bound = [x.binding(self)?, out.binding(self)?];
        self.run_flat::<T>("cumsum", score::cumsum::<T::Recorded>, rows, &bound, (&[rows, cols], &[]))
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
        let rows = count("x", x.len(), cols)?;
        let numbers = self.classes([rows, cols], targets, weights, smoothing)?;
        same_len("losses", rows, losses.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("x", x.len())?;
        if rows == 0 {
            return Ok(());
        }
        let mut bound = vec![x.binding(self)?, targets.binding(self)?, losses.binding(self)?, self.status()?];
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
        self.samples(Sample::U8, x, [scale, offset], &out)
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
        self.samples(Sample::I16, x, [scale, offset], &out)
    }
}
