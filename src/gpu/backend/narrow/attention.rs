//! Attention of 16-bit elements: by warp groups where there are some, else widened and as that of `f32`.

use super::super::super::device::{Binding, Computes, Device, Error, Program};
use super::super::super::ir::Group;
use super::super::super::template::flash::Flash;
use super::super::super::template::{
    Argument, GroupFlash, GroupSlopes, SLOPE_SUMS, group_flash, group_slopes, group_sums,
};
use super::super::super::types::F32;
use super::super::attention::{heads, scored};
use super::super::ops::arguments;
use super::super::plan::{Plan, Planner};
use super::super::{Gpu, Mat, MatMut, View, ViewMut};
use super::{Side, bits};
use crate::Attention;
use crate::error::{same_len, same_shape};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use half::bf16;

/// Operands are Q, K, V, the results, and the log-sum-exps or scratch for them; then further scratch.
const RESULTS: usize = 3;
const SUMS: usize = 4;
const SCRATCH: usize = 5;
/// Of gradients: Q, K, V and the results' gradients, then the results, the log-sum-exps, and the gradients; then scratch.
const OUT: usize = 4;
const LSE: usize = 5;
const DQ: usize = 6;
const MORE: usize = 9;
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
            let wide = self.widened(&mut plan, sides, SCRATCH)?;
            let mut words: Vec<usize> = wide.iter().flat_map(|(_, pitch)| [*pitch, 1]).collect();
            words.extend(strides);
            words.extend(told);
            let (scores, numbers) = scored(op);
            let mut all = arguments(0, &words, &numbers);
            all.insert(8, Argument::Buffer(SUMS));
            let [q, k, v] = wide.map(|(at, _)| Argument::Buffer(at));
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
            let lies = self.mapped(&mut plan, side, SCRATCH)?;
            all.push(side.map(lies, part));
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

    /// Where tensor maps read an operand, and the elements between its rows: as it lies, or a copy in scratch of which the
    /// first has this number.
    fn mapped(&self, plan: &mut Plan, side: Side, first: usize) -> Result<(usize, usize), Error> {
        let [rows, cols] = side.sizes;
        if side.is_mapped(side.strides, cols, 8) {
            return Ok((side.at, side.strides[0]));
        }
        let at = first + plan.scratch.len();
        let (launch, pitch) = self.narrow_rows(Group::Bf16, false, side, at, 8)?;
        plan.launches.push(launch);
        plan.scratch.push(2 * (rows * pitch) as u64);
        Ok((at, pitch))
    }

    /// Copies operands as `f32`, to scratch of which the first has this number; where each lies, and the elements between its
    /// rows.
    fn widened<const N: usize>(
        &self,
        plan: &mut Plan,
        sides: [Side; N],
        first: usize,
    ) -> Result<[(usize, usize); N], Error> {
        let mut wide = [(0, 0); N];
        for (side, wide) in sides.into_iter().zip(&mut wide) {
            let at = first + plan.scratch.len();
            let [rows, cols] = side.sizes;
            *wide = (at, cols);
            // What is empty is not copied.
            if rows > 0 && cols > 0 {
                let (launch, pitch) = self.narrow_rows(Group::Bf16, true, side, at, 2)?;
                plan.launches.push(launch);
                *wide = (at, pitch);
            }
            plan.scratch.push(4 * (rows * wide.1).max(1) as u64);
        }
        Ok(wide)
    }

    /// The kernels of gradients of warp groups, as [`Planner::half_flash`]: of queries, and of keys.
    fn half_slopes(&self, op: &Attention<f32>) -> Result<Option<[(Arc<Program>, GroupSlopes); 2]>, Error> {
        let plain = op.softcap.is_none() && op.values() == op.dim && op.scale.is_finite();
        let Some(both) = GroupSlopes::of(op.dim).filter(|_| self.groups && plain) else { return Ok(None) };
        let made = both.map(|size| {
            let number = size.dim << 1 | u32::from(size.keys);
            let program = self.one_by::<F32>("group_slopes_bf16", number, || Some(group_slopes(size)))?;
            Ok((program, size))
        });
        let [queries, keys]: [Result<(Arc<Program>, GroupSlopes), Error>; 2] = made;
        let both = [queries?, keys?];
        let fits = |(program, _): &(Arc<Program>, GroupSlopes)| {
            program.kernel().shared_bytes() <= self.limits.shared
                && GroupSlopes::threads() <= self.limits.threads
        };
        Ok(both.iter().all(fits).then_some(both))
    }

    /// Gradients, by warp groups or of what is widened.
    fn half_backward(
        &self,
        op: &Attention<f32>,
        sides: [Side; 4],
        strides: [[usize; 2]; 4],
    ) -> Result<Plan, Error> {
        if let Some(plan) = self.half_gradients(op, sides, strides)? {
            return Ok(plan);
        }
        let [n, len] = [sides[0].sizes[0], sides[1].sizes[0]];
        let mut plan = Plan { launches: Vec::new(), scratch: vec![8 * (n * op.heads).max(1) as u64] };
        let wide = self.widened(&mut plan, sides, MORE)?;
        let [q, k, v, dout] = wide;
        let [out, dq, dk, dv] = strides;
        let mut by: Vec<usize> = [q, k, v].iter().flat_map(|(_, pitch)| [*pitch, 1]).collect();
        by.extend([out, [dout.1, 1], dq, dk, dv].concat());
        let at = [q.0, k.0, v.0, OUT, dout.0, DQ, DQ + 1, DQ + 2, LSE, MORE];
        let (scores, numbers) = scored(op);
        plan.launches.extend(self.gradients(op, [n, len], at, &by, (scores, &numbers), &[])?);
        Ok(plan)
    }

    /// Gradients by warp groups, where there are kernels of them for these heads. Operands are Q, K, V, `dout`, `out`, the
    /// log-sum-exps, `dq`, `dk`, `dv`; `strides` are those of `out` and of the gradients.
    fn half_gradients(
        &self,
        op: &Attention<f32>,
        sides: [Side; 4],
        strides: [[usize; 2]; 4],
    ) -> Result<Option<Plan>, Error> {
        let [n, len] = [sides[0].sizes[0], sides[1].sizes[0]];
        if n == 0 || len == 0 {
            return Ok(None);
        }
        let Some(both) = self.half_slopes(op)? else { return Ok(None) };
        let filled = n.next_multiple_of(SLOPE_SUMS as usize) * op.heads;
        let mut plan = Plan { launches: Vec::new(), scratch: vec![8 * filled as u64] };
        let mut lie = [(0, 0); 4];
        for (lie, side) in lie.iter_mut().zip(sides) {
            *lie = self.mapped(&mut plan, side, MORE)?;
        }
        let dout = sides[3];
        let mut all: Vec<Argument> = vec![Argument::Buffer(OUT)];
        all.extend(strides[0].map(bits));
        all.push(Argument::Buffer(dout.at));
        all.extend([dout.before, dout.strides[0], dout.strides[1]].map(bits));
        all.extend([LSE, MORE].map(Argument::Buffer));
        all.extend([n, op.heads, op.dim].map(bits));
        let program = self.one::<F32>("group_sums_bf16", || Some(group_sums()))?;
        let blocks = filled.div_ceil(8).min(self.blocks as usize * 8);
        plan.launches.push(self.grid_of(program, 256, [blocks, 1], all)?);
        let told = heads(op, n, len);
        for (program, size) in both {
            let mut all: Vec<Argument> = sides
                .iter()
                .zip(lie)
                .zip(size.parts())
                .map(|((side, lies), part)| side.map(lies, part))
                .collect();
            all.push(Argument::Buffer(MORE));
            let [_, of_queries, of_keys @ ..] = strides;
            let (rows, across, out) = match size.keys {
                true => (len, op.kv_heads, &[(DQ + 1, of_keys[0]), (DQ + 2, of_keys[1])][..]),
                false => (n, op.heads, &[(DQ, of_queries)][..]),
            };
            all.extend(out.iter().map(|(at, _)| Argument::Buffer(*at)));
            all.extend(out.iter().flat_map(|(_, strides)| *strides).map(bits));
            all.extend(arguments(0, &told, &[op.scale]));
            let grid = [rows.div_ceil(GroupSlopes::rows() as usize), across];
            plan.launches.push(self.grid_of(program, GroupSlopes::threads(), grid, all)?);
        }
        Ok(Some(plan))
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

    /// [`attention_bf16_backward`](crate::attention_bf16_backward()), without a workspace of the caller's.
    ///
    /// # Errors
    /// Those of [`attention_bf16_backward`](crate::attention_bf16_backward()), [`Error::Limit`], [`Error::Lost`].
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    pub fn attention_bf16_backward(
        &self,
        op: &Attention<f32>,
        q: Mat<'_, bf16, D>,
        k: Mat<'_, bf16, D>,
        v: Mat<'_, bf16, D>,
        out: Mat<'_, f32, D>,
        lse: View<'_, f32, D>,
        dout: Mat<'_, bf16, D>,
        dq: MatMut<'_, f32, D>,
        dk: MatMut<'_, f32, D>,
        dv: MatMut<'_, f32, D>,
    ) -> Result<(), Error> {
        op.on(q.shape, k.shape, v.shape)?;
        let n = q.shape[0];
        same_shape("out", op.results(n), out.shape)?;
        same_len("lse", n * op.heads, lse.len())?;
        same_shape("dout", op.results(n), dout.shape)?;
        same_shape("dq", q.shape, dq.0.shape)?;
        same_shape("dk", k.shape, dk.0.shape)?;
        same_shape("dv", v.shape, dv.0.shape)?;
        self.state.planner.line::<F32>("lse", 2 * n.next_multiple_of(SLOPE_SUMS as usize) * op.heads)?;
        let (mut bound, sides) = self.half_sides([("q", q), ("k", k), ("v", v), ("dout", dout)])?;
        let (wide, _) = self.matrices([("out", out), ("dq", dq.0), ("dk", dk.0), ("dv", dv.0)])?;
        let mut wide = wide.into_iter();
        bound.extend(wide.next());
        bound.push(lse.binding(self)?);
        bound.extend(wide);
        let strides = [out.strides, dq.0.strides, dk.0.strides, dv.0.strides];
        let plan = self.state.planner.half_backward(op, sides, strides)?;
        self.run(&plan, &bound)
    }
}

impl<D: Device> Gpu<D> {
    /// The operands, the first ones of a plan.
    #[allow(clippy::type_complexity, reason = "operands and how they lie")]
    fn half_sides<'a, const N: usize>(
        &self,
        all: [(&'static str, Mat<'a, bf16, D>); N],
    ) -> Result<(Vec<Binding<'a, D::Buffer>>, [Side; N]), Error> {
        let mut bound = Vec::new();
        let mut sides = [Side { at: 0, sizes: [0; 2], strides: [0; 2], before: 0, aligned: false }; N];
        for (at, (side, (arg, x))) in sides.iter_mut().zip(all).enumerate() {
            self.state.planner.matrix::<F32>(arg, x.shape, x.strides)?;
            let (on, before) = (x.binding(self)?, x.rest()?.before() / 2);
            let aligned = before == 0 && on.start.is_multiple_of(16);
            *side = Side { at, sizes: x.shape, strides: x.strides, before, aligned };
            bound.push(on);
        }
        Ok((bound, sides))
    }

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
        let [q, k, v] = all;
        let (mut bound, sides) = self.half_sides([("q", q), ("k", k), ("v", v)])?;
        planner.matrix::<F32>("out", out.0.shape, out.0.strides)?;
        planner.line::<F32>("lse", sums)?;
        bound.push(out.0.binding(self)?);
        if sums == 0 {
            return Ok(());
        }
        let mut plan = planner.half_attention(op, sides, out.0.strides)?;
        match lse {
            Some(lse) => bound.push(lse.binding(self)?),
            None => plan.scratch.insert(0, 4 * sums as u64),
        }
        self.run(&plan, &bound)
    }
}
