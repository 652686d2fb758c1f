#!/usr/bin/env bash
# blosc2.round sends 2.5 to 3 where the whole result is taken, and to 2 where a single element of the same result is: round(x)[:] rounds halves away from zero, round(x)[0:1] to even.
# Expected: 2 in both, as numpy.round does, to which the documentation of blosc2.round refers, and as the array API standard asks.
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

x = np.array([0.5, 1.5, 2.5, 3.5, -0.5, -2.5] * 4)
lazy = blosc2.round(blosc2.asarray(x))
whole = lazy[:][:6].tolist()
single = [float(lazy[k : k + 1][0]) for k in range(6)]
print(f"blosc2 {version('blosc2')}: round of {x[:6].tolist()} is {whole} as a whole and {single} one by one; NumPy gives {np.round(x)[:6].tolist()}")
sys.exit(not (whole == [1, 2, 3, 4, -1, -3] and single == np.round(x)[:6].tolist()))
PYTHON
