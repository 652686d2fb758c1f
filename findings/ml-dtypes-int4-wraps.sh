#!/usr/bin/env bash
# Numbers beyond the range of ml_dtypes.int4 and uint4 wrap modulo 16 where the same package's float8_e4m3fn gives NaN
# and its float4_e2m1fn saturates: three rules in one package. 300 becomes -4 and -300 becomes 4 in int4.
# Expected: saturation to 7 and -8, as quantisation wants it, or an error. Clip before the conversion.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 ml_dtypes==0.6.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import ml_dtypes
import numpy as np

x = np.array([300, -300, 8, 7.9, -8.7], np.float32)
signed, unsigned = x.astype(ml_dtypes.int4).astype(int).tolist(), x.astype(ml_dtypes.uint4).astype(int).tolist()
eight, four = float(x.astype(ml_dtypes.float8_e4m3fn)[0]) , float(np.float32(1e4).astype(ml_dtypes.float8_e4m3fn))
print(f"ml_dtypes {ml_dtypes.__version__}: 300, -300, 8, 7.9, -8.7 in int4: {signed}, in uint4: {unsigned}; 1e4 in float8_e4m3fn: {four}")
sys.exit(not (signed == [-4, 4, -8, 7, -8] and unsigned[0] == 12 and np.isnan(four)))
PYTHON
