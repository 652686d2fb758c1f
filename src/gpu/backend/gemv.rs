//! The matrix-vector product on devices, `y ← α·A·x + β·y`. In an open list it is fused with the op that follows:
//! rotary positions or a gate (SwiGLU) on its results, or the next product with the same `x`.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::template::gemv::{self, Form, Then};
use super::super::template::{Argument, Meet, THREADS};
use super::ops::{Done, Scalar, arguments};
use super::plan::wide;
use super::stored::{Bf16Params, bf16_params};
use super::{Gpu, Mat, MatMut};
use crate::error::same_len;
use alloc::vec::Vec;
use core::ops::Range;

/// Columns of a row that a warp takes at most.
const WARP_COLS: usize = 1 << 14;

/// A part of a buffer with this number.
type Place = (u64, Range<u64>);

fn apart((one, p): &Place, (other, q): &Place) -> bool {
    one != other || p.end <= q.start || q.end <= p.start
}

/// The last launch of a list, if it is of products by warps: what a next one has to know to become one with it.
#[derive(Debug, Clone)]
pub(super) struct Last {
    form: Form,
    /// Bytes of an element.
    width: usize,
    /// Which of its parameters are stored as `bf16`, and how many there are.
    bf16: Bf16Params,
    parameters: usize,
    /// Rows of all products, and their columns.
    rows: usize,
    cols: usize,
    /// What it reads, of which the vector comes first, and writes, of which the last results come last.
    reads: Vec<Place>,
    writes: Vec<Place>,
}

/// What comes behind the last launch: what its results become, its arguments, what it reads and writes beside them.
struct Next<'a, B> {
    form: Form,
    rows: usize,
    arguments: Vec<Argument>,
    bound: &'a [Binding<'a, B>],
    reads: Vec<Place>,
    writes: Vec<Place>,
}

impl<D: Device> Gpu<D> {
    fn place(&self, b: &Binding<'_, D::Buffer>) -> Place {
        (self.state.device.number(b.buffer), b.start..b.start + b.bytes)
    }

    pub(super) fn gemv_by<T: Scalar>(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        x: Mat<'_, T, D>,
        beta: T,
        y: MatMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
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
        let bound = [a.binding(self)?, x.binding(self)?, y.0.binding(self)?];
        let four = 16 / size_of::<T>();
        // Rows of whole pieces; in WGSL, where a buffer's elements have one type, of memory where `y`, which is written one by
        // one, is not.
        let [of_a, of_x, of_y] = bound.map(|b| core::ptr::from_ref(b.buffer));
        let apart = planner.optimise || (of_a != of_y && of_x != of_y);
        let lined = a.strides[1] == 1 && x.strides[0] == 1 && apart;
        let whole = n.is_multiple_of(four) && a.strides[0].is_multiple_of(four);
        let lined = lined && whole && wide(&bound[..2]);
        let warps = planner.optimise && planner.meet == Meet::Warps && !planner.short;
        if lined && warps && (four..=WARP_COLS).contains(&n) && m >= planner.blocks as usize / 4 {
            let one = y.0.strides[0] == 1;
            return self.gemv_by_warps(all, bound, [m, n], one && beta == T::ZERO);
        }
        // Through Vulkan on an H100 rows reduced by shuffles were up to a ninth slower.
        let make = |meet| {
            let meet = if planner.optimise { meet } else { Meet::Memory };
            gemv::gemv::<T::Recorded>(meet, lined, lined && planner.groups)
        };
        let op = if lined { "gemv_wide" } else { "gemv" };
        let launch = planner.blocks::<T::Recorded>(op, make, [m, 1], all)?;
        self.run_one(launch, &bound)
    }

    /// By a warp for each row; `plain`: β is 0 and `y` contiguous.
    fn gemv_by_warps<T: Scalar>(
        &self,
        arguments: Vec<Argument>,
        bound: [Binding<'_, D::Buffer>; 3],
        [rows, cols]: [usize; 2],
        plain: bool,
    ) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        // Outside of lists nothing follows.
        let listed = plain && self.state.lists.get() > 0;
        let [a, x, y] = bound.each_ref().map(|b| self.place(b));
        let last = self.state.last.take().filter(|_| listed);
        if let Some(last) =
            last.filter(|l| l.form.second.is_none() && l.cols == cols && l.reads.first() == Some(&x))
        {
            let form = Form { second: Some(Then::Nothing), ..last.form };
            let (reads, writes) = (Vec::from([a.clone()]), Vec::from([y.clone()]));
            let arguments = arguments.clone();
            if self.follows::<T>(last, Next { form, rows, arguments, bound: &bound, reads, writes })? {
                return Ok(());
            }
        }
        let make = || Some(gemv::gemv_warps::<T::Recorded>(planner.groups));
        let program = planner.one::<T::Recorded>("gemv_warps", make)?;
        let bf16 = listed.then(|| (arguments.len(), bf16_params(&arguments, &self.bf16_words(&bound).1)));
        let launch = planner.grid_of(program, THREADS, [Self::warps_of(rows), 1], arguments)?;
        self.run_one(launch, &bound)?;
        if let Some((parameters, bf16)) = bf16 {
            let form = Form { first: Then::Nothing, second: None };
            let (reads, writes, width) = (Vec::from([x, a]), Vec::from([y]), size_of::<T>());
            let last = Last { form, width, bf16, parameters, rows, cols, reads, writes };
            self.state.last.replace(Some(last));
        }
        Ok(())
    }

    /// Blocks of warps for so many rows.
    fn warps_of(rows: usize) -> usize {
        rows.div_ceil(THREADS as usize / 32)
    }

    /// Makes one launch of the last and the next one, if the last has not started and none of them needs the other to have
    /// ended. Says whether it did.
    fn follows<T: Scalar>(&self, last: Last, next: Next<'_, D::Buffer>) -> Result<bool, Error>
    where
        D: Computes<T>,
    {
        let both = last.reads.iter().chain(&last.writes);
        let free = next.writes.iter().all(|w| both.clone().all(|b| apart(w, b)))
            && next.reads.iter().all(|r| last.writes.iter().all(|w| apart(r, w)));
        if !free || last.width != size_of::<T>() {
            return Ok(false);
        }
        let (form, rows, planner) = (next.form, last.rows + next.rows, &self.state.planner);
        let make = || Some(gemv::gemv_pairs::<T::Recorded>(form, planner.groups));
        let program = planner.one_by::<T::Recorded>("gemv_pairs", form.number(), make)?;
        let (words, bf16) = self.bf16_words(next.bound);
        let bf16 = last.bf16.followed(last.parameters, bf16_params(&next.arguments, &bf16));
        let parameters = last.parameters + next.arguments.len();
        let program = self.program_for(&program, bf16)?;
        let launch = planner.grid_of(program, THREADS, [Self::warps_of(rows), 1], next.arguments)?;
        if !self.state.amend(&launch, &words)? {
            return Ok(false);
        }
        next.bound.iter().for_each(|b| {
            if next.writes.contains(&self.place(b)) {
                self.state.changed(b.buffer, &(b.start..b.start + b.bytes));
            }
        });
        let (reads, writes) = ([last.reads, next.reads].concat(), [last.writes, next.writes].concat());
        self.state.last.replace(Some(Last { form, bf16, parameters, rows, reads, writes, ..last }));
        Ok(true)
    }

    /// The last launch, if its last results are these, of which nothing is made yet.
    fn made_last(&self, x: &Binding<'_, D::Buffer>) -> Option<(Last, u64)> {
        let last = self.state.last.take()?;
        let (number, place) = self.place(x);
        let made = last
            .writes
            .last()
            .cloned()
            .filter(|(n, y)| *n == number && y.start == place.start && place.end <= y.end)?;
        let then = last.form.second.unwrap_or(last.form.first);
        (then == Then::Nothing).then_some((last, made.1.end - place.end))
    }

    /// Turns the pairs of neighbours of `x` in the launch that makes them: `half` of a head. Says whether it did.
    pub(super) fn turns_last<T: Scalar>(
        &self,
        [x, cos, sin]: [Binding<'_, D::Buffer>; 3],
        [pairs, half]: [usize; 2],
        sign: T,
    ) -> Result<bool, Error>
    where
        D: Computes<T>,
    {
        let Some((last, _)) = self.made_last(&x) else { return Ok(false) };
        let reads = [cos, sin].each_ref().map(|b| self.place(b)).into();
        let arguments = arguments(2, &[pairs, half], &[sign]);
        let form = last.form.then(Then::Rotation);
        self.follows::<T>(
            last,
            Next { form, rows: 0, arguments, bound: &[cos, sin], reads, writes: Vec::new() },
        )
    }

    /// Makes what gates let through in the launch that makes `x`, all of it. Says whether it did.
    pub(super) fn gates_last<T: Scalar>(&self, [x, out]: [Binding<'_, D::Buffer>; 2]) -> Result<bool, Error>
    where
        D: Computes<T>,
    {
        let Some((last, 0)) = self.made_last(&x) else { return Ok(false) };
        let writes = Vec::from([self.place(&out)]);
        let (form, arguments) = (last.form.then(Then::Gates), arguments::<T>(1, &[], &[]));
        self.follows::<T>(last, Next { form, rows: 0, arguments, bound: &[out], reads: Vec::new(), writes })
    }
}
