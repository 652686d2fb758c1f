#!/usr/bin/env bash
# tensorstore.downsample treats NaN in three ways: mean passes it on, min and max skip it, and median gives 2, 1 or NaN for the numbers 1, 2 and NaN, after their order.
# Medians are selected with <, which orders no NaN. A median pyramid of an image with missing pixels is not even the same after the image is mirrored.
# Expected: one answer for one set of numbers: NaN, as numpy.median and the mean of the same library give, or 1.5 as numpy.nanmedian.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tensorstore==0.1.86
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from itertools import permutations

import numpy as np
import tensorstore


def down(method, values):
    return float(tensorstore.downsample(tensorstore.array(np.array(values, np.float32)), [len(values)], method).read().result()[0])


orders = list(permutations([1, 2, float("nan")]))
got = {method: sorted({str(down(method, order)) for order in orders}) for method in ("mean", "min", "max", "median")}
print(f"tensorstore {version('tensorstore')}: 1, 2 and NaN in all orders: {got}")
sys.exit(got != {"mean": ["nan"], "min": ["1.0"], "max": ["2.0"], "median": ["1.0", "2.0", "nan"]})
PYTHON
