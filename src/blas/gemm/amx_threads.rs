//! The matrix product on AMX on several threads, each of which computes a block of C.

use super::amx::{Single, Six, Three, gemm_by};
use super::split_bf16::{AmxPath, product};
use crate::error::Error;
use crate::lanes::Amx;
use crate::lanes::executor::Executor;
use crate::view::{MatMut, MatRef};

macro_rules! by {
    ($($f:ident $run:ident $P:ty, $In:ty, $Out:ty, $Ret:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($run), "`] of these elements.")]
        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        pub(crate) fn $f<J: Executor>(
            j: J,
            amx: Amx,
            alpha: $Out,
            a: MatRef<'_, $In>,
            b: MatRef<'_, $In>,
            beta: $Out,
            c: MatMut<'_, $Out>,
            workspace: &mut [$Out],
        ) -> Result<$Ret, Error> {
            $run::<J, $P>(j, amx, alpha, a, b, beta, c, workspace)
        }
    )*};
}
by! {
    gemm_i8_amx_by gemm_by Single<i8>, i8, i32, ();
    gemm_f32_amx_by product Six, f32, f32, AmxPath;
    gemm_f32_amx3_by product Three, f32, f32, AmxPath;
}
#[cfg(feature = "half")]
by! {
    gemm_bf16_amx_by gemm_by Single<half::bf16>, half::bf16, f32, ();
}
