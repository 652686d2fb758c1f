//! Row kernels that keep their row in registers: a thread loads its elements once, 16 bytes at a time, and reduces and
//! maps them as often as the op needs.

use super::super::builder::{Builder, Value};
use super::super::ir::Cmp;
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, U32, U64};
use super::block_reduce::{Part, Pieced, Pieces, Threads, choose, on_row};
use crate::lanes::fold::Fold;
use crate::lanes::multipass::{Folds, Streams, Summary};
use alloc::vec::Vec;

impl Threads {
    /// For rows of `cols` elements, of which `many` are 16 bytes and a thread holds them all in registers: the threads, and the
    /// pieces of 16 bytes that each has. Of `few` rows a thread has as little as it can, as what a row takes is what its reads
    /// wait.
    #[must_use]
    pub fn holding(cols: usize, many: usize, most: u32, few: bool) -> Option<(Self, Pieces)> {
        let pieces = u32::try_from(cols.checked_div(many)?).ok().filter(|_| cols.is_multiple_of(many))?;
        let each = [1, 4, 8].into_iter().find(|each| {
            let threads = if few || *each > 1 { most } else { 32 };
            pieces <= each * threads
        })?;
        let row = pieces.div_ceil(each).next_power_of_two().max(32);
        // Only rows of a warp share a block, so that no thread waits for those of another row.
        let block = if row == 32 { super::THREADS.min(most) } else { row };
        Some((Self { block, row }, Pieces { each, branches: true }))
    }
}

/// The elements of a row of each of `N` inputs.
pub(super) struct Held<'b, T, const N: usize> {
    part: Part<'b, N>,
    /// A thread's, and the pieces that they are of: where each starts, and whether it is there.
    x: Vec<[Value<'b, T>; N]>,
    starts: Vec<(Value<'b, U32>, Value<'b, Pred>)>,
    /// Where not, folds are of no element.
    only: Option<Value<'b, Pred>>,
    branches: bool,
}

const fn many<T: Recorded>() -> u32 {
    16 / T::TYPE.bytes()
}

impl<'b, T: Recorded, const N: usize> Held<'b, T, N> {
    /// All of `part`, which begins at 0 and has pieces of 16 bytes alone.
    pub(super) fn new(part: Part<'b, N>, cols: Value<'b, U32>, by: Pieces) -> Self {
        let (b, [_, place]) = (part.b, part.threads.place(part.b));
        let starts: Vec<_> = (0..by.each)
            .map(|k| (place + b.int(i64::from(k * part.threads.row))) * b.int(i64::from(many::<T>())))
            .map(|start| (start, start.compare(Cmp::Lt, part.end)))
            .collect();
        let x = starts.iter().flat_map(|(start, _)| {
            // What is past the end is as the last, and counts nowhere.
            part.piece(start.least(cols - b.int(i64::from(many::<T>()))), many::<T>())
        });
        Self { part, x: x.collect(), starts, only: None, branches: by.branches }
    }

    fn b(&self) -> &'b Builder {
        self.part.b
    }

    /// The thread's own state, of one fold for each place in a piece.
    fn own<F: Fold<Param<T>, N, K>, const K: usize>(&self, f: F) -> [Value<'b, T>; K] {
        let (many, like) = (many::<T>() as usize, self.b().bits::<T>(0));
        let lane = |j: usize| {
            let pieces = self.starts.iter().zip(self.x.iter().skip(j).step_by(many));
            pieces.fold(f.identity(like), |acc, ((_, there), x)| choose(*there, f.step(acc, *x), acc))
        };
        (0..many).map(lane).reduce(|p, q| f.merge(p, q)).unwrap_or_else(|| f.identity(like))
    }

    fn all<F: Fold<Param<T>, N, K>, const K: usize>(
        &self,
        only: Option<Value<'b, Pred>>,
        f: F,
    ) -> [Value<'b, T>; K] {
        let b = self.b();
        // All threads reduce, on every path.
        let own = match only {
            Some(only) => b.either(only, || self.own(f), || f.identity(b.bits::<T>(0))),
            None => self.own(f),
        };
        on_row(b, self.part.meet, self.part.threads, own, |p, q| f.merge(p, q))
    }

    /// A thread's elements, and whether each is there.
    pub(super) fn elements(&self) -> Vec<(Value<'b, Pred>, [Value<'b, T>; N])> {
        let there = self.starts.iter().flat_map(|(_, there)| (0..many::<T>()).map(|_| *there));
        there.zip(self.x.iter().copied()).collect()
    }

    /// Some of the inputs alone.
    pub(super) fn of<const M: usize>(&self, which: [usize; M]) -> Held<'b, T, M> {
        let Part { b, meet, threads, begin, end, x } = self.part;
        let base = which.map(|k| x.get(k).copied().unwrap_or(b.int(0)));
        let part = Part { b, meet, threads, begin, end, x: base };
        let none = b.bits::<T>(0);
        let x = self.x.iter().map(|x| which.map(|k| x.get(k).copied().unwrap_or(none))).collect();
        Held { part, x, starts: self.starts.clone(), only: self.only, branches: self.branches }
    }

    /// A row made of these, element by element, which lies at `x`.
    pub(super) fn made(
        &self,
        x: Value<'b, U64>,
        f: impl Fn([Value<'b, T>; N]) -> Value<'b, T>,
    ) -> Held<'b, T, 1> {
        let part = self.of([0; 1]).part;
        let made = self.x.iter().map(|all| [f(*all)]).collect();
        Held {
            part: Part { x: [x], ..part },
            x: made,
            starts: self.starts.clone(),
            only: self.only,
            branches: self.branches,
        }
    }

    /// `f(start, elements)` for each piece that is there; the elements are those of one input after the other.
    pub(super) fn each(&self, f: impl Fn(Value<'b, U32>, &[[Value<'b, T>; N]])) {
        self.each_at(|_, start, x| f(start, x));
    }

    /// As [`Held::each`], with the place of the first among [`Held::elements`].
    pub(super) fn each_at(&self, f: impl Fn(usize, Value<'b, U32>, &[[Value<'b, T>; N]])) {
        let many = many::<T>() as usize;
        for ((k, (start, there)), x) in self.starts.iter().enumerate().zip(self.x.chunks(many)) {
            self.b().when(*there, || f(k * many, *start, x));
        }
    }
}

impl<'b, T: Recorded, const N: usize> Folds<Param<T>, N> for Held<'b, T, N> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, N, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.all(self.only, f)
    }
    fn fold_where<F: Fold<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        if self.branches {
            return self.b().either(m, || self.all(self.only, f), || otherwise);
        }
        let only = self.only.map_or(m, |only| only & m);
        choose(m, self.all(Some(only), f), otherwise)
    }
    fn number(&self, v: Self::V) -> Param<T> {
        v.number()
    }
}

impl<'b, T: Recorded, const N: usize> Streams<Param<T>, N> for Held<'b, T, N> {
    fn summary<P: Summary<Param<T>, N, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        p.of(self)
    }
    fn summary_where<P: Summary<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        if self.branches {
            return self.b().either(m, || p.of(self), || otherwise);
        }
        let only = Some(self.only.map_or(m, |only| only & m));
        let (x, starts) = (self.x.clone(), self.starts.clone());
        choose(m, p.of(&Self { x, starts, only, ..*self }), otherwise)
    }
    fn len(&self) -> Self::V {
        (self.part.end - self.part.begin).to()
    }
}

impl<'b, T: Recorded> Pieced<'b, T> for Held<'b, T, 1> {
    fn at_first(&self) -> (&'b Builder, Value<'b, U64>) {
        let Part { b, x: [x], .. } = self.part;
        (b, x)
    }
    fn pieces(&self, f: impl Fn(Value<'b, U32>, &[Value<'b, T>])) {
        self.each(|start, x| f(start, x.as_flattened()));
    }
}
