#!/usr/bin/env bash
# nalgebra-sparse and sprs refuse to read a Matrix Market file whose field is "integer" or "pattern" as f64, whatever
# the numbers: scipy.io.mmwrite writes "integer" for every matrix of an integer type, "pattern" is what graphs are
# stored as.
# Expected: the numbers as f64, as scipy.io.mmread gives. Read as i64 and convert, or change the header.
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
nalgebra-sparse = { version = "=0.12.0", features = ["io"] }
sprs = "=0.11.6"
TOML
cat >"$work/src/main.rs" <<'RUST'
fn main() {
    let mut refused = 0;
    for body in ["integer general\n2 2 1\n1 1 4\n", "pattern general\n2 2 1\n1 1\n"] {
        let file = format!("%%MatrixMarket matrix coordinate {body}");
        let by_nalgebra = nalgebra_sparse::io::load_coo_from_matrix_market_str::<f64>(&file).map(|_| ()).map_err(|e| e.to_string());
        let by_sprs: Result<sprs::TriMat<f64>, _> = sprs::io::read_matrix_market_from_bufread(&mut file.as_bytes());
        let by_sprs = by_sprs.map(|_| ()).map_err(|e| format!("{e:?}"));
        println!("{}: nalgebra-sparse 0.12.0: {by_nalgebra:?}; sprs 0.11.6: {by_sprs:?}", body.split(' ').next().unwrap_or_default());
        refused += usize::from(by_nalgebra.is_err()) + usize::from(by_sprs.is_err());
    }
    assert_eq!(refused, 4, "the behaviour has changed");
}
RUST
CARGO_TARGET_DIR="$work/target" cargo run --quiet --manifest-path "$work/Cargo.toml"
