//! Conversions of 8- and 16-bit integers to floats on devices.

use super::super::device::{Computes, Device};
use super::super::template::integers::{Sample, affine};
use super::ops::{Done, Scalar};
use super::{Gpu, View, ViewMut};
use crate::nn::int_to_float::pixels;

impl<D: Device> Gpu<D> {
    pub(super) fn samples<I, T: Scalar>(
        &self,
        of: Sample,
        x: View<'_, I, D>,
        [scale, offset]: [View<'_, T, D>; 2],
        out: &ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        pixels(x.len(), [scale.len(), offset.len()], out.len())?;
        self.state.planner.line::<T::Recorded>("x", x.len())?;
        if x.is_empty() {
            return Ok(());
        }
        let bound = [x.binding(self)?, scale.binding(self)?, offset.binding(self)?, out.binding(self)?];
        let words = [x.len(), scale.len(), x.before() / size_of::<I>()];
        self.run_flat::<T>(of.op(), || affine::<T::Recorded>(of), x.len(), &bound, (&words, &[]))
    }
}
