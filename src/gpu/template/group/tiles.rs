//! What kernels of attention do with tiles on warp groups: loads, products, and results on their way to memory.

use super::super::super::builder::Value;
use super::super::super::ir::{Cmp, Group, Hopper, Space};
use super::super::super::types::{B32, F32, Pred, U32, U64};
use super::super::attention::{Heads, On};
use super::plan::slabs;
use super::{COLS, SLAB, descriptor};
use alloc::vec::Vec;

/// Loads so many rows of a head of a sequence: its slabs one after the other, with zeros where the head or the sequence ends.
pub(super) fn load_tile<'b>(
    map: Value<'b, U64>,
    base: Value<'b, U32>,
    full: Value<'b, U32>,
    [row, head, sequence]: [Value<'b, U32>; 3],
    [rows, slabs]: [u32; 2],
) {
    let b = base.builder();
    let int = |v: u32| b.int::<U32>(i64::from(v));
    for slab in 0..slabs {
        let (to, col) = (base + int(slab * rows * SLAB), int(slab * COLS));
        let corner = [col, row, head, sequence].map(Into::into);
        b.hopper(Hopper::TensorLoad, &[&[to.into(), map.into()], &corner[..], &[full.into()]].concat());
    }
}

/// The stage of a turn in a ring of so many, and the parity of its phase.
pub(super) fn stage(turn: Value<'_, U32>, stages: u32) -> [Value<'_, U32>; 2] {
    let int = |v: u32| turn.builder().int::<U32>(i64::from(v));
    [turn & int(stages - 1), (turn >> int(stages.ilog2())) & int(1)]
}

/// The products of a group's rows with those of a tile along so many elements, under way; slabs are so many rows apart.
pub(super) fn products<'b>(
    own: (Value<'b, U32>, u32),
    tile: (Value<'b, U32>, u32),
    dim: u32,
) -> Vec<Value<'b, F32>> {
    let b = own.0.builder();
    let mut products = Vec::new();
    for slab in 0..slabs(dim) {
        let [x, y] = [own, tile].map(|(at, rows)| descriptor(at + b.int(i64::from(slab * rows * SLAB)), 16));
        for step in 0..(dim - slab * COLS).min(COLS) / 16 {
            let by = b.int(i64::from(2 * step));
            products = b.wgmma(Group::Bf16, tile.1 as u16, [x + by, y + by], [false; 2], &products);
        }
    }
    b.hopper(Hopper::GroupCommit, &[]);
    products
}

/// Adds the rows of a tile, so many, times weights in `bf16`, without a commit.
pub(super) fn add_rows<'b>(
    (tile, rows): (Value<'b, U32>, u32),
    dim: u32,
    weights: &[Value<'b, F32>],
    sums: &[Value<'b, F32>],
) -> Vec<Value<'b, F32>> {
    let b = tile.builder();
    let v = descriptor(tile, rows * SLAB);
    let mut sums = sums.to_vec();
    for (step, four) in weights.as_chunks::<4>().0.iter().enumerate() {
        let a = four.map(|w| w.cast::<B32>());
        // 16 rows further down.
        let v = v + b.int(step as i64 * i64::from(16 * SLAB / 16));
        sums = b.wgmma_held(Group::Bf16, dim as u16, a, v, &sums);
    }
    sums
}

/// A warp arrives.
pub(super) fn arrive<'b>(thread: Value<'b, U32>, barrier: Value<'b, U32>) {
    let b = thread.builder();
    b.when((thread & b.int(31)).compare(Cmp::Eq, b.int(0)), || {
        b.hopper(Hopper::BarrierArrive, &[barrier.into()]);
    });
}

/// Two neighbours in `bf16`. Not while products are under way: their registers are operands.
pub(super) fn round<'b>(all: &[Value<'b, F32>]) -> Vec<Value<'b, F32>> {
    all.as_chunks::<2>().0.iter().map(|[x, y]| x.builder().pack(Group::Bf16, *x, *y).cast()).collect()
}

/// Where a thread writes its part of a head in each row: from a column of the head on, of which there may be up to 15 fewer than
/// the kernel has.
#[derive(Clone, Copy)]
pub(super) struct Columns<'b> {
    out: On<'b>,
    left: Value<'b, U32>,
    /// Columns that there are from there, and those that there are in any case.
    room: Value<'b, U32>,
    sure: u32,
    /// Whether neighbours are aligned.
    paired: Value<'b, Pred>,
}

impl<'b> Columns<'b> {
    /// Those of a thread, in a kernel for heads of `filled` elements.
    pub(super) fn new(
        op: &Heads<'b, F32>,
        out: On<'b>,
        head: Value<'b, U32>,
        thread: Value<'b, U32>,
        filled: u32,
    ) -> Self {
        let b = thread.builder();
        let first = (thread & b.int(3)) * b.int(2);
        let even = (op.dim & b.int(1)).compare(Cmp::Eq, b.int(0));
        Self {
            out,
            left: head * op.dim + first,
            room: Heads::<F32>::less(op.dim, first),
            // The thread's first column is 6 at most.
            sure: (filled - 15).saturating_sub(6),
            paired: out.beside(2) & even,
        }
    }

    /// Elements of a row, by their columns from the first: pairs of neighbours where these are aligned, else one by one.
    pub(super) fn put(&self, row: Value<'b, U32>, line: &[(u32, Value<'b, F32>)]) {
        let b = row.builder();
        let inside = |k: u32, put: &dyn Fn()| match k < self.sure {
            true => put(),
            false => b.when(b.int::<U32>(i64::from(k)).compare(Cmp::Lt, self.room), put),
        };
        b.either::<U32, 0>(
            self.paired,
            || {
                let at = self.out.place(row, self.left);
                for [(k, x), (_, y)] in line.as_chunks::<2>().0 {
                    inside(*k, &|| b.store_vector(Space::Global, at, 4 * *k as i32, [*x, *y]));
                }
                []
            },
            || {
                for (k, v) in line {
                    inside(*k, &|| self.out.put(row, self.left + b.int(i64::from(*k)), *v));
                }
                []
            },
        );
    }
}
