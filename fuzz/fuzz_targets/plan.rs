//! Sizes, strides, places and devices as the planner takes them: `cargo +nightly fuzz run plan`. Launches must be in range,
//! refusals have names.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    common::plans::run(bytes);
});
