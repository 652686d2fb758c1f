#!/usr/bin/env bash
# The density of numba_stats.laplace is exp(-|z|) / 4 for every scale, where z is (x - loc) / scale: the scale does not divide it. Only for a scale of 2 is its integral 1; it is 0.5 for a scale of 1 and 5 for a scale of 10. Its cdf is right, so the two do not fit each other.
# A fit by maximum likelihood over logpdf lets the scale grow without a bound, as the term -log(scale) is missing.
# Expected: exp(-|z|) / (2 scale), as scipy.stats.laplace, to which the documentation refers, gives. Subtract log(scale / 2) from logpdf.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 numba==0.68.1 scipy==1.17.1 numba-stats==1.14.0
NUMBA_CACHE_DIR="$work/cache" "$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import scipy.stats
from numba_stats import laplace

x = np.linspace(-400, 400, 800001)
got = {}
for scale in (0.5, 1.0, 2.0, 10.0):
    density = laplace.pdf(x, 0.0, scale)
    total = float(density.sum() * (x[1] - x[0]))
    near = slice(398000, 402001, 500)
    ratio = density[near] / scipy.stats.laplace.pdf(x[near], 0, scale)
    distance = float(abs(laplace.cdf(x, 0.0, scale) - scipy.stats.laplace.cdf(x, 0, scale)).max())
    got[scale] = [round(total, 4), round(float(ratio.max()), 4), distance < 1e-12]
print(f"numba-stats {version('numba-stats')}: [integral of the density, density over that of SciPy, cdf is that of SciPy] by scale: {got}")

data = scipy.stats.laplace.rvs(0, 1.5, size=10000, random_state=1)
scales = np.array([0.5, 1.0, 1.5, 3.0, 10.0, 100.0])
ours = [float(laplace.logpdf(data, 0.0, s).sum()) for s in scales]
right = [float(scipy.stats.laplace.logpdf(data, 0, s).sum()) for s in scales]
print(f"log-likelihood of 10000 draws of scale 1.5 at the scales {scales.tolist()}: {[round(v) for v in ours]}, SciPy {[round(v) for v in right]}")
bad = all(abs(v[0] - s / 2) < 1e-3 * s and abs(v[1] - s / 2) < 1e-3 * s and v[2] for s, v in got.items())
sys.exit(not (bad and np.argmax(ours) == 5 and np.argmax(right) == 2))
PYTHON
