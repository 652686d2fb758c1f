//! Factors of the columns of a part of a matrix by one block, in registers: a few columns at once, of whose rows a thread has
//! every [`FACTOR`]-th. Those before them are applied first, column by column, as in a left-looking algorithm.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::factor::{FACTOR, LEAF, constant, keep, kept, place, refused, room, size};
use super::flat::{get, named, put};
use super::layer::leads;
use super::part::{Meet, Threads, meeting, meets_in};
use super::reflect::scale;
use super::status::{Index, note_first};
use crate::Number;
use alloc::vec::Vec;

/// All of a block meet.
const ALL: Threads = Threads { block: FACTOR, row: FACTOR };
/// Columns at once, at most.
const MOST: usize = 8;
/// Bytes of a thread's elements, at most.
const REGISTERS: u32 = 512;

/// Elements that a thread has at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Every [`FACTOR`]-th row, so many of them.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
}

impl Held {
    /// What holds columns of `m` elements of so many bytes, if anything does.
    #[must_use]
    pub fn of(m: usize, bytes: u32) -> Option<Self> {
        let rows = [2, 8, 16, 32].into_iter().find(|rows| m <= (rows * FACTOR) as usize)?;
        Some(Self { rows, cols: (REGISTERS / bytes / rows).min(MOST as u32) })
    }
}

/// The columns of a part, and what this thread has of them.
struct Panel<'b, T> {
    b: &'b Builder,
    a: Value<'b, U64>,
    size: [Value<'b, U32>; 2],
    strides: [Value<'b, U32>; 2],
    held: Held,
    /// This thread's rows.
    own: Vec<Value<'b, U32>>,
    /// Whether they are there.
    has: Vec<Value<'b, Pred>>,
    element: core::marker::PhantomData<T>,
}

impl<'b, T: Recorded> Panel<'b, T> {
    fn new(b: &'b Builder, a: Value<'b, U64>, [m, n, row, col]: [Value<'b, U32>; 4], held: Held) -> Self {
        let tid = b.special(Special::TidX);
        let own: Vec<_> = (0..held.rows).map(|r| tid + b.int::<U32>(i64::from(r * FACTOR))).collect();
        let has = own.iter().map(|i| i.compare(Cmp::Lt, m)).collect();
        Self { b, a, size: [m, n], strides: [row, col], held, own, has, element: core::marker::PhantomData }
    }
    /// An element; of columns past the end, and of rows, that of the last one.
    fn at(&self, i: Value<'b, U32>, j: Value<'b, U32>) -> Value<'b, T> {
        let ([row, col], [last, end]) = (self.strides, self.size.map(|n| n - self.b.int(1)));
        get(self.a, i.least(last) * row + j.least(end) * col)
    }
    fn column(&self, j: Value<'b, U32>) -> Vec<Value<'b, T>> {
        self.own.iter().map(|i| self.at(*i, j)).collect()
    }
    /// The columns from `s` on, of rows that are not there zeros.
    fn load(&self, s: Value<'b, U32>) -> Vec<Value<'b, T>> {
        let columns: Vec<_> =
            (0..self.held.cols).map(|c| self.column(s + self.b.int(i64::from(c)))).collect();
        let zero = self.b.bits(0);
        let row = |(r, has): (usize, &Value<'b, Pred>)| {
            columns.iter().map(|c| Value::select(*has, c[r], zero)).collect::<Vec<_>>()
        };
        self.has.iter().enumerate().flat_map(row).collect()
    }
    /// Writes those of rows that are `there` to these.
    fn store(&self, s: Value<'b, U32>, x: &[Value<'b, T>], there: &[Value<'b, Pred>], to: &[Value<'b, U32>]) {
        let (b, [row, col]) = (self.b, self.strides);
        for ((there, x), to) in there.iter().zip(x.chunks(self.held.cols as usize)).zip(to) {
            b.when(*there, || {
                for (c, x) in x.iter().enumerate() {
                    let j = s + b.int(c as i64);
                    b.when(j.compare(Cmp::Lt, self.size[1]), || put(self.a, *to * row + j * col, *x));
                }
            });
        }
    }
}

/// Keeps a row's elements, and gives them.
fn spread<'b, T: Recorded>(room: Value<'b, U32>, x: &[Value<'b, T>]) {
    let b = room.builder();
    x.iter().enumerate().for_each(|(c, x)| keep(room, b.int(c as i64), *x));
}
fn row<'b, T: Recorded>(room: Value<'b, U32>, many: u32) -> Vec<Value<'b, T>> {
    let b = room.builder();
    (0..many).map(|c| kept(room, b.int(i64::from(c)))).collect()
}

/// `P·A = L·U` of at most [`LEAF`] columns. Rows stay where they are until all columns are done: a thread knows where its own
/// ones are to be. Parameters: those of [`lu`](super::factor::lu).
pub fn lu<T: Recorded>(meet: Meet, held: Held) -> Result<Kernel, Error> {
    let builder = named::<T>("lu");
    let b = &builder;
    b.threads([FACTOR, 1, 1]);
    let [a, pivots, status] = [(); 3].map(|()| b.param::<U64>());
    let [m, n, by_row, by_col, first] = [(); 5].map(|()| b.param::<U32>());
    let panel = Panel::<T>::new(b, a, [m, n, by_row, by_col], held);
    let (wide, cols) = (held.cols as usize, b.int::<U32>(i64::from(held.cols)));
    let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
    let (shares, chosen) = (room::<T>(b, 2 * held.cols), room::<T>(b, held.cols));
    let at_meeting = (meet, ALL, meeting::<T, 2>(b, meet, ALL));
    let (own, has) = (&panel.own, &panel.has);
    let ends = b.count::<U32, U32>([zero, n, cols], 1, own, |s, at| {
        let mut at = at.to_vec();
        let x = panel.load(s);
        let mut x = b.count::<U32, T>([zero, s, one], 1, &x, |k, x| {
            // The pivot's row comes by one of two places, so that a barrier does for both.
            let through = place::<T>(shares, (k & one) * cols);
            for (at, x) in at.iter().zip(x.chunks(wide)) {
                b.when(at.compare(Cmp::Eq, k), || spread(through, x));
            }
            let l = panel.column(k);
            b.barrier();
            let u = row::<T>(through, held.cols);
            let rows = x.chunks(wide).zip(&l).zip(at.iter().zip(has));
            let rows = rows.flat_map(|((x, l), (at, has))| {
                b.unless(x, at.compare(Cmp::Gt, k) & *has, || {
                    x.iter().zip(&u).map(|(x, u)| (-*l).fma(*u, *x)).collect()
                })
            });
            rows.collect()
        });
        for c in 0..wide {
            let k = s + b.int(c as i64);
            let none = (-constant::<T>(b, T::Elem::ONE), zero);
            let best = x.chunks(wide).zip(at.iter().zip(has)).fold(none, |(most, p), (x, (at, has))| {
                let x = size(x[c]);
                let more = x.compare(Cmp::Gt, most) | (x.compare(Cmp::Eq, most) & at.compare(Cmp::Lt, p));
                let more = more & at.compare(Cmp::Ge, k) & *has;
                (Value::select(more, x, most), Value::select(more, *at, p))
            });
            // The first of those that are as large.
            let [_, p] = meets_in(b, at_meeting, [best.0, best.1.to::<T>()], |[x, i], [y, j]| {
                let more = y.compare(Cmp::Gt, x) | (y.compare(Cmp::Eq, x) & j.compare(Cmp::Lt, i));
                [Value::select(more, y, x), Value::select(more, j, i)]
            });
            let there = k.compare(Cmp::Lt, n);
            let p = Value::select(there, p.to::<U32>(), k);
            for (at, x) in at.iter_mut().zip(x.chunks(wide)) {
                b.when(at.compare(Cmp::Eq, p), || spread(chosen, x));
                let back = Value::select(at.compare(Cmp::Eq, k), p, *at);
                *at = Value::select(at.compare(Cmp::Eq, p), k, back);
            }
            b.barrier();
            let u = row::<T>(chosen, held.cols);
            let pivot = u[c];
            b.when(leads(b) & there, || {
                put(pivots, k, first + p);
                b.when(refused(pivot.magnitude()), || note_first(status, Index::Lu, first + k));
            });
            let nothing = pivot.compare(Cmp::Eq, b.bits(0));
            let rows = x.chunks(wide).zip(at.iter().zip(has));
            let rows = rows.flat_map(|(x, (at, has))| {
                let (done, rest) = x.split_at(c);
                let rest = b.unless(rest, at.compare(Cmp::Gt, k) & *has, || {
                    // A column of zeros is one of L, too.
                    let l = Value::select(nothing, rest[0], rest[0] / pivot);
                    let others = rest.iter().zip(&u[c..]).skip(1).map(|(x, u)| (-l).fma(*u, *x));
                    core::iter::once(l).chain(others).collect()
                });
                done.iter().copied().chain(rest).collect::<Vec<_>>()
            });
            x = rows.collect();
        }
        panel.store(s, &x, has, own);
        at
    });
    let moved: Vec<_> =
        ends.iter().zip(own.iter().zip(has)).map(|(end, (i, has))| *has & end.compare(Cmp::Ne, *i)).collect();
    let none = alloc::vec![b.bits::<T>(0); wide];
    b.count::<U32, U32>([zero, n, cols], 1, &[], |s, _| {
        let rows = own.iter().zip(&moved).flat_map(|(i, moved)| {
            b.unless(&none, *moved, || (0..wide).map(|c| panel.at(*i, s + b.int(c as i64))).collect())
        });
        let x: Vec<_> = rows.collect();
        b.barrier();
        panel.store(s, &x, &moved, &ends);
        Vec::new()
    });
    builder.finish()
}

/// `A = QR` of at most [`LEAF`] columns, no more than there are rows. Parameters: those of [`qr`](super::reflect::qr).
pub fn qr<T: Recorded>(meet: Meet, what: Index, held: Held) -> Result<Kernel, Error> {
    let builder = named::<T>("qr");
    let b = &builder;
    b.threads([FACTOR, 1, 1]);
    let [a, taus, status] = [(); 3].map(|()| b.param::<U64>());
    let [m, n, by_row, by_col, first] = [(); 5].map(|()| b.param::<U32>());
    let panel = Panel::<T>::new(b, a, [m, n, by_row, by_col], held);
    let (wide, cols) = (held.cols as usize, b.int::<U32>(i64::from(held.cols)));
    let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
    let [none, unit] = [T::Elem::ZERO, T::Elem::ONE].map(|x| constant::<T>(b, x));
    let (factors, pivots) = (room::<T>(b, LEAF), room::<T>(b, held.cols));
    let largest_of = (meet, ALL, meeting::<T, 1>(b, meet, ALL));
    let sums_of = (meet, ALL, meeting::<T, MOST>(b, meet, ALL));
    let sums = |x: Vec<_>| {
        let all: [_; MOST] = core::array::from_fn(|c| x.get(c).copied().unwrap_or(none));
        meets_in(b, sums_of, all, |x, y| core::array::from_fn(|c| x[c] + y[c])).to_vec()
    };
    let (own, has) = (&panel.own, &panel.has);
    b.count::<U32, U32>([zero, n, cols], 1, &[], |s, _| {
        let x = panel.load(s);
        let mut x = b.count::<U32, T>([zero, s, one], 1, &x, |k, x| {
            let from_k: Vec<_> = own.iter().map(|i| i.compare(Cmp::Ge, k)).collect();
            let v = panel.column(k).into_iter().zip(own.iter().zip(has));
            let v = v.map(|(v, (i, has))| {
                Value::select(i.compare(Cmp::Eq, k), unit, Value::select(*has, v, none))
            });
            let v: Vec<_> = v.collect();
            let mine = x.chunks(wide).zip(v.iter().zip(&from_k)).fold(
                alloc::vec![none; wide],
                |sum, (x, (v, from))| {
                    b.unless(&sum, *from, || sum.iter().zip(x).map(|(sum, x)| v.fma(*x, *sum)).collect())
                },
            );
            b.barrier();
            let (tau, all) = (kept::<T>(factors, k), sums(mine));
            let by: Vec<_> = all.into_iter().map(|sum| -(tau * sum)).collect();
            let rows = x.chunks(wide).zip(v.iter().zip(&from_k));
            let rows = rows.flat_map(|(x, (v, from))| {
                b.unless(x, *from, || x.iter().zip(&by).map(|(x, by)| by.fma(*v, *x)).collect())
            });
            rows.collect()
        });
        for c in 0..wide {
            let k = s + b.int(c as i64);
            let below: Vec<_> = own.iter().map(|i| i.compare(Cmp::Gt, k)).collect();
            let most = x.chunks(wide).zip(&below).fold(none, |most, (x, below)| {
                let x = size(x[c]);
                Value::select(*below & x.compare(Cmp::Gt, most), x, most)
            });
            own.iter()
                .zip(x.chunks(wide))
                .for_each(|(i, x)| b.when(i.compare(Cmp::Eq, k), || spread(pivots, x)));
            let [most] =
                meets_in(b, largest_of, [most], |[x], [y]| [Value::select(y.compare(Cmp::Gt, x), y, x)]);
            let pivot = row::<T>(pivots, held.cols);
            let nothing = most.compare(Cmp::Eq, none);
            let alpha = size(pivot[c]);
            let most = Value::select(alpha.compare(Cmp::Gt, most), alpha, most);
            let there = k.compare(Cmp::Lt, n);
            b.when(leads(b) & there & refused(most) & most.compare(Cmp::Ne, none), || {
                note_first(status, what, first + k);
            });
            // By the largest: no square overflows, and none that counts underflows.
            let by = scale(most);
            let largest = most * by;
            let over = unit / largest;
            let share = |x| by * x * over;
            let rows = x.chunks(wide).zip(&below).fold(alloc::vec![none; wide - c], |sum, (x, below)| {
                b.unless(&sum, *below, || {
                    let v = share(x[c]);
                    let first = core::iter::once((v, sum[0]));
                    let others = x[c + 1..].iter().copied().zip(sum[1..].iter().copied());
                    first.chain(others).map(|(x, sum)| v.fma(x, sum)).collect()
                })
            });
            let all = sums(rows);
            let alpha = share(pivot[c]);
            let norm = alpha.fma(alpha, all[0]).root();
            let beta = Value::select(alpha.compare(Cmp::Lt, none), norm, -norm);
            let tau = Value::select(nothing, none, (beta - alpha) / beta);
            let over = unit / (alpha - beta);
            b.when(leads(b) & there, || {
                put(taus, k, tau);
                keep(factors, k, tau);
            });
            let taken = pivot[c + 1..].iter().zip(&all[1..]).map(|(x, sum)| -(tau * sum.fma(over, *x)));
            let taken: Vec<_> = taken.collect();
            let rows = x.chunks(wide).zip(own.iter().zip(&below));
            let rows = rows.flat_map(|(x, (i, below))| {
                let (done, rest) = x.split_at(c);
                let rest = b.unless(rest, !nothing & i.compare(Cmp::Ge, k), || {
                    let v = share(rest[0]) * over;
                    let first = Value::select(*below, v, beta * largest / by);
                    let v = Value::select(*below, v, unit);
                    let others = rest[1..].iter().zip(&taken).map(|(x, by)| by.fma(v, *x));
                    core::iter::once(first).chain(others).collect()
                });
                done.iter().copied().chain(rest).collect::<Vec<_>>()
            });
            x = rows.collect();
        }
        panel.store(s, &x, has, own);
        b.barrier();
        Vec::new()
    });
    builder.finish()
}
