//! The image that holds one op (`FULMEN_OP`) and measures its stack.
#![no_std]
#![no_main]

#[path = "../../../templates/aarch64-bare/src/boot.rs"]
mod boot;
#[path = "../../measure.rs"]
mod measure;
#[path = "../../ops.rs"]
mod ops;

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    measure::run();
    boot::exit(0)
}
