#!/usr/bin/env bash
# numcodecs Quantize multiplies by a power of two in the type of the array, rounds and divides: in float16 with 3 digits every number from 64 on becomes infinity (65 times 1024 is over 65504), in float32 1e36 does.
# Expected: the number itself, as it has no digits behind the point that the step of 1/1024 would cut.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 numcodecs==0.16.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from numcodecs import Quantize

seen = []
for dtype, x in (("f2", [31.5, 63, 65, 1000]), ("f4", [1e35, 1e36])):
    codec = Quantize(digits=3, dtype=dtype)
    seen.append(codec.decode(codec.encode(np.array(x, dtype))))
print(f"numcodecs {version('numcodecs')}: 31.5, 63, 65, 1000 in float16: {seen[0]}; 1e35, 1e36 in float32: {seen[1]}")
sys.exit(not (seen[0].tolist() == [31.5, 63, np.inf, np.inf] and np.isfinite(seen[1][0]) and np.isinf(seen[1][1])))
PYTHON
