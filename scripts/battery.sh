#!/bin/sh
# A battery of statistical tests over fulmen's random numbers: all of dieharder's, on an endless stream of each generator.
#   scripts/battery.sh [DIR] [GENERATOR ...]     logs to DIR (target/battery); philox, threefry, normal and uniform unless named
# Hours each. Needs `dieharder` (apt install dieharder). A test of its that says WEAK is run again until it passes or fails (-Y 1).
# JOBS=16 runs so many tests at a time, each on the stream from its beginning, LIMIT seconds each at most (an hour): for a machine that is lent.
# BUILT names a `stream` that is there.
set -eu
cd "$(dirname "$0")/.."
command -v dieharder >/dev/null || { echo "dieharder is missing: apt install dieharder"; exit 2; }
dir=${1:-target/battery}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- philox threefry normal uniform
mkdir -p "$dir"
if [ -z "${BUILT:-}" ]; then
    RUSTFLAGS="${RUSTFLAGS:--Ctarget-cpu=native}" cargo build --release --quiet --manifest-path benches/random/Cargo.toml --target-dir target/battery-build --bin stream
fi
stream=${BUILT:-target/battery-build/release/stream}
# All tests: number and tuple, 0 where it has none. diehard_sums (14), of which dieharder's list says "Do Not Use", is left out.
tests() {
    for d in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 15 16 17 100 101 102 204 205 206 207 209; do echo "$d 0"; done
    for n in 0 1; do echo "208 $n"; done
    for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "200 $n"; done
    for n in 2 3 4 5; do echo "201 $n"; echo "202 $n"; done
    for n in $(seq 0 32); do echo "203 $n"; done
}
for generator in "$@"; do
    # The raw numbers from the standard input are generator 200.
    if [ "${JOBS:-1}" -gt 1 ]; then
        rm -f "$dir/$generator".*.part
        tests | xargs -P "$JOBS" -L 1 sh -c '"$1" "$2" 1 2>/dev/null | timeout "$3" dieharder -g 200 -d "$5" -n "$6" -Y 1 >"$4/$2.$5.$6.part" || true' - "$stream" "$generator" "${LIMIT:-3600}" "$dir"
        cat "$dir/$generator".*.part >"$dir/$generator.log"
        echo "$generator: $(grep -c PASSED "$dir/$generator.log" || true) passed, $(grep -c FAILED "$dir/$generator.log" || true) failed, $(grep -c WEAK "$dir/$generator.log" || true) weak, $(grep -L PASSED "$dir/$generator".*.part | wc -l) of $(tests | wc -l) tests without a result that passed"
        rm -f "$dir/$generator".*.part
        continue
    fi
    "$stream" "$generator" 1 2>"$dir/$generator.bytes" | dieharder -g 200 -a -Y 1 >"$dir/$generator.log"
    echo "$generator: $(grep -c PASSED "$dir/$generator.log") passed, $(grep -c FAILED "$dir/$generator.log" || true) failed; $(cat "$dir/$generator.bytes")"
done
