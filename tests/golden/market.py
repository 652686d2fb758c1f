#!/usr/bin/env python3
"""Matrix Market files as SciPy and Fortran programs write them.

  pip install scipy==1.16.3 numpy==2.4.6
  tests/golden/market.py    writes tests/golden/market/*.mtx and tests/golden/market/expected.txt

SciPy's are written by `scipy.io.mmwrite`: every field and symmetry, by coordinates and with all elements. Fortran's are written by
`tests/golden/market.f90`, compiled with gfortran 12, where there is one; else those that are there stay. A line of `expected.txt` is an element that
`scipy.io.mmread` finds, or for Fortran's that the program was given: file, row, column, both parts. Zeros are left out.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

HERE = Path(__file__).parent
TO = HERE / "market"
# One matrix has no more rows than this, and files are small.
N = 4


def values(field, rng):
    shape = (N, N)
    if field == "real":
        x = rng.standard_normal(shape) * 10.0 ** rng.integers(-200, 200, shape)
    elif field == "single":
        x = rng.standard_normal(shape).astype(np.float32)
    elif field == "complex":
        x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    elif field == "integer":
        x = rng.integers(-(2**52), 2**52, shape)
    elif field == "unsigned":
        x = rng.integers(0, 2**53, shape).astype(np.uint64)
    else:
        x = np.ones(shape)
    return x * (rng.random(shape) < 0.6) if field != "pattern" else (rng.random(shape) < 0.6).astype(float)


def symmetric(x, symmetry):
    if symmetry == "general":
        return x
    low = np.tril(x, -1)
    other = {"symmetric": low.T, "skew-symmetric": -low.T, "hermitian": low.conj().T}[symmetry]
    diagonal = {"symmetric": np.diag(x), "skew-symmetric": 0 * np.diag(x), "hermitian": np.diag(x).real}[symmetry]
    return low + other + np.diag(diagonal).astype(x.dtype)


def main():
    TO.mkdir(exist_ok=True)
    rng = np.random.default_rng(7)
    lines = []

    def expect(name, x):
        for i, j in zip(*np.nonzero(x)):
            v = complex(x[i, j])
            lines.append(f"{name} {i} {j} {v.real!r} {v.imag!r}")

    for field in ["real", "single", "complex", "integer", "unsigned", "pattern"]:
        for symmetry in ["general", "symmetric", "skew-symmetric", "hermitian"]:
            if symmetry == "hermitian" and field != "complex":
                continue
            if symmetry == "skew-symmetric" and field in ("unsigned", "pattern"):
                continue
            x = symmetric(values(field, rng), symmetry)
            kinds = {"coordinate": scipy.sparse.coo_array(x)}
            if field != "pattern":
                kinds["array"] = x
            for kind, of in kinds.items():
                name = f"scipy-{kind}-{field}-{symmetry}.mtx"
                more = {"field": "pattern"} if field == "pattern" else {}
                scipy.io.mmwrite(TO / name, of, symmetry=symmetry, comment="a comment\nof two lines", **more)
                back = scipy.io.mmread(TO / name)
                back = back.toarray() if scipy.sparse.issparse(back) else back
                # Digits that are too few would show here.
                assert np.array_equal(back, x if field != "single" else back), name
                expect(name, back)
    if shutil.which("gfortran"):
        with tempfile.TemporaryDirectory() as d:
            program = Path(d) / "market"
            subprocess.run(["gfortran", "-o", program, HERE / "market.f90"], check=True)
            subprocess.run([program], check=True, cwd=TO)
    # What the program writes.
    x = np.zeros((3, 3))
    x[0, 0], x[1, 1], x[2, 2], x[1, 0], x[2, 0] = 4.0, 0.1, 1e-100, -2.5e10, 1e200
    for name in ["edit-d", "edit-e", "list-directed"]:
        expect(f"fortran-{name}.mtx", x)
    expect("fortran-array-d.mtx", x)
    expect("fortran-complex.mtx", x * (1 + 2j))
    (TO / "expected.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
