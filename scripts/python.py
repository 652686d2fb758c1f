#!/usr/bin/env python3
"""Builds the Python module of python/ in a venv under target/ and runs its tests beside NumPy and SciPy.

Usage: python.py [--strict] [ARGUMENT of pytest …]

The module is hardly optimised: its compilation is most of the time. `bench.py` is for what `pip install ./python` builds.
"""

import os
import re
import sys
import venv

from toolchain import ROOT, TARGET, Failure, Tally, members

PACKAGES = ["maturin==1.16.0", "numpy==2.4.6", "scipy==1.17.1", "pytest==9.2.0"]
PACKAGE = ROOT / "python"


def main() -> int:
    tally = Tally()
    place = TARGET / "python/venv"
    python = place / "bin/python"
    if not python.exists():
        venv.create(place, with_pip=True)
    env = {"VIRTUAL_ENV": str(place), "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "CARGO_TARGET_DIR": str(TARGET / "python")}
    try:
        code, said = tally.run("packages", [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES])
        if code:
            tally.skip(f"missing for the Python module: {', '.join(PACKAGES)} ({said.strip().splitlines()[-1:]})")
            return tally.finish("--strict" in sys.argv)
        tally.step("Python module", ["maturin", "develop", "--manifest-path", PACKAGE / "Cargo.toml"], env=env | members([], bare=True))
        more = [a for a in sys.argv[1:] if a != "--strict"]
        said = tally.step("tests of the Python module", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", PACKAGE, *more], env=env)
        # The step is a check of its own.
        tally.passed += int(re.search(r"(\d+) passed", said)[1]) - 1
    except Failure as why:
        if str(why) not in tally.failures:
            tally.wrong(str(why))
    return tally.finish("--strict" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
