#!/usr/bin/env bash
# SimSIMD's kullbackleibler of [0.5, 0.5] and [0.9, 0.1] is 8.38 in float32 and float64, where 0.5108 is right; of [0.999, 0.001] and the reverse it is 3.3e8, where 6.893 is right.
# The larger the ratios, the further it is off. The kernel of float16 is right to three digits, so the narrower type is the better one; jensenshannon is off by 7 to 10 percent.
# Expected: the divergence to about the precision of the type. Compute the logarithms with NumPy.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 simsimd==6.5.16
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import simsimd

p, q = np.array([0.5, 0.5]), np.array([0.9, 0.1])
true = float((p * np.log(p / q)).sum())
wide, single, half = (float(simsimd.kullbackleibler(p.astype(t), q.astype(t))) for t in (np.float64, np.float32, np.float16))
print(f"SimSIMD {version('simsimd')}: float64 {wide:.4f}, float32 {single:.4f}, float16 {half:.4f}; by the definition {true:.4f}")
sys.exit(not (abs(wide - 8.3804) < 1e-3 and abs(single - 8.3804) < 1e-3 and abs(half - true) < 1e-3))
PYTHON
