//! Splits a loop whose body compares the counter with a bound into two loops without the comparison (index-set
//! splitting).

use super::super::ir::{Block, Cmp, Id, Ids, Inst, Kernel, Op};
use super::super::types::{Sort, Type};
use super::{Defs, Renaming, define, rewrite};
use alloc::vec::Vec;

/// `for i in a..b` by one with `if i < c`, where `c` does not change: `for i in a..m` with the condition true, then
/// `for i in m..b` with it false, `m = min(b, max(a, c))`.
pub fn split(k: &mut Kernel) {
    let defs = Defs::new(k);
    rewrite(k, |k, body| block(k, body, &defs));
}

fn block(k: &mut Kernel, mut b: Block, defs: &Defs) -> Block {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut i in b.insts {
        i.blocks = i.blocks.into_iter().map(|b| block(k, b, defs)).collect();
        match bound(k, &i, defs) {
            Some((compare, bound)) => halves(k, i, compare, bound, &mut out),
            None => out.push(i),
        }
    }
    b.insts = out;
    b
}

/// The comparison that an `if` of the body depends on, and its bound from outside of the loop.
fn bound(k: &Kernel, i: &Inst, defs: &Defs) -> Option<(Id, Id)> {
    let Op::For { .. } = i.op else { return None };
    let body = i.blocks.first()?;
    let counter = body.params.at(0);
    if k.ty(counter).sort() != Sort::Unsigned || defs.constant(i.args.at(2)) != Some(1) {
        return None;
    }
    let inside = |id: Id| body.params.contains(&id) || body.insts.iter().any(|i| i.dst.contains(&id));
    let asks = |p: Id| body.insts.iter().any(|i| i.op == Op::If && i.args.at(0) == p);
    body.insts.iter().find_map(|c| {
        let p = c.dst.at(0);
        let fits = c.op == Op::Compare(Cmp::Lt) && c.args.at(0) == counter && asks(p);
        (fits && (!inside(c.args.at(1)) || defs.constant(c.args.at(1)).is_some()))
            .then_some((p, c.args.at(1)))
    })
}

fn halves(k: &mut Kernel, i: Inst, compare: Id, bound: Id, out: &mut Vec<Inst>) {
    let Some(body) = i.blocks.first() else { return };
    let ty = k.ty(body.params.at(0));
    let (start, end, step) = (i.args.at(0), i.args.at(1), i.args.at(2));
    // A constant bound may be defined in the body: it is defined again.
    let constant = body.insts.iter().find(|c| c.dst.at(0) == bound).map(|c| c.op);
    let bound = constant.map_or(bound, |op| define(k, out, op, ty, &[]));
    let low = define(k, out, Op::Max, ty, &[start, bound]);
    let middle = define(k, out, Op::Min, ty, &[low, end]);
    let mut carried: Ids = i.args.iter().skip(3).copied().collect();
    for (from, to, truth) in [(start, middle, 1), (middle, end, 0)] {
        let mut names = Renaming::new();
        let mut copy = names.block(k, body);
        let asked = names.get(compare);
        for c in copy.insts.iter_mut().filter(|c| c.dst.at(0) == asked && k.ty(asked) == Type::Pred) {
            *c = Inst::new(Op::Const(truth), c.dst.clone(), Ids::NONE);
        }
        let args: Ids = [from, to, step].into_iter().chain(carried.iter().copied()).collect();
        let dst =
            if truth == 1 { carried.iter().map(|c| k.fresh(k.ty(*c))).collect() } else { i.dst.clone() };
        let mut inst = Inst::new(i.op, dst.clone(), args);
        inst.blocks.push(copy);
        out.push(inst);
        carried = dst;
    }
}
