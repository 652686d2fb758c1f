//! Top-k on devices: by ranks within chunks, or by radix select.

use super::super::device::{Computes, Device, Error};
use super::super::record::Recorded;
use super::super::template::select::{self, DIGITS, Of, STATE};
use super::super::template::{Argument, vector};
use super::ops::{Done, Scalar};
use super::plan::{POINTWISE, Plan, Planner, counted};
use super::{Gpu, View, ViewMut};
use crate::error::same_len;
use alloc::vec;
use alloc::vec::Vec;

/// Bits of a digit.
const DIGIT: u32 = DIGITS.ilog2();

fn words<const N: usize>(words: [usize; N]) -> impl Iterator<Item = Argument> {
    words.into_iter().map(|w| Argument::Bits(w as u64))
}

impl Planner {
    /// The `k` largest or smallest of `n` elements, in order; the operands are `x`, the indices, the elements. Up to a chunk each
    /// element's place is the number of those before it; of more, first the digits of the last one that is chosen are found,
    /// one by one, where kernels have atomic additions, else the `k` of each chunk.
    ///
    /// # Errors
    /// `Overflow`, [`Error::Limit`].
    pub fn selection<T: Recorded>(&self, [n, k]: [usize; 2], largest: bool) -> Result<Plan, Error> {
        self.line::<T>("x", n)?;
        if k == 0 {
            return Ok(Plan { launches: Vec::new(), scratch: Vec::new() });
        }
        if n > vector::TOP_CHUNK as usize && self.optimise && !self.short {
            return self.by_digits::<T>([n, k], largest);
        }
        self.by_chunks::<T>([n, k], largest)
    }

    fn by_chunks<T: Recorded>(&self, [mut n, k]: [usize; 2], largest: bool) -> Result<Plan, Error> {
        const CHUNK: usize = vector::TOP_CHUNK as usize;
        // Behind the operands comes what each step chose.
        let (mut launches, mut scratch) = (vec![], vec![]);
        let step = |from: Option<usize>, to: usize, last: bool, n: usize, chunk: usize| {
            let op = match (largest, from.is_some(), last) {
                (true, false, false) => "top_k_part",
                (true, true, false) => "top_k_merge",
                (true, false, true) => "top_k",
                (true, true, true) => "top_k_last",
                (false, false, false) => "bottom_k_part",
                (false, true, false) => "bottom_k_merge",
                (false, false, true) => "bottom_k",
                (false, true, true) => "bottom_k_last",
            };
            let values = if last { Some(2) } else { None };
            let buffers = [Some(0), Some(to), from, values].into_iter().flatten().map(Argument::Buffer);
            let all = buffers.chain(words([n, chunk, k])).collect();
            self.flat::<T>(op, || Some(vector::top_k::<T>(op, largest)), n, all)
        };
        let mut from = None;
        while n > CHUNK && 2 * k <= CHUNK {
            let to = 3 + scratch.len();
            launches.push(step(from, to, false, n, CHUNK)?);
            n = n / CHUNK * k + (n % CHUNK).min(k);
            scratch.push(4 * n as u64);
            from = Some(to);
        }
        launches.push(step(from, 1, true, n, n)?);
        Ok(Plan { launches, scratch })
    }

    fn by_digits<T: Recorded>(&self, [n, k]: [usize; 2], largest: bool) -> Result<Plan, Error> {
        // Digits of keys from the highest on, then those of indices, as many as these have.
        let bits = |of: u32| (0..of.div_ceil(DIGIT)).rev().map(|digit| digit * DIGIT);
        let places = usize::BITS - (n - 1).leading_zeros();
        let keys = bits(8 * T::TYPE.bytes()).map(|shift| (Of::Keys, shift));
        let passes: Vec<(Of, u32)> = keys.chain(bits(places).map(|shift| (Of::Indices, shift))).collect();
        // Operands: x, indices, values; the state and the histograms, the indices in no order.
        let [state, found] = [3, 4];
        let count = STATE as usize + passes.len() * DIGITS as usize;
        let mut launches = vec![self.filled(state, count, [0, 0])?];
        for (pass, (of, shift)) in passes.into_iter().enumerate() {
            let all = match of {
                Of::Keys => 8 * T::TYPE.bytes(),
                Of::Indices => 32,
            };
            // Bits of the digits before this one.
            let mask = u64::MAX.checked_shl(shift + DIGIT).unwrap_or(0) & (u64::MAX >> (64 - all));
            let form = 2 * u32::from(largest) + u32::from(of == Of::Keys);
            let make = || Some(select::counts::<T>(largest, of));
            let program = self.one_by::<T>("top_k_counts", form, make)?;
            let mut args: Vec<Argument> = [0, state].map(Argument::Buffer).into();
            args.extend(words([n, pass, shift as usize]).chain([Argument::Bits(mask)]));
            let blocks = counted("x", n)?.div_ceil(POINTWISE).clamp(1, self.blocks) as usize;
            launches.push(self.grid_of(program, DIGITS, [blocks, 1], args)?);
            let make = || Some(select::choose::<T>(of));
            let program = self.one_by::<T>("top_k_choose", form & 1, make)?;
            let args = core::iter::once(Argument::Buffer(state)).chain(words([k, pass, shift as usize]));
            launches.push(self.grid_of(program, DIGITS, [1, 1], args.collect())?);
        }
        let form = u32::from(largest);
        let args = [0, state, found].map(Argument::Buffer).into_iter().chain(words([n])).collect();
        let make = || Some(select::gather::<T>(largest));
        launches.push(self.flat_by::<T>("top_k_gather", form, make, n, args)?);
        let program = self.one_by::<T>("top_k_order", form, || Some(select::order::<T>(largest)))?;
        let args = [0, found, 1, 2].map(Argument::Buffer).into_iter().chain(words([k])).collect();
        launches.push(self.grid_of(program, DIGITS, [k.div_ceil(DIGITS as usize), 1], args)?);
        Ok(Plan { launches, scratch: vec![4 * count as u64, 4 * k as u64] })
    }
}

impl<D: Device> Gpu<D> {
    /// The `k` largest or smallest elements, with NaN before everything, so that it does not go unseen. The order is that of the
    /// values, then of the indices, on every device. Of more than 512 elements histograms of eight bits at a time find the last one
    /// that is chosen (in WGSL the elements of each chunk are chosen first), so that the elements are read a fixed number of times;
    /// then each of the `k` is compared with the others.
    pub(super) fn extremes<T: Scalar>(
        &self,
        x: View<'_, T, D>,
        k: usize,
        values: ViewMut<'_, T, D>,
        indices: ViewMut<'_, u32, D>,
        largest: bool,
    ) -> Done
    where
        D: Computes<T>,
    {
        if k > x.len() {
            return Err(crate::Error::must_be("k", "at most the length of `x`").into());
        }
        same_len("values", k, values.len())?;
        same_len("indices", k, indices.len())?;
        let plan = self.state.planner.selection::<T::Recorded>([x.len(), k], largest)?;
        self.run(&plan, &[x.binding(self)?, indices.binding(self)?, values.binding(self)?])
    }
}
