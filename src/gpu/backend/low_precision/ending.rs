//! Low-precision products with an epilogue (a bias and a formula): on warp groups the epilogue runs while the sums are
//! in registers, elsewhere it is a kernel of its own.

use super::super::super::device::{Computes, Device, Error, Launch, Program};
use super::super::super::ir::{Group, Kernel, Op};
use super::super::super::record::Recorded;
use super::super::super::template::launch::ZEROS;
use super::super::super::template::{self, Along, Argument, GroupTile};
use super::super::super::types::Type;
use super::super::ops::{Scalar, bits as number};
use super::super::plan::{Plan, Planner, counted};
use super::super::{Gpu, Mat, MatMut, Product, View, Word};
use super::{bits, renumber};
use crate::alu::{Body as _, Formula, Real as _};
use crate::error::same_len;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;

mod bytes;
#[cfg(feature = "half")]
mod floats;

/// What is added to each element of a product before its formula.
#[derive(Debug)]
pub enum Bias<'a, T, D: Device> {
    /// Nothing.
    None,
    /// One value for each row.
    Rows(View<'a, T, D>),
    /// One value for each column.
    Columns(View<'a, T, D>),
}

impl<'a, T: Word, D: Device> Bias<'a, T, D> {
    /// What it has a value for, and the values, if there are as many as a result of this shape needs.
    fn parts(self, [m, n]: [usize; 2]) -> Result<(Option<Along>, Option<View<'a, T, D>>), Error> {
        let (along, values, len) = match self {
            Self::None => return Ok((None, None)),
            Self::Rows(values) => (Along::Rows, values, m),
            Self::Columns(values) => (Along::Columns, values, n),
        };
        same_len("bias", len, values.len())?;
        Ok((Some(along), Some(values)))
    }
}

/// Where a bias stands among the arguments of a plan, until its number is known.
const BIAS: usize = ZEROS - 1;

/// Steps of a division, which is a routine.
const DIVISION: usize = 16;

type Made = Result<Kernel, super::super::super::Error>;

/// A tile, the operands, the result, which of them lie across, and whether blocks share a tile.
type Form = (GroupTile, Group, Type, [bool; 2], bool);

/// The end of a product, of a formula of any type.
pub(in super::super) struct Ending<'a> {
    of: TypeId,
    bias: Option<Along>,
    parameters: &'a [u64],
    /// Its kernel alone, of so many neighbours at a time.
    alone: fn(Option<Along>, u32) -> Made,
}

/// An end that products on warp groups may have in their kernel.
#[cfg_attr(not(feature = "half"), allow(dead_code, reason = "only floats have one"))]
pub(in super::super) struct Fused<'a> {
    end: Ending<'a>,
    kernel: fn(Form, Option<Along>) -> Made,
}

impl Ending<'_> {
    /// The further arguments of a kernel.
    pub(super) fn arguments(&self) -> impl Iterator<Item = Argument> {
        let bias = self.bias.map(|_| Argument::Buffer(BIAS));
        bias.into_iter().chain(self.parameters.iter().map(|p| Argument::Bits(*p)))
    }

    /// Makes the bias the operand behind C.
    fn behind(&self, plan: &mut Plan) {
        if self.bias.is_some() {
            renumber(&mut plan.launches, |k| match k {
                BIAS => 3,
                3..BIAS => k + 1,
                _ => k,
            });
        }
    }
}

impl Fused<'_> {
    /// As [`Ending::arguments`].
    pub(super) fn arguments(&self) -> impl Iterator<Item = Argument> {
        self.end.arguments()
    }
}

/// Refuses an `m` by `n` C of which the elements are more than a kernel counts.
fn reached([row_by, col_by]: [usize; 2], [m, n]: [usize; 2]) -> Result<(), Error> {
    let [down, across] = [(m, row_by), (n, col_by)].map(|(n, by)| n.saturating_sub(1).saturating_mul(by));
    counted("c", down.saturating_add(across)).map(|_| ())
}

impl Planner {
    /// The product on warp groups with this end; that of the transposes where it is `turned`.
    pub(super) fn ended(
        &self,
        Fused { end, kernel }: &Fused<'_>,
        op: &'static str,
        (tile, turned): (u32, bool),
        form: Form,
    ) -> Result<Arc<Program>, Error> {
        let bias = if turned { end.bias.map(Along::turned) } else { end.bias };
        self.ending((end.of, op, tile, bias), || kernel(form, bias)).map(|(program, _)| program)
    }

    /// The end of a product by a kernel of its own, of neighbours in 16 bytes where C allows it.
    fn end_alone<R: Recorded, T: Copy>(
        &self,
        product: &Product<T>,
        end: &Ending<'_>,
        aligned: bool,
    ) -> Result<Launch, Error> {
        let ([m, n, _], [.., strides]) = (product.sizes, product.strides);
        reached(strides, [m, n])?;
        let [row_by, col_by] = strides;
        let many = 16 / R::TYPE.bytes();
        let wide = aligned && col_by == 1 && [n, row_by].iter().all(|n| n.is_multiple_of(many as usize));
        let (bias, parameters) = end.arguments().partition::<Vec<_>, _>(|a| matches!(a, Argument::Buffer(_)));
        let mut arguments = bias;
        arguments.push(Argument::Buffer(2));
        arguments.extend([m.saturating_mul(n), n, row_by, col_by].map(bits));
        arguments.extend(parameters);
        let program = |wide| {
            let many = if wide { many } else { 1 };
            self.ending((end.of, R::Elem::NAME, many, end.bias), || (end.alone)(end.bias, many))
                .map(|(program, _)| program)
        };
        self.elements::<R>((wide, 2), program, m.saturating_mul(n), arguments)
    }

    /// The program of an end, and the steps of its kernel.
    fn ending(
        &self,
        key: (TypeId, &'static str, u32, Option<Along>),
        make: impl FnOnce() -> Made,
    ) -> Result<(Arc<Program>, usize), Error> {
        if let Some(made) = self.endings.borrow().get(&key) {
            return Ok(made.clone());
        }
        let program = make().map(|k| self.program(k));
        let program = program.map_err(|error| Error::Kernel { kernel: key.1.into(), error })?;
        let steps = program.kernel().weight(|op| if *op == Op::Div { DIVISION } else { 1 });
        let made = (program, steps);
        self.endings.borrow_mut().insert(key, made.clone());
        Ok(made)
    }
}

impl<D: Device> Gpu<D> {
    /// [`Gpu::gemm`], and of each element what a bias and a formula make of it, by a kernel behind the product: as
    /// [`gemm_with`](crate::gemm_with()) with [`Chain`](crate::Chain) of both.
    ///
    /// # Errors
    /// Those of [`Gpu::gemm`], [`Len`](crate::Error::Len) of `bias`, those of the formula's body.
    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a formula")]
    pub fn gemm_with<T: Scalar, F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
        bias: Bias<'_, T, D>,
        _: F,
        parameters: [T; P],
    ) -> Result<(), Error>
    where
        D: Computes<T>,
    {
        F::body(parameters).check()?;
        let [m, n] = c.0.shape;
        let (along, bias) = bias.parts([m, n])?;
        let parameters = parameters.map(number);
        let alone = template::epilogue::ended::<F, T::Recorded, P>;
        let end = Ending { of: TypeId::of::<F>(), bias: along, parameters: &parameters, alone };
        self.product_by(alpha, a, b, beta, c, bias, |planner, product, aligned| {
            let mut plan = planner.product::<T::Recorded>(product)?;
            if m > 0 && n > 0 {
                plan.launches.push(planner.end_alone::<T::Recorded, _>(product, &end, aligned)?);
            }
            end.behind(&mut plan);
            Ok(plan)
        })
    }
}
