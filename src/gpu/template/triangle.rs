//! Symmetric and triangular BLAS kernels over the lower triangle of a matrix: rank-1 and rank-2 updates, matrix-vector
//! products and solves. An upper triangle is passed as the lower one of the transpose.
#![allow(clippy::indexing_slicing, reason = "places of registers that are counted here")]

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::factor::{FACTOR, keep, kept, line, scratch};
use super::flat::{each, get, named, put};
use super::layer::{each_row, leads};
use crate::alu::Body;
use crate::pointwise::Axpy;
use alloc::vec::Vec;

/// `f` on each element of the triangle of a matrix of `n` rows.
fn each_below<'b>(b: &'b Builder, n: Value<'b, U32>, f: impl FnOnce([Value<'b, U32>; 2])) {
    each(b, n * n, |e| {
        let i = e / n;
        let j = e - i * n;
        b.when(i.compare(Cmp::Ge, j), || f([i, j]));
    });
}

/// `A += α·x·xᵀ`, or with `both` `A += α·x·yᵀ + α·y·xᵀ`. Parameters: `x`, `y`, A; rows, the strides of `x`, of `y`, of rows and
/// of columns; α.
pub fn rank<T: Recorded>(both: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if both { "syr2" } else { "syr" });
    let [x, y, a] = b.params::<U64, 3>();
    let [n, x_step, y_step, row, col] = b.params::<U32, 5>();
    let alpha = b.param::<T>();
    each_below(&b, n, |[i, j]| {
        let (x, y) = (|i| get::<T>(x, i * x_step), |i| get::<T>(y, i * y_step));
        let at = i * row + j * col;
        let plus = |old, u: Value<'_, T>, v| Axpy((u * alpha).number()).eval([old, v]);
        let sum = plus(get::<T>(a, at), x(i), y(j));
        put(a, at, if both { plus(sum, y(i), x(j)) } else { sum });
    });
    b.finish()
}

/// `C = S + β·C`, of S row by row. Parameters: S, C; rows, the strides of C's rows and columns; β.
pub fn merge<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("triangle");
    let [s, c] = b.params::<U64, 2>();
    let [n, row, col] = b.params::<U32, 3>();
    let beta = b.param::<T>();
    let fresh = beta.compare(Cmp::Eq, b.bits(0));
    each_below(&b, n, |[i, j]| {
        let (at, sum) = (i * row + j * col, get::<T>(s, i * n + j));
        let [v] = b.either(fresh, || [sum], || [beta.fma(get::<T>(c, at), sum)]);
        put(c, at, v);
    });
    b.finish()
}

/// The whole of a symmetric matrix, row by row. Parameters: A, where it goes; rows, the strides of A's rows and columns.
pub fn mirror<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("mirror");
    let [a, to] = b.params::<U64, 2>();
    let [n, row, col] = b.params::<U32, 3>();
    each(&b, n * n, |e| {
        let i = e / n;
        let j = e - i * n;
        put(to, e, get::<T>(a, i.most(j) * row + i.least(j) * col));
    });
    b.finish()
}

/// What a row of the matrix is in [`vector`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// That of a symmetric matrix.
    Symmetric,
    /// That of the lower triangle.
    Lower,
    /// That of the upper triangle.
    Upper,
}

/// `y = α·A·x + β·y`, a block for each row. Parameters: A, `x`, `y`; rows, elements of a row that are read at most, the
/// strides of A's rows and columns, of `x` and of `y`, whether the diagonal is of ones; α, β. `y` is not read where β is 0.
pub fn vector<T: Recorded>(meet: Meet, rows: Rows) -> Result<Kernel, Error> {
    let b = named::<T>(match rows {
        Rows::Symmetric => "symv",
        Rows::Lower => "trmv",
        Rows::Upper => "trmv_upper",
    });
    b.threads([THREADS, 1, 1]);
    let [a, x, y] = b.params::<U64, 3>();
    let [n, most, row, col, x_step, y_step, unit] = b.params::<U32, 7>();
    let (alpha, beta) = (b.param::<T>(), b.param::<T>());
    let unit = unit.compare(Cmp::Ne, b.int(0));
    each_row(&b, n, |i| {
        let [start, end] = match rows {
            Rows::Symmetric => [b.int(0), most],
            Rows::Lower => [b.int(0), i + b.int(1)],
            Rows::Upper => [i, most],
        };
        let bounds = [start + b.special(Special::TidX), end, b.int(i64::from(THREADS))];
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>(bounds, 1, &[zero], |j, sum| {
            let [r, c] = if rows == Rows::Symmetric { [i.most(j), i.least(j)] } else { [i, j] };
            let (v, factor) = (get::<T>(x, j * x_step), get::<T>(a, r * row + c * col));
            let factor = if rows == Rows::Symmetric {
                factor
            } else {
                Value::select(unit & i.compare(Cmp::Eq, j), b.bits(T::bits(one::<T>())), factor)
            };
            sum.iter().map(|s| factor.fma(v, *s)).collect()
        });
        let sum = sum.first().copied().unwrap_or(zero);
        let [sum] = block_reduce(&b, meet, [sum], |[p], [q]| [p + q]);
        b.when(leads(&b), || {
            let (to, plain) = (i * y_step, sum * alpha);
            let [all] =
                b.either(beta.compare(Cmp::Eq, zero), || [plain], || [beta.fma(get::<T>(y, to), plain)]);
            put(y, to, all);
        });
    });
    b.finish()
}

fn one<T: Recorded>() -> T::Elem {
    <T::Elem as crate::Number>::ONE
}

/// `B = A·B` of a triangular A, a block for each column. Parameters: A, B; rows, of a block's threads at most, columns of
/// B, the strides of A's rows and columns and of B's, whether the diagonal is of ones, whether the triangle is the upper one.
pub fn multiply<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("trmm");
    b.threads([THREADS, 1, 1]);
    let [a, to] = b.params::<U64, 2>();
    let [n, cols, row, col, to_row, to_col, unit, upper] = b.params::<U32, 8>();
    let tid = b.special(Special::TidX);
    let [unit, upper] = [unit, upper].map(|v| v.compare(Cmp::Ne, b.int(0)));
    let has = tid.compare(Cmp::Lt, n);
    let column = scratch::<T>(&b, THREADS);
    let of = |j| get::<T>(a, tid * row + j * col);
    each_row(&b, cols, |c| {
        let at = tid * to_row + c * to_col;
        let [own] = b.either(has, || [get::<T>(to, at)], || [b.bits(0)]);
        keep(column, tid, own);
        b.barrier();
        let [first] = b.either(has & !unit, || [of(tid) * own], || [own]);
        let sum = b.count::<U32, T>([b.int(0), n, b.int(1)], 1, &[first], |j, sum| {
            let old = sum.first().copied().unwrap_or(first);
            let holds = (upper & tid.compare(Cmp::Lt, j)) | (!upper & tid.compare(Cmp::Gt, j));
            b.either(has & holds, || [of(j).fma(kept(column, j), old)], || [old]).to_vec()
        });
        b.when(has, || put(to, at, sum.first().copied().unwrap_or(first)));
    });
    b.finish()
}

/// Columns of B that a block of [`solve`] has, and rows that it solves at once.
pub const SOLVED: u32 = 32;

/// Rows of a triangle that [`solve`] takes at most.
pub const SOLVED_MOST: u32 = 128;

/// `B = A⁻¹·B` of a triangular A of at most [`SOLVED_MOST`] rows, a block for every [`SOLVED`] columns of B, which it has in
/// registers. As many rows are solved by one warp, a thread for each column, then all warps take them off the rows that
/// follow, while the columns of A that are next are on their way: a thread has four rows of a column, or of a B that is
/// `turned`, whose columns are contiguous, four columns of a row. Of an upper triangle the last row is the first. What was
/// written to shared memory one by one is read by 16 bytes where that is `wide`. Parameters: those of [`multiply`]; rows as
/// many as there are.
pub fn solve<T: Recorded>(turned: bool, wide: bool) -> Result<Kernel, Error> {
    let builder = named::<T>(if turned { "trsm_turned" } else { "trsm" });
    let b = &builder;
    b.threads([FACTOR, 1, 1]);
    let [a, to] = b.params::<U64, 2>();
    let [n, cols, row, col, to_row, to_col, unit, upper] = b.params::<U32, 8>();
    let [unit, upper] = [unit, upper].map(|v| v.compare(Cmp::Ne, b.int(0)));
    let (many, warps) = (if wide { 16 / T::TYPE.bytes() } else { 1 }, FACTOR / SOLVED);
    let (each, parts) = (SOLVED / warps, SOLVED_MOST / SOLVED);
    // Rows start at multiples of 16 bytes, in banks that differ where 16 KB are enough for that.
    let pitch = if T::TYPE.bytes() == 4 { SOLVED + many } else { SOLVED };
    let [tile, done] = [(); 2].map(|()| scratch::<T>(b, SOLVED * pitch));
    let (tid, part) = (b.special(Special::TidX), b.int::<U32>(i64::from(SOLVED)));
    let (lane, warp) = (tid & b.int(i64::from(SOLVED - 1)), tid / part);
    let (zero, ones) = (b.bits::<T>(0), b.bits::<T>(T::bits(one::<T>())));
    let turn = |i| Value::select(upper, n - b.int(1) - i, i);
    let number = |i: u32| b.int::<U32>(i64::from(i));
    let element = |i, j| i * number(pitch) + j;
    // The rows that warps have by turns.
    let spread = |q: u32| warp + number(q * warps);
    // Neighbours in memory are read by neighbours.
    let across = row.compare(Cmp::Lt, col);
    let within = |q: u32| (Value::select(across, lane, spread(q)), Value::select(across, spread(q), lane));
    // What a thread has of a block of A, on the diagonal the inverse of what divides.
    let read = |rows, from, diagonal: bool| {
        let of = (0..each).map(move |q| {
            let (i, j) = within(q);
            let (r, c) = (rows + i, from + j);
            let there = n.compare(Cmp::Gt, r);
            let read = || [get::<T>(a, turn(r) * row + turn(c) * col)];
            if !diagonal {
                let [v] = b.either(there, read, || [zero]);
                return v;
            }
            let same = i.compare(Cmp::Eq, j);
            let there = there & (i.compare(Cmp::Gt, j) | (same & !unit));
            let [v] = b.either(there, read, || [Value::select(same, ones, zero)]);
            let [v] = b.either(same, || [ones / v], || [v]);
            v
        });
        of.collect::<Vec<_>>()
    };
    let column = |s| (0..parts).flat_map(|t| read(s + number(t * SOLVED), s, t == 0)).collect::<Vec<_>>();
    let line = |of, i, j, upto: u32| line::<T>(of, element(i, j), many, upto);
    each_row(b, (cols + number(SOLVED - 1)) / part, |group| {
        // What this thread has of 32 rows, and where it is.
        let own = |q: u32| if turned { (lane, warp * number(each) + number(q)) } else { (spread(q), lane) };
        let has = |r, j| n.compare(Cmp::Gt, r) & cols.compare(Cmp::Gt, group * part + j);
        let at = |r, j| turn(r) * to_row + (group * part + j) * to_col;
        let start =
            (0..parts).flat_map(|t| (0..each).map(own).map(move |(i, j)| (number(t * SOLVED) + i, j)));
        let start = start.map(|(r, j)| {
            let [v] = b.either(has(r, j), || [get::<T>(to, at(r, j))], || [zero]);
            v
        });
        let start: Vec<_> = start.chain(column(number(0))).collect();
        b.count::<U32, T>([b.int(0), n, part], 1, &start, |s, all| {
            let (rows, blocks) = all.split_at((parts * each) as usize);
            let (mut rows, mut blocks) = (rows.chunks(each as usize), blocks.chunks(each as usize));
            let next = column(s + part);
            for (q, v) in (0..).zip(blocks.next().into_iter().flatten()) {
                let (i, j) = within(q);
                // Column by column.
                keep(tile, element(j, i), *v);
            }
            for ((i, j), v) in (0..each).map(own).zip(rows.next().into_iter().flatten()) {
                keep(done, element(i, j), *v);
            }
            b.barrier();
            b.when(warp.compare(Cmp::Eq, b.int(0)), || {
                let mut sums: Vec<_> =
                    (0..SOLVED).map(|i| kept::<T>(done, element(number(i), lane))).collect();
                for i in 0..SOLVED {
                    let (from, own) = (i / many * many, i as usize);
                    let l = line(tile, number(i), number(from), SOLVED - from);
                    let x = sums[own] * l[own - from as usize];
                    sums[own] = x;
                    for (sum, l) in sums.iter_mut().skip(own + 1).zip(&l[own - from as usize + 1..]) {
                        *sum = (-*l).fma(x, *sum);
                    }
                }
                // Not before: what is read after a write waits for it.
                (0..).zip(sums).for_each(|(i, x)| keep(done, element(number(i), lane), x));
            });
            b.barrier();
            for (i, j) in (0..each).map(own) {
                b.when(has(s + i, j), || put(to, at(s + i, j), kept::<T>(done, element(i, j))));
            }
            let solved: Vec<_> = if turned {
                Vec::new()
            } else {
                (0..SOLVED).map(|j| kept::<T>(done, element(number(j), lane))).collect()
            };
            let mut left = Vec::new();
            for (t, (old, block)) in (1..).zip(rows.zip(blocks)) {
                for (q, v) in (0..).zip(block) {
                    let (i, j) = within(q);
                    keep(tile, element(i, j), *v);
                }
                b.barrier();
                let less = || {
                    if turned {
                        let (l, (_, first)) = (line(tile, lane, b.int(0), SOLVED), own(0));
                        l.iter().enumerate().fold(old.to_vec(), |sums, (j, l)| {
                            let x = line(done, number(j as u32), first, each);
                            sums.iter().zip(x).map(|(sum, x)| (-*l).fma(x, *sum)).collect()
                        })
                    } else {
                        let rows = (0..each).map(own).zip(old).map(|((i, _), old)| {
                            let l = line(tile, i, b.int(0), SOLVED);
                            solved.iter().zip(l).fold(*old, |sum, (x, l)| (-l).fma(*x, sum))
                        });
                        rows.collect()
                    }
                };
                left.extend(b.unless(old, n.compare(Cmp::Gt, s + number(t * SOLVED)), less));
                b.barrier();
            }
            left.extend((0..each).map(|_| zero));
            left.extend(next);
            left
        });
    });
    builder.finish()
}
