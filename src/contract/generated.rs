// Made by `fulmen contract generate` from contracts/*.yaml; a test compares. Do not edit.

use super::post::{By, Post::*};
use super::tolerance::{Mass, Per, Tolerance};
use super::{Determinism, Post, Residual, Spec, enforced};
use crate::error::Error;
use crate::lanes::Native;
use crate::{Adagrad, Adam, Attention, BatchMut, BatchRef, Biquad, Bsr, Colors, Complex, ComplexConvolver, Conjugate, Conv1d, Convolver, Csr, Dct, Dia, Diagonal, Direction, EinsumPlan, Extent, Fft, Givens, MatMut, MatRef, ModifiedGivens, Momentum, Nll, PackedB, Pad, Pool, RealFft, RopeScaling, RopeStyle, RotM, Sampling, Sell, Side, Triangle, VecMut, VecRef};

/// One entry per contract.
pub const SPECS: &[Spec] = &[
    Spec {
        op: "abs",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), Range(0.0, f64::INFINITY), SameMagnitude],
        after_writes: &[],
    },
    Spec {
        op: "abs_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(3.0)), ("f64", Tolerance::Ulp(3.0)), ("wgsl", Tolerance::Ulp(8.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 7.0,
        post: &[NanIfNan(&[]), Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "acos",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Range(0.0, 3.1415935)],
        after_writes: &[],
    },
    Spec {
        op: "acosh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Range(0.0, f64::INFINITY), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "adagrad",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 32.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 32.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 20.0), ("f64", 40.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "adam",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 48.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 48.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 28.0), ("f64", 56.0)],
        flops_per_element: 14.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "adamw",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 48.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 48.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 28.0), ("f64", 56.0)],
        flops_per_element: 14.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "add",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::Sum, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "approx_exp",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Rel(0.000244140625)), ("f64", Tolerance::Rel(0.000244140625))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 10.0,
        post: &[NanIffNan(&[]), Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "approx_gelu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::RelAbs { rel: 0.00048828125, abs: 3.41796875e-38 }), ("f64", Tolerance::RelAbs { rel: 0.00048828125, abs: 1.3671875e-307 })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 10.0,
        post: &[NanIffNan(&[]), Range(-0.1705294, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "approx_sigmoid",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::RelAbs { rel: 0.000244140625, abs: 3.173828125e-39 }), ("f64", Tolerance::RelAbs { rel: 0.000244140625, abs: 5.859375e-309 })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 10.0,
        post: &[NanIffNan(&[]), Range(0.0, 1.000245)],
        after_writes: &[],
    },
    Spec {
        op: "approx_tanh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Rel(0.000244140625)), ("f64", Tolerance::Rel(0.000244140625))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 10.0,
        post: &[NanIffNan(&[]), SameSign, Range(-1.000245, 1.000245)],
        after_writes: &[],
    },
    Spec {
        op: "arg_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(4.0)), ("f64", Tolerance::Ulp(4.0)), ("wgsl", Tolerance::Ulp(8.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 40.0,
        post: &[NanIfNan(&[]), Range(-3.1415928, 3.1415928)],
        after_writes: &[],
    },
    Spec {
        op: "argmax",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[IndexInRange, IndexOfMax],
        after_writes: &[],
    },
    Spec {
        op: "argmax_last",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[IndexInRange, IndexOfLastMax],
        after_writes: &[],
    },
    Spec {
        op: "argmin",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[IndexInRange, IndexOfMin],
        after_writes: &[],
    },
    Spec {
        op: "argmin_last",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[IndexInRange, IndexOfLastMin],
        after_writes: &[],
    },
    Spec {
        op: "asin",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Range(-1.5707967, 1.5707967), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "asinh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), SameSign, Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "asum",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 2.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 2.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "asum_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 4.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 4.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[]), Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "atan",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), Range(-1.5707967, 1.5707967), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "atanh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0)), ("wgsl", Tolerance::Ulp(4.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "attention",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 32.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 32.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "attention_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 32.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 32.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 10.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "attention_bf16",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 65600.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "attention_bf16_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 65600.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0)],
        flops_per_element: 10.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "attention_decode",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.125, per: Per::N, plus: 32.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0)],
        flops_per_element: 4.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "avg_pool",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "avg_pool_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "axpy",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "axpy_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 48.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "axpy_strided",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "bernoulli",
        determinism: Determinism::Exact,
        tolerance: &[("bool", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("bool", 1.0)],
        flops_per_element: 10.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "bf16_to_f32",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 6.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "bicgstab",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[])],
        after_writes: &[("Domain", &["a", "x"])],
    },
    Spec {
        op: "biquad",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 5.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 5.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 10.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "bottom_k",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[Ascending, IndexInRange, IndexSelects],
        after_writes: &[],
    },
    Spec {
        op: "ceil",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "celu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(4.0)), ("f64", Tolerance::Ulp(4.0)), ("wgsl", Tolerance::Ulp(8.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 26.0,
        post: &[NanIffNan(&[]), SameSign],
        after_writes: &[],
    },
    Spec {
        op: "cg",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[("Domain", &["a", "lu", "x"])],
    },
    Spec {
        op: "cholesky",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 1.0, per: Per::N, plus: 4.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 300.0,
        post: &[Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "cholesky_refine",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 64.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "cholesky_solve",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "residual", times: 10.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 64.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "cholesky_update",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 5.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "clamp",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), WithinParams(0, 1), Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "clip_by_norm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 3.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "conv1d",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "conv1d_backward_input",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "conv1d_backward_weights",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "convolve",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 60.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "convolve_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 120.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "coo_to_csr",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 40.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "copy",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 0.0,
        post: &[Selects],
        after_writes: &[],
    },
    Spec {
        op: "copysign",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[SameMagnitude, SignOfSecond],
        after_writes: &[],
    },
    Spec {
        op: "correlation",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 8.0, per: Per::Tree, plus: 20.0, of: Mass::Correlation, flush: false }), ("f64", Tolerance::Gamma { times: 8.0, per: Per::Tree, plus: 20.0, of: Mass::Correlation, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "cos",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 30.0,
        post: &[NanIfNan(&[]), Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "cosh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), Range(1.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "cosine_similarity",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[]), Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "cosine_similarity_rows",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[]), Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "covariance",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 12.0, of: Mass::Covariance, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 12.0, of: Mass::Covariance, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[]), Bounded(By::Spreads, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "cross_entropy",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "cross_entropy_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "cross_entropy_with_gradient",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 40.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "csr_transpose",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 40.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "cumsum",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 0.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 0.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "dct",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "deinterleave",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 0.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "dequantize",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "dequantize_absmax",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 9.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "dequantize_padded",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 5.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "determinant",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "div",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5)), ("wgsl", Tolerance::Ulp(2.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::Quotient, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "dot",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::SumAbsProducts, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::SumAbsProducts, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[]), Bounded(By::SumAbsProducts, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "dot_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "dot_strided",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::SumAbsProducts, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::SumAbsProducts, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "eig",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "vectors", times: 40.0, per: Per::Root, plus: 0.0 }, Residual { name: "lengths", times: 5.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 2500.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "eigh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 12.0, per: Per::Root, plus: 0.0 }, Residual { name: "vectors", times: 12.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4000.0,
        post: &[Range(-1.001, 1.001)],
        after_writes: &[],
    },
    Spec {
        op: "eigh_generalized",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 5.0, per: Per::Root, plus: 0.0 }, Residual { name: "vectors", times: 5.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1200.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "einsum",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 32.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 32.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "elu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIffNan(&[0])],
        after_writes: &[],
    },
    Spec {
        op: "embedding",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "equal",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, 1.0), Integral],
        after_writes: &[],
    },
    Spec {
        op: "erf",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 60.0,
        post: &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Monotone(3.0)],
        after_writes: &[],
    },
    Spec {
        op: "euclidean_distance",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 10.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 10.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "exp",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), Range(0.0, f64::INFINITY), Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "exp2",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), Range(0.0, f64::INFINITY), Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "exp_m1",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), Range(-1.0, f64::INFINITY), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "exponential",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(4.0)), ("f64", Tolerance::Ulp(4.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 40.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "f16_to_f32",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 6.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "f32_to_bf16",
        determinism: Determinism::Exact,
        tolerance: &[("bf16", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("bf16", 6.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "f32_to_f16",
        determinism: Determinism::Exact,
        tolerance: &[("f16", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f16", 6.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fft",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 50.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "fft_2d",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 5.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 5.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 50.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "fft_3d",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 5.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 5.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 50.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "fft_rows",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 50.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "fir",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 32.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "fir_fft",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 60.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "fixed_biquad",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 2.0), ("i8", 1.0)],
        flops_per_element: 10.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_dot",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 4.0), ("i8", 2.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_fir",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 2.0), ("i8", 1.0)],
        flops_per_element: 32.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_gemv",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 2.0), ("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_relu",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 4.0), ("i8", 2.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_sigmoid",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 4.0), ("i8", 2.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_softmax",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 4.0), ("i8", 2.0)],
        flops_per_element: 3.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "fixed_tanh",
        determinism: Determinism::Exact,
        tolerance: &[("i16", Tolerance::Exact), ("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i16", 4.0), ("i8", 2.0)],
        flops_per_element: 1.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "floor",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "fma",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[]), Bounded(By::MulAdd, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "fract",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4.0,
        post: &[NanIffNan(&[]), SameSign, Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "gather",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gather_elements",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gauss_seidel",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "geglu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Bounded(By::Product, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "gelu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIffNan(&[]), Range(-0.1700409, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "gelu_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Bounded(By::Second, 1.13)],
        after_writes: &[],
    },
    Spec {
        op: "gelu_erf",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(4.0)), ("f64", Tolerance::Ulp(4.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 40.0,
        post: &[NanIffNan(&[]), Range(-0.1699713, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "gemm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gemm_backward_a",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gemm_backward_b",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gemm_bf16",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemm_bf16_amx",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemm_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gemm_e4m3",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("tensor", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 278532.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 2.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemm_f16",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemm_f32_amx3",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 520.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemm_i8",
        determinism: Determinism::Exact,
        tolerance: &[("i32", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i32", 2.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemm_u8",
        determinism: Determinism::Exact,
        tolerance: &[("i32", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i32", 2.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "gemv",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 5.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 5.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gemv_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "ger",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 3.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 3.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "gmres",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[])],
        after_writes: &[("Domain", &["a", "x"])],
    },
    Spec {
        op: "hard_sigmoid",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0)), ("wgsl", Tolerance::Ulp(3.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4.0,
        post: &[NanIffNan(&[]), Range(0.0, 1.0), Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "hardswish",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 5.0,
        post: &[NanIffNan(&[]), Range(-0.3750001, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "i16_to_float",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 6.0), ("f64", 10.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "iamax",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[IndexInRange, IndexOfMax],
        after_writes: &[],
    },
    Spec {
        op: "ic0",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "ilu0",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "integers",
        determinism: Determinism::Exact,
        tolerance: &[("i32", Tolerance::Exact), ("i64", Tolerance::Exact), ("u32", Tolerance::Exact), ("u64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i32", 4.0), ("i64", 8.0), ("u32", 4.0), ("u64", 8.0)],
        flops_per_element: 12.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "interleave",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 0.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "inverse",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "residual", times: 4.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 800.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "irfft",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 25.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "layer_norm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), Bounded(By::Row, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "layer_norm_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 32.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 32.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 16.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "layer_norm_simple",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), RowSumSquares(0.0, 4.0)],
        after_writes: &[],
    },
    Spec {
        op: "ldlt",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 2.0, per: Per::N, plus: 6.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 11.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "ldlt_solve",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "residual", times: 6.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 64.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "leaky_relu",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[0])],
        after_writes: &[],
    },
    Spec {
        op: "leaky_relu_backward",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[0])],
        after_writes: &[],
    },
    Spec {
        op: "least_norm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 600.0,
        post: &[Range(0.0, 2.0)],
        after_writes: &[],
    },
    Spec {
        op: "least_squares",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "residual", times: 4.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 600.0,
        post: &[Range(0.0, 2.001)],
        after_writes: &[],
    },
    Spec {
        op: "lerp",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 3.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 3.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[]), Bounded(By::Lerp, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "less",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, 1.0), Integral],
        after_writes: &[],
    },
    Spec {
        op: "less_equal",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, 1.0), Integral],
        after_writes: &[],
    },
    Spec {
        op: "ln",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "ln_1p",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "lobpcg",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "log10",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "log2",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "log_softmax",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[Range(f64::NEG_INFINITY, 0.0), NanIfNan(&[]), RowExpSum(1.0, 16.0)],
        after_writes: &[],
    },
    Spec {
        op: "log_softmax_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 14.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "logsumexp",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 8.0,
        post: &[NanIffNan(&[]), DominatesMax],
        after_writes: &[],
    },
    Spec {
        op: "lu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 1.0, per: Per::N, plus: 4.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 600.0,
        post: &[Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "lu_condition",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 20.0,
        post: &[Range(0.0, 2.0)],
        after_writes: &[],
    },
    Spec {
        op: "lu_refine",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 64.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "lu_solve",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "residual", times: 8.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 64.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "lz4_compress",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 2.0)],
        flops_per_element: 0.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "lz4_decompress",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 2.0)],
        flops_per_element: 0.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "masked_softmax",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 22.0,
        post: &[NanIfNan(&[]), Range(0.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "max",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), Selects, DominatesMax],
        after_writes: &[],
    },
    Spec {
        op: "max_pool",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "max_pool_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "max_pool_indices",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 20.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "maximum",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), Selects],
        after_writes: &[],
    },
    Spec {
        op: "mean",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::MeanAbs, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::MeanAbs, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::MeanAbs, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "min",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), Selects, DominatesMin],
        after_writes: &[],
    },
    Spec {
        op: "minimum",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), Selects],
        after_writes: &[],
    },
    Spec {
        op: "minmax_normalize",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), Range(0.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "mish",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIffNan(&[]), Range(-0.3088435, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "momentum",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 12.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 12.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 20.0), ("f64", 40.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "mul",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::Product, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "mul_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 48.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "neg",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), SameMagnitude],
        after_writes: &[],
    },
    Spec {
        op: "nll",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "nll_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "norm_l1",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 2.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 2.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "norm_l2",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 8.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 8.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "norm_linf",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, f64::INFINITY), NanIffNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "normal",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::RelAbs { rel: 6e-7, abs: 4e-7 }), ("f64", Tolerance::RelAbs { rel: 1e-15, abs: 8e-16 })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 50.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "normalize",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), Range(-1.0, 1.0), RowSumSquares(1.0, 4.0)],
        after_writes: &[],
    },
    Spec {
        op: "nrm2",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 8.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 8.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "nrm2_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 12.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 12.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[]), Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "pad",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "permutation",
        determinism: Determinism::Exact,
        tolerance: &[("u64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("u64", 16.0)],
        flops_per_element: 20.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "pow",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 40.0,
        post: &[NonNegativeWhereFirstIs],
        after_writes: &[],
    },
    Spec {
        op: "pow_scalar",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 40.0,
        post: &[NonNegativeWhereFirstIs],
        after_writes: &[],
    },
    Spec {
        op: "prelu",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NonNegativeWhereFirstIs],
        after_writes: &[],
    },
    Spec {
        op: "prod",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 10.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "qr",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 10.0, per: Per::Root, plus: 0.0 }, Residual { name: "vectors", times: 10.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 600.0,
        post: &[Range(0.0, 2.001)],
        after_writes: &[],
    },
    Spec {
        op: "qr_apply",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "products", times: 6.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 128.0,
        post: &[Range(f64::NEG_INFINITY, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "qr_pivoted",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 10.0, per: Per::Root, plus: 0.0 }, Residual { name: "vectors", times: 10.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 600.0,
        post: &[Range(0.0, 2.0)],
        after_writes: &[],
    },
    Spec {
        op: "quant_dot",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "quant_gemm",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "quant_gemv",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "quant_rows",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "quantize",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 1.0)],
        flops_per_element: 2.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "quantize_absmax",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 9.0)],
        flops_per_element: 10.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "quantize_padded",
        determinism: Determinism::Exact,
        tolerance: &[("i8", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("i8", 5.0)],
        flops_per_element: 10.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "random_bits",
        determinism: Determinism::Exact,
        tolerance: &[("u32", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("u32", 4.0)],
        flops_per_element: 10.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "recip",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5)), ("wgsl", Tolerance::Ulp(2.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), SameSign],
        after_writes: &[],
    },
    Spec {
        op: "relu",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[Range(0.0, f64::INFINITY), NanIffNan(&[]), Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "relu_backward",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[]), Bounded(By::Second, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "rfft",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 5.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 5.0, per: Per::Log, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 25.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rms_norm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 12.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), Bounded(By::Row, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "rms_norm_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 12.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rms_norm_residual",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 5.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rms_norm_residual_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 13.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rope",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rope_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rope_view",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rot",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 3.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 3.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rotg",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 48.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "rotm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 3.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 3.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[0, 1, 2, 3, 4])],
        after_writes: &[],
    },
    Spec {
        op: "rotmg",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 48.0), ("f64", 96.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "round",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "round_ties_even",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "sample",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 30.0,
        post: &[IndexInRange],
        after_writes: &[],
    },
    Spec {
        op: "scal",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "scal_complex",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 6.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "scale",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::Scaled, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "scatter",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "scatter_add",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "scatter_add_elements",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 1.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "schur",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 20.0, per: Per::Root, plus: 0.0 }, Residual { name: "vectors", times: 15.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 2500.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "sddmm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 64.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "select",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 1.0,
        post: &[Selects],
        after_writes: &[],
    },
    Spec {
        op: "selu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIffNan(&[]), Range(-1.7581, f64::INFINITY), Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "sgd",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: true }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "shuffle",
        determinism: Determinism::Exact,
        tolerance: &[("u64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("u64", 16.0)],
        flops_per_element: 20.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "sigmoid",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIffNan(&[]), Range(0.0, 1.0), Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "sigmoid_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "sign",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Integral, Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "silu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 25.0,
        post: &[NanIffNan(&[]), Range(-0.2784648, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "silu_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Bounded(By::Second, 1.1)],
        after_writes: &[],
    },
    Spec {
        op: "sin",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 30.0,
        post: &[NanIfNan(&[]), Range(-1.0, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "sinh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), SameSign, Monotone(4.0)],
        after_writes: &[],
    },
    Spec {
        op: "softmax",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 300.0, of: Mass::Value, flush: true }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 1800.0, of: Mass::Value, flush: true })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[Range(0.0, 1.0), NanIfNan(&[]), RowSum(1.0, 4.0)],
        after_writes: &[],
    },
    Spec {
        op: "softmax_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "softplus",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(3.0)), ("f64", Tolerance::Ulp(3.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 40.0,
        post: &[NanIffNan(&[]), Range(0.0, f64::INFINITY), Monotone(6.0)],
        after_writes: &[],
    },
    Spec {
        op: "softsign",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0)), ("wgsl", Tolerance::Ulp(4.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "spadd",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 40.0)],
        flops_per_element: 3.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "spgemm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "spmm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "spmv",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "spmv_transposed",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "spsv",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.0, per: Per::Root, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "sqrt",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5)), ("wgsl", Tolerance::Ulp(5.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[Range(-0.0, f64::INFINITY), NanIfNan(&[]), Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "square",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIffNan(&[]), Range(0.0, f64::INFINITY)],
        after_writes: &[],
    },
    Spec {
        op: "stddev",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 14.0, of: Mass::Stddev, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 14.0, of: Mass::Stddev, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 4.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "stft",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 16.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 6.0, per: Per::Log, plus: 16.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 24.0), ("f64", 48.0)],
        flops_per_element: 50.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "sub",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Ulp(0.5)), ("f64", Tolerance::Ulp(0.5))],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::Sum, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "sum",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 2.0, of: Mass::SumAbs, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 2.0, of: Mass::SumAbs, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[]), Bounded(By::SumAbs, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "sum_kahan",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Compensated { of: Mass::SumAbs }), ("f64", Tolerance::Compensated { of: Mass::SumAbs })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 7.0,
        post: &[NanIfNan(&[]), Bounded(By::SumAbs, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "sum_of_squares",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::Value, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::Tree, plus: 3.0, of: Mass::Value, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "svd",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::N, plus: 40.0, of: Mass::Terms, flush: false })],
        residuals: &[Residual { name: "factors", times: 20.0, per: Per::Root, plus: 0.0 }, Residual { name: "vectors", times: 20.0, per: Per::Root, plus: 0.0 }],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8000.0,
        post: &[Range(-1.001, 1.001)],
        after_writes: &[],
    },
    Spec {
        op: "swap",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 16.0), ("f64", 32.0)],
        flops_per_element: 0.0,
        post: &[Selects],
        after_writes: &[],
    },
    Spec {
        op: "swiglu",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[]), Bounded(By::Product, 1.0)],
        after_writes: &[],
    },
    Spec {
        op: "swiglu_packed",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 20.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "swiglu_packed_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 24.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 20.0), ("f64", 40.0)],
        flops_per_element: 40.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "symm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "symv",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 2.0), ("f64", 4.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "syr",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 3.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 3.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "syr2",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "syr2k",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 8.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 8.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "syrk",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "tan",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(2.0)), ("f64", Tolerance::Ulp(2.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 30.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "tanh",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Ulp(1.0)), ("f64", Tolerance::Ulp(1.0))],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 20.0,
        post: &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Monotone(2.0)],
        after_writes: &[],
    },
    Spec {
        op: "tanh_backward",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 12.0), ("f64", 24.0)],
        flops_per_element: 4.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "threshold",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[0, 1])],
        after_writes: &[],
    },
    Spec {
        op: "top_k",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 1.0,
        post: &[Descending, IndexInRange, IndexSelects],
        after_writes: &[],
    },
    Spec {
        op: "transpose",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 0.0,
        post: &[Selects],
        after_writes: &[],
    },
    Spec {
        op: "trmm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0078125, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "trmv",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 2.0), ("f64", 4.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "trsm",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 2.015625, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 2.015625, per: Per::N, plus: 6.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "trsv",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 1.0, per: Per::N, plus: 4.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 2.0), ("f64", 4.0)],
        flops_per_element: 1.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "trunc",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 3.0,
        post: &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)],
        after_writes: &[],
    },
    Spec {
        op: "truncated_normal",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 200.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "u8_to_float",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 0.0, per: Per::One, plus: 2.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 5.0), ("f64", 9.0)],
        flops_per_element: 2.0,
        post: &[NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "uniform",
        determinism: Determinism::Exact,
        tolerance: &[("f32", Tolerance::Exact), ("f64", Tolerance::Exact)],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 12.0,
        post: &[],
        after_writes: &[],
    },
    Spec {
        op: "variance",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 12.0, of: Mass::Variance, flush: false }), ("f64", Tolerance::Gamma { times: 4.0, per: Per::Tree, plus: 12.0, of: Mass::Variance, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 4.0), ("f64", 8.0)],
        flops_per_element: 4.0,
        post: &[Range(0.0, f64::INFINITY), NanIfNan(&[])],
        after_writes: &[],
    },
    Spec {
        op: "zscore",
        determinism: Determinism::Stable,
        tolerance: &[("f32", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false }), ("f64", Tolerance::Gamma { times: 3.0, per: Per::Tree, plus: 20.0, of: Mass::Terms, flush: false })],
        residuals: &[],
        bytes_per_element: &[("f32", 8.0), ("f64", 16.0)],
        flops_per_element: 8.0,
        post: &[NanIfNan(&[]), RowSumSquares(0.0, 4.0)],
        after_writes: &[],
    },
];

/// `check::<op>` evaluates the postconditions of `<op>` on a finished call, in any build.
pub mod check {
    use super::*;
    use super::super::{Call, Violation, evaluate};
    use crate::alu::Real;
    /// The postconditions of `abs`.
    ///
    /// Errors: the first that does not hold.
    pub fn abs<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, f64::INFINITY), SameMagnitude];
        evaluate(POSTS, c)
    }
    /// The postconditions of `abs_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn abs_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `acos`.
    ///
    /// Errors: the first that does not hold.
    pub fn acos<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, 3.1415935)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `acosh`.
    ///
    /// Errors: the first that does not hold.
    pub fn acosh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, f64::INFINITY), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `adagrad`.
    ///
    /// Errors: the first that does not hold.
    pub fn adagrad<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `adam`.
    ///
    /// Errors: the first that does not hold.
    pub fn adam<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `adamw`.
    ///
    /// Errors: the first that does not hold.
    pub fn adamw<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `add`.
    ///
    /// Errors: the first that does not hold.
    pub fn add<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Sum, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `approx_exp`.
    ///
    /// Errors: the first that does not hold.
    pub fn approx_exp<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `approx_gelu`.
    ///
    /// Errors: the first that does not hold.
    pub fn approx_gelu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-0.1705294, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `approx_sigmoid`.
    ///
    /// Errors: the first that does not hold.
    pub fn approx_sigmoid<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, 1.000245)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `approx_tanh`.
    ///
    /// Errors: the first that does not hold.
    pub fn approx_tanh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameSign, Range(-1.000245, 1.000245)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `arg_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn arg_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-3.1415928, 3.1415928)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `argmax`.
    ///
    /// Errors: the first that does not hold.
    pub fn argmax<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[IndexInRange, IndexOfMax];
        evaluate(POSTS, c)
    }
    /// The postconditions of `argmax_last`.
    ///
    /// Errors: the first that does not hold.
    pub fn argmax_last<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[IndexInRange, IndexOfLastMax];
        evaluate(POSTS, c)
    }
    /// The postconditions of `argmin`.
    ///
    /// Errors: the first that does not hold.
    pub fn argmin<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[IndexInRange, IndexOfMin];
        evaluate(POSTS, c)
    }
    /// The postconditions of `argmin_last`.
    ///
    /// Errors: the first that does not hold.
    pub fn argmin_last<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[IndexInRange, IndexOfLastMin];
        evaluate(POSTS, c)
    }
    /// The postconditions of `asin`.
    ///
    /// Errors: the first that does not hold.
    pub fn asin<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.5707967, 1.5707967), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `asinh`.
    ///
    /// Errors: the first that does not hold.
    pub fn asinh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameSign, Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `asum`.
    ///
    /// Errors: the first that does not hold.
    pub fn asum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `asum_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn asum_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `atan`.
    ///
    /// Errors: the first that does not hold.
    pub fn atan<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.5707967, 1.5707967), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `atanh`.
    ///
    /// Errors: the first that does not hold.
    pub fn atanh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `attention`.
    ///
    /// Errors: the first that does not hold.
    pub fn attention<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `attention_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn attention_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `avg_pool`.
    ///
    /// Errors: the first that does not hold.
    pub fn avg_pool<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `avg_pool_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn avg_pool_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `axpy`.
    ///
    /// Errors: the first that does not hold.
    pub fn axpy<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `axpy_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn axpy_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `axpy_strided`.
    ///
    /// Errors: the first that does not hold.
    pub fn axpy_strided<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `bicgstab`.
    ///
    /// Errors: the first that does not hold.
    pub fn bicgstab<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `biquad`.
    ///
    /// Errors: the first that does not hold.
    pub fn biquad<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `bottom_k`.
    ///
    /// Errors: the first that does not hold.
    pub fn bottom_k<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Ascending, IndexInRange, IndexSelects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ceil`.
    ///
    /// Errors: the first that does not hold.
    pub fn ceil<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `celu`.
    ///
    /// Errors: the first that does not hold.
    pub fn celu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameSign];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cg`.
    ///
    /// Errors: the first that does not hold.
    pub fn cg<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cholesky`.
    ///
    /// Errors: the first that does not hold.
    pub fn cholesky<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cholesky_refine`.
    ///
    /// Errors: the first that does not hold.
    pub fn cholesky_refine<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cholesky_solve`.
    ///
    /// Errors: the first that does not hold.
    pub fn cholesky_solve<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cholesky_update`.
    ///
    /// Errors: the first that does not hold.
    pub fn cholesky_update<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `clamp`.
    ///
    /// Errors: the first that does not hold.
    pub fn clamp<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), WithinParams(0, 1), Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `clip_by_norm`.
    ///
    /// Errors: the first that does not hold.
    pub fn clip_by_norm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `conv1d`.
    ///
    /// Errors: the first that does not hold.
    pub fn conv1d<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `conv1d_backward_input`.
    ///
    /// Errors: the first that does not hold.
    pub fn conv1d_backward_input<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `conv1d_backward_weights`.
    ///
    /// Errors: the first that does not hold.
    pub fn conv1d_backward_weights<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `convolve`.
    ///
    /// Errors: the first that does not hold.
    pub fn convolve<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `convolve_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn convolve_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `coo_to_csr`.
    ///
    /// Errors: the first that does not hold.
    pub fn coo_to_csr<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `copy`.
    ///
    /// Errors: the first that does not hold.
    pub fn copy<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Selects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `copysign`.
    ///
    /// Errors: the first that does not hold.
    pub fn copysign<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[SameMagnitude, SignOfSecond];
        evaluate(POSTS, c)
    }
    /// The postconditions of `correlation`.
    ///
    /// Errors: the first that does not hold.
    pub fn correlation<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cos`.
    ///
    /// Errors: the first that does not hold.
    pub fn cos<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cosh`.
    ///
    /// Errors: the first that does not hold.
    pub fn cosh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(1.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cosine_similarity`.
    ///
    /// Errors: the first that does not hold.
    pub fn cosine_similarity<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cosine_similarity_rows`.
    ///
    /// Errors: the first that does not hold.
    pub fn cosine_similarity_rows<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `covariance`.
    ///
    /// Errors: the first that does not hold.
    pub fn covariance<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Spreads, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cross_entropy`.
    ///
    /// Errors: the first that does not hold.
    pub fn cross_entropy<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cross_entropy_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn cross_entropy_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cross_entropy_with_gradient`.
    ///
    /// Errors: the first that does not hold.
    pub fn cross_entropy_with_gradient<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `csr_transpose`.
    ///
    /// Errors: the first that does not hold.
    pub fn csr_transpose<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `cumsum`.
    ///
    /// Errors: the first that does not hold.
    pub fn cumsum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `dct`.
    ///
    /// Errors: the first that does not hold.
    pub fn dct<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `deinterleave`.
    ///
    /// Errors: the first that does not hold.
    pub fn deinterleave<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `determinant`.
    ///
    /// Errors: the first that does not hold.
    pub fn determinant<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `div`.
    ///
    /// Errors: the first that does not hold.
    pub fn div<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Quotient, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `dot`.
    ///
    /// Errors: the first that does not hold.
    pub fn dot<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::SumAbsProducts, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `dot_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn dot_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `dot_strided`.
    ///
    /// Errors: the first that does not hold.
    pub fn dot_strided<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `eig`.
    ///
    /// Errors: the first that does not hold.
    pub fn eig<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `eigh`.
    ///
    /// Errors: the first that does not hold.
    pub fn eigh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(-1.001, 1.001)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `eigh_generalized`.
    ///
    /// Errors: the first that does not hold.
    pub fn eigh_generalized<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `einsum`.
    ///
    /// Errors: the first that does not hold.
    pub fn einsum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `elu`.
    ///
    /// Errors: the first that does not hold.
    pub fn elu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[0])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `embedding`.
    ///
    /// Errors: the first that does not hold.
    pub fn embedding<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `equal`.
    ///
    /// Errors: the first that does not hold.
    pub fn equal<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 1.0), Integral];
        evaluate(POSTS, c)
    }
    /// The postconditions of `erf`.
    ///
    /// Errors: the first that does not hold.
    pub fn erf<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Monotone(3.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `euclidean_distance`.
    ///
    /// Errors: the first that does not hold.
    pub fn euclidean_distance<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `exp`.
    ///
    /// Errors: the first that does not hold.
    pub fn exp<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, f64::INFINITY), Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `exp2`.
    ///
    /// Errors: the first that does not hold.
    pub fn exp2<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, f64::INFINITY), Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `exp_m1`.
    ///
    /// Errors: the first that does not hold.
    pub fn exp_m1<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.0, f64::INFINITY), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fft`.
    ///
    /// Errors: the first that does not hold.
    pub fn fft<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fft_2d`.
    ///
    /// Errors: the first that does not hold.
    pub fn fft_2d<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fft_3d`.
    ///
    /// Errors: the first that does not hold.
    pub fn fft_3d<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fft_rows`.
    ///
    /// Errors: the first that does not hold.
    pub fn fft_rows<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fir`.
    ///
    /// Errors: the first that does not hold.
    pub fn fir<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fir_fft`.
    ///
    /// Errors: the first that does not hold.
    pub fn fir_fft<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `floor`.
    ///
    /// Errors: the first that does not hold.
    pub fn floor<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fma`.
    ///
    /// Errors: the first that does not hold.
    pub fn fma<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::MulAdd, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `fract`.
    ///
    /// Errors: the first that does not hold.
    pub fn fract<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameSign, Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gather`.
    ///
    /// Errors: the first that does not hold.
    pub fn gather<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gather_elements`.
    ///
    /// Errors: the first that does not hold.
    pub fn gather_elements<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gauss_seidel`.
    ///
    /// Errors: the first that does not hold.
    pub fn gauss_seidel<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `geglu`.
    ///
    /// Errors: the first that does not hold.
    pub fn geglu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Product, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gelu`.
    ///
    /// Errors: the first that does not hold.
    pub fn gelu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-0.1700409, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gelu_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn gelu_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Second, 1.13)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gelu_erf`.
    ///
    /// Errors: the first that does not hold.
    pub fn gelu_erf<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-0.1699713, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gemm`.
    ///
    /// Errors: the first that does not hold.
    pub fn gemm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gemm_backward_a`.
    ///
    /// Errors: the first that does not hold.
    pub fn gemm_backward_a<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gemm_backward_b`.
    ///
    /// Errors: the first that does not hold.
    pub fn gemm_backward_b<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gemm_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn gemm_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gemv`.
    ///
    /// Errors: the first that does not hold.
    pub fn gemv<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gemv_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn gemv_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ger`.
    ///
    /// Errors: the first that does not hold.
    pub fn ger<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `gmres`.
    ///
    /// Errors: the first that does not hold.
    pub fn gmres<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `hard_sigmoid`.
    ///
    /// Errors: the first that does not hold.
    pub fn hard_sigmoid<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, 1.0), Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `hardswish`.
    ///
    /// Errors: the first that does not hold.
    pub fn hardswish<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-0.3750001, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `i16_to_float`.
    ///
    /// Errors: the first that does not hold.
    pub fn i16_to_float<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `iamax`.
    ///
    /// Errors: the first that does not hold.
    pub fn iamax<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[IndexInRange, IndexOfMax];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ic0`.
    ///
    /// Errors: the first that does not hold.
    pub fn ic0<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ilu0`.
    ///
    /// Errors: the first that does not hold.
    pub fn ilu0<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `interleave`.
    ///
    /// Errors: the first that does not hold.
    pub fn interleave<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `inverse`.
    ///
    /// Errors: the first that does not hold.
    pub fn inverse<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `irfft`.
    ///
    /// Errors: the first that does not hold.
    pub fn irfft<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `layer_norm`.
    ///
    /// Errors: the first that does not hold.
    pub fn layer_norm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Row, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `layer_norm_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn layer_norm_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `layer_norm_simple`.
    ///
    /// Errors: the first that does not hold.
    pub fn layer_norm_simple<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), RowSumSquares(0.0, 4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ldlt`.
    ///
    /// Errors: the first that does not hold.
    pub fn ldlt<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ldlt_solve`.
    ///
    /// Errors: the first that does not hold.
    pub fn ldlt_solve<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `leaky_relu`.
    ///
    /// Errors: the first that does not hold.
    pub fn leaky_relu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[0])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `leaky_relu_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn leaky_relu_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[0])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `least_norm`.
    ///
    /// Errors: the first that does not hold.
    pub fn least_norm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `least_squares`.
    ///
    /// Errors: the first that does not hold.
    pub fn least_squares<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 2.001)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `lerp`.
    ///
    /// Errors: the first that does not hold.
    pub fn lerp<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Lerp, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `less`.
    ///
    /// Errors: the first that does not hold.
    pub fn less<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 1.0), Integral];
        evaluate(POSTS, c)
    }
    /// The postconditions of `less_equal`.
    ///
    /// Errors: the first that does not hold.
    pub fn less_equal<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 1.0), Integral];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ln`.
    ///
    /// Errors: the first that does not hold.
    pub fn ln<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `ln_1p`.
    ///
    /// Errors: the first that does not hold.
    pub fn ln_1p<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `lobpcg`.
    ///
    /// Errors: the first that does not hold.
    pub fn lobpcg<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `log10`.
    ///
    /// Errors: the first that does not hold.
    pub fn log10<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `log2`.
    ///
    /// Errors: the first that does not hold.
    pub fn log2<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `log_softmax`.
    ///
    /// Errors: the first that does not hold.
    pub fn log_softmax<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(f64::NEG_INFINITY, 0.0), NanIfNan(&[]), RowExpSum(1.0, 16.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `log_softmax_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn log_softmax_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `logsumexp`.
    ///
    /// Errors: the first that does not hold.
    pub fn logsumexp<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), DominatesMax];
        evaluate(POSTS, c)
    }
    /// The postconditions of `lu`.
    ///
    /// Errors: the first that does not hold.
    pub fn lu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `lu_condition`.
    ///
    /// Errors: the first that does not hold.
    pub fn lu_condition<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `lu_refine`.
    ///
    /// Errors: the first that does not hold.
    pub fn lu_refine<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `lu_solve`.
    ///
    /// Errors: the first that does not hold.
    pub fn lu_solve<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `masked_softmax`.
    ///
    /// Errors: the first that does not hold.
    pub fn masked_softmax<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `max`.
    ///
    /// Errors: the first that does not hold.
    pub fn max<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Selects, DominatesMax];
        evaluate(POSTS, c)
    }
    /// The postconditions of `max_pool`.
    ///
    /// Errors: the first that does not hold.
    pub fn max_pool<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `max_pool_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn max_pool_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `max_pool_indices`.
    ///
    /// Errors: the first that does not hold.
    pub fn max_pool_indices<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `maximum`.
    ///
    /// Errors: the first that does not hold.
    pub fn maximum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Selects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `mean`.
    ///
    /// Errors: the first that does not hold.
    pub fn mean<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::MeanAbs, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `min`.
    ///
    /// Errors: the first that does not hold.
    pub fn min<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Selects, DominatesMin];
        evaluate(POSTS, c)
    }
    /// The postconditions of `minimum`.
    ///
    /// Errors: the first that does not hold.
    pub fn minimum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Selects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `minmax_normalize`.
    ///
    /// Errors: the first that does not hold.
    pub fn minmax_normalize<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `mish`.
    ///
    /// Errors: the first that does not hold.
    pub fn mish<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-0.3088435, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `momentum`.
    ///
    /// Errors: the first that does not hold.
    pub fn momentum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `mul`.
    ///
    /// Errors: the first that does not hold.
    pub fn mul<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Product, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `mul_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn mul_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `neg`.
    ///
    /// Errors: the first that does not hold.
    pub fn neg<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameMagnitude];
        evaluate(POSTS, c)
    }
    /// The postconditions of `nll`.
    ///
    /// Errors: the first that does not hold.
    pub fn nll<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `nll_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn nll_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `norm_l1`.
    ///
    /// Errors: the first that does not hold.
    pub fn norm_l1<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `norm_l2`.
    ///
    /// Errors: the first that does not hold.
    pub fn norm_l2<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `norm_linf`.
    ///
    /// Errors: the first that does not hold.
    pub fn norm_linf<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIffNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `normalize`.
    ///
    /// Errors: the first that does not hold.
    pub fn normalize<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.0, 1.0), RowSumSquares(1.0, 4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `nrm2`.
    ///
    /// Errors: the first that does not hold.
    pub fn nrm2<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `nrm2_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn nrm2_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `pad`.
    ///
    /// Errors: the first that does not hold.
    pub fn pad<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `pow`.
    ///
    /// Errors: the first that does not hold.
    pub fn pow<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NonNegativeWhereFirstIs];
        evaluate(POSTS, c)
    }
    /// The postconditions of `pow_scalar`.
    ///
    /// Errors: the first that does not hold.
    pub fn pow_scalar<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NonNegativeWhereFirstIs];
        evaluate(POSTS, c)
    }
    /// The postconditions of `prelu`.
    ///
    /// Errors: the first that does not hold.
    pub fn prelu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NonNegativeWhereFirstIs];
        evaluate(POSTS, c)
    }
    /// The postconditions of `prod`.
    ///
    /// Errors: the first that does not hold.
    pub fn prod<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `qr`.
    ///
    /// Errors: the first that does not hold.
    pub fn qr<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 2.001)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `qr_apply`.
    ///
    /// Errors: the first that does not hold.
    pub fn qr_apply<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(f64::NEG_INFINITY, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `qr_pivoted`.
    ///
    /// Errors: the first that does not hold.
    pub fn qr_pivoted<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `recip`.
    ///
    /// Errors: the first that does not hold.
    pub fn recip<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameSign];
        evaluate(POSTS, c)
    }
    /// The postconditions of `relu`.
    ///
    /// Errors: the first that does not hold.
    pub fn relu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIffNan(&[]), Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `relu_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn relu_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Second, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rfft`.
    ///
    /// Errors: the first that does not hold.
    pub fn rfft<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rms_norm`.
    ///
    /// Errors: the first that does not hold.
    pub fn rms_norm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Row, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rms_norm_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn rms_norm_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rms_norm_residual`.
    ///
    /// Errors: the first that does not hold.
    pub fn rms_norm_residual<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rms_norm_residual_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn rms_norm_residual_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rope`.
    ///
    /// Errors: the first that does not hold.
    pub fn rope<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rope_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn rope_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rope_view`.
    ///
    /// Errors: the first that does not hold.
    pub fn rope_view<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rot`.
    ///
    /// Errors: the first that does not hold.
    pub fn rot<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rotg`.
    ///
    /// Errors: the first that does not hold.
    pub fn rotg<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rotm`.
    ///
    /// Errors: the first that does not hold.
    pub fn rotm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[0, 1, 2, 3, 4])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `rotmg`.
    ///
    /// Errors: the first that does not hold.
    pub fn rotmg<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `round`.
    ///
    /// Errors: the first that does not hold.
    pub fn round<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `round_ties_even`.
    ///
    /// Errors: the first that does not hold.
    pub fn round_ties_even<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sample`.
    ///
    /// Errors: the first that does not hold.
    pub fn sample<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[IndexInRange];
        evaluate(POSTS, c)
    }
    /// The postconditions of `scal`.
    ///
    /// Errors: the first that does not hold.
    pub fn scal<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `scal_complex`.
    ///
    /// Errors: the first that does not hold.
    pub fn scal_complex<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `scale`.
    ///
    /// Errors: the first that does not hold.
    pub fn scale<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Scaled, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `scatter`.
    ///
    /// Errors: the first that does not hold.
    pub fn scatter<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `scatter_add`.
    ///
    /// Errors: the first that does not hold.
    pub fn scatter_add<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `scatter_add_elements`.
    ///
    /// Errors: the first that does not hold.
    pub fn scatter_add_elements<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `schur`.
    ///
    /// Errors: the first that does not hold.
    pub fn schur<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sddmm`.
    ///
    /// Errors: the first that does not hold.
    pub fn sddmm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `select`.
    ///
    /// Errors: the first that does not hold.
    pub fn select<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Selects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `selu`.
    ///
    /// Errors: the first that does not hold.
    pub fn selu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.7581, f64::INFINITY), Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sgd`.
    ///
    /// Errors: the first that does not hold.
    pub fn sgd<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sigmoid`.
    ///
    /// Errors: the first that does not hold.
    pub fn sigmoid<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, 1.0), Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sigmoid_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn sigmoid_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sign`.
    ///
    /// Errors: the first that does not hold.
    pub fn sign<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Integral, Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `silu`.
    ///
    /// Errors: the first that does not hold.
    pub fn silu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-0.2784648, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `silu_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn silu_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Second, 1.1)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sin`.
    ///
    /// Errors: the first that does not hold.
    pub fn sin<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Range(-1.0, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sinh`.
    ///
    /// Errors: the first that does not hold.
    pub fn sinh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), SameSign, Monotone(4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `softmax`.
    ///
    /// Errors: the first that does not hold.
    pub fn softmax<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, 1.0), NanIfNan(&[]), RowSum(1.0, 4.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `softmax_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn softmax_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `softplus`.
    ///
    /// Errors: the first that does not hold.
    pub fn softplus<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, f64::INFINITY), Monotone(6.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `softsign`.
    ///
    /// Errors: the first that does not hold.
    pub fn softsign<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `spadd`.
    ///
    /// Errors: the first that does not hold.
    pub fn spadd<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `spgemm`.
    ///
    /// Errors: the first that does not hold.
    pub fn spgemm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `spmm`.
    ///
    /// Errors: the first that does not hold.
    pub fn spmm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `spmv`.
    ///
    /// Errors: the first that does not hold.
    pub fn spmv<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `spmv_transposed`.
    ///
    /// Errors: the first that does not hold.
    pub fn spmv_transposed<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `spsv`.
    ///
    /// Errors: the first that does not hold.
    pub fn spsv<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sqrt`.
    ///
    /// Errors: the first that does not hold.
    pub fn sqrt<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(-0.0, f64::INFINITY), NanIfNan(&[]), Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `square`.
    ///
    /// Errors: the first that does not hold.
    pub fn square<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(0.0, f64::INFINITY)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `stddev`.
    ///
    /// Errors: the first that does not hold.
    pub fn stddev<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `stft`.
    ///
    /// Errors: the first that does not hold.
    pub fn stft<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sub`.
    ///
    /// Errors: the first that does not hold.
    pub fn sub<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Sum, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sum`.
    ///
    /// Errors: the first that does not hold.
    pub fn sum<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::SumAbs, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sum_kahan`.
    ///
    /// Errors: the first that does not hold.
    pub fn sum_kahan<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::SumAbs, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `sum_of_squares`.
    ///
    /// Errors: the first that does not hold.
    pub fn sum_of_squares<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `svd`.
    ///
    /// Errors: the first that does not hold.
    pub fn svd<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(-1.001, 1.001)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `swap`.
    ///
    /// Errors: the first that does not hold.
    pub fn swap<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Selects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `swiglu`.
    ///
    /// Errors: the first that does not hold.
    pub fn swiglu<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), Bounded(By::Product, 1.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `swiglu_packed`.
    ///
    /// Errors: the first that does not hold.
    pub fn swiglu_packed<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `swiglu_packed_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn swiglu_packed_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `symm`.
    ///
    /// Errors: the first that does not hold.
    pub fn symm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `symv`.
    ///
    /// Errors: the first that does not hold.
    pub fn symv<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `syr`.
    ///
    /// Errors: the first that does not hold.
    pub fn syr<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `syr2`.
    ///
    /// Errors: the first that does not hold.
    pub fn syr2<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `syr2k`.
    ///
    /// Errors: the first that does not hold.
    pub fn syr2k<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `syrk`.
    ///
    /// Errors: the first that does not hold.
    pub fn syrk<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `tan`.
    ///
    /// Errors: the first that does not hold.
    pub fn tan<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `tanh`.
    ///
    /// Errors: the first that does not hold.
    pub fn tanh<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Range(-1.0, 1.0), SameSign, Monotone(2.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `tanh_backward`.
    ///
    /// Errors: the first that does not hold.
    pub fn tanh_backward<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `threshold`.
    ///
    /// Errors: the first that does not hold.
    pub fn threshold<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[0, 1])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `top_k`.
    ///
    /// Errors: the first that does not hold.
    pub fn top_k<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Descending, IndexInRange, IndexSelects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `transpose`.
    ///
    /// Errors: the first that does not hold.
    pub fn transpose<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Selects];
        evaluate(POSTS, c)
    }
    /// The postconditions of `trmm`.
    ///
    /// Errors: the first that does not hold.
    pub fn trmm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `trmv`.
    ///
    /// Errors: the first that does not hold.
    pub fn trmv<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `trsm`.
    ///
    /// Errors: the first that does not hold.
    pub fn trsm<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `trsv`.
    ///
    /// Errors: the first that does not hold.
    pub fn trsv<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `trunc`.
    ///
    /// Errors: the first that does not hold.
    pub fn trunc<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIffNan(&[]), Integral, SameSign, Monotone(0.0)];
        evaluate(POSTS, c)
    }
    /// The postconditions of `u8_to_float`.
    ///
    /// Errors: the first that does not hold.
    pub fn u8_to_float<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `variance`.
    ///
    /// Errors: the first that does not hold.
    pub fn variance<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[Range(0.0, f64::INFINITY), NanIfNan(&[])];
        evaluate(POSTS, c)
    }
    /// The postconditions of `zscore`.
    ///
    /// Errors: the first that does not hold.
    pub fn zscore<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
        const POSTS: &[Post] = &[NanIfNan(&[]), RowSumSquares(0.0, 4.0)];
        evaluate(POSTS, c)
    }
}

/// One mark per op, see `Enforced`.
#[allow(dead_code, non_camel_case_types, reason = "a contract comes before its function, and names its mark")]
pub(crate) mod marker {
    pub(crate) enum abs {}
    pub(crate) enum abs_complex {}
    pub(crate) enum acos {}
    pub(crate) enum acosh {}
    pub(crate) enum adagrad {}
    pub(crate) enum adam {}
    pub(crate) enum adamw {}
    pub(crate) enum add {}
    pub(crate) enum approx_exp {}
    pub(crate) enum approx_gelu {}
    pub(crate) enum approx_sigmoid {}
    pub(crate) enum approx_tanh {}
    pub(crate) enum arg_complex {}
    pub(crate) enum argmax {}
    pub(crate) enum argmax_last {}
    pub(crate) enum argmin {}
    pub(crate) enum argmin_last {}
    pub(crate) enum asin {}
    pub(crate) enum asinh {}
    pub(crate) enum asum {}
    pub(crate) enum asum_complex {}
    pub(crate) enum atan {}
    pub(crate) enum atanh {}
    pub(crate) enum attention {}
    pub(crate) enum attention_backward {}
    pub(crate) enum avg_pool {}
    pub(crate) enum avg_pool_backward {}
    pub(crate) enum axpy {}
    pub(crate) enum axpy_complex {}
    pub(crate) enum axpy_strided {}
    pub(crate) enum bicgstab {}
    pub(crate) enum biquad {}
    pub(crate) enum bottom_k {}
    pub(crate) enum ceil {}
    pub(crate) enum celu {}
    pub(crate) enum cg {}
    pub(crate) enum cholesky {}
    pub(crate) enum cholesky_refine {}
    pub(crate) enum cholesky_solve {}
    pub(crate) enum cholesky_update {}
    pub(crate) enum clamp {}
    pub(crate) enum clip_by_norm {}
    pub(crate) enum conv1d {}
    pub(crate) enum conv1d_backward_input {}
    pub(crate) enum conv1d_backward_weights {}
    pub(crate) enum convolve {}
    pub(crate) enum convolve_complex {}
    pub(crate) enum coo_to_csr {}
    pub(crate) enum copy {}
    pub(crate) enum copysign {}
    pub(crate) enum correlation {}
    pub(crate) enum cos {}
    pub(crate) enum cosh {}
    pub(crate) enum cosine_similarity {}
    pub(crate) enum cosine_similarity_rows {}
    pub(crate) enum covariance {}
    pub(crate) enum cross_entropy {}
    pub(crate) enum cross_entropy_backward {}
    pub(crate) enum cross_entropy_with_gradient {}
    pub(crate) enum csr_transpose {}
    pub(crate) enum cumsum {}
    pub(crate) enum dct {}
    pub(crate) enum deinterleave {}
    pub(crate) enum determinant {}
    pub(crate) enum div {}
    pub(crate) enum dot {}
    pub(crate) enum dot_complex {}
    pub(crate) enum dot_strided {}
    pub(crate) enum eig {}
    pub(crate) enum eigh {}
    pub(crate) enum eigh_generalized {}
    pub(crate) enum einsum {}
    pub(crate) enum elu {}
    pub(crate) enum embedding {}
    pub(crate) enum equal {}
    pub(crate) enum erf {}
    pub(crate) enum euclidean_distance {}
    pub(crate) enum exp {}
    pub(crate) enum exp2 {}
    pub(crate) enum exp_m1 {}
    pub(crate) enum fft {}
    pub(crate) enum fft_2d {}
    pub(crate) enum fft_3d {}
    pub(crate) enum fft_rows {}
    pub(crate) enum fir {}
    pub(crate) enum fir_fft {}
    pub(crate) enum floor {}
    pub(crate) enum fma {}
    pub(crate) enum fract {}
    pub(crate) enum gather {}
    pub(crate) enum gather_elements {}
    pub(crate) enum gauss_seidel {}
    pub(crate) enum geglu {}
    pub(crate) enum gelu {}
    pub(crate) enum gelu_backward {}
    pub(crate) enum gelu_erf {}
    pub(crate) enum gemm {}
    pub(crate) enum gemm_backward_a {}
    pub(crate) enum gemm_backward_b {}
    pub(crate) enum gemm_complex {}
    pub(crate) enum gemv {}
    pub(crate) enum gemv_complex {}
    pub(crate) enum ger {}
    pub(crate) enum gmres {}
    pub(crate) enum hard_sigmoid {}
    pub(crate) enum hardswish {}
    pub(crate) enum i16_to_float {}
    pub(crate) enum iamax {}
    pub(crate) enum ic0 {}
    pub(crate) enum ilu0 {}
    pub(crate) enum interleave {}
    pub(crate) enum inverse {}
    pub(crate) enum irfft {}
    pub(crate) enum layer_norm {}
    pub(crate) enum layer_norm_backward {}
    pub(crate) enum layer_norm_simple {}
    pub(crate) enum ldlt {}
    pub(crate) enum ldlt_solve {}
    pub(crate) enum leaky_relu {}
    pub(crate) enum leaky_relu_backward {}
    pub(crate) enum least_norm {}
    pub(crate) enum least_squares {}
    pub(crate) enum lerp {}
    pub(crate) enum less {}
    pub(crate) enum less_equal {}
    pub(crate) enum ln {}
    pub(crate) enum ln_1p {}
    pub(crate) enum lobpcg {}
    pub(crate) enum log10 {}
    pub(crate) enum log2 {}
    pub(crate) enum log_softmax {}
    pub(crate) enum log_softmax_backward {}
    pub(crate) enum logsumexp {}
    pub(crate) enum lu {}
    pub(crate) enum lu_condition {}
    pub(crate) enum lu_refine {}
    pub(crate) enum lu_solve {}
    pub(crate) enum masked_softmax {}
    pub(crate) enum max {}
    pub(crate) enum max_pool {}
    pub(crate) enum max_pool_backward {}
    pub(crate) enum max_pool_indices {}
    pub(crate) enum maximum {}
    pub(crate) enum mean {}
    pub(crate) enum min {}
    pub(crate) enum minimum {}
    pub(crate) enum minmax_normalize {}
    pub(crate) enum mish {}
    pub(crate) enum momentum {}
    pub(crate) enum mul {}
    pub(crate) enum mul_complex {}
    pub(crate) enum neg {}
    pub(crate) enum nll {}
    pub(crate) enum nll_backward {}
    pub(crate) enum norm_l1 {}
    pub(crate) enum norm_l2 {}
    pub(crate) enum norm_linf {}
    pub(crate) enum normalize {}
    pub(crate) enum nrm2 {}
    pub(crate) enum nrm2_complex {}
    pub(crate) enum pad {}
    pub(crate) enum pow {}
    pub(crate) enum pow_scalar {}
    pub(crate) enum prelu {}
    pub(crate) enum prod {}
    pub(crate) enum qr {}
    pub(crate) enum qr_apply {}
    pub(crate) enum qr_pivoted {}
    pub(crate) enum recip {}
    pub(crate) enum relu {}
    pub(crate) enum relu_backward {}
    pub(crate) enum rfft {}
    pub(crate) enum rms_norm {}
    pub(crate) enum rms_norm_backward {}
    pub(crate) enum rms_norm_residual {}
    pub(crate) enum rms_norm_residual_backward {}
    pub(crate) enum rope {}
    pub(crate) enum rope_backward {}
    pub(crate) enum rope_view {}
    pub(crate) enum rot {}
    pub(crate) enum rotg {}
    pub(crate) enum rotm {}
    pub(crate) enum rotmg {}
    pub(crate) enum round {}
    pub(crate) enum round_ties_even {}
    pub(crate) enum sample {}
    pub(crate) enum scal {}
    pub(crate) enum scal_complex {}
    pub(crate) enum scale {}
    pub(crate) enum scatter {}
    pub(crate) enum scatter_add {}
    pub(crate) enum scatter_add_elements {}
    pub(crate) enum schur {}
    pub(crate) enum sddmm {}
    pub(crate) enum select {}
    pub(crate) enum selu {}
    pub(crate) enum sgd {}
    pub(crate) enum sigmoid {}
    pub(crate) enum sigmoid_backward {}
    pub(crate) enum sign {}
    pub(crate) enum silu {}
    pub(crate) enum silu_backward {}
    pub(crate) enum sin {}
    pub(crate) enum sinh {}
    pub(crate) enum softmax {}
    pub(crate) enum softmax_backward {}
    pub(crate) enum softplus {}
    pub(crate) enum softsign {}
    pub(crate) enum spadd {}
    pub(crate) enum spgemm {}
    pub(crate) enum spmm {}
    pub(crate) enum spmv {}
    pub(crate) enum spmv_transposed {}
    pub(crate) enum spsv {}
    pub(crate) enum sqrt {}
    pub(crate) enum square {}
    pub(crate) enum stddev {}
    pub(crate) enum stft {}
    pub(crate) enum sub {}
    pub(crate) enum sum {}
    pub(crate) enum sum_kahan {}
    pub(crate) enum sum_of_squares {}
    pub(crate) enum svd {}
    pub(crate) enum swap {}
    pub(crate) enum swiglu {}
    pub(crate) enum swiglu_packed {}
    pub(crate) enum swiglu_packed_backward {}
    pub(crate) enum symm {}
    pub(crate) enum symv {}
    pub(crate) enum syr {}
    pub(crate) enum syr2 {}
    pub(crate) enum syr2k {}
    pub(crate) enum syrk {}
    pub(crate) enum tan {}
    pub(crate) enum tanh {}
    pub(crate) enum tanh_backward {}
    pub(crate) enum threshold {}
    pub(crate) enum top_k {}
    pub(crate) enum transpose {}
    pub(crate) enum trmm {}
    pub(crate) enum trmv {}
    pub(crate) enum trsm {}
    pub(crate) enum trsv {}
    pub(crate) enum trunc {}
    pub(crate) enum u8_to_float {}
    pub(crate) enum variance {}
    pub(crate) enum zscore {}
}

// Each bound function, by its type: a missing or changed one does not compile.
const _: () = enforced::<marker::neg>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::neg::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::neg::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::neg_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::neg_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::neg_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::neg_in_place::<f64>;
const _: () = enforced::<marker::abs>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::abs::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::abs::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::abs_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::abs_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::abs_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::abs_in_place::<f64>;
const _: () = enforced::<marker::recip>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::recip::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::recip::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::recip_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::recip_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::recip_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::recip_in_place::<f64>;
const _: () = enforced::<marker::sqrt>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::sqrt::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::sqrt::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::sqrt_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::sqrt_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::sqrt_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::sqrt_in_place::<f64>;
const _: () = enforced::<marker::square>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::square::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::square::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::square_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::square_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::square_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::square_in_place::<f64>;
const _: () = enforced::<marker::scale>();
const _: fn(&[f32], f32, &mut [f32]) -> Result<(), Error> = crate::scale::<f32>;
const _: fn(&[f64], f64, &mut [f64]) -> Result<(), Error> = crate::scale::<f64>;
const _: fn(Native, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::scale_on::<Native, f32>;
const _: fn(Native, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::scale_on::<Native, f64>;
const _: fn(&mut [f32], f32) -> Result<(), Error> = crate::scale_in_place::<f32>;
const _: fn(&mut [f64], f64) -> Result<(), Error> = crate::scale_in_place::<f64>;
const _: () = enforced::<marker::clamp>();
const _: fn(&[f32], f32, f32, &mut [f32]) -> Result<(), Error> = crate::clamp::<f32>;
const _: fn(&[f64], f64, f64, &mut [f64]) -> Result<(), Error> = crate::clamp::<f64>;
const _: fn(Native, &[f32], f32, f32, &mut [f32]) -> Result<(), Error> = crate::clamp_on::<Native, f32>;
const _: fn(Native, &[f64], f64, f64, &mut [f64]) -> Result<(), Error> = crate::clamp_on::<Native, f64>;
const _: fn(&mut [f32], f32, f32) -> Result<(), Error> = crate::clamp_in_place::<f32>;
const _: fn(&mut [f64], f64, f64) -> Result<(), Error> = crate::clamp_in_place::<f64>;
const _: () = enforced::<marker::add>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::add::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::add::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::add_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::add_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::add_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::add_in_place::<f64>;
const _: () = enforced::<marker::sub>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::sub::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::sub::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::sub_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::sub_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::sub_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::sub_in_place::<f64>;
const _: () = enforced::<marker::mul>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::mul::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::mul::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::mul_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::mul_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::mul_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::mul_in_place::<f64>;
const _: () = enforced::<marker::div>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::div::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::div::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::div_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::div_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::div_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::div_in_place::<f64>;
const _: () = enforced::<marker::copysign>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::copysign::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::copysign::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::copysign_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::copysign_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::copysign_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::copysign_in_place::<f64>;
const _: () = enforced::<marker::minimum>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::minimum::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::minimum::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::minimum_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::minimum_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::minimum_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::minimum_in_place::<f64>;
const _: () = enforced::<marker::maximum>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::maximum::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::maximum::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::maximum_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::maximum_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::maximum_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::maximum_in_place::<f64>;
const _: () = enforced::<marker::lerp>();
const _: fn(&[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::lerp::<f32>;
const _: fn(&[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::lerp::<f64>;
const _: fn(Native, &[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::lerp_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::lerp_on::<Native, f64>;
const _: fn(&mut [f32], &[f32], f32) -> Result<(), Error> = crate::lerp_in_place::<f32>;
const _: fn(&mut [f64], &[f64], f64) -> Result<(), Error> = crate::lerp_in_place::<f64>;
const _: () = enforced::<marker::axpy>();
const _: fn(f32, &[f32], &mut [f32]) -> Result<(), Error> = crate::axpy::<f32>;
const _: fn(f64, &[f64], &mut [f64]) -> Result<(), Error> = crate::axpy::<f64>;
const _: fn(Native, f32, &[f32], &mut [f32]) -> Result<(), Error> = crate::axpy_on::<Native, f32>;
const _: fn(Native, f64, &[f64], &mut [f64]) -> Result<(), Error> = crate::axpy_on::<Native, f64>;
const _: () = enforced::<marker::fma>();
const _: fn(&[f32], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::fma::<f32>;
const _: fn(&[f64], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::fma::<f64>;
const _: fn(Native, &[f32], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::fma_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::fma_on::<Native, f64>;
const _: () = enforced::<marker::floor>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::floor::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::floor::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::floor_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::floor_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::floor_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::floor_in_place::<f64>;
const _: () = enforced::<marker::ceil>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::ceil::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::ceil::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::ceil_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::ceil_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::ceil_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::ceil_in_place::<f64>;
const _: () = enforced::<marker::trunc>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::trunc::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::trunc::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::trunc_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::trunc_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::trunc_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::trunc_in_place::<f64>;
const _: () = enforced::<marker::round>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::round::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::round::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::round_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::round_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::round_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::round_in_place::<f64>;
const _: () = enforced::<marker::round_ties_even>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::round_ties_even::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::round_ties_even::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::round_ties_even_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::round_ties_even_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::round_ties_even_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::round_ties_even_in_place::<f64>;
const _: () = enforced::<marker::fract>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::fract::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::fract::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::fract_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::fract_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::fract_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::fract_in_place::<f64>;
const _: () = enforced::<marker::sign>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::sign::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::sign::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::sign_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::sign_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::sign_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::sign_in_place::<f64>;
const _: () = enforced::<marker::ln>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::ln::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::ln::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::ln_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::ln_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::ln_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::ln_in_place::<f64>;
const _: () = enforced::<marker::ln_1p>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::ln_1p::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::ln_1p::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::ln_1p_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::ln_1p_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::ln_1p_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::ln_1p_in_place::<f64>;
const _: () = enforced::<marker::log2>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::log2::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::log2::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::log2_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::log2_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::log2_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::log2_in_place::<f64>;
const _: () = enforced::<marker::log10>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::log10::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::log10::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::log10_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::log10_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::log10_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::log10_in_place::<f64>;
const _: () = enforced::<marker::pow>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::pow::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::pow::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::pow_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::pow_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::pow_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::pow_in_place::<f64>;
const _: () = enforced::<marker::pow_scalar>();
const _: fn(&[f32], f32, &mut [f32]) -> Result<(), Error> = crate::pow_scalar::<f32>;
const _: fn(&[f64], f64, &mut [f64]) -> Result<(), Error> = crate::pow_scalar::<f64>;
const _: fn(Native, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::pow_scalar_on::<Native, f32>;
const _: fn(Native, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::pow_scalar_on::<Native, f64>;
const _: fn(&mut [f32], f32) -> Result<(), Error> = crate::pow_scalar_in_place::<f32>;
const _: fn(&mut [f64], f64) -> Result<(), Error> = crate::pow_scalar_in_place::<f64>;
const _: () = enforced::<marker::sin>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::sin::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::sin::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::sin_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::sin_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::sin_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::sin_in_place::<f64>;
const _: () = enforced::<marker::cos>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::cos::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::cos::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::cos_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::cos_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::cos_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::cos_in_place::<f64>;
const _: () = enforced::<marker::tan>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::tan::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::tan::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::tan_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::tan_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::tan_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::tan_in_place::<f64>;
const _: () = enforced::<marker::asin>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::asin::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::asin::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::asin_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::asin_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::asin_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::asin_in_place::<f64>;
const _: () = enforced::<marker::acos>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::acos::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::acos::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::acos_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::acos_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::acos_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::acos_in_place::<f64>;
const _: () = enforced::<marker::atan>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::atan::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::atan::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::atan_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::atan_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::atan_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::atan_in_place::<f64>;
const _: () = enforced::<marker::asinh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::asinh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::asinh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::asinh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::asinh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::asinh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::asinh_in_place::<f64>;
const _: () = enforced::<marker::acosh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::acosh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::acosh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::acosh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::acosh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::acosh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::acosh_in_place::<f64>;
const _: () = enforced::<marker::atanh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::atanh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::atanh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::atanh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::atanh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::atanh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::atanh_in_place::<f64>;
#[cfg(feature = "half")]
const _: fn(&[half::f16], &mut [f32]) -> Result<(), Error> = crate::f16_to_f32;
#[cfg(feature = "half")]
const _: fn(Native, &[half::f16], &mut [f32]) -> Result<(), Error> = crate::f16_to_f32_on::<Native>;
#[cfg(feature = "half")]
const _: fn(&[f32], &mut [half::f16]) -> Result<(), Error> = crate::f32_to_f16;
#[cfg(feature = "half")]
const _: fn(Native, &[f32], &mut [half::f16]) -> Result<(), Error> = crate::f32_to_f16_on::<Native>;
#[cfg(feature = "half")]
const _: fn(&[half::bf16], &mut [f32]) -> Result<(), Error> = crate::bf16_to_f32;
#[cfg(feature = "half")]
const _: fn(Native, &[half::bf16], &mut [f32]) -> Result<(), Error> = crate::bf16_to_f32_on::<Native>;
#[cfg(feature = "half")]
const _: fn(&[f32], &mut [half::bf16]) -> Result<(), Error> = crate::f32_to_bf16;
#[cfg(feature = "half")]
const _: fn(Native, &[f32], &mut [half::bf16]) -> Result<(), Error> = crate::f32_to_bf16_on::<Native>;
const _: () = enforced::<marker::sum>();
const _: fn(&[f32]) -> f32 = crate::sum::<f32>;
const _: fn(&[f64]) -> f64 = crate::sum::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::sum_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::sum_on::<Native, f64>;
const _: () = enforced::<marker::sum_kahan>();
const _: fn(&[f32]) -> f32 = crate::sum_kahan::<f32>;
const _: fn(&[f64]) -> f64 = crate::sum_kahan::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::sum_kahan_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::sum_kahan_on::<Native, f64>;
const _: () = enforced::<marker::sum_of_squares>();
const _: fn(&[f32]) -> f32 = crate::sum_of_squares::<f32>;
const _: fn(&[f64]) -> f64 = crate::sum_of_squares::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::sum_of_squares_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::sum_of_squares_on::<Native, f64>;
const _: () = enforced::<marker::norm_l1>();
const _: fn(&[f32]) -> f32 = crate::norm_l1::<f32>;
const _: fn(&[f64]) -> f64 = crate::norm_l1::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::norm_l1_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::norm_l1_on::<Native, f64>;
const _: () = enforced::<marker::norm_l2>();
const _: fn(&[f32]) -> f32 = crate::norm_l2::<f32>;
const _: fn(&[f64]) -> f64 = crate::norm_l2::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::norm_l2_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::norm_l2_on::<Native, f64>;
const _: () = enforced::<marker::norm_linf>();
const _: fn(&[f32]) -> f32 = crate::norm_linf::<f32>;
const _: fn(&[f64]) -> f64 = crate::norm_linf::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::norm_linf_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::norm_linf_on::<Native, f64>;
const _: () = enforced::<marker::euclidean_distance>();
const _: fn(&[f32], &[f32]) -> Result<f32, Error> = crate::euclidean_distance::<f32>;
const _: fn(&[f64], &[f64]) -> Result<f64, Error> = crate::euclidean_distance::<f64>;
const _: fn(Native, &[f32], &[f32]) -> Result<f32, Error> = crate::euclidean_distance_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64]) -> Result<f64, Error> = crate::euclidean_distance_on::<Native, f64>;
const _: () = enforced::<marker::cosine_similarity>();
const _: fn(&[f32], &[f32]) -> Result<f32, Error> = crate::cosine_similarity::<f32>;
const _: fn(&[f64], &[f64]) -> Result<f64, Error> = crate::cosine_similarity::<f64>;
const _: fn(Native, &[f32], &[f32]) -> Result<f32, Error> = crate::cosine_similarity_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64]) -> Result<f64, Error> = crate::cosine_similarity_on::<Native, f64>;
const _: () = enforced::<marker::dot>();
const _: fn(&[f32], &[f32]) -> Result<f32, Error> = crate::dot::<f32>;
const _: fn(&[f64], &[f64]) -> Result<f64, Error> = crate::dot::<f64>;
const _: fn(Native, &[f32], &[f32]) -> Result<f32, Error> = crate::dot_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64]) -> Result<f64, Error> = crate::dot_on::<Native, f64>;
const _: () = enforced::<marker::max>();
const _: fn(&[f32]) -> Result<f32, Error> = crate::max::<f32>;
const _: fn(&[f64]) -> Result<f64, Error> = crate::max::<f64>;
const _: fn(Native, &[f32]) -> Result<f32, Error> = crate::max_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<f64, Error> = crate::max_on::<Native, f64>;
const _: () = enforced::<marker::min>();
const _: fn(&[f32]) -> Result<f32, Error> = crate::min::<f32>;
const _: fn(&[f64]) -> Result<f64, Error> = crate::min::<f64>;
const _: fn(Native, &[f32]) -> Result<f32, Error> = crate::min_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<f64, Error> = crate::min_on::<Native, f64>;
const _: () = enforced::<marker::mean>();
const _: fn(&[f32]) -> Result<f32, Error> = crate::mean::<f32>;
const _: fn(&[f64]) -> Result<f64, Error> = crate::mean::<f64>;
const _: fn(Native, &[f32]) -> Result<f32, Error> = crate::mean_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<f64, Error> = crate::mean_on::<Native, f64>;
const _: () = enforced::<marker::variance>();
const _: fn(&[f32]) -> Result<f32, Error> = crate::variance::<f32>;
const _: fn(&[f64]) -> Result<f64, Error> = crate::variance::<f64>;
const _: fn(Native, &[f32]) -> Result<f32, Error> = crate::variance_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<f64, Error> = crate::variance_on::<Native, f64>;
const _: () = enforced::<marker::stddev>();
const _: fn(&[f32]) -> Result<f32, Error> = crate::stddev::<f32>;
const _: fn(&[f64]) -> Result<f64, Error> = crate::stddev::<f64>;
const _: fn(Native, &[f32]) -> Result<f32, Error> = crate::stddev_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<f64, Error> = crate::stddev_on::<Native, f64>;
const _: () = enforced::<marker::covariance>();
const _: fn(&[f32], &[f32]) -> Result<f32, Error> = crate::covariance::<f32>;
const _: fn(&[f64], &[f64]) -> Result<f64, Error> = crate::covariance::<f64>;
const _: fn(Native, &[f32], &[f32]) -> Result<f32, Error> = crate::covariance_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64]) -> Result<f64, Error> = crate::covariance_on::<Native, f64>;
const _: () = enforced::<marker::correlation>();
const _: fn(&[f32], &[f32]) -> Result<f32, Error> = crate::correlation::<f32>;
const _: fn(&[f64], &[f64]) -> Result<f64, Error> = crate::correlation::<f64>;
const _: fn(Native, &[f32], &[f32]) -> Result<f32, Error> = crate::correlation_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64]) -> Result<f64, Error> = crate::correlation_on::<Native, f64>;
const _: () = enforced::<marker::argmax>();
const _: fn(&[f32]) -> Result<usize, Error> = crate::argmax::<f32>;
const _: fn(&[f64]) -> Result<usize, Error> = crate::argmax::<f64>;
const _: fn(Native, &[f32]) -> Result<usize, Error> = crate::argmax_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<usize, Error> = crate::argmax_on::<Native, f64>;
const _: () = enforced::<marker::argmin>();
const _: fn(&[f32]) -> Result<usize, Error> = crate::argmin::<f32>;
const _: fn(&[f64]) -> Result<usize, Error> = crate::argmin::<f64>;
const _: fn(Native, &[f32]) -> Result<usize, Error> = crate::argmin_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<usize, Error> = crate::argmin_on::<Native, f64>;
const _: () = enforced::<marker::top_k>();
const _: fn(&[f32], usize, &mut [f32], &mut [usize]) -> Result<(), Error> = crate::top_k::<f32>;
const _: fn(&[f64], usize, &mut [f64], &mut [usize]) -> Result<(), Error> = crate::top_k::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32], &mut [usize]) -> Result<(), Error> = crate::top_k_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64], &mut [usize]) -> Result<(), Error> = crate::top_k_on::<Native, f64>;
const _: () = enforced::<marker::softmax>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::softmax::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::softmax::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::softmax_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::softmax_on::<Native, f64>;
const _: fn(&mut [f32], usize) -> Result<(), Error> = crate::softmax_in_place::<f32>;
const _: fn(&mut [f64], usize) -> Result<(), Error> = crate::softmax_in_place::<f64>;
const _: () = enforced::<marker::log_softmax>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::log_softmax::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::log_softmax::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::log_softmax_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::log_softmax_on::<Native, f64>;
const _: fn(&mut [f32], usize) -> Result<(), Error> = crate::log_softmax_in_place::<f32>;
const _: fn(&mut [f64], usize) -> Result<(), Error> = crate::log_softmax_in_place::<f64>;
const _: () = enforced::<marker::layer_norm>();
const _: fn(&[f32], &[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::layer_norm::<f32>;
const _: fn(&[f64], &[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::layer_norm::<f64>;
const _: fn(Native, &[f32], &[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::layer_norm_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::layer_norm_on::<Native, f64>;
const _: fn(&mut [f32], &[f32], &[f32], f32) -> Result<(), Error> = crate::layer_norm_in_place::<f32>;
const _: fn(&mut [f64], &[f64], &[f64], f64) -> Result<(), Error> = crate::layer_norm_in_place::<f64>;
const _: () = enforced::<marker::layer_norm_simple>();
const _: fn(&[f32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::layer_norm_simple::<f32>;
const _: fn(&[f64], usize, f64, &mut [f64]) -> Result<(), Error> = crate::layer_norm_simple::<f64>;
const _: fn(Native, &[f32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::layer_norm_simple_on::<Native, f32>;
const _: fn(Native, &[f64], usize, f64, &mut [f64]) -> Result<(), Error> = crate::layer_norm_simple_on::<Native, f64>;
const _: fn(&mut [f32], usize, f32) -> Result<(), Error> = crate::layer_norm_simple_in_place::<f32>;
const _: fn(&mut [f64], usize, f64) -> Result<(), Error> = crate::layer_norm_simple_in_place::<f64>;
const _: () = enforced::<marker::rms_norm>();
const _: fn(&[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::rms_norm::<f32>;
const _: fn(&[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::rms_norm::<f64>;
const _: fn(Native, &[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::rms_norm_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::rms_norm_on::<Native, f64>;
const _: fn(&mut [f32], &[f32], f32) -> Result<(), Error> = crate::rms_norm_in_place::<f32>;
const _: fn(&mut [f64], &[f64], f64) -> Result<(), Error> = crate::rms_norm_in_place::<f64>;
const _: () = enforced::<marker::normalize>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::normalize::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::normalize::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::normalize_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::normalize_on::<Native, f64>;
const _: fn(&mut [f32], usize) -> Result<(), Error> = crate::normalize_in_place::<f32>;
const _: fn(&mut [f64], usize) -> Result<(), Error> = crate::normalize_in_place::<f64>;
const _: () = enforced::<marker::zscore>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::zscore::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::zscore::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::zscore_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::zscore_on::<Native, f64>;
const _: fn(&mut [f32], usize) -> Result<(), Error> = crate::zscore_in_place::<f32>;
const _: fn(&mut [f64], usize) -> Result<(), Error> = crate::zscore_in_place::<f64>;
const _: () = enforced::<marker::minmax_normalize>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::minmax_normalize::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::minmax_normalize::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::minmax_normalize_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::minmax_normalize_on::<Native, f64>;
const _: fn(&mut [f32], usize) -> Result<(), Error> = crate::minmax_normalize_in_place::<f32>;
const _: fn(&mut [f64], usize) -> Result<(), Error> = crate::minmax_normalize_in_place::<f64>;
const _: () = enforced::<marker::gemm>();
const _: fn(f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm::<f32>;
const _: fn(f64, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm::<f64>;
const _: fn(Native, f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_on::<Native, f32>;
const _: fn(Native, f64, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_on::<Native, f64>;
const _: fn(f32, BatchRef<'_, f32>, BatchRef<'_, f32>, f32, BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_strided_batched::<f32>;
const _: fn(f64, BatchRef<'_, f64>, BatchRef<'_, f64>, f64, BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_strided_batched::<f64>;
const _: fn(Native, f32, BatchRef<'_, f32>, BatchRef<'_, f32>, f32, BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_strided_batched_on::<Native, f32>;
const _: fn(Native, f64, BatchRef<'_, f64>, BatchRef<'_, f64>, f64, BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_strided_batched_on::<Native, f64>;
const _: fn(f32, &[MatRef<'_, f32>], &[MatRef<'_, f32>], f32, &mut [MatMut<'_, f32>], &mut [f32]) -> Result<(), Error> = crate::gemm_batched::<f32>;
const _: fn(f64, &[MatRef<'_, f64>], &[MatRef<'_, f64>], f64, &mut [MatMut<'_, f64>], &mut [f64]) -> Result<(), Error> = crate::gemm_batched::<f64>;
const _: fn(Native, f32, &[MatRef<'_, f32>], &[MatRef<'_, f32>], f32, &mut [MatMut<'_, f32>], &mut [f32]) -> Result<(), Error> = crate::gemm_batched_on::<Native, f32>;
const _: fn(Native, f64, &[MatRef<'_, f64>], &[MatRef<'_, f64>], f64, &mut [MatMut<'_, f64>], &mut [f64]) -> Result<(), Error> = crate::gemm_batched_on::<Native, f64>;
const _: fn(f32, MatRef<'_, f32>, PackedB<'_, f32, Native>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_packed::<Native, f32>;
const _: fn(f64, MatRef<'_, f64>, PackedB<'_, f64, Native>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_packed::<Native, f64>;
#[cfg(feature = "avx512")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<crate::AmxPath, Error> = crate::gemm_f32_amx;
#[cfg(feature = "avx512")]
#[cfg(feature = "parallel")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<crate::AmxPath, Error> = crate::parallel::gemm_f32_amx;
#[cfg(feature = "half")]
const _: fn(f32, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_bf16;
#[cfg(feature = "half")]
const _: fn(Native, f32, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_bf16_on::<Native>;
#[cfg(feature = "half")]
#[cfg(feature = "avx512")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, f32, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_bf16_amx;
#[cfg(feature = "half")]
#[cfg(feature = "avx512")]
#[cfg(feature = "parallel")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, f32, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::parallel::gemm_bf16_amx;
#[cfg(feature = "half")]
const _: fn(f32, MatRef<'_, half::f16>, MatRef<'_, half::f16>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_f16;
#[cfg(feature = "half")]
const _: fn(Native, f32, MatRef<'_, half::f16>, MatRef<'_, half::f16>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_f16_on::<Native>;
#[cfg(feature = "half")]
const _: fn(f32, MatRef<'_, crate::E4m3>, MatRef<'_, crate::E4m3>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_e4m3;
#[cfg(feature = "half")]
const _: fn(Native, f32, MatRef<'_, crate::E4m3>, MatRef<'_, crate::E4m3>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_e4m3_on::<Native>;
const _: fn(i32, MatRef<'_, i8>, MatRef<'_, i8>, i32, MatMut<'_, i32>, &mut [i32]) -> Result<(), Error> = crate::gemm_i8;
const _: fn(Native, i32, MatRef<'_, i8>, MatRef<'_, i8>, i32, MatMut<'_, i32>, &mut [i32]) -> Result<(), Error> = crate::gemm_i8_on::<Native>;
#[cfg(feature = "avx512")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, i32, MatRef<'_, i8>, MatRef<'_, i8>, i32, MatMut<'_, i32>, &mut [i32]) -> Result<(), Error> = crate::gemm_i8_amx;
#[cfg(feature = "avx512")]
#[cfg(feature = "parallel")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, i32, MatRef<'_, i8>, MatRef<'_, i8>, i32, MatMut<'_, i32>, &mut [i32]) -> Result<(), Error> = crate::parallel::gemm_i8_amx;
const _: fn(i32, MatRef<'_, u8>, u8, MatRef<'_, i8>, i8, i32, MatMut<'_, i32>, &mut [i32]) -> Result<(), Error> = crate::gemm_u8;
const _: fn(Native, i32, MatRef<'_, u8>, u8, MatRef<'_, i8>, i8, i32, MatMut<'_, i32>, &mut [i32]) -> Result<(), Error> = crate::gemm_u8_on::<Native>;
#[cfg(feature = "avx512")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<crate::AmxPath, Error> = crate::gemm_f32_amx3;
#[cfg(feature = "avx512")]
#[cfg(feature = "parallel")]
#[cfg(target_arch = "x86_64")]
const _: fn(crate::lanes::Amx, f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<crate::AmxPath, Error> = crate::parallel::gemm_f32_amx3;
const _: () = enforced::<marker::gemv>();
const _: fn(f32, MatRef<'_, f32>, VecRef<'_, f32>, f32, VecMut<'_, f32>) -> Result<(), Error> = crate::gemv::<f32>;
const _: fn(f64, MatRef<'_, f64>, VecRef<'_, f64>, f64, VecMut<'_, f64>) -> Result<(), Error> = crate::gemv::<f64>;
const _: fn(Native, f32, MatRef<'_, f32>, VecRef<'_, f32>, f32, VecMut<'_, f32>) -> Result<(), Error> = crate::gemv_on::<Native, f32>;
const _: fn(Native, f64, MatRef<'_, f64>, VecRef<'_, f64>, f64, VecMut<'_, f64>) -> Result<(), Error> = crate::gemv_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(f32, MatRef<'_, f32>, VecRef<'_, f32>, f32, VecMut<'_, f32>) -> Result<(), Error> = crate::parallel::gemv::<f32>;
#[cfg(feature = "parallel")]
const _: fn(f64, MatRef<'_, f64>, VecRef<'_, f64>, f64, VecMut<'_, f64>) -> Result<(), Error> = crate::parallel::gemv::<f64>;
const _: () = enforced::<marker::ger>();
const _: fn(f32, VecRef<'_, f32>, VecRef<'_, f32>, MatMut<'_, f32>) -> Result<(), Error> = crate::ger::<f32>;
const _: fn(f64, VecRef<'_, f64>, VecRef<'_, f64>, MatMut<'_, f64>) -> Result<(), Error> = crate::ger::<f64>;
const _: fn(Native, f32, VecRef<'_, f32>, VecRef<'_, f32>, MatMut<'_, f32>) -> Result<(), Error> = crate::ger_on::<Native, f32>;
const _: fn(Native, f64, VecRef<'_, f64>, VecRef<'_, f64>, MatMut<'_, f64>) -> Result<(), Error> = crate::ger_on::<Native, f64>;
const _: () = enforced::<marker::syr>();
const _: fn(f32, VecRef<'_, f32>, Triangle, MatMut<'_, f32>) -> Result<(), Error> = crate::syr::<f32>;
const _: fn(f64, VecRef<'_, f64>, Triangle, MatMut<'_, f64>) -> Result<(), Error> = crate::syr::<f64>;
const _: fn(Native, f32, VecRef<'_, f32>, Triangle, MatMut<'_, f32>) -> Result<(), Error> = crate::syr_on::<Native, f32>;
const _: fn(Native, f64, VecRef<'_, f64>, Triangle, MatMut<'_, f64>) -> Result<(), Error> = crate::syr_on::<Native, f64>;
const _: () = enforced::<marker::syr2>();
const _: fn(f32, VecRef<'_, f32>, VecRef<'_, f32>, Triangle, MatMut<'_, f32>) -> Result<(), Error> = crate::syr2::<f32>;
const _: fn(f64, VecRef<'_, f64>, VecRef<'_, f64>, Triangle, MatMut<'_, f64>) -> Result<(), Error> = crate::syr2::<f64>;
const _: fn(Native, f32, VecRef<'_, f32>, VecRef<'_, f32>, Triangle, MatMut<'_, f32>) -> Result<(), Error> = crate::syr2_on::<Native, f32>;
const _: fn(Native, f64, VecRef<'_, f64>, VecRef<'_, f64>, Triangle, MatMut<'_, f64>) -> Result<(), Error> = crate::syr2_on::<Native, f64>;
const _: () = enforced::<marker::symv>();
const _: fn(f32, Triangle, MatRef<'_, f32>, VecRef<'_, f32>, f32, VecMut<'_, f32>) -> Result<(), Error> = crate::symv::<f32>;
const _: fn(f64, Triangle, MatRef<'_, f64>, VecRef<'_, f64>, f64, VecMut<'_, f64>) -> Result<(), Error> = crate::symv::<f64>;
const _: fn(Native, f32, Triangle, MatRef<'_, f32>, VecRef<'_, f32>, f32, VecMut<'_, f32>) -> Result<(), Error> = crate::symv_on::<Native, f32>;
const _: fn(Native, f64, Triangle, MatRef<'_, f64>, VecRef<'_, f64>, f64, VecMut<'_, f64>) -> Result<(), Error> = crate::symv_on::<Native, f64>;
const _: () = enforced::<marker::trmv>();
const _: fn(Triangle, Diagonal, MatRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::trmv::<f32>;
const _: fn(Triangle, Diagonal, MatRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::trmv::<f64>;
const _: fn(Native, Triangle, Diagonal, MatRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::trmv_on::<Native, f32>;
const _: fn(Native, Triangle, Diagonal, MatRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::trmv_on::<Native, f64>;
const _: () = enforced::<marker::trsv>();
const _: fn(Triangle, Diagonal, MatRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::trsv::<f32>;
const _: fn(Triangle, Diagonal, MatRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::trsv::<f64>;
const _: fn(Native, Triangle, Diagonal, MatRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::trsv_on::<Native, f32>;
const _: fn(Native, Triangle, Diagonal, MatRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::trsv_on::<Native, f64>;
const _: () = enforced::<marker::symm>();
const _: fn(Side, f32, Triangle, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::symm::<f32>;
const _: fn(Side, f64, Triangle, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::symm::<f64>;
const _: fn(Native, Side, f32, Triangle, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::symm_on::<Native, f32>;
const _: fn(Native, Side, f64, Triangle, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::symm_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(Side, f32, Triangle, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::parallel::symm::<f32>;
#[cfg(feature = "parallel")]
const _: fn(Side, f64, Triangle, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::parallel::symm::<f64>;
const _: () = enforced::<marker::syrk>();
const _: fn(f32, MatRef<'_, f32>, f32, Triangle, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::syrk::<f32>;
const _: fn(f64, MatRef<'_, f64>, f64, Triangle, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::syrk::<f64>;
const _: fn(Native, f32, MatRef<'_, f32>, f32, Triangle, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::syrk_on::<Native, f32>;
const _: fn(Native, f64, MatRef<'_, f64>, f64, Triangle, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::syrk_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(f32, MatRef<'_, f32>, f32, Triangle, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::parallel::syrk::<f32>;
#[cfg(feature = "parallel")]
const _: fn(f64, MatRef<'_, f64>, f64, Triangle, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::parallel::syrk::<f64>;
const _: () = enforced::<marker::syr2k>();
const _: fn(f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, Triangle, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::syr2k::<f32>;
const _: fn(f64, MatRef<'_, f64>, MatRef<'_, f64>, f64, Triangle, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::syr2k::<f64>;
const _: fn(Native, f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, Triangle, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::syr2k_on::<Native, f32>;
const _: fn(Native, f64, MatRef<'_, f64>, MatRef<'_, f64>, f64, Triangle, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::syr2k_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(f32, MatRef<'_, f32>, MatRef<'_, f32>, f32, Triangle, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::parallel::syr2k::<f32>;
#[cfg(feature = "parallel")]
const _: fn(f64, MatRef<'_, f64>, MatRef<'_, f64>, f64, Triangle, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::parallel::syr2k::<f64>;
const _: () = enforced::<marker::trmm>();
const _: fn(Side, f32, Triangle, Diagonal, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::trmm::<f32>;
const _: fn(Side, f64, Triangle, Diagonal, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::trmm::<f64>;
const _: fn(Native, Side, f32, Triangle, Diagonal, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::trmm_on::<Native, f32>;
const _: fn(Native, Side, f64, Triangle, Diagonal, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::trmm_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(Side, f32, Triangle, Diagonal, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::parallel::trmm::<f32>;
#[cfg(feature = "parallel")]
const _: fn(Side, f64, Triangle, Diagonal, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::parallel::trmm::<f64>;
const _: () = enforced::<marker::trsm>();
const _: fn(Side, f32, Triangle, Diagonal, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::trsm::<f32>;
const _: fn(Side, f64, Triangle, Diagonal, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::trsm::<f64>;
const _: fn(Native, Side, f32, Triangle, Diagonal, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::trsm_on::<Native, f32>;
const _: fn(Native, Side, f64, Triangle, Diagonal, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::trsm_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(Side, f32, Triangle, Diagonal, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::parallel::trsm::<f32>;
#[cfg(feature = "parallel")]
const _: fn(Side, f64, Triangle, Diagonal, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::parallel::trsm::<f64>;
const _: () = enforced::<marker::swap>();
const _: fn(VecMut<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::swap::<f32>;
const _: fn(VecMut<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::swap::<f64>;
const _: fn(Native, VecMut<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::swap_on::<Native, f32>;
const _: fn(Native, VecMut<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::swap_on::<Native, f64>;
const _: () = enforced::<marker::copy>();
const _: fn(VecRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::copy::<f32>;
const _: fn(VecRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::copy::<f64>;
const _: fn(Native, VecRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::copy_on::<Native, f32>;
const _: fn(Native, VecRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::copy_on::<Native, f64>;
const _: () = enforced::<marker::scal>();
const _: fn(f32, VecMut<'_, f32>) = crate::scal::<f32>;
const _: fn(f64, VecMut<'_, f64>) = crate::scal::<f64>;
const _: fn(Native, f32, VecMut<'_, f32>) = crate::scal_on::<Native, f32>;
const _: fn(Native, f64, VecMut<'_, f64>) = crate::scal_on::<Native, f64>;
const _: () = enforced::<marker::axpy_strided>();
const _: fn(f32, VecRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::axpy_strided::<f32>;
const _: fn(f64, VecRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::axpy_strided::<f64>;
const _: fn(Native, f32, VecRef<'_, f32>, VecMut<'_, f32>) -> Result<(), Error> = crate::axpy_strided_on::<Native, f32>;
const _: fn(Native, f64, VecRef<'_, f64>, VecMut<'_, f64>) -> Result<(), Error> = crate::axpy_strided_on::<Native, f64>;
const _: () = enforced::<marker::dot_strided>();
const _: fn(VecRef<'_, f32>, VecRef<'_, f32>) -> Result<f32, Error> = crate::dot_strided::<f32>;
const _: fn(VecRef<'_, f64>, VecRef<'_, f64>) -> Result<f64, Error> = crate::dot_strided::<f64>;
const _: fn(Native, VecRef<'_, f32>, VecRef<'_, f32>) -> Result<f32, Error> = crate::dot_strided_on::<Native, f32>;
const _: fn(Native, VecRef<'_, f64>, VecRef<'_, f64>) -> Result<f64, Error> = crate::dot_strided_on::<Native, f64>;
const _: () = enforced::<marker::nrm2>();
const _: fn(VecRef<'_, f32>) -> f32 = crate::nrm2::<f32>;
const _: fn(VecRef<'_, f64>) -> f64 = crate::nrm2::<f64>;
const _: fn(Native, VecRef<'_, f32>) -> f32 = crate::nrm2_on::<Native, f32>;
const _: fn(Native, VecRef<'_, f64>) -> f64 = crate::nrm2_on::<Native, f64>;
const _: () = enforced::<marker::asum>();
const _: fn(VecRef<'_, f32>) -> f32 = crate::asum::<f32>;
const _: fn(VecRef<'_, f64>) -> f64 = crate::asum::<f64>;
const _: fn(Native, VecRef<'_, f32>) -> f32 = crate::asum_on::<Native, f32>;
const _: fn(Native, VecRef<'_, f64>) -> f64 = crate::asum_on::<Native, f64>;
const _: () = enforced::<marker::iamax>();
const _: fn(VecRef<'_, f32>) -> Result<usize, Error> = crate::iamax::<f32>;
const _: fn(VecRef<'_, f64>) -> Result<usize, Error> = crate::iamax::<f64>;
const _: fn(Native, VecRef<'_, f32>) -> Result<usize, Error> = crate::iamax_on::<Native, f32>;
const _: fn(Native, VecRef<'_, f64>) -> Result<usize, Error> = crate::iamax_on::<Native, f64>;
const _: () = enforced::<marker::rot>();
const _: fn(VecMut<'_, f32>, VecMut<'_, f32>, f32, f32) -> Result<(), Error> = crate::rot::<f32>;
const _: fn(VecMut<'_, f64>, VecMut<'_, f64>, f64, f64) -> Result<(), Error> = crate::rot::<f64>;
const _: fn(Native, VecMut<'_, f32>, VecMut<'_, f32>, f32, f32) -> Result<(), Error> = crate::rot_on::<Native, f32>;
const _: fn(Native, VecMut<'_, f64>, VecMut<'_, f64>, f64, f64) -> Result<(), Error> = crate::rot_on::<Native, f64>;
const _: () = enforced::<marker::rotm>();
const _: fn(VecMut<'_, f32>, VecMut<'_, f32>, &RotM<f32>) -> Result<(), Error> = crate::rotm::<f32>;
const _: fn(VecMut<'_, f64>, VecMut<'_, f64>, &RotM<f64>) -> Result<(), Error> = crate::rotm::<f64>;
const _: fn(Native, VecMut<'_, f32>, VecMut<'_, f32>, &RotM<f32>) -> Result<(), Error> = crate::rotm_on::<Native, f32>;
const _: fn(Native, VecMut<'_, f64>, VecMut<'_, f64>, &RotM<f64>) -> Result<(), Error> = crate::rotm_on::<Native, f64>;
const _: () = enforced::<marker::rotg>();
const _: fn(f32, f32) -> Givens<f32> = crate::rotg::<f32>;
const _: fn(f64, f64) -> Givens<f64> = crate::rotg::<f64>;
const _: fn(Native, f32, f32) -> Givens<f32> = crate::rotg_on::<Native, f32>;
const _: fn(Native, f64, f64) -> Givens<f64> = crate::rotg_on::<Native, f64>;
const _: () = enforced::<marker::rotmg>();
const _: fn(f32, f32, f32, f32) -> ModifiedGivens<f32> = crate::rotmg::<f32>;
const _: fn(f64, f64, f64, f64) -> ModifiedGivens<f64> = crate::rotmg::<f64>;
const _: fn(Native, f32, f32, f32, f32) -> ModifiedGivens<f32> = crate::rotmg_on::<Native, f32>;
const _: fn(Native, f64, f64, f64, f64) -> ModifiedGivens<f64> = crate::rotmg_on::<Native, f64>;
const _: () = enforced::<marker::transpose>();
const _: fn(MatRef<'_, f32>, MatMut<'_, f32>) -> Result<(), Error> = crate::transpose::<f32>;
const _: fn(MatRef<'_, f64>, MatMut<'_, f64>) -> Result<(), Error> = crate::transpose::<f64>;
const _: fn(Native, MatRef<'_, f32>, MatMut<'_, f32>) -> Result<(), Error> = crate::transpose_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, MatMut<'_, f64>) -> Result<(), Error> = crate::transpose_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(MatRef<'_, f32>, MatMut<'_, f32>) -> Result<(), Error> = crate::parallel::transpose::<f32>;
#[cfg(feature = "parallel")]
const _: fn(MatRef<'_, f64>, MatMut<'_, f64>) -> Result<(), Error> = crate::parallel::transpose::<f64>;
const _: fn(MatMut<'_, f32>) -> Result<(), Error> = crate::transpose_in_place::<f32>;
const _: fn(MatMut<'_, f64>) -> Result<(), Error> = crate::transpose_in_place::<f64>;
const _: fn(Native, MatMut<'_, f32>) -> Result<(), Error> = crate::transpose_in_place_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>) -> Result<(), Error> = crate::transpose_in_place_on::<Native, f64>;
const _: fn(&mut [f32], usize, usize, &mut [f32]) -> Result<(), Error> = crate::transpose_packed_in_place::<f32>;
const _: fn(&mut [f64], usize, usize, &mut [f64]) -> Result<(), Error> = crate::transpose_packed_in_place::<f64>;
const _: fn(Native, &mut [f32], usize, usize, &mut [f32]) -> Result<(), Error> = crate::transpose_packed_in_place_on::<Native, f32>;
const _: fn(Native, &mut [f64], usize, usize, &mut [f64]) -> Result<(), Error> = crate::transpose_packed_in_place_on::<Native, f64>;
const _: fn(BatchRef<'_, f32>, BatchMut<'_, f32>) -> Result<(), Error> = crate::transpose_batched::<f32>;
const _: fn(BatchRef<'_, f64>, BatchMut<'_, f64>) -> Result<(), Error> = crate::transpose_batched::<f64>;
const _: fn(Native, BatchRef<'_, f32>, BatchMut<'_, f32>) -> Result<(), Error> = crate::transpose_batched_on::<Native, f32>;
const _: fn(Native, BatchRef<'_, f64>, BatchMut<'_, f64>) -> Result<(), Error> = crate::transpose_batched_on::<Native, f64>;
const _: () = enforced::<marker::exp>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::exp::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::exp::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::exp_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::exp_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::exp_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::exp_in_place::<f64>;
const _: () = enforced::<marker::exp2>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::exp2::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::exp2::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::exp2_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::exp2_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::exp2_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::exp2_in_place::<f64>;
const _: () = enforced::<marker::exp_m1>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::exp_m1::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::exp_m1::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::exp_m1_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::exp_m1_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::exp_m1_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::exp_m1_in_place::<f64>;
const _: () = enforced::<marker::sinh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::sinh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::sinh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::sinh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::sinh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::sinh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::sinh_in_place::<f64>;
const _: () = enforced::<marker::cosh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::cosh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::cosh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::cosh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::cosh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::cosh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::cosh_in_place::<f64>;
const _: () = enforced::<marker::tanh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::tanh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::tanh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::tanh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::tanh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::tanh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::tanh_in_place::<f64>;
const _: () = enforced::<marker::approx_exp>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::approx_exp::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::approx_exp::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::approx_exp_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::approx_exp_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::approx_exp_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::approx_exp_in_place::<f64>;
const _: () = enforced::<marker::approx_tanh>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::approx_tanh::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::approx_tanh::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::approx_tanh_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::approx_tanh_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::approx_tanh_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::approx_tanh_in_place::<f64>;
const _: () = enforced::<marker::relu>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::relu::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::relu::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::relu_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::relu_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::relu_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::relu_in_place::<f64>;
const _: () = enforced::<marker::leaky_relu>();
const _: fn(&[f32], f32, &mut [f32]) -> Result<(), Error> = crate::leaky_relu::<f32>;
const _: fn(&[f64], f64, &mut [f64]) -> Result<(), Error> = crate::leaky_relu::<f64>;
const _: fn(Native, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::leaky_relu_on::<Native, f32>;
const _: fn(Native, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::leaky_relu_on::<Native, f64>;
const _: fn(&mut [f32], f32) -> Result<(), Error> = crate::leaky_relu_in_place::<f32>;
const _: fn(&mut [f64], f64) -> Result<(), Error> = crate::leaky_relu_in_place::<f64>;
const _: () = enforced::<marker::elu>();
const _: fn(&[f32], f32, &mut [f32]) -> Result<(), Error> = crate::elu::<f32>;
const _: fn(&[f64], f64, &mut [f64]) -> Result<(), Error> = crate::elu::<f64>;
const _: fn(Native, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::elu_on::<Native, f32>;
const _: fn(Native, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::elu_on::<Native, f64>;
const _: fn(&mut [f32], f32) -> Result<(), Error> = crate::elu_in_place::<f32>;
const _: fn(&mut [f64], f64) -> Result<(), Error> = crate::elu_in_place::<f64>;
const _: () = enforced::<marker::erf>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::erf::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::erf::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::erf_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::erf_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::erf_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::erf_in_place::<f64>;
const _: () = enforced::<marker::selu>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::selu::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::selu::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::selu_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::selu_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::selu_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::selu_in_place::<f64>;
const _: () = enforced::<marker::sigmoid>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::sigmoid::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::sigmoid::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::sigmoid_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::sigmoid_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::sigmoid_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::sigmoid_in_place::<f64>;
const _: () = enforced::<marker::silu>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::silu::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::silu::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::silu_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::silu_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::silu_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::silu_in_place::<f64>;
const _: () = enforced::<marker::gelu>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::gelu::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::gelu::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::gelu_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::gelu_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::gelu_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::gelu_in_place::<f64>;
const _: () = enforced::<marker::gelu_erf>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::gelu_erf::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::gelu_erf::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::gelu_erf_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::gelu_erf_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::gelu_erf_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::gelu_erf_in_place::<f64>;
const _: () = enforced::<marker::hard_sigmoid>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::hard_sigmoid::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::hard_sigmoid::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::hard_sigmoid_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::hard_sigmoid_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::hard_sigmoid_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::hard_sigmoid_in_place::<f64>;
const _: () = enforced::<marker::hardswish>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::hardswish::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::hardswish::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::hardswish_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::hardswish_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::hardswish_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::hardswish_in_place::<f64>;
const _: () = enforced::<marker::mish>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::mish::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::mish::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::mish_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::mish_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::mish_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::mish_in_place::<f64>;
const _: () = enforced::<marker::approx_sigmoid>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::approx_sigmoid::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::approx_sigmoid::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::approx_sigmoid_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::approx_sigmoid_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::approx_sigmoid_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::approx_sigmoid_in_place::<f64>;
const _: () = enforced::<marker::approx_gelu>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::approx_gelu::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::approx_gelu::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::approx_gelu_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::approx_gelu_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::approx_gelu_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::approx_gelu_in_place::<f64>;
const _: () = enforced::<marker::softsign>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::softsign::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::softsign::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::softsign_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::softsign_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::softsign_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::softsign_in_place::<f64>;
const _: () = enforced::<marker::swiglu>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::swiglu::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::swiglu::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::swiglu_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::swiglu_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::swiglu_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::swiglu_in_place::<f64>;
const _: () = enforced::<marker::geglu>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::geglu::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::geglu::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::geglu_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::geglu_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::geglu_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::geglu_in_place::<f64>;
const _: () = enforced::<marker::relu_backward>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::relu_backward::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::relu_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::relu_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::relu_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::relu_backward_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::relu_backward_in_place::<f64>;
const _: () = enforced::<marker::leaky_relu_backward>();
const _: fn(&[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::leaky_relu_backward::<f32>;
const _: fn(&[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::leaky_relu_backward::<f64>;
const _: fn(Native, &[f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::leaky_relu_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::leaky_relu_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[f32], f32) -> Result<(), Error> = crate::leaky_relu_backward_in_place::<f32>;
const _: fn(&mut [f64], &[f64], f64) -> Result<(), Error> = crate::leaky_relu_backward_in_place::<f64>;
const _: () = enforced::<marker::sigmoid_backward>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::sigmoid_backward::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::sigmoid_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::sigmoid_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::sigmoid_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::sigmoid_backward_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::sigmoid_backward_in_place::<f64>;
const _: () = enforced::<marker::tanh_backward>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::tanh_backward::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::tanh_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::tanh_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::tanh_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::tanh_backward_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::tanh_backward_in_place::<f64>;
const _: () = enforced::<marker::silu_backward>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::silu_backward::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::silu_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::silu_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::silu_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::silu_backward_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::silu_backward_in_place::<f64>;
const _: () = enforced::<marker::gelu_backward>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::gelu_backward::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::gelu_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::gelu_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::gelu_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::gelu_backward_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::gelu_backward_in_place::<f64>;
const _: () = enforced::<marker::swiglu_packed>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::swiglu_packed::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::swiglu_packed::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::swiglu_packed_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::swiglu_packed_on::<Native, f64>;
const _: () = enforced::<marker::swiglu_packed_backward>();
const _: fn(&[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::swiglu_packed_backward::<f32>;
const _: fn(&[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::swiglu_packed_backward::<f64>;
const _: fn(Native, &[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::swiglu_packed_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::swiglu_packed_backward_on::<Native, f64>;
const _: () = enforced::<marker::rms_norm_residual>();
const _: fn(&[f32], &mut [f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::rms_norm_residual::<f32>;
const _: fn(&[f64], &mut [f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::rms_norm_residual::<f64>;
const _: fn(Native, &[f32], &mut [f32], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::rms_norm_residual_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64], &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::rms_norm_residual_on::<Native, f64>;
const _: () = enforced::<marker::rms_norm_backward>();
const _: fn(&[f32], &[f32], &[f32], f32, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::rms_norm_backward::<f32>;
const _: fn(&[f64], &[f64], &[f64], f64, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::rms_norm_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &[f32], f32, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::rms_norm_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &[f64], f64, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::rms_norm_backward_on::<Native, f64>;
const _: () = enforced::<marker::rms_norm_residual_backward>();
const _: fn(&[f32], &[f32], &[f32], f32, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::rms_norm_residual_backward::<f32>;
const _: fn(&[f64], &[f64], &[f64], f64, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::rms_norm_residual_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &[f32], f32, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::rms_norm_residual_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &[f64], f64, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::rms_norm_residual_backward_on::<Native, f64>;
const _: () = enforced::<marker::layer_norm_backward>();
const _: fn(&[f32], &[f32], &[f32], f32, &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::layer_norm_backward::<f32>;
const _: fn(&[f64], &[f64], &[f64], f64, &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::layer_norm_backward::<f64>;
const _: fn(Native, &[f32], &[f32], &[f32], f32, &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::layer_norm_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &[f64], f64, &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::layer_norm_backward_on::<Native, f64>;
const _: () = enforced::<marker::cross_entropy>();
const _: fn(&[f32], &[u32], usize, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::cross_entropy::<f32>;
const _: fn(&[f64], &[u32], usize, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::cross_entropy::<f64>;
const _: fn(Native, &[f32], &[u32], usize, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::cross_entropy_on::<Native, f32>;
const _: fn(Native, &[f64], &[u32], usize, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::cross_entropy_on::<Native, f64>;
const _: () = enforced::<marker::cross_entropy_backward>();
const _: fn(&[f32], &[u32], &[f32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::cross_entropy_backward::<f32>;
const _: fn(&[f64], &[u32], &[f64], usize, f64, &mut [f64]) -> Result<(), Error> = crate::cross_entropy_backward::<f64>;
const _: fn(Native, &[f32], &[u32], &[f32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::cross_entropy_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[u32], &[f64], usize, f64, &mut [f64]) -> Result<(), Error> = crate::cross_entropy_backward_on::<Native, f64>;
const _: fn(&mut [f32], &[u32], &[f32], usize, f32) -> Result<(), Error> = crate::cross_entropy_backward_in_place::<f32>;
const _: fn(&mut [f64], &[u32], &[f64], usize, f64) -> Result<(), Error> = crate::cross_entropy_backward_in_place::<f64>;
const _: () = enforced::<marker::cross_entropy_with_gradient>();
const _: fn(&mut [f32], &[u32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::cross_entropy_with_gradient::<f32>;
const _: fn(&mut [f64], &[u32], usize, f64, &mut [f64]) -> Result<(), Error> = crate::cross_entropy_with_gradient::<f64>;
const _: fn(Native, &mut [f32], &[u32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::cross_entropy_with_gradient_on::<Native, f32>;
const _: fn(Native, &mut [f64], &[u32], usize, f64, &mut [f64]) -> Result<(), Error> = crate::cross_entropy_with_gradient_on::<Native, f64>;
const _: () = enforced::<marker::embedding>();
const _: fn(&[f32], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::embedding::<f32>;
const _: fn(&[f64], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::embedding::<f64>;
const _: fn(Native, &[f32], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::embedding_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::embedding_on::<Native, f64>;
const _: () = enforced::<marker::scatter>();
const _: fn(&[f32], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::scatter::<f32>;
const _: fn(&[f64], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::scatter::<f64>;
const _: fn(Native, &[f32], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::scatter_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::scatter_on::<Native, f64>;
const _: () = enforced::<marker::scatter_add>();
const _: fn(&[f32], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::scatter_add::<f32>;
const _: fn(&[f64], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::scatter_add::<f64>;
const _: fn(Native, &[f32], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::scatter_add_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::scatter_add_on::<Native, f64>;
const _: () = enforced::<marker::max_pool>();
const _: fn(&[f32], Pool, &mut [f32]) -> Result<(), Error> = crate::max_pool::<f32>;
const _: fn(&[f64], Pool, &mut [f64]) -> Result<(), Error> = crate::max_pool::<f64>;
const _: fn(Native, &[f32], Pool, &mut [f32]) -> Result<(), Error> = crate::max_pool_on::<Native, f32>;
const _: fn(Native, &[f64], Pool, &mut [f64]) -> Result<(), Error> = crate::max_pool_on::<Native, f64>;
const _: () = enforced::<marker::max_pool_indices>();
const _: fn(&[f32], Pool, &mut [f32], &mut [u32]) -> Result<(), Error> = crate::max_pool_indices::<f32>;
const _: fn(&[f64], Pool, &mut [f64], &mut [u32]) -> Result<(), Error> = crate::max_pool_indices::<f64>;
const _: fn(Native, &[f32], Pool, &mut [f32], &mut [u32]) -> Result<(), Error> = crate::max_pool_indices_on::<Native, f32>;
const _: fn(Native, &[f64], Pool, &mut [f64], &mut [u32]) -> Result<(), Error> = crate::max_pool_indices_on::<Native, f64>;
const _: () = enforced::<marker::max_pool_backward>();
const _: fn(&[f32], &[f32], Pool, &mut [f32]) -> Result<(), Error> = crate::max_pool_backward::<f32>;
const _: fn(&[f64], &[f64], Pool, &mut [f64]) -> Result<(), Error> = crate::max_pool_backward::<f64>;
const _: fn(Native, &[f32], &[f32], Pool, &mut [f32]) -> Result<(), Error> = crate::max_pool_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], Pool, &mut [f64]) -> Result<(), Error> = crate::max_pool_backward_on::<Native, f64>;
const _: () = enforced::<marker::avg_pool>();
const _: fn(&[f32], Pool, bool, &mut [f32]) -> Result<(), Error> = crate::avg_pool::<f32>;
const _: fn(&[f64], Pool, bool, &mut [f64]) -> Result<(), Error> = crate::avg_pool::<f64>;
const _: fn(Native, &[f32], Pool, bool, &mut [f32]) -> Result<(), Error> = crate::avg_pool_on::<Native, f32>;
const _: fn(Native, &[f64], Pool, bool, &mut [f64]) -> Result<(), Error> = crate::avg_pool_on::<Native, f64>;
const _: () = enforced::<marker::avg_pool_backward>();
const _: fn(&[f32], Pool, bool, &mut [f32]) -> Result<(), Error> = crate::avg_pool_backward::<f32>;
const _: fn(&[f64], Pool, bool, &mut [f64]) -> Result<(), Error> = crate::avg_pool_backward::<f64>;
const _: fn(Native, &[f32], Pool, bool, &mut [f32]) -> Result<(), Error> = crate::avg_pool_backward_on::<Native, f32>;
const _: fn(Native, &[f64], Pool, bool, &mut [f64]) -> Result<(), Error> = crate::avg_pool_backward_on::<Native, f64>;
const _: () = enforced::<marker::conv1d>();
const _: fn(Conv1d, &[f32], &[f32], Option<&[f32]>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::conv1d::<f32>;
const _: fn(Conv1d, &[f64], &[f64], Option<&[f64]>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::conv1d::<f64>;
const _: fn(Native, Conv1d, &[f32], &[f32], Option<&[f32]>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::conv1d_on::<Native, f32>;
const _: fn(Native, Conv1d, &[f64], &[f64], Option<&[f64]>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::conv1d_on::<Native, f64>;
const _: () = enforced::<marker::conv1d_backward_input>();
const _: fn(Conv1d, &[f32], &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::conv1d_backward_input::<f32>;
const _: fn(Conv1d, &[f64], &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::conv1d_backward_input::<f64>;
const _: fn(Native, Conv1d, &[f32], &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::conv1d_backward_input_on::<Native, f32>;
const _: fn(Native, Conv1d, &[f64], &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::conv1d_backward_input_on::<Native, f64>;
const _: () = enforced::<marker::conv1d_backward_weights>();
const _: fn(Conv1d, &[f32], &[f32], &mut [f32], Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::conv1d_backward_weights::<f32>;
const _: fn(Conv1d, &[f64], &[f64], &mut [f64], Option<&mut [f64]>, &mut [f64]) -> Result<(), Error> = crate::conv1d_backward_weights::<f64>;
const _: fn(Native, Conv1d, &[f32], &[f32], &mut [f32], Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::conv1d_backward_weights_on::<Native, f32>;
const _: fn(Native, Conv1d, &[f64], &[f64], &mut [f64], Option<&mut [f64]>, &mut [f64]) -> Result<(), Error> = crate::conv1d_backward_weights_on::<Native, f64>;
const _: () = enforced::<marker::sgd>();
const _: fn(f32, f32, &[f32], &mut [f32]) -> Result<(), Error> = crate::sgd::<f32>;
const _: fn(f64, f64, &[f64], &mut [f64]) -> Result<(), Error> = crate::sgd::<f64>;
const _: fn(Native, f32, f32, &[f32], &mut [f32]) -> Result<(), Error> = crate::sgd_on::<Native, f32>;
const _: fn(Native, f64, f64, &[f64], &mut [f64]) -> Result<(), Error> = crate::sgd_on::<Native, f64>;
const _: () = enforced::<marker::momentum>();
const _: fn(Momentum<f32>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::momentum::<f32>;
const _: fn(Momentum<f64>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::momentum::<f64>;
const _: fn(Native, Momentum<f32>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::momentum_on::<Native, f32>;
const _: fn(Native, Momentum<f64>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::momentum_on::<Native, f64>;
const _: () = enforced::<marker::adam>();
const _: fn(Adam<f32>, &[f32], &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::adam::<f32>;
const _: fn(Adam<f64>, &[f64], &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::adam::<f64>;
const _: fn(Native, Adam<f32>, &[f32], &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::adam_on::<Native, f32>;
const _: fn(Native, Adam<f64>, &[f64], &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::adam_on::<Native, f64>;
const _: () = enforced::<marker::adamw>();
const _: fn(Adam<f32>, &[f32], &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::adamw::<f32>;
const _: fn(Adam<f64>, &[f64], &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::adamw::<f64>;
const _: fn(Native, Adam<f32>, &[f32], &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::adamw_on::<Native, f32>;
const _: fn(Native, Adam<f64>, &[f64], &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::adamw_on::<Native, f64>;
const _: () = enforced::<marker::clip_by_norm>();
const _: fn(f32, &mut [f32]) -> Result<f32, Error> = crate::clip_by_norm::<f32>;
const _: fn(f64, &mut [f64]) -> Result<f64, Error> = crate::clip_by_norm::<f64>;
const _: fn(Native, f32, &mut [f32]) -> Result<f32, Error> = crate::clip_by_norm_on::<Native, f32>;
const _: fn(Native, f64, &mut [f64]) -> Result<f64, Error> = crate::clip_by_norm_on::<Native, f64>;
const _: () = enforced::<marker::softmax_backward>();
const _: fn(&[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::softmax_backward::<f32>;
const _: fn(&[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::softmax_backward::<f64>;
const _: fn(Native, &[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::softmax_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::softmax_backward_on::<Native, f64>;
const _: () = enforced::<marker::softplus>();
const _: fn(&[f32], &mut [f32]) -> Result<(), Error> = crate::softplus::<f32>;
const _: fn(&[f64], &mut [f64]) -> Result<(), Error> = crate::softplus::<f64>;
const _: fn(Native, &[f32], &mut [f32]) -> Result<(), Error> = crate::softplus_on::<Native, f32>;
const _: fn(Native, &[f64], &mut [f64]) -> Result<(), Error> = crate::softplus_on::<Native, f64>;
const _: fn(&mut [f32]) -> Result<(), Error> = crate::softplus_in_place::<f32>;
const _: fn(&mut [f64]) -> Result<(), Error> = crate::softplus_in_place::<f64>;
const _: () = enforced::<marker::log_softmax_backward>();
const _: fn(&[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::log_softmax_backward::<f32>;
const _: fn(&[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::log_softmax_backward::<f64>;
const _: fn(Native, &[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::log_softmax_backward_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::log_softmax_backward_on::<Native, f64>;
const _: () = enforced::<marker::masked_softmax>();
const _: fn(&[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::masked_softmax::<f32>;
const _: fn(&[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::masked_softmax::<f64>;
const _: fn(Native, &[f32], &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::masked_softmax_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::masked_softmax_on::<Native, f64>;
const _: () = enforced::<marker::gemm_backward_a>();
const _: fn(MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_backward_a::<f32>;
const _: fn(MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_backward_a::<f64>;
const _: fn(Native, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_backward_a_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_backward_a_on::<Native, f64>;
const _: () = enforced::<marker::gemm_backward_b>();
const _: fn(MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_backward_b::<f32>;
const _: fn(MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_backward_b::<f64>;
const _: fn(Native, MatRef<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::gemm_backward_b_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::gemm_backward_b_on::<Native, f64>;
const _: () = enforced::<marker::attention>();
const _: fn(&Attention<f32>, MatRef<'_, f32>, MatRef<'_, f32>, MatRef<'_, f32>, Option<MatRef<'_, f32>>, MatMut<'_, f32>, Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::attention::<f32>;
const _: fn(&Attention<f64>, MatRef<'_, f64>, MatRef<'_, f64>, MatRef<'_, f64>, Option<MatRef<'_, f64>>, MatMut<'_, f64>, Option<&mut [f64]>, &mut [f64]) -> Result<(), Error> = crate::attention::<f64>;
const _: fn(Native, &Attention<f32>, MatRef<'_, f32>, MatRef<'_, f32>, MatRef<'_, f32>, Option<MatRef<'_, f32>>, MatMut<'_, f32>, Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::attention_on::<Native, f32>;
const _: fn(Native, &Attention<f64>, MatRef<'_, f64>, MatRef<'_, f64>, MatRef<'_, f64>, Option<MatRef<'_, f64>>, MatMut<'_, f64>, Option<&mut [f64]>, &mut [f64]) -> Result<(), Error> = crate::attention_on::<Native, f64>;
#[cfg(feature = "half")]
const _: fn(&Attention<f32>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatMut<'_, f32>, Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::attention_bf16;
#[cfg(feature = "half")]
const _: fn(Native, &Attention<f32>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatMut<'_, f32>, Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::attention_bf16_on;
#[cfg(feature = "half")]
const _: fn(&Attention<f32>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatRef<'_, f32>, &[f32], MatRef<'_, half::bf16>, MatMut<'_, f32>, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::attention_bf16_backward;
#[cfg(feature = "half")]
const _: fn(Native, &Attention<f32>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatRef<'_, half::bf16>, MatRef<'_, f32>, &[f32], MatRef<'_, half::bf16>, MatMut<'_, f32>, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::attention_bf16_backward_on;
const _: fn(&Attention<f32>, &[f32], &[crate::quant::Q8_0], &[crate::quant::Q8_0], Option<crate::Pages<'_>>, &mut [f32], Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::attention_decode;
const _: fn(Native, &Attention<f32>, &[f32], &[crate::quant::Q8_0], &[crate::quant::Q8_0], Option<crate::Pages<'_>>, &mut [f32], Option<&mut [f32]>, &mut [f32]) -> Result<(), Error> = crate::attention_decode_on;
const _: () = enforced::<marker::attention_backward>();
const _: fn(&Attention<f32>, MatRef<'_, f32>, MatRef<'_, f32>, MatRef<'_, f32>, Option<MatRef<'_, f32>>, MatRef<'_, f32>, &[f32], MatRef<'_, f32>, MatMut<'_, f32>, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::attention_backward::<f32>;
const _: fn(&Attention<f64>, MatRef<'_, f64>, MatRef<'_, f64>, MatRef<'_, f64>, Option<MatRef<'_, f64>>, MatRef<'_, f64>, &[f64], MatRef<'_, f64>, MatMut<'_, f64>, MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::attention_backward::<f64>;
const _: fn(Native, &Attention<f32>, MatRef<'_, f32>, MatRef<'_, f32>, MatRef<'_, f32>, Option<MatRef<'_, f32>>, MatRef<'_, f32>, &[f32], MatRef<'_, f32>, MatMut<'_, f32>, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::attention_backward_on::<Native, f32>;
const _: fn(Native, &Attention<f64>, MatRef<'_, f64>, MatRef<'_, f64>, MatRef<'_, f64>, Option<MatRef<'_, f64>>, MatRef<'_, f64>, &[f64], MatRef<'_, f64>, MatMut<'_, f64>, MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::attention_backward_on::<Native, f64>;
const _: () = enforced::<marker::fft>();
const _: fn(&Fft<'_, f32>, Direction, &[Complex<f32>], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::fft::<f32>;
const _: fn(&Fft<'_, f64>, Direction, &[Complex<f64>], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::fft::<f64>;
const _: fn(Native, &Fft<'_, f32>, Direction, &[Complex<f32>], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_on::<Native, f32>;
const _: fn(Native, &Fft<'_, f64>, Direction, &[Complex<f64>], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_on::<Native, f64>;
const _: fn(&Fft<'_, f32>, Direction, &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_in_place::<f32>;
const _: fn(&Fft<'_, f64>, Direction, &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_in_place::<f64>;
const _: () = enforced::<marker::rfft>();
const _: fn(&RealFft<'_, f32>, &[f32], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::rfft::<f32>;
const _: fn(&RealFft<'_, f64>, &[f64], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::rfft::<f64>;
const _: fn(Native, &RealFft<'_, f32>, &[f32], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::rfft_on::<Native, f32>;
const _: fn(Native, &RealFft<'_, f64>, &[f64], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::rfft_on::<Native, f64>;
const _: () = enforced::<marker::irfft>();
const _: fn(&RealFft<'_, f32>, &[Complex<f32>], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::irfft::<f32>;
const _: fn(&RealFft<'_, f64>, &[Complex<f64>], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::irfft::<f64>;
const _: fn(Native, &RealFft<'_, f32>, &[Complex<f32>], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::irfft_on::<Native, f32>;
const _: fn(Native, &RealFft<'_, f64>, &[Complex<f64>], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::irfft_on::<Native, f64>;
const _: () = enforced::<marker::fft_rows>();
const _: fn(&Fft<'_, f32>, Direction, MatRef<'_, Complex<f32>>, MatMut<'_, Complex<f32>>, &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_rows::<f32>;
const _: fn(&Fft<'_, f64>, Direction, MatRef<'_, Complex<f64>>, MatMut<'_, Complex<f64>>, &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_rows::<f64>;
const _: fn(Native, &Fft<'_, f32>, Direction, MatRef<'_, Complex<f32>>, MatMut<'_, Complex<f32>>, &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_rows_on::<Native, f32>;
const _: fn(Native, &Fft<'_, f64>, Direction, MatRef<'_, Complex<f64>>, MatMut<'_, Complex<f64>>, &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_rows_on::<Native, f64>;
const _: () = enforced::<marker::fft_2d>();
const _: fn(&Fft<'_, f32>, &Fft<'_, f32>, Direction, MatRef<'_, Complex<f32>>, MatMut<'_, Complex<f32>>, &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_2d::<f32>;
const _: fn(&Fft<'_, f64>, &Fft<'_, f64>, Direction, MatRef<'_, Complex<f64>>, MatMut<'_, Complex<f64>>, &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_2d::<f64>;
const _: fn(Native, &Fft<'_, f32>, &Fft<'_, f32>, Direction, MatRef<'_, Complex<f32>>, MatMut<'_, Complex<f32>>, &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_2d_on::<Native, f32>;
const _: fn(Native, &Fft<'_, f64>, &Fft<'_, f64>, Direction, MatRef<'_, Complex<f64>>, MatMut<'_, Complex<f64>>, &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_2d_on::<Native, f64>;
const _: () = enforced::<marker::fft_3d>();
const _: fn([&Fft<'_, f32>; 3], Direction, &[Complex<f32>], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_3d::<f32>;
const _: fn([&Fft<'_, f64>; 3], Direction, &[Complex<f64>], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_3d::<f64>;
const _: fn(Native, [&Fft<'_, f32>; 3], Direction, &[Complex<f32>], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::fft_3d_on::<Native, f32>;
const _: fn(Native, [&Fft<'_, f64>; 3], Direction, &[Complex<f64>], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::fft_3d_on::<Native, f64>;
const _: () = enforced::<marker::stft>();
const _: fn(&RealFft<'_, f32>, &[f32], usize, &[f32], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::stft::<f32>;
const _: fn(&RealFft<'_, f64>, &[f64], usize, &[f64], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::stft::<f64>;
const _: fn(Native, &RealFft<'_, f32>, &[f32], usize, &[f32], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::stft_on::<Native, f32>;
const _: fn(Native, &RealFft<'_, f64>, &[f64], usize, &[f64], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::stft_on::<Native, f64>;
const _: () = enforced::<marker::gemm_complex>();
const _: fn(Complex<f32>, MatRef<'_, Complex<f32>>, MatRef<'_, Complex<f32>>, Conjugate, Complex<f32>, MatMut<'_, Complex<f32>>, &mut [f32]) -> Result<(), Error> = crate::gemm_complex::<f32>;
const _: fn(Complex<f64>, MatRef<'_, Complex<f64>>, MatRef<'_, Complex<f64>>, Conjugate, Complex<f64>, MatMut<'_, Complex<f64>>, &mut [f64]) -> Result<(), Error> = crate::gemm_complex::<f64>;
const _: fn(Native, Complex<f32>, MatRef<'_, Complex<f32>>, MatRef<'_, Complex<f32>>, Conjugate, Complex<f32>, MatMut<'_, Complex<f32>>, &mut [f32]) -> Result<(), Error> = crate::gemm_complex_on::<Native, f32>;
const _: fn(Native, Complex<f64>, MatRef<'_, Complex<f64>>, MatRef<'_, Complex<f64>>, Conjugate, Complex<f64>, MatMut<'_, Complex<f64>>, &mut [f64]) -> Result<(), Error> = crate::gemm_complex_on::<Native, f64>;
const _: () = enforced::<marker::gemv_complex>();
const _: fn(Complex<f32>, MatRef<'_, Complex<f32>>, bool, VecRef<'_, Complex<f32>>, Complex<f32>, VecMut<'_, Complex<f32>>) -> Result<(), Error> = crate::gemv_complex::<f32>;
const _: fn(Complex<f64>, MatRef<'_, Complex<f64>>, bool, VecRef<'_, Complex<f64>>, Complex<f64>, VecMut<'_, Complex<f64>>) -> Result<(), Error> = crate::gemv_complex::<f64>;
const _: fn(Native, Complex<f32>, MatRef<'_, Complex<f32>>, bool, VecRef<'_, Complex<f32>>, Complex<f32>, VecMut<'_, Complex<f32>>) -> Result<(), Error> = crate::gemv_complex_on::<Native, f32>;
const _: fn(Native, Complex<f64>, MatRef<'_, Complex<f64>>, bool, VecRef<'_, Complex<f64>>, Complex<f64>, VecMut<'_, Complex<f64>>) -> Result<(), Error> = crate::gemv_complex_on::<Native, f64>;
const _: () = enforced::<marker::dot_complex>();
const _: fn(bool, VecRef<'_, Complex<f32>>, VecRef<'_, Complex<f32>>) -> Result<Complex<f32>, Error> = crate::dot_complex::<f32>;
const _: fn(bool, VecRef<'_, Complex<f64>>, VecRef<'_, Complex<f64>>) -> Result<Complex<f64>, Error> = crate::dot_complex::<f64>;
const _: fn(Native, bool, VecRef<'_, Complex<f32>>, VecRef<'_, Complex<f32>>) -> Result<Complex<f32>, Error> = crate::dot_complex_on::<Native, f32>;
const _: fn(Native, bool, VecRef<'_, Complex<f64>>, VecRef<'_, Complex<f64>>) -> Result<Complex<f64>, Error> = crate::dot_complex_on::<Native, f64>;
const _: () = enforced::<marker::axpy_complex>();
const _: fn(Complex<f32>, VecRef<'_, Complex<f32>>, VecMut<'_, Complex<f32>>) -> Result<(), Error> = crate::axpy_complex::<f32>;
const _: fn(Complex<f64>, VecRef<'_, Complex<f64>>, VecMut<'_, Complex<f64>>) -> Result<(), Error> = crate::axpy_complex::<f64>;
const _: fn(Native, Complex<f32>, VecRef<'_, Complex<f32>>, VecMut<'_, Complex<f32>>) -> Result<(), Error> = crate::axpy_complex_on::<Native, f32>;
const _: fn(Native, Complex<f64>, VecRef<'_, Complex<f64>>, VecMut<'_, Complex<f64>>) -> Result<(), Error> = crate::axpy_complex_on::<Native, f64>;
const _: () = enforced::<marker::scal_complex>();
const _: fn(Complex<f32>, VecMut<'_, Complex<f32>>) = crate::scal_complex::<f32>;
const _: fn(Complex<f64>, VecMut<'_, Complex<f64>>) = crate::scal_complex::<f64>;
const _: fn(Native, Complex<f32>, VecMut<'_, Complex<f32>>) = crate::scal_complex_on::<Native, f32>;
const _: fn(Native, Complex<f64>, VecMut<'_, Complex<f64>>) = crate::scal_complex_on::<Native, f64>;
const _: () = enforced::<marker::nrm2_complex>();
const _: fn(VecRef<'_, Complex<f32>>) -> f32 = crate::nrm2_complex::<f32>;
const _: fn(VecRef<'_, Complex<f64>>) -> f64 = crate::nrm2_complex::<f64>;
const _: fn(Native, VecRef<'_, Complex<f32>>) -> f32 = crate::nrm2_complex_on::<Native, f32>;
const _: fn(Native, VecRef<'_, Complex<f64>>) -> f64 = crate::nrm2_complex_on::<Native, f64>;
const _: () = enforced::<marker::asum_complex>();
const _: fn(VecRef<'_, Complex<f32>>) -> f32 = crate::asum_complex::<f32>;
const _: fn(VecRef<'_, Complex<f64>>) -> f64 = crate::asum_complex::<f64>;
const _: fn(Native, VecRef<'_, Complex<f32>>) -> f32 = crate::asum_complex_on::<Native, f32>;
const _: fn(Native, VecRef<'_, Complex<f64>>) -> f64 = crate::asum_complex_on::<Native, f64>;
const _: () = enforced::<marker::mul_complex>();
const _: fn(bool, &[Complex<f32>], &[Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::mul_complex::<f32>;
const _: fn(bool, &[Complex<f64>], &[Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::mul_complex::<f64>;
const _: fn(Native, bool, &[Complex<f32>], &[Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::mul_complex_on::<Native, f32>;
const _: fn(Native, bool, &[Complex<f64>], &[Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::mul_complex_on::<Native, f64>;
const _: () = enforced::<marker::abs_complex>();
const _: fn(&[Complex<f32>], &mut [f32]) -> Result<(), Error> = crate::abs_complex::<f32>;
const _: fn(&[Complex<f64>], &mut [f64]) -> Result<(), Error> = crate::abs_complex::<f64>;
const _: fn(Native, &[Complex<f32>], &mut [f32]) -> Result<(), Error> = crate::abs_complex_on::<Native, f32>;
const _: fn(Native, &[Complex<f64>], &mut [f64]) -> Result<(), Error> = crate::abs_complex_on::<Native, f64>;
const _: () = enforced::<marker::arg_complex>();
const _: fn(&[Complex<f32>], &mut [f32]) -> Result<(), Error> = crate::arg_complex::<f32>;
const _: fn(&[Complex<f64>], &mut [f64]) -> Result<(), Error> = crate::arg_complex::<f64>;
const _: fn(Native, &[Complex<f32>], &mut [f32]) -> Result<(), Error> = crate::arg_complex_on::<Native, f32>;
const _: fn(Native, &[Complex<f64>], &mut [f64]) -> Result<(), Error> = crate::arg_complex_on::<Native, f64>;
const _: () = enforced::<marker::interleave>();
const _: fn(&[f32], &[f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::interleave::<f32>;
const _: fn(&[f64], &[f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::interleave::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::interleave_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::interleave_on::<Native, f64>;
const _: () = enforced::<marker::deinterleave>();
const _: fn(&[Complex<f32>], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::deinterleave::<f32>;
const _: fn(&[Complex<f64>], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::deinterleave::<f64>;
const _: fn(Native, &[Complex<f32>], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::deinterleave_on::<Native, f32>;
const _: fn(Native, &[Complex<f64>], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::deinterleave_on::<Native, f64>;
const _: () = enforced::<marker::dct>();
const _: fn(&Dct<'_, f32>, &[f32], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::dct::<f32>;
const _: fn(&Dct<'_, f64>, &[f64], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::dct::<f64>;
const _: fn(Native, &Dct<'_, f32>, &[f32], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::dct_on::<Native, f32>;
const _: fn(Native, &Dct<'_, f64>, &[f64], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::dct_on::<Native, f64>;
const _: () = enforced::<marker::convolve>();
const _: fn(&Convolver<'_, f32>, Extent, &[f32], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::convolve::<f32>;
const _: fn(&Convolver<'_, f64>, Extent, &[f64], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::convolve::<f64>;
const _: fn(Native, &Convolver<'_, f32>, Extent, &[f32], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::convolve_on::<Native, f32>;
const _: fn(Native, &Convolver<'_, f64>, Extent, &[f64], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::convolve_on::<Native, f64>;
const _: () = enforced::<marker::convolve_complex>();
const _: fn(&ComplexConvolver<'_, f32>, Extent, &[Complex<f32>], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::convolve_complex::<f32>;
const _: fn(&ComplexConvolver<'_, f64>, Extent, &[Complex<f64>], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::convolve_complex::<f64>;
const _: fn(Native, &ComplexConvolver<'_, f32>, Extent, &[Complex<f32>], &mut [Complex<f32>], &mut [Complex<f32>]) -> Result<(), Error> = crate::convolve_complex_on::<Native, f32>;
const _: fn(Native, &ComplexConvolver<'_, f64>, Extent, &[Complex<f64>], &mut [Complex<f64>], &mut [Complex<f64>]) -> Result<(), Error> = crate::convolve_complex_on::<Native, f64>;
const _: () = enforced::<marker::fir_fft>();
const _: fn(&Convolver<'_, f32>, &mut [f32], &[f32], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::fir_fft::<f32>;
const _: fn(&Convolver<'_, f64>, &mut [f64], &[f64], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::fir_fft::<f64>;
const _: fn(Native, &Convolver<'_, f32>, &mut [f32], &[f32], &mut [f32], &mut [Complex<f32>]) -> Result<(), Error> = crate::fir_fft_on::<Native, f32>;
const _: fn(Native, &Convolver<'_, f64>, &mut [f64], &[f64], &mut [f64], &mut [Complex<f64>]) -> Result<(), Error> = crate::fir_fft_on::<Native, f64>;
const _: () = enforced::<marker::fir>();
const _: fn(&[f32], usize, &mut [f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::fir::<f32>;
const _: fn(&[f64], usize, &mut [f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::fir::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::fir_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::fir_on::<Native, f64>;
const _: () = enforced::<marker::biquad>();
const _: fn(&[Biquad<f32>], &mut [f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::biquad::<f32>;
const _: fn(&[Biquad<f64>], &mut [f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::biquad::<f64>;
const _: fn(Native, &[Biquad<f32>], &mut [f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::biquad_on::<Native, f32>;
const _: fn(Native, &[Biquad<f64>], &mut [f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::biquad_on::<Native, f64>;
const _: () = enforced::<marker::pad>();
const _: fn(&[f32], &[usize], &[[usize; 2]], Pad<f32>, &mut [f32]) -> Result<(), Error> = crate::pad::<f32>;
const _: fn(&[f64], &[usize], &[[usize; 2]], Pad<f64>, &mut [f64]) -> Result<(), Error> = crate::pad::<f64>;
const _: fn(Native, &[f32], &[usize], &[[usize; 2]], Pad<f32>, &mut [f32]) -> Result<(), Error> = crate::pad_on::<Native, f32>;
const _: fn(Native, &[f64], &[usize], &[[usize; 2]], Pad<f64>, &mut [f64]) -> Result<(), Error> = crate::pad_on::<Native, f64>;
const _: () = enforced::<marker::gather>();
const _: fn(&[f32], &[usize], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::gather::<f32>;
const _: fn(&[f64], &[usize], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::gather::<f64>;
const _: fn(Native, &[f32], &[usize], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::gather_on::<Native, f32>;
const _: fn(Native, &[f64], &[usize], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::gather_on::<Native, f64>;
const _: () = enforced::<marker::gather_elements>();
const _: fn(&[f32], &[usize], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::gather_elements::<f32>;
const _: fn(&[f64], &[usize], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::gather_elements::<f64>;
const _: fn(Native, &[f32], &[usize], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::gather_elements_on::<Native, f32>;
const _: fn(Native, &[f64], &[usize], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::gather_elements_on::<Native, f64>;
const _: () = enforced::<marker::scatter_add_elements>();
const _: fn(&[f32], &[usize], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::scatter_add_elements::<f32>;
const _: fn(&[f64], &[usize], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::scatter_add_elements::<f64>;
const _: fn(Native, &[f32], &[usize], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::scatter_add_elements_on::<Native, f32>;
const _: fn(Native, &[f64], &[usize], usize, &[u32], &mut [f64]) -> Result<(), Error> = crate::scatter_add_elements_on::<Native, f64>;
const _: () = enforced::<marker::cholesky>();
const _: fn(MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_on::<Native, f64>;
const _: fn(BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_batched::<f32>;
const _: fn(BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_batched::<f64>;
const _: fn(Native, BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_batched_on::<Native, f32>;
const _: fn(Native, BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_batched_on::<Native, f64>;
const _: () = enforced::<marker::cholesky_solve>();
const _: fn(MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_solve::<f32>;
const _: fn(MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_solve::<f64>;
const _: fn(Native, MatRef<'_, f32>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_solve_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_solve_on::<Native, f64>;
const _: fn(BatchRef<'_, f32>, BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_solve_batched::<f32>;
const _: fn(BatchRef<'_, f64>, BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_solve_batched::<f64>;
const _: fn(Native, BatchRef<'_, f32>, BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_solve_batched_on::<Native, f32>;
const _: fn(Native, BatchRef<'_, f64>, BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_solve_batched_on::<Native, f64>;
const _: () = enforced::<marker::lu>();
const _: fn(MatMut<'_, f32>, &mut [usize], &mut [f32]) -> Result<(), Error> = crate::lu::<f32>;
const _: fn(MatMut<'_, f64>, &mut [usize], &mut [f64]) -> Result<(), Error> = crate::lu::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [usize], &mut [f32]) -> Result<(), Error> = crate::lu_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [usize], &mut [f64]) -> Result<(), Error> = crate::lu_on::<Native, f64>;
const _: fn(BatchMut<'_, f32>, &mut [usize], &mut [f32]) -> Result<(), Error> = crate::lu_batched::<f32>;
const _: fn(BatchMut<'_, f64>, &mut [usize], &mut [f64]) -> Result<(), Error> = crate::lu_batched::<f64>;
const _: fn(Native, BatchMut<'_, f32>, &mut [usize], &mut [f32]) -> Result<(), Error> = crate::lu_batched_on::<Native, f32>;
const _: fn(Native, BatchMut<'_, f64>, &mut [usize], &mut [f64]) -> Result<(), Error> = crate::lu_batched_on::<Native, f64>;
const _: () = enforced::<marker::lu_solve>();
const _: fn(MatRef<'_, f32>, &[usize], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::lu_solve::<f32>;
const _: fn(MatRef<'_, f64>, &[usize], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::lu_solve::<f64>;
const _: fn(Native, MatRef<'_, f32>, &[usize], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::lu_solve_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, &[usize], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::lu_solve_on::<Native, f64>;
const _: fn(BatchRef<'_, f32>, &[usize], BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::lu_solve_batched::<f32>;
const _: fn(BatchRef<'_, f64>, &[usize], BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::lu_solve_batched::<f64>;
const _: fn(Native, BatchRef<'_, f32>, &[usize], BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::lu_solve_batched_on::<Native, f32>;
const _: fn(Native, BatchRef<'_, f64>, &[usize], BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::lu_solve_batched_on::<Native, f64>;
const _: () = enforced::<marker::determinant>();
const _: fn(MatRef<'_, f32>, &[usize]) -> Result<f32, Error> = crate::determinant::<f32>;
const _: fn(MatRef<'_, f64>, &[usize]) -> Result<f64, Error> = crate::determinant::<f64>;
const _: fn(Native, MatRef<'_, f32>, &[usize]) -> Result<f32, Error> = crate::determinant_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, &[usize]) -> Result<f64, Error> = crate::determinant_on::<Native, f64>;
const _: () = enforced::<marker::qr>();
const _: fn(MatMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::qr::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::qr::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::qr_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::qr_on::<Native, f64>;
const _: () = enforced::<marker::qr_apply>();
const _: fn(bool, MatRef<'_, f32>, &[f32], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::qr_apply::<f32>;
const _: fn(bool, MatRef<'_, f64>, &[f64], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::qr_apply::<f64>;
const _: fn(Native, bool, MatRef<'_, f32>, &[f32], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::qr_apply_on::<Native, f32>;
const _: fn(Native, bool, MatRef<'_, f64>, &[f64], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::qr_apply_on::<Native, f64>;
const _: () = enforced::<marker::least_squares>();
const _: fn(MatMut<'_, f32>, &mut [f32], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::least_squares::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::least_squares::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::least_squares_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::least_squares_on::<Native, f64>;
const _: () = enforced::<marker::lu_refine>();
const _: fn(MatRef<'_, f32>, MatRef<'_, f32>, &[usize], MatRef<'_, f32>, MatMut<'_, f32>, usize, &mut [f32], &mut [f32]) -> Result<usize, Error> = crate::lu_refine::<f32>;
const _: fn(MatRef<'_, f64>, MatRef<'_, f32>, &[usize], MatRef<'_, f64>, MatMut<'_, f64>, usize, &mut [f64], &mut [f32]) -> Result<usize, Error> = crate::lu_refine::<f64>;
const _: fn(Native, MatRef<'_, f32>, MatRef<'_, f32>, &[usize], MatRef<'_, f32>, MatMut<'_, f32>, usize, &mut [f32], &mut [f32]) -> Result<usize, Error> = crate::lu_refine_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, MatRef<'_, f32>, &[usize], MatRef<'_, f64>, MatMut<'_, f64>, usize, &mut [f64], &mut [f32]) -> Result<usize, Error> = crate::lu_refine_on::<Native, f64>;
const _: () = enforced::<marker::cholesky_refine>();
const _: fn(MatRef<'_, f32>, MatRef<'_, f32>, MatRef<'_, f32>, MatMut<'_, f32>, usize, &mut [f32], &mut [f32]) -> Result<usize, Error> = crate::cholesky_refine::<f32>;
const _: fn(MatRef<'_, f64>, MatRef<'_, f32>, MatRef<'_, f64>, MatMut<'_, f64>, usize, &mut [f64], &mut [f32]) -> Result<usize, Error> = crate::cholesky_refine::<f64>;
const _: fn(Native, MatRef<'_, f32>, MatRef<'_, f32>, MatRef<'_, f32>, MatMut<'_, f32>, usize, &mut [f32], &mut [f32]) -> Result<usize, Error> = crate::cholesky_refine_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, MatRef<'_, f32>, MatRef<'_, f64>, MatMut<'_, f64>, usize, &mut [f64], &mut [f32]) -> Result<usize, Error> = crate::cholesky_refine_on::<Native, f64>;
const _: () = enforced::<marker::eigh>();
const _: fn(MatMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eigh::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eigh::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eigh_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eigh_on::<Native, f64>;
const _: fn(BatchMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eigh_batched::<f32>;
const _: fn(BatchMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eigh_batched::<f64>;
const _: fn(Native, BatchMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eigh_batched_on::<Native, f32>;
const _: fn(Native, BatchMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eigh_batched_on::<Native, f64>;
const _: () = enforced::<marker::svd>();
const _: fn(MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::svd::<f32>;
const _: fn(MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::svd::<f64>;
const _: fn(Native, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::svd_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::svd_on::<Native, f64>;
const _: fn(BatchMut<'_, f32>, BatchMut<'_, f32>, &mut [f32], BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::svd_batched::<f32>;
const _: fn(BatchMut<'_, f64>, BatchMut<'_, f64>, &mut [f64], BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::svd_batched::<f64>;
const _: fn(Native, BatchMut<'_, f32>, BatchMut<'_, f32>, &mut [f32], BatchMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::svd_batched_on::<Native, f32>;
const _: fn(Native, BatchMut<'_, f64>, BatchMut<'_, f64>, &mut [f64], BatchMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::svd_batched_on::<Native, f64>;
const _: fn(&[u8], usize, &mut [u8], &mut [u32]) -> Result<(), Error> = crate::lz4_compress;
const _: fn(Native, &[u8], usize, &mut [u8], &mut [u32]) -> Result<(), Error> = crate::lz4_compress_on;
#[cfg(feature = "parallel")]
const _: fn(&[u8], usize, &mut [u8], &mut [u32]) -> Result<(), Error> = crate::parallel::lz4_compress;
const _: fn(&[u8], &[u32], usize, &mut [u8]) -> Result<(), Error> = crate::lz4_decompress;
const _: fn(Native, &[u8], &[u32], usize, &mut [u8]) -> Result<(), Error> = crate::lz4_decompress_on;
#[cfg(feature = "parallel")]
const _: fn(&[u8], &[u32], usize, &mut [u8]) -> Result<(), Error> = crate::parallel::lz4_decompress;
const _: fn(&[i8], &[i8]) -> Result<i32, Error> = crate::fixed_dot;
const _: fn(Native, &[i8], &[i8]) -> Result<i32, Error> = crate::fixed_dot_on;
const _: fn(&[i8], &[i8], Option<&[i8]>, u32, u32, &mut [i8]) -> Result<(), Error> = crate::fixed_gemv;
const _: fn(Native, &[i8], &[i8], Option<&[i8]>, u32, u32, &mut [i8]) -> Result<(), Error> = crate::fixed_gemv_on;
const _: fn(&[i8], usize, &mut [i8]) -> Result<(), Error> = crate::fixed_softmax;
const _: fn(Native, &[i8], usize, &mut [i8]) -> Result<(), Error> = crate::fixed_softmax_on;
const _: fn(&[i8], &mut [i8]) -> Result<(), Error> = crate::fixed_relu;
const _: fn(Native, &[i8], &mut [i8]) -> Result<(), Error> = crate::fixed_relu_on;
const _: fn(&[i8], u32, &mut [i8]) -> Result<(), Error> = crate::fixed_sigmoid;
const _: fn(Native, &[i8], u32, &mut [i8]) -> Result<(), Error> = crate::fixed_sigmoid_on;
const _: fn(&[i8], u32, &mut [i8]) -> Result<(), Error> = crate::fixed_tanh;
const _: fn(Native, &[i8], u32, &mut [i8]) -> Result<(), Error> = crate::fixed_tanh_on;
const _: fn(&[i16], usize, &mut [i16], &[i16], &mut [i16]) -> Result<(), Error> = crate::fixed_fir;
const _: fn(Native, &[i16], usize, &mut [i16], &[i16], &mut [i16]) -> Result<(), Error> = crate::fixed_fir_on;
const _: fn(&[Biquad<i16>], u32, &mut [i16], &[i16], &mut [i16]) -> Result<(), Error> = crate::fixed_biquad;
const _: fn(Native, &[Biquad<i16>], u32, &mut [i16], &[i16], &mut [i16]) -> Result<(), Error> = crate::fixed_biquad_on;
const _: fn(crate::random::Stream, &mut [u32]) = crate::random_bits;
const _: fn(Native, crate::random::Stream, &mut [u32]) = crate::random_bits_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, &mut [u32]) = crate::parallel::random_bits;
const _: fn(crate::random::Stream, &mut [f32]) = crate::uniform;
const _: fn(crate::random::Stream, &mut [f64]) = crate::uniform;
const _: fn(Native, crate::random::Stream, &mut [f32]) = crate::uniform_on;
const _: fn(Native, crate::random::Stream, &mut [f64]) = crate::uniform_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, &mut [f32]) = crate::parallel::uniform;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, &mut [f64]) = crate::parallel::uniform;
const _: fn(crate::random::Stream, f32, f32, &mut [f32]) -> Result<(), Error> = crate::normal;
const _: fn(crate::random::Stream, f64, f64, &mut [f64]) -> Result<(), Error> = crate::normal;
const _: fn(Native, crate::random::Stream, f32, f32, &mut [f32]) -> Result<(), Error> = crate::normal_on;
const _: fn(Native, crate::random::Stream, f64, f64, &mut [f64]) -> Result<(), Error> = crate::normal_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f32, f32, &mut [f32]) -> Result<(), Error> = crate::parallel::normal;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f64, f64, &mut [f64]) -> Result<(), Error> = crate::parallel::normal;
const _: fn(crate::random::Stream, f32, &mut [f32]) -> Result<(), Error> = crate::exponential;
const _: fn(crate::random::Stream, f64, &mut [f64]) -> Result<(), Error> = crate::exponential;
const _: fn(Native, crate::random::Stream, f32, &mut [f32]) -> Result<(), Error> = crate::exponential_on;
const _: fn(Native, crate::random::Stream, f64, &mut [f64]) -> Result<(), Error> = crate::exponential_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f32, &mut [f32]) -> Result<(), Error> = crate::parallel::exponential;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f64, &mut [f64]) -> Result<(), Error> = crate::parallel::exponential;
const _: fn(crate::random::Stream, f32, f32, f32, f32, &mut [f32]) -> Result<(), Error> = crate::truncated_normal;
const _: fn(crate::random::Stream, f64, f64, f64, f64, &mut [f64]) -> Result<(), Error> = crate::truncated_normal;
const _: fn(Native, crate::random::Stream, f32, f32, f32, f32, &mut [f32]) -> Result<(), Error> = crate::truncated_normal_on;
const _: fn(Native, crate::random::Stream, f64, f64, f64, f64, &mut [f64]) -> Result<(), Error> = crate::truncated_normal_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f32, f32, f32, f32, &mut [f32]) -> Result<(), Error> = crate::parallel::truncated_normal;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f64, f64, f64, f64, &mut [f64]) -> Result<(), Error> = crate::parallel::truncated_normal;
const _: fn(crate::random::Stream, u32, u32, &mut [u32]) -> Result<(), Error> = crate::integers;
const _: fn(crate::random::Stream, i32, i32, &mut [i32]) -> Result<(), Error> = crate::integers;
const _: fn(crate::random::Stream, u64, u64, &mut [u64]) -> Result<(), Error> = crate::integers;
const _: fn(crate::random::Stream, i64, i64, &mut [i64]) -> Result<(), Error> = crate::integers;
const _: fn(Native, crate::random::Stream, u32, u32, &mut [u32]) -> Result<(), Error> = crate::integers_on;
const _: fn(Native, crate::random::Stream, i32, i32, &mut [i32]) -> Result<(), Error> = crate::integers_on;
const _: fn(Native, crate::random::Stream, u64, u64, &mut [u64]) -> Result<(), Error> = crate::integers_on;
const _: fn(Native, crate::random::Stream, i64, i64, &mut [i64]) -> Result<(), Error> = crate::integers_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, u32, u32, &mut [u32]) -> Result<(), Error> = crate::parallel::integers;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, i32, i32, &mut [i32]) -> Result<(), Error> = crate::parallel::integers;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, u64, u64, &mut [u64]) -> Result<(), Error> = crate::parallel::integers;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, i64, i64, &mut [i64]) -> Result<(), Error> = crate::parallel::integers;
const _: fn(crate::random::Stream, f64, &mut [bool]) -> Result<(), Error> = crate::bernoulli;
const _: fn(Native, crate::random::Stream, f64, &mut [bool]) -> Result<(), Error> = crate::bernoulli_on;
#[cfg(feature = "parallel")]
const _: fn(crate::random::Stream, f64, &mut [bool]) -> Result<(), Error> = crate::parallel::bernoulli;
const _: fn(crate::random::Stream, &mut [crate::Complex<f32>]) = crate::shuffle;
const _: fn(Native, crate::random::Stream, &mut [crate::Complex<f32>]) = crate::shuffle_on;
const _: fn(crate::random::Stream, &mut [usize]) = crate::permutation;
const _: fn(Native, crate::random::Stream, &mut [usize]) = crate::permutation_on;
const _: () = enforced::<marker::spmv>();
const _: fn(f32, Csr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv::<f32>;
const _: fn(f64, Csr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv::<f64>;
const _: fn(Native, f32, Csr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_on::<Native, f32>;
const _: fn(Native, f64, Csr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_on::<Native, f64>;
const _: fn(f32, Sell<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_sell::<f32>;
const _: fn(f64, Sell<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_sell::<f64>;
const _: fn(Native, f32, Sell<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_sell_on::<Native, f32>;
const _: fn(Native, f64, Sell<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_sell_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(f32, Sell<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::parallel::spmv_sell::<f32>;
#[cfg(feature = "parallel")]
const _: fn(f64, Sell<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::parallel::spmv_sell::<f64>;
#[cfg(feature = "parallel")]
const _: fn(Native, f32, Sell<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::parallel::spmv_sell_on::<Native, f32>;
#[cfg(feature = "parallel")]
const _: fn(Native, f64, Sell<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::parallel::spmv_sell_on::<Native, f64>;
const _: fn(f32, Bsr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_bsr::<f32>;
const _: fn(f64, Bsr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_bsr::<f64>;
const _: fn(Native, f32, Bsr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_bsr_on::<Native, f32>;
const _: fn(Native, f64, Bsr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_bsr_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(f32, Bsr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::parallel::spmv_bsr::<f32>;
#[cfg(feature = "parallel")]
const _: fn(f64, Bsr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::parallel::spmv_bsr::<f64>;
#[cfg(feature = "parallel")]
const _: fn(Native, f32, Bsr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::parallel::spmv_bsr_on::<Native, f32>;
#[cfg(feature = "parallel")]
const _: fn(Native, f64, Bsr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::parallel::spmv_bsr_on::<Native, f64>;
const _: fn(f32, Dia<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_dia::<f32>;
const _: fn(f64, Dia<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_dia::<f64>;
const _: fn(Native, f32, Dia<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_dia_on::<Native, f32>;
const _: fn(Native, f64, Dia<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_dia_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(f32, Dia<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::parallel::spmv_dia::<f32>;
#[cfg(feature = "parallel")]
const _: fn(f64, Dia<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::parallel::spmv_dia::<f64>;
#[cfg(feature = "parallel")]
const _: fn(Native, f32, Dia<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::parallel::spmv_dia_on::<Native, f32>;
#[cfg(feature = "parallel")]
const _: fn(Native, f64, Dia<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::parallel::spmv_dia_on::<Native, f64>;
const _: () = enforced::<marker::cg>();
const _: fn(Csr<'_, f32>, Csr<'_, f32>, &[f32], &mut [f32], f32, usize, &mut [f32]) -> Result<(), Error> = crate::cg::<f32>;
const _: fn(Csr<'_, f64>, Csr<'_, f64>, &[f64], &mut [f64], f64, usize, &mut [f64]) -> Result<(), Error> = crate::cg::<f64>;
const _: fn(Native, Csr<'_, f32>, Csr<'_, f32>, &[f32], &mut [f32], f32, usize, &mut [f32]) -> Result<(), Error> = crate::cg_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, Csr<'_, f64>, &[f64], &mut [f64], f64, usize, &mut [f64]) -> Result<(), Error> = crate::cg_on::<Native, f64>;
const _: () = enforced::<marker::ilu0>();
const _: fn(Csr<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::ilu0::<f32>;
const _: fn(Csr<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::ilu0::<f64>;
const _: fn(Native, Csr<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::ilu0_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::ilu0_on::<Native, f64>;
const _: () = enforced::<marker::spsv>();
const _: fn(Triangle, Diagonal, Csr<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::spsv::<f32>;
const _: fn(Triangle, Diagonal, Csr<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::spsv::<f64>;
const _: fn(Native, Triangle, Diagonal, Csr<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::spsv_on::<Native, f32>;
const _: fn(Native, Triangle, Diagonal, Csr<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::spsv_on::<Native, f64>;
const _: () = enforced::<marker::coo_to_csr>();
const _: fn(usize, usize, &[u32], &[u32], &[f32], &mut [usize], &mut [u32], &mut [f32], &mut [usize]) -> Result<usize, Error> = crate::coo_to_csr::<f32>;
const _: fn(usize, usize, &[u32], &[u32], &[f64], &mut [usize], &mut [u32], &mut [f64], &mut [usize]) -> Result<usize, Error> = crate::coo_to_csr::<f64>;
const _: fn(Native, usize, usize, &[u32], &[u32], &[f32], &mut [usize], &mut [u32], &mut [f32], &mut [usize]) -> Result<usize, Error> = crate::coo_to_csr_on::<Native, f32>;
const _: fn(Native, usize, usize, &[u32], &[u32], &[f64], &mut [usize], &mut [u32], &mut [f64], &mut [usize]) -> Result<usize, Error> = crate::coo_to_csr_on::<Native, f64>;
const _: () = enforced::<marker::csr_transpose>();
const _: fn(Csr<'_, f32>, &mut [usize], &mut [u32], &mut [f32]) -> Result<(), Error> = crate::csr_transpose::<f32>;
const _: fn(Csr<'_, f64>, &mut [usize], &mut [u32], &mut [f64]) -> Result<(), Error> = crate::csr_transpose::<f64>;
const _: fn(Native, Csr<'_, f32>, &mut [usize], &mut [u32], &mut [f32]) -> Result<(), Error> = crate::csr_transpose_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, &mut [usize], &mut [u32], &mut [f64]) -> Result<(), Error> = crate::csr_transpose_on::<Native, f64>;
const _: () = enforced::<marker::spgemm>();
const _: fn(Csr<'_, f32>, Csr<'_, f32>, &mut [usize], &mut [u32], &mut [f32], &mut [usize]) -> Result<usize, Error> = crate::spgemm::<f32>;
const _: fn(Csr<'_, f64>, Csr<'_, f64>, &mut [usize], &mut [u32], &mut [f64], &mut [usize]) -> Result<usize, Error> = crate::spgemm::<f64>;
const _: fn(Native, Csr<'_, f32>, Csr<'_, f32>, &mut [usize], &mut [u32], &mut [f32], &mut [usize]) -> Result<usize, Error> = crate::spgemm_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, Csr<'_, f64>, &mut [usize], &mut [u32], &mut [f64], &mut [usize]) -> Result<usize, Error> = crate::spgemm_on::<Native, f64>;
const _: () = enforced::<marker::spadd>();
const _: fn(f32, Csr<'_, f32>, f32, Csr<'_, f32>, &mut [usize], &mut [u32], &mut [f32]) -> Result<usize, Error> = crate::spadd::<f32>;
const _: fn(f64, Csr<'_, f64>, f64, Csr<'_, f64>, &mut [usize], &mut [u32], &mut [f64]) -> Result<usize, Error> = crate::spadd::<f64>;
const _: fn(Native, f32, Csr<'_, f32>, f32, Csr<'_, f32>, &mut [usize], &mut [u32], &mut [f32]) -> Result<usize, Error> = crate::spadd_on::<Native, f32>;
const _: fn(Native, f64, Csr<'_, f64>, f64, Csr<'_, f64>, &mut [usize], &mut [u32], &mut [f64]) -> Result<usize, Error> = crate::spadd_on::<Native, f64>;
const _: () = enforced::<marker::sddmm>();
const _: fn(f32, MatRef<'_, f32>, MatRef<'_, f32>, Csr<'_, f32>, f32, &mut [f32]) -> Result<(), Error> = crate::sddmm::<f32>;
const _: fn(f64, MatRef<'_, f64>, MatRef<'_, f64>, Csr<'_, f64>, f64, &mut [f64]) -> Result<(), Error> = crate::sddmm::<f64>;
const _: fn(Native, f32, MatRef<'_, f32>, MatRef<'_, f32>, Csr<'_, f32>, f32, &mut [f32]) -> Result<(), Error> = crate::sddmm_on::<Native, f32>;
const _: fn(Native, f64, MatRef<'_, f64>, MatRef<'_, f64>, Csr<'_, f64>, f64, &mut [f64]) -> Result<(), Error> = crate::sddmm_on::<Native, f64>;
const _: () = enforced::<marker::ic0>();
const _: fn(Csr<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::ic0::<f32>;
const _: fn(Csr<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::ic0::<f64>;
const _: fn(Native, Csr<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::ic0_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::ic0_on::<Native, f64>;
const _: () = enforced::<marker::gauss_seidel>();
const _: fn(Triangle, f32, Csr<'_, f32>, &[f32], &mut [f32]) -> Result<(), Error> = crate::gauss_seidel::<f32>;
const _: fn(Triangle, f64, Csr<'_, f64>, &[f64], &mut [f64]) -> Result<(), Error> = crate::gauss_seidel::<f64>;
const _: fn(Native, Triangle, f32, Csr<'_, f32>, &[f32], &mut [f32]) -> Result<(), Error> = crate::gauss_seidel_on::<Native, f32>;
const _: fn(Native, Triangle, f64, Csr<'_, f64>, &[f64], &mut [f64]) -> Result<(), Error> = crate::gauss_seidel_on::<Native, f64>;
const _: fn(Triangle, f32, Csr<'_, f32>, Colors<'_>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::gauss_seidel_colored::<f32>;
const _: fn(Triangle, f64, Csr<'_, f64>, Colors<'_>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::gauss_seidel_colored::<f64>;
const _: fn(Native, Triangle, f32, Csr<'_, f32>, Colors<'_>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::gauss_seidel_colored_on::<Native, f32>;
const _: fn(Native, Triangle, f64, Csr<'_, f64>, Colors<'_>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::gauss_seidel_colored_on::<Native, f64>;
#[cfg(feature = "parallel")]
const _: fn(Triangle, f32, Csr<'_, f32>, Colors<'_>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::parallel::gauss_seidel_colored::<f32>;
#[cfg(feature = "parallel")]
const _: fn(Triangle, f64, Csr<'_, f64>, Colors<'_>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::parallel::gauss_seidel_colored::<f64>;
#[cfg(feature = "parallel")]
const _: fn(Native, Triangle, f32, Csr<'_, f32>, Colors<'_>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::parallel::gauss_seidel_colored_on::<Native, f32>;
#[cfg(feature = "parallel")]
const _: fn(Native, Triangle, f64, Csr<'_, f64>, Colors<'_>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::parallel::gauss_seidel_colored_on::<Native, f64>;
const _: () = enforced::<marker::gmres>();
const _: fn(Csr<'_, f32>, Csr<'_, f32>, &[f32], &mut [f32], f32, usize, usize, &mut [f32]) -> Result<(), Error> = crate::gmres::<f32>;
const _: fn(Csr<'_, f64>, Csr<'_, f64>, &[f64], &mut [f64], f64, usize, usize, &mut [f64]) -> Result<(), Error> = crate::gmres::<f64>;
const _: fn(Native, Csr<'_, f32>, Csr<'_, f32>, &[f32], &mut [f32], f32, usize, usize, &mut [f32]) -> Result<(), Error> = crate::gmres_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, Csr<'_, f64>, &[f64], &mut [f64], f64, usize, usize, &mut [f64]) -> Result<(), Error> = crate::gmres_on::<Native, f64>;
const _: () = enforced::<marker::lobpcg>();
const _: fn(bool, Csr<'_, f32>, Option<Csr<'_, f32>>, Option<Csr<'_, f32>>, &mut [f32], &mut [f32], f32, usize, &mut [f32]) -> Result<usize, Error> = crate::lobpcg::<f32>;
const _: fn(bool, Csr<'_, f64>, Option<Csr<'_, f64>>, Option<Csr<'_, f64>>, &mut [f64], &mut [f64], f64, usize, &mut [f64]) -> Result<usize, Error> = crate::lobpcg::<f64>;
const _: fn(Native, bool, Csr<'_, f32>, Option<Csr<'_, f32>>, Option<Csr<'_, f32>>, &mut [f32], &mut [f32], f32, usize, &mut [f32]) -> Result<usize, Error> = crate::lobpcg_on::<Native, f32>;
const _: fn(Native, bool, Csr<'_, f64>, Option<Csr<'_, f64>>, Option<Csr<'_, f64>>, &mut [f64], &mut [f64], f64, usize, &mut [f64]) -> Result<usize, Error> = crate::lobpcg_on::<Native, f64>;
const _: () = enforced::<marker::bicgstab>();
const _: fn(Csr<'_, f32>, Csr<'_, f32>, &[f32], &mut [f32], f32, usize, &mut [f32]) -> Result<(), Error> = crate::bicgstab::<f32>;
const _: fn(Csr<'_, f64>, Csr<'_, f64>, &[f64], &mut [f64], f64, usize, &mut [f64]) -> Result<(), Error> = crate::bicgstab::<f64>;
const _: fn(Native, Csr<'_, f32>, Csr<'_, f32>, &[f32], &mut [f32], f32, usize, &mut [f32]) -> Result<(), Error> = crate::bicgstab_on::<Native, f32>;
const _: fn(Native, Csr<'_, f64>, Csr<'_, f64>, &[f64], &mut [f64], f64, usize, &mut [f64]) -> Result<(), Error> = crate::bicgstab_on::<Native, f64>;
const _: () = enforced::<marker::qr_pivoted>();
const _: fn(MatMut<'_, f32>, &mut [f32], &mut [usize], &mut [f32]) -> Result<(), Error> = crate::qr_pivoted::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64], &mut [usize], &mut [f64]) -> Result<(), Error> = crate::qr_pivoted::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32], &mut [usize], &mut [f32]) -> Result<(), Error> = crate::qr_pivoted_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64], &mut [usize], &mut [f64]) -> Result<(), Error> = crate::qr_pivoted_on::<Native, f64>;
const _: () = enforced::<marker::least_norm>();
const _: fn(MatMut<'_, f32>, &mut [f32], &mut [usize], MatMut<'_, f32>, f32, &mut [f32]) -> Result<usize, Error> = crate::least_norm::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64], &mut [usize], MatMut<'_, f64>, f64, &mut [f64]) -> Result<usize, Error> = crate::least_norm::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32], &mut [usize], MatMut<'_, f32>, f32, &mut [f32]) -> Result<usize, Error> = crate::least_norm_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64], &mut [usize], MatMut<'_, f64>, f64, &mut [f64]) -> Result<usize, Error> = crate::least_norm_on::<Native, f64>;
const _: () = enforced::<marker::inverse>();
const _: fn(MatMut<'_, f32>, &mut [usize], &mut [f32]) -> Result<(), Error> = crate::inverse::<f32>;
const _: fn(MatMut<'_, f64>, &mut [usize], &mut [f64]) -> Result<(), Error> = crate::inverse::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [usize], &mut [f32]) -> Result<(), Error> = crate::inverse_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [usize], &mut [f64]) -> Result<(), Error> = crate::inverse_on::<Native, f64>;
const _: () = enforced::<marker::lu_condition>();
const _: fn(MatRef<'_, f32>, &[usize], f32, &mut [f32]) -> Result<f32, Error> = crate::lu_condition::<f32>;
const _: fn(MatRef<'_, f64>, &[usize], f64, &mut [f64]) -> Result<f64, Error> = crate::lu_condition::<f64>;
const _: fn(Native, MatRef<'_, f32>, &[usize], f32, &mut [f32]) -> Result<f32, Error> = crate::lu_condition_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, &[usize], f64, &mut [f64]) -> Result<f64, Error> = crate::lu_condition_on::<Native, f64>;
const _: () = enforced::<marker::cholesky_update>();
const _: fn(bool, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_update::<f32>;
const _: fn(bool, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_update::<f64>;
const _: fn(Native, bool, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::cholesky_update_on::<Native, f32>;
const _: fn(Native, bool, MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::cholesky_update_on::<Native, f64>;
const _: () = enforced::<marker::ldlt>();
const _: fn(MatMut<'_, f32>, &mut [f32], &mut [usize], &mut [f32]) -> Result<(), Error> = crate::ldlt::<f32>;
const _: fn(MatMut<'_, f64>, &mut [f64], &mut [usize], &mut [f64]) -> Result<(), Error> = crate::ldlt::<f64>;
const _: fn(Native, MatMut<'_, f32>, &mut [f32], &mut [usize], &mut [f32]) -> Result<(), Error> = crate::ldlt_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, &mut [f64], &mut [usize], &mut [f64]) -> Result<(), Error> = crate::ldlt_on::<Native, f64>;
const _: () = enforced::<marker::ldlt_solve>();
const _: fn(MatRef<'_, f32>, &[f32], &[usize], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::ldlt_solve::<f32>;
const _: fn(MatRef<'_, f64>, &[f64], &[usize], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::ldlt_solve::<f64>;
const _: fn(Native, MatRef<'_, f32>, &[f32], &[usize], MatMut<'_, f32>, &mut [f32]) -> Result<(), Error> = crate::ldlt_solve_on::<Native, f32>;
const _: fn(Native, MatRef<'_, f64>, &[f64], &[usize], MatMut<'_, f64>, &mut [f64]) -> Result<(), Error> = crate::ldlt_solve_on::<Native, f64>;
const _: () = enforced::<marker::eigh_generalized>();
const _: fn(MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eigh_generalized::<f32>;
const _: fn(MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eigh_generalized::<f64>;
const _: fn(Native, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eigh_generalized_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eigh_generalized_on::<Native, f64>;
const _: () = enforced::<marker::eig>();
const _: fn(MatMut<'_, f32>, Option<MatMut<'_, f32>>, Option<MatMut<'_, f32>>, &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eig::<f32>;
const _: fn(MatMut<'_, f64>, Option<MatMut<'_, f64>>, Option<MatMut<'_, f64>>, &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eig::<f64>;
const _: fn(Native, MatMut<'_, f32>, Option<MatMut<'_, f32>>, Option<MatMut<'_, f32>>, &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::eig_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, Option<MatMut<'_, f64>>, Option<MatMut<'_, f64>>, &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::eig_on::<Native, f64>;
const _: () = enforced::<marker::schur>();
const _: fn(MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::schur::<f32>;
const _: fn(MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::schur::<f64>;
const _: fn(Native, MatMut<'_, f32>, MatMut<'_, f32>, &mut [f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::schur_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, MatMut<'_, f64>, &mut [f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::schur_on::<Native, f64>;
const _: () = enforced::<marker::spmm>();
const _: fn(f32, Csr<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>) -> Result<(), Error> = crate::spmm::<f32>;
const _: fn(f64, Csr<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>) -> Result<(), Error> = crate::spmm::<f64>;
const _: fn(Native, f32, Csr<'_, f32>, MatRef<'_, f32>, f32, MatMut<'_, f32>) -> Result<(), Error> = crate::spmm_on::<Native, f32>;
const _: fn(Native, f64, Csr<'_, f64>, MatRef<'_, f64>, f64, MatMut<'_, f64>) -> Result<(), Error> = crate::spmm_on::<Native, f64>;
const _: () = enforced::<marker::spmv_transposed>();
const _: fn(f32, Csr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_transposed::<f32>;
const _: fn(f64, Csr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_transposed::<f64>;
const _: fn(Native, f32, Csr<'_, f32>, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::spmv_transposed_on::<Native, f32>;
const _: fn(Native, f64, Csr<'_, f64>, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::spmv_transposed_on::<Native, f64>;
const _: () = enforced::<marker::einsum>();
const _: fn(&EinsumPlan, &[&[f32]], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::einsum::<f32>;
const _: fn(&EinsumPlan, &[&[f64]], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::einsum::<f64>;
const _: fn(Native, &EinsumPlan, &[&[f32]], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::einsum_on::<Native, f32>;
const _: fn(Native, &EinsumPlan, &[&[f64]], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::einsum_on::<Native, f64>;
const _: () = enforced::<marker::rope>();
const _: fn(&[f32], usize, &[f32], &[f32], RopeStyle, &mut [f32]) -> Result<(), Error> = crate::rope::<f32>;
const _: fn(&[f64], usize, &[f64], &[f64], RopeStyle, &mut [f64]) -> Result<(), Error> = crate::rope::<f64>;
const _: fn(Native, &[f32], usize, &[f32], &[f32], RopeStyle, &mut [f32]) -> Result<(), Error> = crate::rope_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &[f64], &[f64], RopeStyle, &mut [f64]) -> Result<(), Error> = crate::rope_on::<Native, f64>;
const _: fn(&mut [f32], usize, &[f32], &[f32], RopeStyle) -> Result<(), Error> = crate::rope_in_place::<f32>;
const _: fn(&mut [f64], usize, &[f64], &[f64], RopeStyle) -> Result<(), Error> = crate::rope_in_place::<f64>;
const _: fn(usize, usize, f32, RopeScaling<f32>, &mut [f32], &mut [f32]) -> Result<(), Error> = crate::rope_table::<f32>;
const _: fn(usize, usize, f64, RopeScaling<f64>, &mut [f64], &mut [f64]) -> Result<(), Error> = crate::rope_table::<f64>;
const _: () = enforced::<marker::rope_backward>();
const _: fn(&[f32], usize, &[f32], &[f32], RopeStyle, &mut [f32]) -> Result<(), Error> = crate::rope_backward::<f32>;
const _: fn(&[f64], usize, &[f64], &[f64], RopeStyle, &mut [f64]) -> Result<(), Error> = crate::rope_backward::<f64>;
const _: fn(Native, &[f32], usize, &[f32], &[f32], RopeStyle, &mut [f32]) -> Result<(), Error> = crate::rope_backward_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &[f64], &[f64], RopeStyle, &mut [f64]) -> Result<(), Error> = crate::rope_backward_on::<Native, f64>;
const _: fn(&mut [f32], usize, &[f32], &[f32], RopeStyle) -> Result<(), Error> = crate::rope_backward_in_place::<f32>;
const _: fn(&mut [f64], usize, &[f64], &[f64], RopeStyle) -> Result<(), Error> = crate::rope_backward_in_place::<f64>;
const _: () = enforced::<marker::rope_view>();
const _: fn(MatMut<'_, f32>, usize, &[f32], &[f32], RopeStyle, bool) -> Result<(), Error> = crate::rope_view::<f32>;
const _: fn(MatMut<'_, f64>, usize, &[f64], &[f64], RopeStyle, bool) -> Result<(), Error> = crate::rope_view::<f64>;
const _: fn(Native, MatMut<'_, f32>, usize, &[f32], &[f32], RopeStyle, bool) -> Result<(), Error> = crate::rope_view_on::<Native, f32>;
const _: fn(Native, MatMut<'_, f64>, usize, &[f64], &[f64], RopeStyle, bool) -> Result<(), Error> = crate::rope_view_on::<Native, f64>;
const _: () = enforced::<marker::sample>();
const _: fn(&[f32], Sampling<f32>, f32, &mut [f32], &mut [usize]) -> Result<usize, Error> = crate::sample::<f32>;
const _: fn(&[f64], Sampling<f64>, f64, &mut [f64], &mut [usize]) -> Result<usize, Error> = crate::sample::<f64>;
const _: fn(Native, &[f32], Sampling<f32>, f32, &mut [f32], &mut [usize]) -> Result<usize, Error> = crate::sample_on::<Native, f32>;
const _: fn(Native, &[f64], Sampling<f64>, f64, &mut [f64], &mut [usize]) -> Result<usize, Error> = crate::sample_on::<Native, f64>;
const _: fn(&[crate::quant::Q4_K], &mut [f32]) -> Result<(), Error> = crate::dequantize;
const _: fn(Native, &[crate::quant::Q4_K], &mut [f32]) -> Result<(), Error> = crate::dequantize_on;
#[cfg(feature = "parallel")]
const _: fn(&[crate::quant::Q4_K], &mut [f32]) -> Result<(), Error> = crate::parallel::dequantize;
const _: fn(&[f32], Option<&[f32]>, &mut [crate::quant::Q4_K]) -> Result<(), Error> = crate::quantize;
const _: fn(Native, &[f32], Option<&[f32]>, &mut [crate::quant::Q4_K]) -> Result<(), Error> = crate::quantize_on;
#[cfg(feature = "parallel")]
const _: fn(&[f32], Option<&[f32]>, &mut [crate::quant::Q4_K]) -> Result<(), Error> = crate::parallel::quantize;
const _: fn(&[f32], usize, Option<&[f32]>, &mut [crate::quant::Q4_K]) -> Result<(), Error> = crate::quantize_padded;
const _: fn(Native, &[f32], usize, Option<&[f32]>, &mut [crate::quant::Q4_K]) -> Result<(), Error> = crate::quantize_padded_on;
#[cfg(feature = "parallel")]
const _: fn(&[f32], usize, Option<&[f32]>, &mut [crate::quant::Q4_K]) -> Result<(), Error> = crate::parallel::quantize_padded;
const _: fn(&[crate::quant::Q4_K], usize, &mut [f32]) -> Result<(), Error> = crate::dequantize_padded;
const _: fn(Native, &[crate::quant::Q4_K], usize, &mut [f32]) -> Result<(), Error> = crate::dequantize_padded_on;
#[cfg(feature = "parallel")]
const _: fn(&[crate::quant::Q4_K], usize, &mut [f32]) -> Result<(), Error> = crate::parallel::dequantize_padded;
const _: fn(&[f32], &[f32], &mut [u8], &mut [f32]) -> Result<f32, Error> = crate::quantize_absmax;
const _: fn(Native, &[f32], &[f32], &mut [u8], &mut [f32]) -> Result<f32, Error> = crate::quantize_absmax_on;
const _: fn(&[f32], &[u8], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::dequantize_absmax;
const _: fn(Native, &[f32], &[u8], &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::dequantize_absmax_on;
const _: fn(&[crate::quant::Q4_K], &[crate::quant::Q8_K]) -> Result<f32, Error> = crate::quant_dot;
const _: fn(Native, &[crate::quant::Q4_K], &[crate::quant::Q8_K]) -> Result<f32, Error> = crate::quant_dot_on;
#[cfg(feature = "parallel")]
const _: fn(&[crate::quant::Q4_K], &[crate::quant::Q8_K]) -> Result<f32, Error> = crate::parallel::quant_dot;
const _: fn(&[crate::quant::Q4_K], &[crate::quant::Q8_K], &mut [f32]) -> Result<(), Error> = crate::quant_gemv;
const _: fn(Native, &[crate::quant::Q4_K], &[crate::quant::Q8_K], &mut [f32]) -> Result<(), Error> = crate::quant_gemv_on;
#[cfg(feature = "parallel")]
const _: fn(&[crate::quant::Q4_K], &[crate::quant::Q8_K], &mut [f32]) -> Result<(), Error> = crate::parallel::quant_gemv;
const _: fn(&[crate::quant::Q4_K], &[crate::quant::Q8_K], usize, &mut [f32]) -> Result<(), Error> = crate::quant_gemm;
const _: fn(Native, &[crate::quant::Q4_K], &[crate::quant::Q8_K], usize, &mut [f32]) -> Result<(), Error> = crate::quant_gemm_on;
#[cfg(feature = "parallel")]
const _: fn(&[crate::quant::Q4_K], &[crate::quant::Q8_K], usize, &mut [f32]) -> Result<(), Error> = crate::parallel::quant_gemm;
const _: fn(&[crate::quant::Q4_K], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::quant_rows;
const _: fn(Native, &[crate::quant::Q4_K], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::quant_rows_on;
#[cfg(feature = "parallel")]
const _: fn(&[crate::quant::Q4_K], usize, &[u32], &mut [f32]) -> Result<(), Error> = crate::parallel::quant_rows;
const _: () = enforced::<marker::celu>();
const _: fn(&[f32], f32, &mut [f32]) -> Result<(), Error> = crate::celu::<f32>;
const _: fn(&[f64], f64, &mut [f64]) -> Result<(), Error> = crate::celu::<f64>;
const _: fn(Native, &[f32], f32, &mut [f32]) -> Result<(), Error> = crate::celu_on::<Native, f32>;
const _: fn(Native, &[f64], f64, &mut [f64]) -> Result<(), Error> = crate::celu_on::<Native, f64>;
const _: fn(&mut [f32], f32) -> Result<(), Error> = crate::celu_in_place::<f32>;
const _: fn(&mut [f64], f64) -> Result<(), Error> = crate::celu_in_place::<f64>;
const _: () = enforced::<marker::threshold>();
const _: fn(&[f32], f32, f32, &mut [f32]) -> Result<(), Error> = crate::threshold::<f32>;
const _: fn(&[f64], f64, f64, &mut [f64]) -> Result<(), Error> = crate::threshold::<f64>;
const _: fn(Native, &[f32], f32, f32, &mut [f32]) -> Result<(), Error> = crate::threshold_on::<Native, f32>;
const _: fn(Native, &[f64], f64, f64, &mut [f64]) -> Result<(), Error> = crate::threshold_on::<Native, f64>;
const _: fn(&mut [f32], f32, f32) -> Result<(), Error> = crate::threshold_in_place::<f32>;
const _: fn(&mut [f64], f64, f64) -> Result<(), Error> = crate::threshold_in_place::<f64>;
const _: () = enforced::<marker::prelu>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::prelu::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::prelu::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::prelu_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::prelu_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::prelu_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::prelu_in_place::<f64>;
const _: () = enforced::<marker::less>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::less::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::less::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::less_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::less_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::less_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::less_in_place::<f64>;
const _: () = enforced::<marker::less_equal>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::less_equal::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::less_equal::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::less_equal_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::less_equal_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::less_equal_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::less_equal_in_place::<f64>;
const _: () = enforced::<marker::equal>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::equal::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::equal::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::equal_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::equal_on::<Native, f64>;
const _: fn(&mut [f32], &[f32]) -> Result<(), Error> = crate::equal_in_place::<f32>;
const _: fn(&mut [f64], &[f64]) -> Result<(), Error> = crate::equal_in_place::<f64>;
const _: () = enforced::<marker::select>();
const _: fn(&[f32], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::select::<f32>;
const _: fn(&[f64], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::select::<f64>;
const _: fn(Native, &[f32], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::select_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::select_on::<Native, f64>;
const _: () = enforced::<marker::prod>();
const _: fn(&[f32]) -> f32 = crate::prod::<f32>;
const _: fn(&[f64]) -> f64 = crate::prod::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::prod_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::prod_on::<Native, f64>;
const _: () = enforced::<marker::logsumexp>();
const _: fn(&[f32]) -> f32 = crate::logsumexp::<f32>;
const _: fn(&[f64]) -> f64 = crate::logsumexp::<f64>;
const _: fn(Native, &[f32]) -> f32 = crate::logsumexp_on::<Native, f32>;
const _: fn(Native, &[f64]) -> f64 = crate::logsumexp_on::<Native, f64>;
const _: () = enforced::<marker::argmax_last>();
const _: fn(&[f32]) -> Result<usize, Error> = crate::argmax_last::<f32>;
const _: fn(&[f64]) -> Result<usize, Error> = crate::argmax_last::<f64>;
const _: fn(Native, &[f32]) -> Result<usize, Error> = crate::argmax_last_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<usize, Error> = crate::argmax_last_on::<Native, f64>;
const _: () = enforced::<marker::argmin_last>();
const _: fn(&[f32]) -> Result<usize, Error> = crate::argmin_last::<f32>;
const _: fn(&[f64]) -> Result<usize, Error> = crate::argmin_last::<f64>;
const _: fn(Native, &[f32]) -> Result<usize, Error> = crate::argmin_last_on::<Native, f32>;
const _: fn(Native, &[f64]) -> Result<usize, Error> = crate::argmin_last_on::<Native, f64>;
const _: () = enforced::<marker::bottom_k>();
const _: fn(&[f32], usize, &mut [f32], &mut [usize]) -> Result<(), Error> = crate::bottom_k::<f32>;
const _: fn(&[f64], usize, &mut [f64], &mut [usize]) -> Result<(), Error> = crate::bottom_k::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32], &mut [usize]) -> Result<(), Error> = crate::bottom_k_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64], &mut [usize]) -> Result<(), Error> = crate::bottom_k_on::<Native, f64>;
const _: () = enforced::<marker::adagrad>();
const _: fn(Adagrad<f32>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::adagrad::<f32>;
const _: fn(Adagrad<f64>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::adagrad::<f64>;
const _: fn(Native, Adagrad<f32>, &[f32], &mut [f32], &mut [f32]) -> Result<(), Error> = crate::adagrad_on::<Native, f32>;
const _: fn(Native, Adagrad<f64>, &[f64], &mut [f64], &mut [f64]) -> Result<(), Error> = crate::adagrad_on::<Native, f64>;
const _: () = enforced::<marker::nll>();
const _: fn(Nll<'_, f32>, &[f32], &[u32], usize, &mut [f32]) -> Result<(), Error> = crate::nll::<f32>;
const _: fn(Nll<'_, f64>, &[f64], &[u32], usize, &mut [f64]) -> Result<(), Error> = crate::nll::<f64>;
const _: fn(Native, Nll<'_, f32>, &[f32], &[u32], usize, &mut [f32]) -> Result<(), Error> = crate::nll_on::<Native, f32>;
const _: fn(Native, Nll<'_, f64>, &[f64], &[u32], usize, &mut [f64]) -> Result<(), Error> = crate::nll_on::<Native, f64>;
const _: () = enforced::<marker::nll_backward>();
const _: fn(Nll<'_, f32>, &[u32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::nll_backward::<f32>;
const _: fn(Nll<'_, f64>, &[u32], usize, f64, &mut [f64]) -> Result<(), Error> = crate::nll_backward::<f64>;
const _: fn(Native, Nll<'_, f32>, &[u32], usize, f32, &mut [f32]) -> Result<(), Error> = crate::nll_backward_on::<Native, f32>;
const _: fn(Native, Nll<'_, f64>, &[u32], usize, f64, &mut [f64]) -> Result<(), Error> = crate::nll_backward_on::<Native, f64>;
const _: () = enforced::<marker::cumsum>();
const _: fn(&[f32], usize, &mut [f32]) -> Result<(), Error> = crate::cumsum::<f32>;
const _: fn(&[f64], usize, &mut [f64]) -> Result<(), Error> = crate::cumsum::<f64>;
const _: fn(Native, &[f32], usize, &mut [f32]) -> Result<(), Error> = crate::cumsum_on::<Native, f32>;
const _: fn(Native, &[f64], usize, &mut [f64]) -> Result<(), Error> = crate::cumsum_on::<Native, f64>;
const _: () = enforced::<marker::cosine_similarity_rows>();
const _: fn(&[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::cosine_similarity_rows::<f32>;
const _: fn(&[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::cosine_similarity_rows::<f64>;
const _: fn(Native, &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::cosine_similarity_rows_on::<Native, f32>;
const _: fn(Native, &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::cosine_similarity_rows_on::<Native, f64>;
const _: () = enforced::<marker::u8_to_float>();
const _: fn(&[u8], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::u8_to_float::<f32>;
const _: fn(&[u8], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::u8_to_float::<f64>;
const _: fn(Native, &[u8], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::u8_to_float_on::<Native, f32>;
const _: fn(Native, &[u8], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::u8_to_float_on::<Native, f64>;
const _: () = enforced::<marker::i16_to_float>();
const _: fn(&[i16], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::i16_to_float::<f32>;
const _: fn(&[i16], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::i16_to_float::<f64>;
const _: fn(Native, &[i16], &[f32], &[f32], &mut [f32]) -> Result<(), Error> = crate::i16_to_float_on::<Native, f32>;
const _: fn(Native, &[i16], &[f64], &[f64], &mut [f64]) -> Result<(), Error> = crate::i16_to_float_on::<Native, f64>;
