//! Layers of transformers and their backward passes on devices.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::template::flat::{self, Gates};
use super::super::template::norm_backward::{self, COLUMN_PARTS, COLUMN_ROWS, Slope};
use super::super::template::{self, Argument, Pieces, THREADS, Threads, layer};
use super::super::types::F32;
use super::ops::{Done, Scalar, arguments, called};
use super::plan::wide;
use super::{Gpu, Mat, MatMut, View, ViewMut};
use crate::alu::not_negative;
use crate::backend::Layers;
use crate::error::{not_empty, same_len};
use crate::parts::count;
use crate::{Adagrad, Adam, Attention, Momentum, RopeStyle};
use alloc::vec;
use alloc::vec::Vec;

/// Threads of a row at most whose registers hold it, its gradients and the sums by column.
const HELD_THREADS: u32 = 512;

fn twice(cols: usize) -> Result<usize, Error> {
    Ok(cols.checked_mul(2).ok_or(crate::Error::overflow("cols"))?)
}

impl<D: Device> Gpu<D> {
    /// How threads take gates, and what comes of them, in rows of `cols`.
    fn gates<T: Scalar>(&self, bound: &[Binding<'_, D::Buffer>], cols: usize) -> Gates {
        let wide = wide(bound) && (cols * size_of::<T>()).is_multiple_of(16);
        let halves = bound.iter().all(|b| b.start.is_multiple_of(32) && self.state.is_bf16(b.buffer));
        match wide {
            true if halves => Gates::Near,
            true => Gates::Wide,
            false => Gates::Single,
        }
    }

    /// The gradients of a norm; those of its weights are added to.
    fn norm_slope<T: Scalar>(
        &self,
        of: Slope,
        [x, gamma, dy]: [View<'_, T, D>; 3],
        eps: T,
        dx: ViewMut<'_, T, D>,
        dgamma: ViewMut<'_, T, D>,
        dbeta: Option<ViewMut<'_, T, D>>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let cols = gamma.len();
        not_empty("gamma", cols)?;
        not_negative("eps", eps)?;
        let rows = count("x", x.len(), cols)?;
        same_len("dy", x.len(), dy.len())?;
        same_len("dx", x.len(), dx.len())?;
        same_len("dgamma", cols, dgamma.len())?;
        if let Some(dbeta) = &dbeta {
            same_len("dbeta", cols, dbeta.len())?;
        }
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("x", x.len())?;
        planner.line::<T::Recorded>("x", rows.saturating_mul(4))?;
        if rows == 0 {
            return Ok(());
        }
        let mut bound = vec![x.binding(self)?, gamma.binding(self)?, dy.binding(self)?];
        bound.extend([dx.binding(self)?, dgamma.binding(self)?]);
        bound.extend(dbeta.as_ref().map(|d| d.binding(self)).transpose()?);
        // Behind the operands: what the rows leave, and the sums of parts.
        let units = bound.len();
        let (op, count) = (of.name(), rows.div_ceil(COLUMN_ROWS as usize));
        let told = |buffers: &[usize], words: &[usize], numbers: &[T]| {
            let mut all: Vec<Argument> = buffers.iter().map(|k| Argument::Buffer(*k)).collect();
            all.extend(arguments(0, words, numbers));
            all
        };
        let width = size_of::<T>() as u64;
        let last = |launches: &mut Vec<_>, parts: usize, many: usize, to: usize| {
            let make = || Some(norm_backward::add_columns::<T::Recorded>(false));
            let all = told(&[parts, to], &[many, cols], &[]);
            launches.push(planner.flat::<T::Recorded>("add_columns", make, cols, all)?);
            Ok::<_, Error>(())
        };
        // A thread's registers have room for these of a block of up to so many.
        let by = planner.holding::<T::Recorded>([rows, cols], wide(&bound));
        if let Some(by) = by.filter(|(threads, held)| threads.row <= HELD_THREADS && held.each <= 4) {
            let (threads, held) = by;
            // As many threads as have registers at once.
            let sets = planner.blocks as usize * 64 / threads.block as usize;
            let grid = rows.div_ceil(threads.rows() as usize).min(sets.max(1));
            let parts = grid * threads.rows() as usize;
            let make = || Some(norm_backward::norm_backward_held::<T::Recorded>(planner.meet, by, of));
            let program = planner.one_by::<T::Recorded>(op, threads.row << 4 | held.each, make)?;
            let all = told(&[0, 1, 2, 3, units, units + 1], &[rows, cols], &[eps]);
            let mut launches = vec![planner.grid_of(program, threads.block, [grid, 1], all)?];
            let fewer = COLUMN_PARTS as usize;
            for (k, to) in (4..units).enumerate() {
                if parts <= 2 * fewer {
                    last(&mut launches, units + k, parts, to)?;
                    continue;
                }
                let make = || Some(norm_backward::add_columns::<T::Recorded>(true));
                let all = told(&[units + k, units + 2], &[parts, cols], &[]);
                launches.push(planner.flat::<T::Recorded>("fold_columns", make, fewer * cols, all)?);
                last(&mut launches, units + 2, fewer, to)?;
            }
            let [parts, fewer] = [parts, fewer].map(|n| n as u64 * cols as u64 * width);
            return self.go(launches, vec![parts, parts, fewer], &bound);
        }
        let rows_of = |meet| norm_backward::norm_backward::<T::Recorded>(meet, of);
        let all = told(&[0, 1, 2, 3, units], &[rows, cols], &[eps]);
        let mut launches = vec![planner.blocks::<T::Recorded>(op, rows_of, [rows, 1], all)?];
        let make = |_| norm_backward::scaled_columns::<T::Recorded>();
        let all = told(&[0, 2, units, units + 1, units + 2], &[rows, cols], &[]);
        let grid = [cols.div_ceil(THREADS as usize), count];
        launches.push(planner.blocks::<T::Recorded>("scaled_columns", make, grid, all)?);
        for (k, to) in (4..units).enumerate() {
            last(&mut launches, units + 1 + k, count, to)?;
        }
        let parts = count as u64 * cols as u64 * width;
        self.go(launches, vec![4 * rows as u64 * width, parts, parts], &bound)
    }

    /// The gradient of softmax or of its logarithm.
    fn softmax_slope<T: Scalar>(
        &self,
        op: &'static str,
        y: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: &ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let rows = count("y", y.len(), cols)?;
        same_len("dy", y.len(), dy.len())?;
        same_len("dx", y.len(), dx.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("y", y.len())?;
        if rows == 0 {
            return Ok(());
        }
        let log = op == "log_softmax_backward";
        let make = |meet, by| Some(layer::softmax_backward::<T::Recorded>(meet, by, log));
        let all = arguments::<T>(3, &[rows, cols], &[]);
        let bound = [y.binding(self)?, dy.binding(self)?, dx.binding(self)?];
        let by = planner.holding::<T::Recorded>([rows, cols], wide(&bound));
        let by = by.unwrap_or((Threads::BLOCK, Pieces::NONE));
        self.run_one(planner.by_rows::<T::Recorded>(op, make, by, rows, all)?, &bound)
    }

    /// `scatter` or `scatter_add`.
    fn rows_by_index<T: Scalar>(
        &self,
        op: &'static str,
        x: View<'_, T, D>,
        cols: usize,
        ids: View<'_, u32, D>,
        out: &ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let rows = count("out", out.len(), cols)?;
        same_len("x", ids.len().saturating_mul(cols), x.len())?;
        let planner = &self.state.planner;
        self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
        if x.is_empty() {
            return Ok(());
        }
        let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
        let (n, words) = (ids.len(), [ids.len(), cols, rows]);
        if op == "scatter" {
            return self.run_blocks::<T>(op, layer::scatter::<T::Recorded>, [n, 1], &bound, (&words, &[]));
        }
        let mut all = [1, 4].map(Argument::Buffer).to_vec();
        all.extend(arguments::<T>(0, &[n], &[]));
        let threads = (Threads { block: THREADS, row: 32 }, Pieces::NONE);
        let links = |meet, (threads, _)| Some(layer::scatter_links(meet, threads));
        let links = planner.by_rows::<F32>("scatter_links", links, threads, n, all)?;
        let across = cols.div_ceil(THREADS as usize).min(planner.limits.grid[1] as usize);
        let all = arguments::<T>(5, &[n, cols, rows, across * THREADS as usize], &[]);
        let add =
            planner.blocks::<T::Recorded>(op, |_| layer::scatter_add::<T::Recorded>(), [n, across], all)?;
        self.go(vec![links, add], vec![8 * n as u64], &bound)
    }
}

impl<T: Scalar, D: Computes<T>> Layers<T> for Gpu<D> {
    fn swiglu_packed(&self, x: View<'_, T, D>, cols: usize, out: ViewMut<'_, T, D>) -> Done {
        called!(swiglu_packed, {
            not_empty("cols", cols)?;
            let rows = count("x", x.len(), twice(cols)?)?;
            same_len("out", rows * cols, out.len())?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len())?;
            if rows == 0 {
                return Ok(());
            }
            let all = arguments::<T>(2, &[out.len(), cols], &[]);
            let bound = [x.binding(self)?, out.binding(self)?];
            if rows == 1 && self.gates_last::<T>(bound)? {
                return Ok(());
            }
            let by = self.gates::<T>(&bound, cols);
            let make = |wide| Some(flat::swiglu_packed::<T::Recorded>(if wide { by } else { Gates::Single }));
            let op = if by == Gates::Near { "swiglu_packed_near" } else { "swiglu_packed" };
            let launch = planner.map_by::<T::Recorded>(op, (by != Gates::Single, 2), make, out.len(), all)?;
            self.run_one(launch, &bound)
        })
    }

    fn swiglu_packed_backward(
        &self,
        x: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        called!(swiglu_packed_backward, {
            not_empty("cols", cols)?;
            let rows = count("x", x.len(), twice(cols)?)?;
            same_len("dy", rows * cols, dy.len())?;
            same_len("dx", x.len(), dx.len())?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len())?;
            if rows == 0 {
                return Ok(());
            }
            let all = arguments::<T>(3, &[dy.len(), cols], &[]);
            let bound = [x.binding(self)?, dy.binding(self)?, dx.binding(self)?];
            let by = self.gates::<T>(&bound, cols);
            let make = |wide| {
                Some(flat::swiglu_packed_backward::<T::Recorded>(if wide { by } else { Gates::Single }))
            };
            let op = if by == Gates::Near { "swiglu_packed_backward_near" } else { "swiglu_packed_backward" };
            let launch = planner.map_by::<T::Recorded>(op, (by != Gates::Single, 2), make, dy.len(), all)?;
            self.run_one(launch, &bound)
        })
    }

    fn rms_norm_residual(
        &self,
        x: View<'_, T, D>,
        mut residual: ViewMut<'_, T, D>,
        gamma: View<'_, T, D>,
        eps: T,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(rms_norm_residual, {
            not_empty("gamma", gamma.len())?;
            not_negative("eps", eps)?;
            count("x", x.len(), gamma.len())?;
            same_len("residual", x.len(), residual.len())?;
            same_len("out", x.len(), out.len())?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len())?;
            let [rows, cols] = [x.len() / gamma.len(), gamma.len()];
            let bound = [x.binding(self)?, residual.binding(self)?, gamma.binding(self)?, out.binding(self)?];
            match planner.holding::<T::Recorded>([rows, cols], wide(&bound)).filter(|_| rows > 0) {
                Some(by) => {
                    let all = arguments::<T>(4, &[rows, cols], &[eps]);
                    let make = |meet, by| Some(template::rms_norm_residual::<T::Recorded>(meet, by));
                    let launch = planner.by_rows::<T::Recorded>("rms_norm_residual", make, by, rows, all)?;
                    self.run_one(launch, &bound)
                }
                None => {
                    self.add_in_place(residual.lend(), x)?;
                    self.rms_norm(residual.read(), gamma, eps, out)
                }
            }
        })
    }

    fn rms_norm_backward(
        &self,
        x: View<'_, T, D>,
        gamma: View<'_, T, D>,
        dy: View<'_, T, D>,
        eps: T,
        dx: ViewMut<'_, T, D>,
        dgamma: ViewMut<'_, T, D>,
    ) -> Done {
        called!(rms_norm_backward, { self.norm_slope(Slope::Rms, [x, gamma, dy], eps, dx, dgamma, None) })
    }

    fn rms_norm_residual_backward(
        &self,
        x: View<'_, T, D>,
        gamma: View<'_, T, D>,
        dy: View<'_, T, D>,
        eps: T,
        dx: ViewMut<'_, T, D>,
        dgamma: ViewMut<'_, T, D>,
    ) -> Done {
        called!(rms_norm_residual_backward, {
            self.norm_slope(Slope::Residual, [x, gamma, dy], eps, dx, dgamma, None)
        })
    }

    fn layer_norm_backward(
        &self,
        x: View<'_, T, D>,
        gamma: View<'_, T, D>,
        dy: View<'_, T, D>,
        eps: T,
        dx: ViewMut<'_, T, D>,
        dgamma: ViewMut<'_, T, D>,
        dbeta: ViewMut<'_, T, D>,
    ) -> Done {
        called!(layer_norm_backward, {
            self.norm_slope(Slope::Layer, [x, gamma, dy], eps, dx, dgamma, Some(dbeta))
        })
    }

    fn softmax_backward(
        &self,
        y: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        called!(softmax_backward, { self.softmax_slope("softmax_backward", y, dy, cols, &dx) })
    }

    fn log_softmax_backward(
        &self,
        y: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        called!(log_softmax_backward, { self.softmax_slope("log_softmax_backward", y, dy, cols, &dx) })
    }

    fn masked_softmax(
        &self,
        x: View<'_, T, D>,
        mask: View<'_, T, D>,
        cols: usize,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(masked_softmax, {
            let rows = count("x", x.len(), cols)?;
            same_len("out", x.len(), out.len())?;
            let step = if mask.len() == cols { 0 } else { cols };
            if step > 0 {
                same_len("mask", x.len(), mask.len())?;
            }
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len())?;
            if rows == 0 {
                return Ok(());
            }
            let bound = [x.binding(self)?, mask.binding(self)?, out.binding(self)?];
            let words = [rows, cols, step];
            let make = layer::masked_softmax::<T::Recorded>;
            self.run_blocks::<T>("masked_softmax", make, [rows, 1], &bound, (&words, &[]))
        })
    }

    fn cross_entropy(
        &self,
        logits: View<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        losses: ViewMut<'_, T, D>,
        lse: ViewMut<'_, T, D>,
    ) -> Done {
        called!(cross_entropy, { self.entropy(logits, targets, cols, losses, lse) })
    }

    fn cross_entropy_backward(
        &self,
        logits: View<'_, T, D>,
        targets: View<'_, u32, D>,
        lse: View<'_, T, D>,
        cols: usize,
        scale: T,
        dlogits: ViewMut<'_, T, D>,
    ) -> Done {
        called!(cross_entropy_backward, {
            let z = (logits.binding(self)?, logits.len());
            self.entropy_slope(z, targets, lse, cols, scale, Some(&dlogits))
        })
    }

    fn cross_entropy_backward_in_place(
        &self,
        logits: ViewMut<'_, T, D>,
        targets: View<'_, u32, D>,
        lse: View<'_, T, D>,
        cols: usize,
        scale: T,
    ) -> Done {
        let z = (logits.binding(self)?, logits.len());
        self.entropy_slope(z, targets, lse, cols, scale, None)
    }

    fn cross_entropy_with_gradient(
        &self,
        logits: ViewMut<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        scale: T,
        losses: ViewMut<'_, T, D>,
    ) -> Done {
        called!(cross_entropy_with_gradient, { self.entropy_and_slope(logits, targets, cols, scale, losses) })
    }

    fn embedding(
        &self,
        table: View<'_, T, D>,
        cols: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(embedding, {
            let rows = count("table", table.len(), cols)?;
            same_len("out", ids.len().saturating_mul(cols), out.len())?;
            self.all_lines::<T>(&[("table", table.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let bound = [table.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [out.len(), cols, rows];
            self.run_flat::<T>("embedding", flat::embedding::<T::Recorded>, out.len(), &bound, (&words, &[]))
        })
    }

    fn scatter(&self, x: View<'_, T, D>, cols: usize, ids: View<'_, u32, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(scatter, { self.rows_by_index("scatter", x, cols, ids, &out) })
    }

    fn scatter_add(
        &self,
        x: View<'_, T, D>,
        cols: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(scatter_add, { self.rows_by_index("scatter_add", x, cols, ids, &out) })
    }

    fn sgd(&self, lr: T, weight_decay: T, g: View<'_, T, D>, p: ViewMut<'_, T, D>) -> Done {
        called!(sgd, { self.step("sgd", &[lr, weight_decay], g, [("p", p)]) })
    }

    fn momentum(
        &self,
        with: Momentum<T>,
        g: View<'_, T, D>,
        m: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        called!(momentum, { self.step("momentum", &with.numbers(), g, [("m", m), ("p", p)]) })
    }

    fn adagrad(
        &self,
        with: Adagrad<T>,
        g: View<'_, T, D>,
        v: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        called!(adagrad, {
            let Adagrad { lr, eps, weight_decay } = with;
            not_negative("eps", eps)?;
            self.step("adagrad", &[lr, eps, weight_decay], g, [("v", v), ("p", p)])
        })
    }

    fn adam(
        &self,
        with: Adam<T>,
        g: View<'_, T, D>,
        m: ViewMut<'_, T, D>,
        v: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        called!(adam, { self.step_of_adam("adam", with, g, [("m", m), ("v", v), ("p", p)]) })
    }

    fn adamw(
        &self,
        with: Adam<T>,
        g: View<'_, T, D>,
        m: ViewMut<'_, T, D>,
        v: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        called!(adamw, { self.step_of_adam("adamw", with, g, [("m", m), ("v", v), ("p", p)]) })
    }

    fn rope(
        &self,
        x: View<'_, T, D>,
        dim: usize,
        cos: View<'_, T, D>,
        sin: View<'_, T, D>,
        style: RopeStyle,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(rope, { self.turn_rows(x, dim, cos, sin, style, false, &out) })
    }

    fn rope_backward(
        &self,
        x: View<'_, T, D>,
        dim: usize,
        cos: View<'_, T, D>,
        sin: View<'_, T, D>,
        style: RopeStyle,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(rope_backward, { self.turn_rows(x, dim, cos, sin, style, true, &out) })
    }

    fn rope_view(
        &self,
        x: MatMut<'_, T, D>,
        dim: usize,
        cos: View<'_, T, D>,
        sin: View<'_, T, D>,
        style: RopeStyle,
        inverse: bool,
    ) -> Done {
        called!(rope_view, { self.turn_view(x, dim, cos, sin, style, inverse) })
    }

    fn attention(
        &self,
        op: &Attention<T>,
        q: Mat<'_, T, D>,
        k: Mat<'_, T, D>,
        v: Mat<'_, T, D>,
        mask: Option<Mat<'_, T, D>>,
        out: MatMut<'_, T, D>,
        lse: Option<ViewMut<'_, T, D>>,
        _: (),
    ) -> Done {
        called!(attention, { self.attend(op, q, k, v, mask, out, lse) })
    }

    fn attention_backward(
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
        _: (),
    ) -> Done {
        called!(attention_backward, { self.attend_backward(op, q, k, v, mask, out, lse, dout, dq, dk, dv) })
    }

    fn clip_by_norm(&self, max_norm: T, g: ViewMut<'_, T, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(clip_by_norm, { self.clip(max_norm, g, out) })
    }
}
