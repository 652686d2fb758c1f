//! Padding, gather and scatter along an axis: a thread for each element of the result.

use super::super::device::{Computes, Device};
use super::super::template::tensor::{self, Around};
use super::ops::{Done, Scalar, arguments, called};
use super::{Gpu, View, ViewMut};
use crate::Pad;
use crate::einsum::gather::Axis;
use crate::einsum::pad::Frame;
use crate::error::same_len;
use alloc::vec;

impl<D: Device> Gpu<D> {
    /// [`pad`](crate::pad())
    ///
    /// # Errors
    /// Those of [`pad`](crate::pad()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    pub fn pad<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        padding: &[[usize; 2]],
        with: Pad<T>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(pad, {
            let (frame, [of_x, of_out]) = Frame::new(shape, padding, &with)?;
            same_len("x", of_x, x.len())?;
            same_len("out", of_out, out.len())?;
            let (around, value) = match with {
                Pad::Constant(value) => (Around::Constant, value),
                Pad::Edge => (Around::Edge, T::ZERO),
                Pad::Reflect => (Around::Reflect, T::ZERO),
                Pad::Wrap => (Around::Wrap, T::ZERO),
            };
            let planner = &self.state.planner;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            if x.is_empty() {
                return self.fill(value, out);
            }
            // All axes behind the last one that grows are one.
            let mut words = vec![frame.inner, frame.inner, 0, 1];
            let mut step = frame.inner;
            let outer = frame.outer.0.iter().copied().zip(frame.outer.1.iter().copied());
            for (n, [before, after]) in outer.chain([frame.axis]).rev() {
                words.splice(0..0, [before + n + after, n, before, step]);
                step *= n;
            }
            let axes = (words.len() / 4) as u32;
            words.insert(0, out.len());
            let all = arguments::<T>(2, &words, &[value]);
            let make = || Some(tensor::padded::<T::Recorded>(axes, around));
            let launch =
                planner.flat_by::<T::Recorded>("pad", 4 * axes + around as u32, make, out.len(), all)?;
            self.run_one(launch, &[x.binding(self)?, out.binding(self)?])
        })
    }

    /// [`gather`](crate::gather()). What an index past the axis chooses is zeros, and the next download says so.
    ///
    /// # Errors
    /// Those of [`gather`](crate::gather()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    pub fn gather<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        axis: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(gather, {
            let axis = Axis::new(shape, axis, [x.len(), ids.len(), out.len()])?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [out.len(), ids.len(), axis.n, axis.inner];
            self.run_flat::<T>("gather", tensor::gather::<T::Recorded>, out.len(), &bound, (&words, &[]))
        })
    }

    /// [`gather_elements`](crate::gather_elements()). What an index past the axis chooses is zeros, and the next download says so.
    ///
    /// # Errors
    /// Those of [`gather_elements`](crate::gather_elements()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    pub fn gather_elements<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        axis: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(gather_elements, {
            let (of, many) = Axis::along(shape, axis, ("x", x.len()), ids.len(), ("out", out.len()))?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [out.len(), many, of.n, of.inner];
            let make = tensor::gather_elements::<T::Recorded>;
            self.run_flat::<T>("gather_elements", make, out.len(), &bound, (&words, &[]))
        })
    }

    /// [`scatter_add_elements`](crate::scatter_add_elements()). What an index past the axis names is added nowhere, and the next
    /// download says so.
    ///
    /// # Errors
    /// Those of [`scatter_add_elements`](crate::scatter_add_elements()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    pub fn scatter_add_elements<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        axis: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(scatter_add_elements, {
            let (of, many) = Axis::along(shape, axis, ("out", out.len()), ids.len(), ("x", x.len()))?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if x.is_empty() {
                return Ok(());
            }
            let threads = of.outer * of.inner;
            let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [threads, many, of.n, of.inner];
            let make = tensor::scatter_add_elements::<T::Recorded>;
            self.run_flat::<T>("scatter_add_elements", make, threads, &bound, (&words, &[]))
        })
    }
}
