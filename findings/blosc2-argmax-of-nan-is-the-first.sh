#!/usr/bin/env bash
# blosc2.argmax and argmin answer index 0 wherever an array holds NaN: of [3, 5, NaN, 1] it is 0, which is neither the index of NaN, as NumPy says, nor that of the greatest number.
# Expected: 2, as numpy.argmax and torch.argmax give, or 1 if NaN were skipped. max of the same array is NaN, so that x[argmax(x)] and max(x) disagree.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 blosc2==4.14.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import blosc2
import numpy as np

x = np.array([3, 5, np.nan, 1])
a = blosc2.asarray(x)
high, low, top = int(blosc2.argmax(a)), int(blosc2.argmin(a)), float(a.max())
print(f"blosc2 {version('blosc2')}: argmax of {x} is {high}, argmin {low}, max {top}; NumPy gives {np.argmax(x)}, {np.argmin(x)} and {np.max(x)}")
sys.exit(not (high == 0 and low == 0 and np.isnan(top)))
PYTHON
