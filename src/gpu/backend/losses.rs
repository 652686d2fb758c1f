//! Cross-entropy on devices, its gradient, and both at once.

use super::super::device::{Binding, Computes, Device};
use super::super::template::{Argument, OfRow, Pieces, Threads, layer};
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
    fn logits<T: OfRow>(&self, [rows, cols]: [usize; 2], aligned: bool) -> ((Threads, Pieces), bool) {
        match self.holding::<T>([rows, cols], aligned) {
            Some(by) => (by, false),
            None if self.by_pieces::<T>(cols, aligned) => (LONG_LOSS, true),
            None => ((self.reading(cols), Pieces::NONE), false),
        }
    }
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
        let rows = count("logits", logits.len(), cols)?;
        same_len("targets", rows, targets.len())?;
        same_len("losses", rows, losses.len())?;
        same_len("lse", rows, lse.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("logits", logits.len())?;
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
        let rows = count("logits", z_len, cols)?;
        if let Some(out) = out {
            same_len("dlogits", z_len, out.len())?;
        }
        same_len("targets", rows, targets.len())?;
        same_len("lse", rows, lse.len())?;
        self.state.planner.line::<T::Recorded>("logits", z_len)?;
        if z_len == 0 {
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
        let planner = &self.state.planner;
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
        let rows = count("logits", logits.len(), cols)?;
        same_len("targets", rows, targets.len())?;
        same_len("losses", rows, losses.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("logits", logits.len())?;
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
