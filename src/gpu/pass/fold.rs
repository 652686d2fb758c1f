//! Constant folding, elimination of common subexpressions and of dead code.

use super::super::eval::eval;
use super::super::ir::{Block, Id, Ids, Inst, Kernel, Op};
use super::super::types::Type;
use super::{rewrite, uses};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

type Key = (Op, bool, Type, Ids);

/// Computes what is constant, and what is computed twice once. Approximate instructions are left to the GPU.
pub fn fold(k: &mut Kernel) {
    rewrite(k, |k, body| {
        let n = k.types.len();
        let same = (0..n as u32).map(Id).collect();
        Fold { k, same, constants: vec![None; n], seen: BTreeMap::new(), log: Vec::new() }.block(body)
    });
}

struct Fold<'k> {
    k: &'k Kernel,
    // What each value is replaced by.
    same: Vec<Id>,
    constants: Vec<Option<u64>>,
    seen: BTreeMap<Key, Id>,
    // Keys in the order in which they were seen, so that those of a block end with it.
    log: Vec<Key>,
}

impl Fold<'_> {
    fn now(&self, id: Id) -> Id {
        self.same.get(id.0 as usize).copied().unwrap_or(id)
    }

    fn list(&self, ids: &[Id]) -> Ids {
        ids.iter().map(|id| self.now(*id)).collect()
    }

    fn replace(&mut self, old: Id, new: Id) {
        if let Some(s) = self.same.get_mut(old.0 as usize) {
            *s = new;
        }
    }

    fn constant(&self, id: Id) -> Option<u64> {
        self.constants.get(id.0 as usize).copied().flatten()
    }

    fn block(&mut self, b: Block) -> Block {
        let mark = self.log.len();
        let mut insts = Vec::with_capacity(b.insts.len());
        b.insts.into_iter().for_each(|i| self.inst(i, &mut insts));
        let yields = self.list(&b.yields);
        for key in self.log.drain(mark..) {
            self.seen.remove(&key);
        }
        Block { params: b.params, insts, yields }
    }

    fn inst(&mut self, mut i: Inst, out: &mut Vec<Inst>) {
        i.args = self.list(&i.args);
        if i.op == Op::If
            && let Some(p) = self.constant(i.args.at(0))
        {
            let taken = i.blocks.into_iter().nth(usize::from(p & 1 == 0)).unwrap_or(Block::EMPTY);
            taken.insts.into_iter().for_each(|i| self.inst(i, out));
            for (d, y) in i.dst.iter().zip(taken.yields.iter()) {
                self.replace(*d, self.now(*y));
            }
            return;
        }
        let blocks = core::mem::take(&mut i.blocks);
        i.blocks = blocks.into_iter().map(|b| self.block(b)).collect();
        let dst = i.dst.at(0);
        if i.op.arity().is_some() && !matches!(i.op, Op::Approx(_)) {
            if let Some(bits) = self.computed(&i) {
                i = Inst::new(Op::Const(bits), i.dst, Ids::NONE);
            } else if let Some(x) = self.identity(&i) {
                return self.replace(dst, x);
            }
        }
        if let Op::Const(bits) = i.op
            && let Some(c) = self.constants.get_mut(dst.0 as usize)
        {
            *c = Some(bits);
        }
        if i.op.is_pure() {
            let mut args = i.args.clone();
            if matches!(i.op, Op::Add | Op::Mul | Op::MulWide | Op::MulHi | Op::And | Op::Or | Op::Xor) {
                args.sort_unstable();
            }
            let key = (i.op, i.contract, self.k.ty(dst), args);
            if let Some(known) = self.seen.get(&key) {
                return self.replace(dst, *known);
            }
            self.log.push(key.clone());
            self.seen.insert(key, dst);
        }
        out.push(i);
    }

    fn computed(&self, i: &Inst) -> Option<u64> {
        let mut bits = [0; 3];
        for (b, a) in bits.iter_mut().zip(i.args.iter()) {
            *b = self.constant(*a)?;
        }
        let from = self.k.ty(i.args.at(usize::from(i.op == Op::Select)));
        Some(eval(i.op, self.k.ty(i.dst.at(0)), from, bits))
    }

    /// The operand that the result equals. Not for floats, whose zeros and NaN are not neutral.
    fn identity(&self, i: &Inst) -> Option<Id> {
        let ty = self.k.ty(i.dst.at(0));
        let (a, b) = (i.args.at(0), i.args.at(1));
        match (i.op, self.constant(a), self.constant(b)) {
            (Op::Select, Some(p), _) => Some(i.args.at(if p & 1 != 0 { 1 } else { 2 })),
            (Op::Select, None, _) if b == i.args.at(2) => Some(b),
            (Op::Bitcast, ..) if self.k.ty(a) == ty => Some(a),
            _ if ty.is_float() => None,
            (Op::Add | Op::Or | Op::Xor, Some(0), _) => Some(b),
            (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr, _, Some(0)) => Some(a),
            (Op::Mul, Some(1), _) => Some(b),
            (Op::Mul | Op::Div, _, Some(1)) => Some(a),
            (Op::Mul | Op::And, Some(0), _) => Some(a),
            (Op::Mul | Op::And, _, Some(0)) => Some(b),
            (Op::And, Some(m), _) if m == ty.mask() => Some(b),
            (Op::And, _, Some(m)) if m == ty.mask() => Some(a),
            _ => None,
        }
    }
}

/// Drops instructions whose results nobody uses and that change nothing.
pub fn remove_dead(k: &mut Kernel) {
    if !k.is_shallow() {
        return;
    }
    loop {
        let (used, before) = (uses(k), k.instructions());
        let mut body = core::mem::replace(&mut k.body, Block::EMPTY);
        super::each_block(&mut body, &mut |b| {
            b.insts.retain(|i| {
                let wanted = i.dst.iter().any(|d| used.get(d.0 as usize).is_some_and(|n| *n > 0));
                wanted || effect(i)
            });
        });
        k.body = body;
        if k.instructions() == before {
            return;
        }
    }
}

/// Whether an instruction does more than define its results. A `repeat` may never end, which is an effect.
fn effect(i: &Inst) -> bool {
    match i.op {
        Op::Load { .. } => false,
        Op::If | Op::For { .. } => i.blocks.iter().any(|b| b.insts.iter().any(effect)),
        op => !op.is_pure(),
    }
}
