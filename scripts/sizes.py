#!/usr/bin/env python3
"""Measures what one op costs: flash, RAM and stack on the firmware boards, bytes of a WASM module.

  scripts/sizes.py            measure the ops that the README shows and others, and hold them to the budgets of
                              features/*.toml and to SIZES.md (within a tenth). CI runs this, and FULMEN_SEED draws
                              some of the others
  scripts/sizes.py --write    measure every op and write SIZES.md and the README's table

Firmware: an image with the op less the same image without it. Flash is code, constants and initial
values; RAM is variables; the stack is painted, the op runs in qemu, and what it touched counts.
WASM: the whole module that exports the op, after `wasm-opt -Os`. All are `f32` builds for size
(`opt-level = "s"`, LTO). An image whose op brings formatting or panic code with it fails.
Also written: target/sizes.md and target/sizes.csv.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from elf import Elf
from profile import HOW, Profile, environment, profiles
from toolchain import ROOT, TARGET, Failure, Missing, Tally, Toolchain, listed_ops, need, show_table

# What is measured; a `+` joins ops that share one image.
MEASURED = [
    "add", "relu", "exp", "ln", "tanh", "gelu", "sigmoid", "sin", "sum", "dot", "argmax", "top_k",
    "softmax", "layer_norm", "rms_norm", "dot+exp+softmax",
]
# What the README shows of them.
SHOWN = ["add", "exp", "sum", "softmax", "layer_norm", "dot+exp+softmax"]
# How many of the others a run with a seed draws: each is an image for each board and a module.
DRAWN = 3
COLUMNS = {"flash": "flash", "ram": "RAM", "stack": "stack", "wasm": "`.wasm`"}

# Mangled names and texts that only formatting and panics bring into an image.
FORBIDDEN_SYMBOLS = ("4core3fmt", "4core9panicking")
FORBIDDEN_TEXT = (b"panicked", b"out of range", b"out of bounds", b"overflow", b"library/core", b"src/")

Figures = dict[str, int]


def listed() -> list[str]:
    """Every op of the crate's list that takes and gives slices of `f32`."""
    others = ("convert", "gemm", "blas", "nn", "mixed", "quant", "random")
    return [op["op"] for op in listed_ops() if op["shape"] not in others]


def chosen() -> list[str]:
    """What a run measures that names no ops."""
    others = [op for op in MEASURED if op not in SHOWN]
    if seed := os.environ.get("FULMEN_SEED"):
        others = random.Random(seed).sample(others, DRAWN)
    return [op for op in MEASURED if op in SHOWN or op in others]


class Bench:
    """One profile's size package: builds it for an op and measures."""

    def __init__(self, profile: Profile, tally: Tally):
        self.profile, self.tally = profile, tally
        self.tool = Toolchain.find(profile.target)
        self.cwd = ROOT / profile.size.package
        self.wasm = profile.target.startswith("wasm32")
        self.env = environment(profile, self.tool)
        if self.wasm:
            need("wasm-opt", "apt-get install binaryen")
        else:
            config = tomllib.loads((self.cwd / ".cargo/config.toml").read_text())
            self.runner = config["target"][profile.target]["runner"].split()
            need(self.runner[2], HOW[self.runner[2]])
        self.empty = self.raw("empty")

    def build(self, op: str, *more: str) -> bytes:
        what = ["--lib"] if self.wasm else ["--bin", "measure"]
        command = self.tool.cargo("build", "--release", "--quiet", *what, *more)
        env = os.environ | self.env | {"FULMEN_OP": op}
        done = subprocess.run(command, cwd=self.cwd, env=env, capture_output=True, text=True)
        if done.returncode:
            self.tally.fail(f"{self.profile.name}: {op} does not build:\n{done.stderr}")
        self.path = self.tool.out() / ("fulmen_wasm_size.wasm" if self.wasm else "measure")
        return self.path.read_bytes()

    def module(self, name: str) -> int:
        """Bytes of the module that an example of the package is, held to its budget; Node calls its ops."""
        command = self.tool.cargo("build", "--release", "--quiet", "--example", name)
        env = os.environ | self.env | {"FULMEN_OP": "empty"}
        done = subprocess.run(command, cwd=self.cwd, env=env, capture_output=True, text=True)
        if done.returncode:
            self.tally.fail(f"{self.profile.name}: {name} does not build:\n{done.stderr}")
        image = self.small(self.tool.out() / f"examples/{name}.wasm")
        self.clean(name, [], image)
        try:
            self.tally.step(f"ops of the module {name}", [need("node", "apt-get install nodejs"), self.cwd / f"{name}.mjs", TARGET / "size.wasm"])
        except Missing as what:
            self.tally.skip(f"missing for the module {name}: {what}")
        limit = self.profile.size.modules[name]
        if len(image) > limit:
            self.tally.wrong(f"{self.profile.name}: the module {name} takes {len(image)} bytes, its budget is {limit}")
        else:
            self.tally.check(f"{self.profile.name}: the module {name} takes {len(image)} bytes of {limit}")
        return len(image)

    @staticmethod
    def small(module: Path) -> bytes:
        """The module after `wasm-opt`."""
        to = TARGET / "size.wasm"
        features = ["simd", "bulk-memory", "sign-ext", "nontrapping-float-to-int", "mutable-globals", "multivalue", "reference-types"]
        flags = ["-Os", "--strip-debug", "--strip-producers", "--strip-target-features"]
        subprocess.run(["wasm-opt", *flags, *[f"--enable-{f}" for f in features], module, "-o", to], check=True)
        return to.read_bytes()

    def raw(self, op: str) -> Figures:
        """The figures of the whole image or module."""
        image = self.build(op)
        if self.wasm:
            image = self.small(self.path)
            self.clean(op, [], image)
            return {"wasm": len(image)}
        elf = Elf(image)
        self.clean(op, elf.symbols(), b"".join(s.data for s in elf.loaded()))
        run = subprocess.run([*self.runner, self.path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        stack = re.search(r"^stack (\d+)\s*$", run.stdout, re.M)
        if run.returncode or not stack:
            self.tally.fail(f"{self.profile.name}: {op}: exit status {run.returncode}: {run.stdout}")
        return {"flash": elf.flash(), "ram": elf.ram(), "stack": int(stack[1])}

    def clean(self, op: str, symbols: list[str], data: bytes) -> None:
        if found := unclean(symbols, data):
            self.tally.wrong(f"{self.profile.name}: {op} brings formatting or panics with it: {', '.join(found[:5])}")

    def measure(self, op: str) -> Figures:
        """The figures of the op, held to its budget."""
        got = self.raw(op)
        if not self.wasm:
            got = {k: max(0, v - self.empty[k]) for k, v in got.items()}
        limits = self.profile.size.limit | self.profile.size.ops.get(op, {})
        for column, size in got.items():
            if size > limits[column]:
                self.tally.wrong(f"{self.profile.name}: {op} takes {size} bytes of {column}, its budget is {limits[column]}")
        print(f"{self.profile.name:20} {op:20} " + "  ".join(f"{k} {v}" for k, v in got.items()), flush=True)
        return got

    def planted(self) -> None:
        """An image with a panic in it must be found out."""
        if self.wasm:
            return
        elf = Elf(self.build("empty", "--features", "planted"))
        if not unclean(elf.symbols(), b""):
            self.tally.fail(f"{self.profile.name}: a planted panic was not found in the image")
        self.tally.check(f"{self.profile.name}: a planted panic is found in the image")


def unclean(symbols: list[str], data: bytes) -> list[str]:
    return [s for s in symbols if any(f in s for f in FORBIDDEN_SYMBOLS)] + [t.decode() for t in FORBIDDEN_TEXT if t in data]


Table = dict[str, dict[str, Figures]]


def modules(found: list[Profile], tally: Tally) -> dict[str, int]:
    """Bytes of the whole modules that profiles have budgets for."""
    sizes = {}
    for profile in found:
        for name in profile.size.modules:
            try:
                sizes[name] = Bench(profile, tally).module(name)
            except Missing as what:
                tally.skip(f"missing for the module {name}: {what}")
    return sizes


def measure(found: list[Profile], ops: list[str], tally: Tally) -> Table:
    table: Table = {op: {} for op in ops}
    for profile in found:
        limits = {"wasm"} if profile.target.startswith("wasm32") else {"flash", "ram", "stack"}
        if set(profile.size.limit) != limits:
            tally.fail(f"{profile.name}: [size] limit has keys {sorted(profile.size.limit)}, not {sorted(limits)}")
        if strange := [op for op in profile.size.ops if not set(op.split("+")) <= set(listed())]:
            tally.fail(f"{profile.name}: budgets for ops that do not exist: {strange}")
        try:
            bench = Bench(profile, tally)
        except Missing as what:
            tally.skip(f"missing for the sizes of {profile.name}: {what}")
            continue
        bench.planted()
        before = tally.failed
        for op in ops:
            table[op][profile.name] = bench.measure(op)
        if tally.failed == before:
            tally.check(f"{profile.name}: {len(ops)} ops within their budgets, no formatting, no panics")
    return table


def render(table: Table, found: list[Profile], ops: list[str]) -> str:
    columns = [(p, k) for p in found for k in p.size.limit]
    head = ["op", *[f"{p.size.title} {COLUMNS[k]}".strip() for p, k in columns]]
    rows = [head, ["---"] + ["--:"] * len(columns)]
    for op in ops:
        cells = [str(table[op].get(p.name, {}).get(k, "")) for p, k in columns]
        rows.append([f"`{op}`".replace("+", "` + `"), *cells])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def csv(table: Table) -> str:
    lines = ["op,profile,measure,bytes"]
    lines += [f"{op},{p},{k},{v}" for op, row in table.items() for p, figures in row.items() for k, v in figures.items()]
    return "\n".join(lines) + "\n"


def recorded(found: list[Profile]) -> Table:
    """The table of SIZES.md."""
    columns = [(p.name, k) for p in found for k in p.size.limit]
    table: Table = {}
    for line in (ROOT / "SIZES.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("| ").split("|")]
        if line.startswith("| `") and len(cells) == len(columns) + 1:
            row = table.setdefault(cells[0].replace("`", "").replace(" ", ""), {})
            for (name, k), cell in zip(columns, cells[1:]):
                row.setdefault(name, {})[k] = int(cell)
    return table


def compare(table: Table, known: Table, tally: Tally) -> None:
    """What was measured is what SIZES.md says, give or take what a compiler release changes."""
    for op, row in table.items():
        for name, figures in row.items():
            for k, size in figures.items():
                stated = known.get(op, {}).get(name, {}).get(k)
                if stated is None:
                    tally.fail(f"SIZES.md has no {k} of {op} for {name}: run scripts/sizes.py --write")
                if abs(size - stated) > max(64, stated // 10):
                    tally.wrong(f"{name}: {op} takes {size} bytes of {k}, SIZES.md says {stated}: run scripts/sizes.py --write")
    if not tally.failed:
        tally.check("the sizes are those of SIZES.md")


ABOUT = """# Size of each op

Bytes that one `f32` op adds to a firmware image without any allocator, and bytes of the whole WASM module that exports it
(after `wasm-opt -Os`), built for size (`opt-level = "s"`, LTO). The stack is what the op touched when it ran in qemu on
{len} elements; a reduction takes one frame more for each doubling beyond 16 384. Ops that share code cost less together than the sum of their rows.
Written by `scripts/sizes.py --write` with {rustc}; CI holds some of them to this table and to the budgets in `features/`.

"""

MODULES = """
As one WASM module, everything that a language model decodes with (embedding, norms, rotary positions, products with matrices
and vectors, attention, softmax, SwiGLU, sums, the largest, a sample), `decode` takes {decode} bytes; its budget is 100000.
"""


def run(tally: Tally, write: bool = False, ops: list[str] | None = None, names: list[str] | None = None) -> None:
    found = [p for p in profiles().values() if p.size and (not names or p.name in names)]
    if strange := [op for op in ops or [] if not set(op.split("+")) <= set(listed())]:
        raise Failure(f"--ops: not among those that take and give slices of f32: {', '.join(strange)}")
    some = bool(ops)
    ops = ops or (listed() + [op for op in MEASURED if "+" in op] if write else chosen())
    table = measure(found, ops, tally)
    whole = {} if some else modules(found, tally)
    TARGET.mkdir(exist_ok=True)
    (TARGET / "sizes.md").write_text(render(table, found, ops))
    (TARGET / "sizes.csv").write_text(csv(table))
    if names or some:
        return
    if write and tally.skipped:
        tally.fail("SIZES.md is written from all profiles, and one could not be measured")
    if write:
        tool = Toolchain.find(found[0].target)
        rustc = subprocess.run([tool.env.get("RUSTC", "rustc"), "--version"], capture_output=True, text=True, check=True).stdout.split(" (")[0]
        length = re.search(r"LEN: usize = (\d+)", (ROOT / "firmware/ops.rs").read_text())[1]
        (ROOT / "SIZES.md").write_text(ABOUT.format(rustc=rustc, len=length) + render(table, found, ops) + MODULES.format(**whole))
    known = recorded(found)
    if not write:
        compare(table, known, tally)
        said = {name: int(size) for name, size in re.findall(r"`(\w+)` takes (\d+) bytes", (ROOT / "SIZES.md").read_text())}
        for name, size in whole.items():
            if abs(size - said.get(name, 0)) > size // 10:
                tally.wrong(f"the module {name} takes {size} bytes, SIZES.md says {said.get(name)}: run scripts/sizes.py --write")
    show_table("sizes", render(known, found, SHOWN), tally, write)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--ops", help="only these, comma-separated: nothing is compared with SIZES.md")
    parser.add_argument("--profiles", help="only these, comma-separated: nothing is compared with SIZES.md")
    parser.add_argument("--strict", action="store_true", default=os.environ.get("FULMEN_STRICT") == "1")
    args = parser.parse_args()
    tally = Tally()
    try:
        run(tally, args.write, args.ops and args.ops.split(","), args.profiles and args.profiles.split(","))
    except Failure as why:
        if not tally.failures:
            tally.failures.append(str(why))
            tally.failed += 1
    return tally.finish(args.strict)


if __name__ == "__main__":
    sys.exit(main())
