#!/usr/bin/env bash
# mlx's quantize of a group with one NaN raises nothing, and no NaN comes back: in the affine modes the NaN becomes a border of the range of the others, in mxfp8 all 32 numbers of the
# group become 896 or -896, twice what the format's numbers reach in a group whose largest is 1, in mxfp4 all become 0.
# Expected: an error, or NaN in the group (ggml's formats carry it in their scale). Look for NaN before quantising.
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


def through(mode: str, bits: int) -> list[float]:
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    x[5] = np.nan
    parts = mx.quantize(mx.array(x)[None], group_size=32, bits=bits, mode=mode)
    return mx.dequantize(*parts, group_size=32, bits=bits, mode=mode).astype(mx.float32).reshape(-1).tolist()


affine, eight, four = through("affine", 4), through("mxfp8", 8), through("mxfp4", 4)
print(f"mlx {version('mlx')}: the NaN in 4 bits {affine[5]}; mxfp8 {sorted(set(eight))}; mxfp4 {sorted(set(four))}")
sys.exit(not (abs(affine[5]) == 1 and {abs(x) for x in eight} == {896} and {abs(x) for x in four} == {0}))
PYTHON
