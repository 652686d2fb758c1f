#!/usr/bin/env bash
# fastmorph's dilation of a grey image makes white black: an image of 10 with one pixel of 255 in uint8 comes back with 3x3 pixels of 0. 254 spreads as it should.
# It is so with the greatest number of every type of integers (65535, 32767) in 2-D and 3-D, so each overexposed pixel becomes a black hole.
# Expected: 3x3 pixels of 255, as SciPy's grey_dilation gives.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 fastmorph==1.10.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import fastmorph
import numpy as np

got = {}
for dtype in (np.uint8, np.uint16, np.int16):
    for below in (0, 1):
        value = int(np.iinfo(dtype).max) - below
        image = np.full((5, 5), 10, dtype)
        image[2, 2] = value
        result = fastmorph.dilate(image, mode=fastmorph.Mode.grey, background_only=False)
        volume = fastmorph.dilate(np.stack([image] * 3), mode=fastmorph.Mode.grey, background_only=False)[1]
        assert result[0, 0] == 10 and (result == volume).all()
        got[np.dtype(dtype).name, value] = sorted({int(x) for x in result[1:4, 1:4].ravel()})
print(f"fastmorph {version('fastmorph')}: the 3x3 pixels around one pixel of this type and number, after dilation: {got}")
sys.exit(not all(numbers == ([0] if value == np.iinfo(dtype).max else [value]) for (dtype, value), numbers in got.items()))
PYTHON
