#!/usr/bin/env python3
"""The gate: everything that CI runs, with a summary of what really ran.

  scripts/gate.py check           what needs no long build: texts, formatting, the package, the public API, contracts; before each commit
  scripts/gate.py lint            formatting, clippy on every kind of target, documentation
  scripts/gate.py test            lint, every profile, contracts, C ABI, sizes, the WASM demo, the llm example, proofs
  scripts/gate.py test JOB …      these jobs of it alone, by the names that its summary has
  scripts/gate.py coverage        line coverage of the tests, at least 90 %

Two jobs run at a time. Each step is named when it begins; the output of a job is shown in one piece when it ends, and
the summary has its minutes, on the clock and on cores.
`--strict` (CI): a tool that this machine lacks is a failure, not a skip.
"""

import argparse
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import traceback
from pathlib import Path
from collections.abc import Callable
from dataclasses import dataclass

from profile import profiles
from toolchain import COMPARED, ERRORS, EVERYTHING, FLAGS, ROOT, TARGET, Failure, Missing, Tally, Toolchain, host, members, need

DENY = ["--", "-Dwarnings"]
# The targets beyond the host that must be clean, and Cargo flags.
CROSS = [
    # Without what is the same as on the host: other crates' views, the program, and on ARM64 wgpu.
    ("aarch64-unknown-linux-gnu", ["--features", "std,half,parallel,neon,cuda,wgsl,capi"]),
    ("wasm32-unknown-unknown", ["--features", "std,half,parallel,avx512,neon,simd128,cuda,wgpu,capi,rand_core,num-complex,serde"]),
    ("thumbv7em-none-eabihf", []),
]
COVERAGE = 90
# The most bytes that the published package may have, and what may be in it: sources, and what cargo and crates.io want.
PACKAGE = 1_340_000
PACKED = re.compile(r"src/.*\.(rs|pl)|include/fulmen\.h|Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|docs/crate\.md|CHANGELOG\.md|LICENSE-\w+")
# What the host builds: macros and build scripts are the same for lints and tests.
SHARED = {"CARGO_TARGET_DIR": str(TARGET / "rustup")}
# The program `fulmen` and its tests: one set of features, so that it is built once.
PROGRAM = ["--target", host(), "--features", "cli,half,cuda,wgsl"]


def program_env() -> dict[str, str]:
    """Without LLVM's passes: it reads all contracts some sixty times, in three quarters of the time."""
    return members([], bare=True) | SHARED


# GB of disk that a run from a clean clone takes: it ends with 9 of build outputs.
DISK = 12
# Jobs at a time. With a third two cores took 23.8 minutes from nothing, 23.0 without, and each compiler takes 2 GB.
WORKERS = 2


class Tokens:
    """GNU make's jobserver, which cargo and rustc ask before they start a second thread: all jobs together compile on as many as
    there are cores, or one each. On two cores two builds beside each other took 1.14 times the time with two threads each."""

    def __init__(self) -> None:
        path = TARGET / "jobserver"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        self.pool, self.lent = os.open(path, os.O_RDWR | os.O_NONBLOCK), 0
        os.environ["MAKEFLAGS"] = f" -j --jobserver-auth=fifo:{path}"

    def lend(self, jobs: int) -> None:
        """What so many jobs, each with a thread that it need not ask for, leave of the cores."""
        spare = max((os.cpu_count() or 1) - jobs, 0)
        if self.lent < spare:
            self.lent += os.write(self.pool, b"+" * (spare - self.lent))
        elif self.lent > spare:
            try:
                self.lent -= len(os.read(self.pool, self.lent - spare))
            except BlockingIOError:
                pass  # They are in use; the next job that begins or ends asks again.


@dataclass
class Job:
    """Steps that run in order, beside those of other jobs."""

    name: str
    run: Callable[[Tally], object]
    # What no other job may use meanwhile: cargo locks its target directory while it builds.
    uses: frozenset[str] = frozenset()
    # Jobs that must have ended before.
    after: frozenset[str] = frozenset()
    # Whether it is skipped where it has not begun by `LATEST`; the summary names it then.
    optional: bool = False


# CI stops a run after 90 minutes, and has no summary then. So after this many seconds the jobs for whole programs
# that have not begun are skipped: the ops that they call have been tested by then, and the summary names the jobs.
LATEST = 72 * 60


def together(tally: Tally, jobs: list[Job], only: list[str]) -> None:
    """Runs the jobs, the first of the list first, or `only` those of these names. What a job prints is shown in one piece
    when it ends."""
    if unknown := set(only) - {job.name for job in jobs}:
        tally.wrong(f"no jobs: {sorted(unknown)}; there are {[job.name for job in jobs]}")
    jobs = [job for job in jobs if not only or job.name in only]
    for job in jobs:
        # What they stand on is there from another run.
        job.after &= {job.name for job in jobs}
    waiting, running, ended = [*jobs], [], {}
    tokens, left_out = Tokens(), []
    results: queue.Queue[tuple[Job, Tally]] = queue.Queue()

    def work(job: Job) -> None:
        mine = Tally(kept=[])
        if not job.uses & (HOST | OTHER):
            # Of this thread and what it starts: those that wait for no other take what the others leave.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
        try:
            job.run(mine)
        except Failure as why:
            if not mine.failures:
                mine.wrong(str(why))
        except Missing as what:
            mine.skip(f"missing for {job.name}: {what}")
        except Exception as bug:
            mine.say(traceback.format_exc())
            mine.wrong(f"{job.name}: {bug!r}")
        mine.wall = time.monotonic() - mine.began
        results.put((job, mine))

    while waiting or running:
        if time.monotonic() - tally.began > LATEST:
            left_out += [job for job in waiting if job.optional]
            waiting = [job for job in waiting if not job.optional]
        for job in [*waiting]:
            busy = any(job.uses & other.uses for other in running)
            if len(running) < WORKERS and not busy and job.after <= ended.keys():
                waiting.remove(job)
                running.append(job)
                print(f"{time.strftime('%H:%M:%S')} {job.name}: begins", flush=True)
                threading.Thread(target=work, args=(job,), daemon=True).start()
        if not running:
            if waiting:
                raise AssertionError(f"what these wait for is no job: {[job.name for job in waiting]}")
            break
        tokens.lend(len(running))
        job, mine = results.get()
        running.remove(job)
        ended[job.name] = mine
        print("".join(mine.kept), end="")
        print(f"{time.strftime('%H:%M:%S')} {job.name}: {'FAILED' if mine.failed else 'ended'}", flush=True)
    for job in left_out:
        tally.skip(f"{job.name}: it had not begun after {LATEST // 60} minutes")
    jobs = [job for job in jobs if job.name in ended]
    for job in jobs:
        tally.add(ended[job.name], job.name)
    tally.jobs = {job.name: (ended[job.name].wall, sum(c for _, _, c in ended[job.name].timings)) for job in jobs}


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
        # The end of the job's output, where a program that stopped says why: CI's page keeps the end of a log and drops its middle.
        tally.failures.append(f"{name}: exit status {code} and no summary: {' | '.join(text.strip().splitlines()[-4:])}")
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
    counts = COMPARED.with_suffix(".log")
    counts.write_text("".join(file.read_text() for file in sorted(COMPARED.glob("*"))))
    program = ["cargo", "run", "-q", *PROGRAM, "--bin", "fulmen", "--", "contract"]
    attempt(tally, "contracts", [*program, "lint", "--results", log, "--compared", counts], env=program_env())
    attempt(tally, "contract status", [*program, "status", "--results", log], env=program_env())
    script(tally, "ops on devices", ["scripts/ops.py", "ran", log])
    errors = ERRORS.with_suffix(".log")
    errors.write_text("".join(file.read_text() for file in sorted(ERRORS.glob("*"))))
    script(tally, "worst errors", ["scripts/accuracy.py", "ran", errors])


def escapes(tally: Tally) -> None:
    attempt(tally, "escapes of evidence", ["tests/evidence.py"])
    attempt(tally, "escapes", ["cargo", "test", "-p", "fulmen", *PROGRAM, "--test", "escapes"], env=program_env(), tests=True)


def front_door(tally: Tally) -> None:
    """The README's first two commands, as it writes them, and what anyone expects of `cargo bench` at the root."""
    lines = (ROOT / "README.md").read_text().partition("## Train a language model")[2].partition("```sh\n")[2].partition("```")[0].splitlines()
    run, test = (line.partition("#")[0].split() for line in lines[:2])
    if (run, test) != (["cargo", "run", "--release"], ["cargo", "test"]):
        tally.fail(f"the README begins with other commands: {run}, {test}")
    # Where the dependencies of other jobs are.
    env = SHARED | {"CARGO_BUILD_TARGET": host()}
    said = tally.step("cargo run", run, env=env)
    for part in ("on text held out", "holmes.gguf.svg", "--resume"):
        if part not in said:
            tally.wrong(f"cargo run --release does not say {part!r}")
    attempt(tally, "cargo test", test, env=env, tests=True)
    attempt(tally, "cargo bench", ["cargo", "bench", "--", "--test"], env=env)


def large(tally: Tally) -> None:
    """Large sizes, built as a user builds, for the widest instruction set that this machine has. Products, which alone block by
    lanes, are on those of AVX2 too: the thresholds of the rest know no lanes, and leaves of reductions are a number of
    registers."""
    with open("/proc/cpuinfo") as info:
        has = set(info.read().split())
    for cpu, sets, features in (("x86-64-v4", {"avx512bw", "avx512dq", "avx512vl"}, ["--features", "avx512"]), ("x86-64-v3", {"avx2", "fma"}, [])):
        if not sets <= has:
            tally.skip(f"large sizes on {cpu}: this CPU has not {', '.join(sorted(sets - has))}")
            continue
        # With a target that is named, macros are built without the flags, once.
        command = ["cargo", "test", "--release", "--target", host(), "--manifest-path", "tests/large/Cargo.toml", *features]
        env = {"RUSTFLAGS": f"-Ctarget-cpu={cpu}", "CARGO_TARGET_DIR": str(TARGET / "large")}
        attempt(tally, f"large sizes on {cpu}", command, env=env, tests=True)
        return


def kani(tally: Tally) -> None:
    """The harnesses of Kani, compiled against a stub of it: what they prove only Kani can say."""
    out = ROOT / "target/kani"
    out.mkdir(parents=True, exist_ok=True)
    stub = ["rustc", "--edition=2024", "--out-dir", out, "-L", out]
    attempt(tally, "Kani's attributes", [*stub, "--crate-type=proc-macro", "tests/kani/macros.rs"])
    attempt(tally, "Kani's stub", [*stub, "--crate-type=rlib", "--extern=macros", "tests/kani/kani.rs"])
    # The attributes come out of the stub's crate, which the search path finds. Without features, as `cargo kani` runs them.
    flags = ["--cfg=kani", f"--extern=kani={out}/libkani.rlib", f"-L{out}", "-Dwarnings"]
    attempt(tally, "Kani harnesses, type-checked", ["cargo", "check", "-p", "fulmen", "--lib"], env=members(flags) | SHARED)
    harnesses = sum(p.read_text().count("#[kani::proof]") for p in ROOT.glob("src/**/*.rs"))
    if not harnesses:
        tally.wrong("no harness of Kani was found")
    tally.check(f"{harnesses} harnesses of Kani compile; {'cargo kani runs them' if shutil.which('cargo-kani') else 'none ran: Kani is not installed'}")


def cli(tally: Tally) -> None:
    """The program as a user runs it, with the kernels that its plans are counted in."""
    attempt(tally, "program", ["cargo", "test", "-p", "fulmen", *PROGRAM, "--test", "cli"], env=program_env(), tests=True)


def trace(tally: Tally) -> None:
    """Tests the hook in every op, the profiler and `llm --profile`, and checks that the hook is gone without the feature."""
    attempt(tally, "hook and profiler", ["cargo", "test", "-p", "fulmen-trace-tests"], env=SHARED, tests=True)
    watched = ["cargo", "test", "-p", "fulmen-examples", "--features", "trace", "--test", "llm_profile"]
    attempt(tally, "llm --profile and --trace", watched, env=SHARED, tests=True)
    script(tally, "no hook without the feature", ["scripts/trace_off.py"])


def outside(tally: Tally, name: str, package: str, features: list[str], env: dict[str, str] | None = None) -> str:
    """Checks a package outside of the workspace. What it depends on is what lints have checked, of the same versions and with the same
    profile; and the library is checked with one set of features for all such packages."""
    lock = ROOT / package / "Cargo.lock"
    if not lock.exists():
        shutil.copy(ROOT / "Cargo.lock", lock)
    features = [*features, *(f"fulmen/{f}" for f in ("avx512", "capi", "half", "nccl", "parallel", "wgsl"))]
    profile = [w for p in ("dense", "libm") for w in ("--config", f"profile.dev.package.{p}.opt-level=3")]
    command = ["cargo", "check", *profile, "--manifest-path", f"{package}/Cargo.toml", "--no-default-features", "--features", ",".join(features)]
    return tally.step(name, command, env=SHARED | {"CARGO_PROFILE_DEV_DEBUG": "false", "CARGO_PROFILE_DEV_LTO": "off"} | (env or {}))


def fuzz(tally: Tally) -> None:
    """The fuzz targets compile, without a warning. `make fuzz` runs them, with libFuzzer, which nothing is linked to here."""
    text = outside(tally, "fuzz targets", "fuzz", [], {"CUSTOM_LIBFUZZER_PATH": str(ROOT / "target/fuzz/none.a")})
    # A flag that denies them would be one of the dependencies too, which would be checked again.
    if warned := re.findall(r"^warning: .*$", text, re.M):
        tally.wrong(f"fuzz targets: {warned[0]}")


def lowest_rust(tally: Tally) -> None:
    """The library compiles with the Rust of `rust-version` where that is installed: clippy's lint sees the standard library
    alone, not the language."""
    version = re.search(r'^rust-version = "([0-9.]+)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
    version += ".0" if version.count(".") == 1 else ""
    tool = f"+{version}"
    if subprocess.run(["cargo", tool, "--version"], capture_output=True).returncode:
        # CI downloads nothing through rustup.
        tally.say(f"clippy's lint alone holds the library to Rust {version}: it is not installed\n")
        return
    env = {"CARGO_TARGET_DIR": str(ROOT / "target/lowest")}
    features = "std,half,parallel,nccl,avx512,capi,rand_core"
    attempt(tally, f"Rust {version}", ["cargo", tool, "check", "-p", "fulmen", "--lib", "--features", features], env=env)


def git(*args: str) -> str:
    return subprocess.run(["git", *args], capture_output=True, text=True).stdout.strip()


def began_at() -> str:
    """The commit that this work began at, or nothing where a clone has no earlier one."""
    head, base = git("rev-parse", "HEAD"), git("merge-base", "HEAD", "origin/main")
    return git("rev-parse", "--verify", "-q", "HEAD^") if base in ("", head) else base


def guarantees(tally: Tally) -> None:
    """Prints each guarantee of the contracts that differs from those of the commit that this work began at: what
    `contract lock` has accepted is what a reviewer has to see."""
    base, file = began_at(), "contracts/locked.toml"
    read = lambda text: dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    old, new = read(git("show", f"{base}:{file}")) if base else {}, read((ROOT / file).read_text())
    if not old:
        tally.say("the guarantees of the contracts: there is no earlier commit to compare with\n")
        return
    changed = [name for name in sorted(old | new) if old.get(name) != new.get(name)]
    for name in changed:
        tally.say(f"{name}\n  was {old.get(name, 'absent')}\n  is  {new.get(name, 'absent')}\n")
    tally.check(f"{len(changed)} of {len(new)} guarantees differ from those at {base[:7]}, printed above")


def package_page(tally: Tally) -> None:
    """The page of the package links nothing that the package does not hold, and its example, which is tested, is the README's."""
    page, readme = (ROOT / "docs/crate.md").read_text(), (ROOT / "README.md").read_text()
    links = [link for link in re.findall(r"\]\(([^)]*)\)", page) if not link.startswith("https://")]
    example = re.search(r"```rust\n.*?```", readme, re.S)[0]
    if links or example not in page:
        tally.wrong(f"docs/crate.md links {links}, or its example is not the README's")
    else:
        tally.check("the page of the package has no relative link, and the README's example")


# The backends that the feature `wgpu` enables on each target. Cargo resolves features without a toolchain for the target.
BACKENDS = {
    "x86_64-unknown-linux-gnu": {"vulkan"},
    "aarch64-linux-android": {"vulkan"},
    "aarch64-apple-darwin": {"metal"},
    "aarch64-apple-ios": {"metal"},
    "x86_64-pc-windows-msvc": {"dx12", "vulkan"},
    "wasm32-unknown-unknown": {"webgpu"},
}


def backends(tally: Tally) -> None:
    for target, wanted in BACKENDS.items():
        # At depth 1 are the features that fulmen enables; those that other packages enable are deeper.
        code, said = tally.run(f"backends of wgpu on {target}", ["cargo", "tree", "--target", target, "-p", "fulmen", "-e", "features", "--features", "wgpu", "-i", "wgpu", "--depth", "1"])
        chosen = set(re.findall(r'wgpu feature "(\w+)"', said)) & {"dx12", "gles", "metal", "vulkan", "webgpu"}
        if code or chosen != wanted:
            tally.wrong(f"on {target} the feature wgpu chooses {sorted(chosen)}, {sorted(wanted)} expected")
        else:
            tally.check(f"wgpu on {target}: {', '.join(sorted(chosen))}")


def texts(tally: Tally) -> None:
    """What texts say, without a compiler."""
    package_page(tally)
    guarantees(tally)
    script(tally, "sources", ["scripts/source.py"])
    script(tally, "layers", ["scripts/layers.py"])
    attempt(tally, "faults that can be planted", ["tests/faults.py", "--check"])
    attempt(tally, "figures", ["scripts/speed.py", "--check"])
    script(tally, "profiles agree", ["scripts/profile.py", "check"])
    script(tally, "table of ops", ["scripts/ops.py", "check"])
    script(tally, "worst errors and bounds", ["scripts/accuracy.py", "check"])
    script(tally, "limits are documented", ["scripts/limits.py"])
    backends(tally)
    attempt(tally, "format", ["cargo", "fmt", "--all", "--check"])
    for package in sorted([*ROOT.glob("*/Cargo.toml"), *ROOT.glob("*/*/Cargo.toml")]):
        attempt(tally, f"format of {package.parent.relative_to(ROOT)}", ["cargo", "fmt", "--check", "--manifest-path", package])


def public_api(tally: Tally) -> None:
    attempt(tally, "public API", ["scripts/public_api.py"])


def deny(tally: Tally) -> None:
    need("cargo-deny", "make deny")
    attempt(tally, "licences, bans, sources", ["cargo", "deny", "check", "bans", "licenses", "sources"])
    code, text = tally.run("advisories", ["cargo", "deny", "check", "advisories"])
    if code and "failed to fetch advisory database" in text:
        tally.skip("advisories: their database on github.com cannot be reached")
    elif code:
        tally.wrong("advisories: cargo deny found some")
    else:
        tally.check("no advisory against what the library depends on")


def package(tally: Tally) -> None:
    attempt(tally, "package", ["cargo", "package", "-p", "fulmen", "--no-verify", "--allow-dirty", "--target-dir", "target/package"])
    crates = [*(ROOT / "target/package/package").glob("fulmen-*.crate")]
    bytes_ = max((c.stat().st_size for c in crates), default=PACKAGE + 1)
    if bytes_ > PACKAGE:
        tally.wrong(f"the package has {bytes_} bytes, more than {PACKAGE}, or was not made")
    else:
        tally.check(f"the package has {bytes_ / 1000:.0f} KB")
    for crate in crates:
        with tarfile.open(crate) as packed:
            others = [n for n in packed.getnames() if not PACKED.fullmatch(n.partition("/")[2])]
        if others:
            tally.wrong(f"the package holds what is no source of the library: {others}")
    deny(tally)


def contract_texts(tally: Tally) -> None:
    """The gates of the contracts without what tests printed, by the program with the fewest features. What is guaranteed less than
    at the commit that this work began at is in the summary, and fails without a reason; within one tree, a clone without that
    commit too, the gates hold it against the record that `lock` keeps."""
    command = ["cargo", "run", "-q", "--target", host(), "--features", "cli", "--bin", "fulmen", "--", "contract"]
    attempt(tally, "contracts, by their texts", [*command, "lint"], env=SHARED)
    base, file = began_at(), "contracts/tightest.toml"
    if not (old := git("show", f"{base}:{file}") if base else ""):
        tally.say("guarantees that were loosened: there is no earlier record to compare with\n")
        return
    earlier = TARGET / "tightest-before.toml"
    earlier.write_text(old + "\n")
    _, text = tally.run("guarantees that were loosened", [*command, "loosened", "--since", earlier], env=SHARED)
    lines = re.findall(r"^LOOSENED .*$", text, re.M)
    tally.notes += lines
    for line in lines:
        if "has no line with a reason" in line:
            tally.wrong(line)
    if not re.search(r"^\d+ guarantees were loosened$", text, re.M):
        tally.wrong(f"guarantees that were loosened: {text.strip().splitlines()[-1:]}")
    else:
        tally.check(f"{len(lines)} guarantees were loosened since {base[:7]}")


def lint_host(tally: Tally) -> None:
    # Without features the library alone: what its tests are then, minimal compiles.
    for what, flags in (("no features", ["-p", "fulmen", "--lib"]), ("all features", ["--workspace", "--all-targets", "--all-features"])):
        attempt(tally, f"clippy, {what}", ["cargo", "clippy", *flags, *DENY], env=SHARED)
    lowest_rust(tally)
    kani(tally)
    docs = SHARED | {"RUSTDOCFLAGS": "-Dwarnings"}
    attempt(tally, "documentation", ["cargo", "doc", "-p", "fulmen", "--no-deps", *EVERYTHING], env=docs)
    # No test builds them; benchmarks whose peers take minutes to compile are left to `make bench`.
    for package, features in (("benches/device", ["nccl", "half"]), ("benches/ops", []), ("benches/lz4", []), ("tests/gpu", ["nccl", "half"])):
        try:
            outside(tally, f"{package} compiles", package, features)
        except Failure:
            pass  # counted already


def libraries(tally: Tally) -> None:
    targets = {target for target, _ in CROSS} | {p.target for p in profiles().values()}
    script(tally, "libraries of other targets", ["scripts/toolchain.py", *sorted(targets - {host()})])


def lint_cross(tally: Tally) -> None:
    for target, flags in CROSS:
        try:
            tool = Toolchain.find(target)
            env = tool.env | {"RUSTFLAGS": FLAGS.get(target, "")}
            attempt(tally, f"clippy, {target}", tool.cargo("clippy", "-p", "fulmen", "--lib", *flags, *DENY), env=env)
        except Missing as what:
            tally.skip(f"missing for clippy on {target}: {what}")


# The target directories of the two toolchains; see `Toolchain.find`.
HOST, OTHER = frozenset({"rustup"}), frozenset({"debian"})
PACKED_UP = Job("package, licences", package)
QUICK = [Job("texts", texts), Job("public API", public_api, HOST)]
# Seconds each, so that they are looked at before a commit.
CHECK = [*QUICK, PACKED_UP, Job("contracts, by their texts", contract_texts, HOST)]
# First, what the jobs of other targets share.
LINT = [*QUICK, Job("libraries of other targets", libraries, OTHER), Job("lint", lint_host, HOST), Job("lint of other targets", lint_cross, OTHER)]


def test(tally: Tally, strict: bool, only: list[str]) -> None:
    more = ["--strict"] if strict else []
    free, built = (float(n) / 1e9 for n in (shutil.disk_usage(ROOT).free, sum(f.lstat().st_blocks * 512 for f in TARGET.rglob("*"))))
    print(f"{free:.0f} GB of disk are free and {built:.0f} GB are built; from nothing the tests take {DISK}", flush=True)
    if not only and free + built < DISK:
        sys.exit("the disk is too small")
    # What the test runners of each profile printed, and the run of every op on an adapter.
    ran: dict[str, str] = {}
    devices = "ops on lavapipe"

    def profile(name: str, uses: frozenset[str]) -> Job:
        def run(t: Tally) -> None:
            ran[name] = script(t, f"profile {name}", ["scripts/profile.py", "test", name, *more])

        return Job(name, run, uses)

    def compact(t: Tally) -> None:
        # On the build's own lanes: what is left out does not depend on them, which server-avx2 tests; and the same arguments
        # are refused.
        env = members(["--cfg=fulmen_compact", "--cfg=fulmen_one_lane"], bare=True) | SHARED
        command = ["cargo", "test", "-p", "fulmen", "-p", "fulmen-tests", "--target", host(), "--features", "std", "--tests"]
        attempt(t, "compact loops", command, env=env, tests=True)

    def demo(t: Tally) -> None:
        need("node", "apt-get install nodejs")
        script(t, "WASM demo", ["python3", "scripts/wasm_demo.py"])

    def page(t: Tally) -> None:
        need("chromium", "apt-get install chromium")
        script(t, "web page", ["scripts/web.py", "test", *more])

    def proofs(t: Tally) -> None:
        need("coqc", "apt-get install coq libcoq-flocq libcoq-coquelicot libcoq-interval")
        attempt(t, "proofs", ["scripts/proofs.sh"])
        attempt(t, "escapes of proofs", ["tests/proofs/escapes.py"])

    def gpu(t: Tally) -> None:
        if not [*Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")]:
            t.skip(f"missing for {devices}: apt-get install mesa-vulkan-drivers libvulkan1")
            return
        env = {"CARGO_TARGET_DIR": str(ROOT / "target/gpu"), "FULMEN_ADAPTER": "llvmpipe", "XDG_RUNTIME_DIR": "/tmp"} | members([], bare=True)
        # Without the story on CUDA, which lints check: it is as much code again.
        features = ["--no-default-features", "--features", "wgpu,half"]
        ran[devices] = t.step(devices, ["cargo", "run", "--manifest-path", "tests/gpu/Cargo.toml", *features], env=env)

    def templates(part: str) -> Callable[[Tally], object]:
        return lambda t: script(t, f"templates, {part}", ["scripts/templates.py", part, *more])

    if not shutil.which("swipl"):
        tally.skip("missing for the hardware facts in Prolog: swipl (apt-get install swi-prolog-nox)")
    found = profiles()
    native = [profile(name, HOST) for name, p in found.items() if p.target == host()]
    cross = [profile(name, OTHER) for name, p in found.items() if p.target != host()]
    together(tally, [
        *LINT,
        PACKED_UP,
        *native,
        *cross,
        Job("compact loops", compact, HOST),
        Job("sizes", lambda t: script(t, "sizes", ["scripts/sizes.py", *more]), OTHER),
        Job("escapes", escapes, HOST),
        Job(devices, gpu),
        Job("program", cli, HOST),
        Job("fuzz", fuzz, HOST),
        Job("C ABI", lambda t: attempt(t, "C ABI", ["scripts/capi.sh"]), frozenset({"capi"})),
        Job("proofs", proofs),
        Job("panics", lambda t: script(t, "panics", ["scripts/panics.py", "cortex-m4f", *more])),
        Job("inlined", lambda t: script(t, "inlined", ["scripts/inlined.py", *more])),
        Job("contracts", lambda t: contracts(t, "".join(ran.get(name, "") for name in [*found, devices])), HOST, frozenset([*found, devices])),
        Job("large sizes", large),
        # Whole programs come last: a slow machine skips those that it does not reach.
        Job("front door", front_door, HOST, optional=True),
        Job("trace", trace, HOST, optional=True),
        Job("web page", page, OTHER, optional=True),
        # What its program depends on is built by the other.
        Job("llm", lambda t: script(t, "llm", ["scripts/llm.py", *more]), OTHER, frozenset({"front door"}), optional=True),
        Job("WASM demo", demo, OTHER, optional=True),
        Job("python", lambda t: script(t, "python", ["scripts/python.py", *more]), frozenset({"python"}), optional=True),
        Job("template server", templates("host"), HOST, optional=True),
        Job("templates", templates("others"), OTHER, optional=True),
    ], only)


def coverage(tally: Tally) -> None:
    try:
        env = {f"LLVM_{t.upper()}": need(f"llvm-{t}-22", "apt-get install llvm-22") for t in ("cov", "profdata")}
        need("cargo-llvm-cov", "cargo install --locked cargo-llvm-cov")
        env |= {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v3", "CARGO_TARGET_DIR": str(ROOT / "target/coverage")}
        command = ["cargo", "llvm-cov", "--workspace", "--all-features", "--ignore-filename-regex", "lanes/(neon|simd128)", "--fail-under-lines", str(COVERAGE)]
        attempt(tally, f"line coverage, at least {COVERAGE} %", command, env=env)
    except Missing as what:
        tally.skip(f"missing for the coverage: {what}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "lint", "test", "coverage"])
    parser.add_argument("jobs", nargs="*", help="these jobs alone")
    parser.add_argument("--strict", action="store_true", default=os.environ.get("FULMEN_STRICT") == "1")
    args = parser.parse_args()
    os.chdir(ROOT)
    tally = Tally()
    # One seed for every test of the run, so that the summary can name it.
    seed = os.environ.setdefault("FULMEN_SEED", str(random.getrandbits(32)))
    if args.command == "check":
        together(tally, CHECK, args.jobs)
    elif args.command == "lint":
        together(tally, LINT, args.jobs)
    elif args.command == "test":
        test(tally, args.strict, args.jobs)
        tally.notes.append(f"FULMEN_SEED={seed} draws the shapes and values of this run again")
    else:
        coverage(tally)
    return tally.finish(args.strict or args.command == "coverage")


if __name__ == "__main__":
    sys.exit(main())
