//! Decoding over a KV cache in half precision or quantised blocks, contiguous or paged.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::template::attention::Scores;
pub use super::super::template::decode::DeviceCached;
use super::super::template::decode::{PARTS, Split, merge, split};
use super::super::template::{Argument, THREADS};
use super::super::types::F32;
use super::ops::{Done, Scalar, arguments, called};
use super::plan::wide;
use super::{Gpu, View, ViewMut, Word};
use crate::backend::Caches;
use crate::nn::{Checked, checked};
use crate::{Attention, Pages};
use alloc::vec;
use alloc::vec::Vec;

/// Turns of keys that a block has at least, where there are so many.
const TURNS: usize = 2;
/// Elements of a head at most.
const LONGEST: u64 = 2048;
/// Threads of a block that merges parts.
const MERGING: u32 = 512;

impl<D: Device> Gpu<D> {
    /// Attention of a query that sees the last of `len` keys, over rows of keys and of values that are `pitches` elements
    /// apart; `T` is `f32`.
    #[allow(clippy::type_complexity, reason = "the table, the status words, and keys of a page and pages")]
    #[allow(clippy::too_many_arguments, reason = "the operands, and how they lie")]
    pub(super) fn decoded<C: DeviceCached, T: Scalar>(
        &self,
        op: &Attention<T>,
        len: usize,
        [q, keys, values, out]: [Binding<'_, D::Buffer>; 4],
        pitches: [usize; 2],
        before: [usize; 2],
        pages: Option<(Binding<'_, D::Buffer>, Binding<'_, D::Buffer>, [usize; 2])>,
        lse: Option<Binding<'_, D::Buffer>>,
    ) -> Done {
        let &Attention { heads, kv_heads, dim, .. } = op;
        let planner = &self.state.planner;
        let (start, group) = (op.window.map_or(0, |window| len - window.min(len)), heads / kv_heads);
        let aligned = |n: &usize| (n / C::ELEMENTS * size_of::<C>()).is_multiple_of(16);
        let aligned = wide(&[keys, values]) && aligned(&dim) && pitches.iter().all(aligned);
        let [many, one] = C::READS;
        let each = if aligned { many } else { one };
        let scores = Scores { capped: op.softcap.is_some(), masked: false };
        let form = Split::of(planner.meet, dim as u32, each, group as u32, pages.is_some(), scores);
        let by = form.ok_or_else(|| Error::Limit {
            device: planner.device.clone(),
            what: "elements of a head",
            asked: dim as u64,
            available: LONGEST,
        })?;
        let make = || Some(split::<C>(planner.meet, by));
        let program = planner.one_by::<F32>(C::NAME, 1 << 31 | by.number(), make)?;
        let merging = MERGING.min(planner.widest());
        let sets = kv_heads * group.div_ceil(by.heads as usize);
        let most = (len - start).div_ceil(by.keys() as usize * TURNS).max(1);
        // Twice as many blocks as have registers at once: of one head 64 a thread, of more 128.
        let blocks = if by.heads == 1 { planner.blocks } else { planner.blocks / 2 };
        let parts = (blocks as usize).div_ceil(sets).clamp(1, most).min(PARTS.min(merging) as usize);
        let scratch = (heads * parts).saturating_mul(dim + 2);
        planner.line::<F32>("q", scratch)?;
        // Operands: q, keys, values, out, with pages the table and the status words, lse or scratch for it; then the parts.
        let mut bound = vec![q, keys, values, out];
        let [first, second] = before;
        let mut words = vec![start, len, group, dim, pitches[0], pitches[1], first, second];
        let mut more = vec![];
        if let Some((table, status, [rows, held])) = pages {
            more.extend([4, 5].map(Argument::Buffer));
            bound.extend([table, status]);
            words.extend([rows, held]);
        }
        let sums = bound.len();
        bound.extend(lse);
        let room = lse.map_or(Some(4 * heads as u64), |_| None).into_iter().chain([4 * scratch as u64]);
        let parts_at = sums + 1;
        let mut all = [0, 1, 2, parts_at].map(Argument::Buffer).to_vec();
        all.extend(more);
        let numbers: Vec<T> = [Some(op.scale), op.softcap].into_iter().flatten().collect();
        all.extend(arguments(0, &words, &numbers));
        let first = planner.grid_of(program, THREADS, [parts, sets], all)?;
        let mut all = [parts_at, 3, sums].map(Argument::Buffer).to_vec();
        all.extend(arguments::<T>(0, &[parts, dim], &[]));
        let program = planner.one::<F32>("decode_merge", || Some(merge(planner.meet, merging)))?;
        let second = planner.grid_of(program, merging, [heads, 1], all)?;
        self.go(vec![first, second], room.collect(), &bound)
    }
}

impl<C: DeviceCached + Word, D: Computes<f32>> Caches<C> for Gpu<D> {
    /// [`attention_decode`](crate::attention_decode()). A page past the end of the cache is
    /// as if its keys were not there, and the next [`Gpu::download`] says so.
    ///
    /// # Errors
    /// Those of the op but for [`Index`](crate::Error::Index), [`Error::Limit`] (for heads of more than 2048 elements, too),
    /// [`Error::Lost`].
    #[allow(clippy::too_many_arguments, reason = "the formula's operands")]
    fn attention_decode(
        &self,
        op: &Attention<f32>,
        q: View<'_, f32, D>,
        keys: View<'_, C, D>,
        values: View<'_, C, D>,
        pages: Option<Pages<View<'_, u32, D>>>,
        out: ViewMut<'_, f32, D>,
        lse: Option<ViewMut<'_, f32, D>>,
        _: (),
    ) -> Done {
        called!(attention_decode, {
            let told = pages.as_ref().map(|p| [p.table.len(), p.rows, p.len]);
            let lens = [q.len(), keys.len(), values.len(), out.len()];
            let Checked { len, held, .. } = checked::<C>(op, lens, lse.as_ref().map(ViewMut::len), told)?;
            let planner = &self.state.planner;
            planner.line::<F32>("q", q.len())?;
            for (arg, x) in [("keys", keys), ("values", values)] {
                planner.line::<F32>(arg, x.len().saturating_mul(C::ELEMENTS))?;
            }
            planner.line::<F32>("pages", len)?;
            let pages =
                pages.map(|p| Ok::<_, Error>((p.table.binding(self)?, self.status()?, [p.rows, held])));
            self.decoded::<C, f32>(
                op,
                len,
                [q.binding(self)?, keys.binding(self)?, values.binding(self)?, out.binding(self)?],
                [op.kv_heads * op.dim; 2],
                [keys.before(), values.before()],
                pages.transpose()?,
                lse.map(|lse| lse.binding(self)).transpose()?,
            )
        })
    }
}
