//! Ops that allocate their result and their scratch with `alloc` (feature `alloc`).
//!
//! | here | the ops behind |
//! |---|---|
//! | [`solve`], [`lstsq`], [`inverse`], [`det`], [`cholesky`], [`qr`], [`eigh`], [`eig`], [`svd`] | [`fulmen::solve`](mod@crate::solve) |
//! | [`matmul`], [`transpose`], [`einsum`] | [`gemm`](crate::gemm()), [`transpose`](crate::transpose()), [`einsum`](crate::einsum()) |
//! | [`fft`], [`ifft`], [`fft_2d`], [`rfft`], [`irfft`], [`dct`], [`convolve`], [`stft`], [`fir`] | [`fulmen::fft`](mod@crate::fft) |
//! | [`map`], [`softmax`], [`log_softmax`], [`cumsum`], [`top_k`], [`bottom_k`], [`conv1d`] | those of the same names |
//! | [`quantize`], [`dequantize`], [`quant_gemv`] | [`fulmen::quant`](mod@crate::quant) |
//! | [`uniform`], [`normal`], [`integers`], [`permutation`] | [`fulmen::random`](mod@crate::random) |
//! | [`coo_to_csr`], [`csr_transpose`], [`spmv`], [`spgemm`], [`ilu0`], [`cg`], [`gmres`], [`bicgstab`] | [`fulmen::sparse`](mod@crate::sparse) |
//!
//! A matrix is a row-major slice and one number, usually its columns; the length of the slice gives the rest of the
//! shape. Results are row-major, too.
//!
//! Each function allocates the result, the scratch and, where the op has one, the plan; then it calls the op. So
//! values, NaN and ±0 are those of the op, and so is the [`Error`], whose arguments have the names of the op. A size
//! beyond the address space is [`Error::Overflow`]; a failed allocation ends the program, as it does for any `Vec`. In
//! a loop the ops themselves are faster, as they reuse buffers and plans.
//!
//! ```
//! use fulmen::owned;
//! // x + 2y = 5, 3x + 4y = 11
//! assert_eq!(owned::solve(&[1.0, 2.0, 3.0, 4.0], 2, &[5.0f32, 11.0])?, [1.0, 2.0]);
//! # Ok::<(), fulmen::Error>(())
//! ```

mod fourier;
mod products;
mod quant;
mod random;
mod rows;
mod sparse;
mod systems;

pub use fourier::{convolve, dct, fft, fft_2d, fir, ifft, irfft, rfft, stft};
pub use products::{einsum, matmul, transpose};
pub use quant::{dequantize, quant_gemv, quantize};
pub use random::{integers, normal, permutation, uniform};
pub use rows::{bottom_k, conv1d, cumsum, log_softmax, map, softmax, top_k};
pub use sparse::{CsrBuffer, bicgstab, cg, coo_to_csr, csr_transpose, gmres, ilu0, spgemm, spmv};
pub use systems::{cholesky, det, eig, eigh, inverse, lstsq, qr, solve, svd};

use crate::error::Error;
use alloc::vec::Vec;
use core::alloc::Layout;

/// `len` times `x`, unless no memory can hold as many.
fn filled<T: Clone>(arg: &'static str, x: T, len: usize) -> Result<Vec<T>, Error> {
    match Layout::array::<T>(len) {
        Ok(_) => Ok(alloc::vec![x; len]),
        Err(_) => Err(Error::overflow(arg)),
    }
}

/// `a·b`, unless no integer holds it.
fn product(arg: &'static str, a: usize, b: usize) -> Result<usize, Error> {
    a.checked_mul(b).ok_or(Error::overflow(arg))
}

/// The rows of a matrix of `cols` columns.
fn rows_of<T>(arg: &'static str, x: &[T], cols: usize) -> Result<usize, Error> {
    match (x.len().checked_div(cols), x.len().checked_rem(cols)) {
        (Some(rows), Some(0)) => Ok(rows),
        (None, _) if x.is_empty() => Ok(0),
        _ => Err(Error::rows(arg, cols, x.len())),
    }
}

/// The columns of a matrix of `rows` rows.
fn cols_of<T>(arg: &'static str, x: &[T], rows: usize) -> Result<usize, Error> {
    match (x.len().checked_div(rows), x.len().checked_rem(rows)) {
        (Some(cols), Some(0)) => Ok(cols),
        (None, _) if x.is_empty() => Ok(0),
        _ => Err(Error::len(arg, rows, x.len())),
    }
}
