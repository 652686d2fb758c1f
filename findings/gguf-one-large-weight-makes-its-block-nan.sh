#!/usr/bin/env bash
# The package gguf writes the scale of a block in half precision without looking at its range: one weight of 1e7 among weights of up to 1 makes all 32 numbers of a
# Q8_0 block NaN or infinite, as 1e7 / 127 is more than 65504; in Q4_0 the same begins at 524 160. Neither quantize nor dequantize raises an error.
# Expected: an error, or a scale that is held at 65504. Look at the largest weight of a block before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 gguf==0.19.0
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import numpy as np
from gguf import GGMLQuantizationType, quants

warnings.simplefilter("ignore")
counts = []
for name, large in (("Q8_0", 1e7), ("Q8_0", 8e6), ("Q4_0", 6e5), ("Q4_0", 5e5)):
    x = np.linspace(-1, 1, 32, dtype=np.float32)[None]
    x[0, 3] = large
    kind = GGMLQuantizationType[name]
    y = quants.dequantize(quants.quantize(x, kind), kind)
    counts.append(int((~np.isfinite(y)).sum()))
print(f"gguf {version('gguf')}: of 32 numbers not finite with one of 1e7 and 8e6 in Q8_0, 6e5 and 5e5 in Q4_0: {counts}")
sys.exit(counts != [32, 0, 32, 0])
PYTHON
