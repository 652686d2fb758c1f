#!/usr/bin/env bash
# Pillow's ImageStat takes its numbers from a histogram of 256 places, to which an image of floats is scaled: of 0.25, 0.5, 0.75 and 300 the mean is 63.75 and the extrema are 0 and 255.
# Expected: 75.375, 0.25 and 300, or an error. getextrema of the image is right; take NumPy for the mean.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pillow==13.0.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import PIL
from PIL import Image, ImageStat

image = Image.fromarray(np.array([[0.25, 0.5, 0.75, 300]], np.float32))
stat = ImageStat.Stat(image)
print(f"Pillow {PIL.__version__}: of 0.25, 0.5, 0.75, 300 mean {stat.mean}, extrema {stat.extrema}, by getextrema {image.getextrema()}")
sys.exit(not (stat.mean == [63.75] and stat.extrema == [(0, 255)] and image.getextrema() == (0.25, 300)))
PYTHON
