//! The list of all ops. Tests, benches, fuzzing and the checks of contracts are generated from it.
//!
//! A row is `shape name(…functions…) Body[parameters] family, gpu form;`, with `_` where no body makes the op's forms: the signature of
//! such an op stands beside its body, in a row of `src/forms.rs`. The shapes are
//!
//! | shape | call |
//! |---|---|
//! | `unary` | `op(x, …parameters, out)`, `op_in_place(x, …)` |
//! | `binary` | `op(a, b, …parameters, out)`, `op_in_place(a, b, …)` |
//! | `ternary` | `op(a, b, c, out)` |
//! | `update` | `op(…parameters, x, y)`: over `y` |
//! | `total` | `op(x) -> T`: has a value for nothing |
//! | `reduce` | `op(x) -> Result<T>` |
//! | `reduce2` | `op(a, b) -> Result<T>` |
//! | `arg` | `op(x) -> Result<usize>` |
//! | `select` | `op(x, k, values, indices)` |
//! | `rows` | `op(x, cols, out)`, `op_in_place(x, cols)` |
//! | `rows_eps` | `op(x, cols, eps, out)`, `op_in_place(x, cols, eps)` |
//! | `rows_scale` | `op(x, gamma, eps, out)`, `op_in_place(x, gamma, eps)` |
//! | `rows_affine` | `op(x, gamma, beta, eps, out)`, `op_in_place(x, gamma, beta, eps)` |
//! | `convert` | `op(x, out)` between element types, under the feature `half` |
//! | `gemm` | `op(alpha, a, b, beta, c, workspace)` on views of matrices: over `c` |
//! | `blas` | its own, on views of matrices and vectors |
//! | `nn` | its own, on slices and views, with sizes, indices and words |
//! | `quant` | its own, on blocks of a format (`quant::Block`), on fixed point (`fixed::Fixed`), on bytes or on images |
//! | `random` | its own, on a `random::Stream` and what it fills |
//! | `mixed` | as `gemm`, with A and B of another element type than C, or on a unit that is not lanes |
//!
//! Parameters are written by name, with the value that generic tests and benches use; nothing else uses it. Each shape has its
//! functions in the order `op, op_on[, op_in_place]`; the contract of `op` is `contracts/<op>-v1.yaml`.
//! The GPU form is the template that a device runs it with (`pointwise`, `reduce`, `row_reduce`, `gemm`, `low_precision`, or `layer`:
//! kernels of its own), `cuda: "why no other"`, of its own for CUDA alone, or `host: "reason"`.

mod name;
mod signature;

pub use name::OpName;
pub use signature::{Argument, Kind, Signature, signatures};

/// Calls the macro `$cb` with all rows.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_op {
    ($cb:ident $($args:tt)*) => {
        $cb! { $($args)*
            unary neg(neg, neg_on, neg_in_place) Neg[] arithmetic, pointwise;
            unary abs(abs, abs_on, abs_in_place) Abs[] arithmetic, pointwise;
            unary recip(recip, recip_on, recip_in_place) Recip[] arithmetic, pointwise;
            unary sqrt(sqrt, sqrt_on, sqrt_in_place) Sqrt[] arithmetic, pointwise;
            unary square(square, square_on, square_in_place) Square[] arithmetic, pointwise;
            unary scale(scale, scale_on, scale_in_place) Scale[alpha: 1.5] arithmetic, pointwise;
            unary clamp(clamp, clamp_on, clamp_in_place) Clamp[lo: -0.75, hi: 1.25] arithmetic, pointwise;
            binary add(add, add_on, add_in_place) Add[] arithmetic, pointwise;
            binary sub(sub, sub_on, sub_in_place) Sub[] arithmetic, pointwise;
            binary mul(mul, mul_on, mul_in_place) Mul[] arithmetic, pointwise;
            binary div(div, div_on, div_in_place) Div[] arithmetic, pointwise;
            binary copysign(copysign, copysign_on, copysign_in_place) Copysign[] arithmetic, pointwise;
            binary minimum(minimum, minimum_on, minimum_in_place) Minimum[] arithmetic, pointwise;
            binary maximum(maximum, maximum_on, maximum_in_place) Maximum[] arithmetic, pointwise;
            binary lerp(lerp, lerp_on, lerp_in_place) Lerp[t: 0.25] arithmetic, pointwise;
            update axpy(axpy, axpy_on) Axpy[alpha: 1.5] arithmetic, pointwise;
            ternary fma(fma, fma_on) Fma[] arithmetic, pointwise;
            binary less(less, less_on, less_in_place) Less[] comparison, pointwise;
            binary less_equal(less_equal, less_equal_on, less_equal_in_place) LessEqual[] comparison, pointwise;
            binary equal(equal, equal_on, equal_in_place) Equal[] comparison, pointwise;
            ternary select(select, select_on) Select[] comparison, pointwise;

            unary floor(floor, floor_on, floor_in_place) Floor[] rounding, pointwise;
            unary ceil(ceil, ceil_on, ceil_in_place) Ceil[] rounding, pointwise;
            unary trunc(trunc, trunc_on, trunc_in_place) Trunc[] rounding, pointwise;
            unary round(round, round_on, round_in_place) Round[] rounding, pointwise;
            unary round_ties_even(round_ties_even, round_ties_even_on, round_ties_even_in_place) RoundTiesEven[] rounding, pointwise;
            unary fract(fract, fract_on, fract_in_place) Fract[] rounding, pointwise;
            unary sign(sign, sign_on, sign_in_place) Sign[] rounding, pointwise;

            unary ln(ln, ln_on, ln_in_place) Ln[] logarithmic, pointwise;
            unary ln_1p(ln_1p, ln_1p_on, ln_1p_in_place) Ln1p[] logarithmic, pointwise;
            unary log2(log2, log2_on, log2_in_place) Log2[] logarithmic, pointwise;
            unary log10(log10, log10_on, log10_in_place) Log10[] logarithmic, pointwise;
            binary pow(pow, pow_on, pow_in_place) Pow[] logarithmic, pointwise;
            unary pow_scalar(pow_scalar, pow_scalar_on, pow_scalar_in_place) PowScalar[y: 2.5] logarithmic, pointwise;

            unary sin(sin, sin_on, sin_in_place) Sin[] trigonometric, pointwise;
            unary cos(cos, cos_on, cos_in_place) Cos[] trigonometric, pointwise;
            unary tan(tan, tan_on, tan_in_place) Tan[] trigonometric, pointwise;
            unary asin(asin, asin_on, asin_in_place) Asin[] trigonometric, pointwise;
            unary acos(acos, acos_on, acos_in_place) Acos[] trigonometric, pointwise;
            unary atan(atan, atan_on, atan_in_place) Atan[] trigonometric, pointwise;
            unary asinh(asinh, asinh_on, asinh_in_place) Asinh[] trigonometric, pointwise;
            unary acosh(acosh, acosh_on, acosh_in_place) Acosh[] trigonometric, pointwise;
            unary atanh(atanh, atanh_on, atanh_in_place) Atanh[] trigonometric, pointwise;

            convert f16_to_f32(f16_to_f32, f16_to_f32_on) _[] conversion, host: "one instruction of a GPU, part of its loads and stores";
            convert f32_to_f16(f32_to_f16, f32_to_f16_on) _[] conversion, host: "one instruction of a GPU, part of its loads and stores";
            convert bf16_to_f32(bf16_to_f32, bf16_to_f32_on) _[] conversion, host: "one instruction of a GPU, part of its loads and stores";
            convert f32_to_bf16(f32_to_bf16, f32_to_bf16_on) _[] conversion, host: "one instruction of a GPU, part of its loads and stores";

            total sum(sum, sum_on) _[] reduction, reduce;
            total sum_kahan(sum_kahan, sum_kahan_on) _[] reduction, reduce;
            total sum_of_squares(sum_of_squares, sum_of_squares_on) _[] reduction, reduce;
            total norm_l1(norm_l1, norm_l1_on) _[] reduction, reduce;
            total norm_l2(norm_l2, norm_l2_on) _[] reduction, reduce;
            total norm_linf(norm_linf, norm_linf_on) _[] reduction, reduce;
            reduce2 euclidean_distance(euclidean_distance, euclidean_distance_on) _[] reduction, reduce;
            reduce2 cosine_similarity(cosine_similarity, cosine_similarity_on) _[] reduction, reduce;
            total prod(prod, prod_on) _[] reduction, reduce;
            total logsumexp(logsumexp, logsumexp_on) _[] reduction, reduce;
            reduce2 dot(dot, dot_on) _[] reduction, reduce;
            reduce max(max, max_on) _[] reduction, reduce;
            reduce min(min, min_on) _[] reduction, reduce;
            reduce mean(mean, mean_on) _[] statistics, reduce;
            reduce variance(variance, variance_on) _[] statistics, reduce;
            reduce stddev(stddev, stddev_on) _[] statistics, reduce;
            reduce2 covariance(covariance, covariance_on) _[] statistics, reduce;
            reduce2 correlation(correlation, correlation_on) _[] statistics, reduce;
            arg argmax(argmax, argmax_on) _[] selection, reduce;
            arg argmin(argmin, argmin_on) _[] selection, reduce;
            select top_k(top_k, top_k_on) _[] selection, layer;
            arg argmax_last(argmax_last, argmax_last_on) _[] selection, reduce;
            arg argmin_last(argmin_last, argmin_last_on) _[] selection, reduce;
            select bottom_k(bottom_k, bottom_k_on) _[] selection, layer;

            rows softmax(softmax, softmax_on, softmax_in_place) Softmax[] normalisation, row_reduce;
            rows log_softmax(log_softmax, log_softmax_on, log_softmax_in_place) LogSoftmax[] normalisation, row_reduce;
            rows_affine layer_norm(layer_norm, layer_norm_on, layer_norm_in_place) LayerNorm[] normalisation, row_reduce;
            rows_eps layer_norm_simple(layer_norm_simple, layer_norm_simple_on, layer_norm_simple_in_place) LayerNormSimple[] normalisation, row_reduce;
            rows_scale rms_norm(rms_norm, rms_norm_on, rms_norm_in_place) RmsNorm[] normalisation, row_reduce;
            rows normalize(normalize, normalize_on, normalize_in_place) Normalize[] normalisation, row_reduce;
            rows zscore(zscore, zscore_on, zscore_in_place) Zscore[] normalisation, row_reduce;
            rows minmax_normalize(minmax_normalize, minmax_normalize_on, minmax_normalize_in_place) MinmaxNormalize[] normalisation, row_reduce;

            nn swiglu_packed(swiglu_packed, swiglu_packed_on) _[] gating, layer;
            nn swiglu_packed_backward(swiglu_packed_backward, swiglu_packed_backward_on) _[] gating, layer;
            nn rms_norm_residual(rms_norm_residual, rms_norm_residual_on) _[] normalisation, layer;
            nn rms_norm_backward(rms_norm_backward, rms_norm_backward_on) _[] normalisation, layer;
            nn rms_norm_residual_backward(rms_norm_residual_backward, rms_norm_residual_backward_on) _[] normalisation, layer;
            nn layer_norm_backward(layer_norm_backward, layer_norm_backward_on) _[] normalisation, layer;
            nn cross_entropy(cross_entropy, cross_entropy_on) _[] loss, layer;
            nn cross_entropy_backward(cross_entropy_backward, cross_entropy_backward_on, cross_entropy_backward_in_place) _[] loss, layer;
            nn cross_entropy_with_gradient(cross_entropy_with_gradient, cross_entropy_with_gradient_on) _[] loss, layer;
            nn nll(nll, nll_on) _[] loss, layer;
            nn nll_backward(nll_backward, nll_backward_on) _[] loss, layer;
            nn cumsum(cumsum, cumsum_on) _[] scan, layer;
            nn cosine_similarity_rows(cosine_similarity_rows, cosine_similarity_rows_on) _[] reduction, layer;
            nn u8_to_float(u8_to_float, u8_to_float_on) _[] conversion, layer;
            nn i16_to_float(i16_to_float, i16_to_float_on) _[] conversion, layer;
            nn embedding(embedding, embedding_on) _[] indexing, layer;
            nn scatter(scatter, scatter_on) _[] indexing, layer;
            nn scatter_add(scatter_add, scatter_add_on) _[] indexing, layer;
            nn sample(sample, sample_on) _[] selection, host: "one choice is the host's: its index and its refusals depend on the data";
            nn softmax_backward(softmax_backward, softmax_backward_on) _[] normalisation, layer;
            nn log_softmax_backward(log_softmax_backward, log_softmax_backward_on) _[] normalisation, layer;
            nn masked_softmax(masked_softmax, masked_softmax_on) _[] normalisation, layer;
            nn conv1d(conv1d, conv1d_on) _[] convolution, layer;
            nn conv1d_backward_input(conv1d_backward_input, conv1d_backward_input_on) _[] convolution, layer;
            nn conv1d_backward_weights(conv1d_backward_weights, conv1d_backward_weights_on) _[] convolution, layer;
            nn conv2d(conv2d, conv2d_on) _[] convolution, layer;
            nn conv2d_backward_input(conv2d_backward_input, conv2d_backward_input_on) _[] convolution, layer;
            nn conv2d_backward_weights(conv2d_backward_weights, conv2d_backward_weights_on) _[] convolution, layer;
            nn max_pool(max_pool, max_pool_on) _[] pooling, layer;
            nn max_pool_indices(max_pool_indices, max_pool_indices_on) _[] pooling, layer;
            nn max_pool_backward(max_pool_backward, max_pool_backward_on) _[] pooling, layer;
            nn avg_pool(avg_pool, avg_pool_on) _[] pooling, layer;
            nn avg_pool_backward(avg_pool_backward, avg_pool_backward_on) _[] pooling, layer;
            nn sgd(sgd, sgd_on) _[] optimiser, layer;
            nn momentum(momentum, momentum_on) _[] optimiser, layer;
            nn adagrad(adagrad, adagrad_on) _[] optimiser, layer;
            nn adam(adam, adam_on) _[] optimiser, layer;
            nn adamw(adamw, adamw_on) _[] optimiser, layer;
            nn clip_by_norm(clip_by_norm, clip_by_norm_on) _[] optimiser, layer;

            gemm gemm(gemm, gemm_on) _[] blas, gemm;
            nn gemm_backward_a(gemm_backward_a, gemm_backward_a_on) _[] blas, layer;
            nn gemm_backward_b(gemm_backward_b, gemm_backward_b_on) _[] blas, layer;
            mixed gemm_bf16(gemm_bf16, gemm_bf16_on) _[] blas, low_precision;
            mixed gemm_bf16_amx(gemm_bf16_amx) _[] blas, host: "AMX, a unit of x86 CPUs; a GPU has its own, which gemm is to use";
            mixed gemm_f16(gemm_f16, gemm_f16_on) _[] blas, low_precision;
            mixed gemm_e4m3(gemm_e4m3, gemm_e4m3_on) _[] blas, low_precision;
            mixed gemm_i8(gemm_i8, gemm_i8_on) _[] blas, low_precision;
            mixed gemm_u8(gemm_u8, gemm_u8_on) _[] blas, low_precision;
            mixed gemm_f32_amx3(gemm_f32_amx3) _[] blas, host: "AMX, a unit of x86 CPUs; a GPU has its own, which gemm is to use";
            blas gemv(gemv, gemv_on) _[] blas, layer;
            blas ger(ger, ger_on) _[] blas, layer;
            blas syr(syr, syr_on) _[] blas, layer;
            blas syr2(syr2, syr2_on) _[] blas, layer;
            blas symv(symv, symv_on) _[] blas, layer;
            blas trmv(trmv, trmv_on) _[] blas, layer;
            blas trsv(trsv, trsv_on) _[] blas, layer;
            blas symm(symm, symm_on) _[] blas, layer;
            blas syrk(syrk, syrk_on) _[] blas, layer;
            blas syr2k(syr2k, syr2k_on) _[] blas, layer;
            blas trmm(trmm, trmm_on) _[] blas, layer;
            blas trsm(trsm, trsm_on) _[] blas, layer;
            blas swap(swap, swap_on) _[] blas, layer;
            blas copy(copy, copy_on) _[] blas, layer;
            blas scal(scal, scal_on) _[] blas, layer;
            blas axpy_strided(axpy_strided, axpy_strided_on) _[] blas, layer;
            blas dot_strided(dot_strided, dot_strided_on) _[] blas, layer;
            blas nrm2(nrm2, nrm2_on) _[] blas, layer;
            blas asum(asum, asum_on) _[] blas, layer;
            blas iamax(iamax, iamax_on) _[] blas, layer;
            blas rot(rot, rot_on) _[] blas, layer;
            blas rotm(rotm, rotm_on) _[] blas, layer;
            blas rotg(rotg, rotg_on) _[] blas, host: "a few numbers of one call";
            blas rotmg(rotmg, rotmg_on) _[] blas, host: "a few numbers of one call";
            blas transpose(transpose, transpose_on) _[] blas, layer;

            nn fft(fft, fft_on, fft_in_place) _[] transform, layer;
            nn rfft(rfft, rfft_on) _[] transform, layer;
            nn irfft(irfft, irfft_on) _[] transform, layer;
            nn fft_rows(fft_rows, fft_rows_on) _[] transform, layer;
            nn fft_2d(fft_2d, fft_2d_on) _[] transform, layer;
            nn fft_3d(fft_3d, fft_3d_on) _[] transform, layer;
            nn stft(stft, stft_on) _[] transform, layer;
            nn gemm_complex(gemm_complex, gemm_complex_on) _[] blas, layer;
            nn gemv_complex(gemv_complex, gemv_complex_on) _[] blas, layer;
            nn dot_complex(dot_complex, dot_complex_on) _[] blas, layer;
            nn axpy_complex(axpy_complex, axpy_complex_on) _[] blas, layer;
            nn scal_complex(scal_complex, scal_complex_on) _[] blas, layer;
            nn nrm2_complex(nrm2_complex, nrm2_complex_on) _[] blas, layer;
            nn asum_complex(asum_complex, asum_complex_on) _[] blas, layer;
            nn mul_complex(mul_complex, mul_complex_on) _[] blas, layer;
            nn abs_complex(abs_complex, abs_complex_on) _[] blas, layer;
            nn arg_complex(arg_complex, arg_complex_on) _[] blas, layer;
            nn interleave(interleave, interleave_on) _[] blas, layer;
            nn deinterleave(deinterleave, deinterleave_on) _[] blas, layer;
            nn dct(dct, dct_on) _[] transform, layer;
            nn convolve(convolve, convolve_on) _[] filter, layer;
            nn convolve_complex(convolve_complex, convolve_complex_on) _[] filter, layer;
            nn fir_fft(fir_fft, fir_fft_on) _[] filter, layer;
            nn fir(fir, fir_on) _[] filter, layer;
            nn biquad(biquad, biquad_on) _[] filter, host: "one result needs the one before";
            nn cholesky(cholesky, cholesky_on) _[] solve, layer;
            nn cholesky_solve(cholesky_solve, cholesky_solve_on) _[] solve, layer;
            nn lu(lu, lu_on) _[] solve, layer;
            nn lu_solve(lu_solve, lu_solve_on) _[] solve, layer;
            nn determinant(determinant, determinant_on) _[] solve, layer;
            nn qr(qr, qr_on) _[] solve, layer;
            nn qr_apply(qr_apply, qr_apply_on) _[] solve, layer;
            nn least_squares(least_squares, least_squares_on) _[] solve, layer;
            nn qr_pivoted(qr_pivoted, qr_pivoted_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn least_norm(least_norm, least_norm_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn inverse(inverse, inverse_on) _[] solve, layer;
            nn lu_condition(lu_condition, lu_condition_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn cholesky_update(cholesky_update, cholesky_update_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn ldlt(ldlt, ldlt_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn ldlt_solve(ldlt_solve, ldlt_solve_on) _[] solve, layer;
            nn lu_refine(lu_refine, lu_refine_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn cholesky_refine(cholesky_refine, cholesky_refine_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn eigh(eigh, eigh_on) _[] solve, layer;
            nn eigh_generalized(eigh_generalized, eigh_generalized_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn eig(eig, eig_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn schur(schur, schur_on) _[] solve, host: "what it refuses (NaN, a pivot of 0) it must know before its first write, which only reading the data tells";
            nn svd(svd, svd_on) _[] solve, layer;
            nn spmv(spmv, spmv_on) _[] sparse, layer;
            nn cg(cg, cg_on) _[] sparse, host: "the host decides after each step whether there is another; spmv, dot_strided and axpy are its parts on a device";
            nn ilu0(ilu0, ilu0_on) _[] sparse, host: "a row needs the rows before it, as the pattern says: there is seldom work for more than a few threads";
            nn spmm(spmm, spmm_on) _[] sparse, layer;
            nn spmv_transposed(spmv_transposed, spmv_transposed_on) _[] sparse, layer;
            nn spsv(spsv, spsv_on) _[] sparse, host: "a row needs the rows before it, as the pattern says: there is seldom work for more than a few threads";
            nn coo_to_csr(coo_to_csr, coo_to_csr_on) _[] sparse, host: "how many elements a result has the host must know before its memory is there";
            nn csr_transpose(csr_transpose, csr_transpose_on) _[] sparse, layer;
            nn spgemm(spgemm, spgemm_on) _[] sparse, layer;
            nn spadd(spadd, spadd_on) _[] sparse, host: "how many elements a result has the host must know before its memory is there";
            nn sddmm(sddmm, sddmm_on) _[] sparse, layer;
            nn ic0(ic0, ic0_on) _[] sparse, host: "a row needs the rows before it, as the pattern says: there is seldom work for more than a few threads";
            nn gauss_seidel(gauss_seidel, gauss_seidel_on) _[] sparse, host: "a row needs the rows before it, as the pattern says: there is seldom work for more than a few threads";
            nn gmres(gmres, gmres_on) _[] sparse, host: "the host decides after each step whether there is another; spmv, dot_strided and axpy are its parts on a device";
            nn lobpcg(lobpcg, lobpcg_on) _[] sparse, host: "the host decides after each step whether there is another; spmv, dot_strided and axpy are its parts on a device";
            nn bicgstab(bicgstab, bicgstab_on) _[] sparse, host: "the host decides after each step whether there is another; spmv, dot_strided and axpy are its parts on a device";
            nn einsum(einsum, einsum_on) _[] contraction, layer;
            nn pad(pad, pad_on) _[] indexing, layer;
            nn gather(gather, gather_on) _[] indexing, layer;
            nn gather_elements(gather_elements, gather_elements_on) _[] indexing, layer;
            nn scatter_add_elements(scatter_add_elements, scatter_add_elements_on) _[] indexing, layer;

            quant dequantize(dequantize, dequantize_on) _[] quantisation, layer;
            quant quantize(quantize, quantize_on) _[] quantisation, host: "weights, once, when they are made; activations have a kernel, which cannot refuse: `Gpu::quantize`";
            quant quantize_padded(quantize_padded, quantize_padded_on) _[] quantisation, host: "once, when weights are made; what it refuses depends on the data";
            quant dequantize_padded(dequantize_padded, dequantize_padded_on) _[] quantisation, layer;
            quant quantize_absmax(quantize_absmax, quantize_absmax_on) _[] quantisation, host: "once, when weights are loaded";
            quant dequantize_absmax(dequantize_absmax, dequantize_absmax_on) _[] quantisation, host: "once, when weights are loaded";
            quant quant_dot(quant_dot, quant_dot_on) _[] quantisation, layer;
            quant quant_gemv(quant_gemv, quant_gemv_on) _[] quantisation, layer;
            quant quant_gemm(quant_gemm, quant_gemm_on) _[] quantisation, layer;
            quant quant_rows(quant_rows, quant_rows_on) _[] quantisation, layer;

            quant lz4_compress(lz4_compress, lz4_compress_on) _[] compression, cuda: "WGSL writes words, and its warps do not vote";
            quant lz4_decompress(lz4_decompress, lz4_decompress_on) _[] compression, cuda: "WGSL writes words, and its warps do not vote";

            quant fixed_dot(fixed_dot, fixed_dot_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_gemv(fixed_gemv, fixed_gemv_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_softmax(fixed_softmax, fixed_softmax_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_relu(fixed_relu, fixed_relu_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_sigmoid(fixed_sigmoid, fixed_sigmoid_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_tanh(fixed_tanh, fixed_tanh_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_fir(fixed_fir, fixed_fir_on) _[] fixed, host: "for firmware, which has no GPU";
            quant fixed_biquad(fixed_biquad, fixed_biquad_on) _[] fixed, host: "for firmware, which has no GPU";

            quant resize(resize, resize_on) _[] image, layer;
            quant correlate_separable(correlate_separable, correlate_separable_on) _[] image, layer;
            quant sobel(sobel, sobel_on) _[] image, layer;
            quant canny(canny, canny_on) _[] image, host: "one thread follows the connected edges";
            quant gaussian(gaussian, gaussian_on) _[] image, layer;
            quant box_filter(box_filter, box_filter_on) _[] image, layer;
            quant median(median, median_on) _[] image, layer;
            quant erode(erode, erode_on) _[] image, layer;
            quant dilate(dilate, dilate_on) _[] image, layer;
            quant histogram(histogram, histogram_on) _[] image, layer;
            quant otsu(otsu, otsu_on) _[] image, host: "it compares 256 numbers, in 128 bits";
            quant threshold_image(threshold_image, threshold_image_on) _[] image, layer;
            quant equalize(equalize, equalize_on) _[] image, layer;
            quant integral(integral, integral_on) _[] image, host: "no kernel was written for it";
            quant grey(grey, grey_on) _[] image, layer;
            quant rgb_to_bgr(rgb_to_bgr, rgb_to_bgr_on) _[] image, layer;
            quant rgb_to_hsv(rgb_to_hsv, rgb_to_hsv_on) _[] image, layer;
            quant nv12_to_rgb(nv12_to_rgb, nv12_to_rgb_on) _[] image, layer;
            quant rgb_to_tensor(rgb_to_tensor, rgb_to_tensor_on) _[] image, layer;
            quant nv12_to_tensor(nv12_to_tensor, nv12_to_tensor_on) _[] image, layer;
            quant flip(flip, flip_on) _[] image, layer;
            quant rotate90(rotate90, rotate90_on) _[] image, layer;
            quant warp_affine(warp_affine, warp_affine_on) _[] image, layer;
            quant remap(remap, remap_on) _[] image, layer;
            quant distance_transform(distance_transform, distance_transform_on) _[] image, layer;

            random random_bits(random_bits, random_bits_on) _[] random, layer;
            random uniform(uniform, uniform_on) _[] random, layer;
            random normal(normal, normal_on) _[] random, layer;
            random exponential(exponential, exponential_on) _[] random, layer;
            random truncated_normal(truncated_normal, truncated_normal_on) _[] random, host: "its tries are in f64 for every type, which not every device has";
            random integers(integers, integers_on) _[] random, layer;
            random bernoulli(bernoulli, bernoulli_on) _[] random, layer;
            random shuffle(shuffle, shuffle_on) _[] random, host: "one exchange needs those before it";
            random permutation(permutation, permutation_on) _[] random, host: "one exchange needs those before it";

            nn rope(rope, rope_on, rope_in_place) _[] embedding, layer;
            nn rope_backward(rope_backward, rope_backward_on, rope_backward_in_place) _[] embedding, layer;
            nn rope_view(rope_view, rope_view_on) _[] embedding, layer;
            nn attention(attention, attention_on) _[] attention, layer;
            quant attention_bf16(attention_bf16, attention_bf16_on) _[] attention, low_precision;
            quant attention_bf16_backward(attention_bf16_backward, attention_bf16_backward_on) _[] attention, low_precision;
            quant attention_decode(attention_decode, attention_decode_on) _[] attention, layer;
            nn attention_backward(attention_backward, attention_backward_on) _[] attention, layer;

            unary exp(exp, exp_on, exp_in_place) Exp[] transcendental, pointwise;
            unary exp2(exp2, exp2_on, exp2_in_place) Exp2[] transcendental, pointwise;
            unary exp_m1(exp_m1, exp_m1_on, exp_m1_in_place) ExpM1[] transcendental, pointwise;
            unary sinh(sinh, sinh_on, sinh_in_place) Sinh[] transcendental, pointwise;
            unary cosh(cosh, cosh_on, cosh_in_place) Cosh[] transcendental, pointwise;
            unary tanh(tanh, tanh_on, tanh_in_place) Tanh[] transcendental, pointwise;
            unary erf(erf, erf_on, erf_in_place) Erf[] transcendental, pointwise;
            unary approx_exp(approx_exp, approx_exp_on, approx_exp_in_place) ApproxExp[] transcendental, pointwise;
            unary approx_tanh(approx_tanh, approx_tanh_on, approx_tanh_in_place) ApproxTanh[] transcendental, pointwise;

            unary relu(relu, relu_on, relu_in_place) Relu[] activation, pointwise;
            unary leaky_relu(leaky_relu, leaky_relu_on, leaky_relu_in_place) LeakyRelu[alpha: 0.25] activation, pointwise;
            unary elu(elu, elu_on, elu_in_place) Elu[alpha: 1.5] activation, pointwise;
            unary celu(celu, celu_on, celu_in_place) Celu[alpha: 1.5] activation, pointwise;
            unary selu(selu, selu_on, selu_in_place) Selu[] activation, pointwise;
            binary prelu(prelu, prelu_on, prelu_in_place) Prelu[] activation, pointwise;
            unary threshold(threshold, threshold_on, threshold_in_place) Threshold[threshold: 0.5, value: -0.25] activation, pointwise;
            unary sigmoid(sigmoid, sigmoid_on, sigmoid_in_place) Sigmoid[] activation, pointwise;
            unary silu(silu, silu_on, silu_in_place) Silu[] activation, pointwise;
            unary gelu(gelu, gelu_on, gelu_in_place) Gelu[] activation, pointwise;
            unary gelu_erf(gelu_erf, gelu_erf_on, gelu_erf_in_place) GeluErf[] activation, pointwise;
            unary softplus(softplus, softplus_on, softplus_in_place) Softplus[] activation, pointwise;
            unary hard_sigmoid(hard_sigmoid, hard_sigmoid_on, hard_sigmoid_in_place) HardSigmoid[] activation, pointwise;
            unary hardswish(hardswish, hardswish_on, hardswish_in_place) Hardswish[] activation, pointwise;
            unary mish(mish, mish_on, mish_in_place) Mish[] activation, pointwise;
            unary approx_sigmoid(approx_sigmoid, approx_sigmoid_on, approx_sigmoid_in_place) ApproxSigmoid[] activation, pointwise;
            unary approx_gelu(approx_gelu, approx_gelu_on, approx_gelu_in_place) ApproxGelu[] activation, pointwise;
            unary softsign(softsign, softsign_on, softsign_in_place) Softsign[] activation, pointwise;
            binary swiglu(swiglu, swiglu_on, swiglu_in_place) Swiglu[] gating, pointwise;
            binary geglu(geglu, geglu_on, geglu_in_place) Geglu[] gating, pointwise;
            binary relu_backward(relu_backward, relu_backward_on, relu_backward_in_place) ReluBackward[] activation, pointwise;
            binary leaky_relu_backward(leaky_relu_backward, leaky_relu_backward_on, leaky_relu_backward_in_place) LeakyReluBackward[alpha: 0.25] activation, pointwise;
            binary sigmoid_backward(sigmoid_backward, sigmoid_backward_on, sigmoid_backward_in_place) SigmoidBackward[] activation, pointwise;
            binary tanh_backward(tanh_backward, tanh_backward_on, tanh_backward_in_place) TanhBackward[] activation, pointwise;
            binary silu_backward(silu_backward, silu_backward_on, silu_backward_in_place) SiluBackward[] activation, pointwise;
            binary gelu_backward(gelu_backward, gelu_backward_on, gelu_backward_in_place) GeluBackward[] activation, pointwise;
        }
    };
}

/// How a GPU runs an op.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gpu {
    /// By a template that is filled with the op's body.
    Template(&'static str),
    /// By kernels of its own on CUDA and the interpreter; other devices have not what they take, for this reason.
    Cuda(&'static str),
    /// Not there: on the host, for this reason.
    Host(&'static str),
}

/// One row of the list.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Op {
    /// The name of the function.
    pub name: &'static str,
    /// The shape of the call; see the module's table.
    pub shape: &'static str,
    /// The family it belongs to.
    pub family: &'static str,
    /// How a GPU runs it.
    pub gpu: Gpu,
    /// The functions of the root of the crate.
    pub functions: &'static [&'static str],
    /// The values of parameters that generic tests use.
    pub parameters: &'static [f64],
}

/// Words of the list, so that no row has another.
#[allow(non_upper_case_globals, reason = "as the rows spell them")]
mod words {
    macro_rules! words {
        ($($name:ident)*) => { $(pub(in crate::ops) const $name: &str = stringify!($name);)* };
    }
    words! {
        unary binary ternary update total reduce reduce2 arg select rows rows_eps rows_scale rows_affine convert gemm blas nn quant
        random mixed
    }
    /// Families.
    pub(super) mod family {
        words! {
            activation arithmetic attention blas comparison compression contraction conversion convolution
            embedding filter fixed gating image indexing logarithmic loss normalisation optimiser
            pooling quantisation random reduction rounding scan selection solve sparse
            statistics transcendental transform trigonometric
        }
    }
    /// How devices run ops.
    pub(super) mod template {
        words! { pointwise reduce row_reduce gemm low_precision layer }
    }
}

macro_rules! table {
    (@gpu host: $why:literal) => { Gpu::Host($why) };
    (@gpu cuda: $why:literal) => { Gpu::Cuda($why) };
    (@gpu $template:ident) => { Gpu::Template(words::template::$template) };
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// Every op of the crate.
        pub const OPS: &[Op] = &[$(Op {
            name: stringify!($name),
            shape: words::$shape,
            family: words::family::$family,
            gpu: table!(@gpu $gpu $(: $why)?),
            functions: &[$(stringify!($f)),*],
            parameters: &[$($p),*],
        }),*];
    };
}
for_each_op!(table);
