//! Names every family of ops and its lists of declarations, in one place. The functions of
//! [`parallel`](crate::parallel), the traits of [`backend`](crate::backend) and the table of [`ops`](crate::ops) are
//! generated from it.
//!
//! `elements` is a trait generic over an element type, `typed` a trait over none, `forms` functions alone. `parameter` is a
//! trait over the parameter that each of its ops has, which follows the name with its bound. A method of these writes a
//! scalar result to memory of one element; a method that begins with `host_`, which devices do not have, returns it.
//! `by_hand` names a trait whose methods are not generated: its ops give a matrix, in memory of the caller on a CPU and in
//! memory of its own on a device. The `cfg` of a feature that compiles all bodies of a family follows its name, then the
//! trait that it needs beside `Memory`.

/// Calls the macro `$callback` with all families, behind its arguments.
macro_rules! for_each_family {
    ($callback:ident $($argument:tt)*) => {
        $callback! { $($argument)*
            /// Ops that give a number, or a few of the elements.
            elements Reductions [
                crate::blas::level1::level1_ops
                crate::reduce::top_k::top_k_ops
                crate::nn::log_sum_exp::log_sum_exp_ops
                crate::reduce::extrema::extrema_ops
                crate::reduce::sums::sums_ops
                crate::reduce::moments::moments_ops
                crate::reduce::norms::norms_ops
                crate::reduce::covariance::covariance_ops
                crate::reduce::product::product_ops
            ];
            /// Products and transposes of matrices.
            elements Products [
                crate::blas::gemm::gemm_ops
                crate::blas::gemm::backward::backward_ops
                crate::blas::gemv::gemv_ops
                crate::blas::transpose::transpose_ops
            ];
            /// Layers of transformers, their gradients and the steps of optimisers.
            elements Layers [
                crate::nn::attention::attention_ops
                crate::nn::embedding::embedding_ops
                crate::nn::gated::gated_ops
                crate::nn::losses::losses_ops
                crate::nn::norm_backward::norm_backward_ops
                crate::nn::rope::rope_ops
                crate::nn::softmax_backward::softmax_backward_ops
                crate::nn::optimisers::optimisers_ops
            ];
            /// Further ops on matrices, and on vectors with strides.
            elements Blas [
                crate::blas::level1::level1_blas
                crate::blas::level2::level2_ops
                crate::blas::level3::level3_ops
                crate::blas::rotation::rotation_ops
                crate::blas::triangular::triangular_ops
                crate::blas::trmv::trmv_ops
            ];
            /// Further layers of networks, and their gradients.
            elements Network [
                crate::nn::conv1d::conv1d_ops
                crate::nn::conv2d::conv2d_ops
                crate::nn::pool::pool_ops
            ];
            /// Losses of log-probabilities, running sums, cosines with rows, samples as numbers.
            elements Analysis [
                crate::nn::int_to_float::int_to_float_ops
                crate::nn::nll::nll_ops
                crate::nn::scan::scan_ops
                crate::nn::similarity::similarity_ops
            ];
            /// Linear algebra of complex numbers.
            elements ComplexAlgebra [
                crate::blas::complex::elements::elements_ops
                crate::blas::complex::product::product_ops
                crate::blas::complex::vectors::vectors_ops
            ];
            /// Fourier transforms and filters, by plans that [`Plans`] makes.
            elements Transforms: super::Plans<T> [
                crate::fft::convolve::convolve_ops
                crate::fft::dct::dct_ops
                crate::fft::filter::filter_ops
                crate::fft::fft_ops
                crate::fft::real::real_ops
                crate::fft::rows::rows_ops
                crate::fft::stft::stft_ops
            ];
            /// Systems of linear equations.
            elements Solvers [
                crate::solve::cholesky::cholesky_ops
                crate::solve::eigh::eigh_ops
                crate::solve::inverse::inverse_ops
                crate::solve::ldlt::ldlt_solve_ops
                crate::solve::lu::lu_ops
                crate::solve::qr::qr_ops
                crate::solve::svd::svd_ops
            ];
            /// Products of sparse matrices with dense operands. [`SparseMatrices`] brings the matrices to the backend.
            elements SparseProducts: super::SparseMatrices<T> [
                crate::sparse::sddmm::sddmm_ops
                crate::sparse::spmm::spmm_ops
                crate::sparse::spmv::spmv_ops
            ];
            /// Ops whose operands and results are sparse matrices.
            by_hand SparseMatrices [
                crate::sparse::convert::transpose_ops
                crate::sparse::spgemm::spgemm_ops
            ];
            /// Ops on sparse matrices that stay on hosts: a row depends on the rows before it, the host decides after each step
            /// whether there is another one, or the number of elements must be known before they are allocated.
            host_elements HostSparse [
                crate::sparse::cg::cg_ops
                crate::sparse::convert::convert_ops
                crate::sparse::krylov::krylov_ops
                crate::sparse::lobpcg::lobpcg_ops
                crate::sparse::preconditioners::preconditioner_ops
                crate::sparse::spgemm::spadd_ops
                crate::sparse::triangular::triangular_ops
            ];
            /// Contractions. The plan is the host's.
            elements Contractions [
                crate::einsum::gather_elements::gather_elements_ops
                crate::einsum::gather::gather_ops
                crate::einsum::einsum_ops
                crate::einsum::pad::pad_ops
            ];
            /// Ops that stay on hosts; the reason of each stands in [`OPS`](crate::ops::OPS).
            host_elements HostOps [
                crate::fft::filter::biquad_ops
                crate::nn::sampling::sampling_ops
                crate::solve::eig::eig_ops
                crate::solve::generalized::generalized_ops
                crate::solve::inverse::condition_ops
                crate::solve::ldlt::ldlt_ops
                crate::solve::pivoted::pivoted_ops
                crate::solve::refine::refine_ops
                crate::solve::schur::schur_ops
                crate::solve::update::update_ops
            ];
            /// Quantised weights: dequantisation, and products with quantised activations.
            typed Quantised [
                crate::quant::ops::quant_ops
            ];
            /// Quantisation, which stays on hosts: weights are quantised once, when they are made, and which numbers are
            /// refused depends on the data.
            host_typed HostQuantised [
                crate::quant::ops::host_quant_ops
            ];
            /// Random numbers of an element type. A stream is a key and a place, so no backend keeps one.
            parameter Random<T: crate::random::Variate> [
                crate::random::ops::random_ops
            ];
            /// Random words of 32 bits.
            typed RandomBits [
                crate::random::ops::random_bits_ops
            ];
            /// Random integers; devices have those of 32 bits.
            parameter RandomIntegers<I: crate::random::Integer> [
                crate::random::ops::random_integers_ops
            ];
            /// Random booleans; devices write them as `u32`: 1 or 0.
            parameter RandomFlags<F: crate::random::Flag> [
                crate::random::ops::random_flags_ops
            ];
            /// Random numbers that stay on hosts: permutations, in which each exchange depends on those before it, and rejection
            /// sampling in `f64`, which not every device has.
            host_typed HostRandom [
                crate::random::ops::host_random_ops
            ];
            /// Lossless compression of bytes.
            typed Compression [
                crate::lz4::lz4_ops
            ];
            /// Scales of quantised weights that are quantised themselves: once, when weights are made.
            host_typed Scales [
                crate::quant::absmax::absmax_ops
            ];
            /// Attention of one query over a cache of keys and values, whose elements are numbers or quantised blocks.
            parameter Caches<C: crate::nn::Cached> [
                crate::nn::attention::cached::cached_ops
            ];
            /// Fixed point: for firmware, which has no device.
            host_typed FixedPoint [
                crate::fixed::activation::activation_ops
                crate::fixed::dot::dot_ops
                crate::fixed::filter::filter_ops
                crate::fixed::softmax::softmax_ops
            ];
            /// Images.
            typed Images [
                crate::image::colour::colour_ops
                crate::image::distance::distance_ops
                crate::image::filter::filter_ops
                crate::image::gradient::gradient_ops
                crate::image::levels::levels_ops
                crate::image::mean::mean_ops
                crate::image::morphology::morphology_ops
                crate::image::rank::rank_ops
                crate::image::resize::resize_ops
                crate::image::tensor::tensor_ops
                crate::image::turn::turn_ops
                crate::image::warp::warp_ops
            ];
            /// Ops on images that have no kernels for devices.
            host_typed HostImages [
                crate::image::gradient::host_gradient_ops
                crate::image::levels::host_levels_ops
            ];
            /// Products of integers.
            typed Integers [
                crate::blas::gemm::int8::int8_ops
            ];
            /// Conversions of `f16` and `bf16` (feature `half`): a GPU has them as a part of its loads and stores.
            host_typed Conversions #[cfg(feature = "half")] [
                crate::conversions::conversions_ops
            ];
            /// Ops on `f16` and `bf16` (feature `half`): not part of [`Backend`](super::Backend), whose methods no feature changes.
            typed Halves #[cfg(feature = "half")] [
                crate::blas::gemm::typed::half_ops
                crate::nn::attention::typed::half_ops
            ];
            /// What has no method: numbers of one call, ops on a unit of some CPUs, and further functions of ops.
            forms Others [
                crate::blas::gemm::typed::amx_ops
                crate::blas::gemm::typed::half_amx_ops
                crate::blas::rotation::rotation_forms
                crate::nn::rope::rope_forms
                crate::solve::batched::batched_forms
                crate::sparse::bsr::bsr_forms
                crate::sparse::colors::colors_forms
                crate::sparse::dia::dia_forms
                crate::sparse::sell::sell_forms
            ];
        }
    };
}
pub(crate) use for_each_family;
