#!/usr/bin/env bash
# SimpleITK casts the number beside an image of integers to the type of its pixels first: an image of uint8 times 0.5 is 0 everywhere, and plus 0.7 it is unchanged, although the image divided by 2 is one of float64.
# Expected: the product rounded to the type, or a floating image, as the division gives. Write image / 2 or cast the image to float.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 simpleitk==2.5.7
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import SimpleITK

image = SimpleITK.GetImageFromArray(np.array([[100, 200]], np.uint8))
times, plus, by = (SimpleITK.GetArrayFromImage(i) for i in (image * 0.5, image + 0.7, image / 2))
print(f"SimpleITK {version('simpleitk')}: [100, 200] * 0.5 is {times[0]}, + 0.7 {plus[0]}, / 2 {by[0]} of {by.dtype}")
sys.exit(not ((times == 0).all() and plus.tolist() == [[100, 200]] and by.tolist() == [[50, 100]]))
PYTHON
