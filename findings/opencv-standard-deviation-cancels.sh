#!/usr/bin/env bash
# OpenCV's meanStdDev is the mean of squares less the square of the mean: of 1e9, 1e9 + 1, 1e9 + 2 in f64 the deviation is 0, where it is 0.8165.
# Expected: two passes or Welford's update (NumPy: 0.8165). Subtract a number near the mean before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 opencv-python-headless==5.0.0.93
"$work/env/bin/python" - <<'PYTHON'
import sys

import cv2
import numpy as np

x = np.array([[1e9, 1e9 + 1, 1e9 + 2]])
seen, true = float(cv2.meanStdDev(x)[1][0, 0]), float(np.std(x))
print(f"OpenCV {cv2.__version__}: deviation {seen}, numpy {true:.4f}")
sys.exit(not (seen == 0 and abs(true - 0.8165) < 1e-4))
PYTHON
