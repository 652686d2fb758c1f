//! The matrix-vector product `y ← α·A·x + β·y` of row-major matrices: a block or a warp computes each row.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Hopper, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, Threads, block_reduce, on_row};
use super::flat::{at, get, named, neighbours, put};
use super::layer::{each_row, leads};
use crate::alu::Body;
use crate::lanes::rotary;
use crate::nn::Swiglu;
use alloc::format;
use alloc::vec::Vec;

/// The epilogue of a pair of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// They are written.
    Nothing,
    /// Neighbours are turned by an angle.
    Rotation,
    /// One from each half of the results makes a gate's: the result is written beside them.
    Gates,
}

/// The results of one product with the same `x` after the other, as far as there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The first.
    pub first: Then,
    /// The one behind it.
    pub second: Option<Then>,
}

impl Form {
    /// The epilogue of the last results.
    pub const fn then(self, then: Then) -> Self {
        match self.second {
            None => Self { first: then, ..self },
            Some(_) => Self { second: Some(then), ..self },
        }
    }

    /// Another number for each.
    pub const fn number(self) -> u32 {
        self.first as u32
            | match self.second {
                None => 0,
                Some(then) => 4 + 4 * then as u32,
            }
    }
}

struct Gemv<'b, T> {
    b: &'b Builder,
    a: Value<'b, U64>,
    x: Value<'b, U64>,
    y: Value<'b, U64>,
    /// Rows, columns, the strides of A's rows and columns, of `x` and of `y`.
    sizes: [Value<'b, U32>; 6],
    alpha: Value<'b, T>,
    beta: Value<'b, T>,
}

impl<'b, T: Recorded> Gemv<'b, T> {
    fn new(b: &'b Builder) -> Self {
        let [a, x, y] = b.params::<U64, 3>();
        let sizes = b.params::<U32, 6>();
        let (alpha, beta) = (b.param::<T>(), b.param::<T>());
        Self { b, a, x, y, sizes, alpha, beta }
    }

    /// Lets the thread's line of 128 bytes of this row come to the second cache while the kernel before may still run.
    fn prefetch(&self, r: Value<'b, U32>, thread: Value<'b, U32>) {
        let (b, [rows, cols, row, ..]) = (self.b, self.sizes);
        let line = thread * b.int(i64::from(128 / T::TYPE.bytes()));
        b.when(rows.compare(Cmp::Gt, r) & cols.compare(Cmp::Gt, line), || {
            b.hopper(Hopper::Prefetch, &[at::<T>(self.a, r * row + line).into()]);
        });
    }

    fn put(&self, r: Value<'b, U32>, sum: Value<'b, T>) {
        let (b, [.., y_step]) = (self.b, self.sizes);
        let (to, plain) = (r * y_step, sum * self.alpha);
        let none = self.beta.compare(Cmp::Eq, b.bits(0));
        let [all] = b.either(none, || [plain], || [self.beta.fma(get::<T>(self.y, to), plain)]);
        put(self.y, to, all);
    }

    /// The part of the thread at `place`, one of so many `threads`, of `Σ a[start + i]·x[i]`: so many neighbours at once as are 16
    /// bytes, and more where there are some, so that reads are under way while others are waited for.
    fn by_neighbours(
        &self,
        (threads, place): (u32, Value<'b, U32>),
        start: Value<'b, U32>,
        turns: &[u32],
    ) -> Value<'b, T> {
        let (b, cols, many) = (self.b, self.sizes[1], 16 / T::TYPE.bytes());
        let step = threads * many;
        let int = |c: u32| b.int::<U32>(i64::from(c));
        let read = |from: Value<'b, U64>, i: Value<'b, U32>, times: u32| -> Vec<Value<'b, T>> {
            let all = (0..times).map(|k| at::<T>(from, i + int(k * step)));
            all.flat_map(|i| neighbours(b, Space::Global, i, 0, many)).collect()
        };
        let pass = |first: Value<'b, U32>, end: Value<'b, U32>, times: u32, sums: &[Value<'b, T>]| {
            b.count::<U32, T>([first, end, int(times * step)], 1, sums, |i, sums| {
                let (a, x) = (read(self.a, start + i, times), read(self.x, i, times));
                let mut sums = sums.to_vec();
                let pairs = a.chunks(many as usize).zip(x.chunks(many as usize));
                pairs.for_each(|(a, x)| {
                    sums.iter_mut().zip(a.iter().zip(x)).for_each(|(s, (a, x))| *s = a.fma(*x, *s));
                });
                sums
            })
        };
        let first = place * int(many);
        let none: Vec<_> = (0..many).map(|_| b.bits::<T>(0)).collect();
        let (sums, done) = turns.iter().fold((none, int(0)), |(sums, done), times| {
            let whole = cols & b.int(!i64::from(times * step - 1));
            (pass(done + first, whole, *times, &sums), whole)
        });
        let sums = pass(done + first, cols, 1, &sums);
        sums.into_iter().reduce(|p, q| p + q).unwrap_or(b.bits(0))
    }
}

/// A block for each row of A. Parameters: A, `x`, `y`; rows, columns; the strides of A's rows and columns, of `x` and of `y`; α,
/// β. `y` is not read where β is 0. `wide`: rows and `x` are contiguous, in whole pieces of 16 bytes. `early`: the row comes to
/// the second cache while the kernel before may still run.
pub fn gemv<T: Recorded>(meet: Meet, wide: bool, early: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if wide { "gemv_wide" } else { "gemv" });
    b.threads([THREADS, 1, 1]);
    let g = Gemv::<T>::new(&b);
    let [rows, cols, row, col, x_step, _] = g.sizes;
    if early {
        g.prefetch(b.special(Special::CtaidX), b.special(Special::TidX));
        b.hopper(Hopper::Await, &[]);
    }
    each_row(&b, rows, |r| {
        let (tid, zero, start) = (b.special(Special::TidX), b.bits::<T>(0), r * row);
        let sum = if wide {
            g.by_neighbours((THREADS, tid), start, &[4, 2])
        } else {
            let sum = b.count::<U32, T>([tid, cols, b.int(i64::from(THREADS))], 4, &[zero], |i, sum| {
                let (a, x) = (get::<T>(g.a, start + i * col), get::<T>(g.x, i * x_step));
                sum.iter().map(|s| a.fma(x, *s)).collect()
            });
            sum.first().copied().unwrap_or(zero)
        };
        let [sum] = block_reduce(&b, meet, [sum], |[p], [q]| [p + q]);
        b.when(leads(&b), || g.put(r, sum));
    });
    b.finish()
}

/// Threads of a row that a warp has.
const WARP: Threads = Threads { block: THREADS, row: 32 };

impl<'b, T: Recorded> Gemv<'b, T> {
    /// The result of a row that a warp has, but for α.
    fn by_warp(&self, r: Value<'b, U32>) -> Value<'b, T> {
        let (b, [rows, _, row, ..]) = (self.b, self.sizes);
        let [_, lane] = WARP.place(b);
        let start = r.least(rows - b.int(1)) * row;
        let sum = self.by_neighbours((32, lane), start, &[16, 8, 4, 2]);
        let [sum] = on_row(b, Meet::Warps, WARP, [sum], |[p], [q]| [p + q]);
        sum
    }
}

/// As [`gemv`] of `wide` rows, a warp for each.
pub fn gemv_warps<T: Recorded>(early: bool) -> Result<Kernel, Error> {
    let b = named::<T>("gemv_warps");
    b.threads([THREADS, 1, 1]);
    let g = Gemv::<T>::new(&b);
    let [rows, ..] = g.sizes;
    let [own, lane] = WARP.place(&b);
    let many = b.int::<U32>(i64::from(WARP.rows()));
    let first = b.special(Special::CtaidX) * many + own;
    if early {
        g.prefetch(first, lane);
        b.hopper(Hopper::Await, &[]);
    }
    b.count::<U32, U32>([first, rows, b.special(Special::NctaidX) * many], 1, &[], |r, _| {
        let sum = g.by_warp(r);
        b.when(lane.compare(Cmp::Eq, b.int(0)), || g.put(r, sum));
        Vec::new()
    });
    b.finish()
}

/// A product whose results are taken by pairs, and its parameters behind those of [`gemv`]. Of a rotation: cosines, sines; pairs
/// that are turned, those of a head; what sines are multiplied with. Of gates: where they go.
struct Pairs<'b, T> {
    product: Gemv<'b, T>,
    then: Then,
    arrays: Vec<Value<'b, U64>>,
    words: Vec<Value<'b, U32>>,
    sign: Option<Value<'b, T>>,
}

impl<'b, T: Recorded> Pairs<'b, T> {
    fn new(b: &'b Builder, then: Then) -> Self {
        let product = Gemv::<T>::new(b);
        let (arrays, words) = match then {
            Then::Nothing => (0, 0),
            Then::Rotation => (2, 2),
            Then::Gates => (1, 0),
        };
        Self {
            product,
            then,
            arrays: (0..arrays).map(|_| b.param::<U64>()).collect(),
            words: (0..words).map(|_| b.param::<U32>()).collect(),
            sign: (then == Then::Rotation).then(|| b.param::<T>()),
        }
    }

    fn pairs(&self) -> Value<'b, U32> {
        let (b, [rows, ..]) = (self.product.b, self.product.sizes);
        (rows + b.int(1)) / b.int(2)
    }

    /// The row of one `side` of a pair.
    fn row(&self, pair: Value<'b, U32>, side: Value<'b, U32>) -> Value<'b, U32> {
        match self.then {
            Then::Gates => pair + side * self.pairs(),
            _ => pair * self.product.b.int(2) + side,
        }
    }

    /// Writes the epilogue of a pair.
    fn put(&self, pair: Value<'b, U32>, sums: [Value<'b, T>; 2]) {
        let (g, b) = (&self.product, self.product.b);
        let [rows, .., y_step] = g.sizes;
        let [u, v] = sums.map(|sum| sum * g.alpha);
        let rows_of = [0, 1].map(|side| self.row(pair, b.int(side)));
        let both = match (&self.arrays[..], &self.words[..], self.sign) {
            (&[cos, sin], &[turned, half], Some(sign)) => {
                let angle = pair - pair / half * half;
                b.either(
                    pair.compare(Cmp::Lt, turned),
                    || rotary::pair([u, v], get(cos, angle), get::<T>(sin, angle) * sign),
                    || [u, v],
                )
            }
            (&[out], ..) => {
                put(out, pair, Swiglu.eval([u, v]));
                [u, v]
            }
            _ => [u, v],
        };
        let [first, second] = both;
        put(g.y, rows_of[0] * y_step, first);
        b.when(rows_of[1].compare(Cmp::Lt, rows), || put(g.y, rows_of[1] * y_step, second));
    }
}

/// Products of `wide` rows with the same `x`, a warp for each row, whose results are taken by pairs and whose β is 0.
/// Parameters: those of each, one after the other.
pub fn gemv_pairs<T: Recorded>(form: Form, early: bool) -> Result<Kernel, Error> {
    let b = named::<T>(&format!("gemv_pairs_{}", form.number()));
    b.threads([THREADS, 1, 1]);
    let all: Vec<_> =
        core::iter::once(form.first).chain(form.second).map(|t| Pairs::<T>::new(&b, t)).collect();
    let int = |v: u32| b.int::<U32>(i64::from(v));
    let [warp, lane] = WARP.place(&b);
    let (own, side) = (warp >> int(1), warp & int(1));
    let scratch = b.shared(WARP.rows() * T::TYPE.bytes(), T::TYPE.bytes());
    let at = |warp: Value<'_, U32>| {
        b.typed::<U32>(scratch.id()) + b.typed::<U32>(warp.id()) * int(T::TYPE.bytes())
    };
    let each = int(WARP.rows() / 2);
    let step = b.special(Special::NctaidX) * each;
    // A block's first pair; the next product's go to the blocks behind the last one that had some.
    let mut first = b.special(Special::CtaidX) * each;
    if let Some(p) = all.first().filter(|_| early) {
        p.product.prefetch(p.row(first + own, side), lane);
        b.hopper(Hopper::Await, &[]);
    }
    for p in &all {
        let pairs = p.pairs();
        b.count::<U32, U32>([first, pairs, step], 1, &[], |pair, _| {
            let pair = pair + own;
            let sum = p.product.by_warp(p.row(pair, side));
            b.when(lane.compare(Cmp::Eq, int(0)), || b.store(Space::Shared, at(warp), 0, sum));
            b.barrier();
            let leads = lane.compare(Cmp::Eq, int(0)) & side.compare(Cmp::Eq, int(0));
            b.when(leads & pair.compare(Cmp::Lt, pairs), || {
                p.put(pair, [0, 1].map(|k| b.load(Space::Shared, at(warp + int(k)), 0)));
            });
            b.barrier();
            Vec::new()
        });
        let taken = (pairs + each - int(1)) / each * each % step;
        first = Value::select(first.compare(Cmp::Ge, taken), first - taken, first + step - taken);
    }
    b.finish()
}
