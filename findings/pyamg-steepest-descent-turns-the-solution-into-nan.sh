#!/usr/bin/env bash
# pyamg.krylov.steepest_descent gives NaN in every place where its start is the solution already: for b = 0, with the start 0 that it takes itself, and for a b that is A times the start.
# A multigrid solver with accel="steepest_descent" gives NaN for b = 0 too, as a time step without a source has. info is the limit of iterations.
# Expected: the start and info = 0, as cg, minimal_residual, cr and gmres of the same package give. The step is the square of the residual over its energy, 0 / 0 here.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pyamg==5.4.1 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import pyamg
from pyamg import krylov

a = pyamg.gallery.poisson((50,), format="csr")
zero, solution = np.zeros(50), np.arange(50.0)


def run(solve):
    """What a solver makes of b = 0, and of a start that is the solution: the result and info of each."""
    return [solve(a, zero), solve(a, a @ solution, x0=solution)]


with np.errstate(all="ignore"):
    steepest = run(krylov.steepest_descent)
    accelerated = pyamg.ruge_stuben_solver(a).solve(zero, accel="steepest_descent")
others = [run(solve) for solve in (krylov.cg, krylov.minimal_residual, krylov.cr, krylov.gmres)]
nan = [int(np.isnan(x).sum()) for x, _ in steepest] + [int(np.isnan(accelerated).sum())]
right = all(np.array_equal(first[0], zero) and np.array_equal(second[0], solution) and first[1] == second[1] == 0 for first, second in others)
print(f"pyamg {pyamg.__version__}: of 50 numbers {nan[0]} are NaN for b = 0, {nan[1]} from the solution as start, {nan[2]} with multigrid; info {steepest[0][1]}; the other solvers are right: {right}")
sys.exit(not (nan == [50, 50, 50] and right))
PYTHON
