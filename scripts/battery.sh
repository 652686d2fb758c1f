#!/bin/sh
# A battery of statistical tests over fulmen's random numbers: all of dieharder's, on an endless stream of each generator.
#   scripts/battery.sh [DIR] [GENERATOR ...]     logs to DIR (target/battery); philox, threefry, normal and uniform unless named
# Hours each. Needs `dieharder` (apt install dieharder). A test of its that says WEAK is run again until it passes or fails (-Y 1).
set -eu
cd "$(dirname "$0")/.."
command -v dieharder >/dev/null || { echo "dieharder is missing: apt install dieharder"; exit 2; }
dir=${1:-target/battery}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- philox threefry normal uniform
mkdir -p "$dir"
RUSTFLAGS="${RUSTFLAGS:--Ctarget-cpu=native}" cargo build --release --quiet --manifest-path benches/random/Cargo.toml --target-dir target/battery-build --bin stream
for generator in "$@"; do
    # The raw numbers from the standard input are generator 200.
    target/battery-build/release/stream "$generator" 1 2>"$dir/$generator.bytes" | dieharder -g 200 -a -Y 1 >"$dir/$generator.log"
    echo "$generator: $(grep -c PASSED "$dir/$generator.log") passed, $(grep -c FAILED "$dir/$generator.log" || true) failed; $(cat "$dir/$generator.bytes")"
done
