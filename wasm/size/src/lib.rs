//! A WASM module that holds the ops named by `FULMEN_OP`, to be measured.
#![no_std]

#[path = "../../../firmware/ops.rs"]
mod ops;

const _: () =
    assert!(matches!(fulmen::NATIVE, fulmen::lanes::Isa::Simd128), "the build did not select SIMD128");

/// The ops over `n` floats at each of the three places; NaN when one refuses.
///
/// # Safety
/// `a` and `b` are valid for reads and `out` for writes of `n` floats; `out` overlaps neither.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn op(a: *const f32, b: *const f32, out: *mut f32, n: usize) -> f32 {
    // SAFETY: the caller's promise.
    let (a, b, out) = unsafe {
        (
            core::slice::from_raw_parts(a, n),
            core::slice::from_raw_parts(b, n),
            core::slice::from_raw_parts_mut(out, n),
        )
    };
    ops::op(a, b, out).unwrap_or(f32::NAN)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}
