//! Interprets kernels on the host: the threads of a block run in step, and errors that a GPU does not detect are
//! reported.
//!
//! Each warp runs an instruction for all its active threads, until it waits for the others. Errors are reported for
//! accesses out of bounds, misaligned accesses, reads of uninitialised memory, barriers that only a part of the block
//! reaches, and races in shared memory.

mod control;
mod hopper;
mod memory;
mod warp;

pub use hopper::TensorMap;
pub use memory::Bytes;

use super::error::Error;
use super::eval::{LANES, Row, eval, row};
use super::ir::{Id, Inst, Kernel, Op, Rmw, Space, Special};
use super::verify;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use control::{Lanes, Warp};
use hopper::Phase;
use memory::{Access, Kind, Races};

/// Instructions that a warp runs at most.
const FUEL: u64 = 1 << 20;
/// Blocks that a launch has at most.
const BLOCKS: u32 = 1 << 24;
/// Bytes that a block can have, as much as any target.
const SHARED: u32 = 227 << 10;
/// Bytes that a thread can have.
const LOCAL: u32 = 512 << 10;
/// Where buffers start: the number of the buffer is above, the offset below.
const BUFFER: u32 = 40;
/// Constant tables are above all buffers.
const TABLE: u64 = 1 << 62;

/// Global memory, and the kernels run on it.
#[derive(Debug, Clone, Default)]
pub struct Interpreter {
    buffers: Vec<Bytes>,
    maps: Vec<TensorMap>,
    // Of the launch before.
    races: Races,
    regs: Vec<Row>,
}

impl Interpreter {
    /// Without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { buffers: Vec::new(), maps: Vec::new(), races: Races::new(), regs: Vec::new() }
    }

    /// Allocates; gives the address.
    pub fn buffer(&mut self, bytes: Bytes) -> u64 {
        self.buffers.push(bytes);
        (self.buffers.len() as u64) << BUFFER
    }

    /// What is at an address that [`Interpreter::buffer`] gave.
    #[must_use]
    pub fn get(&self, address: u64) -> Option<&Bytes> {
        self.buffers.get(((address >> BUFFER) as usize).checked_sub(1)?)
    }

    /// As [`Interpreter::get`], to be written.
    pub fn get_mut(&mut self, address: u64) -> Option<&mut Bytes> {
        self.buffers.get_mut(((address >> BUFFER) as usize).checked_sub(1)?)
    }

    /// Frees what is at an address that [`Interpreter::buffer`] gave; nothing else is ever there.
    pub fn release(&mut self, address: u64) {
        if let Some(bytes) = self.get_mut(address) {
            *bytes = Bytes::default();
        }
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
        let count = threads.iter().try_fold(1u32, |n, t| n.checked_mul(*t)).unwrap_or(0);
        let blocks = grid.iter().try_fold(1u32, |n, b| n.checked_mul(*b));
        if args.len() != k.params.len()
            || k.threads.is_some_and(|t| t != threads)
            || !(1..=1024).contains(&count)
            || blocks.is_none_or(|n| n > BLOCKS)
        {
            return Err(Error::Arguments);
        }
        for (variables, available) in [(&k.shared, SHARED), (&k.local, LOCAL)] {
            let (_, needed) = Kernel::layout(variables);
            if needed > available {
                return Err(Error::SharedMemory { needed, available });
            }
        }
        let mut machine = Machine::new(self, k, args, Shape { grid, threads, at: [0; 3] });
        for z in 0..grid[2] {
            for y in 0..grid[1] {
                for x in 0..grid[0] {
                    machine.run([x, y, z])?;
                }
            }
        }
        let Machine { device, races, regs, .. } = machine;
        (device.races, device.regs) = (races, regs);
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

/// A block; those of a launch run one after the other, in the same memory.
struct Machine<'a> {
    device: &'a mut Interpreter,
    k: &'a Kernel,
    args: &'a [u64],
    shape: Shape,
    n: usize,
    // Those of a warp one after the other. A block reads none that it has not written: verification sees to that.
    regs: Vec<Row>,
    // What is copied from registers to registers at once.
    held: Vec<Row>,
    // Of each warp: the threads that have not exited.
    live: Vec<Lanes>,
    shared: Bytes,
    starts: [Vec<u32>; 2],
    races: Races,
    local: Vec<Bytes>,
    // Of each thread, if one copies: groups of copies under way, the open one last.
    copies: Vec<Vec<Vec<Started>>>,
    // Barriers in shared memory, by their addresses.
    phases: BTreeMap<u64, Phase>,
    warps: Vec<Warp<'a>>,
    // What others may wait for has happened so often.
    events: u64,
}

type Done = Result<(), Error>;

/// Of an operand that an instruction does not have.
const NONE: &Row = &[0; LANES];

impl<'a> Machine<'a> {
    fn new(device: &'a mut Interpreter, k: &'a Kernel, args: &'a [u64], shape: Shape) -> Self {
        let n = shape.threads.iter().product::<u32>() as usize;
        let (starts, size) = Kernel::layout(&k.shared);
        let (local_starts, local) = Kernel::layout(&k.local);
        let races = core::mem::take(&mut device.races);
        let mut regs = core::mem::take(&mut device.regs);
        let needed = n.div_ceil(LANES) * k.types.len();
        regs.resize(needed.max(regs.len()), *NONE);
        Self {
            device,
            k,
            args,
            shape,
            n,
            regs,
            held: Vec::new(),
            live: Vec::new(),
            shared: Bytes::uninitialised(size as usize),
            starts: [starts, local_starts],
            races,
            local: vec![Bytes::uninitialised(local as usize); if local > 0 { n } else { 0 }],
            copies: Vec::new(),
            phases: BTreeMap::new(),
            warps: Vec::new(),
            events: 0,
        }
    }

    /// Nothing is left of the block before.
    fn begin(&mut self, at: [u32; 3]) {
        self.shape.at = at;
        self.live.clear();
        self.live.extend((0..self.n).step_by(LANES).map(|first| Lanes::all(first, self.n)));
        self.shared.forget();
        self.local.iter_mut().for_each(Bytes::forget);
        self.races.fit(self.shared.bytes().len());
        self.copies.clear();
        self.phases.clear();
    }

    /// A register of the lanes of the warp that starts with thread `first`.
    #[inline]
    fn row(&self, id: Id, first: usize) -> &Row {
        self.regs.get(first / LANES * self.k.types.len() + id.0 as usize).unwrap_or(NONE)
    }

    /// As [`Machine::row`], to be written.
    #[inline]
    fn row_mut(&mut self, id: Id, first: usize) -> Option<&mut Row> {
        self.regs.get_mut(first / LANES * self.k.types.len() + id.0 as usize)
    }

    #[inline]
    fn reg(&self, id: Id, t: usize) -> u64 {
        self.row(id, t).get(t % LANES).copied().unwrap_or(0)
    }

    #[inline]
    fn set(&mut self, id: Id, t: usize, v: u64) {
        if let Some(r) = self.row_mut(id, t).and_then(|row| row.get_mut(t % LANES)) {
            *r = v;
        }
    }

    /// Sets a register of these lanes.
    #[inline]
    fn put(&mut self, id: Id, lanes: Lanes, row: &Row) {
        let Some(to) = self.row_mut(id, lanes.first) else { return };
        if lanes.bits == u32::MAX {
            *to = *row;
            return;
        }
        for (lane, (to, v)) in to.iter_mut().zip(row).enumerate() {
            if lanes.bits >> lane & 1 != 0 {
                *to = *v;
            }
        }
    }

    /// An instruction of which most of a kernel is.
    fn arithmetic(&mut self, i: &Inst, lanes: Lanes) {
        let ty = self.k.ty(i.dst.at(0));
        let from = self.k.ty(i.args.at(usize::from(i.op == Op::Select)));
        let x = |k: usize| i.args.get(k).map_or(NONE, |id| self.row(*id, lanes.first));
        let y = row(i.op, ty, from, [x(0), x(1), x(2)], lanes.bits);
        self.put(i.dst.at(0), lanes, &y);
    }

    fn inst(&mut self, i: &Inst, lanes: Lanes) -> Done {
        if i.op.arity().is_some() {
            self.arithmetic(i, lanes);
            return Ok(());
        }
        match i.op {
            Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } => self.memory(i, lanes),
            Op::Exit => {
                if let Some(live) = self.live.get_mut(lanes.first / LANES) {
                    live.bits &= !lanes.bits;
                }
                Ok(())
            }
            Op::Fence => Ok(()),
            Op::CopyAsync { bytes } => {
                self.copying();
                for t in lanes.each() {
                    let copy = (self.reg(i.args.at(0), t), self.reg(i.args.at(1), t), u32::from(bytes));
                    let open = self.copies.get_mut(t).and_then(|c| c.last_mut());
                    open.into_iter().for_each(|g| g.push(copy));
                }
                Ok(())
            }
            Op::CopyCommit => {
                self.copying();
                lanes
                    .each()
                    .for_each(|t| self.copies.get_mut(t).into_iter().for_each(|c| c.push(Vec::new())));
                Ok(())
            }
            Op::CopyWait(pending) => lanes.each().try_for_each(|t| self.arrive(t, usize::from(pending))),
            Op::Shuffle(_) | Op::Vote(_) | Op::LdMatrix { .. } | Op::Mma(_) => self.warp(i, lanes),
            Op::Hopper(h) => self.hopper(h, i, lanes),
            _ => {
                let row = self.leaf(i.op, self.k.ty(i.dst.at(0)).mask(), lanes.first);
                self.put(i.dst.at(0), lanes, &row);
                Ok(())
            }
        }
    }

    fn leaf(&self, op: Op, mask: u64, first: usize) -> Row {
        let start = |k: usize, v: u32| self.starts.get(k).and_then(|s| s.get(v as usize)).copied();
        let all = |v: u64| [v & mask; LANES];
        match op {
            Op::Const(bits) => all(bits),
            Op::Param(p) => all(self.args.get(p as usize).copied().unwrap_or(0)),
            Op::Special(s) => {
                let mut row = *NONE;
                for (t, v) in (first as u32..).zip(&mut row) {
                    *v = u64::from(self.special(s, t));
                }
                row
            }
            Op::Shared(v) => all(u64::from(start(0, v).unwrap_or(0))),
            Op::Local(v) => all(u64::from(start(1, v).unwrap_or(0))),
            Op::Table(v) => all(TABLE + (u64::from(v) << BUFFER)),
            _ => all(0),
        }
    }

    fn special(&self, s: Special, t: u32) -> u32 {
        let Shape { grid, threads, at } = self.shape;
        let [x, y, _] = threads;
        match s {
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
        }
    }

    /// The threads have groups of copies from the first instruction on that needs one.
    fn copying(&mut self) {
        self.copies.resize(self.n, vec![Vec::new()]);
    }

    fn arrive(&mut self, t: usize, pending: usize) -> Done {
        let Some(groups) = self.copies.get_mut(t) else { return Ok(()) };
        // The open group is not waited for.
        let done = groups.len().saturating_sub(pending.saturating_add(1));
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

    fn memory(&mut self, i: &Inst, lanes: Lanes) -> Done {
        match i.op {
            Op::Load { space, offset } => {
                let width = self.k.ty(i.dst.at(0)).bytes();
                for t in lanes.each() {
                    let base = self.reg(i.args.at(0), t);
                    let mut at = self.place(space, base, offset, width * i.dst.len() as u32, t)?;
                    for id in i.dst.iter() {
                        let v = self.read(space, at, width, t)?;
                        self.set(*id, t, v);
                        at += u64::from(width);
                    }
                }
                Ok(())
            }
            Op::Store { space, offset } => {
                let width = self.k.ty(i.args.at(1)).bytes();
                for t in lanes.each() {
                    let base = self.reg(i.args.at(0), t);
                    let mut at = self.place(space, base, offset, width * (i.args.len() as u32 - 1), t)?;
                    for id in i.args.iter().skip(1) {
                        self.write(space, at, width, self.reg(*id, t), t)?;
                        at += u64::from(width);
                    }
                }
                Ok(())
            }
            Op::Atomic { space, rmw } => lanes.each().try_for_each(|t| self.atomic(i, space, rmw, t)),
            _ => Ok(()),
        }
    }

    fn atomic(&mut self, i: &Inst, space: Space, rmw: Rmw, t: usize) -> Done {
        let ty = self.k.ty(i.dst.at(0));
        let at = self.place(space, self.reg(i.args.at(0), t), 0, ty.bytes(), t)?;
        let value = self.reg(i.args.at(1), t);
        let who = Access { space: label(space), address: at, thread: t as u32 };
        if space == Space::Shared {
            self.races.access(at, ty.bytes(), t as u32, Kind::Atomic)?;
        }
        let (bytes, at) = self.bytes(space, at, t).ok_or_else(|| who.missing(ty.bytes()))?;
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
        let (bytes, at) = self.bytes(space, who.address, t).ok_or_else(|| who.missing(ty.bytes()))?;
        bytes.write(at, ty.bytes(), new, who)?;
        self.set(i.dst.at(0), t, old);
        Ok(())
    }

    /// The address of an access, checked for alignment.
    #[inline]
    fn place(&self, space: Space, base: u64, offset: i32, bytes: u32, t: usize) -> Result<u64, Error> {
        // Addresses wrap in their own width.
        let address = base.wrapping_add(i64::from(offset) as u64) & verify::address(space).mask();
        Access { space: label(space), address, thread: t as u32 }.aligned(bytes)?;
        Ok(address)
    }

    /// What holds the bytes at an address, and where in it.
    #[inline]
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

    #[inline]
    fn read(&mut self, space: Space, address: u64, n: u32, t: usize) -> Result<u64, Error> {
        let who = Access { space: label(space), address, thread: t as u32 };
        if space == Space::Const {
            let table = (address.wrapping_sub(TABLE) >> BUFFER) as usize;
            let offset = address & ((1 << BUFFER) - 1);
            let table = self.k.tables.get(table).filter(|t| t.ty.bytes() == n);
            let bits = table.and_then(|t| t.bits.get((offset / u64::from(n)) as usize));
            return bits.copied().ok_or_else(|| who.missing(n));
        }
        if space == Space::Shared {
            self.races.access(address, n, t as u32, Kind::Read)?;
        }
        let (bytes, at) = self.bytes(space, address, t).ok_or_else(|| who.missing(n))?;
        bytes.read(at, n, who)
    }

    #[inline]
    fn write(&mut self, space: Space, address: u64, n: u32, v: u64, t: usize) -> Done {
        let who = Access { space: label(space), address, thread: t as u32 };
        if space == Space::Shared {
            self.races.access(address, n, t as u32, Kind::Write)?;
        }
        let (bytes, at) = self.bytes(space, address, t).ok_or_else(|| who.missing(n))?;
        bytes.write(at, n, v, who)
    }
}

#[inline]
const fn label(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
    }
}
