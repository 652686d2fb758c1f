//! Attention, its gradients, and the pairs that positions turn.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::template::flash::Flash;
use super::super::template::{Argument, attention, flat};
use super::ops::{Done, Scalar, arguments};
use super::{Gpu, Mat, MatMut, View, ViewMut};
use crate::error::{same_len, same_shape};
use crate::lanes::Element;
use crate::nn::half_of;
use crate::{Attention, RopeStyle};
use alloc::vec;
use alloc::vec::Vec;

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
        let launch = planner.flat::<T::Recorded>(
            "rope",
            || Some(flat::rope::<T::Recorded>()),
            n,
            arguments(4, &words, &[sign]),
        )?;
        self.go(vec![launch], vec![], &[x, out, cos.binding(self)?, sin.binding(self)?])
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
        let unit = rows.checked_mul(dim).ok_or(crate::Error::Overflow { arg: "dim" })?;
        if x.len().checked_rem(unit).unwrap_or(x.len()) != 0 {
            return Err(crate::Error::Rows { arg: "x", cols: unit, got: x.len() }.into());
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
            return Err(crate::Error::Rows { arg: "x", cols: dim, got: cols }.into());
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
        out: MatMut<'_, T, D>,
        lse: Option<ViewMut<'_, T, D>>,
    ) -> Done
    where
        D: Computes<T>,
    {
        op.on(q.shape, k.shape, v.shape)?;
        same_shape("out", q.shape, out.0.shape)?;
        let sums = q.shape[0] * op.heads;
        if let Some(lse) = &lse {
            same_len("lse", sums, lse.len())?;
        }
        let matrices = [("q", q), ("k", k), ("v", v), ("out", out.0)];
        let (bound, strides) = self.matrices(matrices)?;
        self.state.planner.line::<T::Recorded>("lse", sums)?;
        if sums == 0 {
            return Ok(());
        }
        let words = [&strides[..], &heads(op, q.shape[0], k.shape[0])].concat();
        let mut all = arguments(4, &words, &[op.scale]);
        all.insert(4 + strides.len(), Argument::Buffer(4));
        let grid = [q.shape[0], op.heads];
        let launch = self.state.planner.attention::<T::Recorded>(Flash::Forward, op.dim, grid, all)?;
        match lse {
            Some(lse) => self.go(vec![launch], vec![], &[&bound[..], &[lse.binding(self)?]].concat()),
            None => self.go(vec![launch], vec![(sums * size_of::<T>()) as u64], &bound),
        }
    }

    /// Its gradients.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
    pub(super) fn attend_backward<T: Scalar>(
        &self,
        op: &Attention<T>,
        q: Mat<'_, T, D>,
        k: Mat<'_, T, D>,
        v: Mat<'_, T, D>,
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
        same_shape("out", q.shape, out.shape)?;
        let ([n, _], [len, _]) = (q.shape, k.shape);
        let sums = n * op.heads;
        same_len("lse", sums, lse.len())?;
        same_shape("dout", q.shape, dout.shape)?;
        same_shape("dq", q.shape, dq.0.shape)?;
        same_shape("dk", k.shape, dk.0.shape)?;
        same_shape("dv", k.shape, dv.0.shape)?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("lse", sums)?;
        let heads = heads(op, n, len);
        // Operands of all launches: q, k, v, out, dout, dq, dk, dv, lse, then the means.
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
        bound.push(lse.binding(self)?);
        let launch = |of: &[usize], more: &[usize]| {
            let mut all: Vec<Argument> = of.iter().map(|k| Argument::Buffer(*k)).collect();
            let of = of.iter().flat_map(|k| strides.get(2 * k..2 * k + 2).unwrap_or_default()).copied();
            all.extend(arguments::<T>(0, &of.collect::<Vec<_>>(), &[]));
            all.extend(more.iter().map(|k| Argument::Buffer(*k)));
            all.extend(arguments(0, &heads, &[op.scale]));
            all
        };
        let mut launches = vec![];
        if sums > 0 {
            let make = || Some(attention::attention_means::<T::Recorded>());
            launches.push(planner.flat::<T::Recorded>(
                "attention_means",
                make,
                sums,
                launch(&[3, 4], &[9]),
            )?);
            let all = launch(&[0, 1, 2, 4, 5], &[8, 9]);
            launches.push(planner.attention::<T::Recorded>(Flash::Queries, op.dim, [n, op.heads], all)?);
        }
        if len > 0 {
            let all = launch(&[0, 1, 2, 4, 6, 7], &[8, 9]);
            launches.push(planner.attention::<T::Recorded>(Flash::Keys, op.dim, [len, op.kv_heads], all)?);
        }
        self.go(launches, vec![(sums.max(1) * size_of::<T>()) as u64], &bound)
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

/// What kernels of attention are told.
pub(super) fn heads<T: Element>(op: &Attention<T>, n: usize, len: usize) -> [usize; 7] {
    let window = op.window.unwrap_or(usize::MAX);
    [n, len, op.heads, op.heads / op.kv_heads, op.dim, usize::from(op.causal), window]
}
