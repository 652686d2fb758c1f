#!/usr/bin/env bash
# python-graphblas takes the sum in the type of the elements before it divides: the mean of the int8 numbers 100, 100, 100 is 14.67 (300 wraps to 44), of 2^30 three times in int32 it is -357913941.
# The standard deviation of the three equal numbers is 98.9 and their geometric mean 4. Their Euclidean norm is right: its squares are added as floats.
# Expected: 100, 0 and 100 (numpy.mean: 100.0, which adds integers as float64). Convert to FP64 before an aggregation.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check python-graphblas==2025.2.0 suitesparse-graphblas==9.4.5.0 numba==0.68.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import graphblas
import numpy as np

equal = np.full(3, 100, np.int8)


def seen(numbers):
    vector = graphblas.Vector.from_coo(range(len(numbers)), numbers)
    return [vector.reduce(kind).new().value for kind in (graphblas.agg.mean, graphblas.agg.stdp, graphblas.agg.geometric_mean, graphblas.agg.L2norm)]


small, real, large = seen(equal), seen(equal.astype(float)), seen(np.full(3, 2**30, np.int32))[0]
print(f"python-graphblas {version('python-graphblas')}: mean, deviation, geometric mean and norm of 100, 100, 100 are {np.round(small, 2)} in int8 and {np.round(real, 2)} in float64; mean of 2^30 in int32 {large:.1f}, by NumPy {np.full(3, 2**30, np.int32).mean()}")
print(f"NumPy's mean and deviation of the int8 numbers: {equal.mean()}, {equal.std()}")
wrapped = abs(small[0] - 44 / 3) < 1e-9 and abs(small[1] - 98.92) < 0.01 and abs(small[2] - 4) < 1e-9 and abs(small[3] - 173.205) < 0.001
sys.exit(not (wrapped and np.allclose(real[:3], [100, 0, 100]) and abs(large + 2**30 / 3) < 1e-3))
PYTHON
