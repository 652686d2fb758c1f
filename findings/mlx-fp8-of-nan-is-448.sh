#!/usr/bin/env bash
# mlx's to_fp8 (E4M3) saturates everything that is not finite: NaN and both infinities become 448 or -448, though the format has a NaN.
# Expected: NaN stays NaN (PyTorch, ml_dtypes, the OCP format). Weights that hold NaN look healthy afterwards.
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

x = mx.array([float("nan"), float("inf"), -float("inf"), 1e9, 1.0])
y = mx.from_fp8(mx.to_fp8(x), dtype=mx.float32).tolist()
print(f"mlx {version('mlx')}: NaN, inf, -inf, 1e9, 1 in E4M3: {y}")
sys.exit(y != [448, 448, -448, 448, 1])
PYTHON
