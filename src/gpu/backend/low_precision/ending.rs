//! Products of 16 and 8 bits, and what a bias and a formula make of each element: while it is in registers where products run on
//! warp groups, else by a kernel of its own.

use super::super::super::device::{Device, Error, Program};
use super::super::super::ir::{Group, Kernel};
use super::super::super::template::launch::ZEROS;
use super::super::super::template::{Along, Argument, GroupTile};
use super::super::super::types::Type;
use super::super::View;
use super::super::plan::Planner;
use crate::error::same_len;
use alloc::sync::Arc;
use core::any::TypeId;

mod bytes;
#[cfg(feature = "half")]
mod floats;

/// What is added to each element of a product before its formula.
#[derive(Debug)]
pub enum Bias<'a, D: Device> {
    /// Nothing.
    None,
    /// One value for each row.
    Rows(View<'a, f32, D>),
    /// One value for each column.
    Columns(View<'a, f32, D>),
}

impl<'a, D: Device> Bias<'a, D> {
    /// What it has a value for, and the values, if there are as many as a result of this shape needs.
    fn parts(self, [m, n]: [usize; 2]) -> Result<(Option<Along>, Option<View<'a, f32, D>>), Error> {
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

/// A tile, the operands, the result, which of them lie across, and whether blocks share a tile.
type Form = (GroupTile, Group, Type, [bool; 2], bool);

/// The end of a product, of a formula of any type.
pub(in super::super) struct Ending<'a> {
    of: TypeId,
    bias: Option<Along>,
    parameters: &'a [u64],
    /// Its product on warp groups, and its kernel alone.
    fused: fn(Form, Option<Along>) -> Result<Kernel, super::super::super::Error>,
    #[cfg_attr(not(feature = "half"), allow(dead_code, reason = "of floats alone"))]
    alone: fn(Option<Along>, u32) -> Result<Kernel, super::super::super::Error>,
}

impl Ending<'_> {
    /// The further arguments of a kernel.
    pub(super) fn arguments(&self) -> impl Iterator<Item = Argument> {
        let bias = self.bias.map(|_| Argument::Buffer(BIAS));
        bias.into_iter().chain(self.parameters.iter().map(|p| Argument::Bits(*p)))
    }
}

impl Planner {
    /// The product on warp groups with this end; that of the transposes where it is `turned`.
    pub(super) fn ended(
        &self,
        end: &Ending<'_>,
        op: &'static str,
        (tile, turned): (u32, bool),
        form: Form,
    ) -> Result<Arc<Program>, Error> {
        let bias = if turned { end.bias.map(Along::turned) } else { end.bias };
        self.ending((end.of, op, tile, bias), || (end.fused)(form, bias))
    }

    fn ending(
        &self,
        key: (TypeId, &'static str, u32, Option<Along>),
        make: impl FnOnce() -> Result<Kernel, super::super::super::Error>,
    ) -> Result<Arc<Program>, Error> {
        if let Some(program) = self.endings.borrow().get(&key) {
            return Ok(Arc::clone(program));
        }
        let program = make().map(|k| self.program(k));
        let program = program.map_err(|error| Error::Kernel { kernel: key.1.into(), error })?;
        self.endings.borrow_mut().insert(key, Arc::clone(&program));
        Ok(program)
    }
}
