//! Methods without a row beside their bodies: products of integers, ops on halves, sizes of workspaces.

#[cfg(feature = "parallel")]
use super::Threads;
use super::{Cpu, Done, Memory};
#[cfg(feature = "half")]
use crate::E4m3;
use crate::Side;
use crate::lanes::Simd;
use crate::nn::*;
#[cfg(feature = "half")]
use half::{bf16, f16};

/// A trait of methods whose types are what they are, and what implements it.
macro_rules! typed {
    ($(#[$doc:meta])* $Trait:ident = $cpu:ident $threads:ident none { $($f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)* }) => {
        typed! { $(#[$doc])* $Trait = $cpu $threads { $($f ($($arg: $ty),*) -> $ret;)* } }
        #[cfg(feature = "gpu")]
        impl<D: crate::gpu::device::Device + 'static> $Trait for crate::gpu::backend::Gpu<D> {
            // A device has a pool of its own.
            $(fn $f(&self, $(_: $ty),*) -> $ret { 0 })*
        }
    };
    ($(#[$doc:meta])* $Trait:ident = $cpu:ident $threads:ident { $($f:ident $([$on:ident])? ($($arg:ident: $ty:ty),*) -> $ret:ty;)* }) => {
        $(#[$doc])*
        pub trait $Trait: Memory {
            $(
                #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
                #[allow(clippy::too_many_arguments, reason = "the op's own")]
                fn $f (&self, $($arg: $ty),*) -> $ret;
            )*
        }
        impl<S: Simd> $Trait for Cpu<S> {
            $(#[inline] fn $f (&self, $($arg: $ty),*) -> $ret { typed!(@$cpu self $f $($on)? ($($arg),*)) })*
        }
        #[cfg(feature = "parallel")]
        impl<S: Simd> $Trait for Threads<S> {
            $(#[inline] fn $f (&self, $($arg: $ty),*) -> $ret { typed!(@$threads self $f $($on)? ($($arg),*)) })*
        }
    };
    (@on $s:ident $f:ident $on:ident ($($arg:ident),*)) => { crate::$on($s.0, $($arg),*) };
    (@threads $s:ident $f:ident $on:ident ($($arg:ident),*)) => { crate::parallel::$on($s.0, $($arg),*) };
    (@once $s:ident $f:ident ($($arg:ident),*)) => { crate::$f($($arg),*) };
    (@each $s:ident $f:ident ($($arg:ident),*)) => { crate::$f($($arg),*).saturating_mul(rayon::current_num_threads()) };
}
typed! {
    /// Products of integers.
    Integers = on on {
        gemm_i8 [gemm_i8_on] (alpha: i32, a: Self::Mat<'_, i8>, b: Self::Mat<'_, i8>, beta: i32, c: Self::MatMut<'_, i32>, workspace: Self::Mut<'_, i32>) -> Done;
        gemm_u8 [gemm_u8_on] (alpha: i32, a: Self::Mat<'_, u8>, a_zero: u8, b: Self::Mat<'_, i8>, b_zero: i8, beta: i32, c: Self::MatMut<'_, i32>, workspace: Self::Mut<'_, i32>) -> Done;
    }
}
#[cfg(feature = "half")]
typed! {
    /// Ops on `f16` and `bf16` (feature `half`): not part of [`Backend`](super::Backend), whose methods no feature changes.
    Halves = on on {
        f16_to_f32 [f16_to_f32_on] (x: Self::Ref<'_, f16>, out: Self::Mut<'_, f32>) -> Done;
        f32_to_f16 [f32_to_f16_on] (x: Self::Ref<'_, f32>, out: Self::Mut<'_, f16>) -> Done;
        bf16_to_f32 [bf16_to_f32_on] (x: Self::Ref<'_, bf16>, out: Self::Mut<'_, f32>) -> Done;
        f32_to_bf16 [f32_to_bf16_on] (x: Self::Ref<'_, f32>, out: Self::Mut<'_, bf16>) -> Done;
        gemm_f16 [gemm_f16_on] (alpha: f32, a: Self::Mat<'_, f16>, b: Self::Mat<'_, f16>, beta: f32, c: Self::MatMut<'_, f32>, workspace: Self::Mut<'_, f32>) -> Done;
        gemm_e4m3 [gemm_e4m3_on] (alpha: f32, a: Self::Mat<'_, E4m3>, b: Self::Mat<'_, E4m3>, beta: f32, c: Self::MatMut<'_, f32>, workspace: Self::Mut<'_, f32>) -> Done;
        attention_bf16 [attention_bf16_on] (op: &Attention<f32>, q: Self::Mat<'_, bf16>, k: Self::Mat<'_, bf16>, v: Self::Mat<'_, bf16>, out: Self::MatMut<'_, f32>, lse: Option<Self::Mut<'_, f32>>, workspace: Self::Mut<'_, f32>) -> Done;
        attention_bf16_backward [attention_bf16_backward_on] (op: &Attention<f32>, q: Self::Mat<'_, bf16>, k: Self::Mat<'_, bf16>, v: Self::Mat<'_, bf16>, out: Self::Mat<'_, f32>, lse: Self::Ref<'_, f32>, dout: Self::Mat<'_, bf16>, dq: Self::MatMut<'_, f32>, dk: Self::MatMut<'_, f32>, dv: Self::MatMut<'_, f32>, workspace: Self::Mut<'_, f32>) -> Done;
        gemm_bf16 [gemm_bf16_on] (alpha: f32, a: Self::Mat<'_, bf16>, b: Self::Mat<'_, bf16>, beta: f32, c: Self::MatMut<'_, f32>, workspace: Self::Mut<'_, f32>) -> Done;
    }
}
typed! {
    /// How many elements of workspace an op needs, for as many threads as the backend has.
    Scratch = once each none {
        gemm_workspace(m: usize, n: usize, k: usize) -> usize;
        symm_workspace(side: Side, m: usize, n: usize) -> usize;
        syrk_workspace(n: usize, k: usize) -> usize;
        syr2k_workspace(n: usize, k: usize) -> usize;
        trmm_workspace(side: Side, m: usize, n: usize) -> usize;
        trsm_workspace(side: Side, m: usize, n: usize) -> usize;
        conv1d_workspace(conv: Conv1d) -> usize;
        fft_workspace(n: usize) -> usize;
        rfft_workspace(n: usize) -> usize;
        fft_rows_workspace(n: usize) -> usize;
        fft_2d_workspace(m: usize, n: usize) -> usize;
        fft_3d_workspace(d: usize, m: usize, n: usize) -> usize;
        stft_workspace(n: usize) -> usize;
        dct_workspace(n: usize) -> usize;
        gemm_complex_workspace(m: usize, n: usize, k: usize) -> usize;
        convolve_workspace(n: usize) -> usize;
        convolve_complex_workspace(n: usize) -> usize;
        cholesky_workspace(n: usize) -> usize;
        cholesky_solve_workspace(n: usize, cols: usize) -> usize;
        lu_workspace(m: usize, n: usize) -> usize;
        lu_solve_workspace(n: usize, cols: usize) -> usize;
        qr_workspace(m: usize, n: usize) -> usize;
        qr_apply_workspace(m: usize, k: usize, cols: usize) -> usize;
        least_squares_workspace(m: usize, n: usize, cols: usize) -> usize;
        eigh_workspace(n: usize) -> usize;
        svd_workspace(m: usize, n: usize) -> usize;
        attention_workspace(heads: usize, dim: usize) -> usize;
        attention_backward_workspace(dim: usize) -> usize;
    }
}
