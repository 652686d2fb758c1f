//! Executes kernels on the host: threads of a block in step, with what a GPU leaves unchecked checked.
//!
//! A block runs each instruction for all its active threads. Bounds, alignment, reads of what nothing wrote, barriers
//! that a part of the block reaches, and races in shared memory are errors.

mod hopper;
mod memory;
mod warp;

pub use hopper::TensorMap;
pub use memory::Bytes;

use super::error::Error;
use super::eval::eval;
use super::ir::{Block, Id, Inst, Kernel, Op, Rmw, Space, Special};
use super::types::Type;
use super::verify;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use hopper::Phase;
use memory::{Access, Kind, Races};

/// Instructions that a block runs at most.
const FUEL: u64 = 1 << 20;
/// Where buffers start: the number of the buffer is above, the offset below.
const BUFFER: u32 = 40;
/// Constant tables are above all buffers.
const TABLE: u64 = 1 << 62;

/// Global memory, and the kernels run on it.
#[derive(Debug, Clone, Default)]
pub struct Device {
    buffers: Vec<Bytes>,
    maps: Vec<TensorMap>,
}

impl Device {
    /// A device without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { buffers: Vec::new(), maps: Vec::new() }
    }

    /// Allocates; gives the address.
    pub fn buffer(&mut self, bytes: Bytes) -> u64 {
        self.buffers.push(bytes);
        (self.buffers.len() as u64) << BUFFER
    }

    /// What is at an address that [`Device::buffer`] gave.
    #[must_use]
    pub fn get(&self, address: u64) -> Option<&Bytes> {
        self.buffers.get(((address >> BUFFER) as usize).checked_sub(1)?)
    }

    /// Runs a kernel; blocks one after the other. Arguments are the bits of the parameters.
    pub fn launch(
        &mut self,
        k: &Kernel,
        grid: [u32; 3],
        threads: [u32; 3],
        args: &[u64],
    ) -> Result<(), Error> {
        verify::kernel(k)?;
        let count = threads.iter().map(|n| u64::from(*n)).product::<u64>();
        if args.len() != k.params.len()
            || k.threads.is_some_and(|t| t != threads)
            || !(1..=1024).contains(&count)
        {
            return Err(Error::Arguments);
        }
        for z in 0..grid[2] {
            for y in 0..grid[1] {
                for x in 0..grid[0] {
                    Machine::new(self, k, args, Shape { grid, threads, at: [x, y, z] }).run()?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Shape {
    grid: [u32; 3],
    threads: [u32; 3],
    at: [u32; 3],
}

/// A copy that was started: to, from, bytes.
type Started = (u64, u64, u32);

/// One block.
struct Machine<'a> {
    device: &'a mut Device,
    k: &'a Kernel,
    args: &'a [u64],
    shape: Shape,
    n: usize,
    regs: Vec<u64>,
    live: Vec<bool>,
    shared: Bytes,
    starts: [Vec<u32>; 2],
    races: Races,
    local: Vec<Bytes>,
    // Of each thread: groups of copies under way, the open one last.
    copies: Vec<Vec<Vec<Started>>>,
    // Barriers in shared memory, by their addresses.
    phases: BTreeMap<u64, Phase>,
    fuel: u64,
}

type Done = Result<(), Error>;

impl<'a> Machine<'a> {
    fn new(device: &'a mut Device, k: &'a Kernel, args: &'a [u64], shape: Shape) -> Self {
        let n = shape.threads.iter().product::<u32>() as usize;
        let (starts, size) = Kernel::layout(&k.shared);
        let (local_starts, local) = Kernel::layout(&k.local);
        Self {
            device,
            k,
            args,
            shape,
            n,
            regs: vec![0; n * k.types.len()],
            live: vec![true; n],
            shared: Bytes::uninitialised(size as usize),
            starts: [starts, local_starts],
            races: Races::new(size as usize),
            local: vec![Bytes::uninitialised(local as usize); if local > 0 { n } else { 0 }],
            copies: vec![vec![Vec::new()]; n],
            phases: BTreeMap::new(),
            fuel: FUEL,
        }
    }

    fn run(mut self) -> Done {
        let k = self.k;
        let all = self.live.clone();
        self.block(&k.body, &all)
    }

    fn reg(&self, id: Id, t: usize) -> u64 {
        self.regs.get(id.0 as usize * self.n + t).copied().unwrap_or(0)
    }

    fn set(&mut self, id: Id, t: usize, v: u64) {
        if let Some(r) = self.regs.get_mut(id.0 as usize * self.n + t) {
            *r = v;
        }
    }

    /// The active threads, in order.
    fn each(mask: &[bool]) -> impl Iterator<Item = usize> {
        mask.iter().enumerate().filter(|(_, m)| **m).map(|(t, _)| t)
    }

    fn block(&mut self, b: &Block, mask: &[bool]) -> Done {
        let mut mask = mask.to_vec();
        for inst in &b.insts {
            if !mask.contains(&true) {
                return Ok(());
            }
            self.fuel = self.fuel.checked_sub(1).ok_or(Error::Endless)?;
            self.inst(inst, &mask)?;
            if inst.op == Op::Exit || !inst.blocks.is_empty() {
                mask.iter_mut().zip(&self.live).for_each(|(m, l)| *m &= l);
            }
        }
        Ok(())
    }

    /// `to ← from` in the active threads, all at once.
    fn copy(&mut self, to: &[Id], from: &[Id], mask: &[bool]) {
        let mut values = Vec::with_capacity(from.len());
        for t in Self::each(mask) {
            values.clear();
            values.extend(from.iter().map(|f| self.reg(*f, t)));
            for (to, v) in to.iter().zip(&values) {
                self.set(*to, t, *v);
            }
        }
    }

    fn inst(&mut self, i: &Inst, mask: &[bool]) -> Done {
        if i.op.arity().is_some() {
            let ty = self.k.ty(i.dst.at(0));
            let from = self.k.ty(i.args.at(usize::from(i.op == Op::Select)));
            for t in Self::each(mask) {
                let a = [0, 1, 2].map(|j| i.args.get(j).map_or(0, |id| self.reg(*id, t)));
                self.set(i.dst.at(0), t, eval(i.op, ty, from, a));
            }
            return Ok(());
        }
        match i.op {
            Op::If => {
                let [then, other] = i.blocks.as_slice() else { return Ok(()) };
                let p = i.args.at(0);
                for (b, want) in [(then, 1), (other, 0)] {
                    let part: Vec<bool> =
                        mask.iter().enumerate().map(|(t, m)| *m && self.reg(p, t) & 1 == want).collect();
                    if part.contains(&true) {
                        self.block(b, &part)?;
                        self.copy(&i.dst, &b.yields, &part);
                    }
                }
                Ok(())
            }
            Op::For { .. } => self.counted(i, mask),
            Op::Repeat => self.repeated(i, mask),
            Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } => {
                Self::each(mask).try_for_each(|t| self.memory(i, t))
            }
            Op::Exit => {
                Self::each(mask).for_each(|t| {
                    if let Some(l) = self.live.get_mut(t) {
                        *l = false;
                    }
                });
                Ok(())
            }
            Op::Barrier => {
                if mask != self.live {
                    return Err(Error::Barrier { why: "a part of the block waits elsewhere" });
                }
                self.races.barrier();
                Ok(())
            }
            Op::Fence => Ok(()),
            Op::CopyAsync { bytes } => {
                for t in Self::each(mask) {
                    let copy = (self.reg(i.args.at(0), t), self.reg(i.args.at(1), t), u32::from(bytes));
                    let open = self.copies.get_mut(t).and_then(|c| c.last_mut());
                    open.into_iter().for_each(|g| g.push(copy));
                }
                Ok(())
            }
            Op::CopyCommit => {
                Self::each(mask)
                    .for_each(|t| self.copies.get_mut(t).into_iter().for_each(|c| c.push(Vec::new())));
                Ok(())
            }
            Op::CopyWait(pending) => Self::each(mask).try_for_each(|t| self.arrive(t, usize::from(pending))),
            Op::Shuffle(_) | Op::Vote(_) | Op::LdMatrix { .. } | Op::Mma(_) => self.warps(i, mask),
            Op::Hopper(h) => self.hopper(h, i, mask),
            _ => {
                for t in Self::each(mask) {
                    let v = self.leaf(i.op, t);
                    self.set(i.dst.at(0), t, v);
                }
                Ok(())
            }
        }
    }

    fn counted(&mut self, i: &Inst, mask: &[bool]) -> Done {
        let Some(body) = i.blocks.first() else { return Ok(()) };
        let (counter, carried) = (body.params.at(0), body.params.get(1..).unwrap_or_default());
        let ty = self.k.ty(counter);
        self.copy(&[counter], &[i.args.at(0)], mask);
        self.copy(carried, i.args.get(3..).unwrap_or_default(), mask);
        let mut active = mask.to_vec();
        loop {
            let less = Op::Compare(super::ir::Cmp::Lt);
            for (t, m) in active.iter_mut().enumerate() {
                let bounds = [self.reg(counter, t), self.reg(i.args.at(1), t), 0];
                *m = *m && self.live.get(t) == Some(&true) && eval(less, Type::Pred, ty, bounds) != 0;
            }
            if !active.contains(&true) {
                break;
            }
            self.fuel = self.fuel.checked_sub(1).ok_or(Error::Endless)?;
            self.block(body, &active)?;
            self.copy(carried, &body.yields, &active);
            for t in Self::each(&active) {
                let now = self.reg(counter, t);
                let next = eval(Op::Add, ty, ty, [now, self.reg(i.args.at(2), t), 0]);
                if eval(Op::Compare(super::ir::Cmp::Le), Type::Pred, ty, [next, now, 0]) != 0 {
                    return Err(Error::Overflow { what: "the counter of a loop" });
                }
                self.set(counter, t, next);
            }
        }
        self.copy(&i.dst, carried, mask);
        Ok(())
    }

    fn repeated(&mut self, i: &Inst, mask: &[bool]) -> Done {
        let Some(body) = i.blocks.first() else { return Ok(()) };
        self.copy(&body.params, &i.args, mask);
        let mut active = mask.to_vec();
        while active.contains(&true) {
            self.fuel = self.fuel.checked_sub(1).ok_or(Error::Endless)?;
            self.block(body, &active)?;
            let again: Vec<bool> = (0..self.n).map(|t| self.reg(body.yields.at(0), t) & 1 != 0).collect();
            self.copy(&body.params, body.yields.get(1..).unwrap_or_default(), &active);
            for ((m, again), live) in active.iter_mut().zip(&again).zip(&self.live) {
                *m &= *again && *live;
            }
        }
        self.copy(&i.dst, &body.params, mask);
        Ok(())
    }

    fn leaf(&self, op: Op, t: usize) -> u64 {
        let Shape { grid, threads, at } = self.shape;
        let t = t as u32;
        let [x, y, _] = threads;
        let start = |k: usize, v: u32| self.starts.get(k).and_then(|s| s.get(v as usize)).copied();
        let special = |s| match s {
            Special::TidX => t % x,
            Special::TidY => t / x % y,
            Special::TidZ => t / (x * y),
            Special::NtidX => threads[0],
            Special::NtidY => threads[1],
            Special::NtidZ => threads[2],
            Special::CtaidX => at[0],
            Special::CtaidY => at[1],
            Special::CtaidZ => at[2],
            Special::NctaidX => grid[0],
            Special::NctaidY => grid[1],
            Special::NctaidZ => grid[2],
            Special::LaneId => t % 32,
            Special::WarpId => t / 32,
        };
        match op {
            Op::Const(bits) => bits,
            Op::Param(p) => self.args.get(p as usize).copied().unwrap_or(0),
            Op::Special(s) => u64::from(special(s)),
            Op::Shared(v) => u64::from(start(0, v).unwrap_or(0)),
            Op::Local(v) => u64::from(start(1, v).unwrap_or(0)),
            Op::Table(v) => TABLE + (u64::from(v) << BUFFER),
            _ => 0,
        }
    }

    fn arrive(&mut self, t: usize, pending: usize) -> Done {
        let Some(groups) = self.copies.get_mut(t) else { return Ok(()) };
        // The open group is not waited for.
        let done = (groups.len() - 1).saturating_sub(pending);
        let ready: Vec<Started> = groups.drain(..done).flatten().collect();
        for (to, from, bytes) in ready {
            for (space, at) in [(Space::Shared, to), (Space::Global, from)] {
                Access { space: label(space), address: at, thread: t as u32 }.aligned(bytes)?;
            }
            for k in 0..u64::from(bytes / 4) {
                let v = self.read(Space::Global, from + 4 * k, 4, t)?;
                self.write(Space::Shared, to + 4 * k, 4, v, t)?;
            }
        }
        Ok(())
    }

    fn memory(&mut self, i: &Inst, t: usize) -> Done {
        let base = self.reg(i.args.at(0), t);
        match i.op {
            Op::Load { space, offset } => {
                let width = self.k.ty(i.dst.at(0)).bytes();
                let at = self.place(space, base, offset, width * i.dst.len() as u32, t)?;
                for (k, id) in i.dst.iter().enumerate() {
                    let v = self.read(space, at + u64::from(width) * k as u64, width, t)?;
                    self.set(*id, t, v);
                }
                Ok(())
            }
            Op::Store { space, offset } => {
                let width = self.k.ty(i.args.at(1)).bytes();
                let at = self.place(space, base, offset, width * (i.args.len() as u32 - 1), t)?;
                for (k, id) in i.args.iter().skip(1).enumerate() {
                    self.write(space, at + u64::from(width) * k as u64, width, self.reg(*id, t), t)?;
                }
                Ok(())
            }
            Op::Atomic { space, rmw } => {
                let ty = self.k.ty(i.dst.at(0));
                let at = self.place(space, base, 0, ty.bytes(), t)?;
                let value = self.reg(i.args.at(1), t);
                let who = Access { space: label(space), address: at, thread: t as u32 };
                if space == Space::Shared {
                    self.races.access(at, ty.bytes(), t as u32, Kind::Atomic)?;
                }
                let (bytes, at) = self.bytes(space, at, t).ok_or(who.missing(ty.bytes()))?;
                let old = bytes.read(at, ty.bytes(), who)?;
                let both = |op| eval(op, ty, ty, [old, value, 0]);
                let new = match rmw {
                    Rmw::Add => both(Op::Add),
                    Rmw::Min => both(Op::Min),
                    Rmw::Max => both(Op::Max),
                    Rmw::And => old & value,
                    Rmw::Or => old | value,
                    Rmw::Xor => old ^ value,
                    Rmw::Exchange => value,
                    Rmw::CompareExchange => {
                        let expected = self.reg(i.args.at(2), t);
                        if old == expected { value } else { old }
                    }
                };
                let (bytes, at) = self.bytes(space, who.address, t).ok_or(who.missing(ty.bytes()))?;
                bytes.write(at, ty.bytes(), new, who)?;
                self.set(i.dst.at(0), t, old);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The address of an access, checked for alignment.
    fn place(&self, space: Space, base: u64, offset: i32, bytes: u32, t: usize) -> Result<u64, Error> {
        let address = base.wrapping_add(i64::from(offset) as u64);
        Access { space: label(space), address, thread: t as u32 }.aligned(bytes)?;
        Ok(address)
    }

    /// What holds the bytes at an address, and where in it.
    fn bytes(&mut self, space: Space, address: u64, t: usize) -> Option<(&mut Bytes, u64)> {
        match space {
            Space::Shared => Some((&mut self.shared, address)),
            Space::Local => self.local.get_mut(t).map(|b| (b, address)),
            Space::Global => {
                let n = ((address >> BUFFER) as usize).checked_sub(1)?;
                self.device.buffers.get_mut(n).map(|b| (b, address & ((1 << BUFFER) - 1)))
            }
            Space::Const => None,
        }
    }

    fn read(&mut self, space: Space, address: u64, n: u32, t: usize) -> Result<u64, Error> {
        let who = Access { space: label(space), address, thread: t as u32 };
        if space == Space::Const {
            let table = (address.wrapping_sub(TABLE) >> BUFFER) as usize;
            let offset = address & ((1 << BUFFER) - 1);
            let table = self.k.tables.get(table).filter(|t| t.ty.bytes() == n);
            let bits = table.and_then(|t| t.bits.get((offset / u64::from(n)) as usize));
            return bits.copied().ok_or(who.missing(n));
        }
        if space == Space::Shared {
            self.races.access(address, n, t as u32, Kind::Read)?;
        }
        let (bytes, at) = self.bytes(space, address, t).ok_or(who.missing(n))?;
        bytes.read(at, n, who)
    }

    fn write(&mut self, space: Space, address: u64, n: u32, v: u64, t: usize) -> Done {
        let who = Access { space: label(space), address, thread: t as u32 };
        if space == Space::Shared {
            self.races.access(address, n, t as u32, Kind::Write)?;
        }
        let (bytes, at) = self.bytes(space, address, t).ok_or(who.missing(n))?;
        bytes.write(at, n, v, who)
    }
}

const fn label(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
    }
}
