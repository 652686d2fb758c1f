//! `C ← α·A·B + β·C` of matrices with any strides: a block computes a tile through shared memory, a thread 4 × 4 of it.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use crate::alu::Real;
use alloc::format;
use alloc::vec::Vec;

/// Rows and columns that a block computes.
pub const STRIDED_TILE: u32 = 64;
/// Depth that is in shared memory at a time.
const DEPTH: u32 = 8;
/// A thread's rows and columns.
const EACH: u32 = 4;
const ACROSS: u32 = STRIDED_TILE / EACH;
/// Threads of a block.
pub const STRIDED_THREADS: u32 = ACROSS * ACROSS;

/// Parameters: A, B, C; rows, columns, depth; the strides of A's rows and columns, B's, C's (`U32`, in elements); α, β.
/// C is not read where β is 0. The sum runs in the order of the depth, fused; then α and β, fused. Launch
/// `ceil(columns / 64)` × `ceil(rows / 64)` blocks of [`STRIDED_THREADS`].
pub fn strided<T: Recorded>() -> Result<Kernel, Error> {
    let b = Builder::new(&format!("gemm_strided_{}", T::Elem::NAME));
    b.threads([STRIDED_THREADS, 1, 1]);
    let [x, y, out] = core::array::from_fn(|_| b.param::<U64>());
    let [m, n, k, x_row, x_col, y_row, y_col, out_row, out_col] = core::array::from_fn(|_| b.param::<U32>());
    let (alpha, beta) = (b.param::<T>(), b.param::<T>());
    let width = T::TYPE.bytes();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let tid = b.special(Special::TidX);
    let (row0, col0) =
        (b.special(Special::CtaidY) * int(STRIDED_TILE), b.special(Special::CtaidX) * int(STRIDED_TILE));
    let [x_tile, y_tile] = core::array::from_fn(|_| b.shared(width * DEPTH * STRIDED_TILE, 16));
    let zero = b.bits::<T>(0);
    let global = |base: Value<'_, U64>, at: Value<'_, U32>| {
        let at = b.typed::<U32>(at.id()).wide(int(width));
        b.typed::<U64>((b.typed::<U64>(base.id()) + at).id())
    };
    let guarded = |inside: Value<'_, Pred>, base: Value<'_, U64>, at: Value<'_, U32>| {
        let (inside, at) = (b.typed::<Pred>(inside.id()), b.typed::<U32>(at.id()));
        let base = b.typed::<U64>(base.id());
        let [v] = b.either(inside, || [b.load::<T>(Space::Global, global(base, at), 0)], || [b.bits::<T>(0)]);
        v
    };
    let (down, across) = (tid >> int(ACROSS.ilog2()), tid & int(ACROSS - 1));

    let init: Vec<_> = (0..EACH * EACH).map(|_| zero).collect();
    let sum = b.count::<U32, T>([int(0), k, int(DEPTH)], 1, &init, |p0, sum| {
        // The pieces stand with the depth outside, so that a thread reads its rows and columns side by side.
        for e in 0..STRIDED_TILE * DEPTH / STRIDED_THREADS {
            let at = tid + int(e * STRIDED_THREADS);
            let (p, i) = (at >> int(STRIDED_TILE.ilog2()), at & int(STRIDED_TILE - 1));
            let (deep, to) = (p0 + p, at * int(width));
            let (row, col) = (row0 + i, col0 + i);
            let inside = deep.compare(Cmp::Lt, k);
            let v = guarded(inside & row.compare(Cmp::Lt, m), x, row * x_row + deep * x_col);
            b.store(Space::Shared, x_tile + to, 0, v);
            let v = guarded(inside & col.compare(Cmp::Lt, n), y, deep * y_row + col * y_col);
            b.store(Space::Shared, y_tile + to, 0, v);
        }
        b.barrier();
        let mut sum = sum.to_vec();
        for p in 0..DEPTH {
            let read = |tile: Value<'_, U32>, part: Value<'_, U32>| -> Vec<Value<'_, T>> {
                let start = b.typed::<U32>(tile.id()) + b.typed::<U32>(part.id()) * int(EACH * width);
                let each = |e| (((p * STRIDED_TILE) + e) * width) as i32;
                (0..EACH).map(|e| b.load::<T>(Space::Shared, start, each(e))).collect()
            };
            let (rows, cols) = (read(x_tile, down), read(y_tile, across));
            let pairs = rows.iter().flat_map(|r| cols.iter().map(|c| (*r, *c)));
            sum.iter_mut().zip(pairs).for_each(|(s, (r, c))| *s = r.fma(c, *s));
        }
        // The next pieces go where these were.
        b.barrier();
        sum
    });

    for (at, v) in (0..).zip(&sum) {
        let row = row0 + down * int(EACH) + int(at / EACH);
        let col = col0 + across * int(EACH) + int(at % EACH);
        b.when(row.compare(Cmp::Lt, m) & col.compare(Cmp::Lt, n), || {
            let to = global(out, row * out_row + col * out_col);
            let plain = *v * alpha;
            let [all] = b.either(
                beta.compare(Cmp::Eq, zero),
                || [plain],
                || [beta.fma(b.load::<T>(Space::Global, to, 0), plain)],
            );
            b.store(Space::Global, to, 0, all);
        });
    }
    b.finish()
}
