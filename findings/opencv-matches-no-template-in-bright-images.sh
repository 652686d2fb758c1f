#!/usr/bin/env bash
# OpenCV's matchTemplate by correlation coefficients (TM_CCOEFF_NORMED) of f32 images subtracts sums of products that are nearly equal: with 10 000 added to image and template, as
# a camera of 16 bits gives them, the two places that match exactly (1.0) get 0 and -0.5; without the offset both get 1.0.
# Expected: the coefficient does not depend on an offset. Subtract the mean of the image before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 opencv-python-headless==5.0.0.93
"$work/env/bin/python" - <<'PYTHON'
import sys

import cv2
import numpy as np

image, template = np.array([[0, 1, 0, 2, 0, 3]], np.float32), np.array([[0, 2, 0]], np.float32)
seen = [cv2.matchTemplate(image + offset, template + offset, cv2.TM_CCOEFF_NORMED)[0].round(3).tolist() for offset in (np.float32(0), np.float32(1e4))]
print(f"OpenCV {cv2.__version__}: coefficients of four places {seen[0]}, with 10 000 added to both {seen[1]}")
sys.exit(not (seen[0][0] == seen[0][2] == 1 and seen[1][0] == 0 and seen[1][2] < 0))
PYTHON
