#!/usr/bin/env python3
"""Builds the wheel of python/, installs it under target/, and runs its tests, which compare with NumPy and SciPy.

Usage: python.py [--strict] [ARGUMENT of pytest …]

The profile of tests hardly optimises the module, as most of the time is compilation. `bench.py` is for the module that `pip install ./python` builds.
"""

import os
import re
import sys

from toolchain import ROOT, TARGET, Failure, Tally, members

PACKAGES = ["maturin==1.16.0", "numpy==2.4.6", "scipy==1.17.1", "pytest==9.2.0"]
SOURCE = ROOT / "python"


def main() -> int:
    tally = Tally()
    more = [a for a in sys.argv[1:] if a != "--strict"]
    work = TARGET / "python"
    packages, wheels = work / "packages", work / "wheels"
    packages.mkdir(parents=True, exist_ok=True)
    stamp = packages / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target", packages]
    env = {"CARGO_TARGET_DIR": str(work), "PYTHONPATH": str(packages), "PATH": f"{packages / 'bin'}:{os.environ['PATH']}"}
    try:
        if not stamp.exists() or stamp.read_text() != str(PACKAGES):
            code, said = tally.run("packages", [*pip, *PACKAGES])
            if code:
                tally.skip(f"missing for the Python module: {', '.join(PACKAGES)} ({' '.join(said.split())[-200:]})")
                return tally.finish("--strict" in sys.argv)
            stamp.write_text(str(PACKAGES))
        for old in wheels.glob("*.whl"):
            old.unlink()
        build = ["maturin", "build", "--manifest-path", SOURCE / "Cargo.toml", "--out", wheels, "--compatibility", "linux", "--interpreter", sys.executable]
        tally.step("wheel", build, env=env | members([], bare=True))
        found = [*wheels.glob("*.whl")]
        if [re.search(r"-cp39-abi3-", wheel.name) is not None for wheel in found] != [True]:
            tally.fail(f"expected one wheel for CPython 3.9 and later, found: {found}")
        tally.step("its installation", [*pip, "--no-deps", *found])
        said = tally.step("tests of the Python module", [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", SOURCE, *more], env=env)
        # Each test counts as a check; the step has already counted one.
        tally.passed += int(re.search(r"(\d+) passed", said)[1]) - 1
    except Failure as why:
        if str(why) not in tally.failures:
            tally.wrong(str(why))
    return tally.finish("--strict" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
