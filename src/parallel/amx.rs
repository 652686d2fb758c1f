//! Products on the tiles of AMX: parts of C on different threads, each with tiles of its own.
//!
//! A workspace for a single thread, as the serial form wants, is enough for any result; one that is so many times as
//! long serves so many threads.

use super::Threads;
#[cfg(feature = "half")]
use crate::blas::gemm::gemm_bf16_amx_by;
use crate::blas::gemm::{gemm_f32_amx_by, gemm_f32_amx3_by, gemm_i8_amx_by};
use crate::lanes::Amx;
use crate::{AmxPath, Error, MatMut, MatRef};

macro_rules! tiled {
    ($($(#[$doc:meta])* $f:ident $by:ident $In:ty, $Out:ty, $Ret:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) on rayon's threads, same bits.")]
        $(#[$doc])*
        #[inline]
        pub fn $f(
            amx: Amx,
            alpha: $Out,
            a: MatRef<'_, $In>,
            b: MatRef<'_, $In>,
            beta: $Out,
            c: MatMut<'_, $Out>,
            workspace: &mut [$Out],
        ) -> Result<$Ret, Error> {
            $by(Threads, amx, alpha, a, b, beta, c, workspace)
        }
    )*};
}
tiled! {
    /// Scratch: [`gemm_i8_workspace`](crate::gemm_i8_workspace()) for each thread.
    gemm_i8_amx gemm_i8_amx_by i8, i32, ();
    /// Scratch: [`gemm_f32_amx_workspace`](crate::gemm_f32_amx_workspace()) for each thread.
    gemm_f32_amx gemm_f32_amx_by f32, f32, AmxPath;
    /// Scratch: [`gemm_f32_amx_workspace`](crate::gemm_f32_amx_workspace()) for each thread.
    gemm_f32_amx3 gemm_f32_amx3_by f32, f32, AmxPath;
}
#[cfg(feature = "half")]
tiled! {
    /// Scratch: [`gemm_bf16_workspace`](crate::gemm_bf16_workspace()) for each thread.
    gemm_bf16_amx gemm_bf16_amx_by half::bf16, f32, ();
}
