#!/usr/bin/env python3
"""Looks for panic code that an op may reach, whatever its arguments are.

firmware/panics holds a symbol for each op of the crate's list, built for speed with the whole program optimised at once.
Its panic handler calls a function that does not exist, so an image links only where no op leads to the handler. One
image holds all ops; when it does not link, an image for each op finds those that panic, and the linker says by which
calls.

  scripts/panics.py             every target of `SETS`: some minutes of a core each
  scripts/panics.py SET …       these of them
"""

import argparse
import re
import subprocess
import sys
from os import environ
from pathlib import Path

from toolchain import CARGO_VARIABLES, ROOT, TARGET, Failure, Missing, Tally, Toolchain, host, listed_ops, sysroot

PACKAGE = ROOT / "firmware/panics"
# What is built: the target and rustc's flags.
SETS = {
    "avx2": (host(), "-Ctarget-cpu=x86-64-v3"),
    "cortex-m4f": ("thumbv7em-none-eabihf", ""),
}
# The function that does not exist.
HANDLED = "a_panic_is_linked"
# What the C library has for the compiler's own calls.
GIVEN = ["memcpy", "memmove", "memset", "memcmp", "bcmp"]
# Units of their own, which no other target has.
ELSEWHERE = {"gemm_bf16_amx", "gemm_f32_amx3"}


def listed() -> set[str]:
    """The names of the list of ops."""
    return {op["op"] for op in listed_ops()} - ELSEWHERE


def built(library: Path) -> set[str]:
    """The names of the symbols that firmware/panics holds: the ops of the list, and other functions besides."""
    # The index of an archive: after its header of 68 bytes a count, as many offsets, and the names of symbols.
    data = library.read_bytes()
    index = data[68 : 68 + int(data[56:66])]
    texts = index[4 + 4 * int.from_bytes(index[:4], "big") :].split(b"\0")
    names = {text.decode().removeprefix("op_") for text in texts if text.startswith(b"op_")}
    if missing := listed() - names:
        raise Failure(f"{library.name} has no symbol for {sorted(missing)}")
    return names


def build(target: str, flags: str) -> Path:
    tool = Toolchain.find(target)
    env = {k: v for k, v in environ.items() if k not in CARGO_VARIABLES} | tool.env
    env |= {"CARGO_TARGET_DIR": str(TARGET / "panics"), "RUSTFLAGS": flags}
    done = subprocess.run(tool.cargo("build", "--release", "--quiet"), cwd=PACKAGE, env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{PACKAGE.name} does not build: {done.stderr}")
    return TARGET / f"panics/{target}/release/libfulmen_panics.a"


def link(library: Path, *args: str) -> tuple[str, str]:
    """What the linker says against an image, and the calls that lead to the panic handler."""
    lld = sysroot() / "lib/rustlib" / host() / "bin/rust-lld"
    command = [lld, "-flavor", "gnu", "--gc-sections", "--fatal-warnings", *args, *[f"--defsym={name}=0" for name in GIVEN]]
    command += ["--why-live=*4core9panicking*", library, "-o", library.with_suffix(".image")]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else "", re.sub(r"\s*\n\s*", " ", done.stdout.strip())


def check(tally: Tally, name: str, target: str, flags: str) -> None:
    library = build(target, flags)
    ops = sorted(built(library))
    # A second name for a symbol takes it into the image, and there is none without the symbol.
    wrong, _ = link(library, "-e", "op_add", *[f"--defsym=entry_{op}=op_{op}" for op in ops])
    if wrong:
        for op in ops:
            against, calls = link(library, "-e", f"op_{op}")
            if HANDLED in against:
                tally.wrong(f"{name}: {op} may panic: {calls}")
            elif against:
                tally.wrong(f"{name}: {op} does not link: {against}")
        tally.fail(f"{name}: the image of all ops does not link: {wrong[:2000]}")
    tally.check(f"{name}: no panic code in {len(ops)} ops")
    against, calls = link(library, "-e", "planted")
    if HANDLED not in against or "planted" not in calls:
        tally.fail(f"{name}: a planted panic was not found: {against or 'it links'}, {calls or 'without calls'}")
    tally.check(f"{name}: a planted panic is found")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    if unknown := set(args.sets) - set(SETS):
        parser.error(f"no set is named {sorted(unknown)}; there are {sorted(SETS)}")
    tally = Tally()
    for name in args.sets or SETS:
        target, flags = SETS[name]
        try:
            check(tally, name, target, flags)
        except Failure as why:
            if str(why) not in tally.failures:
                tally.wrong(str(why))
        except Missing as what:
            tally.skip(f"missing for the panic check: {what}")
    return tally.finish(args.strict)


if __name__ == "__main__":
    sys.exit(main())
