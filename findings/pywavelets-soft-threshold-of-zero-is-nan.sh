#!/usr/bin/env bash
# PyWavelets' soft threshold of the number 0 is NaN where the threshold is 0 too (0/0), as an estimate of the noise gives for a signal that is constant; every other
# number is right, also with the threshold 0, and the hard threshold of the same gives 0.
# Expected: 0, by the definition sign(x) max(|x| - t, 0). One NaN makes the whole inverse transform NaN around it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 PyWavelets==1.9.0
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import numpy as np
import pywt

warnings.simplefilter("ignore")
x = np.array([0.0, 1.0, -2.0])
soft, garrote, hard = (pywt.threshold(x, 0.0, mode) for mode in ("soft", "garrote", "hard"))
print(f"PyWavelets {version('PyWavelets')}: 0, 1, -2 with threshold 0: soft {soft}, garrote {garrote}, hard {hard}")
sys.exit(not (np.isnan(soft[0]) and np.isnan(garrote[0]) and (soft[1:] == x[1:]).all() and (hard == x).all()))
PYTHON
