//! Numeric kernels that run anywhere: `no_std`, without allocation, on SSE2, AVX2, AVX-512, NEON, WASM SIMD128 and scalars.
//!
//! ```
//! use fulmen::{Add, Relu, Then};
//!
//! let (a, b) = ([1.0f32, -5.0, 2.0], [2.0f32, 3.0, 4.0]);
//! let (mut y, mut p) = ([0.0f32; 3], [0.0f32; 3]);
//! fulmen::map(Then(Add, Relu), [&a, &b], &mut y)?; // relu ∘ add, one pass
//! assert_eq!(y, [3.0, 0.0, 6.0]);
//! fulmen::softmax(&y, 3, &mut p)?; // rows of 3
//! assert_eq!(fulmen::argmax(&p)?, 2);
//! # Ok::<(), fulmen::Error>(())
//! ```
//!
//! The guide in `docs/guide` of the repository has twelve short chapters, each of which begins with the code that users
//! of another crate write; `examples/small` has short programs.
//!
//! # Ops by family
//! | module | ops |
//! |---|---|
//! | [`pointwise`] | arithmetic, rounding, transcendental functions, activations and their derivatives; [`map`] runs a [`Body`] of your own, a [`Formula`] runs on any backend, [`Then`] composes two in one pass |
//! | [`reduce`] | sums, dot products, norms, extrema, statistics, similarity |
//! | [`blas`] | levels 1 to 3 on strided views, matrix products with epilogues, transposes |
//! | [`nn`] | softmax, norms, attention, rotary positions, losses, embedding, pooling, one-dimensional convolution, the backward passes, optimisers |
//! | [`fft`](mod@fft) | complex and real Fourier transforms ([`Complex`]) of any length, batched, in two and three dimensions, short-time; windows, filters |
//! | [`solve`] | linear systems and least squares: Cholesky, LU, QR; eigenvalues and singular values |
//! | [`einsum`](mod@einsum) | contractions of any number of tensors, by expressions like `"bhqd,bhkd->bhqk"` |
//! | [`sparse`] | CSR, BSR, SELL and DIA matrices, conversion from coordinates, transposes, sums and products (sparse, dense, vectors), triangular solves, incomplete factors, Gauss–Seidel sweeps, iterative solvers, extremal eigenvalues, Matrix Market files |
//! | [`image`] | views of images, border modes; resizing, separable, box and median filters, gradients, edge detection, histograms, thresholds, colours, morphology |
//! | [`fixed`] | fixed point for firmware, Q7 and Q15: dot products, layers, softmax, activations |
//! | [`quant`] | weights in the block formats of GGUF files: quantisation, dequantisation, products with quantised activations |
//! | [`gguf`] | GGUF files: a reader in place, a writer, validation before a model is loaded |
//! | [`random`] | counter-based random numbers: generators, distributions, integers, shuffles |
//! | `owned` (feature `alloc`) | ops that allocate and return their result |
//! | [`ops`] | the list of all ops, one row each |
//! | [`backend`] | one program for many devices |
//! | [`hardware`] | facts about machines; tiles and fusion planned from them |
//!
//! # Forms
//! `op(…)` runs on the instruction set of the build, `op_on(token, …)` on that of a token of [`lanes`],
//! `op_in_place(…)` overwrites its first input, and `parallel::op(…)` (feature `parallel`) runs on the threads of rayon
//! with the same bits. Every function checks its arguments once and returns an [`Error`] that names the invalid one;
//! nothing is written then.
//!
//! # Lanes
//! The target features of the build select the instruction set: a plain build for x86-64 uses SSE2. `RUSTFLAGS="-C
//! target-cpu=native"`, with the feature `avx512` for AVX-512, selects that of the machine. [`NATIVE`] is the selected
//! one, so a constant can refuse a slower build: `const _: () = assert!(matches!(fulmen::NATIVE,
//! fulmen::lanes::Isa::Avx2));`. One binary for many machines is [`dispatch!`], under `std`.
//!
//! # Workspaces
//! The caller provides scratch to an op that needs it; `op_workspace(sizes)` returns its length and is `const` where
//! the sizes allow, so that it can be the length of an array. A shorter one is [`Error::Workspace`].
//!
//! # Views
//! Matrices are [`MatRef`] and [`MatMut`]: a slice with row and column strides, checked once when the view is created;
//! `.t()` transposes without a copy. Strided vectors are [`VecRef`] and [`VecMut`].
//!
//! # Features
//! | feature | adds |
//! |---|---|
//! | `std` | `detect()` on the tokens, `dispatch!`; implies `alloc` |
//! | `alloc` | the module `owned`: ops that return their result; `Buffer<T>`: zeroed, on a cache line |
//! | `half` | `f16` and `bf16`: conversions, products of matrices |
//! | `ndarray`, `nalgebra`, `faer` | conversions of their views to those of this crate |
//! | `num-traits`, `num-complex` | [`Complex`] in code that is generic over `Num`, and to and from that of `num-complex` |
//! | `rand_core` | [`random::Stream`] as a generator |
//! | `serde` | settings, numbers and sparse matrices are written and read |
//! | `avx512`, `neon`, `simd128` | permit that instruction set; inert elsewhere |
//! | `parallel` | the module `parallel` |
//! | `cuda`, `wgsl` | kernels as PTX and as WGSL from the same bodies; with `cuda` and `std`, NVIDIA's driver to run them |
//! | `collective`, `nccl` | the module `collective`: sums and gathers among ranks, which are threads with a backend each; by NCCL on CUDA devices |
//! | `trace` | the module `trace`: a hook in every op, and a profiler |
//! | `capi` | the C ABI of BLAS |
//! | `cli` | the program `fulmen` |
//!
//! All of them build wherever there is a standard library; bare metal refuses the last two, `std`, `parallel`, `collective` and `nccl`.
//!
//! # Guarantees
//! The documentation of each op and its contract (`contracts/<op>-v1.yaml` of the repository) define the largest error,
//! the order of a reduction, and the results for NaN, ±0, infinities, subnormals and empty input. No kernel allocates
//! or panics, and no result depends on the number of threads.
#![no_std]
#![deny(missing_docs)]
// Unit tests may do these things.
#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing,
        clippy::std_instead_of_core,
        clippy::alloc_instead_of_core,
        clippy::disallowed_methods
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "std", target_os = "none"))]
compile_error!(
    "the feature `std`, which `parallel`, `collective`, `nccl`, `capi` and `cli` imply, needs an operating system: leave them out for this target"
);

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate self as fulmen;
#[cfg(any(feature = "std", test))]
extern crate std;

/// The example of the package's page, which the README has too, runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/crate.md")]
struct Readme;

/// The chapters of the guide, whose examples run; they use `std` and what allocates.
#[cfg(all(doctest, feature = "std"))]
mod guide {
    #[doc = include_str!("../docs/guide/views.md")]
    mod views {}
    #[doc = include_str!("../docs/guide/workspaces.md")]
    mod workspaces {}
    #[doc = include_str!("../docs/guide/lanes.md")]
    mod lanes {}
    #[doc = include_str!("../docs/guide/one_binary.md")]
    mod one_binary {}
    #[doc = include_str!("../docs/guide/threads.md")]
    mod threads {}
    #[doc = include_str!("../docs/guide/devices.md")]
    mod devices {}
    #[doc = include_str!("../docs/guide/quantised.md")]
    mod quantised {}
    #[doc = include_str!("../docs/guide/fft.md")]
    mod fft {}
    #[doc = include_str!("../docs/guide/solving.md")]
    mod solving {}
    #[doc = include_str!("../docs/guide/sparse.md")]
    mod sparse {}
    #[doc = include_str!("../docs/guide/firmware.md")]
    mod firmware {}
    #[doc = include_str!("../docs/guide/browser.md")]
    mod browser {}
}

mod alu;
pub mod backend;
pub mod blas;
#[cfg(feature = "alloc")]
mod buffer;
#[cfg(feature = "capi")]
mod capi;
#[cfg(feature = "collective")]
pub mod collective;
mod complex;
pub mod contract;
mod conversions;
#[cfg(feature = "half")]
mod convert;
mod delay_line;
pub mod einsum;
mod error;
mod families;
pub mod fft;
pub mod fixed;
mod float16;
mod float8;
mod forms;
pub mod gguf;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod hardware;
pub mod image;
mod isa;
pub mod lanes;
pub mod lz4;
pub mod nn;
pub mod ops;
#[cfg(feature = "alloc")]
pub mod owned;
#[cfg(feature = "parallel")]
pub mod parallel;
mod parts;
mod plain;
pub mod pointwise;
pub mod quant;
pub mod random;
pub mod reduce;
mod slices;
pub mod solve;
pub mod sparse;
// For the tests.
#[doc(hidden)]
pub mod thresholds;
#[cfg(feature = "trace")]
pub mod trace;
#[cfg(feature = "num-traits")]
mod traits;
mod view;

pub use alu::{Alu, Bits, Body, Formula, Mask, Number, Real, Then, WithFirst};
pub use blas::*;
#[cfg(feature = "alloc")]
pub use buffer::Buffer;
pub use complex::{Complex, c32, c64};
#[cfg(feature = "half")]
pub use conversions::*;
pub use einsum::*;
pub use error::{Dimension, Error, Reached};
pub use fft::*;
pub use fixed::{
    fixed_biquad, fixed_biquad_on, fixed_dot, fixed_dot_on, fixed_fir, fixed_fir_on, fixed_gemv,
    fixed_gemv_on, fixed_relu, fixed_relu_on, fixed_sigmoid, fixed_sigmoid_on, fixed_softmax,
    fixed_softmax_on, fixed_tanh, fixed_tanh_on,
};
pub use float8::E4m3;
pub use image::{
    box_filter, box_filter_on, box_filter_workspace, canny, canny_on, canny_workspace, correlate_separable,
    correlate_separable_on, correlate_separable_workspace, dilate, dilate_on, distance_transform,
    distance_transform_on, distance_transform_workspace, equalize, equalize_on, equalize_workspace, erode,
    erode_on, flip, flip_on, gaussian, gaussian_on, grey, grey_on, histogram, histogram_on,
    histogram_workspace, integral, integral_on, median, median_on, median_workspace, morphology_workspace,
    nv12_to_rgb, nv12_to_rgb_on, nv12_to_tensor, nv12_to_tensor_on, nv12_to_tensor_workspace, otsu, otsu_on,
    remap, remap_on, resize, resize_on, resize_workspace, rgb_to_bgr, rgb_to_bgr_on, rgb_to_hsv,
    rgb_to_hsv_on, rgb_to_tensor, rgb_to_tensor_on, rgb_to_tensor_workspace, rotate90, rotate90_on, sobel,
    sobel_on, threshold_image, threshold_image_on, warp_affine, warp_affine_on,
};
pub use lanes::{Element, NATIVE};
pub use lz4::{lz4_bound, lz4_compress, lz4_compress_on, lz4_decompress, lz4_decompress_on};
pub use nn::*;
pub use pointwise::*;
pub use quant::{
    dequantize, dequantize_absmax, dequantize_absmax_on, dequantize_on, dequantize_padded,
    dequantize_padded_on, quant_dot, quant_dot_on, quant_gemm, quant_gemm_on, quant_gemv, quant_gemv_on,
    quant_rows, quant_rows_on, quantize, quantize_absmax, quantize_absmax_on, quantize_on, quantize_padded,
    quantize_padded_on,
};
pub use random::{
    bernoulli, bernoulli_on, exponential, exponential_on, integers, integers_on, normal, normal_on,
    permutation, permutation_on, random_bits, random_bits_on, shuffle, shuffle_on, truncated_normal,
    truncated_normal_on, uniform, uniform_on,
};
pub use reduce::*;
pub use solve::*;
pub use sparse::*;
pub use view::{BatchMut, BatchRef, Image, ImageMut, MatMut, MatRef, VecMut, VecRef};
