//! The trait of workspace sizes, which each backend implements for the ops that it runs.

#[cfg(feature = "parallel")]
use super::Threads;
use super::{Cpu, Memory};
use crate::Side;
use crate::lanes::Simd;
use crate::nn::{Conv1d, Conv2d};

/// The trait of sizes, and what implements it.
macro_rules! sizes {
    ($(#[$doc:meta])* $Trait:ident { $($f:ident ($($arg:ident: $ty:ty),*) -> usize;)* }) => {
        $(#[$doc])*
        pub trait $Trait: Memory {
            $(
                #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
                fn $f (&self, $($arg: $ty),*) -> usize;
            )*
        }
        impl<S: Simd> $Trait for Cpu<S> {
            $(#[inline] fn $f (&self, $($arg: $ty),*) -> usize { crate::$f($($arg),*) })*
        }
        #[cfg(feature = "parallel")]
        impl<S: Simd> $Trait for Threads<S> {
            $(#[inline] fn $f (&self, $($arg: $ty),*) -> usize {
                crate::$f($($arg),*).saturating_mul(rayon::current_num_threads())
            })*
        }
        #[cfg(feature = "gpu")]
        impl<D: crate::gpu::device::Device> $Trait for crate::gpu::backend::Gpu<D> {
            // A device has a pool of its own.
            $(fn $f(&self, $(_: $ty),*) -> usize { 0 })*
        }
    };
}
sizes! {
    /// How many elements of workspace an op needs, for as many threads as the backend has.
    Scratch {
        gemm_workspace(m: usize, n: usize, k: usize) -> usize;
        symm_workspace(side: Side, m: usize, n: usize) -> usize;
        syrk_workspace(n: usize, k: usize) -> usize;
        syr2k_workspace(n: usize, k: usize) -> usize;
        trmm_workspace(side: Side, m: usize, n: usize) -> usize;
        trsm_workspace(side: Side, m: usize, n: usize) -> usize;
        conv1d_workspace(conv: Conv1d) -> usize;
        conv2d_workspace(conv: Conv2d) -> usize;
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
        attention_decode_workspace(heads: usize, dim: usize) -> usize;
        spgemm_workspace(cols: usize) -> usize;
    }
}
