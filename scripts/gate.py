#!/usr/bin/env python3
"""The gate: everything that CI runs, with a summary of what really ran.

  scripts/gate.py lint            formatting, clippy on every kind of target, documentation
  scripts/gate.py test            lint, every profile, sizes, the WASM demo, proofs
  scripts/gate.py coverage        line coverage of the tests, at least 90 %

`--strict` (CI): a tool that this machine lacks is a failure, not a skip.
"""

import argparse
import os
import re
import shutil
import sys

from toolchain import ROOT, Failure, Missing, Tally, Toolchain, need

DENY = ["--", "-Dwarnings"]
# The targets beyond the host that must be clean: target, library crates, Cargo flags.
CROSS = [
    ("aarch64-unknown-linux-gnu", ["std", "panic_unwind"], ["--all-features"]),
    ("wasm32-unknown-unknown", ["std", "panic_abort"], ["--all-features"]),
    ("thumbv7em-none-eabihf", ["core"], []),
]
CROSS_FLAGS = {"wasm32-unknown-unknown": "-Ctarget-feature=+simd128"}
COVERAGE = 90


def attempt(tally: Tally, name: str, cmd: list[str], **how) -> None:
    """One step; a failure is counted and the next step still runs."""
    try:
        tally.step(name, cmd, **how)
    except Failure:
        pass


def script(tally: Tally, name: str, cmd: list[str]) -> str:
    """A script that ends with the summary line; its counts are added to ours. Returns its output."""
    code, text = tally.run(name, cmd)
    counts = re.search(r"^(\d+) passed, (\d+) failed, (\d+) ignored, (\d+) skipped$", text, re.M)
    if not counts:
        tally.failed += 1
        tally.failures.append(f"{name}: exit status {code} and no summary")
        return text
    passed, failed, ignored, _ = map(int, counts.groups())
    tally.passed += passed
    tally.failed += failed + (code != 0 and not failed)
    tally.ignored += ignored
    tally.skipped += [s for s in re.findall(r"^SKIPPED (.*)$", text, re.M) if s not in tally.skipped]
    tally.failures += [f for f in re.findall(r"^FAILED (.*)$", text, re.M) if f not in tally.failures]
    return text


def contracts(tally: Tally, ran: str) -> None:
    """The gates of the contracts, held against what the test runner printed in this run."""
    log = ROOT / "target/tests.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text(ran)
    here = {"CARGO_TARGET_DIR": str(ROOT / "target/contracts")}
    program = ["cargo", "run", "-q", "--features", "cli", "--bin", "fulmen", "--", "contract"]
    attempt(tally, "contracts", [*program, "lint", "--results", log], env=here)
    attempt(tally, "contract status", [*program, "status", "--results", log], env=here)
    attempt(tally, "escapes", ["cargo", "test", "--features", "cli,half", "--test", "escapes"], env=here, tests=True)


def lint(tally: Tally) -> None:
    attempt(tally, "format", ["cargo", "fmt", "--all", "--check"])
    for package in sorted(ROOT.glob("*/*/Cargo.toml")):
        attempt(tally, f"format of {package.parent.relative_to(ROOT)}", ["cargo", "fmt", "--check", "--manifest-path", package])
    here = {"CARGO_TARGET_DIR": str(ROOT / "target/lint")}
    for what, flags in (("no features", []), ("all features", ["--all-features"])):
        attempt(tally, f"clippy, {what}", ["cargo", "clippy", "--all-targets", *flags, *DENY], env=here)
    for target, std, flags in CROSS:
        try:
            tool = Toolchain.find(target)
            env = tool.env | {"RUSTFLAGS": CROSS_FLAGS.get(target, "")}
            attempt(tally, f"clippy, {target}", tool.cargo("clippy", "--lib", *flags, *DENY, std=std), env=env)
        except Missing as what:
            tally.skip(f"missing for clippy on {target}: {what}")
    docs = here | {"RUSTDOCFLAGS": "-Dwarnings"}
    attempt(tally, "documentation", ["cargo", "doc", "--no-deps", "--all-features"], env=docs)


def test(tally: Tally, strict: bool) -> None:
    lint(tally)
    more = ["--strict"] if strict else []
    script(tally, "profiles agree", ["scripts/profile.py", "check"])
    contracts(tally, script(tally, "profiles", ["scripts/profile.py", "test", *more]))
    compact = {"RUSTFLAGS": "--cfg=fulmen_compact", "CARGO_TARGET_DIR": str(ROOT / "target/rustup")}
    command = ["cargo", "test", "--features", "std", "--lib", "--test", "reduce", "--test", "rows"]
    attempt(tally, "compact loops", command, env=compact, tests=True)
    attempt(tally, "C ABI", ["scripts/capi.sh"])
    script(tally, "sizes", ["scripts/sizes.py", *more])
    try:
        need("node", "apt-get install nodejs")
        script(tally, "WASM demo", ["python3", "scripts/wasm_demo.py"])
    except Missing as what:
        tally.skip(f"missing for the WASM demo: {what}")
    if not shutil.which("swipl"):
        tally.skip("missing for the hardware facts in Prolog: swipl (apt-get install swi-prolog-nox)")
    script(tally, "llm", ["scripts/llm.py", *more])
    if shutil.which("coqc"):
        attempt(tally, "proofs", ["scripts/proofs.sh"])
    else:
        tally.skip("missing for the proofs: coqc (apt-get install coq libcoq-flocq libcoq-coquelicot libcoq-interval)")
    if shutil.which("cargo-deny"):
        attempt(tally, "licences, bans, sources", ["cargo", "deny", "check", "bans", "licenses", "sources"])
    else:
        # Its installation takes longer than many a test run: `make deny` does it on demand.
        tally.skipped.append("licences, bans, sources: cargo-deny is not installed (make deny)")


def coverage(tally: Tally) -> None:
    try:
        env = {f"LLVM_{t.upper()}": need(f"llvm-{t}-22", "apt-get install llvm-22") for t in ("cov", "profdata")}
        need("cargo-llvm-cov", "cargo install --locked cargo-llvm-cov")
        env |= {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v3", "CARGO_TARGET_DIR": str(ROOT / "target/coverage")}
        command = ["cargo", "llvm-cov", "--all-features", "--ignore-filename-regex", "lanes/(neon|simd128)", "--fail-under-lines", str(COVERAGE)]
        attempt(tally, f"line coverage, at least {COVERAGE} %", command, env=env)
    except Missing as what:
        tally.skip(f"missing for the coverage: {what}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["lint", "test", "coverage"])
    parser.add_argument("--strict", action="store_true", default=os.environ.get("FULMEN_STRICT") == "1")
    args = parser.parse_args()
    os.chdir(ROOT)
    tally = Tally()
    if args.command == "lint":
        lint(tally)
    elif args.command == "test":
        test(tally, args.strict)
    else:
        coverage(tally)
    return tally.finish(args.strict or args.command == "coverage")


if __name__ == "__main__":
    sys.exit(main())
