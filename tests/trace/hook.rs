//! The spans that a listener receives.

use fulmen::lanes::{Native, Portable, Simd};
use fulmen::trace::{Listener, Sink, SpanInfo, listen, silence};
use fulmen::{Add, Alu, Body, MatMut, MatRef, Relu, Then};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
struct Record {
    name: String,
    backend: &'static str,
    lane: &'static str,
    elements: u64,
    bytes: u64,
    /// The number of spans that enclose it.
    depth: usize,
}

thread_local! {
    static RECORDS: RefCell<(usize, Vec<Record>)> = const { RefCell::new((0, Vec::new())) };
}

struct Recorder;

impl Sink for Recorder {
    fn begin(&self, _: &SpanInfo<'_>, _: u64) {
        RECORDS.with_borrow_mut(|(depth, _)| *depth += 1);
    }
    fn end(&self, info: &SpanInfo<'_>, start: u64, stop: u64) {
        assert!(start < stop, "{start} to {stop}");
        RECORDS.with_borrow_mut(|(depth, all)| {
            *depth -= 1;
            let (name, traffic) = (info.name().into(), info.traffic);
            let (backend, lane) = (info.backend, info.lane);
            all.push(Record {
                name,
                backend,
                lane,
                elements: traffic.elements,
                bytes: traffic.bytes,
                depth: *depth,
            });
        });
    }
}

static TICKS: AtomicU64 = AtomicU64::new(0);
static LISTENER: Listener = Listener { clock: || TICKS.fetch_add(1, Ordering::Relaxed), sink: &Recorder };
static LOCK: Mutex<()> = Mutex::new(());

/// Locks the listener, of which a process has one, so that one test runs at a time.
fn lock() -> MutexGuard<'static, ()> {
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The spans of this thread that end while `f` runs.
fn spans(f: impl FnOnce()) -> Vec<Record> {
    RECORDS.take();
    listen(&LISTENER);
    f();
    silence();
    let (open, all) = RECORDS.take();
    assert_eq!(open, 0, "spans that have not ended");
    all
}

/// The only span of this thread while `f` runs.
fn span(f: impl FnOnce()) -> Record {
    let all = spans(f);
    assert_eq!(all.len(), 1, "{all:?}");
    all.into_iter().next().unwrap()
}

fn assert_span(seen: &Record, name: &str, backend: &str, [elements, bytes]: [u64; 2]) {
    assert_eq!((&*seen.name, seen.backend, seen.elements, seen.bytes), (name, backend, elements, bytes));
}

/// A body that a user of the library has written.
#[derive(Debug, Clone, Copy)]
struct Square;
impl<T: fulmen::Number> Body<T, 1> for Square {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.mul(x)
    }
}

#[test]
fn every_kind_of_entry() {
    let _lock = lock();
    let (x, mut y) = ([1.0f32, -2.0, 3.0, -4.0, 5.0, -6.0], [0.0f32; 6]);
    let seen = span(|| fulmen::relu(&x, &mut y).unwrap());
    assert_span(&seen, "relu", "serial", [6, 48]);
    assert_eq!((seen.lane, seen.depth), (Native::NAME, 0));
    let seen = span(|| fulmen::relu_on(Portable::<4>::new(), &x, &mut y).unwrap());
    assert_eq!(seen.lane, <Portable<4>>::NAME);
    assert_span(&span(|| fulmen::relu_in_place(&mut y).unwrap()), "relu", "serial", [6, 48]);
    assert_span(&span(|| fulmen::add(&x, &x, &mut y).unwrap()), "add", "serial", [6, 72]);
    assert_span(&span(|| fulmen::add_in_place(&mut y, &x).unwrap()), "add", "serial", [6, 72]);
    assert_span(&span(|| fulmen::select(&x, &x, &x, &mut y).unwrap()), "select", "serial", [6, 96]);
    assert_span(&span(|| fulmen::axpy(2.0, &x, &mut y).unwrap()), "axpy", "serial", [6, 72]);
    assert_span(&span(|| fulmen::softmax(&x, 3, &mut y).unwrap()), "softmax", "serial", [6, 48]);
    assert_span(&span(|| fulmen::softmax_in_place(&mut y, 3).unwrap()), "softmax", "serial", [6, 48]);
    assert_span(&span(|| _ = fulmen::dot(&x, &x).unwrap()), "dot", "serial", [0, 48]);
    let a = MatRef::row_major(&x, 2, 3).unwrap();
    let b = MatRef::row_major(&x, 3, 2).unwrap();
    let mut c = [0.0f32; 4];
    let seen = span(|| {
        fulmen::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2).unwrap(), &mut [0.0; 999]).unwrap()
    });
    assert_span(&seen, "gemm", "serial", [4, 80]);
    // A call that returns an error is a span, too.
    assert_span(&span(|| _ = fulmen::relu(&x, &mut c).unwrap_err()), "relu", "serial", [4, 40]);
    // A chain of ops, and a body of the user's.
    let seen = span(|| fulmen::map(Then(Add, Relu), [&x, &x], &mut y).unwrap());
    assert_span(&seen, "map", "serial", [6, 72]);
    assert_span(&span(|| fulmen::map(Square, [&x], &mut y).unwrap()), "map", "serial", [6, 48]);
    assert_span(&span(|| fulmen::map_in_place(Square, &mut y).unwrap()), "map", "serial", [6, 48]);
    let seen = span(|| fulmen::map_with_row(Add, &x, &x[..3], &mut y).unwrap());
    assert_span(&seen, "fulmen::pointwise::arithmetic::Add", "serial", [6, 60]);
}

#[cfg(feature = "parallel")]
#[test]
fn entries_on_threads() {
    let _lock = lock();
    let (x, mut y) = ([1.0f32, -2.0, 3.0, -4.0], [0.0f32; 4]);
    assert_span(&span(|| fulmen::parallel::relu(&x, &mut y).unwrap()), "relu", "threads", [4, 32]);
    assert_span(&span(|| fulmen::parallel::relu_in_place(&mut y).unwrap()), "relu", "threads", [4, 32]);
    assert_span(&span(|| fulmen::parallel::softmax(&x, 2, &mut y).unwrap()), "softmax", "threads", [4, 32]);
    assert_span(&span(|| fulmen::parallel::map(Square, [&x], &mut y).unwrap()), "map", "threads", [4, 32]);
    assert_span(
        &span(|| fulmen::parallel::zip_in_place(Add, &mut y, &x).unwrap()),
        "zip_in_place",
        "threads",
        [4, 48],
    );
    assert_span(&span(|| _ = fulmen::parallel::sum(&x)), "sum", "threads", [0, 16]);
}

/// The span of an op on a device, which encloses the span of its launch.
#[cfg(feature = "gpu")]
#[test]
fn launches() {
    use fulmen::gpu::backend::Gpu;
    use fulmen::gpu::device::Host;
    let _lock = lock();
    let gpu = Gpu::new(Host::default());
    let x = gpu.upload(&[1.0f32, -2.0, 3.0, -4.0]).unwrap();
    let mut y = gpu.alloc::<f32>(4).unwrap();
    let seen = spans(|| gpu.relu(x.view(), y.view_mut()).unwrap());
    let [launch, op] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((&*op.name, op.backend, op.depth), ("relu", "gpu", 0));
    assert_eq!((launch.backend, launch.depth, launch.bytes), ("Host", 1, 32));
    assert!(launch.name.contains("relu"), "{launch:?}");
}

#[test]
fn no_span_is_reported_after_silence() {
    let _lock = lock();
    let (x, mut y) = ([1.0f32; 4], [0.0f32; 4]);
    assert_eq!(spans(|| fulmen::relu(&x, &mut y).unwrap()).len(), 1);
    fulmen::relu(&x, &mut y).unwrap();
    RECORDS.with_borrow(|seen| assert_eq!(seen.1.len(), 0));
    // A span ends at the listener that received its begin, although the listener was removed in between.
    RECORDS.take();
    listen(&LISTENER);
    let mut state = fulmen::trace::SpanState::default();
    let open = fulmen::trace::Span::open(&mut state, || span_named("outer"));
    silence();
    fulmen::relu(&x, &mut y).unwrap();
    drop(open);
    let (depth, seen) = RECORDS.take();
    assert_eq!((depth, seen.len(), &*seen[0].name), (0, 1, "outer"));
}

fn span_named(body: &'static str) -> SpanInfo<'static> {
    SpanInfo { body, ..SpanInfo::new("mine") }
}

/// The bits of results do not depend on a listener.
#[test]
fn same_bits() {
    let _lock = lock();
    let x: Vec<f32> = (0..1000).map(|i| (i * 37 % 1009) as f32 / 504.5 - 1.0).collect();
    let run = || {
        let mut out = vec![vec![0.0f32; 1000]; 5];
        let [a, b, c, d, e] = out.as_mut_slice() else { return Vec::new() };
        fulmen::exp(&x, a).unwrap();
        fulmen::softmax(&x, 250, b).unwrap();
        fulmen::rms_norm(&x, &x[..100], 1e-5, c).unwrap();
        d[0] = fulmen::dot(&x, &x).unwrap();
        let (left, right) = (MatRef::row_major(&x, 20, 50).unwrap(), MatRef::row_major(&x, 50, 20).unwrap());
        let to = MatMut::row_major(&mut e[..400], 20, 20).unwrap();
        fulmen::gemm(1.0, left, right, 0.0, to, &mut vec![0.0; fulmen::gemm_workspace(20, 20, 50)]).unwrap();
        out.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let silent = run();
    let mut with_listener = Vec::new();
    let names: Vec<String> =
        spans(|| with_listener = run()).into_iter().filter(|s| s.depth == 0).map(|s| s.name).collect();
    assert_eq!(with_listener, silent);
    assert_eq!(names, ["exp", "softmax", "rms_norm", "dot", "gemm"]);
}
