#!/usr/bin/env bash
# LERC with a maximal error of 0 keeps the sign of -0.0 in a floating image of fractions and loses it where all pixels are integers: such an image is coded as integers, which have no minus zero.
# Expected: the bits that were encoded: an error of 0 is called lossless, and the same pixel survives beside one fraction. Comparing with == does not show it; 1 / x, atan2 and copysign do.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 lerc==4.0.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import lerc
import numpy as np


def coded(image):
    status, size, blob = lerc.encode(image, 1, False, None, 0.0, image.nbytes * 2 + 2000)
    assert status == 0
    return lerc.decode(blob)[1]


got = []
for dtype in (np.float32, np.float64):
    image = np.random.default_rng(0).integers(1, 9, (64, 64)).astype(dtype)
    image[0, 1] = -0.0
    fractions = image.copy()
    fractions[5:, :] += dtype(0.3)
    got.append([bool(np.signbit(coded(i)[0, 1])) for i in (image, fractions)])
print(f"lerc {version('lerc')}: a pixel of -0.0 keeps its sign among [integers, fractions]: in f32 {got[0]}, in f64 {got[1]}")
sys.exit(got != [[False, True], [False, True]])
PYTHON
