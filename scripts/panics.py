#!/usr/bin/env python3
"""Looks for panic code that an op may reach, whatever its arguments are.

firmware/panics holds a symbol for each op of the crate's list, built for speed with the whole program optimised at once.
The calls of each symbol are followed through the machine code; one that leads to `core::panicking` or to formatting is a
failure, and so is an op without a symbol. Ops that are known to hold panic code stand in `OPEN`, a list that may only
shrink.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict

from toolchain import ROOT, TARGET, Failure, Missing, Tally, need

PACKAGE = ROOT / "firmware/panics"
# rustc's flags for each instruction set; none is the architecture's own.
SETS = {"avx2": "-Ctarget-cpu=x86-64-v3"}
PANICS = re.compile(r"4core9panicking|4core3fmt|panic_(?:bounds_check|fmt|const)|slice_(?:start|end|index)_|unwrap_failed|len_mismatch_fail|copy_from_slice_impl")
# Units of their own, which no other target has.
ELSEWHERE = {"gemm_bf16_amx", "gemm_f32_amx3"}
OPEN = {"attention", "attention_bf16", "max_pool_backward", "max_pool_indices"}


def listed() -> set[str]:
    """The names of the list of ops."""
    return set(re.findall(r"^\s+\w+ (\w+)\(\w+.*;$", (ROOT / "src/ops.rs").read_text(), re.M))


def build(flags: str):
    env = os.environ | {"CARGO_TARGET_DIR": str(TARGET / "panics"), "RUSTFLAGS": flags}
    done = subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=PACKAGE, env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{PACKAGE.name} does not build: {done.stderr}")
    return TARGET / "panics/release/libfulmen_panics.so"


def calls(library) -> dict[str, set[str]]:
    """Which symbol's code names which."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
    graph, at = defaultdict(set), ""
    for line in text.splitlines():
        if head := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
            at = head[1]
        elif target := re.search(r"\s(?:call|j\w+|lea)\s.*<([^>+]+)(?:\+0x[0-9a-f]+)?>", line):
            graph[at].add(target[1])
    return graph


def ways(graph: dict[str, set[str]], start: str) -> list[list[str]]:
    """A way to each symbol that panics."""
    seen, todo, found = {start}, [[start]], []
    while todo:
        way = todo.pop()
        for name in graph.get(way[-1], set()) - seen:
            seen.add(name)
            if PANICS.search(name):
                found.append([*way, name])
            else:
                todo.append([*way, name])
    return found


def short(symbol: str) -> str:
    """The names of a mangled symbol."""
    if demangle := subprocess.run(["c++filt", symbol], capture_output=True, text=True):
        return re.sub(r"::h[0-9a-f]{16}$", "", demangle.stdout.strip())[:160]
    return symbol


def main() -> int:
    tally = Tally()
    need("objdump", "apt-get install binutils")
    try:
        for name, flags in SETS.items():
            graph = calls(build(flags))
            ops = sorted(s for s in graph if s.startswith("op_"))
            named = {s.removeprefix("op_") for s in ops}
            if missing := listed() - ELSEWHERE - named:
                tally.fail(f"firmware/panics has no symbol for {sorted(missing)}")
            if stale := OPEN - named:
                tally.fail(f"take these off the list: {sorted(stale)}")
            for op in ops:
                name_of = op.removeprefix("op_")
                found = ways(graph, op)
                if name_of in OPEN:
                    if not found:
                        tally.say(f"{name}: {name_of} is clean: take it off the list\n")
                elif found:
                    tally.wrong(f"{name}: {op} may panic: " + "; ".join(" > ".join(map(short, way)) for way in found[:4]))
            if not tally.failed:
                tally.check(f"{name}: no panic code in {len(ops) - len(OPEN)} ops, {len(OPEN)} are open")
            if not ways(graph, "planted"):
                tally.fail(f"{name}: a planted panic was not found")
            tally.check(f"{name}: a planted panic is found")
    except Failure as why:
        if not tally.failures:
            tally.wrong(str(why))
    except Missing as what:
        tally.skip(f"missing for the panic check: {what}")
    return tally.finish("--strict" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
