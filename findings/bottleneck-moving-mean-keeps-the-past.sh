#!/usr/bin/env bash
# bottleneck's moving sums are updated by what enters and leaves the window and never made anew: after one large number
# has left, the means of windows that hold only ones are 0, and after an infinity they are NaN to the end of the array.
# Expected: 1, as windows that are summed anew give. Seen: 0 for [1e16, 1, 1, 1, 1] and a window of 2.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 bottleneck==1.6.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import bottleneck as bn
import numpy as np

large = bn.move_mean(np.array([1e16, 1, 1, 1, 1]), 2)
infinite = bn.move_sum(np.array([np.inf, 1, 1, 1, 1]), 2)
print(f"bottleneck {bn.__version__}: windows of ones after 1e16: means {large[2:]}, after infinity: sums {infinite[2:]}")
sys.exit(not ((large[2:] == 0).all() and np.isnan(infinite[2:]).all()))
PYTHON
