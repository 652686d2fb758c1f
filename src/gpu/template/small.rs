//! Batched factorisations and solves of small matrices: a block has several matrices, and a thread has one row in
//! registers. A matrix is read and written once.
#![allow(clippy::indexing_slicing, reason = "places of registers that are counted here")]

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, Stored, U32, U64};
use super::block_reduce::{Meet, Threads, reduce_in, reduce_memory};
use super::factor::{constant, keep, kept, line, place, refused, scratch, size};
use super::flat::{self, get, named, put};
use super::layer::each_row;
use super::status::{Index, note, note_first};
use crate::Number;
use alloc::vec::Vec;

/// Threads of a block.
pub const SMALL: u32 = 64;

/// How a block has matrices of so many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Small {
    /// Threads of a matrix.
    pub rows: u32,
    /// Elements of a row that a thread holds.
    pub cols: u32,
    /// Whether shared memory is read by 16 bytes.
    pub wide: bool,
    /// Whether a column's elements are neighbours: a thread reads its own row then.
    pub direct: bool,
}

impl Small {
    /// For `n` rows, if they are so few.
    #[must_use]
    pub fn of(n: usize, wide: bool, direct: bool) -> Option<Self> {
        let cols = [8, 16, 24, 32, 48, SMALL].into_iter().find(|cols| n <= *cols as usize)?;
        Some(Self { rows: cols.next_power_of_two(), cols, wide, direct })
    }
    /// A number for each.
    #[must_use]
    pub const fn form(self) -> u32 {
        self.cols << 2 | (self.wide as u32) << 1 | self.direct as u32
    }
    /// Matrices of a block.
    #[must_use]
    pub const fn each(self) -> u32 {
        SMALL / self.rows
    }
    /// Elements that are read at once.
    const fn many<T: Recorded>(self) -> u32 {
        if self.wide { 16 / T::TYPE.bytes() } else { 1 }
    }
    /// Columns that go through shared memory at once, a power of two, and elements from a row there to the next.
    const fn part<T: Recorded>(self) -> [u32; 2] {
        let most = 128 / T::TYPE.bytes();
        let wide = 1 << self.cols.trailing_zeros();
        let wide = if wide < most { wide } else { most };
        [wide, wide + self.many::<T>()]
    }
}

/// What a thread knows of its row, and of the block's matrices.
struct Row<'b, T> {
    b: &'b Builder,
    by: Small,
    a: Value<'b, U64>,
    count: Value<'b, U32>,
    n: Value<'b, U32>,
    strides: [Value<'b, U32>; 3],
    /// The block's first matrix.
    first: Value<'b, U32>,
    tid: Value<'b, U32>,
    /// The row, its matrix, and whether that is there.
    own: Value<'b, U32>,
    matrix: Value<'b, U32>,
    there: Value<'b, Pred>,
    stage: Value<'b, U32>,
    element: core::marker::PhantomData<T>,
}

pub(super) fn number(b: &Builder, i: u32) -> Value<'_, U32> {
    b.int(i64::from(i))
}

/// `f` for the rows of all matrices, as many at once as a block has.
fn each_matrix<'b, T: Recorded>(
    b: &'b Builder,
    by: Small,
    a: Value<'b, U64>,
    [count, n, stride, row, col]: [Value<'b, U32>; 5],
    f: impl FnOnce(&Row<'b, T>),
) {
    let (tid, each) = (b.special(Special::TidX), number(b, by.each()));
    let [_, pitch] = by.part::<T>();
    let stage = if by.direct { b.int(0) } else { scratch::<T>(b, SMALL * pitch) };
    each_row(b, (count + each - b.int(1)) / each, |group| {
        let first = group * each;
        let matrix = first + (tid >> number(b, by.rows.ilog2()));
        let (own, there) = (tid & number(b, by.rows - 1), matrix.compare(Cmp::Lt, count));
        let strides = [stride, row, col];
        f(&Row {
            b,
            by,
            a,
            count,
            n,
            strides,
            first,
            tid,
            own,
            matrix,
            there,
            stage,
            element: core::marker::PhantomData,
        });
    });
}

impl<'b, T: Recorded> Row<'b, T> {
    fn int(&self, i: u32) -> Value<'b, U32> {
        number(self.b, i)
    }
    /// Whether an element is read and written.
    fn inside(&self, lower: bool, i: Value<'b, U32>, j: Value<'b, U32>) -> Value<'b, Pred> {
        let both = i.compare(Cmp::Lt, self.n) & j.compare(Cmp::Lt, self.n);
        if lower { both & j.compare(Cmp::Le, i) } else { both }
    }
    fn at(&self, [matrix, i, j]: [Value<'b, U32>; 3]) -> Value<'b, U32> {
        let [stride, row, col] = self.strides;
        matrix * stride + i * row + j * col
    }
    /// `f` for the places of a part of the columns that this thread reads or writes for all: where it is in the part, where the
    /// element is and whether it is there, and whether it is on the diagonal.
    fn places(
        &self,
        from: u32,
        lower: bool,
        f: impl FnOnce(Value<'b, U32>, Value<'b, U32>, [Value<'b, Pred>; 2]),
    ) {
        let ([wide, pitch], by, b) = (self.by.part::<T>(), self.by, self.b);
        let (c, down) = (self.tid & self.int(wide - 1), self.tid >> self.int(wide.ilog2()));
        let j = c + self.int(from);
        let bounds = [down, self.int(SMALL), self.int(SMALL / wide)];
        b.count::<U32, U32>(bounds, 8, &[], |r, _| {
            let [matrix, i] = [self.first + (r >> self.int(by.rows.ilog2())), r & self.int(by.rows - 1)];
            let there = matrix.compare(Cmp::Lt, self.count) & self.inside(lower, i, j);
            f(r * self.int(pitch) + c, self.at([matrix, i, j]), [there, i.compare(Cmp::Eq, j)]);
            Vec::new()
        });
    }
    /// The elements of the thread's row; what is not there is of the identity.
    fn read(&self, lower: bool) -> Vec<Value<'b, T>> {
        let (b, [wide, pitch]) = (self.b, self.by.part::<T>());
        // Without a branch, so that loads do not wait for each other.
        let element = |at, [there, same]: [Value<'b, Pred>; 2]| {
            let past = Value::select(same, constant::<T>(b, T::Elem::ONE), b.bits(0));
            Value::select(there, get::<T>(self.a, Value::select(there, at, b.int(0))), past)
        };
        if self.by.direct {
            let own = |j: u32| {
                let j = self.int(j);
                let there = self.there & self.inside(lower, self.own, j);
                element(self.at([self.matrix, self.own, j]), [there, self.own.compare(Cmp::Eq, j)])
            };
            return (0..self.by.cols).map(own).collect();
        }
        let part = |from: u32| {
            self.places(from, lower, |to, at, there| keep(self.stage, to, element(at, there)));
            b.barrier();
            let x = line::<T>(self.stage, self.tid * self.int(pitch), self.by.many::<T>(), wide);
            b.barrier();
            x
        };
        (0..self.by.cols).step_by(wide as usize).flat_map(part).collect()
    }
    /// Writes a row of the matrix.
    fn write(&self, lower: bool, row: Value<'b, U32>, x: &[Value<'b, T>]) {
        let (b, [wide, pitch], many) = (self.b, self.by.part::<T>(), self.by.many::<T>());
        if self.by.direct {
            for (j, x) in (0..).zip(x) {
                let place = [self.matrix, row, self.int(j)];
                let there = self.there & self.inside(lower, row, place[2]);
                b.when(there, || put(self.a, self.at(place), *x));
            }
            return;
        }
        for (from, x) in (0..).step_by(wide as usize).zip(x.chunks(wide as usize)) {
            let to = (self.tid - self.own + row) * self.int(pitch);
            self.lend(self.stage, to, x, many);
            b.barrier();
            self.places(from, lower, |of, at, [there, _]| {
                b.when(there, || put(self.a, at, kept::<T>(self.stage, of)));
            });
            b.barrier();
        }
    }
    /// Keeps a line in shared memory.
    fn lend(&self, scratch: Value<'b, U32>, to: Value<'b, U32>, x: &[Value<'b, T>], many: u32) {
        for (k, x) in (0..).step_by(many as usize).zip(x.chunks(many as usize)) {
            flat::keep(self.b, Space::Shared, place::<T>(scratch, to + self.int(k)), x);
        }
    }
    /// Where the lines of the matrix begin that step `k` lends and the next one does not write.
    fn slot(&self, k: u32) -> Value<'b, U32> {
        self.tid - self.own + self.int(k % 2 * SMALL)
    }
    /// What step `k` lent, from column `k` on.
    fn lent(&self, scratch: Value<'b, U32>, k: u32) -> Vec<Value<'b, T>> {
        let many = self.by.many::<T>();
        let from = k - k % many;
        let all = line::<T>(scratch, self.slot(k) + self.int(from), many, self.by.cols - from);
        all[(k - from) as usize..].to_vec()
    }
    /// Says the first pivot that is refused, as a row of all matrices.
    fn says(&self, status: Value<'b, U64>, what: Index, bad: Value<'b, U32>) {
        let leads =
            self.own.compare(Cmp::Eq, self.b.int(0)) & self.there & bad.compare(Cmp::Ne, self.int(u32::MAX));
        self.b.when(leads, || note_first(status, what, self.matrix * self.n + bad));
    }
}

/// The first step at which a pivot is refused.
fn first_bad<'b, T: Recorded>(bad: Value<'b, U32>, k: u32, pivot: Value<'b, T>) -> Value<'b, U32> {
    let b = pivot.builder();
    Value::select(refused(pivot) & bad.compare(Cmp::Eq, number(b, u32::MAX)), number(b, k), bad)
}

/// `A = L·Lᵀ` over the lower triangles of matrices. Parameters: A, the status words; matrices, rows, the strides of matrices,
/// rows and columns.
pub fn cholesky<T: Recorded>(by: Small) -> Result<Kernel, Error> {
    let builder = named::<T>("cholesky_batched");
    let b = &builder;
    b.threads([SMALL, 1, 1]);
    let [a, status] = b.params::<U64, 2>();
    let words = b.params::<U32, 5>();
    let columns = scratch::<T>(b, 2 * SMALL);
    each_matrix::<T>(b, by, a, words, |row| {
        let (mut x, mut bad) = (row.read(true), number(b, u32::MAX));
        for k in 0..by.cols {
            // What is not yet divided by the pivot: no thread waits for another's root.
            keep(columns, row.slot(k) + row.own, x[k as usize]);
            b.barrier();
            let c = row.lent(columns, k);
            let pivot = c[0];
            bad = first_bad(bad, k, pivot);
            let root = pivot.root();
            let inverse =
                if by.wide { T::inverse_root(pivot) } else { constant::<T>(b, T::Elem::ONE) / root };
            let l = x[k as usize] * inverse;
            let share = -(l * inverse);
            for (x, c) in x.iter_mut().skip(k as usize).zip(&c).skip(1) {
                *x = share.fma(*c, *x);
            }
            x[k as usize] = Value::select(row.own.compare(Cmp::Eq, row.int(k)), root, l);
        }
        row.says(status, Index::Cholesky, bad);
        row.write(true, row.own, &x);
    });
    builder.finish()
}

/// Memory in which the states of a row's threads come together, which may be fewer than a warp.
pub(super) fn few<T: Stored, const K: usize>(
    b: &Builder,
    meet: Meet,
    threads: Threads,
) -> (Meet, Threads, Value<'_, U32>) {
    let by_lanes = meet == Meet::Warps && threads.row < 32;
    (meet, threads, if by_lanes { b.int(0) } else { reduce_memory::<T, K>(b, meet, threads) })
}

/// The state of all threads of a row, in each of them; a barrier separates two that use the same memory.
pub(super) fn reduce_few<'b, T: Stored, const K: usize>(
    b: &'b Builder,
    own: (Meet, Threads, Value<'b, U32>),
    acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    let (meet, threads, _) = own;
    if meet == Meet::Memory || threads.row >= 32 {
        return reduce_in(b, own, acc, merge);
    }
    let steps = (0..threads.row.ilog2()).rev();
    steps.fold(acc, |acc, d| {
        let other = acc.map(|v| v.shuffle(Shuffle::Butterfly, number(b, 1 << d)));
        merge(acc, other)
    })
}

/// The larger, of two that are as large the first one.
pub(super) fn larger<'b, T: Recorded>(
    [x, i]: [Value<'b, T>; 2],
    [y, j]: [Value<'b, T>; 2],
) -> [Value<'b, T>; 2] {
    let more = y.compare(Cmp::Gt, x) | (y.compare(Cmp::Eq, x) & j.compare(Cmp::Lt, i));
    [Value::select(more, y, x), Value::select(more, j, i)]
}

/// `P·A = L·U` of matrices. Rows stay with their threads, which know where they are to be. Parameters: A, the pivots, the status
/// words; matrices, rows, the strides of matrices, rows and columns.
pub fn lu<T: Recorded>(meet: Meet, by: Small) -> Result<Kernel, Error> {
    let builder = named::<T>("lu_batched");
    let b = &builder;
    b.threads([SMALL, 1, 1]);
    let [a, pivots, status] = b.params::<U64, 3>();
    let words = b.params::<U32, 5>();
    let (rows, many) = (scratch::<T>(b, 2 * SMALL), by.many::<T>());
    let own = few::<T, 2>(b, meet, Threads { block: SMALL, row: by.rows });
    let [zero, none] = [T::Elem::ZERO, -T::Elem::ONE].map(|x| constant::<T>(b, x));
    each_matrix::<T>(b, by, a, words, |row| {
        let (mut x, mut bad) = (row.read(false), number(b, u32::MAX));
        let (mut at, mut chosen) = (row.own, row.own);
        for k in 0..by.cols {
            let (step, column) = (row.int(k), k as usize);
            // What is past the matrix stays there: zeros, or NaN where all have it, behind those that are as large.
            let may = at.compare(Cmp::Ge, step);
            let mine = [Value::select(may, size(x[column]), none), at.to::<T>()];
            let [_, p] = reduce_few(b, own, mine, larger);
            let p = p.to::<U32>();
            chosen = Value::select(row.own.compare(Cmp::Eq, step), p, chosen);
            let from = column - column % many as usize;
            b.when(at.compare(Cmp::Eq, p), || {
                row.lend(rows, row.slot(k) + row.int(from as u32), &x[from..], many);
            });
            b.barrier();
            let u = row.lent(rows, k);
            let pivot = u[0];
            bad = first_bad(bad, k, pivot.magnitude());
            let back = Value::select(at.compare(Cmp::Eq, step), p, at);
            at = Value::select(at.compare(Cmp::Eq, p), step, back);
            let behind = at.compare(Cmp::Gt, step);
            // A column of zeros is one of L, too.
            let nothing = pivot.compare(Cmp::Eq, zero);
            let l = Value::select(nothing, x[column], x[column] / pivot);
            let share = -Value::select(behind, l, zero);
            for (x, u) in x.iter_mut().skip(column).zip(&u).skip(1) {
                *x = share.fma(*u, *x);
            }
            x[column] = Value::select(behind, l, x[column]);
        }
        row.says(status, Index::Lu, bad);
        b.when(row.there & row.own.compare(Cmp::Lt, row.n), || {
            put(pivots, row.matrix * row.n + row.own, chosen);
        });
        row.write(false, at, &x);
    });
    builder.finish()
}

/// Columns of B that a thread has at once.
pub const SOLVED: usize = 4;

/// What a factor is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factors {
    /// Symmetric matrices.
    Cholesky,
    /// Others, with pivots.
    Lu,
}

/// `X = A⁻¹·B` over matrices B by the factors of A, which lie in shared memory; so many columns of B at once. Parameters: the
/// factors, B, the pivots of [`lu`] if it is that, the status words; matrices, rows, the strides of factors, from line to line
/// and along these, which are columns where the factors are `direct`, columns of B, the strides of its matrices, rows and
/// columns.
pub fn solve<T: Recorded>(by: Small, of: Factors, cols: usize) -> Result<Kernel, Error> {
    let lu = of == Factors::Lu;
    let (name, what) = match of {
        Factors::Cholesky => ("cholesky_solve_batched", Index::CholeskySolve),
        Factors::Lu => ("lu_solve_batched", Index::LuSolve),
    };
    let builder = named::<T>(name);
    let b = &builder;
    b.threads([SMALL, 1, 1]);
    let [factors, right] = b.params::<U64, 2>();
    let pivots = lu.then(|| b.param::<U64>());
    let status = b.param::<U64>();
    let [count, n, stride, far, near] = b.params::<U32, 5>();
    let [wide, apart, down, along] = b.params::<U32, 4>();
    let (tid, zero, one) = (b.special(Special::TidX), b.int::<U32>(0), b.int::<U32>(1));
    let (pitch, each) = (number(b, by.cols + 1), number(b, by.each()));
    let all = scratch::<T>(b, SMALL * (by.cols + 1));
    let shares = scratch::<T>(b, 2 * by.each() * cols as u32);
    let moved = if lu { scratch::<T>(b, SMALL * cols as u32) } else { zero };
    each_row(b, (count + each - one) / each, |group| {
        let (local, own) = (tid >> number(b, by.rows.ilog2()), tid & number(b, by.rows - 1));
        let matrix = group * each + local;
        let there = matrix.compare(Cmp::Lt, count);
        let (here, first) = (matrix.least(count - one), (tid - own) * pitch);
        let row = own.least(n - one);
        // Lines of the factors by threads that are neighbours.
        b.count::<U32, U32>([zero, n, one], 1, &[], |k, _| {
            let x = get::<T>(factors, here * stride + k * far + row * near);
            let (i, j) = if by.direct { (row, k) } else { (k, row) };
            b.when(own.compare(Cmp::Lt, n), || keep(all, first + i * pitch + j, x));
            Vec::new()
        });
        b.barrier();
        let at = |i, j| kept::<T>(all, first + i * pitch + j);
        let has = there & own.compare(Cmp::Lt, n);
        b.when(has & at(row, row).compare(Cmp::Eq, b.bits(0)), || note(status, what, matrix * n + own));
        // Where the row is behind all exchanges.
        let to = pivots.map(|pivots| {
            let ends = b.count::<U32, U32>([zero, n, one], 1, &[own], |s, at| {
                let pivot = get::<U32>(pivots, here * n + s);
                let good = pivot.compare(Cmp::Lt, n);
                b.when(there & !good & own.compare(Cmp::Eq, zero), || note(status, Index::LuPivots, pivot));
                let p = Value::select(good, pivot, s);
                let back = Value::select(at[0].compare(Cmp::Eq, p), s, at[0]);
                Vec::from([Value::select(at[0].compare(Cmp::Eq, s), p, back)])
            });
            ends[0]
        });
        let many = number(b, cols as u32);
        b.count::<U32, U32>([zero, wide, many], 1, &[], |j, _| {
            let columns: Vec<_> = (0..cols).map(|c| j + b.int::<U32>(c as i64)).collect();
            let place = |c| here * apart + row * down + c * along;
            let x: Vec<_> = columns.iter().map(|c| get::<T>(right, place(c.least(wide - one)))).collect();
            let line = |scratch, i| {
                (0..cols).map(|c| kept::<T>(scratch, i * many + b.int(c as i64))).collect::<Vec<_>>()
            };
            let lend = |scratch, i, x: &[_]| {
                (0..).zip(x).for_each(|(c, x)| keep(scratch, i * many + b.int(c), *x));
            };
            let x = match to {
                Some(to) => {
                    lend(moved, tid - own + to, &x);
                    b.barrier();
                    line(moved, tid)
                }
                None => x,
            };
            // Down, then up again: an unknown at a time, which its own thread lends to the others.
            let pass = |up: bool, x: &[_]| {
                b.count::<U32, T>([zero, n, one], 1, x, |s, x| {
                    let (k, turn) = if up { (n - one - s, s + n) } else { (s, s) };
                    let slot = local + (turn & one) * each;
                    b.when(own.compare(Cmp::Eq, k), || lend(shares, slot, x));
                    b.barrier();
                    let found = line(shares, slot);
                    let pivot = at(k, k);
                    let unit = lu && !up;
                    let found: Vec<_> = found.iter().map(|x| if unit { *x } else { *x / pivot }).collect();
                    let l = if up && !lu { at(k, row) } else { at(row, k) };
                    let rest = own.compare(if up { Cmp::Lt } else { Cmp::Gt }, k);
                    let mine = own.compare(Cmp::Eq, k);
                    let next = x
                        .iter()
                        .zip(&found)
                        .map(|(x, f)| Value::select(rest, (-l).fma(*f, *x), Value::select(mine, *f, *x)));
                    next.collect()
                })
            };
            let x = pass(true, &pass(false, &x));
            for (c, x) in columns.iter().zip(x) {
                b.when(has & c.compare(Cmp::Lt, wide), || put(right, place(*c), x));
            }
            b.barrier();
            Vec::new()
        });
    });
    builder.finish()
}
