//! FlashAttention-3 of 16-bit operands, and of `f32` rounded to them where a caller asks for that; without warp groups they are
//! converted to `f32`.

use super::super::super::device::{Error, Launch, Program};
use super::super::super::interpret::TensorMap;
use super::super::super::ir::Group;
use super::super::super::template::{
    self, Argument, GroupFlash, GroupSlopes, SLOPE_SUMS, Slopes, group_flash, group_slopes, group_sums,
};
use super::super::super::types::{F32, Scalar as Typed, Type};
use super::super::attention::heads;
use super::super::ops::{Scalar, arguments, bits as bits_of};
use super::super::plan::{Plan, Planner};
use super::{ROUNDED, Side, bits};
use crate::Attention;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// Operands are Q, K, V, the results, and the log-sum-exps or scratch for them; then further scratch.
pub(super) const RESULTS: usize = 3;
pub(super) const SUMS: usize = 4;
pub(super) const SCRATCH: usize = 5;
/// Of gradients: Q, K, V and the results' gradients, then the results, the log-sum-exps, and the gradients; then scratch.
pub(super) const OUT: usize = 4;
pub(super) const LSE: usize = 5;
pub(super) const DQ: usize = 6;
pub(super) const MORE: usize = 9;
/// Bytes of keys and values whose queries are taken together: a part of the second cache.
const CACHE: usize = 16 << 20;

/// What a matrix of heads is of: sequences, rows of each, heads, elements of each.
#[derive(Clone, Copy)]
struct Shape {
    batch: usize,
    rows: usize,
    heads: usize,
    dim: usize,
}

/// Where tensor maps read heads: the operand, and the elements from row to row and from head to head.
#[derive(Clone, Copy, Default)]
struct Lies {
    at: usize,
    pitch: usize,
    apart: usize,
}

impl Lies {
    /// The tensor map of boxes of these rows and columns of a head.
    fn map(self, of: Shape, part: [u32; 2]) -> Argument {
        let int = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let [stride, apart] = [self.pitch, self.apart].map(|n| 2 * n as u64);
        let outer = Some([(int(of.heads), apart), (int(of.batch), stride.wrapping_mul(of.rows as u64))]);
        let size = [of.rows, of.dim].map(int);
        Argument::Map(
            self.at,
            TensorMap { at: 0, element: Type::Bf16, size, stride, part, swizzle: true, outer },
        )
    }
}

impl Shape {
    /// Those of queries, keys, values and results.
    fn of(op: &Attention<f32>, [n, len]: [usize; 2]) -> [Self; 4] {
        let &Attention { batch, heads, kv_heads, dim, .. } = op;
        let queries = Self { batch, rows: n, heads, dim };
        let keys = Self { rows: len, heads: kv_heads, ..queries };
        [queries, keys, keys, queries]
    }

    /// The rows of a copy in which each head is one.
    const fn apart(self) -> usize {
        self.batch.saturating_mul(self.rows).saturating_mul(self.heads)
    }
}

impl Planner {
    /// The kernel of warp groups, where there is one for these heads, their values as wide and scores not capped, and a scale
    /// that keeps them in their order.
    fn half_flash(
        &self,
        op: &Attention<f32>,
        queries: usize,
    ) -> Result<Option<(Arc<Program>, GroupFlash)>, Error> {
        let Some(size) = GroupFlash::of(op.dim, queries).filter(|_| self.groups) else { return Ok(None) };
        let plain = op.softcap.is_none() && op.values() == op.dim;
        if !plain || op.scale <= 0.0 || !op.scale.is_finite() || size.threads() > self.limits.threads {
            return Ok(None);
        }
        let program = self.one_by::<F32>("group_flash_bf16", size.number(), || Some(group_flash(size)))?;
        let fits = program.kernel().shared_bytes() <= self.limits.shared;
        Ok(fits.then_some((program, size)))
    }

    /// Attention of `f32`, where the device is asked to round operands of products and there is enough to do.
    pub(in super::super) fn rounds_attention<T: Scalar>(
        &self,
        op: &Attention<T>,
        [n, len]: [usize; 2],
    ) -> Option<Attention<f32>> {
        let terms = [len, op.heads, op.dim].into_iter().fold(n, usize::saturating_mul);
        if !self.rounds || <T::Recorded as Typed>::TYPE != Type::F32 || n < 2 || terms < ROUNDED {
            return None;
        }
        let float = |x: T| f32::from_bits(bits_of(x) as u32);
        let &Attention { heads, kv_heads, dim, causal, window, align, value_dim, batch, .. } = op;
        let (scale, softcap) = (float(op.scale), op.softcap.map(float));
        Some(Attention { heads, kv_heads, dim, scale, causal, window, align, softcap, value_dim, batch })
    }

    /// Whether there is something that warp groups read, and launches copy it where tensor maps cannot: those of nothing cannot
    /// be made, nor those of heads that start elsewhere than at a multiple of 16 bytes.
    fn reads_heads(&self, op: &Attention<f32>, [n, len]: [usize; 2]) -> bool {
        let copied = |shape: &Shape| {
            let (rows, pitch) = (shape.apart(), shape.dim.next_multiple_of(8));
            u32::try_from(rows.saturating_mul(pitch)).is_ok() && self.convert_grid(rows, pitch).is_some()
        };
        n > 0 && len > 0 && (op.dim.is_multiple_of(8) || Shape::of(op, [n, len]).iter().all(copied))
    }

    /// By warp groups, where there is a kernel of them for these heads, for results on these strides. Operands are `bf16`, or
    /// `f32` (`Group::Tf32`) that are rounded.
    pub(in super::super) fn group_attention(
        &self,
        op: &Attention<f32>,
        from: Group,
        sides: [Side; 3],
        strides: [usize; 2],
    ) -> Result<Option<Plan>, Error> {
        let [n, len] = [sides[0].sizes[0], sides[1].sizes[0]].map(|rows| rows / op.batch);
        if !self.reads_heads(op, [n, len]) {
            return Ok(None);
        }
        let Some((kernel, size)) = self.half_flash(op, n)? else { return Ok(None) };
        let mut plan = Plan { launches: Vec::new(), scratch: Vec::new() };
        let told = heads(op, n, len);
        let mut all = Vec::new();
        for ((side, shape), part) in sides.into_iter().zip(Shape::of(op, [n, len])).zip(size.parts()) {
            let lies = self.mapped(&mut plan, from, (side, shape), SCRATCH)?;
            all.push(lies.map(shape, part));
        }
        all.push(Argument::Buffer(RESULTS));
        all.extend(strides.map(bits));
        all.push(Argument::Buffer(SUMS));
        all.extend(arguments(0, &told, &[op.scale]));
        // Where a mask makes works unlike, those of several heads go by their length: as many heads as the second cache keeps
        // keys of.
        let keys = 4 * len * op.dim;
        let heads = op.heads.saturating_mul(op.batch);
        let together = if op.causal { (CACHE / keys.max(1)).clamp(1, heads) } else { 1 };
        all.extend(arguments::<f32>(0, &[together, op.batch], &[]));
        // Blocks stay, and ask for the keys of the next work while they write.
        let works = n.div_ceil(size.queries() as usize).saturating_mul(heads);
        let blocks = works.min((self.blocks / 8).max(1) as usize);
        if blocks < works {
            let taken = SCRATCH + plan.scratch.len();
            plan.scratch.push(4);
            plan.launches.push(self.filled(taken, 1, [0; 2])?);
            all.push(Argument::Buffer(taken));
        } else {
            all.push(Argument::Bits(0));
        }
        plan.launches.push(self.grid_of(kernel, size.threads(), [blocks, 1], all)?);
        Ok(Some(plan))
    }

    /// Where tensor maps read an operand of `bf16`: as it lies, or a copy in scratch of which the first has this number.
    fn mapped(
        &self,
        plan: &mut Plan,
        from: Group,
        (side, shape): (Side, Shape),
        first: usize,
    ) -> Result<Lies, Error> {
        let [rows, cols] = side.sizes;
        let at = first + plan.scratch.len();
        if !shape.dim.is_multiple_of(8) {
            let apart = shape.dim.next_multiple_of(8);
            plan.launches.push(self.heads_apart(from, (side, shape), at)?);
            plan.scratch.push(2 * (shape.apart() * apart) as u64);
            return Ok(Lies { at, pitch: shape.heads * apart, apart });
        }
        if from == Group::Bf16 && side.is_mapped(side.strides, cols, 8) {
            return Ok(Lies { at: side.at, pitch: side.strides[0], apart: shape.dim });
        }
        // Lines are rows here: tensor maps read no others.
        let (launch, pitch) = match side.strides {
            [by, 1] if from == Group::Tf32 && by >= cols => self.round_lines(side.at, side.sizes, by, at)?,
            _ => self.convert_rows(from, false, side, at, 8)?,
        };
        plan.launches.push(launch);
        plan.scratch.push(2 * (rows * pitch) as u64);
        Ok(Lies { at, pitch, apart: shape.dim })
    }

    /// Copies heads to rows of a multiple of 16 bytes.
    fn heads_apart(&self, from: Group, (side, shape): (Side, Shape), to: usize) -> Result<Launch, Error> {
        let make = || Some(template::convert_heads(from));
        let program = self.one::<F32>(template::convert_heads_name(from), make)?;
        let (rows, [row_by, col_by]) = (shape.apart(), side.strides);
        let pitch = shape.dim.next_multiple_of(8);
        let mut arguments = vec![Argument::Buffer(side.at), Argument::Buffer(to)];
        arguments.extend([side.before, rows, shape.dim, row_by, col_by, pitch].map(bits));
        arguments.extend([shape.heads, shape.dim * col_by].map(bits));
        let grid = self.convert_grid(rows, pitch).ok_or(crate::Error::overflow("q"))?;
        Ok(Launch { program, grid, block: [256, 1, 1], arguments })
    }

    /// The kernels of gradients of warp groups, as [`Planner::half_flash`].
    fn half_slopes(&self, op: &Attention<f32>) -> Result<Option<Vec<(Arc<Program>, GroupSlopes)>>, Error> {
        let plain = op.softcap.is_none() && op.values() == op.dim && op.scale.is_finite();
        let Some(sizes) = GroupSlopes::of(op.dim).filter(|_| self.groups && plain) else { return Ok(None) };
        let make = |size: GroupSlopes| {
            let make = || Some(group_slopes(size));
            Ok((self.one_by::<F32>("group_slopes_bf16", size.number(), make)?, size))
        };
        let all = sizes.map(make).collect::<Result<Vec<_>, Error>>()?;
        let fits = |(program, _): &(Arc<Program>, GroupSlopes)| {
            program.kernel().shared_bytes() <= self.limits.shared
                && GroupSlopes::threads() <= self.limits.threads
        };
        Ok(all.iter().all(fits).then_some(all))
    }

    /// Gradients by warp groups, as [`Planner::group_attention`]. Operands are Q, K, V, `dout`, `out`, the log-sum-exps, `dq`,
    /// `dk`, `dv`; `strides` are those of `out` and of the gradients.
    pub(in super::super) fn group_gradients(
        &self,
        op: &Attention<f32>,
        from: Group,
        sides: [Side; 4],
        strides: [[usize; 2]; 4],
    ) -> Result<Option<Plan>, Error> {
        let all = sides[0].sizes[0];
        let [n, len] = [all, sides[1].sizes[0]].map(|rows| rows / op.batch);
        // Tiles of the sums of one sequence reach into the next.
        let takes_all =
            n.is_multiple_of(SLOPE_SUMS as usize) && op.batch as u64 <= u64::from(self.limits.grid[2]);
        if !self.reads_heads(op, [n, len]) || op.batch > 1 && !takes_all {
            return Ok(None);
        }
        let Some(kernels) = self.half_slopes(op)? else { return Ok(None) };
        let filled = all.next_multiple_of(SLOPE_SUMS as usize) * op.heads;
        let mut plan = Plan { launches: Vec::new(), scratch: vec![8 * filled as u64] };
        let (mut lie, shapes) = ([Lies::default(); 4], Shape::of(op, [n, len]));
        for (lie, side) in lie.iter_mut().zip(sides.into_iter().zip(shapes)) {
            *lie = self.mapped(&mut plan, from, side, MORE)?;
        }
        let Lies { at: dout, pitch, apart } = lie[3];
        let mut arguments_of: Vec<Argument> = vec![Argument::Buffer(OUT)];
        arguments_of.extend(strides[0].map(bits));
        arguments_of.push(Argument::Buffer(dout));
        arguments_of.extend([0, pitch, 1].map(bits));
        arguments_of.extend([LSE, MORE].map(Argument::Buffer));
        arguments_of.extend([all, op.heads, op.dim, apart].map(bits));
        let program = self.one::<F32>("group_sums_bf16", || Some(group_sums()))?;
        let blocks = filled.div_ceil(32).min(self.blocks as usize * 8);
        plan.launches.push(self.grid_of(program, 256, [blocks, 1], arguments_of)?);
        let told = heads(op, n, len);
        for (program, size) in kernels {
            let parts = lie.iter().zip(shapes).zip(size.parts());
            let mut all: Vec<Argument> = parts.map(|((lies, shape), part)| lies.map(shape, part)).collect();
            all.push(Argument::Buffer(MORE));
            let [_, dq, dk, dv] = strides;
            let gradients = [(DQ, dq), (DQ + 1, dk), (DQ + 2, dv)];
            let out = match size.of {
                Slopes::Queries => &gradients[..1],
                Slopes::Both => &gradients[1..],
                Slopes::Keys => &gradients[1..2],
                Slopes::Values => &gradients[2..],
            };
            let (rows, across) = if size.keys() { (len, op.kv_heads) } else { (n, op.heads) };
            all.extend(out.iter().map(|(at, _)| Argument::Buffer(*at)));
            all.extend(out.iter().flat_map(|(_, strides)| *strides).map(bits));
            all.extend(arguments(0, &told, &[op.scale]));
            let grid = [rows.div_ceil(GroupSlopes::rows() as usize), across];
            let mut launch = self.grid_of(program, GroupSlopes::threads(), grid, all)?;
            launch.grid[2] = op.batch as u32;
            plan.launches.push(launch);
        }
        Ok(Some(plan))
    }
}
