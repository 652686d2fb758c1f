//! What a listener is told.

use fulmen::lanes::{Native, Portable, Simd};
use fulmen::trace::{About, Listener, Sink, listen, silence};
use fulmen::{Add, Alu, Body, MatMut, MatRef, Relu, Then};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    name: String,
    backend: &'static str,
    lane: &'static str,
    elements: u64,
    bytes: u64,
    /// Spans around it.
    depth: usize,
}

thread_local! {
    static SEEN: RefCell<(usize, Vec<Seen>)> = const { RefCell::new((0, Vec::new())) };
}

struct Recorder;

impl Sink for Recorder {
    fn begin(&self, _: &About<'_>, _: u64) {
        SEEN.with_borrow_mut(|(depth, _)| *depth += 1);
    }
    fn end(&self, about: &About<'_>, start: u64, stop: u64) {
        assert!(start < stop, "{start} to {stop}");
        SEEN.with_borrow_mut(|(depth, all)| {
            *depth -= 1;
            let (name, work) = (about.name().into(), about.work);
            let (backend, lane) = (about.backend, about.lane);
            all.push(Seen { name, backend, lane, elements: work.elements, bytes: work.bytes, depth: *depth });
        });
    }
}

static TICKS: AtomicU64 = AtomicU64::new(0);
static LISTENER: Listener = Listener { clock: || TICKS.fetch_add(1, Ordering::Relaxed), sink: &Recorder };
static TURN: Mutex<()> = Mutex::new(());

/// The listener is the process's: one test at a time.
fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The spans of this thread while `f` runs.
fn spans(f: impl FnOnce()) -> Vec<Seen> {
    SEEN.take();
    listen(&LISTENER);
    f();
    silence();
    let (open, all) = SEEN.take();
    assert_eq!(open, 0, "spans that have not ended");
    all
}

/// The only span while `f` runs.
fn span(f: impl FnOnce()) -> Seen {
    let all = spans(f);
    assert_eq!(all.len(), 1, "{all:?}");
    all.into_iter().next().unwrap()
}

fn is(seen: &Seen, name: &str, backend: &str, [elements, bytes]: [u64; 2]) {
    assert_eq!((&*seen.name, seen.backend, seen.elements, seen.bytes), (name, backend, elements, bytes));
}

/// A body of a user's.
#[derive(Debug, Clone, Copy)]
struct Mine;
impl<T: fulmen::Number> Body<T, 1> for Mine {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x.mul(x)
    }
}

#[test]
fn every_kind_of_entry() {
    let _turn = turn();
    let (x, mut y) = ([1.0f32, -2.0, 3.0, -4.0, 5.0, -6.0], [0.0f32; 6]);
    let seen = span(|| fulmen::relu(&x, &mut y).unwrap());
    is(&seen, "relu", "serial", [6, 48]);
    assert_eq!((seen.lane, seen.depth), (Native::NAME, 0));
    let seen = span(|| fulmen::relu_on(Portable::<4>::new(), &x, &mut y).unwrap());
    assert_eq!(seen.lane, <Portable<4>>::NAME);
    is(&span(|| fulmen::relu_in_place(&mut y).unwrap()), "relu", "serial", [6, 48]);
    is(&span(|| fulmen::add(&x, &x, &mut y).unwrap()), "add", "serial", [6, 72]);
    is(&span(|| fulmen::add_in_place(&mut y, &x).unwrap()), "add", "serial", [6, 72]);
    is(&span(|| fulmen::select(&x, &x, &x, &mut y).unwrap()), "select", "serial", [6, 96]);
    is(&span(|| fulmen::axpy(2.0, &x, &mut y).unwrap()), "axpy", "serial", [6, 72]);
    is(&span(|| fulmen::softmax(&x, 3, &mut y).unwrap()), "softmax", "serial", [6, 48]);
    is(&span(|| fulmen::softmax_in_place(&mut y, 3).unwrap()), "softmax", "serial", [6, 48]);
    is(&span(|| _ = fulmen::dot(&x, &x).unwrap()), "dot", "serial", [0, 48]);
    let a = MatRef::row_major(&x, 2, 3).unwrap();
    let b = MatRef::row_major(&x, 3, 2).unwrap();
    let mut c = [0.0f32; 4];
    let seen = span(|| {
        fulmen::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2).unwrap(), &mut [0.0; 999]).unwrap()
    });
    is(&seen, "gemm", "serial", [4, 80]);
    // A refused call is a span, too.
    is(&span(|| _ = fulmen::relu(&x, &mut c).unwrap_err()), "relu", "serial", [4, 40]);
    // What a chain fuses, and what a user has written.
    let seen = span(|| fulmen::map(Then(Add, Relu), [&x, &x], &mut y).unwrap());
    is(&seen, "map", "serial", [6, 72]);
    is(&span(|| fulmen::map(Mine, [&x], &mut y).unwrap()), "map", "serial", [6, 48]);
    is(&span(|| fulmen::map_in_place(Mine, &mut y).unwrap()), "map", "serial", [6, 48]);
    let seen = span(|| fulmen::map_with_row(Add, &x, &x[..3], &mut y).unwrap());
    is(&seen, "fulmen::pointwise::arithmetic::Add", "serial", [6, 60]);
}

#[cfg(feature = "parallel")]
#[test]
fn entries_on_threads() {
    let _turn = turn();
    let (x, mut y) = ([1.0f32, -2.0, 3.0, -4.0], [0.0f32; 4]);
    is(&span(|| fulmen::parallel::relu(&x, &mut y).unwrap()), "relu", "threads", [4, 32]);
    is(&span(|| fulmen::parallel::relu_in_place(&mut y).unwrap()), "relu", "threads", [4, 32]);
    is(&span(|| fulmen::parallel::softmax(&x, 2, &mut y).unwrap()), "softmax", "threads", [4, 32]);
    is(&span(|| fulmen::parallel::map(Mine, [&x], &mut y).unwrap()), "map", "threads", [4, 32]);
    is(
        &span(|| fulmen::parallel::zip_in_place(Add, &mut y, &x).unwrap()),
        "zip_in_place",
        "threads",
        [4, 48],
    );
    is(&span(|| _ = fulmen::parallel::sum(&x)), "sum", "threads", [0, 16]);
}

/// The op, and within it the launch of its kernel.
#[cfg(feature = "gpu")]
#[test]
fn launches() {
    use fulmen::gpu::backend::Gpu;
    use fulmen::gpu::device::Host;
    let _turn = turn();
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
fn silence_is_silence() {
    let _turn = turn();
    let (x, mut y) = ([1.0f32; 4], [0.0f32; 4]);
    assert_eq!(spans(|| fulmen::relu(&x, &mut y).unwrap()).len(), 1);
    fulmen::relu(&x, &mut y).unwrap();
    SEEN.with_borrow(|seen| assert_eq!(seen.1.len(), 0));
    // A span ends where it began, though the listener went meanwhile.
    SEEN.take();
    listen(&LISTENER);
    let mut room = fulmen::trace::Room::default();
    let open = fulmen::trace::Span::open(&mut room, || outer("outer"));
    silence();
    fulmen::relu(&x, &mut y).unwrap();
    drop(open);
    let (depth, seen) = SEEN.take();
    assert_eq!((depth, seen.len(), &*seen[0].name), (0, 1, "outer"));
}

fn outer(body: &'static str) -> About<'static> {
    About { body, ..About::new("mine") }
}

/// The bits of results do not depend on who listens.
#[test]
fn same_bits() {
    let _turn = turn();
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
    let mut heard = Vec::new();
    let names: Vec<String> =
        spans(|| heard = run()).into_iter().filter(|s| s.depth == 0).map(|s| s.name).collect();
    assert_eq!(heard, silent);
    assert_eq!(names, ["exp", "softmax", "rms_norm", "dot", "gemm"]);
}
