#!/usr/bin/env python3
"""Counts the instructions of the matrix product on instruction sets that this machine need not have.

  scripts/instructions.py [--write FILE.csv] [SIZE …]

One product C = AB of n by n matrices needs n³/lanes multiply-adds of whole vectors. SSE2 and SIMD128 have no fused
multiply-add, so that one is two instructions there, on the others one. `share` is that of the instructions that multiply
or add what is needed; `of AVX2` is that share over AVX2's, and is to be 90 % at least.

x86 runs under valgrind (callgrind) and ARM64 under qemu, which logs each instruction: the second product of a run is what
two take more than one. WebAssembly runs in wabt's interpreter, which prints each instruction: those that only name a value
(`local.get`, constants) are not counted, as a compiler turns them into registers and operands.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
from collections import Counter

from profile import environment, profiles
from toolchain import ROOT, Failure, Missing, Toolchain, need

# As in benches/instructions: whole tiles, then a rest in both directions.
SIZES = (48, 64, 100, 256, 37, 65)
# Bits of an element, by type.
TYPES = {"f32": 32, "f64": 64}
# Name, profile, bits of a vector, instructions of a multiply-add.
SETS = (("AVX2", "server-avx2", 256, 1), ("SSE2", "minimal", 128, 2), ("NEON", "linux-aarch64", 128, 1), ("SIMD128", "wasm-edge", 128, 2))
# What the interpreter does and no machine would: values are named, and its stack is kept.
NAMES = re.compile(r"local\.|\w+\.const$|(interp_)?alloca|drop")
# No rest of a row or column is computed an element at a time.
SCALAR = re.compile(r"f(32|64)\.(add|mul)$")


def built(name: str):
    """The directory of the program in this profile."""
    p = profiles()[name]
    tool = Toolchain.find(p.target)
    env = {k: v for k, v in os.environ.items() if k not in ("RUSTFLAGS", "CARGO_TARGET_DIR")} | environment(p, tool)
    features = ",".join(f for f in p.features if f in ("neon", "simd128"))
    what = "--lib" if p.target.startswith("wasm") else "--bins"
    cmd = tool.cargo("build", "-q", "--release", what, "--features", features)
    if subprocess.run(cmd, cwd=ROOT / "benches/instructions", env=env).returncode:
        raise Failure(f"{name}: the program does not build")
    return tool.out()


def on_x86(program, kind: str, n: int, count: int) -> int:
    """Instructions of a run."""
    valgrind = need("valgrind", "apt-get install valgrind")
    run = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", program, kind, str(n), str(count)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def on_arm(program, kind: str, n: int, count: int) -> int:
    """As `on_x86`."""
    qemu = need("qemu-aarch64", "apt-get install qemu-user")
    run = [qemu, "-L", "/usr/aarch64-linux-gnu", "-singlestep", "-d", "exec,nochain", program, kind, str(n), str(count)]
    lines = 0
    with subprocess.Popen(run, stderr=subprocess.PIPE) as p:
        while chunk := p.stderr.read(1 << 20):
            lines += chunk.count(b"\n")
    if p.returncode:
        raise Failure(f"{' '.join(map(str, run))}: exit status {p.returncode}")
    return lines


def on_wasm(module, sizes: list[int]) -> dict[tuple[str, int], int]:
    """Instructions of each product."""
    interpreter = need("wasm-interp", "apt-get install wabt")
    found: dict[str, Counter] = {}
    with subprocess.Popen([interpreter, "--trace", "--run-all-exports", module], stdout=subprocess.PIPE, text=True) as p:
        ops = Counter()
        for line in p.stdout:
            if line.startswith(">>>"):
                ops = found.setdefault(line.split('"')[1], Counter())
            elif line.startswith("#"):
                ops[line[line.index("|") + 2:].split(None, 1)[0]] += 1
    if scalar := sorted(f"{name}: {op}" for name, ops in found.items() for op in ops if SCALAR.match(op)):
        raise Failure(f"scalar arithmetic: {', '.join(scalar)}")
    each = {name: sum(count for op, count in ops.items() if not NAMES.match(op)) for name, ops in found.items()}
    return {(kind, n): each[f"{kind}_{n}"] for kind in TYPES for n in sizes if f"{kind}_{n}" in each}


def counts(name: str, profile: str, sizes: list[int]):
    """Yields type, size and instructions."""
    out = built(profile)
    if name == "SIMD128":
        yield from ((*key, count) for key, count in on_wasm(out / "fulmen_instructions.wasm", sizes).items())
        return
    run = on_arm if name == "NEON" else on_x86
    for kind in TYPES:
        for n in sizes:
            one, two = (run(out / "fulmen-instructions", kind, n, count) for count in (1, 2))
            yield kind, n, two - one


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="FILE.csv")
    parser.add_argument("sizes", metavar="SIZE", type=int, nargs="*")
    args = parser.parse_args()
    rows, best = [], {}
    print(f"{'set':>8} {'type':>4} {'n':>4} {'instructions':>13} {'per multiply-add':>17} {'share':>7} {'of AVX2':>8}")
    for name, profile, bits, ideal in SETS:
        try:
            for kind, n, count in counts(name, profile, args.sizes or SIZES):
                each = count * (bits // TYPES[kind]) / n**3
                share = ideal / each
                of = share / best.setdefault((kind, n), share)
                print(f"{name:>8} {kind:>4} {n:4} {count:13} {each:17.3f} {share:7.1%} {of:8.1%}", flush=True)
                rows.append([name, kind, n, count, f"{each:.4f}", f"{share:.4f}", f"{of:.4f}"])
        except Missing as what:
            print(f"SKIPPED {name}: {what}")
    if args.write:
        with open(args.write, "w", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerows([["set", "type", "n", "instructions", "per_multiply_add", "share", "of_avx2"], *rows])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as why:
        sys.exit(str(why))
