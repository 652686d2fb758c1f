//! Compiles a body (formula) that the caller writes to a kernel, once, and launches it.

use super::super::device::{Computes, Device, Error, Program};
use super::super::record::Recorded;
use super::super::template::{self, Argument};
use super::ops::{Done, Scalar, bits};
use super::plan::{Plan, Planner, counted, wide};
use super::{Gpu, View, ViewMut};
use crate::alu::{Body, Formula};
use crate::pointwise::arg;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::any::TypeId;

impl<D: Device> Gpu<D> {
    /// `out[i] = body(x₀[i], x₁[i], …)` by a kernel that is made of the formula once: as [`map`](crate::map()).
    pub fn map<F: Formula<P, N>, T: Scalar, const P: usize, const N: usize>(
        &self,
        _: F,
        parameters: [T; P],
        x: [View<'_, T, D>; N],
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        F::body(parameters).check()?;
        let (mut k, parameters) = (0..N, parameters.map(bits));
        let x = x.map(|x| (k.next().map_or("x", arg), x));
        self.elementwise(x, out, |operands, n, wide| {
            self.state.planner.formula::<F, T::Recorded, P, N>(operands, n, &parameters, wide)
        })
    }

    /// `x[i] = body(x[i])`: as [`map_in_place`](crate::map_in_place()).
    pub fn map_in_place<F: Formula<P, 1>, T: Scalar, const P: usize>(
        &self,
        _: F,
        parameters: [T; P],
        x: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        F::body(parameters).check()?;
        let (n, parameters, bound) = (x.len(), parameters.map(bits), [x.binding(self)?]);
        let wide = wide(&bound);
        self.pieces([n, size_of::<T>()], 1, &bound, |n| {
            self.state.planner.formula::<F, T::Recorded, P, 1>(&[0, 0], n, &parameters, wide)
        })
    }
}

impl Planner {
    /// As [`Planner::pointwise`], of a formula.
    ///
    /// # Errors
    /// `Overflow`, [`Error::Limit`], [`Error::Kernel`] where its name is none of a kernel.
    pub fn formula<F: Formula<P, N>, T: Recorded, const P: usize, const N: usize>(
        &self,
        operands: &[usize],
        n: usize,
        parameters: &[u64],
        wide: bool,
    ) -> Result<Plan, Error> {
        let (asked, available) = (operands.len() as u64, u64::from(self.limits.bindings));
        if asked > available {
            return Err(Error::Limit {
                device: self.device.clone(),
                what: "buffers of a kernel",
                asked,
                available,
            });
        }
        self.each::<T>(operands, n, parameters, wide, |wide| {
            let key = (TypeId::of::<F>(), T::TYPE.bytes(), wide);
            if let Some(program) = self.formulas.borrow().get(&key) {
                return Ok(Arc::clone(program));
            }
            let kernel = template::formula::<F, T, P, N>(wide);
            let program = kernel.map(|k| self.program(k));
            let program = program.map_err(|error| Error::Kernel { kernel: F::NAME.to_string(), error })?;
            self.formulas.borrow_mut().insert(key, Arc::clone(&program));
            Ok(program)
        })
    }

    /// A kernel over `n` elements: the operands' bindings, their number, parameters.
    pub(super) fn each<T: Recorded>(
        &self,
        operands: &[usize],
        n: usize,
        parameters: &[u64],
        wide: bool,
        program: impl FnOnce(bool) -> Result<Arc<Program>, Error>,
    ) -> Result<Plan, Error> {
        let count = counted("x", n)?;
        self.reach(n, T::TYPE.bytes())?;
        if n == 0 {
            return Ok(Plan { launches: Vec::new(), scratch: Vec::new() });
        }
        let mut arguments = Vec::with_capacity(operands.len() + 1 + parameters.len());
        arguments.extend(operands.iter().map(|k| Argument::Buffer(*k)));
        arguments.push(Argument::Bits(u64::from(count)));
        arguments.extend(parameters.iter().map(|p| Argument::Bits(*p)));
        let launch = self.elements::<T>((wide, 1), program, n, arguments)?;
        Ok(Plan { launches: vec![launch], scratch: Vec::new() })
    }
}
