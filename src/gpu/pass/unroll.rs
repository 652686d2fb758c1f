//! Unrolls counted loops.

use super::super::ir::{Block, Ids, Inst, Kernel, Op};
use super::super::types::Type;
use super::{Defs, Renaming, define, rewrite};
use alloc::vec::Vec;

/// Turns that are written out at most.
const LONGEST: u64 = 64;

/// Writes out loops whose bounds are constant, as far as they ask for it: whole, or so many turns at a time with
/// what is left after them.
pub fn unroll(k: &mut Kernel) {
    let defs = Defs::new(k);
    rewrite(k, |k, body| block(k, body, &defs));
}

fn block(k: &mut Kernel, mut b: Block, defs: &Defs) -> Block {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut i in b.insts {
        i.blocks = i.blocks.into_iter().map(|b| block(k, b, defs)).collect();
        match plan(k, &i, defs) {
            Some(plan) => expand(k, i, plan, &mut out),
            None => out.push(i),
        }
    }
    b.insts = out;
    b
}

struct Plan {
    start: u64,
    step: u64,
    turns: u64,
    // Copies of the body in a turn of the new loop; all turns are written out when equal to `turns`.
    copies: u64,
    ty: Type,
}

fn plan(k: &Kernel, i: &Inst, defs: &Defs) -> Option<Plan> {
    let Op::For { unroll } = i.op else { return None };
    let ty = k.ty(i.args.at(0));
    let [start, end, step] = [0, 1, 2].map(|n| defs.constant(i.args.at(n)));
    let (start, end, step) = (start?, end?, step?);
    // Within the positive numbers a comparison is the same for all types.
    if end > ty.mask() >> 1 || start > end || step == 0 || step > ty.mask() >> 1 || unroll == 1 {
        return None;
    }
    let turns = (end - start).div_ceil(step);
    let copies = if unroll == 0 { turns } else { turns.min(u64::from(unroll)) };
    (copies <= LONGEST && turns > 0).then_some(Plan { start, step, turns, copies, ty })
}

fn expand(k: &mut Kernel, i: Inst, p: Plan, out: &mut Vec<Inst>) {
    let Some(body) = i.blocks.first() else { return };
    let mut carried: Ids = i.args.iter().skip(3).copied().collect();
    let loops = p.turns / p.copies;
    let mut first = p.start;
    if loops > 1 {
        let start = define(k, out, Op::Const(first), p.ty, &[]);
        let step = define(k, out, Op::Const(p.step * p.copies), p.ty, &[]);
        first += loops * p.copies * p.step;
        let end = define(k, out, Op::Const(first), p.ty, &[]);
        let mut new =
            Block { params: body.params.iter().map(|id| k.fresh(k.ty(*id))).collect(), ..Block::EMPTY };
        let counter = new.params.at(0);
        new.yields = new.params.iter().skip(1).copied().collect();
        for turn in 0..p.copies {
            let by = define(k, &mut new.insts, Op::Const(turn * p.step), p.ty, &[]);
            let at = define(k, &mut new.insts, Op::Add, p.ty, &[counter, by]);
            new.yields = turn_of(k, body, at, &new.yields, &mut new.insts);
        }
        let args: Ids = [start, end, step].into_iter().chain(carried.iter().copied()).collect();
        let dst: Ids = carried.iter().map(|id| k.fresh(k.ty(*id))).collect();
        let mut inst = Inst::new(Op::For { unroll: 1 }, dst.clone(), args);
        inst.blocks.push(new);
        out.push(inst);
        carried = dst;
    }
    let left = if loops > 1 { p.turns % p.copies } else { p.turns };
    for turn in 0..left {
        let at = define(k, out, Op::Const(first + turn * p.step), p.ty, &[]);
        carried = turn_of(k, body, at, &carried, out);
    }
    // The results keep their names.
    for (d, c) in i.dst.iter().zip(carried.iter()) {
        out.push(Inst::new(Op::Bitcast, Ids::from(&[*d][..]), Ids::from(&[*c][..])));
    }
}

/// One turn with the counter at `at`; gives what is carried on.
fn turn_of(k: &mut Kernel, body: &Block, at: super::Id, carried: &[super::Id], out: &mut Vec<Inst>) -> Ids {
    let mut names = Renaming::new();
    names.set(body.params.at(0), at);
    body.params.iter().skip(1).zip(carried).for_each(|(p, c)| names.set(*p, *c));
    out.extend(names.insts(k, &body.insts));
    names.list(&body.yields)
}
