//! The matrix product on rayon: each thread computes a block of C.

use super::Threads;
#[cfg(feature = "half")]
use crate::blas::gemm::gemm_half_by;
use crate::blas::gemm::{Epilogue, Problem, Requantize, batch_by, gemm_by, gemm_bytes_with_by};
use crate::forms::named;
use crate::lanes::native;
use crate::{BatchMut, BatchRef, Element, Error, MatMut, MatRef};

/// [`gemm_with`](crate::gemm_with()) on rayon's threads, same bits.
#[inline]
pub fn gemm_with<T: Element, E: Epilogue<T>>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    epilogue: E,
    workspace: &mut [T],
) -> Result<(), Error> {
    named!([Result] gemm_with at threads native(), (a: mat, b: mat, c: mat_inout), gemm_by(Threads, native(), Problem { alpha, beta, a, b, c }, epilogue, workspace))
}

/// [`gemm_strided_batched`](crate::gemm_strided_batched()) on rayon's threads, same bits; each needs its own workspace.
#[inline]
pub fn gemm_strided_batched<T: Element>(
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    named!([Result] gemm_strided_batched at threads native(), (), batch_by(Threads, native(), [alpha, beta], a, b, c, workspace))
}

/// Elements of workspace that [`gemm`](crate::parallel::gemm()) needs for a number of threads.
pub const fn gemm_workspace(m: usize, n: usize, k: usize, threads: usize) -> usize {
    crate::gemm_workspace(m, n, k).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// [`gemm_i8_with`](crate::gemm_i8_with()) on rayon's threads, same bits. Scratch:
/// [`gemm_i8_with_workspace`](crate::gemm_i8_with_workspace()) for each thread.
#[inline]
pub fn gemm_i8_with<C: Requantize, E: Epilogue<f32>>(
    alpha: f32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    named!(
        [Result] gemm_i8_with at threads native(), (a: mat, b: mat, c: mat_out),
        gemm_bytes_with_by(Threads, native(), alpha, (a, 0), (b, 0), c, epilogue, workspace)
    )
}

/// [`gemm_u8_with`](crate::gemm_u8_with()) on rayon's threads, same bits. Scratch:
/// [`gemm_i8_with_workspace`](crate::gemm_i8_with_workspace()) for each thread.
#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub fn gemm_u8_with<C: Requantize, E: Epilogue<f32>>(
    alpha: f32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    let (a, b) = ((a, a_zero.into()), (b, b_zero.into()));
    named!([Result] gemm_u8_with at threads native(), (c: mat_out), gemm_bytes_with_by(Threads, native(), alpha, a, b, c, epilogue, workspace))
}

#[cfg(feature = "half")]
macro_rules! half {
    ($($f:ident $with:ident $H:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($with), "`](crate::", stringify!($with), "()) on rayon's threads, same bits. Scratch: as")]
        #[doc = concat!("[`", stringify!($f), "`](crate::parallel::", stringify!($f), "()).")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        pub fn $with<E: Epilogue<f32>>(
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            epilogue: E,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            named!([Result] $with at threads native(), (a: mat, b: mat, c: mat_inout), gemm_half_by(Threads, native(), alpha, a, b, beta, c, epilogue, workspace))
        }
    )*};
}
#[cfg(feature = "half")]
half! {
    gemm_bf16 gemm_bf16_with half::bf16;
    gemm_f16 gemm_f16_with half::f16;
    gemm_e4m3 gemm_e4m3_with crate::E4m3;
}
