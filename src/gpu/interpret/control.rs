//! Control flow of the interpreter: each warp has a stack of its own and runs until it waits at a barrier.

use super::super::error::Error;
use super::super::eval::{LANES, Row, row};
use super::super::ir::{Block, Cmp, Hopper, Id, Inst, Op};
use super::super::name::name;
use super::super::types::Type;
use super::{Done, Machine, NONE};
use alloc::vec::Vec;

/// Warps of a group.
const GROUP: usize = 4;
/// Rounds in which every warp only asks for a barrier's phase, before that is taken to be for ever.
const PATIENCE: u32 = 64;

/// The lanes of a warp that run an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    /// The first thread of the warp.
    pub(super) first: usize,
    pub(super) bits: u32,
}

impl Lanes {
    /// Those of a block of `n` threads from `first` on.
    pub(super) fn all(first: usize, n: usize) -> Self {
        Self { first, bits: u32::MAX >> (LANES - n.saturating_sub(first).clamp(1, LANES)) }
    }

    /// The threads, in order.
    #[inline]
    pub(super) const fn each(self) -> Threads {
        Threads(self)
    }

    /// Those of these lanes whose predicate is set.
    fn only(self, predicates: &Row) -> Self {
        Self { bits: self.bits & set(predicates), ..self }
    }

    /// Those of these lanes whose predicate is not set.
    fn without(self, predicates: &Row) -> Self {
        Self { bits: self.bits & !set(predicates), ..self }
    }
}

/// The lanes whose predicate is set.
pub(super) fn set(predicates: &Row) -> u32 {
    predicates.iter().rev().fold(0, |bits, p| bits << 1 | *p as u32 & 1)
}

/// Threads that are left: this loop is the innermost of every test of a kernel, so it goes from bit to bit.
pub(super) struct Threads(Lanes);

impl Iterator for Threads {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let Lanes { first, bits } = self.0;
        if bits == 0 {
            return None;
        }
        self.0.bits = bits & (bits - 1);
        Some(first + bits.trailing_zeros() as usize)
    }
}

/// What comes after a block.
#[derive(Debug, Clone, Copy)]
enum After<'a> {
    /// The end of the thread.
    End,
    /// What follows the condition, for which these lanes took the block; then the other block, for those that did not.
    If(&'a Inst, u32),
    /// The next turn, or for the lanes that came to it the end of the loop.
    Turn(&'a Inst, u32),
}

/// A block that a warp is in.
#[derive(Debug, Clone, Copy)]
struct Frame<'a> {
    block: &'a Block,
    at: usize,
    mask: u32,
    after: After<'a>,
}

/// A warp, and how far it is.
#[derive(Debug)]
pub(super) struct Warp<'a> {
    frames: Vec<Frame<'a>>,
    /// The instruction that the warp cannot do alone.
    waits: Option<&'a Inst>,
    fuel: u64,
}

impl<'a> Machine<'a> {
    /// Runs the block at a place of the grid: its warps in turn, each as far as it comes.
    pub(super) fn run(&mut self, at: [u32; 3]) -> Done {
        self.begin(at);
        let mask = u32::MAX;
        let start = Frame { block: &self.k.body, at: 0, mask, after: After::End };
        let warps = self.n.div_ceil(LANES);
        self.warps.clear();
        self.warps.extend((0..warps).map(|_| Warp {
            frames: Vec::from([start]),
            waits: None,
            fuel: super::FUEL,
        }));
        let mut idle = 0;
        loop {
            let before = self.events;
            for w in 0..warps {
                self.advance(w)?;
            }
            if self.warps.iter().all(|w| w.frames.is_empty()) {
                return Ok(());
            }
            self.release();
            idle = if self.events == before { idle + 1 } else { 0 };
            if idle > PATIENCE {
                return Err(self.stuck());
            }
        }
    }

    /// Why nothing goes on.
    fn stuck(&self) -> Error {
        match self.warps.iter().find_map(|w| w.waits) {
            Some(i) if i.op == Op::Barrier => Error::Barrier { why: "a part of the block waits elsewhere" },
            Some(i) => Error::Divergent { instruction: name(i.op) },
            None => Error::Endless,
        }
    }

    /// Lets all go on when every warp that has not ended waits at the same barrier.
    fn release(&mut self) {
        let mut open = self.warps.iter().filter(|w| !w.frames.is_empty()).map(|w| w.waits);
        let Some(Some(first)) = open.next() else { return };
        if first.op != Op::Barrier || !open.all(|w| w.is_some_and(|w| core::ptr::eq(w, first))) {
            return;
        }
        self.races.barrier();
        self.events += 1;
        (0..self.warps.len()).for_each(|w| self.pass(w));
    }

    /// Goes past the instruction that a warp waited at.
    fn pass(&mut self, w: usize) {
        let Some(warp) = self.warps.get_mut(w) else { return };
        if warp.waits.take().is_some() {
            warp.frames.last_mut().into_iter().for_each(|f| f.at += 1);
        }
    }

    /// The threads of a warp that have not exited.
    pub(super) fn live(&self, first: usize) -> u32 {
        self.live.get(first / LANES).map_or(0, |l| l.bits)
    }

    fn push(&mut self, w: usize, frame: Frame<'a>) {
        self.warps.get_mut(w).into_iter().for_each(|w| w.frames.push(frame));
    }

    /// Runs a warp until it ends, waits, or finds that a barrier's phase is not over.
    fn advance(&mut self, w: usize) -> Done {
        let first = w * LANES;
        loop {
            let live = self.live(first);
            let Some(warp) = self.warps.get_mut(w).filter(|w| w.waits.is_none()) else { return Ok(()) };
            let Some(top) = warp.frames.last_mut() else { return Ok(()) };
            warp.fuel = warp.fuel.checked_sub(1).ok_or(Error::Endless)?;
            let lanes = Lanes { first, bits: top.mask & live };
            let block = top.block;
            let Some(inst) = block.insts.get(top.at).filter(|_| lanes.bits != 0) else {
                if let Some(frame) = warp.frames.pop() {
                    self.leave(w, frame, lanes)?;
                }
                continue;
            };
            if matches!(inst.op, Op::Barrier | Op::Hopper(Hopper::GroupMma { .. })) {
                return self.wait(w, inst, lanes);
            }
            top.at += 1;
            match (inst.op, inst.blocks.as_slice()) {
                (Op::If, [then, _]) => {
                    let mask = lanes.only(self.row(inst.args.at(0), first)).bits;
                    self.push(w, Frame { block: then, at: 0, mask, after: After::If(inst, lanes.bits) });
                }
                (Op::For { .. }, [body]) => {
                    self.copy(&[body.params.at(0)], &[inst.args.at(0)], lanes);
                    let init = inst.args.get(3..).unwrap_or_default();
                    self.copy(body.params.get(1..).unwrap_or_default(), init, lanes);
                    self.turn(w, inst, body, lanes, lanes.bits);
                }
                (Op::Repeat, [body]) => {
                    self.copy(&body.params, &inst.args, lanes);
                    self.turn(w, inst, body, lanes, lanes.bits);
                }
                _ => {
                    self.inst(inst, lanes)?;
                    let again = matches!(inst.op, Op::Hopper(Hopper::BarrierTryWait))
                        && lanes.without(self.row(inst.dst.at(0), first)).bits != 0;
                    if again {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// A turn of a loop for the lanes that have one left; without any, its results for those that came to it.
    fn turn(&mut self, w: usize, inst: &'a Inst, body: &'a Block, mut lanes: Lanes, entered: u32) {
        if inst.op != Op::Repeat {
            let (counter, end) = (body.params.at(0), inst.args.at(1));
            let ty = self.k.ty(counter);
            let less = Op::Compare(Cmp::Lt);
            let x = [self.row(counter, lanes.first), self.row(end, lanes.first), NONE];
            lanes = lanes.only(&row(less, Type::Pred, ty, x, lanes.bits));
        }
        if lanes.bits != 0 {
            let after = After::Turn(inst, entered);
            return self.push(w, Frame { block: body, at: 0, mask: lanes.bits, after });
        }
        let skip = usize::from(inst.op != Op::Repeat);
        let carried = body.params.get(skip..).unwrap_or_default();
        self.copy(&inst.dst, carried, Lanes { bits: entered, ..lanes });
    }

    /// A block is over; `lanes` are those of it that have not exited.
    fn leave(&mut self, w: usize, frame: Frame<'a>, lanes: Lanes) -> Done {
        let yields = &frame.block.yields;
        match frame.after {
            After::End => self.events += 1,
            After::If(inst, all) => {
                self.copy(&inst.dst, yields, lanes);
                // The second block is entered once: it hands on no lanes that are left.
                let second = inst.blocks.get(1).filter(|b| !core::ptr::eq(*b, frame.block));
                if let Some(block) = second {
                    let rest = Lanes { first: lanes.first, bits: all };
                    let mask = rest.without(self.row(inst.args.at(0), lanes.first)).bits;
                    if mask != 0 {
                        self.push(w, Frame { block, at: 0, mask, after: After::If(inst, 0) });
                    }
                }
            }
            After::Turn(inst, entered) if inst.op == Op::Repeat => {
                let again = lanes.only(self.row(yields.at(0), lanes.first));
                self.copy(&frame.block.params, yields.get(1..).unwrap_or_default(), lanes);
                self.turn(w, inst, frame.block, again, entered);
            }
            After::Turn(inst, entered) => {
                let counter = frame.block.params.at(0);
                let ty = self.k.ty(counter);
                self.copy(frame.block.params.get(1..).unwrap_or_default(), yields, lanes);
                let now = self.row(counter, lanes.first);
                let step = self.row(inst.args.at(2), lanes.first);
                let next = row(Op::Add, ty, ty, [now, step, NONE], lanes.bits);
                let over = row(Op::Compare(Cmp::Le), Type::Pred, ty, [&next, now, NONE], lanes.bits);
                if lanes.only(&over).bits != 0 {
                    return Err(Error::Overflow { what: "the counter of a loop" });
                }
                self.put(counter, lanes, &next);
                self.turn(w, inst, frame.block, lanes, entered);
            }
        }
        Ok(())
    }

    /// A warp comes to an instruction of the block or of a warp group.
    fn wait(&mut self, w: usize, inst: &'a Inst, lanes: Lanes) -> Done {
        self.warps.get_mut(w).into_iter().for_each(|w| w.waits = Some(inst));
        let Op::Hopper(Hopper::GroupMma { n, input, held, across }) = inst.op else {
            if lanes.bits != self.live(lanes.first) {
                return Err(Error::Barrier { why: "a part of the block waits elsewhere" });
            }
            return Ok(());
        };
        if lanes.bits != u32::MAX {
            return Err(Error::Divergent { instruction: name(inst.op) });
        }
        let group = w / GROUP * GROUP..(w / GROUP + 1) * GROUP;
        let warps = self.warps.get(group.clone()).unwrap_or_default();
        let here = |w: &Warp<'_>| w.waits.is_some_and(|i| core::ptr::eq(i, inst));
        if warps.is_empty() || !warps.iter().all(here) {
            return Ok(());
        }
        self.group(inst, usize::from(n), input, (held, across), group.start * LANES)?;
        self.events += 1;
        group.for_each(|w| self.pass(w));
        Ok(())
    }

    /// `to ← from` in the active threads, all at once.
    fn copy(&mut self, to: &[Id], from: &[Id], lanes: Lanes) {
        let mut held = core::mem::take(&mut self.held);
        held.clear();
        held.extend(from.iter().map(|f| *self.row(*f, lanes.first)));
        for (to, v) in to.iter().zip(&held) {
            self.put(*to, lanes, v);
        }
        self.held = held;
    }
}
