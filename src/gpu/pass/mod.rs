//! The optimisation passes over the intermediate representation: each keeps the meaning of a kernel.

pub mod barrier;
mod fma;
mod fold;
mod loop_split;
mod pressure;
mod reuse_loads;
mod stored;
mod strength;
mod unroll;

pub use barrier::remove_barriers;
pub use fma::fuse;
pub use fold::{fold, remove_dead};
pub use loop_split::split;
pub use pressure::pressure;
pub use reuse_loads::reuse_loads;
pub(crate) use stored::store_halves;
pub use strength::reduce_strength;
pub use unroll::unroll;

use super::ir::{Block, Id, Ids, Inst, Kernel, Op};
use alloc::vec;
use alloc::vec::Vec;

/// All passes, in an order in which each prepares the next.
pub fn optimise(k: &mut Kernel) {
    fold(k);
    split(k);
    unroll(k);
    fold(k);
    reduce_strength(k);
    fold(k);
    fuse(k);
    remove_barriers(k);
    reuse_loads(k);
    fold(k);
    remove_dead(k);
}

/// Takes the body out of the kernel while a pass makes a new one.
fn rewrite(k: &mut Kernel, f: impl FnOnce(&mut Kernel, Block) -> Block) {
    // Verification refuses it.
    if !k.is_shallow() {
        return;
    }
    let body = core::mem::replace(&mut k.body, Block::EMPTY);
    k.body = f(k, body);
}

/// Which instruction's op defines each value, with its operands.
struct Defs(Vec<Option<(Op, Ids, bool)>>);

impl Defs {
    fn new(k: &Kernel) -> Self {
        fn walk(b: &Block, defs: &mut Vec<Option<(Op, Ids, bool)>>) {
            for i in &b.insts {
                if let Some(d) = defs.get_mut(i.dst.at(0).0 as usize).filter(|_| i.dst.len() == 1) {
                    *d = Some((i.op, i.args.clone(), i.contract));
                }
                i.blocks.iter().for_each(|b| walk(b, defs));
            }
        }
        let mut defs = vec![None; k.types.len()];
        if !k.is_shallow() {
            return Self(defs);
        }
        walk(&k.body, &mut defs);
        Self(defs)
    }

    fn get(&self, id: Id) -> Option<&(Op, Ids, bool)> {
        self.0.get(id.0 as usize).and_then(Option::as_ref)
    }

    fn constant(&self, id: Id) -> Option<u64> {
        match self.get(id) {
            Some((Op::Const(bits), ..)) => Some(*bits),
            _ => None,
        }
    }
}

/// How often each value is used.
pub(super) fn uses(k: &Kernel) -> Vec<u32> {
    fn walk(b: &Block, n: &mut Vec<u32>) {
        let mut count = |id: &Id| {
            if let Some(n) = n.get_mut(id.0 as usize) {
                *n += 1;
            }
        };
        b.yields.iter().for_each(&mut count);
        b.insts.iter().for_each(|i| i.args.iter().for_each(&mut count));
        b.insts.iter().for_each(|i| i.blocks.iter().for_each(|b| walk(b, n)));
    }
    let mut n = vec![0; k.types.len()];
    if !k.is_shallow() {
        return n;
    }
    walk(&k.body, &mut n);
    n
}

/// New names for the values of a block that is copied.
struct Renaming(Vec<Option<Id>>);

impl Renaming {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set(&mut self, old: Id, new: Id) {
        let at = old.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        if let Some(slot) = self.0.get_mut(at) {
            *slot = Some(new);
        }
    }

    fn get(&self, id: Id) -> Id {
        self.0.get(id.0 as usize).copied().flatten().unwrap_or(id)
    }

    fn list(&self, ids: &[Id]) -> Ids {
        ids.iter().map(|id| self.get(*id)).collect()
    }

    fn fresh(&mut self, k: &mut Kernel, ids: &[Id]) -> Ids {
        ids.iter()
            .map(|id| {
                let new = k.fresh(k.ty(*id));
                self.set(*id, new);
                new
            })
            .collect()
    }

    fn insts(&mut self, k: &mut Kernel, insts: &[Inst]) -> Vec<Inst> {
        insts
            .iter()
            .map(|i| {
                let args = self.list(&i.args);
                let blocks = i.blocks.iter().map(|b| self.block(k, b)).collect();
                let dst = self.fresh(k, &i.dst);
                Inst { op: i.op, contract: i.contract, dst, args, blocks }
            })
            .collect()
    }

    fn block(&mut self, k: &mut Kernel, b: &Block) -> Block {
        let params = self.fresh(k, &b.params);
        let insts = self.insts(k, &b.insts);
        Block { params, insts, yields: self.list(&b.yields) }
    }
}

/// Applies `f` to every block, the innermost first.
fn each_block(b: &mut Block, f: &mut impl FnMut(&mut Block)) {
    b.insts.iter_mut().for_each(|i| i.blocks.iter_mut().for_each(|b| each_block(b, f)));
    f(b);
}

/// Defines a new value by an instruction.
fn define(k: &mut Kernel, out: &mut Vec<Inst>, op: Op, ty: super::types::Type, args: &[Id]) -> Id {
    let id = k.fresh(ty);
    out.push(Inst::new(op, Ids::from(&[id][..]), args.into()));
    id
}
