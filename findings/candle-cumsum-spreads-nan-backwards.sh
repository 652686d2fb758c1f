#!/usr/bin/env bash
# candle's cumsum puts NaN before an infinity: of 1, 2, inf and 4 it is NaN, NaN, inf, inf, and one NaN anywhere makes every sum NaN, also those that end before it. The sums are a matrix product with ones and zeros, and 0 times infinity or NaN is NaN.
# Expected: 1, 3, inf, inf, as NumPy and PyTorch give. In a causal model a later element changes earlier results.
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
candle-core = { version = "=0.11.1", default-features = false }

[profile.dev]
debug = 0
TOML
cat >"$work/src/main.rs" <<'RUST'
use candle_core::{Device, Tensor};

fn sums(numbers: &[f32; 4]) -> candle_core::Result<Vec<f32>> {
    Tensor::new(numbers, &Device::Cpu)?.cumsum(0)?.to_vec1()
}

fn main() -> candle_core::Result<()> {
    let finite = sums(&[1.0, 2.0, 3.0, 4.0])?;
    let infinite = sums(&[1.0, 2.0, f32::INFINITY, 4.0])?;
    let nan = sums(&[1.0, 2.0, 3.0, f32::NAN])?;
    println!("candle-core 0.11.1: cumsum of 1, 2, 3, 4: {finite:?}; of 1, 2, inf, 4: {infinite:?}; of 1, 2, 3, NaN: {nan:?}");
    assert_eq!(finite, [1.0, 3.0, 6.0, 10.0]);
    assert!(infinite[..2].iter().all(|x| x.is_nan()) && infinite[2..] == [f32::INFINITY; 2], "the behaviour has changed");
    assert!(nan.iter().all(|x| x.is_nan()), "the behaviour has changed");
    Ok(())
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
