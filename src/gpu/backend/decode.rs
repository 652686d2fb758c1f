//! Attention of one query over a cache of keys and values in few bits, in order or in pages.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::template::attention::Scores;
use super::super::template::decode::{PARTS, Split, merge, split};
use super::super::template::{Argument, THREADS};
use super::super::types::F32;
use super::ops::{Done, arguments};
use super::plan::wide;
use super::{Gpu, View, ViewMut, Word};
use crate::Attention;
use crate::nn::{Cached, Checked, checked};
use alloc::vec;

/// Turns of keys that a block has at least, where there are so many.
const TURNS: usize = 2;
/// Threads of a block that merges parts.
const MERGING: u32 = 512;

/// Which pages of a cache hold a text's keys and values: [`Pages`](crate::Pages) of a table on the device.
pub struct PageTable<'a, D: Device> {
    /// The page of the first [`PageTable::rows`] keys, that of the next ones, and so on.
    pub table: View<'a, u32, D>,
    /// Keys in a page.
    pub rows: usize,
    /// Keys of the text so far.
    pub len: usize,
}

impl<D: Device> Gpu<D> {
    /// [`attention_decode`](crate::attention_decode()), without a workspace of the caller's. A page past the end of the cache is
    /// as if its keys were not there, and the next [`Gpu::download`] says so.
    ///
    /// # Errors
    /// Those of the op but for [`Index`](crate::Error::Index), [`Error::Limit`] (for heads of more than 2048 elements, or 64 of
    /// caches whose rows do not start at multiples of 16 bytes, too), [`Error::Lost`].
    #[allow(clippy::too_many_arguments, reason = "the formula's operands")]
    pub fn attention_decode<C: Cached + Word>(
        &self,
        op: &Attention<f32>,
        q: View<'_, f32, D>,
        keys: View<'_, C, D>,
        values: View<'_, C, D>,
        pages: Option<PageTable<'_, D>>,
        out: ViewMut<'_, f32, D>,
        lse: Option<ViewMut<'_, f32, D>>,
    ) -> Done
    where
        D: Computes<f32>,
    {
        let &Attention { heads, kv_heads, dim, .. } = op;
        let told = pages.as_ref().map(|p| [p.table.len(), p.rows, p.len]);
        let lens = [q.len(), keys.len(), values.len(), out.len()];
        let Checked { len, held, .. } = checked::<C>(op, lens, lse.as_ref().map(ViewMut::len), told)?;
        let planner = &self.state.planner;
        planner.line::<F32>("q", q.len())?;
        for (arg, x) in [("keys", keys), ("values", values)] {
            planner.line::<F32>(arg, x.len().saturating_mul(C::ELEMENTS))?;
        }
        planner.line::<F32>("pages", len)?;
        let start = op.window.map_or(0, |window| len - window.min(len));
        let group = heads / kv_heads;
        let bound_cache = [keys.binding(self)?, values.binding(self)?];
        let bytes = dim / C::ELEMENTS * size_of::<C>();
        let aligned = wide(&bound_cache) && bytes.is_multiple_of(16);
        let each = C::READS[usize::from(!aligned)];
        let scores = Scores { capped: op.softcap.is_some(), masked: false };
        let form = Split::of(dim as u32, each, group as u32, pages.is_some(), scores);
        let by = form.ok_or_else(|| Error::Limit {
            device: planner.device.clone(),
            what: "elements of a head",
            asked: dim as u64,
            available: u64::from(each) * 64 * 32 / u64::from(each).max(1),
        })?;
        let program =
            planner.one_by::<F32>(C::NAME, 1 << 31 | by.number(), || Some(split::<C>(planner.meet, by)))?;
        let merging = MERGING.min(planner.widest());
        let sets = kv_heads * group.div_ceil(by.heads as usize);
        let most = (len - start).div_ceil(by.keys() as usize * TURNS).max(1);
        // As many blocks as have registers at once.
        let parts =
            (planner.blocks as usize / 2).div_ceil(sets).clamp(1, most).min(PARTS.min(merging) as usize);
        let scratch = (heads * parts).saturating_mul(dim + 2);
        planner.line::<F32>("q", scratch)?;
        // Operands: q, keys, values, out, with pages the table and the status words, lse or scratch for it; then the parts.
        let [keys_on, values_on] = bound_cache;
        let mut bound = vec![q.binding(self)?, keys_on, values_on, out.binding(self)?];
        let mut more = vec![];
        let mut words = vec![start, len, heads, group, dim, keys.before(), values.before()];
        if let Some(pages) = &pages {
            more.extend([Argument::Buffer(bound.len()), Argument::Buffer(bound.len() + 1)]);
            bound.extend([pages.table.binding(self)?, self.status()?]);
            words.extend([pages.rows, held]);
        }
        let sums = bound.len();
        let mut room = vec![];
        match &lse {
            Some(lse) => bound.push(lse.binding(self)?),
            None => room.push(4 * heads as u64),
        }
        room.push(4 * scratch as u64);
        let parts_at = sums + 1;
        let mut all =
            vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Buffer(2), Argument::Buffer(parts_at)];
        all.extend(more);
        let numbers: alloc::vec::Vec<f32> = [Some(op.scale), op.softcap].into_iter().flatten().collect();
        all.extend(arguments(0, &words, &numbers));
        let first = planner.grid_of(program, THREADS, [parts, sets], all)?;
        let mut all = [parts_at, 3, sums].map(Argument::Buffer).to_vec();
        all.extend(arguments::<f32>(0, &[parts, dim], &[]));
        let program = planner.one::<F32>("decode_merge", || Some(merge(planner.meet, merging)))?;
        let second = planner.grid_of(program, merging, [heads, 1], all)?;
        let bound: &[Binding<'_, D::Buffer>] = &bound;
        self.go(vec![first, second], room, bound)
    }
}
