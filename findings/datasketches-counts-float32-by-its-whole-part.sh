#!/usr/bin/env bash
# The sketches of the package datasketches that count distinct numbers (HLL, theta, CPC) take a NumPy number of 32 or 16 bits for its whole part: 1000 different numpy.float32 from 1 to
# 10 count as 10, and 90 between 0 and 1 as 1. The same numbers as Python's or NumPy's float64 count as 1000 and 90, to the accuracy of the sketch.
# Expected: 1000, or an error. A numpy.float32 is no Python float, so that the overload for integers is taken. Convert with float() before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check datasketches==5.2.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import datasketches
import numpy as np


def counts(numbers):
    sketches = [datasketches.hll_sketch(12), datasketches.update_theta_sketch(), datasketches.cpc_sketch()]
    for sketch in sketches:
        for number in numbers:
            sketch.update(number)
    return [round(sketch.get_estimate()) for sketch in sketches]


numbers = np.linspace(1, 10, 1000, dtype=np.float32)
distinct, single, double = len(set(numbers.tolist())), counts(numbers), counts(numbers.astype(np.float64))
print(f"datasketches {version('datasketches')}: {distinct} numbers count as {single} in float32 and as {double} in float64 (HLL, theta, CPC)")
sys.exit(not (distinct == 1000 and single == [10, 10, 10] and all(abs(n - 1000) < 50 for n in double)))
PYTHON
