#!/bin/sh
# Tries numbers of src/blas/gemm/tune.rs for one instruction set and prints the rates of the products with each.
# scripts/sweep.sh FUNCTION ISA 'NUMBERS' [arguments of benches/peers]
# scripts/sweep.sh block Avx512 '4608 9216 18432' --dims=256,1024 --type=f32
# The largest numbers of a build (MOST_...) are not raised: workspaces and error bounds follow from them.
set -eu
cd "$(dirname "$0")/.."
function=$1 isa=$2 numbers=$3
shift 3
work=target/sweep
rm -rf "$work/tree" && mkdir -p "$work/tree/benches/peers"
for f in *; do
    case $f in
        benches | target) ;;
        src) cp -r src "$work/tree" ;;
        *) ln -s "$PWD/$f" "$work/tree/$f" ;;
    esac
done
cp -r benches/harness "$work/tree/benches"
cp -r benches/peers/src benches/peers/Cargo.toml benches/peers/Cargo.lock "$work/tree/benches/peers"
for n in $numbers; do
    awk -v f="$function" -v isa="Isa::$isa" -v n="$n" '
        /const fn / { inside = index($0, "const fn " f "(") }
        inside && /=>/ && index($0, isa) { sub(/=> .*,/, "=> " n ","); done = 1 }
        { print }
        END { exit !done }' src/blas/gemm/tune.rs > "$work/tree/src/blas/gemm/tune.rs"
    (
        cd "$work/tree/benches/peers"
        RUSTFLAGS="-C target-cpu=native ${RUSTFLAGS-}" CARGO_TARGET_DIR=../../../build \
            cargo build --quiet --release --target x86_64-unknown-linux-gnu
    )
    echo "$function $isa = $n"
    "$work/build/x86_64-unknown-linux-gnu/release/fulmen-peers" --only=fulmen,mkl "$@" | grep '|'
done
