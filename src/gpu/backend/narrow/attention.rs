//! Attention of 16-bit elements: by warp groups where there are some, else widened and as that of `f32`.

use super::super::super::device::{Computes, Device, Error, Program};
use super::super::super::interpret::TensorMap;
use super::super::super::ir::Group;
use super::super::super::template::flash::Flash;
use super::super::super::template::{Argument, GroupFlash, group_flash};
use super::super::super::types::{F32, Type};
use super::super::attention::{heads, scored};
use super::super::ops::arguments;
use super::super::plan::{Plan, Planner};
use super::super::{Gpu, Mat, MatMut, ViewMut};
use super::{Side, bits};
use crate::Attention;
use crate::error::{same_len, same_shape};
use alloc::sync::Arc;
use alloc::vec::Vec;
use half::bf16;

/// Operands are Q, K, V, the results, and the log-sum-exps or scratch for them; then further scratch.
const RESULTS: usize = 3;
const SUMS: usize = 4;
const SCRATCH: usize = 5;
/// Bytes of keys and values whose queries are taken together: a part of the second cache.
const CACHE: usize = 16 << 20;

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
        let number = size.dim << 8 | size.groups;
        let program = self.one_by::<F32>("group_flash_bf16", number, || Some(group_flash(size)))?;
        let fits = program.kernel().shared_bytes() <= self.limits.shared;
        Ok(fits.then_some((program, size)))
    }

    /// For results on these strides.
    fn half_attention(
        &self,
        op: &Attention<f32>,
        sides: [Side; 3],
        strides: [usize; 2],
    ) -> Result<Plan, Error> {
        let mut plan = Plan { launches: Vec::new(), scratch: Vec::new() };
        let [n, len] = [sides[0].sizes[0], sides[1].sizes[0]];
        let told = heads(op, n, len);
        let Some((kernel, size)) = self.half_flash(op, n)? else {
            let (mut at, mut words) = ([0; 3], Vec::new());
            for (side, at) in sides.into_iter().zip(&mut at) {
                *at = SCRATCH + plan.scratch.len();
                let (launch, pitch) = self.narrow_rows(Group::Bf16, true, side, *at, 2)?;
                plan.launches.push(launch);
                plan.scratch.push(4 * (side.sizes[0] * pitch) as u64);
                words.extend([pitch, 1]);
            }
            words.extend(strides);
            words.extend(told);
            let (scores, numbers) = scored(op);
            let mut all = arguments(0, &words, &numbers);
            all.insert(8, Argument::Buffer(SUMS));
            let [q, k, v] = at.map(Argument::Buffer);
            all.splice(0..0, [q, k, v, Argument::Buffer(RESULTS)]);
            plan.launches.push(self.attention::<F32>(
                Flash::Forward,
                scores,
                op.widest(),
                [n, op.heads],
                all,
            )?);
            return Ok(plan);
        };
        let mut all = Vec::new();
        for (side, part) in sides.into_iter().zip(size.parts()) {
            let [rows, cols] = side.sizes;
            let (at, pitch) = if side.is_mapped(side.strides, cols, 8) {
                (side.at, side.strides[0])
            } else {
                let at = SCRATCH + plan.scratch.len();
                let (launch, pitch) = self.narrow_rows(Group::Bf16, false, side, at, 8)?;
                plan.launches.push(launch);
                plan.scratch.push(2 * (rows * pitch) as u64);
                (at, pitch)
            };
            let size_of = [rows, cols].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            let (element, stride) = (Type::Bf16, 2 * pitch as u64);
            let map = TensorMap { at: 0, element, size: size_of, stride, part, swizzle: true };
            all.push(Argument::Map(at, map));
        }
        all.push(Argument::Buffer(RESULTS));
        all.extend(strides.map(bits));
        all.push(Argument::Buffer(SUMS));
        all.extend(arguments(0, &told, &[op.scale]));
        // Where a mask makes works unlike, those of several heads go by their length: as many heads as the second cache keeps
        // keys of.
        let keys = 4 * len * op.dim;
        let together = if op.causal { (CACHE / keys.max(1)).clamp(1, op.heads) } else { 1 };
        all.extend(arguments::<f32>(0, &[together], &[]));
        // Blocks stay, and ask for the keys of the next work while they write.
        let works = n.div_ceil(size.queries() as usize).saturating_mul(op.heads);
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
        Ok(plan)
    }
}

impl<D: Computes<f32>> Gpu<D> {
    /// [`attention_bf16`](crate::attention_bf16()), without a workspace of the caller's.
    ///
    /// # Errors
    /// Those of [`attention_bf16`](crate::attention_bf16()), [`Error::Limit`], [`Error::Lost`].
    pub fn attention_bf16(
        &self,
        op: &Attention<f32>,
        q: Mat<'_, bf16, D>,
        k: Mat<'_, bf16, D>,
        v: Mat<'_, bf16, D>,
        out: MatMut<'_, f32, D>,
        lse: Option<ViewMut<'_, f32, D>>,
    ) -> Result<(), Error> {
        self.half_attend(op, [q, k, v], out, lse)
    }
}

impl<D: Device> Gpu<D> {
    fn half_attend(
        &self,
        op: &Attention<f32>,
        all: [Mat<'_, bf16, D>; 3],
        out: MatMut<'_, f32, D>,
        lse: Option<ViewMut<'_, f32, D>>,
    ) -> Result<(), Error> {
        let planner = &self.state.planner;
        let [q, k, v] = all.map(|x| x.shape);
        op.on(q, k, v)?;
        same_shape("out", op.results(q[0]), out.0.shape)?;
        let sums = q[0] * op.heads;
        if let Some(lse) = &lse {
            same_len("lse", sums, lse.len())?;
        }
        let mut bound = Vec::new();
        for (arg, x) in ["q", "k", "v"].into_iter().zip(all) {
            planner.matrix::<F32>(arg, x.shape, x.strides)?;
            bound.push(x.binding(self)?);
        }
        planner.matrix::<F32>("out", out.0.shape, out.0.strides)?;
        planner.line::<F32>("lse", sums)?;
        bound.push(out.0.binding(self)?);
        if sums == 0 {
            return Ok(());
        }
        let mut sides = [Side { at: 0, sizes: [0; 2], strides: [0; 2], before: 0, aligned: false }; 3];
        for (at, ((side, x), b)) in sides.iter_mut().zip(all).zip(&bound).enumerate() {
            let before = x.rest()?.before() / 2;
            let aligned = before == 0 && b.start.is_multiple_of(16);
            *side = Side { at, sizes: x.shape, strides: x.strides, before, aligned };
        }
        let mut plan = planner.half_attention(op, sides, out.0.strides)?;
        match lse {
            Some(lse) => bound.push(lse.binding(self)?),
            None => plan.scratch.insert(0, 4 * sums as u64),
        }
        self.run(&plan, &bound)
    }
}
