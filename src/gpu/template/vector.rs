//! BLAS level 1 kernels over strided vectors (`axpy`, `copy`, `scal`, `rot`, `iamax`), and the top-k of few elements.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::{Param, Recorded};
use super::super::types::{U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::flat::{each, get, named, put};
use super::layer::leads;
use super::window::fold;
use crate::alu::Body;
use crate::blas::{Exchange, Full, Rotate, UnitAntidiagonal, UnitDiagonal};
use crate::lanes::drive::Pair;
use crate::pointwise::{Axpy, Scale};

/// Two vectors, the number of their elements and their strides: the first parameters.
fn vectors(b: &Builder) -> ([Value<'_, U64>; 2], [Value<'_, U32>; 3]) {
    (b.params::<U64, 2>(), b.params::<U32, 3>())
}

/// `x, y = body(x, y)`.
fn pairs<T: Recorded, B: Pair<Param<T>>, const P: usize>(
    op: &str,
    body: impl FnOnce([Param<T>; P]) -> B,
) -> Result<Kernel, Error> {
    let b = named::<T>(op);
    let ([x, y], [n, x_step, y_step]) = vectors(&b);
    let body = body(b.numbers());
    each(&b, n, |i| {
        let (i, j) = (i * x_step, i * y_step);
        let [u, v] = body.eval([get::<T>(x, i), get::<T>(y, j)]);
        put(x, i, u);
        put(y, j, v);
    });
    b.finish()
}

/// An op that changes two vectors, by its name. The numbers are those of the op.
#[must_use]
pub fn pair<T: Recorded>(op: &str) -> Option<Result<Kernel, Error>> {
    Some(match op {
        "swap" => pairs::<T, _, 0>(op, |[]| Exchange),
        "rot" => pairs::<T, _, 2>(op, |[c, s]| Rotate(c, s)),
        "rotm" => pairs::<T, _, 4>(op, |[a, b, c, d]| Full([[a, b], [c, d]])),
        "rotm_unit_diagonal" => pairs::<T, _, 2>(op, |[h21, h12]| UnitDiagonal(h21, h12)),
        "rotm_unit_antidiagonal" => pairs::<T, _, 2>(op, |[h11, h22]| UnitAntidiagonal(h11, h22)),
        _ => return None,
    })
}

/// `y = x`, or with `add` `y += α·x`. Parameters: those of [`vectors`]; α.
pub fn copy<T: Recorded>(add: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if add { "axpy_strided" } else { "copy" });
    let ([x, y], [n, x_step, y_step]) = vectors(&b);
    let body = if add { Some(Axpy(b.param::<T>().number())) } else { None };
    each(&b, n, |i| {
        let (v, to) = (get::<T>(x, i * x_step), i * y_step);
        put(y, to, body.map_or(v, |body| body.eval([get::<T>(y, to), v])));
    });
    b.finish()
}

/// A matrix times α: zeros, without being read, where α is 0 and `fresh` is not. Parameters: the matrix; elements, columns,
/// strides, `fresh`; α.
pub fn scale<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scal");
    let x = b.param::<U64>();
    let [n, cols, row, col, keep] = b.params::<U32, 5>();
    let alpha = b.param::<T>();
    let reads = keep.compare(Cmp::Ne, b.int(0)) | alpha.compare(Cmp::Ne, b.bits(0));
    each(&b, n, |i| {
        let r = i / cols;
        let at = r * row + (i - r * cols) * col;
        let [v] = b.either(reads, || [Scale(alpha.number()).eval([get::<T>(x, at)])], || [b.bits(0)]);
        put(x, at, v);
    });
    b.finish()
}

/// The index of the first of the largest magnitudes, or of the first NaN: of `x`, by blocks, or with `merge` of the elements
/// that blocks found. Parameters: `x`, where the indices go, with `merge` what blocks found; elements or what blocks found,
/// the stride.
pub fn largest<T: Recorded>(meet: Meet, merge: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if merge { "iamax_merge" } else { "iamax" });
    b.threads([THREADS, 1, 1]);
    let [x, out] = b.params::<U64, 2>();
    let found = merge.then(|| b.param::<U64>());
    let [n, step] = b.params::<U32, 2>();
    let threads = b.int(i64::from(THREADS));
    let block = b.special(Special::CtaidX);
    let index = |i| found.map_or(i, |found| get::<U32>(found, i));
    // Every thread starts with an element, perhaps with another's.
    let first = (block * threads + b.special(Special::TidX)).least(n - b.int(1));
    let better = |p, q| {
        let [u, v] = [p, q].map(|i: Value<'_, U32>| get::<T>(x, i * step).magnitude());
        let [nan_p, nan_q] = [u, v].map(|x| x.compare(Cmp::Ne, x));
        let same = u.compare(Cmp::Eq, v) | (nan_p & nan_q);
        let larger = v.compare(Cmp::Gt, u) | (nan_q & !nan_p);
        Value::select(larger | (same & q.compare(Cmp::Lt, p)), q, p)
    };
    let bounds = [first, n, b.special(Special::NctaidX) * threads];
    let most = b.count::<U32, U32>(bounds, 1, &[index(first)], |i, most| {
        most.iter().map(|most| better(*most, index(i))).collect()
    });
    let most = most.first().copied().unwrap_or(first);
    let [most] = block_reduce(&b, meet, [most], |[p], [q]| [better(p, q)]);
    b.when(leads(&b), || put(out, block, most));
    b.finish()
}

/// Elements among which each one's place is counted by [`top_k`].
pub const TOP_CHUNK: u32 = 512;

/// The `k` largest (or smallest) of each chunk, in order, NaN before all: an element's place is the number of those before
/// it. The places of the last chunk's are in one line with the others'. Its name ends with `_part`, `_merge` or `_last` where
/// it is a step of several. Parameters: `x`, where their indices go, of a later step the indices to choose from, of the last
/// one where the elements go; what is chosen from, elements of a chunk, `k`.
pub fn top_k<T: Recorded>(op: &str, largest: bool) -> Result<Kernel, Error> {
    let b = named::<T>(op);
    let merge = op.ends_with("_merge") || op.ends_with("_last");
    let last = !op.ends_with("_merge") && !op.ends_with("_part");
    let [x, out] = b.params::<U64, 2>();
    let found = merge.then(|| b.param::<U64>());
    let values = last.then(|| b.param::<U64>());
    let [n, chunk, k] = b.params::<U32, 3>();
    let index = |i| found.map_or(i, |found| get::<U32>(found, i));
    each(&b, n, |i| {
        let own = index(i);
        let v = get::<T>(x, own);
        let nan = v.compare(Cmp::Ne, v);
        let part = i / chunk;
        let start = part * chunk;
        let before = fold(&b, [start, (start + chunk).least(n)], b.int::<U32>(0), |j, before| {
            let other = index(j);
            let w = get::<T>(x, other);
            let other_nan = w.compare(Cmp::Ne, w);
            let same = w.compare(Cmp::Eq, v) | (nan & other_nan);
            let first = w.compare(if largest { Cmp::Gt } else { Cmp::Lt }, v)
                | (other_nan & !nan)
                | (same & other.compare(Cmp::Lt, own));
            before + Value::select(first, b.int(1), b.int(0))
        });
        b.when(before.compare(Cmp::Lt, k), || {
            let to = part * k + before;
            put(out, to, own);
            values.into_iter().for_each(|values| put(values, to, v));
        });
    });
    b.finish()
}
