#!/usr/bin/env python3
"""The families of ops and what runs them, from contracts/ops.json.

  scripts/ops.py table [--write]    the README's table
  scripts/ops.py check              the README has it
  scripts/ops.py ran LOG            the tests and the run on lavapipe, whose output this file holds, ran what it says
"""

import argparse
import re
import sys
from pathlib import Path

from toolchain import Failure, Tally, listed_ops, show_table

# Families of the list by the words of the table.
FAMILIES = {
    "element-wise": ["arithmetic", "comparison", "rounding", "logarithmic", "trigonometric", "transcendental", "activation", "gating"],
    "reductions": ["reduction", "scan", "statistics", "selection"],
    "rows: softmax, norms, losses; indices": ["normalisation", "loss", "indexing"],
    "attention, rotary positions": ["attention", "embedding"],
    "optimisers": ["optimiser"],
    "BLAS 1 to 3, `gemm` in 16 and 8 bits": ["blas"],
    "convolutions, pools, filters, Fourier transforms": ["convolution", "pooling", "filter", "transform"],
    "solvers, sparse matrices, contractions": ["solve", "sparse", "contraction"],
    "`f16`, `bf16`, blocks of GGUF": ["conversion", "quantisation"],
    "LZ4": ["compression"],
    "fixed point, images": ["fixed", "image"],
    "random numbers": ["random"],
}


def rows() -> list[tuple[str, str, str]]:
    """Name, family, and whether it is on the host or on CUDA alone, for each op of the list."""
    where = lambda devices: "" if devices["wgpu"] else "cuda" if devices["cuda"] else "host"
    return [(op["op"], op["family"], where(op["devices"])) for op in listed_ops()]


def table() -> str:
    left = rows()
    lines = ["| family | ops, on every CPU backend | of them on devices |", "|---|--:|---|"]
    for title, families in FAMILIES.items():
        ops = [(name, where) for name, family, where in left if family in families]
        device = [name for name, where in ops if where != "host"]
        host = [name for name, where in ops if where == "host"]
        names = lambda some: " ".join(f"`{name}`" for name in some)
        if not host:
            where = "all, on CUDA" if all(where == "cuda" for _, where in ops) else "all"
        elif not device:
            where = "none"
        elif len(device) <= len(host):
            where = f"{len(device)}: {names(device)}"
        else:
            where = f"all but {names(host)}"
        lines.append(f"| {title} | {len(ops)} | {where} |")
        left = [row for row in left if row[1] not in families]
    if left:
        raise Failure(f"scripts/ops.py: no line of the table has the families {sorted({row[1] for row in left})}")
    return "\n".join(lines) + "\n"


def ran(log: str, tally: Tally) -> None:
    host, cuda = ([name for name, _, where in rows() if where in some] for some in (["host"], ["cuda"]))
    device = len(rows()) - len(host)
    said = re.search(r"^(\d+) ops on the interpreter keep their contracts$", log, re.M)
    if not said or int(said[1]) != device:
        tally.wrong(f"{device} ops have a template, on the interpreter ran {said[1] if said else 'none'}")
    adapter = re.search(r"^(\d+) ops ran in .*; on the host: (.*)$", log, re.M)
    if adapter and (int(adapter[1]) != device - len(cuda) or set(adapter[2].split()) != {*host, *cuda}):
        tally.wrong(f"{device} ops have a template, {len(cuda)} for CUDA alone; on an adapter ran {adapter[1]}; on the host: {adapter[2]}")
    if not adapter:
        tally.skip("no adapter ran the ops that have a template")
    if not tally.failed:
        tally.check(f"{device} of {len(rows())} ops ran on devices")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["table", "check", "ran"])
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    tally = Tally()
    try:
        if args.command == "table" and not args.write:
            print(table(), end="")
            return 0
        if args.command == "ran":
            if not args.log:
                parser.error("ran: which log?")
            ran(args.log.read_text(), tally)
        else:
            show_table("ops", table(), tally, args.write)
    except Failure as why:
        if not tally.failures:
            tally.wrong(str(why))
    return tally.finish(False)


if __name__ == "__main__":
    sys.exit(main())
