//! Picks an op, a form, a type and lengths from the input and calls it: `cargo +nightly fuzz run op`.
#![no_main]

#[path = "../../tests/common/arbitrary.rs"]
mod arbitrary;
#[path = "../../tests/common/call.rs"]
mod call;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arbitrary::run(bytes));
