//! The state of a backend: the planner, the memory pool, the cache of rounded operands, the status words, the last
//! launch.

use super::super::device::{Binding, Device, Error, Launch, Readback};
use super::super::template::Index;
use super::super::template::launch::ZERO_WORDS;
use super::copies::Copies;
use super::gemv::Last;
use super::plan::Planner;
use super::pool::{Allocation, Pool};
use super::stored::Bf16Buffers;
use alloc::rc::Rc;
use core::cell::{Cell, OnceCell, RefCell};
use core::ops::Range;

/// Bytes of the status words.
const STATUS: usize = 4 * Index::ALL.len();

/// The description of a span of these launches: the first kernel, the bytes that are bound, and the type of the device.
#[cfg(feature = "trace")]
fn span_info<'a, D: Device>(
    list: &'a [Launch],
    bindings: &[Binding<'_, D::Buffer>],
) -> crate::trace::SpanInfo<'a> {
    let name = core::any::type_name::<D>();
    let bytes = bindings.iter().fold(0, |sum: u64, b| sum.saturating_add(b.bytes));
    crate::trace::SpanInfo {
        body: list.first().map_or("", |launch| &launch.program.kernel().name),
        traffic: crate::trace::Traffic { elements: 0, bytes },
        ..crate::trace::SpanInfo::new(name.rsplit("::").next().unwrap_or(name))
    }
}

#[derive(Debug)]
pub(super) struct State<D: Device> {
    pub(super) device: D,
    pub(super) planner: Planner,
    pub(super) copies: Copies<D::Buffer>,
    pub(super) bf16: Bf16Buffers,
    /// Lists that are open, and the last launch of them if a next one may become one with it.
    pub(super) lists: Cell<usize>,
    pub(super) last: RefCell<Option<Last>>,
    pub(super) pool: Pool<D::Buffer>,
    status: OnceCell<D::Buffer>,
    /// Words in which blocks count who ended: zeros between launches.
    zeros: OnceCell<D::Buffer>,
    /// Whether a kernel that may write a status word ran since they were read.
    unsure: Cell<bool>,
}

impl<D: Device> State<D> {
    pub(super) fn new(device: D) -> Self {
        let planner = Planner::new(device.facts());
        let (copies, bf16) = (Copies::default(), Bf16Buffers::default());
        Self {
            device,
            planner,
            copies,
            bf16,
            lists: Cell::default(),
            last: RefCell::default(),
            pool: Pool::default(),
            status: OnceCell::new(),
            zeros: OnceCell::new(),
            unsure: Cell::new(false),
        }
    }

    /// Opens a list.
    pub(super) fn begin(&self) {
        self.lists.set(self.lists.get() + 1);
        self.device.begin();
    }

    /// Closes it.
    pub(super) fn end(&self) -> Result<(), Error> {
        self.lists.set(self.lists.get().saturating_sub(1));
        self.last.take();
        self.device.end()
    }

    /// Launches that the planner made for these bindings.
    pub(super) fn launch(&self, list: &[Launch], bindings: &[Binding<'_, D::Buffer>]) -> Result<(), Error> {
        crate::forms::span!(crate::error::OpName::NONE, of span_info::<D>(list, bindings));
        // SAFETY: the backend's methods alone get here, with plans that no one else has touched: kernels of this crate, which the
        // interpreter runs in the tests with every access checked, with counts that the methods have held against their views.
        unsafe { self.device.launch(list, bindings) }
    }

    /// The same of [`Device::amend`].
    pub(super) fn amend(&self, launch: &Launch, bindings: &[Binding<'_, D::Buffer>]) -> Result<bool, Error> {
        crate::forms::span!(crate::error::OpName::NONE, of span_info::<D>(core::slice::from_ref(launch), bindings));
        // SAFETY: as in `launch`.
        unsafe { self.device.amend(launch, bindings) }
    }

    /// At least so many bytes.
    pub(super) fn take(&self, bytes: u64) -> Result<Allocation<D::Buffer>, Error> {
        // What copies hold is given up for it.
        self.pool.take(&self.device, bytes, || self.give_up())
    }

    /// Gives up the copies; says whether there were any.
    pub(super) fn give_up(&self) -> bool {
        let all = self.copies.take();
        let any = !all.is_empty();
        all.into_iter().for_each(|memory| self.done(memory));
        any
    }

    /// The status words, for a kernel that may write one.
    pub(super) fn status(&self) -> Result<&D::Buffer, Error> {
        self.unsure.set(true);
        self.words(&self.status, &[0; STATUS])
    }

    /// Zeros, for kernels that leave zeros.
    pub(super) fn zeros(&self) -> Result<&D::Buffer, Error> {
        self.words(&self.zeros, &[0; 4 * ZERO_WORDS])
    }

    /// Memory that is made when it is first asked for, with these bytes.
    fn words<'a>(&'a self, at: &'a OnceCell<D::Buffer>, bytes: &[u8]) -> Result<&'a D::Buffer, Error> {
        if let Some(words) = at.get() {
            return Ok(words);
        }
        let words = self.device.allocate(bytes.len() as u64).or_else(|error| {
            self.give_up();
            if self.pool.trim() > 0 { self.device.allocate(bytes.len() as u64) } else { Err(error) }
        })?;
        self.device.write(&words, 0, bytes)?;
        Ok(at.get_or_init(|| words))
    }

    /// To the host, and what kernels said of their arguments since the last time.
    pub(super) async fn read(
        &self,
        b: Binding<'_, D::Buffer>,
        to: &mut [u8],
    ) -> Result<Result<(), Error>, Error> {
        let read = Readback { buffer: b.buffer, start: b.start, to };
        let Some(words) = self.status.get().filter(|_| self.unsure.get()) else {
            self.device.read(&mut [read]).await?;
            return Ok(Ok(()));
        };
        let mut bytes = [0; STATUS];
        self.device.read(&mut [read, Readback { buffer: words, start: 0, to: &mut bytes }]).await?;
        self.unsure.set(false);
        let mut each = Index::ALL.into_iter().zip(bytes.as_chunks::<4>().0);
        let Some((what, word)) = each.find(|(_, word)| **word != [0; 4]) else { return Ok(Ok(())) };
        self.device.write(words, 0, &[0; STATUS])?;
        let (op, arg) = what.names();
        let index = u32::from_le_bytes(*word) - 1;
        Ok(Err(match what {
            Index::Lz4 => Error::Block { op, arg, index },
            _ if what.pivot() => Error::Pivot { op, arg, index },
            _ => Error::Index { op, arg, index },
        }))
    }

    /// Back to the pool.
    pub(super) fn give(&self, memory: Allocation<D::Buffer>) {
        self.changed(&memory.buffer, &(0..u64::MAX));
        self.bf16.forget(self.device.number(&memory.buffer));
        self.pool.give(memory);
    }

    /// Back to the pool, when nobody has it any more.
    pub(super) fn done(&self, memory: Rc<Allocation<D::Buffer>>) {
        if let Ok(memory) = Rc::try_unwrap(memory) {
            self.give(memory);
        }
    }

    /// These bytes of a buffer are not what they were.
    pub(super) fn changed(&self, buffer: &D::Buffer, bytes: &Range<u64>) {
        let stale = self.copies.stale(|| self.device.number(buffer), bytes);
        stale.into_iter().for_each(|memory| self.done(memory));
    }

    /// Whether the elements of a buffer lie as `bf16`.
    pub(super) fn is_bf16(&self, buffer: &D::Buffer) -> bool {
        self.bf16.has(|| self.device.number(buffer))
    }
}
