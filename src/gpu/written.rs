//! Which operands a kernel writes: parameters that reach the address of a store.

use super::ir::{Block, Id, Inst, Kernel, Op, Space};
use alloc::vec;
use alloc::vec::Vec;

/// Every parameter.
pub(crate) const ALL: u64 = u64::MAX;

/// Of each value, the parameters that it is made from, a bit each.
struct Reach {
    of: Vec<u64>,
    written: u64,
    changed: bool,
}

impl Kernel {
    /// The parameters whose memory may be written, a bit each; all of them where that cannot be told.
    pub(crate) fn written(&self) -> u64 {
        if self.params.len() > 64 {
            return ALL;
        }
        let mut reach = Reach { of: vec![0; self.types.len()], written: 0, changed: true };
        // Values that loops carry reach their own start.
        while reach.changed {
            reach.changed = false;
            reach.block(&self.body);
        }
        reach.written
    }
}

impl Reach {
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
        if let Op::Store { space: Space::Global, .. } | Op::Atomic { space: Space::Global, .. } = i.op {
            let at = self.all(&i.args[..1]);
            self.written |= if at == 0 { ALL } else { at };
        }
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
