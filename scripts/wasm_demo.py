#!/usr/bin/env python3
"""Builds the search example as WebAssembly, runs it in Node, and compares its answers with the native program's.

Usage: wasm_demo.py [FILE QUERY]. Fails when a line differs, or a score by more than 1e-6.
"""

import json
import sys
from pathlib import Path

from toolchain import MODULE, ROOT, TARGET, Failure, Missing, Tally, Toolchain, need, printed

BOUND = 1e-6
# File and query: exact words, other spellings, and a file that is all code.
CASES = [
    ("README.md", "wasm edge function"),
    ("LICENSE-APACHE", "patent licence terminated"),
    ("src/alu.rs", "round towards infinity"),
]


def compare(native: dict, wasm: dict) -> float:
    """The largest difference between two scores of the same line."""
    if not native["hits"]:
        raise Failure("no line was found")
    for key in ("passages", "missing"):
        if native[key] != wasm[key]:
            raise Failure(f"{key}: native {native[key]}, WebAssembly {wasm[key]}")
    places = [[(h["line"], h["text"]) for h in a["hits"]] for a in (native, wasm)]
    if places[0] != places[1]:
        raise Failure(f"native found lines {[l for l, _ in places[0]]}, WebAssembly {[l for l, _ in places[1]]}")
    worst = max(abs(n["score"] - w["score"]) for n, w in zip(native["hits"], wasm["hits"]))
    if not worst <= BOUND:
        raise Failure(f"scores differ by {worst}")
    return worst


def main() -> int:
    args = sys.argv[1:]
    if len(args) not in (0, 2):
        print(__doc__, file=sys.stderr)
        return 2
    tally = Tally()
    try:
        node = need("node", "apt-get install nodejs")
        tool = Toolchain.find("wasm32-unknown-unknown")
        demo = ROOT / "wasm/demo"
        package = ["--manifest-path", demo / "Cargo.toml"]
        build = tool.cargo("build", *MODULE, "--lib", *package)
        tally.step("WebAssembly module", build, env=tool.env | {"RUSTFLAGS": "-Ctarget-feature=+simd128"})
        native = TARGET / "rustup"
        tally.step("native program", ["cargo", "build", "--bin", "search", *package],
                   env={"CARGO_TARGET_DIR": str(native)})
        module = tool.out("module") / "fulmen_wasm_demo.wasm"
        run = [node, demo / "run.mjs", module]
        first = [str(Path(args[0]).resolve()), args[1]] if args else CASES[0]
        tally.step(f'search "{first[1]}" in Node', [*run, *first])
        for file, query in [first, *(c for c in CASES if c != first)]:
            more = [file, query, "--top", "10", "--json"]
            found = json.loads(printed([native / "debug/search", *more]))
            worst = compare(found, json.loads(printed([*run, *more])))
            tally.check(f'{file} "{query}": {len(found["hits"])} lines, scores within {worst:.1e} of native')
    except Missing as what:
        tally.skip(f"missing {what}")
    except Failure as why:
        if not tally.failures:
            tally.failures.append(str(why))
            tally.failed += 1
    return tally.finish(strict=True)


if __name__ == "__main__":
    sys.exit(main())
