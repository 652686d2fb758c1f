#!/usr/bin/env bash
# ml_dtypes' formats of OCP's microscaling without NaN (float4_e2m1fn, float6_e2m3fn, float6_e3m2fn) convert NaN to
# minus zero and infinity to the largest number, without an error or a warning.
# Expected: a NaN that is lost in a block of weights would at least become the largest magnitude, as infinity does. A
# check for NaN after quantisation sees nothing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 ml_dtypes==0.6.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import ml_dtypes
import numpy as np

x = np.array([np.nan, np.inf, -np.inf], np.float32)
ok = True
for t, largest in ((ml_dtypes.float4_e2m1fn, 6.0), (ml_dtypes.float6_e2m3fn, 7.5), (ml_dtypes.float6_e3m2fn, 28.0)):
    y = x.astype(t).astype(np.float32)
    print(f"ml_dtypes {ml_dtypes.__version__}: {t.__name__}: nan, inf, -inf become {y[0]}, {y[1]}, {y[2]}")
    ok &= y[0] == 0 and bool(np.signbit(y[0])) and y[1] == largest and y[2] == -largest
sys.exit(not ok)
PYTHON
