#!/usr/bin/env python3
"""The folders and root files of src, from the ground up: each imports only what stands before it. Prints each import
that runs up, with the file that has it; tests and the program are above all."""

import re
import sys

from toolchain import ROOT, Tally

# From the ground up.
ORDER = """
error float16 float8 isa slices
alu complex traits delay_line hardware view lanes
contract trace buffer convert parts plain forms
pointwise conversions reduce fixed image lz4 random
blas thresholds quant gguf
fft einsum nn solve sparse
families ops parallel owned
backend gpu collective capi
""".split()
# Imports that run up, and why.
UPWARD = {
    ("complex", "lanes"): "complex numbers are elements of lanes, by an implementation beside their type",
    ("traits", "lanes"): "as complex numbers themselves",
    ("error", "ops"): "an error has the name of an op, which the rows have",
    ("backend", "gpu"): "the lists of methods implement the traits for devices as they do for CPUs",
}
# What the program and tests consist of.
ABOVE = re.compile(r"^(cli/|lib\.rs$)|/tests/|/tests\.rs$|/kani\.rs$|/bindings\.rs$")


def room(path: str) -> str:
    """The folder at the root that a file of src is in, or the file itself."""
    return path.split("/")[0].removesuffix(".rs")


def reexports() -> dict[str, str]:
    """Names at the root, by the room that has them."""
    found = {}
    for module, names in re.findall(r"pub use (?:crate::)?(\w+)(?:::\w+)*::(\{[^}]*\}|\w+)", (ROOT / "src/lib.rs").read_text()):
        found |= dict.fromkeys(re.findall(r"\w+", names), module)
    return found


def heads(group: str) -> list[str]:
    """The first names of `{a, b::{c, d}}`."""
    depth, flat = 0, ""
    for c in group[1:-1]:
        depth += (c == "{") - (c == "}")
        flat += c if depth == 0 else ""
    return [word.strip().split("::")[0].split(" ")[0] for word in flat.split(",")]


def imports(path: str, text: str) -> set[str]:
    """The names below the root that a file's code uses."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub(r"(?m)//.*$", "", text), flags=re.S)
    text = re.sub(r"#\[cfg\(test\)\]\s*mod \w+ \{.*\Z", "", text, flags=re.S)
    found = set()
    for name in re.findall(r"\bcrate::(\{[^;]*?\}|\w+)", text):
        found |= set(heads(name)) if name.startswith("{") else {name}
    # `super::` as often as the file is deep ends at the root, too.
    parts = path.removesuffix(".rs").removesuffix("/mod").split("/")
    for up, name in re.findall(r"\b((?:super::)+)(\w+)", text):
        if up.count("super") == len(parts):
            found.add(name)
    return found


def main() -> int:
    tally = Tally()
    names, used, seen = reexports(), set(), 0
    for file in sorted((ROOT / "src").rglob("*.rs")):
        path = str(file.relative_to(ROOT / "src"))
        if ABOVE.search(path):
            continue
        here = room(path)
        if here not in ORDER:
            tally.wrong(f"src/{path}: scripts/layers.py does not say where `{here}` stands")
            continue
        seen += 1
        for name in imports(path, file.read_text()):
            there = name if name in ORDER else names.get(name, here)
            if there not in ORDER or ORDER.index(there) <= ORDER.index(here):
                continue
            used.add((here, there))
            if (here, there) not in UPWARD:
                tally.wrong(f"src/{path} imports `{name}` of `{there}`, which stands above `{here}`")
    for pair in UPWARD.keys() - used:
        tally.wrong(f"scripts/layers.py excuses {pair[0]} -> {pair[1]}, and no file imports so")
    for name in ORDER:
        if not ((ROOT / f"src/{name}").is_dir() or (ROOT / f"src/{name}.rs").exists()):
            tally.wrong(f"scripts/layers.py names `{name}`, which is not in src")
    if seen < 300:
        tally.wrong(f"{seen} files of src read: the search is broken")
    if not tally.failures:
        tally.check(f"{seen} files import what stands below them; {len(UPWARD)} imports run up")
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
