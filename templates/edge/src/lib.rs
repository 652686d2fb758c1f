//! Nearest rows by cosine similarity, for an edge function or a page: a module without an allocator.
//!
//! `index.js` grows the memory, writes the rows there and calls these two functions with addresses in it.
#![no_std]

use core::slice::{from_raw_parts, from_raw_parts_mut};
use fulmen::{Error, MatRef, VecMut, VecRef};

// A module without SIMD does not compile.
const _: () = assert!(matches!(fulmen::NATIVE, fulmen::lanes::Isa::Simd128));

/// fulmen has no panic to bring here; the compiler asks for a handler all the same.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Scales each of the `rows` rows of `dim` numbers to length one. Returns 0, or 1 when the arguments don't fit.
///
/// # Safety
/// `data` is the address of `rows · dim` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn normalize(data: *mut f32, rows: usize, dim: usize) -> u32 {
    // SAFETY: the caller's promise.
    let data = unsafe { from_raw_parts_mut(data, rows * dim) };
    u32::from(fulmen::normalize_in_place(data, dim).is_err())
}

fn nearest(
    data: &[f32],
    query: &[f32],
    scores: &mut [f32],
    values: &mut [f32],
    indices: &mut [u32],
) -> Result<(), Error> {
    let rows = MatRef::row_major(data, scores.len(), query.len())?;
    fulmen::gemv(1.0, rows, VecRef::from(query), 0.0, VecMut::from(&mut *scores))?;
    fulmen::top_k(scores, values.len(), values, indices)
}

/// The `k` rows most similar to `query`, best first: their similarities in `values`, their numbers in `indices`.
/// Rows and query have length one. Returns 0, or 1 when the arguments don't fit or a number is NaN.
///
/// # Safety
/// `data` is the address of `rows · dim` numbers, `query` of `dim`, `scores` of `rows`, `values` and `indices` of `k`;
/// what is written overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn top_k(
    data: *const f32,
    rows: usize,
    dim: usize,
    query: *const f32,
    scores: *mut f32,
    k: usize,
    values: *mut f32,
    indices: *mut u32,
) -> u32 {
    // SAFETY: the caller's promise.
    let result = unsafe {
        nearest(
            from_raw_parts(data, rows * dim),
            from_raw_parts(query, dim),
            from_raw_parts_mut(scores, rows),
            from_raw_parts_mut(values, k),
            from_raw_parts_mut(indices, k),
        )
    };
    u32::from(result.is_err())
}
