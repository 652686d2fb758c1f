//! The interpreter as a device: it runs launches on the host.

use super::{
    Binding, Blocking, Computes, Device, Error, Facts, Launch, Limits, Readback, check, check_behind,
};
use crate::gpu::interpret::{Bytes, Interpreter};
use crate::gpu::template::{Argument, Meet};
use crate::hardware::Language;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

/// The host, interpreting kernels: slow, and checks what GPUs do not.
#[derive(Debug)]
pub struct Host {
    facts: Facts,
    memory: Rc<RefCell<Interpreter>>,
    /// Bytes of memory, if they are counted, and those that are allocated.
    limit: Option<u64>,
    allocated: Rc<Cell<u64>>,
    /// Lists that are open, one inside the other, and the arguments of the last launch of one.
    open: Cell<usize>,
    last: RefCell<Option<Vec<u64>>>,
}

/// Memory of the interpreter.
#[derive(Debug)]
pub struct Buffer {
    start: u64,
    bytes: u64,
    of: Rc<Region>,
}

/// What buffers are parts of.
#[derive(Debug)]
struct Region {
    address: u64,
    bytes: u64,
    memory: Rc<RefCell<Interpreter>>,
    allocated: Rc<Cell<u64>>,
}

impl Drop for Region {
    fn drop(&mut self) {
        self.memory.borrow_mut().release(self.address);
        self.allocated.set(self.allocated.get() - self.bytes);
    }
}

impl Buffer {
    fn address(&self) -> u64 {
        self.of.address + self.start
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new(Meet::Warps)
    }
}

impl Host {
    /// With threads that meet so. The limits are those that every WebGPU device has, but for `f64`.
    #[must_use]
    pub fn new(meet: Meet) -> Self {
        let limits = Limits {
            buffer: 256 << 20,
            binding: 128 << 20,
            bindings: 8,
            grid: [65535; 3],
            threads: 256,
            shared: 16 << 10,
        };
        let name = String::from("interpreter");
        Self::with(Facts {
            name,
            language: Language::Rust,
            meet,
            groups: false,
            matrices: false,
            short: false,
            blocks: 8,
            limits,
        })
    }

    /// As if it were this device.
    #[must_use]
    pub fn with(facts: Facts) -> Self {
        let (memory, allocated) = (Rc::default(), Rc::default());
        Self { facts, memory, limit: None, allocated, open: Cell::default(), last: RefCell::default() }
    }

    /// With so many bytes of memory, as a card has them: more is refused, and arrays are parts of larger buffers, so that an
    /// access beyond one is seen only where it leaves that.
    #[must_use]
    pub fn limited(self, bytes: u64) -> Self {
        Self { limit: Some(bytes), ..self }
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn allocated(&self) -> u64 {
        self.allocated.get()
    }

    fn owns(&self, buffer: &Buffer) -> Result<(), Error> {
        if Rc::ptr_eq(&self.memory, &buffer.of.memory) { Ok(()) } else { Err(Error::Foreign) }
    }

    fn range(&self, buffer: &Buffer, start: u64, bytes: u64) -> Result<core::ops::Range<usize>, Error> {
        self.facts.range(start, bytes, buffer.bytes)?;
        let end = start + bytes;
        match (usize::try_from(start), usize::try_from(end)) {
            (Ok(start), Ok(end)) => {
                let before = buffer.start as usize;
                Ok(before + start..before + end)
            }
            // Past what this host can address.
            _ => Err(Error::Range { device: self.facts.name.clone(), start, bytes, available: buffer.bytes }),
        }
    }
}

impl Host {
    fn reaches(&self, bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
        bindings.iter().try_for_each(|b| {
            self.owns(b.buffer)?;
            self.range(b.buffer, b.start, b.bytes)?;
            self.facts.limit("bytes of a binding", b.bytes, self.facts.limits.binding)
        })
    }

    /// With these arguments before those of the launch.
    fn interpret(
        &self,
        l: &Launch,
        bindings: &[Binding<'_, Buffer>],
        mut arguments: Vec<u64>,
    ) -> Result<(), Error> {
        let mut memory = self.memory.borrow_mut();
        let kernel = l.program.kernel();
        let refused = |error| Error::Kernel { kernel: kernel.name.clone(), error };
        let at = |k: usize| bindings.get(k).map_or(0, |b| b.buffer.address() + b.start);
        arguments.extend(l.arguments.iter().map(|a| match a {
            Argument::Buffer(k) => at(*k),
            Argument::Map(k, map) => memory.tensor(super::super::TensorMap { at: map.at + at(*k), ..*map }),
            Argument::Bits(bits) => *bits,
        }));
        memory.launch(kernel, l.grid, l.block, &arguments).map_err(refused)?;
        self.last.replace(Some(arguments).filter(|_| self.open.get() > 0));
        Ok(())
    }
}

impl Device for Host {
    type Buffer = Buffer;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocate(&self, bytes: u64) -> Result<Buffer, Error> {
        let available = self.facts.limits.buffer;
        match usize::try_from(bytes) {
            Ok(n) if bytes <= available => {
                let free = self.limit.map_or(u64::MAX, |all| all.saturating_sub(self.allocated.get()));
                self.facts.limit("bytes of free memory", bytes, free)?;
                self.allocated.set(self.allocated.get() + bytes);
                let address = self.memory.borrow_mut().buffer(Bytes::uninitialised(n));
                let (memory, allocated) = (Rc::clone(&self.memory), Rc::clone(&self.allocated));
                let of = Rc::new(Region { address, bytes, memory, allocated });
                Ok(Buffer { start: 0, bytes, of })
            }
            _ => {
                let device = self.facts.name.clone();
                Err(Error::Limit { device, what: "bytes of a buffer", asked: bytes, available })
            }
        }
    }

    fn divides(&self) -> bool {
        self.limit.is_some()
    }

    fn part(&self, of: &Buffer, start: u64, bytes: u64) -> Option<Buffer> {
        let end = start.checked_add(bytes)?;
        let there = self.divides() && self.owns(of).is_ok() && end <= of.bytes;
        there.then(|| Buffer { start: of.start + start, bytes, of: Rc::clone(&of.of) })
    }

    fn number(&self, buffer: &Buffer) -> u64 {
        buffer.address()
    }

    fn shares_words(&self, buffer: &Buffer, bytes: u64) {
        let range = self.owns(buffer).and_then(|()| self.range(buffer, 0, bytes));
        if let (Ok(range), Some(b)) = (range, self.memory.borrow_mut().get_mut(buffer.of.address)) {
            b.fill(range, &[]);
        }
    }

    fn write(&self, to: &Buffer, start: u64, bytes: &[u8]) -> Result<(), Error> {
        self.last.take();
        self.owns(to)?;
        let range = self.range(to, start, bytes.len() as u64)?;
        if let Some(b) = self.memory.borrow_mut().get_mut(to.of.address) {
            b.fill(range, bytes);
        }
        Ok(())
    }

    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
        self.reaches(bindings)?;
        list.iter().try_for_each(|l| check(&self.facts, l, bindings.len()))?;
        list.iter().try_for_each(|l| self.interpret(l, bindings, Vec::new()))
    }

    /// The last launch was made at once: this one does what it did once more.
    unsafe fn amend(&self, launch: &Launch, bindings: &[Binding<'_, Buffer>]) -> Result<bool, Error> {
        let Some(before) = self.last.take() else { return Ok(false) };
        self.reaches(bindings)?;
        check_behind(&self.facts, launch, bindings.len(), before.len())?;
        self.interpret(launch, bindings, before).map(|()| true)
    }

    fn begin(&self) {
        self.open.set(self.open.get() + 1);
    }

    fn end(&self) -> Result<(), Error> {
        self.open.set(self.open.get().saturating_sub(1));
        self.last.take();
        Ok(())
    }

    async fn read(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<(), Error> {
        let range = |p: &Readback<'_, Buffer>| {
            self.owns(p.buffer)?;
            self.range(p.buffer, p.start, p.to.len() as u64)
        };
        parts.iter().try_for_each(|p| range(p).map(drop))?;
        let memory = self.memory.borrow();
        for p in parts {
            let range = range(p)?;
            let bytes =
                memory.get(p.buffer.of.address).and_then(|b| b.bytes().get(range)).unwrap_or_default();
            p.to.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
        Ok(())
    }
}

impl Blocking for Host {}
impl Computes<f32> for Host {}
impl Computes<f64> for Host {}
impl Computes<u8> for Host {}
