#!/usr/bin/env bash
# mahotas.dilate of an image of integers that are not bool makes it brighter by 1, and erode darker by 1: a constant image of 7 becomes 8 and 6. The ones of the structuring element are heights there, which are added, also those of the default cross and those of an element of type bool.
# Twenty erosions of an image take 20 off everywhere, and a morphological gradient of a constant image is 2. open and close are right, as their two halves cancel, but for values at the ends of the type (255 becomes 254).
# Expected: a flat element, as scipy.ndimage.grey_dilation(footprint=...) takes one of zeros and ones. There is no height of 0 in the default.
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

cross = ndimage.generate_binary_structure(2, 1)
flat = np.full((3, 3), 7, np.uint8)
row = np.array([[0, 5, 9, 250, 255]] * 3, np.uint8)
seen = [mahotas.dilate(flat)[1].tolist(), mahotas.erode(flat)[1].tolist(), mahotas.dilate(row)[1].tolist(), mahotas.dilate(row, np.ones((3, 3), bool))[1].tolist(), mahotas.close(row)[1].tolist()]
expected = ndimage.grey_dilation(row, footprint=cross)[1].tolist()
print(f"mahotas {mahotas.__version__}: of 7 [dilate, erode], of 0, 5, 9, 250 and 255 [dilate, dilate by bool, close]: {seen}; SciPy dilates to {expected}")
sys.exit(not (seen == [[8] * 3, [6] * 3, [6, 10, 251, 255, 255], [6, 10, 251, 255, 255], [5, 5, 9, 250, 254]] and expected == [5, 9, 250, 255, 255]))
PYTHON
