#!/usr/bin/env bash
# The C ABI, as a C program meets it: the static and the shared library are built, the checks of tests/capi and
# examples/gemm.c are compiled by `cc` against each of them and run; so are calls with hostile sizes, and LAPACK's codes beside
# Netlib's. Arithmetic is checked for overflow, which ends the process. RUSTFLAGS choose the instruction set.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/capi}
cc=${CC:-cc}
flags=(-std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Iinclude -Itests/capi)
lib=$CARGO_TARGET_DIR/release
cargo rustc -q --release --lib --features "capi${FEATURES:+,$FEATURES}" --crate-type staticlib,cdylib -- \
    -C overflow-checks=yes -C link-arg=-Wl,-soname,libfulmen.so.0
# What the program above asks the loader for.
ln -sf libfulmen.so "$lib/libfulmen.so.0"
for kind in staticlib cdylib; do
    case $kind in
    staticlib) link=("$lib/libfulmen.a" -lm -lpthread -ldl) ;;
    cdylib) link=("-L$lib" -lfulmen "-Wl,-rpath,$(realpath "$lib")" -lm) ;;
    esac
    for program in examples/gemm.c tests/capi/check.c tests/capi/xerbla.c; do
        out=$lib/$kind-$(basename "$program" .c)
        "$cc" "${flags[@]}" "$program" "${link[@]}" -o "$out"
        echo "$out"
        "$out"
    done
done
python3 tests/capi/codes.py "$lib/libfulmen.so"
python3 tests/capi/hostile.py "$lib/libfulmen.so" --count "${HOSTILE:-20}"
readelf -d "$lib/libfulmen.so" | grep -q '\[libfulmen.so.0\]' || { echo "libfulmen.so has no SONAME"; exit 1; }
# Both export every symbol that the header declares.
for file in "$lib/libfulmen.a" "$lib/libfulmen.so"; do
    exported=$(nm --defined-only "$file" 2>/dev/null | awk '$2 == "T" { print $3 }')
    for symbol in $(grep -oE '\b(cblas_[a-z0-9_]+|fulmen_set_xerbla|i?[sdcz][a-z0-9]+_)\(' include/fulmen.h | tr -d '(' | grep -vx cblas_xerbla); do
        grep -qx "$symbol" <<<"$exported" || { echo "$file has no $symbol"; exit 1; }
    done
done
