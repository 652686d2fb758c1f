#!/usr/bin/env bash
# nalgebra's max() of [7, NaN, 0] is 0: a NaN is replaced by whatever follows it, and the 7 before it is forgotten.
# [NaN, 7, 0] gives 7. The largest number, or NaN, would be expected; the result is neither.
# iter().copied().fold(f32::NEG_INFINITY, f32::max) ignores NaN and gives 7 for both.
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
use nalgebra::Vector3;

fn main() {
    let (middle, first) = (Vector3::new(7.0f32, f32::NAN, 0.0).max(), Vector3::new(f32::NAN, 7.0f32, 0.0).max());
    println!("nalgebra 0.35.0: max of [7, NaN, 0] is {middle}, of [NaN, 7, 0] {first}");
    assert_eq!((middle, first), (0.0, 7.0), "the behaviour has changed");
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
