#!/usr/bin/env bash
# skimage.exposure.equalize_adapthist of an image of zeros is an image of ones: a black frame becomes white, and so does every other constant image in every type. One brighter pixel anywhere, and the same black is 0 again.
# A blank frame of a video, or the padding of a slide that is cut into tiles, is as bright after it as what the stain made brightest.
# Expected: a constant image that is not changed, or zeros, as the least grey is elsewhere.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scikit-image==0.26.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import skimage
from skimage.exposure import equalize_adapthist

seen = {}
for value, dtype in ((0, np.uint8), (0, np.float64), (0.1, np.float32), (3, np.uint16)):
    image = np.full((64, 64), value, dtype)
    constant = np.unique(equalize_adapthist(image)).tolist()
    image[0, 0] = 1 if dtype in (np.float32, np.float64) else 255
    seen[image.dtype.name] = [constant, float(equalize_adapthist(image)[32, 32])]
print(f"scikit-image {skimage.__version__}: [levels of a constant image after CLAHE, its middle where one corner is brighter]: {seen}")
sys.exit(not all(constant == [1] and middle == 0 for constant, middle in seen.values()))
PYTHON
