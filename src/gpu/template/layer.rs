//! Kernels of a block for each row that read several tensors: gradients of norms, losses, sums by column, products with a
//! vector.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::flat::{at, each, get, named, neighbours, put};
use super::part::{Meet, Part, PartOf, Threads, together};
use super::row::OnRow;
use super::status::{Index, note};
use crate::alu::{Alu, Body, Number};
use crate::lanes::streams::{Folds, Streams};
use crate::nn::{
    AddScaled, Gradient, LogWithin, PeakAndSum, SquaresAndAlong, Standard, SumAndAlong, Within, inverse_root,
    shift, softmax_row,
};
use crate::pointwise::Ln;
use crate::reduce::{Dot, Sum, centred, rescue, scales};
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

/// `dx` of `rms_norm_backward` or, `centred`, of `layer_norm_backward`. Parameters: `x`, `gamma`, `dy`, `dx`, where each row
/// leaves what brings it to unit spread (four elements); rows, columns; `eps`.
pub fn norm_backward<T: Recorded>(meet: Meet, is_centred: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if is_centred { "layer_norm_backward" } else { "rms_norm_backward" });
    b.threads([THREADS, 1, 1]);
    let [x, gamma, dy, dx, units] = [(); 5].map(|()| b.param::<U64>());
    let [rows, cols] = [(); 2].map(|()| b.param::<U32>());
    let eps = b.param::<T>();
    each_row(&b, rows, |r| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (x, dy, dx) = (x + start, dy + start, dx + start);
        let part =
            Part { b: &b, meet, threads: Threads::BLOCK, x: [x, gamma, dy], begin: b.int(0), end: cols };
        let all = PartOf::<T, 3>::new(part);
        let (one, none, zero) = (eps.c(1.0), eps.c(-0.0), eps.c(0.0));
        let n: Value<'_, T> = all.len();
        let (unit, body) = if is_centred {
            let alone = Part { b: &b, meet, threads: Threads::BLOCK, x: [x], begin: b.int(0), end: cols };
            let m = centred(&PartOf::<T, 1>::new(alone), eps);
            let [p, lo] = [m.p, m.lo];
            let unit = Standard::new(m, inverse_root(m.variance, eps, p), Value::number);
            let scale = one.param(unit.scale);
            let [sum, along] = all.fold(SumAndAlong(unit.p, unit.minus));
            let along = (along - lo * sum) / n * scale * scale;
            // The low part of the mean is the same for all elements.
            let shift = sum / n - lo * along;
            (unit, [scale * p, shift, along])
        } else {
            let plain = all.fold(SquaresAndAlong(one.number()));
            let [squares, _] = plain;
            let p = rescue(squares + eps);
            let [squares, along] = all.fold_where(scales(p), SquaresAndAlong(p.number()), plain);
            let scale = inverse_root(squares / n, eps, p);
            let rest = none.number();
            let unit = Standard { p: p.number(), minus: rest, scale: scale.number(), rest };
            (unit, [scale * p, zero, along / n * scale * scale])
        };
        let [scale, shift, along] = body.map(Value::number);
        let body = Gradient { scale, p: unit.p, minus: unit.minus, shift, along };
        strided(&b, [b.int(0), cols], |i| {
            put(dx, i, body.eval([get::<T>(x, i), get(gamma, i), get(dy, i)]));
        });
        b.when(leads(&b), || {
            let to = at::<T>(units, r * b.int(4));
            let all = [unit.p, unit.minus, unit.scale, unit.rest].map(|v| one.param(v));
            (0..).zip(all).for_each(|(k, v)| b.store(Space::Global, to, k * T::TYPE.bytes() as i32, v));
        });
    });
    b.finish()
}

/// Rows that a block of [`scaled_columns`] adds.
pub const COLUMN_ROWS: u32 = 32;

/// `Σ dy·x̂` and `Σ dy` by column, of [`COLUMN_ROWS`] rows for each block along y, [`THREADS`] columns for each along x.
/// Parameters: `x`, `dy`, what [`norm_backward`] left of the rows, where the sums of either go; rows, columns.
pub fn scaled_columns<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scaled_columns");
    b.threads([THREADS, 1, 1]);
    let [x, dy, units, out, plain] = [(); 5].map(|()| b.param::<U64>());
    let [rows, cols] = [(); 2].map(|()| b.param::<U32>());
    let c = b.special(Special::CtaidX) * b.int(i64::from(THREADS)) + b.special(Special::TidX);
    let part = b.special(Special::CtaidY);
    let first = part * b.int(i64::from(COLUMN_ROWS));
    b.when(c.compare(Cmp::Lt, cols), || {
        let end = (first + b.int(i64::from(COLUMN_ROWS))).least(rows);
        let zero = b.bits::<T>(0);
        let sums = b.count::<U32, T>([first, end, b.int(1)], 1, &[zero; 2], |r, sums| {
            let [p, minus, scale, rest] =
                [0, 1, 2, 3].map(|k| get::<T>(units, r * b.int(4) + b.int(k)).number());
            let i = r * cols + c;
            let (dy, old) = (get::<T>(dy, i), |k: usize| sums.get(k).copied().unwrap_or(zero));
            let unit = AddScaled(Standard { p, minus, scale, rest });
            Vec::from([unit.eval([old(0), dy, get(x, i)]), old(1) + dy])
        });
        [out, plain].into_iter().zip(&sums).for_each(|(to, s)| put(to, part * cols + c, *s));
    });
    b.finish()
}

/// The gradient of softmax or, `log`, of its logarithm. Parameters: `y`, `dy`, `dx`; rows, columns.
pub fn softmax_backward<T: Recorded>(meet: Meet, log: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if log { "log_softmax_backward" } else { "softmax_backward" });
    b.threads([THREADS, 1, 1]);
    let [y, dy, dx] = [(); 3].map(|()| b.param::<U64>());
    let [rows, cols] = [(); 2].map(|()| b.param::<U32>());
    each_row(&b, rows, |r| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (y, dy, dx) = (y + start, dy + start, dx + start);
        let (begin, end) = (b.int(0), cols);
        let [sum] = if log {
            PartOf::<T, 1>::new(Part { b: &b, meet, threads: Threads::BLOCK, x: [dy], begin, end }).fold(Sum)
        } else {
            PartOf::<T, 2>::new(Part { b: &b, meet, threads: Threads::BLOCK, x: [y, dy], begin, end })
                .fold(Dot)
        };
        strided(&b, [begin, cols], |i| {
            let x = [get::<T>(dy, i), get(y, i)];
            let v = if log { LogWithin(sum.number()).eval(x) } else { Within(sum.number()).eval(x) };
            put(dx, i, v);
        });
    });
    b.finish()
}

/// The softmax of `x + mask`. Parameters: `x`, the mask, `out`; rows, columns, elements from a row of the mask to the next.
pub fn masked_softmax<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("masked_softmax");
    b.threads([THREADS, 1, 1]);
    let [x, mask, out] = [(); 3].map(|()| b.param::<U64>());
    let [rows, cols, step] = [(); 3].map(|()| b.param::<U32>());
    each_row(&b, rows, |r| {
        let width = b.int(i64::from(T::TYPE.bytes()));
        let start = r.wide(cols) * width;
        let (x, mask, out) = (x + start, mask + r.wide(step) * width, out + start);
        // Threads take the same elements in the folds.
        strided(&b, [b.int(0), cols], |i| put(out, i, get::<T>(x, i) + get(mask, i)));
        let part = Part { b: &b, meet, threads: Threads::BLOCK, x: [out], begin: b.int(0), end: cols };
        softmax_row(&mut OnRow::<T> { part: PartOf::new(part), out, columns: [out; 2] });
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
    let [from, to] = [(); 2].map(|()| b.param::<U64>());
    let [m, n, from_row, from_col, to_row, to_col] = [(); 6].map(|()| b.param::<U32>());
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
        let part = Part { b: &b, meet, threads: Threads::BLOCK, x: [z], begin: b.int(0), end: cols };
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
    let [found] = together(b, meet, [found], |[p], [q]| [p | q]);
    found.compare(Cmp::Ne, b.int(0))
}

/// `out[ids[r]] = x[r]`, or with `add` `+=`. The rows of an index in their order: the block of the first of them adds them
/// all, that of the last writes it. Parameters: `x`, the indices, `out`, the status words; the number of indices, columns,
/// rows of `out`. A row whose index is past `out` is left out.
pub fn scatter<T: Recorded>(meet: Meet, add: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if add { "scatter_add" } else { "scatter" });
    b.threads([THREADS, 1, 1]);
    let [x, ids, out, status] = [(); 4].map(|()| b.param::<U64>());
    let [n, cols, rows] = [(); 3].map(|()| b.param::<U32>());
    each_row(&b, n, |r| {
        let id = get::<U32>(ids, r);
        let others = if add { [b.int(0), r] } else { [r + b.int(1), n] };
        let among = among(&b, meet, ids, others, id);
        let inside = id.compare(Cmp::Lt, rows);
        b.when(!inside, || note(status, if add { Index::ScatterAdd } else { Index::Scatter }, id));
        b.when(inside & !among, || {
            strided(&b, [b.int(0), cols], |c| {
                let to = id * cols + c;
                if !add {
                    return put(out, to, get::<T>(x, r * cols + c));
                }
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
pub fn gemv<T: Recorded>(meet: Meet, wide: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if wide { "gemv_wide" } else { "gemv" });
    b.threads([THREADS, 1, 1]);
    let [a, x, y] = [(); 3].map(|()| b.param::<U64>());
    let [rows, cols, row, col, x_step, y_step] = [(); 6].map(|()| b.param::<U32>());
    let (alpha, beta) = (b.param::<T>(), b.param::<T>());
    each_row(&b, rows, |r| {
        let (tid, zero, start) = (b.special(Special::TidX), b.bits::<T>(0), r * row);
        let sum = if wide {
            Vec::from([by_neighbours(&b, [a, x], start, cols)])
        } else {
            b.count::<U32, T>([tid, cols, b.int(i64::from(THREADS))], 4, &[zero], |i, sum| {
                let (a, x) = (get::<T>(a, start + i * col), get::<T>(x, i * x_step));
                sum.iter().map(|s| a.fma(x, *s)).collect()
            })
        };
        let sum = sum.into_iter().reduce(|p, q| p + q).unwrap_or(zero);
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

/// The part of this thread of `Σ a[start + i]·x[i]`: so many neighbours at once as are 16 bytes, and twice as many where
/// there are some, so that reads are under way while others are waited for.
fn by_neighbours<'b, T: Recorded>(
    b: &'b Builder,
    from: [Value<'b, U64>; 2],
    start: Value<'b, U32>,
    cols: Value<'b, U32>,
) -> Value<'b, T> {
    let many = 16 / T::TYPE.bytes();
    let step = many * THREADS;
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let read = |from: Value<'b, U64>, i: Value<'b, U32>, times: u32| -> Vec<Value<'b, T>> {
        let all = (0..times).map(|k| at::<T>(from, i + int(k * step)));
        all.flat_map(|i| neighbours(b, Space::Global, i, 0, many)).collect()
    };
    let pass = |first: Value<'b, U32>, end: Value<'b, U32>, times: u32, sums: &[Value<'b, T>]| {
        b.count::<U32, T>([first, end, int(times * step)], 1, sums, |i, sums| {
            let [a, x] = from;
            let (a, x) = (read(a, start + i, times), read(x, i, times));
            let mut sums = sums.to_vec();
            let pairs = a.chunks(many as usize).zip(x.chunks(many as usize));
            pairs.for_each(|(a, x)| {
                sums.iter_mut().zip(a.iter().zip(x)).for_each(|(s, (a, x))| *s = a.fma(*x, *s));
            });
            sums
        })
    };
    let first = b.special(Special::TidX) * int(many);
    let whole = cols & b.int(!i64::from(2 * step - 1));
    let none: Vec<_> = (0..many).map(|_| b.bits::<T>(0)).collect();
    let sums = pass(first, whole, 2, &none);
    let sums = pass(whole + first, cols, 1, &sums);
    sums.into_iter().reduce(|p, q| p + q).unwrap_or(b.bits(0))
}
