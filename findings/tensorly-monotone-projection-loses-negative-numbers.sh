#!/usr/bin/env bash
# monotonicity_prox of tensorly changes a column that is monotone already if it holds negative numbers: [-3, -2, -1] becomes [-1, -1, -1] and [-5, 1, 2] becomes [0, 1, 2]. With decreasing=True [-1, -2, -3] becomes [-1, -1, -1] too. A result below 0 becomes 0, or the last number (with decreasing=True the first) where that is negative.
# The maximum that the method takes over running means runs over a table that is filled up with zeros. Columns without negative numbers are right.
# Expected: the nearest monotone column, as the documentation says and scipy.optimize.isotonic_regression gives: what is monotone stays. Subtract the least number of a column before and add it after.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 tensorly==0.10.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from scipy.optimize import isotonic_regression
from tensorly.tenalg.proximal import monotonicity_prox

got = {}
for column in ([-3.0, -2.0, -1.0], [-5.0, 1.0, 2.0], [-4.0, -6.0, 3.0], [1.0, 3.0, 2.0]):
    projected = monotonicity_prox(np.array(column)[:, None])[:, 0].tolist()
    shifted = (monotonicity_prox(np.array(column)[:, None] - min(column)) + min(column))[:, 0].tolist()
    got[tuple(column)] = [projected, shifted, isotonic_regression(column).x.tolist()]
decreasing = monotonicity_prox(np.array([[-1.0], [-2.0], [-3.0]]), decreasing=True)[:, 0].tolist()
print(f"tensorly {version('tensorly')}: [monotonicity_prox, the same of the shifted column, isotonic regression] by column: {got}; of [-1, -2, -3] with decreasing: {decreasing}")
results = [v[0] for v in got.values()]
bad = results == [[-1, -1, -1], [0, 1, 2], [0, 0, 3], [1, 2.5, 2.5]] and decreasing == [-1, -1, -1]
sys.exit(not (bad and all(np.allclose(v[1], v[2]) for v in got.values())))
PYTHON
