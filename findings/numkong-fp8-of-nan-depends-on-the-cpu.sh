#!/usr/bin/env bash
# NumKong (SimSIMD's successor) converts NaN of float32 and float16 to 448 in E4M3 and to infinity in E5M2 where the CPU has AVX2; its portable kernels make NaN of it, as both formats have one, and so does AVX2's
# conversion of the same NaN from float64 and that of a scalar (numkong.float8_e4m3(nan)).
# Expected: NaN in all of them. Weights that hold NaN look healthy after the conversion on one machine and not on another.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numkong==7.8.6 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numkong
import numpy as np

found = [c for c, has in numkong.get_capabilities().items() if has and c not in ("serial", "haswell")]
for capability in found:
    numkong.disable_capability(capability)


def converted():
    nan = np.full(8, np.nan)
    return {f"{t.__name__} to {f}": np.asarray(numkong.astype(numkong.astype(nan.astype(t), f), "f32"))[0].item() for t in (np.float16, np.float32, np.float64) for f in ("e4m3", "e5m2")}


fast = converted()
numkong.disable_capability("haswell")
portable = converted()
print(f"numkong {version('numkong')}: NaN of AVX2 {fast}, portable {portable}, scalar {float(numkong.float8_e4m3(np.nan))}")
nan, inf = float("nan"), float("inf")
sys.exit(not (repr(list(fast.values())) == repr([448.0, inf, 448.0, inf, nan, nan]) and np.isnan(list(portable.values())).all()))
PYTHON
