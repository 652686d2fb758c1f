#!/usr/bin/env bash
# scikit-image's structural_similarity of two float32 images whose mean is far above their spread is no similarity: of fields of air pressure around 101325 Pa it is 1.02, above its maximum of 1, and of noise between 1000 and 1001 it is -2.
# Expected: 0.995 and 0, as from the same numbers in float64; the variance of a window is the mean of its squares less the square of its mean, in the type of the images. In float64 noise above 1e8 gives -77. Subtract a common number from both images before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scikit-image==0.26.0 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from skimage.metrics import structural_similarity

random = np.random.default_rng(0)


def both(a, b, span):
    a, b = a.astype(np.float32), b.astype(np.float32)
    return [float(structural_similarity(x, y, data_range=span)) for x, y in ((a, b), (a.astype(np.float64), b.astype(np.float64)))]


pressure = 101325 + 300 * np.sin(np.arange(64) / 9) + random.normal(size=(64, 64))
pressure = both(pressure, pressure + 3 * random.normal(size=(64, 64)), 600.0)
noise = both(1000 + random.random((64, 64)), 1000 + random.random((64, 64)), 1.0)
large = float(structural_similarity(1e8 + random.random((64, 64)), 1e8 + random.random((64, 64)), data_range=1.0))
print(f"scikit-image {version('scikit-image')}: similarity in f32 and f64 of fields of pressure {np.round(pressure, 3)}, of noise above 1000 {np.round(noise, 3)}; in f64 of noise above 1e8 {large:.1f}")
sys.exit(not (pressure[0] > 1.01 and 0.99 < pressure[1] < 1 and noise[0] < -1 and abs(noise[1]) < 0.1 and abs(large) > 10))
PYTHON
