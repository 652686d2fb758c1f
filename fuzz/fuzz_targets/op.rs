//! Picks an op, a form, a type and sizes from the input and calls it: `make fuzz`. Ops whose shape says
//! the call are called by their row, those on views and those with a call of their own as the tests do. Low precision
//! is not among them.
#![no_main]

use common::{arbitrary, views};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let [family, bytes @ ..] = bytes else { return };
    match family % 3 {
        0 => arbitrary::run(bytes),
        1 => views::run(bytes),
        _ => arbitrary::nn(bytes),
    }
});
