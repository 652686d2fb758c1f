#!/usr/bin/env bash
# pyarrow.compute's cumulative_min and cumulative_max leave NaN out, and where an array begins with NaN the result begins with infinity, a number that the array does not hold:
# NaN, 1, 0 give inf, 1, 0. cumulative_sum of the same array is NaN from its first place on; min of NaN alone is NaN.
# Expected: NaN at the first place, by either rule.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1
"$work/env/bin/python" - <<'PYTHON'
import math
import sys

import pyarrow
import pyarrow.compute as compute

x = pyarrow.array([math.nan, 1.0, 0.0])
low, high = compute.cumulative_min(x).to_pylist(), compute.cumulative_max(x).to_pylist()
alone = compute.min(pyarrow.array([math.nan])).as_py()
print(f"pyarrow {pyarrow.__version__}: cumulative minima of NaN, 1, 0: {low}, maxima {high}; the minimum of NaN {alone}")
sys.exit(not (low == [math.inf, 1, 0] and high == [-math.inf, 1, 1] and math.isnan(alone)))
PYTHON
