//! Rows: a block folds a row, as often as the op needs, and maps it.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::THREADS;
use super::reduce::{count, share, together};
use crate::alu::{Alu, Body, Real};
use crate::lanes::fold::Fold;
use crate::nn::{ExpShiftedScaled, Peak, ScaledBy, SumExp};
use crate::reduce::SumSquares;
use alloc::format;
use alloc::vec::Vec;

/// A row, in the block that works on it.
struct Row<'b> {
    b: &'b Builder,
    x: Value<'b, U64>,
    out: Value<'b, U64>,
    cols: Value<'b, U32>,
}

impl<'b> Row<'b> {
    fn bounds(&self) -> [Value<'b, U32>; 3] {
        [self.b.special(Special::TidX), self.cols, self.b.int(i64::from(THREADS))]
    }

    /// The state after the whole row, in every thread.
    fn fold<T: Recorded, F: Fold<T::Elem, 1, K>, const K: usize>(&self, f: F) -> [Value<'b, T>; K] {
        let acc = share(self.b, f, [self.x], self.bounds());
        together(self.b, acc, |p, q| f.merge(p, q))
    }

    /// `out[i] = body(x[i], more[i], …)`.
    fn map<T: Recorded, B: Body<T::Elem, N>, const N: usize>(&self, body: B, more: &[Value<'b, U64>]) {
        let b = self.b;
        b.count::<U32, T>(self.bounds(), 1, &[], |i, _| {
            let offset = i.wide(b.int(i64::from(T::TYPE.bytes())));
            let from = |k: usize| k.checked_sub(1).and_then(|k| more.get(k)).copied().unwrap_or(self.x);
            let v = body.eval(core::array::from_fn(|k| b.load::<T>(Space::Global, from(k) + offset, 0)));
            b.store(Space::Global, self.out + offset, 0, v);
            Vec::new()
        });
    }
}

/// The kernel of a row operation of the list: `softmax` or `rms_norm`. Any grid does; blocks have [`THREADS`] threads.
/// Parameters: `x`, `out`, the number of rows, of columns; for `rms_norm` then `gamma` and `eps`.
#[must_use]
pub fn row<T: Recorded>(op: &str) -> Option<Result<Kernel, Error>> {
    let b = Builder::new(&format!("{op}_{}", T::Elem::NAME));
    b.threads([THREADS, 1, 1]);
    let (x, out) = (b.param::<U64>(), b.param::<U64>());
    let (rows, cols) = (b.param::<U32>(), b.param::<U32>());
    let scaled = match op {
        "softmax" => None,
        "rms_norm" => Some((b.param::<U64>(), b.param::<T>())),
        _ => return None,
    };
    let bounds = [b.special(Special::CtaidX), rows, b.special(Special::NctaidX)];
    b.count::<U32, T>(bounds, 1, &[], |r, _| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let row = Row { b: &b, x: x + start, out: out + start, cols };
        match scaled {
            None => softmax::<T>(&row),
            Some((gamma, eps)) => {
                let [squares] = row.fold::<T, _, 1>(SumSquares);
                let scale = eps.c(1.0) / (squares / count(cols) + eps).sqrt();
                row.map::<T, _, 2>(ScaledBy(b.slot(scale)), &[gamma]);
            }
        }
        // The next row uses the same shared memory.
        b.barrier();
        Vec::new()
    });
    Some(b.finish())
}

fn softmax<T: Recorded>(row: &Row<'_>) {
    let [peak] = row.fold::<T, _, 1>(Peak);
    let (zero, one) = (peak.c(0.0), peak.c(1.0));
    // A row of -inf alone must not become -inf - -inf.
    let shift = Value::select(peak.eq(peak.lit(-T::Elem::INFINITY)), zero, peak);
    let [sum] = row.fold::<T, _, 1>(SumExp(row.b.slot(shift)));
    // 0 when the whole row is masked.
    let scale = Value::select(sum.eq(zero), zero, one / sum);
    row.map::<T, _, 1>(ExpShiftedScaled(row.b.slot(shift), row.b.slot(scale)), &[]);
}
