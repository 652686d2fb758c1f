//! Every op, in every form, under an allocator that aborts.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "common/call.rs"]
mod call;

use call::{Args, Form, Out, call};
use fulmen::Element;
use fulmen::lanes::native;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Guarded;

thread_local! {
    // Of this thread: the test runner's own may allocate, to say that a test takes long.
    static FORBIDDEN: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: forwards to the system allocator, or aborts.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if FORBIDDEN.get() {
            std::process::abort();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Guarded = Guarded;

fn run<T: Element>(n: usize) -> usize {
    let x: Vec<T> = (0..n).map(|i| T::from_f64((i * 37 % 101) as f64 / 50.0 - 1.0)).collect();
    let (mut y, mut index) = (x.clone(), vec![0; n]);
    let mut calls = 0;
    for op in fulmen::ops::OPS {
        for form in [Form::Native, Form::On, Form::InPlace] {
            let args = Args { x: [&x, &x, &x], cols: n / 4, eps: T::from_f64(1e-5), k: 5, params: &[] };
            FORBIDDEN.set(true);
            let r = call(native(), op.name, form, args, &mut Out { y: &mut y, index: &mut index });
            FORBIDDEN.set(false);
            if let Some(r) = r {
                assert_eq!(r, Ok(()), "{}", op.name);
                calls += 1;
            }
        }
    }
    calls
}

#[test]
fn no_op_allocates() {
    // One leaf, and several levels of the reduction tree.
    let calls = run::<f32>(64) + run::<f64>(64) + run::<f32>(100_000) + run::<f64>(100_000);
    assert!(calls >= 8 * fulmen::ops::OPS.len() - 5 * 8, "only {calls} calls were made");
    println!("{calls} calls without an allocation");
}

/// Every path of the matrix product: one tile, direct, packed, few rows, by columns.
#[test]
fn no_matrix_product_allocates() {
    use fulmen::{
        BiasCol, Chain, MatMut, MatRef, Pointwise, Relu, gemm, gemm_packed, gemm_with, gemm_workspace, pack_b,
    };
    for [m, n, k] in [[3, 4, 5], [40, 60, 50], [70, 300, 260], [1, 300, 100], [33, 1, 40]] {
        let (a, b, mut c) = (vec![1.0f32; m * k], vec![1.0; k * n], vec![0.0; m * n]);
        let mut ws = vec![0.0; gemm_workspace(m, n, k)];
        let mut room = vec![0.0; fulmen::packed_b_len(k, n)];
        let bias = vec![0.5; n];
        FORBIDDEN.set(true);
        let (x, y) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
        let t = MatRef::col_major(&b, k, n).unwrap();
        let e = Chain(BiasCol(&bias), Pointwise(Relu));
        let packed = pack_b(y, &mut room).unwrap();
        let results = [
            gemm(1.0, x, y, 0.0, MatMut::row_major(&mut c, m, n).unwrap(), &mut ws),
            gemm(1.0, x, t, 1.0, MatMut::col_major(&mut c, m, n).unwrap(), &mut ws),
            gemm_packed(1.0, x, packed, 0.0, MatMut::row_major(&mut c, m, n).unwrap(), &mut ws),
            gemm_with(1.0, x, t, 0.0, MatMut::row_major(&mut c, m, n).unwrap(), e, &mut ws),
        ];
        FORBIDDEN.set(false);
        assert_eq!(results, [Ok(()); 4]);
        assert!(c.iter().all(|c| *c == k as f32 + 0.5));
    }
}
