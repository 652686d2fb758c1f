//! Factors of the parts of a matrix that one block has, and what goes with them: exchanges of rows, and whether a triangle
//! divides. What lies between parts is for triangular solves and products.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::flat::{each, get, named, put};
use super::layer::{leads, strided};
use super::part::{Meet, together};
use super::status::{Index, note, note_first};
use crate::Number;
use alloc::vec::Vec;

/// Rows that [`cholesky`] factors at once, and columns that [`lu`] does.
pub const LEAF: u32 = 32;

/// Elements from a row in shared memory to the next: those of a column are in banks of their own.
const PITCH: u32 = LEAF + 1;

pub(super) fn constant<T: Recorded>(b: &Builder, x: T::Elem) -> Value<'_, T> {
    b.bits(T::bits(x))
}

/// Whether a pivot is none: not above 0, NaN or infinite. Of `f32` by its bits, as WGSL's compilers take it that there is no NaN.
pub(super) fn refused<T: Recorded>(pivot: Value<'_, T>) -> Value<'_, Pred> {
    let b = pivot.builder();
    if T::TYPE.bytes() == 4 {
        return (pivot.cast::<U32>() - b.int(1)).compare(Cmp::Ge, b.int(0x7f7f_ffff));
    }
    let infinity = constant::<T>(b, <T::Elem as Number>::INFINITY);
    !(pivot.compare(Cmp::Gt, b.bits(0)) & pivot.compare(Cmp::Lt, infinity))
}

/// The magnitude, of NaN that of infinity.
pub(super) fn size<T: Recorded>(x: Value<'_, T>) -> Value<'_, T> {
    let (b, x) = (x.builder(), x.magnitude());
    Value::select(x.compare(Cmp::Ne, x), constant::<T>(b, <T::Elem as Number>::INFINITY), x)
}

/// Elements of this block in shared memory.
fn room<T: Recorded>(b: &Builder, many: u32) -> Value<'_, U32> {
    b.shared(many * T::TYPE.bytes(), T::TYPE.bytes())
}

fn place<'b, T: Recorded>(room: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
    room + i * room.builder().int(i64::from(T::TYPE.bytes()))
}

fn kept<'b, T: Recorded>(room: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, T> {
    room.builder().load(Space::Shared, place::<T>(room, i), 0)
}

fn keep<'b, T: Recorded>(room: Value<'b, U32>, i: Value<'b, U32>, v: Value<'b, T>) {
    room.builder().store(Space::Shared, place::<T>(room, i), 0, v);
}

/// `f` on each place of the lower triangle of `m` rows, by the block's threads.
fn below<'b>(b: &'b Builder, m: Value<'b, U32>, f: impl FnOnce([Value<'b, U32>; 2])) {
    strided(b, [b.int(0), m * m], |e| {
        let i = e / m;
        let j = e - i * m;
        b.when(i.compare(Cmp::Ge, j), || f([i, j]));
    });
}

/// `A = L·Lᵀ` over the lower triangle of at most [`LEAF`] rows, by one block. Parameters: A, the status words; rows, the
/// strides of rows and columns, the first row's index in the whole matrix.
pub fn cholesky<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("cholesky");
    b.threads([THREADS, 1, 1]);
    let [a, status] = [(); 2].map(|()| b.param::<U64>());
    let [n, row, col, first] = [(); 4].map(|()| b.param::<U32>());
    let (tile, one) = (room::<T>(&b, LEAF * PITCH), b.int::<U32>(1));
    let at = |i, j| i * b.int::<U32>(i64::from(PITCH)) + j;
    below(&b, n, |[i, j]| keep(tile, at(i, j), get::<T>(a, i * row + j * col)));
    b.barrier();
    b.count::<U32, U32>([b.int(0), n, one], 1, &[], |k, _| {
        let pivot = kept::<T>(tile, at(k, k));
        b.when(leads(&b) & refused(pivot), || note_first(status, Index::Cholesky, first + k));
        let root = pivot.root();
        strided(&b, [k + one, n], |i| keep(tile, at(i, k), kept::<T>(tile, at(i, k)) / root));
        b.barrier();
        b.when(leads(&b), || keep(tile, at(k, k), root));
        below(&b, n - k - one, |all| {
            let [i, j] = all.map(|i| k + one + i);
            let (to, l) = (at(i, j), -kept::<T>(tile, at(i, k)));
            keep(tile, to, l.fma(kept(tile, at(j, k)), kept(tile, to)));
        });
        b.barrier();
        Vec::new()
    });
    below(&b, n, |[i, j]| put(a, i * row + j * col, kept::<T>(tile, at(i, j))));
    b.finish()
}

/// `f` on each of `n`, in every thread.
fn line<'b>(b: &'b Builder, n: Value<'b, U32>, f: impl FnOnce(Value<'b, U32>)) {
    b.count::<U32, U32>([b.int(0), n, b.int(1)], 1, &[], |j, _| {
        f(j);
        Vec::new()
    });
}

/// `P·A = L·U` of at most [`LEAF`] columns, by one block: a thread has every [`THREADS`]-th row, and what another one has of
/// the pivot's comes through shared memory. Parameters: A, the pivots, the status words; rows, columns, the strides of rows
/// and columns, the first row's index in the whole matrix.
pub fn lu<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("lu");
    b.threads([THREADS, 1, 1]);
    let [a, pivots, status] = [(); 3].map(|()| b.param::<U64>());
    let [m, n, row, col, first] = [(); 5].map(|()| b.param::<U32>());
    let (tid, one, none) = (b.special(Special::TidX), b.int::<U32>(1), b.int::<U32>(i64::from(u32::MAX)));
    let (threads, own) = (b.int::<U32>(i64::from(THREADS)), b.int::<U32>(i64::from(THREADS - 1)));
    let [chosen, left] = [(); 2].map(|()| room::<T>(&b, LEAF));
    let at = |i, j| get::<T>(a, i * row + j * col);
    let set = |i, j, v: Value<'_, T>| put(a, i * row + j * col, v);
    // The thread's first row from `k` on.
    let from = |k| k + ((tid - k) & own);
    let has = |i| tid.compare(Cmp::Eq, i & own);
    b.count::<U32, U32>([b.int(0), m.least(n), one], 1, &[], |k, _| {
        let size = |i| size(at(i, k));
        let start = from(k);
        let best = b.count::<U32, U32>([start, m, threads], 1, &[start], |i, best| {
            best.iter().map(|best| Value::select(size(i).compare(Cmp::Gt, size(*best)), i, *best)).collect()
        });
        let best = best.first().copied().unwrap_or(start);
        let there = start.compare(Cmp::Lt, m);
        let [mine] = b.either(there, || [size(best)], || [-constant::<T>(&b, <T::Elem as Number>::ONE)]);
        let [most] = together(&b, meet, [mine], |[p], [q]| [Value::select(q.compare(Cmp::Gt, p), q, p)]);
        // The first of those that are as large.
        let same = there & mine.compare(Cmp::Eq, most);
        let [found] = together(&b, meet, [Value::select(same, best, none)], |[p], [q]| [p.least(q)]);
        let p = found.least(m - one);
        b.when(has(p), || line(&b, n, |j| keep(chosen, j, at(p, j))));
        b.when(has(k), || line(&b, n, |j| keep(left, j, at(k, j))));
        b.barrier();
        b.when(has(k), || line(&b, n, |j| set(k, j, kept(chosen, j))));
        b.when(has(p) & p.compare(Cmp::Ne, k), || line(&b, n, |j| set(p, j, kept(left, j))));
        let pivot = kept::<T>(chosen, k);
        b.when(leads(&b), || {
            put(pivots, k, first + p);
            b.when(refused(pivot.magnitude()), || note_first(status, Index::Lu, first + k));
        });
        let zero = pivot.compare(Cmp::Eq, b.bits(0));
        b.count::<U32, U32>([from(k + one), m, threads], 1, &[], |i, _| {
            // A column of zeros is one of L, too.
            let x = at(i, k);
            let l = Value::select(zero, x, x / pivot);
            set(i, k, l);
            b.count::<U32, U32>([k + one, n, one], 1, &[], |j, _| {
                set(i, j, (-l).fma(kept(chosen, j), at(i, j)));
                Vec::new()
            });
            Vec::new()
        });
        b.barrier();
        Vec::new()
    });
    b.finish()
}

/// Exchanges row `i` with the pivot's, in the order of `i`, a thread for each column. Parameters: A, the pivots, the status
/// words; columns, pivots, rows, the strides of rows and columns, the first row's index in the whole matrix.
pub fn exchange<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("exchange");
    let [a, pivots, status] = [(); 3].map(|()| b.param::<U64>());
    let [cols, n, rows, row, col, first] = [(); 6].map(|()| b.param::<U32>());
    each(&b, cols, |j| {
        b.count::<U32, U32>([b.int(0), n, b.int(1)], 1, &[], |i, _| {
            let pivot = get::<U32>(pivots, i);
            let p = pivot - first;
            let good = p.compare(Cmp::Lt, rows);
            b.when(!good, || note(status, Index::LuPivots, pivot));
            b.when(good, || {
                let [here, there] = [i, p].map(|i| i * row + j * col);
                let [u, v] = [here, there].map(|at| get::<T>(a, at));
                put(a, here, v);
                put(a, there, u);
            });
            Vec::new()
        });
    });
    b.finish()
}

/// Says the first zero of a diagonal, by one block. Parameters: A, the status words; rows, the stride of the diagonal.
pub fn divides<T: Recorded>(meet: Meet, what: Index) -> Result<Kernel, Error> {
    let b = named::<T>(what.names().0);
    b.threads([THREADS, 1, 1]);
    let [a, status] = [(); 2].map(|()| b.param::<U64>());
    let [n, step] = [(); 2].map(|()| b.param::<U32>());
    let none = b.int::<U32>(i64::from(u32::MAX));
    let bounds = [b.special(Special::TidX), n, b.int(i64::from(THREADS))];
    let found = b.count::<U32, U32>(bounds, 1, &[none], |i, found| {
        let zero = get::<T>(a, i * step).compare(Cmp::Eq, b.bits(0));
        found.iter().map(|found| Value::select(zero, found.least(i), *found)).collect()
    });
    let [found] = together(&b, meet, [found.first().copied().unwrap_or(none)], |[p], [q]| [p.least(q)]);
    b.when(leads(&b) & found.compare(Cmp::Ne, none), || note_first(status, what, found));
    b.finish()
}
