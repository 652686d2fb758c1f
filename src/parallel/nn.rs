//! Ops on rows of several matrices: whole rows on different threads.

use super::Threads;
use super::blas::threaded;
use crate::blas::complex::gemm_complex_by;
use crate::blas::gemm::{gemm_backward_a_by, gemm_backward_b_by};
use crate::fft::{
    convolve_by, convolve_complex_by, dct_by, fft_2d_by, fft_3d_by, fft_by, fft_in_place_by, fft_rows_by,
    fir_fft_by, irfft_by, rfft_by, stft_by,
};
use crate::lanes::{Simd, native};
use crate::nn::*;
use crate::pointwise::*;
use crate::{
    Adagrad, Adam, Complex, ComplexConvolver, Conjugate, Convolver, Dct, Direction, Element, Error, Extent,
    Fft, MatMut, MatRef, Momentum, Nll, RealFft,
};

threaded! {
    swiglu_packed swiglu_packed_on swiglu_packed_by (x: &[T], cols: usize, out: &mut [T]);
    swiglu_packed_backward swiglu_packed_backward_on swiglu_packed_backward_by
        (x: &[T], dy: &[T], cols: usize, dx: &mut [T]);
    rms_norm_residual rms_norm_residual_on rms_norm_residual_by
        (x: &[T], residual: &mut [T], gamma: &[T], eps: T, out: &mut [T]);
    cross_entropy cross_entropy_on cross_entropy_by
        (logits: &[T], targets: &[u32], cols: usize, losses: &mut [T], lse: &mut [T]);
    cross_entropy_backward cross_entropy_backward_on cross_entropy_backward_by
        (logits: &[T], targets: &[u32], lse: &[T], cols: usize, scale: T, dlogits: &mut [T]);
    cross_entropy_backward_in_place cross_entropy_backward_in_place_on cross_entropy_backward_in_place_by
        (logits: &mut [T], targets: &[u32], lse: &[T], cols: usize, scale: T);
    cross_entropy_with_gradient cross_entropy_with_gradient_on cross_entropy_with_gradient_by
        (logits: &mut [T], targets: &[u32], cols: usize, scale: T, losses: &mut [T]);
    embedding embedding_on embedding_by (table: &[T], cols: usize, ids: &[u32], out: &mut [T]);
    rope rope_on rope_by (x: &[T], dim: usize, cos: &[T], sin: &[T], style: RopeStyle, out: &mut [T]);
    rope_in_place rope_in_place_on rope_in_place_by (x: &mut [T], dim: usize, cos: &[T], sin: &[T], style: RopeStyle);
    rope_backward rope_backward_on rope_backward_by
        (x: &[T], dim: usize, cos: &[T], sin: &[T], style: RopeStyle, out: &mut [T]);
    rope_backward_in_place rope_backward_in_place_on rope_backward_in_place_by
        (x: &mut [T], dim: usize, cos: &[T], sin: &[T], style: RopeStyle);
    softmax_backward softmax_backward_on softmax_backward_by (y: &[T], dy: &[T], cols: usize, dx: &mut [T]);
    log_softmax_backward log_softmax_backward_on log_softmax_backward_by
        (y: &[T], dy: &[T], cols: usize, dx: &mut [T]);
    ///
    /// Channels are on different threads, or parts of a group's product.
    conv1d conv1d_on conv1d_by
        (conv: Conv1d, x: &[T], weights: &[T], bias: Option<&[T]>, out: &mut [T], workspace: &mut [T]);
    ///
    /// As [`conv1d`].
    conv1d_backward_input conv1d_backward_input_on conv1d_backward_input_by
        (conv: Conv1d, dy: &[T], weights: &[T], dx: &mut [T], workspace: &mut [T]);
    ///
    /// As [`conv1d`].
    conv1d_backward_weights conv1d_backward_weights_on conv1d_backward_weights_by
        (conv: Conv1d, x: &[T], dy: &[T], dweights: &mut [T], dbias: Option<&mut [T]>, workspace: &mut [T]);
    max_pool max_pool_on max_pool_by (x: &[T], pool: Pool, out: &mut [T]);
    max_pool_indices max_pool_indices_on max_pool_indices_by
        (x: &[T], pool: Pool, out: &mut [T], indices: &mut [u32]);
    max_pool_backward max_pool_backward_on max_pool_backward_by (x: &[T], dy: &[T], pool: Pool, dx: &mut [T]);
    avg_pool avg_pool_on avg_pool_by (x: &[T], pool: Pool, count_padding: bool, out: &mut [T]);
    avg_pool_backward avg_pool_backward_on avg_pool_backward_by
        (dy: &[T], pool: Pool, count_padding: bool, dx: &mut [T]);
    masked_softmax masked_softmax_on masked_softmax_by (x: &[T], mask: &[T], cols: usize, out: &mut [T]);
    sgd sgd_on sgd_by (lr: T, weight_decay: T, g: &[T], p: &mut [T]);
    momentum momentum_on momentum_by (with: Momentum<T>, g: &[T], m: &mut [T], p: &mut [T]);
    adagrad adagrad_on adagrad_by (with: Adagrad<T>, g: &[T], v: &mut [T], p: &mut [T]);
    cumsum cumsum_on cumsum_by (x: &[T], cols: usize, out: &mut [T]);
    cosine_similarity_rows cosine_similarity_rows_on cosine_similarity_rows_by (query: &[T], x: &[T], out: &mut [T]);
    nll nll_on nll_by (with: Nll<'_, T>, x: &[T], targets: &[u32], cols: usize, losses: &mut [T]);
    nll_backward nll_backward_on nll_backward_by
        (with: Nll<'_, T>, targets: &[u32], cols: usize, scale: T, dx: &mut [T]);
    adam adam_on adam_by (with: Adam<T>, g: &[T], m: &mut [T], v: &mut [T], p: &mut [T]);
    adamw adamw_on adamw_by (with: Adam<T>, g: &[T], m: &mut [T], v: &mut [T], p: &mut [T]);
    ///
    /// Transforms are on different threads, as many at a time as `workspace` has room for.
    fft fft_on fft_by
        (plan: &Fft<'_, T>, direction: Direction, x: &[Complex<T>], out: &mut [Complex<T>], workspace: &mut [Complex<T>]);
    ///
    /// As [`fft`].
    fft_in_place fft_in_place_on fft_in_place_by
        (plan: &Fft<'_, T>, direction: Direction, x: &mut [Complex<T>], workspace: &mut [Complex<T>]);
    ///
    /// As [`fft`].
    rfft rfft_on rfft_by (plan: &RealFft<'_, T>, x: &[T], out: &mut [Complex<T>], workspace: &mut [Complex<T>]);
    ///
    /// As [`fft`].
    irfft irfft_on irfft_by (plan: &RealFft<'_, T>, x: &[Complex<T>], out: &mut [T], workspace: &mut [Complex<T>]);
    ///
    /// As [`fft`], by groups of rows.
    fft_rows fft_rows_on fft_rows_by
        (plan: &Fft<'_, T>, direction: Direction, x: MatRef<'_, Complex<T>>, out: MatMut<'_, Complex<T>>, workspace: &mut [Complex<T>]);
    ///
    /// As [`fft`], by groups of rows, then of columns.
    fft_2d fft_2d_on fft_2d_by
        (down: &Fft<'_, T>, along: &Fft<'_, T>, direction: Direction, x: MatRef<'_, Complex<T>>, out: MatMut<'_, Complex<T>>, workspace: &mut [Complex<T>]);
    ///
    /// As [`fft_2d`], then of what lies behind each other.
    fft_3d fft_3d_on fft_3d_by
        (plans: [&Fft<'_, T>; 3], direction: Direction, x: &[Complex<T>], out: &mut [Complex<T>], workspace: &mut [Complex<T>]);
    ///
    /// The real product is, with a workspace of [`gemm_complex_workspace`](crate::gemm_complex_workspace()) for each thread.
    gemm_complex gemm_complex_on gemm_complex_by
        (alpha: Complex<T>, a: MatRef<'_, Complex<T>>, b: MatRef<'_, Complex<T>>, conjugate: Conjugate, beta: Complex<T>, c: MatMut<'_, Complex<T>>, workspace: &mut [T]);
    ///
    /// As [`fft`].
    dct dct_on dct_by (plan: &Dct<'_, T>, x: &[T], out: &mut [T], workspace: &mut [Complex<T>]);
    ///
    /// Blocks are on different threads as far as `workspace` holds [`convolve_workspace`](crate::convolve_workspace()) for each.
    convolve convolve_on convolve_by
        (plan: &Convolver<'_, T>, extent: Extent, x: &[T], out: &mut [T], workspace: &mut [Complex<T>]);
    ///
    /// As [`convolve`].
    convolve_complex convolve_complex_on convolve_complex_by
        (plan: &ComplexConvolver<'_, T>, extent: Extent, x: &[Complex<T>], out: &mut [Complex<T>], workspace: &mut [Complex<T>]);
    ///
    /// As [`convolve`].
    fir_fft fir_fft_on fir_fft_by
        (plan: &Convolver<'_, T>, state: &mut [T], x: &[T], out: &mut [T], workspace: &mut [Complex<T>]);
    ///
    /// As [`fft`], of frames.
    stft stft_on stft_by
        (plan: &RealFft<'_, T>, window: &[T], hop: usize, x: &[T], out: &mut [Complex<T>], workspace: &mut [Complex<T>]);
    gemm_backward_a gemm_backward_a_on gemm_backward_a_by
        (dc: MatRef<'_, T>, b: MatRef<'_, T>, beta: T, da: MatMut<'_, T>, workspace: &mut [T]);
    gemm_backward_b gemm_backward_b_on gemm_backward_b_by
        (a: MatRef<'_, T>, dc: MatRef<'_, T>, beta: T, db: MatMut<'_, T>, workspace: &mut [T]);
}

/// Elements of workspace that each of [`conv1d`], [`conv1d_backward_input`] and [`conv1d_backward_weights`] needs for a number
/// of threads.
pub const fn conv1d_workspace(conv: Conv1d, threads: usize) -> usize {
    crate::conv1d_workspace(conv).saturating_mul(if threads == 0 { 1 } else { threads })
}
