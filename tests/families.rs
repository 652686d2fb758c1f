//! Ops with calls of their own: linear algebra, networks, transforms, solvers, random numbers.
//! A program beside `main`, as one with all of them on every lane takes 3 GB of memory to compile.
#![cfg(all(not(fulmen_compact), not(target_arch = "wasm32")))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

// Their assertions are counted.
#[macro_use(assert, assert_eq)]
extern crate common;

mod attention;
mod blas;
mod blas1;
mod einsum;
/// Their cases and refusals, under the names that the contracts know.
mod contracts {
    mod level1;
    mod nn_cases;
    mod nn_story;
    mod product;
    mod views;
}
mod fft;
mod gemm;
mod gemm_forms;
mod gemm_low;
mod lz4;
mod nn;
mod proofs;
mod random;
mod rope;
mod solve;
mod sparse;
mod transpose;
