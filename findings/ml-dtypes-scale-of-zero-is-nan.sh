#!/usr/bin/env bash
# Zero becomes NaN in ml_dtypes.float8_e8m0fnu, the type of scales of OCP's microscaling formats, and so does what is
# negative or too large; the format has no zero and no sign.
# The scale of a block of zeros, computed as max(abs(block)) / 6 and converted, is therefore NaN, and every product
# with the block is NaN. Numbers half-way between powers of two go to the even exponent: 3 becomes 4.
# Expected: the smallest scale, 2^-127, for 0.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 ml_dtypes==0.6.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import ml_dtypes
import numpy as np

y = np.array([0.0, 3.0, 0.75, -1.0, 3e38], np.float32).astype(ml_dtypes.float8_e8m0fnu).astype(np.float32)
print(f"ml_dtypes {ml_dtypes.__version__}: float8_e8m0fnu of 0, 3, 0.75, -1, 3e38: {y}")
sys.exit(not (np.isnan(y[[0, 3, 4]]).all() and y[1] == 4 and y[2] == 1))
PYTHON
