#!/usr/bin/env bash
# rasterio.fill.fillnodata (GDAL's GDALFillNodata) sends the whole image through f32, the pixels that the mask calls valid too: of the int32 image 8388609, a hole, 33333333 the two valid
# numbers come back as 8388610 and 33333332, and 1.1 of an image of f64 comes back as 1.10000002384. The result has the type that was given.
# Expected: valid pixels as they were. Copy the filled pixels alone out of the result.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 rasterio==1.4.4
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import rasterio
from rasterio.fill import fillnodata

valid = np.array([[1, 0, 1]], np.uint8)
whole = fillnodata(np.array([[8388609, 0, 33333333]], np.int32), mask=valid)
real = fillnodata(np.array([[1.1, 0, 1.1]]), mask=valid)
print(f"rasterio {rasterio.__version__}, GDAL {rasterio.__gdal_version__}: the valid pixels 8388609, 33333333 and 1.1 are {whole[0, 0]}, {whole[0, 2]}, {real[0, 0]:.11f}")
print(f"in an image of {whole.dtype} and one of {real.dtype}")
kept = whole.dtype == np.int32 and real.dtype == np.float64
sys.exit(not (kept and whole[0, 0] == 8388610 and whole[0, 2] == 33333332 and real[0, 0] == np.float32(1.1)))
PYTHON
