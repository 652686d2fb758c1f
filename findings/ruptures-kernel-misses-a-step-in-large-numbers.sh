#!/usr/bin/env bash
# ruptures' KernelCPD with the linear kernel takes the scatter of a segment from its scalar products as they stand: in 50 numbers near 0 and 50 near 3, of deviation 0.3, it finds the change at 50, and in the same
# numbers plus 1e8 and 1e9 at other places. Dynp with the l2 cost, which is the same sum of squares, finds 50 each time.
# Expected: 50, as a constant changes no variance; float64 holds the numbers plus 1e8 to 1.5e-8. Subtract the mean of the signal before, for instance of times in seconds since 1970 or of frequencies in hertz.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: ruptures==1.1.10 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import ruptures

signal = np.repeat([0.0, 3.0], 50) + np.random.default_rng(0).normal(0, 0.3, 100)
offsets = (0, 1e6, 1e8, 1e9)
kernel = [int(ruptures.KernelCPD(kernel="linear").fit(signal + offset).predict(n_bkps=1)[0]) for offset in offsets]
l2 = [int(ruptures.Dynp("l2", min_size=1, jump=1).fit(signal + offset).predict(n_bkps=1)[0]) for offset in offsets]
print(f"ruptures {version('ruptures')}: change in the signal plus {offsets} by the linear kernel at {kernel}, by the l2 cost at {l2}")
sys.exit(not (kernel[:2] == [50, 50] and 50 not in kernel[2:] and l2 == [50] * 4))
PYTHON
