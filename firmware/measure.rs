//! Calls the op under measurement on a painted stack and prints how deep it went.

use crate::{boot, ops};
use core::arch::asm;
use core::hint::black_box;

const PAINT: u32 = 0xA5A5_5A5A;
/// Bytes below the stack pointer that stay unpainted: the frame that paints lives there.
const MARGIN: usize = 256;

unsafe extern "C" {
    static mut __stack_bottom: u32;
}

/// Paints the free stack, runs the op, prints `stack N` with the bytes from here to the deepest word touched.
pub fn run() {
    let sp: usize;
    // SAFETY: reads a register; the text is the same on both instruction sets.
    unsafe { asm!("mov {}, sp", out(reg) sp, options(nomem, nostack, preserves_flags)) };
    let top = sp - MARGIN;
    let bottom = &raw mut __stack_bottom;
    let words = (top - bottom as usize) / 4;
    for i in 0..words {
        // SAFETY: these words lie between the end of the stack and the frames in use.
        unsafe { bottom.add(i).write_volatile(PAINT) };
    }
    call();
    let clean = (0..words)
        // SAFETY: as above.
        .take_while(|&i| unsafe { bottom.add(i).read_volatile() } == PAINT)
        .count();
    boot::print(b"stack ");
    decimal(4 * (words - clean) + MARGIN);
    boot::print(b"\n");
}

/// The op on slices whose contents and lengths the compiler cannot see.
#[inline(never)]
fn call() {
    let a = [0.5f32; ops::LEN];
    let b = [0.25f32; ops::LEN];
    let mut out = [0.0f32; ops::LEN];
    let _ = black_box(op(black_box(&a), black_box(&b), black_box(&mut out)));
}

#[inline(never)]
fn op(a: &[f32], b: &[f32], out: &mut [f32]) -> Result<f32, fulmen::Error> {
    #[cfg(feature = "planted")]
    black_box(a[black_box(b).len()]);
    ops::op(a, b, out)
}

fn decimal(n: usize) {
    if n >= 10 {
        decimal(n / 10);
    }
    boot::print(&[b'0' + (n % 10) as u8]);
}

// No formatting here: what an op needs of it would hide behind ours.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    boot::exit(101)
}
