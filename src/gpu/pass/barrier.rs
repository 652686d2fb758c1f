//! Checks that every thread of a block reaches each barrier, and removes barriers that order no accesses.

use super::super::error::Error;
use super::super::ir::{Block, Id, Inst, Kernel, Op, Shuffle, Space, Special};
use super::reuse_loads::{Root, root};
use super::{Defs, rewrite};
use alloc::vec;
use alloc::vec::Vec;

/// Refuses a barrier behind an exit that some threads may take, and a barrier under a condition or in a loop
/// that may differ between the threads of a block.
pub fn check(k: &Kernel) -> Result<(), Error> {
    let uniform = uniform(k);
    let is = |id: Id| uniform.get(id.0 as usize) == Some(&true);
    let mut left = false;
    walk(&k.body, true, &is, &mut left)
}

fn has(b: &Block, op: Op) -> bool {
    b.insts.iter().any(|i| i.op == op || i.blocks.iter().any(|b| has(b, op)))
}

/// `together`: all threads of the block, or none, run this block.
fn walk(b: &Block, together: bool, is: &impl Fn(Id) -> bool, left: &mut bool) -> Result<(), Error> {
    for i in &b.insts {
        match i.op {
            Op::Barrier if *left => return Err(Error::Barrier { why: "an exit comes before it" }),
            Op::Barrier if !together => {
                return Err(Error::Barrier { why: "its condition or loop differs between threads" });
            }
            Op::Exit => *left |= !together,
            Op::If => {
                let together = together && is(i.args.at(0));
                i.blocks.iter().try_for_each(|b| walk(b, together, is, left))?;
            }
            Op::For { .. } | Op::Repeat => {
                let same = match (i.op, i.blocks.first()) {
                    (Op::Repeat, Some(body)) => is(body.yields.at(0)),
                    _ => i.args.iter().take(3).all(|id| is(*id)),
                };
                for body in &i.blocks {
                    // An exit in one turn comes before a barrier in the next.
                    *left |= has(body, Op::Exit) && !(together && same) && has(body, Op::Barrier);
                    walk(body, together && same, is, left)?;
                    if *left && has(body, Op::Barrier) {
                        return Err(Error::Barrier { why: "an exit comes before it" });
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Which values are the same in all threads of a block.
pub(crate) fn uniform(k: &Kernel) -> Vec<bool> {
    // Start from the best and take back until nothing changes.
    let mut u = vec![true; k.types.len()];
    // What a warp agrees on is the block's, where that is the warp.
    let warp = k.threads.is_some_and(|t| t.iter().product::<u32>() <= 32);
    loop {
        let before = u.iter().filter(|u| **u).count();
        spread(&k.body, warp, &mut u);
        if u.iter().filter(|u| **u).count() == before {
            return u;
        }
    }
}

fn spread(b: &Block, warp: bool, u: &mut Vec<bool>) {
    let is = |u: &[bool], id: &Id| u.get(id.0 as usize) == Some(&true);
    let meet = |u: &mut Vec<bool>, id: &Id, v: bool| {
        if let Some(x) = u.get_mut(id.0 as usize) {
            *x &= v;
        }
    };
    for i in &b.insts {
        let args = i.args.iter().all(|id| is(u, id));
        match i.op {
            Op::If => {
                let cond = is(u, &i.args.at(0));
                for b in &i.blocks {
                    spread(b, warp, u);
                    for (d, y) in i.dst.iter().zip(b.yields.iter()) {
                        let v = cond && is(u, y);
                        meet(u, d, v);
                    }
                }
            }
            Op::For { .. } | Op::Repeat => {
                let skip = if i.op == Op::Repeat { 0 } else { 3 };
                for b in &i.blocks {
                    let same = if i.op == Op::Repeat {
                        is(u, &b.yields.at(0))
                    } else {
                        i.args.iter().take(3).all(|id| is(u, id))
                    };
                    let first = usize::from(skip == 3);
                    if first == 1 {
                        meet(u, &b.params.at(0), same);
                    }
                    let yields = b.yields.iter().skip(1 - first);
                    let inits = i.args.iter().skip(skip);
                    for (((p, init), y), d) in
                        b.params.iter().skip(first).zip(inits).zip(yields).zip(i.dst.iter())
                    {
                        let v = same && is(u, init) && is(u, y);
                        meet(u, p, v);
                        meet(u, d, v);
                    }
                    spread(b, warp, u);
                }
            }
            _ => {
                let v = match i.op {
                    Op::Special(s) => !matches!(
                        s,
                        Special::TidX | Special::TidY | Special::TidZ | Special::LaneId | Special::WarpId
                    ),
                    // Of shared memory: between two barriers nobody writes what another thread reads, or it is a race.
                    Op::Load { space: Space::Const | Space::Shared, .. } => args,
                    Op::Vote(_) => warp,
                    Op::Shuffle(Shuffle::Index) => warp && is(u, &i.args.at(1)),
                    op if op.is_leaf() => true,
                    op if op.is_pure() => args,
                    _ => false,
                };
                i.dst.iter().for_each(|d| meet(u, d, v));
            }
        }
    }
}

/// What a stretch of code does to memory that other threads see: where, and whether it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Touched {
    These(Vec<(Root, bool)>),
    Anything,
}

impl Touched {
    /// Whether a barrier between the two is needed.
    fn conflicts(&self, o: &Self) -> bool {
        match (self, o) {
            (Self::These(a), Self::These(b)) => {
                a.iter().any(|(r, w)| b.iter().any(|(s, v)| (*w || *v) && r.overlaps(*s)))
            }
            (Self::These(a), Self::Anything) | (Self::Anything, Self::These(a)) => !a.is_empty(),
            (Self::Anything, Self::Anything) => true,
        }
    }

    fn add(&mut self, i: &Inst, defs: &Defs) {
        let shared = |space| matches!(space, Space::Shared | Space::Global);
        let more = match i.op {
            Op::Load { space, .. } if shared(space) => Some((root(space, i.args.at(0), defs), false)),
            Op::Store { space, .. } | Op::Atomic { space, .. } if shared(space) => {
                Some((root(space, i.args.at(0), defs), true))
            }
            Op::LdMatrix { .. } => Some((root(Space::Shared, i.args.at(0), defs), false)),
            Op::CopyAsync { .. } | Op::CopyCommit | Op::CopyWait(_) | Op::Hopper(_) | Op::Fence => {
                *self = Self::Anything;
                None
            }
            _ => None,
        };
        if let Self::These(list) = self {
            list.extend(more);
        }
        for b in &i.blocks {
            b.insts.iter().for_each(|i| self.add(i, defs));
        }
    }
}

/// Removes barriers that order nothing: what is between the one before and it, and between it and the one after, does
/// not touch the same memory, or only reads it.
pub fn remove_barriers(k: &mut Kernel) {
    let defs = Defs::new(k);
    rewrite(k, |_, mut body| {
        thin(&mut body, true, &defs);
        body
    });
}

/// `outermost`: nothing runs before or after this block.
fn thin(b: &mut Block, outermost: bool, defs: &Defs) {
    b.insts.iter_mut().for_each(|i| i.blocks.iter_mut().for_each(|b| thin(b, false, defs)));
    let edge = if outermost { Touched::These(Vec::new()) } else { Touched::Anything };
    let mut at = 0;
    while at < b.insts.len() {
        let is_barrier = |i: &Inst| i.op == Op::Barrier;
        if !b.insts.get(at).is_some_and(is_barrier) {
            at += 1;
            continue;
        }
        let (before, after) =
            (b.insts.get(..at).unwrap_or_default(), b.insts.get(at + 1..).unwrap_or_default());
        let start = before.iter().rposition(is_barrier);
        let end = after.iter().position(is_barrier);
        let stretch = |insts: &[Inst], whole: bool| {
            let mut t = if whole { edge.clone() } else { Touched::These(Vec::new()) };
            insts.iter().for_each(|i| t.add(i, defs));
            t
        };
        let earlier = stretch(before.get(start.map_or(0, |s| s + 1)..).unwrap_or_default(), start.is_none());
        let later = stretch(after.get(..end.unwrap_or(after.len())).unwrap_or_default(), end.is_none());
        if earlier.conflicts(&later) {
            at += 1;
        } else {
            b.insts.remove(at);
        }
    }
}
