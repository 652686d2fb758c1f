#!/usr/bin/env bash
# half's f16::from_f64 is not rounded correctly: 1 + 2^-11 + 2^-40 lies above the middle of two neighbours and becomes
# 1, the lower one; 2^-25 + 2^-70 becomes 0. The double is first cut or rounded to fewer bits and then rounded again.
# bf16::from_f64 does the same.
# On x86-64 with F16C from_f64 and from_f64_const differ from each other, too: 65520 - 1e-9 is infinity by the first
# and 65504 by the second.
# Expected: one rounding, to nearest even: 1 + 2^-10, 2^-24, 65504.
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
half = "=2.7.1"
TOML
cat >"$work/src/main.rs" <<'RUST'
use half::{bf16, f16};

fn main() {
    let above = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    let tiny = 2f64.powi(-25) + 2f64.powi(-70);
    let wide = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    let got = [f16::from_f64(above).to_bits(), f16::from_f64(tiny).to_bits(), bf16::from_f64(wide).to_bits()];
    let (run, constant) = (f16::from_f64(65520.0 - 1e-9).to_bits(), f16::from_f64_const(65520.0 - 1e-9).to_bits());
    println!("half 2.7.1: {got:04x?} where [3c01, 0001, 3f81] are right; 65520 - 1e-9: from_f64 {run:04x}, from_f64_const {constant:04x}, right 7bff");
    assert_eq!(got, [0x3c00, 0, 0x3f80], "the behaviour has changed");
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("f16c") {
        assert_eq!((run, constant), (0x7c00, 0x7bff), "the behaviour has changed");
    }
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
