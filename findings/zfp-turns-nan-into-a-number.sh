#!/usr/bin/env bash
# zfp compresses NaN and infinity in its mode of fixed accuracy without an error and gives finite numbers back: NaN among numbers between 1 and 2 becomes about 4,
# infinity about -2, while the numbers beside it are right within the tolerance. The reversible mode, which is taken where no tolerance is given, keeps both.
# Expected: an error, or NaN. Nothing in the result shows that a value was missing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 zfpy==1.0.1.post0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import zfpy


def through(value: float, **mode) -> float:
    a = np.linspace(1, 2, 16)
    a[5] = value
    return float(zfpy.decompress_numpy(zfpy.compress_numpy(a, **mode))[5])


nan, infinity, kept = through(np.nan, tolerance=1e-3), through(np.inf, tolerance=1e-3), through(np.nan)
print(f"zfpy {version('zfpy')}: NaN becomes {nan:.4f}, inf {infinity:.4f}; without a tolerance NaN stays {kept}")
sys.exit(not (3.9 < nan < 4.1 and -2.1 < infinity < -1.9 and np.isnan(kept)))
PYTHON
