//! Alias analysis: the parameters (buffers) that the address of an access may derive from, and those that a kernel may
//! write.

use super::ir::{Block, Id, Inst, Kernel, Op, Space};
use alloc::vec;
use alloc::vec::Vec;

/// Every parameter.
pub(crate) const ALL: u64 = u64::MAX;

/// Of each value, the parameters that it is made from, a bit each.
pub(crate) struct Reach {
    of: Vec<u64>,
    changed: bool,
}

impl Kernel {
    /// The parameters that values are made from; `None` of a kernel with more than 64.
    pub(crate) fn reach(&self) -> Option<Reach> {
        if self.params.len() > 64 || !self.is_shallow() {
            return None;
        }
        let mut reach = Reach { of: vec![0; self.types.len()], changed: true };
        // Values that loops carry reach their own start.
        while reach.changed {
            reach.changed = false;
            reach.block(&self.body);
        }
        Some(reach)
    }

    /// The parameters whose memory may be written, a bit each; all of them where that cannot be told.
    pub(crate) fn written(&self) -> u64 {
        fn walk(b: &Block, reach: &Reach) -> u64 {
            b.insts.iter().fold(0, |all, i| {
                let here = match i.op {
                    Op::Store { space: Space::Global, .. } | Op::Atomic { space: Space::Global, .. } => {
                        reach.known(i.args.at(0))
                    }
                    _ => 0,
                };
                i.blocks.iter().fold(all | here, |all, b| all | walk(b, reach))
            })
        }
        self.reach().map_or(ALL, |reach| walk(&self.body, &reach))
    }
}

impl Reach {
    /// The parameters that an address is made from: all, if none is known.
    pub(crate) fn known(&self, at: Id) -> u64 {
        match self.all(&[at]) {
            0 => ALL,
            some => some,
        }
    }

    fn all(&self, ids: &[Id]) -> u64 {
        ids.iter().fold(0, |all, id| all | self.of.get(id.0 as usize).copied().unwrap_or(ALL))
    }

    fn add(&mut self, ids: &[Id], more: u64) {
        for id in ids {
            if let Some(of) = self.of.get_mut(id.0 as usize)
                && *of | more != *of
            {
                *of |= more;
                self.changed = true;
            }
        }
    }

    fn block(&mut self, block: &Block) {
        block.insts.iter().for_each(|i| self.inst(i));
    }

    fn inst(&mut self, i: &Inst) {
        let from = self.all(&i.args);
        match i.op {
            Op::Param(p) => self.add(&i.dst, 1 << p),
            // What memory holds is no address.
            Op::Load { .. } | Op::Atomic { .. } => {}
            Op::If | Op::For { .. } | Op::Repeat => self.control(i),
            _ => self.add(&i.dst, from),
        }
    }

    /// What blocks take and yield, one by one.
    fn control(&mut self, i: &Inst) {
        // Operands before the carried ones, what a block takes before those, and what it yields before them.
        let [operands, taken, yielded] = match i.op {
            Op::For { .. } => [3, 1, 0],
            Op::Repeat => [0, 0, 1],
            _ => [usize::MAX, 0, 0],
        };
        let carried = i.args.get(operands..).unwrap_or_default();
        let before = self.all(i.args.get(..operands).unwrap_or_default());
        for block in &i.blocks {
            self.add(block.params.get(..taken).unwrap_or_default(), before);
            for (k, yields) in block.yields.iter().skip(yielded).enumerate() {
                let from = self.all(&[*yields]) | carried.get(k).map_or(0, |id| self.all(&[*id]));
                let to = [block.params.get(taken + k), i.dst.get(k)];
                to.into_iter().flatten().for_each(|id| self.add(&[*id], from));
            }
            self.block(block);
        }
    }
}
