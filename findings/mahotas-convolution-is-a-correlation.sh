#!/usr/bin/env bash
# mahotas.convolve and convolve1d do not turn the weights round: an impulse convolved with 1, 2, 3 comes out as 3, 2, 1. This is a correlation.
# A derivative has the wrong sign, and a delay goes the wrong way; weights that are symmetric hide it.
# Expected: 1, 2, 3, as scipy.ndimage.convolve (whose arguments and border modes they share) and numpy.convolve give.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 mahotas==1.4.19
"$work/env/bin/python" - <<'PYTHON'
import sys

import mahotas
import numpy as np
from scipy import ndimage

impulse = np.zeros((5, 5))
impulse[2, 2] = 1
weights = np.array([1.0, 2.0, 3.0])
one = mahotas.convolve1d(impulse, weights, 1)[2].tolist()
two = mahotas.convolve(impulse, weights[None])[2].tolist()
scipy = ndimage.convolve(impulse, weights[None])[2].tolist()
print(f"mahotas {mahotas.__version__}: an impulse convolved with 1, 2, 3 is {one} by convolve1d and {two} by convolve; SciPy gives {scipy}")
sys.exit(not (one == two == [0, 3, 2, 1, 0] and scipy == [0, 1, 2, 3, 0]))
PYTHON
