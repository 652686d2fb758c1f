//! Distances to the nearest pixel that is 0.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Cmp, Kernel};
use super::super::super::types::{F32, Pred, S32, U32, U64};
use super::super::flat::{each, get, put};
use super::{Args, PixelType, Source, Walk};
use alloc::vec;
use alloc::vec::Vec;

/// The distance along a column without a pixel that is 0. Others are below 2¹⁵, and all sums of two squares below 2³¹.
const NONE: i64 = 0xffff;

/// The farthest columns that the thread of a pixel reads. Rows with a pixel whose nearest column is farther are computed by their envelopes.
const FARTHEST: u32 = 128;

/// Distances along columns. Buffers: the image, the distances (of a row after the other), a word for each row, which becomes 0. Parameters: columns
/// and rows; the elements before the image in its first word, its stride; the rows of a part. A thread has a part of a column: it reads beyond both
/// ends up to the nearest pixel that is 0.
pub fn distances_along_columns() -> Result<Kernel, Error> {
    let b = Builder::new("distances_along_columns");
    let [x, distances, far] = b.params::<U64, 3>();
    let [width, height, before, stride, rows] = b.params::<U32, 5>();
    let x = Source { x, of: PixelType::U8, before, stride, row: width, aligned: false };
    let [zero, one, none] = [0, 1, NONE].map(|n| b.int::<U32>(n));
    let parts = width * ((height + rows - one) / rows);
    each(&b, parts, |i| {
        b.count::<U32, U32>([i, height, parts], 1, &[], |y, _| {
            put(far, y, zero);
            Vec::new()
        });
        let part = i / width;
        let column = i - part * width;
        let start = part * rows;
        let end = (start + rows).least(height);
        let other = |y| x.get(y * stride + column).compare(Cmp::Ne, zero);
        // Behind the nearest 0 above the part.
        let [above] = b.repeat([start], |[y]| {
            let row = y.most(one) - one;
            let go = y.compare(Cmp::Gt, zero) & other(row);
            (go, [Value::select(go, row, y)])
        });
        let above = Value::select(above.compare(Cmp::Eq, zero), none, start - above);
        b.count::<U32, U32>([start, end, one], 1, &[above], |y, d| {
            let d: Vec<_> = d.iter().map(|d| one_more(*d, other(y))).collect();
            d.iter().for_each(|d| put(distances, y * width + column, *d));
            d
        });
        // The nearest 0 below it.
        let [below] = b.repeat([end], |[y]| {
            let go = y.compare(Cmp::Lt, height) & other(y.least(height - one));
            (go, [Value::select(go, y + one, y)])
        });
        let below = Value::select(below.compare(Cmp::Eq, height), none, below - end);
        b.count::<U32, U32>([zero, end - start, one], 1, &[below], |k, d| {
            let y = end - one - k;
            let at = y * width + column;
            let d: Vec<_> = d.iter().map(|d| one_more(*d, other(y))).collect();
            d.iter().for_each(|d| put(distances, at, get::<U32>(distances, at).least(*d)));
            d
        });
    });
    b.finish()
}

/// The distance in the next row, by whether its pixel is another than 0.
fn one_more<'b>(d: Value<'b, U32>, other: Value<'b, Pred>) -> Value<'b, U32> {
    let b = d.builder();
    Value::select(other, (d + b.int(1)).least(b.int(NONE)), b.int(0))
}

/// The column of a parabola.
fn column<'b>(top: Value<'b, U32>) -> Value<'b, U32> {
    top & top.builder().int(0xffff)
}

/// The bits of the root of a square, correctly rounded, and of infinity from 2³¹ on.
///
/// An approximate root gives `m`, the significand for the exponent `e`. The difference of `n·2^(46-2e)` and `m²` fits in 32 bits, so that
/// it is exact although both terms are modulo 2³²; it leads to the `m` for which it is above `-m` and at most `m`.
fn root<'b>(n: Value<'b, U32>) -> Value<'b, U32> {
    let b = n.builder();
    let int = |n| b.int::<U32>(n);
    let float = n.to::<F32>();
    let e = ((float.cast::<U32>() >> int(23)) - int(127)) >> int(1);
    let power = |of: Value<'b, U32>| (of << int(23)).cast::<F32>();
    let m = (float.root() * power(int(150) - e)).to::<U32>();
    let shift = int(46) - (e << int(1));
    let wide = Value::select(shift.compare(Cmp::Ge, int(32)), int(0), n << (shift & int(31)));
    let rest = |m: Value<'b, U32>| (wide - m * m).cast::<S32>();
    let step = rest(m).to::<F32>() / (m + m).to::<F32>();
    let m = m + step.to::<S32>().cast::<U32>();
    let (rest, half) = (rest(m), m.cast::<S32>());
    let up = Value::select(rest.compare(Cmp::Gt, half), int(1), int(0));
    let down = Value::select(rest.compare(Cmp::Le, b.int::<S32>(0) - half), int(1), int(0));
    let found = ((m + up - down).to::<F32>() * power(e + int(104))).cast::<U32>();
    let found = Value::select(n.compare(Cmp::Eq, int(0)), int(0), found);
    Value::select(n.compare(Cmp::Ge, int(1 << 31)), int(f32::INFINITY.to_bits().into()), found)
}

/// Distances of pixels whose nearest column is at most [`FARTHEST`] away. Buffers: the source, the distances along columns, a word for each row, which
/// is set where a row has other pixels, the result. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS).
pub fn near_distances(walk: Walk) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("near_distances"));
    let (args, [distances, far]) = Args::new(&b, walk, PixelType::U8);
    let [zero, one] = [0, 1].map(|n| b.int::<U32>(n));
    args.write(
        PixelType::U32,
        &|at| {
            let width = args.row;
            let row = at.y * width;
            let of = |column| get::<U32>(distances, row + column);
            let zeros = args.x.get(at.y * args.x.stride + at.x).compare(Cmp::Eq, zero);
            let search = || {
                let most = at.x.most(width - one - at.x);
                let own = of(at.x);
                let [step, best] = b.repeat([one, own * own], |[step, best]| {
                    // The last column beyond an end counts as farther than it is.
                    let d = of(at.x - step.least(at.x)).least(of((at.x + step).least(width - one)));
                    let (best, step) = (best.least(d * d + step * step), step + one);
                    let on = (step * step).compare(Cmp::Lt, best) & step.compare(Cmp::Le, most);
                    (on & step.compare(Cmp::Le, b.int(FARTHEST.into())), [step, best])
                });
                let on = (step * step).compare(Cmp::Lt, best) & step.compare(Cmp::Le, most);
                b.when(on, || put(far, at.y, one));
                [root(best)]
            };
            let [found] = b.either(zeros, || [zero], search);
            found
        },
        None,
    );
    b.finish()
}

/// Distances of rows that have a word that is set, by the lower envelope of the parabolas of their columns (Meijster, Roerdink, Hesselink, *A general algorithm for computing distance
/// transforms in linear time*, 2000). Buffers: the distances along columns, the words, the result. Parameters: columns and rows; the elements before the result, its
/// stride. A thread has a row, whose words of the result hold the envelope before the distances: of each parabola its column, and where it
/// begins in the upper half.
pub fn far_distances() -> Result<Kernel, Error> {
    let b = Builder::new("far_distances");
    let [distances, far, out] = b.params::<U64, 3>();
    let [width, height, before, stride] = b.params::<U32, 4>();
    let [zero, one, none, bits] = [0, 1, NONE, 16].map(|n| b.int::<U32>(n));
    each(&b, height, |y| {
        b.when(get::<U32>(far, y).compare(Cmp::Ne, zero), || {
            let (row, to) = (y * width, before + y * stride);
            let square = |column| {
                let d = get::<U32>(distances, row + column);
                d * d
            };
            let at = |top, x| {
                let apart = x - column(top);
                apart * apart + square(column(top))
            };
            let envelope = b.count::<U32, U32>([zero, width, one], 1, &[zero; 2], |u, state| {
                let &[n, top] = state else { return state.to_vec() };
                let d = get::<U32>(distances, row + u);
                b.unless(&[n, top], d.compare(Cmp::Ne, none), || {
                    let [n, top] = b.repeat([n, top], |[n, top]| {
                        let begin = top >> bits;
                        let own = (begin - u) * (begin - u) + d * d;
                        let pop = n.compare(Cmp::Gt, zero) & at(top, begin).compare(Cmp::Gt, own);
                        let below = n.most(one) - one;
                        let [next] = b.either(
                            pop & below.compare(Cmp::Gt, zero),
                            || [get::<U32>(out, to + below - one)],
                            || [top],
                        );
                        (pop, [Value::select(pop, below, n), next])
                    });
                    // Where the parabola of `u` is less than the last one, which is not above it where that begins: the difference is not negative.
                    let (s, first) = (column(top), n.compare(Cmp::Eq, zero));
                    let rise = (d * d + u * u) - (square(s) + s * s);
                    let run = Value::select(first, one, (u - s) << one);
                    let begin = Value::select(first, zero, rise / run + one);
                    let push = begin.compare(Cmp::Lt, width);
                    let new = u | (begin << bits);
                    b.when(push, || put(out, to + n, new));
                    vec![n + Value::select(push, one, zero), Value::select(push, new, top)]
                })
            });
            // The envelope of the places before `u` is in words before that of `u`.
            b.count::<U32, U32>([zero, width, one], 1, &envelope, |k, state| {
                let &[n, top] = state else { return state.to_vec() };
                let u = width - one - k;
                let least = Value::select(n.compare(Cmp::Eq, zero), b.int(1 << 31), at(top, u));
                put(out, to + u, root(least));
                let left = u.compare(Cmp::Eq, top >> bits);
                let below = n.most(one) - one;
                let [next] = b.either(
                    left & below.compare(Cmp::Gt, zero),
                    || [get::<U32>(out, to + below - one)],
                    || [top],
                );
                // Nothing begins before the first place.
                vec![Value::select(left & below.compare(Cmp::Gt, zero), below, n), next]
            });
        });
    });
    b.finish()
}
