#!/usr/bin/env bash
# SimpleITK.RescaleIntensity of a float32 image takes its least and greatest value as equal where they differ by some 1e-8 or less, however small both are (a span of 6e-9 is lost, one of 2e-8 is not): diffusivities of 1e-9, 2e-9 and 3e-9 m2/s
# rescaled to 0..1 are 0, 0 and 0, without a warning. Normalize does not do so, and in float64 a span of 2e-12 is not lost.
# Expected: 0, 0.5 and 1, as of the same numbers in other units. Multiply the image by 1e9 before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 SimpleITK==2.5.7
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import SimpleITK as sitk

seen = {}
for dtype in (np.float32, np.float64):
    for unit in (1, 1e-7, 1e-9):
        image = sitk.GetImageFromArray((np.array([[1.0, 2.0, 3.0]]) * unit).astype(dtype))
        seen[np.dtype(dtype).name, unit] = sitk.GetArrayFromImage(sitk.RescaleIntensity(image, 0, 1))[0].tolist()
print(f"SimpleITK {version('SimpleITK')}: 1, 2 and 3 by type and unit, rescaled to 0..1: {seen}")
sys.exit(not all(np.allclose(got, [0, 0, 0] if key == ("float32", 1e-9) else [0, 0.5, 1], atol=1e-6) for key, got in seen.items()))
PYTHON
