#!/usr/bin/env bash
# On CPUs mlx's exp of float32 is infinite from 88.001 on, where e^88.001 is 1.65e38 and the largest number of the type 3.4e38, which e^88.72 reaches; between 80 and that it is off by up to 64 units in the last place.
# Expected: finite up to 88.722839 (NumPy, C). Softmax is not touched, as it subtracts the largest; log-likelihoods that are exponentiated are.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check "mlx[cpu]==0.32.4" numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import mlx.core as mx

mx.set_default_device(mx.cpu)

import numpy as np

x = np.linspace(80, 88.72, 100_001, dtype=np.float32)
y, true = np.array(mx.exp(mx.array(x))), np.exp(x.astype(np.float64))
first = x[np.isinf(y)].min()
ulps = np.abs(y - true)[np.isfinite(y)] / np.spacing(true[np.isfinite(y)].astype(np.float32))
print(f"mlx {version('mlx')}: infinite from {first:.4f} on, where e^x is {np.exp(np.float64(first)):.3g}; below off by up to {ulps.max():.1f} ulp")
sys.exit(not (88 < first < 88.01 and np.isfinite(np.exp(x)).all() and 30 < ulps.max() < 100))
PYTHON
