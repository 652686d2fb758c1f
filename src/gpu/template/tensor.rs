//! Kernels over strided tensors: contraction, padding, gather and scatter, with a thread for each element.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::flat::{each, get, named, put};
use super::status::{Index, note};
use super::window::fold;
use alloc::vec::Vec;

/// A loop over an index: how often, and from one element to the next of each tensor.
struct Loop<'b, const N: usize> {
    size: Value<'b, U32>,
    steps: [Value<'b, U32>; N],
}

impl<'b, const N: usize> Loop<'b, N> {
    fn of(b: &'b Builder, many: u32) -> Vec<Self> {
        let one = || Self { size: b.param(), steps: b.params() };
        (0..many).map(|_| one()).collect()
    }
}

/// A loop over an index of the result, with its step there.
struct Kept<'b, const N: usize> {
    of: Loop<'b, N>,
    to: Value<'b, U32>,
}

impl<'b, const N: usize> Kept<'b, N> {
    fn of(b: &'b Builder, many: u32) -> Vec<Self> {
        let one = || Self { of: Loop { size: b.param(), steps: b.params() }, to: b.param() };
        (0..many).map(|_| one()).collect()
    }
    /// The places in the factors, and that in the result, of element `e`; the outermost loop is the first.
    fn places(b: &'b Builder, all: &[Self], e: Value<'b, U32>) -> ([Value<'b, U32>; N], Value<'b, U32>) {
        let (mut rest, mut at, mut to) = (e, [b.int::<U32>(0); N], b.int::<U32>(0));
        for Self { of, to: step } in all.iter().rev() {
            let above = rest / of.size;
            let i = rest - above * of.size;
            at.iter_mut().zip(of.steps).for_each(|(at, step)| *at = *at + i * step);
            to = to + i * *step;
            rest = above;
        }
        (at, to)
    }
}

/// Each element of `y` is the sum over all values of the `summed` indices of the product of an element of each of `K`
/// factors. Parameters: the factors, `y`; the elements of `y`; of each kept index its size and its step in the factors and in
/// `y`, the outermost first; of each summed one its size and its step in the factors.
pub fn contracted<T: Recorded, const K: usize>(kept: u32, summed: u32) -> Result<Kernel, Error> {
    let b = named::<T>(if K == 1 { "rearranged" } else { "contracted" });
    let x: [_; K] = b.params::<U64, _>();
    let y = b.param::<U64>();
    let n = b.param::<U32>();
    let outer = Kept::of(&b, kept);
    let inner = Loop::<K>::of(&b, summed);
    each(&b, n, |e| {
        let (at, to) = Kept::places(&b, &outer, e);
        put(y, to, total::<T, K>(&b, x, at, &inner, None));
    });
    b.finish()
}

/// Many small products of matrices, C = αAB + βC, a thread for each element of all C. Parameters: A, B, C; the elements of all C; of the
/// outer and inner axis of the products, of their rows and of their columns the size and the step in A, B and C; the depth and its
/// step in A and B; α and β. Without `adds` β is 0, and C is not read.
pub fn products<T: Recorded>(adds: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if adds { "products_add" } else { "products" });
    let [p, q, c] = b.params::<U64, 3>();
    let n = b.param::<U32>();
    let outer = Kept::<2>::of(&b, 4);
    let depth = Loop::of(&b, 1);
    let [alpha, beta] = b.params::<T, 2>();
    each(&b, n, |e| {
        let (at, to) = Kept::places(&b, &outer, e);
        let sum = alpha * total(&b, [p, q], at, &depth, None);
        put(c, to, if adds { beta.fma(get(c, to), sum) } else { sum });
    });
    b.finish()
}

/// `sum` and the products of all values of these indices; without it, there are none before.
fn total<'b, T: Recorded, const K: usize>(
    b: &'b Builder,
    x: [Value<'b, U64>; K],
    at: [Value<'b, U32>; K],
    loops: &[Loop<'b, K>],
    sum: Option<Value<'b, T>>,
) -> Value<'b, T> {
    let Some((first, rest)) = loops.split_first() else {
        let mut factors = x.into_iter().zip(at).map(|(x, at)| get::<T>(x, at));
        return match (factors.next(), factors.next(), sum) {
            (Some(p), Some(q), Some(sum)) => p.fma(q, sum),
            (Some(p), Some(q), None) => p * q,
            (Some(p), None, Some(sum)) => sum + p,
            (Some(p), ..) => p,
            _ => b.bits(0),
        };
    };
    let start = sum.unwrap_or(b.bits(0));
    fold(b, [b.int(0), first.size], start, |i, sum| {
        let mut at = at;
        at.iter_mut().zip(first.steps).for_each(|(at, step)| *at = *at + i * step);
        total(b, x, at, rest, Some(sum))
    })
}

/// What is around a tensor that [`padded`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    Constant,
    Edge,
    Reflect,
    Wrap,
}

/// A tensor with more around it. Parameters: `x`, `y`; the elements of `y`; of each of `axes`, the outermost first, its length
/// in `y`, in `x`, what is before `x`, and the step of an element in `x`; the constant (`T`). `x` has elements.
pub fn padded<T: Recorded>(axes: u32, around: Around) -> Result<Kernel, Error> {
    let b = named::<T>("pad");
    let [x, y] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let axes: Vec<[Value<'_, U32>; 4]> = (0..axes).map(|_| b.params()).collect();
    let constant = b.param::<T>();
    each(&b, n, |e| {
        let [zero, one, two] = [0, 1, 2].map(|c| b.int::<U32>(c));
        let (mut rest, mut at, mut inside) = (e, zero, one);
        for [all, size, before, step] in axes.iter().rev() {
            let above = rest / *all;
            let i = rest - above * *all;
            rest = above;
            let ahead = i.compare(Cmp::Lt, *before);
            // Past the last one where it is negative.
            let k = i - *before;
            let near = k.compare(Cmp::Lt, *size);
            let k = match around {
                Around::Constant => {
                    inside = Value::select(near, inside, zero);
                    Value::select(near, k, zero)
                }
                Around::Edge => Value::select(ahead, zero, k.least(*size - one)),
                Around::Reflect => {
                    Value::select(ahead, *before - i, Value::select(near, k, two * *size - two - k))
                }
                Around::Wrap => Value::select(near, k, Value::select(ahead, k + *size, k - *size)),
            };
            at = at + k * *step;
        }
        let v = get::<T>(x, at);
        put(
            y,
            e,
            match around {
                Around::Constant => Value::select(inside.compare(Cmp::Ne, zero), v, constant),
                _ => v,
            },
        );
    });
    b.finish()
}

/// `out[o][j][i] = x[o][ids[j]][i]`. Parameters: `x`, the indices, `out`, the status words; the elements of `out`, of `ids`, the
/// length of the axis, the elements behind it. What an index past the axis chooses is zeros.
pub fn gather<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("gather");
    let [x, ids, out, status] = b.params::<U64, 4>();
    let [n, many, axis, inner] = b.params::<U32, 4>();
    each(&b, n, |e| {
        let r = e / inner;
        let outer = r / many;
        let id = get::<U32>(ids, r - outer * many);
        let [v] = b.either(
            id.compare(Cmp::Lt, axis),
            || [get::<T>(x, (outer * axis + id) * inner + (e - r * inner))],
            || {
                note(status, Index::Gather, id);
                [b.bits(0)]
            },
        );
        put(out, e, v);
    });
    b.finish()
}

/// `out[o][j][i] = x[o][ids[o][j][i]][i]`. Parameters: `x`, the indices, `out`, the status words; the elements of `out`, the length
/// of its axis, of that of `x`, the elements behind it. What an index past the axis chooses is zeros.
pub fn gather_elements<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("gather_elements");
    let [x, ids, out, status] = b.params::<U64, 4>();
    let [n, many, axis, inner] = b.params::<U32, 4>();
    each(&b, n, |e| {
        let r = e / inner;
        let id = get::<U32>(ids, e);
        let [v] = b.either(
            id.compare(Cmp::Lt, axis),
            || [get::<T>(x, (r / many * axis + id) * inner + (e - r * inner))],
            || {
                note(status, Index::GatherElements, id);
                [b.bits(0)]
            },
        );
        put(out, e, v);
    });
    b.finish()
}

/// `out[o][ids[o][j][i]][i] += x[o][j][i]`, a thread for each `o` and `i`, which goes along `j`, so that sums have an order. Parameters:
/// `x`, the indices, `out`, the status words; the threads, the length of the axis of `x`, of that of `out`, the elements behind it.
/// What an index past the axis names is added nowhere.
pub fn scatter_add_elements<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scatter_add_elements");
    let [x, ids, out, status] = b.params::<U64, 4>();
    let [n, many, axis, inner] = b.params::<U32, 4>();
    each(&b, n, |e| {
        let o = e / inner;
        let i = e - o * inner;
        b.count::<U32, U32>([b.int(0), many, b.int(1)], 1, &[], |j, _| {
            let at = (o * many + j) * inner + i;
            let id = get::<U32>(ids, at);
            let inside = id.compare(Cmp::Lt, axis);
            b.when(!inside, || note(status, Index::ScatterAddElements, id));
            b.when(inside, || {
                let to = (o * axis + id) * inner + i;
                put(out, to, get::<T>(out, to) + get::<T>(x, at));
            });
            Vec::new()
        });
    });
    b.finish()
}
