#!/usr/bin/env bash
# For [[nan, 1], [1, 1]] OpenBLAS's dgetrf returns info = 2, "exactly singular", and numpy.linalg.solve raises
# "Singular matrix": the NaN pivot is taken for a number that nothing is divided by, so that the second pivot is 1 - 1
# = 0.
# Netlib's elimination divides by the pivot and spreads the NaN: info = 0 and a result of NaN. A NaN in another place
# ([[1.5, nan], [0.5, 1.5]]) does give NaN without an error here.
# Expected: NaN in both. Do not take "singular" for a statement about a matrix that was not checked for NaN.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import scipy
from scipy.linalg.lapack import dgetrf

lu, _, info = dgetrf(np.array([[np.nan, 1.0], [1.0, 1.0]]))
try:
    said = str(np.linalg.solve(np.array([[np.nan, 1.0], [1.0, 1.0]]), np.ones(2)))
except np.linalg.LinAlgError as error:
    said = str(error)
other = np.linalg.solve(np.array([[1.5, np.nan], [0.5, 1.5]]), np.ones(2))
print(f"numpy {np.__version__}, scipy {scipy.__version__}: info = {info}, last pivot {lu[1, 1]}, solve: {said}; NaN elsewhere: {other}")
sys.exit(not (info == 2 and lu[1, 1] == 0 and said == "Singular matrix" and np.isnan(other).all()))
PYTHON
