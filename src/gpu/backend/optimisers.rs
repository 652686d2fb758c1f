//! Optimiser steps on devices.

use super::super::device::{Computes, Device};
use super::super::template::flat;
use super::ops::{Done, Scalar, arguments};
use super::plan::wide;
use super::{Gpu, Plan, View, ViewMut};
use crate::Adam;
use crate::alu::not_negative;
use crate::backend::Reductions;
use crate::error::same_len;
use alloc::vec;

impl<D: Device> Gpu<D> {
    /// A step of an optimiser.
    pub(super) fn step<T: Scalar, const K: usize>(
        &self,
        op: &'static str,
        numbers: &[T],
        g: View<'_, T, D>,
        y: [(&'static str, ViewMut<'_, T, D>); K],
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = g.len();
        let mut bound = vec![g.binding(self)?];
        for (arg, y) in &y {
            same_len(arg, n, y.len())?;
            bound.push(y.binding(self)?);
        }
        if n == 0 {
            return Ok(());
        }
        let wide = wide(&bound);
        self.pieces([n, size_of::<T>()], K + 1, &bound, |n| {
            self.state.planner.line::<T::Recorded>("g", n)?;
            let arguments = arguments(K + 1, &[n], numbers);
            let make = |wide| flat::optimiser::<T::Recorded>(op, wide);
            let launch = self.state.planner.map::<T::Recorded>(op, wide, make, n, arguments)?;
            Ok(Plan { launches: vec![launch], scratch: vec![] })
        })
    }

    /// A step of either form of Adam.
    pub(super) fn step_of_adam<T: Scalar>(
        &self,
        op: &'static str,
        with: Adam<T>,
        g: View<'_, T, D>,
        y: [(&'static str, ViewMut<'_, T, D>); 3],
    ) -> Done
    where
        D: Computes<T>,
    {
        for (arg, y) in &y {
            same_len(arg, g.len(), y.len())?;
        }
        with.check()?;
        let [c1, c2] = with.unbias();
        let numbers = [with.lr, with.beta1, with.beta2, with.eps, with.weight_decay, c1, c2];
        self.step(op, &numbers, g, y)
    }

    /// The norm, and `g` no longer than it may be.
    pub(super) fn clip<T: Scalar>(
        &self,
        max_norm: T,
        g: ViewMut<'_, T, D>,
        mut norm: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        not_negative("max_norm", max_norm)?;
        same_len("out", 1, norm.len())?;
        self.norm_l2(g.read(), norm.lend())?;
        let n = g.len();
        if n == 0 {
            return Ok(());
        }
        let bound = [g.binding(self)?, norm.binding(self)?];
        self.run_flat::<T>("clip_by_norm", flat::clip::<T::Recorded>, n, &bound, (&[n], &[max_norm]))
    }
}
