#!/usr/bin/env bash
# kornia_rs moves objects when it dilates or erodes with an ellipse: one white pixel grows to 2x2 pixels with size (3, 3) and to 4x4 with (5, 5), which reach up and left only. With size (1, 5) the dilation of any image is 0 everywhere.
# A kernel of odd size loses one row and one column, so its centre lies half a pixel beside the pixel; "box" and "cross" of the same size are symmetric.
# Expected: symmetric about the pixel, as OpenCV's ellipse of the same size is, and never less than the image, as the centre belongs to the kernel.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 kornia-rs==0.2.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import kornia_rs.imgproc
import numpy as np

image = np.zeros((9, 9, 1), np.uint8)
image[4, 4] = 255
got = {}
for kernel, size in (("box", (3, 3)), ("cross", (3, 3)), ("ellipse", (3, 3)), ("ellipse", (5, 5)), ("ellipse", (1, 5))):
    y, x, _ = np.nonzero(kornia_rs.imgproc.dilate(image, kernel, size))
    got[kernel, size] = (y.min() - 4, y.max() - 4, x.min() - 4, x.max() - 4) if len(y) else ()
got = {key: tuple(int(i) for i in value) for key, value in got.items()}
white = int(kornia_rs.imgproc.dilate(np.full((9, 9, 1), 255, np.uint8), "ellipse", (1, 5)).max())
print(f"kornia_rs {version('kornia-rs')}: reach of one white pixel (up, down, left, right) by kernel and size: {got}; greatest pixel of a white image after dilation by (1, 5): {white}")
right = got["box", (3, 3)] == got["cross", (3, 3)] == (-1, 1, -1, 1)
sys.exit(not (right and got["ellipse", (3, 3)] == (-1, 0, -1, 0) and got["ellipse", (5, 5)] == (-2, 1, -2, 1) and got["ellipse", (1, 5)] == () and white == 0))
PYTHON
