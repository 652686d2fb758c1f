//! Factorises a diagonal block (Cholesky, LU) in one thread block, exchanges rows, and checks a triangle for zeros.
//! Trailing updates are triangular solves and products.
#![allow(clippy::indexing_slicing, reason = "places of registers that are counted here")]

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::flat::{self, get, named, neighbours, put};
use super::layer::{each_row, leads};
use super::status::{Index, note, note_first};
use crate::Number;
use alloc::vec::Vec;

/// Threads of a block that has a part of a matrix.
pub const FACTOR: u32 = 256;

/// Columns that [`lu`] factors at once.
pub const LEAF: u32 = 32;

/// Rows that [`cholesky`] factors at once.
pub const TRIANGLE: u32 = 128;

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

/// Elements of this block in shared memory, from a multiple of 16 bytes on.
pub(super) fn scratch<T: Recorded>(b: &Builder, many: u32) -> Value<'_, U32> {
    b.shared(many * T::TYPE.bytes(), 16)
}

pub(super) fn place<'b, T: Recorded>(scratch: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
    scratch + i * scratch.builder().int(i64::from(T::TYPE.bytes()))
}

pub(super) fn kept<'b, T: Recorded>(scratch: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, T> {
    scratch.builder().load(Space::Shared, place::<T>(scratch, i), 0)
}

pub(super) fn keep<'b, T: Recorded>(scratch: Value<'b, U32>, i: Value<'b, U32>, v: Value<'b, T>) {
    scratch.builder().store(Space::Shared, place::<T>(scratch, i), 0, v);
}

/// So many elements of a line in shared memory from one on, `many` at once.
pub(super) fn line<'b, T: Recorded>(
    scratch: Value<'b, U32>,
    from: Value<'b, U32>,
    many: u32,
    upto: u32,
) -> Vec<Value<'b, T>> {
    let start = place::<T>(scratch, from);
    let parts = (0..upto.div_ceil(many)).flat_map(|p| {
        let offset = (p * many * T::TYPE.bytes()) as i32;
        neighbours::<T>(scratch.builder(), Space::Shared, start, offset, many)
    });
    parts.take(upto as usize).collect()
}

/// Columns that [`cholesky`] factors by a thread for each row, and threads along each side of the rest of the triangle, of
/// which a thread has each so-manieth row and column.
const SIDE: u32 = FACTOR.isqrt();

/// Columns of those that a thread takes at once.
const ALONE: u32 = 8;

/// `A = L·Lᵀ` over the lower triangle of at most [`TRIANGLE`] rows, by one block, in registers. [`SIDE`] columns at a time go
/// through shared memory to threads that have a row of them each, and come back for the update of what is on their right;
/// shared memory is read by 16 bytes where that is `wide`, from rows in banks that differ where there is `scratch`. Parameters: A,
/// the status words; rows, the strides of rows and columns, the first row's index in the whole matrix.
pub fn cholesky<T: Recorded>(wide: bool, scratch: bool) -> Result<Kernel, Error> {
    let b = named::<T>("cholesky");
    b.threads([FACTOR, 1, 1]);
    let [a, status] = b.params::<U64, 2>();
    let [n, row, col, first] = b.params::<U32, 4>();
    let number = |i: u32| b.int::<U32>(i64::from(i));
    let (tid, side) = (b.special(Special::TidX), number(SIDE));
    let (many, parts) = (if wide { 16 / T::TYPE.bytes() } else { 1 }, TRIANGLE / SIDE);
    let pitch = SIDE + if scratch { many } else { 0 };
    let panel = self::scratch::<T>(&b, TRIANGLE * pitch);
    // A column's threads are neighbours.
    let (down, right) = (tid & number(SIDE - 1), tid / side);
    let at = |part: u32, own| own + number(part * SIDE);
    let own: Vec<[u32; 2]> = (0..parts).flat_map(|c| (c..parts).map(move |r| [r, c])).collect();
    let (zero, unit) = (b.bits::<T>(0), constant::<T>(&b, T::Elem::ONE));
    let inside = |i, j| n.compare(Cmp::Gt, i) & i.compare(Cmp::Ge, j);
    let line = |from, upto| line::<T>(panel, from, many, upto);
    // What lies past the matrix is that of the identity.
    let read = |[r, c]: [u32; 2]| {
        let (i, j) = (at(r, down), at(c, right));
        let past = Value::select(i.compare(Cmp::Eq, j), unit, zero);
        let [x] = b.either(inside(i, j), || [get::<T>(a, i * row + j * col)], || [past]);
        x
    };
    let all: Vec<_> = own.iter().copied().map(read).collect();
    let mine = tid & number(TRIANGLE - 1);
    b.count::<U32, T>([b.int(0), (n + number(SIDE - 1)) / side, b.int(1)], 1, &all, |part, all| {
        let (mut all, start) = (all.to_vec(), part * side);
        for c in 0..parts {
            b.when(part.compare(Cmp::Eq, number(c)), || {
                let column = own.iter().zip(&all).filter(|(at, _)| at[1] == c);
                column.for_each(|([r, _], x)| keep(panel, at(*r, down) * number(pitch) + right, *x));
            });
        }
        b.barrier();
        let mut x = line(mine * number(pitch), SIDE);
        let (turn, alone) = (mine - start, tid.compare(Cmp::Lt, number(TRIANGLE)));
        let of_diagonal = alone & turn.compare(Cmp::Lt, side);
        let keep_row = |from: u32, x: &[Value<'_, T>]| {
            for (k, x) in (0..).zip(x.chunks(many as usize)) {
                let to = mine * number(pitch) + number(from + k * many);
                flat::keep(&b, Space::Shared, place::<T>(panel, to), x);
            }
        };
        for from in (0..SIDE).step_by(ALONE as usize) {
            // Every thread factors the square on the diagonal for itself: no thread waits for another's pivot.
            let row_of =
                |i: u32, columns, many| line((start + number(i)) * number(pitch) + number(columns), many);
            let mut square: Vec<_> = (0..ALONE).map(|i| row_of(from + i, from, ALONE)).collect();
            let (own, last) = (from as usize, (from + ALONE) as usize);
            for k in 0..ALONE as usize {
                let pivot = square[k][k];
                let index = start + number(from + k as u32);
                b.when(leads(&b) & refused(pivot), || note_first(status, Index::Cholesky, first + index));
                let root = pivot.root();
                let inverse = if wide { T::inverse_root(pivot) } else { unit / root };
                let column: Vec<_> = square.iter().skip(k + 1).map(|row| row[k] * inverse).collect();
                let l = x[own + k] * inverse;
                for (j, u) in (k + 1..).zip(&column) {
                    for (i, v) in (j..).zip(&column[j - k - 1..]) {
                        square[i][j] = (-*v).fma(*u, square[i][j]);
                    }
                    x[own + j] = (-l).fma(*u, x[own + j]);
                }
                x[own + k] = Value::select(mine.compare(Cmp::Eq, index), root, l);
            }
            b.barrier();
            if last as u32 == SIDE {
                break;
            }
            b.when(of_diagonal, || keep_row(from, &x[own..last]));
            b.barrier();
            for i in last..SIDE as usize {
                let pairs = row_of(i as u32, from, ALONE).into_iter().zip(&x[own..last]);
                x[i] = pairs.fold(x[i], |x_i, (l, x)| (-*x).fma(l, x_i));
            }
            b.when(of_diagonal, || keep_row(from + ALONE, &x[last..]));
            b.barrier();
        }
        b.when(alone, || keep_row(0, &x));
        b.barrier();
        for r in 0..parts {
            let (i, j) = (at(r, down), start + right);
            b.when(inside(i, j), || {
                put(a, i * row + j * col, kept::<T>(panel, i * number(pitch) + right));
            });
        }
        // What is on the right, of which a thread reads some factors at a time.
        for k in (0..SIDE).step_by(many as usize) {
            let factors = |own| (0..parts).map(move |p| line(at(p, own) * number(pitch) + number(k), many));
            let [rows, cols]: [Vec<_>; 2] = [down, right].map(|own| factors(own).collect());
            for c in 1..parts {
                let of_column = |[_, at]: &[u32; 2]| *at == c;
                let old: Vec<_> =
                    own.iter().zip(&all).filter(|(at, _)| of_column(at)).map(|(_, x)| *x).collect();
                let new = || {
                    let of_row = (c..).zip(&old).map(|(r, x)| {
                        let pairs = rows[r as usize].iter().zip(&cols[c as usize]);
                        pairs.fold(*x, |x, (l, u)| (-*l).fma(*u, x))
                    });
                    of_row.collect::<Vec<_>>()
                };
                let new = b.unless(&old, part.compare(Cmp::Lt, number(c)), new);
                let places = (0..own.len()).filter(|e| of_column(&own[*e]));
                places.zip(new).for_each(|(e, x)| all[e] = x);
            }
        }
        b.barrier();
        all
    });
    b.finish()
}

/// `f` on each of `n`, in every thread.
fn all_of<'b>(b: &'b Builder, n: Value<'b, U32>, f: impl FnOnce(Value<'b, U32>)) {
    b.count::<U32, U32>([b.int(0), n, b.int(1)], 1, &[], |j, _| {
        f(j);
        Vec::new()
    });
}

/// `P·A = L·U` of at most [`LEAF`] columns of any number of rows, by one block: a thread has every [`THREADS`]-th row, and what another one has of
/// the pivot's comes through shared memory. Parameters: A, the pivots, the status words; rows, columns, the strides of rows
/// and columns, the first row's index in the whole matrix.
pub fn lu<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("lu");
    b.threads([THREADS, 1, 1]);
    let [a, pivots, status] = b.params::<U64, 3>();
    let [m, n, row, col, first] = b.params::<U32, 5>();
    let (tid, one, none) = (b.special(Special::TidX), b.int::<U32>(1), b.int::<U32>(i64::from(u32::MAX)));
    let (threads, own) = (b.int::<U32>(i64::from(THREADS)), b.int::<U32>(i64::from(THREADS - 1)));
    let [chosen, left] = [(); 2].map(|()| scratch::<T>(&b, LEAF));
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
        let [most] = block_reduce(&b, meet, [mine], |[p], [q]| [Value::select(q.compare(Cmp::Gt, p), q, p)]);
        // The first of those that are as large.
        let same = there & mine.compare(Cmp::Eq, most);
        let [found] = block_reduce(&b, meet, [Value::select(same, best, none)], |[p], [q]| [p.least(q)]);
        let p = found.least(m - one);
        b.when(has(p), || all_of(&b, n, |j| keep(chosen, j, at(p, j))));
        b.when(has(k), || all_of(&b, n, |j| keep(left, j, at(k, j))));
        b.barrier();
        b.when(has(k), || all_of(&b, n, |j| set(k, j, kept(chosen, j))));
        b.when(has(p) & p.compare(Cmp::Ne, k), || all_of(&b, n, |j| set(p, j, kept(left, j))));
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

/// Rows that [`exchange`] exchanges at once, at most.
const EXCHANGED: u32 = FACTOR / 2;
/// Columns that a block of [`exchange`] has.
pub const EXCHANGED_COLUMNS: u32 = 32;

/// Exchanges row `i` with the pivot's, in the order of `i`. A thread follows one row through [`EXCHANGED`] exchanges, those
/// that are exchanged first and those of the pivots after them; then all of these rows are read, and written where they end.
/// Parameters: A, the pivots, the status words; columns, pivots, rows, the strides of rows and columns, the first row's index
/// in the whole matrix. `back` takes the exchanges back. What is no row is said by `what`.
pub fn exchange<T: Recorded>(what: Index, back: bool) -> Result<Kernel, Error> {
    let builder = named::<T>(if back { "exchange_back" } else { "exchange" });
    let b = &builder;
    b.threads([FACTOR, 1, 1]);
    let [a, pivots, status] = b.params::<U64, 3>();
    let [cols, n, rows, row, col, first] = b.params::<U32, 6>();
    let (tid, many) = (b.special(Special::TidX), b.int::<U32>(i64::from(EXCHANGED)));
    let [wide, none] = [EXCHANGED_COLUMNS, u32::MAX].map(|x| b.int::<U32>(i64::from(x)));
    let (lane, warp) = (tid & b.int(i64::from(EXCHANGED_COLUMNS - 1)), tid / wide);
    let [with, from, to] = [EXCHANGED, FACTOR, FACTOR].map(|many| b.shared(many * 4, 4));
    let own = (0..EXCHANGED_COLUMNS).map(|q| warp + b.int::<U32>(i64::from(q * FACTOR / EXCHANGED_COLUMNS)));
    let own: Vec<_> = own.collect();
    each_row(b, (cols + b.int(i64::from(EXCHANGED_COLUMNS - 1))) / wide, |group| {
        let c = group * wide + lane;
        let has = |at| none.compare(Cmp::Ne, at) & c.compare(Cmp::Lt, cols);
        // The last ones first.
        let last = if back { (n - b.int(1)) / many * many } else { n };
        b.count::<U32, U32>([b.int(0), n, many], 1, &[], |k, _| {
            let k = if back { last - k } else { k };
            let (turns, place) = ((n - k).least(many), tid & b.int(i64::from(EXCHANGED - 1)));
            let (here, there) = (k + place, place.compare(Cmp::Lt, turns));
            let [pivot] = b.either(there, || [get::<U32>(pivots, here)], || [here + first]);
            let p = pivot - first;
            let good = p.compare(Cmp::Lt, rows);
            b.when(there & !good, || note(status, what, pivot));
            let p = Value::select(good, p, here);
            let ahead = tid.compare(Cmp::Lt, many);
            b.when(ahead, || b.store(Space::Shared, with + place * b.int(4), 0, p));
            b.barrier();
            // A row that two threads follow is moved twice, to the same place.
            let start = Value::select(ahead, here, p);
            let end = b.count::<U32, U32>([b.int(0), turns, b.int(1)], 1, &[start], |s, at| {
                let s = if back { turns - b.int(1) - s } else { s };
                let (at, i) = (at[0], k + s);
                let q = b.load::<U32>(Space::Shared, with + s * b.int(4), 0);
                let other = Value::select(at.compare(Cmp::Eq, q), i, at);
                Vec::from([Value::select(at.compare(Cmp::Eq, i), q, other)])
            });
            let moves = there & end[0].compare(Cmp::Ne, start);
            b.store(Space::Shared, from + tid * b.int(4), 0, Value::select(moves, start, none));
            b.store(Space::Shared, to + tid * b.int(4), 0, end[0]);
            b.barrier();
            let word = |of, i| b.load::<U32>(Space::Shared, of + i * b.int(4), 0);
            let read = own.iter().map(|i| {
                let at = word(from, *i);
                let [v] = b.either(has(at), || [get::<T>(a, at * row + c * col)], || [b.bits(0)]);
                (*i, at, v)
            });
            let read: Vec<_> = read.collect();
            b.barrier();
            for (i, at, v) in read {
                b.when(has(at), || put(a, word(to, i) * row + c * col, v));
            }
            b.barrier();
            Vec::new()
        });
    });
    builder.finish()
}

/// Says the first zero of a diagonal, by one block. Parameters: A, the status words; rows, the stride of the diagonal.
pub fn divides<T: Recorded>(meet: Meet, what: Index) -> Result<Kernel, Error> {
    let b = named::<T>(what.names().0);
    b.threads([THREADS, 1, 1]);
    let [a, status] = b.params::<U64, 2>();
    let [n, step] = b.params::<U32, 2>();
    let none = b.int::<U32>(i64::from(u32::MAX));
    let bounds = [b.special(Special::TidX), n, b.int(i64::from(THREADS))];
    let found = b.count::<U32, U32>(bounds, 1, &[none], |i, found| {
        let zero = get::<T>(a, i * step).compare(Cmp::Eq, b.bits(0));
        found.iter().map(|found| Value::select(zero, found.least(i), *found)).collect()
    });
    let [found] = block_reduce(&b, meet, [found.first().copied().unwrap_or(none)], |[p], [q]| [p.least(q)]);
    b.when(leads(&b) & found.compare(Cmp::Ne, none), || note_first(status, what, found));
    b.finish()
}
