#!/usr/bin/env bash
# PyTorch's conversion from f32 to float8_e4m3fn changed between two minor versions: up to 2.12 what rounds past 448, the
# largest number, becomes NaN, and since 2.13 it becomes 448, infinities too. ml_dtypes 0.6.0 and JAX 0.10 still make
# NaN of it. An overflow that a check for NaN found is not found any more, and the same code gives other bits.
# float8_e5m2 still makes infinities.
# The headers of both versions are compiled as they are, from the smallest wheels that hold them (macOS, 190 MB): they
# need no library. It takes a C++20 compiler.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.cpp" <<'CPP'
#include <cmath>
#include <cstdio>
#include <torch/headeronly/util/Float8_e4m3fn.h>
int main() {
    for (float x : {448.0f, 464.0f, 465.0f, 1e5f, INFINITY}) printf("%02x ", (unsigned)c10::Float8_e4m3fn(x).x);
}
CPP
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 ml_dtypes==0.6.0
of() {
    "$work/env/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
        --platform macosx_11_0_arm64 --platform macosx_14_0_arm64 --dest "$work/$1" "torch==$1"
    python3 -m zipfile -e "$work/$1"/torch-*.whl "$work/$1/all"
    c++ -std=c++20 -I"$work/$1/all/torch/include" "$work/main.cpp" -o "$work/$1/main"
    "$work/$1/main"
    rm -r "$work/$1/all"
}
before=$(of 2.12.0)
after=$(of 2.13.0)
dtypes=$("$work/env/bin/python" -c 'import ml_dtypes, numpy as np
print(np.array([448, 464, 465, 1e5, np.inf], np.float32).astype(ml_dtypes.float8_e4m3fn).tobytes().hex(" "))')
echo "448, 464, 465, 1e5, inf: torch 2.12.0 $before, torch 2.13.0 $after, ml_dtypes 0.6.0 $dtypes"
test "$before" = "7e 7e 7f 7f 7f " && test "$after" = "7e 7e 7e 7e 7e " && test "$dtypes" = "7e 7e 7f 7f 7f"
