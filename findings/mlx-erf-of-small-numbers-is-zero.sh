#!/usr/bin/env bash
# On CPUs mlx's erf of float32 has an absolute error only: erf of 1e-7 and less is 0, of 1e-6 it is 5.6 % too large, of 1e-4 0.045 %. Its expm1, log1p, sinh and tanh are right to the last bits there.
# Expected: 2 x / sqrt(pi), relative to a few units in the last place. An exact GELU near 0 does not notice, differences of erf do.
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

import math

x = [1e-7, 1e-6, 1e-4, 1.0]
off = [y / math.erf(v) - 1 for v, y in zip(x, mx.erf(mx.array(x)).tolist())]
print(f"mlx {version('mlx')}: relative errors of erf of 1e-7, 1e-6, 1e-4, 1: {[f'{e:.1e}' for e in off]}")
sys.exit(not (off[0] == -1 and 0.04 < off[1] < 0.07 and 4e-4 < off[2] < 5e-4 and abs(off[3]) < 1e-6))
PYTHON
