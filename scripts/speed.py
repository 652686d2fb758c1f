#!/usr/bin/env python3
"""Writes the tables of speed of README.md and docs/performance.md from the benchmarks' CSVs.

  scripts/speed.py benches/results/2026-11-27-pointwise.csv [GEMM.csv]

Rows and columns are those that the pages have; what they say comes from the CSVs.
"""

import csv
import re
import sys

from toolchain import ROOT

PAGES = (ROOT / "README.md", ROOT / "docs/performance.md")
PEERS = {"loop": "loop", "ndarray": "ndarray", "mkl": "MKL", "mkl-vml-ha": "MKL ha", "mkl-vml-la": "MKL la", "mkl-ha+loops": "MKL ha + loops", "mkl-la+loops": "MKL la + loops"}


def table(path: str) -> dict[tuple, dict]:
    return {(r["op"], r["type"], r["size"], r["contender"]): r for r in csv.DictReader(open(path))}


def pointwise(rows: dict, op: str) -> str:
    """Elements per nanosecond and the ratio to the best peer, at each of the table's sizes."""
    cells = []
    for n in ("1000", "100000", "10000000"):
        ours = rows[op, "f32", n, "fulmen"]
        peers = [r for (o, _, size, c), r in rows.items() if (o, size) == (op, n) and c in PEERS]
        best = min(peers, key=lambda r: float(r["ns"]))
        cells += [f"{int(n) / float(ours['ns']):.2f}", f"{float(ours['ratio_to_best_peer']):.2f} × {PEERS[best['contender']]}"]
    return f"| `{op}` | " + " | ".join(cells) + " |"


def gemm(rows: dict, kind: str, sizes: list[str]) -> list[str]:
    """Rates, shares of the peak and ratios of `gemm`, and ratios of `gemm_fixed`."""
    lines = {f"`{kind}`": [], "share of the peak": [], "ratio": [], "`gemm_fixed`": []}
    for n in sizes:
        shape = "x".join([n] * 3)
        ours, fixed = (rows.get(("gemm", kind, shape, c)) for c in ("fulmen", "fulmen-fixed"))
        lines[f"`{kind}`"].append(f"{float(ours['rate']):.0f}" if ours else "")
        lines["share of the peak"].append(f"{float(ours['share_of_roof']):.0%}".replace("%", " %") if ours else "")
        lines["ratio"].append(f"{float(ours['ratio_to_best_peer']):.2f}" if ours else "")
        lines["`gemm_fixed`"].append(f"{float(fixed['ratio_to_best_peer']):.2f}" if fixed else "")
    return [f"| {name} | " + " | ".join(cells) + " |" for name, cells in lines.items()]


def rewritten(text: str, ops: dict, products: dict | None) -> str:
    """The page with its tables made anew."""
    head = "| op | 1 000 | | 100 000 | | 10 000 000 | |\n|---|--:|---|--:|---|--:|---|\n"
    start = text.index(head) + len(head)
    end = text.index("\n\n", start)
    names = re.findall(r"^\| `([^`]+)`", text[start:end], re.M)
    text = text[:start] + "\n".join(pointwise(ops, op) for op in names) + text[end:]
    found = re.search(r"^\| n × n × n \|(.*)\|\n\|[-:| ]*\|\n", text, re.M)
    if found is None or products is None:
        return text
    sizes = [cell.strip() for cell in found[1].split("|")]
    end = text.index("\n\n", found.end())
    return text[: found.end()] + "\n".join(gemm(products, "f32", sizes) + gemm(products, "f64", sizes)) + text[end:]


def main() -> int:
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    ops, products = table(sys.argv[1]), table(sys.argv[2]) if len(sys.argv) == 3 else None
    for page in PAGES:
        page.write_text(rewritten(page.read_text(), ops, products))
    return 0


if __name__ == "__main__":
    sys.exit(main())
