//! Spans of every op and of every launch on a device, and a profiler in fixed memory (feature `trace`): `no_std`, without
//! allocation.
//!
//! The entry of each op opens a [`Span`]. While nobody [listens](listen), that is one relaxed load and a branch. A [`Listener`]
//! is a clock and a [`Sink`], which is told of each span at its begin and at its end, on the thread that ran it. Without the
//! feature, the crate's machine code is what it would be without the hook. Results do not depend on who listens.
//!
//! ```
//! use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
//! use fulmen::trace::{About, Listener, Sink, listen, silence};
//! struct Elements(AtomicU64);
//! impl Sink for Elements {
//!     fn end(&self, about: &About<'_>, _: u64, _: u64) {
//!         self.0.fetch_add(about.work.elements, Relaxed);
//!     }
//! }
//! static SEEN: Elements = Elements(AtomicU64::new(0));
//! // The clock of this listener stands still; a firmware passes its counter of cycles.
//! static LISTENER: Listener = Listener { clock: || 0, sink: &SEEN };
//! listen(&LISTENER);
//! fulmen::relu(&[-1.0f32, 2.0, 3.0], &mut [0.0; 3])?;
//! silence();
//! assert_eq!(SEEN.0.load(Relaxed), 3);
//! # Ok::<(), fulmen::Error>(())
//! ```

pub mod clock;
mod profiler;
mod work;

pub use profiler::{BrickId, Profiler, Stats};
pub use work::{Operand, Work};

use crate::error::OpName;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// What a span is about.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The op; of a launch, and of `map_with_row` and `map_with_column`, none.
    pub op: OpName,
    /// Of a `map`, the type of its body: a chain of ops, or one of the user's. Of a launch, its first kernel. Otherwise empty.
    pub body: &'a str,
    /// `serial` on the calling thread, `threads` on rayon's, `gpu` of a method of a device; of a launch, the type of the device.
    pub backend: &'static str,
    /// [`Simd::NAME`](crate::lanes::Simd::NAME) of the instruction set; empty on a device.
    pub lane: &'static str,
    /// The operands in memory, as far as the op's declaration has them: what is scratch, a plan, a sparse matrix or an operand
    /// of a device's method does not count. Of a launch, the buffers that it may touch.
    pub work: Work,
}

impl About<'static> {
    /// Of no op, on `backend`, without operands: what a program's own spans begin with.
    #[must_use]
    pub fn new(backend: &'static str) -> Self {
        Self { op: OpName::NONE, body: "", backend, lane: "", work: Work::default() }
    }
}

impl About<'_> {
    /// The name to show: the op's, or the body's.
    #[must_use]
    pub fn name(&self) -> &str {
        self.op.text().unwrap_or(self.body)
    }
    /// What the contract of the op guarantees.
    #[must_use]
    pub fn spec(&self) -> Option<&'static crate::contract::Spec> {
        self.op.text().and_then(crate::contract::spec)
    }
    /// Floating-point operations by the op's contract, of ops with a number for each element that is written: pointwise ops and
    /// ops on rows, and not products of matrices.
    #[must_use]
    pub fn flops(&self) -> Option<f64> {
        self.spec().map(|spec| spec.flops_per_element * self.work.elements as f64)
    }
}

/// Takes what spans report. It is called on the thread of the op, calls no op itself, and must not block for long.
pub trait Sink: Sync {
    /// A span begins at `start`.
    fn begin(&self, about: &About<'_>, start: u64) {
        let _ = (about, start);
    }
    /// A span ends, whatever the op returned. Spans of a thread end in the reverse order of their begins.
    fn end(&self, about: &About<'_>, start: u64, stop: u64);
}

/// A clock, in ticks of any length, and who is told.
#[derive(Clone, Copy)]
pub struct Listener {
    /// Reads the clock.
    pub clock: fn() -> u64,
    /// Is told of each span.
    pub sink: &'static dyn Sink,
}

static LISTENER: AtomicPtr<Listener> = AtomicPtr::new(ptr::null_mut());

/// From now on `listener` is told of spans, in the place of the one before. A span that is open ends where it began.
pub fn listen(listener: &'static Listener) {
    LISTENER.store(ptr::from_ref(listener).cast_mut(), Ordering::Release);
}

/// From now on nobody is told of spans that begin.
pub fn silence() {
    LISTENER.store(ptr::null_mut(), Ordering::Release);
}

#[inline(always)]
fn listener() -> Option<&'static Listener> {
    // The common case needs no order with what it does not read.
    if LISTENER.load(Ordering::Relaxed).is_null() {
        return None;
    }
    // SAFETY: `listen` alone stores addresses, of listeners that live for ever and are not written again.
    unsafe { LISTENER.load(Ordering::Acquire).as_ref() }
}

/// The name of an instruction set.
#[inline(always)]
pub(crate) fn lane<S: crate::lanes::Simd>(_: &S) -> &'static str {
    S::NAME
}

/// Room for what an open [`Span`] is about. It is apart from the span so that the span itself stays in a register: while nobody listens,
/// its end is one test.
#[derive(Default)]
pub struct Room<'a>(Option<(About<'a>, u64)>);

/// A span, which ends when it is dropped.
///
/// ```
/// use fulmen::trace::{About, Room, Span};
/// let mut room = Room::default();
/// let _span = Span::open(&mut room, || About { body: "load", ..About::new("mine") });
/// ```
#[must_use]
pub struct Span<'r, 'a> {
    listener: Option<&'static Listener>,
    room: &'r mut Room<'a>,
}

impl<'r, 'a> Span<'r, 'a> {
    /// Opens a span if somebody listens; `about` is asked then alone.
    #[inline(always)]
    pub fn open(room: &'r mut Room<'a>, about: impl FnOnce() -> About<'a>) -> Self {
        let listener = listener();
        if let Some(listener) = listener {
            begin(listener, room, about());
        }
        Self { listener, room }
    }
}

#[inline(never)]
fn begin<'a>(listener: &Listener, room: &mut Room<'a>, about: About<'a>) {
    let start = (listener.clock)();
    listener.sink.begin(&about, start);
    room.0 = Some((about, start));
}

impl Drop for Span<'_, '_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(listener) = self.listener {
            end(listener, self.room);
        }
    }
}

#[inline(never)]
fn end(listener: &Listener, room: &mut Room<'_>) {
    let stop = (listener.clock)();
    if let Some((about, start)) = room.0.take() {
        listener.sink.end(&about, start, stop);
    }
}
