#!/usr/bin/env bash
# mlx's cumsum of float16 is added up in float16, and its sum is not: the last of 3000 running sums of ones is 2048, their sum 3000; in bfloat16 the running sums end at 256.
# Expected: the last running sum is the sum. Convert to float32 before.
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

half, brain = mx.full((3000,), 1.0, dtype=mx.float16), mx.full((1000,), 1.0, dtype=mx.bfloat16)
seen = [mx.cumsum(half)[-1].item(), half.sum().item(), mx.cumsum(brain)[-1].item(), brain.sum().item()]
print(f"mlx {version('mlx')}: last running sum and sum of 3000 ones in float16, of 1000 in bfloat16: {seen}")
sys.exit(seen != [2048, 3000, 256, 1000])
PYTHON
