//! Attention of `bf16` on devices: on warp groups where the device has them, else converted to `f32`.

use super::super::super::device::{Binding, Computes, Device, Error};
use super::super::super::ir::Group;
use super::super::super::template::flash::Flash;
use super::super::super::template::{Argument, SLOPE_SUMS};
use super::super::super::types::F32;
use super::super::attention::{heads, scored};
use super::super::ops::{arguments, called};
use super::super::plan::{Plan, Planner};
use super::super::{Gpu, Mat, MatMut, View, ViewMut};
use super::Side;
use super::attention::{DQ, LSE, MORE, OUT, RESULTS, SCRATCH, SUMS};
use crate::backend::Halves;
use crate::error::{same_len, same_shape};
use crate::{Attention, E4m3};
use alloc::vec;
use alloc::vec::Vec;
use half::{bf16, f16};

impl Planner {
    /// Of one sequence, converted to `f32`, for results on these strides.
    fn wide_attention(
        &self,
        op: &Attention<f32>,
        sides: [Side; 3],
        strides: [usize; 2],
    ) -> Result<Plan, Error> {
        let mut plan = Plan { launches: Vec::new(), scratch: Vec::new() };
        let [n, len] = [sides[0].sizes[0], sides[1].sizes[0]];
        let wide = self.to_f32(&mut plan, sides, SCRATCH)?;
        let mut words: Vec<usize> = wide.iter().flat_map(|(_, pitch)| [*pitch, 1]).collect();
        words.extend(strides);
        words.extend(heads(op, n, len));
        let (scores, numbers) = scored(op);
        let mut all = arguments(0, &words, &numbers);
        all.insert(8, Argument::Buffer(SUMS));
        let [q, k, v] = wide.map(|(at, _)| Argument::Buffer(at));
        all.splice(0..0, [q, k, v, Argument::Buffer(RESULTS)]);
        let grid = [n, op.heads];
        plan.launches.push(self.attention::<F32>(Flash::Forward, scores, op.widest(), grid, all)?);
        Ok(plan)
    }

    /// Copies operands as `f32`, to scratch of which the first has this number; where each lies, and the elements between its
    /// rows.
    fn to_f32<const N: usize>(
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
                let (launch, pitch) = self.convert_rows(Group::Bf16, true, side, at, 2)?;
                plan.launches.push(launch);
                *wide = (at, pitch);
            }
            plan.scratch.push(4 * (rows * wide.1).max(1) as u64);
        }
        Ok(wide)
    }

    /// Gradients of one sequence, of what is converted.
    fn wide_backward(
        &self,
        op: &Attention<f32>,
        sides: [Side; 4],
        strides: [[usize; 2]; 4],
    ) -> Result<Plan, Error> {
        let [n, len] = [sides[0].sizes[0], sides[1].sizes[0]];
        let mut plan = Plan { launches: Vec::new(), scratch: vec![8 * (n * op.heads).max(1) as u64] };
        let wide = self.to_f32(&mut plan, sides, MORE)?;
        let [q, k, v, dout] = wide;
        let [out, dq, dk, dv] = strides;
        let mut by: Vec<usize> = [q, k, v].iter().flat_map(|(_, pitch)| [*pitch, 1]).collect();
        by.extend([out, [dout.1, 1], dq, dk, dv].concat());
        let at = [q.0, k.0, v.0, OUT, dout.0, DQ, DQ + 1, DQ + 2, LSE, MORE];
        let (scores, numbers) = scored(op);
        plan.launches.extend(self.gradients(op, [n, len], at, &by, (scores, &numbers), &[])?);
        Ok(plan)
    }
}

impl<D: Computes<f32>> Gpu<D> {}

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
        let mut plan = match planner.group_attention(op, Group::Bf16, sides, out.0.strides)? {
            Some(plan) => plan,
            None if op.batch > 1 => {
                let (one, of) = (Attention { batch: 1, ..*op }, op.batch);
                return (0..of).try_for_each(|at| {
                    let lse = lse.as_ref().map(|lse| lse.sequence(at, of)).transpose()?;
                    let [q, k, v] = all.map(|x| x.sequence(at, of));
                    self.half_attend(&one, [q?, k?, v?], out.sequence(at, of)?, lse)
                });
            }
            None => planner.wide_attention(op, sides, out.0.strides)?,
        };
        match lse {
            Some(lse) => bound.push(lse.binding(self)?),
            None => plan.scratch.insert(0, 4 * sums as u64),
        }
        self.run(&plan, &bound)
    }
}

impl<D: Computes<f32>> Halves for Gpu<D> {
    /// [`gemm_bf16`](crate::gemm_bf16()), without a workspace of the caller's.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    fn gemm_bf16(
        &self,
        alpha: f32,
        a: Mat<'_, bf16, D>,
        b: Mat<'_, bf16, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
        _: (),
    ) -> Result<(), Error> {
        called!(gemm_bf16, { self.low_precision_floats(Group::Bf16, alpha, a, b, beta, c) })
    }

    /// [`gemm_f16`](crate::gemm_f16()), without a workspace of the caller's.
    ///
    /// # Errors
    /// Those of [`Gpu::gemm_bf16`].
    fn gemm_f16(
        &self,
        alpha: f32,
        a: Mat<'_, f16, D>,
        b: Mat<'_, f16, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
        _: (),
    ) -> Result<(), Error> {
        called!(gemm_f16, { self.low_precision_floats(Group::F16, alpha, a, b, beta, c) })
    }

    /// [`gemm_e4m3`](crate::gemm_e4m3()), without a workspace of the caller's. On Hopper's warp groups products are cut off
    /// 13 bits below the largest of 32 and of their sum: the contract's tolerance `tensor` instead of `f32`.
    ///
    /// # Errors
    /// Those of [`Gpu::gemm_bf16`].
    fn gemm_e4m3(
        &self,
        alpha: f32,
        a: Mat<'_, E4m3, D>,
        b: Mat<'_, E4m3, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
        _: (),
    ) -> Result<(), Error> {
        called!(gemm_e4m3, { self.low_precision_floats(Group::E4m3, alpha, a, b, beta, c) })
    }

    /// [`attention_bf16`](crate::attention_bf16()), without a workspace of the caller's.
    ///
    /// # Errors
    /// Those of [`attention_bf16`](crate::attention_bf16()), [`Error::Limit`], [`Error::Lost`].
    fn attention_bf16(
        &self,
        op: &Attention<f32>,
        q: Mat<'_, bf16, D>,
        k: Mat<'_, bf16, D>,
        v: Mat<'_, bf16, D>,
        out: MatMut<'_, f32, D>,
        lse: Option<ViewMut<'_, f32, D>>,
        _: (),
    ) -> Result<(), Error> {
        called!(attention_bf16, { self.half_attend(op, [q, k, v], out, lse) })
    }

    /// [`attention_bf16_backward`](crate::attention_bf16_backward()), without a workspace of the caller's.
    ///
    /// # Errors
    /// Those of [`attention_bf16_backward`](crate::attention_bf16_backward()), [`Error::Limit`], [`Error::Lost`].
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    fn attention_bf16_backward(
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
        _: (),
    ) -> Result<(), Error> {
        called!(attention_bf16_backward, {
            op.on(q.shape, k.shape, v.shape)?;
            let n = q.shape[0];
            same_shape("out", op.results(n), out.shape)?;
            same_len("lse", n * op.heads, lse.len())?;
            same_shape("dout", op.results(n), dout.shape)?;
            same_shape("dq", q.shape, dq.0.shape)?;
            same_shape("dk", k.shape, dk.0.shape)?;
            same_shape("dv", v.shape, dv.0.shape)?;
            let planner = &self.state.planner;
            planner.line::<F32>("lse", 2 * n.next_multiple_of(SLOPE_SUMS as usize) * op.heads)?;
            let (mut bound, sides) = self.half_sides([("q", q), ("k", k), ("v", v), ("dout", dout)])?;
            let (wide, _) = self.matrices([("out", out), ("dq", dq.0), ("dk", dk.0), ("dv", dv.0)])?;
            let mut wide = wide.into_iter();
            bound.extend(wide.next());
            bound.push(lse.binding(self)?);
            bound.extend(wide);
            let strides = [out.strides, dq.0.strides, dk.0.strides, dv.0.strides];
            if let Some(plan) = planner.group_gradients(op, Group::Bf16, sides, strides)? {
                return self.run(&plan, &bound);
            }
            if op.batch > 1 {
                let (one, of) = (Attention { batch: 1, ..*op }, op.batch);
                return (0..of).try_for_each(|at| {
                    let ([q, k, v, dout], out) =
                        ([q, k, v, dout].map(|x| x.sequence(at, of)), out.sequence(at, of)?);
                    let ([dq, dk, dv], lse) =
                        ([&dq, &dk, &dv].map(|x| x.sequence(at, of)), lse.sequence(at, of)?);
                    self.attention_bf16_backward(&one, q?, k?, v?, out, lse, dout?, dq?, dk?, dv?, ())
                });
            }
            let plan = planner.wide_backward(op, sides, strides)?;
            self.run(&plan, &bound)
        })
    }
}
