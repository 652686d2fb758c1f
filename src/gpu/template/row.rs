//! Row ops (softmax, norms): a block folds a row, as often as the op needs, and maps it.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Kernel, Space};
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, U32, U64};
#[cfg(doc)]
use super::THREADS;
use super::block_reduce::{Meet, Part, PartOf, Pieced, Pieces, Threads, each_by};
use super::flat::{at, keep, named, neighbours};
use super::pointwise::Takes;
use super::row_registers::Held;
use crate::alu::{Alu, Body, Real};
use crate::lanes::fold::Fold;
use crate::lanes::multipass::{Folds, Row, Streams, Summary};
use crate::nn;
use alloc::format;
use alloc::vec::Vec;

/// A row, in the threads that work on it, the result, and the columns that its map takes.
pub(super) struct OnRow<'b, S> {
    pub(super) streams: S,
    pub(super) out: Value<'b, U64>,
    pub(super) columns: [Value<'b, U64>; 2],
}

impl<'b, T: Recorded, S: Pieced<'b, T>> Folds<Param<T>, 1> for OnRow<'b, S> {
    type V = Value<'b, T>;
    fn fold<F: Fold<Param<T>, 1, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.streams.fold(f)
    }
    fn fold_where<F: Fold<Param<T>, 1, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        self.streams.fold_where(m, f, otherwise)
    }
    fn number(&self, v: Self::V) -> Param<T> {
        v.number()
    }
}

impl<'b, T: Recorded, S: Pieced<'b, T>> Streams<Param<T>, 1> for OnRow<'b, S> {
    fn summary<P: Summary<Param<T>, 1, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        self.streams.summary(p)
    }
    fn summary_where<P: Summary<Param<T>, 1, K>, const K: usize>(
        &self,
        m: Value<'b, Pred>,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        self.streams.summary_where(m, p, otherwise)
    }
    fn len(&self) -> Self::V {
        self.streams.len()
    }
}

impl<'b, S> OnRow<'b, S> {
    /// `out[i] = body(x[i], columns[i]…)`.
    fn map_with<T: Recorded, B: Body<Param<T>, N>, const N: usize>(&self, body: B)
    where
        S: Pieced<'b, T>,
    {
        self.map_by(N - 1, &|x, columns| {
            body.eval(core::array::from_fn(
                |k| if k == 0 { x } else { columns.get(k - 1).copied().unwrap_or(x) },
            ))
        });
    }

    /// The code of [`Self::map_with`], which is compiled once for all bodies.
    fn map_by<T: Recorded>(
        &self,
        columns: usize,
        body: &dyn Fn(Value<'b, T>, &[Value<'b, T>]) -> Value<'b, T>,
    ) where
        S: Pieced<'b, T>,
    {
        let (b, _) = self.streams.at_first();
        self.streams.pieces(|start, x| {
            let of = |from: &Value<'b, U64>| {
                neighbours::<T>(b, Space::Global, at::<T>(*from, start), 0, x.len() as u32)
            };
            let columns: Vec<_> = self.columns.iter().take(columns).map(of).collect();
            let y = x.iter().enumerate().map(|(j, x)| {
                let columns: Vec<_> = columns.iter().filter_map(|c| c.get(j).copied()).collect();
                body(*x, &columns)
            });
            keep(b, Space::Global, at::<T>(self.out, start), &y.collect::<Vec<_>>());
        });
    }
}

impl<'b, T: Recorded, S: Pieced<'b, T>> Row<Param<T>> for OnRow<'b, S> {
    fn first(&self) -> Self::V {
        let (b, x) = self.streams.at_first();
        b.load(Space::Global, x, 0)
    }
    fn known(&self, _: <Self::V as Alu>::Mask) -> Option<bool> {
        None
    }
    fn map<B: Body<Param<T>, 1>>(&mut self, body: B) {
        self.map_with(body);
    }
    fn map_scaled<B: Body<Param<T>, 2>>(&mut self, body: B) {
        self.map_with(body);
    }
    fn map_affine<B: Body<Param<T>, 3>>(&mut self, body: B) {
        self.map_with(body);
    }
}

/// What a row operation takes: the row and one or two columns, and `eps`.
pub(super) fn takes(op: &str) -> Option<Takes> {
    let (operands, parameters) = match op {
        "softmax" | "log_softmax" | "normalize" | "zscore" | "minmax_normalize" => (1, 0),
        "layer_norm_simple" => (1, 1),
        "rms_norm" => (2, 1),
        "layer_norm" => (3, 1),
        _ => return None,
    };
    Some(Takes { operands, parameters })
}

/// The row operation of the list with this name.
pub(super) fn by_name<'b, T: Recorded, R: Row<Param<T>, V = Value<'b, T>>>(
    op: &str,
    row: &mut R,
    eps: Value<'b, T>,
) {
    match op {
        "softmax" => nn::softmax_row(row),
        "log_softmax" => nn::log_softmax_row(row),
        "normalize" => nn::normalize_row(row),
        "zscore" => nn::zscore_row(row),
        "minmax_normalize" => nn::minmax_row(row),
        "layer_norm_simple" => nn::layer_norm_simple_row(row, eps),
        "rms_norm" => nn::rms_norm_row(row, eps),
        _ => nn::layer_norm_row(row, eps),
    }
}

/// The kernel of a row operation of the list. Any grid does; blocks have [`THREADS`] threads. Parameters: `x`, `out`, the
/// number of rows, of columns; then `gamma` and `beta`, as far as the op has them, and `eps`, if it has that.
#[must_use]
pub fn row<T: Recorded>(op: &str) -> Option<Result<Kernel, Error>> {
    row_by::<T>(op, Meet::Warps, Threads::BLOCK, Pieces::NONE)
}

/// [`row`] with another way to reduce over a block, and other threads, of which each has pieces of a row in registers
/// ([`Threads::holding`]) where these are not 0: every array then starts at a multiple of 16 bytes, rows too.
#[must_use]
pub fn row_by<T: Recorded>(
    op: &str,
    meet: Meet,
    threads: Threads,
    held: Pieces,
) -> Option<Result<Kernel, Error>> {
    let takes = takes(op)?;
    let columns = takes.operands - 1;
    let name = format!("{op}_{}", T::Elem::NAME);
    let b = match (threads, held.each) {
        (Threads::BLOCK, 0) => Builder::new(&name),
        (_, 0) => Builder::new(&format!("{name}_{}", threads.row)),
        _ => Builder::new(&format!("{name}_{}x{}", threads.row, held.each)),
    };
    b.threads([threads.block, 1, 1]);
    if op.starts_with("layer_norm") && T::TYPE.bytes() == 4 && !held.any() {
        // Left to itself, ptxas spills for an occupancy of 2048 threads on sm_90; 1280 have 48 registers each.
        b.resident((1280 / threads.block).max(1));
    }
    let (x, out) = (b.param::<U64>(), b.param::<U64>());
    let (rows, cols) = (b.param::<U32>(), b.param::<U32>());
    let columns: [_; 2] = core::array::from_fn(|k| if k < columns { b.param::<U64>() } else { x });
    let eps = if takes.parameters > 0 { b.param::<T>() } else { b.bits::<T>(0) };
    each_by::<T>(&b, threads, [rows, cols], &[], |r, end, _| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let part = Part { b: &b, meet, threads, x: [x + start], begin: b.int(0), end };
        let out = out + start;
        if held.any() {
            by_name(op, &mut OnRow { streams: Held::<T, 1>::new(part, cols, held), out, columns }, eps);
        } else {
            by_name(op, &mut OnRow { streams: PartOf::<T, 1>::new(part), out, columns }, eps);
        }
        Vec::new()
    });
    Some(b.finish())
}

/// `residual += x`, and the RMS norm of what it then is to `out`; a thread has pieces of a row in registers, as in [`row_by`].
/// Parameters: `x`, `residual`, `gamma`, `out`; rows, columns; `eps`.
pub fn rms_norm_residual<T: Recorded>(
    meet: Meet,
    (threads, held): (Threads, Pieces),
) -> Result<Kernel, Error> {
    let b = named::<T>("rms_norm_residual");
    b.threads([threads.block, 1, 1]);
    let [x, residual, gamma, out] = b.params::<U64, 4>();
    let [rows, cols] = b.params::<U32, 2>();
    let eps = b.param::<T>();
    each_by::<T>(&b, threads, [rows, cols], &[], |r, end, _| {
        let start = r.wide(cols) * b.int(i64::from(T::TYPE.bytes()));
        let (residual, x) = (residual + start, x + start);
        let part = Part { b: &b, meet, threads, x: [residual, x], begin: b.int(0), end };
        let streams = Held::<T, 2>::new(part, cols, held).made(residual, |[r, x]| r + x);
        streams.pieces(|start, sums| keep(&b, Space::Global, at::<T>(residual, start), sums));
        let columns = [gamma; 2];
        by_name("rms_norm", &mut OnRow { streams, out: out + start, columns }, eps);
        Vec::new()
    });
    b.finish()
}
