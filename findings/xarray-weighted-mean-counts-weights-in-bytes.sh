#!/usr/bin/env bash
# xarray's weighted mean of floats with weights in uint8 is far too large where the weights of a mean add up to more than 255: of 20, 20 and 20 with the weights 100, 100 and 100 it is 136.4. The sum of the weights is 300 - 256 = 44, in the type of the weights; with three weights of 20000 in int16 the mean is -217.
# Bytes are what files hold as counts of observations or as quality of a pixel, and float data hides the type. No warning.
# Expected: 20, as numpy.average gives. Convert the weights to float64.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 xarray==2026.9.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import xarray

data = np.array([20.0, 20.0, 20.0])
got = {}
for dtype, weight in ((np.uint8, 100), (np.int16, 20000), (np.float32, 100)):
    weights = np.full(3, weight, dtype)
    weighted = xarray.DataArray(data, dims="x").weighted(xarray.DataArray(weights, dims="x"))
    got[weights.dtype.name] = [float(weighted.mean()), float(weighted.sum_of_weights()), float(np.average(data, weights=weights))]
print(f"xarray {version('xarray')}: [mean, sum of weights, numpy.average] of three times 20 with three weights of 100, 20000 and 100 in these types: {got}")
sys.exit(not (np.allclose(got["uint8"], [6000 / 44, 44, 20]) and np.allclose(got["int16"], [1200000 / -5536, -5536, 20]) and np.allclose(got["float32"], [20, 300, 20])))
PYTHON
