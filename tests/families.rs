//! Ops with calls of their own: linear algebra, networks, transforms, solvers, random numbers.
//! A program beside `main`, as one with all of them on every lane takes 3 GB of memory to compile. With
//! `--cfg fulmen_emulated` what tries more than each op's cases on a lane is left out.
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

#[cfg(not(fulmen_emulated))]
mod blas;
/// Their cases and refusals, under the names that the contracts know.
mod contracts {
    mod level1;
    mod nn_cases;
    mod nn_story;
    mod product;
    mod views;
}
mod fft;
#[cfg(not(fulmen_emulated))]
mod image;
#[cfg(not(fulmen_emulated))]
mod lz4;
#[cfg(not(fulmen_emulated))]
mod nn;
#[cfg(not(fulmen_emulated))]
mod owned;
#[cfg(not(fulmen_emulated))]
mod proofs;
mod random;
#[cfg(not(fulmen_emulated))]
mod solve;
#[cfg(not(fulmen_emulated))]
mod sparse;
