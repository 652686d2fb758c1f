//! Panel factorisations by one block, in registers: a few columns at once, of which a thread has every [`FACTOR`]-th
//! row. Earlier columns are applied first, one by one (left-looking).
#![allow(clippy::indexing_slicing, reason = "places of registers that are counted here")]

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::block_reduce::{Meet, Threads, reduce_in, reduce_memory};
use super::factor::{FACTOR, LEAF, constant, keep, kept, place, refused, scratch, size};
use super::flat::{get, named, put};
use super::layer::leads;
use super::reflect::{ends, scale};
use super::status::{Index, note_first};
use crate::Number;
use alloc::vec::Vec;

/// All threads of a block on one row.
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
    /// Whether a row that ends at `at` comes after row `k`.
    fn behind(&self, at: Value<'b, U32>, k: Value<'b, U32>) -> Value<'b, Pred> {
        let next = k + self.b.int(1);
        // Rows that are not there end past the last one.
        (at - next).compare(Cmp::Lt, self.size[0] - next)
    }
    /// Keeps the row that ends at `k`.
    fn lend(&self, ends: &[Value<'b, U32>], k: Value<'b, U32>, x: &[Value<'b, T>], scratch: Value<'b, U32>) {
        let b = self.b;
        let here: Vec<_> = ends.iter().map(|at| at.compare(Cmp::Eq, k)).collect();
        let Some(any) = here.iter().copied().reduce(|p, q| p | q) else { return };
        b.when(any, || {
            let rows = here.iter().zip(x.chunks(self.held.cols as usize));
            rows.for_each(|(here, x)| b.when(*here, || spread(scratch, x)));
        });
    }
    /// `x - l·u` in rows that end behind `k`.
    fn eliminate(
        &self,
        ends: &[Value<'b, U32>],
        k: Value<'b, U32>,
        (l, u): (&[Value<'b, T>], &[Value<'b, T>]),
        x: &[Value<'b, T>],
    ) -> Vec<Value<'b, T>> {
        let rows = x.chunks(u.len().max(1)).zip(l.iter().zip(ends));
        let row = |(x, (l, at)): (&[Value<'b, T>], (&Value<'b, T>, &Value<'b, U32>))| {
            let (behind, l) = (self.behind(*at, k), -*l);
            x.iter().zip(u).map(|(x, u)| Value::select(behind, l.fma(*u, *x), *x)).collect::<Vec<_>>()
        };
        rows.flat_map(row).collect()
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

/// The ones where it holds, else the others.
fn choose<'b, T: Recorded>(p: Value<'b, Pred>, x: &[Value<'b, T>], y: &[Value<'b, T>]) -> Vec<Value<'b, T>> {
    x.iter().zip(y).map(|(x, y)| Value::select(p, *x, *y)).collect()
}

/// The sums of all threads, in each of them: a warp's lanes give away half of their sums at each step, until each has one.
fn by_halves<'b, T: Recorded>(scratch: Value<'b, U32>, all: [Value<'b, T>; MOST]) -> Vec<Value<'b, T>> {
    let b = scratch.builder();
    let (tid, many) = (b.special(Special::TidX), |i: u32| b.int::<U32>(i64::from(i)));
    let lane = tid & many(31);
    let pair = |v: Value<'b, T>, distance| v + v.shuffle(Shuffle::Butterfly, many(distance));
    let mut sums = all.to_vec();
    for distance in [16, 8, 4] {
        let upper = (lane & many(distance)).compare(Cmp::Ne, many(0));
        let (low, high) = sums.split_at(sums.len() / 2);
        let pairs = low.iter().zip(high).map(|(low, high)| {
            let (own, other) = (Value::select(upper, *high, *low), Value::select(upper, *low, *high));
            own + other.shuffle(Shuffle::Butterfly, many(distance))
        });
        sums = pairs.collect();
    }
    let own = [2, 1].into_iter().fold(sums[0], pair);
    // The sums of a warp lie as far apart as there are warps.
    let warps = FACTOR / 32;
    b.when((lane & many(3)).compare(Cmp::Eq, many(0)), || {
        keep(scratch, lane / many(4) * many(warps) + tid / many(32), own);
    });
    b.barrier();
    let halves = [0, 32].map(|from| [4, 2, 1].into_iter().fold(kept::<T>(scratch, lane + many(from)), pair));
    let sum = |c: u32| halves[(c / 4) as usize].shuffle(Shuffle::Index, many(c % 4 * warps));
    (0..MOST as u32).map(sum).collect()
}

/// A column by its pivot: by the pivot's reciprocal where that is far from both ends of the range.
fn quotients<'b, T: Recorded>(column: &[Value<'b, T>], pivot: Value<'b, T>) -> Vec<Value<'b, T>> {
    let b = pivot.builder();
    let [low, high] = ends::<T>(b);
    let (large, by) = (pivot.magnitude(), constant::<T>(b, T::Elem::ONE) / pivot);
    let near = large.compare(Cmp::Ge, low) & large.compare(Cmp::Le, high);
    let products: Vec<_> = column.iter().map(|x| *x * by).collect();
    b.unless(&products, !near, || {
        // A column of zeros is one of L, too.
        let nothing = pivot.compare(Cmp::Eq, b.bits(0));
        column.iter().map(|x| Value::select(nothing, *x, *x / pivot)).collect()
    })
}

/// Keeps a row's elements, and gives them.
fn spread<'b, T: Recorded>(scratch: Value<'b, U32>, x: &[Value<'b, T>]) {
    let b = scratch.builder();
    x.iter().enumerate().for_each(|(c, x)| keep(scratch, b.int(c as i64), *x));
}
fn row<'b, T: Recorded>(scratch: Value<'b, U32>, many: u32) -> Vec<Value<'b, T>> {
    let b = scratch.builder();
    (0..many).map(|c| kept(scratch, b.int(i64::from(c)))).collect()
}

/// `P·A = L·U` of at most [`LEAF`] columns. Rows stay where they are until all columns are done: a thread knows where its own
/// ones are to be. Parameters: those of [`lu`](super::factor::lu).
pub fn lu<T: Recorded>(meet: Meet, held: Held) -> Result<Kernel, Error> {
    let builder = named::<T>("lu");
    let b = &builder;
    b.threads([FACTOR, 1, 1]);
    let [a, pivots, status] = b.params::<U64, 3>();
    let [m, n, by_row, by_col, first] = b.params::<U32, 5>();
    let panel = Panel::<T>::new(b, a, [m, n, by_row, by_col], held);
    let (wide, cols) = (held.cols as usize, b.int::<U32>(i64::from(held.cols)));
    let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
    let (shares, chosen) = (scratch::<T>(b, 2 * held.cols), scratch::<T>(b, held.cols));
    let pivot_of = (meet, ALL, reduce_memory::<T, 2>(b, meet, ALL));
    let (own, has) = (&panel.own, &panel.has);
    let ends = b.count::<U32, U32>([zero, n, cols], 1, own, |s, at| {
        let mut at = at.to_vec();
        let x = panel.load(s);
        let mut x = b.count::<U32, T>([zero, s, one], 1, &x, |k, x| {
            // The pivot's row comes by one of two places, so that a barrier does for both.
            let through = place::<T>(shares, (k & one) * cols);
            panel.lend(&at, k, x, through);
            let l = panel.column(k);
            b.barrier();
            let u = row::<T>(through, held.cols);
            panel.eliminate(&at, k, (&l, &u), x)
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
            let [_, p] = reduce_in(b, pivot_of, [best.0, best.1.to::<T>()], |[x, i], [y, j]| {
                let more = y.compare(Cmp::Gt, x) | (y.compare(Cmp::Eq, x) & j.compare(Cmp::Lt, i));
                [Value::select(more, y, x), Value::select(more, j, i)]
            });
            let there = k.compare(Cmp::Lt, n);
            let p = Value::select(there, p.to::<U32>(), k);
            panel.lend(&at, p, &x, chosen);
            for at in &mut at {
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
            let column: Vec<_> = x.chunks(wide).map(|x| x[c]).collect();
            let l = quotients(&column, pivot);
            let rest: Vec<_> = x.chunks(wide).flat_map(|x| x[c + 1..].iter().copied()).collect();
            let rest = panel.eliminate(&at, k, (&l, &u[c + 1..]), &rest);
            for (r, (x, l)) in x.chunks_mut(wide).zip(&l).enumerate() {
                x[c] = Value::select(panel.behind(at[r], k), *l, x[c]);
                let many = wide - c - 1;
                x[c + 1..].copy_from_slice(&rest[r * many..][..many]);
            }
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
    let [a, taus, status] = b.params::<U64, 3>();
    let [m, n, by_row, by_col, first] = b.params::<U32, 5>();
    let panel = Panel::<T>::new(b, a, [m, n, by_row, by_col], held);
    let (wide, cols) = (held.cols as usize, b.int::<U32>(i64::from(held.cols)));
    let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
    let [none, unit] = [T::Elem::ZERO, T::Elem::ONE].map(|x| constant::<T>(b, x));
    let (factors, pivots) = (scratch::<T>(b, LEAF), scratch::<T>(b, held.cols));
    let largest_of = (meet, ALL, reduce_memory::<T, 1>(b, meet, ALL));
    let sums_of = (meet, ALL, reduce_memory::<T, MOST>(b, meet, ALL));
    let sums = |x: Vec<_>| {
        let all: [_; MOST] = core::array::from_fn(|c| x.get(c).copied().unwrap_or(none));
        if meet == Meet::Warps {
            return by_halves(sums_of.2, all);
        }
        reduce_in(b, sums_of, all, |x, y| core::array::from_fn(|c| x[c] + y[c])).to_vec()
    };
    let (own, has) = (&panel.own, &panel.has);
    b.count::<U32, U32>([zero, n, cols], 1, &[], |s, _| {
        let x = panel.load(s);
        let mut x = b.count::<U32, T>([zero, s, one], 1, &x, |k, x| {
            // No more than a thread's first row is above the diagonal.
            let above = own[0].compare(Cmp::Lt, k);
            let v = panel.column(k).into_iter().zip(has).map(|(v, has)| Value::select(*has, v, none));
            let mut v: Vec<_> = v.collect();
            v[0] = Value::select(own[0].compare(Cmp::Eq, k), unit, v[0]);
            let mine =
                x.chunks(wide).zip(&v).enumerate().fold(alloc::vec![none; wide], |sum, (r, (x, v))| {
                    let new: Vec<_> = sum.iter().zip(x).map(|(sum, x)| v.fma(*x, *sum)).collect();
                    if r == 0 { choose(above, &sum, &new) } else { new }
                });
            b.barrier();
            let (tau, all) = (kept::<T>(factors, k), sums(mine));
            let by: Vec<_> = all.into_iter().map(|sum| -(tau * sum)).collect();
            let rows = x.chunks(wide).zip(&v).enumerate().flat_map(|(r, (x, v))| {
                let new: Vec<_> = x.iter().zip(&by).map(|(x, by)| by.fma(*v, *x)).collect();
                if r == 0 { choose(above, x, &new) } else { new }
            });
            rows.collect()
        });
        for c in 0..wide {
            let k = s + b.int(c as i64);
            // No more than a thread's first row is not below the diagonal.
            let below = own[0].compare(Cmp::Gt, k);
            let most = x.chunks(wide).enumerate().fold(none, |most, (r, x)| {
                let x = size(x[c]);
                let more = x.compare(Cmp::Gt, most);
                Value::select(if r == 0 { more & below } else { more }, x, most)
            });
            b.when(own[0].compare(Cmp::Eq, k), || spread(pivots, &x[..wide]));
            let [most] =
                reduce_in(b, largest_of, [most], |[x], [y]| [Value::select(y.compare(Cmp::Gt, x), y, x)]);
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
            let over = Value::select(nothing, none, unit / largest);
            let share = |x| by * x * over;
            let shares: Vec<_> = x.chunks(wide).map(|x| share(x[c])).collect();
            let rows = x.chunks(wide).zip(&shares).enumerate();
            let rows = rows.fold(alloc::vec![none; wide - c], |sum, (r, (x, v))| {
                let of = core::iter::once(v).chain(&x[c + 1..]);
                let new: Vec<_> = of.zip(&sum).map(|(x, sum)| v.fma(*x, *sum)).collect();
                if r == 0 { choose(below, &new, &sum) } else { new }
            });
            let all = sums(rows);
            let alpha = share(pivot[c]);
            let norm = alpha.fma(alpha, all[0]).root();
            let beta = Value::select(alpha.compare(Cmp::Lt, none), norm, -norm);
            let tau = Value::select(nothing, none, (beta - alpha) / beta);
            let over = Value::select(nothing, none, unit / (alpha - beta));
            b.when(leads(b) & there, || {
                put(taus, k, tau);
                keep(factors, k, tau);
            });
            let taken = pivot[c + 1..].iter().zip(&all[1..]);
            let taken = taken.map(|(x, sum)| Value::select(nothing, none, -(tau * sum.fma(over, *x))));
            let taken: Vec<_> = taken.collect();
            let on = Value::select(nothing, pivot[c], beta * largest / by);
            for (r, (x, v)) in x.chunks_mut(wide).zip(shares).enumerate() {
                let (mut v, old) = (v * over, x[c..].to_vec());
                x[c] = v;
                if r == 0 {
                    (x[c], v) = (Value::select(below, v, on), Value::select(below, v, unit));
                }
                x[c + 1..].iter_mut().zip(&taken).for_each(|(x, by)| *x = by.fma(v, *x));
                if r == 0 {
                    let kept = choose(own[0].compare(Cmp::Lt, k), &old, &x[c..]);
                    x[c..].copy_from_slice(&kept);
                }
            }
        }
        panel.store(s, &x, has, own);
        b.barrier();
        Vec::new()
    });
    builder.finish()
}
