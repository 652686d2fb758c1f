//! Block-wide reductions: the threads of a block, or of a row in it, reduce their elements and merge their partial
//! states by shuffles or through shared memory.

use super::super::builder::{Builder, Value};
use super::super::ir::{Cmp, Shuffle, Space, Special};
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, Stored, U32, U64};
use super::THREADS;
use super::flat::{at, neighbours};
use crate::lanes::fold::Fold;
use crate::lanes::multipass::{Folds, Streams, Summary};
use alloc::vec::Vec;

/// How a block reduces the states of its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meet {
    /// By shuffles in each warp, then through shared memory.
    Warps,
    /// Through shared memory alone, for languages without shuffles.
    Memory,
}

/// The threads of a block, and those of them that work on the same row: powers of two from 32 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    /// Of a block.
    pub block: u32,
    /// Of a row.
    pub row: u32,
}

/// What a thread has of a row in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces {
    /// Pieces of 16 bytes; with 0 it reads elements as often as they are needed.
    pub each: u32,
    /// Whether a row's threads may reduce in a branch that all of them take.
    pub branches: bool,
}

impl Pieces {
    /// None.
    pub const NONE: Self = Self { each: 0, branches: false };

    pub(super) const fn any(self) -> bool {
        self.each > 0
    }
}

impl Threads {
    /// All of a block on the same row.
    pub const BLOCK: Self = Self { block: THREADS, row: THREADS };

    /// For rows of `cols` on a device with blocks of up to `most`: a warp for a short row; for a long one so many that the
    /// rows that are worked on at once stay in the cache between passes.
    #[must_use]
    pub const fn of_rows(cols: usize, most: u32) -> Self {
        let row = match cols {
            0..=512 => return Self { block: THREADS, row: 32 },
            513..=2048 => THREADS,
            2049..=8192 => 512,
            _ => 1024,
        };
        let row = if row < most { row } else { most };
        Self { block: row, row }
    }

    /// For so few rows that each has a multiprocessor to itself: two elements a thread, as what a row takes is what its
    /// reads wait.
    #[must_use]
    pub fn of_few(cols: usize, most: u32) -> Self {
        let row = u32::try_from(cols / 2).unwrap_or(most).clamp(1, most).next_power_of_two().min(most);
        if row <= 32 { Self { block: THREADS, row: 32 } } else { Self { block: row, row } }
    }

    /// Rows of a block.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self.block / self.row
    }

    /// A thread's row of the block, and its place on it.
    pub(super) fn place(self, b: &Builder) -> [Value<'_, U32>; 2] {
        let tid = b.special(Special::TidX);
        if self.block == self.row {
            return [b.int(0), tid];
        }
        [tid >> b.int::<U32>(i64::from(self.row.ilog2())), tid & b.int(i64::from(self.row - 1))]
    }
}

/// The body for each row, its end (of one that is not there 0) and what is carried from the thread's last row; gives the last
/// of that. As many rows at once as a block has.
pub(super) fn each_by<'b, T: Stored>(
    b: &'b Builder,
    threads: Threads,
    [rows, cols]: [Value<'b, U32>; 2],
    init: &[Value<'b, T>],
    body: impl FnOnce(Value<'b, U32>, Value<'b, U32>, &[Value<'b, T>]) -> Vec<Value<'b, T>>,
) -> Vec<Value<'b, T>> {
    let many = b.int::<U32>(i64::from(threads.rows()));
    let [first, step] = [b.special(Special::CtaidX), b.special(Special::NctaidX)].map(|n| n * many);
    let [own, _] = threads.place(b);
    b.count::<U32, T>([first, rows, step], 1, init, |r, carried| {
        // Of the last block's rows some may not be there: they are empty, as all threads have to reach the barriers.
        let (r, end) = if threads.rows() == 1 {
            (r, cols)
        } else {
            let there = (r + own).compare(Cmp::Lt, rows);
            ((r + own).least(rows - b.int(1)), Value::select(there, cols, b.int(0)))
        };
        let next = body(r, end, carried);
        // The next row uses the same shared memory.
        b.barrier();
        next
    })
}

/// The state of all threads of the block, in each of them.
pub(super) fn block_reduce<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    meet: Meet,
    acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    on_row(b, meet, Threads::BLOCK, acc, merge)
}

/// The state of all threads of a row, in each of them.
pub(super) fn on_row<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    meet: Meet,
    threads: Threads,
    acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    reduce_in(b, (meet, threads, reduce_memory::<T, K>(b, meet, threads)), acc, merge)
}

/// Shared memory in which the states of a row's threads come together.
pub(super) fn reduce_memory<T: Stored, const K: usize>(
    b: &Builder,
    meet: Meet,
    threads: Threads,
) -> Value<'_, U32> {
    let states = match meet {
        // A warp needs none.
        Meet::Warps if threads.row == 32 => return b.int(0),
        Meet::Warps => threads.block / 32,
        Meet::Memory => threads.block,
    };
    b.shared(states * K as u32 * T::TYPE.bytes(), T::TYPE.bytes())
}

/// [`on_row`] in memory of [`reduce_memory`]: between two that use the same there is a barrier.
pub(super) fn reduce_in<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    (meet, threads, scratch): (Meet, Threads, Value<'b, U32>),
    acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    match meet {
        Meet::Warps => by_warps(b, (threads, scratch), acc, &merge),
        Meet::Memory => by_memory(b, (threads, scratch), acc, &merge),
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

/// How two accumulators become one: no type of its own, as all of this would be compiled for each.
type Merge<'f, 'b, T, const K: usize> = &'f dyn Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K];

/// An accumulator with one more element of each input.
type Step<'f, 'b, T, const N: usize, const K: usize> =
    &'f dyn Fn([Value<'b, T>; K], [Value<'b, T>; N]) -> [Value<'b, T>; K];

/// By halves in each warp, then warp by warp.
fn by_warps<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    (threads, scratch): (Threads, Value<'b, U32>),
    mut acc: [Value<'b, T>; K],
    merge: Merge<'_, 'b, T, K>,
) -> [Value<'b, T>; K] {
    for distance in [16, 8, 4, 2, 1] {
        let by = b.int::<U32>(distance);
        acc = merge(acc, acc.map(|v| v.shuffle(Shuffle::Down, by)));
    }
    let warps = threads.row / 32;
    if warps == 1 {
        return acc.map(|v| v.shuffle(Shuffle::Index, b.int::<U32>(0)));
    }
    let width = T::TYPE.bytes();
    let (tid, each) = (b.special(Special::TidX), b.int::<U32>(i64::from(width) * K as i64));
    let (warp, lane) = (tid >> b.int::<U32>(5), tid & b.int(31));
    b.when(lane.compare(Cmp::Eq, b.int(0)), || put(b, scratch + warp * each, &acc));
    b.barrier();
    let [row, _] = threads.place(b);
    let own = if threads.rows() == 1 { scratch } else { scratch + row * b.int(i64::from(warps)) * each };
    (1..warps).fold(get(b, own, 0), |all, w| merge(all, get(b, own, w)))
}

/// By halves of the row's threads.
fn by_memory<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    (threads, scratch): (Threads, Value<'b, U32>),
    acc: [Value<'b, T>; K],
    merge: Merge<'_, 'b, T, K>,
) -> [Value<'b, T>; K] {
    let each = T::TYPE.bytes() * K as u32;
    let (tid, each) = (b.special(Special::TidX), b.int::<U32>(i64::from(each)));
    let [_, place] = threads.place(b);
    let own = scratch + tid * each;
    put(b, own, &acc);
    b.barrier();
    let rounds = [b.int::<U32>(0), b.int(i64::from(threads.row.ilog2())), b.int(1)];
    b.count::<U32, U32>(rounds, 1, &[], |i, _| {
        let half = b.int::<U32>(i64::from(threads.row / 2)) >> i;
        b.when(place.compare(Cmp::Lt, half), || {
            let all = merge(get(b, own, 0), get(b, own + half * each, 0));
            put(b, own, &all);
        });
        b.barrier();
        Vec::new()
    });
    let first = if threads.rows() == 1 { scratch } else { scratch + (tid - place) * each };
    get(b, first, 0)
}

/// Reads that are under way at once.
const READS: u32 = 4;

/// The elements from `begin` to `end` of `N` inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'b, const N: usize> {
    pub(super) b: &'b Builder,
    pub(super) meet: Meet,
    pub(super) threads: Threads,
    pub(super) x: [Value<'b, U64>; N],
    pub(super) begin: Value<'b, U32>,
    pub(super) end: Value<'b, U32>,
}

impl<'b, const N: usize> Part<'b, N> {
    /// First, past the last, and step of a thread.
    pub(super) fn bounds(&self) -> [Value<'b, U32>; 3] {
        let [_, place] = self.threads.place(self.b);
        [self.begin + place, self.end, self.b.int(i64::from(self.threads.row))]
    }

    /// Where the elements behind whole steps begin.
    fn whole(&self, step: u32) -> Value<'b, U32> {
        self.begin + ((self.end - self.begin) & self.b.int(!i64::from(step - 1)))
    }

    /// The bounds of a loop over pieces of so `many` elements, of which a thread takes some at a time.
    fn turns(&self, [first, end]: [Value<'b, U32>; 2], at_once: u32, many: u32) -> [Value<'b, U32>; 3] {
        let ([_, place], int) = (self.threads.place(self.b), |v: u32| self.b.int::<U32>(i64::from(v)));
        [first + place * int(many), end, int(self.threads.row * at_once * many)]
    }

    /// Where the pieces of a turn start.
    fn starts(&self, i: Value<'b, U32>, at_once: u32, many: u32) -> impl Iterator<Item = Value<'b, U32>> {
        let (b, step) = (self.b, i64::from(self.threads.row * many));
        (0..at_once).map(move |r| if r == 0 { i } else { i + b.int(i64::from(r) * step) })
    }

    /// Of as many elements at a time as there are threads, and before those of [`READS`] times as many, or where these are
    /// `wide` of as many pieces of 16 bytes, whose folds are apart.
    fn over<T, F, const K: usize>(&self, f: F, end: Value<'b, U32>, wide: bool) -> [Value<'b, T>; K]
    where
        T: Recorded,
        F: Fold<Param<T>, N, K>,
    {
        let (step, merge) = (&|state, x| f.step(state, x), &|p, q| f.merge(p, q));
        self.over_by(&|like| f.identity(like), (step, merge), end, wide)
    }

    /// The code of [`Self::over`], which is compiled once for all folds of so many inputs and results.
    fn over_by<T: Recorded, const K: usize>(
        &self,
        empty: &dyn Fn(Value<'b, T>) -> [Value<'b, T>; K],
        (step, merge): (Step<'_, 'b, T, N, K>, Merge<'_, 'b, T, K>),
        end: Value<'b, U32>,
        wide: bool,
    ) -> [Value<'b, T>; K] {
        let b = self.b;
        let like = b.bits::<T>(0);
        let typed = |v: &[Value<'b, T>]| core::array::from_fn(|k| v.get(k).copied().unwrap_or(like));
        let pass = |range: [Value<'b, U32>; 2], reads: u32, many: u32, init: &[[Value<'b, T>; K]]| {
            let acc = b.count::<U32, T>(self.turns(range, reads, many), 1, init.as_flattened(), |i, acc| {
                let x: Vec<_> = self.starts(i, reads, many).map(|at| self.piece::<T>(at, many)).collect();
                let next = acc.chunks(K).zip(x).flat_map(|(state, x)| x.into_iter().fold(typed(state), step));
                next.collect()
            });
            acc.chunks(K).map(typed).reduce(merge).unwrap_or_else(|| empty(like))
        };
        let many = if wide { 16 / T::TYPE.bytes() } else { 1 };
        let whole = Self { end, ..*self }.whole(self.threads.row * READS * many);
        let acc = pass([self.begin, whole], READS, many, &[empty(like); READS as usize]);
        let acc = pass([whole, end], 1, 1, &[acc]);
        on_row(b, self.meet, self.threads, acc, merge)
    }

    /// `f(start, elements)` for all pieces of 16 bytes, of which there is a whole number: a thread reads some before it goes on.
    pub(super) fn each_piece<T: Recorded>(&self, f: impl Fn(Value<'b, U32>, &[[Value<'b, T>; N]])) {
        let many = 16 / T::TYPE.bytes();
        let whole = self.whole(self.threads.row * READS * many);
        for (range, reads) in [([self.begin, whole], READS), ([whole, self.end], 1)] {
            self.b.count::<U32, U32>(self.turns(range, reads, many), 1, &[], |i, _| {
                let read = |start| (start, self.piece::<T>(start, many));
                let pieces: Vec<_> = self.starts(i, reads, many).map(read).collect();
                pieces.iter().for_each(|(start, x)| f(*start, x));
                Vec::new()
            });
        }
    }

    /// Element `i` of each input, and those behind it of as `many` neighbours as are read at once.
    pub(super) fn piece<T: Recorded>(&self, i: Value<'b, U32>, many: u32) -> Vec<[Value<'b, T>; N]> {
        let (b, none) = (self.b, self.b.bits::<T>(0));
        let of = |x| neighbours::<T>(b, Space::Global, at::<T>(x, i), 0, many).into_iter();
        let mut of = self.x.map(of);
        (0..many).map(|_| of.each_mut().map(|x| x.next().unwrap_or(none))).collect()
    }
}

/// [`Part`] of elements of one type; where it is `wide` it starts at a multiple of 16 bytes, and as many are read at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartOf<'b, T, const N: usize>(
    pub(super) Part<'b, N>,
    pub(super) core::marker::PhantomData<T>,
    bool,
);

impl<'b, T, const N: usize> PartOf<'b, T, N> {
    pub(super) fn new(part: Part<'b, N>) -> Self {
        Self::by(part, false)
    }

    pub(super) fn by(part: Part<'b, N>, wide: bool) -> Self {
        Self(part, core::marker::PhantomData, wide)
    }

    /// Whether it is read by 16 bytes.
    pub(super) const fn wide(&self) -> bool {
        self.2
    }
}

impl<'b, T: Recorded, const N: usize> Folds<Param<T>, N> for PartOf<'b, T, N> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, N, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.0.over(f, self.0.end, self.2)
    }
    // No branch: every thread has to reach the barriers. Without elements the loop is short.
    fn fold_where<F: Fold<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let got = self.0.over(f, Value::select(m, self.0.end, self.0.begin), self.2);
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

/// Pieces that a thread summarises at a time.
const PIECES: u32 = 4;

impl<'b, T: Recorded, const N: usize> PartOf<'b, T, N> {
    /// Each thread's pieces are summed up in registers, so that they are read once, and what is left by all together.
    fn by_threads<P: Summary<Param<T>, N, K>, const K: usize>(&self, p: P) -> [Value<'b, T>; K] {
        let (part, b) = (self.0, self.0.b);
        let (many, like) = (16 / T::TYPE.bytes(), b.bits::<T>(0));
        let typed = |v: &[Value<'b, T>]| core::array::from_fn(|k| v.get(k).copied().unwrap_or(like));
        let whole = part.whole(part.threads.row * PIECES * many);
        let bounds = part.turns([part.begin, whole], PIECES, many);
        let acc = b.count::<U32, T>(bounds, 1, &p.empty(like), |i, acc| {
            let pieces = part.starts(i, PIECES, many).flat_map(|at| part.piece(at, many));
            p.merge(typed(acc), p.of(&Own { b, x: pieces.collect() })).to_vec()
        });
        let all = on_row(b, part.meet, part.threads, typed(&acc), |p_, q| p.merge(p_, q));
        let rest = p.of(&Self::new(Part { begin: whole, ..part }));
        choose(whole.compare(Cmp::Lt, part.end), p.merge(all, rest), all)
    }
}

/// A thread's own elements.
struct Own<'b, T, const N: usize> {
    b: &'b Builder,
    x: Vec<[Value<'b, T>; N]>,
}

impl<'b, T: Recorded, const N: usize> Folds<Param<T>, N> for Own<'b, T, N> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, N, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.x.iter().fold(f.identity(self.b.bits(0)), |state, x| f.step(state, *x))
    }
    fn fold_where<F: Fold<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        self.b.either(m, || self.fold(f), || otherwise)
    }
    fn number(&self, v: Self::V) -> Param<T> {
        v.number()
    }
}

impl<'b, T: Recorded, const N: usize> Streams<Param<T>, N> for Own<'b, T, N> {
    fn summary<P: Summary<Param<T>, N, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        p.of(self)
    }
    fn summary_where<P: Summary<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        self.b.either(m, || p.of(self), || otherwise)
    }
    fn len(&self) -> Self::V {
        self.b.int::<U32>(self.x.len() as i64).to()
    }
}

impl<'b, T: Recorded, const N: usize> Streams<Param<T>, N> for PartOf<'b, T, N> {
    fn summary<P: Summary<Param<T>, N, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        if self.2 { self.by_threads(p) } else { p.of(self) }
    }
    fn summary_where<P: Summary<Param<T>, N, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        let end = Value::select(m, self.0.end, self.0.begin);
        choose(m, Self::by(Part { end, ..self.0 }, self.2).summary(p), otherwise)
    }
    fn len(&self) -> Self::V {
        (self.0.end - self.0.begin).to()
    }
}

/// The elements of a row as threads have them.
pub(super) trait Pieced<'b, T: Recorded>: Streams<Param<T>, 1, V = Value<'b, T>> {
    /// The block's builder, and where the row begins.
    fn at_first(&self) -> (&'b Builder, Value<'b, U64>);
    /// `f(start, elements)` for each of the thread's pieces that are there.
    fn pieces(&self, f: impl Fn(Value<'b, U32>, &[Value<'b, T>]));
}

impl<'b, T: Recorded> Pieced<'b, T> for PartOf<'b, T, 1> {
    fn at_first(&self) -> (&'b Builder, Value<'b, U64>) {
        let Part { b, x: [x], .. } = self.0;
        (b, x)
    }
    fn pieces(&self, f: impl Fn(Value<'b, U32>, &[Value<'b, T>])) {
        let (b, x) = self.at_first();
        let turn = |i: Value<'b, U32>, many: u32| {
            f(i, &neighbours::<T>(b, Space::Global, at::<T>(x, i), 0, many));
            Vec::new()
        };
        let [first, end, step] = self.0.bounds();
        if !self.wide() {
            b.count::<U32, T>([first, end, step], 1, &[], |i, _| turn(i, 1));
            return;
        }
        // All of it, in pieces of 16 bytes.
        let (many, begin) = (16 / T::TYPE.bytes(), self.0.begin);
        let by = b.int(i64::from(many));
        b.count::<U32, T>([begin + (first - begin) * by, end, step * by], 1, &[], |i, _| turn(i, many));
    }
}
