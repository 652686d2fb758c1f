#!/usr/bin/env python3
"""Writes the tables of speed of README.md and docs/performance.md from the benchmarks' CSVs.

  scripts/speed.py benches/results/2026-11-27-pointwise.csv [GEMM.csv]
  scripts/speed.py --check      compares them, and what contracts say was measured, with the CSVs that docs/performance.md names

Rows and columns are those that the pages have; what they say comes from the CSVs.
"""

import csv
import re
import sys

from figures import wrong_sentences, wrong_tables
from measured import CONTENDERS, N
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


def named(text: str, name: str) -> str:
    """The CSV of that name which the page says its table is from."""
    if not (found := re.search(rf"\]\(\.\./(benches/results/[0-9-]+-{name}\.csv)\)", text)):
        raise SystemExit(f"docs/performance.md names no CSV of {name}")
    return str(ROOT / found[1])


def check() -> int:
    """Prints each line that says something else than the CSVs."""
    text = PAGES[1].read_text()
    ops, products = table(named(text, "pointwise")), table(named(text, "gemm"))
    wrong, lines = [], 0
    for page in PAGES:
        old = page.read_text()
        for was, new in zip(old.splitlines(), rewritten(old, ops, products).splitlines(), strict=True):
            lines += was.startswith("| `")
            if was != new:
                wrong.append(f"{page.relative_to(ROOT)} says {was}, and the CSV {new}")
    measured, beside = contracts()
    others, figures = wrong_tables(text)
    wrong += [*measured, *others, *wrong_sentences()]
    for line in wrong:
        print(line)
    print(f"figures: {lines} lines of tables, {figures} figures of others and what {beside} contracts say was measured, {len(wrong)} wrong")
    return 1 if wrong or lines < 30 or beside < 40 else 0


def contracts() -> tuple[list[str], int]:
    """What contracts say that the tables do not, and how many contracts were held against a table."""
    wrong, seen = [], 0
    tables: dict[str, list[dict]] = {}
    for path in sorted((ROOT / "benches/results").glob("20*.csv")):
        rows = list(csv.DictReader(path.open()))
        if rows and {"op", "type", "size", "contender", "ns", "machine", "date"} <= rows[0].keys():
            for row in rows:
                tables.setdefault(row["op"], []).append(row)
    for path in sorted((ROOT / "contracts").glob("*-v1.yaml")):
        text, op = path.read_text(), path.name.removesuffix("-v1.yaml")
        baseline = re.search(r'^  baseline: "(.*)"$', text, re.M)
        for ratio, machine, date in re.findall(r'^    - \{ratio: ([0-9.]+), machine: "(.*)", date: (\S+)\}$', text, re.M):
            rows = [r for r in tables.get(op, []) if (r["machine"], r["date"], r["type"], r["size"]) == (machine, date, "f32", N)]
            names = CONTENDERS.get(baseline[1], []) if baseline else []
            ours = [float(r["ns"]) for r in rows if r["contender"] == "fulmen"]
            ratios = {f"{float(r['ns']) / ns:.2f}" for r in rows if r["contender"] in names for ns in ours}
            if not ratios:
                wrong.append(f"{path.name} says {ratio} on {date}, and no table of that day and machine has the op beside {names or 'its baseline'}")
            elif f"{float(ratio):.2f}" not in ratios:
                wrong.append(f"{path.name} says {ratio} on {date}, and the tables of that day {', '.join(sorted(ratios))}")
            seen += 1
    return wrong, seen


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        return check()
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    ops, products = table(sys.argv[1]), table(sys.argv[2]) if len(sys.argv) == 3 else None
    for page in PAGES:
        page.write_text(rewritten(page.read_text(), ops, products))
    return 0


if __name__ == "__main__":
    sys.exit(main())
