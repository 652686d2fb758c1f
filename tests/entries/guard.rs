//! Every allocation of a call between pages that cannot be touched: a read or write outside any slice or view faults.
//! What is given to an op is allocated by the test as usual, so the ops are called as everywhere else.

use common::call;
use fulmen::lanes::native;
use fulmen::*;
use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    fn mmap(addr: *mut u8, len: usize, prot: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn mprotect(addr: *mut u8, len: usize, prot: i32) -> i32;
}

/// As large as any page of the targets.
const PAGE: usize = 1 << 16;

/// Where allocations of this thread lie.
#[derive(Clone, Copy, PartialEq)]
enum Flush {
    /// Wherever.
    No,
    /// After a page that cannot be touched.
    Start,
    /// Before one.
    End,
}

thread_local! {
    static FLUSH: Cell<Flush> = const { Cell::new(Flush::No) };
}

/// Addresses of the allocations between pages: one range, so that they are known when they are freed.
static ROOM: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(0);
const ROOM_BYTES: usize = 1 << 45;
/// An anonymous private mapping (0x22) for which no memory is set aside (0x4000).
const RESERVED: i32 = 0x4022;

struct Guarding;

#[global_allocator]
static GUARDING: Guarding = Guarding;

/// The whole pages of so many bytes, and one that cannot be touched.
fn span(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE) + PAGE
}

// SAFETY: what is not the system's lies in a range of addresses of its own, each part of which is used once.
unsafe impl GlobalAlloc for Guarding {
    unsafe fn alloc(&self, m: Memory) -> *mut u8 {
        let flush = FLUSH.with(Cell::get);
        if flush == Flush::No {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(m) };
        }
        let start = NEXT.fetch_add(span(m.size()), Ordering::Relaxed);
        if start + span(m.size()) > ROOM.load(Ordering::Relaxed) + ROOM_BYTES {
            return std::ptr::null_mut();
        }
        // SAFETY: these pages of the range are of this allocation alone.
        if unsafe { mprotect(std::ptr::without_provenance_mut(start), m.size().next_multiple_of(PAGE), 3) }
            != 0
        {
            return std::ptr::null_mut();
        }
        let end = (start + m.size().next_multiple_of(PAGE) - m.size()) / m.align() * m.align();
        std::ptr::with_exposed_provenance_mut(if flush == Flush::Start { start } else { end })
    }
    unsafe fn dealloc(&self, p: *mut u8, m: Memory) {
        let room = ROOM.load(Ordering::Relaxed);
        if room == 0 || !(room..room + ROOM_BYTES).contains(&p.addr()) {
            // SAFETY: the caller's promise.
            return unsafe { System.dealloc(p, m) };
        }
        let start = p.addr() / PAGE * PAGE;
        let pages = m.size().next_multiple_of(PAGE);
        // SAFETY: the allocation begins in this page; nothing uses it any more, and its addresses are not used again.
        // Fixed (0x10), so that it is one with what lies around it: a process may have 65 530 ranges.
        unsafe { mmap(std::ptr::without_provenance_mut(start), pages, 0, RESERVED | 0x10, -1, 0) };
    }
}

/// Runs `f` with each allocation before a page that cannot be touched, then after one.
pub fn guarded(mut f: impl FnMut()) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: addresses of the system's choice, without access (0).
        let p = unsafe { mmap(std::ptr::null_mut(), ROOM_BYTES, 0, RESERVED, -1, 0) };
        assert!(p.addr() != usize::MAX, "mmap failed");
        let room = p.expose_provenance().next_multiple_of(PAGE);
        NEXT.store(room + PAGE, Ordering::Relaxed);
        ROOM.store(room, Ordering::Relaxed);
    });
    for flush in [Flush::End, Flush::Start] {
        FLUSH.with(|x| x.set(flush));
        f();
        FLUSH.with(|x| x.set(Flush::No));
    }
}

/// Every length around registers, unrolled loops and tiles, and past a block of a few loops.
pub fn lengths() -> impl Iterator<Item = usize> {
    (0..=70).chain([127, 128, 129, 257, 1025])
}

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| 0.5 + (i * 7 % 13) as f32 / 4.0).collect()
}

#[test]
fn slices() {
    let mut called = 0;
    for op in fulmen::ops::OPS {
        for n in lengths() {
            guarded(|| {
                let x = [numbers(n), numbers(n), numbers(n)];
                let (mut y, mut index) = (numbers(n), vec![0; n]);
                for (form, cols, k) in
                    [(call::Form::On, n, n), (call::Form::On, 1, 1), (call::Form::InPlace, n, n / 2)]
                {
                    let args = call::Args { x: [&x[0], &x[1], &x[2]], cols, eps: 0.5, k, params: &[] };
                    let mut out = call::Out { y: &mut y, index: &mut index };
                    if let Some(done) = call::call(native(), op.name, form, args, &mut out) {
                        called += usize::from(done.is_ok());
                    }
                }
            });
        }
    }
    assert!(called > 10_000, "{called}");
}

#[test]
fn level_1() {
    for n in lengths() {
        for stride in [1isize, -1, 2, -3] {
            guarded(|| {
                let span = if n == 0 { 0 } else { (n - 1) * stride.unsigned_abs() + 1 };
                let (mut x, mut y) = (numbers(span), numbers(span));
                let first = if stride < 0 { span.saturating_sub(1) } else { 0 };
                macro_rules! v {
                    ($View:ident $x:expr) => {
                        $View::strided($x, first, n, stride).unwrap()
                    };
                }
                swap(v!(VecMut &mut x), v!(VecMut &mut y)).unwrap();
                copy(v!(VecRef & x), v!(VecMut &mut y)).unwrap();
                scal(0.5, v!(VecMut &mut x));
                axpy_strided(0.5, v!(VecRef & x), v!(VecMut &mut y)).unwrap();
                dot_strided(v!(VecRef & x), v!(VecRef & y)).unwrap();
                assert!(nrm2(v!(VecRef & x)) >= 0.0 && asum(v!(VecRef & x)) >= 0.0);
                assert_eq!(iamax(v!(VecRef & x)).is_ok(), n > 0);
                rot(v!(VecMut &mut x), v!(VecMut &mut y), 0.6, 0.8).unwrap();
                let h = RotM::from_param([-1.0, 0.5, 0.25, -0.25, 0.5]).unwrap();
                rotm(v!(VecMut &mut x), v!(VecMut &mut y), &h).unwrap();
            });
        }
    }
}

/// An op that is added to the list is called above, or named here.
/// An access outside faults: seen by a process of its own.
#[test]
fn a_fault_is_seen() {
    if std::env::var_os("FULMEN_GUARD_FAULT").is_some() {
        guarded(|| {
            let x = numbers(9);
            // SAFETY: none: this is the fault that must end the process.
            let beyond = unsafe { x.as_ptr().wrapping_add(9).read_volatile() };
            let _ = std::hint::black_box(beyond);
        });
        return;
    }
    let me = std::env::current_exe().unwrap();
    let run = |fault: bool| {
        let mut c = std::process::Command::new(&me);
        c.args(["--exact", "guard::a_fault_is_seen"]).env_remove("FULMEN_GUARD_FAULT");
        if fault {
            c.env("FULMEN_GUARD_FAULT", "1");
        }
        c.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status().unwrap()
    };
    assert!(!run(true).success(), "a read past the end went through");
}
