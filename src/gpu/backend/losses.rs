//! Cross-entropy and its gradient on devices, separately and fused.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::record::Recorded;
use super::super::template::{Argument, Pieces, Threads, layer};
use super::ops::{Done, Scalar, arguments};
use super::plan::{Planner, wide};
use super::{Gpu, View, ViewMut};
use crate::error::same_len;
use crate::parts::count;
use alloc::vec;

/// Threads of a row of logits that is not in registers: of rows that would take as many threads, or more, to hold.
const LONG_LOSS: (Threads, Pieces) = (Threads { block: 256, row: 256 }, Pieces::NONE);

impl Planner {
    /// The threads of rows of logits that are written, too, and whether they are read piece by piece.
    fn logits<T: Recorded>(&self, [rows, cols]: [usize; 2], aligned: bool) -> ((Threads, Pieces), bool) {
        match self.holding::<T>([rows, cols], aligned) {
            Some(by) => (by, false),
            None if self.by_pieces::<T>(cols, aligned) => (LONG_LOSS, true),
            None => ((self.reading(cols), Pieces::NONE), false),
        }
    }
}

/// The rows of `n` logits, of each of which every other operand has so many elements.
fn rows_of<T: Recorded>(
    planner: &Planner,
    n: usize,
    cols: usize,
    others: impl IntoIterator<Item = (&'static str, usize, usize)>,
) -> Result<usize, Error> {
    let rows = count("logits", n, cols)?;
    others.into_iter().try_for_each(|(arg, each, len)| same_len(arg, rows * each, len))?;
    planner.line::<T>("logits", n)?;
    Ok(rows)
}

impl<D: Device> Gpu<D> {
    /// `cross_entropy`.
    pub(super) fn entropy<T: Scalar>(
        &self,
        logits: View<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        losses: ViewMut<'_, T, D>,
        lse: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        let others = [("targets", 1, targets.len()), ("losses", 1, losses.len()), ("lse", 1, lse.len())];
        let rows = rows_of::<T::Recorded>(planner, logits.len(), cols, others)?;
        if rows == 0 {
            return Ok(());
        }
        let all = arguments::<T>(5, &[rows, cols], &[]);
        let z = [logits.binding(self)?];
        let pieces = planner.by_pieces::<T::Recorded>(cols, wide(&z));
        // Rows that would take all registers of a multiprocessor are read once piece by piece.
        let (op, by, wide) = match planner.holding::<T::Recorded>([rows, cols], wide(&z)) {
            Some((threads, _)) if threads.row >= LONG_LOSS.0.row => ("cross_entropy_wide", LONG_LOSS, true),
            None if pieces => ("cross_entropy_wide", LONG_LOSS, true),
            Some(by) => ("cross_entropy", by, false),
            None => ("cross_entropy", (Threads::BLOCK, Pieces::NONE), false),
        };
        let make = |meet, by| Some(layer::cross_entropy::<T::Recorded>(meet, by, wide));
        let launch = planner.by_rows::<T::Recorded>(op, make, by, rows, all)?;
        let others = [targets.binding(self)?, losses.binding(self)?, lse.binding(self)?, self.status()?];
        self.run_one(launch, &[&z[..], &others].concat())
    }

    /// The gradient of `cross_entropy`, from `z` to `out`.
    pub(super) fn entropy_slope<T: Scalar>(
        &self,
        (z, z_len): (Binding<'_, D::Buffer>, usize),
        targets: View<'_, u32, D>,
        lse: View<'_, T, D>,
        cols: usize,
        scale: T,
        out: Option<&ViewMut<'_, T, D>>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        let others = [("targets", 1, targets.len()), ("lse", 1, lse.len())];
        let others = out.map(|out| ("dlogits", cols, out.len())).into_iter().chain(others);
        let rows = rows_of::<T::Recorded>(planner, z_len, cols, others)?;
        if rows == 0 {
            return Ok(());
        }
        let mut all = arguments(4, &[rows, cols], &[scale]);
        // Over the logits, both are one buffer.
        if out.is_none()
            && let Some(to) = all.get_mut(3)
        {
            *to = Argument::Buffer(0);
        }
        let status = if out.is_some() { 4 } else { 3 };
        all.insert(4, Argument::Buffer(status));
        let mut bound = vec![z, targets.binding(self)?, lse.binding(self)?];
        if let Some(out) = out {
            bound.push(out.binding(self)?);
        }
        bound.push(self.status()?);
        let slopes = if out.is_some() { 3 } else { 0 };
        let aligned = wide(&[z]) && bound.get(slopes).is_some_and(|b| b.start.is_multiple_of(16));
        let (by, wide) = planner.logits::<T::Recorded>([rows, cols], aligned);
        let op = if wide { "cross_entropy_backward_wide" } else { "cross_entropy_backward" };
        let make = |meet, by| Some(layer::cross_entropy_backward::<T::Recorded>(meet, by, wide));
        let launch = planner.by_rows::<T::Recorded>(op, make, by, rows, all)?;
        self.run_one(launch, &bound)
    }

    /// `cross_entropy_with_gradient`.
    pub(super) fn entropy_and_slope<T: Scalar>(
        &self,
        logits: ViewMut<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        scale: T,
        losses: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        let others = [("targets", 1, targets.len()), ("losses", 1, losses.len())];
        let rows = rows_of::<T::Recorded>(planner, logits.len(), cols, others)?;
        if rows == 0 {
            return Ok(());
        }
        let all = arguments::<T>(4, &[rows, cols], &[scale]);
        let z = [logits.binding(self)?];
        let (by, wide) = planner.logits::<T::Recorded>([rows, cols], wide(&z));
        let op = if wide { "cross_entropy_with_gradient_wide" } else { "cross_entropy_with_gradient" };
        let make = |meet, by| Some(layer::cross_entropy_with_gradient::<T::Recorded>(meet, by, wide));
        let launch = planner.by_rows::<T::Recorded>(op, make, by, rows, all)?;
        let others = [targets.binding(self)?, losses.binding(self)?, self.status()?];
        self.run_one(launch, &[&z[..], &others].concat())
    }
}
