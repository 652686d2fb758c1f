//! The methods over an element type. Those of regular shape come from the list of ops: a new row is a new method everywhere.

#[cfg(feature = "parallel")]
use super::Threads;
use super::typed::*;
use super::{Bodies, Cpu, Done, Made, Memory, Plain, Transfer};
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::nn::*;
use crate::pointwise::*;
use crate::{
    Adagrad, Adam, Biquad, Complex, ComplexConvolver, Conjugate, Convolver, Csr, Dct, Diagonal, Direction,
    EinsumPlan, Error, Extent, Fft, Momentum, Nll, Pad, RealFft, RotM, Side, Triangle,
};

/// A trait that is nothing but others.
macro_rules! all_of {
    ($(#[$doc:meta])* $Trait:ident { $first:path $(, $other:path)* }) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: $first $(+ $other)* {}
        impl<T: Element, B: $first $(+ $other)*> $Trait<T> for B {}
    };
}
all_of! {
    /// Everything, over elements of this type.
    Backend {
        Transformer<T>, Reductions<T>, Blas<T>, Network<T>, Analysis<T>, Transforms<T>, Solvers<T>, Sparse<T>, Contractions<T>, Integers, Quantised, Scales, Caches, Compression, FixedPoint, Random
    }
}
all_of! {
    /// What transformers are trained and run with. Devices have it, too.
    Transformer { Elementwise<T>, Bodies<T>, Rows<T>, Products<T>, Layers<T>, Scratch, Transfer<T>, Transfer<u32> }
}

/// One method: its declaration, or what it calls on this thread or on rayon's. `[f]` is a function of the crate and of
/// `parallel`, `{f}` one whose first argument is an executor.
macro_rules! method {
    (declare $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        fn $f(&self, $($arg: $ty),*) -> $ret;
    };
    (gpu $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        fn $f(&self, $($arg: $ty),*) -> $ret {
            // The device's own method.
            Self::$f(self, $($arg),*)
        }
    };
    ($mode:ident $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        #[inline]
        fn $f(&self, $($arg: $ty),*) -> $ret {
            method!(@$mode $how self.0 ($($call),*))
        }
    };
    (@cpu [$on:ident] $s:tt.$i:tt ($($call:expr),*)) => { crate::$on($s.$i, $($call),*) };
    (@threads [$on:ident] $s:tt.$i:tt ($($call:expr),*)) => { crate::parallel::$on($s.$i, $($call),*) };
    (@cpu {$by:ident} $s:tt.$i:tt ($($call:expr),*)) => { $by(crate::lanes::executor::Serial, $s.$i, $($call),*) };
    (@threads {$by:ident} $s:tt.$i:tt ($($call:expr),*)) => { $by(crate::parallel::Threads, $s.$i, $($call),*) };
}

/// The methods of the regular rows of the list.
macro_rules! regular {
    ($mode:ident $want:ident
     $($shape:ident $name:ident $f:tt $body:tt [$($value:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {$(
        regular! { @$want $shape $mode $f $body [$($value),*] }
    )*};
    (@elementwise unary $mode:ident $f:tt $body:ident []) => { regular! { unary $mode $f $body [] } };
    (@elementwise unary $mode:ident $f:tt $body:ident [$p:expr]) => { regular! { unary $mode $f $body [p] } };
    (@elementwise unary $mode:ident $f:tt $body:ident [$p:expr, $q:expr]) => { regular! { unary $mode $f $body [p, q] } };
    (@elementwise binary $mode:ident $f:tt $body:ident []) => { regular! { binary $mode $f $body [] } };
    (@elementwise binary $mode:ident $f:tt $body:ident [$p:expr]) => { regular! { binary $mode $f $body [p] } };
    (@elementwise ternary $mode:ident ($f:ident, $on:ident) $body:ident []) => {
        method! { $mode $f (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>, c: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (a, b, c, out) }
    };
    (@elementwise update $mode:ident ($f:ident, $on:ident) $body:ident [$p:expr]) => {
        method! { $mode $f (p: T, x: Self::Ref<'_, T>, y: Self::Mut<'_, T>) -> Made<Self> = [$on] (p, x, y) }
    };
    (@rows rows $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, cols: usize, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, cols, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, cols: usize) -> Made<Self> = {rows_in_place_by} ($body(cols), x) }
    };
    (@rows rows_eps $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, cols: usize, eps: T, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, cols, eps, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, cols: usize, eps: T) -> Made<Self> = {rows_in_place_by} ($body(cols, eps), x) }
    };
    (@rows rows_scale $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, eps: T, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, gamma, eps, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, gamma: Self::Ref<'_, T>, eps: T) -> Made<Self> = {rows_in_place_by} ($body { gamma, eps }, x) }
    };
    (@rows rows_affine $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, beta: Self::Ref<'_, T>, eps: T, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, gamma, beta, eps, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, gamma: Self::Ref<'_, T>, beta: Self::Ref<'_, T>, eps: T) -> Made<Self> = {rows_in_place_by} ($body { gamma, beta, eps }, x) }
    };
    (@$want:ident $shape:ident $($row:tt)*) => {};

    (unary $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident [$($p:ident),*]) => {
        method! { $mode $f (x: Self::Ref<'_, T> $(, $p: T)*, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x $(, $p)*, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T> $(, $p: T)*) -> Made<Self> = {map_in_place_by} (regular!(=body $body $($p)*), x) }
    };
    (binary $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident [$($p:ident),*]) => {
        method! { $mode $f (a: Self::Ref<'_, T>, b: Self::Ref<'_, T> $(, $p: T)*, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (a, b $(, $p)*, out) }
        method! { $mode $in_place (a: Self::Mut<'_, T>, b: Self::Ref<'_, T> $(, $p: T)*) -> Made<Self> = {zip_in_place_by} (regular!(=body $body $($p)*), a, b) }
    };
    (=body $body:ident) => { $body };
    (=body $body:ident $($p:ident)+) => { $body($($p),+) };
}

/// The type of an argument on a backend; see [`crate::forms`].
macro_rules! memory {
    (in $t:ty) => { Self::Ref<'_, $t> };
    (out $t:ty) => { Self::Mut<'_, $t> };
    (inout $t:ty) => { Self::Mut<'_, $t> };
    (scratch $t:ty) => { Self::Mut<'_, $t> };
    (mat $t:ty) => { Self::Mat<'_, $t> };
    (mat_out $t:ty) => { Self::MatMut<'_, $t> };
    (mat_inout $t:ty) => { Self::MatMut<'_, $t> };
    (vec $t:ty) => { Self::Vec<'_, $t> };
    (vec_out $t:ty) => { Self::VecMut<'_, $t> };
    (vec_inout $t:ty) => { Self::VecMut<'_, $t> };
    (opt_in $t:ty) => { Option<Self::Ref<'_, $t>> };
    (opt_out $t:ty) => { Option<Self::Mut<'_, $t>> };
    (opt_inout $t:ty) => { Option<Self::Mut<'_, $t>> };
    (opt_mat $t:ty) => { Option<Self::Mat<'_, $t>> };
    (opt_mat_out $t:ty) => { Option<Self::MatMut<'_, $t>> };
    (each_in $t:ty) => { &[Self::Ref<'_, $t>] };
    (by $t:ty) => { $t };
}

/// What a method returns: a backend may always fail.
macro_rules! fallible {
    () => { Result<(), Self::Error> };
    (Result<$t:ty>) => { Result<$t, Self::Error> };
    ($t:ident) => { Result<$t, Self::Error> };
    ($t:ident<$of:ty>) => { Result<$t<$of>, Self::Error> };
    // The result of an op that cannot fail on slices.
    (@value [Result] $call:expr) => { $call };
    (@value [$($ret:ident)?] $call:expr) => { Ok($call) };
}

/// The methods of a list of rows, or their names; see [`crate::forms`].
macro_rules! rows {
    (names $path:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $f:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident $args:tt $(-> $ret:ident $(<$of:ty>)?)?;)*) => {
        &[$(stringify!($f)),*]
    };
    ($mode:ident $path:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $f:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident
       ($($arg:ident: $kind:ident $ty:ty),* $(,)?) $(-> $ret:ident $(<$of:ty>)?)?;)*) => {$(
        rows! { @$mode $how $f $(<$($g: $bound)?>)? $on ($($arg: $kind $ty),*) [$($ret $(<$of>)?)?] [$($ret)?] }
    )*};
    (@declare $how:ident $f:ident $(<$($g:ident: $bound:path)?>)? $on:ident ($($arg:ident: $kind:ident $ty:ty),*) [$($ret:tt)*] $name:tt) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        fn $f $($(<$g: $bound + Plain>)?)? (&self, $($arg: memory!($kind $ty)),*) -> fallible!($($ret)*);
    };
    (@threads threads $f:ident $(<$($g:ident: $bound:path)?>)? $on:ident ($($arg:ident: $kind:ident $ty:ty),*) [$($ret:tt)*] $name:tt) => {
        #[inline]
        fn $f $($(<$g: $bound + Plain>)?)? (&self, $($arg: memory!($kind $ty)),*) -> fallible!($($ret)*) {
            fallible!(@value $name crate::parallel::$on(self.0, $($arg),*))
        }
    };
    (@$mode:ident $how:ident $f:ident $(<$($g:ident: $bound:path)?>)? $on:ident ($($arg:ident: $kind:ident $ty:ty),*) [$($ret:tt)*] $name:tt) => {
        #[inline]
        fn $f $($(<$g: $bound + Plain>)?)? (&self, $($arg: memory!($kind $ty)),*) -> fallible!($($ret)*) {
            fallible!(@value $name crate::$on(self.0, $($arg),*))
        }
    };
}

/// A family: the trait and what implements it.
macro_rules! family {
    ($(#[$doc:meta])* $Trait:ident of the rows $want:ident) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: Memory { crate::for_each_op! { regular declare $want } }
        impl<S: Simd, T: Element> $Trait<T> for Cpu<S> { crate::for_each_op! { regular cpu $want } }
        #[cfg(feature = "parallel")]
        impl<S: Simd, T: Element> $Trait<T> for Threads<S> { crate::for_each_op! { regular threads $want } }
        #[cfg(feature = "gpu")]
        impl<T: crate::gpu::backend::Scalar, D: crate::gpu::device::Computes<T> + 'static> $Trait<T> for crate::gpu::backend::Gpu<D> {
            crate::for_each_op! { regular gpu $want }
        }
    };
    ($(#[$doc:meta])* $Trait:ident $NAMES:ident [$($($list:ident)::+)*] { $($f:ident $how:tt $args:tt -> $ret:ty;)* }) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: Memory {
            $($($list)::+! { rows declare })*
            $(family! { declare $f $how $args $ret })*
        }
        impl<S: Simd, T: Element> $Trait<T> for Cpu<S> {
            $($($list)::+! { rows cpu })*
            $(family! { cpu $f $how $args $ret })*
        }
        #[cfg(feature = "parallel")]
        impl<S: Simd, T: Element> $Trait<T> for Threads<S> {
            $($($list)::+! { rows threads })*
            $(family! { threads $f $how $args $ret })*
        }
        #[cfg(test)]
        const $NAMES: &[&[&str]] = &[$($($list)::+! { rows names },)* &[$(stringify!($f)),*]];
    };
    ($(#[$doc:meta])* $Trait:ident<> $NAMES:ident [$($($list:ident)::+)*]) => {
        $(#[$doc])*
        pub trait $Trait: Memory { $($($list)::+! { rows declare })* }
        impl<S: Simd> $Trait for Cpu<S> { $($($list)::+! { rows cpu })* }
        #[cfg(feature = "parallel")]
        impl<S: Simd> $Trait for Threads<S> { $($($list)::+! { rows threads })* }
        #[cfg(test)]
        const $NAMES: &[&[&str]] = &[$($($list)::+! { rows names }),*];
    };
    ($mode:ident $f:ident $how:tt ($($arg:ident: $ty:ty),*) $ret:ty) => {
        method! { $mode $f ($($arg: $ty),*) -> $ret = $how ($($arg),*) }
    };
}

family! {
    /// Ops on each element by itself.
    Elementwise of the rows elementwise
}
family! {
    /// Ops on each row by itself.
    Rows of the rows rows
}
family! {
    /// Ops that give a number, to the host, or a few of the elements.
    Reductions REDUCTIONS
    [
        crate::blas::level1::level1_ops
        crate::nn::sampling::sampling_ops
        crate::reduce::top_k::top_k_ops
        crate::nn::log_sum_exp::log_sum_exp_ops
        crate::reduce::extrema::extrema_ops
        crate::reduce::sums::sums_ops
        crate::reduce::moments::moments_ops
        crate::reduce::norms::norms_ops
        crate::reduce::pairs::pairs_ops
        crate::reduce::product::product_ops
    ] {
    }
}
family! {
    /// Products and transposes of matrices.
    Products PRODUCTS
    [
        crate::blas::gemm::backward::backward_ops
        crate::blas::gemv::gemv_ops
        crate::blas::transpose::transpose_ops
    ] {
        gemm [gemm_on] (alpha: T, a: Self::Mat<'_, T>, b: Self::Mat<'_, T>, beta: T, c: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
    }
}
family! {
    /// Layers of transformers, their gradients and the steps of optimisers.
    Layers LAYERS
    [
        crate::nn::attention::attention_ops
        crate::nn::embedding::embedding_ops
        crate::nn::gated::gated_ops
        crate::nn::losses::losses_ops
        crate::nn::norm_backward::norm_backward_ops
        crate::nn::rope::rope_ops
        crate::nn::softmax_backward::softmax_backward_ops
        crate::nn::optimisers::optimisers_ops
    ] {
        clip_by_norm {clip_to} (max_norm: T, g: Self::Mut<'_, T>, norm: Self::Mut<'_, T>) -> Made<Self>;
    }
}

/// [`clip_by_norm`](crate::clip_by_norm()), its norm written to memory as a device does it.
fn clip_to<J: Executor, S: Simd, T: Element>(j: J, s: S, max_norm: T, g: &mut [T], norm: &mut [T]) -> Done {
    let got = norm.len();
    let [norm] = norm else { return Err(Error::Len { arg: "norm", expected: 1, got }) };
    *norm = clip_by_norm_by(j, s, max_norm, g)?;
    Ok(())
}

family! {
    /// Further ops on matrices, and on vectors with strides.
    Blas BLAS
    [
        crate::blas::level1::level1_blas
        crate::blas::level2::level2_ops
        crate::blas::level3::level3_ops
        crate::blas::rotation::rotation_ops
        crate::blas::triangular::triangular_ops
        crate::blas::trmv::trmv_ops
    ] {
    }
}
family! {
    /// Further layers of networks, and their gradients.
    Network NETWORK
    [
        crate::nn::conv1d::conv1d_ops
        crate::nn::pool::pool_ops
    ] {
    }
}
family! {
    /// Losses of log-probabilities, running sums, cosines with rows, samples as numbers.
    Analysis ANALYSIS
    [
        crate::nn::integers::integers_ops
        crate::nn::nll::nll_ops
        crate::nn::scan::scan_ops
        crate::nn::similarity::similarity_ops
    ] {
    }
}
family! {
    /// Linear algebra of complex numbers.
    ComplexAlgebra COMPLEX_ALGEBRA
    [
        crate::blas::complex::elements::elements_ops
        crate::blas::complex::product::product_ops
        crate::blas::complex::vectors::vectors_ops
    ] {
    }
}
family! {
    /// Fourier transforms and filters. Plans and sections are the host's.
    Transforms TRANSFORMS
    [
        crate::fft::convolve::convolve_ops
        crate::fft::dct::dct_ops
        crate::fft::filter::filter_ops
        crate::fft::fft_ops
        crate::fft::real::real_ops
        crate::fft::rows::rows_ops
        crate::fft::stft::stft_ops
    ] {
    }
}
family! {
    /// Systems of linear equations.
    Solvers SOLVERS
    [
        crate::solve::cholesky::cholesky_ops
        crate::solve::eig::eig_ops
        crate::solve::eigh::eigh_ops
        crate::solve::generalized::generalized_ops
        crate::solve::inverse::inverse_ops
        crate::solve::ldlt::ldlt_ops
        crate::solve::lu::lu_ops
        crate::solve::pivoted::pivoted_ops
        crate::solve::qr::qr_ops
        crate::solve::refine::refine_ops
        crate::solve::schur::schur_ops
        crate::solve::svd::svd_ops
        crate::solve::update::update_ops
    ] {
    }
}
family! {
    /// Sparse matrices. What says where their elements are is the host's, as the matrix is.
    Sparse SPARSE
    [
        crate::sparse::cg::cg_ops
        crate::sparse::convert::convert_ops
        crate::sparse::krylov::krylov_ops
        crate::sparse::lobpcg::lobpcg_ops
        crate::sparse::sddmm::sddmm_ops
        crate::sparse::spgemm::spgemm_ops
        crate::sparse::spmm::spmm_ops
        crate::sparse::spmv::spmv_ops
        crate::sparse::sweep::sweep_ops
        crate::sparse::triangular::triangular_ops
    ] {
    }
}
family! {
    /// Contractions. The plan is the host's.
    Contractions CONTRACTIONS
    [
        crate::einsum::elements::elements_ops
        crate::einsum::gather::gather_ops
        crate::einsum::einsum_ops
        crate::einsum::pad::pad_ops
    ] {
    }
}

family! {
    /// Quantised weights.
    Quantised<> QUANTISED [crate::quant::dot::dot_ops]
}
family! {
    /// Random numbers: a stream is a key and a place, so no backend keeps one.
    Random<> RANDOM [crate::random::ops::random_ops]
}
family! {
    /// Bytes in fewer.
    Compression<> COMPRESSION [crate::lz4::lz4_ops]
}

family! {
    /// Scales of quantised weights that are quantised themselves.
    Scales<> SCALES [crate::quant::absmax::absmax_ops]
}
family! {
    /// Attention over a cache in few bits.
    Caches<> CACHES [crate::nn::attention::cached::cached_ops]
}
family! {
    /// Fixed point.
    FixedPoint<> FIXED_POINT
    [
        crate::fixed::activation::activation_ops
        crate::fixed::dot::dot_ops
        crate::fixed::filter::filter_ops
        crate::fixed::softmax::softmax_ops
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has no method in [`Backend`]: numbers of one call, and what needs a token or a feature of its own.
    const NONE: [&str; 5] = ["rotg", "rotmg", "gemm_bf16_amx", "gemm_f32_amx3", "gemm_i8_amx"];
    const FIXED: [&str; 11] = [
        "attention_bf16_backward",
        "gemm_e4m3",
        "attention_bf16",
        "gemm_i8",
        "gemm_u8",
        "gemm_f16",
        "gemm_bf16",
        "f16_to_f32",
        "f32_to_f16",
        "bf16_to_f32",
        "f32_to_bf16",
    ];

    #[test]
    fn every_op_is_a_method() {
        for op in crate::ops::OPS {
            let regular =
                ["unary", "binary", "ternary", "update"].contains(&op.shape) || op.shape.starts_with("rows");
            let listed = [
                REDUCTIONS,
                PRODUCTS,
                BLAS,
                LAYERS,
                NETWORK,
                ANALYSIS,
                COMPLEX_ALGEBRA,
                TRANSFORMS,
                SOLVERS,
                SPARSE,
                CONTRACTIONS,
                QUANTISED,
                RANDOM,
                COMPRESSION,
                SCALES,
                CACHES,
                FIXED_POINT,
            ]
            .concat()
            .concat()
            .contains(&op.name);
            let none = NONE.contains(&op.name) || FIXED.contains(&op.name);
            assert_eq!(usize::from(regular) + usize::from(listed) + usize::from(none), 1, "{}", op.name);
        }
    }
}
