//! Strength reduction: products of a loop counter become induction variables, products and quotients by powers of two
//! become shifts, and constants added to an address become its offset.

use super::super::ir::{Block, Id, Ids, Inst, Kernel, Op};
use super::super::types::{Sort, Type};
use super::{Defs, define, rewrite};
use alloc::vec::Vec;

/// Products of a loop's counter become sums carried from turn to turn; products, quotients and remainders by powers
/// of two become shifts and masks; constants that are added to an address go into the access.
pub fn reduce_strength(k: &mut Kernel) {
    rewrite(k, carry);
    let defs = Defs::new(k);
    rewrite(k, |k, body| block(k, body, &defs));
}

fn block(k: &mut Kernel, mut b: Block, defs: &Defs) -> Block {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut i in b.insts {
        i.blocks = i.blocks.into_iter().map(|b| block(k, b, defs)).collect();
        offset(&mut i, defs);
        shift(k, &mut i, defs, &mut out);
        out.push(i);
    }
    b.insts = out;
    b
}

/// `[a + c]` is `[a]+c`.
fn offset(i: &mut Inst, defs: &Defs) {
    let (Op::Load { offset, .. } | Op::Store { offset, .. }) = &mut i.op else { return };
    while let Some((Op::Add, args, _)) = i.args.first().and_then(|a| defs.get(*a)) {
        let found = [(0, 1), (1, 0)].into_iter().find_map(|(x, c)| {
            let c = i64::try_from(defs.constant(args.at(c))?).ok()?;
            Some((args.at(x), i32::try_from(c).ok()?.checked_add(*offset)?))
        });
        let (Some((base, sum)), Some(at)) = (found, i.args.first_mut()) else { return };
        *at = base;
        *offset = sum;
    }
}

fn shift(k: &mut Kernel, i: &mut Inst, defs: &Defs, out: &mut Vec<Inst>) {
    let ty = k.ty(i.dst.at(0));
    let unsigned = ty.sort() == Sort::Unsigned;
    let power = |id: Id| defs.constant(id).filter(|c| c.is_power_of_two() && *c > 1).map(u64::trailing_zeros);
    let (x, by) = match (power(i.args.at(1)), power(i.args.at(0))) {
        (Some(by), _) => (i.args.at(0), by),
        (None, Some(by)) if matches!(i.op, Op::Mul | Op::MulWide) => (i.args.at(1), by),
        _ => return,
    };
    let op = match i.op {
        Op::Mul if !ty.is_float() => Op::Shl,
        Op::MulWide if unsigned => Op::Shl,
        Op::Div if unsigned => Op::Shr,
        Op::Rem if unsigned => Op::And,
        _ => return,
    };
    let x = if i.op == Op::MulWide { define(k, out, Op::Convert, ty, &[x]) } else { x };
    let c = match op {
        Op::And => define(k, out, Op::Const((1 << by) - 1), ty, &[]),
        _ => define(k, out, Op::Const(u64::from(by)), Type::U32, &[]),
    };
    *i = Inst::new(op, i.dst.clone(), Ids::from(&[x, c][..]));
}

/// A value that grows by the same amount each turn: what it is, where it starts, by how much it grows.
struct Induction {
    id: Id,
    start: Id,
    step: Id,
}

fn carry(k: &mut Kernel, mut b: Block) -> Block {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut i in b.insts {
        i.blocks = i.blocks.into_iter().map(|b| carry(k, b)).collect();
        if matches!(i.op, Op::For { .. })
            && let Some(body) = i.blocks.pop()
        {
            let body = carried(k, &mut i, body, &mut out);
            i.blocks.push(body);
        }
        out.push(i);
    }
    b.insts = out;
    b
}

fn carried(k: &mut Kernel, i: &mut Inst, mut body: Block, out: &mut Vec<Inst>) -> Block {
    let own: Vec<Id> =
        body.params.iter().chain(body.insts.iter().flat_map(|i| i.dst.iter())).copied().collect();
    let constants: Vec<(Id, Op)> = body.insts.iter().map(|i| (i.dst.at(0), i.op)).collect();
    let constants: Vec<_> = constants.into_iter().filter(|(_, op)| matches!(op, Op::Const(_))).collect();
    let mut known = Vec::from([Induction { id: body.params.at(0), start: i.args.at(0), step: i.args.at(2) }]);
    let counter = body.params.at(0);
    let mut first = Vec::new();
    for inst in &body.insts {
        let (ty, d) = (k.ty(inst.dst.at(0)), inst.dst.at(0));
        let scaled = matches!(inst.op, Op::Mul | Op::MulWide) && !ty.is_float();
        if !(scaled || inst.op == Op::Add && !ty.is_float()) {
            continue;
        }
        let found = [(0, 1), (1, 0)].into_iter().find_map(|(v, c)| {
            let v = known.iter().find(|n| n.id == inst.args.at(v))?;
            // Sums of the counter itself are as cheap as what would replace them.
            let c = inst.args.at(c);
            let constant = constants.iter().find(|(id, _)| *id == c).map(|(_, op)| *op);
            let fits = (constant.is_some() || !own.contains(&c)) && (scaled || v.id != counter);
            fits.then_some((v.start, v.step, c, constant))
        });
        let Some((start, step, c, constant)) = found else { continue };
        let c = constant.map_or(c, |op| define(k, &mut first, op, k.ty(c), &[]));
        let start = define(k, &mut first, inst.op, ty, &[start, c]);
        let step = if scaled { define(k, &mut first, inst.op, ty, &[step, c]) } else { step };
        known.push(Induction { id: d, start, step });
    }
    // Only those that something else than another one needs.
    let derived = |id: Id| known.iter().any(|n| n.id == id && id != counter);
    let needed = |id: Id| {
        derived(id)
            && (body.yields.contains(&id) || body.insts.iter().any(|i| !derived(i.dst.at(0)) && reads(i, id)))
    };
    let chosen: Vec<bool> = known.iter().map(|n| needed(n.id)).collect();
    if !chosen.contains(&true) {
        return body;
    }
    out.extend(first);
    body.insts.retain(|inst| !known.iter().zip(&chosen).any(|(n, c)| *c && n.id == inst.dst.at(0)));
    for (n, _) in known.into_iter().zip(chosen).filter(|(_, c)| *c) {
        let ty = k.ty(n.id);
        i.args.push(n.start);
        i.dst.push(k.fresh(ty));
        body.params.push(n.id);
        let next = define(k, &mut body.insts, Op::Add, ty, &[n.id, n.step]);
        body.yields.push(next);
    }
    body
}

fn reads(i: &Inst, id: Id) -> bool {
    let inner = |b: &Block| b.yields.contains(&id) || b.insts.iter().any(|i| reads(i, id));
    i.args.contains(&id) || i.blocks.iter().any(inner)
}
