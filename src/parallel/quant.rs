//! Blocks of quantised numbers: rows, or blocks, on different threads.

use super::Threads;
use crate::Error;
use crate::lanes::{Simd, native};
use crate::quant::Block;
use crate::quant::{
    dequantize_by, dequantize_padded_by, quant_dot_by, quant_gemm_by, quant_gemv_by, quant_rows_by,
    quantize_by, quantize_padded_by,
};

macro_rules! threaded {
    ($($(#[$doc:meta])* $f:ident $on:ident $by:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) on rayon's threads, same bits.")]
        $(#[$doc])*
        #[inline]
        pub fn $f<B: Block>($($arg: $ty),*) -> Result<$ret, Error> {
            $by(Threads, native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($f), "`](crate::parallel::", stringify!($f), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd, B: Block>(s: S, $($arg: $ty),*) -> Result<$ret, Error> {
            $by(Threads, s, $($arg),*)
        }
    )*};
}

threaded! {
    dequantize dequantize_on dequantize_by (x: &[B], out: &mut [f32]) -> ();
    quantize quantize_on quantize_by (x: &[f32], importance: Option<&[f32]>, out: &mut [B]) -> ();
    quantize_padded quantize_padded_on quantize_padded_by (x: &[f32], cols: usize, importance: Option<&[f32]>, out: &mut [B]) -> ();
    dequantize_padded dequantize_padded_on dequantize_padded_by (x: &[B], cols: usize, out: &mut [f32]) -> ();
    /// One row is on one thread.
    quant_dot quant_dot_on quant_dot_by (a: &[B], b: &[B::Partner]) -> f32;
    quant_gemv quant_gemv_on quant_gemv_by (weights: &[B], x: &[B::Partner], out: &mut [f32]) -> ();
    quant_gemm quant_gemm_on quant_gemm_by (weights: &[B], x: &[B::Partner], cols: usize, out: &mut [f32]) -> ();
    quant_rows quant_rows_on quant_rows_by (table: &[B], cols: usize, ids: &[u32], out: &mut [f32]) -> ();
}
