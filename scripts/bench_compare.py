#!/usr/bin/env python3
"""Compares benchmark tables with earlier ones: fails where ours lost more than the spread.

  scripts/bench_compare.py NEW.csv [NEW.csv …] [--old OLD.csv]

The earlier table is the newest of `benches/results` with the same name (`2026-11-22-pointwise.csv` for `pointwise.csv`).
What is compared is a case's ratio to its best peer, which machines share more than times; where a case has no peer, its
share of the machine's limit. Each has a lower and an upper quartile: a regression is an upper quartile below the earlier
lower one. `share_of_roof` carries the quartiles of our time.
"""

import argparse
import csv
import sys
from pathlib import Path

from toolchain import ROOT

KEY = ("op", "type", "size", "contender")


def ours(path: Path) -> dict[tuple, tuple[float, float, float]]:
    """Lower quartile, median and upper quartile of each of our cases."""
    cases = {}
    for row in csv.DictReader(path.open()):
        if row["contender"] not in ("fulmen", "fulmen-fixed"):
            continue
        key = tuple(row[k] for k in KEY)
        ratio = [float(row[k]) for k in ("ratio_low", "ratio_to_best_peer", "ratio_high")]
        if ratio[1] != ratio[1]:
            share, ns = float(row["share_of_roof"]), float(row["ns"])
            ratio = [share * ns / float(row["ns_high"]), share, share * ns / float(row["ns_low"])]
        if ratio[1] == ratio[1]:
            cases[key] = tuple(ratio)
    return cases


def compared(old: Path, new: Path) -> int:
    """Prints what changed; the number of regressions."""
    before, after = ours(old), ours(new)
    both = [key for key in before if key in after]
    print(f"{new} against {old}: {len(both)} cases in both")
    if not both:
        print("  nothing to compare")
        return 1
    worse = 0
    for key in both:
        (low, median, high), (now_low, now, now_high) = before[key], after[key]
        change = "REGRESSION" if now_high < low else "better" if now_low > high else ""
        worse += change == "REGRESSION"
        if change:
            print(f"  {change}: {' '.join(key)}: {median:.2f} ({low:.2f} to {high:.2f}) -> {now:.2f} ({now_low:.2f} to {now_high:.2f})")
    for key in before:
        if key not in after:
            print(f"  not measured: {' '.join(key)}")
    print(f"  {worse} regressions")
    return worse


def newest(name: str) -> Path | None:
    """The earlier table of this name."""
    found = sorted((ROOT / "benches/results").glob(f"20??-??-??-{name}.csv"))
    return found[-1] if found else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("new", nargs="+", type=Path)
    parser.add_argument("--old", type=Path)
    args = parser.parse_args()
    worse = 0
    for new in args.new:
        if old := args.old or newest(new.stem):
            worse += compared(old, new)
        else:
            print(f"{new}: benches/results has no earlier table of this name, nothing to compare with")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
