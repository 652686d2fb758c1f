//! What a block of threads folds: a range of elements of each input.

use super::super::builder::{Builder, Value};
use super::super::ir::{Cmp, Shuffle, Space, Special};
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, Stored, U32, U64};
use super::THREADS;
use crate::lanes::fold::Fold;
use crate::lanes::streams::{Folds, Streams, Summary};

/// How the states of a block's threads come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meet {
    /// By shuffles in each warp, then through shared memory.
    Warps,
    /// Through shared memory alone, for languages without shuffles.
    Memory,
}

/// The state of all threads of the block, in each of them.
pub(super) fn together<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    meet: Meet,
    acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    match meet {
        Meet::Warps => by_warps(b, acc, merge),
        Meet::Memory => by_memory(b, acc, merge),
    }
}

fn put<'b, T: Stored>(b: &'b Builder, at: Value<'b, U32>, v: &[Value<'b, T>]) {
    let width = T::TYPE.bytes();
    v.iter().enumerate().for_each(|(k, v)| b.store(Space::Shared, at, (k as u32 * width) as i32, *v));
}

fn get<'b, T: Stored, const K: usize>(b: &'b Builder, at: Value<'b, U32>, place: u32) -> [Value<'b, T>; K] {
    let width = T::TYPE.bytes();
    core::array::from_fn(|k| b.load(Space::Shared, at, ((place * K as u32 + k as u32) * width) as i32))
}

/// By halves in each warp, then warp by warp.
fn by_warps<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    mut acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    for distance in [16, 8, 4, 2, 1] {
        let by = b.int::<U32>(distance);
        acc = merge(acc, acc.map(|v| v.shuffle(Shuffle::Down, by)));
    }
    let width = T::TYPE.bytes();
    let (tid, warps) = (b.special(Special::TidX), THREADS / 32);
    let room = b.shared(warps * width * K as u32, width);
    let (warp, lane) = (tid >> b.int::<U32>(5), tid & b.int(31));
    b.when(lane.compare(Cmp::Eq, b.int(0)), || {
        put(b, room + warp * b.int(i64::from(width) * K as i64), &acc);
    });
    b.barrier();
    (1..warps).fold(get(b, room, 0), |all, w| merge(all, get(b, room, w)))
}

/// By halves of the block.
fn by_memory<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    let each = T::TYPE.bytes() * K as u32;
    let room = b.shared(THREADS * each, T::TYPE.bytes());
    let (tid, each) = (b.special(Special::TidX), b.int::<U32>(i64::from(each)));
    let own = room + tid * each;
    put(b, own, &acc);
    b.barrier();
    let rounds = [b.int::<U32>(0), b.int(i64::from(THREADS.ilog2())), b.int(1)];
    b.count::<U32, U32>(rounds, 1, &[], |i, _| {
        let half = b.int::<U32>(i64::from(THREADS / 2)) >> i;
        b.when(tid.compare(Cmp::Lt, half), || {
            let all = merge(get(b, own, 0), get(b, own + half * each, 0));
            put(b, own, &all);
        });
        b.barrier();
        alloc::vec::Vec::new()
    });
    get(b, room, 0)
}

/// The elements from `begin` to `end` of `N` inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'b, const N: usize> {
    pub(super) b: &'b Builder,
    pub(super) meet: Meet,
    pub(super) x: [Value<'b, U64>; N],
    pub(super) begin: Value<'b, U32>,
    pub(super) end: Value<'b, U32>,
}

impl<'b, const N: usize> Part<'b, N> {
    /// First, past the last, and step of a thread.
    pub(super) fn bounds(&self) -> [Value<'b, U32>; 3] {
        let b = self.b;
        [self.begin + b.special(Special::TidX), self.end, b.int(i64::from(THREADS))]
    }

    fn over<T, F, const K: usize>(&self, f: F, end: Value<'b, U32>) -> [Value<'b, T>; K]
    where
        T: Recorded,
        F: Fold<Param<T>, N, K>,
    {
        let (b, [start, _, step]) = (self.b, self.bounds());
        let like = b.bits::<T>(0);
        let width = b.int::<U32>(i64::from(T::TYPE.bytes()));
        let acc = b.count::<U32, T>([start, end, step], 1, &f.identity(like), |i, acc| {
            let offset = i.wide(width);
            let state = core::array::from_fn(|k| acc.get(k).copied().unwrap_or(like));
            f.step(state, self.x.map(|x| b.load::<T>(Space::Global, x + offset, 0))).to_vec()
        });
        let acc = core::array::from_fn(|k| acc.get(k).copied().unwrap_or(like));
        together(b, self.meet, acc, |p, q| f.merge(p, q))
    }
}

/// [`Part`] of elements of one type.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartOf<'b, T, const N: usize>(
    pub(super) Part<'b, N>,
    pub(super) core::marker::PhantomData<T>,
);

impl<'b, T, const N: usize> PartOf<'b, T, N> {
    pub(super) fn new(part: Part<'b, N>) -> Self {
        Self(part, core::marker::PhantomData)
    }
}

impl<'b, T: Recorded, const N: usize> Folds<Param<T>, N> for PartOf<'b, T, N> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, N, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.0.over(f, self.0.end)
    }
    // No branch: every thread has to reach the barriers. Without elements the loop is short.
    fn fold_where<F: Fold<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let got = self.0.over(f, Value::select(m, self.0.end, self.0.begin));
        choose(m, got, otherwise)
    }
    fn number(&self, v: Self::V) -> Param<T> {
        v.number()
    }
}

/// `m ? a : b`.
pub(super) fn choose<'b, T: Recorded, const K: usize>(
    m: Value<'b, Pred>,
    a: [Value<'b, T>; K],
    b: [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    let mut b = b.into_iter();
    a.map(|a| b.next().map_or(a, |b| Value::select(m, a, b)))
}

impl<'b, T: Recorded, const N: usize> Streams<Param<T>, N> for PartOf<'b, T, N> {
    fn summary<P: Summary<Param<T>, N, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        p.of(self)
    }
    fn summary_where<P: Summary<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let end = Value::select(m, self.0.end, self.0.begin);
        choose(m, p.of(&Self::new(Part { end, ..self.0 })), otherwise)
    }
    fn len(&self) -> Self::V {
        (self.0.end - self.0.begin).to()
    }
}
