#!/usr/bin/env python3
"""Writes what was measured into the contracts of the ops that a CSV names.

  scripts/measured.py benches/results/2026-11-27-pointwise.csv
      `performance.measured`: the time of the contract's own baseline over ours, for `f32` at 100 000 elements, with
      the machine and the date that the table has
  scripts/measured.py target/exhaustive.csv --date 2026-11-21
      `worst_error_measured`: the largest error over all `f32` inputs, lane by lane
  scripts/measured.py TABLE.csv --check
      writes nothing: fails where an error is larger than the contract says, or a ratio is below the contract's
      `regression_threshold`
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
    if not found:
        # The list is empty in the op's shape.
        before = r"^  baseline: .*\n" if indent else r"\Z"
        text, found = re.subn(before, lambda m: f"{m[0]}{indent}{key}:\n{lines}", path.read_text(), count=1, flags=re.M)
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


def larger(rows: list[dict]) -> int:
    """Errors that are larger than those of the contracts."""
    seen, wrong = 0, 0
    for row in rows:
        path = ROOT / f"contracts/{row['op']}-v1.yaml"
        pattern = rf"^  - \{{type: f32, lane: {re.escape(row['lane'])}, (?:ulp|rel): ([0-9.e-]+),"
        if row["lane"] not in LANES or not (said := re.search(pattern, path.read_text(), re.M)):
            continue
        seen += 1
        # The contract's has four digits behind the point, or six.
        if float(row["worst"]) > float(said[1]) + 0.5 * 10.0 ** -len(said[1].partition(".")[2]):
            wrong += 1
            print(f"{row['op']} on {row['lane']}: {row['worst']} at {row['input']}, and the contract says {said[1]}")
    print(f"{seen} errors compared with the contracts, {wrong} larger")
    return 1 if wrong or not seen else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("--date", help="of a table of errors")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    args = parser.parse_args()
    rows = list(csv.DictReader(open(args.csv)))
    if rows and "worst" in rows[0]:
        if args.check:
            return larger(rows)
        return errors(rows, args.date) if args.date else parser.error("--date of the table of errors")
    times = {}
    for row in rows:
        if row["type"] == "f32" and row["size"] == N:
            times.setdefault(row["op"], {})[row["contender"]] = float(row["ns"])
            where, date = row["machine"], row["date"]
    written, wrong = 0, 0
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
        if args.check:
            text = path.read_text()
            shape = re.search(r"\bshape: (\w+)", text)[1]
            usual = (ROOT / f"contracts/shapes/{shape}.yaml").read_text()
            threshold = re.search(r"^ +regression_threshold: ([0-9.]+)", text + usual, re.M)
            written += 1
            if threshold and ratio < float(threshold[1]):
                wrong += 1
                print(f"{op}: {ratio:.2f} of {contender}, and the contract allows no less than {threshold[1]}")
            continue
        replaced(op, "measured", "  ", [f'{{ratio: {ratio:.2f}, machine: "{where}", date: {date}}}'])
        written += 1
        print(f"{op}: {ratio:.2f} of {contender}")
    if args.check:
        print(f"{written} ratios compared with the contracts, {wrong} lower")
    return 0 if written and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
