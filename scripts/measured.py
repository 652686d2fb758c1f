#!/usr/bin/env python3
"""Writes what was measured into the contracts of the ops that a CSV names.

  scripts/measured.py benches/results/2026-11-27-pointwise.csv
      `performance.measured`: the time of the contract's own baseline over ours, for `f32` at 100 000 elements, with
      the machine and the date that the table has
  scripts/measured.py target/exhaustive.csv --date 2026-11-21
      `worst_error_measured`: the largest error over all `f32` inputs, lane by lane
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


# The lanes whose errors the contracts state.
LANES = ("avx512x16", "avx2x8", "portable8")


def replaced(op: str, key: str, indent: str, entries: list[str]) -> None:
    """Writes the list `key` of the op's contract anew."""
    path = ROOT / f"contracts/{op}-v1.yaml"
    lines = "".join(f"{indent}  - {e}\n" for e in entries)
    text, found = re.subn(rf"^{indent}{key}:.*\n({indent}  - .*\n)*", f"{indent}{key}:\n{lines}", path.read_text(), flags=re.M)
    if found != 1:
        raise SystemExit(f"{path}: no `{key}`")
    path.write_text(text)


def errors(rows: list[dict], date: str) -> int:
    """From `examples/exhaustive.rs`."""
    by = {}
    for row in rows:
        if row["lane"] in LANES:
            by.setdefault(row["op"], {})[row["lane"]] = row
    for op, lanes in by.items():
        unit = "rel" if re.search(r"^  f32: \{rel", (ROOT / f"contracts/{op}-v1.yaml").read_text(), re.M) else "ulp"
        entries = []
        for lane in LANES:
            if row := lanes.get(lane):
                worst = f"{float(row['worst']):.4f}" if unit == "ulp" else f"{float(row['worst']):.6f}"
                inputs = -(-(2**32) // int(row["stride"]))
                entries.append(f"{{type: f32, lane: {lane}, {unit}: {worst}, at: {float(row['input'])}, inputs: {inputs}, date: {date}}}")
        replaced(op, "worst_error_measured", "", entries)
        print(f"{op}: {', '.join(entries)}")
    return 0 if by else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("--date", help="of a table of errors")
    args = parser.parse_args()
    rows = list(csv.DictReader(open(args.csv)))
    if rows and "worst" in rows[0]:
        return errors(rows, args.date) if args.date else parser.error("--date of the table of errors")
    times = {}
    for row in rows:
        if row["type"] == "f32" and row["size"] == N:
            times.setdefault(row["op"], {})[row["contender"]] = float(row["ns"])
            where, date = row["machine"], row["date"]
    written = 0
    for op, by in times.items():
        path = ROOT / f"contracts/{op}-v1.yaml"
        if not path.exists():
            continue  # A composition, not an op.
        baseline = re.search(r'^  baseline: "(.*)"$', path.read_text(), re.M)[1]
        contender = next((c for c in CONTENDERS.get(baseline, []) if c in by), None)
        if contender is None:
            print(f"{op}: no contender for its baseline `{baseline}` among {sorted(by)}")
            continue
        ratio = by[contender] / by["fulmen"]
        replaced(op, "measured", "  ", [f'{{ratio: {ratio:.2f}, machine: "{where}", date: {date}}}'])
        written += 1
        print(f"{op}: {ratio:.2f} of {contender}")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
