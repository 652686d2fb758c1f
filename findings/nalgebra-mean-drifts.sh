#!/usr/bin/env bash
# nalgebra's sum() and mean() add one number after the other in the type of the elements: the mean of ten million times
# 0.1 in f32 is 0.1088, 9 % off, where pairwise sums (NumPy) give 0.1 to 1e-7. ndarray 0.17.2, which keeps eight sums,
# is 1 % off (0.10108).
# Expected: an error that grows with the logarithm of the length. Sum in f64, or pairwise.
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
TOML
cat >"$work/src/main.rs" <<'RUST'
use nalgebra::DVector;

fn main() {
    let mean = DVector::<f32>::from_element(10_000_000, 0.1).mean();
    println!("nalgebra 0.35.0: the mean of 10 000 000 times 0.1 is {mean}");
    assert!((0.108..0.109).contains(&mean), "the behaviour has changed");
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
