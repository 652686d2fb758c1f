//! The Jacobi method on a matrix that fits in the shared memory of one block.
#![allow(clippy::indexing_slicing, reason = "places of registers that are counted here")]

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::super::record::Recorded;
use super::super::super::types::{U32, U64};
use super::super::block_reduce::{Meet, Threads, on_row};
use super::super::factor::{constant, keep, kept, scratch, size};
use super::super::flat::{get, named, put};
use super::super::layer::{each_row, leads};
use super::super::small::{few, larger, number, reduce_few};
use super::super::status::{Index, note};
use super::{Limits, SWEEPS, before, fold, known, meeting_of, most, nearer, says, scales, sum};
use crate::Number;
use crate::alu::Real;
use alloc::vec::Vec;

/// Threads of a pair.
const LANES: u32 = 8;
/// Rows and columns, at most.
const WHOLE: u32 = 64;
/// Sweeps after which equal values may turn each other's vectors by what is left of rounding.
pub const EARLY: usize = 7;

/// How one block has a matrix of up to `n` rows and columns: vectors that there is room for, if there is.
#[must_use]
pub fn whole(n: usize) -> Option<u32> {
    [8, 16, 32, WHOLE].into_iter().find(|cols| n <= *cols as usize)
}

/// Threads of such a block.
#[must_use]
pub const fn whole_threads(cols: u32) -> u32 {
    cols / 2 * LANES
}

/// The threads of a block by pairs of vectors, in each of which a thread has every eighth element.
struct Block<'b, T> {
    b: &'b Builder,
    cols: u32,
    tid: Value<'b, U32>,
    lane: Value<'b, U32>,
    pair: Value<'b, U32>,
    /// How the threads of a pair reduce.
    own: (Meet, Threads, Value<'b, U32>),
    /// A word of each pair.
    flags: Value<'b, U32>,
    none: Value<'b, T>,
    unit: Value<'b, T>,
}

impl<'b, T: Recorded> Block<'b, T> {
    fn new(b: &'b Builder, meet: Meet, cols: u32) -> Self {
        let threads = whole_threads(cols);
        b.threads([threads, 1, 1]);
        let tid = b.special(Special::TidX);
        Self {
            b,
            cols,
            tid,
            lane: tid & number(b, LANES - 1),
            pair: tid >> number(b, LANES.ilog2()),
            own: few::<T, 3>(b, meet, Threads { block: threads, row: LANES }),
            flags: b.shared(cols * 2, 4),
            none: b.bits(0),
            unit: constant::<T>(b, T::Elem::ONE),
        }
    }

    /// Memory for as many vectors.
    fn vectors(&self) -> Value<'b, U32> {
        scratch::<T>(self.b, self.cols * (self.cols + 1))
    }
    /// Element `i` of vector `j`.
    fn at(&self, j: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
        j * number(self.b, self.cols + 1) + i
    }
    /// Elements of a vector that a thread has.
    fn each(&self) -> u32 {
        self.cols / LANES
    }
    fn index(&self, k: u32) -> Value<'b, U32> {
        self.lane + number(self.b, k * LANES)
    }
    fn own(&self, w: Value<'b, U32>, j: Value<'b, U32>, k: u32) -> Value<'b, T> {
        kept::<T>(w, self.at(j, self.index(k)))
    }
    /// A vector that each of its threads has a part of, of two in every pair.
    fn of_half(&self, half: u32) -> Value<'b, U32> {
        self.pair + number(self.b, half * self.cols / 2)
    }
    /// All places of a square, as a thread counts them.
    fn places(&self) -> [Value<'b, U32>; 3] {
        [self.tid, number(self.b, self.cols * self.cols), number(self.b, whole_threads(self.cols))]
    }
    fn place(&self, e: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        [e >> number(self.b, self.cols.ilog2()), e & number(self.b, self.cols - 1)]
    }
    fn reduce<const K: usize>(
        &self,
        acc: [Value<'b, T>; K],
        merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
    ) -> [Value<'b, T>; K] {
        let all = reduce_few(self.b, self.own, acc, merge);
        if self.own.0 == Meet::Memory {
            // The next ones use the same memory.
            self.b.barrier();
        }
        all
    }
    /// The state of the whole block.
    fn all<const K: usize>(
        &self,
        acc: [Value<'b, T>; K],
        merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
    ) -> [Value<'b, T>; K] {
        let threads = whole_threads(self.cols);
        on_row(self.b, self.own.0, Threads { block: threads, row: threads }, acc, merge)
    }
    fn word(&self, from: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
        self.b.load(Space::Shared, from + i * self.b.int(4), 0)
    }
    fn keep_word(&self, to: Value<'b, U32>, i: Value<'b, U32>, word: Value<'b, U32>) {
        self.b.store(Space::Shared, to + i * self.b.int(4), 0, word);
    }

    /// Turns pairs of the first `n` vectors of W and V until none is past its limits; 0 if none is.
    fn sweeps(
        &self,
        [w, v]: [Value<'b, U32>; 2],
        n: Value<'b, U32>,
        early: bool,
        limits: impl FnOnce(Value<'b, U32>) -> Limits<'b, T>,
    ) -> Value<'b, U32> {
        let (b, each) = (self.b, self.each());
        let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
        let rounds = (n - one) | one;
        let has = self.pair.compare(Cmp::Le, rounds >> one);
        // A pair that is not there reaches the barriers, too.
        let nothing = alloc::vec![self.none; 2 * each as usize];
        let goes = b.count::<U32, U32>([zero, number(b, SWEEPS), one], 1, &[one], |sweep, goes| {
            let limits = limits(sweep);
            let many =
                if early { Value::select(goes[0].compare(Cmp::Eq, zero), zero, rounds) } else { rounds };
            let turned = b.count::<U32, U32>([zero, many, one], 1, &[zero], |round, turned| {
                let [p, q] = meeting_of(self.pair, round, rounds);
                let read = |w| (0..each).flat_map(|k| [self.own(w, p, k), self.own(w, q, k)]).collect();
                let x = b.unless(&nothing, has, || read(w));
                let products = match limits {
                    Limits::OneSided { .. } => {
                        x.as_chunks::<2>().0.iter().fold([self.none; 3], |[a, b, d], [x, y]| {
                            [x.fma(*x, a), y.fma(*y, b), x.fma(*y, d)]
                        })
                    }
                    Limits::TwoSided { .. } => {
                        let of = b.unless(&nothing, has, || read(v));
                        x.as_chunks::<2>().0.iter().zip(of.as_chunks::<2>().0).fold(
                            [self.none; 3],
                            |[a, b, d], ([x, y], [p, q])| {
                                [p.fma(*x, a), q.fma(*y, b), q.fma(*x, p.fma(*y, d))]
                            },
                        )
                    }
                };
                let [c, d, mut e] = reduce_few(b, self.own, products, sum);
                if matches!(limits, Limits::TwoSided { .. }) {
                    // The mean of both elements beside the diagonal.
                    e = e * constant::<T>(b, T::Elem::from_f64(0.5));
                }
                let (turn, turns) = limits.rotation(c, d, e);
                b.when(has & turns, || {
                    let write = |w, x: &[Value<'b, T>]| {
                        for (k, [x, y]) in (0..).zip(x.as_chunks::<2>().0) {
                            for (j, [p, q]) in [p, q].into_iter().zip(turn) {
                                keep(w, self.at(j, self.index(k)), p * *x + q * *y);
                            }
                        }
                    };
                    write(w, &x);
                    let x: Vec<_> = read(v);
                    write(v, &x);
                });
                b.barrier();
                Vec::from([turned[0] | Value::select(has & turns, one, zero)])
            });
            b.when(self.lane.compare(Cmp::Eq, zero), || self.keep_word(self.flags, self.pair, turned[0]));
            b.barrier();
            // Of shared memory all threads read the same.
            let each = |k: u32| b.load::<U32>(Space::Shared, self.flags, (4 * k) as i32);
            let any = (1..self.cols / 2).fold(each(0), |any, k| any | each(k));
            b.barrier();
            Vec::from([any])
        });
        goes[0]
    }

    /// Both triangles of a symmetric matrix, of which the lower one is read, times a number; the largest magnitude that a thread read.
    fn fill(
        &self,
        w: Value<'b, U32>,
        a: Value<'b, U64>,
        [base, row, col]: [Value<'b, U32>; 3],
        n: Value<'b, U32>,
        by: Value<'b, T>,
    ) -> [Value<'b, T>; 1] {
        fold::<T, 1>(self.b, self.places(), [self.none], |e, mine| {
            let [i, j] = self.place(e);
            let lower = j.compare(Cmp::Le, i);
            let there = lower & i.compare(Cmp::Lt, n);
            let [x] = self.b.either(there, || [get::<T>(a, base + i * row + j * col)], || [self.none]);
            self.b.when(lower, || {
                keep(w, self.at(i, j), x * by);
                keep(w, self.at(j, i), x * by);
            });
            most(mine, [size(x)])
        })
    }

    /// The square of a vector's length, and the first of its largest magnitudes.
    fn extent(&self, x: &[Value<'b, T>]) -> [Value<'b, T>; 3] {
        let squares = x.iter().fold(self.none, |sum, x| x.fma(*x, sum));
        let best = (0..).zip(x).fold([-self.unit, self.none], |best, (k, x)| {
            larger(best, [x.magnitude(), self.index(k).to::<T>()])
        });
        self.reduce([squares, best[0], best[1]], |p, q| {
            let [size, at] = larger([p[1], p[2]], [q[1], q[2]]);
            [p[0] + q[0], size, at]
        })
    }

    /// The product of two vectors.
    fn dot(&self, x: &[Value<'b, T>], y: &[Value<'b, T>]) -> Value<'b, T> {
        let mine = x.iter().zip(y).fold(self.none, |sum, (x, y)| x.fma(*y, sum));
        let [all] = self.reduce([mine], sum);
        all
    }

    /// -1 for what is negative, else 1.
    fn sign(&self, x: Value<'b, T>) -> Value<'b, T> {
        Value::select(x.compare(Cmp::Lt, self.none), -self.unit, self.unit)
    }

    /// How many of `n` lengths come before that of vector `tid`.
    fn rank(&self, descends: bool, lens: Value<'b, U32>, n: Value<'b, U32>) -> Value<'b, U32> {
        let (b, len) = (self.b, kept::<T>(lens, self.tid));
        let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
        let rank = b.count::<U32, U32>([zero, n, one], 1, &[zero], |i, all| {
            Vec::from([all[0] + before(descends, [kept::<T>(lens, i), len], [i, self.tid])])
        });
        rank[0]
    }
}

/// Eigenvalues and eigenvectors of symmetric matrices. What is not finite is said by the first row of its matrix. Where loops may end
/// `early` they do. Parameters: A, the values, the status words; matrices, rows, the strides of matrices, rows and columns; the part of
/// [`Limits`].
pub fn eigh<T: Recorded>(meet: Meet, cols: u32, early: bool) -> Result<Kernel, Error> {
    let builder = named::<T>("eigh_batched");
    let b = &builder;
    let block = Block::<T>::new(b, meet, cols);
    let [a, values, status] = b.params();
    let [count, n, stride, row, col] = b.params::<U32, 5>();
    let (least, tid, none, unit) = (b.param::<T>(), block.tid, block.none, block.unit);
    let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
    let first_ones = number(b, EARLY as u32);
    let (w, v) = (block.vectors(), block.vectors());
    let [lens, factors, quotients] = [cols; 3].map(|many| scratch::<T>(b, many));
    let order = b.shared(cols * 4, 4);
    each_row(b, count, |matrix| {
        let base = matrix * stride;
        let place = [base, row, col];
        let mine = block.fill(w, a, place, n, unit);
        b.count::<U32, U32>(block.places(), 1, &[], |e, _| {
            let [i, j] = block.place(e);
            keep(v, block.at(j, i), Value::select(i.compare(Cmp::Eq, j), unit, none));
            Vec::new()
        });
        b.barrier();
        let [largest] = block.all(mine, most);
        says(status, Index::Eigh, largest, matrix * n);
        let [by, back] = scales(largest);
        let end = Value::select(tid.compare(Cmp::Lt, n), n, zero);
        let mine = fold::<T, 1>(b, [zero, end, one], [none], |i, [all]| {
            let x = kept::<T>(w, block.at(tid, i)) * by;
            keep(w, block.at(tid, i), x);
            [x.fma(x, all)]
        });
        b.barrier();
        let [squares] = block.all(mine, most);
        let norm = squares.root();
        b.barrier();
        let goes = block.sweeps([w, v], n, early, |sweep| {
            let late = sweep.most(first_ones) - first_ones;
            Limits::TwoSided { part: least * (unit + late.to::<T>()), norm }
        });
        b.when(leads(b) & goes.compare(Cmp::Ne, zero), || note(status, Index::Eigh, matrix * n));
        // A once more, of which W is not what it was.
        block.fill(w, a, place, n, by);
        b.barrier();
        for half in 0..2 {
            let j = block.of_half(half);
            let x: Vec<_> = (0..block.each()).map(|k| block.own(v, j, k)).collect();
            let start = alloc::vec![none; block.each() as usize];
            let y = b.count::<U32, T>([zero, n, one], 1, &start, |k, y| {
                let by = kept::<T>(v, block.at(j, k));
                (0..).zip(y).map(|(i, y)| block.own(w, k, i).fma(by, *y)).collect()
            });
            let [squares, _, first] = block.extent(&x);
            let quotient = known(block.dot(&x, &y) / squares);
            let x = kept::<T>(v, block.at(j, first.to::<U32>().least(number(b, cols - 1))));
            b.when(block.lane.compare(Cmp::Eq, zero), || {
                keep(lens, j, squares.root());
                keep(quotients, j, quotient);
                keep(factors, j, block.sign(x));
            });
            b.barrier();
        }
        b.when(tid.compare(Cmp::Lt, n), || {
            let rank = block.rank(false, quotients, n);
            block.keep_word(order, rank, tid);
            put(values, matrix * n + rank, kept::<T>(quotients, tid) * back);
        });
        b.barrier();
        b.count::<U32, U32>(block.places(), 1, &[], |e, _| {
            let [i, r] = block.place(e);
            b.when(i.compare(Cmp::Lt, n) & r.compare(Cmp::Lt, n), || {
                let j = block.word(order, r);
                let x = kept::<T>(v, block.at(j, i)) * kept(factors, j) / kept(lens, j);
                put(a, base + i * row + r * col, x);
            });
            Vec::new()
        });
    });
    builder.finish()
}

/// Where an element of a matrix is.
fn element<'b>(strides: [Value<'b, U32>; 3], place: [Value<'b, U32>; 3]) -> Value<'b, U32> {
    let [matrix, row, col] = core::array::from_fn(|k| place[k] * strides[k]);
    matrix + row + col
}

/// Singular values and vectors of matrices of no fewer rows than columns. The left vectors are the orthogonal factor of the columns as they
/// are turned, in the order of their lengths, by reflections: so they are orthonormal whatever the rank. What is not finite
/// is said by the first column of its matrix. Where loops may end `early` they do. Parameters: A, U, the values, Vᵀ, the status words;
/// matrices, rows, columns, the strides of matrices, rows and columns of A, U and Vᵀ; [`Limits`].
pub fn svd<T: Recorded>(meet: Meet, cols: u32, early: bool) -> Result<Kernel, Error> {
    let builder = named::<T>("svd_batched");
    let b = &builder;
    let block = Block::<T>::new(b, meet, cols);
    let [a, u, values, vt, status] = b.params();
    let [count, m, n] = b.params::<U32, 3>();
    let [of_a, of_u, of_vt] = [(); 3].map(|()| b.params::<U32, 3>());
    let [cosine, least] = b.params::<T, 2>();
    let (tid, lane, none, unit) = (block.tid, block.lane, block.none, block.unit);
    let [zero, one, all] = [0, 1, cols].map(|x| number(b, x));
    let (w, v) = (block.vectors(), block.vectors());
    let [lens, wide, signs, shares] = [cols; 4].map(|many| scratch::<T>(b, many));
    let order = b.shared(cols * 4, 4);
    each_row(b, count, |matrix| {
        let mine = fold::<T, 1>(b, block.places(), [none], |e, mine| {
            let [i, j] = block.place(e);
            let there = i.compare(Cmp::Lt, m) & j.compare(Cmp::Lt, n);
            let [x] = b.either(there, || [get::<T>(a, element(of_a, [matrix, i, j]))], || [none]);
            keep(w, block.at(j, i), x);
            keep(v, block.at(j, i), Value::select(i.compare(Cmp::Eq, j), unit, none));
            most(mine, [size(x)])
        });
        let [largest] = block.all(mine, most);
        says(status, Index::Svd, largest, matrix * n);
        let [by, back] = scales(largest);
        b.barrier();
        b.count::<U32, U32>(block.places(), 1, &[], |e, _| {
            let [i, j] = block.place(e);
            keep(w, block.at(j, i), kept::<T>(w, block.at(j, i)) * by);
            Vec::new()
        });
        b.barrier();
        let first_ones = number(b, EARLY as u32);
        let goes = block.sweeps([w, v], n, early, |sweep| {
            let late = sweep.most(first_ones) - first_ones;
            let cosine = cosine * (unit + late.to::<T>());
            Limits::OneSided { cosine, least: least * (one << late).to::<T>() }
        });
        b.when(leads(b) & goes.compare(Cmp::Ne, zero), || note(status, Index::Svd, matrix * n));
        let own = |w, j| (0..block.each()).map(|k| block.own(w, j, k)).collect::<Vec<_>>();
        for half in 0..2 {
            let j = block.of_half(half);
            let (x, y, start) = (own(w, j), own(v, j), alloc::vec![none; block.each() as usize]);
            let again = b.count::<U32, T>([zero, n, one], 1, &start, |k, sums| {
                let other = kept::<T>(v, block.at(j, k));
                let element = |i| {
                    let there = block.index(i).compare(Cmp::Lt, m);
                    let at = element(of_a, [matrix, block.index(i), k]);
                    let [x] = b.either(there, || [get::<T>(a, at)], || [none]);
                    x
                };
                (0..).zip(sums).map(|(i, sum)| (element(i) * by).fma(other, *sum)).collect()
            });
            // Rotations by rounded numbers change the lengths of both alike.
            let mine = x
                .iter()
                .zip(&y)
                .zip(&again)
                .fold([none; 3], |[a, b, c], ((x, y), z)| [x.fma(*x, a), y.fma(*y, b), z.fma(*z, c)]);
            let [squares, other, again] = block.reduce(mine, sum);
            let other = other.root();
            b.when(lane.compare(Cmp::Eq, zero), || {
                keep(lens, j, size(nearer(squares.root() / other, again.root() / other)));
                keep(wide, j, other);
            });
        }
        b.barrier();
        b.when(tid.compare(Cmp::Lt, all), || {
            // What is past the matrix stays there.
            let there = tid.compare(Cmp::Lt, n);
            let rank = Value::select(there, block.rank(true, lens, n), tid);
            block.keep_word(order, rank, tid);
            b.when(there, || put(values, matrix * n + rank, kept::<T>(lens, tid) * back));
        });
        b.barrier();
        b.count::<U32, U32>([zero, n, one], 1, &[], |r, _| {
            let c = block.word(order, r);
            let under = |k| block.index(k).compare(Cmp::Ge, r);
            let x: Vec<_> = (0..).zip(own(w, c)).map(|(k, x)| Value::select(under(k), x, none)).collect();
            let mine = x.iter().fold(none, |all, x| most([all], [x.magnitude()])[0]);
            // No square is lost that a number of this column is made of.
            let [near, _] = scales(block.reduce([mine], most)[0]);
            let x: Vec<_> = x.iter().map(|x| *x * near).collect();
            let first = kept::<T>(w, block.at(c, r)) * near;
            let squares = block.dot(&x, &x);
            let (root, sign) = (squares.root(), block.sign(first));
            let nothing = squares.compare(Cmp::Eq, none);
            let head = Value::select(nothing, unit, first + sign * root);
            let share = Value::select(nothing, none, head.magnitude() / root);
            let x: Vec<_> = (0..)
                .zip(x)
                .map(|(k, x)| Value::select(block.index(k).compare(Cmp::Eq, r), unit, x / head))
                .collect();
            // All have read the column.
            b.barrier();
            for half in 0..2 {
                let p = block.of_half(half);
                let j = block.word(order, p);
                let y = own(w, j);
                let part = share * block.dot(&x, &y);
                let mine = p.compare(Cmp::Eq, r);
                b.when(p.compare(Cmp::Ge, r), || {
                    for (k, (x, y)) in (0..).zip(x.iter().zip(y)) {
                        let turned = (-part).fma(*x, y);
                        keep(w, block.at(j, block.index(k)), Value::select(mine, *x, turned));
                    }
                });
                b.when(mine & lane.compare(Cmp::Eq, zero), || {
                    keep(shares, r, share);
                    // What the reflection leaves of the column.
                    keep(signs, r, Value::select(nothing, unit, -sign));
                });
            }
            b.barrier();
            Vec::new()
        });
        let vectors = [0, 1].map(|half| {
            let p = block.of_half(half);
            let start: Vec<_> = (0..block.each())
                .map(|k| Value::select(block.index(k).compare(Cmp::Eq, p), unit, none))
                .collect();
            b.count::<U32, T>([zero, n, one], 1, &start, |s, y| {
                let r = n - one - s;
                let x = own(w, block.word(order, r));
                let part = kept::<T>(shares, r) * block.dot(&x, y);
                y.iter().zip(x).map(|(y, x)| (-part).fma(x, *y)).collect()
            })
        });
        // All have read the reflections.
        b.barrier();
        for (half, y) in (0..).zip(&vectors) {
            let p = block.of_half(half);
            (0..).zip(y).for_each(|(k, y)| keep(w, block.at(p, block.index(k)), *y));
        }
        b.barrier();
        for (half, y) in (0..).zip(&vectors) {
            let p = block.of_half(half);
            let [_, _, first] = block.extent(y);
            let x = kept::<T>(w, block.at(p, first.to::<U32>().least(number(b, cols - 1))));
            b.when(lane.compare(Cmp::Eq, zero), || keep(lens, p, block.sign(x)));
        }
        b.barrier();
        b.count::<U32, U32>(block.places(), 1, &[], |e, _| {
            let [i, r] = block.place(e);
            let (there, sign) = (r.compare(Cmp::Lt, n), kept::<T>(lens, r));
            b.when(there & i.compare(Cmp::Lt, m), || {
                put(u, element(of_u, [matrix, i, r]), kept::<T>(w, block.at(r, i)) * sign);
            });
            b.when(there & i.compare(Cmp::Lt, n), || {
                let j = block.word(order, r);
                let x = kept::<T>(v, block.at(j, i)) * (sign * kept::<T>(signs, r)) / kept(wide, j);
                put(vt, element(of_vt, [matrix, r, i]), x);
            });
            Vec::new()
        });
    });
    builder.finish()
}
