//! The ops whose rows give parts to other threads, on rayon's.

use super::Threads;
use crate::forms::{returned, slice};
use crate::lanes::{Simd, native};
use crate::*;

/// The functions of a list of rows; see [`crate::forms`].
macro_rules! on_threads {
    ($path:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $name:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident
       ($($arg:ident: $kind:ident $ty:ty),* $(,)?) $(-> $ret:ident $(<$of:ty>)?)?;)*) => {
        $(on_threads! { @$how $path [$($note)?] [$(<$($g: $bound)?>)?] $name $on $by ($($arg: $kind $ty),*) $(-> $ret $(<$of>)?)? })*
    };
    (@serial $($row:tt)*) => {};
    (@threads $path:tt $note:tt [] $($row:tt)*) => { on_threads! { @threads $path $note [<T: Element>] $($row)* } };
    (@threads [$($path:ident)::+] [$($note:literal)?] [<$($g:ident: $bound:path)?>] $name:ident $on:ident $by:ident ($($arg:ident: $kind:ident $ty:ty),*)
       $(-> $ret:ident $(<$of:ty>)?)?) => {
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on rayon's threads, same bits.")]
        $(
            #[doc = ""]
            #[doc = $note]
        )?
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $name $(<$g: $bound>)? ($($arg: slice!($kind $ty)),*) $(-> returned!($ret $(<$of>)?))? {
            $($path)::+::$by(Threads, native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::parallel::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $on<S: Simd $(, $g: $bound)?>(s: S, $($arg: slice!($kind $ty)),*) $(-> returned!($ret $(<$of>)?))? {
            $($path)::+::$by(Threads, s, $($arg),*)
        }
    };
}

crate::blas::complex::product::product_ops! { on_threads }
crate::blas::gemm::backward::backward_ops! { on_threads }
crate::blas::gemv::gemv_ops! { on_threads }
crate::blas::level3::level3_ops! { on_threads }
crate::blas::transpose::transpose_ops! { on_threads }
crate::blas::triangular::triangular_ops! { on_threads }
crate::einsum::einsum_ops! { on_threads }
crate::einsum::elements::elements_ops! { on_threads }
crate::einsum::gather::gather_ops! { on_threads }
crate::einsum::pad::pad_ops! { on_threads }
crate::fft::convolve::convolve_ops! { on_threads }
crate::fft::dct::dct_ops! { on_threads }
crate::fft::fft_ops! { on_threads }
crate::fft::real::real_ops! { on_threads }
crate::fft::rows::rows_ops! { on_threads }
crate::fft::stft::stft_ops! { on_threads }
crate::lz4::lz4_ops! { on_threads }
crate::nn::attention::attention_ops! { on_threads }
crate::nn::conv1d::conv1d_ops! { on_threads }
crate::nn::embedding::embedding_ops! { on_threads }
crate::nn::gated::gated_ops! { on_threads }
crate::nn::log_sum_exp::log_sum_exp_ops! { on_threads }
crate::nn::losses::losses_ops! { on_threads }
crate::nn::nll::nll_ops! { on_threads }
crate::nn::norm_backward::norm_backward_ops! { on_threads }
crate::nn::pool::pool_ops! { on_threads }
crate::nn::rope::rope_forms! { on_threads }
crate::nn::rope::rope_ops! { on_threads }
crate::nn::scan::scan_ops! { on_threads }
crate::nn::similarity::similarity_ops! { on_threads }
crate::nn::softmax_backward::softmax_backward_ops! { on_threads }
crate::pointwise::optimisers::optimisers_forms! { on_threads }
crate::pointwise::optimisers::optimisers_ops! { on_threads }
crate::quant::dot::dot_ops! { on_threads }
crate::random::ops::random_ops! { on_threads }
crate::reduce::extrema::extrema_ops! { on_threads }
crate::reduce::moments::moments_ops! { on_threads }
crate::reduce::norms::norms_ops! { on_threads }
crate::reduce::pairs::pairs_ops! { on_threads }
crate::reduce::product::product_ops! { on_threads }
crate::reduce::sums::sums_ops! { on_threads }
crate::solve::cholesky::cholesky_ops! { on_threads }
crate::solve::eigh::eigh_ops! { on_threads }
crate::solve::generalized::generalized_ops! { on_threads }
crate::solve::inverse::inverse_ops! { on_threads }
crate::solve::ldlt::ldlt_ops! { on_threads }
crate::solve::lu::lu_ops! { on_threads }
crate::solve::qr::qr_ops! { on_threads }
crate::solve::svd::svd_ops! { on_threads }
crate::sparse::bsr::bsr_forms! { on_threads }
crate::sparse::colors::colors_forms! { on_threads }
crate::sparse::dia::dia_forms! { on_threads }
crate::sparse::sell::sell_forms! { on_threads }
crate::sparse::spmm::spmm_ops! { on_threads }
crate::sparse::spmv::spmv_ops! { on_threads }
