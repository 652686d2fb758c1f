#!/usr/bin/env bash
# With alpha = 0 the BLAS standard says that A and B are not read, so C = beta C whatever they hold. ndarray's
# general_mat_mul and general_mat_vec_mul and nalgebra's gemm and gemv multiply: one NaN in A spreads to the rows of C.
# With beta = 0 they do follow the standard, and C is not read.
# Expected: C unchanged for alpha = 0, beta = 1. Code that is moved between BLAS and these crates meets it where A is
# not yet initialised.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
nalgebra = "=0.35.0"
ndarray = "=0.17.2"
TOML
cat >"$work/src/main.rs" <<'RUST'
use nalgebra::DMatrix;
use ndarray::{Array2, linalg::general_mat_mul};

fn main() {
    let (mut a, one) = (Array2::<f32>::eye(8), Array2::<f32>::eye(8));
    a[(0, 0)] = f32::NAN;
    let mut c = Array2::<f32>::ones((8, 8));
    general_mat_mul(0.0, &a, &one, 1.0, &mut c);
    let by_ndarray = c.iter().filter(|x| x.is_nan()).count();
    let (mut a, one) = (DMatrix::<f32>::identity(8, 8), DMatrix::<f32>::identity(8, 8));
    a[(0, 0)] = f32::NAN;
    let mut c = DMatrix::<f32>::from_element(8, 8, 1.0);
    c.gemm(0.0, &a, &one, 1.0);
    let by_nalgebra = c.iter().filter(|x| x.is_nan()).count();
    println!("alpha = 0 and a NaN in A: ndarray 0.17.2 writes {by_ndarray} NaN, nalgebra 0.35.0 {by_nalgebra}");
    assert_eq!((by_ndarray, by_nalgebra), (8, 8), "the behaviour has changed");
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
