//! Products with vectors, layers of transformers, their gradients and the steps of optimisers.

use super::super::device::{Binding, Computes, Device, Error, Launch};
use super::super::template::flash::Flash;
use super::super::template::{Argument, COLUMN_ROWS, THREADS, TRANSPOSE_TILE, attention, flat, layer};
use super::ops::{Done, Scalar, bits};
use super::plan::wide;
use super::{Gpu, Mat, MatMut, Plan, View, ViewMut};
use crate::backend::{Layers, Products};
use crate::error::{not_empty, not_negative, same_len, same_shape};
use crate::lanes::Element;
use crate::nn::half_of;
use crate::nn::parts::count;
use crate::{Adam, Attention, RopeStyle};
use alloc::vec;
use alloc::vec::Vec;

/// The arguments of a kernel: buffers `0..buffers`, words, then numbers.
fn arguments<T: Scalar>(buffers: usize, words: &[usize], numbers: &[T]) -> Vec<Argument> {
    let mut all: Vec<Argument> = (0..buffers).map(Argument::Buffer).collect();
    // Strides that no element needs may be longer than a word.
    all.extend(words.iter().map(|w| Argument::Bits(u64::from(u32::try_from(*w).unwrap_or(u32::MAX)))));
    all.extend(numbers.iter().map(|x| Argument::Bits(bits(*x))));
    all
}

fn twice(cols: usize) -> Result<usize, Error> {
    Ok(cols.checked_mul(2).ok_or(crate::Error::Overflow { arg: "cols" })?)
}

impl<D: Device> Gpu<D> {
    fn go(
        &self,
        launches: Vec<Launch>,
        scratch: Vec<u64>,
        operands: &[Binding<'_, D::Buffer>],
    ) -> Result<(), Error> {
        self.run(&Plan { launches, scratch }, operands)
    }

    /// The status words as an operand.
    fn status(&self) -> Result<Binding<'_, D::Buffer>, Error> {
        let buffer = self.state.status()?;
        Ok(Binding { buffer, start: 0, bytes: 4 * super::super::template::Index::ALL.len() as u64 })
    }

    /// A step of an optimiser.
    fn step<T: Scalar, const K: usize>(
        &self,
        op: &'static str,
        numbers: &[T],
        g: View<'_, T, D>,
        y: [(&'static str, ViewMut<'_, T, D>); K],
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = g.len();
        let mut bound = vec![g.binding(self)?];
        for (arg, y) in &y {
            same_len(arg, n, y.len())?;
            bound.push(y.binding(self)?);
        }
        self.state.planner.line::<T::Recorded>("g", n)?;
        if n == 0 {
            return Ok(());
        }
        let arguments = arguments(K + 1, &[n], numbers);
        let wide = wide(&bound);
        let launch = self.state.planner.map::<T::Recorded>(
            op,
            wide,
            |wide| flat::optimiser::<T::Recorded>(op, wide),
            n,
            arguments,
        )?;
        self.go(vec![launch], vec![], &bound)
    }

    /// A step of either form of Adam.
    fn step_of_adam<T: Scalar>(
        &self,
        op: &'static str,
        with: Adam<T>,
        g: View<'_, T, D>,
        y: [(&'static str, ViewMut<'_, T, D>); 3],
    ) -> Done
    where
        D: Computes<T>,
    {
        for (arg, y) in &y {
            same_len(arg, g.len(), y.len())?;
        }
        with.check()?;
        let [c1, c2] = with.unbias();
        let numbers = [with.lr, with.beta1, with.beta2, with.eps, with.weight_decay, c1, c2];
        self.step(op, &numbers, g, y)
    }

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
    fn turn_rows<T: Scalar>(
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

    /// The gradient of `cross_entropy`, from `z` to `out`.
    fn entropy_slope<T: Scalar>(
        &self,
        (z, z_len): (Binding<'_, D::Buffer>, usize),
        targets: View<'_, u32, D>,
        lse: View<'_, T, D>,
        cols: usize,
        scale: T,
        out: Option<&ViewMut<'_, T, D>>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let rows = count("logits", z_len, cols)?;
        if let Some(out) = out {
            same_len("dlogits", z_len, out.len())?;
        }
        same_len("targets", rows, targets.len())?;
        same_len("lse", rows, lse.len())?;
        self.state.planner.line::<T::Recorded>("logits", z_len)?;
        if z_len == 0 {
            return Ok(());
        }
        let mut all = arguments(4, &[z_len, cols], &[scale]);
        // Over the logits, both are one buffer.
        if out.is_none()
            && let Some(to) = all.get_mut(3)
        {
            *to = Argument::Buffer(0);
        }
        let status = if out.is_some() { 4 } else { 3 };
        all.insert(4, Argument::Buffer(status));
        let mut bound = vec![z, targets.binding(self)?, lse.binding(self)?];
        if let Some(out) = out {
            bound.push(out.binding(self)?);
        }
        bound.push(self.status()?);
        let make = || Some(flat::cross_entropy_backward::<T::Recorded>());
        let launch = self.state.planner.flat::<T::Recorded>("cross_entropy_backward", make, z_len, all)?;
        self.go(vec![launch], vec![], &bound)
    }

    /// The gradients of a norm; those of its weights are added to.
    fn norm_slope<T: Scalar>(
        &self,
        op: &'static str,
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
        let centred = dbeta.is_some();
        let count = rows.div_ceil(COLUMN_ROWS as usize);
        let told = |buffers: &[usize], words: &[usize], numbers: &[T]| {
            let mut all: Vec<Argument> = buffers.iter().map(|k| Argument::Buffer(*k)).collect();
            all.extend(arguments(0, words, numbers));
            all
        };
        let rows_of = |meet| layer::norm_backward::<T::Recorded>(meet, centred);
        let all = told(&[0, 1, 2, 3, units], &[rows, cols], &[eps]);
        let mut launches = vec![planner.blocks::<T::Recorded>(op, rows_of, [rows, 1], all)?];
        let make = |_| layer::scaled_columns::<T::Recorded>();
        let all = told(&[0, 2, units, units + 1, units + 2], &[rows, cols], &[]);
        let grid = [cols.div_ceil(THREADS as usize), count];
        launches.push(planner.blocks::<T::Recorded>("scaled_columns", make, grid, all)?);
        for (k, to) in (4..units).enumerate() {
            let make = || Some(layer::add_columns::<T::Recorded>());
            let all = told(&[units + 1 + k, to], &[count, cols], &[]);
            launches.push(planner.flat::<T::Recorded>("add_columns", make, cols, all)?);
        }
        let width = size_of::<T>() as u64;
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
        let make = |meet| layer::softmax_backward::<T::Recorded>(meet, log);
        let all = arguments::<T>(3, &[rows, cols], &[]);
        let launch = planner.blocks::<T::Recorded>(op, make, [rows, 1], all)?;
        self.go(vec![launch], vec![], &[y.binding(self)?, dy.binding(self)?, dx.binding(self)?])
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
        planner.line::<T::Recorded>("x", x.len())?;
        planner.line::<T::Recorded>("out", out.len())?;
        if x.is_empty() {
            return Ok(());
        }
        let all = arguments::<T>(4, &[ids.len(), cols, rows], &[]);
        let add = op == "scatter_add";
        let make = |meet| layer::scatter::<T::Recorded>(meet, add);
        let launch = planner.blocks::<T::Recorded>(op, make, [ids.len(), 1], all)?;
        let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
        self.go(vec![launch], vec![], &bound)
    }
}

impl<T: Scalar, D: Computes<T> + 'static> Products<T> for Gpu<D> {
    fn gemm(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
        Self::gemm(self, alpha, a, b, beta, c)
    }

    fn gemm_backward_a(
        &self,
        dc: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        da: MatMut<'_, T, D>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
        same_shape("b", [b.shape[0], dc.shape[1]], b.shape)?;
        same_shape("da", [dc.shape[0], b.shape[0]], da.0.shape)?;
        Self::gemm(self, T::ONE, dc, b.t(), beta, da)
    }

    fn gemm_backward_b(
        &self,
        a: Mat<'_, T, D>,
        dc: Mat<'_, T, D>,
        beta: T,
        db: MatMut<'_, T, D>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
        same_shape("dc", [a.shape[0], dc.shape[1]], dc.shape)?;
        same_shape("db", [a.shape[1], dc.shape[1]], db.0.shape)?;
        Self::gemm(self, T::ONE, a.t(), dc, beta, db)
    }

    fn transpose(&self, a: Mat<'_, T, D>, b: MatMut<'_, T, D>) -> Done {
        let [m, n] = a.shape;
        same_shape("b", [n, m], b.0.shape)?;
        let planner = &self.state.planner;
        planner.matrix::<T::Recorded>("a", a.shape, a.strides)?;
        planner.matrix::<T::Recorded>("b", b.0.shape, b.0.strides)?;
        if m == 0 || n == 0 {
            return Ok(());
        }
        let words = [m, n, a.strides[0], a.strides[1], b.0.strides[0], b.0.strides[1]];
        let tiles = [n, m].map(|n| n.div_ceil(TRANSPOSE_TILE as usize));
        let make = |_| layer::transpose::<T::Recorded>();
        let all = arguments::<T>(2, &words, &[]);
        let launch = planner.blocks::<T::Recorded>("transpose", make, tiles, all)?;
        self.go(vec![launch], vec![], &[a.binding(self)?, b.0.binding(self)?])
    }

    fn gemv(&self, alpha: T, a: Mat<'_, T, D>, x: Mat<'_, T, D>, beta: T, y: MatMut<'_, T, D>) -> Done {
        let [m, n] = a.shape;
        same_len("x", n, x.shape[0])?;
        same_len("y", m, y.0.shape[0])?;
        // Threads of a block read neighbours; down the columns, those of a tile do.
        if a.strides[1] > a.strides[0] {
            return Self::gemm(self, alpha, a, x, beta, y);
        }
        let planner = &self.state.planner;
        planner.matrix::<T::Recorded>("a", a.shape, a.strides)?;
        planner.matrix::<T::Recorded>("x", x.shape, x.strides)?;
        planner.matrix::<T::Recorded>("y", y.0.shape, y.0.strides)?;
        if m == 0 {
            return Ok(());
        }
        let n = if alpha == T::ZERO { 0 } else { n };
        let words = [m, n, a.strides[0], a.strides[1], x.strides[0], y.0.strides[0]];
        let all = arguments(3, &words, &[alpha, beta]);
        let launch = planner.blocks::<T::Recorded>("gemv", layer::gemv::<T::Recorded>, [m, 1], all)?;
        self.go(vec![launch], vec![], &[a.binding(self)?, x.binding(self)?, y.0.binding(self)?])
    }
}

impl<T: Scalar, D: Computes<T> + 'static> Layers<T> for Gpu<D> {
    fn swiglu_packed(&self, x: View<'_, T, D>, cols: usize, out: ViewMut<'_, T, D>) -> Done {
        not_empty("cols", cols)?;
        let rows = count("x", x.len(), twice(cols)?)?;
        same_len("out", rows * cols, out.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("x", x.len())?;
        if rows == 0 {
            return Ok(());
        }
        let all = arguments::<T>(2, &[out.len(), cols], &[]);
        let make = || Some(flat::swiglu_packed::<T::Recorded>());
        let launch = planner.flat::<T::Recorded>("swiglu_packed", make, out.len(), all)?;
        self.go(vec![launch], vec![], &[x.binding(self)?, out.binding(self)?])
    }

    fn swiglu_packed_backward(
        &self,
        x: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
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
        let make = || Some(flat::swiglu_packed_backward::<T::Recorded>());
        let launch = planner.flat::<T::Recorded>("swiglu_packed_backward", make, dy.len(), all)?;
        self.go(vec![launch], vec![], &[x.binding(self)?, dy.binding(self)?, dx.binding(self)?])
    }

    fn rms_norm_residual(
        &self,
        x: View<'_, T, D>,
        mut residual: ViewMut<'_, T, D>,
        gamma: View<'_, T, D>,
        eps: T,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        not_empty("gamma", gamma.len())?;
        not_negative("eps", eps)?;
        count("x", x.len(), gamma.len())?;
        same_len("residual", x.len(), residual.len())?;
        same_len("out", x.len(), out.len())?;
        self.add_in_place(residual.lend(), x)?;
        self.rms_norm(residual.read(), gamma, eps, out)
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
        self.norm_slope("rms_norm_backward", [x, gamma, dy], eps, dx, dgamma, None)
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
        self.norm_slope("layer_norm_backward", [x, gamma, dy], eps, dx, dgamma, Some(dbeta))
    }

    fn softmax_backward(
        &self,
        y: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        self.softmax_slope("softmax_backward", y, dy, cols, &dx)
    }

    fn log_softmax_backward(
        &self,
        y: View<'_, T, D>,
        dy: View<'_, T, D>,
        cols: usize,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        self.softmax_slope("log_softmax_backward", y, dy, cols, &dx)
    }

    fn masked_softmax(
        &self,
        x: View<'_, T, D>,
        mask: View<'_, T, D>,
        cols: usize,
        out: ViewMut<'_, T, D>,
    ) -> Done {
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
        let all = arguments::<T>(3, &[rows, cols, step], &[]);
        let make = layer::masked_softmax::<T::Recorded>;
        let launch = planner.blocks::<T::Recorded>("masked_softmax", make, [rows, 1], all)?;
        self.go(vec![launch], vec![], &[x.binding(self)?, mask.binding(self)?, out.binding(self)?])
    }

    fn cross_entropy(
        &self,
        logits: View<'_, T, D>,
        targets: View<'_, u32, D>,
        cols: usize,
        losses: ViewMut<'_, T, D>,
        lse: ViewMut<'_, T, D>,
    ) -> Done {
        let rows = count("logits", logits.len(), cols)?;
        same_len("targets", rows, targets.len())?;
        same_len("losses", rows, losses.len())?;
        same_len("lse", rows, lse.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("logits", logits.len())?;
        if rows == 0 {
            return Ok(());
        }
        let all = arguments::<T>(5, &[rows, cols], &[]);
        let make = layer::cross_entropy::<T::Recorded>;
        let launch = planner.blocks::<T::Recorded>("cross_entropy", make, [rows, 1], all)?;
        let outs = [losses.binding(self)?, lse.binding(self)?, self.status()?];
        self.go(vec![launch], vec![], &[&[logits.binding(self)?, targets.binding(self)?][..], &outs].concat())
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
        let z = (logits.binding(self)?, logits.len());
        self.entropy_slope(z, targets, lse, cols, scale, Some(&dlogits))
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

    fn embedding(
        &self,
        table: View<'_, T, D>,
        cols: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        let rows = count("table", table.len(), cols)?;
        same_len("out", ids.len().saturating_mul(cols), out.len())?;
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("table", table.len())?;
        planner.line::<T::Recorded>("out", out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let all = arguments::<T>(4, &[out.len(), cols, rows], &[]);
        let make = || Some(flat::embedding::<T::Recorded>());
        let launch = planner.flat::<T::Recorded>("embedding", make, out.len(), all)?;
        let bound = [table.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
        self.go(vec![launch], vec![], &bound)
    }

    fn scatter(&self, x: View<'_, T, D>, cols: usize, ids: View<'_, u32, D>, out: ViewMut<'_, T, D>) -> Done {
        self.rows_by_index("scatter", x, cols, ids, &out)
    }

    fn scatter_add(
        &self,
        x: View<'_, T, D>,
        cols: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        self.rows_by_index("scatter_add", x, cols, ids, &out)
    }

    fn sgd(&self, lr: T, weight_decay: T, g: View<'_, T, D>, p: ViewMut<'_, T, D>) -> Done {
        self.step("sgd", &[lr, weight_decay], g, [("p", p)])
    }

    fn momentum(
        &self,
        lr: T,
        mu: T,
        weight_decay: T,
        g: View<'_, T, D>,
        m: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        self.step("momentum", &[lr, mu, weight_decay], g, [("m", m), ("p", p)])
    }

    fn adam(
        &self,
        with: Adam<T>,
        g: View<'_, T, D>,
        m: ViewMut<'_, T, D>,
        v: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        self.step_of_adam("adam", with, g, [("m", m), ("v", v), ("p", p)])
    }

    fn adamw(
        &self,
        with: Adam<T>,
        g: View<'_, T, D>,
        m: ViewMut<'_, T, D>,
        v: ViewMut<'_, T, D>,
        p: ViewMut<'_, T, D>,
    ) -> Done {
        self.step_of_adam("adamw", with, g, [("m", m), ("v", v), ("p", p)])
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
        self.turn_rows(x, dim, cos, sin, style, false, &out)
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
        self.turn_rows(x, dim, cos, sin, style, true, &out)
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
        let half = half_of(dim, cos.len(), sin.len())?;
        let Mat { shape: [rows, cols], strides, .. } = x.0;
        same_shape("x", [cos.len() / half, cols], [rows, cols])?;
        if !cols.is_multiple_of(dim) {
            return Err(crate::Error::Rows { arg: "x", cols: dim, got: cols }.into());
        }
        let on = x.0.binding(self)?;
        self.turn([on, on], [rows, cols], strides, half, [cos, sin], style, inverse)
    }

    fn attention(
        &self,
        op: &Attention<T>,
        q: Mat<'_, T, D>,
        k: Mat<'_, T, D>,
        v: Mat<'_, T, D>,
        out: MatMut<'_, T, D>,
        lse: Option<ViewMut<'_, T, D>>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
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

    fn attention_backward(
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
        _: ViewMut<'_, T, D>,
    ) -> Done {
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

    fn clip_by_norm(&self, max_norm: T, g: ViewMut<'_, T, D>, mut norm: ViewMut<'_, T, D>) -> Done {
        not_negative("max_norm", max_norm)?;
        same_len("norm", 1, norm.len())?;
        Self::norm_l2(self, g.read(), norm.lend())?;
        let n = g.len();
        if n == 0 {
            return Ok(());
        }
        let all = arguments(2, &[n], &[max_norm]);
        let make = || Some(flat::clip::<T::Recorded>());
        let launch = self.state.planner.flat::<T::Recorded>("clip_by_norm", make, n, all)?;
        self.go(vec![launch], vec![], &[g.binding(self)?, norm.binding(self)?])
    }
}

/// What kernels of attention are told.
fn heads<T: Element>(op: &Attention<T>, n: usize, len: usize) -> [usize; 7] {
    let window = op.window.unwrap_or(usize::MAX);
    [n, len, op.heads, op.heads / op.kv_heads, op.dim, usize::from(op.causal), window]
}

impl<D: Device> Gpu<D> {
    /// The operands and their strides.
    #[allow(clippy::type_complexity, reason = "operands and strides")]
    fn matrices<'a, T: Scalar, const N: usize>(
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
