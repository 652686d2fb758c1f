//! Kernels of a block for each row that read several tensors: gradients of norms, losses, sums by column, products with a
//! vector.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::THREADS;
use super::flat::{at, each, get, named, put};
use super::part::{Meet, Part, PartOf, together};
use super::status::{Index, note};
use crate::alu::{Alu, Body, Number};
use crate::lanes::streams::{Folds, Streams};
use crate::nn::{AddScaled, Gradient, PeakAndSum, SquaresAndAlong, Standard, inverse_root, shift};
use crate::pointwise::Ln;
use crate::reduce::{rescue, scales};
use alloc::vec::Vec;

/// The body for each of `rows`, a block each, whatever the grid.
fn each_row<'b>(b: &'b Builder, rows: Value<'b, U32>, body: impl FnOnce(Value<'b, U32>)) {
    b.count::<U32, U32>([b.special(Special::CtaidX), rows, b.special(Special::NctaidX)], 1, &[], |r, _| {
        body(r);
        // The next row uses the same shared memory.
        b.barrier();
        Vec::new()
    });
}

/// Whether this is the first thread of its block.
fn leads(b: &Builder) -> Value<'_, super::super::types::Pred> {
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

/// `dx` of `rms_norm_backward`. Parameters: `x`, `gamma`, `dy`, `dx`, where each row leaves what brings it to unit spread
/// (two elements); rows, columns; `eps`.
pub fn rms_norm_backward<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("rms_norm_backward");
    b.threads([THREADS, 1, 1]);
    let [x, gamma, dy, dx, units] = [(); 5].map(|()| b.param::<U64>());
    let [rows, cols] = [(); 2].map(|()| b.param::<U32>());
    let eps = b.param::<T>();
    each_row(&b, rows, |r| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (x, dy, dx) = (x + start, dy + start, dx + start);
        let part = Part { b: &b, meet, x: [x, gamma, dy], begin: b.int(0), end: cols };
        let all = PartOf::<T, 3>::new(part);
        let one = eps.c(1.0);
        let plain = all.fold(SquaresAndAlong(one.number()));
        let [squares, _] = plain;
        let p = rescue(squares + eps);
        let [squares, along] = all.fold_where(scales(p), SquaresAndAlong(p.number()), plain);
        let n: Value<'_, T> = all.len();
        let scale = inverse_root(squares / n, eps, p);
        let along = along / n * scale * scale;
        let body = Gradient {
            scale: (scale * p).number(),
            p: p.number(),
            minus: eps.c(-0.0).number(),
            shift: eps.c(0.0).number(),
            along: along.number(),
        };
        strided(&b, [b.int(0), cols], |i| {
            put(dx, i, body.eval([get::<T>(x, i), get(gamma, i), get(dy, i)]));
        });
        b.when(leads(&b), || {
            let to = at::<T>(units, r * b.int(2));
            b.store(Space::Global, to, 0, p);
            b.store(Space::Global, to, T::TYPE.bytes() as i32, scale);
        });
    });
    b.finish()
}

/// Rows that a block of [`scaled_columns`] adds.
pub const COLUMN_ROWS: u32 = 32;

/// `Σ dy·x̂` by column, of [`COLUMN_ROWS`] rows for each block along y, [`THREADS`] columns for each along x. Parameters:
/// `x`, `dy`, what [`rms_norm_backward`] left of the rows, where the sums go; rows, columns.
pub fn scaled_columns<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scaled_columns");
    b.threads([THREADS, 1, 1]);
    let [x, dy, units, out] = [(); 4].map(|()| b.param::<U64>());
    let [rows, cols] = [(); 2].map(|()| b.param::<U32>());
    let c = b.special(Special::CtaidX) * b.int(i64::from(THREADS)) + b.special(Special::TidX);
    let part = b.special(Special::CtaidY);
    let first = part * b.int(i64::from(COLUMN_ROWS));
    b.when(c.compare(Cmp::Lt, cols), || {
        let end = (first + b.int(i64::from(COLUMN_ROWS))).least(rows);
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>([first, end, b.int(1)], 1, &[zero], |r, sum| {
            let unit = r * b.int(2);
            let none = zero.c(-0.0).number();
            let (p, scale) = (get::<T>(units, unit), get::<T>(units, unit + b.int(1)));
            let unit = Standard { p: p.number(), minus: none, scale: scale.number(), rest: none };
            let i = r * cols + c;
            sum.iter().map(|s| AddScaled(unit).eval([*s, get(dy, i), get(x, i)])).collect()
        });
        sum.iter().for_each(|s| put(out, part * cols + c, *s));
    });
    b.finish()
}

/// `out[c] += Σ parts[k][c]`, in order. Parameters: the parts, `out`; their number, columns.
pub fn add_columns<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("add_columns");
    let [parts, out] = [(); 2].map(|()| b.param::<U64>());
    let [count, cols] = [(); 2].map(|()| b.param::<U32>());
    each(&b, cols, |c| {
        let sum = b.count::<U32, T>([b.int(0), count, b.int(1)], 1, &[get(out, c)], |k, sum| {
            sum.iter().map(|s| *s + get(parts, k * cols + c)).collect()
        });
        sum.iter().for_each(|s| put(out, c, *s));
    });
    b.finish()
}

/// The losses of rows of logits. Parameters: the logits, targets, losses, `lse`, the status words; rows, columns. The loss
/// of a target that is no column is NaN.
pub fn cross_entropy<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("cross_entropy");
    b.threads([THREADS, 1, 1]);
    let [z, targets, losses, lse, status] = [(); 5].map(|()| b.param::<U64>());
    let [rows, cols] = [(); 2].map(|()| b.param::<U32>());
    each_row(&b, rows, |r| {
        let z = z + r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let part = Part { b: &b, meet, x: [z], begin: b.int(0), end: cols };
        let [peak, sum] = PartOf::<T, 1>::new(part).summary(PeakAndSum);
        b.when(leads(&b), || {
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
    });
    b.finish()
}

/// `out[ids[r]] += x[r]`, the rows of an index in their order: the block of the first of them adds them all. Parameters:
/// `x`, the indices, `out`, the status words; the number of indices, columns, rows of `out`. A row whose index is past
/// `out` is left out.
pub fn scatter_add<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("scatter_add");
    b.threads([THREADS, 1, 1]);
    let [x, ids, out, status] = [(); 4].map(|()| b.param::<U64>());
    let [n, cols, rows] = [(); 3].map(|()| b.param::<U32>());
    each_row(&b, n, |r| {
        let id = get::<U32>(ids, r);
        let bounds = [b.special(Special::TidX), r, b.int(i64::from(THREADS))];
        let earlier = b.count::<U32, U32>(bounds, 1, &[b.int(0)], |j, found| {
            let here = Value::select(get::<U32>(ids, j).compare(Cmp::Eq, id), b.int(1), b.int(0));
            found.iter().map(|f| *f | here).collect()
        });
        let earlier = earlier.first().copied().unwrap_or(b.int(0));
        let [earlier] = together(&b, meet, [earlier], |[p], [q]| [p | q]);
        let inside = id.compare(Cmp::Lt, rows);
        b.when(!inside, || note(status, Index::ScatterAdd, id));
        b.when(inside & earlier.compare(Cmp::Eq, b.int(0)), || {
            strided(&b, [b.int(0), cols], |c| {
                let to = id * cols + c;
                let sum = b.count::<U32, T>([r, n, b.int(1)], 1, &[get(out, to)], |j, sum| {
                    let same = get::<U32>(ids, j).compare(Cmp::Eq, id);
                    let old = sum.first().copied().unwrap_or(b.bits(0));
                    b.either(same, || [old + get(x, j * cols + c)], || [old]).to_vec()
                });
                sum.iter().for_each(|s| put(out, to, *s));
            });
        });
    });
    b.finish()
}

/// `y ← α·A·x + β·y`, a block for each row of A. Parameters: A, `x`, `y`; rows, columns; the strides of A's rows and
/// columns, of `x` and of `y`; α, β. `y` is not read where β is 0.
pub fn gemv<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("gemv");
    b.threads([THREADS, 1, 1]);
    let [a, x, y] = [(); 3].map(|()| b.param::<U64>());
    let [rows, cols, row, col, x_step, y_step] = [(); 6].map(|()| b.param::<U32>());
    let (alpha, beta) = (b.param::<T>(), b.param::<T>());
    each_row(&b, rows, |r| {
        let bounds = [b.special(Special::TidX), cols, b.int(i64::from(THREADS))];
        let zero = b.bits::<T>(0);
        let start = r * row;
        let sum = b.count::<U32, T>(bounds, 4, &[zero], |i, sum| {
            let (a, x) = (get::<T>(a, start + i * col), get::<T>(x, i * x_step));
            sum.iter().map(|s| a.fma(x, *s)).collect()
        });
        let sum = sum.first().copied().unwrap_or(zero);
        let [sum] = together(&b, meet, [sum], |[p], [q]| [p + q]);
        b.when(leads(&b), || {
            let (to, plain) = (r * y_step, sum * alpha);
            let [all] =
                b.either(beta.compare(Cmp::Eq, zero), || [plain], || [beta.fma(get::<T>(y, to), plain)]);
            put(y, to, all);
        });
    });
    b.finish()
}
