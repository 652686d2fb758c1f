//! The matrix product: parts of C on different threads.

use super::Threads;
#[cfg(feature = "half")]
use crate::blas::gemm::gemm_half_by;
use crate::blas::gemm::{
    Epilogue, Problem, Requantize, batch_by, gemm_by, gemm_bytes_by, gemm_bytes_with_by,
};
use crate::lanes::{Simd, native};
use crate::{BatchMut, BatchRef, Element, Error, MatMut, MatRef};

/// [`gemm`](crate::gemm()) on rayon's threads, same bits.
///
/// Large products take turns at blocks of B: all threads pack one together, then each takes rows of C from what is
/// left. Of smaller ones C is cut along its longer side, again and again, until every thread has a part, and each
/// thread packs what it needs into its own share of the workspace. Products below about a million multiplications per thread
/// use fewer threads, and so does a workspace that is shorter than [`gemm_workspace`] says: one for a single
/// thread is enough for any result.
///
/// ```
/// use fulmen::{MatMut, MatRef, parallel};
/// let n = 300;
/// let (a, b, mut c) = (vec![1.0f32; n * n], vec![2.0; n * n], vec![0.0; n * n]);
/// let mut workspace = vec![0.0; parallel::gemm_workspace(n, n, n, 4)];
/// let (a, b) = (MatRef::row_major(&a, n, n)?, MatRef::row_major(&b, n, n)?);
/// parallel::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, n, n)?, &mut workspace)?;
/// assert!(c.iter().all(|c| *c == 600.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn gemm<T: Element>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_by(Threads, native(), Problem { alpha, beta, a, b, c }, (), workspace)
}

/// [`gemm`] on the instruction set of `s`.
#[inline]
pub fn gemm_on<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_by(Threads, s, Problem { alpha, beta, a, b, c }, (), workspace)
}

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
    gemm_by(Threads, native(), Problem { alpha, beta, a, b, c }, epilogue, workspace)
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
    batch_by(Threads, native(), [alpha, beta], a, b, c, workspace)
}

/// Elements of workspace that [`gemm`] needs for a number of threads.
pub const fn gemm_workspace(m: usize, n: usize, k: usize, threads: usize) -> usize {
    crate::gemm_workspace(m, n, k).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// [`gemm_i8`](crate::gemm_i8()) on rayon's threads, same bits. Scratch: [`gemm_i8_workspace`](crate::gemm_i8_workspace()) for each
/// thread.
#[inline]
pub fn gemm_i8(
    alpha: i32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_bytes_by(Threads, native(), [alpha, beta], (a, 0), (b, 0), c, workspace)
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
    gemm_bytes_with_by(Threads, native(), alpha, (a, 0), (b, 0), c, epilogue, workspace)
}

/// [`gemm_u8`](crate::gemm_u8()) on rayon's threads, same bits. Scratch: [`gemm_u8_workspace`](crate::gemm_u8_workspace()) for each
/// thread.
#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub fn gemm_u8(
    alpha: i32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    let (a, b) = ((a, a_zero.into()), (b, b_zero.into()));
    gemm_bytes_by(Threads, native(), [alpha, beta], a, b, c, workspace)
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
    gemm_bytes_with_by(Threads, native(), alpha, a, b, c, epilogue, workspace)
}

#[cfg(feature = "half")]
macro_rules! half {
    ($($f:ident $with:ident $workspace:ident $H:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) on rayon's threads, same bits. Scratch:")]
        #[doc = concat!("[`", stringify!($workspace), "`](crate::", stringify!($workspace), "()) for each thread.")]
        #[inline]
        pub fn $f(
            alpha: f32,
            a: MatRef<'_, $H>,
            b: MatRef<'_, $H>,
            beta: f32,
            c: MatMut<'_, f32>,
            workspace: &mut [f32],
        ) -> Result<(), Error> {
            gemm_half_by(Threads, native(), alpha, a, b, beta, c, (), workspace)
        }

        #[doc = concat!("[`", stringify!($with), "`](crate::", stringify!($with), "()) on rayon's threads, same bits. Scratch: as")]
        #[doc = concat!("[`", stringify!($f), "`].")]
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
            gemm_half_by(Threads, native(), alpha, a, b, beta, c, epilogue, workspace)
        }
    )*};
}
#[cfg(feature = "half")]
half! {
    gemm_bf16 gemm_bf16_with gemm_bf16_workspace half::bf16;
    gemm_f16 gemm_f16_with gemm_f16_workspace half::f16;
    gemm_e4m3 gemm_e4m3_with gemm_e4m3_workspace crate::E4m3;
}
