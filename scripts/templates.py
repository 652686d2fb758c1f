#!/usr/bin/env python3
"""Copies each folder of `templates/` beside a clone of the library, as a user would, and builds and runs the copy as it is.

  scripts/templates.py            all
  scripts/templates.py host       that for this machine; `others` those for others

`--strict`: a tool that this machine lacks is a failure, not a skip.
"""

import os
import shutil
import sys

from pathlib import Path

from toolchain import ROOT, TARGET, Failure, Missing, Tally, Toolchain, host, need

COPIES = TARGET / "templates"


def copy(name: str) -> Path:
    to, clone = COPIES / name, COPIES / "fulmen"
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(ROOT / "templates" / name, to)
    # The workspace of the tree does not take what lies here: see `exclude` in Cargo.toml.
    if not clone.is_symlink():
        clone.symlink_to(ROOT)
    return to


def run(tally: Tally, name: str, target: str, verb: str, says: str) -> None:
    at, tool = copy(name), Toolchain.find(target)
    # Flags come from the template's own configuration.
    text = tally.step(f"template {name}: cargo {verb}", tool.cargo(verb, "--release"), env=tool.env, cwd=at)
    if says not in text:
        tally.fail(f"template {name}: it did not say {says!r}")


def server(tally: Tally) -> None:
    run(tally, "server", host(), "run", "rows sum to one within")


def cortex_m(tally: Tally) -> None:
    need("qemu-system-arm", "apt-get install qemu-system-arm")
    run(tally, "cortex-m", "thumbv7em-none-eabihf", "run", "lanes: Portable; class 1 with 82 %")


def aarch64_bare(tally: Tally) -> None:
    need("qemu-system-aarch64", "apt-get install qemu-system-arm")
    run(tally, "aarch64-bare", "aarch64-unknown-none", "run", "the level is right")


def edge(tally: Tally) -> None:
    node = need("node", "apt-get install nodejs")
    target = "wasm32-unknown-unknown"
    run(tally, "edge", target, "build", "")
    shutil.copy(Toolchain.find(target).out() / "edge.wasm", COPIES / "edge")
    print(f"edge.wasm: {(COPIES / 'edge/edge.wasm').stat().st_size} bytes")
    tally.step("template edge: node test.js", [node, "test.js"], cwd=COPIES / "edge")


def main() -> int:
    tally = Tally()
    found = {"host": {"server": server}, "others": {"cortex-m": cortex_m, "aarch64-bare": aarch64_bare, "edge": edge}}
    chosen = [word for word in sys.argv[1:] if word in found] or [*found]
    names = {p.name for p in (ROOT / "templates").iterdir()}
    if wrong := names ^ {name for part in found.values() for name in part}:
        tally.wrong(f"templates that are not there, or that nothing builds: {', '.join(sorted(wrong))}")
    for name, build in (item for part in chosen for item in found[part].items()):
        try:
            build(tally)
        except Missing as what:
            tally.skip(f"missing for the template {name}: {what}")
        except Failure as why:
            if not tally.failures:
                tally.wrong(str(why))
    return tally.finish("--strict" in sys.argv or os.environ.get("FULMEN_STRICT") == "1")


if __name__ == "__main__":
    sys.exit(main())
