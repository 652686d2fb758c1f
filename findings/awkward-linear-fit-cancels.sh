#!/usr/bin/env bash
# awkward's linear_fit takes sums of squares and products of the numbers as they stand: a line of slope 1 through the places 1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3 has the slope 0.625, and through
# 1e9 and the three after it an infinite one. Times in seconds since 1970 are as large. corr and covar of the same numbers are right.
# Expected: 1 (numpy.polyfit: 1.000000). Subtract the mean of the places before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check awkward==2.14.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import math
import sys

import awkward
import numpy as np

y = np.array([1.0, 2, 3, 4])
with np.errstate(all="ignore"):
    slopes = [float(awkward.linear_fit(start + y, y).slope) for start in (1e6, 1e8, 1e9)]
beside = float(awkward.corr(1e9 + y, y)), float(np.polyfit(1e9 + y, y, 1)[0])
print(f"awkward {awkward.__version__}: lines of slope 1 that begin at 1e6, 1e8 and 1e9 have the slopes {slopes}; correlation at 1e9 {beside[0]}, slope by NumPy {beside[1]:.6f}")
sys.exit(not (abs(slopes[0] - 1) < 0.01 and abs(slopes[1] - 1) > 0.1 and not math.isfinite(slopes[2]) and abs(beside[0] - 1) < 1e-9 and abs(beside[1] - 1) < 1e-4))
PYTHON
