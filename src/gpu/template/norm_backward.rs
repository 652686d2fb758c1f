//! Backward passes of layer norm and RMS norm: gradients of the rows, and of the weights, which are sums over columns.
//!
//! Where rows fit into registers, a block takes rows one after the other, and its threads also add up the columns of
//! all of them in registers: `x` and `dy` are read once. Otherwise a first kernel writes the statistics of each row,
//! and `x` and `dy` are read twice.

use super::super::builder::Value;
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::{Param, Recorded};
use super::super::types::{U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, Part, PartOf, Pieces, Threads, each_by};
use super::flat::{at, each, get, keep, named, put};
use super::layer::{each_row, leads, strided};
use super::row_registers::Held;
use crate::alu::{Alu, Body};
use crate::lanes::multipass::Streams;
use crate::nn::{AddScaled, Gradient, SquaresAndAlong, Standard, SumAndAlong, inverse_root};
use crate::reduce::{centred, rescue, scales};
use alloc::format;
use alloc::vec::Vec;

/// What brings a row to unit variance, and what its gradients are of these `x`, γ and `dy`.
fn slopes<'b, T: Recorded>(
    all: &impl Streams<Param<T>, 3, V = Value<'b, T>>,
    x: &impl Streams<Param<T>, 1, V = Value<'b, T>>,
    of: Slope,
    eps: Value<'b, T>,
) -> (Standard<Param<T>>, Gradient<Param<T>>) {
    let (one, none, zero) = (eps.c(1.0), eps.c(-0.0), eps.c(0.0));
    let n: Value<'_, T> = all.len();
    let (unit, [scale, shift, along]) = if of.centred() {
        let m = centred(x, eps);
        let [p, lo] = [m.p, m.lo];
        let unit = Standard::new(m, inverse_root(m.variance, eps, p), Value::number);
        let scale = one.param(unit.scale);
        let [sum, along] = all.fold(SumAndAlong(unit.p, unit.minus));
        let along = (along - lo * sum) / n * scale * scale;
        // The low part of the mean is the same for all elements.
        let shift = sum / n - lo * along;
        (unit, [scale * p, shift, along])
    } else {
        let plain = all.fold(SquaresAndAlong(one.number()));
        let [squares, _] = plain;
        let p = rescue(squares + eps);
        let [squares, along] = all.fold_where(scales(p), SquaresAndAlong(p.number()), plain);
        let scale = inverse_root(squares / n, eps, p);
        let rest = none.number();
        let unit = Standard { p: p.number(), minus: rest, scale: scale.number(), rest };
        (unit, [scale * p, zero, along / n * scale * scale])
    };
    let [scale, shift, along] = [scale, shift, along].map(Value::number);
    (unit, Gradient { scale, p: unit.p, minus: unit.minus, shift, along })
}

/// The ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slope {
    /// `rms_norm_backward`.
    Rms,
    /// `rms_norm_residual_backward`: the gradient is added to what is there.
    Residual,
    /// `layer_norm_backward`.
    Layer,
}

impl Slope {
    /// The op's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rms => "rms_norm_backward",
            Self::Residual => "rms_norm_residual_backward",
            Self::Layer => "layer_norm_backward",
        }
    }
    const fn centred(self) -> bool {
        matches!(self, Self::Layer)
    }
}

/// `dx` of an op, and for each row that a block has at once the sums `Σ dy·x̂` and, of `layer_norm_backward`, `Σ dy` by column; a
/// thread has pieces of a row, as in [`super::row_by`].
///
/// Parameters: `x`, `gamma`, `dy`, `dx`, where the sums go, one row after the other, and where the others; rows, columns; `eps`.
pub fn norm_backward_held<T: Recorded>(
    meet: Meet,
    (threads, held): (Threads, Pieces),
    of: Slope,
) -> Result<Kernel, Error> {
    let b = named::<T>(&format!("{}_{}x{}", of.name(), threads.row, held.each));
    b.threads([threads.block, 1, 1]);
    let [x, gamma, dy, dx, sums, plain] = b.params::<U64, 6>();
    let [rows, cols] = b.params::<U32, 2>();
    let eps = b.param::<T>();
    let many = (held.each * 16 / T::TYPE.bytes()) as usize;
    let zero = b.bits::<T>(0);
    let init: Vec<_> = (0..if of.centred() { 2 * many } else { many }).map(|_| zero).collect();
    let totals = each_by(&b, threads, [rows, cols], &init, |r, end, carried| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let part = Part { b: &b, meet, threads, x: [x + start, gamma, dy + start], begin: b.int(0), end };
        let all = Held::<T, 3>::new(part, cols, held);
        let to = dx + start;
        let old = (of == Slope::Residual).then(|| {
            Held::<T, 1>::new(Part { b: &b, meet, threads, x: [to], begin: b.int(0), end }, cols, held)
        });
        let (unit, body) = slopes(&all, &all.of([0]), of, eps);
        let old = old.iter().flat_map(Held::elements).map(|(_, [old])| old).collect::<Vec<_>>();
        all.each_at(|k, start, x| {
            let slopes: Vec<Value<'_, T>> = x.iter().map(|x| body.eval(*x)).collect();
            let added = (k..).zip(slopes).map(|(k, slope)| old.get(k).map_or(slope, |old| *old + slope));
            let slopes: Vec<_> = added.collect();
            keep(&b, Space::Global, at::<T>(to, start), &slopes);
        });
        let old = |k: usize| carried.get(k).copied().unwrap_or(zero);
        let next = |k: usize, there, [x, _, dy]: [Value<'_, T>; 3]| {
            let (x, dy): (Value<'_, T>, Value<'_, T>) = (b.typed(x.id()), b.typed(dy.id()));
            let sum = if k < many { AddScaled(unit).eval([old(k), dy, x]) } else { old(k) + dy };
            Value::select(there, sum, old(k))
        };
        let each = all.elements();
        (0..init.len()).zip(each.iter().cycle()).map(|(k, (there, x))| next(k, *there, *x)).collect()
    });
    let [own, place] = threads.place(&b);
    let row = b.special(Special::CtaidX) * b.int(i64::from(threads.rows())) + own;
    for (to, totals) in [sums, plain].into_iter().zip(totals.chunks(many)) {
        for (k, v) in (0..).zip(totals.chunks(many / held.each as usize)) {
            let start = (place + b.int(i64::from(k * threads.row))) * b.int(v.len() as i64);
            b.when(start.compare(Cmp::Lt, cols), || {
                let to = to + row.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
                keep(&b, Space::Global, at::<T>(to, start), v);
            });
        }
    }
    b.finish()
}

/// `dx` of an op. Parameters: `x`, `gamma`, `dy`, `dx`, where each row leaves what brings it to unit variance (four elements);
/// rows, columns; `eps`.
pub fn norm_backward<T: Recorded>(meet: Meet, of: Slope) -> Result<Kernel, Error> {
    let b = named::<T>(of.name());
    b.threads([THREADS, 1, 1]);
    let [x, gamma, dy, dx, units] = b.params::<U64, 5>();
    let [rows, cols] = b.params::<U32, 2>();
    let eps = b.param::<T>();
    each_row(&b, rows, |r| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (x, dy, dx) = (x + start, dy + start, dx + start);
        let part =
            Part { b: &b, meet, threads: Threads::BLOCK, x: [x, gamma, dy], begin: b.int(0), end: cols };
        let all = PartOf::<T, 3>::new(part);
        let alone = Part { b: &b, meet, threads: Threads::BLOCK, x: [x], begin: b.int(0), end: cols };
        let (unit, body) = slopes(&all, &PartOf::<T, 1>::new(alone), of, eps);
        strided(&b, [b.int(0), cols], |i| {
            let slope = body.eval([get::<T>(x, i), get(gamma, i), get(dy, i)]);
            put(dx, i, if of == Slope::Residual { get::<T>(dx, i) + slope } else { slope });
        });
        b.when(leads(&b), || {
            let to = at::<T>(units, r * b.int(4));
            let all = [unit.p, unit.minus, unit.scale, unit.rest].map(|v| eps.param(v));
            (0..).zip(all).for_each(|(k, v)| b.store(Space::Global, to, k * T::TYPE.bytes() as i32, v));
        });
    });
    b.finish()
}

/// Rows that a block of [`scaled_columns`] adds.
pub const COLUMN_ROWS: u32 = 32;

/// `Σ dy·x̂` and `Σ dy` by column, of [`COLUMN_ROWS`] rows for each block along y, [`THREADS`] columns for each along x.
/// Parameters: `x`, `dy`, what [`norm_backward`] left of the rows, where the sums of either go; rows, columns.
pub fn scaled_columns<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scaled_columns");
    b.threads([THREADS, 1, 1]);
    let [x, dy, units, out, plain] = b.params::<U64, 5>();
    let [rows, cols] = b.params::<U32, 2>();
    let c = b.special(Special::CtaidX) * b.int(i64::from(THREADS)) + b.special(Special::TidX);
    let part = b.special(Special::CtaidY);
    let first = part * b.int(i64::from(COLUMN_ROWS));
    b.when(c.compare(Cmp::Lt, cols), || {
        let end = (first + b.int(i64::from(COLUMN_ROWS))).least(rows);
        let zero = b.bits::<T>(0);
        let sums = b.count::<U32, T>([first, end, b.int(1)], 1, &[zero; 2], |r, sums| {
            let [p, minus, scale, rest] =
                [0, 1, 2, 3].map(|k| get::<T>(units, r * b.int(4) + b.int(k)).number());
            let i = r * cols + c;
            let (dy, old) = (get::<T>(dy, i), |k: usize| sums.get(k).copied().unwrap_or(zero));
            let unit = AddScaled(Standard { p, minus, scale, rest });
            Vec::from([unit.eval([old(0), dy, get(x, i)]), old(1) + dy])
        });
        [out, plain].into_iter().zip(&sums).for_each(|(to, s)| put(to, part * cols + c, *s));
    });
    b.finish()
}

/// Parts that are added by several threads, where there are more of them.
pub const COLUMN_PARTS: u32 = 32;

/// `out[c] += Σ parts[k][c]`, in order, or with `fewer` the sums of [`COLUMN_PARTS`] parts of the parts. Parameters: the parts,
/// `out`; their number, columns.
pub fn add_columns<T: Recorded>(fewer: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if fewer { "fold_columns" } else { "add_columns" });
    let [parts, out] = b.params::<U64, 2>();
    let [count, cols] = b.params::<U32, 2>();
    let many = b.int::<U32>(if fewer { i64::from(COLUMN_PARTS) } else { 1 });
    each(&b, many * cols, |i| {
        let part = i / cols;
        let c = i - part * cols;
        let first = if fewer { b.bits(0) } else { get(out, c) };
        // Several are read at once.
        let sum = b.count::<U32, T>([part, count, many], 8, &[first], |k, sum| {
            sum.iter().map(|s| *s + get(parts, k * cols + c)).collect()
        });
        sum.iter().for_each(|s| put(out, i, *s));
    });
    b.finish()
}
