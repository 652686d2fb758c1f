#!/usr/bin/env python3
"""Plants faults in a copy of the library and sees each of them found: `make faults`.

Each is a piece of the source and what is put in its place, behind a switch that a run of the tests reads from
FULMEN_FAULT: the copy is built once, and the named test is run once for each fault, and once without any. Exact text is
replaced, so a change of the source that moves a place is noticed here. Tests are those of tests/large; where a word
stands before the name, of that program of the other test packages, on this machine's own lanes, or, behind `capi`, a
script of tests/capi with the shared library.

  tests/faults.py [--keep DIR] [NUMBER|TEXT ...]     all faults, or those of these numbers or with this text
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from planted import FAULTS

ROOT = Path(__file__).resolve().parent.parent
# No list has fewer: what takes a fault off it adds another.
FEWEST = 620
# The programs of other packages, those packages and their features.
PROGRAMS = {
    "main": ("fulmen-tests", "std,half,parallel"),
    "families": ("fulmen-tests", "std,half,parallel"),
    "entries": ("fulmen-tests", "std,half,parallel"),
    "devices": ("fulmen-device-tests", "std,half,nccl"),
}
CAPI = "capi"
SWITCH = """
/// Whether the fault of this number is switched on.
#[doc(hidden)]
pub fn fault(number: u32) -> bool {
    use core::sync::atomic::{AtomicU32, Ordering};
    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    let mut chosen = CHOSEN.load(Ordering::Relaxed);
    if chosen == u32::MAX {
        chosen = std::env::var("FULMEN_FAULT").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
        CHOSEN.store(chosen, Ordering::Relaxed);
    }
    chosen == number
}
"""


def plant(tree: Path) -> None:
    """All faults, each behind its switch; an error where the text is not found exactly once."""
    wrong = []
    for number, (what, file, old, new, _) in enumerate(FAULTS, 1):
        path = tree / file
        text = path.read_text()
        if text.count(old) != 1:
            wrong.append(f"{number} {what}: {text.count(old)} times in {file}: {old!r}")
            continue
        path.write_text(text.replace(old, re.sub(r"\bON\b", f"crate::fault({number})", new)))
    if wrong:
        sys.exit("these places are gone or not alone; find them anew:\n  " + "\n  ".join(wrong))
    lib = tree / "src/lib.rs"
    lib.write_text(lib.read_text() + SWITCH)


def build(tree: Path, wanted: list[str]) -> dict[str, dict[Path, str]]:
    """What is built for these tests: by the word before a test's name, programs and the tests in each."""
    target = tree / "target"
    env = {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"} | os.environ
    cargo = ["cargo", "test", "--no-run", "--target-dir", target]
    built: dict[str, list[Path]] = {}
    if any(word not in {*PROGRAMS, CAPI} for word in wanted):
        # Less optimised than the tests' own build, which takes most of the time.
        command = [*cargo, "--release", "--manifest-path", tree / "tests/large/Cargo.toml"]
        subprocess.run(command, env={"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"} | env, check=True)
        built[""] = [*target.glob("release/deps/on_*")]
    for program in sorted({word for word in wanted if word in PROGRAMS}):
        package, features = PROGRAMS[program]
        # What interprets kernels, as the gate builds it.
        fast = ["--config", "profile.dev.package.fulmen.opt-level=1"] if program == "devices" else []
        command = [*cargo, *fast, "-p", package, "--features", features, "--test", program]
        subprocess.run(command, cwd=tree, env=env | {"RUSTFLAGS": env["RUSTFLAGS"] + " --cfg=fulmen_one_lane"}, check=True)
        built[program] = [*target.glob(f"debug/deps/{program}-*")]
    found = {}
    if CAPI in wanted:
        command = ["cargo", "rustc", "--target-dir", target / CAPI, "--lib", "--features", "capi", "--crate-type", "cdylib"]
        subprocess.run([*command, "--config", "profile.dev.opt-level=1"], cwd=tree, env=env, check=True)
        found[CAPI] = {target / CAPI / "debug/libfulmen.so": "codes\nhostile\n"}
    for word, paths in built.items():
        # The newest of each program.
        newest = sorted((p for p in paths if p.suffix == ""), key=lambda p: p.stat().st_mtime)
        programs = {p.name.rsplit("-", 1)[0]: p for p in newest}.values()
        found[word] = {p: subprocess.run([p, "--list"], capture_output=True, text=True, check=True).stdout for p in programs}
    return found


def program_of(test: str) -> tuple[str, list[str]]:
    """The program that has the tests, if it is not one of tests/large, and what their names hold."""
    word, space, names = test.partition(" ")
    return (word, names.split()) if space else ("", [test])


def holding(built: dict[str, dict[Path, str]], test: str) -> list[Path]:
    """The programs that have tests of that name."""
    word, tests = program_of(test)
    return [program for program, names in built[word].items() if any(test in name for name in names.splitlines() for test in tests)]


def run(built: dict[str, dict[Path, str]], test: str, number: int) -> tuple[bool, str]:
    """Whether the tests of that name pass in every program that has them, and the first that does not."""
    env = os.environ | {"FULMEN_FAULT": str(number)}
    word, names = program_of(test)
    if word == CAPI:
        [library] = built[CAPI]
        done = subprocess.run([sys.executable, library.parents[3] / f"tests/capi/{names[0]}.py", library], env=env, text=True, errors="replace", capture_output=True)
        return done.returncode == 0, (done.stdout.splitlines() or [""])[0][:100]
    for program in holding(built, test):
        # Where cargo runs them: some read the repository's files.
        cwd = program.parents[3] / ("tests/devices" if word == "devices" else "tests")
        done = subprocess.run([program, *names], env=env, text=True, errors="replace", capture_output=True, cwd=cwd)
        failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("test ") and line.endswith("FAILED")]
        if done.returncode:
            return False, failed[0] if failed else f"ended by {done.returncode}"
    return True, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*")
    parser.add_argument("--keep", type=Path, help="where the copy is and stays; built again only as far as it changed")
    parser.add_argument("--check", action="store_true", help="only whether every place is found")
    args = parser.parse_args()
    distinct = {(file, old, new) for _, file, old, new, _ in FAULTS}
    if len(distinct) < FEWEST or any(old == new or not re.search(r"\bON\b", new) for _, old, new in distinct):
        print(f"{len(distinct)} faults that change something, fewer than {FEWEST}, or one that is never switched on", file=sys.stderr)
        return 1
    tree = args.keep or Path(tempfile.mkdtemp(prefix="fulmen-faults-"))
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.splitlines()
    for name in files:
        source, to = ROOT / name, tree / name
        if source.is_file():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to)
    plant(tree)
    if args.check:
        shutil.rmtree(tree)
        print(f"{len(FAULTS)} faults can be planted")
        return 0
    chosen = [
        (number, fault) for number, fault in enumerate(FAULTS, 1)
        if not args.which or any(w == str(number) or (not w.isdigit() and w in fault[0]) for w in args.which)
    ]
    if not chosen:
        print(f"no fault has {' or '.join(args.which)}", file=sys.stderr)
        return 1
    tests = build(tree, [program_of(fault[4])[0] for _, fault in chosen])
    if absent := sorted({fault[4] for _, fault in chosen if not holding(tests, fault[4])}):
        print(f"no tests of these names: {', '.join(absent)}", file=sys.stderr)
        return 1
    missed = 0
    for number, (what, _, _, _, test) in chosen:
        start = time.monotonic()
        passed, by = run(tests, test, number)
        missed += passed
        print(f"{number:3} {what}: {'NOT FOUND by ' + test if passed else 'found by ' + by} ({time.monotonic() - start:.0f} s)", flush=True)
    for test in sorted({fault[4] for _, fault in chosen}):
        passed, by = run(tests, test, 0)
        if not passed:
            missed += 1
            print(f"without a fault, {test} fails too: {by}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} faults found")
    if not args.keep:
        shutil.rmtree(tree)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
