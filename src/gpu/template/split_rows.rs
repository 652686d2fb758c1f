//! Row ops on few, long rows, which several blocks share. Each reduction is a kernel whose blocks write partial states;
//! the next kernels, and the last one, which maps the row, merge them.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Kernel, Special};
use super::super::pass;
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, U32, U64};
use super::block_reduce::{Meet, Part, PartOf, Threads, choose, on_row};
use super::flat::{at, get, put};
use super::row::{OnRow, by_name, takes};
use crate::alu::{Alu, Body, Real};
use crate::lanes::fold::Fold;
use crate::lanes::multipass::{Folds, Row, Streams, Summary};
use alloc::format;
use alloc::vec::Vec;
use core::cell::RefCell;

/// Threads of a block.
pub const LONG: Threads = Threads { block: 256, row: 256 };

/// The kernels of a row operation whose rows have several blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongRow {
    /// One for each fold, then the map. Parameters: those of [`super::row`], then the states. A block for each part along
    /// x, a row for each along y.
    pub kernels: Vec<Kernel>,
    /// Values that each block of a row leaves: room for as many elements.
    pub states: u32,
}

/// A block's part of a row, in the kernel of one stage.
struct Long<'b, T> {
    row: OnRow<'b, PartOf<'b, T, 1>>,
    /// The states of the row's blocks, one after the other.
    states: Value<'b, U64>,
    cols: Value<'b, U32>,
    /// Values of a block: as many as are known.
    all: u32,
    /// Which fold this kernel is of; past the last, the map.
    stage: usize,
    widths: RefCell<Vec<u32>>,
}

impl<'b, T: Recorded> Long<'b, T> {
    fn b(&self) -> &'b Builder {
        self.row.streams.0.b
    }

    fn next<const K: usize>(
        &self,
        of: impl FnOnce(&PartOf<'b, T, 1>) -> [Value<'b, T>; K],
        empty: [Value<'b, T>; K],
        merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
    ) -> [Value<'b, T>; K] {
        let b = self.b();
        let (now, before) = {
            let mut widths = self.widths.borrow_mut();
            widths.push(K as u32);
            (widths.len() - 1, widths.iter().sum::<u32>() - K as u32)
        };
        let place = |block: Value<'b, U32>, k: usize| {
            block * b.int(i64::from(self.all)) + b.int::<U32>(i64::from(before) + k as i64)
        };
        let part = &self.row.streams;
        if now > self.stage {
            return empty;
        }
        if now == self.stage {
            let state = of(part);
            let first = b.special(Special::TidX).compare(super::super::ir::Cmp::Eq, b.int(0));
            b.when(first, || {
                for (k, v) in state.iter().enumerate() {
                    put(self.states, place(b.special(Special::CtaidX), k), *v);
                }
            });
            return empty;
        }
        let bounds = [b.special(Special::TidX), b.special(Special::NctaidX), b.int(i64::from(LONG.row))];
        let typed = |v: &[Value<'b, T>]| core::array::from_fn(|k| v.get(k).copied().unwrap_or(b.bits(0)));
        let acc = b.count::<U32, T>(bounds, 1, &empty, |i, acc| {
            let part = core::array::from_fn(|k| get::<T>(self.states, place(i, k)));
            merge(typed(acc), part).to_vec()
        });
        on_row(b, part.0.meet, LONG, typed(&acc), merge)
    }
}

impl<'b, T: Recorded> Folds<Param<T>, 1> for Long<'b, T> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, 1, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.next(|part| part.fold(f), f.identity(self.b().bits(0)), |p, q| f.merge(p, q))
    }
    fn fold_where<F: Fold<Param<T>, 1, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let empty = f.identity(self.b().bits(0));
        let got = self.next(|part| part.fold_where(m, f, empty), empty, |p, q| f.merge(p, q));
        choose(m, got, otherwise)
    }
    fn number(&self, v: Self::V) -> Param<T> {
        v.number()
    }
}

impl<'b, T: Recorded> Streams<Param<T>, 1> for Long<'b, T> {
    fn summary<P: Summary<Param<T>, 1, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        self.next(|part| part.summary(p), p.empty(self.b().bits(0)), |a, b| p.merge(a, b))
    }
    fn summary_where<P: Summary<Param<T>, 1, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let empty = p.empty(self.b().bits(0));
        let got = self.next(|part| part.summary_where(m, p, empty), empty, |a, b| p.merge(a, b));
        choose(m, got, otherwise)
    }
    fn len(&self) -> Self::V {
        self.cols.to()
    }
}

impl<T: Recorded> Long<'_, T> {
    fn last(&self) -> bool {
        self.stage >= self.widths.borrow().len()
    }
}

impl<T: Recorded> Row<Param<T>> for Long<'_, T> {
    fn first(&self) -> Self::V {
        self.row.first()
    }
    fn known(&self, m: <Self::V as Alu>::Mask) -> Option<bool> {
        self.row.known(m)
    }
    fn map<B: Body<Param<T>, 1>>(&mut self, body: B) {
        if self.last() {
            self.row.map(body);
        }
    }
    fn map_scaled<B: Body<Param<T>, 2>>(&mut self, body: B) {
        if self.last() {
            self.row.map_scaled(body);
        }
    }
    fn map_affine<B: Body<Param<T>, 3>>(&mut self, body: B) {
        if self.last() {
            self.row.map_affine(body);
        }
    }
}

/// The kernels of a row operation of the list for rows that several blocks share; `wide` where all arrays and rows start at
/// multiples of 16 bytes.
#[must_use]
pub fn long_row<T: Recorded>(op: &str, meet: Meet, wide: bool) -> Option<Result<LongRow, Error>> {
    takes(op)?;
    Some(make::<T>(op, meet, wide))
}

fn make<T: Recorded>(op: &str, meet: Meet, wide: bool) -> Result<LongRow, Error> {
    // How wide the states are, the first kernel says.
    let (_, widths) = kernel::<T>(op, (meet, wide), 0, 1)?;
    let all = widths.iter().sum();
    let kernels = (0..=widths.len()).map(|stage| kernel::<T>(op, (meet, wide), stage, all).map(|(k, _)| k));
    Ok(LongRow { kernels: kernels.collect::<Result<_, _>>()?, states: all })
}

fn kernel<T: Recorded>(
    op: &str,
    (meet, wide): (Meet, bool),
    stage: usize,
    all: u32,
) -> Result<(Kernel, Vec<u32>), Error> {
    let takes = takes(op).ok_or(Error::Arguments)?;
    let columns = takes.operands - 1;
    let b = Builder::new(&format!("{op}_long_{stage}_{}{}", T::Elem::NAME, if wide { "_wide" } else { "" }));
    b.threads([LONG.block, 1, 1]);
    let widths = {
        let (x, out) = (b.param::<U64>(), b.param::<U64>());
        let (rows, cols) = (b.param::<U32>(), b.param::<U32>());
        let columns: [_; 2] = core::array::from_fn(|k| if k < columns { b.param::<U64>() } else { x });
        let eps = if takes.parameters > 0 { b.param::<T>() } else { b.bits::<T>(0) };
        let states = b.param::<U64>();
        let (r, blocks) = (b.special(Special::CtaidY), b.special(Special::NctaidX));
        let r = r.least(rows - b.int(1));
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        // Parts begin at multiples of a block's threads.
        let threads = b.int::<U32>(i64::from(LONG.row));
        let each = ((cols + (blocks - b.int(1))) / blocks + (threads - b.int(1))) / threads * threads;
        let begin = (b.special(Special::CtaidX) * each).least(cols);
        let end = (begin + each).least(cols);
        let part = Part { b: &b, meet, threads: LONG, x: [x + start], begin, end };
        let row = OnRow { streams: PartOf::by(part, wide), out: out + start, columns };
        let states = at::<T>(states, r * blocks * b.int(i64::from(all)));
        let mut long = Long { row, states, cols, all, stage, widths: RefCell::default() };
        by_name(op, &mut long, eps);
        long.widths.take()
    };
    let mut kernel = b.finish()?;
    pass::remove_dead(&mut kernel);
    Ok((kernel, widths))
}
