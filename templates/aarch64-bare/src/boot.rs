//! Start-up, UART and exit on QEMU's `virt` machine, without an operating system or any crate.

use core::arch::{asm, global_asm};

// Turns FP/SIMD on (CPACR_EL1.FPEN), sets the stack, clears .bss, calls `main`.
global_asm!(
    r#"
.section .text.boot
.global _start
_start:
    mov x0, #(3 << 20)
    msr cpacr_el1, x0
    isb
    ldr x0, =__stack_top
    mov sp, x0
    ldr x1, =__bss_start
    ldr x2, =__bss_end
1:  cmp x1, x2
    b.hs 2f
    str xzr, [x1], #8
    b 1b
2:  bl main
3:  wfe
    b 3b
"#
);

/// Sends bytes over the PL011 UART.
pub fn print(text: &[u8]) {
    for &byte in text {
        // SAFETY: 0x0900_0000 is the data register of the PL011 on `virt`; QEMU takes every write.
        unsafe { core::ptr::write_volatile(0x0900_0000 as *mut u32, u32::from(byte)) };
    }
}

/// Ends the machine with an exit status: semihosting SYS_EXIT.
pub fn exit(code: u8) -> ! {
    let block = [0x20026u64, u64::from(code)];
    loop {
        // SAFETY: QEMU runs with `-semihosting`; x1 points at the two words that the call reads.
        unsafe { asm!("hlt #0xf000", in("x0") 0x18u64, in("x1") block.as_ptr(), options(nostack)) };
    }
}
