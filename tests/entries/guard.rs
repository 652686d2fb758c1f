//! Every allocation of a call between pages that cannot be touched: a read or write outside any slice or view faults.
//! What is given to an op is allocated by the test as usual, so the ops are called as everywhere else.

use common::blas::{self, Options};
use common::matrix::{Layout, Matrix};
use common::nn::{Args, Form, Noise, Op};
use common::{call, matrix};
use fulmen::lanes::native;
use fulmen::*;
use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;
use std::collections::BTreeSet;
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
fn guarded(mut f: impl FnMut()) {
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
fn lengths() -> impl Iterator<Item = usize> {
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

/// What the ops with a call of their own take, at each length.
fn own<O: Op>(sizes: &[usize]) {
    let (mut called, mut shapes) = (0, BTreeSet::new());
    for (seed, &cols) in sizes.iter().enumerate() {
        // Every number of rows with short ones, in turn with long ones.
        for rows in (1..=3).filter(|rows| cols < 20 || seed % 3 + 1 == *rows) {
            let a = O::sample::<f32>(rows, cols, &mut Noise(seed as u64));
            // What is touched follows from the sizes, which some ops bound or do not take from both; else from indices.
            let shape = (a.n.clone(), a.x.iter().map(Vec::len).collect::<Vec<_>>());
            if !shapes.insert(shape) && O::IDS.is_none() && O::STARTS.is_none() {
                continue;
            }
            let (before, enough) = (O::before(&a), O::workspace(&a));
            guarded(|| {
                // Copies have the room that they need, and no more.
                let a: Args<f32> = a.clone();
                for form in [Form::On, Form::InPlace] {
                    let (mut room, mut w) = (before.clone(), vec![0.0; enough]);
                    let mut out: Vec<&mut [f32]> = room.iter_mut().map(|x| &mut x[..]).collect();
                    if let Some(done) = O::call(native(), form, &a, &mut out, &mut w) {
                        assert_eq!(done, Ok(()), "{} {:?}", O::NAME, a.n);
                        called += 1;
                    }
                }
            });
        }
    }
    assert!(called > sizes.len(), "{} was called {called} times", O::NAME);
}

macro_rules! each_op {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        #[test]
        fn $name() {
            own::<$Op>(&lengths().filter(|n| *n > 0).collect::<Vec<_>>());
        }
    )*};
}
common::for_each_nn_op!(each_op);

/// A matrix's data without what surrounds it.
fn flush(m: &Matrix<f32>) -> Matrix<f32> {
    let data = m.data[matrix::GUARD..m.data.len() - matrix::GUARD].to_vec();
    Matrix { data, offset: m.offset - matrix::GUARD, ..*m }
}

const LEVELS_2_AND_3: [&str; 12] =
    ["gemv", "ger", "syr", "syr2", "symv", "trmv", "trsv", "symm", "syrk", "syr2k", "trmm", "trsm"];

const LAYOUTS: [Layout; 4] = [Layout::Rows, Layout::Cols, Layout::Padded, Layout::Backwards];

/// Rows, columns and inner dimensions: each length in each place, and squares.
fn dimensions() -> impl Iterator<Item = [usize; 3]> {
    let each = lengths().flat_map(|d| [[d, 3, 5], [3, d, 5], [3, 5, d]]);
    each.chain((0..=40).chain([63, 64, 65, 70, 129]).map(|d| [d, d, d]))
}

#[test]
fn levels_2_and_3() {
    for (at, name) in LEVELS_2_AND_3.into_iter().enumerate() {
        for (turn, dims) in dimensions().enumerate() {
            // Two layouts in turn, so that each length meets every one in the ops together.
            // Of the largest, whose numbers take long to make, one: the ops meet all four.
            let layouts = if dims.contains(&1025) { 1 } else { 2 };
            for k in 0..layouts {
                let layout = LAYOUTS[(turn + turn / 4 + 2 * k + at) % LAYOUTS.len()];
                let o = Options::nth(turn + turn / 8 + k);
                let shapes = blas::shapes(name, o, dims);
                let m = blas::inputs::<f32>(name, o, &shapes, &[layout], turn as u64);
                guarded(|| {
                    let mut m: Vec<_> = m.iter().map(flush).collect();
                    assert_eq!(
                        blas::call(native(), name, o, [1.5, 0.5], &mut m, false),
                        Ok(()),
                        "{name} {dims:?}"
                    );
                });
            }
        }
    }
}

#[test]
fn products_and_transposes() {
    for (turn, [m, n, k]) in dimensions().enumerate() {
        for (at, layout) in LAYOUTS.into_iter().enumerate() {
            let other = LAYOUTS[(at + turn) % LAYOUTS.len()];
            let new = |layout, shape| Matrix::<f32>::new(layout, shape, turn as u64);
            let (a, b, c) = (new(layout, [m, k]), new(other, [k, n]), new(layout, [m, n]));
            let (d, o) = (new(other, [n, m]), [1.5f32, 0.5]);
            guarded(|| {
                let (a, b, mut c, mut d) = (flush(&a), flush(&b), flush(&c), flush(&d));
                let mut w = vec![0.0; gemm_workspace(m, n, k)];
                gemm(o[0], a.view(), b.view(), o[1], c.view_mut(), &mut w).unwrap();
                let mut room = vec![0.0; packed_b_len(k, n)];
                let packed = pack_b(b.view(), &mut room).unwrap();
                gemm_packed(o[0], a.view(), packed, o[1], c.view_mut(), &mut w).unwrap();
                transpose(c.view(), d.view_mut()).unwrap();
                let mut whole = vec![1.0f32; m * n];
                let mut w = vec![0.0; transpose_packed_in_place_workspace(m, n)];
                transpose_packed_in_place(&mut whole, m, n, &mut w).unwrap();
                if m == n {
                    transpose_in_place(c.view_mut()).unwrap();
                }
                let bytes = |x: &Matrix<f32>| x.data.iter().map(|x| *x as i8).collect::<Vec<i8>>();
                let (p, q, mut sums) = (bytes(&a), bytes(&b), vec![1i32; c.data.len()]);
                let of = |x, like: &Matrix<f32>| {
                    let ([r, c], [rs, cs]) = (like.shape, like.strides);
                    MatRef::strided(x, like.offset, r, c, rs, cs).unwrap()
                };
                let mut w = vec![0; gemm_i8_workspace(m, n, k)];
                let to = MatMut::strided(&mut sums, c.offset, m, n, c.strides[0], c.strides[1]).unwrap();
                gemm_i8(2, of(&p, &a), of(&q, &b), 3, to, &mut w).unwrap();
                let unsigned: Vec<u8> = p.iter().map(|x| x.cast_unsigned()).collect();
                let ([r, k], [rs, cs]) = (a.shape, a.strides);
                let p = MatRef::strided(&unsigned, a.offset, r, k, rs, cs).unwrap();
                let to = MatMut::strided(&mut sums, c.offset, m, n, c.strides[0], c.strides[1]).unwrap();
                gemm_u8(2, p, 128, of(&q, &b), 5, 3, to, &mut w).unwrap();
                // Results in bytes, scaled by rows, with a bias for each column.
                let mut bytes = vec![0u8; sums.len()];
                let mut w = vec![0; gemm_i8_with_workspace(m, n, k)];
                let (by_row, by_col) = (vec![0.5; m], vec![1.0; n]);
                let e = Chain(ScaleRow(&by_row), BiasCol(&by_col));
                let to = MatMut::strided(&mut bytes, c.offset, m, n, c.strides[0], c.strides[1]).unwrap();
                gemm_u8_with(0.25, p, 128, of(&q, &b), 5, to, e, &mut w).unwrap();
            });
        }
    }
}

#[cfg(feature = "half")]
#[test]
fn halves() {
    use half::{bf16, f16};
    for (turn, [m, n, k]) in dimensions().enumerate() {
        macro_rules! product {
            ($H:ident $gemm:ident $workspace:ident) => {
                guarded(|| {
                    let (a, b, mut c) =
                        (vec![$H::from_f32(1.0); m * k], vec![$H::from_f32(1.0); k * n], vec![1.0f32; m * n]);
                    let mut w = vec![0.0; $workspace(m, n, k)];
                    let a =
                        if turn % 2 == 0 { MatRef::row_major(&a, m, k) } else { MatRef::col_major(&a, m, k) };
                    let b =
                        if turn % 3 == 0 { MatRef::row_major(&b, k, n) } else { MatRef::col_major(&b, k, n) };
                    let to = MatMut::row_major(&mut c, m, n).unwrap();
                    let (by_row, by_col) = (vec![0.5; m], vec![1.0; n]);
                    let e = Chain(ScaleRow(&by_row), BiasCol(&by_col));
                    $gemm(2.0, a.unwrap(), b.unwrap(), 3.0, to, e, &mut w).unwrap();
                })
            };
        }
        product!(bf16 gemm_bf16_with gemm_bf16_workspace);
        product!(f16 gemm_f16_with gemm_f16_workspace);
        product!(E4m3 gemm_e4m3_with gemm_e4m3_workspace);
    }
    for (n, len) in lengths().flat_map(|n| [(n.min(50), n), (3, n), (1, n)]) {
        guarded(|| {
            let op = Attention { causal: n <= len, window: Some(n), ..Attention::new(2, 1, 5, 0.5) };
            let (q, k, v) = (vec![bf16::ONE; n * 10], vec![bf16::ONE; len * 5], vec![bf16::ONE; len * 5]);
            let (mut out, mut lse) = (vec![0.0; n * 10], vec![0.0; n * 2]);
            let mut w = vec![0.0; attention_bf16_workspace(2, 1, 5, n, len)];
            let [k, v] = [&k, &v].map(|x| MatRef::row_major(x, len, 5).unwrap());
            let (q, to) =
                (MatRef::row_major(&q, n, 10).unwrap(), MatMut::row_major(&mut out, n, 10).unwrap());
            attention_bf16(&op, q, k, v, to, Some(&mut lse), &mut w).unwrap();
            let [mut dq, mut dk, mut dv] = [n * 10, len * 5, len * 5].map(|many| vec![0.0; many]);
            let results = MatRef::row_major(&out, n, 10).unwrap();
            let [dk, dv] = [&mut dk, &mut dv].map(|x| MatMut::row_major(x, len, 5).unwrap());
            let dq = MatMut::row_major(&mut dq, n, 10).unwrap();
            let mut w = vec![0.0; attention_bf16_backward_workspace(2, 1, 5, n, len)];
            attention_bf16_backward(&op, q, k, v, results, &lse, q, dq, dk, dv, &mut w).unwrap();
        });
    }
    for len in lengths() {
        guarded(|| {
            let op = Attention { window: Some(100), softcap: Some(3.0), ..Attention::new(6, 3, 5, 0.5) };
            let (q, keys, mut out) = (vec![0.5; 30], vec![f16::ONE; len * 15], vec![0.0; 30]);
            let (mut lse, mut w) = (vec![0.0; 6], vec![0.0; attention_decode_workspace(6, 5)]);
            let table: Vec<u32> = (0..len as u32).rev().collect();
            for pages in [None, Some(Pages { table: &table, rows: 1, len })] {
                attention_decode(&op, &q, &keys, &keys, pages, &mut out, Some(&mut lse), &mut w).unwrap();
            }
        });
    }
    for n in lengths() {
        guarded(|| {
            let (mut x, mut y, mut z) = (vec![1.0f32; n], vec![f16::ONE; n], vec![bf16::ONE; n]);
            f32_to_f16(&x, &mut y).unwrap();
            f16_to_f32(&y, &mut x).unwrap();
            f32_to_bf16(&x, &mut z).unwrap();
            bf16_to_f32(&z, &mut x).unwrap();
        });
    }
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
#[test]
fn no_op_is_left_out() {
    let mut known = LEVELS_2_AND_3.to_vec();
    macro_rules! add {
        ($($name:ident $Op:path $(, $more:ident)*;)*) => { known.extend([$(stringify!($name)),*]); };
    }
    common::for_each_nn_op!(add);
    known.extend(["gemm", "gemm_bf16", "gemm_f16", "gemm_e4m3", "gemm_i8", "gemm_u8", "transpose"]);
    known.extend([
        "swap",
        "copy",
        "scal",
        "axpy_strided",
        "dot_strided",
        "nrm2",
        "asum",
        "iamax",
        "rot",
        "rotm",
    ]);
    known.extend(["f16_to_f32", "f32_to_f16", "bf16_to_f32", "f32_to_bf16"]);
    // Numbers, no slices; and units of which `gemm_low` tests the edges.
    known.extend(["rotg", "rotmg", "gemm_bf16_amx", "gemm_f32_amx3"]);
    let own = ["nn", "gemm", "blas", "mixed", "convert"];
    for op in fulmen::ops::OPS.iter().filter(|op| own.contains(&op.shape)) {
        assert!(known.contains(&op.name), "{} is not called between guard pages", op.name);
    }
}

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
