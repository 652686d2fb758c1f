#!/usr/bin/env bash
# awkward's softmax takes the exponential of its numbers as they are: of [1000, 1000] it is NaN, NaN, of [-1000, -1000] too (0 / 0), and of [89, 88] in float32 it is NaN, 0.
# Expected: 0.5, 0.5 and 0.731, 0.269, as scipy.special.softmax gives, which subtracts the maximum first. Subtract the maximum of each row yourself.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check awkward==2.14.0 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import awkward
import numpy as np
from scipy.special import softmax

rows = [np.array([[1000.0, 1000.0]]), np.array([[-1000.0, -1000.0]]), np.array([[89, 88]], np.float32)]
with np.errstate(all="ignore"):
    seen = [awkward.softmax(awkward.Array(row), axis=-1)[0].tolist() for row in rows]
right = [softmax(row)[0].round(3).tolist() for row in rows]
print(f"awkward {awkward.__version__}: softmax of [1000, 1000], [-1000, -1000] and [89, 88] in float32 is {seen}, by SciPy {right}")
sys.exit(not (np.isnan(seen[:2]).all() and np.isnan(seen[2][0]) and seen[2][1] == 0 and right[:2] == [[0.5, 0.5]] * 2))
PYTHON
