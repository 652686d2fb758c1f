//! Reductions to one value. Each reduction is two kernels: blocks write partial states, then one block merges them; the
//! arithmetic between reductions is recorded in the kernels that need it.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::pass;
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, Stored, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, Part, PartOf, Threads, block_reduce, choose};
use crate::alu::{Alu, Number, Real};
use crate::lanes::fold::Fold;
use crate::lanes::multipass::{Folds, Streams, Summary};
use crate::nn;
use crate::ops::{Gpu, OPS};
use crate::pointwise::{Maximum, Minimum};
use crate::reduce::{self, Dot, Exact, Sum, SumAbs, SumSquares};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

/// The kernels of a reduction; blocks have [`THREADS`] threads. Stages run in order on the same inputs; between them
/// `states` values are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    /// The stages.
    pub stages: Vec<Stage>,
    /// Values that stages leave for later ones: room for as many elements. None when there is one stage.
    pub states: u32,
    /// Whether the result is an index (`U32`; all bits set when an element is NaN) and not an element.
    pub index: bool,
}

/// A fold over all elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Parameters: the inputs, where each block writes `state` values, the number of elements (`U32`, up to 2³¹);
    /// from the second stage on the states.
    pub parts: Kernel,
    /// One block. Parameters: what the blocks wrote; the states, or where the last stage writes the result; the number
    /// of blocks, the number of elements; from the second stage on the states.
    pub merge: Kernel,
    /// Values that a block writes.
    pub state: u32,
}

/// An op over all elements.
trait Recipe<T: Number, const N: usize>: Copy {
    fn run<R: Streams<T, N>>(self, all: &R) -> R::V;
}

macro_rules! recipes {
    ($($Name:ident, $n:literal: |$all:ident| $run:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $Name;
        impl<T: Number> Recipe<T, $n> for $Name {
            fn run<R: Streams<T, $n>>(self, $all: &R) -> R::V {
                $run
            }
        }
    )*};
}
recipes! {
    SumRecipe, 1: |all| only(all.fold(Sum));
    CompensatedRecipe, 1: |all| reduce::compensated(all);
    SquaresRecipe, 1: |all| only(all.fold(SumSquares));
    MagnitudesRecipe, 1: |all| only(all.fold(SumAbs));
    NormRecipe, 1: |all| reduce::euclidean(all);
    PeakRecipe, 1: |all| reduce::largest_magnitude(all);
    DistanceRecipe, 2: |all| reduce::distance(all);
    AngleRecipe, 2: |all| reduce::angle(all);
    DotRecipe, 2: |all| only(all.fold(Dot));
    MaxRecipe, 1: |all| only(all.fold(Exact(Maximum, constant(all, -T::INFINITY))));
    MinRecipe, 1: |all| only(all.fold(Exact(Minimum, constant(all, T::INFINITY))));
    ProductRecipe, 1: |all| reduce::product(all);
    LogSumExpRecipe, 1: |all| nn::log_sum_exp(all);
    MeanRecipe, 1: |all| reduce::average(all);
    VarianceRecipe, 1: |all| reduce::population_variance(all);
    DeviationRecipe, 1: |all| reduce::deviation(all);
    CovarianceRecipe, 2: |all| reduce::population_covariance(all);
    CorrelationRecipe, 2: |all| reduce::pearson(all);
}

/// A constant as the parameter of a fold.
fn constant<T: Number, R: Streams<T, 1>>(all: &R, c: T::Real) -> T {
    all.number(all.len().lit(c))
}

fn only<V>([v]: [V; 1]) -> V {
    v
}

/// The reduction of this name in the list.
#[must_use]
pub fn reduction<T: Recorded>(op: &str) -> Option<Result<Reduction, Error>> {
    reduction_by::<T>(op, Meet::Warps, false)
}

/// [`reduction`] with another way to reduce over a block; `wide` where all inputs start at multiples of 16 bytes.
#[must_use]
pub fn reduction_by<T: Recorded>(op: &str, meet: Meet, wide: bool) -> Option<Result<Reduction, Error>> {
    let name =
        Name { text: format!("{op}_{}{}", T::Elem::NAME, if wide { "_wide" } else { "" }), meet, wide };
    Some(match op {
        "sum" => make::<T, _, 1>(&name, SumRecipe),
        "sum_kahan" => make::<T, _, 1>(&name, CompensatedRecipe),
        "sum_of_squares" => make::<T, _, 1>(&name, SquaresRecipe),
        "norm_l1" => make::<T, _, 1>(&name, MagnitudesRecipe),
        "norm_l2" => make::<T, _, 1>(&name, NormRecipe),
        "norm_linf" => make::<T, _, 1>(&name, PeakRecipe),
        "euclidean_distance" => make::<T, _, 2>(&name, DistanceRecipe),
        "cosine_similarity" => make::<T, _, 2>(&name, AngleRecipe),
        "dot" => make::<T, _, 2>(&name, DotRecipe),
        "max" => make::<T, _, 1>(&name, MaxRecipe),
        "min" => make::<T, _, 1>(&name, MinRecipe),
        "prod" => make::<T, _, 1>(&name, ProductRecipe),
        "logsumexp" => make::<T, _, 1>(&name, LogSumExpRecipe),
        "mean" => make::<T, _, 1>(&name, MeanRecipe),
        "variance" => make::<T, _, 1>(&name, VarianceRecipe),
        "stddev" => make::<T, _, 1>(&name, DeviationRecipe),
        "covariance" => make::<T, _, 2>(&name, CovarianceRecipe),
        "correlation" => make::<T, _, 2>(&name, CorrelationRecipe),
        "argmax" => place::<T, _>(&name, MaxRecipe, false),
        "argmin" => place::<T, _>(&name, MinRecipe, false),
        "argmax_last" => place::<T, _>(&name, MaxRecipe, true),
        "argmin_last" => place::<T, _>(&name, MinRecipe, true),
        _ => return None,
    })
}

/// The inputs of a reduction of the list.
pub(super) fn inputs(op: &str) -> Option<usize> {
    let row = OPS.iter().find(|row| row.name == op && row.gpu == Gpu::Template("reduce"))?;
    Some(if row.shape == "reduce2" { 2 } else { 1 })
}

struct Name {
    text: String,
    meet: Meet,
    wide: bool,
}

/// What a kernel does about its stage.
enum Role<'b> {
    /// Nothing: only the widths of the stages are wanted.
    Count,
    /// Writes the state of each block.
    Parts(Value<'b, U64>),
    /// Merges `blocks` states; leaves the result at an address, unless this is the last stage.
    Merge { from: Value<'b, U64>, blocks: Value<'b, U32>, to: Option<Value<'b, U64>> },
}

/// All elements, seen from the kernel of one stage: earlier states are in memory, later ones are not there yet, and what
/// is made of them goes away as dead code.
struct Staged<'b, T, const N: usize> {
    part: Option<PartOf<'b, T, N>>,
    b: &'b Builder,
    meet: Meet,
    role: Role<'b>,
    stage: usize,
    states: Option<Value<'b, U64>>,
    n: Value<'b, U32>,
    widths: RefCell<Vec<u32>>,
}

impl<'b, T: Recorded, const N: usize> Staged<'b, T, N> {
    fn next<const K: usize>(
        &self,
        of: impl FnOnce(&PartOf<'b, T, N>) -> [Value<'b, T>; K],
        empty: [Value<'b, T>; K],
        merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
    ) -> [Value<'b, T>; K] {
        let (b, width) = (self.b, T::TYPE.bytes());
        let (now, before) = {
            let mut widths = self.widths.borrow_mut();
            widths.push(K as u32);
            (widths.len() - 1, widths.iter().sum::<u32>() - K as u32)
        };
        let place = |k: usize| ((before + k as u32) * width) as i32;
        match (&self.role, &self.part, self.states) {
            (Role::Count, ..) => empty,
            (_, _, Some(states)) if now < self.stage => {
                core::array::from_fn(|k| b.load(Space::Global, states, place(k)))
            }
            _ if now != self.stage => empty,
            (Role::Parts(out), Some(part), _) => {
                let all = of(part);
                let size = b.int(i64::from(width) * K as i64);
                first(b, *out + b.special(Special::CtaidX).wide(size), 0, &all);
                empty
            }
            (Role::Merge { from, blocks, to }, ..) => {
                let bounds = [b.special(Special::TidX), *blocks, b.int(i64::from(THREADS))];
                let like = b.bits::<T>(0);
                let typed = |v: &[Value<'b, T>]| core::array::from_fn(|k| v.get(k).copied().unwrap_or(like));
                let acc = b.count::<U32, T>(bounds, 1, &empty, |i, acc| {
                    let at = *from + i.wide(b.int(i64::from(width) * K as i64));
                    let part = core::array::from_fn(|k| b.load(Space::Global, at, (k as u32 * width) as i32));
                    merge(typed(acc), part).to_vec()
                });
                let all = block_reduce(b, self.meet, typed(&acc), merge);
                if let Some(to) = to {
                    first(b, *to, place(0), &all);
                }
                all
            }
            _ => empty,
        }
    }
}

/// The first thread of the block writes `v`.
fn first<'b, T: Stored>(b: &'b Builder, at: Value<'b, U64>, offset: i32, v: &[Value<'b, T>]) {
    b.when(b.special(Special::TidX).compare(Cmp::Eq, b.int(0)), || {
        for (k, v) in v.iter().enumerate() {
            b.store(Space::Global, at, offset + (k as u32 * T::TYPE.bytes()) as i32, *v);
        }
    });
}

impl<'b, T: Recorded, const N: usize> Folds<Param<T>, N> for Staged<'b, T, N> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, N, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.next(|part| part.fold(f), f.identity(self.b.bits(0)), |p, q| f.merge(p, q))
    }
    fn fold_where<F: Fold<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let empty = f.identity(self.b.bits(0));
        let got = self.next(|part| part.fold_where(m, f, empty), empty, |p, q| f.merge(p, q));
        choose(m, got, otherwise)
    }
    fn number(&self, v: Self::V) -> Param<T> {
        v.number()
    }
}

impl<'b, T: Recorded, const N: usize> Streams<Param<T>, N> for Staged<'b, T, N> {
    fn summary<P: Summary<Param<T>, N, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        self.next(|part| part.summary(p), p.empty(self.b.bits(0)), |a, b| p.merge(a, b))
    }
    fn summary_where<P: Summary<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let empty = p.empty(self.b.bits(0));
        let got = self.next(|part| part.summary_where(m, p, empty), empty, |a, b| p.merge(a, b));
        choose(m, got, otherwise)
    }
    fn len(&self) -> Self::V {
        self.n.to()
    }
}

/// The part of a block: as many elements as of any other, but for the last ones, in pieces of so `many`.
fn part<'b, const N: usize>(
    b: &'b Builder,
    meet: Meet,
    x: [Value<'b, U64>; N],
    n: Value<'b, U32>,
    many: u32,
) -> Part<'b, N> {
    let blocks = b.special(Special::NctaidX);
    let each = (n + (blocks - b.int(1))) / blocks;
    let each = (each + b.int(i64::from(many - 1))) & b.int(!i64::from(many - 1));
    let begin = (b.special(Special::CtaidX) * each).least(n);
    Part { b, meet, threads: Threads::BLOCK, x, begin, end: (begin + each).least(n) }
}

fn done(b: Builder) -> Result<Kernel, Error> {
    let mut kernel = b.finish()?;
    pass::remove_dead(&mut kernel);
    Ok(kernel)
}

/// A later stage reads the states.
fn states(b: &Builder, stage: usize) -> Option<Value<'_, U64>> {
    (stage > 0).then(|| b.param::<U64>())
}

fn make<T: Recorded, R: Recipe<Param<T>, N>, const N: usize>(name: &Name, op: R) -> Result<Reduction, Error> {
    let widths = {
        let b = Builder::new("widths");
        let widths = RefCell::default();
        let n = b.int(0);
        let all = Staged::<T, N> {
            part: None,
            b: &b,
            meet: name.meet,
            role: Role::Count,
            stage: 0,
            states: None,
            n,
            widths,
        };
        op.run(&all);
        all.widths.take()
    };
    let mut stages = Vec::new();
    for (stage, state) in widths.iter().enumerate() {
        let last = stage + 1 == widths.len();
        // A single stage needs no number.
        let number = if widths.len() > 1 { format!("_{stage}") } else { String::new() };
        stages.push(Stage {
            parts: parts::<T, R, N>(&format!("{}_parts{number}", name.text), name, op, stage)?,
            merge: merge::<T, R, N>(&format!("{}_merge{number}", name.text), name.meet, op, stage, last)?,
            state: *state,
        });
    }
    let states = if widths.len() > 1 { widths.iter().sum() } else { 0 };
    Ok(Reduction { stages, states, index: false })
}

fn parts<T: Recorded, R: Recipe<Param<T>, N>, const N: usize>(
    name: &str,
    by: &Name,
    op: R,
    stage: usize,
) -> Result<Kernel, Error> {
    let (b, meet) = (Builder::new(name), by.meet);
    b.threads([THREADS, 1, 1]);
    {
        let x: [_; N] = b.params::<U64, _>();
        let (out, n) = (b.param::<U64>(), b.param::<U32>());
        let states = states(&b, stage);
        let many = if by.wide { 16 / T::TYPE.bytes() } else { 1 };
        let part = Some(PartOf::<T, N>::by(part(&b, meet, x, n, many), by.wide));
        op.run(&Staged {
            part,
            b: &b,
            meet,
            role: Role::Parts(out),
            stage,
            states,
            n,
            widths: RefCell::default(),
        });
    }
    done(b)
}

fn merge<T: Recorded, R: Recipe<Param<T>, N>, const N: usize>(
    name: &str,
    meet: Meet,
    op: R,
    stage: usize,
    last: bool,
) -> Result<Kernel, Error> {
    let b = Builder::new(name);
    b.threads([THREADS, 1, 1]);
    {
        let (from, to, blocks, n) = (b.param::<U64>(), b.param::<U64>(), b.param::<U32>(), b.param::<U32>());
        let states = states(&b, stage);
        let role = Role::Merge { from, blocks, to: (!last).then_some(to) };
        let all =
            Staged::<T, N> { part: None, b: &b, meet, role, stage, states, n, widths: RefCell::default() };
        let result = op.run(&all);
        if last {
            first(&b, to, 0, &[result]);
        }
    }
    done(b)
}

fn least<'b>([p]: [Value<'b, U32>; 1], [q]: [Value<'b, U32>; 1]) -> [Value<'b, U32>; 1] {
    [p.least(q)]
}

/// The extremum, then the first place that holds it, or the last: places are counted from the other end then, and no place
/// stays none.
fn place<T: Recorded, R: Recipe<Param<T>, 1>>(
    name: &Name,
    extremum: R,
    last: bool,
) -> Result<Reduction, Error> {
    let meet = name.meet;
    let parts_0 = parts::<T, R, 1>(&format!("{}_parts_0", name.text), name, extremum, 0)?;
    let merge_0 = merge::<T, R, 1>(&format!("{}_merge_0", name.text), meet, extremum, 0, false)?;
    let none = i64::from(u32::MAX);
    fn counted<'b>(b: &'b Builder, last: bool, i: Value<'b, U32>) -> Value<'b, U32> {
        if last { b.int::<U32>(i64::from(u32::MAX) - 1) - i } else { i }
    }

    let b = Builder::new(&format!("{}_parts_1", name.text));
    b.threads([THREADS, 1, 1]);
    {
        let (x, out, n, states) = (b.param::<U64>(), b.param::<U64>(), b.param::<U32>(), b.param::<U64>());
        let m = b.load::<T>(Space::Global, states, 0);
        let part = part(&b, meet, [x], n, 1);
        let found = b.count::<U32, U32>(part.bounds(), 1, &[b.int(none)], |i, found| {
            let v = b.load::<T>(Space::Global, x + i.wide(b.int(i64::from(T::TYPE.bytes()))), 0);
            let here = Value::select(v.eq(m), counted(&b, last, i), b.int(none));
            found.iter().map(|f| f.least(here)).collect()
        });
        let found = [found.first().copied().unwrap_or(b.int(none))];
        let found = block_reduce(&b, meet, found, least);
        first(&b, out + b.special(Special::CtaidX).wide(b.int(4)), 0, &found);
    }
    let parts_1 = done(b)?;

    let b = Builder::new(&format!("{}_merge_1", name.text));
    b.threads([THREADS, 1, 1]);
    {
        let (from, to, blocks) = (b.param::<U64>(), b.param::<U64>(), b.param::<U32>());
        let (_, _) = (b.param::<U32>(), b.param::<U64>());
        let bounds = [b.special(Special::TidX), blocks, b.int(i64::from(THREADS))];
        let found = b.count::<U32, U32>(bounds, 1, &[b.int(none)], |i, found| {
            let part = b.load::<U32>(Space::Global, from + i.wide(b.int(4)), 0);
            found.iter().map(|f| f.least(part)).collect()
        });
        let found = [found.first().copied().unwrap_or(b.int(none))];
        // NaN equals nothing, so nothing is found where the extremum is NaN.
        let [found] = block_reduce(&b, meet, found, least);
        first(&b, to, 0, &[counted(&b, last, found)]);
    }
    let merge_1 = done(b)?;
    let stages = Vec::from([
        Stage { parts: parts_0, merge: merge_0, state: 1 },
        Stage { parts: parts_1, merge: merge_1, state: 1 },
    ]);
    Ok(Reduction { stages, states: 1, index: true })
}
