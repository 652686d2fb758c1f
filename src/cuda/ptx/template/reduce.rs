//! One value from all elements: each block writes the state of its share, then one block merges them.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Type, U32, U64};
use super::THREADS;
use crate::alu::{Alu, Real};
use crate::lanes::fold::Fold;
use crate::pointwise::{Maximum, Minimum};
use crate::reduce::{Compensated, Dot, Exact, MaxAbs, Sum, SumAbs, SumSquares};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The kernels of a reduction; blocks have [`THREADS`] threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    /// Parameters: the inputs, where each block writes `state` values, the number of elements.
    pub parts: Kernel,
    /// One block. Parameters: what the blocks wrote, where to write the result, the number of blocks, the number of
    /// elements.
    pub merge: Kernel,
    /// Values that a block writes.
    pub state: u32,
}

/// The state of all threads of the block, in each of them: by halves in each warp, then warp by warp.
pub(super) fn together<'b, T: Recorded, const K: usize>(
    b: &'b Builder,
    mut acc: [Value<'b, T>; K],
    merge: impl Fn([Value<'b, T>; K], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    for distance in [16, 8, 4, 2, 1] {
        let by = b.int::<U32>(distance);
        acc = merge(acc, acc.map(|v| v.shuffle(Shuffle::Down, by)));
    }
    let width = T::TYPE.bytes();
    let (tid, warps) = (b.special(Special::TidX), THREADS / 32);
    let room = b.shared(warps * width * K as u32, width);
    let (warp, lane) = (tid >> b.int::<U32>(5), tid & b.int(31));
    b.when(lane.compare(Cmp::Eq, b.int(0)), || {
        let at = room + warp * b.int(i64::from(width) * K as i64);
        acc.iter().enumerate().for_each(|(k, v)| b.store(Space::Shared, at, (k as u32 * width) as i32, *v));
    });
    b.barrier();
    let state = |w: u32| {
        core::array::from_fn(|k| b.load(Space::Shared, room, ((w * K as u32 + k as u32) * width) as i32))
    };
    (1..warps).fold(state(0), |all, w| merge(all, state(w)))
}

/// The state of every so-many-th element from `start` on.
pub(super) fn share<'b, T, F, const N: usize, const K: usize>(
    b: &'b Builder,
    f: F,
    x: [Value<'b, U64>; N],
    bounds: [Value<'b, U32>; 3],
) -> [Value<'b, T>; K]
where
    T: Recorded,
    F: Fold<T::Elem, N, K>,
{
    let like = b.bits::<T>(0);
    let width = b.int::<U32>(i64::from(T::TYPE.bytes()));
    let id = f.identity(like);
    let acc = b.count::<U32, T>(bounds, 1, &id, |i, acc| {
        let offset = i.wide(width);
        let state = core::array::from_fn(|k| acc.get(k).copied().unwrap_or(like));
        f.step(state, x.map(|x| b.load::<T>(Space::Global, x + offset, 0))).to_vec()
    });
    core::array::from_fn(|k| acc.get(k).copied().unwrap_or(like))
}

/// The first thread of the block writes `v`.
fn first<'b, T: Recorded>(b: &'b Builder, at: Value<'b, U64>, v: &[Value<'b, T>]) {
    b.when(b.special(Special::TidX).compare(Cmp::Eq, b.int(0)), || {
        v.iter()
            .enumerate()
            .for_each(|(k, v)| b.store(Space::Global, at, (k as u32 * T::TYPE.bytes()) as i32, *v));
    });
}

fn make<T, F, const N: usize, const K: usize>(
    name: &str,
    f: F,
    finish: impl for<'b> FnOnce([Value<'b, T>; K], Value<'b, U32>) -> Value<'b, T>,
) -> Result<Reduction, Error>
where
    T: Recorded,
    F: Fold<T::Elem, N, K>,
{
    let width = T::TYPE.bytes();
    let b = Builder::new(&format!("{name}_parts"));
    b.threads([THREADS, 1, 1]);
    let x: [_; N] = core::array::from_fn(|_| b.param::<U64>());
    let (out, n) = (b.param::<U64>(), b.param::<U32>());
    let (block, threads) = (b.special(Special::CtaidX), b.int::<U32>(i64::from(THREADS)));
    let start = block * threads + b.special(Special::TidX);
    let acc: [Value<'_, T>; K] = share(&b, f, x, [start, n, b.special(Special::NctaidX) * threads]);
    let all = together(&b, acc, |p, q| f.merge(p, q));
    first(&b, out + block.wide(b.int(i64::from(width) * K as i64)), &all);
    let parts = b.finish()?;

    let b = Builder::new(&format!("{name}_merge"));
    b.threads([THREADS, 1, 1]);
    let (from, to, blocks, n) = (b.param::<U64>(), b.param::<U64>(), b.param::<U32>(), b.param::<U32>());
    let like = b.bits::<T>(0);
    let state = |v: &[Value<'_, T>]| v.iter().map(|v| v.id()).collect::<Vec<_>>();
    let typed = |ids: Vec<_>| core::array::from_fn(|k| ids.get(k).map_or(like, |id| b.typed(*id)));
    let bounds = [b.special(Special::TidX), blocks, b.int(i64::from(THREADS))];
    let acc = b.count::<U32, T>(bounds, 1, &f.identity(like), |i, acc| {
        let at = from + i.wide(b.int(i64::from(width) * K as i64));
        let part = core::array::from_fn(|k| b.load(Space::Global, at, (k as u32 * width) as i32));
        f.merge(typed(state(acc)), part).to_vec()
    });
    let all = together(&b, typed(state(&acc)), |p, q| f.merge(p, q));
    first(&b, to, &[finish(all, n)]);
    Ok(Reduction { parts, merge: b.finish()?, state: K as u32 })
}

/// The reduction of this name in the list, if it is one pass over the data and a formula of its state.
#[must_use]
pub fn reduction<T: Recorded>(op: &str) -> Option<Result<Reduction, Error>> {
    let name: String = format!("{op}_{}", T::Elem::NAME);
    let name = name.as_str();
    Some(match op {
        "sum" => make::<T, _, 1, 1>(name, Sum, |[s], _| s),
        "sum_kahan" => make::<T, _, 1, 2>(name, Compensated, |[s, e], _| {
            // Past an infinity the rounding errors mean nothing.
            let finite = (e * e.c(0.0)).eq(e.c(0.0));
            Value::select(finite, s + e, s)
        }),
        "sum_of_squares" => make::<T, _, 1, 1>(name, SumSquares, |[s], _| s),
        "norm_l1" => make::<T, _, 1, 1>(name, SumAbs, |[s], _| s),
        "norm_linf" => make::<T, _, 1, 2>(name, MaxAbs, |[m, s], _| Value::select(s.is_nan(), s, m)),
        "dot" => make::<T, _, 2, 1>(name, Dot, |[s], _| s),
        "max" => make::<T, _, 1, 1>(name, Exact(Maximum, -T::Elem::INFINITY), |[m], _| m),
        "min" => make::<T, _, 1, 1>(name, Exact(Minimum, T::Elem::INFINITY), |[m], _| m),
        "mean" => make::<T, _, 1, 1>(name, Sum, |[s], n| s / count(n)),
        _ => return None,
    })
}

/// A number of elements as a float, to nearest.
pub(super) fn count<T: Recorded>(n: Value<'_, U32>) -> Value<'_, T> {
    debug_assert!(matches!(T::TYPE, Type::F32 | Type::F64));
    n.to()
}
