//! Spans of every op and of every launch on a device, and a profiler in fixed memory (feature `trace`): `no_std`, without
//! allocation.
//!
//! The entry of each op opens a [`Span`]. While no listener is [registered](listen), that costs one relaxed load and a branch. A
//! [`Listener`] is a clock and a [`Sink`], whose methods are called at the begin and at the end of each span, on the thread that called
//! the op. Without the feature, the macro that opens spans expands to nothing. Results do not depend on a listener.
//!
//! ```
//! use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
//! use fulmen::trace::{Listener, Sink, SpanInfo, listen, silence};
//! struct Elements(AtomicU64);
//! impl Sink for Elements {
//!     fn end(&self, info: &SpanInfo<'_>, _: u64, _: u64) {
//!         self.0.fetch_add(info.traffic.elements, Relaxed);
//!     }
//! }
//! static WRITTEN: Elements = Elements(AtomicU64::new(0));
//! // The clock of this listener always returns 0; firmware passes a function that reads its cycle counter.
//! static LISTENER: Listener = Listener { clock: || 0, sink: &WRITTEN };
//! listen(&LISTENER);
//! fulmen::relu(&[-1.0f32, 2.0, 3.0], &mut [0.0; 3])?;
//! silence();
//! assert_eq!(WRITTEN.0.load(Relaxed), 3);
//! # Ok::<(), fulmen::Error>(())
//! ```

pub mod clock;
mod profiler;
mod traffic;

pub use profiler::{BrickId, Profiler, Stats};
pub use traffic::{Operand, Traffic};

use crate::error::OpName;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// The call that a span measures.
#[derive(Debug, Clone, Copy)]
pub struct SpanInfo<'a> {
    /// The op. A launch, `map_with_row` and `map_with_column` have none.
    pub op: OpName,
    /// For ops that take a body (`map`, `zip_in_place`, `map_with_row`, `map_reduce`), the type of the body: an op, a chain of ops, or a type of
    /// the user's. For a launch, the name of its first kernel. Otherwise empty.
    pub body: &'a str,
    /// The executor: `serial` for the calling thread, `threads` for rayon's pool, `gpu` for a method of a device; for a launch, the type
    /// of the device.
    pub backend: &'static str,
    /// The instruction set, by its [`Simd::NAME`](crate::lanes::Simd::NAME); empty on a device.
    pub lane: &'static str,
    /// The operands in memory: the slices, vectors, matrices and images of the op's signature. Scratch, plans, sparse matrices and the
    /// operands of a device's methods are not counted. For a launch, the buffers that are bound to it.
    pub traffic: Traffic,
}

impl SpanInfo<'static> {
    /// A span of no op, on `backend`, without operands: the base of a program's own spans.
    #[must_use]
    pub fn new(backend: &'static str) -> Self {
        Self { op: OpName::NONE, body: "", backend, lane: "", traffic: Traffic::default() }
    }
}

impl SpanInfo<'_> {
    /// The name to show: that of the op, or else that of the body.
    #[must_use]
    pub fn name(&self) -> &str {
        self.op.text().unwrap_or(self.body)
    }
    /// The contract of the op.
    #[must_use]
    pub fn spec(&self) -> Option<&'static crate::contract::Spec> {
        self.op.text().and_then(crate::contract::spec)
    }
    /// The floating-point operations, as the op's contract counts them for each element that is written. Pointwise ops and ops on rows
    /// have such a count, and products of matrices have none.
    #[must_use]
    pub fn flops(&self) -> Option<f64> {
        self.spec().map(|spec| spec.flops_per_element * self.traffic.elements as f64)
    }
}

/// Receives spans. Its methods are called on the thread of the op; they must not call ops, and must not block for long.
pub trait Sink: Sync {
    /// Is called when a span begins, at `start`.
    fn begin(&self, info: &SpanInfo<'_>, start: u64) {
        let _ = (info, start);
    }
    /// Is called when a span ends, also when the op returned an error. The spans of a thread end in the reverse order of their begins.
    fn end(&self, info: &SpanInfo<'_>, start: u64, stop: u64);
}

/// A clock, whose ticks have any length, and a sink.
#[derive(Clone, Copy)]
pub struct Listener {
    /// Reads the clock.
    pub clock: fn() -> u64,
    /// Receives each span.
    pub sink: &'static dyn Sink,
}

static LISTENER: AtomicPtr<Listener> = AtomicPtr::new(ptr::null_mut());

/// Registers `listener` for all threads, in place of the one before. An open span still ends at the listener that received its begin.
pub fn listen(listener: &'static Listener) {
    LISTENER.store(ptr::from_ref(listener).cast_mut(), Ordering::Release);
}

/// Removes the listener. Spans that begin later are not reported; open ones still end at the listener that received their begin.
pub fn silence() {
    LISTENER.store(ptr::null_mut(), Ordering::Release);
}

#[inline(always)]
fn listener() -> Option<&'static Listener> {
    // A null pointer is not followed, so the common case needs no acquire load.
    if LISTENER.load(Ordering::Relaxed).is_null() {
        return None;
    }
    // SAFETY: only `listen` stores a pointer that is not null, of a `&'static Listener`, which is valid for ever and never written.
    unsafe { LISTENER.load(Ordering::Acquire).as_ref() }
}

/// The name of an instruction set.
#[inline(always)]
pub(crate) fn lane<S: crate::lanes::Simd>(_: &S) -> &'static str {
    S::NAME
}

/// The storage of an open [`Span`], for the time between its begin and its end. The span borrows it and stays in registers itself, so
/// that without a listener its end is one test.
#[derive(Default)]
pub struct SpanState<'a>(Option<(SpanInfo<'a>, u64)>);

/// A span, which ends when it is dropped.
///
/// ```
/// use fulmen::trace::{Span, SpanInfo, SpanState};
/// let mut state = SpanState::default();
/// let _span = Span::open(&mut state, || SpanInfo { body: "load", ..SpanInfo::new("mine") });
/// ```
#[must_use]
pub struct Span<'r, 'a> {
    listener: Option<&'static Listener>,
    state: &'r mut SpanState<'a>,
}

impl<'r, 'a> Span<'r, 'a> {
    /// Opens a span. `info` is called only if a listener is registered.
    #[inline(always)]
    pub fn open(state: &'r mut SpanState<'a>, info: impl FnOnce() -> SpanInfo<'a>) -> Self {
        let listener = listener();
        if let Some(listener) = listener {
            begin(listener, state, info());
        }
        Self { listener, state }
    }
}

#[inline(never)]
fn begin<'a>(listener: &Listener, state: &mut SpanState<'a>, info: SpanInfo<'a>) {
    let start = (listener.clock)();
    listener.sink.begin(&info, start);
    state.0 = Some((info, start));
}

impl Drop for Span<'_, '_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(listener) = self.listener {
            end(listener, self.state);
        }
    }
}

#[inline(never)]
fn end(listener: &Listener, state: &mut SpanState<'_>) {
    let stop = (listener.clock)();
    if let Some((info, start)) = state.0.take() {
        listener.sink.end(&info, start, stop);
    }
}
