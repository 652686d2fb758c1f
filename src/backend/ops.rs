//! The methods over an element type. Those of regular shape come from the list of ops: a new row is a new method everywhere.

#[cfg(feature = "parallel")]
use super::Threads;
use super::typed::*;
use super::{Bodies, Cpu, Done, Made, Memory, Transfer};
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::nn::*;
use crate::pointwise::*;
use crate::{
    Adagrad, Adam, Biquad, Complex, ComplexConvolver, Conjugate, Convolver, Csr, Dct, Diagonal, Direction,
    EinsumPlan, Error, Extent, Fft, Momentum, Nll, Pad, RealFft, RotM, Side, Triangle, VecMut, scal_on,
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
/// `parallel`, `[f serial]` of the crate alone, `{f}` one that takes who joins the parts.
macro_rules! method {
    (declare $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        #[allow(clippy::too_many_arguments, reason = "the op's own")]
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
    (@cpu [$on:ident $($serial:ident)?] $s:expr, ($($call:expr),*)) => { crate::$on($s, $($call),*) };
    (@cpu [$on:ident $($serial:ident)?] $s:tt.$i:tt ($($call:expr),*)) => { crate::$on($s.$i, $($call),*) };
    (@threads [$on:ident serial] $s:tt.$i:tt ($($call:expr),*)) => { crate::$on($s.$i, $($call),*) };
    (@threads [$on:ident] $s:tt.$i:tt ($($call:expr),*)) => { crate::parallel::$on($s.$i, $($call),*) };
    (@cpu {$by:ident} $s:tt.$i:tt ($($call:expr),*)) => { $by(crate::lanes::executor::Serial, $s.$i, $($call),*) };
    (@threads {$by:ident} $s:tt.$i:tt ($($call:expr),*)) => { $by(crate::parallel::Threads, $s.$i, $($call),*) };
}

/// The methods of the regular rows of the list.
macro_rules! regular {
    ($mode:ident $want:ident
     $($shape:ident $name:ident $f:tt $body:ident [$($value:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {$(
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
        method! { $mode $in_place (x: Self::Mut<'_, T>, cols: usize, eps: T) -> Made<Self> = {rows_in_place_by} (LayerNormSimple(cols, eps), x) }
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
    ($(#[$doc:meta])* $Trait:ident $NAMES:ident { $($f:ident $how:tt $args:tt -> $ret:ty;)* }) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: Memory { $(family! { declare $f $how $args $ret })* }
        impl<S: Simd, T: Element> $Trait<T> for Cpu<S> { $(family! { cpu $f $how $args $ret })* }
        #[cfg(feature = "parallel")]
        impl<S: Simd, T: Element> $Trait<T> for Threads<S> { $(family! { threads $f $how $args $ret })* }
        #[cfg(test)]
        const $NAMES: &[&str] = &[$(stringify!($f)),*];
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
    Reductions REDUCTIONS {
        sum [sum_on] (x: Self::Ref<'_, T>) -> T;
        sum_kahan [sum_kahan_on] (x: Self::Ref<'_, T>) -> T;
        sum_of_squares [sum_of_squares_on] (x: Self::Ref<'_, T>) -> T;
        norm_l1 [norm_l1_on] (x: Self::Ref<'_, T>) -> T;
        norm_l2 [norm_l2_on] (x: Self::Ref<'_, T>) -> T;
        norm_linf [norm_linf_on] (x: Self::Ref<'_, T>) -> T;
        euclidean_distance [euclidean_distance_on] (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>) -> Result<T, Error>;
        cosine_similarity [cosine_similarity_on] (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>) -> Result<T, Error>;
        dot [dot_on] (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>) -> Result<T, Error>;
        prod [prod_on] (x: Self::Ref<'_, T>) -> T;
        logsumexp [logsumexp_on] (x: Self::Ref<'_, T>) -> T;
        max [max_on] (x: Self::Ref<'_, T>) -> Result<T, Error>;
        min [min_on] (x: Self::Ref<'_, T>) -> Result<T, Error>;
        mean [mean_on] (x: Self::Ref<'_, T>) -> Result<T, Error>;
        variance [variance_on] (x: Self::Ref<'_, T>) -> Result<T, Error>;
        stddev [stddev_on] (x: Self::Ref<'_, T>) -> Result<T, Error>;
        covariance [covariance_on] (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>) -> Result<T, Error>;
        correlation [correlation_on] (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>) -> Result<T, Error>;
        argmax [argmax_on] (x: Self::Ref<'_, T>) -> Result<usize, Error>;
        argmin [argmin_on] (x: Self::Ref<'_, T>) -> Result<usize, Error>;
        dot_strided [dot_strided_on serial] (x: Self::Vec<'_, T>, y: Self::Vec<'_, T>) -> Result<T, Error>;
        nrm2 [nrm2_on serial] (x: Self::Vec<'_, T>) -> T;
        asum [asum_on serial] (x: Self::Vec<'_, T>) -> T;
        iamax [iamax_on serial] (x: Self::Vec<'_, T>) -> Result<usize, Error>;
        top_k [top_k_on serial] (x: Self::Ref<'_, T>, k: usize, values: Self::Mut<'_, T>, indices: Self::Mut<'_, usize>) -> Done;
        sample [sample_on serial] (logits: Self::Ref<'_, T>, with: Sampling<T>, uniform: T, values: Self::Mut<'_, T>, indices: Self::Mut<'_, usize>) -> Result<usize, Error>;
        argmax_last [argmax_last_on] (x: Self::Ref<'_, T>) -> Result<usize, Error>;
        argmin_last [argmin_last_on] (x: Self::Ref<'_, T>) -> Result<usize, Error>;
        bottom_k [bottom_k_on serial] (x: Self::Ref<'_, T>, k: usize, values: Self::Mut<'_, T>, indices: Self::Mut<'_, usize>) -> Done;
    }
}
family! {
    /// Products and transposes of matrices.
    Products PRODUCTS {
        gemm [gemm_on] (alpha: T, a: Self::Mat<'_, T>, b: Self::Mat<'_, T>, beta: T, c: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        gemv [gemv_on] (alpha: T, a: Self::Mat<'_, T>, x: Self::Vec<'_, T>, beta: T, y: Self::VecMut<'_, T>) -> Made<Self>;
        gemm_backward_a [gemm_backward_a_on] (dc: Self::Mat<'_, T>, b: Self::Mat<'_, T>, beta: T, da: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        gemm_backward_b [gemm_backward_b_on] (a: Self::Mat<'_, T>, dc: Self::Mat<'_, T>, beta: T, db: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        transpose [transpose_on] (a: Self::Mat<'_, T>, b: Self::MatMut<'_, T>) -> Made<Self>;
    }
}
family! {
    /// Layers of transformers, their gradients and the steps of optimisers.
    Layers LAYERS {
        swiglu_packed [swiglu_packed_on] (x: Self::Ref<'_, T>, cols: usize, out: Self::Mut<'_, T>) -> Made<Self>;
        swiglu_packed_backward [swiglu_packed_backward_on] (x: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, cols: usize, dx: Self::Mut<'_, T>) -> Made<Self>;
        rms_norm_backward [rms_norm_backward_on serial] (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, eps: T, dx: Self::Mut<'_, T>, dgamma: Self::Mut<'_, T>) -> Made<Self>;
        cross_entropy [cross_entropy_on] (logits: Self::Ref<'_, T>, targets: Self::Ref<'_, u32>, cols: usize, losses: Self::Mut<'_, T>, lse: Self::Mut<'_, T>) -> Made<Self>;
        cross_entropy_backward [cross_entropy_backward_on] (logits: Self::Ref<'_, T>, targets: Self::Ref<'_, u32>, lse: Self::Ref<'_, T>, cols: usize, scale: T, dlogits: Self::Mut<'_, T>) -> Made<Self>;
        cross_entropy_backward_in_place [cross_entropy_backward_in_place_on] (logits: Self::Mut<'_, T>, targets: Self::Ref<'_, u32>, lse: Self::Ref<'_, T>, cols: usize, scale: T) -> Made<Self>;
        cross_entropy_with_gradient [cross_entropy_with_gradient_on] (logits: Self::Mut<'_, T>, targets: Self::Ref<'_, u32>, cols: usize, scale: T, losses: Self::Mut<'_, T>) -> Made<Self>;
        embedding [embedding_on] (table: Self::Ref<'_, T>, cols: usize, ids: Self::Ref<'_, u32>, out: Self::Mut<'_, T>) -> Made<Self>;
        scatter_add [scatter_add_on serial] (x: Self::Ref<'_, T>, cols: usize, ids: Self::Ref<'_, u32>, out: Self::Mut<'_, T>) -> Made<Self>;
        sgd [sgd_on] (lr: T, weight_decay: T, g: Self::Ref<'_, T>, p: Self::Mut<'_, T>) -> Made<Self>;
        momentum [momentum_on] (with: Momentum<T>, g: Self::Ref<'_, T>, m: Self::Mut<'_, T>, p: Self::Mut<'_, T>) -> Made<Self>;
        adagrad [adagrad_on] (with: Adagrad<T>, g: Self::Ref<'_, T>, v: Self::Mut<'_, T>, p: Self::Mut<'_, T>) -> Made<Self>;
        adam [adam_on] (with: Adam<T>, g: Self::Ref<'_, T>, m: Self::Mut<'_, T>, v: Self::Mut<'_, T>, p: Self::Mut<'_, T>) -> Made<Self>;
        adamw [adamw_on] (with: Adam<T>, g: Self::Ref<'_, T>, m: Self::Mut<'_, T>, v: Self::Mut<'_, T>, p: Self::Mut<'_, T>) -> Made<Self>;
        rope [rope_on] (x: Self::Ref<'_, T>, dim: usize, cos: Self::Ref<'_, T>, sin: Self::Ref<'_, T>, style: RopeStyle, out: Self::Mut<'_, T>) -> Made<Self>;
        rope_backward [rope_backward_on] (x: Self::Ref<'_, T>, dim: usize, cos: Self::Ref<'_, T>, sin: Self::Ref<'_, T>, style: RopeStyle, out: Self::Mut<'_, T>) -> Made<Self>;
        rope_view [rope_view_on serial] (x: Self::MatMut<'_, T>, dim: usize, cos: Self::Ref<'_, T>, sin: Self::Ref<'_, T>, style: RopeStyle, inverse: bool) -> Made<Self>;
        attention [attention_on] (op: &Attention<T>, q: Self::Mat<'_, T>, k: Self::Mat<'_, T>, v: Self::Mat<'_, T>, mask: Option<Self::Mat<'_, T>>, out: Self::MatMut<'_, T>, lse: Option<Self::Mut<'_, T>>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        attention_backward [attention_backward_on] (op: &Attention<T>, q: Self::Mat<'_, T>, k: Self::Mat<'_, T>, v: Self::Mat<'_, T>, mask: Option<Self::Mat<'_, T>>, out: Self::Mat<'_, T>, lse: Self::Ref<'_, T>, dout: Self::Mat<'_, T>, dq: Self::MatMut<'_, T>, dk: Self::MatMut<'_, T>, dv: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        rms_norm_residual [rms_norm_residual_on] (x: Self::Ref<'_, T>, residual: Self::Mut<'_, T>, gamma: Self::Ref<'_, T>, eps: T, out: Self::Mut<'_, T>) -> Made<Self>;
        rms_norm_residual_backward [rms_norm_residual_backward_on serial] (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, eps: T, dx: Self::Mut<'_, T>, dgamma: Self::Mut<'_, T>) -> Made<Self>;
        layer_norm_backward [layer_norm_backward_on serial] (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, eps: T, dx: Self::Mut<'_, T>, dgamma: Self::Mut<'_, T>, dbeta: Self::Mut<'_, T>) -> Made<Self>;
        softmax_backward [softmax_backward_on] (y: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, cols: usize, dx: Self::Mut<'_, T>) -> Made<Self>;
        log_softmax_backward [log_softmax_backward_on] (y: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, cols: usize, dx: Self::Mut<'_, T>) -> Made<Self>;
        masked_softmax [masked_softmax_on] (x: Self::Ref<'_, T>, mask: Self::Ref<'_, T>, cols: usize, out: Self::Mut<'_, T>) -> Made<Self>;
        scatter [scatter_on serial] (x: Self::Ref<'_, T>, cols: usize, ids: Self::Ref<'_, u32>, out: Self::Mut<'_, T>) -> Made<Self>;
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

/// [`scal`](crate::scal()), which cannot fail on a CPU.
fn scal_to<J: Executor, S: Simd, T: Element>(_: J, s: S, alpha: T, x: VecMut<'_, T>) -> Done {
    scal_on(s, alpha, x);
    Ok(())
}
family! {
    /// Further ops on matrices, and on vectors with strides.
    Blas BLAS {
        ger [ger_on serial] (alpha: T, x: Self::Vec<'_, T>, y: Self::Vec<'_, T>, a: Self::MatMut<'_, T>) -> Made<Self>;
        syr [syr_on serial] (alpha: T, x: Self::Vec<'_, T>, triangle: Triangle, a: Self::MatMut<'_, T>) -> Made<Self>;
        syr2 [syr2_on serial] (alpha: T, x: Self::Vec<'_, T>, y: Self::Vec<'_, T>, triangle: Triangle, a: Self::MatMut<'_, T>) -> Made<Self>;
        symv [symv_on serial] (alpha: T, triangle: Triangle, a: Self::Mat<'_, T>, x: Self::Vec<'_, T>, beta: T, y: Self::VecMut<'_, T>) -> Made<Self>;
        trmv [trmv_on serial] (triangle: Triangle, diagonal: Diagonal, a: Self::Mat<'_, T>, x: Self::VecMut<'_, T>) -> Made<Self>;
        trsv [trsv_on serial] (triangle: Triangle, diagonal: Diagonal, a: Self::Mat<'_, T>, x: Self::VecMut<'_, T>) -> Made<Self>;
        symm [symm_on] (side: Side, alpha: T, triangle: Triangle, a: Self::Mat<'_, T>, b: Self::Mat<'_, T>, beta: T, c: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        syrk [syrk_on] (alpha: T, a: Self::Mat<'_, T>, beta: T, triangle: Triangle, c: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        syr2k [syr2k_on] (alpha: T, a: Self::Mat<'_, T>, b: Self::Mat<'_, T>, beta: T, triangle: Triangle, c: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        trmm [trmm_on] (side: Side, alpha: T, triangle: Triangle, diagonal: Diagonal, a: Self::Mat<'_, T>, b: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        trsm [trsm_on] (side: Side, alpha: T, triangle: Triangle, diagonal: Diagonal, a: Self::Mat<'_, T>, b: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        swap [swap_on serial] (x: Self::VecMut<'_, T>, y: Self::VecMut<'_, T>) -> Made<Self>;
        copy [copy_on serial] (x: Self::Vec<'_, T>, y: Self::VecMut<'_, T>) -> Made<Self>;
        scal {scal_to} (alpha: T, x: Self::VecMut<'_, T>) -> Made<Self>;
        axpy_strided [axpy_strided_on serial] (alpha: T, x: Self::Vec<'_, T>, y: Self::VecMut<'_, T>) -> Made<Self>;
        rot [rot_on serial] (x: Self::VecMut<'_, T>, y: Self::VecMut<'_, T>, c: T, s: T) -> Made<Self>;
        rotm [rotm_on serial] (x: Self::VecMut<'_, T>, y: Self::VecMut<'_, T>, h: &RotM<T>) -> Made<Self>;
    }
}
family! {
    /// Further layers of networks, and their gradients.
    Network NETWORK {
        conv1d [conv1d_on] (conv: Conv1d, x: Self::Ref<'_, T>, weights: Self::Ref<'_, T>, bias: Option<Self::Ref<'_, T>>, out: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        conv1d_backward_input [conv1d_backward_input_on] (conv: Conv1d, dy: Self::Ref<'_, T>, weights: Self::Ref<'_, T>, dx: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        conv1d_backward_weights [conv1d_backward_weights_on] (conv: Conv1d, x: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, dweights: Self::Mut<'_, T>, dbias: Option<Self::Mut<'_, T>>, workspace: Self::Mut<'_, T>) -> Made<Self>;
        max_pool [max_pool_on] (x: Self::Ref<'_, T>, pool: Pool, out: Self::Mut<'_, T>) -> Made<Self>;
        max_pool_indices [max_pool_indices_on] (x: Self::Ref<'_, T>, pool: Pool, out: Self::Mut<'_, T>, indices: Self::Mut<'_, u32>) -> Made<Self>;
        max_pool_backward [max_pool_backward_on] (x: Self::Ref<'_, T>, dy: Self::Ref<'_, T>, pool: Pool, dx: Self::Mut<'_, T>) -> Made<Self>;
        avg_pool [avg_pool_on] (x: Self::Ref<'_, T>, pool: Pool, count_padding: bool, out: Self::Mut<'_, T>) -> Made<Self>;
        avg_pool_backward [avg_pool_backward_on] (dy: Self::Ref<'_, T>, pool: Pool, count_padding: bool, dx: Self::Mut<'_, T>) -> Made<Self>;
    }
}
family! {
    /// Losses of log-probabilities, running sums, cosines with rows, samples as numbers.
    Analysis ANALYSIS {
        cumsum [cumsum_on] (x: Self::Ref<'_, T>, cols: usize, out: Self::Mut<'_, T>) -> Done;
        cosine_similarity_rows [cosine_similarity_rows_on] (query: Self::Ref<'_, T>, x: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Done;
        u8_to_float [u8_to_float_on serial] (x: Self::Ref<'_, u8>, scale: Self::Ref<'_, T>, offset: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Done;
        i16_to_float [i16_to_float_on serial] (x: Self::Ref<'_, i16>, scale: Self::Ref<'_, T>, offset: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Done;
        nll [nll_on] (with: Nll<'_, T>, x: Self::Ref<'_, T>, targets: Self::Ref<'_, u32>, cols: usize, losses: Self::Mut<'_, T>) -> Done;
        nll_backward [nll_backward_on] (with: Nll<'_, T>, targets: Self::Ref<'_, u32>, cols: usize, scale: T, dx: Self::Mut<'_, T>) -> Done;
    }
}
family! {
    /// Linear algebra of complex numbers.
    ComplexAlgebra COMPLEX_ALGEBRA {
        gemm_complex [gemm_complex_on] (alpha: Complex<T>, a: Self::Mat<'_, Complex<T>>, b: Self::Mat<'_, Complex<T>>, conjugate: Conjugate, beta: Complex<T>, c: Self::MatMut<'_, Complex<T>>, workspace: Self::Mut<'_, T>) -> Done;
        gemv_complex [gemv_complex_on serial] (alpha: Complex<T>, a: Self::Mat<'_, Complex<T>>, conjugate: bool, x: Self::Vec<'_, Complex<T>>, beta: Complex<T>, y: Self::VecMut<'_, Complex<T>>) -> Done;
        dot_complex [dot_complex_on serial] (conjugate: bool, x: Self::Vec<'_, Complex<T>>, y: Self::Vec<'_, Complex<T>>) -> Result<Complex<T>, Error>;
        axpy_complex [axpy_complex_on serial] (alpha: Complex<T>, x: Self::Vec<'_, Complex<T>>, y: Self::VecMut<'_, Complex<T>>) -> Done;
        scal_complex [scal_complex_on serial] (alpha: Complex<T>, x: Self::VecMut<'_, Complex<T>>) -> ();
        nrm2_complex [nrm2_complex_on serial] (x: Self::Vec<'_, Complex<T>>) -> T;
        asum_complex [asum_complex_on serial] (x: Self::Vec<'_, Complex<T>>) -> T;
        mul_complex [mul_complex_on serial] (conjugate: bool, x: Self::Ref<'_, Complex<T>>, y: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, Complex<T>>) -> Done;
        abs_complex [abs_complex_on serial] (x: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, T>) -> Done;
        arg_complex [arg_complex_on serial] (x: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, T>) -> Done;
        interleave [interleave_on serial] (re: Self::Ref<'_, T>, im: Self::Ref<'_, T>, out: Self::Mut<'_, Complex<T>>) -> Done;
        deinterleave [deinterleave_on serial] (x: Self::Ref<'_, Complex<T>>, re: Self::Mut<'_, T>, im: Self::Mut<'_, T>) -> Done;
    }
}
family! {
    /// Fourier transforms and filters. Plans and sections are the host's.
    Transforms TRANSFORMS {
        fft [fft_on] (plan: &Fft<'_, T>, direction: Direction, x: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        fft_in_place [fft_in_place_on] (plan: &Fft<'_, T>, direction: Direction, x: Self::Mut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        rfft [rfft_on] (plan: &RealFft<'_, T>, x: Self::Ref<'_, T>, out: Self::Mut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        irfft [irfft_on] (plan: &RealFft<'_, T>, x: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, T>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        fft_rows [fft_rows_on] (plan: &Fft<'_, T>, direction: Direction, x: Self::Mat<'_, Complex<T>>, out: Self::MatMut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        fft_2d [fft_2d_on] (down: &Fft<'_, T>, along: &Fft<'_, T>, direction: Direction, x: Self::Mat<'_, Complex<T>>, out: Self::MatMut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        fft_3d [fft_3d_on] (plans: [&Fft<'_, T>; 3], direction: Direction, x: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        stft [stft_on] (plan: &RealFft<'_, T>, window: Self::Ref<'_, T>, hop: usize, x: Self::Ref<'_, T>, out: Self::Mut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        dct [dct_on] (plan: &Dct<'_, T>, x: Self::Ref<'_, T>, out: Self::Mut<'_, T>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        convolve [convolve_on] (plan: &Convolver<'_, T>, extent: Extent, x: Self::Ref<'_, T>, out: Self::Mut<'_, T>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        convolve_complex [convolve_complex_on] (plan: &ComplexConvolver<'_, T>, extent: Extent, x: Self::Ref<'_, Complex<T>>, out: Self::Mut<'_, Complex<T>>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        fir_fft [fir_fft_on] (plan: &Convolver<'_, T>, state: Self::Mut<'_, T>, x: Self::Ref<'_, T>, out: Self::Mut<'_, T>, workspace: Self::Mut<'_, Complex<T>>) -> Done;
        fir [fir_on serial] (taps: Self::Ref<'_, T>, decimation: usize, state: Self::Mut<'_, T>, x: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Done;
        biquad [biquad_on serial] (sections: &[Biquad<T>], state: Self::Mut<'_, T>, x: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Done;
    }
}
family! {
    /// Systems of linear equations.
    Solvers SOLVERS {
        cholesky [cholesky_on] (a: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        cholesky_solve [cholesky_solve_on] (l: Self::Mat<'_, T>, b: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        lu [lu_on] (a: Self::MatMut<'_, T>, pivots: Self::Mut<'_, usize>, workspace: Self::Mut<'_, T>) -> Done;
        lu_solve [lu_solve_on] (factors: Self::Mat<'_, T>, pivots: Self::Ref<'_, usize>, b: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        determinant [determinant_on serial] (factors: Self::Mat<'_, T>, pivots: Self::Ref<'_, usize>) -> Result<T, Error>;
        qr [qr_on] (a: Self::MatMut<'_, T>, tau: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        qr_apply [qr_apply_on] (transposed: bool, factors: Self::Mat<'_, T>, tau: Self::Ref<'_, T>, c: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        least_squares [least_squares_on] (a: Self::MatMut<'_, T>, tau: Self::Mut<'_, T>, b: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        qr_pivoted [qr_pivoted_on serial] (a: Self::MatMut<'_, T>, tau: Self::Mut<'_, T>, pivots: Self::Mut<'_, usize>, workspace: Self::Mut<'_, T>) -> Done;
        least_norm [least_norm_on serial] (a: Self::MatMut<'_, T>, tau: Self::Mut<'_, T>, pivots: Self::Mut<'_, usize>, b: Self::MatMut<'_, T>, tolerance: T, workspace: Self::Mut<'_, T>) -> Result<usize, Error>;
        inverse [inverse_on] (a: Self::MatMut<'_, T>, pivots: Self::Mut<'_, usize>, workspace: Self::Mut<'_, T>) -> Done;
        lu_condition [lu_condition_on serial] (factors: Self::Mat<'_, T>, pivots: Self::Ref<'_, usize>, norm: T, workspace: Self::Mut<'_, T>) -> Result<T, Error>;
        cholesky_update [cholesky_update_on serial] (down: bool, l: Self::MatMut<'_, T>, x: Self::Mut<'_, T>) -> Done;
        ldlt [ldlt_on] (a: Self::MatMut<'_, T>, off: Self::Mut<'_, T>, pivots: Self::Mut<'_, usize>, workspace: Self::Mut<'_, T>) -> Done;
        ldlt_solve [ldlt_solve_on] (factors: Self::Mat<'_, T>, off: Self::Ref<'_, T>, pivots: Self::Ref<'_, usize>, b: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        lu_refine [lu_refine_on serial] (a: Self::Mat<'_, T>, factors: Self::Mat<'_, f32>, pivots: Self::Ref<'_, usize>, b: Self::Mat<'_, T>, x: Self::MatMut<'_, T>, most: usize, workspace: Self::Mut<'_, T>, narrow: Self::Mut<'_, f32>) -> Result<usize, Error>;
        cholesky_refine [cholesky_refine_on serial] (a: Self::Mat<'_, T>, l: Self::Mat<'_, f32>, b: Self::Mat<'_, T>, x: Self::MatMut<'_, T>, most: usize, workspace: Self::Mut<'_, T>, narrow: Self::Mut<'_, f32>) -> Result<usize, Error>;
        eigh [eigh_on] (a: Self::MatMut<'_, T>, values: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        eigh_generalized [eigh_generalized_on] (a: Self::MatMut<'_, T>, b: Self::MatMut<'_, T>, values: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        eig [eig_on serial] (a: Self::MatMut<'_, T>, left: Option<Self::MatMut<'_, T>>, right: Option<Self::MatMut<'_, T>>, re: Self::Mut<'_, T>, im: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        schur [schur_on serial] (a: Self::MatMut<'_, T>, z: Self::MatMut<'_, T>, re: Self::Mut<'_, T>, im: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
        svd [svd_on] (a: Self::MatMut<'_, T>, u: Self::MatMut<'_, T>, values: Self::Mut<'_, T>, vt: Self::MatMut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
    }
}
family! {
    /// Sparse matrices. What says where their elements are is the host's, as the matrix is.
    Sparse SPARSE {
        spmv [spmv_on] (alpha: T, a: Csr<'_, T>, x: Self::Ref<'_, T>, beta: T, y: Self::Mut<'_, T>) -> Done;
        cg [cg_on serial] (a: Csr<'_, T>, lu: Csr<'_, T>, b: Self::Ref<'_, T>, x: Self::Mut<'_, T>, tolerance: T, most: usize, workspace: Self::Mut<'_, T>) -> Done;
        ilu0 [ilu0_on serial] (a: Csr<'_, T>, factors: Self::Mut<'_, T>) -> Done;
        spsv [spsv_on serial] (triangle: Triangle, diagonal: Diagonal, a: Csr<'_, T>, x: Self::Mut<'_, T>) -> Done;
        coo_to_csr [coo_to_csr_on serial] (rows: usize, cols: usize, i: &[u32], j: &[u32], x: Self::Ref<'_, T>, offsets: &mut [usize], columns: &mut [u32], values: Self::Mut<'_, T>, workspace: &mut [usize]) -> Result<usize, Error>;
        csr_transpose [csr_transpose_on serial] (a: Csr<'_, T>, offsets: &mut [usize], columns: &mut [u32], values: Self::Mut<'_, T>) -> Done;
        spgemm [spgemm_on serial] (a: Csr<'_, T>, b: Csr<'_, T>, offsets: &mut [usize], columns: &mut [u32], values: Self::Mut<'_, T>, workspace: &mut [usize]) -> Result<usize, Error>;
        spadd [spadd_on serial] (alpha: T, a: Csr<'_, T>, beta: T, b: Csr<'_, T>, offsets: &mut [usize], columns: &mut [u32], values: Self::Mut<'_, T>) -> Result<usize, Error>;
        sddmm [sddmm_on serial] (alpha: T, x: Self::Mat<'_, T>, y: Self::Mat<'_, T>, a: Csr<'_, T>, beta: T, values: Self::Mut<'_, T>) -> Done;
        ic0 [ic0_on serial] (a: Csr<'_, T>, factors: Self::Mut<'_, T>) -> Done;
        gauss_seidel [gauss_seidel_on serial] (order: Triangle, omega: T, a: Csr<'_, T>, b: Self::Ref<'_, T>, x: Self::Mut<'_, T>) -> Done;
        gmres [gmres_on serial] (a: Csr<'_, T>, lu: Csr<'_, T>, b: Self::Ref<'_, T>, x: Self::Mut<'_, T>, tolerance: T, restart: usize, most: usize, workspace: Self::Mut<'_, T>) -> Done;
        bicgstab [bicgstab_on serial] (a: Csr<'_, T>, lu: Csr<'_, T>, b: Self::Ref<'_, T>, x: Self::Mut<'_, T>, tolerance: T, most: usize, workspace: Self::Mut<'_, T>) -> Done;
        lobpcg [lobpcg_on serial] (largest: bool, a: Csr<'_, T>, b: Option<Csr<'_, T>>, lu: Option<Csr<'_, T>>, x: Self::Mut<'_, T>, values: Self::Mut<'_, T>, tolerance: T, most: usize, workspace: Self::Mut<'_, T>) -> Result<usize, Error>;
        spmm [spmm_on] (alpha: T, a: Csr<'_, T>, x: Self::Mat<'_, T>, beta: T, y: Self::MatMut<'_, T>) -> Done;
        spmv_transposed [spmv_transposed_on] (alpha: T, a: Csr<'_, T>, x: Self::Ref<'_, T>, beta: T, y: Self::Mut<'_, T>) -> Done;
    }
}
family! {
    /// Contractions. The plan is the host's.
    Contractions CONTRACTIONS {
        pad [pad_on] (x: Self::Ref<'_, T>, shape: &[usize], padding: &[[usize; 2]], with: Pad<T>, out: Self::Mut<'_, T>) -> Done;
        gather [gather_on] (x: Self::Ref<'_, T>, shape: &[usize], axis: usize, ids: Self::Ref<'_, u32>, out: Self::Mut<'_, T>) -> Done;
        gather_elements [gather_elements_on] (x: Self::Ref<'_, T>, shape: &[usize], axis: usize, ids: Self::Ref<'_, u32>, out: Self::Mut<'_, T>) -> Done;
        scatter_add_elements [scatter_add_elements_on] (x: Self::Ref<'_, T>, shape: &[usize], axis: usize, ids: Self::Ref<'_, u32>, out: Self::Mut<'_, T>) -> Done;
        einsum [einsum_on] (plan: &EinsumPlan, operands: &[Self::Ref<'_, T>], out: Self::Mut<'_, T>, workspace: Self::Mut<'_, T>) -> Done;
    }
}

#[cfg(test)]
mod tests {
    use super::super::typed::{BLOCKS, RANDOM};
    use super::*;

    /// What has no method in [`Backend`]: numbers of one call, and what needs a token or a feature of its own.
    const NONE: [&str; 5] = ["rotg", "rotmg", "gemm_bf16_amx", "gemm_f32_amx3", "gemm_i8_amx"];
    const FIXED: [&str; 24] = [
        "lz4_compress",
        "lz4_decompress",
        "attention_bf16_backward",
        "gemm_e4m3",
        "attention_bf16",
        "attention_decode",
        "dequantize_absmax",
        "quantize_absmax",
        "fixed_dot",
        "fixed_gemv",
        "fixed_softmax",
        "fixed_relu",
        "fixed_sigmoid",
        "fixed_tanh",
        "fixed_fir",
        "fixed_biquad",
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
                BLOCKS,
                RANDOM,
            ]
            .concat()
            .contains(&op.name);
            let none = NONE.contains(&op.name) || FIXED.contains(&op.name);
            assert_eq!(usize::from(regular) + usize::from(listed) + usize::from(none), 1, "{}", op.name);
        }
    }
}
