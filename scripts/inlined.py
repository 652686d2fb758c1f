#!/usr/bin/env python3
"""Looks for instructions that became functions.

A program for any x86-64 chooses AVX2 when it runs. Its kernels are compiled in regions that may use these instructions; what is not inlined into a
region may not, and the compiler then makes a function of each instruction, as a closure without `#[inline(always)]` has them: a blur of bytes took
44 times as long. firmware/panics, with its feature `avx2`, has each op of the crate's list on AVX2 in such a build.

  scripts/inlined.py
"""

import re
import subprocess
import sys
from collections import defaultdict
from os import environ

from toolchain import CARGO_VARIABLES, ROOT, TARGET, Failure, Missing, Tally, host, listed_ops

PACKAGE = ROOT / "firmware/panics"
INSTRUCTION = re.compile(r"core_arch::x86::\w+::(_mm\w+)")


def build():
    env = {k: v for k, v in environ.items() if k not in CARGO_VARIABLES}
    # Without the optimisation of the whole program, as users build.
    env |= {"CARGO_TARGET_DIR": str(TARGET / "inlined"), "RUSTFLAGS": "", "CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
    command = ["cargo", "rustc", "--release", "--quiet", "--target", host(), "--features", "avx2", "--crate-type", "cdylib"]
    done = subprocess.run(command, cwd=PACKAGE, env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{PACKAGE.name} does not build: {done.stderr}")
    return TARGET / f"inlined/{host()}/release/libfulmen_panics.so"


def check(tally: Tally) -> None:
    if not host().startswith("x86_64"):
        raise Missing("an x86-64")
    library = build()
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-C", library], capture_output=True, text=True, check=True).stdout
    callers, instructions, here, symbols = defaultdict(set), {}, "", {}
    for line in text.splitlines():
        if head := re.match(r"0*([0-9a-f]+) <(.*)>:$", line):
            here, symbols[head[1]] = head[1], head[2]
            if name := INSTRUCTION.search(head[2]):
                instructions[here] = name[1]
        elif call := re.search(r"\t(?:call|jmp) +([0-9a-f]+) <", line):
            callers[call[1]].add(here)
    ops = {name.removeprefix("op_") for name in symbols.values() if name.startswith("op_")}
    if missing := {op["op"] for op in listed_ops()} - ops - {"gemm_bf16_amx", "gemm_f32_amx3"}:
        tally.fail(f"{library.name} has no symbol for {sorted(missing)}")
    reached = defaultdict(set)
    for at, instruction in instructions.items():
        seen, rest = set(), [at]
        while rest:
            for caller in callers[rest.pop()] - seen:
                seen.add(caller)
                rest.append(caller)
        for op in {symbols[a] for a in seen if symbols[a].startswith("op_")} or {"op_of no op"}:
            reached[op.removeprefix("op_")].add(instruction)
    for op, names in sorted(reached.items()):
        tally.wrong(f"{op}: instructions are functions: {', '.join(sorted(names))}")
    if not instructions:
        tally.check(f"no instruction of {len(ops)} ops on AVX2 is a function in a build for any x86-64")


def main() -> int:
    tally = Tally()
    try:
        check(tally)
    except Missing as what:
        tally.skip(f"missing for instructions that became functions: {what}")
    except Failure as why:
        if str(why) not in tally.failures:
            tally.wrong(str(why))
    return tally.finish("--strict" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
