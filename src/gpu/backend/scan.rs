//! Cumulative sums of rows on devices.

use super::super::device::Error;
use super::super::record::Recorded;
use super::super::template::Argument;
use super::super::template::scan::{self, STAGED, Scan};
use super::plan::{Plan, Planner};
use alloc::vec;
use alloc::vec::Vec;

/// Tiles of a row from which on blocks share it: below, a second launch takes longer.
const SHARED: usize = 4;

impl Planner {
    /// The launches of running sums; the operands are `x`, `out`. `wide`: whether both start at multiples of 16 bytes.
    ///
    /// # Errors
    /// `Overflow`, [`Error::Limit`].
    pub fn running<T: Recorded>(&self, [rows, cols]: [usize; 2], wide: bool) -> Result<Plan, Error> {
        let n = rows.checked_mul(cols).ok_or(crate::Error::overflow("x"))?;
        self.line::<T>("x", n)?;
        let bits = |v: usize| Argument::Bits(v as u64);
        let two = [0, 1].map(Argument::Buffer);
        let arguments = |more: &[Argument], words: [usize; 2]| -> Vec<Argument> {
            two.iter().chain(more).copied().chain(words.map(bits)).collect()
        };
        let only = |launches| Ok(Plan { launches, scratch: Vec::new() });
        if n == 0 {
            return only(Vec::new());
        }
        let stage = (STAGED as usize * (Scan::SINGLE + 1) * T::TYPE.bytes() as usize) as u64;
        let staged = stage <= u64::from(self.limits.shared) && STAGED <= self.limits.threads;
        if cols <= Scan::SINGLE && rows > STAGED as usize && cols > 1 && staged {
            let program = self.one::<T>("cumsum_staged", || Some(scan::staged::<T>()))?;
            let blocks = rows.div_ceil(STAGED as usize);
            return only(vec![self.grid_of(program, STAGED, [blocks, 1], arguments(&[], [rows, cols]))?]);
        }
        if cols <= Scan::SINGLE {
            let make = || Some(scan::single::<T>());
            return only(vec![self.flat::<T>("cumsum", make, rows, arguments(&[], [rows, cols]))?]);
        }
        // WGSL's arrays of four elements have no part that a thread may write.
        let wide = wide && self.optimise && !self.short;
        let (width, meet) = (T::TYPE.bytes(), self.meet);
        let of = Scan::of([cols, self.widest() as usize], width, meet, self.short, wide);
        let (tile, block) = (of.tile(width) as usize, of.threads.block);
        let most = (self.blocks as usize / rows).min(cols.div_ceil(tile));
        if most < SHARED || rows > self.limits.grid[1] as usize {
            let make = || Some(scan::rows::<T>(meet, of));
            let program = self.one_by::<T>("cumsum_rows", of.number(), make)?;
            let blocks = rows.div_ceil(of.threads.rows() as usize);
            return only(vec![self.grid_of(program, block, [blocks, 1], arguments(&[], [rows, cols]))?]);
        }
        // Parts of whole tiles; the first begins up to a piece before its row.
        let many = scan::many(width) as usize;
        let reach = if wide && !cols.is_multiple_of(many) { cols + many - 1 } else { cols };
        let length = reach.div_ceil(most).next_multiple_of(tile);
        let parts = reach.div_ceil(length);
        let sums = self.one_by::<T>("cumsum_parts", of.number(), || Some(scan::parts::<T>(meet, of)))?;
        let all = self.one_by::<T>("cumsum_by_parts", of.number(), || Some(scan::by_parts::<T>(meet, of)))?;
        let buffers = [0, 2].map(Argument::Buffer).into_iter();
        let first = buffers.chain([cols, length].map(bits)).collect();
        let launches = vec![
            self.grid_of(sums, block, [parts - 1, rows], first)?,
            self.grid_of(all, block, [parts, rows], arguments(&[Argument::Buffer(2)], [cols, length]))?,
        ];
        Ok(Plan { launches, scratch: vec![(rows * parts) as u64 * u64::from(width)] })
    }
}
