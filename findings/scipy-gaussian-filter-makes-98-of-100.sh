#!/usr/bin/env bash
# scipy.ndimage.gaussian_filter of an image of integers darkens what is constant: 100 everywhere becomes 98 with a sigma of 2.5, and stays 100 with a sigma of 1 or 5.
# One axis is filtered after another, each result is stored in the type of the pixels, and it is cut towards zero, not rounded: an axis whose weighted sum comes out just below an integer takes 1 from the image. The documentation speaks of insufficient precision, not of a bias.
# Expected: 100, as uniform_filter of the same module gives, and as a rounded result would be. Filter into output=float.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from scipy import ndimage


def level(dtype, sigma, dimensions=2, value=100):
    return np.unique(ndimage.gaussian_filter(np.full((24,) * dimensions, value, dtype), sigma)).tolist()


box = np.unique(ndimage.uniform_filter(np.full((24, 24), 100, np.uint8), 7)).tolist()
got = [level(np.uint8, 1), level(np.uint8, 2.5), level(np.uint8, 5), level(np.uint8, 2.5, 3), level(np.int16, 2.5, 2, -100)]
print(f"scipy {version('scipy')}: 100 filtered with sigma 1, 2.5 and 5 is {got[:3]}, in a volume with 2.5 {got[3]}; -100 with 2.5 is {got[4]}; uniform_filter gives {box}")
sys.exit(not (got == [[100], [98], [100], [98], [-98]] and box == [100]))
PYTHON
