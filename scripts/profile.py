#!/usr/bin/env python3
"""Builds and tests the deployments that `features/*.toml` describe, exactly as they are described.

  scripts/profile.py list                 the profiles
  scripts/profile.py test [NAME …]        build and test these, or all
  scripts/profile.py check                the profiles, Cargo.toml and the table of features/README.md agree
  scripts/profile.py table                print that table; `--write` puts it there

`--strict` makes it a failure when this machine lacks a tool (a CPU that lacks an instruction set
stays a skip, printed with its reason). An unknown key, a lane that did not run, a test run without
tests and an exceeded budget are failures always.
"""

import argparse
import os
import re
import sys
import tomllib
from dataclasses import dataclass, field

from toolchain import COMPARED, ERRORS, ROOT, Failure, Missing, Tally, Toolchain, cpu_flags, host, members, need, show_table, target_features

# Tools by the command that a runner or linker names, and how to get each.
HOW = {
    "aarch64-linux-gnu-gcc": "apt-get install gcc-aarch64-linux-gnu",
    "i686-linux-gnu-gcc": "apt-get install gcc-i686-linux-gnu",
    "qemu-aarch64": "apt-get install qemu-user",
    "qemu-system-aarch64": "apt-get install qemu-system-arm",
    "qemu-system-arm": "apt-get install qemu-system-arm",
    "wasm-bindgen-test-runner": "cargo install wasm-bindgen-cli --no-default-features, the version of wasm-bindgen in Cargo.lock",
    "node": "apt-get install nodejs",
}


# The one lane that is detected by what no profile's flags have, and its instructions.
AVX512_LANE, AVX512 = "avx512x16", frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl"})

# Where an image says what is added to the values that it expects; see firmware/selftest.rs.
PLANTED = b"wanted values + 0"


@dataclass
class Test:
    """How a profile's tests run."""

    # Lanes, by `Simd::NAME`, that the tests must report as run, where the CPU has their instructions.
    lanes: list[str]
    # Features of Cargo on top of the deployment's, for lanes that are detected.
    features: list[str] = field(default_factory=list)
    # Modules of the test programs that run; empty means all of them.
    only: list[str] = field(default_factory=list)
    # The packages whose tests run.
    packages: list[str] = field(default_factory=lambda: ["fulmen-tests", "fulmen"])
    # Of these the library is optimised for the tests of the others, which wait for it; its own tests are built as any.
    optimised: list[str] = field(default_factory=list)
    # Of the others those with tests in their library.
    libraries: list[str] = field(default_factory=list)
    # Whether what is not optimised is built without LLVM's passes, see `members`.
    bare: bool = False
    # Whether the standard library then checks what unsafe code guarantees.
    checked: bool = False
    # Test programs that are built, `lib` for a library's own; empty means all.
    programs: list[str] = field(default_factory=list)
    # Whether the documentation's examples are of it too.
    examples: bool = False
    # Parts of test names that do not run here.
    skip: list[str] = field(default_factory=list)
    # Flags of rustc on top of the deployment's.
    rustflags: list[str] = field(default_factory=list)
    # The command that runs a test program.
    runner: list[str] = field(default_factory=list)
    # Environment of the tests.
    env: dict[str, str] = field(default_factory=dict)


@dataclass
class Image:
    """A package that boots: its `selftest` must succeed, and must fail when wrong values are expected."""

    package: str


@dataclass
class Size:
    """Budgets in bytes for one op on top of an empty image; see `scripts/sizes.py`."""

    # The package that measures.
    package: str
    # Heads the columns of the size table.
    title: str
    # Per column of the size table: the limit for any op that `ops` does not name.
    limit: dict[str, int]
    # Per op: its own limits.
    ops: dict[str, dict[str, int]] = field(default_factory=dict)
    # Per example of the package: the limit for its whole module.
    modules: dict[str, int] = field(default_factory=dict)


@dataclass
class Profile:
    """One deployment. Every key of the file is a field here, and any other key is an error."""

    name: str
    about: str
    target: str
    # Cargo features of the deployment.
    features: list[str]
    # `fulmen::NATIVE`, exactly.
    native: str
    rustflags: list[str] = field(default_factory=list)
    linker: str = ""
    test: Test | None = None
    image: Image | None = None
    size: Size | None = None


def parse(kind: type, values: dict, where: str):
    """A dataclass from a table; unknown, missing and mistyped keys are errors."""
    fields = kind.__dataclass_fields__
    types = {"str": str, "list[str]": list, "dict[str, str]": dict, "dict[str, int]": dict, "bool": bool, "dict[str, dict[str, int]]": dict}
    for key, value in values.items():
        if key not in fields:
            raise Failure(f"{where}: unknown key `{key}`")
        want = types.get(getattr(fields[key].type, "__name__", str(fields[key].type)), None) or types.get(str(fields[key].type))
        if want and not isinstance(value, want):
            raise Failure(f"{where}: `{key}` is {value!r}")
    try:
        return kind(**values)
    except TypeError as error:
        raise Failure(f"{where}: {error}") from None


def load(path) -> Profile:
    where = str(path.relative_to(ROOT))
    try:
        values = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"{where}: {error}") from None
    for key, kind in (("test", Test), ("image", Image), ("size", Size)):
        if key in values:
            values[key] = parse(kind, values[key], f"{where} [{key}]")
    profile = parse(Profile, {"name": path.stem, **values}, where)
    if not (profile.test or profile.image):
        raise Failure(f"{where}: neither [test] nor [image]: nothing would check it")
    return profile


def profiles() -> dict[str, Profile]:
    found = {p.stem: load(p) for p in sorted((ROOT / "features").glob("*.toml"))}
    if not found:
        raise Failure("features/ holds no profile")
    return found


def environment(p: Profile, tool: Toolchain) -> dict[str, str]:
    """What cargo needs in its environment to build this profile."""
    upper = p.target.upper().replace("-", "_")
    env = dict(tool.env)
    # Images take their flags from their own .cargo/config.toml, which a variable would hide.
    if not p.image:
        env["RUSTFLAGS"] = " ".join(p.rustflags)
        env["RUSTDOCFLAGS"] = " ".join(p.rustflags)
    elif p.rustflags:
        raise Failure(f"{p.name}: the flags of an image stand in {p.image.package}/.cargo/config.toml")
    env["FULMEN_NATIVE"] = p.native
    if p.linker:
        env[f"CARGO_TARGET_{upper}_LINKER"] = need(p.linker, HOW[p.linker])
    if p.test and p.test.runner:
        need(p.test.runner[0], HOW[p.test.runner[0]])
        env[f"CARGO_TARGET_{upper}_RUNNER"] = " ".join(p.test.runner)
    return env


def lacking(p: Profile) -> list[str]:
    """Instruction sets that the profile takes for granted and this CPU has not."""
    if p.target != host():
        return []
    return sorted(target_features(tuple(p.rustflags)) - cpu_flags())


def required(p: Profile, tally: Tally) -> str:
    """The lanes that must run: those that are detected, if they are there."""
    without = without_lane(p)
    if without:
        tally.skip(f"{p.name}: the tests were not built for {AVX512_LANE} and did not run on it: this CPU lacks {', '.join(without)}")
    return ",".join(lane for lane in p.test.lanes if lane != AVX512_LANE or not without)


def without_lane(p: Profile) -> list[str]:
    """What this CPU lacks of the lane that tests detect. The lane is compiled by server-avx512 and by lints."""
    detected = p.target == host() and AVX512_LANE in p.test.lanes and not lacking(p)
    return sorted(AVX512 - cpu_flags()) if detected else []


def test(p: Profile, tally: Tally) -> None:
    tool = Toolchain.find(p.target)
    env = environment(p, tool)
    features = ["--no-default-features", "--features", ",".join(p.features)]
    # Tests build the library themselves, and so does `boot`.
    if p.size and not p.image:
        # The library inside the package that scripts/sizes.py measures, which takes what was built here.
        build = tool.cargo("build", "--release", "--lib")
        tally.step(f"{p.name}: build", build, env=env | {"FULMEN_OP": "empty"}, cwd=ROOT / p.size.package)
    if p.test:
        more = ["--features", ",".join(p.test.features)] if p.test.features else []
        run_tests(p, tool, env, [*features, *more], tally)
    if p.image:
        boot(p, tool, env, tally)


def run_tests(p: Profile, tool: Toolchain, env: dict[str, str], features: list[str], tally: Tally) -> None:
    flags = [*p.rustflags, *p.test.rustflags, *(["--cfg=fulmen_lacks_avx512"] if without_lane(p) else [])]
    # What the tests count here is held against floors where the contracts are.
    counts = COMPARED / p.name
    COMPARED.mkdir(parents=True, exist_ok=True)
    counts.unlink(missing_ok=True)
    ERRORS.mkdir(parents=True, exist_ok=True)
    errors = ERRORS / p.name
    errors.unlink(missing_ok=True)
    # What is built from source beside the workspace is shared: on the host whatever the flags, elsewhere but for a `--cfg`.
    ours = [f for f in flags if p.target == host() or f.startswith("--cfg")]
    env = env | p.test.env | members(ours, p.test.bare, p.test.checked) | {
        "RUSTFLAGS": " ".join(f for f in flags if f not in ours),
        "FULMEN_REQUIRE_LANES": required(p, tally),
        "FULMEN_COMPARED": str(counts),
        "FULMEN_ERRORS": str(errors),
        # A runner of one thread gives none the name of its test, which is what counts are told apart by.
        "RUST_TEST_THREADS": str(max(2, os.cpu_count() or 2)),
    }
    kinds = [word for name in p.test.programs for word in (["--lib"] if name == "lib" else ["--test", name])] or ["--tests"]
    optimise = [word for name in p.test.optimised for word in ("--config", f"profile.dev.package.{name}.opt-level=1")]
    # Packages choose features of what they depend on, which is built again for others: what can is run with all of them named.
    named = lambda names: [word for name in names for word in ("-p", name)]
    own, rest = ([name for name in p.test.packages if (name in p.test.optimised) == is_own] for is_own in (True, False))
    runs = [(rest, [*optimise, *named(rest), *kinds, *features])] if rest else []
    if own:
        # Another package with a library would have it tested twice, and that which is not optimised built for it.
        beside = [name for name in rest if name not in p.test.libraries]
        runs.insert(0, (own, [*named([*own, *beside]), "--lib", *features]))
    without = lacking(p)
    if without:
        # Lints check the tests, which are those of any lanes; the library has code for these alone, and constants of generic functions.
        tally.step(f"{p.name}: build the library", tool.cargo("build", "-p", "fulmen", *features), env=env)
        tally.skip(f"{p.name}: its tests were not run: this CPU lacks {', '.join(without)}")
        return
    # What passing tests print, the backend story say, comes after the results, never between them.
    options = [] if p.target.startswith("wasm") else ["--show-output"]
    options += [word for name in p.test.skip for word in ("--skip", name)] + p.test.only
    text = ""
    for names, args in runs:
        command = tool.cargo("test", "--no-fail-fast", *args, *(["--", *options] if options else []))
        text += tally.step(f"{p.name}: test {' '.join(names)}", command, env=env, tests=True)
    if not re.search(r"^test .*\bnative_is_what_the_profile_states\b.* ok$", text, re.M):
        tally.fail(f"{p.name}: no test confirmed that NATIVE is {p.native}")
    tally.check(f"{p.name}: NATIVE is {p.native}")
    if p.test.examples:
        # A command of its own: with an option for the runner each example would be compiled and linked alone, in four times the time.
        tally.step(f"{p.name}: examples in the documentation", tool.cargo("test", *optimise, *named(p.test.packages), *features, "--doc"), env=env, tests=True)


def boot(p: Profile, tool: Toolchain, env: dict[str, str], tally: Tally) -> None:
    cwd = ROOT / p.image.package
    for word in re.findall(r"qemu-\S+", (cwd / ".cargo/config.toml").read_text()):
        need(word, HOW[word])
    run = tool.cargo("run", "--release", "--bin", "selftest")
    text = tally.step(f"{p.name}: boot and compute", run, env=env, cwd=cwd)
    if f"native = {p.native}\n" not in text:
        tally.fail(f"{p.name}: the image did not report NATIVE {p.native}")
    # The same image, in which a byte says that.
    config = tomllib.loads((cwd / ".cargo/config.toml").read_text())
    image, planted = tool.out() / "selftest", tool.out() / "selftest-planted"
    before, found, after = image.read_bytes().partition(PLANTED)
    if not found or PLANTED in after:
        tally.fail(f"{p.name}: the image has no place, or two, for what it is to expect")
    planted.write_bytes(before + PLANTED[:-1] + b"1" + after)
    runner = config["target"][p.target]["runner"].split()
    code, text = tally.run(f"{p.name}: boot with wrong expectations", [*runner, planted], env=env, cwd=cwd)
    if code != 1 or "WRONG" not in text:
        tally.fail(f"{p.name}: exit status {code} although wrong values were expected")
    tally.check(f"{p.name}: wrong expectations make the image fail")


def table(found: dict[str, Profile]) -> str:
    rows = [
        "| profile | for | target | Cargo features | `RUSTFLAGS` | `fulmen::NATIVE` |",
        "|---|---|---|---|---|---|",
    ]
    for p in found.values():
        code = lambda words, sep: f"`{sep.join(words)}`" if words else "none"
        rows.append(f"| [{p.name}]({p.name}.toml) | {p.about} | `{p.target}` | {code(p.features, ',')} | {code(p.rustflags, ' ')} | `{p.native}` |")
    return "\n".join(rows) + "\n"


def check(found: dict[str, Profile], tally: Tally, write: bool = False) -> None:
    """Profiles, Cargo.toml and the page agree."""
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    known = set(cargo["features"]) - {"default"}
    used = {f for p in found.values() for f in (*p.features, *(p.test.features if p.test else []))}
    if extra := used - known:
        tally.fail(f"profiles name features that Cargo.toml has not: {sorted(extra)}")
    implied = {i for f in used for i in cargo["features"][f] if i in known}
    # The program, and the C ABI, which scripts/capi.sh builds.
    # wgpu: the gate's package `tests/gpu` builds and runs it.
    # trace: the gate's job `trace` builds and tests it.
    tools = {"cli", "capi", "trace", "wgpu"}
    if unused := known - used - implied - tools:
        tally.fail(f"no profile builds these features of Cargo.toml: {sorted(unused)}")
    for p in found.values():
        for package in [x.package for x in (p.image, p.size) if x]:
            manifest = tomllib.loads((ROOT / package / "Cargo.toml").read_text())
            if sorted(manifest["dependencies"]["fulmen"].get("features", [])) != sorted(p.features):
                tally.fail(f"{package}/Cargo.toml takes other features of fulmen than {p.name}")
    tally.check("profiles and Cargo.toml agree on the features")
    show_table("profiles", table(found), tally, write, "features/README.md")


def test_all(found: dict[str, Profile], names: list[str], tally: Tally) -> None:
    for name in names or found:
        if name not in found:
            tally.fail(f"no profile `{name}`; there are {', '.join(found)}")
        try:
            test(found[name], tally)
        except Missing as what:
            tally.skip(f"missing for {name}: {what}")
        except Failure:
            pass  # counted already; the other profiles still run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["list", "test", "check", "table"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--strict", action="store_true", default=os.environ.get("FULMEN_STRICT") == "1")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    tally = Tally()
    try:
        found = profiles()
        if args.command == "list":
            for p in found.values():
                print(f"{p.name:20} {p.target:28} {p.about}")
            return 0
        if args.command == "table" and not args.write:
            print(table(found), end="")
            return 0
        if args.command == "test":
            test_all(found, args.names, tally)
        else:
            check(found, tally, args.write)
    except Failure as why:
        if not tally.failures:
            tally.failures.append(str(why))
            tally.failed += 1
    return tally.finish(args.strict)


if __name__ == "__main__":
    sys.exit(main())
