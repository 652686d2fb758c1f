#!/usr/bin/env bash
# dask.array.average of bytes with weights that are bytes multiplies them as bytes, which wraps: the average of 100 and 200 with the weights 2 and 2 is 86. numpy.average gives 150,
# and so does dask without weights; a byte image with a mask of 0 and 255 as weights meets it in nearly every pixel.
# Expected: 150. The products have the type of both factors, and only their sum has a wider one. Convert the weights to f64 before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check dask==2026.8.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys

import dask
import dask.array as da
import numpy as np

x, weights = np.array([100, 200], np.uint8), np.array([2, 2], np.uint8)
averages = [da.average(da.from_array(x), weights=w if w is None else da.from_array(w)).compute() for w in (weights, None)]
print(f"dask {dask.__version__}: the average of 100 and 200 with equal weights is {averages[0]}, without {averages[1]}, by NumPy {np.average(x, weights=weights)}")
sys.exit(not (averages == [86, 150] and np.average(x, weights=weights) == 150))
PYTHON
