#!/usr/bin/env python3
"""Finds the toolchain for a target, runs commands, and counts what really ran.

A target that rustup already has is built with rustup's cargo. Any other one is built with Debian's rustc and the
library that Debian has for it (package libstd-rust-web-dev of that architecture), or else one that is made here from its
source, once for all flags, as those are that rustup would bring. Nothing is ever downloaded through rustup.
`toolchain.py TARGET …` makes those of the targets.
"""

import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
# What the tests of each profile compared.
COMPARED = TARGET / "compared"
# The worst errors that they saw.
ERRORS = TARGET / "errors"
DEBIAN = Path("/usr/bin")
LIBRARIES = Path("/usr/lib/rustlib")
# Flags of the libraries that are built here: what all packages of the target have. Functions of the library and of a
# package with other features are not inlined into each other.
FLAGS = {"wasm32-unknown-unknown": "-Ctarget-feature=+simd128"}
# All features of the library, of dependencies those that the tests choose: what was built for lints is taken.
EVERYTHING = ["--all-features", "--features", "ndarray/std,nalgebra/std"]


def levels(profile: str, others: int, ours: int) -> list[str]:
    """How cargo optimises the library and its tokens, and what a program depends on beside them: hardly optimised that is compiled
    in a third of the time."""
    packages = (('"*"', others), ("fulmen", ours), ("fulmen-tokens", ours))
    return [word for package, level in packages for word in ("--config", f"profile.{profile}.package.{package}.opt-level={level}")]


# WebAssembly modules whose answers alone are looked at: not optimised as a whole, all with one build of the library.
MODULE = ["--profile", "module", "--config", 'profile.module.lto="off"', "--config", "profile.module.codegen-units=16",
          "--config", "profile.module.opt-level=1", *levels("module", 0, 1)]
DEBIAN_PACKAGES = "rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy"

# What would leak into a profile from the environment of whoever calls.
CARGO_VARIABLES = ("RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "RUSTC_WORKSPACE_WRAPPER")


# What tests are built with beside `-Copt-level=0`; what inlines is no stable option.
BARE = ["-Cno-prepopulate-passes", "-Zmir-opt-level=2", "-Zinline-mir=yes"]
# Without what the standard library checks of guarantees to unsafe functions: a fifth of the time of what is not optimised.
UNCHECKED = ["-Zub-checks=no"]


class Failure(Exception):
    """A check that did not hold: what, and why."""


class Missing(Exception):
    """Something that this machine lacks: what, and how to get it."""


def output(cmd: list[str]) -> str:
    return subprocess.run(cmd, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def printed(cmd: list, env: dict | None = None) -> str:
    """What a program writes to its output; what it says besides is shown. A program that fails is a `Failure`."""
    done = subprocess.run([str(c) for c in cmd], cwd=ROOT, capture_output=True, env=env)
    said = done.stderr.decode(errors="replace")
    if done.returncode:
        raise Failure(f"{' '.join(map(str, cmd))}: {said.strip()}")
    print(said, end="")
    return done.stdout.decode(errors="replace")


@cache
def sysroot() -> Path:
    return Path(output(["rustc", "--print", "sysroot"]))


@cache
def host() -> str:
    return re.search(r"^host: (.*)$", output(["rustc", "-vV"]), re.M)[1]


def target_features(flags: tuple[str, ...]) -> frozenset[str]:
    """What `rustc` with these flags takes for granted on the host's architecture."""
    out = output(["rustc", "--print", "cfg", *flags])
    return frozenset(re.findall(r'^target_feature="(.*)"$', out, re.M))


@cache
def cpu_flags() -> frozenset[str]:
    """The host CPU's features, by their Rust names."""
    return target_features(("-Ctarget-cpu=native",))


def members(flags: list[str], bare: bool = False, checked: bool = False) -> dict[str, str]:
    """The environment in which cargo gives `flags` to the packages of the workspace alone: what they depend on is built
    once for all profiles. Cargo keeps the artifacts of each wrapper apart by its path, which therefore names the flags.
    `bare`: those that are not optimised are built without LLVM's passes. There the only one copies what is
    `inline(always)` to each place that calls it, which is half of the code and no faster than calls. rustc does that
    before generics are made concrete, once: the same time to compile, and programs that run in three quarters of it.
    `checked`: with the standard library's checks of what unsafe code guarantees, as a debug build has them: where every entry is
    called at every length."""
    without = [*flags, *(BARE if bare else []), *(UNCHECKED if bare and not checked else [])]
    if not without:
        return {}
    wrapper = TARGET / "flags" / re.sub(r"[^A-Za-z0-9=+._-]", "_", "_".join(without))
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(f'#!/bin/sh\ncase "$*" in\n*opt-level=*) exec "$@" {shlex.join(flags)} ;;\n*) {"RUSTC_BOOTSTRAP=1 " if bare else ""}exec "$@" {shlex.join(without)} ;;\nesac\n')
    wrapper.chmod(0o755)
    return {"RUSTC_WORKSPACE_WRAPPER": str(wrapper)}


def need(command: str, how: str) -> str:
    path = shutil.which(command)
    if not path:
        raise Missing(f"{command} ({how})")
    return path


def debian_rustc(target: str) -> Path:
    """Debian's rustc with the target's library. Where Debian has none it is built, when there is none for this rustc: for
    size, which SIZES.md is measured with, and as bitcode too, which programs that are optimised as a whole are made of."""
    root = TARGET / "sysroot"
    libraries, rustc = root / "lib/rustlib", root / "rustc"
    libraries.mkdir(parents=True, exist_ok=True)
    with open(root / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A program instead of a flag: packages have flags of their own, which one from outside would hide.
        if not rustc.exists():
            rustc.write_text(f'#!/bin/sh\nexec {DEBIAN}/rustc --sysroot {shlex.quote(str(root))} "$@"\n')
            rustc.chmod(0o755)
        for made in (host(), target):
            if (LIBRARIES / made / "lib").is_dir() and not (libraries / made).is_symlink():
                shutil.rmtree(libraries / made, ignore_errors=True)
                (libraries / made).symlink_to(LIBRARIES / made)
        stamp = libraries / target / "version"
        version = f"{output([DEBIAN / 'rustc', '-vV'])}\n{FLAGS.get(target, '')}"
        if not ((libraries / target).is_symlink() or (stamp.exists() and stamp.read_text() == version)):
            # Cargo does not see that what is there was built with other libraries.
            shutil.rmtree(TARGET / "debian" / target, ignore_errors=True)
            build_library(root / "build", target, libraries / target / "lib")
            stamp.write_text(version)
    return rustc


def build_library(at: Path, target: str, to: Path) -> None:
    """The libraries of a target with an operating system, or what there is without, copied `to`."""
    bare = target.endswith(("-none", "-none-eabihf"))
    shutil.rmtree(at, ignore_errors=True)
    (at / "src").mkdir(parents=True)
    (at / "src/lib.rs").write_text("#![no_std]\n")
    (at / "Cargo.toml").write_text('[package]\nname = "none"\nedition = "2024"\n[workspace]\n[profile.release]\ncodegen-units = 1\nopt-level = "s"\n')
    # What reads debug information for a backtrace is a quarter of it, and of no use where there is none.
    parts = ["core,compiler_builtins", "-Zbuild-std-features=compiler-builtins-mem"] if bare else ["std,panic_abort,panic_unwind,test", "-Zbuild-std-features=panic-unwind"]
    command = [DEBIAN / "cargo", "build", "--release", "--target", target, "-Zbuild-std=" + parts[0], *parts[1:]]
    env = {k: v for k, v in os.environ.items() if k not in CARGO_VARIABLES}
    env |= {"CARGO_TARGET_DIR": str(at), "RUSTC": str(DEBIAN / "rustc"), "RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": f"-Cembed-bitcode=yes {FLAGS.get(target, '')}"}
    done = subprocess.run(command, cwd=at, env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"the library for {target} does not build: {done.stderr}")
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for library in (at / target / "release/deps").glob("*.rlib"):
        if not library.name.startswith("libnone-"):
            shutil.copy(library, to)


@dataclass
class Toolchain:
    """Cargo for one target: the command, its environment and its target directory."""

    target: str
    debian: bool
    env: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def find(target: str) -> "Toolchain":
        installed = (sysroot() / "lib/rustlib" / target / "lib").is_dir()
        if installed:
            return Toolchain(target, False, {"CARGO_TARGET_DIR": str(TARGET / "rustup")})
        made = (LIBRARIES / target / "lib").is_dir()
        if not ((DEBIAN / "rustc").exists() and (DEBIAN / "cargo").exists() and (made or (LIBRARIES / "src/rust/library").exists())):
            raise Missing(f"a toolchain for {target} (rustup target add {target}, or apt-get install {DEBIAN_PACKAGES})")
        lld = sysroot() / "lib/rustlib" / host() / "bin"
        rustc = debian_rustc(target)
        return Toolchain(target, True, {
            "CARGO_TARGET_DIR": str(TARGET / "debian"),
            "CARGO": str(DEBIAN / "cargo"),
            "PATH": f"{lld}:{os.environ['PATH']}",
            "RUSTC": str(rustc),
            # For clippy, which runs no rustc.
            "SYSROOT": str(rustc.parent),
        })

    def cargo(self, verb: str, *args: str) -> list[str]:
        """The command line of `cargo verb --target …`."""
        # The target is named on the host too: without, build scripts get the profile's flags, and they run here
        # whatever the profile is for.
        head = ["cargo", verb]
        if self.debian:
            head[0] = str(DEBIAN / "cargo")
            if verb == "clippy":
                if not (DEBIAN / "cargo-clippy").exists():
                    raise Missing("clippy for Debian's rustc (apt-get install rust-web-clippy)")
                head[0] = str(DEBIAN / "cargo-clippy")
        return [*head, "--target", self.target, *args]

    def out(self, profile: str = "release") -> Path:
        """Where cargo puts the artifacts."""
        return Path(self.env["CARGO_TARGET_DIR"]) / self.target / profile


def reasons(text: str) -> str:
    """Why a command failed: each failed test with its seed and where it stopped, else the end of the output.

    CI keeps the end of a log alone, so the summary has to hold what repeats a failure."""
    why = []
    for test in dict.fromkeys(re.findall(r"^test (\S+)(?: - .*)? \.\.\. FAILED$", text, re.M)):
        part = re.search(rf"^---- {re.escape(test)} stdout ----\n(.*?)(?=^---- |^failures:$|\Z)", text, re.M | re.S)
        said = part[1] if part else ""
        seeds = dict.fromkeys(re.findall(r"FULMEN_SEED=\d+", said))
        stopped = said[at:] if (at := said.find("panicked at")) >= 0 else said[-500:]
        stopped = " ".join(stopped.split("stack backtrace:")[0].split())
        why.append(" ".join([f"{test}:", *seeds, stopped[:800]]))
    if len(why) > 8:
        why[8:] = [f"and {len(why) - 8} more"]
    if why:
        return " | ".join(why)
    said = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(said[-8:])[-1000:]


@dataclass
class Tally:
    """Tests and checks that ran, and what could not."""

    passed: int = 0
    failed: int = 0
    ignored: int = 0
    skipped: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    # What a reviewer has to see, in the summary.
    notes: list[str] = field(default_factory=list)
    # Per step: its name, seconds, and seconds of all its processes on a core.
    timings: list[tuple[str, float, float]] = field(default_factory=list)
    # Per job: its seconds on the clock, and on cores.
    jobs: dict[str, tuple[float, float]] = field(default_factory=dict)
    # What would be printed, where several tallies run at once; None prints.
    kept: list[str] | None = None
    began: float = field(default_factory=time.monotonic)
    wall: float = 0.0

    def begins(self, text: str) -> None:
        """A line for whoever watches, where the output itself is kept until the job ends."""
        if self.kept is not None:
            print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)

    def say(self, text: str) -> None:
        if self.kept is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self.kept.append(text)

    def run(self, name: str, cmd: list[str], *, env: dict[str, str] | None = None, cwd: Path = ROOT) -> tuple[int, str]:
        """Runs one command, echoing it and its output; returns its exit status and output."""
        shown = " ".join(str(c).replace(str(ROOT) + "/", "") for c in cmd)
        self.say(f"\n=== {name}\n$ {shown}\n")
        self.begins(f"  {name}")
        start = time.monotonic()
        full = {k: v for k, v in os.environ.items() if k not in CARGO_VARIABLES} | (env or {})
        proc = subprocess.Popen([str(c) for c in cmd], cwd=cwd, env=full, text=True, errors="replace",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = []
        for line in proc.stdout:
            self.say(line)
            lines.append(line)
            if line.startswith("=== "):
                self.begins(f"  {line[4:].rstrip()}")
        _, status, used = os.wait4(proc.pid, 0)
        code = proc.returncode = os.waitstatus_to_exitcode(status)
        self.timings.append((name, time.monotonic() - start, used.ru_utime + used.ru_stime))
        return code, "".join(lines).replace("\r", "")

    def step(self, name: str, cmd: list[str], *, tests: bool = False, **how) -> str:
        """Runs one command; counts the tests that it reports, or itself as one check."""
        code, text = self.run(name, cmd, **how)
        found = re.findall(r"^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored", text, re.M) if tests else []
        passed, failed, ignored = (sum(int(m[i]) for m in found) for i in range(3))
        self.passed += passed
        self.failed += failed
        self.ignored += ignored
        if code != 0:
            # A command that failed without a failed test, a compile error say, is one failure.
            self.failed += not failed
            self.failures.append(f"{name}: exit status {code}: {reasons(text)}")
            raise Failure(f"{name}: exit status {code}")
        if tests and not passed:
            self.fail(f"{name}: no test ran")
        self.passed += not tests
        return text

    def check(self, name: str) -> None:
        """One check that this program made itself, and that held."""
        self.passed += 1
        self.say(f"ok: {name}\n")

    def wrong(self, why: str) -> None:
        """One check that did not hold; the next one still runs."""
        self.failed += 1
        self.failures.append(why)

    def fail(self, why: str) -> None:
        """One check that did not hold, and that the rest rests on."""
        self.wrong(why)
        raise Failure(why)

    def add(self, other: "Tally", name: str) -> None:
        """What a job of that name found."""
        if not (other.passed or other.failed or other.skipped):
            other.wrong(f"{name}: nothing was checked")
        self.passed += other.passed
        self.failed += other.failed
        self.ignored += other.ignored
        self.skipped += [s for s in other.skipped if s not in self.skipped]
        self.failures += [f for f in other.failures if f not in self.failures]
        self.notes += other.notes
        self.timings += other.timings

    def skip(self, what: str) -> None:
        self.skipped.append(what)
        self.say(f"\nSKIPPED {what}\n")

    def finish(self, strict: bool = False) -> int:
        """Prints the summary and returns the exit status. `strict`: what this machine lacks is a failure."""
        print("\nseconds  on cores  step")
        for name, seconds, cores in self.timings:
            print(f"{seconds:7.1f}  {cores:8.1f}  {name}")
        print(f"{time.monotonic() - self.began:7.1f}  {sum(c for _, _, c in self.timings):8.1f}  total")
        if self.jobs:
            print("\nminutes  on cores  job")
            for name, (wall, cores) in sorted(self.jobs.items(), key=lambda job: -job[1][1]):
                print(f"{wall / 60:7.1f}  {cores / 60:8.1f}  {name}")
            everything = sum(cores for _, cores in self.jobs.values())
            print(f"{(time.monotonic() - self.began) / 60:7.1f}  {everything / 60:8.1f}  all")
        for note in self.notes:
            print(note)
        for s in self.skipped:
            print(f"SKIPPED {s}")
        for f in self.failures:
            print(f"FAILED {f}")
        lacking = [s for s in self.skipped if s.startswith("missing")]
        if strict and lacking:
            self.failed += len(lacking)
        print(f"\n{self.passed} passed, {self.failed} failed, {self.ignored} ignored, {len(self.skipped)} skipped")
        return 1 if self.failed or not self.passed else 0


def listed_ops() -> list[dict]:
    """The ops with every argument, as the library was compiled with them; `fulmen contract lint` holds the file to the library."""
    return json.loads((ROOT / "contracts/ops.json").read_text())["ops"]


def show_table(name: str, table: str, tally: Tally, write: bool, page: str = "README.md") -> None:
    """The page's part between the markers of `name` is `table`; `write` makes it so."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    readme = ROOT / page
    before, found, rest = readme.read_text().partition(begin)
    old, closed, after = rest.partition(end)
    if not (found and closed):
        tally.fail(f"{page} has no table between {begin.strip()} and {end}")
    if write:
        readme.write_text(before + begin + table + end + after)
    elif old != table:
        tally.fail(f"{page}'s table of {name} is out of date: write it anew with --write")
    tally.check(f"{page} shows the {name} as they are")


if __name__ == "__main__":
    tally = Tally()
    for target in sys.argv[1:]:
        try:
            tally.check(f"{target}: {Toolchain.find(target).cargo('build')[0]}")
        except Failure as why:
            tally.wrong(str(why))
        except Missing as what:
            tally.skip(f"missing {what}")
    tally.finish()
    sys.exit(1 if tally.failed else 0)
