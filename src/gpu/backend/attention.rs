//! Attention, its backward pass, and rotary positions on devices.

use super::super::device::{Binding, Computes, Device, Error, Launch};
use super::super::ir::Group;
use super::super::template::attention::Scores;
use super::super::template::flash::{FLASH_DIM, Flash};
use super::super::template::{Argument, attention, flat};
use super::low_precision::float_sides;
use super::ops::{Done, Scalar, arguments};
use super::plan::{Planner, wide};
use super::{Gpu, Mat, MatMut, View, ViewMut};
use crate::error::{same_len, same_shape};
use crate::lanes::Element;
use crate::nn::{half_of, mask_rows};
use crate::{Attention, RopeStyle};
use alloc::vec;
use alloc::vec::Vec;

/// Keys from which on those of one query are shared among blocks.
const DECODED: usize = 16;

impl<D: Device> Gpu<D> {
    /// Pairs of a matrix turned: `x` and the result, of these shape and strides.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    fn turn<T: Scalar>(
        &self,
        [x, out]: [Binding<'_, D::Buffer>; 2],
        [rows, cols]: [usize; 2],
        strides: [usize; 2],
        half: usize,
        [cos, sin]: [View<'_, T, D>; 2],
        style: RopeStyle,
        back: bool,
    ) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        planner.matrix::<T::Recorded>("x", [rows, cols], strides)?;
        planner.line::<T::Recorded>("cos", cos.len())?;
        let n = rows * cols / 2;
        if n == 0 {
            return Ok(());
        }
        let [step, apart] = match style {
            RopeStyle::Interleaved => [2, 1],
            RopeStyle::Neox => [1, half],
        };
        let sign = if back { -T::ONE } else { T::ONE };
        let words = [n, cols / 2, half, strides[0], strides[1], step, apart];
        let bound = [x, out, cos.binding(self)?, sin.binding(self)?];
        let lined = step == 2 && strides[1] == 1 && rows == 1 && core::ptr::eq(x.buffer, out.buffer);
        if lined && x.start == out.start && self.turns_last([x, bound[2], bound[3]], [n, half], sign)? {
            return Ok(());
        }
        let neighbours = step == 2 && strides[1] == 1 && [half, cols / 2].iter().all(|n| n.is_multiple_of(2));
        let wide = planner.optimise && wide(&bound) && neighbours && strides[0].is_multiple_of(4);
        let make =
            |wide| Some(if wide { flat::rope_wide::<T::Recorded>() } else { flat::rope::<T::Recorded>() });
        let launch = planner.map::<T::Recorded>("rope", wide, make, n, arguments(4, &words, &[sign]))?;
        self.run_one(launch, &bound)
    }

    /// [`Gpu::turn`] of slices.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    pub(super) fn turn_rows<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        dim: usize,
        cos: View<'_, T, D>,
        sin: View<'_, T, D>,
        style: RopeStyle,
        back: bool,
        out: &ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let half = half_of(dim, cos.len(), sin.len())?;
        same_len("out", x.len(), out.len())?;
        let rows = cos.len() / half;
        let unit = rows.checked_mul(dim).ok_or(crate::Error::overflow("dim"))?;
        if x.len().checked_rem(unit).unwrap_or(x.len()) != 0 {
            return Err(crate::Error::rows("x", unit, x.len()).into());
        }
        let cols = x.len().checked_div(rows).unwrap_or(0);
        let operands = [x.binding(self)?, out.binding(self)?];
        self.turn(operands, [rows, cols], [cols, 1], half, [cos, sin], style, back)
    }

    /// [`Gpu::turn`] of a matrix, in place.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    pub(super) fn turn_view<T: Scalar>(
        &self,
        x: MatMut<'_, T, D>,
        dim: usize,
        cos: View<'_, T, D>,
        sin: View<'_, T, D>,
        style: RopeStyle,
        inverse: bool,
    ) -> Done
    where
        D: Computes<T>,
    {
        let half = half_of(dim, cos.len(), sin.len())?;
        let Mat { shape: [rows, cols], strides, .. } = x.0;
        same_shape("x", [cos.len() / half, cols], [rows, cols])?;
        if !cols.is_multiple_of(dim) {
            return Err(crate::Error::rows("x", dim, cols).into());
        }
        let on = x.0.binding(self)?;
        self.turn([on, on], [rows, cols], strides, half, [cos, sin], style, inverse)
    }

    /// Attention; the log-sum-exps go to `lse` if there is one.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    pub(super) fn attend<T: Scalar>(
        &self,
        op: &Attention<T>,
        q: Mat<'_, T, D>,
        k: Mat<'_, T, D>,
        v: Mat<'_, T, D>,
        mask: Option<Mat<'_, T, D>>,
        out: MatMut<'_, T, D>,
        lse: Option<ViewMut<'_, T, D>>,
    ) -> Done
    where
        D: Computes<T>,
    {
        op.on(q.shape, k.shape, v.shape)?;
        let [n, len] = [q, k].map(|x| x.shape[0] / op.batch);
        let rows = mask.map(|mask| mask_rows(mask.shape, op.heads, n, len)).transpose()?;
        same_shape("out", op.results(q.shape[0]), out.0.shape)?;
        let sums = q.shape[0] * op.heads;
        if let Some(lse) = &lse {
            same_len("lse", sums, lse.len())?;
        }
        let matrices = [("q", q), ("k", k), ("v", v), ("out", out.0)];
        let (mut bound, strides) = self.matrices(matrices)?;
        let rows_lie = matrices.iter().all(|(_, x)| x.strides[1] == 1);
        let planner = &self.state.planner;
        if let (None, Some(of_floats)) = (mask, planner.rounds_attention(op, [n, len])) {
            let (sides, to) = (float_sides([q, k, v]), out.0.strides);
            if let Some(mut plan) = planner.group_attention(&of_floats, Group::Tf32, sides, to)? {
                match lse {
                    Some(lse) => bound.push(lse.binding(self)?),
                    None => plan.scratch.insert(0, 4 * sums as u64),
                }
                return self.run(&plan, &bound);
            }
        }
        if op.batch > 1 {
            let (one, of) = (Attention { batch: 1, ..*op }, op.batch);
            return (0..of).try_for_each(|at| {
                let [q, k, v] = [q, k, v].map(|x| x.sequence(at, of));
                let lse = lse.as_ref().map(|lse| lse.sequence(at, of)).transpose()?;
                self.attend(&one, q?, k?, v?, mask, out.sequence(at, of)?, lse)
            });
        }
        let sees_all = op.values() == op.dim && op.end(n, len) == len && mask.is_none();
        if n == 1 && len >= DECODED && size_of::<T>() == 4 && rows_lie && sees_all && op.dim <= FLASH_DIM {
            let pitches = [k, v].map(|x| x.strides[0]);
            let [q, k, v, out] = [q.binding(self)?, k.binding(self)?, v.binding(self)?, out.0.binding(self)?];
            let lse = lse.map(|lse| lse.binding(self)).transpose()?;
            return self.decoded::<f32, T>(op, len, [q, k, v, out], pitches, [0; 2], None, lse);
        }
        let mask = self.mask(mask, rows)?;
        self.state.planner.line::<T::Recorded>("lse", sums)?;
        if sums == 0 {
            return Ok(());
        }
        let (mut scores, numbers) = scored(op);
        let words = [&strides[..], &heads(op, n, len)].concat();
        let mut all = arguments(4, &words, &numbers);
        // Scratch comes after the operands.
        let sums_at = if lse.is_some() { 4 } else { 4 + mask.iter().len() };
        all.insert(4 + strides.len(), Argument::Buffer(sums_at));
        let scratch = if let Some(lse) = lse {
            bound.push(lse.binding(self)?);
            vec![]
        } else {
            vec![(sums * size_of::<T>()) as u64]
        };
        if let Some((mask, strides)) = mask {
            scores.masked = true;
            all.extend(masked::<T>(bound.len(), strides));
            bound.push(mask);
        }
        let grid = [n, op.heads];
        let launch = planner.attention::<T::Recorded>(Flash::Forward, scores, op.widest(), grid, all)?;
        self.go(vec![launch], scratch, &bound)
    }

    /// Its gradients.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    pub(super) fn attend_backward<T: Scalar>(
        &self,
        op: &Attention<T>,
        q: Mat<'_, T, D>,
        k: Mat<'_, T, D>,
        v: Mat<'_, T, D>,
        mask: Option<Mat<'_, T, D>>,
        out: Mat<'_, T, D>,
        lse: View<'_, T, D>,
        dout: Mat<'_, T, D>,
        dq: MatMut<'_, T, D>,
        dk: MatMut<'_, T, D>,
        dv: MatMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        op.on(q.shape, k.shape, v.shape)?;
        let [n, len] = [q, k].map(|x| x.shape[0] / op.batch);
        let rows = mask.map(|mask| mask_rows(mask.shape, op.heads, n, len)).transpose()?;
        let results = op.results(q.shape[0]);
        same_shape("out", results, out.shape)?;
        let sums = q.shape[0] * op.heads;
        same_len("lse", sums, lse.len())?;
        same_shape("dout", results, dout.shape)?;
        same_shape("dq", q.shape, dq.0.shape)?;
        same_shape("dk", k.shape, dk.0.shape)?;
        same_shape("dv", v.shape, dv.0.shape)?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("lse", 2 * sums)?;
        // Operands of all launches: q, k, v, out, dout, dq, dk, dv, lse, the mask if there is one, then the sums.
        let matrices = [
            ("q", q),
            ("k", k),
            ("v", v),
            ("out", out),
            ("dout", dout),
            ("dq", dq.0),
            ("dk", dk.0),
            ("dv", dv.0),
        ];
        let (mut bound, strides) = self.matrices(matrices)?;
        if let (None, Some(of_floats)) = (mask, planner.rounds_attention(op, [n, len])) {
            let strides = [out.strides, dq.0.strides, dk.0.strides, dv.0.strides];
            let sides = float_sides([q, k, v, dout]);
            if let Some(plan) = planner.group_gradients(&of_floats, Group::Tf32, sides, strides)? {
                let [q, k, v, dout, out] = [q, k, v, dout, out].map(|x| x.binding(self));
                let [dq, dk, dv] = [dq.0, dk.0, dv.0].map(|x| x.binding(self));
                return self.run(&plan, &[q?, k?, v?, dout?, out?, lse.binding(self)?, dq?, dk?, dv?]);
            }
        }
        if op.batch > 1 {
            let (one, of) = (Attention { batch: 1, ..*op }, op.batch);
            return (0..of).try_for_each(|at| {
                let ([q, k, v, out, dout], lse) =
                    ([q, k, v, out, dout].map(|x| x.sequence(at, of)), lse.sequence(at, of)?);
                let [dq, dk, dv] = [&dq, &dk, &dv].map(|x| x.sequence(at, of));
                self.attend_backward(&one, q?, k?, v?, mask, out?, lse, dout?, dq?, dk?, dv?)
            });
        }
        bound.push(lse.binding(self)?);
        let (mut scores, numbers) = scored(op);
        let mut rest = vec![];
        if let Some((mask, strides)) = self.mask(mask, rows)? {
            scores.masked = true;
            rest = masked::<T>(bound.len(), strides);
            bound.push(mask);
        }
        let at = core::array::from_fn(|k| if k == 9 { bound.len() } else { k });
        let launches = planner.gradients(op, [n, len], at, &strides, (scores, &numbers), &rest)?;
        self.go(launches, vec![(2 * sums.max(1) * size_of::<T>()) as u64], &bound)
    }

    /// A mask, and its strides of queries, keys and heads, which have so many rows each or share them.
    #[allow(clippy::type_complexity, reason = "an operand and strides")]
    fn mask<'a, T: Scalar>(
        &self,
        mask: Option<Mat<'a, T, D>>,
        rows: Option<usize>,
    ) -> Result<Option<(Binding<'a, D::Buffer>, [usize; 3])>, Error> {
        let Some((mask, rows)) = mask.zip(rows) else { return Ok(None) };
        self.state.planner.matrix::<T::Recorded>("mask", mask.shape, mask.strides)?;
        let [row, col] = mask.strides;
        Ok(Some((mask.binding(self)?, [row, col, rows * row])))
    }

    /// The operands and their strides.
    #[allow(clippy::type_complexity, reason = "operands and strides")]
    pub(super) fn matrices<'a, T: Scalar, const N: usize>(
        &self,
        all: [(&'static str, Mat<'a, T, D>); N],
    ) -> Result<(Vec<Binding<'a, D::Buffer>>, Vec<usize>), Error> {
        let (mut bound, mut strides) = (vec![], vec![]);
        for (arg, x) in all {
            self.state.planner.matrix::<T::Recorded>(arg, x.shape, x.strides)?;
            bound.push(x.binding(self)?);
            strides.extend(x.strides);
        }
        Ok((bound, strides))
    }
}

impl Planner {
    /// The gradients of attention by threads. `at` are the operands q, k, v, out, dout, dq, dk, dv, the log-sum-exps and room
    /// for the sums; `strides` those of the matrices; `rest` is what kernels are told of a mask.
    pub(super) fn gradients<T: Scalar>(
        &self,
        op: &Attention<T>,
        [n, len]: [usize; 2],
        at: [usize; 10],
        strides: &[usize],
        (scores, numbers): (Scores, &[T]),
        rest: &[Argument],
    ) -> Result<Vec<Launch>, Error> {
        let heads = heads(op, n, len);
        let place = |k: &usize| Argument::Buffer(at.get(*k).copied().unwrap_or(*k));
        let launch = |of: &[usize], more: &[usize]| {
            let mut all: Vec<Argument> = of.iter().map(place).collect();
            let of = of.iter().flat_map(|k| strides.get(2 * k..2 * k + 2).unwrap_or_default()).copied();
            all.extend(arguments::<T>(0, &of.collect::<Vec<_>>(), &[]));
            all.extend(more.iter().map(place));
            all.extend(arguments(0, &heads, numbers));
            all.extend(rest.iter().copied());
            all
        };
        let (mut launches, sums) = (vec![], n * op.heads);
        if sums > 0 {
            let make = || Some(attention::attention_sums::<T::Recorded>());
            let mut all = launch(&[3, 4], &[8, 9]);
            // Neither a cap nor a mask.
            all.truncate(all.len() + 1 - numbers.len() - rest.len());
            launches.push(self.flat::<T::Recorded>("attention_sums", make, sums, all)?);
            let (all, grid) = (launch(&[0, 1, 2, 4, 5], &[9]), [n, op.heads]);
            launches.push(self.attention::<T::Recorded>(Flash::Queries, scores, op.widest(), grid, all)?);
        }
        if len > 0 {
            let (all, grid) = (launch(&[0, 1, 2, 4, 6, 7], &[9]), [len, op.kv_heads]);
            launches.push(self.attention::<T::Recorded>(Flash::Keys, scores, op.widest(), grid, all)?);
        }
        Ok(launches)
    }
}

/// What kernels of attention are told.
pub(super) fn heads<T: Element>(op: &Attention<T>, n: usize, len: usize) -> [usize; 9] {
    let window = op.window.unwrap_or(usize::MAX);
    let (causal, group) = (usize::from(op.causal), op.heads / op.kv_heads);
    [n, len, op.heads, group, op.dim, causal, window, op.values(), op.end(n, len)]
}

/// What is done with scores, but for a mask, and the numbers for it.
pub(super) fn scored<T: Element>(op: &Attention<T>) -> (Scores, Vec<T>) {
    let numbers = [Some(op.scale), op.softcap].into_iter().flatten().collect();
    (Scores { capped: op.softcap.is_some(), masked: false }, numbers)
}

/// What kernels are told of a mask, which is operand `at`.
fn masked<T: Scalar>(at: usize, strides: [usize; 3]) -> Vec<Argument> {
    let mut all = vec![Argument::Buffer(at)];
    all.extend(arguments::<T>(0, &strides, &[]));
    all
}
