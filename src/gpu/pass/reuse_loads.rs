//! Eliminates redundant loads. Each access has the token of the memory that it may touch and a store makes a new token;
//! a load whose address and token occurred before takes the earlier value.

use super::super::ir::{Block, Id, Ids, Inst, Kernel, Op, Space};
use super::super::types::Type;
use super::{Defs, Renaming, rewrite};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Memory that no other name reaches: a shared or local variable, or a whole space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Root {
    pub(super) space: Space,
    pub(super) variable: Option<u32>,
}

/// Where an address points to.
pub(super) fn root(space: Space, at: Id, defs: &Defs) -> Root {
    let variable = match defs.get(at) {
        Some((Op::Shared(v) | Op::Local(v), ..)) => Some(*v),
        // The base is one of the operands.
        Some((Op::Add, args, _)) => args.iter().find_map(|a| root(space, *a, defs).variable),
        _ => None,
    };
    Root { space, variable }
}

impl Root {
    /// Whether both may be the same memory.
    pub(super) fn overlaps(self, o: Self) -> bool {
        self.space == o.space
            && match (self.variable, o.variable) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            }
    }
}

type Key = (Root, Id, i32, Type, usize);

/// Reads that have the token of an earlier read or write of the same address take its value.
pub fn reuse_loads(k: &mut Kernel) {
    let defs = Defs::new(k);
    rewrite(k, |k, body| {
        let mut r = Reuse { k, defs, names: Renaming::new() };
        r.block(body, &mut BTreeMap::new())
    });
}

struct Reuse<'k> {
    k: &'k Kernel,
    defs: Defs,
    names: Renaming,
}

/// What is known to be at each address, under the tokens of now.
type Known = BTreeMap<Key, Ids>;

impl Reuse<'_> {
    fn block(&mut self, b: Block, known: &mut Known) -> Block {
        let mut insts = Vec::with_capacity(b.insts.len());
        for mut i in b.insts {
            i.args = self.names.list(&i.args);
            if !self.inst(&mut i, known) {
                insts.push(i);
            }
        }
        Block { params: b.params, insts, yields: self.names.list(&b.yields) }
    }

    /// Whether the instruction is not needed any more.
    fn inst(&mut self, i: &mut Inst, known: &mut Known) -> bool {
        let at = i.args.at(0);
        let values: Ids = i.args.iter().skip(1).copied().collect();
        match i.op {
            Op::Load { space, offset } => {
                let key = (root(space, at, &self.defs), at, offset, self.k.ty(i.dst.at(0)), i.dst.len());
                if let Some(there) = known.get(&key) {
                    i.dst.iter().zip(there.iter()).for_each(|(d, v)| self.names.set(*d, *v));
                    return true;
                }
                known.insert(key, i.dst.clone());
            }
            Op::Store { space, offset } => {
                let touched = root(space, at, &self.defs);
                known.retain(|key, _| !key.0.overlaps(touched));
                known.insert((touched, at, offset, self.k.ty(values.at(0)), values.len()), values);
            }
            Op::If => {
                let blocks = core::mem::take(&mut i.blocks);
                i.blocks = blocks.into_iter().map(|b| self.block(b, &mut known.clone())).collect();
                if i.blocks.iter().any(changes) {
                    known.clear();
                }
            }
            Op::For { .. } | Op::Repeat => {
                // A loop may wait for what others write.
                if i.op == Op::Repeat || i.blocks.iter().any(changes) {
                    known.clear();
                }
                let blocks = core::mem::take(&mut i.blocks);
                i.blocks = blocks.into_iter().map(|b| self.block(b, &mut known.clone())).collect();
            }
            op if changes_memory(op) => known.clear(),
            _ => {}
        }
        false
    }
}

fn changes(b: &Block) -> bool {
    b.insts.iter().any(|i| changes_memory(i.op) || i.blocks.iter().any(changes))
}

const fn changes_memory(op: Op) -> bool {
    matches!(
        op,
        Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Barrier
            | Op::Fence
            | Op::CopyAsync { .. }
            | Op::CopyCommit
            | Op::CopyWait(_)
            | Op::Hopper(_)
    )
}
