//! Start-up, output and exit on QEMU's `mps2-an386` board, without any crate.

use core::arch::{asm, global_asm};

// The stack pointer is the first vector (see link.ld); then reset and the faults, which end here.
// `reset` copies .data, clears .bss, turns the FPU on (CPACR, CP10 and CP11), calls `main`.
global_asm!(
    r#"
.section .vectors, "a"
    .word reset
    .word fault
    .word fault
    .word fault
    .word fault
    .word fault
.text
.thumb
.global reset
.thumb_func
reset:
    ldr r0, =__data_start
    ldr r1, =__data_end
    ldr r2, =__data_load
1:  cmp r0, r1
    bhs 2f
    ldr r3, [r2], #4
    str r3, [r0], #4
    b 1b
2:  ldr r0, =__bss_start
    ldr r1, =__bss_end
    movs r2, #0
3:  cmp r0, r1
    bhs 4f
    str r2, [r0], #4
    b 3b
4:  ldr r0, =0xE000ED88
    ldr r1, [r0]
    orr r1, r1, #(0xF << 20)
    str r1, [r0]
    dsb
    isb
    bl main
.thumb_func
fault:
    movs r0, #102
    bl exit
"#
);

/// One semihosting call.
///
/// # Safety
/// `block` is what operation `op` reads.
unsafe fn semihosting(op: u32, block: *const u32) {
    // SAFETY: QEMU runs with semihosting on; the caller's guarantee covers `block`.
    unsafe { asm!("bkpt #0xab", inout("r0") op => _, in("r1") block, options(nostack)) };
}

/// Sends bytes to the debugger's console: semihosting SYS_WRITEC.
pub fn print(text: &[u8]) {
    for &byte in text {
        let word = u32::from(byte);
        // SAFETY: SYS_WRITEC reads one byte; the word begins with it on this little-endian machine.
        unsafe { semihosting(0x03, &word) };
    }
}

/// Ends the machine with an exit status: semihosting SYS_EXIT_EXTENDED.
#[unsafe(no_mangle)]
pub extern "C" fn exit(code: u8) -> ! {
    let block = [0x20026u32, u32::from(code)];
    loop {
        // SAFETY: SYS_EXIT_EXTENDED reads two words.
        unsafe { semihosting(0x20, block.as_ptr()) };
    }
}
