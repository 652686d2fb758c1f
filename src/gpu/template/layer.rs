//! Row kernels that read several tensors, with a block for each row: backward passes of softmax, masked softmax,
//! cross-entropy and its gradient, and scatter-add.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, Scalar, Type, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, Part, PartOf, Pieces, Threads, block_reduce, each_by, on_row};
use super::flat::{at, get, keep, named, put};
use super::row::OnRow;
use super::row_registers::Held;
use super::status::{Index, note};
use crate::alu::{Alu, Body, Number};
use crate::lanes::multipass::{Folds, Streams};
use crate::nn::{ExpShiftedScaled, LogWithin, PeakAndSum, Within, shift, softmax_row};
use crate::pointwise::Ln;
use crate::reduce::{Dot, Sum};
use alloc::vec::Vec;

/// The body for each of `rows`, a block each, whatever the grid.
pub(super) fn each_row<'b>(b: &'b Builder, rows: Value<'b, U32>, body: impl FnOnce(Value<'b, U32>)) {
    b.count::<U32, U32>([b.special(Special::CtaidX), rows, b.special(Special::NctaidX)], 1, &[], |r, _| {
        body(r);
        // The next row uses the same shared memory.
        b.barrier();
        Vec::new()
    });
}

/// Whether this is the first thread of its block.
pub(super) fn leads(b: &Builder) -> Value<'_, Pred> {
    b.special(Special::TidX).compare(Cmp::Eq, b.int(0))
}

/// The body for every [`THREADS`]-th of `start..end`, from the thread's own on.
pub(super) fn strided<'b>(
    b: &'b Builder,
    [start, end]: [Value<'b, U32>; 2],
    body: impl FnOnce(Value<'b, U32>),
) {
    let bounds = [start + b.special(Special::TidX), end, b.int(i64::from(THREADS))];
    b.count::<U32, U32>(bounds, 1, &[], |i, _| {
        body(i);
        Vec::new()
    });
}

/// The gradient of softmax or, `log`, of its logarithm; each thread has pieces of a row in registers, as in
/// [`super::row_by`]. Parameters: `y`, `dy`, `dx`; rows, columns.
pub fn softmax_backward<T: Recorded>(
    meet: Meet,
    (threads, held): (Threads, Pieces),
    log: bool,
) -> Result<Kernel, Error> {
    let b = named::<T>(if log { "log_softmax_backward" } else { "softmax_backward" });
    b.threads([threads.block, 1, 1]);
    let [y, dy, dx] = b.params::<U64, 3>();
    let [rows, cols] = b.params::<U32, 2>();
    each_by::<T>(&b, threads, [rows, cols], &[], |r, end, _| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (y, dy, dx) = (y + start, dy + start, dx + start);
        let part = Part { b: &b, meet, threads, x: [y, dy], begin: b.int(0), end };
        let slope = |sum: Value<'_, T>, [y, dy]: [Value<'_, T>; 2]| {
            let (sum, x) = (sum.number(), [b.typed(dy.id()), b.typed(y.id())]);
            if log { LogWithin(sum).eval(x) } else { Within(sum).eval(x) }
        };
        if held.any() {
            let all = Held::<T, 2>::new(part, cols, held);
            let [sum] = if log { all.of([1]).fold(Sum) } else { all.fold(Dot) };
            all.each(|start, x| {
                let slopes: Vec<_> = x.iter().map(|x| slope(sum, *x)).collect();
                keep(&b, Space::Global, at::<T>(dx, start), &slopes);
            });
            return Vec::new();
        }
        let [sum] = if log {
            PartOf::<T, 1>::new(Part { b: &b, meet, threads, x: [dy], begin: b.int(0), end }).fold(Sum)
        } else {
            PartOf::<T, 2>::new(part).fold(Dot)
        };
        b.count::<U32, U32>(part.bounds(), 1, &[], |i, _| {
            put(dx, i, slope(sum, [get::<T>(y, i), get(dy, i)]));
            Vec::new()
        });
        Vec::new()
    });
    b.finish()
}

/// The softmax of `x + mask`. Parameters: `x`, the mask, `out`; rows, columns, elements from a row of the mask to the next.
pub fn masked_softmax<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("masked_softmax");
    b.threads([THREADS, 1, 1]);
    let [x, mask, out] = b.params::<U64, 3>();
    let [rows, cols, step] = b.params::<U32, 3>();
    each_row(&b, rows, |r| {
        let width = b.int(i64::from(T::TYPE.bytes()));
        let start = r.wide(cols) * width;
        let (x, mask, out) = (x + start, mask + r.wide(step) * width, out + start);
        // Threads take the same elements in the folds.
        strided(&b, [b.int(0), cols], |i| put(out, i, get::<T>(x, i) + get(mask, i)));
        let part = Part { b: &b, meet, threads: Threads::BLOCK, x: [out], begin: b.int(0), end: cols };
        softmax_row(&mut OnRow { streams: PartOf::<T, 1>::new(part), out, columns: [out; 2] });
    });
    b.finish()
}

/// Rows and columns of a tile of [`transpose`].
pub const TRANSPOSE_TILE: u32 = 32;

/// `b[j][i] = a[i][j]`, a tile in shared memory for each block: columns of A along x, rows along y. Parameters: A, B; rows
/// and columns of A; the strides of the rows and columns of A, and of B.
pub fn transpose<T: Recorded>() -> Result<Kernel, Error> {
    const ACROSS: u32 = TRANSPOSE_TILE;
    let b = named::<T>("transpose");
    b.threads([THREADS, 1, 1]);
    let [from, to] = b.params::<U64, 2>();
    let [m, n, from_row, from_col, to_row, to_col] = b.params::<U32, 6>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let width = T::TYPE.bytes();
    // A row longer, so that columns lie in different banks.
    let tile = b.shared(width * ACROSS * (ACROSS + 1), width);
    let tid = b.special(Special::TidX);
    let (x, y) = (tid & int(ACROSS - 1), tid >> int(ACROSS.ilog2()));
    let (row0, col0) = (b.special(Special::CtaidY) * int(ACROSS), b.special(Special::CtaidX) * int(ACROSS));
    for k in (0..ACROSS).step_by((THREADS / ACROSS) as usize) {
        let (i, j) = (row0 + y + int(k), col0 + x);
        b.when(i.compare(Cmp::Lt, m) & j.compare(Cmp::Lt, n), || {
            let v = get::<T>(from, i * from_row + j * from_col);
            b.store(Space::Shared, tile + ((y + int(k)) * int(ACROSS + 1) + x) * int(width), 0, v);
        });
    }
    b.barrier();
    for k in (0..ACROSS).step_by((THREADS / ACROSS) as usize) {
        let (i, j) = (row0 + x, col0 + y + int(k));
        b.when(i.compare(Cmp::Lt, m) & j.compare(Cmp::Lt, n), || {
            let v = b.load::<T>(Space::Shared, tile + (x * int(ACROSS + 1) + y + int(k)) * int(width), 0);
            put(to, j * to_row + i * to_col, v);
        });
    }
    b.finish()
}

/// The losses of rows of logits; each thread has pieces of a row in registers, as in [`super::row_by`], or with `wide` reads them
/// once. Parameters: the logits, targets, losses, `lse`, the status words; rows, columns. The loss of a target that is no column is NaN.
pub fn cross_entropy<T: Recorded>(
    meet: Meet,
    (threads, held): (Threads, Pieces),
    wide: bool,
) -> Result<Kernel, Error> {
    let b = named::<T>("cross_entropy");
    b.threads([threads.block, 1, 1]);
    let [z, targets, losses, lse, status] = b.params::<U64, 5>();
    let [rows, cols] = b.params::<U32, 2>();
    let [_, place] = threads.place(&b);
    each_by::<T>(&b, threads, [rows, cols], &[], |r, end, _| {
        let z = z + r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let part = Part { b: &b, meet, threads, x: [z], begin: b.int(0), end };
        let [peak, sum] = if held.any() {
            Held::<T, 1>::new(part, cols, held).summary(PeakAndSum)
        } else {
            PartOf::<T, 1>::by(part, wide).summary(PeakAndSum)
        };
        // A row that is not there has no columns.
        b.when(place.compare(Cmp::Eq, b.int(0)) & end.compare(Cmp::Eq, cols), || {
            let target = get::<U32>(targets, r);
            let (inside, zero) = (target.compare(Cmp::Lt, cols), peak.c(0.0));
            let infinity = peak.lit(T::Elem::INFINITY);
            let (log, shift) = (Ln.eval([sum]), shift(peak));
            let none = sum.eq(zero);
            let [loss, all] = b.either(
                inside,
                || {
                    let loss = log - (get::<T>(z, target) - shift);
                    [Value::select(none, infinity, loss), Value::select(none, -infinity, shift + log)]
                },
                || {
                    let ignored = target.compare(Cmp::Eq, b.int(i64::from(u32::MAX)));
                    b.when(!ignored, || note(status, Index::CrossEntropy, target));
                    [Value::select(ignored, zero, zero / zero); 2]
                },
            );
            put(losses, r, loss);
            put(lse, r, all);
        });
        Vec::new()
    });
    b.finish()
}

/// `(e^(z − lse[r]) − [k = targets[r]])·scale`; each thread takes pieces of a row at once, as in [`super::row_by`], or with
/// `wide` a few after the others. Parameters: the logits, targets, `lse`, where the gradient goes (perhaps over the logits), the
/// status words; rows, columns; `scale`.
pub fn cross_entropy_backward<T: Recorded>(
    meet: Meet,
    (threads, held): (Threads, Pieces),
    wide: bool,
) -> Result<Kernel, Error> {
    let b = named::<T>("cross_entropy_backward");
    b.threads([threads.block, 1, 1]);
    let [z, targets, lse, out, status] = b.params::<U64, 5>();
    let [rows, cols] = b.params::<U32, 2>();
    let scale = b.param::<T>();
    let [_, place] = threads.place(&b);
    each_by::<T>(&b, threads, [rows, cols], &[], |r, end, _| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (z, out) = (z + start, out + start);
        let (target, lse) = (get::<U32>(targets, r), get::<T>(lse, r));
        let ignored = target.compare(Cmp::Eq, b.int(i64::from(u32::MAX)));
        let part = Part { b: &b, meet, threads, x: [z], begin: b.int(0), end };
        let row = held.any().then(|| Held::<T, 1>::new(part, cols, held));
        entropy_slopes(&part, row.as_ref(), wide, target, [lse, scale], out);
        let leads = place.compare(Cmp::Eq, b.int(0)) & end.compare(Cmp::Eq, cols);
        b.when(leads & target.compare(Cmp::Ge, cols) & !ignored, || note(status, Index::Gradient, target));
        Vec::new()
    });
    b.finish()
}

/// `(e^(z − lse) − [k = target])·scale` of a row, zeros where the target is none: of what threads have in registers, or read.
fn entropy_slopes<'b, T: Recorded>(
    part: &Part<'b, 1>,
    held: Option<&Held<'b, T, 1>>,
    wide: bool,
    target: Value<'b, U32>,
    [lse, scale]: [Value<'b, T>; 2],
    out: Value<'b, U64>,
) {
    let (b, [z]) = (part.b, part.x);
    let ignored = target.compare(Cmp::Eq, b.int(i64::from(u32::MAX)));
    let body = ExpShiftedScaled(shift(lse).number(), scale.number());
    let slope = |i: Value<'b, U32>, z: Value<'b, T>| {
        let v = body.eval([z]);
        let v = Value::select(target.compare(Cmp::Eq, i), v - scale, v);
        Value::select(ignored, b.bits(0), v)
    };
    let write = |start: Value<'b, U32>, z: &[[Value<'b, T>; 1]]| {
        let slopes = (0..).zip(z).map(|(j, [z])| slope(start + b.int(j), *z));
        keep(b, Space::Global, at::<T>(out, start), &slopes.collect::<Vec<_>>());
    };
    match held {
        Some(held) => held.each(write),
        None if wide => part.each_piece::<T>(write),
        None => {
            b.count::<U32, U32>(part.bounds(), 1, &[], |i, _| {
                put(out, i, slope(i, get::<T>(z, i)));
                Vec::new()
            });
        }
    }
}

/// [`cross_entropy`], and over its logits [`cross_entropy_backward`]; threads have a row as there. Parameters: the logits, targets,
/// losses, the status words; rows, columns; `scale`.
pub fn cross_entropy_with_gradient<T: Recorded>(
    meet: Meet,
    (threads, held): (Threads, Pieces),
    wide: bool,
) -> Result<Kernel, Error> {
    let b = named::<T>("cross_entropy_with_gradient");
    b.threads([threads.block, 1, 1]);
    let [z, targets, losses, status] = b.params::<U64, 4>();
    let [rows, cols] = b.params::<U32, 2>();
    let scale = b.param::<T>();
    let [_, place] = threads.place(&b);
    each_by::<T>(&b, threads, [rows, cols], &[], |r, end, _| {
        let z = z + r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let part = Part { b: &b, meet, threads, x: [z], begin: b.int(0), end };
        let row = held.any().then(|| Held::<T, 1>::new(part, cols, held));
        let [peak, sum] = match &row {
            Some(row) => row.summary(PeakAndSum),
            None => PartOf::<T, 1>::by(part, wide).summary(PeakAndSum),
        };
        let target = get::<U32>(targets, r);
        let (inside, infinity) = (target.compare(Cmp::Lt, cols), peak.lit(T::Elem::INFINITY));
        let (log, shift, none) = (Ln.eval([sum]), shift(peak), sum.eq(peak.c(0.0)));
        let lse = Value::select(none, -infinity, shift + log);
        // A row that is not there has no columns.
        let leads = place.compare(Cmp::Eq, b.int(0)) & end.compare(Cmp::Eq, cols);
        b.when(leads, || {
            let ignored = target.compare(Cmp::Eq, b.int(i64::from(u32::MAX)));
            let [loss] = b.either(
                inside,
                || [Value::select(none, infinity, log - (get::<T>(z, target) - shift))],
                || {
                    b.when(!ignored, || note(status, Index::EntropyWithGradient, target));
                    [Value::select(ignored, peak.c(0.0), peak.c(f64::NAN))]
                },
            );
            put(losses, r, loss);
        });
        // The target's logit is read before the gradient comes over it.
        b.barrier();
        entropy_slopes(&part, row.as_ref(), wide, target, [lse, scale], z);
        Vec::new()
    });
    b.finish()
}

/// Indices that a thread of [`scatter_links`] looks at together.
const LINKED: u32 = 8;

/// Whether an index of `range` is `id`, in every thread of the block.
fn among<'b>(
    b: &'b Builder,
    meet: Meet,
    ids: Value<'b, U64>,
    [start, end]: [Value<'b, U32>; 2],
    id: Value<'b, U32>,
) -> Value<'b, Pred> {
    let bounds = [start + b.special(Special::TidX), end, b.int(i64::from(THREADS))];
    let found = b.count::<U32, U32>(bounds, 1, &[b.int(0)], |j, found| {
        let here = Value::select(get::<U32>(ids, j).compare(Cmp::Eq, id), b.int(1), b.int(0));
        found.iter().map(|f| *f | here).collect()
    });
    let found = found.first().copied().unwrap_or(b.int(0));
    let [found] = block_reduce(b, meet, [found], |[p], [q]| [p | q]);
    found.compare(Cmp::Ne, b.int(0))
}

/// `out[ids[r]] = x[r]`, of an index that comes again the last row. Parameters: `x`, the indices, `out`, the status words; the
/// number of indices, columns, rows of `out`. A row whose index is past `out` is left out.
pub fn scatter<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("scatter");
    b.threads([THREADS, 1, 1]);
    let [x, ids, out, status] = b.params::<U64, 4>();
    let [n, cols, rows] = b.params::<U32, 3>();
    each_row(&b, n, |r| {
        let id = get::<U32>(ids, r);
        let among = among(&b, meet, ids, [r + b.int(1), n], id);
        let inside = id.compare(Cmp::Lt, rows);
        b.when(!inside, || note(status, Index::Scatter, id));
        b.when(inside & !among, || {
            strided(&b, [b.int(0), cols], |c| put(out, id * cols + c, get::<T>(x, r * cols + c)));
        });
    });
    b.finish()
}

/// `links[2·r]`, the next row with the index of row `r`, or `n` if there is none, and `links[2·r + 1]`, whether there is one
/// before. Parameters: the indices, the links; `n`. The threads of a row look side by side, and each stops at what it looks for.
pub fn scatter_links(meet: Meet, threads: Threads) -> Result<Kernel, Error> {
    let b = Builder::new("scatter_links");
    b.threads([threads.block, 1, 1]);
    let [ids, links] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let [_, place] = threads.place(&b);
    each_by::<U32>(&b, threads, [n, n], &[], |r, there, _| {
        let id = get::<U32>(ids, r);
        // The first that is the same, of those of this thread.
        let search = |first, end: Value<'_, U32>| {
            let [found] = b.repeat([first], |[first]| {
                // Reads under way together.
                let found = (0..LINKED).rev().fold(n, |found, k| {
                    let j = first + int(k * threads.row);
                    let same = get::<U32>(ids, j.least(n - int(1))).compare(Cmp::Eq, id);
                    let end = b.typed::<U32>(end.id());
                    Value::select(same & j.compare(Cmp::Lt, end), j, found)
                });
                let next = first + int(LINKED * threads.row);
                let more = found.compare(Cmp::Eq, n) & next.compare(Cmp::Lt, b.typed::<U32>(end.id()));
                (more, [Value::select(more, next, found)])
            });
            found
        };
        let found = [search(r + int(1) + place, n), search(place, r)];
        let [next, before] = on_row(&b, meet, threads, found, |[p, q], [s, t]| [p.least(s), q.least(t)]);
        b.when(place.compare(Cmp::Eq, int(0)) & there.compare(Cmp::Eq, n), || {
            put(links, r * int(2), next);
            put(links, r * int(2) + int(1), Value::select(before.compare(Cmp::Lt, r), int(1), int(0)));
        });
        Vec::new()
    });
    b.finish()
}

/// `out[ids[r]] += x[r]`: the blocks of the first row of an index add all of it, in their order. Parameters: `x`, the indices,
/// `out`, the status words, the links of [`scatter_links`]; the number of indices, columns, rows of `out`, threads along y. A row
/// whose index is past `out` is left out. Blocks along x are rows, those along y share their columns.
pub fn scatter_add<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scatter_add");
    b.threads([THREADS, 1, 1]);
    let [x, ids, out, status, links] = b.params::<U64, 5>();
    let [n, cols, rows, step] = b.params::<U32, 4>();
    let first = b.special(Special::CtaidY) * b.int(i64::from(THREADS)) + b.special(Special::TidX);
    each_row(&b, n, |r| {
        let id = get::<U32>(ids, r);
        let before = get::<U32>(links, r * b.int(2) + b.int(1)).compare(Cmp::Ne, b.int(0));
        let inside = id.compare(Cmp::Lt, rows);
        b.when(!inside, || note(status, Index::ScatterAdd, id));
        b.when(inside & !before, || {
            b.count::<U32, U32>([first, cols, step], 1, &[], |c, _| {
                let to = id * cols + c;
                let sum = get::<T>(out, to);
                let sum = match T::TYPE.bytes() {
                    4 => linked::<T, U32>([r, n], links, sum, |r| get(x, r * cols + c)),
                    _ => linked::<T, U64>([r, n], links, sum, |r| get(x, r * cols + c)),
                };
                put(out, to, sum);
                Vec::new()
            });
        });
    });
    b.finish()
}

/// The sum and what is read of a row and of those behind it; both go round as words as wide as the sum.
fn linked<'b, T: Recorded, W: Scalar>(
    [r, n]: [Value<'b, U32>; 2],
    links: Value<'b, U64>,
    sum: Value<'b, T>,
    read: impl Fn(Value<'b, U32>) -> Value<'b, T>,
) -> Value<'b, T> {
    let b = r.builder();
    let word = |j: Value<'b, U32>| if W::TYPE == Type::U32 { j.cast::<W>() } else { j.to() };
    let [_, sum] = b.repeat::<W, 2>([word(r), sum.cast()], |[j, sum]| {
        let j = if W::TYPE == Type::U32 { j.cast::<U32>() } else { j.to() };
        let next = get::<U32>(links, j * b.int(2));
        (next.compare(Cmp::Lt, n), [word(next), (sum.cast::<T>() + read(j)).cast()])
    });
    sum.cast()
}
