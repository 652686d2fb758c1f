//! The image that boots, computes, prints, compares and exits with a status.
#![no_std]
#![no_main]

#[path = "../../../templates/aarch64-bare/src/boot.rs"]
mod boot;
#[path = "../../selftest.rs"]
mod selftest;

const _: () = assert!(matches!(fulmen::NATIVE, fulmen::lanes::Isa::Neon), "the build did not select NEON");

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    boot::exit(selftest::run())
}
