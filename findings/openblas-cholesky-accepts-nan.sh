#!/usr/bin/env bash
# A NaN off the diagonal does not stop OpenBLAS's dpotrf, which comes with NumPy's and SciPy's wheels: info = 0, and
# numpy.linalg.cholesky returns NaN without an error.
# Netlib's dpotrf2 tests each pivot with DISNAN and returns its place. Expected: info = 2 and LinAlgError ("Matrix is
# not positive definite").
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import scipy
from scipy.linalg.lapack import dpotrf

a = np.eye(3)
a[0, 1] = a[1, 0] = np.nan
info = dpotrf(a, lower=1)[1]
factor = np.linalg.cholesky(a)
print(f"numpy {np.__version__}, scipy {scipy.__version__}: info = {info}, NaN in the factor that numpy returns: {np.isnan(factor).sum()}")
sys.exit(not (info == 0 and np.isnan(factor).any()))
PYTHON
