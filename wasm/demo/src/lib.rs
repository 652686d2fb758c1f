//! The search example behind a C interface for a JavaScript host.
//!
//! The host allocates bytes with [`alloc`], writes the file and the query there, calls [`search`],
//! and reads the answer: a `u32` length in bytes, then JSON. [`free`] gives each block back.

#[path = "../../../examples/search/core.rs"]
mod engine;

use engine::answer::quoted;
use engine::{Observer, Options};
use fulmen::lanes::{Native, Simd};

/// The module has no clock, and its host shows no progress.
struct Silent;
impl Observer for Silent {
    fn kernel<R>(&mut self, _: &'static str, _: usize, _: usize, run: impl FnOnce() -> R) -> R {
        run()
    }
    fn progress(&mut self, _: usize, _: usize) {}
}

/// `len` zeroed bytes, for the host to fill.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// Gives back a block.
///
/// # Safety
/// `at` came from [`alloc`] or [`search`], `len` is its whole length, and it is given back once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(at: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(at, len)) });
}

/// The answer as a block: its length in bytes as a little-endian `u32`, then that many bytes of
/// JSON, `{"lanes": …, "answer": …}` or `{"lanes": …, "error": …}`.
///
/// # Safety
/// Both ranges lie in blocks of [`alloc`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn search(
    file: *const u8,
    file_len: usize,
    query: *const u8,
    query_len: usize,
    top: usize,
    dim: usize,
) -> *mut u8 {
    // SAFETY: the caller's promise.
    let (file, query) = unsafe {
        (core::slice::from_raw_parts(file, file_len), core::slice::from_raw_parts(query, query_len))
    };
    let query = String::from_utf8_lossy(query);
    let result = match engine::search(file, &query, Options { top, dim }, &mut Silent) {
        Ok(answer) => format!("\"answer\":{}", answer.json(file)),
        Err(why) => format!("\"error\":{}", quoted(&why.to_string())),
    };
    let json = format!("{{\"lanes\":\"{}\",{result}}}", Native::NAME);
    let mut block = u32::try_from(json.len()).unwrap_or(0).to_le_bytes().to_vec();
    block.extend_from_slice(json.as_bytes());
    Box::into_raw(block.into_boxed_slice()).cast()
}
