//! The matrix product with an epilogue, `out = body(A·B, bias, residual)` in `f32`: a block computes a tile through
//! shared memory, a thread a register tile.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Param;
use super::super::types::{F32, Pred, U32, U64};
use super::chain::Broadcast;
use crate::alu::{Alu, Body, Number};
use alloc::vec::Vec;

/// The sizes of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmTile {
    /// Rows that a block computes.
    pub m: u32,
    /// Columns that a block computes.
    pub n: u32,
    /// Depth that is in shared memory at a time.
    pub k: u32,
    /// Rows that a thread computes: a multiple of 4.
    pub tm: u32,
    /// Columns that a thread computes: a multiple of 4.
    pub tn: u32,
    /// Pieces of the depth that are in shared memory at once: 1, or 2 so that one barrier a piece is enough.
    pub stages: u32,
}

impl GemmTile {
    /// Threads of a block.
    #[must_use]
    pub const fn threads(self) -> u32 {
        self.across() * self.down()
    }

    const fn across(self) -> u32 {
        match self.n.checked_div(self.tn) {
            Some(n) => n,
            None => 0,
        }
    }

    const fn down(self) -> u32 {
        match self.m.checked_div(self.tm) {
            Some(n) => n,
            None => 0,
        }
    }

    /// Bytes of shared memory.
    #[must_use]
    pub const fn shared(self) -> u32 {
        4 * self.stages * self.k * (self.m + self.n)
    }

    /// Refuses a tile that cannot run: parts that do not cover it, too many threads, too much shared memory (of which
    /// `available` bytes are there) or too many registers.
    pub fn check(self, available: u32) -> Result<(), Error> {
        let Self { m, n, k, tm, tn, stages } = self;
        let rule = |holds: bool, rule| if holds { Ok(()) } else { Err(Error::Tile { rule }) };
        rule([m, n, k, tm, tn].iter().all(|x| (1..=1024).contains(x)), "every size is 1 to 1024")?;
        rule(matches!(stages, 1 | 2), "there are one or two stages")?;
        rule(tm % 4 == 0 && tn % 4 == 0, "a thread's rows and columns are multiples of 4")?;
        rule(m % tm == 0 && n % tn == 0, "the threads' parts cover the block's")?;
        let threads = self.threads();
        rule(threads.is_multiple_of(32) && threads <= 1024, "threads are whole warps, at most 1024")?;
        rule((m * k) % threads == 0 && (n * k) % threads == 0, "every thread loads as many elements")?;
        rule(tm * tn + tm + tn + 32 <= 255, "a thread's part fits 255 registers")?;
        if self.shared() > available {
            return Err(Error::SharedMemory { needed: self.shared(), available });
        }
        Ok(())
    }
}

/// The product as it is.
#[derive(Debug, Clone, Copy)]
pub struct Identity;
impl<T: Number> Body<T, 1> for Identity {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x
    }
}

/// `out[i][j] = body(Σ a[i][p] b[p][j], bias[j], residual[i][j])` for row-major matrices, with as many of the body's
/// inputs as it has, 1 to 3, and parameters that `body` is made from. The sum runs in the order of `p`, fused.
///
/// Parameters: `a`, `b`, `out`, then `bias` and `residual` if the body takes them, then `m`, `n`, `k` (`U32`), then the
/// body's own. Launch
/// `ceil(n / tile.n)` × `ceil(m / tile.m)` blocks of `tile.threads()`.
pub fn gemm<B: Body<Param<F32>, N>, const P: usize, const N: usize>(
    name: &str,
    tile: GemmTile,
    available: u32,
    body: impl Fn([Param<F32>; P]) -> B,
) -> Result<Kernel, Error> {
    if !(1..=3).contains(&N) {
        return Err(Error::Arguments);
    }
    product(name, tile, available, N - 1, P, |end: &End<'_, '_>| {
        let mut numbers = end.numbers.iter();
        let body = body(core::array::from_fn(|_| numbers.next().copied().unwrap_or(end.sum.number())));
        body.eval(core::array::from_fn(|k| match k {
            0 => end.sum,
            1 => end.operand(0, Broadcast::Row),
            _ => end.operand(1, Broadcast::Full),
        }))
    })
}

/// A sum that is complete, and where it goes.
pub(super) struct End<'a, 'b> {
    b: &'b Builder,
    /// The sum.
    pub(super) sum: Value<'b, F32>,
    row: Value<'b, U32>,
    col: Value<'b, U32>,
    n: Value<'b, U32>,
    more: &'a [Value<'b, U64>],
    /// The parameters of what is done with the sum.
    pub(super) numbers: &'a [Param<F32>],
}

impl<'b> End<'_, 'b> {
    /// The element of a further operand that goes with the sum.
    pub(super) fn operand(&self, k: usize, broadcast: Broadcast) -> Value<'b, F32> {
        let Self { b, row, col, n, .. } = *self;
        let Some(from) = self.more.get(k).copied() else { return b.f32(f32::NAN) };
        let four = b.int::<U32>(4);
        let at = match broadcast {
            Broadcast::One => from,
            Broadcast::Row => from + col.wide(four),
            Broadcast::Col => from + row.wide(four),
            Broadcast::Full => from + ((row.wide(n) + col.to::<U64>()) << b.int::<U32>(2)),
        };
        b.load(Space::Global, at, 0)
    }
}

/// `out[i][j] = finish(Σ a[i][p] b[p][j], …)`, with `more` further operands and as many parameters as `numbers` says.
pub(super) fn product(
    name: &str,
    tile: GemmTile,
    available: u32,
    more: usize,
    numbers: usize,
    finish: impl for<'a, 'b> Fn(&End<'a, 'b>) -> Value<'b, F32>,
) -> Result<Kernel, Error> {
    tile.check(available)?;
    let b = Builder::new(name);
    b.threads([tile.threads(), 1, 1]);
    let [a, bm, out] = b.params::<U64, _>();
    let more: Vec<_> = (0..more).map(|_| b.param::<U64>()).collect();
    let [m, n, k] = b.params::<U32, _>();
    let numbers: Vec<_> = (0..numbers).map(|_| b.param::<F32>().number()).collect();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let tid = b.special(Special::TidX);
    let (row0, col0) = (b.special(Special::CtaidY) * int(tile.m), b.special(Special::CtaidX) * int(tile.n));
    let sizes = [4 * tile.k * tile.m, 4 * tile.k * tile.n];
    let [all_a, all_b] = sizes.map(|bytes| b.shared(tile.stages * bytes, 16));
    let (tx, ty) = (tid % int(tile.across()), tid / int(tile.across()));

    // A thread's rows are groups of four, `down` groups apart: neighbours read neighbouring groups.
    let place = |t: Value<'_, U32>, apart: u32, j: u32| (t * int(4) + int(j / 4 * 4 * apart)).id();
    let groups = |t, apart, count: u32| -> Vec<Value<'_, U32>> {
        (0..count / 4).map(|g| b.typed(place(t, apart, 4 * g))).collect()
    };
    let (rows, cols) = (groups(ty, tile.down(), tile.tm), groups(tx, tile.across(), tile.tn));

    let element = |base: Value<'_, U64>, row: Value<'_, U32>, width: Value<'_, U32>, col: Value<'_, U32>| {
        let at = row.wide(width) + col.to::<U64>();
        b.typed::<U64>((b.typed::<U64>(base.id()) + b.typed::<U64>((at << int(2)).id())).id())
    };
    let guarded = |inside: Value<'_, Pred>, at: Value<'_, U64>| {
        let (inside, at) = (b.typed::<Pred>(inside.id()), b.typed::<U64>(at.id()));
        let [v] = b.either(inside, || [b.load::<F32>(Space::Global, at, 0)], || [b.f32(0.0)]);
        v
    };

    let zero = b.f32(0.0);
    let init: Vec<_> = (0..tile.tm * tile.tn).map(|_| zero).collect();
    let acc = b.count::<U32, F32>([int(0), k, int(tile.k)], 1, &init, |p0, acc| {
        // With two stages the next piece is written while the last is read.
        let stage = (p0 / int(tile.k)) % int(tile.stages);
        let [size_a, size_b] = sizes.map(|bytes| stage * int(bytes));
        let (shared_a, shared_b) = match tile.stages {
            1 => (all_a, all_b),
            _ => (all_a + size_a, all_b + size_b),
        };
        // A goes in transposed, so that a thread reads its rows contiguously.
        for e in 0..tile.m * tile.k / tile.threads() {
            let at = tid + int(e * tile.threads());
            let (i, p) = (at / int(tile.k), at % int(tile.k));
            let (row, col) = (row0 + i, p0 + p);
            let inside = row.compare(Cmp::Lt, m) & col.compare(Cmp::Lt, k);
            let v = guarded(inside, element(a, row, k, col));
            b.store(Space::Shared, shared_a + (p * int(tile.m) + i) * int(4), 0, v);
        }
        for e in 0..tile.n * tile.k / tile.threads() {
            let at = tid + int(e * tile.threads());
            let (p, j) = (at / int(tile.n), at % int(tile.n));
            let (row, col) = (p0 + p, col0 + j);
            let inside = row.compare(Cmp::Lt, k) & col.compare(Cmp::Lt, n);
            let v = guarded(inside, element(bm, row, n, col));
            b.store(Space::Shared, shared_b + at * int(4), 0, v);
        }
        b.barrier();
        let mut sum = acc.to_vec();
        for p in 0..tile.k {
            let read = |base: Value<'_, U32>, starts: &[Value<'_, U32>], width: u32| -> Vec<Value<'_, F32>> {
                let four = |s: &Value<'_, U32>| {
                    let at = b.typed::<U32>(base.id()) + b.typed::<U32>(s.id()) * int(4);
                    b.load_vector::<F32, 4>(Space::Shared, at, (4 * p * width) as i32)
                };
                starts.iter().flat_map(four).collect()
            };
            let (x, y) = (read(shared_a, &rows, tile.m), read(shared_b, &cols, tile.n));
            let pairs = x.iter().flat_map(|x| y.iter().map(|y| (*x, *y)));
            sum.iter_mut().zip(pairs).for_each(|(s, (x, y))| *s = x.fma(y, *s));
        }
        if tile.stages == 1 {
            // The next piece goes where this one was.
            b.barrier();
        }
        sum
    });

    let all = |starts: &[Value<'_, U32>], first: Value<'_, U32>| -> Vec<Value<'_, U32>> {
        let each = |s: &Value<'_, U32>| {
            let s = b.typed::<U32>(s.id()) + b.typed::<U32>(first.id());
            (0..4).map(move |c| s + s.builder().int::<U32>(c))
        };
        starts.iter().flat_map(each).map(|v| b.typed(v.id())).collect()
    };
    let (rows, cols) = (all(&rows, row0), all(&cols, col0));
    let places = rows.iter().flat_map(|r| cols.iter().map(|c| (*r, *c)));
    for (v, (row, col)) in acc.iter().zip(places) {
        b.when(row.compare(Cmp::Lt, m) & col.compare(Cmp::Lt, n), || {
            let at = element(out, row, n, col);
            let [row, col, n] = [row, col, n].map(|v| b.typed::<U32>(v.id()));
            let end = End { b: &b, sum: b.typed(v.id()), row, col, n, more: &more, numbers: &numbers };
            b.store(Space::Global, at, 0, finish(&end));
        });
    }
    b.finish()
}
