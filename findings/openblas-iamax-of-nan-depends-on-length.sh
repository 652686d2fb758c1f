#!/usr/bin/env bash
# Where a vector holds NaN, OpenBLAS's isamax and idamax take it for the largest or not by its place and by the length: with kernels for
# Haswell isamax of 1..8 whose fifth number is NaN gives the fifth, of 1..33 with NaN at place 5 or 17 the 33rd, and with NaN in the last place the 32nd.
# Expected: one rule, either the first NaN (as MKL 2026.2 answered in the same cases) or the largest of the numbers. Look for NaN before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
OPENBLAS_CORETYPE=Haswell "$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import scipy
from scipy.linalg.blas import isamax


def with_nan(length: int, place: int) -> int:
    x = np.arange(1, length + 1, dtype=np.float32)
    x[place] = np.nan
    return int(isamax(x))


seen = [with_nan(8, 4), with_nan(33, 4), with_nan(33, 16), with_nan(33, 32)]
print(f"scipy {scipy.__version__}: places of the largest of 8 numbers with NaN at 4, of 33 with NaN at 4, 16, 32, from 0: {seen}")
sys.exit(seen != [4, 32, 32, 31])
PYTHON
