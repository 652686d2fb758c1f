#!/usr/bin/env python3
"""Writes what a benchmark measured into the contracts: `performance.measured` of each op of the CSV.

  scripts/measured.py target/bench/pointwise.csv --machine "Xeon, AVX-512" --date 2026-11-21

The ratio is the time of the contract's own baseline over ours, for `f32` at 100 000 elements.
"""

import argparse
import csv
import re
import sys

from toolchain import ROOT

N = "100000"
# The contender of the benchmark that a contract's `baseline` names; the first that ran.
CONTENDERS = {
    "MKL VML, high accuracy": ["mkl-vml-ha"],
    "MKL VML plus a plain loop": ["mkl-ha+loops", "mkl-vml-ha"],
    "MKL VML, enhanced performance": ["mkl-vml-ep", "mkl-la+loops"],
    "plain Rust loop built with the same flags": ["loop"],
    "a plain Rust loop over rows": ["loop"],
    "ndarray": ["ndarray"],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("--machine", required=True)
    parser.add_argument("--date", required=True)
    args = parser.parse_args()
    times = {}
    for row in csv.DictReader(open(args.csv)):
        if row["type"] == "f32" and row["n"] == N:
            times.setdefault(row["op"], {})[row["contender"]] = float(row["ns"])
    written = 0
    for op, by in times.items():
        path = ROOT / f"contracts/{op}-v1.yaml"
        if not path.exists():
            continue  # A composition, not an op.
        text = path.read_text()
        baseline = re.search(r'^  baseline: "(.*)"$', text, re.M)[1]
        contender = next((c for c in CONTENDERS.get(baseline, []) if c in by), None)
        if contender is None:
            print(f"{op}: no contender for its baseline `{baseline}` among {sorted(by)}")
            continue
        ratio = by[contender] / by["fulmen"]
        entry = f'  measured:\n    - {{ratio: {ratio:.2f}, machine: "{args.machine}", date: {args.date}}}\n'
        new, found = re.subn(r"^  measured:.*\n(    - .*\n)*", entry, text, flags=re.M)
        if found != 1:
            raise SystemExit(f"{path}: no `measured`")
        path.write_text(new)
        written += 1
        print(f"{op}: {ratio:.2f} of {contender}")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
