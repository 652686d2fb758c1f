"""The tables of docs/performance.md beside the results that they are from: `scripts/speed.py --check` runs this.

Each table of figures there is one of three: made from a CSV (`scripts/speed.py` and `scripts/compile_times.py` write them), compared
here cell by cell with a CSV, or written by hand from logs, as it says ranges or medians of many cases. Of those a digest is kept,
so that no figure of them changes without a second line in the diff.
"""

import csv
import hashlib
import re
from dataclasses import dataclass
from collections.abc import Callable

from toolchain import ROOT

RESULTS = ROOT / "benches/results"
# Tables that others make or compare, by the beginning of their first line.
MADE = ("| op | 1 000 |", "| n × n × n |", "| | seconds |")
# Written by hand from a log: the digest of the figures, and what they are of.
BY_HAND = {
    "f8faf8a70e2e": "a step in llama.cpp and PyTorch",
    "01d60d57251f": "perplexities of formats",
    "d9f74b99bad5": "transforms beside the version before",
    "c4543c636e83": "signals",
    "254463f0e61d": "resizes of images",
    "0d77bcd57fb1": "Gaussian filters of images beside OpenCV",
    "5e785b5f426f": "medians, colours and tensors of images beside OpenCV",
    "0278e893a4ad": "warps of images beside OpenCV",
    "33b1f78cc1a2": "ops on images on an H200",
    "d194bb41f684": "an H100 beside the vendor's libraries",
    "fd9ffe4d92af": "products of bytes, gradients of attention",
    "45c87e037799": "training with batched attention",
    "8ae78deeb6e1": "training with activations in bf16",
    "dc547f75fca1": "an H200 beside the vendor's libraries",
    "c2d2c3d110ba": "factors",
    "f41c969cb177": "16-bit products",
    "c9ae01c824e1": "epilogues",
    "8bdbe7ccb264": "attention in bf16",
    "33d328c2ced5": "attention in bf16 of heads of ten widths",
    "405bdae77bc8": "training and writing",
    "bbaf4fa3171f": "maps and reductions through Vulkan",
    "c45cee9d99ec": "products through Vulkan",
    "3767124d9293": "products of blocks beside ggml",
}
Key = tuple[str, ...]


@dataclass
class Table:
    """Compared with CSVs: the first line's beginning, the CSVs, the columns of them that make a key and those that hold the figures, and
    of a cell, by the heads of its table, its row and its column, the key."""

    head: str
    files: tuple[str, ...]
    by: tuple[str, ...]
    figures: tuple[str, ...]
    key: Callable[[list[str], list[str], int], list[Key] | None]
    # What a row of the CSV must have.
    only: tuple[str, str] = ("contender", "fulmen")


def size(n: str) -> str:
    base, _, power = n.partition("^")
    return str(int(base) ** int(power)) if power else n


def solvers(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    ty, n = heads[j].split()
    return [(row[0].strip("`"), ty, n)]


def transforms(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    op, ty = row[0].split()
    return [(op.strip("`"), ty, size(heads[j]))]


def contractions(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    return None if j == 1 else [(row[0].strip("`").replace(",", " "), heads[j], row[1])]


def levels(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    name = row[max(k for k in range(j + 1) if heads[k] == "op")]
    op = "gemv-t" if "a.t()" in name else name.strip("`")
    return None if heads[j] in ("op", "") else [(op, "f32", heads[j])]


def quantised(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    machine = "Intel(R) Xeon(R) Processor" if row[0].startswith("Xeon") else "AMD EPYC"
    return None if j == 1 else [(machine, heads[j], row[1].replace(" × ", "x"))]


def keys_of_attention(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    dim = heads[j].removeprefix("width ")
    if row[0].startswith("one query"):
        heads_of, kv = re.findall(r"\d+", row[0])
        return [("decode", heads_of, kv, dim, n, "causal") for n in ("1024", "2048", "4096", "8192")]
    mask, kv = ("full" if row[0] == "full" else "causal"), ("2" if "on 2" in row[0] else "8")
    return [("prefill", "8", kv, dim, n, mask) for n in ("1024", "2048", "4096", "8192")]


def instructions(heads: list[str], row: list[str], j: int) -> list[Key] | None:
    ty = heads[max(k for k in range(j + 1) if heads[k].startswith("`"))].split()[0].strip("`")
    return [(row[0], ty, heads[j].split()[-1])]


RATIO = ("ratio_to_best_peer",)
OPS = ("op", "type", "size")
TABLES = [
    Table("| | f32 64 | f32 256 |", ("2026-11-25-solve.csv",), OPS, RATIO, solvers),
    Table("| n | 64 | 128 | 256 | 512 | 1024 |", ("2026-11-25-fft.csv",), OPS, RATIO, transforms),
    Table("| expression | sizes |", ("2026-11-25-einsum.csv",), OPS, RATIO, contractions),
    Table("| op | 16 | 64 |", ("2026-11-22-xeon-level2.csv", "2026-11-22-xeon-level3.csv", "2026-11-22-xeon-transpose.csv"), OPS, RATIO, levels),
    Table("| machine | rows × columns |", ("2026-11-23-xeon-quant.csv", "2026-11-23-quant.csv"), ("machine", "type", "size"), RATIO, quantised),
    Table("| | width 64 |", ("2026-11-22-xeon-attention.csv",), ("mode", "heads", "kv_heads", "dim", "n", "mask"), ("share_of_gemm_or_sum",), keys_of_attention, ("contender", "attention")),
    Table("| | `f32` 48 |", ("2026-11-22-instructions.csv",), ("set", "type", "n"), ("share", "of_avx2"), instructions, ("", "")),
]
FEWEST = 400
RANDOM = [(op, ty, n) for op, ty in (("uniform", "f32"), ("normal", "f32"), ("exponential", "f32"), ("uniform", "f64"), ("normal", "f64"), ("exponential", "f64")) for n in ("1000", "100000")]
# Sentences: the page, what stands before and behind the figures, the CSV and the keys of what they say, in order.
SENTENCES = [
    ("docs/performance.md", "`lz4_compress` of 64 KiB:", "to 1.000", "2026-11-29-lz4.csv", [("lz4_compress", "u8", what) for what in ("text", "code", "noise", "mixed", "text 4096", "code 4096", "noise 4096")]),
    ("docs/performance.md", "`lz4_decompress` is a loss but for noise:", "It decodes in", "2026-11-29-lz4.csv", [("lz4_decompress", "u8", what) for what in ("text", "code", "noise", "mixed", "text 4096", "code 4096", "noise 4096")]),
    ("docs/performance.md", "`f32`: `uniform`", "(a number takes", "2026-11-25-random.csv", RANDOM),
]
# What a log says, wherever a page repeats it.
LOGS = [
    (r"(\d+) ops (?:are )?within their contracts in `f32`,? and (\d+) in `f64`", "2026-11-30-cuda-story-h200.txt", r"(\d+) ops ran in f32 and (\d+) in f64"),
]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text: str) -> list[list[str]]:
    """The lines of each table with figures."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [table.splitlines() for table in found if re.search(r"\d\.\d|\d{3}|\d %", table.partition("\n")[2])]


def near(said: str, value: float) -> bool:
    """Whether a figure is the value, rounded, of which the CSV has some digits more."""
    number = said.removesuffix(" %")
    digits = len(number.partition(".")[2])
    value *= 100 if said.endswith("%") else 1
    return abs(float(number) - value) <= 0.56 * 10.0**-digits


def compared(table: Table, lines: list[str], wrong: list[str]) -> int:
    rows: dict[Key, dict[str, str]] = {}
    for file in table.files:
        for row in csv.DictReader((RESULTS / file).open()):
            if row.get(table.only[0]) == table.only[1] or not table.only[0]:
                rows[tuple(row[column] for column in table.by)] = row
    heads, seen = cells(lines[0]), 0
    for line in lines[2:]:
        row = cells(line)
        for j in range(1, len(row)):
            if not row[j] or not (keys := table.key(heads, row, j)):
                continue
            said = re.findall(r"\d+(?:\.\d+)?(?: %)?", row[j])
            want = [float(rows[key][column]) for key in keys if key in rows for column in table.figures[: len(said)]]
            if len(said) != len(want) or not all(map(near, said, want)):
                wrong.append(f"docs/performance.md says {row[j]} of {row[0]} at {heads[j]}, and {', '.join(table.files)} {want or 'nothing'}")
            seen += len(said)
    return seen


def wrong_sentences() -> list[str]:
    wrong = []
    for page, before, behind, file, keys in SENTENCES:
        text = (ROOT / page).read_text()
        said = re.findall(r"\b\d\.\d\d\b", text.partition(before)[2].partition(behind)[0])
        rows = {(r["op"], r["type"], r["size"]): r for r in csv.DictReader((RESULTS / file).open()) if r["contender"] == "fulmen"}
        want = [float(rows[key][RATIO[0]]) for key in keys]
        if len(said) != len(want) or not all(map(near, said, want)):
            wrong.append(f"{page} says {said} behind {before!r}, and {file} {want}")
    for pattern, file, there in LOGS:
        want, found = re.search(there, (RESULTS / file).read_text()), 0
        for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))):
            figures = re.findall(pattern, page.read_text())
            found += len(figures)
            if other := [said for said in figures if not want or said != want.groups()]:
                wrong.append(f"{page.relative_to(ROOT)} says {other}, and {file} {want and want.groups()}")
        if not found:
            wrong.append(f"no page has the sentence that {file} is compared with")
    return wrong


def wrong_tables(text: str) -> tuple[list[str], int]:
    """What the page says that the results do not, and how many figures were compared."""
    wrong: list[str] = []
    seen, met = 0, set()
    for lines in tables(text):
        head = lines[0]
        if head.startswith(MADE):
            continue
        if of := [table for table in TABLES if head.startswith(table.head) and id(table) not in met]:
            met.add(id(of[0]))
            seen += compared(of[0], lines, wrong)
            continue
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
        if digest not in BY_HAND:
            wrong.append(f"docs/performance.md: a table that is compared with no result, or other figures than before: {head}: {digest}")
        met.add(digest)
    wrong += [f"docs/performance.md has no table {table.head}" for table in TABLES if id(table) not in met]
    wrong += [f"docs/performance.md has no table, or other figures, of {BY_HAND[digest]}" for digest in BY_HAND.keys() - met]
    if seen < FEWEST:
        wrong.append(f"{seen} figures of docs/performance.md were compared with results, fewer than {FEWEST}")
    return wrong, seen
