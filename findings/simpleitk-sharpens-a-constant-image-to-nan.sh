#!/usr/bin/env bash
# SimpleITK.LaplacianSharpening of a constant image of floats is NaN everywhere, and of a constant image of bytes, such as 100, it is 0. One pixel of another value anywhere, and the rest is 100 again.
# A blank slice of a scan or an empty tile turns black or spoils every mean after it, without an error.
# Expected: the image as it was, since its Laplacian is 0, as UnsharpMask gives it.
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
for dtype in (np.float64, np.float32, np.uint8):
    image = np.full((9, 9), 100, dtype)
    for kind in ("constant", "one pixel of 101"):
        sharp = sitk.GetArrayFromImage(sitk.LaplacianSharpening(sitk.GetImageFromArray(image)))
        seen[image.dtype.name, kind] = np.unique(sharp[0]).tolist()
        image[4, 4] = 101
unsharp = np.unique(sitk.GetArrayFromImage(sitk.UnsharpMask(sitk.GetImageFromArray(np.full((9, 9), 100.0))))).tolist()
print(f"SimpleITK {version('SimpleITK')}: the first row of a sharpened image of 100: {seen}; UnsharpMask: {unsharp}")
nan = all(np.isnan(seen[dtype, "constant"]).all() for dtype in ("float64", "float32"))
sys.exit(not (nan and seen["uint8", "constant"] == [0] and all(got == [100] for (_, kind), got in seen.items() if kind != "constant") and np.allclose(unsharp, 100)))
PYTHON
